//! What samples say of a change: whether the counters moved as it would move them.

use serde::Serialize;
use stripewise_study::sample::{Sample, SampleRecord, VerbatimJob, as_f64};
use stripewise_units::total;

use super::ablation::{Ablation, Change};
use super::kinds::kind;

/// A change of a counter below this share is none.
const CHANGED_MIN: f64 = 0.05;
/// The least share of a core that a load must keep busy for its processor time to say something.
const BUSY_MIN: f64 = 0.02;
/// A change of the members' requests below this says nothing, as a logarithm.
const REQUESTS_MIN: f64 = 0.1;
/// The least part of the expected change of requests that must be there for a cause.
const AGREES_MIN: f64 = 0.5;
/// With a smaller part of it, the cause is none.
const DISAGREES_MAX: f64 = 0.2;

/// Whether evidence speaks for a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It does.
    Supports,
    /// It speaks against it.
    Contradicts,
}

/// A counter of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// The processor's time for each I/O.
    CpuTimePerIo,
    /// The requests to the disks for each I/O.
    RequestsPerIo,
}

impl Counter {
    /// Returns its key in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Counter::CpuTimePerIo => "cpu",
            Counter::RequestsPerIo => "requests",
        }
    }
}

/// A counter of the samples that a cause would move.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Evidence {
    /// The counter.
    pub counter: Counter,
    /// After over before.
    pub ratio: f64,
    /// The same as the model expects it of this cause, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Whether it speaks for the cause.
    pub weight: Weight,
}

/// The counters of both sides, for each I/O.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Counters {
    /// The processor's time for each I/O, after over before; `None` if a side lacks it, or is hardly busy.
    pub cpu_time_ratio: Option<f64>,
    /// The requests to the disks for each I/O, after over before; `None` if a side lacks them.
    pub requests_ratio: Option<f64>,
}

impl Counters {
    /// Returns the counters of the samples of two cells.
    pub fn of(before: &[&SampleRecord], after: &[&SampleRecord]) -> Self {
        let ratio = |of: fn(&[&SampleRecord]) -> Option<f64>| Some(of(after)? / of(before)?);
        Self {
            cpu_time_ratio: ratio(cpu_time),
            requests_ratio: ratio(requests),
        }
    }

    /// Returns what they say of a change, by its place among all, where the later side is slower or faster.
    pub fn evidence(
        &self,
        place: usize,
        change: &Change,
        is_slower: bool,
        ablation: Option<&Ablation>,
    ) -> Vec<Evidence> {
        let of_cpu = self.of_processor(change, is_slower);
        let of_disks = ablation.and_then(|ablation| self.of_disks(place, ablation));
        of_cpu.into_iter().chain(of_disks).collect()
    }

    fn of_processor(&self, change: &Change, is_slower: bool) -> Option<Evidence> {
        let ratio = self
            .cpu_time_ratio
            .filter(|_| kind(&change.key).is_of_processor)?;
        let moved = match is_slower {
            true => ratio >= 1.0 + CHANGED_MIN,
            false => ratio <= 1.0 / (1.0 + CHANGED_MIN),
        };
        Some(Evidence {
            counter: Counter::CpuTimePerIo,
            ratio,
            expected: None,
            weight: match moved {
                true => Weight::Supports,
                false => Weight::Contradicts,
            },
        })
    }

    /// Compares the requests of the disks with what the model expects of a change: a rule that reads before
    /// it writes, or marks a bitmap, shows there.
    fn of_disks(&self, place: usize, ablation: &Ablation) -> Option<Evidence> {
        let ratio = self.requests_ratio?;
        let expected = *ablation.requests.get(&place)?;
        if expected.ln().abs() < REQUESTS_MIN {
            return None;
        }
        // What several changes do together is not taken apart.
        let others = ablation
            .requests
            .iter()
            .filter(|(other, _)| **other != place);
        let has_others = others.map(|(_, times)| times.ln().abs()).sum::<f64>() >= REQUESTS_MIN;
        let part = ratio.ln() / expected.ln();
        let weight = match () {
            () if has_others => None,
            () if part >= AGREES_MIN => Some(Weight::Supports),
            () if part <= DISAGREES_MAX => Some(Weight::Contradicts),
            () => None,
        };
        Some(Evidence {
            counter: Counter::RequestsPerIo,
            ratio,
            expected: Some(expected),
            weight: weight?,
        })
    }
}

