//! The loop: choose a block, measure its cells, save each sample, until all cells are done or the
//! time is over.
//!
//! `Store::add_sample` returns once the commit is on disk, so a sample is durable before the next
//! one starts; a test kills the program again and again, and counts the samples. Samples of a world
//! without real time can be reproduced bit for bit: they are saved together, twice a second, in one
//! transaction.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use stripewise_analysis::simulations::seed_of;
use stripewise_results::{RunEnd, RunId, Store, StoreError};
use stripewise_study::cell::{BuildKey, Cell};
use stripewise_study::hosts::HostProgress;
use stripewise_study::plan::Study;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_study::world::{SampleRequest, Simulator, Watch, World, WorldError};
use stripewise_units::Nanos;
use stripewise_units::causes::chain;
use stripewise_units::kernel::KernelName;

use crate::cores::{Results, Simulations, cores};
use crate::cut::{Cut, Phase};
use crate::draw;
use crate::observer::{Event, Observer};
use crate::outcome::Outcome;
use crate::schedule::Block;
use crate::session::Session;

/// A run stopped with an error. Its earlier samples are safe in the store.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world failed.
    #[error("failed to measure cell {} ({what})", cell + 1)]
    World {
        /// The index of the cell.
        cell: usize,
        /// A short description of the cell.
        what: String,
        /// Why.
        #[source]
        source: WorldError,
    },
    /// The store failed to save a sample.
    #[error("failed to save")]
    Store(#[from] StoreError),
    /// A change could not be undone; it is still in the journal.
    #[error("failed to clean up")]
    Restore(#[source] WorldError),
    /// Two errors occurred; the second is the source, so that it is printed once.
    #[error("{}; {then}", chain(first.as_ref()))]
    Both {
        /// The first error.
        first: Box<RunError>,
        /// What failed after it.
        then: &'static str,
        /// The second error.
        #[source]
        second: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl RunError {
    /// Returns how to solve it, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            RunError::World { source, .. } | RunError::Restore(source) => {
                source.hint().map(str::to_owned)
            }
            RunError::Store(error) => error.hint(),
            RunError::Both { first, .. } => first.hint(),
        }
    }

    fn began_with_the_store(&self) -> bool {
        match self {
            RunError::Store(_) => true,
            RunError::Both { first, .. } => first.began_with_the_store(),
            RunError::World { .. } | RunError::Restore(_) => false,
        }
    }
}

/// The inputs of a run.
pub struct Runner<'a> {
    /// The store for its samples.
    pub store: &'a mut Store,
    /// The run in that store.
    pub run: RunId,
    /// The study to measure.
    pub study: &'a Study,
    /// The seed for order and samples.
    pub seed: u64,
    /// The part of the budget used by earlier sessions of this run; see
    /// [`Run::executed_for`](stripewise_results::Run::executed_for).
    pub spent: Duration,
    /// Receives the events of the run.
    pub observer: &'a mut dyn Observer,
    /// Returns whether to stop; called several times a second.
    pub stop: &'a dyn Fn() -> bool,
    /// Returns the time since a fixed moment.
    pub now: &'a dyn Fn() -> Duration,
    /// Samples of a repeatable world that are not in the store yet; empty at the start.
    pub unsaved: Unsaved,
}

/// The most samples of a repeatable world to hold unsaved.
const UNSAVED_MAX: usize = 512;
/// How long to hold them at most: the work that a killed process has to repeat.
const UNSAVED_TIME_MAX: Duration = Duration::from_millis(500);

/// Samples that can be reproduced at no cost, waiting to be saved together.
#[derive(Debug, Default)]
pub struct Unsaved {
    records: Vec<SampleRecord>,
    since: Duration,
}

