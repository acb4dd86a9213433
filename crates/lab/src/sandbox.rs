//! Runs a program of the user's where it can reach nothing but the stack under test.
//!
//! ```text
//! /stack     read-write: a directory on the stack, also the working directory and HOME
//! /tmp       the same disk: a link to /stack/.tmp
//! /usr, ...  read-only: programs and libraries of the system
//! PATH       read-only: the program and the files that the study names, under their own paths
//! /proc, /dev  of its own: its processes; null, zero, random, a terminal
//! ```
//!
//! [bubblewrap](https://github.com/containers/bubblewrap) makes the namespaces: mounts, processes,
//! network, System V IPC and host name. It is what Flatpak runs programs with, is packaged by every
//! distribution, and makes all mounts in one call with a list of arguments. `unshare` would need a
//! script of ours as root for the same mounts. `prlimit` then bounds memory and processes, and `setpriv`
//! gives up root, all capabilities and the way back. Without any of them nothing runs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use stripewise_process::{Call, CallError, Program as Tool};
use stripewise_study::program::{DIRECTORY, PHASE, Program, SIZE};
use stripewise_study::world::{NeverCancel, WorldError};

/// What makes the namespaces.
pub const BWRAP: Tool = Tool::new("bwrap", "bubblewrap");
const SETPRIV: Tool = Tool::new("setpriv", "util-linux");
const PRLIMIT: Tool = Tool::new("prlimit", "util-linux");
const TRUE: Tool = Tool::new("true", "coreutils");

/// The user and group of the program: `nobody` and `nogroup` of Debian.
const UNPRIVILEGED: u32 = 65_534;
/// Where the program finds the stack.
const STACK: &str = "/stack";
/// Temporary files, in it.
const TEMPORARY: &str = ".tmp";
/// The directory of the program on the filesystem of the stack, beside `lost+found`.
const DATA: &str = "data";
/// The private memory of each process: the heap and private mappings (`RLIMIT_DATA`). Shared mappings
/// of files, such as LMDB's, do not count.
const MEMORY_BYTES_MAX: u64 = 2 << 30;
/// The processes and threads.
const PROCESSES_MAX: u32 = 512;
/// The system's programs and libraries.
const SYSTEM: [&str; 7] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
];
/// What programs read of `/etc` to find libraries and names.
const SETTINGS: [&str; 7] = [
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/ssl/openssl.cnf",
];
/// Directories that no study may name as a whole: they hold what is none of the program's business,
/// or the sandbox has its own.
const REFUSED: [&str; 14] = [
    "/", "/boot", "/dev", "/etc", "/home", "/mnt", "/proc", "/root", "/run", "/stack", "/sys",
    "/tmp", "/var", "/var/tmp",
];
/// The sandbox has its own of these.
const OWN: [&str; 4] = ["/dev", "/proc", "/stack", "/sys"];

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Writes and promises.
    Load,
    /// Prints the values that it finds.
    Check,
    /// Repairs, as a start would.
    Recover,
}

impl Phase {
    /// Returns the word that the program gets.
    pub const fn word(self) -> &'static str {
        match self {
            Phase::Load => "load",
            Phase::Check => "check",
            Phase::Recover => "recover",
        }
    }
}

/// Returns why a path cannot be shown to a program, if it cannot.
pub fn refused(path: &Path) -> Option<&'static str> {
    if REFUSED.iter().any(|refused| Path::new(refused) == path) {
        return Some("it is a whole system directory: name the files in it");
    }
    if OWN.iter().any(|own| path.starts_with(own)) {
        return Some("the program has a directory of that name of its own");
    }
    None
}

/// Makes the directory of the program on a filesystem that is mounted at `mount`.
///
/// # Errors
/// If the filesystem refuses, or the sandbox cannot be set up on this machine.
pub(crate) fn lay_out(program: &Program, mount: &Path) -> Result<(), WorldError> {
    let data = mount.join(DATA);
    let made = fs::DirBuilder::new().mode(0o755).create(&data);
    let made = made.and_then(|()| {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(data.join(TEMPORARY))
    });
    let owned = made.and_then(|()| {
        for directory in [&data, &data.join(TEMPORARY)] {
            chown(directory, Some(UNPRIVILEGED), Some(UNPRIVILEGED))?;
        }
        Ok(())
    });
    owned.map_err(|error| WorldError::failed("failed to make the program's directory", error))?;
    let path = TRUE.find().map_err(|error| error.while_trying(FAILED))?;
    let probe = Program {
        load: vec![path.to_string_lossy().into_owned()],
        ..program.clone()
    };
    let ran = call(&probe, Phase::Load, mount).run(&mut NeverCancel);
    ran.map(drop).map_err(not_set_up)
}

const FAILED: &str = "failed to set up the sandbox of the program";

/// Returns the error of a sandbox that cannot be set up, with what usually forbids it.
fn not_set_up(error: CallError) -> WorldError {
    let is_missing = matches!(error, CallError::Missing { .. });
    let error = error.while_trying(FAILED);
    match is_missing {
        true => error,
        false => error.or_hint(
            "a container must allow namespaces and mounts; without a sandbox no program is run",
        ),
    }
}

