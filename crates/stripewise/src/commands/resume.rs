//! `stripewise resume`: continue a run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_catalogue::{Message, Words};
use stripewise_format::parse_with;
use stripewise_report::run::span;
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_results::{Run, RunId, RunState, Store};
use stripewise_runner::execute::is_finished;
use stripewise_study::facts::Facts;
use stripewise_study::plan::Study;
use stripewise_units::Nanos;
use stripewise_worlds::cuts::program_files;
use stripewise_worlds::lab::refuse_kvm;
use stripewise_worlds::obstacles::machine_changes;
use stripewise_worlds::settings::Settings;
use stripewise_worlds::unused::{Unused, unused};
use stripewise_worlds::{ClaimedDevice, Opened, claimed_devices, open};

use super::measure::{Ready, parse_time, refuse_unanswered};
use super::restore::{self, Restored, Which};
use super::stored;
use crate::answers::FormatArgs;
use crate::confirm::ConfirmArgs;
use crate::confirm_program::RunProgramArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::CacheArgs;
use crate::live::LiveArgs;
use crate::printer::Printer;
use crate::stop::deferred;
use crate::stores::{RunName, StoreArgs};
use crate::trace_file::{TraceFiles, refuse_changed};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Continue the last run that is not finished:
    stripewise resume

  Give run 3 half an hour in all, including the time already used:
    stripewise resume 3 --budget 30m
";

/// Continue an interrupted run
///
/// Continues a run that Ctrl-C, a crash, a reboot or the end of its budget stopped. First it cleans
/// up after the interrupted run, as `stripewise restore` does. Then it warms up again and adds the
/// missing samples to the same run. It uses the run's study, target, world, seed and profiles, and
/// keeps all finished samples.
///
/// If the kernel, disks or governor have changed since the run began, old and new samples are not
/// comparable: that is an error unless `--allow-changed-facts` is given. Devices that the run
/// overwrites must be confirmed again. A run in the lab finds its guest in the cache that it began
/// with; if you moved that, name it with `--cache`.
///
/// If the run is already finished, it is shown and nothing is measured. Exit codes are those of
/// `stripewise run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: a number, a name, or `latest` [default: the last one that is not finished]
    pub(super) run: Option<RunName>,

    #[command(flatten)]
    pub(super) confirm: ConfirmArgs,

    #[command(flatten)]
    pub(super) run_program: RunProgramArgs,

    #[command(flatten)]
    pub(super) store: StoreArgs,

    #[command(flatten)]
    pub(super) cache: CacheArgs,

    /// Time limit for the whole run, including the time already used, instead of the run's budget
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(super) budget: Option<Nanos>,

    /// Continue even if the machine has changed
    #[arg(long)]
    pub(super) allow_changed_facts: bool,

    /// Whether `run --continue` asks, whose options are those of the run.
    #[arg(skip)]
    pub(super) asked_by_run: bool,

    #[command(flatten)]
    pub(super) live: LiveArgs,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    go_on(args, printer).map_err(|failure| match args.asked_by_run {
        true => failure,
        false => kept_options(failure),
    })
}

/// Adds to a hint which names an option of `run` that a run keeps it.
fn kept_options(failure: Failure) -> Failure {
    let command = <Args as clap::Args>::augment_args(clap::Command::default());
    let takes = |option: &str| {
        let mut options = command.get_arguments().filter_map(clap::Arg::get_long);
        options.any(|long| option == long)
    };
    let is_kept = failure.hinted_options().any(|option| !takes(option));
    match is_kept {
        true => failure.and_hint(
            "`stripewise resume` keeps the options that a run began with: begin another with \
             `stripewise run`",
        ),
        false => failure,
    }
}

