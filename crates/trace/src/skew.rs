//! How unevenly places are used: the exponent of a zipf distribution, or none.

use stripewise_units::as_f64;

use crate::locality::Locality;

/// A place counts as popular enough to be ranked from this many uses on: with fewer, its rank is
/// mostly chance.
const USES_MIN: u32 = 10;
/// The fewest ranked places from which an exponent is estimated.
const PLACES_MIN: usize = 24;
/// How many of the most popular places are left out if only a share of places is followed: which of
/// the few most popular ones are among them is chance.
const LEFT_OUT: usize = 64;
/// Below this exponent nothing tells zipf from uniform.
const EXPONENT_MIN: f64 = 0.15;
/// The largest exponent.
const EXPONENT_MAX: f64 = 4.0;

/// How uses are spread over places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Skew {
    /// There are too few uses of any place to say.
    Unknown,
    /// All places alike.
    Uniform,
    /// The place of rank `r` is used in proportion to `r` to the power of minus this.
    Zipf(f64),
}

impl Skew {
    /// Estimates it from the popular places: the exponent that makes their counts most likely, given
    /// that these places were used at all. Less popular places are left out, as their ranks are not
    /// known; if only a share of places is followed, so is every rank.
    pub fn of(locality: &Locality) -> Self {
        let uses = locality.popularity();
        let ranked = uses.partition_point(|count| *count >= USES_MIN);
        if ranked < PLACES_MIN {
            return Skew::Unknown;
        }
        let first = match locality.rate() < 1.0 {
            true => LEFT_OUT.min(ranked / 4),
            false => 0,
        };
        let exponent = most_likely(&uses[first..ranked], first, locality.rate());
        match exponent < EXPONENT_MIN {
            true => Skew::Uniform,
            false => Skew::Zipf(exponent),
        }
    }
}

/// Returns the exponent at which the likelihood of the counts `uses` has its maximum; the most
/// popular of these places is the one after `first` that are left out. The likelihood's derivative
/// falls steadily, so the interval is halved.
fn most_likely(uses: &[u32], first: usize, rate: f64) -> f64 {
    let logs: Vec<f64> = (first..first + uses.len())
        .map(|place| ((as_f64(place as u64) + 0.5) / rate + 0.5).ln())
        .collect();
    let total: f64 = uses.iter().map(|count| f64::from(*count)).sum();
    let weighted = uses.iter().zip(&logs);
    let mean: f64 = weighted
        .map(|(count, log)| f64::from(*count) * log)
        .sum::<f64>()
        / total;
    let (mut low, mut high) = (0.0, EXPONENT_MAX);
    for _ in 0..48 {
        let exponent = (low + high) / 2.0;
        let (mut sum, mut weighted) = (0.0, 0.0);
        for log in &logs {
            let weight = (-exponent * log).exp();
            sum += weight;
            weighted += weight * log;
        }
        match weighted / sum > mean {
            true => low = exponent,
            false => high = exponent,
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::splitmix::mixed;

    /// Places of a zipf distribution, drawn by looking a number up in the sums of its weights.
    fn drawn(exponent: f64, places: u64, uses: u64, places_max: usize) -> Skew {
        let mut sums = Vec::new();
        let mut sum = 0.0;
        for rank in 1..=places {
            sum += as_f64(rank).powf(-exponent);
            sums.push(sum);
        }
        let mut locality = Locality::new(4096, places_max);
        let mut state = 7;
        for _ in 0..uses {
            state = mixed(state);
            let want = as_f64(state >> 11) / as_f64(1 << 53) * sum;
            let rank = sums.partition_point(|sum| *sum < want);
            let place = mixed(rank as u64) % (1 << 40);
            locality.touch(place * 4096, 4096);
        }
        Skew::of(&locality)
    }

    #[test]
    fn an_exponent_is_found_again() {
        for (exponent, tolerance) in [(0.6, 0.06), (0.9, 0.05), (1.0, 0.05), (1.2, 0.05)] {
            let Skew::Zipf(found) = drawn(exponent, 100_000, 1_000_000, 1 << 18) else {
                panic!("{exponent}: no zipf");
            };
            assert!((found - exponent).abs() < tolerance, "{exponent}: {found}");
        }
    }

    #[test]
    fn uniform_is_not_zipf_and_few_uses_say_nothing() {
        assert_eq!(drawn(0.0, 2_000, 200_000, 1 << 16), Skew::Uniform);
        assert_eq!(drawn(0.0, 1_000_000, 10_000, 1 << 16), Skew::Unknown);
    }

    #[test]
    fn a_sample_of_places_finds_it_too() {
        let Skew::Zipf(found) = drawn(0.9, 100_000, 1_000_000, 20_000) else {
            panic!("no zipf");
        };
        assert!((found - 0.9).abs() < 0.15, "{found}");
    }
}
