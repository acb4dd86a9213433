//! How busy the core of a guest is under a load.
//!
//! A guest has one core, which runs the load generator, the kernel and the modelled disks. If it is
//! full, it decides the result, and not the disks.

use std::time::{Duration, SystemTime};

use stripewise_fio::run::unix_ns;
use stripewise_machine::{CpuTimes, Root};
use stripewise_study::sample::{CpuTime, Sample, as_f64};
use stripewise_study::warning::Warning;
use stripewise_study::world::{LOOK_INTERVAL, Watch};
use stripewise_units::Nanos;

/// A core that is busy for this share of a load is full.
const FULL_SHARE: f64 = 0.95;
/// The number of readings during a short load.
const READINGS: u32 = 8;
/// The least interval of readings: several of the kernel's ticks.
const INTERVAL_MIN: Duration = Duration::from_millis(40);

/// The CPU times at one moment.
#[derive(Debug, Clone, Copy)]
struct Reading {
    unix_ns: u64,
    times: CpuTimes,
}

/// Watches a load, and reads the CPU times while it runs.
pub(super) struct CoreWatch<'a> {
    root: &'a Root,
    watch: &'a mut dyn Watch,
    interval: Duration,
    /// When the last reading was taken, since the start of the load generator.
    last: Option<Duration>,
    readings: Readings,
}

impl<'a> CoreWatch<'a> {
    /// Watches a load of `duration`; `watch` may end it.
    pub(super) fn new(root: &'a Root, duration: Nanos, watch: &'a mut dyn Watch) -> Self {
        let interval = Duration::from(duration) / READINGS;
        Self {
            root,
            watch,
            interval: interval.clamp(INTERVAL_MIN, LOOK_INTERVAL),
            last: None,
            readings: Readings::default(),
        }
    }

    /// Returns the readings of the load.
    pub(super) fn finish(self) -> Readings {
        self.readings
    }
}

impl Watch for CoreWatch<'_> {
    fn next_look(&self, elapsed: Duration) -> Duration {
        self.watch.next_look(elapsed).min(self.interval)
    }

    fn keep_going(&mut self, elapsed: Duration) -> bool {
        let is_due = |last: Duration| elapsed.saturating_sub(last) >= self.interval / 2;
        if self.last.is_none_or(is_due)
            && let Some(times) = CpuTimes::read(self.root)
        {
            self.last = Some(elapsed);
            let unix_ns = unix_ns(SystemTime::now());
            self.readings.0.push(Reading { unix_ns, times });
        }
        self.watch.keep_going(elapsed)
    }
}

/// The CPU times during a load.
#[derive(Debug, Default)]
pub(super) struct Readings(Vec<Reading>);

impl Readings {
    /// Sets the CPU times of a sample to the whole guest's, and warns if its core was full. The load
    /// generator ended at `ended_unix_ns`.
    pub(super) fn judge(&self, sample: &mut Sample, ended_unix_ns: u64) {
        let Some((user_share, system_share)) = self.shares(sample.elapsed_ns, ended_unix_ns) else {
            return;
        };
        let elapsed_ns = as_f64(sample.elapsed_ns.as_u64());
        let busy_share = user_share + system_share;
        if busy_share >= FULL_SHARE {
            let generator_share = sample.cpu.map(|cpu| {
                let sum = cpu.user_ns.as_u64().saturating_add(cpu.system_ns.as_u64());
                (as_f64(sum) / elapsed_ns).min(1.0)
            });
            sample.warnings.push(Warning::GuestCoreFull {
                busy_share,
                generator_share,
            });
        }
        let time = |share: f64| Nanos::from(Duration::from_secs_f64(share * elapsed_ns / 1e9));
        sample.cpu = Some(CpuTime {
            user_ns: time(user_share),
            system_ns: time(system_share),
        });
    }

