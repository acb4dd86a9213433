//! In what stacks differ and which of that matters, as sentences under a table.

use stripewise_analysis::cause::{Cause, StackDifference};

use crate::document::Document;
use crate::text::{BOLD, harmless, paint, wrapped};
use crate::view::View;

/// Returns what is worth a sentence: stacks on the same devices that differ in more than one key. In
/// what others differ their names say, or the question.
pub(crate) fn worth_telling(document: &Document) -> impl Iterator<Item = &StackDifference> {
    let all = document.stack_differences.iter();
    all.filter(|one| {
        let is_of_devices = one.differences.iter().any(|one| one.key == "devices");
        one.differences.len() > 1 && !is_of_devices
    })
}

/// How many stacks get a sentence of their own.
const TOLD_MAX: usize = 3;

/// What is told of the stacks that differ.
pub(crate) enum Told<'a> {
    /// One of them, in full.
    One(&'a StackDifference),
    /// Stacks of which no other one tells what makes the difference, with their common baseline.
    Untold(Vec<&'a str>, &'a str),
}

/// Returns what is told: causes one by one, as far as there are few, and stacks without one together.
pub(crate) fn told(document: &Document) -> Vec<Told<'_>> {
    let is_known = |one: &StackDifference| {
        let cause = one.cause.as_ref();
        cause.is_some_and(|cause| cause.witness.is_some())
    };
    let (known, unknown): (Vec<_>, Vec<_>) = worth_telling(document).partition(|one| is_known(one));
    let mut told: Vec<Told> = known.into_iter().take(TOLD_MAX).map(Told::One).collect();
    match unknown.as_slice() {
        [] => {}
        [one] => told.push(Told::One(one)),
        [first, ..] => {
            let stacks = unknown.iter().map(|one| one.stack.as_str()).collect();
            told.push(Told::Untold(stacks, &first.baseline));
        }
    }
    told
}

/// Returns a paragraph for each stack that is worth one, and one for those that nothing explains.
pub(crate) fn differences(document: &Document, view: View) -> String {
    let mut text = String::new();
    for one in told(document) {
        let prose = match one {
            Told::One(one) => {
                let words: Vec<String> = one.differences.iter().map(ToString::to_string).collect();
                format!(
                    "{} differs from {} in {}. {}",
                    one.stack,
                    one.baseline,
                    listed(&words),
                    cause(one)
                )
            }
            Told::Untold(stacks, baseline) => untold(&stacks, baseline),
        };
        text.push('\n');
        let told = wrapped(&harmless(&prose), "", view);
        text.push_str(&told.replacen("The cause", &paint(BOLD, "The cause"), 1));
    }
    text
}

/// Returns the sentence about stacks of which nothing tells what makes the difference.
pub(crate) fn untold(stacks: &[&str], baseline: &str) -> String {
    let mut named: Vec<String> = stacks
        .iter()
        .take(TOLD_MAX)
        .map(|&name| name.to_owned())
        .collect();
    if stacks.len() > TOLD_MAX {
        named.push(format!("{} more", stacks.len() - TOLD_MAX));
    }
    format!(
        "{} differ from {baseline} in several keys each, and no stack here shows which of them makes the difference; one that differs from {baseline} in a single key would.",
        listed(&named)
    )
}

fn cause(one: &StackDifference) -> String {
    let witnessed = one.cause.as_ref();
    let told = witnessed.and_then(|cause| Some((cause, cause.witness.as_ref()?)));
    let Some((Cause { keys, idle, .. }, witness)) = told else {
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

/// Returns words as one would say them: `a, b and c`.
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
    fn a_cause_is_told_with_what_shows_it() {
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
    fn what_no_stack_tells_is_not_claimed() {
        assert_eq!(
            cause(&board(None)),
            "Which of these makes the difference, no stack here tells; one that differs from md \
             in a single one would."
        );
    }
}
