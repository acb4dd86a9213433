//! Figures of the report as SVG and PNG, drawn without a browser.
//!
//! The report's front end (one JavaScript bundle with Apache ECharts) draws its charts in a browser; this crate runs
//! the very same bundle in QuickJS, so a figure in a paper is the figure of the report. `resvg` turns it into a PNG
//! with a font of our own, so it looks the same on every machine, also on a server without fonts.
//!
//! ```text
//!   bundle (JavaScript) ──┐                        Figures::list ──> ids, titles
//!                         ├── QuickJS (bounded) ──┤
//!   page (JSON) ──────────┘                        Figures::svg ───> SVG ──> png ──> PNG
//! ```
//!
//! What the page says comes from outside and may be hostile: QuickJS runs with a limit on memory, stack and time and
//! with no way to files or the network, and what it returns is checked before it is handed on.
//!
//! # What the bundle must offer
//!
//! When there is no `document`, the bundle sets `globalThis.stripewise` to an object with two functions:
//!
//! - `figures(pageJson, language)` returns a JSON string: a list of `{id, title, description}`;
//! - `figure(pageJson, id, {language, theme, width, height})` returns the SVG as a string; `theme` is `light` or
//!   `dark`, and `height` is `null` for the one that suits the figure.
//!
//! It finds there `textWidthPx(text, cssFont)`, the width of a text in the font of the PNG, to be given to ECharts:
//! `echarts.setPlatformAPI({measureText: (text, font) => ({width: textWidthPx(text, font)})})`.

mod engine;
mod error;
mod fallback;
mod figures;
mod font;
mod markup;
mod name;
mod png;

pub use error::{FigureError, PngError};
pub use figures::{Figures, Options, SIZE_PX, Theme};
pub use name::FigureName;
pub use png::{PNG_SIDE_PX_MAX, png};
