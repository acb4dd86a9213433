//! Chooses the next block from the samples so far. Pure: no clock, no world.
//!
//! A *block* holds at most one sample of each cell, in random order, so that compared cells are
//! measured close in time. The first block warms up every cell. Then every cell gets its minimum of
//! samples. After that the budget goes to the widest intervals: a block holds the cells whose
//! interval, relative to its target, is at least half as wide as the widest. Their baselines are in
//! the block too, so that samples come in pairs.
//!
//! Simulations follow another rule ([`stripewise_analysis::simulations`]): the number of
//! simulations of a cell depends on that cell alone.

use std::collections::BTreeSet;

use stripewise_analysis::comparison::{paired, params};
use stripewise_analysis::counted::{Steadiness, counted, deciding_series};
use stripewise_analysis::simulations::{
    HALF_WIDTH, SIMULATIONS_MAX, SIMULATIONS_MIN, enough, median_of,
};
use stripewise_stats::{
    Estimate, Forecast, Level, ROUNDS_MAX, is_settled, median_interval, samples_needed,
};
use stripewise_study::metric::Metric;
use stripewise_study::plan::{Compare, Pair, Repeat};
use stripewise_study::sample::{Role, SampleRecord};

/// Why a cell needs no further samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellEnd {
    /// Its interval is as narrow as the study requires.
    NarrowEnough,
    /// It has the maximum of samples.
    MaxSamples,
    /// It did not reach steady state within the rounds that SNIA allows.
    NotSteady,
    /// All of its many samples were invalid, so more would not help.
    NoValidSample,
}

/// The state of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellState {
    /// Samples that count.
    pub counted: usize,
    /// Whether it has had a warm-up sample.
    pub is_warm: bool,
    /// The estimate of the deciding metric; `None` without a counted sample.
    pub estimate: Option<Estimate>,
    /// Why it is done; `None` while it is open.
    pub end: Option<CellEnd>,
    /// The half width of its interval divided by the target: at most 1 is narrow enough, infinite
    /// is unknown.
    pub width: f64,
    /// Samples that it will probably still take.
    pub missing: usize,
}

/// Returns the state of a cell after `samples`, all its own and in order of time. The first
/// `earlier` of them were taken before the run was resumed.
///
/// A pause cools a cell down, and may have removed the cause of invalid samples. So only the
/// samples since the pause decide whether it is warm, and whether to give it up.
pub fn state(
    samples: &[SampleRecord],
    earlier: usize,
    repeat: &Repeat,
    metric: Metric,
) -> CellState {
    let now = &samples[earlier.min(samples.len())..];
    let is_attempt = |record: &&SampleRecord| record.role == Role::Counted;
    let counted = counted(samples, repeat.steady_state, metric);
    let estimate = deciding_series(&counted.samples, metric)
        .map(|series| median_interval(&series, Level::P95));
    let target = repeat.interval_percent.as_fraction();
    let tally = Tally {
        attempts: samples.iter().filter(is_attempt).count(),
        attempts_now: now.iter().filter(is_attempt).count(),
        has_valid: samples
            .iter()
            .filter(is_attempt)
            .any(|record| record.sample.is_valid()),
        counted: counted.samples.len(),
        not_attained: matches!(counted.steadiness, Some(Steadiness::NotAttained { .. })),
    };
    CellState {
        counted: tally.counted,
        is_warm: now.iter().any(|record| record.role == Role::WarmUp),
        estimate,
        end: end(&tally, estimate.as_ref(), repeat),
        width: estimate
            .and_then(|estimate| estimate.relative_half_width())
            .map_or(f64::INFINITY, |half_width| half_width / target),
        missing: missing(tally.counted, estimate.as_ref(), repeat),
    }
}

/// Returns the state of a simulated cell after `samples`. The rule is the model's, regardless of
/// the study's settings for real disks.
pub fn simulated_state(samples: &[SampleRecord]) -> CellState {
    let valid = || {
        let samples = samples.iter().map(|record| &record.sample);
        samples.filter(|sample| sample.is_valid())
    };
    let counted = valid().count();
    let enough = enough(valid());
    let own = valid().take(enough.unwrap_or(counted));
    let bandwidths: Vec<f64> = own.filter_map(|one| Metric::Bandwidth.of(one)).collect();
    let estimate = median_of(&bandwidths);
    let width = estimate
        .and_then(|estimate| estimate.relative_half_width())
        .map_or(f64::INFINITY, |half_width| half_width / HALF_WIDTH);
    let end = match enough {
        Some(_) if width <= 1.0 => Some(CellEnd::NarrowEnough),
        Some(_) => Some(CellEnd::MaxSamples),
        None if samples.len() >= SIMULATIONS_MAX => Some(CellEnd::MaxSamples),
        None if counted == 0 && samples.len() >= SIMULATIONS_MIN => Some(CellEnd::NoValidSample),
        None => None,
    };
    CellState {
        counted: enough.unwrap_or(counted),
        is_warm: true,
        estimate,
        end,
        width,
        missing: SIMULATIONS_MIN.saturating_sub(counted).max(1),
    }
}

