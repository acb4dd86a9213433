//! What the simulation, the lab and calibration know of hardware and kernels, as data: device and host profiles, their
//! files and the bounds of their numbers, the profiles that come with the program, and the rules of every kernel.
//!
//! Nothing here simulates, and nothing reads a file or a clock: texts come in, checked values go out.

mod basis;
pub mod device;
pub mod host;
pub mod kernel;
pub mod lookup;
pub mod profile_file;
mod profiles;
pub mod shipped;

pub use basis::Basis;
pub use profiles::{HOST_DEFAULT, NoSuchProfile, Profiles};
