//! A running guest: QEMU as a child that cannot outlive us, its serial port, its console.
//!
//! QEMU gets the port as its standard input and the console as its standard output. Both are socket
//! pairs, so there is no path that another process could connect to.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_process::{Call, Child};
use stripewise_study::guest_clock::Clock;
use stripewise_study::world::Watch;

use crate::cache::Prepared;
use crate::crash_point;
use crate::error::LabError;
use crate::held_disks::{Connections, HeldDisks};
use crate::prepare::{INITRAMFS_FILE, KERNEL_FILE, ROOT_FILE};
use crate::programs::{QEMU, not_started};
use crate::text::{on_one_line, why_ended};
use crate::wire::{FromGuest, Lines, PORT_NAME, ToGuest, WireError, line};

/// The longest silence on the port, before the first message and between messages. Console output
/// does not count: a hung kernel may flood it. The limit is generous because a guest that examines
/// sixty disks on a host with twenty other tasks takes more than five minutes.
pub const SILENCE_MAX: Duration = Duration::from_secs(900);

/// The processors of a guest.
pub const CORES: u32 = 1;

/// The CPU model for counted instructions. Without fast string instructions the kernel copies eight
/// bytes per instruction; with them, one byte, and no real CPU takes a nanosecond per byte. With
/// `cx16` kernel 6.12 panics at boot in QEMU 7.2.
const EMULATED_CPU: &str = "max,-cx16,-erms,-fsrm";
/// How often we poll a watch for cancellation.
pub(crate) const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The variable through which QEMU's shell gets the path of a state: no path becomes part of a
/// command.
const STATE_VARIABLE: &str = "STRIPEWISE_STATE";
/// The monitor commands that save a guest. The state gets its final name only when it is complete.
/// The default bandwidth of 128 MiB/s is meant for networks.
pub(crate) const SAVE: &[u8] = b"migrate_set_parameter max-bandwidth 64g
migrate \"exec:cat > \\\"$STRIPEWISE_STATE.part\\\" && mv \\\"$STRIPEWISE_STATE.part\\\" \\\"$STRIPEWISE_STATE\\\"\"
info status
quit
";
/// The answer of `info status` if the guest was saved.
pub(crate) const SAVED: &str = "(postmigrate)";
/// The command that reads a state.
const RESUME: &str = "exec:exec cat \"$STRIPEWISE_STATE\"";

/// How much console output is kept.
const CONSOLE_BYTES_MAX: usize = 64 << 10;
/// How many console lines an error shows.
const CONSOLE_LINES_SHOWN: usize = 12;
/// How much of QEMU's standard error is read.
const MESSAGES_BYTES_MAX: u64 = 16 << 10;

/// What QEMU prints when KVM could not go on with a guest.
const KVM_FAILED: &[u8] = b"KVM internal error";

/// The options of a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineOptions {
    /// The guest.
    pub prepared: Prepared,
    /// The disk image with this program.
    pub agent_image: PathBuf,
    /// Its clock source.
    pub clock: Clock,
    /// Its memory.
    pub memory_mib: u32,
    /// Its disks that the host holds.
    pub held: Option<Arc<HeldDisks>>,
}

/// How a guest starts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StartMode<'a> {
    /// It boots.
    Boot,
    /// It boots to be saved. The console goes to the file `console` in this directory, the socket
    /// goes to QEMU's monitor, and the monitor writes `state`.
    BootAndSave(&'a Path),
    /// It resumes from a state.
    Resume(&'a Path),
}

impl StartMode<'_> {
    /// Returns the console file of a guest that boots to be saved.
    fn console_file(self) -> Option<PathBuf> {
        match self {
            StartMode::BootAndSave(directory) => Some(directory.join("console")),
            StartMode::Boot | StartMode::Resume(_) => None,
        }
    }

    /// Returns the file that QEMU writes the guest's state to, or reads it from.
    pub(crate) fn state_file(self) -> Option<PathBuf> {
        match self {
            StartMode::BootAndSave(directory) => Some(directory.join("state")),
            StartMode::Resume(state) => Some(state.to_owned()),
            StartMode::Boot => None,
        }
    }
}

