//! The spread of service times around their mean, as a table of factors: a lognormal shape.
//!
//! The simulator and the lab's modelled disks draw from the same table, so that a profile means the
//! same in both.

/// The 99th percentile of the standard normal distribution.
const NORMAL_P99: f64 = 2.326_347_874_040_841;
/// Entries of the table; draws are interpolated between neighbours.
const ENTRIES: u32 = 256;

/// Returns factors at evenly spaced quantiles, in 1/65536, whose 99th percentile is `p99_over_p50`
/// times their median; their mean is 1. Empty without any spread.
///
/// The lognormal shape is the usual one for latencies that are products of many causes; the
/// table is built with `libm` so that its bits are the same everywhere. Rare stalls beyond the 99th
/// percentile can hold much of the mean: where `p50_over_mean` is lower than that of the lognormal
/// shape, the last 256th of the times is so much longer that the mean stays 1.
pub fn factors(p99_over_p50: f64, p50_over_mean: Option<f64>) -> Vec<u32> {
    let is_spread = p99_over_p50 > 1.0 && p99_over_p50.is_finite();
    let sigma = match is_spread {
        true => libm::log(p99_over_p50) / NORMAL_P99,
        false => 0.0,
    };
    let raw: Vec<f64> = (0..=ENTRIES)
        .map(|index| libm::exp(sigma * normal_quantile(middle(index))))
        .collect();
    // The mean of the straight lines between the entries, from which values are drawn.
    let sum: f64 = raw.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
    let mean = sum / f64::from(ENTRIES);
    let stalls = p50_over_mean.filter(|median| *median * mean < 1.0);
    if !is_spread && stalls.is_none() {
        return Vec::new();
    }
    let Some(median) = stalls else {
        return raw
            .iter()
            .map(|factor| fixed_point(factor / mean))
            .collect();
    };
    let mut scaled: Vec<f64> = raw.iter().map(|factor| factor * median).collect();
    // A line to the last entry has half of its height on average.
    if let Some(last) = scaled.last_mut() {
        *last += 2.0 * f64::from(ENTRIES) * (1.0 - median * mean);
    }
    scaled.into_iter().map(fixed_point).collect()
}

/// Returns the quantile of an entry; the outermost ones stop short of 0 and 1.
fn middle(index: u32) -> f64 {
    let edge = 0.25 / f64::from(ENTRIES);
    (f64::from(index) / f64::from(ENTRIES)).clamp(edge, 1.0 - edge)
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

    fn shape(p99_over_p50: f64, p50_over_mean: Option<f64>) -> (f64, f64, f64) {
        let factors = factors(p99_over_p50, p50_over_mean);
        let factors: Vec<f64> = factors
            .into_iter()
            .map(|one| f64::from(one) / 65_536.0)
            .collect();
        let cells = factors.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
        let mean = cells.sum::<f64>() / 256.0;
        let p99 = factors[253] + (factors[254] - factors[253]) * 0.44;
        (mean, factors[128], p99)
    }

    #[test]
    fn rare_stalls_hold_what_the_mean_has_beyond_the_lognormal_shape() {
        let (mean, median, p99) = shape(2.0, Some(0.6));
        assert!((mean - 1.0).abs() < 1e-3, "{mean}");
        assert!((median - 0.6).abs() < 1e-3, "{median}");
        assert!((p99 / median - 2.0).abs() < 0.01, "{p99}");
    }

    #[test]
    fn a_median_that_the_lognormal_shape_cannot_have_changes_nothing() {
        assert_eq!(factors(2.0, Some(0.99)), factors(2.0, None));
        assert_eq!(factors(1.0, None), Vec::<u32>::new());
        assert_eq!(factors(1.0, Some(1.0)), Vec::<u32>::new());
        assert_eq!(factors(1.0, Some(0.5)).len(), 257);
    }
}
