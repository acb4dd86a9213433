//! Imports of files of fio 2.1 to 3.42, and a check that every number is kept.
//!
//! The failure: an import of fio 3.1 kept the bandwidth but lost the mean and every percentile in
//! the file. One of 3.36 without bins kept only the mean; one of 2.21 was refused. No message
//! reported the loss. Here we search for every number and text of every file in the import.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stripewise_fio::{Import, Log, LogName, ParseError};
use stripewise_study::import_note::ImportNote;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Transfer, VerbatimJob};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{BlockSize, Pattern};
use stripewise_units::{Bytes, Nanos};

use crate::one_run::{import, import_with_logs};

/// Files of default options without bins, by version.
const PLAIN: [&str; 8] = [
    "2.1.3", "2.21", "3.1", "3.6", "3.16", "3.33", "3.36", "3.42",
];

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(data().join(name)).unwrap()
}

/// Returns the logs of a directory.
fn logs(directory: &str) -> Vec<Log> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(data().join(directory)).unwrap() {
        let path = entry.unwrap().path();
        if let Some(name) = LogName::parse(path.file_name().unwrap().to_str().unwrap()) {
            let bytes = fs::read(path).unwrap();
            logs.push(Log { name, bytes });
        }
    }
    logs.sort_by_key(|log| log.name.kind);
    logs
}

/// Collects the leaves of a value with their paths; objects that are kept in another form are
/// returned separately.
fn leaves(path: &str, value: &Value, found: &mut Vec<(String, Value)>, apart: &mut Vec<String>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                match key.as_str() {
                    "bins" | "job options" => apart.push(below(key)),
                    key => leaves(&below(key), value, found, apart),
                }
            }
        }
        Value::Array(entries) => {
            for (index, value) in entries.iter().enumerate() {
                leaves(&below(&index.to_string()), value, found, apart);
            }
        }
        leaf => found.push((path.to_owned(), leaf.clone())),
    }
}

/// Asserts that all leaves of an entry are kept; returns their number.
fn all_kept(file: &str, entry: &Value, kept: &VerbatimJob) -> usize {
    let (mut found, mut apart) = (Vec::new(), Vec::new());
    leaves("", entry, &mut found, &mut apart);
    for (path, value) in &found {
        match value {
            Value::Number(number) => {
                let number = number.as_f64().unwrap();
                let is_kept = kept.numbers.contains(&(path.clone(), number));
                assert!(is_kept, "{file}: {path} = {number} is lost");
            }
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => {
                let is_kept = kept.texts.contains(&(path.clone(), text.clone()));
                assert!(is_kept, "{file}: {path} = {text:?} is lost");
            }
            other => panic!("{file}: {path} is {other}"),
        }
    }
    found.len()
}

/// Returns the files with one document, all of whose jobs are imported.
fn files() -> Vec<String> {
    let mut files: Vec<String> = PLAIN.iter().map(|v| format!("plain-{v}.json")).collect();
    files.extend(
        [
            "bins-2.21.json",
            "ended-early.json",
            "logs/logs.json",
            "logs-2.21/each.json",
            "fio-3.28.json",
            "fio-3.33.json",
            "fio-3.36.json",
            "fio-3.42.json",
            "numjobs.json",
            "group-reporting.json",
            "plain-json.json",
            "two-clients.json",
        ]
        .map(str::to_owned),
    );
    files
}

