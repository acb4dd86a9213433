//! A member of an array fails while fio runs, and comes back: with mdadm, on the array that the
//! world built.
//!
//! The script is looked at several times a second while fio runs (see [`Watch`]), so that what is to
//! happen at a moment happens up to a quarter of a second later; events say when it did. What the
//! array does is read from sysfs (Documentation/admin-guide/md.rst: `sync_action`, `degraded`,
//! `sync_completed`, `component_size`).
//!
//! The array is ours and goes with everything we did to it, so nothing here is announced: a member
//! that was taken out carries our identity until it is wiped, or nothing at all.

use std::fs;
use std::time::Duration;

use stripewise_study::failure::{Failure, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::{Happened, SampleEvent};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::Warning;
use stripewise_study::world::{Watch, WorldError};

use crate::build::sysfs_word;
use crate::tool::{MDADM, ToolError, wait_until};

/// How long an array may take to get whole again: a day, for disks of 18 TB.
const REBUILD_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// How long a failed member may be busy before it can be taken out.
const REMOVE_LIMIT: Duration = Duration::from_secs(60);
/// The speed of a rebuild that nobody measures, in md's unit: no limit that matters.
const UNHURT_KIB_PER_S: u64 = 100_000_000;

/// An array that was built, and its members in their order, all by the kernel's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayOfOurs {
    pub(crate) name: String,
    pub(crate) members: Vec<String>,
}

impl ArrayOfOurs {
    fn member(&self, place: u32) -> Result<&str, WorldError> {
        let index = usize::try_from(place).unwrap_or(usize::MAX);
        let device = self.members.get(index).map(String::as_str);
        device.ok_or_else(|| WorldError::plain(format!("`{}` has no member {place}", self.name)))
    }
}

/// How far the script has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Whole,
    /// Failed, and perhaps still held by the kernel.
    Failed,
    Removed,
    /// Back in the array, which has not begun to write it yet.
    Added,
    Rebuilding,
    WholeAgain,
}

/// What is to happen to an array, and what has happened.
#[derive(Debug)]
pub(crate) struct FailureScript<'a> {
    failure: &'a Failure,
    array: ArrayOfOurs,
    device: String,
    stage: Stage,
    events: Vec<SampleEvent>,
    /// Why it cannot go on.
    error: Option<WorldError>,
}

impl<'a> FailureScript<'a> {
    /// Returns the script of `failure` on an array, nothing of which has happened.
    ///
    /// # Errors
    /// If the array has no such member.
    pub(crate) fn new(failure: &'a Failure, array: ArrayOfOurs) -> Result<Self, WorldError> {
        let device = array.member(failure.device)?.to_owned();
        Ok(Self {
            failure,
            array,
            device,
            stage: Stage::Whole,
            events: Vec::new(),
            error: None,
        })
    }

