//! How much memory the page cache has, what is in it at the beginning, and how far it reads ahead.

use stripewise_profiles::kernel::{Policy, ReadAheadPolicy};
use stripewise_study::conditions::State;
use stripewise_study::stack::{Array, Filesystem, Level, Volume};
use stripewise_study::warning::Warning;
use stripewise_units::Bytes;

use super::job::Job;
use super::open_file::{OpenFile, PAGE};
use super::page_cache::PageCache;
use super::read_ahead::{ReadAhead, WindowLimits};
use super::{Setup, Simulation};
use crate::units::Sectors;

/// Read-ahead of a device that says nothing about its optimal size (`VM_READAHEAD_PAGES`).
const READ_AHEAD_DEFAULT: u64 = 128 << 10;
/// The page cache holds this many times the bytes that may be dirty (`vm.dirty_ratio` is 20 %).
const CACHE_PER_DIRTY: u64 = 5;
/// The largest optimal size of I/O, which has 32 bits, in whole pages.
const OPTIMAL_MAX: u64 = (1 << 32) - PAGE_BYTES;
const PAGE_BYTES: u64 = PAGE * Sectors::BYTES;

impl Setup<'_> {
    /// Returns the page cache of the jobs on a stack of `size`.
    pub(super) fn page_cache(&self, jobs: &[Job], size: Sectors, policy: &Policy) -> PageCache {
        let files_bytes = self.files_bytes();
        let zfs = self.zfs();
        let dirty_max = Bytes::new(self.host.memory.dirty_bytes_max);
        let cached_bytes = self.cached_bytes_max().as_u64();
        let cached_max = cached_bytes / PAGE_BYTES / jobs.len().max(1) as u64;
        let is_warm = self.is_warm();
        let files = jobs.iter().map(|job| {
            let own = job.generator.place();
            let place = match self.stack.filesystem {
                Filesystem::None => Sectors::default()..size,
                _ => own.clone(),
            };
            let limits = self.window_limits(job, policy);
            let rules = ReadAheadPolicy {
                limit: self.read_ahead_limit(policy.read_ahead.limit),
                ..policy.read_ahead
            };
            let read_ahead = ReadAhead::new(rules, limits);
            // Pages that are awaited, or read ahead for the next read, stay in memory.
            let awaited = 2 * u64::from(job.depth) * job.generator.pages_max();
            let cached_max = cached_max.max(4 * limits.pages_max + awaited);
            let mut file = OpenFile::new(place, read_ahead, cached_max, job.depth);
            if is_warm {
                file.warm(&own);
            }
            file
        });
        let mut cache = PageCache::new(dirty_max, files_bytes, files.collect());
        let is_direct = self.workload.load.direct && zfs.is_none();
        let reads = self.workload.load.pattern.reads() && !is_direct;
        cache.warning = (is_warm && reads).then(|| Warning::FileFitsInMemory {
            files_bytes,
            memory_bytes: self.cached_bytes_max(),
        });
        self.with_records(cache)
    }

    pub(super) fn files_bytes(&self) -> Bytes {
        let files = self.workload.loads().fold(0_u64, |sum, load| {
            sum.saturating_add(load.size_bytes.as_u64().saturating_mul(load.jobs.into()))
        });
        Bytes::new(files)
    }

    fn cached_bytes_max(&self) -> Bytes {
        if let Some(pool) = self.zfs() {
            return self.arc_bytes(&pool);
        }
        let dirty_max = self.host.memory.dirty_bytes_max;
        Bytes::new(dirty_max.saturating_mul(CACHE_PER_DIRTY))
    }

    /// Returns whether the files are in memory when the load begins: in the long run files that fit
    /// were read or written before. `drop_caches` asks for the first pass, which is cold.
    fn is_warm(&self) -> bool {
        !self.is_first_pass() && self.files_bytes() <= self.cached_bytes_max()
    }

    /// Returns whether the load finds nothing in memory that was read or written before.
    pub(super) fn is_first_pass(&self) -> bool {
        self.conditions.state == Some(State::Fresh)
            || self.conditions.drop_caches == Some(true)
            || self.replay.is_some()
    }

    /// Returns the limits of a job's windows.
    ///
    /// fio says how it will read, unless `fadvise_hint` is off (`td_io_open_file` in ioengines.c):
    /// `POSIX_FADV_SEQUENTIAL` doubles the device's window, `POSIX_FADV_RANDOM` turns read-ahead
    /// off (`generic_fadvise` in mm/fadvise.c).
    fn window_limits(&self, job: &Job, policy: &Policy) -> WindowLimits {
        if self.zfs().is_some() {
            return self.prefetch_limits(job.generator.is_random());
        }
        let window = self.read_ahead_bytes(policy) / PAGE_BYTES;
        let is_random = job.generator.is_random();
        WindowLimits {
            pages_max: if is_random { window } else { 2 * window },
            request_pages: self.request_bytes_max(policy) / PAGE_BYTES,
            is_random,
        }
    }

    /// Returns how far the device under the files reads ahead (`read_ahead_kb`).
    pub(super) fn read_ahead_bytes(&self, policy: &Policy) -> u64 {
        if let Some(asked) = self.conditions.read_ahead_bytes {
            return asked.as_u64();
        }
        let has_heads = self.devices.iter().any(|device| device.rotational);
        let optimal = match self.optimal_io_bytes() {
            0 if has_heads && policy.read_ahead.disks_read_two_requests => {
                self.request_bytes_max(policy)
            }
            optimal => optimal,
        };
        READ_AHEAD_DEFAULT.max(2 * optimal.min(OPTIMAL_MAX))
    }

    /// Returns the optimal size of I/O (`io_opt`) of the device under the files: a stripe. Members
    /// have none, and a linear volume has its array's.
    fn optimal_io_bytes(&self) -> u64 {
        let devices = self.devices.len() as u64;
        if let Some(array) = &self.stack.array {
            let chunk = array.chunk_bytes.map_or(0, Bytes::as_u64);
            return chunk.saturating_mul(stripe_chunks(array, devices));
        }
        match &self.stack.volume {
            Some(Volume::Striped {
                stripes,
                stripe_bytes,
            }) => stripe_bytes.as_u64().saturating_mul(stripes.get().into()),
            Some(Volume::Linear) | None => 0,
        }
    }

    /// Returns the longest request of the device under the files (`max_sectors`): the shortest of
    /// its members', and a chunk of RAID 0 (`raid0_run`, `raid0_set_limits`).
    fn request_bytes_max(&self, policy: &Policy) -> u64 {
        let kernel_max = self.request_limit_bytes(policy);
        let members = self.devices.iter();
        let longest = members.filter_map(|profile| profile.request_bytes_max);
        let longest = longest.fold(kernel_max, u64::min);
        let array = self.stack.array.as_ref();
        let chunk = array.filter(|array| array.level == Level::Raid0);
        let chunk = chunk.and_then(|array| array.chunk_bytes);
        chunk.map_or(longest, |chunk| longest.min(chunk.as_u64()))
    }
}

/// Returns how many chunks of data a stripe of the array has: `raid0_set_limits`,
/// `raid10_nr_stripes`, `raid5_set_limits`; RAID 1 has no stripes.
fn stripe_chunks(array: &Array, devices: u64) -> u64 {
    match array.level {
        Level::Raid0 => devices,
        Level::Raid10 => {
            let layout = array.layout.as_deref().unwrap_or("n2");
            let copies = layout.strip_prefix('n').map_or(Ok(1), str::parse);
            let copies = copies.unwrap_or(1).max(1);
            if devices.is_multiple_of(copies) {
                devices / copies
            } else {
                devices
            }
        }
        Level::Raid4 | Level::Raid5 => devices.saturating_sub(1),
        Level::Raid6 => devices.saturating_sub(2),
        _ => 0,
    }
}

impl Simulation {
    /// Returns the warning of a load that reads files from memory.
    pub(super) fn memory_warning(&self) -> Option<Warning> {
        self.page_cache.warning.clone()
    }
}
