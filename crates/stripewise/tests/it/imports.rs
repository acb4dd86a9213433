//! Imports of fio's files on the command line, and the runs made from them.
//!
//! The failures: of three bad files only one was named. Two single measurements from last year got
//! the verdict "about 5 more samples would". "no cell in common" gave no reason. And a run that was
//! imported twice could neither be told from the other nor deleted.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::Value;
use stripewise_results::world::WorldSpec;
use stripewise_results::{NewRun, RunEnd, RunId, Store};
use stripewise_study::facts::Facts;
use stripewise_study::world::WorldName;

use crate::support::terminal::{TYPES, start_on_terminal};
use crate::support::{Bench, Done, at};

fn data(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fio/tests/data");
    tests.join(name).canonicalize().unwrap()
}

/// Copies a file of fio's onto the bench, with a short name.
fn copy(bench: &Bench, from: &str, to: &str) {
    fs::copy(data(from), bench.path(to)).unwrap();
}

/// Copies a file of fio's onto the bench, as if the same job had run some seconds later.
fn copy_later(bench: &Bench, from: &str, to: &str, seconds: u64) {
    let text = fs::read_to_string(data(from)).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    for (key, unit) in [("timestamp", 1), ("timestamp_ms", 1000)] {
        if let Some(at) = document[key].as_u64() {
            document[key] = (at + seconds * unit).into();
        }
    }
    bench.write(to, &document.to_string());
}

fn stored(bench: &Bench, arguments: &str) -> Done {
    bench.finish(bench.stored(arguments))
}

/// Returns the numbers of the runs in the store.
fn runs(bench: &Bench) -> Vec<i64> {
    let runs = bench.store().runs().unwrap();
    runs.iter().map(|run| run.id.0).collect()
}