impl Runner<'_> {
    /// Measures until every cell is done, the budget is over, or the caller stops it; then undoes
    /// the changes of the world and marks the run. `earlier` are the run's samples so far,
    /// `noticed` the warnings of the world's check.
    ///
    /// # Errors
    /// [`RunError`]; then the run is marked as failed and can be resumed.
    pub fn execute(
        mut self,
        world: &mut dyn World,
        earlier: Vec<SampleRecord>,
        noticed: &[Warning],
    ) -> Result<Outcome, RunError> {
        let measured = self
            .notice(noticed)
            .and_then(|()| self.measure_all(world, earlier));
        // Samples are saved even if the measurement failed.
        let measured = match (measured, self.save_unsaved()) {
            (measured, Ok(())) | (measured @ Err(_), Err(_)) => measured,
            (Ok(_), Err(error)) => Err(error),
        };
        let restored = world.restore(&mut self.store.journal(self.run));
        let outcome = match (measured, restored) {
            (Ok(outcome), Ok(())) => outcome,
            (Err(error), Ok(())) => return Err(self.failed(error)),
            (Ok(_), Err(error)) => return Err(self.failed(RunError::Restore(error))),
            (Err(first), Err(second)) => {
                return Err(self.failed(RunError::Both {
                    first: Box::new(first),
                    then: "the cleanup then failed",
                    second: Box::new(second),
                }));
            }
        };
        let end = match outcome {
            Outcome::Done { .. } | Outcome::CutShort(_) => RunEnd::Done,
            Outcome::Interrupted => RunEnd::Interrupted,
        };
        self.store.finish_run(self.run, end)?;
        Ok(outcome)
    }

    /// Marks the run as failed, if the store still works.
    fn failed(&mut self, error: RunError) -> RunError {
        match self.store.finish_run(self.run, RunEnd::Failed) {
            Ok(()) => error,
            // The store itself failed, which is being reported already.
            Err(_) if error.began_with_the_store() => error,
            Err(second) => RunError::Both {
                first: Box::new(error),
                then: "the store then failed to mark the run as failed",
                second: Box::new(second),
            },
        }
    }

    fn measure_all(
        &mut self,
        world: &mut dyn World,
        earlier: Vec<SampleRecord>,
    ) -> Result<Outcome, RunError> {
        let is_repeatable = world.is_repeatable();
        let began = (self.now)();
        let mut session = Session::new(self.study, earlier, self.spent, began, is_repeatable);
        session.set_warm_up(world.warm_up(self.study.repeat.sample_ns));
        if !world.warms_up() {
            session.begin_warm();
        }
        while let Some(block) = session.next_block() {
            let cells = self.order(world, session.block(), &block);
            let ended = match world.simulator() {
                Some(simulator) if cells.len() > 1 && cores() > 1 => {
                    self.simulate_block(simulator, &mut session, &cells, block.role)
                }
                _ => self.measure_block(world, &mut session, &cells, block.role),
            };
            match ended {
                Ok(None) => session.end_block(),
                Ok(Some(outcome)) => return Ok(outcome),
                Err(RunError::World {
                    source: WorldError::Interrupted,
                    ..
                }) => return Ok(Outcome::Interrupted),
                Err(error) => return Err(error),
            }
        }
        Ok(session.outcome())
    }

    /// Returns the outcome if the run ends before the next sample, which is of `cell`.
    fn ended(&self, session: &Session, cell: usize) -> Option<Outcome> {
        if (self.stop)() {
            return Some(Outcome::Interrupted);
        }
        let is_over = session.is_over_budget_with(cell, (self.now)());
        is_over.then(|| session.outcome())
    }

    /// Measures the cells of a block one after the other; returns the outcome if the run ends.
    fn measure_block(
        &mut self,
        world: &mut dyn World,
        session: &mut Session,
        cells: &[usize],
        role: Role,
    ) -> Result<Option<Outcome>, RunError> {
        for &cell in cells {
            if let Some(outcome) = self.ended(session, cell) {
                return Ok(Some(outcome));
            }
            if let Some(cut) = self.sample(world, session, cell, role)? {
                return Ok(Some(Outcome::CutShort(cut)));
            }
        }
        Ok(None)
    }

    /// Simulates the cells of a block on all cores; returns the outcome if the run ends. Samples are
    /// saved in the order of the block.
    fn simulate_block(
        &mut self,
        simulator: &dyn Simulator,
        session: &mut Session,
        cells: &[usize],
        role: Role,
    ) -> Result<Option<Outcome>, RunError> {
        let study = self.study;
        let wanted = cells.iter().map(|&cell| {
            let request = self.simulation(session.block_of(cell), cell);
            (&study.cells[cell], request)
        });
        let simulations = Simulations::new(simulator, wanted.collect());
        thread::scope(|scope| {
            let mut results = simulations.begin(scope);
            let ended = self.take_simulated(&mut results, session, cells, role);
            simulations.stop();
            ended
        })
    }

    fn take_simulated(
        &mut self,
        results: &mut Results,
        session: &mut Session,
        cells: &[usize],
        role: Role,
    ) -> Result<Option<Outcome>, RunError> {
        for (place, &cell) in cells.iter().enumerate() {
            if let Some(outcome) = self.ended(session, cell) {
                return Ok(Some(outcome));
            }
            let block = session.block_of(cell);
            self.observer.event(Event::Preparing { cell });
            self.observer.event(Event::Began { cell, role, block });
            let (now, began) = (self.now, (self.now)());
            let mut watch = Ticker {
                observer: &mut *self.observer,
                stop: self.stop,
                now,
                cut_at: None,
                is_cut: false,
            };
            let result = results.wait(place, || watch.keep_going(now().saturating_sub(began)));
            let sample = result.map_err(|source| RunError::World {
                cell,
                what: describe(&self.study.cells[cell]),
                source,
            })?;
            let record = SampleRecord {
                cell,
                block,
                role,
                seed: Some(self.simulation(block, cell).seed),
                sample,
            };
            self.keep(session, record, Duration::ZERO, true)?;
        }
        Ok(None)
    }

    /// Returns the request for the simulation of this number: the same seed in each cell.
    fn simulation(&self, number: u32, index: usize) -> SampleRequest {
        let cell = &self.study.cells[index];
        let trace = cell.workload.trace.as_ref();
        SampleRequest {
            seed: seed_of(self.seed, u64::from(number)),
            duration: cell.sample_time(self.study.repeat.sample_ns),
            replay: trace.and_then(|trace| trace.ios.0.clone()),
        }
    }

    fn notice(&mut self, warnings: &[Warning]) -> Result<(), RunError> {
        for warning in warnings {
            self.store.add_warning(self.run, None, warning)?;
            self.observer.event(Event::Noticed { warning });
        }
        Ok(())
    }

    /// Returns the cells of a block in the order of measurement: random, but with cells that share
    /// a built stack next to one another.
    fn order(&self, world: &dyn World, number: u32, block: &Block) -> Vec<usize> {
        let cells = draw::order(self.seed, number, block.cells.clone());
        // Simulated stacks are not built.
        if world.is_repeatable() {
            return cells;
        }
        let standing = |cell: usize| self.study.cells.get(cell).map(Cell::build_key);
        draw::grouped(cells, standing)
    }

    /// Prepares a cell, takes one sample, and saves it; or returns where the budget cut it short.
    fn sample(
        &mut self,
        world: &mut dyn World,
        session: &mut Session,
        index: usize,
        role: Role,
    ) -> Result<Option<Cut>, RunError> {
        let cell = &self.study.cells[index];
        let failed = |source| RunError::World {
            cell: index,
            what: describe(cell),
            source,
        };
        let cut = |phase| Cut {
            cell: index,
            what: describe(cell),
            phase,
            budget: self.study.repeat.budget_ns,
        };
        let now = self.now;
        self.observer.event(Event::Preparing { cell: index });
        let mut watch = Ticker {
            observer: &mut *self.observer,
            stop: self.stop,
            now,
            cut_at: session.cut_at(Phase::Preparing, now()),
            is_cut: false,
        };
        let prepared = world.prepare(cell, &mut self.store.journal(self.run), &mut watch);
        match prepared {
            Err(WorldError::Interrupted) if watch.is_cut => return Ok(Some(cut(Phase::Preparing))),
            prepared => prepared.map_err(failed)?,
        };
        let number = session.block_of(index);
        self.observer.event(Event::Began {
            cell: index,
            role,
            block: number,
        });
        let request = self.request(world, number, index);
        let (cell, request) = match role {
            Role::WarmUp => warm_up(cell, request, world),
            _ => (Cow::Borrowed(cell), request),
        };
        let began = now();
        let mut watch = Ticker {
            observer: &mut *self.observer,
            stop: self.stop,
            now,
            cut_at: session.cut_at(Phase::Measuring, began),
            is_cut: false,
        };
        let seed = request.seed;
        let sample = match world.measure(&cell, request, &mut watch) {
            Err(WorldError::Interrupted) if watch.is_cut => return Ok(Some(cut(Phase::Measuring))),
            sample => sample.map_err(failed)?,
        };
        let record = SampleRecord {
            cell: index,
            block: number,
            role,
            seed: Some(seed),
            sample,
        };
        let real_time = now().saturating_sub(began);
        self.keep(session, record, real_time, world.is_repeatable())?;
        Ok(None)
    }

    /// Returns what is asked of `world` for a cell in block `number`.
    fn request(&self, world: &dyn World, number: u32, index: usize) -> SampleRequest {
        match world.is_repeatable() {
            true => self.simulation(number, index),
            false => SampleRequest {
                seed: draw::sample_seed(self.seed, number, index),
                ..self.simulation(number, index)
            },
        }
    }

    /// Saves a sample, at once unless it can be reproduced, and adds it to the session.
    fn keep(
        &mut self,
        session: &mut Session,
        record: SampleRecord,
        real_time: Duration,
        is_repeatable: bool,
    ) -> Result<(), RunError> {
        if is_repeatable {
            self.save_later(&record)?;
        } else {
            self.store.add_sample(self.run, &record)?;
        }
        self.take_in(session, record, real_time);
        Ok(())
    }

    /// Holds a sample back until there are enough for a transaction.
    fn save_later(&mut self, record: &SampleRecord) -> Result<(), RunError> {
        let now = (self.now)();
        if self.unsaved.records.is_empty() {
            self.unsaved.since = now;
        }
        self.unsaved.records.push(record.clone());
        let is_old = now.saturating_sub(self.unsaved.since) >= UNSAVED_TIME_MAX;
        if is_old || self.unsaved.records.len() >= UNSAVED_MAX {
            self.save_unsaved()?;
        }
        Ok(())
    }

    fn save_unsaved(&mut self) -> Result<(), RunError> {
        let records = std::mem::take(&mut self.unsaved.records);
        if !records.is_empty() {
            self.store.add_samples(self.run, &records)?;
        }
        Ok(())
    }

    fn take_in(&mut self, session: &mut Session, record: SampleRecord, real_time: Duration) {
        let cell = record.cell;
        session.add(record, real_time);
        if let Some((record, state)) = session.latest_of(cell) {
            self.observer.event(Event::Saved {
                record,
                state,
                progress: session.progress((self.now)()),
            });
        }
    }
}

