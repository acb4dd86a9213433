//! Guards against conditions and policies that are accepted but not simulated: governors, flushes,
//! rates, pauses, neighbours, bitmaps, mixes.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use stripewise_profiles::host::{AdapterProfile, ClockProfile, PStates};
use stripewise_sim::engine::{Ending, Limits};
use stripewise_study::conditions::{Flush, WriteCache};
use stripewise_study::sample::{Part, Sample, as_f64};
use stripewise_study::stack::{Bitmap, Filesystem, Level};
use stripewise_study::workload::{
    BlockSize, Distribution, Engine, Neighbour, Pattern, SplitPart, SyncMode,
};
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

fn refusal(case: &Case) -> String {
    case.try_build().unwrap_err().to_string()
}

fn writes() -> Case {
    Case::single().pattern(Pattern::RandWrite, 4 * KIB)
}

fn on_ext4(mut case: Case) -> Case {
    case.stack.filesystem = Filesystem::Made {
        kind: "ext4".to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    };
    case
}

fn fsync(mut case: Case, every: u32) -> Case {
    case.workload.load.fsync_every = Some(every.try_into().unwrap());
    case
}

fn flushes(sample: &Sample) -> u64 {
    each(sample, |device| device.flushes.unwrap()).iter().sum()
}

#[test]
fn half_the_clock_doubles_the_cpu_parts_and_wakes_later() {
    let mut case = Case::single();
    let fast = case.run(200);
    case.conditions.governor = Some("powersave".to_owned());
    let slow = case.run(200);
    for cpu in [Part::Submit, Part::BlockCpu] {
        assert!(
            is_near(part(&slow, cpu), 2.0 * part(&fast, cpu), 0.01),
            "{cpu:?}"
        );
    }
    // Completion and waking: 1000 + 3000 ns, doubled, and 7000 ns from a deeper sleep.
    assert!(is_near(part(&fast, Part::Completion), 4000.0, 0.01));
    assert!(is_near(part(&slow, Part::Completion), 15_000.0, 0.01));
    for device in [Part::DeviceService, Part::Link] {
        assert!(
            is_near(part(&slow, device), part(&fast, device), 0.01),
            "{device:?}"
        );
    }
}

/// A processor whose clock the kernel sets, and no stated governors.
fn with_clocks(mut case: Case, p_states: PStates, governor: &str) -> Case {
    case.host.governor.clear();
    case.host.clock = Some(ClockProfile {
        p_states,
        min_mhz: 1000,
        max_mhz: 4000,
        step_mhz: 100,
        transition_us: 10,
        c_states: vec![],
    });
    case.conditions.governor = Some(governor.to_owned());
    case
}

#[test]
fn the_lowest_clock_stretches_the_cpu_parts_and_the_highest_nothing() {
    let stated = Case::single().run(200);
    let clocks = |governor| with_clocks(Case::single(), PStates::Intel, governor).run(200);
    assert_eq!(clocks("performance"), stated);
    let slow = clocks("powersave");
    for cpu in [Part::Submit, Part::BlockCpu, Part::Completion] {
        assert!(
            is_near(part(&slow, cpu), 4.0 * part(&stated, cpu), 0.01),
            "{cpu:?}"
        );
    }
}

/// An A/A comparison: under a clock that changes all the time, the same load has the same rate with
/// each seed.
#[test]
fn equal_governors_make_no_difference() {
    let rate = |governor, seed| {
        let mut case = with_clocks(Case::single().depth(1, 8), PStates::Intel, governor);
        case.seed = seed;
        let mut simulation = case.build();
        let ending = simulation.run(&Limits::default(), &mut NeverCancel);
        assert_eq!(ending, Ending::Complete);
        let sample = simulation.sample();
        as_f64(sample.read.bytes.as_u64()) / as_f64(sample.elapsed_ns.as_u64())
    };
    for governor in ["ondemand", "schedutil", "conservative"] {
        let (a, b) = (rate(governor, 1), rate(governor, 2));
        assert!(is_near(a, b, 0.03), "{governor}: {a} {b}");
        assert_eq!(a, rate(governor, 1), "{governor}");
    }
}

