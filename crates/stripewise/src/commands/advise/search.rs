//! The search for the design to build: its designs, the states that they are in, and what stands beside
//! the one that is advised.

use stripewise_analysis::lifetime::Rated;
use stripewise_diagnose::advise::{Advised, Asked, Outcome, Prefer};
use stripewise_diagnose::measures::{Measures, commits};
use stripewise_diagnose::requirement::{Quantity, Requirement, surely_survived};
use stripewise_diagnose::simplicity::CHUNK_DEFAULT;
use stripewise_diagnose::thumb::{calculated, usual};
use stripewise_diagnose::vary::varied;
use stripewise_process::is_stop_asked;
use stripewise_profiles::device::Model as DeviceModel;
use stripewise_report::explanation::Explanation;
use stripewise_report::explanation::advice::{Advice, is_usual};
use stripewise_report::explanation::front::{FrontRow, Role};
use stripewise_report::explanation::own::{Effort, Own};
use stripewise_report::lifetime::rated;
use stripewise_report::states::{Applies, FreshState};
use stripewise_sim::question::Observer;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::plan::Study;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::{Level, Stack};
use stripewise_study::workload::{Engine, Load, Pattern, Workload};
use stripewise_units::Bytes;

use super::Args;
use crate::commands::predict::{explain, predicted};
use crate::failure::{Failure, Result};

/// Returns whether something was done; `false` if a signal or the observer ended it.
///
/// # Errors
/// As what was done, for any other reason.
pub(super) fn unless_stopped(done: Result<()>) -> Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(failure) if is_stop_asked() || failure.is_interruption() => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Commits that become this many times as fast are worth a word.
const PROTECTED_MIN: f64 = 1.5;

/// How a backup is copied back.
const COPY_BLOCK: Bytes = Bytes::new(1 << 20);
const COPY_FILE: Bytes = Bytes::new(4 << 30);
const COPY_DEPTH: u32 = 8;

