//! Checks a sample: compares the kernel's counters with fio's report.

use std::collections::BTreeSet;

use stripewise_machine::{
    BusyProcess, CoreCounters, DeviceCounters, HostState, ProcessIo, Root, arrays_on_target_disks,
    busiest_other_process, devices_below_target,
};
use stripewise_study::facts::{ArrayFacts, DeviceFacts, Facts};
use stripewise_study::sample::DeviceDelta;
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::workload::{SyncMode, Workload};
use stripewise_units::{Bytes, Nanos, total};

/// If the devices move this much less than fio requested, we suspect a cache.
const FEWER_PERCENT: u64 = 10;
/// If the devices move this much more than fio requested, we suspect another process.
const MORE_PERCENT: u64 = 10;
/// ... and at least this much each second: any system logs and commits now and then.
const MORE_BYTES_PER_S_MIN: u64 = 1 << 20;
/// Filesystems that write data to a new place, and so metadata with every write.
const COPY_ON_WRITE: [&str; 5] = ["btrfs", "zfs", "f2fs", "bcachefs", "nilfs2"];

/// The counters before a sample.
pub(crate) struct Before {
    devices: DeviceCounters,
    host: HostState,
    processes: ProcessIo,
    cores: CoreCounters,
}

/// The change of the counters between two reads.
pub(crate) struct Between {
    pub(crate) devices: Vec<DeviceDelta>,
    /// The counters of the CPUs before and after.
    pub(crate) cores: [CoreCounters; 2],
    host_warnings: Vec<Warning>,
    /// The other process that wrote most, and the one that read most.
    busiest: [Option<BusyProcess>; 2],
}

fn disks(facts: &Facts) -> &[String] {
    facts.target.as_ref().map_or(&[], |target| &target.disks)
}

impl Before {
    /// Reads the counters: some small files, and one for each process.
    pub(crate) fn read(root: &Root, facts: &Facts) -> Self {
        Self {
            devices: DeviceCounters::read(root, disks(facts)),
            host: HostState::read(root, &arrays_on_target_disks(facts)),
            processes: ProcessIo::read(root),
            cores: CoreCounters::read(root),
        }
    }

    /// Reads the counters again.
    pub(crate) fn until_now(&self, root: &Root, facts: &Facts) -> Between {
        let cores = CoreCounters::read(root);
        let devices = DeviceCounters::read(root, disks(facts));
        let host = HostState::read(root, &arrays_on_target_disks(facts));
        let ours = BTreeSet::from([std::process::id()]);
        let processes = ProcessIo::read(root);
        let busiest = [Direction::Write, Direction::Read].map(|direction| {
            busiest_other_process(root, &self.processes, &processes, &ours, direction)
        });
        let mut host_warnings = self.host.compare(&host);
        host_warnings.extend(host.lost_members(facts));
        Between {
            devices: self.devices.delta(&devices),
            cores: [self.cores.clone(), cores],
            host_warnings,
            busiest,
        }
    }
}

/// The bytes that fio moved, neighbours included, and its run time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FioTraffic {
    pub(crate) read: Bytes,
    pub(crate) write: Bytes,
    pub(crate) elapsed: Nanos,
}

impl Between {
    /// Returns all reasons to doubt the sample.
    pub(crate) fn warnings(
        &self,
        workload: &Workload,
        asked: FioTraffic,
        facts: &Facts,
    ) -> Vec<Warning> {
        let mut warnings = self.host_warnings.clone();
        if self.devices.is_empty() {
            return warnings;
        }
        let directions = [
            (Direction::Read, asked.read),
            (Direction::Write, asked.write),
        ];
        for (direction, asked_bytes) in directions {
            let moved = self.devices.iter().map(|device| device.bytes(direction));
            let device_bytes = Bytes::new(total(moved.map(Bytes::as_u64)));
            if is_fewer(asked_bytes, device_bytes) {
                warnings.push(Warning::FewerBytesAtDevice {
                    direction,
                    asked_bytes,
                    device_bytes,
                    asked_for: !is_direct(workload) || is_compressed(workload, facts),
                });
            }
            let expected = asked_bytes
                .as_u64()
                .saturating_mul(copies(direction, facts));
            let excess = device_bytes.as_u64().saturating_sub(expected);
            if is_much(excess, asked)
                && self.is_by_other_processes(direction, workload, facts, excess)
            {
                warnings.push(Warning::MoreBytesAtDevice {
                    direction,
                    asked_bytes,
                    device_bytes,
                    process: self.busiest(direction).map(ToString::to_string),
                });
            }
        }
        warnings
    }