    /// Returns the shares of the load's time in user mode and in the kernel; `None` if there are too
    /// few readings.
    ///
    /// fio before 3.36 does not report when its load began, but it exits soon after the load. So the
    /// readings between are taken from the end, without the last moments.
    fn shares(&self, elapsed: Nanos, ended_unix_ns: u64) -> Option<(f64, f64)> {
        let elapsed_ns = elapsed.as_u64();
        let from = ended_unix_ns.saturating_sub(elapsed_ns);
        let last_ns = (elapsed_ns / 5).min(Nanos::from(LOOK_INTERVAL).as_u64());
        let until = ended_unix_ns.saturating_sub(last_ns);
        let is_during = |reading: &&Reading| (from..=until).contains(&reading.unix_ns);
        let first = self.0.iter().find(is_during)?;
        let last = self.0.iter().rfind(is_during)?;
        let time_ns = last.unix_ns.saturating_sub(first.unix_ns);
        if time_ns == 0 || time_ns < elapsed_ns / 3 {
            return None;
        }
        let times = last.times.since(&first.times);
        let idle_share = as_f64(times.idle_ns.as_u64()) / as_f64(time_ns);
        let busy_share = (1.0 - idle_share).clamp(0.0, 1.0);
        let [user, system] = [times.user_ns, times.system_ns].map(|time| as_f64(time.as_u64()));
        let user_part = match user + system {
            sum if sum > 0.0 => user / sum,
            _ => 0.0,
        };
        let user_share = busy_share * user_part;
        Some((user_share, busy_share - user_share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_NS: u64 = 1_767_225_600_000_000_000;

    /// Readings every 100 ms: idle before the load, which begins at 300 ms, and `idle_ms` of each
    /// 100 ms under it.
    fn readings(idle_ms: u64) -> Readings {
        let mut idle = Nanos::from_millis(0);
        let readings = (0..=13).map(|index: u64| {
            let unix_ns = START_NS + index * 100_000_000;
            let times = CpuTimes {
                user_ns: Nanos::from_millis(index * 30),
                system_ns: Nanos::from_millis(index * 60),
                idle_ns: idle,
            };
            let more = if index < 3 { 100 } else { idle_ms };
            idle = Nanos::new(idle.as_u64() + more * 1_000_000);
            Reading { unix_ns, times }
        });
        Readings(readings.collect())
    }

    fn sample() -> Sample {
        Sample {
            elapsed_ns: Nanos::from_millis(1000),
            cpu: Some(CpuTime {
                user_ns: Nanos::from_millis(290),
                system_ns: Nanos::from_millis(400),
            }),
            ..Sample::default()
        }
    }

    #[test]
    fn a_full_core_is_a_warning_and_an_idle_one_is_not() {
        let ended = START_NS + 1_310_000_000;
        let mut full = sample();
        readings(0).judge(&mut full, ended);
        assert_eq!(
            full.warnings,
            [Warning::GuestCoreFull {
                busy_share: 1.0,
                generator_share: Some(0.69),
            }]
        );
        let mut idle = sample();
        readings(40).judge(&mut idle, ended);
        assert_eq!(idle.warnings, []);
        let cpu = idle.cpu.unwrap();
        assert_eq!(cpu.user_ns, Nanos::from_millis(200));
        assert_eq!(cpu.system_ns, Nanos::from_millis(400));
    }

    #[test]
    fn too_few_readings_leave_the_load_generators_own_time() {
        let mut short = sample();
        Readings(readings(0).0[..6].to_vec()).judge(&mut short, START_NS + 1_310_000_000);
        assert_eq!(short, sample());
        Readings::default().judge(&mut short, START_NS);
        assert_eq!(short, sample());
    }

    #[test]
    fn a_load_is_read_a_few_times_even_if_it_is_short() {
        struct Often(u32);
        impl Watch for Often {
            fn next_look(&self, _: Duration) -> Duration {
                Duration::from_millis(10)
            }
            fn keep_going(&mut self, _: Duration) -> bool {
                self.0 += 1;
                true
            }
        }
        let (root, mut often) = (Root::live(), Often(0));
        let mut watch = CoreWatch::new(&root, Nanos::from_millis(800), &mut often);
        assert_eq!(watch.next_look(Duration::ZERO), Duration::from_millis(10));
        for step in 0..10 {
            assert!(watch.keep_going(Duration::from_millis(10 * step)));
        }
        assert_eq!(watch.finish().0.len(), 2);
        assert_eq!(often.0, 10);
        let mut often = Often(0);
        let watch = CoreWatch::new(&root, Nanos::from_millis(60_000), &mut often);
        assert_eq!(watch.interval, LOOK_INTERVAL);
    }
}
