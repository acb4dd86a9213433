//! People and programs rely on the output of commands.
//!
//! The failure: a script that watched for regressions read `bw`, which one release wrote in KiB and
//! the next in bytes. Nothing failed, and a loss of 30 % went unnoticed. And the help described an
//! option that had been removed.
//!
//! Here the JSON document is checked key by key, and the verdicts are tested with a fake fio of
//! known speed, equal or slower. `src/args_tests.rs` checks the help.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;
use stripewise_results::RunState;

use crate::support::{Bench, QUICK, at, entries, has_program, repository, skip_unless_all, with};

/// Two stacks on the same filesystem, with a workload that syncs.
const TWICE: &str = r#"
question = "Is a thing equal to itself?"
[stack.one]
filesystem = "existing"
[stack.two]
filesystem = "existing"
[workload]
pattern = ["randread", "randrw"]
block_size = "4K"
size = "1M"
direct = false
fsync = 8
[repeat]
sample = "50ms"
at_least = 6
at_most = 6
"#;

/// Runs a command without store and target that must succeed and say nothing on stderr.
fn printed(bench: &Bench, arguments: &str) -> String {
    let command = with(bench.command(), arguments.split_ascii_whitespace());
    let done = bench.finish(command);
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (Some(0), ""),
        "{}",
        done.transcript()
    );
    done.stdout
}

#[test]
fn a_study_is_explained_without_touching_anything() {
    let Some(bench) = Bench::new() else { return };
    for name in ["block-size", "chunk-size"] {
        let path = repository().join(format!("crates/format/tests/studies/{name}.toml"));
        let path = path.to_str().unwrap();
        let mut command = with(bench.command(), ["study", path]);
        command.current_dir(bench.target());
        let done = bench.finish(command);
        expect_file![format!("../golden/study-{name}.txt")].assert_eq(&done.transcript());
        let mut command = with(bench.command(), ["study", path, "--json"]);
        command.current_dir(bench.target());
        let document = bench.json(command);
        assert_eq!(at(&document, "/schema"), 1);
        let cells = at(&document, "/cells").as_array().unwrap().len();
        assert_eq!(cells, if name == "block-size" { 12 } else { 48 });
    }
    // A study may come through a pipe, too.
    let study = bench.write("piped.toml", QUICK);
    let mut command = with(bench.command(), ["study", "-"]);
    command.stdin(std::fs::File::open(study).unwrap());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert!(done.stdout.starts_with("Is it quick?\n"));
    assert!(!bench.store_path().exists() && !bench.path("home/data").exists());
    bench.assert_clean();
}

/// `study` once said yes to whatever some machine could measure, and `run` then refused it here.
#[test]
fn study_and_run_give_the_same_answer_about_this_machine() {
    let Some(bench) = Bench::new() else { return };
    let target = bench.target();
    let here = target.to_str().unwrap();
    let in_state = format!("{QUICK}[conditions]\nstate = \"steady\"\n");
    let missing = bench.path("nowhere");
    let cases = [
        ("here", QUICK.to_owned(), None),
        ("there", QUICK.to_owned(), Some(here)),
        ("missing", QUICK.to_owned(), missing.to_str()),
        ("large", QUICK.replace("\"1M\"", "\"100T\""), Some(here)),
        ("memory", QUICK.to_owned(), Some("/proc")),
        ("state", in_state, Some(here)),
    ];
    for (name, study, target) in cases {
        let path = bench.write(&format!("{name}.toml"), &study);
        let path = path.to_str().unwrap();
        let asked = |command: &str, more: &[&str]| {
            let mut command = with(bench.command(), [command, path]);
            command.args(more).current_dir(here);
            command.args(target.iter().flat_map(|target| ["--target", target]));
            bench.finish(command)
        };
        let plan = asked("study", &["--json"]);
        let run = asked("run", &["--store", "../store.db", "--quiet"]);
        let refusal = match plan.code {
            Some(0) => {
                let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
                at(&plan, "/obstacle").as_str().map(str::to_owned)
            }
            _ => Some("has no effect".to_owned()),
        };
        match refusal {
            None => assert_eq!(run.code, Some(0), "{name}: {}", run.transcript()),
            Some(why) => {
                assert_eq!(run.code, Some(2), "{name}: {}", run.transcript());
                // The same words, however a line is broken; what is free changes meanwhile.
                let words = |text: &str| {
                    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    words.replace(|c: char| c.is_ascii_digit(), "")
                };
                let first = words(why.lines().next().unwrap_or_default());
                let said = words(&run.stderr);
                assert!(said.contains(&first), "{name}: {why}\n{said}");
            }
        }
        let is_measured = ["here", "there"].contains(&name);
        assert_eq!(is_measured, run.code == Some(0), "{name}");
    }
    bench.assert_clean();
}

