//! A command refuses input that it cannot use, by name, and never ignores it silently.
//!
//! The failure: `predict ... :depth=32 --depth 4` answered for depth 32. A bitmap for an array that
//! keeps none, a kernel that never existed and a mistyped profile were accepted. A run whose budget
//! ended before most cells had a sample was `done`, with exit code 0. And a report that did not fit
//! on the disk left a file with a strange name.

use std::path::Path;
use std::process::{Command, Stdio};

use stripewise_results::RunState;

use crate::support::{Bench, Done, LONG, QUICK, at, entries, has_program, is_root, skip, with};

/// A study of four cells for the model.
const PAIR: &str = r#"
[stack.one]
devices = { "sata-ssd" = 1 }
[stack.two]
devices = { "sata-ssd" = 2 }
array = { level = "raid1" }
[workload]
pattern = ["randread", "randwrite"]
block_size = "4K"
size = "1G"
[repeat]
sample = "100ms"
"#;

/// Runs `stripewise` with these words.
fn answer(bench: &Bench, words: &str) -> Done {
    bench.finish(with(bench.command(), words.split_whitespace()))
}

/// Asserts that a command is refused, and that its error holds these words.
fn refused(done: &Done, words: &[&str]) {
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert_eq!(done.stdout, "", "{}", done.transcript());
    for word in words {
        assert!(done.stderr.contains(word), "{word}: {}", done.transcript());
    }
}

#[test]
fn a_prediction_refuses_options_that_it_cannot_use() {
    let Some(bench) = Bench::new() else { return };
    let predict = "predict --device sata-ssd --kernel 6.12";
    for (options, words) in [
        (
            "--workload randread:4K:depth=32 --depth 4",
            ["`--depth 4`", "randread:4K:depth=32"],
        ),
        (
            "--workload randread:4K:jobs=2 --jobs 2",
            ["`--jobs 2`", "both set `jobs`"],
        ),
        (
            "--workload randread:4K:size=1G --size 2G",
            ["`--size 2G`", "both set `size`"],
        ),
        (
            "--workload randwrite:4K:fsync=1 --fsync 8",
            ["`--fsync 8`", "both set `fsync`"],
        ),
        (
            "--workload randread:4K --bitmap internal",
            ["`--bitmap internal`", "`--array none` keeps"],
        ),
        (
            "--workload read:4K --array raid0:4 --bitmap internal",
            ["`--bitmap internal`", "raid0:4"],
        ),
        (
            "--workload read:4K --array raid5:4 --bitmap maybe",
            ["--bitmap", "expected `internal`, `none`, or its chunk"],
        ),
        (
            "--workload read:4K --array raid5:4 --bitmap 3M",
            ["power of two", "3M"],
        ),
        (
            "--workload read:4K --array raid5:4 --count 3",
            ["`--count 3`", "`--array raid5:4`"],
        ),
        (
            "--workload read:4K --count 3",
            ["`--count 3`", "one device"],
        ),
        (
            "--workload read:4K --array raid5:99999",
            ["`99999`", "number of devices"],
        ),
        (
            "--workload read:4K --array raid5:8192",
            ["has no number of devices", "`8192` is read as the chunk"],
        ),
        (
            "--workload read:4K --array raid5 --count 4096",
            ["1920 members", "4096"],
        ),
        (
            "--workload read:4K --failed 0",
            ["`--failed 0`", "needs an array"],
        ),
        (
            "--workload read:4K --array raid6:6 --failed 1,1",
            ["--failed", "member 1 is named twice"],
        ),
    ] {
        refused(&answer(&bench, &format!("{predict} {options}")), &words);
    }
    let unknown = answer(&bench, "predict --device sata-sdd --workload read:4K");
    refused(
        &unknown,
        &["no device profile `sata-sdd`", "did you mean `sata-ssd`?"],
    );
}

#[test]
fn an_option_applies_to_workloads_and_arrays_without_their_own_value() {
    let Some(bench) = Bench::new() else { return };
    let words = "predict --device sata-ssd --kernel 6.12 --json --workload randread:4K:depth=4 --workload randwrite:4K --depth 2 --array raid0:3 --array raid1 --count 2 --bitmap internal";
    let document = bench.json(with(bench.command(), words.split_whitespace()));
    let depth = |cell: usize| &document["cells"][cell]["workload"]["depth"];
    assert_eq!((depth(0), depth(1)), (&4.into(), &2.into()));
    let count = |cell: usize| &document["cells"][cell]["stack"]["devices"][0]["count"];
    assert_eq!((count(0), count(2)), (&3.into(), &2.into()));
}