/// What runs at the other end of the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// A guest.
    Guest,
    /// A process on this machine.
    Process,
}

impl fmt::Display for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            AgentKind::Guest => "guest",
            AgentKind::Process => "process that runs the stack",
        })
    }
}

/// The guest died, hangs, or breaks the protocol.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// It ended.
    #[error("the {agent} ended unexpectedly{}", console_output(output))]
    Died {
        /// What ended.
        agent: AgentKind,
        /// The last lines of its console and of QEMU.
        output: String,
    },
    /// It sent nothing within the limit.
    #[error("the {agent} sent nothing for {} s and was killed{}", limit.as_secs(), console_output(output))]
    Silent {
        /// What was silent.
        agent: AgentKind,
        /// The limit.
        limit: Duration,
        /// The last lines of its console and of QEMU.
        output: String,
    },
    /// KVM met an error of its own and stopped it, so it would be silent for ever.
    #[error(
        "KVM on this machine failed and stopped the guest{}",
        console_output(output)
    )]
    Stopped {
        /// The last lines of its console and of QEMU.
        output: String,
    },
    /// It sent a malformed message.
    #[error("the guest violates the protocol")]
    Wire {
        /// The problem.
        #[source]
        source: WireError,
    },
    /// It sent a message that does not fit the request.
    #[error("the guest violates the protocol: it sent `{output}`")]
    Unexpected {
        /// The message.
        output: String,
    },
    /// It could not be started at all.
    #[error("failed to start the guest")]
    Start {
        /// Why.
        #[source]
        source: LabError,
    },
}

impl MachineError {
    /// Returns the error for a message that does not belong here.
    pub(crate) fn unexpected(message: &impl std::fmt::Debug) -> Self {
        let output = format!("{message:?}").chars().take(80).collect();
        MachineError::Unexpected { output }
    }
}

/// The outcome of one wait on the port.
#[derive(Debug)]
pub enum Received {
    /// The guest sent a message.
    Message(Box<FromGuest>),
    /// No message arrived.
    Nothing,
}

/// A running guest. Dropping it kills it.
#[derive(Debug)]
pub struct Machine {
    /// QEMU, or the agent if there is no guest; `None` in tests that play the guest themselves.
    qemu: Option<Child>,
    port: UnixStream,
    lines: Lines,
    console: UnixStream,
    /// The other end of the console of an agent that has none.
    console_of_agent: Option<UnixStream>,
    /// The console's file, if the console is not on that socket.
    console_file: Option<PathBuf>,
    ring: VecDeque<u8>,
    last_received: Instant,
    silence_max: Duration,
}

impl Machine {
    /// Starts the guest. Its first message is [`FromGuest::Ready`].
    ///
    /// # Errors
    /// If QEMU is missing or cannot be started.
    pub fn start(options: &MachineOptions) -> Result<Self, LabError> {
        Self::begin(options, StartMode::Boot)
    }

    /// Boots or resumes the guest. A resumed one has sent [`FromGuest::Ready`] before it was saved.
    ///
    /// # Errors
    /// If QEMU is missing or cannot be started.
    pub(crate) fn begin(options: &MachineOptions, how: StartMode<'_>) -> Result<Self, LabError> {
        let start = |source| LabError::Start {
            program: QEMU.name.to_owned(),
            source,
        };
        let (port, port_of_guest) = UnixStream::pair().map_err(start)?;
        let (console, console_of_guest) = UnixStream::pair().map_err(start)?;
        let connections = match &options.held {
            Some(held) => held.connect().map_err(start)?,
            None => Connections::default(),
        };
        let qemu = QEMU
            .call(arguments(options, how))
            .args(connections.arguments)
            .keep_open(connections.descriptors)
            .envs(how.state_file().map(|state| (STATE_VARIABLE, state)))
            .stdin(OwnedFd::from(port_of_guest))
            .stdout(OwnedFd::from(console_of_guest))
            .start()
            .map_err(|error| not_started(error, QEMU.name.to_owned()))?;
        let mut machine = Self::on(port, console).map_err(start)?;
        machine.qemu = Some(qemu);
        machine.console_file = how.console_file();
        Ok(machine)
    }

