//! Change points of one series.

use crate::critical::{p_value, score_at};
use crate::noise::{
    Noise, best_step, centre, correlation, correlation_between, resolution, sd_of_blocks, widening,
};
use crate::number::real;
use crate::place::{CAP, step};
use crate::robust::{limited, without_spikes};
use crate::scan::{Plan, SIDE, WHOLE_PENALTY, sums};

/// The fewest points of a series.
pub const POINTS_MIN: usize = 16;
/// The most points of a series.
pub const POINTS_MAX: usize = 1_000_000;
/// The loosest level: the highest probability that a series of noise has a change.
pub const LEVEL_MAX: f64 = 0.05;
/// How many standard deviations of a point a step may have that would often be missed, where we still say
/// that there is none: a larger one is seen without any program.
pub const UNSEEN_SDS_MAX: f64 = 4.0;
/// How far the contrast of a step must lie above the critical one to be found in four of five cases.
const FOUR_OF_FIVE: f64 = 0.84;
/// By what share a step must be larger for it, times the number of points: noise is estimated of them.
const ROOM_OF_FEW: f64 = 15.0;
/// How far a single point may lie outside its neighbours before the correlation is estimated.
const SPIKE: f64 = 2.5;
/// Beyond how many standard deviations an innovation is limited while changes are searched for.
const LIMIT: f64 = 3.0;
/// How often the noise is estimated again between the changes found.
const ROUNDS: usize = 5;

/// Why nothing can be said about a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CannotTell {
    /// It has too few points.
    TooFewPoints {
        /// How many it has.
        found: usize,
    },
    /// It has too many.
    TooManyPoints {
        /// How many it has.
        found: usize,
    },
    /// A value is not a number, or infinite.
    NotFinite {
        /// Its place, from 0.
        place: usize,
    },
    /// It has no change that is certain, and even a step of [`UNSEEN_SDS_MAX`] standard deviations would
    /// often be missed: it is short, or neighbours are alike.
    StepsUnseen {
        /// How many points it has.
        found: usize,
        /// The correlation of neighbours.
        correlation: f64,
        /// The step in its middle that would be found in four of five cases, in the unit of [`Size`].
        seen_from: f64,
        /// What sizes are.
        sizes_are: Size,
    },
}

/// What sizes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The level afterwards divided by the one before: all values are above 0.
    Ratio,
    /// The level afterwards less the one before.
    Difference,
}

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first point after it, from 0.
    pub place: usize,
    /// The first and last point that may be the first one after it, with 95 %.
    pub places: [usize; 2],
    /// Its size: see [`Trend::sizes_are`].
    pub size: f64,
    /// The ends of the interval of its size, with 95 %.
    pub sizes: [f64; 2],
    /// The probability that a series of noise has a change as strong as this one or the ones found
    /// before it: the lowest level at which it is found.
    pub p_value: f64,
}

/// What was found in a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Trend {
    /// Its changes at [`LEVEL_MAX`], in order.
    pub changes: Vec<Change>,
    /// What their sizes are.
    pub sizes_are: Size,
    /// The noise between changes; of logarithms if sizes are ratios.
    pub noise: Noise,
    /// The probability that a series of noise has something as strong as the strongest place.
    pub p_value: f64,
    /// The size of a step in the middle that would be found in four of five cases at [`LEVEL_MAX`], as far as
    /// the noise is known: below 1 if sizes are ratios, else above 0. `None` for equal values.
    pub seen_from: Option<f64>,
}

impl Trend {
    /// Returns the changes at a level up to [`LEVEL_MAX`]. A stricter level has a part of those of a
    /// looser one.
    pub fn at(&self, level: f64) -> impl Iterator<Item = &Change> {
        let changes = self.changes.iter();
        changes.filter(move |change| change.p_value <= level)
    }
}

