//! The model world on the command line: predictions that can be pasted into a ticket, and refusals
//! with a remedy.
//!
//! The failure: a web calculator said that four disks read four times as fast as one. It ignored
//! chunk, kernel and mirrors, and explained nothing. Here the same question gives the same answer,
//! bit for bit, with its reasons.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect, expect_file};
use serde_json::Value;
use stripewise_profiles::shipped;
use stripewise_results::RunState;

use crate::support::{Bench, at, number, send, until};

/// A study of two stacks and two block sizes on the profiles of the tests.
const STUDY: &str = r#"
question = "Which chunk?"
kernel = "4.1"
host = "test-host"
[stack.chunk32]
devices = { test-ssd = 4 }
array = { level = "raid10", chunk = "32K" }
[stack.chunk512]
devices = { test-ssd = 4 }
array = { level = "raid10", chunk = "512K" }
[workload]
pattern = "randread"
block_size = ["4K", "64K"]
size = "1G"
[compare]
baseline = { stack = "chunk512" }
"#;

fn profiles() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profiles")
}

/// A question that has an answer, without the array and the load.
fn predict(bench: &Bench) -> Command {
    let mut command = bench.command();
    command.args(["predict", "--device", "test-ssd", "--host", "test-host"]);
    command.args(["--kernel", "4.1", "--profiles"]);
    command.arg(profiles());
    command
}

fn why(bench: &Bench, study: &str, arguments: &[&str]) -> Command {
    let study = bench.write("study.toml", study);
    let mut command = bench.command();
    command.arg("why").arg(study).args(arguments);
    command.arg("--profiles").arg(profiles());
    command
}

fn run_model(bench: &Bench, study: &str) -> Command {
    let study = bench.write("study.toml", study);
    let mut command = bench.command();
    command.arg("run").arg(study).args(["--world", "model"]);
    command.arg("--store").arg(bench.store_path());
    command
}

#[track_caller]
fn refused(bench: &Bench, command: Command, expected: &Expect) {
    let here = profiles().display().to_string();
    let said = bench.finish(command).refusal();
    expected.assert_eq(&said.replace(&here, "[PROFILES]"));
}

