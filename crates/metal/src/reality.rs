//! Is a sample real? What the kernel counted around it, held against what fio says it did.

use std::collections::BTreeSet;

use stripewise_machine::{
    DeviceCounters, HostState, ProcessIo, Root, arrays_on_target_disks, busiest_other_process,
};
use stripewise_study::facts::Facts;
use stripewise_study::sample::DeviceDelta;
use stripewise_study::units::Bytes;
use stripewise_study::warning::{Direction, Warning};
use stripewise_study::workload::{SyncMode, Workload};

/// The devices may move this much less than fio asked for before a cache is suspected.
const FEWER_PERCENT: u64 = 10;
/// The devices may move this much more than fio asked for before a competitor is suspected.
const MORE_PERCENT: u64 = 10;
/// ... and at least this much: a journal commits now and then, whoever measures.
const MORE_BYTES_MIN: u64 = 1 << 20;

/// The counters before a sample.
pub(crate) struct Before {
    devices: DeviceCounters,
    host: HostState,
    processes: ProcessIo,
}

/// What the counters say about the time between.
pub(crate) struct Between {
    pub(crate) devices: Vec<DeviceDelta>,
    host_warnings: Vec<Warning>,
    busiest: Option<(String, u64)>,
}

fn disks(facts: &Facts) -> &[String] {
    facts.target.as_ref().map_or(&[], |target| &target.disks)
}

impl Before {
    /// Reads the counters. Cost: some small files, and one a process.
    pub(crate) fn read(root: &Root, facts: &Facts) -> Self {
        Self {
            devices: DeviceCounters::read(root, disks(facts)),
            host: HostState::read(root, &arrays_on_target_disks(facts)),
            processes: ProcessIo::read(root),
        }
    }

    /// Reads the counters again.
    pub(crate) fn until_now(&self, root: &Root, facts: &Facts) -> Between {
        let devices = DeviceCounters::read(root, disks(facts));
        let host = HostState::read(root, &arrays_on_target_disks(facts));
        let ours = BTreeSet::from([std::process::id()]);
        let processes = ProcessIo::read(root);
        let busiest = busiest_other_process(root, &self.processes, &processes, &ours);
        Between {
            devices: self.devices.delta(&devices),
            host_warnings: self.host.compare(&host),
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

/// The bytes that fio moved, neighbours included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) read: Bytes,
    pub(crate) write: Bytes,
}

impl Between {
    /// Returns everything that speaks against the sample.
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
        let moved = Asked {
            read: sum(|device| device.read_bytes),
            write: sum(|device| device.write_bytes),
        };
        let total = Bytes::new(asked.read.as_u64().saturating_add(asked.write.as_u64()));
        let directions = [
            (Direction::Read, asked.read, moved.read),
            (Direction::Write, asked.write, moved.write),
        ];
        for (direction, asked_bytes, device_bytes) in directions {
            if is_fewer(asked_bytes, device_bytes) {
                warnings.push(Warning::FewerBytesAtDevice {
                    direction,
                    asked_bytes,
                    device_bytes,
                    direct: is_direct(workload),
                });
            }
            let excess = device_bytes.as_u64().saturating_sub(asked_bytes.as_u64());
            if is_much(excess, total) && self.is_somebody_elses(direction, workload, facts, excess)
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

    /// Returns whether more bytes than asked for must come from somebody else.
    ///
    /// Where a filesystem or an array amplifies by nature (journal commits, parity, mirrors, the
    /// page cache writing back) it is so only if another process is seen to have moved that much.
    fn is_somebody_elses(
        &self,
        direction: Direction,
        workload: &Workload,
        facts: &Facts,
        excess: u64,
    ) -> bool {
        let is_stacked = self.devices.len() > 1 || !arrays_on_target_disks(facts).is_empty();
        let amplifies = match direction {
            Direction::Read => is_stacked || !is_direct(workload),
            Direction::Write => is_stacked || !is_direct(workload) || syncs(workload),
        };
        let seen = self.busiest.as_ref().map_or(0, |(_, moved)| *moved);
        !amplifies || seen >= excess / 2
    }
}

fn is_fewer(asked: Bytes, device: Bytes) -> bool {
    asked.as_u64() > 0 && device.as_u64() < asked.as_u64() / 100 * (100 - FEWER_PERCENT)
}

fn is_much(excess: u64, asked: Bytes) -> bool {
    excess > MORE_BYTES_MIN.max(asked.as_u64() / 100 * MORE_PERCENT)
}

/// Returns whether all I/O of the cell, that of its neighbours included, bypasses the page cache.
fn is_direct(workload: &Workload) -> bool {
    workload.load.direct
        && workload
            .neighbours
            .iter()
            .all(|neighbour| neighbour.load.direct)
}

/// Returns whether any load of the cell makes the filesystem commit its journal.
fn syncs(workload: &Workload) -> bool {
    let loads = std::iter::once(&workload.load)
        .chain(workload.neighbours.iter().map(|neighbour| &neighbour.load));
    loads.into_iter().any(|load| {
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
        assert!(is_much(11 << 20, mib(100)));
        assert!(!is_much(9 << 20, mib(100)));
        assert!(
            !is_much(1 << 20, mib(1)),
            "a journal commit beside a slow disk"
        );
    }
}
