//! Whether two cells differ, and how sure that is, down to one result file of each.
//!
//! | what there is | the interval of the ratio |
//! |---|---|
//! | 6 samples or more of each | that of `compare` |
//! | at least 2 of one, fewer than 6 of one | Student's t of the logarithms, equal variances assumed |
//! | 1 of each, with fio's spread over time | [`BETWEEN_RUNS`] times that spread, and Student's t |
//! | 1 of each, without | assumed: repeats have a coefficient of variation of [`ASSUMED`] |

use serde::Serialize;
use stripewise_analysis::comparison::{compare_cells, compare_medians};
use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, SampleRecord, as_f64};
use stripewise_study::warning::Direction;
use stripewise_units::Percent;

/// How many times wider runs of the same thing are apart than the intervals of one run are: 40 equal runs
/// of fio of 3 s had a coefficient of variation of 19 % between them, and of 9 % within each.
pub const BETWEEN_RUNS: f64 = 2.0;
/// The coefficient of variation that is assumed between runs where nothing shows one: that of the runs
/// above was 0.19, on a machine with other work; that of quiet machines is a tenth of it.
pub const ASSUMED: f64 = 0.1;
/// The quantile of a normal distribution for 95 %.
const NORMAL_95: f64 = 1.96;
/// The quantiles of Student's t for 95 %, for 1 degree of freedom and more.
const STUDENT_95: [f64; 10] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
];

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Enough samples of both.
    Samples,
    /// Few samples: their spread is known roughly, and taken to be normal.
    FewSamples,
    /// One run of each: fio's own spread over time stands for that between runs.
    SpreadOfRuns,
    /// Single numbers: their spread is assumed.
    Assumed,
}

impl Basis {
    /// Returns its key in JSON and in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Basis::Samples => "samples",
            Basis::FewSamples => "few-samples",
            Basis::SpreadOfRuns => "spread",
            Basis::Assumed => "assumed",
        }
    }
}

/// Whether there is a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// There is one.
    Different,
    /// There is none above the margin.
    Same,
    /// That cannot be told.
    CannotTell,
}

/// A measured difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The metric.
    pub metric: Metric,
    /// Its median before.
    pub before: f64,
    /// Its median after.
    pub after: f64,
    /// The samples before and after.
    pub samples: [usize; 2],
    /// The ratio after / before.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// What the interval rests on.
    pub basis: Basis,
    /// Whether there is a difference.
    pub certainty: Certainty,
}

/// Why the samples of a side have no value of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// There is no sample that counts.
    NoSample,
    /// Nothing was moved in one of them, at least.
    Nothing,
    /// The source does not state it.
    NotStated,
}

impl Lack {
    /// Returns its key in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Lack::NoSample => "no-sample",
            Lack::Nothing => "nothing",
            Lack::NotStated => "not-stated",
        }
    }

    /// Returns why samples have no value of a metric to compare; `None` if they have one.
    pub fn of(samples: &[&SampleRecord], metric: Metric) -> Option<Self> {
        if logs_of(samples, metric).is_some() {
            return None;
        }
        let is_idle =
            |record: &&SampleRecord| record.sample.read.ios + record.sample.write.ios == 0;
        Some(match samples {
            [] => Lack::NoSample,
            samples if samples.iter().any(is_idle) => Lack::Nothing,
            _ => Lack::NotStated,
        })
    }
}

/// Returns the directions in which one side moved something and the other nothing.
pub fn silent(samples: [&[&SampleRecord]; 2]) -> Vec<Silent> {
    let bytes = |side: usize, direction: Direction| {
        let each = samples[side].iter().map(|record| match direction {
            Direction::Read => record.sample.read.bytes,
            Direction::Write => record.sample.write.bytes,
        });
        each.fold(0_u64, |sum, bytes| sum.saturating_add(bytes.as_u64()))
    };
    let mut found = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let moved = [bytes(0, direction), bytes(1, direction)];
        for side in [0, 1] {
            if moved[side] == 0 && moved[1 - side] > 0 {
                found.push(Silent { side, direction });
            }
        }
    }
    found
}

/// A direction in which one side alone moved nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Silent {
    /// The side: 0 is before.
    pub side: usize,
    /// The direction.
    pub direction: Direction,
}

