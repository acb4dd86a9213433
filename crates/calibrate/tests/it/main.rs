//! Calibration from points to profiles, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod depth_curves;
mod hard_disks;
mod known_truth;
mod mixed_load;
mod published_study;
