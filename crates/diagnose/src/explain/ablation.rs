//! What the model makes of each of several changes: all subsets of those that have an effect.
//!
//! 1. Screening: each change alone on top of the one side, and undone from the other. Changes that do
//!    nothing from either side are left out.
//! 2. All subsets of the others, or those in drawn orders of them, with the same seeds (common random
//!    numbers), so that noise cancels.
//! 3. Shapley shares ([`super::shares`]) for each seed. Where device or host are no measured profiles, all of
//!    it again with disks, and with a processor, twice as fast: the interval of a share contains these.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_analysis::simulations::{Precision, median_of};
use stripewise_profiles::Basis;
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::world::ModelError;
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;

use super::evidence::{ios_of, requests_of};
use super::setup::{Setup, Untaken};
use super::shares::{Orders, Subsets};
use crate::cause::Cause;

/// An effect on the bandwidth below this, as a logarithm, counts as none.
pub const EFFECT_MIN: f64 = 0.01;
/// Latencies come from bins, and vary more.
const EFFECT_MIN_OF_LATENCY: f64 = 0.03;
/// The simulations for screening.
const SCREENED: usize = 2;
/// The most changes that are taken apart; of more, those with the largest effects.
pub const TAKEN_APART_MAX: usize = 12;
/// The most changes of which all subsets are simulated; of more, those in drawn orders: 12 have 4,096.
const SUBSETS_OF_MAX: usize = 8;
/// How many orders are drawn, each with its reverse.
const ORDER_PAIRS: usize = 16;
/// The most changes of which all subsets are simulated in variants of the profiles, too.
const VARIED_MAX: usize = 4;
/// How far a simulation may be off, as precision of its own rate.
const HALF_WIDTH: f64 = 0.02;

/// Logarithms by subset of changes, metric and seed.
type Values = BTreeMap<usize, Vec<Vec<f64>>>;

/// A fact that is different after than before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The key of the fact.
    pub key: String,
    /// Its earlier value.
    pub before: String,
    /// Its later value.
    pub after: String,
}

/// A logarithm of a ratio, with the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LogRange {
    /// The lower end.
    pub low: f64,
    /// The value.
    pub value: f64,
    /// The upper end.
    pub high: f64,
}

/// What a change does to a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The change, by its place among all.
    pub change: usize,
    /// The logarithm of the ratio if it alone is made.
    pub alone: f64,
    /// The logarithm of the ratio that is lost if it alone is undone.
    pub undone: f64,
    /// Its share of the whole, as a logarithm.
    pub share: LogRange,
}

/// What all changes do to a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfMetric {
    /// The metric.
    pub metric: Metric,
    /// What the model predicts before.
    pub before: f64,
    /// The logarithm of the ratio with all changes.
    pub total: LogRange,
    /// The changes with an effect, in the order of the facts.
    pub effects: Vec<Effect>,
    /// The fewest changes that make the whole difference, by their places among all.
    pub smallest: Vec<usize>,
    /// Whether changes do something else together than alone.
    pub interact: bool,
}

/// Why the model says nothing of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotModelled {
    /// The change, by its place among all.
    pub change: usize,
    /// Why the model refuses it; `None` if it has no such setting.
    pub why: Option<String>,
}

/// What the model makes of changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ablation {
    /// The places of the changes that it simulates.
    pub modelled: Vec<usize>,
    /// Those that it does not.
    pub not_modelled: Vec<NotModelled>,
    /// How many changes had an effect, and were left out as others have larger ones.
    pub screened_out: usize,
    /// How many times the requests of the disks for each I/O become if a change alone is made, by its place.
    pub requests: BTreeMap<usize, f64>,
    /// What it says of each metric that the load has.
    pub metrics: Vec<OfMetric>,
}

impl Ablation {
    /// Returns what it says of a metric.
    pub fn of(&self, metric: Metric) -> Option<&OfMetric> {
        self.metrics.iter().find(|one| one.metric == metric)
    }
}

impl OfMetric {
    /// Returns the effect of a change, by its place among all.
    pub fn effect(&self, change: usize) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.change == change)
    }
}

