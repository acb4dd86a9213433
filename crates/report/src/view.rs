//! How text for people is laid out: for a terminal of so many columns, or plain.
//!
//! Plain text is for screen readers and logs: sentences instead of tables, no bars, no lines drawn
//! with characters, nothing that only its place on the screen explains.

/// A terminal's width where nobody says.
pub const COLUMNS_DEFAULT: usize = 80;
/// Narrower than this nothing is laid out; such a terminal breaks lines itself.
const COLUMNS_MIN: usize = 40;
/// Longer lines of prose are hard to read, however wide the terminal.
const PROSE_COLUMNS_MAX: usize = 100;

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// For a terminal: tables and bars that fit this many columns.
    Drawn {
        /// How many characters fit a line.
        columns: usize,
    },
    /// One sentence a line, as long as it is.
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

    /// Returns how wide lines of prose are.
    pub(crate) fn prose_columns(self) -> usize {
        match self {
            Self::Drawn { columns } => columns.min(PROSE_COLUMNS_MAX),
            Self::Plain => usize::MAX,
        }
    }

    /// Returns what stands between remarks in one line.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Drawn { .. } => " · ",
            Self::Plain => ", ",
        }
    }
}
