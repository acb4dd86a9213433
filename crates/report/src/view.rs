//! The layout of text for people: for a terminal of some width, or plain.
//!
//! Plain text is for screen readers and logs: sentences instead of tables, no bars, no lines drawn
//! with characters, and no meaning that depends on the position on the screen.

use stripewise_catalogue::{Argument, Language, Message, Words};

/// The width of a terminal of unknown width.
pub const COLUMNS_DEFAULT: usize = 80;
/// The narrowest layout; a narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 40;
/// Longer lines of prose are hard to read, however wide the terminal.
const PROSE_COLUMNS_MAX: usize = 100;

/// How text is laid out, and in which language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// How many characters fit a line; `None` is plain text: one sentence a line, as long as it is.
    columns: Option<usize>,
    language: Language,
}

impl View {
    /// Plain text in English.
    pub const PLAIN: View = View {
        columns: None,
        language: Language::English,
    };

    /// Returns the view of a terminal of `columns` characters, in English.
    pub fn drawn(columns: usize) -> Self {
        Self {
            columns: Some(columns.max(COLUMNS_MIN)),
            ..Self::PLAIN
        }
    }

    /// Returns the same view in another language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// Returns its language.
    pub fn language(self) -> Language {
        self.language
    }

    /// Returns a sentence in the language of the view.
    pub fn say(self, message: &Message) -> String {
        message.in_language(self.language)
    }

    /// Returns the value of a variable in the language of the view.
    pub fn show(self, argument: &Argument) -> String {
        argument.in_language(self.language)
    }

    /// Returns whether it is plain text.
    pub fn is_plain(self) -> bool {
        self.columns.is_none()
    }

    /// Returns how many characters fit a line; `None` for plain text.
    pub fn columns(self) -> Option<usize> {
        self.columns
    }

    /// Returns how wide lines of prose are.
    pub(crate) fn prose_columns(self) -> usize {
        self.columns
            .map_or(usize::MAX, |columns| columns.min(PROSE_COLUMNS_MAX))
    }

    /// Returns the same view with room for an indent of so many characters; plain text has none.
    pub(crate) fn indented(self, by: usize) -> Self {
        let columns = self
            .columns
            .map(|columns| columns.saturating_sub(by).max(COLUMNS_MIN / 2));
        Self { columns, ..self }
    }

    /// Returns the separator between remarks in one line.
    pub(crate) fn separator(self) -> &'static str {
        match self.is_plain() {
            false => " · ",
            true => ", ",
        }
    }
}
