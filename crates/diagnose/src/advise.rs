//! Which of many designs to build: rules refuse some, the others race, and of those that are the same
//! the simplest is chosen.
//!
//! ```text
//!  designs --> layout's requirements --> race (stripewise_sim::race) --> within 5 % of the best
//!                   |                      ^    |                              |
//!                   v                      |    v                              v
//!                refused              without   bounded away        simulated requirements
//!                                      them     or outrun            |                 |
//!                                          +------- refused <--------+                 v
//!                                                                                the simplest
//! ```
//!
//! What takes a simulation beside that of the rate, such as how long a rebuild takes, is asked only of
//! designs that may be chosen. Nothing is left out silently: each design has an [`Outcome`].

use std::cmp::Ordering;

use serde::Serialize;
use stripewise_analysis::lifetime::Rated;
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::race::{Design, Place, Race, Raced, Rate, race};
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::stack::Stack;
use stripewise_units::Bytes;

use crate::measures::Measures;
use crate::requirement::{Quantity, Requirement};
use crate::simplicity::{Special, doublings, specials};

/// Designs whose rates differ by no more than this share are the same.
pub const TOLERANCE: f64 = 0.05;

/// Which of equals is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Prefer {
    /// The simplest: that with the fewest special parts ([`crate::simplicity`]).
    #[default]
    Simple,
    /// The one that holds the most data.
    Space,
}

/// What is asked: which of the designs.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The cells of each design: one for each load, in the order of the weights.
    pub designs: &'a [Vec<Cell>],
    /// How much each load counts.
    pub weights: &'a [f64],
    /// What the design must do.
    pub requirements: &'a [Requirement],
    /// Which of equals is built.
    pub prefer: Prefer,
    /// What is known about each device; all designs use all of them.
    pub rated: &'a [Rated],
    /// How much the loads write in a day.
    pub writes_per_day: Option<Bytes>,
    /// The price of one device.
    pub price: Option<f64>,
    /// The seed of the first simulation.
    pub seed: u64,
}

/// Why a design is refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Refusal {
    /// What it does not do.
    pub requirement: Requirement,
    /// What it does instead, in the unit of the requirement's quantity; `None` if that is unknown.
    pub value: Option<f64>,
}

/// What became of a design.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It does not do what is required.
    Refused(Refusal),
    /// It took part in the race.
    Raced(Raced),
}

/// The design that comes nearest to what is required, where none does it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// Its place among the designs.
    pub design: usize,
    /// What it does not do.
    pub refusals: Vec<Refusal>,
}

/// Which design to build.
#[derive(Debug, Clone, PartialEq)]
pub struct Advised {
    /// What became of each design, in their order.
    pub outcomes: Vec<Outcome>,
    /// The one to build; `None` if none does what is required.
    pub best: Option<usize>,
    /// Those that are the same as it within [`TOLERANCE`], with it.
    pub same: Vec<usize>,
    /// Which comes nearest, if none does what is required.
    pub nearest: Option<Nearest>,
    /// The simulated I/Os of the race.
    pub ios: u64,
    /// Whether the observer ended the search early: the best is then the best so far, and it may miss
    /// requirements that take a simulation.
    pub is_interrupted: bool,
}

/// Finds the design to build.
///
/// # Errors
/// As [`Model::answer`], for the first design that has no answer.
pub fn advise(
    model: &Model,
    asked: &Asked<'_>,
    observer: &mut dyn Observer,
) -> Result<Advised, ModelError> {
    let mut refused: Vec<Option<Refusal>> = Vec::with_capacity(asked.designs.len());
    for design in 0..asked.designs.len() {
        refused.push(
            asked
                .refusals(model, design, false, observer)?
                .first()
                .copied(),
        );
    }
    let (raced, is_interrupted) = loop {
        let (admitted, raced) = asked.race(model, &refused, observer)?;
        if raced.is_interrupted {
            break (raced, true);
        }
        let found = match asked.refuse_within(model, &raced, &admitted, observer) {
            // Which of the designs are refused decides nothing before all of them were asked.
            Err(ModelError::Interrupted) => break (raced, true),
            found => found?,
        };
        if found.is_empty() {
            break (raced, false);
        }
        for (design, refusal) in found {
            refused[design] = Some(refusal);
        }
    };
    let mut runners = raced.runners.into_iter();
    let outcomes = refused.into_iter().map(|refused| match refused {
        Some(refusal) => Outcome::Refused(refusal),
        None => Outcome::Raced(runners.next().expect("one runner for each admitted design")),
    });
    let outcomes: Vec<Outcome> = outcomes.collect();
    let is_within = |design: &usize| match &outcomes[*design] {
        Outcome::Raced(raced) => raced.place == Place::Within,
        Outcome::Refused(_) => false,
    };
    let same: Vec<usize> = (0..outcomes.len()).filter(is_within).collect();
    let best = same.iter().copied();
    let best = best.min_by(|one, other| asked.by_simplicity(*one, *other));
    let nearest = match best {
        Some(_) => None,
        None if is_interrupted => None,
        None => asked.nearest(model, observer)?,
    };
    Ok(Advised {
        outcomes,
        best,
        same,
        nearest,
        ios: raced.ios,
        is_interrupted,
    })
}

