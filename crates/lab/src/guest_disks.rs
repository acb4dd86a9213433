//! The modelled disks inside the guest: added once, reset before each sample, and checked after it
//! for deviations from their profiles.
//!
//! The module counts requests that it could not store, writes that waited for memory, and how late
//! the kernel noticed completions. A load's latencies do not show these, so we check them here.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_machine::{Missing, Root, Source};
use stripewise_study::sample::Sample;
use stripewise_study::stack::Stack;
use stripewise_study::warning::Warning;
use stripewise_study::world::WorldError;
use stripewise_units::Nanos;

use crate::disk::{CONTROL, DiskStatus, STATUS_BYTES_MAX, Seed};
use crate::module;
use crate::programs::{MODPROBE, run};
use crate::wire::{Disk, HeldDisk};

/// How long a device node may take to appear.
const NODE_LIMIT: Duration = Duration::from_secs(20);

/// The kernel may notice completions late by up to this fraction of the service time. Timer and
/// interrupt take 0.6 us of virtual time, 7 % of the fastest request of the shipped profiles.
const LATE_PARTS_MAX: u64 = 10;

/// The kernel's throttling of writes (`blk-wbt.c`).
///
/// `wbt_should_throttle` exempts direct writes, but recognizes them by `REQ_IDLE`, which md does
/// not pass on to its members (`raid10_write_one_disk`). So a member gets 16 of md's writes at a
/// time (`RWB_DEF_DEPTH`); the 17th sleeps, which flushes the task's plug. The limit grows after
/// every 100 ms without a latency violation and shrinks after idle ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Throttling {
    /// The kernel's default, from its initial limit.
    Default,
    /// Off: counts must not depend on writes of a second ago.
    Off,
    /// With the latency of the study, in microseconds, from its initial limit; zero is off.
    Asked(u32),
}

impl Throttling {
    /// Writes the setting to a disk's `wbt_lat_usec`. Does nothing on a kernel without throttling.
    fn begin(self, setting: &Path) -> std::io::Result<()> {
        // A change of the latency resets the limit (`queue_wb_lat_store`); -1 is the default.
        let last = match self {
            Throttling::Default => Some("-1".to_owned()),
            Throttling::Off | Throttling::Asked(0) => None,
            Throttling::Asked(latency_us) => Some(latency_us.to_string()),
        };
        for value in std::iter::once("0".to_owned()).chain(last) {
            let mut file = OpenOptions::new();
            let written = file.write(true).open(setting);
            match written.and_then(|mut file| file.write_all(value.as_bytes())) {
                Err(error) if is_absent(&error) => return Ok(()),
                written => written?,
            }
        }
        Ok(())
    }
}

/// Returns whether the error means that the kernel has no throttling: no such file, or `EINVAL`
/// from `wbt_init` of a kernel built without it.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidInput, NotFound};
    matches!(error.kind(), NotFound | InvalidInput)
}

/// Returns the start of a disk's random generator from the sample's seed and the disk's place in
/// the stack.
pub type DiskSeed = fn(u64, u32) -> Seed;

/// Returns the nodes of the disks that the host holds, by profile, found by their serial numbers.
pub(crate) fn find_held(held: &[HeldDisk]) -> Result<BTreeMap<String, Vec<PathBuf>>, WorldError> {
    let attempted = "failed to find the disks on the host";
    let failed = |missing: Missing| {
        WorldError::failed(attempted, format!("`{}`: {}", missing.fact, missing.why))
    };
    let (root, mut by_serial) = (Root::live(), BTreeMap::new());
    for name in root.names("/sys/block/*/serial").map_err(failed)? {
        let serial = root.word(format!("/sys/block/{name}/serial"));
        by_serial.extend(serial.map(|serial| (serial, Path::new("/dev").join(&name))));
    }
    let mut nodes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for disk in held {
        let node = by_serial.get(&disk.serial).ok_or_else(|| {
            let missing = format!("no disk has the serial number `{}`", disk.serial);
            WorldError::failed(attempted, missing)
        })?;
        nodes
            .entry(disk.profile.clone())
            .or_default()
            .push(node.clone());
    }
    Ok(nodes)
}

