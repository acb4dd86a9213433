//! The model world: a study's stacks simulated in virtual time.

pub mod array;
pub mod device;
pub mod io;
pub mod units;
