//! What commands print is what people and programs rely on.
//!
//! The failure: a script that watched for regressions read `bw`, which one release wrote in KiB and
//! the next in bytes; nothing failed, and a loss of 30 % went through. And a page of help told of
//! an option that was gone.
//!
//! Here every help is a golden file (`UPDATE_EXPECT=1 cargo test -p stripewise` updates them), the
//! JSON document is walked key by key, and the verdicts are tried on a fio that is known to be
//! equal, or slower.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::{expect, expect_file};
use serde_json::Value;
use stripewise_results::RunState;

use crate::support::{Bench, Done, QUICK, at, has_program, skip_unless_all, with};

/// Every command that has a help of its own.
const COMMANDS: [&str; 28] = [
    "",
    "run",
    "study",
    "predict",
    "profiles",
    "why",
    "calibrate",
    "resume",
    "list",
    "rename",
    "delete",
    "show",
    "report",
    "serve",
    "compare",
    "export",
    "import",
    "import export",
    "import fio",
    "facts",
    "restore",
    "lab",
    "lab doctor",
    "lab prepare",
    "lab shell",
    "verify-model",
    "completions",
    "man",
];

/// Two stacks that are the same filesystem, with a workload that syncs.
const TWICE: &str = r#"
question = "Is a thing equal to itself?"
[stack.one]
filesystem = "existing"
[stack.two]
filesystem = "existing"
[workload]
pattern = ["randread", "write", "randrw"]
block_size = "4K"
size = "1M"
direct = false
fsync = 8
[repeat]
sample = "50ms"
at_least = 8
at_most = 12
"#;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fio_data(name: &str) -> String {
    let path = repository().join("crates/fio/tests/data").join(name);
    path.canonicalize().unwrap().display().to_string()
}

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
fn every_help_is_as_it_was() {
    let Some(bench) = Bench::new() else { return };
    let page = printed(&bench, "man");
    for command in COMMANDS {
        let name = match command {
            "" => "stripewise".to_owned(),
            command => command.replace(' ', "-"),
        };
        let long = printed(&bench, &format!("{command} --help"));
        expect_file![format!("../golden/{name}.help.txt")].assert_eq(&long);
        let mut short = bench.command();
        short.args(command.split_ascii_whitespace()).arg("-h");
        short.env("COLUMNS", "80");
        let short = bench.finish(short);
        assert_eq!(short.code, Some(0));
        expect_file![format!("../golden/{name}.h.txt")].assert_eq(&short.stdout);
        for line in short.stdout.lines() {
            assert!(line.chars().count() <= 80, "{command} -h: {line}");
        }
        let first = command.split(' ').next().unwrap();
        assert!(
            page.contains(&first.replace('-', "\\-")),
            "the man page does not tell of {first}"
        );
    }
    // A command that is added must be added above.
    let listed = printed(&bench, "--help");
    let listed = listed.split_once("Commands:\n").unwrap().1;
    let listed = listed.split_once("\n\n").unwrap().0;
    let names = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help");
    for name in names {
        assert!(COMMANDS.contains(&name), "`{name}` has no golden help");
    }
}