/// A search for the design to build.
pub(super) struct Search<'a> {
    pub(super) model: &'a Model,
    /// The cells of each design, one for each load.
    pub(super) designs: Vec<Vec<Cell>>,
    pub(super) weights: Vec<f64>,
    pub(super) requirements: Vec<Requirement>,
    /// Whether it was not stated how many devices may fail: the first requirement says it.
    pub(super) survival_assumed: bool,
    prefer: Prefer,
    rated: Vec<Rated>,
    writes_per_day: Option<Bytes>,
    price: Option<f64>,
    seed: u64,
    /// The state of the devices for each load.
    pub(super) states: Vec<State>,
    /// The machine's own array, if it is asked about.
    pub(super) own: Option<Own>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        args: &Args,
        model: &'a Model,
        study: &Study,
        weights: Vec<f64>,
        own: Option<Own>,
    ) -> Result<Self> {
        let mut designs: Vec<Vec<Cell>> = Vec::new();
        for cell in &study.cells {
            match designs
                .iter_mut()
                .find(|cells| cells[0].stack == cell.stack)
            {
                Some(cells) => cells.push(cell.clone()),
                None => designs.push(vec![cell.clone()]),
            }
        }
        if let Some(cells) = designs.iter().find(|cells| cells.len() != weights.len()) {
            let message = format!(
                "a load stands for {} cells",
                cells.len() / weights.len().max(1)
            );
            return Err(Failure::new(message).hint("write one value for each key of a load"));
        }
        let profile = model.profiles.devices.get(&args.devices().profile);
        let tbw = args.tbw.map(Bytes::as_u64);
        let rated = profile.map(rated).map(|rated| Rated {
            tbw_bytes: tbw.or(rated.tbw_bytes),
            ..rated
        });
        let rated = rated.into_iter().cycle();
        let rated: Vec<Rated> = rated.take(args.members()? as usize).collect();
        let place = own.as_ref().and_then(|own| own.place);
        let kept = place.map(|place| kept(&designs[place][0].stack, own.as_ref(), &rated));
        let mut requirements = match args.requirements.is_empty() {
            true => kept.clone().unwrap_or_default(),
            false => args.requirements.clone(),
        };
        let is_survival = |one: &Requirement| one.quantity() == Quantity::Survived;
        let survival_assumed = !requirements.iter().any(is_survival);
        if survival_assumed {
            // Nobody who asks for space means to lose all of it with the first device.
            let kept = kept.unwrap_or_default().into_iter().find(is_survival);
            requirements.insert(0, kept.unwrap_or(Requirement::Survive(1)));
        }
        Ok(Self {
            model,
            designs,
            states: vec![State::Steady; weights.len()],
            weights,
            requirements,
            survival_assumed,
            prefer: args.prefer.0,
            rated,
            own,
            writes_per_day: args.writes_per_day,
            // Spares are paid, too.
            price: args.price.as_ref().map(|price| {
                let members = f64::from(args.devices().count - args.spares);
                price.price * f64::from(args.devices().count) / members
            }),
            seed: args.simulation.seed,
        })
    }

    pub(super) fn asked(&self) -> Asked<'_> {
        Asked {
            designs: &self.designs,
            weights: &self.weights,
            requirements: &self.requirements,
            prefer: self.prefer,
            rated: &self.rated,
            writes_per_day: self.writes_per_day,
            price: self.price,
            seed: self.seed,
        }
    }

    /// Returns whether the devices are hard disks.
    pub(super) fn is_rotational(&self) -> bool {
        let devices = self.model.profiles.devices.values();
        devices.into_iter().any(|profile| profile.rotational)
    }

    /// Finds the state of the devices under each load at the daily volume, with the usual design; steady
    /// ones without a volume, and where the volume does not decide.
    pub(super) fn choose_states(&mut self, args: &Args, progress: &mut dyn Observer) -> Result<()> {
        let Some(volume) = args.writes_per_day else {
            return Ok(());
        };
        let usual = self.designs.iter();
        let usual = usual
            .clone()
            .position(|cells| is_usual(&cells[0].stack))
            .unwrap_or(0);
        for load in 0..self.weights.len() {
            let cell = &self.designs[usual][load];
            let steady = predicted(self.model, cell, self.seed, progress)?;
            let fresh = steady.fresh(self.model, cell, self.seed, progress)?;
            let fresh = fresh.and_then(|fresh| FreshState::of(cell, &fresh, &steady));
            let applies = fresh.map(|fresh| fresh.applies_at(volume));
            if applies == Some(Applies::Fresh) {
                self.states[load] = State::Fresh;
                for cells in &mut self.designs {
                    cells[load].conditions.state = Some(State::Fresh);
                }
            }
        }
        Ok(())
    }

    /// Returns the designs that raced.
    fn raced(advised: &Advised) -> Vec<usize> {
        let outcomes = advised.outcomes.iter().enumerate();
        let raced = outcomes.filter(|(_, one)| matches!(one, Outcome::Raced(_)));
        raced.map(|(design, _)| design).collect()
    }

    /// Predicts the designs that are worth a look, and the one without redundancy that is refused; and
    /// returns whether a signal left some out.
    pub(super) fn compare(
        &self,
        advised: &Advised,
        study: &Study,
        progress: &mut dyn Observer,
    ) -> Result<(Explanation, bool)> {
        let mut explanation = Explanation::new(self.model, self.seed)?;
        let raced = Self::raced(advised);
        let asked = self.asked();
        let usual = self
            .designs
            .iter()
            .position(|cells| is_usual(&cells[0].stack));
        let own = self.own.as_ref().and_then(|own| own.place);
        let others = usual
            .into_iter()
            .chain(calculated(&asked, &raced))
            .chain(own);
        let others: Vec<usize> = others.collect();
        let mut shown = advised.compared(&self.designs, &others);
        if !shown.is_empty() {
            // What is there is compared even where it does not do what is required.
            let last = own.into_iter().chain(self.without_redundancy(advised));
            for place in last {
                if !shown.contains(&place) {
                    shown.push(place);
                }
            }
        }
        let mut left = shown.len();
        let mut is_whole = true;
        for index in shown {
            left -= 1;
            let known = explanation.cells.len();
            is_whole = unless_stopped(self.explain(&mut explanation, index, progress))?;
            if !is_whole {
                // Of a design all loads are compared, or none.
                explanation.cells.truncate(known);
                break;
            }
            progress.answered(left);
        }
        explanation.ask_lifetime(study.lifetime);
        Ok((explanation, !is_whole))
    }

    fn explain(
        &self,
        explanation: &mut Explanation,
        design: usize,
        progress: &mut dyn Observer,
    ) -> Result<()> {
        for cell in &self.designs[design] {
            let mut cell = cell.clone();
            cell.conditions.state = Some(State::Steady);
            explain(explanation, self.model, cell, true, progress)?;
        }
        Ok(())
    }

    /// Returns RAID 0 with mdadm's chunk, if it is refused because a device may fail.
    fn without_redundancy(&self, advised: &Advised) -> Option<usize> {
        let index = self.raid0()?;
        match &advised.outcomes[index] {
            Outcome::Refused(refusal) => {
                matches!(refusal.requirement, Requirement::Survive(_)).then_some(index)
            }
            Outcome::Raced(_) => None,
        }
    }

    fn raid0(&self) -> Option<usize> {
        self.designs.iter().position(|cells| {
            let array = cells[0].stack.array.as_ref();
            array.is_some_and(|array| {
                array.level == Level::Raid0 && array.chunk_bytes == Some(CHUNK_DEFAULT)
            })
        })
    }

    const fn measures(&self) -> Measures<'_> {
        Measures {
            model: self.model,
            rated: self.rated.as_slice(),
            writes_per_day: self.writes_per_day,
            price: self.price,
            seed: self.seed,
        }
    }

    /// Adds what the compared designs keep and cost.
    pub(super) fn add_front(&self, advice: &mut Advice, progress: &mut dyn Observer) -> Result<()> {
        let asked = self.asked();
        let able: Vec<usize> = (0..self.designs.len())
            .filter(|place| advice.designs[*place].refusal.is_none())
            .collect();
        let measures = self.measures();
        let named = [
            (advice.best, Role::Advised),
            (usual(&asked, &able), Role::Usual),
            (calculated(&asked, &able), Role::Calculated),
            (self.own.as_ref().and_then(|own| own.place), Role::Own),
        ];
        let places = advice.places();
        let all = places.len();
        for (done, place) in places.into_iter().enumerate() {
            let cells = &self.designs[place];
            let mut row = FrontRow::new(&cells[0].stack);
            let roles = named.iter().filter(|(design, _)| *design == Some(place));
            row.roles = roles.map(|(_, role)| *role).collect();
            row.is_refused = advice.designs[place].refusal.is_some();
            let value = |quantity: Quantity, progress: &mut dyn Observer| {
                measures.value(cells, quantity, progress)
            };
            row.bytes_per_s = advice.rate(place);
            row.years = advice.years(place);
            row.survived = value(Quantity::Survived, progress)?;
            row.usable_bytes = value(Quantity::Usable, progress)?;
            row.price = value(Quantity::Price, progress)?;
            row.commit_p99_ns = value(Quantity::CommitP99, progress)?;
            // Of the same precision as the rate with a device missing.
            let whole = measures.rate(cells, &self.weights, progress)?;
            let degraded = measures.degraded_rate(cells, &self.weights, progress)?;
            let share = degraded.zip(whole);
            let share = share.map(|(degraded, whole)| degraded.median / whole.median);
            row.degraded_bytes_per_s = share.zip(row.bytes_per_s).map(|(share, own)| share * own);
            let risk = measures.risk(cells, progress)?;
            row.rebuild_ns = risk.rebuild_ns;
            row.loss_chance = risk.loss_chance;
            advice.front.push(row);
            progress.answered(all - done - 1);
        }
        let without = advice.without_redundancy.as_ref();
        if let Some((times, place)) = without.map(|one| one.times).zip(self.raid0()) {
            let cells = &self.designs[place];
            let mut row = FrontRow::new(&cells[0].stack);
            row.roles = vec![Role::WithoutRedundancy];
            row.is_refused = true;
            let best = advice.front.first().and_then(|row| row.bytes_per_s);
            row.bytes_per_s = best.map(|best| best * times);
            row.survived = measures.value(cells, Quantity::Survived, progress)?;
            row.usable_bytes = measures.value(cells, Quantity::Usable, progress)?;
            row.price = measures.value(cells, Quantity::Price, progress)?;
            row.loss_chance = measures.risk(cells, progress)?.loss_chance;
            advice.front.push(row);
        }
        Ok(())
    }

    /// Adds what a move from the machine's own array to the advised one takes.
    pub(super) fn add_effort(
        &self,
        advice: &mut Advice,
        progress: &mut dyn Observer,
    ) -> Result<()> {
        let Some((best, stack)) = advice.best.zip(advice.own_stack()) else {
            return Ok(());
        };
        if advice.stays() {
            return Ok(());
        }
        let cells = &self.designs[best];
        let Some(own) = &self.own else {
            return Ok(());
        };
        let mut effort = Effort::of(&own.array, stack, &cells[0].stack);
        if let Effort::Anew { copy_ns, sync_ns } = &mut effort {
            let measures = self.measures();
            let rate = measures.rate(&[copied(&cells[0])], &[1.0], progress)?;
            let used = own.used_bytes.map(as_f64).zip(rate);
            *copy_ns = used.map(|(used, rate)| used / rate.median * 1e9);
            *sync_ns = measures.value(cells, Quantity::Rebuild, progress)?;
        }
        if let Some(own) = &mut advice.own {
            own.effort = Some(effort);
        }
        Ok(())
    }

    /// Adds how the advice stands if the loads are a little different.
    pub(super) fn add_varied(
        &self,
        advice: &mut Advice,
        progress: &mut dyn Observer,
    ) -> Result<()> {
        let designs = advice.places().into_iter();
        let designs: Vec<&[Cell]> = designs
            .map(|place| self.designs[place].as_slice())
            .collect();
        if !designs.is_empty() {
            advice.varied = varied(&self.measures(), &designs, &self.weights, progress)?;
        }
        Ok(())
    }

    /// Adds what the same drives with power-loss protection would change, where commits matter.
    pub(super) fn add_protected(
        &self,
        advice: &mut Advice,
        progress: &mut dyn Observer,
    ) -> Result<()> {
        let Some(best) = advice.best else {
            return Ok(());
        };
        let is_commit = |one: &Requirement| one.quantity() == Quantity::CommitP99;
        let commits = self.designs[best]
            .iter()
            .any(|cell| commits(&cell.workload));
        if commits || self.requirements.iter().any(is_commit) {
            advice.protected_times = self.protected(best, progress)?;
        }
        Ok(())
    }

    /// Returns how many times as fast the commits of a design are if its drives have power-loss
    /// protection; `None` if they have it, or it makes no difference.
    fn protected(&self, design: usize, progress: &mut dyn Observer) -> Result<Option<f64>> {
        let mut model = self.model.clone();
        let mut is_volatile = false;
        for profile in model.profiles.devices.values_mut() {
            if let DeviceModel::Calibrated(calibrated) = &mut profile.model {
                is_volatile |= calibrated.cache.is_volatile;
                calibrated.cache.is_volatile = false;
                calibrated.cache.flush_ns = 0;
            }
        }
        if !is_volatile {
            return Ok(None);
        }
        let cells = &self.designs[design];
        let now = self.measures();
        let then = Measures {
            model: &model,
            ..now
        };
        let now = now.commits_per_s(cells, progress)?;
        let then = then.commits_per_s(cells, progress)?;
        let times = now.zip(then).filter(|(now, _)| *now > 0.0);
        let times = times.map(|(now, then)| then / now);
        Ok(times.filter(|times| *times >= PROTECTED_MIN))
    }
}