impl Asked<'_> {
    fn design(&self, index: usize) -> Design<'_> {
        let cells = self.designs[index].iter().zip(self.weights);
        let questions = cells.map(|(cell, weight)| (Question::new(cell, self.seed), *weight));
        Design {
            questions: questions.collect(),
        }
    }

    /// Lets the designs race that are not refused; returns their places among all, too.
    fn race(
        &self,
        model: &Model,
        refused: &[Option<Refusal>],
        observer: &mut dyn Observer,
    ) -> Result<(Vec<usize>, Race), ModelError> {
        let admitted = (0..refused.len()).filter(|index| refused[*index].is_none());
        let admitted: Vec<usize> = admitted.collect();
        let runners: Vec<Design> = admitted.iter().map(|index| self.design(*index)).collect();
        Ok((admitted, race(model, &runners, TOLERANCE, observer)?))
    }

    /// Returns which designs of those that may be chosen do not do what takes a simulation to know.
    fn refuse_within(
        &self,
        model: &Model,
        raced: &Race,
        admitted: &[usize],
        observer: &mut dyn Observer,
    ) -> Result<Vec<(usize, Refusal)>, ModelError> {
        let within = raced.runners.iter().zip(admitted);
        let within = within.filter(|(runner, _)| runner.place == Place::Within);
        let mut found = Vec::new();
        for (_, design) in within {
            let refusals = self.refusals(model, *design, true, observer)?;
            found.extend(refusals.first().map(|refusal| (*design, *refusal)));
        }
        Ok(found)
    }

    /// Returns what measures the designs in `model`.
    pub const fn measures<'m>(&'m self, model: &'m Model) -> Measures<'m> {
        Measures {
            model,
            rated: self.rated,
            writes_per_day: self.writes_per_day,
            price: self.price,
            seed: self.seed,
        }
    }

    /// Returns what a design does not do: of what its layout gives, or of what is simulated.
    fn refusals(
        &self,
        model: &Model,
        design: usize,
        is_simulated: bool,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Refusal>, ModelError> {
        let measures = self.measures(model);
        let requirements = self.requirements.iter();
        let requirements =
            requirements.filter(|one| one.quantity().is_known_unsimulated() != is_simulated);
        let mut refusals = Vec::new();
        for requirement in requirements {
            let cells = &self.designs[design];
            let value = measures.value(cells, requirement.quantity(), observer)?;
            if !requirement.is_met_by(value) {
                refusals.push(Refusal {
                    requirement: *requirement,
                    value,
                });
            }
        }
        Ok(refusals)
    }

    /// Returns the design that misses the fewest requirements, and of those the one that misses them by
    /// the least.
    fn nearest(
        &self,
        model: &Model,
        observer: &mut dyn Observer,
    ) -> Result<Option<Nearest>, ModelError> {
        let mut layouts = Vec::with_capacity(self.designs.len());
        for design in 0..self.designs.len() {
            layouts.push(self.refusals(model, design, false, observer)?);
        }
        let fewest = layouts.iter().map(Vec::len).min().unwrap_or_default();
        let mut nearest: Option<Nearest> = None;
        for (design, mut refusals) in layouts.into_iter().enumerate() {
            // What takes a simulation cannot make up for a requirement that the layout misses.
            if refusals.len() > fewest {
                continue;
            }
            refusals.extend(self.refusals(model, design, true, observer)?);
            let found = Nearest { design, refusals };
            let is_nearer = |than: &Nearest| {
                let order = found.refusals.len().cmp(&than.refusals.len());
                let order = order.then(found.times_off().total_cmp(&than.times_off()));
                order.then_with(|| self.by_simplicity(design, than.design)) == Ordering::Less
            };
            if nearest.as_ref().is_none_or(is_nearer) {
                nearest = Some(found);
            }
        }
        Ok(nearest)
    }

    /// Returns whether the layouts alone say what each design does of what is required.
    fn is_known_unsimulated(&self) -> bool {
        let mut requirements = self.requirements.iter();
        requirements.all(|one| one.quantity().is_known_unsimulated())
    }

    /// Returns how many failures the designs have to survive.
    fn survive(&self) -> u64 {
        let survive = self.requirements.iter().map(|one| match one {
            Requirement::Survive(devices) => *devices,
            _ => 0,
        });
        survive.max().unwrap_or_default()
    }

    /// Returns the special parts of a design.
    pub fn specials(&self, design: usize) -> Vec<Special> {
        specials(&self.designs[design][0].stack, self.survive())
    }

    /// Orders designs, the one to build first: by what is preferred, then the fewest special parts, the
    /// most space, the chunk nearest to mdadm's, and their order.
    pub fn by_simplicity(&self, one: usize, other: usize) -> Ordering {
        let stack = |index: usize| &self.designs[index][0].stack;
        let usable = |index: usize| {
            let usable = Quantity::Usable.of_layout(stack(index), self.rated);
            usable.unwrap_or(0.0)
        };
        let special = |index: usize| {
            self.specials(index)
                .iter()
                .map(|one| one.count())
                .sum::<u64>()
        };
        let by_space = usable(other).total_cmp(&usable(one));
        let by_parts = special(one).cmp(&special(other));
        let order = match self.prefer {
            Prefer::Simple => by_parts.then(by_space),
            Prefer::Space => by_space.then(by_parts),
        };
        let last = |index: usize| (doublings(stack(index)), index);
        order.then_with(|| last(one).cmp(&last(other)))
    }
}

