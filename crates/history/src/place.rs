//! Where exactly the level changed and by how much, with their intervals.
//!
//! The likelihood of a step at each place between the neighbouring changes. With correlated noise,
//! a step is one large innovation and then a small lasting shift, and the large one says most about
//! the place. Places whose log-likelihood ratio to the best is within a limit form the interval
//! (Siegmund 1988). Innovations beyond [`CAP`] standard deviations count as that.

use crate::noise::Noise;
use crate::number::real;

/// Beyond how many standard deviations an innovation counts no more.
pub(crate) const CAP: f64 = 3.5;
/// Twice the log-likelihood ratio up to which a place is in the interval: 95 % for a step of known
/// height, 1 - (1 - exp(-x / 2))^2 = 0.05 at 7.35, and a little for the unknown one.
const WITHIN: f64 = 7.8;
/// The standard errors on each side of a size: 95 %, and a little for the estimated noise.
const ERRORS: f64 = 2.05;
/// The fewest innovations on each side.
const SIDE: usize = 2;

/// A step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The first point after it.
    pub(crate) place: usize,
    /// The first and last place in its interval.
    pub(crate) places: [usize; 2],
    /// Its size.
    pub(crate) size: f64,
    /// The ends of its interval.
    pub(crate) sizes: [f64; 2],
}

struct At {
    place: usize,
    gain: f64,
    size: f64,
    /// What the square of its standard error is the inverse of.
    free: f64,
}

/// Fits a step to the points from `start` to `end`. `limited` are their innovations without extreme
/// ones: that of point `t` is at `t - 1`. `None` if there are too few points.
pub(crate) fn step(
    values: &[f64],
    limited: &[f64],
    (start, end): (usize, usize),
    noise: Noise,
) -> Option<Step> {
    let scale = 1.0 / noise.innovation_sd;
    let total: f64 = limited.get(start..end.checked_sub(1)?)?.iter().sum::<f64>() * scale;
    let mut left = 0.0;
    let mut all = Vec::with_capacity(end - start);
    for place in start + 1..end {
        let own = limited[place - 1] * scale;
        let (before, after) = (place - 1 - start, end - 1 - place);
        if before >= SIDE && after >= SIDE {
            let jump = (values[place] - noise.correlation * values[place - 1]) * scale;
            let sides = Sides {
                counts: [real(before), real(after)],
                sums: [left, total - left - own],
                share: 1.0 - noise.correlation,
            };
            let (gain, size, free) = sides.gain(own, jump, total);
            all.push(At {
                place,
                gain,
                size,
                free,
            });
        }
        left += own;
    }
    let best = all.iter().max_by(|a, b| a.gain.total_cmp(&b.gain))?;
    let mut within = all.iter().filter(|at| at.gain >= best.gain - WITHIN);
    let first = within.next()?.place;
    let last = within.next_back().map_or(first, |at| at.place);
    let size = best.size * noise.innovation_sd;
    let room = ERRORS * (1.0 / best.free.sqrt() * noise.innovation_sd);
    Some(Step {
        place: best.place,
        places: [first, last],
        size,
        sizes: [size - room, size + room],
    })
}

/// The innovations on both sides of a place, in standard deviations.
struct Sides {
    counts: [f64; 2],
    sums: [f64; 2],
    /// The share of a step that lasts in the innovations: one less the correlation.
    share: f64,
}

impl Sides {
    /// Returns twice the gain in log-likelihood, the size, and [`At::free`]. `own` is the limited
    /// innovation at the place, `jump` the whole one.
    fn gain(&self, own: f64, jump: f64, total: f64) -> (f64, f64, f64) {
        let [before, after] = self.counts;
        let [left, right] = self.sums;
        let fit = |weight: f64| {
            let count = before + after + weight;
            let steps = weight + after * self.share;
            let squares = weight + after * self.share * self.share;
            let sum = left + right + weight * jump;
            let free = squares - steps * steps / count;
            let product = weight * jump + self.share * right;
            let size = (product - steps * sum / count) / free;
            ((sum - steps * size) / count, size, free)
        };
        let (mut level, mut size, mut free) = fit(1.0);
        if (jump - level - size).abs() > CAP {
            (level, size, free) = fit(0.0);
        }
        let shifted = level + self.share * size;
        let misfit = |count: f64, level: f64, sum: f64| count * level * level - 2.0 * level * sum;
        let rest = (jump - level - size).abs().min(CAP).powi(2);
        let with = misfit(before, level, left) + misfit(after, shifted, right) + rest;
        let without = own * own - total * total / (before + after + 1.0);
        (without - with, size, free)
    }
}
