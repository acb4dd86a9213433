//! `stripewise resume`: go on with a run.

use std::path::PathBuf;

use stripewise_metal::{FilesWorld, StacksWorld};
use stripewise_results::{Run, RunId, RunState, Store};
use stripewise_runner::execute::is_finished;
use stripewise_study::facts::Facts;
use stripewise_study::format::parse;
use stripewise_study::plan::Study;
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::world::{Change, World};

use super::measure::{Ready, parse_time, refuse_empty_cells};
use super::options::Options;
use super::restore;
use super::run::builds_stacks;
use super::stored;
use crate::confirm::ConfirmArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// What the long help ends with.
const EXAMPLES: &str = "\
Examples:
  Continue the last run that is not finished:
    stripewise resume

  Give run 3 half an hour in all, what it used already included:
    stripewise resume 3 --budget 30m
";

/// Continue an interrupted run
///
/// Continues a run that Ctrl-C, a crash, a reboot or the end of its budget stopped. First it
/// undoes what the interrupted run left on the machine, as `stripewise restore` does. Then it
/// measures the samples that are missing, after a new warm-up, into the same run. Study, target,
/// world, seed and profiles are those of the run; finished samples are kept.
///
/// If kernel, disks or governor differ from when the run began, its samples are not comparable
/// with new ones: that is an error, unless `--allow-changed-facts` accepts it. Devices that the
/// run overwrites must be confirmed again.
///
/// A run that is already finished is shown, and nothing is measured. Exit codes are those of
/// `stripewise run`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run: a number, or `latest` [default: the last one that is not finished]
    run: Option<RunName>,

    #[command(flatten)]
    confirm: ConfirmArgs,

    #[command(flatten)]
    store: StoreArgs,

    /// Time limit for the whole run, including the time already used, instead of the run's budget
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Nanos>,

    /// Continue even if the machine has changed
    #[arg(long)]
    allow_changed_facts: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut store = args.store.open_existing()?;
    let id = match args.run {
        Some(name) => name.resolve(&store)?,
        None => store.latest_unfinished_run()?.ok_or_else(|| {
            Failure::new("no run is unfinished").hint("`stripewise list` shows the runs")
        })?,
    };
    let stored = store.run(id)?;
    if !["metal", "model", "lab"].contains(&stored.summary.world.as_str()) {
        let message = format!(
            "run {id} is from `{}`, which cannot be resumed",
            stored.summary.world
        );
        return Err(Failure::new(message));
    }
    let mut options: Options = serde_json::from_value(stored.options.clone())?;
    options.budget_ns = args.budget.or(options.budget_ns);
    let study = parse(&stored.summary.study_name, &stored.study_text)
        .map_err(|error| Failure::study(&stored.summary.study_name, error))?;
    let study = options.apply(study);
    if study.cells != stored.cells {
        return Err(Failure::new(format!(
            "run {id} was begun by a version that read its study differently"
        ))
        .hint("begin a new run: its samples would belong to other cells"));
    }
    let spent = stored.executed_for();
    let is_model = stored.summary.world == stripewise_sim::world::NAME;
    if stored.summary.state == RunState::Done
        && is_finished(&study, stored.samples.clone(), spent, is_model)
    {
        return show_finished(&stored, &study, args, printer);
    }
    // Before the run is ours, as what a living run changed is not undone; before devices and space
    // are looked at, as what is left behind occupies them; and before the machine is compared with
    // what it was, as its settings may still be those of a cell.
    restore::undo_outstanding(&mut store, printer)?;
    let had = devices_of_run(&store, id)?;
    let mut world = open_world(id, &options, &study, had, &args.confirm, printer)?;
    let facts = world.facts()?;
    check_same_machine(&stored, &facts, args.allow_changed_facts, printer)?;
    let noticed = world.check(&study.cells)?;
    store.claim_run(id)?;
    // Another process may have added samples until it was ours.
    let stored = store.run(id)?;
    let spent = spent.max(stored.executed_for());
    store.add_facts(id, &facts)?;
    let ready = Ready {
        store,
        id,
        study,
        seed: stored.seed,
        world: &mut *world,
        earlier: stored.samples,
        spent,
        noticed,
        json: args.json,
        store_args: &args.store,
    };
    ready.measure(printer)
}

/// Shows a run to which nothing is left to do: its machine is not looked at, and it stays as it is.
fn show_finished(stored: &Run, study: &Study, args: &Args, printer: &mut Printer) -> Result<Exit> {
    if args.confirm.is_given() {
        return Err(Failure::new(format!(
            "`--yes-destroy` means nothing here: run {} is done",
            stored.summary.id
        )));
    }
    stored::print(stored, args.json, false, &args.store, printer)?;
    printer.remark(&format!(
        "run {} was done already: nothing was measured",
        stored.summary.id
    ));
    refuse_empty_cells(stored, study, &args.store)?;
    Ok(Exit::Done)
}

/// Name, serial number and size of a device.
type Device = (PathBuf, Option<String>, Bytes);

/// Returns the devices that a run had, as they were when it had them last.
fn devices_of_run(store: &Store, run: RunId) -> Result<Vec<Device>> {
    let mut devices: Vec<Device> = Vec::new();
    for change in store.announced_changes(run)? {
        if let Change::ClaimedDevice {
            path,
            size_bytes,
            serial,
            ..
        } = change
            && devices.iter().all(|(known, ..)| *known != path)
        {
            devices.push((path, serial, size_bytes));
        }
    }
    Ok(devices)
}

/// Returns the world in which a run was begun, its devices confirmed anew: between two sessions
/// they were anybody's.
fn open_world(
    id: RunId,
    options: &Options,
    study: &Study,
    had: Vec<Device>,
    confirm: &ConfirmArgs,
    printer: &mut Printer,
) -> Result<Box<dyn World>> {
    let is_built = options.lab.is_none() && options.model.is_none() && options.target.is_none();
    if confirm.is_given() && !is_built {
        let message = "`--yes-destroy` means nothing here: no device is overwritten";
        return Err(Failure::new(message).hint("leave it out"));
    }
    if let Some(lab) = &options.lab {
        return Ok(Box::new(lab.world(study)?));
    }
    match (&options.model, &options.target) {
        (Some(model), _) => Ok(Box::new(model.world()?)),
        (None, Some(target)) => Ok(Box::new(FilesWorld::open(target)?)),
        (None, None) if builds_stacks(study) => {
            let mut world = StacksWorld::on_devices(study.may_destroy.clone())?;
            world.expect_devices(had);
            confirm.confirm(world.claim()?, printer)?;
            Ok(Box::new(world))
        }
        (None, None) => Err(Failure::new(format!(
            "run {id} does not say what it measures"
        ))),
    }
}

/// Refuses to mix samples of a machine with those of another, unless that is allowed.
fn check_same_machine(
    stored: &Run,
    facts: &Facts,
    allowed: bool,
    printer: &mut Printer,
) -> Result<()> {
    let changes = match stored.facts.last() {
        Some(record) => record.facts.changes(facts),
        None => Vec::new(),
    };
    if changes.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = changes
        .iter()
        .map(|change| {
            format!(
                "{} was `{}`, is `{}`",
                change.fact, change.before, change.now
            )
        })
        .collect();
    let message = format!("the machine is not what it was: {}", list.join("; "));
    if allowed {
        printer.remark(&message);
        return Ok(());
    }
    Err(Failure::new(message)
        .hint("begin a new run, or say `--allow-changed-facts` if that does not matter"))
}
