//! Derives device and host profiles from measured points, by simulation. No I/O, no clock.
//!
//! ```text
//!  points (CSV) --+--> rows on one device --> device profiles --+
//!                 |          ^ simulated in the study's stacks   |--> report: errors, assumptions
//!  study (TOML) --+--> rows on arrays -----> host profile ------+
//! ```
//!
//! Nothing is fitted by formula: we adjust a profile until the simulated cell gives the measured
//! result. A device profile comes from one device alone, and a host has three free parameters, so
//! every other number about arrays is a prediction. If the device profiles are known, as in the
//! lab, the host also comes from one device alone, and all numbers about arrays are predictions.
//!
//! A device profile holds rates, or a simulated arm and platter or dies and channels, of which a few
//! numbers are fitted (`like`).

pub mod adapter;
pub mod contradictions;
pub mod points;
pub mod points_of_run;

mod bound;
mod calibrate;
mod prepare;
pub mod report;

mod convex;
mod device;
mod host;
mod like;
mod linear;
mod processor;

mod number;
mod search;

pub use calibrate::{
    Calibration, CalibrationStep, Input, Progress, assumptions, calibrate, residuals,
};
pub use like::calibrate_like;
pub use prepare::{CalibrateError, has_array_points, measured_devices};
pub use processor::calibrate_host;
