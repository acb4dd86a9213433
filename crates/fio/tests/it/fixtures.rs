//! Output of real fio versions that we support. See `data/README.md` for its origin.
//!
//! Guards against: a field renamed between versions that silently becomes 0; a note before the
//! JSON that hides it; percentiles of an average; a job that failed and looks fast.

use std::fs;
use std::path::Path;

use stripewise_fio::report::{FioReport, Job, LatencyKind};
use stripewise_fio::{Counted, ParseError, parse_output};
use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::workload::{BlockSize, Data, Engine, Pattern};
use stripewise_units::{Bytes, Nanos};

use crate::one_run::import;

fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    fs::read(path).unwrap()
}

fn report(name: &str) -> FioReport {
    parse_output(&bytes(name)).unwrap()
}

fn main_sample(report: &FioReport) -> Sample {
    let names = ["main-0".to_owned(), "main-1".to_owned()];
    report
        .to_sample(Counted::Named(&names), Some(Nanos::from_millis(60)))
        .unwrap()
}

#[test]
fn every_version_gives_the_same_report() {
    for (file, version) in [
        ("fio-3.28.json", (3, 28)),
        ("fio-3.33.json", (3, 33)),
        ("fio-3.36.json", (3, 36)),
        ("fio-3.42.json", (3, 42)),
    ] {
        let report = report(file);
        assert_eq!(report.version.as_ref().unwrap().numbers(), version);
        let names: Vec<&str> = report.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["main-0", "main-1", "neighbour-log-0"], "{file}");
        assert_eq!(report.notes, [], "{file}");
        assert!(report.written_unix_ns.is_some(), "{file}");
        for job in &report.jobs {
            assert_eq!(job.error, 0);
            assert_eq!(
                job.options.get("size"),
                Some("1m"),
                "a global option of {file}"
            );
            assert_eq!(job.started_unix_ns.is_some(), version >= (3, 36), "{file}");
            assert!(job.run_time_ns >= Some(Nanos::from_millis(59)), "{file}");
        }

        let sample = main_sample(&report);
        assert!(sample.is_valid(), "{file}: {:?}", sample.warnings);
        assert_eq!(sample.warnings, [], "{file}");
        for (transfer, name) in [(&sample.read, "read"), (&sample.write, "write")] {
            assert!(transfer.ios > 0, "{file} {name}");
            assert_eq!(
                transfer.bytes.as_u64(),
                transfer.ios * 4096,
                "{file} {name}"
            );
            assert_eq!(transfer.latency.count, transfer.ios, "{file} {name}");
            assert_eq!(
                transfer.latency.histogram.count(),
                transfer.ios,
                "{file} {name}"
            );
        }
        assert!(sample.sync.count > 0, "{file}: fsync is timed separately");
        assert_eq!(sample.sync.histogram.count(), sample.sync.count, "{file}");
        assert!(sample.cpu.is_some(), "{file}");
        assert!(sample.elapsed_ns >= Nanos::from_millis(59), "{file}");
    }
}

#[test]
fn plain_json_has_means_and_no_histogram() {
    let sample = main_sample(&report("plain-json.json"));
    assert_eq!(sample.warnings, [Warning::NoHistogram]);
    let latency = &sample.read.latency;
    assert!(latency.histogram.is_empty());
    assert!(latency.count > 0 && latency.mean_ns.is_some() && latency.max_ns > latency.min_ns);
}

#[test]
fn a_note_before_the_json_is_kept_as_a_message() {
    let report = report("text-before.json");
    assert!(report.messages.starts_with("note: both iodepth >= 1"));
    assert_eq!(report.jobs.len(), 1);
    let latency = &report.jobs[0].write.latency;
    assert_eq!(latency.kind, Some(LatencyKind::Completion));
    assert!(!latency.latency.histogram.is_empty());
}

#[test]
fn of_several_documents_the_last_complete_one_counts() {
    let whole = bytes("status-interval.json");
    let report = parse_output(&whole).unwrap();
    assert_eq!(report.notes, [ImportNote::SeveralDocuments { count: 3 }]);
    let ios = report.jobs[0].read.ios;

    // Cut within the last document: the one before it counts, and has done less.
    let cut = parse_output(&whole[..whole.len() - 100]).unwrap();
    assert_eq!(
        cut.notes,
        [
            ImportNote::SeveralDocuments { count: 2 },
            ImportNote::CutShort
        ]
    );
    assert!(cut.jobs[0].read.ios < ios);
}

