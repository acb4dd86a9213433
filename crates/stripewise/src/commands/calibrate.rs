//! `stripewise calibrate`: profiles from measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use stripewise_answer::Answer;
use stripewise_calibrate::points::{self, Point};
use stripewise_calibrate::points_of_run::{self, RunPoints, Spread};
use stripewise_calibrate::{
    CalibrateError, Calibration, Input, assumptions, has_array_points, measured_devices,
};
use stripewise_catalogue::{Message, Words};
use stripewise_format::{parse, parse_with};
use stripewise_metal::FilesWorld;
use stripewise_profiles::HOST_DEFAULT;
use stripewise_profiles::device::{DeviceProfile, Model};
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::lookup::{ProfileKind, Texts};
use stripewise_profiles::profile_file::{ProfileWriteError, device_to_toml, host_to_toml};
use stripewise_report::calibration::warnings::{Measured, warnings};
use stripewise_report::calibration::{Calibrated, WrittenProfile};
use stripewise_report::document::SCHEMA;
use stripewise_results::world::WorldSpec;
use stripewise_results::{Run, RunId};
use stripewise_sim::uncertainty::next_measurement;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::plan::{Compare, Repeat, Study};
use stripewise_study::sample::NextMeasurement;
use stripewise_study::trace::StoredTraces;
use stripewise_study::world::WorldName;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::visible::visible_line;
use stripewise_units::{Bytes, Nanos};
use stripewise_worlds::settings::Settings;

use super::asked;
use super::measure::parse_time;
use super::run::{RunOptions, begin};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::fitting::Fitting;
use crate::input_file;
use crate::output_file::name_all;
use crate::printer::Printer;
use crate::profile_files::{ProfileFile, head};
use crate::profiles::{Places, places};
use crate::stores::{RunName, StoreArgs};
use crate::study_file::StudyFile;

/// The study that `--target` measures, in about two minutes.
const STUDY: &str = include_str!("../../../../studies/this-disk.toml");
/// The arrays that profiles of this disk are most likely asked about: the last step of `make demo`.
const ARRAYS: &str = include_str!("../../../../studies/arrays-of-this-disk.toml");
/// The name of what `--target` measures.
const STUDY_NAME: &str = "this-disk";
/// The name of the lab's host, if the study names none.
const HOST_LAB: &str = "lab";
/// The default name of a device.
const NAME: &str = "this-disk";
/// The seed of the simulations, if none is given: the same points make the same profiles.
const SEED: u64 = 1;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Measure the disk under a directory for two minutes, then predict with it:
    stripewise calibrate --target /srv/test --out my-profiles --name my-ssd
    stripewise predict --profiles my-profiles --device my-ssd \\
        --array raid5:4:64K --workload randwrite:4K

  From points in a CSV file; the study names their stacks:
    stripewise calibrate four-ssd-random --points points.csv \\
        --out my-profiles

  From a run in the store:
    stripewise calibrate --run latest --out my-profiles

  Fit arm, queue and cache of class `hdd-7200` to points of a disk:
    stripewise calibrate disk.toml --points points.csv --like hdd-7200 \\
        --out my-profiles
";

/// Make device and host profiles from measurements
///
/// Fits profiles to measured points (bandwidth, IOPS or latency of a cell), so that `predict`,
/// `why` and `--world model` can simulate your own disks. Points on one device alone make its
/// device profile; points on arrays of that device make a host profile. The points are measured
/// now with fio (`--target`), taken from a run in the store (`--run`), or read from a CSV file
/// (`--points`).
///
/// Writes DIR/devices/NAME.toml and, if there are points on arrays, DIR/hosts/NAME.toml, and
/// prints each point beside its simulation. `--profiles DIR` of the other commands finds the
/// files.
///
/// `--target` and studies that name no devices describe the disk under a filesystem as one
/// device, called `--name`. A run in the lab is different: its disks are known, so its points on
/// single disks make the host profile, and its points on arrays are only compared with their
/// prediction.
///
/// Columns of the CSV file: stack, pattern, block_size_bytes, jobs, depth, and
/// bandwidth_bytes_per_s or iops; optional: latency_ns_mean, latency_ns_p50, latency_ns_p99, mix,
/// side, fsync, file_size_bytes. `mix` is the percentage of reads; with `side`, a mixed load has a row
/// for its reads and one for its writes. `file_size_bytes` is the size of each job's file, if it is
/// not the study's `size`.
///
/// Rows of several disks alone also show the adapter that they share, if it holds completions
/// back; disks behind another one say so in the study: `adapter = "NAME"`.
///
/// With `--like`, the profile of a device is a copy of a simulated disk or of simulated flash, and a
/// few of its numbers are fitted: a hard disk's seeks, queue, overhead, rates and write cache; the
/// times, dies, rates and buffer of flash. Only such a profile knows about distances on the disk, the
/// order of requests, or garbage collection. Numbers that the points do not show stay as they are and
/// are listed as not identified. Points on arrays are only compared with their prediction.
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = EXAMPLES,
    group = clap::ArgGroup::new("source").required(true),
    override_usage = "stripewise calibrate [OPTIONS] --out <DIR> --points <FILE> <STUDY>\n       stripewise calibrate [OPTIONS] --out <DIR> --run <RUN> [STUDY]\n       stripewise calibrate [OPTIONS] --out <DIR> --target <DIR>"
)]
pub(crate) struct Args {
    /// The study that describes the stacks of the points [default with `--run`: the run's]
    #[arg(required_unless_present_any = ["run", "target"], conflicts_with = "target")]
    study: Option<PathBuf>,

