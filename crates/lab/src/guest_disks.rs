//! The modelled disks inside the guest: made once, idle when a sample begins, and asked at its end
//! whether they were the disks of their profiles.
//!
//! The module counts what it could not keep, how often a write waited for memory, and how late the
//! kernel heard of what was done. None of that is in any latency of a load, so it is looked at here.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stripewise_study::sample::Sample;
use stripewise_study::stack::Stack;
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::world::WorldError;

use crate::disk::{CONTROL, DiskStatus, STATUS_BYTES_MAX, Seed};
use crate::module;
use crate::programs::{MODPROBE, run};
use crate::wire::Disk;

/// How long a device node may take to appear.
const NODE_LIMIT: Duration = Duration::from_secs(20);

/// By up to this part of the time that requests take, the kernel may hear late of their end: timer and
/// interrupt are 0.6 us of virtual time, which is 7 % of the fastest request of the shipped profiles.
const LATE_PARTS_MAX: u64 = 10;

/// The kernel's throttling of writes (`blk-wbt.c`).
///
/// `wbt_should_throttle` spares direct writes, but knows them by `REQ_IDLE`, which md does not hand on
/// to its members (`raid10_write_one_disk`): of md's writes a member gets 16 at a time
/// (`RWB_DEF_DEPTH`), the 17th sleeps, and with it all that waits in the task's plug is sent off. After
/// every 100 ms in which it hurt nobody the limit grows, after idle ones it shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Throttling {
    /// As the kernel does it, from the limit it begins with.
    Default,
    /// None: what is counted must not depend on what was written a second ago.
    Off,
}

