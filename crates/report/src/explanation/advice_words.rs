//! The words of an advice for single values: requirements, quantities, and variations of the loads.

use std::cmp::Ordering;
use std::time::Duration;

use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::requirement::{Quantity, Requirement};
use stripewise_diagnose::vary::Variation;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_units::Bytes;

use super::ExplainedCell;
use super::several::workload;
use crate::numbers::{is_small, rate, size_argument, span};
use crate::states::Applies;

/// Returns a value of a cell in a state.
pub(super) fn value(cell: &ExplainedCell, state: State, metric: Metric) -> Option<f64> {
    match cell.fresh.as_ref().filter(|_| state == State::Fresh) {
        Some(fresh) => fresh.value(metric),
        None => cell.value(metric),
    }
}

/// Returns what the cells of a design give, each in the state in which designs were compared; in both where
/// nobody knows that this state applies.
pub(super) fn gives(
    cells: &[ExplainedCell],
    states: &[State],
    volume: Option<Bytes>,
) -> Vec<Message> {
    let of_cell = |(cell, state): (_, &State)| match is_open(cell, *state, volume) {
        false => vec![gives_of(cell, *state, state.to_string())],
        true => vec![
            gives_of(cell, State::Fresh, State::Fresh.to_string()),
            gives_of(cell, State::Steady, "beside".to_owned()),
        ],
    };
    cells.iter().zip(states).flat_map(of_cell).collect()
}

/// Returns whether fresh devices give something else than the steady ones in which designs were compared,
/// and may apply.
pub(super) fn is_open(cell: &ExplainedCell, state: State, volume: Option<Bytes>) -> bool {
    let differing = cell.fresh.as_ref().filter(|fresh| {
        let steady = cell.value(Metric::Bandwidth);
        steady.is_some_and(|steady| fresh.matters_beside(steady))
    });
    let applies = |volume| differing.map(|fresh| fresh.applies_at(volume));
    let applies = volume.map_or(Some(Applies::Unknown), applies);
    state == State::Steady && differing.is_some() && applies != Some(Applies::Steady)
}

fn gives_of(cell: &ExplainedCell, state: State, named: String) -> Message {
    let of = |metric: Metric| value(cell, state, metric).unwrap_or(0.0);
    let value = match is_small(&cell.cell.workload.load) {
        true => Argument::quantity(rate(of(Metric::Iops)), "IOPS"),
        false => Metric::Bandwidth.quantity(of(Metric::Bandwidth)),
    };
    Message::new("advise-gives-load")
        .with("value", value)
        .with("load", workload(cell))
        .name("state", named)
}

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
