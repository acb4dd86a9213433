//! ZFS between records and its devices: where a record is, which copy or columns of it are read,
//! and the new place of what is written.
//!
//! Files are laid out in order: a group of devices gets 1 MiB for each of its data devices, then the
//! next group is filled (`metaslab_class_rotate`; `metaslab_aliquot`, 1 MiB in 2.2 and 2 MiB in
//! 2.4). What is written later goes behind the files, in a ring; a read finds every record where it
//! was laid out.

use stripewise_study::pool::Vdev;
use stripewise_units::Nanos;

use crate::filesystem::checksum_cpu::Passes;
use crate::filesystem::zfs::mirror::{Child, choose};
use crate::filesystem::zfs::raidz::{Column, Raidz};
use crate::io::{Member, MemberBio, Operation, Place};
use crate::units::Sectors;

/// The labels and the boot block at the beginning of a device (`VDEV_LABEL_START_SIZE`).
const LABEL: Sectors = Sectors::new(8192);
/// What a group gets before it is the next one's turn, for each data device.
const ALIQUOT: Sectors = Sectors::new(2048);
/// The blocks in which metadata is written.
const METADATA: Sectors = Sectors::new(128);
/// The longest block of the intent log (`zil_maxblocksize`).
const LOG_BLOCK: Sectors = Sectors::new(256);
/// The part of a log device that is written again and again.
const LOG_RING: Sectors = Sectors::new(1 << 21);
/// The most children of a mirror whose loads are compared at once.
const CHILDREN_MAX: usize = 32;

/// The devices of a pool, and the shape of its records.
#[derive(Debug)]
pub(super) struct Shape {
    /// The devices that hold data, group by group.
    pub(super) members: Vec<Member>,
    /// Those that hold the intent log.
    pub(super) log: Vec<Member>,
    pub(super) vdev: Vdev,
    /// How many devices a group has.
    pub(super) width: usize,
    /// Bytes of a sector of the pool as a power of two.
    pub(super) ashift: u32,
    pub(super) record: Sectors,
    /// What a record takes on one device or as one copy.
    pub(super) stored: Sectors,
    /// The records of all files.
    pub(super) records: u64,
    /// The size of the smallest device.
    pub(super) device: Sectors,
    /// Whether each device has heads.
    pub(super) rotational: Vec<bool>,
}

/// The layer.
#[derive(Debug)]
pub(super) struct ZfsLayer {
    shape: Shape,
    passes: Passes,
    /// The next free sector of each group, and the group whose turn it is with what is left of it.
    free: Vec<Sectors>,
    turn: usize,
    left: Sectors,
    /// Where the free space of a group begins and ends.
    ring: [Sectors; 2],
    log_free: Sectors,
    log_turn: usize,
    /// The I/Os that each device has, and the end of the last.
    pending: Vec<u64>,
    last: Vec<Sectors>,
    columns: Vec<Column>,
    /// The devices that hold the latest block of the log.
    pub(super) logged: Vec<Member>,
}

impl Shape {
    fn groups(&self) -> usize {
        self.members.len() / self.width.max(1)
    }

    fn raidz(&self) -> Option<Raidz> {
        match self.vdev {
            Vdev::Raidz(parity) => Some(Raidz {
                children: self.width as u64,
                parity: u64::from(parity),
                ashift: self.ashift,
            }),
            Vdev::Alone | Vdev::Mirror => None,
        }
    }

    fn sector(&self) -> u64 {
        (1 << self.ashift) / Sectors::BYTES
    }

    /// Returns what a block that is stored in `stored` takes of a group.
    fn allocated(&self, stored: Sectors) -> Sectors {
        let sectors = stored.get().div_ceil(self.sector());
        let allocated = self
            .raidz()
            .map_or(sectors, |raidz| raidz.allocated(sectors));
        Sectors::new(allocated * self.sector())
    }

    /// Returns how many devices of a group hold data of one block.
    pub(super) fn data_devices(&self) -> u64 {
        match self.vdev {
            Vdev::Raidz(parity) => (self.width as u64).saturating_sub(parity.into()),
            Vdev::Alone | Vdev::Mirror => 1,
        }
    }

    fn aliquot(&self) -> Sectors {
        Sectors::new(ALIQUOT.get() * self.data_devices())
    }

    /// Returns the sectors of a group that blocks may take.
    fn group_size(&self) -> Sectors {
        let device = self.device.get().saturating_sub(LABEL.get());
        Sectors::new(match self.vdev {
            Vdev::Raidz(_) => device * self.width as u64,
            Vdev::Alone | Vdev::Mirror => device,
        })
    }

    /// Returns how many records the pool holds.
    pub(super) fn capacity(&self) -> u64 {
        let record = self.allocated(self.stored).get().max(1);
        self.group_size().get() / record * self.groups() as u64
    }
}

