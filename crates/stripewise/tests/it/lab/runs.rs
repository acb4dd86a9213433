//! Runs in the lab, and its commands.
//!
//! The failure: a run in the lab was killed, its QEMU kept running, and by morning the machine had
//! no memory left. And a guest died in the middle of a run, and its samples were lost.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::process::Signal;
use serde_json::Value;
use stripewise_profiles::device::Model;
use stripewise_profiles::profile_file::device_from_toml;
use stripewise_profiles::shipped::DEVICES;
use stripewise_results::RunState;
use stripewise_study::conditions::Flush;
use stripewise_study::sample::{DeviceDelta, Role, as_f64};
use stripewise_study::series::Happened;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Data;

use super::{MEMORY, cache, cache_with_zfs, guests, until_in_guest};
use crate::support::{Bench, number, say, send, share, with};

/// Two disks of 500 GB, whose first sync would take far too long.
const STUDY: &str = r#"
question = "Is a guest measured?"
[stack.mirrors]
devices = { "samsung-850-evo-500" = 2 }
array = { level = "raid1", bitmap = "none" }
filesystem = "none"
[workload]
pattern = "randread"
block_size = "4K"
size = "16M"
direct = true
[repeat]
sample = "50ms"
at_least = 6
at_most = 6
"#;

/// A run that lasts until it is ended.
const LONG: &str = r#"
[stack.here]
filesystem = "existing"
[workload]
pattern = "randread"
block_size = "4K"
size = "4M"
direct = true
[repeat]
sample = "50ms"
at_least = 200
at_most = 200
"#;

/// Returns a bench and a cache, if there are both.
fn bench() -> Option<(Bench, &'static Path)> {
    let cache = cache()?;
    Some((Bench::new()?, cache))
}

/// Returns the command that runs a study in a guest.
fn run(bench: &Bench, cache: &Path, study: &str) -> Command {
    let study = bench.write("study.toml", study);
    let mut command = bench.stored("run --world lab --seed 1");
    command.arg(study).env("STRIPEWISE_LAB_CACHE", cache);
    with(command, MEMORY)
}

/// Waits until a run has so many samples in the store.
fn until_samples(bench: &Bench, child: &mut Child, count: u64) {
    until_in_guest("samples", || {
        if child.try_wait().unwrap().is_some() {
            let mut said = String::new();
            let mut errors = child.stderr.take().unwrap();
            errors.read_to_string(&mut said).unwrap();
            panic!("the run ended: {said}");
        }
        let is_there = std::fs::metadata(bench.store_path()).is_ok_and(|file| file.len() > 0);
        let runs = match is_there {
            true => bench.store().runs().unwrap(),
            false => Vec::new(),
        };
        (runs.first()?.samples.all >= count).then_some(())
    });
}

#[test]
fn the_doctor_reports_what_exists_and_whether_it_is_enough() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let mut command = bench.command();
    command
        .args(["lab", "doctor", "--json", "--cache"])
        .arg(bench.path("cache"));
    let done = bench.finish(command);
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    let programs = document["programs"].as_array().unwrap();
    let is_there = |name: &str| {
        let program = programs
            .iter()
            .find(|program| program["program"] == name)
            .unwrap();
        !program["path"].is_null()
    };
    assert!(is_there("tar"));
    let is_complete = document["is_complete"].as_bool().unwrap();
    assert_eq!(done.code, Some(if is_complete { 0 } else { 1 }));
    assert_eq!(document["guests"], serde_json::json!([]));
    assert_eq!(document["measuring_clock"], "virtual");

    // Without programs: everything is missing, and the packages are named.
    let mut command = bench.command();
    command
        .args(["lab", "prepare", "--cache"])
        .arg(bench.path("cache"));
    command.env("PATH", bench.path("home"));
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("apt-get install"),
        "{}",
        done.transcript()
    );
    assert!(
        done.stderr.contains("qemu-system-x86"),
        "{}",
        done.transcript()
    );
}

