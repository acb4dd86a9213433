//! What runs a stack until its power is cut: a guest, or a process on this machine with a mount
//! namespace of its own, whose disks are loop devices over files that we serve.

use std::fs::File;
use std::io::ErrorKind;
use std::ops::{Deref, DerefMut};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use stripewise_process::Program;
use stripewise_study::conditions::Flush;
use stripewise_study::world::{Watch, WorldError, WorldName};

use crate::held_disks::HeldDisks;
use crate::machine::{Machine, Received, WATCH_INTERVAL};
use crate::wire::{FromGuest, ToGuest};
use crate::world::{RequestError, await_agent, lab_failed};

const UNSHARE: Program = Program::new("unshare", "util-linux");
/// The subcommand of this program that the namespace belongs to.
pub const AGENT: &str = "cut-agent";
/// The device of FUSE.
const FUSE: &str = "/dev/fuse";
/// How long a load may take to stop, and a stack to be unmounted. Writing back what the kernel cached
/// takes time.
const STOP_LIMIT: Duration = Duration::from_secs(300);
/// How long the kernel may take to unmount and detach everything of a process that is gone.
const GONE_LIMIT: Duration = Duration::from_secs(30);

const START: &str = "failed to start a process for the stack";

/// A guest, or a process without one. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Running {
    machine: Machine,
    /// Serves the disks of a process without a guest. Dropped after the process has been killed.
    serving: Option<Serving>,
}

impl Running {
    pub(super) fn guest(machine: Machine) -> Self {
        Self {
            machine,
            serving: None,
        }
    }

    /// Ends a load. A guest simply loses its power. The kernel of this machine goes on, so a process
    /// without a guest stops the load and unmounts the stack: the disks' logs tell what was there at
    /// any moment before.
    pub(super) fn end(mut self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        if self.serving.is_none() {
            return Ok(());
        }
        let failed = |error| RequestError::Machine(error).into_world_error();
        let began = Instant::now();
        self.send(&ToGuest::Stop).map_err(failed)?;
        while began.elapsed() < STOP_LIMIT {
            match self.receive(WATCH_INTERVAL).map_err(failed)? {
                Received::Nothing => {}
                Received::Message(message) => match *message {
                    FromGuest::Done { .. } => return Ok(()),
                    FromGuest::Failed { error } => {
                        return Err(error.into_world_error(WorldName::Metal));
                    }
                    _ => {}
                },
            }
            if !watch.keep_going(began.elapsed()) {
                return Err(WorldError::Interrupted);
            }
        }
        let why = format!("it did not stop within {} s", STOP_LIMIT.as_secs());
        Err(WorldError::failed("failed to stop the load", why))
    }
}

impl Deref for Running {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

/// A thread that serves disks. Dropping it waits until the kernel has let go of them.
#[derive(Debug)]
struct Serving(JoinHandle<()>);

impl Drop for Serving {
    fn drop(&mut self) {
        let began = Instant::now();
        while !self.0.is_finished() && began.elapsed() < GONE_LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// This machine, for stacks without a guest.
#[derive(Debug)]
pub(super) struct ThisMachine {
    program: PathBuf,
}

impl ThisMachine {
    /// Examines whether this machine can do it.
    ///
    /// # Errors
    /// If the user is not root, or FUSE is missing.
    pub(super) fn new(program: PathBuf) -> Result<Self, WorldError> {
        if !rustix::process::geteuid().is_root() {
            let error = "mounting filesystems and attaching loop devices need root";
            return Err(WorldError::failed(START, error)
                .or_hint("run it with `sudo`, or use `--world lab`, which needs no root"));
        }
        open_fuse()?;
        let found = UNSHARE.find();
        found.map_err(|error| error.while_trying(START))?;
        Ok(Self { program })
    }

    /// Starts a process whose disks are those that are held.
    pub(super) fn start(
        &self,
        held: &HeldDisks,
        flush: Option<Flush>,
        watch: &mut dyn Watch,
    ) -> Result<Running, WorldError> {
        let device = open_fuse()?;
        let failed = |error: std::io::Error| WorldError::failed(START, error);
        let of_agent = device.try_clone().map_err(failed)?;
        let call = UNSHARE
            .call(["--mount", "--propagation", "private", "--"])
            .args([self.program.as_os_str(), AGENT.as_ref()])
            // Private directories of databases go where the namespace takes them along.
            .envs([("TMPDIR", "/run")])
            .current_dir(Path::new("/"))
            .stdout(of_agent);
        let machine = Machine::without_guest(call);
        let mut machine = machine.map_err(|error| lab_failed(START, error))?;
        // It has mounted the filesystem when it is ready; the kernel then waits for an answer of us.
        await_agent(&mut machine, watch)?;
        let ignores_flushes = flush == Some(Flush::Ignored);
        Ok(Running {
            machine,
            serving: Some(Serving(held.serve_files(device, ignores_flushes))),
        })
    }
}

fn open_fuse() -> Result<OwnedFd, WorldError> {
    let opened = File::options().read(true).write(true).open(FUSE);
    opened.map(OwnedFd::from).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound => "load the kernel module: `modprobe fuse`",
            _ => "a container must be given `/dev/fuse` and the right to mount",
        };
        WorldError::failed(format!("failed to open `{FUSE}`"), error).or_hint(hint)
    })
}
