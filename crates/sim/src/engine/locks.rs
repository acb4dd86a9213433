//! The locks that all tasks of an array share.
//!
//! An uncontended lock is part of the CPU time of a bio. Of a lock that several cores want, the host
//! profile has how long it is held and handed over (`mirror_lock_ns`, `parity_lock_ns`); so an array
//! never does more than one use in that time, however many cores there are. Each use is counted when
//! the I/O is submitted, also that of its completion. Of several locks of an array, only the one that
//! is taken most often matters.
//!
//! - raid1 and raid10: `resync_lock` and that of the wait queue `wait_barrier`, of whose uses
//!   `kernels/rules.toml` has the number; a write that waits for the unplug wakes the queue once more
//!   (`flush_bio_list`, `raid10_unplug`).
//! - the bitmap of a mirror: `counts.lock` in `md_bitmap_startwrite` and `md_bitmap_endwrite`.
//! - raid4, raid5, raid6: `device_lock`, once when the submitting task unplugs (`raid5_unplug`), once
//!   for each batch of stripes in the thread (`handle_active_stripes`), and for each chunk of a read that
//!   bypasses the cache in old kernels (`raid5_read_one_chunk`). The eight hash locks
//!   (`raid5_get_active_stripe`) share the stripes among them, so each is taken less often.

use stripewise_profiles::host::CpuProfile;
use stripewise_profiles::kernel::Policy;
use stripewise_units::Nanos;

use super::layers::{Layers, MappedBios, Mapping};
use crate::io::Operation;
use crate::units::Instant;

/// The contended locks of an array.
#[derive(Debug)]
pub(super) struct Locks {
    /// How long each use takes, including the hand-over; 0 if no task ever waits.
    held: Nanos,
    /// When the array's lock and that of its bitmap have served all uses so far, one after the
    /// other. A task books work ahead, so the next use may be earlier than the last: a use counts
    /// from the instant of the simulation, so that none of the lock's time is lost between two.
    free: [Instant; 2],
    /// The time that each was held since counting began, including booked uses.
    booked: [Nanos; 2],
    /// Uses of the array's lock by a read and a write of a mirror, without the unplug.
    mirror: [u64; 2],
    /// Whether reads that bypass the stripe cache take the lock.
    bypass: bool,
}

impl Locks {
    /// Returns the locks of an array, all free.
    pub(super) fn new(cpu: &CpuProfile, percent: u32, policy: &Policy, mapping: &Mapping) -> Self {
        let (held, mirror) = match mapping {
            Mapping::Raid1(..) => {
                let uses = [policy.raid1_read_locks, policy.raid1_write_locks];
                (cpu.mirror_lock_ns, uses)
            }
            Mapping::Raid10(..) => (cpu.mirror_lock_ns, [policy.raid10_locks; 2]),
            Mapping::Parity(_) => (cpu.parity_lock_ns, [0; 2]),
            Mapping::Single
            | Mapping::Linear(_)
            | Mapping::Striped(..)
            | Mapping::Btrfs(_)
            | Mapping::Zfs(_) => (0, [0; 2]),
        };
        Self {
            held: Nanos::new(held.saturating_mul(100) / u64::from(percent.max(1))),
            free: [Instant::START; 2],
            booked: [Nanos::default(); 2],
            mirror: mirror.map(u64::from),
            bypass: policy.parity.bypass_takes_lock,
        }
    }

    /// Returns how long a task waits for the locks that its submission, decided `now`, takes from
    /// `at` on.
    #[inline]
    pub(super) fn wait(
        &mut self,
        times: [Instant; 2],
        operation: Operation,
        layers: &Layers,
        routed: &MappedBios,
    ) -> Nanos {
        match self.held == Nanos::default() {
            true => self.held,
            false => self.wait_for_uses(times, operation, layers, routed),
        }
    }

    #[inline(never)]
    fn wait_for_uses(
        &mut self,
        times: [Instant; 2],
        operation: Operation,
        layers: &Layers,
        routed: &MappedBios,
    ) -> Nanos {
        let write = operation == Operation::Write;
        let (array, bitmap) = match &layers.mapping {
            Mapping::Parity(_) if routed.bypassing_bios == 0 => (1, 0),
            Mapping::Parity(_) => (u64::from(self.bypass) * routed.bypassing_bios, 0),
            _ => {
                let uses = self.mirror[usize::from(write)];
                let unplug = u64::from(uses > 0 && layers.waits_for_unplug(operation));
                let bitmap = u64::from(write && layers.bitmap.is_some());
                (
                    uses * routed.array_bios + unplug,
                    2 * bitmap * routed.array_bios,
                )
            }
        };
        self.take(0, times, array).max(self.take(1, times, bitmap))
    }

    /// Returns how long the thread of a parity array waits to take `batches` of stripes.
    pub(super) fn wait_of_thread(&mut self, at: Instant, batches: u64) -> Nanos {
        match self.held {
            held if held == Nanos::default() => held,
            _ => self.take(0, [at; 2], batches),
        }
    }

    fn take(&mut self, lock: usize, [now, at]: [Instant; 2], uses: u64) -> Nanos {
        if uses == 0 {
            return Nanos::default();
        }
        let free = &mut self.free[lock];
        let begin = now.max(*free);
        let held = Nanos::new(uses * self.held.as_u64());
        *free = begin + held;
        self.booked[lock] = Nanos::new(self.booked[lock].as_u64() + held.as_u64());
        begin.since(at)
    }

    /// Returns how long the busier lock was held up to `now`.
    pub(super) fn busy(&self, now: Instant) -> Nanos {
        let held = |lock: usize| {
            let ahead = self.free[lock].since(now);
            Nanos::new(self.booked[lock].as_u64().saturating_sub(ahead.as_u64()))
        };
        held(0).max(held(1))
    }

    /// Restarts the count at `now`.
    pub(super) fn reset(&mut self, now: Instant) {
        self.booked = self.free.map(|free| free.since(now));
    }
}
