//! The connection to one host: `ssh` as a child, a thread that writes and one that reads.
//!
//! The reader stamps what arrives with our clock and hands it to the one channel of all hosts; the
//! writer sends a beat each second. Neither holds up the controller if a host answers no more.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use stripewise_lab::wire::{Lines, line};
use stripewise_process::Child;
use stripewise_study::hosts::LostWhy;
use stripewise_study::world::WorldError;
use stripewise_units::Nanos;
use stripewise_units::causes::chain;
use stripewise_units::visible::visible_line;

use crate::agent::{BEAT, SILENCE_MAX};
use crate::bootstrap::{SEND, greeting};
use crate::clock::{monotonic_ns, unix_ns};
use crate::folder::Token;
use crate::ssh;
use crate::wire::{FromHost, PROTOCOL, ToHost};

/// How much a host may print before our own first line: messages of the day, and of login scripts.
const BEFORE_GREETING_BYTES_MAX: usize = 1 << 20;
/// How much of an error of `ssh` is shown.
const PRINTED_CHARS_MAX: usize = 300;
/// How long a host may print nothing before its agent runs: it may receive the program meanwhile.
const BEGIN_MAX: Duration = Duration::from_secs(120);
/// How long the child may take to end after its output ended, for its last words.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What arrived from a host.
#[derive(Debug)]
pub(crate) enum Event {
    /// Bytes, with our monotonic clock and time since 1970 when they came.
    Bytes(Vec<u8>, u64, u64),
    /// The end of its output.
    Ended,
}

/// What goes to a host.
enum Outgoing {
    Bytes(Vec<u8>),
    File(File),
}

/// How far the connection is.
enum Phase {
    /// The host has not greeted yet.
    Greeting(Vec<u8>),
    /// The host must say that it waits for the program.
    Copying(Vec<u8>),
    /// Messages.
    Messages(Lines),
}

/// A message with our clocks when it came.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) message: FromHost,
    pub(crate) at_ns: u64,
    pub(crate) at_unix_ns: u64,
}

/// A connection.
pub(crate) struct Session {
    /// The host, as the study names it.
    pub(crate) host: String,
    child: Child,
    /// `None` once nothing more is sent.
    out: Option<Sender<Outgoing>>,
    phase: Phase,
    heard: Instant,
    /// What our greeting begins with.
    greeting: String,
    /// The last line before it that says something: why a login shell ends at once.
    before: String,
    /// Whether the agent has greeted.
    pub(crate) is_ready: bool,
    /// Why the host takes no part any more.
    pub(crate) lost: Option<LostWhy>,
}

impl Session {
    /// Starts `ssh`; `events` gets what arrives, with `index`.
    pub(crate) fn start(
        (host, destination): (&str, &str),
        token: &Token,
        (index, events): (usize, Sender<(usize, Event)>),
    ) -> Result<Self, WorldError> {
        let attempted = || format!("failed to start `ssh` to `{host}`");
        let failed = |error: io::Error| WorldError::failed(attempted(), error);
        let (their_input, our_output) = io::pipe().map_err(failed)?;
        let (our_input, their_output) = io::pipe().map_err(failed)?;
        let call = ssh::call(destination, token);
        let call = call.stdin(their_input).stdout(their_output);
        let child = call
            .start()
            .map_err(|error| error.while_trying(attempted()))?;
        let (out, outgoing) = channel();
        thread::Builder::new()
            .spawn(move || write(our_output, &outgoing))
            .map_err(failed)?;
        thread::Builder::new()
            .spawn(move || read(our_input, index, &events))
            .map_err(failed)?;
        Ok(Self {
            host: host.to_owned(),
            child,
            out: Some(out),
            phase: Phase::Greeting(Vec::new()),
            heard: Instant::now(),
            greeting: greeting(token),
            before: String::new(),
            is_ready: false,
            lost: None,
        })
    }

    /// Returns whether the host takes part.
    pub(crate) fn is_alive(&self) -> bool {
        self.lost.is_none()
    }

    /// Sends a message, if the host takes part; a broken connection shows in what arrives.
    pub(crate) fn send(&self, message: &ToHost) {
        if let (Some(out), Ok(line)) = (&self.out, line(message)) {
            let _ended = out.send(Outgoing::Bytes(line));
        }
    }

