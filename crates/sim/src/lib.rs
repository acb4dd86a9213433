//! The model world: a study's stacks simulated in virtual time.
//!
//! A [`question::Question`] goes in and an answer comes out, with the same bits on every machine. The layers from top
//! to bottom are `workload`, the engine's volume and [`mod@array`] layers, its plug and member
//! queues, and [`device`]; `host` models the CPU and the uplink. `stripewise-profiles` describes
//! devices, hosts and kernels. This crate reads no clock and touches no file.

mod adapter;
pub mod array;
mod breakdown;
mod class;
pub mod device;
mod durability;
pub mod engine;
mod events;
mod filesystem;
mod flush_queue;
pub mod generate;
mod host;
pub mod io;
pub mod memory;
mod narrow;
mod own_rate;
mod points;
pub mod question;
pub mod race;
pub mod random;
pub mod rate_bounds;
mod record;
mod slab;
mod steady;
mod strata;
mod timeline;
pub mod uncertainty;
pub mod units;
mod workload;
pub mod world;
