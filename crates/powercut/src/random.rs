//! Seeded numbers that are the same on every machine, in the guest and on the host.

use stripewise_units::splitmix::{SplitMix64, finalised};

/// A stream of numbers.
#[derive(Debug, Clone)]
pub struct Random(SplitMix64);

impl Random {
    /// Returns the stream of a seed and a purpose: streams of other purposes do not overlap it
    /// noticeably.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(SplitMix64(finalised(seed ^ finalised(purpose))))
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.draw()
    }

    /// Returns a number below `end`; 0 if `end` is 0. The bias is below `end` in 2^64.
    pub fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.next_u64()) * u128::from(end);
        u64::try_from(wide >> 64).unwrap_or(u64::MAX)
    }

    /// Returns true in `parts` of 1024 cases.
    pub fn happens(&mut self, parts: u64) -> bool {
        self.below(1024) < parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_repeat_and_stay_below_their_end() {
        let draw = |seed, purpose| {
            let mut random = Random::new(seed, purpose);
            [(); 64].map(|()| random.below(10))
        };
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(2, 1));
        let drawn = draw(7, 0);
        assert!((0..10).all(|number| drawn.contains(&number)), "{drawn:?}");
        assert_eq!(Random::new(1, 1).below(0), 0);
    }
}