impl Throttling {
    /// Writes it to a disk's `wbt_lat_usec`. A kernel that has no throttling needs nothing.
    fn begin(self, setting: &Path) -> std::io::Result<()> {
        // The limit is forgotten when the latency changes (`queue_wb_lat_store`); -1 is the default.
        let values: &[&str] = match self {
            Throttling::Default => &["0", "-1"],
            Throttling::Off => &["0"],
        };
        for value in values {
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

/// Returns whether a kernel says so that it has no throttling: no file, or `wbt_init` of a kernel that
/// was built without.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidInput, NotFound};
    matches!(error.kind(), NotFound | InvalidInput)
}

/// Returns from where a disk's generator starts, by the seed of the sample and its place in the stack.
pub type DiskSeed = fn(u64, u32) -> Seed;

/// The modelled disks of this guest.
#[derive(Debug, Default)]
pub(crate) struct Disks(Vec<Disk>);

impl Disks {
    /// Loads the disk module and makes `disks`.
    pub(crate) fn make(disks: Vec<Disk>) -> Result<Self, WorldError> {
        if disks.is_empty() {
            return Ok(Self::default());
        }
        run(MODPROBE.call([module::NAME]), "load the disk module")
            .map_err(|error| WorldError::failed("failed to make the modelled disks", error))?;
        for disk in &disks {
            make(disk).map_err(|error| {
                WorldError::failed(format!("failed to make `{}`", disk.name), error)
            })?;
        }
        Ok(Self(disks))
    }

    /// Returns the device nodes by the profile that they stand for.
    pub(crate) fn by_profile(&self) -> BTreeMap<String, Vec<PathBuf>> {
        let mut nodes: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for disk in &self.0 {
            let of_profile = nodes.entry(disk.profile.clone()).or_default();
            of_profile.push(disk.name.path().into());
        }
        nodes
    }

    /// Makes every disk one on which nothing ever happened but what it keeps, as the simulator's
    /// devices are when a sample begins, with the same random numbers ahead; its writes are throttled as
    /// the kernel does it by default, or not at all.
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

    /// Returns what came of making a cell ready; an error if a disk has lost something.
    pub(crate) fn prepared<T>(&self, result: Result<T, WorldError>) -> Result<T, WorldError> {
        lost(&self.status_after(&result)?, result)
    }

    /// Returns what came of a sample, with what the disks say about it.
    pub(crate) fn measured(
        &self,
        result: Result<Sample, WorldError>,
    ) -> Result<Sample, WorldError> {
        let disks = self.status_after(&result)?;
        match result {
            Ok(mut sample) => {
                sample.warnings.extend(noticed(&disks));
                Ok(sample)
            }
            Err(error) => lost(&disks, Err(error)),
        }
    }

    /// Returns what the disks did; where that cannot be told, an earlier error says more.
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
        let attempted = "failed to ask the modelled disks what they did";
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
            let problem = format!("no `{}` appears", node.display());
            return Err(std::io::Error::other(problem));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if disk.has_many_queues {
        // As `elevator_get_default` chooses for a device with many queues; ours have one.
        std::fs::write(disk.name.queue("scheduler"), "none")?;
    }
    Ok(())
}

/// Hands a command to the module.
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

/// Returns what makes a sample worse than the profiles of its disks: the worst disk of each kind.
fn noticed(disks: &[DiskStatus]) -> Vec<Warning> {
    let room = disks
        .iter()
        .max_by_key(|disk| (disk.failed_requests_count, disk.memory_waits_count))
        .filter(|disk| disk.failed_requests_count.max(disk.memory_waits_count) > 0)
        .map(|disk| Warning::DiskWithoutRoom {
            device: disk.name.to_string(),
            failed_count: disk.failed_requests_count,
            waits_count: disk.memory_waits_count,
        });
    let late = disks
        .iter()
        .max_by_key(|disk| disk.late_ns)
        .filter(|disk| disk.late_ns > disk.service_ns / LATE_PARTS_MAX)
        .map(|disk| Warning::DiskHeardLate {
            device: disk.name.to_string(),
            late_ns: Nanos::new(disk.late_ns / disk.requests_count.max(1)),
            service_ns: Nanos::new(disk.service_ns / disk.requests_count.max(1)),
        });
    room.into_iter().chain(late).collect()
}

/// Makes `result` an error that names the cause, if a disk has failed requests: md and filesystems
/// only say that one did.
fn lost<T>(disks: &[DiskStatus], result: Result<T, WorldError>) -> Result<T, WorldError> {
    let full = disks.iter().find(|disk| disk.failed_requests_count > 0);
    match (full, result) {
        (None, result) | (_, result @ Err(WorldError::Interrupted)) => result,
        (Some(disk), result) => Err(WorldError::Failed {
            attempted: format!(
                "failed to keep what was written to modelled disk `{}`: {} requests found no room",
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
        }
    }

    #[test]
    fn throttling_begins_anew_or_is_off_and_a_kernel_without_it_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let setting = directory.path().join("wbt_lat_usec");
        Throttling::Off.begin(&setting).unwrap();
        assert!(!setting.exists());
        let said = |throttling: Throttling| {
            std::fs::write(&setting, "").unwrap();
            throttling.begin(&setting).unwrap();
            std::fs::read_to_string(&setting).unwrap()
        };
        assert_eq!(said(Throttling::Off), "0");
        // Each value over the one before, as in sysfs, where a write has no place.
        assert_eq!(said(Throttling::Default), "-1");
        assert!(Throttling::Off.begin(directory.path()).is_err());
    }

    #[test]
    fn disks_that_were_as_their_profiles_say_are_not_worth_a_word() {
        assert_eq!(noticed(&[]), []);
        assert_eq!(noticed(&[status(0), status(1)]), []);
        assert!(lost(&[status(0)], Ok(())).is_ok());
    }

    #[test]
    fn a_write_that_waited_or_failed_makes_a_sample_worthless_and_a_late_disk_is_named() {
        let waited = DiskStatus {
            memory_waits_count: 3,
            ..status(1)
        };
        let late = DiskStatus {
            late_ns: 101,
            ..status(2)
        };
        let warnings = noticed(&[status(0), waited, late]);
        let said: Vec<String> = warnings
            .iter()
            .map(|warning| format!("{} {}", warning.invalidates(), warning.message()))
            .collect();
        expect_test::expect![[r#"
            true modelled disk `swd1` had no room for what was written: 3 times a write waited for memory, and 0 requests failed
            false modelled disk `swd2` was heard late: requests took 100 ns as its profile says, and the guest noticed 10 ns later"#]]
        .assert_eq(&said.join("\n"));
    }

    #[test]
    fn a_disk_that_lost_something_is_the_cause_of_whatever_failed() {
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
        let said: Vec<String> = errors
            .iter()
            .map(|error| crate::wire::causes(error).join(": "))
            .collect();
        expect_test::expect![[r#"
            failed to keep what was written to modelled disk `swd7`: 2 requests found no room
            failed to keep what was written to modelled disk `swd7`: 2 requests found no room: failed to measure: an array failed"#]]
        .assert_eq(&said.join("\n"));
        let stopped = lost::<()>(&[full], Err(WorldError::Interrupted));
        assert!(matches!(stopped, Err(WorldError::Interrupted)));
    }

    #[test]
    fn disks_have_the_places_that_the_model_gives_them() {
        let disk = |profile: &str, number| Disk {
            profile: profile.to_owned(),
            name: DiskName::new(number),
            has_many_queues: false,
            command: String::new(),
        };
        // As they are made: by the name of their profile.
        let disks = [disk("a", 0), disk("a", 1), disk("b", 2), disk("b", 3)];
        let study = "[stack.x]\ndevices = { b = 1, a = 2 }\narray = { level = \"raid0\" }\nfilesystem = \"none\"\n[workload]\npattern = \"randread\"\nblock_size = \"4K\"\nsize = \"1M\"\n";
        let study = stripewise_study::format::parse("test", study).unwrap();
        let mut stack = study.cells[0].stack.clone();
        stack
            .devices
            .sort_by(|left, right| right.profile.cmp(&left.profile));
        let places = in_places(&disks, &stack);
        let names: Vec<String> = places.iter().map(|disk| disk.name.to_string()).collect();
        assert_eq!(names, ["swd2", "swd0", "swd1", "swd3"]);
    }
}
