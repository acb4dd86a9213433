//! `stripewise characterize`: what a trace of block I/O is like, and the workload that comes closest.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use stripewise_catalogue::Message;
use stripewise_diagnose::fidelity::Fidelity;
use stripewise_fio::JobFile;
use stripewise_report::strip_control;
use stripewise_report::trace::{page, trace};
use stripewise_sim::drawn::{dealt, drawn, drawn_at_rates, drawn_beside, not_durable};
use stripewise_study::cell::Cell;
use stripewise_study::format::parse;
use stripewise_study::plan::Study;
use stripewise_study::sample::as_f64;
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::workload::Workload;
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};
use stripewise_trace::event::{Action, Event, TracedIo};
use stripewise_trace::fit::{Fitted, fit};
use stripewise_trace::locality::Locality;
use stripewise_trace::phases::Phase;
use stripewise_trace::profile::{Profile, StreamId};
use stripewise_trace::study_text::study_text;
use stripewise_trace::summary::Summary;
use stripewise_trace::survey::{DeviceTotals, Plan, Survey};
use stripewise_trace::{FormatName, Options, ReadError, Reader};

use super::measure::parse_time;
use crate::capture::capture;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::model::{AskedKernel, ModelArgs, SEED_DEFAULT};
use crate::output_file;
use crate::printer::{Printer, ProgressLine};
use crate::progress::Simulating;
use crate::question::ArrayWord;
use crate::stop::Stop;
use crate::trace_file::MOVED_BYTES;

/// How many I/Os of each phase are replayed in the model.
const REPLAYED_MAX: usize = 100_000;
/// The most places that are followed to compare what a cache would serve.
const CACHE_PLACES_MAX: usize = 1 << 16;
/// The most I/Os of a load that are drawn for that.
const DRAWN_MAX: usize = 2 * REPLAYED_MAX;
/// How many of the I/Os beside a load can be under way before one that is due waits.
const BESIDE_LISTS: usize = 64;
/// How long each workload of a fio job runs.
const FIO_JOB_TIME: Nanos = Nanos::from_millis(60_000);
/// After how many events the progress is looked at.
const LOOK_EVERY: u64 = 1 << 16;
/// Shorter work shows no progress.
const MOMENT: Duration = Duration::from_secs(1);

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  What a database asked of its disk, as a study:
    blktrace -d /dev/sdb -w 60 -o - > db.blktrace
    stripewise characterize --from db.blktrace --study db.toml
    stripewise run db.toml --world model

  Without blktrace, from the kernel's own tracepoints:
    perf record -a -e block:block_rq_issue -e block:block_rq_complete \\
        -- sleep 60
    perf script | stripewise characterize --from -

  What a disk does in the next minute, kept to replay it:
    sudo stripewise characterize --device sdb --for 60s --trace db.trace
    stripewise predict --device sata-ssd --array raid5:4 --trace db.trace

  A summary that can be passed on:
    stripewise characterize --from db.blktrace --summary db.json
";