/// Reports progress to the observer, and stops the world if the caller stops the run or the budget
/// is over.
struct Ticker<'a> {
    observer: &'a mut dyn Observer,
    stop: &'a dyn Fn() -> bool,
    now: &'a dyn Fn() -> Duration,
    /// When the budget cuts the phase short.
    cut_at: Option<Duration>,
    /// Whether it did.
    is_cut: bool,
}

impl Watch for Ticker<'_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.observer.event(Event::Progressing { elapsed });
        if (self.stop)() {
            return false;
        }
        self.is_cut = self.cut_at.is_some_and(|cut_at| (self.now)() > cut_at);
        !self.is_cut
    }

    fn hosts(&mut self, hosts: &[HostProgress]) {
        self.observer.event(Event::Hosts { hosts });
    }
}

/// Returns the cell and the request of a warm-up. One that is shorter than a sample would not reach
/// the study's failure, so it has none.
fn warm_up<'a>(
    cell: &'a Cell,
    request: SampleRequest,
    world: &dyn World,
) -> (Cow<'a, Cell>, SampleRequest) {
    let duration = world.warm_up(request.duration);
    if duration == request.duration {
        return (Cow::Borrowed(cell), request);
    }
    let mut cell = cell.clone();
    cell.conditions.failure = None;
    let request = SampleRequest {
        duration,
        ..request
    };
    (Cow::Owned(cell), request)
}

