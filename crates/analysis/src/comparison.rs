//! What may be said about two cells.
//!
//! Samples that were taken in the same block were taken close in time, so what the machine did to
//! both cancels: they are compared pair by pair. Cells that share no block (another run, imported
//! results) are compared by their medians.

use std::collections::BTreeMap;

use stripewise_stats::{
    Better, Comparison, ComparisonParams, Level, Pair, compare, compare_unpaired, words,
};
use stripewise_study::metric::Metric;
use stripewise_study::sample::SampleRecord;
use stripewise_study::units::Percent;

use crate::cell::series;

/// Two cells compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellComparison {
    /// What was compared.
    pub metric: Metric,
    /// Whether samples were compared pair by pair.
    pub is_paired: bool,
    /// The ratio other / baseline and what may be claimed of it.
    pub comparison: Comparison,
}

impl CellComparison {
    /// Returns the verdict as a sentence fragment about the other cell: `8 to 14 % faster`.
    pub fn words(&self) -> String {
        let better = if self.metric.higher_is_better() {
            Better::Higher
        } else {
            Better::Lower
        };
        words(&self.comparison.verdict, better)
    }
}

/// Compares the counted samples of two cells, pair by pair where they share blocks.
///
/// Returns nothing where there is nothing to compare: no samples, or a metric that they do not tell.
pub fn compare_cells(
    baseline: &[&SampleRecord],
    other: &[&SampleRecord],
    metric: Metric,
    margin: Percent,
) -> Option<CellComparison> {
    let pairs = pairs(&by_block(baseline, metric), &by_block(other, metric));
    if pairs.is_empty() {
        return compare_medians(baseline, other, metric, margin);
    }
    let comparison = compare(&pairs, params(margin)).ok()?;
    Some(CellComparison {
        metric,
        is_paired: true,
        comparison,
    })
}

/// Compares the medians of two cells that were not measured in turn, such as those of two runs.
pub fn compare_medians(
    baseline: &[&SampleRecord],
    other: &[&SampleRecord],
    metric: Metric,
    margin: Percent,
) -> Option<CellComparison> {
    let (baseline, other) = (series(baseline, metric)?, series(other, metric)?);
    let comparison = compare_unpaired(&baseline, &other, params(margin)).ok()?;
    Some(CellComparison {
        metric,
        is_paired: false,
        comparison,
    })
}

fn params(margin: Percent) -> ComparisonParams {
    ComparisonParams {
        level: Level::P95,
        margin: margin.as_fraction(),
    }
}

/// Returns the value of each sample by the block it was taken in.
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
