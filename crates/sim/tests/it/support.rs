//! Short builders for stacks, loads and profiles, and common queries of a sample.
//!
//! The profiles here match no real device: their numbers are round, so that a test can state the
//! expected result.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use stripewise_profiles::device::calibrated::{
    CacheProfile, CalibratedProfile, DirectionProfile, LinkProfile,
};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_profiles::device::disk::DiskProfile;
use stripewise_profiles::device::flash::{FlashProfile, GarbageCollection};
use stripewise_profiles::device::{
    DeviceProfile, Model, PHYSICAL_BLOCK_BYTES_DEFAULT, Ratings, SCHEMA,
};
use stripewise_profiles::host::{
    CpuProfile, GovernorProfile, HostProfile, MemoryProfile, UplinkProfile,
};
use stripewise_sim::engine::{Setup, SetupError, Simulation};
use stripewise_sim::io::Member;
use stripewise_study::conditions::Conditions;
use stripewise_study::sample::{DeviceDelta, Part, Sample};
use stripewise_study::stack::{
    Array, ArraySettings, Bitmap, DeviceGroup, Filesystem, Level, Metadata, Stack, Volume,
};
use stripewise_study::workload::{BlockSize, Engine, Load, Pattern, Workload};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

pub const KIB: u64 = 1024;
pub const MIB: u64 = 1024 * KIB;
pub const GIB: u64 = 1024 * MIB;

/// The kernel of the lab.
pub const LAB: KernelVersion = KernelVersion::new(6, 1, 192);
/// The kernel of the published study.
pub const PUBLISHED: KernelVersion = KernelVersion::new(4, 1, 0);

/// A case for the model.
#[derive(Debug, Clone)]
pub struct Case {
    pub stack: Stack,
    pub workload: Workload,
    pub conditions: Conditions,
    pub devices: Vec<DeviceProfile>,
    pub host: HostProfile,
    pub kernel: KernelVersion,
    pub failed: Vec<Member>,
    pub seed: u64,
}

impl Case {
    /// Returns one SSD under 4K random reads at depth 1, on a host whose CPU takes time.
    pub fn single() -> Self {
        Self {
            stack: Stack {
                name: "case".to_owned(),
                devices: Vec::new(),
                adapter: None,
                array: None,
                volume: None,
                filesystem: Filesystem::None,
            },
            workload: Workload::alone(load(Pattern::RandRead, 4 * KIB)),
            conditions: Conditions::default(),
            devices: Vec::new(),
            host: host(),
            kernel: LAB,
            failed: Vec::new(),
            seed: 1,
        }
        .on(1, &ssd())
    }

    /// Returns an md array of `members` SSDs with 32K chunks and no bitmap.
    pub fn array(level: Level, layout: Option<&str>, members: u32) -> Self {
        let mut case = Self::single().on(members, &ssd());
        case.stack.array = Some(Array {
            level,
            layout: layout.map(str::to_owned),
            chunk_bytes: level.has_chunk().then_some(Bytes::new(32 * KIB)),
            bitmap: Bitmap::None,
            metadata: Metadata::V1_2,
            assume_clean: false,
            size_bytes: None,
            beside: Vec::new(),
            settings: ArraySettings::default(),
        });
        case
    }

    /// Replaces the devices.
    pub fn on(mut self, count: u32, profile: &DeviceProfile) -> Self {
        let count_named = NonZeroU32::new(count).expect("a device at least");
        self.stack.devices = vec![DeviceGroup {
            profile: profile.name.clone(),
            count: count_named,
        }];
        self.devices = (0..count).map(|_| profile.clone()).collect();
        self
    }

    pub fn volume(mut self, volume: Volume) -> Self {
        self.stack.volume = Some(volume);
        self
    }

    pub fn chunk(mut self, bytes: u64) -> Self {
        if let Some(array) = &mut self.stack.array {
            array.chunk_bytes = Some(Bytes::new(bytes));
        }
        self
    }

    pub fn pattern(mut self, pattern: Pattern, block_size: u64) -> Self {
        self.workload.load.pattern = pattern;
        self.workload.load.block_size = BlockSize::Fixed(Bytes::new(block_size));
        self
    }

    pub fn size(mut self, bytes: u64) -> Self {
        self.workload.load.size_bytes = Bytes::new(bytes);
        self
    }

    pub fn depth(mut self, jobs: u32, depth: u32) -> Self {
        self.workload.load.jobs = jobs;
        self.workload.load.depth = depth;
        self.workload.load.engine = Engine::Libaio;
        self
    }

    pub fn host(mut self, host: HostProfile) -> Self {
        self.host = host;
        self
    }

    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    pub fn fail(mut self, member: u16) -> Self {
        self.failed.push(Member(member));
        self
    }

    /// Returns the idle stack, or the error that prevents it.
    pub fn try_build(&self) -> Result<Simulation, SetupError> {
        let setup = Setup {
            stack: &self.stack,
            workload: &self.workload,
            conditions: &self.conditions,
            devices: self.devices.iter().collect(),
            host: &self.host,
            kernel: self.kernel,
            failed: self.failed.clone(),
            rebuilding: false,
            seed: self.seed,
            replay: None,
        };
        setup.build()
    }