/// The modelled disks of this guest.
#[derive(Debug, Default)]
pub(crate) struct Disks(Vec<Disk>);

impl Disks {
    /// Loads the disk module and adds `disks`.
    pub(crate) fn make(disks: Vec<Disk>) -> Result<Self, WorldError> {
        if disks.is_empty() {
            return Ok(Self::default());
        }
        run(MODPROBE.call([module::NAME]), "load the disk module")
            .map_err(|error| WorldError::failed("failed to create the modelled disks", error))?;
        for disk in &disks {
            make(disk).map_err(|error| {
                WorldError::failed(format!("failed to create `{}`", disk.name), error)
            })?;
        }
        Ok(Self(disks))
    }

    /// Returns the device nodes by profile.
    pub(crate) fn by_profile(&self) -> BTreeMap<String, Vec<PathBuf>> {
        let mut nodes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for disk in &self.0 {
            let of_profile = nodes.entry(disk.profile.clone()).or_default();
            of_profile.push(disk.name.path().into());
        }
        nodes
    }

    /// Resets every disk but keeps its data, as the simulator does before a sample, with the same
    /// random numbers to follow. Sets the kernel's throttling of its writes.
    pub(crate) fn reset(
        &self,
        stack: &Stack,
        throttling: Throttling,
        seed: impl Fn(u32) -> Seed,
    ) -> Result<(), WorldError> {
        for (disk, place) in in_places(&self.0, stack).into_iter().zip(0..) {
            command(&disk.name.reset(seed(place)))
                .and_then(|()| throttling.begin(&disk.name.queue("wbt_lat_usec")))
                .map_err(|error| {
                    WorldError::failed(format!("failed to reset `{}`", disk.name), error)
                })?;
        }
        Ok(())
    }

    /// Returns the result of preparing a cell; an error if a disk lost data.
    pub(crate) fn prepared<T>(&self, result: Result<T, WorldError>) -> Result<T, WorldError> {
        lost(&self.status_after(&result)?, result)
    }

    /// Returns the result of a sample, with warnings from the disks' counters.
    pub(crate) fn measured(
        &self,
        result: Result<Sample, WorldError>,
        is_replay: bool,
    ) -> Result<Sample, WorldError> {
        let disks = self.status_after(&result)?;
        match result {
            Ok(mut sample) => {
                if is_replay {
                    add_sectors_sums(&mut sample, &disks);
                }
                sample.warnings.extend(warnings_of(&disks));
                Ok(sample)
            }
            Err(error) => lost(&disks, Err(error)),
        }
    }

    /// Returns the disks' counters; empty if they cannot be read after an earlier error, which is
    /// more specific.
    fn status_after<T>(
        &self,
        result: &Result<T, WorldError>,
    ) -> Result<Vec<DiskStatus>, WorldError> {
        match (self.status(), result) {
            (Err(_), Err(_)) => Ok(Vec::new()),
            (status, _) => status,
        }
    }

    fn status(&self) -> Result<Vec<DiskStatus>, WorldError> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let attempted = "failed to read the counters of the modelled disks";
        let mut text = String::new();
        let limit = u64::try_from(STATUS_BYTES_MAX).unwrap_or(u64::MAX);
        OpenOptions::new()
            .read(true)
            .open(CONTROL)
            .and_then(|control| control.take(limit).read_to_string(&mut text))
            .map_err(|error| WorldError::failed(attempted, error))?;
        DiskStatus::parse(&text).map_err(|error| WorldError::failed(attempted, error))
    }
}

