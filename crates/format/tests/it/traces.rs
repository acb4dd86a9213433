//! The key `trace` of a workload.

use std::collections::BTreeMap;
use std::sync::Arc;

use stripewise_format::{parse, parse_with};
use stripewise_study::metric::Metric;
use stripewise_study::plan::Study;
use stripewise_study::trace::{
    StoredTraces, Timing, Trace, TraceProblem, TraceQuery, TraceSource, TracedIos,
};
use stripewise_study::workload::{BlockSize, Engine, Pattern};
use stripewise_study::world::Replay;
use stripewise_units::{Bytes, Nanos};

/// Has a trace of 3 reads and 1 write, or a problem with every trace.
struct Fake {
    asked: Vec<TraceQuery>,
    problem: Option<TraceProblem>,
}

impl Fake {
    fn new() -> Self {
        Self {
            asked: Vec::new(),
            problem: None,
        }
    }
}

impl TraceSource for Fake {
    fn read(&mut self, query: &TraceQuery) -> Result<Trace, TraceProblem> {
        self.asked.push(query.clone());
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        Ok(Trace {
            query: query.clone(),
            sha256: "00ff".to_owned(),
            reads: 3,
            writes: 1,
            flushes: 2,
            left_out: BTreeMap::new(),
            last_at_ns: Nanos::from_millis(500),
            largest_bytes: Bytes::new(65536),
            size_bytes: Bytes::new(1 << 20),
            ios: TracedIos(Some(Arc::new(Replay::default()))),
        })
    }
}

fn study(workload: &str) -> Result<Study, String> {
    let text = format!("[stack.a]\ndevices = {{ sata-ssd = 1 }}\n[workload]\n{workload}\n");
    let study = parse_with("test.toml", &text, &mut Fake::new());
    study.map_err(|error| error.to_string())
}

#[test]
fn a_trace_decides_pattern_sizes_and_mix() {
    let study = study("trace = \"oltp.iolog\"").unwrap();
    let load = &study.cells[0].workload.load;
    assert_eq!(
        (load.pattern, load.read_percent),
        (Pattern::RandRw, Some(75))
    );
    assert_eq!(load.block_size, BlockSize::Fixed(Bytes::new(65536)));
    assert_eq!(load.size_bytes, Bytes::new(1 << 20));
    assert_eq!(
        (load.engine, load.depth, load.jobs),
        (Engine::Libaio, 32, 1)
    );
    // Its times give its throughput, so latency is compared.
    assert_eq!(study.compare.metric, Metric::LatencyMean);
    let sample = study.repeat.sample_ns;
    assert_eq!(study.cells[0].sample_time(sample), Nanos::from_millis(500));
}

#[test]
fn a_trace_with_options_asks_for_them_and_keeps_lists() {
    let text = "[stack.a]\n[workload.w]\ndepth = [1, 8]\nengine = 'libaio'\n\
                trace = { file = 'x', timing = 'kept', speed = 2.0, from = '60s', length = '30s', \
                device = '8,0', wrap = '8G' }\n[workload.v]\nengine = 'psync'\n\
                trace = { file = 'y', timing = 'flat-out' }\n";
    let mut fake = Fake::new();
    let study = parse_with("test.toml", text, &mut fake).unwrap();
    let depths: Vec<u32> = study
        .cells
        .iter()
        .map(|cell| cell.workload.load.depth)
        .collect();
    assert_eq!(depths, [1, 8, 1]);
    let first = TraceQuery {
        speed: 2.0,
        from_ns: Nanos::from_millis(60_000),
        length_ns: Some(Nanos::from_millis(30_000)),
        device: Some("8,0".to_owned()),
        wrap_bytes: Some(Bytes::new(8 << 30)),
        ..TraceQuery::of("x")
    };
    let second = TraceQuery {
        timing: Timing::FlatOut,
        ..TraceQuery::of("y")
    };
    assert_eq!(fake.asked, [first, second]);
    // One of the workloads has a throughput of its own.
    assert_eq!(study.compare.metric, Metric::Bandwidth);
}

