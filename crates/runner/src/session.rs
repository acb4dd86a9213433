//! The state of one session of a run: samples, cell states, and the budget.

use std::time::Duration;

use stripewise_study::plan::{Pair, Study, pairs};
use stripewise_study::sample::{Role, SampleRecord, as_f64};
use stripewise_units::Nanos;

use crate::cut::{GRACE, Phase};
use crate::observer::Progress;
use crate::outcome::Outcome;
use crate::schedule::{Block, CellState, next_block, next_simulations, simulated_state, state};

/// The time that starting and ending a load adds to a warm-up and to a sample.
const START: Duration = Duration::from_millis(300);

/// The samples of one cell.
#[derive(Debug, Clone, Default)]
struct CellSamples {
    samples: Vec<SampleRecord>,
    /// How many of them the run had before this session.
    earlier: usize,
    /// The real time of a sample, from the last one or the warm-up of this session.
    real_time: Option<Duration>,
}

/// The state since the runner was started.
pub(crate) struct Session<'a> {
    study: &'a Study,
    cells: Vec<CellSamples>,
    /// The state of each cell; updated with its samples.
    states: Vec<CellState>,
    pairs: Vec<Pair>,
    block: u32,
    began: Duration,
    spent: Duration,
    /// The cost of the samples of this session; a warm-up may cost less than a sample.
    cost: f64,
    /// The cost of a warm-up; a sample costs 1.
    warm_up_cost: f64,
    /// Whether samples are simulated: these need no warm-up and little time.
    is_repeatable: bool,
    /// Whether the first sample of a cell is a warm-up.
    warms_up: bool,
}

impl<'a> Session<'a> {
    /// Begins a session at `began`, after `earlier` samples that used `spent` of the budget.
    pub(crate) fn new(
        study: &'a Study,
        earlier: Vec<SampleRecord>,
        spent: Duration,
        began: Duration,
        is_repeatable: bool,
    ) -> Self {
        // An interrupted block is not continued: its cells would not be close in time.
        let block = earlier
            .iter()
            .map(|record| record.block.saturating_add(1))
            .max()
            .unwrap_or(0);
        let mut cells = vec![CellSamples::default(); study.cells.len()];
        for record in earlier {
            if let Some(cell) = cells.get_mut(record.cell) {
                cell.samples.push(record);
                cell.earlier += 1;
            }
        }
        let states = cells.iter().map(|cell| judge(study, cell, is_repeatable));
        let states = states.collect();
        Self {
            study,
            cells,
            states,
            pairs: pairs(&study.cells, &study.compare.baseline),
            block,
            began,
            spent,
            cost: 0.0,
            warm_up_cost: 1.0,
            is_repeatable,
            warms_up: true,
        }
    }

    /// Lets the first sample of each cell count.
    pub(crate) fn begin_warm(&mut self) {
        self.warms_up = false;
        self.states
            .iter_mut()
            .for_each(|state| state.is_warm = true);
    }

    /// Sets how long warm-ups take.
    pub(crate) fn set_warm_up(&mut self, warm_up: Nanos) {
        let with_start = |time: Nanos| (Duration::from(time) + START).as_secs_f64();
        self.warm_up_cost = with_start(warm_up) / with_start(self.study.repeat.sample_ns);
    }

    fn cost_of(&self, role: Role) -> f64 {
        match role {
            Role::WarmUp => self.warm_up_cost,
            _ => 1.0,
        }
    }

    pub(crate) fn block(&self) -> u32 {
        self.block
    }

    /// Returns the block of the next sample of `cell`: the present one. For simulations it is the
    /// number of the simulation, so that the same one follows after any interruption.
    pub(crate) fn block_of(&self, cell: usize) -> u32 {
        if !self.is_repeatable {
            return self.block;
        }
        let blocks = self.cells[cell].samples.iter().map(|record| record.block);
        blocks.max().map_or(0, |last| last.saturating_add(1))
    }

    pub(crate) fn end_block(&mut self) {
        self.block = self.block.saturating_add(1);
    }

    pub(crate) fn next_block(&self) -> Option<Block> {
        if self.is_repeatable {
            let samples: Vec<&[SampleRecord]> = self
                .cells
                .iter()
                .map(|cell| cell.samples.as_slice())
                .collect();
            return next_simulations(&self.states, &samples, &self.pairs, &self.study.compare);
        }
        next_block(&self.states, &self.pairs, &self.study.repeat)
    }