/// Find the workload behind a trace of block I/O
///
/// Reads what blktrace and blkparse write, block tracepoints as ftrace, `trace-cmd report` and `perf
/// script` print them, fio's iologs, and the published traces that docs/traces.md lists; packed with
/// gzip or Zstandard, too. The format is found from how the trace begins. Memory does not grow with
/// the trace, which is read twice; standard input is kept in an unnamed temporary file.
///
/// Shows what each group of processes does: sizes, sequential or random, how many I/Os are under way,
/// how places are used, and what a cache would have served. A load that changes is cut into phases.
/// For each phase it fits the smallest workload that a study can state, says what that loses, and
/// simulates both on one device to show how much they differ.
///
/// What cannot be read, or is lost or out of order, is counted and left out.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The trace; `-` is standard input
    ///
    /// Several files are one trace, such as the file of each CPU that blktrace writes.
    #[arg(long, value_name = "FILE", required_unless_present = "capture", num_args = 1..)]
    from: Vec<PathBuf>,

    /// Capture the I/O of `--device` for this time, instead of reading a trace
    ///
    /// The kernel's tracepoints record it, in a tracing instance that is removed afterwards. This
    /// needs root. The records stay in memory, at most 1 GiB of them.
    #[arg(
        long = "for",
        id = "capture",
        value_name = "TIME",
        value_parser = parse_time,
        requires = "device",
        conflicts_with_all = ["from", "format", "size"]
    )]
    capture: Option<Nanos>,

    /// Keep the captured records in this file, to read them again with `--from` or to replay them
    ///
    /// It is written when the capture has ended, in the format of ftrace, with the names of processes.
    #[arg(long, value_name = "FILE", requires = "capture")]
    trace: Option<PathBuf>,

    /// The format of the trace [default: found from how it begins]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<FormatName>,

    /// The device, as the trace names it, such as `8,16` [default: the one with most I/Os]; with `--for`, such as `sda`
    #[arg(long, value_name = "NAME")]
    device: Option<String>,

    /// The size of the device; I/Os beyond it are counted and left out [default: unknown]
    #[arg(long, value_name = "SIZE", value_parser = Bytes::parse)]
    size: Option<Bytes>,

    /// The device profile of the study, on which trace and workload are compared; `stripewise profiles` lists them
    #[arg(long, value_name = "PROFILE", default_value = "nvme-ssd")]
    on: String,

    /// The array of such devices in the study: `LEVEL[:LAYOUT]:DEVICES[:CHUNK]`, such as `raid5:4:64K` [default: one device]
    ///
    /// Trace and workload are compared on it, and what each member reads and writes. A trace of a
    /// single device can be put on an array that is large enough.
    #[arg(long, value_name = "ARRAY")]
    array: Option<ArrayWord>,

    /// Write the workloads as a study into this file
    #[arg(long, value_name = "FILE")]
    study: Option<PathBuf>,

    /// Write the workloads as a job file of fio, a minute each
    #[arg(long, value_name = "FILE")]
    fio_job: Option<PathBuf>,

    /// Write the description as JSON into this file, without names of processes and of the device
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Write the description as one HTML file; `-` is standard output
    ///
    /// An earlier page is replaced. Any other existing file is an error and stays as it is.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    page: Option<PathBuf>,

    /// Search DIR for profiles first: DIR/devices/NAME.toml, DIR/hosts/NAME.toml, DIR/NAME.toml
    #[arg(long, value_name = "DIR")]
    profiles: Option<PathBuf>,

    /// The kernel whose rules the model follows [default: this machine's]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    kernel: Option<AskedKernel>,

    /// Seed of the simulation; the same seed gives the same answer, bit for bit
    #[arg(long, value_name = "N", default_value_t = SEED_DEFAULT)]
    seed: u64,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Returns a parser of the names of formats.