    /// Returns whether the excess bytes must come from other processes.
    ///
    /// Where the stack itself moves more than it is asked to, only another process that moved about
    /// that much counts as the cause: how much the stack adds is a number of the report, not a fault
    /// of the sample.
    fn is_by_other_processes(
        &self,
        direction: Direction,
        workload: &Workload,
        facts: &Facts,
        excess: u64,
    ) -> bool {
        let amplifies = match direction {
            Direction::Read => is_stacked(facts) || !is_direct(workload),
            Direction::Write => {
                is_stacked(facts)
                    || !is_direct(workload)
                    || syncs(workload)
                    || is_copy_on_write(facts)
            }
        };
        let seen = self.busiest(direction).map_or(0, |it| it.bytes.as_u64());
        !amplifies || seen >= excess / 2
    }

    fn busiest(&self, direction: Direction) -> Option<&BusyProcess> {
        let [writer, reader] = &self.busiest;
        match direction {
            Direction::Read => reader.as_ref(),
            Direction::Write => writer.as_ref(),
        }
    }
}

/// Returns whether a layer below the filesystem may move more than it is asked to: several disks
/// and md keep copies and parity; device mapper's thin pools, snapshots, caches and integrity copy,
/// log or check blocks, as bcache does, and the filesystem of a loop device's file has a journal.
/// Only encryption moves each block once (drivers/md/dm-crypt.c; cryptsetup names it `CRYPT-`).
fn is_stacked(facts: &Facts) -> bool {
    let below = devices_below_target(facts);
    let adds = |device: &DeviceFacts| {
        let is_layer = !device.members.is_empty() && below.contains(device.name.as_str());
        is_layer && device.mapper.as_deref() != Some("crypt")
    };
    disks(facts).len() > 1
        || !arrays_on_target_disks(facts).is_empty()
        || facts.devices.iter().any(adds)
}

/// Returns how often the stack keeps each byte, as far as it is known for certain: at least that many
/// bytes are written for each byte of a load, and one is read.
///
/// md: `raid1_write_request` in drivers/md/raid1.c, mdadm's words for a layout (`n2`, `f2`, `n2f2`).
/// btrfs: `btrfs_raid_array` in fs/btrfs/volumes.c, `ncopies`.
fn copies(direction: Direction, facts: &Facts) -> u64 {
    if direction == Direction::Read {
        return 1;
    }
    let below = devices_below_target(facts);
    let arrays = facts.arrays.iter();
    let arrays = arrays.filter(|array| below.contains(array.name.as_str()));
    let of_array = |array: &ArrayFacts| match array.level.as_deref() {
        Some("raid1") => {
            let members = array.member_count.unwrap_or(1);
            u64::from(members.saturating_sub(array.degraded_count.unwrap_or(0)))
        }
        // A degraded one lacks the second copy of some chunks only.
        Some("raid10") if array.degraded_count == Some(0) => {
            let layout = array.layout.as_deref().unwrap_or_default();
            let counts = layout.split(|letter: char| letter.is_ascii_alphabetic());
            counts
                .filter_map(|count| count.parse::<u64>().ok())
                .product()
        }
        _ => 1,
    };
    let profile = facts.target.as_ref().and_then(|it| it.profile.as_deref());
    let of_filesystem = match profile {
        Some("dup" | "raid1" | "raid10") => 2,
        Some("raid1c3") => 3,
        Some("raid1c4") => 4,
        _ => 1,
    };
    arrays.map(of_array).fold(of_filesystem, |all, copies| {
        all.saturating_mul(copies.max(1))
    })
}