#[test]
fn a_failed_job_invalidates_the_sample() {
    let report = report("failed-job.json");
    let sample = report.to_sample(Counted::All, None).unwrap();
    assert!(!sample.is_valid());
    let failed = Warning::JobFailed {
        job: "full".to_owned(),
        errno: 28,
        text: None,
    };
    assert!(sample.warnings.contains(&failed));
    assert!(report.messages.contains("No space left on device"));
    // A neighbour's failure counts, too: the load differed from the request.
    let good = ["good".to_owned()];
    let sample = report.to_sample(Counted::Named(&good), None).unwrap();
    assert!(sample.warnings.contains(&failed));
}

#[test]
fn the_writes_of_neighbours_are_summed() {
    let report = report("fio-3.33.json");
    let beside = report.jobs.iter().find(|job| job.name == "neighbour-log-0");
    let written = beside.unwrap().write.bytes;
    assert!(written.as_u64() > 0);
    assert_eq!(main_sample(&report).neighbours_write_bytes, Some(written));
    let all = report.to_sample(Counted::All, None).unwrap();
    assert_eq!(all.neighbours_write_bytes, None);
}

#[test]
fn a_missing_job_is_an_error() {
    let names = ["main-7".to_owned()];
    let error = report("fio-3.33.json")
        .to_sample(Counted::Named(&names), None)
        .unwrap_err();
    assert_eq!(error.to_string(), "job `main-7` is missing in fio's report");
}

#[test]
fn a_run_shorter_than_requested_is_invalid() {
    let report = report("fio-3.33.json");
    let asked = Some(Nanos::from_millis(3000));
    let sample = report.to_sample(Counted::All, asked).unwrap();
    assert!(matches!(sample.warnings[..], [Warning::ShortRun { .. }]));
}

#[test]
fn other_input_than_fios_json_is_an_error() {
    let check = |bytes: &[u8], expected: &str| {
        assert_eq!(parse_output(bytes).unwrap_err().to_string(), expected);
    };
    check(&bytes("no-json.txt"), "no JSON document found");
    check(b"", "no JSON document found");
    check(b"{}", "no JSON document found");
    check(b"{\"jobs\": []}", "no job in the JSON document");
    check(b"{\"jobs\": 7}", "not the JSON that fio writes");
    check(
        b"{\"jobs\": [{\"jobname\": \"a\"",
        "the JSON document is unfinished: fio was killed or is still running",
    );
    check(
        b"{\"fio version\": \"fio-1.99\", \"jobs\": [{\"jobname\": \"a\"}]}",
        "fio-1.99 is older than any fio that wrote JSON; 2.0 or newer is needed",
    );
    check(
        b"{\"jobs\": [{\"jobname\": \"a\", \"read\": {\"io_bytes\": -1, \"total_ios\": 1, \"runtime\": 1}}]}",
        "job `a`: `read.io_bytes` is missing or not a count",
    );
    assert!(ParseError::NoDocument.hint().is_some());
}

#[test]
fn jobs_of_one_section_become_one_cell() {
    let import = import(&bytes("numjobs.json")).unwrap();
    assert_eq!(import.cells.len(), 1);
    let cell = &import.cells[0];
    assert_eq!((cell.name.as_str(), cell.load.jobs), ("four", 4));
    assert_eq!(cell.load.pattern, Pattern::RandRead);
    assert_eq!(cell.load.block_size, BlockSize::Fixed(Bytes::new(8192)));
    assert_eq!(cell.load.size_bytes, Bytes::MIB);
    assert_eq!(cell.load.engine, Engine::Psync);
    assert_eq!(cell.notes, [ImportNote::CompletionLatency]);
    assert_eq!(
        cell.sample.read.latency.histogram.count(),
        cell.sample.read.ios
    );
}

#[test]
fn jobs_that_fio_summed_are_counted_from_their_options() {
    let import = import(&bytes("group-reporting.json")).unwrap();
    let cell = &import.cells[0];
    assert_eq!(cell.load.jobs, 4);
    assert_eq!(
        cell.notes,
        [
            ImportNote::GroupReported { jobs: 4 },
            ImportNote::CompletionLatency
        ]
    );
    // fio sums the run times of a group; the elapsed time must not be four times too long.
    assert!(cell.sample.elapsed_ns < Nanos::from_millis(120));
}