/// Guards against a ring whose waits do not raise the clock where the kernel's do, and against
/// libaio's, which never do.
#[test]
fn waiting_for_io_uring_raises_the_clock_since_6_5() {
    let submit = |engine, kernel: &str| {
        let mut case = with_clocks(Case::single(), PStates::Intel, "ondemand");
        case.workload.load.engine = engine;
        case.kernel = KernelVersion::parse(kernel).unwrap();
        part(&case.run(500), Part::Submit)
    };
    for (before, since) in [("6.4", "6.5"), ("6.1.38", "6.1.39")] {
        let [old, new] = [before, since].map(|kernel| submit(Engine::IoUring, kernel));
        assert!(new < old * 0.5, "{before} {old}, {since} {new}");
        let [old, new] = [before, since].map(|kernel| submit(Engine::Libaio, kernel));
        assert!(is_near(new, old, 0.01), "{before} {old}, {since} {new}");
    }
}

#[test]
fn a_clock_that_no_rule_of_the_kernel_sets_is_refused_by_name() {
    let hwp = refusal(&with_clocks(Case::single(), PStates::IntelHwp, "powersave"));
    assert!(
        hwp.contains("`powersave` of intel_pstate with HWP"),
        "{hwp}"
    );
    assert!(
        hwp.contains("between those of `performance` and of the lowest clock"),
        "{hwp}"
    );
    let mut old = with_clocks(Case::single(), PStates::Intel, "schedutil");
    old.kernel = KernelVersion::new(5, 7, 0);
    assert_eq!(
        refusal(&old),
        "`intel_pstate` of Linux 5.7 has no governor `schedutil`; it has `performance`, `powersave`"
    );
}

#[test]
fn an_adapter_delays_completions_of_all_its_disks_together() {
    let adapter = AdapterProfile {
        outstanding_min: 3,
        delay_ns: 100_000,
        delay_ns_range: None,
        command_ns: 0,
    };
    let behind = |depth, name: Option<&str>| {
        let mut case = Case::array(Level::Raid0, None, 4).depth(1, depth);
        case.host.adapter.insert("hba".to_owned(), adapter);
        case.stack.adapter = name.map(str::to_owned);
        case.run(4000)
    };
    let waits = |sample: &Sample| part(sample, Part::Adapter);
    // Two in flight on four disks: each disk has one at most, as has the adapter three.
    assert!(is_near(waits(&behind(2, Some("hba"))), 0.0, 1e-9));
    let four = waits(&behind(4, Some("hba")));
    assert!((50_000.0..=100_000.0).contains(&four), "{four}");
    let other = behind(4, None);
    assert!(is_near(waits(&other), 0.0, 1e-9));
    assert_eq!(other.read.ios, 4000);
}

#[test]
fn fsync_on_ext4_is_a_journal_commit_with_two_flushes() {
    let mut case = fsync(on_ext4(writes()), 1);
    // The clock ticks between two writes, so that each changes the file's time stamps.
    case.workload.load.think_time_ns = Nanos::from_millis(5);
    let sample = case.run(200);
    assert_eq!((sample.write.ios, sample.sync.count), (100, 100));
    assert_eq!(flushes(&sample), 200);
    // Descriptor and inode in one write, the commit block in another.
    assert_eq!(sample.devices[0].writes, 300);
    let mean = sample.sync.mean_ns.unwrap();
    assert!((2_000_000.0..2_400_000.0).contains(&mean), "{mean}");
}

#[test]
fn fdatasync_is_one_flush() {
    let mut case = on_ext4(writes());
    case.workload.load.fdatasync_every = Some(4.try_into().unwrap());
    let sample = case.run(200);
    assert_eq!((sample.write.ios, sample.sync.count), (160, 40));
    // The kernel counts a flush without data as a write, too.
    assert_eq!((flushes(&sample), sample.devices[0].writes), (40, 160 + 40));
}

#[test]
fn a_sync_on_an_array_flushes_every_member() {
    for (level, members) in [(Level::Raid0, 3), (Level::Raid1, 2), (Level::Raid5, 4)] {
        let case = Case::array(level, None, members).pattern(Pattern::RandWrite, 4 * KIB);
        let sample = fsync(case, 1).run(100);
        assert_eq!(
            each(&sample, |device| device.flushes),
            vec![Some(50); members as usize],
            "{level}"
        );
    }
}

