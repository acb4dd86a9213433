//! Knowledge of hardware and kernels for the simulation, the lab and calibration, as data: device
//! and host profiles, their files and the limits of their numbers, the shipped profiles, and the
//! rules of every kernel.
//!
//! Nothing here simulates, or reads a file or a clock: the input is text, the output checked
//! values.

mod basis;
pub mod device;
pub mod drive;
pub mod host;
pub mod kernel;
pub mod lookup;
pub mod profile_file;
mod profiles;
pub mod shipped;

pub use basis::Basis;
pub use profiles::{DifferentHosts, HOST_DEFAULT, NoSuchProfile, Profiles, device_with_host};
