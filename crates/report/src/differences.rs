//! How stacks differ, and which of the differences matter, as sentences under a table.

use stripewise_analysis::cause::{Cause, StackDifference};

use crate::document::Document;
use crate::text::{BOLD, paint, strip_control, wrapped};
use crate::view::View;

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

/// Returns a paragraph for each reported stack, and one for all unexplained stacks.
pub(crate) fn differences(document: &Document, view: View) -> String {
    let mut text = String::new();
    for one in reports(document) {
        let prose = match one {
            DifferenceReport::One(one) => {
                let words: Vec<String> = one.differences.iter().map(ToString::to_string).collect();
                format!(
                    "{} differs from {} in {}. {}",
                    one.stack,
                    one.baseline,
                    listed(&words),
                    cause(one)
                )
            }
            DifferenceReport::Unexplained(stacks, baseline) => unexplained(&stacks, baseline),
        };
        text.push('\n');
        let paragraph = wrapped(&strip_control(&prose), "", view);
        text.push_str(&paragraph.replacen("The cause", &paint(BOLD, "The cause"), 1));
    }
    text
}

/// Returns the sentence about stacks whose differences no stack explains.
pub(crate) fn unexplained(stacks: &[&str], baseline: &str) -> String {
    let mut named: Vec<String> = stacks
        .iter()
        .take(SENTENCES_MAX)
        .map(|&name| name.to_owned())
        .collect();
    if stacks.len() > SENTENCES_MAX {
        named.push(format!("{} more", stacks.len() - SENTENCES_MAX));
    }
    format!(
        "{} differ from {baseline} in several keys each, and no stack here shows which of them makes the difference; one that differs from {baseline} in a single key would.",
        listed(&named)
    )
}

fn cause(one: &StackDifference) -> String {
    let witnessed = one.cause.as_ref();
    let known = witnessed.and_then(|cause| Some((cause, cause.witness.as_ref()?)));
    let Some((Cause { keys, idle, .. }, witness)) = known else {
        return format!(
            "Which of these makes the difference, no stack here tells; one that differs from {} in a single one would.",
            one.baseline
        );
    };
    let cells = match witness.cells {
        1 => "the one cell".to_owned(),
        count => format!("all {count} cells"),
    };
    format!(
        "The cause is {}: {} and {} differ in {} only, and do the same in {cells}.",
        listed(keys),
        witness.stack,
        witness.same_as,
        listed(idle),
    )
}

/// Returns words joined for a sentence: `a, b and c`.
fn listed<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use stripewise_analysis::cause::Witness;

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
            cause(&board(Some(known))),
            "The cause is chunk: md128 and board differ in metadata, size and beside only, \
             and do the same in all 4 cells."
        );
    }

    #[test]
    fn a_cause_without_a_witness_is_not_claimed() {
        assert_eq!(
            cause(&board(None)),
            "Which of these makes the difference, no stack here tells; one that differs from md \
             in a single one would."
        );
    }
}
