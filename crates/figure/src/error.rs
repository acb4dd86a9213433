//! Errors between a page and a picture.

use std::time::Duration;

/// Why no figure could be listed or drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// QuickJS itself could not be started.
    #[error("failed to start the JavaScript engine: {reason}")]
    Start {
        /// The engine's message.
        reason: String,
    },
    /// The front end is broken or lacks a function: a bug of ours.
    #[error("failed to load the report's front end: {reason}")]
    Bundle {
        /// The thrown error, or the missing function.
        reason: String,
    },
    /// The front end threw while it listed or drew.
    #[error("the report's front end failed to make {what}: {reason}")]
    Script {
        /// The requested value.
        what: String,
        /// The thrown error.
        reason: String,
    },
    /// The front end was stopped because it took too long.
    #[error("the report's front end took more than {} s to make {what}", limit.as_secs())]
    Time {
        /// The requested value.
        what: String,
        /// The time it may take.
        limit: Duration,
    },
    /// The front end was stopped because it needed too much memory.
    #[error("the report's front end needed more than {limit_bytes} bytes of memory to make {what}")]
    Memory {
        /// The requested value.
        what: String,
        /// The memory it may take, in bytes.
        limit_bytes: usize,
    },
    /// No figure of this page has that id.
    #[error("no figure `{id}` here; the figures are {}", listed(.known))]
    Unknown {
        /// The requested id, without control characters.
        id: String,
        /// The existing ids.
        known: Vec<String>,
    },
    /// A width or height outside the permitted range.
    #[error("{which} of {value_px} px is outside {min_px} to {max_px} px")]
    Size {
        /// `width` or `height`.
        which: &'static str,
        /// The requested size, in pixels.
        value_px: u32,
        /// The smallest permitted, in pixels.
        min_px: u32,
        /// The largest permitted, in pixels.
        max_px: u32,
    },
    /// The drawing is not an SVG that we accept: a bug of ours.
    #[error("the drawing of `{id}` is not a plain SVG: {reason}")]
    Markup {
        /// The figure.
        id: String,
        /// The violation.
        reason: String,
    },
}

/// Why no PNG could be made from an SVG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The text is not an SVG that can be drawn.
    #[error("failed to read the SVG: {reason}")]
    Svg {
        /// The parser's message.
        reason: String,
    },
    /// The picture would have no pixels: the scale is too small, negative or not a number.
    #[error("scaled by {scale}, the picture has no pixels")]
    Scale {
        /// The requested value.
        scale: f32,
    },
    /// The picture would be too large.
    #[error(
        "a picture of {width_px} x {height_px} px is too large: a side has {side_px_max} px at most"
    )]
    Size {
        /// Its width, in pixels.
        width_px: u32,
        /// Its height, in pixels.
        height_px: u32,
        /// The longest permitted side, in pixels.
        side_px_max: u32,
    },
    /// The picture could not be encoded.
    #[error("failed to encode the PNG: {reason}")]
    Encode {
        /// The encoder's message.
        reason: String,
    },
}

/// Returns the ids as a list in words.
fn listed(ids: &[String]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = ids.iter().map(|id| format!("`{id}`")).collect();
    quoted.join(", ")
}
