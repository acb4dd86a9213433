//! All connections of a run, and one request to all of them at once.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use stripewise_lab::wire::RemoteError;
use stripewise_study::hosts::{Host, HostProgress, HostState, LostWhy};
use stripewise_study::world::{Watch, WorldError, WorldName};
use stripewise_units::Nanos;
use stripewise_units::causes::chain;

use crate::clock::{Offset, QUESTIONS, Reading, monotonic_ns};
use crate::folder::Token;
use crate::session::{Event, Received, Session};
use crate::wire::{Answer, FromHost, ToHost};

/// How often the watch is called.
const LOOK: Duration = Duration::from_millis(250);
/// How long hosts may take to end a request that was stopped.
const STOP_MAX: Duration = Duration::from_secs(20);
/// How long a host may take until its load can begin, after the first one is ready.
const READY_MAX: Duration = Duration::from_secs(60);
/// How long the start lies ahead when it is sent, beside the longest round trip.
const LEAD: Duration = Duration::from_millis(50);

/// The connections.
pub(crate) struct Hub {
    pub(crate) sessions: Vec<Session>,
    events: Receiver<(usize, Event)>,
    /// Messages that arrived while clocks were compared.
    kept: Vec<(usize, Received)>,
    /// How far the clock of each is from ours, as last compared.
    pub(crate) offsets: Vec<Option<Offset>>,
}

/// How a request is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How {
    /// How long its load runs, if it has one: it begins on all hosts at one moment, as soon as each is ready.
    pub(crate) load: Option<Nanos>,
    /// Whether it ends everywhere as soon as one host is lost or fails.
    pub(crate) ends_at_loss: bool,
}

impl How {
    /// A request without a load, whose answers are all waited for.
    pub(crate) const ANSWER: Self = Self {
        load: None,
        ends_at_loss: false,
    };
}

/// The answer of a host to a request.
pub(crate) type Answered = Result<Answer, RemoteError>;

impl Hub {
    /// Connects to all hosts at once, and returns when each has begun or is lost.
    pub(crate) fn connect(
        hosts: &[(Host, Token)],
        watch: &mut dyn Watch,
    ) -> Result<Self, WorldError> {
        let (sender, events) = channel();
        let mut sessions = Vec::new();
        for (index, (host, token)) in hosts.iter().enumerate() {
            let names = (host.name.as_str(), host.destination.as_str());
            let events = (index, sender.clone());
            sessions.push(Session::start(names, token, events)?);
        }
        let offsets = vec![None; sessions.len()];
        let mut hub = Self {
            sessions,
            events,
            kept: Vec::new(),
            offsets,
        };
        let began = Instant::now();
        while hub.alive().any(|one| !one.is_ready) {
            for (index, Received { message, .. }) in hub.receive(LOOK) {
                if let FromHost::Ready { protocol, version } = message {
                    hub.sessions[index].greet(protocol, &version);
                }
            }
            if !watch.keep_going(began.elapsed()) {
                return Err(WorldError::Interrupted);
            }
        }
        hub.compare_clocks();
        Ok(hub)
    }

    /// Returns the hosts that take part.
    pub(crate) fn alive(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().filter(|session| session.is_alive())
    }

    /// Returns what was kept, or else waits for what arrives next.
    fn receive(&mut self, timeout: Duration) -> Vec<(usize, Received)> {
        match self.kept.is_empty() {
            true => self.receive_next(timeout),
            false => std::mem::take(&mut self.kept),
        }
    }

