//! `stripewise lab`: checks what the lab needs, prepares guests, opens a shell in one.

mod doctor;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::PathBuf;

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use stripewise_catalogue::Message;
use stripewise_lab::extra::Extra;
use stripewise_lab::kernel_source::KernelSource;
use stripewise_lab::prepare::{Outcome, PreparationStep, prepare};
use stripewise_lab::recipe::Request;
use stripewise_lab::{LabError, shell};
use stripewise_process::UntilStopped;
use stripewise_study::cell::Cell;
use stripewise_study::world::{NoJournal, World, WorldError};
use stripewise_units::kernel::KernelName;
use stripewise_worlds::lab::{self, Purpose};

use self::doctor::{DoctorArgs, doctor};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::lab_world::{CacheArgs, LabArgs};
use crate::model::{AskedKernel, ModelArgs};
use crate::printer::Printer;
use crate::stop::{Stop, deferred, finished};
use crate::study_file::StudyFile;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  From nothing to a measurement in the lab:
    stripewise lab doctor
    stripewise lab prepare
    stripewise run mirrored-reads --world lab

  Open a shell in such a guest, with its array built:
    stripewise lab shell mirrored-reads
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
/// machine's. Such a guest is used with `--kernel`, or if it is the only one. `--kernel NAME` with a name
/// that `lab doctor` lists prepares that guest again.
#[derive(Debug, clap::Args)]
#[command(after_long_help = PREPARE_EXAMPLES)]
struct PrepareArgs {
    #[command(flatten)]
    guest: GuestArgs,

    /// What the guest has besides the kernel's own filesystems; may be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    with: Vec<With>,

    /// Look for newer packages even if the guest is prepared
    #[arg(long)]
    refresh: bool,

    #[command(flatten)]
    cache: CacheArgs,
}

/// What a guest is made from.
#[derive(Debug, clap::Args)]
struct GuestArgs {
    /// The kernel version or its beginning, such as `6.1`, or the name of a guest; the newest match is used [default: the distribution's own]
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
}

impl GuestArgs {
    /// Returns the request for such a guest.
    fn request(&self) -> Request {
        Request {
            kernel: self.kernel.as_ref().map(|kernel| kernel.text.clone()),
            source: KernelSource {
                sources: self.sources.clone(),
                suite: self.suite.clone(),
                packages: self.package.clone(),
                tree: self.tree.clone(),
            },
            tools: self.tools.clone(),
            ..Request::default()
        }
    }
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
    stripewise lab shell mirrored-reads

