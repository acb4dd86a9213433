//! Two runs of the same cells: the number of cells that are better, worse, the same or undecided in the
//! later run, and by how much.

use serde::Serialize;
use stripewise_catalogue::{Argument, Message};
use stripewise_results::RunId;
use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;

use crate::change::{direction, factor, margin_percent};
use crate::document::VerdictPart;

/// How far cells moved in one direction, as ratios after / before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellShift {
    /// The number of cells.
    pub cells: usize,
    /// The median of their ratios.
    pub median_ratio: f64,
    /// The ratio nearest to 1.
    pub least_ratio: f64,
    /// The ratio farthest from 1.
    pub most_ratio: f64,
    /// The cell of that ratio.
    pub most_cell: usize,
}

/// All cells that two runs share, counted by the verdict of their comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BeforeAfter {
    /// The number of compared cells.
    pub cells: usize,
    /// The cells that are certainly better.
    pub better: Option<CellShift>,
    /// The cells that are certainly worse.
    pub worse: Option<CellShift>,
    /// The number of cells that differ by no more than the margin.
    pub same: usize,
    /// That margin, as a fraction; the widest where cells have several.
    pub margin: f64,
    /// The number of undecided cells.
    pub unknown: usize,
}

impl BeforeAfter {
    /// Counts comparisons, each with the index of its cell; `None` without any.
    pub fn of<'a>(
        compared: impl IntoIterator<Item = (usize, &'a VerdictPart)>,
        metric: Metric,
    ) -> Option<Self> {
        let (mut rising, mut falling) = (Vec::new(), Vec::new());
        let (mut same, mut unknown, mut widest) = (0, 0, 0.0_f64);
        for (cell, part) in compared {
            match part.verdict {
                Verdict::Different { low, .. } if low >= 1.0 => {
                    rising.push((part.ratio.value, cell));
                }
                Verdict::Different { .. } => falling.push((part.ratio.value, cell)),
                Verdict::NoDifference { margin } => {
                    same += 1;
                    widest = widest.max(margin);
                }
                Verdict::CannotTell { .. } => unknown += 1,
            }
        }
        let cells = rising.len() + falling.len() + same + unknown;
        let (better, worse) = match metric.higher_is_better() {
            true => (rising, falling),
            false => (falling, rising),
        };
        (cells > 0).then(|| Self {
            cells,
            better: CellShift::of(better),
            worse: CellShift::of(worse),
            same,
            margin: widest,
            unknown,
        })
    }

    /// Returns the counts as a sentence about the run `after`; `name` gives the words for a cell.
    pub fn message(
        &self,
        metric: Metric,
        after: Message,
        before: &Message,
        name: impl Fn(usize) -> Argument,
    ) -> Message {
        let mut parts: Vec<Message> = Vec::new();
        let of_all = |count: usize, is_first: bool| match (is_first, self.cells) {
            (true, 1) => Message::new("moved-one-cell").into(),
            (true, cells) => Message::new("moved-of")
                .digits("count", count)
                .digits("cells", cells)
                .into(),
            (false, _) => Argument::Digits(count.to_string()),
        };
        // Only the first part names the other run.
        let against = |id: &'static str, is_first: bool| match is_first {
            true => Message::new(id).with("before", before.clone()).into(),
            false => Argument::Name(String::new()),
        };
        for (moved, rises) in self.moved(metric) {
            let first = parts.is_empty();
            parts.push(
                Message::new("moved")
                    .with("size", size(moved.median_ratio))
                    .with("word", direction(metric, rises))
                    .with("than", against("moved-than", first))
                    .with("where", of_all(moved.cells, first))
                    .with("range", moved.range(name(moved.most_cell), self.cells)),
            );
        }
        if self.same > 0 {
            let first = parts.is_empty();
            parts.push(
                Message::new("moved-same")
                    .with("as", against("moved-as", first))
                    .digits("margin", margin_percent(self.margin))
                    .with("where", of_all(self.same, first)),
            );
        }
        if self.unknown > 0 {
            let first = parts.is_empty();
            parts.push(
                Message::new("moved-unknown")
                    .with("against", against("moved-against", first))
                    .with("where", of_all(self.unknown, first)),
            );
        }
        Message::new("claim-before-after")
            .with("by", by(metric))
            .with("after", after)
            .with("parts", listed(parts))
            .as_sentence()
    }

    /// Returns the counts as a sentence about cells and the baseline of each.
    pub fn against_message(&self, metric: Metric, name: impl Fn(usize) -> Argument) -> Message {
        let moved = self.moved(metric).into_iter().map(|(moved, rises)| {
            Message::new("against-moved")
                .count("count", moved.cells)
                .with("size", size(moved.median_ratio))
                .with("word", direction(metric, rises))
                .with("range", moved.range(name(moved.most_cell), self.cells))
        });
        let mut parts: Vec<Message> = moved.collect();
        if self.same > 0 {
            let same = Message::new("against-same").count("count", self.same);
            parts.push(same.digits("margin", margin_percent(self.margin)));
        }
        if self.unknown > 0 {
            parts.push(Message::new("against-unknown").count("count", self.unknown));
        }
        Message::new("claim-against")
            .with("by", by(metric))
            .count("cells", self.cells)
            .with("parts", listed(parts))
            .as_sentence()
    }

    /// Returns the cells that moved, with whether the value rises; more of them first.
    fn moved(&self, metric: Metric) -> Vec<(CellShift, bool)> {
        let rises = metric.higher_is_better();
        let mut moved: Vec<(CellShift, bool)> = Vec::new();
        moved.extend(self.worse.map(|worse| (worse, !rises)));
        moved.extend(self.better.map(|better| (better, rises)));
        moved.sort_by_key(|(moved, _)| std::cmp::Reverse(moved.cells));
        moved
    }
}