#[test]
fn a_study_without_a_guest_says_how_to_get_one() {
    let Some(bench) = Bench::new() else {
        return;
    };
    let done = bench.finish(run(&bench, &bench.path("empty"), STUDY));
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains("no guest is prepared"),
        "{}",
        done.transcript()
    );
    assert!(
        done.stderr.contains("`stripewise lab prepare`"),
        "{}",
        done.transcript()
    );
    // The hint searches the same cache.
    let named = bench.path("named");
    let mut command = run(&bench, &bench.path("empty"), STUDY);
    command.arg("--cache").arg(&named);
    let done = bench.finish(command);
    let hint = format!("`stripewise lab prepare --cache {}`", named.display());
    assert!(done.stderr.contains(&hint), "{}", done.transcript());
}

pub(super) fn an_array_is_built_and_measured_in_a_guest_and_nothing_is_left() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let began = Instant::now();
    let done = bench.finish(run(&bench, cache, STUDY));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    say(&format!("lab: 7 samples in {:?}", began.elapsed()));
    bench.assert_clean();
    let run = bench.stored_run(1);
    assert_eq!(
        (run.summary.state, run.summary.origin.as_str()),
        (RunState::Done, "lab")
    );
    let facts = &run.facts[0].facts;
    assert_eq!(facts.tools["lab clock"], "virtual");
    assert!(facts.tools["qemu"].contains("QEMU"));
    assert!(facts.kernel.as_ref().unwrap().ends_with("cloud-amd64"));
    // Debian's release names a series, `6.1.0`; the facts have the exact kernel anyway.
    assert!(facts.kernel_version().unwrap().patch > 0);
    assert_eq!(facts.fio_clock.as_deref(), Some("clock_gettime"));
    let means: Vec<f64> = run
        .samples
        .iter()
        .map(|record| record.sample.read.latency.mean_ns.unwrap())
        .collect();
    assert_eq!(means.len(), 7);
    // One disk alone takes 97 us for such a read; the kernel takes the rest.
    assert!(
        means
            .iter()
            .all(|mean| (90_000.0..140_000.0).contains(mean)),
        "{means:?}"
    );
}

/// A disk whose every time is known: one server, no spread.
const EXACT: &str = r#"
schema = 1
name = "a-exact"
description = "exact times"
source = "made up"
capacity_bytes = 1073741824
rotational = false
queue_depth = 32
[calibrated.link]
read_bytes_per_s = 1_000_000_000
write_bytes_per_s = 1_000_000_000
command_ns = 1000
full_duplex = false
[calibrated.read]
servers = 1
p99_over_p50 = 1.0
random = [{ size_bytes = 4096, time_ns = 100_000 }, { size_bytes = 131_072, time_ns = 350_000 }]
[calibrated.write]
servers = 1
p99_over_p50 = 1.0
random = [{ size_bytes = 4096, time_ns = 50_000 }, { size_bytes = 131_072, time_ns = 300_000 }]
sequential = [{ size_bytes = 4096, time_ns = 20_000 }, { size_bytes = 131_072, time_ns = 300_000 }]
[calibrated.cache]
is_volatile = false
flush_ns = 0
"#;

/// The time of each load on that disk.
const LOADS: [(&str, &str, u64); 5] = [
    ("randread", "4k", 100_000),
    ("randread", "128k", 350_000),
    ("randwrite", "4k", 50_000),
    ("randwrite", "128k", 300_000),
    ("write", "4k", 20_000),
];

