//! Tests sums of jobs against an oracle that keeps every I/O in a list, and hostile input.
//!
//! Guards against: averaged percentiles, means of means without weights, a parser that panics.

use std::collections::BTreeMap;
use std::fmt::Write;

use proptest::prelude::*;
use stripewise_fio::{Counted, import, parse_output};
use stripewise_units::Nanos;

/// The I/Os of one job: the latency of each, in ns.
#[derive(Debug, Clone)]
struct JobIos {
    read: Vec<u64>,
    write: Vec<u64>,
    sync: Vec<u64>,
    elapsed_ms: u64,
}

fn job_ios() -> impl Strategy<Value = JobIos> {
    let list = || prop::collection::vec(0_u64..200, 0..40);
    (list(), list(), list(), 1_u64..1000).prop_map(|(read, write, sync, elapsed_ms)| JobIos {
        read,
        write,
        sync,
        elapsed_ms,
    })
}

/// Writes a latency object as fio does.
fn latency_json(list: &[u64]) -> String {
    if list.is_empty() {
        return r#"{"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}"#.to_owned();
    }
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    for latency in list {
        *bins.entry(*latency).or_default() += 1;
    }
    let bins: Vec<String> = bins
        .iter()
        .map(|(latency, count)| format!("\"{latency}\": {count}"))
        .collect();
    format!(
        r#"{{"min": {}, "max": {}, "mean": {:?}, "N": {}, "bins": {{{}}}}}"#,
        list.iter().min().unwrap(),
        list.iter().max().unwrap(),
        mean(list),
        list.len(),
        bins.join(", ")
    )
}

fn mean(list: &[u64]) -> f64 {
    let sum: u32 = list
        .iter()
        .map(|latency| u32::try_from(*latency).unwrap())
        .sum();
    f64::from(sum) / f64::from(u32::try_from(list.len()).unwrap())
}

fn document(jobs: &[JobIos]) -> String {
    let mut text = String::from("{\"fio version\": \"fio-3.33\", \"jobs\": [");
    for (index, job) in jobs.iter().enumerate() {
        let direction = |list: &[u64]| {
            format!(
                r#"{{"io_bytes": {}, "total_ios": {}, "runtime": {}, "lat_ns": {}}}"#,
                list.len() * 4096,
                list.len(),
                if list.is_empty() { 0 } else { job.elapsed_ms },
                latency_json(list)
            )
        };
        let _ = write!(
            text,
            r#"{}{{"jobname": "main-{index}", "error": 0, "read": {}, "write": {}, "sync": {{"total_ios": {}, "lat_ns": {}}}, "job_runtime": {}, "usr_cpu": 10.0, "sys_cpu": 20.0}}"#,
            if index == 0 { "" } else { "," },
            direction(&job.read),
            direction(&job.write),
            job.sync.len(),
            latency_json(&job.sync),
            job.elapsed_ms
        );
    }
    text + "]}"
}

/// Checks a merged latency against the list of all latencies.
fn check_latency(
    merged: &stripewise_study::sample::Latency,
    mut list: Vec<u64>,
) -> Result<(), TestCaseError> {
    list.sort_unstable();
    prop_assert_eq!(merged.count, list.len() as u64);
    prop_assert_eq!(merged.min_ns, list.first().copied().map(Nanos::new));
    prop_assert_eq!(merged.max_ns, list.last().copied().map(Nanos::new));
    prop_assert_eq!(merged.mean_ns.is_some(), !list.is_empty());
    if let Some(mean_ns) = merged.mean_ns {
        prop_assert!((mean_ns - mean(&list)).abs() < 1e-6);
    }
    for per_mille in [0_u16, 500, 900, 990, 999, 1000] {
        let rank = (list.len() * usize::from(per_mille)).div_ceil(1000).max(1);
        let expected = list.get(rank - 1).copied().map(Nanos::new);
        prop_assert_eq!(merged.histogram.quantile(per_mille), expected);
    }
    Ok(())
}

proptest! {
    #[test]
    fn sums_of_jobs_equal_the_sums_of_their_ios(
        jobs in prop::collection::vec(job_ios(), 1..6),
        counted in 1_usize..6,
    ) {
        let report = parse_output(document(&jobs).as_bytes()).unwrap();
        let counted = &jobs[..counted.min(jobs.len())];
        let names: Vec<String> = (0..counted.len()).map(|index| format!("main-{index}")).collect();
        let sample = report.to_sample(Counted::Named(&names), None).unwrap();

        let all = |of: fn(&JobIos) -> &Vec<u64>| -> Vec<u64> {
            counted.iter().flat_map(|job| of(job).clone()).collect()
        };
        check_latency(&sample.read.latency, all(|job| &job.read))?;
        check_latency(&sample.write.latency, all(|job| &job.write))?;
        check_latency(&sample.sync, all(|job| &job.sync))?;
        prop_assert_eq!(sample.read.ios, sample.read.latency.count);
        prop_assert_eq!(sample.read.bytes.as_u64(), sample.read.ios * 4096);
        prop_assert_eq!(sample.write.bytes.as_u64(), sample.write.ios * 4096);
        let elapsed_ms = counted.iter().map(|job| job.elapsed_ms).max().unwrap();
        prop_assert_eq!(sample.elapsed_ns, Nanos::from_millis(elapsed_ms));
        let run_ms: u64 = counted.iter().map(|job| job.elapsed_ms).sum();
        let cpu = sample.cpu.unwrap();
        prop_assert!(cpu.user_ns.as_u64().abs_diff(run_ms * 100_000) <= 10);
        prop_assert!(cpu.system_ns.as_u64().abs_diff(run_ms * 200_000) <= 10);
        prop_assert!(sample.warnings.is_empty());
    }

    #[test]
    fn the_parser_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse_output(&bytes);
    }

    #[test]
    fn a_damaged_file_is_parsed_or_refused(
        position in 0_usize..30_000,
        replacement in prop::sample::select(vec![
            "-1", "1e400", "nan", "\"nan\"", "null", "[]", "{", "}", "\"", "\\", "-inf",
            "18446744073709551616", "99999999999999999999999999", "0.5", "", "\u{1}",
        ]),
        removed in 0_usize..20,
    ) {
        let whole = include_str!("../data/fio-3.33.json");
        let start = position.min(whole.len());
        let end = (start + removed).min(whole.len());
        let damaged = [&whole[..start], replacement, &whole[end..]].concat();
        if let Ok(report) = parse_output(damaged.as_bytes()) {
            let _ = report.to_sample(Counted::All, Some(Nanos::from_millis(60)));
        }
        let _ = import(damaged.as_bytes());
    }
}