#[test]
fn a_study_is_explained_without_touching_anything() {
    let Some(bench) = Bench::new() else { return };
    for name in ["block-size", "chunk-size"] {
        let path = format!("crates/study/tests/studies/{name}.toml");
        let mut command = with(bench.command(), ["study", &path]);
        command.current_dir(repository());
        let done = bench.finish(command);
        expect_file![format!("../golden/study-{name}.txt")].assert_eq(&done.transcript());
        let mut command = with(bench.command(), ["study", &path, "--json"]);
        command.current_dir(repository());
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

/// Asserts that `estimate` is one: a value within its interval, the level, and how many samples.
fn assert_estimate(estimate: &Value) {
    let number = |key: &str| at(estimate, &format!("/{key}")).as_f64().unwrap();
    assert!(number("low") <= number("value") && number("value") <= number("high"));
    assert!(number("value") > 0.0);
    assert!((number("level") - 0.95).abs() < 1e-9);
    assert!(at(estimate, "/samples").as_u64().unwrap() >= 6);
}

#[test]
fn the_document_of_a_run_has_every_key_that_programs_rely_on() {
    let Some(bench) = Bench::new() else { return };
    let document = bench.measured(TWICE);
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
    assert_eq!(at(&document, "/facts/tools/fio"), "fio-3.33");
    assert!(at(&document, "/facts/kernel").is_string());
    assert!(at(&document, "/facts/target/filesystem").is_string());
    let cells = at(&document, "/cells").as_array().unwrap();
    assert_eq!(cells.len(), 6);
    for (index, cell) in cells.iter().enumerate() {
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
            assert_eq!(at(verdict, "/baseline"), index - 3);
            assert_eq!(at(verdict, "/metric"), "bandwidth_bytes_per_s");
            assert_eq!(at(verdict, "/paired"), true);
            assert_estimate(at(verdict, "/ratio"));
            assert!(at(verdict, "/words").is_string());
        }
    }
}

/// Asserts that a cell has its samples: one to warm up, then those that count.
fn assert_samples(cell: &Value) {
    let samples = at(cell, "/samples").as_array().unwrap();
    assert!(samples.len() >= 9, "a warm-up and eight that count");
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

#[test]
fn a_stored_run_is_shown_the_same_each_time_as_text_json_and_csv() {
    let Some(bench) = Bench::new() else { return };
    let measured = bench.measured(TWICE);
    let shown = bench.json(bench.stored("show --json"));
    assert_eq!(measured, shown, "what `run` prints is what `show` prints");
    assert_eq!(shown, bench.json(bench.stored("show 1 --json")));
    assert_eq!(shown, bench.json(bench.stored("show latest --json")));
    let text = || bench.finish(bench.stored("show 1")).stdout;
    assert_eq!(text(), text());

    let csv = bench.finish(bench.stored("show 1 --csv"));
    assert_eq!(csv.code, Some(0), "{}", csv.transcript());
    let lines: Vec<Vec<&str>> = csv
        .stdout
        .split_terminator("\r\n")
        .map(|line| line.split(',').collect())
        .collect();
    let (head, cells) = lines.split_first().unwrap();
    assert_eq!(cells.len(), 6, "one line a cell");
    let column = |name: &str| head.iter().position(|key| *key == name).unwrap();
    for (index, cell) in cells.iter().enumerate() {
        assert_eq!(cell.len(), head.len());
        assert_eq!(cell[column("cell")], index.to_string());
        assert_eq!(cell[column("block_size_bytes")], "4096");
        for part in ["value", "low", "high"] {
            let pointer = format!("/cells/{index}/estimates/iops/{part}");
            let suffix = part.replace("value", "");
            let name = format!("iops_{suffix}");
            let number: f64 = cell[column(name.trim_end_matches('_'))].parse().unwrap();
            assert!((number - at(&shown, &pointer).as_f64().unwrap()).abs() < 1e-6);
        }
    }
}

#[test]
fn the_list_has_a_line_for_each_run() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    bench.measured(TWICE);
    let listed = bench.finish(bench.stored("list"));
    assert_eq!(listed.code, Some(0), "{}", listed.transcript());
    let lines: Vec<&str> = listed.stdout.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[1].ends_with("Is it quick?"), "{}", lines[1]);
    assert!(lines[2].contains("done"), "{}", lines[2]);
    let document = bench.json(bench.stored("list --json"));
    assert_eq!(at(&document, "/runs/0/id"), 1);
    assert_eq!(at(&document, "/runs/1/cell_count"), 6);
    assert_eq!(at(&document, "/runs/1/state"), "done");
    // The store that everybody has who names none is another one.
    let other = bench.finish(with(bench.command(), ["list"]));
    assert_eq!(other.code, Some(2), "{}", other.transcript());
}

