//! Which clock fio takes its times from.
//!
//! Left alone, each start of fio tests anew whether the CPUs' time stamp counters agree and then
//! takes them, or else `clock_gettime` (`fio_clock_init`, `fio_monotonic_clocktest` in its
//! `gettime.c`). The test takes 70 ms, and on a virtual machine it can come out either way, so that
//! two samples would be timed by two clocks. Here it is made once, and every sample has its result.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use stripewise_process::Call;
use stripewise_study::world::NeverCancel;

/// How long fio's test may take: a tenth of a second is common.
const TEST_LIMIT: Duration = Duration::from_secs(10);

/// A clock of fio's (`--clocksource`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The CPU's time stamp counter: about 40 ns less for each I/O.
    Cpu,
    /// The system's monotonic clock.
    ClockGettime,
}

impl Clock {
    /// Returns fio's name of the clock.
    pub const fn as_str(self) -> &'static str {
        match self {
            Clock::Cpu => "cpu",
            Clock::ClockGettime => "clock_gettime",
        }
    }

    /// Lets fio test the time stamp counters; whatever goes wrong, the system's clock will do.
    pub(crate) fn test(fio: &Path) -> Self {
        let call = Call::new(fio).arg("--cpuclock-test").contained();
        match call.limit(TEST_LIMIT).run(&mut NeverCancel) {
            Ok(_) => Clock::Cpu,
            Err(_) => Clock::ClockGettime,
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
