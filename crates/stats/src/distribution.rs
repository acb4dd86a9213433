//! The reference distributions that tests and intervals need: the fair coin, signed ranks,
//! Student's t, the normal.
//!
//! Each is computed by an exact finite sum or by a series that converges to full precision; no
//! table, no fit.

use std::f64::consts::{FRAC_2_PI, PI};

use crate::number::{count_as_f64, floor_to_count};

/// Returns the largest rank `k` with P(X < k) <= `tail`, X counting heads in `tosses` tosses of a
/// fair coin; 0 if none.
///
/// Also returns that probability. Weights are taken relative to the middle of the distribution, so
/// that no count of tosses underflows where it matters. Cost: O(tosses).
pub(crate) fn fair_coin_lower_rank(tosses: usize, tail: f64) -> (usize, f64) {
    let middle = tosses / 2;
    let mut weights = vec![1.0; middle + 1];
    for heads in (0..middle).rev() {
        // C(n, k) = C(n, k + 1) * (k + 1) / (n - k).
        weights[heads] =
            weights[heads + 1] * count_as_f64(heads + 1) / count_as_f64(tosses - heads);
    }
    let below_middle: f64 = weights[..middle].iter().sum();
    // An odd number of tosses has two middles of equal weight, an even one has one.
    let total = 2.0 * below_middle + if tosses.is_multiple_of(2) { 1.0 } else { 2.0 };
    let mut below = 0.0;
    for (rank, weight) in weights.iter().enumerate() {
        let next = below + weight / total;
        if next > tail {
            return (rank, below);
        }
        below = next;
    }
    (middle + 1, below)
}

/// Up to this many differences the signed-rank distribution is counted; beyond, the normal
/// approximation is as good.
const SIGNED_RANK_EXACT_MAX: usize = 60;

/// Returns the largest `k` with P(W < k) <= `tail`, W being the sum of the ranks 1 to `count` that
/// a fair coin picks; 0 if none.
///
/// Cost: O(count^3) up to 60; constant beyond, by the normal approximation with correction for
/// continuity, which gives the same `k` at 61 to 100 or one that differs by 1.
pub(crate) fn signed_rank_lower_rank(count: usize, tail: f64) -> usize {
    let ranks_sum = count * (count + 1) / 2;
    if count > SIGNED_RANK_EXACT_MAX {
        let size = count_as_f64(count);
        let deviation = (size * (size + 1.0) * (2.0 * size + 1.0) / 24.0).sqrt();
        let middle = count_as_f64(ranks_sum) / 2.0;
        return floor_to_count(middle + 0.5 - normal_quantile(tail) * deviation);
    }
    // The probability of each sum, one rank more at a time: it is picked or not.
    let mut probabilities = vec![0.0; ranks_sum + 1];
    probabilities[0] = 1.0;
    for rank in 1..=count {
        for sum in (0..=ranks_sum).rev() {
            let picked = sum
                .checked_sub(rank)
                .map_or(0.0, |rest| probabilities[rest]);
            probabilities[sum] = f64::midpoint(probabilities[sum], picked);
        }
    }
    let mut below = 0.0;
    let is_above_tail = |probability: &f64| {
        below += probability;
        below > tail
    };
    probabilities.iter().position(is_above_tail).unwrap_or(0)
}

