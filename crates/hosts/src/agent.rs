//! The program on a host: a world of metal that its controller asks over standard input and output.
//!
//! ```text
//! standard input --> reader thread --> requests   --> main thread: the world, one request at a time
//!                        |  answers clocks at once        |
//!                        v                                v
//!                    last heard, gone            writer thread --> standard output, and a beat a second
//! ```
//!
//! The agent undoes everything and removes its folder when its input ends, when nothing came for
//! [`SILENCE_MAX`], and when it is asked to stop by a signal. If it is killed, fio dies with it, and its
//! journal stays in the folder: `restore` on the controller starts a new agent there, which undoes it.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use stripewise_check::tree;
use stripewise_lab::wire::{LINE_BYTES_MAX, Lines, RemoteError, line};
use stripewise_metal::FilesWorld;
use stripewise_process::is_stop_asked;
use stripewise_study::cell::Cell;
use stripewise_study::world::{Prepared, SampleRequest, Watch, World, WorldError};

use crate::Say;
use crate::clock::{monotonic_ns, unix_ns};
use crate::folder::Folder;
use crate::host_journal::HostJournal;
use crate::wire::{Answer, FromHost, PROTOCOL, ToHost};

/// How often each side says that it is there.
pub const BEAT: Duration = Duration::from_secs(1);
/// After how long without a word each side gives the other up: the controller loses the host, and the
/// host restores itself.
pub const SILENCE_MAX: Duration = Duration::from_secs(15);

/// The bytes of a part of an archive: a text of a message has at most 1 MiB.
const PART_BYTES: usize = 512 << 10;
/// How often a waiting agent looks whether its controller is there.
const LOOK: Duration = Duration::from_millis(100);
/// The last part of the wait for a start is spent awake: a sleeping thread may be woken late.
const AWAKE: Duration = Duration::from_millis(2);
/// The latest start that is waited for; a later one is a fault of the controller.
const START_MAX: Duration = Duration::from_secs(60);

/// The agent cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// Its folder.
    #[error("failed to use the folder `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It could not undo everything.
    #[error("failed to restore this host: {}", left.join("; "))]
    Left {
        /// What is left.
        left: Vec<String>,
    },
}

/// What the threads share.
#[derive(Debug)]
struct Shared {
    heard: Mutex<Instant>,
    has_ended: AtomicBool,
    /// Whether the request under way is to end.
    is_stopped: AtomicBool,
    /// When the load is to begin.
    start_ns: Mutex<Option<u64>>,
}

impl Shared {
    /// Returns whether nobody wants an answer any more.
    fn is_alone(&self) -> bool {
        let heard = *self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_ended.load(Ordering::SeqCst) || heard.elapsed() > SILENCE_MAX || is_stop_asked()
    }

    fn keeps_going(&self) -> bool {
        !self.is_stopped.load(Ordering::SeqCst) && !self.is_alone()
    }

    fn take_start(&self) -> Option<u64> {
        let mut start = self.start_ns.lock().unwrap_or_else(PoisonError::into_inner);
        start.take()
    }
}

