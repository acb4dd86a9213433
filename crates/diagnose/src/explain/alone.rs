//! One run alone: what limits each group of its cells, and which cell or member is unlike the others.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_study::sample::{SampleRecord, as_f64};

use crate::why::Bottleneck;

/// A smaller distance from the others is not odd, as a logarithm.
const ODD_MIN: f64 = 0.22;
/// How many times the usual distance from the median is odd, too.
const ODD_TIMES: f64 = 3.0;
/// From the median of distances to the standard deviation of normal ones.
const OF_NORMAL: f64 = 1.4826;
/// Fewer things have no odd one among them.
const LEAST: usize = 3;

/// Cells of one stack and one kind of load that the same thing limits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limited {
    /// What limits the first of them.
    pub bottleneck: Bottleneck,
    /// The lowest and the highest share by which it limits one of them; `None` if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<[f64; 2]>,
    /// The cells.
    pub cells: Vec<usize>,
}

/// A thing that is unlike the others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Odd<T> {
    /// The thing.
    pub of: T,
    /// Its value over the median of all.
    pub times: f64,
}

/// Returns cells in groups of the same kind by what limits them: what limits the most cells first, and of
/// that the largest group first.
pub fn groups<K: PartialEq>(
    bottlenecks: impl IntoIterator<Item = (usize, Bottleneck)>,
    kind: impl Fn(usize) -> K,
) -> Vec<Limited> {
    let mut groups: Vec<Limited> = Vec::new();
    for (cell, bottleneck) in bottlenecks {
        let share = bottleneck.share();
        let same = groups.iter_mut().find(|group| {
            group.bottleneck.is_same_kind(&bottleneck) && kind(group.cells[0]) == kind(cell)
        });
        match same {
            Some(group) => {
                group.cells.push(cell);
                group.shares = group
                    .shares
                    .zip(share)
                    .map(|([low, high], share)| [low.min(share), high.max(share)]);
            }
            None => groups.push(Limited {
                bottleneck,
                shares: share.map(|share| [share; 2]),
                cells: vec![cell],
            }),
        }
    }
    let all: Vec<(Bottleneck, usize)> = groups
        .iter()
        .map(|group| (group.bottleneck, group.cells.len()))
        .collect();
    let limited = |bottleneck: &Bottleneck| -> usize {
        let same = all.iter().filter(|(one, _)| one.is_same_kind(bottleneck));
        same.map(|(_, cells)| cells).sum()
    };
    let first =
        |bottleneck: &Bottleneck| all.iter().position(|(one, _)| one.is_same_kind(bottleneck));
    groups.sort_by_key(|group| {
        (
            std::cmp::Reverse(limited(&group.bottleneck)),
            first(&group.bottleneck),
            std::cmp::Reverse(group.cells.len()),
        )
    });
    groups
}

/// Returns the things whose positive value is unlike that of the others: farther from the median than
/// three standard deviations, as estimated from the median distance, and than a quarter.
pub fn odd<T: Clone>(values: &[(T, f64)]) -> Vec<Odd<T>> {
    let logs: Vec<f64> = values.iter().map(|(_, value)| value.ln()).collect();
    if logs.len() < LEAST || logs.iter().any(|log| !log.is_finite()) {
        return Vec::new();
    }
    let middle = median(logs.clone());
    let usual = median(logs.iter().map(|log| (log - middle).abs()).collect());
    let limit = ODD_MIN.max(ODD_TIMES * OF_NORMAL * usual);
    let distances = values.iter().zip(&logs);
    distances
        .filter(|(_, log)| (*log - middle).abs() > limit)
        .map(|((of, _), log)| Odd {
            of: of.clone(),
            times: (log - middle).exp(),
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

/// Returns the members of a stack that take another time for each request than the others, by the kernel's
/// counters: how long a member was busy, over its requests.
pub fn odd_members(samples: &[&SampleRecord]) -> Vec<Odd<String>> {
    let mut members: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for device in samples.iter().flat_map(|record| &record.sample.devices) {
        // An array and what stands on it count the same I/Os again.
        if device.device.starts_with("md") || device.device.starts_with("dm-") {
            continue;
        }
        let member = members.entry(&device.device).or_default();
        member.0 += device.busy_ns.as_u64();
        member.1 += device.reads + device.writes;
    }
    let used = members
        .into_iter()
        .filter(|(_, (busy, ios))| *busy > 0 && *ios > 0);
    let values: Vec<(String, f64)> = used
        .map(|(name, (busy, ios))| (name.to_owned(), as_f64(busy) / as_f64(ios)))
        .collect();
    odd(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_grouped_by_what_limits_them_and_by_their_kind() {
        let disk = |share: f64| Bottleneck::Latency {
            part: stripewise_study::sample::Part::DeviceService,
            share,
            time_ns: 1.0,
            busiest_disk_share: None,
        };
        let paused = Bottleneck::OwnPauses { share: 0.9 };
        let all = [disk(0.5), disk(0.9), disk(0.7), paused, disk(0.6)];
        // Cells 0 and 2 are of one kind, 1 and 4 of another.
        let found = groups(all.into_iter().enumerate(), |cell| cell % 3 % 2);
        let cells: Vec<&[usize]> = found.iter().map(|group| &group.cells[..]).collect();
        assert_eq!(cells, [&[0, 2][..], &[1, 4], &[3]]);
        assert_eq!(found[0].shares, Some([0.5, 0.7]));
        assert_eq!(found[1].shares, Some([0.6, 0.9]));
    }

    #[test]
    fn the_one_that_is_unlike_the_others_is_odd() {
        let of =
            |values: &[f64]| -> Vec<(usize, f64)> { values.iter().copied().enumerate().collect() };
        let found =
            |values: &[f64]| -> Vec<usize> { odd(&of(values)).iter().map(|one| one.of).collect() };
        assert_eq!(found(&[100.0, 103.0, 99.0, 210.0]), [3]);
        assert_eq!(found(&[100.0, 103.0, 99.0, 110.0]), Vec::<usize>::new());
        // Where all are far apart, none is odd.
        assert_eq!(found(&[50.0, 100.0, 200.0, 400.0]), Vec::<usize>::new());
        assert_eq!(found(&[100.0, 300.0]), Vec::<usize>::new());
        assert_eq!(found(&[100.0, 0.0, 100.0]), Vec::<usize>::new());
    }
}
