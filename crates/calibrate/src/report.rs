//! The report of a calibration: the errors of the profiles and their assumptions.

use crate::adapter::FoundAdapter;
use crate::points::Side;
use serde::Serialize;
use stripewise_message::Message;

/// The use of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedFor {
    /// To fit a device profile.
    Device,
    /// To fit the host profile.
    Host,
    /// Not fitted: its error is that of a prediction.
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

/// A row with its measured and simulated results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Residual {
    /// The line of the row in its file.
    pub line: u64,
    /// The stack.
    pub stack: String,
    /// The pattern in fio's words.
    pub pattern: &'static str,
    /// The side of a mixed load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The size of each I/O.
    pub block_size_bytes: u64,
    /// The number of jobs.
    pub jobs: u32,
    /// The depth of each.
    pub depth: u32,
    /// The measured bandwidth.
    pub measured_bytes_per_s: f64,
    /// The simulated bandwidth.
    pub simulated_bytes_per_s: f64,
    /// Simulated over measured, minus 1.
    pub error: f64,
    /// The same of the median latency and of its 99th percentile, where they were measured.
    pub latency_errors: [Option<f64>; 2],
    /// The use of the row.
    pub used_for: UsedFor,
}

/// The mean error of some rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupError {
    /// Their use.
    pub used_for: UsedFor,
    /// Their pattern in fio's words.
    pub pattern: &'static str,
    /// Their number.
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
    /// The measured time per I/O.
    pub measured_ns: f64,
    /// The time used for the fit.
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
    /// The time from the others' curve over that of the point, minus 1.
    pub error: f64,
    /// Whether the point lies outside the range of the others.
    pub is_extrapolated: bool,
}

/// A point of the rate over the requests in flight, left out and predicted from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutOfLoad {
    /// The device profile.
    pub profile: String,
    /// The direction.
    pub side: Side,
    /// Whether it is a point of a mix of both directions.
    pub in_mix: bool,
    /// The requests in flight.
    pub in_flight: u32,
    /// The rate from the others over that of the point, minus 1.
    pub error: f64,
    /// Whether the point lies beyond the others.
    pub is_extrapolated: bool,
}

/// A row left out of the host's fit and predicted from the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOutOfHost {
    /// The line of the row in its file.
    pub line: u64,
    /// The prediction over the measurement, minus 1.
    pub error: f64,
}

/// A fitted parameter of the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostParameter {
    /// Its key in the host profile.
    pub key: &'static str,
    /// Its value; `None` for an uplink without visible limit.
    pub value: Option<u64>,
    /// Whether the points identify it.
    pub is_identified: bool,
    /// The relative growth of the mean error with half of the value, and with twice.
    pub growth: [f64; 2],
}

/// A number of a simulated device that was fitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedParameter {
    /// Its key in the device profile.
    pub key: &'static str,
    /// Its value in the profile that the fit started from.
    pub before: f64,
    /// Its value now.
    pub after: f64,
    /// The 95 % interval of its value; `None` if the points do not identify it.
    pub interval: Option<[f64; 2]>,
}

/// A row that a simulated device was fitted to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedRow {
    /// The line of the row in its file.
    pub line: u64,
    /// The error of its rate with the profile that the fit started from.
    pub before: f64,
    /// The error if the row is predicted from the others; `None` if there are none.
    pub left_out: Option<f64>,
}

/// A simulated device fitted to rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FittedDevice {
    /// The device profile.
    pub device: String,
    /// The profile that the fit started from.
    pub like: String,
    /// Its numbers.
    pub parameters: Vec<FittedParameter>,
    /// Its rows, in the order of the file.
    pub rows: Vec<FittedRow>,
}

/// The report of a calibration; `A` is an assumption.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationReport {
    /// The names of the new device profiles.
    pub devices: Vec<String>,
    /// The name of the host profile.
    pub host: String,
    /// Every row, in the order of the file.
    pub residuals: Vec<Residual>,
    /// Mean errors.
    pub groups: Vec<GroupError>,
    /// The moved write times.
    pub moved: Vec<MovedPoint>,
    /// The leave-one-out errors of the curve points.
    pub left_out_of_curves: Vec<LeftOutOfCurve>,
    /// The leave-one-out errors of the points over the requests in flight.
    pub left_out_of_loads: Vec<LeftOutOfLoad>,
    /// The leave-one-out errors of the host's rows.
    pub left_out_of_host: Vec<LeftOutOfHost>,
    /// The host's fitted parameters; empty without array rows.
    pub host_parameters: Vec<HostParameter>,
    /// The assumptions; those of a profile in the words of its file.
    pub assumptions: Vec<Message>,
    /// The parameters that the points do not identify, in sentences.
    pub not_identified: Vec<String>,
    /// The adapters that hold completions back, or may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<FoundAdapter>,
    /// The fits of simulated devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<FittedDevice>,
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
