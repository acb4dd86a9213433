//! What samples say of a change: whether the counters moved as it would move them.

use serde::Serialize;
use stripewise_study::sample::{Sample, SampleRecord, as_f64};
use stripewise_units::total;

use super::ablation::Change;
use super::kinds::kind;

/// A change of a counter below this share is none.
const CHANGED_MIN: f64 = 0.05;
/// The least share of a core that a load must keep busy for its processor time to say something.
const BUSY_MIN: f64 = 0.02;

/// Whether evidence speaks for a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It does.
    Supports,
    /// It speaks against it.
    Contradicts,
}

/// A counter of the samples that a cause would move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Evidence {
    /// The counter.
    pub counter: &'static str,
    /// After over before.
    pub ratio: f64,
    /// Whether it speaks for the cause.
    pub weight: Weight,
}

/// The counters of both sides, for each I/O.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counters {
    /// The processor's time for each I/O, after over before; `None` if a side lacks it, or is hardly busy.
    pub cpu_time_ratio: Option<f64>,
}

impl Counters {
    /// Returns the counters of the samples of two cells.
    pub fn of(before: &[&SampleRecord], after: &[&SampleRecord]) -> Self {
        let both = cpu_time(before).zip(cpu_time(after));
        Self {
            cpu_time_ratio: both.map(|(before, after)| after / before),
        }
    }

    /// Returns what they say of a change, where the later side is slower or faster.
    pub fn evidence(&self, change: &Change, is_slower: bool) -> Vec<Evidence> {
        let ratio = self
            .cpu_time_ratio
            .filter(|_| kind(&change.key).is_of_processor);
        let of_cpu = ratio.map(|ratio| {
            let moved = match is_slower {
                true => ratio >= 1.0 + CHANGED_MIN,
                false => ratio <= 1.0 / (1.0 + CHANGED_MIN),
            };
            Evidence {
                counter: "cpu_time_per_io",
                ratio,
                weight: match moved {
                    true => Weight::Supports,
                    false => Weight::Contradicts,
                },
            }
        });
        of_cpu.into_iter().collect()
    }
}

/// Returns the processor's time for each I/O, in ns.
fn cpu_time(samples: &[&SampleRecord]) -> Option<f64> {
    let samples: Vec<&Sample> = samples.iter().map(|record| &record.sample).collect();
    // Simulations are not evidence of anything.
    if samples.iter().any(|sample| sample.breakdown.is_some()) {
        return None;
    }
    let ios = total(
        samples
            .iter()
            .map(|sample| sample.read.ios + sample.write.ios),
    );
    let time: Option<Vec<u64>> = samples
        .iter()
        .map(|sample| Some(sample.cpu?.user_ns.as_u64() + sample.cpu?.system_ns.as_u64()))
        .collect();
    let time = total(time?);
    let elapsed = total(samples.iter().map(|sample| sample.elapsed_ns.as_u64()));
    let is_busy = as_f64(time) >= BUSY_MIN * as_f64(elapsed);
    (ios > 0 && time > 0 && is_busy).then(|| as_f64(time) / as_f64(ios))
}
