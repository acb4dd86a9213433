//! The noise of a series: how alike neighbours are, and how far a point lies from what its
//! neighbour predicts.
//!
//! Noise is a first-order autoregression: each deviation from the level is `correlation` times the
//! one before, plus an innovation. The estimates must not take a change of level for correlation.
//! So, before changes are known, there are two estimates, and the one with less noise counts. One is of
//! blocks, of which only the middle half counts: a change is in few of many blocks. The other is
//! around the best single step, which is in every block of a short series. Taking the less makes noise
//! look stronger than it is, which the simulated critical scores contain. Afterwards estimates come from the
//! deviations from the level between changes.
//!
//! Where noise is a slow wander plus jitter, one correlation is not enough. [`widening`] compares
//! the sums of several innovations with single ones, and widens the noise if they vary more.

use crate::number::real;
use crate::robust::{median, middle_mean};

/// The highest correlation that is estimated: beyond it, noise and change cannot be distinguished.
const CORRELATION_MAX: f64 = 0.97;
/// How many blocks of half their overlap a series is cut into, and the fewest points of one.
const BLOCKS: usize = 5;
const BLOCK_POINTS_MIN: usize = 20;
/// How many neighbours beyond the first [`widening`] looks at.
const LAGS: usize = 8;

/// The noise of a series, in the unit of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// The correlation of neighbours, from 0 to 0.97; negative ones count as 0.
    pub correlation: f64,
    /// The standard deviation of the innovations.
    pub innovation_sd: f64,
}

impl Noise {
    /// Returns the standard deviation of a point around its level.
    pub fn sd(self) -> f64 {
        self.innovation_sd / (1.0 - self.correlation * self.correlation).sqrt()
    }

    /// Returns the standard deviation of the mean of many points, times the root of their number.
    pub(crate) fn long_run_sd(self) -> f64 {
        self.innovation_sd / (1.0 - self.correlation)
    }
}

/// Returns the blocks of a series; each begins in the middle of the one before.
fn blocks(values: &[f64]) -> impl Iterator<Item = &[f64]> {
    let length = block_length(values.len());
    let starts = (0..values.len()).step_by((length / 2).max(1));
    starts.filter_map(move |start| values.get(start..start + length))
}

fn block_length(count: usize) -> usize {
    (count / BLOCKS).max(BLOCK_POINTS_MIN).min(count)
}

/// Estimates the correlation of neighbours without knowing the changes.
pub(crate) fn correlation(values: &[f64], scratch: &mut Vec<f64>) -> f64 {
    scratch.clear();
    scratch.extend(blocks(values).map(block_correlation));
    middle_mean(scratch).clamp(0.0, CORRELATION_MAX)
}

/// Returns the correlation in a block, without the bias that its own mean brings: the expected
/// estimate from m points is r - (1 + 3 r) / m (Kendall 1954).
fn block_correlation(block: &[f64]) -> f64 {
    let count = real(block.len());
    let mean = block.iter().sum::<f64>() / count;
    let (mut squares, mut products, mut before) = (0.0, 0.0, 0.0);
    for value in block {
        let deviation = value - mean;
        squares += deviation * deviation;
        products += deviation * before;
        before = deviation;
    }
    if squares <= rounding(mean) * count {
        return 0.0;
    }
    let found = products / squares * count / (count - 1.0);
    (count * found + 1.0) / (count - 3.0)
}

/// Returns the square of what rounding makes of equal values.
fn rounding(mean: f64) -> f64 {
    (1e-12 * mean).powi(2)
}

/// Estimates the standard deviation of innovations without knowing the changes.
pub(crate) fn sd_of_blocks(innovations: &[f64], scratch: &mut Vec<f64>) -> f64 {
    scratch.clear();
    scratch.extend(blocks(innovations).map(|block| {
        let count = real(block.len());
        let mean = block.iter().sum::<f64>() / count;
        let squares: f64 = block.iter().map(|value| (value - mean).powi(2)).sum();
        squares / (count - 1.0)
    }));
    middle_mean(scratch).sqrt()
}

