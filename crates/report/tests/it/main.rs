//! Reports of runs for people and programs, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod answer;
mod blocks;
mod charts;
mod choice;
mod golden;
mod hard_disks;
mod host_findings;
mod lifetime;
mod many_cells;
mod over_time;
mod page;
mod power_cuts;
mod ratios;
mod repeat;
mod support;
