//! Transaction groups: dirty records, when they are written, and how writers are held back.
//!
//! ```text
//!   0 %        20 %                    60 %                100 % of the limit of dirty data
//!   +-----------+-----------------------+-------------------+
//!   |           | the group is written  | writers sleep,    | writers wait
//!               | (or after 5 s)        | longer and longer |
//! ```
//!
//! One group is open, and one is being written. A record that is dirty in the open group already
//! costs nothing more, however little of it is written.
//!
//! Source: `dmu_tx_delay` in `dmu_tx.c`; `dsl_pool_need_dirty_sync`, `dsl_pool_need_dirty_delay` and
//! `dsl_pool_dirty_space` in `dsl_pool.c`; `txg_sync_thread` in `txg.c`; `arc_init` in `arc.c` for
//! the limit; all with the defaults of their parameters. The group that is quiesced between the two
//! is empty here: its writers are done at once.

use stripewise_units::{Bytes, Nanos};

use crate::units::Instant;

/// `zfs_txg_timeout`.
pub(crate) const TIMEOUT: Nanos = Nanos::from_millis(5_000);
/// Percent of the limit (`zfs_dirty_data_sync_percent`, `zfs_delay_min_dirty_percent`).
const SYNC_PERCENT: u64 = 20;
const DELAY_PERCENT: u64 = 60;
/// `zfs_delay_scale` and `zfs_delay_max_ns`.
const DELAY_SCALE: u64 = 500_000;
const DELAY_MAX: u64 = 100_000_000;
/// `zfs_dirty_data_max_max`.
const DIRTY_MAX_MAX: u64 = 4 << 30;
/// The block pointers in an indirect block of 128 KiB (`DN_MAX_INDBLKSHIFT`, `SPA_BLKPTRSHIFT`).
const POINTERS: u64 = 1024;
/// What an indirect block takes on disk: two copies, each compressed to three eighths. Of the 128
/// bytes of a block pointer, the checksum (32), the offset (8) and the birth (8) differ from one to
/// the next (`blkptr_t` in `include/sys/spa.h`); the rest is zero or repeats.
const INDIRECT_BYTES: u64 = 96 << 10;

/// A set of numbers.
#[derive(Debug)]
struct Set {
    bits: Vec<u64>,
    count: u64,
}

impl Set {
    fn new(numbers: u64) -> Self {
        let words = usize::try_from(numbers.div_ceil(64)).unwrap_or(0);
        Self {
            bits: vec![0; words],
            count: 0,
        }
    }

    fn contains(&self, number: u64) -> bool {
        let word = usize::try_from(number / 64).ok();
        let word = word.and_then(|word| self.bits.get(word));
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number; returns whether it is new.
    fn insert(&mut self, number: u64) -> bool {
        let is_new = !self.contains(number);
        let word = usize::try_from(number / 64).ok();
        if let Some(word) = word.and_then(|word| self.bits.get_mut(word)) {
            *word |= 1 << (number % 64);
            self.count += u64::from(is_new);
            return is_new;
        }
        false
    }

    fn clear(&mut self) {
        if self.count > 0 {
            self.bits.fill(0);
            self.count = 0;
        }
    }
}

/// What is written next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Records.
    Records(u64),
    /// The metadata of the group, of so many bytes, after which it is durable.
    Metadata(Bytes),
}

/// The open group and the one that is being written.
#[derive(Debug)]
pub(crate) struct Txg {
    record_bytes: u64,
    dirty_max: u64,
    open: Set,
    open_indirect: Set,
    syncing: Set,
    /// When the first record of the open group became dirty.
    opened: Instant,
    /// Records of the written group that are not sent yet, and those under way.
    unsent: u64,
    under_way: u64,
    indirect: u64,
    is_syncing: bool,
    /// When the last writer that was held back went on.
    last_wakeup: Instant,
    /// Records that ever became dirty, and groups that are durable.
    dirtied: u64,
    pub(crate) ended: u64,
}

impl Txg {
    /// Returns empty groups for files of `records` records, on a host with `memory`.
    pub(crate) fn new(record: Bytes, records: u64, memory: Bytes) -> Self {
        Self {
            record_bytes: record.as_u64().max(1),
            dirty_max: (memory.as_u64() / 10).clamp(1, DIRTY_MAX_MAX),
            open: Set::new(records),
            open_indirect: Set::new(records.div_ceil(POINTERS)),
            syncing: Set::new(records),
            opened: Instant::START,
            unsent: 0,
            under_way: 0,
            indirect: 0,
            is_syncing: false,
            last_wakeup: Instant::START,
            dirtied: 0,
            ended: 0,
        }
    }

    /// Returns the limit of dirty data.
    pub(crate) const fn dirty_max(&self) -> u64 {
        self.dirty_max
    }

    /// Returns how many bytes are dirty.
    pub(crate) const fn dirty(&self) -> u64 {
        (self.open.count + self.unsent + self.under_way) * self.record_bytes
    }

    /// Returns how many bytes ever became dirty.
    pub(crate) const fn dirtied(&self) -> u64 {
        self.dirtied * self.record_bytes
    }

    /// Returns the dirty bytes at which writers begin to be held back.
    pub(crate) const fn delay_from(&self) -> u64 {
        self.dirty_max / 100 * DELAY_PERCENT
    }