#[test]
fn no_number_or_text_of_fio_is_lost() {
    let mut numbers = 0;
    for file in files() {
        // Clients print text before the JSON.
        let text = String::from_utf8(bytes(&file)).unwrap();
        let document: Value = serde_json::from_str(&text[text.find("{\n").unwrap()..]).unwrap();
        let import = import(&bytes(&file)).unwrap();
        let kept: Vec<&VerbatimJob> = import
            .cells
            .iter()
            .flat_map(|cell| &cell.sample.stated.as_ref().unwrap().jobs)
            .collect();
        let mut jobs = 0;
        for (key, value) in document.as_object().unwrap() {
            match key.as_str() {
                "jobs" | "client_stats" => {
                    for entry in value.as_array().unwrap() {
                        // fio's sum of all clients; the jobs themselves are imported.
                        if entry["jobname"] == "All clients" {
                            continue;
                        }
                        numbers += all_kept(&file, entry, kept[jobs]);
                        options_kept(&file, entry, &import);
                        jobs += 1;
                    }
                }
                "disk_util" => {
                    for (entry, kept) in value.as_array().unwrap().iter().zip(&import.disks) {
                        numbers += all_kept(&file, entry, kept);
                    }
                    assert_eq!(
                        value.as_array().unwrap().len(),
                        import.disks.len(),
                        "{file}"
                    );
                }
                "fio version" => {
                    assert_eq!(value, import.version.as_ref().unwrap().as_str(), "{file}");
                }
                "global options" => {
                    let kept = import.global_options.len();
                    // Each host lists its name and port beside its options.
                    let of_a_host = |host: &Value| host.as_object().unwrap().len() - 2;
                    let written = match value {
                        Value::Array(list) => list.first().map_or(0, of_a_host),
                        value => value.as_object().unwrap().len(),
                    };
                    assert_eq!(kept, written, "{file}");
                }
                // One time in three forms; the finest is kept.
                "timestamp" | "timestamp_ms" | "time" => {
                    assert!(import.written_unix_ns.is_some(), "{file}");
                }
                // The clients' arguments, which are also in their options.
                "client_options" => {}
                other => panic!("{file}: unknown key `{other}`"),
            }
        }
        assert_eq!(jobs, kept.len(), "{file}");
    }
    assert!(
        numbers > 3000,
        "only {numbers} numbers and texts were checked"
    );
}

/// Asserts that the options of an entry are kept in its cell.
fn options_kept(file: &str, entry: &Value, import: &Import) {
    let Some(options) = entry["job options"].as_object() else {
        return;
    };
    let cell = import
        .cells
        .iter()
        .find(|cell| entry["jobname"] == cell.name.as_str());
    let kept = &cell.unwrap().sample.stated.as_ref().unwrap().options;
    for (name, value) in options {
        let kept = kept.iter().find(|(option, _)| option == name);
        assert_eq!(
            kept.map(|(_, kept)| kept.as_str()),
            value.as_str(),
            "{file}: {name}"
        );
    }
}

#[test]
fn mean_and_percentiles_equal_fios() {
    for version in PLAIN {
        let file = format!("plain-{version}.json");
        let document: Value = serde_json::from_slice(&bytes(&file)).unwrap();
        let import = import(&bytes(&file)).unwrap();
        for (cell, entry) in import
            .cells
            .iter()
            .zip(document["jobs"].as_array().unwrap())
        {
            let (direction, transfer): (&str, &Transfer) = match cell.name.as_str() {
                "reader" => ("read", &cell.sample.read),
                _ => ("write", &cell.sample.write),
            };
            let expected = &entry[direction];
            let (latency, unit_ns) = match expected.get("clat_ns") {
                Some(latency) => (latency, 1.0),
                None => (&expected["clat"], 1000.0),
            };
            let near = |kept: Option<f64>, expected: f64| {
                let kept = kept.unwrap_or_else(|| panic!("{file}: {expected} is missing"));
                assert!(
                    (kept - expected).abs() < 1.0,
                    "{file}: {kept} instead of {expected}"
                );
            };
            near(
                transfer.latency.mean_ns,
                latency["mean"].as_f64().unwrap() * unit_ns,
            );
            for (metric, percent) in [
                (Metric::LatencyP50, "50.000000"),
                (Metric::LatencyP99, "99.000000"),
                (Metric::LatencyP999, "99.900000"),
            ] {
                let expected = latency["percentile"][percent].as_f64().unwrap() * unit_ns;
                assert!(expected > 0.0, "{file}");
                near(metric.of(&cell.sample), expected);
            }
            // 8 loops over 1 MiB in blocks of 4 KiB.
            assert_eq!(transfer.ios, 2048, "{file}");
            assert_eq!(transfer.bytes, Bytes::new(8 << 20), "{file}");
            let bandwidth = Metric::Bandwidth.of(&cell.sample).unwrap();
            let expected = expected["bw"].as_f64().unwrap() * 1024.0;
            assert!(
                (bandwidth / expected - 1.0).abs() < 0.001,
                "{file}: {bandwidth} of {expected}"
            );
            // They are marked as fio's own and cannot be merged.
            assert!(
                cell.sample.warnings.contains(&Warning::NoHistogram),
                "{file}"
            );
            let mut twice = transfer.clone();
            twice.merge(transfer);
            assert_eq!(twice.latency.quantile_in(99, 100), None, "{file}");
        }
    }
}

