//! Which of many designs to build: rules refuse some, the others race, and of those that are the same
//! the simplest is chosen.
//!
//! ```text
//!  designs --> requirements --> race (stripewise_sim::race) --> within 5 % of the best --> the simplest
//!                   |                    |
//!                   v                    v
//!                refused      bounded away or outrun
//! ```
//!
//! Nothing is left out silently: each design has an [`Outcome`].

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use stripewise_analysis::lifetime::{Rated, usable_bytes};
use stripewise_analysis::loss::raid10_layout;
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::race::{Design, Place, Raced, race};
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::failure::survived_failures;
use stripewise_study::stack::{Level, Stack};
use stripewise_units::{Bytes, as_f64};

/// Designs whose rates differ by no more than this share are the same.
pub const TOLERANCE: f64 = 0.05;
/// mdadm's chunk if none is named (`DEFAULT_CHUNK` in mdadm.h).
pub const CHUNK_DEFAULT: Bytes = Bytes::new(512 * 1024);

/// What a design must do, whatever its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// Keep all data when so many devices have failed, whichever they are.
    Survive(u64),
    /// Hold so much data.
    Capacity(Bytes),
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Requirement::Survive(devices) => write!(f, "survive={devices}"),
            Requirement::Capacity(bytes) => write!(f, "capacity={bytes}"),
        }
    }
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = "`survive=1` (failed devices) and `capacity=900G` (at least) can be required";
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("`{text}` has no `=`: {known}"));
        };
        // `capacity>=900G` says the same.
        match key.trim_end_matches('>').trim() {
            "survive" => match value.trim().parse() {
                Ok(devices) => Ok(Requirement::Survive(devices)),
                Err(_) => Err(format!("`{value}` is not a number of devices")),
            },
            "capacity" => match Bytes::parse(value.trim()) {
                Ok(bytes) => Ok(Requirement::Capacity(bytes)),
                Err(error) => Err(error.to_string()),
            },
            other => Err(format!(
                "`{other}` cannot be judged before a measurement: {known}"
            )),
        }
    }
}

impl Requirement {
    /// Returns whether a stack of these devices does it; what is unknown does not.
    pub fn is_met(self, stack: &Stack, rated: &[Rated]) -> bool {
        match self {
            Requirement::Survive(devices) => surely_survived(stack) >= devices,
            Requirement::Capacity(bytes) => {
                let holds = usable_bytes(stack, rated);
                holds.is_some_and(|holds| holds >= as_f64(bytes.as_u64()))
            }
        }
    }
}

/// Returns how many devices may fail, whichever they are, without loss of data.
pub fn surely_survived(stack: &Stack) -> u64 {
    let Some(array) = &stack.array else {
        return 0;
    };
    match array.level {
        Level::Raid10 => {
            let copies = raid10_layout(array.layout.as_deref()).map_or(1, |(_, copies)| copies);
            u64::from(copies).saturating_sub(1)
        }
        level => survived_failures(Some(level), stack.device_count()),
    }
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
    /// What is known about each device; all designs use all of them.
    pub rated: &'a [Rated],
    /// The seed of the first simulation.
    pub seed: u64,
}

