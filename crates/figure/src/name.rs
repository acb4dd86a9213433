//! The names of figures, as the bundle lists them, checked before use.

use serde::{Deserialize, Serialize};

use crate::engine::printable;
use crate::error::FigureError;

/// The longest title or description, in characters.
const TITLE_CHARACTERS_MAX: usize = 2_000;

/// Longest id, in characters.
pub(crate) const ID_CHARACTERS_MAX: usize = 100;

/// A figure that a page has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureName {
    /// Its identifier: ASCII letters, digits, `-` and `_`, so that it can be the name of a file.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// Its content, for readers who cannot see it.
    #[serde(default)]
    pub description: String,
}

/// Returns the name as it may be printed, or an error if its id could not be the name of a file.
pub(crate) fn checked(name: FigureName) -> Result<FigureName, FigureError> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let length = name.id.len();
    if length == 0 || length > ID_CHARACTERS_MAX || !name.id.chars().all(is_plain) {
        let id = printable(&name.id, ID_CHARACTERS_MAX);
        return Err(FigureError::Bundle {
            reason: format!("`{id}` is not a valid id of a figure"),
        });
    }
    Ok(FigureName {
        id: name.id,
        title: printable(&name.title, TITLE_CHARACTERS_MAX),
        description: printable(&name.description, TITLE_CHARACTERS_MAX),
    })
}
