//! The comparison of two cells.
//!
//! Samples of the same block were taken close in time, so the influence of the machine on both
//! cancels: they are compared pair by pair. Cells that share no block (another run, imported
//! results) are compared by their medians. Simulations of the same block have the same seed.

use std::collections::BTreeMap;

use stripewise_message::Message;
use stripewise_stats::{
    Better, Comparison, ComparisonParams, Level, Pair, Verdict, compare, compare_unpaired, message,
};
use stripewise_study::metric::Metric;
use stripewise_study::sample::SampleRecord;
use stripewise_units::Percent;

use crate::counted::series;
use crate::simulations::{Paired, enough, is_simulated, verdict_message};

/// Two cells compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellComparison {
    /// The compared metric.
    pub metric: Metric,
    /// Whether samples were compared pair by pair.
    pub is_paired: bool,
    /// Whether both were simulated.
    pub is_simulated: bool,
    /// The ratio other / baseline and its verdict.
    pub comparison: Comparison,
    /// The number of samples of the baseline and of the other, if they were imported and cannot be
    /// taken again.
    pub imported: Option<(usize, usize)>,
}

impl CellComparison {
    /// Returns the verdict as a sentence fragment about the other cell: `8 to 14 % faster`.
    pub fn message(&self) -> Message {
        let better = better(self.metric);
        match (self.comparison.verdict, self.imported) {
            (Verdict::CannotTell { .. }, Some(counts)) => self.undecided_import(counts),
            _ if self.is_simulated => verdict_message(&self.comparison, better),
            (verdict, _) => message(&verdict, better),
        }
    }

    /// Explains why imported measurements do not decide: no more of them will come.
    fn undecided_import(&self, (baseline, other): (usize, usize)) -> Message {
        if (baseline, other) == (1, 1) {
            return Message::new("verdict-imported-single");
        }
        let is_without = self.comparison.ratio.interval.is_none();
        let message = Message::new(match is_without {
            true => "verdict-imported-few",
            false => "verdict-imported-open",
        });
        message.digits("baseline", baseline).digits("other", other)
    }
}

/// Returns which way a metric is good.
pub const fn better(metric: Metric) -> Better {
    match metric.higher_is_better() {
        true => Better::Higher,
        false => Better::Lower,
    }
}

/// Compares samples of two cells ([`crate::counted::Counted::paired`]), pair by pair if they share
/// blocks.
///
/// Returns `None` if there is nothing to compare: no samples, a metric that they lack, or other hosts.
pub fn compare_cells(
    baseline: &[&SampleRecord],
    other: &[&SampleRecord],
    metric: Metric,
    margin: Percent,
) -> Option<CellComparison> {
    let hosts = |samples: &[&SampleRecord]| -> Vec<String> {
        let last = samples.last().map(|record| record.sample.measured_hosts());
        last.unwrap_or_default()
            .into_iter()
            .map(ToOwned::to_owned)
            .collect()
    };
    if hosts(baseline) != hosts(other) {
        return None;
    }
    let pairs = pairs(&by_block(baseline, metric), &by_block(other, metric));
    if pairs.is_empty() {
        return compare_medians(baseline, other, metric, margin);
    }
    let is_simulated = is_simulated(baseline) && is_simulated(other);
    let comparison = match is_simulated {
        true => paired(baseline, other, metric).compare(params(margin)),
        false => compare(&pairs, params(margin)),
    };
    let comparison = comparison.ok()?;
    Some(CellComparison {
        metric,
        is_paired: true,
        is_simulated,
        comparison,
        imported: None,
    })
}

/// Compares the medians of two cells that were not measured in turn, such as those of two runs.
pub fn compare_medians(
    baseline: &[&SampleRecord],
    other: &[&SampleRecord],
    metric: Metric,
    margin: Percent,
) -> Option<CellComparison> {
    // A measured run has a seed; an imported one has none.
    let is_imported = baseline
        .iter()
        .chain(other)
        .any(|record| record.seed.is_none());
    let is_simulated = is_simulated(baseline) && is_simulated(other);
    let (baseline, other) = (series(baseline, metric)?, series(other, metric)?);
    let comparison = compare_unpaired(&baseline, &other, params(margin)).ok()?;
    let counts = (baseline.values().len(), other.values().len());
    Some(CellComparison {
        metric,
        is_paired: false,
        is_simulated,
        comparison,
        imported: is_imported.then_some(counts),
    })
}

/// Returns the simulations that two cells share, and how many of them both estimates use.
pub fn paired(baseline: &[&SampleRecord], other: &[&SampleRecord], metric: Metric) -> Paired {
    let own = |samples: &[&SampleRecord]| {
        let enough = enough(samples.iter().map(|record| &record.sample));
        enough.unwrap_or(samples.len())
    };
    let mut both = baseline.iter().chain(other);
    Paired {
        is_cut_short: both.any(|record| record.sample.is_cut_short()),
        pairs: pairs(&by_block(baseline, metric), &by_block(other, metric)),
        own: own(baseline).min(own(other)),
    }
}

/// Returns the requirements of a comparison: 95 %, and the margin of the study.
pub fn params(margin: Percent) -> ComparisonParams {
    ComparisonParams {
        level: Level::P95,
        margin: margin.as_fraction(),
    }
}

/// Returns the value of each sample by its block.
fn by_block(samples: &[&SampleRecord], metric: Metric) -> BTreeMap<u32, f64> {
    samples
        .iter()
        .filter_map(|record| Some((record.block, metric.of(&record.sample)?)))
        .collect()
}

/// Returns the pairs of values that share a block, in the order of the blocks.
pub fn pairs(baseline: &BTreeMap<u32, f64>, other: &BTreeMap<u32, f64>) -> Vec<Pair> {
    baseline
        .iter()
        .filter_map(|(block, &baseline)| {
            let other = *other.get(block)?;
            Some(Pair { baseline, other })
        })
        .collect()
}
