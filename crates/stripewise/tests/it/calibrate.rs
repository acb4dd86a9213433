//! From measurements to profiles on the command line.
//!
//! The failure: a user calibrated into the folder of hand-written profiles, and they were
//! overwritten. Another measured for two minutes, and only then learned that the folder is
//! read-only. And a profile was made from a study that did not match the points, without a warning.

use std::path::PathBuf;
use std::process::Command;

use expect_test::{Expect, expect, expect_file};
use stripewise_profiles::device::Model;
use stripewise_profiles::profile_file::{device_from_toml, host_from_toml};
use stripewise_results::RunState;
use stripewise_study::sample::Role;

use crate::support::{
    Bench, Done, FakeLog, at, entries, is_root, repository, skip, skip_unless_all, with,
};

/// One disk and an array of two, which the model can run.
const PAIR: &str = r#"
question = "What is a pair?"
kernel = "6.1"
[stack.one]
devices = { sata-ssd = 1 }
filesystem = "ext4"
[stack.pair]
devices = { sata-ssd = 2 }
array = { level = "raid0", chunk = "64K" }
filesystem = "ext4"
[workload]
pattern = ["randread", "randwrite"]
block_size = ["4K", "64K"]
size = "1G"
"#;

/// As short as samples may be.
const BRIEF: &str = "[repeat]\nsample = \"50ms\"\n";

/// The existing filesystem.
const HERE: &str = r#"
[stack.here]
filesystem = "existing"
[workload]
pattern = "randread"
block_size = ["4K", "64K"]
size = "8M"
[repeat]
sample = "100ms"
at_least = 6
at_most = 8
"#;

const HEADER: &str = "stack,pattern,block_size_bytes,jobs,depth,bandwidth_bytes_per_s";

/// Returns `calibrate` with these arguments (words), into the folder `out`.
fn calibrate(bench: &Bench, arguments: &str) -> Command {
    with(
        bench.command(),
        ["calibrate", "--out", "out"]
            .into_iter()
            .chain(arguments.split_ascii_whitespace()),
    )
}

/// Runs `calibrate` that must succeed.
fn made(bench: &Bench, command: Command) -> Done {
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    done
}

fn refused(bench: &Bench, command: Command, expected: &Expect) {
    bench.finish(command).refused(expected);
}

fn device(bench: &Bench, name: &str) -> stripewise_profiles::device::DeviceProfile {
    let text = std::fs::read_to_string(bench.path(&format!("out/devices/{name}.toml"))).unwrap();
    assert!(
        text.starts_with("# Made by `stripewise calibrate`"),
        "{text}"
    );
    device_from_toml(name, &text).unwrap()
}

