//! The number of simulations of a cell, those behind its estimate, and the comparison of two cells.
//!
//! `predict`, `why`, `run --world model` and the page share these rules, so that they answer one
//! question with one number. Simulation `k` of a cell always has the seed `seed + k`. The estimate
//! uses the first simulations that are enough; a comparison may use more of them in pairs, and
//! leaves both estimates as they are.

use serde::Serialize;
use stripewise_message::{Argument, Message};
use stripewise_stats::{
    Better, Comparison, ComparisonError, ComparisonParams, Estimate, Interval, Level, Pair, Series,
    Verdict, compare, median_interval, message,
};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Repeat;
use stripewise_study::sample::{Sample, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_units::Percent;

/// The minimum number of simulations: the fewest with a 95 % interval of the median
/// (`ANALYSIS.md`).
pub const SIMULATIONS_MIN: usize = 6;
/// The maximum number of simulations, and of pairs in a comparison. Beyond it the interval shrinks
/// only with the square root of the effort. A cell still wider than [`HALF_WIDTH`] differs from
/// seed to seed, and its interval shows that.
pub const SIMULATIONS_MAX: usize = 30;
/// The sufficient half width of the 95 % interval over the median bandwidth: less than the errors
/// of profiles and rules.
pub const HALF_WIDTH: f64 = 0.01;

/// Returns the seed of simulation `index`, counted from 0.
pub const fn seed_of(seed: u64, index: u64) -> u64 {
    seed.wrapping_add(index)
}

/// Returns whether all of `samples` were simulated, and there is at least one: only the model world
/// has a breakdown.
pub fn is_simulated(samples: &[&SampleRecord]) -> bool {
    let mut samples = samples.iter();
    samples.len() > 0 && samples.all(|record| record.sample.breakdown.is_some())
}

/// How well an answer has to be known: how often a cell is simulated, and until when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// The fewest simulations.
    pub at_least: usize,
    /// The most simulations.
    pub at_most: usize,
    /// The sufficient half width of the 95 % interval over the median bandwidth. Each simulation ends
    /// when its own interval is as narrow in proportion.
    pub half_width: f64,
}

impl Precision {
    /// What every table, report and page asks for.
    pub const TABLE: Self = Self {
        at_least: SIMULATIONS_MIN,
        at_most: SIMULATIONS_MAX,
        half_width: HALF_WIDTH,
    };
    /// Enough to tell designs apart that differ by more than this share: the fewest simulations that
    /// have an interval.
    pub const COARSE: Self = Self {
        at_least: SIMULATIONS_MIN,
        at_most: SIMULATIONS_MIN,
        half_width: 0.05,
    };

    /// Returns exactly `count` simulations, each as precise as those of a table.
    pub const fn simulations(count: usize) -> Self {
        Self {
            at_least: count,
            at_most: count,
            half_width: HALF_WIDTH,
        }
    }

    /// Returns how many of the simulations of a cell, in the order of their seeds, its estimate uses;
    /// `None` if there are too few yet.
    ///
    /// The fewest are enough if one of them spent all of its effort and still did not know the rate:
    /// their interval shows by how much they differ, and 24 more would take as many millions of I/Os.
    pub fn enough<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Option<usize> {
        let samples: Vec<&Sample> = samples.into_iter().take(self.at_most).collect();
        let bandwidths: Option<Vec<f64>> = samples
            .iter()
            .map(|sample| Metric::Bandwidth.of(sample))
            .collect();
        let bandwidths = bandwidths.unwrap_or_default();
        let is_enough = |count: &usize| {
            *count == self.at_most
                || samples[..*count].iter().any(|one| one.is_cut_short())
                || median_of(&bandwidths[..*count])
                    .and_then(|estimate| estimate.relative_half_width())
                    .is_some_and(|half_width| half_width <= self.half_width)
        };
        (self.at_least..=bandwidths.len()).find(is_enough)
    }
}

/// Returns how many simulations of a cell the estimate in a table uses, as [`Precision::enough`].
pub fn enough<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Option<usize> {
    Precision::TABLE.enough(samples)
}

/// Returns the estimate of the median of `values`; `None` without values.
pub fn median_of(values: &[f64]) -> Option<Estimate> {
    let series = Series::new(values.to_vec()).ok()?;
    Some(median_interval(&series, Level::P95))
}

/// The fewest I/Os of a simulation cut short that support an interval: as many as a simulation
/// needs to judge its own precision, one in each of its batches.
const IOS_OF_INTERVAL: u64 = 16;