/// Returns the cells of the next block of simulations: first the open ones, then those that need
/// more pairs for a comparison. `None` if no more are needed.
pub fn next_simulations(
    states: &[CellState],
    samples: &[&[SampleRecord]],
    pairs: &[Pair],
    compare: &Compare,
) -> Option<Block> {
    let open = indices(states, |state| state.end.is_none());
    let cells = match open.is_empty() {
        false => open,
        true => unpaired(states, samples, pairs, compare),
    };
    (!cells.is_empty()).then_some(Block {
        role: Role::Counted,
        cells,
    })
}

/// Returns the cells to simulate once more, so that comparisons become conclusive.
fn unpaired(
    states: &[CellState],
    samples: &[&[SampleRecord]],
    pairs: &[Pair],
    compare: &Compare,
) -> Vec<usize> {
    let mut cells = BTreeSet::new();
    for pair in pairs {
        let both = [pair.baseline, pair.other];
        if both
            .iter()
            .any(|cell| states[*cell].end == Some(CellEnd::NoValidSample))
        {
            continue;
        }
        let valid = both.map(|cell| {
            let records = samples[cell].iter();
            records
                .filter(|record| record.sample.is_valid())
                .collect::<Vec<_>>()
        });
        let paired = paired(&valid[0], &valid[1], compare.metric);
        if paired.needs_more(params(compare.margin_percent)) {
            let counts = both.map(|cell| samples[cell].len());
            let fewest = counts[0].min(counts[1]);
            cells.extend(
                both.into_iter()
                    .filter(|cell| samples[*cell].len() == fewest && fewest < SIMULATIONS_MAX),
            );
        }
    }
    cells.into_iter().collect()
}

/// The attempts of a cell, and their results.
struct Tally {
    attempts: usize,
    attempts_now: usize,
    has_valid: bool,
    counted: usize,
    not_attained: bool,
}

fn end(tally: &Tally, estimate: Option<&Estimate>, repeat: &Repeat) -> Option<CellEnd> {
    let (at_least, at_most) = (count(repeat.at_least), count(repeat.at_most));
    let rounds = repeat.steady_state.map_or(0, |_| ROUNDS_MAX);
    let target = repeat.interval_percent.as_fraction();
    if tally.not_attained {
        Some(CellEnd::NotSteady)
    } else if tally.counted >= at_least
        && estimate.is_some_and(|estimate| is_settled(estimate, target))
    {
        Some(CellEnd::NarrowEnough)
    } else if tally.counted >= at_most || tally.attempts >= 2 * at_most + rounds {
        Some(CellEnd::MaxSamples)
    } else if !tally.has_valid && tally.attempts_now >= at_least {
        Some(CellEnd::NoValidSample)
    } else {
        None
    }
}

fn missing(counted: usize, estimate: Option<&Estimate>, repeat: &Repeat) -> usize {
    let (at_least, at_most) = (count(repeat.at_least), count(repeat.at_most));
    let needed = match estimate {
        Some(estimate) => match samples_needed(estimate, repeat.interval_percent.as_fraction()) {
            Forecast::About(samples) | Forecast::MoreThan(samples) => samples,
        },
        None => at_least,
    };
    needed
        .clamp(at_least, at_most)
        .saturating_sub(counted)
        .max(1)
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Cells to measure one after the other, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Why they are measured.
    pub role: Role,
    /// Their indices, in no particular order.
    pub cells: Vec<usize>,
}

/// Returns the next block; `None` when every cell is done.
pub fn next_block(states: &[CellState], pairs: &[Pair], repeat: &Repeat) -> Option<Block> {
    let open: Vec<usize> = indices(states, |state| state.end.is_none());
    if open.is_empty() {
        return None;
    }
    let short = indices(states, |state| {
        state.end.is_none() && state.counted < count(repeat.at_least)
    });
    let chosen = if short.is_empty() {
        widest(states, &open)
    } else {
        short
    };
    let chosen = with_baselines(chosen, states, pairs);
    let is_cold = |index: &usize| !states[*index].is_warm;
    if chosen.iter().any(is_cold) {
        // All cold cells at once, so that later blocks have only warm cells.
        let open = open.into_iter().chain(chosen).filter(is_cold);
        let cold: BTreeSet<usize> = open.collect();
        return Some(Block {
            role: Role::WarmUp,
            cells: cold.into_iter().collect(),
        });
    }
    Some(Block {
        role: Role::Counted,
        cells: chosen,
    })
}

fn indices(states: &[CellState], wanted: impl Fn(&CellState) -> bool) -> Vec<usize> {
    (0..states.len())
        .filter(|&index| wanted(&states[index]))
        .collect()
}

/// Returns the open cells whose interval is at least half as wide as the widest.
fn widest(states: &[CellState], open: &[usize]) -> Vec<usize> {
    let widest = open
        .iter()
        .map(|&index| states[index].width)
        .fold(0.0, f64::max);
    open.iter()
        .copied()
        .filter(|&index| states[index].width >= widest / 2.0)
        .collect()
}

/// Adds the baselines of the chosen cells, even if they are done: a pair needs both.
fn with_baselines(mut chosen: Vec<usize>, states: &[CellState], pairs: &[Pair]) -> Vec<usize> {
    let baselines: Vec<usize> = pairs
        .iter()
        .filter(|pair| chosen.contains(&pair.other))
        .map(|pair| pair.baseline)
        .filter(|&baseline| states[baseline].end != Some(CellEnd::NoValidSample))
        .collect();
    chosen.extend(baselines);
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