#[test]
fn durable_writes_wait_for_a_flush() {
    let mut case = writes();
    let plain = case.run(100);
    case.workload.load.sync = SyncMode::Dsync;
    let durable = case.run(100);
    let added = mean_ns(&durable) - mean_ns(&plain);
    assert!((1_000_000.0..1_010_000.0).contains(&added), "{added}");
    assert_eq!(flushes(&durable), 100);
}

/// Before 4.10 a flush follows the data, since then the data itself goes with FUA.
#[test]
fn an_asynchronous_durable_write_is_one_write_with_fua() {
    let run = |engine, kernel, has_fua| {
        let disk = changed(ssd(), |profile| profile.link.full_duplex = has_fua);
        let mut case = writes().on(1, &disk);
        case.workload.load.engine = engine;
        case.workload.load.sync = SyncMode::Dsync;
        case.kernel = KernelVersion::parse(kernel).unwrap();
        let sample = case.run(100);
        (flushes(&sample), mean_ns(&sample))
    };
    for engine in [Engine::Libaio, Engine::IoUring] {
        assert_eq!(run(engine, "4.9", true).0, 100);
        assert_eq!(run(engine, "4.10", true).0, 0);
        // The queue flushes in the place of FUA, without a way up to the job and down again.
        let [old, new] = ["4.9", "4.10"].map(|kernel| run(engine, kernel, false));
        assert_eq!((old.0, new.0), (100, 100));
        assert!(new.1 < old.1 && old.1 < new.1 + 10_000.0, "{old:?} {new:?}");
    }
    assert_eq!(run(Engine::Psync, "6.12", true).0, 100);
}

#[test]
fn an_ignored_flush_takes_no_time_on_the_device() {
    let mut case = fsync(writes(), 1);
    case.conditions.flush = Some(Flush::Ignored);
    let sample = case.run(200);
    let mean = sample.sync.mean_ns.unwrap();
    // At most the CPU's way down and up again: 500 + 1000 + 3000 ns.
    assert!(mean <= 4500.0, "{mean}");
}

#[test]
fn without_a_write_cache_every_write_takes_as_long_as_a_durable_one() {
    let mut case = writes();
    let cached = case.run(100);
    case.conditions.write_cache = Some(WriteCache::Off);
    let sample = case.run(100);
    let added = mean_ns(&sample) - mean_ns(&cached);
    assert!((added - 1_000_000.0).abs() < 1.0, "{added}");
}

#[test]
fn rates_are_kept() {
    // One I/O takes about 119 us: some rates are close to the maximum, and the times vary.
    for (rate, percent) in [(1000, 1.0), (5000, 1.0), (7500, 1.0)] {
        for profile in [ssd(), uneven_ssd()] {
            let mut case = Case::single().on(1, &profile);
            case.workload.load.rate_iops = Some(rate.try_into().unwrap());
            let sample = case.run(8000);
            let seen = iops(&sample);
            assert!(
                is_near(seen, f64::from(rate), percent),
                "{seen} instead of {rate}"
            );
        }
    }
}

#[test]
fn a_rate_in_bytes_is_kept_by_every_job() {
    let mut case = Case::single()
        .pattern(Pattern::RandRead, 64 * KIB)
        .depth(3, 1);
    case.workload.load.rate_bytes_per_s = Some(Bytes::new(10_000_000));
    let sample = case.run(1500);
    assert!(
        is_near(bandwidth(&sample), 30e6, 1.0),
        "{}",
        bandwidth(&sample)
    );
}

#[test]
fn each_direction_of_a_mix_has_the_rate() {
    let mut case = Case::single().pattern(Pattern::RandRw, 4 * KIB);
    case.workload.load.rate_iops = Some(500.try_into().unwrap());
    let sample = case.run(2000);
    assert!(is_near(iops(&sample), 1000.0, 6.0), "{}", iops(&sample));
}

#[test]
fn think_time_lies_between_ios() {
    let mut case = Case::single();
    let busy = case.run(500);
    case.workload.load.think_time_ns = Nanos::new(400_000);
    let sample = case.run(500);
    let expected = 1e9 / (mean_ns(&busy) + 400_000.0);
    assert!(
        is_near(iops(&sample), expected, 1.0),
        "{} instead of {expected}",
        iops(&sample)
    );
    assert!(is_near(mean_ns(&sample), mean_ns(&busy), 0.1));
}