#[test]
fn a_kernel_that_never_existed_is_refused_and_a_newer_one_is_named_with_its_rules() {
    let Some(bench) = Bench::new() else { return };
    let predict = "predict --device sata-ssd --workload read:1M --kernel";
    for (version, words) in [
        ("2.4.37", "before 2.6"),
        ("4.25", "after 4.20 came 5.0"),
        ("six", "expected a version"),
    ] {
        refused(&answer(&bench, &format!("{predict} {version}")), &[words]);
    }
    let study = bench.write("old.toml", &format!("kernel = \"5.30\"\n{PAIR}"));
    let done = bench.finish(with(bench.command(), [Path::new("study"), &study]));
    refused(&done, &["there is no Linux 5.30", "no such kernel"]);
    let predict = format!("{predict} 7.99");
    let done = answer(&bench, &predict);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let text = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "kernel rules 7.2, the newest known, for 7.99";
    assert!(text.contains(said), "{}", done.transcript());
    let json = format!("{predict} --json");
    let json = bench.json(with(bench.command(), json.split_whitespace()));
    let kernels = (&json["kernel"], &json["kernel_rules"]);
    assert_eq!(kernels, (&"7.99".into(), &"7.2".into()));
}

#[test]
fn a_study_with_an_unknown_profile_is_refused_in_every_search_path() {
    let Some(bench) = Bench::new() else { return };
    let check = |path: &Path, more: &[&str]| {
        let mut command = with(bench.command(), [Path::new("study"), path]);
        command.args(more);
        bench.finish(command)
    };
    let typo = bench.write(
        "typo.toml",
        &PAIR.replace("\"sata-ssd\" = 2", "\"my-disk\" = 2"),
    );
    refused(
        &check(&typo, &[]),
        &[
            "stack `two`",
            "no device profile `my-disk`",
            "known profiles",
        ],
    );
    let host = bench.write("host.toml", &format!("host = \"defualt\"\n{PAIR}"));
    refused(
        &check(&host, &[]),
        &["no host profile `defualt`", "did you mean `default`?"],
    );
    refused(
        &check(&typo, &["--profiles", "/nowhere"]),
        &["`/nowhere` is not a directory"],
    );
    let text = include_str!("../../../../devices/sata-ssd.toml");
    let text = text.replacen("\"sata-ssd\"", "\"my-disk\"", 1);
    std::fs::create_dir_all(bench.path("mine/devices")).unwrap();
    bench.write("mine/devices/my-disk.toml", &text);
    let mine = bench.path("mine");
    let done = check(&typo, &["--profiles", mine.to_str().unwrap()]);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    std::fs::rename(mine.join("devices"), bench.path("devices")).unwrap();
    assert_eq!(check(&typo, &[]).code, Some(0));
    // A profile under `[may_destroy]` needs no profile file; a mistyped name is an error.
    let given = format!("may_destroy = {{ \"a-disk\" = [\"/dev/loop7\"] }}\n{PAIR}");
    let named = given.replace("\"sata-ssd\" = 1", "\"a-disk\" = 1");
    assert_eq!(check(&bench.write("named.toml", &named), &[]).code, Some(0));
    let idle = given.replace("a-disk", "sata-sdd");
    let idle = check(&bench.write("idle.toml", &idle), &[]);
    refused(
        &idle,
        &[
            "no stack uses the profile `sata-sdd`",
            "did you mean `sata-ssd`?",
        ],
    );
}

#[test]
fn a_path_that_is_not_a_study_file_is_refused_with_a_reason() {
    let Some(bench) = Bench::new() else { return };
    std::fs::create_dir(bench.path("folder")).unwrap();
    std::fs::write(bench.path("binary"), [0xff, 0xfe]).unwrap();
    let pipe = bench.path("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    for (name, words) in [
        ("folder", "it is a directory, not a study"),
        ("pipe", "it is a named pipe"),
        ("binary", "it is not text: byte 0 is not UTF-8"),
        ("nowhere", "there is no such file"),
        ("binary/x", "a part of the path is not a directory"),
    ] {
        for command in ["study", "run", "why"] {
            let done = bench.finish(with(
                bench.command(),
                [Path::new(command), &bench.path(name)],
            ));
            refused(&done, &["failed to read study", words]);
            assert!(!done.stderr.contains("os error"), "{}", done.stderr);
        }
    }
    // The pipe of a shell is read like a file.
    let study = bench.write("pair.toml", PAIR);
    let script = format!("\"$0\" study <(cat '{}')", study.display());
    let program = bench.command().get_program().to_owned();
    let mut shell = bench.isolate(Command::new("bash"));
    shell.args(["-c", &script]).arg(program);
    let done = bench.finish(shell);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
}

