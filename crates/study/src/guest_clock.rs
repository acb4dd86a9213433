//! The clock source of a guest in the lab.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A guest's clock source, and how its instructions are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// One instruction takes one nanosecond, and idle time is skipped: measurements do not depend
    /// on the host's load.
    Virtual,
    /// The host's clock and CPU: fast.
    Kvm,
    /// The host's clock, instructions translated by TCG: works everywhere, but is useless for
    /// measuring.
    Wall,
}

impl Clock {
    /// Returns the clock's name in options and facts.
    pub const fn as_str(self) -> &'static str {
        match self {
            Clock::Virtual => "virtual",
            Clock::Kvm => "kvm",
            Clock::Wall => "wall",
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