fn format_parser() -> impl TypedValueParser<Value = FormatName> {
    PossibleValuesParser::new(FormatName::ALL.map(FormatName::as_str))
        .try_map(|name| FormatName::parse(&name).ok_or("an unknown format"))
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let alone = ArrayWord::none();
    let array = args.array.as_ref().unwrap_or(&alone);
    let stack = array.stack(&args.on, None, None)?;
    let mut input = match args.capture {
        Some(length) => Input::capture(args, length, printer)?,
        None => Input::open(args)?,
    };
    let mut survey = Survey::default();
    let reader = input.pass(printer, |event, names| survey.add(event, names))?;
    let devices = survey.devices(reader.names());
    // A capture has only the one device, under its number.
    let named = args.device.as_deref().filter(|_| args.capture.is_none());
    let device = chosen(&devices, named, &reader)?;
    let plan = survey
        .plan(device.device)
        .ok_or_else(|| Failure::new("the device has no I/O"))?;
    let mut heads = Heads::new(&plan);
    let mut profile = Profile::new(plan);
    let reader = input.pass(printer, |event, names| {
        heads.add(event, profile.add(event, names));
    })?;
    let fitted = fit(&profile);
    if fitted.is_empty() {
        return Err(Failure::new("the trace has no reads or writes"));
    }
    let others = (devices.len() as u64).saturating_sub(1);
    let summary = Summary::new(
        reader.format().as_str(),
        &device.name,
        others,
        &profile,
        &fitted,
        reader.skipped(),
    );
    let text = study_text(&fitted, &stack);
    let fidelities = compare(args, &text, &fitted, (&heads, &profile.plan), printer)?;
    if let Some(path) = &args.study {
        write(path, text.as_bytes(), "trace-written-study", printer)?;
    }
    if let Some(path) = &args.fio_job {
        let text = fio_job(&fitted)?;
        write(path, text.as_bytes(), "trace-written-fio-job", printer)?;
    }
    if let Some(path) = &args.summary {
        let document = serde_json::to_string(&summary.clone().without_names())? + "\n";
        write(path, document.as_bytes(), "trace-written-summary", printer)?;
    }
    if let Some(path) = &args.page {
        let language = printer.language().unwrap_or_default();
        super::report::write(path, &page(&summary, &fidelities, language), printer)?;
        return Ok(Exit::Done);
    }
    match args.json {
        true => printer.json(&serde_json::json!({ "trace": summary, "fit": fidelities }))?,
        false => printer.data(&trace(&summary, &fidelities, printer.view()))?,
    }
    Ok(Exit::Done)
}

/// Returns the workloads as a job file of fio.
fn fio_job(fitted: &[Fitted]) -> Result<String> {
    let workloads: Vec<(&str, &Workload)> = fitted
        .iter()
        .map(|one| {
            (
                one.workload.name.as_deref().unwrap_or("load"),
                &one.workload,
            )
        })
        .collect();
    JobFile::to_share(&workloads, FIO_JOB_TIME)
        .map_err(|error| Failure::new(format!("the workload is no job of fio: {error}")))
}

fn write(path: &Path, content: &[u8], what: &'static str, printer: &mut Printer) -> Result<()> {
    output_file::replace(path, content, |_| true)?;
    say_written(what, path, printer);
    Ok(())
}

fn say_written(what: &'static str, path: &Path, printer: &mut Printer) {
    let message = Message::new("trace-written").with("what", Message::new(what));
    printer.remark(&message.name("path", path.display()));
}

/// Returns the device that is described.
fn chosen<R: io::Read>(
    devices: &[DeviceTotals],
    name: Option<&str>,
    reader: &Reader<R>,
) -> Result<DeviceTotals> {
    let found = match name {
        None => devices.first(),
        Some(name) => devices.iter().find(|device| device.name == name),
    };
    if let Some(found) = found {
        return Ok(found.clone());
    }
    if devices.is_empty() {
        let skipped: Vec<String> = reader
            .skipped()
            .iter()
            .map(|(why, count)| format!("{count} {}", why.key()))
            .collect();
        let skipped = match skipped.is_empty() {
            true => String::new(),
            false => format!("; left out: {}", skipped.join(", ")),
        };
        return Err(Failure::new(format!("the trace has no I/O{skipped}")));
    }
    let known: Vec<String> = devices
        .iter()
        .take(10)
        .map(|device| strip_control(&device.name))
        .collect();
    Err(Failure::new(format!(
        "the trace has no device `{}`",
        name.unwrap_or_default()
    ))
    .hint(format!("its devices are {}", known.join(", "))))
}

/// A trace that can be read more than once.
struct Input {
    files: Vec<File>,
    name: String,
    bytes: u64,
    options: Options,
}

impl Input {
    fn capture(args: &Args, length: Nanos, printer: &mut Printer) -> Result<Self> {
        let name = args.device.clone().unwrap_or_default();
        let captured = capture(&name, length, printer)?;
        if let Some(path) = &args.trace {
            let copy = |mut file: &File| {
                (&captured.file).rewind()?;
                io::copy(&mut &captured.file, &mut file).map(drop)
            };
            output_file::write(path, copy, |_| true)?;
            say_written("trace-written-trace", path, printer);
        }
        Ok(Self {
            bytes: captured.file.metadata()?.len(),
            files: vec![captured.file],
            name,
            options: Options {
                format: Some(FormatName::Ftrace),
                device: None,
                device_bytes: captured.device_bytes,
            },
        })
    }

