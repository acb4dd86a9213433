//! What a study asks about the years of its stacks: `[lifetime]`.

use serde::{Deserialize, Serialize};

use stripewise_units::Bytes;

/// The years that a study asks about, and what is stated about its devices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lifetime {
    /// The years in which data may be lost.
    pub years: u32,
    /// The bytes that the load writes to each stack in a day, on average over the years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes_per_day_bytes: Option<Bytes>,
    /// The bytes that may be written to a device in its life; `None` takes the profile's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbw_bytes: Option<Bytes>,
    /// The share of devices that fail in a year, in percent; `None` takes the profile's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub afr_percent: Option<f64>,
    /// The bits read for each sector that cannot be read; `None` takes the profile's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ure_bits: Option<u64>,
}

impl Lifetime {
    /// The years, if the study names none.
    pub const YEARS_DEFAULT: u32 = 5;

    /// Returns the keys whose ratings the study states instead of a profile.
    pub fn stated(&self) -> Vec<&'static str> {
        let keys = [
            self.tbw_bytes.map(|_| "tbw_bytes"),
            self.afr_percent.map(|_| "afr_percent"),
            self.ure_bits.map(|_| "ure_bits"),
        ];
        keys.into_iter().flatten().collect()
    }
}
