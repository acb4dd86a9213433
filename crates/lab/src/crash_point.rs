//! Crash points of a guest: a test can kill the agent or panic the guest's kernel.
//!
//! `STRIPEWISE_TEST_GUEST_END=agent:1500` kills the agent 1500 ms of guest time after it started;
//! `panic:1500` panics the guest's kernel then. The host passes it on the kernel's command line.
//! Works only with debug assertions: a release build ignores the variable.

use std::fmt;
use std::time::Duration;

use rustix::process::{Signal, getpid, kill_process};

/// The environment variable on the host.
const VARIABLE: &str = "STRIPEWISE_TEST_GUEST_END";
/// The argument on the guest's kernel command line.
const ARGUMENT: &str = "stripewise.test_guest_end=";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Agent,
    Kernel,
}

/// What crashes, and when.
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

/// Returns the kernel argument that sets the crash point, if a test requests one.
pub(crate) fn kernel_argument() -> Option<String> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let moment = Moment::parse(&std::env::var(VARIABLE).ok()?)?;
    Some(format!("{ARGUMENT}{moment}"))
}

/// Arms the crash point from the kernel's command line. Call this in the guest.
pub fn arm() {
    if !cfg!(debug_assertions) {
        return;
    }
    let line = std::fs::read_to_string("/proc/cmdline").unwrap_or_default();
    let mut words = line.split_ascii_whitespace();
    let moment = words.find_map(|word| Moment::parse(word.strip_prefix(ARGUMENT)?));
    if let Some(Moment { victim, after_ms }) = moment {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(after_ms.into()));
            // If this fails, the guest continues and the test fails.
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
    fn crash_points_round_trip_and_invalid_ones_are_refused() {
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