impl Difference {
    /// Compares the samples of two cells that count; `None` if one has none, or not this metric. Those of
    /// one run were taken in turn, and are compared in pairs.
    pub fn of(
        before: &[&SampleRecord],
        after: &[&SampleRecord],
        metric: Metric,
        margin: Percent,
        is_one_run: bool,
    ) -> Option<Self> {
        let logs = [before, after].map(|samples| logs_of(samples, metric));
        let [Some(one), Some(other)] = &logs else {
            return None;
        };
        let medians = [median(one).exp(), median(other).exp()];
        let known = Self {
            metric,
            before: medians[0],
            after: medians[1],
            samples: [one.len(), other.len()],
            ratio: medians[1] / medians[0],
            low: None,
            high: None,
            basis: Basis::Assumed,
            certainty: Certainty::CannotTell,
        };
        Some(
            known
                .by_samples(before, after, margin, is_one_run)
                .or_else(|| known.by_few(one, other, margin))
                .or_else(|| known.by_spread(before, after, margin))
                .unwrap_or_else(|| {
                    let reach = NORMAL_95 * ASSUMED.hypot(ASSUMED);
                    known.within(reach, Basis::Assumed, margin)
                }),
        )
    }

    /// Returns the natural logarithm of the ratio.
    pub fn log(&self) -> f64 {
        self.ratio.ln()
    }

    fn by_samples(
        self,
        before: &[&SampleRecord],
        after: &[&SampleRecord],
        margin: Percent,
        is_one_run: bool,
    ) -> Option<Self> {
        let compare = match is_one_run {
            true => compare_cells,
            false => compare_medians,
        };
        let compared = compare(before, after, self.metric, margin)?.comparison;
        let interval = compared.ratio.interval?;
        Some(Self {
            ratio: compared.ratio.value,
            low: Some(interval.low),
            high: Some(interval.high),
            basis: Basis::Samples,
            certainty: match compared.verdict {
                Verdict::Different { .. } => Certainty::Different,
                Verdict::NoDifference { .. } => Certainty::Same,
                Verdict::CannotTell { .. } => Certainty::CannotTell,
            },
            ..self
        })
    }

    /// Judges by the spread of few samples.
    fn by_few(self, before: &[f64], after: &[f64], margin: Percent) -> Option<Self> {
        let count = before.len() + after.len();
        let freedom = count.checked_sub(3)?;
        let student = student(freedom);
        let squares = squares(before) + squares(after);
        let variance = squares / as_f64(freedom as u64 + 1);
        let inverse = |samples: &[f64]| 1.0 / as_f64(samples.len() as u64);
        let reach = student * (variance * (inverse(before) + inverse(after))).sqrt();
        Some(self.within(reach, Basis::FewSamples, margin))
    }

    /// Judges single runs by fio's spread over time, which is that of the bandwidth alone.
    fn by_spread(
        self,
        before: &[&SampleRecord],
        after: &[&SampleRecord],
        margin: Percent,
    ) -> Option<Self> {
        if !self.metric.higher_is_better() {
            return None;
        }
        let spread = |samples: &[&SampleRecord]| spread_over_time(&samples.first()?.sample);
        let (one, other) = (spread(before)?, spread(after)?);
        let freedom = (one.samples + other.samples).saturating_sub(3);
        let reach = student(freedom) * BETWEEN_RUNS * one.share.hypot(other.share);
        Some(self.within(reach, Basis::SpreadOfRuns, margin))
    }

    fn within(self, reach: f64, basis: Basis, margin: Percent) -> Self {
        let log = self.log();
        let margin = margin.as_fraction().ln_1p();
        Self {
            low: Some((log - reach).exp()),
            high: Some((log + reach).exp()),
            basis,
            certainty: if log.abs() > reach.max(margin) {
                Certainty::Different
            } else if log.abs() + reach <= margin {
                Certainty::Same
            } else {
                Certainty::CannotTell
            },
            ..self
        }
    }
}