#[test]
fn a_thing_compared_with_itself_is_not_different() {
    let Some(bench) = Bench::new() else { return };
    let document = bench.measured(TWICE);
    let mut verdicts = 0;
    for cell in at(&document, "/cells").as_array().unwrap() {
        for verdict in at(cell, "/verdicts").as_array().unwrap() {
            let words = at(verdict, "/words").as_str().unwrap();
            let is_none = words.starts_with("no difference") || words.starts_with("cannot tell");
            assert!(is_none, "{words}");
            verdicts += 1;
        }
    }
    assert_eq!(verdicts, 3);
    let same = bench.finish(bench.stored("compare 1 --fail-on-regression 1%"));
    assert_eq!(same.code, Some(0), "{}", same.transcript());
    let within = bench.json(bench.stored("compare 1 --json"));
    assert_eq!(at(&within, "/rows").as_array().unwrap().len(), 3);
}

/// Measures [`TWICE`] with a fio that is slower by so many percent.
fn measured_slower(bench: &Bench, percent: u32) {
    let mut slower = bench.run(TWICE);
    slower.env("FAKE_FIO_SLOWER", percent.to_string());
    let slower = bench.finish(slower);
    assert_eq!(slower.code, Some(0), "{}", slower.transcript());
}

#[test]
fn a_regression_between_runs_is_found_and_nothing_else_is() {
    let Some(bench) = Bench::new() else { return };
    for percent in [0, 30, 0] {
        measured_slower(&bench, percent);
    }
    let code = |arguments: &str| bench.finish(bench.stored(arguments)).code;
    assert_eq!(code("compare 1 2"), Some(0), "to compare is no judgement");
    assert_eq!(code("compare 1 2 --fail-on-regression 5%"), Some(1));
    assert_eq!(code("compare 1 2 --fail-on-regression 5% --json"), Some(1));
    assert_eq!(code("compare 1 2 --fail-on-regression 50%"), Some(0));
    assert_eq!(
        code("compare 2 1 --fail-on-regression 5%"),
        Some(0),
        "better"
    );
    assert_eq!(
        code("compare 1 3 --fail-on-regression 5%"),
        Some(0),
        "equal"
    );
    let lower_is_better = "compare 1 2 --metric latency_p50 --fail-on-regression 5%";
    assert_eq!(code(lower_is_better), Some(1));
    let text = bench.finish(bench.stored("compare 1 2"));
    assert!(text.stdout.contains("% slower"), "{}", text.stdout);

    let document = bench.json(bench.stored("compare 1 2 --json"));
    assert_eq!(at(&document, "/schema"), 1);
    assert_eq!(at(&document, "/baseline_run"), 1);
    assert_eq!(at(&document, "/other_run"), 2);
    assert_eq!(at(&document, "/metric"), "bandwidth_bytes_per_s");
    let rows = at(&document, "/rows").as_array().unwrap();
    assert_eq!(rows.len(), 6);
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(at(row, "/baseline"), index);
        assert_estimate(at(row, "/baseline_estimate"));
        assert_estimate(at(row, "/other_estimate"));
        let ratio = at(row, "/ratio/value").as_f64().unwrap();
        assert!((0.6..0.8).contains(&ratio), "{ratio}");
    }
}

/// Returns the order in which the cells of a run were measured.
fn order(bench: &Bench, run: i64) -> Vec<(usize, Option<u64>)> {
    let run = bench.stored_run(run);
    let samples = run.samples.iter();
    samples.map(|record| (record.cell, record.seed)).collect()
}

