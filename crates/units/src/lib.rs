//! Quantities and the small helpers that every crate may use: units, versions of kernels, counts of
//! latencies, text made visible, suggestions, seeds, causes of errors, values as fio writes them. No I/O.

pub mod causes;
pub mod fio;
pub mod histogram;
pub mod kernel;
pub mod mark;
mod quantity;
pub mod splitmix;
pub mod suggest;
pub mod visible;

pub use quantity::*;