#[test]
fn an_option_without_effect_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let study = bench.write("pair.toml", PAIR);
    let run =
        |text: &str, options: &str| bench.finish(with(bench.run(text), options.split_whitespace()));
    for option in [
        "--profiles .",
        "--kernel 6.1",
        "--cache .",
        "--clock wall",
        "--memory 1G",
        "--disk-size 1G",
        "--yes-destroy x",
    ] {
        let name = option.split(' ').next().unwrap();
        refused(
            &run(QUICK, option),
            &[&format!("`{name}` has no effect with `--world metal`")],
        );
    }
    for option in [
        "--target .",
        "--cache .",
        "--clock wall",
        "--memory 1G",
        "--disk-size 512M",
        "--yes-destroy x",
    ] {
        let name = option.split(' ').next().unwrap();
        let mut command = bench.stored("run --world model");
        command.arg(&study).args(option.split(' '));
        let expected = format!("`{name}` has no effect with `--world model`");
        refused(&bench.finish(command), &[&expected]);
    }
    assert!(!bench.store_path().exists(), "a store was made");
    let mut model = bench.stored("run --world model --seed 1 --kernel 9.9");
    model.arg(&study);
    let done = bench.finish(model);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let heading = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        heading.contains("kernel rules 7.2, the newest known, for 9.9"),
        "{heading}"
    );
    let stored = |words: &str| bench.finish(bench.stored(words));
    refused(
        &stored("compare 1 1"),
        &["run 1 cannot be compared with itself"],
    );
    refused(&stored("restore --forget 9"), &["run 9"]);
    refused(
        &stored("resume 1 --cache ."),
        &["`--cache` has no effect here"],
    );
    refused(
        &stored("resume 1 --yes-destroy x"),
        &["`--yes-destroy` has no effect here"],
    );
}

#[test]
fn a_budget_that_is_too_short_reports_the_number_of_empty_cells() {
    let Some(bench) = Bench::new() else { return };
    let text = QUICK.replace("\"4K\"", "[\"4K\", \"8K\", \"16K\", \"32K\"]");
    // Eight warm-ups and some samples, but not one of each cell: the budget lies between the time
    // of one block and of two. Steps of a half hit it on machines of any speed; on one whose speed
    // changes meanwhile, because of other tests, they can miss it a few times.
    let ask = |budget: &str| with(bench.run(&text), ["--budget", budget, "--quiet"]);
    let once = std::iter::successors(Some(100_u32), |ms| Some(ms * 3 / 2));
    let once = once.take_while(|ms| *ms < 20_000);
    let done = (0..6)
        .flat_map(|_| once.clone())
        .map(|ms| bench.finish(ask(&format!("{ms}ms"))))
        .find(|done| done.stderr.contains(" of 8 cells had a sample"))
        .expect("a budget that leaves cells empty");
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    assert!(done.stdout.contains(" no sample"), "{}", done.transcript());
    assert!(
        done.stderr.contains(" --budget ") && !done.stderr.contains("TIME"),
        "{}",
        done.transcript()
    );
    let run = bench.store().latest_run().unwrap().unwrap();
    let listed = bench.store().listed_run(run).unwrap();
    assert_eq!(listed.summary.state, RunState::Done);
    assert!((1..8).contains(&listed.cells_without_samples), "{listed:?}");
    let list = bench.finish(bench.stored("list")).stdout;
    assert!(list.contains(" empty)"), "{list}");
    let shown = bench.json(bench.stored("show latest --json"));
    let warnings = shown["warnings"].as_array().unwrap();
    let ended = warnings
        .iter()
        .find(|warning| warning["kind"] == "budget_ended")
        .unwrap();
    assert_eq!(ended["cells_empty"], listed.cells_without_samples);
    let more = bench.json(bench.stored("resume latest --budget 10m --json"));
    let warnings = more["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .all(|warning| warning["kind"] != "budget_ended"),
        "{warnings:?}"
    );
}

