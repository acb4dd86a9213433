//! `stripewise lab`: checks what the lab needs, prepares guests, opens a shell in one.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::path::PathBuf;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use serde::Serialize;
use stripewise_lab::doctor::{ProgramState, Report, Room};
use stripewise_lab::prepare::{Outcome, prepare};
use stripewise_lab::recipe::Request;
use stripewise_lab::{Kvm, shell};
use stripewise_report::document::SCHEMA;
use stripewise_study::world::{Change, Journal, JournalError, NeverCancel, World, WorldError};

use super::study::StudyFile;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::{CacheArgs, LabArgs, Purpose};
use crate::model::{AskedKernel, ModelArgs};
use crate::printer::Printer;
use crate::stop::Stop;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  From nothing to a measurement in the lab:
    stripewise lab doctor
    stripewise lab prepare
    stripewise run studies/mirrored-reads.toml --world lab

  Open a shell in such a guest, with its array built:
    stripewise lab shell studies/mirrored-reads.toml
";

/// Prepare guests: real kernels on modelled disks
///
/// The lab runs a study in a QEMU guest: a stock kernel of the distribution with the real md, LVM
/// and filesystems, on disks with the timing of their profiles. With it you can build, break and
/// measure arrays that you do not own. Nothing on this machine is installed or changed outside the
/// lab's cache, and nothing needs root.
///
/// `lab doctor` says what is missing, `lab prepare` builds a guest once, and `stripewise run
/// STUDY --world lab` measures in it. docs/lab.md says what the numbers mean.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Doctor(DoctorArgs),
    Prepare(PrepareArgs),
    Shell(ShellArgs),
}

/// Examples at the end of the long help.
const DOCTOR_EXAMPLES: &str = "\
Examples:
  Check this machine:
    stripewise lab doctor

  Print what is missing, for a script:
    stripewise lab doctor --json \\
        | jq -r '.programs[] | select(.path == null).program'
";

/// Show what the lab needs and what is missing
///
/// Prints each program that the lab needs with its version or the package to install, disk space,
/// memory, whether KVM works (it tries KVM), and the prepared guests. Installs nothing; the last
/// line is the `apt-get install` command for what is missing.
///
/// Exit codes: 0 everything is there, 1 something is missing. A guest that is not prepared yet
/// does not count as missing: `stripewise lab prepare` makes it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
struct DoctorArgs {
    #[command(flatten)]
    cache: CacheArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Examples at the end of the long help.
const PREPARE_EXAMPLES: &str = "\
Examples:
  The kernel of this distribution:
    stripewise lab prepare

  The newest 6.12 that apt offers:
    stripewise lab prepare --kernel 6.12

  The kernel of an older release:
    echo 'deb http://deb.debian.org/debian bullseye main' > bullseye.list
    stripewise lab prepare --kernel 5.10 --sources bullseye.list
";

/// Fetch a kernel and tools, and build a guest, once
///
/// Downloads a kernel and the guest's tools from the distribution with apt, checks their
/// signatures, unpacks them into the cache (`--cache`), and builds the kernel module of the
/// modelled disks against the kernel's headers. Nothing is installed, and root is not needed; apt
/// must be able to reach its sources.
///
/// If the guest is prepared and current, it does nothing. A new version of Stripewise may need to
/// prepare it again. `--sources` fetches a kernel of another release, to be used with `--kernel`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PREPARE_EXAMPLES)]
struct PrepareArgs {
    /// The kernel version or its beginning, such as `6.1`; the newest match is taken [default: the distribution's own]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    kernel: Option<AskedKernel>,

    /// A file of apt sources (`.list` or `.sources`) for the kernel; tools come from this machine's sources
    #[arg(long, value_name = "FILE")]
    sources: Option<PathBuf>,

    /// Look for newer packages even if the guest is prepared
    #[arg(long)]
    refresh: bool,

    #[command(flatten)]
    cache: CacheArgs,
}

/// Examples at the end of the long help.
const SHELL_EXAMPLES: &str = "\
Examples:
  A shell beside the RAID 10 of a study:
    stripewise lab shell studies/mirrored-reads.toml

