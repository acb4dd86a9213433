//! Tests of the crate through its public interface, one module per subject.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

#[path = "../support/mod.rs"]
mod support;

mod fleets;
mod trends;
