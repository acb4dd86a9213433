//! The model world: a study's stacks simulated in virtual time.

pub mod array;
pub mod device;
pub mod io;
pub mod units;
mod breakdown;
pub mod engine;
pub mod events;
pub mod host;
pub mod random;
mod record;
mod slab;
mod steady;
pub mod workload;
pub mod kernel;
