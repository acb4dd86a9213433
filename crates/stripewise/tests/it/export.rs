//! An exported run must import unchanged, and an export never overwrites a file that is not ours.
//!
//! The failure: `-o results.csv` was typed where `results.csv` was the table that the user had kept
//! by hand for a year.

use std::fs;

use expect_test::expect;
use serde_json::Value;

use crate::support::{Bench, Done, QUICK, with};

/// Runs `stripewise` with the store of the bench.
fn stored(bench: &Bench, arguments: &str) -> Done {
    bench.finish(bench.stored(arguments))
}

/// Returns a run as `show --json` prints it, without its number.
fn shown(bench: &Bench, number: u32) -> Value {
    let mut document = bench.json(bench.stored(&format!("show {number} --json")));
    document["run"].as_object_mut().unwrap().remove("id");
    document
}

#[test]
fn a_run_comes_back_from_json_and_parquet_as_it_was() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let original = shown(&bench, 1);
    for (name, number) in [("run.json", 2), ("run.parquet", 3)] {
        let done = stored(&bench, &format!("export -o {name}"));
        assert_eq!((done.code, done.stdout.as_str()), (Some(0), ""));
        // The second export is of the copy, and holds the same.
        let command = bench.stored(&format!("import export {name} --json"));
        let report = bench.json(command);
        assert_eq!(report["runs"][0]["id"], number);
        assert!(shown(&bench, number) == original, "{name} lost something");
    }
    // Importing a file twice makes two runs.
    assert_eq!(
        stored(&bench, "import export run.json run.json").code,
        Some(0)
    );
    let list = bench.json(bench.stored("list --json"));
    assert_eq!(list["runs"].as_array().unwrap().len(), 5);
    bench.assert_clean();
}

/// Returns the number of the prediction that a run of power cuts names, as its export has it.
fn prediction(bench: &Bench, number: u32) -> Option<u64> {
    let name = format!("cuts-{number}.json");
    let done = stored(bench, &format!("export {number} -o {name}"));
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let text = fs::read_to_string(bench.path(&name)).unwrap();
    let (_, after) = text.split_once("\"model_run\":")?;
    let digits = after.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    digits[..end].parse().ok()
}

/// The number of a prediction is that of the store it was made in, where another run may have it here.
#[test]
fn power_cuts_keep_their_prediction_or_have_none() {
    let Some(bench) = Bench::new() else { return };
    let old = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../results/tests/data/version_1_worlds.db"
    );
    fs::copy(old, bench.path("old.db")).unwrap();
    let own = |words: &str| {
        let done = bench.finish(with(bench.command(), words.split(' ')));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    };
    own("export 4 5 --store old.db -o pair.json");
    own("export 5 --store old.db -o alone.json");
    bench.measured(QUICK);
    let done = stored(&bench, "import export pair.json alone.json");
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    assert_eq!(prediction(&bench, 3), Some(2));
    assert_eq!(prediction(&bench, 4), None);
    bench.assert_clean();
}

#[test]
fn only_an_export_of_the_same_format_is_replaced() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    let show = stored(&bench, "show --csv").stdout;
    assert!(show.starts_with("run,study,world,cell,stack,"), "{show}");
    let piped = stored(&bench, "export latest 1 -f csv --rows cells -o -");
    assert_eq!(piped.stdout, show, "the same table of cells");
    for (name, theirs) in [
        ("a.csv", ""),
        ("a.parquet", "PAR1 is how theirs begins"),
        ("a.json", "{\"format\": \"other\"}"),
        ("a.md", "# Theirs"),
        ("a.prom", "theirs 1"),
    ] {
        let export = format!("export -o {name}");
        for _ in 0..2 {
            let done = stored(&bench, &export);
            assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{name}");
        }
        bench.write(name, theirs);
        let done = stored(&bench, &export);
        assert_eq!(done.code, Some(2));
        assert!(done.stderr.contains("`--replace`"), "{}", done.stderr);
        assert_eq!(fs::read_to_string(bench.path(name)).unwrap(), theirs);
    }
    let done = stored(&bench, "export -o a.md --replace");
    assert_eq!(done.code, Some(0));
    // The store itself is not an export.
    let before = bench.stored_run(1);
    let done = stored(&bench, "export --format csv -o store/runs.db");
    assert_eq!(done.code, Some(2));
    assert_eq!(bench.stored_run(1), before);
}

