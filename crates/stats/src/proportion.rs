//! The interval of a proportion: how often something happens, from how often it was seen.

use crate::number::count_as_f64;
use crate::{Interval, Level};

/// Halvings of an interval of width 1 until neighbouring numbers are left.
const HALVINGS: u32 = 60;

/// Returns the interval of the probability of an event that was seen `seen` times in `tries`
/// independent tries.
///
/// Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of
/// the binomial": the probabilities for which neither tail of the binomial distribution beyond
/// `seen` is below half of what the level leaves. It covers at least as often as the level says.
/// Never seen in 20 tries still allows 17 %. Without tries everything is possible: 0 to 1.
///
/// Cost: O(tries).
///
/// `seen` above `tries` counts as `tries`.
#[must_use]
pub fn proportion_interval(seen: usize, tries: usize, level: Level) -> Interval {
    let seen = seen.min(tries);
    let low = match seen {
        0 => 0.0,
        _ => 1.0 - highest_probability(tries - seen, tries, level.tail()),
    };
    let high = match seen == tries {
        true => 1.0,
        false => highest_probability(seen, tries, level.tail()),
    };
    Interval { low, high }
}

/// Returns the probability with which at most `seen` of `tries` happen with probability `tail`;
/// `seen` is below `tries`.
fn highest_probability(seen: usize, tries: usize, tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match at_most(seen, tries, middle) > tail {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// Returns P(X <= `seen`), X counting what happens with `probability` in `tries` tries.
///
/// In logarithms, as the probability of no event in many tries underflows.
fn at_most(seen: usize, tries: usize, probability: f64) -> f64 {
    let (happens, fails) = (probability.ln(), (-probability).ln_1p());
    let mut log_weight = count_as_f64(tries) * fails;
    let mut sum = log_weight.exp();
    for count in 1..=seen {
        let ways = count_as_f64(tries + 1 - count) / count_as_f64(count);
        log_weight += ways.ln() + happens - fails;
        sum += log_weight.exp();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_equals_the_tables() {
        // Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, and
        // in closed form 1 - 0.025^(1/20) for the first.
        for (seen, tries, low, high) in [
            (0, 20, 0.0, 0.1684),
            (81, 263, 0.2527, 0.3676),
            (15, 148, 0.0578, 0.1617),
            (1, 29, 0.0009, 0.1776),
            (20, 20, 0.8316, 1.0),
            (0, 0, 0.0, 1.0),
        ] {
            let interval = proportion_interval(seen, tries, Level::P95);
            assert!((interval.low - low).abs() < 6e-5, "{seen} {interval:?}");
            assert!((interval.high - high).abs() < 6e-5, "{seen} {interval:?}");
        }
    }

    #[test]
    fn many_tries_do_not_underflow() {
        let interval = proportion_interval(50_000, 100_000, Level::P95);
        assert!(
            interval.low > 0.4968 && interval.low < 0.4970,
            "{interval:?}"
        );
        assert!(
            interval.high > 0.5030 && interval.high < 0.5032,
            "{interval:?}"
        );
    }
}
