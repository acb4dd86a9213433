//! How long the CPUs have worked and idled: the first line of `/proc/stat` (proc(5)).
//!
//! The kernel measures idle time exactly, and may estimate the rest from its timer ticks.

use stripewise_units::Nanos;

use crate::root::Root;

/// The unit of `/proc/stat`: `USER_HZ` is 100 on all architectures but two that are gone.
const TICK_NS: u64 = 10_000_000;

/// The times of all CPUs together since boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CpuTimes {
    /// In user mode.
    pub user_ns: Nanos,
    /// In the kernel, with its interrupts.
    pub system_ns: Nanos,
    /// Idle, with or without I/O in flight.
    pub idle_ns: Nanos,
}

impl CpuTimes {
    /// Reads the times; `None` if they cannot be read. Cost: one file, some 50 microseconds.
    pub fn read(root: &Root) -> Option<Self> {
        parse(&root.text("/proc/stat")?)
    }

    /// Returns the times since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let between =
            |now: Nanos, then: Nanos| Nanos::new(now.as_u64().saturating_sub(then.as_u64()));
        Self {
            user_ns: between(self.user_ns, earlier.user_ns),
            system_ns: between(self.system_ns, earlier.system_ns),
            idle_ns: between(self.idle_ns, earlier.idle_ns),
        }
    }
}

/// Reads `cpu USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ ...`.
fn parse(text: &str) -> Option<CpuTimes> {
    let mut words = text.lines().next()?.split_ascii_whitespace();
    if words.next()? != "cpu" {
        return None;
    }
    times_of(words)
}

/// Reads `USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ ...`.
pub(crate) fn times_of<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<CpuTimes> {
    let mut next = || words.next()?.parse::<u64>().ok();
    let [user, nice, system, idle] = [next()?, next()?, next()?, next()?];
    let [io_wait, irq, soft_irq] = [(); 3].map(|()| next().unwrap_or(0));
    let nanos = |parts: &[u64]| {
        let ticks = parts
            .iter()
            .fold(0, |sum: u64, part| sum.saturating_add(*part));
        Nanos::new(ticks.saturating_mul(TICK_NS))
    };
    Some(CpuTimes {
        user_ns: nanos(&[user, nice]),
        system_ns: nanos(&[system, irq, soft_irq]),
        idle_ns: nanos(&[idle, io_wait]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_io_is_idle_and_interrupts_are_the_kernels() {
        let times = parse("cpu  5 1 20 300 40 2 3 9 0 0\ncpu0 1 1 1 1\n").unwrap();
        let ticks = |count| Nanos::new(count * TICK_NS);
        assert_eq!(times.user_ns, ticks(6));
        assert_eq!(times.system_ns, ticks(25));
        assert_eq!(times.idle_ns, ticks(340));
        let earlier = parse("cpu 5 1 19 200").unwrap();
        assert_eq!(times.since(&earlier).idle_ns, ticks(140));
        for wrong in ["", "cpu0 1 2 3 4", "cpu 1 2 3", "cpu 1 2 x 4"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