#[test]
fn a_stored_cell_has_no_ios_and_equals_that_of_the_study() {
    let text = "[stack.a]\n[workload]\ntrace = 'x'\n";
    let study = parse_with("test.toml", text, &mut Fake::new()).unwrap();
    let stored = serde_json::to_string(&study.cells[0]).unwrap();
    assert!(
        stored.contains("00ff") && !stored.contains("jobs\":[["),
        "{stored}"
    );
    let cell: stripewise_study::cell::Cell = serde_json::from_str(&stored).unwrap();
    assert_eq!(cell, study.cells[0]);
    assert!(cell.workload.trace.as_ref().unwrap().ios.0.is_none());
    let mut known = StoredTraces::of([&cell]);
    let again = parse_with("test.toml", text, &mut known).unwrap();
    assert_eq!(again.cells, study.cells);
    let other = text.replace("'x'", "'z'");
    assert!(parse_with("test.toml", &other, &mut known).is_err());
}

#[test]
fn keys_that_do_not_go_with_a_trace_are_refused() {
    for key in [
        "pattern = 'read'",
        "mix = '70/30'",
        "block_size = '4K'",
        "size = '1G'",
        "distribution = 'zipf:1.2'",
        "from = 'oltp'",
        "fsync = 1",
        "fdatasync = 1",
        "rate = '1M'",
        "rate_iops = 5",
        "think_time = '1ms'",
        "verify = true",
        "risk = true",
        "database = { program = 'mariadb' }",
        "jobs = 2",
        "neighbours = ['backup']",
    ] {
        let error = study(&format!("trace = 'x'\n{key}")).unwrap_err();
        let name = key.split(' ').next().unwrap();
        let message = format!("`{name}` does not go with `trace`");
        assert!(error.contains(&message), "{error}");
    }
    for engine in ["io_uring", "posixaio"] {
        let error = study(&format!("trace = 'x'\nengine = '{engine}'")).unwrap_err();
        assert!(error.contains("replays no trace"), "{error}");
    }
}

#[test]
fn impossible_options_of_a_trace_are_refused() {
    for (options, message) in [
        ("speed = 0.0", "`speed = 0` is not possible"),
        ("speed = 1e9", "is not possible"),
        ("speed = 2.0, timing = 'flat-out'", "`speed` has no effect"),
        ("length = '0s'", "a replay has a length"),
        ("timing = 'slow'", "flat-out"),
        ("offset = 3", "unknown key `offset`"),
    ] {
        let error = study(&format!("trace = {{ file = 'x', {options} }}")).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
    let neighbour = "[stack.a]\n[workload]\npattern = 'read'\nsize = '1G'\nneighbours = ['n']\n\
                     [neighbour.n]\ntrace = 'x'\n";
    let error = parse_with("test.toml", neighbour, &mut Fake::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a neighbour cannot replay a trace"),
        "{error}"
    );
    let failing = "[stack.a]\ndevices = { sata-ssd = 2 }\narray = { level = 'raid1' }\n\
                   [workload]\ntrace = 'x'\n[conditions]\nfailure = 'f'\n\
                   [failure.f]\nfail_device = { at = '1s', device = 0 }\n";
    let error = parse_with("test.toml", failing, &mut Fake::new()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no member fails during a replay"),
        "{error}"
    );
}

#[test]
fn a_problem_with_the_file_is_shown_at_the_key() {
    let mut fake = Fake::new();
    fake.problem = Some(TraceProblem {
        message: "too many I/Os".to_owned(),
        label: "more than fit".to_owned(),
        hint: "take a part".to_owned(),
    });
    let text = "[stack.a]\n[workload]\ntrace = 'x'\n";
    let error = parse_with("test.toml", text, &mut fake)
        .unwrap_err()
        .to_string();
    for part in [
        "too many I/Os",
        "more than fit",
        "take a part",
        "test.toml:3",
    ] {
        assert!(error.contains(part), "{error}");
    }
    // A question of the page, which has no file.
    let error = parse("question", text).unwrap_err().to_string();
    assert!(error.contains("a trace cannot be replayed here"), "{error}");
}
