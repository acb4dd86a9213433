//! How far single service times lie from their mean: a lognormal shape, drawn from a table.

use crate::random::Stream;

/// The 99th percentile of the standard normal distribution.
const NORMAL_P99: f64 = 2.326_347_874_040_841;
/// Entries of the table; draws are interpolated between neighbours.
const ENTRIES: usize = 256;
/// Factors are kept in 1/65536.
const ONE: u64 = 1 << 16;

/// A factor around 1 with which a mean time is multiplied.
#[derive(Debug, Clone)]
pub struct Spread {
    /// Factors at evenly spaced quantiles, in 1/65536; their mean is 1. Empty: no spread.
    factors: Vec<u32>,
}

impl Spread {
    /// Returns the spread whose 99th percentile is `p99_over_p50` times its median; none below or
    /// at 1.
    ///
    /// The lognormal shape is the usual one for latencies that are products of many causes; the
    /// table is built with `libm` so that its bits are the same everywhere.
    pub fn lognormal(p99_over_p50: f64) -> Self {
        if !(p99_over_p50 > 1.0 && p99_over_p50.is_finite()) {
            return Self {
                factors: Vec::new(),
            };
        }
        let sigma = libm::log(p99_over_p50) / NORMAL_P99;
        let raw: Vec<f64> = (0..=ENTRIES)
            .map(|index| libm::exp(sigma * normal_quantile(middle(index))))
            .collect();
        // The mean of the straight lines between the entries, which is what is drawn from.
        let sum: f64 = raw.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
        let mean = sum / as_f64(ENTRIES);
        let factors = raw.iter().map(|factor| fixed_point(factor / mean));
        Self {
            factors: factors.collect(),
        }
    }

    /// Returns the factors at evenly spaced quantiles, in 1/65536; none if there is no spread.
    pub fn factors(&self) -> &[u32] {
        &self.factors
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

/// Returns the quantile an entry stands for; the outermost ones stop short of 0 and 1.
fn middle(index: usize) -> f64 {
    let edge = 0.25 / as_f64(ENTRIES);
    (as_f64(index) / as_f64(ENTRIES)).clamp(edge, 1.0 - edge)
}

/// Returns the standard normal quantile (Acklam's rational approximation, relative error 1.2e-9).
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
    ];
    const LOW: f64 = 0.02425;
    let polynomial =
        |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
    let tail = |q: f64| polynomial(&C, q) / (polynomial(&D, q) * q + 1.0);
    if p < LOW {
        tail(libm::sqrt(-2.0 * libm::log(p)))
    } else if p > 1.0 - LOW {
        -tail(libm::sqrt(-2.0 * libm::log(1.0 - p)))
    } else {
        let q = p - 0.5;
        let r = q * q;
        polynomial(&A, r) * q / (polynomial(&B, r) * r + 1.0)
    }
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a table index is small"))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a factor lies between 0 and a few thousand"
)]
fn fixed_point(factor: f64) -> u32 {
    (factor.clamp(0.0, 65_535.0) * 65_536.0 + 0.5) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Component;

    #[test]
    fn the_mean_stays_and_the_tail_is_as_asked() {
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
