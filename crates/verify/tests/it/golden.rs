//! Guards against a model whose counts differ from the real driver's.
//!
//! The golden files have the counts of md in real kernels, in QEMU on `null_blk` disks, with a new
//! array for each case, from before fio until the array was clean again. `stripewise verify-model
//! --keep` wrote `-lab`, with physical blocks of 4096 bytes, failed members and bitmaps. The tests
//! need no guest.

use std::collections::BTreeMap;

use expect_test::expect_file;
use stripewise_profiles::Profiles;
use stripewise_profiles::host::HostProfile;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::Level;
use stripewise_verify::Counted;
use stripewise_verify::latency::{HOST, mean_latency_ns};
use stripewise_verify::model::simulate;
use stripewise_verify::spread::{Limits, Spread, distances};
use stripewise_verify::{Extent, Golden, Verdict, check_golden, compare, determined, draw};

/// How many of the files the limits come from: the first ones. A later file never widens a limit.
const LIMIT_FILES: usize = 4;

/// Cases that were counted several times: how far the driver is from itself.
const REPEATS: [&str; 2] = [
    include_str!("../../repeats/linux-6.1.192.jsonl"),
    include_str!("../../repeats/linux-6.12.117.jsonl"),
];

const FILES: [(&str, &str); 11] = [
    (
        "linux-6.1.192",
        include_str!("../../golden/linux-6.1.192.jsonl"),
    ),
    (
        "linux-6.1.192-lab",
        include_str!("../../golden/linux-6.1.192-lab.jsonl"),
    ),
    (
        "linux-6.1.192-lab-2",
        include_str!("../../golden/linux-6.1.192-lab-2.jsonl"),
    ),
    (
        "linux-6.12.95",
        include_str!("../../golden/linux-6.12.95.jsonl"),
    ),
    (
        "linux-6.1.192-lab-3",
        include_str!("../../golden/linux-6.1.192-lab-3.jsonl"),
    ),
    (
        "linux-6.12.117-lab",
        include_str!("../../golden/linux-6.12.117-lab.jsonl"),
    ),
    (
        "linux-6.1.192-lab-4",
        include_str!("../../golden/linux-6.1.192-lab-4.jsonl"),
    ),
    (
        "linux-7.2.13-lab",
        include_str!("../../golden/linux-7.2.13-lab.jsonl"),
    ),
    (
        "linux-7.3.4-lab",
        include_str!("../../golden/linux-7.3.4-lab.jsonl"),
    ),
    (
        "linux-7.2.13-lab-2",
        include_str!("../../golden/linux-7.2.13-lab-2.jsonl"),
    ),
    (
        "linux-7.3.4-lab-2",
        include_str!("../../golden/linux-7.3.4-lab-2.jsonl"),
    ),
];

pub fn host() -> HostProfile {
    Profiles::shipped().hosts[HOST].clone()
}

pub fn goldens() -> impl Iterator<Item = (&'static str, Golden)> {
    FILES
        .iter()
        .map(|(name, text)| (*name, Golden::parse(text).unwrap()))
}

#[test]
fn the_models_counts_equal_the_drivers() {
    let host = host();
    let mut text = String::new();
    for (name, golden) in goldens() {
        let report = check_golden(&golden, &host).unwrap();
        let different = &report.disagreements;
        assert!(different.is_empty(), "{name}: {different:#?}");
        text.push_str(&format!("{name}\n"));
        for (title, row) in &report.table.rows {
            text.push_str(&format!("{title}: {row:?}\n"));
        }
        for (reason, cases) in &report.table.because {
            text.push_str(&format!("{reason:?}: {cases}\n"));
        }
    }
    expect_file!["../golden.txt"].assert_eq(&text);
}