#[test]
fn a_prediction_can_be_pasted_into_a_ticket() {
    let Some(bench) = Bench::new() else { return };
    let mut command = predict(&bench);
    command.args(["--array", "raid10:n2:4:32K", "--workload", "randread:64K"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    expect_file!["../golden/predict.txt"].assert_eq(&done.stdout);
}

#[test]
fn predictions_are_shown_in_german() {
    let Some(bench) = Bench::new() else { return };
    let german = |mut command: Command| {
        command.args(["--language", "de"]);
        let done = bench.finish(command);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        done.stdout
    };
    let mut command = predict(&bench);
    command.args(["--array", "raid10:n2:4:32K", "--workload", "randread:64K"]);
    expect_file!["../golden/predict-de.txt"].assert_eq(&german(command));
    let mut command = predict(&bench);
    command.args(["--array", "raid5:4:64K"]);
    command.args(["--workload", "randwrite:4K:fsync=1"]);
    command.args(["--failed", "1", "--rebuild", "--plain"]);
    expect_file!["../golden/predict-de-plain.txt"].assert_eq(&german(command));
    let mut command = predict(&bench);
    command.args(["--array", "raid10:4", "--array", "none"]);
    command.args(["--workload", "randread:4K:depth=16"]);
    command.args(["--workload", "write:64K:jobs=2"]);
    expect_file!["../golden/predict-de-table.txt"].assert_eq(&german(command));
    let cell = ["--cell", "stack=chunk32,block_size=64k"];
    expect_file!["../golden/why-de.txt"].assert_eq(&german(why(&bench, STUDY, &cell)));
}

#[test]
fn several_questions_make_a_table() {
    let Some(bench) = Bench::new() else { return };
    let mut command = predict(&bench);
    command.args(["--count", "4", "--array", "raid10", "--array", "raid0:64K"]);
    command.args(["--array", "none", "--workload", "randread:4K:depth=16"]);
    command.args(["--workload", "randwrite:64K:jobs=2"]);
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    expect_file!["../golden/predict-table.txt"].assert_eq(&done.stdout);
}

#[test]
fn a_rebuild_is_reported_with_its_rate() {
    let Some(bench) = Bench::new() else { return };
    let mut command = predict(&bench);
    command.args(["--array", "raid1:2", "--workload", "randread:4K"]);
    command.args(["--failed", "0", "--rebuild", "--json"]);
    let document = bench.json(command);
    let rate = document["cells"][0]["breakdown"]["rebuild_bytes_per_s"].as_f64();
    assert!(
        rate.is_some_and(|rate| (1e6..1e9).contains(&rate)),
        "{rate:?}"
    );
}

#[test]
fn a_prediction_for_programs_has_every_number_and_is_the_same_each_time() {
    let Some(bench) = Bench::new() else { return };
    let ask = || {
        let mut command = predict(&bench);
        command.args(["--array", "raid10:4:32K", "--workload", "randread:64K"]);
        command.arg("--json");
        bench.json(command)
    };
    let document = ask();
    assert_eq!(document, ask());
    let text = serde_json::to_string_pretty(&document).unwrap();
    expect_file!["../golden/predict.json"].assert_eq(&(text + "\n"));
    let cell = &document["cells"][0];
    let parts = cell["breakdown"]["mean"].as_array().unwrap();
    let sum: f64 = parts
        .iter()
        .map(|part| part["time_ns"].as_f64().unwrap())
        .sum();
    let mean = cell["estimates"]["latency_ns_mean"]["value"]
        .as_f64()
        .unwrap();
    assert!((sum / mean - 1.0).abs() < 0.01, "{sum} of {mean}");
}

#[test]
fn an_explanation_names_the_rule_and_the_changes() {
    let Some(bench) = Bench::new() else { return };
    let cell = ["--cell", "stack=chunk32,block_size=64k"];
    let done = bench.finish(why(&bench, STUDY, &cell));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    expect_file!["../golden/why.txt"].assert_eq(&done.stdout);
    let mut command = why(&bench, STUDY, &["--cell", "2"]);
    command.arg("--json");
    let document = bench.json(command);
    let text = serde_json::to_string_pretty(&document).unwrap();
    expect_file!["../golden/why.json"].assert_eq(&(text + "\n"));
    assert_eq!(
        document["cells"][0]["findings"][0]["finding"],
        "reads_favour"
    );
}

#[test]
fn a_study_runs_in_the_model_and_is_shown_with_its_basis() {
    let Some(bench) = Bench::new() else { return };
    let mut command = run_model(&bench, STUDY);
    command.args(["--seed", "7", "--profiles"]);
    command.arg(profiles());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(done.stderr, "");
    for words in ["world model", "kernel rules 4.1", "host profile test-host"] {
        assert!(done.stdout.contains(words), "{words}: {}", done.stdout);
    }
    let document = bench.json(bench.stored("show latest --json"));
    assert_eq!(at(&document, "/run/model/kernel"), "4.1");
    let cells = document["cells"].as_array().unwrap();
    for cell in cells {
        let samples = cell["samples"].as_array().unwrap();
        assert!(samples.len() >= 6);
        assert!(samples.iter().all(|sample| sample["role"] == "counted"));
        assert!(!cell["breakdown"]["mean"].as_array().unwrap().is_empty());
    }
    bench.assert_clean();
}

/// Runs the study of these tests, and returns what it measured.
fn simulated(bench: &Bench, cache: &Path, arguments: &[&str]) -> Value {
    let mut command = run_model(bench, STUDY);
    command.args(arguments).arg("--json").arg("--profiles");
    command.arg(profiles()).env("XDG_CACHE_HOME", cache);
    let mut document = bench.json(command);
    document["cells"].take()
}

fn files(cache: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(cache.join("stripewise/simulated"));
    let entries = entries.into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_run_keeps_its_simulations_for_later_ones_and_a_prediction_keeps_none() {
    let Some(bench) = Bench::new() else { return };
    let cache = bench.path("cache");
    let cold = simulated(&bench, &cache, &["--no-cache"]);
    assert!(files(&cache).is_empty());
    let mut asked = predict(&bench);
    asked.args(["--workload", "randread:4K"]);
    asked.env("XDG_CACHE_HOME", &cache);
    assert_eq!(bench.finish(asked).code, Some(0));
    assert!(!cache.exists(), "`predict` writes nothing");

    assert_eq!(simulated(&bench, &cache, &[]), cold);
    let kept = files(&cache);
    let samples = |cell: &Value| cell["samples"].as_array().unwrap().len();
    let all: usize = cold.as_array().unwrap().iter().map(samples).sum();
    assert_eq!(kept.len(), all, "each simulation once");
    // What is found there is read, and a damaged file is simulated and written anew.
    let written = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let before: Vec<_> = kept.iter().map(written).collect();
    let mut damaged = std::fs::read(&kept[0]).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(&kept[0], &damaged).unwrap();
    assert_eq!(simulated(&bench, &cache, &[]), cold);
    assert_ne!(std::fs::read(&kept[0]).unwrap(), damaged);
    let after: Vec<_> = kept.iter().map(written).collect();
    assert_eq!(before[1..], after[1..], "the others were found");
    assert_eq!(files(&cache).len(), all);

    // Where nothing can be kept, the run goes on and says so.
    let file = bench.write("file", "");
    let mut command = run_model(&bench, STUDY);
    command.arg("--profiles").arg(profiles());
    let said = bench.finish({
        command.env("XDG_CACHE_HOME", file);
        command
    });
    assert_eq!(said.code, Some(0));
    assert!(said.stderr.contains("not kept"), "{}", said.stderr);
}

#[test]
fn a_run_of_the_model_can_be_repeated_although_its_profiles_are_gone() {
    let Some(bench) = Bench::new() else { return };
    std::fs::create_dir(bench.path("devices")).unwrap();
    std::fs::create_dir(bench.path("hosts")).unwrap();
    for file in ["devices/test-ssd.toml", "hosts/test-host.toml"] {
        std::fs::copy(profiles().join(file), bench.path(file)).unwrap();
    }
    // Enough cells that it does not end before it is killed.
    let depths: Vec<String> = (1..=200).map(|depth| depth.to_string()).collect();
    let load = format!(
        "engine = \"libaio\"\ndepth = [{}]\n[compare]",
        depths.join(", ")
    );
    let endless = STUDY.replace("[compare]", &load);
    let child = bench.start(run_model(&bench, &endless));
    until("the first samples", || {
        bench.store_path().exists().then_some(())?;
        let store = stripewise_results::Store::open_existing(&bench.store_path()).ok()?;
        let id = store.latest_run().ok()??;
        (!store.run(id).ok()?.samples.is_empty()).then_some(())
    });
    send(number(&child), rustix::process::Signal::KILL);
    bench.wait(child);
    let killed = bench.stored_run(1);
    assert_eq!(killed.summary.state, RunState::Interrupted);
    std::fs::remove_dir_all(bench.path("devices")).unwrap();
    std::fs::remove_dir_all(bench.path("hosts")).unwrap();
    // The budget leaves cells without a sample.
    let done = bench.finish(bench.stored("resume 1 --budget 1ms"));
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    let resumed = bench.stored_run(1);
    assert!(resumed.samples.len() >= killed.samples.len());
    assert_eq!(resumed.samples[..killed.samples.len()], killed.samples[..]);
    assert_eq!(resumed.summary.state, RunState::Done);
}

#[test]
fn every_shipped_profile_is_built_in_and_reads_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (folder, shipped) in [("devices", shipped::DEVICES), ("hosts", shipped::HOSTS)] {
        let mut files: Vec<String> = std::fs::read_dir(root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        let names: Vec<&str> = shipped.iter().map(|shipped| shipped.name).collect();
        assert_eq!(
            names, files,
            "crates/profiles/src/shipped.rs lists {folder}/"
        );
    }
    let Some(bench) = Bench::new() else { return };
    for device in shipped::DEVICES {
        let mut command = bench.command();
        command.args(["predict", "--device", device.name, "--json"]);
        command.args(["--workload", "randread:4K"]);
        let document = bench.json(command);
        let value = &document["cells"][0]["estimates"]["iops"]["value"];
        assert!(value.as_f64().unwrap() > 1.0, "{}", device.name);
    }
}

#[test]
fn missing_and_invalid_profiles_are_refused() {
    let Some(bench) = Bench::new() else { return };
    let ask = |device: &str, places: Option<&Path>| {
        let mut command = bench.command();
        command.args(["predict", "--device", device, "--workload", "randread:4K"]);
        if let Some(places) = places {
            command.arg("--profiles").arg(places);
        }
        command
    };
    // The crate `profiles` tests the mistakes in profiles.
    refused(
        &bench,
        ask("test-ssd", Some(&bench.path("nowhere"))),
        &expect![[r#"
            error: failed to use `--profiles`: `[BENCH]/nowhere` is not a directory

            hint: name the directory that holds `devices/NAME.toml` and `hosts/NAME.toml`
        "#]],
    );
    let good = std::fs::read_to_string(profiles().join("devices/test-ssd.toml")).unwrap();
    bench.write("broken.toml", &good.replace("servers = 8", "servers = 0"));
    refused(
        &bench,
        ask("broken", Some(&bench.path(""))),
        &expect![[r#"
        error: failed to read device profile `broken`: [BENCH]/broken.toml:18:11: `calibrated.read.servers` must be 1 to 1024, not 0

        hint: docs/profiles.md describes every key
    "#]],
    );
    // A broken profile that is not used does no harm.
    let done = bench.finish(ask("sata-ssd", Some(&bench.path(""))));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

#[test]
fn impossible_arrays_and_loads_are_refused() {
    let Some(bench) = Bench::new() else { return };
    let ask = |arguments: &[&str]| {
        let mut command = predict(&bench);
        command.args(arguments);
        command
    };
    refused(
        &bench,
        ask(&["--array", "raid7:4", "--workload", "randread:4K"]),
        &expect![[r#"
            error: invalid value 'raid7:4' for '--array <ARRAY>': `raid7` is not a level; levels are none, linear, raid0, raid1, raid4, raid5, raid6, raid10

            For more information, try '--help'.
        "#]],
    );
    refused(
        &bench,
        ask(&["--array", "raid10", "--workload", "randread:4K"]),
        &expect![[r#"
            error: `--array raid10` has no number of devices

            hint: write `--array raid10:4`
        "#]],
    );
    refused(
        &bench,
        ask(&["--array", "raid10:x2:4", "--workload", "randread:4K"]),
        &expect![[r#"
            error: raid10 has no layout `x2`
              ╭▸ your question as a study:5:38
              │
            5 │ array = { level = "raid10", layout = "x2" }
              │                                      ━━━━ no such layout here
              │
              ╰ help: raid10 has `n`, `f` or `o` and a number of copies: `n2`, `f2`, `o2`, `n3`

            error: study `your question as a study` has 1 mistake
        "#]],
    );
    refused(
        &bench,
        ask(&["--workload", "randread:4K", "--size", "600G"]),
        &expect![[r#"
            error: the files need 600G, but stack `test-ssd` holds only 488386584K

            hint: lower `size` or `jobs`, or raise `capacity_bytes` in the device profile
        "#]],
    );
    refused(
        &bench,
        ask(&["--workload", "randread:4K", "--governor", "turbo"]),
        &expect![[r#"
            error: host profile `test-host` has no governor `turbo`; it has `performance`, `powersave`

            hint: add a `[governor.NAME]` table to the host profile, or choose one that it has
        "#]],
    );
    refused(
        &bench,
        ask(&[
            "--array",
            "raid1:2",
            "--workload",
            "randread:4K",
            "--failed",
            "2",
        ]),
        &expect![[r#"
            error: --failed: no member 2: the array has 2, numbered from 0

            hint: the numbers are those of `mdadm --detail`
        "#]],
    );
    let lost = [
        "--array",
        "raid0:2",
        "--workload",
        "randread:4K",
        "--failed",
        "0",
    ];
    refused(
        &bench,
        ask(&lost),
        &expect![[r#"
        error: --failed: raid0 does not survive the loss of 1

        hint: with 2 members it survives the loss of 0
    "#]],
    );
    refused(
        &bench,
        ask(&["--workload", "nothing"]),
        &expect![[r#"
            error: invalid value 'nothing' for '--workload <LOAD>': expected PATTERN:BLOCK, such as `randread:64K`, or a shipped workload (`stripewise workloads`)

            For more information, try '--help'.
        "#]],
    );
}

#[test]
fn a_selector_without_exactly_one_cell_is_refused() {
    let Some(bench) = Bench::new() else { return };
    for (selector, expected) in [
        (
            "stack=chunk32",
            expect![[r#"
                error: --cell: 2 cells match `stack=chunk32`

                hint: name one:
                  --cell 1  chunk32, block size 4K
                  --cell 2  chunk32, block size 64K
            "#]],
        ),
        (
            "stack=chunk64",
            expect![[r#"
            error: --cell: no cell matches `stack=chunk64`

            hint: cells differ in stack (chunk32, chunk512), block_size (4K, 64K)
        "#]],
        ),
        (
            "chunk=32K",
            expect![[r#"
            error: --cell: `chunk` is not a key of a cell

            hint: cells differ in stack (chunk32, chunk512), block_size (4K, 64K)
        "#]],
        ),
        (
            "chunk32",
            expect![[r#"
            error: --cell: `chunk32` is neither a number nor KEY=VALUE

            hint: for example `--cell 3` or `--cell stack=chunk32,block_size=64K`
        "#]],
        ),
        (
            "5",
            expect![[r#"
            error: --cell: there is no cell 5; the study has 4

            hint: `stripewise study` shows their numbers
        "#]],
        ),
    ] {
        refused(&bench, why(&bench, STUDY, &["--cell", selector]), &expected);
    }
    refused(
        &bench,
        why(&bench, STUDY, &[]),
        &expect![[r#"
            error: the study has 4 cells; choose one with `--cell`

            hint: name one:
              --cell 1  chunk32, block size 4K
              --cell 2  chunk32, block size 64K
              --cell 3  chunk512, block size 4K
              --cell 4  chunk512, block size 64K
        "#]],
    );
    let here = "[stack.here]\nfilesystem = \"existing\"\n[workload]\npattern = \"read\"\nblock_size = \"4K\"\nsize = \"1M\"\n";
    refused(
        &bench,
        why(&bench, here, &[]),
        &expect![[r#"
            error: stack `here` names no devices, so there is nothing to simulate

            hint: name them: `devices = { "PROFILE" = 4 }`, or `--device` and `--array` beside a job file of fio; `--world metal` measures this machine's disks
        "#]],
    );
    refused(
        &bench,
        run_model(&bench, here),
        &expect![[r#"
            error: stack `here` names no devices, so there is nothing to simulate

            hint: name them: `devices = { "PROFILE" = 4 }`, or `--device` and `--array` beside a job file of fio; `--world metal` measures this machine's disks
        "#]],
    );
}

#[test]
fn the_plan_names_the_worlds_that_can_run_it() {
    let Some(bench) = Bench::new() else { return };
    let study = bench.write("study.toml", STUDY);
    let mut command = bench.command();
    command
        .arg("study")
        .arg(study)
        .arg("--profiles")
        .arg(profiles());
    command.arg("--json");
    let document: Value = bench.json(command);
    assert_eq!(document["model_obstacle"], Value::Null);
    assert!(
        document["obstacle"]
            .as_str()
            .unwrap()
            .contains("names devices")
    );
}