/// Finds changes, and keeps what it can use for the next series.
///
/// ```
/// use stripewise_history::Detector;
///
/// // 60 days at about 500 MB/s, then 40 at about 450.
/// let values: Vec<f64> = (0..100)
///     .map(|day| (if day < 60 { 500.0 } else { 450.0 }) + f64::from(day * 37 % 11))
///     .collect();
/// let trend = Detector::default().trend(&values).expect("there are enough points");
/// assert_eq!(trend.changes.len(), 1);
/// assert_eq!(trend.changes[0].place, 60);
/// assert!((trend.changes[0].size - 0.9).abs() < 0.01);
/// ```
#[derive(Debug, Default)]
pub struct Detector {
    /// Of the last length.
    plan: Option<(usize, Plan)>,
    values: Vec<f64>,
    clipped: Vec<f64>,
    raw: Vec<f64>,
    innovations: Vec<f64>,
    /// Innovations of another estimate of the noise.
    others: Vec<f64>,
    sums: Vec<f64>,
    scores: Vec<f64>,
    scratch: Vec<f64>,
    block: Vec<f64>,
}

impl Detector {
    /// Finds the changes of a series, in the order of time and evenly spaced.
    ///
    /// Cost: about n log n; 0.1 ms for 500 points.
    ///
    /// # Errors
    /// [`CannotTell`], if it has too few points or their noise is too slow.
    pub fn trend(&mut self, values: &[f64]) -> Result<Trend, CannotTell> {
        let sizes_are = self.take(values)?;
        self.search(sizes_are)
    }

    /// Returns the highest score of a series before any change is known, and the noise that it is of.
    pub(crate) fn highest_score(&mut self, values: &[f64]) -> Option<(f64, Noise)> {
        self.take(values).ok()?;
        without_spikes(&self.values, SPIKE, &mut self.clipped, &mut self.scratch);
        let noise = self.noise_first(best_step(&self.clipped, SIDE));
        Some((self.scan(noise)?, noise))
    }

    /// Takes the values of a series, and makes its plan.
    fn take(&mut self, values: &[f64]) -> Result<Size, CannotTell> {
        let found = values.len();
        if found < POINTS_MIN {
            return Err(CannotTell::TooFewPoints { found });
        }
        if found > POINTS_MAX {
            return Err(CannotTell::TooManyPoints { found });
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            return Err(CannotTell::NotFinite { place });
        }
        let sizes_are = match values.iter().all(|value| *value > 0.0) {
            true => Size::Ratio,
            false => Size::Difference,
        };
        self.values.clear();
        match sizes_are {
            Size::Ratio => self.values.extend(values.iter().map(|value| value.ln())),
            Size::Difference => self.values.extend_from_slice(values),
        }
        if self.plan.as_ref().is_none_or(|(count, _)| *count != found) {
            self.plan = Some((found, Plan::new(found - 1)));
        }
        Ok(sizes_are)
    }

    fn search(&mut self, sizes_are: Size) -> Result<Trend, CannotTell> {
        let count = self.values.len();
        without_spikes(&self.values, SPIKE, &mut self.clipped, &mut self.scratch);
        let place = best_step(&self.clipped, SIDE);
        let mut noise = self.noise_first(place);
        let Some(noise_min) = resolution(&self.values, place, &mut self.scratch) else {
            return Ok(Trend {
                changes: Vec::new(),
                sizes_are,
                noise,
                p_value: 1.0,
                seen_from: None,
            });
        };
        noise.innovation_sd = at_least(noise.innovation_sd, noise_min);
        let unseen = self.unseen(noise);
        let (mut found, p_value) = self.find(noise);
        let mut rounds = 1;
        while !found.is_empty() && rounds < ROUNDS {
            noise = self.noise_between(&ends(&found), noise_min);
            let (again, _) = self.find(noise);
            // Without what was found the noise is another; the same places end the search.
            let is_same = ends(&again) == ends(&found);
            found = again;
            rounds += 1;
            if is_same {
                break;
            }
        }
        let seen_from = match sizes_are {
            Size::Ratio => (-unseen).exp(),
            Size::Difference => unseen,
        };
        if found.is_empty() && unseen > UNSEEN_SDS_MAX * noise.sd() {
            return Err(CannotTell::StepsUnseen {
                found: count,
                correlation: noise.correlation,
                seen_from,
                sizes_are,
            });
        }
        let changes = self.placed(&found, noise, sizes_are);
        let p_value = changes
            .iter()
            .map(|change| change.p_value)
            .fold(p_value, f64::min);
        Ok(Trend {
            changes,
            sizes_are,
            noise,
            p_value,
            seen_from: Some(seen_from),
        })
    }

