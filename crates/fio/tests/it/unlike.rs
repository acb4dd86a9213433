//! Runs of fio that look alike and are not, and files in forms that fio did not choose.
//!
//! The failures: the same job on `/dev/sda` (1,000 IOPS) and `/dev/nvme0n1` (50,000) became one cell
//! of 25,500 IOPS with two samples; so did rbd and nfs, two hosts, and other `verify`, `nrfiles` and
//! `directory`. Of two runs in one file only the last was imported. A file without the results of a
//! host was imported in silence. UTF-16 was "no JSON document", a Windows error number got Linux's
//! text, and the six fields of a log with means and maxima were read as four.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Value, json};
use stripewise_fio::import::{Import, ImportedCell, import, import_with_logs};
use stripewise_fio::{Log, LogName, ParseError, cause, parse_output};
use stripewise_study::import_note::ImportNote;
use stripewise_study::metric::Metric;
use stripewise_study::warning::Warning;
use stripewise_units::Nanos;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(data().join(name)).unwrap()
}

fn imported(bytes: &[u8]) -> Vec<Import> {
    import(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn iops(cell: &ImportedCell) -> f64 {
    Metric::Iops.of(&cell.sample).unwrap()
}

/// Returns a run of fio 3.33 of one job with these options: 10 s, then its report at `timestamp`.
fn run(options: &Value, timestamp: u64) -> Value {
    let mut run: Value = serde_json::from_slice(&bytes("strangers/sda.json")).unwrap();
    run["timestamp"] = json!(timestamp);
    run["timestamp_ms"] = json!(timestamp * 1000);
    run["jobs"][0]["job options"] = options.clone();
    // Tests change the counts alone.
    let read = run["jobs"][0]["read"].as_object_mut().unwrap();
    read.retain(|key, _| !["iops", "bw", "bw_bytes"].contains(&key.as_str()));
    if let Some(name) = options.get("name") {
        run["jobs"][0]["jobname"] = name.clone();
    }
    run
}

/// As [`run`], of a job without I/Os, so that they fit all options.
fn idle(options: &Value, timestamp: u64) -> Value {
    let mut idle = run(options, timestamp);
    let read = &mut idle["jobs"][0]["read"];
    for count in ["total_ios", "io_bytes", "io_kbytes"] {
        read[count] = json!(0);
    }
    idle
}

/// Returns what makes the cell of a run: repeats have the same.
fn identity(run: &Value) -> (String, String, BTreeMap<String, String>, String) {
    let imported = imported(run.to_string().as_bytes());
    let cell = &imported[0].cells[0];
    (
        cell.name.clone(),
        cell.place.clone(),
        cell.options.clone(),
        format!("{:?}", cell.load),
    )
}

#[test]
fn the_same_job_on_two_devices_is_two_cells() {
    let of = |name: &str| imported(&bytes(name)).remove(0).cells.remove(0);
    let (sda, nvme) = (of("strangers/sda.json"), of("strangers/nvme0n1.json"));
    assert_eq!((sda.place.as_str(), iops(&sda)), ("/dev/sda", 1000.0));
    assert_eq!(
        (nvme.place.as_str(), iops(&nvme)),
        ("/dev/nvme0n1", 50_000.0)
    );
    assert_eq!((&sda.load, &sda.options), (&nvme.load, &nvme.options));
}

#[test]
fn two_runs_in_one_file_are_two_runs() {
    let runs = imported(&bytes("strangers/glued-runs.json"));
    let cells: Vec<(&str, f64, String)> = runs
        .iter()
        .flat_map(|run| &run.cells)
        .map(|cell| {
            let block_size = cell.load.block_size.to_string();
            (cell.name.as_str(), iops(cell), block_size)
        })
        .collect();
    let expected = [
        ("first", 1000.0, "4K".to_owned()),
        ("second", 500.0, "8K".to_owned()),
    ];
    assert_eq!(cells, expected);
    assert!(runs.iter().all(|run| run.notes.is_empty()));
    assert_ne!(runs[0].digest, runs[1].digest);
    assert_eq!(runs[1].written_unix_ns, Some(1_700_003_600_000_000_000));
}

#[test]
fn runs_are_told_from_reports_of_one_run_by_their_times() {
    let options = json!({"rw": "randread", "bs": "4k", "size": "1g"});
    let text = |runs: &[&Value]| {
        let texts: Vec<String> = runs.iter().map(ToString::to_string).collect();
        texts.join("\n")
    };
    let count = |runs: &[&Value]| import(text(runs).as_bytes()).map(|runs| runs.len());
    // The same job again and again, each for 10 s: lists are what other programs make of them.
    let repeats = [run(&options, 1_700_000_000), run(&options, 1_700_000_011)];
    let [one, two] = &repeats;
    assert_eq!(count(&[one, two]).unwrap(), 2);
    let list = json!([one, two, {"more": [one]}]);
    assert_eq!(imported(list.to_string().as_bytes()).len(), 3);
    let pretty = serde_json::to_string_pretty(&list).unwrap();
    assert_eq!(imported(pretty.as_bytes()).len(), 3);

    // Reports of one run, each with the I/Os so far, then another run.
    let report = |seconds: u64| {
        let mut report = run(&options, 1_700_000_000 + seconds);
        let job = &mut report["jobs"][0];
        job["elapsed"] = json!(seconds + 1);
        job["job_runtime"] = json!(seconds * 1000);
        job["read"]["total_ios"] = json!(seconds * 1000);
        job["read"]["runtime"] = json!(seconds * 1000);
        job["read"]["io_bytes"] = json!(seconds * 4_096_000);
        report
    };
    let (first, second, last) = (report(1), report(2), report(3));
    let again = run(&options, 1_700_001_000);
    let runs = imported(text(&[&first, &second, &last, &again]).as_bytes());
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].cells[0].sample.read.ios, 3000);
    assert_eq!(runs[0].notes, [ImportNote::SeveralDocuments { count: 3 }]);
    // The start of its jobs tells, too.
    let started = |report: &Value, at: u64| {
        let mut report = report.clone();
        report["jobs"][0]["job_start"] = json!(at);
        report
    };
    assert_eq!(count(&[&started(one, 5), &started(two, 6)]).unwrap(), 2);
    assert_eq!(
        count(&[&started(&first, 5), &started(&last, 5)]).unwrap(),
        1
    );

    // Without times it cannot be told.
    let timeless = |report: &Value| {
        let mut report = report.clone();
        for key in ["timestamp", "timestamp_ms", "time"] {
            report.as_object_mut().unwrap().remove(key);
        }
        report
    };
    let error = count(&[&timeless(&first), &timeless(&second)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "documents 1 and 2 may be reports of one run or of two: their times do not tell which"
    );
    assert!(error.hint().is_some());
    assert_eq!(count(&[&timeless(&second), &timeless(&first)]).unwrap(), 2);
}

#[test]
fn a_damaged_document_among_others_is_an_error() {
    let whole = run(&json!({"rw": "read"}), 1_700_000_000).to_string();
    let damaged = whole.replace("\"total_ios\":10000", "\"total_ios\":-1");
    let error = import(format!("{whole}\n{damaged}\n{whole}").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "document 2 of the file");
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(
        source.to_string(),
        "job `first`: `read.total_ios` is missing or not a count"
    );
    let no_json = whole.replace("\"jobs\":[", "\"jobs\":[}");
    assert!(import(format!("{whole}\n{no_json}").as_bytes()).is_err());
    // An unfinished run before a finished one does not hide it.
    let cut = &whole[..whole.len() / 2];
    let runs = imported(format!("{cut}\n{whole}").as_bytes());
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].notes, [ImportNote::CutShort]);
}

