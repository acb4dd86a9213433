//! When the rate of a simulation is known: batch means and their interval.
//!
//! What a memory (a write cache, dirty pages) gained during a recording is as much more than the long
//! run gives: there, what leaves it equals what enters it. So its gain is a control variate whose mean
//! is known to be 0 (Law, "Simulation Modeling and Analysis", 11.4), and where the memory is the limit
//! it explains nearly all of the noise: the members of an array fill and drain theirs by chance.

use stripewise_study::sample::as_f64;

use crate::device::fill_level::FillLevel;

/// Batches kept; when all are full, adjacent ones are merged.
const BATCHES: usize = 32;
/// Student's t at 97.5 % for 15 to 31 degrees of freedom; the largest of them is used.
const T: f64 = 2.131;
/// The part of the noise that may be left where a memory is the limit: a disk that finds more or fewer
/// writes to choose from also empties its cache at another rate, which no gain shows.
const UNEXPLAINED: f64 = 0.1;
/// A memory that gains or loses more than this fraction (1 / 20) of what it receives fills or empties: it is
/// not in its long run, and its gain is not chance.
const GAINED_SHARE: u64 = 20;
/// Batches that differ by less than a ten-millionth of all bytes are equal.
const ROUNDING: f64 = 1e-14;

/// Means over batches of I/Os (Law & Kelton, batch means with doubling).
#[derive(Debug)]
pub(crate) struct Batches {
    full: Vec<Batch>,
    ios_per_batch: u32,
    ios: u32,
    bytes: u64,
    began_ns: u64,
    /// The fill of the memory at the last full batch; `None` without one that is followed.
    level: Option<FillLevel>,
}

/// The sums of a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Batch {
    bytes: u64,
    ns: u64,
    /// What the memory received and what it gained.
    received: u64,
    gained: i64,
}

impl Batch {
    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            ns: self.ns + other.ns,
            received: self.received + other.received,
            gained: self.gained + other.gained,
        }
    }
}

impl Batches {
    /// Clears all batches; the next one begins now.
    pub(crate) fn clear(&mut self, now_ns: u64) {
        self.full.clear();
        self.ios_per_batch = 1;
        (self.ios, self.bytes, self.began_ns) = (0, 0, now_ns);
        self.level = None;
    }

    /// Follows a memory from here on, which holds `level`, or notes its fill after a full batch.
    pub(crate) fn follow(&mut self, level: FillLevel) {
        if let (Some(before), Some(last)) = (self.level, self.full.last_mut()) {
            last.received += level.received.saturating_sub(before.received);
            last.gained += level.holds.cast_signed() - before.holds.cast_signed();
        }
        self.level = Some(level);
    }

    pub(crate) fn new(now_ns: u64) -> Self {
        Self {
            full: Vec::with_capacity(BATCHES),
            ios_per_batch: 1,
            ios: 0,
            bytes: 0,
            began_ns: now_ns,
            level: None,
        }
    }

    /// Adds one I/O; returns whether it completes a batch.
    #[inline]
    pub(crate) fn add(&mut self, bytes: u64, now_ns: u64) -> bool {
        self.ios += 1;
        self.bytes += bytes;
        if self.ios < self.ios_per_batch {
            return false;
        }
        self.full.push(Batch {
            bytes: self.bytes,
            ns: now_ns - self.began_ns,
            ..Batch::default()
        });
        (self.ios, self.bytes, self.began_ns) = (0, 0, now_ns);
        if self.full.len() == BATCHES {
            for index in 0..BATCHES / 2 {
                self.full[index] = self.full[2 * index].and(self.full[2 * index + 1]);
            }
            self.full.truncate(BATCHES / 2);
            self.ios_per_batch *= 2;
        }
        true
    }

    /// Returns how many I/Os are in full batches.
    pub(crate) fn ios(&self) -> u64 {
        self.full.len() as u64 * u64::from(self.ios_per_batch)
    }

    /// Returns the bytes and nanoseconds of all full batches.
    pub(crate) fn sum(&self) -> (u64, u64) {
        let sum = sum(&self.full);
        (sum.bytes, sum.ns)
    }

    /// Returns half of the 95 % interval of the mean rate over that rate; `None` below 16 batches.
    pub(crate) fn relative_half_width(&self) -> Option<f64> {
        self.rate().map(|rate| T * rate.error)
    }

