//! Which acknowledged writes a power cut would lose, from the moments at which data moves.
//!
//! ```text
//!  issued -> [page cache] -> written to the members -> durable
//!     '-> acknowledged -> promised (a sync that covers it returned)
//! ```
//!
//! A write is durable when every member that its data needs has it on the medium:
//!
//! - a drive without a volatile cache: as soon as it is written;
//! - one whose cache is simulated by address (hard disks): when the drive has written it back;
//! - any other one: when a flush has ended that was sent after the array had acknowledged the data.
//!   What such a drive writes back by itself is unknown, so this is an upper bound.
//!
//! A mirror needs all its copies, because md may read any of them after a power cut. A parity array
//! needs the block of data: md computes parity again after a power cut. [`Ledger`] holds no data of
//! the engine, and a test recomputes it from its whole history.

use std::collections::VecDeque;

use stripewise_study::risk::{Risk, Volatile, WHOLE_PPM};
use stripewise_units::{Bytes, Nanos};

use crate::narrow::index;
use crate::record::{BINS, bin_index, bin_start, bin_value};
use crate::slab::Slab;
use crate::units::Instant;

/// Numbers of writes, counted as they are issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Writes {
    pub(crate) first: u64,
    pub(crate) end: u64,
}

impl Writes {
    pub(crate) const NONE: Self = Self { first: 0, end: 0 };

    pub(crate) const fn one(number: u64) -> Self {
        Self {
            first: number,
            end: number + 1,
        }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.first >= self.end
    }

    /// Returns these writes and the `later` ones.
    pub(crate) const fn joined(self, later: Self) -> Self {
        match (self.is_empty(), later.is_empty()) {
            (_, true) => self,
            (true, false) => later,
            (false, false) => Self {
                first: self.first,
                end: later.end,
            },
        }
    }
}

/// Sectors of a member that may be volatile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) member: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// How a member keeps what it has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// On the medium.
    Durable,
    /// In a cache that only a flush empties for certain.
    UntilFlushed,
    /// In a cache that says what it has written back.
    UntilDestaged,
}

/// Data that is written together.
#[derive(Debug)]
struct Group {
    writes: Writes,
    /// Its extents that are volatile.
    pieces: u32,
}

#[derive(Debug)]
struct Member {
    cache: Cache,
    /// The flushes sent so far, and how many of them were sent when the one in progress was.
    flushes: u64,
    flushing: u64,
    /// Groups that wait for a flush, with the flushes sent before them.
    waiting: VecDeque<(u64, u32)>,
    /// Extents in the cache that are not written back, and their groups.
    held: Vec<(u64, u64, u32)>,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    bytes: u64,
    is_acknowledged: bool,
    is_promised: bool,
    is_durable: bool,
}

/// The state of all tracked writes.
#[derive(Debug)]
pub(crate) struct Ledger {
    members: Vec<Member>,
    groups: Slab<Group>,
    /// The writes from `first` on.
    records: VecDeque<Record>,
    first: u64,
    /// The acknowledged writes of each job that no sync covers yet.
    unsynced: Vec<VecDeque<(Instant, u64)>>,
    acknowledged: Gauge,
    promised: Gauge,
    /// Groups that became durable, for the moment.
    ended: Vec<u32>,
}

impl Ledger {
    pub(crate) fn new(caches: &[Cache], jobs: usize) -> Self {
        let members = caches.iter().map(|cache| Member {
            cache: *cache,
            flushes: 0,
            flushing: 0,
            waiting: VecDeque::new(),
            held: Vec::new(),
        });
        Self {
            members: members.collect(),
            groups: Slab::default(),
            records: VecDeque::new(),
            first: 0,
            unsynced: vec![VecDeque::new(); jobs],
            acknowledged: Gauge::default(),
            promised: Gauge::default(),
            ended: Vec::new(),
        }
    }

    /// Returns how a member keeps what it has acknowledged.
    pub(crate) fn cache(&self, member: usize) -> Cache {
        self.members[member].cache
    }

