//! The host: CPU times under a governor, and the shared uplink.

use std::ops::Range;

use stripewise_profiles::host::{CpuProfile, GovernorProfile, UplinkProfile};
use stripewise_study::stack::Filesystem;
use stripewise_units::Nanos;

use crate::io::Operation;
use crate::units::{Instant, Rate};

/// CPU times under the governor of a cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs {
    pub(crate) submit: Nanos,
    pub(crate) bio: Nanos,
    pub(crate) page: Nanos,
    pub(crate) completion: Nanos,
    pub(crate) wake: Nanos,
    pub(crate) stripe: Nanos,
    pub(crate) scheduler: Nanos,
    pub(crate) worker: Nanos,
    pub(crate) xor_page: Nanos,
    pub(crate) copy_page: Nanos,
    /// What the filesystem adds to a direct I/O.
    pub(crate) filesystem: Nanos,
    /// A page in and out of the page cache.
    pub(crate) cache_page: Nanos,
    /// Making a page of random data.
    pub(crate) fill_page: Nanos,
}

impl Costs {
    /// Returns the times of `cpu` under `governor`, for I/O to a file of `filesystem`.
    pub(crate) fn new(
        cpu: &CpuProfile,
        governor: GovernorProfile,
        filesystem: &Filesystem,
    ) -> Self {
        // ZFS has a cache of its own, and no direct I/O.
        let (filesystem_ns, cache_page_ns) = match filesystem {
            Filesystem::None => (0, cpu.cache_page_ns),
            Filesystem::Made { kind, .. } if kind == "zfs" => (0, 0),
            Filesystem::Existing | Filesystem::Made { .. } => {
                (cpu.filesystem_ns, cpu.cache_page_ns)
            }
        };
        let percent = u64::from(governor.clock_percent.max(1));
        let scaled = |ns: u64| Nanos::new(ns.saturating_mul(100) / percent);
        let page_at = |bytes_per_s: u64| scaled(4096 * 1_000_000_000 / bytes_per_s.max(1));
        Self {
            submit: scaled(cpu.submit_ns),
            bio: scaled(cpu.bio_ns),
            page: scaled(cpu.page_ns),
            completion: scaled(cpu.completion_ns),
            wake: Nanos::new(scaled(cpu.wake_ns).as_u64() + governor.wake_extra_ns),
            stripe: scaled(cpu.stripe_ns),
            scheduler: scaled(cpu.scheduler_ns),
            worker: scaled(cpu.worker_ns),
            xor_page: page_at(cpu.xor_bytes_per_s),
            copy_page: page_at(cpu.copy_bytes_per_s),
            filesystem: scaled(filesystem_ns),
            cache_page: scaled(cache_page_ns),
            fill_page: cpu.fill_bytes_per_s.map(page_at).unwrap_or_default(),
        }
    }
}

/// The initial number of time slots that can be booked ahead.
const SLOTS: usize = 4096;
/// The length of a slot.
const SLOT_NS: u64 = 1 << 14;

/// The shared uplink, one lane for each direction: a transfer books the earliest free time from the
/// instant at which it can begin.
///
/// Requests are booked when a device takes them, which is not the order in which their data moves;
/// hence slots instead of a queue. A transfer uses the disk's own link and the uplink at the same
/// time (cut-through), so the caller takes the later of both ends.
#[derive(Debug, Clone)]
pub(crate) struct Uplink {
    lanes: Option<[Lane; 2]>,
    /// The total time booked on each lane.
    booked: [Nanos; 2],
}

/// One direction.
#[derive(Debug, Clone)]
struct Lane {
    rate: Rate,
    slot_bytes: u64,
    /// Slot numbers and the bytes booked in them, by slot number modulo their count.
    slots: Vec<(u64, u64)>,
    /// A range of full slots, to skip them at once.
    full: Range<u64>,
}

impl Uplink {
    pub(crate) fn new(profile: Option<UplinkProfile>) -> Self {
        let lane = profile.map(|profile| Lane {
            rate: Rate::new(profile.bytes_per_s),
            slot_bytes: (profile.bytes_per_s / 1_000 * SLOT_NS / 1_000_000).max(1),
            slots: vec![(0, 0); SLOTS],
            full: 0..0,
        });
        Self {
            lanes: lane.map(|lane| [lane.clone(), lane]),
            booked: [Nanos::default(); 2],
        }
    }

    /// The maximum rounding error of [`Uplink::busy`]: a slot at either end of the time.
    pub(crate) const SLACK: Nanos = Nanos::new(2 * SLOT_NS);

    /// Returns the busy time of the busier lane up to `now`.
    pub(crate) fn busy(&self, now: Instant) -> Nanos {
        let ahead = self.ahead(now);
        let carried = |lane: usize| {
            let booked = self.booked[lane].as_u64();
            Nanos::new(booked.saturating_sub(ahead[lane].as_u64()))
        };
        carried(0).max(carried(1))
    }

