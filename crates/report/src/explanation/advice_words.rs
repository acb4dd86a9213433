//! The words of an advice for single values: requirements, quantities, and variations of the loads.

use std::cmp::Ordering;
use std::time::Duration;

use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::requirement::{Quantity, Requirement};
use stripewise_diagnose::vary::Variation;
use stripewise_study::metric::Metric;

use crate::numbers::{size_argument, span};

/// Returns what a design gives beside the best one, whose share is 1.
pub(super) fn than_best(share: f64) -> Message {
    let percent = (100.0 * (share - 1.0)).round();
    match percent.total_cmp(&0.0) {
        Ordering::Less => Message::new("advise-other-less").percent("less", 1.0 - share),
        Ordering::Greater => Message::new("advise-other-more").percent("more", share - 1.0),
        Ordering::Equal => Message::new("advise-other-same"),
    }
}

/// Returns a requirement in words.
pub(super) fn required(requirement: Requirement) -> Message {
    let limit = in_words(requirement.quantity(), requirement.limit());
    match requirement {
        Requirement::Survive(devices) => {
            Message::new("advise-require-survive").count("devices", devices)
        }
        Requirement::Capacity(_) => Message::new("advise-require-capacity").with("size", limit),
        Requirement::CommitP99(_) => Message::new("advise-require-commit").with("limit", limit),
        Requirement::Years(_) => Message::new("advise-require-years").with("limit", limit),
        Requirement::Rebuild(_) => Message::new("advise-require-rebuild").with("limit", limit),
        Requirement::Price(_) => Message::new("advise-require-price").with("limit", limit),
    }
}

/// Returns the id of the sentence for a design that misses a requirement.
const fn missed(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Survived => "advise-misses-survive",
        Quantity::Usable => "advise-misses-capacity",
        Quantity::CommitP99 => "advise-misses-commit",
        Quantity::Years => "advise-misses-years",
        Quantity::Rebuild => "advise-misses-rebuild",
        Quantity::Price => "advise-misses-price",
    }
}

/// Returns a value of a quantity in words.
pub(super) fn in_words(quantity: Quantity, value: f64) -> Argument {
    let three = stripewise_catalogue::number::three_digits;
    match quantity {
        Quantity::Survived => Argument::Digits(format!("{value:.0}")),
        Quantity::Usable => {
            // A number of bytes is far below 2^53; a larger one is shown as none.
            let bytes = format!("{value:.0}").parse().unwrap_or_default();
            size_argument(bytes)
        }
        Quantity::CommitP99 => Metric::SyncLatencyP99.quantity(value),
        Quantity::Years => Message::new("advise-years")
            .digits("years", three(value))
            .into(),
        Quantity::Rebuild => {
            let time = Duration::try_from_secs_f64(value / 1e9).unwrap_or(Duration::MAX);
            Argument::Name(span(time))
        }
        Quantity::Price => Argument::Digits(three(value)),
    }
}

/// Returns a variation of the loads in words.
pub(super) fn variation(variation: Variation) -> Message {
    Message::new(match variation {
        Variation::HalfBlocks => "advise-vary-half-blocks",
        Variation::DoubleBlocks => "advise-vary-double-blocks",
        Variation::HalfDepth => "advise-vary-half-depth",
        Variation::DoubleDepth => "advise-vary-double-depth",
        Variation::MoreReads => "advise-vary-more-reads",
        Variation::MoreWrites => "advise-vary-more-writes",
    })
}

/// Returns what a design does instead of what a requirement asks for; `None` if that is unknown.
pub(super) fn missed_in_words(requirement: Requirement, value: Option<f64>) -> Message {
    let quantity = requirement.quantity();
    let message = Message::new(match value {
        Some(_) => missed(quantity),
        None => "advise-misses-unknown",
    });
    let message = message
        .name("requirement", requirement)
        .with("limit", in_words(quantity, requirement.limit()));
    match value {
        Some(value) => message.with("value", in_words(quantity, value)),
        None => message,
    }
}