/// Serves the controller on standard input and output until it is gone, and leaves nothing behind.
///
/// # Errors
/// If the folder is none of ours, or something could not be undone.
pub fn serve(folder: &Path, say: Say) -> Result<(), AgentError> {
    let failed = |source| AgentError::Folder {
        path: folder.to_owned(),
        source,
    };
    let folder = Folder::at(folder).map_err(failed)?;
    let shared = Arc::new(Shared {
        heard: Mutex::new(Instant::now()),
        has_ended: AtomicBool::new(false),
        is_stopped: AtomicBool::new(false),
        start_ns: Mutex::new(None),
    });
    let (out, outgoing) = channel();
    let (requests, asked) = channel();
    // Both end with the process: one may hang in a write that nobody reads.
    let to_reader = (Arc::clone(&shared), requests, out.clone());
    thread::Builder::new()
        .spawn(move || read_requests(to_reader))
        .and_then(|_| thread::Builder::new().spawn(move || write_messages(&outgoing)))
        .map_err(failed)?;
    let mut agent = Agent {
        journal: HostJournal::at(folder.journal(), say),
        shared,
        out,
        world: None,
    };
    agent.say(FromHost::Ready {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    agent.serve(&asked);
    let left = agent.restore();
    if left.is_empty() {
        folder.remove().map_err(failed)
    } else {
        Err(AgentError::Left { left })
    }
}

struct Agent {
    journal: HostJournal,
    shared: Arc<Shared>,
    out: Sender<FromHost>,
    world: Option<FilesWorld>,
}

impl Agent {
    fn say(&self, message: FromHost) {
        let _ended = self.out.send(message);
    }

    fn serve(&mut self, asked: &Receiver<ToHost>) {
        while !self.shared.is_alone() {
            let request = match asked.recv_timeout(LOOK) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let answer = self.answer(request);
            self.say(match answer {
                Ok(answer) => FromHost::Done { answer },
                Err(error) => FromHost::Failed {
                    error: RemoteError::of(&error),
                },
            });
        }
    }

    fn answer(&mut self, request: ToHost) -> Result<Answer, WorldError> {
        match request {
            ToHost::Open { target } => {
                let world = FilesWorld::open(&target).map_err(|error| {
                    let hint = error.hint().map(ToOwned::to_owned);
                    let failed = WorldError::failed("failed to open its world", error);
                    match hint {
                        Some(hint) => failed.or_hint(hint),
                        None => failed,
                    }
                })?;
                self.world = Some(world);
                Ok(Answer::Nothing)
            }
            ToHost::Facts => {
                let facts = Box::new(self.world()?.facts()?);
                let load = load_average();
                let machine = machine();
                Ok(Answer::Facts {
                    facts,
                    load,
                    machine,
                })
            }
            ToHost::Check { cells } => {
                let warnings = self.world()?.check(&cells)?;
                Ok(Answer::Checked { warnings })
            }
            ToHost::Prepare { cell } => self.prepare(&cell),
            ToHost::Measure { cell, request } => self.measure(&cell, request),
            ToHost::Restore => {
                let left = self.restore();
                Ok(Answer::Restored { left })
            }
            ToHost::Collect => collect(),
            // The reader answers these.
            ToHost::Clock { .. } | ToHost::Start { .. } | ToHost::Stop | ToHost::Beat => {
                Ok(Answer::Nothing)
            }
        }
    }

    fn world(&mut self) -> Result<&mut FilesWorld, WorldError> {
        let world = self.world.as_mut();
        world.ok_or_else(|| WorldError::failed("failed to answer", "no world is open"))
    }

    fn prepare(&mut self, cell: &Cell) -> Result<Answer, WorldError> {
        let mut watch = Watching::new(&self.shared, &self.out);
        let (world, journal) = (&mut self.world, &mut self.journal);
        let world = world
            .as_mut()
            .ok_or_else(|| WorldError::failed("failed to answer", "no world is open"))?;
        let prepared = journal.with(cell, |journal| world.prepare(cell, journal, &mut watch))?;
        let already_there = prepared == Prepared::AlreadyThere;
        Ok(Answer::Prepared { already_there })
    }

    fn measure(&mut self, cell: &Cell, request: SampleRequest) -> Result<Answer, WorldError> {
        let mut watch = Watching::new(&self.shared, &self.out);
        let world = self
            .world
            .as_mut()
            .ok_or_else(|| WorldError::failed("failed to answer", "no world is open"))?;
        let sample = world.measure(cell, request, &mut watch)?;
        let began_ns = watch.began_ns.unwrap_or_default();
        Ok(Answer::Sample {
            began_ns,
            sample: Box::new(sample),
        })
    }

    /// Undoes what the world changed, and what a killed agent left here; returns what stays, in words.
    fn restore(&mut self) -> Vec<String> {
        let world = self.world.as_mut();
        self.journal.restore(|journal| match world {
            Some(world) => world.restore(journal),
            None => Ok(()),
        })
    }
}

/// Ends a request when nobody wants it any more, and begins its load when told.
struct Watching<'a> {
    shared: &'a Shared,
    out: &'a Sender<FromHost>,
    began_ns: Option<u64>,
}

impl<'a> Watching<'a> {
    fn new(shared: &'a Shared, out: &'a Sender<FromHost>) -> Self {
        Self {
            shared,
            out,
            began_ns: None,
        }
    }
}

impl Watch for Watching<'_> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        self.shared.keeps_going()
    }

    fn begin_load(&mut self) -> bool {
        let _ended = self.out.send(FromHost::StandingBy);
        let at_ns = loop {
            if !self.shared.keeps_going() {
                return false;
            }
            match self.shared.take_start() {
                Some(at_ns) => break at_ns,
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        let left = Duration::from_nanos(at_ns.saturating_sub(monotonic_ns()));
        if left > START_MAX {
            return false;
        }
        thread::sleep(left.saturating_sub(AWAKE));
        while monotonic_ns() < at_ns {
            std::hint::spin_loop();
        }
        self.began_ns = Some(monotonic_ns());
        true
    }
}

/// Returns the facts that `check` judges, without secrets, as an archive.
fn collect() -> Result<Answer, WorldError> {
    let archive = tree::archive(&stripewise_check::collect::read_live());
    let archive = archive.map_err(|error| WorldError::failed("failed to pack the facts", error))?;
    let parts = archive.chunks(PART_BYTES).map(|part| STANDARD.encode(part));
    Ok(Answer::Collected {
        parts: parts.collect(),
    })
}

/// Returns what tells this machine from every other: its boot, and its network, as containers on one
/// kernel have one each (proc_sys_kernel(5), namespaces(7)).
fn machine() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let network = std::fs::read_link("/proc/self/ns/net").ok()?;
    Some(format!("{} {}", boot.trim(), network.display()))
}