    /// Starts `agent` on this machine, without a guest. Its standard input is the port. Its first
    /// message is [`FromGuest::Ready`].
    ///
    /// # Errors
    /// If it is missing or cannot be started.
    pub(crate) fn without_guest(agent: Call) -> Result<Self, LabError> {
        let program = agent.name();
        let start = |source| LabError::Start {
            program: program.clone(),
            source,
        };
        let (port, port_of_agent) = UnixStream::pair().map_err(start)?;
        let (console, console_of_agent) = UnixStream::pair().map_err(start)?;
        let agent = agent.stdin(OwnedFd::from(port_of_agent)).start();
        let agent = agent.map_err(|error| not_started(error, program.clone()))?;
        let mut machine = Self::on(port, console).map_err(start)?;
        machine.qemu = Some(agent);
        machine.console_of_agent = Some(console_of_agent);
        Ok(machine)
    }

    fn agent(&self) -> AgentKind {
        match self.console_of_agent {
            None => AgentKind::Guest,
            Some(_) => AgentKind::Process,
        }
    }

    /// Waits until the agent runs; returns false if `watch` cancels the wait.
    ///
    /// # Errors
    /// If the guest is gone, silent for too long, or sends another message.
    pub(crate) fn until_ready(&mut self, watch: &mut dyn Watch) -> Result<bool, MachineError> {
        let began = Instant::now();
        loop {
            match self.receive(WATCH_INTERVAL)? {
                Received::Message(message) => match *message {
                    FromGuest::Ready { version } if version == env!("CARGO_PKG_VERSION") => {
                        return Ok(true);
                    }
                    other => return Err(MachineError::unexpected(&other)),
                },
                Received::Nothing if !watch.keep_going(began.elapsed()) => return Ok(false),
                Received::Nothing => {}
            }
        }
    }

    /// Returns a machine whose guest holds the other ends of these sockets.
    pub(crate) fn on(port: UnixStream, console: UnixStream) -> std::io::Result<Self> {
        port.set_nonblocking(true)?;
        console.set_nonblocking(true)?;
        Ok(Self {
            qemu: None,
            port,
            lines: Lines::default(),
            console,
            console_of_agent: None,
            console_file: None,
            ring: VecDeque::new(),
            last_received: Instant::now(),
            silence_max: SILENCE_MAX,
        })
    }

    #[cfg(test)]
    pub(crate) fn pending_bytes(&self) -> usize {
        self.lines.pending_bytes()
    }

    #[cfg(test)]
    pub(crate) fn silent_at_most(self, silence_max: Duration) -> Self {
        Self {
            silence_max,
            ..self
        }
    }

    /// Suspends the guest until [`Machine::go_on`].
    pub(crate) fn rest(&self) {
        self.qemu.iter().for_each(Child::pause);
    }

    /// Lets a suspended guest go on.
    pub(crate) fn go_on(&self) {
        self.qemu.iter().for_each(Child::go_on);
    }

    /// Returns the console, to talk to a shell on it.
    pub fn console(&self) -> &UnixStream {
        &self.console
    }