/// Returns the estimate of samples with what else they say about its interval: none if a simulation was
/// cut short after too few I/Os, as the agreement between simulations then proves nothing; else one
/// that also contains how far the profiles may be off ([`stripewise_study::sample::Uncertainty`]).
#[must_use]
pub fn as_sure_as_its_samples<'a>(
    metric: Metric,
    estimate: Estimate,
    samples: impl IntoIterator<Item = &'a Sample>,
) -> Estimate {
    let samples: Vec<&Sample> = samples.into_iter().collect();
    let mut warnings = samples.iter().flat_map(|sample| &sample.warnings);
    let few = |warning: &Warning| matches!(warning, Warning::SimulationCutShort { ios } if *ios < IOS_OF_INTERVAL);
    if warnings.any(few) {
        return Estimate {
            interval: None,
            ..estimate
        };
    }
    let breakdowns = samples
        .iter()
        .filter_map(|sample| sample.breakdown.as_ref());
    let known = breakdowns.filter_map(|breakdown| {
        let off = breakdown.uncertainty.as_ref()?;
        Some(match metric.higher_is_better() {
            true => off.of_rate(breakdown.own_rate),
            false => (off.faster, off.slower),
        })
    });
    let width = |off: &(f64, f64)| off.0 + off.1;
    match known.max_by(|left, right| width(left).total_cmp(&width(right))) {
        Some((lower, higher)) => estimate.or_off_by(lower, higher),
        None => estimate,
    }
}

/// Returns the repetition settings of a study, with those for real disks replaced by the rules for
/// simulations. The budget and the length of a sample stay: a failure's timeline needs the length.
pub fn repeat(asked: &Repeat) -> Repeat {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Repeat {
        sample_ns: asked.sample_ns,
        budget_ns: asked.budget_ns,
        interval_percent: Percent::new(100.0 * HALF_WIDTH).unwrap_or(asked.interval_percent),
        at_least: count(SIMULATIONS_MIN),
        at_most: count(SIMULATIONS_MAX),
        steady_state: None,
    }
}

/// Two cells simulated with the same seeds: the values of one metric, pair by pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
    /// The simulations that both cells have.
    pub pairs: Vec<Pair>,
    /// The number of them that both estimates use.
    pub own: usize,
    /// Whether one of them spent all of its effort: then there are no more.
    pub is_cut_short: bool,
}

impl Paired {
    /// Compares by the pairs that both estimates use; if those do not decide, by all pairs.
    ///
    /// It tests only twice: a comparison repeated after every pair finds differences that do not
    /// exist.
    ///
    /// # Errors
    /// [`ComparisonError`] without pairs, or with values that cannot be compared.
    pub fn compare(&self, params: ComparisonParams) -> Result<Comparison, ComparisonError> {
        let own = compare(&self.pairs[..self.own.min(self.pairs.len())], params)?;
        match own.verdict {
            Verdict::CannotTell { .. } if self.pairs.len() >= SIMULATIONS_MAX => {
                compare(&self.pairs[..SIMULATIONS_MAX], params)
            }
            _ => Ok(own),
        }
    }

    /// Returns whether more pairs, up to [`SIMULATIONS_MAX`], could decide an open comparison.
    pub fn needs_more(&self, params: ComparisonParams) -> bool {
        let compared = self.compare(params);
        let is_open = compared.is_ok_and(|one| matches!(one.verdict, Verdict::CannotTell { .. }));
        let has_more = self.pairs.len() < SIMULATIONS_MAX && !self.is_cut_short;
        is_open && self.own >= SIMULATIONS_MIN && has_more
    }
}

/// A verdict for programs: undecided simulations request no more samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum VerdictJson {
    /// The verdict of samples to which more can be added.
    Any(Verdict),
    /// Undecided simulations.
    Undecided {
        /// The verdict, without a number of further samples: there are none.
        #[cfg_attr(feature = "typescript", ts(type = "\"cannot_tell\""))]
        verdict: &'static str,
    },
}

impl VerdictJson {
    /// Returns the verdict of simulations.
    pub fn of_simulations(verdict: Verdict) -> Self {
        match verdict {
            Verdict::CannotTell { .. } => VerdictJson::Undecided {
                verdict: "cannot_tell",
            },
            verdict => VerdictJson::Any(verdict),
        }
    }
}

/// Returns the verdict on two simulated cells as a sentence fragment about the other one. If they
/// are undecided, it is the interval of the difference: there are never more than
/// [`SIMULATIONS_MAX`] simulations.
pub fn verdict_message(comparison: &Comparison, better: Better) -> Message {
    let ratio = &comparison.ratio;
    match (comparison.verdict, ratio.interval) {
        (Verdict::CannotTell { .. }, Some(Interval { low, high })) => {
            let message = match ratio.samples {
                SIMULATIONS_MAX => Message::new("verdict-simulated-open"),
                _ => Message::new("verdict-simulated-cut"),
            };
            message
                .with("low", signed_percent(low))
                .with("high", signed_percent(high))
                .count("simulations", ratio.samples)
        }
        (Verdict::CannotTell { .. }, None) => {
            Message::new("verdict-simulated-few").digits("least", SIMULATIONS_MIN)
        }
        (verdict, _) => message(&verdict, better),
    }
}

