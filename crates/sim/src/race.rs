//! The best of many designs, without simulating each of them.
//!
//! ```text
//!  all designs --> bounds, the highest first --> one simulation --> coarse answers --> precise answers --> Race
//!                        |                            |                  |
//!                        v                            v                  v
//!                  bounded away                   outrun: surely slower than another
//! ```
//!
//! A design whose upper bound lies under what another one surely gives is never simulated. One that is far
//! behind after one simulation of each is not simulated again. All designs have the same seeds, so that they
//! draw the same addresses where they can (common random numbers).
//!
//! A design that is asked about several loads counts by the weighted geometric mean of its rates: the
//! same order as that of the mean share of the best rate, whatever the best one is.

use stripewise_analysis::simulations::{Precision, median_of};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;

use crate::question::{Observer, Question};
use crate::rate_bounds::{Bounder, RateBounds};
use crate::world::{Model, ModelError};

/// By how much, as a share, the rate of one coarse simulation may be off. It knows its own rate within half
/// of that; the rest is for what differs from seed to seed.
const FIRST_OFF: f64 = 0.1;

/// How a design ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Its upper bound lies under another's rate: it was not simulated.
    BoundedAway,
    /// One simulation, or a coarse answer, shows that another one is better by more than the tolerance.
    Outrun,
    /// No other is better by more than the tolerance, as far as is known.
    Within,
    /// It was not looked at, because the race was interrupted.
    Unseen,
}

/// A design: what it is asked about it.
#[derive(Debug, Clone)]
pub struct Design<'a> {
    /// The questions, at least one, each with its weight: more than 0.
    pub questions: Vec<(Question<'a>, f64)>,
}

impl<'a> From<Question<'a>> for Design<'a> {
    fn from(question: Question<'a>) -> Self {
        Self {
            questions: vec![(question, 1.0)],
        }
    }
}

impl Design<'_> {
    /// Returns the weighted geometric mean of a value of each question.
    fn mean(&self, values: impl Iterator<Item = f64> + Clone) -> f64 {
        let weights = self.questions.iter().map(|(_, weight)| *weight);
        weighted_mean(values.zip(weights))
    }
}

/// Returns the geometric mean of values, each with its weight; that of one value is the value.
pub fn weighted_mean(values: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let all: f64 = values.clone().map(|(_, weight)| weight).sum();
    values
        .map(|(value, weight)| value.powf(weight / all))
        .product()
}

/// A design in a race.
#[derive(Debug, Clone, PartialEq)]
pub struct Raced {
    /// How it ended.
    pub place: Place,
    /// What is known without simulating it.
    pub bounds: RateBounds,
    /// The rate in bytes per second: the median of its simulations, and the 95 % interval of that, or how
    /// far a single one may be off; of several questions their mean. `None` without simulations.
    pub rate: Option<Rate>,
    /// Whether it was simulated as precisely as for a table.
    pub is_precise: bool,
}

/// A rate in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The median.
    pub median: f64,
    /// The low end of the 95 % interval; 0 without one.
    pub low: f64,
    /// The high end; infinite without one.
    pub high: f64,
}

impl Rate {
    /// Returns the rate of simulations of one cell; `None` if one of them has none.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let values: Option<Vec<f64>> = samples
            .iter()
            .map(|sample| Metric::Bandwidth.of(sample))
            .collect();
        let estimate = median_of(&values?)?;
        let interval = estimate.interval;
        Some(Self {
            median: estimate.value,
            low: interval.map_or(0.0, |interval| interval.low),
            high: interval.map_or(f64::INFINITY, |interval| interval.high),
        })
    }

    /// Returns the rate of a single simulation of `cell`, and how far the median of several may lie from it:
    /// anywhere where one may say little. Sequential streams fall into phases that a whole simulation keeps,
    /// and a simulation that was cut short, or was still changing, knows its own rate badly.
    fn of_first(cell: &Cell, sample: &Sample) -> Option<Self> {
        let rate = Self::of(std::slice::from_ref(sample))?;
        let is_open = |warning: &Warning| {
            let is_cut = matches!(warning, Warning::SimulationCutShort { .. });
            is_cut || matches!(warning, Warning::NotStationary { .. })
        };
        let is_random = cell.workload.loads().all(|load| load.pattern.is_random());
        let is_known = is_random && !sample.warnings.iter().any(is_open);
        Some(match is_known {
            false => rate,
            true => Self {
                low: rate.median * (1.0 - FIRST_OFF),
                high: rate.median * (1.0 + FIRST_OFF),
                ..rate
            },
        })
    }

    /// Returns the weighted geometric mean of rates, each with its weight, and of the ends of their
    /// intervals.
    pub fn mean(rates: &[(Rate, f64)]) -> Self {
        let mean = |of: fn(&Rate) -> f64| {
            weighted_mean(rates.iter().map(|(rate, weight)| (of(rate), *weight)))
        };
        Self {
            median: mean(|rate| rate.median),
            low: mean(|rate| rate.low),
            high: mean(|rate| rate.high),
        }
    }
}

