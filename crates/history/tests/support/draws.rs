//! Series and fleets with a known truth, drawn from a seed.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

/// What the noise is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Normal innovations.
    Normal,
    /// Innovations of Student's t with three degrees of freedom, scaled to the same variance.
    HeavyTails,
    /// Normal innovations, and one point half or half again as high.
    OneOutlier,
}

pub const KINDS: [Kind; 3] = [Kind::Normal, Kind::HeavyTails, Kind::OneOutlier];

/// The points that are drawn and dropped, so that a series does not begin at its level.
const BEFORE: usize = 60;

pub struct Draws(Pcg64Mcg);

impl Draws {
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Returns a number from 0 to 1, both excluded.
    pub fn unit(&mut self) -> f64 {
        // The 52 upper bits are exact in a real number.
        let bits = (self.0.next_u64() >> 12) | 1.0_f64.to_bits();
        f64::from_bits(bits) - 1.0 + f64::EPSILON / 2.0
    }

    /// Returns a whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        let number = self.0.next_u64() % u64::try_from(end).unwrap_or(1);
        usize::try_from(number).unwrap_or(0)
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Returns a number of Student's t with three degrees of freedom, with variance 1.
    pub fn heavy(&mut self) -> f64 {
        let number = self.normal();
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        number / squares.sqrt()
    }

    pub fn noise(&mut self, kind: Kind) -> f64 {
        match kind {
            Kind::HeavyTails => self.heavy(),
            Kind::Normal | Kind::OneOutlier => self.normal(),
        }
    }

    /// Draws `count` points around 1 with a coefficient of variation of 5 %.
    pub fn series(&mut self, count: usize, correlation: f64, kind: Kind, values: &mut Vec<f64>) {
        values.clear();
        let share = (1.0 - correlation * correlation).sqrt();
        let mut deviation = self.normal();
        for index in 0..BEFORE + count {
            deviation = correlation * deviation + share * self.noise(kind);
            if index >= BEFORE {
                values.push(1.0 + 0.05 * deviation);
            }
        }
        if kind == Kind::OneOutlier {
            let place = self.below(count);
            values[place] *= if self.unit() < 0.5 { 0.5 } else { 1.5 };
        }
    }
}