/// Returns a ratio as a signed difference: `+2 %`, with a decimal below 10 %.
fn signed_percent(ratio: f64) -> Argument {
    let percent = 100.0 * (ratio - 1.0);
    let decimals = usize::from(percent.abs() < 9.95);
    Argument::quantity(format!("{percent:+.decimals$}"), "%")
}

#[cfg(test)]
mod tests {
    use stripewise_study::sample::{Breakdown, Uncertainty};

    use super::*;

    fn paired(count: usize, own: usize, difference: f64) -> Paired {
        // Noise of +-8 %, which does not cancel.
        let noise = |index: usize| [0.92, 1.08, 0.97, 1.03, 0.94, 1.06, 1.0][index % 7];
        let pair = |index: usize| Pair {
            baseline: 100.0 * noise(index * 5),
            other: 100.0 * (1.0 + difference) * noise(index * 3 + 1),
        };
        Paired {
            pairs: (0..count).map(pair).collect(),
            own,
            is_cut_short: false,
        }
    }

    const PARAMS: ComparisonParams = ComparisonParams {
        level: Level::P95,
        margin: 0.02,
    };

    #[test]
    fn pairs_are_added_only_if_those_of_the_estimates_do_not_decide() {
        assert!(paired(6, 6, 0.03).needs_more(PARAMS));
        assert!(!paired(6, 6, 1.0).needs_more(PARAMS));
        assert!(
            !paired(SIMULATIONS_MAX, 6, 0.03).needs_more(PARAMS),
            "there are no more"
        );
        let cut_short = Paired {
            is_cut_short: true,
            ..paired(6, 6, 0.03)
        };
        assert!(!cut_short.needs_more(PARAMS), "each took all of its effort");
        // The verdict of the first test stays, however many pairs another comparison needed.
        let first = paired(6, 6, 1.0).compare(PARAMS).unwrap();
        assert_eq!(
            paired(SIMULATIONS_MAX, 6, 1.0).compare(PARAMS).unwrap(),
            first
        );
    }

    #[test]
    fn simulations_never_request_more_samples() {
        let said = |paired: Paired| {
            let message = verdict_message(&paired.compare(PARAMS).unwrap(), Better::Higher);
            format!("{message:?}")
        };
        let undecided = paired(SIMULATIONS_MAX, 6, 0.01).compare(PARAMS).unwrap();
        let json = serde_json::to_value(VerdictJson::of_simulations(undecided.verdict)).unwrap();
        assert_eq!(json, serde_json::json!({ "verdict": "cannot_tell" }));
        let open = said(paired(SIMULATIONS_MAX, 6, 0.01));
        assert!(open.starts_with("verdict-simulated-open("), "{open}");
        assert!(open.contains("low: -"), "{open}");
        assert!(open.ends_with("simulations: 30)"), "{open}");
        let cut = said(paired(6, 6, 0.03));
        assert!(cut.starts_with("verdict-simulated-cut("), "{cut}");
        assert!(cut.ends_with("simulations: 6)"), "{cut}");
        assert_eq!(said(paired(3, 3, 0.03)), "verdict-simulated-few(least: 6)");
    }

    #[test]
    fn an_interval_contains_how_far_the_profiles_may_be_off() {
        let off = Sample {
            breakdown: Some(Breakdown {
                uncertainty: Some(Uncertainty {
                    faster: 0.1,
                    slower: 0.3,
                    ..Uncertainty::default()
                }),
                ..Breakdown::default()
            }),
            ..Sample::default()
        };
        let agreed = median_of(&[1.0, 1.01, 0.99, 1.0, 1.01, 0.99]).unwrap();
        let own = agreed.interval.unwrap();
        let rate = as_sure_as_its_samples(Metric::Bandwidth, agreed, [&off]);
        let time = as_sure_as_its_samples(Metric::LatencyMean, agreed, [&off]);
        for estimate in [rate, time] {
            assert_eq!(estimate.interval_of_samples(), Some(own));
            assert_eq!(estimate.relative_half_width(), agreed.relative_half_width());
        }
        let [rate, time] = [rate, time].map(|estimate| estimate.interval.unwrap());
        assert!(
            rate.low < 0.745 && (1.1..1.11).contains(&rate.high),
            "{rate:?}"
        );
        assert!(
            time.high > 1.345 && (0.9..0.91).contains(&time.low),
            "{time:?}"
        );
    }

    #[test]
    fn a_few_ios_that_agree_give_no_interval() {
        let cut_short = |ios| Sample {
            warnings: vec![Warning::SimulationCutShort { ios }],
            ..Sample::default()
        };
        let agreed = median_of(&[1e9; SIMULATIONS_MIN]).unwrap();
        let sure = |ios| {
            as_sure_as_its_samples(
                Metric::Bandwidth,
                agreed,
                [&Sample::default(), &cut_short(ios)],
            )
        };
        assert_eq!(sure(IOS_OF_INTERVAL), agreed);
        assert!(agreed.interval.is_some());
        let few = sure(IOS_OF_INTERVAL - 1);
        assert_eq!((few.value, few.interval), (agreed.value, None));
    }
}