    /// Waits for what arrives next, at most `timeout`, and looks for silent hosts.
    fn receive_next(&mut self, timeout: Duration) -> Vec<(usize, Received)> {
        let received = match self.events.recv_timeout(timeout) {
            Ok((index, event)) => {
                let messages = self.sessions[index].take(event).into_iter();
                messages.map(|message| (index, message)).collect()
            }
            Err(RecvTimeoutError::Timeout) => Vec::new(),
            // Every reader has ended, and each said so before.
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(timeout);
                Vec::new()
            }
        };
        for session in &mut self.sessions {
            session.check_silence();
        }
        received
    }

    /// Compares the clock of each host with ours.
    pub(crate) fn compare_clocks(&mut self) {
        let mut readings: Vec<Vec<Reading>> = vec![Vec::new(); self.sessions.len()];
        for number in 0..QUESTIONS {
            let sent_ns = monotonic_ns();
            let mut missing: Vec<usize> = Vec::new();
            for (index, session) in self.sessions.iter().enumerate() {
                if session.is_alive() {
                    session.send(&ToHost::Clock { number });
                    missing.push(index);
                }
            }
            while missing.iter().any(|index| self.sessions[*index].is_alive()) {
                for (index, received) in self.receive_next(LOOK) {
                    let FromHost::Clock {
                        number: of,
                        monotonic_ns,
                        unix_ns,
                    } = received.message
                    else {
                        self.kept.push((index, received));
                        continue;
                    };
                    if of == number {
                        missing.retain(|one| *one != index);
                        readings[index].push(Reading {
                            sent_ns,
                            received_ns: received.at_ns,
                            received_unix_ns: received.at_unix_ns,
                            monotonic_ns,
                            unix_ns,
                        });
                    }
                }
                missing.retain(|index| self.sessions[*index].is_alive());
            }
        }
        for (offset, readings) in self.offsets.iter_mut().zip(&readings) {
            *offset = Offset::of(readings).or(*offset);
        }
    }

    /// Asks all hosts at once, and returns the answer of each; `None` of one that is lost.
    pub(crate) fn ask(
        &mut self,
        make: impl Fn(usize) -> ToHost,
        how: How,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Option<Answered>>, WorldError> {
        let mut answers: Vec<Option<Answered>> = vec![None; self.sessions.len()];
        for (index, session) in self.sessions.iter().enumerate() {
            if session.is_alive() {
                session.send(&make(index));
            }
        }
        let began = Instant::now();
        let mut looked = began;
        let mut stopped: Option<Instant> = None;
        let mut is_interrupted = false;
        let mut barrier = how.load.map(|load| Barrier::new(self.sessions.len(), load));
        let alive_before = self.alive().count();
        loop {
            let waits = |hub: &Self, index: usize| {
                answers[index].is_none() && hub.sessions[index].is_alive()
            };
            if !(0..self.sessions.len()).any(|index| waits(self, index)) {
                break;
            }
            for (index, Received { message, .. }) in self.receive(Duration::from_millis(20)) {
                match message {
                    FromHost::Done { answer } => answers[index] = Some(Ok(answer)),
                    FromHost::Failed { error } => answers[index] = Some(Err(error)),
                    FromHost::StandingBy => {
                        if let Some(barrier) = &mut barrier {
                            barrier.is_ready[index] = true;
                        }
                    }
                    FromHost::Ready { .. } | FromHost::Clock { .. } | FromHost::Beat => {}
                }
            }
            if let Some(barrier) = &mut barrier {
                barrier.advance(self, &answers);
            }
            let has_failed = answers.iter().flatten().any(Result::is_err);
            let is_short = has_failed || self.alive().count() < alive_before;
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                watch.hosts(&self.progress(&answers, barrier.as_ref()));
                is_interrupted |= !watch.keep_going(began.elapsed());
            }
            if (is_interrupted || how.ends_at_loss && is_short) && stopped.is_none() {
                stopped = Some(Instant::now());
                self.alive().for_each(|session| session.send(&ToHost::Stop));
            }
            if stopped.is_some_and(|stopped| stopped.elapsed() > STOP_MAX) {
                // A late answer would be taken for that to the next request.
                for (session, answer) in self.sessions.iter_mut().zip(&answers) {
                    if session.is_alive() && answer.is_none() {
                        let seconds = STOP_MAX.as_secs();
                        let error = format!("it did not end what it was doing within {seconds} s");
                        session.lose(LostWhy::Failed { error });
                    }
                }
                break;
            }
        }
        match is_interrupted {
            true => Err(WorldError::Interrupted),
            false => Ok(answers),
        }
    }

    /// Returns what each host does.
    fn progress(
        &self,
        answers: &[Option<Answered>],
        barrier: Option<&Barrier>,
    ) -> Vec<HostProgress> {
        let opened = barrier.and_then(|barrier| Some((barrier.opened?, barrier.load)));
        let left = opened.map(|(opened, load)| {
            Duration::from(load).saturating_sub(opened.elapsed().saturating_sub(LEAD))
        });
        let of = self.sessions.iter().enumerate().map(|(index, session)| {
            let is_waiting = barrier.is_some_and(|barrier| barrier.is_ready[index]);
            let state = match (&session.lost, &answers[index], left) {
                (Some(why), ..) => HostState::Lost(why.clone()),
                (None, Some(_), _) => HostState::Done,
                (None, None, Some(left)) if left.is_zero() => HostState::Ending,
                (None, None, Some(_)) => HostState::Loading,
                (None, None, None) if is_waiting => HostState::Waiting,
                (None, None, None) => HostState::Preparing,
            };
            HostProgress {
                host: session.host.clone(),
                left: left
                    .filter(|_| state == HostState::Loading)
                    .map(Nanos::from),
                state,
            }
        });
        of.collect()
    }
}

