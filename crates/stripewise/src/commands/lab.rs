//! `stripewise lab`: checks what the lab needs, prepares guests, opens a shell in one.

use std::io::IsTerminal;
use std::path::PathBuf;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use serde::Serialize;
use stripewise_answer::{Answer, Block, Pair};
use stripewise_catalogue::{Argument, Message};
use stripewise_lab::doctor::{DoctorReport, GuestState, ProgramState, Room};
use stripewise_lab::extra::Extra;
use stripewise_lab::kernel_source::KernelSource;
use stripewise_lab::prepare::{Outcome, PreparationStep, prepare};
use stripewise_lab::recipe::Request;
use stripewise_lab::{Kvm, shell};
use stripewise_process::UntilStopped;
use stripewise_report::document::SCHEMA;
use stripewise_study::world::{NoJournal, World, WorldError};
use stripewise_worlds::lab::{self, Purpose};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::{CacheArgs, LabArgs};
use crate::model::{AskedKernel, ModelArgs};
use crate::printer::Printer;
use crate::stop::{Stop, deferred};
use crate::study_file::StudyFile;

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
/// `lab doctor` lists missing requirements, `lab prepare` builds a guest once, and `stripewise run
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

  Print the missing programs, for a script:
    stripewise lab doctor --json \\
        | jq -r '.programs[] | select(.path == null).program'
";

/// Check the lab's requirements and list the missing ones
///
/// Prints each program that the lab needs with its version or the package to install, disk space,
/// memory, whether KVM works (it tries KVM), and the prepared guests; it compares their files with
/// their checksums. Installs nothing; the last line is the `apt-get install` command for the missing
/// packages.
///
/// Exit codes: 0 everything is there, 1 something is missing or damaged. A guest that is not
/// prepared yet does not count as missing: `stripewise lab prepare` makes it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
struct DoctorArgs {
    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// Examples at the end of the long help.
const PREPARE_EXAMPLES: &str = "\
Examples:
  The kernel of this distribution:
    stripewise lab prepare

  The newest 6.12 that apt offers:
    stripewise lab prepare --kernel 6.12

  A guest that also measures ZFS; building it takes about six minutes:
    stripewise lab prepare --with zfs

  A guest with both databases:
    stripewise lab prepare --with mariadb --with postgresql

  The newest kernel of another suite, with that suite's compiler:
    stripewise lab prepare --suite trixie-backports --kernel 7.3

  A kernel that you built, and the newest mdadm:
    stripewise lab prepare --package linux-image.deb \\
        --package linux-headers.deb --tools sid
";

/// Fetch a kernel and tools, and build a guest, once
///
/// Downloads a kernel and the guest's tools from the distribution with apt, checks their
/// signatures, unpacks them into the cache (`--cache`), and builds the kernel module of the
/// modelled disks against the kernel's headers. Nothing is installed, and root is not needed; apt
/// must be able to reach its sources.
///
/// If the guest is prepared and current, it does nothing. A new version of Stripewise may need to
/// prepare it again. `--with zfs` builds the modules of ZFS from the distribution's source (`contrib`),
/// once for each kernel and version. `--with mariadb` and `--with postgresql` add the distribution's
/// database servers. A guest that is prepared again keeps what it has.
///
/// The kernel comes from this machine's package sources, a suite of the distribution (`--suite`), a
/// file of sources (`--sources`), package files (`--package`) or an unpacked tree (`--tree`). The
/// compiler that its headers ask for comes from the same suite or sources; without them it is this
/// machine's. Such a guest is used with `--kernel`, or if it is the only one.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PREPARE_EXAMPLES)]
struct PrepareArgs {
    /// The kernel version or its beginning, such as `6.1`; the newest match is used [default: the distribution's own]
    #[arg(long, value_name = "VERSION", value_parser = AskedKernel::parse)]
    kernel: Option<AskedKernel>,

    /// The suite of the distribution that the kernel and its compiler come from, such as `sid` or `trixie-backports` [default: this machine's own]
    #[arg(long, value_name = "SUITE", conflicts_with = "sources")]
    suite: Option<String>,

    /// A file of apt sources (`.list` or `.sources`) for the kernel and its compiler
    #[arg(long, value_name = "FILE")]
    sources: Option<PathBuf>,

    /// A package file of the kernel: its image, modules or headers; repeat it for each
    #[arg(long, value_name = "FILE", conflicts_with = "tree")]
    package: Vec<PathBuf>,

