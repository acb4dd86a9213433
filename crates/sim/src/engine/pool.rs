//! Filesystems that combine devices themselves, btrfs and ZFS, as layers of a simulation.

use stripewise_profiles::kernel::ReadAheadLimit;
use stripewise_study::pool::{Btrfs, CacheProperty, Compression, Pool, SyncProperty, Vdev, Zfs};
use stripewise_study::workload::{Data, Engine, Load};
use stripewise_units::Bytes;

use super::btrfs_layer::{BtrfsLayer, EXTENT, stored_extent};
use super::host_io::Durable;
use super::job::{Job, SyncCosts};
use super::journal::Log;
use super::layers::Mapping;
use super::open_file::PAGE;
use super::page_cache::PageCache;
use super::read_ahead::WindowLimits;
use super::zfs_layer::{Shape, ZfsLayer};
use super::{Setup, SetupError};
use crate::filesystem::btrfs::{ChunkMap, Holds, Space};
use crate::filesystem::checksum_cpu::Passes;
use crate::filesystem::tree_log::TreeLog;
use crate::filesystem::zfs::txg::Txg;
use crate::filesystem::zfs::zil::Zil;
use crate::io::Member;
use crate::narrow::truncated;
use crate::units::Sectors;
use stripewise_study::sample::as_f64;

/// The dirty pages of a host are a fifth of its memory (`vm.dirty_ratio`).
const MEMORY_PER_DIRTY: u64 = 5;
/// The longest window of ZFS's read-ahead: two of them are `zfetch_max_distance`, 64 MiB.
const PREFETCH: u64 = (32 << 20) / 4096;
/// The most threads of btrfs that compress (`btrfs_init_fs_info`: the cores and two more, at most 8).
const BTRFS_THREADS_MAX: u64 = 8;
/// The percent of the cores that ZFS's writes use (`zio_taskq_batch_pct`).
const ZFS_THREADS_PERCENT: u64 = 80;
/// The most records of all files.
const RECORDS_MAX: u64 = 1 << 28;