    /// Points from a CSV file
    #[arg(long, value_name = "FILE", group = "source", conflicts_with = "store")]
    points: Option<PathBuf>,

    /// Points from a run in the store: a number, a name, or `latest`
    #[arg(long, value_name = "RUN", group = "source")]
    run: Option<RunName>,

    /// Measure the disk under this directory with fio, in about two minutes
    ///
    /// The run is kept in the store. After Ctrl-C, continue it with `stripewise resume`, then make the
    /// profile with `stripewise calibrate --run`.
    #[arg(long, value_name = "DIR", group = "source")]
    target: Option<PathBuf>,

    /// The directory for the profiles; `--profiles DIR` of other commands finds them there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The name of the device, if the study names none [default: this-disk]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Fit the simulated disk or flash of this device profile, such as `hdd-7200` or `flash-sata`
    ///
    /// `stripewise profiles` lists the profiles. To start from another capacity or speed of rotation,
    /// copy a profile to DIR/devices/NAME.toml, change it, and add `--profiles DIR`.
    #[arg(long, value_name = "PROFILE")]
    like: Option<String>,

    /// Search DIR for profiles of devices that no point measures alone, and for that of `--like`
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// Also replace profiles that `stripewise calibrate` did not make
    #[arg(long)]
    replace: bool,

    #[command(flatten)]
    store: StoreArgs,

    /// Time limit for measuring with `--target`, such as `4m` [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = parse_time, conflicts_with_all = ["run", "points"])]
    budget: Option<Nanos>,

    /// Seed for order, offsets and simulations
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    #[command(flatten)]
    format: FormatArgs,
}

/// The input of a calibration.
struct Start {
    study: Study,
    study_name: String,
    /// The study file, if there is one: we also search for profiles beside it.
    study_path: Option<PathBuf>,
    points: Vec<Point>,
    /// The source that the profiles name.
    source: String,
    run: Option<RunId>,
    spreads: Vec<Spread>,
    left_out: Vec<Message>,
    facts: Option<Facts>,
    /// The device that the study did not name.
    unnamed: Option<String>,
    /// The profiles of the lab's disks; `None` if the points are not from the lab.
    known: Option<Texts>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let start = match (&args.points, &args.run, &args.target) {
        (Some(points), _, _) => from_file(args, points)?,
        (None, Some(name), _) => {
            let store = args.store.open_existing()?;
            let stored = store.run(name.resolve(&store)?)?;
            from_run(args, &stored)?
        }
        (None, None, Some(target)) => from_run(args, &measure(args, target, printer)?)?,
        (None, None, None) => unreachable!("clap requires a source"),
    };
    finish(args, &start, printer)
}

