//! The rules against trees, real hosts and hostile input: one module per subject.
#![cfg(test)] // Tells clippy that helper functions may unwrap, as tests may.

mod cases;
mod docs;
mod english;
mod hostile;
mod redaction;
mod round_trip;
mod rule_limits;
mod trees;
mod variants;