/// Returns by what the variance of innovations is multiplied so that sums of neighbours have it
/// (Bartlett's weights), at least 1. The block that varies most is left out: a change may be in it.
pub(crate) fn widening(innovations: &[f64], scratch: &mut Vec<f64>) -> f64 {
    let length = block_length(innovations.len());
    let lags = LAGS.min(length / 4);
    let (mut long, mut short, mut worst) = (0.0, 0.0, (f64::MIN, 0.0));
    let blocks = innovations.chunks_exact(length);
    let count = blocks.len();
    for block in blocks {
        let mean = block.iter().sum::<f64>() / real(length);
        scratch.clear();
        scratch.extend(block.iter().map(|value| value - mean));
        let products = products(scratch);
        let own = products[0];
        // The mean of the block makes every product too small by about this share.
        let mut sum = own * (1.0 + real(lags) / real(length));
        for (lag, product) in products.iter().enumerate().take(lags + 1).skip(1) {
            let weight = 1.0 - real(lag) / real(lags + 1);
            sum += 2.0 * weight * product * real(length) / real(length - lag);
        }
        long += sum;
        short += own;
        if sum > worst.0 {
            worst = (sum, own);
        }
    }
    if count >= 3 {
        long -= worst.0;
        short -= worst.1;
    }
    match short > 0.0 {
        true => (long / short).max(1.0),
        false => 1.0,
    }
}

/// Returns the sums of products of values with themselves, their next neighbours, and so on to [`LAGS`]. Zeros
/// are added to `values`: all sums grow in one loop, which processors do at once.
fn products(values: &mut Vec<f64>) -> [f64; LAGS + 1] {
    values.extend([0.0; LAGS]);
    let mut sums = [0.0; LAGS + 1];
    let mut rest = values.as_slice();
    while let Some(neighbours) = rest.first_chunk::<{ LAGS + 1 }>() {
        let first = neighbours[0];
        for (sum, value) in sums.iter_mut().zip(neighbours) {
            *sum += first * value;
        }
        rest = &rest[1..];
    }
    sums
}

/// Returns the first point after the single step that leaves the least squares, at least `side` points from
/// both ends.
pub(crate) fn best_step(values: &[f64], side: usize) -> usize {
    let count = real(values.len());
    let mean = values.iter().sum::<f64>() / count;
    let (mut sum, mut best, mut place) = (0.0, f64::MIN, side);
    for (index, value) in values.iter().enumerate() {
        if index >= side && index + side <= values.len() {
            let before = real(index);
            let gain = sum * sum / (before * (count - before));
            if gain > best {
                (best, place) = (gain, index);
            }
        }
        sum += value - mean;
    }
    place
}

/// Estimates the correlation of neighbours around the levels between changes; `ends` are the
/// first points after each change.
pub(crate) fn correlation_between(values: &[f64], ends: &[usize]) -> f64 {
    let (mut squares, mut products, mut equal, mut start) = (0.0, 0.0, 0.0, 0);
    for end in ends.iter().copied().chain([values.len()]) {
        let part = &values[start..end];
        let mean = part.iter().sum::<f64>() / real(part.len().max(1));
        let mut before = 0.0;
        for value in part {
            let deviation = value - mean;
            squares += deviation * deviation;
            products += deviation * before;
            before = deviation;
        }
        equal += rounding(mean) * real(part.len());
        start = end;
    }
    let (count, levels) = (real(values.len()), real(ends.len() + 1));
    if squares <= equal || count <= 3.0 * levels + 1.0 {
        return 0.0;
    }
    let found = products / squares * count / (count - levels);
    let unbiased = (count * found + levels) / (count - 3.0 * levels);
    unbiased.clamp(0.0, CORRELATION_MAX)
}

/// Subtracts the mean between changes from innovations, and returns their standard deviation.
/// `ends` are the first innovations after each change.
pub(crate) fn centre(innovations: &mut [f64], ends: &[usize]) -> f64 {
    let (mut squares, mut start) = (0.0, 0);
    let count = innovations.len();
    for end in ends.iter().copied().chain([count]) {
        let part = &mut innovations[start..end];
        let mean = part.iter().sum::<f64>() / real(part.len().max(1));
        for value in part {
            *value -= mean;
            squares += *value * *value;
        }
        start = end;
    }
    let free = real(count) - real(ends.len()) - 2.0;
    (squares / free.max(1.0)).sqrt()
}

/// Returns a standard deviation for a series in which most neighbours are equal: the typical
/// difference of those that differ, apart from the best single step, which is at `place`. Where nothing else
/// differs, that step is hundredfold noise. `None` if all are equal.
pub(crate) fn resolution(values: &[f64], place: usize, scratch: &mut Vec<f64>) -> Option<f64> {
    let difference = |pair: &[f64]| (pair[1] - pair[0]).abs();
    let differences = values.windows(2).map(difference).enumerate();
    scratch.clear();
    scratch.extend(
        differences.filter_map(|(before, of)| (of > 0.0 && before + 1 != place).then_some(of)),
    );
    if !scratch.is_empty() {
        return Some(median(scratch));
    }
    let step = difference(values.get(place.checked_sub(1)?..=place)?);
    (step > 0.0).then_some(step / 100.0)
}
