//! Where the time of a cell's I/Os went and how the load started up, over several samples.

use std::collections::BTreeMap;

use stripewise_study::sample::{Breakdown, Onset, Part, PartTime, Sequentiality};
use stripewise_units::{Bytes, Nanos, total};

/// Returns the breakdown of samples of one cell. Times come from the sample whose mean I/O has the
/// median time, or are the mean of the two in the middle, so that they add up to the estimate of
/// the mean latency. Shares are means over the samples, counts are sums, an onset has medians; the
/// simulations of fresh devices, and the room in them, are left out.
/// `None` without samples.
pub fn mean_breakdown<'a>(
    breakdowns: impl IntoIterator<Item = &'a Breakdown>,
) -> Option<Breakdown> {
    let all: Vec<&Breakdown> = breakdowns.into_iter().collect();
    let mut mean = (*all.first()?).clone();
    let count = f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    let middle = middle(&all);
    mean.mean = mean_parts(middle.iter().map(|one| one.mean.as_slice()));
    mean.slowest = mean_parts(middle.iter().map(|one| one.slowest.as_slice()));
    for component in &mut mean.utilisation {
        let shares = all.iter().flat_map(|one| &one.utilisation);
        let same = shares.filter(|other| other.component == component.component);
        component.busy_share = same.map(|other| other.busy_share).sum::<f64>() / count;
    }
    for member in &mut mean.sequentiality {
        let same = |other: &&Sequentiality| other.device == member.device;
        let members = || all.iter().flat_map(|one| &one.sequentiality).filter(same);
        let reads = total(members().map(|other| other.sequential_reads));
        let writes = total(members().map(|other| other.sequential_writes));
        (member.sequential_reads, member.sequential_writes) = (reads, writes);
    }
    let rates = all.iter().filter_map(|one| one.rebuild_bytes_per_s);
    mean.rebuild_bytes_per_s = mean.rebuild_bytes_per_s.map(|_| rates.sum::<f64>() / count);
    mean.onset = median_onset(&all);
    mean.room = None;
    mean.fresh = None;
    part_transfers(&mut mean);
    Some(mean)
}

/// Below this share of a disk's time, its transfers are not named.
const TRANSFER_MIN: f64 = 0.1;

/// Parts the transfers from the service of devices that were measured under load: a measured time contains
/// both (`device/loaded.rs`), so no simulated I/O is on a link. While a disk is busy, its link transfers
/// for the share of the time that their utilisations say.
fn part_transfers(mean: &mut Breakdown) {
    let busy = |name: &str| mean.utilisation.iter().find(|one| one.component == name);
    let disks = mean.sequentiality.iter().map(|one| one.device.as_str());
    let disks: Vec<&str> = disks.collect();
    let sum = |prefix: &str| -> f64 {
        let found = disks
            .iter()
            .filter_map(|disk| busy(&format!("{prefix}{disk}")));
        found.map(|one| one.busy_share).sum()
    };
    let share = (sum("link of ") / sum("").max(f64::MIN_POSITIVE)).min(1.0);
    let is_apart = mean.mean.iter().any(|one| one.part == Part::Link);
    if is_apart || share < TRANSFER_MIN {
        return;
    }
    for parts in [&mut mean.mean, &mut mean.slowest] {
        let Some(service) = parts.iter_mut().find(|one| one.part == Part::DeviceService) else {
            continue;
        };
        let time_ns = service.time_ns * share;
        service.time_ns -= time_ns;
        let part = Part::Link;
        parts.push(PartTime { part, time_ns });
        parts.sort_by_key(|one| one.part);
    }
}

/// Returns the breakdown with the median time of the mean I/O, or the two of an even number.
fn middle<'a>(all: &[&'a Breakdown]) -> Vec<&'a Breakdown> {
    let mut sorted = all.to_vec();
    sorted.sort_by(|left, right| left.mean_ns().total_cmp(&right.mean_ns()));
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => vec![sorted[half]],
        _ => sorted[half - 1..=half].to_vec(),
    }
}

