//! The states that a power cut can leave, one after the other instead of drawn.
//!
//! ```text
//! log:    w w w F w w F w w w w          F: flush
//!              │     │         └ end of the recording
//!              └─────┴─ moments: just before each flush
//! ```
//!
//! At a moment everything before the last flush is on the medium, and any part of the writes since may
//! be. A state at an earlier moment of the same span is one of those, with fewer promises made. So the
//! moments just before the flushes cover all others, with the most to lose.
//!
//! All combinations are too many. We build those in which one write differs from the rest, as most
//! faults need no more: a file renamed before its data, a header before its records. Of states with
//! equal content the latest counts. States of different kinds come first: a kind is the shape, the
//! number of writes since the flush and the size of the write, by powers of two.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::crash::{Drive, apply, durable_before, has_fua, tear_to};
use crate::disk::{Disk, Logged};
use crate::store::Store;

/// The most states that are built to find out which are different.
pub const BUILT_MAX: usize = 20_000;

/// One state: what a cut took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// When the power goes, since the recording began.
    pub at: Duration,
    /// How many entries of the log had come by then.
    pub length: usize,
    /// The entries that are missing, and how many of their bytes survive, by their index in the log.
    pub lost: BTreeMap<usize, u64>,
}

/// The states of a recording.
#[derive(Debug, Clone, Default)]
pub struct States {
    /// The different ones, each kind before any kind twice.
    pub ordered: Vec<State>,
    /// How many were different; at most [`BUILT_MAX`] were compared.
    pub distinct: u64,
    /// The logarithm to base 2 of the number of combinations, rounded up.
    pub combinations_log2: u64,
}

/// A shape of a state, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Shape {
    /// No unflushed write survives.
    None,
    /// One is missing.
    AllBut,
    /// One survives.
    Only,
    /// One is torn in the middle, and all others survive.
    Torn,
    /// The first so many survive.
    First,
    /// All survive.
    All,
}

impl Shape {
    const OF_ONE: [Shape; 4] = [Shape::AllBut, Shape::Only, Shape::Torn, Shape::First];
}

/// A kind of state: each kind is tried once before any is tried twice.
type Kind = (bool, Shape, u32, u32);

/// A moment at which the power may go.
struct Moment {
    at: Duration,
    length: usize,
    /// The unflushed writes, by their index in the log.
    volatile: Vec<usize>,
    has_promise: bool,
}

/// Returns the states of a recording whose promises were made at these times, in order.
///
/// `between` bounds the moments of the cut; where both ends are equal, there is one moment.
pub fn states(
    disk: &Disk,
    drive: Drive,
    promises: &[Duration],
    between: (Duration, Duration),
) -> States {
    let moments = moments(disk, drive, promises, between);
    let mut built: Vec<(Kind, State, u64)> = Vec::new();
    let mut combinations = 0.0;
    let mut durable = Medium::new(disk);
    for moment in &moments {
        combinations += combinations_log2(disk, drive, moment);
        durable.advance(disk, moment);
        for (kind, lost) in shapes(disk, drive, moment) {
            if built.len() >= BUILT_MAX {
                break;
            }
            let state = State {
                at: moment.at,
                length: moment.length,
                lost,
            };
            let digest = durable.digest_with(disk, moment, &state);
            built.push((kind, state, digest));
        }
    }
    // Of equal content, the latest has the most promises.
    let mut latest: HashMap<u64, usize> = HashMap::new();
    for (index, (_, _, digest)) in built.iter().enumerate() {
        latest.insert(*digest, index);
    }
    let mut kept: Vec<usize> = latest.into_values().collect();
    kept.sort_unstable();
    let mut seen: HashMap<Kind, usize> = HashMap::new();
    let mut order: Vec<(usize, Kind, usize)> = Vec::new();
    for index in kept {
        let kind = built[index].0;
        let times = seen.entry(kind).or_default();
        order.push((*times, kind, index));
        *times += 1;
    }
    // With a promise in its span first, then by shape.
    order.sort_by_key(|(times, kind, index)| (*times, !kind.0, kind.1, *index));
    let mut states: Vec<Option<State>> = built.into_iter().map(|one| Some(one.1)).collect();
    let ordered: Vec<State> = order
        .into_iter()
        .filter_map(|(_, _, index)| states[index].take())
        .collect();
    States {
        distinct: ordered.len() as u64,
        ordered,
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a sum of logarithms of counts, far below 2^53"
        )]
        combinations_log2: combinations.ceil() as u64,
    }
}