/// Returns a study with a stack of one disk for each profile, and the profiles with their schedulers
/// in the order in which the lab makes their disks.
fn one_disk_of_each() -> (String, Vec<(String, &'static str)>) {
    let shipped = DEVICES.iter().map(|file| (file.file, file.text));
    let mut study = String::new();
    let mut profiles = Vec::new();
    for (file, text) in shipped.chain([("a-exact.toml", EXACT)]) {
        let profile = device_from_toml(file, text).unwrap();
        if !matches!(profile.model, Model::Calibrated(_)) {
            continue;
        }
        let name = profile.name;
        let stack = format!("[stack.{name}]\ndevices = {{ {name} = 1 }}\nfilesystem = \"none\"\n");
        study.push_str(&stack);
        // As the model chooses (`engine::setup`).
        let scheduler = match profile.model.link().full_duplex {
            true => "[none]",
            false => "[mq-deadline]",
        };
        profiles.push((name, scheduler));
    }
    study.push_str("[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n");
    profiles.sort();
    (study, profiles)
}

pub(super) fn a_disk_of_a_guest_takes_exactly_as_long_as_its_profile_says() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    bench.write("a-exact.toml", EXACT);
    let (study, profiles) = one_disk_of_each();
    let study = bench.write("study.toml", &study);
    let mut command = with(bench.command(), ["lab", "shell", "--clock", "virtual"]);
    command.args(MEMORY);
    command.arg(study).arg("--cache").arg(cache);
    command
        .arg("--profiles")
        .arg(bench.path("a-exact.toml").parent().unwrap());
    command.stdin(Stdio::piped());
    let mut child = bench.start(command);
    let mut typed =
        String::from("for d in /sys/block/swd*/queue; do echo DISK $d `cat $d/scheduler`; done\n");
    for (pattern, size, _) in LOADS {
        typed.push_str("printf 'reset swd0 seed=%032x' 1 > /dev/stripewise-disks\n");
        typed.push_str(&format!(
            "echo FIO `fio --minimal --name=x --filename=/dev/swd0 --rw={pattern} --bs={size} --size=1g --number_ios=200 --direct=1 --ioengine=psync --thread --clocksource=clock_gettime --alloc-size=2048 --zero_buffers --randrepeat=1`\n"
        ));
        typed.push_str("echo STATUS `grep name=swd0 /dev/stripewise-disks`\n");
    }
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(typed.as_bytes()).unwrap();
    drop(pipe);
    let done = bench.wait(child);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    // The shell echoes its input, on a slow machine in the middle of its output.
    let lines = |head: &str| -> Vec<String> {
        let lines = done.stdout.lines();
        let lines = lines.filter_map(|line| Some(line.split_once(head)?.1));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let schedulers = lines("DISK /sys/block");
    assert_eq!(schedulers.len(), profiles.len(), "{}", done.transcript());
    for (number, (name, scheduler)) in profiles.iter().enumerate() {
        let disk = format!("/swd{number}/");
        let found = schedulers.iter().find(|line| line.contains(&disk)).unwrap();
        assert!(found.contains(scheduler), "{name}: {found}");
    }
    let (loads, statuses) = (lines("FIO 3;"), lines("STATUS name=swd0 "));
    assert_eq!((loads.len(), statuses.len()), (LOADS.len(), LOADS.len()));
    for ((load, status), (pattern, size, time_ns)) in loads.iter().zip(&statuses).zip(LOADS) {
        let is_read = pattern.ends_with("read");
        let count = |what: &str| -> u64 {
            let key = format!("{}_{what}=", if is_read { "read" } else { "write" });
            let mut words = status.split(' ');
            words
                .find_map(|word| word.strip_prefix(&key))
                .unwrap()
                .parse()
                .unwrap()
        };
        // The first write continues no stream.
        let first_ns = if pattern == "write" { 50_000 } else { time_ns };
        assert_eq!(count("requests"), 200, "{pattern} {size}: {status}");
        assert_eq!(
            count("service_ns"),
            first_ns + 199 * time_ns,
            "{pattern} {size}"
        );
        let late_ns = count("late_ns") / 200;
        assert!(late_ns < 1500, "{pattern} {size}: {late_ns} ns late");
        // In terse version 3, after the version: the mean of all latencies in us, of reads and of writes.
        let field = if is_read { 38 } else { 79 };
        let mean_us: f64 = load.split(';').nth(field).unwrap().parse().unwrap();
        let service_ns = u32::try_from(count("service_ns") / 200).unwrap();
        let cpu_ns = mean_us * 1000.0 - f64::from(service_ns);
        say(&format!(
            "lab: {pattern} {size}: {late_ns} ns late, {cpu_ns} ns of CPU"
        ));
        assert!(
            (0.0..40_000.0).contains(&cpu_ns),
            "{pattern} {size}: {cpu_ns} ns"
        );
    }
    bench.assert_clean();
}

pub(super) fn a_killed_tool_ends_its_guest_and_the_run_resumes_with_another() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let mut child = bench.start(run(&bench, cache, LONG));
    until_samples(&bench, &mut child, 2);
    assert_eq!(guests(&bench).len(), 1);
    send(number(&child), Signal::KILL);
    bench.wait(child);
    bench.assert_no_process();

    // A killed guest is reported, and its samples are kept.
    let mut again = bench.stored("resume 1");
    again.env("STRIPEWISE_LAB_CACHE", cache);
    let before = bench.stored_run(1).samples.len();
    let mut child = bench.start(again);
    until_samples(&bench, &mut child, u64::try_from(before + 2).unwrap());
    for guest in guests(&bench) {
        send(guest, Signal::KILL);
    }
    let done = bench.wait(child);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("the guest ended"),
        "{}",
        done.transcript()
    );
    assert!(
        done.stderr.contains("stripewise resume"),
        "{}",
        done.transcript()
    );
    assert!(bench.stored_run(1).samples.len() >= before + 2);
    bench.assert_clean();
}