/// Fits the profiles, writes them, and reports their errors.
fn finish(args: &Args, start: &Start, printer: &mut Printer) -> Result<Exit> {
    if let (Some(name), None) = (&args.name, &start.unnamed) {
        let message = format!("`--name {name}` has no effect: the study names its devices");
        return Err(Failure::new(message).hint("leave it out"));
    }
    let mut made = fit(args, start, printer)?;
    let described = start.facts.as_ref().and_then(points_of_run::disk);
    if let (Some(name), Some(disk), None) = (&start.unnamed, described, &args.like)
        && let Some(profile) = made.devices.get_mut(name)
    {
        points_of_run::describe(profile, disk);
        made.report.assumptions = assumptions(&start.study, &made.devices, &made.host);
    }
    let files = write(args, &made)?;
    let measurement = useful_measurement(args, start, &made);
    let calibrated = Calibrated {
        schema: SCHEMA,
        study: &start.study_name,
        source: &start.source,
        run: start.run,
        spreads: start.spreads.clone(),
        left_out: start.left_out.clone(),
        warnings: warnings(&Measured {
            points: &start.points,
            spreads: &start.spreads,
            adapters: &made.report.adapters,
            facts: start.facts.as_ref(),
            unnamed: start.unnamed.as_deref(),
        }),
        report: &made.report,
        points: &start.points,
        next_measurement_words: measurement.as_ref().map(|one| one.1.clone()),
        next_measurement: measurement.map(|one| one.0),
        next: next(args, start, &files),
        files,
    };
    let blocks = calibrated.blocks();
    let answer = Answer::new(Message::new("calibrate-title"), calibrated, blocks);
    answers::print("calibrate", &answer, args.format, printer)
}

fn from_file(args: &Args, path: &Path) -> Result<Start> {
    let study_path = args.study.as_deref().unwrap_or(Path::new("-"));
    let file = StudyFile::read(study_path)?;
    let shown = visible_line(&path.display().to_string()).into_owned();
    let bytes = input_file::read("points", path, points::TEXT_BYTES_MAX)?;
    let points = points::parse(&shown, &bytes).map_err(|error| {
        let count = error.problems.len();
        let noun = if count == 1 { "mistake" } else { "mistakes" };
        Failure::list(format!("`{shown}` has {count} {noun}:\n{error}"))
    })?;
    let source = path.file_name().unwrap_or(path.as_os_str());
    let mut start = Start {
        study: file.study,
        study_name: file.name,
        study_path: Some(study_path.to_owned()),
        points,
        source: source.to_string_lossy().into_owned(),
        run: None,
        spreads: Vec::new(),
        left_out: Vec::new(),
        facts: None,
        unnamed: None,
        known: None,
    };
    start.name_device(args);
    Ok(start)
}

fn from_run(args: &Args, run: &Run) -> Result<Start> {
    let id = run.summary.id;
    let found = RunPoints::new(&run.cells, &run.samples, asked(run).repeat.steady_state);
    if found.points.is_empty() {
        let mut failure = Failure::new(format!("run {id} has no cell that can be used as a point"));
        if let Some(first) = found.left_out.first() {
            failure = failure.hint(format!("for instance {}", first.in_english()));
        }
        return Err(failure);
    }
    let facts = run.facts.last().map(|record| record.facts.clone());
    let (mut study, study_name) = match &args.study {
        Some(path) => {
            let file = StudyFile::read(path)?;
            (file.study, file.name)
        }
        None => (study_of_run(run), run.summary.study_name.clone()),
    };
    study.kernel = study.kernel.or_else(|| kernel_of_run(run, facts.as_ref()));
    let mut start = Start {
        study,
        study_name,
        study_path: args.study.clone(),
        points: found.points,
        source: match run.summary.origin.is(WorldName::Model) {
            true => format!("run {id} of the model"),
            false => format!("run {id}"),
        },
        run: Some(id),
        spreads: found.spreads,
        left_out: found.left_out,
        facts: facts.filter(|_| run.summary.origin.is(WorldName::Metal)),
        unnamed: None,
        known: lab_profiles(run),
    };
    if start.known.is_some() {
        start.study.host.get_or_insert_with(|| HOST_LAB.to_owned());
    }
    start.name_device(args);
    Ok(start)
}

/// Returns the study of a run; imported results come without one.
fn study_of_run(run: &Run) -> Study {
    let mut traces = StoredTraces::of(&run.cells);
    let parsed = parse_with(&run.summary.study_name, &run.study_text, &mut traces).ok();
    let (kernel, host) = parsed.map_or((None, None), |study| (study.kernel, study.host));
    Study {
        question: run.summary.question.clone(),
        kernel,
        host,
        cores: None,
        may_destroy: BTreeMap::new(),
        cells: run.cells.clone(),
        repeat: Repeat::default(),
        compare: Compare::default(),
        hosts: Vec::new(),
        lost_hosts: Default::default(),
        lifetime: None,
    }
}