    /// A directory with an unpacked kernel: `boot`, `lib/modules`, and headers in `usr/src` or where `build` leads
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,

    /// The suite that fio, mdadm, LVM and the filesystems' tools come from [default: this machine's own]
    #[arg(long, value_name = "SUITE")]
    tools: Option<String>,

    /// What the guest has besides the kernel's own filesystems; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    with: Vec<With>,

    /// Look for newer packages even if the guest is prepared
    #[arg(long)]
    refresh: bool,

    #[command(flatten)]
    cache: CacheArgs,
}

/// What a guest can have besides its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum With {
    /// The modules and tools of ZFS
    Zfs,
    /// The server and client of MariaDB
    Mariadb,
    /// The server and client of PostgreSQL
    Postgresql,
}

impl From<With> for Extra {
    fn from(with: With) -> Self {
        match with {
            With::Zfs => Self::Zfs,
            With::Mariadb => Self::MariaDb,
            With::Postgresql => Self::PostgreSql,
        }
    }
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
    /// The study: a file, the name of a shipped one, or `-` for standard input
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
    report: &'a DoctorReport,
}

fn doctor(args: &DoctorArgs, printer: &mut Printer) -> Result<Exit> {
    let report = DoctorReport::new(&args.cache.locate()?);
    let is_complete = report.is_complete();
    let document = Document {
        schema: SCHEMA,
        is_complete,
        report: &report,
    };
    let answer = Answer::new(Message::new("doctor-title"), document, described(&report));
    answers::print(
        "lab doctor",
        &answer.no_if(!is_complete),
        args.format,
        printer,
    )
}

/// Returns a report for people.
fn described(report: &DoctorReport) -> Vec<Block> {
    let pair = |id: &'static str, value: Message| Block::pair(Message::new(id), value);
    let named = |name: &str, value: Argument| Block::pair(Argument::Name(name.to_owned()), value);
    let (kvm, kvm_state) = match &report.kvm {
        Kvm::Works => (Message::new("doctor-kvm-works"), "works"),
        Kvm::Fails { why } => {
            let fails = Message::new("doctor-kvm-fails").with("why", why.message());
            (fails, "fails")
        }
    };
    let run_clock = Message::new("doctor-run-clock-is").name("clock", report.measuring_clock);
    let shell_clock = Message::new("doctor-shell-clock-is")
        .name("clock", report.functional_clock)
        .name("kvm", kvm_state);
    let programs = report.programs.iter();
    let programs = programs.map(|program| named(program.program, described_program(program)));
    let mut pairs: Vec<Pair> = programs.collect();
    let fact = |id: &'static str, fact: String| Block::pair(Message::new(id), Argument::Name(fact));
    pairs.extend([
        fact("doctor-processor", report.architecture.to_owned()),
        pair("doctor-space", room_in_words(&report.space)),
        pair("doctor-memory", room_in_words(&report.memory)),
        named("KVM", kvm.into()),
        pair("doctor-run-clock", run_clock),
        pair("doctor-shell-clock", shell_clock),
        fact("doctor-cache", report.cache.display().to_string()),
    ]);
    let guests = report.guests.iter();
    pairs.extend(guests.map(|guest| pair("doctor-guest", guest_in_words(guest))));
    if report.guests.is_empty() {
        let none = Message::new("doctor-guest-none").name("command", &report.prepare_command);
        pairs.push(pair("doctor-guest", none));
    }
    let zfs = zfs_in_words(report).into_iter();
    pairs.extend(zfs.map(|message| named(Extra::Zfs.name(), message.into())));
    for database in [Extra::MariaDb, Extra::PostgreSql] {
        let messages = database_in_words(report, database).into_iter();
        pairs.extend(messages.map(|message| named(database.name(), message.into())));
    }
    let mut blocks = vec![Block::Pairs(pairs)];
    let packages = report.missing_packages();
    if !packages.is_empty() {
        // Never broken: it is copied, or piped to a shell.
        let command = format!("apt-get install {}", packages.join(" "));
        blocks.extend([
            Block::say(Message::new("doctor-install")),
            Block::Code(command),
        ]);
    }
    blocks
}

fn described_program(program: &ProgramState) -> Argument {
    let message = match (&program.path, &program.version) {
        (Some(_), Some(version)) => return Argument::Name(version.clone()),
        (Some(_), None) => Message::new("doctor-installed"),
        (None, _) => {
            let purpose = Message::new("doctor-purpose")
                .name("program", program.program)
                .name("purpose", program.purpose);
            Message::new(match program.is_required {
                true => "doctor-missing",
                false => "doctor-optional",
            })
            .with("purpose", purpose)
            .name("package", program.package)
        }
    };
    message.into()
}

