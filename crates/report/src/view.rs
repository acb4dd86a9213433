//! The layout of text for people: for a terminal of some width, or plain.
//!
//! Plain text is for screen readers and logs: sentences instead of tables, no bars, no lines drawn
//! with characters, and no meaning that depends on the position on the screen.

/// The width of a terminal of unknown width.
pub const COLUMNS_DEFAULT: usize = 80;
/// The narrowest layout; a narrower terminal breaks lines itself.
const COLUMNS_MIN: usize = 40;
/// Longer lines of prose are hard to read, however wide the terminal.
const PROSE_COLUMNS_MAX: usize = 100;

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// For a terminal: tables and bars that fit this many columns.
    Drawn {
        /// The number of characters per line.
        columns: usize,
    },
    /// One sentence per line, of any length.
    Plain,
}

impl View {
    /// Returns the view of a terminal of `columns` characters.
    pub fn drawn(columns: usize) -> Self {
        Self::Drawn {
            columns: columns.max(COLUMNS_MIN),
        }
    }

    /// Returns whether it is plain text.
    pub fn is_plain(self) -> bool {
        self == Self::Plain
    }

    /// Returns the width of prose lines.
    pub(crate) fn prose_columns(self) -> usize {
        match self {
            Self::Drawn { columns } => columns.min(PROSE_COLUMNS_MAX),
            Self::Plain => usize::MAX,
        }
    }

    /// Returns the separator of remarks on one line.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Drawn { .. } => " · ",
            Self::Plain => ", ",
        }
    }
}
