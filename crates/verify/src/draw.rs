//! Draws random cases: a pure function of seed and number, so that any case can be named and
//! repeated.

use std::num::NonZeroU32;

use stripewise_format::RAID6_LAYOUTS;
use stripewise_study::stack::Level;
use stripewise_study::workload::Engine;
use stripewise_study::world::{ReplayedAction, ReplayedIo};
use stripewise_units::Bytes;
use stripewise_units::splitmix::SplitMix64;

use crate::case::{Case, Disk, MEMBER_BYTES};
use crate::io_list::{IoList, SECTOR_BYTES};

/// The most I/Os of a job.
const IOS_MAX: u64 = 96;
/// The span of the I/Os of more than two jobs: all of them fit on a RAID 1.
const SPAN_OF_MANY_BYTES: u64 = 32 << 20;
/// The most bytes of a job's I/Os: members live in memory.
const JOB_BYTES_MAX: u64 = 12 << 20;

/// What draws a case.
#[derive(Debug, Clone)]
pub(crate) struct Rng(SplitMix64);

impl Rng {
    /// Returns the generator of case `number` of `seed`.
    pub(crate) fn of(seed: u64, number: u64) -> Self {
        Self(SplitMix64(
            seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95),
        ))
    }

    /// Returns a number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.draw() % bound
    }

    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let index = self.below(choices.len() as u64);
        choices[usize::try_from(index).expect("an index of a slice")]
    }

    /// Returns a number from `first` to `last`.
    pub(crate) fn range(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }
}

/// The levels that can be drawn; `linear` only if asked for, as Linux 6.8 to 6.13 have none.
pub const LEVELS: [Level; 7] = [
    Level::Linear,
    Level::Raid0,
    Level::Raid1,
    Level::Raid4,
    Level::Raid5,
    Level::Raid6,
    Level::Raid10,
];