/// Returns a short description of a cell, for messages.
fn describe(cell: &Cell) -> String {
    let load = &cell.workload.load;
    format!(
        "{} {} on {}",
        load.pattern, load.block_size, cell.stack.name
    )
}

/// Returns whether a run with these samples and `spent` time would take no further sample.
pub fn is_finished(
    study: &Study,
    samples: Vec<SampleRecord>,
    spent: Duration,
    is_repeatable: bool,
) -> bool {
    let session = Session::new(study, samples, spent, Duration::ZERO, is_repeatable);
    session.next_block().is_none() || session.is_over_budget(Duration::ZERO)
}

/// Returns how often stacks are built if every cell needs its minimum or its maximum of samples: once
/// in each block, unless all cells of a kernel share one. Each kernel has stacks of its own.
pub fn build_range(study: &Study) -> (u32, u32) {
    let mut kernels: BTreeMap<Option<&KernelName>, Vec<BuildKey>> = BTreeMap::new();
    for cell in &study.cells {
        let stacks = kernels.entry(cell.conditions.kernel.as_ref()).or_default();
        let key = cell.build_key();
        if !stacks.contains(&key) {
            stacks.push(key);
        }
    }
    let repeat = &study.repeat;
    let mut range: (u32, u32) = (0, 0);
    for stacks in kernels.values() {
        let stacks = u32::try_from(stacks.len()).unwrap_or(u32::MAX);
        let builds = |count: u32| match stacks {
            0 | 1 => stacks,
            stacks => stacks.saturating_mul(count.saturating_add(1)),
        };
        range = (
            range.0.saturating_add(builds(repeat.at_least)),
            range.1.saturating_add(builds(repeat.at_most)),
        );
    }
    range
}

/// Returns how long a study takes if every cell needs its minimum or its maximum of samples,
/// regardless of the budget, after a warm-up of this duration.
pub fn time_range(
    study: &Study,
    overhead_per_sample: Duration,
    warm_up: Nanos,
) -> (Duration, Duration) {
    let of_cell = |cell: &Cell, count: u32| {
        let each = |time: Nanos| Duration::from(cell.sample_time(time)) + overhead_per_sample;
        let samples = each(study.repeat.sample_ns).saturating_mul(count);
        samples.saturating_add(each(warm_up))
    };
    let time = |count: u32| {
        let times = study.cells.iter().map(|cell| of_cell(cell, count));
        times.fold(Duration::ZERO, Duration::saturating_add)
    };
    (time(study.repeat.at_least), time(study.repeat.at_most))
}

/// Returns a warning if the budget is too small for the `needed` time: that of the minimum of
/// samples of every cell.
pub fn budget_warning(study: &Study, needed: Duration) -> Option<Warning> {
    let needed_ns = Nanos::from(needed);
    (needed_ns > study.repeat.budget_ns).then_some(Warning::BudgetTooSmall {
        budget_ns: study.repeat.budget_ns,
        needed_ns,
    })
}
