//! The difference between two cells and the verdict on it: the data of every form of a report.

use serde::Serialize;
use stripewise_analysis::comparison::CellComparison;
use stripewise_analysis::simulations::VerdictJson;
use stripewise_catalogue::Message;
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::metric::MetricKey;

/// The verdict on a cell against another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VerdictPart {
    /// The metric.
    pub metric: MetricKey,
    /// The index of the baseline cell.
    pub baseline: usize,
    /// Whether samples were compared pair by pair.
    pub paired: bool,
    /// The ratio of this cell to the baseline.
    pub ratio: Estimate,
    /// The same as a difference in percent of the baseline.
    pub difference_percent: ChangePercent,
    /// The verdict as data.
    #[serde(flatten)]
    pub(crate) verdict_json: VerdictJson,
    /// The verdict as a value.
    #[serde(skip)]
    pub verdict: Verdict,
    /// The verdict in words, about this cell.
    pub words: Message,
    /// Whether more samples can be taken; if not, `more_samples` has no meaning.
    #[serde(skip_serializing_if = "is_true")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub repeatable: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_true(value: &bool) -> bool {
    *value
}

impl VerdictPart {
    /// Returns the verdict of a comparison with the cell `baseline`.
    pub fn new(baseline: usize, compared: &CellComparison) -> Self {
        Self {
            metric: MetricKey(compared.metric),
            baseline,
            paired: compared.is_paired,
            ratio: compared.comparison.ratio,
            verdict_json: match compared.is_simulated {
                true => VerdictJson::of_simulations(compared.comparison.verdict),
                false => VerdictJson::Any(compared.comparison.verdict),
            },
            difference_percent: ChangePercent::of(&compared.comparison.ratio),
            verdict: compared.comparison.verdict,
            words: compared.message(),
            repeatable: compared.imported.is_none(),
        }
    }
}

/// A difference from the baseline in percent of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChangePercent {
    /// The difference; 34 is a third more than the baseline.
    pub value: f64,
    /// The lower end of its interval; `None` if the samples give no interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl ChangePercent {
    /// Returns the difference that corresponds to a ratio to the baseline.
    pub fn of(ratio: &Estimate) -> Self {
        let percent = |ratio: f64| (ratio - 1.0) * 100.0;
        Self {
            value: percent(ratio.value),
            low: ratio.interval.map(|interval| percent(interval.low)),
            high: ratio.interval.map(|interval| percent(interval.high)),
        }
    }
}