fn guest_in_words(guest: &GuestState) -> Message {
    let state = match guest {
        _ if guest.damaged_file.is_some() => "damaged",
        _ if !guest.is_current => "outdated",
        _ if guest.is_default => "default",
        _ => "named",
    };
    let file = guest.damaged_file.as_ref();
    let size = Argument::quantity((guest.bytes >> 20).to_string(), "MiB");
    Message::new("doctor-guest-is")
        .name("kernel", &guest.kernel)
        .with("size", size)
        .name("state", state)
        .name(
            "file",
            file.map(|file| file.display().to_string())
                .unwrap_or_default(),
        )
        .name("command", &guest.prepare_command)
}

/// Says which guests have ZFS, or how to prepare one that does.
fn zfs_in_words(report: &DoctorReport) -> Vec<Message> {
    let built = report.guests.iter().filter_map(|guest| {
        let zfs = guest.zfs.as_ref()?;
        let time = Argument::quantity(zfs.built_in_s.to_string(), "s");
        Some(
            Message::new("doctor-zfs-is")
                .name("version", &zfs.version)
                .name("kernel", &guest.kernel)
                .with("time", time),
        )
    });
    let built: Vec<Message> = built.collect();
    match built.is_empty() {
        true => vec![Message::new("doctor-zfs-none").name("command", &report.zfs_command)],
        false => built,
    }
}

/// Says which guests have a database, or how to prepare one that does.
fn database_in_words(report: &DoctorReport, database: Extra) -> Vec<Message> {
    let guests = report.guests.iter().filter_map(|guest| {
        let version = guest.databases.get(&database)?;
        Some(
            Message::new("doctor-database-is")
                .name("version", version)
                .name("kernel", &guest.kernel),
        )
    });
    let found: Vec<Message> = guests.collect();
    match found.is_empty() {
        true => {
            let command = format!("{} --with {database}", report.prepare_command);
            vec![Message::new("doctor-database-none").name("command", command)]
        }
        false => found,
    }
}

fn room_in_words(room: &Room) -> Message {
    let gib = |bytes: u64| {
        let digits = format!("{}.{}", bytes >> 30, (bytes >> 20) % 1024 * 10 / 1024);
        Argument::quantity(digits, "GiB")
    };
    let message = match room.available_bytes {
        None => Message::new("doctor-room-unknown"),
        Some(available) => Message::new(match room.is_too_small() {
            true => "doctor-room-short",
            false => "doctor-room",
        })
        .with("free", gib(available)),
    };
    message.with("needed", gib(room.needed_bytes))
}

fn prepare_guest(args: &PrepareArgs, printer: &mut Printer) -> Result<Exit> {
    let cache = args.cache.locate()?;
    let request = Request {
        kernel: args.kernel.as_ref().map(|kernel| kernel.text.clone()),
        source: KernelSource {
            sources: args.sources.clone(),
            suite: args.suite.clone(),
            packages: args.package.clone(),
            tree: args.tree.clone(),
        },
        tools: args.tools.clone(),
        refresh: args.refresh,
        extras: args.with.iter().copied().map(Extra::from).collect(),
    };
    let line = printer.progress("{spinner} {elapsed} {msg}".to_owned(), None);
    line.keep_drawing();
    let view = printer.view();
    let outcome = deferred(|| {
        prepare(&cache, &request, &mut |step| {
            line.say(&view.say(&in_words(&step)))
        })
    });
    line.finish();
    let (prepared, message) = match outcome? {
        Outcome::AlreadyThere(prepared) => (prepared, Message::new("lab-already-prepared")),
        Outcome::Made(prepared) => (prepared, Message::new("lab-prepared")),
    };
    printer.line(
        &message
            .name("kernel", &prepared.manifest.kernel)
            .name("directory", prepared.directory.display()),
    )?;
    Ok(Exit::Done)
}

