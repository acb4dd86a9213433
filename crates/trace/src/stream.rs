//! What one kind of I/O does: the reads or writes, sequential or not, of a group in a phase.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stripewise_units::histogram::Histogram;
use stripewise_units::{Nanos, as_f64};

use crate::event::{Marks, ProcessId, TracedIo};
use crate::locality::Locality;
use crate::numbers::{rounded, share};
use crate::tally::Tally;

/// The most sizes that are distinguished; others count as the next power of two.
const SIZES_MAX: usize = 1024;
/// In a closed loop, this share of I/Os begins soon after the end of another one.
const CLOSED_MIN: f64 = 0.8;
/// What is soon, as a part of the mean latency.
const SOON: f64 = 0.3;
/// The most processes that are counted one by one.
const PROCESSES_MAX: usize = 4096;
/// Up to this depth, each is distinguished; a fitted load has at most 1024. Where ends are lost, the
/// depth only grows.
const DEPTH_EXACT_MAX: u64 = 4096;

/// When I/Os begin and end.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The time between the beginnings of two.
    pub gaps: Tally,
    /// How many are under way when one begins, with itself.
    pub depths: Tally,
    /// How many of the same process are under way when one begins, with itself.
    pub own_depths: Tally,
    /// From the end of a process's last one under way to the beginning of its next.
    pub pauses: Tally,
    /// From the end of a process's last one to the beginning of its next, whatever is under way.
    pub after_end: Tally,
    /// How long they took.
    pub latency: Tally,
    processes: FxHashMap<ProcessId, Own>,
    under_way: u64,
    began_last: Option<Nanos>,
    busy_ns: u128,
    under_way_ns: u128,
    changed: Nanos,
}

/// One process of a flow.
#[derive(Debug, Clone, Copy, Default)]
struct Own {
    ios: u64,
    under_way: u64,
    ended_last: Option<Nanos>,
}

impl Default for Flow {
    fn default() -> Self {
        let [gaps, pauses, after_end, latency] = std::array::from_fn(|_| Tally::default());
        let [depths, own_depths] = std::array::from_fn(|_| Tally::exact_to(DEPTH_EXACT_MAX));
        Self {
            gaps,
            depths,
            own_depths,
            pauses,
            after_end,
            latency,
            processes: FxHashMap::default(),
            under_way: 0,
            began_last: None,
            busy_ns: 0,
            under_way_ns: 0,
            changed: Nanos::default(),
        }
    }
}

impl Flow {
    /// Counts an I/O that begins; `in_phase` is its time without what lies between the spans of its
    /// phase, which is no pause.
    pub fn begin(&mut self, at: Nanos, in_phase: Nanos, process: ProcessId) {
        self.pass(at);
        let since = |before: Nanos| at.as_u64().saturating_sub(before.as_u64());
        if let Some(before) = self.began_last.replace(in_phase) {
            let gap = in_phase.as_u64().saturating_sub(before.as_u64());
            self.gaps.add(gap);
        }
        self.under_way += 1;
        self.depths.add(self.under_way);
        if self.processes.len() >= PROCESSES_MAX && !self.processes.contains_key(&process) {
            return;
        }
        let own = self.processes.entry(process).or_default();
        own.ios += 1;
        if let Some(ended) = own.ended_last.filter(|_| own.under_way == 0) {
            self.pauses.add(since(ended));
        }
        if let Some(ended) = own.ended_last {
            self.after_end.add(since(ended));
        }
        own.under_way += 1;
        self.own_depths.add(own.under_way);
    }

    /// Counts an I/O that is done.
    pub fn end(&mut self, at: Nanos, began: Nanos, process: ProcessId) {
        self.pass(at);
        self.under_way = self.under_way.saturating_sub(1);
        if let Some(own) = self.processes.get_mut(&process) {
            own.under_way = own.under_way.saturating_sub(1);
            own.ended_last = Some(at);
        }
        let took = at.as_u64().saturating_sub(began.as_u64());
        self.latency.add(took);
    }

    fn pass(&mut self, now: Nanos) {
        let span = u128::from(now.as_u64().saturating_sub(self.changed.as_u64()));
        if self.under_way > 0 {
            self.busy_ns += span;
            self.under_way_ns += span * u128::from(self.under_way);
        }
        self.changed = self.changed.max(now);
    }

    /// Returns whether the trace has the ends of at least half of the I/Os: where most ends are missing,
    /// the others do not show how many are under way.
    pub fn has_ends(&self) -> bool {
        !self.latency.is_empty() && self.latency.count() >= self.depths.count() / 2
    }

    /// Returns how many are under way on average while any is; `None` if the trace has no ends.
    pub fn mean_depth(&self) -> Option<f64> {
        let ns = |count: u128| as_f64(u64::try_from(count).unwrap_or(u64::MAX));
        (self.has_ends() && self.busy_ns > 0).then(|| ns(self.under_way_ns) / ns(self.busy_ns))
    }

    /// Returns how many processes share the I/Os, as the number that would if all had the same share
    /// (the exponential of the entropy).
    pub fn processes(&self) -> u64 {
        let total: u64 = self.processes.values().map(|own| own.ios).sum();
        let shares = self.processes.values().map(|own| share(own.ios, total));
        let entropy: f64 = shares.map(|part| -part * part.ln()).sum();
        rounded(entropy.exp()).max(1)
    }

    /// Returns the number of a process's I/Os under way up to which nine of ten I/Os begin.
    pub fn usual_depth(&self) -> u64 {
        self.own_depths
            .histogram()
            .quantile(900)
            .map_or(1, |depth| depth.as_u64().max(1))
    }