#[test]
fn files_without_options_get_a_note_about_unknown_fields() {
    let import = import(&bytes("plain-2.1.3.json")).unwrap();
    assert_eq!(
        import.notes,
        [ImportNote::IosFromRate, ImportNote::BytesInKib]
    );
    let patterns: Vec<Pattern> = import.cells.iter().map(|cell| cell.load.pattern).collect();
    assert_eq!(patterns, [Pattern::Read, Pattern::Write]);
    for cell in &import.cells {
        assert!(cell.notes.contains(&ImportNote::OptionsUnknown));
        assert_eq!(cell.load.block_size, BlockSize::Fixed(Bytes::new(4096)));
    }
}

#[test]
fn bins_of_microseconds_become_bins_of_nanoseconds() {
    let import = import(&bytes("bins-2.21.json")).unwrap();
    let latency = &import.cells[0].sample.read.latency;
    assert_eq!(latency.histogram.count(), 2048);
    assert_eq!(latency.percentiles, []);
    let p50 = latency.quantile_in(1, 2).unwrap().as_u64();
    assert!((10_000..1_000_000).contains(&p50), "{p50} ns");
}

#[test]
fn percentiles_of_several_jobs_are_kept_separate() {
    let import = import(&bytes("plain-json.json")).unwrap();
    let cell = &import.cells[0];
    assert_eq!(
        Metric::LatencyP99.of(&cell.sample),
        None,
        "of reads and writes together"
    );
    for transfer in [&cell.sample.read, &cell.sample.write] {
        assert!(transfer.latency.quantile_in(99, 100).is_some());
    }
    assert!(
        cell.notes
            .contains(&ImportNote::PercentilesByJob { parts: 2 })
    );
}

#[test]
fn a_job_that_ended_early_gets_a_note() {
    let import = import(&bytes("ended-early.json")).unwrap();
    let notes: Vec<String> = import.cells[0]
        .notes
        .iter()
        .map(|note| format!("{:?}", note.message()))
        .collect();
    let early: Vec<&String> = notes
        .iter()
        .filter(|note| note.contains("ended-early"))
        .collect();
    assert_eq!(early.len(), 1, "{notes:?}");
    assert!(early[0].contains("asked: 60.00 s"), "{}", early[0]);

    let stopped = String::from_utf8(bytes("ended-early.json")).unwrap();
    let stopped = stopped.replace(
        "\"runtime\" : \"60\"",
        "\"runtime\" : \"60\", \"time_based\" : \"1\"",
    );
    let import = crate::one_run::import(stopped.as_bytes()).unwrap();
    let notes: Vec<String> = import.cells[0]
        .notes
        .iter()
        .map(|note| format!("{:?}", note.message()))
        .collect();
    assert!(
        notes
            .iter()
            .any(|note| note.contains("is_time_based: true")),
        "{notes:?}"
    );
}

#[test]
fn averaged_logs_become_the_steps_of_the_sample() {
    let mut logs = logs("logs");
    assert_eq!(logs.len(), 6);
    let import = import_with_logs(&bytes("logs/logs.json"), &mut logs).unwrap();
    assert!(logs.is_empty(), "all belong to the job");
    let cell = &import.cells[0];
    let series = cell.sample.series.as_ref().unwrap();
    assert_eq!((series.step_ns, series.len()), (Nanos::from_millis(200), 4));
    // 200 ms of 1600 and 800 KiB/s, 400 and 200 I/Os per second, from the first lines of the logs.
    assert_eq!(series.read.bytes[0], 1600 * 1024 / 5);
    assert_eq!(series.write.ios[0], 40);
    assert_eq!(series.read.mean_latency_ns[0], 144_447);
    // The histogram log lacks the last window: fio's own percentiles cover all I/Os, and stay.
    let parts = cell.notes.iter().filter(
        |note| matches!(note, ImportNote::HistogramLogPart { logged, ios } if logged < ios),
    );
    assert_eq!(parts.count(), 2, "{:?}", cell.notes);
    assert!(!cell.sample.read.latency.percentiles.is_empty());
    assert!(cell.sample.warnings.contains(&Warning::NoHistogram));
}

