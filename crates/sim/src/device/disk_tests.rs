//! Guards against a disk that is fast where a real one is slow: each test checks a measured number
//! or one from a data sheet.

use super::*;
use proptest::prelude::*;
use stripewise_profiles::device::calibrated::LinkProfile;

/// HGST Deskstar 7K4000: 7200 rpm, 4 TB; seek and rates from its specification.
pub(super) fn deskstar() -> DiskProfile {
    DiskProfile {
        capacity_bytes: 4_000_787_030_016,
        rotation_rpm: 7200,
        heads_count: 10,
        zones_count: 24,
        sustained_outer_bytes_per_s: 160_000_000,
        sustained_inner_bytes_per_s: 78_000_000,
        seek_track_to_track_ns: 600_000,
        seek_average_ns: 8_200_000,
        seek_full_stroke_ns: 16_000_000,
        seek_write_track_to_track_ns: None,
        seek_write_average_ns: None,
        track_switch_ns: 1_000_000,
        link: LinkProfile {
            read_bytes_per_s: 550_000_000,
            write_bytes_per_s: 550_000_000,
            command_ns: 50_000,
            full_duplex: false,
        },
        read_cache_bytes: 48 << 20,
        read_segments_count: 16,
        write_cache_bytes: 16 << 20,
        write_cache_runs_count: 128,
        queue_wait_max_ns: 1_000_000_000,
    }
}

/// A 5400 rpm disk of the 1.5 TB class.
fn slow_disk() -> DiskProfile {
    DiskProfile {
        capacity_bytes: 1_500_301_910_016,
        rotation_rpm: 5400,
        heads_count: 6,
        sustained_outer_bytes_per_s: 100_000_000,
        sustained_inner_bytes_per_s: 50_000_000,
        seek_average_ns: 9_500_000,
        seek_full_stroke_ns: 20_000_000,
        ..deskstar()
    }
}

/// The result of a closed loop of one kind of request.
struct Outcome {
    per_s: f64,
    latency_max_ns: u64,
    completed: Vec<Completed>,
}

fn request(id: u32, operation: Operation, start: u64, length: u64) -> DeviceRequest {
    DeviceRequest {
        id,
        operation,
        start: Sectors::new(start),
        length: Sectors::new(length),
        fua: false,
    }
}

/// Keeps `depth` requests in flight until `count` have returned.
fn closed_loop(
    disk: &mut Disk,
    depth: u32,
    count: u32,
    mut next: impl FnMut(u32) -> DeviceRequest,
) -> Outcome {
    let mut now = Instant::START;
    let mut issued = 0;
    let mut batch = Vec::new();
    let mut completed = Vec::new();
    let mut latency_max_ns = 0;
    while completed.len() < count as usize {
        while issued < count && issued < depth + u32::try_from(completed.len()).expect("small") {
            disk.submit(now, next(issued));
            issued += 1;
        }
        now = disk.next_event();
        disk.advance(now, &mut batch);
        for done in batch.drain(..) {
            let total = done.queued_ns.as_u64() + done.service_ns.as_u64();
            latency_max_ns = latency_max_ns.max(total);
            completed.push(done);
        }
    }
    Outcome {
        per_s: f64::from(count) / Nanos::new(now.as_nanos()).as_secs_f64(),
        latency_max_ns,
        completed,
    }
}

/// Random 4K requests over the whole disk.
fn random_4k(
    profile: &DiskProfile,
    seed: u64,
    operation: Operation,
) -> impl FnMut(u32) -> DeviceRequest {
    let mut stream = Stream::child(seed, Component::Job(0));
    let blocks = profile.capacity_bytes / 4096;
    move |id| request(id, operation, 8 * stream.below(blocks), 8)
}

fn random_iops(profile: &DiskProfile, operation: Operation, depth: u32, count: u32) -> Outcome {
    let mut disk = Disk::new(profile, 1);
    closed_loop(&mut disk, depth, count, random_4k(profile, 2, operation))
}

fn no_write_cache() -> DiskProfile {
    DiskProfile {
        write_cache_bytes: 0,
        ..deskstar()
    }
}

