//! `stripewise run`: measure a study.

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use stripewise_catalogue::Message;
use stripewise_lab::Lab;
use stripewise_machine::{Root, kernel_version};
use stripewise_results::world::{HostsSpec, WorldSpec};
use stripewise_results::{NewRun, RunId};
use stripewise_runner::execute::budget_warning;
use stripewise_study::plan::Study;
use stripewise_study::world::{Watch, World, WorldError, WorldName};
use stripewise_units::Nanos;
use stripewise_worlds::lab::{Purpose, real_time_in};
use stripewise_worlds::model::{SEED_DEFAULT, repeat_unused, require_devices};
use stripewise_worlds::settings::{Settings, least_time};
use stripewise_worlds::unused::{AskedIn, Unused, unused};
use stripewise_worlds::{Opened, builds_stacks, on_this_machine, open, simulated};

use super::measure::{Ready, parse_time};
use super::resume;
use crate::answers::FormatArgs;
use crate::confirm::ConfirmArgs;
use crate::confirm_program::RunProgramArgs;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::host_args::HostArgs;
use crate::lab_world::{CacheArgs, LabArgs, real_time_remark};
use crate::live::{LiveArgs, When};
use crate::model::ModelArgs;
use crate::printer::Printer;
use crate::progress::Booting;
use crate::question::AskedOf;
use crate::stop::deferred;
use crate::stores::{RunName, StoreArgs};
use crate::study_file::{StudyArgs, StudyFile};

/// The directory that is measured where none is named.
pub(super) const TARGET_DEFAULT: &str = ".";

/// Where a study runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskedWorld {
    /// fio on this machine: files, or the devices under `[may_destroy]`
    Metal,
    /// Simulation of disks from their profiles, by the rules of a kernel's md
    Model,
    /// A guest with a real kernel and modelled disks; see `stripewise help lab`
    Lab,
}

impl From<AskedWorld> for WorldName {
    fn from(asked: AskedWorld) -> Self {
        match asked {
            AskedWorld::Metal => WorldName::Metal,
            AskedWorld::Model => WorldName::Model,
            AskedWorld::Lab => WorldName::Lab,
        }
    }
}

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Measure two loads on the filesystem of a directory, without a study:
    stripewise run --workload randread:4K --workload write:1M:jobs=2 \\
        --target /srv/test

  See how long a study takes, then measure the filesystem of a directory:
    stripewise study block-size
    stripewise run block-size --target /srv/test --budget 10m

  Simulate four SSDs as RAID 10, under the md rules of another kernel:
    stripewise run four-ssd-random --world model --kernel 6.12

  See which mirror the real md driver reads from, in a guest:
    stripewise lab prepare
    stripewise run mirrored-reads --world lab

  A long study in the lab, whose command goes on after each interruption:
    stripewise run raid-level --world lab --continue

  The filesystem of eight clients at the same time, over ssh:
    stripewise run --workload randread:4K --target /mnt/nfs/test \\
        --hosts c1,c2,c3,c4,c5,c6,c7,c8

  Build a study's array on two disks, confirmed by their serial numbers:
    stripewise run my-mirror.toml --yes-destroy S3Z8NB0K \\
        --yes-destroy S3Z8NB1L
";

