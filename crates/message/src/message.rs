//! A message: an entry of the catalogue and the values of its variables.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::number::percent_digits;

/// A sentence, or a part of one, in no language yet.
///
/// It serialises as its id and its values, and inside of [`crate::as_words`] as its words.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Message {
    /// The entry of the catalogue.
    pub id: Cow<'static, str>,
    /// The value of each of its variables.
    #[cfg_attr(
        feature = "typescript",
        ts(optional, rename = "args", as = "Option<_>")
    )]
    pub(crate) arguments: BTreeMap<&'static str, Argument>,
    /// Whether the first letter becomes a capital, as the entry can begin with a variable.
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub(crate) is_sentence: bool,
}

/// The value of a variable of a message.
///
/// It serialises with its kind, and inside of [`crate::as_words`] as its words.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename_all = "snake_case"))]
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
    /// Several values with spaces between them.
    Words(Vec<Argument>),
    /// Several values with commas between them.
    List {
        /// The values.
        items: Vec<Argument>,
        /// Whether "and" stands before the last one.
        and: bool,
    },
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

    /// Returns the value of each variable.
    pub fn arguments(&self) -> impl Iterator<Item = (&'static str, &Argument)> {
        self.arguments.iter().map(|(name, value)| (*name, value))
    }

    /// Returns whether a variable is this name.
    pub fn has(&self, variable: &str, name: &str) -> bool {
        matches!(self.arguments.get(variable), Some(Argument::Name(filled)) if filled == name)
    }

    /// Returns what it says without its numbers, also those in names: the same for messages that say the
    /// same of other numbers. Not for people.
    pub fn without_numbers(&self) -> String {
        let mut shape = self.id.to_string();
        for (variable, value) in &self.arguments {
            shape.push_str(&format!(" {variable}={}", value.without_numbers()));
        }
        shape
    }

    /// Returns whether the first letter of its words is a capital.
    pub fn is_sentence(&self) -> bool {
        self.is_sentence
    }
}

impl Argument {
    /// Returns the value with `clean` applied to each name in it.
    #[must_use]
    pub fn with_names(mut self, clean: &impl Fn(&str) -> String) -> Self {
        self.clean_names(clean);
        self
    }

    /// Returns a rounded number with its unit.
    pub fn quantity(digits: impl Into<String>, unit: impl Into<Cow<'static, str>>) -> Self {
        let (digits, unit) = (digits.into(), unit.into());
        Argument::Quantity { digits, unit }
    }

    /// Returns a share as a percentage: `93 %`.
    pub fn percent(share: f64) -> Self {
        Self::quantity(percent_digits(share), "%")
    }

    /// Returns several values: `a b c`.
    pub fn spaced<A: Into<Argument>>(items: impl IntoIterator<Item = A>) -> Self {
        Argument::Words(items.into_iter().map(Into::into).collect())
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

    /// Returns values with semicolons between them, for values that have commas of their own.
    pub fn semicolons<A: Into<Argument>>(items: impl IntoIterator<Item = A>) -> Self {
        let mut items: Vec<Argument> = items.into_iter().map(Into::into).collect();
        let last = items.len().saturating_sub(1);
        for item in &mut items[..last] {
            *item = Message::new("list-semicolon")
                .with("item", item.clone())
                .into();
        }
        Self::spaced(items)
    }

    fn without_numbers(&self) -> String {
        let all = |items: &[Self]| -> String {
            let items = items.iter().map(|item| item.without_numbers() + ",");
            items.collect()
        };
        match self {
            Self::Name(name) => {
                let letters = name.chars().filter(|c| !c.is_ascii_digit());
                format!("{:?}", letters.collect::<String>())
            }
            Self::Digits(_) | Self::Quantity { .. } | Self::Count(_) => "#".to_owned(),
            Self::Message(message) => format!("({})", message.without_numbers()),
            Self::Words(items) | Self::List { items, .. } => format!("[{}]", all(items)),
        }
    }

    fn clean_names(&mut self, clean: &impl Fn(&str) -> String) {
        match self {
            Argument::Name(name) => *name = clean(name),
            Argument::Message(message) => {
                for argument in message.arguments.values_mut() {
                    argument.clean_names(clean);
                }
            }
            Argument::List { items, .. } | Argument::Words(items) => {
                for item in items {
                    item.clean_names(clean);
                }
            }
            Argument::Digits(_) | Argument::Quantity { .. } | Argument::Count(_) => {}
        }
    }
}

/// Its id and its values, for tests: `cell-count(count: 46)`.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        for (at, (variable, value)) in self.arguments.iter().enumerate() {
            let before = if at == 0 { "(" } else { ", " };
            write!(f, "{before}{variable}: {value:?}")?;
        }
        let end = if self.arguments.is_empty() { "" } else { ")" };
        f.write_str(end)
    }
}

/// The value, for tests.
impl fmt::Debug for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Name(text) | Argument::Digits(text) => f.write_str(text),
            Argument::Quantity { digits, unit } => write!(f, "{digits} {unit}"),
            Argument::Count(count) => write!(f, "{count}"),
            Argument::Message(message) => write!(f, "{message:?}"),
            Argument::List { items, .. } | Argument::Words(items) => {
                f.debug_list().entries(items).finish()
            }
        }
    }
}

impl From<Message> for Argument {
    fn from(message: Message) -> Self {
        Argument::Message(Box::new(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::as_words;

    #[test]
    fn a_document_gets_words_and_the_page_after_it_ids_again() {
        let both = [Message::new("a").name("of", "b")];
        let speak = |value: &Argument| format!("say {value:?}");
        let text = as_words(speak, || serde_json::to_string(&both).unwrap());
        assert_eq!(text, r#"["say a(of: b)"]"#);
        let text = as_words(speak, || {
            serde_json::to_string(&Argument::percent(0.5)).unwrap()
        });
        assert_eq!(text, r#""say 50 %""#);
        let ids = r#"[{"id":"a","args":{"of":{"name":"b"}}}]"#;
        assert_eq!(serde_json::to_string(&both).unwrap(), ids);
    }

    /// Five jobs failed with five errors, and the first stood for all.
    #[test]
    fn messages_are_the_same_only_if_their_words_are() {
        let failed = |job: &str, reason: &str, errno: u32| {
            let message = Message::new("a").name("job", job).digits("errno", errno);
            message.with("reason", Message::new("b").name("text", reason))
        };
        let first = failed("job1", "no space", 28).without_numbers();
        assert_eq!(first, failed("job2", "no space", 5).without_numbers());
        assert_ne!(first, failed("job1", "I/O error", 28).without_numbers());
        assert_ne!(
            first,
            Message::new("a").name("job", "job1").without_numbers()
        );
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
        assert_eq!(
            format!("{message:?}"),
            "finding-split(block: 64K, piece: 32.0 KiB, pieces_per_io: 2.00)"
        );
    }
}
