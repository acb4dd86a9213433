//! From measured points to device and host profiles, by simulation. No I/O, no clock.
//!
//! ```text
//!  points (CSV) --+--> rows on one device --> device profiles --+
//!                 |          ^ simulated in the study's stacks   |--> report: errors, assumptions
//!  study (TOML) --+--> rows on arrays -----> host profile ------+
//! ```
//!
//! Nothing is fitted by formula: a profile is adjusted until the simulated cell gives what was
//! measured. A device comes from one device alone, a host has three free numbers, and so every
//! other number about arrays is a prediction. Where the devices are known, as in the lab, the host
//! comes from one device alone as well, and every number about arrays is one.

pub mod points;
pub mod points_of_run;

mod calibrate;
mod prepare;
pub mod report;

mod convex;
mod device;
mod host;
mod processor;

mod number;
mod search;

pub use calibrate::{Calibration, Input, Progress, Step, calibrate, residuals};
pub use prepare::{CalibrateError, has_array_points, measured_devices};
pub use processor::calibrate_host;
