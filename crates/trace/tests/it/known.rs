//! Loads with known parameters are found again, each number within a stated tolerance.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]

use crate::loads::{self, Chance, asked, closed, in_order, one, open, profile};
use stripewise_format::question::StackQuestion;
use stripewise_study::workload::{BlockSize, Distribution, Engine, Pattern, SyncMode};
use stripewise_trace::event::{Action, Marks};
use stripewise_trace::fit::{Fitted, fit};
use stripewise_trace::loss::Loss;
use stripewise_units::{Bytes, Nanos};

const SECOND: u64 = 1_000_000_000;
const GIB: u64 = 1 << 30;

fn within(got: f64, want: f64, tolerance: f64) {
    assert!(
        (got / want - 1.0).abs() <= tolerance,
        "{got} instead of {want}"
    );
}

#[test]
fn a_closed_loop_is_found_again() {
    for (jobs, depth) in [(1, 1), (1, 16), (4, 1), (4, 8)] {
        let mut chance = Chance(5);
        let events = closed(0, (jobs, depth), 0, SECOND, |_| {
            asked(Action::Read, chance.below(GIB / 4096) * 4096, 4096)
        });
        let fitted = one(&events);
        let load = &fitted.workload.load;
        assert!(fitted.is_closed);
        assert_eq!((load.jobs, load.depth), (jobs, depth));
        assert_eq!(load.pattern, Pattern::RandRead);
        assert_eq!(load.block_size, BlockSize::Fixed(Bytes::new(4096)));
        assert_eq!(load.distribution, Distribution::Uniform);
        assert_eq!(
            (load.rate_iops, load.think_time_ns),
            (None, Nanos::default())
        );
        assert_eq!(load.engine == Engine::Libaio, depth > 1);
        within(
            load.size_bytes.as_u64() as f64 * f64::from(jobs),
            GIB as f64,
            0.05,
        );
        assert_eq!(fitted.losses, []);
    }
}

#[test]
fn a_pause_is_found_again() {
    let mut chance = Chance(5);
    let events = closed(0, (2, 1), 1_000_000, 4 * SECOND, |_| {
        asked(Action::Write, chance.below(1000) * 8192, 8192)
    });
    let load = one(&events).workload.load;
    assert_eq!((load.jobs, load.depth), (2, 1));
    within(load.think_time_ns.as_u64() as f64, 1_002_000.0, 0.02);
    assert_eq!(load.pattern, Pattern::RandWrite);
}

#[test]
fn rare_independent_ios_have_a_rate() {
    let (mut chance, mut places) = (Chance(1), Chance(2));
    let mut at = 0;
    let times = (0..20_000).map(move |_| {
        at += chance.exponential(1_000_000);
        at
    });
    let events = open(0, times, || {
        asked(Action::Read, places.below(1 << 20) * 4096, 4096)
    });
    let fitted = one(&events);
    assert!(!fitted.is_closed);
    let load = fitted.workload.load;
    within(f64::from(load.rate_iops.unwrap().get()), 1000.0, 0.03);
    // Independent I/Os are no bursts.
    assert_eq!(fitted.losses, []);
}

/// 500 reads in 25 ms, twice a second.
fn bursts() -> impl Iterator<Item = u64> {
    (0..40_u64).flat_map(|burst| (0..500).map(move |io| burst * SECOND / 2 + io * 50_000))
}

#[test]
fn bursts_are_found_again() {
    let mut places = Chance(2);
    let events = open(0, bursts(), || {
        asked(Action::Read, places.below(1 << 20) * 4096, 4096)
    });
    let fitted = one(&events);
    let load = &fitted.workload.load;
    within(f64::from(load.think_blocks.unwrap().get()), 500.0, 0.01);
    let pause = load.think_time_ns.as_u64() as f64;
    within(pause, 475e6, 0.03);
    // What takes 100 µs and comes every 50.
    assert!((2..=3).contains(&load.depth), "{}", load.depth);
    assert!(!fitted.is_closed);
    assert_eq!(fitted.losses, []);
}

