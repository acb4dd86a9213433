//! `explain`. The failure: an array lost 22 % after an upgrade. Two files of fio said so and no more, two
//! collected trees said "0 failed", and the governor that had changed between them was found weeks later.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Bench, Done, repository, with};

/// The example of the documentation: two files of fio, and two trees of a host with RAID 10 of four SSDs.
const EXAMPLE: &str = "docs/explain";

/// What a file of fio says of its run.
#[derive(Clone, Copy)]
struct Ran {
    /// The rate over that of the example.
    times: f64,
    /// The standard deviation of the bandwidth over time, over its mean.
    spread: f64,
    /// The processor's time for each I/O over that of the example.
    cpu_times: f64,
}

/// Returns the earlier file of the example, as if it had run otherwise.
fn fio(ran: Ran, seed: u64) -> String {
    let text = std::fs::read_to_string(repository().join(EXAMPLE).join("before.json")).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    let scale = |value: &mut Value, times: f64| {
        let scaled = value.as_f64().unwrap() * times;
        *value = match value.is_u64() {
            true => format!("{scaled:.0}").parse::<u64>().unwrap().into(),
            false => scaled.into(),
        };
    };
    document["timestamp"] = (1_795_368_889 + seed).into();
    let job = &mut document["jobs"][0];
    job["job options"]["randseed"] = seed.to_string().into();
    for key in ["usr_cpu", "sys_cpu"] {
        scale(&mut job[key], ran.times * ran.cpu_times);
    }
    let read = &mut job["read"];
    let ios = read["total_ios"].as_f64().unwrap() * ran.times;
    let ios: u64 = format!("{ios:.0}").parse().unwrap();
    read["total_ios"] = ios.into();
    read["io_bytes"] = (4096 * ios).into();
    for key in ["bw_bytes", "bw", "iops", "bw_min", "bw_max", "bw_mean"] {
        scale(&mut read[key], ran.times);
    }
    read["bw_dev"] = (read["bw_mean"].as_f64().unwrap() * ran.spread).into();
    for latency in ["clat_ns", "lat_ns"] {
        read[latency]["N"] = ios.into();
        for key in ["min", "max", "mean", "stddev"] {
            scale(&mut read[latency][key], 1.0 / ran.times);
        }
    }
    for (_, value) in read["clat_ns"]["percentile"].as_object_mut().unwrap() {
        scale(value, 1.0 / ran.times);
    }
    serde_json::to_string_pretty(&document).unwrap()
}

const GOVERNORS: [&str; 4] = [
    "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
    "sys/devices/system/cpu/cpufreq/policy1/scaling_governor",
    "sys/devices/system/cpu/cpufreq/policy2/scaling_governor",
    "sys/devices/system/cpu/cpufreq/policy3/scaling_governor",
];

/// Copies a directory with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).unwrap()),
        }
    }
}

/// Writes the earlier tree of the example, with some files changed.
fn tree(bench: &Bench, name: &str, changed: &[(&str, &str)]) {
    copy(
        &repository().join(EXAMPLE).join("before"),
        &bench.path(name),
    );
    for (path, text) in changed {
        let path = bench.path(name).join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Facts that change and do nothing to random reads that bypass the page cache.
const DECOYS: [(&str, &str); 6] = [
    ("sys/block/md0/queue/read_ahead_kb", "128"),
    ("proc/sys/vm/dirty_ratio", "40"),
    ("proc/meminfo", "MemTotal: 32614304 kB"),
    ("proc/cmdline", "root=/dev/sda1 quiet mitigations=off"),
    ("sys/block/md0/md/bitmap/location", "+8"),
    ("sys/block/md0/md/bitmap/chunksize", "67108864"),
];

fn explained(bench: &Bench, before: Ran, after: Ran, more: &[&str]) -> Done {
    bench.write("before.json", &fio(before, 1));
    bench.write("after.json", &fio(after, 2));
    let words = [
        "explain",
        "before.json",
        "after.json",
        "--facts-before=before",
        "--facts-after=after",
    ];
    bench.finish(with(bench.command(), words.iter().chain(more)))
}

/// Returns what a command printed, without its line ends.
fn text(done: &Done) -> String {
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    words.join(" ")
}

fn document(done: &Done) -> Value {
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    serde_json::from_str(&done.stdout).unwrap()
}

/// Returns the keys of the causes, the first one first.
fn causes(document: &Value) -> Vec<&str> {
    let pair = &document["pairs"][0];
    let causes = pair["conclusion"]["causes"].as_array().unwrap().iter();
    let change = |cause: &Value| usize::try_from(cause["change"].as_u64().unwrap()).unwrap();
    causes
        .map(|cause| pair["changes"][change(cause)]["key"].as_str().unwrap())
        .collect()
}

const FAST: Ran = Ran {
    times: 1.0,
    spread: 0.01,
    cpu_times: 1.0,
};
const SLOW: Ran = Ran {
    times: 0.78,
    ..FAST
};

#[test]
fn the_governor_is_named_among_facts_that_changed_without_effect() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, "before", &[]);
    let governors = GOVERNORS.map(|path| (path, "powersave"));
    tree(&bench, "after", &[&governors[..], &DECOYS].concat());
    let slow = Ran {
        cpu_times: 2.0,
        ..SLOW
    };
    let done = explained(&bench, FAST, slow, &["--json"]);
    let found = document(&done);
    assert_eq!(causes(&found), ["governor"], "{}", done.stdout);
    let pair = &found["pairs"][0];
    assert_eq!(pair["differences"][0]["basis"], "spread_of_runs");
    assert_eq!(pair["differences"][0]["certainty"], "different");
    let keys: Vec<&str> = pair["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["key"].as_str().unwrap())
        .collect();
    for decoy in ["read_ahead", "dirty_limit", "memory", "boot_options"] {
        assert!(keys.contains(&decoy), "{keys:?}");
    }
    let cause = &pair["conclusion"]["causes"][0];
    assert_eq!(cause["known_by"], "model");
    assert_eq!(cause["evidence"][0]["weight"], "supports");
    let text = text(&explained(&bench, FAST, slow, &[]));
    assert!(text.contains("22 % slower"), "{text}");
    assert!(
        text.contains("The governor (ondemand → powersave) explains"),
        "{text}"
    );
    assert!(
        text.contains("echo ondemand | tee /sys/devices/system/cpu"),
        "{text}"
    );
    assert!(text.contains("Not recorded before:"), "{text}");
}

#[test]
fn facts_without_effect_are_not_named_and_nothing_else_is() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, "before", &[]);
    tree(&bench, "after", &DECOYS);
    let done = explained(&bench, FAST, SLOW, &["--json"]);
    let found = document(&done);
    assert_eq!(causes(&found), Vec::<&str>::new(), "{}", done.stdout);
    assert_eq!(found["pairs"][0]["conclusion"]["verdict"], "unexplained");
    let text = text(&explained(&bench, FAST, SLOW, &[]));
    assert!(
        text.contains("Nothing that was recorded explains this"),
        "{text}"
    );
}

