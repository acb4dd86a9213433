//! Shared by `run` and `resume`: executes a run that is in the store, then reports it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use stripewise_catalogue::Message;
use stripewise_report::document::budget_ended;
use stripewise_results::world::WorldSpec;
use stripewise_results::{Run, RunId, Store};
use stripewise_runner::{Cut, Outcome, Phase, Runner, Unsaved};
use stripewise_study::plan::BUDGET_NS_MAX;
use stripewise_study::plan::Study;
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_study::world::{World, WorldName};
use stripewise_units::Nanos;

use super::stored;
use crate::answers::FormatArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::live::When;
use crate::meter::Meter;
use crate::printer::Printer;
use crate::progress::Progress;
use crate::stop::Stop;
use crate::stores::StoreArgs;

/// The hint of a run without an answer.
const WARNINGS_SAY_WHY: &str = "the warnings above say why";

/// A run in the store that this process has claimed.
pub(crate) struct Ready<'a> {
    pub(crate) store: Store,
    pub(crate) id: RunId,
    pub(crate) study: Study,
    pub(crate) seed: u64,
    pub(crate) world: &'a mut dyn World,
    pub(crate) earlier: Vec<SampleRecord>,
    /// The part of the budget that earlier sessions used.
    pub(crate) spent: Duration,
    pub(crate) noticed: Vec<Warning>,
    pub(crate) store_args: &'a StoreArgs,
    /// The `--cache` option that resuming it needs again, or nothing.
    pub(crate) cache: String,
    /// When the run shows its screen.
    pub(crate) live: When,
    /// Whether power cuts that lose data are a no.
    pub(crate) fails_on_loss: bool,
}

impl Ready<'_> {
    /// Measures, then reports the samples, however the run ended.
    pub(crate) fn measure(mut self, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
        let outcome = self.execute(printer)?;
        let stored = self.store.run(self.id)?;
        let has_samples = !stored.samples.is_empty();
        let mut exit = Exit::Done;
        if self.fails_on_loss && has_samples {
            let (store, args) = (&self.store, self.store_args);
            exit = stored::print_judged(&stored, store, format, args, printer)?;
        } else if has_samples || outcome != Outcome::Interrupted {
            stored::print(
                &stored,
                &self.store,
                format,
                false,
                self.store_args,
                printer,
            )?;
        }
        self.check_answered(&stored, outcome, printer)?;
        refuse_unanswered(&stored, &self.study, self.store_args, &self.cache)?;
        Ok(exit)
    }

    /// Measures without printing on stdout.
    pub(crate) fn execute(&mut self, printer: &mut Printer) -> Result<Outcome> {
        let stop = Stop::listen()?;
        let began = Instant::now();
        let warm_ups = usize::from(self.world.warms_up());
        let mut progress = Progress::new(&self.study, self.earlier.len(), warm_ups, printer);
        if self.world.name() == WorldName::Lab {
            progress.print_first();
        }
        // A pager or a program that draws reads the result: it needs the terminal.
        let live = match self.live {
            When::Auto if !printer.prints_to_terminal() => When::Never,
            live => live,
        };
        progress.show_live(live, self.again(), self.meter()?);
        let runner = Runner {
            store: &mut self.store,
            run: self.id,
            study: &self.study,
            seed: self.seed,
            spent: self.spent,
            observer: &mut progress,
            stop: &|| stop.is_asked(),
            now: &|| began.elapsed(),
            unsaved: Unsaved::default(),
        };
        let earlier = std::mem::take(&mut self.earlier);
        let result = runner.execute(self.world, earlier, &self.noticed);
        progress.finish();
        result.map_err(|error| self.stopped(error.into()))
    }

    /// Adds which run stopped and, if it has samples, how to continue it.
    fn stopped(&self, failure: Failure) -> Failure {
        let failure = failure.context(format!("run {} stopped", self.id));
        let run = self.store.run(self.id);
        match run.is_ok_and(|run| !run.samples.is_empty()) {
            true => failure.and_hint(format!("finished samples are kept: {}", self.resume_hint())),
            false => failure,
        }
    }

    fn resume_hint(&self) -> String {
        format!("`{}` continues it", self.again())
    }

    /// Returns the command that continues the run.
    fn again(&self) -> String {
        let (run, store, cache) = (self.id, self.store_args.again(), &self.cache);
        format!("stripewise resume {run}{store}{cache}")
    }

    /// Returns what counts the I/O of this machine's disks below the run; `None` for other worlds, and if
    /// the disks are unknown.
    fn meter(&self) -> Result<Option<Meter>> {
        if self.live == When::Never || self.world.name() != WorldName::Metal {
            return Ok(None);
        }
        let run = self.store.run(self.id)?;
        if matches!(run.world, Some(WorldSpec::Hosts(_))) {
            return Ok(None);
        }
        let devices = self.study.may_destroy.values().flatten();
        match Meter::of_devices(devices.map(PathBuf::as_path)) {
            Some(meter) => Ok(Some(meter)),
            None => Ok(Meter::of(&run)),
        }
    }

    /// Fails if the run ended without an answer, and remarks if the budget cut it short.
    pub(crate) fn check_answered(
        &self,
        stored: &Run,
        outcome: Outcome,
        printer: &mut Printer,
    ) -> Result<()> {
        if outcome == Outcome::Interrupted {
            let message = format!("run {} was interrupted", self.id);
            return Err(Failure::new(message).hint(self.resume_hint()));
        }
        let attempts = || {
            stored
                .samples
                .iter()
                .filter(|record| record.role == Role::Counted)
        };
        let cut = match outcome {
            Outcome::CutShort(cut) => Some(cut),
            _ => None,
        };
        if attempts().next().is_none() {
            let hint = format!(
                "`stripewise resume {} --budget {}{}{}` continues it",
                self.id,
                longer_budget(stored, &self.study),
                self.store_args.again(),
                self.cache
            );
            let message = "the budget ended before the first sample that counts".to_owned();
            return Err(Failure::new(cut.map_or(message, |cut| cut.to_string())).hint(hint));
        }
        if let Some(cut) = cut {
            printer.remark(&cut_short(&cut));
        }
        if attempts().all(|record| !record.sample.is_valid()) {
            return Err(no_answer());
        }
        Ok(())
    }
}

