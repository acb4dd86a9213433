//! ZFS's writes in a simulation: records become dirty, transaction groups are written, and the
//! intent log makes single writes durable. The decisions are those of [`crate::filesystem::zfs`].

use stripewise_profiles::device::DeviceProfile;
use stripewise_study::sample::Part;
use stripewise_units::Bytes;

use super::host_io::{Durable, Kind, Stage};
use super::journal::{Log, Waiting};
use super::layers::{METADATA_TAG, Mapping};
use super::members::{MemberState, Owner};
use super::open_file::PAGE;
use super::pool::Records;
use super::{Setup, Simulation};
use crate::device::fill_level::FillLevel;
use crate::events::Event;
use crate::filesystem::zfs::queue::{VdevQueue, async_writes};
use crate::filesystem::zfs::txg::{Next, TIMEOUT};
use crate::filesystem::zfs::zil::{Commit, INDIRECT_FROM};
use crate::io::{BioLimit, Flags, MemberBio, Operation};
use crate::units::{Instant, Sectors};

/// The longest I/O of a device that ZFS makes of adjacent ones (`zfs_vdev_aggregation_limit` and
/// `zfs_vdev_aggregation_limit_non_rotating`).
const AGGREGATED: Sectors = Sectors::new(2048);
const AGGREGATED_NON_ROTATING: Sectors = Sectors::new(256);
/// The I/Os of a transaction group under way for each device; its queue holds those back that its
/// class does not allow.
const PER_DEVICE: u64 = 12;

impl Setup<'_> {
    /// Returns the limit of a member below ZFS, which makes no longer I/Os of adjacent ones; a longer
    /// block goes as one.
    pub(super) fn aggregation_limit(&self, limit: BioLimit, profile: &DeviceProfile) -> BioLimit {
        let Some(pool) = self.zfs() else {
            return limit;
        };
        let aggregated = match profile.rotational {
            true => AGGREGATED,
            false => AGGREGATED_NON_ROTATING,
        };
        let block = Sectors::from_bytes(pool.record_bytes);
        BioLimit {
            max: limit.max.min(aggregated.max(block)),
            ..limit
        }
    }

    /// Adds ZFS's queues to the members, if the stack is a pool.
    pub(super) fn add_vdev_queues(&self, members: &mut [MemberState]) {
        if self.zfs().is_none() {
            return;
        }
        for member in members {
            member.vdev = Some(VdevQueue::default());
        }
    }
}

impl Records {
    /// Makes the records of a range dirty; returns whether the open group had none before.
    pub(super) fn mark_dirty(&mut self, start: Sectors, length: Sectors, at: Instant) -> bool {
        let record = self.record.get();
        let end = (start + length).get().div_ceil(record);
        let mut is_first = false;
        for number in start.get() / record..end {
            is_first |= self.txg.write(number, at);
        }
        is_first
    }

    /// Returns what is dirty, until the groups follow each other: from then on it goes up and down
    /// with each of them, which is no change of the long run.
    pub(super) fn level(&self) -> FillLevel {
        let follow = self.txg.ended > 1;
        FillLevel {
            holds: if follow { 0 } else { self.txg.dirty() },
            received: self.txg.dirtied(),
        }
    }

    /// Returns the range of records that a write changes in part, and that are not in memory.
    fn to_fill(&self, start: Sectors, length: Sectors) -> Option<(Sectors, Sectors)> {
        let record = self.record.get();
        let (start, end) = (start.get(), (start + length).get());
        let (first, last) = (start / record, end.div_ceil(record) - 1);
        let is_partial = |number: u64| start > number * record || end < (number + 1) * record;
        let needs = |number: u64| is_partial(number) && !self.are_in_memory(number);
        let (begin, behind) = match (needs(first), needs(last)) {
            (false, false) => return None,
            (true, false) => (first, first + 1),
            (false, true) => (last, last + 1),
            // Two that are not neighbours are read as if they were.
            (true, true) => (first, first + if first == last { 1 } else { 2 }),
        };
        Some((
            Sectors::new(begin * record),
            Sectors::new((behind - begin) * record),
        ))
    }

    /// Returns how much of a write is copied to the intent log, and how much goes to its place
    /// instead: whole records, each `stored` long.
    fn logged(&self, length: Sectors, stored: Sectors, is_durable: bool) -> (Bytes, Bytes) {
        let bytes = length.bytes();
        // A synchronous write of less than half a record may soon be followed by the rest
        // (`zil_write_state`).
        let is_most = !is_durable || length.get() >= self.record.get() / 2;
        let is_large = bytes >= INDIRECT_FROM && is_most;
        match self.is_indirect || (is_large && !self.has_log_device) {
            true => {
                let records = length.get().div_ceil(self.record.get());
                let placed = Sectors::new(records * stored.get()).bytes();
                (Bytes::default(), placed)
            }
            false => (bytes, Bytes::default()),
        }
    }
}

