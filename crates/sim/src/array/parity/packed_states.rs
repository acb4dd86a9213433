//! The states of four neighbouring blocks of a stripe in one word: a rule is applied to all of them
//! at once, without a branch for each member.

use super::stripe::{BlockState, PIECES, Stripe};
use crate::narrow::{index, low_u16, low_u32};

/// The blocks of a word.
pub(super) const LANES: usize = 4;
/// The bits of a block's state.
const BITS: usize = 16;

/// The states of four blocks, that of the first member in the lowest bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackedStates(u64);

/// A set of the blocks of a word: the lowest bit of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Lanes(u64);

impl PackedStates {
    /// Blocks without data.
    pub(super) const EMPTY: Self = Self(0);

    /// Returns the last word of a stripe without data: blocks beyond its `members` are up to date, so
    /// that no rule asks for them.
    pub(super) fn empty_last(members: usize) -> Self {
        let beyond = match members % LANES {
            0 => Lanes::default(),
            used => Lanes(Lanes::ALL.0 << (used * BITS)),
        };
        let mut packed = Self::EMPTY;
        packed.set(beyond, BlockState::UP_TO_DATE);
        packed
    }

    /// Returns the state of a block.
    #[inline]
    pub(super) fn get(self, lane: usize) -> BlockState {
        BlockState::of_bits(low_u16(low_u32((self.0 >> (lane * BITS)) & 0xffff)))
    }

    /// Returns the blocks with one `state`.
    #[inline]
    pub(super) const fn with(self, state: BlockState) -> Lanes {
        Lanes((self.0 >> state.bits().trailing_zeros()) & Lanes::ALL.0)
    }

    /// Returns the states that any block has.
    #[inline]
    pub(super) fn any(self) -> BlockState {
        let halves = self.0 | self.0 >> (2 * BITS);
        Self(halves | halves >> BITS).get(0)
    }

    #[inline]
    pub(super) const fn set(&mut self, lanes: Lanes, states: BlockState) {
        self.0 |= lanes.0 * states.bits() as u64;
    }

    #[inline]
    pub(super) const fn clear(&mut self, lanes: Lanes, states: BlockState) {
        self.0 &= !(lanes.0 * states.bits() as u64);
    }

    /// Takes over the states of other blocks, but keeps those that say which pieces a block has.
    pub(super) const fn copy_states(&mut self, other: Self) {
        let kept = Lanes::ALL.0 * PIECES.bits() as u64;
        self.0 = (self.0 & kept) | (other.0 & !kept);
    }
}

impl std::ops::BitOr for PackedStates {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Lanes {
    pub(super) const ALL: Self = Self(0x0001_0001_0001_0001);

    /// Returns the block of one member.
    #[inline]
    pub(super) const fn one(lane: usize) -> Self {
        Self(1 << (lane * BITS))
    }

    /// Returns the blocks of word `number` that hold parity of `stripe`.
    #[inline]
    pub(super) fn parity(stripe: &Stripe, number: usize) -> Self {
        let of = |member: u16| {
            let lane = usize::from(member).wrapping_sub(number * LANES);
            match lane < LANES {
                true => Self::one(lane),
                false => Self::default(),
            }
        };
        of(stripe.parity) | of(stripe.syndrome)
    }

    #[inline]
    pub(super) const fn any(self) -> bool {
        self.0 != 0
    }

    #[inline]
    pub(super) const fn is_all(self) -> bool {
        self.0 == Self::ALL.0
    }

    /// Returns the blocks of both sets.
    #[inline]
    pub(super) const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns how many blocks these are.
    #[inline]
    pub(super) const fn count(self) -> u32 {
        low_u32(self.0.wrapping_mul(Self::ALL.0) >> (3 * BITS))
    }

    /// Returns these blocks without others.
    #[inline]
    pub(super) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns whether a block is among these.
    #[inline]
    pub(super) const fn have(self, lane: usize) -> bool {
        self.0 >> (lane * BITS) & 1 != 0
    }

    /// Returns the first block.
    #[inline]
    pub(super) fn first(self) -> Option<usize> {
        self.any()
            .then(|| index(u64::from(self.0.trailing_zeros())) / BITS)
    }

    /// Takes the last block.
    #[inline]
    pub(super) fn take_last(&mut self) -> Option<usize> {
        if !self.any() {
            return None;
        }
        let lane = index(u64::from(63 - self.0.leading_zeros())) / BITS;
        *self = self.without(Self::one(lane));
        Some(lane)
    }
}

impl std::ops::BitOr for Lanes {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl std::ops::BitAnd for Lanes {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// Returns the word of a member in its stripe, and its place there.
#[inline]
pub(super) const fn place_of(member: u16) -> (usize, usize) {
    let member = member as usize;
    (member / LANES, member % LANES)
}

/// Returns the member at a place of word `number`.
#[inline]
pub(super) const fn member_at(number: usize, lane: usize) -> u16 {
    low_u16(low_u32((number * LANES + lane) as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_word_does_what_its_blocks_would_one_by_one(
            states in any::<[u16; LANES]>(),
            is_changed in any::<[bool; LANES]>(),
            bits in any::<u16>(),
            bit in 0_u32..16,
        ) {
            let mut packed = PackedStates::EMPTY;
            let mut changed = Lanes::default();
            for lane in 0..LANES {
                packed.set(Lanes::one(lane), BlockState::of_bits(states[lane]));
                if is_changed[lane] {
                    changed = changed | Lanes::one(lane);
                }
            }
            let one = BlockState::of_bits(1 << bit);
            let mut with = packed.with(one);
            let all = states.iter().fold(0, |all, state| all | state);
            let having: Vec<usize> = (0..LANES).filter(|&lane| states[lane] >> bit & 1 == 1).collect();
            prop_assert_eq!(packed.any().bits(), all);
            prop_assert_eq!(with.count() as usize, having.len());
            prop_assert_eq!(with.is_all(), having.len() == LANES);
            prop_assert_eq!(with.first(), having.first().copied());
            let from_last: Vec<usize> = std::iter::from_fn(|| with.take_last()).collect();
            prop_assert_eq!(from_last, having.into_iter().rev().collect::<Vec<usize>>());
            let (mut set, mut cleared) = (packed, packed);
            set.set(changed, BlockState::of_bits(bits));
            cleared.clear(changed, BlockState::of_bits(bits));
            for lane in 0..LANES {
                let of_lane = if is_changed[lane] { bits } else { 0 };
                prop_assert_eq!(packed.get(lane).bits(), states[lane]);
                prop_assert_eq!(set.get(lane).bits(), states[lane] | of_lane);
                prop_assert_eq!(cleared.get(lane).bits(), states[lane] & !of_lane);
            }
        }
    }
}