/// Returns what the machine's own array does, so that a move loses nothing: as many failures survived, and
/// room for its data, or for as much as it holds where that is not known.
fn kept(stack: &Stack, own: Option<&Own>, rated: &[Rated]) -> Vec<Requirement> {
    let usable = Quantity::Usable.of_layout(stack, rated);
    let used = own.and_then(|own| own.used_bytes);
    let holds = usable.map(|usable| used.map_or(usable, |used| as_f64(used).min(usable)));
    // A number of bytes is far below 2^53; of more than a GiB, whole ones are enough.
    let bytes = holds.and_then(|bytes| format!("{bytes:.0}").parse().ok());
    let bytes = bytes.map(|bytes: u64| match bytes >> 30 {
        0 => bytes,
        whole => whole << 30,
    });
    let mut kept = vec![Requirement::Survive(surely_survived(stack))];
    kept.extend(bytes.map(|bytes| Requirement::Capacity(Bytes::new(bytes))));
    kept
}

/// Returns a cell that writes large blocks one after the other, as a restored backup does.
fn copied(cell: &Cell) -> Cell {
    let mut cell = cell.clone();
    cell.workload = Workload::alone(Load {
        depth: COPY_DEPTH,
        engine: Engine::IoUring,
        ..Load::new(Pattern::Write, COPY_BLOCK, COPY_FILE)
    });
    cell.conditions.state = None;
    cell
}
