//! One sample of the samples of many hosts.
//!
//! Bytes, I/Os and the bins of latencies add up; the time is that of the longest load. So the throughput
//! is what all hosts moved, over the time until the last one ended: never more than the sum of their own
//! throughputs, and less by the share of the time in which not all were running.

use stripewise_study::hosts::{HostFinding, HostOutcome, HostPart, HostShare};
use stripewise_study::sample::{CpuTime, Sample, as_f64};
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};

/// A load that begins later by more than this share of its time is late.
const LATE_SHARE: u64 = 100;
/// A host below this share of the median throughput of all is slow.
const SLOW_SHARE: f64 = 0.5;
/// The fewest hosts whose median says something about one of them.
const SLOW_HOSTS_MIN: usize = 3;

/// Returns the sample of all hosts that ran their load to the end.
///
/// `began_unix_ns` is when the first of them began, by our clock.
pub(crate) fn merged(hosts: Vec<HostShare>, began_unix_ns: u64) -> Sample {
    let mut sample = Sample {
        started_unix_ns: Some(began_unix_ns),
        ..Sample::default()
    };
    for share in &hosts {
        match &share.outcome {
            HostOutcome::Measured(part) => add(&mut sample, &share.host, part),
            HostOutcome::Lost(why) => sample.warnings.push(of_host(HostFinding::Lost {
                host: share.host.clone(),
                why: why.clone(),
            })),
        }
    }
    sample.hosts = hosts;
    let slow = slow(&sample);
    sample.warnings.extend(slow);
    sample
}

/// Returns a finding as a warning.
pub(crate) fn of_host(finding: HostFinding) -> Warning {
    Warning::Host(Box::new(finding))
}

fn add(sum: &mut Sample, host: &str, part: &HostPart) {
    let one = &part.sample;
    sum.elapsed_ns = sum.elapsed_ns.max(one.elapsed_ns);
    sum.read.merge(&one.read);
    sum.write.merge(&one.write);
    sum.sync.merge(&one.sync);
    sum.neighbours_write_bytes = match (sum.neighbours_write_bytes, one.neighbours_write_bytes) {
        (Some(left), Some(right)) => Some(Bytes::new(left.as_u64().saturating_add(right.as_u64()))),
        (left, right) => left.or(right),
    };
    sum.cpu = match (sum.cpu, one.cpu) {
        (Some(left), Some(right)) => Some(CpuTime {
            user_ns: plus(left.user_ns, right.user_ns),
            system_ns: plus(left.system_ns, right.system_ns),
        }),
        (left, right) => left.or(right),
    };
    let noticed = one.warnings.iter().map(|warning| {
        of_host(HostFinding::Noticed {
            host: host.to_owned(),
            warning: Box::new(warning.clone()),
        })
    });
    sum.warnings.extend(noticed);
    let late_max = Nanos::new(one.elapsed_ns.as_u64() / LATE_SHARE);
    if part.late_ns > late_max.max(part.late_within_ns) {
        sum.warnings.push(of_host(HostFinding::Late {
            host: host.to_owned(),
            late_ns: part.late_ns,
            within_ns: part.late_within_ns,
        }));
    }
}

fn plus(left: Nanos, right: Nanos) -> Nanos {
    Nanos::new(left.as_u64().saturating_add(right.as_u64()))
}

