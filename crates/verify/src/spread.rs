//! How far counts that time decides lie from the driver's, and how far they may.
//!
//! A choice that time decides sends one bio to another member, or merges one more write into a
//! stripe. So a distance is counted in *pieces*: of a member's requests and merges, and of its
//! sectors, in units of the driver's mean bio. Which bios become one request is a distance of its
//! own, in requests. `n` choices that chance decides differ by about the
//! root of `n`, so distances of cases of different length are compared after division by the root
//! of the driver's bios in that direction.
//!
//! # Where the limits come from
//!
//! Nothing is assumed about the size of the spread: `limits.txt` has, for each [`Class`] of cases,
//! the distances of the recorded cases of the real driver (`golden/`), as a test derives them. A
//! class is a reason, a level, a direction, what is counted, and how fast the disks are compared
//! with the CPU. Three
//! of its order statistics become limits:
//!
//! - The **largest** of `n` distances: another case of the same kind exceeds it with a probability
//!   of `1 / (n + 1)`. A case may have twice as much (`MARGIN`; of 16 new cases, one had 1.75 times as much), and always one
//!   piece, the smallest distance there is.
//! - The upper ends of the 95 % intervals of the **median** and the **upper quartile**, which are
//!   order statistics, too: the distances of a whole class may not exceed them. They find an error
//!   that moves many cases a little. Few cases vary more than that, so a class is judged as a whole
//!   only if it has half as many cases as were recorded, and at least eight.
//!
//! I/Os of many pages, whose memory decides how many bios they are, are a reason of their own
//! ([`Determined::and_memory`]): what they alone moved in recorded cases adds to the limit of a case
//! that has another reason, too.
//!
//! Nineteen cases were counted four to seven times, on new arrays with other arrays before them (`repeats/`).
//! With one I/O in flight the counts are equal or differ by three pieces; with several the driver
//! differs from itself by up to 450. A limit is never below that: the largest distance of a class is
//! at least the largest between two counts of one case. Repeats with I/Os of many pages count for
//! such cases alone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use serde::Serialize;
use stripewise_study::sample::as_f64;
use stripewise_study::stack::Level;

use crate::case::Case;
use crate::counts::MemberCounts;
use crate::determined::{Determined, Extent, Reason, SLOW_DISK_NS, determined};

/// The margin of a single case over the largest recorded distance of its class.
const MARGIN: f64 = 2.0;
/// The fewest cases of a class that are judged together.
const TOGETHER_MIN: usize = 8;
/// The fewest recorded cases that have limits of their own.
const CASES_MIN: u64 = 5;
/// The limits of each class; a test derives them from the golden files.
const LIMITS: &str = include_str!("../limits.txt");

/// Reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Reads.
    Reads,
    /// Writes.
    Writes,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Requests and merges together, and sectors.
    Pieces,
    /// Requests alone: how many pieces become one.
    Requests,
}

/// How fast the disks are, compared with the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// A request completes before its submission returns.
    Instant,
    /// About as fast as the CPU.
    Fast,
    /// Far slower.
    Slow,
}

/// Levels, and disks, whose counts depend on the same state and rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// No state: raid0 and linear.
    Striped,
    /// raid1 on SSDs, where the fewest pending I/Os decide.
    Raid1,
    /// raid1 on hard disks, where the position of the heads decides.
    Raid1Disks,
    /// raid10 on SSDs.
    Raid10,
    /// raid10 on hard disks.
    Raid10Disks,
    /// raid4, raid5 and raid6, with the stripe cache.
    Parity,
}

/// Cases whose distances are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Class {
    /// Why their counts are not determined.
    pub because: Reason,
    /// Their level and kind of disk.
    pub family: Family,
    /// The speed of their disks.
    pub pace: Pace,
    /// The direction of the counts.
    pub direction: Direction,
    /// What is counted.
    pub counted: Count,
}

impl Class {
    /// Returns the name of the limits of its cases with I/Os of many pages: see
    /// [`Determined::and_memory`].
    pub fn with_many_pages(&self) -> String {
        format!("{self} with many pages")
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            because,
            family,
            pace,
            direction,
            counted,
        } = self;
        write!(
            f,
            "{because:?} {family:?} {pace:?} {direction:?} {counted:?}"
        )
    }
}

/// The distance of one direction of a case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distance {
    /// The class of the case.
    pub class: Class,
    /// Whether its I/Os of many pages are a further reason: see [`Determined::and_memory`].
    pub and_memory: bool,
    /// The member that is furthest from the driver's.
    pub member: usize,
    /// Its distance in pieces.
    pub pieces: f64,
    /// The pieces, divided by the root of the driver's bios.
    pub per_root: f64,
    /// The most pieces that the class allows; `None` if no case like it was recorded.
    pub limit_pieces: Option<f64>,
}

impl Distance {
    /// Returns its share of the limit; `None` without one.
    pub fn share(&self) -> Option<f64> {
        self.limit_pieces.map(|limit| self.pieces / limit)
    }