impl LogRange {
    const ZERO: Self = Self {
        low: 0.0,
        value: 0.0,
        high: 0.0,
    };

    /// Returns the range of one value for each seed.
    fn of(values: &[f64]) -> Self {
        let Some(middle) = median_of(values) else {
            return Self::ZERO;
        };
        let spread = values
            .iter()
            .fold((middle.value, middle.value), |(low, high), value| {
                (value.min(low), value.max(high))
            });
        let (low, high) = middle
            .interval
            .map_or(spread, |interval| (interval.low, interval.high));
        Self {
            low,
            value: middle.value,
            high,
        }
    }

    fn include(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }
}

/// Asks the model what each change does.
///
/// # Errors
/// [`ModelError`] if the cell cannot be simulated before any change, or `observer` cancelled.
pub fn ablate(
    setup: &Setup,
    changes: &[Change],
    metrics: &[Metric],
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<Ablation, ModelError> {
    let (base, modelled, not_modelled) = taken(setup, changes);
    let mut bench = Bench {
        changes,
        metrics,
        seed,
        observer,
    };
    let Screened {
        chosen,
        left_out: screened_out,
        requests,
    } = bench.screen(&base, &modelled)?;
    let seeds = seeds_for(chosen.len());
    let orders = Orders::of(chosen.len(), SUBSETS_OF_MAX, ORDER_PAIRS, seed);
    let subsets = bench.subsets(&base, &chosen, &orders, seeds)?;
    let before = bench.logs(&base, SCREENED)?;
    let varied = bench.varied(&base, &chosen)?;
    let found = metrics.iter().enumerate().filter_map(|(index, metric)| {
        let before = median_of(&before[index])?.value.exp();
        let of_metric = |all: &Values| tables(all, index, chosen.len(), &orders);
        let variants: Option<Vec<Vec<Subsets>>> = varied.iter().map(of_metric).collect();
        combined(*metric, before, &chosen, &of_metric(&subsets)?, &variants?)
    });
    Ok(Ablation {
        metrics: found.collect(),
        modelled,
        not_modelled,
        screened_out,
        requests,
    })
}

/// Returns the setup with all earlier values, which changes the model takes, and which not.
fn taken(setup: &Setup, changes: &[Change]) -> (Setup, Vec<usize>, Vec<NotModelled>) {
    let mut base = setup.clone();
    let of = |value: fn(&Change) -> &String| -> Vec<(&str, &str)> {
        let facts = changes.iter();
        facts
            .map(|one| (one.key.as_str(), value(one).as_str()))
            .collect()
    };
    let before = base.set_all(&of(|change| &change.before));
    let after = base.clone().set_all(&of(|change| &change.after));
    let (mut modelled, mut not_modelled) = (Vec::new(), Vec::new());
    for (place, (before, after)) in before.into_iter().zip(after).enumerate() {
        match before.and(after) {
            Ok(()) => modelled.push(place),
            Err(Untaken::NoSetting) => not_modelled.push(NotModelled {
                change: place,
                why: None,
            }),
            Err(Untaken::Refused(why)) => not_modelled.push(NotModelled {
                change: place,
                why: Some(why),
            }),
        }
    }
    (base, modelled, not_modelled)
}

/// Returns how many seeds so many changes are simulated with: more subsets with fewer.
const fn seeds_for(changes: usize) -> usize {
    match changes {
        0..=3 => 6,
        4..=5 => 3,
        6..=SUBSETS_OF_MAX => 2,
        // Drawn orders are what the shares vary by.
        _ => 1,
    }
}

/// Returns the values of one metric as a table of subsets for each seed; `None` if the load has no such
/// metric. `all` is by subset, metric and seed.
fn tables(all: &Values, metric: usize, changes: usize, orders: &Orders) -> Option<Vec<Subsets>> {
    let seeds = all.get(&0)?[metric].len();
    let of_seed = |seed: usize| {
        let logs = all
            .iter()
            .map(|(subset, logs)| (*subset, logs[metric][seed]));
        Subsets::new(changes, orders.clone(), logs.collect())
    };
    (0..seeds).map(of_seed).collect()
}

/// Returns the least effect on a metric.
fn effect_min(metric: Metric) -> f64 {
    match metric.higher_is_better() {
        true => EFFECT_MIN,
        false => EFFECT_MIN_OF_LATENCY,
    }
}

/// Combines the tables of all seeds, and those of the variants.
fn combined(
    metric: Metric,
    before: f64,
    chosen: &[usize],
    seeds: &[Subsets],
    variants: &[Vec<Subsets>],
) -> Option<OfMetric> {
    let middle = |values: Vec<f64>| median_of(&values).map_or(0.0, |one| one.value);
    let each = |value: &dyn Fn(&Subsets) -> f64| -> Vec<f64> { seeds.iter().map(value).collect() };
    let mut total = LogRange::of(&each(&Subsets::total));
    for variant in variants {
        total.include(middle(variant.iter().map(Subsets::total).collect()));
    }
    let effects = chosen.iter().enumerate().map(|(place, change)| {
        let mut share = LogRange::of(&each(&|one| one.shares()[place]));
        let error = middle(each(&|one| one.errors()[place]));
        share.include(share.value - error);
        share.include(share.value + error);
        for variant in variants {
            share.include(middle(
                variant.iter().map(|one| one.shares()[place]).collect(),
            ));
        }
        Effect {
            change: *change,
            alone: middle(each(&|one| one.alone(place))),
            undone: middle(each(&|one| one.undone(place))),
            share,
        }
    });
    let tolerance = effect_min(metric).max(0.1 * total.value.abs());
    let first = seeds.first()?;
    Some(OfMetric {
        metric,
        before,
        effects: effects.collect(),
        smallest: first
            .smallest(tolerance)
            .into_iter()
            .map(|place| chosen[place])
            .collect(),
        interact: first.interact(2.0 * tolerance),
        total,
    })
}

/// The changes with an effect.
#[derive(Default)]
struct Screened {
    /// Those of which all subsets are simulated.
    chosen: Vec<usize>,
    /// How many more there are.
    left_out: usize,
    /// What each modelled change alone makes of the requests of the disks.
    requests: BTreeMap<usize, f64>,
}

/// What simulates subsets of changes.
struct Bench<'a> {
    changes: &'a [Change],
    metrics: &'a [Metric],
    seed: u64,
    observer: &'a mut dyn Observer,
}