#[test]
fn a_histogram_log_of_all_ios_is_as_good_as_bins() {
    let mut logs = logs("logs");
    let logged = 322;
    // As if the job had ended with the last window that fio logged.
    let json = String::from_utf8(bytes("logs/logs.json")).unwrap();
    let whole: Value = serde_json::from_str(&json).unwrap();
    let ios = whole["jobs"][0]["read"]["total_ios"].as_u64().unwrap();
    assert!(ios > logged && ios < 2 * logged, "{ios}");
    let json = json.replace(&format!("\"N\" : {ios}"), &format!("\"N\" : {logged}"));
    let import = import_with_logs(json.as_bytes(), &mut logs).unwrap();
    let latency = &import.cells[0].sample.read.latency;
    assert_eq!(latency.histogram.count(), logged);
    assert_eq!(latency.percentiles, []);
    let (p50, mean) = (latency.quantile_in(1, 2).unwrap(), latency.mean_ns.unwrap());
    let ratio = p50.as_secs_f64() * 1e9 / mean;
    assert!((0.5..2.0).contains(&ratio), "median {p50:?}, mean {mean}");
}

#[test]
fn logs_of_single_ios_become_steps_and_bins() {
    let mut logs = logs("logs-2.21");
    let import = import_with_logs(&bytes("logs-2.21/each.json"), &mut logs).unwrap();
    assert!(logs.is_empty());
    let cell = &import.cells[0];
    let series = cell.sample.series.as_ref().unwrap();
    assert_eq!(series.bytes().iter().sum::<u64>(), 64 << 10);
    assert_eq!(series.read.ios.iter().sum::<u64>(), 16);
    // The total latency is logged, and fio's percentiles are of completion latency: both stay.
    assert!(!cell.sample.read.latency.percentiles.is_empty());
}

#[test]
fn a_log_of_no_job_is_left_in_the_list() {
    let mut logs = vec![Log {
        name: LogName::parse("other_bw.1.log").unwrap(),
        bytes: b"1, 2, 0, 0\n".to_vec(),
    }];
    let import = import_with_logs(&bytes("logs/logs.json"), &mut logs).unwrap();
    assert_eq!(logs.len(), 1);
    assert_eq!(import.cells[0].sample.series, None);
}

#[test]
fn names_of_logs_are_recognized() {
    let parse = |name: &str| {
        LogName::parse(name).map(|name| (name.stem, format!("{:?}", name.kind), name.job))
    };
    let log = |stem: &str, kind: &str, job| Some((stem.to_owned(), kind.to_owned(), job));
    assert_eq!(parse("a_bw.1.log"), log("a", "Bandwidth", Some(1)));
    assert_eq!(
        parse("a_b_clat_hist.12.log"),
        log("a_b", "Histogram", Some(12))
    );
    assert_eq!(parse("a_clat.log"), log("a", "CompletionLatency", None));
    for name in [
        "a.json",
        "bw.log",
        "a_bw.log.host",
        "a_bw.x.log",
        "a_bw",
        "",
    ] {
        assert_eq!(parse(name), None, "{name}");
    }
    let kinds: BTreeSet<_> = logs("logs").iter().map(|log| log.name.kind).collect();
    assert_eq!(kinds.len(), 6);
}

/// Returns the error of importing a file in which one number of the first job is another.
fn refused(name: &str, pointer: &str, value: Value) -> ParseError {
    let mut document: Value = serde_json::from_slice(&bytes(name)).unwrap();
    *document.pointer_mut(pointer).unwrap() = value;
    import(document.to_string().as_bytes()).unwrap_err()
}

/// The failures: a damaged file was imported with a mean above the longest latency. Another one, without
/// options, ended the program: no power of two is as large as its block size.
#[test]
fn a_result_that_no_measurement_has_is_refused_with_its_job() {
    let latency = "/jobs/0/read/clat_ns";
    for (pointer, value, problem) in [
        (
            format!("{latency}/mean"),
            json!(1e15),
            "`read.latency.mean_ns` is 1000000000000000.0",
        ),
        (
            format!("{latency}/max"),
            json!(1),
            "`read.latency.min_ns` is ",
        ),
        (
            format!("{latency}/max"),
            json!(u64::MAX),
            "`read.latency.max_ns` is 1.8446744073709552e19",
        ),
        (
            "/jobs/0/read/io_bytes".to_owned(),
            json!(u64::MAX),
            "`read.bytes` is 1.8446744073709552e19",
        ),
    ] {
        let error = refused("plain-3.33.json", &pointer, value);
        assert_eq!(
            error.to_string(),
            "job `reader` has an impossible result",
            "{pointer}"
        );
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.starts_with(problem), "{source}");
        assert!(error.hint().is_some());
    }
    let without_options = r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "read":
        {"io_bytes": 18446744073709551615, "total_ios": 1, "runtime": 1000}}]}"#;
    let error = import(without_options.as_bytes()).unwrap_err();
    assert!(matches!(error, ParseError::Impossible { .. }), "{error}");
}