/// Returns whether a program failed because its sandbox could not be set up.
pub(crate) fn is_not_set_up(stderr: &[u8]) -> bool {
    let tools = [b"bwrap: ".as_slice(), b"setpriv: ", b"prlimit: "];
    tools.iter().any(|tool| stderr.starts_with(tool))
}

/// Returns a call of the program in its sandbox, on the filesystem at `mount`.
pub(crate) fn call(program: &Program, phase: Phase, mount: &Path) -> Call {
    let words = match phase {
        Phase::Load => program.load.as_slice(),
        Phase::Check => program.check(),
        Phase::Recover => program.recover.as_deref().unwrap_or_default(),
    };
    let size = program.record_bytes.map(|size| size.as_u64().to_string());
    let filled = words.iter().map(|word| {
        let word = word.replace(PHASE, phase.word()).replace(DIRECTORY, STACK);
        word.replace(SIZE, size.as_deref().unwrap_or_default())
    });
    let mut call = BWRAP
        .call(["--die-with-parent", "--new-session", "--clearenv"])
        .args([
            "--unshare-pid",
            "--unshare-net",
            "--unshare-ipc",
            "--unshare-uts",
        ])
        .args(["--unshare-cgroup-try", "--hostname", "stripewise"])
        // What `setpriv` needs to give everything up.
        .args([
            "--cap-drop",
            "ALL",
            "--cap-add",
            "CAP_SETUID",
            "--cap-add",
            "CAP_SETGID",
        ])
        .args(["--cap-add", "CAP_SETPCAP"]);
    let data = mount.join(DATA);
    call = call
        .args(system_mounts())
        .args(["--proc", "/proc", "--dev", "/dev"])
        .args([OsString::from("--bind"), data.into(), STACK.into()])
        .args(file_mounts(&program.needed()));
    let temporary = format!("{STACK}/{TEMPORARY}");
    let environment = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("HOME", STACK),
        ("TMPDIR", &temporary),
        ("STRIPEWISE_PHASE", phase.word()),
        ("STRIPEWISE_DIRECTORY", STACK),
    ];
    let size = size.clone().map(|size| ("STRIPEWISE_SIZE", size));
    let environment = environment.map(|(name, value)| (name, value.to_owned()));
    for (name, value) in environment.into_iter().chain(size) {
        call = call.args(["--setenv", name, &value]);
    }
    call.args(["--chdir", STACK, "--"])
        .args(tool(PRLIMIT))
        .arg(format!("--data={MEMORY_BYTES_MAX}"))
        .arg(format!("--nproc={PROCESSES_MAX}"))
        .args(["--core=0", "--"])
        .args(tool(SETPRIV))
        .arg(format!("--reuid={UNPRIVILEGED}"))
        .arg(format!("--regid={UNPRIVILEGED}"))
        .args(["--clear-groups", "--no-new-privs"])
        .args([
            "--inh-caps=-all",
            "--ambient-caps=-all",
            "--bounding-set=-all",
        ])
        .arg("--")
        .args(filled)
        .current_dir(Path::new("/"))
        .limit(Duration::from(program.limit))
        .contained()
}

/// Returns the path of a tool; a missing one fails with its name when the sandbox starts it.
fn tool(tool: Tool) -> [PathBuf; 1] {
    [tool
        .find()
        .unwrap_or_else(|_| Path::new("/usr/bin").join(tool.name))]
}

/// Returns arguments that show the system's directories as they are: links where it has links.
fn system_mounts() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    for directory in SYSTEM {
        match fs::read_link(directory) {
            Ok(link) => arguments.extend(["--symlink".into(), link.into(), directory.into()]),
            Err(_) => {
                let both = [directory, directory].map(OsString::from);
                arguments.push("--ro-bind-try".into());
                arguments.extend(both);
            }
        }
    }
    let above = ["/etc", "/etc/ssl"].map(PathBuf::from);
    arguments.extend(directories(above));
    for file in SETTINGS {
        arguments.push("--ro-bind-try".into());
        arguments.extend([file, file].map(OsString::from));
    }
    arguments
}

/// Returns arguments that show files under their own paths. bubblewrap makes what is above them
/// readable by root alone, so we make that first.
fn file_mounts(files: &[&Path]) -> Vec<OsString> {
    let is_system = |path: &Path| SYSTEM.iter().any(|system| path.starts_with(system));
    let files: Vec<&Path> = files
        .iter()
        .copied()
        .filter(|path| !is_system(path))
        .collect();
    let mut arguments = Vec::new();
    if !files.iter().any(|path| path.starts_with("/tmp")) {
        let temporary = format!("{STACK}/{TEMPORARY}");
        arguments.extend(["--symlink".into(), temporary.into(), "/tmp".into()]);
    }
    let above: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|path| path.ancestors().skip(1))
        .filter(|path| path.parent().is_some())
        .map(Path::to_owned)
        .collect();
    arguments.extend(directories(above));
    for file in files {
        arguments.push("--ro-bind".into());
        arguments.extend([OsString::from(file), file.into()]);
    }
    arguments
}

fn directories(paths: impl IntoIterator<Item = PathBuf>) -> Vec<OsString> {
    let make = |path: PathBuf| ["--perms".into(), "0755".into(), "--dir".into(), path.into()];
    paths.into_iter().flat_map(make).collect()
}
