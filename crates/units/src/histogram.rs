//! Latencies as counts per bin, merged exactly.
//!
//! A histogram is a sorted list of (latency in ns, count). The bins are fio's: 64 per power of two
//! (`plat_idx_to_val` in fio's `stat.c`), so a value is within 1/128 of the truth, and all samples
//! share the same bins. Percentiles are never averaged: counts are added, and the quantile is read
//! from the sum.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// Counts of latencies by bin. Mergeable; memory is bounded by the number of bins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(into = "Vec<(Nanos, u64)>")]
pub struct Histogram {
    /// Sorted by latency, each latency once, no count of zero.
    bins: Vec<(Nanos, u64)>,
}

impl Histogram {
    /// The maximum number of bins: 64 for the values below 64, and 64 for each power of two from
    /// there to 2^63. fio stops at 2^33 ns and has 1856 (`FIO_IO_U_PLAT_NR` in `stat.h`).
    pub const BINS_MAX: usize = 64 * (64 - 6 + 1);

    /// Returns a histogram without entries.
    pub const fn new() -> Self {
        Self { bins: Vec::new() }
    }

    /// Adds `count` entries at `latency`. Saturates at 2^64 entries in a bin.
    pub fn add(&mut self, latency: Nanos, count: u64) {
        if count == 0 {
            return;
        }
        match self.bins.binary_search_by_key(&latency, |bin| bin.0) {
            Ok(index) => self.bins[index].1 = self.bins[index].1.saturating_add(count),
            Err(index) => self.bins.insert(index, (latency, count)),
        }
    }

    /// Adds all entries of `other`. Cost: linear in the bins of both.
    pub fn merge(&mut self, other: &Histogram) {
        let mut merged = Vec::with_capacity(self.bins.len() + other.bins.len());
        let (mut left, mut right) = (self.bins.iter().peekable(), other.bins.iter().peekable());
        while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
            merged.push(match one.0.cmp(&two.0) {
                Ordering::Less => **one,
                Ordering::Greater => **two,
                Ordering::Equal => (one.0, one.1.saturating_add(two.1)),
            });
            let order = one.0.cmp(&two.0);
            if order.is_le() {
                left.next();
            }
            if order.is_ge() {
                right.next();
            }
        }
        merged.extend(left);
        merged.extend(right);
        self.bins = merged;
    }

    /// Returns the number of entries.
    pub fn count(&self) -> u64 {
        self.bins
            .iter()
            .fold(0, |sum, bin| sum.saturating_add(bin.1))
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    /// Returns the bins in order of latency.
    pub fn bins(&self) -> &[(Nanos, u64)] {
        &self.bins
    }

    /// Returns the latency below or at which `per_mille` of 1000 entries lie, as fio reports it.
    ///
    /// Nearest-rank definition (Hyndman & Fan 1996, type 1), so the result is always a bin with
    /// entries. `None` if the histogram is empty. `per_mille` above 1000 counts as 1000.
    pub fn quantile(&self, per_mille: u16) -> Option<Nanos> {
        self.quantile_in(u64::from(per_mille), 1000)
    }

    /// Returns the latency below or at which `part` in `of` entries lie; see [`Self::quantile`].
    ///
    /// A `part` above `of` counts as `of`. `None` if `of` is 0.
    pub fn quantile_in(&self, part: u64, of: u64) -> Option<Nanos> {
        let count = u128::from(self.count());
        let of = (of > 0).then_some(u128::from(of))?;
        let rank = (count * u128::from(part).min(of)).div_ceil(of).max(1);
        let mut seen = 0;
        for &(latency, entries) in &self.bins {
            seen += u128::from(entries);
            if seen >= rank {
                return Some(latency);
            }
        }
        None
    }
}

impl From<Vec<(Nanos, u64)>> for Histogram {
    /// Builds a histogram from bins in any order; counts of equal latencies are added.
    fn from(mut bins: Vec<(Nanos, u64)>) -> Self {
        bins.retain(|bin| bin.1 > 0);
        bins.sort_unstable();
        bins.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(later.1);
            }
            same
        });
        Self { bins }
    }
}

impl<'de> Deserialize<'de> for Histogram {
    /// Reads pairs of latency and count in any order, at most [`Histogram::BINS_MAX`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bins;

        impl<'de> Visitor<'de> for Bins {
            type Value = Histogram;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of pairs of latency and count")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Histogram, A::Error> {
                let mut bins: Vec<(Nanos, u64)> = Vec::new();
                while let Some(bin) = list.next_element()? {
                    if bins.len() == Histogram::BINS_MAX {
                        return Err(A::Error::custom(format_args!(
                            "a histogram has more than {} bins",
                            Histogram::BINS_MAX
                        )));
                    }
                    bins.push(bin);
                }
                bins.shrink_to_fit();
                Ok(Histogram::from(bins))
            }
        }

        deserializer.deserialize_seq(Bins)
    }
}

impl From<Histogram> for Vec<(Nanos, u64)> {
    fn from(histogram: Histogram) -> Self {
        histogram.bins
    }
}

impl FromIterator<(Nanos, u64)> for Histogram {
    fn from_iter<I: IntoIterator<Item = (Nanos, u64)>>(bins: I) -> Self {
        Self::from(bins.into_iter().collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A slow oracle of the quantile: write every entry out, sort, take the nearest rank.
    fn oracle(entries: &[u64], per_mille: u16) -> Option<Nanos> {
        let mut sorted = entries.to_vec();
        sorted.sort_unstable();
        let rank = (sorted.len() * usize::from(per_mille))
            .div_ceil(1000)
            .max(1);
        sorted.get(rank - 1).copied().map(Nanos::new)
    }

    #[test]
    fn a_histogram_with_a_bin_too_many_is_refused() {
        let text = |bins: u64| {
            let bins: Vec<(u64, u64)> = (0..bins).map(|bin| (bin, 1)).collect();
            serde_json::to_string(&bins).unwrap()
        };
        let read = |bins| serde_json::from_str::<Histogram>(&text(bins));
        assert_eq!(read(3776).unwrap().bins().len(), Histogram::BINS_MAX);
        let refused = read(3777).unwrap_err().to_string();
        assert!(
            refused.starts_with("a histogram has more than 3776 bins"),
            "{refused}"
        );
    }

    #[test]
    fn an_empty_histogram_has_no_quantile() {
        assert_eq!(Histogram::new().quantile(500), None);
    }

    proptest! {
        #[test]
        fn quantiles_match_the_oracle(
            entries in prop::collection::vec(0_u64..50, 1..200),
            per_mille in 0_u16..=1000,
        ) {
            let histogram: Histogram = entries.iter().map(|&ns| (Nanos::new(ns), 1)).collect();
            let expected = oracle(&entries, per_mille);
            prop_assert_eq!(histogram.quantile(per_mille), expected);
            prop_assert_eq!(histogram.quantile_in(u64::from(per_mille) * 10, 10_000), expected);
            prop_assert_eq!(histogram.quantile_in(7, 0), None);
        }

        #[test]
        fn merging_is_the_histogram_of_both_lists(
            left in prop::collection::vec(0_u64..50, 0..100),
            right in prop::collection::vec(0_u64..50, 0..100),
        ) {
            let of = |list: &[u64]| list.iter().map(|&ns| (Nanos::new(ns), 1)).collect::<Histogram>();
            let mut merged = of(&left);
            merged.merge(&of(&right));
            let both: Vec<u64> = left.into_iter().chain(right).collect();
            prop_assert_eq!(merged, of(&both));
        }
    }
}