  Another stack of the study, and commands from a pipe:
    echo 'cat /proc/mdstat' \\
        | stripewise lab shell studies/mirrored-reads.toml --stack far
";

/// Open a shell in a guest with a study's disks
///
/// Boots a guest with the modelled disks of the study, builds the stack of its first cell (or
/// `--stack`), and connects the terminal to a root shell in it: run `mdadm --detail` or `cat
/// /proc/mdstat`, fail a disk, see what md does. `exit` or Ctrl-D ends the shell; Ctrl-] ends a
/// guest that hangs. The guest and everything in it is then discarded; this machine is not changed.
///
/// Standard input may be a pipe: its lines are typed into the shell. Needs `stripewise lab
/// prepare` once. Timings in this shell mean little: measure with `stripewise run --world lab`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SHELL_EXAMPLES)]
struct ShellArgs {
    /// The study file; `-` reads standard input
    study: PathBuf,

    /// The stack to build, by its name in the study [default: the first]
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,

    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    lab: LabArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.action {
        Action::Doctor(args) => doctor(args, printer),
        Action::Prepare(args) => prepare_guest(args, printer),
        Action::Shell(args) => open_shell(args, printer),
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    is_complete: bool,
    #[serde(flatten)]
    report: &'a Report,
}

fn doctor(args: &DoctorArgs, printer: &mut Printer) -> Result<Exit> {
    let report = Report::new(&args.cache.locate()?);
    if args.json {
        printer.json(&Document {
            schema: SCHEMA,
            is_complete: report.is_complete(),
            report: &report,
        })?;
    } else {
        printer.data(&described(&report))?;
    }
    Ok(match report.is_complete() {
        true => Exit::Done,
        false => Exit::No,
    })
}

/// Returns a report for people.
fn described(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |head: &str, rest: String| {
        writeln!(text, "{head:<20} {rest}").expect("writing to a string cannot fail");
    };
    for program in &report.programs {
        line(program.program, described_program(program));
    }
    line("processor", report.architecture.to_owned());
    line("space", described_room(&report.space));
    line("memory", described_room(&report.memory));
    let kvm = match &report.kvm {
        Kvm::Works => "works".to_owned(),
        Kvm::Fails { why } => format!("cannot be used: {why}"),
    };
    line("kvm", kvm);
    line(
        "clock of runs",
        format!(
            "{}: independent of this machine's load",
            report.measuring_clock
        ),
    );
    let why = match &report.kvm {
        Kvm::Works => "KVM works",
        Kvm::Fails { .. } => "KVM cannot be used",
    };
    line(
        "clock of `lab shell`",
        format!("{}: {why}", report.functional_clock),
    );
    line("cache", report.cache.display().to_string());
    for guest in &report.guests {
        let state = match (guest.is_current, guest.is_default) {
            (false, _) => "made by another version: run `stripewise lab prepare` again",
            (true, true) => "used by default",
            (true, false) => "used with `--kernel`",
        };
        line(
            "prepared guest",
            format!("{} ({} MiB), {state}", guest.kernel, guest.bytes >> 20),
        );
    }
    if report.guests.is_empty() {
        line(
            "prepared guest",
            "none yet: `stripewise lab prepare`".to_owned(),
        );
    }
    let packages = report.missing_packages();
    if !packages.is_empty() {
        line(
            "what to do",
            format!("apt-get install {}", packages.join(" ")),
        );
    }
    text
}

fn described_program(program: &ProgramState) -> String {
    if program.path.is_some() {
        return program
            .version
            .clone()
            .unwrap_or_else(|| "installed".to_owned());
    }
    let state = match program.is_required {
        true => "MISSING",
        false => "not installed",
    };
    format!(
        "{state}: {}; package `{}`",
        program.purpose, program.package
    )
}

fn described_room(room: &Room) -> String {
    let gib = |bytes: u64| format!("{}.{} GiB", bytes >> 30, (bytes >> 20) % 1024 * 10 / 1024);
    let found = room.available_bytes.map(gib);
    let found = found.unwrap_or_else(|| "unknown".to_owned());
    let verdict = match room.is_too_small() {
        true => "TOO LITTLE: ",
        false => "",
    };
    format!("{verdict}{found} free, {} needed", gib(room.needed_bytes))
}

fn prepare_guest(args: &PrepareArgs, printer: &mut Printer) -> Result<Exit> {
    let cache = args.cache.locate()?;
    let request = Request {
        kernel: args.kernel.as_ref().map(|kernel| kernel.text.clone()),
        sources: args.sources.clone(),
        refresh: args.refresh,
    };
    let line = printer.progress("{spinner} {elapsed} {msg}", None);
    line.keep_drawing();
    let outcome = prepare(&cache, &request, &mut |what| line.say(what));
    line.finish();
    let (prepared, verb) = match outcome? {
        Outcome::AlreadyThere(prepared) => (prepared, "is prepared already"),
        Outcome::Made(prepared) => (prepared, "is prepared"),
    };
    printer.data(&format!(
        "guest {} {verb}: {}\n",
        prepared.manifest.kernel,
        prepared.directory.display()
    ))?;
    Ok(Exit::Done)
}

fn open_shell(args: &ShellArgs, printer: &mut Printer) -> Result<Exit> {
    let file = StudyFile::read(&args.study)?;
    let cells = &file.study.cells;
    let cell = match &args.stack {
        None => cells.first(),
        Some(name) => cells.iter().find(|cell| &cell.stack.name == name),
    };
    let Some(cell) = cell else {
        let mut names: Vec<&str> = cells.iter().map(|cell| cell.stack.name.as_str()).collect();
        names.dedup();
        return Err(Failure::new(format!(
            "--stack: the study has no stack `{}`",
            args.stack.as_deref().unwrap_or_default()
        ))
        .hint(format!("it has {}", names.join(", "))));
    };
    let model = args.model.find(&file.study, Some(&args.study))?;
    let kernel = args.model.kernel.as_ref();
    let run = args
        .lab
        .find(&file.study, model.profiles, kernel, Purpose::Shell, printer)?;
    let mut lab = run.world(&file.study)?;
    lab.boot(&mut NeverCancel)?;
    match lab.prepare(cell, &mut NoJournal, &mut NeverCancel) {
        Ok(_) => printer.remark(&format!("stack `{}` is built", cell.stack.name)),
        // The shell can use the disks anyway.
        Err(error @ WorldError::Unsupported { .. }) => printer.remark(&error.to_string()),
        Err(error) => return Err(error.into()),
    }
    printer.remark("`exit`, Ctrl-D or, if the guest hangs, Ctrl-] ends the shell; the guest and everything in it is then discarded");
    let machine = lab.boot(&mut NeverCancel)?;
    // Restore the terminal however the program ends.
    let stop = Stop::listen()?;
    let raw = RawTerminal::enter()?;
    // The console passes unchanged: its escape sequences are meant for the terminal.
    let output = &mut std::io::stdout();
    let attended = shell::attend(machine, std::io::stdin(), output, &|| stop.is_asked());
    drop(raw);
    lab.power_off();
    attended?;
    Ok(Exit::Done)
}

/// Records no changes: they vanish with the guest.
struct NoJournal;

impl Journal for NoJournal {
    fn announce(&mut self, _change: &Change) -> std::result::Result<(), JournalError> {
        Ok(())
    }

    fn undone(&mut self, _change: &Change) -> std::result::Result<(), JournalError> {
        Ok(())
    }
}

/// A terminal in raw mode; dropping it restores the old settings.
struct RawTerminal(Option<Termios>);

impl RawTerminal {
    fn enter() -> Result<Self> {
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            return Ok(Self(None));
        }
        let before = tcgetattr(&stdin).map_err(std::io::Error::from)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&stdin, OptionalActions::Now, &raw).map_err(std::io::Error::from)?;
        Ok(Self(Some(before)))
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // If the terminal is gone, there is nothing to restore.
            let _gone = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}