#[test]
fn a_seed_repeats_the_order_of_cells_and_their_seeds() {
    let Some(bench) = Bench::new() else { return };
    for seed in ["7", "7", "8"] {
        let run = with(bench.run(TWICE), ["--seed", seed]);
        let done = bench.finish(run);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    // How long a run goes on depends on what it finds; what it begins with does not.
    let first = |run| order(&bench, run)[..6 * 9].to_vec();
    assert_eq!(first(1), first(2));
    assert_ne!(first(1), first(3));
}

#[test]
fn a_budget_ends_a_run_that_can_be_given_more() {
    let Some(bench) = Bench::new() else { return };
    let short = with(bench.run(TWICE), ["--budget", "400ms", "--json"]);
    let done = bench.finish(short);
    assert!(
        done.stderr.contains("the budget of 0 s is too small"),
        "{}",
        done.stderr
    );
    let before = bench.stored_run(1);
    assert_eq!(before.summary.state, RunState::Done);
    let more = bench.json(bench.stored("resume 1 --budget 10m --json"));
    assert!(at(&more, "/run/samples_all").as_u64().unwrap() >= 6 * 9);
    let after = bench.stored_run(1);
    assert!(after.samples.starts_with(&before.samples));
    bench.assert_clean();
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
            && done.stderr.contains("`stripewise resume 1 --budget TIME"),
        "{}",
        done.stderr
    );
    let run = bench.stored_run(1);
    assert_eq!((run.summary.state, run.samples.len()), (RunState::Done, 0));
    bench.assert_clean();
}

/// Imports files into a store of its own.
fn import(bench: &Bench, files: &[&str]) -> Done {
    let files: Vec<String> = files.iter().map(|name| fio_data(name)).collect();
    bench.finish(with(bench.stored("import fio --json"), files))
}

#[test]
fn what_fio_wrote_for_others_is_imported() {
    let Some(bench) = Bench::new() else { return };
    let one = import(&bench, &["fio-3.33.json"]);
    assert_eq!(one.code, Some(0), "{}", one.transcript());
    let one: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(at(&one, "/run/world"), "fio-import");
    assert_eq!(at(&one, "/facts/tools/fio"), "fio-3.33");
    let cells = at(&one, "/cells").as_array().unwrap();
    assert_eq!(at(&cells[0], "/workload/name"), "main-0");
    assert!(at(&cells[0], "/estimates/latency_ns_p99/value").is_number());

    let again = import(&bench, &["fio-3.33.json", "fio-3.33.json", "fio-3.33.json"]);
    assert_eq!(again.code, Some(0), "{}", again.transcript());
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(at(&again, "/cells").as_array().unwrap().len(), cells.len());
    assert_eq!(at(&again, "/cells/0/samples").as_array().unwrap().len(), 3);
    assert_eq!(at(&again, "/cells/0/estimates/iops/samples"), 3);

    let plain = import(&bench, &["plain-json.json"]);
    assert_eq!(plain.code, Some(0), "{}", plain.transcript());
    assert!(plain.stdout.contains("\"kind\": \"no_histogram\""));
    assert_eq!(bench.store().runs().unwrap().len(), 3);
}

