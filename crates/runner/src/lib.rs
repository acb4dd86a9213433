//! Order, warm-up, repetition and when to stop; drives any world; saves after every sample.
//!
//! ```text
//!        schedule (pure)             execute
//!   samples so far -> next block -> prepare, measure, save, tell the observer -> again
//! ```
//!
//! The next block is computed from the stored samples alone, so an interrupted run continues after
//! any sample.

pub mod cut;
pub mod execute;
pub mod observer;
pub mod outcome;
pub mod schedule;

mod cores;
mod draw;
mod session;

pub use cut::{Cut, Phase};
pub use execute::{RunError, Runner, Unsaved};
pub use observer::{Event, Observer, Progress as RunProgress, Quiet};
pub use outcome::Outcome;
pub use schedule::{CellEnd, CellState};
