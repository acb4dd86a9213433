//! The three reference distributions that tests and intervals need: the fair coin, Student's t, and the normal.
//!
//! Each is computed by an exact finite sum or by a series that converges to full precision; no table, no fit.

use std::f64::consts::{FRAC_2_PI, PI};

use crate::number::count_as_f64;

/// Returns the largest rank `k` with P(X < k) <= `tail`, X counting heads in `tosses` tosses of a fair coin; 0 if none.
///
/// Also returns that probability. Weights are taken relative to the middle of the distribution, so that no count of
/// tosses underflows where it matters. Cost: O(tosses).
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

/// Returns P(|T| <= `t`) for Student's t with `freedom` >= 1 degrees of freedom, `t` >= 0.
///
/// The exact finite sums of Abramowitz and Stegun (1964), 26.7.3 for odd and 26.7.4 for even degrees of freedom.
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

/// Returns the `t` that |T| stays below with probability `level`; Student's t with `freedom` >= 1 degrees of freedom.
///
/// By bisection of [`student_two_sided`], to the last bits.
pub(crate) fn student_quantile(level: f64, freedom: usize) -> f64 {
    let mut high = 1.0;
    while student_two_sided(high, freedom) < level && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if student_two_sided(middle, freedom) < level {
            low = middle
        } else {
            high = middle
        }
    }
    high
}

/// Returns P(|Z| >= `z`) for the standard normal distribution, `z` >= 0; absolute error below 1e-14.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each case is a function's result beside a published value and the place to which that is given.
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
            let name = format!("t at {level} with {freedom}");
            check(&name, student_quantile(level, freedom), published, 0.000_51);
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
    fn the_coin_of_ten_tosses_is_that_of_pascals_triangle() {
        // 1 + 10 of 1024 ways have fewer than two heads; 56 have fewer than three.
        assert_eq!(fair_coin_lower_rank(10, 0.025), (2, 11.0 / 1024.0));
        assert_eq!(fair_coin_lower_rank(10, 0.06), (3, 56.0 / 1024.0));
        assert_eq!(fair_coin_lower_rank(5, 0.025), (0, 0.0));
        assert_eq!(fair_coin_lower_rank(0, 0.025), (0, 0.0));
    }
}