impl Setup<'_> {
    /// Returns the filesystem that combines the devices, if there is one.
    pub(super) fn pool(&self) -> Result<Option<Pool>, SetupError> {
        let pool = self.stack.pool().map_err(|word| SetupError::Unsupported {
            what: word.to_string(),
        })?;
        let is_below = self.stack.array.is_some() || self.stack.volume.is_some();
        if pool.is_some() && is_below {
            let what = "btrfs or zfs on an array or a volume".to_owned();
            return Err(SetupError::Unsupported { what });
        }
        Ok(pool)
    }

    /// Returns the pool if it is one that [`Setup::pool`] does not refuse.
    fn pool_if_any(&self) -> Option<Pool> {
        self.pool().ok().flatten()
    }

    /// Returns the ZFS pool, if there is one.
    pub(super) fn zfs(&self) -> Option<Zfs> {
        match self.pool_if_any() {
            Some(Pool::Zfs(pool)) => Some(pool),
            _ => None,
        }
    }

    /// Returns how the pool maps its files to devices, and its size.
    pub(super) fn pool_mapping(&self) -> Result<Option<(Mapping, Sectors)>, SetupError> {
        Ok(match self.pool()? {
            None => None,
            Some(Pool::Btrfs(made)) => {
                let layer = self.btrfs(&made)?;
                let size = layer.data.size();
                Some((Mapping::Btrfs(Box::new(layer)), size))
            }
            Some(Pool::Zfs(made)) => {
                let shape = self.zfs_shape(&made)?;
                let records = shape.capacity();
                let size = Sectors::new(records.saturating_mul(shape.record.get()));
                let smaller = shape.stored < shape.record;
                let workers = u64::from(self.host.cpu.cores) * ZFS_THREADS_PERCENT / 100;
                let copy = self.host.cpu.copy_bytes_per_s;
                let fletcher4 = self.host.cpu.fletcher4_bytes_per_s.unwrap_or(copy);
                let checksum = made.has_checksums.then_some(fletcher4);
                let passes = Passes::new(copy, checksum, made.compression, smaller, workers);
                let layer = ZfsLayer::new(shape, passes);
                Some((Mapping::Zfs(Box::new(layer)), size))
            }
        })
    }

    /// Returns by how much compression shrinks the load's data; 1 if it does not.
    fn ratio(&self, compression: Option<Compression>) -> Result<f64, SetupError> {
        if compression.is_none() {
            return Ok(1.0);
        }
        let refused = |what: &str| {
            Err(SetupError::Unsupported {
                what: what.to_owned(),
            })
        };
        let mut data = self.workload.loads().map(|load| load.data);
        let first = data.next().unwrap_or(Data::Incompressible);
        if data.any(|other| other != first) {
            return refused("loads whose data compresses differently on one filesystem");
        }
        match first {
            Data::Incompressible => Ok(1.0),
            Data::Ratio(ratio) => Ok(ratio.max(1.0)),
            Data::Zeroes => {
                refused("zeroes on a compressing filesystem, which stores none of them")
            }
        }
    }

    fn btrfs(&self, made: &Btrfs) -> Result<BtrfsLayer, SetupError> {
        let ratio = self.ratio(made.compression)?;
        let is_direct = self.workload.loads().any(|load| load.direct);
        if ratio > 1.0 && is_direct {
            // A direct write is not compressed, and a direct read of what is falls back to the page
            // cache (`btrfs_dio_iomap_begin`: -ENOTBLK).
            let what = "direct I/O on compressed files of btrfs; use `direct = false`";
            return Err(SetupError::Unsupported {
                what: what.to_owned(),
            });
        }
        let stored = stored_extent(ratio);
        let mut space = Space::new(&self.pool_sizes());
        let metadata = ChunkMap::new(made.metadata, Holds::Metadata, &mut space, Sectors::new(1));
        let all = Sectors::new(u64::MAX);
        let data = ChunkMap::new(made.data, Holds::Data, &mut space, all);
        if data.size() == Sectors::default() || metadata.size() == Sectors::default() {
            return Err(SetupError::Stack {
                stack: self.stack.name.clone(),
                problem: "has too few or too small devices for these profiles".to_owned(),
            });
        }
        let files = Sectors::from_bytes(self.files_bytes());
        let workers = (u64::from(self.host.cpu.cores) + 2).min(BTRFS_THREADS_MAX);
        let workers = workers.min(self.host.cpu.cores.into());
        let copy = self.host.cpu.copy_bytes_per_s;
        let mut layer = BtrfsLayer {
            data,
            metadata,
            node: Sectors::from_bytes(made.node_bytes),
            stored,
            in_place: made.in_place,
            files,
            free: files,
            free_node: Sectors::default(),
            passes: Passes::new(
                copy,
                made.has_checksums.then_some(copy),
                made.compression,
                stored < EXTENT,
                workers,
            ),
        };
        layer.files = Sectors::from_bytes(layer.stored_bytes(self.files_bytes()));
        layer.free = layer.files;
        Ok(layer)
    }

    fn pool_sizes(&self) -> Vec<Sectors> {
        let sizes = self.devices.iter().map(|profile| profile.capacity_bytes);
        sizes
            .map(|size| Sectors::from_bytes(Bytes::new(size)))
            .collect()
    }

    fn zfs_shape(&self, made: &Zfs) -> Result<Shape, SetupError> {
        let problem = |problem: String| SetupError::Stack {
            stack: self.stack.name.clone(),
            problem,
        };
        let log = self.stack.log_devices();
        let members = || (0..self.devices.len()).zip(0_u16..);
        let chosen = |wanted: bool| -> Vec<Member> {
            let own = members().filter(|(place, _)| log.contains(place) == wanted);
            own.map(|(_, number)| Member(number)).collect()
        };
        let data = chosen(false);
        let width = match (made.vdev, made.group) {
            (Vdev::Alone, _) => 1,
            (_, None) => data.len(),
            (_, Some(group)) => usize::try_from(group.get()).unwrap_or(usize::MAX),
        };
        let least = match made.vdev {
            Vdev::Alone => 1,
            Vdev::Mirror => 2,
            Vdev::Raidz(parity) => parity as usize + 1,
        };
        if width < least || !data.len().is_multiple_of(width) {
            return Err(problem(format!(
                "has too few devices: a group needs {least}"
            )));
        }
        let blocks = self.devices.iter().map(|one| one.physical_block_bytes);
        let block = blocks.max().unwrap_or(Sectors::BYTES).max(Sectors::BYTES);
        let ashift = made.ashift.unwrap_or(block.next_power_of_two().ilog2());
        let record = made.record_bytes.as_u64();
        let records = self.files_bytes().as_u64().div_ceil(record);
        if records > RECORDS_MAX {
            return Err(problem(format!(
                "has {records} records, too many to simulate"
            )));
        }
        let ratio = self.ratio(made.compression)?;
        let sizes = self.pool_sizes();
        let of_data = data.iter().map(|member| sizes[member.index()]);
        Ok(Shape {
            device: of_data.min().unwrap_or_default(),
            log: chosen(true),
            vdev: made.vdev,
            width,
            ashift,
            record: Sectors::new(record / Sectors::BYTES),
            stored: stored_record(record, ratio, ashift),
            records,
            rotational: self.devices.iter().map(|one| one.rotational).collect(),
            members: data,
        })
    }

    /// Returns the host's memory.
    fn memory_bytes(&self) -> u64 {
        let dirty = self.host.memory.dirty_bytes_max;
        dirty.saturating_mul(MEMORY_PER_DIRTY)
    }

    /// Returns how much of files the ARC holds: half of the memory (`arc_default_max` in
    /// module/os/linux/zfs/arc_os.c up to 2.2), nothing if it keeps metadata only.
    pub(super) fn arc_bytes(&self, pool: &Zfs) -> Bytes {
        Bytes::new(match pool.cache {
            CacheProperty::All => self.memory_bytes() / 2,
            CacheProperty::Metadata => 0,
        })
    }

    /// Lets a job go through the ARC, which `O_DIRECT` does not bypass up to 2.2. `libaio` waits for
    /// each I/O (`zpl_iter_read` and `zpl_iter_write` in module/os/linux/zfs/zpl_file.c).
    pub(super) fn pass_through_arc(&self, job: &mut Job, load: &Load) {
        if self.zfs().is_none() {
            return;
        }
        job.is_buffered = true;
        if load.engine == Engine::Libaio {
            job.depth = 1;
        }
    }

    /// Returns how much of what a load writes fio makes of random numbers, in percent. Elsewhere than
    /// on these filesystems the content does not matter, and the lab writes zeroes.
    pub(super) fn random_percent(&self, load: &Load) -> u64 {
        match load.data {
            _ if self.pool_if_any().is_none() => 0,
            Data::Zeroes => 0,
            Data::Incompressible => 100,
            Data::Ratio(ratio) => crate::narrow::truncated(100.0 / ratio.max(1.0)),
        }
    }

    /// Returns the limits of ZFS's windows of read-ahead.
    pub(super) fn prefetch_limits(&self, is_random: bool) -> WindowLimits {
        WindowLimits {
            pages_max: PREFETCH,
            request_pages: PREFETCH,
            is_random,
        }
    }

    /// Turns the page cache into ZFS's dirty data and ARC, if the stack has a pool.
    pub(super) fn with_records(&self, mut cache: PageCache) -> PageCache {
        let Some(pool) = self.zfs() else {
            return cache;
        };
        let files = self.files_bytes().as_u64();
        let records = files.div_ceil(pool.record_bytes.as_u64());
        let memory = Bytes::new(self.memory_bytes());
        let arc = self.arc_bytes(&pool).as_u64();
        let share = match self.is_first_pass() {
            true => 0,
            false => truncated(as_f64(arc) / as_f64(files.max(1)) * SHARE_UNIT).min(1 << 32),
        };
        let record_pages = pool.record_bytes.as_u64() / (PAGE * Sectors::BYTES);
        for file in &mut cache.files {
            file.read_whole(record_pages.max(1));
        }
        cache.records = Some(Box::new(Records {
            txg: Txg::new(pool.record_bytes, records, memory),
            record: Sectors::from_bytes(pool.record_bytes),
            cached_share: share,
            logs: pool.sync != SyncProperty::Disabled,
            is_indirect: pool.logs_indirectly,
            has_log_device: !self.stack.log_devices().is_empty(),
            under_way: 0,
        }));
        cache
    }

    /// Returns the limit of the read-ahead windows: ZFS has its own.
    pub(super) fn read_ahead_limit(&self, limit: ReadAheadLimit) -> ReadAheadLimit {
        match self.zfs() {
            Some(_) => ReadAheadLimit::Window,
            None => limit,
        }
    }

    /// Returns how a pool makes data durable.
    pub(super) fn pool_syncs(&self) -> Option<SyncCosts> {
        let commit = SyncCosts {
            full: Durable::Commit,
            data: Durable::Commit,
            none: Durable::No,
        };
        Some(match self.pool_if_any()? {
            Pool::Btrfs(_) => commit,
            Pool::Zfs(pool) => match pool.sync {
                SyncProperty::Standard => commit,
                SyncProperty::Always => SyncCosts {
                    none: Durable::Commit,
                    ..commit
                },
                SyncProperty::Disabled => SyncCosts {
                    full: Durable::No,
                    data: Durable::No,
                    none: Durable::No,
                },
            },
        })
    }

    /// Returns the log of a pool, for the files of `jobs`.
    pub(super) fn pool_log(&self, jobs: usize) -> Option<Log> {
        Some(match self.pool_if_any()? {
            Pool::Btrfs(made) => Log::Tree(TreeLog::new(jobs, made.node_bytes)),
            Pool::Zfs(_) => Log::Zil(Zil::new(jobs)),
        })
    }
}

