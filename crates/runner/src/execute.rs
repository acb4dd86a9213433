//! The loop: choose a block, measure its cells, save each sample, until all is done or time is up.

use std::time::Duration;

use stripewise_results::{RunEnd, RunId, Store, StoreError};
use stripewise_study::cell::Cell;
use stripewise_study::plan::{Pair, Study, pairs};
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::world::{SampleRequest, Watch, World, WorldError};

use crate::draw;
use crate::observer::{Event, Observer, Progress};
use crate::schedule::{Block, CellEnd, CellState, next_block, state};

/// A run could not go on. What was measured before is safe in the store.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world could not do what it was asked.
    #[error("failed to measure cell {} ({what})", cell + 1)]
    World {
        /// The index of the cell.
        cell: usize,
        /// What the cell is.
        what: String,
        /// Why.
        #[source]
        source: WorldError,
    },
    /// The store did not take a sample.
    #[error("failed to save")]
    Store(#[from] StoreError),
    /// Something that was changed could not be undone; it is still in the journal.
    #[error("failed to clean up")]
    Restore(#[source] WorldError),
    /// Two things went wrong; the second is the source, so that it is told once.
    #[error("{first}: {}; and then", chain(first))]
    Both {
        /// What went wrong first.
        first: Box<RunError>,
        /// What went wrong in cleaning up after it.
        #[source]
        second: Box<RunError>,
    },
}

fn chain(error: &RunError) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    causes.join(": ")
}

impl RunError {
    /// Returns what to do about it, where we know.
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

/// How a run came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Every cell is done, or the budget is.
    Done {
        /// Why each cell ended; nothing for those that the budget cut short.
        cells: Vec<Option<CellEnd>>,
    },
    /// Somebody stopped it; it can be resumed.
    Interrupted,
}

/// Everything a run needs.
pub struct Runner<'a> {
    /// The store that keeps its samples.
    pub store: &'a mut Store,
    /// The run in that store.
    pub run: RunId,
    /// What is to be measured.
    pub study: &'a Study,
    /// The seed from which order and samples draw.
    pub seed: u64,
    /// Who is told what happens.
    pub observer: &'a mut dyn Observer,
    /// Returns whether to stop; is asked several times a second.
    pub stop: &'a dyn Fn() -> bool,
    /// Returns the time since some fixed moment.
    pub now: &'a dyn Fn() -> Duration,
}