/// Returns a finding for each host that moved much less than the others.
fn slow(sample: &Sample) -> Vec<Warning> {
    let rate = |part: &HostPart| {
        let seconds = part.sample.elapsed_ns.as_secs_f64().max(f64::MIN_POSITIVE);
        as_f64(part.sample.bytes().as_u64()) / seconds
    };
    let rates: Vec<(&str, f64)> = sample
        .host_parts()
        .map(|(host, part)| (host, rate(part)))
        .collect();
    if rates.len() < SLOW_HOSTS_MIN {
        return Vec::new();
    }
    let mut sorted: Vec<f64> = rates.iter().map(|(_, rate)| *rate).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted[(sorted.len() - 1) / 2];
    let slow = rates
        .into_iter()
        .filter(|(_, rate)| *rate < SLOW_SHARE * middle);
    slow.map(|(host, rate)| {
        of_host(HostFinding::Slow {
            host: host.to_owned(),
            share: rate / middle,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::hosts::LostWhy;
    use stripewise_study::sample::{Latency, Transfer};
    use stripewise_units::histogram::Histogram;

    fn part(mib: u64, late_ms: u64, latencies_ns: &[u64]) -> HostOutcome {
        let mut histogram = Histogram::new();
        for latency in latencies_ns {
            histogram.add(Nanos::new(*latency), 1);
        }
        let count = latencies_ns.len() as u64;
        let sample = Sample {
            elapsed_ns: Nanos::from_millis(1000),
            read: Transfer {
                ios: count,
                bytes: Bytes::new(mib << 20),
                latency: Latency {
                    count,
                    mean_ns: Some(as_f64(latencies_ns.iter().sum()) / as_f64(count)),
                    min_ns: latencies_ns.iter().min().map(|one| Nanos::new(*one)),
                    max_ns: latencies_ns.iter().max().map(|one| Nanos::new(*one)),
                    histogram,
                    percentiles: Vec::new(),
                },
            },
            ..Sample::default()
        };
        HostOutcome::Measured(Box::new(HostPart {
            late_ns: Nanos::from_millis(late_ms),
            late_within_ns: Nanos::new(1000),
            sample,
        }))
    }

    fn shares(outcomes: Vec<HostOutcome>) -> Vec<HostShare> {
        let named = outcomes.into_iter().enumerate();
        named
            .map(|(index, outcome)| HostShare {
                host: format!("h{index}"),
                outcome,
            })
            .collect()
    }

    fn findings(sample: &Sample) -> Vec<String> {
        let words = sample.warnings.iter().map(|warning| match warning {
            Warning::Host(finding) => format!("{} {:?}", finding.id(), finding),
            other => format!("{other:?}"),
        });
        words
            .map(|words| words.chars().take(28).collect())
            .collect()
    }

    #[test]
    fn percentiles_are_of_all_operations_and_never_a_mean_of_percentiles() {
        let fast: Vec<u64> = vec![100_000; 990];
        let slow: Vec<u64> = vec![9_000_000; 30];
        let sample = merged(shares(vec![part(990, 0, &fast), part(30, 0, &slow)]), 7);
        assert_eq!(sample.bytes(), Bytes::new(1020 << 20));
        assert_eq!(sample.read.latency.count, 1020);
        let p99 = sample.read.latency.quantile_in(990, 1000).unwrap().as_u64();
        assert!((8_900_000..9_100_000).contains(&p99), "{p99}");
        let p50 = sample.read.latency.quantile_in(500, 1000).unwrap().as_u64();
        assert!((99_000..101_000).contains(&p50), "{p50}");
        assert!(sample.is_valid() && sample.warnings.is_empty());
    }

    #[test]
    fn a_lost_a_late_and_a_slow_host_are_findings_and_only_a_loss_makes_the_sample_worthless() {
        let all = vec![
            part(100, 0, &[5]),
            part(100, 30, &[5]),
            part(10, 0, &[5]),
            part(100, 0, &[5]),
        ];
        let sample = merged(shares(all.clone()), 7);
        assert_eq!(
            findings(&sample),
            [
                "host-late Late { host: \"h1\",",
                "host-slow Slow { host: \"h2\","
            ]
        );
        assert!(sample.is_valid());
        let lost = HostOutcome::Lost(LostWhy::Silent {
            for_ns: Nanos::from_millis(15_000),
        });
        let sample = merged(shares([all, vec![lost]].concat()), 7);
        assert!(!sample.is_valid());
        assert_eq!(sample.measured_hosts(), ["h0", "h1", "h2", "h3"]);
        assert_eq!(sample.bytes(), Bytes::new(310 << 20));
    }

    #[test]
    fn what_a_host_noticed_is_kept_with_its_name_and_its_weight() {
        let HostOutcome::Measured(mut one) = part(1, 0, &[5]) else {
            unreachable!("it is measured")
        };
        one.sample.warnings.push(Warning::Throttled { count: 3 });
        let sample = merged(
            shares(vec![HostOutcome::Measured(one), part(1, 0, &[5])]),
            7,
        );
        assert_eq!(findings(&sample), ["host-noticed Noticed { host:"]);
        assert!(!sample.is_valid());
    }
}