fn is_fewer(asked: Bytes, device: Bytes) -> bool {
    asked.as_u64() > 0 && device.as_u64() < asked.as_u64() / 100 * (100 - FEWER_PERCENT)
}

fn is_much(excess: u64, asked: FioTraffic) -> bool {
    let total = asked.read.as_u64().saturating_add(asked.write.as_u64());
    let seconds = asked.elapsed.as_u64().div_ceil(1_000_000_000);
    let floor = MORE_BYTES_PER_S_MIN.saturating_mul(seconds.max(1));
    excess > floor.max(total / 100 * MORE_PERCENT)
}

/// Returns whether the filesystem compresses the cell's data, as the study intends.
fn is_compressed(workload: &Workload, facts: &Facts) -> bool {
    let compresses = facts
        .target
        .as_ref()
        .is_some_and(|target| target.compression.is_some());
    compresses && workload.loads().any(|load| load.data.is_compressible())
}

fn is_copy_on_write(facts: &Facts) -> bool {
    let filesystem = facts
        .target
        .as_ref()
        .and_then(|target| target.filesystem.as_deref());
    filesystem.is_some_and(|filesystem| COPY_ON_WRITE.contains(&filesystem))
}

/// Returns whether a cell leaves dirty pages for later writeback.
pub(crate) fn writes_buffered(workload: &Workload) -> bool {
    workload
        .loads()
        .any(|load| !load.direct && load.pattern.writes())
}

/// Returns whether all I/O of the cell, neighbours included, bypasses the page cache.
fn is_direct(workload: &Workload) -> bool {
    workload.loads().all(|load| load.direct)
}

/// Returns whether a load of the cell makes the filesystem commit its journal.
fn syncs(workload: &Workload) -> bool {
    workload.loads().any(|load| {
        load.sync != SyncMode::None || load.fsync_every.is_some() || load.fdatasync_every.is_some()
    })
}

#[cfg(test)]
mod tests {
    use stripewise_study::facts::TargetFacts;

    use super::*;

    /// Returns a filesystem on `devices`, the first of which lies on all others.
    fn facts(filesystem: &str, devices: &[&str], mapper: Option<&str>) -> Facts {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let device = |(index, name): (usize, &&str)| DeviceFacts {
            name: (*name).to_owned(),
            members: match index {
                0 => names(&devices[1..]),
                _ => Vec::new(),
            },
            mapper: mapper.filter(|_| index == 0).map(str::to_owned),
            ..DeviceFacts::default()
        };
        Facts {
            devices: devices.iter().enumerate().map(device).collect(),
            target: Some(TargetFacts {
                filesystem: Some(filesystem.to_owned()),
                devices: names(&devices[..1]),
                disks: names(&devices[devices.len().min(2) - 1..]),
                ..TargetFacts::default()
            }),
            ..Facts::default()
        }
    }

    /// Returns what is said if fio writes 100 MiB in a second, the disks `written`, and another
    /// process `other`.
    fn judged(facts: &Facts, written: u64, other: u64) -> bool {
        let mib = |count: u64| Bytes::new(count << 20);
        let between = Between {
            devices: vec![DeviceDelta {
                write_bytes: mib(written),
                ..DeviceDelta::default()
            }],
            cores: [CoreCounters::default(), CoreCounters::default()],
            host_warnings: Vec::new(),
            busiest: [other, 100 << 20].map(|moved| {
                Some(BusyProcess {
                    pid: 9,
                    name: "dd".to_owned(),
                    bytes: mib(moved),
                })
            }),
        };
        let asked = FioTraffic {
            read: Bytes::default(),
            write: mib(100),
            elapsed: Nanos::from_millis(1000),
        };
        let study = "[stack.here]\nfilesystem = \"existing\"\n\
                     [workload]\npattern = \"write\"\nsize = \"1G\"\n";
        let study = stripewise_fixtures::study(study);
        let workload = &study.cells[0].workload;
        let warnings = between.warnings(workload, asked, facts);
        assert!(warnings.len() <= 1, "{warnings:?}");
        warnings
            .first()
            .is_some_and(|it| matches!(it, Warning::MoreBytesAtDevice { .. }))
    }