/// Returns the content of the medium in a state.
pub fn image(disk: &Disk, state: &State) -> Store {
    let mut medium = disk.base().clone();
    for (index, entry) in disk.log()[..state.length].iter().enumerate() {
        put(&mut medium, &entry.what, state.lost.get(&index));
    }
    medium
}

/// Returns the state of a cut at this time in which the same writes are missing.
pub fn earlier(disk: &Disk, drive: Drive, state: &State, at: Duration) -> State {
    let length = disk.log().partition_point(|entry| entry.at <= at);
    let volatile = volatile(disk, drive, length);
    let lost = state.lost.iter().map(|(index, kept)| (*index, *kept));
    State {
        at,
        length,
        lost: lost
            .filter(|(index, _)| volatile.binary_search(index).is_ok())
            .collect(),
    }
}

/// Returns the unflushed writes of a state.
pub fn volatile(disk: &Disk, drive: Drive, length: usize) -> Vec<usize> {
    let log = &disk.log()[..length];
    let durable = match drive.is_volatile {
        true => durable_before(log, drive.cache_bytes),
        false => length,
    };
    let is_volatile = |index: &usize| {
        let what = &log[*index].what;
        !has_fua(what) && !matches!(what, Logged::Flush)
    };
    (durable..length).filter(is_volatile).collect()
}

fn put(medium: &mut Store, what: &Logged, lost: Option<&u64>) {
    match lost {
        None => apply(medium, what),
        Some(0) => {}
        Some(kept) => tear_to(medium, what, *kept),
    }
}

fn moments(
    disk: &Disk,
    drive: Drive,
    promises: &[Duration],
    (from, to): (Duration, Duration),
) -> Vec<Moment> {
    let log = disk.log();
    let mut ends: Vec<(Duration, usize)> = Vec::new();
    for (index, entry) in log.iter().enumerate() {
        // A flush that follows another has nothing to lose.
        let is_end = matches!(entry.what, Logged::Flush)
            && index > 0
            && !matches!(log[index - 1].what, Logged::Flush);
        if is_end && entry.at >= from && entry.at < to {
            // Just before the disk received the flush.
            let at = entry.at.saturating_sub(Duration::from_nanos(1));
            ends.push((at, index));
        }
    }
    ends.push((to, log.partition_point(|entry| entry.at <= to)));
    let mut before = Duration::ZERO;
    let mut moments = Vec::new();
    for (at, length) in ends {
        let made = promises.partition_point(|promise| *promise <= at);
        let made_before = promises.partition_point(|promise| *promise <= before);
        moments.push(Moment {
            at,
            length,
            volatile: volatile(disk, drive, length),
            has_promise: made > made_before,
        });
        before = at;
    }
    moments
}

/// Returns the logarithm of how many combinations a moment has: each write survives whole, not, or up
/// to any border between sectors.
fn combinations_log2(disk: &Disk, drive: Drive, moment: &Moment) -> f64 {
    let choices = |index: &usize| {
        let sectors = length_of(disk, *index) / u64::from(drive.sector_bytes.max(1));
        f64::from(u32::try_from(sectors).unwrap_or(u32::MAX).max(1)) + 1.0
    };
    moment
        .volatile
        .iter()
        .map(|index| choices(index).log2())
        .sum()
}

