//! A message: an entry of the catalogue and the values of its variables.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use fluent_bundle::FluentArgs;
use serde::{Serialize, Serializer};

use crate::bundle::formatted;
use crate::language::Language;
use crate::number::percent_digits;

/// A sentence, or a part of one, in no language yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Message {
    /// The entry of the catalogue.
    pub id: Cow<'static, str>,
    /// The value of each of its variables.
    #[serde(rename = "args", skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    arguments: BTreeMap<&'static str, Argument>,
    /// Whether the first letter becomes a capital, as the entry can begin with a variable.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    is_sentence: bool,
}

/// The value of a variable of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// A name or a key that no language changes, or text of another program.
    Name(String),
    /// A rounded number, with a point before its decimals.
    Digits(String),
    /// A rounded number and its unit.
    Quantity {
        /// The number, with a point before its decimals.
        digits: String,
        /// The unit.
        unit: Cow<'static, str>,
    },
    /// A whole number of things: the variable is `one` or `other`, which chooses the plural, and
    /// the variable with `_text` after its name is the number.
    Count(u64),
    /// Another message.
    Message(Box<Message>),
    /// Several values with commas between them.
    List {
        /// The values.
        items: Vec<Argument>,
        /// Whether "and" stands before the last one.
        and: bool,
    },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Message {
    /// Returns the message `id`, without arguments.
    pub fn new(id: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            arguments: BTreeMap::new(),
            is_sentence: false,
        }
    }

    /// Fills a variable.
    #[must_use]
    pub fn with(mut self, variable: &'static str, value: impl Into<Argument>) -> Self {
        self.arguments.insert(variable, value.into());
        self
    }

    /// Fills a variable with a name, or with text of another program.
    #[must_use]
    pub fn name(self, variable: &'static str, name: impl fmt::Display) -> Self {
        self.with(variable, Argument::Name(name.to_string()))
    }

    /// Fills a variable with a number that is rounded already.
    #[must_use]
    pub fn digits(self, variable: &'static str, digits: impl fmt::Display) -> Self {
        self.with(variable, Argument::Digits(digits.to_string()))
    }

    /// Fills a variable with a share as a percentage: `93 %`.
    #[must_use]
    pub fn percent(self, variable: &'static str, share: f64) -> Self {
        self.with(variable, Argument::percent(share))
    }

    /// Fills `variable` and `variable_text` with a whole number of things.
    #[must_use]
    pub fn count(self, variable: &'static str, count: impl TryInto<u64>) -> Self {
        self.with(
            variable,
            Argument::Count(count.try_into().unwrap_or(u64::MAX)),
        )
    }

    /// Makes it a sentence: its first letter becomes a capital.
    #[must_use]
    pub fn as_sentence(mut self) -> Self {
        self.is_sentence = true;
        self
    }

    /// Returns the message with `clean` applied to each name, also inside of its values.
    #[must_use]
    pub fn with_names(mut self, clean: &impl Fn(&str) -> String) -> Self {
        for argument in self.arguments.values_mut() {
            argument.clean_names(clean);
        }
        self
    }

    /// Returns the words of the message in a language.
    pub fn in_language(&self, language: Language) -> String {
        let mut filled = FluentArgs::with_capacity(self.arguments.len() + 1);
        for (variable, argument) in &self.arguments {
            if let Argument::Count(count) = argument {
                let plural = if *count == 1 { "one" } else { "other" };
                filled.set(*variable, plural);
                filled.set(format!("{variable}_text"), count.to_string());
            } else {
                filled.set(*variable, argument.in_language(language));
            }
        }
        let words = formatted(&self.id, &filled, language);
        match self.is_sentence {
            true => capital(&words),
            false => words,
        }
    }
}

/// English, for JSON, CSV and logs.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_language(Language::English))
    }
}

impl Argument {
    /// Returns a rounded number with its unit.
    pub fn quantity(digits: impl Into<String>, unit: impl Into<Cow<'static, str>>) -> Self {
        let (digits, unit) = (digits.into(), unit.into());
        Argument::Quantity { digits, unit }
    }

    /// Returns a share as a percentage: `93 %`.
    pub fn percent(share: f64) -> Self {
        Self::quantity(percent_digits(share), "%")
    }

    /// Returns several values: `a, b, c`.
    pub fn list<A: Into<Argument>>(items: impl IntoIterator<Item = A>) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Argument::List { items, and: false }
    }

    /// Returns several values: `a, b and c`.
    pub fn list_and<A: Into<Argument>>(items: impl IntoIterator<Item = A>) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Argument::List { items, and: true }
    }

    /// Returns several names: `a, b and c`.
    pub fn names(names: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        Self::list_and(
            names
                .into_iter()
                .map(|name| Argument::Name(name.to_string())),
        )
    }

    fn clean_names(&mut self, clean: &impl Fn(&str) -> String) {
        match self {
            Argument::Name(name) => *name = clean(name),
            Argument::Message(message) => {
                for argument in message.arguments.values_mut() {
                    argument.clean_names(clean);
                }
            }
            Argument::List { items, .. } => {
                for item in items {
                    item.clean_names(clean);
                }
            }
            Argument::Digits(_) | Argument::Quantity { .. } | Argument::Count(_) => {}
        }
    }

    /// Returns the words of the value in a language.
    pub fn in_language(&self, language: Language) -> String {
        match self {
            Argument::Name(name) => name.clone(),
            Argument::Digits(digits) => local(digits, language),
            Argument::Quantity { digits, unit } => format!("{} {unit}", local(digits, language)),
            Argument::Count(count) => count.to_string(),
            Argument::Message(message) => message.in_language(language),
            Argument::List { items, and } => {
                let words = items.iter().map(|item| item.in_language(language));
                joined(&words.collect::<Vec<_>>(), *and, language)
            }
        }
    }
}

/// English, for JSON, CSV and logs.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_language(Language::English))
    }
}

impl From<Message> for Argument {
    fn from(message: Message) -> Self {
        Argument::Message(Box::new(message))
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

/// Serializes messages or values as English text, for JSON documents of commands.
///
/// # Errors
/// If the serializer fails.
pub fn in_english<S: Serializer>(
    values: &[impl fmt::Display],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

/// Returns digits with the decimal sign of a language.
fn local(digits: &str, language: Language) -> String {
    match language {
        Language::English => digits.to_owned(),
        Language::German => digits.replacen('.', ",", 1),
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
        let cells = |count: u64| Message::new("cell-count").count("count", count);
        assert_eq!(cells(1).to_string(), "1 cell");
        assert_eq!(cells(46).to_string(), "46 cells");
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

    #[test]
    fn the_page_gets_ids_and_values() {
        let message = Message::new("finding-split")
            .name("block", "64K")
            .digits("pieces_per_io", "2.00")
            .with("piece", Argument::quantity("32.0", "KiB"));
        assert_eq!(
            serde_json::to_string(&message).unwrap(),
            r#"{"id":"finding-split","args":{"block":{"name":"64K"},"piece":{"quantity":{"digits":"32.0","unit":"KiB"}},"pieces_per_io":{"digits":"2.00"}}}"#
        );
    }
}
