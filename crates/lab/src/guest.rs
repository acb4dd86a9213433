//! The agent: this program inside the guest, which serves a world to the host.
//!
//! The guest's process 1 starts it. It finds the serial port by name, adds the disks that the host
//! requests, and lets a factory open a world on them (`stacks`). It passes the runner's requests to
//! that world. Without a guest, the same agent runs in a mount namespace (`namespace`).

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::durability_load::DurabilityLoad;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_study::cell::Cell;
use stripewise_study::world::{
    Change, Journal, JournalError, LOOK_INTERVAL, Prepared, Watch, World, WorldError,
};

use crate::crash_point;
pub use crate::guest_disks::DiskSeed;
use crate::guest_disks::{Disks, Throttling, find_held};
use crate::wire::{
    Answer, Disk, FromGuest, HeldDisk, LINE_BYTES_MAX, Lines, LoadOnStack, News, PORT_NAME,
    PRINTED_MAX, Printed, RemoteError, ToGuest, WireError, line,
};

mod load;
mod namespace;
mod program;
mod stacks;

pub use namespace::serve_namespace;

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

/// Builds stacks whose power is cut, and brings them up again.
pub trait PowerCuts {
    /// Returns the devices of the disks that the host holds, listed by profile.
    ///
    /// # Errors
    /// If one is missing.
    fn find(&mut self, held: &[HeldDisk]) -> Result<BTreeMap<String, Vec<PathBuf>>, WorldError> {
        find_held(held)
    }

    /// Builds the stack of a cell on these devices, listed by profile, lays its load out, and stops
    /// it cleanly.
    ///
    /// # Errors
    /// If a layer cannot be built or stopped, or the load does not fit.
    fn build(
        &mut self,
        devices: &BTreeMap<String, Vec<PathBuf>>,
        cell: &Cell,
        work: &DurabilityLoad,
        watch: &mut dyn Watch,
    ) -> Result<BuiltStack, WorldError>;

    /// Brings the stack up and runs the load until `stop` is set.
    ///
    /// # Errors
    /// If the load fails. [`Recovery::Failed`] is no error.
    fn load(
        &mut self,
        on: &LoadOnStack,
        stop: &AtomicBool,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Option<Recovery>, WorldError>;

    /// Brings the stack up after a cut, and reads everything.
    ///
    /// # Errors
    /// If it cannot be determined what is there.
    fn look(&mut self, on: &LoadOnStack) -> Result<Recovery, WorldError>;
}

/// What the agent serves.
pub struct Serving<'a> {
    /// Opens the world of the runner's requests.
    pub factory: &'a mut Factory<'a>,
    /// Returns the start of each modelled disk's random generator.
    pub disk_seed: DiskSeed,
    /// Serves requests about power cuts.
    pub power_cuts: &'a mut dyn PowerCuts,
}

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

