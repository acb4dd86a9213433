//! The model world: a study's stacks simulated in virtual time.
//!
//! A cell goes in, a sample comes out, the same bits on every machine. The layers from top to
//! bottom are `workload`, the engine's volume and [`mod@array`] layers, its plug and member queues,
//! and [`device`]; `host` says what the CPU and the uplink cost. What devices, hosts and kernels are
//! like is data of `stripewise-profiles`. No clock is read and no file is touched.

pub mod array;
mod breakdown;
pub mod device;
pub mod engine;
mod events;
mod host;
pub mod io;
mod narrow;
pub mod random;
mod record;
mod slab;
mod steady;
mod timeline;
pub mod units;
mod workload;
pub mod world;