#[test]
fn neighbours_slow_down_and_are_not_counted() {
    let mut case = Case::single().depth(1, 4);
    let alone = case.run(2000);
    let beside = Neighbour {
        name: "writer".to_owned(),
        load: load(Pattern::RandWrite, 256 * KIB),
    };
    case.workload.neighbours.push(beside);
    let sample = case.run(2000);
    assert_eq!(sample.write.ios, 0);
    assert!(
        sample.devices[0].write_bytes.as_u64() > 0,
        "neighbours write"
    );
    assert!(sample.read.ios < 2000);
    assert!(mean_ns(&sample) > 1.1 * mean_ns(&alone));
    let per_second = as_f64(sample.read.ios) / sample.elapsed_ns.as_secs_f64();
    assert!(per_second < 0.95 * iops(&alone));
}

#[test]
fn the_first_write_to_a_cold_region_pays_for_the_bitmap() {
    for (level, members) in [(Level::Raid1, 2), (Level::Raid10, 4), (Level::Raid5, 4)] {
        let case = Case::array(level, None, members).pattern(Pattern::Write, 4 * KIB);
        let plain = case.run(300);
        let mut case = case;
        case.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
            chunk_bytes: Some(Bytes::new(64 * MIB)),
        };
        let sample = case.run(300);
        let extra: Vec<u64> = plain
            .devices
            .iter()
            .zip(&sample.devices)
            .map(|(plain, device)| device.writes - plain.writes)
            .collect();
        assert_eq!(extra, vec![1; members as usize], "{level}: one page, once");
        let longest = sample.write.latency.max_ns.unwrap().as_u64();
        let usual = sample
            .write
            .latency
            .histogram
            .quantile(900)
            .unwrap()
            .as_u64();
        assert!(
            longest > usual + 1_000_000,
            "{level}: {longest} after {usual}"
        );
        let rest = (mean_ns(&sample) * 300.0 - as_f64(longest)) / 299.0;
        assert!(is_near(rest, mean_ns(&plain), 1.0), "{level}: {rest}");
    }
}

#[test]
fn tasks_sleep_while_one_of_them_writes_the_bitmap() {
    let mut case = Case::array(Level::Raid1, None, 2).pattern(Pattern::RandWrite, 4 * KIB);
    case.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(4 * KIB)),
    };
    // `md_bitmap_unplug` waits for the page, so neither depth nor jobs write two pages at once.
    let one = iops(&case.run(400));
    for (jobs, depth) in [(1, 16), (4, 1), (4, 4)] {
        let sample = case.clone().depth(jobs, depth).run(400);
        let gain = iops(&sample) / one;
        assert!(
            (1.0..2.2).contains(&gain),
            "{jobs} jobs of depth {depth}: {gain}"
        );
    }
}

#[test]
fn posixaio_does_the_requests_on_a_file_one_after_the_other() {
    let alone = Case::single().run(400);
    let mut case = Case::single().depth(1, 16);
    case.workload.load.engine = Engine::Posixaio;
    let queued = case.run(400);
    assert!(is_near(iops(&queued), iops(&alone), 1.0));
    assert!(is_near(mean_ns(&queued), 16.0 * mean_ns(&alone), 5.0));
    // A queue of syncs follows a queue of writes, whichever write asks for the first.
    for every in [1, 2, 4] {
        let case = Case::single().pattern(Pattern::RandWrite, 4 * KIB);
        let mut case = case.depth(1, 4);
        case.workload.load.engine = Engine::Posixaio;
        case.workload.load.fsync_every = NonZeroU32::new(every);
        let sample = case.run(800);
        let writes = sample.write.ios;
        let syncs = sample.sync.histogram.count();
        assert!(writes.abs_diff(syncs) <= 4, "{every}: {writes} and {syncs}");
    }
}

#[test]
fn a_bitmap_with_small_chunks_is_paid_for_often() {
    let mut case = Case::array(Level::Raid5, None, 4).pattern(Pattern::RandWrite, 4 * KIB);
    let plain = case.run(400);
    case.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(4 * KIB)),
    };
    let sample = case.run(400);
    assert!(
        mean_ns(&sample) > 3.0 * mean_ns(&plain),
        "{}",
        mean_ns(&sample)
    );
}