    /// Sets the speeds of rebuilds, and takes out a member that is to be missing from the start.
    ///
    /// # Errors
    /// If the kernel or mdadm refuses.
    pub(crate) fn begin(&mut self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        let speeds = [
            ("sync_speed_min", self.failure.sync_speed_min_bytes_per_s),
            ("sync_speed_max", self.failure.sync_speed_max_bytes_per_s),
        ];
        for (file, speed) in speeds {
            let speed = speed.map_or("system".to_owned(), kib);
            set(&self.array.name, file, &speed)?;
        }
        if self.failure.at_ns > Nanos::default() {
            return Ok(());
        }
        self.fail(Nanos::default())?;
        let mut is_out = || self.remove();
        match wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
            true => Ok(()),
            false => Err(self
                .error
                .take()
                .unwrap_or_else(|| stuck(&self.array.name, &self.device))),
        }
    }

    /// Does what is due after `elapsed`; returns whether the load may go on.
    fn tick(&mut self, elapsed: Duration) -> bool {
        let now = Nanos::from(elapsed);
        if let Err(error) = self.go_on(now) {
            self.error = Some(error);
        }
        self.error.is_none()
    }

    fn go_on(&mut self, now: Nanos) -> Result<(), WorldError> {
        if self.stage == Stage::Whole && now >= self.failure.at_ns {
            self.fail(now)?;
        }
        if self.stage == Stage::Failed {
            self.remove();
        }
        if let (Stage::Removed, Some(repair)) = (self.stage, self.failure.repair)
            && now >= repair.at_ns
        {
            self.add(repair.with)?;
            let device = self.failure.device;
            self.happened(
                now,
                match repair.with {
                    Replacement::New => Happened::Replaced { device },
                    Replacement::Same => Happened::ReAdded { device },
                },
            );
        }
        if matches!(self.stage, Stage::Added | Stage::Rebuilding) {
            self.look(now);
        }
        Ok(())
    }

    fn fail(&mut self, now: Nanos) -> Result<(), WorldError> {
        manage(&self.array.name, "--fail", &self.device)
            .map_err(|error| error.while_trying(self.attempted("fail")))?;
        self.stage = Stage::Failed;
        let device = self.failure.device;
        self.happened(now, Happened::Failed { device });
        Ok(())
    }

    /// Takes the failed member out, once the kernel lets go of it; returns whether it has.
    fn remove(&mut self) -> bool {
        if self.stage == Stage::Failed && manage(&self.array.name, "--remove", &self.device).is_ok()
        {
            self.stage = Stage::Removed;
        }
        self.stage == Stage::Removed
    }

    /// Puts the member back.
    fn add(&mut self, with: Replacement) -> Result<(), WorldError> {
        let add = || match with {
            Replacement::Same => manage(&self.array.name, "--re-add", &self.device),
            Replacement::New => {
                // Without its superblock nobody knows it.
                MDADM
                    .call(["--zero-superblock", &path(&self.device)])
                    .run_to_the_end()?;
                manage(&self.array.name, "--add", &self.device)
            }
        };
        add().map_err(|error| error.while_trying(self.attempted("put back")))?;
        self.stage = Stage::Added;
        Ok(())
    }

    /// Looks how far the rebuild is.
    fn look(&mut self, now: Nanos) {
        let is_busy = self
            .word("sync_action")
            .is_some_and(|action| action != "idle");
        let is_whole = self.word("degraded").is_some_and(|missing| missing == "0");
        if self.stage == Stage::Added && (is_busy || is_whole) {
            self.stage = Stage::Rebuilding;
            let size_bytes = self.member_bytes();
            self.happened(now, Happened::RebuildBegan { size_bytes });
        }
        if self.stage == Stage::Rebuilding && is_whole && !is_busy {
            self.stage = Stage::WholeAgain;
            let is_new = self
                .failure
                .repair
                .is_some_and(|repair| repair.with == Replacement::New);
            let rebuilt_bytes = is_new.then(|| self.member_bytes());
            self.happened(now, Happened::RebuildDone { rebuilt_bytes });
        }
    }

    /// Ends the script when the load has ended, `elapsed` after it began.
    fn end(&mut self, elapsed: Nanos) {
        if matches!(self.stage, Stage::Added | Stage::Rebuilding) {
            self.look(elapsed);
        }
        if self.stage == Stage::Rebuilding {
            let progress = self.word("sync_completed");
            let (reached_bytes, _) = progress.as_deref().and_then(completed).unwrap_or_default();
            let size_bytes = self.member_bytes();
            self.happened(
                elapsed,
                Happened::RebuildUnfinished {
                    reached_bytes,
                    size_bytes,
                },
            );
        }
    }

    /// Puts what happened into a sample whose load began `start` after fio did; takes out what was
    /// noticed only because the array did what it was told.
    ///
    /// # Errors
    /// Why the script could not go on.
    pub(crate) fn finish(mut self, sample: &mut Sample, start: Nanos) -> Result<(), WorldError> {
        let end = sample.elapsed_ns.as_u64().saturating_add(start.as_u64());
        self.end(Nanos::new(end));
        if let Some(error) = self.error {
            return Err(error);
        }
        sample.events = self.events;
        for event in &mut sample.events {
            let since_start = event.at_ns.as_u64().saturating_sub(start.as_u64());
            event.at_ns = Nanos::new(since_start.min(sample.elapsed_ns.as_u64()));
        }
        sample.warnings.retain(|warning| {
            !matches!(
                warning,
                Warning::ArrayBusy { .. }
                    | Warning::ArrayDegraded { .. }
                    | Warning::MoreBytesAtDevice { .. }
            )
        });
        Ok(())
    }

    fn happened(&mut self, at_ns: Nanos, what: Happened) {
        self.events.push(SampleEvent { at_ns, what });
    }

    fn word(&self, file: &str) -> Option<String> {
        sysfs_word(&self.array.name, &format!("md/{file}"))
    }

    /// Returns how much of each member the array uses; sysfs has it in KiB.
    fn member_bytes(&self) -> Bytes {
        let kib: Option<u64> = self.word("component_size").and_then(|kib| kib.parse().ok());
        Bytes::new(kib.unwrap_or_default().saturating_mul(1024))
    }

    fn attempted(&self, what: &str) -> String {
        attempted(what, &self.array.name, &self.device)
    }
}