/// Asserts that `estimate` is one: a value within its interval, the level, and how many samples.
fn assert_estimate(estimate: &Value) {
    let number = |key: &str| at(estimate, &format!("/{key}")).as_f64().unwrap();
    assert!(number("low") <= number("value") && number("value") <= number("high"));
    assert!(number("value") > 0.0);
    assert!((number("level") - 0.95).abs() < 1e-9);
    assert!(at(estimate, "/samples").as_u64().unwrap() >= 6);
}

#[test]
fn a_run_is_documented_key_by_key_and_shown_the_same_each_time() {
    let Some(bench) = Bench::new() else { return };
    let mut measure = with(bench.run(TWICE), ["--json", "--seed", "7"]);
    measure.env("TERM", "xterm-256color");
    let document = bench.json(measure);
    bench.assert_clean();
    assert_eq!(at(&document, "/schema"), 1);
    assert_eq!(at(&document, "/run/id"), 1);
    assert_eq!(at(&document, "/run/state"), "done");
    assert_eq!(at(&document, "/run/study"), "study");
    assert_eq!(at(&document, "/run/world"), "metal");
    assert_eq!(
        at(&document, "/run/question"),
        "Is a thing equal to itself?"
    );
    assert_eq!(
        at(&document, "/run/options/target").as_str().unwrap(),
        bench.target().to_str().unwrap()
    );
    assert_eq!(bench.stored_run(1).seed, 7);
    assert_eq!(at(&document, "/facts/tools/fio"), "fio-3.33");
    assert!(at(&document, "/facts/kernel").is_string());
    assert!(at(&document, "/facts/target/filesystem").is_string());
    let cells = at(&document, "/cells").as_array().unwrap();
    assert_eq!(cells.len(), 4);
    for (index, cell) in cells.iter().enumerate() {
        assert_cell(index, cell);
    }
    let within = bench.json(bench.stored("compare 1 --json"));
    assert_eq!(at(&within, "/rows").as_array().unwrap().len(), 2);
    let same = bench.finish(bench.stored("compare 1 --fail-on-regression 1%"));
    assert_eq!(same.code, Some(0), "{}", same.transcript());

    for command in ["show --json", "show 1 --json", "show latest --json"] {
        let shown = bench.json(bench.stored(command));
        assert_eq!(document, shown, "`run` prints the same as `{command}`");
    }
    let counts = bench.finish(bench.stored("show 1 --count"));
    let counts = counts
        .stdout
        .lines()
        .map(|line| line.split_once(' ').unwrap());
    let counts: std::collections::BTreeMap<&str, &str> = counts.collect();
    let count = |key: &str| counts[key].parse::<usize>().unwrap();
    assert_eq!(
        (counts["run"], counts["state"], counts["cells"]),
        ("1", "done", "4")
    );
    assert_eq!(count("samples"), bench.stored_run(1).samples.len());
    assert_eq!(
        count("samples"),
        count("warm_up") + count("counted") + count("distorted")
    );
    let text = || bench.finish(bench.stored("show 1")).stdout;
    assert_eq!(text(), text());
    let csv = bench.finish(bench.stored("show 1 --csv"));
    assert_eq!(csv.code, Some(0), "{}", csv.transcript());
    assert_csv(&csv.stdout, &document);
    let list = bench.json(bench.stored("list --json"));
    assert_eq!(at(&list, "/runs/0/cell_count"), 4);
    assert_eq!(at(&list, "/runs/0/state"), "done");
    assert_a_reader_may_stop(&bench);
}