impl Nearest {
    /// Returns how many times too little or too much it gives, over all that it misses.
    fn times_off(&self) -> f64 {
        let refusals = self.refusals.iter();
        let times = refusals.map(|one| one.requirement.times_off(one.value));
        times.product()
    }
}

/// Returns whether two designs are of one kind: they differ in their chunk alone.
pub fn is_same_kind(one: &Stack, other: &Stack) -> bool {
    let kind = |stack: &Stack| {
        let array = stack.array.clone();
        let array = array.map(|array| (array.level, array.layout, array.bitmap));
        (array, stack.device_count(), stack.filesystem.clone())
    };
    kind(one) == kind(other)
}

impl Advised {
    /// Chooses again, now that the rates of some designs are known as precisely as in a table: those of
    /// which no other is surely better by more than [`TOLERANCE`] are the same, and the simplest of them
    /// is built. Without such rates nothing changes.
    pub fn settle(&mut self, asked: &Asked<'_>, rates: &[(usize, Rate)]) {
        if rates.is_empty() {
            return;
        }
        let is_able = |index: &usize| match &self.outcomes[*index] {
            Outcome::Refused(_) => false,
            // What is simulated beside the rate was asked of these only.
            Outcome::Raced(_) => asked.is_known_unsimulated() || self.same.contains(index),
        };
        let coarse = |index: usize| match &self.outcomes[index] {
            Outcome::Raced(raced) => raced.rate.filter(|_| self.same.contains(&index)),
            Outcome::Refused(_) => None,
        };
        let precise = |index: usize| rates.iter().find(|(one, _)| *one == index);
        let rate = |index: usize| {
            precise(index)
                .map(|(_, rate)| *rate)
                .or_else(|| coarse(index))
        };
        let able = (0..self.outcomes.len()).filter(is_able);
        let known = able.clone().filter_map(&precise);
        let least = known.map(|(_, rate)| rate.low).fold(0.0, f64::max) * (1.0 - TOLERANCE);
        let same = able.filter(|index| rate(*index).is_some_and(|rate| rate.high >= least));
        let same: Vec<usize> = same.collect();
        let known = same
            .iter()
            .copied()
            .filter(|index| precise(*index).is_some());
        self.best = known.min_by(|one, other| asked.by_simplicity(*one, *other));
        self.same = same;
    }

    /// Returns the indices of the designs that are worth a look beside the best: one of each other kind,
    /// the fastest kind first, and then `others`, unless they are among them or refused. Of a kind, those
    /// within [`TOLERANCE`] of its fastest are the same, and mdadm's chunk or the nearest to it is shown.
    pub fn compared(&self, designs: &[Vec<Cell>], others: &[usize]) -> Vec<usize> {
        let stack = |index: usize| &designs[index][0].stack;
        let rate = |index: &usize| match &self.outcomes[*index] {
            Outcome::Raced(raced) => Some(raced.rate.map_or(0.0, |rate| rate.median)),
            Outcome::Refused(_) => None,
        };
        let mut order: Vec<(usize, f64)> = (0..designs.len())
            .filter_map(|index| Some((index, rate(&index)?)))
            .collect();
        order.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let mut compared: Vec<usize> = self.best.into_iter().collect();
        for (fastest, most) in &order {
            let is_of_kind = |other: usize| is_same_kind(stack(*fastest), stack(other));
            if compared.iter().any(|other| is_of_kind(*other)) {
                continue;
            }
            let same = order
                .iter()
                .filter(|(index, rate)| is_of_kind(*index) && *rate >= most * (1.0 - TOLERANCE));
            let plainest = same.min_by_key(|(index, _)| doublings(stack(*index)));
            compared.extend(plainest.map(|(index, _)| *index));
        }
        for other in others {
            if rate(other).is_some() && !compared.contains(other) {
                compared.push(*other);
            }
        }
        compared
    }
}