/// Watches fio, and lets the script go on meanwhile.
pub(crate) struct Scripted<'a, 'b> {
    pub(crate) script: &'a mut FailureScript<'b>,
    pub(crate) watch: &'a mut dyn Watch,
}

impl Watch for Scripted<'_, '_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.script.tick(elapsed) && self.watch.keep_going(elapsed)
    }
}

/// Why fio was stopped, if the script did it.
pub(crate) fn error_of(script: Option<&mut FailureScript>) -> Option<WorldError> {
    script.and_then(|script| script.error.take())
}

/// Makes an array whole again: puts missing members back, and waits until they are rebuilt as fast
/// as the disks can. Does nothing to one that is whole.
///
/// # Errors
/// If mdadm refuses, the rebuild does not end, or `watch` said stop.
pub(crate) fn heal(array: &ArrayOfOurs, watch: &mut dyn Watch) -> Result<(), WorldError> {
    let word = |file: &str| sysfs_word(&array.name, &format!("md/{file}"));
    let is_whole = || word("degraded").is_none_or(|missing| missing == "0");
    let is_idle = || word("sync_action").is_none_or(|action| action == "idle");
    if is_whole() && is_idle() {
        return Ok(());
    }
    for (file, speed) in [
        ("sync_speed_max", UNHURT_KIB_PER_S),
        ("sync_speed_min", UNHURT_KIB_PER_S),
    ] {
        set(&array.name, file, &speed.to_string())?;
    }
    for device in &array.members {
        let state = word(&format!("dev-{device}/state"));
        let is_missing = match &state {
            None => true,
            Some(state) => state.split(',').any(|word| word == "faulty"),
        };
        if !is_missing {
            continue;
        }
        let attempted = format!("failed to put `{device}` back into `{}`", array.name);
        if state.is_some() {
            let mut is_out = || manage(&array.name, "--remove", device).is_ok();
            wait_until(REMOVE_LIMIT, watch, &mut is_out)?;
        }
        let zeroed = MDADM
            .call(["--zero-superblock", &path(device)])
            .run_to_the_end();
        zeroed
            .and_then(|_| manage(&array.name, "--add", device))
            .map_err(|error| error.while_trying(attempted))?;
    }
    let healed = wait_until(REBUILD_LIMIT, watch, &mut || is_whole() && is_idle())?;
    for file in ["sync_speed_min", "sync_speed_max"] {
        set(&array.name, file, "system")?;
    }
    match healed {
        true => Ok(()),
        false => Err(WorldError::plain(format!(
            "`{}` did not get whole again within a day",
            array.name
        ))
        .or_hint("`cat /proc/mdstat` says what it does")),
    }
}

