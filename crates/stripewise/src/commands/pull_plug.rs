//! `stripewise pull-plug`: cut the power of a study's stacks, and see what is lost.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use stripewise_catalogue::Message;
use stripewise_process::is_stop_asked;
use stripewise_results::RunId;
use stripewise_results::world::{CutPlace, CutsSpec, ModelSpec, WorldSpec};
use stripewise_runner::Outcome;
use stripewise_study::cut::{CutMoment, CutOptions};
use stripewise_study::plan::Study;
use stripewise_study::world::{World, WorldName};
use stripewise_units::Nanos;
use stripewise_units::visible::visible_line;
use stripewise_worlds::lab::{Purpose, clock_remark};
use stripewise_worlds::model::require_devices;
use stripewise_worlds::settings::Settings;
use stripewise_worlds::unused::{AskedIn, Unused, unused};
use stripewise_worlds::{self as worlds, cuts};

use super::measure::parse_time;
use super::run::{RunOptions, begin};
use crate::answers::{self, FormatArgs};
use crate::confirm_program::RunProgramArgs;
use crate::cut_world::{CUTS_MAX, SurvivalName, moment};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::LabArgs;
use crate::model::ModelArgs;
use crate::printer::Printer;
use crate::stop::deferred;
use crate::stores::StoreArgs;
use crate::study_file::StudyFile;

/// Where the power is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AskedWorld {
    /// A guest with a real kernel on disks that the host holds
    Lab,
    /// This machine's kernel, without a guest: one disk in memory, as root
    Metal,
    /// The simulation: predictions only
    Model,
}

/// The longest time until the cut, beside `--program`.
const SAMPLE_DEFAULT: Nanos = Nanos::from_millis(1000);

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Predict what ignored flushes risk, in seconds:
    stripewise pull-plug pull-plug --world model

  Cut the power of each setting 20 times, in guests with a real kernel:
    stripewise lab prepare --with mariadb
    stripewise pull-plug pull-plug --world lab

  Cut many more without a guest: one disk with ext4, XFS or btrfs:
    sudo stripewise pull-plug study.toml --world metal --cuts 200

  Test a program of yours, which prints `ack ID BYTES HASH`:
    sudo stripewise pull-plug --program ./my-test -- {phase}

  The same in each possible state after its end, for CI:
    sudo stripewise pull-plug my-store.toml --run-program /srv/my-test \\
        --survive enumerated --cut-at end --fail-on-loss --format junit

  See the write hole of RAID 5: a member fails with the power:
    stripewise pull-plug write-hole --without-member 0
";

/// Cut the power of a study's stacks and see what is lost
///
/// Answers what a setting risks: how many power cuts lose acknowledged data, how many seconds and
/// bytes of it, how many stacks do not come back, and how often data is wrong without an error.
/// Every share has its 95 % interval: 0 of 20 cuts still allows 17 %.
///
/// A guest runs a load of known content on the study's stack. Its disks are on the host, which
/// records each write and flush. A record is acknowledged when the call that makes it durable
/// returns: `fsync`, if the workload has one, else the write. At a random moment the guest is
/// killed. The host then builds what the drives may hold: everything flushed, and any part of the
/// rest (`--survive`). A fresh guest assembles the array, checks and mounts the filesystem as a
/// boot does, and reads every record.
///
/// `--world metal` needs no guest, but root, and runs a stack of one disk on this machine's kernel:
/// the disk is a loop device over a file that the program serves from memory and records. The
/// stack is visible to no other process, and vanishes with the program. Crash images are checked,
/// mounted and read in the same way.
///
/// A study with `[program]`, or `--program`, runs a program of yours instead of records. It needs
/// `--world metal`, and a confirmation: typed on a terminal, or `--run-program`. It runs as `nobody`, in
/// namespaces of its own, without network, and sees its stack as `/stack`, system directories, and the
/// files that the study names. Without bubblewrap nothing runs. The program prints a line for each
/// promise, in the phase `load`, and the same lines for the values that it finds, in the phase `check`:
/// `ack ID BYTES HASH` for a value, `put ID BYTES HASH` before it replaces one, `gone ID` before it
/// deletes one, `error ID` for one that cannot be read, `quiet` when it waits, `event NAME` around
/// maintenance. An exit code other than 0 of the check means that the store does not open.
///
/// The study's `sample` is the longest time from the first acknowledged record to the cut. Which
/// caches are volatile, and how much they hold, is in the device profiles.
///
/// A guest's own speed means nothing, so throughput comes from the model. The model also predicts
/// the loss. The table marks each number as measured or simulated. Both runs are in the store:
/// `stripewise show` prints them again, and `stripewise report` draws both on one page.
///
/// Exit code 1 means that `--fail-on-loss` found a loss, 2 that there is no complete answer.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_verdicts())))]
pub(crate) struct Args {
    /// The study: a file, the name of a shipped one, or `-` for standard input
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    study: Option<PathBuf>,

