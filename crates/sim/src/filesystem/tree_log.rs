//! The tree log of btrfs: what an `fsync` writes instead of committing the whole transaction.
//!
//! ```text
//!  log tree (the file's items) and its root --> flush of all devices --> superblock, with FUA
//! ```
//!
//! - An `fsync` copies the file's new items to the log tree, and writes the dirty blocks of that
//!   tree and of the tree of log roots (`btrfs_sync_log`).
//! - All that log into the same transaction of the log wait for the one that writes it
//!   (`log_transid`, `log_commit`). While it is being written, the others gather for the next one,
//!   of which the first waits until the one before is done (`wait_log_commit`).
//! - Then all devices are flushed, and the first superblock of each is written durably
//!   (`write_all_supers` with one mirror).
//!
//! Source: `fs/btrfs/tree-log.c` and `disk-io.c` (6.12.117; 6.1.192 is the same in this). Left out:
//! the pause of a clock tick on disks that are not SSDs if several tasks log
//! (`schedule_timeout_uninterruptible`), and that the log tree of the next one is already written
//! while the superblocks of the one before are.

use stripewise_units::Bytes;

use crate::units::Sectors;

/// What a file adds to the log: its inode and a name (`btrfs_inode_item`, `btrfs_inode_ref`).
const FILE_BYTES: u64 = 160 + 25 + 10 + 25 + 8;
/// What a write adds: an extent (`btrfs_file_extent_item`), and an item of checksums.
const WRITE_BYTES: u64 = 53 + 25 + 25 + 4;

/// What an `fsync` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The file is in the log: nothing.
    Nothing,
    /// It writes the log.
    Writes {
        /// How many blocks of metadata.
        nodes: u64,
    },
    /// It waits until the transaction before is written, and then asks [`TreeLog::sync`] again.
    Sleeps,
    /// It waits until another one has written its transaction.
    Waits {
        /// The transaction of the log.
        transaction: u64,
    },
}

/// The log.
#[derive(Debug)]
pub(crate) struct TreeLog {
    /// The transaction of the latest change of each file, and the bytes that it will log.
    files: Vec<u64>,
    open: u64,
    bytes: u64,
    /// Whether the next one already has a task that will write it.
    has_writer: bool,
    is_written: bool,
    node: Bytes,
}

impl TreeLog {
    /// Returns the log of a filesystem with `files` files, in blocks of `node`.
    pub(crate) fn new(files: usize, node: Bytes) -> Self {
        Self {
            files: vec![0; files],
            open: 1,
            bytes: 0,
            has_writer: false,
            is_written: false,
            node,
        }
    }

    /// Notes a write to a file, which got a new place.
    pub(crate) fn change(&mut self, file: usize) {
        if self.files[file] != self.open {
            self.files[file] = self.open;
            self.bytes += FILE_BYTES;
        }
        self.bytes += WRITE_BYTES;
    }

    /// Begins an `fsync` of a file.
    pub(crate) fn sync(&mut self, file: usize) -> Sync {
        let transaction = self.files[file];
        if transaction < self.open {
            return match self.is_written && transaction + 1 == self.open {
                true => Sync::Waits { transaction },
                false => Sync::Nothing,
            };
        }
        if !self.is_written {
            return self.force();
        }
        match std::mem::replace(&mut self.has_writer, true) {
            true => Sync::Waits { transaction },
            false => Sync::Sleeps,
        }
    }

    /// Begins to write the open transaction.
    fn force(&mut self) -> Sync {
        let leaves = self.bytes.div_ceil(self.node.as_u64()).max(1);
        self.bytes = 0;
        self.open += 1;
        self.has_writer = false;
        self.is_written = true;
        // Its root, if it has several leaves, and the leaf of the tree of log roots.
        Sync::Writes {
            nodes: leaves + u64::from(leaves > 1) + 1,
        }
    }

    /// Ends the write.
    pub(crate) fn ended(&mut self) {
        self.is_written = false;
    }

    /// Returns whether a transaction is durable.
    pub(crate) fn is_durable(&self, transaction: u64) -> bool {
        transaction + 1 < self.open + u64::from(!self.is_written)
    }

    /// Returns the sectors of a block.
    pub(crate) fn node(&self) -> Sectors {
        Sectors::from_bytes(self.node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_come_during_a_write_share_the_next_one() {
        let mut log = TreeLog::new(4, Bytes::new(16 << 10));
        for file in 0..4 {
            log.change(file);
        }
        assert_eq!(log.sync(0), Sync::Writes { nodes: 2 });
        assert_eq!(
            log.sync(1),
            Sync::Waits { transaction: 1 },
            "it is in that write"
        );
        log.change(2);
        log.change(3);
        assert_eq!(log.sync(2), Sync::Sleeps);
        assert_eq!(log.sync(3), Sync::Waits { transaction: 2 });
        assert!(!log.is_durable(1));
        log.ended();
        assert!(log.is_durable(1) && !log.is_durable(2));
        assert_eq!(log.sync(2), Sync::Writes { nodes: 2 });
        assert!(!log.is_durable(2));
        log.ended();
        assert!(log.is_durable(2));
        assert_eq!(log.sync(3), Sync::Nothing);
    }
}