    /// Returns the mean rate in the long run; `None` below 16 batches.
    pub(crate) fn rate(&self) -> Option<Rate> {
        let is_limited = self.is_limited();
        self.is_enough().then(|| Rate::of(&self.full, is_limited))
    }

    /// Returns the rates of the first half and the second; `None` below 16 batches.
    pub(crate) fn halves(&self) -> Option<(Rate, Rate)> {
        let (first, second) = self.full.split_at(self.full.len() / 2);
        let is_limited = self.is_limited();
        let of = |half| Rate::of(half, is_limited);
        self.is_enough().then(|| (of(first), of(second)))
    }

    /// Returns whether the room in the memory limits the rate: the load then writes what leaves the memory
    /// and what it gains, so that little noise is left without the gain.
    pub(crate) fn is_limited(&self) -> bool {
        let all = sum(&self.full);
        let squares = |is_limited| {
            let apart = Rate::apart(&self.full, is_limited);
            apart.map(|apart| apart * apart).sum::<f64>()
        };
        let noise = squares(false);
        let is_noisy = noise > ROUNDING * as_f64(all.bytes) * as_f64(all.bytes);
        let is_level = all.gained.unsigned_abs() * GAINED_SHARE <= all.received;
        let is_followed = all.received > 0 && self.is_enough();
        is_followed && is_level && is_noisy && squares(true) < UNEXPLAINED * noise
    }

    /// Returns the rate of the long run over that of the full batches.
    pub(crate) fn long_run(&self) -> f64 {
        match self.is_limited() {
            true => 1.0 - sum(&self.full).gained_share(),
            false => 1.0,
        }
    }

    fn is_enough(&self) -> bool {
        self.full.len() >= BATCHES / 2
    }
}

impl Batch {
    /// Returns the bytes of the load that are behind the gain of a batch, where `self` is the sum of all:
    /// a memory of a member receives copies and parities, and no reads.
    fn gain(&self, batch: &Batch) -> f64 {
        let gained = as_f64(batch.gained.unsigned_abs());
        let bytes = gained * as_f64(self.bytes) / as_f64(self.received.max(1));
        match batch.gained < 0 {
            true => -bytes,
            false => bytes,
        }
    }

    /// Returns the bytes of a batch; without those that the memory gained where it is the limit.
    fn lasting(&self, batch: &Batch, is_limited: bool) -> f64 {
        match is_limited {
            true => as_f64(batch.bytes) - self.gain(batch),
            false => as_f64(batch.bytes),
        }
    }

    /// Returns what the memory gained over what it received.
    fn gained_share(&self) -> f64 {
        self.gain(self) / as_f64(self.bytes.max(1))
    }
}

/// A mean rate over batches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// Bytes per nanosecond.
    pub(crate) mean: f64,
    /// Its relative standard error.
    pub(crate) error: f64,
}

impl Rate {
    /// Returns the rate of some batches of equally many I/Os: bytes over time, less what the memory
    /// gained where it is the limit, and the error of that ratio. Correlated neighbours carry less
    /// information than independent batches, so the error is widened by their correlation (the first
    /// term of the sum over all lags, as in Law & Kelton).
    fn of(batches: &[Batch], is_limited: bool) -> Self {
        let all = sum(batches);
        let mean = all.lasting(&all, is_limited) / as_f64(all.ns.max(1));
        let count = as_f64(batches.len() as u64);
        let off: f64 = as_f64(all.ns.max(1)) / count;
        let mut squares = 0.0;
        let mut products = 0.0;
        let mut last = 0.0;
        for apart in Self::apart(batches, is_limited) {
            let apart = apart / off;
            squares += apart * apart;
            products += apart * last;
            last = apart;
        }
        let correlation = match squares > 0.0 {
            true => (products / squares).clamp(0.0, 0.8),
            false => 0.0,
        };
        let widening = (1.0 + correlation) / (1.0 - correlation);
        let variance = squares / (count - 1.0).max(1.0) / count * widening;
        Self {
            mean,
            error: libm::sqrt(variance) / mean.max(f64::MIN_POSITIVE),
        }
    }