#[test]
fn a_change_in_the_other_direction_is_no_cause() {
    let Some(bench) = Bench::new() else { return };
    let governors = GOVERNORS.map(|path| (path, "powersave"));
    tree(&bench, "before", &governors);
    tree(&bench, "after", &[]);
    let done = explained(&bench, FAST, SLOW, &["--json"]);
    let found = document(&done);
    assert_eq!(causes(&found), Vec::<&str>::new(), "{}", done.stdout);
    assert_eq!(found["pairs"][0]["conclusion"]["against"], json!([0]));
}

#[test]
fn where_it_may_be_noise_no_cause_is_named() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, "before", &[]);
    let governors = GOVERNORS.map(|path| (path, "powersave"));
    tree(&bench, "after", &governors);
    let noisy = |ran: Ran| Ran { spread: 0.2, ..ran };
    let done = explained(&bench, noisy(FAST), noisy(SLOW), &["--json"]);
    let found = document(&done);
    assert_eq!(found["pairs"][0]["conclusion"]["verdict"], "cannot_tell");
    assert_eq!(causes(&found), Vec::<&str>::new());
    let text = text(&explained(&bench, noisy(FAST), noisy(SLOW), &[]));
    assert!(
        text.contains("may be noise") && text.contains("No cause is named"),
        "{text}"
    );
}

#[test]
fn a_resync_is_suspected_without_a_number() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, "before", &[]);
    tree(
        &bench,
        "after",
        &[("sys/block/md0/md/sync_action", "resync")],
    );
    let done = explained(&bench, FAST, SLOW, &["--json"]);
    let found = document(&done);
    assert_eq!(causes(&found), ["sync_action"], "{}", done.stdout);
    assert_eq!(found["pairs"][0]["conclusion"]["verdict"], "suspected");
    assert_eq!(
        found["pairs"][0]["conclusion"]["causes"][0]["part"],
        Value::Null
    );
}

#[test]
fn a_study_of_the_first_cause_parses() {
    let Some(bench) = Bench::new() else { return };
    tree(&bench, "before", &[]);
    let governors = GOVERNORS.map(|path| (path, "powersave"));
    tree(&bench, "after", &governors);
    let path = bench.path("proof.toml");
    let save = format!("--save={}", path.display());
    let done = explained(&bench, FAST, SLOW, &["--json", &save]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let study = bench.finish(with(bench.command(), ["study", "proof.toml", "--json"]));
    let study: Value = serde_json::from_str(&study.stdout).unwrap();
    assert_eq!(study["cells"].as_array().unwrap().len(), 2, "{study:#}");
    // An existing file is never replaced.
    let done = explained(&bench, FAST, SLOW, &[&save]);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
}

#[test]
fn cells_of_runs_are_compared_by_number_and_by_key() {
    let Some(bench) = Bench::new() else { return };
    bench.write(
        "two.toml",
        "[stack.two]\ndevices = { sata-ssd = 2 }\narray = { level = \"raid1\", bitmap = \"none\" }\n\
         [workload]\npattern = \"randwrite\"\nblock_size = \"4K\"\nsize = \"64M\"\ndirect = true\n\
         depth = [1, 8]\nengine = \"libaio\"\n",
    );
    let done = bench.finish(bench.stored("run two.toml --world model --quiet"));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let found = document(&bench.finish(bench.stored("explain 1:1 1:depth=8 --json")));
    assert_eq!(causes(&found), ["depth"]);
    for (words, said) in [
        ("explain 1 1", "compared with itself"),
        ("explain 1:1 1:9", "there is no cell 9"),
        ("explain 1:1 1:depth=5", "no cell matches"),
        ("explain 1 7", "7"),
        ("explain 1 no/such.json", "there is no file"),
        ("explain 1:1 1:2 --device no-such", "no-such"),
        ("explain 1:1 1:2 --facts-before no-such", "no-such"),
        ("explain 1:1 1:2 --margin 0%", "more than 0 %"),
    ] {
        let done = bench.finish(bench.stored(words));
        assert_eq!(done.code, Some(2), "{words}: {}", done.transcript());
        assert!(done.stderr.contains(said), "{words}: {}", done.transcript());
    }
}
