//! A moment at which a test can let a guest end from within.
//!
//! `STRIPEWISE_TEST_GUEST_END=agent:1500` lets the agent be killed 1500 ms of the guest's time after
//! it began; with `panic`, the guest's kernel panics then. The host tells the guest on the kernel's
//! command line. Only where debug assertions are on: a released program knows no such variable.

use std::fmt;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

/// What the host reads.
const VARIABLE: &str = "STRIPEWISE_TEST_GUEST_END";
/// What the guest reads, a word of the kernel's command line.
const ARGUMENT: &str = "stripewise.test_guest_end=";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Agent,
    Kernel,
}

/// What ends, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    victim: Victim,
    after_ms: u32,
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        let (victim, after) = text.split_once(':')?;
        Some(Self {
            victim: match victim {
                "agent" => Victim::Agent,
                "panic" => Victim::Kernel,
                _ => return None,
            },
            after_ms: after.parse().ok()?,
        })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let victim = match self.victim {
            Victim::Agent => "agent",
            Victim::Kernel => "panic",
        };
        write!(f, "{victim}:{}", self.after_ms)
    }
}

/// Returns what the guest's kernel is told, if a test says so.
pub(crate) fn kernel_argument() -> Option<String> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let moment = Moment::parse(&std::env::var(VARIABLE).ok()?)?;
    Some(format!("{ARGUMENT}{moment}"))
}

/// Lets the guest end when the host's test says so. Is called in the guest.
pub fn stumble() {
    if !cfg!(debug_assertions) {
        return;
    }
    let line = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let moment = words.find_map(|word| Moment::parse(word.strip_prefix(ARGUMENT)?));
    if let Some(Moment { victim, after_ms }) = moment {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(after_ms.into()));
            // Whichever fails: the guest goes on, and the test notices.
            match victim {
                Victim::Agent => kill_process(getpid(), Signal::KILL).is_ok(),
                Victim::Kernel => std::fs::write("/proc/sysrq-trigger", "c").is_ok(),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_end_is_read_as_it_is_written_and_nonsense_is_not() {
        for text in ["agent:0", "panic:1500"] {
            assert_eq!(Moment::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "agent",
            "agent:",
            "agent:-1",
            "disk:1",
            "panic:1 init=/bin/sh",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
