//! The barrier of a mirror under rebuild: rebuild requests and host I/O take turns.
//!
//! A rebuild request *raises* the barrier: it first waits until no I/O waits, then blocks new I/O,
//! and is sent to the members when no I/O is pending. The barrier stays up while any rebuild
//! request is in flight; new I/O waits and its submitting task sleeps. Several rebuild requests may
//! be in flight, but one that finds I/O waiting sleeps a clock tick first. When the last one in
//! flight completes, it wakes both the waiting tasks and the rebuild. The rebuild has used less
//! CPU, so it runs first and finds them still waiting. We measured this on one CPU; on several CPUs
//! it is a race that the rebuild may lose, and then it does not sleep.
//!
//! ```text
//!  rebuild   sleep 1 tick | until no I/O waits | barrier up | until no I/O is pending | read, write | down
//!  I/O                      passes               waits ............................................... passes
//! ```
//!
//! raid10 has one barrier for the array, which reads and writes respect (`raise_barrier`,
//! `wait_barrier` in raid10.c). raid1 has one for each unit of 64 MiB, by a hash; writes wait
//! there, reads do not, but the rebuild waits for them (`sector_to_idx` in raid1.h,
//! `_wait_barrier`, `wait_read_barrier` in raid1.c, since 4.11; older kernels moved a window along
//! instead, which is not modelled; they get these rules). Parity arrays have no barrier: each
//! stripe has its own lock.

use crate::io::Operation;
use crate::units::Sectors;

/// `BARRIER_UNIT_SECTOR_BITS` of raid1.h.
const UNIT_BITS: u32 = 17;
/// `BARRIER_BUCKETS_NR_BITS`: a page of counters.
const BUCKET_BITS: u32 = 10;
/// `GOLDEN_RATIO_64` of hash.h.
const GOLDEN_RATIO: u64 = 0x61C8_8646_80B5_83EB;

/// What one barrier covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole array: raid10.
    Array,
    /// Units of 64 MiB: raid1.
    Units,
}

/// One barrier's counters: `nr_pending`, `nr_waiting`, `barrier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Bucket {
    pending: u32,
    waiting: u32,
    raised: u32,
}

/// The state of the rebuild's next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It has not requested the barrier.
    None,
    /// It has slept because I/O waited, or no I/O waited.
    Yielded,
    /// The barrier is up.
    Raised,
}

/// Whether the rebuild may send its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raise {
    /// Now.
    Go,
    /// I/O waits: the rebuild sleeps, then retries.
    Sleep,
    /// The rebuild retries when [`Barriers::is_due`].
    Wait,
}

/// The barriers of a mirror.
#[derive(Debug, Clone)]
pub struct Barriers {
    scope: Scope,
    buckets: Vec<Bucket>,
    turn: Turn,
    /// The bucket of the rebuild's next request, while it waits for its turn.
    asked: u32,
    /// Whether waiting I/O was woken together with the rebuild.
    woke_others: bool,
}

impl Barriers {
    /// Returns the barriers of an idle array.
    pub fn new(scope: Scope) -> Self {
        let buckets = match scope {
            Scope::Array => 1,
            Scope::Units => 1 << BUCKET_BITS,
        };
        Self {
            scope,
            buckets: vec![Bucket::default(); buckets],
            turn: Turn::None,
            asked: 0,
            woke_others: false,
        }
    }

    /// Returns the bucket of a sector: raid1's units are hashed (`hash_long`).
    pub fn bucket(&self, sector: Sectors) -> u32 {
        match self.scope {
            Scope::Array => 0,
            Scope::Units => {
                let hash = (sector.get() >> UNIT_BITS).wrapping_mul(GOLDEN_RATIO);
                u32::try_from(hash >> (u64::BITS - BUCKET_BITS)).expect("a hash of 10 bits")
            }
        }
    }

    /// Returns how much of `length` lies in the unit where it begins (`align_to_barrier_unit_end`).
    pub fn in_unit(&self, sector: Sectors, length: Sectors) -> Sectors {
        match self.scope {
            Scope::Array => length,
            Scope::Units => {
                let unit = 1_u64 << UNIT_BITS;
                length.min(Sectors::new(unit - sector.get() % unit))
            }
        }
    }

    /// Admits an I/O; returns false if it has to wait.
    pub fn enter(&mut self, bucket: u32, operation: Operation) -> bool {
        let waits_for_it = self.scope == Scope::Array || operation != Operation::Read;
        let bucket = &mut self.buckets[bucket as usize];
        match bucket.raised > 0 && waits_for_it {
            true => bucket.waiting += 1,
            false => bucket.pending += 1,
        }
        bucket.raised == 0 || !waits_for_it
    }

    /// Ends an I/O that passed.
    pub fn leave(&mut self, bucket: u32) {
        self.buckets[bucket as usize].pending -= 1;
    }

    /// Requests the barrier for the rebuild's next request.
    pub fn raise(&mut self, bucket: u32) -> Raise {
        self.asked = bucket;
        let bucket = &mut self.buckets[bucket as usize];
        if self.turn == Turn::None {
            self.turn = Turn::Yielded;
            if std::mem::take(&mut self.woke_others) || bucket.waiting > 0 {
                return Raise::Sleep;
            }
        }
        if self.turn == Turn::Yielded && bucket.waiting == 0 {
            self.turn = Turn::Raised;
            bucket.raised += 1;
        }
        match self.turn == Turn::Raised && bucket.pending == 0 {
            true => {
                self.turn = Turn::None;
                Raise::Go
            }
            false => Raise::Wait,
        }
    }

    /// Returns whether the condition that the rebuild waits for in `bucket` holds.
    #[inline]
    pub fn is_due(&self, bucket: u32) -> bool {
        let state = &self.buckets[bucket as usize];
        self.asked == bucket
            && match self.turn {
                Turn::None => false,
                Turn::Yielded => state.waiting == 0,
                Turn::Raised => state.pending == 0,
            }
    }

    /// Ends a rebuild request; returns whether the barrier is down and I/O waited. The waiting
    /// count is reset: each waiting I/O has to [`Barriers::enter`] again.
    pub fn lower(&mut self, bucket: u32) -> bool {
        let bucket = &mut self.buckets[bucket as usize];
        bucket.raised -= 1;
        let is_down = bucket.raised == 0 && bucket.waiting > 0;
        if is_down {
            bucket.waiting = 0;
            self.woke_others = self.turn == Turn::None;
        }
        is_down
    }
}

#[cfg(test)]
#[path = "barrier_tests.rs"]
mod tests;
