//! The answers of a page's runs: claims as data, each with the estimates that support it.
//!
//! "Beyond doubt" means that the interval of the best does not touch that of any other. Cells
//! without an estimate support no claim.

use std::collections::{BTreeMap, BTreeSet};
use stripewise_catalogue::Words;

use serde::Serialize;
use stripewise_analysis::advice::Advice;
use stripewise_analysis::cause::StackDifference;
use stripewise_diagnose::why::Bottleneck;
use stripewise_stats::{Estimate, Interval};
use stripewise_study::cell::Axis as Key;
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::metric::{Metric, MetricKey};
use stripewise_study::sample::Role;

use super::axes::{MappedAxis, NONE};
use super::cuts;
use super::subjects::{Subject, reference};
use crate::before_after::{BeforeAfter, CellShift};
use crate::differences::{DifferenceReport, reports};
use crate::document::Document;
use crate::power_cuts::PowerCuts;
use crate::text::strip_control;
use stripewise_study::sample::as_f64;

/// The most limits in a claim.
const LISTED_MAX: usize = 3;
/// The most winning values of an axis claimed for one pattern.
const WINNERS_MAX: usize = 1;

/// A sentence of the answer, as data. Indices are those of the page's cells and runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "claim", rename_all = "snake_case")]
pub enum Claim {
    /// A value of an axis is the best over all loads.
    Overall {
        /// The axis.
        axis: &'static str,
        /// Its values, the best first.
        standings: Vec<ShareOfBest>,
        /// The number of loads in which every value has an estimate.
        loads: usize,
        /// The number of loads.
        loads_all: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// Values of an axis are the same, and the best, in every load.
    Same {
        /// The axis.
        axis: &'static str,
        /// The values.
        values: Vec<String>,
        /// Whether the axis has no others.
        is_all: bool,
        /// The number of loads in which every value has an estimate.
        loads: usize,
        /// The number of loads.
        loads_all: usize,
        /// Differences up to this share count as none.
        margin: f64,
        /// The metric.
        metric: MetricKey,
    },
    /// Stacks do not survive a failed disk, which the study asks about, and so are no choice.
    Lost {
        /// The stacks.
        stacks: Vec<String>,
    },
    /// A value of an axis is the best in some loads.
    Wins {
        /// The pattern of these loads; `None` if all have the same.
        panel: Option<String>,
        /// The axis.
        axis: &'static str,
        /// The value.
        value: String,
        /// The number of loads in which it is the best.
        wins: usize,
        /// The number of those beyond doubt.
        certain: usize,
        /// The number of loads.
        loads: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The largest difference that the axis makes in one load.
    Largest {
        /// The load, in the values of the other axes.
        load: String,
        /// The same as axes and values.
        load_values: Vec<(&'static str, String)>,
        /// The best cell.
        best: usize,
        /// The worst cell.
        worst: usize,
        /// The larger value over the smaller one.
        ratio: f64,
        /// The same ratio with the interval that follows from those of the two cells.
        ratio_estimate: Estimate,
        /// The metric.
        metric: MetricKey,
    },
    /// The number of cells better or worse than their baseline.
    Against {
        /// Certainly better.
        better: usize,
        /// Certainly worse.
        worse: usize,
        /// No difference above the margin.
        same: usize,
        /// The samples do not decide.
        unknown: usize,
        /// The same, with the distances from the baselines.
        counts: BeforeAfter,
        /// The metric.
        metric: MetricKey,
    },
    /// The differences of a stack from its baseline, and which of them matter.
    Differs(StackDifference),
    /// Stacks whose differences from their baseline no other stack explains.
    #[serde(rename = "untold")]
    Unexplained {
        /// The stacks.
        stacks: Vec<String>,
        /// Their baseline.
        baseline: String,
    },
    /// The estimate of a cell, if there is nothing to compare.
    #[serde(rename = "gives")]
    CellEstimate {
        /// The cell.
        cell: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The bottlenecks of the cells, the most frequent first.
    Limits {
        /// Each bottleneck and its number of cells.
        limits: Vec<Limit>,
        /// The number of cells.
        cells: usize,
    },
    /// The number of cells in which one run is better or worse than another.
    BeforeAfter {
        /// The run.
        run: usize,
        /// The run to compare with.
        reference: usize,
        /// Whether the reference run came first, and there are no other runs.
        is_in_order: bool,
        /// The counts.
        #[serde(flatten)]
        counts: BeforeAfter,
        /// The metric.
        metric: MetricKey,
    },
    /// The difference of predictions from measurements in the cells that both have.
    #[serde(rename = "off")]
    PredictionError {
        /// The run.
        run: usize,
        /// The run to compare with.
        reference: usize,
        /// The number of cells that both have.
        cells: usize,
        /// The mean of the relative differences, without sign.
        mean_share: f64,
        /// The largest of them, with its sign.
        worst_share: f64,
        /// The cell with it.
        worst_cell: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The number of cells that are as precise as the study requires.
    Settled {
        /// The number of such cells.
        settled: usize,
        /// The number of all cells.
        cells: usize,
        /// The required precision: the half width of the interval, as a share.
        margin: f64,
    },
    /// Each cell was measured once, so that nothing has an interval.
    Single {
        /// The number of cells.
        cells: usize,
    },
    /// A part of the advice from power cuts; its settings are those of the view.
    PowerCuts {
        /// The advice.
        advice: Advice,
        /// Its place in the advice.
        #[serde(skip)]
        place: usize,
    },
    /// Invalid samples.
    NotCounted {
        /// Their number.
        samples: usize,
        /// The number of samples that were to count.
        of: usize,
    },
}

impl Claim {
    /// Returns whether the terminal prints it above the table; the table and its notes show the
    /// others.
    pub(crate) fn is_in_terminal(&self) -> bool {
        matches!(
            self,
            Claim::Overall { .. }
                | Claim::Same { .. }
                | Claim::Lost { .. }
                | Claim::Wins { .. }
                | Claim::Largest { .. }
                | Claim::Against { .. }
                | Claim::BeforeAfter { .. }
                | Claim::Limits { .. }
        )
    }
}

/// How near a value of an axis comes to the best of each load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShareOfBest {
    /// The value.
    pub value: String,
    /// The geometric mean, over the loads, of its share of the best of the load: at most 1.
    pub mean_share: f64,
    /// The same with every interval at its worst for the value; `None` if one is missing.
    pub low_share: Option<f64>,
    /// The same with every interval at its best for the value.
    pub high_share: Option<f64>,
    /// Its share in the load in which it is furthest from the best.
    pub worst_share: f64,
    /// That load, in the values of the other axes.
    pub worst_load: String,
    /// The same as axes and values.
    pub worst_load_values: Vec<(&'static str, String)>,
}

/// A bottleneck and its number of cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limit {
    /// One of the cells' bottlenecks.
    pub bottleneck: Bottleneck,
    /// How many cells it limits.
    pub cells: usize,
}

/// The data that claims are derived from.
pub(crate) struct Evidence<'a> {
    pub(crate) documents: &'a [Document],
    pub(crate) axes: &'a [MappedAxis],
    pub(crate) cells: &'a [Subject<'a>],
    pub(crate) metric: Metric,
    pub(crate) cuts: Option<&'a PowerCuts>,
}

/// Returns the answers of the runs: how the others compare with the reference run, then the first
/// run's own answer.
pub(crate) fn of(evidence: &Evidence) -> Vec<Claim> {
    if let Some(cuts) = evidence.cuts {
        // The fastest setting is no answer where settings destroy data.
        let mut claims = cuts::claims(cuts);
        claims.extend(evidence.not_counted());
        return claims;
    }
    let mut claims = evidence.before_after();
    claims.extend(evidence.prediction_errors());
    // Measured runs of the same cells have their own answers in their own reports.
    if claims.is_empty() || evidence.has_predictions() {
        claims.extend(evidence.contest());
        claims.extend(evidence.against());
        claims.extend(evidence.differs());
    }
    claims.extend(evidence.limits());
    claims.extend(evidence.settled());
    claims.extend(evidence.not_counted());
    claims
}

impl Evidence<'_> {
    fn estimate(&self, cell: &Subject) -> Option<Estimate> {
        cell.part.estimate(self.metric).copied()
    }

    /// Returns the cells of the first run, with their indices.
    fn first_run(&self) -> impl Iterator<Item = (usize, &Subject<'_>)> {
        let cells = self.cells.iter().enumerate();
        cells.filter(|(_, cell)| cell.run == 0)
    }

    /// Returns the place of the contested axis: the one that the baseline names, else the stack,
    /// else the first one that is not a pattern.
    fn contested(&self) -> Option<usize> {
        let compare = &self.documents.first()?.run.compare;
        let varies = |key: &str| {
            let place = self.axes.iter().position(|axis| axis.shown.key == key)?;
            let mut values = self.first_run().map(|(_, cell)| &cell.values[place]);
            let first = values.next()?;
            values.any(|value| value != first).then_some(place)
        };
        let baseline = compare.baseline.keys().map(|axis| axis.key());
        let keys = self.axes.iter().map(|axis| axis.shown.key);
        // Each job of an imported file has its own name: it names a cell and is not contested.
        let keys = keys.filter(|key| *key != Key::Pattern.key());
        let keys = keys.filter(|key| *key != Key::Workload.key() || !self.is_name(key));
        let mut candidates = baseline.chain([Key::Stack.key()]).chain(keys);
        candidates.find_map(varies)
    }

    /// Returns whether the axis only names imported cells: each cell of the first run has a value
    /// of its own. In a study, the author names workloads to compare them.
    fn is_name(&self, key: &str) -> bool {
        let first = self.documents.first();
        if !first.is_some_and(|document| document.run.origin.is_imported()) {
            return false;
        }
        let place = self.axes.iter().position(|axis| axis.shown.key == key);
        let values = self
            .first_run()
            .filter_map(|(_, cell)| cell.values.get(place?));
        let values: Vec<&String> = values.collect();
        let distinct: BTreeSet<&&String> = values.iter().collect();
        distinct.len() == values.len()
    }

    /// Returns which value of the contested axis is the best, and the size of its effect.
    fn contest(&self) -> Vec<Claim> {
        let contested = self.contested().map(|axis| (axis, self.loads(axis)));
        let Some((axis, mut loads)) = contested.filter(|(_, loads)| !loads.is_empty()) else {
            return self.cell_estimates();
        };
        // A load is what is asked about: nobody chooses the one that is served best.
        if is_of_load(self.axes[axis].shown.key) {
            return self.largest(axis, &loads).into_iter().collect();
        }
        let mut claims = Vec::new();
        let lost = self.lost(axis);
        if !lost.is_empty() {
            for load in &mut loads {
                load.retain(|one| !lost.contains(self.cells[one.index].values[axis].as_str()));
            }
            loads.retain(|load| load.len() > 1);
            let stacks = lost.into_iter().map(str::to_owned).collect();
            claims.push(Claim::Lost { stacks });
        }
        let same = self.same(axis, &loads);
        claims.extend(same.or_else(|| self.overall(axis, &loads)));
        let is_pattern = |other: &MappedAxis| other.shown.key == Key::Pattern.key();
        let panel = self
            .axes
            .iter()
            .position(is_pattern)
            .filter(|place| *place != axis);
        match panel {
            None => claims.extend(self.wins(axis, None, &loads)),
            Some(place) => {
                for value in &self.axes[place].shown.values {
                    let is_of =
                        |load: &&Vec<Contender>| self.cells[load[0].index].values[place] == *value;
                    let loads: Vec<Vec<Contender>> = loads.iter().filter(is_of).cloned().collect();
                    claims.extend(self.wins(axis, Some(value), &loads));
                }
            }
        }
        claims.extend(self.largest(axis, &loads));
        claims
    }

    /// Returns the stacks that do not survive the failures that others of the run do.
    fn lost(&self, axis: usize) -> BTreeSet<&str> {
        let is_stack = self.axes[axis].shown.key == Key::Stack.key();
        let is_failure = |other: &MappedAxis| other.shown.key == Key::Failure.key();
        let Some(failure) = self.axes.iter().position(is_failure).filter(|_| is_stack) else {
            return BTreeSet::new();
        };
        let fails = |(_, cell): &(usize, &Subject)| {
            !["none", NONE].contains(&cell.values[failure].as_str())
        };
        let survivors: BTreeSet<&str> = self
            .first_run()
            .filter(fails)
            .map(|(_, cell)| cell.values[axis].as_str())
            .collect();
        if survivors.is_empty() {
            return BTreeSet::new();
        }
        let all = self.first_run().map(|(_, cell)| cell.values[axis].as_str());
        all.filter(|stack| !survivors.contains(stack)).collect()
    }

    /// Returns the share up to which a difference counts as none.
    fn margin(&self) -> f64 {
        let first = self.documents.first();
        first.map_or(0.0, |document| {
            document.run.compare.margin_percent.as_fraction()
        })
    }

    /// Returns whether two estimates are the same for certain: within the margin.
    fn is_same(&self, one: &Estimate, other: &Estimate) -> bool {
        let (more, less) = match one.value >= other.value {
            true => (one, other),
            false => (other, one),
        };
        let ratio = ratio_of(more, less);
        let highest = ratio.interval.map(|interval| interval.high);
        highest.is_some_and(|highest| highest <= 1.0 + self.margin())
    }

    /// Returns the values that are the best, and the same, in every load; `None` unless there are two.
    fn same(&self, axis: usize, loads: &[Vec<Contender>]) -> Option<Claim> {
        let (values, complete) = self.complete(axis, loads);
        let is_tied = |value: &&str| {
            complete.iter().all(|load| {
                let is_it = |one: &&Contender| self.cells[one.index].values[axis] == **value;
                let own = load.iter().find(is_it);
                own.is_some_and(|own| self.is_same(&load[0].estimate, &own.estimate))
            })
        };
        let mut tied: Vec<&str> = values.iter().copied().filter(is_tied).collect();
        tied.sort_by_key(|value| self.rank(axis, value));
        (tied.len() > 1 && !complete.is_empty()).then(|| Claim::Same {
            axis: self.axes[axis].shown.key,
            is_all: tied.len() == values.len(),
            values: tied.into_iter().map(str::to_owned).collect(),
            loads: complete.len(),
            loads_all: loads.len(),
            margin: self.margin(),
            metric: MetricKey(self.metric),
        })
    }

    /// Returns the values of an axis, and the loads in which each has an estimate.
    fn complete<'e>(
        &'e self,
        axis: usize,
        loads: &[Vec<Contender>],
    ) -> (BTreeSet<&'e str>, Vec<Vec<Contender>>) {
        let value_of = |one: &Contender| self.cells[one.index].values[axis].as_str();
        let values: BTreeSet<&str> = loads.iter().flatten().map(value_of).collect();
        let is_complete = |load: &&Vec<Contender>| {
            let is_positive = |one: &Contender| one.estimate.value > 0.0;
            let found: BTreeSet<&str> = load.iter().map(value_of).collect();
            found == values && load.iter().all(is_positive)
        };
        let complete = loads.iter().filter(is_complete).cloned().collect();
        (values, complete)
    }