/// Measure a study and answer its question
///
/// The study is a file, one that comes with the program (`stripewise studies`), a job file of fio, or
/// the words of a question: `--workload randread:4K`, in our words, fio's or mdadm's. `--save` writes
/// the study that they stand for. Words say nothing of real devices: they measure the filesystem of
/// `--target`, or profiles in the model or lab.
///
/// Takes samples of every cell of the study (a cell is one combination of stack, workload and
/// conditions) in random order, until the 95 % interval of each median is as narrow as the study
/// asks or the budget ends. Then prints estimates, verdicts and warnings.
///
/// Each finished sample is in the store before the next one starts. Ctrl-C or a crash loses at
/// most one sample, and `stripewise resume` continues. `stripewise show`, `compare`, `report` and
/// `export` read the run later.
///
/// At the first signal (Ctrl-C, SIGTERM, SIGHUP) the run begins nothing new and undoes its changes,
/// which takes at most 45 s. A second one ends it at once; `stripewise restore` then undoes the rest.
/// Commands with nothing to undo end within 2 s.
///
/// `--world metal` measures with fio (3.28 or newer) on this machine. If the study names no
/// devices, it writes test files into a new directory below `--target` and removes the directory at
/// the end; that needs no root.
///
/// If the study has `[may_destroy]`, it builds the stacks on the devices listed there and
/// overwrites them. That needs root, the tools of the stacks (mdadm, LVM, mkfs), and a confirmation
/// for each device: typed on a terminal, or given with `--yes-destroy`. Devices that are in use or
/// carry a signature are refused. After a crash, `stripewise restore` removes files and stacks.
///
/// `--world model` simulates the study's devices from their profiles, under the md rules of a
/// kernel. It usually takes seconds, and touches no disk.
///
/// `--world lab` runs the study in a QEMU guest: a real kernel with the real md, on modelled
/// disks. It needs `stripewise lab prepare` once, and no root.
///
/// Exit code 2 means that there is no complete answer: the run was interrupted or failed, or a cell
/// got no sample, or none that counts.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,

    /// Where to measure: this machine, the model, or a guest
    #[arg(long, value_enum, default_value = "metal")]
    world: AskedWorld,

    /// A directory on the filesystem to measure [default: .]
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,

    #[command(flatten)]
    hosts: HostArgs,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    lab: LabArgs,

    #[command(flatten)]
    confirm: ConfirmArgs,

    #[command(flatten)]
    store: StoreArgs,

    /// Time limit for the whole run, such as `10m`, instead of the study's budget
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Nanos>,

    /// Simulate everything anew, and keep nothing for later runs
    ///
    /// `--world model` keeps its simulations in $XDG_CACHE_HOME/stripewise/simulated (usually
    /// ~/.cache/stripewise/simulated, at most 256 MiB), for runs of the same build of the program. A
    /// simulation that is found there is what would be simulated, bit for bit.
    #[arg(long)]
    no_cache: bool,

    /// Seed for the order of samples and for offsets; the same seed repeats both [default: from the clock; 0 with `--world model`]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Continue the latest run that this command began; begin one if there is none
    ///
    /// So the same command goes on after Ctrl-C, a crash or the end of the budget, and shows the run once
    /// it is done. It continues a run if the study's text, the world, its profiles and its guest are the
    /// same, and the seed if it is given. `stripewise resume` continues any run.
    #[arg(long = "continue")]
    continues: bool,

    #[command(flatten)]
    live: LiveArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    args.live.check(printer)?;
    let file = args.study.read(match args.world {
        AskedWorld::Metal => AskedOf::Machine,
        AskedWorld::Model => AskedOf::Model,
        AskedWorld::Lab => AskedOf::Guest,
    })?;
    args.refuse_unused(&file.study)?;
    let spec = args.world(&file, printer)?;
    if args.world == AskedWorld::Metal
        && !matches!(spec, WorldSpec::Hosts(_))
        && let Some(remark) = other_kernel_here(&file.study)
    {
        printer.remark(&remark);
    }
    if args.continues
        && let Some(begun) = args.begun(&file, &spec)?
    {
        args.study.save(&file.text)?;
        printer.remark(&Message::new("run-continues").name("run", begun));
        return resume::run(&args.of_run(begun), printer);
    }
    let mut opened = open(&spec, &file.study)?;
    let mut how = RunOptions::from(args);
    match &mut opened {
        Opened::Devices(stacks) => {
            let devices = stacks.claim()?.to_vec();
            // Check before asking for confirmations: the stacks may be impossible to build.
            stacks.check(&file.study.cells)?;
            args.confirm.confirm(&devices, printer)?;
            how = RunOptions::from(args);
        }
        Opened::Lab(lab) => {
            if let Some(time) = spec.guest().map(|guest| real_time_in(guest, &file.study))
                && let Some(time) = time?
            {
                let budget = args.budget.unwrap_or(file.study.repeat.budget_ns);
                printer.remark(&real_time_remark(&time, budget.into()));
            }
            // Starting the guest takes part of the budget.
            how = RunOptions::from(args);
            boot(lab, printer)?;
        }
        Opened::Model(model) if !args.no_cache => match simulated::memory() {
            Ok(memory) => model.memory = memory,
            Err(error) => printer.remark(&Message::new("run-no-cache").name("why", error)),
        },
        Opened::Files(_) | Opened::Hosts(_) | Opened::Model(_) | Opened::Cuts(_) => {}
    }
    let settings = Settings {
        budget_ns: args.budget,
        ..Settings::default()
    };
    let mut ready = begin(file, (&spec, &settings), opened.world(), how)?;
    ready.live = args.live.live;
    ready.measure(args.format, printer)
}

