//! How much of an answer is simulated, as far as that can be known while parts are still found.

use stripewise_units::as_f64;

/// The parts of an answer, such as cells or designs, each with several simulations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    parts_left: u64,
    /// The simulations of complete parts, the complete ones of the current part, and all of that part.
    before: u64,
    done: u64,
    of: u64,
}

impl Share {
    /// Returns that of an answer of so many parts.
    pub fn new(parts: usize) -> Self {
        Self {
            parts_left: count(parts),
            before: 0,
            done: 0,
            of: 0,
        }
    }

    /// Records that so many of the simulations of the current part are complete.
    pub fn simulated(&mut self, done: u64, of: u64) {
        (self.done, self.of) = (done, of);
    }

    /// Records that a part is complete and so many are left.
    pub fn part_done(&mut self, left: usize) {
        self.before += self.of;
        self.parts_left = count(left);
        self.done = 0;
    }

    /// Returns the share that is complete: 0 to 1, and it may fall where more is found to do.
    pub fn done(&self) -> f64 {
        let all = self.before + self.of * self.parts_left;
        as_f64(self.before + self.done) / as_f64(all.max(1))
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_by_their_simulations() {
        let mut share = Share::new(4);
        assert!(share.done() < 1e-9);
        share.simulated(3, 6);
        assert!((share.done() - 0.125).abs() < 1e-9);
        share.part_done(1);
        assert!((share.done() - 0.5).abs() < 1e-9);
        share.part_done(0);
        assert!((share.done() - 1.0).abs() < 1e-9);
    }
}