#[test]
fn every_bad_file_is_named_and_the_good_ones_are_imported() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.1.json", "good.json");
    copy(&bench, "no-json.txt", "bad.txt");
    bench.write("lonely_bw.1.log", "1, 2, 0, 0\n");
    let done = stored(
        &bench,
        "import fio absent.json good.json bad.txt lonely_bw.1.log --json",
    );
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    expect![[r#"
        error: failed to import `absent.json`: No such file or directory (os error 2)
        error: failed to import `bad.txt`: no JSON document found

        hint: run fio with `--output-format=json+ --output=FILE`
        error: failed to import `lonely_bw.1.log`: no job in the JSON files of this directory wrote this log

        hint: name the JSON file of the same run, in the same directory; options such as `write_bw_log` set the names of fio's logs
    "#]]
    .assert_eq(&done.stderr);
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(at(&document, "/run/study"), "good.json");
    assert_eq!(at(&document, "/run/world"), "fio-import");
    for (cell, name) in [(0, "reader"), (1, "writer")] {
        assert_eq!(at(&document, &format!("/cells/{cell}/workload/name")), name);
        for metric in ["latency_ns_mean", "latency_ns_p50", "latency_ns_p99"] {
            let value = format!("/cells/{cell}/estimates/{metric}/value");
            assert!(at(&document, &value).is_number(), "{metric} of {name}");
        }
    }
    stored(&bench, "import fio absent.json").refused(&expect![[r#"
        error: failed to import `absent.json`: No such file or directory (os error 2)
        error: nothing was imported
    "#]]);
    assert_eq!(runs(&bench), [1], "an empty run was kept");
    // One job in three files is one cell with three samples.
    copy_later(&bench, "plain-3.1.json", "second.json", 1);
    copy_later(&bench, "plain-3.1.json", "third.json", 2);
    let thrice = "import fio good.json second.json third.json --json";
    let thrice = bench.json(bench.stored(thrice));
    assert_eq!(at(&thrice, "/cells").as_array().unwrap().len(), 2);
    assert_eq!(at(&thrice, "/cells/0/estimates/iops/samples"), 3);
    // The store holds fio's own numbers, with the name of their file.
    let run = bench.stored_run(1);
    let stated = run.samples[0].sample.stated.as_ref().unwrap();
    assert_eq!(stated.source, "good.json");
    assert!(stated.jobs[0].numbers.len() > 100);
}

/// Returns the place, options and IOPS of each cell of a run.
fn cells(document: &Value) -> Vec<(String, String, f64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cell = |cell: &Value| {
        let options = cell["workload"]["options"].to_string();
        let iops = cell["estimates"]["iops"]["value"].as_f64().unwrap();
        (text(&cell["stack"]["name"]), options, iops)
    };
    let cells = at(document, "/cells").as_array().unwrap();
    cells.iter().map(cell).collect()
}

#[test]
fn unlike_devices_are_unlike_cells_and_both_are_shown() {
    let Some(bench) = Bench::new() else { return };
    for name in ["sda.json", "nvme0n1.json"] {
        copy(&bench, &format!("strangers/{name}"), name);
    }
    let both = bench.json(bench.stored("import fio sda.json nvme0n1.json --json"));
    let devices: Vec<(String, f64)> = cells(&both)
        .into_iter()
        .map(|(place, _, iops)| (place, iops))
        .collect();
    let expected = [
        ("/dev/sda".to_owned(), 1000.0),
        ("/dev/nvme0n1".to_owned(), 50_000.0),
    ];
    assert_eq!(devices, expected);
    let shown = stored(&bench, "show 1 --plain").stdout;
    assert!(
        shown.contains("/dev/sda") && shown.contains("/dev/nvme0n1"),
        "{shown}"
    );
    // Other options are distinguished, too, and shown without those that all share.
    let sda = fs::read_to_string(data("strangers/sda.json")).unwrap();
    for (name, verify) in [("md5.json", "md5"), ("crc.json", "crc32c")] {
        let more = format!("\"verify\": \"{verify}\", \"runtime\": \"10\", \"rw\"");
        bench.write(name, &sda.replace("\"rw\"", &more));
    }
    let done = stored(&bench, "import fio md5.json crc.json --plain");
    for word in ["options", "verify=md5", "verify=crc32c"] {
        assert!(done.stdout.contains(word), "{word}: {}", done.stdout);
    }
    assert!(!done.stdout.contains("runtime=10"), "{}", done.stdout);
    let report = stored(&bench, "report 2 -o page.html");
    assert_eq!(report.code, Some(0), "{}", report.transcript());
    let page = fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(page.contains("verify=md5") && page.contains("verify=crc32c"));
    // What differs between two runs is named.
    assert_eq!(stored(&bench, "import fio sda.json --quiet").code, Some(0));
    let apart = stored(&bench, "compare 3 2");
    assert!(
        apart.stderr.contains("options is - in run 3 and")
            && apart
                .stderr
                .contains("several cells of one run are as one of the other"),
        "{}",
        apart.stderr
    );
}

#[test]
fn a_file_of_several_runs_is_imported_whole_and_each_run_once() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "strangers/glued-runs.json", "all.json");
    copy(&bench, "plain-3.1.json", "good.json");
    copy_later(&bench, "plain-3.1.json", "later.json", 60);
    let iops = |arguments: &str| {
        let document = bench.json(bench.stored(arguments));
        let cells = at(&document, "/cells").as_array().unwrap().clone();
        let mut found: Vec<(String, u64, String)> = cells
            .iter()
            .map(|cell| {
                let iops = &cell["estimates"]["iops"];
                (
                    cell["workload"]["name"].to_string(),
                    iops["samples"].as_u64().unwrap(),
                    iops["value"].to_string(),
                )
            })
            .collect();
        found.sort();
        let mut notes: Vec<String> = at(&document, "/warnings")
            .as_array()
            .unwrap()
            .iter()
            .map(|warning| warning["message"].to_string())
            .collect();
        notes.sort();
        (found, notes)
    };
    let (all, notes) = iops("import fio all.json good.json later.json --json");
    let counts: Vec<(&str, u64)> = all
        .iter()
        .map(|(name, count, _)| (name.as_str(), *count))
        .collect();
    let expected = [
        ("\"first\"", 1),
        ("\"reader\"", 2),
        ("\"second\"", 1),
        ("\"writer\"", 2),
    ];
    assert_eq!(counts, expected);
    assert_eq!((all[0].2.as_str(), all[2].2.as_str()), ("1000.0", "500.0"));
    // Neither the order of the files nor a file named twice changes anything.
    let (turned, _) = iops("import fio later.json good.json all.json --json");
    assert_eq!(turned, all);
    let (again, repeated) = iops("import fio all.json good.json later.json good.json --json");
    assert_eq!(again, all);
    let word = "one run was left out, because another file has the same run: `good.json`";
    assert!(
        repeated.iter().any(|note| note.contains(word)),
        "{repeated:?}"
    );
    assert_eq!(repeated.len(), notes.len() + 1);
    // Nor does what another program made of a file: other blanks, other digits of the same numbers.
    let good: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("good.json")).unwrap()).unwrap();
    bench.write("compact.json", &good.to_string());
    let blanks = serde_json::to_string_pretty(&good)
        .unwrap()
        .replace('\n', "\r\n");
    bench.write("blanks.json", &blanks);
    for name in ["compact.json", "blanks.json"] {
        let (again, repeated) = iops(&format!(
            "import fio all.json good.json later.json {name} --json"
        ));
        assert_eq!(again, all, "{name}");
        assert!(
            repeated
                .iter()
                .any(|note| note.contains("one run was left out")),
            "{repeated:?}"
        );
    }
}

