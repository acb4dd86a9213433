//! A linear model of simulated rows, which stands in for most of the simulations of a search.
//!
//! With one I/O in flight the time of a row is a sum: of CPU time for each bio and completion, and
//! of transfer time where the uplink is the limit. So the times of all rows are linear in the
//! parameters, up to kinks where another limit takes over. A search needs a simulation of every row
//! only at its start, a few steps beside it, and wherever the linear model expects its minimum.
//! Each of those corrects the slopes (Broyden, 1965).

use crate::number::mean;
use crate::search::BestPoint;

/// Simulated over measured time of each row, as linear functions of `N` arguments.
#[derive(Debug, Clone)]
pub(crate) struct Linear<const N: usize> {
    /// The arguments at which the times are known.
    pub(crate) at: [f64; N],
    /// The times there.
    pub(crate) times: Vec<f64>,
    /// The change of each time for a change of each argument by 1.
    pub(crate) slopes: Vec<[f64; N]>,
}

/// The least time that a linear model may return, so that it has a logarithm.
const TIME_MIN: f64 = 1e-3;
/// A search ends when its steps are no longer than this.
const LAST_STEP: f64 = 0.001;

impl<const N: usize> Linear<N> {
    /// Returns the time of a row at `at`.
    fn time(&self, row: usize, at: &[f64; N]) -> f64 {
        let change = (0..N).map(|index| self.slopes[row][index] * (at[index] - self.at[index]));
        (self.times[row] + change.sum::<f64>()).max(TIME_MIN)
    }

    /// Returns ln(time) of a row at `at`.
    pub(crate) fn error(&self, row: usize, at: &[f64; N]) -> f64 {
        libm::log(self.time(row, at))
    }

    /// Returns the mean |ln(time)| over all rows but `left_out`.
    pub(crate) fn mean_error(&self, at: &[f64; N], left_out: Option<usize>) -> f64 {
        let rows = (0..self.times.len()).filter(|row| Some(*row) != left_out);
        mean(rows.map(|row| self.error(row, at).abs())).unwrap_or_default()
    }

    /// Corrects the slopes so that they give `times` at `at`, with the least change of the slopes.
    pub(crate) fn correct(&mut self, at: &[f64; N], times: &[f64]) {
        let step: [f64; N] = std::array::from_fn(|index| at[index] - self.at[index]);
        let square: f64 = step.iter().map(|part| part * part).sum();
        if square == 0.0 {
            return;
        }
        for (row, time) in times.iter().enumerate() {
            let missed = time - self.time(row, at);
            for (slope, part) in self.slopes[row].iter_mut().zip(step) {
                *slope += missed * part / square;
            }
        }
    }

    /// Returns the minimum of [`Self::mean_error`] that a search finds from `start`, with arguments
    /// that are functions of those of the search, within `reach` of the start.
    ///
    /// A mean of absolute errors has sharp valleys, often across the axes, so the search steps along
    /// diagonals as well.
    pub(crate) fn minimum(
        &self,
        start: &[f64; N],
        free: [bool; N],
        reach: f64,
        arguments: impl Fn(&[f64; N]) -> [f64; N],
        left_out: Option<usize>,
    ) -> BestPoint<N> {
        let directions = directions(free);
        let value_at = |at: &[f64; N]| self.mean_error(&arguments(at), left_out);
        let mut best = BestPoint {
            at: *start,
            value: value_at(start),
        };
        let mut step = reach / 2.0;
        while step > LAST_STEP {
            let mut improved = false;
            for direction in &directions {
                let at: [f64; N] =
                    std::array::from_fn(|index| best.at[index] + step * direction[index]);
                let is_near = (0..N).all(|index| (at[index] - start[index]).abs() <= reach);
                let value = if is_near {
                    value_at(&at)
                } else {
                    f64::INFINITY
                };
                if value < best.value {
                    best = BestPoint { at, value };
                    improved = true;
                }
            }
            if !improved {
                step /= 2.0;
            }
        }
        best
    }
}

/// Returns the directions in which a step changes some of the `free` arguments, each by 1 or -1.
fn directions<const N: usize>(free: [bool; N]) -> Vec<[f64; N]> {
    let mut all = vec![[0.0; N]];
    for index in (0..N).filter(|index| free[*index]) {
        for direction in all.clone() {
            for change in [1.0, -1.0] {
                let mut changed = direction;
                changed[index] = change;
                all.push(changed);
            }
        }
    }
    all.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows that take too long: the first argument changes both, the second one of them.
    fn linear() -> Linear<2> {
        Linear {
            at: [1.0, 1.0],
            times: vec![1.5, 1.5],
            slopes: vec![[1.0, 0.0], [1.0, 1.0]],
        }
    }

    #[test]
    fn a_minimum_is_found_where_all_times_are_as_measured() {
        let best = linear().minimum(&[1.0, 1.0], [true; 2], 2.0, |at| *at, None);
        assert!(best.value < 0.01, "{best:?}");
        assert!((best.at[0] - 0.5).abs() < 0.01 && (best.at[1] - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_minimum_lies_within_reach_and_keeps_fixed_arguments() {
        let best = linear().minimum(&[1.0, 1.0], [true, false], 0.25, |at| *at, None);
        assert_eq!(best.at, [0.75, 1.0]);
    }

    #[test]
    fn a_corrected_model_gives_what_was_simulated_and_the_rest_unchanged() {
        let mut linear = linear();
        linear.correct(&[2.0, 1.0], &[3.0, 4.5]);
        assert!((linear.time(0, &[2.0, 1.0]) - 3.0).abs() < 1e-12);
        assert!((linear.time(1, &[2.0, 1.0]) - 4.5).abs() < 1e-12);
        assert!((linear.time(1, &[1.0, 2.0]) - 2.5).abs() < 1e-12, "across");
        assert_eq!(linear.time(0, &[1.0, 1.0]), 1.5);
    }

    #[test]
    fn every_direction_of_free_arguments_is_tried_once() {
        assert_eq!(directions([false, true]), [[0.0, 1.0], [0.0, -1.0]]);
        let mut all = directions([true; 3]);
        all.dedup();
        assert_eq!(all.len(), 26);
    }

    #[test]
    fn no_time_falls_to_zero() {
        assert_eq!(linear().time(0, &[-5.0, 1.0]), TIME_MIN);
    }
}