    /// Returns the estimates of the first cells, if there is nothing to compare.
    fn cell_estimates(&self) -> Vec<Claim> {
        let known = |(_, cell): &(usize, &Subject)| self.estimate(cell).is_some();
        let cells = self.first_run().filter(known).take(LISTED_MAX);
        let cell_estimate = |(cell, _)| Claim::CellEstimate {
            cell,
            metric: MetricKey(self.metric),
        };
        cells.map(cell_estimate).collect()
    }

    /// Returns the cells of the first run that differ only in the axis, load by load; best first
    /// within a load.
    fn loads(&self, axis: usize) -> Vec<Vec<Contender>> {
        let mut loads: BTreeMap<Vec<&str>, Vec<Contender>> = BTreeMap::new();
        let mut order: Vec<Vec<&str>> = Vec::new();
        let others: Vec<usize> = self.others(axis).collect();
        for (index, cell) in self.first_run() {
            let Some(estimate) = self.estimate(cell) else {
                continue;
            };
            let others = others.iter();
            let load: Vec<&str> = others.map(|place| cell.values[*place].as_str()).collect();
            if !loads.contains_key(&load) {
                order.push(load.clone());
            }
            loads
                .entry(load)
                .or_default()
                .push(Contender { index, estimate });
        }
        let mut loads: Vec<Vec<Contender>> = order
            .into_iter()
            .filter_map(|load| loads.remove(&load))
            .filter(|load| load.len() > 1)
            .collect();
        for load in &mut loads {
            load.sort_by(|one, other| {
                let ascending = one.estimate.value.total_cmp(&other.estimate.value);
                match self.metric.higher_is_better() {
                    true => ascending.reverse(),
                    false => ascending,
                }
            });
        }
        loads
    }

