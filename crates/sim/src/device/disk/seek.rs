//! The seek time: a square root for short seeks, a line for long ones.
//!
//! Short seeks accelerate half the way and brake the other half, long ones coast between
//! (Ruemmler and Wilkes 1994). With x the distance as a share of the full stroke:
//!
//! ```text
//!   seek(x) = a + b sqrt(x)            up to the knee X
//!           = a + b sqrt(X) / 2 + b x / (2 sqrt(X))   beyond: the tangent at X
//! ```
//!
//! `a` and `b` follow from the track-to-track and the full-stroke time, and the knee from the
//! average seek. Data sheets weight the average by all possible seeks (Hitachi's specifications
//! print the sum), so a distance has the density 2 (1 - x).
//!
//! A write needs the head nearer to the middle of its track than a read, so it settles longer. Data
//! sheets state these seeks separately, and they get a curve of their own.

use stripewise_profiles::device::disk::DiskProfile;
use stripewise_profiles::device::number::rounded;

/// Bits of the fixed-point share; its square root has 16 fractional bits.
const SHARE_BITS: u32 = 32;

/// The smallest knee: at 1 the curve is all root, towards 0 it is all line.
const KNEE_MIN: f64 = 1e-6;

/// The time of a seek by its distance, evaluated in integers.
#[derive(Debug)]
pub(super) struct SeekCurve {
    distance_max: u64,
    knee: u64,
    root_base_ns: u64,
    root_ns: u64,
    line_base_ns: u64,
    line_ns: u64,
}

/// The curve in real numbers while it is fitted.
#[derive(Debug, Clone, Copy)]
struct Fit {
    base: f64,
    root: f64,
    knee: f64,
}

impl SeekCurve {
    /// Fits the curve of a disk with `cylinders` cylinders, for seeks before reads or writes.
    ///
    /// Data sheets state one full stroke: before a write it is longer by as much as the average.
    ///
    /// The mean over random pairs is always the profile's average. No curve of this form has its
    /// average below 1/3 or above 8/15 of the way from track-to-track to full stroke; for such
    /// numbers the full stroke is adjusted.
    pub(super) fn new(profile: &DiskProfile, before_writes: bool, cylinders: u64) -> Self {
        let distance_max = cylinders.saturating_sub(1).clamp(1, u64::from(u32::MAX));
        let distance = u32::try_from(distance_max).expect("clamped just above");
        let single = 1.0 / f64::from(distance);
        let of_writes = |time: Option<u32>| time.filter(|_| before_writes);
        let track = of_writes(profile.seek_write_track_to_track_ns);
        let track = f64::from(track.unwrap_or(profile.seek_track_to_track_ns));
        let read_average = f64::from(profile.seek_average_ns);
        let average = of_writes(profile.seek_write_average_ns).map_or(read_average, f64::from);
        let full = f64::from(profile.seek_full_stroke_ns) + average - read_average;
        let average = average.max(track);
        let full = full.max(average);
        let fit_at = |knee, full| Fit::new(track, full, single, knee);

        let (mut low, mut high) = (KNEE_MIN, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if fit_at(middle, full).mean() < average {
                low = middle;
            } else {
                high = middle;
            }
        }
        let reached = fit_at(high, full).mean();
        // Every curve is linear in its height, so one step scales the mean to the average.
        let height = if reached > track {
            (full - track) * (average - track) / (reached - track)
        } else {
            0.0
        };
        let fit = fit_at(high, track + height);
        let tangent = 0.5 * fit.root / libm::sqrt(fit.knee);
        Self {
            distance_max,
            knee: rounded(fit.knee * f64::from(distance)),
            root_base_ns: rounded(fit.base),
            root_ns: rounded(fit.root),
            line_base_ns: rounded(fit.base + 0.5 * fit.root * libm::sqrt(fit.knee)),
            line_ns: rounded(tangent),
        }
    }

