//! How stacks differ, and which of the differences matter, as sentences under a table.

use stripewise_analysis::cause::{Cause, StackDifference};
use stripewise_answer::Block;
use stripewise_catalogue::{Argument, Message};

use crate::document::Document;
use crate::states;

/// Returns the stacks to report: those on the same devices that differ in more than one key. The
/// names of others, or the question, already say how they differ.
pub(crate) fn to_report(document: &Document) -> impl Iterator<Item = &StackDifference> {
    let all = document.stack_differences.iter();
    all.filter(|one| {
        let is_of_devices = one.differences.iter().any(|one| one.key == "devices");
        one.differences.len() > 1 && !is_of_devices
    })
}

/// The most stacks with a sentence of their own.
const SENTENCES_MAX: usize = 3;

/// A report on stacks that differ.
pub(crate) enum DifferenceReport<'a> {
    /// One stack, in full.
    One(&'a StackDifference),
    /// Stacks whose differences no other stack explains, with their common baseline.
    Unexplained(Vec<&'a str>, &'a str),
}

/// Returns the reports: causes one by one up to a limit, and unexplained stacks together.
pub(crate) fn reports(document: &Document) -> Vec<DifferenceReport<'_>> {
    let is_known = |one: &StackDifference| {
        let cause = one.cause.as_ref();
        cause.is_some_and(|cause| cause.witness.is_some())
    };
    let (known, unknown): (Vec<_>, Vec<_>) = to_report(document).partition(|one| is_known(one));
    let mut reports: Vec<_> = known
        .into_iter()
        .take(SENTENCES_MAX)
        .map(DifferenceReport::One)
        .collect();
    match unknown.as_slice() {
        [] => {}
        [one] => reports.push(DifferenceReport::One(one)),
        [first, ..] => {
            let stacks = unknown.iter().map(|one| one.stack.as_str()).collect();
            reports.push(DifferenceReport::Unexplained(stacks, &first.baseline));
        }
    }
    reports
}

/// Returns a paragraph for each reported stack, and one for all unexplained stacks; with their state, if
/// they are about one of two.
pub(crate) fn differences(document: &Document) -> impl Iterator<Item = Block> {
    let is_one_of_two = states::shows_one_of_two(document);
    let messages = reports(document).into_iter().map(|one| match one {
        DifferenceReport::One(one) => message(one),
        DifferenceReport::Unexplained(stacks, baseline) => unexplained(&stacks, baseline),
    });
    let messages = messages.map(move |message| match is_one_of_two {
        true => Message::new("claim-in")
            .with("panel", Message::new("claim-state-steady"))
            .with("sentence", message),
        false => message,
    });
    messages.flat_map(|message| [Block::Gap, Block::say(message)])
}

/// Returns the sentence about stacks whose differences no stack explains.
pub(crate) fn unexplained<S: AsRef<str>>(stacks: &[S], baseline: &str) -> Message {
    let named = stacks.iter().take(SENTENCES_MAX);
    let mut named: Vec<Argument> = named
        .map(|name| Argument::Name(name.as_ref().to_owned()))
        .collect();
    if stacks.len() > SENTENCES_MAX {
        let more = Message::new("some-more").digits("count", stacks.len() - SENTENCES_MAX);
        named.push(more.into());
    }
    Message::new("claim-untold")
        .with("stacks", Argument::list_and(named))
        .name("baseline", baseline)
}

/// Returns the sentences about one stack: its differences and their cause.
pub(crate) fn message(one: &StackDifference) -> Message {
    let differences = one.differences.iter().map(|difference| {
        Message::new("difference")
            .name("key", difference.key)
            .name("value", &difference.value)
            .name("instead_of", &difference.instead_of)
    });
    Message::new("claim-differs")
        .name("stack", &one.stack)
        .name("baseline", &one.baseline)
        .with("differences", Argument::list_and(differences))
        .with("cause", cause(one))
}

fn cause(one: &StackDifference) -> Message {
    let witnessed = one.cause.as_ref();
    let known = witnessed.and_then(|cause| Some((cause, cause.witness.as_ref()?)));
    let Some((Cause { keys, idle, .. }, witness)) = known else {
        return Message::new("claim-cause-unknown").name("baseline", &one.baseline);
    };
    Message::new("claim-cause")
        .with("keys", Argument::names(keys))
        .with("idle", Argument::names(idle))
        .name("witness", &witness.stack)
        .name("same_as", &witness.same_as)
        .with(
            "cells",
            Message::new("cell-count").count("count", witness.cells),
        )
}

#[cfg(test)]
mod tests {
    use stripewise_analysis::cause::Witness;

    use stripewise_catalogue::Words;

    use super::*;

    fn board(cause: Option<Cause>) -> StackDifference {
        StackDifference {
            stack: "board".to_owned(),
            baseline: "md".to_owned(),
            differences: Vec::new(),
            cause,
        }
    }

    #[test]
    fn a_cause_is_reported_with_its_witness() {
        let known = Cause {
            keys: vec!["chunk"],
            idle: vec!["metadata", "size", "beside"],
            witness: Some(Witness {
                stack: "md128".to_owned(),
                same_as: "board".to_owned(),
                cells: 4,
            }),
        };
        assert_eq!(
            cause(&board(Some(known))).in_english(),
            "The cause is chunk: md128 and board differ in metadata, size and beside only, \
             and perform the same (4 cells)."
        );
    }

    #[test]
    fn a_cause_without_a_witness_is_not_claimed() {
        assert_eq!(
            cause(&board(None)).in_english(),
            "No stack here shows which of these makes the difference; a stack that differs from md \
             in a single one would."
        );
    }
}
