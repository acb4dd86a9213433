//! Guards against a resync that starves the load, or that the load starves.

use stripewise_units::kernel::KernelVersion;

use super::*;

const OLD: ResyncPolicy = ResyncPolicy {
    waits_for_own: false,
    counts_array: false,
    timers_round_up: false,
};

fn policy(major: u16, minor: u16) -> ResyncPolicy {
    stripewise_profiles::kernel::policy(KernelVersion::new(major, minor, 0)).resync
}

fn at_ms(ms: u64) -> Instant {
    Instant::START + Nanos::from_millis(ms)
}

/// Runs a resync on members that take `request_us` per request, one at a time; returns KiB/s over a
/// minute.
fn speed(policy: ResyncPolicy, limits: SpeedLimits, request_us: u64, idle: bool) -> u64 {
    let mut now = Instant::START;
    let mut pacing = Pacing::new(Level::Raid1, policy, limits, now);
    let length = Sectors::new(128);
    let mut sectors = 0;
    while now < at_ms(60_000) {
        match pacing.next(now, || idle) {
            Pace::Sleep(until) => {
                now = until;
                continue;
            }
            // With one request at a time nothing is in flight here; a real array loses more time.
            Pace::Drain | Pace::Go => {}
        }
        pacing.issued(length);
        now += Nanos::new(request_us * 1000);
        pacing.done(length);
        sectors += length.get();
    }
    sectors / 2 / 60
}

#[test]
fn an_idle_array_is_as_fast_as_its_members_up_to_the_limit() {
    let free = speed(policy(6, 1), SpeedLimits::DEFAULT, 1000, true);
    assert_eq!(free, 64_000, "64 KiB in a millisecond");
    let limits = SpeedLimits {
        min_kib: 1000,
        max_kib: 10_000,
    };
    let limited = speed(policy(6, 1), limits, 1000, true);
    assert!((9_000..=11_000).contains(&limited), "{limited} KiB/s");
}

#[test]
fn a_busy_array_slows_old_kernels_to_the_lower_limit() {
    let slow = speed(OLD, SpeedLimits::DEFAULT, 1000, false);
    assert!((900..=1_300).contains(&slow), "{slow} KiB/s");
    let limits = SpeedLimits {
        min_kib: 20_000,
        max_kib: 200_000,
    };
    let faster = speed(OLD, limits, 1000, false);
    assert!((18_000..=23_000).contains(&faster), "{faster} KiB/s");
}

#[test]
fn since_4_1_it_only_waits_for_its_own_requests() {
    let mut pacing = Pacing::new(Level::Raid1, policy(4, 1), SpeedLimits::DEFAULT, at_ms(0));
    pacing.issued(Sectors::new(128));
    assert_eq!(
        pacing.next(at_ms(1), || panic!("within the window")),
        Pace::Go
    );
    pacing.issued(Sectors::new(4096));
    assert_eq!(
        pacing.next(at_ms(1), || panic!("below the lower limit")),
        Pace::Go
    );
    pacing.done(Sectors::new(4224));
    pacing.issued(Sectors::new(4096));
    assert_eq!(pacing.next(at_ms(2), || false), Pace::Drain);
    pacing.issued(Sectors::new(4096));
    assert_eq!(pacing.next(at_ms(3), || true), Pace::Go);
}

#[test]
fn since_6_16_a_few_requests_never_yield() {
    let mut pacing = Pacing::new(Level::Raid5, policy(6, 16), SpeedLimits::DEFAULT, at_ms(0));
    pacing.issued(Sectors::new(8000));
    pacing.done(Sectors::new(8000 - 8));
    assert_eq!(
        pacing.next(at_ms(1), || panic!("one stripe in flight")),
        Pace::Go
    );
    pacing.issued(Sectors::new(256));
    assert_eq!(pacing.next(at_ms(1), || false), Pace::Drain);
}

#[test]
fn other_io_of_more_than_64_sectors_is_busy() {
    let mut idleness = Idleness::new(policy(6, 1), 2);
    let members = |done_sectors, resync_sectors| {
        let member = MemberActivity {
            done_sectors,
            resync_sectors,
        };
        [MemberActivity::default(), member]
    };
    let array = ArrayActivity::default();
    assert!(idleness.is_idle(&members(64, 0), array));
    assert!(!idleness.is_idle(&members(65, 0), array));
    assert!(
        idleness.is_idle(&members(100, 0), array),
        "compared with the last busy answer"
    );
    assert!(idleness.is_idle(&members(10_000, 9_900), array));
    assert!(
        idleness.is_idle(&members(10_000, 90_000), array),
        "resync in flight"
    );
    assert!(!idleness.is_idle(&members(90_200, 90_000), array));
}

#[test]
fn since_6_16_any_io_of_the_array_is_busy() {
    let mut idleness = Idleness::new(policy(6, 16), 2);
    let array = |done_sectors, in_flight| ArrayActivity {
        done_sectors,
        in_flight,
    };
    assert!(!idleness.is_idle(&[], array(1, 0)));
    assert!(idleness.is_idle(&[], array(1, 0)));
    assert!(!idleness.is_idle(&[], array(1, 1)));
}

#[test]
fn levels_resync_in_their_own_requests() {
    let shape = |level| requests(level).map(|shape| (shape.length.get(), shape.depth));
    assert_eq!(shape(Level::Raid1), Some((128, Some(32))));
    assert_eq!(shape(Level::Raid10), Some((128, Some(512))));
    assert_eq!(shape(Level::Raid6), Some((8, None)));
    assert_eq!(shape(Level::Raid0), None);
}

#[test]
fn a_sleep_of_one_tick_ends_at_the_second_tick_since_timers_round_up() {
    let sleep = |kernel: &str, at_us: u64| {
        let policy =
            stripewise_profiles::kernel::policy(KernelVersion::parse(kernel).unwrap()).resync;
        let pacing = Pacing::new(Level::Raid10, policy, SpeedLimits::DEFAULT, Instant::START);
        let now = Instant::from_nanos(at_us * 1000);
        let until = pacing.barrier_sleep_end(now);
        (
            until.since(now).as_u64() / 1000,
            pacing.after_tick(now) == until,
        )
    };
    assert_eq!(sleep("6.1", 0), (8000, true));
    assert_eq!(sleep("6.1", 3999), (4001, true));
    assert_eq!(sleep("4.4", 1000), (3000, true));
    // Before 4.1 it did not yield at all below the lower limit.
    assert_eq!(sleep("4.0", 1000), (0, false));
}