    #[test]
    fn what_a_stack_writes_itself_is_no_other_process() {
        for (filesystem, devices, mapper) in [
            ("btrfs", &["sda"][..], None),
            ("ext4", &["sda", "sdb", "sdc"], None),
            ("ext4", &["dm-0", "sda"], Some("lvm")),
            ("ext4", &["loop0", "sda"], None),
        ] {
            let facts = facts(filesystem, devices, mapper);
            assert!(!judged(&facts, 250, 0), "{filesystem} on {devices:?}");
            assert!(judged(&facts, 250, 100), "{filesystem} on {devices:?}");
        }
        for (devices, mapper) in [(&["sda"][..], None), (&["dm-0", "sda"], Some("crypt"))] {
            assert!(
                judged(&facts("ext4", devices, mapper), 250, 0),
                "{devices:?}"
            );
        }
    }

    #[test]
    fn a_copy_does_not_hide_another_process() {
        let mut mirror = facts("ext4", &["md0", "sda", "sdb"], None);
        assert!(!judged(&mirror, 280, 40), "of 180 MiB, 40 are known");
        for (level, layout, degraded, copies) in [
            ("raid1", None, 0, 2),
            ("raid1", None, 1, 1),
            ("raid10", Some("n2"), 0, 2),
            ("raid10", Some("f3"), 0, 3),
            ("raid10", Some("n2f2"), 0, 4),
            ("raid10", Some("n2"), 1, 1),
            ("raid5", Some("left-symmetric"), 0, 1),
        ] {
            mirror.arrays = vec![ArrayFacts {
                name: "md0".to_owned(),
                level: Some(level.to_owned()),
                layout: layout.map(str::to_owned),
                member_count: Some(2),
                degraded_count: Some(degraded),
                ..ArrayFacts::default()
            }];
            let write = super::copies(Direction::Write, &mirror);
            assert_eq!(write, copies, "{level} {layout:?}");
            assert_eq!(super::copies(Direction::Read, &mirror), 1);
            assert_eq!(
                judged(&mirror, 280, 40),
                copies == 2,
                "of 80 MiB, 40 are known"
            );
        }
        let mut tree = facts("btrfs", &["sda"], None);
        for (profile, copies) in [("single", 1), ("dup", 2), ("raid1", 2), ("raid1c4", 4)] {
            let target = tree.target.as_mut().expect("it has one");
            target.profile = Some(profile.to_owned());
            assert_eq!(super::copies(Direction::Write, &tree), copies, "{profile}");
        }
    }

    #[test]
    fn thresholds_are_relative_and_absolute() {
        let mib = |count: u64| Bytes::new(count << 20);
        assert!(is_fewer(mib(100), mib(89)));
        assert!(!is_fewer(mib(100), mib(91)));
        assert!(!is_fewer(Bytes::new(0), Bytes::new(0)));
        let asked = |mib: u64, seconds: u64| FioTraffic {
            read: Bytes::new(mib << 20),
            write: Bytes::default(),
            elapsed: Nanos::from_millis(seconds * 1000),
        };
        assert!(is_much(11 << 20, asked(100, 3)));
        assert!(!is_much(9 << 20, asked(100, 3)));
        assert!(
            !is_much(1 << 20, asked(1, 1)),
            "a journal commit beside a slow disk"
        );
        assert!(
            !is_much(15 << 20, asked(6, 15)),
            "a system that logs, beside a light load"
        );
        assert!(is_much(16 << 20, asked(6, 15)));
    }
}