    /// Begins to count at `now`; what is volatile stays so.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.acknowledged.begin(now);
        self.promised.begin(now);
    }

    /// Notes a new write and returns its number.
    pub(crate) fn issue(&mut self, bytes: u64) -> u64 {
        self.records.push_back(Record {
            bytes,
            is_acknowledged: false,
            is_promised: false,
            is_durable: false,
        });
        self.first + self.records.len() as u64 - 1
    }

    /// Notes that the data of `writes` is on its members. On members that say what they write back,
    /// `extents` are those that they still hold.
    pub(crate) fn written(&mut self, writes: Writes, extents: &[Extent], now: Instant) {
        let group = self.groups.insert(Group { writes, pieces: 0 });
        for extent in extents {
            let member = &mut self.members[extent.member];
            match member.cache {
                Cache::Durable => continue,
                Cache::UntilFlushed => member.waiting.push_back((member.flushes, group)),
                Cache::UntilDestaged => member.held.push((extent.start, extent.end, group)),
            }
            self.groups[group].pieces += 1;
        }
        if self.groups[group].pieces == 0 {
            self.ended.push(group);
        }
        self.end_groups(now);
    }

    /// Notes that a write returned to its job, durable as far as that knows if `is_promised`.
    pub(crate) fn acknowledge(&mut self, number: u64, job: usize, is_promised: bool, now: Instant) {
        let Some(record) = self.record(number) else {
            return;
        };
        record.is_acknowledged = true;
        if !record.is_durable {
            let bytes = record.bytes;
            self.acknowledged.add(bytes, number, now);
            match is_promised {
                true => self.promise(number, now),
                false => self.wait_for_sync(number, job, now),
            }
        }
        self.forget();
    }

    fn wait_for_sync(&mut self, number: u64, job: usize, now: Instant) {
        let unsynced = &mut self.unsynced[job];
        while unsynced
            .front()
            .is_some_and(|(_, first)| *first < self.first)
        {
            unsynced.pop_front();
        }
        unsynced.push_back((now, number));
    }

    /// Notes that a sync of a job returned, which began at `began` and covers what was acknowledged
    /// before.
    pub(crate) fn synced(&mut self, job: usize, began: Instant, now: Instant) {
        while let Some((acknowledged, number)) = self.unsynced[job].front().copied() {
            if acknowledged > began {
                break;
            }
            self.unsynced[job].pop_front();
            self.promise(number, now);
        }
    }

    fn promise(&mut self, number: u64, now: Instant) {
        let Some(record) = self.record(number).filter(|record| !record.is_durable) else {
            return;
        };
        record.is_promised = true;
        let bytes = record.bytes;
        self.promised.add(bytes, number, now);
    }

    /// Notes that a flush is sent to a member; it has one at a time.
    pub(crate) fn flush_sent(&mut self, member: usize) {
        let member = &mut self.members[member];
        member.flushes += 1;
        member.flushing = member.flushes;
    }

    /// Notes that the flush of a member has ended.
    pub(crate) fn flush_ended(&mut self, member: usize, now: Instant) {
        let member = &mut self.members[member];
        while let Some((before, group)) = member.waiting.front().copied() {
            if before >= member.flushing {
                break;
            }
            member.waiting.pop_front();
            self.groups[group].pieces -= 1;
            if self.groups[group].pieces == 0 {
                self.ended.push(group);
            }
        }
        self.end_groups(now);
    }

    /// Notes that a member has sectors on its medium that were in its cache.
    pub(crate) fn destaged(&mut self, member: usize, [start, end]: [u64; 2], now: Instant) {
        let held = &mut self.members[member].held;
        let mut place = 0;
        while place < held.len() {
            let (from, to, group) = held[place];
            if to <= start || end <= from {
                place += 1;
                continue;
            }
            if from < start {
                held[place].1 = start;
                if end < to {
                    held.push((end, to, group));
                    self.groups[group].pieces += 1;
                }
                place += 1;
            } else if end < to {
                held[place].0 = end;
                place += 1;
            } else {
                held.swap_remove(place);
                self.groups[group].pieces -= 1;
                if self.groups[group].pieces == 0 {
                    self.ended.push(group);
                }
            }
        }
        self.end_groups(now);
    }

    /// Makes the writes of ended groups durable.
    fn end_groups(&mut self, now: Instant) {
        if self.ended.is_empty() {
            return;
        }
        while let Some(group) = self.ended.pop() {
            let writes = self.groups[group].writes;
            self.groups.remove(group);
            for number in writes.first..writes.end {
                self.becomes_durable(number, now);
            }
        }
        let (first, records) = (self.first, &self.records);
        let is_durable = |number: u64| match number.checked_sub(first) {
            Some(place) => records[index(place)].is_durable,
            None => true,
        };
        self.acknowledged.forget(is_durable);
        self.promised.forget(is_durable);
        self.forget();
    }

    fn becomes_durable(&mut self, number: u64, now: Instant) {
        let Some(record) = self.record(number) else {
            return;
        };
        if std::mem::replace(&mut record.is_durable, true) {
            return;
        }
        let record = *record;
        if record.is_acknowledged {
            self.acknowledged.remove(record.bytes, now);
        }
        if record.is_promised {
            self.promised.remove(record.bytes, now);
        }
    }

    /// Forgets the oldest writes, of which nothing more can happen.
    fn forget(&mut self) {
        while let Some(record) = self.records.front() {
            if !record.is_durable || !record.is_acknowledged {
                return;
            }
            self.records.pop_front();
            self.first += 1;
        }
    }

    fn record(&mut self, number: u64) -> Option<&mut Record> {
        let place = number.checked_sub(self.first)?;
        self.records.get_mut(index(place))
    }

    /// Returns what was at risk from the beginning of the count until `now`.
    pub(crate) fn risk(&self, now: Instant) -> Risk {
        Risk {
            acknowledged: self.acknowledged.volatile(now),
            promised: self.promised.volatile(now),
        }
    }

    /// Returns the volatile bytes and the age of the oldest: acknowledged, and promised.
    #[cfg(test)]
    fn now(&self, now: Instant) -> [(u64, u64); 2] {
        [&self.acknowledged, &self.promised].map(|gauge| (gauge.level, gauge.age(now)))
    }
}