    /// Returns the places of the axes that define a load. A chunk belongs to its stack, and the
    /// keys of a named workload belong to its name.
    fn others(&self, axis: usize) -> impl Iterator<Item = usize> + '_ {
        let is_workload = self.axes[axis].shown.key == Key::Workload.key();
        let key = Key::Workload.key();
        let has_names = self.axes.iter().any(|axis| axis.shown.key == key) && self.is_name(key);
        // A named load needs none of the keys that its name decides.
        let name = self.axes.iter().position(|axis| axis.shown.key == key);
        let name = name.filter(|_| !has_names);
        let all = self.axes.iter().enumerate();
        all.filter(move |(place, other)| {
            let is_name = has_names && other.shown.key == key;
            let is_told = name.is_some_and(|name| {
                name != *place && is_of_load(other.shown.key) && self.follows(*place, name)
            });
            let goes_with = other.is_derived()
                || is_name
                || is_told
                || is_workload && self.follows(*place, axis);
            *place != axis && !goes_with
        })
        .map(|(place, _)| place)
    }

    /// Returns whether the first run's cells with one value along `leader` have one along `place`.
    fn follows(&self, place: usize, leader: usize) -> bool {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        self.first_run().all(|(_, cell)| {
            let value = cell.values[place].as_str();
            *seen.entry(&cell.values[leader]).or_insert(value) == value
        })
    }

    /// Returns how near each value of the axis comes to the best, over the loads in which every
    /// value was measured: a value must not win because its hardest load is missing.
    fn overall(&self, axis: usize, loads: &[Vec<Contender>]) -> Option<Claim> {
        let (values, complete) = self.complete(axis, loads);
        if complete.len() < 2 {
            return None;
        }
        let standings = values.iter();
        let standings = standings.map(|value| self.standing(axis, value, &complete));
        let mut standings: Vec<ShareOfBest> = standings.collect::<Option<_>>()?;
        standings.sort_by(|one, other| other.mean_share.total_cmp(&one.mean_share));
        Some(Claim::Overall {
            axis: self.axes[axis].shown.key,
            standings,
            loads: complete.len(),
            loads_all: loads.len(),
            metric: MetricKey(self.metric),
        })
    }

    fn standing(&self, axis: usize, value: &str, loads: &[Vec<Contender>]) -> Option<ShareOfBest> {
        let mut shares: Vec<Share> = Vec::new();
        let mut worst: Option<(f64, &Contender)> = None;
        for load in loads {
            let is_it = |one: &&Contender| self.cells[one.index].values[axis] == value;
            let own = load.iter().find(is_it)?;
            let share = self.share(own, load)?;
            if worst.is_none_or(|worst| share.value < worst.0) {
                worst = Some((share.value, own));
            }
            shares.push(share);
        }
        let (worst_share, at) = worst?;
        let bounds: Option<Vec<(f64, f64)>> = shares.iter().map(|share| share.bounds).collect();
        let lows = bounds.as_ref().map(|all| all.iter().map(|bounds| bounds.0));
        let highs = bounds.as_ref().map(|all| all.iter().map(|bounds| bounds.1));
        Some(ShareOfBest {
            value: value.to_owned(),
            mean_share: geometric_mean(shares.iter().map(|share| share.value)),
            low_share: lows.map(geometric_mean),
            high_share: highs.map(geometric_mean),
            worst_share,
            worst_load: self.load_words(axis, at.index),
            worst_load_values: self.load_values(axis, at.index),
        })
    }

    /// Returns a cell's share of the best of its load.
    fn share(&self, own: &Contender, load: &[Contender]) -> Option<Share> {
        let of = |own: f64, best: f64| match self.metric.higher_is_better() {
            true => own / best,
            false => best / own,
        };
        let value = of(own.estimate.value, load.first()?.estimate.value);
        let is_share = value > 0.0 && value.is_finite();
        let is_higher_better = self.metric.higher_is_better();
        let ends = |one: &Contender| {
            let interval = one.estimate.interval_of_samples()?;
            Some(match is_higher_better {
                true => (interval.low, interval.high),
                false => (interval.high, interval.low),
            })
        };
        let others = load.iter().filter(|other| other.index != own.index);
        let others: Option<Vec<(f64, f64)>> = others.map(ends).collect();
        let bounds = ends(own).zip(others).map(|((own_bad, own_good), others)| {
            let bad = others.iter().map(|other| of(own_bad, other.1));
            let good = others.iter().map(|other| of(own_good, other.0));
            (bad.fold(1.0, f64::min), good.fold(1.0, f64::min))
        });
        is_share.then_some(Share {
            value,
            bounds: bounds.filter(|bounds| bounds.0 > 0.0),
        })
    }

    /// Returns the load of a cell, by the values of the axes that define it.
    fn load_words(&self, axis: usize, cell: usize) -> String {
        let word = |place: usize| self.axes[place].named(&self.cells[cell].values[place]);
        let words: Vec<String> = self
            .others(axis)
            .filter_map(word)
            .map(|word| word.in_english())
            .collect();
        words.join(", ")
    }

    /// Returns the load of a cell as axes and values.
    fn load_values(&self, axis: usize, cell: usize) -> Vec<(&'static str, String)> {
        let value = |place: usize| {
            let value = self.cells[cell].values[place].clone();
            (value != NONE).then_some((self.axes[place].shown.key, value))
        };
        self.others(axis).filter_map(value).collect()
    }

    fn wins(&self, axis: usize, panel: Option<&str>, loads: &[Vec<Contender>]) -> Vec<Claim> {
        let mut wins: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for load in loads {
            // Of two that are the same, none gives the most.
            if self.is_same(&load[0].estimate, &load[1].estimate) {
                continue;
            }
            let value = self.cells[load[0].index].values[axis].as_str();
            let won = wins.entry(value).or_default();
            won.0 += 1;
            let beyond_doubt = load[1..]
                .iter()
                .all(|other| is_apart(&load[0].estimate, &other.estimate));
            won.1 += usize::from(beyond_doubt);
        }
        let mut wins: Vec<_> = wins.into_iter().collect();
        // Where the best are the same in most loads, to win the others says little.
        let decided: usize = wins.iter().map(|(_, won)| won.0).sum();
        if 2 * decided < loads.len() {
            return Vec::new();
        }
        wins.sort_by_key(|(value, won)| (std::cmp::Reverse(*won), self.rank(axis, value)));
        let claim = |(value, won): (&str, (usize, usize))| Claim::Wins {
            panel: panel.map(str::to_owned),
            axis: self.axes[axis].shown.key,
            value: value.to_owned(),
            wins: won.0,
            certain: won.1,
            loads: loads.len(),
            metric: MetricKey(self.metric),
        };
        wins.into_iter().take(WINNERS_MAX).map(claim).collect()
    }

    /// Returns the place of a value among those of its axis.
    fn rank(&self, axis: usize, value: &str) -> Option<usize> {
        let values = &self.axes[axis].shown.values;
        values.iter().position(|other| other == value)
    }

    fn largest(&self, axis: usize, loads: &[Vec<Contender>]) -> Option<Claim> {
        let ratio = |load: &Vec<Contender>| {
            let (best, worst) = (load.first()?.estimate, load.last()?.estimate);
            let ratio = match best.value >= worst.value {
                true => ratio_of(&best, &worst),
                false => ratio_of(&worst, &best),
            };
            (is_apart(&best, &worst) && ratio.value.is_finite()).then_some(ratio)
        };
        let (load, ratio) = loads
            .iter()
            .filter_map(|load| Some((load, ratio(load)?)))
            .max_by(|one, other| one.1.value.total_cmp(&other.1.value))?;
        let (best, worst) = (load.first()?.index, load.last()?.index);
        Some(Claim::Largest {
            load: self.load_words(axis, best),
            load_values: self.load_values(axis, best),
            best,
            worst,
            ratio: ratio.value,
            ratio_estimate: ratio,
            metric: MetricKey(self.metric),
        })
    }

    fn against(&self) -> Option<Claim> {
        let cells = self.cells.iter().enumerate();
        let first = cells.filter(|(_, cell)| cell.run == 0);
        let parts = first
            .flat_map(|(index, cell)| cell.part.verdicts.iter().map(move |part| (index, part)));
        let counts = BeforeAfter::of(parts, self.metric)?;
        let count = |moved: Option<CellShift>| moved.map_or(0, |moved| moved.cells);
        Some(Claim::Against {
            better: count(counts.better),
            worse: count(counts.worse),
            same: counts.same,
            unknown: counts.unknown,
            counts,
            metric: MetricKey(self.metric),
        })
    }

    /// Returns the reported differences between stacks of the first run.
    fn differs(&self) -> Vec<Claim> {
        let claim = |one| match one {
            DifferenceReport::One(one) => Claim::Differs(shown(one.clone())),
            DifferenceReport::Unexplained(stacks, baseline) => Claim::Unexplained {
                stacks: stacks.into_iter().map(strip_control).collect(),
                baseline: strip_control(baseline),
            },
        };
        let first = self.documents.first();
        first.into_iter().flat_map(reports).map(claim).collect()
    }

    /// Returns how the runs compare with the reference run.
    fn before_after(&self) -> Vec<Claim> {
        let reference = reference(self.documents);
        let runs = 0..self.documents.len();
        let claim = |run: usize| {
            let cells = self.cells.iter().enumerate();
            let compared = cells
                .filter(|(_, cell)| cell.run == run)
                .filter_map(|(index, cell)| Some((index, cell.before.as_ref()?)));
            let [first, other] = [reference, run].map(|run| &self.documents[run].run);
            let is_alone = self.documents.len() == 2 && !self.has_predictions();
            Some(Claim::BeforeAfter {
                run,
                reference,
                is_in_order: is_alone && first.id < other.id,
                counts: BeforeAfter::of(compared, self.metric)?,
                metric: MetricKey(self.metric),
            })
        };
        runs.filter(|run| *run != reference)
            .filter_map(claim)
            .collect()
    }

    /// Returns whether there are predictions beside measurements.
    fn has_predictions(&self) -> bool {
        let mut documents = self.documents.iter();
        let is_model = |document: &Document| document.run.model.is_some();
        let first = documents.next().map(is_model);
        documents.any(|document| Some(is_model(document)) != first)
    }

    /// Returns the difference of predictions from measurements.
    fn prediction_errors(&self) -> Vec<Claim> {
        let reference = reference(self.documents);
        let runs = 0..self.documents.len();
        runs.filter(|run| *run != reference && self.has_predictions())
            .filter_map(|run| self.prediction_error(run, reference))
            .collect()
    }

    fn prediction_error(&self, run: usize, reference: usize) -> Option<Claim> {
        let cells = self.cells.iter().enumerate();
        let offs: Vec<(usize, f64)> = cells
            .filter(|(_, cell)| cell.run == run)
            .filter_map(|(index, cell)| {
                let known = self.estimate(&self.cells[cell.before.as_ref()?.baseline])?;
                let off = self.estimate(cell)?.value / known.value - 1.0;
                off.is_finite().then_some((index, off))
            })
            .collect();
        let sizes = offs.iter().map(|off| off.1.abs());
        let mean = sizes.sum::<f64>() / as_f64(offs.len() as u64);
        let worst = offs
            .iter()
            .max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()))?;
        Some(Claim::PredictionError {
            run,
            reference,
            cells: offs.len(),
            mean_share: mean,
            worst_share: worst.1,
            worst_cell: worst.0,
            metric: MetricKey(self.metric),
        })
    }

    fn limits(&self) -> Option<Claim> {
        let mut limits: Vec<Limit> = Vec::new();
        let mut cells = 0;
        for bottleneck in self.cells.iter().filter_map(|cell| cell.part.bottleneck) {
            cells += 1;
            let same = |limit: &&mut Limit| limit.bottleneck.is_same_kind(&bottleneck);
            match limits.iter_mut().find(same) {
                Some(limit) => limit.cells += 1,
                None => limits.push(Limit {
                    bottleneck,
                    cells: 1,
                }),
            }
        }
        limits.sort_by_key(|limit| std::cmp::Reverse(limit.cells));
        limits.truncate(LISTED_MAX);
        (!limits.is_empty()).then_some(Claim::Limits { limits, cells })
    }

    fn settled(&self) -> Option<Claim> {
        let run = &self.documents.first()?.run;
        let margin = run.repeat.interval_percent.as_fraction();
        let estimates: Vec<Estimate> = self
            .cells
            .iter()
            .filter_map(|cell| {
                let bandwidth = || cell.part.estimate(Metric::Bandwidth).copied();
                self.estimate(cell).or_else(bandwidth)
            })
            .collect();
        let is_single = |one: &Estimate| one.samples == 1;
        if !estimates.is_empty() && estimates.iter().all(is_single) {
            let cells = estimates.len();
            return Some(Claim::Single { cells });
        }
        let settled = estimates.iter().filter(|one| {
            let half = one.relative_half_width();
            half.is_some_and(|half| half <= margin)
        });
        // How narrow the simulations' own intervals are says little where profiles add more.
        let holds_more = estimates.iter().any(|one| one.of_samples.is_some());
        (!estimates.is_empty() && !holds_more).then(|| Claim::Settled {
            settled: settled.count(),
            cells: self.cells.len(),
            margin,
        })
    }

    fn not_counted(&self) -> Option<Claim> {
        let samples = self.cells.iter().flat_map(|cell| &cell.part.samples);
        let (mut lost, mut of) = (0, 0);
        for sample in samples.filter(|sample| sample.role == Role::Counted) {
            of += 1;
            lost += usize::from(!sample.sample.is_valid());
        }
        (lost > 0).then_some(Claim::NotCounted { samples: lost, of })
    }
}

