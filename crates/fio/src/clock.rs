//! The clock source of fio.
//!
//! By default each start of fio tests whether the CPUs' time stamp counters agree. It then uses
//! them, or else `clock_gettime` (`fio_clock_init`, `fio_monotonic_clocktest` in its `gettime.c`).
//! The test takes 70 ms, and on a virtual machine its result may vary, so two samples could use two
//! clocks. We run it once, and every sample uses its result.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use stripewise_process::{Call, UntilStopped};

/// How long fio's test may take; a tenth of a second is common.
const TEST_LIMIT: Duration = Duration::from_secs(10);

/// A clock source of fio (`--clocksource`).
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

    /// Lets fio test the time stamp counters; falls back to the system's clock on any error.
    pub(crate) fn test(fio: &Path) -> Self {
        let call = Call::new(fio).arg("--cpuclock-test").contained();
        match call.limit(TEST_LIMIT).run(&mut UntilStopped) {
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