/// Lets a member fail and takes it out, before anything is measured.
///
/// # Errors
/// If there is no such member, mdadm refuses, or `watch` said stop.
pub(crate) fn take_out(
    array: &ArrayOfOurs,
    place: u16,
    watch: &mut dyn Watch,
) -> Result<(), WorldError> {
    let device = array.member(place.into())?;
    manage(&array.name, "--fail", device)
        .map_err(|error| error.while_trying(attempted("fail", &array.name, device)))?;
    let mut is_out = || manage(&array.name, "--remove", device).is_ok();
    match wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
        true => Ok(()),
        false => Err(stuck(&array.name, device)),
    }
}

fn stuck(array: &str, device: &str) -> WorldError {
    WorldError::plain(attempted("take out", array, device))
        .or_hint("`cat /proc/mdstat` says who holds it")
}

fn attempted(what: &str, array: &str, device: &str) -> String {
    format!("failed to {what} `{device}` of `{array}`")
}

/// Lets md compare all copies, or parity with data, and returns how much does not agree.
///
/// # Errors
/// If the kernel refuses, or `watch` said stop.
pub(crate) fn check(array: &ArrayOfOurs, watch: &mut dyn Watch) -> Result<Bytes, WorldError> {
    let word = |file: &str| sysfs_word(&array.name, &format!("md/{file}"));
    set(&array.name, "sync_action", "check")?;
    let is_idle = || word("sync_action").is_none_or(|action| action == "idle");
    wait_until(REBUILD_LIMIT, watch, &mut || is_idle())?;
    // In sectors.
    let mismatch: Option<u64> = word("mismatch_cnt").and_then(|count| count.parse().ok());
    Ok(Bytes::new(mismatch.unwrap_or_default().saturating_mul(512)))
}

/// Reads `1234 / 5678`: sectors done, and all; `none` where nothing goes on.
fn completed(text: &str) -> Option<(Bytes, Bytes)> {
    let (done, all) = text.split_once('/')?;
    let sectors = |text: &str| {
        let count: u64 = text.trim().parse().ok()?;
        Some(Bytes::new(count.checked_mul(512)?))
    };
    Some((sectors(done)?, sectors(all)?))
}

fn manage(array: &str, what: &str, device: &str) -> Result<(), ToolError> {
    MDADM
        .call(["--manage", &path(array), what, &path(device)])
        .run_to_the_end()
        .map(|_printed| ())
}

fn path(name: &str) -> String {
    format!("/dev/{name}")
}

/// Returns a speed in md's unit.
fn kib(speed: Bytes) -> String {
    (speed.as_u64() / 1024).max(1).to_string()
}

/// Writes a file of an array of ours in sysfs.
fn set(array: &str, file: &str, value: &str) -> Result<(), WorldError> {
    let path = format!("/sys/block/{array}/md/{file}");
    fs::write(&path, value).map_err(|source| {
        WorldError::failed(format!("failed to write `{value}` to `{path}`"), source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_as_the_kernel_writes_it() {
        let bytes = |sectors: u64| Bytes::new(sectors * 512);
        assert_eq!(
            completed("1024 / 40960\n"),
            Some((bytes(1024), bytes(40960)))
        );
        for text in [
            "none",
            "",
            "1 /",
            "/ 2",
            "-1 / 2",
            "99999999999999999999 / 1",
            "18446744073709551615 / 1",
        ] {
            assert_eq!(completed(text), None, "{text}");
        }
    }

    #[test]
    fn a_device_that_is_not_there_cannot_fail() {
        let failure = Failure {
            name: "pulled".to_owned(),
            at_ns: Nanos::new(1),
            device: 2,
            repair: None,
            sync_speed_min_bytes_per_s: None,
            sync_speed_max_bytes_per_s: None,
            until_rebuilt: false,
        };
        let array = ArrayOfOurs {
            name: "md100".to_owned(),
            members: vec!["sda".to_owned(), "sdb".to_owned()],
        };
        let error = FailureScript::new(&failure, array).unwrap_err();
        assert_eq!(error.to_string(), "`md100` has no member 2");
    }
}