/// Asserts that a cell of [`TWICE`] has the keys that programs rely on, and equals its twin.
fn assert_cell(index: usize, cell: &Value) {
    assert_eq!(at(cell, "/index"), index);
    assert_eq!(at(cell, "/stack/filesystem"), "existing");
    assert_eq!(at(cell, "/workload/block_size_bytes"), 4096);
    assert_eq!(at(cell, "/workload/jobs"), 1);
    assert_eq!(at(cell, "/workload/depth"), 1);
    assert_eq!(at(cell, "/workload/direct"), false);
    assert_eq!(at(cell, "/workload/engine"), "psync");
    assert!(at(cell, "/conditions").is_object());
    for metric in [
        "bandwidth_bytes_per_s",
        "iops",
        "latency_ns_mean",
        "latency_ns_p50",
        "latency_ns_p99",
    ] {
        assert_estimate(at(cell, &format!("/estimates/{metric}")));
    }
    let pattern = at(cell, "/workload/pattern").as_str().unwrap();
    let sync = cell.pointer("/estimates/sync_latency_ns_p99");
    if pattern == "randread" {
        assert!(sync.is_none(), "reads are not synced");
    } else {
        assert_estimate(sync.unwrap());
    }
    assert_samples(cell);
    let is_other = at(cell, "/stack/name") == "two";
    let verdicts = at(cell, "/verdicts").as_array().unwrap();
    assert_eq!(verdicts.len(), usize::from(is_other));
    for verdict in verdicts {
        assert_eq!(at(verdict, "/baseline"), index - 2);
        assert_eq!(at(verdict, "/metric"), "bandwidth_bytes_per_s");
        assert_eq!(at(verdict, "/paired"), true);
        assert_estimate(at(verdict, "/ratio"));
        let words = at(verdict, "/words").as_str().unwrap();
        let is_none = words.starts_with("no difference") || words.starts_with("cannot tell");
        assert!(is_none, "{words}");
    }
}

/// Asserts that a table of cells agrees with the document.
fn assert_csv(csv: &str, document: &Value) {
    let lines = csv.split_terminator("\r\n");
    let lines: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let (head, cells) = lines.split_first().unwrap();
    assert_eq!(cells.len(), 4, "one line a cell");
    let column = |name: &str| head.iter().position(|key| *key == name).unwrap();
    for (index, cell) in cells.iter().enumerate() {
        assert_eq!(cell.len(), head.len());
        assert_eq!(cell[column("cell")], index.to_string());
        assert_eq!(cell[column("block_size_bytes")], "4096");
        for (name, part) in [
            ("iops", "value"),
            ("iops_low", "low"),
            ("iops_high", "high"),
        ] {
            let pointer = format!("/cells/{index}/estimates/iops/{part}");
            let number: f64 = cell[column(name)].parse().unwrap();
            assert!((number - at(document, &pointer).as_f64().unwrap()).abs() < 1e-6);
        }
    }
}

/// Asserts that a reader that closes the pipe early causes no error.
fn assert_a_reader_may_stop(bench: &Bench) {
    // The document is larger than a pipe holds: something is still to be written when it closes.
    for arguments in ["show 1 --json", "show 1 --csv", "show 1", "list"] {
        let mut child = bench.start(bench.stored(arguments));
        let mut line = String::new();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        drop(stdout);
        let done = bench.wait(child);
        let ended = (done.code, done.stderr.as_str());
        assert_eq!(ended, (Some(0), ""), "{arguments}");
    }
}

/// Asserts that a cell has its samples: one to warm up, then those that count.
fn assert_samples(cell: &Value) {
    let samples = at(cell, "/samples").as_array().unwrap();
    assert_eq!(samples.len(), 7, "a warm-up and six that count");
    for (index, sample) in samples.iter().enumerate() {
        let role = if index == 0 { "warm_up" } else { "counted" };
        assert_eq!(at(sample, "/role"), role);
        assert_eq!(at(sample, "/elapsed_ns"), 50_000_000);
        assert!(at(sample, "/seed").is_u64());
        assert!(at(sample, "/started_unix_ns").is_u64());
        let metric = at(sample, "/metrics/bandwidth_bytes_per_s");
        let bytes = ["/read/bytes", "/write/bytes"].map(|key| at(sample, key).as_f64().unwrap());
        assert!((metric.as_f64().unwrap() / (bytes[0] + bytes[1]) - 20.0).abs() < 1e-6);
    }
    assert_eq!(at(&samples[0], "/counted"), false);
}

/// Measures [`TWICE`] with a fio that is slower by so many percent.
fn measured_slower(bench: &Bench, percent: u32) {
    let mut slower = bench.run(TWICE);
    slower.env("FAKE_FIO_SLOWER", percent.to_string());
    let slower = bench.finish(slower);
    assert_eq!(slower.code, Some(0), "{}", slower.transcript());
}