    pub fn build(&self) -> Simulation {
        self.try_build().expect("a stack that can be simulated")
    }

    /// Simulates exactly `ios` host I/Os.
    pub fn run(&self, ios: u64) -> Sample {
        let mut simulation = self.build();
        simulation.run_ios(ios);
        assert_eq!(simulation.host_ios(), ios, "every I/O returns to its job");
        assert_eq!(simulation.check_bounds(), Ok(()), "within physical limits");
        simulation.sample()
    }
}

/// Returns a load of one synchronous job on a file of 1 GiB.
pub fn load(pattern: Pattern, block_size: u64) -> Load {
    Load::new(pattern, Bytes::new(block_size), Bytes::new(GIB))
}

/// Returns a SATA SSD whose times do not vary: 4K take 100 us to read and 50 us to write, the link
/// carries 500 MB/s, a flush takes 1 ms.
pub fn ssd() -> DeviceProfile {
    let direction = |base_ns: u64, sequential_ns: u64| {
        let curve = |base: u64| {
            let point = |size_bytes: u64| CurvePoint {
                size_bytes,
                time_ns: base + size_bytes * 3,
            };
            vec![point(4 * KIB), point(MIB)]
        };
        DirectionProfile {
            servers: 8,
            p99_over_p50: 1.0,
            p50_over_mean: None,
            random: curve(base_ns),
            sequential: curve(sequential_ns),
            under_load: Vec::new(),
            under_mix: Vec::new(),
        }
    };
    DeviceProfile {
        schema: SCHEMA,
        name: "ssd".to_owned(),
        description: "Round numbers.".to_owned(),
        source: "made up for tests".to_owned(),
        basis: None,
        host: None,
        models: Vec::new(),
        capacity_bytes: 64 * GIB,
        rotational: false,
        queue_depth: 32,
        request_bytes_max: None,
        optimal_io_bytes: None,
        physical_block_bytes: PHYSICAL_BLOCK_BYTES_DEFAULT,
        ratings: Ratings::default(),
        assumed: Vec::new(),
        model: Model::Calibrated(CalibratedProfile {
            link: sata(),
            read: direction(100_000, 30_000),
            write: direction(50_000, 30_000),
            cache: CacheProfile {
                is_volatile: true,
                flush_ns: 1_000_000,
            },
            drain: None,
        }),
        perhaps_adapter: None,
        points: Vec::new(),
    }
}

/// Returns a hard disk of 7200 rpm.
pub fn disk() -> DeviceProfile {
    let disk = DiskProfile {
        capacity_bytes: 64 * GIB,
        rotation_rpm: 7200,
        heads_count: 4,
        zones_count: 8,
        sustained_outer_bytes_per_s: 160_000_000,
        sustained_inner_bytes_per_s: 80_000_000,
        seek_track_to_track_ns: 600_000,
        seek_average_ns: 8_000_000,
        seek_full_stroke_ns: 16_000_000,
        seek_write_track_to_track_ns: None,
        seek_write_average_ns: None,
        track_switch_ns: 1_000_000,
        link: sata(),
        read_cache_bytes: 32 * MIB,
        read_segments_count: 16,
        write_cache_bytes: 16 * MIB,
        write_cache_runs_count: 64,
        queue_wait_max_ns: 1_000_000_000,
    };
    DeviceProfile {
        name: "disk".to_owned(),
        rotational: true,
        model: Model::Disk(disk),
        ..ssd()
    }
}

/// Returns a small flash drive that soon collects garbage.
pub fn flash() -> DeviceProfile {
    let flash = FlashProfile {
        simulated_bytes: 16 * MIB,
        over_provisioning_percent: 15.0,
        page_bytes: 16_384,
        block_pages_count: 16,
        planes_count: 1,
        dies_count: 4,
        channels_count: 2,
        channel_bytes_per_s: 400_000_000,
        read_ns: 60_000,
        program_ns: 900_000,
        erase_ns: 3_500_000,
        link: sata(),
        write_buffer_bytes: 2 * MIB,
        write_buffer_is_volatile: true,
        flush_ns: 500_000,
        flush_is_exclusive: true,
        gc: GarbageCollection::Greedy,
        gc_low_water_blocks_count: 2,
    };
    DeviceProfile {
        name: "flash".to_owned(),
        model: Model::Flash(flash),
        ..ssd()
    }
}

fn sata() -> LinkProfile {
    LinkProfile {
        read_bytes_per_s: 500_000_000,
        write_bytes_per_s: 500_000_000,
        command_ns: 0,
        full_duplex: false,
    }
}

/// Returns `profile` with its calibrated numbers changed.
pub fn changed(
    mut profile: DeviceProfile,
    change: impl FnOnce(&mut CalibratedProfile),
) -> DeviceProfile {
    if let Model::Calibrated(calibrated) = &mut profile.model {
        change(calibrated);
    }
    profile
}