    fn open(args: &Args) -> Result<Self> {
        let names = args.from.iter().map(|path| match path == Path::new("-") {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        });
        let mut input = Self {
            files: Vec::new(),
            name: names.collect::<Vec<_>>().join("`, `"),
            bytes: 0,
            options: Options {
                format: args.format,
                device: None,
                device_bytes: args.size.map(Bytes::as_u64),
            },
        };
        for path in &args.from {
            let file = open(path).map_err(|why| {
                Failure::new(format!(
                    "failed to read the trace `{}`: {why}",
                    path.display()
                ))
            })?;
            input.bytes = input.bytes.saturating_add(file.metadata()?.len());
            input.files.push(file);
        }
        Ok(input)
    }

    /// Reads the whole trace once, and returns its reader at the end.
    fn pass(
        &mut self,
        printer: &Printer,
        mut each: impl FnMut(&Event, &stripewise_trace::Names),
    ) -> Result<Reader<File>> {
        let mut files = Vec::new();
        for file in &mut self.files {
            file.rewind()?;
            files.push(file.try_clone()?);
        }
        let mut reader =
            Reader::merge(files, self.options.clone()).map_err(|error| self.failure(&error))?;
        let stop = Stop::listen()?;
        let reading = printer.view().say(&Message::new("progress-reading-trace"));
        let line = ProgressLine::hidden(format!("{{bar:24}} {reading}  {{eta}}"), Some(self.bytes));
        let (began, mut events, mut is_shown) = (Instant::now(), 0_u64, false);
        while let Some(event) = reader.next_event().map_err(|error| self.failure(&error))? {
            each(&event, reader.names());
            events += 1;
            if events.is_multiple_of(LOOK_EVERY) {
                if stop.is_asked() {
                    return Err(Failure::new("interrupted"));
                }
                if !is_shown && began.elapsed() > MOMENT {
                    is_shown = true;
                    line.show(printer.progress_kind());
                }
                line.set_position(reader.bytes_read());
            }
        }
        line.finish();
        Ok(reader)
    }

