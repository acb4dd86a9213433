//! `think_blocks`: bursts of I/Os with a pause after each, as fio's `thinktime_blocks` with
//! `thinktime_blocks_type=issue`.

use std::num::NonZeroU32;

use stripewise_sim::engine::{Ending, Limits};
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_units::Nanos;

use crate::support::{Case, iops, is_near, mean_ns, ssd};

fn bursts(of: u32, pause_ms: u32) -> Case {
    let mut case = Case::single()
        .on(1, &ssd())
        .pattern(Pattern::RandRead, 4096);
    case.workload.load.think_time_ns = Nanos::from_millis(pause_ms.into());
    case.workload.load.think_blocks = NonZeroU32::new(of);
    case
}

/// A burst at a depth of one takes as long as its I/Os one after the other; then comes the pause.
#[test]
fn a_pause_follows_the_last_io_of_a_burst() {
    for of in [1, 2, 10, 100] {
        let sample = bursts(of, 20).run(10_000);
        let burst_s = f64::from(of) * mean_ns(&sample) / 1e9 + 0.020;
        let expected = f64::from(of) / burst_s;
        assert!(
            is_near(iops(&sample), expected, 3.0),
            "{of}: {} {expected}",
            iops(&sample)
        );
    }
}

/// A prediction has many bursts with their pauses, however long they are.
#[test]
fn a_prediction_does_not_end_within_a_burst() {
    for (of, pause_ms, depth) in [(10_000, 1000, 32), (5000, 100, 8), (3, 2000, 1)] {
        let case = bursts(of, pause_ms).depth(1, depth);
        let mut simulation = case.build();
        let ending = simulation.run(&Limits::default(), &mut NeverCancel);
        assert_ne!(ending, Ending::TooLarge);
        let sample = simulation.sample();
        let in_burst = iops(&bursts(of, 0).depth(1, depth).run(20_000));
        let expected = f64::from(of) / (f64::from(of) / in_burst + f64::from(pause_ms) / 1e3);
        assert!(
            is_near(iops(&sample), expected, 5.0),
            "{of}: {} {expected}",
            iops(&sample)
        );
    }
}

/// A rate and a pause hold both.
#[test]
fn a_pause_does_not_lift_a_rate() {
    let mut case = bursts(1, 1);
    case.workload.load.think_blocks = None;
    case.workload.load.rate_iops = NonZeroU32::new(100);
    assert!(is_near(iops(&case.run(500)), 100.0, 1.0));
}

/// As many as the depth allows are under way in a burst, and none in a pause: fio waits for all of
/// them before it sleeps (`io_u_quiesce`).
#[test]
fn a_burst_is_as_deep_as_its_depth_and_no_deeper_than_its_length() {
    let of = |depth: u32, blocks: u32| mean_ns(&bursts(blocks, 50).depth(1, depth).run(2000));
    let (alone, all) = (of(1, 32), of(32, 32));
    assert!(all > 1.5 * alone, "{all} {alone}");
    assert!(is_near(of(32, 1), alone, 1.0));
    assert!(of(32, 4) < all);
    assert!(is_near(of(32, 32), of(64, 32), 1.0));
}

/// A flush that is under way at the end of a burst does not end the load.
#[test]
fn bursts_go_on_with_flushes_among_them() {
    let mut case = bursts(5, 2).depth(1, 8);
    case.workload.load.pattern = Pattern::RandWrite;
    case.workload.load.fsync_every = NonZeroU32::new(3);
    let sample = case.run(500);
    assert!(sample.write.ios >= 350, "{}", sample.write.ios);
    assert!(sample.sync.histogram.count() > 100);
}

/// Without a pause, there are no bursts.
#[test]
fn bursts_without_a_pause_change_nothing() {
    let plain = bursts(7, 0);
    let mut none = plain.clone();
    none.workload.load.think_blocks = None;
    assert_eq!(plain.run(500), none.run(500));
}

/// A job works for the time, waits for what is under way, and pauses: at any depth, as many I/Os as
/// without pauses, for that share of the time.
#[test]
fn a_job_pauses_after_a_time_of_ios() {
    for (depth, work_ms, pause_ms) in [(1, 10, 30), (32, 20, 20), (8, 50, 5)] {
        let mut case = bursts(1, pause_ms).depth(1, depth);
        case.workload.load.think_blocks = None;
        case.workload.load.think_iotime_ns = Some(Nanos::from_millis(work_ms));
        let found = iops(&case.run(20_000));
        let mut without = case.clone();
        without.workload.load.think_time_ns = Nanos::default();
        let work = f64::from(u32::try_from(work_ms).unwrap());
        let expected = iops(&without.run(20_000)) * work / (work + f64::from(pause_ms));
        assert!(is_near(found, expected, 4.0), "{depth}: {found} {expected}");
    }
}
