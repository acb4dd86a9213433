//! The log of XFS: changes gather in memory and go to a log buffer, which one `fsync` writes for all.
//!
//! ```text
//!  change of an inode -> CIL -- push --> log buffer -- force --> log
//!                                          ^  |                  (REQ_PREFLUSH, REQ_FUA)
//!      fsync: sleeps while the buffer  ----+  +-- those who find it on its way wait,
//!      before is being written                    and flush the device once more
//! ```
//!
//! - A push moves all changes of the committed item list (CIL) to the current log buffer: they become
//!   durable together (`xlog_cil_push_work`).
//! - An `fsync` writes the buffer that holds its changes. While the buffer before is being written,
//!   it sleeps first, so that more changes fit in (`xlog_force_lsn`).
//! - Only the `fsync` that writes the buffer knows that a flush followed its data
//!   (`log_flushed`); the others flush themselves (`xfs_file_fsync`).
//!
//! Source: `fs/xfs/xfs_file.c`, `xfs_log.c` and `xfs_log_cil.c` (6.1.192; 6.12.117 is the same).
//! Since 4.14 the others flush (47c7d0b19502, cited on linux-xfs; older kernels were not read and
//! count as newer ones).
//!
//! Left out: the size of a buffer (32 KiB holds the inodes of 120 files, and a checkpoint of more
//! would take several), the limit of eight buffers (never more than two are in use here), background
//! pushes, covering an idle log, and writing metadata back (AIL).

use std::collections::VecDeque;

use stripewise_units::Bytes;

use crate::units::Sectors;

/// The header of a log buffer of 32 KiB (`l_iclog_hsize`).
const HEADER_BYTES: u64 = 512;
/// What a checkpoint adds: start and commit records and the transaction's header.
const CHECKPOINT_BYTES: u64 = 52;
/// What an inode adds: its log format (56) and core (176), with an operation header of 12 each.
const INODE_BYTES: u64 = 256;

/// What an `fsync` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The inode is in the log: it flushes only.
    Flush,
    /// It waits until a worker has moved its changes to a log buffer, and then asks again
    /// ([`XfsLog::sync`]).
    Pushes,
    /// It writes the current log buffer.
    Writes {
        /// How much.
        length: Sectors,
    },
    /// It sleeps until the buffer before is written, and then asks again.
    Sleeps {
        /// Its buffer.
        buffer: u64,
    },
    /// It waits until a buffer that another one writes is done, and then flushes.
    Waits {
        /// The buffer.
        buffer: u64,
    },
}

/// The log.
#[derive(Debug)]
pub(crate) struct XfsLog {
    /// The CIL context with the latest change of each file (`ili_commit_seq`).
    files: Vec<u64>,
    /// The current CIL context, and the inodes in it.
    context: u64,
    changed: u64,
    /// The buffer of each pushed context that is not durable yet.
    pushed: VecDeque<(u64, u64)>,
    /// The newest durable context.
    durable: u64,
    /// The current buffer, and the bytes in it.
    buffer: u64,
    bytes: u64,
    /// The buffer that is being written.
    written: Option<u64>,
    /// What the length of a log write is a multiple of (`l_iclog_roundoff`).
    unit: Bytes,
}

impl XfsLog {
    /// Returns the log of a filesystem with `files` files; it writes whole `unit`s.
    pub(crate) fn new(files: usize, unit: Bytes) -> Self {
        Self {
            files: vec![0; files],
            context: 1,
            changed: 0,
            pushed: VecDeque::with_capacity(files + 1),
            durable: 0,
            buffer: 1,
            bytes: 0,
            written: None,
            unit,
        }
    }

    /// Logs a change of a file in memory.
    pub(crate) fn change(&mut self, file: usize) {
        self.changed += u64::from(self.files[file] != self.context);
        self.files[file] = self.context;
    }

    /// Makes the next `fsync` of a file force all changes to the log, as `sync` does
    /// (`xfs_log_force` in `xfs_fs_sync_fs`).
    pub(crate) fn change_with_all(&mut self, file: usize) {
        let is_empty = self.changed == 0;
        self.files[file] = self.context - u64::from(is_empty);
    }