/// The limits are those that the recorded cases give: see `stripewise_verify::spread`.
#[test]
fn the_limits_follow_from_the_recorded_distances() {
    let host = host();
    let mut all = Spread::default();
    for (_, golden) in goldens().take(LIMIT_FILES) {
        let report = check_golden(&golden, &host).unwrap();
        all.cases.extend(report.spread.cases);
    }
    let between_repeats = between_repeats();
    let mut text = String::from(
        "# Class of cases: how many were recorded, and the limits of their median, upper quartile and\n\
         # largest distance, in pieces per root. `src/spread.rs` says how they are derived.\n",
    );
    for (class, distances) in all.by_class() {
        let Limits {
            cases,
            median,
            quartile,
            largest,
        } = Limits::derived(
            distances,
            between_repeats
                .get(&class.to_string())
                .copied()
                .unwrap_or(0.0),
        );
        let up = |limit: f64| (limit * 1000.0).ceil() / 1000.0;
        let [median, quartile, largest] = [median, quartile, largest].map(up);
        text.push_str(&format!(
            "{class}: {cases} {median:.3} {quartile:.3} {largest:.3}\n"
        ));
    }
    for (class, largest) in between_repeats {
        if class.ends_with("with many pages") {
            let up = (largest * 1000.0).ceil() / 1000.0;
            text.push_str(&format!("{class}: 0 {up:.3} {up:.3} {up:.3}\n"));
        }
    }
    expect_file!["../../limits.txt"].assert_eq(&text);
}

/// Returns the largest distance between two counts of the same case, for each class.
fn between_repeats() -> BTreeMap<String, f64> {
    let mut largest: BTreeMap<String, f64> = BTreeMap::new();
    for text in REPEATS {
        let golden = Golden::parse(text).unwrap();
        let entries = &golden.entries;
        for (number, one) in entries.iter().enumerate() {
            let others = entries[number + 1..].iter();
            for other in others.take_while(|other| other.case == one.case) {
                for distance in distances(&one.case, &one.counts, &other.counts) {
                    let class = distance.class;
                    let name = match distance.and_memory {
                        true => class.with_many_pages(),
                        false => class.to_string(),
                    };
                    let found = largest.entry(name).or_default();
                    *found = found.max(distance.per_root);
                }
            }
        }
    }
    largest
}

#[test]
fn raid0_raid1_and_raid10_agree_exactly_in_every_determined_case() {
    let mut exact = 0;
    for (_, golden) in goldens() {
        let cases = golden.entries.iter().map(|entry| &entry.case);
        let mirrors =
            cases.filter(|case| matches!(case.level, Level::Raid0 | Level::Raid1 | Level::Raid10));
        // Never only blocks: no thread's speed matters.
        for case in mirrors {
            let extent = determined(case);
            assert_ne!(extent.reads, Extent::Blocks);
            assert_ne!(extent.writes, Extent::Blocks);
            exact += u32::from(extent.least() == Extent::Requests);
        }
    }
    assert!(exact >= 100, "{exact}");
}

#[test]
fn an_array_turns_dirty_once_and_clean_once() {
    let host = host();
    for (name, golden) in goldens() {
        for (number, entry) in golden.entries.iter().enumerate() {
            let case = &entry.case;
            let simulated = simulate(case, golden.kernel, &host).unwrap();
            let model = Counted::of_model(&simulated);
            let update = simulated.superblock_update;
            let verdict = compare(case, &model, &entry.counted(), update).verdict;
            // If sectors are not determined, the number of updates cannot be seen.
            let is_seen = determined(case).writes >= Extent::Sectors;
            if let Verdict::Agrees { superblock_updates } = verdict
                && is_seen
            {
                let writes = update.is_some() && case.writes();
                assert_eq!(
                    superblock_updates,
                    if writes { 2 } else { 0 },
                    "{name} {number}"
                );
            }
        }
    }
}