#[track_caller]
fn assert_between(value: f64, low: f64, high: f64) {
    assert!(
        (low..=high).contains(&value),
        "{value} is not in {low}..={high}"
    );
}

#[test]
fn random_reads_of_a_7200_rpm_disk() {
    let profile = deskstar();
    let single = random_iops(&profile, Operation::Read, 1, 4000);
    // 8.2 ms + half a revolution of 8.33 ms + overhead is 12.4 ms.
    assert_between(single.per_s, 76.0, 84.0);
    let queued = random_iops(&profile, Operation::Read, 32, 20_000);
    assert_between(queued.per_s, 170.0, 215.0);
    let bound = profile.queue_wait_max_ns + 32 * 25_000_000;
    assert!(queued.latency_max_ns < bound, "nothing starves");
}

#[test]
fn random_reads_of_a_5400_rpm_disk() {
    let single = random_iops(&slow_disk(), Operation::Read, 1, 4000);
    assert_between(single.per_s, 61.0, 69.0);
}

#[test]
fn sequential_reads_reach_the_rate_of_their_zone() {
    let profile = slow_disk();
    let sectors = profile.capacity_bytes / 512;
    for (start, rate) in [(0, 100e6), (sectors - 1_000_000, 50e6)] {
        for depth in [1, 4] {
            let mut disk = Disk::new(&profile, 3);
            let read = |id| request(id, Operation::Read, start + u64::from(id) * 128, 128);
            let outcome = closed_loop(&mut disk, depth, 4000, read);
            assert_between(outcome.per_s * 65536.0, 0.97 * rate, 1.01 * rate);
        }
    }
}

#[test]
fn sequential_writes_need_the_cache() {
    let write = |id| request(id, Operation::Write, u64::from(id) * 128, 128);
    let cached = closed_loop(&mut Disk::new(&deskstar(), 3), 1, 8000, write);
    // The last writes are still in the cache: 16 MiB of 500.
    assert_between(cached.per_s * 65536.0, 155e6, 167e6);
    // Each write comes just after its place has passed: a revolution and its own length, 8.74 ms.
    let direct = closed_loop(&mut Disk::new(&no_write_cache(), 3), 1, 1000, write);
    assert_between(direct.per_s, 112.0, 117.0);
}

#[test]
fn a_skip_within_the_read_ahead_needs_no_seek() {
    // Every other 64K: half the media rate, which is far more than one seek for each would give.
    let mut disk = Disk::new(&deskstar(), 3);
    let read = |id| request(id, Operation::Read, u64::from(id) * 256, 128);
    let outcome = closed_loop(&mut disk, 1, 4000, read);
    assert_between(outcome.per_s * 65536.0, 77e6, 81e6);
}

#[test]
fn cached_writes_return_at_link_speed_and_random_ones_gain_from_reordering() {
    let burst = random_iops(&deskstar(), Operation::Write, 1, 100);
    assert!(burst.latency_max_ns < 100_000, "{}", burst.latency_max_ns);
    let sustained = random_iops(&deskstar(), Operation::Write, 1, 20_000);
    let direct = random_iops(&no_write_cache(), Operation::Write, 1, 4000);
    assert_between(direct.per_s, 76.0, 84.0);
    assert_between(sustained.per_s / direct.per_s, 2.0, 4.5);
}

#[test]
fn rewriting_what_was_just_read_costs_a_revolution() {
    let mut disk = Disk::new(&no_write_cache(), 1);
    let both = |id| match id {
        0 => request(id, Operation::Read, 1_000_000, 8),
        _ => request(id, Operation::Write, 1_000_000, 8),
    };
    let outcome = closed_loop(&mut disk, 1, 2, both);
    let [read, write] = outcome.completed[..] else {
        panic!("both return");
    };
    let turn = write.at.since(read.at).as_u64();
    assert_eq!(turn, disk.geometry.revolution_ns());
}