impl Runner<'_> {
    /// Measures until every cell is done, the budget is, or somebody stops it; then undoes what the
    /// world changed and marks the run. `earlier` are the samples that the run has already, `noticed`
    /// what the world's check of the cells said.
    ///
    /// # Errors
    /// [`RunError`]; the run is then marked as failed and can be resumed.
    pub fn execute(
        mut self,
        world: &mut dyn World,
        earlier: Vec<SampleRecord>,
        noticed: &[Warning],
    ) -> Result<Outcome, RunError> {
        let measured = self
            .notice(noticed)
            .and_then(|()| self.measure_all(world, earlier));
        let restored = world
            .restore(&mut self.store.journal(self.run))
            .map_err(RunError::Restore);
        let outcome = match (measured, restored) {
            (Ok(outcome), Ok(())) => outcome,
            (Err(error), Ok(())) | (Ok(_), Err(error)) => return Err(self.failed(error)),
            (Err(first), Err(second)) => {
                let (first, second) = (Box::new(first), Box::new(second));
                return Err(self.failed(RunError::Both { first, second }));
            }
        };
        let end = match outcome {
            Outcome::Done { .. } => RunEnd::Done,
            Outcome::Interrupted => RunEnd::Interrupted,
        };
        self.store.finish_run(self.run, end)?;
        Ok(outcome)
    }

    /// Marks the run as failed, as well as the store still can.
    fn failed(&mut self, error: RunError) -> RunError {
        match self.store.finish_run(self.run, RunEnd::Failed) {
            Ok(()) => error,
            // The store is what failed, and that is being reported already.
            Err(_) if error.began_with_the_store() => error,
            Err(second) => RunError::Both {
                first: Box::new(error),
                second: Box::new(RunError::Store(second)),
            },
        }
    }

    fn measure_all(
        &mut self,
        world: &mut dyn World,
        earlier: Vec<SampleRecord>,
    ) -> Result<Outcome, RunError> {
        let mut session = Session::new(self.study, earlier, (self.now)());
        loop {
            let states = session.states(self.study);
            let Some(block) = next_block(&states, &session.pairs, &self.study.repeat) else {
                return Ok(session.outcome(&states));
            };
            for cell in draw::order(self.seed, session.block, block.cells.clone()) {
                if (self.stop)() {
                    return Ok(Outcome::Interrupted);
                }
                if session.is_over_budget(self.study, (self.now)()) {
                    return Ok(session.outcome(&session.states(self.study)));
                }
                match self.sample(world, &mut session, cell, &block) {
                    Err(RunError::World {
                        source: WorldError::Interrupted,
                        ..
                    }) => return Ok(Outcome::Interrupted),
                    other => other?,
                }
            }
            session.block += 1;
        }
    }

    fn notice(&mut self, warnings: &[Warning]) -> Result<(), RunError> {
        for warning in warnings {
            self.store.add_warning(self.run, None, warning)?;
            self.observer.event(Event::Noticed { warning });
        }
        Ok(())
    }

    /// Prepares a cell, takes one sample, and makes it durable.
    fn sample(
        &mut self,
        world: &mut dyn World,
        session: &mut Session,
        index: usize,
        block: &Block,
    ) -> Result<(), RunError> {
        let cell = &self.study.cells[index];
        let failed = |source| RunError::World {
            cell: index,
            what: describe(cell),
            source,
        };
        self.observer.event(Event::Preparing { cell: index });
        let mut watch = Ticker {
            observer: &mut *self.observer,
            stop: self.stop,
        };
        world
            .prepare(cell, &mut self.store.journal(self.run), &mut watch)
            .map_err(failed)?;
        self.observer.event(Event::Began {
            cell: index,
            role: block.role,
            block: session.block,
        });
        let request = SampleRequest {
            seed: draw::sample_seed(self.seed, session.block, index),
            duration: self.study.repeat.sample_ns,
        };
        let mut watch = Ticker {
            observer: &mut *self.observer,
            stop: self.stop,
        };
        let sample = world.measure(cell, request, &mut watch).map_err(failed)?;
        let record = SampleRecord {
            cell: index,
            block: session.block,
            role: block.role,
            seed: Some(request.seed),
            sample,
        };
        self.store.add_sample(self.run, &record)?;
        session.samples.push(record);
        self.tell_saved(session, index);
        Ok(())
    }

    fn tell_saved(&mut self, session: &Session, cell: usize) {
        let states = session.states(self.study);
        let progress = session.progress(self.study, &states, (self.now)());
        if let Some(record) = session.samples.last() {
            self.observer.event(Event::Saved {
                record,
                state: &states[cell],
                progress,
            });
        }
    }
}

/// What is known since the runner was started.
struct Session {
    samples: Vec<SampleRecord>,
    /// How many samples the run had before.
    earlier: usize,
    pairs: Vec<Pair>,
    block: u32,
    began: Duration,
    /// What earlier sessions spent of the budget, as far as their samples tell.
    spent: Duration,
}

impl Session {
    fn new(study: &Study, samples: Vec<SampleRecord>, began: Duration) -> Self {
        let spent = samples
            .iter()
            .map(|record| Duration::from(record.sample.elapsed_ns))
            .sum();
        // A block that was interrupted is not finished later: its cells would not be close in time.
        let block = samples
            .iter()
            .map(|record| record.block.saturating_add(1))
            .max()
            .unwrap_or(0);
        Self {
            earlier: samples.len(),
            samples,
            pairs: pairs(&study.cells, &study.compare.baseline),
            block,
            began,
            spent,
        }
    }