    /// Takes what arrived, and returns the messages in it.
    pub(crate) fn take(&mut self, event: Event) -> Vec<Received> {
        if !self.is_alive() {
            return Vec::new();
        }
        match event {
            Event::Ended => {
                if let Phase::Greeting(text) = &self.phase {
                    let text = String::from_utf8_lossy(text);
                    if !text.trim().is_empty() {
                        self.before = text.trim().to_owned();
                    }
                }
                let why = self.why_closed();
                self.lose(why);
                Vec::new()
            }
            Event::Bytes(bytes, at_ns, at_unix_ns) => {
                self.heard = Instant::now();
                match self.parse(&bytes) {
                    Ok(messages) => messages
                        .into_iter()
                        .map(|message| Received {
                            message,
                            at_ns,
                            at_unix_ns,
                        })
                        .collect(),
                    Err(error) => {
                        self.lose(LostWhy::Failed { error });
                        Vec::new()
                    }
                }
            }
        }
    }

    /// Loses the host if nothing came from it for too long.
    pub(crate) fn check_silence(&mut self) {
        let silent = self.heard.elapsed();
        let limit = match self.is_ready {
            true => SILENCE_MAX,
            false => BEGIN_MAX,
        };
        if self.is_alive() && silent > limit {
            let for_ns = Nanos::from(silent);
            self.lose(LostWhy::Silent { for_ns });
        }
    }

    /// Ends the connection because of `why`. The agent restores its host by itself.
    pub(crate) fn lose(&mut self, why: LostWhy) {
        self.lost.get_or_insert(why);
        self.close();
    }

    /// Sends nothing more: the agent ends once it has done what it was asked.
    pub(crate) fn close(&mut self) {
        self.out = None;
    }

    /// Waits until the agent has ended.
    pub(crate) fn wait(&mut self, limit: Duration) {
        let _ended = self.child.wait_at_most(limit);
    }

    fn parse(&mut self, bytes: &[u8]) -> Result<Vec<FromHost>, String> {
        let mut rest = bytes.to_vec();
        loop {
            match &mut self.phase {
                Phase::Messages(lines) => {
                    lines.push(&rest);
                    let mut messages = Vec::new();
                    while let Some(message) = lines.take().map_err(|error| chain(&error))? {
                        messages.push(message);
                    }
                    return Ok(messages);
                }
                Phase::Greeting(text) | Phase::Copying(text) => {
                    text.extend_from_slice(&rest);
                    let Some(line) = first_line(text) else {
                        return match text.len() > BEFORE_GREETING_BYTES_MAX {
                            true => Err("it printed no greeting of ours within 1 MiB".to_owned()),
                            false => Ok(Vec::new()),
                        };
                    };
                    rest = std::mem::take(text);
                    let found = line.strip_prefix(&self.greeting);
                    if found.is_some() {
                        self.before.clear();
                    } else if matches!(self.phase, Phase::Greeting(_)) && !line.trim().is_empty() {
                        self.before.clone_from(&line);
                    }
                    self.phase = match (&self.phase, found) {
                        (Phase::Greeting(_), Some(found)) => self.answer_greeting(found)?,
                        (Phase::Copying(_), _) if line == SEND => {
                            self.send_program()?;
                            Phase::Messages(Lines::default())
                        }
                        (Phase::Copying(_), _) => Phase::Copying(Vec::new()),
                        _ => Phase::Greeting(Vec::new()),
                    };
                }
            }
        }
    }

    /// Answers what the host is and has: `Linux x86_64 stripewise 0.1.0`.
    fn answer_greeting(&self, found: &str) -> Result<Phase, String> {
        let mut words = found.split(' ');
        let (system, machine) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let version = words.collect::<Vec<_>>().join(" ");
        let send = |answer: String| {
            if let Some(out) = &self.out {
                let _ended = out.send(Outgoing::Bytes(answer.into_bytes()));
            }
        };
        if version == concat!("stripewise ", env!("CARGO_PKG_VERSION")) {
            send("found\n".to_owned());
            return Ok(Phase::Messages(Lines::default()));
        }
        if system != "Linux" || machine != std::env::consts::ARCH {
            send("leave\n".to_owned());
            let ours = std::env::consts::ARCH;
            let (system, machine) = (visible_line(system), visible_line(machine));
            return Err(format!(
                "it is {system} on {machine}, and has no `stripewise` {} of its own; this program is for Linux on {ours}",
                env!("CARGO_PKG_VERSION")
            ));
        }
        let length = program().and_then(|file| file.metadata());
        let length = length.map_err(|error| format!("failed to read this program: {error}"))?;
        send(format!("copy {}\n", length.len()));
        Ok(Phase::Copying(Vec::new()))
    }

