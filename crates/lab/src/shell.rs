//! A shell on the guest's console: copies bytes between it and a terminal or a pipe.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_study::world::{WorldError, WorldName};

use crate::machine::{Machine, MachineError, Received};
use crate::wire::{FromGuest, ToGuest};

/// Sent when the input ends. Not Ctrl-D: one that arrives before the shell reads is lost when the
/// shell changes the terminal mode.
const EXIT_COMMAND: &[u8] = b"\nexit\n";
/// How often the port is polled.
const INTERVAL: Duration = Duration::from_millis(100);

/// The key that detaches at once, Ctrl-]: Ctrl-C goes to the guest, which may hang.
const DETACH_KEY: u8 = 0x1d;

/// Connects the guest's console to `input` and `output` until the shell exits, the user types
/// Ctrl-], or `is_stopped` returns true.
///
/// # Errors
/// If the guest dies, has no shell, or `is_stopped` returns true.
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
        let session = transfer(&console, &mut input, output).map_err(failed)?;
        if session == Session::Detached {
            return Ok(());
        }
        if is_stopped() {
            return Err(WorldError::Interrupted);
        }
        match machine.poll_port().map_err(failed)? {
            Received::Nothing => {}
            Received::Message(message) => match *message {
                FromGuest::Done { .. } => {
                    // The shell's last output.
                    transfer(&console, &mut None, output).map_err(failed)?;
                    return Ok(());
                }
                FromGuest::Failed { error } => return Err(error.into_world_error(WorldName::Lab)),
                FromGuest::Tick => {}
                other => return Err(failed(MachineError::unexpected(&other))),
            },
        }
    }
}

fn failed(source: impl std::error::Error + Send + Sync + 'static) -> WorldError {
    WorldError::failed("failed to use the guest's console", source)
}

/// Whether the session continues.
#[derive(PartialEq, Eq)]
enum Session {
    Open,
    Detached,
}

/// Copies pending bytes in both directions; waits up to [`INTERVAL`] for some.
fn transfer(
    mut console: &UnixStream,
    input: &mut Option<std::fs::File>,
    output: &mut dyn Write,
) -> io::Result<Session> {
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
        && is_writable(console)
    {
        // A serial port is slow: small pieces, so that we need no buffer.
        let length = file.read(&mut buffer[..64])?;
        if buffer[..length].contains(&DETACH_KEY) {
            return Ok(Session::Detached);
        }
        match length {
            0 => {
                console.write_all(EXIT_COMMAND)?;
                *input = None;
            }
            length => console.write_all(&buffer[..length])?,
        }
    }
    Ok(Session::Open)
}

fn is_writable(console: &UnixStream) -> bool {
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

    /// Runs a shell session with a guest that reads but never answers.
    fn session_in_a_silent_guest(
        typed: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<(), WorldError> {
        let (port, _port_of_guest) = UnixStream::pair().unwrap();
        let (console, _console_of_guest) = UnixStream::pair().unwrap();
        let mut machine = Machine::on(port, console).unwrap();
        let (input, mut person) = UnixStream::pair().unwrap();
        person.write_all(typed).unwrap();
        attend(&mut machine, input, &mut Vec::new(), is_stopped)
    }

    #[test]
    fn ctrl_bracket_detaches_from_a_hung_guest() {
        session_in_a_silent_guest(b"ls\n\x03\x1d", &|| false).unwrap();
    }

    #[test]
    fn a_stopped_shell_is_interrupted() {
        let stopped = session_in_a_silent_guest(b"ls\n", &|| true);
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }
}
