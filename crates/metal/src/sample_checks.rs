//! Checks a sample: compares the kernel's counters with fio's report.

use std::collections::BTreeSet;

use stripewise_machine::{
    CoreCounters, DeviceCounters, HostState, ProcessIo, Root, arrays_on_target_disks,
    busiest_other_process,
};
use stripewise_study::facts::Facts;
use stripewise_study::sample::DeviceDelta;
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::workload::{SyncMode, Workload};

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
    busiest: Option<(String, u64)>,
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
        let busiest = busiest_other_process(root, &self.processes, &processes, &ours);
        let mut host_warnings = self.host.compare(&host);
        host_warnings.extend(host.lost_members(facts));
        Between {
            devices: self.devices.delta(&devices),
            cores: [self.cores.clone(), cores],
            host_warnings,
            busiest: busiest.map(|process| {
                let moved = process
                    .read_bytes
                    .as_u64()
                    .saturating_add(process.write_bytes.as_u64());
                (process.to_string(), moved)
            }),
        }
    }
}

/// The bytes that fio moved, neighbours included, and its run time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) read: Bytes,
    pub(crate) write: Bytes,
    pub(crate) elapsed: Nanos,
}

impl Between {
    /// Returns all reasons to doubt the sample.
    pub(crate) fn warnings(
        &self,
        workload: &Workload,
        asked: Asked,
        facts: &Facts,
    ) -> Vec<Warning> {
        let mut warnings = self.host_warnings.clone();
        if self.devices.is_empty() {
            return warnings;
        }
        let sum = |bytes: fn(&DeviceDelta) -> Bytes| {
            let sum = self.devices.iter().map(|device| bytes(device).as_u64());
            Bytes::new(sum.fold(0, u64::saturating_add))
        };
        let directions = [
            (Direction::Read, asked.read, sum(|device| device.read_bytes)),
            (
                Direction::Write,
                asked.write,
                sum(|device| device.write_bytes),
            ),
        ];
        for (direction, asked_bytes, device_bytes) in directions {
            if is_fewer(asked_bytes, device_bytes) {
                warnings.push(Warning::FewerBytesAtDevice {
                    direction,
                    asked_bytes,
                    device_bytes,
                    asked_for: !is_direct(workload) || is_compressed(workload, facts),
                });
            }
            let excess = device_bytes.as_u64().saturating_sub(asked_bytes.as_u64());
            if is_much(excess, asked)
                && self.is_by_other_processes(direction, workload, facts, excess)
            {
                warnings.push(Warning::MoreBytesAtDevice {
                    direction,
                    asked_bytes,
                    device_bytes,
                    process: self.busiest.as_ref().map(|(name, _)| name.clone()),
                });
            }
        }
        warnings
    }

    /// Returns whether the excess bytes must come from other processes.
    ///
    /// Some stacks amplify I/O themselves (journal commits, parity, mirrors, writeback). There,
    /// only another process that moved about that much counts as the cause.
    fn is_by_other_processes(
        &self,
        direction: Direction,
        workload: &Workload,
        facts: &Facts,
        excess: u64,
    ) -> bool {
        let is_stacked = self.devices.len() > 1 || !arrays_on_target_disks(facts).is_empty();
        let amplifies = match direction {
            Direction::Read => is_stacked || !is_direct(workload),
            Direction::Write => {
                is_stacked || !is_direct(workload) || syncs(workload) || is_copy_on_write(facts)
            }
        };
        let seen = self.busiest.as_ref().map_or(0, |(_, moved)| *moved);
        !amplifies || seen >= excess / 2
    }
}

fn is_fewer(asked: Bytes, device: Bytes) -> bool {
    asked.as_u64() > 0 && device.as_u64() < asked.as_u64() / 100 * (100 - FEWER_PERCENT)
}

fn is_much(excess: u64, asked: Asked) -> bool {
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
    use super::*;

    #[test]
    fn thresholds_are_relative_and_absolute() {
        let mib = |count: u64| Bytes::new(count << 20);
        assert!(is_fewer(mib(100), mib(89)));
        assert!(!is_fewer(mib(100), mib(91)));
        assert!(!is_fewer(Bytes::new(0), Bytes::new(0)));
        let asked = |mib: u64, seconds: u64| Asked {
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