/// Returns the load average of one minute.
fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split(' ').next()?.parse().ok()?;
    load.is_finite().then_some(load)
}

fn read_requests((shared, requests, out): (Arc<Shared>, Sender<ToHost>, Sender<FromHost>)) {
    let mut input = io::stdin().lock();
    let mut lines = Lines::default();
    let mut buffer = vec![0; 1 << 16];
    'reading: loop {
        match input.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => break,
            Ok(length) => lines.push(&buffer[..length]),
        }
        *shared.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        loop {
            let message = match lines.take::<ToHost>() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                // What follows could not be trusted.
                Err(_) => break 'reading,
            };
            match message {
                ToHost::Beat => {}
                ToHost::Stop => shared.is_stopped.store(true, Ordering::SeqCst),
                ToHost::Start { at_ns } => {
                    *shared
                        .start_ns
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner) = Some(at_ns);
                }
                ToHost::Clock { number } => {
                    let clock = FromHost::Clock {
                        number,
                        monotonic_ns: monotonic_ns(),
                        unix_ns: unix_ns(),
                    };
                    let _ended = out.send(clock);
                }
                request => {
                    // Here, in the order of the messages: a stop may follow at once.
                    shared.is_stopped.store(false, Ordering::SeqCst);
                    let _stale = shared.take_start();
                    if requests.send(request).is_err() {
                        break 'reading;
                    }
                }
            }
        }
    }
    shared.has_ended.store(true, Ordering::SeqCst);
}

fn write_messages(outgoing: &Receiver<FromHost>) {
    let mut output = io::stdout().lock();
    loop {
        let message = match outgoing.recv_timeout(BEAT) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => FromHost::Beat,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let Ok(bytes) = line(&message) else {
            return;
        };
        let bytes = match bytes.len() > LINE_BYTES_MAX {
            false => bytes,
            true => {
                let error = WorldError::plain("the answer is longer than a message may be");
                let error = RemoteError::of(&error);
                line(&FromHost::Failed { error }).unwrap_or_default()
            }
        };
        // Nobody reads it any more: the reader sees the end of the input, or silence does.
        if output
            .write_all(&bytes)
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
    }
}