#[test]
fn a_finished_run_that_is_resumed_stays_as_it_is() {
    let Some(bench) = Bench::new() else { return };
    // Ten seconds and more, however fast the machine is.
    let study = LONG.replace("= 100", "= 1000");
    let short = with(bench.run(&study), ["--budget", "1s", "--quiet"]);
    let first = bench.finish(short);
    assert_eq!(first.code, Some(0), "{}", first.transcript());
    let before = bench.stored_run(1);
    let took = bench.store().listed_run(before.summary.id).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let again = bench.finish(bench.stored("resume 1"));
    assert_eq!(again.code, Some(0), "{}", again.transcript());
    assert!(
        again
            .stderr
            .contains("is already done: nothing was measured")
    );
    assert_eq!(bench.stored_run(1), before);
    // With more time it continues, and the pause does not count as execution time.
    let more = bench.finish(bench.stored("resume 1 --budget 2s --quiet"));
    assert_eq!(more.code, Some(0), "{}", more.transcript());
    let after = bench.store().listed_run(before.summary.id).unwrap();
    assert!(after.summary.samples.all > took.summary.samples.all);
    let wall = after.summary.ended_unix_ns.unwrap() - after.summary.started_unix_ns;
    assert!(
        after.executed_ns.unwrap() + 1_000_000_000 < wall,
        "{after:?}"
    );
    let document = bench.json(bench.stored("show 1 --json"));
    assert_eq!(
        at(&document, "/run/executed_ns"),
        after.executed_ns.unwrap()
    );
}

#[test]
fn a_report_that_cannot_be_written_leaves_nothing_behind() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let folder = bench.path("reports");
    std::fs::create_dir(&folder).unwrap();
    let program = bench.command().get_program().to_owned();
    let mut shell = bench.isolate(Command::new("bash"));
    shell
        .args([
            "-c",
            "ulimit -f 60; exec \"$0\" report --output r.html --store \"$1\"",
        ])
        .arg(&program)
        .arg(bench.store_path())
        .current_dir(&folder);
    let done = bench.finish(shell);
    refused(&done, &["failed to write `r.html`: File too large"]);
    assert_eq!(entries(&folder), Vec::<std::path::PathBuf>::new());
    if !has_program("unshare") || !is_root() {
        skip("a report on a full disk", "only root can mount one");
        return;
    }
    let script = "mount -t tmpfs -o size=64k none . && cd \"$PWD\" && \"$0\" report --output r.html --store \"$1\"; code=$?; ls -A; exit $code";
    let mut full = bench.isolate(Command::new("unshare"));
    full.args(["--mount", "bash", "-c", script])
        .arg(&program)
        .arg(bench.store_path())
        .current_dir(&folder)
        .stdin(Stdio::null());
    let done = bench.finish(full);
    refused(&done, &["No space left on device"]);
}

#[test]
fn no_file_name_forges_a_line_of_output() {
    let Some(bench) = Bench::new() else { return };
    let study = bench.write("pair.toml", PAIR);
    let study = study.to_str().unwrap();
    let name = "a\nerror: forged\n`\nhint: b";
    let there = bench.write(name, "bad,\npoints,\n");
    let there = there.to_str().unwrap();
    for arguments in [
        vec!["study", name],
        vec!["study", there],
        vec!["run", name],
        vec!["run", study, "--target", there],
        vec!["why", name],
        vec!["import", "fio", name],
        vec!["import", "export", there],
        vec!["list", "--store", name],
        vec!["list", "--store", there],
        vec!["verify-model", "--golden", there],
        vec!["calibrate", "--out", "x", "--points", there, study],
        vec!["predict", "--device", name, "--workload", "read:4K"],
        vec!["study", study, "--profiles", name],
    ] {
        let done = bench.finish(with(bench.command(), &arguments));
        assert_ne!(done.code, Some(0), "{arguments:?}: {}", done.transcript());
        let forged = |line: &str| line.starts_with("error: forged") || line.starts_with("hint: b");
        assert!(
            !done.stderr.lines().any(forged),
            "{arguments:?}: {}",
            done.transcript()
        );
        assert!(
            !done.stdout.lines().any(forged),
            "{arguments:?}: {}",
            done.transcript()
        );
    }
}
