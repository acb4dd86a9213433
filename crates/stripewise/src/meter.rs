//! What a load moves while it is measured, as the kernel counts it on the disks below.
//!
//! The counters are read beside the load and do not touch it: fio's own reports while it runs would.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use stripewise_catalogue::Argument;
use stripewise_machine::{DeviceCounters, Root, leaf_disks};
use stripewise_results::Run;
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;

/// The time between two readings.
const READ_EVERY: Duration = Duration::from_millis(250);
/// The readings that are kept, for the chart.
const KEPT: usize = 60;

/// A rate between two readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    pub(crate) bandwidth_bytes_per_s: f64,
    pub(crate) ios_per_s: f64,
    /// The mean time of an I/O; `None` if none ended.
    pub(crate) time_ns: Option<f64>,
}

/// Reads the counters of the disks below what is measured.
#[derive(Debug)]
pub(crate) struct Meter {
    root: Root,
    disks: Vec<String>,
    last: Option<(Instant, DeviceCounters)>,
    /// Whether the latest rate is of the sample under way.
    is_current: bool,
    rates: VecDeque<Rate>,
}

impl Meter {
    /// Returns the meter of a run; `None` if no disk of this machine is known to be below it.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let root = Root::live();
        let facts = run.facts.first();
        let below_target = facts.and_then(|facts| facts.facts.target.as_ref());
        let disks = below_target.map(|target| target.disks.clone());
        disks
            .filter(|disks| !disks.is_empty())
            .map(|disks| Self::new(root, disks))
    }

    /// Returns the meter of devices that stacks are built on.
    pub(crate) fn of_devices<'a>(devices: impl Iterator<Item = &'a Path>) -> Option<Self> {
        let root = Root::live();
        let disks = devices.flat_map(|path| leaf_disks(&root, path).unwrap_or_default());
        let mut disks: Vec<String> = disks.collect();
        disks.sort();
        disks.dedup();
        (!disks.is_empty()).then(|| Self::new(root, disks))
    }

    fn new(root: Root, disks: Vec<String>) -> Self {
        Self {
            root,
            disks,
            last: None,
            is_current: false,
            rates: VecDeque::new(),
        }
    }

    /// Returns the disks.
    pub(crate) fn disks(&self) -> &[String] {
        &self.disks
    }

    /// Begins another sample: the rate so far is not its own.
    pub(crate) fn begin(&mut self) {
        self.last = None;
        self.is_current = false;
    }

    /// Reads the counters if the last reading is old enough.
    pub(crate) fn read(&mut self, now: Instant) {
        let last = self.last.as_ref().map(|(at, _)| *at);
        if last.is_some_and(|last| now.saturating_duration_since(last) < READ_EVERY) {
            return;
        }
        let counters = DeviceCounters::read(&self.root, &self.disks);
        if let Some((at, before)) = &self.last {
            let seconds = now.saturating_duration_since(*at).as_secs_f64();
            if self.rates.len() == KEPT {
                self.rates.pop_front();
            }
            self.is_current = true;
            self.rates.push_back(rate(before, &counters, seconds));
        }
        self.last = Some((now, counters));
    }

    /// Returns the latest rate of the sample under way.
    pub(crate) fn latest(&self) -> Option<Rate> {
        self.rates.back().copied().filter(|_| self.is_current)
    }

    /// Returns the bandwidths so far, the oldest first.
    pub(crate) fn bandwidths(&self) -> Vec<f64> {
        let rates = self.rates.iter();
        rates.map(|rate| rate.bandwidth_bytes_per_s).collect()
    }
}

/// Returns the rate between two readings that are so many seconds apart.
fn rate(before: &DeviceCounters, after: &DeviceCounters, seconds: f64) -> Rate {
    let deltas = before.delta(after);
    let bytes = deltas
        .iter()
        .map(|delta| delta.read_bytes.as_u64() + delta.write_bytes.as_u64());
    let ios = deltas.iter().map(|delta| delta.reads + delta.writes);
    let per_second = |count: u64| as_f64(count) / seconds.max(1e-3);
    Rate {
        bandwidth_bytes_per_s: per_second(bytes.sum()),
        ios_per_s: per_second(ios.sum()),
        time_ns: before.mean_time(after).map(|time| as_f64(time.as_u64())),
    }
}

impl Rate {
    /// Returns the rate as quantities: bandwidth, I/Os, and the time of one.
    pub(crate) fn quantities(&self) -> [Option<Argument>; 3] {
        [
            Some(Metric::Bandwidth.quantity(self.bandwidth_bytes_per_s)),
            Some(Metric::Iops.quantity(self.ios_per_s)),
            self.time_ns.map(|time| Metric::LatencyMean.quantity(time)),
        ]
    }
}