fn go_on(args: &Args, printer: &mut Printer) -> Result<Exit> {
    args.live.check(printer)?;
    let mut store = args.store.open_existing()?;
    let id = match &args.run {
        Some(name) => name.resolve(&store)?,
        None => latest_unfinished(&store)?,
    };
    let stored = store.run(id)?;
    let mut spec = world_of(&stored)?;
    let mut settings = Settings::of(&stored)?;
    settings.budget_ns = args.budget.or(settings.budget_ns);
    move_cache(&mut spec, &args.cache)?;
    if let WorldSpec::Lab(lab) = &spec {
        refuse_kvm(lab)?;
    }
    let study = study_of(&stored, &spec, &settings)?;
    let spent = stored.executed_for();
    refuse_used_budget(&stored, spent, args.budget)?;
    let is_model = spec.model().is_some();
    if stored.summary.state == RunState::Done
        && is_finished(&study, stored.samples.clone(), spent, is_model)
    {
        return show_finished(&stored, &store, &study, args, printer);
    }
    // Undo leftovers first, for three reasons: the changes of a claimed run are not undone;
    // leftovers occupy devices and space; and settings that a cell left behind would look like a
    // changed machine.
    let mut restored = Restored::new();
    let undone = restore::undo_outstanding(&mut store, Which::Measured, &mut restored);
    restored.words().for_each(|words| printer.remark(words));
    undone?;
    let had = claimed_devices(store.announced_changes(id)?);
    confirm_programs(&mut spec, &study, args, printer)?;
    if is_foreign(&store, &stored)? {
        return Err(unknown_devices(id));
    }
    let mut opened = open_again(&spec, &study, had, &args.confirm, printer)?;
    let world = opened.world();
    // Starting a guest takes part of the budget.
    let began = Instant::now();
    let facts = deferred(|| world.facts())?;
    check_same_machine(&stored, &facts, args, printer)?;
    let noticed = world.check(&study.cells)?;
    store.claim_run(id)?;
    // Another process may have added samples before we claimed the run.
    let stored = store.run(id)?;
    store.add_facts(id, &facts)?;
    let ready = Ready {
        store,
        id,
        study,
        seed: stored.seed,
        world,
        spent: spent.max(stored.executed_for()) + began.elapsed(),
        earlier: stored.samples,
        noticed,
        store_args: &args.store,
        cache: args.cache.again(),
        live: args.live.live,
        fails_on_loss: false,
    };
    ready.measure(args.format, printer)
}

/// Returns the study of a run, which must still have the run's cells.
fn study_of(stored: &Run, spec: &WorldSpec, settings: &Settings) -> Result<Study> {
    let id = stored.summary.id;
    let mut traces = TraceFiles::in_directory(settings.traces.as_deref().unwrap_or(Path::new("")));
    let study = parse_with(&stored.summary.study_name, &stored.study_text, &mut traces)
        .map_err(|error| Failure::study(&stored.summary.study_name, error))?;
    let study = settings.apply(Some(spec), study);
    refuse_changed(&stored.cells, &study.cells, id)?;
    if study.cells != stored.cells {
        return Err(Failure::new(format!(
            "this version expands the study of run {id} into other cells than the one that began it"
        ))
        .hint("start a new run: new samples would belong to other cells"));
    }
    Ok(study)
}

/// Refuses a budget that an unfinished run has used: it would end with what it has.
fn refuse_used_budget(stored: &Run, spent: Duration, budget: Option<Nanos>) -> Result<()> {
    let id = stored.summary.id;
    match budget {
        Some(budget) if stored.summary.state != RunState::Done && spent >= budget.into() => {
            let spent = span(spent);
            let message =
                format!("run {id} has used {spent} already: `--budget {budget}` leaves no time");
            Err(Failure::new(message).hint("the budget is for the whole run: name a longer one"))
        }
        _ => Ok(()),
    }
}

/// Returns the world that a run was measured in.
fn world_of(stored: &Run) -> Result<WorldSpec> {
    let id = stored.summary.id;
    stored.world.clone().ok_or_else(|| {
        Failure::new(match &stored.summary.origin {
            RunOrigin::World(world) => format!(
                "run {id} was measured in world `{world}`, but does not say how that was set up, so it \
                 cannot be resumed"
            ),
            origin => format!("run {id} comes from `{origin}` and cannot be resumed"),
        })
    })
}

/// Returns whether another store measured a run of this machine: what measures here announces in the
/// journal what it changes, be it the directory of its files.
pub(super) fn is_imported(store: &Store, stored: &Run, spec: &WorldSpec) -> Result<bool> {
    let is_metal = matches!(
        spec,
        WorldSpec::Files { .. } | WorldSpec::Hosts(_) | WorldSpec::Devices
    );
    let has_samples = !stored.samples.is_empty();
    Ok(is_metal && has_samples && store.announced_changes(stored.summary.id)?.is_empty())
}

/// Returns whether a run cannot be resumed here because this store does not know its devices.
pub(super) fn is_foreign(store: &Store, stored: &Run) -> Result<bool> {
    match &stored.world {
        Some(spec @ WorldSpec::Devices) => is_imported(store, stored, spec),
        _ => Ok(false),
    }
}

/// Returns the run that is resumed if none is named.
fn latest_unfinished(store: &Store) -> Result<RunId> {
    let mut foreign = Vec::new();
    for id in store.unfinished_runs()? {
        match is_foreign(store, &store.run(id)?)? {
            true => foreign.push(id),
            false => return Ok(id),
        }
    }
    Err(match foreign.first() {
        Some(id) => unknown_devices(*id),
        None => Failure::new("there is no unfinished run").hint("`stripewise runs` shows the runs"),
    })
}

