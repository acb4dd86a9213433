//! Counts of times and depths, as fio bins them: within 1/128, each counted in one step.
//!
//! A [`Histogram`] is searched for each entry. Here, a value below 128 is a bin of its own, and of each
//! power of two above there are 64 bins, so that the bin follows from the value. Only pages of 64 bins
//! that have an entry take memory.

use stripewise_units::Nanos;
use stripewise_units::histogram::Histogram;

use crate::numbers::index;

/// The bins of a page.
const PAGE: usize = 64;
/// Values below this are counted exactly: two pages of them.
const EXACT: u64 = 2 * PAGE as u64;

/// Counts of values.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Values that are counted exactly, however large they are; for depths.
    exact: Vec<u64>,
    /// The largest of them, if any are.
    exact_max: u64,
    pages: Vec<Option<Box<[u64; PAGE]>>>,
    count: u64,
}

impl Tally {
    /// Returns an empty one that tells all values up to `exact_max` apart.
    pub fn exact_to(exact_max: u64) -> Self {
        Self {
            exact_max,
            ..Self::default()
        }
    }

    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.count += 1;
        if value <= self.exact_max {
            let place = index(value);
            if self.exact.len() <= place {
                self.exact.resize(place + 1, 0);
            }
            self.exact[place] += 1;
            return;
        }
        let (page, bin) = place_of(value);
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE]));
        page[bin] += 1;
    }

    /// Returns how many values were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether none was counted.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the counts as a histogram, each bin by its lowest value.
    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        for (value, count) in (0_u64..).zip(&self.exact) {
            histogram.add(Nanos::new(value), *count);
        }
        for (page, bins) in self.pages.iter().enumerate() {
            for (bin, count) in bins.iter().flat_map(|bins| bins.iter().enumerate()) {
                histogram.add(Nanos::new(value_of(page, bin)), *count);
            }
        }
        histogram
    }
}

/// Returns the page and the bin of a value.
#[inline]
fn place_of(value: u64) -> (usize, usize) {
    if value < EXACT {
        return (index(value) / PAGE, index(value) % PAGE);
    }
    // The first seven bits: 64 to 127.
    let shift = 57 - value.leading_zeros();
    let bits = index(value >> shift);
    (index(u64::from(shift)) + 1, bits - PAGE)
}

/// Returns the lowest value of a bin.
fn value_of(page: usize, bin: usize) -> u64 {
    match page {
        0 | 1 => (page * PAGE + bin) as u64,
        _ => ((PAGE + bin) as u64) << (page - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bin_begins_at_its_lowest_value_and_is_within_one_in_64() {
        let mut values: Vec<u64> = (0..2000).collect();
        values.extend((0..64).flat_map(|power| {
            let power: u64 = 1 << power;
            [power - 1, power, power + 1, power | power >> 3]
        }));
        values.push(u64::MAX);
        for value in values {
            let (page, bin) = place_of(value);
            let lowest = value_of(page, bin);
            assert!(lowest <= value && value - lowest <= lowest / 64, "{value}");
            assert_eq!(place_of(lowest), (page, bin), "{value}");
        }
    }

    #[test]
    fn depths_are_exact_and_counted() {
        let mut tally = Tally::exact_to(4096);
        for value in [1, 4095, 4095, 4096, 4097, 4098] {
            tally.add(value);
        }
        let histogram = tally.histogram();
        let bins: Vec<(u64, u64)> = histogram
            .bins()
            .iter()
            .map(|(value, count)| (value.as_u64(), *count))
            .collect();
        assert_eq!(bins, [(1, 1), (4095, 2), (4096, 3)]);
        assert_eq!((tally.count(), histogram.count()), (6, 6));
        assert!(Tally::default().is_empty() && !tally.is_empty());
    }
}
