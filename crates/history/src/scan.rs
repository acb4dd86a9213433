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
    /// The same from the last to the first.
    inverse_back: Vec<f64>,
}

/// How many places are compared at once: processors do so with several numbers in one step.
const LANES: usize = 4;

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
        let inverse: Vec<f64> = inverse.collect();
        Self {
            intervals,
            inverse_back: inverse.iter().rev().copied().collect(),
            inverse,
        }
    }

    /// Finds the score of each interval: that of its strongest place. `sums` are of innovations in standard
    /// deviations.
    pub(crate) fn scan(&self, sums: &[f64], scores: &mut Vec<f64>) {
        scores.clear();
        scores.extend(self.intervals.iter().map(|interval| {
            let contrasts = Contrasts::of(self, sums, *interval);
            contrasts.score(contrasts.highest())
        }));
    }

    /// Returns the places in the order of their strength, down to `score_min`. `scores` are those of the
    /// intervals, from the same sums.
    pub(crate) fn in_order(&self, sums: &[f64], scores: &[f64], score_min: f64) -> Vec<Candidate> {
        let mut taken: Vec<Candidate> = Vec::new();
        let strong = scores.iter().enumerate();
        let strong = strong.filter(|(_, score)| **score >= score_min);
        let mut left: Vec<Candidate> = strong
            .map(|(index, score)| {
                let interval = self.intervals[index];
                let contrasts = Contrasts::of(self, sums, interval);
                Candidate {
                    score: *score,
                    place: interval.start + SIDE + contrasts.first(contrasts.highest()),
                    interval: index,
                }
            })
            .collect();
        loop {
            left.retain(|candidate| {
                let Interval { start, end, .. } = self.intervals[candidate.interval];
                let is_over = |place: &Candidate| start < place.place && place.place < end;
                !taken.last().is_some_and(is_over)
            });
            let strongest = left.iter().max_by(|a, b| a.score.total_cmp(&b.score));
            match strongest {
                Some(strongest) => taken.push(*strongest),
                None => return taken,
            }
        }
    }
}

/// The contrasts of the places of an interval, their squares without the interval's length.
struct Contrasts<'a> {
    interval: Interval,
    base: f64,
    slope: f64,
    sums: &'a [f64],
    /// `1 / k` of the points before and after each place.
    sides: [&'a [f64]; 2],
}

impl<'a> Contrasts<'a> {
    fn of(plan: &'a Plan, sums: &'a [f64], interval: Interval) -> Self {
        let Interval { start, end, .. } = interval;
        let (length, base) = (end - start, sums[start]);
        let inner = &sums[start + SIDE..=end - SIDE];
        let back = plan.inverse_back.len() - 1 - length + SIDE;
        Self {
            interval,
            base,
            slope: (sums[end] - base) * plan.inverse[length],
            sums: inner,
            sides: [
                &plan.inverse[SIDE..SIDE + inner.len()],
                &plan.inverse_back[back..back + inner.len()],
            ],
        }
    }

    fn square(&self, sum: f64, before: f64, [left, right]: [f64; 2]) -> f64 {
        let difference = sum - self.base - self.slope * before;
        difference * difference * left * right
    }

    /// Returns the highest square, at least 0.
    fn highest(&self) -> f64 {
        let [left, right] = self.sides;
        let (sums, last_sums) = self.sums.as_chunks::<LANES>();
        let (left, last_left) = left.as_chunks::<LANES>();
        let (right, last_right) = right.as_chunks::<LANES>();
        let mut before: [f64; LANES] = std::array::from_fn(|lane| real(SIDE + lane));
        let mut best = [0.0; LANES];
        for ((sums, left), right) in sums.iter().zip(left).zip(right) {
            for lane in 0..LANES {
                let square = self.square(sums[lane], before[lane], [left[lane], right[lane]]);
                best[lane] = if square > best[lane] {
                    square
                } else {
                    best[lane]
                };
                before[lane] += real(LANES);
            }
        }
        let mut highest = best.into_iter().fold(0.0, f64::max);
        let last = last_sums.iter().zip(last_left).zip(last_right);
        for (((sum, left), right), before) in last.zip(before) {
            highest = self.square(*sum, before, [*left, *right]).max(highest);
        }
        highest
    }

    /// Returns the first place with a square, from the first place of the interval on.
    fn first(&self, square: f64) -> usize {
        let [left, right] = self.sides;
        let mut all = self.sums.iter().zip(left).zip(right).enumerate();
        let found = all.position(|(place, ((sum, left), right))| {
            self.square(*sum, real(SIDE + place), [*left, *right]) >= square
        });
        found.unwrap_or(0)
    }

    fn score(&self, square: f64) -> f64 {
        let Interval {
            start,
            end,
            penalty,
        } = self.interval;
        (square * real(end - start)).sqrt() - penalty
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
