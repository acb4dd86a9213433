//! Our arrays as the kernel reports them: whether they are in sync, and which members they lost on
//! their own.
//!
//! Read from `/sys/block/NAME/md` (Documentation/admin-guide/md.rst, "MD devices in sysfs"):
//! `sync_action`, `degraded`, `resync_start`, and `dev-MEMBER/state` of each member.
//!
//! No single file says that an array is in sync. `sync_action` is also `idle` between the moment at
//! which a sync is due and its start. And it is always `idle` while the array is not read-write, as
//! a new volume of firmware RAID is until `mdmon` acts (`md_sync_action` in drivers/md/md.c).
//!
//! So an array is whole only if no member is missing (`degraded` is 0) *and* its first sync is done
//! (`resync_start`, md's `recovery_cp`, is `none`). An array that stays idle without being whole is
//! broken: md will never repair it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use stripewise_machine::{self as machine, Missing, Root};
use stripewise_study::stack::ArraySettings;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Watch, WorldError};
use stripewise_units::Bytes;

use crate::tool::wait_until;

/// An array that is idle and not whole in this many checks in a row counts as broken. At ten checks
/// a second that is half a minute, enough for `mdmon` to start on a busy machine.
const IDLE_CHECKS_MAX: u32 = 300;

/// A running array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Md {
    root: Root,
    /// The kernel's name.
    pub(crate) name: String,
}

/// The state of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// In sync, with all members.
    Whole,
    /// Syncing, rebuilding or checking.
    Busy,
    /// Idle although it is not whole.
    Idle,
    /// What says it could not be read.
    Unknown(Missing),
    /// With these failed members.
    Faulty(Vec<String>),
    /// Not running.
    Gone,
}

impl Md {
    pub(crate) fn new(root: &Root, name: &str) -> Self {
        Self {
            root: root.clone(),
            name: name.to_owned(),
        }
    }

