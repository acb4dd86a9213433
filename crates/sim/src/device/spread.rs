//! The spread of service times around their mean: lognormal with rare stalls, drawn from a table.

use stripewise_profiles::device::spread::factors;

use crate::random::Stream;

/// Factors are kept in 1/65536.
const ONE: u64 = 1 << 16;

/// A distribution of factors around 1, to multiply a mean time with.
#[derive(Debug, Clone)]
pub struct Spread {
    /// Factors at evenly spaced quantiles, in 1/65536; their mean is 1. Empty: no spread.
    factors: Vec<u32>,
    /// Whether the last 256th of the times holds much of the mean.
    has_stalls: bool,
}

impl Spread {
    /// Returns the spread whose 99th percentile is `p99_over_p50` times its median, as [`factors`]
    /// has it.
    pub fn new(p99_over_p50: f64, p50_over_mean: Option<f64>) -> Self {
        let factors = factors(p99_over_p50, p50_over_mean);
        Self {
            has_stalls: p50_over_mean.is_some() && !factors.is_empty(),
            factors,
        }
    }

    /// Draws a time around `mean_ns`.
    #[inline(always)]
    pub fn draw(&self, strata: &mut Strata, stream: &mut Stream, mean_ns: u64) -> u64 {
        if self.factors.is_empty() {
            return mean_ns;
        }
        let bits = stream.bits();
        let mut index = usize::try_from(bits >> 56).expect("8 bits fit");
        let mut between = (bits >> 40) & 0xffff;
        if self.has_stalls {
            (index, between) = strata.next(bits);
        }
        let low = u64::from(self.factors[index]);
        let high = u64::from(self.factors[index + 1]);
        let factor = low + (((high - low) * between) >> 16);
        // Times are far below 2^48 ns (three days), so the product fits.
        (mean_ns * factor + ONE / 2) >> 16
    }
}

/// The order in which the 256ths of a spread with stalls are drawn: each once in 256 draws, in a
/// random order, and within the last one evenly from stall to stall.
///
/// Rare stalls hold much of the mean. Drawn independently, their number would vary so much that a
/// rate within 1 % takes ten times the I/Os (stratified sampling; Cochran, "Sampling Techniques",
/// 1977).
#[derive(Debug, Clone, Default)]
pub struct Strata {
    /// The draws, modulo 256.
    count: u8,
    /// The order of these 256 draws.
    key: [u8; 8],
    /// The stalls so far, and where the first one lies.
    stalls: u16,
    offset: u16,
}

impl Strata {
    /// Returns the 256th of the next draw, and where in it, in 1/65536; `bits` are random.
    #[inline]
    fn next(&mut self, bits: u64) -> (usize, u64) {
        if self.count == 0 {
            self.key = bits.to_le_bytes();
            if self.stalls == 0 {
                self.offset = u16::from_le_bytes([self.key[6], self.key[7]]);
            }
        }
        // Each step is a bijection of 8 bits.
        let [first, second, third, fourth, ..] = self.key;
        let mut place = (self.count ^ first).wrapping_mul(second | 1);
        place ^= place >> 4;
        place = (place ^ third).wrapping_mul(fourth | 1);
        place ^= place >> 3;
        self.count = self.count.wrapping_add(1);
        if place < u8::MAX {
            return (place.into(), (bits >> 40) & 0xffff);
        }
        let between = self.stalls.reverse_bits().wrapping_add(self.offset);
        self.stalls = self.stalls.wrapping_add(1);
        (place.into(), between.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Component;

    #[test]
    fn the_mean_stays_and_the_tail_is_as_configured() {
        let spread = Spread::new(1.3, None);
        let mut stream = Stream::child(3, Component::Device(0));
        let mut strata = Strata::default();
        let mut draws: Vec<u64> = (0..200_000)
            .map(|_| spread.draw(&mut strata, &mut stream, 100_000))
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
        let mut strata = Strata::default();
        assert_eq!(
            Spread::new(1.0, None).draw(&mut strata, &mut stream, 77),
            77
        );
    }

    #[test]
    fn rare_stalls_come_as_often_as_they_should_and_in_no_fixed_order() {
        let spread = Spread::new(1.5, Some(0.5));
        let mut stream = Stream::child(3, Component::Device(0));
        let mut strata = Strata::default();
        let draws: Vec<u64> = (0..256 * 64)
            .map(|_| spread.draw(&mut strata, &mut stream, 100_000))
            .collect();
        let count = u64::try_from(draws.len()).unwrap();
        let mean = draws.iter().sum::<u64>() / count;
        assert!((99_000..101_000).contains(&mean), "mean {mean}");
        let stalls: Vec<usize> = (0..draws.len()).filter(|&at| draws[at] > 300_000).collect();
        assert!((60..=64).contains(&stalls.len()), "{}", stalls.len());
        let places: std::collections::BTreeSet<usize> = stalls.iter().map(|at| at % 256).collect();
        assert!(places.len() > 40, "{places:?}");
        let mut sorted = draws;
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2];
        assert!((49_000..51_000).contains(&median), "median {median}");
    }

    proptest::proptest! {
        #[test]
        fn each_256th_is_drawn_once_in_256_draws(seed in 0_u64..1000) {
            let mut stream = Stream::child(seed, Component::Device(0));
            let mut strata = Strata::default();
            let places: std::collections::BTreeSet<usize> =
                (0..256).map(|_| strata.next(stream.bits()).0).collect();
            proptest::prop_assert_eq!(places.len(), 256);
        }
    }
}
