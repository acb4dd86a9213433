//! Who is told what happens, while it happens: progress bars, logs, tests.

use std::time::Duration;

use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;

use crate::schedule::CellState;

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something was noticed before the first sample.
    Noticed {
        /// What was noticed.
        warning: &'a Warning,
    },
    /// A cell is being made ready, which may take long: files are written.
    Preparing {
        /// The index of the cell.
        cell: usize,
    },
    /// A sample begins.
    Began {
        /// The index of the cell.
        cell: usize,
        /// Why it is taken.
        role: Role,
        /// The block it belongs to.
        block: u32,
    },
    /// A sample or a preparation goes on.
    Goes {
        /// For how long.
        elapsed: Duration,
    },
    /// A sample is taken, and safe in the store unless it can be taken again at no cost.
    Saved {
        /// The sample.
        record: &'a SampleRecord,
        /// How its cell stands now.
        state: &'a CellState,
        /// How far the run is, and how long it will probably take.
        progress: Progress,
    },
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many samples are taken.
    pub taken: usize,
    /// How many more there will probably be.
    pub missing: usize,
    /// How long that will probably take, and never longer than the budget.
    pub time_left: Duration,
}

/// Is told what happens. Must be quick: the run waits.
pub trait Observer {
    /// Takes note of `event`.
    fn event(&mut self, event: Event<'_>);
}

/// An observer that takes no note.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Observer for Quiet {
    fn event(&mut self, _: Event<'_>) {}
}
