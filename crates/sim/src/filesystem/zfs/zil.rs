//! The intent log: which log block an `fsync` or a synchronous write goes to, and who writes it.
//!
//! - With one task, its commit is written at once, and the log's devices are flushed.
//! - If another block is still on its way, the commits of several tasks gather in an open block. It
//!   is written when it is full, or when one of them has waited for a tenth of the time that the
//!   latest blocks took.
//! - Blocks are written side by side, and become durable in their order.
//! - Data of 32 KiB and more goes to its place in the pool, and the log only points to it, unless
//!   the pool has log devices. The whole record is written, compressed (`dmu_sync`), and not again
//!   with its transaction group (`DR_OVERRIDDEN`, `dbuf_sync_leaf`); in the block it takes the room
//!   of a pointer (`zfs_log_write`, `WR_INDIRECT`).
//!
//! Source: `zil_process_commit_list`, `zil_commit_waiter`, `zil_burst_done`, `zil_write_state` and
//! `zil_lwb_set_zio_dependency` in `zil.c`. Before 2.2 a single task waits, too: that is not
//! simulated. Left out: the prediction of block sizes (a block here has the size of its content),
//! and that the flush of a block is left to the next one if that is under way.

use std::collections::VecDeque;

use stripewise_units::{Bytes, Nanos};

use crate::units::{Instant, Sectors};

/// The longest block (`zil_maxblocksize`), and what lengths are a multiple of (`ZIL_MIN_BLKSZ`).
const BLOCK_MAX: u64 = 128 << 10;
const BLOCK_MIN: u64 = 4096;
/// The header of a block (`zil_chain_t`) and of the record of a write (`lr_write_t`).
const CHAIN: u64 = 192;
const RECORD: u64 = 192;
/// Data from here on is not copied to the log (`zfs_immediate_write_sz`).
pub(crate) const INDIRECT_FROM: Bytes = Bytes::new(32 << 10);
/// Percent of a block's time that a commit waits for others (`zfs_commit_timeout_pct`).
const WAIT_PERCENT: u64 = 10;
/// `ZIL_BURSTS`.
const BURSTS: u32 = 8;

/// What a commit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    /// Everything is durable.
    Nothing,
    /// It writes a block.
    Writes {
        /// The block.
        block: u64,
        /// Its length.
        length: Sectors,
    },
    /// It waits for a block; if that is still open at `until`, it writes the block.
    Waits {
        /// The block.
        block: u64,
        /// When.
        until: Instant,
    },
}

/// What a commit writes.
#[derive(Debug, Clone, Copy, Default)]
struct Content {
    /// The bytes in the block.
    logged: u64,
    /// The bytes that it points to.
    placed: u64,
}

impl Content {
    fn add(&mut self, other: Self) {
        self.logged += other.logged;
        self.placed += other.placed;
    }
}

/// The log of a dataset.
#[derive(Debug)]
pub(crate) struct Zil {
    /// The records of each file that no block has yet.
    files: Vec<Content>,
    /// What is in the open block.
    open: Option<Content>,
    /// The number of the open block, or of the next one.
    number: u64,
    /// The blocks on their way in their order, and whether each is written.
    under_way: VecDeque<(u64, bool)>,
    /// How many more commits take several tasks for granted (`zl_parallel`).
    parallel: u32,
    /// How long the latest blocks took (`zl_last_lwb_latency`).
    latency: Nanos,
}

impl Zil {
    /// Returns the log for `files` files.
    pub(crate) fn new(files: usize) -> Self {
        Self {
            files: vec![Content::default(); files],
            open: None,
            number: 1,
            under_way: VecDeque::new(),
            parallel: 0,
            latency: Nanos::default(),
        }
    }

    /// Adds the record of a write to a file, with `copied` bytes of data in it, or `placed` bytes that
    /// it points to.
    pub(crate) fn write(&mut self, file: usize, copied: Bytes, placed: Bytes) {
        self.files[file].add(Content {
            logged: RECORD + copied.as_u64(),
            placed: placed.as_u64(),
        });
    }