    /// A program to test on ext4 on one SSD, without a study; its arguments follow `--`
    #[arg(long, value_name = "PATH", help_heading = "Program")]
    program: Option<PathBuf>,

    /// A file or directory that the program reads, beside `--program`; repeat for each
    #[arg(
        long,
        value_name = "PATH",
        requires = "program",
        help_heading = "Program"
    )]
    reads: Vec<PathBuf>,

    /// The filesystem, beside `--program`: ext4, xfs or btrfs [default: ext4]
    #[arg(
        long,
        value_name = "TYPE",
        requires = "program",
        help_heading = "Program"
    )]
    on: Option<String>,

    /// The longest time until the cut, such as `2s`, beside `--program` [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "program", help_heading = "Program")]
    sample: Option<Nanos>,

    /// Arguments of `--program`: `{phase}` stands for `load` or `check`, `{directory}` for the stack
    #[arg(
        last = true,
        value_name = "ARGS",
        requires = "program",
        help_heading = "Program"
    )]
    arguments: Vec<String>,

    #[command(flatten)]
    run_program: RunProgramArgs,

    /// When the power goes: `load`, or after a program's line: `quiet:TIME`, `end:TIME`, `event:TIME` [default: load]
    ///
    /// `load` is a random moment. `quiet:1s` is 1 s after the program has printed `quiet`, `end:30s` 30 s
    /// after its end with exit code 0, and `event:100ms` a random moment within 100 ms of an `event` line.
    #[arg(long, value_name = "MOMENT", value_parser = moment, help_heading = "Program")]
    cut_at: Option<CutMoment>,

    /// End with exit code 1 if a cut lost acknowledged data, or a stack did not come back
    #[arg(long)]
    fail_on_loss: bool,

    /// Where to cut the power: real kernels in guests, this machine's kernel, or the model's prediction alone [default: lab; metal for a program]
    #[arg(long, value_enum)]
    world: Option<AskedWorld>,

    /// Crash images of each cell [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(CUTS_MAX)))]
    cuts: Option<u32>,

    /// Crash images from each recording of a load, at moments of their own [default: 1]
    ///
    /// More images of one recording take less time, but are not independent: intervals count
    /// recordings.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    images: Option<u32>,

    /// Which unflushed writes survive [default: reordered]
    #[arg(long, value_enum, value_name = "HOW")]
    survive: Option<SurvivalName>,

    /// The member of each array that fails with the power, counted from 0
    #[arg(long, value_name = "PLACE")]
    without_member: Option<usize>,

    /// Assemble arrays that md refuses after the cut (`mdadm --assemble --force`)
    #[arg(long)]
    force_assembly: bool,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    lab: LabArgs,

    #[command(flatten)]
    store: StoreArgs,

    /// Time limit for all cuts, such as `30m` [default: as long as they take]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Nanos>,

    /// Seed of the loads, the moments and the images [default: from the clock; the model's is 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let file = args.read_study()?;
    let has_program = has_program(&file.study);
    let world = args.world_for(has_program);
    args.refuse_unused(world)?;
    require_devices(&file.study)?;
    refuse_traces(&file.study)?;
    if !has_program && args.run_program.is_given() {
        let named: &[PathBuf] = &[];
        args.run_program.confirm(&[], &[], named, printer)?;
    }
    let model = args.model.find(&file.study, file.path.as_deref())?;
    match world {
        AskedWorld::Model => predict(args, file, model, true, printer).map(|_| Exit::Done),
        AskedWorld::Lab | AskedWorld::Metal => cut(args, file, model, world, printer),
    }
}

