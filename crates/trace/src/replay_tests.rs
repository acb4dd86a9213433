use super::*;

/// Two reads, a write and a sync of a file, and a trim.
const IOLOG: &str = "fio version 3 iolog\n\
    10 f add\n10 f open\n\
    2000 f read 10485760 4096\n\
    2500 f write 10489856 8192\n\
    3000 f sync 0 0\n\
    3000 f trim 0 4096\n\
    4000 f read 31457280 4096\n\
    4000 f close\n";

fn asked(text: &str, query: &TraceQuery) -> Result<Trace, TraceProblem> {
    super::read(text.as_bytes(), query)
}

fn refused(text: &str, query: &TraceQuery) -> String {
    let problem = asked(text, query).unwrap_err();
    format!("{}: {} ({})", problem.message, problem.label, problem.hint)
}

fn query() -> TraceQuery {
    TraceQuery::of("f.iolog")
}

fn ios(trace: &Trace) -> Vec<ReplayedIo> {
    trace.ios.0.as_ref().unwrap().jobs[0].clone()
}

#[test]
fn addresses_and_times_begin_with_the_first_io() {
    let trace = asked(IOLOG, &query()).unwrap();
    assert_eq!((trace.reads, trace.writes, trace.flushes), (2, 1, 1));
    assert_eq!(trace.left_out, BTreeMap::from([("discards".to_owned(), 1)]));
    assert_eq!(trace.largest_bytes, Bytes::new(8192));
    assert_eq!(trace.size_bytes, Bytes::new((20 << 20) + 4096));
    let found: Vec<(u64, u64)> = ios(&trace)
        .iter()
        .map(|io| (io.at_ns.unwrap().as_u64() / 1000, io.offset_bytes.as_u64()))
        .collect();
    assert_eq!(found, [(0, 0), (500, 4096), (1000, 0), (2000, 20 << 20)]);
    assert_eq!(trace.last_at_ns, Nanos::new(2_000_000));
}

/// Guards against a commit of a journal that is replayed as a plain write.
#[test]
fn a_write_with_fua_is_durable_and_counts_as_a_write() {
    let text = "8,0 0 1 0.000000000 7 Q WS 2048 + 8 [db]\n\
                8,0 0 2 0.000100000 0 C WS 2048 + 8 [0]\n\
                8,0 0 3 0.001000000 7 Q WFS 2056 + 8 [db]\n\
                8,0 0 4 0.001100000 0 C WFS 2056 + 8 [0]\n\
                8,0 0 5 0.002000000 7 Q FWFS 2064 + 8 [jbd2]\n\
                8,0 0 6 0.002500000 0 C WFS 2064 + 8 [0]\n";
    let trace = asked(text, &query()).unwrap();
    assert_eq!((trace.reads, trace.writes, trace.flushes), (0, 3, 1));
    assert_eq!(trace.left_out, BTreeMap::new());
    let actions: Vec<ReplayedAction> = ios(&trace).iter().map(|io| io.action).collect();
    use ReplayedAction::{DurableWrite, Flush, Write};
    assert_eq!(actions, [Write, DurableWrite, Flush, DurableWrite]);
    let plain = asked(&text.replace("WFS 2056", "WS 2056"), &query()).unwrap();
    assert_eq!(plain.writes, 3);
    assert_ne!(plain.sha256, trace.sha256);
}

#[test]
fn speed_window_and_flat_out_change_the_times_alone() {
    let times = |query: &TraceQuery| -> Vec<Option<u64>> {
        let trace = asked(IOLOG, query).unwrap();
        let ios = ios(&trace);
        ios.iter()
            .map(|io| io.at_ns.map(|at| at.as_u64() / 1000))
            .collect()
    };
    let twice = TraceQuery {
        speed: 2.0,
        ..query()
    };
    assert_eq!(times(&twice), [Some(0), Some(250), Some(500), Some(1000)]);
    let flat_out = TraceQuery {
        timing: Timing::FlatOut,
        ..query()
    };
    assert_eq!(times(&flat_out), [None; 4]);
    let part = TraceQuery {
        from_ns: Nanos::new(400_000),
        length_ns: Some(Nanos::new(1_000_000)),
        ..query()
    };
    assert_eq!(times(&part), [Some(0), Some(500)]);
    let sums: Vec<String> = [&query(), &twice, &flat_out, &part]
        .iter()
        .map(|query| asked(IOLOG, query).unwrap().sha256)
        .collect();
    assert!(
        (1..sums.len()).all(|place| !sums[..place].contains(&sums[place])),
        "{sums:?}"
    );
}

