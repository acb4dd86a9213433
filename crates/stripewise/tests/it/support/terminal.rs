//! Runs commands on a pseudo-terminal and returns their output.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};

use rustix::process::Signal;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{DEADLINE, number, send};

/// Runs a command to its end on pipes; kills one that is not done by the deadline.
pub(crate) fn run_on_pipes(mut command: Command) -> Output {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap();
    by_deadline(number(&child), || child.wait_with_output().unwrap())
}

/// Waits for a process; kills it if it is not done by the deadline.
fn by_deadline<T>(process: i32, wait: impl FnOnce() -> T) -> T {
    let (ended, watched) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if watched.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
                send(process, Signal::KILL);
            }
        });
        let waited = wait();
        drop(ended);
        waited
    })
}

/// A variable that makes stdin the terminal too, so that the test can type.
pub(crate) const TYPES: &str = "STRIPEWISE_TEST_TYPES";

/// Starts a command whose stdout and stderr are a terminal of so many columns; returns our side of it.
pub(crate) fn start_on_terminal(mut command: Command, columns: u16) -> (Child, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let side = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    if command.get_envs().any(|(name, _)| name == TYPES) {
        command.stdin(side.try_clone().unwrap());
    }
    command.stdout(side.try_clone().unwrap()).stderr(side);
    let child = command.spawn().unwrap();
    // Our own copies of the other side would keep the terminal open for ever.
    drop(command);
    (child, File::from(terminal))
}

/// Runs a command on a terminal, and kills it at the deadline; returns how it ended and every byte
/// that it printed, with the terminal's own CR LF for each line end.
pub(crate) fn run_on_terminal(command: Command, columns: u16) -> (ExitStatus, Vec<u8>) {
    let (mut child, mut terminal) = start_on_terminal(command, columns);
    let mut bytes = Vec::new();
    let status = by_deadline(number(&child), || {
        // EIO once the last writer has closed the terminal; all output is read by then.
        let _ = terminal.read_to_end(&mut bytes);
        child.wait().unwrap()
    });
    (status, bytes)
}
