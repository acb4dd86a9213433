//! Where the time of an I/O went.

use stripewise_study::sample::{Part, PartTime};
use stripewise_units::Nanos;

use crate::narrow::index;
use stripewise_study::sample::as_f64;

/// The number of parts.
pub(crate) const PARTS: usize = Part::ALL.len();

/// The time of one I/O by part.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts([u64; PARTS]);

impl Parts {
    #[inline]
    pub(crate) fn add(&mut self, part: Part, span: Nanos) {
        self.0[part as usize] += span.as_u64();
    }

    /// Adds `waited`, divided as `others` are, which took `lasted` together.
    pub(crate) fn add_share(&mut self, others: &Parts, waited: Nanos, lasted: Nanos) {
        let (waited, lasted) = (waited.as_u64(), lasted.as_u64().max(1));
        let mut left = waited;
        for (part, other) in self.0.iter_mut().zip(others.0) {
            let share = u128::from(other) * u128::from(waited) / u128::from(lasted);
            let share = u64::try_from(share).unwrap_or(left).min(left);
            *part += share;
            left -= share;
        }
        self.0[Part::DeviceService as usize] += left;
    }
}

/// The latency bins in each power of two, as a power of two.
const BIN_BITS: usize = 5;
/// Latencies below 2^10 ns share the first bins: no I/O is that fast.
const FIRST_OCTAVE: usize = 10;
const BINS: usize = (64 - FIRST_OCTAVE) << BIN_BITS;
/// The sums of a bin: the number of I/Os, then their parts.
const STRIDE: usize = PARTS + 1;

/// Sums of parts by latency bin, so that the slowest I/Os have a breakdown of their own.
#[derive(Debug)]
pub(crate) struct Waterfall {
    sums: Vec<u64>,
    /// The range of bins in use.
    used: std::ops::Range<usize>,
}

impl Waterfall {
    pub(crate) fn new() -> Self {
        Self {
            sums: vec![0; BINS * STRIDE],
            used: 0..0,
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64, parts: &Parts) {
        let bin = bin(latency_ns);
        self.used = match self.used.is_empty() {
            true => bin..bin + 1,
            false => self.used.start.min(bin)..self.used.end.max(bin + 1),
        };
        let sums = &mut self.sums[bin * STRIDE..(bin + 1) * STRIDE];
        sums[0] += 1;
        for (sum, part) in sums[1..].iter_mut().zip(&parts.0) {
            *sum += part;
        }
    }

    pub(crate) fn clear(&mut self) {
        if !self.used.is_empty() {
            self.sums[self.used.start * STRIDE..self.used.end * STRIDE].fill(0);
        }
        self.used = 0..0;
    }

    /// Returns the mean parts of all I/Os.
    pub(crate) fn mean(&self) -> Vec<PartTime> {
        self.mean_of(self.used.clone())
    }

    /// Returns the mean parts of the slowest I/Os: those in the bin of the 99th percentile and
    /// above.
    pub(crate) fn slowest(&self) -> Vec<PartTime> {
        let count = |bin: usize| self.sums[bin * STRIDE];
        let total: u64 = self.used.clone().map(count).sum();
        let rank = total - total / 100;
        let mut seen = 0;
        let first = self.used.clone().find(|&bin| {
            seen += count(bin);
            seen >= rank
        });
        self.mean_of(first.unwrap_or(self.used.end)..self.used.end)
    }

    fn mean_of(&self, bins: std::ops::Range<usize>) -> Vec<PartTime> {
        let mut sums = [0; STRIDE];
        for bin in bins {
            for (sum, more) in sums.iter_mut().zip(&self.sums[bin * STRIDE..]) {
                *sum += more;
            }
        }
        let count = as_f64(sums[0].max(1));
        Part::ALL
            .into_iter()
            .zip(&sums[1..])
            .filter(|(_, sum)| **sum > 0)
            .map(|(part, sum)| PartTime {
                part,
                time_ns: as_f64(*sum) / count,
            })
            .collect()
    }
}

/// Returns the bin of a latency: the leading bit and the next five.
#[inline]
fn bin(latency_ns: u64) -> usize {
    let latency_ns = latency_ns.max(1 << FIRST_OCTAVE);
    let octave = 63 - latency_ns.leading_zeros() as usize;
    let within = index(latency_ns >> (octave - BIN_BITS)) & ((1 << BIN_BITS) - 1);
    ((octave - FIRST_OCTAVE) << BIN_BITS) + within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_latencies_never_fall_into_lower_bins() {
        let mut latest = 0;
        for shift in 0..40 {
            for step in 0..16_u64 {
                let bin = bin((16 + step) << shift);
                assert!(bin >= latest);
                latest = bin;
            }
        }
        assert!(bin(u64::MAX) < BINS);
    }
}