    /// Restarts the count at `now`.
    pub(crate) fn reset(&mut self, now: Instant) {
        self.booked = self.ahead(now);
    }

    /// Returns the time booked on each lane after `now`.
    fn ahead(&self, now: Instant) -> [Nanos; 2] {
        let Some(lanes) = &self.lanes else {
            return [Nanos::default(); 2];
        };
        [0, 1].map(|lane| lanes[lane].ahead(now.as_nanos()))
    }

    /// Books at `now` the transfer of `bytes` that can begin to move at `begin`, and returns when they
    /// have arrived.
    #[inline(always)]
    pub(crate) fn carry(
        &mut self,
        operation: Operation,
        [now, begin]: [Instant; 2],
        bytes: u64,
    ) -> Instant {
        let Some(lanes) = &mut self.lanes else {
            return begin;
        };
        let number = usize::from(operation == Operation::Write);
        let lane = &mut lanes[number];
        let span = lane.rate.time(bytes).as_u64();
        self.booked[number] = Nanos::new(self.booked[number].as_u64() + span);
        let kept = now.min(begin).as_nanos() / SLOT_NS;
        lane.book(kept, begin.as_nanos(), span, bytes)
    }
}

impl Lane {
    /// Returns the time booked after `now_ns`, assuming that a slot transfers evenly.
    fn ahead(&self, now_ns: u64) -> Nanos {
        let now = now_ns / SLOT_NS;
        let left_ns = (now + 1) * SLOT_NS - now_ns;
        let ahead = self.slots.iter().filter(|(number, _)| *number >= now);
        let bytes = ahead.map(|(number, bytes)| match *number == now {
            true => bytes * left_ns / SLOT_NS,
            false => *bytes,
        });
        self.rate.time(bytes.sum())
    }

    #[inline(always)]
    fn book(&mut self, kept: u64, begin_ns: u64, span: u64, bytes: u64) -> Instant {
        let mut left = bytes;
        let begin = begin_ns / SLOT_NS;
        let first = match self.full.contains(&begin) {
            true => self.full.end,
            false => begin,
        };
        let mut number = first;
        let mut end_ns = begin_ns + span;
        let mut is_full = false;
        while left > 0 {
            let slot_bytes = self.slot_bytes;
            let slot = self.slot(kept, number);
            if slot.0 != number {
                *slot = (number, 0);
            }
            let taken = left.min(slot_bytes - slot.1);
            slot.1 += taken;
            left -= taken;
            is_full = slot.1 == slot_bytes;
            if left == 0 {
                let filled = slot.1 * SLOT_NS / slot_bytes;
                // In a slot that only this transfer uses, the transfer sets the end.
                if taken < slot.1 || number * SLOT_NS > begin_ns {
                    end_ns = end_ns.max(number * SLOT_NS + filled);
                }
            }
            number += 1;
        }
        // All these slots are full, except perhaps the last one.
        let end = number - u64::from(number > first && !is_full);
        if first == self.full.end {
            self.full.end = end;
        } else if first > self.full.end {
            self.full = first..end;
        }
        Instant::from_nanos(end_ns)
    }

    /// Returns the entry of slot `number`. Doubles the number of slots when needed, so that a booking far
    /// ahead overwrites no slot from `kept` on: others may still be booked there.
    #[inline]
    fn slot(&mut self, kept: u64, number: u64) -> &mut (u64, u64) {
        while number - kept >= self.slots.len() as u64 {
            let mut slots = vec![(0, 0); 2 * self.slots.len()];
            let count = slots.len() as u64;
            for slot in self.slots.drain(..) {
                let place = &mut slots[place_of(slot.0, count)];
                *place = slot.max(*place);
            }
            self.slots = slots;
        }
        let count = self.slots.len() as u64;
        &mut self.slots[place_of(number, count)]
    }
}

#[inline]
fn place_of(number: u64, count: u64) -> usize {
    usize::try_from(number % count).expect("below the count of a vector")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_booked_far_ahead_leaves_the_bookings_before_it() {
        let mut uplink = Uplink::new(Some(UplinkProfile {
            bytes_per_s: 1_000_000_000,
        }));
        let at = |ms: u64| Instant::START + Nanos::from_millis(ms);
        let mut carry = |begin: Instant| {
            uplink.carry(Operation::Read, [at(0), begin], 10_000_000);
        };
        // The slots at first reach 67 ms ahead.
        carry(at(10));
        carry(at(10 + 67));
        assert_eq!(uplink.busy(at(0)), Nanos::default());
        let busy = uplink.busy(at(1000));
        assert_eq!(busy, Nanos::from_millis(20));
    }
}