/// Latencies come from a guest in virtual time, at one instruction per nanosecond. Only slow disks
/// and small I/Os are compared, where the CPU times of guest and host profile matter little.
#[test]
fn on_slow_disks_the_mean_latency_equals_the_guests() {
    let host = host();
    let mut compared = 0;
    for (name, golden) in goldens() {
        let latencies = check_golden(&golden, &host).unwrap().latencies;
        compared += latencies.compared;
        assert!(latencies.beyond.is_empty(), "{name}: {latencies:#?}");
    }
    assert!(compared >= 30, "{compared}");
}

/// Guards against a host whose tasks share its cores in another way than a guest's: all latencies
/// that were recorded in virtual time, against a model of one core and of one for each task.
#[test]
fn on_one_core_latencies_are_nearer_to_the_guests() {
    let one = host();
    let mut many = host();
    many.cpu.cores = 1024;
    let hosts = [one, many];
    let mut groups: BTreeMap<(&str, &str, &str), Vec<[f64; 2]>> = BTreeMap::new();
    for (_, golden) in goldens() {
        let entries = golden
            .entries
            .iter()
            .filter(|entry| entry.case.in_flight_max() > 1);
        for entry in entries {
            let Some(real) = entry.mean_latency_ns else {
                continue;
            };
            let case = &entry.case;
            let errors = [0, 1].map(|place: usize| {
                let model = simulate(case, golden.kernel, &hosts[place]).unwrap();
                let model = mean_latency_ns(&model.sample).unwrap();
                100.0 * (model / as_f64(real)).ln()
            });
            let level = match case.level {
                Level::Raid4 | Level::Raid5 | Level::Raid6 => "parity",
                _ => "other",
            };
            let jobs = if case.jobs.len() > 1 {
                "jobs"
            } else {
                "one job"
            };
            let disk = if case.disk.latency_ns >= 1_000_000 {
                "slow"
            } else {
                "fast"
            };
            groups.entry((level, jobs, disk)).or_default().push(errors);
        }
    }
    let mut text = String::new();
    for ((level, jobs, disk), errors) in groups {
        let middle = |signed: bool, place: usize| {
            let errors = errors.iter().map(|one| one[place]);
            let mut sorted: Vec<f64> = errors
                .map(|one| if signed { one } else { one.abs() })
                .collect();
            sorted.sort_by(f64::total_cmp);
            sorted[sorted.len() / 2]
        };
        text.push_str(&format!(
            "{level}, {jobs}, {disk} disks: {} cases, median distance {:.1} % on one core, {:.1} % on many; \
             signed {:+.1} and {:+.1} %\n",
            errors.len(), middle(false, 0), middle(false, 1), middle(true, 0), middle(true, 1)
        ));
    }
    expect_file!["../latencies.txt"].assert_eq(&text);
}

#[test]
fn counts_that_are_off_by_one_are_found() {
    let host = host();
    let (_, mut golden) = goldens().next().unwrap();
    let mut found = 0;
    let mut tried = 0;
    for entry in &mut golden.entries {
        if determined(&entry.case).least() == Extent::Requests {
            tried += 1;
            let last = entry.counts.last_mut().unwrap();
            last.reads += 1;
        }
    }
    let report = check_golden(&golden, &host).unwrap();
    found += report.disagreements.len();
    assert!(tried > 100);
    assert_eq!(found, tried);
}

#[test]
fn a_file_without_cases_is_refused() {
    let (_, text) = FILES[0];
    let header = text.lines().next().unwrap();
    let error = Golden::parse(header).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file has a header but no cases: nothing to check"
    );
}

#[test]
fn drawing_is_a_function_of_seed_and_number() {
    assert_eq!(draw(7, 3), draw(7, 3));
    assert_ne!(draw(7, 3), draw(8, 3));
    let host = host();
    for number in 0..2000 {
        let case = draw(3, number);
        let end = case.replay().end_bytes().as_u64();
        let room = end * case.jobs.len() as u64;
        assert!(room < 500 << 20, "case {number} needs {room}");
        simulate(
            &case,
            stripewise_units::kernel::KernelVersion::new(6, 1, 192),
            &host,
        )
        .unwrap();
    }
}
