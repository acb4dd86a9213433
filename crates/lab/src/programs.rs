//! The programs of this machine that the lab calls: where they are, what brings them, how they fail.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::LabError;
use crate::text::{last_lines, on_one_line};

/// Where programs for administrators are, whether or not `PATH` of an ordinary user says so.
const MORE_DIRECTORIES: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

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
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path)
            .filter(|directory| directory.is_absolute())
            .chain(MORE_DIRECTORIES.map(PathBuf::from))
            .map(|directory| directory.join(self.name))
            .find(|program| is_executable(program))
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
        let output = self
            .command()
            .ok()?
            .arg(self.version_argument)
            .output()
            .ok()?;
        let text = [output.stdout, output.stderr].concat();
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
/// If it cannot be started or fails; what it printed is told.
pub(crate) fn run(mut command: Command, attempted: &str) -> Result<Vec<u8>, LabError> {
    let name = name_of(&command);
    stripewise_fio::end_with_parent(&mut command);
    let output = command.output().map_err(|source| LabError::Start {
        program: name,
        source,
    })?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(failed(&command, attempted, &output)),
    }
}

/// Returns the error of a program that failed.
pub(crate) fn failed(command: &Command, attempted: &str, output: &Output) -> LabError {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push('\n');
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    LabError::Failed {
        attempted: attempted.to_owned(),
        program: name_of(command),
        status: output.status.to_string(),
        output: last_lines(&text, LINES_SHOWN_MAX),
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

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
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
