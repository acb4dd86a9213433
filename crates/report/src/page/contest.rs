//! The contest of an answer: which value of an axis is the best, and by how much.
//!
//! Only choices compete: a load is what is asked about. Values that are the same share
//! the first place, and a stack that does not survive what the study asks has none.

use std::collections::{BTreeMap, BTreeSet};

use stripewise_catalogue::Words;
use stripewise_stats::Estimate;
use stripewise_study::cell::Axis as Key;
use stripewise_study::conditions::State;
use stripewise_study::load::LOAD_KEYS;
use stripewise_study::metric::{Metric, MetricKey};

use super::answer::{Claim, Evidence, LISTED_MAX, ShareOfBest};
use super::axes::{MappedAxis, NONE};
use super::subjects::Subject;
use crate::apart::{differ, geometric_mean, is_same, ratio_of};
use crate::standing::{Lead, Order, Standing};

/// The most winning values of an axis claimed for one pattern.
const WINNERS_MAX: usize = 1;
/// Of more loads with names, none has a sentence of its own.
const NAMED_MAX: usize = 4;

impl Evidence<'_> {
    /// Returns the place of the contested axis: the one that the baseline names, else the stack, else the
    /// first choice, else the first key of a load that is not a pattern.
    fn contested(&self) -> Option<usize> {
        let compare = &self.documents.first()?.run.compare;
        let varies = |key: &str| {
            let place = self.axes.iter().position(|axis| axis.shown.key == key)?;
            let mut values = self.first_run().map(|(_, cell)| &cell.values[place]);
            let first = values.next()?;
            values.any(|value| value != first).then_some(place)
        };
        let baseline = compare.baseline.keys().map(|axis| axis.key());
        let keys = self.axes.iter().filter(|axis| !axis.shown.implied);
        let keys = keys.map(|axis| axis.shown.key);
        // Each job of an imported file has its own name: it names a cell and is not contested.
        let keys = keys.filter(|key| *key != Key::Pattern.key());
        let keys = keys.filter(|key| *key != Key::Workload.key() || !self.is_name(key));
        // What is asked about comes before what can be set in the order of the keys.
        let choices = keys.clone().filter(|key| !is_asked_about(key));
        let candidates = baseline.chain([Key::Stack.key()]).chain(choices);
        candidates.chain(keys).find_map(varies)
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
    pub(super) fn contest(&self) -> Vec<Claim> {
        let contested = self.contested().map(|axis| (axis, self.loads(axis)));
        let Some((axis, mut loads)) = contested.filter(|(_, loads)| !loads.is_empty()) else {
            return self.cell_estimates();
        };
        if is_asked_about(self.axes[axis].shown.key) {
            return self.largest(axis, &loads).into_iter().collect();
        }
        let (mut claims, mut no_choice) = (Vec::new(), None);
        let lost = self.lost(axis);
        if !lost.is_empty() {
            for load in &mut loads {
                load.retain(|one| !lost.contains(self.cells[one.index].values[axis].as_str()));
            }
            loads.retain(|load| load.len() > 1);
            let stacks = lost.into_iter().map(str::to_owned).collect();
            no_choice = Some(Claim::Lost { stacks });
        }
        // Over several loads, values that may be the same have standings that say how near they come.
        let same = self.same(axis, &loads);
        let is_certain =
            |claim: &Claim| matches!(claim, Claim::Same { is_certain, .. } if *is_certain);
        let found = match same.as_ref().is_some_and(is_certain) {
            true => same,
            false => self.overall(axis, &loads).or(same),
        };
        claims.extend(found);
        match self.panel().filter(|place| *place != axis) {
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
        // What was found comes first, then what was not asked.
        let decided = claims.len().min(1);
        claims.splice(decided..decided, no_choice);
        claims.extend(self.largest(axis, &loads));
        claims
    }

    /// Returns the axis that has a sentence for each of its values: the pattern, or the names of a few loads.
    fn panel(&self) -> Option<usize> {
        let place = |key: Key| {
            let mut axes = self.axes.iter();
            axes.position(|axis| axis.shown.key == key.key())
        };
        let pattern = place(Key::Pattern)?;
        match self.axes[pattern].shown.implied {
            false => Some(pattern),
            true => {
                place(Key::Workload).filter(|name| self.axes[*name].shown.values.len() <= NAMED_MAX)
            }
        }
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

    /// Returns the values that share the first place of every load; `None` unless there are two.
    fn same(&self, axis: usize, loads: &[Vec<Contender>]) -> Option<Claim> {
        let (values, complete) = self.complete(axis, loads);
        let value_of = |one: &Contender| self.cells[one.index].values[axis].as_str();
        let first = complete.iter().map(|load| {
            let tied = self.lead(axis, load).map_or(0, |lead| lead.tied);
            &load[..tied]
        });
        let first: Vec<&[Contender]> = first.collect();
        let is_tied = |value: &&str| {
            let mut first = first.iter();
            first.all(|tied| tied.iter().any(|one| value_of(one) == *value))
        };
        let mut tied: Vec<&str> = values.iter().copied().filter(is_tied).collect();
        tied.sort_by_key(|value| self.rank(axis, value));
        let is_surely_same = |one: &Contender, best: &Contender| {
            !tied.contains(&value_of(one)) || is_same(&best.estimate, &one.estimate, self.margin())
        };
        let mut all = first.iter();
        let is_certain = all.all(|load| load.iter().all(|one| is_surely_same(one, &load[0])));
        (tied.len() > 1 && !complete.is_empty()).then(|| Claim::Same {
            axis: self.axes[axis].shown.key,
            is_all: tied.len() == values.len(),
            is_certain,
            values: tied.into_iter().map(str::to_owned).collect(),
            loads: complete.len(),
            loads_all: loads.len(),
            margin: self.margin(),
            metric: MetricKey(self.metric),
        })
    }

    /// Returns who leads in a load, whose best contender is the first.
    fn lead(&self, axis: usize, load: &[Contender]) -> Option<Lead> {
        let ranked = load.iter().map(|one| self.standing(axis, one));
        Lead::of(&ranked.collect::<Vec<_>>(), self.margin())
    }

    fn standing(&self, axis: usize, one: &Contender) -> Standing<'_> {
        let part = self.cells[one.index].part;
        // Only stacks have the devices, the kernel and the host in common.
        let is_rate = [Metric::Bandwidth, Metric::Iops].contains(&self.metric);
        let is_common = is_rate && self.axes[axis].shown.key == Key::Stack.key();
        let basis = match (&part.fresh, self.state) {
            (Some(fresh), State::Fresh) => fresh.error_basis.as_ref(),
            _ => part.error_basis.as_ref(),
        };
        let knows_its_error = part.breakdown.is_none() || one.estimate.of_samples.is_some();
        Standing::new(one.estimate, knows_its_error, basis.filter(|_| is_common))
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
            let is_told = name.is_some_and(|name| name != *place && other.shown.implied);
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
        let shares = values.iter();
        let shares = shares.map(|value| {
            let mean = self.mean(axis, value, &complete)?;
            Some((mean, self.share_of_best(axis, value, &complete)?))
        });
        let mut shares: Vec<(Standing, ShareOfBest)> = shares.collect::<Option<_>>()?;
        shares.sort_by(|one, other| other.1.mean_share.total_cmp(&one.1.mean_share));
        let (ranked, mut standings): (Vec<Standing>, Vec<ShareOfBest>) = shares.into_iter().unzip();
        let lead = Lead::of(&ranked, self.margin())?;
        for (one, share) in ranked.iter().zip(&mut standings).skip(lead.tied) {
            share.may_be_best = Order::of(&ranked[0], one) == Order::Open;
        }
        Some(Claim::Overall {
            axis: self.axes[axis].shown.key,
            leaders: lead.tied,
            shared: self.shared(axis, &standings.first()?.value, &complete),
            standings,
            loads: complete.len(),
            loads_all: loads.len(),
            metric: MetricKey(self.metric),
        })
    }

    /// Returns in how many loads a value shares the first place with others.
    fn shared(&self, axis: usize, value: &str, loads: &[Vec<Contender>]) -> usize {
        let is_shared = |load: &&Vec<Contender>| {
            let tied = self.lead(axis, load).map_or(0, |lead| lead.tied);
            let is_it = |one: &Contender| self.cells[one.index].values[axis] == value;
            tied > 1 && load[..tied].iter().any(is_it)
        };
        loads.iter().filter(is_shared).count()
    }

    /// Returns what a value gives of several loads on average.
    fn mean(&self, axis: usize, value: &str, loads: &[Vec<Contender>]) -> Option<Standing<'_>> {
        let is_it = |one: &&Contender| self.cells[one.index].values[axis] == value;
        let own = loads.iter().map(|load| load.iter().find(is_it));
        let own: Option<Vec<Standing>> = own.map(|one| Some(self.standing(axis, one?))).collect();
        Standing::mean(own?)
    }

    /// Returns how near a value comes to the best of each load.
    fn share_of_best(
        &self,
        axis: usize,
        value: &str,
        loads: &[Vec<Contender>],
    ) -> Option<ShareOfBest> {
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
            may_be_best: false,
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
        let mut wins: BTreeMap<&str, Vec<Order>> = BTreeMap::new();
        for load in loads {
            // Of those that share the first place, none gives the most.
            if let Some(lead) = self.lead(axis, load).filter(Lead::has_one) {
                let value = self.cells[load[0].index].values[axis].as_str();
                wins.entry(value).or_default().push(lead.order);
            }
        }
        let mut wins: Vec<(&str, Vec<Order>)> = wins.into_iter().collect();
        // Where the best are the same in most loads, to win the others says little.
        let decided: usize = wins.iter().map(|(_, orders)| orders.len()).sum();
        if 2 * decided < loads.len() {
            return Vec::new();
        }
        let certain = |orders: &[Order]| {
            let certain = orders.iter().filter(|order| order.is_certain());
            certain.count()
        };
        wins.sort_by_key(|(value, orders)| {
            let won = (orders.len(), certain(orders));
            (std::cmp::Reverse(won), self.rank(axis, value))
        });
        let claim = |(value, orders): (&str, Vec<Order>)| Claim::Wins {
            panel: panel.map(str::to_owned),
            axis: self.axes[axis].shown.key,
            value: value.to_owned(),
            wins: orders.len(),
            certain: certain(&orders),
            in_common: orders.contains(&Order::InCommon),
            is_open: orders.iter().all(|order| *order == Order::Open),
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
            (differ(&best, &worst) && ratio.value.is_finite()).then_some(ratio)
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
}

/// A share of the best, with the bounds from its intervals.
#[derive(Debug, Clone, Copy)]
struct Share {
    value: f64,
    bounds: Option<(f64, f64)>,
}

/// Returns whether a key says what is asked about: a load, a failure or a state is no choice.
fn is_asked_about(key: &str) -> bool {
    is_of_load(key) || [Key::Failure.key(), Key::State.key()].contains(&key)
}

/// Returns whether a key says what the load is, which is asked about and not chosen. The system calls
/// are a program's choice.
fn is_of_load(key: &str) -> bool {
    let chosen = [Key::Engine, Key::Direct];
    let of_load = LOAD_KEYS.iter().map(|row| row.axis);
    let mut axes = of_load.chain([Key::Workload, Key::Neighbours]);
    axes.any(|axis| axis.key() == key && !chosen.contains(&axis))
}

/// A cell in a load.
#[derive(Debug, Clone, Copy)]
struct Contender {
    index: usize,
    estimate: Estimate,
}
