//! The cells of runs that are less precise than their studies require, and why.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_analysis::simulations::enough;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Repeat;
use stripewise_study::sample::Role;

use crate::change;
use crate::document::{CellPart, Document};

/// Why a cell is less precise than its study requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum OpenReason {
    /// None of its samples counts.
    NoSample,
    /// It has as many samples as the study allows.
    AtMost,
    /// More samples would narrow its interval.
    Wide,
}

impl OpenReason {
    /// Returns the reason of a cell; `None` if it is precise, and for imports, power cuts and recordings, which
    /// more time does not narrow.
    fn of(document: &Document, cell: &CellPart) -> Option<Self> {
        let run = &document.run;
        let is_replayed = run.model.is_some() && cell.workload.trace.is_some();
        if run.origin.is_imported() || cell.cuts.is_some() {
            return None;
        }
        let half = cell
            .estimate(run.compare.metric)
            .or_else(|| cell.estimate(Metric::Bandwidth))
            .and_then(|estimate| estimate.relative_half_width());
        if half.is_some_and(|half| half <= run.repeat.interval_percent.as_fraction()) {
            return None;
        }
        let mut samples = cell.samples.iter();
        let is_tried = samples.any(|sample| sample.role == Role::Counted);
        match u32::try_from(cell.counted()).unwrap_or(u32::MAX) {
            0 if is_tried => Some(Self::NoSample),
            // What is left is what the profiles may be off by, or the effort of a simulation.
            _ if is_replayed || (run.model.is_some() && has_enough_simulations(cell)) => None,
            counted if counted >= run.repeat.at_most => Some(Self::AtMost),
            _ => Some(Self::Wide),
        }
    }

    /// Returns how many of some cells are open for this reason, and the remedy.
    pub(crate) fn message(self, open: usize, cells: usize, repeat: &Repeat) -> Message {
        let width = change::margin_percent(repeat.interval_percent.as_fraction());
        let within = |id: &'static str| {
            let width = Argument::quantity(width.clone(), "%");
            Message::new(id).with("width", width)
        };
        let message = match self {
            Self::NoSample => Message::new("claim-open-empty"),
            Self::AtMost => within("claim-open-full").digits("most", repeat.at_most),
            Self::Wide => within("claim-open-wide"),
        };
        message.count("count", open).digits("cells", cells)
    }
}

/// Returns whether a cell has as many simulations as its estimate uses.
fn has_enough_simulations(cell: &CellPart) -> bool {
    let counted = cell.samples.iter().filter(|sample| sample.counted);
    enough(counted.map(|sample| &sample.sample)).is_some()
}

/// Returns the number of open cells of runs by their reasons.
pub(crate) fn open_cells<'a>(
    documents: impl IntoIterator<Item = &'a Document>,
) -> BTreeMap<OpenReason, usize> {
    let mut open = BTreeMap::new();
    for document in documents {
        let cells = document.cells.iter();
        for reason in cells.filter_map(|cell| OpenReason::of(document, cell)) {
            *open.entry(reason).or_default() += 1;
        }
    }
    open
}
