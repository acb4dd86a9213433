//! Which copy of a mirror is read: the one whose queue is shortest, with a penalty for a seek.
//!
//! Source: `vdev_mirror_child_select` and `vdev_mirror_load` in `vdev_mirror.c`, with the defaults
//! of its parameters.

use crate::units::Sectors;

/// `zfs_vdev_mirror_rotating_seek_inc`, `zfs_vdev_mirror_non_rotating_seek_inc`; the increments of
/// an I/O that follows the last one are 0.
const SEEK: u64 = 5;
const SEEK_NON_ROTATING: u64 = 1;
/// `zfs_vdev_mirror_rotating_seek_offset`: half of the penalty within it.
const NEAR: Sectors = Sectors::new(2048);
/// `vdev_mirror_shift`.
const SHIFT: u32 = 21;

/// One copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child {
    /// The I/Os that its device has (`vq_active`).
    pub(crate) pending: u64,
    /// The end of the last one (`vq_last_offset`).
    pub(crate) last: Sectors,
    /// Whether it has heads that move.
    pub(crate) is_rotational: bool,
}

impl Child {
    fn load(&self, start: Sectors) -> u64 {
        let penalty = match (self.is_rotational, self.last.distance(start)) {
            (_, distance) if distance == Sectors::default() => 0,
            (false, _) => SEEK_NON_ROTATING,
            (true, distance) if distance < NEAR => SEEK / 2,
            (true, _) => SEEK,
        };
        self.pending + penalty
    }
}

/// Returns which of `children` reads the block at `start`; equals take turns by its place.
pub(crate) fn choose(children: &[Child], start: Sectors) -> usize {
    let loads = || children.iter().map(|child| child.load(start));
    let least = loads().min().unwrap_or(0);
    let equals = loads().filter(|load| *load == least).count().max(1);
    let turn = (start.bytes().as_u64() >> SHIFT) % equals as u64;
    let mut best = loads().enumerate().filter(|(_, load)| *load == least);
    let turn = usize::try_from(turn).unwrap_or(0);
    best.nth(turn).map_or(0, |(child, _)| child)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(pending: u64, last: u64, is_rotational: bool) -> Child {
        Child {
            pending,
            last: Sectors::new(last),
            is_rotational,
        }
    }

    #[test]
    fn a_short_seek_costs_two_ios_in_the_queue_and_a_long_one_five() {
        let at = Sectors::new(10_000);
        let two = |one, other| choose(&[one, other], at);
        assert_eq!(
            two(child(4, 10_000, true), child(0, 0, true)),
            0,
            "it goes on"
        );
        assert_eq!(two(child(6, 10_000, true), child(0, 0, true)), 1);
        assert_eq!(
            two(child(2, 9_000, true), child(0, 0, true)),
            0,
            "it is near"
        );
        assert_eq!(two(child(4, 9_000, true), child(0, 0, true)), 1);
        assert_eq!(two(child(2, 10_000, false), child(0, 0, false)), 1);
    }

    #[test]
    fn equals_take_turns_every_two_mebibytes() {
        let children = [child(0, 1, false); 3];
        let turns = [0_u64, 4095, 4096, 8192, 12_288];
        let turns = turns.map(|start| choose(&children, Sectors::new(start)));
        assert_eq!(turns, [0, 0, 1, 2, 0]);
    }
}