pub(super) fn a_shell_reads_a_pipe_and_ends_with_it() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let study = bench.write("study.toml", STUDY);
    let mut command = with(bench.command(), ["lab", "shell", "--clock", "wall"]);
    command
        .args(MEMORY)
        .arg(study)
        .arg("--cache")
        .arg(cache)
        .stdin(Stdio::piped());
    let mut child = bench.start(command);
    // The shell ends at the end of the pipe.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(b"cat /proc/mdstat; echo $((6 * 7))\n")
        .unwrap();
    drop(pipe);
    let done = bench.wait(child);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(done.stdout.contains("\r\n42\r\n"), "{}", done.transcript());
    assert!(
        done.stdout.contains("active raid1"),
        "{}",
        done.transcript()
    );
    bench.assert_clean();
}

/// A stack of every kind of layer, on small disks.
const LAYERS: [(&str, &str); 4] = [
    (
        "parity",
        r#"[stack.parity]
devices = { four-ssd-sata = 4 }
array = { level = "raid5", chunk = "64K", assume_clean = true }
filesystem = "ext4"
"#,
    ),
    (
        "firmware",
        r#"[stack.firmware]
devices = { four-ssd-sata = 4 }
array = { level = "raid10", chunk = "128K", metadata = "imsm", assume_clean = true, size = "32M", beside = [{ level = "raid1" }] }
"#,
    ),
    (
        "volume",
        r#"[stack.volume]
devices = { four-ssd-sata = 2 }
volume = { stripes = 2, stripe_size = "64K" }
filesystem = "xfs"
"#,
    ),
    (
        "pool",
        r#"[stack.pool]
devices = { four-ssd-sata = 4 }
filesystem = { type = "btrfs", mkfs = ["-d", "raid10", "-m", "raid1"] }
"#,
    ),
];
const LOAD_OF_LAYERS: &str = r#"
[workload]
pattern = "randwrite"
block_size = "64K"
size = "16M"
[repeat]
sample = "50ms"
at_least = 1
at_most = 1
"#;

