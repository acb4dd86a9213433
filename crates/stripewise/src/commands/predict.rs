//! `stripewise predict`: what an array would give, without a file and without the disks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use stripewise_diagnose::prediction::{LIMITS, Prediction};
use stripewise_diagnose::why::Why;
use stripewise_report::explanation::Explanation;
use stripewise_sim::io::Member;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::format::parse;
use stripewise_study::plan::Study;
use stripewise_study::stack::Level;
use stripewise_study::units::Nanos;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::model::{AskedKernel, ModelArgs};
use crate::printer::Printer;
use crate::progress::Simulating;
use crate::question::{ArrayWord, Options, WorkloadWord};

/// How long a rebuild is simulated.
const REBUILD_DURATION: Nanos = Nanos::from_millis(5_000);
/// The most I/Os beside it, and the most effort.
const REBUILD_IOS_MAX: u64 = 4_000_000;
const REBUILD_STEPS_MAX: u64 = 40_000_000;

/// Predict what an array would give, without building it
///
/// The answer comes from a simulation with the rules of a kernel's md and the profile of one device.
/// Several `--array` or `--workload` make a table.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = "Examples:\n  stripewise predict --device samsung-850-evo-500 --array raid10:n2:4:32K --workload randread:64K\n  stripewise predict --device hdd-7200 --array raid5:4 --array raid10:4 --workload randwrite:4K --workload read:1M\n  stripewise predict --device nvme-ssd --array raid6:6:512K --workload randrw:4K:mix=70/30:depth=32:jobs=4"
)]
pub(crate) struct Args {
    /// The profile of the devices, such as `samsung-850-evo-500`
    #[arg(long, value_name = "PROFILE")]
    device: String,

    /// The array: `LEVEL[:LAYOUT][:DEVICES][:CHUNK]`, such as `raid10:n2:4:32K`; `none` is the device alone
    #[arg(long = "array", value_name = "ARRAY")]
    arrays: Vec<ArrayWord>,

    /// How many devices, where the array does not say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    count: Option<u32>,

    /// The load: `PATTERN:BLOCK[:KEY=VALUE...]` with the keys of a study, such as `randrw:4K:mix=70/30:depth=32`
    #[arg(long = "workload", value_name = "LOAD", required = true)]
    workloads: Vec<WorkloadWord>,

    /// How many I/Os each job keeps under way
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// How many jobs
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,

    /// The size of the file of each job
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    size: String,

    /// An fsync after every N writes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    fsync: Option<u32>,

    /// The write-intent bitmap: `internal` or `none`
    #[arg(long, value_name = "BITMAP")]
    bitmap: Option<String>,

    /// The filesystem, such as `ext4`; `none` is the block device itself
    #[arg(long, value_name = "TYPE")]
    filesystem: Option<String>,

    /// The members that have failed, by their place from 0: `1`, `0,3`
    #[arg(long, value_name = "PLACE", value_delimiter = ',')]
    failed: Vec<u16>,

    /// The first of them is being rebuilt on a new device meanwhile, at md's pace
    #[arg(long, requires = "failed")]
    rebuild: bool,

    /// The host profile
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// The CPU frequency governor
    #[arg(long, value_name = "NAME")]
    governor: Option<String>,

    /// Where to look for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// The kernel whose rules the model follows [default: this machine's]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    kernel: Option<AskedKernel>,

    /// The number from which chance is drawn; the same seed gives the same answer, bit for bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let study = args.study()?;
    let found = ModelArgs {
        profiles: args.profiles.clone(),
        kernel: args.kernel.clone(),
    }
    .find(&study, None)?;
    let mut model = found.world()?;
    model.limits = LIMITS;
    model.failed = failed(&args.failed, &study)?;
    model.rebuilding = args.rebuild;
    if args.rebuild {
        // md looks at the pace of a rebuild every few seconds, so it has to go on for longer.
        model.limits.duration = REBUILD_DURATION;
        model.limits.ios_max = REBUILD_IOS_MAX;
        model.limits.steps_max = REBUILD_STEPS_MAX;
    }
    let mut explanation = Explanation::new(&model, args.seed)?;
    let mut progress = Simulating::new(study.cells.len(), printer)?;
    let mut left = study.cells.len();
    for cell in study.cells {
        let prediction = predicted(&model, &cell, args.seed, &mut progress)?;
        left -= 1;
        progress.part_done(left);
        let why = Why::new(&model, &cell, &prediction);
        explanation.add(cell, prediction, why, Vec::new());
    }
    drop(progress);
    print(&explanation, args.json, printer)
}