    /// Makes a file durable: begins an `fsync`, or goes on with it after a sleep.
    pub(crate) fn sync(&mut self, file: usize) -> Sync {
        let context = self.files[file];
        if context <= self.durable {
            return Sync::Flush;
        }
        if context == self.context {
            return Sync::Pushes;
        }
        let found = self.pushed.iter().find(|(pushed, _)| *pushed == context);
        let buffer = found.map_or(self.buffer, |(_, buffer)| *buffer);
        self.force(buffer)
    }

    /// Writes a buffer, or waits for the one who does.
    fn force(&mut self, buffer: u64) -> Sync {
        if buffer != self.buffer || self.written.is_some() {
            return match self.written == Some(buffer) {
                true => Sync::Waits { buffer },
                false if buffer == self.buffer => Sync::Sleeps { buffer },
                false => Sync::Flush,
            };
        }
        self.written = Some(buffer);
        self.buffer += 1;
        let bytes = HEADER_BYTES + std::mem::take(&mut self.bytes);
        let length = bytes.next_multiple_of(self.unit.as_u64());
        Sync::Writes {
            length: Sectors::from_bytes(Bytes::new(length)),
        }
    }

    /// Moves the CIL to the current buffer.
    pub(crate) fn push(&mut self) {
        self.pushed.push_back((self.context, self.buffer));
        self.bytes += CHECKPOINT_BYTES + INODE_BYTES * std::mem::take(&mut self.changed);
        self.context += 1;
    }

    /// Ends the write of a buffer.
    pub(crate) fn write_ended(&mut self) {
        let Some(buffer) = self.written.take() else {
            return;
        };
        while let Some((context, _)) = self.pushed.front().filter(|(_, of)| *of <= buffer) {
            self.durable = *context;
            self.pushed.pop_front();
        }
    }

    /// Returns whether a buffer is written.
    pub(crate) fn is_written(&self, buffer: u64) -> bool {
        buffer < self.buffer && self.written != Some(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> XfsLog {
        XfsLog::new(8, Bytes::new(512))
    }

    /// Asks for an `fsync`, with a worker that pushes at once.
    fn pushed(log: &mut XfsLog, file: usize) -> Sync {
        match log.sync(file) {
            Sync::Pushes => {
                log.push();
                log.sync(file)
            }
            other => other,
        }
    }

    #[test]
    fn one_writes_the_buffer_of_all_and_the_others_flush_again() {
        let mut log = log();
        log.change(0);
        // Header, checkpoint and inode: 820 bytes.
        let length = Sectors::new(2);
        assert_eq!(pushed(&mut log, 0), Sync::Writes { length });
        for file in 1..8 {
            log.change(file);
            assert_eq!(pushed(&mut log, file), Sync::Sleeps { buffer: 2 });
        }
        log.write_ended();
        assert!(log.is_written(1));
        assert_eq!(log.sync(0), Sync::Flush);
        // Seven checkpoints: 512 + 7 x 308 bytes.
        let length = Sectors::new(6);
        assert_eq!(log.sync(1), Sync::Writes { length });
        for file in 2..8 {
            assert_eq!(log.sync(file), Sync::Waits { buffer: 2 });
        }
        log.write_ended();
        assert!((0..8).all(|file| log.sync(file) == Sync::Flush));
    }

    #[test]
    fn one_push_takes_the_changes_of_all_up_to_then() {
        let mut log = log();
        for file in 0..3 {
            log.change(file);
            assert_eq!(log.sync(file), Sync::Pushes);
        }
        log.push();
        // Header, one checkpoint, three inodes: 1332 bytes.
        let length = Sectors::new(3);
        assert_eq!(log.sync(0), Sync::Writes { length });
        assert_eq!(log.sync(1), Sync::Waits { buffer: 1 });
    }

    #[test]
    fn a_log_stripe_unit_makes_small_writes_long() {
        let mut log = XfsLog::new(1, Bytes::new(32 * 1024));
        log.change(0);
        let length = Sectors::new(64);
        assert_eq!(pushed(&mut log, 0), Sync::Writes { length });
    }

    #[test]
    fn an_fsync_of_a_file_whose_buffer_is_on_its_way_waits_for_it() {
        let mut log = log();
        log.change(0);
        log.change(1);
        assert!(matches!(pushed(&mut log, 0), Sync::Writes { .. }));
        assert_eq!(log.sync(1), Sync::Waits { buffer: 1 });
    }
}