/// Returns the logarithms of a metric; `None` if a sample lacks it, or there is none.
fn logs_of(samples: &[&SampleRecord], metric: Metric) -> Option<Vec<f64>> {
    let values = samples.iter().map(|record| metric.of(&record.sample));
    let logs: Option<Vec<f64>> = values
        .map(|value| value.filter(|value| *value > 0.0).map(f64::ln))
        .collect();
    logs.filter(|logs| !logs.is_empty())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

/// Returns the sum of the squares of distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / as_f64(values.len() as u64);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// Returns the quantile of Student's t for 95 %, for one degree of freedom more than `above_one`.
fn student(above_one: usize) -> f64 {
    let beyond = NORMAL_95 + 2.4 / as_f64(above_one as u64 + 1);
    STUDENT_95.get(above_one).copied().unwrap_or(beyond)
}

/// How a run's bandwidth varied over time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    /// Its standard deviation over its mean.
    share: f64,
    /// How many bandwidths it is known from.
    samples: usize,
}

/// Returns the standard deviation of a run's bandwidth over time, over its mean, as fio states it: of its
/// jobs the mean. `None` if fio took fewer than two samples.
fn spread_over_time(sample: &Sample) -> Option<Spread> {
    let jobs = sample.stated.iter().flat_map(|stated| &stated.jobs);
    let mut spreads = Vec::new();
    let mut fewest = usize::MAX;
    for job in jobs {
        let number = |direction: &str, name: &str| {
            let path = format!("{direction}.{name}");
            let found = job.numbers.iter().find(|(of, _)| *of == path);
            found.map(|(_, number)| *number)
        };
        for direction in ["read", "write", "mixed"] {
            let samples = number(direction, "bw_samples").unwrap_or(0.0);
            let mean = number(direction, "bw_mean").filter(|mean| *mean > 0.0);
            let deviation = number(direction, "bw_dev");
            if let (true, Some(mean), Some(deviation)) = (samples >= 2.0, mean, deviation) {
                spreads.push(deviation / mean);
                fewest = fewest.min(format!("{samples:.0}").parse().unwrap_or(2));
            }
        }
    }
    let count = as_f64(spreads.len() as u64);
    (!spreads.is_empty()).then(|| Spread {
        share: spreads.iter().sum::<f64>() / count,
        samples: fewest,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use stripewise_study::sample::{Role, Stated, Transfer, VerbatimJob};
    use stripewise_units::{Bytes, Nanos};

    use super::*;

    fn record(mib: u64, spread: Option<f64>) -> SampleRecord {
        let job = |spread: f64| VerbatimJob {
            numbers: [
                ("bw_samples", 20.0),
                ("bw_mean", 1000.0),
                ("bw_dev", 1000.0 * spread),
            ]
            .map(|(name, number)| (format!("read.{name}"), number))
            .to_vec(),
            texts: Vec::new(),
        };
        SampleRecord {
            cell: 0,
            block: u32::try_from(mib).unwrap(),
            role: Role::Counted,
            seed: None,
            sample: Sample {
                elapsed_ns: Nanos::new(1_000_000_000),
                read: Transfer {
                    ios: mib,
                    bytes: Bytes::new(mib << 20),
                    ..Transfer::default()
                },
                stated: spread.map(|spread| Stated {
                    jobs: vec![job(spread)],
                    ..Stated::default()
                }),
                ..Sample::default()
            },
        }
    }

    fn judged(before: &[u64], after: &[u64], spread: Option<f64>) -> (Basis, Certainty) {
        let records = |values: &[u64]| -> Vec<SampleRecord> {
            values.iter().map(|mib| record(*mib, spread)).collect()
        };
        let (before, after) = (records(before), records(after));
        let (before, after): (Vec<_>, Vec<_>) = (before.iter().collect(), after.iter().collect());
        let margin = Percent::new(2.0).unwrap();
        let found = Difference::of(&before, &after, Metric::Bandwidth, margin, false).unwrap();
        (found.basis, found.certainty)
    }

    #[test]
    fn single_runs_are_judged_by_their_own_spread_or_not_at_all() {
        let single = |after: u64, spread| judged(&[1000], &[after], spread);
        let spread = Basis::SpreadOfRuns;
        assert_eq!(single(780, Some(0.02)), (spread, Certainty::Different));
        assert_eq!(single(780, Some(0.10)), (spread, Certainty::CannotTell));
        assert_eq!(single(999, Some(0.001)), (spread, Certainty::Same));
        let assumed = Basis::Assumed;
        assert_eq!(single(780, None), (assumed, Certainty::CannotTell));
        assert_eq!(single(500, None), (assumed, Certainty::Different));
    }

    /// The failure: nothing was read on one side, and the latencies were compared instead.
    #[test]
    fn a_side_that_moved_nothing_says_so() {
        let (some, none) = (record(1000, None), record(0, None));
        let lack = |samples: &[&SampleRecord], metric| Lack::of(samples, metric);
        assert_eq!(lack(&[&some], Metric::Bandwidth), None);
        assert_eq!(
            lack(&[&some, &none], Metric::Bandwidth),
            Some(Lack::Nothing)
        );
        assert_eq!(lack(&[], Metric::Bandwidth), Some(Lack::NoSample));
        assert_eq!(
            lack(&[&some], Metric::SyncLatencyP99),
            Some(Lack::NotStated)
        );
        let silent_of = |one, other| silent([&[one], &[other]]);
        let (side, direction) = (1, Direction::Read);
        assert_eq!(silent_of(&some, &none), [Silent { side, direction }]);
        assert_eq!(silent_of(&some, &some), []);
    }

    /// Runs of fio that did the same, on a machine that did other work meanwhile (`ci/noise.sh`): any two of
    /// them as before and after.
    #[test]
    fn two_runs_of_the_same_differ_in_at_most_one_of_twenty_pairs() {
        let recorded = include_str!("../../tests/noise.txt");
        let mut loads: BTreeMap<&str, Vec<SampleRecord>> = BTreeMap::new();
        for line in recorded.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<f64>().unwrap();
            let mut run = record(0, None);
            run.sample.read.ios = 1;
            run.sample.read.bytes = Bytes::new(words[1].parse().unwrap());
            let numbers = ["bw_mean", "bw_dev", "bw_samples"];
            let numbers = numbers.into_iter().zip(2..);
            let numbers = numbers.map(|(name, at)| (format!("read.{name}"), number(at)));
            run.sample.stated = Some(Stated {
                jobs: vec![VerbatimJob {
                    numbers: numbers.collect(),
                    texts: Vec::new(),
                }],
                ..Stated::default()
            });
            loads.entry(words[0]).or_default().push(run);
        }
        let margin = Percent::new(2.0).unwrap();
        for (load, runs) in loads {
            let (mut pairs, mut named) = (0, 0);
            for (at, one) in runs.iter().enumerate() {
                for other in &runs[at + 1..] {
                    let found =
                        Difference::of(&[one], &[other], Metric::Bandwidth, margin, false).unwrap();
                    assert_eq!(found.basis, Basis::SpreadOfRuns);
                    pairs += 1;
                    named += u32::from(found.certainty == Certainty::Different);
                }
            }
            println!("{load}: {named} of {pairs}");
            assert!(
                pairs >= 200 && 20 * named <= pairs,
                "{load}: {named} of {pairs}"
            );
        }
    }

    #[test]
    fn few_runs_are_judged_by_the_spread_between_them() {
        let few = Basis::FewSamples;
        let judged = |before: &[u64], after: &[u64]| judged(before, after, None);
        assert_eq!(
            judged(&[1000, 1010, 990], &[800, 790, 810]),
            (few, Certainty::Different)
        );
        assert_eq!(
            judged(&[1000, 1200, 800], &[900, 1100, 700]),
            (few, Certainty::CannotTell)
        );
        // Two of each can agree by chance.
        assert_eq!(
            judged(&[1000, 1040], &[950, 920]),
            (few, Certainty::CannotTell)
        );
    }

    #[test]
    fn many_samples_are_compared_as_compare_does() {
        let many = |middle: u64| -> Vec<u64> { (0..10).map(|index| middle + index).collect() };
        let (basis, certainty) = judged(&many(1000), &many(800), None);
        assert_eq!((basis, certainty), (Basis::Samples, Certainty::Different));
        let (_, certainty) = judged(&many(1000), &many(1001), None);
        assert_eq!(certainty, Certainty::Same);
    }
}
