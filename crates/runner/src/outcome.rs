//! How a run came to its end.

use crate::cut::Cut;
use crate::schedule::CellEnd;

/// How a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every cell is done, or the budget is.
    Done {
        /// Why each cell ended; nothing for those that the budget cut short.
        cells: Vec<Option<CellEnd>>,
    },
    /// The budget ended while a cell was prepared, or long before it was measured.
    CutShort(Cut),
    /// A signal or the caller stopped it; it can be resumed.
    Interrupted,
}