/// Returns the requests to the disks for each I/O, by the kernel's counters.
fn requests(samples: &[&SampleRecord]) -> Option<f64> {
    let samples: Vec<&Sample> = samples.iter().map(|record| &record.sample).collect();
    if samples.iter().any(|sample| sample.breakdown.is_some()) {
        return None;
    }
    let counts: Option<Vec<u64>> = samples.iter().map(|sample| requests_of(sample)).collect();
    let requests = total(counts?);
    let ios = total(samples.iter().map(|sample| ios_of(sample)));
    (ios > 0 && requests > 0).then(|| as_f64(requests) / as_f64(ios))
}

/// Returns the requests of one sample to the disks; what stands on them counts the same again.
pub fn requests_of(sample: &Sample) -> Option<u64> {
    let is_disk = |name: &str| !name.starts_with("md") && !name.starts_with("dm-");
    let own = sample.devices.iter().filter(|one| is_disk(&one.device));
    let own: Vec<u64> = own.map(|one| one.reads + one.writes).collect();
    if !own.is_empty() {
        return Some(total(own));
    }
    // fio counts the disks of all jobs of a file together.
    let stated = sample.stated.as_ref()?;
    let number = |disk: &VerbatimJob, path: &str| {
        let found = disk.numbers.iter().find(|(of, _)| of == path)?.1;
        format!("{found:.0}").parse::<u64>().ok()
    };
    let disks = stated.disks.iter().filter(|disk| {
        let name = disk.texts.iter().find(|(path, _)| path == "name");
        name.is_some_and(|(_, name)| is_disk(name))
    });
    let counts: Option<Vec<u64>> = disks
        .map(|disk| Some(number(disk, "read_ios")? + number(disk, "write_ios")?))
        .collect();
    counts.filter(|counts| !counts.is_empty()).map(total)
}

/// Returns the I/Os of the load.
pub fn ios_of(sample: &Sample) -> u64 {
    sample.read.ios.saturating_add(sample.write.ios)
}

/// Returns the processor's time for each I/O, in ns.
fn cpu_time(samples: &[&SampleRecord]) -> Option<f64> {
    let samples: Vec<&Sample> = samples.iter().map(|record| &record.sample).collect();
    // Simulations are not evidence of anything.
    if samples.iter().any(|sample| sample.breakdown.is_some()) {
        return None;
    }
    let ios = total(samples.iter().map(|sample| ios_of(sample)));
    let time: Option<Vec<u64>> = samples
        .iter()
        .map(|sample| Some(sample.cpu?.user_ns.as_u64() + sample.cpu?.system_ns.as_u64()))
        .collect();
    let time = total(time?);
    let elapsed = total(samples.iter().map(|sample| sample.elapsed_ns.as_u64()));
    let is_busy = as_f64(time) >= BUSY_MIN * as_f64(elapsed);
    (ios > 0 && time > 0 && is_busy).then(|| as_f64(time) / as_f64(ios))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(measured: f64, expected: &[(usize, f64)]) -> Option<Weight> {
        let counters = Counters {
            cpu_time_ratio: None,
            requests_ratio: Some(measured),
        };
        let ablation = Ablation {
            modelled: Vec::new(),
            not_modelled: Vec::new(),
            screened_out: 0,
            requests: expected.iter().copied().collect(),
            metrics: Vec::new(),
        };
        let found = counters.of_disks(0, &ablation);
        found.map(|evidence| evidence.weight)
    }

    /// RAID 5 reads before it writes: four requests for one.
    #[test]
    fn requests_of_the_disks_speak_for_a_cause_that_makes_them() {
        assert_eq!(found(2.0, &[(0, 2.1)]), Some(Weight::Supports));
        assert_eq!(found(1.0, &[(0, 2.1)]), Some(Weight::Contradicts));
        assert_eq!(found(1.0, &[(0, 1.0)]), None);
        assert_eq!(found(1.0, &[]), None);
        // Either of two may have made them.
        assert_eq!(found(2.0, &[(0, 2.1), (1, 0.5)]), None);
    }
}