/// Returns P(|T| <= `t`) for Student's t with `freedom` >= 1 degrees of freedom, `t` >= 0.
///
/// The exact finite sums of Abramowitz and Stegun (1964), 26.7.3 for odd and 26.7.4 for even
/// degrees of freedom.
pub(crate) fn student_two_sided(t: f64, freedom: usize) -> f64 {
    let angle = (t / count_as_f64(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // Terms cos^k with k of the parity of `freedom`, up to cos^(freedom - 2).
    let first_power = if freedom % 2 == 1 { 1 } else { 0 };
    let mut term = if first_power == 1 { cosine } else { 1.0 };
    let mut sum = 0.0;
    let mut power = first_power;
    while power + 2 <= freedom {
        sum += term;
        term *= cosine * cosine * count_as_f64(power + 1) / count_as_f64(power + 2);
        power += 2;
    }
    if first_power == 1 {
        FRAC_2_PI * (angle + sine * sum)
    } else {
        sine * sum
    }
}

/// Returns P(|Z| >= `z`) for the standard normal distribution, `z` >= 0; absolute error below
/// 1e-14.
///
/// Series of Marsaglia (2004), "Evaluating the normal distribution", J. Stat. Soft. 11(4).
pub(crate) fn normal_two_sided_tail(z: f64) -> f64 {
    if z > 8.0 {
        return 0.0; // Below 1.3e-15, under the precision promised.
    }
    let mut term = z;
    let mut sum = z;
    let mut odd = 1.0;
    while term > sum * 1e-17 {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    (1.0 - 2.0 * sum * (-z * z / 2.0).exp() / (2.0 * PI).sqrt()).max(0.0)
}

/// Returns the `z` that a standard normal number exceeds with probability `tail`, at most one half;
/// by bisection.
fn normal_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_two_sided_tail(middle) > 2.0 * tail {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each case is a function's result beside a published value and the place to which that is
    /// given.
    fn check(name: &str, found: f64, published: f64, tolerance: f64) {
        assert!(
            (found - published).abs() <= tolerance,
            "{name}: {found}, published {published}"
        );
    }

    #[test]
    fn student_quantiles_are_those_of_the_tables() {
        let table = [
            (0.99, 1, 63.657),
            (0.99, 2, 9.925),
            (0.99, 5, 4.032),
            (0.99, 10, 3.169),
            (0.99, 30, 2.750),
            (0.95, 1, 12.706),
            (0.95, 4, 2.776),
            (0.95, 5, 2.571),
            (0.95, 11, 2.201),
            (0.95, 120, 1.980),
        ];
        for (level, freedom, published) in table {
            // The tables round to 3 places: the level lies between those of the ends of what rounds
            // to this.
            let [below, above] = [-0.000_51, 0.000_51].map(|off| published + off);
            assert!(
                student_two_sided(below, freedom) < level,
                "{level}, {freedom}"
            );
            assert!(
                student_two_sided(above, freedom) > level,
                "{level}, {freedom}"
            );
        }
    }

    #[test]
    fn student_with_one_and_two_degrees_of_freedom_has_closed_forms() {
        for t in [0.0_f64, 0.1, 1.0, 7.0, 1e6] {
            check("one", student_two_sided(t, 1), FRAC_2_PI * t.atan(), 1e-14);
            check(
                "two",
                student_two_sided(t, 2),
                t / (2.0 + t * t).sqrt(),
                1e-14,
            );
        }
    }

    #[test]
    fn normal_tails_are_those_of_the_tables() {
        let table = [
            (0.0, 1.0),
            (1.0, 0.317_310_507_863),
            (1.959_963_984_540, 0.05),
            (2.575_829_303_549, 0.01),
            (3.290_526_731_492, 0.001),
            (5.0, 5.733_031e-7),
            (8.0, 1.3e-15),
            (9.0, 0.0),
            (1e300, 0.0),
        ];
        for (z, published) in table {
            check(
                &format!("z = {z}"),
                normal_two_sided_tail(z),
                published,
                1e-12,
            );
        }
    }

    #[test]
    fn signed_ranks_are_those_of_the_tables() {
        // Two-sided 5 % and 1 %: one more than the critical value of Hollander and Wolfe's table
        // A.4; 0 is "none".
        let at_5 = [
            (5, 0),
            (6, 1),
            (7, 3),
            (8, 4),
            (9, 6),
            (10, 9),
            (12, 14),
            (20, 53),
            (30, 138),
        ];
        for (count, expected) in at_5 {
            assert_eq!(signed_rank_lower_rank(count, 0.025), expected, "{count}");
        }
        for (count, expected) in [(7, 0), (8, 1), (10, 4), (12, 8), (20, 38), (30, 110)] {
            assert_eq!(signed_rank_lower_rank(count, 0.005), expected, "{count}");
        }
        assert_eq!(signed_rank_lower_rank(0, 0.025), 0);
    }

    #[test]
    fn beyond_sixty_differences_the_approximation_takes_over_without_a_jump() {
        // Counted exactly (the loop above without its bound): 673 at 61, 1956 at 100.
        for (count, exact) in [(61, 673), (100, 1956)] {
            let found = signed_rank_lower_rank(count, 0.025);
            assert!(
                found.abs_diff(exact) <= 1,
                "{count}: {found}, exactly {exact}"
            );
        }
    }

    #[test]
    fn the_coin_of_ten_tosses_is_that_of_pascals_triangle() {
        // 1 + 10 of 1024 ways have fewer than two heads; 56 have fewer than three.
        assert_eq!(fair_coin_lower_rank(10, 0.025), (2, 11.0 / 1024.0));
        assert_eq!(fair_coin_lower_rank(10, 0.06), (3, 56.0 / 1024.0));
        assert_eq!(fair_coin_lower_rank(5, 0.025), (0, 0.0));
        assert_eq!(fair_coin_lower_rank(0, 0.025), (0, 0.0));
    }
}