#[test]
fn an_impossible_export_is_refused_before_anything_is_written() {
    let Some(bench) = Bench::new() else { return };
    stored(&bench, "export -f csv").refused(&expect![[r#"
        error: no store at `[BENCH]/store/runs.db`

        hint: a store is created by the first `stripewise run --store [BENCH]/store/runs.db`
    "#]]);
    bench.measured(QUICK);
    stored(&bench, "export").refused(&expect![[r#"
        error: no format is given

        hint: choose one with `--format`: csv, parquet, json, markdown, openmetrics, svg or png
    "#]]);
    stored(&bench, "export -o table.xlsx").refused(&expect![[r#"
        error: `table.xlsx` does not end in a known format

        hint: choose one with `--format`: csv, parquet, json, markdown, openmetrics, svg or png
    "#]]);
    stored(&bench, "export -f json --rows cells").refused(&expect![[r#"
        error: --rows: only for CSV and Parquet
    "#]]);
    stored(&bench, "export 9 -o run.json").refused(&expect![[r#"
        error: no run 9 in `[BENCH]/store/runs.db`

        hint: `stripewise runs --store [BENCH]/store/runs.db` shows the runs
    "#]]);
    stored(&bench, "export -f csv -o /dev/null --replace").refused(&expect![[r#"
        error: `/dev/null` is not a regular file

        hint: `-o -` writes to standard output
    "#]]);
    assert!(!bench.path("table.xlsx").exists() && !bench.path("run.json").exists());
}

#[test]
fn an_option_of_figures_is_refused_with_other_formats() {
    let Some(bench) = Bench::new() else { return };
    bench.measured(QUICK);
    // Default values are refused too, if they are given.
    for (option, format) in [
        ("--list-figures", "csv"),
        ("--figure waterfall", "parquet"),
        ("--width 960", "json"),
        ("--height 400", "markdown"),
        ("--theme light", "openmetrics"),
    ] {
        let name = option.split(' ').next().unwrap();
        let done = stored(&bench, &format!("export -f {format} {option}"));
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{format}");
        let message = format!("error: {name}: only for SVG and PNG\n");
        assert_eq!(done.stderr, message, "{format}");
    }
    let figures = stored(&bench, "export -f svg --list-figures --language de");
    assert_eq!(figures.code, Some(0), "{}", figures.stderr);
    assert_eq!(
        stored(&bench, "export --list-figures --width 500").code,
        Some(2)
    );
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let Some(bench) = Bench::new() else { return };
    // One cell, so that the first sample is one of writes.
    bench.measured(&QUICK.replace("[\"randread\", \"write\"]", "\"write\""));
    assert_eq!(stored(&bench, "export -o good.json").code, Some(0));
    assert_eq!(
        stored(&bench, "export --rows cells -o cells.csv").code,
        Some(0)
    );
    let good = fs::read(bench.path("good.json")).unwrap();
    fs::write(bench.path("cut.json"), &good[..good.len() / 2]).unwrap();
    let done = stored(&bench, "import export cut.json good.json cells.csv");
    assert_eq!(done.code, Some(2));
    assert_eq!(
        bench.json(bench.stored("list --json"))["runs"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let bins = format!("\"histogram\":[{}[1,1]]", "[1,1],".repeat(5000));
    let good = String::from_utf8(good).unwrap();
    let many = good.replacen("\"histogram\":[]", &bins, 1);
    fs::write(bench.path("many.json"), many).unwrap();
    stored(&bench, "import export many.json cut.json cells.csv missing").refused(&expect![[r#"
        error: failed to import `many.json`: `runs[0].samples[0].read.latency.histogram` has at least 3777 entries, the limit is 3776

        hint: export its runs again, each to a file of its own; `docs/export-limits.md` lists the limits
        error: failed to import `cut.json`: it is truncated: its end is missing

        hint: copy it again: a part is missing
        error: failed to import `cells.csv`: it is CSV, which does not hold the whole run

        hint: `stripewise export RUN --format json` or `parquet` writes a file that can be imported
        error: failed to import `missing`: No such file or directory (os error 2)
        error: nothing was imported
    "#]]);
}

/// `report` failed on a run that `import` had taken, and options that cannot be read were left out.
#[test]
fn options_and_profiles_that_no_command_could_read_are_refused_at_import() {
    let Some(bench) = Bench::new() else { return };
    let study = "[stack.one]\ndevices = { \"nvme-ssd\" = 1 }\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"64M\"\n";
    let study = bench.write("model.toml", study);
    let mut run = bench.stored("run --world model");
    run.arg(study);
    assert_eq!(bench.finish(run).code, Some(0));
    assert_eq!(stored(&bench, "export -o run.json").code, Some(0));
    let text = fs::read_to_string(bench.path("run.json")).unwrap();
    let good: Value = serde_json::from_str(&text).unwrap();
    let refuse = |change: &dyn Fn(&mut Value), why: &str| {
        let mut document = good.clone();
        change(&mut document["runs"][0]["options"]);
        bench.write("changed.json", &document.to_string());
        let done = stored(&bench, "import export changed.json");
        assert_eq!(done.code, Some(2), "{}", done.transcript());
        assert!(done.stderr.contains(why), "{}", done.stderr);
        assert_eq!(bench.store().runs().unwrap().len(), 1, "nothing was added");
    };
    let kind = |kind: &'static str| {
        move |options: &mut Value| {
            let profiles = options["model"]["profiles"][kind].as_object_mut().unwrap();
            let found = profiles.values_mut().next().unwrap();
            found["text"] = Value::from("schema = 1\n");
        }
    };
    refuse(
        &kind("devices"),
        "run 1: its options: failed to read device profile `nvme-ssd`",
    );
    refuse(
        &kind("hosts"),
        "run 1: its options: failed to read host profile",
    );
    refuse(
        &|options| options["model"]["kernel"] = Value::from("soon"),
        "run 1: its options: expected a version",
    );
    refuse(
        &|options| options["only"] = Value::from("all"),
        "run 1: its options: invalid type",
    );
}