/// A share of the best, with the bounds from its intervals.
#[derive(Debug, Clone, Copy)]
struct Share {
    value: f64,
    bounds: Option<(f64, f64)>,
}

/// Replaces control characters in text from a study file.
fn shown(mut one: StackDifference) -> StackDifference {
    let mut words = vec![&mut one.stack, &mut one.baseline];
    for difference in &mut one.differences {
        words.extend([&mut difference.value, &mut difference.instead_of]);
    }
    let witness = one.cause.as_mut().and_then(|cause| cause.witness.as_mut());
    words.extend(
        witness
            .into_iter()
            .flat_map(|one| [&mut one.stack, &mut one.same_as]),
    );
    for word in words {
        *word = strip_control(word);
    }
    one
}

/// Returns whether a key says what the load is, which is asked about and not chosen. The system calls
/// are a program's choice.
fn is_of_load(key: &str) -> bool {
    let chosen = [Key::Engine, Key::Direct];
    let of_load = LOAD_KEYS.iter().map(|row| row.axis);
    let mut axes = of_load.chain([Key::Workload, Key::Neighbours]);
    axes.any(|axis| axis.key() == key && !chosen.contains(&axis))
}

fn geometric_mean(shares: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = as_f64(shares.len() as u64);
    libm::exp(shares.map(libm::log).sum::<f64>() / count)
}

