//! Guards against failures on unusual cells: for any valid study, every I/O completes, its time is
//! broken down, and a second run is the same.

use proptest::prelude::*;
use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::device::calibrated::DrainProfile;
use stripewise_study::conditions::{Flush, WriteCache};
use stripewise_study::stack::{Bitmap, Filesystem, Level, Volume};
use stripewise_study::workload::{
    BlockSize, Distribution, Engine, Load, Neighbour, Pattern, SplitPart, SyncMode,
};
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use crate::support::*;

fn profiles() -> impl Strategy<Value = DeviceProfile> {
    let draining = changed(uneven_ssd(), |profile| {
        profile.drain = Some(DrainProfile {
            fast_bytes: MIB,
            random_bytes_per_s: 50_000_000,
            sequential_bytes_per_s: 150_000_000,
            buffer_bytes: MIB,
        });
        profile.link.full_duplex = true;
    });
    let mut narrow = uneven_ssd();
    narrow.request_bytes_max = Some(48 * KIB);
    narrow.queue_depth = 1;
    prop::sample::select(vec![ssd(), uneven_ssd(), draining, narrow, disk(), flash()])
}

/// Arrays with and without failed members, and other stacks.
fn arrays() -> impl Strategy<Value = Case> {
    let array = |level, layout, members| Case::array(level, layout, members);
    let raid10 = |layout, members| array(Level::Raid10, Some(layout), members);
    prop::sample::select(vec![
        Case::single(),
        Case::single().on(2, &ssd()).volume(Volume::Linear),
        array(Level::Linear, None, 2),
        array(Level::Raid0, None, 3),
        array(Level::Raid0, None, 1).volume(Volume::Linear),
        array(Level::Raid1, None, 2),
        array(Level::Raid1, None, 3).fail(2),
        raid10("n2", 3),
        raid10("n2", 4).fail(1),
        raid10("f2", 4),
        raid10("f3", 5).fail(0),
        raid10("o2", 3),
        array(Level::Raid4, None, 3),
        array(Level::Raid5, None, 3),
        array(Level::Raid5, Some("right-asymmetric"), 4),
        array(Level::Raid5, None, 4).fail(0),
        array(Level::Raid6, None, 5),
        array(Level::Raid6, None, 4).fail(3),
        array(Level::Raid6, None, 6).fail(0).fail(5),
    ])
}

fn block_sizes() -> impl Strategy<Value = BlockSize> {
    let part = |kib: u64, share_percent| SplitPart {
        block_size_bytes: Bytes::new(kib * KIB),
        share_percent,
    };
    let split = BlockSize::Split(vec![part(4, 60), part(16, 30), part(256, 10)]);
    let fixed = |bytes: u64| BlockSize::Fixed(Bytes::new(bytes));
    prop::sample::select(vec![
        fixed(512),
        fixed(4 * KIB),
        fixed(7 * KIB),
        fixed(64 * KIB),
        fixed(200 * KIB),
        fixed(MIB),
        fixed(3 * MIB),
        split,
    ])
}

fn loads() -> impl Strategy<Value = Load> {
    let patterns = [
        Pattern::Read,
        Pattern::Write,
        Pattern::RandRead,
        Pattern::RandWrite,
        Pattern::Rw,
        Pattern::RandRw,
    ];
    let distributions = [
        Distribution::Uniform,
        Distribution::Zipf(1.1),
        Distribution::Pareto(0.3),
    ];
    let shape = (
        prop::sample::select(patterns.to_vec()),
        block_sizes(),
        1_u32..4,
        prop::sample::select(vec![1_u32, 2, 16, 64]),
        prop::sample::select(distributions.to_vec()),
    );
    let durability = (
        prop::sample::select(vec![
            SyncMode::None,
            SyncMode::None,
            SyncMode::Sync,
            SyncMode::Dsync,
        ]),
        prop::option::weighted(0.3, 1_u32..5),
        prop::option::weighted(0.2, 1_u32..5),
        prop::bool::weighted(0.75),
    );
    let pace = (
        prop::option::weighted(0.2, 1_u32..20_000),
        prop::option::weighted(0.2, 100_000_u64..100_000_000),
        prop::sample::select(vec![0_u64, 0, 0, 50_000]),
    );
    (shape, durability, pace).prop_map(|(shape, durability, pace)| {
        let mut load = load(shape.0, 4 * KIB);
        load.block_size = shape.1;
        (load.jobs, load.depth, load.engine) = (shape.2, shape.3, Engine::IoUring);
        load.distribution = shape.4;
        load.size_bytes = Bytes::new(24 * MIB);
        load.sync = durability.0;
        load.fsync_every = durability.1.map(|every| every.try_into().unwrap());
        load.fdatasync_every = durability.2.map(|every| every.try_into().unwrap());
        load.direct = durability.3;
        load.rate_iops = pace.0.map(|rate| rate.try_into().unwrap());
        load.rate_bytes_per_s = pace.1.map(Bytes::new);
        load.think_time_ns = Nanos::new(pace.2);
        load
    })
}

/// Returns a block device, ext4 and XFS.
fn filesystems() -> Vec<Filesystem> {
    let xfs = Filesystem::Made {
        kind: "xfs".to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    };
    vec![Filesystem::None, Filesystem::Existing, xfs]
}

