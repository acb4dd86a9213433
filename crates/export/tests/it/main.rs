//! Files for other programs, written and read back through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod answers;
mod columns;
mod golden;
mod limits;
mod power_cuts;
mod rewritten;
mod round_trip;
mod strict_openmetrics;
mod support;