/// Prints answers for people or programs.
pub(crate) fn print(explanation: &Explanation, json: bool, printer: &mut Printer) -> Result<Exit> {
    if json {
        printer.json(explanation)?;
    } else {
        printer.data(&explanation.text(printer.view()))?;
    }
    Ok(Exit::Done)
}

impl Args {
    /// Returns the question as a study, with all that a study is checked for.
    fn study(&self) -> Result<Study> {
        let alone = [ArrayWord::none()];
        let mut defaults = vec![("size", self.size.clone()), ("direct", "true".to_owned())];
        for (key, value) in [
            ("depth", self.depth),
            ("jobs", self.jobs),
            ("fsync", self.fsync),
        ] {
            defaults.extend(value.map(|value| (key, value.to_string())));
        }
        let options = Options {
            device: &self.device,
            count: self.count,
            arrays: if self.arrays.is_empty() {
                &alone
            } else {
                &self.arrays
            },
            workloads: &self.workloads,
            defaults,
            host: self.host.as_deref(),
            kernel: self
                .kernel
                .as_ref()
                .map(|kernel| kernel.version.to_string()),
            governor: self.governor.as_deref(),
            bitmap: self.bitmap.as_deref(),
            filesystem: self.filesystem.as_deref(),
        };
        const NAME: &str = "your question as a study";
        parse(NAME, &options.question()?.study()).map_err(|error| Failure::study(NAME, error))
    }
}

/// Returns what a cell gives; a simulation that stands still has no answer.
pub(crate) fn predicted(
    model: &Model,
    cell: &Cell,
    seed: u64,
    progress: &mut Simulating,
) -> Result<Prediction> {
    let prediction = Prediction::new(model, cell, seed, progress)?;
    if prediction.ios > 0 {
        return Ok(prediction);
    }
    let load = &cell.workload.load;
    Err(Failure::new(format!(
        "the simulation of {} {} on {} completed no I/O",
        load.pattern,
        load.block_size,
        cell.stack.summary()
    ))
    .hint("this is a mistake of the model; please report it with the command"))
}

/// Returns the failed members, which every array of the question must have and survive.
fn failed(places: &[u16], study: &Study) -> Result<Vec<Member>> {
    for cell in study.cells.iter().filter(|_| !places.is_empty()) {
        let members = cell.stack.device_count();
        if let Some(place) = places.iter().find(|place| u64::from(**place) >= members) {
            return Err(
                Failure::new(format!("--failed: there is no member {place} of {members}"))
                    .hint("members count from 0, as in `mdadm --detail`"),
            );
        }
        let level = cell.stack.array.as_ref().map(|array| array.level);
        let survives = match level {
            None | Some(Level::Linear | Level::Raid0) => 0,
            Some(Level::Raid4 | Level::Raid5) => 1,
            Some(Level::Raid6) => 2,
            Some(Level::Raid1) => members - 1,
            // Which ones may fail together depends on the layout; half of them at most.
            Some(Level::Raid10) => members / 2,
        };
        let failed: BTreeSet<&u16> = places.iter().collect();
        if u64::try_from(failed.len()).unwrap_or(u64::MAX) > survives {
            let what = level.map_or_else(|| "one device".to_owned(), |level| level.to_string());
            let message = format!("--failed: {what} does not survive {} failed", failed.len());
            return Err(Failure::new(message)
                .hint(format!("with {members} members it survives {survives}")));
        }
    }
    Ok(places.iter().copied().map(Member).collect())
}
