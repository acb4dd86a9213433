//! A guest that runs: QEMU as a child that cannot outlive us, its serial port, its console.
//!
//! QEMU gets the port as its standard input and the console as its standard output; both are pairs of
//! connected sockets, so that there is no path that anybody else could connect to.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use stripewise_process::Child;
use stripewise_study::world::Watch;

use crate::cache::Prepared;
use crate::clock::Clock;
use crate::crash_point;
use crate::error::LabError;
use crate::prepare::{INITRAMFS_FILE, KERNEL_FILE, ROOT_FILE};
use crate::programs::{QEMU, not_started};
use crate::text::{last_lines, on_one_line};
use crate::wire::{FromGuest, Lines, PORT_NAME, ToGuest, WireError, line};

/// How long a guest may say nothing on its port, from its start to the first word and in between; a
/// kernel that hangs may fill the console. Slow is not hung: one that examines sixty disks on a machine
/// with twenty other tasks takes more than five minutes.
pub const SILENCE_MAX: Duration = Duration::from_secs(900);

/// The processor whose instructions are counted. Without fast string instructions the kernel copies
/// eight bytes an instruction, and one with them: no real one takes a nanosecond a byte. With `cx16`
/// kernel 6.12 panics at boot in QEMU 7.2.
const EMULATED_CPU: &str = "max,-cx16,-erms,-fsrm";
/// How often a watch is asked.
pub(crate) const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// What QEMU's shell finds the path of a state in, so that no path is part of a command.
const STATE_VARIABLE: &str = "STRIPEWISE_STATE";
/// What the monitor reads to save a guest: its state is there, under its name, only when it is whole. The
/// default of 128 MiB/s is for networks.
pub(crate) const SAVE: &[u8] = b"migrate_set_parameter max-bandwidth 64g
migrate \"exec:cat > \\\"$STRIPEWISE_STATE.part\\\" && mv \\\"$STRIPEWISE_STATE.part\\\" \\\"$STRIPEWISE_STATE\\\"\"
info status
quit
";
/// What the monitor answers to the last but one if the guest was saved.
pub(crate) const SAVED: &str = "(postmigrate)";
/// What reads a state.
const RESUME: &str = "exec:exec cat \"$STRIPEWISE_STATE\"";

/// How much of the console is kept.
const CONSOLE_BYTES_MAX: usize = 64 << 10;
/// How many of its lines an error shows.
const CONSOLE_LINES_SHOWN: usize = 12;
/// How much of what QEMU itself says is read.
const MESSAGES_BYTES_MAX: u64 = 16 << 10;

/// What a guest is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineOptions {
    /// The guest.
    pub prepared: Prepared,
    /// The disk with this program.
    pub agent_image: PathBuf,
    /// Whose time it has.
    pub clock: Clock,
    /// Its memory.
    pub memory_mib: u32,
}

/// How a guest begins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Beginning<'a> {
    /// It boots.
    Boot,
    /// It boots to be saved: in place of its console, which is `console` in this directory, we talk to
    /// QEMU's monitor, which is to write `state`.
    ToBeSaved(&'a Path),
    /// It goes on from a state.
    Saved(&'a Path),
}

impl Beginning<'_> {
    /// The console of a guest that boots to be saved.
    fn console_file(self) -> Option<PathBuf> {
        match self {
            Beginning::ToBeSaved(directory) => Some(directory.join("console")),
            Beginning::Boot | Beginning::Saved(_) => None,
        }
    }

    /// The file that QEMU writes the guest's state to, or reads it from.
    pub(crate) fn state_file(self) -> Option<PathBuf> {
        match self {
            Beginning::ToBeSaved(directory) => Some(directory.join("state")),
            Beginning::Saved(state) => Some(state.to_owned()),
            Beginning::Boot => None,
        }
    }
}

/// A guest is gone, hangs, or talks nonsense.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// It ended.
    #[error("the guest ended{}", told(said))]
    Died {
        /// The last lines of its console and of QEMU.
        said: String,
    },
    /// It says nothing.
    #[error("the guest has said nothing for {} s and was ended{}", limit.as_secs(), told(said))]
    Silent {
        /// How long it was given.
        limit: Duration,
        /// The last lines of its console and of QEMU.
        said: String,
    },
    /// It says what nobody understands.
    #[error("the guest does not keep to the protocol")]
    Wire {
        /// What is wrong.
        #[source]
        source: WireError,
    },
    /// It answers what was not asked.
    #[error("the guest does not keep to the protocol: it said `{said}`")]
    Unexpected {
        /// What it said.
        said: String,
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
    /// Something was said that does not belong there.
    pub(crate) fn unexpected(message: &impl std::fmt::Debug) -> Self {
        let said = format!("{message:?}").chars().take(80).collect();
        MachineError::Unexpected { said }
    }
}

