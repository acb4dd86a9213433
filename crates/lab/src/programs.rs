//! The host programs that the lab calls: their packages, their purpose, their errors.

use std::time::Duration;

use stripewise_process::{Call, CallError, Program, UntilStopped};

use crate::error::LabError;
use crate::text::{on_one_line, tail};

/// How long a program may take; the slowest downloads packages.
const LIMIT: Duration = Duration::from_secs(3600);

/// How long a program may take to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// How many lines of a failed program's output are shown.
const LINES_SHOWN_MAX: usize = 12;

pub(crate) const QEMU: Program = Program::new("qemu-system-x86_64", "qemu-system-x86");
pub(crate) const APT_GET: Program = Program::new("apt-get", "apt");
pub(crate) const APT_CACHE: Program = Program::new("apt-cache", "apt");
pub(crate) const DPKG_DEB: Program = Program::new("dpkg-deb", "dpkg");
pub(crate) const TAR: Program = Program::new("tar", "tar");
pub(crate) const MAKE: Program = Program::new("make", "make");
pub(crate) const GCC: Program = Program::new("gcc", "gcc");
pub(crate) const READELF: Program = Program::new("readelf", "binutils");
pub(crate) const STRIP: Program = Program::new("strip", "binutils");
pub(crate) const MKE2FS: Program = Program::new("mke2fs", "e2fsprogs");
pub(crate) const LDD: Program = Program::new("ldd", "libc-bin");
pub(crate) const XZ: Program = Program::new("xz", "xz-utils");
pub(crate) const ZSTD: Program = Program::new("zstd", "zstd");
/// Loads the disk module in the guest.
pub(crate) const MODPROBE: Program = Program::new("modprobe", "kmod");

/// Why the lab needs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    pub(crate) program: Program,
    /// Its purpose.
    pub(crate) purpose: &'static str,
    /// Whether every guest needs it; if not, some kernels do.
    pub(crate) is_required: bool,
    /// The argument that makes it print its version.
    pub(crate) version_argument: &'static str,
}

/// All programs, in the order of their use.
pub(crate) const NEEDS: [Need; 12] = [
    need(QEMU, "runs the guest"),
    need(APT_GET, "downloads packages"),
    need(APT_CACHE, "looks up packages"),
    need(DPKG_DEB, "opens packages"),
    need(TAR, "unpacks packages"),
    need(MAKE, "builds the disk module"),
    need(GCC, "compiles the disk module"),
    need(READELF, "finds the libraries fio can do without"),
    Need {
        version_argument: "-V",
        ..need(MKE2FS, "creates the guest's disk images")
    },
    need(LDD, "finds libraries for the guest"),
    optional_need(XZ),
    optional_need(ZSTD),
];

const fn need(program: Program, purpose: &'static str) -> Need {
    Need {
        program,
        purpose,
        is_required: true,
        version_argument: "--version",
    }
}

const fn optional_need(program: Program) -> Need {
    Need {
        is_required: false,
        ..need(program, "decompresses kernel modules")
    }
}

/// Returns the first line of a program's version output.
pub(crate) fn version_of(call: Call) -> Option<String> {
    let printed = match call.limit(VERSION_LIMIT).run(&mut UntilStopped) {
        Ok(printed) | Err(CallError::Failed { printed, .. }) => printed,
        Err(_) => return None,
    };
    let text = [printed.stdout, printed.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().find(|line| !line.trim().is_empty())?;
    Some(on_one_line(line).chars().take(100).collect())
}

/// Runs a program and returns its standard output.
///
/// # Errors
/// If it is missing, cannot be started, takes too long or fails; the error shows its last output.
/// [`LabError::Interrupted`] if this process is asked to stop.
pub(crate) fn run(call: Call, attempted: &str) -> Result<Vec<u8>, LabError> {
    let program = call.name();
    let ran = call.limit(LIMIT).run(&mut UntilStopped);
    ran.map(|printed| printed.stdout)
        .map_err(|error| failed(error, program, attempted))
}

/// Returns the error of a program that failed.
pub(crate) fn failed(error: CallError, program: String, attempted: &str) -> LabError {
    let (status, printed) = match error {
        CallError::Failed {
            status, printed, ..
        } => (status.to_string(), printed),
        CallError::TimedOut { limit, printed, .. } => {
            let limit = limit.as_secs();
            (format!("a timeout after {limit} s"), printed)
        }
        error => return not_started(error, program),
    };
    let text = [printed.stdout, printed.stderr].join(&b'\n');
    LabError::Failed {
        attempted: attempted.to_owned(),
        program,
        status,
        output: tail(&String::from_utf8_lossy(&text), LINES_SHOWN_MAX),
        hint: None,
    }
}

/// Returns the error of a program that could not be started.
pub(crate) fn not_started(error: CallError, program: String) -> LabError {
    match error {
        CallError::Missing { program } => missing(&[program]),
        CallError::Interrupted => LabError::Interrupted,
        error => LabError::Start {
            program,
            source: error.into(),
        },
    }
}

/// Checks that all required programs are installed.
///
/// # Errors
/// [`LabError::Missing`] with those that are not.
pub(crate) fn require_all() -> Result<(), LabError> {
    let required = NEEDS.iter().filter(|need| need.is_required);
    let programs = required.map(|need| need.program);
    let lacking: Vec<Program> = programs.filter(|program| program.find().is_err()).collect();
    match lacking.as_slice() {
        [] => Ok(()),
        lacking => Err(missing(lacking)),
    }
}

/// A header of the C library, without which no `configure` works.
pub(crate) const HEADER: &str = "/usr/include/stdio.h";
/// Its package.
pub(crate) const HEADER_PACKAGE: &str = "libc6-dev";

/// Checks that ZFS can be built, besides what [`require_all`] checks.
///
/// # Errors
/// [`LabError::Missing`].
pub(crate) fn require_for_zfs() -> Result<(), LabError> {
    match std::path::Path::new(HEADER).exists() {
        true => Ok(()),
        false => Err(LabError::Missing {
            programs: vec![HEADER],
            packages: vec![HEADER_PACKAGE],
        }),
    }
}

fn missing(programs: &[Program]) -> LabError {
    let mut packages: Vec<&'static str> = programs.iter().map(|program| program.package).collect();
    packages.sort_unstable();
    packages.dedup();
    LabError::Missing {
        programs: programs.iter().map(|program| program.name).collect(),
        packages,
    }
}