/// Returns the median of each number of the onsets, if at least half of the samples have one.
fn median_onset(all: &[&Breakdown]) -> Option<Onset> {
    let onsets: Vec<Onset> = all.iter().filter_map(|one| one.onset).collect();
    if onsets.is_empty() || 2 * onsets.len() < all.len() {
        return None;
    }
    let rate = |of: fn(&Onset) -> f64| {
        let mut values: Vec<f64> = onsets.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let number = |of: fn(&Onset) -> u64| {
        let mut values: Vec<u64> = onsets.iter().map(of).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    Some(Onset {
        is_of_caches: onsets.iter().all(|onset| onset.is_of_caches),
        bytes_per_s: rate(|onset| onset.bytes_per_s),
        ios_per_s: rate(|onset| onset.ios_per_s),
        bytes: Bytes::new(number(|onset| onset.bytes.as_u64())),
        time_ns: Nanos::new(number(|onset| onset.time_ns.as_u64())),
    })
}

/// Returns the mean of each part; a part that a sample lacks counts as zero there.
fn mean_parts<'a>(all: impl ExactSizeIterator<Item = &'a [PartTime]>) -> Vec<PartTime> {
    let count = f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    let mut sums: BTreeMap<Part, f64> = BTreeMap::new();
    for part in all.flatten() {
        *sums.entry(part.part).or_default() += part.time_ns;
    }
    let parts = sums.into_iter().map(|(part, sum)| PartTime {
        part,
        time_ns: sum / count,
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::sample::Utilisation;

    #[test]
    fn times_are_of_the_median_shares_are_means_and_counts_are_sums() {
        let one = |service_ns: f64, link_ns: Option<f64>, busy_share, sequential_reads| {
            let part = |part, time_ns| PartTime { part, time_ns };
            let link = link_ns.map(|time_ns| part(Part::Link, time_ns));
            let parts = [part(Part::DeviceService, service_ns)];
            let json = serde_json::json!({
                "mean": parts.into_iter().chain(link).collect::<Vec<_>>(),
                "slowest": [],
                "utilisation": [Utilisation { component: "disk0".into(), busy_share }],
                "sequentiality": [Sequentiality {
                    device: "disk0".into(), sequential_reads, sequential_writes: 0
                }],
            });
            serde_json::from_value::<Breakdown>(json).expect("a breakdown")
        };
        let both = [one(10.0, None, 0.5, 3), one(30.0, Some(4.0), 1.0, 4)];
        let mean = mean_breakdown(&both).expect("two samples");
        let times: Vec<f64> = mean.mean.iter().map(|part| part.time_ns).collect();
        assert_eq!(times, [20.0, 2.0], "the two in the middle");
        assert_eq!(mean.utilisation[0].busy_share, 0.75);
        assert_eq!(mean.sequentiality[0].sequential_reads, 7);
        let slow = one(9000.0, None, 1.0, 0);
        let fast = one(1.0, None, 1.0, 0);
        let four = [slow.clone(), both[0].clone(), fast, both[1].clone()];
        assert_eq!(mean_breakdown(&four).expect("four samples").mean, mean.mean);
        let three = [slow, both[1].clone(), both[0].clone()];
        let mean = mean_breakdown(&three).expect("three samples");
        assert_eq!(mean.mean, both[1].mean, "not moved by the slow one");
        assert_eq!(mean_breakdown([]), None);
    }
    #[test]
    fn transfers_within_the_service_are_a_part_of_their_own() {
        let breakdown = |parts: serde_json::Value| -> Breakdown {
            serde_json::from_value(serde_json::json!({
                "mean": parts, "slowest": [],
                "utilisation": [
                    { "component": "disk0", "busy_share": 0.8 },
                    { "component": "link of disk0", "busy_share": 0.6 },
                ],
                "sequentiality": [{ "device": "disk0", "sequential_reads": 0, "sequential_writes": 0 }],
            }))
            .expect("a breakdown")
        };
        let service = serde_json::json!({ "part": "device_service", "time_ns": 400.0 });
        let link = serde_json::json!({ "part": "link", "time_ns": 50.0 });
        let times = |parts| {
            let mean = mean_breakdown([&breakdown(parts)]).expect("a sample");
            let times = mean.mean.iter().map(|one| (one.part, one.time_ns.round()));
            times.collect::<Vec<_>>()
        };
        let parted = [(Part::DeviceService, 100.0), (Part::Link, 300.0)];
        assert_eq!(times(serde_json::json!([service])), parted);
        let apart = [(Part::DeviceService, 400.0), (Part::Link, 50.0)];
        assert_eq!(times(serde_json::json!([service, link])), apart);
    }

    #[test]
    fn an_onset_needs_most_samples() {
        let one = |ios_per_s: Option<f64>| {
            let onset = ios_per_s.map(|ios_per_s| Onset {
                is_of_caches: false,
                bytes_per_s: 4096.0 * ios_per_s,
                ios_per_s,
                bytes: Bytes::new(1 << 20),
                time_ns: Nanos::from_millis(900),
            });
            let json = serde_json::json!({
                "mean": [], "slowest": [], "utilisation": [], "sequentiality": [], "onset": onset,
            });
            serde_json::from_value::<Breakdown>(json).expect("a breakdown")
        };
        let onset = |rates: &[Option<f64>]| {
            let all: Vec<Breakdown> = rates.iter().copied().map(one).collect();
            let mean = mean_breakdown(&all).expect("samples");
            mean.onset.map(|onset| onset.ios_per_s)
        };
        assert_eq!(onset(&[Some(1.0), Some(900.0), Some(9000.0)]), Some(900.0));
        assert_eq!(onset(&[Some(1.0), Some(900.0), None]), Some(900.0));
        assert_eq!(onset(&[Some(1.0), None, None]), None);
    }
}