    /// Returns by how many bytes each batch differs from the mean rate.
    fn apart(batches: &[Batch], is_limited: bool) -> impl Iterator<Item = f64> {
        let all = sum(batches);
        let mean = all.lasting(&all, is_limited) / as_f64(all.ns.max(1));
        let of = move |batch: &Batch| all.lasting(batch, is_limited) - mean * as_f64(batch.ns);
        batches.iter().map(of)
    }
}

fn sum(batches: &[Batch]) -> Batch {
    batches
        .iter()
        .fold(Batch::default(), |sum, batch| sum.and(*batch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, Stream};

    #[test]
    fn equal_batches_have_no_width() {
        let mut batches = Batches::new(0);
        for io in 1..=1000 {
            batches.add(4096, io * 100);
        }
        assert!(
            batches
                .relative_half_width()
                .is_some_and(|width| width < 1e-9)
        );
    }

    #[test]
    fn few_batches_give_no_interval() {
        let mut batches = Batches::new(0);
        for io in 1..=15 {
            batches.add(4096, io * 100);
        }
        assert_eq!(batches.relative_half_width(), None);
    }

    #[test]
    fn the_interval_covers_the_true_mean_about_19_times_in_20() {
        let mut covered = 0;
        for seed in 0..400 {
            let mut stream = Stream::child(seed, Component::Platter);
            let (mut batches, mut now) = (Batches::new(0), 0);
            for _ in 0..4000 {
                now += 50 + stream.below(101);
                batches.add(100, now);
            }
            let half = batches.relative_half_width().expect("enough batches");
            let total = batches.sum();
            let error = (as_f64(total.0) / as_f64(total.1) - 1.0).abs();
            covered += u32::from(error <= half);
        }
        assert!((364..=396).contains(&covered), "{covered} of 400");
    }

    /// Writes that wait for room in a memory that drains evenly: the load writes what leaves it, and
    /// what it gains.
    fn limited(seed: u64, ios: u64) -> Batches {
        let mut stream = Stream::child(seed, Component::Platter);
        let (mut batches, mut now, mut level) = (Batches::new(0), 0, FillLevel::default());
        level.holds = 1 << 20;
        batches.follow(level);
        for _ in 0..ios {
            // Now and then it stands emptier for a while.
            let gained = stream.below(201).cast_signed() - 100;
            now += 1000_u64.saturating_add_signed(-gained);
            level.holds = level.holds.saturating_add_signed(gained);
            level.received += 1000;
            if batches.add(1000, now) {
                batches.follow(level);
            }
        }
        batches
    }

    #[test]
    fn what_a_memory_gained_is_no_noise_where_it_is_the_limit() {
        for seed in 0..20 {
            let batches = limited(seed, 4000);
            let (bytes, ns) = batches.sum();
            let plain = as_f64(bytes) / as_f64(ns);
            let rate = batches.rate().expect("enough batches");
            assert!((rate.mean - 1.0).abs() < 1e-4, "{rate:?}, {plain} without");
            assert!((plain * batches.long_run() - rate.mean).abs() < 1e-9);
            assert!(rate.error < 1e-4, "{rate:?}");
        }
    }

    #[test]
    fn a_memory_that_fills_and_empties_beside_the_rate_is_no_limit() {
        for seed in 0..20 {
            let mut stream = Stream::child(seed, Component::Platter);
            let (mut batches, mut now, mut level) = (Batches::new(0), 0, FillLevel::default());
            batches.follow(level);
            for _ in 0..4000 {
                now += 50 + stream.below(101);
                level.holds = stream.below(50);
                level.received += 100;
                if batches.add(100, now) {
                    batches.follow(level);
                }
            }
            assert!(!batches.is_limited());
        }
    }

    /// The failure: a sample that was cut short while a cache filled had the rate at which the cache drained
    /// beside the latencies of its filling.
    #[test]
    fn what_a_memory_gains_while_it_fills_is_not_taken_out() {
        let mut stream = Stream::child(1, Component::Platter);
        let (mut batches, mut now, mut level) = (Batches::new(0), 0, FillLevel::default());
        batches.follow(level);
        for _ in 0..4000 {
            // Half of what comes in drains, always.
            let ns = 50 + stream.below(101);
            now += ns;
            level.received += 100;
            level.holds = level.received - now / 2;
            if batches.add(100, now) {
                batches.follow(level);
            }
        }
        assert!((batches.long_run() - 1.0).abs() < f64::EPSILON);
    }
}
