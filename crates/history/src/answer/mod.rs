//! What the commands answer: documents for programs, and blocks for people.

mod fleet;
mod picture;
mod series;

pub use fleet::{ClassPart, FleetAnswer, HostPart, HostVerdict, Seen, SlowCellPart};
pub use series::{Acknowledged, ChangePart, DriftAnswer, FactPart, Point, SeriesPart, TrendAnswer};

use stripewise_message::{Argument, Message};
use stripewise_study::metric::Metric;

use crate::trend::{CannotTell, POINTS_MAX, POINTS_MIN, Size};

/// The version of the documents.
pub const SCHEMA: u32 = 1;

impl CannotTell {
    /// Returns the reason as a sentence; `metric` is that of the values.
    pub fn message(self, metric: Metric) -> Message {
        match self {
            CannotTell::TooFewPoints { found } => Message::new("history-too-few-points")
                .count("found", found)
                .digits("needed", POINTS_MIN),
            CannotTell::TooManyPoints { found } => Message::new("history-too-many-points")
                .digits("found", found)
                .digits("most", POINTS_MAX),
            CannotTell::NotFinite { place } => {
                Message::new("history-not-finite").digits("place", place + 1)
            }
            CannotTell::StepsUnseen {
                found,
                correlation,
                seen_from,
                sizes_are,
            } => Message::new("history-steps-unseen")
                .count("found", found)
                .digits("correlation", format!("{correlation:.2}"))
                .with("step", step_words(seen_from, sizes_are, metric)),
        }
    }
}

/// Returns the size of a step for people: a share of the level, or in the unit of the metric.
fn step_words(size: f64, sizes_are: Size, metric: Metric) -> Argument {
    match sizes_are {
        Size::Ratio => Argument::Digits(share(1.0 - size)),
        Size::Difference => metric.quantity(size),
    }
}

/// Returns a share in percent, with two digits: `6.1 %`.
fn share(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// Returns a difference with its sign and unit: `−48.1 MiB/s`.
fn signed_quantity(difference: f64, metric: Metric) -> Argument {
    let id = match difference < 0.0 {
        true => "history-less",
        false => "history-more",
    };
    Message::new(id)
        .with("size", metric.quantity(difference.abs()))
        .into()
}

/// Returns a ratio as a signed difference: `-9.8 %`.
fn signed_percent(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    match percent.abs() {
        of if of < 9.95 => format!("{percent:+.1} %"),
        _ => format!("{percent:+.0} %"),
    }
}
