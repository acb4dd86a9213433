//! Absolute limits of a load: at one of them, nothing else that changed can show.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_study::load::Load;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{SampleRecord, Transfer, as_f64};

/// From this share of a limit on, a load runs at it: fio keeps rates to within a few per cent.
const REACHED_MIN: f64 = 0.95;
/// The same of a link, whose commands and answers take a part of it.
const REACHED_LINK_MIN: f64 = 0.85;

/// A limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cap {
    /// The fact that sets it.
    pub key: &'static str,
    /// What it limits: the bandwidth, or the rate of I/Os, of each direction.
    pub metric: Metric,
    /// The most of that.
    pub limit: f64,
}

impl Cap {
    /// Returns the limits that a load and facts state.
    pub fn of(load: &Load, facts: &BTreeMap<String, String>) -> Vec<Self> {
        let jobs = f64::from(load.jobs);
        let rate = load.rate_bytes_per_s.map(|rate| Self {
            key: "rate",
            metric: Metric::Bandwidth,
            limit: jobs * as_f64(rate.as_u64()),
        });
        let rate_iops = load.rate_iops.map(|rate| Self {
            key: "rate_iops",
            metric: Metric::Iops,
            limit: jobs * f64::from(rate.get()),
        });
        // What is read from memory crosses no link.
        let link = link(facts).filter(|_| load.direct).map(|limit| Self {
            key: "link_speed",
            metric: Metric::Bandwidth,
            limit,
        });
        [rate, rate_iops, link].into_iter().flatten().collect()
    }

    /// Returns whether samples ran at it, in one direction at least.
    pub fn is_reached(&self, samples: &[&SampleRecord]) -> bool {
        let least = match self.key {
            "link_speed" => REACHED_LINK_MIN,
            _ => REACHED_MIN,
        };
        let rate = |transfer: &Transfer, elapsed: f64| {
            let moved = match self.metric {
                Metric::Iops => transfer.ios,
                _ => transfer.bytes.as_u64(),
            };
            as_f64(moved) / elapsed
        };
        let reached = |record: &&SampleRecord| {
            let sample = &record.sample;
            let seconds = as_f64(sample.elapsed_ns.as_u64()) / 1e9;
            [&sample.read, &sample.write]
                .into_iter()
                .any(|transfer| rate(transfer, seconds) >= least * self.limit)
        };
        !samples.is_empty() && samples.iter().all(reached)
    }
}

/// Returns the rate of all links to the disks together, where each byte of the load crosses one: without
/// an array, or striped without redundancy.
fn link(facts: &BTreeMap<String, String>) -> Option<f64> {
    let each: f64 = facts
        .get("link_speed")?
        .strip_suffix(" MB/s")?
        .parse()
        .ok()?;
    let mut array = facts.get("array")?.split(':');
    let level = array.next()?;
    let disks = array.find_map(|word| word.parse::<u32>().ok())?;
    ["none", "raid0"]
        .contains(&level)
        .then(|| 1e6 * each * f64::from(disks))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use stripewise_study::sample::{Role, Sample};
    use stripewise_study::workload::Pattern;
    use stripewise_units::{Bytes, Nanos};

    use super::*;

    fn ran(ios: u64) -> SampleRecord {
        SampleRecord {
            cell: 0,
            block: 0,
            role: Role::Counted,
            seed: None,
            sample: Sample {
                elapsed_ns: Nanos::new(2_000_000_000),
                read: Transfer {
                    ios,
                    bytes: Bytes::new(4096 * ios),
                    ..Transfer::default()
                },
                ..Sample::default()
            },
        }
    }

    fn reached(load: &Load, facts: &[(&str, &str)], ios: u64) -> Vec<&'static str> {
        let facts = facts.iter();
        let facts = facts.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let caps = Cap::of(load, &facts.collect()).into_iter();
        caps.filter(|cap| cap.is_reached(&[&ran(ios)]))
            .map(|cap| cap.key)
            .collect()
    }

    #[test]
    fn a_load_at_its_own_limit_is_at_it() {
        let mut load = Load::new(Pattern::RandRead, Bytes::new(4096), Bytes::new(1 << 30));
        load.jobs = 2;
        load.rate_iops = NonZeroU32::new(100);
        assert_eq!(reached(&load, &[], 398), ["rate_iops"]);
        assert_eq!(reached(&load, &[], 300), Vec::<&str>::new());
        load.rate_iops = None;
        load.rate_bytes_per_s = Some(Bytes::new(409_600));
        assert_eq!(reached(&load, &[], 400), ["rate"]);
    }

    #[test]
    fn a_link_is_a_limit_where_each_byte_crosses_one() {
        let load = Load::new(Pattern::RandRead, Bytes::new(4096), Bytes::new(1 << 30));
        let of = |array, ios| reached(&load, &[("link_speed", "300 MB/s"), ("array", array)], ios);
        assert_eq!(of("none:1", 140_000), ["link_speed"]);
        assert_eq!(of("none:1", 100_000), Vec::<&str>::new());
        assert_eq!(of("raid0:2:64K", 140_000), Vec::<&str>::new());
        assert_eq!(of("raid1:2", 140_000), Vec::<&str>::new());
    }
}
