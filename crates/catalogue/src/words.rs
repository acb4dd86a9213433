//! The words of a message.

use fluent_bundle::FluentArgs;
use stripewise_message::{Argument, Message, as_words};

use crate::bundle::formatted;
use crate::language::Language;

/// Stands for a backtick in a name, in words whose backticks mark code ([`Words::marked`]).
pub const NAME_TICK: char = '\u{e060}';

/// What has words in each language.
pub trait Words {
    /// Returns the words in a language.
    fn in_language(&self, language: Language) -> String;

    /// Returns the words for a medium in which what stands between backticks is code. Those of a name
    /// mark nothing, unless they stand around all of it: each is a [`NAME_TICK`].
    fn marked(&self, language: Language) -> String;

    /// Returns the words in English, for JSON, CSV and logs.
    fn in_english(&self) -> String {
        self.in_language(Language::English)
    }
}

impl Words for Message {
    fn in_language(&self, language: Language) -> String {
        let mut filled = FluentArgs::new();
        for (variable, argument) in self.arguments() {
            if let Argument::Count(count) = argument {
                // What a message has no `[zero]` for is `*[other]`.
                let plural = match count {
                    0 => "zero",
                    1 => "one",
                    _ => "other",
                };
                filled.set(variable, plural);
                filled.set(format!("{variable}_text"), count.to_string());
            } else {
                filled.set(variable, argument.in_language(language));
            }
        }
        let words = formatted(&self.id, &filled, language);
        match self.is_sentence() {
            true => capital(&words),
            false => words,
        }
    }

    fn marked(&self, language: Language) -> String {
        self.clone().with_names(&marked_name).in_language(language)
    }
}

impl Words for Argument {
    fn in_language(&self, language: Language) -> String {
        match self {
            Argument::Name(name) => name.clone(),
            Argument::Digits(digits) => local(digits, language),
            Argument::Quantity { digits, unit } => format!("{} {unit}", local(digits, language)),
            Argument::Count(count) => count.to_string(),
            Argument::Message(message) => message.in_language(language),
            Argument::Words(items) => {
                let words = items.iter().map(|item| item.in_language(language));
                words.collect::<Vec<_>>().join(" ")
            }
            Argument::List { items, and } => {
                let words = items.iter().map(|item| item.in_language(language));
                joined(&words.collect::<Vec<_>>(), *and, language)
            }
        }
    }

    fn marked(&self, language: Language) -> String {
        self.clone().with_names(&marked_name).in_language(language)
    }
}

fn marked_name(name: &str) -> String {
    let ticks = name.matches('`').count();
    let is_code = ticks == 2 && name.starts_with('`') && name.ends_with('`');
    match ticks == 0 || is_code {
        true => name.to_owned(),
        false => name.replace('`', &NAME_TICK.to_string()),
    }
}

fn joined(words: &[String], and: bool, language: Language) -> String {
    match words {
        [before @ .., last] if and && !before.is_empty() => {
            let mut arguments = FluentArgs::new();
            arguments.set("list", before.join(", "));
            arguments.set("last", last.as_str());
            formatted("list-and", &arguments, language)
        }
        words => words.join(", "),
    }
}

/// Calls `write`, in which messages and values serialise as English text: for the JSON documents of
/// commands. Elsewhere they serialise as ids and values, for the page.
pub fn as_english<T>(write: impl FnOnce() -> T) -> T {
    as_words(Words::in_english, write)
}

/// Returns digits with the decimal sign of a language; an interval has one in each of its ends.
fn local(digits: &str, language: Language) -> String {
    match language {
        Language::English => digits.to_owned(),
        Language::German => digits.replace('.', ","),
    }
}

/// Returns words that begin with a capital.
fn capital(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(message: &Message) -> [String; 2] {
        Language::ALL.map(|language| message.in_language(language))
    }

    #[test]
    fn numbers_and_plurals_are_those_of_the_language() {
        let percent = Message::new("verdict-percent")
            .with(
                "range",
                Message::new("verdict-about").digits("value", "2.5"),
            )
            .with("word", Message::new("word-percent-higher-rises"));
        assert_eq!(
            both(&percent),
            ["about 2.5 % faster", "etwa 2,5 % schneller"]
        );
        let digits = Argument::Digits("(3.9–48.7)".to_owned());
        assert_eq!(digits.in_language(Language::German), "(3,9–48,7)");
        let cells = |count: u64| Message::new("cell-count").count("count", count);
        assert_eq!(cells(1).in_english(), "1 cell");
        assert_eq!(cells(46).in_english(), "46 cells");
        assert_eq!(cells(0).in_english(), "0 cells");
        let survived = Message::new("advise-require-survive").count("devices", 0);
        assert_eq!(survived.in_english(), "no device has to be allowed to fail");
    }

    /// A name of a user's lost its backticks in pages.
    #[test]
    fn only_backticks_of_sentences_and_around_names_mark_code() {
        let marks = |name: &str| {
            let run = Message::new("run-number").name("id", name);
            run.marked(Language::English).matches('`').count()
        };
        assert_eq!(["a", "`a`", "x; `z`", "`a` b `c`"].map(marks), [0, 2, 0, 0]);
    }

    #[test]
    fn lists_and_sentences_read_as_one_writes_them() {
        let list = |names: &[&str]| Argument::names(names).in_language(Language::English);
        assert_eq!(list(&["sda"]), "sda");
        assert_eq!(list(&["sda", "sdb"]), "sda and sdb");
        assert_eq!(list(&["sda", "sdb", "sdc"]), "sda, sdb and sdc");
        let run = Message::new("run-number").name("id", 3);
        assert_eq!(both(&run.as_sentence()), ["Run 3", "Lauf 3"]);
    }
}
