//! Job files, runs and reports through the crate's public interface: what real fios wrote, what the
//! installed one does, and what a broken one could.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod fake_fio;
mod fixtures;
mod imports;
mod properties;
mod real_fio;
