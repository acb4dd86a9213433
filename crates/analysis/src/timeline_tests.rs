use stripewise_study::series::{SampleEvent, Series, SeriesColumns};
use stripewise_units::Bytes;

use super::*;

const SECOND: u64 = 1_000_000_000;

/// A sample of ten seconds in which each second moves this many bytes.
fn sample(bytes: [u64; 10], events: &[(u64, Happened)]) -> Sample {
    let events = events.iter().map(|(tenths, what)| SampleEvent {
        at_ns: Nanos::new(tenths * SECOND / 10),
        what: *what,
    });
    Sample {
        elapsed_ns: Nanos::new(10 * SECOND),
        series: Some(Series {
            step_ns: Nanos::new(SECOND),
            read: SeriesColumns::default(),
            write: SeriesColumns {
                bytes: bytes.to_vec(),
                ios: vec![1; 10],
                mean_latency_ns: Vec::new(),
            },
            rebuilt_bytes: Vec::new(),
        }),
        events: events.collect(),
        ..Sample::default()
    }
}

fn values(timeline: &Timeline) -> Vec<(Phase, f64)> {
    let phases = timeline.phases.iter();
    phases
        .map(|one| (one.phase, one.bandwidth_bytes_per_s.value))
        .collect()
}

const FAILED: Happened = Happened::Failed { device: 1 };
const REPLACED: Happened = Happened::Replaced { device: 1 };
const BEGAN: Happened = Happened::RebuildBegan {
    size_bytes: Bytes::new(8000),
};

#[test]
fn phases_use_whole_steps_only() {
    let done = Happened::RebuildDone {
        rebuilt_bytes: Some(Bytes::new(4000)),
    };
    // Steps with an event belong to no phase.
    let bytes = [10, 10, 99, 6, 99, 2, 4, 99, 10, 12];
    let events = [(25, FAILED), (45, REPLACED), (45, BEGAN), (75, done)];
    let sample = sample(bytes, &events);
    let timeline = timeline([&sample].into_iter()).expect("something failed");
    let expected = [
        (Phase::Whole, 10.0),
        (Phase::Degraded, 6.0),
        (Phase::Rebuilding, 3.0),
        (Phase::WholeAgain, 11.0),
    ];
    assert_eq!(values(&timeline), expected);
    let rebuild = timeline.rebuild.expect("a rebuild");
    assert!(rebuild.is_done);
    assert!((rebuild.time_ns.value - 3e9).abs() < 1.0);
    assert!((rebuild.speed_bytes_per_s.expect("counted").value - 4000.0 / 3.0).abs() < 1e-6);
}

#[test]
fn an_unfinished_rebuild_is_extrapolated_from_its_speed() {
    let unfinished = Happened::RebuildUnfinished {
        reached_bytes: Bytes::new(2000),
        size_bytes: Bytes::new(8000),
    };
    let events = [(0, FAILED), (50, REPLACED), (50, BEGAN), (100, unfinished)];
    let sample = sample([5; 10], &events);
    let timeline = timeline([&sample, &sample].into_iter()).expect("something failed");
    let expected = [(Phase::Degraded, 5.0), (Phase::Rebuilding, 5.0)];
    assert_eq!(values(&timeline), expected);
    let rebuild = timeline.rebuild.expect("a rebuild");
    assert!(!rebuild.is_done);
    assert!((rebuild.time_ns.value - 20e9).abs() < 1.0);
}

#[test]
fn a_rebuild_that_slows_down_is_extrapolated_from_its_speed_at_the_end() {
    let rebuilding = |rebuilt: [u64; 10], reached: u64| {
        let unfinished = Happened::RebuildUnfinished {
            reached_bytes: Bytes::new(reached),
            size_bytes: Bytes::new(8000),
        };
        let events = [(0, FAILED), (20, REPLACED), (20, BEGAN), (100, unfinished)];
        let mut sample = sample([5; 10], &events);
        sample.series.as_mut().unwrap().rebuilt_bytes = rebuilt.to_vec();
        timeline([&sample].into_iter()).unwrap().rebuild
    };
    // 2000 bytes in eight seconds, at 50 a second in the end: 6000 more take 120 s.
    let slows = [0, 0, 400, 400, 400, 400, 150, 150, 50, 50];
    let rebuild = rebuilding(slows, 2000).expect("a rebuild");
    assert!((rebuild.time_ns.value - 128e9).abs() < 1.0, "{rebuild:?}");
    let speed = rebuild.speed_bytes_per_s.expect("counted").value;
    assert!((speed - 50.0).abs() < 1e-9, "{speed}");
    // A re-added disk skips what is in sync: 4000 bytes are passed with 2000 written.
    let rebuild = rebuilding(slows, 4000).expect("a rebuild");
    assert!((rebuild.time_ns.value - 48e9).abs() < 1.0, "{rebuild:?}");
    // One that stands still at the end has no time.
    assert_eq!(
        rebuilding([0, 0, 400, 400, 400, 400, 400, 0, 0, 0], 2000),
        None
    );
    // Steps that are not counted leave the mean.
    let rebuild = rebuilding([0; 10], 2000).expect("a rebuild");
    assert!((rebuild.time_ns.value - 32e9).abs() < 1.0, "{rebuild:?}");
}

#[test]
fn without_a_failure_there_is_no_timeline() {
    assert_eq!(timeline([&sample([5; 10], &[])].into_iter()), None);
    assert_eq!(timeline(std::iter::empty()), None);
}