    /// Sends a message to the guest.
    ///
    /// # Errors
    /// If it is gone, or does not read the port.
    pub fn send(&mut self, message: &ToGuest) -> Result<(), MachineError> {
        let line = line(message).map_err(|source| MachineError::Wire {
            source: WireError::Unreadable {
                beginning: String::new(),
                source,
            },
        })?;
        self.last_received = Instant::now();
        let mut rest = line.as_slice();
        while !rest.is_empty() {
            match self.port.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.sleep(PollFlags::OUT, Duration::from_millis(250));
                    self.read_console();
                    self.check_silence()?;
                }
                Err(_) => return Err(self.died()),
            }
        }
        Ok(())
    }

    /// Waits for a message, at most for `timeout`.
    ///
    /// # Errors
    /// If the guest is gone, silent for too long, or violates the protocol.
    pub fn receive(&mut self, timeout: Duration) -> Result<Received, MachineError> {
        if let Some(message) = self.next_message()? {
            return Ok(message);
        }
        self.sleep(PollFlags::IN, timeout);
        self.read_console();
        let before = self.last_received;
        let received = self.poll_port()?;
        if self.last_received == before {
            self.check_runs()?;
            self.check_silence()?;
        }
        Ok(received)
    }

    /// Returns a message that has arrived on the port, without waiting and without reading the
    /// console.
    ///
    /// # Errors
    /// If the guest is gone or violates the protocol.
    pub fn poll_port(&mut self) -> Result<Received, MachineError> {
        // Read only if no message is left, so a guest that floods the port cannot fill our memory.
        if let Some(message) = self.next_message()? {
            return Ok(message);
        }
        let mut buffer = [0; 1 << 16];
        match self.port.read(&mut buffer) {
            Ok(0) => return Err(self.died()),
            Ok(length) => {
                self.last_received = Instant::now();
                self.lines.push(&buffer[..length]);
            }
            Err(error) if is_nothing_there(&error) => {}
            Err(_) => return Err(self.died()),
        }
        Ok(self.next_message()?.unwrap_or(Received::Nothing))
    }

    /// Returns the last lines of the console, of a panic those that tell why, without control
    /// characters.
    pub fn console_lines(&mut self) -> String {
        self.read_console();
        let bytes: Vec<u8> = self.ring.iter().copied().collect();
        why_ended(&String::from_utf8_lossy(&bytes), CONSOLE_LINES_SHOWN)
    }

    fn next_message(&mut self) -> Result<Option<Received>, MachineError> {
        let message = self
            .lines
            .take()
            .map_err(|source| MachineError::Wire { source })?;
        Ok(message.map(|message| Received::Message(Box::new(message))))
    }

    /// Sleeps until the port is ready for `flags`, the console has output, or the timeout expires.
    fn sleep(&self, flags: PollFlags, timeout: Duration) {
        let mut descriptors = [
            PollFd::new(&self.port, flags),
            PollFd::new(&self.console, PollFlags::IN),
        ];
        if let Ok(timeout) = Timespec::try_from(timeout) {
            // A signal wakes us, too: the caller checks which event it was.
            let _woken = poll(&mut descriptors, Some(&timeout));
        }
    }

    /// Reads the console into the ring and drops the oldest bytes.
    fn read_console(&mut self) {
        let mut buffer = [0; 4096];
        // Bounded: a flooded console must not keep us from reading the port.
        for _ in 0..64 {
            match (&self.console).read(&mut buffer) {
                Ok(length) if length > 0 => {
                    self.ring.extend(&buffer[..length]);
                    let excess = self.ring.len().saturating_sub(CONSOLE_BYTES_MAX);
                    self.ring.drain(..excess);
                }
                _ => return,
            }
        }
    }

    /// Fails if QEMU says that KVM failed: it keeps such a guest, stopped
    /// (`kvm_handle_internal_error` in accel/kvm/kvm-all.c).
    fn check_runs(&mut self) -> Result<(), MachineError> {
        let said = self.qemu.as_ref();
        let said = said.and_then(|qemu| qemu.read_stderr(MESSAGES_BYTES_MAX).ok());
        let said = said.unwrap_or_default();
        match said
            .windows(KVM_FAILED.len())
            .any(|part| part == KVM_FAILED)
        {
            false => Ok(()),
            true => Err(MachineError::Stopped {
                output: self.last_output(),
            }),
        }
    }

    fn check_silence(&mut self) -> Result<(), MachineError> {
        if self.last_received.elapsed() < self.silence_max {
            return Ok(());
        }
        Err(MachineError::Silent {
            agent: self.agent(),
            limit: self.silence_max,
            output: self.last_output(),
        })
    }

    fn died(&mut self) -> MachineError {
        MachineError::Died {
            agent: self.agent(),
            output: self.last_output(),
        }
    }

    fn last_output(&mut self) -> String {
        let mut output = match &self.console_file {
            Some(file) => {
                let bytes = std::fs::read(file).unwrap_or_default();
                why_ended(&String::from_utf8_lossy(&bytes), CONSOLE_LINES_SHOWN)
            }
            None => self.console_lines(),
        };
        let own = self.qemu.as_ref();
        let own = own.and_then(|qemu| qemu.read_stderr(MESSAGES_BYTES_MAX).ok());
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            let own = String::from_utf8_lossy(&own);
            output = format!("{output} | {}", on_one_line(&own));
        }
        output
    }
}