    /// Returns the step in the middle that would be found in four of five cases, in the unit of the values
    /// that are searched.
    fn unseen(&self, noise: Noise) -> f64 {
        let count = self.values.len();
        let contrast = score_at(count, noise.correlation, LEVEL_MAX) + WHOLE_PENALTY + FOUR_OF_FIVE;
        let room = 1.0 + ROOM_OF_FEW / real(count);
        room * contrast * 2.0 / real(count).sqrt() * noise.long_run_sd()
    }

    /// Estimates the noise before any change is known, and leaves its innovations: of blocks, or around
    /// the best single step, whichever is the less. In few points any step is in most blocks; several
    /// changes are not one step.
    fn noise_first(&mut self, best_step: usize) -> Noise {
        let of_blocks = self.noise_of_blocks();
        std::mem::swap(&mut self.innovations, &mut self.others);
        let most = of_blocks.long_run_sd();
        let beside = self.noise_unwidened(&[best_step]);
        // It is only widened where it may still be the less.
        if beside.long_run_sd() < most {
            let beside = self.widened(beside);
            if beside.long_run_sd() < most {
                return beside;
            }
        }
        std::mem::swap(&mut self.innovations, &mut self.others);
        of_blocks
    }

    /// Estimates the noise from blocks, and leaves its innovations.
    fn noise_of_blocks(&mut self) -> Noise {
        let correlation = correlation(&self.clipped, &mut self.scratch);
        self.innovate(correlation, LIMIT);
        let sd = sd_of_blocks(&self.innovations, &mut self.scratch);
        Noise {
            correlation,
            innovation_sd: sd * widening(&self.innovations, &mut self.block).sqrt(),
        }
    }

    /// Estimates the noise between changes, and leaves its innovations.
    fn noise_between(&mut self, ends: &[usize], noise_min: f64) -> Noise {
        let narrow = self.noise_unwidened(ends);
        let noise = self.widened(narrow);
        Noise {
            innovation_sd: at_least(noise.innovation_sd, noise_min),
            ..noise
        }
    }