fn length_of(disk: &Disk, index: usize) -> u64 {
    match &disk.log()[index].what {
        Logged::Write { data, .. } => data.len() as u64,
        Logged::Clear { length, .. } => *length,
        Logged::Flush => 0,
    }
}

/// Returns the states of a moment in which at most one write differs from the others.
fn shapes(disk: &Disk, drive: Drive, moment: &Moment) -> Vec<(Kind, BTreeMap<usize, u64>)> {
    let volatile = &moment.volatile;
    let count = log2(volatile.len() as u64);
    let all: BTreeMap<usize, u64> = volatile.iter().map(|index| (*index, 0)).collect();
    let kind = |shape, size| (moment.has_promise, shape, count, size);
    let mut shapes = vec![
        (kind(Shape::None, 0), all.clone()),
        (kind(Shape::All, 0), BTreeMap::new()),
    ];
    for (place, index) in volatile.iter().enumerate() {
        let size = log2(length_of(disk, *index));
        for shape in Shape::OF_ONE {
            let lost = match shape {
                Shape::AllBut => BTreeMap::from([(*index, 0)]),
                Shape::Only => {
                    let mut lost = all.clone();
                    lost.remove(index);
                    lost
                }
                Shape::First => volatile[place..].iter().map(|one| (*one, 0)).collect(),
                _ => {
                    let sector = u64::from(drive.sector_bytes.max(1));
                    let half = length_of(disk, *index) / 2 / sector * sector;
                    match &disk.log()[*index].what {
                        Logged::Write { .. } if half > 0 => BTreeMap::from([(*index, half)]),
                        _ => continue,
                    }
                }
            };
            shapes.push((kind(shape, size), lost));
        }
    }
    shapes
}

fn log2(number: u64) -> u32 {
    number.checked_ilog2().map_or(0, |log| log + 1)
}

/// The medium with everything that was durable at a moment, and its digest.
struct Medium {
    store: Store,
    digest: u64,
    /// How many entries of the log are in it or volatile.
    applied: Vec<usize>,
    done: usize,
}

impl Medium {
    fn new(disk: &Disk) -> Self {
        let store = disk.base().clone();
        Self {
            digest: store.digest(),
            store,
            applied: Vec::new(),
            done: 0,
        }
    }

    /// Applies what has become durable at the next moment.
    fn advance(&mut self, disk: &Disk, moment: &Moment) {
        self.applied.extend(self.done..moment.length);
        self.done = moment.length;
        let waiting = std::mem::take(&mut self.applied);
        for index in waiting {
            match moment.volatile.binary_search(&index) {
                Ok(_) => self.applied.push(index),
                Err(_) => {
                    let what = &disk.log()[index].what;
                    self.digest ^= change(&mut self.store, what, None);
                }
            }
        }
    }

    /// Returns the digest of a state of this moment.
    fn digest_with(&self, disk: &Disk, moment: &Moment, state: &State) -> u64 {
        let (mut store, mut digest) = (self.store.clone(), self.digest);
        for index in &moment.volatile {
            let what = &disk.log()[*index].what;
            digest ^= change(&mut store, what, state.lost.get(index));
        }
        digest
    }
}

/// Applies an entry, and returns by what the digest of the store changes.
fn change(store: &mut Store, what: &Logged, lost: Option<&u64>) -> u64 {
    let (offset, length) = match what {
        Logged::Write { offset, data, .. } => (*offset, data.len() as u64),
        Logged::Clear { offset, length, .. } => (*offset, *length),
        Logged::Flush => return 0,
    };
    if lost == Some(&0) {
        return 0;
    }
    let before = store.digest_of(offset, length);
    match lost {
        Some(kept) => tear_to(store, what, *kept),
        None => apply(store, what),
    }
    before ^ store.digest_of(offset, length)
}

#[cfg(test)]
#[path = "states_tests.rs"]
mod tests;