/// What became of a design.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It does not do what is required.
    Refused(Requirement),
    /// It took part in the race.
    Raced(Raced),
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
    /// The simulated I/Os of the race.
    pub ios: u64,
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
    let refused = |cells: &Vec<Cell>| {
        let mut requirements = asked.requirements.iter();
        requirements.find(|one| !one.is_met(&cells[0].stack, asked.rated))
    };
    let refused: Vec<Option<&Requirement>> = asked.designs.iter().map(refused).collect();
    let admitted: Vec<usize> = (0..refused.len())
        .filter(|index| refused[*index].is_none())
        .collect();
    let runners: Vec<Design> = admitted.iter().map(|index| asked.design(*index)).collect();
    let raced = race(model, &runners, TOLERANCE, observer)?;
    let same: Vec<usize> = admitted
        .iter()
        .zip(&raced.runners)
        .filter(|(_, runner)| runner.place == Place::Within)
        .map(|(index, _)| *index)
        .collect();
    let mut runners = raced.runners.into_iter();
    let outcomes = refused.into_iter().map(|refused| match refused {
        Some(requirement) => Outcome::Refused(*requirement),
        None => Outcome::Raced(runners.next().expect("one runner for each admitted design")),
    });
    Ok(Advised {
        outcomes: outcomes.collect(),
        best: same
            .iter()
            .copied()
            .min_by(|one, other| asked.by_plainness(*one, *other)),
        same,
        ios: raced.ios,
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

    /// Orders designs, the plainest first: the most space, then mdadm's defaults, then their order.
    fn by_plainness(&self, one: usize, other: usize) -> Ordering {
        let stack = |index: usize| &self.designs[index][0].stack;
        let usable = |index: usize| usable_bytes(stack(index), self.rated).unwrap_or(0.0);
        let defaults = |index: usize| {
            let stack = stack(index);
            (!has_default_layout(stack), doublings(stack), index)
        };
        usable(other)
            .total_cmp(&usable(one))
            .then_with(|| defaults(one).cmp(&defaults(other)))
    }
}

/// Returns whether mdadm lays data out so if no layout is named.
pub fn has_default_layout(stack: &Stack) -> bool {
    let layout = stack
        .array
        .as_ref()
        .and_then(|array| array.layout.as_deref());
    layout.is_none_or(|layout| ["n2", "left-symmetric"].contains(&layout))
}

/// Returns how many times the chunk would have to be doubled or halved to be mdadm's default.
pub fn doublings(stack: &Stack) -> u32 {
    let chunk = stack.array.as_ref().and_then(|array| array.chunk_bytes);
    let of = |bytes: Bytes| bytes.as_u64().max(1).ilog2();
    chunk.map_or(0, |chunk| of(chunk).abs_diff(of(CHUNK_DEFAULT)))
}

/// Returns whether two designs are of one kind: they differ in their chunk alone.
pub fn is_same_kind(one: &Stack, other: &Stack) -> bool {
    let kind = |stack: &Stack| {
        let array = stack.array.clone();
        array.map(|array| (array.level, array.layout, array.bitmap))
    };
    kind(one) == kind(other)
}

impl Advised {
    /// Chooses again, now that the rates of some designs are known as precisely as in a table: those within
    /// [`TOLERANCE`] of the highest are the same, and the plainest of them is built.
    pub fn settle(&mut self, asked: &Asked<'_>, rates: &[(usize, f64)]) {
        let highest = rates.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let is_within = |rate: f64| rate >= highest * (1.0 - TOLERANCE);
        let coarse = |index: usize| match &self.outcomes[index] {
            Outcome::Raced(raced) => raced.rate.map(|rate| rate.median),
            Outcome::Refused(_) => None,
        };
        let precise = |index: usize| rates.iter().find(|(one, _)| *one == index);
        let rate = |index: &usize| match precise(*index) {
            Some((_, rate)) => Some(*rate),
            None => coarse(*index).filter(|_| self.same.contains(index)),
        };
        let all = 0..self.outcomes.len();
        let same = all.filter(|index| rate(index).is_some_and(is_within));
        let same: Vec<usize> = same.collect();
        let known = same
            .iter()
            .copied()
            .filter(|index| precise(*index).is_some());
        self.best = known.min_by(|one, other| asked.by_plainness(*one, *other));
        self.same = same;
    }

    /// Returns the indices of the designs that are worth a look beside the best: one of each other kind,
    /// the fastest kind first, and then `usual`, unless it is among them or refused. Of a kind, those
    /// within [`TOLERANCE`] of its fastest are the same, and mdadm's chunk or the nearest to it is shown.
    pub fn compared(&self, designs: &[Vec<Cell>], usual: Option<usize>) -> Vec<usize> {
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
        let usual = usual.filter(|usual| rate(usual).is_some());
        compared.extend(usual.filter(|usual| !compared.contains(usual)));
        compared
    }
}
