//! Traces and their descriptions, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod common;
mod formats;
mod kept;
mod known;
mod loads;
mod pairing;
mod published;
mod relations;
mod samples;