    /// Returns whether the case is beyond its limit.
    pub fn is_beyond(&self) -> bool {
        self.limit_pieces.is_some_and(|limit| self.pieces > limit)
    }
}

/// The limits of a class, in pieces per root.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Limits {
    /// How many cases they come from.
    pub cases: u64,
    /// Of the class's median.
    pub median: f64,
    /// Of its upper quartile.
    pub quartile: f64,
    /// The largest recorded distance.
    pub largest: f64,
}

impl Limits {
    /// Returns the limits that recorded distances give: see the module's documentation.
    /// `between_repeats` is the largest distance of the driver from itself.
    ///
    /// # Panics
    /// If there are no distances.
    pub fn derived(mut distances: Vec<f64>, between_repeats: f64) -> Self {
        distances.sort_by(f64::total_cmp);
        let at = |share| distances[upper_rank(distances.len(), share)];
        Self {
            cases: distances.len() as u64,
            median: at(0.5),
            quartile: at(0.75),
            largest: at(1.0).max(between_repeats),
        }
    }
}

/// Returns the index of the upper end of the 95 % interval of a quantile of `count` values: the
/// smallest order statistic that is not below the quantile with 97.5 %; the last if none is.
fn upper_rank(count: usize, share: f64) -> usize {
    let n = as_f64(count as u64);
    let mut probability = (1.0 - share).powf(n);
    let mut sum = 0.0;
    for below in 0..count {
        sum += probability;
        if sum >= 0.975 {
            return below;
        }
        let k = as_f64(below as u64);
        probability *= (n - k) / (k + 1.0) * share / (1.0 - share);
    }
    count - 1
}

/// Returns the limits of a class: its own, or with few recorded cases those of all levels and disks
/// together.
fn limits_of(class: Class) -> Option<Limits> {
    let own = limits().get(&class.to_string()).copied();
    if own.is_some_and(|own| own.cases >= CASES_MIN) {
        return own;
    }
    let families = [
        Family::Striped,
        Family::Raid1,
        Family::Raid1Disks,
        Family::Raid10,
        Family::Raid10Disks,
        Family::Parity,
    ];
    let kinds = families.into_iter().flat_map(|family| {
        [Pace::Instant, Pace::Fast, Pace::Slow].map(|pace| Class {
            family,
            pace,
            ..class
        })
    });
    let alike = kinds.filter_map(|class| limits().get(&class.to_string()));
    alike.copied().reduce(|one, other| Limits {
        cases: one.cases + other.cases,
        median: one.median.max(other.median),
        quartile: one.quartile.max(other.quartile),
        largest: one.largest.max(other.largest),
    })
}

/// Returns the limits of all classes, by the class's name.
fn limits() -> &'static BTreeMap<String, Limits> {
    static LIMITS_BY_CLASS: OnceLock<BTreeMap<String, Limits>> = OnceLock::new();
    LIMITS_BY_CLASS.get_or_init(|| {
        let lines = LIMITS.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| {
                let (class, numbers) = line.split_once(": ")?;
                let numbers: Vec<&str> = numbers.split_ascii_whitespace().collect();
                let [cases, median, quartile, largest] = numbers[..] else {
                    return None;
                };
                let limits = Limits {
                    cases: cases.parse().ok()?,
                    median: median.parse().ok()?,
                    quartile: quartile.parse().ok()?,
                    largest: largest.parse().ok()?,
                };
                Some((class.to_owned(), limits))
            })
            .collect()
    })
}

/// Returns the distances of the directions of `case` that are not determined; `expected` contains
/// the driver's superblock updates.
pub fn distances(case: &Case, expected: &[MemberCounts], real: &[MemberCounts]) -> Vec<Distance> {
    let extents: Determined = determined(case);
    let Some(because) = extents.because else {
        return Vec::new();
    };
    let directions = [
        (Direction::Reads, extents.reads),
        (Direction::Writes, extents.writes),
    ];
    let open = directions.into_iter().flat_map(|(direction, extent)| {
        let pieces = (extent <= Extent::Pages).then_some((direction, Count::Pieces));
        let requests = (extent < Extent::Requests).then_some((direction, Count::Requests));
        pieces.into_iter().chain(requests)
    });
    let class = |direction, counted| Class {
        because,
        family: match case.level {
            Level::Linear | Level::Raid0 => Family::Striped,
            Level::Raid1 if case.disk.rotational => Family::Raid1Disks,
            Level::Raid1 => Family::Raid1,
            Level::Raid10 if case.disk.rotational => Family::Raid10Disks,
            Level::Raid10 => Family::Raid10,
            Level::Raid4 | Level::Raid5 | Level::Raid6 => Family::Parity,
        },
        pace: match case.disk.latency_ns {
            0 => Pace::Instant,
            SLOW_DISK_NS.. => Pace::Slow,
            _ => Pace::Fast,
        },
        direction,
        counted,
    };
    open.filter_map(|(direction, counted)| {
        let class = class(direction, counted);
        let limits = limits_of(class);
        let of_memory = Class {
            because: Reason::MemoryDecides,
            ..class
        };
        let largest_of = |limits: Option<Limits>| limits.map_or(0.0, |limits| limits.largest);
        let largest = limits.map(|limits| match extents.and_memory {
            true => {
                let repeated = self::limits().get(&class.with_many_pages()).copied();
                let both = limits.largest + largest_of(limits_of(of_memory));
                both.max(largest_of(repeated))
            }
            false => limits.largest,
        });
        let found = distance(class, largest, expected, real)?;
        Some(Distance {
            and_memory: extents.and_memory,
            ..found
        })
    })
    .collect()
}