impl Args {
    /// Refuses options that the chosen world does not use.
    fn refuse_unused(&self, study: &Study) -> Result<()> {
        let has_hosts = self.hosts.names_hosts() || !study.hosts.is_empty();
        let asked_in = match self.world {
            AskedWorld::Metal if builds_stacks(study) => AskedIn::Devices,
            AskedWorld::Metal if has_hosts => AskedIn::Hosts,
            AskedWorld::Metal => AskedIn::Files,
            AskedWorld::Model => AskedIn::Model,
            AskedWorld::Lab => AskedIn::Lab,
        };
        let given = [
            ("--target", self.target.is_some()),
            ("--yes-destroy", self.confirm.is_given()),
            ("--no-cache", self.no_cache),
            ("--profiles", self.model.profiles.is_some()),
            ("--kernel", self.model.kernel.is_some()),
            ("--sample", self.study.names_sample()),
        ];
        let words = self.study.question.given();
        let words: Vec<(&str, bool)> = words.map(|word| (word.option, true)).collect();
        let hosts = self.hosts.given();
        let given = [&given[..], &hosts, &words, &self.lab.given()].concat();
        let Some(Unused { option, why }) = unused(asked_in, &given) else {
            return Ok(());
        };
        let world = WorldName::from(self.world);
        let message = format!("`{option}` has no effect with `--world {world}`: {why}");
        Err(Failure::new(message).hint("leave it out, or choose another `--world`"))
    }

    /// Returns the latest run that this command began, or would have begun so.
    fn begun(&self, file: &StudyFile, spec: &WorldSpec) -> Result<Option<RunId>> {
        let store = self.store.open()?;
        for summary in store.runs()?.iter().rev() {
            if summary.study_name != file.name || !summary.origin.is(spec.name()) {
                continue;
            }
            let run = store.run(summary.id)?;
            let is_same = run.study_text == file.text
                && run.world.as_ref().is_some_and(|world| world.is_like(spec))
                && self.seed.is_none_or(|seed| seed == run.seed);
            // A prediction of power cuts is a run of the same study, too.
            let settings = Settings::of(&run)?;
            let is_whole = !settings.risk && settings.only.is_none();
            if is_same && is_whole && !resume::is_imported(&store, &run, spec)? {
                return Ok(Some(summary.id));
            }
        }
        Ok(None)
    }

    /// Returns the command that continues a run as this one measures.
    fn of_run(&self, run: RunId) -> resume::Args {
        resume::Args {
            run: Some(RunName::Number(run)),
            confirm: self.confirm.clone(),
            run_program: RunProgramArgs::default(),
            store: self.store.clone(),
            cache: CacheArgs { cache: None },
            budget: self.budget,
            allow_changed_facts: false,
            asked_by_run: true,
            live: self.live.clone(),
            format: self.format,
        }
    }

    /// Returns the world that the options ask for.
    fn world(&self, file: &StudyFile, printer: &mut Printer) -> Result<WorldSpec> {
        let study = &file.study;
        match self.world {
            AskedWorld::Metal => {
                if let Some(hosts) = self.hosts.find(study, self.target.as_deref())? {
                    return of_hosts(study, hosts);
                }
                let target = self.target.as_deref().unwrap_or(TARGET_DEFAULT.as_ref());
                on_this_machine(study, target).map_err(|error| {
                    let attempted = format!("failed to use `--target {}`", target.display());
                    Failure::from(error).context(attempted)
                })
            }
            AskedWorld::Model => {
                require_devices(study)?;
                if let Some(note) = repeat_unused(&study.repeat) {
                    printer.remark(&note);
                }
                let model = self.model.find(study, file.path.as_deref())?;
                Ok(WorldSpec::Model(model))
            }
            AskedWorld::Lab => {
                let texts = self.model.find(study, file.path.as_deref())?.profiles;
                let kernel = self.model.kernel.as_ref();
                let lab = &self.lab;
                let found = lab.find(study, texts, kernel, Purpose::Measure, printer)?;
                Ok(WorldSpec::Lab(found))
            }
        }
    }
}