/// The result of a race.
#[derive(Debug, Clone, PartialEq)]
pub struct Race {
    /// The designs, in the order in which they were named.
    pub runners: Vec<Raced>,
    /// The index of the one with the highest rate.
    pub best: usize,
    /// The simulated I/Os.
    pub ios: u64,
    /// Whether the observer ended it early: places and rates are then those known so far.
    pub is_interrupted: bool,
}

impl Race {
    /// Returns how many designs were bounded away, simulated coarsely only, and simulated precisely.
    pub fn counts(&self) -> [usize; 3] {
        let count =
            |is: &dyn Fn(&Raced) -> bool| self.runners.iter().filter(|runner| is(runner)).count();
        let bounded = count(&|runner| runner.place == Place::BoundedAway);
        let precise = count(&|runner| runner.is_precise);
        let unseen = count(&|runner| runner.place == Place::Unseen);
        let coarse = self.runners.len() - bounded - precise - unseen;
        [bounded, coarse, precise]
    }
}

/// Finds the designs that are within `tolerance` (a share) of the best.
///
/// The result is a pure function of the model and the designs, unless the observer ends it early.
///
/// # Errors
/// As [`Model::answer`], for the first design that has no answer.
pub fn race<'a>(
    model: &'a Model,
    designs: &[Design<'a>],
    tolerance: f64,
    observer: &mut dyn Observer,
) -> Result<Race, ModelError> {
    let mut race = Racing {
        model,
        designs,
        runners: Vec::with_capacity(designs.len()),
        once_ios: vec![0; designs.len()],
        ios: 0,
    };
    let mut bounders = Vec::new();
    for design in designs {
        race.runners.push(Raced {
            place: Place::BoundedAway,
            bounds: bounds(model, design, &mut bounders)?,
            rate: None,
            is_precise: false,
        });
    }
    let is_interrupted = match race.run(tolerance, observer) {
        Err(ModelError::Interrupted) => {
            race.end_early(tolerance);
            true
        }
        ended => {
            ended?;
            false
        }
    };
    let median = |runner: &Raced| runner.rate.map_or(0.0, |rate| rate.median);
    let order = |left: &&Raced, right: &&Raced| median(left).total_cmp(&median(right));
    let best = race.runners.iter().enumerate();
    let best = best
        .rev()
        .max_by(|(_, left), (_, right)| order(left, right));
    Ok(Race {
        best: best.map_or(0, |(index, _)| index),
        runners: race.runners,
        ios: race.ios,
        is_interrupted,
    })
}

/// Returns the bounds of a design's rate; `bounders` has those of the loads before it.
fn bounds<'a>(
    model: &'a Model,
    design: &Design<'a>,
    bounders: &mut Vec<Bounder<'a>>,
) -> Result<RateBounds, ModelError> {
    let of_question = |(question, _): &(Question<'a>, f64)| {
        let cell = question.cell;
        if cell.conditions.failure.is_some() || cell.workload.trace.is_some() {
            return Ok(RateBounds::NONE);
        }
        let (load, state) = (&cell.workload.load, cell.conditions.state);
        let known = bounders.iter().position(|one| one.is_of(load, state));
        let place = known.unwrap_or_else(|| {
            bounders.push(Bounder::new(model, load, state));
            bounders.len() - 1
        });
        bounders[place].bounds(&cell.stack)
    };
    let all = design.questions.iter().map(of_question);
    let all: Vec<RateBounds> = all.collect::<Result<_, _>>()?;
    Ok(RateBounds {
        lower: design.mean(all.iter().map(|bounds| bounds.lower)),
        upper: design.mean(all.iter().map(|bounds| bounds.upper)),
    })
}

struct Racing<'a> {
    model: &'a Model,
    designs: &'a [Design<'a>],
    runners: Vec<Raced>,
    /// The simulated I/Os of each design that was simulated once and no more.
    once_ios: Vec<u64>,
    ios: u64,
}