impl Simulation {
    /// Returns how many writes of transaction groups a device has at once.
    pub(super) fn async_writes(&self) -> u64 {
        let records = self.page_cache.records.as_ref();
        records.map_or(0, |records| {
            async_writes(records.txg.dirty(), records.txg.dirty_max())
        })
    }

    /// Returns whether all that a read asks for is in the ARC or dirty.
    pub(super) fn is_in_memory(&self, io: u32) -> bool {
        let Some(records) = &self.page_cache.records else {
            return false;
        };
        let (start, length) = (self.ios[io].start.get(), self.ios[io].length.get());
        let record = records.record.get();
        let numbers = start / record..(start + length).div_ceil(record);
        let is_random = self.jobs[self.ios[io].job as usize].generator.is_random();
        numbers.clone().all(|number| match is_random {
            true => records.are_in_memory(number),
            false => records.txg.holds(number),
        })
    }

    /// Begins a write to ZFS's records: first reads those that it changes in part
    /// (`dmu_tx_hold_write`).
    pub(super) fn begin_record_write(&mut self, io: u32, at: Instant) {
        let at = self.enter_kernel(io, at);
        let (start, length) = (self.ios[io].start, self.ios[io].length);
        let records = self.page_cache.records.as_ref();
        match records.and_then(|records| records.to_fill(start, length)) {
            Some((start, length)) => {
                self.ios[io].begin(Stage::Fill, at);
                self.submit_bios(io, Operation::Read, start, length, at);
            }
            None => self.write_to_records(io, at),
        }
    }

    /// Writes to records that are in memory, as soon as there is room for dirty data.
    pub(super) fn write_to_records(&mut self, io: u32, at: Instant) {
        let Some(records) = &mut self.page_cache.records else {
            return;
        };
        self.ios[io].wait_since(at);
        if records.txg.is_full() {
            self.page_cache.has_filled = true;
            self.page_cache.writers.push_back(io);
            self.write_group(at);
            return;
        }
        let goes_on = records.txg.throttle(at);
        self.ios[io].add_wait(Part::PageCache, goes_on);
        let (start, length) = (self.ios[io].start, self.ios[io].length);
        let is_durable = self.ios[io].is_durable();
        let stored = match &self.layers.mapping {
            Mapping::Zfs(layer) => layer.shape().stored,
            _ => records.record,
        };
        let (copied, placed) = records.logged(length, stored, is_durable);
        let job = &self.jobs[self.ios[io].job as usize];
        let is_in_place = placed > Bytes::default() && records.logs && job.syncs();
        let is_first = !is_in_place && records.mark_dirty(start, length, goes_on);
        let file = self.ios[io].job as usize;
        if let (Log::Zil(log), true) = (&mut self.log.log, records.logs) {
            log.write(file, copied, placed);
        }
        if is_first {
            self.events.add(goes_on + TIMEOUT, Event::TxgTimeout);
        }
        let pages = length.get().div_ceil(PAGE);
        let end = self.copy_pages(io, pages, goes_on);
        match is_durable {
            true => self.make_durable(io, end),
            false => self.events.add(end, Event::IoDone(io)),
        }
        self.write_group(end);
    }

    /// Begins an `fsync`.
    pub(super) fn sync_records(&mut self, io: u32, at: Instant) {
        let at = self.enter_kernel(io, at);
        match self.ios[io].durable {
            // `sync=disabled`.
            Durable::No => self.events.add(at, Event::IoDone(io)),
            _ => self.make_durable(io, at),
        }
    }

    /// Writes as much of a transaction group as may be under way.
    pub(super) fn write_group(&mut self, at: Instant) {
        let Mapping::Zfs(layer) = &self.layers.mapping else {
            return;
        };
        let shape = layer.shape();
        let devices = shape.members.len() as u64;
        let aggregated = match shape.rotational.contains(&true) {
            true => AGGREGATED,
            false => AGGREGATED_NON_ROTATING,
        };
        let batch = aggregated.get() * shape.data_devices() / shape.stored.get().max(1);
        loop {
            let Some(records) = &mut self.page_cache.records else {
                return;
            };
            records.txg.begin_sync(self.now);
            if records.under_way >= devices * PER_DEVICE {
                return;
            }
            let Some(next) = records.txg.next(batch.max(1)) else {
                return;
            };
            records.under_way += 1;
            let (length, durable) = match next {
                Next::Records(count) => (Sectors::new(count * records.record.get()), Durable::No),
                Next::Metadata(bytes) => (Sectors::from_bytes(bytes), Durable::Flush),
            };
            let flusher = self.page_cache.flusher;
            let at = self.cores.free_after_move(flusher, at);
            let (io, host_io) = self.claim_io(flusher, Kind::Write, durable, at);
            host_io.length = length;
            host_io.is_sync = false;
            self.begin_data(io, at);
        }
    }

