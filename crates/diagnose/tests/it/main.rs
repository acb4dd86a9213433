//! Predictions and findings, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod advise;
mod answers;
mod own_rate;
mod rules;
