//! Hosts that run one load at the same time, the share of each in a sample, and what was noticed
//! about one of them.

use serde::{Deserialize, Serialize};
use stripewise_message::{Argument, Message};
use stripewise_units::Nanos;

use crate::metric::Metric;
use crate::sample::{Sample, as_f64};
use crate::warning::Warning;

/// The most hosts of a run: each has a connection and two threads of the controller.
pub const HOSTS_MAX: usize = 256;

/// A host of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its name for people.
    pub name: String,
    /// Where `ssh` finds it.
    pub destination: String,
}

impl Host {
    /// Returns the host that `ssh` knows under a name.
    pub fn named(destination: &str) -> Self {
        Self {
            name: destination.to_owned(),
            destination: destination.to_owned(),
        }
    }
}

/// The longest destination.
const DESTINATION_BYTES_MAX: usize = 255;

/// Returns why `ssh` must not be called with a destination; `None` for a good one: `host`, `user@host` or
/// `ssh://user@host:port`, where the host may be any name in the user's `~/.ssh/config`.
///
/// A destination never begins with `-`, which `ssh` would take for an option, nor has it characters
/// with a meaning for a shell: a `ProxyCommand` in `~/.ssh/config` may hold the name.
pub fn destination_problem(destination: &str) -> Option<&'static str> {
    let bare = destination.strip_prefix("ssh://").unwrap_or(destination);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:@[]".contains(c);
    if bare.is_empty() {
        return Some("it is empty");
    }
    if destination.len() > DESTINATION_BYTES_MAX {
        return Some("it is longer than 255 bytes");
    }
    if !bare.chars().all(is_plain) {
        return Some("it has a character other than letters, digits and `._-:@[]`");
    }
    let mut parts = bare.split('@');
    if parts.any(|part| part.is_empty() || part.starts_with('-')) {
        return Some("a user or host is empty or begins with `-`");
    }
    None
}

/// What becomes of a run when it loses a host.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LostHosts {
    /// The run does not begin without a host, and ends when it loses one.
    #[default]
    Refuse,
    /// The run goes on with the hosts that are left, and says so first.
    Continue,
}

/// The share of one host in a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostShare {
    /// The host, as the study names it.
    pub host: String,
    /// What it did.
    pub outcome: HostOutcome,
}

/// What one host did in a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostOutcome {
    /// It ran its load to the end.
    Measured(Box<HostPart>),
    /// It was lost.
    Lost(LostWhy),
}

/// The load of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostPart {
    /// How much later than on the first host the load began.
    pub late_ns: Nanos,
    /// How far `late_ns` may be off: clocks are compared over the network.
    pub late_within_ns: Nanos,
    /// Its own sample; it has no `hosts` of its own.
    pub sample: Sample,
}

/// Why a host was lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LostWhy {
    /// Its connection was closed: the host or its `sshd` ended, or our program there was killed.
    Closed {
        /// What `ssh` or the host printed last; may be empty.
        printed: String,
        /// The exit code of `ssh`: 255 is its own, another one that of our program there; `None` if it
        /// was killed itself, and in older runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
    },
    /// Nothing came from it for so long, though the connection was open.
    Silent {
        /// How long.
        for_ns: Nanos,
    },
    /// It reported an error.
    Failed {
        /// The error with its causes.
        error: String,
    },
}

/// The exit code of `ssh` when it failed itself (ssh(1)).
const SSH_FAILED: i32 = 255;
/// A shell ends with this and the number of the signal that killed its program (POSIX, XCU 2.8.2, asks for
/// more than 128; every shell adds 128).
const SIGNALLED: i32 = 128;

