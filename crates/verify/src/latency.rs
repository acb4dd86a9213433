//! Compares the model's mean latencies with the driver's.
//!
//! The model uses the host profile of the guest's processor ([`HOST`]). Latencies still agree only if
//! the disks dominate them: a guest has one processor for all jobs and md's thread, and it copies
//! the data of large I/Os. So they are compared on slow disks: closely with one small I/O in flight,
//! and widely with several, where they also show the throughput.

use std::time::Duration;

use serde::Serialize;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Level;

use crate::case::Case;
use crate::determined::{Extent, SLOW_DISK_NS, determined};

/// The host profile of the guest's processor.
pub const HOST: &str = "lab";
/// The largest I/O whose CPU time is small compared with a slow disk's time.
const SMALL_BYTES: u64 = 16 << 10;
/// The tolerance of the mean of reads, in percent.
pub const READS_PERCENT: f64 = 2.0;
/// The tolerance with failed members of a parity array: md computes their blocks
/// (`ops_run_compute6_2`), for which the model charges no CPU time; in a guest 16 KiB take up to 40
/// us.
pub const COMPUTED_PERCENT: f64 = 4.0;
/// The tolerance with writes, which also wait once for the superblock (`md_write_start`).
pub const WRITES_PERCENT: f64 = 8.0;

/// The size from which the guest's copying matters with several I/Os in flight.
const LARGE_BYTES: u64 = 128 << 10;
/// The tolerance with several I/Os in flight: one and a half times the largest of 22 recorded
/// distances, 20.5 %; their median is 0.6 %.
pub const DEEP_PERCENT: f64 = 31.0;

/// A case whose mean latency differs from the driver's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatencyDifference {
    /// The number of the case.
    pub number: u64,
    /// Its level and layout.
    pub title: String,
    /// The model's mean.
    pub model_mean_ns: f64,
    /// The driver's.
    pub real_mean_ns: f64,
}

/// The comparison of the latencies of all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Latencies {
    /// How many cases were compared.
    pub compared: u64,
    /// The largest difference, in percent of the driver's mean.
    pub apart_percent_max: f64,
    /// Cases beyond the tolerance.
    pub beyond: Vec<LatencyDifference>,
}

impl Latencies {
    /// Adds the means of a case, in ns, if it has a tolerance.
    pub fn add(&mut self, number: u64, case: &Case, model: Option<f64>, real: Option<f64>) {
        let Some(tolerance_percent) = tolerance_percent(case) else {
            return;
        };
        let (Some(model_mean_ns), Some(real_mean_ns)) = (model, real) else {
            return;
        };
        let apart_percent = 100.0 * (model_mean_ns - real_mean_ns).abs() / real_mean_ns;
        self.compared += 1;
        self.apart_percent_max = self.apart_percent_max.max(apart_percent);
        if apart_percent > tolerance_percent {
            self.beyond.push(LatencyDifference {
                number,
                title: case.title(),
                model_mean_ns,
                real_mean_ns,
            });
        }
    }
}

/// Returns the tolerance of a case's mean, in percent; `None` if the CPU affects it too much.
pub fn tolerance_percent(case: &Case) -> Option<f64> {
    let is_slow = case.disk.latency_ns >= SLOW_DISK_NS;
    if case.in_flight_max() > 1 {
        let is_small = case.ios().all(|io| io.length_bytes.as_u64() < LARGE_BYTES);
        return (is_slow && is_small).then_some(DEEP_PERCENT);
    }
    let is_disks = is_slow
        && determined(case).least() >= Extent::Blocks
        && case.ios().all(|io| io.length_bytes.as_u64() <= SMALL_BYTES);
    let has_parity = matches!(case.level, Level::Raid4 | Level::Raid5 | Level::Raid6);
    let is_computed = has_parity && !case.failed.is_empty();
    is_disks.then(|| match (case.writes(), is_computed) {
        (true, _) => WRITES_PERCENT,
        (false, true) => COMPUTED_PERCENT,
        (false, false) => READS_PERCENT,
    })
}

/// Returns the mean latency of a sample's reads and writes together, in ns.
pub fn mean_latency_ns(sample: &Sample) -> Option<f64> {
    let mut latency = sample.read.latency.clone();
    latency.merge(&sample.write.latency);
    latency.mean_ns
}

/// Returns a latency in whole ns for a golden file; `None` if it is out of range.
pub fn whole_ns(latency_ns: f64) -> Option<u64> {
    let latency = Duration::try_from_secs_f64(latency_ns / 1e9).ok()?;
    u64::try_from(latency.as_nanos()).ok()
}