#[test]
fn a_bad_file_does_not_keep_the_good_ones_from_being_imported() {
    let Some(bench) = Bench::new() else { return };
    let mixed = import(&bench, &["fio-3.33.json", "no-json.txt", "fio-3.42.json"]);
    assert_eq!(mixed.code, Some(2));
    let errors = mixed.stderr.replace(&fio_data("no-json.txt"), "[FILE]");
    expect![[r#"
        error: failed to import `[FILE]`: no JSON document found

        hint: run fio with `--output-format=json+ --output=FILE`
    "#]]
    .assert_eq(&errors);
    let document: Value = serde_json::from_str(&mixed.stdout).unwrap();
    let study = at(&document, "/run/study").as_str().unwrap();
    assert!(
        study.contains("fio-3.42.json") && !study.contains("no-json"),
        "{study}"
    );

    let runs = bench.store().runs().unwrap().len();
    let absent = bench.finish(bench.stored("import fio absent.json"));
    absent.expect(&expect![[r#"
        exit 2
        --- stderr
        error: failed to import `absent.json`: No such file or directory (os error 2)
        error: nothing was imported
    "#]]);
    assert_eq!(
        bench.store().runs().unwrap().len(),
        runs,
        "an empty run was kept"
    );
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
    // A machine without fio has facts, too.
    let mut without = with(bench.command(), ["facts"]);
    without.env("PATH", bench.path("home"));
    let without = bench.finish(without);
    assert_eq!(without.code, Some(0), "{}", without.transcript());
}

#[test]
fn completions_are_scripts_that_know_every_command() {
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
fn the_man_page_is_one() {
    let Some(bench) = Bench::new() else { return };
    let page = bench.write("stripewise.1", &printed(&bench, "man"));
    let pages = bench.path("pages");
    std::fs::create_dir(&pages).unwrap();
    assert_eq!(
        printed(&bench, &format!("man --out {}", pages.display())),
        ""
    );
    let mut files = crate::support::entries(&pages);
    assert!(
        files
            .iter()
            .any(|file| file.ends_with("stripewise-compare.1"))
    );
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
fn pipes_get_no_colours() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(TWICE);
    for arguments in ["show 1", "show 1 --csv", "list", "compare 1", "show 9"] {
        for (name, value) in [("TERM", "xterm-256color"), ("NO_COLOR", "1")] {
            let mut command = bench.stored(arguments);
            command.env(name, value);
            let done = bench.finish(command);
            let text = done.stdout + &done.stderr;
            assert!(!text.contains('\u{1b}'), "{arguments}: {text}");
            assert!(!text.is_empty());
        }
    }
    let help = printed(&bench, "run --help");
    assert!(!help.contains('\u{1b}'), "{help}");
    let mut colours = bench.stored("show 1");
    colours.env("CLICOLOR_FORCE", "1");
    let colours = bench.finish(colours);
    assert!(
        colours.stdout.contains('\u{1b}'),
        "there are colours to be had"
    );
}

#[test]
fn a_reader_who_has_read_enough_is_no_error() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(TWICE);
    // The document is larger than a pipe holds: something is still to be written when it closes.
    for arguments in ["show 1 --json", "show 1 --csv", "show 1", "list"] {
        let mut command = bench.stored(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        drop(stdout);
        let done = bench.wait(child);
        assert_eq!(
            (done.code, done.stderr.as_str()),
            (Some(0), ""),
            "{arguments}"
        );
    }
}

#[test]
fn a_cell_without_an_answer_is_named_and_never_passes_for_no_regression() {
    let Some(bench) = Bench::new() else { return };
    for _ in 0..2 {
        measured_slower(&bench, 0);
    }
    let compared = bench.finish(bench.stored("compare 1 2 --metric sync_latency_p99"));
    assert_eq!(compared.code, Some(0), "{}", compared.transcript());
    assert!(
        compared.stdout.contains("no answer: "),
        "{}",
        compared.transcript()
    );
    let strict = bench.stored("compare 1 2 --metric sync_latency_p99 --fail-on-regression 5%");
    let strict = bench.finish(strict);
    assert_eq!(strict.code, Some(2), "{}", strict.transcript());
}

#[test]
fn two_runs_that_measured_different_things_are_not_compared() {
    let Some(bench) = Bench::new() else { return };
    for load in [
        "pattern = \"randread\"\nblock_size = \"4K\"",
        "pattern = \"write\"\nblock_size = \"1M\"",
    ] {
        let study = format!(
            "[stack.here]\n[workload]\n{load}\nsize = \"4M\"\ndirect = false\n[repeat]\nsample = \"50ms\"\nat_most = 6\n"
        );
        let done = bench.finish(bench.run(&study));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    let compared = bench.finish(bench.stored("compare 1 2"));
    assert_eq!(compared.code, Some(2), "{}", compared.transcript());
    assert!(
        compared.stderr.contains("no cell in common"),
        "{}",
        compared.stderr
    );
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

    // One read more on one member of a case in which every number counts.
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
}