  Another stack of the study, and commands from a pipe:
    echo 'cat /proc/mdstat' \\
        | stripewise lab shell mirrored-reads --stack far
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

/// Runs `work`, showing its steps.
fn with_steps<T>(
    printer: &Printer,
    work: impl FnOnce(&mut dyn FnMut(PreparationStep)) -> std::result::Result<T, LabError>,
) -> Result<T> {
    let line = printer.progress("{spinner} {elapsed} {msg}".to_owned(), None);
    line.keep_drawing();
    let view = printer.view();
    line.say(&view.say(&Message::new("lab-step-look")));
    let done = finished(|| {
        work(&mut |step| {
            if step == PreparationStep::Remove {
                line.print_soon();
            }
            line.say(&view.say(&in_words(&step)));
        })
    });
    line.finish();
    done
}

fn prepare_guest(args: &PrepareArgs, printer: &mut Printer) -> Result<Exit> {
    let cache = args.cache.locate()?;
    let request = Request {
        refresh: args.refresh,
        extras: args.with.iter().copied().map(Extra::from).collect(),
        ..args.guest.request()
    };
    let outcome = with_steps(printer, |report| prepare(&cache, &request, report))?;
    let (prepared, message) = match outcome {
        Outcome::AlreadyThere(prepared) => (prepared, Message::new("lab-already-prepared")),
        Outcome::Made(prepared) => (prepared, Message::new("lab-prepared")),
    };
    printer.line(
        &message
            .name("kernel", prepared.name())
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
        PreparationStep::Remove => Message::new("lab-step-remove"),
    }
}

fn open_shell(args: &ShellArgs, printer: &mut Printer) -> Result<Exit> {
    let mut file = StudyFile::read(&args.study)?;
    let kernel = args.model.kernel.as_ref();
    let cell = &shown_cell(&file.study.cells, args.stack.as_deref(), kernel)?;
    // One guest is enough: that with this kernel.
    let is_there = |other: &Cell| other.conditions.kernel == cell.conditions.kernel;
    file.study.cells.retain(is_there);
    let model = args.model.find(&file.study, file.path.as_deref())?;
    let run = args.lab.find(
        &file.study,
        model.profiles,
        kernel,
        Purpose::Function,
        printer,
    )?;
    let mut lab = lab::open(&run, &file.study)?;
    let stop = Stop::listen()?;
    let kernel = cell.conditions.kernel.as_ref();
    let built = deferred(|| {
        lab.boot(kernel, &mut UntilStopped)?;
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
    let machine = lab.boot(kernel, &mut UntilStopped)?;
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

/// Returns the cell whose stack is built: the first with the stack and the kernel that are named, if they
/// are.
fn shown_cell(cells: &[Cell], stack: Option<&str>, kernel: Option<&AskedKernel>) -> Result<Cell> {
    let has_stack = |cell: &&Cell| stack.is_none_or(|name| cell.stack.name == name);
    let of_stack: Vec<&Cell> = cells.iter().filter(has_stack).collect();
    if of_stack.is_empty() {
        let mut names: Vec<&str> = cells.iter().map(|cell| cell.stack.name.as_str()).collect();
        names.dedup();
        return Err(Failure::new(format!(
            "--stack: the study has no stack `{}`",
            stack.unwrap_or_default()
        ))
        .hint(format!("it has {}", names.join(", "))));
    }
    let named = |is_it: &dyn Fn(&KernelName) -> bool| {
        let mut cells = of_stack.iter();
        cells.find(|cell| cell.conditions.kernel.as_ref().is_none_or(is_it))
    };
    let found = match kernel {
        None => of_stack.first(),
        Some(asked) => named(&|kernel| kernel.to_string() == asked.text)
            .or_else(|| named(&|kernel| is_any(kernel) && kernel.version() == asked.version))
            .or_else(|| {
                named(&|kernel| {
                    is_any(kernel) && kernel.version().series() == asked.version.series()
                })
            }),
    };
    found.map(|cell| (*cell).clone()).ok_or_else(|| {
        let kernels = of_stack
            .iter()
            .filter_map(|cell| cell.conditions.kernel.as_ref());
        let kernels: BTreeSet<&KernelName> = kernels.collect();
        let kernels: Vec<String> = kernels.iter().map(ToString::to_string).collect();
        let asked = kernel.map_or("", |kernel| &kernel.text);
        Failure::new(format!("--kernel: the study has no kernel {asked}"))
            .hint(format!("it has {}", kernels.join(", ")))
    })
}

/// Returns whether a study means any kernel of a version, and not one of that name.
fn is_any(kernel: &KernelName) -> bool {
    !kernel.is_exact()
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
    use stripewise_catalogue::{Language, Words};

    use super::*;

    #[test]
    fn a_shell_opens_beside_the_kernel_that_is_asked_for() {
        let study = |kernels: &str| {
            stripewise_fixtures::study(&format!(
                "[stack.one]\ndevices = {{ sata-ssd = 1 }}\n[stack.two]\ndevices = {{ sata-ssd = 2 }}\narray = {{ level = \"raid1\" }}\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\n{kernels}"
            ))
        };
        let listed = study("[conditions]\nkernel = [\"6.1\", \"6.12\"]\n").cells;
        let shown = |cells: &[Cell], stack, kernel: Option<&str>| {
            let kernel = kernel.map(|text| AskedKernel::parse(text).unwrap());
            let cell = shown_cell(cells, stack, kernel.as_ref());
            cell.map(|cell| {
                (
                    cell.stack.name,
                    cell.conditions.kernel.as_ref().map(KernelName::to_string),
                )
            })
            .map_err(|failure| failure.message())
        };
        let of = |stack: &str, kernel: &str| Ok((stack.to_owned(), Some(kernel.to_owned())));
        assert_eq!(shown(&listed, None, None), of("one", "6.1"));
        assert_eq!(shown(&listed, Some("two"), Some("6.12")), of("two", "6.12"));
        let name = "6.12.95-cloud-amd64@tree-1a2b3c4d";
        assert_eq!(shown(&listed, None, Some(name)), of("one", "6.12"));
        assert_eq!(
            shown(&listed, None, Some("5.10")),
            Err("--kernel: the study has no kernel 5.10".to_owned())
        );
        // Of guests that the study names, only that name will do.
        let guests = study("[conditions]\nkernel = [\"6.12@sid\", \"6.12@tree-x\"]\n").cells;
        assert_eq!(
            shown(&guests, None, Some("6.12@tree-x")),
            of("one", "6.12@tree-x")
        );
        for other in ["6.12", "6.12@tree-y"] {
            assert!(shown(&guests, None, Some(other)).is_err(), "{other}");
        }
        // Any guest serves a study that names none.
        let any = shown(&study("").cells, Some("two"), Some("5.10")).unwrap();
        assert_eq!(any, ("two".to_owned(), None));
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
            PreparationStep::Remove,
        ];
        for step in steps {
            let words = Language::ALL.map(|language| in_words(&step).in_language(language));
            assert_ne!(words[0], words[1], "{step:?}");
        }
    }
}
