//! Messages in documents: as ids and values for the page, as words for programs.
//!
//! A document of a command has sentences as English text, and the same struct inside of a page has
//! them as messages, which the reader's language fills. So that no struct has both, the one who
//! writes the document says which it shall be: [`as_words`]. The words are in a crate above, which
//! hands over how to speak.

use std::cell::Cell;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::message::{Argument, Message};

/// Returns a value in words.
pub type Speak = fn(&Argument) -> String;

thread_local! {
    /// How this thread writes messages into documents at the moment; `None` is ids and values.
    static SPEAK: Cell<Option<Speak>> = const { Cell::new(None) };
}

/// Restores how messages were written before, also if the serializer panics.
struct Restored(Option<Speak>);

impl Drop for Restored {
    fn drop(&mut self) {
        SPEAK.set(self.0);
    }
}

/// Calls `write`, in which messages and arguments serialise as text.
pub fn as_words<T>(speak: Speak, write: impl FnOnce() -> T) -> T {
    let _restored = Restored(SPEAK.replace(Some(speak)));
    write()
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(speak) = SPEAK.get() {
            return serializer.serialize_str(&speak(&self.clone().into()));
        }
        let has = [!self.arguments.is_empty(), self.is_sentence];
        let fields = 1 + has.into_iter().filter(|has| *has).count();
        let mut object = serializer.serialize_struct("Message", fields)?;
        object.serialize_field("id", &self.id)?;
        if has[0] {
            object.serialize_field("args", &self.arguments)?;
        }
        if has[1] {
            object.serialize_field("is_sentence", &true)?;
        }
        object.end()
    }
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(speak) = SPEAK.get() {
            return serializer.serialize_str(&speak(self));
        }
        #[derive(serde::Serialize)]
        struct Quantity<'a> {
            digits: &'a str,
            unit: &'a str,
        }
        #[derive(serde::Serialize)]
        struct List<'a> {
            items: &'a [Argument],
            and: bool,
        }
        let (number, kind) = match self {
            Argument::Name(_) => (0, "name"),
            Argument::Digits(_) => (1, "digits"),
            Argument::Quantity { .. } => (2, "quantity"),
            Argument::Count(_) => (3, "count"),
            Argument::Message(_) => (4, "message"),
            Argument::Words(_) => (5, "words"),
            Argument::List { .. } => (6, "list"),
        };
        macro_rules! kind {
            ($value:expr) => {
                serializer.serialize_newtype_variant("Argument", number, kind, $value)
            };
        }
        match self {
            Argument::Name(text) | Argument::Digits(text) => kind!(text),
            Argument::Quantity { digits, unit } => kind!(&Quantity { digits, unit }),
            Argument::Count(count) => kind!(count),
            Argument::Message(message) => kind!(message),
            Argument::Words(items) => kind!(items),
            Argument::List { items, and } => kind!(&List { items, and: *and }),
        }
    }
}
