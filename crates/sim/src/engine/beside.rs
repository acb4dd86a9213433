//! What a study asks for beside the load: `sync`, and flushes of the device under test.
//!
//! Each is a job that does one such call at each multiple of its interval, counted from the beginning.
//! A call that takes longer skips the moments that it misses, as in the metal world.
//!
//! `sync` (`ksys_sync` in fs/sync.c, 6.1.192 and 6.12.117) writes back the dirty pages of all
//! filesystems, and then lets each make itself durable (`ext4_sync_fs`, `xfs_fs_sync_fs`): a commit
//! of its log if that changed, else a flush. XFS flushes only with a commit, which is left out: here
//! a clean log is flushed, too. For a block device without a filesystem it writes back the pages of
//! its node, and sends no flush (`sync_bdevs` in block/bdev.c); direct I/O leaves no such pages.
//!
//! `fsync` of a block device (`blkdev_fsync` in block/fops.c) writes back the pages of its node, and
//! flushes it.

use stripewise_study::stack::Filesystem;
use stripewise_study::workload::Database;
use stripewise_units::Nanos;

use super::host_io::Durable;
use super::job::Job;
use super::page_cache::PageCache;
use super::{Setup, SetupError};

/// A call beside the load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    pub(super) every: Nanos,
    /// Whether it writes back dirty pages first.
    pub(super) writes_back: bool,
    pub(super) durable: Durable,
    /// Whether it covers the changes of all files.
    pub(super) is_of_all: bool,
}

impl Setup<'_> {
    /// Returns how often everything is made durable beside the load: by the conditions, or by a
    /// database that does not wait for its log.
    pub(super) fn sync_every(&self) -> Option<Nanos> {
        let database = self.workload.database.as_ref();
        let own = || database.and_then(Database::flush_interval);
        self.conditions.sync_every_ns.or_else(own)
    }

    /// Returns what happens beside the load.
    pub(super) fn beside(&self) -> Vec<Beside> {
        let is_raw = self.stack.filesystem == Filesystem::None;
        let is_buffered = self.workload.loads().any(|load| !load.direct);
        let syncs = self.syncs().map(|syncs| syncs.full);
        let sync = self.sync_every().map(|every| Beside {
            every,
            writes_back: is_buffered,
            durable: match is_raw {
                true => Durable::Written,
                false => syncs.unwrap_or(Durable::Flush),
            },
            is_of_all: true,
        });
        let flush = self.conditions.flush_every_ns.map(|every| Beside {
            every,
            writes_back: is_raw && is_buffered,
            durable: Durable::Flush,
            is_of_all: false,
        });
        // Without pages there is nothing to do for a `sync`.
        let sync = sync.filter(|sync| is_buffered || sync.durable != Durable::Written);
        sync.into_iter().chain(flush).collect()
    }

    /// Refuses a program in the place of the load, calls beside a load on filesystems that change the
    /// data, and beside a replay.
    pub(super) fn check_beside(&self) -> Result<(), SetupError> {
        if self.workload.program.is_some() {
            return Err(SetupError::Setting {
                problem: "the model does not know what a program writes".to_owned(),
                hint: "`stripewise pull-plug --world metal` runs it and cuts its power",
            });
        }
        let it = self.conditions;
        let key = match (self.sync_every(), it.flush_every_ns) {
            (Some(every), _) => format!("`sync_every = \"{every}\"`"),
            (None, Some(every)) => format!("`flush_every = \"{every}\"`"),
            (None, None) => return Ok(()),
        };
        let where_to = match (
            self.stack.pool().is_ok_and(|pool| pool.is_some()),
            &self.replay,
        ) {
            (true, _) => "on btrfs or ZFS",
            (false, Some(_)) => "beside a replay",
            (false, None) => return Ok(()),
        };
        let what = format!("{key} {where_to}");
        Err(SetupError::Unsupported { what })
    }

    /// Adds the jobs for it behind those of the load.
    pub(super) fn add_beside(&self, jobs: &mut Vec<Job>, page_cache: &mut PageCache) {
        let Some(template) = jobs.first().cloned() else {
            return;
        };
        let beside = self.beside().into_iter();
        jobs.extend(beside.map(|beside| template.beside(&beside)));
        page_cache.flusher = u32::try_from(jobs.len()).expect("jobs are few");
    }
}
