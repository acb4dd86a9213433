//! How probable a score is in a series of noise.
//!
//! The table is made by simulation: `cargo run --release -p stripewise-history --example critical`.
//! For each length and estimated correlation it has the scores that noise exceeds with given
//! probabilities, the highest of three kinds of noise: normal, with the heavy tails of Student's t with
//! three degrees of freedom, and normal with one outlier. In short series the estimate is often far from the
//! truth, and scores are highest where it is too low: so noise of any correlation up to a high one
//! exceeds them at most so often, whatever is estimated of it.

use crate::critical_table::{CORRELATIONS, LENGTHS, PROBABILITIES, SCORES};
use crate::number::real;
use crate::scan::WHOLE_PENALTY;

/// By what probabilities of the table are multiplied. The table is an estimate between whose
/// entries we interpolate, and the promise holds for other draws and not on average only.
const MARGIN: f64 = 1.3;

/// By how much scores rise for each doubling of the points beyond the table. From 160 to 720 points they
/// were simulated to rise by less.
const RISE: f64 = 0.15;

type Scores = [f64; PROBABILITIES.len()];

/// Returns an upper bound of the probability that a series of noise of this length and correlation has
/// a score of `score` or more; at most 1.
pub(crate) fn p_value(count: usize, correlation: f64, score: f64) -> f64 {
    let scores = scores(count, correlation);
    let last = scores.len() - 1;
    let upper = scores.partition_point(|of| *of < score).clamp(1, last);
    if score < scores[0] {
        return 1.0;
    }
    let share = share_of(score, scores[upper - 1], scores[upper]);
    let [above, below] = [PROBABILITIES[upper - 1].ln(), PROBABILITIES[upper].ln()];
    (MARGIN * (above + share * (below - above)).exp()).min(1.0)
}

/// Returns the score that noise has with probability `p_value`, the inverse of [`p_value`].
pub(crate) fn score_at(count: usize, correlation: f64, p_value: f64) -> f64 {
    let scores = scores(count, correlation);
    let wanted = (p_value / MARGIN).ln();
    let last = scores.len() - 1;
    let upper = PROBABILITIES
        .partition_point(|of| of.ln() > wanted)
        .clamp(1, last);
    let [above, below] = [PROBABILITIES[upper - 1].ln(), PROBABILITIES[upper].ln()];
    let share = (wanted - above) / (below - above);
    let [low, high] = [scores[upper - 1], scores[upper]].map(contrast);
    (low + share * (high - low)).exp() - WHOLE_PENALTY
}

/// Returns the logarithm of the contrast that a score is of, as high as it is at least.
fn contrast(score: f64) -> f64 {
    (score + WHOLE_PENALTY).max(f64::MIN_POSITIVE).ln()
}

/// Returns how far a score is from one entry to the next. The probability is a power of the contrast between
/// them, and beyond the table as at its end: as the tails of Student's t, and slower than those of
/// normal noise.
fn share_of(score: f64, low: f64, high: f64) -> f64 {
    let [score, low, high] = [score, low, high].map(contrast);
    (score - low) / (high - low)
}

/// Interpolates the scores between lengths and correlations. The ends hold beyond the table, and scores of
/// longer series rise.
fn scores(count: usize, correlation: f64) -> Scores {
    let lengths = LENGTHS.map(|length| real(length).ln());
    let (row, down) = between(&lengths, real(count).ln());
    let (column, right) = between(&CORRELATIONS, correlation);
    let longest = LENGTHS[LENGTHS.len() - 1];
    let rise = RISE * (real(count) / real(longest)).log2().max(0.0);
    let mut scores = [0.0; PROBABILITIES.len()];
    for (index, score) in scores.iter_mut().enumerate() {
        let of = |row: usize| {
            let [left, next] = [0, 1].map(|step| SCORES[row][column + step][index]);
            left + right * (next - left)
        };
        *score = of(row) + down * (of(row + 1) - of(row)) + rise;
    }
    scores
}

/// Returns the entry before a value, and how far it is towards the next.
fn between(entries: &[f64], value: f64) -> (usize, f64) {
    let next = entries.partition_point(|entry| *entry <= value);
    let before = next.clamp(1, entries.len() - 1) - 1;
    let share = (value - entries[before]) / (entries[before + 1] - entries[before]);
    (before, share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_its_functions_are_inverse() {
        for (row, length) in LENGTHS.iter().enumerate() {
            for (column, correlation) in CORRELATIONS.iter().enumerate() {
                assert!(SCORES[row][column].is_sorted(), "{length} {correlation}");
                for p in [0.05, 0.01, 0.001, 1e-6] {
                    let score = score_at(*length, *correlation, p);
                    let back = p_value(*length, *correlation, score);
                    assert!(
                        (back / p - 1.0).abs() < 1e-9,
                        "{length} {correlation} {p} {back}"
                    );
                }
            }
        }
        assert!(p_value(300, 0.3, -5.0) >= 1.0);
    }
}