/// People keep one directory for each setup: the same job there was a repeat, without a word.
#[test]
fn repeats_from_several_directories_are_told() {
    let Some(bench) = Bench::new() else { return };
    for name in ["plain", "raid"] {
        fs::create_dir_all(bench.path(name)).unwrap();
    }
    copy(&bench, "plain-3.1.json", "plain/good.json");
    copy_later(&bench, "plain-3.1.json", "plain/later.json", 60);
    copy_later(&bench, "plain-3.1.json", "raid/good.json", 120);
    let told = |arguments: &str| {
        let done = stored(&bench, arguments);
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        format!("{}{}", done.stdout, done.stderr)
    };
    let word = "repeats from several directories (`plain`, `raid`)";
    let words = told("import fio plain/good.json raid/good.json --name two");
    assert!(words.contains(word), "{words}");
    let words = told("import fio plain/good.json plain/later.json --name one");
    assert!(!words.contains("directories"), "{words}");
}

#[test]
fn a_lost_host_and_a_file_without_a_known_job_are_refused() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "lost-host.json", "lost.json");
    let mixed = fs::read_to_string(data("mixed.json")).unwrap();
    bench.write("mixed.json", &mixed.replace("randread", "randrw"));
    stored(&bench, "import fio lost.json mixed.json").refused(&expect![[r#"
        error: failed to import `lost.json`: the results of these hosts are missing: 127.0.0.2

        hint: run fio again with all hosts, or remove the others from the results of the run
        error: failed to import `mixed.json`: no job in it can be imported: job `pure` was left out: it counts its reads and writes together (`unified_rw_reporting=mixed`); run fio with `unified_rw_reporting=none`; job `both` was left out: it counts its reads and writes together (`unified_rw_reporting=mixed`); run fio with `unified_rw_reporting=none`
        error: nothing was imported
    "#]]);
    assert!(!bench.path("store/runs.db").exists());
}

#[test]
fn many_samples_are_stored_as_they_are_read_and_not_read_back() {
    let Some(bench) = Bench::new() else { return };
    // Each job has 4,000 numbers, of which a sample keeps all.
    let numbers: Vec<String> = (0..4000).map(|number| format!("\"{number}\":1")).collect();
    let numbers = format!("\"numbers\": {{{}}}, \"jobname\"", numbers.join(","));
    let sda = fs::read_to_string(data("strangers/sda.json")).unwrap();
    let sda = sda.replace("\"jobname\"", &numbers);
    let runs: Vec<String> = (0..20)
        .map(|run| sda.replace("1700000000", &format!("{}", 1_700_000_000 + run * 20)))
        .collect();
    bench.write("first.json", &runs.join("\n"));
    bench.write("second.json", &runs.join("\n").replace("17000", "17001"));
    let document = bench.json(bench.stored("import fio first.json second.json --json"));
    assert_eq!(at(&document, "/run/samples_all"), 40);
    assert_eq!(at(&document, "/run/samples_counted"), 40);
    assert_eq!(at(&document, "/run/samples_left_out"), true);
    assert_eq!(at(&document, "/cells").as_array().unwrap().len(), 1);
    let people = stored(&bench, "import fio first.json second.json");
    assert_eq!(people.code, Some(0), "{}", people.transcript());
    assert!(
        people.stdout.contains("first.json, second.json")
            && people
                .stdout
                .contains("40 samples were imported; `stripewise show 2`"),
        "{}",
        people.stdout
    );
    let shown = stored(&bench, "show 1").stdout;
    assert!(shown.contains("40 of 40 samples count"), "{shown}");
}

#[test]
fn logs_go_to_the_jobs_of_the_files_beside_them() {
    let Some(bench) = Bench::new() else { return };
    for directory in ["one", "two"] {
        fs::create_dir(bench.path(directory)).unwrap();
        for name in [
            "logs.json",
            "plot_bw.1.log",
            "plot_iops.1.log",
            "plot_lat.1.log",
        ] {
            copy(
                &bench,
                &format!("logs/{name}"),
                &format!("{directory}/{name}"),
            );
        }
    }
    copy_later(&bench, "logs/logs.json", "two/logs.json", 1);
    let done = stored(
        &bench,
        "import fio one/logs.json one/plot_bw.1.log one/plot_iops.1.log two/logs.json two/plot_lat.1.log",
    );
    assert_eq!(done.code, Some(0), "{}", done.transcript());
    let run = bench.stored_run(1);
    let series: Vec<_> = run
        .samples
        .iter()
        .map(|record| record.sample.series.as_ref().map(|series| series.bytes()))
        .collect();
    assert!(series[0].as_ref().unwrap().iter().sum::<u64>() > 1 << 20);
    // Latencies alone have no steps of bandwidth.
    assert_eq!(series[1], None);
    assert!(done.stdout.contains("2.35"), "{}", done.stdout);
    let report = stored(&bench, "report 1 --json");
    assert_eq!(report.code, Some(0), "{}", report.transcript());
}

#[test]
fn names_and_tags_are_given_shown_and_looked_for() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.16.json", "a.json");
    let first = stored(
        &bench,
        "import fio a.json --name before --tag nvme --tag lab",
    );
    assert_eq!(first.code, Some(0), "{}", first.transcript());
    assert!(
        first.stdout.starts_with("before\nrun 1"),
        "{}",
        first.stdout
    );
    assert_eq!(stored(&bench, "import fio a.json").code, Some(0));
    stored(&bench, "rename 2 after --tag nvme --untag other").expect(&expect![[r#"
        exit 0
        --- stderr
        run 2 is `after`, tags nvme
    "#]]);
    let named = |arguments: &str| -> Vec<String> {
        let list = bench.json(bench.stored(arguments));
        let runs = list["runs"].as_array().unwrap().iter();
        runs.map(|run| run["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(named("list --json"), ["before", "after"]);
    assert_eq!(named("list --json --tag nvme --tag lab"), ["before"]);
    let list = stored(&bench, "list").stdout;
    assert!(list.contains("tags") && list.contains("lab nvme"), "{list}");
    stored(&bench, "list --tag tape").expect(&expect![[r#"
        exit 0
        --- stderr
        no run has the tag `tape`
    "#]]);
    // An export keeps them.
    assert_eq!(
        stored(&bench, "export 1 --format json -o run.json").code,
        Some(0)
    );
    assert_eq!(stored(&bench, "import export run.json").code, Some(0));
    assert_eq!(named("list --json --tag lab"), ["before", "before"]);
    let bad = stored(&bench, "rename 1 --tag a,b");
    assert_eq!(bad.code, Some(2));
    assert!(
        bad.stderr.contains("a tag cannot contain ','"),
        "{}",
        bad.stderr
    );
}

#[test]
fn runs_are_deleted_only_after_a_confirmation() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.6.json", "a.json");
    for _ in 0..4 {
        assert_eq!(stored(&bench, "import fio a.json --quiet").code, Some(0));
    }
    let asked = stored(&bench, "delete 1 2");
    assert_eq!(asked.code, Some(2));
    assert!(
        asked
            .stderr
            .contains("these runs would be deleted permanently"),
        "{}",
        asked.stderr
    );
    assert!(asked.stderr.contains("add `--yes`"), "{}", asked.stderr);
    assert_eq!(runs(&bench), [1, 2, 3, 4]);
    // All or none.
    let absent = stored(&bench, "delete --yes 1 9");
    assert_eq!(absent.code, Some(2));
    assert!(absent.stderr.contains("no run 9"), "{}", absent.stderr);
    assert_eq!(runs(&bench), [1, 2, 3, 4]);
    stored(&bench, "delete --yes 1 latest").expect(&expect![[r#"
        exit 0
        --- stderr
        deleted runs 1, 4
    "#]]);
    assert_eq!(runs(&bench), [2, 3]);
    for (answer, left) in [("no", vec![2, 3]), ("yes", vec![3])] {
        let mut command = bench.stored("delete 2");
        command.env(TYPES, "1");
        let (mut child, mut terminal) = start_on_terminal(command, 80);
        terminal
            .write_all(format!("{answer}\n").as_bytes())
            .unwrap();
        let mut said = Vec::new();
        // A terminal whose other end is closed answers with an error.
        let _end = terminal.read_to_end(&mut said);
        let code = child.wait().unwrap().code();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(code, Some(if answer == "yes" { 0 } else { 2 }), "{said}");
        assert!(
            said.contains("Type yes to delete this run permanently"),
            "{said}"
        );
        assert_eq!(runs(&bench), left, "{said}");
    }
}

#[test]
fn a_run_under_way_is_not_deleted() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.6.json", "a.json");
    assert_eq!(stored(&bench, "import fio a.json --quiet").code, Some(0));
    // This process claims the run.
    let mut store: Store = bench.store();
    store.claim_run(RunId(1)).unwrap();
    let refused = stored(&bench, "delete --yes 1");
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("run 1 is still being executed"),
        "{}",
        refused.stderr
    );
    drop(store);
    assert_eq!(stored(&bench, "delete --yes 1").code, Some(0));
}

#[test]
fn single_measurements_are_compared_without_an_interval() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.33.json", "a.json");
    copy(&bench, "plain-3.42.json", "b.json");
    assert_eq!(stored(&bench, "import fio a.json --quiet").code, Some(0));
    assert_eq!(stored(&bench, "import fio b.json --quiet").code, Some(0));
    for metric in ["bandwidth", "latency_p99"] {
        let done = stored(&bench, &format!("compare 1 2 --metric {metric} --plain"));
        assert_eq!(done.code, Some(0), "{}", done.transcript());
        let said = done.stdout;
        assert!(
            said.contains("one measurement each, so there is no interval"),
            "{said}"
        );
        assert!(!said.contains("more sample"), "{said}");
    }
    // fio's own percentiles are compared, and never merged.
    let json = bench.json(bench.stored("compare 1 2 --metric latency_p99 --json"));
    let ratio = at(&json, "/rows/0/ratio/value").as_f64().unwrap();
    assert!((ratio - 112_128.0 / 94_720.0).abs() < 1e-9, "{ratio}");
    assert!(at(&json, "/rows/0/ratio/low").is_null());
    assert_eq!(at(&json, "/rows/0/repeatable"), false);
}

#[test]
fn logs_show_how_steady_a_single_measurement_was() {
    let Some(bench) = Bench::new() else { return };
    for name in ["logs.json", "plot_bw.1.log"] {
        copy(&bench, &format!("logs/{name}"), name);
    }
    for _ in 0..2 {
        let done = stored(&bench, "import fio logs.json plot_bw.1.log --quiet");
        assert_eq!(done.code, Some(0), "{}", done.transcript());
    }
    let done = stored(&bench, "compare 1 2 --plain");
    let said = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("% over 3 means in run 1, "), "{said}");
    assert!(
        said.contains("not how far another measurement would differ"),
        "{said}"
    );
}

#[test]
fn runs_without_a_common_cell_say_which_keys_differ() {
    let Some(bench) = Bench::new() else { return };
    copy(&bench, "plain-3.33.json", "a.json");
    let other = fs::read_to_string(data("plain-3.42.json")).unwrap();
    bench.write(
        "b.json",
        &other.replace("\"size\" : \"1m\"", "\"size\" : \"2m\""),
    );
    assert_eq!(stored(&bench, "import fio a.json --quiet").code, Some(0));
    assert_eq!(stored(&bench, "import fio b.json --quiet").code, Some(0));
    stored(&bench, "compare 1 2").refused(&expect![[r#"
        error: the two runs have no cell in common: size is 1M in run 1 and 2M in run 2

        hint: `--ignore size` compares them anyway; the difference then includes the effect of the ignored keys
    "#]]);
    let json = bench.json(bench.stored("compare 1 2 --ignore size --json"));
    assert_eq!(at(&json, "/rows").as_array().unwrap().len(), 2);
    let unknown = stored(&bench, "compare 1 2 --ignore sise");
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.stderr.contains("cells do not differ by `sise`"),
        "{}",
        unknown.stderr
    );
}

/// The failure: the hint named keys that were ignored already, again and again.
#[test]
fn what_the_hint_ignores_compares_the_runs() {
    let Some(bench) = Bench::new() else { return };
    let asked = [
        "--device sata-ssd --workload randread:4K:depth=1",
        "--device nvme-ssd --workload randread:4K:depth=8",
        "--device nvme-ssd --array raid1:2 --workload randread:8K:depth=8",
    ];
    for words in asked {
        let run = stored(&bench, &format!("run {words} --world model --quiet"));
        assert_eq!(run.code, Some(0), "{}", run.transcript());
    }
    let hinted = |text: &str| {
        let (_, rest) = text.split_once("`--ignore ")?;
        Some(rest.split_once('`')?.0.to_owned())
    };
    for pair in ["1 2", "1 3", "2 3"] {
        let refused = stored(&bench, &format!("compare {pair}"));
        let keys = hinted(&refused.stderr).expect(&refused.stderr);
        let compared = stored(&bench, &format!("compare {pair} --ignore {keys}"));
        assert_eq!(compared.code, Some(0), "{keys}: {}", compared.transcript());
        // With less than that, what is missing is named too.
        let first = keys.split(',').next().unwrap();
        let part = stored(&bench, &format!("compare {pair} --ignore {first}"));
        if part.code != Some(0) {
            let keys = hinted(&part.stderr).expect(&part.stderr);
            assert!(keys.split(',').any(|key| key == first), "{keys}");
            let compared = stored(&bench, &format!("compare {pair} --ignore {keys}"));
            assert_eq!(compared.code, Some(0), "{keys}: {}", compared.transcript());
        }
    }
}

/// The documented way from a job file to a comparison named keys only after it had failed.
#[test]
fn a_job_file_is_compared_with_its_old_results_as_the_manual_says() {
    let Some(bench) = Bench::new() else { return };
    let manual = include_str!("../../../../docs/import.md");
    let (_, rest) = manual.split_once("`stripewise compare OLD NEW ").unwrap();
    let (options, _) = rest.split_once('`').unwrap();
    copy(&bench, "plain-3.33.json", "old.json");
    assert_eq!(stored(&bench, "import fio old.json --quiet").code, Some(0));
    bench.write(
        "job.fio",
        "[reader]\nrw=randread\nbs=4k\nioengine=psync\nsize=1m\n",
    );
    let run = stored(
        &bench,
        "run job.fio --device sata-ssd --world model --quiet",
    );
    assert_eq!(run.code, Some(0), "{}", run.transcript());
    // The model's devices have a state; a filesystem has none.
    let compared = stored(&bench, &format!("compare 1 2 {options},state"));
    assert_eq!(compared.code, Some(0), "{}", compared.transcript());
}

/// Only the journal of its own store knows the devices of a run: `show` offered to resume it here.
#[test]
fn a_run_on_devices_of_another_store_is_not_offered_to_be_resumed() {
    let Some(bench) = Bench::new() else { return };
    let begun = bench
        .finish(bench.stored("run --device sata-ssd --workload randread:4K --world model --quiet"));
    assert_eq!(begun.code, Some(0), "{}", begun.transcript());
    let mut store: Store = bench.store();
    let model = store.run(RunId(1)).unwrap();
    let new = NewRun {
        origin: WorldName::Metal.into(),
        world: Some(WorldSpec::Devices),
        study_name: "devices".to_owned(),
        question: None,
        study_text: model.study_text.clone(),
        seed: 1,
        options: model.options.clone(),
        tool_version: "0.1.0".to_owned(),
        started_unix_ns: 1_790_000_000_000_000_000,
    };
    let facts = Facts::default();
    let foreign = store.begin_run(&new, &model.cells, &facts).unwrap();
    store.add_sample(foreign, &model.samples[0]).unwrap();
    store.finish_run(foreign, RunEnd::Interrupted).unwrap();
    drop(store);
    for show in ["show 2", "show 2 --language de"] {
        let shown = stored(&bench, show);
        assert_eq!(shown.code, Some(0), "{}", shown.transcript());
        assert!(
            !shown.stdout.contains("stripewise resume"),
            "{}",
            shown.stdout
        );
    }
    let shown = stored(&bench, "show 2 --plain");
    let says = "only the store that it was imported from knows its devices";
    assert!(shown.stdout.contains(says), "{}", shown.stdout);
    let page = stored(&bench, "report 2 --output page.html");
    assert_eq!(page.code, Some(0), "{}", page.transcript());
    let page = fs::read_to_string(bench.path("page.html")).unwrap();
    assert!(!page.contains("stripewise resume 2"));
    for resume in ["resume", "resume 2"] {
        stored(&bench, resume).refused(&expect![[r#"
            error: this store does not know which devices run 2 measured

            hint: the run was imported: resume it in its own store, or start a new run
        "#]]);
    }
    // An unfinished run of this store goes first.
    let mut store: Store = bench.store();
    store.claim_run(RunId(1)).unwrap();
    store.finish_run(RunId(1), RunEnd::Interrupted).unwrap();
    drop(store);
    let resumed = stored(&bench, "resume --json");
    let document: Value = serde_json::from_str(&resumed.stdout).unwrap();
    assert_eq!(at(&document, "/run/id"), 1, "{}", resumed.transcript());
}
