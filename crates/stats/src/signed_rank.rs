//! The centre of paired differences and its confidence interval, by inversion of Wilcoxon's
//! signed-rank test.
//!
//! If the order of measurement is random, a difference that is due to time alone has either sign
//! with probability one half. All 2^n choices of signs are then equally likely, and the test counts
//! in how many of them the ranks of the positive differences add up to so little. The interval
//! contains every centre that the test does not reject. Its bounds are two of the means of all
//! pairs of differences, sorted (the Walsh averages), so that nothing has to be enumerated:
//!
//! ```text
//! differences      1   2   4             n = 3
//! Walsh averages   1   1.5   2   2.5   3   4        n (n + 1) / 2 = 6; their median, 2.25, is the centre
//! ```

use crate::distribution::signed_rank_lower_rank;
use crate::median::{between_ranks, median_of_sorted};
use crate::number::count_as_f64;
use crate::series::sorted;
use crate::{Estimate, Level, Series};

/// Returns the centre of `differences` with its interval, as if they were `effective_samples`
/// independent ones.
///
/// The centre is the estimate of Hodges and Lehmann (1963), Ann. Math. Stat. 34, 598; the interval
/// is that of Tukey (1949) (Hollander and Wolfe 1999, "Nonparametric Statistical Methods", 3.3):
/// exact up to 60 differences, by the normal approximation beyond, conservative because ranks are
/// whole numbers. Differences worth less move the bounds outwards by the square root of the loss,
/// and no further than the smallest and the largest difference. `None` with fewer differences than
/// the level needs (6 at 95 %). Cost: O(n^2 log n) time and O(n^2) memory.
pub(crate) fn signed_rank_interval(
    differences: &Series,
    effective_samples: f64,
    level: Level,
) -> Estimate {
    let samples = differences.count();
    let averages = walsh_averages(differences.values());
    let rank = signed_rank_lower_rank(samples, level.tail());
    let stretch = (count_as_f64(samples) / effective_samples).sqrt();
    Estimate {
        value: median_of_sorted(&averages),
        interval: (rank >= 1).then(|| between_ranks(&averages, rank, stretch)),
        of_samples: None,
        level,
        samples,
        effective_samples,
    }
}

/// Returns the means of all pairs of values, each value with itself included, from the smallest to
/// the largest.
fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let with_itself_and_later = |(index, &one): (usize, &f64)| {
        let later = values[index..].iter();
        later.map(move |&other| f64::midpoint(one, other))
    };
    let averages: Vec<f64> = values
        .iter()
        .enumerate()
        .flat_map(with_itself_and_later)
        .collect();
    sorted(&averages)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    const SEED: u64 = 12;

    /// Returns whether sign flips reject `centre`, 2.5 % on either side, by enumerating all of
    /// them.
    fn is_rejected(differences: &[f64], centre: f64) -> bool {
        let mut shifted: Vec<f64> = differences.iter().map(|value| value - centre).collect();
        shifted.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
        let rank_sum = |is_positive: &dyn Fn(usize) -> bool| -> usize {
            let positive = (0..shifted.len()).filter(|&index| is_positive(index));
            positive.map(|index| index + 1).sum()
        };
        let found = rank_sum(&|index| shifted[index] > 0.0);
        let flips = 1_usize << shifted.len();
        let (mut as_low, mut as_high) = (0, 0);
        for flip in 0..flips {
            let sum = rank_sum(&|index| flip >> index & 1 == 1);
            as_low += usize::from(sum <= found);
            as_high += usize::from(sum >= found);
        }
        // Of all flips, 2.5 % is one in 40.
        40 * as_low <= flips || 40 * as_high <= flips
    }

    #[test]
    fn the_interval_holds_the_centres_that_no_enumeration_of_sign_flips_rejects() {
        let mut generator = Pcg64Mcg::seed_from_u64(SEED);
        for count in 6..=12 {
            let values: Vec<f64> = (0..count)
                .map(|_| generator.random::<f64>() - 0.3)
                .collect();
            let series = Series::new(values.clone()).unwrap();
            let estimate = signed_rank_interval(&series, count_as_f64(count), Level::P95);
            let interval = estimate.interval.unwrap();
            let averages = walsh_averages(&values);
            // Between two neighbouring averages the test result is constant; outside all of them it
            // rejects.
            let outside = [averages[0] - 1.0, averages[averages.len() - 1] + 1.0];
            let between = averages
                .windows(2)
                .map(|pair| f64::midpoint(pair[0], pair[1]));
            for centre in between.chain(outside) {
                let is_within = interval.contains(centre);
                assert_eq!(
                    is_within,
                    !is_rejected(&values, centre),
                    "seed {SEED}, {values:?} around {centre}"
                );
            }
        }
    }

    #[test]
    fn three_differences_have_a_centre_and_no_interval() {
        let series = Series::new(vec![4.0, 1.0, 2.0]).unwrap();
        let estimate = signed_rank_interval(&series, 3.0, Level::P95);
        assert_eq!(estimate.value, 2.25);
        assert_eq!(estimate.interval, None);
    }

    #[test]
    fn dependent_differences_have_a_wider_interval_but_not_beyond_the_ends() {
        let series = Series::new((1..=20).map(f64::from).collect()).unwrap();
        let width = |worth: f64| {
            let interval = signed_rank_interval(&series, worth, Level::P95).interval;
            interval
                .map(|interval| interval.high - interval.low)
                .unwrap()
        };
        assert!(width(20.0) < width(10.0) && width(10.0) < width(1.0));
        assert_eq!(width(1.0), 19.0);
    }
}