impl Bench<'_> {
    /// Returns the logarithm of each metric for each seed, and of the requests of the disks for each I/O;
    /// not a number where the load lacks it.
    fn logs(&mut self, setup: &Setup, seeds: usize) -> Result<Vec<Vec<f64>>, ModelError> {
        let question = Question {
            precision: Precision {
                at_least: seeds,
                at_most: seeds,
                half_width: HALF_WIDTH,
            },
            ..Question::new(&setup.cell, self.seed)
        };
        let answer = setup.model.answer(&question, self.observer)?;
        let of = |metric: &Metric| {
            let values = answer.samples.iter();
            let log = |value: Option<f64>| value.map_or(f64::NAN, f64::ln);
            let mut logs: Vec<f64> = values.map(|sample| log(metric.of(sample))).collect();
            // A simulation that spent its effort is the last one.
            let last = logs.last().copied().unwrap_or(f64::NAN);
            logs.resize(seeds, last);
            logs
        };
        let mut logs: Vec<Vec<f64>> = self.metrics.iter().map(of).collect();
        // Beside the metrics: the requests of the disks for each I/O.
        let requests = answer.samples.iter().map(|sample| {
            let requests = requests_of(sample).filter(|count| *count > 0);
            requests.map_or(f64::NAN, |count| {
                (as_f64(count) / as_f64(ios_of(sample).max(1))).ln()
            })
        });
        logs.push(requests.collect());
        Ok(logs)
    }

    /// Returns a setup with some changes; one that is impossible without the others does nothing.
    fn with(&self, base: &Setup, changes: impl Iterator<Item = usize>) -> Setup {
        let mut setup = base.clone();
        let made = changes.map(|change| &self.changes[change]);
        let made: Vec<(&str, &str)> = made.map(|one| (&*one.key, &*one.after)).collect();
        let _impossible = setup.set_all(&made);
        setup
    }

    /// Returns the changes with an effect on a metric, and how many more there are.
    fn screen(&mut self, base: &Setup, modelled: &[usize]) -> Result<Screened, ModelError> {
        let mut screened = Screened::default();
        if modelled.is_empty() {
            return Ok(screened);
        }
        let full = self.with(base, modelled.iter().copied());
        let (none, all) = (self.logs(base, SCREENED)?, self.logs(&full, SCREENED)?);
        let mut effects = Vec::new();
        for change in modelled {
            let alone = self.with(base, std::iter::once(*change));
            let others = modelled.iter().copied().filter(|other| other != change);
            let without = self.with(base, others);
            let (alone, without) = (self.logs(&alone, SCREENED)?, self.logs(&without, SCREENED)?);
            let times = self.requests_ratio(&none, &alone);
            screened
                .requests
                .extend(times.map(|times| (*change, times)));
            let size = self
                .largest(&none, &alone)
                .max(self.largest(&all, &without));
            if size >= 1.0 {
                effects.push((*change, size));
            }
        }
        effects.sort_by(|one, other| other.1.total_cmp(&one.1));
        screened.left_out = effects.len().saturating_sub(TAKEN_APART_MAX);
        effects.truncate(TAKEN_APART_MAX);
        screened.chosen = effects.into_iter().map(|(change, _)| change).collect();
        screened.chosen.sort_unstable();
        Ok(screened)
    }

    /// Returns how many times the requests of the disks for each I/O are after.
    fn requests_ratio(&self, before: &[Vec<f64>], after: &[Vec<f64>]) -> Option<f64> {
        let of = |logs: &[Vec<f64>]| median_of(&logs[self.metrics.len()]);
        let log = of(after)?.value - of(before)?.value;
        log.is_finite().then(|| log.exp())
    }

    /// Returns the largest difference in any metric, in units of the least effect on it.
    fn largest(&self, before: &[Vec<f64>], after: &[Vec<f64>]) -> f64 {
        let of = |(index, metric): (usize, &Metric)| {
            let differences = before[index].iter().zip(&after[index]);
            let differences: Vec<f64> = differences.map(|(one, other)| other - one).collect();
            let middle = median_of(&differences).map_or(0.0, |one| one.value);
            middle.abs() / effect_min(*metric)
        };
        self.metrics.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Returns the values of the subsets that orders need, by subset, metric and seed.
    fn subsets(
        &mut self,
        base: &Setup,
        chosen: &[usize],
        orders: &Orders,
        seeds: usize,
    ) -> Result<Values, ModelError> {
        let of = |subset: usize| {
            let made = chosen.iter().enumerate();
            let made = made.filter(|(place, _)| subset & (1 << place) != 0);
            let setup = self.with(base, made.map(|(_, change)| *change));
            Ok((subset, self.logs(&setup, seeds)?))
        };
        orders.subsets(chosen.len()).into_iter().map(of).collect()
    }

    /// Returns the same in variants of profiles that nobody measured: disks, and then a processor, that are
    /// twice as fast.
    fn varied(&mut self, base: &Setup, chosen: &[usize]) -> Result<Vec<Values>, ModelError> {
        let is_measured = is_measured(base);
        if is_measured || chosen.is_empty() || chosen.len() > VARIED_MAX {
            return Ok(Vec::new());
        }
        let variants = [Cause::Devices, Cause::Processor].map(|cause| {
            let mut variant = base.clone();
            cause.halve(&mut variant.model.profiles);
            variant
        });
        let mut varied = Vec::new();
        for variant in variants {
            varied.push(self.subsets(&variant, chosen, &Orders::All, SCREENED)?);
        }
        Ok(varied)
    }
}

/// Returns whether device and host were measured.
fn is_measured(setup: &Setup) -> bool {
    let profiles = &setup.model.profiles;
    let host = profiles.host(setup.model.host.as_deref());
    let host = host.is_ok_and(|host| host.basis == Some(Basis::Measured));
    let mut groups = setup.cell.stack.devices.iter();
    host && groups.all(|group| {
        let device = profiles.devices.get(&group.profile);
        device.is_some_and(|device| device.basis == Some(Basis::Measured))
    })
}
