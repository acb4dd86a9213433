//! The convex, rising, piecewise linear curve nearest to measured times, in relative error.
//!
//! A write at depth 1 is acknowledged from a buffer: its time is the longest of several lines
//! (protocol, link, pipeline), and a maximum of lines is convex. Deviations from convexity are
//! measurement noise, which the curve removes.
//!
//! With knots at the measured sizes, such a curve is `a + sum c_j max(0, x - x_j)` with `c_j >= 0`,
//! so finding the nearest one is a non-negative least squares problem. We solve it with Lawson &
//! Hanson's active set method (Solving Least Squares Problems, 1974, chapter 23), which ends at the
//! exact optimum after finitely many steps.

use stripewise_study::sample::as_f64;

/// Returns the times of the nearest curve at the sizes of `points`, which are pairs of size and
/// time, sizes rising, times above 0.
///
/// Fewer than three points are always convex and are returned unchanged.
pub fn smooth(points: &[(u64, f64)]) -> Vec<f64> {
    if points.len() < 3 {
        return points.iter().map(|point| point.1).collect();
    }
    let columns = columns(points);
    // Errors are relative, so the target is 1 for every point.
    let solution = non_negative_least_squares(&columns, points.len());
    let fitted = |row: usize| -> f64 {
        let terms = columns.iter().zip(&solution);
        terms.map(|(column, factor)| column[row] * factor).sum()
    };
    let times = points.iter().enumerate();
    times.map(|(row, point)| fitted(row) * point.1).collect()
}

/// Returns the curve's basis functions at the points, divided by the measured times: the constant,
/// then a hinge at each size but the last.
fn columns(points: &[(u64, f64)]) -> Vec<Vec<f64>> {
    let constant = points.iter().map(|point| 1.0 / point.1).collect();
    let hinges = points[..points.len() - 1].iter().map(|knot| {
        let above = |size: u64| as_f64(size.saturating_sub(knot.0));
        points
            .iter()
            .map(|point| above(point.0) / point.1)
            .collect()
    });
    let mut columns: Vec<Vec<f64>> = std::iter::once(constant).chain(hinges).collect();
    for column in &mut columns {
        let length = norm(column);
        for value in column.iter_mut() {
            *value /= length;
        }
    }
    columns
}

/// Returns non-negative factors for which the sum of the columns is closest to ones.
fn non_negative_least_squares(columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
    /// Smaller gradients are rounding errors.
    const TOLERANCE: f64 = 1e-12;
    let mut solution = vec![0.0; columns.len()];
    let mut passive: Vec<usize> = Vec::new();
    // Each round lowers the error, so no set of columns repeats; the bound guards against rounding.
    for _ in 0..columns.len() * 10 {
        let residual = residual(columns, &solution, rows);
        let gradient = |index: &usize| dot(&columns[*index], &residual);
        let outside = (0..columns.len()).filter(|index| !passive.contains(index));
        let steepest = outside.max_by(|left, right| gradient(left).total_cmp(&gradient(right)));
        let Some(steepest) = steepest.filter(|index| gradient(index) > TOLERANCE) else {
            break;
        };
        passive.push(steepest);
        if !step(columns, rows, &mut passive, &mut solution) {
            break;
        }
    }
    solution
}

/// Moves to the optimum of the passive columns, or as far as no factor turns negative; returns
/// whether that could be computed.
fn step(columns: &[Vec<f64>], rows: usize, passive: &mut Vec<usize>, solution: &mut [f64]) -> bool {
    while !passive.is_empty() {
        let chosen: Vec<&[f64]> = passive
            .iter()
            .map(|index| columns[*index].as_slice())
            .collect();
        let Some(free) = least_squares(&chosen, rows) else {
            passive.pop();
            return false;
        };
        let mut share = 1.0_f64;
        for (index, target) in passive.iter().zip(&free) {
            if *target <= 0.0 {
                let from = solution[*index];
                share = share.min(from / (from - target));
            }
        }
        let at_border = share < 1.0;
        for (index, target) in passive.iter().zip(&free) {
            solution[*index] += share * (target - solution[*index]);
        }
        if !at_border && free.iter().all(|target| *target > 0.0) {
            return true;
        }
        for (index, target) in passive.iter().zip(&free) {
            if *target <= 0.0 && solution[*index] <= 1e-14 {
                solution[*index] = 0.0;
            }
        }
        passive.retain(|index| solution[*index] > 0.0);
    }
    true
}

/// Returns the least squares factors for a sum of ones (modified Gram-Schmidt); `None` if the
/// columns are not independent.
fn least_squares(columns: &[&[f64]], rows: usize) -> Option<Vec<f64>> {
    let mut orthogonal: Vec<Vec<f64>> = columns.iter().map(|column| column.to_vec()).collect();
    let mut target = vec![1.0; rows];
    let count = columns.len();
    let mut upper = vec![vec![0.0; count]; count];
    let mut projected = vec![0.0; count];
    for index in 0..count {
        let length = norm(&orthogonal[index]);
        if length < 1e-10 {
            return None;
        }
        let unit: Vec<f64> = orthogonal[index]
            .iter()
            .map(|value| value / length)
            .collect();
        upper[index][index] = length;
        for later in index + 1..count {
            upper[index][later] = project_out(&unit, &mut orthogonal[later]);
        }
        projected[index] = project_out(&unit, &mut target);
    }
    let mut factors = vec![0.0; count];
    for index in (0..count).rev() {
        let known: f64 = (index + 1..count)
            .map(|later| upper[index][later] * factors[later])
            .sum();
        factors[index] = (projected[index] - known) / upper[index][index];
    }
    Some(factors)
}

