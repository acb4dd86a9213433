//! A person at the guest's console: bytes carried between a terminal, or a pipe, and a shell there.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_study::world::WorldError;

use crate::machine::{Heard, Machine, MachineError};
use crate::wire::{FromGuest, ToGuest};

/// What is typed when the input ends. Not Ctrl-D: one that comes before the shell listens is lost when
/// the shell changes the terminal's mode.
const FAREWELL: &[u8] = b"\nexit\n";
/// How often the port is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

/// The key that leaves at once, Ctrl-]: the guest gets Ctrl-C, and may hang.
const LEAVE: u8 = 0x1d;

/// Gives the guest's console to `input` and `output` until the shell on it ends, Ctrl-] is typed, or
/// `is_stopped`.
///
/// # Errors
/// If the guest dies, has no shell, or is to be left in the middle.
pub fn attend(
    machine: &mut Machine,
    input: impl AsFd,
    output: &mut dyn Write,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), WorldError> {
    let input: OwnedFd = input.as_fd().try_clone_to_owned().map_err(failed)?;
    let mut input = Some(std::fs::File::from(input));
    let console = machine.console().try_clone().map_err(failed)?;
    machine.send(&ToGuest::Shell).map_err(failed)?;
    loop {
        let carried = carry(&console, &mut input, output).map_err(failed)?;
        if carried == Carried::Left {
            return Ok(());
        }
        if is_stopped() {
            return Err(WorldError::Interrupted);
        }
        match machine.hear_port().map_err(failed)? {
            Heard::Nothing => {}
            Heard::Message(message) => match *message {
                FromGuest::Done { .. } => {
                    // What the shell said last.
                    carry(&console, &mut None, output).map_err(failed)?;
                    return Ok(());
                }
                FromGuest::Failed { error } => return Err(error.into_world_error("lab")),
                FromGuest::Tick => {}
                other => return Err(failed(MachineError::unexpected(&other))),
            },
        }
    }
}

fn failed(source: impl std::error::Error + Send + Sync + 'static) -> WorldError {
    WorldError::failed("failed to use the guest's console", source)
}

/// Whether the person wants to go on.
#[derive(PartialEq, Eq)]
enum Carried {
    On,
    Left,
}

/// Carries what is there, in both directions; waits a moment if nothing is.
fn carry(
    mut console: &UnixStream,
    input: &mut Option<std::fs::File>,
    output: &mut dyn Write,
) -> io::Result<Carried> {
    let timeout = Timespec::try_from(INTERVAL).map_err(io::Error::other)?;
    let mut descriptors = vec![PollFd::new(console, PollFlags::IN)];
    if let Some(input) = input.as_ref() {
        descriptors.push(PollFd::new(input, PollFlags::IN));
    }
    let _woken = poll(&mut descriptors, Some(&timeout));
    let ready: Vec<bool> = descriptors
        .iter()
        .map(|fd| !fd.revents().is_empty())
        .collect();
    drop(descriptors);
    let mut buffer = [0; 4096];
    if ready.first() == Some(&true) {
        match console.read(&mut buffer) {
            Ok(length) => {
                output.write_all(&buffer[..length])?;
                output.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(file) = input
        && ready.get(1) == Some(&true)
        && takes_more(console)
    {
        // A serial port is slow: little at a time, so that nothing has to be kept.
        let length = file.read(&mut buffer[..64])?;
        if buffer[..length].contains(&LEAVE) {
            return Ok(Carried::Left);
        }
        match length {
            0 => {
                console.write_all(FAREWELL)?;
                *input = None;
            }
            length => console.write_all(&buffer[..length])?,
        }
    }
    Ok(Carried::On)
}

fn takes_more(console: &UnixStream) -> bool {
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut descriptors = [PollFd::new(console, PollFlags::OUT)];
    poll(&mut descriptors, Some(&at_once)).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    /// Returns what comes of a shell in a guest that listens and never says a word.
    fn in_a_silent_guest(typed: &[u8], is_stopped: &dyn Fn() -> bool) -> Result<(), WorldError> {
        let (port, _port_of_guest) = UnixStream::pair().unwrap();
        let (console, _console_of_guest) = UnixStream::pair().unwrap();
        let mut machine = Machine::on(port, console).unwrap();
        let (input, mut person) = UnixStream::pair().unwrap();
        person.write_all(typed).unwrap();
        attend(&mut machine, input, &mut Vec::new(), is_stopped)
    }

    #[test]
    fn a_guest_that_hangs_can_be_left() {
        in_a_silent_guest(b"ls\n\x03\x1d", &|| false).unwrap();
    }

    #[test]
    fn a_shell_that_is_told_to_end_ends() {
        let stopped = in_a_silent_guest(b"ls\n", &|| true);
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }
}
