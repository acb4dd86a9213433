//! Settings side by side: what power cuts destroyed, what the model predicts, and how fast they are.
//!
//! Cuts come from a run in the lab, predictions and throughput from a run of the model. The same
//! setting is the same cell in both runs. No number is without the mark of its origin.

mod table;
mod words;

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_analysis::advice::{Advice, Setting, advise};
use stripewise_analysis::cuts::{CutPrediction, CutSummary};
use stripewise_catalogue::{Argument, Message};
use stripewise_results::RunId;
use stripewise_stats::Estimate;
use stripewise_study::cell::{Axis, Cell};
use stripewise_study::metric::{Metric, MetricKey};

pub(crate) use table::table;
pub use table::{power_cuts, verdicts};

use crate::document::{CellPart, Document, SCHEMA};
use crate::matching::matching_cells;
use crate::names::Names;

/// Settings with their power cuts.
#[derive(Debug, Serialize)]
pub struct PowerCuts {
    /// The version of this document's format.
    pub schema: u32,
    /// The run whose samples are power cuts; `None` if no power was cut.
    pub measured_run: Option<RunId>,
    /// The simulated run; `None` if there is none.
    pub simulated_run: Option<RunId>,
    /// The metric of the throughput: `bandwidth_bytes_per_s` or `iops`.
    pub throughput_metric: MetricKey,
    /// The keys by which settings are named.
    pub axes: Vec<Axis>,
    /// The settings, in natural order.
    pub settings: Vec<CutSetting>,
    /// The advice, the most important first; its settings are indices.
    pub advice: Vec<AdvicePart>,
}

/// A setting: a cell of either run or of both.
#[derive(Debug, Serialize)]
pub struct CutSetting {
    /// Its name, by the keys in which settings differ.
    pub name: Argument,
    /// Its values along `axes`, by their keys.
    pub values: BTreeMap<Axis, String>,
    /// The index of its cell in the run with power cuts.
    pub measured_cell: Option<usize>,
    /// The index of its cell in the simulated run.
    pub simulated_cell: Option<usize>,
    /// Its throughput: simulated.
    pub simulated_throughput: Option<Estimate>,
    /// Its power cuts: measured.
    pub measured: Option<CutSummary>,
    /// The prediction: simulated.
    pub predicted: Option<CutPrediction>,
    #[serde(skip)]
    stack: String,
}

/// A part of the advice with its words.
#[derive(Debug, Serialize)]
pub struct AdvicePart {
    /// The advice as data.
    #[serde(flatten)]
    pub advice: Advice,
    /// The advice in words.
    pub words: Message,
}

impl PowerCuts {
    /// Puts a run with power cuts and one of the model side by side, in any order. Either may be
    /// missing; `None` if no document has power cuts or predictions of them.
    pub fn of(documents: &[&Document]) -> Option<Self> {
        let measured = find(documents, |cell| cell.cuts.is_some());
        let has_cuts = |document: &Document| document.cells.iter().any(|cell| cell.cuts.is_some());
        let others = documents.iter().copied();
        let others: Vec<&Document> = others.filter(|document| !has_cuts(document)).collect();
        // A run of the model without data at risk still has the throughput.
        let simulated = find(&others, |cell| cell.predicted_cuts.is_some()).or_else(|| {
            let mut models = others.iter().copied();
            models.find(|document| measured.is_some() && document.run.model.is_some())
        });
        let metric = simulated.map_or(Metric::Iops, throughput_metric);
        let pairs = pairs(measured, simulated);
        let cells: Vec<Cell> = pairs.iter().filter_map(|pair| pair.cell()).collect();
        let cells: Vec<&Cell> = cells.iter().collect();
        let origin = &measured.or(simulated)?.run.origin;
        let names = Names::of(&cells, origin);
        let setting = |index: &usize| pairs[*index].setting(cells[*index], &names, metric);
        let settings: Vec<CutSetting> = names.order.iter().map(setting).collect();
        let judged: Vec<Setting> = settings.iter().map(CutSetting::judged).collect();
        let advice = advise(&judged).into_iter().map(|advice| AdvicePart {
            words: words::message(&advice, &settings, metric),
            advice,
        });
        Some(Self {
            schema: SCHEMA,
            measured_run: measured.map(|document| document.run.id),
            simulated_run: simulated.map(|document| document.run.id),
            throughput_metric: MetricKey(metric),
            axes: names.axes.clone(),
            advice: advice.collect(),
            settings,
        })
    }