/// Begins a load on all hosts at one moment.
struct Barrier {
    is_ready: Vec<bool>,
    /// When the first host was ready.
    first: Option<Instant>,
    /// When the start was sent.
    opened: Option<Instant>,
    /// How long the load runs.
    load: Nanos,
}

impl Barrier {
    fn new(hosts: usize, load: Nanos) -> Self {
        Self {
            is_ready: vec![false; hosts],
            first: None,
            opened: None,
            load,
        }
    }

    /// Sends the start once every host that has not failed is ready.
    fn advance(&mut self, hub: &mut Hub, answers: &[Option<Answered>]) {
        if self.opened.is_some() || !self.is_ready.contains(&true) {
            return;
        }
        let first = *self.first.get_or_insert_with(Instant::now);
        let is_waited_for = |hub: &Hub, index: usize| {
            hub.sessions[index].is_alive() && answers[index].is_none() && !self.is_ready[index]
        };
        let missing: Vec<usize> = (0..hub.sessions.len())
            .filter(|index| is_waited_for(hub, *index))
            .collect();
        if !missing.is_empty() {
            if first.elapsed() > READY_MAX {
                for index in missing {
                    let seconds = READY_MAX.as_secs();
                    let error = format!("it was not ready {seconds} s after the first host");
                    hub.sessions[index].lose(LostWhy::Failed { error });
                }
            }
            return;
        }
        self.opened = Some(Instant::now());
        hub.compare_clocks();
        let within = hub
            .offsets
            .iter()
            .flatten()
            .map(|offset| offset.within.as_u64())
            .max();
        let lead = u64::try_from(LEAD.as_nanos()).unwrap_or(0);
        let at_ns = monotonic_ns()
            .saturating_add(lead)
            .saturating_add(4 * within.unwrap_or(0));
        for (session, offset) in hub.sessions.iter().zip(&hub.offsets) {
            if let Some(offset) = offset {
                session.send(&ToHost::Start {
                    at_ns: offset.theirs(at_ns),
                });
            }
        }
    }
}

/// Returns an error of a host as one line, with what to do there if that is known.
pub(crate) fn in_words(error: RemoteError) -> String {
    let error = error.into_world_error(WorldName::Metal);
    match error.hint() {
        Some(hint) => format!("{} (there: {hint})", chain(&error)),
        None => chain(&error),
    }
}
