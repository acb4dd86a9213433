//! The journal of ext3 and ext4: one transaction runs, one commits.
//!
//! Changes of inodes join the running transaction. An `fsync` requests its commit and waits for it,
//! so all that come while another commit is under way share the next one.
//!
//! ```text
//!  change of an inode -> running transaction
//!                              | fsync, and no other commit is under way
//!                              v
//!                        journal blocks -> commit block (REQ_PREFLUSH, REQ_FUA) -> committed
//! ```
//!
//! Source: `ext4_sync_file` and `ext4_fsync_journal` in `fs/ext4/fsync.c`;
//! `jbd2_complete_transaction`, `__jbd2_log_start_commit`, `jbd2_trans_will_send_data_barrier` and
//! `kjournald2` in `fs/jbd2/journal.c`; `jbd2_journal_commit_transaction` and
//! `journal_submit_commit_record` in `fs/jbd2/commit.c`; `do_get_write_access` in
//! `fs/jbd2/transaction.c` (6.1.192; 6.12.117 is the same). The sleep of `jbd2_journal_stop` that
//! waits for more handles (`j_min_batch_time`) is for synchronous handles, which an `fsync` has none
//! of.
//!
//! Left out: checkpoints, the journal's superblock, fast commits (off by default), and the commit
//! every 5 s that no program asks for.

use crate::units::Sectors;

/// Inodes of 256 bytes in a block of 4 KiB (`mke2fs.conf`).
const INODES_PER_BLOCK: usize = 16;
/// A block of the filesystem.
pub(crate) const BLOCK: Sectors = Sectors::new(8);

/// What an `fsync` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sync {
    /// The inode is committed: it flushes only.
    Flush,
    /// It waits until a transaction is committed.
    Waits {
        /// The transaction.
        transaction: u64,
        /// Whether it flushes afterwards: the commit block, and the flush before it, may already be
        /// on their way.
        then_flushes: bool,
    },
}

/// The state of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commit {
    /// Descriptor and metadata are written.
    Blocks,
    /// The commit block is written (`T_COMMIT_JFLUSH`).
    Record,
}

/// The journal.
#[derive(Debug)]
pub(crate) struct Jbd2 {
    /// The newest committed transaction (`j_commit_sequence`).
    committed: u64,
    /// The newest transaction whose commit is requested (`j_commit_request`).
    requested: u64,
    commit: Option<Commit>,
    /// The latest transaction with a change of each file (`i_sync_tid`).
    files: Vec<u64>,
    /// The same for each block of inodes.
    blocks: Vec<u64>,
    /// The blocks of inodes in the running transaction.
    running_blocks: u64,
}

impl Jbd2 {
    /// Returns the journal of a filesystem with `files` files, whose inodes lie one after the other.
    pub(crate) fn new(files: usize) -> Self {
        Self {
            committed: 0,
            requested: 0,
            commit: None,
            files: vec![0; files],
            blocks: vec![0; files.div_ceil(INODES_PER_BLOCK)],
            running_blocks: 0,
        }
    }

    fn running(&self) -> u64 {
        self.committed + 1 + u64::from(self.commit.is_some())
    }

    /// Returns whether a change of a file has to wait: its block of inodes is being copied to the
    /// journal (`BH_Shadow`).
    pub(crate) fn is_shadowed(&self, file: usize) -> bool {
        let is_in_commit = self.blocks[file / INODES_PER_BLOCK] == self.committed + 1;
        self.commit == Some(Commit::Blocks) && is_in_commit
    }

    /// Adds a change of a file to the running transaction.
    pub(crate) fn change(&mut self, file: usize) {
        let running = self.running();
        self.files[file] = running;
        let block = &mut self.blocks[file / INODES_PER_BLOCK];
        self.running_blocks += u64::from(*block != running);
        *block = running;
    }

    /// Makes the next `fsync` of a file wait for the latest transaction, as `sync` does
    /// (`jbd2_get_latest_transaction` in `ext4_sync_fs`).
    pub(crate) fn change_with_all(&mut self, file: usize) {
        let is_empty = self.running_blocks == 0;
        self.files[file] = self.running() - u64::from(is_empty);
    }

    /// Begins an `fsync` of a file.
    pub(crate) fn sync(&mut self, file: usize) -> Sync {
        let transaction = self.files[file];
        if transaction <= self.committed {
            return Sync::Flush;
        }
        let is_running = transaction == self.running();
        if is_running {
            self.requested = transaction;
        }
        Sync::Waits {
            transaction,
            then_flushes: !is_running && self.commit == Some(Commit::Record),
        }
    }

    /// Returns whether a commit is requested and none is under way.
    pub(crate) fn may_commit(&self) -> bool {
        self.commit.is_none() && self.requested > self.committed
    }

    /// Begins a requested commit if none is under way; returns how many sectors it writes before its
    /// commit block.
    pub(crate) fn begin_commit(&mut self) -> Option<Sectors> {
        if !self.may_commit() {
            return None;
        }
        self.commit = Some(Commit::Blocks);
        let blocks = 1 + std::mem::take(&mut self.running_blocks);
        Some(Sectors::new(blocks * BLOCK.get()))
    }

    /// Notes that all but the commit block is written.
    pub(crate) fn blocks_written(&mut self) {
        self.commit = Some(Commit::Record);
    }

    /// Ends the commit.
    pub(crate) fn commit_ended(&mut self) {
        self.commit = None;
        self.committed += 1;
    }

    /// Returns whether a transaction is committed.
    pub(crate) fn is_committed(&self, transaction: u64) -> bool {
        transaction <= self.committed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(transaction: u64, then_flushes: bool) -> Sync {
        Sync::Waits {
            transaction,
            then_flushes,
        }
    }

    #[test]
    fn all_that_come_during_a_commit_share_the_next_one() {
        let mut journal = Jbd2::new(20);
        journal.change(0);
        assert_eq!(journal.sync(0), waits(1, false));
        assert_eq!(
            journal.begin_commit(),
            Some(Sectors::new(16)),
            "descriptor and one block"
        );
        for file in 1..20 {
            if journal.is_shadowed(file) {
                assert!(file < 16, "another block of inodes");
                journal.blocks_written();
            }
            journal.change(file);
            assert_eq!(journal.sync(file), waits(2, false));
            assert_eq!(journal.begin_commit(), None, "one commit at a time");
        }
        journal.commit_ended();
        assert!(journal.is_committed(1) && !journal.is_committed(2));
        assert_eq!(
            journal.begin_commit(),
            Some(Sectors::new(24)),
            "two blocks of inodes"
        );
        journal.commit_ended();
        assert!(journal.is_committed(2));
        assert_eq!(journal.begin_commit(), None);
    }

    #[test]
    fn a_file_without_changes_flushes_only() {
        let mut journal = Jbd2::new(1);
        assert_eq!(journal.sync(0), Sync::Flush);
        journal.change(0);
        assert_eq!(journal.sync(0), waits(1, false));
        assert!(journal.begin_commit().is_some());
        assert_eq!(journal.sync(0), waits(1, false), "its flush is to come");
        journal.blocks_written();
        assert_eq!(journal.sync(0), waits(1, true), "its flush may be over");
        journal.commit_ended();
        assert_eq!(journal.sync(0), Sync::Flush);
    }
}
