//! The buffer of a disk: data read ahead, and written data that is not yet on the platter.

use super::runs::{RunPlace, Runs};
use crate::narrow::index;

/// A run of sectors; `end` is the first one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Run {
    /// Returns the number of sectors.
    pub(super) const fn length(self) -> u64 {
        self.end - self.start
    }

    const fn covers(self, other: Run) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    run: Run,
    /// The parts of the disk that count as near it, from the first to the one after the last.
    near: [u64; 2],
}

/// The read part of the buffer: segments of one size, one per stream.
#[derive(Debug)]
pub(super) struct ReadCache {
    segments: Vec<Segment>,
    segment_sectors: u64,
    /// The segments, least recently used first.
    order: Vec<usize>,
    near: Near,
}

/// How many parts of the disk are told apart.
const PARTS: usize = 256;

/// Where a read may be near a segment: in it, or where the drive reads ahead behind it. Most reads of a
/// random load are not, and look at no segment.
#[derive(Debug)]
struct Near {
    /// How many segments each part of the disk of 2^`part_bits` sectors, at least a segment, is near to;
    /// parts that are equal modulo their number count together.
    segments: [u32; PARTS],
    part_bits: u32,
}

impl Near {
    #[inline]
    fn place(part: u64) -> usize {
        index(part % PARTS as u64)
    }

    #[inline]
    fn may_hold(&self, sector: u64) -> bool {
        self.segments[Self::place(sector >> self.part_bits)] > 0
    }

    /// Moves a segment from some parts to those from sector `start` up to and with `end`.
    fn move_to(&mut self, segment: &mut Segment, start: u64, end: u64) {
        let [first, last] = [start >> self.part_bits, (end >> self.part_bits) + 1];
        if segment.near == [first, last] {
            return;
        }
        for part in first..last {
            self.segments[Self::place(part)] += 1;
        }
        self.leave(segment);
        segment.near = [first, last];
    }

    /// Removes a segment from its parts.
    fn leave(&mut self, segment: &mut Segment) {
        let [first, last] = std::mem::take(&mut segment.near);
        for part in first..last {
            self.segments[Self::place(part)] -= 1;
        }
    }
}

impl ReadCache {
    /// Returns an empty cache of `count` segments.
    pub(super) fn new(count: usize, segment_sectors: u64) -> Self {
        let empty = Segment {
            run: Run { start: 0, end: 0 },
            near: [0; 2],
        };
        Self {
            segments: vec![empty; count],
            segment_sectors,
            order: (0..count).collect(),
            near: Near {
                segments: [0; PARTS],
                part_bits: u64::BITS - segment_sectors.leading_zeros(),
            },
        }
    }

    /// Returns the size of a segment, which is how far a drive reads ahead.
    pub(super) const fn segment_sectors(&self) -> u64 {
        self.segment_sectors
    }

    /// Returns false if neither a segment nor what the drive reads ahead behind one can reach `sector`.
    #[inline]
    pub(super) fn may_reach(&self, sector: u64) -> bool {
        self.near.may_hold(sector)
    }

    /// Returns whether one segment holds all of `run`.
    pub(super) fn holds(&mut self, run: Run) -> bool {
        if !self.may_reach(run.start) {
            return false;
        }
        let mut segments = self.segments.iter();
        let found = segments.position(|segment| segment.run.covers(run));
        if let Some(segment) = found {
            self.note_use(segment);
        }
        found.is_some()
    }

    /// Makes a segment the most recently used one.
    fn note_use(&mut self, segment: usize) {
        if self.order.last() == Some(&segment) {
            return;
        }
        let mut order = self.order.iter();
        if let Some(place) = order.position(|other| *other == segment) {
            self.order[place..].rotate_left(1);
        }
    }

    /// Returns the segment that holds the beginning of `run` or ends just before it.
    #[inline]
    pub(super) fn leading_into(&self, run: Run) -> Option<usize> {
        if !self.may_reach(run.start) {
            return None;
        }
        self.segments.iter().position(|segment| {
            let Run { start, end } = segment.run;
            start < end && start <= run.start && run.start <= end
        })
    }

