//! Why a fact is missing, in the reader's language.
//!
//! A reason begins as English text: readers of facts are used by errors, which are English, and
//! collected facts hold reasons as files. Where people read it, the entry of the catalogue with the same
//! words takes its place. What the system or a program said has none, and stays as it is.

use std::sync::LazyLock;

use stripewise_message::{Argument, Message};

/// The reasons that this program gives, in English.
const ENGLISH: &str = include_str!("../../catalogue/messages/reasons.en.ftl");

/// The variable that is a reason itself.
const REASON: &str = "why";

/// The words of a reason, with places for values.
struct Template {
    id: &'static str,
    /// The words before the first place.
    start: &'static str,
    /// The variable of each place, and the words after it.
    places: Vec<(&'static str, &'static str)>,
}

/// All reasons, those with more words first: they say more.
static TEMPLATES: LazyLock<Vec<Template>> = LazyLock::new(|| {
    let entries = ENGLISH.lines().filter_map(|line| line.split_once(" = "));
    let mut all: Vec<Template> = entries
        .filter_map(|(id, words)| Template::new(id, words))
        .collect();
    all.sort_by_key(|template| std::cmp::Reverse(template.length()));
    all
});

impl Template {
    fn new(id: &'static str, words: &'static str) -> Option<Self> {
        let mut parts = words.split("{ $");
        let start = parts.next()?;
        let places = parts
            .map(|part| part.split_once(" }"))
            .collect::<Option<_>>()?;
        Some(Self { id, start, places })
    }

    /// Returns how many bytes of words it has.
    fn length(&self) -> usize {
        let after = self.places.iter().map(|(_, words)| words.len());
        self.start.len() + after.sum::<usize>()
    }

    /// Returns the message with which a reason has exactly these words.
    fn message(&self, why: &str) -> Option<Message> {
        let mut rest = why.strip_prefix(self.start)?;
        let mut message = Message::new(self.id);
        for (at, (variable, words)) in self.places.iter().enumerate() {
            let is_last = at + 1 == self.places.len();
            let (value, after) = match is_last {
                true => (rest.strip_suffix(words)?, ""),
                false => rest.split_once(words)?,
            };
            message = match *variable {
                REASON => message.with(REASON, reason(value)),
                _ => message.name(variable, value),
            };
            rest = after;
        }
        rest.is_empty().then_some(message)
    }
}

/// Returns why a fact is missing as a value of a message: what this program says as a message, what
/// others said as it is.
pub fn reason(why: &str) -> Argument {
    let mut messages = TEMPLATES
        .iter()
        .filter_map(|template| template.message(why));
    messages
        .next()
        .map_or_else(|| Argument::Name(why.to_owned()), Argument::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_ours_is_a_message_with_its_values() {
        for (why, message) in [
            ("it was not collected", "reason-not-asked"),
            ("`ten` is not a number", "reason-no-number-said(word: ten)"),
            (
                "mdadm has no name for 7 at raid10",
                "reason-layout(level: raid10, number: 7)",
            ),
            (
                "exit code 1: no such device",
                "reason-exit-said(code: 1, error: no such device)",
            ),
            (
                "/etc/my.cnf includes it: permission denied",
                "reason-includes-why(file: /etc/my.cnf, why: reason-denied)",
            ),
            // More words win: its value is not `99 directories below /srv`.
            (
                "more than 99 directories below /srv",
                "reason-directories-below(depth: 99, top: /srv)",
            ),
        ] {
            assert_eq!(format!("{:?}", reason(why)), message, "{why}");
        }
    }

    #[test]
    fn what_others_said_stays_as_it_is() {
        for why in [
            "",
            "Input/output error (os error 5)",
            "it was not collected yet",
        ] {
            assert_eq!(reason(why), Argument::Name(why.to_owned()));
        }
    }
}
