//! Where the time of an I/O went.

use stripewise_study::sample::{Part, PartTime};
use stripewise_study::units::Nanos;

/// How many parts there are.
pub(crate) const PARTS: usize = Part::ALL.len();

/// The time of one I/O by part.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts([u64; PARTS]);

impl Parts {
    #[inline]
    pub(crate) fn add(&mut self, part: Part, span: Nanos) {
        self.0[part as usize] += span.as_u64();
    }

    #[inline]
    fn add_all(&mut self, other: &Parts) {
        for (sum, part) in self.0.iter_mut().zip(&other.0) {
            *sum += part;
        }
    }
}

/// Bins per power of two of the latencies by which parts are summed.
const BINS_PER_OCTAVE: usize = 4;
const BINS: usize = 64 * BINS_PER_OCTAVE;

/// Sums of parts by latency, so that the tail has a waterfall of its own.
#[derive(Debug)]
pub(crate) struct Waterfall {
    bins: Vec<(u64, Parts)>,
}

impl Waterfall {
    pub(crate) fn new() -> Self {
        Self {
            bins: vec![(0, Parts::default()); BINS],
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64, parts: &Parts) {
        let (count, sums) = &mut self.bins[bin(latency_ns)];
        *count += 1;
        sums.add_all(parts);
    }

    pub(crate) fn clear(&mut self) {
        self.bins.fill((0, Parts::default()));
    }

    /// Returns the mean parts of all I/Os.
    pub(crate) fn mean(&self) -> Vec<PartTime> {
        mean_of(&self.bins)
    }

    /// Returns the mean parts of the slowest I/Os: those in the bin of the 99th percentile and above.
    pub(crate) fn slowest(&self) -> Vec<PartTime> {
        let total: u64 = self.bins.iter().map(|bin| bin.0).sum();
        let rank = total - total / 100;
        let mut seen = 0;
        let first = self.bins.iter().position(|bin| {
            seen += bin.0;
            seen >= rank
        });
        mean_of(&self.bins[first.unwrap_or(0)..])
    }
}

fn mean_of(bins: &[(u64, Parts)]) -> Vec<PartTime> {
    let mut count = 0;
    let mut sums = Parts::default();
    for (entries, parts) in bins {
        count += entries;
        sums.add_all(parts);
    }
    let mean = |sum: u64| crate::steady::as_f64(sum) / crate::steady::as_f64(count.max(1));
    Part::ALL
        .into_iter()
        .zip(sums.0)
        .filter(|(_, sum)| *sum > 0)
        .map(|(part, sum)| PartTime {
            part,
            time_ns: mean(sum),
        })
        .collect()
}

#[inline]
fn bin(latency_ns: u64) -> usize {
    let octave = 63 - (latency_ns | 4).leading_zeros() as usize;
    let quarter = (latency_ns >> (octave - 2)) as usize & 3;
    octave * BINS_PER_OCTAVE + quarter
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