fn has_program(study: &Study) -> bool {
    let mut cells = study.cells.iter();
    cells.any(|cell| cell.workload.program.is_some())
}

/// Refuses a study with a trace: its writes have no content that could be found again.
fn refuse_traces(study: &Study) -> Result<()> {
    let mut traces = study
        .cells
        .iter()
        .filter_map(|cell| cell.workload.trace.as_ref());
    match traces.next() {
        None => Ok(()),
        Some(trace) => Err(Failure::new(format!(
            "`pull-plug` cannot replay trace `{}`: the lost writes of a trace are not followed",
            trace.query.file
        ))
        .hint("use a workload with a `pattern`; `stripewise run` replays the trace")),
    }
}

impl Args {
    /// Returns where the power is cut: a guest has none of this machine's programs.
    fn world_for(&self, has_program: bool) -> AskedWorld {
        self.world.unwrap_or(match has_program {
            true => AskedWorld::Metal,
            false => AskedWorld::Lab,
        })
    }

    /// Reads the study, or writes one for `--program`.
    fn read_study(&self) -> Result<StudyFile> {
        let Some(program) = &self.program else {
            let study = self.study.as_deref().unwrap_or(Path::new("-"));
            return StudyFile::read(study);
        };
        let text = |path: &Path| -> Result<String> {
            let path = std::path::absolute(path)?;
            let path = std::fs::canonicalize(&path).map_err(|error| {
                let shown = visible_line(&path.to_string_lossy()).into_owned();
                Failure::new(format!("failed to find `{shown}`: {error}"))
            })?;
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| Failure::new("a path of the program is no valid UTF-8"))
        };
        let mut call = vec![text(program)?];
        call.extend(self.arguments.iter().cloned());
        let files = self.reads.iter().map(|path| text(path));
        let files: Vec<String> = files.collect::<Result<_>>()?;
        // A list of JSON is one of TOML.
        let list = |words: &[String]| serde_json::Value::from(words).to_string();
        let sample = self.sample.unwrap_or(SAMPLE_DEFAULT);
        let filesystem = self.on.as_deref().unwrap_or("ext4");
        let filesystem = serde_json::Value::from(filesystem).to_string();
        StudyFile::of_words(format!(
            "question = \"What does a power cut take from this program?\"\n\n[stack.ssd]\n\
             devices = {{ \"sata-ssd\" = 1 }}\nfilesystem = {filesystem}\n\n[program]\nload = {}\nfiles = {}\n\n\
             [repeat]\nsample = \"{sample}\"\n",
            list(&call),
            list(&files)
        ))
    }

    /// Returns the programs that the command line names, which confirms them.
    fn named_programs(&self, study: &Study) -> Vec<PathBuf> {
        let programs = study.cells.iter();
        let programs = programs.filter_map(|cell| cell.workload.program.as_ref());
        let called = programs.flat_map(|program| program.called());
        match self.program {
            Some(_) => called.map(Path::to_owned).collect(),
            None => Vec::new(),
        }
    }

    /// Refuses options that the world does not use.
    fn refuse_unused(&self, world: AskedWorld) -> Result<()> {
        if self.survive == Some(SurvivalName::Enumerated) && world != AskedWorld::Metal {
            let message =
                "`--survive enumerated` needs `--world metal`, where a stack has one disk";
            return Err(Failure::new(message).hint("add `--world metal`, or leave it out"));
        }
        let (asked_in, world) = match world {
            AskedWorld::Lab => (AskedIn::CutGuests, WorldName::Lab),
            AskedWorld::Metal => (AskedIn::CutsHere, WorldName::Metal),
            AskedWorld::Model => (AskedIn::CutsPredicted, WorldName::Model),
        };
        let given = [
            ("--kernel", self.model.kernel.is_some()),
            ("--cuts", self.cuts.is_some()),
            ("--images", self.images.is_some()),
            ("--survive", self.survive.is_some()),
            ("--without-member", self.without_member.is_some()),
            ("--force-assembly", self.force_assembly),
            ("--cut-at", self.cut_at.is_some()),
            ("--fail-on-loss", self.fail_on_loss),
        ];
        let given = [given.as_slice(), self.lab.given().as_slice()].concat();
        match unused(asked_in, &given) {
            None => Ok(()),
            Some(Unused { option, why }) => Err(Failure::new(format!(
                "`{option}` has no effect with `--world {world}`: {why}"
            ))
            .hint("leave it out, or use `--world lab`")),
        }
    }
}