fn in_words(step: &PreparationStep) -> Message {
    match step {
        PreparationStep::Wait => Message::new("lab-step-wait"),
        PreparationStep::Lists => Message::new("lab-step-lists"),
        PreparationStep::Kernel { release } => {
            Message::new("lab-step-kernel").name("release", release)
        }
        PreparationStep::Tools => Message::new("lab-step-tools"),
        PreparationStep::Unpack { number, all } => Message::new("lab-step-unpack")
            .digits("number", number)
            .digits("all", all),
        PreparationStep::Compiler { name } => Message::new("lab-step-compiler").name("name", name),
        PreparationStep::Module => Message::new("lab-step-module"),
        PreparationStep::Zfs { version } => Message::new("lab-step-zfs").name("version", version),
        PreparationStep::Libraries => Message::new("lab-step-libraries"),
        PreparationStep::Images => Message::new("lab-step-images"),
    }
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
    let model = args.model.find(&file.study, file.path.as_deref())?;
    let kernel = args.model.kernel.as_ref();
    let run = args.lab.find(
        &file.study,
        model.profiles,
        kernel,
        Purpose::Function,
        printer,
    )?;
    let mut lab = lab::open(&run, &file.study)?;
    let stop = Stop::listen()?;
    let built = deferred(|| {
        lab.boot(&mut UntilStopped)?;
        Ok::<_, WorldError>(lab.prepare(cell, &mut NoJournal, &mut UntilStopped))
    })?;
    match built {
        Ok(_) => printer.remark(&Message::new("lab-shell-built").name("stack", &cell.stack.name)),
        // The shell can use the disks anyway.
        Err(error @ WorldError::Unsupported { .. }) => printer.remark(
            &Message::new("lab-shell-not-built")
                .name("stack", &cell.stack.name)
                .name("error", error),
        ),
        Err(error) => return Err(error.into()),
    }
    printer.remark(&Message::new("lab-shell-end"));
    let machine = lab.boot(&mut UntilStopped)?;
    // Restored however the program ends.
    let raw = RawTerminal::enter()?;
    // The console passes unchanged: its escape sequences are meant for the terminal.
    let output = &mut std::io::stdout();
    let attended = shell::attend(machine, std::io::stdin(), output, &|| stop.is_asked());
    drop(raw);
    lab.power_off();
    attended?;
    stop.check()?;
    Ok(Exit::Done)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use stripewise_catalogue::Language;
    use stripewise_lab::KvmFault;
    use stripewise_lab::manifest::ZfsBuild;
    use stripewise_report::render::terminal;
    use stripewise_report::view::View;
    use stripewise_study::guest_clock::Clock;

    use stripewise_catalogue::Words;

    use super::*;

    fn report() -> DoctorReport {
        let program = |program, version: Option<&str>, is_required| ProgramState {
            program,
            purpose: "PURPOSE",
            package: "package",
            path: version.map(|_| PathBuf::from("/bin/x")),
            version: version.map(str::to_owned),
            is_required,
        };
        let guest = |kernel: &str, is_default, is_current| GuestState {
            kernel: kernel.to_owned(),
            is_default,
            is_current,
            bytes: 300 << 20,
            damaged_file: None,
            zfs: None,
            databases: BTreeMap::new(),
            prepare_command: "stripewise lab prepare --cache /cache".to_owned(),
        };
        let room = |available_bytes| Room {
            available_bytes,
            needed_bytes: 3 << 29,
        };
        DoctorReport {
            architecture: "x86_64",
            programs: vec![
                program("qemu-system-x86_64", Some("QEMU 7.2"), true),
                program("readelf", None, true),
                program("zstd", None, false),
                program("new-tool", None, false),
            ],
            cache: PathBuf::from("/cache"),
            space: room(Some(1 << 30)),
            memory: room(None),
            kvm: Kvm::Fails {
                why: KvmFault::NotOpened("ERROR".to_owned()),
            },
            measuring_clock: Clock::Virtual,
            functional_clock: Clock::Wall,
            guests: vec![
                GuestState {
                    zfs: Some(ZfsBuild {
                        version: "2.1.11-1".to_owned(),
                        built_in_s: 338,
                    }),
                    databases: BTreeMap::from([(Extra::MariaDb, "10.11.19".to_owned())]),
                    ..guest("6.1.0", true, true)
                },
                guest("5.10.0", false, true),
                guest("4.19.0", false, false),
                GuestState {
                    damaged_file: Some(PathBuf::from("/cache/guests/4.9.0/root.img")),
                    ..guest("4.9.0", false, true)
                },
            ],
            prepare_command: "stripewise lab prepare".to_owned(),
            zfs_command: "stripewise lab prepare --with zfs".to_owned(),
        }
    }

    #[test]
    fn the_doctor_speaks_both_languages() {
        expect_test::expect![[r#"
            qemu-system-x86_64: QEMU 7.2
            readelf: MISSING: finds the libraries fio can do without; package `package`
            zstd: not installed: decompresses kernel modules; package `package`
            new-tool: not installed: PURPOSE; package `package`
            processor: x86_64
            disk space: TOO LITTLE: 1.0 GiB free, 1.5 GiB needed
            memory: free: unknown, 1.5 GiB needed
            KVM: cannot be used: `/dev/kvm` cannot be opened: ERROR
            clock of runs: virtual: independent of this machine's load
            clock of shells: wall: KVM cannot be used
            cache: /cache
            prepared guest: 6.1.0 (300 MiB), used by default
            prepared guest: 5.10.0 (300 MiB), used with `--kernel`
            prepared guest: 4.19.0 (300 MiB), made by another version: run `stripewise lab prepare --cache /cache` again
            prepared guest: 4.9.0 (300 MiB), DAMAGED: `/cache/guests/4.9.0/root.img` is missing or has changed; run `stripewise lab prepare --cache /cache` again, or delete the guest's directory
            ZFS: 2.1.11-1 for 6.1.0, built in 338 s
            MariaDB: 10.11.19 in the guest with 6.1.0
            PostgreSQL: in no guest: `stripewise lab prepare --with postgresql` adds it
            Install what is missing:
            apt-get install package
        "#]].assert_eq(&terminal(&described(&report()), View::PLAIN));
        let view = View::PLAIN.in_language(Language::German);
        expect_test::expect![[r#"
            qemu-system-x86_64: QEMU 7.2
            readelf: FEHLT: findet die Bibliotheken, auf die fio verzichten kann; Paket `package`
            zstd: nicht installiert: dekomprimiert Kernelmodule; Paket `package`
            new-tool: nicht installiert: PURPOSE; Paket `package`
            Prozessor: x86_64
            Plattenplatz: ZU WENIG: 1,0 GiB frei, 1,5 GiB nötig
            Arbeitsspeicher: frei: unbekannt, 1,5 GiB nötig
            KVM: nicht benutzbar: `/dev/kvm` lässt sich nicht öffnen: ERROR
            Uhr der Läufe: virtual: unabhängig von der Last dieser Maschine
            Uhr der Shells: wall: KVM ist nicht benutzbar
            Cache: /cache
            vorbereiteter Gast: 6.1.0 (300 MiB), wird standardmäßig benutzt
            vorbereiteter Gast: 5.10.0 (300 MiB), wird mit `--kernel` benutzt
            vorbereiteter Gast: 4.19.0 (300 MiB), von einer anderen Version: führen Sie `stripewise lab prepare --cache /cache` noch einmal aus
            vorbereiteter Gast: 4.9.0 (300 MiB), BESCHÄDIGT: `/cache/guests/4.9.0/root.img` fehlt oder hat sich geändert; führen Sie `stripewise lab prepare --cache /cache` noch einmal aus, oder löschen Sie das Verzeichnis des Gasts
            ZFS: 2.1.11-1 für 6.1.0, gebaut in 338 s
            MariaDB: 10.11.19 im Gast mit 6.1.0
            PostgreSQL: in keinem Gast: `stripewise lab prepare --with postgresql` fügt es hinzu
            Was fehlt, installiert:
            apt-get install package
        "#]].assert_eq(&terminal(&described(&report()), view));
    }

    #[test]
    fn without_zfs_the_doctor_says_how_to_prepare_it() {
        let guests = Vec::new();
        let report = DoctorReport { guests, ..report() };
        let words = zfs_in_words(&report).remove(0).in_english();
        assert!(
            words.contains("`stripewise lab prepare --with zfs`"),
            "{words}"
        );
    }

    #[test]
    fn every_step_has_words() {
        let steps = [
            PreparationStep::Wait,
            PreparationStep::Lists,
            PreparationStep::Kernel {
                release: "6.1.0".to_owned(),
            },
            PreparationStep::Tools,
            PreparationStep::Unpack { number: 3, all: 70 },
            PreparationStep::Compiler {
                name: "gcc-14".to_owned(),
            },
            PreparationStep::Module,
            PreparationStep::Zfs {
                version: "2.1.11".to_owned(),
            },
            PreparationStep::Libraries,
            PreparationStep::Images,
        ];
        for step in steps {
            let words = Language::ALL.map(|language| in_words(&step).in_language(language));
            assert_ne!(words[0], words[1], "{step:?}");
        }
    }
}