fn is_nothing_there(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn console_output(output: &str) -> String {
    match output {
        "" => String::new(),
        output => format!("; its last output: {output}"),
    }
}

/// Returns the command line of QEMU, but for the disks that the host holds.
pub(crate) fn arguments(options: &MachineOptions, how: StartMode<'_>) -> Vec<OsString> {
    let MachineOptions {
        prepared,
        agent_image,
        clock,
        memory_mib,
        held: _,
    } = options;
    let file = |name: &str| prepared.directory.join(name);
    let mut arguments: Vec<OsString> = Vec::new();
    let mut add = |words: &[&str]| arguments.extend(words.iter().map(OsString::from));
    add(&[
        "-M",
        "q35",
        "-nodefaults",
        "-no-user-config",
        "-display",
        "none",
        "-no-reboot",
    ]);
    add(&["-smp", &CORES.to_string(), "-m", &memory_mib.to_string()]);
    match clock {
        // One thread and a clock that counts instructions; idle time is skipped.
        Clock::Virtual => add(&[
            "-accel",
            "tcg,thread=single",
            "-cpu",
            EMULATED_CPU,
            "-icount",
            "shift=0,sleep=off",
            "-rtc",
            "base=2026-01-01,clock=vm",
            "-seed",
            "1",
        ]),
        Clock::Wall => add(&["-accel", "tcg", "-cpu", EMULATED_CPU]),
        Clock::Kvm => add(&["-accel", "kvm", "-cpu", "host"]),
    }
    add(&["-append", &kernel_arguments(*clock)]);
    // Without ioeventfd the vCPU thread serves the port, so virtual time has no second clock.
    add(&[
        "-device",
        "virtio-serial-pci,ioeventfd=off",
        "-chardev",
        "socket,id=agent,fd=0",
    ]);
    add(&[
        "-device",
        &format!("virtserialport,chardev=agent,name={PORT_NAME}"),
    ]);
    let mut add_path = |option: &str, path: &Path| {
        arguments.push(option.into());
        arguments.push(path.into());
    };
    add_path("-kernel", &file(KERNEL_FILE));
    add_path("-initrd", &file(INITRAMFS_FILE));
    arguments.extend(image_arguments(&file(ROOT_FILE), 0));
    arguments.extend(image_arguments(agent_image, 1));
    arguments.extend(console_arguments(how));
    arguments
}

/// Returns the arguments for the console's serial port and for how the guest starts.
fn console_arguments(how: StartMode<'_>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-serial".into(), "chardev:console".into()];
    let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
    match how.console_file() {
        Some(file) => {
            let mut console = OsString::from("file,id=console,path=");
            console.push(escaped(&file));
            add("-chardev", console);
            add("-chardev", "socket,id=monitor,fd=1".into());
            add("-mon", "chardev=monitor,mode=readline".into());
        }
        None => add("-chardev", "socket,id=console,fd=1".into()),
    }
    if let StartMode::Resume(_) = how {
        add("-incoming", RESUME.into());
    }
    words
}

/// Returns the arguments for a read-only disk backed by an image.
fn image_arguments(image: &Path, index: usize) -> [OsString; 4] {
    let name = format!("image{index}");
    let mut blockdev = OsString::from(format!(
        "driver=raw,node-name={name},read-only=on,file.driver=file,file.filename="
    ));
    blockdev.push(escaped(image));
    let device = format!("virtio-blk-pci,drive={name}").into();
    ["-blockdev".into(), blockdev, "-device".into(), device]
}

/// Escapes a path for QEMU's option lists, where a comma is doubled.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

fn kernel_arguments(clock: Clock) -> String {
    let mut words = vec![
        "console=ttyS0",
        "quiet",
        "panic=-1",
        "mitigations=off",
        "random.trust_cpu=on",
        "nokaslr",
        "norandmaps",
    ];
    if clock != Clock::Kvm {
        // Under TCG there is no real time stamp counter to test against.
        words.extend(["tsc=reliable", "no_timer_check"]);
    }
    let words = words.into_iter().map(str::to_owned);
    let words: Vec<String> = words.chain(crash_point::kernel_argument()).collect();
    words.join(" ")
}
