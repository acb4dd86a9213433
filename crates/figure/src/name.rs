//! The names of figures: what the bundle says of them, checked before anyone uses it.

use serde::{Deserialize, Serialize};

use crate::engine::printable;
use crate::error::FigureError;

/// Longest title or description that is handed on, in characters.
const TITLE_CHARACTERS_MAX: usize = 2_000;

/// Longest id, in characters.
pub(crate) const ID_CHARACTERS_MAX: usize = 100;

/// A figure that a page has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureName {
    /// What it is asked for by: ASCII letters, digits, `-` and `_`, so that it can be the name of a file.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What it shows, for those who do not see it.
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
            reason: format!("`{id}` is no id of a figure"),
        });
    }
    Ok(FigureName {
        id: name.id,
        title: printable(&name.title, TITLE_CHARACTERS_MAX),
        description: printable(&name.description, TITLE_CHARACTERS_MAX),
    })
}
