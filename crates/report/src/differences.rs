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

/// Returns a paragraph for each stack that is worth one.
pub(crate) fn differences(document: &Document, view: View) -> String {
    let mut text = String::new();
    for one in worth_telling(document) {
        let words: Vec<String> = one.differences.iter().map(ToString::to_string).collect();
        let mut prose = format!(
            "{} differs from {} in {}.",
            one.stack,
            one.baseline,
            listed(&words)
        );
        let cause = cause(one);
        prose.push(' ');
        prose.push_str(&cause);
        text.push('\n');
        let told = wrapped(&harmless(&prose), "", view);
        text.push_str(&told.replacen("The cause", &paint(BOLD, "The cause"), 1));
    }
    text
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