/// Returns the world of several hosts, on which no stack is built.
fn of_hosts(study: &Study, hosts: HostsSpec) -> Result<WorldSpec> {
    match builds_stacks(study) {
        false => Ok(WorldSpec::Hosts(hosts)),
        true => Err(Failure::new(
            "the study has `hosts` and `[may_destroy]`: devices of other hosts are not overwritten",
        )
        .hint("leave out one of the two; on hosts, an existing filesystem is measured")),
    }
}

/// Remarks that a study is about another kernel series than this machine's, which is measured.
fn other_kernel_here(study: &Study) -> Option<Message> {
    let (asked, runs) = (study.kernel?, kernel_version(&Root::live())?);
    (asked.series() != runs.series()).then(|| {
        Message::new("run-other-kernel-here")
            .name("asked", asked)
            .name("runs", runs)
    })
}

/// Starts the guests, with progress on stderr; Ctrl-C ends them.
fn boot(world: &mut Lab, printer: &Printer) -> Result<()> {
    let mut booting = Booting::new(printer)?;
    let booted = world.boot_all(&mut booting);
    let keeps_going = booting.keep_going(Duration::ZERO);
    drop(booting);
    booted?;
    match keeps_going {
        true => Ok(()),
        false => Err(WorldError::Interrupted.into()),
    }
}

/// How to begin a run.
pub(super) struct RunOptions<'a> {
    pub(super) seed: Option<u64>,
    pub(super) store_args: &'a StoreArgs,
    /// Where its study is saved, if it is.
    study_args: Option<&'a StudyArgs>,
    /// When its budget began.
    began: Instant,
    /// The same as a date.
    started_unix_ns: u64,
}

impl<'a> RunOptions<'a> {
    /// Begins the budget.
    pub(super) fn new(seed: Option<u64>, store_args: &'a StoreArgs) -> Self {
        Self {
            seed,
            store_args,
            study_args: None,
            began: Instant::now(),
            started_unix_ns: stripewise_results::unix_now_ns(),
        }
    }
}

impl<'a> From<&'a Args> for RunOptions<'a> {
    fn from(args: &'a Args) -> Self {
        Self {
            study_args: Some(&args.study),
            ..Self::new(args.seed, &args.store)
        }
    }
}

/// Begins a run of a study in `world`, and records it in the store.
pub(super) fn begin<'a>(
    file: StudyFile,
    (spec, settings): (&WorldSpec, &Settings),
    world: &'a mut dyn World,
    how: RunOptions<'a>,
) -> Result<Ready<'a>> {
    let settings = Settings {
        traces: file.traces,
        ..settings.clone()
    };
    let study = settings.apply(Some(spec), file.study);
    let (facts, mut noticed) =
        deferred(|| Ok::<_, WorldError>((world.facts()?, world.check(&study.cells)?)))?;
    if !world.is_repeatable() {
        noticed.extend(budget_warning(&study, least_time(spec, &study)?));
    }
    let mut store = how.store_args.open()?;
    // Not before: a run that is refused leaves nothing behind.
    if let Some(study_args) = how.study_args {
        study_args.save(&file.text)?;
    }
    let seed = how.seed.unwrap_or_else(|| match world.is_repeatable() {
        true => SEED_DEFAULT,
        false => seed_from_clock(),
    });
    let new = NewRun {
        origin: spec.name().into(),
        world: Some(spec.clone()),
        study_name: file.name,
        question: study.question.clone(),
        study_text: file.text,
        seed,
        options: serde_json::to_value(&settings)?,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: how.started_unix_ns,
    };
    let id = store.begin_run(&new, &study.cells, &facts)?;
    Ok(Ready {
        store,
        id,
        study,
        seed,
        world,
        earlier: Vec::new(),
        spent: how.began.elapsed(),
        noticed,
        store_args: how.store_args,
        cache: String::new(),
        live: When::Never,
        fails_on_loss: false,
    })
}

/// Returns a seed below 2^53, so that JSON readers that only know floats keep it exact.
fn seed_from_clock() -> u64 {
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos());
    u64::try_from(nanos % (1 << 53)).unwrap_or(0)
}
