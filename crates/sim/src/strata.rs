//! Draws that come as often as they should: each 1024th of a distribution once in 1024 draws, in a
//! random order (stratified sampling; Cochran, "Sampling Techniques", 1977).
//!
//! A mix of cheap reads and dear writes has a rate that follows from the share of writes, which is
//! known. Drawn independently, that share would vary so much that a rate within 1 % takes ten to
//! fifty times the I/Os. A thousand is far more than a job has under way, so what meets in the queues
//! varies as with independent draws.

/// The draws in which each stratum comes once, as a power of two.
const BITS: u32 = 10;
const MASK: u64 = (1 << BITS) - 1;

/// The order in which the strata are drawn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strata {
    /// The draws, modulo the number of strata.
    count: u64,
    /// The order of these draws.
    key: u64,
}

impl Strata {
    /// Returns a number in `0..bound`; `bits` are random.
    #[inline]
    pub(crate) fn draw_below(&mut self, bound: u64, bits: u64) -> u64 {
        if self.count == 0 {
            self.key = bits;
        }
        let place = self.place();
        self.count = (self.count + 1) & MASK;
        // The stratum, and where in it: 10 and 32 bits.
        let number = place << 32 | bits >> 32;
        (number * bound) >> (32 + BITS)
    }

    /// Returns the stratum of this draw: each step is a bijection of [`BITS`] bits.
    #[inline]
    fn place(&self) -> u64 {
        let key = |shift: u32| self.key >> shift & MASK;
        let mut place = ((self.count ^ key(0)) * (key(10) | 1)) & MASK;
        place ^= place >> 5;
        place = ((place ^ key(20)) * (key(30) | 1)) & MASK;
        place ^= place >> 4;
        place = ((place ^ key(40)) * (key(50) | 1)) & MASK;
        place ^ place >> 5
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::random::{Component, Stream};

    fn draws(seed: u64, bound: u64, count: usize) -> Vec<u64> {
        let mut stream = Stream::child(seed, Component::Job(0));
        let mut strata = Strata::default();
        let draw = |_| strata.draw_below(bound, stream.bits());
        (0..count).map(draw).collect()
    }

    proptest::proptest! {
        #[test]
        fn each_stratum_is_drawn_once(seed in 0_u64..1000) {
            let strata: BTreeSet<u64> = draws(seed, 1024, 1024).into_iter().collect();
            proptest::prop_assert_eq!(strata.len(), 1024);
        }
    }

    #[test]
    fn the_share_of_a_mix_is_exact_and_its_order_is_as_random_as_independent_draws() {
        let all = draws(7, 100, 1 << 16);
        let is_low = |number: &&u64| **number < 30;
        let low = all.iter().filter(is_low).count();
        // The 64 strata that 30 % cuts may be off by one each.
        assert!(low.abs_diff((1 << 16) * 3 / 10) <= 64, "{low}");
        // In the 32 I/Os of a queue the number of writes varies as it does independently: 6.7 (1 - 31/1023).
        let squares = all.chunks(32).map(|window| {
            let off = 10 * window.iter().filter(is_low).count().cast_signed() - 96;
            off * off
        });
        let variance = squares.sum::<isize>() / (1 << 11);
        assert!((600..700).contains(&variance), "{variance}");
    }
}
