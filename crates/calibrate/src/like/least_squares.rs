//! Least squares on the slopes of rows: the way to the optimum, what is known there, and how well each
//! row is predicted from the others.

use super::parameters::COUNT;
use crate::number::median;
use stripewise_study::sample::as_f64;

/// Errors of rows are not smaller than this, whatever the fit: that of a good measurement.
const NOISE: f64 = 0.02;
/// A parameter is expected within this factor of the class's value, as a logarithm.
const EXPECTED: f64 = 1.0;
/// The weight of that expectation against rows.
const WEIGHT: f64 = (NOISE / EXPECTED) * (NOISE / EXPECTED);
/// Smaller slopes are noise of the simulation.
const SLOPE_MIN: f64 = 0.02;
/// The furthest step: slopes hold nearby.
const REACH: f64 = 0.7;
/// The standard deviation over the median of the absolute values. A row that no device repeats does
/// not make all numbers uncertain.
const OF_MEDIAN: f64 = 1.4826;
/// A parameter that is further from the class's value, in standard errors, cannot return to it.
const AWAY: f64 = 2.0;

/// Logarithms of the factors on the parameters, or something else of each.
pub(super) type PerParameter<T> = [T; COUNT];

/// A place, the errors of the rows there, as logarithms, and their slopes over each parameter.
#[derive(Debug)]
pub(super) struct Slopes {
    pub(super) at: PerParameter<f64>,
    pub(super) errors: Vec<f64>,
    slopes: Vec<PerParameter<f64>>,
}

impl Slopes {
    /// Returns the slopes of rows; small ones count as none.
    pub(super) fn new(
        at: PerParameter<f64>,
        errors: Vec<f64>,
        mut slopes: Vec<PerParameter<f64>>,
    ) -> Self {
        for slope in slopes.iter_mut().flatten() {
            if slope.abs() < SLOPE_MIN {
                *slope = 0.0;
            }
        }
        Self { at, errors, slopes }
    }

    /// Returns the sum of squares that is least at the optimum.
    pub(super) fn value(at: &PerParameter<f64>, errors: &[f64]) -> f64 {
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        squares(errors) + WEIGHT * squares(at)
    }

    /// Moves by a step to where the rows have other errors, and corrects the slopes (Broyden, 1965).
    pub(super) fn advance(&mut self, step: &PerParameter<f64>, errors: Vec<f64>) {
        let length: f64 = step.iter().map(|step| step * step).sum();
        for (row, slopes) in self.slopes.iter_mut().enumerate() {
            let expected = self.errors[row] + product(slopes, step);
            for (slope, step) in slopes.iter_mut().zip(step) {
                *slope += (errors[row] - expected) * step / length.max(f64::MIN_POSITIVE);
            }
        }
        for (at, step) in self.at.iter_mut().zip(step) {
            *at += step;
        }
        self.errors = errors;
    }

    /// Returns the step to the optimum of the `free` parameters over the rows but `left_out`; the
    /// others return to the class's values.
    pub(super) fn step(
        &self,
        free: PerParameter<bool>,
        left_out: Option<usize>,
    ) -> PerParameter<f64> {
        let back: PerParameter<f64> = std::array::from_fn(|index| match free[index] {
            true => 0.0,
            false => -self.at[index],
        });
        let mut gradient = self.at.map(|at| at * WEIGHT);
        for (row, slopes) in self.slopes.iter().enumerate() {
            let error = self.errors[row] + product(slopes, &back);
            for index in (0..COUNT).filter(|_| left_out != Some(row)) {
                gradient[index] += error * slopes[index];
            }
        }
        let inverse = inverse(self.normal(free, left_out));
        std::array::from_fn(|index| match free[index] {
            true => {
                let others = (0..COUNT).filter(|other| free[*other]);
                let step: f64 = others
                    .map(|other| inverse[index][other] * gradient[other])
                    .sum();
                (-step).clamp(-REACH, REACH)
            }
            false => back[index],
        })
    }

    /// Returns the variance of the rows about the optimum, from the median error.
    pub(super) fn variance(&self, free: PerParameter<bool>) -> f64 {
        let inverse = inverse(self.normal(free, None));
        let fitted = (0..COUNT).filter(|index| free[*index]);
        let fitted: f64 = fitted
            .map(|index| 1.0 - WEIGHT * inverse[index][index])
            .sum();
        let rows = as_f64(self.errors.len() as u64);
        let squares = self.errors.iter().map(|error| error * error).collect();
        let middle = median(squares).unwrap_or_default() * OF_MEDIAN * OF_MEDIAN;
        (middle * rows / (rows - fitted).max(1.0)).max(NOISE * NOISE)
    }

    /// Returns the standard error of each `free` parameter if the others are free as well.
    pub(super) fn standard_errors(
        &self,
        free: PerParameter<bool>,
        variance: f64,
    ) -> PerParameter<f64> {
        let inverse = inverse(self.normal(free, None));
        std::array::from_fn(|index| match free[index] {
            true => libm::sqrt(variance * inverse[index][index].max(0.0)),
            false => 0.0,
        })
    }

    /// Returns which of the `free` parameters the rows determine to a standard error of `most`, or
    /// keep away from the class's value: drops the worst one until all that are left are such.
    pub(super) fn identified(
        &self,
        mut free: PerParameter<bool>,
        variance: f64,
        most: f64,
    ) -> PerParameter<bool> {
        loop {
            let errors = self.standard_errors(free, variance);
            let unknown = (0..COUNT).filter(|index| {
                errors[*index] > most && self.at[*index].abs() < AWAY * errors[*index]
            });
            match unknown.max_by(|one, two| errors[*one].total_cmp(&errors[*two])) {
                Some(worst) => free[worst] = false,
                None => return free,
            }
        }
    }

