//! Guards against a setting of md or of a queue that the model accepts and does not simulate, or
//! simulates in the wrong direction.

use stripewise_sim::engine::{Ending, Limits, SetupError};
use stripewise_study::failure::{Failure, Repair, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::Happened;
use stripewise_study::stack::{ArraySettings, Level};
use stripewise_study::warning::Warning;
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

/// Returns an array of SSDs with these settings.
fn with(level: Level, members: u32, settings: ArraySettings) -> Case {
    let mut case = Case::array(level, None, members);
    if let Some(array) = &mut case.stack.array {
        array.settings = settings;
    }
    case
}

fn total(sample: &Sample, of: fn(&stripewise_study::sample::DeviceDelta) -> u64) -> u64 {
    sample.devices.iter().map(of).sum()
}

/// Returns the reads of each member for 1000 random writes of 4K under an `rmw_level`.
fn reads_of_writes(members: u32, rmw_level: u32) -> u64 {
    let settings = ArraySettings {
        rmw_level: Some(rmw_level),
        ..ArraySettings::default()
    };
    let case = with(Level::Raid5, members, settings).pattern(Pattern::RandWrite, 4 * KIB);
    total(&case.run(1000), |device| device.reads)
}

/// On six members the rest of a row is four blocks, old data and parity are two. On four members
/// both are two; which of them is read shows on no counter.
#[test]
fn rmw_level_chooses_between_old_parity_and_the_rest_of_the_row() {
    let is_about = |reads: u64, each: u64| (1000 * each - 20..=1000 * each).contains(&reads);
    assert!(is_about(reads_of_writes(6, 0), 4));
    for level in [1, 2] {
        assert!(is_about(reads_of_writes(6, level), 2), "{level}");
    }
    for level in [0, 1, 2] {
        assert!(is_about(reads_of_writes(4, level), 2), "{level}");
    }
}

/// A second round over blocks that the cache still holds reads nothing; over more it reads again.
#[test]
fn a_larger_stripe_cache_holds_more_rows() {
    let reads = |stripe_cache_size: Option<u32>| {
        let settings = ArraySettings {
            stripe_cache_size,
            ..ArraySettings::default()
        };
        // 1024 stripes of 12K.
        let case = with(Level::Raid5, 4, settings).size(12 * MIB);
        let sample = case.pattern(Pattern::RandWrite, 4 * KIB).run(20_000);
        total(&sample, |device| device.reads)
    };
    let (small, default, large) = (reads(Some(64)), reads(None), reads(Some(4096)));
    assert_eq!(default, reads(Some(256)));
    assert!(
        small > default && default > 4 * large,
        "{small} {default} {large}"
    );
    // Each block of a row is read once, at most.
    assert!(large <= 3 * 1024, "{large}");
}

#[test]
fn sync_speed_max_limits_a_rebuild() {
    let rebuilt = |settings: ArraySettings, of_failure: Option<Bytes>| {
        let mut case = with(Level::Raid1, 2, settings).pattern(Pattern::RandRead, 4 * KIB);
        case.workload.load.think_time_ns = Nanos::from_millis(20);
        case.conditions.failure = Some(Failure {
            name: "pulled".to_owned(),
            at_ns: Nanos::from_millis(100),
            device: 1,
            repair: Some(Repair {
                at_ns: Nanos::from_millis(200),
                with: Replacement::New,
            }),
            sync_speed_min_bytes_per_s: None,
            sync_speed_max_bytes_per_s: of_failure,
            until_rebuilt: false,
        });
        let mut simulation = case.build();
        let limits = Limits {
            duration: Nanos::from_millis(1000),
            half_width: 0.0,
            ..Limits::default()
        };
        let ending = simulation.run(&limits, &mut NeverCancel);
        assert_eq!(ending, Ending::Complete);
        let sample = simulation.sample();
        let mut events = sample.events.iter();
        events.find_map(|event| match event.what {
            Happened::RebuildUnfinished { reached_bytes, .. } => Some(reached_bytes.as_u64()),
            _ => None,
        })
    };
    let slow = |speed: u64| ArraySettings {
        sync_speed_min_bytes_per_s: Some(Bytes::new(KIB)),
        sync_speed_max_bytes_per_s: Some(Bytes::new(speed)),
        ..ArraySettings::default()
    };
    let free = rebuilt(ArraySettings::default(), None).unwrap();
    let limited = rebuilt(slow(10 * MIB), None).unwrap();
    assert!(limited * 2 < free, "{limited} of {free}");
    // The failure's own speed comes first.
    let own = rebuilt(slow(10 * MIB), Some(Bytes::new(200_000 * KIB))).unwrap();
    assert!(own * 2 > free, "{own} of {free}");
}

/// With a pause of 100 ms after each write, an array that turns clean after 20 ms writes its
/// superblocks twice for each write, one that waits for a second never.
#[test]
fn safe_mode_delay_decides_how_often_superblocks_are_written() {
    let writes = |delay_ms: u64| {
        let settings = ArraySettings {
            safe_mode_delay_ns: Some(Nanos::from_millis(delay_ms)),
            ..ArraySettings::default()
        };
        let mut case = with(Level::Raid1, 2, settings).pattern(Pattern::RandWrite, 4 * KIB);
        case.workload.load.think_time_ns = Nanos::from_millis(100);
        let sample = case.run(100);
        each(&sample, |device| device.writes)
    };
    assert_eq!(writes(1000), [100; 2]);
    assert_eq!(writes(0), [100; 2]);
    for member in writes(20) {
        assert!((295..=300).contains(&member), "{member}");
    }
}

#[test]
fn write_mostly_members_are_not_read() {
    let settings = ArraySettings {
        write_mostly: vec![0],
        ..ArraySettings::default()
    };
    let case = with(Level::Raid1, 3, settings).depth(1, 8);
    let reads = |case: &Case| each(&case.run(2000), |device| device.reads);
    let counted = reads(&case);
    assert_eq!((counted[0], counted.iter().sum()), (0, 2000));
    // It is the last resort.
    let counted = reads(&case.clone().fail(1).fail(2));
    assert_eq!(counted, [2000, 0, 0]);
    let written = case.pattern(Pattern::RandWrite, 4 * KIB).run(500);
    assert_eq!(each(&written, |device| device.writes), [500; 3]);
}

/// Returns the mean size of a disk's reads for one buffered stream, in KiB.
fn stream(read_ahead_kib: u64, max_sectors_kib: Option<u32>) -> u64 {
    let mut case = Case::single()
        .pattern(Pattern::Read, 4 * KIB)
        .size(64 * MIB);
    case.workload.load.direct = false;
    case.conditions.drop_caches = Some(true);
    case.conditions.read_ahead_bytes = Some(Bytes::new(read_ahead_kib * KIB));
    case.conditions.max_sectors_kib = max_sectors_kib;
    let sample = case.run(8192);
    let device = &sample.devices[0];
    device.read_bytes.as_u64() / device.reads / KIB
}

#[test]
fn read_ahead_sets_the_window_and_zero_turns_it_off() {
    assert_eq!(stream(0, None), 4, "page by page");
    // The first windows are shorter.
    assert!((31..=32).contains(&stream(16, None)), "fio doubles it");
    assert!((250..=256).contains(&stream(128, None)));
    assert!((900..=1024).contains(&stream(512, None)));
}

#[test]
fn max_sectors_kb_cuts_requests() {
    assert!((62..=64).contains(&stream(512, Some(64))));
    let reads = |kib: Option<u32>, case: Case| {
        let mut case = case.pattern(Pattern::RandRead, MIB);
        case.conditions.max_sectors_kib = kib;
        total(&case.run(10), |device| device.reads)
    };
    assert_eq!(reads(None, Case::single()), 10);
    assert_eq!(reads(Some(128), Case::single()), 80);
    // A mirror takes the limit over, and balances piece by piece.
    let mirror = || Case::array(Level::Raid1, None, 2);
    assert_eq!(reads(Some(128), mirror()), 80);
}

/// RAID 5 forgets its members' limit on 6.1 and takes it over on 6.12: a read of 1 MiB on chunks of
/// 1 MiB reaches a member whole, and is cut there.
#[test]
fn requests_before_an_array_are_cut_as_its_queue_says() {
    for (kernel, level) in [
        (KernelVersion::new(6, 1, 192), Level::Raid5),
        (KernelVersion::new(6, 12, 117), Level::Raid5),
        (KernelVersion::new(6, 1, 192), Level::Raid0),
    ] {
        let mut case = Case::array(level, None, 4).chunk(MIB);
        case.kernel = kernel;
        case.conditions.max_sectors_kib = Some(256);
        let sample = case.pattern(Pattern::RandRead, MIB).run(16);
        assert_eq!(
            total(&sample, |device| device.reads),
            64,
            "{kernel} {level}"
        );
    }
}

/// With `none` a drive never gets more commands than `nr_requests`, so four tags on a drive that
/// serves eight at once halve its rate. With a scheduler they are all at the drive, too.
#[test]
fn nr_requests_limits_what_a_drive_gets() {
    let rate = |scheduler: &str, nr_requests: Option<u32>| {
        let mut case = Case::single().depth(32, 1);
        case.conditions.scheduler = Some(scheduler.to_owned());
        case.conditions.nr_requests = nr_requests;
        let sample = case.run(4000);
        4000.0 / sample.elapsed_ns.as_secs_f64()
    };
    for scheduler in ["none", "mq-deadline"] {
        let (free, few) = (rate(scheduler, None), rate(scheduler, Some(4)));
        assert!(
            (1.6..2.2).contains(&(free / few)),
            "{scheduler}: {free} {few}"
        );
        let enough = rate(scheduler, Some(32));
        assert!(
            (enough - free).abs() < free / 1e6,
            "{scheduler}: {enough} {free}"
        );
    }
}

#[test]
fn settings_that_are_not_simulated_are_refused_by_name() {
    let refusal = |case: &Case, key: &str, advice: &str| {
        let error = case.try_build().unwrap_err();
        assert!(matches!(error, SetupError::Setting { .. }), "{error}");
        assert!(error.to_string().contains(key), "{error}");
        assert!(error.hint().unwrap().contains(advice), "{error}");
    };
    let threads = |count| {
        let settings = ArraySettings {
            group_thread_cnt: Some(count),
            ..ArraySettings::default()
        };
        with(Level::Raid5, 4, settings)
    };
    assert!(threads(0).try_build().is_ok());
    refusal(
        &threads(4),
        "`group_thread_cnt = 0`, not `4`",
        "--world metal",
    );
    let behind = ArraySettings {
        write_mostly: vec![1],
        write_behind: Some(256),
        ..ArraySettings::default()
    };
    refusal(
        &with(Level::Raid1, 2, behind),
        "`write_behind`",
        "--world lab",
    );
    let mut throttled = Case::single();
    throttled.conditions.wbt_lat_us = Some(2000);
    refusal(&throttled, "`wbt_lat_usec = 0`, not `2000`", "--world lab");
    throttled.conditions.wbt_lat_us = Some(0);
    assert!(throttled.try_build().is_ok());
    let rmw = ArraySettings {
        rmw_level: Some(1),
        ..ArraySettings::default()
    };
    let mut old = with(Level::Raid5, 4, rmw);
    old.kernel = KernelVersion::new(3, 10, 0);
    refusal(&old, "Linux 3.10 has no `rmw_level`", "newer `kernel`");
}

#[test]
fn numbers_beyond_a_device_are_refused() {
    let hint = |case: &Case| case.try_build().unwrap_err().hint();
    let mut long = Case::single();
    long.devices[0].request_bytes_max = Some(512 * KIB);
    long.conditions.max_sectors_kib = Some(512);
    assert!(long.try_build().is_ok());
    long.conditions.max_sectors_kib = Some(1024);
    assert!(hint(&long).unwrap().contains("device profile"));
    let mut many = Case::single();
    many.conditions.scheduler = Some("none".to_owned());
    many.conditions.nr_requests = Some(64);
    assert!(hint(&many).unwrap().contains("smaller number"));
    many.conditions.scheduler = Some("mq-deadline".to_owned());
    assert!(many.try_build().is_ok());
    many.kernel = KernelVersion::new(4, 9, 0);
    assert!(hint(&many).unwrap().contains("newer `kernel`"));
}

/// In the lab such an array is up to five times slower with the kernel's throttling than without it
/// (`docs/model/against-the-lab.md`).
#[test]
fn an_array_of_parity_whose_kernel_throttles_writes_is_warned_of() {
    let slow = changed(ssd(), |profile| {
        for point in &mut profile.read.random {
            point.time_ns *= 25;
        }
    });
    let warning = |change: fn(&mut Case)| {
        let case = Case::array(Level::Raid5, None, 4).on(4, &slow);
        let mut case = case.pattern(Pattern::RandWrite, 4 * KIB).depth(1, 8);
        change(&mut case);
        let warnings = case.run(1000).warnings.into_iter();
        warnings
            .filter(|warning| matches!(warning, Warning::WritesThrottled { .. }))
            .collect::<Vec<_>>()
    };
    let found = warning(|_| ());
    let [
        Warning::WritesThrottled {
            device,
            read_ns,
            limit_ns,
        },
    ] = &found[..]
    else {
        panic!("{found:?}")
    };
    assert_eq!(device, "disk0");
    assert_eq!(*limit_ns, Nanos::from_millis(2));
    let read = read_ns.as_u64();
    assert!((2_500_000..3_000_000).contains(&read), "{read}");
    let mirror: fn(&mut Case) = |case| {
        *case = Case::array(Level::Raid1, None, 2).on(2, &case.devices[0]);
        *case = case.clone().pattern(Pattern::RandRw, 4 * KIB).depth(1, 8);
    };
    assert_eq!(warning(mirror).len(), 1);
    let silent: [fn(&mut Case); 5] = [
        |case| {
            *case = Case::array(Level::Raid1, None, 2).on(2, &case.devices[0]);
            *case = case.clone().pattern(Pattern::RandRw, 4 * KIB).depth(1, 8);
            case.kernel = KernelVersion::new(6, 14, 0);
        },
        |case| case.conditions.wbt_lat_us = Some(0),
        |case| case.kernel = KernelVersion::new(4, 9, 0),
        // raid0 passes on what tells a direct write from one of the page cache.
        |case| case.stack.array.as_mut().unwrap().level = Level::Raid0,
        |case| case.devices.iter_mut().for_each(|profile| *profile = ssd()),
    ];
    for change in silent {
        assert_eq!(warning(change), []);
    }
}