/// A share of 1.
const SHARE_UNIT: f64 = 4_294_967_296.0;

/// Returns what a record takes that shrinks by `ratio`: whole sectors of the pool, and all of it
/// unless that saves an eighth (`zio_get_compression_max_size` in zio_compress.c).
fn stored_record(record: u64, ratio: f64, ashift: u32) -> Sectors {
    let sector = 1_u64 << ashift;
    let smaller = truncated((as_f64(record) / ratio).ceil()).next_multiple_of(sector);
    let is_worth = smaller <= record - record / 8;
    let stored = if is_worth { smaller } else { record };
    Sectors::from_bytes(Bytes::new(stored.next_multiple_of(sector)))
}

/// ZFS's records in memory.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) txg: Txg,
    pub(super) record: Sectors,
    /// The share of the records in the ARC, in 1/2^32.
    cached_share: u64,
    /// Whether the intent log is used.
    pub(super) logs: bool,
    pub(super) is_indirect: bool,
    pub(super) has_log_device: bool,
    /// The I/Os of the transaction group under way.
    pub(super) under_way: u64,
}

impl Records {
    /// Returns whether a record is in memory. Which records the ARC holds does not matter, only how
    /// many of them an even load finds there.
    pub(super) fn are_in_memory(&self, record: u64) -> bool {
        let drawn = record.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        drawn < self.cached_share || self.txg.holds(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_stored_smaller_if_that_saves_an_eighth() {
        let stored = |record, ratio, ashift| stored_record(record, ratio, ashift).get();
        assert_eq!(stored(128 << 10, 1.0, 12), 256);
        assert_eq!(stored(128 << 10, 1.1, 12), 256);
        assert_eq!(stored(128 << 10, 1.15, 12), 224);
        assert_eq!(stored(128 << 10, 2.0, 12), 128);
        assert_eq!(stored(8 << 10, 1.5, 12), 16, "two sectors are all of it");
        assert_eq!(stored(8 << 10, 2.0, 12), 8);
        assert_eq!(stored(8 << 10, 1.5, 9), 11);
    }
}
