//! Two runs of the same cells: in how many the later one is better, worse, the same or undecided, and by
//! how much.

use serde::Serialize;
use stripewise_results::RunId;
use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;

use crate::change::{direction, factor, margin_percent};
use crate::document::VerdictPart;

/// How far cells moved in one direction, as ratios after / before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Moved {
    /// How many cells.
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

/// All cells that two runs share, by what their comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BeforeAfter {
    /// How many cells were compared.
    pub cells: usize,
    /// Those that are better beyond doubt.
    pub better: Option<Moved>,
    /// Those that are worse beyond doubt.
    pub worse: Option<Moved>,
    /// How many differ by no more than the margin.
    pub same: usize,
    /// That margin, as a fraction; the widest where cells have several.
    pub margin: f64,
    /// How many the samples cannot tell.
    pub unknown: usize,
}

impl BeforeAfter {
    /// Counts comparisons, each with the number of its cell; nothing without any.
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
            better: Moved::of(better),
            worse: Moved::of(worse),
            same,
            margin: widest,
            unknown,
        })
    }

    /// Returns the counts as a sentence about `after`, such as `after (run 2)`; `name` gives the words for
    /// a cell.
    pub fn words(
        &self,
        metric: Metric,
        after: &str,
        before: &str,
        name: impl Fn(usize) -> String,
    ) -> String {
        let moved = self.moved(metric);
        let mut parts: Vec<String> = Vec::new();
        let of_all = |count: usize, is_first: bool| match (is_first, self.cells) {
            (true, 1) => "the one cell".to_owned(),
            (true, cells) => format!("{count} of {cells} cells"),
            (false, _) => count.to_string(),
        };
        // Only the first part says what it is held against.
        let against = |word: &str, is_first: bool| match is_first {
            true => format!(" {word} {before}"),
            false => String::new(),
        };
        for (moved, rises) in moved {
            let first = parts.is_empty();
            let than = against("than", first);
            parts.push(format!(
                "{} {}{than} in {}{}",
                size(moved.median_ratio),
                direction(metric, rises),
                of_all(moved.cells, first),
                moved.range(&name(moved.most_cell), self.cells)
            ));
        }
        if self.same > 0 {
            let first = parts.is_empty();
            let than = against("as", first);
            let margin = margin_percent(self.margin);
            let same = of_all(self.same, first);
            parts.push(format!("the same{than} within {margin} % in {same}"));
        }
        if self.unknown > 0 {
            let first = parts.is_empty();
            let than = against("against", first);
            parts.push(format!(
                "undecided{than} in {}",
                of_all(self.unknown, first)
            ));
        }
        let by = match metric {
            Metric::Bandwidth => String::new(),
            metric => format!("by {metric}, "),
        };
        capital(&format!("{by}{after} is {}.", listed(&parts)))
    }

    /// Returns the counts as a sentence about cells and the baseline of each.
    pub fn against_words(&self, metric: Metric, name: impl Fn(usize) -> String) -> String {
        let moved = self.moved(metric).into_iter().map(|(moved, rises)| {
            format!(
                "{} {} {} {}{}",
                moved.cells,
                are(moved.cells),
                size(moved.median_ratio),
                direction(metric, rises),
                moved.range(&name(moved.most_cell), self.cells)
            )
        });
        let mut parts: Vec<String> = moved.collect();
        if self.same > 0 {
            let margin = margin_percent(self.margin);
            parts.push(format!(
                "{} {} the same within {margin} %",
                self.same,
                are(self.same)
            ));
        }
        if self.unknown > 0 {
            parts.push(format!("{} {} undecided", self.unknown, are(self.unknown)));
        }
        let by = match metric {
            Metric::Bandwidth => String::new(),
            metric => format!("by {metric}, "),
        };
        let cells = match self.cells {
            1 => "of the one cell that has a baseline".to_owned(),
            cells => format!("of {cells} cells that have a baseline"),
        };
        capital(&format!("{by}{cells}, {}.", listed(&parts)))
    }

    /// Returns the cells that moved, with whether the value rises; more of them first.
    fn moved(&self, metric: Metric) -> Vec<(Moved, bool)> {
        let rises = metric.higher_is_better();
        let mut moved: Vec<(Moved, bool)> = Vec::new();
        moved.extend(self.worse.map(|worse| (worse, !rises)));
        moved.extend(self.better.map(|better| (better, rises)));
        moved.sort_by_key(|(moved, _)| std::cmp::Reverse(moved.cells));
        moved
    }
}

impl Moved {
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

    /// Returns how far the cells range, and where the most is.
    fn range(&self, name: &str, cells: usize) -> String {
        match (self.cells, cells) {
            (_, 1) => String::new(),
            (1, _) => format!(" ({name})"),
            _ => format!(
                " (median; from {} to {} at {name})",
                size(self.least_ratio),
                size(self.most_ratio)
            ),
        }
    }
}

/// Returns how far a ratio is from 1, without sign: `25 %`, `640 % (×7.4)`.
fn size(ratio: f64) -> String {
    let percent = (ratio - 1.0).abs() * 100.0;
    let decimals = usize::from(percent < 9.95);
    let factor = factor(ratio).map_or_else(String::new, |factor| format!(" ({factor})"));
    format!("{percent:.decimals$} %{factor}")
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Returns parts of a sentence: `a, b, and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one}, and {other}"),
        [before @ .., last] => format!("{}, and {last}", before.join(", ")),
    }
}

/// Returns a sentence with a capital at its begin.
pub(crate) fn capital(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

/// Returns what to call a later and an earlier run: `after (run 2)`, `before (run 1)`; by their numbers
/// alone where the first did not come first, or there are more of them.
pub fn run_words(after: RunId, before: RunId, is_in_order: bool) -> (String, String) {
    match is_in_order {
        true => (
            format!("after (run {after})"),
            format!("before (run {before})"),
        ),
        false => (format!("run {after}"), format!("run {before}")),
    }
}