    /// Returns what reads it.
    fn facts(&self) -> machine::Md<'_, &Root> {
        machine::Md::new(&self.root, &self.name)
    }

    fn path(&self, file: &str) -> String {
        self.facts().path(file)
    }

    /// Returns the trimmed text of one of its files; `None` if it does not exist or cannot be read.
    pub(crate) fn word(&self, file: &str) -> Option<String> {
        self.facts().word(file).ok().flatten()
    }

    /// Returns the first number of one of its files; `None` as [`Self::word`].
    pub(crate) fn number(&self, file: &str) -> Option<u64> {
        self.facts().number(file).ok().flatten()
    }

    /// Returns its I/O counters, as the kernel's line of numbers (Documentation/block/stat.rst).
    pub(crate) fn statistics(&self) -> Option<String> {
        self.root.word(format!("/sys/block/{}/stat", self.name))
    }

    /// Writes one of its files.
    pub(crate) fn set(&self, file: &str, value: &str) -> Result<(), WorldError> {
        let path = self.path(file);
        fs::write(self.root.real(path.as_ref()), value).map_err(|source| {
            WorldError::failed(format!("failed to write `{value}` to `{path}`"), source)
        })
    }

    /// Returns how many members are missing or not rebuilt; 0 for levels without redundancy, and if
    /// that cannot be read.
    pub(crate) fn missing_count(&self) -> u32 {
        let missing = self.facts().missing_count().unwrap_or_default();
        u32::try_from(missing).unwrap_or(u32::MAX)
    }

    /// Returns whether a device is a member, failed or not.
    pub(crate) fn holds(&self, device: &str) -> bool {
        self.root.exists(self.path(&format!("dev-{device}")))
    }

    pub(crate) fn is_faulty(&self, device: &str) -> bool {
        self.facts().is_faulty(device).unwrap_or(false)
    }

    /// Returns the failed members that are still in the array.
    fn faulty(&self) -> Vec<String> {
        let mut members = self.facts().members().unwrap_or_default();
        members.retain(|device| self.is_faulty(device));
        members
    }

    /// Returns whether it is not syncing, rebuilding or checking; levels without redundancy never
    /// are.
    fn is_idle(&self) -> bool {
        self.word("sync_action")
            .is_none_or(|action| action == "idle")
    }

    fn state(&self) -> State {
        self.known_state().unwrap_or_else(State::Unknown)
    }

    fn known_state(&self) -> Result<State, Missing> {
        let md = self.facts();
        if md.word("array_state")?.is_none() {
            return Ok(State::Gone);
        }
        let faulty = self.faulty();
        if !faulty.is_empty() {
            return Ok(State::Faulty(faulty));
        }
        // Levels without redundancy have nothing to sync, whatever `resync_start` says.
        let is_synced = match md.word("sync_action")?.as_deref() {
            None => true,
            Some("idle") => md.word("resync_start")?.is_none_or(|at| at == "none"),
            Some(_) => return Ok(State::Busy),
        };
        Ok(match is_synced && md.missing_count()? == 0 {
            true => State::Whole,
            false => State::Idle,
        })
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.state() == State::Whole
    }

    /// Waits until it is in sync with all members.
    ///
    /// # Errors
    /// If a member fails, the array stays idle without being whole, the wait exceeds `limit`, or
    /// `watch` stops it.
    pub(crate) fn wait_until_whole(
        &self,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let mut wait = Wait::default();
        if wait_until(limit, watch, &mut || wait.is_over(self.state()))? && wait.is_whole {
            return Ok(());
        }
        Err(self.not_whole(wait, limit))
    }

    fn not_whole(&self, wait: Wait, limit: Duration) -> WorldError {
        let name = &self.name;
        let attempted = format!("failed to wait until `{name}` is in sync");
        let (why, hint) = match wait.latest {
            Some(State::Faulty(devices)) => (format!("{} failed", in_words(&devices)), REPLACE_IT),
            Some(State::Gone) => ("it is not running".to_owned(), SEE_LOG),
            Some(State::Unknown(Missing { fact, why })) => (format!("`{fact}`: {why}"), SEE_LOG),
            Some(State::Idle) => (
                format!(
                    "it lacks {} member(s), its sync is at `{}`, its state is `{}`, and md is not repairing it",
                    self.missing_count(),
                    self.word("resync_start").unwrap_or_default(),
                    self.word("array_state").unwrap_or_default(),
                ),
                SEE_LOG,
            ),
            _ => (
                format!("it was not in sync after {} h", limit.as_secs() / 3600),
                "`cat /proc/mdstat` shows its progress; `assume_clean = true` in `array` skips the first sync",
            ),
        };
        WorldError::failed(attempted, why).or_hint(hint)
    }

    /// Runs md's check, which compares all copies, or parity with data, as fast as the disks can.
    /// Returns how many bytes do not match.
    ///
    /// # Errors
    /// If the kernel refuses, a member fails, the check exceeds `limit`, or `watch` stops it.
    pub(crate) fn check(
        &self,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> Result<Bytes, WorldError> {
        let attempted = || format!("failed to check that the members of `{}` agree", self.name);
        // A failure script may have limited the sync speed for its rebuild.
        for file in ["sync_speed_min", "sync_speed_max"] {
            self.set(file, "system")?;
        }
        self.set("sync_action", "check")?;
        if !wait_until(limit, watch, &mut || self.is_idle())? {
            let why = format!("it did not end within {} h", limit.as_secs() / 3600);
            let hint = "`cat /proc/mdstat` shows its progress";
            return Err(WorldError::failed(attempted(), why).or_hint(hint));
        }
        // A failing member ends the check.
        if !self.is_whole() {
            let why = match self.state() {
                State::Gone => "the array is not running".to_owned(),
                _ => format!("the array lacks {} member(s)", self.missing_count()),
            };
            return Err(WorldError::failed(attempted(), why).or_hint(SEE_LOG));
        }
        let sectors = self.facts().need_number("mismatch_cnt");
        let sectors = sectors.map_err(|Missing { fact, why }| {
            WorldError::failed(attempted(), format!("`{fact}`: {why}"))
        })?;
        Ok(Bytes::new(sectors.saturating_mul(512)))
    }
}

