//! The records of a simulation: counts, bytes, and latencies by bin. Memory does not grow with
//! time.

use stripewise_study::sample::{Latency, Transfer};
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos};

use crate::narrow::index;
use stripewise_study::sample::as_f64;

/// Bins per power of two, as in fio (`FIO_IO_U_PLAT_VAL`).
const BINS_PER_OCTAVE: u64 = 64;
/// fio's `FIO_IO_U_PLAT_BITS`.
const BITS: u32 = 6;
/// Enough octaves for 2^40 ns, which is 18 minutes.
pub(crate) const BINS: usize = 35 * 64;

/// Latencies of one kind, counted in fio's bins.
#[derive(Debug)]
pub(crate) struct Latencies {
    bins: Vec<u32>,
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        Self {
            bins: vec![0; BINS],
            count: 0,
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64) {
        self.bins[bin_index(latency_ns)] += 1;
        self.count += 1;
        self.sum_ns += latency_ns;
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Returns how many latencies were recorded.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn clear(&mut self) {
        self.bins.fill(0);
        (self.count, self.sum_ns) = (0, 0);
        (self.min_ns, self.max_ns) = (u64::MAX, 0);
    }

    /// Returns the counts as the latency of a sample.
    pub(crate) fn latency(&self) -> Latency {
        let bins = self.bins.iter().enumerate();
        let histogram: Histogram = bins
            .filter(|(_, count)| **count > 0)
            .map(|(index, count)| (Nanos::new(bin_value(index)), u64::from(*count)))
            .collect();
        let some = self.count > 0;
        Latency {
            count: self.count,
            mean_ns: some.then(|| as_f64(self.sum_ns) / as_f64(self.count)),
            min_ns: some.then_some(Nanos::new(self.min_ns)),
            max_ns: some.then_some(Nanos::new(self.max_ns)),
            histogram,
            percentiles: Vec::new(),
        }
    }
}

/// Returns the bin of a latency (`plat_val_to_idx`).
#[inline]
pub(crate) fn bin_index(latency_ns: u64) -> usize {
    let most_significant = 63 - (latency_ns | 1).leading_zeros();
    if most_significant <= BITS {
        return index(latency_ns);
    }
    let error_bits = most_significant - BITS;
    let base = u64::from(error_bits + 1) << BITS;
    let offset = (BINS_PER_OCTAVE - 1) & (latency_ns >> error_bits);
    index(base + offset).min(BINS - 1)
}

/// Returns the latency that stands for a bin: its middle (`plat_idx_to_val`).
pub(crate) fn bin_value(index: usize) -> u64 {
    let octave = index as u64 >> BITS;
    match octave {
        0 | 1 => index as u64,
        octave => bin_start(index) + (1 << (octave - 1) >> 1),
    }
}

/// Returns the shortest latency of a bin.
pub(crate) fn bin_start(index: usize) -> u64 {
    let index = index as u64;
    if index < BINS_PER_OCTAVE << 1 {
        return index;
    }
    let error_bits = (index >> BITS) - 1;
    let base = 1 << (error_bits + u64::from(BITS));
    let offset = index % BINS_PER_OCTAVE;
    base + (offset << error_bits)
}

/// The I/O of one direction.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) bytes: u64,
    pub(crate) latencies: Latencies,
}

impl Done {
    pub(crate) fn new() -> Self {
        Self {
            bytes: 0,
            latencies: Latencies::new(),
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, bytes: u64, latency_ns: u64) {
        self.bytes += bytes;
        self.latencies.record(latency_ns);
    }

    pub(crate) fn clear(&mut self) {
        self.bytes = 0;
        self.latencies.clear();
    }

    pub(crate) fn transfer(&self) -> Transfer {
        let latency = self.latencies.latency();
        Transfer {
            ios: latency.count,
            bytes: Bytes::new(self.bytes),
            latency,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bin_stands_for_its_latencies_within_one_in_128(latency_ns in 0_u64..1 << 40) {
            let value = bin_value(bin_index(latency_ns));
            prop_assert!(value.abs_diff(latency_ns) * 128 <= latency_ns.max(128));
        }
    }

    #[test]
    fn the_longest_latencies_share_the_last_bin() {
        assert_eq!(bin_index(u64::MAX), BINS - 1);
    }
}
