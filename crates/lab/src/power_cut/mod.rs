//! The lab world of power cuts: each sample records a load on disks that the host holds, cuts the
//! power, and lets a fresh guest look at the disks.

mod plan;
mod program_files;
mod recording;
mod running;
mod world;

pub use plan::{DISK_BYTES_DEFAULT, PlanError, shapes, work_of};
pub use program_files::{ProgramFileError, examine};
pub use running::AGENT;
pub use world::{CutLab, CutLabInputs};

pub use crate::held_disks::HeldShape;