/// The hint for an array in an unexpected state.
const SEE_LOG: &str = "`dmesg` and `cat /proc/mdstat` show what happened";
/// The hint for a failed member.
const REPLACE_IT: &str =
    "check `dmesg`, then replace the device or name another one under `[may_destroy]`";

/// The state of a wait for an array.
#[derive(Debug, Default)]
struct Wait {
    latest: Option<State>,
    idle_checks: u32,
    is_whole: bool,
}

impl Wait {
    /// Records one check of the array; returns whether the wait is over.
    fn is_over(&mut self, state: State) -> bool {
        self.idle_checks = match state {
            State::Idle | State::Unknown(_) => self.idle_checks.saturating_add(1),
            _ => 0,
        };
        self.is_whole = state == State::Whole;
        let is_over = match state {
            State::Whole | State::Faulty(_) | State::Gone => true,
            State::Busy => false,
            State::Idle | State::Unknown(_) => self.idle_checks >= IDLE_CHECKS_MAX,
        };
        self.latest = Some(state);
        is_over
    }
}

/// An array that we built, and its members in order, by the kernel's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OurArray {
    pub(crate) md: Md,
    pub(crate) members: Vec<String>,
    /// What the study says of the running array.
    pub(crate) settings: ArraySettings,
}

/// The state of a member that we failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberState {
    /// Failed, and perhaps removed already.
    Failed,
    /// Re-added, and perhaps not rebuilt yet.
    ReAdded,
}

/// The members of an array that we failed, until it is whole again.
pub(crate) type OurFailures = BTreeMap<String, MemberState>;

impl OurArray {
    /// Returns the member with this index, counted from 0.
    pub(crate) fn member(&self, place: u32) -> Result<&str, WorldError> {
        let index = usize::try_from(place).unwrap_or(usize::MAX);
        let device = self.members.get(index).map(String::as_str);
        let name = &self.md.name;
        device.ok_or_else(|| WorldError::plain(format!("`{name}` has no member {place}")))
    }

    /// Returns whether it lacks more members than we failed.
    fn lost_members(&self, ours: &OurFailures) -> bool {
        let explained = u32::try_from(ours.len()).unwrap_or(u32::MAX);
        let is_explained = |device: &String| ours.get(device) == Some(&MemberState::Failed);
        self.md.missing_count() > explained
            || !self.md.faulty().iter().all(is_explained)
            || ours.iter().any(|(device, member_state)| {
                *member_state == MemberState::ReAdded && !self.md.holds(device)
            })
    }

    /// Returns a warning for a sample after which the array lacks more members than we failed.
    pub(crate) fn loss(&self, ours: &OurFailures) -> Option<Warning> {
        self.lost_members(ours).then(|| Warning::ArrayLostMembers {
            array: self.md.name.clone(),
            missing_count: self.md.missing_count(),
        })
    }

    /// Checks that the array lacks no more members than we failed: a disk that failed on its own is
    /// not re-added, because it would fail again.
    ///
    /// # Errors
    /// If it lacks more, with the names of the missing ones.
    pub(crate) fn check_losses(&self, ours: &OurFailures) -> Result<(), WorldError> {
        if !self.lost_members(ours) {
            return Ok(());
        }
        let is_out = |device: &&String| {
            let is_in = self.md.holds(device) && !self.md.is_faulty(device);
            !is_in && ours.get(*device) != Some(&MemberState::Failed)
        };
        let out: Vec<String> = self.members.iter().filter(is_out).cloned().collect();
        let (name, missing) = (&self.md.name, self.md.missing_count());
        let who = match out.is_empty() {
            true => String::new(),
            false => format!(": {} failed or was removed", in_words(&out)),
        };
        Err(WorldError::plain(format!(
            "array `{name}` lost a member during the measurement, and now lacks {missing}{who}"
        ))
        .or_hint(format!(
            "{REPLACE_IT}; finished samples are kept, and `stripewise resume` creates the array again"
        )))
    }
}

/// Returns names as a list for a sentence.
fn in_words(devices: &[String]) -> String {
    let quoted: Vec<String> = devices.iter().map(|device| format!("`{device}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
#[path = "array_tests.rs"]
mod tests;