    /// Returns whether a process never has more than `depth` under way, and begins the next as soon as
    /// one is done (a closed loop), perhaps after a pause if that is one at a time.
    ///
    /// Several may be done at once, so most need not begin at the full depth; but what begins
    /// independently of the ends begins at any time after one.
    pub fn is_closed(&self, depth: u64) -> bool {
        let most = self.own_depths.histogram().quantile(999);
        if most.is_none_or(|most| most.as_u64() > depth) {
            return false;
        }
        let Some((latency, _)) = moments(&self.latency.histogram()) else {
            return false;
        };
        if depth == 1 {
            // Rare I/Os that never meet come one at a time, too: then pauses vary as chance does.
            let pause = moments(&self.pauses.histogram());
            return pause.is_none_or(|(mean, variation)| mean <= latency * 2.0 || variation < 0.25);
        }
        let after_end = self.after_end.histogram();
        let soon = after_end.bins().iter();
        let soon = soon.filter(|(gap, _)| as_f64(gap.as_u64()) <= latency * SOON);
        share(soon.map(|(_, count)| count).sum(), self.after_end.count()) >= CLOSED_MIN
    }
}

/// A stream of I/Os of one kind.
#[derive(Debug, Clone)]
pub struct Stream {
    /// How many there are.
    pub ios: u64,
    /// How many bytes they have together.
    pub bytes: u64,
    /// How many have each size.
    pub sizes: BTreeMap<u64, u64>,
    /// The first byte that one touches.
    pub low: u64,
    /// The end of the last byte that one touches.
    pub high: u64,
    /// How many a process waits for.
    pub syncs: u64,
    /// How many are durable when they are done.
    pub fuas: u64,
    /// How many are a filesystem's metadata.
    pub metadata: u64,
    /// How many are read ahead.
    pub read_ahead: u64,
    /// When they begin and end.
    pub flow: Flow,
    /// Where they go again.
    pub locality: Locality,
}

impl Stream {
    /// Returns an empty one; places of `unit_bytes` are distinguished, at most `places_max` of them.
    pub fn new(unit_bytes: u64, places_max: usize) -> Self {
        Self {
            ios: 0,
            bytes: 0,
            sizes: BTreeMap::new(),
            low: u64::MAX,
            high: 0,
            syncs: 0,
            fuas: 0,
            metadata: 0,
            read_ahead: 0,
            flow: Flow::default(),
            locality: Locality::new(unit_bytes, places_max),
        }
    }

    /// Counts an I/O that begins at this time in its phase.
    pub fn begin(&mut self, io: &TracedIo, in_phase: Nanos) {
        self.count(io.offset_bytes, io.length_bytes, io.marks);
        self.flow.begin(io.at, in_phase, io.process);
    }

    /// Counts an I/O: its place, its size and its marks.
    pub fn count(&mut self, offset_bytes: u64, length_bytes: u64, marks: Marks) {
        let end = offset_bytes.saturating_add(length_bytes);
        (self.low, self.high) = (self.low.min(offset_bytes), self.high.max(end));
        self.ios += 1;
        self.bytes = self.bytes.saturating_add(length_bytes);
        let is_known = self.sizes.len() < SIZES_MAX || self.sizes.contains_key(&length_bytes);
        let size = match is_known {
            true => length_bytes,
            false => rounded_size(length_bytes),
        };
        *self.sizes.entry(size).or_default() += 1;
        for (sum, mark) in self.marked(marks) {
            *sum += u64::from(mark);
        }
    }

    /// Takes back an I/O that was counted here, and belongs to another stream.
    pub fn take_back(&mut self, length_bytes: u64, marks: Marks) {
        self.ios -= 1;
        self.bytes = self.bytes.saturating_sub(length_bytes);
        let sizes = [length_bytes, rounded_size(length_bytes)];
        if let Some(size) = sizes.iter().find(|size| self.sizes.contains_key(size))
            && let Some(count) = self.sizes.get_mut(size)
        {
            *count -= 1;
            if *count == 0 {
                self.sizes.remove(size);
            }
        }
        for (sum, mark) in self.marked(marks) {
            *sum -= u64::from(mark);
        }
    }

    /// Returns the sums of marks, each with whether an I/O has it.
    fn marked(&mut self, marks: Marks) -> [(&mut u64, bool); 4] {
        [
            (&mut self.syncs, marks.is_sync),
            (&mut self.fuas, marks.is_fua),
            (&mut self.metadata, marks.is_metadata),
            (&mut self.read_ahead, marks.is_read_ahead),
        ]
    }
}

/// Returns the size for which a length counts when there are too many sizes.
fn rounded_size(length_bytes: u64) -> u64 {
    length_bytes.checked_next_power_of_two().unwrap_or(1 << 63)
}

/// Returns the mean and the square of the coefficient of variation of a histogram.
pub fn moments(histogram: &Histogram) -> Option<(f64, f64)> {
    let count = as_f64(histogram.count());
    if count < 2.0 {
        return None;
    }
    let sum = |power: i32, about: f64| -> f64 {
        let bins = histogram.bins().iter();
        bins.map(|(value, count)| (as_f64(value.as_u64()) - about).powi(power) * as_f64(*count))
            .sum()
    };
    let mean = sum(1, 0.0) / count;
    (mean > 0.0).then(|| (mean, sum(2, mean) / count / (mean * mean)))
}
