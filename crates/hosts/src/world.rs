//! The world of the controller: each request goes to all hosts at once.

use std::collections::BTreeMap;
use std::time::Duration;

use stripewise_lab::wire::RemoteError;
use stripewise_process::UntilStopped;
use stripewise_results::world::HostsSpec;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::hosts::{
    Host, HostFinding, HostOutcome, HostPart, HostShare, LostHosts, LostWhy,
};
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Change, Journal, NeverCancel, Prepared, SampleRequest, Watch, World, WorldError, WorldName,
};
use stripewise_units::Nanos;
use stripewise_units::causes::chain;

use crate::Say;
use crate::folder::Token;
use crate::hub::{Answered, How, Hub, in_words};
use crate::merge::{merged, of_host};
use crate::restore::{self, Restored};
use crate::ssh;
use crate::wire::{Answer, ToHost};

/// A clock that is off by more is a finding, beyond how far the comparison may be off.
const CLOCK_OFF_NS_MAX: u64 = 1_000_000_000;
/// A host whose load average for each CPU is higher is busy.
const LOAD_PER_CPU_MAX: f64 = 0.5;
/// How long an agent may take to end after it has restored its host.
const END_MAX: Duration = Duration::from_secs(5);
/// The facts in which a host that runs the same load should be like the others.
const FACTS_COMPARED: [&str; 6] = [
    "kernel",
    "kernel source",
    "CPU model",
    "CPU count",
    "memory",
    "target filesystem",
];
/// The fact in which it must be: other versions of fio measure otherwise.
const FIO_VERSION: &str = "fio version";

/// Measures the filesystem of a directory on many hosts at the same time.
pub struct HostsWorld {
    options: HostsSpec,
    say: Say,
    tokens: Vec<Token>,
    hub: Option<Hub>,
    /// Findings until the first cells are checked.
    noticed: Vec<Warning>,
    /// The hosts whose folder is in the journal.
    journalled: Vec<bool>,
    /// Those of the first host.
    facts: Option<Facts>,
}