    /// Begins to commit the writes to a file.
    pub(crate) fn commit(&mut self, file: usize, now: Instant) -> Commit {
        let content = std::mem::take(&mut self.files[file]);
        if content.logged == 0 {
            return Commit::Nothing;
        }
        if self.open.is_some() {
            self.parallel = BURSTS;
        } else if !self.under_way.is_empty() {
            self.parallel = self.parallel.max(BURSTS / 2);
        }
        let open = self.open.get_or_insert_default();
        open.add(content);
        if self.parallel == 0 || open.logged + CHAIN >= BLOCK_MAX {
            return self.close();
        }
        Commit::Waits {
            block: self.number,
            until: now + Nanos::new(self.latency.as_u64() * WAIT_PERCENT / 100),
        }
    }

    /// Writes a block that a commit has waited for, if it is still open.
    pub(crate) fn timeout(&mut self, block: u64) -> Option<Commit> {
        (self.open.is_some() && block == self.number).then(|| self.close())
    }

    fn close(&mut self) -> Commit {
        let content = self.open.take().unwrap_or_default();
        let bytes = (CHAIN + content.logged).next_multiple_of(BLOCK_MIN) + content.placed;
        let block = self.number;
        self.number += 1;
        self.parallel = self.parallel.saturating_sub(1);
        self.under_way.push_back((block, false));
        Commit::Writes {
            block,
            length: Sectors::from_bytes(Bytes::new(bytes)),
        }
    }

    /// Notes that a block, which took `lasted`, is written and flushed.
    pub(crate) fn written(&mut self, block: u64, lasted: Nanos) {
        self.latency = match self.latency.as_u64() {
            0 => lasted,
            before => Nanos::new((before * 7 + lasted.as_u64()) / 8),
        };
        for (number, is_written) in &mut self.under_way {
            *is_written |= *number == block;
        }
        while self.under_way.front().is_some_and(|(_, written)| *written) {
            self.under_way.pop_front();
        }
    }

    /// Returns whether a block is durable: it and all before it are written.
    pub(crate) fn is_durable(&self, block: u64) -> bool {
        match self.under_way.front() {
            Some((first, _)) => block < *first,
            None => block < self.number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Bytes = Bytes::new(4096);
    const NONE: Bytes = Bytes::new(0);

    fn at(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    #[test]
    fn a_single_task_writes_at_once_data_and_headers() {
        let mut log = Zil::new(1);
        assert_eq!(log.commit(0, at(0)), Commit::Nothing);
        for block in 1..4 {
            log.write(0, DATA, NONE);
            let length = Sectors::new(16);
            assert_eq!(log.commit(0, at(0)), Commit::Writes { block, length });
            assert!(!log.is_durable(block));
            log.written(block, Nanos::new(100_000));
            assert!(log.is_durable(block));
        }
    }

    #[test]
    fn several_tasks_share_a_block_and_blocks_become_durable_in_order() {
        let mut log = Zil::new(4);
        (0..4).for_each(|file| log.write(file, DATA, NONE));
        assert!(matches!(
            log.commit(0, at(0)),
            Commit::Writes { block: 1, .. }
        ));
        log.written(1, Nanos::new(100_000));
        log.write(0, DATA, NONE);
        assert!(matches!(
            log.commit(0, at(0)),
            Commit::Writes { block: 2, .. }
        ));
        let waits = Commit::Waits {
            block: 3,
            until: at(10),
        };
        assert_eq!(log.commit(1, at(0)), waits);
        assert!(matches!(
            log.commit(2, at(5)),
            Commit::Waits { block: 3, .. }
        ));
        let length = Sectors::new(24);
        assert_eq!(log.timeout(3), Some(Commit::Writes { block: 3, length }));
        assert_eq!(log.timeout(3), None, "the other one finds it written");
        log.written(3, Nanos::new(100_000));
        assert!(!log.is_durable(3), "the one before is not");
        log.written(2, Nanos::new(100_000));
        assert!(log.is_durable(3));
    }

    #[test]
    fn records_in_their_place_fill_no_block() {
        let mut log = Zil::new(8);
        (0..8).for_each(|file| log.write(file, NONE, Bytes::new(128 << 10)));
        assert!(matches!(log.commit(0, at(0)), Commit::Writes { .. }));
        let waits = |file, log: &mut Zil| matches!(log.commit(file, at(0)), Commit::Waits { .. });
        assert!((1..8).all(|file| waits(file, &mut log)));
        let length = Sectors::new(8 + 7 * 256);
        assert_eq!(log.timeout(2), Some(Commit::Writes { block: 2, length }));
    }
}