/// Only the journal of the store that measured a run says which devices it used.
fn unknown_devices(id: RunId) -> Failure {
    let message = format!("this store does not know which devices run {id} measured");
    Failure::new(message)
        .hint("the run was imported: resume it in its own store, or start a new run")
}

/// Takes the guest from the cache that `--cache` names, instead of the one that the run began with.
fn move_cache(world: &mut WorldSpec, args: &CacheArgs) -> Result<()> {
    match world.guest_mut() {
        _ if args.cache.is_none() => {}
        Some(lab) => lab.cache = args.locate()?.path().to_owned(),
        None => {
            let message = "`--cache` has no effect here: the run uses no guest";
            return Err(Failure::new(message).hint("leave it out"));
        }
    }
    Ok(())
}

/// Shows a finished run. Does not check the machine, and does not change the run.
fn show_finished(
    stored: &Run,
    store: &Store,
    study: &Study,
    args: &Args,
    printer: &mut Printer,
) -> Result<Exit> {
    if args.confirm.is_given() && !args.asked_by_run {
        return Err(Failure::new(format!(
            "`--yes-destroy` has no effect here: run {} is done",
            stored.summary.id
        )));
    }
    stored::print(stored, store, args.format, false, &args.store, printer)?;
    printer.remark(&Message::new("resume-done").name("run", stored.summary.id));
    refuse_unanswered(stored, study, &args.store, &args.cache.again())?;
    Ok(Exit::Done)
}

/// Lets the user confirm the programs of a run again if a file of them has changed. Their checksums are
/// facts of the run, so that a change also needs `--allow-changed-facts`.
fn confirm_programs(
    spec: &mut WorldSpec,
    study: &Study,
    args: &Args,
    printer: &mut Printer,
) -> Result<()> {
    let named: &[PathBuf] = &[];
    let Some(cuts) = spec.cuts_mut() else {
        return args.run_program.confirm(&[], &[], named, printer);
    };
    let files = program_files(&study.cells)?;
    if files != cuts.program_files {
        printer.remark(&Message::new("resume-program-changed"));
        args.run_program
            .confirm(&study.cells, &files, named, printer)?;
        cuts.program_files = files;
    }
    Ok(())
}

/// Returns the world of a run. Its devices must be confirmed again: others may have used them
/// since.
fn open_again(
    spec: &WorldSpec,
    study: &Study,
    had: Vec<ClaimedDevice>,
    confirm: &ConfirmArgs,
    printer: &mut Printer,
) -> Result<Opened> {
    let given = [("--yes-destroy", confirm.is_given())];
    if let Some(Unused { option, why }) = unused(spec.into(), &given) {
        let message = format!("`{option}` has no effect here: {why}");
        return Err(Failure::new(message).hint("leave it out"));
    }
    let mut opened = match spec {
        // It may make a disk in the cache.
        WorldSpec::Cuts(_) => deferred(|| open(spec, study))?,
        _ => open(spec, study)?,
    };
    if let Opened::Devices(stacks) = &mut opened {
        stacks.expect_devices(had);
        confirm.confirm(stacks.claim()?, printer)?;
    }
    Ok(opened)
}

/// Refuses to mix samples from before and after a change of the machine, unless `allowed`.
fn check_same_machine(
    stored: &Run,
    facts: &Facts,
    args: &Args,
    printer: &mut Printer,
) -> Result<()> {
    let Some(message) = machine_changes(stored, facts) else {
        return Ok(());
    };
    if args.allow_changed_facts {
        printer.remark(&message);
        return Ok(());
    }
    let add = match args.asked_by_run {
        true => format!(
            "`stripewise resume {} --allow-changed-facts`",
            stored.summary.id
        ),
        false => "add `--allow-changed-facts`".to_owned(),
    };
    let hint = format!("start a new run, or {add} if the change does not matter");
    Err(Failure::new(message.in_english()).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_says_which_options_a_resumed_run_keeps() {
        let hinted = |hint: &str| kept_options(Failure::new("no").hint(hint)).render();
        for kept in [
            "use another `--target`",
            "or lower `size`; `--clock wall` needs none",
        ] {
            assert!(hinted(kept).contains("keeps the options"), "{kept}");
        }
        for own in [
            "`--budget 1h` is longer",
            "`stripewise lab prepare --kernel 6.1` makes it",
            "wait",
        ] {
            assert!(!hinted(own).contains("keeps the options"), "{own}");
        }
    }
}
