//! `stripewise pull-plug`: cut the power of a study's stacks, and see what is lost.

use std::path::PathBuf;

use clap::ValueEnum;
use stripewise_catalogue::Message;
use stripewise_process::is_stop_asked;
use stripewise_results::RunId;
use stripewise_results::world::{CutPlace, CutsSpec, ModelSpec, WorldSpec};
use stripewise_runner::Outcome;
use stripewise_study::cut::CutOptions;
use stripewise_study::plan::Study;
use stripewise_study::world::{World, WorldName};
use stripewise_units::Nanos;
use stripewise_worlds::lab::{Purpose, clock_remark};
use stripewise_worlds::model::require_devices;
use stripewise_worlds::settings::Settings;
use stripewise_worlds::unused::{AskedIn, Unused, unused};
use stripewise_worlds::{self as worlds, cuts};

use super::measure::parse_time;
use super::run::{RunOptions, begin};
use crate::answers::FormatArgs;
use crate::cut_world::{CUTS_MAX, SurvivalName};
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
/// The study's `sample` is the longest time from the first acknowledged record to the cut. Which
/// caches are volatile, and how much they hold, is in the device profiles.
///
/// A guest's own speed means nothing, so throughput comes from the model. The model also predicts
/// the loss. The table marks each number as measured or simulated. Both runs are in the store:
/// `stripewise show` prints them again, and `stripewise report` draws both on one page.
///
/// Exit code 2 means that there is no complete answer.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The study: a file, the name of a shipped one, or `-` for standard input
    study: PathBuf,

    /// Where to cut the power: real kernels in guests, this machine's kernel, or the model's prediction alone
    #[arg(long, value_enum, default_value = "lab")]
    world: AskedWorld,

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
    args.refuse_unused()?;
    let file = StudyFile::read(&args.study)?;
    require_devices(&file.study)?;
    refuse_traces(&file.study)?;
    let model = args.model.find(&file.study, file.path.as_deref())?;
    match args.world {
        AskedWorld::Model => predict(args, file, model, true, printer).map(|_| Exit::Done),
        AskedWorld::Lab | AskedWorld::Metal => cut(args, file, model, printer),
    }
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
    /// Refuses options that the world does not use.
    fn refuse_unused(&self) -> Result<()> {
        let (asked_in, world) = match self.world {
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
        AskedWorld::Model => args.seed,
        AskedWorld::Lab | AskedWorld::Metal => None,
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

fn cut(args: &Args, file: StudyFile, model: ModelSpec, printer: &mut Printer) -> Result<Exit> {
    let texts = model.profiles.clone();
    let how = CutOptions {
        survival: args.survive.map(Into::into).unwrap_or_default(),
        images: args.images.unwrap_or(1),
        without_member: args.without_member,
        force: args.force_assembly,
    };
    let place = match args.world {
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
        model_run: None,
    };
    let cells = &file.study.cells;
    // It may make a disk in the cache.
    let mut world = deferred(|| cuts::open(&spec, cells))?;
    if let CutPlace::Guests(lab) = &spec.place {
        printer.remark(&clock_remark(lab));
    }
    // What cannot be cut is refused before anything takes time.
    world.check(cells)?;
    spec.model_run = match predict(args, file.clone(), model, false, printer) {
        Ok(run) => Some(run),
        Err(error) if is_stop_asked() => return Err(error),
        Err(error) => {
            printer.remark(&Message::new("cuts-no-model").name("why", error.message()));
            None
        }
    };
    let settings = Settings {
        budget_ns: args.budget,
        ..Settings::default()
    };
    let how = RunOptions::new(args.seed, &args.store);
    let asked = (&WorldSpec::Cuts(spec), &settings);
    begin(file, asked, &mut world, how)?.measure(args.format, printer)
}
