//! The outcome of a run.

use crate::cut::Cut;
use crate::schedule::CellEnd;

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every cell is done, or the budget is used up.
    Done {
        /// Why each cell ended; `None` for those that the budget cut short.
        cells: Vec<Option<CellEnd>>,
    },
    /// The budget ended while a cell was prepared, or long before its sample ended.
    CutShort(Cut),
    /// A signal or the caller stopped it; it can be resumed.
    Interrupted,
}
