//! The agent: this program inside the guest, which serves a world to the host.
//!
//! The guest's process 1 starts it. It finds the serial port by name, adds the disks that the host
//! requests, and lets a factory open a world on them. It passes the runner's requests to that
//! world.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_study::world::{Change, Journal, JournalError, Prepared, Watch, World, WorldError};

pub use crate::guest_disks::DiskSeed;
use crate::guest_disks::{Disks, Throttling};
use crate::wire::{
    Answer, FromGuest, LINE_BYTES_MAX, Lines, PORT_NAME, RemoteError, ToGuest, WireError, line,
};

/// Where the kernel lists virtual serial ports.
const PORTS: &str = "/sys/class/virtio-ports";
/// The guest's console.
const CONSOLE: &str = "/dev/ttyS0";
/// The input of a factory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The modelled disks by their device profile.
    pub disks: BTreeMap<String, Vec<PathBuf>>,
    /// Whether time is virtual, so that only the kernel's clock is right.
    pub is_virtual_time: bool,
}

/// Opens a world.
pub type Factory<'a> = dyn FnMut(&Opening) -> Result<Box<dyn World>, WorldError> + 'a;

/// The agent failed; the guest then powers off.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no such serial port.
    #[error("failed to find the serial port `{PORT_NAME}`")]
    NoPort,
    /// An operation on the port failed.
    #[error("failed to {attempted} the serial port")]
    Port {
        /// The operation.
        attempted: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The host sent a malformed message.
    #[error("the host violates the protocol")]
    Wire(#[from] WireError),
}

/// Opens the serial port to the host.
///
/// # Errors
/// If this is not a guest of the lab, or the port is in use.
pub fn open_port() -> Result<File, ServeError> {
    let entries = std::fs::read_dir(PORTS).map_err(|_| ServeError::NoPort)?;
    let is_ours = |path: &Path| {
        let name = std::fs::read_to_string(path.join("name"));
        name.is_ok_and(|name| name.trim() == PORT_NAME)
    };
    let port = entries
        .flatten()
        .find(|entry| is_ours(&entry.path()))
        .ok_or(ServeError::NoPort)?;
    let path = Path::new("/dev").join(port.file_name());
    let opened = OpenOptions::new().read(true).write(true).open(path);
    opened.map_err(|source| ServeError::Port {
        attempted: "open",
        source,
    })
}

/// Answers the host on `port` until the host closes it. `factory` opens the world; `disk_seed`
/// gives the start of each modelled disk's random generator for every sample.
///
/// # Errors
/// If the port fails. An error of the world is an answer to the host, not an error here.
pub fn serve<P: Read + Write + AsFd>(
    port: P,
    factory: &mut Factory<'_>,
    disk_seed: DiskSeed,
) -> Result<(), ServeError> {
    let mut link = Link {
        port,
        lines: Lines::default(),
    };
    link.send(&FromGuest::Ready {
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    let mut target = Target {
        world: None,
        disks: Disks::default(),
        disk_seed,
    };
    while let Some(request) = link.receive()? {
        // A stop that arrives while no request runs came too late.
        if request == ToGuest::Stop {
            continue;
        }
        let answer = answer(&mut link, &mut target, factory, request);
        let message = match answer {
            Ok(answer) => FromGuest::Done { answer },
            Err(error) => FromGuest::Failed {
                error: RemoteError::of(&error),
            },
        };
        link.send(&message)?;
    }
    Ok(())
}

/// The world and the disks that the agent serves.
struct Target {
    world: Option<Box<dyn World>>,
    disks: Disks,
    disk_seed: DiskSeed,
}

fn answer<P: Read + Write + AsFd>(
    link: &mut Link<P>,
    target: &mut Target,
    factory: &mut Factory<'_>,
    request: ToGuest,
) -> Result<Answer, WorldError> {
    if let ToGuest::Hello {
        disks,
        is_virtual_time,
    } = request
    {
        target.disks = Disks::make(disks)?;
        let opening = Opening {
            disks: target.disks.by_profile(),
            is_virtual_time,
        };
        target.world = Some(factory(&opening)?);
        return Ok(Answer::Nothing);
    }
    if request == ToGuest::Shell {
        return shell().map(|()| Answer::Nothing);
    }
    let disks = &target.disks;
    let world = target
        .world
        .as_mut()
        .ok_or_else(|| WorldError::failed("failed to answer the host", "no world is open"))?;
    match request {
        ToGuest::Facts => world.facts().map(|facts| Answer::Facts {
            facts: Box::new(facts),
        }),
        ToGuest::Check { cells } => world
            .check(&cells)
            .map(|warnings| Answer::Checked { warnings }),
        ToGuest::Prepare { cell } => {
            // The journal and the watch take turns on one port.
            let link = std::cell::RefCell::new(link);
            let prepared = world.prepare(&cell, &mut Ticking(&link), &mut Ticking(&link));
            let prepared = disks.prepared(prepared)?;
            Ok(Answer::Prepared {
                already_there: prepared == Prepared::AlreadyThere,
            })
        }
        ToGuest::Measure { cell, request } => {
            let link = std::cell::RefCell::new(link);
            let (seed, disk_seed) = (request.seed, target.disk_seed);
            let is_replay = request.replay.is_some();
            let throttling = match (cell.conditions.wbt_lat_us, is_replay) {
                (Some(latency_us), _) => Throttling::Asked(latency_us),
                (None, false) => Throttling::Default,
                (None, true) => Throttling::Off,
            };
            disks.reset(&cell.stack, throttling, |place| disk_seed(seed, place))?;
            let sample = world.measure(&cell, request, &mut Ticking(&link));
            let sample = disks.measured(sample, is_replay)?;
            Ok(Answer::Sample {
                sample: Box::new(sample),
            })
        }
        ToGuest::Restore => {
            let link = std::cell::RefCell::new(link);
            world.restore(&mut Ticking(&link)).map(|()| Answer::Nothing)
        }
        ToGuest::Hello { .. } | ToGuest::Shell | ToGuest::Stop => Ok(Answer::Nothing),
    }
}

/// The port and its input buffer.
struct Link<P> {
    port: P,
    lines: Lines,
}

impl<P: Read + Write + AsFd> Link<P> {
    fn send(&mut self, message: &FromGuest) -> Result<(), ServeError> {
        let line = line(message).map_err(io::Error::from).and_then(|line| {
            // The host would reject it.
            match line.len() > LINE_BYTES_MAX {
                true => Err(io::Error::other("a message is too long")),
                false => Ok(line),
            }
        });
        line.and_then(|line| self.port.write_all(&line))
            .map_err(|source| ServeError::Port {
                attempted: "write to",
                source,
            })
    }

    /// Waits for a message; `None` if the host closed the port.
    fn receive(&mut self) -> Result<Option<ToGuest>, ServeError> {
        loop {
            if let Some(message) = self.lines.take()? {
                return Ok(Some(message));
            }
            if !self.read_more()? {
                return Ok(None);
            }
        }
    }

    /// Reads at least one byte; returns false if the host closed the port.
    fn read_more(&mut self) -> Result<bool, ServeError> {
        let mut buffer = [0; 1 << 16];
        loop {
            match self.port.read(&mut buffer) {
                Ok(0) => return Ok(false),
                Ok(length) => {
                    self.lines.push(&buffer[..length]);
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(ServeError::Port {
                        attempted: "read from",
                        source,
                    });
                }
            }
        }
    }

    /// Sends a tick; returns false if the host has stopped the request.
    fn tick(&mut self) -> bool {
        if self.send(&FromGuest::Tick).is_err() {
            return false;
        }
        let mut descriptors = [PollFd::new(&self.port, PollFlags::IN)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let is_something_there =
            poll(&mut descriptors, Some(&at_once)).is_ok_and(|count| count > 0);
        if is_something_there && !self.read_more().unwrap_or(false) {
            return false;
        }
        // Any message now means that the host no longer waits for this request.
        matches!(self.lines.take::<ToGuest>(), Ok(None))
    }
}

struct Ticking<'a, 'b, P>(&'a std::cell::RefCell<&'b mut Link<P>>);

impl<P: Read + Write + AsFd> Watch for Ticking<'_, '_, P> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.0.borrow_mut().tick()
    }
}

/// A journal that stores nothing: all changes vanish with the guest. It only sends ticks.
impl<P: Read + Write + AsFd> Journal for Ticking<'_, '_, P> {
    fn announce(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(self.0.borrow_mut().send(&FromGuest::Tick)?)
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.announce(change)
    }
}

/// Starts a shell on the console and waits until it exits.
fn shell() -> Result<(), WorldError> {
    let attempted = "failed to start a shell";
    let console = || OpenOptions::new().read(true).write(true).open(CONSOLE);
    let open = || console().map_err(|error| WorldError::failed(attempted, error));
    let mut shell = Command::new("setsid");
    shell
        .args(["--ctty", "--wait", "/bin/bash", "--norc", "-i"])
        .env("PS1", "lab# ")
        .current_dir("/")
        .stdin(open()?)
        .stdout(open()?)
        .stderr(open()?);
    shell
        .status()
        .map(|_| ())
        .map_err(|error| WorldError::failed(attempted, error))
}