/// Returns the first `count` cases of `seed`, by number; only those of `level`, if given.
pub fn cases(
    seed: u64,
    level: Option<Level>,
    count: u64,
) -> impl Iterator<Item = (u64, Case)> + use<> {
    (0..)
        .map(move |number| match level {
            Some(Level::Linear) => (number, draw_linear(seed, number)),
            _ => (number, draw(seed, number)),
        })
        .filter(move |(_, case)| level.is_none_or(|level| case.level == level))
        .take(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Returns case `number` of `seed`.
pub fn draw(seed: u64, number: u64) -> Case {
    let mut rng = Rng::of(seed, number);
    let level = level(&mut rng);
    draw_level(rng, level)
}

/// Returns linear case `number` of `seed`.
pub fn draw_linear(seed: u64, number: u64) -> Case {
    let rng = Rng::of(seed, number);
    draw_level(rng, Level::Linear)
}

fn draw_level(mut rng: Rng, level: Level) -> Case {
    let (layout, members) = shape(&mut rng, level);
    let chunk_bytes = level.has_chunk().then(|| Bytes::new(4096 << rng.below(8)));
    let bitmap_chunk_bytes = (level.has_bitmap() && rng.percent(30)).then(|| {
        let drawn = 65536 << rng.below(6);
        Bytes::new(drawn.max(bitmap_chunk_min(level, layout.as_deref(), members)))
    });
    let failed = failed(&mut rng, level, members);
    let depth = rng.one_of(&[1, 1, 1, 1, 4, 16]);
    let engine = match depth {
        1 => Engine::Psync,
        // fio 3.33 skips I/Os of a replay with io_uring; the engine makes no difference to md.
        _ => Engine::Libaio,
    };
    let jobs = rng.one_of(&[1, 1, 1, 1, 1, 1, 1, 2, 2, 4]);
    // fio needs room for every job up to the end of the farthest I/O.
    let jobs = if level == Level::Linear { 1 } else { jobs };
    let mut disk = Disk {
        rotational: rng.percent(35),
        // A parity array has a thread that runs beside the disks: with slow disks their order is
        // known.
        latency_ns: match is_parity(level) {
            true => rng.one_of(&[100_000, 2_000_000, 2_000_000]),
            false => rng.one_of(&[0, 100_000, 2_000_000]),
        },
        physical_block_bytes: 4096,
        servers: 1024,
    };
    if depth > 1 && rng.percent(15) {
        // Requests wait for the disk.
        disk = Disk {
            rotational: false,
            latency_ns: 500_000,
            physical_block_bytes: 4096,
            servers: 2,
        };
    }
    if level == Level::Raid0 && rng.percent(30) {
        // A guest has as many disks of each kind as the largest array, and 64 in all.
        disk = Disk {
            rotational: false,
            latency_ns: 100_000,
            physical_block_bytes: 512,
            servers: 1024,
        };
    }
    let mut load = LoadShape::draw(&mut rng, level, chunk_bytes);
    if jobs > 2 {
        load.span = load.span.min(SPAN_OF_MANY_BYTES);
    }
    Case {
        level,
        layout,
        members: NonZeroU32::new(members).expect("two members at least"),
        chunk_bytes,
        bitmap_chunk_bytes,
        failed,
        disk,
        engine,
        depth,
        jobs: (0..jobs).map(|_| load.ios(&mut rng)).collect(),
    }
}

/// Returns mdadm's smallest bitmap chunk, in bytes (`add_internal_bitmap1`): a member of up to 8
/// GiB has 4 KiB for a bitmap (`choose_bm_space`), 256 bytes of which are its header.
fn bitmap_chunk_min(level: Level, layout: Option<&str>, members: u32) -> u64 {
    const BITS_MAX: u64 = (4096 - 256) * 8;
    let copies: Option<u64> = layout.and_then(|layout| layout.get(1..)?.parse().ok());
    // The bitmap of a RAID 10 is as long as the array; others are as long as a member.
    let covered_bytes = match (level, copies) {
        (Level::Raid10, Some(copies)) => MEMBER_BYTES.as_u64() * u64::from(members) / copies,
        _ => MEMBER_BYTES.as_u64(),
    };
    let mut chunk = 4096;
    let mut bits = covered_bytes / chunk + 1;
    while bits > BITS_MAX {
        chunk *= 2;
        bits = bits.div_ceil(2);
    }
    chunk
}

fn is_parity(level: Level) -> bool {
    matches!(level, Level::Raid4 | Level::Raid5 | Level::Raid6)
}

fn level(rng: &mut Rng) -> Level {
    match rng.below(100) {
        0..12 => Level::Raid0,
        12..27 => Level::Raid1,
        27..65 => Level::Raid10,
        65..70 => Level::Raid4,
        70..87 => Level::Raid5,
        _ => Level::Raid6,
    }
}

/// Returns the layout and the number of members.
fn shape(rng: &mut Rng, level: Level) -> (Option<String>, u32) {
    let mut members =
        |first: u64, last: u64| u32::try_from(rng.range(first, last)).expect("few members");
    match level {
        Level::Raid0 | Level::Linear => (None, members(2, 8)),
        Level::Raid1 => (None, members(2, 4)),
        Level::Raid4 => (None, members(3, 7)),
        Level::Raid5 => {
            let members = members(3, 8);
            (Some(layout(rng, &RAID6_LAYOUTS[..6])), members)
        }
        Level::Raid6 => {
            let members = members(4, 8);
            (Some(layout(rng, &RAID6_LAYOUTS)), members)
        }
        Level::Raid10 => {
            let kind = rng.one_of(&["n", "f", "o"]);
            let copies = if rng.percent(70) { 2 } else { 3 };
            let members = rng.range(copies, 8);
            let members = u32::try_from(members).expect("few members");
            (Some(format!("{kind}{copies}")), members)
        }
    }
}

/// Returns one of the layouts of parity; the first, the default, three times as often as any other.
fn layout(rng: &mut Rng, layouts: &[&str]) -> String {
    let place = rng.below(layouts.len() as u64 + 2).saturating_sub(2);
    layouts[usize::try_from(place).expect("an index of a slice")].to_owned()
}

/// Returns the failed members; never so many that data is lost.
fn failed(rng: &mut Rng, level: Level, members: u32) -> Vec<u16> {
    if matches!(level, Level::Raid0 | Level::Linear) || !rng.percent(15) {
        return Vec::new();
    }
    let first = rng.below(u64::from(members));
    let mut failed = vec![first];
    if level == Level::Raid6 && rng.percent(30) {
        failed.push((first + rng.range(1, u64::from(members) - 1)) % u64::from(members));
    }
    let place = |member| u16::try_from(member).expect("few members");
    failed.into_iter().map(place).collect()
}

/// The common properties of a case's I/Os.
#[derive(Debug, Clone)]
struct LoadShape {
    sizes: Vec<u64>,
    align: u64,
    sequential: bool,
    read_percent: u64,
    base: u64,
    span: u64,
}

impl LoadShape {
    fn draw(rng: &mut Rng, level: Level, chunk: Option<Bytes>) -> Self {
        let kib = 1024;
        let small = [512, kib, 1536, 4 * kib, 4 * kib, 8 * kib, 12 * kib];
        let large = [
            16 * kib,
            32 * kib,
            36 * kib,
            64 * kib,
            68 * kib,
            100 * kib,
            128 * kib,
            256 * kib,
            384 * kib,
            504 * kib,
        ];
        let chunk = chunk.map_or(64 * kib, Bytes::as_u64);
        let mut size = || match rng.below(10) {
            0..4 => rng.one_of(&small),
            4..8 => rng.one_of(&large),
            8 => chunk.min(504 << 10),
            _ => (chunk * rng.range(1, 4) + rng.one_of(&[0, 512, 4096])).min(504 << 10),
        };
        let mut sizes = vec![size()];
        let huge = size() + (512 << 10) * 3;
        let another = [size(), size()];
        if rng.percent(20) {
            sizes.extend(another);
        }
        if rng.percent(8) {
            sizes.push(huge);
        }
        let largest = sizes.iter().copied().max().unwrap_or(SECTOR_BYTES);
        let align = match rng.below(10) {
            0..5 if sizes.len() == 1 => sizes[0],
            0..8 => 4096,
            _ => SECTOR_BYTES,
        };
        let align = match sizes.iter().all(|size| size % align == 0) || sizes.len() == 1 {
            true => align,
            false => SECTOR_BYTES,
        };
        let span: u64 = rng.one_of(&[1 << 20, 8 << 20, 32 << 20, 160 << 20]);
        Self {
            sequential: rng.percent(45),
            read_percent: rng.one_of(&[0, 0, 100, 100, 50, 80]),
            base: match level {
                // The border of the first two members is near, as md takes a part of each.
                Level::Linear => MEMBER_BYTES.as_u64() - (8 << 20),
                _ => rng.one_of(&[0, 0, (64 << 20) - (1 << 19)]) / align * align,
            },
            span: match level {
                Level::Linear => 16 << 20,
                _ => span.max(largest * 2),
            },
            sizes,
            align,
        }
    }

    fn ios(&self, rng: &mut Rng) -> IoList {
        let largest = self.sizes.iter().copied().max().unwrap_or(SECTOR_BYTES);
        let count = (JOB_BYTES_MAX / largest).clamp(12, IOS_MAX);
        let place = |rng: &mut Rng| {
            self.base + rng.below((self.span - largest) / self.align + 1) * self.align
        };
        let mut next = place(rng);
        let mut draw = || {
            let length = rng.one_of(&self.sizes);
            let offset = if self.sequential { next } else { place(rng) };
            next = offset + length;
            let action = match rng.percent(self.read_percent) {
                true => ReplayedAction::Read,
                false => ReplayedAction::Write,
            };
            ReplayedIo::new(action, Bytes::new(offset), Bytes::new(length))
        };
        IoList((0..count).map(|_| draw()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bitmap_bits_fit_beside_the_superblock() {
        let min_kib = |level, layout, members| bitmap_chunk_min(level, layout, members) >> 10;
        // mdadm 4.2 refuses 64K over eight members with two copies, and takes it over seven.
        assert_eq!(min_kib(Level::Raid10, Some("n2"), 8), 128);
        assert_eq!(min_kib(Level::Raid10, Some("n2"), 7), 64);
        assert_eq!(min_kib(Level::Raid10, Some("f3"), 8), 64);
        assert_eq!(min_kib(Level::Raid6, Some("left-symmetric"), 8), 32);
        assert_eq!(min_kib(Level::Raid1, None, 4), 32);
    }
}
