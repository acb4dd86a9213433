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

/// Gives the guest's console to `input` and `output` until the shell on it ends.
///
/// # Errors
/// If the guest dies, or has no shell.
pub fn attend(
    machine: &mut Machine,
    input: impl AsFd,
    output: &mut dyn Write,
) -> Result<(), WorldError> {
    let input: OwnedFd = input.as_fd().try_clone_to_owned().map_err(failed)?;
    let mut input = Some(std::fs::File::from(input));
    let console = machine.console().try_clone().map_err(failed)?;
    machine.send(&ToGuest::Shell).map_err(failed)?;
    loop {
        carry(&console, &mut input, output).map_err(failed)?;
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
                other => {
                    let said = format!("{other:?}").chars().take(80).collect();
                    return Err(failed(MachineError::Unexpected { said }));
                }
            },
        }
    }
}

fn failed(source: impl std::error::Error + Send + Sync + 'static) -> WorldError {
    WorldError::failed("failed to use the guest's console", source)
}

/// Carries what is there, in both directions; waits a moment if nothing is.
fn carry(
    mut console: &UnixStream,
    input: &mut Option<std::fs::File>,
    output: &mut dyn Write,
) -> io::Result<()> {
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
        match length {
            0 => {
                console.write_all(FAREWELL)?;
                *input = None;
            }
            length => console.write_all(&buffer[..length])?,
        }
    }
    Ok(())
}

fn takes_more(console: &UnixStream) -> bool {
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let mut descriptors = [PollFd::new(console, PollFlags::OUT)];
    poll(&mut descriptors, Some(&at_once)).is_ok_and(|count| count > 0)
}