impl ZfsLayer {
    /// Returns a pool with its files.
    pub(super) fn new(shape: Shape, passes: Passes) -> Self {
        let groups = shape.groups().max(1);
        let record = shape.allocated(shape.stored);
        let laid_out = shape.records.div_ceil(groups as u64) * record.get();
        // The last turns of the groups are of different lengths.
        let begin = Sectors::new(laid_out) + shape.aliquot() + record;
        let members = shape.rotational.len();
        Self {
            passes,
            free: vec![begin; groups],
            turn: 0,
            left: shape.aliquot(),
            ring: [begin, shape.group_size()],
            log_free: LABEL,
            log_turn: 0,
            pending: vec![0; members],
            last: vec![Sectors::default(); members],
            columns: Vec::new(),
            logged: Vec::with_capacity(members),
            shape,
        }
    }

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the records that a range of the files touches.
    pub(super) fn records(&self, start: Sectors, length: Sectors) -> std::ops::Range<u64> {
        let record = self.shape.record.get();
        start.get() / record..(start.get() + length.get()).div_ceil(record)
    }

    /// Adds the bios of a read of all records that a range touches. Returns the CPU time.
    pub(super) fn read(
        &mut self,
        start: Sectors,
        length: Sectors,
        is_sync: bool,
        bios: &mut Vec<MemberBio>,
    ) -> Nanos {
        let records = self.records(start, length);
        let bytes = (records.end - records.start) * self.shape.record.bytes().as_u64();
        for record in records {
            let from = bios.len();
            let (group, at) = self.place_of(record);
            self.read_block(group, at, bios);
            self.note(from, is_sync, bios);
        }
        self.passes.read(bytes)
    }

    /// Returns where a record was laid out: its group and its sector there.
    fn place_of(&self, record: u64) -> (usize, Sectors) {
        let allocated = self.shape.allocated(self.shape.stored).get();
        let in_turn = (self.shape.aliquot().get() / allocated).max(1);
        let groups = self.shape.groups().max(1) as u64;
        let (turn, rest) = (record / in_turn, record % in_turn);
        let before = turn / groups * in_turn + rest;
        let group = usize::try_from(turn % groups).unwrap_or(0);
        (group, Sectors::new(before * allocated))
    }

    fn group(&self, group: usize) -> &[Member] {
        &self.shape.members[group * self.shape.width..(group + 1) * self.shape.width]
    }

    fn read_block(&mut self, group: usize, at: Sectors, bios: &mut Vec<MemberBio>) {
        let stored = self.shape.stored;
        if let Some(raidz) = self.shape.raidz() {
            let unit = self.shape.sector();
            self.columns.clear();
            raidz.map(at.get() / unit, stored.get() / unit, &mut self.columns);
            for column in self.columns.iter().filter(|column| !column.is_parity) {
                let bio = self.of_column(group, column, column.length, Operation::Read);
                bios.push(bio);
            }
            return;
        }
        let start = LABEL + at;
        let mut children = [Child {
            pending: 0,
            last: Sectors::default(),
            is_rotational: false,
        }; CHILDREN_MAX];
        let members = self.group(group);
        let members = &members[..members.len().min(CHILDREN_MAX)];
        for (child, member) in children.iter_mut().zip(members) {
            *child = Child {
                pending: self.pending[member.index()],
                last: self.last[member.index()],
                is_rotational: self.shape.rotational[member.index()],
            };
        }
        let member = members[choose(&children[..members.len()], start)];
        bios.push(bio(Operation::Read, member, start, stored));
    }

    fn of_column(
        &self,
        group: usize,
        column: &Column,
        sectors: u64,
        operation: Operation,
    ) -> MemberBio {
        let unit = self.shape.sector();
        let child = usize::try_from(column.child).unwrap_or(0);
        let start = LABEL + Sectors::new(column.start * unit);
        bio(
            operation,
            self.group(group)[child],
            start,
            Sectors::new(sectors * unit),
        )
    }

    /// Adds the bios that write as many new records as `length` holds. Returns the CPU time.
    pub(super) fn write_records(&mut self, length: Sectors, bios: &mut Vec<MemberBio>) -> Nanos {
        let from = bios.len();
        let records = length.get() / self.shape.record.get();
        for _ in 0..records {
            self.write_block(self.shape.stored, bios);
        }
        self.note(from, false, bios);
        self.passes.write(length.bytes().as_u64())
    }

    /// Adds the bios that write metadata.
    pub(super) fn write_metadata(&mut self, length: Sectors, bios: &mut Vec<MemberBio>) {
        let from = bios.len();
        let mut left = length;
        while left > Sectors::default() {
            let block = METADATA.min(left);
            self.write_block(block, bios);
            left = left - block;
        }
        self.note(from, false, bios);
    }

