//! What a calibration says about itself: how well the profiles repeat what was measured, and what
//! they rest on.

use serde::Serialize;

/// What a row was used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedFor {
    /// A device profile was made from it.
    Device,
    /// The host profile was made from it.
    Host,
    /// Nothing: its error is that of a prediction.
    Check,
}

impl UsedFor {
    /// Returns the word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            UsedFor::Device => "device",
            UsedFor::Host => "host",
            UsedFor::Check => "check",
        }
    }
}

/// A row, and what the profiles make of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Residual {
    /// The line of the row in its file.
    pub line: u64,
    /// The stack.
    pub stack: String,
    /// The pattern in fio's words.
    pub pattern: &'static str,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// How many jobs.
    pub jobs: u32,
    /// The depth of each.
    pub depth: u32,
    /// What was measured.
    pub measured_bytes_per_s: f64,
    /// What the model gives.
    pub simulated_bytes_per_s: f64,
    /// Simulated over measured, less 1.
    pub error: f64,
    /// What the row was used for.
    pub used_for: UsedFor,
}

/// The mean error of some rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupError {
    /// What they were used for.
    pub used_for: UsedFor,
    /// Their pattern in fio's words.
    pub pattern: &'static str,
    /// How many they are.
    pub points: usize,
    /// The mean of the absolute errors.
    pub mean_absolute_error: f64,
}

/// A write time that the convex curve moved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedPoint {
    /// The device profile.
    pub profile: String,
    /// The pattern in fio's words.
    pub pattern: &'static str,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// What was measured, as time per I/O.
    pub measured_ns: f64,
    /// What the profile is made to give.
    pub used_ns: f64,
}

/// A curve point left out and predicted from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutOfCurve {
    /// The device profile.
    pub profile: String,
    /// The pattern in fio's words.
    pub pattern: &'static str,
    /// The size of the point.
    pub size_bytes: u64,
    /// The time of the others' curve over that of the point, less 1.
    pub error: f64,
    /// Whether the point lies outside of the others.
    pub is_extrapolated: bool,
}

/// A row left out of the host's fit and predicted by what the others give.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutOfHost {
    /// The line of the row in its file.
    pub line: u64,
    /// The prediction over the measurement, less 1.
    pub error: f64,
}

/// What the points say about a free number of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostParameter {
    /// Its key in the host profile.
    pub key: &'static str,
    /// Its value; nothing where no limit is seen.
    pub value: Option<u64>,
    /// Whether the points say anything about it.
    pub is_identified: bool,
    /// By how much the mean error grows, over itself, with half of the value, and with twice.
    pub growth: [f64; 2],
}

/// What a calibration says about itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The device profiles that were made, by name.
    pub devices: Vec<String>,
    /// The host profile that was made.
    pub host: String,
    /// Every row, in the order of the file.
    pub residuals: Vec<Residual>,
    /// Mean errors.
    pub groups: Vec<GroupError>,
    /// Write times that were moved.
    pub moved: Vec<MovedPoint>,
    /// How well each curve point follows from the others.
    pub left_out_of_curves: Vec<LeftOutOfCurve>,
    /// How well each host row follows from the others.
    pub left_out_of_host: Vec<LeftOutOfHost>,
    /// What was found about the host's free numbers; empty without array rows.
    pub host_parameters: Vec<HostParameter>,
    /// What was assumed, in sentences.
    pub assumptions: Vec<String>,
    /// What the points do not identify, in sentences.
    pub not_identified: Vec<String>,
}

/// Returns the mean errors of `residuals` by use and pattern.
pub fn groups(residuals: &[Residual]) -> Vec<GroupError> {
    let mut keys: Vec<(UsedFor, &'static str)> = residuals
        .iter()
        .map(|residual| (residual.used_for, residual.pattern))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let group = |(used_for, pattern)| {
        let errors: Vec<f64> = residuals
            .iter()
            .filter(|row| row.used_for == used_for && row.pattern == pattern)
            .map(|row| row.error.abs())
            .collect();
        GroupError {
            used_for,
            pattern,
            points: errors.len(),
            mean_absolute_error: crate::number::mean(errors).unwrap_or_default(),
        }
    };
    keys.into_iter().map(group).collect()
}
