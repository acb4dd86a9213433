//! Names of facts, and values of them, in sentences.

use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::ablation::Change;
use stripewise_diagnose::explain::kinds::ALL;

/// Returns the name of a fact.
pub(super) fn name(key: &str) -> Message {
    match ALL.iter().any(|kind| kind.key == key) {
        true => Message::new(format!("explain-fact-{key}")),
        // A key of the load, as a study has it.
        false => Message::new("explain-fact-load").name("key", key),
    }
}

/// Returns the name of what changed: of an array the one part that differs, if it is one.
pub(super) fn changed(change: &Change) -> Message {
    if change.key != "array" {
        return name(&change.key);
    }
    let parts = |value: &str| value.split(':').map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (parts(&change.before), parts(&change.after));
    let differ: Vec<usize> = (0..before.len().max(after.len()))
        .filter(|at| before.get(*at) != after.get(*at))
        .collect();
    let is_size = |part: Option<&String>| {
        part.is_some_and(|part| part.ends_with(['K', 'M', 'G']) && part.len() > 1)
    };
    match differ[..] {
        [only] if is_size(before.get(only)) && is_size(after.get(only)) => {
            Message::new("explain-fact-chunk")
        }
        _ => name(&change.key),
    }
}

/// Returns a change: `governor (ondemand → powersave)`.
pub(super) fn with_values(change: &Change) -> Message {
    Message::new("explain-change")
        .with("fact", changed(change))
        .name("before", &change.before)
        .name("after", &change.after)
}

/// Returns a size in whole per cent without a sign.
pub(super) fn percent(share: f64) -> Argument {
    Argument::percent(share.abs())
}

/// Returns both ends of a part of a difference in per cent: `14 to 20 %`.
pub(super) fn range(low: f64, high: f64) -> Message {
    // An end that rounds to nothing has no sign.
    let digits = |value: f64| format!("{:.0}", (100.0 * value).round() + 0.0).replace('-', "−");
    let (low, high) = (digits(low), digits(high));
    match low == high {
        true => Message::new("explain-range-one").digits("value", low),
        false => Message::new("explain-range")
            .digits("low", low)
            .digits("high", high),
    }
}
