//! `stripewise characterize`: what a trace of block I/O is like, and the workload that comes closest.

mod comparison;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Parser as _};
use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_diagnose::fidelity::Heads;
use stripewise_fio::JobFile;
use stripewise_format::parse;
use stripewise_format::question::StackQuestion;
use stripewise_metal::capture::capture;
use stripewise_report::trace::trace;
use stripewise_report::{html, strip_control};
use stripewise_study::workload::Workload;
use stripewise_study::world::Watch;
use stripewise_trace::event::Names;
use stripewise_trace::event_log::EventLog;
use stripewise_trace::fit::{Fitted, fit};
use stripewise_trace::profile::Profile;
use stripewise_trace::study_text::study_text;
use stripewise_trace::summary::{MADE_BY, Origin, SCHEMA, Summary};
use stripewise_trace::survey::{DeviceTotals, Plan, Survey, SurveyError};
use stripewise_trace::{FormatName, Missing, Options, ReadError, Skipped, WholeTrace};
use stripewise_units::{Bytes, Nanos};

use self::comparison::compare;
use super::measure::parse_time;
use crate::answers::{self, OutputFormatArgs};
use crate::array_word::ArrayWord;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::inputs;
use crate::model::SimulationArgs;
use crate::output_file::{Complete, Existing, OutputFile, Replaces, name_all};
use crate::printer::{Printer, ProgressKind, ProgressLine};
use crate::stop::Stop;

/// How long each workload of a fio job runs.
const FIO_JOB_TIME: Nanos = Nanos::from_millis(60_000);
/// Shorter work shows no progress.
const MOMENT: Duration = Duration::from_secs(1);

/// About as many bytes keep an I/O for the second look at it.
const IO_BYTES: usize = 20;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  What a database asked of its disk, as a study:
    blktrace -d /dev/sdb -w 60 -o - > db.blktrace
    stripewise characterize --from db.blktrace --study db.toml
    stripewise run db.toml --world model

  Without blktrace, from the kernel's own tracepoints:
    perf record -a -e block:block_bio_queue -e block:block_rq_issue \\
        -e block:block_rq_requeue -e block:block_rq_complete -- sleep 60
    perf script | stripewise characterize --from -

  What a disk does in the next minute, kept to replay it:
    sudo stripewise characterize --device sdb --for 60s --trace db.trace
    stripewise predict --device sata-ssd --array raid5:4 --trace db.trace

  A summary that can be passed on:
    stripewise characterize --from db.blktrace --summary db.json
";

/// Find the workload behind a trace of block I/O
///
/// Reads what blktrace and blkparse write, block tracepoints as ftrace, `trace-cmd report`, `perf script`
/// and `perf trace` print them, biosnoop, iosnoop, fio's iologs, and the published traces that docs/traces.md lists; packed with
/// gzip or Zstandard, too. The format is found from how the trace begins. Memory does not grow with
/// the trace, which is read once: its I/Os, about 16 bytes each, are kept in an unnamed temporary file.
///
/// Shows what each group of processes does: sizes, sequential or random, how many I/Os are under way,
/// how places are used, and what a cache would have served. A load that changes is cut into phases.
/// For each phase it fits the smallest workload that a study can state, says what that loses, and
/// simulates both on one device to show how much they differ.
///
/// What cannot be read, or is lost or out of order, is counted and left out. If that is more than what is
/// left, there is no description: the error says what is missing and how to record it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group(ArgGroup::new("output").args(["trace", "study", "fio_job", "summary", "page"]).multiple(true)))]
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
    /// It stays if another file cannot be written, as the same I/O cannot be captured again.
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
    /// An earlier page of this command is replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "output_format"])]
    page: Option<PathBuf>,

    /// Replace existing files, whatever they contain
    ///
    /// Without it, only an earlier summary or page is replaced, as only those say who wrote them. An
    /// input of this command is never replaced. If one of the files cannot be written, none is, and
    /// existing ones stay as they are; only the trace is kept.
    #[arg(long, requires = "output")]
    replace: bool,

    #[command(flatten)]
    simulation: SimulationArgs,

    #[command(flatten)]
    output_format: OutputFormatArgs,
}

