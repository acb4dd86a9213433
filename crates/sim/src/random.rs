//! Random streams: one child per component, so that adding a component changes no other's draws.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_pcg::Pcg64Mcg;

/// The component of a child stream. Its number is part of the meaning of a seed and never changes.
#[derive(Debug, Clone, Copy)]
pub enum Component {
    /// A job, by its place among all jobs of the cell.
    Job(u32),
    /// A device, by its place in the stack.
    Device(u32),
    /// The angle of a disk's platter at the start.
    Platter,
}

/// A stream of random numbers whose bits are the same on every machine (PCG, O'Neill 2014).
#[derive(Debug, Clone)]
pub struct Stream(Pcg64Mcg);

impl Stream {
    /// Returns the child stream of `component` under the seed of the sample.
    pub fn child(seed: u64, component: Component) -> Self {
        Self(Pcg64Mcg::from_seed(
            Self::child_state(seed, component).to_le_bytes(),
        ))
    }

    /// Returns the initial state of that stream, for another generator that must draw the same
    /// numbers.
    pub fn child_state(seed: u64, component: Component) -> u128 {
        let (kind, index) = match component {
            Component::Job(index) => (1, index),
            Component::Device(index) => (2, index),
            Component::Platter => (3, 0),
        };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        // The generator sets the lowest bit of its state: without its own place, that of the seed would
        // be lost, and each even seed would draw what the next odd one does.
        let is_even = u32::from(seed & 1 == 0);
        bytes[8..12].copy_from_slice(&u32::to_le_bytes(kind | is_even << 31));
        bytes[12..].copy_from_slice(&index.to_le_bytes());
        // The seed is spread over the whole state by drawing once from a generator seeded with it.
        let mut mixer = Pcg64Mcg::from_seed(bytes);
        mixer.next_u64();
        let low = mixer.next_u64();
        u128::from(low) | u128::from(mixer.next_u64()) << 64
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number in `0..bound`, every one equally likely to within `bound` / 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        // Multiply and shift (Lemire 2019) without the rejection step: for the bounds of a
        // simulation the bias is far too small to see.
        let wide = u128::from(self.bits()) * u128::from(bound);
        u64::try_from(wide >> 64).expect("the high half of 128 bits fits 64")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_of_a_seed_differ_and_repeat() {
        let draws = |seed, component| {
            let mut stream = Stream::child(seed, component);
            [stream.bits(), stream.bits(), stream.bits()]
        };
        let one = draws(7, Component::Job(0));
        assert_eq!(one, draws(7, Component::Job(0)));
        for other in [
            draws(7, Component::Job(1)),
            draws(7, Component::Device(0)),
            draws(7, Component::Platter),
            draws(8, Component::Job(0)),
        ] {
            assert_ne!(one, other);
        }
    }

    /// The failure: seeds 0 and 1 drew the same, 2 and 3, and so on, so the six simulations of a cell
    /// were three.
    #[test]
    fn no_two_seeds_draw_the_same() {
        let mut first: Vec<u64> = (0..64)
            .map(|seed| Stream::child(seed, Component::Device(0)).bits())
            .collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 64);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_it() {
        let mut stream = Stream::child(1, Component::Platter);
        let mut seen = [0_u32; 7];
        for _ in 0..7000 {
            seen[usize::try_from(stream.below(7)).expect("small")] += 1;
        }
        assert!(
            seen.iter().all(|&count| (800..1200).contains(&count)),
            "{seen:?}"
        );
    }
}