#[test]
fn any_reported_option_makes_another_cell() {
    let options = json!({"name": "first", "rw": "randwrite", "bs": "4k", "size": "1g"});
    let base = identity(&idle(&options, 1));
    let with = |name: &str, value: &str| {
        let mut options = options.clone();
        options[name] = json!(value);
        identity(&idle(&options, 2))
    };
    for (name, value) in [
        ("filename", "/dev/sdb"),
        ("directory", "/mnt/other"),
        ("ioengine", "rbd"),
        ("ioengine", "nfs"),
        ("verify", "md5"),
        ("nrfiles", "8"),
        ("bs", "8k,4k,16k"),
        ("rw", "randwrite:8"),
        ("runtime", "60"),
        ("zonemode", "zbd"),
        ("rate", "nonsense"),
        ("an_option_of_tomorrow", "1"),
    ] {
        let other = with(name, value);
        // A value for another direction is expressed exactly.
        assert_eq!(other == base, name == "bs", "{name}={value}");
    }
    assert_ne!(with("ioengine", "rbd"), with("ioengine", "nfs"));
    // These do not change what is measured, or say the same in other words.
    for (name, value) in [
        ("randseed", "7"),
        ("write_bw_log", "second"),
        ("description", "after lunch"),
        ("group_reporting", ""),
        ("bs", "4096"),
        ("iodepth", "1"),
        ("ioengine", "psync"),
    ] {
        assert_eq!(with(name, value), base, "{name}={value}");
    }
}