    fn send_program(&self) -> Result<(), String> {
        let file = program().map_err(|error| format!("failed to read this program: {error}"))?;
        if let Some(out) = &self.out {
            let _ended = out.send(Outgoing::File(file));
        }
        Ok(())
    }

    fn why_closed(&mut self) -> LostWhy {
        let ended = self.child.wait_at_most(LAST_WORDS);
        let code = ended.ok().flatten().and_then(|status| status.code());
        let printed = self.child.read_stderr(1 << 16).unwrap_or_default();
        let printed = String::from_utf8_lossy(&printed);
        let mut last: Vec<&str> = printed
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        last.drain(..last.len().saturating_sub(3));
        if !self.is_ready && !self.before.is_empty() {
            last.insert(0, &self.before);
        }
        let last = last.join(" | ");
        let own = match &self.phase {
            Phase::Greeting(_) if code.is_some_and(|code| code != 255) => {
                Some("its login shell, or a script of it, ended before our command began")
            }
            _ => None,
        };
        let printed = match (own_code(code).or(own), last.is_empty()) {
            (None, _) => last,
            (Some(own), true) => own.to_owned(),
            (Some(own), false) => format!("{own} ({last})"),
        };
        let printed: String = visible_line(&printed)
            .chars()
            .take(PRINTED_CHARS_MAX)
            .collect();
        LostWhy::Closed { printed, code }
    }

    /// Takes the agent's first message.
    pub(crate) fn greet(&mut self, protocol: u32, version: &str) {
        match protocol == PROTOCOL {
            true => {
                self.is_ready = true;
                // The first message begins the beats: another host may take minutes to get ready.
                self.send(&ToHost::Beat);
            }
            false => {
                let error = format!(
                    "its `stripewise` {version} speaks version {protocol} of the messages, this one {PROTOCOL}"
                );
                self.lose(LostWhy::Failed { error });
            }
        }
    }
}

/// Returns what an exit code of our script, or of a shell that cannot run a program, means.
fn own_code(code: Option<i32>) -> Option<&'static str> {
    Some(match code? {
        90 => "our script there got no answer from here",
        91 => "failed to make our folder in its `~/.cache`",
        92 => "failed to write this program into its `~/.cache`: is that filesystem full?",
        126 => {
            "the program cannot be run there: is `~/.cache` on a filesystem mounted `noexec`, or lacks the system its libraries?"
        }
        127 => "the program, `sh`, or a library of it is missing there",
        _ => return None,
    })
}

fn program() -> io::Result<File> {
    File::open("/proc/self/exe")
}

/// Removes the first line and returns it; `None` if it is not complete.
fn first_line(text: &mut Vec<u8>) -> Option<String> {
    let end = text.iter().position(|byte| *byte == b'\n')?;
    let line: Vec<u8> = text.drain(..=end).collect();
    let line = String::from_utf8_lossy(&line);
    Some(line.trim_end_matches(['\n', '\r']).to_owned())
}

fn read(mut from: PipeReader, index: usize, events: &Sender<(usize, Event)>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let event = match from.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => Event::Ended,
            Ok(length) => Event::Bytes(buffer[..length].to_vec(), monotonic_ns(), unix_ns()),
        };
        let is_end = matches!(event, Event::Ended);
        if events.send((index, event)).is_err() || is_end {
            return;
        }
    }
}

fn write(mut to: PipeWriter, outgoing: &Receiver<Outgoing>) {
    let mut beats = false;
    loop {
        let written = match outgoing.recv_timeout(BEAT) {
            Ok(Outgoing::Bytes(bytes)) => {
                // Before the first message of ours the shell reads, which knows no beat.
                beats |= bytes.starts_with(b"{");
                to.write_all(&bytes)
            }
            Ok(Outgoing::File(mut file)) => io::copy(&mut file, &mut to).map(|_| ()),
            Err(RecvTimeoutError::Timeout) if beats => match line(&ToHost::Beat) {
                Ok(line) => to.write_all(&line),
                Err(_) => Ok(()),
            },
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if written.is_err() {
            return;
        }
    }
}