impl Racing<'_> {
    fn run(&mut self, tolerance: f64, observer: &mut dyn Observer) -> Result<(), ModelError> {
        let coarse = Precision {
            half_width: tolerance.max(Precision::TABLE.half_width),
            ..Precision::COARSE
        };
        let first = Precision {
            at_least: 1,
            at_most: 1,
            ..coarse
        };
        let mut order: Vec<usize> = (0..self.runners.len()).collect();
        let upper = |index: &usize| self.runners[*index].bounds.upper;
        order.sort_by(|left, right| upper(right).total_cmp(&upper(left)));
        let all = order.len();
        for (done, index) in order.into_iter().enumerate() {
            if self.runners[index].bounds.upper >= self.surely() {
                let fastest = self.fastest();
                self.simulate(index, first, observer)?;
                // What one simulation says of the leader is too little to bound others away.
                if self.fastest() > fastest {
                    self.simulate(index, coarse, observer)?;
                }
            }
            observer.answered(all - done - 1);
        }
        self.drop_outrun(tolerance);
        let ahead = self.ahead();
        for (done, index) in ahead.iter().enumerate() {
            self.simulate(*index, coarse, observer)?;
            observer.answered(ahead.len() - done - 1);
        }
        self.drop_outrun(tolerance);
        let undecided = self.undecided(tolerance);
        for (done, index) in undecided.iter().enumerate() {
            self.simulate(*index, Precision::TABLE, observer)?;
            self.runners[*index].is_precise = true;
            observer.answered(undecided.len() - done - 1);
        }
        self.drop_outrun(tolerance);
        Ok(())
    }

    /// Returns the designs that were simulated once, and that no other has outrun.
    fn ahead(&self) -> Vec<usize> {
        let is_ahead = |index: &usize| {
            self.once_ios[*index] > 0 && self.runners[*index].place == Place::Within
        };
        (0..self.runners.len()).filter(is_ahead).collect()
    }

    /// Returns the highest rate so far.
    fn fastest(&self) -> f64 {
        let rates = self.runners.iter().filter_map(|runner| runner.rate);
        rates.map(|rate| rate.median).fold(0.0, f64::max)
    }

    /// Returns the designs that may or may not be within the tolerance of the best, and with them the
    /// one that may be the best.
    fn undecided(&self, tolerance: f64) -> Vec<usize> {
        let runners = self.runners.iter().enumerate();
        let within = runners.filter(|(_, runner)| runner.place == Place::Within);
        let rates: Vec<(usize, Rate)> = within
            .filter_map(|(index, runner)| Some((index, runner.rate?)))
            .collect();
        let highest = rates.iter().map(|(_, rate)| rate.high).fold(0.0, f64::max);
        let is_undecided = |rate: &Rate| rate.low < highest * (1.0 - tolerance);
        if !rates.iter().any(|(_, rate)| is_undecided(rate)) {
            return Vec::new();
        }
        let open = rates
            .iter()
            .filter(|(_, rate)| is_undecided(rate) || rate.high >= highest);
        open.map(|(index, _)| *index).collect()
    }

    /// Returns the rate that a design surely gives.
    fn surely(&self) -> f64 {
        let low = |runner: &Raced| {
            let rate = runner.rate.map_or(0.0, |rate| rate.low);
            rate.max(runner.bounds.lower)
        };
        self.runners.iter().map(low).fold(0.0, f64::max)
    }

    /// Judges the designs by what is known so far.
    fn end_early(&mut self, tolerance: f64) {
        self.drop_outrun(tolerance);
        let surely = self.surely();
        for runner in &mut self.runners {
            if runner.rate.is_none() && runner.bounds.upper >= surely {
                runner.place = Place::Unseen;
            }
        }
    }

    /// Marks the designs that are surely worse than another by more than the tolerance.
    fn drop_outrun(&mut self, tolerance: f64) {
        let least = self.surely() * (1.0 - tolerance);
        for runner in &mut self.runners {
            runner.place = match &runner.rate {
                None => Place::BoundedAway,
                Some(rate) if rate.high < least => Place::Outrun,
                Some(_) => Place::Within,
            };
        }
    }

    fn simulate(
        &mut self,
        index: usize,
        precision: Precision,
        observer: &mut dyn Observer,
    ) -> Result<(), ModelError> {
        let design = &self.designs[index];
        let mut rates = Vec::with_capacity(design.questions.len());
        let mut ios = 0_u64;
        for (question, weight) in &design.questions {
            let question = Question {
                precision,
                ..*question
            };
            let answer = self.model.answer(&question, observer)?;
            ios = ios.saturating_add(answer.ios);
            let rate = match &answer.samples[..] {
                [first] => Rate::of_first(question.cell, first),
                all => Rate::of(all),
            };
            rates.extend(rate.map(|rate| (rate, *weight)));
        }
        // One simulation is the first of several.
        let counted = std::mem::take(&mut self.once_ios[index]);
        self.ios = self.ios.saturating_add(ios.saturating_sub(counted));
        if precision.at_most == 1 {
            self.once_ios[index] = ios;
        }
        let is_complete = rates.len() == design.questions.len();
        self.runners[index].rate = is_complete.then(|| Rate::mean(&rates));
        Ok(())
    }
}
