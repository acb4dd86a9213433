//! The check of the model against a driver, through the crate's public interface.
#![cfg(test)] // Tells clippy that helper functions may unwrap and print, as tests may.

mod causes;
mod cells;
mod decisions;
mod driver;
mod fitted_hosts;
mod golden;
mod members;
mod model_page;
mod planted;
mod published;
mod questions;
mod regret;
mod watch;
