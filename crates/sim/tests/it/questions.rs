//! Random cases: stacks of shipped devices, and common loads and kernels.

use std::num::NonZeroU32;

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::host::HostProfile;
use stripewise_profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::engine::{Limits, Simulation};
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Bitmap, Filesystem, Level};
use stripewise_study::workload::Pattern;
use stripewise_study::world::NeverCancel;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::splitmix::SplitMix64;

use crate::support::*;

/// What draws questions.
pub struct Dice(pub SplitMix64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0.draw()
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let index = self.roll() % choices.len() as u64;
        choices[usize::try_from(index).expect("an index of a slice")]
    }

    pub fn percent(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }
}

/// Returns the seed of the random tests, and the number of cases that each draws.
pub fn seed_and_count(variable: &str, count: u64) -> (u64, u64) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    (
        number("STRIPEWISE_TEST_SEED").unwrap_or(1),
        number(variable).unwrap_or(count),
    )
}

/// Returns a shipped device.
pub fn device(name: &str) -> DeviceProfile {
    Profiles::shipped().devices[name].clone()
}

/// Returns the default host, which is not calibrated.
pub fn default_host() -> HostProfile {
    Profiles::shipped().hosts[HOST_DEFAULT].clone()
}

/// Returns the filesystem of those that `fsync`.
pub fn ext4() -> Filesystem {
    Filesystem::Made {
        kind: "ext4".to_owned(),
        mkfs: Vec::new(),
        options: Vec::new(),
        group: None,
        log: None,
    }
}

/// Returns case `number` of `seed`.
pub fn draw(seed: u64, number: u64) -> Case {
    let mut dice = Dice(SplitMix64(
        seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95),
    ));
    let dice = &mut dice;
    let device = match dice.one_of(&[
        "sata-ssd",
        "nvme-ssd",
        "hdd-7200",
        "four-ssd-sata",
        "samsung-850-evo-500",
        "intel-p4500",
        "hdd-5400",
        "flash",
    ]) {
        // The shipped one takes a second to reach its steady state.
        "flash" => flash(),
        name => device(name),
    };
    let shapes: [(Level, Option<&str>, u32, u32); 11] = [
        (Level::Linear, None, 2, 3),
        (Level::Raid0, None, 2, 8),
        (Level::Raid0, None, 2, 8),
        (Level::Raid1, None, 2, 4),
        (Level::Raid10, Some("n2"), 2, 8),
        (Level::Raid10, Some("f2"), 2, 6),
        (Level::Raid10, Some("o2"), 3, 6),
        (Level::Raid4, None, 3, 6),
        (Level::Raid5, None, 3, 8),
        (Level::Raid5, None, 3, 8),
        (Level::Raid6, None, 4, 8),
    ];
    let (level, layout, least, most) = dice.one_of(&shapes);
    let members = least + u32::try_from(dice.roll() % u64::from(most - least + 1)).unwrap();
    let mut case = match dice.percent(15) {
        true => Case::single().on(1, &device),
        false => Case::array(level, layout, members).on(members, &device),
    };
    case = case.host(default_host()).seed(dice.roll());
    if level.has_chunk() {
        case = case.chunk((4 * KIB) << (dice.roll() % 8));
    }
    if let Some(array) = &mut case.stack.array
        && level.has_bitmap()
        && dice.percent(30)
    {
        array.bitmap = Bitmap::Internal { chunk_bytes: None };
    }
    let pattern = dice.one_of(&[
        Pattern::Read,
        Pattern::Write,
        Pattern::RandRead,
        Pattern::RandWrite,
        Pattern::Rw,
        Pattern::RandRw,
    ]);
    let block = dice.one_of(&[
        4 * KIB,
        4 * KIB,
        8 * KIB,
        16 * KIB,
        20 * KIB,
        64 * KIB,
        128 * KIB,
        512 * KIB,
        MIB,
    ]);
    let jobs = dice.one_of(&[1, 1, 1, 2, 4]);
    case = case
        .pattern(pattern, block)
        .depth(jobs, dice.one_of(&[1, 1, 2, 4, 8, 16, 32]));
    case = case.size(dice.one_of(&[GIB, 4 * GIB, 15 * GIB]));
    case.workload.load.read_percent = pattern.is_mixed().then_some(50);
    if pattern.writes() && dice.percent(10) {
        case.stack.filesystem = ext4();
        case.workload.load.fsync_every = NonZeroU32::new(dice.one_of(&[1, 8]));
    }
    let kernels = [
        "3.10", "4.1", "4.4", "4.14", "5.4", "5.15", "6.1.192", "6.12",
    ];
    case.kernel = KernelVersion::parse(dice.one_of(&kernels)).expect("a version");
    case
}

/// Returns a short description of a case.
pub fn words(case: &Case) -> String {
    let load = &case.workload.load;
    let array = case
        .stack
        .array
        .as_ref()
        .map_or("none".to_owned(), |array| {
            let chunk = array
                .chunk_bytes
                .map_or(String::new(), |chunk| chunk.to_string());
            let layout = array.layout.clone().unwrap_or_default();
            let bitmap = match array.bitmap {
                Bitmap::None => "",
                _ => " bitmap",
            };
            format!(
                "{}:{layout}:{}:{chunk}{bitmap}",
                array.level,
                case.devices.len()
            )
        });
    let fsync = load
        .fsync_every
        .map_or(String::new(), |every| format!(" fsync {every}"));
    format!(
        "{} {array} {} {} jobs {} depth {} size {}{fsync} kernel {} seed {}",
        case.devices[0].name,
        load.pattern,
        load.block_size,
        load.jobs,
        load.depth,
        load.size_bytes,
        case.kernel,
        case.seed
    )
}

/// A small effort per case, because there are many.
pub fn limits() -> Limits {
    Limits {
        half_width: 0.01,
        ios_max: 60_000,
        ..Limits::default()
    }
}

/// Simulates a case with small effort; `None` if even one round of I/Os is too much.
pub fn simulated(case: &Case) -> Option<(Simulation, Sample)> {
    simulated_within(case, &limits())
}

/// Simulates a case; `None` if even one round of I/Os is too much.
pub fn simulated_within(case: &Case, limits: &Limits) -> Option<(Simulation, Sample)> {
    let mut simulation = case.build();
    match simulation.run(limits, &mut NeverCancel) {
        stripewise_sim::engine::Ending::TooLarge => None,
        _ => {
            let sample = simulation.sample();
            Some((simulation, sample))
        }
    }
}