    /// Ends an I/O of a transaction group, and resumes the writers that waited for room.
    pub(super) fn group_write_done(&mut self, io: u32) {
        let (length, durable) = (self.ios[io].length, self.ios[io].durable);
        self.ios.remove(io);
        let Some(records) = &mut self.page_cache.records else {
            return;
        };
        records.under_way -= 1;
        match durable {
            Durable::No => records.txg.written(length.get() / records.record.get()),
            _ => records.txg.sync_ended(),
        }
        while self
            .page_cache
            .records
            .as_ref()
            .is_some_and(|records| !records.txg.is_full())
        {
            let Some(writer) = self.page_cache.writers.pop_front() else {
                break;
            };
            let at = self.ios[writer].resume_at(self.now);
            self.ios[writer].add_wait(Part::PageCache, at);
            self.write_to_records(writer, at);
        }
        self.write_group(self.now);
    }

    /// Does what the intent log has decided for a commit.
    pub(super) fn write_intent_log(&mut self, io: u32, commit: Commit, at: Instant) {
        match commit {
            Commit::Nothing => self.events.add(at, Event::IoDone(io)),
            Commit::Writes { block, length } => {
                self.ios[io].add_wait(Part::Journal, at);
                self.log.blocks.push((io, block, at));
                self.ios[io].begin(Stage::Commit, at);
                self.submit_bios(io, Operation::Write, Sectors::default(), length, at);
            }
            Commit::Waits { block, until } => {
                self.log.waiting.push_back(Waiting {
                    io,
                    number: block,
                    then_flushes: false,
                    until,
                });
                self.events.add(until, Event::LogTimeout(io));
            }
        }
    }

    /// Ends a commit's wait for others in its block.
    pub(super) fn log_timeout(&mut self, io: u32) {
        let now = self.now;
        let own = |waiting: &Waiting| waiting.io == io && waiting.until == now;
        let Some(place) = self.log.waiting.iter().position(own) else {
            return;
        };
        let block = self.log.waiting[place].number;
        let Log::Zil(log) = &mut self.log.log else {
            return;
        };
        if let Some(commit) = log.timeout(block) {
            self.log.waiting.remove(place);
            let at = now + self.costs.wake;
            self.write_intent_log(io, commit, at);
        }
    }

    /// Flushes the devices that hold a block of the intent log (`zil_lwb_write_done`).
    pub(super) fn flush_log_devices(&mut self, io: u32, at: Instant) {
        self.ios[io].begin(Stage::LogFlush, at);
        self.bios.clear();
        let Mapping::Zfs(layer) = &mut self.layers.mapping else {
            return;
        };
        for place in 0..layer.logged.len() {
            let member = layer.logged[place];
            layer.begin(member);
            self.bios.push(MemberBio {
                member,
                operation: Operation::Flush,
                start: Sectors::default(),
                length: Sectors::default(),
                flags: Flags {
                    sync: true,
                    preflush: true,
                    fua: false,
                },
                tag: METADATA_TAG,
            });
        }
        self.send_through_plug(Owner::Io(io), at, at, Operation::Flush);
    }

    /// Ends a block of the intent log: wakes those whose commits are durable.
    pub(super) fn log_flushed(&mut self, io: u32, at: Instant) {
        let own = |(writer, ..): &(u32, u64, Instant)| *writer == io;
        let Some(place) = self.log.blocks.iter().position(own) else {
            return;
        };
        let (_, block, began) = self.log.blocks.swap_remove(place);
        let Log::Zil(log) = &mut self.log.log else {
            return;
        };
        log.written(block, at.since(began));
        match log.is_durable(block) {
            true => self.wake_job(io, at),
            false => {
                self.ios[io].wait_since(at);
                self.log.waiting.push_back(Waiting {
                    io,
                    number: block,
                    then_flushes: false,
                    until: Instant::NEVER,
                });
            }
        }
        self.wake_waiting(at);
    }
}