    /// Returns whether a record is in memory because it is dirty.
    pub(crate) fn holds(&self, record: u64) -> bool {
        self.open.contains(record) || (self.is_syncing && self.syncing.contains(record))
    }

    /// Makes a record dirty; returns whether the open group had none before.
    pub(crate) fn write(&mut self, record: u64, at: Instant) -> bool {
        let is_first = self.open.count == 0;
        if self.open.insert(record) {
            self.dirtied += 1;
            self.open_indirect.insert(record / POINTERS);
        }
        if is_first {
            self.opened = at;
        }
        is_first
    }

    /// Returns whether writers have to wait.
    pub(crate) const fn is_full(&self) -> bool {
        self.dirty() >= self.dirty_max
    }

    /// Returns when a writer that comes at `at` goes on.
    pub(crate) fn throttle(&mut self, at: Instant) -> Instant {
        let dirty = self.dirty();
        let Some(over) = dirty
            .checked_sub(self.delay_from())
            .filter(|over| *over > 0)
        else {
            return at;
        };
        let span = match self.dirty_max.checked_sub(dirty).filter(|left| *left > 0) {
            Some(left) => {
                let ns = u128::from(DELAY_SCALE) * u128::from(over) / u128::from(left);
                u64::try_from(ns).unwrap_or(DELAY_MAX).min(DELAY_MAX)
            }
            None => DELAY_MAX,
        };
        let span = Nanos::new(span);
        self.last_wakeup = (at + span).max(self.last_wakeup + span);
        self.last_wakeup
    }

    /// Begins to write the open group if it is due and the one before is durable.
    pub(crate) fn begin_sync(&mut self, now: Instant) {
        let is_large = self.open.count * self.record_bytes > self.dirty_max / 100 * SYNC_PERCENT;
        let is_old = self.open.count > 0 && now.since(self.opened) >= TIMEOUT;
        if self.is_syncing || !(is_large || is_old) {
            return;
        }
        self.is_syncing = true;
        self.unsent = self.open.count;
        self.indirect = self.open_indirect.count;
        self.syncing.clear();
        std::mem::swap(&mut self.open, &mut self.syncing);
        self.open_indirect.clear();
    }

    /// Returns what the group that is being written sends next: up to `records` at once.
    pub(crate) fn next(&mut self, records: u64) -> Option<Next> {
        if !self.is_syncing {
            return None;
        }
        if self.unsent > 0 {
            let sent = self.unsent.min(records.max(1));
            self.unsent -= sent;
            self.under_way += sent;
            return Some(Next::Records(sent));
        }
        if self.under_way > 0 || self.indirect == 0 {
            return None;
        }
        let bytes = std::mem::take(&mut self.indirect) * INDIRECT_BYTES;
        Some(Next::Metadata(Bytes::new(bytes)))
    }

    /// Notes that records are written.
    pub(crate) fn written(&mut self, records: u64) {
        self.under_way -= records;
    }

    /// Notes that the group is durable.
    pub(crate) fn sync_ended(&mut self) {
        self.is_syncing = false;
        self.ended += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: Bytes = Bytes::new(128 << 10);

    /// Returns groups that may hold 100 records.
    fn groups() -> Txg {
        Txg::new(RECORD, 4096, Bytes::new(1000 * (128 << 10)))
    }

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn a_record_counts_once_in_each_group_and_a_group_is_written_at_a_fifth_of_the_limit() {
        let mut txg = groups();
        for _ in 0..3 {
            for record in 0..20 {
                txg.write(record, at(0));
            }
        }
        assert_eq!(txg.dirty(), 20 * RECORD.as_u64());
        txg.begin_sync(at(1));
        assert_eq!(txg.next(8), None, "a fifth is not more than a fifth");
        txg.write(2000, at(1));
        txg.begin_sync(at(1));
        txg.write(0, at(2));
        let sent: Vec<Next> = std::iter::from_fn(|| txg.next(8)).collect();
        assert_eq!(sent, [Next::Records(8), Next::Records(8), Next::Records(5)]);
        assert!(txg.holds(19) && !txg.holds(21));
        txg.written(21);
        let metadata = Next::Metadata(Bytes::new(2 * INDIRECT_BYTES));
        assert_eq!((txg.next(8), txg.next(8)), (Some(metadata), None));
        txg.sync_ended();
        assert_eq!(txg.dirty(), RECORD.as_u64());
        txg.begin_sync(at(4_000));
        assert_eq!(txg.next(8), None);
        txg.begin_sync(at(5_002));
        assert_eq!(txg.next(8), Some(Next::Records(1)), "after five seconds");
    }

    #[test]
    fn writers_sleep_as_the_manual_says() {
        // zfs(4), "ZFS TRANSACTION DELAY": the delay is `zfs_delay_scale`, 500 us, in the middle
        // between the beginning and the limit.
        let mut txg = groups();
        for record in 0..60 {
            txg.write(record, at(0));
        }
        assert_eq!(txg.throttle(at(0)), at(0));
        for record in 60..80 {
            txg.write(record, at(0));
        }
        assert_eq!(txg.throttle(at(0)), Instant::from_nanos(500_000));
        assert_eq!(
            txg.throttle(at(0)),
            Instant::from_nanos(1_000_000),
            "one after the other"
        );
        for record in 80..100 {
            txg.write(record, at(0));
        }
        assert!(txg.is_full());
        assert_eq!(txg.throttle(at(1_000)), at(1_100));
    }
}
