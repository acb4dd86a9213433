//! How probable a score is in a series of noise.
//!
//! The table is made by simulation: `cargo run --release -p stripewise-history --example critical`.
//! For each length and correlation it has the scores that noise exceeds with given probabilities, the
//! highest of three kinds of noise: normal, with the heavy tails of Student's t with three degrees of
//! freedom, and normal with one outlier.

use crate::critical_table::{CORRELATIONS, LENGTHS, PROBABILITIES, SCORES};
use crate::number::real;

/// By what probabilities of the table are multiplied. The table is an estimate between whose
/// entries we interpolate, and the promise holds for other draws and not on average only.
const MARGIN: f64 = 1.3;

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
    // Beyond the table the probability falls as at its end; that of noise falls faster.
    let share = (score - scores[upper - 1]) / (scores[upper] - scores[upper - 1]);
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
    scores[upper - 1] + share * (scores[upper] - scores[upper - 1])
}

/// Interpolates the scores between lengths and correlations; the ends hold beyond the table.
fn scores(count: usize, correlation: f64) -> Scores {
    let lengths = LENGTHS.map(|length| real(length).ln());
    let (row, down) = between(&lengths, real(count).ln());
    let (column, right) = between(&CORRELATIONS, correlation);
    let mut scores = [0.0; PROBABILITIES.len()];
    for (index, score) in scores.iter_mut().enumerate() {
        let of = |row: usize| {
            let [left, next] = [0, 1].map(|step| SCORES[row][column + step][index]);
            left + right * (next - left)
        };
        *score = of(row) + down * (of(row + 1) - of(row));
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