/// "Cannot tell" is no "not worse": exit code 0 was all that a script saw.
#[test]
fn a_comparison_that_cannot_tell_says_so() {
    let Some(bench) = Bench::new() else { return };
    let few = TWICE.replace("= 6", "= 2");
    for percent in [0, 3] {
        let mut run = bench.run(&few);
        run.env("FAKE_FIO_SLOWER", percent.to_string());
        let run = bench.finish(run);
        assert_eq!(run.code, Some(0), "{}", run.transcript());
    }
    measured_slower(&bench, 0);
    let compared = |arguments: &str| bench.finish(bench.stored(&format!("compare {arguments}")));
    let says = "cannot be told whether";
    for (arguments, expected, is_said) in [
        ("1 2", 0, false),
        ("1 2 --fail-on-regression 1%", 0, true),
        ("1 2 --fail-on-regression 1% --fail-on-unknown", 2, true),
        (
            "1 2 --fail-on-regression 1% --fail-on-unknown --json",
            2,
            true,
        ),
        ("1 2 --fail-on-unknown", 2, false),
    ] {
        let done = compared(arguments);
        let said = done.stderr.contains(says);
        assert_eq!(
            (done.code, said),
            (Some(expected), is_said),
            "{arguments}: {}",
            done.transcript()
        );
    }
    // One run has cells that the other has not.
    let less = TWICE.replace("[stack.two]\nfilesystem = \"existing\"\n", "");
    let less = bench.finish(bench.run(&less));
    assert_eq!(less.code, Some(0), "{}", less.transcript());
    let done = compared("3 4 --fail-on-regression 5% --fail-on-unknown");
    assert_eq!(done.code, Some(2), "{}", done.transcript());
}

#[test]
fn a_regression_between_runs_is_found_and_nothing_else_is() {
    let Some(bench) = Bench::new() else { return };
    for percent in [0, 30, 0] {
        measured_slower(&bench, percent);
    }
    let code = |arguments: &str| bench.finish(bench.stored(arguments)).code;
    for (arguments, expected, why) in [
        ("1 2", 0, "a comparison alone does not fail"),
        ("1 2 --fail-on-regression 5%", 1, "slower"),
        ("1 2 --fail-on-regression 5% --json", 1, "slower"),
        ("1 2 --fail-on-regression 50%", 0, "not by so much"),
        ("2 1 --fail-on-regression 5%", 0, "better"),
        ("1 3 --fail-on-regression 5%", 0, "equal"),
        (
            "1 2 --metric latency_p50 --fail-on-regression 5%",
            1,
            "longer",
        ),
        // A cell without an answer never passes for one without a regression.
        (
            "1 3 --metric sync_latency_p99",
            0,
            "a comparison alone does not fail either",
        ),
        (
            "1 3 --metric sync_latency_p99 --fail-on-regression 5%",
            2,
            "no answer",
        ),
    ] {
        let compared = code(&format!("compare {arguments}"));
        assert_eq!(compared, Some(expected), "{arguments}: {why}");
    }
    let text = bench.finish(bench.stored("compare 1 2"));
    assert!(text.stdout.contains("% slower"), "{}", text.stdout);
    let unanswered = bench.finish(bench.stored("compare 1 3 --metric sync_latency_p99"));
    assert!(
        unanswered.stdout.contains("no answer: "),
        "{}",
        unanswered.stdout
    );

    let document = bench.json(bench.stored("compare 1 2 --json"));
    assert_eq!(at(&document, "/schema"), 1);
    assert_eq!(at(&document, "/baseline_run"), 1);
    assert_eq!(at(&document, "/other_run"), 2);
    assert_eq!(at(&document, "/metric"), "bandwidth_bytes_per_s");
    let rows = at(&document, "/rows").as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(at(row, "/baseline"), index);
        assert_estimate(at(row, "/baseline_estimate"));
        assert_estimate(at(row, "/other_estimate"));
        let ratio = at(row, "/ratio/value").as_f64().unwrap();
        assert!((0.6..0.8).contains(&ratio), "{ratio}");
    }
}

#[test]
fn a_budget_ends_a_run_that_still_writes_its_test_files() {
    let Some(bench) = Bench::new() else { return };
    let mut hangs = with(bench.run(TWICE), ["--budget", "600ms", "--quiet"]);
    hangs.env("FAKE_FIO_HANG_LAYOUT", "1");
    let done = bench.finish(hangs);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr
            .contains("error: the budget of 600ms ended before cell ")
            && done.stderr.contains(") was prepared\n")
            && done.stderr.contains("`stripewise resume 1 --budget ")
            && !done.stderr.contains("TIME"),
        "{}",
        done.stderr
    );
    let run = bench.stored_run(1);
    assert_eq!((run.summary.state, run.samples.len()), (RunState::Done, 0));
    bench.assert_clean();
}

