//! The agent: this program inside the guest, which answers for a world there.
//!
//! It is started by the guest's process 1, finds the serial port by its name, makes the disks that the
//! host asks for, and lets a factory open a world on them. What the runner asks of the lab, it asks of
//! that world.

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
/// What a world in a guest is opened on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The modelled disks by their device profile.
    pub disks: BTreeMap<String, Vec<PathBuf>>,
    /// Whether time is virtual, so that only the kernel's own clock tells it.
    pub is_virtual_time: bool,
}

/// Opens a world.
pub type Factory<'a> = dyn FnMut(&Opening) -> Result<Box<dyn World>, WorldError> + 'a;

/// The agent cannot go on; the guest is powered off then.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no such serial port.
    #[error("failed to find the serial port `{PORT_NAME}`")]
    NoPort,
    /// The port cannot be used.
    #[error("failed to {attempted} the serial port")]
    Port {
        /// What was attempted.
        attempted: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The host says what nobody understands.
    #[error("the host does not keep to the protocol")]
    Wire(#[from] WireError),
}

/// Opens the serial port to the host.
///
/// # Errors
/// If this is no guest of ours, or the port is taken.
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

/// Answers the host on `port` until it closes it, for the world that `factory` opens and for the
/// modelled disks below it, whose random numbers begin with every sample at `disk_seed`.
///
/// # Errors
/// If the port fails. What the world cannot do is an answer, and no error.
pub fn serve<P: Read + Write + AsFd>(
    port: P,
    factory: &mut Factory<'_>,
    disk_seed: DiskSeed,
) -> Result<(), ServeError> {
    let mut link = Link {
        port,
        lines: Lines::default(),
    };
    link.say(&FromGuest::Ready {
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })?;
    let mut ground = Ground {
        world: None,
        disks: Disks::default(),
        disk_seed,
    };
    while let Some(request) = link.hear()? {
        // One that comes while nothing is under way came too late.
        if request == ToGuest::Stop {
            continue;
        }
        let answer = answer(&mut link, &mut ground, factory, request);
        let message = match answer {
            Ok(answer) => FromGuest::Done { answer },
            Err(error) => FromGuest::Failed {
                error: RemoteError::of(&error),
            },
        };
        link.say(&message)?;
    }
    Ok(())
}

/// What is answered for.
struct Ground {
    world: Option<Box<dyn World>>,
    disks: Disks,
    disk_seed: DiskSeed,
}

fn answer<P: Read + Write + AsFd>(
    link: &mut Link<P>,
    ground: &mut Ground,
    factory: &mut Factory<'_>,
    request: ToGuest,
) -> Result<Answer, WorldError> {
    if let ToGuest::Hello {
        disks,
        is_virtual_time,
    } = request
    {
        ground.disks = Disks::make(disks)?;
        let opening = Opening {
            disks: ground.disks.by_profile(),
            is_virtual_time,
        };
        ground.world = Some(factory(&opening)?);
        return Ok(Answer::Nothing);
    }
    if request == ToGuest::Shell {
        return shell().map(|()| Answer::Nothing);
    }
    let disks = &ground.disks;
    let world = ground
        .world
        .as_mut()
        .ok_or_else(|| WorldError::failed("failed to answer the host", "no world was opened"))?;
    match request {
        ToGuest::Facts => world.facts().map(|facts| Answer::Facts {
            facts: Box::new(facts),
        }),
        ToGuest::Check { cells } => world
            .check(&cells)
            .map(|warnings| Answer::Checked { warnings }),
        ToGuest::Prepare { cell } => {
            // The journal and the watch share one port, one at a time.
            let link = std::cell::RefCell::new(link);
            let prepared = world.prepare(&cell, &mut Ticking(&link), &mut Ticking(&link));
            let prepared = disks.prepared(prepared)?;
            Ok(Answer::Prepared {
                already_there: prepared == Prepared::AlreadyThere,
            })
        }
        ToGuest::Measure { cell, request } => {
            let link = std::cell::RefCell::new(link);
            let (seed, disk_seed) = (request.seed, ground.disk_seed);
            let throttling = match request.replay {
                None => Throttling::Default,
                Some(_) => Throttling::Off,
            };
            disks.reset(&cell.stack, throttling, |place| disk_seed(seed, place))?;
            let sample = world.measure(&cell, request, &mut Ticking(&link));
            let sample = disks.measured(sample)?;
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

/// The port and what came in on it.
struct Link<P> {
    port: P,
    lines: Lines,
}

impl<P: Read + Write + AsFd> Link<P> {
    fn say(&mut self, message: &FromGuest) -> Result<(), ServeError> {
        let line = line(message).map_err(io::Error::from).and_then(|line| {
            // The host would not read it.
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

    /// Waits for a message; nothing if the host is gone.
    fn hear(&mut self) -> Result<Option<ToGuest>, ServeError> {
        loop {
            if let Some(message) = self.lines.take()? {
                return Ok(Some(message));
            }
            if !self.read_more()? {
                return Ok(None);
            }
        }
    }

    /// Takes what is there, waiting for something; returns whether the host is still there.
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

    /// Says that something goes on, and returns whether the host wants it to.
    fn tick(&mut self) -> bool {
        if self.say(&FromGuest::Tick).is_err() {
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
        // Whatever the host says now, it does not want to wait for this any longer.
        matches!(self.lines.take::<ToGuest>(), Ok(None))
    }
}

struct Ticking<'a, 'b, P>(&'a std::cell::RefCell<&'b mut Link<P>>);

impl<P: Read + Write + AsFd> Watch for Ticking<'_, '_, P> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.0.borrow_mut().tick()
    }
}

/// A journal that needs no disk: what a guest changes is gone with it. The host hears that something
/// goes on.
impl<P: Read + Write + AsFd> Journal for Ticking<'_, '_, P> {
    fn announce(&mut self, _change: &Change) -> Result<(), JournalError> {
        Ok(self.0.borrow_mut().say(&FromGuest::Tick)?)
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.announce(change)
    }
}

/// Gives the console to a shell, and waits until it ends.
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
