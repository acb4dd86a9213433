//! Simulated samples with a known truth, for the coverage tests and for the `coverage` example.
//!
//! All numbers come from one seeded generator, so that a seed and a commit reproduce them.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The generator of all simulations.
pub type Generator = Pcg64Mcg;

/// Returns a generator; print the seed with every result.
pub fn generator(seed: u64) -> Generator {
    Generator::seed_from_u64(seed)
}

/// Returns the count as a real number.
pub fn real(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("simulations are smaller than 2^32"))
}

/// The distribution of single samples. The median is 1 in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Bell-shaped.
    Normal,
    /// Log-normal with four times the requested spread: a long upper tail.
    Skewed,
    /// Two narrow modes, one spread below and one above the median, and nothing in between.
    Bimodal,
}

/// The process that generates the samples of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Process {
    /// The distribution of single samples.
    pub shape: Shape,
    /// The spread, as a fraction of the median.
    pub spread: f64,
    /// Lag-1 autocorrelation of the noise, a first-order autoregression.
    pub autocorrelation: f64,
    /// Rise per sample, as a fraction of the median.
    pub drift_per_sample: f64,
}

impl Process {
    /// Draws `count` samples; the truth is [`Process::truth`].
    pub fn draw(&self, count: usize, generator: &mut Generator) -> Vec<f64> {
        let noise = autoregression(count, self.autocorrelation, generator);
        let value =
            |(index, noise): (usize, f64)| self.shaped(noise) + self.drift_per_sample * real(index);
        noise.into_iter().enumerate().map(value).collect()
    }

    /// Returns the median over the time that `count` samples take.
    pub fn truth(&self, count: usize) -> f64 {
        1.0 + self.drift_per_sample * (real(count) - 1.0) / 2.0
    }

    fn shaped(&self, noise: f64) -> f64 {
        match self.shape {
            Shape::Normal => 1.0 + self.spread * noise,
            Shape::Skewed => (4.0 * self.spread * noise).exp(),
            Shape::Bimodal => 1.0 + self.spread * (noise.signum() + 0.3 * noise),
        }
    }
}

/// Returns a standard normal number (Box and Muller 1958).
pub fn normal(generator: &mut Generator) -> f64 {
    let radius = (-2.0 * (1.0 - generator.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * generator.random::<f64>()).cos()
}

/// Returns a stationary first-order autoregression with variance 1.
pub fn autoregression(count: usize, autocorrelation: f64, generator: &mut Generator) -> Vec<f64> {
    let fresh = (1.0 - autocorrelation * autocorrelation).sqrt();
    let mut state = normal(generator);
    let mut next = || {
        let now = state;
        state = autocorrelation * state + fresh * normal(generator);
        now
    };
    (0..count).map(|_| next()).collect()
}

/// The noise of two cells measured in turn, in an order drawn at random for each pair, as the
/// runner does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    /// Spread of the noise of each single sample.
    pub own_spread: f64,
    /// Spread of the slow noise of the machine, shared by both cells; its lag-1 autocorrelation is 0.7.
    pub shared_spread: f64,
    /// Spread of noise that both samples of a pair have in common, and that is new in each pair.
    pub pair_spread: f64,
    /// Lag-1 autocorrelation of the noise of each cell by itself.
    pub own_autocorrelation: f64,
    /// Every tenth sample, at random, is this many times as slow; 1 for none.
    pub slow_times: f64,
    /// Linear drift over the whole session.
    pub drift: f64,
    /// Spread of the level of each cell within one session, for example from the placement of its
    /// file.
    pub level_spread: f64,
    /// The true ratio of the other to the baseline.
    pub ratio: f64,
}

/// A session without noise or difference, for tests to modify.
pub const SILENT: Session = Session {
    own_spread: 0.0,
    shared_spread: 0.0,
    pair_spread: 0.0,
    own_autocorrelation: 0.0,
    slow_times: 1.0,
    drift: 0.0,
    level_spread: 0.0,
    ratio: 1.0,
};

/// Draws a session of `count` pairs (baseline, other). Noise is multiplicative, so that all values are positive.
pub fn draw_session(session: &Session, count: usize, generator: &mut Generator) -> Vec<(f64, f64)> {
    let machine = autoregression(2 * count, 0.7, generator);
    let baseline = autoregression(count, session.own_autocorrelation, generator);
    let other = autoregression(count, session.own_autocorrelation, generator);
    let levels = [0; 2].map(|_| session.level_spread * normal(generator));
    let orders: Vec<bool> = (0..count).map(|_| generator.random()).collect();
    let common = autoregression(count, 0.0, generator);
    let level = |turn: usize, own: f64| {
        let trend = session.drift * (real(turn) / real(2 * count) - 0.5);
        (session.shared_spread * machine[turn] + session.own_spread * own + trend).exp()
    };
    let mut slow = |value: f64| {
        let is_slow = session.slow_times > 1.0 && generator.random::<f64>() < 0.1;
        if is_slow {
            value / session.slow_times
        } else {
            value
        }
    };
    let mut pair = |index: usize| {
        let turn = 2 * index;
        let baseline_late = usize::from(orders[index]);
        let both = (session.pair_spread * common[index]).exp();
        let baseline = levels[0].exp() * level(turn + baseline_late, baseline[index]);
        let other = levels[1].exp() * session.ratio * level(turn + 1 - baseline_late, other[index]);
        (both * slow(baseline), both * slow(other))
    };
    (0..count).map(&mut pair).collect()
}