    fn failure(&self, error: &ReadError) -> Failure {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
        let failure = Failure::new(format!(
            "`{}`: {error}{}",
            self.name,
            cause.unwrap_or_default()
        ));
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// Opens a file of a trace; standard input is copied to an unnamed temporary file.
fn open(path: &Path) -> std::result::Result<File, String> {
    let failed = |error: io::Error| error.to_string();
    if path == Path::new("-") {
        let mut file = tempfile::tempfile().map_err(failed)?;
        io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
        return Ok(file);
    }
    match unreadable_kind(path).map_err(failed)? {
        Some(kind) => Err(kind.to_owned()),
        None => File::open(path).map_err(failed),
    }
}

/// The first I/Os of each phase, and their streams.
struct Heads {
    of_phase: Vec<Vec<(TracedIo, StreamId)>>,
}

impl Heads {
    fn new(plan: &Plan) -> Self {
        Self {
            of_phase: vec![Vec::new(); plan.phases.len()],
        }
    }

    fn add(&mut self, event: &Event, stream: Option<StreamId>) {
        if let (Event::Begin(io), Some(stream)) = (event, stream)
            && (io.length_bytes > 0 || io.action == Action::Flush)
        {
            let head = &mut self.of_phase[stream.phase];
            if head.len() < REPLAYED_MAX {
                head.push((*io, stream));
            }
        }
    }

    /// Returns what is simulated of a phase and of its workload, and the end of it: at their times if
    /// all loads have a rate, and otherwise the load flat out and its neighbours at their times.
    fn with_workload(
        &self,
        phase: usize,
        fitted: &Fitted,
        cell: &Cell,
        seed: u64,
    ) -> Option<(Cell, Nanos, [Arc<Replay>; 2])> {
        let traced = replayed(&self.of_phase[phase], &fitted.phase);
        let end = traced
            .last()
            .and_then(|(io, _)| io.at_ns)
            .unwrap_or_default();
        let mut cell = cell.clone();
        keep_pace(&mut cell, fitted, &traced, end);
        let ios: Vec<ReplayedIo> = traced.iter().map(|(io, _)| *io).collect();
        let (mut main, mut beside) = (Vec::new(), Vec::new());
        for (io, stream) in &traced {
            match fitted.streams[0].contains(stream) {
                true => main.push(ReplayedIo { at_ns: None, ..*io }),
                false => beside.push(*io),
            }
        }
        let count = |ios: &[ReplayedIo]| ios.iter().filter(|io| !io.flushes()).count();
        let replay = |jobs: Vec<Vec<ReplayedIo>>| Replay {
            jobs,
            ..Replay::default()
        };
        let load = &cell.workload.load;
        let both = if let Some(workload) = drawn_at_rates(&cell, seed, DRAWN_MAX, end) {
            [replay(vec![not_durable(&ios)]), workload]
        } else if cell.workload.neighbours.is_empty() {
            let trace = replay(dealt(&flat_out(&ios), index(load.jobs)));
            cell.workload.load.rate_iops = None;
            cell.workload.load.think_time_ns = Nanos::default();
            let workload = drawn(&cell, seed, count(&ios));
            [trace, workload]
        } else {
            let workload = drawn_beside(&cell, seed, count(&main), end)?;
            let mut lists = dealt(&main, index(load.jobs) * index(load.depth));
            lists.extend(dealt(&not_durable(&beside), BESIDE_LISTS));
            [replay(lists), workload]
        };
        Some((cell, end, both.map(Arc::new)))
    }
}

/// Makes the loads with pauses begin as many I/Os until `end` as the trace did: its pauses and its
/// latencies.
fn keep_pace(cell: &mut Cell, fitted: &Fitted, traced: &[(ReplayedIo, StreamId)], end: Nanos) {
    let workload = &mut cell.workload;
    let neighbours = workload.neighbours.iter_mut();
    let neighbours = neighbours.map(|neighbour| &mut neighbour.load);
    let loads = std::iter::once(&mut workload.load).chain(neighbours);
    for (load, own) in loads.zip(&fitted.streams) {
        if load.think_time_ns == Nanos::default() {
            continue;
        }
        let is_own = |(io, stream): &&(ReplayedIo, StreamId)| !io.flushes() && own.contains(stream);
        let ios = traced.iter().filter(is_own).count() as u64;
        let blocks = load
            .think_blocks
            .map_or(1, |blocks| u64::from(blocks.get()));
        let at_once = u128::from(blocks) * u128::from(load.jobs);
        let every = u128::from(end.as_u64()) * at_once / u128::from(ios.max(1));
        load.think_time_ns = Nanos::new(u64::try_from(every).unwrap_or(u64::MAX).max(1));
    }
}

/// Returns the first I/Os of a phase at their times in it, in whole sectors from the lowest place on.
fn replayed(head: &[(TracedIo, StreamId)], times: &Phase) -> Vec<(ReplayedIo, StreamId)> {
    let with_data = head.iter().filter(|(io, _)| io.length_bytes > 0);
    let low = with_data.map(|(io, _)| io.offset_bytes).min();
    let low = low.unwrap_or(0) / MOVED_BYTES * MOVED_BYTES;
    let mut all = Vec::new();
    for (io, stream) in head {
        let at = times.time_in(io.at);
        if io.action == Action::Flush || io.marks.flushes_first {
            all.push((ReplayedIo::flush().at(at), *stream));
        }
        let action = match io.action {
            Action::Read => ReplayedAction::Read,
            Action::Write if io.marks.is_fua => ReplayedAction::DurableWrite,
            Action::Write => ReplayedAction::Write,
            Action::Flush | Action::Discard => continue,
        };
        let offset = Bytes::new((io.offset_bytes - low) / 512 * 512);
        let length = Bytes::new(io.length_bytes.next_multiple_of(512));
        all.push((ReplayedIo::new(action, offset, length).at(at), *stream));
    }
    all
}

/// Returns the same I/Os without times.
fn flat_out(ios: &[ReplayedIo]) -> Vec<ReplayedIo> {
    let without = |io: &ReplayedIo| ReplayedIo { at_ns: None, ..*io };
    ios.iter().map(without).collect()
}

fn index(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Returns the shares of both that an LRU cache would serve that holds a quarter of the trace's
/// places.
fn cache_shares(trace: &Replay, workload: &Replay) -> (Option<f64>, Option<f64>) {
    let [trace, workload] = [trace, workload].map(|replay| {
        // Jobs begin and end together.
        let jobs = replay.jobs.iter().flat_map(|job| {
            let length = as_f64(job.len() as u64);
            let parts = (0_u64..).map(move |number| (as_f64(number) + 0.5) / length);
            parts.zip(job)
        });
        let mut ios: Vec<(f64, &ReplayedIo)> = jobs.collect();
        ios.sort_by(|(one, _), (two, _)| one.total_cmp(two));
        let mut uses = Locality::new(4096, CACHE_PLACES_MAX);
        for (_, io) in ios.iter().filter(|(_, io)| !io.flushes()) {
            uses.touch(io.offset_bytes.as_u64(), io.length_bytes.as_u64());
        }
        uses
    });
    let cache = trace.places() * trace.unit_bytes() / 4;
    let share = |uses: &Locality| Some(uses.hit_ratio(cache));
    (share(&trace), share(&workload))
}

/// Simulates each phase of the trace and its workload; nothing for one that cannot be compared, with
/// a remark that says why.
fn compare(
    args: &Args,
    text: &str,
    fitted: &[Fitted],
    (heads, plan): (&Heads, &Plan),
    printer: &mut Printer,
) -> Result<Vec<Option<Fidelity>>> {
    const NAME: &str = "the fitted study";
    let study: Study = parse(NAME, text).map_err(|error| Failure::study(NAME, error))?;
    let model = ModelArgs {
        profiles: args.profiles.clone(),
        kernel: args.kernel.clone(),
    }
    .find(&study, None)?
    .world()?;
    let mut progress = Simulating::new(fitted.len(), printer)?;
    let (mut fidelities, mut not_compared) = (Vec::new(), Vec::new());
    for (number, one) in fitted.iter().enumerate() {
        let name = &one.workload.name;
        let cell = study.cells.iter().find(|cell| cell.workload.name == *name);
        let phase = plan.phases.iter().position(|phase| *phase == one.phase);
        let replays = cell
            .zip(phase)
            .and_then(|(cell, phase)| heads.with_workload(phase, one, cell, args.seed));
        let Some((cell, end, [trace, workload])) = replays else {
            fidelities.push(None);
            continue;
        };
        match Fidelity::new(
            &model,
            &cell,
            (&trace, &workload),
            end,
            args.seed,
            &mut progress,
        ) {
            Ok(mut fidelity) => {
                let shares = cache_shares(&trace, &workload);
                (fidelity.trace.cache_share, fidelity.workload.cache_share) = shares;
                fidelities.push(Some(fidelity));
            }
            Err(stripewise_sim::world::ModelError::Interrupted) => {
                return Err(Failure::new("interrupted"));
            }
            Err(error) => {
                let message = Message::new("trace-not-compared");
                not_compared.push(message.name("reason", strip_control(&error.to_string())));
                fidelities.push(None);
            }
        }
        progress.part_done(fitted.len() - number - 1);
    }
    drop(progress);
    for message in &not_compared {
        printer.remark(message);
    }
    Ok(fidelities)
}