/// Returns the SSD with times that vary.
pub fn uneven_ssd() -> DeviceProfile {
    changed(ssd(), |profile| {
        profile.read.p99_over_p50 = 3.0;
        profile.write.p99_over_p50 = 3.0;
    })
}

/// Returns a host with round CPU times and no uplink; `powersave` halves its clock.
pub fn host() -> HostProfile {
    let governor = |clock_percent, wake_extra_ns| GovernorProfile {
        clock_percent,
        wake_extra_ns,
    };
    HostProfile {
        schema: 1,
        name: "host".to_owned(),
        description: "Round numbers.".to_owned(),
        source: "made up for tests".to_owned(),
        basis: None,
        assumed: Vec::new(),
        cpu: CpuProfile {
            // As many as there are tasks.
            cores: 1024,
            submit_ns: 2000,
            bio_ns: 500,
            page_ns: 50,
            completion_ns: 1000,
            wake_ns: 3000,
            stripe_ns: 1000,
            xor_bytes_per_s: 4_096_000_000,
            copy_bytes_per_s: 4_096_000_000,
            fletcher4_bytes_per_s: None,
            fill_bytes_per_s: None,
            scheduler_ns: 0,
            worker_ns: 0,
            filesystem_ns: 0,
            cache_page_ns: 0,
            mirror_lock_ns: 0,
            parity_lock_ns: 0,
        },
        uplink: None,
        adapter: BTreeMap::new(),
        memory: MemoryProfile {
            dirty_bytes_max: 256 * MIB,
        },
        clock: None,
        governor_default: "performance".to_owned(),
        governor: BTreeMap::from([
            ("performance".to_owned(), governor(100, 0)),
            ("powersave".to_owned(), governor(50, 7000)),
        ]),
    }
}

/// Returns a host whose CPU costs nothing.
pub fn free_host() -> HostProfile {
    HostProfile {
        cpu: CpuProfile {
            cores: 1024,
            submit_ns: 0,
            bio_ns: 0,
            page_ns: 0,
            completion_ns: 0,
            wake_ns: 0,
            stripe_ns: 0,
            xor_bytes_per_s: u64::MAX / 2,
            copy_bytes_per_s: u64::MAX / 2,
            fletcher4_bytes_per_s: None,
            fill_bytes_per_s: None,
            scheduler_ns: 0,
            worker_ns: 0,
            filesystem_ns: 0,
            cache_page_ns: 0,
            mirror_lock_ns: 0,
            parity_lock_ns: 0,
        },
        ..host()
    }
}

/// Returns the host with an uplink.
pub fn host_with_uplink(bytes_per_s: u64) -> HostProfile {
    HostProfile {
        uplink: Some(UplinkProfile { bytes_per_s }),
        ..host()
    }
}

/// Returns one value of every device.
pub fn each<T>(sample: &Sample, number: impl Fn(&DeviceDelta) -> T) -> Vec<T> {
    sample.devices.iter().map(number).collect()
}

/// Returns the bytes that all members read and wrote.
pub fn member_bytes(sample: &Sample) -> (u64, u64) {
    let sum = |number: fn(&DeviceDelta) -> u64| sample.devices.iter().map(number).sum();
    (
        sum(|device| device.read_bytes.as_u64()),
        sum(|device| device.write_bytes.as_u64()),
    )
}

/// Returns the mean time of one part of the latency.
pub fn part(sample: &Sample, part: Part) -> f64 {
    let breakdown = sample
        .breakdown
        .as_ref()
        .expect("the model explains itself");
    let times = breakdown.mean.iter();
    times
        .filter(|time| time.part == part)
        .map(|time| time.time_ns)
        .sum()
}

/// Returns the share of the time that a component was busy.
pub fn busy_share(sample: &Sample, component: &str) -> f64 {
    let breakdown = sample
        .breakdown
        .as_ref()
        .expect("the model explains itself");
    let found = breakdown
        .utilisation
        .iter()
        .find(|utilisation| utilisation.component == component);
    found.expect("a component of the stack").busy_share
}

/// Returns the mean latency of reads and writes together.
pub fn mean_ns(sample: &Sample) -> f64 {
    let sum = |transfer: &stripewise_study::sample::Transfer| {
        transfer.latency.mean_ns.unwrap_or(0.0) * as_f64(transfer.ios)
    };
    (sum(&sample.read) + sum(&sample.write)) / as_f64(sample.read.ios + sample.write.ios)
}

/// Returns I/Os per second.
pub fn iops(sample: &Sample) -> f64 {
    as_f64(sample.read.ios + sample.write.ios) / sample.elapsed_ns.as_secs_f64()
}

/// Returns bytes per second.
pub fn bandwidth(sample: &Sample) -> f64 {
    as_f64(sample.bytes().as_u64()) / sample.elapsed_ns.as_secs_f64()
}

/// Returns whether two numbers differ by at most `percent` of the second.
pub fn is_near(left: f64, right: f64, percent: f64) -> bool {
    (left - right).abs() <= right.abs() * percent / 100.0
}

pub use stripewise_study::sample::as_f64;
