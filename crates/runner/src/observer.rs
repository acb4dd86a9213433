//! Events during a run: for progress bars, logs and tests.

use std::time::Duration;

use stripewise_study::hosts::HostProgress;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;

use crate::schedule::CellState;

/// An event in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A warning before the first sample.
    Noticed {
        /// The warning.
        warning: &'a Warning,
    },
    /// A cell is being prepared, which may take long: files are written.
    Preparing {
        /// The index of the cell.
        cell: usize,
    },
    /// A sample begins.
    Began {
        /// The index of the cell.
        cell: usize,
        /// Why the sample is taken.
        role: Role,
        /// The block it belongs to.
        block: u32,
    },
    /// A sample or a preparation continues.
    Progressing {
        /// The time since it started.
        elapsed: Duration,
    },
    /// What each of several hosts does, a few times a second.
    Hosts {
        /// The hosts, in the order of the run.
        hosts: &'a [HostProgress],
    },
    /// A sample has been taken. It is in the store, unless it can be reproduced at no cost.
    Saved {
        /// The sample.
        record: &'a SampleRecord,
        /// The new state of its cell.
        state: &'a CellState,
        /// The progress of the run, and the estimated remaining time.
        progress: Progress,
    },
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Samples taken.
    pub taken: usize,
    /// Samples probably still to take.
    pub missing: usize,
    /// The estimated remaining time, at most the budget.
    pub time_left: Duration,
}

/// Receives the events of a run. Must return quickly: the run waits.
pub trait Observer {
    /// Handles `event`.
    fn event(&mut self, event: Event<'_>);
}

/// An observer that ignores all events.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn event(&mut self, _: Event<'_>) {}
}