fn make(disk: &Disk) -> std::io::Result<()> {
    command(&disk.command)?;
    let node = PathBuf::from(disk.name.path());
    let began = Instant::now();
    while !node.exists() {
        if began.elapsed() > NODE_LIMIT {
            let problem = format!("`{}` did not appear", node.display());
            return Err(std::io::Error::other(problem));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if disk.has_many_queues {
        // The choice of `elevator_get_default` for a device with many queues; ours have one.
        std::fs::write(disk.name.queue("scheduler"), "none")?;
    }
    Ok(())
}

/// Sends a command to the module.
fn command(text: &str) -> std::io::Result<()> {
    let mut control = OpenOptions::new().write(true).open(CONTROL)?;
    // One write is one command.
    control.write_all(text.as_bytes())
}

/// Returns the disks in the order in which the simulator numbers them: those of the stack, which
/// takes the first of each profile that it names, then the rest.
fn in_places<'a>(disks: &'a [Disk], stack: &Stack) -> Vec<&'a Disk> {
    let mut rest: Vec<&Disk> = disks.iter().collect();
    let mut places = Vec::with_capacity(rest.len());
    for group in &stack.devices {
        for _ in 0..group.count.get() {
            let Some(at) = rest.iter().position(|disk| disk.profile == group.profile) else {
                break;
            };
            places.push(rest.remove(at));
        }
    }
    places.extend(rest);
    places
}

/// Adds which sectors each device read and wrote, unless the disk has counted more than the sample,
/// such as the superblocks of an array that was built.
fn add_sectors_sums(sample: &mut Sample, disks: &[DiskStatus]) {
    for device in &mut sample.devices {
        let disk = disks
            .iter()
            .find(|disk| disk.name.to_string() == device.device);
        let counted = (device.read_bytes.as_u64(), device.write_bytes.as_u64());
        let same = disk.filter(|disk| (disk.read_bytes, disk.write_bytes) == counted);
        device.sectors_sums = same.map(|disk| disk.sectors_sums);
    }
}

/// Returns warnings about deviations from the disks' profiles: the worst disk of each kind.
fn warnings_of(disks: &[DiskStatus]) -> Vec<Warning> {
    let room = disks
        .iter()
        .max_by_key(|disk| (disk.failed_requests_count, disk.memory_waits_count))
        .filter(|disk| disk.failed_requests_count.max(disk.memory_waits_count) > 0)
        .map(|disk| Warning::DiskStoreFull {
            device: disk.name.to_string(),
            failed_count: disk.failed_requests_count,
            waits_count: disk.memory_waits_count,
        });
    let late = disks
        .iter()
        .max_by_key(|disk| disk.late_ns)
        .filter(|disk| disk.late_ns > disk.service_ns / LATE_PARTS_MAX)
        .map(|disk| Warning::LateCompletion {
            device: disk.name.to_string(),
            late_ns: Nanos::new(disk.late_ns / disk.requests_count.max(1)),
            service_ns: Nanos::new(disk.service_ns / disk.requests_count.max(1)),
        });
    room.into_iter().chain(late).collect()
}