/// Something happened.
#[derive(Debug)]
pub enum Heard {
    /// The guest said something.
    Message(Box<FromGuest>),
    /// Time passed.
    Nothing,
}

/// A guest that runs. Dropping it ends it.
#[derive(Debug)]
pub struct Machine {
    /// QEMU; nothing where a test plays the guest.
    qemu: Option<Child>,
    port: UnixStream,
    lines: Lines,
    console: UnixStream,
    /// Where the guest's console is, if it is not at the other end of that.
    console_file: Option<PathBuf>,
    ring: VecDeque<u8>,
    heard: Instant,
    silence_max: Duration,
}

impl Machine {
    /// Starts the guest. It runs from here on; what it says first is [`FromGuest::Ready`].
    ///
    /// # Errors
    /// If QEMU is missing or cannot be started.
    pub fn start(options: &MachineOptions) -> Result<Self, LabError> {
        Self::begin(options, Beginning::Boot)
    }

    /// Starts the guest so. One that goes on from a state has said [`FromGuest::Ready`] already.
    ///
    /// # Errors
    /// If QEMU is missing or cannot be started.
    pub(crate) fn begin(options: &MachineOptions, how: Beginning<'_>) -> Result<Self, LabError> {
        let start = |source| LabError::Start {
            program: QEMU.name.to_owned(),
            source,
        };
        let (port, port_of_guest) = UnixStream::pair().map_err(start)?;
        let (console, console_of_guest) = UnixStream::pair().map_err(start)?;
        let qemu = QEMU
            .call(arguments(options, how))
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

    /// Waits until the agent runs; returns whether it does, as `watch` may end that.
    ///
    /// # Errors
    /// If the guest is gone, silent for too long, or says something else.
    pub(crate) fn until_ready(&mut self, watch: &mut dyn Watch) -> Result<bool, MachineError> {
        let began = Instant::now();
        loop {
            match self.receive(WATCH_INTERVAL)? {
                Heard::Message(message) => match *message {
                    FromGuest::Ready { version } if version == env!("CARGO_PKG_VERSION") => {
                        return Ok(true);
                    }
                    other => return Err(MachineError::unexpected(&other)),
                },
                Heard::Nothing if !watch.keep_going(began.elapsed()) => return Ok(false),
                Heard::Nothing => {}
            }
        }
    }

    /// Returns a machine whose guest is at the other ends of these sockets.
    pub(crate) fn on(port: UnixStream, console: UnixStream) -> std::io::Result<Self> {
        port.set_nonblocking(true)?;
        console.set_nonblocking(true)?;
        Ok(Self {
            qemu: None,
            port,
            lines: Lines::default(),
            console,
            console_file: None,
            ring: VecDeque::new(),
            heard: Instant::now(),
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

    /// Returns the console, to talk to a shell on it.
    pub fn console(&self) -> &UnixStream {
        &self.console
    }

    /// Says something to the guest.
    ///
    /// # Errors
    /// If it is gone, or does not listen.
    pub fn send(&mut self, message: &ToGuest) -> Result<(), MachineError> {
        let line = line(message).map_err(|source| MachineError::Wire {
            source: WireError::Unreadable {
                beginning: String::new(),
                source,
            },
        })?;
        self.heard = Instant::now();
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

    /// Waits until the guest says something, at most for `timeout`.
    ///
    /// # Errors
    /// If it is gone, silent for too long, or talks nonsense.
    pub fn receive(&mut self, timeout: Duration) -> Result<Heard, MachineError> {
        if let Some(message) = self.next_message()? {
            return Ok(message);
        }
        self.sleep(PollFlags::IN, timeout);
        self.read_console();
        let before = self.heard;
        let heard = self.hear_port()?;
        if self.heard == before {
            self.check_silence()?;
        }
        Ok(heard)
    }

    /// Returns what the guest has said on its port, without waiting and without a look at the console.
    ///
    /// # Errors
    /// If it is gone, or talks nonsense.
    pub fn hear_port(&mut self) -> Result<Heard, MachineError> {
        // Only if no message is left: what a guest floods us with must not pile up.
        if let Some(message) = self.next_message()? {
            return Ok(message);
        }
        let mut buffer = [0; 1 << 16];
        match self.port.read(&mut buffer) {
            Ok(0) => return Err(self.died()),
            Ok(length) => {
                self.heard = Instant::now();
                self.lines.push(&buffer[..length]);
            }
            Err(error) if is_nothing_there(&error) => {}
            Err(_) => return Err(self.died()),
        }
        Ok(self.next_message()?.unwrap_or(Heard::Nothing))
    }

    /// Returns the last lines of the console, without control characters.
    pub fn console_lines(&mut self) -> String {
        self.read_console();
        let bytes: Vec<u8> = self.ring.iter().copied().collect();
        last_lines(&String::from_utf8_lossy(&bytes), CONSOLE_LINES_SHOWN)
    }

    fn next_message(&mut self) -> Result<Option<Heard>, MachineError> {
        let message = self
            .lines
            .take()
            .map_err(|source| MachineError::Wire { source })?;
        Ok(message.map(|message| Heard::Message(Box::new(message))))
    }

    /// Sleeps until the port is ready for `flags`, the console says something, or time is over.
    fn sleep(&self, flags: PollFlags, timeout: Duration) {
        let mut descriptors = [
            PollFd::new(&self.port, flags),
            PollFd::new(&self.console, PollFlags::IN),
        ];
        if let Ok(timeout) = Timespec::try_from(timeout) {
            // A signal wakes us, too: the caller finds out which.
            let _woken = poll(&mut descriptors, Some(&timeout));
        }
    }

    /// Takes what the console says, and forgets what is old.
    fn read_console(&mut self) {
        let mut buffer = [0; 4096];
        // Bounded: a console that is flooded must not keep us from the port.
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

    fn check_silence(&mut self) -> Result<(), MachineError> {
        if self.heard.elapsed() < self.silence_max {
            return Ok(());
        }
        Err(MachineError::Silent {
            limit: self.silence_max,
            said: self.last_words(),
        })
    }

    fn died(&mut self) -> MachineError {
        MachineError::Died {
            said: self.last_words(),
        }
    }

    fn last_words(&mut self) -> String {
        let mut said = match &self.console_file {
            Some(file) => {
                let bytes = std::fs::read(file).unwrap_or_default();
                last_lines(&String::from_utf8_lossy(&bytes), CONSOLE_LINES_SHOWN)
            }
            None => self.console_lines(),
        };
        let own = self.qemu.as_ref();
        let own = own.and_then(|qemu| qemu.read_stderr(MESSAGES_BYTES_MAX).ok());
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            let own = String::from_utf8_lossy(&own);
            said = format!("{said} | {}", on_one_line(&own));
        }
        said
    }
}

fn is_nothing_there(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

fn told(said: &str) -> String {
    match said {
        "" => String::new(),
        said => format!("; its last words: {said}"),
    }
}

/// Returns the command line of QEMU.
pub(crate) fn arguments(options: &MachineOptions, how: Beginning<'_>) -> Vec<OsString> {
    let MachineOptions {
        prepared,
        agent_image,
        clock,
        memory_mib,
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
    add(&["-smp", "1", "-m", &memory_mib.to_string()]);
    match clock {
        // One thread and a clock that counts instructions; idle time is jumped over.
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
    // Without ioeventfd the port is served by the guest's own thread: no second clock in virtual time.
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

/// Returns the arguments for the serial port with the console, and for how the guest begins.
fn console_arguments(how: Beginning<'_>) -> Vec<OsString> {
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
    if let Beginning::Saved(_) = how {
        add("-incoming", RESUME.into());
    }
    words
}

/// Returns the arguments for a disk that only reads an image.
fn image_arguments(image: &Path, index: usize) -> [OsString; 4] {
    let name = format!("image{index}");
    let mut blockdev = OsString::from(format!(
        "driver=raw,node-name={name},read-only=on,file.driver=file,file.filename="
    ));
    blockdev.push(escaped(image));
    let device = format!("virtio-blk-pci,drive={name}").into();
    ["-blockdev".into(), blockdev, "-device".into(), device]
}

/// Writes a path in one of QEMU's lists of options, where a comma is written twice.
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
        // Translated instructions have no real time stamp counter to be tested against.
        words.extend(["tsc=reliable", "no_timer_check"]);
    }
    let words = words.into_iter().map(str::to_owned);
    let words: Vec<String> = words.chain(crash_point::kernel_argument()).collect();
    words.join(" ")
}