#[test]
fn disks_below_files_and_jobs_at_the_same_time_make_other_cells() {
    let options = json!({"rw": "read", "directory": "/mnt/test"});
    let on = |disk: &str| {
        let mut run = run(&options, 1);
        run["disk_util"] = json!([{"name": disk, "read_ios": 1}]);
        run
    };
    assert_eq!(identity(&on("sda")).1, "/mnt/test on sda");
    assert_ne!(identity(&on("sda")), identity(&on("nvme0n1")));
    let beside = |group: u64| {
        let mut run = run(&options, 1);
        let mut other = run["jobs"][0].clone();
        other["jobname"] = json!("writer");
        other["groupid"] = json!(group);
        run["jobs"].as_array_mut().unwrap().push(other);
        identity(&run).2
    };
    assert_eq!(beside(1), BTreeMap::new());
    let expected = BTreeMap::from([("beside".to_owned(), "writer".to_owned())]);
    assert_eq!(beside(0), expected);
}

#[test]
fn every_host_is_a_cell_and_a_lost_one_an_error() {
    let refused = |text: &[u8]| import(text).unwrap_err();
    // The client of fio 3.42 with two servers: one was killed, then one was never there.
    let lost = refused(&bytes("lost-host.json"));
    assert!(matches!(&lost, ParseError::MissingHosts { hosts } if hosts == &["127.0.0.2"]));
    assert_eq!(
        lost.to_string(),
        "the results of these hosts are missing: 127.0.0.2"
    );
    let absent = refused(&bytes("absent-host.json"));
    assert!(matches!(&absent, ParseError::MissingHosts { hosts } if hosts == &["127.0.0.3"]));
    // With fio's messages in another file, the JSON still tells that there was another host.
    let text = String::from_utf8(bytes("lost-host.json")).unwrap();
    let unnamed = refused(&text.as_bytes()[text.find('{').unwrap()..]);
    assert_eq!(
        unnamed.to_string(),
        "the results of a host are missing, which the file does not name"
    );
    // A host that has disks has results.
    let two = String::from_utf8(bytes("two-clients.json")).unwrap();
    let place = two.rfind("8792").unwrap();
    let other = [&two[..place], "8799", &two[place + 4..]].concat();
    assert_eq!(
        refused(other.as_bytes()).to_string(),
        "the results of these hosts are missing: 127.0.0.1:8799"
    );
    let started = format!("<gone> Starting 4 threads\n{two}");
    assert!(matches!(
        refused(started.as_bytes()),
        ParseError::MissingHosts { .. }
    ));
    assert_eq!(imported(two.as_bytes())[0].cells.len(), 2);
}