#[test]
fn writes_seek_longer_than_reads() {
    let profile = DiskProfile {
        seek_write_track_to_track_ns: Some(700_000),
        seek_write_average_ns: Some(9_200_000),
        ..no_write_cache()
    };
    let time_ms = |operation| 1e3 / random_iops(&profile, operation, 1, 4000).per_s;
    let longer_ms = time_ms(Operation::Write) - time_ms(Operation::Read);
    assert_between(longer_ms, 0.8, 1.2);
}

#[test]
fn cached_writes_are_destaged_by_ascending_address() {
    let mut disk = Disk::new(&deskstar(), 1);
    let places = [9_000_000, 5_000_000, 7_000_000, 3_000_000, 1_000_000];
    for (id, start) in (0..).zip(places) {
        disk.submit(Instant::START, request(id, Operation::Write, start, 8));
    }
    let mut order = Vec::new();
    while disk.next_event() != Instant::NEVER {
        let mut done = Vec::new();
        disk.advance(disk.next_event(), &mut done);
        if let Some(job) = disk.job
            && order.last() != Some(&job.run.start)
        {
            order.push(job.run.start);
        }
    }
    // The first was on its way when the others came.
    let expected = [9_000_000, 1_000_000, 3_000_000, 5_000_000, 7_000_000];
    assert_eq!(order, expected);
}

/// Measured on one drive: a flush takes about 28 + 9.4 n ms after n cached random writes of 4K.
#[test]
fn a_flush_costs_a_positioning_for_every_cached_write() {
    let profile = deskstar();
    for count in [8, 32, 100] {
        let mut disk = Disk::new(&profile, 1);
        let mut write = random_4k(&profile, 2, Operation::Write);
        let with_flush = |id| match id {
            _ if id < count => write(id),
            _ => request(id, Operation::Flush, 0, 0),
        };
        let outcome = closed_loop(&mut disk, 1, count + 1, with_flush);
        let flush = outcome.completed.last().expect("it completed");
        let each_ms = flush.service_ns.as_secs_f64() * 1e3 / f64::from(count);
        assert_between(each_ms, 3.0, 13.0);
    }
}

#[test]
fn a_flush_waits_for_earlier_requests_and_holds_back_later_ones() {
    let mut disk = Disk::new(&deskstar(), 1);
    let mut done = Vec::new();
    disk.submit(Instant::START, request(0, Operation::Write, 1_000_000, 8));
    disk.submit(Instant::START, request(1, Operation::Read, 9_000_000, 8));
    disk.submit(Instant::START, request(2, Operation::Flush, 0, 0));
    disk.submit(Instant::START, request(3, Operation::Read, 9_000_000, 8));
    while disk.next_event() != Instant::NEVER {
        disk.advance(disk.next_event(), &mut done);
    }
    let order: Vec<u32> = done.iter().map(|done| done.id).collect();
    assert_eq!(order, [0, 1, 2, 3]);
    assert!(
        done[2].at > done[1].at,
        "the cached write had to be written"
    );
}

#[test]
fn a_write_with_fua_is_on_the_platter_when_it_returns() {
    let profile = deskstar();
    let mut write = random_4k(&profile, 2, Operation::Write);
    let outcome = closed_loop(&mut Disk::new(&profile, 1), 1, 2000, |id| DeviceRequest {
        fua: true,
        ..write(id)
    });
    assert_between(outcome.per_s, 76.0, 84.0);
}

#[test]
fn a_read_far_away_does_not_starve_among_near_ones() {
    let profile = deskstar();
    let far = profile.capacity_bytes / 512 - 1000;
    let mut stream = Stream::child(5, Component::Job(0));
    let mut disk = Disk::new(&profile, 1);
    let outcome = closed_loop(&mut disk, 32, 2000, |id| {
        let start = if id == 40 {
            far
        } else {
            8 * stream.below(100_000)
        };
        request(id, Operation::Read, start, 8)
    });
    let late = outcome
        .completed
        .iter()
        .find(|done| done.id == 40)
        .expect("it returned");
    let waited = late.queued_ns.as_u64();
    assert!(waited < profile.queue_wait_max_ns + 50_000_000, "{waited}");
}