impl LostWhy {
    /// Returns the reason as a sentence fragment.
    pub fn message(&self) -> Message {
        match self {
            LostWhy::Closed { printed, code } => {
                let by_signal = code.filter(|code| (SIGNALLED + 1..SIGNALLED + 65).contains(code));
                let how = match code {
                    None => "unknown",
                    Some(SSH_FAILED) => "ssh",
                    Some(code) if *code == SIGNALLED + 9 => "killed",
                    Some(_) if by_signal.is_some() => "signal",
                    Some(_) => "program",
                };
                let number = by_signal.map_or(*code, |code| Some(code - SIGNALLED));
                Message::new("host-lost-closed")
                    .name("how", how)
                    .digits("number", number.unwrap_or_default())
                    .name("has_printed", !printed.is_empty())
                    .name("printed", printed)
            }
            LostWhy::Silent { for_ns } => {
                Message::new("host-lost-silent").with("time", seconds(*for_ns))
            }
            LostWhy::Failed { error } => Message::new("host-lost-failed").name("error", error),
        }
    }

    /// Returns the host with the reason in parentheses.
    pub fn of_host(&self, host: &str) -> Message {
        let one = Message::new("hosts-lost-one").name("host", host);
        one.with("why", self.message())
    }
}

/// What a host of a run is doing, for people who wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProgress {
    /// The host.
    pub host: String,
    /// What it does.
    pub state: HostState,
    /// How long the load still runs there; `None` where that is not known.
    pub left: Option<Nanos>,
}

/// What a host of a run is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostState {
    /// It makes its test files, or gets a load ready.
    Preparing,
    /// It waits for the other hosts.
    Waiting,
    /// Its load runs.
    Loading,
    /// It ends its load, and reads its figures.
    Ending,
    /// It did what it was asked.
    Done,
    /// It was lost.
    Lost(LostWhy),
}

impl HostProgress {
    /// Returns what the host does, as a line.
    pub fn message(&self) -> Message {
        let (state, why) = match &self.state {
            HostState::Preparing => ("preparing", None),
            HostState::Waiting => ("waiting", None),
            HostState::Loading => ("loading", None),
            HostState::Ending => ("ending", None),
            HostState::Done => ("done", None),
            HostState::Lost(why) => ("lost", Some(why.message())),
        };
        let line = Message::new("progress-host").name("host", &self.host);
        let line = line
            .name("state", state)
            .name("has_left", self.left.is_some());
        let line = line.with("left", seconds(self.left.unwrap_or_default()));
        match why {
            Some(why) => line.with("why", why),
            None => line.name("why", ""),
        }
    }
}

/// Something noticed about one of several hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum HostFinding {
    /// It was lost during the sample, which therefore does not count.
    Lost {
        /// The host.
        host: String,
        /// Why.
        why: LostWhy,
    },
    /// The sample was taken without hosts that were lost before.
    Without {
        /// The lost hosts.
        hosts: Vec<String>,
        /// Why each of them was lost, in the same order; empty in older runs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        why: Vec<LostWhy>,
        /// How many took part.
        left: usize,
    },
    /// Its load began late.
    Late {
        /// The host.
        host: String,
        /// How much later than on the first host.
        late_ns: Nanos,
        /// How far that may be off.
        within_ns: Nanos,
    },
    /// It did much less than the others.
    Slow {
        /// The host.
        host: String,
        /// Its throughput over the median of all hosts.
        share: f64,
    },
    /// Its clock differs from the controller's.
    Clock {
        /// The host.
        host: String,
        /// By how much.
        off_ns: Nanos,
        /// How far that may be off.
        within_ns: Nanos,
        /// Whether its clock is ahead.
        is_ahead: bool,
    },
    /// Other programs were busy on it before the run.
    Busy {
        /// The host.
        host: String,
        /// Its load average of one minute (`/proc/loadavg`).
        load: f64,
        /// Its CPUs.
        cpus: u32,
    },
    /// A fact of it differs from that of the first host.
    Unlike {
        /// The host.
        host: String,
        /// The first host.
        first: String,
        /// The fact.
        change: crate::facts::FactChange,
    },
    /// What its own world noticed.
    Noticed {
        /// The host.
        host: String,
        /// The warning.
        warning: Box<Warning>,
    },
}

impl HostFinding {
    /// Returns whether a sample with it must not be counted.
    pub fn invalidates(&self) -> bool {
        match self {
            HostFinding::Lost { .. } => true,
            HostFinding::Noticed { warning, .. } => warning.invalidates(),
            _ => false,
        }
    }