fn cells() -> impl Strategy<Value = Case> {
    let kernels = [
        (2, 6),
        (3, 14),
        (4, 4),
        (4, 14),
        (5, 4),
        (5, 18),
        (6, 1),
        (6, 12),
    ];
    let bitmaps = vec![
        Bitmap::None,
        Bitmap::Internal { chunk_bytes: None },
        Bitmap::Internal {
            chunk_bytes: Some(Bytes::new(64 * KIB)),
        },
    ];
    let conditions = (
        prop::sample::select(vec![None, Some(WriteCache::Off)]),
        prop::sample::select(vec![None, Some(Flush::Ignored)]),
        prop::sample::select(vec![None, Some("none"), Some("mq-deadline")]),
        prop::option::weighted(0.3, 50_000_000_u64..2_000_000_000),
    );
    let stack = (
        arrays(),
        profiles(),
        prop::sample::select(vec![4_u64, 64, 1024]),
        prop::sample::select(bitmaps),
        prop::sample::select(filesystems()),
        prop::sample::select(kernels.to_vec()),
    );
    let load = (loads(), prop::option::weighted(0.2, loads()));
    (stack, load, conditions, any::<u64>()).prop_map(|(stack, load, conditions, seed)| {
        let (case, profile, chunk, bitmap, filesystem, kernel) = stack;
        let members = u32::try_from(case.devices.len()).unwrap();
        let mut case = case.chunk(chunk * KIB).on(members, &profile).seed(seed);
        if let Some(array) = &mut case.stack.array
            && array.level.has_bitmap()
        {
            array.bitmap = bitmap;
        }
        case.stack.filesystem = filesystem;
        case.workload.load = load.0;
        case.workload
            .neighbours
            .extend(load.1.map(|load| Neighbour {
                name: "beside".to_owned(),
                load,
            }));
        case.conditions.write_cache = conditions.0;
        case.conditions.flush = conditions.1;
        case.conditions.scheduler = conditions.2.map(str::to_owned);
        if let Some(rate) = conditions.3 {
            case.host = host_with_uplink(rate);
        }
        case.host.memory.dirty_bytes_max = 2 * MIB;
        case.kernel = KernelVersion::new(kernel.0, kernel.1, 0);
        case
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("ROBUSTNESS_CASES").map_or(120, |cases| cases.parse().unwrap()),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_io_completes_and_its_time_is_broken_down(case in cells()) {
        let sample = case.run(60);
        prop_assert_eq!(&sample, &case.run(60));
        let ios = sample.read.ios + sample.write.ios;
        if ios > 0 {
            let parts: f64 = sample.breakdown.as_ref().unwrap().mean.iter().map(|part| part.time_ns).sum();
            let mean = mean_ns(&sample);
            prop_assert!((parts - mean).abs() <= 20.0, "the parts are {} ns of {}", parts, mean);
        }
        let elapsed = sample.elapsed_ns.as_u64();
        for device in &sample.devices {
            prop_assert!(device.busy_ns.as_u64() <= elapsed);
        }
        for failed in &case.failed {
            let device = &sample.devices[failed.index()];
            prop_assert_eq!((device.reads, device.writes), (0, 0));
        }
        let (read, _) = member_bytes(&sample);
        // A stripe cache serves some reads itself.
        let has_cache = case.stack.array.as_ref().is_some_and(|array| {
            matches!(array.level, Level::Raid4 | Level::Raid5 | Level::Raid6)
        });
        if case.workload.load.direct && !has_cache {
            prop_assert!(read >= sample.read.bytes.as_u64());
        }
    }
}

/// The failure: data from the platter did not use the link, so that a file that half fits the read
/// cache was read faster than the link carries it.
#[test]
fn data_from_the_platter_and_from_the_cache_share_the_link() {
    let mut case = Case::single()
        .on(1, &disk())
        .pattern(Pattern::Read, 3 << 20)
        .size(24 << 20)
        .depth(1, 64);
    case.workload.load.engine = Engine::IoUring;
    case.run(60); // checks what the link can carry
}

/// The failure: a panic.
#[test]
fn reads_ahead_of_raid5_merge_across_chunks() {
    let mut case = Case::array(Level::Raid5, None, 3)
        .on(3, &ssd())
        .chunk(MIB)
        .pattern(Pattern::Read, 64 * KIB)
        .size(24 * MIB);
    case.workload.load.direct = false;
    case.workload.load.engine = Engine::IoUring;
    case.host.memory.dirty_bytes_max = 2 * MIB;
    case.kernel = KernelVersion::new(4, 4, 0);
    case.run(60);
}

/// The failure: time went back.
#[test]
fn synchronous_writes_with_pauses_end_in_order() {
    let mut case = Case::single()
        .on(1, &ssd())
        .pattern(Pattern::Write, 512)
        .size(24 * MIB)
        .depth(1, 2);
    case.stack.filesystem = Filesystem::Existing;
    case.workload.load.direct = false;
    case.workload.load.engine = Engine::IoUring;
    case.workload.load.sync = SyncMode::Sync;
    case.workload.load.think_time_ns = Nanos::new(50_000);
    case.host.memory.dirty_bytes_max = 2 * MIB;
    case.kernel = KernelVersion::new(2, 6, 0);
    case.run(60);
}