    /// Returns whether a cut lost acknowledged data, or the stack did not come back.
    pub fn has_loss(&self) -> bool {
        let mut measured = self.settings.iter().filter_map(|one| one.measured.as_ref());
        measured.any(|cuts| cuts.lost.count > 0)
    }

    /// Returns whether any power was cut.
    pub fn has_cuts(&self) -> bool {
        self.measured_run.is_some()
    }
}

impl CutSetting {
    fn judged(&self) -> Setting {
        Setting {
            stack: self.stack.clone(),
            throughput: self.simulated_throughput,
            measured: self.measured.clone(),
            predicted: self.predicted,
        }
    }
}

/// A setting's cells in either run.
struct Pair<'a> {
    measured: Option<&'a CellPart>,
    simulated: Option<&'a CellPart>,
}

impl Pair<'_> {
    fn cell(&self) -> Option<Cell> {
        Some(comparable(self.measured.or(self.simulated)?))
    }

    fn setting(&self, cell: &Cell, names: &Names, metric: Metric) -> CutSetting {
        let simulated = self.simulated;
        let estimate = simulated.and_then(|part| part.estimate(metric));
        CutSetting {
            name: names.argument(cell),
            values: names
                .axes
                .iter()
                .map(|axis| (*axis, cell.value(*axis)))
                .collect(),
            measured_cell: self.measured.map(|part| part.index),
            simulated_cell: simulated.map(|part| part.index),
            simulated_throughput: estimate.copied(),
            measured: self.measured.and_then(|part| part.cuts.clone()),
            predicted: simulated.and_then(|part| part.predicted_cuts),
            stack: cell.stack.name.clone(),
        }
    }
}

fn find<'a>(documents: &[&'a Document], has: fn(&CellPart) -> bool) -> Option<&'a Document> {
    let mut documents = documents.iter().copied();
    documents.find(|document| document.cells.iter().any(has))
}

/// Returns the metric in which a run compares throughput: I/Os unless it compares bytes.
fn throughput_metric(document: &Document) -> Metric {
    match document.run.compare.metric {
        Metric::Bandwidth => Metric::Bandwidth,
        _ => Metric::Iops,
    }
}

/// Returns a cell without what only says how it is simulated.
fn comparable(part: &CellPart) -> Cell {
    let mut cell = part.cell();
    cell.workload.load.risk = false;
    cell
}

/// Returns the cells of both runs, those of the run with power cuts first.
fn pairs<'a>(measured: Option<&'a Document>, simulated: Option<&'a Document>) -> Vec<Pair<'a>> {
    let parts = |document: Option<&'a Document>| {
        document.map_or(&[][..], |document| document.cells.as_slice())
    };
    let (measured, simulated) = (parts(measured), parts(simulated));
    let cells = |parts: &[CellPart]| parts.iter().map(comparable).collect::<Vec<_>>();
    let matches = matching_cells(&cells(measured), &cells(simulated));
    let partner = |index: usize| matches.iter().find(|pair| pair.0 == index);
    let with_cuts = measured.iter().enumerate().map(|(index, part)| Pair {
        measured: Some(part),
        simulated: partner(index).map(|pair| &simulated[pair.1]),
    });
    let alone = |index: &usize| !matches.iter().any(|pair| pair.1 == *index);
    let others = (0..simulated.len()).filter(alone).map(|index| Pair {
        measured: None,
        simulated: Some(&simulated[index]),
    });
    with_cuts.chain(others).collect()
}