    /// Returns its name in the catalogue.
    pub const fn id(&self) -> &'static str {
        match self {
            HostFinding::Lost { .. } => "host-lost",
            HostFinding::Without { .. } => "host-without",
            HostFinding::Late { .. } => "host-late",
            HostFinding::Slow { .. } => "host-slow",
            HostFinding::Clock { .. } => "host-clock",
            HostFinding::Busy { .. } => "host-busy",
            HostFinding::Unlike { .. } => "host-unlike",
            HostFinding::Noticed { .. } => "host-noticed",
        }
    }

    /// Fills the message of the finding.
    pub(crate) fn fill(&self, message: Message) -> Message {
        match self {
            HostFinding::Lost { host, why } => {
                message.name("host", host).with("why", why.message())
            }
            HostFinding::Without { hosts, why, left } => {
                let names = hosts.iter().enumerate().map(|(index, host)| {
                    let name = Argument::Name(host.clone());
                    why.get(index).map_or(name, |why| why.of_host(host).into())
                });
                message
                    .with("hosts", Argument::list(names))
                    .count("lost", hosts.len())
                    .count("left", *left)
            }
            HostFinding::Late {
                host,
                late_ns,
                within_ns,
            } => message
                .name("host", host)
                .with("late", nanoseconds(*late_ns))
                .with("within", nanoseconds(*within_ns)),
            HostFinding::Slow { host, share } => {
                message.name("host", host).percent("share", *share)
            }
            HostFinding::Clock {
                host,
                off_ns,
                within_ns,
                is_ahead,
            } => message
                .name("host", host)
                .with("off", nanoseconds(*off_ns))
                .with("within", nanoseconds(*within_ns))
                .name("is_ahead", is_ahead),
            HostFinding::Busy { host, load, cpus } => message
                .name("host", host)
                .digits("load", format!("{load:.1}"))
                .count("cpus", *cpus),
            HostFinding::Unlike {
                host,
                first,
                change,
            } => message
                .name("host", host)
                .name("first", first)
                .with("fact", change.name())
                .name("here", &change.now)
                .name("there", &change.before),
            HostFinding::Noticed { host, warning } => message
                .name("host", host)
                .with("sentence", warning.message()),
        }
    }

    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> Option<Message> {
        match self {
            HostFinding::Noticed { warning, .. } => warning.hint(),
            _ => Some(Message::new(format!("hint-{}", self.id()))),
        }
    }
}

impl Sample {
    /// Returns the hosts that ran their load to the end; empty if the sample is of one machine.
    pub fn measured_hosts(&self) -> Vec<&str> {
        let measured = self.host_parts();
        measured.map(|(host, _)| host).collect()
    }

    /// Returns the hosts that ran their load to the end, each with its part.
    pub fn host_parts(&self) -> impl Iterator<Item = (&str, &HostPart)> {
        self.hosts.iter().filter_map(|share| match &share.outcome {
            HostOutcome::Measured(part) => Some((share.host.as_str(), &**part)),
            HostOutcome::Lost(_) => None,
        })
    }
}

fn seconds(time: Nanos) -> Argument {
    crate::warning::seconds(time, 1)
}

fn nanoseconds(time: Nanos) -> Argument {
    Metric::LatencyP99.quantity(as_f64(time.as_u64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_that_are_options_or_reach_a_shell_are_refused() {
        for good in [
            "web1",
            "root@web1",
            "ssh://root@10.0.0.1:2222",
            "root@[fe80::1]",
            "a_b.c-d",
        ] {
            assert_eq!(destination_problem(good), None, "{good}");
        }
        let long = "a".repeat(256);
        for bad in [
            "",
            "-oProxyCommand=id",
            "root@-oProxyCommand=id",
            "ssh://-x",
            "@web",
            "root@",
            "ssh://",
            "web 1",
            "web;id",
            "web$(id)",
            "web`id`",
            "web\n",
            "wéb",
            "web/../x",
            "web%h",
            "'web'",
            &long,
        ] {
            assert!(destination_problem(bad).is_some(), "{bad}");
        }
    }
}
