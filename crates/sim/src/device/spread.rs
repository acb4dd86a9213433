//! The spread of service times around their mean: lognormal, drawn from a table.

use stripewise_profiles::device::spread::lognormal_factors;

use crate::random::Stream;

/// Factors are kept in 1/65536.
const ONE: u64 = 1 << 16;

/// A distribution of factors around 1, to multiply a mean time with.
#[derive(Debug, Clone)]
pub struct Spread {
    /// Factors at evenly spaced quantiles, in 1/65536; their mean is 1. Empty: no spread.
    factors: Vec<u32>,
}

impl Spread {
    /// Returns the spread whose 99th percentile is `p99_over_p50` times its median; none below or
    /// at 1.
    pub fn lognormal(p99_over_p50: f64) -> Self {
        Self {
            factors: lognormal_factors(p99_over_p50),
        }
    }

    /// Draws a time around `mean_ns`.
    #[inline]
    pub fn draw(&self, stream: &mut Stream, mean_ns: u64) -> u64 {
        if self.factors.is_empty() {
            return mean_ns;
        }
        let bits = stream.bits();
        let index = usize::try_from(bits >> 56).expect("8 bits fit");
        let between = (bits >> 40) & 0xffff;
        let low = u64::from(self.factors[index]);
        let high = u64::from(self.factors[index + 1]);
        let factor = low + (((high - low) * between) >> 16);
        // Times are far below 2^48 ns (three days), so the product fits.
        (mean_ns * factor + ONE / 2) >> 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Component;

    #[test]
    fn the_mean_stays_and_the_tail_is_as_configured() {
        let spread = Spread::lognormal(1.3);
        let mut stream = Stream::child(3, Component::Device(0));
        let mut draws: Vec<u64> = (0..200_000)
            .map(|_| spread.draw(&mut stream, 100_000))
            .collect();
        draws.sort_unstable();
        let mean = draws.iter().sum::<u64>() / 200_000;
        assert!((99_800..100_200).contains(&mean), "mean {mean}");
        let ratio = draws[198_000] * 1000 / draws[100_000];
        assert!((1_290..1_310).contains(&ratio), "p99/p50 {ratio}/1000");
    }

    #[test]
    fn without_spread_every_draw_is_the_mean() {
        let mut stream = Stream::child(3, Component::Device(0));
        assert_eq!(Spread::lognormal(1.0).draw(&mut stream, 77), 77);
    }
}
