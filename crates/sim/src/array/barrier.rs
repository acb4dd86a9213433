//! What a mirror holds back while it is rebuilt: requests of the rebuild and I/O take turns.
//!
//! A request of the rebuild *raises* the barrier: first it lets those through who wait, then nobody
//! new, and it leaves for the members when nothing is pending any more. While any request of the
//! rebuild is in flight the barrier stays up and who comes waits; the submitting task sleeps. Several
//! requests may be in flight, but one that finds somebody waiting sleeps a tick of the clock first.
//! When the last one in flight is done, both those who wait and the rebuild are woken; the rebuild,
//! which has used less of the CPU, runs first, and finds them still there. That is so on one CPU, where
//! it was measured; on several it is a race that the rebuild may lose, and then it does not sleep.
//!
//! ```text
//!  rebuild   sleep 1 tick | until nobody waits | barrier up | until nothing is pending | read, write | down
//!  I/O                      passes               waits ................................................ passes
//! ```
//!
//! raid10 has one barrier for the array, which reads and writes respect (`raise_barrier`,
//! `wait_barrier` in raid10.c). raid1 has one for each unit of 64 MiB, by a hash; writes wait there,
//! reads do not, but are waited for (`sector_to_idx` in raid1.h, `_wait_barrier`,
//! `wait_read_barrier` in raid1.c, since 4.11; the window that raid1 moved along before is not
//! modelled, its kernels get these rules). Parity arrays have none: a stripe is locked by itself.

use crate::io::Operation;
use crate::units::Sectors;

/// `BARRIER_UNIT_SECTOR_BITS` of raid1.h.
const UNIT_BITS: u32 = 17;
/// `BARRIER_BUCKETS_NR_BITS`: a page of counters.
const BUCKET_BITS: u32 = 10;
/// `GOLDEN_RATIO_64` of hash.h.
const GOLDEN_RATIO: u64 = 0x61C8_8646_80B5_83EB;

/// What the barriers are of.
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

/// How far the rebuild is with its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// It has not asked.
    None,
    /// It has slept for those who wait, or nobody did.
    AfterYou,
    /// The barrier is up.
    Raised,
}

/// Whether the rebuild may send its next request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raise {
    /// Now.
    Go,
    /// It sleeps for those who wait, and asks again then.
    Sleep,
    /// It asks again when [`Barriers::is_due`].
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
    /// Whether somebody who waited was woken together with the rebuild.
    woke_others: bool,
}

impl Barriers {
    /// Returns the barriers of an array that nobody uses.
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

    /// An I/O comes; returns whether it passes, or else has to wait.
    pub fn enter(&mut self, bucket: u32, operation: Operation) -> bool {
        let waits_for_it = self.scope == Scope::Array || operation != Operation::Read;
        let bucket = &mut self.buckets[bucket as usize];
        match bucket.raised > 0 && waits_for_it {
            true => bucket.waiting += 1,
            false => bucket.pending += 1,
        }
        bucket.raised == 0 || !waits_for_it
    }

    /// An I/O that passed is done.
    pub fn leave(&mut self, bucket: u32) {
        self.buckets[bucket as usize].pending -= 1;
    }

    /// The rebuild wants to send a request.
    pub fn raise(&mut self, bucket: u32) -> Raise {
        self.asked = bucket;
        let bucket = &mut self.buckets[bucket as usize];
        if self.turn == Turn::None {
            self.turn = Turn::AfterYou;
            if std::mem::take(&mut self.woke_others) || bucket.waiting > 0 {
                return Raise::Sleep;
            }
        }
        if self.turn == Turn::AfterYou && bucket.waiting == 0 {
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

    /// Returns whether what the rebuild waits for in `bucket` is there.
    #[inline]
    pub fn is_due(&self, bucket: u32) -> bool {
        let state = &self.buckets[bucket as usize];
        self.asked == bucket
            && match self.turn {
                Turn::None => false,
                Turn::AfterYou => state.waiting == 0,
                Turn::Raised => state.pending == 0,
            }
    }

    /// A request of the rebuild is done; returns whether those who wait may go, and takes them for
    /// gone: each has to [`Barriers::enter`] again.
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
