//! The one door to the model: a question goes in, and an answer comes out.
//!
//! ```text
//!  predict, why, page --> Question --> Model::answer --> one simulation for each seed --> Answer
//!  run, verify, ... ----> (a single simulation) --^          |        ^
//!                                                            v        |
//!                                                          Memory, by all inputs
//! ```
//!
//! An answer is a pure function of the question and the model: neither what was asked before nor the
//! number of cores changes a bit of it. Its effort is counted in simulated I/Os, never in seconds.

use std::time::Duration;

use stripewise_analysis::simulations::{HALF_WIDTH, Precision, seed_of};
use stripewise_study::cell::Cell;
use stripewise_study::sample::Sample;
use stripewise_study::world::{NeverCancel, Watch};
use stripewise_units::Nanos;

use crate::engine::Limits;
use crate::memory::{Inputs, Remembered};
use crate::world::{Model, ModelError};

/// Watches the simulations of a question: it may cancel them, and is notified of each complete one.
pub trait Observer: Watch {
    /// `done` of `all` simulations of one question, or of all changes to one, are complete.
    fn simulated(&mut self, done: u64, all: u64);

    /// A question is answered, and at most so many are left.
    fn answered(&mut self, _left: usize) {}
}

impl Observer for NeverCancel {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}

/// A watch that wants to know no progress.
pub(crate) struct Unobserved<'a>(pub(crate) &'a mut dyn Watch);

impl Watch for Unobserved<'_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.0.keep_going(elapsed)
    }
}

impl Observer for Unobserved<'_> {
    fn simulated(&mut self, _done: u64, _all: u64) {}
}

/// What the model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The stack, the load on it, and the conditions.
    pub cell: &'a Cell,
    /// The seed of the first simulation; the others have those that follow it.
    pub seed: u64,
    /// How well the answer has to be known.
    pub precision: Precision,
    /// The most I/Os of all simulations together, counted as [`Limits::ios_max`]. A simulation that it
    /// ends has a warning, and is the last one.
    pub ios_max: u64,
    /// How long the timeline of a failure is; `None` for that of the model's limits.
    pub duration: Option<Nanos>,
}

impl<'a> Question<'a> {
    /// Returns the question of a table.
    pub const fn new(cell: &'a Cell, seed: u64) -> Self {
        Self {
            cell,
            seed,
            precision: Precision::TABLE,
            ios_max: u64::MAX,
            duration: None,
        }
    }

    /// Returns the question for a single simulation.
    pub const fn once(cell: &'a Cell, seed: u64) -> Self {
        Self {
            precision: Precision::simulations(1),
            ..Self::new(cell, seed)
        }
    }
}

/// What the model found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The simulations, by seed; at least one.
    pub samples: Vec<Sample>,
    /// Their effort, counted as [`Limits::ios_max`], whether it was spent now or is remembered.
    pub ios: u64,
    /// How many of them are remembered.
    pub remembered: u64,
    /// Whether the budget ended before the answer was as precise as asked.
    pub is_over_budget: bool,
}

impl Model {
    /// Simulates a cell until the answer is as precise as asked, or the budget is spent.
    ///
    /// # Errors
    /// [`ModelError`] if a profile is missing, the stack is impossible, one round of I/Os takes more
    /// than the limits or the budget, or `observer` cancelled: then there is no answer.
    pub fn answer(
        &self,
        question: &Question<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Answer, ModelError> {
        let precision = &question.precision;
        let inputs = Inputs::new(self, question.cell)?;
        let limits = Limits {
            duration: question.duration.unwrap_or(self.limits.duration),
            half_width: self.limits.half_width * (precision.half_width / HALF_WIDTH),
            ..self.limits
        };
        let mut answer = Answer::default();
        for index in 0..precision.at_most as u64 {
            let left = question.ios_max.saturating_sub(answer.ios);
            let limits = Limits {
                ios_max: limits.ios_max.min(left),
                ..limits
            };
            let seed = seed_of(question.seed, index);
            let one = match self.simulated(question.cell, seed, &limits, inputs.as_ref(), observer)
            {
                Ok(one) => one,
                // Too little is left for one more.
                Err(ModelError::TooLarge { .. }) if index > 0 => {
                    answer.is_over_budget = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            answer.ios = answer.ios.saturating_add(one.0.ios);
            answer.remembered += u64::from(one.1);
            answer.samples.push(one.0.sample);
            let all = (precision.at_least as u64).max(index + 1);
            observer.simulated(index + 1, all);
            if precision.enough(&answer.samples).is_some() {
                break;
            }
            if answer.ios >= question.ios_max {
                answer.is_over_budget = true;
                break;
            }
        }
        Ok(answer)
    }

    /// Returns one simulation of a cell, and whether it is remembered.
    fn simulated(
        &self,
        cell: &Cell,
        seed: u64,
        limits: &Limits,
        inputs: Option<&Inputs>,
        watch: &mut dyn Watch,
    ) -> Result<(Remembered, bool), ModelError> {
        let asked = inputs.map(|inputs| inputs.asked(seed, limits));
        if let Some(known) = asked.and_then(|asked| self.memory.find(&asked)) {
            return match watch.keep_going(Duration::ZERO) {
                true => Ok((known, true)),
                false => Err(ModelError::Interrupted),
            };
        }
        let new = self.simulate_within(cell, seed, limits, watch)?;
        if let Some(asked) = asked {
            self.memory.keep(&asked, &new);
        }
        Ok((new, false))
    }
}