impl std::fmt::Debug for HostsWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostsWorld")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl HostsWorld {
    /// Prepares a world; connects to no host yet.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new(options: HostsSpec, say: Say) -> Result<Self, WorldError> {
        let tokens = options
            .hosts
            .iter()
            .map(|_| Token::draw())
            .collect::<Result<Vec<_>, _>>();
        let tokens = tokens
            .map_err(|error| WorldError::failed("failed to name folders on the hosts", error))?;
        Ok(Self {
            journalled: vec![false; tokens.len()],
            options,
            say,
            tokens,
            hub: None,
            noticed: Vec::new(),
            facts: None,
        })
    }

    /// Connects to the hosts unless that is done, and reads the facts of all.
    fn connect(&mut self) -> Result<(), WorldError> {
        if self.hub.is_some() {
            return Ok(());
        }
        let hosts: Vec<(Host, Token)> = self
            .options
            .hosts
            .iter()
            .cloned()
            .zip(self.tokens.clone())
            .collect();
        self.hub = Some(Hub::connect(&hosts, &mut UntilStopped)?);
        self.refuse_lost("cannot be reached")?;
        let target = self.options.target.clone();
        let open = |_| ToHost::Open {
            target: target.clone(),
        };
        let opened = self.ask(open, How::ANSWER, &mut UntilStopped)?;
        self.lose_failed(opened);
        self.refuse_lost("cannot take part")?;
        self.compare_facts()?;
        self.refuse_lost("cannot take part")?;
        self.notice_clocks();
        Ok(())
    }

    fn ask(
        &mut self,
        make: impl Fn(usize) -> ToHost,
        how: How,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Option<Answered>>, WorldError> {
        match &mut self.hub {
            Some(hub) => hub.ask(make, how, watch),
            None => Err(WorldError::plain("no host is connected")),
        }
    }

    /// Loses the hosts whose request failed, and returns the answers of the others.
    fn lose_failed(&mut self, answers: Vec<Option<Answered>>) -> Vec<(usize, Answer)> {
        let mut good = Vec::new();
        for (index, answer) in answers.into_iter().enumerate() {
            match (answer, &mut self.hub) {
                (Some(Ok(answer)), _) => good.push((index, answer)),
                // It was stopped because another host failed.
                (Some(Err(RemoteError::Interrupted)), _) => {}
                (Some(Err(error)), Some(hub)) => {
                    let error = in_words(error);
                    hub.sessions[index].lose(LostWhy::Failed { error });
                }
                _ => {}
            }
        }
        good
    }

    /// Fails if a host is lost and the study does not allow that, or none is left. Names every lost host.
    fn refuse_lost(&self, what: &str) -> Result<(), WorldError> {
        let Some(hub) = &self.hub else {
            return Ok(());
        };
        let lost: Vec<(&str, &LostWhy)> = hub
            .sessions
            .iter()
            .filter_map(|session| Some((session.host.as_str(), session.lost.as_ref()?)))
            .collect();
        let is_any_left = lost.len() < hub.sessions.len();
        if lost.is_empty() || self.options.lost == LostHosts::Continue && is_any_left {
            return Ok(());
        }
        let each: Vec<String> = lost
            .iter()
            .map(|(host, why)| format!("`{host}`: {}", (self.say)(&why.message())))
            .collect();
        let message = format!(
            "{} of {} hosts {what}: {}",
            lost.len(),
            hub.sessions.len(),
            each.join("; ")
        );
        let known = lost.iter().find_map(|(_, why)| match why {
            LostWhy::Closed {
                printed,
                code: None | Some(255),
            } => ssh::hint(printed),
            _ => None,
        });
        let goes_on = "`lost_hosts = \"continue\"` in the study (`--lost-hosts continue`) measures those that are left";
        let is_closed = |(_, why): &(&str, &LostWhy)| {
            matches!(
                why,
                LostWhy::Closed {
                    code: None | Some(255),
                    ..
                }
            )
        };
        let error = WorldError::plain(message);
        Err(match known {
            Some(known) => error.or_hint(known),
            None if is_any_left => error.or_hint(goes_on),
            None if lost.iter().all(is_closed) => {
                error.or_hint("`ssh HOST true` must work without a question before `--hosts` does")
            }
            None => error,
        })
    }

    /// Reads the facts of all hosts. One with another fio than most is lost.
    fn compare_facts(&mut self) -> Result<(), WorldError> {
        let answers = self.ask(|_| ToHost::Facts, How::ANSWER, &mut UntilStopped)?;
        let mut all: Vec<(usize, Box<Facts>, Option<f64>)> = Vec::new();
        let mut machines = BTreeMap::new();
        for (index, answer) in self.lose_failed(answers) {
            let Answer::Facts {
                facts,
                load,
                machine,
            } = answer
            else {
                continue;
            };
            match machine.and_then(|machine| machines.insert(machine, index)) {
                Some(first) => self.lose_twin(index, first),
                None => all.push((index, facts, load)),
            }
        }
        let version = |facts: &Facts| facts.tools.get("fio").cloned().unwrap_or_default();
        let count = |wanted: &str| {
            all.iter()
                .filter(|(_, facts, _)| version(facts) == wanted)
                .count()
        };
        let mut versions: Vec<String> = all.iter().map(|(_, facts, _)| version(facts)).collect();
        // The first of the most frequent ones: the sort is stable.
        versions.sort_by_key(|version| std::cmp::Reverse(count(version)));
        let usual = versions.first().cloned().unwrap_or_default();
        let Some(hub) = &mut self.hub else {
            return Ok(());
        };
        let first = all.iter().find(|(_, facts, _)| version(facts) == usual);
        let Some((first, first_facts)) = first.map(|(index, facts, _)| (*index, facts.clone()))
        else {
            return Ok(());
        };
        for (index, facts, load) in all {
            let host = hub.sessions[index].host.clone();
            if version(&facts) != usual {
                let error = format!(
                    "it has {}, most hosts have {usual}: install the same fio",
                    version(&facts)
                );
                hub.sessions[index].lose(LostWhy::Failed { error });
                continue;
            }
            let changes = first_facts.changes(&facts).into_iter();
            let compared = changes.filter(|change| {
                change.fact != FIO_VERSION && FACTS_COMPARED.contains(&change.fact.as_str())
            });
            self.noticed.extend(compared.map(|change| {
                of_host(HostFinding::Unlike {
                    host: host.clone(),
                    first: hub.sessions[first].host.clone(),
                    change,
                })
            }));
            let cpus = facts.cpu.logical_count.unwrap_or(1);
            if let Some(load) = load.filter(|load| *load > LOAD_PER_CPU_MAX * f64::from(cpus)) {
                self.noticed
                    .push(of_host(HostFinding::Busy { host, load, cpus }));
            }
        }
        self.facts = Some(*first_facts);
        Ok(())
    }

    /// Loses a host that is the same machine as another one of the run.
    fn lose_twin(&mut self, index: usize, first: usize) {
        if let Some(hub) = &mut self.hub {
            let error = format!(
                "it is the same machine as `{}`, whose load would run there twice: name one of the two",
                hub.sessions[first].host
            );
            hub.sessions[index].lose(LostWhy::Failed { error });
        }
    }

    fn notice_clocks(&mut self) {
        let Some(hub) = &self.hub else {
            return;
        };
        for (session, offset) in hub.sessions.iter().zip(&hub.offsets) {
            let Some(offset) = offset.filter(|_| session.is_alive()) else {
                continue;
            };
            let off_ns = u64::try_from(offset.unix_ns.unsigned_abs()).unwrap_or(u64::MAX);
            if off_ns > CLOCK_OFF_NS_MAX.saturating_add(offset.within.as_u64()) {
                self.noticed.push(of_host(HostFinding::Clock {
                    host: session.host.clone(),
                    off_ns: Nanos::new(off_ns),
                    within_ns: offset.within,
                    is_ahead: offset.unix_ns > 0,
                }));
            }
        }
    }

    /// Records our folder on each host before anything else is made there.
    fn announce(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        for index in 0..self.tokens.len() {
            let is_alive = self
                .hub
                .as_ref()
                .is_some_and(|hub| hub.sessions[index].is_alive());
            if is_alive && !self.journalled[index] {
                let announced = journal.announce(&self.change(index));
                announced.map_err(|error| {
                    WorldError::failed("failed to record a change on a host", error)
                })?;
                self.journalled[index] = true;
            }
        }
        Ok(())
    }

    fn change(&self, index: usize) -> Change {
        Change::OnHost {
            host: self.options.hosts[index].name.clone(),
            destination: self.options.hosts[index].destination.clone(),
            token: self.tokens[index].as_str().to_owned(),
        }
    }

    /// Returns the shares of the hosts that took part in a sample, and when the first of them began.
    fn shares(
        &mut self,
        before: &[bool],
        answers: Vec<Option<Answered>>,
    ) -> (Vec<HostShare>, i128) {
        let good = self.lose_failed(answers);
        let Some(hub) = &self.hub else {
            return (Vec::new(), 0);
        };
        let mut began: Vec<Option<(i128, Nanos, Box<Sample>)>> = vec![None; before.len()];
        for (index, answer) in good {
            if let (
                Answer::Sample {
                    began_ns, sample, ..
                },
                Some(offset),
            ) = (answer, hub.offsets[index])
            {
                began[index] = Some((offset.ours(began_ns), offset.within, sample));
            }
        }
        let measured = began.iter().flatten();
        let first = measured
            .clone()
            .map(|(at, ..)| *at)
            .min()
            .unwrap_or_default();
        let first_within = measured
            .filter(|(at, ..)| *at == first)
            .map(|(_, within, _)| within.as_u64());
        let first_within = first_within.max().unwrap_or_default();
        let took_part = (0..before.len()).filter(|index| before[*index]);
        let shares = took_part.map(|index| {
            let outcome = match began[index].take() {
                Some((at, within, sample)) => HostOutcome::Measured(Box::new(HostPart {
                    late_ns: Nanos::new(u64::try_from(at - first).unwrap_or(0)),
                    late_within_ns: Nanos::new(within.as_u64().saturating_add(first_within)),
                    sample: *sample,
                })),
                None => {
                    HostOutcome::Lost(hub.sessions[index].lost.clone().unwrap_or(LostWhy::Failed {
                        error: "it did not end its load in time".to_owned(),
                    }))
                }
            };
            HostShare {
                host: hub.sessions[index].host.clone(),
                outcome,
            }
        });
        (shares.collect(), first)
    }

    /// Returns a finding that names the hosts which were lost before a sample, if there are any.
    fn without(&self, before: &[bool]) -> Option<Warning> {
        let named = before.iter().zip(&self.options.hosts);
        let missing: Vec<usize> = named
            .enumerate()
            .filter(|(_, (took_part, _))| !**took_part)
            .map(|(index, _)| index)
            .collect();
        let sessions = &self.hub.as_ref()?.sessions;
        let why = missing.iter().map(|index| sessions[*index].lost.clone());
        let left = before.len() - missing.len();
        (!missing.is_empty()).then(|| {
            of_host(HostFinding::Without {
                hosts: missing
                    .iter()
                    .map(|index| self.options.hosts[*index].name.clone())
                    .collect(),
                why: why.collect::<Option<_>>().unwrap_or_default(),
                left,
            })
        })
    }
}