/// fio 3.33 with `--status-interval=1`: a job that waits behind `stonewall` has a run time without
/// I/Os, and starts to count it again when it begins.
#[test]
fn a_job_that_waits_in_one_report_is_of_the_same_run_as_in_the_next() {
    let reports = [
        (
            1_795_869_463_693_u64,
            2,
            [(5478_u64, 891, 891), (0, 0, 1029)],
        ),
        (
            1_795_869_464_695,
            3,
            [(6085, 1001, 1000), (44_390, 639, 639)],
        ),
        (
            1_795_869_465_087,
            3,
            [(6085, 1001, 1000), (65_687, 1015, 1014)],
        ),
    ];
    let documents = reports.map(|(written_ms, elapsed, jobs)| {
        let jobs = jobs.iter().enumerate();
        let jobs = jobs.map(|(group, (ios, runtime_ms, job_runtime_ms))| {
            let mut job = run(&json!({"rw": "read"}), 1)["jobs"][0].clone();
            job["jobname"] = json!(format!("job{group}"));
            job["groupid"] = json!(group);
            job["elapsed"] = json!(elapsed);
            job["job_runtime"] = json!(job_runtime_ms);
            job["read"]["total_ios"] = json!(ios);
            job["read"]["io_bytes"] = json!(ios * 4096);
            job["read"]["runtime"] = json!(runtime_ms);
            job
        });
        let mut document = run(&json!({"rw": "read"}), 1);
        document["timestamp"] = json!(written_ms / 1000);
        document["timestamp_ms"] = json!(written_ms);
        document["jobs"] = jobs.collect();
        document.to_string()
    });
    let runs = imported(documents.join("\n").as_bytes());
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].cells.len(), 2);
}

/// The failure: fio reported `--group_reporting --name=one --rw=randread --name=two --rw=randwrite
/// --bs=8k` as `one` with the options of `two`, and 8,948 reads became a part of a cell of writes.
#[test]
fn a_sum_of_sections_with_other_options_is_refused() {
    let job = |options: &Value, bytes: u64| {
        let mut run = run(options, 1);
        run["jobs"][0]["jobname"] = json!("one");
        run["jobs"][0]["read"]["io_bytes"] = json!(bytes);
        import(run.to_string().as_bytes())
    };
    // fio cuts the name of an entry, but not the option.
    let mut cut = run(&json!({"rw": "randread", "name": "x".repeat(140)}), 1);
    cut["jobs"][0]["jobname"] = json!("x".repeat(127));
    assert!(import(cut.to_string().as_bytes()).is_ok());
    let fits = 10_000 * 4096;
    for (options, bytes) in [
        (json!({"rw": "randread", "name": "one"}), fits),
        (json!({"rw": "randread"}), fits + 5 * 4096),
        (json!({"rw": "randread", "bsrange": "4k-16k"}), 2 * fits),
        (json!({"rw": "write", "verify": "crc32c"}), fits),
    ] {
        assert!(job(&options, bytes).is_ok(), "{options}");
    }
    for (options, bytes) in [
        (json!({"rw": "randwrite"}), fits),
        (json!({"rw": "randread", "name": "two"}), fits),
        (json!({"rw": "randread", "bs": "8k"}), fits),
        (json!({"rw": "randread", "bs": "4k"}), fits + fits / 2),
    ] {
        let refused = job(&options, bytes).unwrap_err();
        assert!(matches!(refused, ParseError::Summed { .. }), "{options}");
        assert!(refused.hint().unwrap().contains("group_reporting"));
    }
}

/// The failure: of the results of two hosts that measured at the same time, which a program had put
/// into one list, those with more I/Os were taken for the end of the others' run, and those were lost.
#[test]
fn hosts_that_measured_at_the_same_time_are_not_one_run() {
    let host = |ios: u64, runtime_ms: u64, written_ms: u64, longest_ns: u64| {
        let mut host = run(
            &json!({"rw": "randread", "iodepth": "4"}),
            written_ms / 1000,
        );
        host["timestamp_ms"] = json!(written_ms);
        let job = &mut host["jobs"][0];
        job["job_runtime"] = json!(runtime_ms);
        job["read"]["runtime"] = json!(runtime_ms);
        job["read"]["total_ios"] = json!(ios);
        job["read"]["io_bytes"] = json!(ios * 4096);
        job["read"]["clat_ns"]["max"] = json!(longest_ns);
        host
    };
    let one = host(10_000, 10_000, 1_700_000_000_000, 5_000_000);
    let list = |other: Value| json!([{"host": "a", "fio": one}, {"host": "b", "fio": other}]);
    let count = |list: Value| import(list.to_string().as_bytes()).map(|runs| runs.len());
    // In 1 ms, and in 1.5 s, of which fio ran 1 ms.
    for written_ms in [1_700_000_000_002, 1_700_000_001_500] {
        let other = host(11_000, 10_001, written_ms, 5_000_000);
        let refused = count(list(other));
        assert!(matches!(refused, Err(ParseError::Ambiguous { second: 2 })));
        let shorter = host(11_000, 10_001, written_ms, 4_000_000);
        assert_eq!(count(list(shorter)).unwrap(), 2);
    }
    // A last report follows that of an interval at once.
    let last = host(10_003, 10_002, 1_700_000_000_002, 5_000_000);
    assert_eq!(count(list(last)).unwrap(), 1);
}

