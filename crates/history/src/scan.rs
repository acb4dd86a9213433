//! Where the level may have changed: every place in a set of intervals of all lengths.
//!
//! The intervals are the seeded ones of Kovács, Bühlmann, Li and Munk (2023): lengths shrink by
//! the square root of two, and neighbours overlap. In each, a contrast compares the means on both
//! sides of each place. A short interval has many like it, so its contrast counts less: the penalty
//! is that of Dümbgen and Spokoiny (2001). The strongest place is taken, intervals over it are
//! dropped, and so on. The order does not depend on a level of significance, so a stricter level
//! finds a part of what a looser one finds.

use crate::number::{real, whole};

/// The fewest points on each side of a place.
pub(crate) const SIDE: usize = 5;
/// The penalty of the whole series, the least: see [`Plan::new`].
pub(crate) const WHOLE_PENALTY: f64 = std::f64::consts::SQRT_2;
/// The shortest interval.
const LENGTH_MIN: usize = 2 * SIDE;

/// An interval of innovations, and what its contrast must exceed to count.
#[derive(Debug, Clone, Copy)]
struct Interval {
    start: usize,
    end: usize,
    penalty: f64,
}

/// What is computed once for all series of one length.
#[derive(Debug)]
pub(crate) struct Plan {
    intervals: Vec<Interval>,
    /// `1 / k`; 0 for 0.
    inverse: Vec<f64>,
}

/// The strongest place of an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// How far its contrast exceeds the penalty, in standard deviations.
    pub(crate) score: f64,
    /// The first innovation after it.
    pub(crate) place: usize,
    interval: usize,
}

impl Plan {
    /// Returns the plan for `count` innovations, at least [`LENGTH_MIN`].
    pub(crate) fn new(count: usize) -> Self {
        let penalty = |start: usize, end: usize| {
            let ratio = real(count) / real(end - start);
            (2.0 * (1.0 + ratio.ln())).sqrt()
        };
        let interval = |start: usize, end: usize| Interval {
            start,
            end,
            penalty: penalty(start, end),
        };
        let mut intervals = vec![interval(0, count)];
        let mut shrink = std::f64::consts::SQRT_2;
        while real(count) / shrink >= real(LENGTH_MIN) {
            let length = real(count) / shrink;
            let number = 2 * whole(shrink.ceil()) - 1;
            let shift = (real(count) - length) / real(number - 1);
            intervals.extend((0..number).map(|index| {
                let start = real(index) * shift;
                interval(whole(start), whole((start + length).ceil()).min(count))
            }));
            shrink *= std::f64::consts::SQRT_2;
        }
        let inverse = (0..=count).map(|k| if k == 0 { 0.0 } else { 1.0 / real(k) });
        Self {
            intervals,
            inverse: inverse.collect(),
        }
    }

    /// Finds the strongest place of each interval, from sums of innovations in standard deviations.
    pub(crate) fn scan(&self, sums: &[f64], found: &mut Vec<Candidate>) {
        found.clear();
        found.extend((0..self.intervals.len()).map(|index| self.strongest(sums, index)));
    }

    fn strongest(&self, sums: &[f64], index: usize) -> Candidate {
        let Interval {
            start,
            end,
            penalty,
        } = self.intervals[index];
        let length = end - start;
        let base = sums[start];
        let slope = (sums[end] - base) * self.inverse[length];
        let inner = &sums[start + SIDE..=end - SIDE];
        let left = &self.inverse[SIDE..SIDE + inner.len()];
        let right = &self.inverse[length - SIDE + 1 - inner.len()..=length - SIDE];
        let (mut best, mut at, mut before) = (0.0, 0, real(SIDE));
        let sides = left.iter().zip(right.iter().rev());
        for (offset, (sum, (left, right))) in inner.iter().zip(sides).enumerate() {
            let difference = sum - base - slope * before;
            let square = difference * difference * left * right;
            if square > best {
                (best, at) = (square, offset);
            }
            before += 1.0;
        }
        Candidate {
            score: (best * real(length)).sqrt() - penalty,
            place: start + SIDE + at,
            interval: index,
        }
    }

    /// Returns the places in the order of their strength, down to `score_min`.
    pub(crate) fn in_order(&self, candidates: &[Candidate], score_min: f64) -> Vec<Candidate> {
        let mut taken: Vec<Candidate> = Vec::new();
        let mut left: Vec<Candidate> = candidates.to_vec();
        loop {
            left.retain(|candidate| {
                let Interval { start, end, .. } = self.intervals[candidate.interval];
                let is_over = |place: &Candidate| start < place.place && place.place < end;
                candidate.score >= score_min && !taken.last().is_some_and(is_over)
            });
            let strongest = left.iter().max_by(|a, b| a.score.total_cmp(&b.score));
            match strongest {
                Some(strongest) => taken.push(*strongest),
                None => return taken,
            }
        }
    }
}

/// Sums innovations in standard deviations: `sums[k]` is the sum of the first `k`.
pub(crate) fn sums(innovations: &[f64], sd: f64, sums: &mut Vec<f64>) {
    sums.clear();
    sums.push(0.0);
    let (scale, mut sum) = (1.0 / sd, 0.0);
    sums.extend(innovations.iter().map(|innovation| {
        sum += innovation * scale;
        sum
    }));
}