/// A cell in a load.
#[derive(Debug, Clone, Copy)]
struct Contender {
    index: usize,
    estimate: Estimate,
}

/// Returns the ratio of two estimates that are not paired, with the interval that follows from
/// theirs: the logarithms of the distances to the bounds add like the legs of a right triangle (Zou
/// and Donner 2008, as in `stripewise_stats::compare_unpaired`).
fn ratio_of(more: &Estimate, less: &Estimate) -> Estimate {
    let value = more.value / less.value;
    let interval = intervals(more, less).map(|(above, below)| {
        let reach = |one: f64, other: f64| libm::exp(libm::hypot(libm::log(one), libm::log(other)));
        Interval {
            low: value / reach(more.value / above.low, below.high / less.value),
            high: value * reach(above.high / more.value, less.value / below.low),
        }
    });
    let is_real = |interval: &Interval| interval.low.is_finite() && interval.high.is_finite();
    Estimate {
        value,
        interval: interval.filter(is_real),
        of_samples: None,
        level: more.level,
        samples: more.samples.min(less.samples),
        effective_samples: more.effective_samples.min(less.effective_samples),
    }
}

/// Returns the intervals that decide whether two estimates differ: of two simulations those of their
/// samples, as what is uncertain about the profiles moves both.
fn intervals(one: &Estimate, other: &Estimate) -> Option<(Interval, Interval)> {
    let of_samples = one.of_samples.zip(other.of_samples);
    of_samples.or_else(|| one.interval.zip(other.interval))
}

/// Returns whether both intervals exist and do not touch.
fn is_apart(one: &Estimate, other: &Estimate) -> bool {
    intervals(one, other).is_some_and(|(one, other)| one.low > other.high || other.low > one.high)
}