/// Returns the distance of one direction; `None` if neither world has a bio in it. `largest` is the
/// largest that was recorded, in pieces per root.
fn distance(
    class: Class,
    largest: Option<f64>,
    expected: &[MemberCounts],
    real: &[MemberCounts],
) -> Option<Distance> {
    let of = |counts: &MemberCounts| {
        let (requests, merges, sectors) = match class.direction {
            Direction::Reads => (counts.reads, counts.read_merges, counts.read_sectors),
            Direction::Writes => (counts.writes, counts.write_merges, counts.write_sectors),
        };
        match class.counted {
            Count::Pieces => (requests + merges, sectors),
            Count::Requests => (requests, 0),
        }
    };
    let sum = |all: &[MemberCounts]| {
        all.iter().map(of).fold((0, 0), |sum, (bios, sectors)| {
            (sum.0 + bios, sum.1 + sectors)
        })
    };
    let (bios, sectors) = match sum(real) {
        (0, _) => sum(expected),
        total => total,
    };
    if bios == 0 {
        return None;
    }
    let (bios, sectors) = (as_f64(bios), as_f64(sectors.max(1)));
    let pieces = expected.iter().zip(real).map(|(expected, real)| {
        let (one, other) = (of(expected), of(real));
        let of_bios = as_f64(one.0.abs_diff(other.0));
        let of_sectors = as_f64(one.1.abs_diff(other.1)) * bios / sectors;
        of_bios.max(of_sectors)
    });
    let furthest = pieces.enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (member, pieces) = furthest?;
    let root = bios.sqrt();
    Some(Distance {
        class,
        and_memory: false,
        member,
        pieces,
        per_root: pieces / root,
        limit_pieces: largest.map(|largest| (largest * MARGIN * root).max(1.0)),
    })
}

/// The distance of a case with a number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Numbered {
    /// The number of the case.
    pub number: u64,
    /// Its level and layout.
    pub title: String,
    /// The distance.
    #[serde(flatten)]
    pub distance: Distance,
}

/// A class as a whole, in pieces per root.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Together {
    /// The class.
    pub class: Class,
    /// How many cases it has here.
    pub cases: u64,
    /// The median of their distances.
    pub median: f64,
    /// The upper quartile.
    pub quartile: f64,
    /// The largest.
    pub largest: f64,
    /// The limits; `None` if no case like these was recorded.
    pub limits: Option<Limits>,
    /// Whether the median or the upper quartile is beyond its limit.
    pub is_beyond: bool,
}

/// The distances of all cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Spread {
    /// Of each case and direction that is not determined.
    pub cases: Vec<Numbered>,
}

impl Spread {
    /// Adds the distances of a case.
    pub fn add(&mut self, number: u64, case: &Case, distances: &[Distance]) {
        self.cases.extend(distances.iter().map(|distance| Numbered {
            number,
            title: case.title(),
            distance: *distance,
        }));
    }

    /// Returns the distances of each class, in pieces per root.
    pub fn by_class(&self) -> BTreeMap<Class, Vec<f64>> {
        let mut classes: BTreeMap<Class, Vec<f64>> = BTreeMap::new();
        for case in &self.cases {
            let distances = classes.entry(case.distance.class).or_default();
            distances.push(case.distance.per_root);
        }
        classes
    }

    /// Returns each class as a whole.
    pub fn together(&self) -> Vec<Together> {
        let classes = self.by_class().into_iter();
        classes
            .map(|(class, found)| together(class, found))
            .collect()
    }
}

fn together(class: Class, mut found: Vec<f64>) -> Together {
    found.sort_by(f64::total_cmp);
    let at = |quarters: usize| found[(found.len() * quarters / 4).min(found.len() - 1)];
    let (median, quartile, largest) = (at(2), at(3), at(4));
    let limits = limits_of(class);
    let recorded = limits.map_or(0, |limits| limits.cases);
    let is_judged = found.len() >= TOGETHER_MIN && 2 * found.len() as u64 >= recorded;
    Together {
        class,
        cases: found.len() as u64,
        median,
        quartile,
        largest,
        limits,
        is_beyond: is_judged
            && limits.is_some_and(|limits| median > limits.median || quartile > limits.quartile),
    }
}
