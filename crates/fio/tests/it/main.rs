//! Job files, runs and reports through the crate's public interface: with output of real fio
//! versions, with the installed fio, and with broken ones.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod fake_fio;
mod fixtures;
mod imports;
mod job_study;
mod one_run;
mod properties;
mod real_fio;
mod unlike;
