//! The basis of a profile's numbers.

use serde::{Deserialize, Serialize};
use stripewise_message::Message;

/// The basis of a profile's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Measurements of the device or host itself, from which `stripewise calibrate` made the
    /// profile.
    Measured,
    /// A product's data sheet, and published measurements of it.
    DataSheet,
    /// The orders of magnitude of a kind of disk or host, if nothing else is known.
    Class,
}

impl Basis {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Basis::Measured => "measured",
            Basis::DataSheet => "data_sheet",
            Basis::Class => "class",
        }
    }

    /// Returns the basis in words.
    pub fn message(self) -> Message {
        Message::new(format!("profile-basis-{}", self.key()))
    }
}