/// Volatile bytes over time, and the age of the oldest.
#[derive(Debug, Clone, Default)]
struct Gauge {
    level: u64,
    /// The writes, in the order in which they came; the first one is volatile.
    queue: VecDeque<(Instant, u64)>,
    /// Since when nothing has changed.
    since: Instant,
    bytes: Weighted,
    ages: Weighted,
    /// Whether anything became durable.
    has_shrunk: bool,
    /// How long anything was volatile.
    volatile_ns: u64,
    /// How long it was counted.
    counted_ns: u64,
}

impl Gauge {
    fn begin(&mut self, now: Instant) {
        self.since = now;
        self.bytes.clear();
        self.ages.clear();
        self.has_shrunk = false;
        (self.volatile_ns, self.counted_ns) = (0, 0);
    }

    fn age(&self, at: Instant) -> u64 {
        let oldest = self.queue.front();
        oldest.map_or(0, |(since, _)| at.since(*since).as_u64())
    }

    /// Counts the time until `now`, in which nothing has changed.
    fn pass(&mut self, now: Instant) {
        let passed = now.since(self.since).as_u64();
        if passed == 0 {
            return;
        }
        self.counted_ns += passed;
        if self.level > 0 {
            self.volatile_ns += passed;
        }
        self.bytes.add(self.level, passed);
        match self.queue.is_empty() {
            true => self.ages.add(0, passed),
            false => self.ages.add_rising(self.age(self.since), passed),
        }
        self.since = now;
    }

    fn add(&mut self, bytes: u64, number: u64, now: Instant) {
        self.pass(now);
        self.level += bytes;
        self.queue.push_back((now, number));
    }

    fn remove(&mut self, bytes: u64, now: Instant) {
        self.pass(now);
        self.level -= bytes;
        self.has_shrunk = true;
    }

    fn forget(&mut self, is_durable: impl Fn(u64) -> bool) {
        while let Some((_, number)) = self.queue.front() {
            if !is_durable(*number) {
                return;
            }
            self.queue.pop_front();
        }
    }

    fn volatile(&self, now: Instant) -> Volatile {
        let mut ended = self.clone();
        ended.pass(now);
        let bytes = |percent| Bytes::new(ended.bytes.quantile(percent));
        let age = |percent| Nanos::new(ended.ages.quantile(percent));
        Volatile {
            bytes_p50: bytes(50),
            bytes_p99: bytes(99),
            bytes_max: Bytes::new(ended.bytes.max),
            age_p50_ns: age(50),
            age_p99_ns: age(99),
            age_max_ns: Nanos::new(ended.ages.max),
            is_unbounded: self.level > 0 && !self.has_shrunk,
            share_ppm: ended.share_ppm(),
        }
    }

    /// Returns the share of the time in which anything was volatile, in millionths, rounded up: what
    /// was ever volatile is not zero. `None` if no time passed.
    fn share_ppm(&self) -> Option<u32> {
        let volatile = u128::from(self.volatile_ns) * u128::from(WHOLE_PPM);
        let share = volatile.div_ceil(u128::from(self.counted_ns).max(1));
        u32::try_from(share).ok().filter(|_| self.counted_ns > 0)
    }
}

/// How long a number had each value, in the bins of latencies.
#[derive(Debug, Clone)]
struct Weighted {
    bins: Vec<u64>,
    total_ns: u64,
    max: u64,
}

impl Default for Weighted {
    fn default() -> Self {
        Self {
            bins: vec![0; BINS],
            total_ns: 0,
            max: 0,
        }
    }
}

impl Weighted {
    fn clear(&mut self) {
        self.bins.fill(0);
        (self.total_ns, self.max) = (0, 0);
    }

    fn add(&mut self, value: u64, ns: u64) {
        self.bins[bin_index(value)] += ns;
        self.total_ns += ns;
        self.max = self.max.max(value);
    }

    /// Adds a value that rises by 1 each ns, from `from` on for `ns`.
    fn add_rising(&mut self, from: u64, ns: u64) {
        let end = from + ns;
        let mut at = from;
        while at < end {
            let bin = bin_index(at);
            let next = match bin + 1 < BINS {
                true => bin_start(bin + 1).clamp(at + 1, end),
                false => end,
            };
            self.bins[bin] += next - at;
            at = next;
        }
        self.total_ns += ns;
        self.max = self.max.max(end);
    }

    /// Returns the value that is not exceeded for this share of the time.
    fn quantile(&self, percent: u64) -> u64 {
        let wanted = u128::from(self.total_ns) * u128::from(percent);
        let mut passed = 0_u128;
        for (bin, ns) in self.bins.iter().enumerate() {
            passed += 100 * u128::from(*ns);
            if passed >= wanted && *ns > 0 {
                return bin_value(bin).min(self.max);
            }
        }
        0
    }
}

#[cfg(test)]
#[path = "durability_tests.rs"]
mod tests;
