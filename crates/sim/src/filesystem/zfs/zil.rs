//! The intent log: which log block an `fsync` or a synchronous write goes to, and who writes it.
//!
//! - With one task, its commit is written at once, and the log's devices are flushed.
//! - If another block is still on its way, the commits of several tasks gather in an open block. It
//!   is written when it is full, or when one of them has waited for a tenth of the time that the
//!   latest blocks took.
//! - Blocks are written side by side, and become durable in their order.
//! - Data of 32 KiB and more goes to its place in the pool, and the log only points to it, unless
//!   the pool has log devices.
//!
//! Source: `zil_process_commit_list`, `zil_commit_waiter`, `zil_burst_done`, `zil_write_state` and
//! `zil_lwb_set_zio_dependency` in `zil.c`. Before 2.2 a single task waits, too: that is not
//! simulated. Left out: the prediction of block sizes (a block here has the size of its content),
//! and that the flush of a block is left to the next one if that is under way.

use std::collections::VecDeque;

use stripewise_study::units::{Bytes, Nanos};

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

/// The log of a dataset.
#[derive(Debug)]
pub(crate) struct Zil {
    /// The bytes of the records of each file that no block has yet.
    files: Vec<u64>,
    /// The bytes in the open block.
    open: Option<u64>,
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
            files: vec![0; files],
            open: None,
            number: 1,
            under_way: VecDeque::new(),
            parallel: 0,
            latency: Nanos::default(),
        }
    }

    /// Adds the record of a write to a file, with `copied` bytes of data.
    pub(crate) fn write(&mut self, file: usize, copied: Bytes) {
        self.files[file] += RECORD + copied.as_u64();
    }

    /// Begins to commit the writes to a file.
    pub(crate) fn commit(&mut self, file: usize, now: Instant) -> Commit {
        let bytes = std::mem::take(&mut self.files[file]);
        if bytes == 0 {
            return Commit::Nothing;
        }
        if self.open.is_some() {
            self.parallel = BURSTS;
        } else if !self.under_way.is_empty() {
            self.parallel = self.parallel.max(BURSTS / 2);
        }
        let filled = self.open.unwrap_or(0) + bytes;
        self.open = Some(filled);
        if self.parallel == 0 || filled + CHAIN >= BLOCK_MAX {
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
        let bytes = CHAIN + self.open.take().unwrap_or(0);
        let block = self.number;
        self.number += 1;
        self.parallel = self.parallel.saturating_sub(1);
        self.under_way.push_back((block, false));
        Commit::Writes {
            block,
            length: Sectors::from_bytes(Bytes::new(bytes.next_multiple_of(BLOCK_MIN))),
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

    fn at(us: u64) -> Instant {
        Instant::from_nanos(us * 1000)
    }

    #[test]
    fn a_single_task_writes_at_once_data_and_headers() {
        let mut log = Zil::new(1);
        assert_eq!(log.commit(0, at(0)), Commit::Nothing);
        for block in 1..4 {
            log.write(0, DATA);
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
        (0..4).for_each(|file| log.write(file, DATA));
        assert!(matches!(
            log.commit(0, at(0)),
            Commit::Writes { block: 1, .. }
        ));
        log.written(1, Nanos::new(100_000));
        log.write(0, DATA);
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
}