#[test]
fn hosts_that_start_once_in_each_of_two_runs_are_all_there() {
    let one = String::from_utf8(bytes("two-clients.json")).unwrap();
    assert_eq!(one.matches("<host> Starting 4 threads").count(), 2);
    let later = one.replace("\"job_start\" : 1", "\"job_start\" : 2");
    let later = later.replacen("\"timestamp\" : 1", "\"timestamp\" : 2", 1);
    assert_ne!(later, one);
    let twice = format!("{one}\n{later}");
    assert_eq!(imported(twice.as_bytes()).len(), 2);
    // A host that started in one of them and has results in none.
    let lost = format!("{twice}\n<host> Starting 4 threads\n");
    assert!(matches!(
        import(lost.as_bytes()).unwrap_err(),
        ParseError::MissingHosts { .. }
    ));
}

#[test]
fn other_encodings_of_a_file_give_the_same_import() {
    let utf16 = bytes("strangers/utf16.json");
    assert_eq!(utf16[..2], [0xff, 0xfe]);
    let runs = imported(&utf16);
    let units: Vec<u16> = utf16[2..]
        .chunks(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
        .collect();
    let text = String::from_utf16(&units).unwrap();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for same in [
        text.clone().into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
        utf16[2..].to_vec(),
        [&[0xfe, 0xff], &big[..]].concat(),
        big,
    ] {
        assert_eq!(imported(&same), runs);
    }
}

#[test]
fn error_numbers_have_the_words_of_their_system() {
    let warnings = |text: &[u8]| imported(text)[0].cells[0].sample.warnings.clone();
    let failed = |errno: i64, text: &str| Warning::JobFailed {
        job: "verify".to_owned(),
        errno,
        text: Some(text.to_owned()),
    };
    let shown = |warnings: &[Warning]| -> String {
        let words = warnings.iter().map(cause);
        words.collect::<Vec<_>>().join("\n")
    };
    let windows = bytes("strangers/windows-errno.json");
    let expected = failed(42, "Illegal byte sequence");
    assert!(warnings(&windows).contains(&expected));
    assert_eq!(
        cause(&expected),
        "fio's job `verify` reports error 42 (Illegal byte sequence)"
    );
    // Without fio's words the meaning of Windows' 42 is unknown, and 28 is the same everywhere.
    let text = String::from_utf8(windows).unwrap();
    let silent = &text[text.find('{').unwrap()..];
    let unknown = failed(42, "");
    assert!(warnings(silent.as_bytes()).contains(&unknown));
    assert_eq!(
        cause(&unknown),
        "fio's job `verify` reports error 42, whose meaning depends on the operating system that fio ran on"
    );
    let full = silent.replace("\"error\": 42", "\"error\": 28");
    let full = shown(&warnings(full.as_bytes()));
    assert!(full.contains("No space left on device"), "{full}");
    let linux = silent.replace("windowsaio", "libaio");
    let linux = shown(&warnings(linux.as_bytes()));
    assert!(linux.contains("No message of desired type"), "{linux}");
}

#[test]
fn ios_that_fio_counted_together_are_those_of_the_only_direction() {
    let runs = imported(&bytes("mixed.json"));
    let run = &runs[0];
    let names: Vec<&str> = run.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["pure"]);
    let job = "both".to_owned();
    assert_eq!(run.notes, [ImportNote::MixedLeftOut { job }]);
    let document: Value = serde_json::from_slice(
        &bytes("mixed.json")[bytes("mixed.json").iter().position(|b| *b == b'{').unwrap()..],
    )
    .unwrap();
    let mixed = &document["jobs"][0]["mixed"];
    let sample = &run.cells[0].sample;
    assert_eq!(sample.read.ios, mixed["total_ios"].as_u64().unwrap());
    assert_eq!(
        sample.read.latency.histogram.count(),
        mixed["clat_ns"]["N"].as_u64().unwrap()
    );
    assert_eq!(sample.write.ios, 0);
    let expected = Nanos::from_millis(mixed["runtime"].as_u64().unwrap());
    assert_eq!(sample.elapsed_ns, expected);
}