pub(super) fn every_layer_is_built_in_a_guest() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let names: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    let drawn = share("layers of a guest", &names, 2);
    let stacks = LAYERS.iter().filter(|(name, _)| drawn.contains(name));
    let stacks: Vec<&str> = stacks.map(|(_, text)| *text).collect();
    let mut command = run(&bench, cache, &(stacks.concat() + LOAD_OF_LAYERS));
    command.args(["--disk-size", "512M"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = bench.stored_run(1);
    let expected = 2 * stacks.len();
    assert_eq!(
        run.samples.len(),
        expected,
        "a warm-up and a sample of each"
    );
    for record in &run.samples {
        let sample = &record.sample;
        assert!(sample.is_valid(), "{:?}", sample.warnings);
        let stack = &run.cells[record.cell].stack;
        assert_eq!(sample.devices.len() as u64, stack.device_count());
        let written = |device: &DeviceDelta| device.write_bytes.as_u64() > 0;
        assert!(sample.devices.iter().all(written), "{}", stack.name);
    }
    bench.assert_clean();
}

/// Two layers above the same disks, each with flushes and without.
const FLUSHES: &str = r#"
[stack.mirrors]
devices = { "samsung-850-evo-500" = 2 }
array = { level = "raid1", bitmap = "none", assume_clean = true }
filesystem = "none"
[stack.volume]
devices = { "samsung-850-evo-500" = 2 }
volume = { stripes = 2, stripe_size = "64K" }
filesystem = "none"
[workload]
pattern = "randwrite"
block_size = "4K"
size = "4M"
direct = true
fsync = 1
[conditions]
flush = ["ignored", "honoured"]
[repeat]
sample = "50ms"
at_least = 1
at_most = 1
"#;

pub(super) fn flushes_are_sent_where_they_are_honoured_whichever_cell_comes_first() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let study = bench.write("study.toml", FLUSHES);
    // This seed draws blocks with the volume first without flushes, and blocks with them.
    let mut command = bench.stored("run --world lab --seed 2");
    command.arg(study).env("STRIPEWISE_LAB_CACHE", cache);
    command.args(MEMORY).args(["--disk-size", "64M"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = bench.stored_run(1);
    let mut of_volume = Vec::new();
    for record in &run.samples {
        let cell = &run.cells[record.cell];
        assert!(record.sample.is_valid(), "{:?}", record.sample.warnings);
        let flushes = record.sample.devices.iter().filter_map(|one| one.flushes);
        let flushes: u64 = flushes.sum();
        let are_honoured = cell.conditions.flush == Some(Flush::Honoured);
        let name = &cell.stack.name;
        assert_eq!(flushes > 0, are_honoured, "{name}: {flushes}");
        if name == "volume" {
            of_volume.push(are_honoured);
        }
    }
    // A block measures all cells of a stack one after the other.
    let blocks: Vec<&[bool]> = of_volume.chunks(2).collect();
    assert!(blocks.contains(&&[false, true][..]), "{of_volume:?}");
    assert!(blocks.contains(&&[true, false][..]), "{of_volume:?}");
    bench.assert_clean();
}

/// Pools whose data shrinks or not.
const POOLS: &str = r#"
[stack.plain]
devices = { sata-ssd = 1 }
filesystem = { type = "zfs", mkfs = ["-o", "ashift=12", "-O", "compression=off"] }
[stack.lz4]
devices = { sata-ssd = 1 }
filesystem = { type = "zfs", mkfs = ["-o", "ashift=12", "-O", "compression=lz4"] }
[stack.mirror]
devices = { sata-ssd = 2 }
filesystem = { type = "zfs", mkfs = ["-o", "ashift=12", "-O", "compression=off", "mirror"] }
[workload]
pattern = "write"
block_size = "128K"
size = "16M"
direct = false
engine = "psync"
fsync = 1
data = ["incompressible", 2.0]
[repeat]
sample = "200ms"
at_least = 1
at_most = 1
"#;

/// Needs a guest with ZFS, which takes six minutes to build.
#[test]
fn pools_of_zfs_are_built_measured_and_destroyed_in_a_guest() {
    let Some(cache) = cache_with_zfs() else {
        return;
    };
    let Some(bench) = Bench::new() else { return };
    let mut command = run(&bench, cache, POOLS);
    command.args(["--disk-size", "1G"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = bench.stored_run(1);
    let mut shares = std::collections::BTreeMap::new();
    let counted = run.samples.iter().filter(|it| it.role == Role::Counted);
    for record in counted {
        let (cell, sample) = (&run.cells[record.cell], &record.sample);
        let name = cell.stack.name.as_str();
        assert!(sample.is_valid(), "{name}: {:?}", sample.warnings);
        for device in &sample.devices {
            assert!(device.flushes > Some(0), "{name}: {device:?}");
            let written = as_f64(device.write_bytes.as_u64());
            let share = written / as_f64(sample.write.bytes.as_u64());
            let half = cell.workload.load.data == Data::Ratio(2.0);
            shares
                .entry((name, half))
                .or_insert_with(Vec::new)
                .push(share);
        }
    }
    say(&format!(
        "bytes on each disk for a byte of the load: {shares:?}"
    ));
    // Whole records, and what the intent log and the groups add; lz4 writes half of what shrinks.
    let near = |(pool, half): (&'static str, bool), expected: f64| {
        for share in &shares[&(pool, half)] {
            let bounds = expected * 0.95..expected * 1.3;
            assert!(bounds.contains(share), "{pool} {half}: {share}");
        }
    };
    for (pool, is_half) in [
        ("plain", false),
        ("plain", true),
        ("mirror", false),
        ("lz4", false),
    ] {
        near((pool, is_half), 1.0);
    }
    near(("lz4", true), 0.5);
    assert_eq!(shares[&("mirror", false)].len(), 2);
    bench.assert_clean();
}

/// A study that writes more data than the guest has memory for, and must keep it.
const TOO_MUCH: &str = r#"
[stack.alone]
devices = { nvme-ssd = 1 }
filesystem = "none"
[workload]
pattern = "write"
block_size = "1M"
size = "384M"
verify = true
[conditions]
fill = false
[repeat]
sample = "500ms"
at_least = 1
at_most = 1
"#;

pub(super) fn a_guest_without_memory_for_its_disks_gives_no_valid_sample() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let study = bench.write("study.toml", TOO_MUCH);
    let mut command = bench.stored("run --world lab --seed 1");
    command.arg(study).env("STRIPEWISE_LAB_CACHE", cache);
    command.args(["--disk-size", "1G", "--memory", "384M"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("gets 384 MiB"),
        "{}",
        done.transcript()
    );
    let samples = bench.stored_run(1).samples;
    assert!(!samples.is_empty());
    assert!(samples.iter().all(|record| !record.sample.is_valid()));
    let mut warnings = samples.iter().flat_map(|record| &record.sample.warnings);
    let is_short = |warning: &Warning| matches!(warning, Warning::DiskStoreFull { .. });
    assert!(warnings.any(is_short), "{}", done.transcript());
    bench.assert_clean();
}

/// A member fails under load and is replaced; then all data is read back.
const FAILURE: &str = r#"
[stack.parity]
devices = { four-ssd-sata = 4 }
array = { level = "raid5", chunk = "64K", bitmap = "none", size = "32M" }
[workload]
pattern = "randwrite"
block_size = "16K"
size = "32M"
verify = true
[conditions]
failure = "replaced"
[failure.replaced]
fail_device = { at = "200ms", device = 2 }
replace = { at = "400ms" }
[repeat]
sample = "1500ms"
at_least = 1
at_most = 1
"#;

pub(super) fn a_member_that_fails_in_a_guest_is_rebuilt_and_the_data_is_intact() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    let mut command = run(&bench, cache, FAILURE);
    command.args(["--disk-size", "256M"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = bench.stored_run(1);
    // A warm-up ends before the failure.
    let counted = run
        .samples
        .iter()
        .filter(|record| record.role == Role::Counted);
    for record in counted {
        let sample = &record.sample;
        assert!(sample.is_valid(), "{:?}", sample.warnings);
        let is_there =
            |wanted: fn(&Happened) -> bool| sample.events.iter().any(|event| wanted(&event.what));
        assert!(is_there(|what| matches!(what, Happened::Failed { .. })));
        assert!(is_there(|what| matches!(
            what,
            Happened::RebuildDone { .. }
        )));
        assert!(sample.series.is_some());
    }
    bench.assert_clean();
}

pub(super) fn the_model_counts_what_the_driver_counts() {
    let Some((bench, cache)) = bench() else {
        return;
    };
    // `make soak` checks 16.
    let cases = std::env::var("STRIPEWISE_TEST_DRIVER_CASES");
    let mut command = with(bench.command(), ["verify-model", "--json", "--cases"]);
    command.arg(cases.as_deref().unwrap_or("2"));
    command.args(["--seed", "5", "--cache"]).arg(cache);
    command.args(MEMORY);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(document["agrees"], true);
    assert!(!document["checked"][0]["table"].is_null());
}