impl CellShift {
    fn of(mut ratios: Vec<(f64, usize)>) -> Option<Self> {
        ratios.sort_by(|one, other| {
            let reach = |ratio: f64| ratio.max(ratio.recip());
            reach(one.0).total_cmp(&reach(other.0))
        });
        let middle = ratios.len().checked_sub(1)? / 2;
        let upper = ratios.len() / 2;
        let (most_ratio, most_cell) = *ratios.last()?;
        Some(Self {
            cells: ratios.len(),
            median_ratio: (ratios.get(middle)?.0 + ratios.get(upper)?.0) / 2.0,
            least_ratio: ratios.first()?.0,
            most_ratio,
            most_cell,
        })
    }

    /// Returns the range of the cells, and the cell that moved most.
    fn range(&self, name: Argument, cells: usize) -> Argument {
        let message = match (self.cells, cells) {
            (_, 1) => return Argument::Name(String::new()),
            (1, _) => Message::new("moved-at"),
            _ => Message::new("moved-range")
                .with("least", size(self.least_ratio))
                .with("most", size(self.most_ratio)),
        };
        message.with("cell", name).into()
    }
}

/// Returns how far a ratio is from 1, without sign: `25 %`, `640 % (×7.4)`.
fn size(ratio: f64) -> Message {
    let percent = (ratio - 1.0).abs() * 100.0;
    let decimals = usize::from(percent < 9.95);
    let factor = factor(ratio).map_or_else(String::new, |factor| format!(" ({factor})"));
    Message::new("moved-size")
        .digits("percent", format!("{percent:.decimals$}"))
        .digits("factor", factor)
}

/// Returns the metric for the beginning of a sentence; empty for bandwidth, the usual one.
fn by(metric: Metric) -> Argument {
    match metric {
        Metric::Bandwidth => Argument::Name(String::new()),
        metric => Message::new("moved-by")
            .with("metric", metric.message())
            .into(),
    }
}

/// Returns parts of a sentence: `a, b, and c`.
fn listed(mut parts: Vec<Message>) -> Argument {
    match parts.pop() {
        Some(last) if parts.is_empty() => last.into(),
        Some(last) => Message::new("list-and-then")
            .with("list", Argument::list(parts))
            .with("last", last)
            .into(),
        None => Argument::list(parts),
    }
}

/// Returns the names of a later and an earlier run: `after (run 2)`, `before (run 1)`; only their
/// numbers if they are not in order, or if there are more runs.
pub fn run_names(after: RunId, before: RunId, is_in_order: bool) -> (Message, Message) {
    let (later, earlier) = match is_in_order {
        true => ("run-after", "run-before"),
        false => ("run-number", "run-number"),
    };
    let named = |id: &'static str, run: RunId| Message::new(id).name("id", run);
    (named(later, after), named(earlier, before))
}