/// Removes the component along `unit` from `vector`, and returns its length.
fn project_out(unit: &[f64], vector: &mut [f64]) -> f64 {
    let along = dot(unit, vector);
    for (value, direction) in vector.iter_mut().zip(unit) {
        *value -= along * direction;
    }
    along
}

fn residual(columns: &[Vec<f64>], solution: &[f64], rows: usize) -> Vec<f64> {
    let mut residual = vec![1.0; rows];
    for (column, factor) in columns.iter().zip(solution) {
        for (left, value) in residual.iter_mut().zip(column) {
            *left -= factor * value;
        }
    }
    residual
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

fn norm(values: &[f64]) -> f64 {
    libm::sqrt(dot(values, values))
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;

    fn squared_error(points: &[(u64, f64)], times: &[f64]) -> f64 {
        let errors = points.iter().zip(times);
        errors
            .map(|(point, time)| (time / point.1 - 1.0).powi(2))
            .sum()
    }

    fn slopes(points: &[(u64, f64)], times: &[f64]) -> Vec<f64> {
        let slope = |index: usize| {
            (times[index + 1] - times[index]) / as_f64(points[index + 1].0 - points[index].0)
        };
        (0..points.len() - 1).map(slope).collect()
    }

    /// Tries every set of hinges: the optimum is the best one with non-negative factors.
    fn brute_force(points: &[(u64, f64)]) -> f64 {
        let columns = columns(points);
        let mut best = f64::INFINITY;
        for set in 1_u32..1 << columns.len() {
            let chosen = columns.iter().enumerate();
            let chosen: Vec<&[f64]> = chosen
                .filter(|(index, _)| set & (1 << index) != 0)
                .map(|(_, column)| column.as_slice())
                .collect();
            let Some(factors) = least_squares(&chosen, points.len()) else {
                continue;
            };
            if factors.iter().all(|factor| *factor >= 0.0) {
                let error: f64 = (0..points.len())
                    .map(|row| {
                        let terms = chosen.iter().zip(&factors);
                        let sum: f64 = terms.map(|(column, factor)| column[row] * factor).sum();
                        (sum - 1.0).powi(2)
                    })
                    .sum();
                best = best.min(error);
            }
        }
        best
    }

    #[test]
    fn two_points_stay_unchanged() {
        assert_eq!(smooth(&[(512, 90.0), (1024, 40.0)]), [90.0, 40.0]);
        assert!(smooth(&[]).is_empty());
    }

    #[test]
    fn a_convex_curve_stays_unchanged() {
        let points = [(512, 10.0), (1024, 11.0), (2048, 14.0), (8192, 60.0)];
        let times = smooth(&points);
        for (time, point) in times.iter().zip(points) {
            assert!((time - point.1).abs() < 1e-9 * point.1, "{time} {point:?}");
        }
    }

    #[test]
    fn a_falling_curve_becomes_flat() {
        let times = smooth(&[(512, 12.0), (1024, 11.0), (2048, 10.0)]);
        assert!(
            times
                .windows(2)
                .all(|pair| (pair[0] - pair[1]).abs() < 1e-9),
            "{times:?}"
        );
    }

    #[test]
    fn the_writes_of_the_published_study_lose_their_bump() {
        let rates = [
            (8, 166.0),
            (16, 243.0),
            (32, 409.0),
            (64, 457.0),
            (128, 458.0),
            (512, 478.0),
        ];
        let points = rates.map(|(kib, rate)| (kib * 1024, as_f64(kib) / 1024.0 / rate * 1e6));
        let times: Vec<f64> = smooth(&points).iter().map(|time| time.round()).collect();
        assert_eq!(times, [49.0, 59.0, 79.0, 138.0, 269.0, 1055.0]);
    }

    /// Checks that `smooth` gives a convex rising curve, and that no other is nearer.
    ///
    /// The curve is a sum of hinges with non-negative factors, so its times are exact to a few
    /// units in the last place. A slope has that error divided by the distance of two sizes.
    fn assert_nearest(points: &[(u64, f64)]) {
        let times = smooth(points);
        assert!(times.iter().all(|time| *time >= 0.0), "{times:?}");
        if points.len() < 3 {
            return;
        }
        let longest = times.iter().copied().fold(0.0, f64::max);
        let gaps = points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let rounding = 32.0 * f64::EPSILON * longest / gaps.min().map_or(1.0, as_f64);
        let slopes = slopes(points, &times);
        assert!(slopes[0] >= -rounding, "{slopes:?} {rounding:e}");
        assert!(
            slopes.windows(2).all(|pair| pair[1] >= pair[0] - rounding),
            "{slopes:?} {rounding:e}"
        );
        let (ours, best) = (squared_error(points, &times), brute_force(points));
        assert!(ours <= best * (1.0 + 1e-6) + 1e-9, "{ours} {best}");
    }

    #[test]
    fn the_flat_curve_between_times_that_jump_is_the_nearest() {
        let times = [774.8034614181531, 989.2867966802578, 735.0780980699091];
        let sizes = [525, 527, 529].map(|blocks| blocks * 512);
        let points: Vec<(u64, f64)> = sizes.into_iter().zip(times).collect();
        assert_nearest(&points);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_convex_rising_curve_is_nearer(
            points in btree_map(1_u64..4096, 1.0..1000.0_f64, 1..=7)
        ) {
            let points: Vec<(u64, f64)> =
                points.into_iter().map(|(size, time)| (size * 512, time)).collect();
            assert_nearest(&points);
        }
    }
}