    /// Estimates the noise between changes as if one correlation were enough. Leaves its innovations, and
    /// what they differ from their means in `scratch`.
    fn noise_unwidened(&mut self, ends: &[usize]) -> Noise {
        let correlation = correlation_between(&self.clipped, ends);
        self.innovate(correlation, LIMIT);
        let before: Vec<usize> = ends.iter().map(|end| end - 1).collect();
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.innovations);
        Noise {
            correlation,
            innovation_sd: centre(&mut self.scratch, &before),
        }
    }

    /// Widens the noise that [`Detector::noise_unwidened`] has just estimated.
    fn widened(&mut self, noise: Noise) -> Noise {
        let widening = widening(&self.scratch, &mut self.block);
        Noise {
            innovation_sd: noise.innovation_sd * widening.sqrt(),
            ..noise
        }
    }

    /// Makes innovations: whole ones in `raw`, and limited ones.
    fn innovate(&mut self, correlation: f64, limit: f64) {
        self.raw.clear();
        let pairs = self.clipped.windows(2);
        self.raw
            .extend(pairs.map(|pair| pair[1] - correlation * pair[0]));
        limited(&self.raw, limit, &mut self.innovations, &mut self.scratch);
    }

    /// Returns the places that are found at [`LEVEL_MAX`], the strongest first, with their values of p,
    /// and that of the strongest place.
    fn find(&mut self, noise: Noise) -> (Vec<(usize, f64)>, f64) {
        let count = self.values.len();
        let best = self.scan(noise);
        let (Some(best), Some((_, plan))) = (best, &self.plan) else {
            return (Vec::new(), 1.0);
        };
        let p_value = |score: f64| p_value(count, noise.correlation, score);
        let needed = score_at(count, noise.correlation, LEVEL_MAX);
        if best < needed {
            return (Vec::new(), p_value(best));
        }
        let mut worst: f64 = 0.0;
        let found = plan
            .in_order(&self.sums, &self.scores, needed)
            .into_iter()
            .map(|one| {
                worst = worst.max(p_value(one.score));
                (one.place + 1, worst)
            });
        (found.collect(), p_value(best))
    }

    /// Finds the candidates of all intervals, and returns the highest score.
    fn scan(&mut self, noise: Noise) -> Option<f64> {
        let (_, plan) = self.plan.as_ref()?;
        sums(&self.innovations, noise.innovation_sd, &mut self.sums);
        plan.scan(&self.sums, &mut self.scores);
        self.scores.iter().copied().max_by(f64::total_cmp)
    }

    /// Places the changes exactly, each between its neighbours.
    fn placed(&mut self, found: &[(usize, f64)], noise: Noise, sizes_are: Size) -> Vec<Change> {
        if found.is_empty() {
            return Vec::new();
        }
        self.innovate(noise.correlation, CAP);
        let mut all: Vec<(usize, f64)> = found.to_vec();
        all.sort_by_key(|(place, _)| *place);
        let mut places: Vec<usize> = all.iter().map(|(place, _)| *place).collect();
        let mut changes = Vec::new();
        // Once to place each beside its roughly placed neighbours, once beside the exact ones.
        for _ in 0..2 {
            changes.clear();
            for index in 0..places.len() {
                let start = index.checked_sub(1).map_or(0, |before| places[before]);
                let end = places.get(index + 1).copied().unwrap_or(self.values.len());
                let fitted = step(&self.clipped, &self.innovations, (start, end), noise);
                let Some(fitted) = fitted else { continue };
                places[index] = fitted.place;
                let in_words = |size: f64| match sizes_are {
                    Size::Ratio => size.exp(),
                    Size::Difference => size,
                };
                changes.push(Change {
                    place: fitted.place,
                    places: fitted.places,
                    size: in_words(fitted.size),
                    sizes: fitted.sizes.map(in_words),
                    p_value: all[index].1,
                });
            }
        }
        changes
    }
}

/// Returns a standard deviation, or `least` if it is rounding beside it: most values are equal.
fn at_least(sd: f64, least: f64) -> f64 {
    if sd > 1e-6 * least { sd } else { least }
}

/// Returns the places in order.
fn ends(found: &[(usize, f64)]) -> Vec<usize> {
    let mut places: Vec<usize> = found.iter().map(|(place, _)| *place).collect();
    places.sort_unstable();
    places
}

/// Returns the levels between changes: each part of the values with its mean, in the unit of the values.
/// `places` are the first points after each change.
pub(crate) fn levels(values: &[f64], places: &[usize]) -> Vec<(std::ops::Range<usize>, f64)> {
    let mut start = 0;
    let ends = places.iter().copied();
    let parts = ends.chain([values.len()]).map(|end| {
        let part = start..end.max(start);
        start = part.end;
        let of = &values[part.clone()];
        let mean = of.iter().sum::<f64>() / real(of.len().max(1));
        (part, mean)
    });
    parts.collect()
}

const _: () = assert!(POINTS_MIN > 2 * SIDE, "there is room for a change");