/// The agent cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The connection to the program that wants its answers.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// Its own standard streams.
    #[error(transparent)]
    Streams(#[from] io::Error),
    /// Its disks.
    #[error(transparent)]
    Disks(#[from] WorldError),
}

/// Serves the world of this guest until the host powers it off; `disk_seed` is that of
/// [`Serving`].
///
/// # Errors
/// If this is not a guest of the lab, or the host violates the protocol.
pub fn serve_guest(disk_seed: DiskSeed) -> Result<(), AgentError> {
    crash_point::arm();
    let serving = Serving {
        factory: &mut stacks::open,
        disk_seed,
        power_cuts: &mut stacks::StackCuts,
    };
    Ok(serve(open_port()?, serving)?)
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

/// Answers the host on `port` until the host closes it.
///
/// # Errors
/// If the port fails. An error of the world is an answer to the host, not an error here.
pub fn serve<P: Read + Write + AsFd + Send>(
    port: P,
    serving: Serving<'_>,
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
        held: BTreeMap::new(),
        disk_seed: serving.disk_seed,
    };
    while let Some(request) = link.receive()? {
        // A stop that arrives while no request runs came too late.
        if request == ToGuest::Stop {
            continue;
        }
        let answer = match request {
            ToGuest::Build { .. } | ToGuest::Load(_) | ToGuest::Look(_) => {
                answer_cuts(&mut link, &target, serving.power_cuts, request)
            }
            ToGuest::Hello {
                disks,
                held,
                is_virtual_time,
            } => {
                let found = serving.power_cuts.find(&held);
                found.and_then(|held| {
                    target.held = held;
                    target.open(disks, is_virtual_time, serving.factory)
                })
            }
            request => answer(&mut link, &mut target, request),
        };
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
    /// The disks that the host holds, by profile.
    held: BTreeMap<String, Vec<PathBuf>>,
    disk_seed: DiskSeed,
}

impl Target {
    /// Adds the modelled disks, and opens a world on them.
    fn open(
        &mut self,
        disks: Vec<Disk>,
        is_virtual_time: bool,
        factory: &mut Factory<'_>,
    ) -> Result<Answer, WorldError> {
        self.disks = Disks::make(disks)?;
        let opening = Opening {
            disks: self.disks.by_profile(),
            is_virtual_time,
        };
        self.world = Some(factory(&opening)?);
        Ok(Answer::Nothing)
    }
}

fn answer<P: Read + Write + AsFd>(
    link: &mut Link<P>,
    target: &mut Target,
    request: ToGuest,
) -> Result<Answer, WorldError> {
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
        ToGuest::Build { .. }
        | ToGuest::Load(_)
        | ToGuest::Look(_)
        | ToGuest::Hello { .. }
        | ToGuest::Shell
        | ToGuest::Stop => Ok(Answer::Nothing),
    }
}

/// Answers a request about a stack whose power is cut.
fn answer_cuts<P: Read + Write + AsFd + Send>(
    link: &mut Link<P>,
    target: &Target,
    power_cuts: &mut dyn PowerCuts,
    request: ToGuest,
) -> Result<Answer, WorldError> {
    match request {
        ToGuest::Build { cell, work } => {
            let link = std::cell::RefCell::new(link);
            let standing = power_cuts.build(&target.held, &cell, &work, &mut Ticking(&link))?;
            Ok(Answer::Built { standing })
        }
        ToGuest::Look(on) => {
            let look = power_cuts.look(&on)?;
            Ok(Answer::Looked { look })
        }
        ToGuest::Load(on) => {
            let look = run_load(link, power_cuts, &on)?;
            Ok(look.map_or(Answer::Nothing, |look| Answer::Looked { look }))
        }
        _ => Ok(Answer::Nothing),
    }
}

/// Runs a load, and sends what its writers acknowledge as soon as they do.
fn run_load<P: Read + Write + AsFd + Send>(
    link: &mut Link<P>,
    power_cuts: &mut dyn PowerCuts,
    on: &LoadOnStack,
) -> Result<Option<Recovery>, WorldError> {
    let stop = AtomicBool::new(false);
    let (sender, news) = channel();
    thread::scope(|scope| {
        let stop = &stop;
        let sending = scope.spawn(move || send_news(link, &news, stop));
        let ended = power_cuts.load(on, stop, &move |news| {
            // The receiver ends only after the host has stopped the load.
            let _sent = sender.send(news);
        });
        // The last sender is gone with the closure.
        let sent = sending.join();
        sent.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            .map_err(|error| WorldError::failed("failed to report to the host", error))?;
        ended
    })
}

/// Sends acknowledgements until the load has ended; asks it to end if the host does.
fn send_news<P: Read + Write + AsFd>(
    link: &mut Link<P>,
    news: &Receiver<News>,
    stop: &AtomicBool,
) -> Result<(), ServeError> {
    let mut ticked = Instant::now();
    loop {
        // Also while writers have news all the time.
        if ticked.elapsed() >= LOOK_INTERVAL {
            ticked = Instant::now();
            if !link.tick() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        match news.recv_timeout(LOOK_INTERVAL) {
            Ok(first) => {
                let (mut latest, mut lines) = (BTreeMap::new(), Vec::new());
                for one in [first].into_iter().chain(news.try_iter()) {
                    match one {
                        News::Acknowledged(one) => {
                            latest.insert(one.writer, one);
                        }
                        News::Printed(line) => lines.push(line),
                    }
                }
                if !latest.is_empty() {
                    let all = latest.into_values().collect();
                    link.send(&FromGuest::Acknowledged { all })?;
                }
                for lines in lines.chunks(PRINTED_MAX) {
                    let lines: Vec<Printed> = lines.to_vec();
                    link.send(&FromGuest::Printed { lines })?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
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
