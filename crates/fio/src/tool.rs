//! The programs of others that are called besides fio: found, run within limits, their package named.
//!
//! Arguments are a vector, never a shell's line. A program gets no input, so it cannot ask anything;
//! `LC_ALL=C`, so that its words are the same everywhere; and what [`Running`] gives: a process group
//! of its own that dies with us, and a deadline. What it prints goes into memory, up to a limit: a
//! tool that prints much does not block, cannot fill the memory, and leaves no file.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::{Ended, Running};
use crate::memory::MemoryFile;

/// Where administrators' tools are even if `PATH` does not say so, as for ordinary users of Debian.
const FOLDERS: [&str; 3] = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/// How much a tool may print to either stream; the kernel refuses more.
pub const OUTPUT_BYTES_MAX: u64 = 16 << 20;

/// How a tool ended and what it printed.
#[derive(Debug)]
pub struct Printed {
    /// How it ended.
    pub ended: Ended,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said besides.
    pub stderr: Vec<u8>,
}

/// Returns where the program `name` is: in a directory of `PATH`, or where administrators' tools are.
///
/// Relative directories are passed over: what they mean depends on where we are run.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .chain(FOLDERS.iter().map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|program| is_executable(program))
}

/// Returns what to do where programs are missing that these packages of Debian bring.
pub fn install_hint(packages: &[&str]) -> String {
    format!(
        "install what brings it: `apt-get install {}`",
        packages.join(" ")
    )
}

/// Runs `command` until it ends, `limit` has passed, or `keep_going` says no; asks it about four times
/// a second.
///
/// # Errors
/// If it cannot be started or waited for, or prints more than [`OUTPUT_BYTES_MAX`]. That it failed is
/// no error here.
pub fn run_tool(
    mut command: Command,
    limit: Duration,
    keep_going: &mut dyn FnMut(Duration) -> bool,
) -> io::Result<Printed> {
    let stdout = MemoryFile::for_output(OUTPUT_BYTES_MAX)?;
    let stderr = MemoryFile::for_output(OUTPUT_BYTES_MAX)?;
    command
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(stdout.handle()?)
        .stderr(stderr.handle()?);
    let ended = Running::start(command)?.wait(limit, keep_going)?;
    Ok(Printed {
        ended,
        stdout: whole(&stdout)?,
        stderr: whole(&stderr)?,
    })
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// Returns the whole of a tool's output: a part of a list would be taken for the whole.
fn whole(output: &MemoryFile) -> io::Result<Vec<u8>> {
    match output.is_overfull()? {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it printed more than {OUTPUT_BYTES_MAX} bytes"),
        )),
        false => output.read(OUTPUT_BYTES_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_found_and_what_is_not_is_not() {
        assert!(find_tool("sh").unwrap().is_absolute());
        assert_eq!(find_tool("stripewise-no-such-tool"), None);
    }

    #[test]
    fn a_flood_of_output_neither_blocks_nor_fills_memory() {
        let mut command = Command::new("head");
        command.args(["-c", "20000000", "/dev/zero"]);
        let error = run_tool(command, Duration::from_secs(60), &mut |_| true).unwrap_err();
        assert_eq!(error.to_string(), "it printed more than 16777216 bytes");
    }
}
