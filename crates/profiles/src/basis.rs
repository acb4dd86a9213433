//! What the numbers of a profile rest on.

use serde::{Deserialize, Serialize};

/// What a profile's numbers rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Measurements of the thing itself, from which `stripewise calibrate` made the profile.
    Measured,
    /// A product's data sheet, and what others published of it.
    DataSheet,
    /// The orders of magnitude of a kind of disk or host, where nothing else is known.
    Class,
}

impl Basis {
    /// Returns the basis in words.
    pub const fn words(self) -> &'static str {
        match self {
            Basis::Measured => "measured",
            Basis::DataSheet => "data sheet",
            Basis::Class => "class",
        }
    }
}