#[test]
fn the_published_study_gives_profiles() {
    let Some(bench) = Bench::new() else { return };
    let study = repository().join("studies/four-ssd-random.toml");
    let points = repository().join("crates/calibrate/tests/data/four-ssd-random.csv");
    let points = std::fs::read_to_string(points).unwrap();
    // One disk and one array of it suffice, and take half the time.
    let of_two = |line: &&str| {
        ["stack,", "ssd,", "chunk32,"]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let points: Vec<&str> = points.lines().filter(of_two).collect();
    let points = bench.write("points.csv", &points.join("\n"));
    let mut command = calibrate(&bench, "");
    command.arg(&study).arg("--points").arg(&points);
    let done = made(&bench, command);
    expect_file!["../golden/calibrate-four-ssd-random.txt"].assert_eq(&done.stdout);
    for line in done.stdout.lines().filter(|line| line.contains("MiB/s")) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // A slow machine gets a line of progress every 10 s.
    let is_progress = |line: &&str| {
        let (time, rest) = line.split_once(" s  ").unwrap_or_default();
        let seconds: Option<u32> = time.parse().ok();
        let step = ["fitting ", "computing "]
            .iter()
            .any(|step| rest.starts_with(step));
        seconds.is_some_and(|seconds| seconds >= 10) && step
    };
    let said: Vec<&str> = done.stderr.lines().collect();
    assert!(said.iter().all(is_progress), "{said:?}");
    assert_eq!(device(&bench, "four-ssd-sata").name, "four-ssd-sata");
    let host = std::fs::read_to_string(bench.path("out/hosts/i7-6700k.toml")).unwrap();
    assert!(host.starts_with("# Made by"), "{host}");
    assert_eq!(host_from_toml("host", &host).unwrap().name, "i7-6700k");
    let left: Vec<PathBuf> = ["devices", "hosts"]
        .into_iter()
        .flat_map(|folder| entries(&bench.path("out").join(folder)))
        .collect();
    assert_eq!(left.len(), 2, "no scratch file stays: {left:?}");
}

#[test]
fn a_run_in_the_model_world_reproduces_its_profiles() {
    let Some(bench) = Bench::new() else { return };
    // Cells that are points, and one that is not.
    let cached = "[workload.cached]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1G\"\ndirect = false\n";
    let study = PAIR.replace("[workload]", "[workload.direct]");
    let study = bench.write("pair.toml", &format!("{study}{cached}{BRIEF}"));
    let mut command = bench.stored("run --world model --seed 1");
    command.arg(&study);
    assert_eq!(bench.finish(command).code, Some(0));
    let mut command = calibrate(&bench, "--run latest --json");
    command.arg("--store").arg(bench.store_path());
    let document = bench.json(command);
    let left_out = at(&document, "/left_out").as_array().unwrap();
    assert_eq!(left_out.len(), 2);
    let named = left_out[0].as_str().unwrap();
    assert!(named.ends_with(": it uses the page cache"), "{named}");
    assert_eq!(at(&document, "/schema"), 1);
    assert_eq!(at(&document, "/run"), 1);
    assert_eq!(at(&document, "/source"), "run 1 of the model");
    assert_eq!(at(&document, "/files/0/name"), "sata-ssd");
    // The study names no host, so the new one is named after the device, which brings it.
    assert_eq!(at(&document, "/files/1/name"), "sata-ssd-host");
    let rows = at(&document, "/report/residuals").as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert!(at(row, "/error").as_f64().unwrap().abs() < 0.1, "{row}");
    }
    let spreads = at(&document, "/spreads").as_array().unwrap();
    assert!(at(&spreads[0], "/relative_half_width").as_f64().unwrap() < 0.05);
    assert_eq!(device(&bench, "sata-ssd").capacity_bytes, 120_000_000_000);
    // The same study runs with the new profiles.
    let mut command = bench.stored("run --world model --profiles out --seed 1");
    command.arg(&study);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0));
    assert!(done.stdout.contains("  limited by"), "{}", done.stdout);
}

