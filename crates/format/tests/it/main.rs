//! The study format and the words for cells, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod difference;
mod failure;
mod format;
mod keys;
mod misfits;
mod natural_order;
mod pool;
mod traces;
