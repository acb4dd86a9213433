//! Where the budget of a run ends while a cell is prepared or measured.
//!
//! A sample begins only if its time fits into the budget. Writing its test files first may take
//! longer than is left, and a world that hangs ends never, so both have a last moment.

use std::fmt;
use std::time::Duration;

use stripewise_study::units::Nanos;

/// How long after the budget, or after the time of a sample that began in time, measuring may end:
/// longer than fio has for its last I/O, so that a fio that hangs is named as the cause.
pub(crate) const GRACE: Duration = Duration::from_secs(45);

/// What was under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The cell was made ready: test files were written, a stack was built.
    Preparing,
    /// A sample was taken.
    Measuring,
}

/// The sample that a budget cut short; it is lost, the others are not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The index of the cell.
    pub cell: usize,
    /// The cell in a few words.
    pub what: String,
    /// What was under way.
    pub phase: Phase,
    /// The budget.
    pub budget: Nanos,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cell, what, budget) = (self.cell + 1, &self.what, self.budget);
        match self.phase {
            Phase::Preparing => write!(
                f,
                "the budget of {budget} ended before cell {cell} ({what}) was prepared"
            ),
            Phase::Measuring => write!(
                f,
                "the budget of {budget} ended while cell {cell} ({what}) was measured, and {} s later \
                 the sample was given up",
                GRACE.as_secs()
            ),
        }
    }
}