/// Returns the seed of a host: the same offsets on all would meet in the caches of one server.
fn seed_of(seed: u64, index: usize) -> u64 {
    let index = u64::try_from(index).unwrap_or(u64::MAX);
    // Below 2^53, as all seeds, and unchanged for the first host.
    (seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15)) & ((1 << 53) - 1)
}

impl World for HostsWorld {
    fn name(&self) -> WorldName {
        WorldName::Metal
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        self.connect()?;
        Ok(self.facts.clone().unwrap_or_default())
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        self.connect()?;
        let check = |_| ToHost::Check {
            cells: cells.to_vec(),
        };
        let answers = self.ask(check, How::ANSWER, &mut UntilStopped)?;
        let good = self.lose_failed(answers);
        self.refuse_lost("cannot take part")?;
        let mut warnings = std::mem::take(&mut self.noticed);
        for (index, answer) in good {
            let Answer::Checked { warnings: of_one } = answer else {
                continue;
            };
            warnings.extend(of_one.into_iter().map(|warning| {
                of_host(HostFinding::Noticed {
                    host: self.options.hosts[index].name.clone(),
                    warning: Box::new(warning),
                })
            }));
        }
        let alive: Vec<bool> = match &self.hub {
            Some(hub) => hub
                .sessions
                .iter()
                .map(crate::session::Session::is_alive)
                .collect(),
            None => Vec::new(),
        };
        warnings.extend(self.without(&alive));
        Ok(warnings)
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        self.connect()?;
        self.announce(journal)?;
        let ends_at_loss = self.options.lost == LostHosts::Refuse;
        let prepare = |_| ToHost::Prepare {
            cell: Box::new(cell.clone()),
        };
        let answers = self.ask(
            prepare,
            How {
                ends_at_loss,
                ..How::ANSWER
            },
            watch,
        )?;
        let good = self.lose_failed(answers);
        self.refuse_lost("were lost while their test files were made")?;
        let is_there = |(_, answer): &(usize, Answer)| {
            matches!(
                answer,
                Answer::Prepared {
                    already_there: true
                }
            )
        };
        Ok(match good.iter().all(is_there) {
            true => Prepared::AlreadyThere,
            false => Prepared::Made,
        })
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let before: Vec<bool> = match &self.hub {
            Some(hub) => hub
                .sessions
                .iter()
                .map(crate::session::Session::is_alive)
                .collect(),
            None => return Err(WorldError::plain("no host is connected")),
        };
        let ends_at_loss = self.options.lost == LostHosts::Refuse;
        let measure = |index| ToHost::Measure {
            cell: Box::new(cell.clone()),
            request: SampleRequest {
                seed: seed_of(request.seed, index),
                ..request.clone()
            },
        };
        let how = How {
            load: Some(request.duration),
            ends_at_loss,
        };
        let answers = self.ask(measure, how, watch)?;
        let (shares, first_ns) = self.shares(&before, answers);
        self.refuse_lost("were lost during a sample")?;
        let since_ns = i128::from(crate::clock::monotonic_ns()) - first_ns;
        let began_unix_ns = i128::from(crate::clock::unix_ns()) - since_ns;
        let mut sample = merged(shares, u64::try_from(began_unix_ns).unwrap_or(0));
        sample.warnings.extend(self.without(&before));
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        let Some(mut hub) = self.hub.take() else {
            return Ok(());
        };
        let answers = hub.ask(|_| ToHost::Restore, How::ANSWER, &mut NeverCancel)?;
        let mut left = Vec::new();
        for (index, answer) in answers.into_iter().enumerate() {
            let host = &self.options.hosts[index];
            let restored = match answer {
                Some(Ok(Answer::Restored { left })) if left.is_empty() => {
                    hub.sessions[index].close();
                    hub.sessions[index].wait(END_MAX);
                    Ok(())
                }
                Some(Ok(Answer::Restored { left })) => Err(left.join("; ")),
                // It restores itself; a new connection finds out whether it did.
                _ if self.journalled[index] => {
                    hub.sessions[index].close();
                    match restore::one(host, &self.tokens[index], self.say) {
                        Ok(Restored::Done) => Ok(()),
                        Ok(Restored::Left(left)) => Err(left.join("; ")),
                        Err(error) => Err(chain(&error)),
                    }
                }
                _ => Ok(()),
            };
            match restored {
                Ok(()) if self.journalled[index] => {
                    let noted = journal.undone(&self.change(index));
                    noted.map_err(|error| {
                        WorldError::failed("failed to record an undone change", error)
                    })?;
                    self.journalled[index] = false;
                }
                Ok(()) => {}
                // A lost host that the study allows to lose stays in the journal, for `restore`.
                Err(_) if hub.sessions[index].lost.is_some() => {}
                Err(why) => left.push(format!("`{}`: {why}", host.name)),
            }
        }
        match left.is_empty() {
            true => Ok(()),
            false => Err(
                WorldError::plain(format!("failed to restore {}", left.join("; ")))
                    .or_hint("`stripewise restore` tries again once the host can be reached"),
            ),
        }
    }
}