/// Simulates the study with its data at risk, and prints that if asked to; returns the run.
fn predict(
    args: &Args,
    file: StudyFile,
    model: ModelSpec,
    prints: bool,
    printer: &mut Printer,
) -> Result<RunId> {
    let mut world = worlds::model::open(&model)?;
    let (only, remark) = worlds::model::simulated(&mut world, &file.study)?;
    remark.iter().for_each(|remark| printer.remark(remark));
    let settings = Settings {
        budget_ns: args.budget,
        // It does not know that a member fails with the power.
        risk: args.without_member.is_none(),
        only,
        ..Settings::default()
    };
    let seed = match args.world {
        Some(AskedWorld::Model) => args.seed,
        _ => None,
    };
    let how = RunOptions::new(seed, &args.store);
    let asked = (&WorldSpec::Model(model), &settings);
    let mut ready = begin(file, asked, &mut world, how)?;
    let id = ready.id;
    if prints {
        ready.measure(args.format, printer)?;
        return Ok(id);
    }
    match ready.execute(printer)? {
        Outcome::Interrupted => Err(Failure::new(format!("run {id} was interrupted"))),
        _ => Ok(id),
    }
}

fn cut(
    args: &Args,
    file: StudyFile,
    model: ModelSpec,
    world: AskedWorld,
    printer: &mut Printer,
) -> Result<Exit> {
    let texts = model.profiles.clone();
    let how = CutOptions {
        survival: args.survive.map(Into::into).unwrap_or_default(),
        moment: args.cut_at.unwrap_or_default(),
        images: args.images.unwrap_or(1),
        without_member: args.without_member,
        force: args.force_assembly,
    };
    let place = match world {
        AskedWorld::Metal => CutPlace::ThisMachine(cuts::served_disks(args.lab.disk_size, texts)),
        AskedWorld::Lab | AskedWorld::Model => CutPlace::Guests(cuts::find(
            &args
                .lab
                .asked(args.model.kernel.as_ref(), Purpose::Function)?,
            texts,
        )?),
    };
    let mut spec = CutsSpec {
        place,
        how,
        count: args.cuts.unwrap_or(20),
        program_files: Vec::new(),
        model_run: None,
    };
    let cells = &file.study.cells;
    let has_program = has_program(&file.study);
    if has_program {
        spec.program_files = cuts::program_files(cells)?;
        let named = args.named_programs(&file.study);
        let files = &spec.program_files;
        args.run_program.confirm(cells, files, &named, printer)?;
    }
    // It may make a disk in the cache.
    let mut world = deferred(|| cuts::open(&spec, cells))?;
    if let CutPlace::Guests(lab) = &spec.place {
        printer.remark(&clock_remark(lab));
    }
    // What cannot be cut is refused before anything takes time.
    world.check(cells)?;
    spec.model_run = match has_program {
        // The model does not know what it writes.
        true => None,
        false => predicted(args, file.clone(), model, printer)?,
    };
    let settings = Settings {
        budget_ns: args.budget,
        ..Settings::default()
    };
    let how = RunOptions::new(args.seed, &args.store);
    let asked = (&WorldSpec::Cuts(spec), &settings);
    let mut ready = begin(file, asked, &mut world, how)?;
    ready.fails_on_loss = args.fail_on_loss;
    ready.measure(args.format, printer)
}

/// Simulates the study for its throughput and predictions; `None` with a remark if the model cannot.
fn predicted(
    args: &Args,
    file: StudyFile,
    model: ModelSpec,
    printer: &mut Printer,
) -> Result<Option<RunId>> {
    match predict(args, file, model, false, printer) {
        Ok(run) => Ok(Some(run)),
        Err(error) if is_stop_asked() => Err(error),
        Err(error) => {
            printer.remark(&Message::new("cuts-no-model").name("why", error.message()));
            Ok(None)
        }
    }
}