    /// Adds a sample that took `real_time` to measure. Cost: an analysis of its cell alone.
    pub(crate) fn add(&mut self, record: SampleRecord, real_time: Duration) {
        let (index, cost) = (record.cell, self.cost_of(record.role));
        self.cells[index].real_time = Some(divided(real_time, cost));
        self.cells[index].samples.push(record);
        self.states[index] = judge(self.study, &self.cells[index], self.is_repeatable);
        self.states[index].is_warm |= !self.warms_up;
        self.cost += cost;
    }

    /// Returns the last sample of a cell, and the cell's state.
    pub(crate) fn latest_of(&self, cell: usize) -> Option<(&SampleRecord, &CellState)> {
        Some((self.cells[cell].samples.last()?, &self.states[cell]))
    }

    fn used(&self, now: Duration) -> Duration {
        self.spent + now.saturating_sub(self.began)
    }

    /// Returns whether one more sample, of any cell, would exceed the budget.
    pub(crate) fn is_over_budget(&self, now: Duration) -> bool {
        let sample = match self.is_repeatable {
            true => Duration::ZERO,
            false => Duration::from(self.study.repeat.sample_ns),
        };
        self.used(now) + sample > Duration::from(self.study.repeat.budget_ns)
    }

    /// Returns whether one more sample of `cell` would exceed the budget.
    pub(crate) fn is_over_budget_with(&self, cell: usize, now: Duration) -> bool {
        let sample = self.real_time_of(cell);
        self.is_over_budget(now)
            || self.used(now) + sample > Duration::from(self.study.repeat.budget_ns)
    }

    /// Returns the real time that a sample of `cell` will probably take: as much as its last one,
    /// else as much as those of other cells. A guest in virtual time may take many times longer
    /// than the sample, which is unknown before the first one.
    fn real_time_of(&self, cell: usize) -> Duration {
        if self.is_repeatable {
            return Duration::ZERO;
        }
        if let Some(real_time) = self.cells[cell].real_time {
            return real_time;
        }
        let known: Vec<Duration> = self
            .cells
            .iter()
            .filter_map(|cell| cell.real_time)
            .collect();
        let count = u32::try_from(known.len()).unwrap_or(u32::MAX);
        let sum = known.into_iter().sum::<Duration>();
        sum.checked_div(count).unwrap_or_default()
    }

    /// Returns when to cut short a phase that begins at `now`; `None` for a simulation, which ends
    /// soon.
    ///
    /// A sample may start if its time fits into the budget. Its other work may end later.
    pub(crate) fn cut_at(&self, phase: Phase, now: Duration) -> Option<Duration> {
        let budget = Duration::from(self.study.repeat.budget_ns);
        let left = budget.saturating_sub(self.used(now));
        let at = match phase {
            Phase::Preparing => now + left,
            Phase::Measuring => {
                let sample = Duration::from(self.study.repeat.sample_ns);
                now + left.max(sample) + GRACE
            }
        };
        (!self.is_repeatable).then_some(at)
    }

    pub(crate) fn progress(&self, now: Duration) -> Progress {
        let open = self.states.iter().filter(|state| state.end.is_none());
        let (mut missing, mut cost) = (0, 0.0);
        for state in open {
            missing += state.missing + usize::from(!state.is_warm);
            let warm_up = if state.is_warm {
                0.0
            } else {
                self.warm_up_cost
            };
            cost += as_f64(u64::try_from(state.missing).unwrap_or(u64::MAX)) + warm_up;
        }
        let each = if self.cost > 0.0 {
            divided(now.saturating_sub(self.began), self.cost)
        } else {
            Duration::from(self.study.repeat.sample_ns)
        };
        let budget = Duration::from(self.study.repeat.budget_ns).saturating_sub(self.used(now));
        let wanted = divided(each, 1.0 / cost.max(f64::MIN_POSITIVE));
        Progress {
            taken: self.cells.iter().map(|cell| cell.samples.len()).sum(),
            missing,
            time_left: wanted.min(budget),
        }
    }

    pub(crate) fn outcome(&self) -> Outcome {
        Outcome::Done {
            cells: self.states.iter().map(|state| state.end).collect(),
        }
    }
}

/// Returns a time divided by a cost; as long as possible if it is too long.
fn divided(time: Duration, cost: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() / cost).unwrap_or(Duration::MAX)
}

fn judge(study: &Study, cell: &CellSamples, is_repeatable: bool) -> CellState {
    match is_repeatable {
        true => simulated_state(&cell.samples),
        false => state(
            &cell.samples,
            cell.earlier,
            &study.repeat,
            study.compare.metric,
        ),
    }
}