fn logs(directory: &str) -> Vec<Log> {
    let entries = fs::read_dir(data().join(directory)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let log = |path: PathBuf| {
        let name = LogName::parse(path.file_name().unwrap().to_str().unwrap())?;
        let bytes = fs::read(path).unwrap();
        Some(Log { name, bytes })
    };
    paths.filter_map(log).collect()
}

#[test]
fn logs_of_means_and_maxima_are_read_as_means() {
    let mut both = logs("logs-both");
    let runs = import_with_logs(&bytes("logs-both/both.json"), &mut both).unwrap();
    assert!(both.is_empty());
    let cell = &runs[0].cells[0];
    assert!(cell.notes.contains(&ImportNote::LogMaximaLeftOut));
    let bad = |note: &ImportNote| matches!(note, ImportNote::BadLogLines { .. });
    assert!(!cell.notes.iter().any(bad), "{:?}", cell.notes);
    let series = cell.sample.series.as_ref().unwrap();
    let first = |name: &str, direction: &str| -> u64 {
        let text = String::from_utf8(bytes(&format!("logs-both/both_{name}.1.log"))).unwrap();
        let mut lines = text
            .lines()
            .map(|line| line.split(", ").collect::<Vec<_>>());
        let line = lines.find(|fields| fields[3] == direction).unwrap();
        line[1].parse().unwrap()
    };
    assert_eq!(series.read.mean_latency_ns[0], first("lat", "0"));
    assert_eq!(series.write.mean_latency_ns[0], first("lat", "1"));
    let ios: u64 = series.read.ios.iter().sum();
    let counted = cell.sample.read.ios;
    assert!(ios.abs_diff(counted) * 10 < counted, "{ios} of {counted}");
}

#[test]
fn logs_with_times_since_1970_are_those_since_the_start() {
    let json = String::from_utf8(bytes("logs/logs.json")).unwrap();
    let since_start = import_with_logs(json.as_bytes(), &mut logs("logs")).unwrap();
    let json = json.replace(
        "\"log_avg_msec\"",
        "\"log_unix_epoch\" : \"1\", \"log_avg_msec\"",
    );
    let mut later = logs("logs");
    for log in &mut later {
        let text = String::from_utf8(log.bytes.clone()).unwrap();
        let line = |line: &str| {
            let (at, rest) = line.split_once(',').unwrap();
            format!(
                "{},{rest}\n",
                1_700_000_000_000 + at.parse::<u64>().unwrap()
            )
        };
        log.bytes = text.lines().map(line).collect::<String>().into_bytes();
    }
    let since_1970 = import_with_logs(json.as_bytes(), &mut later).unwrap();
    let series = |runs: &[Import]| runs[0].cells[0].sample.series.clone().unwrap();
    assert_eq!(series(&since_1970), series(&since_start));
}

/// Options of any name and value that JSON can hold.
fn options() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = prop_oneof![
        "[a-z_]{1,12}",
        prop::sample::select(vec![
            "bs",
            "rw",
            "size",
            "ioengine",
            "filename",
            "directory",
            "iodepth",
            "verify",
            "rate",
            "fsync",
            "direct",
            "thinktime",
            "numjobs",
            "random_distribution",
            "sync",
            "runtime",
        ])
        .prop_map(str::to_owned),
    ];
    let value = prop_oneof![
        "[a-z0-9,:/. ]{0,8}",
        prop::sample::select(vec![
            "1", "0", "4k", "randread", "/dev/sda", "libaio", "zipf:1.2"
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::btree_map(name, value, 0..6)
}

/// Names that are not part of what is measured, or are measured by the number of entries.
const IGNORED: [&str; 3] = ["name", "description", "numjobs"];

proptest! {
    #[test]
    fn cells_are_the_same_only_if_all_options_mean_the_same(
        base in options(),
        name in "[a-z]{3,10}(_x)?",
        value in "[a-z0-9/]{0,8}",
    ) {
        prop_assume!(!base.contains_key(&name) && !IGNORED.contains(&name.as_str()));
        let as_json = |options: &BTreeMap<String, String>| json!(options);
        let mut more = base.clone();
        more.insert(name.clone(), value);
        let runs = [idle(&as_json(&base), 1), idle(&as_json(&more), 2)];
        let cells: Vec<_> = runs
            .iter()
            .filter(|run| !imported(run.to_string().as_bytes())[0].cells.is_empty())
            .map(identity)
            .collect();
        if let [one, other] = &cells[..] {
            // An option that means fio's default may be left out, and only then.
            let is_default = one.3 == other.3 && one.2 == other.2 && one.1 == other.1;
            let has_meaning = ["direct", "buffered", "sync", "fsync", "size", "filename", "directory"];
            prop_assert!(!is_default || has_meaning.contains(&name.as_str()), "{}", name);
        }
        // Repeats differ in nothing.
        if let Some(one) = cells.first() {
            prop_assert_eq!(one, &identity(&idle(&as_json(&base), 9)));
        }
    }

    #[test]
    fn the_runs_of_a_file_are_those_of_its_parts(
        seeds in prop::collection::vec((options(), 1_u64..1000), 1..5),
        separator in prop::sample::select(vec!["\n", "", "\n\n  ", ",", "\nfio: note\n"]),
    ) {
        let mut at = 1_700_000_000;
        let documents: Vec<String> = seeds
            .iter()
            .map(|(options, wait)| {
                at += 20 + wait;
                idle(&json!(options), at).to_string()
            })
            .collect();
        let together = imported(documents.join(separator).as_bytes());
        let alone: Vec<Import> = documents
            .iter()
            .flat_map(|document| imported(document.as_bytes()))
            .collect();
        let digests: BTreeSet<u64> = together.iter().map(|run| run.digest).collect();
        prop_assert_eq!(digests.len(), documents.len());
        prop_assert_eq!(together, alone);
        let last = parse_output(documents.join(separator).as_bytes()).unwrap();
        prop_assert_eq!(last.written_unix_ns, Some(at * 1_000_000_000));
    }
}

#[test]
fn a_rate_that_its_counts_deny_is_noted_with_both_numbers() {
    let options = json!({"rw": "randread", "bs": "4k", "size": "1g"});
    let notes = |iops: f64, bw_bytes: u64| {
        let mut run = run(&options, 1_700_000_000);
        let read = &mut run["jobs"][0]["read"];
        read["total_ios"] = json!(10_000);
        read["io_bytes"] = json!(40_960_000);
        read["runtime"] = json!(10_000);
        read["iops"] = json!(iops);
        read["bw_bytes"] = json!(bw_bytes);
        imported(run.to_string().as_bytes())[0].notes.clone()
    };
    assert_eq!(notes(1000.0, 4_096_000), []);
    assert_eq!(notes(999.1, 4_095_000), []);
    let job = imported(run(&options, 1).to_string().as_bytes())[0].cells[0]
        .name
        .clone();
    let disagree = |is_bytes, stated, counted| ImportNote::RatesDisagree {
        job: job.clone(),
        is_bytes,
        stated,
        counted,
    };
    let expected = [disagree(false, 50_000, 1000)];
    assert_eq!(notes(50_000.0, 4_096_000), expected);
    let expected = [disagree(true, 400, 4_096_000)];
    assert_eq!(notes(1000.0, 400), expected);
}