    /// Returns the time to move the arm by `distance` cylinders and settle; none for no distance.
    pub(super) fn time_ns(&self, distance: u64) -> u64 {
        if distance == 0 {
            return 0;
        }
        if distance > self.knee {
            return self.line_base_ns + self.line_ns * distance / self.distance_max;
        }
        let share = (distance << SHARE_BITS) / self.distance_max;
        // The root of 32 bits takes half as long; only that of a full stroke has more.
        let root = u32::try_from(share).map_or(1 << (SHARE_BITS / 2), |share| share.isqrt().into());
        self.root_base_ns + ((self.root_ns * root) >> (SHARE_BITS / 2))
    }
}

impl Fit {
    /// Returns the curve through `track` at a distance of `single` and `full` at 1.
    fn new(track: f64, full: f64, single: f64, knee: f64) -> Self {
        let root_knee = libm::sqrt(knee);
        let slope = 2.0 * root_knee / (1.0 + knee);
        let root_single = libm::sqrt(single);
        let root = (full - track) * slope / (1.0 - root_single * slope).max(KNEE_MIN);
        Self {
            base: (track - root * root_single).max(0.0),
            root,
            knee,
        }
    }

    /// Returns the integral of the curve times 2 (1 - x) over all distances.
    fn mean(self) -> f64 {
        let Self { base, root, knee } = self;
        let root_knee = libm::sqrt(knee);
        let short = base * knee * (2.0 - knee) + root * knee * root_knee * (4.0 / 3.0 - 0.8 * knee);
        let line_base = base + 0.5 * root * root_knee;
        let line = 0.5 * root / root_knee;
        let rest = 1.0 - knee;
        let weighted = (1.0 - knee * knee) - (2.0 / 3.0) * (1.0 - knee * knee * knee);
        short + line_base * rest * rest + line * weighted
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::deskstar;
    use super::*;
    use proptest::prelude::*;

    /// The data sheets' own sum over every distance, weighted by the number of pairs at that
    /// distance.
    fn mean_over_all_pairs(curve: &SeekCurve, cylinders: u64) -> u64 {
        let mut sum = 0_u128;
        let mut pairs = 0_u128;
        for distance in 1..cylinders {
            let weight = u128::from(cylinders - distance);
            sum += weight * u128::from(curve.time_ns(distance));
            pairs += weight;
        }
        u64::try_from(sum / pairs).expect("a time fits")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_mean_over_random_pairs_is_the_average_seek(
            track in 200_000_u32..2_000_000,
            average in 4_000_000_u32..14_000_000,
            stroke in 1_300_u32..3_500,
        ) {
            let mut profile = deskstar();
            profile.seek_track_to_track_ns = track;
            profile.seek_average_ns = average;
            profile.seek_full_stroke_ns = average / 1000 * stroke;
            let curve = SeekCurve::new(&profile, false, 5000);
            let mean = mean_over_all_pairs(&curve, 5000);
            prop_assert!(mean.abs_diff(u64::from(average)) < u64::from(average) / 100, "{mean}");
            let times: Vec<u64> = (0..5000).map(|distance| curve.time_ns(distance)).collect();
            prop_assert!(times.is_sorted(), "a longer seek takes longer");
        }
    }

    #[test]
    fn the_ends_are_those_of_the_data_sheet() {
        let profile = deskstar();
        let curve = SeekCurve::new(&profile, false, 300_000);
        let near = |time: u64, expected: u32| time.abs_diff(u64::from(expected)) < 10_000;
        assert!(near(curve.time_ns(1), profile.seek_track_to_track_ns));
        assert!(near(curve.time_ns(299_999), profile.seek_full_stroke_ns));
        assert_eq!(curve.time_ns(0), 0);
    }

    #[test]
    fn seeks_before_writes_are_those_of_the_data_sheet() {
        let profile = DiskProfile {
            seek_write_track_to_track_ns: Some(700_000),
            seek_write_average_ns: Some(9_200_000),
            ..deskstar()
        };
        let [reads, writes] =
            [false, true].map(|before_writes| SeekCurve::new(&profile, before_writes, 5000));
        let near = |time: u64, expected: u64| time.abs_diff(expected) < expected / 100;
        assert!(near(writes.time_ns(1), 700_000));
        assert!(near(mean_over_all_pairs(&writes, 5000), 9_200_000));
        assert!(near(writes.time_ns(4999), 17_000_000));
        assert!((1..5000).all(|distance| writes.time_ns(distance) > reads.time_ns(distance)));
    }
}