/// Nine I/Os alone and a hundred at once are no bursts of eleven.
#[test]
fn bursts_of_very_unlike_lengths_are_a_rate() {
    let mut places = Chance(2);
    let length = |turn: u64| if turn % 10 == 9 { 100 } else { 1 };
    let times = (0..400_u64)
        .flat_map(move |turn| (0..length(turn)).map(move |io| turn * SECOND / 20 + io * 1000));
    let events = open(0, times, || {
        asked(Action::Read, places.below(1 << 20) * 4096, 4096)
    });
    let fitted = one(&events);
    let load = &fitted.workload.load;
    assert_eq!(load.think_blocks, None);
    within(f64::from(load.rate_iops.unwrap().get()), 218.0, 0.02);
}

/// What lies between the spans of a phase is no pause: a steady load that comes again and again beside
/// another one has a rate.
#[test]
fn a_phase_in_several_spans_has_no_bursts() {
    let mut places = Chance(2);
    let at_rate = |span: u64, gap: u64, from: u64| (0..span / gap).map(move |io| from + io * gap);
    let slow = (0..5_u64).flat_map(|turn| at_rate(SECOND * 5, 10_000_000, turn * 25 * SECOND));
    let fast = (0..5_u64).flat_map(|turn| at_rate(SECOND * 20, 500_000, (turn * 25 + 5) * SECOND));
    let mut times: Vec<u64> = slow.chain(fast).collect();
    times.sort_unstable();
    let events = open(0, times, || {
        asked(Action::Read, places.below(1 << 20) * 4096, 4096)
    });
    let fitted = fit(&profile(&events));
    let spans = |one: &&Fitted| one.phase.spans.len() > 1;
    let rates = fitted.iter().filter(spans).map(|one| {
        assert_eq!(one.workload.load.think_blocks, None);
        f64::from(one.workload.load.rate_iops.unwrap().get())
    });
    let rates: Vec<f64> = rates.collect();
    // Windows with both are a phase of their own.
    within(rates[0], 100.0, 0.2);
    within(rates[1], 2000.0, 0.05);
}

/// Among others that come evenly, they are no pauses.
#[test]
fn bursts_among_others_and_their_period_are_named() {
    let mut places = Chance(2);
    let others = (0..10_000_u64).map(|io| io * 2_000_000 + 1_000_000);
    let mut times: Vec<u64> = bursts().chain(others).collect();
    times.sort_unstable();
    let events = open(0, times, || {
        asked(Action::Read, places.below(1 << 20) * 4096, 4096)
    });
    let fitted = one(&events);
    assert_eq!(fitted.workload.load.think_blocks, None);
    let bursts = fitted.losses.iter().find_map(|loss| match loss {
        Loss::Bursts { times, period } => Some((*times, *period)),
        _ => None,
    });
    let (times, period) = bursts.expect("the bursts are named");
    assert!(times > 50.0, "{times}");
    within(
        period.expect("a period").as_u64() as f64,
        SECOND as f64 / 2.0,
        0.05,
    );
}

#[test]
fn a_mix_of_reads_and_writes_is_one_load() {
    let mut chance = Chance(5);
    let events = closed(0, (1, 8), 0, 2 * SECOND, |_| {
        let action = if chance.below(100) < 70 {
            Action::Read
        } else {
            Action::Write
        };
        asked(action, chance.below(GIB / 16384) * 16384, 16384)
    });
    let fitted = one(&events);
    let load = fitted.workload.load;
    assert_eq!(load.pattern, Pattern::RandRw);
    within(f64::from(load.read_percent.unwrap()), 70.0, 0.03);
    assert_eq!((load.jobs, load.depth), (1, 8));
    assert!(fitted.workload.neighbours.is_empty());
}

