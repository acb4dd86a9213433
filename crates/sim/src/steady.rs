//! When the rate of a simulation is known: batch means and their interval.

use stripewise_study::sample::as_f64;

/// Batches kept; when all are full, adjacent ones are merged.
const BATCHES: usize = 32;
/// Student's t at 97.5 % for 15 to 31 degrees of freedom; the largest of them is used.
const T: f64 = 2.131;

/// Means over batches of I/Os (Law & Kelton, batch means with doubling).
#[derive(Debug)]
pub(crate) struct Batches {
    /// Bytes and nanoseconds of each full batch.
    full: Vec<(u64, u64)>,
    ios_per_batch: u32,
    ios: u32,
    bytes: u64,
    began_ns: u64,
}

impl Batches {
    /// Clears all batches; the next one begins now.
    pub(crate) fn clear(&mut self, now_ns: u64) {
        self.full.clear();
        self.ios_per_batch = 1;
        (self.ios, self.bytes, self.began_ns) = (0, 0, now_ns);
    }

    pub(crate) fn new(now_ns: u64) -> Self {
        Self {
            full: Vec::with_capacity(BATCHES),
            ios_per_batch: 1,
            ios: 0,
            bytes: 0,
            began_ns: now_ns,
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
        self.full.push((self.bytes, now_ns - self.began_ns));
        (self.ios, self.bytes, self.began_ns) = (0, 0, now_ns);
        if self.full.len() == BATCHES {
            for index in 0..BATCHES / 2 {
                let (left, right) = (self.full[2 * index], self.full[2 * index + 1]);
                self.full[index] = (left.0 + right.0, left.1 + right.1);
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
        sum(&self.full)
    }

    /// Returns half of the 95 % interval of the mean rate over that rate; `None` below 16 batches.
    pub(crate) fn relative_half_width(&self) -> Option<f64> {
        self.rate().map(|rate| T * rate.error)
    }

    /// Returns the mean rate; `None` below 16 batches.
    pub(crate) fn rate(&self) -> Option<Rate> {
        (self.full.len() >= BATCHES / 2).then(|| Rate::of(&self.full))
    }

    /// Returns the rates of the first half and the second; `None` below 16 batches.
    pub(crate) fn halves(&self) -> Option<(Rate, Rate)> {
        let (first, second) = self.full.split_at(self.full.len() / 2);
        (self.full.len() >= BATCHES / 2).then(|| (Rate::of(first), Rate::of(second)))
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
    /// Returns the rate of some batches of equally many I/Os: bytes over time, and the error of
    /// that ratio. Correlated neighbours carry less information than independent batches, so the
    /// error is widened by their correlation (the first term of the sum over all lags, as in Law &
    /// Kelton).
    fn of(batches: &[(u64, u64)]) -> Self {
        let (bytes, ns) = sum(batches);
        let mean = as_f64(bytes) / as_f64(ns.max(1));
        let count = as_f64(batches.len() as u64);
        let off: f64 = as_f64(ns.max(1)) / count;
        let mut squares = 0.0;
        let mut products = 0.0;
        let mut last = 0.0;
        for &(bytes, ns) in batches {
            let apart = (as_f64(bytes) - mean * as_f64(ns)) / off;
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
}

fn sum(batches: &[(u64, u64)]) -> (u64, u64) {
    let add = |sum: (u64, u64), batch: &(u64, u64)| (sum.0 + batch.0, sum.1 + batch.1);
    batches.iter().fold((0, 0), add)
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
            let total: (u64, u64) = batches
                .full
                .iter()
                .fold((0, 0), |sum, batch| (sum.0 + batch.0, sum.1 + batch.1));
            let error = (as_f64(total.0) / as_f64(total.1) - 1.0).abs();
            covered += u32::from(error <= half);
        }
        assert!((364..=396).contains(&covered), "{covered} of 400");
    }
}