    /// Returns how each cell stands. A cell that was warmed up in an earlier session is cold again.
    fn states(&self, study: &Study) -> Vec<CellState> {
        let mut by_cell: Vec<Vec<&SampleRecord>> = vec![Vec::new(); study.cells.len()];
        for record in &self.samples {
            if let Some(samples) = by_cell.get_mut(record.cell) {
                samples.push(record);
            }
        }
        let warm: std::collections::BTreeSet<usize> = self.samples[self.earlier..]
            .iter()
            .filter(|record| record.role == Role::WarmUp)
            .map(|record| record.cell)
            .collect();
        by_cell
            .into_iter()
            .enumerate()
            .map(|(index, samples)| CellState {
                is_warm: warm.contains(&index),
                ..state(samples, &study.repeat, study.compare.metric)
            })
            .collect()
    }

    fn used(&self, now: Duration) -> Duration {
        self.spent + now.saturating_sub(self.began)
    }

    /// Returns whether one more sample would not fit into the budget.
    fn is_over_budget(&self, study: &Study, now: Duration) -> bool {
        let sample = Duration::from(study.repeat.sample_ns);
        self.used(now) + sample > Duration::from(study.repeat.budget_ns)
    }

    fn progress(&self, study: &Study, states: &[CellState], now: Duration) -> Progress {
        let cold = states
            .iter()
            .filter(|state| state.end.is_none() && !state.is_warm);
        let open = states.iter().filter(|state| state.end.is_none());
        let missing = cold.count() + open.map(|state| state.missing).sum::<usize>();
        let here = self.samples.len() - self.earlier;
        let each = match u32::try_from(here) {
            Ok(here) if here > 0 => now.saturating_sub(self.began) / here,
            _ => Duration::from(study.repeat.sample_ns),
        };
        let budget = Duration::from(study.repeat.budget_ns).saturating_sub(self.used(now));
        let wanted = each.saturating_mul(u32::try_from(missing).unwrap_or(u32::MAX));
        Progress {
            taken: self.samples.len(),
            missing,
            time_left: wanted.min(budget),
        }
    }

    fn outcome(&self, states: &[CellState]) -> Outcome {
        Outcome::Done {
            cells: states.iter().map(|state| state.end).collect(),
        }
    }
}

/// Passes the world's ticks on, and the wish to stop back.
struct Ticker<'a> {
    observer: &'a mut dyn Observer,
    stop: &'a dyn Fn() -> bool,
}

impl Watch for Ticker<'_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.observer.event(Event::Goes { elapsed });
        !(self.stop)()
    }
}

/// Returns a cell in a few words, for messages.
fn describe(cell: &Cell) -> String {
    let load = &cell.workload.load;
    format!(
        "{} {} on {}",
        load.pattern, load.block_size, cell.stack.name
    )
}

/// Returns how long a study takes if every cell needs its fewest and its most samples, whatever the
/// budget says.
pub fn time_range(study: &Study, overhead_per_sample: Duration) -> (Duration, Duration) {
    let cells = u32::try_from(study.cells.len()).unwrap_or(u32::MAX);
    let each = Duration::from(study.repeat.sample_ns) + overhead_per_sample;
    let with_warm_up = |count: u32| cells.saturating_mul(count.saturating_add(1));
    (
        each.saturating_mul(with_warm_up(study.repeat.at_least)),
        each.saturating_mul(with_warm_up(study.repeat.at_most)),
    )
}

/// Returns the warning that the budget cannot give every cell its fewest samples, if so.
pub fn budget_warning(study: &Study, overhead_per_sample: Duration) -> Option<Warning> {
    let needed_ns = Nanos::from(time_range(study, overhead_per_sample).0);
    (needed_ns > study.repeat.budget_ns).then_some(Warning::BudgetTooSmall {
        budget_ns: study.repeat.budget_ns,
        needed_ns,
    })
}