#[test]
fn addresses_wrap_and_no_io_crosses_the_end() {
    let wrapped = TraceQuery {
        wrap_bytes: Some(Bytes::new(8192)),
        ..query()
    };
    let trace = asked(IOLOG, &wrapped).unwrap();
    let offsets: Vec<u64> = ios(&trace)
        .iter()
        .map(|io| io.offset_bytes.as_u64())
        .collect();
    assert_eq!(offsets, [0, 0, 0, 0]);
    assert_eq!(trace.size_bytes, Bytes::new(8192));
    let small = TraceQuery {
        wrap_bytes: Some(Bytes::new(4096)),
        ..query()
    };
    assert!(refused(IOLOG, &small).contains("exceeds `wrap`"));
}

#[test]
fn ios_that_are_no_whole_sectors_are_rounded_outwards() {
    let text =
        "fio version 3 iolog\n0 f add\n0 f open\n1 f read 700 400\n2 f read 0 0\n2 f close\n";
    let trace = asked(text, &query()).unwrap();
    let io = ios(&trace)[0];
    assert_eq!(
        (io.offset_bytes, io.length_bytes),
        (Bytes::new(512), Bytes::new(1024))
    );
    assert_eq!(trace.left_out.get("I/Os without data"), Some(&1));
}

#[test]
fn a_trace_without_what_is_needed_is_refused_with_counts() {
    let only_flushes =
        "fio version 3 iolog\n0 f add\n0 f open\n5 f sync 0 0\n7 f trim 0 4096\n9 f close\n";
    let refusal = refused(only_flushes, &query());
    assert!(
        refusal.contains("no read or write here: 2 I/Os in all, 1 flushes and 1 discards"),
        "{refusal}"
    );
    let late = TraceQuery {
        from_ns: Nanos::from_millis(60_000),
        ..query()
    };
    assert!(
        refused(IOLOG, &late).contains("5 I/Os in all, 0 flushes"),
        "{}",
        refused(IOLOG, &late)
    );
    let two = IOLOG.replace("2500 f", "2500 g");
    let refusal = refused(&two, &query());
    assert!(
        refusal.contains("2 devices: `f` (3 I/Os), `g` (1 I/Os)"),
        "{refusal}"
    );
    let one = TraceQuery {
        device: Some("g".to_owned()),
        ..query()
    };
    assert_eq!(asked(&two, &one).unwrap().count(), 1);
    let damaged = IOLOG.replace("4000 f read 31457280 4096", "4000 f read many 4096");
    let refusal = refused(&damaged, &query());
    assert!(
        refusal.contains("is damaged: 4 I/Os, 1 malformed records; the first at"),
        "{refusal}"
    );
    let untimed = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf read 4096 4096\nf close\n";
    let refusal = refused(untimed, &query());
    assert!(
        refusal.contains("has no times") && refusal.contains("flat-out"),
        "{refusal}"
    );
    let flat_out = TraceQuery {
        timing: Timing::FlatOut,
        ..query()
    };
    assert_eq!(asked(untimed, &flat_out).unwrap().reads, 2);
    assert!(
        refused("", &query()).contains("is empty"),
        "{}",
        refused("", &query())
    );
}

#[test]
fn more_ios_than_a_replay_has_are_refused_with_what_fits() {
    let mut text = String::from("fio version 3 iolog\n0 f add\n0 f open\n");
    for at in 0..=ReplayedIo::COUNT_MAX {
        text += &format!("{} f read 0 4096\n", at * 10);
    }
    let refusal = refused(&text, &query());
    assert!(refusal.contains("more than 1048576 I/Os here"), "{refusal}");
    assert!(
        refusal.contains("`trace = { file = ..., from = ..., length = ... }`"),
        "{refusal}"
    );
    let part = TraceQuery {
        length_ns: Some(Nanos::from_millis(1000)),
        ..query()
    };
    assert_eq!(asked(&text, &part).unwrap().reads, 100_000);
}