/// Returns the profiles of the disks of a run in the lab.
fn lab_profiles(run: &Run) -> Option<Texts> {
    Some(run.world.as_ref()?.guest()?.profiles.clone())
}

/// Returns the kernel under which a run was measured, or whose rules it followed.
fn kernel_of_run(run: &Run, facts: Option<&Facts>) -> Option<KernelVersion> {
    let model = run.world.as_ref().and_then(WorldSpec::model);
    match model {
        Some(model) => Some(model.kernel),
        None => facts?.kernel_version(),
    }
}

impl Start {
    fn name_device(&mut self, args: &Args) {
        let name = args.name.as_deref().unwrap_or(NAME);
        let is_named = points_of_run::name_devices(&mut self.study, name, self.facts.as_ref());
        self.unnamed = is_named.then(|| name.to_owned());
    }
}

/// Measures the disk under `target` and returns the run.
fn measure(args: &Args, target: &Path, printer: &mut Printer) -> Result<Run> {
    // Check before measuring for two minutes what the profile is made like, and that it can be written.
    let name = args.name.as_deref().unwrap_or(NAME);
    if let Some(like) = &args.like {
        places(args.profiles.as_deref(), None)?.locate(ProfileKind::Device, like)?;
    }
    ProfileFile::new("device", name, &args.out, args.replace)?.make_folder()?;
    let target = std::path::absolute(target).map_err(|error| {
        Failure::from(error).context(format!("failed to use `--target {}`", target.display()))
    })?;
    let mut world = FilesWorld::open(&target)?;
    let study = parse(STUDY_NAME, STUDY).map_err(|error| Failure::study(STUDY_NAME, error))?;
    let file = StudyFile {
        name: STUDY_NAME.to_owned(),
        text: STUDY.to_owned(),
        study,
        path: None,
        job_notes: None,
        traces: None,
    };
    let settings = Settings {
        budget_ns: args.budget,
        ..Settings::default()
    };
    let how = RunOptions::new(args.seed, &args.store);
    let mut ready = begin(
        file,
        (&WorldSpec::Files { target }, &settings),
        &mut world,
        how,
    )?;
    let outcome = ready.execute(printer)?;
    let stored = ready.store.run(ready.id)?;
    ready
        .check_answered(&stored, outcome, printer)
        .map_err(|failure| failure.context(format!("run {}", stored.summary.id)))?;
    Ok(stored)
}

/// Fits the host profile of a lab, whose disks are known.
fn fit_host(args: &Args, start: &Start, known: &Texts, printer: &Printer) -> Result<Calibration> {
    if measured_devices(&start.study, &start.points).0.is_empty() {
        return Err(Failure::new("no profile can be made from these points")
            .hint("in the lab, points on a single disk make the host profile: add a stack without an array"));
    }
    let name = start.study.host.as_deref().unwrap_or(HOST_LAB);
    ProfileFile::new("host", name, &args.out, args.replace)?;
    let default = Study {
        host: Some(HOST_DEFAULT.to_owned()),
        cells: Vec::new(),
        ..start.study.clone()
    };
    let hosts = Places::default().read(&default, Some(HOST_DEFAULT))?;
    let host = hosts.parse()?.hosts.remove(HOST_DEFAULT);
    let mut host = host.ok_or_else(|| Failure::new("there is no host profile `default`"))?;
    host.cpu.cores = stripewise_lab::machine::CORES;
    let mut fitting = Fitting::new(printer);
    let made = stripewise_calibrate::calibrate_host(
        &Input {
            study: &start.study,
            points: &start.points,
            source: &start.source,
            devices: &known.parse()?.devices,
            host: &host,
            seed: args.seed.unwrap_or(SEED),
        },
        &mut |progress| fitting.show(progress),
    );
    fitting.finish();
    made.map_err(|error| refused(start, error))
}