/// Returns a parser of the names of formats.
fn format_parser() -> impl TypedValueParser<Value = FormatName> {
    PossibleValuesParser::new(FormatName::ALL.map(FormatName::as_str))
        .try_map(|name| FormatName::parse(&name).ok_or("an unknown format"))
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let found = described(args, printer)?;
    let answer = &found.answer;
    let page = args.page.as_ref();
    let html = page.map(|_| answers::html("characterize", answer, printer));
    args.write_files(&found, html.as_deref(), printer)?;
    match html {
        Some(html) => args.print_page(&html, printer).map(|()| Exit::Done),
        None => answers::print("characterize", answer, args.output_format.into(), printer),
    }
}

/// Returns what the command answers about a trace without options, for a page.
pub(super) fn answer_of(path: &Path, printer: &mut Printer) -> Result<Answer<serde_json::Value>> {
    #[derive(clap::Parser)]
    struct Alone {
        #[command(flatten)]
        args: Args,
    }
    let words = [
        OsStr::new("characterize"),
        OsStr::new("--from"),
        path.as_os_str(),
    ];
    let alone = Alone::try_parse_from(words).map_err(|error| Failure::new(error.to_string()))?;
    let answer = described(&alone.args, printer)?.answer;
    Ok(answer.about(Message::new("trace-page-file").name("path", path.display())))
}

/// What a trace is like, and the workload that comes closest.
struct Described {
    answer: Answer<serde_json::Value>,
    /// The workload as a study.
    study: String,
    fitted: Vec<Fitted>,
    summary: Summary,
}

/// Reads or captures a trace, and describes it.
fn described(args: &Args, printer: &mut Printer) -> Result<Described> {
    let alone = ArrayWord::none();
    let array = args.array.as_ref().unwrap_or(&alone);
    let stack = array.stack(std::slice::from_ref(&args.on), None, None, None)?;
    let model = &args.simulation;
    // Before a capture, which may take long and is gone afterwards.
    check_stack(model, &stack)?;
    let mut input = match args.capture {
        Some(length) => {
            args.check_files()?;
            Input::capture(args, length, printer)?
        }
        None => {
            let input = Input::open(args)?;
            args.check_files()?;
            input
        }
    };
    let (survey, log, read) = input.read(printer)?;
    let devices = survey.devices(&read.names);
    // A capture has only the one device, under its number.
    let named = args.device.as_deref().filter(|_| args.capture.is_none());
    let device = chosen(&devices, named, &read.skipped)?;
    let all = devices.iter().map(|device| device.ios).sum();
    if let Some(missing) = Missing::of(&read.skipped, device.device, device.ios, all) {
        return Err(input.incomplete(&missing));
    }
    let plan = survey
        .plan(device.device)
        .ok_or_else(|| Failure::new("the device has no I/O"))?;
    let (profile, heads) = profiled(plan, log, &read.names).map_err(unkept)?;
    let fitted = fit(&profile);
    if fitted.is_empty() {
        return Err(Failure::new("the trace has no reads or writes"));
    }
    let others = (devices.len() as u64).saturating_sub(1);
    let origin = Origin {
        format: read.format.as_str(),
        device: &device.name,
        other_devices: others,
        sections: read.facts.sections,
        skipped: &read.skipped,
    };
    let summary = Summary::new(origin, &profile, &fitted);
    let text = study_text(&fitted, &stack);
    // What was counted is in the summary; a simulation needs memory of its own.
    drop(read);
    let plan = profile.into_plan();
    let both = (&heads, &plan);
    let fidelities = compare(model, &text, &fitted, both, printer)?;
    let blocks = trace(&summary, &fidelities);
    let document = serde_json::json!({ "schema": stripewise_report::document::SCHEMA, "trace": summary, "fit": fidelities });
    Ok(Described {
        answer: Answer::new(Message::new("trace-page-title"), document, blocks),
        study: text,
        fitted,
        summary,
    })
}

/// Returns what the events of a log are like, with the first I/Os of each phase.
fn profiled(plan: Plan, log: EventLog, names: &Names) -> io::Result<(Profile, Heads)> {
    let mut heads = Heads::new(&plan);
    let mut profile = Profile::new(plan);
    log.again(&mut |event| heads.add(event, profile.add(event, names)))?;
    Ok((profile, heads))
}

/// The I/Os of a trace cannot be kept for the second look at them.
fn unkept(error: io::Error) -> Failure {
    let folder = std::env::temp_dir();
    let message = format!(
        "failed to keep the I/Os of the trace in `{}`",
        folder.display()
    );
    Failure::from(error).context(message).hint(format!(
        "set `TMPDIR` to a directory with room for {IO_BYTES} bytes for each I/O of the trace"
    ))
}