/// Turns `result` into an error with the cause if a disk has failed requests: md and filesystems
/// only report that a disk failed.
fn lost<T>(disks: &[DiskStatus], result: Result<T, WorldError>) -> Result<T, WorldError> {
    let full = disks.iter().find(|disk| disk.failed_requests_count > 0);
    match (full, result) {
        (None, result) | (_, result @ Err(WorldError::Interrupted)) => result,
        (Some(disk), result) => Err(WorldError::Failed {
            attempted: format!(
                "failed to store data written to modelled disk `{}`: {} requests found no space",
                disk.name, disk.failed_requests_count
            ),
            hint: Some(
                "give the guest more memory with `--memory`, or the study a smaller `size`"
                    .to_owned(),
            ),
            source: result.err().map(Into::into),
        }),
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::sample::SectorsSums;

    use super::*;
    use crate::disk::DiskName;

    fn status(number: u8) -> DiskStatus {
        DiskStatus {
            name: DiskName::new(number),
            requests_count: 10,
            service_ns: 1000,
            late_ns: 100,
            failed_requests_count: 0,
            memory_waits_count: 0,
            read_bytes: 0,
            write_bytes: 0,
            sectors_sums: SectorsSums::default(),
        }
    }

    #[test]
    fn throttling_is_reset_or_off_and_a_kernel_without_it_is_not_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let setting = directory.path().join("wbt_lat_usec");
        Throttling::Off.begin(&setting).unwrap();
        assert!(!setting.exists());
        let written = |throttling: Throttling| {
            std::fs::write(&setting, "").unwrap();
            throttling.begin(&setting).unwrap();
            std::fs::read_to_string(&setting).unwrap()
        };
        assert_eq!(written(Throttling::Off), "0");
        // Each value overwrites the one before, as in sysfs, which ignores offsets.
        assert_eq!(written(Throttling::Default), "-1");
        assert_eq!(written(Throttling::Asked(2000)), "2000");
        assert_eq!(written(Throttling::Asked(0)), "0");
        assert!(Throttling::Off.begin(directory.path()).is_err());
    }

    #[test]
    fn disks_that_match_their_profiles_cause_no_warning() {
        assert_eq!(warnings_of(&[]), []);
        assert_eq!(warnings_of(&[status(0), status(1)]), []);
        assert!(lost(&[status(0)], Ok(())).is_ok());
    }

    #[test]
    fn a_write_that_waited_for_memory_invalidates_a_sample_and_a_late_disk_is_named() {
        let waited = DiskStatus {
            memory_waits_count: 3,
            ..status(1)
        };
        let late = DiskStatus {
            late_ns: 101,
            ..status(2)
        };
        let warnings = warnings_of(&[status(0), waited, late]);
        let texts: Vec<String> = warnings
            .iter()
            .map(|warning| format!("{} {:?}", warning.invalidates(), warning.message()))
            .collect();
        expect_test::expect![[r#"
            true warning-disk-store-full(device: swd1, failed: 0, waits: 3)
            false warning-late-completion(device: swd2, late: 10 ns, service: 100 ns)"#]]
        .assert_eq(&texts.join("\n"));
    }

    #[test]
    fn a_disk_that_lost_data_is_reported_as_the_cause() {
        let full = DiskStatus {
            failed_requests_count: 2,
            ..status(7)
        };
        let errors = [
            lost(std::slice::from_ref(&full), Ok(())).unwrap_err(),
            lost::<()>(
                std::slice::from_ref(&full),
                Err(WorldError::failed("failed to measure", "an array failed")),
            )
            .unwrap_err(),
        ];
        let texts: Vec<String> = errors
            .iter()
            .map(|error| stripewise_units::causes::chain(error))
            .collect();
        expect_test::expect![[r#"
            failed to store data written to modelled disk `swd7`: 2 requests found no space
            failed to store data written to modelled disk `swd7`: 2 requests found no space: failed to measure: an array failed"#]]
        .assert_eq(&texts.join("\n"));
        let stopped = lost::<()>(&[full], Err(WorldError::Interrupted));
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }

    #[test]
    fn disks_are_numbered_as_in_the_model() {
        let disk = |profile: &str, number| Disk {
            profile: profile.to_owned(),
            name: DiskName::new(number),
            has_many_queues: false,
            command: String::new(),
        };
        // In the order in which they are added: by profile name.
        let disks = [disk("a", 0), disk("a", 1), disk("b", 2), disk("b", 3)];
        let study = "[stack.x]\ndevices = { b = 1, a = 2 }\narray = { level = \"raid0\" }\nfilesystem = \"none\"\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n";
        let study = stripewise_fixtures::study(study);
        let mut stack = study.cells[0].stack.clone();
        stack
            .devices
            .sort_by(|left, right| right.profile.cmp(&left.profile));
        let places = in_places(&disks, &stack);
        let names: Vec<String> = places.iter().map(|disk| disk.name.to_string()).collect();
        assert_eq!(names, ["swd2", "swd0", "swd1", "swd3"]);
    }
}