/// Fits the simulated disk or flash of profile `name`.
fn fit_like(args: &Args, start: &Start, name: &str, printer: &Printer) -> Result<Calibration> {
    if start.known.is_some() {
        return Err(
            Failure::new("`--like` has no effect: the disks of the lab are known")
                .hint("leave it out"),
        );
    }
    let (alone, others) = measured_devices(&start.study, &start.points);
    if alone.is_empty() {
        return Err(
            Failure::new("no profile can be made from these points").hint(
                "`--like` needs a point on one device alone (no `fsync`, and in one direction)",
            ),
        );
    }
    for device in alone {
        ProfileFile::new("device", device, &args.out, args.replace)?;
    }
    let places = places(args.profiles.as_deref(), start.study_path.as_deref())?;
    let (_, found) = places.locate(ProfileKind::Device, name)?;
    let mut like = found.device(name)?;
    if let Some(disk) = start.facts.as_ref().and_then(points_of_run::disk) {
        points_of_run::describe(&mut like, disk);
        if let Model::Disk(disk) = &mut like.model {
            disk.capacity_bytes = like.capacity_bytes;
        }
    }
    let mut fitting = Fitting::new(printer);
    let made = stripewise_calibrate::calibrate_like(
        &Input {
            study: &start.study,
            points: &start.points,
            source: &start.source,
            devices: &known_devices(args, start, &others)?,
            host: &base_host(args, start)?,
            seed: args.seed.unwrap_or(SEED),
        },
        &like,
        &mut |progress| fitting.show(progress),
    );
    fitting.finish();
    made.map_err(|error| refused(start, error))
}