    /// Returns the first sector after a segment.
    pub(super) fn end(&self, segment: usize) -> u64 {
        self.segments[segment].run.end
    }

    /// Extends a segment to `end`; a full segment drops its beginning.
    pub(super) fn extend(&mut self, segment: usize, end: u64) {
        self.note_use(segment);
        let segment = &mut self.segments[segment];
        let run = &mut segment.run;
        run.end = run.end.max(end);
        run.start = run.start.max(run.end.saturating_sub(self.segment_sectors));
        let (start, ahead) = (run.start, run.end + self.segment_sectors);
        self.near.move_to(segment, start, ahead);
    }

    /// Begins a new segment in place of the least recently used one.
    pub(super) fn begin(&mut self, run: Run) -> Option<usize> {
        let oldest = *self.order.first()?;
        self.segments[oldest].run = run;
        self.extend(oldest, run.end);
        Some(oldest)
    }
}

/// The write part of the buffer: runs ordered by address. Runs that touch are merged and written to
/// the platter in one pass, so no two touch.
#[derive(Debug)]
pub(super) struct WriteCache {
    runs: Runs,
    runs_max: usize,
    used_sectors: u64,
    sectors_max: u64,
    /// All sectors received since the start.
    received_sectors: u64,
    /// Whether a write ever had to wait for room.
    has_refused: bool,
}

impl WriteCache {
    /// Returns an empty cache; without space it accepts nothing.
    pub(super) fn new(runs_max: usize, sectors_max: u64) -> Self {
        Self {
            runs: Runs::default(),
            runs_max,
            used_sectors: 0,
            sectors_max,
            received_sectors: 0,
            has_refused: false,
        }
    }

    /// Returns whether writes are cached at all.
    pub(super) const fn is_on(&self) -> bool {
        self.sectors_max > 0 && self.runs_max > 0
    }

    /// Returns how many sectors it holds, and how many it received since the start.
    pub(super) const fn level(&self) -> (u64, u64) {
        (self.used_sectors, self.received_sectors)
    }

    /// Returns whether a write ever had to wait for room.
    pub(super) const fn has_refused(&self) -> bool {
        self.has_refused
    }

    /// Returns whether no run waits to be written.
    pub(super) const fn is_empty(&self) -> bool {
        self.runs.count() == 0
    }

