//! Proportions and medians of events that come in groups: those of one group resemble each other.
//!
//! Crash images of one recording share its load, its timing and its drives' caches. How alike they
//! are is unknown, so each group counts as one event: the most careful assumption.
//!
//! ```text
//! groups   o o o   o o o   o o o   o o o      12 events, worth 4
//! groups   o   o o o o o o   o o              9 events, worth 2: one group outweighs the others
//! ```

use crate::number::{count_as_f64, floor_to_count};
use crate::{Interval, Level, median_ranks, proportion_interval};

/// Returns how many independent events groups of these sizes are worth if all events of a group are
/// alike.
///
/// Kish (1965), "Survey Sampling", 8.2: the squared sum of the sizes over the sum of their squares,
/// here rounded down. That is the number of groups if all have one size, and less if sizes differ.
#[must_use]
pub fn independent_groups(sizes: &[usize]) -> usize {
    let sum: f64 = sizes.iter().copied().map(count_as_f64).sum();
    let squares: f64 = sizes.iter().map(|size| count_as_f64(*size).powi(2)).sum();
    match squares > 0.0 {
        // A sum of squares is exact far beyond any number of events; the division may be short.
        true => floor_to_count(sum * sum / squares + 1e-9),
        false => 0,
    }
}

/// Returns the interval of the probability of an event that was seen `seen` times in groups of
/// these sizes, which count as independent of each other.
///
/// Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of
/// positive counts estimated from survey data": the interval of Clopper and Pearson
/// ([`proportion_interval`]) for the effective number of events, here [`independent_groups`]. They
/// use fractional counts; here the low end takes the next lower whole number and the high end the
/// next higher one. Without groups everything is possible: 0 to 1.
#[must_use]
pub fn grouped_proportion_interval(seen: usize, sizes: &[usize], level: Level) -> Interval {
    let worth = independent_groups(sizes);
    let all: usize = sizes.iter().sum();
    let share = match all {
        0 => 0.0,
        all => count_as_f64(seen.min(all)) / count_as_f64(all),
    };
    // The product of a whole share is whole, but for the last bit.
    let expected = share * count_as_f64(worth);
    let low = floor_to_count(expected + 1e-9);
    let high = floor_to_count((expected - 1e-9).ceil());
    Interval {
        low: proportion_interval(low, worth, level).low,
        high: proportion_interval(high, worth, level).high,
    }
}

/// Returns the places in `count` sorted values, counted from 0, that bound an interval of their
/// median if they are worth `worth` independent ones; `None` if those are too few (below 6 at 95
/// %).
///
/// Woodruff (1952), "Confidence intervals for medians and other position measures": the bounds of
/// the proportion one half, read off the sorted values. The ranks of `worth` independent values
/// ([`median_ranks`]) are stretched over all `count`; the low end takes the first value of its
/// step, the high end the last.
#[must_use]
pub fn grouped_median_places(count: usize, worth: usize, level: Level) -> Option<(usize, usize)> {
    let ranks = median_ranks(worth, level)?;
    let low = (ranks.low - 1).saturating_mul(count) / worth;
    Some((low, count.checked_sub(1 + low)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_one_size_count_as_one_each() {
        assert_eq!(independent_groups(&[]), 0);
        assert_eq!(independent_groups(&[1; 20]), 20);
        assert_eq!(independent_groups(&[7; 20]), 20);
        // (1 + 6 + 2)^2 / (1 + 36 + 4) = 1.98.
        assert_eq!(independent_groups(&[1, 6, 2]), 1);
        assert_eq!(independent_groups(&[3, 0, 3]), 2);
    }

    #[test]
    fn groups_of_one_event_have_the_interval_of_independent_events() {
        for seen in 0..=20 {
            let grouped = grouped_proportion_interval(seen, &[1; 20], Level::P95);
            let plain = proportion_interval(seen, 20, Level::P95);
            assert_eq!(grouped, plain, "{seen}");
        }
    }

    #[test]
    fn events_of_one_group_add_no_certainty() {
        let interval = grouped_proportion_interval(0, &[10; 20], Level::P95);
        assert_eq!(interval, proportion_interval(0, 20, Level::P95));
        // 5 of 200 is half an event of 20: the low end has none, the high end one.
        let interval = grouped_proportion_interval(5, &[10; 20], Level::P95);
        assert_eq!(interval.low.to_bits(), 0.0_f64.to_bits());
        let one = proportion_interval(1, 20, Level::P95);
        assert_eq!(interval.high.to_bits(), one.high.to_bits());
        let none = grouped_proportion_interval(0, &[], Level::P95);
        assert_eq!((none.low, none.high), (0.0, 1.0));
    }

    #[test]
    fn places_of_a_median_are_the_ranks_stretched_over_all_values() {
        // Ranks 6 and 15 of 20.
        assert_eq!(grouped_median_places(20, 20, Level::P95), Some((5, 14)));
        assert_eq!(grouped_median_places(60, 20, Level::P95), Some((15, 44)));
        assert_eq!(grouped_median_places(60, 5, Level::P95), None);
        assert_eq!(grouped_median_places(6, 6, Level::P95), Some((0, 5)));
    }
}
