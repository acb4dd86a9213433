//! What the commands answer: documents for programs, and blocks for people.

mod fleet;
mod picture;
mod series;

pub use fleet::{FleetAnswer, HostPart, Seen};
pub use series::{Acknowledged, ChangePart, DriftAnswer, FactPart, Point, SeriesPart, TrendAnswer};

use stripewise_message::Message;

use crate::trend::{CannotTell, POINTS_FOR_NONE, POINTS_MAX, POINTS_MIN};

/// The version of the documents.
pub const SCHEMA: u32 = 1;

impl CannotTell {
    /// Returns the reason as a sentence.
    pub fn message(self) -> Message {
        match self {
            CannotTell::TooFewPoints { found } => Message::new("history-too-few-points")
                .count("found", found)
                .digits("needed", POINTS_MIN),
            CannotTell::TooFewForNone { found } => Message::new("history-too-few-for-none")
                .count("found", found)
                .digits("needed", POINTS_FOR_NONE),
            CannotTell::TooManyPoints { found } => Message::new("history-too-many-points")
                .digits("found", found)
                .digits("most", POINTS_MAX),
            CannotTell::NotFinite { place } => {
                Message::new("history-not-finite").digits("place", place + 1)
            }
            CannotTell::TooAlike {
                independent,
                correlation,
            } => Message::new("history-too-alike")
                .digits("independent", format!("{independent:.0}"))
                .digits("correlation", format!("{correlation:.2}")),
        }
    }
}

/// Returns a ratio as a signed difference: `-9.8 %`.
fn signed_percent(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    match percent.abs() {
        of if of < 9.95 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.0} %"),
    }
}
