//! Quantities and the small helpers that every crate may use: units, versions of kernels, counts of
//! latencies, text made visible, suggestions, seeds. No I/O.

pub mod histogram;
pub mod kernel;
pub mod mark;
mod quantity;
pub mod splitmix;
pub mod suggest;
pub mod visible;

pub use quantity::*;