#[test]
fn sizes_are_split() {
    let mut chance = Chance(5);
    let events = closed(0, (1, 4), 0, 2 * SECOND, |_| {
        let length = if chance.below(100) < 60 { 4096 } else { 65536 };
        asked(Action::Read, chance.below(GIB / 65536) * 65536, length)
    });
    let load = one(&events).workload.load;
    let BlockSize::Split(parts) = &load.block_size else {
        panic!("{}", load.block_size)
    };
    let parts: Vec<(u64, u8)> = parts
        .iter()
        .map(|part| (part.block_size_bytes.as_u64(), part.share_percent))
        .collect();
    let [(4096, small), (65536, _)] = parts[..] else {
        panic!("{parts:?}")
    };
    assert!(small.abs_diff(60) <= 2, "{small}");
}

#[test]
fn the_exponent_of_zipf_is_found_again() {
    for exponent in [0.8, 1.1, 1.3] {
        let places = 50_000_u64;
        let mut sums = vec![0.0];
        for rank in 1..=places {
            sums.push(sums.last().unwrap() + (rank as f64).powf(-exponent));
        }
        let mut chance = Chance(5);
        let events = closed(0, (1, 32), 0, SECOND, |_| {
            let want = chance.below(1 << 40) as f64 / (1_u64 << 40) as f64 * sums.last().unwrap();
            let rank = sums.partition_point(|sum| *sum < want) as u64;
            asked(
                Action::Read,
                rank.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places * 8192,
                8192,
            )
        });
        let load = one(&events).workload.load;
        let Distribution::Zipf(found) = load.distribution else {
            panic!("{exponent}")
        };
        assert!((found - exponent).abs() <= 0.06, "{exponent}: {found}");
    }
}

#[test]
fn a_database_is_its_pages_and_its_log() {
    let mut chance = Chance(5);
    let pages = closed(0, (8, 1), 0, 3 * SECOND, |_| {
        asked(Action::Read, chance.below(GIB / 16384) * 16384, 16384)
    });
    let mut end = 4 * GIB;
    let log = closed(32, (1, 1), 2_000_000, 3 * SECOND, |_| {
        end += 4096;
        let marks = Marks {
            is_fua: true,
            is_sync: true,
            ..Marks::default()
        };
        loads::UntimedIo {
            marks,
            ..asked(Action::Write, end - 4096, 4096)
        }
    });
    let fitted = one(&in_order([pages, log].concat()));
    let workload = fitted.workload;
    assert_eq!(workload.load.pattern, Pattern::RandRead);
    assert_eq!((workload.load.jobs, workload.load.depth), (8, 1));
    let [log] = workload.neighbours.as_slice() else {
        panic!("{:?}", workload.neighbours)
    };
    assert_eq!(log.name, "phase1-log-write-1");
    assert_eq!(
        (log.load.pattern, log.load.sync),
        (Pattern::Write, SyncMode::Dsync)
    );
    within(f64::from(log.load.rate_iops.unwrap().get()), 475.0, 0.03);
    assert_eq!(fitted.losses, [Loss::RatesAreApart]);
}

#[test]
fn flushes_become_syncs_of_the_writes() {
    let (mut chance, mut count) = (Chance(5), 0);
    let events = closed(0, (1, 1), 0, SECOND, |_| {
        count += 1;
        match count % 5 {
            0 => asked(Action::Flush, 0, 0),
            _ => asked(Action::Write, chance.below(GIB / 4096) * 4096, 4096),
        }
    });
    let load = one(&events).workload.load;
    assert_eq!(load.fsync_every.map(|every| every.get()), Some(4));
}