#[test]
fn splits_and_mixes_have_their_shares() {
    let mut case = Case::single();
    let part = |kib: u64, share_percent| SplitPart {
        block_size_bytes: Bytes::new(kib * KIB),
        share_percent,
    };
    case.workload.load.pattern = Pattern::RandRw;
    case.workload.load.read_percent = Some(70);
    case.workload.load.block_size = BlockSize::Split(vec![part(4, 80), part(64, 20)]);
    let sample = case.depth(1, 4).run(10_000);
    let reads = as_f64(sample.read.ios) / 10_000.0;
    assert!((reads - 0.7).abs() < 0.02, "{reads}");
    let mean = as_f64(sample.bytes().as_u64()) / 10_000.0;
    let expected = as_f64((4 * 80 + 64 * 20) * KIB) / 100.0;
    assert!(is_near(mean, expected, 4.0), "{mean} instead of {expected}");
}

/// Returns the share of the writes on the tenth of the members with the most writes.
fn skew(distribution: Distribution) -> f64 {
    let mut case = Case::array(Level::Raid0, None, 40).pattern(Pattern::RandWrite, 4 * KIB);
    case.workload.load.distribution = distribution;
    let sample = case.chunk(4 * KIB).size(640 * KIB).depth(1, 8).run(4000);
    let mut writes = each(&sample, |device| device.writes);
    writes.sort_unstable();
    as_f64(writes[36..].iter().sum()) / 4000.0
}

#[test]
fn skewed_distributions_prefer_some_blocks() {
    let uniform = skew(Distribution::Uniform);
    assert!((0.09..0.12).contains(&uniform), "{uniform}");
    let (mild, strong) = (skew(Distribution::Zipf(0.8)), skew(Distribution::Zipf(1.2)));
    assert!(mild > 0.25 && strong > mild, "{mild}, {strong}");
    assert!(skew(Distribution::Pareto(0.2)) > 0.25);
}

#[test]
fn every_block_of_a_random_load_comes_once_a_round() {
    let case = Case::array(Level::Raid0, None, 16).pattern(Pattern::RandWrite, 4 * KIB);
    let sample = case.chunk(4 * KIB).size(16 * 25 * 4 * KIB).run(400);
    assert_eq!(each(&sample, |device| device.writes), vec![25; 16]);
}

/// With fio's map of visited blocks each of these members would have 100 writes.
#[test]
fn without_a_map_blocks_are_drawn_one_by_one() {
    let mut case = Case::array(Level::Raid0, None, 16).pattern(Pattern::RandWrite, 4 * KIB);
    case.workload.load.norandommap = true;
    let sample = case.chunk(4 * KIB).size(16 * 4 * KIB).run(16 * 100);
    let writes = each(&sample, |device| device.writes);
    assert_eq!(writes.iter().sum::<u64>(), 1600);
    // Each has a binomial number around 100, with a standard deviation of 9.7.
    assert!(
        writes.iter().any(|count| count.abs_diff(100) > 5),
        "{writes:?}"
    );
    assert!(
        writes.iter().all(|count| count.abs_diff(100) < 40),
        "{writes:?}"
    );
}

#[test]
fn buffered_writes_reach_the_disk_when_they_are_synced() {
    let mut case = fsync(on_ext4(writes()), 100);
    case.workload.load.direct = false;
    case.workload.load.think_time_ns = Nanos::from_millis(5);
    let sample = case.run(101 * 3);
    assert_eq!((sample.write.ios, sample.sync.count), (300, 3));
    // Copying 4 KiB and the system call.
    assert!(
        is_near(sample.write.latency.mean_ns.unwrap(), 3000.0, 1.0),
        "{:?}",
        sample.write.latency.mean_ns
    );
    let journal = 3 * (16 + 8) * 512;
    assert_eq!(
        sample.devices[0].write_bytes.as_u64(),
        300 * 4 * KIB + journal
    );
}

#[test]
fn jobs_have_their_own_cpu_and_share_the_device() {
    let sample = Case::single().depth(4, 1).run(4000);
    let breakdown = sample.breakdown.unwrap();
    let busy: BTreeMap<&str, f64> = breakdown
        .utilisation
        .iter()
        .map(|utilisation| (utilisation.component.as_str(), utilisation.busy_share))
        .collect();
    for job in [
        "cpu of job 0",
        "cpu of job 1",
        "cpu of job 2",
        "cpu of job 3",
    ] {
        assert!(busy[job] > 0.0 && busy[job] < 0.1, "{job}: {}", busy[job]);
    }
    assert!(busy["disk0"] > 0.9);
}