#[test]
fn facts_are_shown_with_and_without_a_target() {
    let Some(bench) = Bench::new() else { return };
    let target = bench.target();
    let facts = bench.json(with(
        bench.command(),
        ["facts", "--json", "--target", target.to_str().unwrap()],
    ));
    assert_eq!(at(&facts, "/schema"), 1);
    assert!(at(&facts, "/facts/kernel").is_string());
    assert!(at(&facts, "/facts/target/filesystem").is_string());
    let alone = bench.json(with(bench.command(), ["facts", "--json"]));
    assert!(at(&alone, "/facts/target").is_null());
    assert!(printed(&bench, "facts").starts_with("kernel "));
    // The command also works without fio.
    let mut without = with(bench.command(), ["facts"]);
    without.env("PATH", bench.path("home"));
    let without = bench.finish(without);
    assert_eq!(without.code, Some(0), "{}", without.transcript());
}

#[test]
fn completions_are_valid_scripts_with_every_command() {
    let Some(bench) = Bench::new() else { return };
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&bench, &format!("completions {shell}"));
        for word in ["resume", "compare", "fail-on-regression"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        let path = bench.write("completions", &script);
        if !["bash", "zsh", "fish"].contains(&shell) {
            continue;
        }
        if !has_program(shell) {
            skip_unless_all(
                &format!("completions read by {shell}"),
                "it is not installed",
            );
            continue;
        }
        let checked = Command::new(shell).arg("-n").arg(path).output().unwrap();
        assert!(checked.status.success(), "{shell}: {checked:?}");
        assert!(checked.stderr.is_empty(), "{shell}: {checked:?}");
    }
}

#[test]
fn man_pages_are_valid_groff() {
    let Some(bench) = Bench::new() else { return };
    let text = printed(&bench, "man");
    let page = bench.write("stripewise.1", &text);
    let pages = bench.path("pages");
    std::fs::create_dir(&pages).unwrap();
    assert_eq!(
        printed(&bench, &format!("man --out {}", pages.display())),
        ""
    );
    let mut files = entries(&pages);
    assert!(files.contains(&pages.join("stripewise-compare.1")));
    for file in &files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let command = name.split('-').nth(1).unwrap_or(name);
        assert!(text.contains(command), "the man page lacks {name}");
    }
    files.push(page);
    if !has_program("groff") {
        skip_unless_all("man pages read by groff", "it is not installed");
        return;
    }
    for file in files {
        let checked = Command::new("groff")
            .args(["-man", "-Tutf8", "-ww", "-z"])
            .arg(&file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&checked.stderr);
        assert!(
            checked.status.success() && said.is_empty(),
            "{}: {said}",
            file.display()
        );
    }
}

#[test]
fn verify_model_checks_the_model_against_counts_in_a_file() {
    let Some(bench) = Bench::new() else { return };
    let golden = repository().join("crates/verify/golden/linux-6.1.192.jsonl");
    let text = fs::read_to_string(golden).unwrap();
    let few: Vec<&str> = text.lines().take(9).collect();
    let file = bench.path("few.jsonl");
    fs::write(&file, few.join("\n")).unwrap();
    let asked = format!("verify-model --golden {} --json", file.display());
    let document: Value = serde_json::from_str(&printed(&bench, &asked)).unwrap();
    assert_eq!(document["agrees"], true);
    assert_eq!(document["checked"][0]["table"]["all"]["drawn"], 8);

    // One more read on one member of a case in which all counts must be equal.
    let is_raid0 = |line: &&&str| line.contains("\"raid0\"");
    let wrong = few[1..].iter().rfind(is_raid0).unwrap();
    let (case, counts) = wrong.split_once("\"counts\":[[").unwrap();
    let wrong = format!("{}\n{case}\"counts\":[[9{counts}", few[0]);
    fs::write(&file, wrong).unwrap();
    let arguments = format!("verify-model --golden {}", file.display());
    let command = with(bench.command(), arguments.split_ascii_whitespace());
    let done = bench.finish(command);
    assert_eq!(done.code, Some(1), "{}", done.transcript());
    assert!(
        done.stdout.contains("case 0 differs: raid0"),
        "{}",
        done.stdout
    );
    let cases = format!("{arguments} --format junit");
    let command = with(bench.command(), cases.split_ascii_whitespace());
    let cases = bench.finish(command).stdout;
    assert!(cases.contains("><failure message=\"cases: "), "{cases}");
    let arguments = format!("{arguments} --language de");
    let command = with(bench.command(), arguments.split_ascii_whitespace());
    let german = bench.finish(command).stdout;
    for words in [
        "Fall 0 weicht ab: raid0",
        "Mitglied 0: Modell ",
        "gegenüber dem Modell",
    ] {
        assert!(german.contains(words), "{german}");
    }
}