    /// Adds the bios that write a block of the intent log.
    pub(super) fn write_log(&mut self, length: Sectors, bios: &mut Vec<MemberBio>) {
        let from = bios.len();
        if self.shape.log.is_empty() {
            let mut left = length;
            while left > Sectors::default() {
                let block = LOG_BLOCK.max(self.shape.stored).min(left);
                self.write_block(block, bios);
                left = left - block;
            }
        } else {
            let member = self.shape.log[self.log_turn];
            self.log_turn = (self.log_turn + 1) % self.shape.log.len();
            if self.log_free + length > LABEL + LOG_RING {
                self.log_free = LABEL;
            }
            bios.push(bio(Operation::Write, member, self.log_free, length));
            self.log_free += length;
        }
        self.note(from, true, bios);
        self.logged.clear();
        for bio in &bios[from..] {
            if !self.logged.contains(&bio.member) {
                self.logged.push(bio.member);
            }
        }
    }

    /// Writes a block to the next free place: all copies, or all columns with their padding.
    fn write_block(&mut self, stored: Sectors, bios: &mut Vec<MemberBio>) {
        let unit = self.shape.sector();
        let stored = Sectors::new(stored.get().next_multiple_of(unit));
        let allocated = self.shape.allocated(stored);
        if self.left < allocated {
            self.turn = (self.turn + 1) % self.free.len();
            self.left = self.shape.aliquot().max(allocated);
        }
        self.left = self.left - allocated;
        let group = self.turn;
        let [begin, end] = self.ring;
        let free = &mut self.free[group];
        if *free + allocated > end {
            *free = begin;
        }
        let at = *free;
        *free += allocated;
        if let Some(raidz) = self.shape.raidz() {
            self.columns.clear();
            raidz.map(at.get() / unit, stored.get() / unit, &mut self.columns);
            for column in &self.columns {
                let sectors = column.length + column.skip;
                bios.push(self.of_column(group, column, sectors, Operation::Write));
            }
            return;
        }
        for member in self.group(group) {
            bios.push(bio(Operation::Write, *member, LABEL + at, stored));
        }
    }

    /// Counts the bios from `from` on at their devices.
    fn note(&mut self, from: usize, is_sync: bool, bios: &mut [MemberBio]) {
        for bio in &mut bios[from..] {
            bio.flags.sync = is_sync;
            self.begin(bio.member);
            self.last[bio.member.index()] = bio.start + bio.length;
        }
    }

    /// Counts an I/O of a device.
    pub(super) fn begin(&mut self, member: Member) {
        self.pending[member.index()] += 1;
    }

    /// Counts the end of `ios` I/Os of a device.
    pub(super) fn done(&mut self, member: Member, ios: u32) {
        let pending = &mut self.pending[member.index()];
        *pending = pending.saturating_sub(ios.into());
    }
}

fn bio(operation: Operation, member: Member, sector: Sectors, length: Sectors) -> MemberBio {
    MemberBio::new(operation, Place { member, sector }, length)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn layer(vdev: Vdev, members: u16, width: usize) -> ZfsLayer {
        let shape = Shape {
            members: (0..members).map(Member).collect(),
            log: Vec::new(),
            vdev,
            width,
            ashift: 12,
            record: Sectors::new(256),
            stored: Sectors::new(136),
            records: 1000,
            device: Sectors::new(1 << 22),
            rotational: vec![false; usize::from(members)],
        };
        let passes = Passes::new(1 << 32, Some(1 << 32), None, false, 1);
        ZfsLayer::new(shape, passes)
    }

    #[test]
    fn records_and_new_blocks_never_share_a_sector() {
        for (vdev, members, width) in [
            (Vdev::Alone, 3, 1),
            (Vdev::Mirror, 4, 2),
            (Vdev::Raidz(2), 6, 6),
        ] {
            let mut layer = layer(vdev, members, width);
            let mut bios = Vec::new();
            let all = Sectors::new(1000 * 256);
            layer.read(Sectors::default(), all, true, &mut bios);
            layer.write_records(all, &mut bios);
            layer.write_log(Sectors::new(16), &mut bios);
            let mut used = BTreeSet::new();
            let mut moved = [0; 2];
            for bio in &bios {
                moved[usize::from(bio.operation == Operation::Write)] += bio.length.get();
                for sector in (bio.start.get()..(bio.start + bio.length).get()).step_by(8) {
                    assert!(used.insert((bio.member, sector)), "{vdev:?} {bio:?}");
                }
            }
            assert_eq!(moved[0], 1000 * 136);
            let times = match vdev {
                Vdev::Mirror => 2,
                _ => 1,
            };
            assert!(moved[1] >= times * (1000 * 136 + 16), "{vdev:?}");
        }
    }
}