/// Refuses a stack that cannot be simulated.
fn check_stack(model: &SimulationArgs, stack: &StackQuestion) -> Result<()> {
    const NAME: &str = "the stack";
    const LOAD: &str = "[workload]\npattern = \"read\"\nblock_size = \"4K\"\nsize = \"1M\"\n";
    let study = parse(NAME, &(stack.section("stack") + LOAD));
    let study = study.map_err(|error| Failure::study(NAME, error))?;
    model.find(&study).map(drop)
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

/// The files that a description is written to.
impl Args {
    /// Returns a file that bears no mark: it is read, changed and run by others.
    fn unmarked_file<'a>(&self, path: &'a Path) -> OutputFile<'a> {
        OutputFile::new(path, Replaces::only_with(self.replace))
    }

    fn summary_file<'a>(&self, path: &'a Path) -> OutputFile<'a> {
        OutputFile::new(path, Replaces::marked_or(&is_summary, self.replace))
    }

    fn page_file<'a>(&self, path: &'a Path) -> OutputFile<'a> {
        OutputFile::new(path, Replaces::marked_or(&is_page, self.replace))
    }

    /// Refuses, before a capture or a long description, what cannot be written after it.
    fn check_files(&self) -> Result<()> {
        let unmarked = [&self.trace, &self.study, &self.fio_job];
        let unmarked = unmarked.into_iter().flatten();
        let mut outputs: Vec<OutputFile> = unmarked.map(|path| self.unmarked_file(path)).collect();
        outputs.extend(self.summary.iter().map(|path| self.summary_file(path)));
        let page = self.page.iter().filter(|path| *path != Path::new("-"));
        outputs.extend(page.map(|path| self.page_file(path)));
        OutputFile::check_all(&outputs)
    }

    /// Prints the name of the page's file, or the page itself: `-`.
    fn print_page(&self, html: &str, printer: &mut Printer) -> Result<()> {
        match self.page.as_ref().filter(|path| *path != Path::new("-")) {
            Some(path) => printer.data(&format!("{}\n", path.display())),
            None => printer.file(html.as_bytes()),
        }
    }

    /// Writes the files of a description: all of them, or none.
    fn write_files(
        &self,
        found: &Described,
        page: Option<&str>,
        printer: &mut Printer,
    ) -> Result<()> {
        let mut set: Vec<Complete> = Vec::new();
        let mut written = Vec::new();
        if let Some(path) = &self.study {
            set.push(
                self.unmarked_file(path)
                    .complete_bytes(found.study.as_bytes())?,
            );
            written.push(("trace-written-study", path));
        }
        if let Some(path) = &self.fio_job {
            let job = fio_job(&found.fitted)?;
            set.push(self.unmarked_file(path).complete_bytes(job.as_bytes())?);
            written.push(("trace-written-fio-job", path));
        }
        if let Some(path) = &self.summary {
            let document = serde_json::to_string(&found.summary.clone().without_names())? + "\n";
            set.push(
                self.summary_file(path)
                    .complete_bytes(document.as_bytes())?,
            );
            written.push(("trace-written-summary", path));
        }
        let page_file = self.page.as_ref().filter(|path| *path != Path::new("-"));
        if let (Some(path), Some(page)) = (page_file, page) {
            set.push(self.page_file(path).complete_bytes(page.as_bytes())?);
        }
        name_all(set)?;
        for (what, path) in written {
            say_written(what, path, printer);
        }
        Ok(())
    }
}

/// Returns whether a file begins as a summary does: with the program that made it.
fn is_summary(old: &Existing<'_>) -> bool {
    let mark = format!("{{\"made_by\":\"{MADE_BY}\",\"schema\":{SCHEMA},\"format\":\"");
    old.head.starts_with(mark.as_bytes())
}

fn is_page(old: &Existing<'_>) -> bool {
    html::is_page("characterize", &old.head)
}

fn say_written(what: &'static str, path: &Path, printer: &mut Printer) {
    let message = Message::new("trace-written").with("what", Message::new(what));
    printer.remark(&message.name("path", path.display()));
}

