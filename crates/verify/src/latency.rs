//! How far the model's latencies may be from the driver's.
//!
//! A guest in virtual time is a core of its own speed, and so is the host profile: latencies are the
//! same only where the disks make them. That is where one small I/O is under way on slow disks.

use std::time::Duration;

use serde::Serialize;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Level;

use crate::case::Case;
use crate::determined::{Extent, SLOW_DISK_NS, determined};

/// The largest I/O whose way through the CPU is short beside a slow disk's time.
const SMALL_BYTES: u64 = 16 << 10;
/// How far means of reads may be apart, in percent.
pub const READS_PERCENT: f64 = 2.0;
/// The same where members of a parity array have failed: their blocks are computed
/// (`ops_run_compute6_2`), for which the model charges no CPU; in a guest 16 KiB take up to 40 us.
pub const COMPUTED_PERCENT: f64 = 4.0;
/// The same as soon as there are writes, which also wait for the superblock once (`md_write_start`).
pub const WRITES_PERCENT: f64 = 8.0;

/// A case whose mean latency is not the driver's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Apart {
    /// The number of the case.
    pub number: u64,
    /// Its level and layout.
    pub title: String,
    /// The model's mean.
    pub model_mean_ns: f64,
    /// The driver's.
    pub real_mean_ns: f64,
}

/// What came of the latencies of all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Latencies {
    /// How many cases were compared.
    pub compared: u64,
    /// How far the worst was apart, in percent of the driver's mean.
    pub apart_percent_max: f64,
    /// Those that are farther apart than they may be.
    pub beyond: Vec<Apart>,
}

impl Latencies {
    /// Adds the means of a case, in ns, if they are to be compared.
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
            self.beyond.push(Apart {
                number,
                title: case.title(),
                model_mean_ns,
                real_mean_ns,
            });
        }
    }
}

/// Returns how far the means of a case may be apart, in percent; nothing if the CPU decides them, too.
pub fn tolerance_percent(case: &Case) -> Option<f64> {
    let is_disks = case.under_way_max() == 1
        && case.disk.latency_ns >= SLOW_DISK_NS
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

/// Returns a latency as a golden file holds it; nothing for one that nothing has.
pub fn whole_ns(latency_ns: f64) -> Option<u64> {
    let latency = Duration::try_from_secs_f64(latency_ns / 1e9).ok()?;
    u64::try_from(latency.as_nanos()).ok()
}
