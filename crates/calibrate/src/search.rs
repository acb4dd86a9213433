//! Minimizes slightly noisy functions without derivatives.

/// The golden section of a length of 1.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The best point of a pattern search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BestPoint<const N: usize> {
    /// The arguments.
    pub(crate) at: [f64; N],
    /// The value there.
    pub(crate) value: f64,
}

/// The step sizes and limits of a pattern search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// The first step of each argument.
    pub(crate) first: f64,
    /// The search ends when steps are no longer than this.
    pub(crate) last: f64,
    /// The most rounds over all arguments.
    pub(crate) rounds_max: u32,
}

/// Searches for a minimum from `best`: tries a step of each `free` argument in both directions,
/// keeps every improvement, halves the step if there is none (Hooke & Jeeves, 1961).
pub(crate) fn pattern_search<const N: usize, E>(
    mut best: BestPoint<N>,
    free: [bool; N],
    steps: Steps,
    mut value_at: impl FnMut(&[f64; N]) -> Result<f64, E>,
) -> Result<BestPoint<N>, E> {
    let mut step = steps.first;
    for _ in 0..steps.rounds_max {
        if step <= steps.last {
            break;
        }
        let mut improved = false;
        for index in (0..N).filter(|index| free[*index]) {
            for signed in [step, -step] {
                let mut at = best.at;
                at[index] += signed;
                let value = value_at(&at)?;
                if value < best.value {
                    best = BestPoint { at, value };
                    improved = true;
                }
            }
        }
        if !improved {
            step /= 2.0;
        }
    }
    Ok(best)
}

/// Returns the minimum of the function between `low` and `high`, by golden section, and its value;
/// exact only if the function falls and then rises.
pub(crate) fn golden_section<E>(
    mut low: f64,
    mut high: f64,
    rounds: u32,
    mut value_at: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    let inner = |low: f64, high: f64| (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (value_at(left)?, value_at(right)?);
    for _ in 0..rounds {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high).0;
            at_left = value_at(left)?;
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high).1;
            at_right = value_at(right)?;
        }
    }
    Ok(match at_left <= at_right {
        true => (left, at_left),
        false => (right, at_right),
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn pattern_search_finds_the_minimum_and_keeps_fixed_arguments() {
        let bowl = |at: &[f64; 3]| {
            let sum: f64 = at.iter().map(|x| (x - 2.0).abs()).sum();
            Ok::<f64, Infallible>(sum)
        };
        let start = BestPoint {
            at: [0.0, 5.0, 7.0],
            value: 12.0,
        };
        let steps = Steps {
            first: 0.4,
            last: 1e-4,
            rounds_max: 1000,
        };
        let Ok(best) = pattern_search(start, [true, true, false], steps, bowl);
        assert!((best.at[0] - 2.0).abs() < 1e-3 && (best.at[1] - 2.0).abs() < 1e-3);
        assert_eq!(best.at[2], 7.0);
    }

    #[test]
    fn golden_section_finds_the_minimum() {
        for bottom in [0.0, 3.3, 10.0] {
            let Ok((at, _)) = golden_section(0.0, 10.0, 40, |x| {
                Ok::<f64, Infallible>((x - bottom) * (x - bottom))
            });
            assert!((at - bottom).abs() < 1e-3, "{at} {bottom}");
        }
    }
}