/// Fits the profiles.
fn fit(args: &Args, start: &Start, printer: &Printer) -> Result<Calibration> {
    if let Some(name) = &args.like {
        return fit_like(args, start, name, printer);
    }
    if let Some(known) = &start.known {
        return fit_host(args, start, known, printer);
    }
    let (alone, others) = measured_devices(&start.study, &start.points);
    let has_array_points = has_array_points(&start.study, &start.points);
    if alone.is_empty() && !has_array_points {
        return Err(Failure::new("no profile can be made from these points").hint(
            "a device profile needs a point on one device alone (no `fsync`, and in one direction), a host profile one on an array",
        ));
    }
    let mut names: BTreeSet<(&'static str, &str)> =
        alone.iter().map(|name| ("device", *name)).collect();
    let mut study = start.study.clone();
    // Never `default`: without a device's own host at hand, the shipped one would be taken for it.
    let named = alone.first().map(|device| format!("{device}-host"));
    study
        .host
        .get_or_insert_with(|| named.unwrap_or_else(|| "calibrated".to_owned()));
    if has_array_points {
        names.extend(study.host.as_deref().map(|name| ("host", name)));
    }
    for (kind, name) in names {
        ProfileFile::new(kind, name, &args.out, args.replace)?;
    }
    let known = known_devices(args, start, &others)?;
    let host = base_host(args, start)?;
    let mut fitting = Fitting::new(printer);
    let made = stripewise_calibrate::calibrate(
        &Input {
            study: &study,
            points: &start.points,
            source: &start.source,
            devices: &known,
            host: &host,
            seed: args.seed.unwrap_or(SEED),
        },
        &mut |progress| fitting.show(progress),
    );
    fitting.finish();
    made.map_err(|error| refused(start, error))
}

/// Adds the source of the points to an error.
fn refused(start: &Start, error: CalibrateError) -> Failure {
    let hint = match &error {
        CalibrateError::NoDevices { .. } | CalibrateError::UnknownStack { .. } => {
            Some("the stack of each point must be the name of a stack in the study".to_owned())
        }
        CalibrateError::Setup { source, .. } => source.hint().map(str::to_owned),
        CalibrateError::NotSimulated { .. } => Some(
            "use `--like hdd-7200`, `hdd-5400` or `flash-sata`, or a profile of your own"
                .to_owned(),
        ),
        CalibrateError::OtherKind { .. } => {
            Some("check the stack of the points, or use another profile".to_owned())
        }
        _ => None,
    };
    let failure = Failure::from(error).context(match start.run {
        Some(id) => format!("failed to calibrate from run {id} (its cells count as lines)"),
        None => format!("failed to calibrate from `{}`", start.source),
    });
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Returns the profiles of devices that no point measures alone.
fn known_devices(
    args: &Args,
    start: &Start,
    names: &BTreeSet<&str>,
) -> Result<BTreeMap<String, DeviceProfile>> {
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut wanted = start.study.clone();
    for cell in &mut wanted.cells {
        let groups = &mut cell.stack.devices;
        groups.retain(|group| names.contains(group.profile.as_str()));
    }
    let places = places(args.profiles.as_deref(), start.study_path.as_deref())?;
    let texts = places.read(&wanted, Some(HOST_DEFAULT)).map_err(|error| {
        let names: Vec<&str> = names.iter().copied().collect();
        Failure::from(error).context(format!(
            "no point measures `{}` alone, and its profile cannot be used",
            names.join("`, `")
        ))
    })?;
    Ok(texts.parse()?.devices)
}

/// Returns the host profile for everything that the points do not show.
///
/// With points on arrays to fit it to, it is the shipped default: any other would have been fitted to
/// such points itself.
fn base_host(args: &Args, start: &Start) -> Result<HostProfile> {
    let mut none = start.study.clone();
    none.cells.clear();
    let places = places(args.profiles.as_deref(), start.study_path.as_deref())?;
    let named = start.study.host.as_deref().unwrap_or(HOST_DEFAULT);
    let is_fitted = args.like.is_none() && has_array_points(&start.study, &start.points);
    let (places, name) = match is_fitted {
        true => (Places::default(), HOST_DEFAULT),
        false => (places, named),
    };
    let mut profiles = places.read(&none, Some(name))?.parse()?;
    let host = profiles.hosts.remove(name);
    host.ok_or_else(|| Failure::new(format!("there is no host profile `{name}`")))
}

/// Writes the profiles, devices first.
fn write(args: &Args, made: &Calibration) -> Result<Vec<WrittenProfile>> {
    let mut files = Vec::new();
    for (name, profile) in &made.devices {
        let file = ProfileFile::new("device", name, &args.out, args.replace)?;
        files.push((file, device_to_toml(profile).map_err(unwritable)?));
    }
    let has_adapter = made.report.adapters.iter().any(|one| one.is_certain);
    if !made.report.host_parameters.is_empty() || has_adapter || made.is_bounded {
        let file = ProfileFile::new("host", &made.host.name, &args.out, args.replace)?;
        files.push((file, host_to_toml(&made.host).map_err(unwritable)?));
    }
    let complete = files
        .iter()
        .map(|(file, text)| file.complete(&format!("{}{text}", head())));
    name_all(complete.collect::<Result<_>>()?)?;
    let written = files.into_iter().map(|(file, _)| WrittenProfile {
        kind: file.kind,
        path: file.path.display().to_string(),
        name: file.name,
    });
    Ok(written.collect())
}

fn unwritable(error: ProfileWriteError) -> Failure {
    Failure::new(error)
}

/// Returns the measurement of one device that would tell most about the arrays of the study, or about
/// arrays of this disk if the study has none.
fn useful_measurement(
    args: &Args,
    start: &Start,
    made: &Calibration,
) -> Option<(NextMeasurement, Message)> {
    let has_array = |cell: &Cell| cell.stack.array.is_some();
    let own = start.study.cells.iter().any(has_array);
    let (question, cells) = match own {
        true => ("study", start.study.cells.clone()),
        false => {
            let mut study = parse("arrays-of-this-disk", ARRAYS).ok()?;
            let name = args.name.as_deref().unwrap_or(NAME);
            let groups = study
                .cells
                .iter_mut()
                .flat_map(|cell| &mut cell.stack.devices);
            groups.for_each(|group| name.clone_into(&mut group.profile));
            ("arrays", study.cells)
        }
    };
    let device = |name: &str| made.devices.get(name);
    let (next, cells) = next_measurement(&cells, device)?;
    let block = Bytes::new(next.block_size_bytes);
    let words = Message::new("calibrate-next-measurement")
        .name("question", question)
        .name("load", format!("{} {block}", next.pattern))
        .digits("depth", next.depth)
        .name("profile", &next.profile)
        .count("cells", cells);
    Some((next, words))
}

/// Returns a command that uses the new profiles.
fn next(args: &Args, start: &Start, files: &[WrittenProfile]) -> String {
    let device = files.iter().find(|file| file.kind == "device");
    let mut others = start
        .study
        .cells
        .iter()
        .flat_map(|cell| &cell.stack.devices);
    let device = device
        .map(|file| file.name.as_str())
        .or_else(|| others.next().map(|group| group.profile.as_str()))
        .unwrap_or(NAME);
    let host = files.iter().find(|file| file.kind == "host");
    let host = host.filter(|file| file.name != HOST_DEFAULT);
    let host = host.map_or(String::new(), |file| format!(" --host {}", file.name));
    format!(
        "stripewise predict --profiles {} --device {device}{host} --array raid10:4:64K --workload randread:64K",
        args.out.display()
    )
}