#[test]
fn a_disk_of_this_machine_gets_a_profile() {
    let Some(bench) = Bench::new() else { return };
    if let Err(error) = stripewise_fio::Fio::find() {
        skip_unless_all("calibrating with a real fio", &error.to_string());
        return;
    }
    let real = |mut command: Command| {
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    };
    let done = bench.finish(real(bench.run(HERE)));
    let run = bench.stored_run(1);
    let mut of_plain = run.samples.iter().filter(|record| record.cell < 2);
    if !of_plain.any(|record| record.role == Role::Counted && record.sample.is_valid()) {
        skip("calibrating from a real fio", &done.stderr);
        return;
    }
    let mut command = calibrate(&bench, "--run 1 --name mine");
    command.arg("--store").arg(bench.store_path());
    let done = made(&bench, command);
    assert!(
        done.stdout.starts_with("A profile of mine\n"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("No point measures an array"));
    assert!(!bench.path("out/hosts").exists());
    let profile = device(&bench, "mine");
    let facts = &run.facts[0].facts;
    match facts.target.as_ref().unwrap().disks.as_slice() {
        [disk] => {
            let disk = facts.device(disk).unwrap();
            assert_eq!(profile.capacity_bytes, disk.size_bytes.unwrap().as_u64());
            assert_eq!(Some(profile.rotational), disk.rotational);
            let all = profile.assumed.join("\n");
            assert!(
                !all.contains("capacity_bytes") && !all.contains("rotational"),
                "{all}"
            );
        }
        disks => skip(
            "what the kernel says of the disk",
            &format!("disks: {disks:?}"),
        ),
    }
}

#[test]
fn a_measurement_is_kept_and_can_be_resumed() {
    let Some(bench) = Bench::new() else { return };
    // The fake fio takes no time and moves nothing, so that its samples do not count.
    let mut command = calibrate(&bench, "--seed 1 --target target");
    command.arg("--store").arg(bench.store_path());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    // On a busy machine the run takes so long that lines of its progress come first.
    let mut said = done.stderr.lines();
    assert!(
        said.any(|line| line.starts_with("error: run 1: no sample counts")),
        "{}",
        done.stderr
    );
    assert_eq!(done.stdout, "");
    bench.assert_clean();
    let run = bench.stored_run(1);
    assert_eq!(run.summary.state, RunState::Done);
    assert_eq!(run.summary.study_name, "this-disk");
    assert_eq!(run.cells.len(), 25);
    assert!(!bench.path("out/devices/this-disk.toml").exists());

    let mut command = calibrate(&bench, "--seed 1 --target target --budget 100ms");
    command.arg("--store").arg(bench.store_path());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(
        done.stderr.contains("`stripewise resume 2 --budget "),
        "{}",
        done.stderr
    );
}

#[test]
fn files_from_elsewhere_are_not_replaced() {
    let Some(bench) = Bench::new() else { return };
    let study = bench.write("pair.toml", PAIR);
    let points =
        format!("{HEADER}\none,randread,4096,1,1,40000000\none,randread,65536,1,1,300e6\n");
    bench.write("points.csv", &points);
    let arguments = format!("{} --points points.csv", study.display());
    made(&bench, calibrate(&bench, &arguments));
    let first = std::fs::read_to_string(bench.path("out/devices/sata-ssd.toml")).unwrap();
    made(&bench, calibrate(&bench, &arguments));
    let again = std::fs::read_to_string(bench.path("out/devices/sata-ssd.toml")).unwrap();
    assert_eq!(first, again, "the same points make the same profile");

    let precious = first.replacen("# Made by", "# Tuned by hand after", 1);
    bench.write("out/devices/sata-ssd.toml", &precious);
    refused(
        &bench,
        calibrate(&bench, &arguments),
        &expect![[r#"
            error: `out/devices/sata-ssd.toml` already exists and is not a file of this kind

            hint: choose another name, or replace it with `--replace`
        "#]],
    );
    let kept = std::fs::read_to_string(bench.path("out/devices/sata-ssd.toml")).unwrap();
    assert_eq!(kept, precious);
    made(&bench, calibrate(&bench, &format!("{arguments} --replace")));
    let forced = std::fs::read_to_string(bench.path("out/devices/sata-ssd.toml")).unwrap();
    assert_eq!(forced, first);
}

#[test]
fn an_unwritable_folder_is_refused_before_measuring() {
    let Some(bench) = Bench::new() else { return };
    let log = bench.path("fio.log");
    let measure = || {
        let mut command = calibrate(&bench, "--target target");
        command.arg("--store").arg(bench.store_path());
        command.env("FAKE_FIO_LOG", &log);
        command
    };
    bench.write("out", "a file");
    refused(
        &bench,
        measure(),
        &expect![[r#"
            error: failed to write `out/devices/this-disk.toml`: Not a directory (os error 20)
        "#]],
    );
    std::fs::remove_file(bench.path("out")).unwrap();
    std::fs::create_dir_all(bench.path("out/devices")).unwrap();
    bench.write("out/devices/this-disk.toml", "name = \"this-disk\"");
    refused(
        &bench,
        measure(),
        &expect![[r#"
            error: `out/devices/this-disk.toml` already exists and is not a file of this kind

            hint: choose another name, or replace it with `--replace`
        "#]],
    );
    assert_eq!(FakeLog::read(&log).lines, 0, "fio was run");
    assert!(!bench.store_path().exists());
    bench.assert_clean();
    if is_root() {
        skip("a folder without permission", "root may write anywhere");
        return;
    }
    std::fs::remove_dir_all(bench.path("out")).unwrap();
    let locked = std::os::unix::fs::PermissionsExt::from_mode(0o555);
    std::fs::create_dir(bench.path("out")).unwrap();
    std::fs::set_permissions(bench.path("out"), locked).unwrap();
    refused(&bench, measure(), &expect![[""]]);
}

#[test]
fn exactly_one_source_is_wanted() {
    let Some(bench) = Bench::new() else { return };
    bench.write("pair.toml", PAIR);
    for arguments in [
        "pair.toml",
        "",
        "--points points.csv",
        "pair.toml --points points.csv --run 1",
        "--run 1 --target target",
        "pair.toml --target target",
        "--run 1 --budget 3m",
    ] {
        let done = bench.finish(calibrate(&bench, arguments));
        assert_eq!(done.code, Some(2), "{arguments}: {}", done.transcript());
        assert!(
            done.stderr.contains("Usage: "),
            "{arguments}: {}",
            done.stderr
        );
    }
    assert!(!bench.path("out").exists());
}

#[test]
fn points_that_cannot_be_used_are_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write("pair.toml", PAIR);
    let refused = |points: &str, more: &str, expected: &Expect| {
        bench.write("points.csv", points);
        let arguments = format!("pair.toml --points points.csv {more}");
        refused(&bench, calibrate(&bench, &arguments), expected);
        assert!(!bench.path("out").exists());
    };
    // The crate `calibrate` tests which rows are refused.
    refused(
        &format!("{HEADER}\none,randread,4K,1,1,-3\n"),
        "",
        &expect![[r#"
            error: `points.csv` has 1 mistake:
            points.csv:2: column `block_size_bytes`: `4K` is not a whole number, 512 to 1073741824
        "#]],
    );
    refused(
        &format!("{HEADER}\npear,randread,4096,1,1,4e7\n"),
        "",
        &expect![[r#"
            error: no profile can be made from these points

            hint: a device profile needs a point on one device alone (no `fsync`, and in one direction), a host profile one on an array
        "#]],
    );
    refused(
        &format!("{HEADER}\none,randread,4096,1,1,4e7\n"),
        "--name mine",
        &expect![[r#"
            error: `--name mine` has no effect: the study names its devices

            hint: leave it out
        "#]],
    );
    for name in ["here.toml", "cached.toml"] {
        let direct = if name == "here.toml" { "true" } else { "false" };
        let study = HERE.replace("[workload]", &format!("[workload]\ndirect = {direct}"));
        bench.write(name, &study);
    }
    bench.write(
        "here.csv",
        &format!("{HEADER}\nhere,randread,4096,1,1,4e7\n"),
    );
    self::refused(
        &bench,
        calibrate(&bench, "cached.toml --points here.csv"),
        &expect![[r#"
            error: failed to calibrate from `here.csv`: line 2: stack `here` is measured through the page cache; set `direct = true` to measure the device
        "#]],
    );
    self::refused(
        &bench,
        calibrate(&bench, "here.toml --points here.csv --name ../../precious"),
        &expect![[r#"
            error: `../../precious` is not a valid name for a device profile

            hint: the name is also the name of the file: use letters, digits, `-`, `_` and `.`
        "#]],
    );
    let missing = calibrate(&bench, "pair.toml --points nowhere.csv");
    self::refused(
        &bench,
        missing,
        &expect![[r#"
            error: failed to read points `nowhere.csv`: there is no such file
        "#]],
    );
}

#[test]
fn an_array_of_unknown_disks_is_refused() {
    let Some(bench) = Bench::new() else { return };
    bench.write("pair.toml", &PAIR.replace("sata-ssd", "nobodys-disk"));
    bench.write(
        "points.csv",
        &format!("{HEADER}\npair,randread,4096,1,1,4e7\n"),
    );
    let done = bench.finish(calibrate(&bench, "pair.toml --points points.csv"));
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.starts_with("error: no point measures `nobodys-disk` alone, and its profile cannot be used: there is no device profile `nobodys-disk`\n"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_simulated_disk_is_fitted_and_its_report_says_how_well() {
    let Some(bench) = Bench::new() else { return };
    let study = PAIR
        .replace("sata-ssd", "mine")
        .replace("\"1G\"", "\"1000G\"");
    bench.write("pair.toml", &study);
    let rows = "one,randread,4096,1,1,300000\none,randread,4096,1,8,500000\n";
    bench.write("points.csv", &format!("{HEADER}\n{rows}"));
    let done = made(
        &bench,
        calibrate(&bench, "pair.toml --points points.csv --like hdd-7200"),
    );
    expect_file!["../golden/calibrate-like.txt"].assert_eq(&done.stdout);
    let profile = device(&bench, "mine");
    assert!(matches!(profile.model, Model::Disk(_)));
    assert_eq!(profile.capacity_bytes, 2_000_398_934_016);
    assert!(!bench.path("out/hosts").exists());
    let predict = "predict --profiles out --device mine --workload randread:4K --size 1000G";
    let predicted = bench.finish(with(bench.command(), predict.split_ascii_whitespace()));
    assert_eq!(predicted.code, Some(0), "{}", predicted.transcript());
}

#[test]
fn only_simulated_profiles_of_the_same_kind_are_fitted() {
    let Some(bench) = Bench::new() else { return };
    bench.write("pair.toml", PAIR);
    let row = "one,randread,4096,1,1,40000000\n";
    bench.write("points.csv", &format!("{HEADER}\n{row}"));
    let refused = |like: &str, expected: &Expect| {
        let arguments = format!("pair.toml --points points.csv --like {like}");
        refused(&bench, calibrate(&bench, &arguments), expected);
        assert!(!bench.path("out").exists());
    };
    refused(
        "hdd-7200",
        &expect![[r#"
        error: failed to calibrate from `points.csv`: the points of `sata-ssd` are those of flash, but device profile `hdd-7200` simulates a hard disk

        hint: check the stack of the points, or use another profile
    "#]],
    );
    refused(
        "sata-ssd",
        &expect![[r#"
        error: failed to calibrate from `points.csv`: device profile `sata-ssd` is calibrated, not simulated: only the numbers of a `[disk]` or `[flash]` can be fitted

        hint: use `--like hdd-7200`, `hdd-5400` or `flash-sata`, or a profile of your own
    "#]],
    );
    refused(
        "nothing",
        &expect![[r#"
        error: there is no device profile `nothing`

        hint: known profiles: `flash-sata`, `four-ssd-sata`, `hdd-5400`, `hdd-7200`, `hgst-7k4000`, `intel-p4500`, `micron-1100-m2`, `nvme-ssd`, `samsung-850-evo-500`, `sata-ssd`; `stripewise profiles` describes them, and `stripewise calibrate` makes one from measurements
    "#]],
    );
    let row = "pair,randread,4096,1,1,40000000\n";
    bench.write("points.csv", &format!("{HEADER}\n{row}"));
    refused(
        "flash-sata",
        &expect![[r#"
        error: no profile can be made from these points

        hint: `--like` needs a point on one device alone (no `fsync`, and in one direction)
    "#]],
    );
}

#[test]
fn a_run_without_points_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let study = HERE.replace("size = \"8M\"", "size = \"8M\"\ndirect = false");
    assert_eq!(bench.finish(bench.run(&study)).code, Some(0));
    let calibrated = |arguments: &str| {
        let mut command = calibrate(&bench, arguments);
        command.arg("--store").arg(bench.store_path());
        command
    };
    refused(
        &bench,
        calibrated("--run latest"),
        &expect![[r#"
            error: run 1 has no cell that can be used as a point

            hint: for instance cell 1 (here randread 4K): it uses the page cache
        "#]],
    );
    let other = bench.write("pair.toml", PAIR);
    let study = PAIR.replace("stack.one", "stack.won");
    let mut command = bench.stored("run --world model");
    command.arg(bench.write("won.toml", &format!("{study}{BRIEF}")));
    assert_eq!(bench.finish(command).code, Some(0));
    let arguments = format!("{} --run 2", other.display());
    refused(
        &bench,
        calibrated(&arguments),
        &expect![[r#"
            error: failed to calibrate from run 2 (its cells count as lines): line 1: the study has no stack `won`; it has `one`, `pair`

            hint: the stack of each point must be the name of a stack in the study
        "#]],
    );
    refused(
        &bench,
        calibrated("--run 7"),
        &expect![[r#"
        error: no run 7 in `[BENCH]/store/runs.db`

        hint: `stripewise runs --store [BENCH]/store/runs.db` shows the runs
    "#]],
    );
}
