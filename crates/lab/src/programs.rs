//! The programs of this machine that the lab calls: where they are, what brings them, how they fail.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use stripewise_fio::{Ended, find_tool, run_tool};

use crate::error::LabError;
use crate::text::{last_lines, on_one_line};

/// How long a program may take: the slowest downloads packages.
const LIMIT: Duration = Duration::from_secs(3600);

/// How long it may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// How much of what a failed program printed is shown.
const LINES_SHOWN_MAX: usize = 12;

/// A program that the lab needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Debian's package that brings it.
    pub package: &'static str,
    /// What it is needed for.
    pub purpose: &'static str,
    /// The argument that makes it print its version.
    version_argument: &'static str,
}

/// Runs the guest.
pub const QEMU: Program = program(
    "qemu-system-x86_64",
    "qemu-system-x86",
    "runs the guest",
    "--version",
);
/// Downloads packages.
pub const APT_GET: Program = program("apt-get", "apt", "downloads packages", "--version");
/// Looks packages up.
pub const APT_CACHE: Program = program("apt-cache", "apt", "looks packages up", "--version");
/// Opens packages.
pub const DPKG_DEB: Program = program("dpkg-deb", "dpkg", "opens packages", "--version");
/// Unpacks what is in them.
pub const TAR: Program = program("tar", "tar", "unpacks packages", "--version");
/// Builds the module of the modelled disks.
pub const MAKE: Program = program("make", "make", "builds the disk module", "--version");
/// Compiles it.
pub const GCC: Program = program("gcc", "gcc", "compiles the disk module", "--version");
/// Reads what a program asks its libraries for.
pub const READELF: Program = program("readelf", "binutils", "makes fio start faster", "--version");
/// Makes disk images.
pub const MKE2FS: Program = program("mke2fs", "e2fsprogs", "makes the guest's disks", "-V");
/// Finds the libraries of this program.
pub const LDD: Program = program(
    "ldd",
    "libc-bin",
    "finds libraries for the guest",
    "--version",
);

/// Opens modules of newer kernels.
pub const XZ: Program = program(
    "xz",
    "xz-utils",
    "opens modules of kernels that compress them",
    "--version",
);
/// Opens modules of other kernels.
pub const ZSTD: Program = program(
    "zstd",
    "zstd",
    "opens modules of kernels that compress them",
    "--version",
);

/// What only some kernels need.
pub const SOMETIMES: [Program; 2] = [XZ, ZSTD];

/// Everything that is needed, in the order in which it is used.
pub const PROGRAMS: [Program; 10] = [
    QEMU, APT_GET, APT_CACHE, DPKG_DEB, TAR, MAKE, GCC, READELF, MKE2FS, LDD,
];

const fn program(
    name: &'static str,
    package: &'static str,
    purpose: &'static str,
    version_argument: &'static str,
) -> Program {
    Program {
        name,
        package,
        purpose,
        version_argument,
    }
}

impl Program {
    /// Returns where it is, if it is installed.
    pub fn path(&self) -> Option<PathBuf> {
        find_tool(self.name)
    }

    /// Returns a command that starts it, in the C locale and without input.
    ///
    /// # Errors
    /// If it is not installed.
    pub(crate) fn command(&self) -> Result<Command, LabError> {
        let path = self.path().ok_or_else(|| LabError::Missing {
            programs: vec![self.name],
            packages: vec![self.package],
        })?;
        Ok(quiet(&path))
    }

    /// Returns the first line of what it says its version is.
    pub fn version(&self) -> Option<String> {
        let mut command = self.command().ok()?;
        command.arg(self.version_argument);
        let printed = run_tool(command, VERSION_LIMIT, &mut |_| true).ok()?;
        let text = [printed.stdout, printed.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().find(|line| !line.trim().is_empty())?;
        Some(on_one_line(line).chars().take(100).collect())
    }
}

/// Returns a command in the C locale and without input.
pub(crate) fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").stdin(Stdio::null());
    command
}

/// Runs `command` to its end, and returns what it printed; it does not outlive us.
///
/// # Errors
/// If it cannot be started, takes too long or fails; what it printed is told.
pub(crate) fn run(command: Command, attempted: &str) -> Result<Vec<u8>, LabError> {
    let program = name_of(&command);
    let printed = match run_tool(command, LIMIT, &mut |_| true) {
        Ok(printed) => printed,
        Err(source) => return Err(LabError::Start { program, source }),
    };
    let status = match printed.ended {
        Ended::Exited(status) if status.success() => return Ok(printed.stdout),
        Ended::Exited(status) => status.to_string(),
        Ended::TimedOut | Ended::Stopped => {
            format!("nothing within {} s and was ended", LIMIT.as_secs())
        }
    };
    let output = [printed.stdout, printed.stderr];
    Err(failed(program, attempted, status, &output))
}

/// Returns the error of a program that failed.
pub(crate) fn failed(
    program: String,
    attempted: &str,
    status: String,
    output: &[Vec<u8>; 2],
) -> LabError {
    let text = output.join(&b'\n');
    LabError::Failed {
        attempted: attempted.to_owned(),
        program,
        status,
        output: last_lines(&String::from_utf8_lossy(&text), LINES_SHOWN_MAX),
        hint: None,
    }
}

/// Returns the name of the program that a command starts.
pub(crate) fn name_of(command: &Command) -> String {
    Path::new(command.get_program())
        .file_name()
        .unwrap_or(OsStr::new("?"))
        .to_string_lossy()
        .into_owned()
}

/// Returns the programs of [`PROGRAMS`] that are not installed.
///
/// # Errors
/// [`LabError::Missing`] if there are any.
pub(crate) fn require(programs: &[Program]) -> Result<(), LabError> {
    let missing: Vec<&Program> = programs
        .iter()
        .filter(|program| program.path().is_none())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut packages: Vec<&'static str> = missing.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    Err(LabError::Missing {
        programs: missing.iter().map(|program| program.name).collect(),
        packages,
    })
}
