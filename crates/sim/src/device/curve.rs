//! How long a request of a given size takes, from a few measured sizes.

use stripewise_profiles::device::curve::CurvePoint;
use stripewise_units::{Bytes, Nanos};

/// Two hours: no request takes longer, and products with a spread still fit 64 bits.
const TIME_MAX_NS: i128 = 1 << 43;

/// Times by size: straight lines between the points, extended at both ends.
///
/// Below the smallest point the line of the first two continues, but never below half of the first
/// time: small requests cost little less than somewhat larger ones. Above the largest point the
/// line of the last two continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Curve {
    points: Vec<CurvePoint>,
}

impl Curve {
    /// Returns the curve through `points`, sorted by size; `None` if there is none, or if a size
    /// repeats.
    pub fn new(mut points: Vec<CurvePoint>) -> Option<Self> {
        points.sort_unstable_by_key(|point| point.size_bytes);
        let is_unique = points
            .windows(2)
            .all(|pair| pair[0].size_bytes < pair[1].size_bytes);
        (!points.is_empty() && is_unique).then_some(Self { points })
    }

    /// Returns the points by size.
    pub fn points(&self) -> &[CurvePoint] {
        &self.points
    }

    /// Returns the time of a request of `size`.
    pub fn time(&self, size: Bytes) -> Nanos {
        let size = i128::from(size.as_u64());
        let (left, right) = match self.points.as_slice() {
            [] => return Nanos::default(),
            [only] => return Nanos::new(only.time_ns),
            [.., left, right] if size >= i128::from(right.size_bytes) => (left, right),
            points => {
                let above = points
                    .iter()
                    .position(|point| size < i128::from(point.size_bytes))
                    .unwrap_or(1)
                    .max(1);
                (&points[above - 1], &points[above])
            }
        };
        let (x0, y0) = (i128::from(left.size_bytes), i128::from(left.time_ns));
        let (x1, y1) = (i128::from(right.size_bytes), i128::from(right.time_ns));
        let time = y0 + (y1 - y0) * (size - x0) / (x1 - x0);
        let least = (i128::from(self.points[0].time_ns) / 2).min(TIME_MAX_NS);
        let time = time.clamp(least, TIME_MAX_NS);
        Nanos::new(u64::try_from(time).expect("times are bounded"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: &[(u64, u64)]) -> Curve {
        let points = points.iter().map(|&(size_bytes, time_ns)| CurvePoint {
            size_bytes,
            time_ns,
        });
        Curve::new(points.collect()).expect("a curve")
    }

    #[test]
    fn times_lie_on_lines_through_the_points() {
        let curve = curve(&[(8192, 100), (16384, 120), (65536, 420)]);
        for (size, time) in [
            (8192, 100),
            (12288, 110),
            (16384, 120),
            (40960, 270),
            (65536, 420),
            (114_688, 720),
            (4096, 90),
        ] {
            assert_eq!(curve.time(Bytes::new(size)), Nanos::new(time), "{size}");
        }
    }

    #[test]
    fn a_steep_start_does_not_reach_zero() {
        let curve = curve(&[(8192, 100), (16384, 190)]);
        assert_eq!(curve.time(Bytes::new(512)), Nanos::new(50));
    }

    #[test]
    fn sizes_must_differ() {
        let twice = CurvePoint {
            size_bytes: 4096,
            time_ns: 1,
        };
        assert_eq!(Curve::new(vec![twice, twice]), None);
        assert_eq!(Curve::new(Vec::new()), None);
    }
}