#[test]
fn equal_requests_are_served_in_the_order_of_arrival() {
    let mut disk = Disk::new(&no_write_cache(), 1);
    let outcome = closed_loop(&mut disk, 8, 8, |id| request(id, Operation::Write, 4096, 8));
    let order: Vec<u32> = outcome.completed.iter().map(|done| done.id).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn impossible_profiles_are_named() {
    let mut profile = deskstar();
    profile.heads_count = 0;
    let error = profile.check().expect_err("no heads");
    assert_eq!(error.to_string(), "`heads_count` is 0; allowed: 1 to 64");
}

#[test]
fn memory_does_not_grow_after_the_warm_up() {
    let profile = deskstar();
    let mut disk = Disk::new(&profile, 1);
    let mut next = mixed(&profile, 9);
    let room = |disk: &Disk| {
        let queues = disk.queue.capacity() + disk.waiting.capacity() + disk.done.capacity();
        (
            queues,
            disk.agenda.capacity(),
            disk.writes.runs().count() <= 128,
            disk.active.len(),
        )
    };
    closed_loop(&mut disk, 32, 2000, &mut next);
    let before = room(&disk);
    for _ in 0..5 {
        closed_loop_from(&mut disk, 32, 2000, &mut next);
    }
    assert_eq!(room(&disk), before);
}

/// As [`closed_loop`], for a disk that has served requests already.
fn closed_loop_from(
    disk: &mut Disk,
    depth: u32,
    count: u32,
    next: &mut impl FnMut(u32) -> DeviceRequest,
) {
    let mut now = disk.next_event();
    if now == Instant::NEVER {
        now = Instant::from_nanos(1 << 50);
    }
    let mut in_flight = 0;
    let mut batch = Vec::new();
    for id in 0..count {
        while in_flight == depth {
            now = disk.next_event();
            disk.advance(now, &mut batch);
            in_flight -= u32::try_from(batch.drain(..).count()).expect("small");
        }
        disk.submit(now, next(id));
        in_flight += 1;
    }
    while in_flight > 0 {
        disk.advance(disk.next_event(), &mut batch);
        in_flight -= u32::try_from(batch.drain(..).count()).expect("small");
    }
}

/// Reads, writes with and without FUA, and flushes, of many sizes, some of them neighbours.
fn mixed(profile: &DiskProfile, seed: u64) -> impl FnMut(u32) -> DeviceRequest {
    let mut stream = Stream::child(seed, Component::Job(0));
    let sectors = profile.capacity_bytes / 512;
    let mut last = 0;
    move |id| {
        let operation = match stream.below(20) {
            0 => Operation::Flush,
            1..10 => Operation::Read,
            _ => Operation::Write,
        };
        let start = match stream.below(3) {
            0 => last,
            1 => last + stream.below(3000),
            _ => stream.below(sectors - 10_000),
        };
        let length = match operation {
            Operation::Flush => 0,
            Operation::Read | Operation::Write => 8 + 8 * stream.below(256),
        };
        last = (start + length).min(sectors - 10_000);
        DeviceRequest {
            fua: stream.below(10) == 0,
            ..request(id, operation, start, length)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_request_completes_once_and_repeatably(
        seed: u64,
        depth in 1_u32..33,
        cached: bool,
    ) {
        let profile = if cached { deskstar() } else { no_write_cache() };
        let run = || {
            let mut disk = Disk::new(&profile, seed);
            closed_loop(&mut disk, depth, 400, mixed(&profile, seed)).completed
        };
        let completed = run();
        prop_assert_eq!(&completed, &run());
        prop_assert!(completed.is_sorted_by_key(|done| done.at));
        for done in &completed {
            let total = done.queued_ns.as_u64() + done.service_ns.as_u64();
            prop_assert!(total >= 50_000 && total <= done.at.as_nanos(), "not before it arrived");
        }
        let mut ids: Vec<u32> = completed.iter().map(|done| done.id).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..400).collect::<Vec<u32>>());
    }
}
