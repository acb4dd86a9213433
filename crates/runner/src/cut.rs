//! Ends a run whose budget is over while a cell is prepared or measured.
//!
//! A sample starts only if its time fits into the budget. Writing its test files may take longer
//! than is left, and a world may hang, so both phases have a deadline.

use std::fmt;
use std::time::Duration;

use stripewise_units::Nanos;

/// How long a measurement may exceed the budget, or the time of a sample that started in time:
/// longer than fio has for its last I/O, so that a hanging fio is reported as the cause.
pub(crate) const GRACE: Duration = Duration::from_secs(45);

/// The phase that was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The cell was being prepared: test files were written, a stack was built.
    Preparing,
    /// A sample was being taken.
    Measuring,
}

/// The sample that the budget cut short; only this one is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The index of the cell.
    pub cell: usize,
    /// A short description of the cell.
    pub what: String,
    /// The phase that was cut short.
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
                 the sample was cancelled",
                GRACE.as_secs()
            ),
        }
    }
}