    /// Returns the waiting runs, by address.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter()
    }

    /// Returns the first waiting run at or after `sector`, or the first of all.
    pub(super) fn next_from(&self, sector: u64) -> Option<(RunPlace, Run)> {
        self.runs.next_from(sector)
    }

    /// Returns whether all of `run` waits to be written and can be read from here.
    pub(super) fn holds(&self, run: Run) -> bool {
        let before = self.runs.last_until(run.start);
        before.is_some_and(|(_, cached)| cached.covers(run))
    }

    /// Adds the parts of `run` that do not wait to be written.
    pub(super) fn add_missing(&self, run: Run, parts: &mut Vec<[u64; 2]>) {
        let mut at = run.start;
        for cached in self.runs.iter().filter(|cached| cached.end > run.start) {
            if cached.start >= run.end {
                break;
            }
            if at < cached.start {
                parts.push([at, cached.start]);
            }
            at = cached.end;
        }
        if at < run.end {
            parts.push([at, run.end]);
        }
    }

    /// Accepts a write if there is room; one larger than the whole cache waits until the cache is
    /// empty.
    pub(super) fn accept(&mut self, run: Run) -> bool {
        // The runs that touch it, from the last one back.
        let (mut union, mut held, mut joined) = (run, 0, 0_u32);
        let mut before = self.runs.last_until(run.end);
        let last = before;
        while let Some((place, cached)) = before.filter(|(_, cached)| cached.end >= run.start) {
            union.start = union.start.min(cached.start);
            union.end = union.end.max(cached.end);
            held += cached.length();
            joined += 1;
            before = self.runs.before(place);
        }
        let added = union.length() - held;
        let fits = self.used_sectors + added <= self.sectors_max || self.used_sectors == 0;
        if !fits || (joined == 0 && self.runs.count() == self.runs_max) {
            self.has_refused = true;
            return false;
        }
        self.used_sectors += added;
        self.received_sectors += added;
        match joined {
            0 => self.runs.insert_after(last.map(|(place, _)| place), union),
            _ => {
                for _ in 1..joined {
                    if let Some((place, _)) = self.runs.last_until(run.end) {
                        self.runs.remove(place);
                    }
                }
                if let Some((place, _)) = self.runs.last_until(run.end) {
                    self.runs.set(place, union);
                }
            }
        }
        true
    }

    /// Takes at most `sectors_max` from the beginning of a run, to write them out. Their space
    /// stays used until [`Self::release`].
    pub(super) fn take(&mut self, place: RunPlace, sectors_max: u64) -> Run {
        let run = self.runs.get(place);
        if run.length() <= sectors_max {
            self.runs.remove(place);
            return run;
        }
        let middle = run.start + sectors_max;
        let rest = Run {
            start: middle,
            end: run.end,
        };
        self.runs.set(place, rest);
        Run {
            start: run.start,
            end: middle,
        }
    }

    /// Frees the space of a run that is on the platter now.
    pub(super) fn release(&mut self, run: Run) {
        self.used_sectors -= run.length();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_write_cache_holds_exactly_the_written_sectors(
            writes in prop::collection::vec((0_u64..60, 1_u64..9, 0_usize..4), 1..60),
        ) {
            let mut cache = WriteCache::new(8, 40);
            let mut oracle = [false; 80];
            for (start, length, step) in writes {
                let run = Run { start, end: start + length };
                if step == 0 && let Some((first, _)) = cache.next_from(0) {
                    let taken = cache.take(first, 3);
                    (taken.start..taken.end).for_each(|sector| oracle[at(sector)] = false);
                    cache.release(taken);
                } else if cache.accept(run) {
                    (run.start..run.end).for_each(|sector| oracle[at(sector)] = true);
                }
                let held = oracle.iter().filter(|&&held| held).count();
                prop_assert_eq!(cache.used_sectors, u64::try_from(held).expect("small"));
                prop_assert!(cache.used_sectors <= 40 && cache.runs.count() <= 8);
                let runs: Vec<Run> = cache.runs().copied().collect();
                prop_assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start));
                let all = (run.start..run.end).all(|sector| oracle[at(sector)]);
                prop_assert_eq!(cache.holds(run), all);
            }
        }
    }

    proptest! {
        #[test]
        fn a_sector_that_no_segment_reaches_is_in_none(
            steps in prop::collection::vec((0_u64..100_000, 1_u64..600, prop::bool::ANY), 1..80),
        ) {
            let window = 500;
            let mut cache = ReadCache::new(4, window);
            let mut last = None;
            for (start, length, begins) in steps {
                let run = Run { start, end: start + length };
                match last.filter(|_| !begins) {
                    Some(segment) => cache.extend(segment, cache.end(segment) + length % 200),
                    None => last = cache.begin(run),
                }
                for segment in cache.segments.iter().filter(|one| one.run.start < one.run.end) {
                    let ahead = segment.run.end + window;
                    let reached = [segment.run.start, segment.run.end, ahead];
                    prop_assert!(reached.into_iter().all(|sector| cache.may_reach(sector)));
                }
                let covered = cache.segments.iter().any(|one| one.run.covers(run));
                prop_assert_eq!(cache.holds(run), covered);
            }
        }
    }

    fn at(sector: u64) -> usize {
        usize::try_from(sector).expect("small")
    }

    #[test]
    fn the_least_recently_used_segment_is_replaced() {
        let mut cache = ReadCache::new(2, 100);
        let run = |start, end| Run { start, end };
        cache.begin(run(0, 10));
        cache.begin(run(1000, 1010));
        assert!(cache.holds(run(0, 10)));
        cache.begin(run(2000, 2010));
        assert!(cache.holds(run(0, 10)) && !cache.holds(run(1000, 1010)));
        let first = cache.leading_into(run(10, 20)).expect("it ends there");
        cache.extend(first, 150);
        assert!(!cache.holds(run(0, 10)) && cache.holds(run(50, 150)));
    }
}