    /// Returns the error of a row at the optimum of the others; `None` if it is the only one.
    pub(super) fn left_out(&self, row: usize, free: PerParameter<bool>) -> Option<f64> {
        let change = product(&self.slopes[row], &self.step(free, Some(row)));
        (self.errors.len() > 1).then(|| self.errors[row] + change)
    }

    /// Returns the normal equations of the rows but `left_out`; a parameter that is not free has one
    /// of its own.
    fn normal(
        &self,
        free: PerParameter<bool>,
        left_out: Option<usize>,
    ) -> PerParameter<PerParameter<f64>> {
        let mut matrix = [[0.0; COUNT]; COUNT];
        for (index, line) in matrix.iter_mut().enumerate() {
            line[index] = WEIGHT;
        }
        for (row, slopes) in self.slopes.iter().enumerate() {
            for index in (0..COUNT).filter(|index| free[*index] && left_out != Some(row)) {
                for other in (0..COUNT).filter(|other| free[*other]) {
                    matrix[index][other] += slopes[index] * slopes[other];
                }
            }
        }
        matrix
    }
}

fn product(one: &PerParameter<f64>, other: &PerParameter<f64>) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Returns the inverse of a symmetric matrix whose eigenvalues are at least [`WEIGHT`], by Gauss and
/// Jordan.
fn inverse(mut matrix: PerParameter<PerParameter<f64>>) -> PerParameter<PerParameter<f64>> {
    let mut inverse = [[0.0; COUNT]; COUNT];
    for (index, line) in inverse.iter_mut().enumerate() {
        line[index] = 1.0;
    }
    for pivot in 0..COUNT {
        let divisor = matrix[pivot][pivot];
        for column in 0..COUNT {
            matrix[pivot][column] /= divisor;
            inverse[pivot][column] /= divisor;
        }
        let (line, line_inverse) = (matrix[pivot], inverse[pivot]);
        for other in (0..COUNT).filter(|other| *other != pivot) {
            let factor = matrix[other][pivot];
            for column in 0..COUNT {
                matrix[other][column] -= factor * line[column];
                inverse[other][column] -= factor * line_inverse[column];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: PerParameter<bool> = [true; COUNT];

    fn only(parameters: &[usize]) -> PerParameter<bool> {
        std::array::from_fn(|index| parameters.contains(&index))
    }

    /// Four rows with slopes over the first parameter, the last one also over the second.
    fn slopes(errors: [f64; 4], of_second: f64) -> Slopes {
        let mut slopes = vec![[0.0; COUNT]; 4];
        for (place, slope) in slopes.iter_mut().enumerate() {
            slope[0] = 0.5 + 0.1 * as_f64(place as u64);
        }
        slopes[3][1] = of_second;
        Slopes::new([0.0; COUNT], errors.to_vec(), slopes)
    }

    #[test]
    fn only_parameters_with_an_effect_are_identified() {
        let identified = |of_second| {
            let slopes = slopes([0.0; 4], of_second);
            slopes.identified(ALL, slopes.variance(ALL), 0.3)
        };
        assert_eq!(identified(0.0), only(&[0]));
        assert_eq!(identified(0.01), only(&[0]), "as the simulation's noise");
        assert_eq!(identified(0.5), only(&[0, 1]));
    }

    #[test]
    fn of_two_with_the_same_effect_one_is_left() {
        let mut same = slopes([0.0; 4], 0.0);
        for slope in &mut same.slopes {
            slope[5] = 0.9 * slope[0];
        }
        let identified = same.identified(ALL, NOISE * NOISE, 0.3);
        assert_eq!(identified, only(&[0]), "the stronger one");
        same.at[5] = 5.0;
        let identified = same.identified(ALL, NOISE * NOISE, 0.3);
        assert_eq!(identified, only(&[5]), "the one that cannot return");
    }

    #[test]
    fn the_standard_error_is_that_of_the_textbook() {
        let slopes = slopes([0.1, -0.1, 0.1, -0.1], 0.0);
        let variance = slopes.variance(only(&[0]));
        let errors = slopes.standard_errors(only(&[0]), variance);
        // 0.1 is the median; over 0.25 + 0.36 + 0.49 + 0.64.
        let expected = 0.1 * OF_MEDIAN * libm::sqrt(4.0 / 3.0 / 1.74);
        assert!((errors[0] - expected).abs() < 1e-3, "{errors:?}");
    }

    #[test]
    fn a_step_leads_to_the_optimum_and_the_others_back() {
        let mut slopes = slopes([0.05, 0.06, 0.07, 0.28], 1.0);
        slopes.at[1] = 0.2;
        let step = slopes.step(only(&[0]), None);
        assert!(
            (step[0] + 0.1).abs() < 1e-3 && (step[1] + 0.2).abs() < 1e-9,
            "{step:?}"
        );
    }

    #[test]
    fn a_row_that_alone_shows_a_parameter_is_not_predicted_with_it() {
        let slopes = slopes([0.0, 0.0, 0.0, 0.2], 1.0);
        let left_out = slopes.left_out(3, only(&[0, 1]));
        assert!(left_out.is_some_and(|error| (error - 0.2).abs() < 1e-6));
        let other = slopes.left_out(0, only(&[0, 1]));
        assert!(other.is_some_and(|error| error.abs() < 1e-3), "{other:?}");
    }
}