/// Fails if a cell of the run has no answer: the budget ended before its first sample, or none of its
/// samples counts.
///
/// `cache` is the `--cache` option that resuming it needs again, or nothing.
pub(crate) fn refuse_unanswered(
    stored: &Run,
    study: &Study,
    store: &StoreArgs,
    cache: &str,
) -> Result<()> {
    refuse_empty_cells(stored, study, store, cache)?;
    refuse_invalid_cells(&stored.samples_by_cell())
}

/// Fails if no sample of a cell counts although some were taken.
fn refuse_invalid_cells(samples: &[Vec<&SampleRecord>]) -> Result<()> {
    let counted = samples.iter().map(|cell| {
        let counted = cell.iter().filter(|record| record.role == Role::Counted);
        counted.map(|record| record.sample.is_valid()).collect()
    });
    let counted: Vec<Vec<bool>> = counted.collect();
    let is_invalid = |cell: &&Vec<bool>| !cell.is_empty() && !cell.contains(&true);
    match counted.iter().filter(is_invalid).count() {
        0 => Ok(()),
        invalid if invalid == counted.len() => Err(no_answer()),
        invalid => Err(Failure::new(format!(
            "no sample counts of {invalid} of {} cells, so there is no answer about them",
            counted.len()
        ))
        .hint(WARNINGS_SAY_WHY)),
    }
}

/// The failure of a run of which no sample counts.
fn no_answer() -> Failure {
    Failure::new("no sample counts, so there is no answer").hint(WARNINGS_SAY_WHY)
}

/// Names the sample that the budget cut short.
fn cut_short(cut: &Cut) -> Message {
    let message = Message::new(match cut.phase {
        Phase::Preparing => "run-cut-preparing",
        Phase::Measuring => "run-cut-measuring",
    });
    message
        .name("budget", cut.budget)
        .digits("number", cut.cell + 1)
        .name("cell", &cut.what)
}

fn longer_budget(stored: &Run, study: &Study) -> Nanos {
    let warnings = stored.warnings.iter().map(|record| &record.warning);
    stripewise_report::run::longer_budget(&study.repeat, warnings)
}

/// Fails if the budget ended before every cell had a sample: the study has a question about each.
///
/// Cells with fewer samples than the study requires only get a warning: they have an answer.
///
/// `cache` is the `--cache` option that resuming it needs again, or nothing.
fn refuse_empty_cells(stored: &Run, study: &Study, store: &StoreArgs, cache: &str) -> Result<()> {
    match budget_ended(stored, &study.repeat) {
        Some(Warning::BudgetEnded {
            cells, cells_empty, ..
        }) if cells_empty > 0 => Err(Failure::new(format!(
            "the budget of {} ended before {cells_empty} of {cells} cells had a sample",
            study.repeat.budget_ns
        ))
        .hint(format!(
            "`stripewise resume {} --budget {}{}{cache}` continues it",
            stored.summary.id,
            longer_budget(stored, study),
            store.again()
        ))),
        _ => Ok(()),
    }
}

/// Reads a time such as `10m` from the command line.
pub(crate) fn parse_time(text: &str) -> std::result::Result<Nanos, String> {
    match Nanos::parse(text) {
        Ok(time) if time > BUDGET_NS_MAX => {
            Err(format!("at most a year is allowed: `{BUDGET_NS_MAX}`"))
        }
        Ok(time) if time > Nanos::default() => Ok(time),
        Ok(_) => Err("it must be longer than 0 s".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exit code was 0 although a cell of the run had no answer.
    #[test]
    fn a_cell_of_which_no_sample_counts_has_no_answer() {
        let of = |is_valid: [bool; 2]| {
            let records = is_valid.map(|is_valid| {
                let mut sample = stripewise_fixtures::second();
                if !is_valid {
                    sample.warnings.push(Warning::Throttled { count: 1 });
                }
                stripewise_fixtures::record(0, 0, sample)
            });
            let cells: Vec<Vec<&SampleRecord>> = records.iter().map(|one| vec![one]).collect();
            refuse_invalid_cells(&cells).map_err(|failure| failure.message())
        };
        assert_eq!(of([true, true]), Ok(()));
        assert_eq!(
            of([true, false]),
            Err("no sample counts of 1 of 2 cells, so there is no answer about them".to_owned())
        );
        assert_eq!(
            of([false, false]),
            Err("no sample counts, so there is no answer".to_owned())
        );
    }

    #[test]
    fn a_budget_is_longer_than_zero_and_at_most_a_year() {
        assert_eq!(parse_time("8760h"), Ok(BUDGET_NS_MAX));
        for wrong in ["0s", "8761h", "500000000h", "soon"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
