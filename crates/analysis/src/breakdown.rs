//! Where the time of a cell's I/Os went, over several samples.

use std::collections::BTreeMap;

use stripewise_study::sample::{Breakdown, Part, PartTime, Sequentiality};

/// Returns the breakdown of samples of one cell: times and shares are means over the samples, counts
/// are sums. Nothing without samples.
pub fn mean_breakdown<'a>(
    breakdowns: impl IntoIterator<Item = &'a Breakdown>,
) -> Option<Breakdown> {
    let all: Vec<&Breakdown> = breakdowns.into_iter().collect();
    let mut mean = (*all.first()?).clone();
    let count = f64::from(u32::try_from(all.len()).unwrap_or(u32::MAX));
    mean.mean = mean_parts(all.iter().map(|one| one.mean.as_slice()), count);
    mean.slowest = mean_parts(all.iter().map(|one| one.slowest.as_slice()), count);
    for component in &mut mean.utilisation {
        let shares = all.iter().flat_map(|one| &one.utilisation);
        let same = shares.filter(|other| other.component == component.component);
        component.busy_share = same.map(|other| other.busy_share).sum::<f64>() / count;
    }
    for member in &mut mean.sequentiality {
        let same = |other: &&Sequentiality| other.device == member.device;
        let members = || all.iter().flat_map(|one| &one.sequentiality).filter(same);
        let reads = members().map(|other| other.sequential_reads).sum();
        let writes = members().map(|other| other.sequential_writes).sum();
        (member.sequential_reads, member.sequential_writes) = (reads, writes);
    }
    let rates = all.iter().filter_map(|one| one.rebuild_bytes_per_s);
    mean.rebuild_bytes_per_s = mean.rebuild_bytes_per_s.map(|_| rates.sum::<f64>() / count);
    Some(mean)
}

/// Returns the mean of each part; one that a sample does not have took no time there.
fn mean_parts<'a>(all: impl Iterator<Item = &'a [PartTime]>, count: f64) -> Vec<PartTime> {
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
    fn times_and_shares_are_means_and_counts_are_sums() {
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
        assert_eq!(times, [20.0, 2.0]);
        assert_eq!(mean.utilisation[0].busy_share, 0.75);
        assert_eq!(mean.sequentiality[0].sequential_reads, 7);
        assert_eq!(mean_breakdown([]), None);
    }
}