#[test]
fn phases_become_workloads() {
    let mut chance = Chance(5);
    let mut events = closed(0, (1, 1), 0, 10 * SECOND, |_| {
        asked(Action::Read, chance.below(GIB / 4096) * 4096, 4096)
    });
    let mut place = 0;
    let later = closed(1, (1, 1), 0, 10 * SECOND, |_| {
        place += 1 << 20;
        asked(Action::Write, place, 1 << 20)
    });
    events.extend(
        later
            .into_iter()
            .map(|event| loads::shifted(event, 10 * SECOND)),
    );
    let profile = profile(&in_order(events));
    let fitted = fit(&profile);
    let patterns: Vec<Pattern> = fitted
        .iter()
        .map(|fitted| fitted.workload.load.pattern)
        .collect();
    assert_eq!(patterns, [Pattern::RandRead, Pattern::Write]);
    let (from, to) = fitted[1].phase.spans[0];
    within(from.as_u64() as f64, 10e9, 0.02);
    assert_eq!(to, Nanos::new(u64::MAX));
}

#[test]
fn a_stride_is_named_and_discards_are_counted() {
    let mut place = 0;
    let events = closed(0, (1, 1), 0, SECOND, |_| {
        place += 1 << 20;
        match place % (100 << 20) {
            0 => asked(Action::Discard, place, 1 << 20),
            _ => asked(Action::Read, place, 4096),
        }
    });
    let fitted = one(&events);
    assert!(
        fitted
            .losses
            .iter()
            .any(|loss| matches!(loss, Loss::Discards { count } if *count > 50))
    );
    let stride = fitted.losses.iter().find_map(|loss| match loss {
        Loss::Stride { stride, share } => Some((*stride, *share)),
        _ => None,
    });
    let (stride, share) = stride.expect("the stride is named");
    assert_eq!(stride, 1 << 20);
    assert!(share > 0.9, "{share}");
}

#[test]
fn a_trace_without_ends_says_so() {
    let mut chance = Chance(5);
    let events = closed(0, (1, 8), 0, SECOND, |_| {
        asked(Action::Read, chance.below(1 << 18) * 4096, 4096)
    });
    let begins: Vec<_> = events.into_iter().filter(loads::begins).collect();
    let fitted = one(&begins);
    assert!(fitted.losses.contains(&Loss::NoEnds));
    assert!(fitted.workload.load.rate_iops.is_some());
}

#[test]
fn the_study_of_a_fit_has_its_workload() {
    let mut chance = Chance(5);
    let pages = closed(0, (8, 1), 0, SECOND, |_| {
        let action = if chance.below(100) < 70 {
            Action::Read
        } else {
            Action::Write
        };
        let length = if chance.below(100) < 60 { 4096 } else { 65536 };
        asked(action, chance.below(GIB / 65536) * 65536, length)
    });
    let mut count = 0;
    let log = closed(32, (1, 1), 2_000_000, SECOND, |_| {
        count += 1;
        match count % 3 {
            0 => asked(Action::Flush, 0, 0),
            _ => asked(Action::Write, 4 * GIB + (count - count / 3) * 4096, 4096),
        }
    });
    let fitted = one(&in_order([pages, log].concat()));
    let stack = StackQuestion {
        devices: vec![("sata-ssd".to_owned(), 1)],
        array: None,
        filesystem: None,
    };
    let text = stripewise_trace::study_text::study_text(std::slice::from_ref(&fitted), &stack);
    let timeless = Fitted {
        duration: Nanos::default(),
        ..fitted.clone()
    };
    let of_timeless = stripewise_trace::study_text::study_text(&[timeless], &stack);
    let stated = format!("# In the trace: {} I/Os and ", fitted.ios);
    assert!(of_timeless.contains(&stated), "{of_timeless}");
    assert!(of_timeless.contains("MiB, without times."), "{of_timeless}");
    let study = stripewise_fixtures::study(&text);
    let [cell] = study.cells.as_slice() else {
        panic!("{text}")
    };
    assert_eq!(cell.workload, fitted.workload);
    assert_eq!(
        fitted.workload.neighbours[0]
            .load
            .fsync_every
            .map(|every| every.get()),
        Some(2)
    );
}