/// Returns the device that is described.
fn chosen(devices: &[DeviceTotals], name: Option<&str>, skipped: &Skipped) -> Result<DeviceTotals> {
    let found = match name {
        None => devices.first(),
        Some(name) => devices.iter().find(|device| device.name == name),
    };
    if let Some(found) = found {
        return Ok(found.clone());
    }
    if devices.is_empty() {
        let counts: Vec<String> = skipped
            .iter()
            .map(|(why, count)| format!("{count} {}", why.key()))
            .collect();
        let counts = match counts.is_empty() {
            true => String::new(),
            false => format!("; left out: {}", counts.join(", ")),
        };
        let first = skipped.first_malformed.as_ref();
        let first = first.map_or(String::new(), |(place, what)| {
            format!("; the first at {place}: {}", strip_control(what))
        });
        let failure = Failure::new(format!("the trace has no I/O{counts}{first}"));
        return Err(match Missing::of_all(skipped) {
            Some(missing) => failure.hint(missing.hint),
            None => failure,
        });
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

/// Watches a capture, and shows how far it is.
struct Capturing<'a> {
    stop: &'a Stop,
    line: ProgressLine,
    kind: Option<ProgressKind>,
    total_ms: u64,
}

impl<'a> Capturing<'a> {
    fn new(stop: &'a Stop, length: Duration, printer: &Printer) -> Self {
        let words = printer.view().say(&Message::new("progress-capturing"));
        let total_ms = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
        Self {
            stop,
            line: ProgressLine::hidden(format!("{{bar:24}} {words}  {{eta}}"), Some(total_ms)),
            kind: Some(printer.progress_kind()),
            total_ms,
        }
    }
}

impl Watch for Capturing<'_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        if let Some(kind) = self.kind.take() {
            self.line.show(kind);
        }
        let passed = u64::try_from(elapsed.as_millis()).unwrap_or(self.total_ms);
        self.line.set_position(passed.min(self.total_ms));
        !self.stop.is_asked()
    }
}

/// A trace that was not read yet.
struct Input {
    files: Vec<File>,
    name: String,
    bytes: u64,
    options: Options,
}

impl Input {
    fn capture(args: &Args, length: Nanos, printer: &mut Printer) -> Result<Self> {
        let name = args.device.clone().unwrap_or_default();
        let length = Duration::from(length);
        let stop = Stop::listen()?;
        let mut watch = Capturing::new(&stop, length, printer);
        let captured = capture(&name, length, &mut watch);
        watch.line.finish();
        stop.check()?;
        let captured = captured?;
        if let Some(after) = captured.full_after {
            let message = Message::new("trace-capture-full");
            printer.remark(&message.digits("seconds", after.as_secs()));
        }
        if let Some(path) = &args.trace {
            let copy = |mut file: &File| {
                (&captured.file).rewind()?;
                io::copy(&mut &captured.file, &mut file).map(drop)
            };
            args.unmarked_file(path).write(copy)?;
            say_written("trace-written-trace", path, printer);
        }
        (&captured.file).rewind()?;
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
        let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
        if args.from.iter().filter(is_stdin).count() > 1 {
            return Err(Failure::new(
                "standard input, `-`, is one file of a trace at most",
            ));
        }
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

    /// Reads the whole trace once: surveys its events, and keeps them.
    fn read(&mut self, printer: &Printer) -> Result<(Survey, EventLog, WholeTrace)> {
        let files = std::mem::take(&mut self.files);
        let reading = printer.view().say(&Message::new("progress-reading-trace"));
        // The length of a pipe is unknown.
        let length = Some(self.bytes).filter(|bytes| *bytes > 0);
        let line = ProgressLine::hidden(format!("{{bar:24}} {reading}  {{eta}}"), length);
        let (began, mut is_shown) = (Instant::now(), false);
        let read = Survey::of(
            files,
            self.options.clone(),
            tempfile::tempfile,
            &mut |bytes| {
                if !is_shown && began.elapsed() > MOMENT {
                    is_shown = true;
                    line.show(printer.progress_kind());
                }
                line.set_position(bytes);
            },
        );
        let read = read.map_err(|error| match error {
            SurveyError::Read(error) => self.failure(&error),
            SurveyError::Keep(error) => unkept(error),
        })?;
        line.finish();
        Ok(read)
    }

    fn incomplete(&self, missing: &Missing) -> Failure {
        let what = strip_control(&missing.what);
        Failure::new(format!("`{}`: {what}", self.name)).hint(missing.hint)
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

/// Opens a file of a trace.
fn open(path: &Path) -> std::result::Result<File, String> {
    let failed = |error: io::Error| error.to_string();
    if path == Path::new("-") {
        inputs::note(io::stdin());
        let input = io::stdin().as_fd().try_clone_to_owned();
        return input.map(File::from).map_err(failed);
    }
    match unreadable_kind(path).map_err(failed)? {
        Some(kind) => Err(kind.to_owned()),
        None => inputs::open(path).map_err(failed),
    }
}