#[test]
fn two_clients_are_counted_once() {
    let report = report("two-clients.json");
    assert_eq!(report.jobs.len(), 8, "eight jobs without their sum");
    let import = import(&bytes("two-clients.json")).unwrap();
    let places: Vec<&str> = import
        .cells
        .iter()
        .map(|cell| cell.place.as_str())
        .collect();
    assert_eq!(places, ["127.0.0.1:8792 on vda", "127.0.0.1:8791 on vda"]);
    assert!(import.cells.iter().all(|cell| cell.load.jobs == 4));
    let ios: u64 = report.jobs.iter().map(|job: &Job| job.read.ios).sum();
    let imported = import.cells.iter().map(|cell| cell.sample.read.ios);
    assert_eq!(imported.sum::<u64>(), ios);
}

#[test]
fn sections_become_cells_of_their_own() {
    let import = import(&bytes("fio-3.42.json")).unwrap();
    let names: Vec<&str> = import.cells.iter().map(|cell| cell.name.as_str()).collect();
    assert_eq!(names, ["main-0", "main-1", "neighbour-log-0"]);
    let neighbour = &import.cells[2].load;
    assert_eq!(neighbour.data, Data::Incompressible);
    assert_eq!(neighbour.rate_bytes_per_s, Some(Bytes::new(8 << 20)));
    assert_eq!(import.cells[0].load.read_percent, Some(70));
}

#[test]
fn trims_are_left_out_with_a_note() {
    let import = import(&bytes("trim.json")).unwrap();
    let [
        ImportNote::TrimsIgnored { job, .. },
        ImportNote::JobLeftOut { job: left_out, .. },
    ] = &import.notes[..]
    else {
        panic!("{:?}", import.notes);
    };
    assert_eq!((job.as_str(), left_out.as_str()), ("t", "t"));
    assert_eq!(import.cells.len(), 1, "`both` also reports each direction");
    assert_eq!(import.cells[0].sample.bytes(), Bytes::MIB);
}

#[test]
fn an_invalid_error_number_is_not_a_success() {
    let json =
        br#"{"jobs": [{"jobname": "a\u001b[2J", "error": -5, "job options": {"rw": "\u001bx"}}]}"#;
    let report = parse_output(json).unwrap();
    assert_eq!(report.jobs[0].error, -1);
    assert!(!report.to_sample(Counted::All, None).unwrap().is_valid());
    // Control characters become visible.
    assert_eq!(report.jobs[0].name, "a␛[2J");
    assert_eq!(report.jobs[0].options.get("rw"), Some("␛x"));
}

#[test]
fn input_beyond_fios_limits_is_refused_by_name() {
    let document = |bins: usize, jobs: usize, name: &str| {
        let bins: Vec<String> = (1..=bins).map(|bin| format!("\"{bin}\":1")).collect();
        let bins = bins.join(",");
        let job = format!(
            "{{\"jobname\":\"{name}\",\"read\":{{\"io_bytes\":1,\"total_ios\":1,\"runtime\":1,\"clat_ns\":{{\"N\":1,\"bins\":{{{bins}}}}}}}}}"
        );
        format!("{{\"jobs\":[{}]}}", vec![job; jobs].join(","))
    };
    let bins = |report: FioReport| report.jobs[0].read.latency.latency.histogram.bins().len();
    // `FIO_IO_U_PLAT_NR`
    assert_eq!(
        bins(parse_output(document(1856, 1, "x").as_bytes()).unwrap()),
        1856
    );
    for (text, message) in [
        (
            document(1857, 1, "x"),
            "`jobs[0].read.clat_ns.bins` has at least 1857 entries, the limit is 1856",
        ),
        (
            document(1, 16_385, "x"),
            "`jobs` has at least 16385 entries, the limit is 16384",
        ),
        (
            document(1, 1, &"x".repeat(5000)),
            "`jobs[0].jobname` has a text of 5000 bytes, the limit is 4096",
        ),
    ] {
        let error = parse_output(text.as_bytes()).unwrap_err();
        assert!(matches!(error, ParseError::OverLimit(_)), "{error}");
        assert_eq!(error.to_string(), message);
        assert!(error.hint().is_some());
    }
}
