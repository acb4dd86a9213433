//! Arrays of ours as the kernel sees them: whether they are whole, and who is missing without our doing.
//!
//! From `/sys/block/NAME/md` (Documentation/admin-guide/md.rst, "MD devices in sysfs"): `sync_action`,
//! `degraded`, `resync_start`, and `dev-MEMBER/state` of each member.
//!
//! No single file says that an array is in sync. `sync_action` is `idle` also between the moment in
//! which work is due and the one in which it begins, and always while the array is not read-write, as
//! a new volume of firmware RAID is until `mdmon` acts (`md_sync_action` in drivers/md/md.c). So an
//! array is whole only if nobody is missing from it (`degraded`) *and* its first sync is behind it
//! (`resync_start`, md's `recovery_cp`, is `none`). And one that stays idle without being whole is
//! broken: nothing will ever be done about it.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use stripewise_machine::Root;
use stripewise_study::units::Bytes;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Watch, WorldError};

use crate::tool::wait_until;

/// How often in a row, at ten looks a second, an array may be idle without being whole before nobody
/// believes that work on it is about to begin: half a minute, for a monitor that starts on a busy
/// machine.
const IDLE_LOOKS_MAX: u32 = 300;

/// A running array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Md {
    root: Root,
    /// The kernel's name.
    pub(crate) name: String,
}

/// What an array is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// It is in sync, and nobody is missing.
    Whole,
    /// It is being synced, rebuilt or checked.
    Busy,
    /// It does nothing, and something is to be done.
    Idle,
    /// These members have failed.
    Faulty(Vec<String>),
    /// It does not run any more.
    Gone,
}

impl Md {
    pub(crate) fn new(root: &Root, name: &str) -> Self {
        Self {
            root: root.clone(),
            name: name.to_owned(),
        }
    }

    fn path(&self, file: &str) -> String {
        format!("/sys/block/{}/md/{file}", self.name)
    }

    /// Returns the trimmed text of one of its files; nothing if there is none.
    pub(crate) fn word(&self, file: &str) -> Option<String> {
        self.root.word(self.path(file))
    }

    /// Returns what it has read and written since it was made, as the kernel's line of numbers
    /// (Documentation/block/stat.rst).
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

    /// Returns how many members are missing or not rebuilt yet; 0 for levels without redundancy.
    pub(crate) fn missing_count(&self) -> u32 {
        let missing = self.word("degraded").and_then(|count| count.parse().ok());
        missing.unwrap_or_default()
    }

    /// Returns whether a device belongs to it, failed or not.
    pub(crate) fn holds(&self, device: &str) -> bool {
        self.root.exists(self.path(&format!("dev-{device}")))
    }

    pub(crate) fn is_faulty(&self, device: &str) -> bool {
        let state = self.word(&format!("dev-{device}/state"));
        state.is_some_and(|state| state.split(',').any(|word| word == "faulty"))
    }

    /// Returns the members that have failed and are still in it.
    fn faulty(&self) -> Vec<String> {
        let names = self.root.list(format!("/sys/block/{}/md", self.name));
        let members = names.iter().filter_map(|name| name.strip_prefix("dev-"));
        let faulty = members.filter(|device| self.is_faulty(device));
        faulty.map(str::to_owned).collect()
    }

    /// Returns whether it is neither synced, rebuilt nor checked; so are levels that never are.
    fn is_idle(&self) -> bool {
        self.word("sync_action")
            .is_none_or(|action| action == "idle")
    }

    fn state(&self) -> State {
        if self.word("array_state").is_none() {
            return State::Gone;
        }
        let faulty = self.faulty();
        if !faulty.is_empty() {
            return State::Faulty(faulty);
        }
        if !self.is_idle() {
            return State::Busy;
        }
        // Levels without redundancy have nothing to sync, whatever `resync_start` says.
        let is_synced = self.word("sync_action").is_none()
            || self.word("resync_start").is_none_or(|at| at == "none");
        match is_synced && self.missing_count() == 0 {
            true => State::Whole,
            false => State::Idle,
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.state() == State::Whole
    }

    /// Waits until it is in sync and nobody is missing.
    ///
    /// # Errors
    /// If a member fails, it does nothing although there is something to do, it is not done within
    /// `limit`, or `watch` said stop.
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
            Some(State::Gone) => ("it does not run any more".to_owned(), SEE_LOG),
            Some(State::Idle) => (
                format!(
                    "it lacks {} member(s), its sync is at `{}`, its state is `{}`, and it does nothing about that",
                    self.missing_count(),
                    self.word("resync_start").unwrap_or_default(),
                    self.word("array_state").unwrap_or_default(),
                ),
                SEE_LOG,
            ),
            _ => (
                format!("it was not within {} h", limit.as_secs() / 3600),
                "`cat /proc/mdstat` says what it does; `assume_clean = true` in `array` leaves the first sync out",
            ),
        };
        WorldError::failed(attempted, why).or_hint(hint)
    }

    /// Lets md compare all copies, or parity with data, as fast as the disks can, and returns how much
    /// does not agree.
    ///
    /// # Errors
    /// If the kernel refuses, a member fails, it is not done within `limit`, or `watch` said stop.
    pub(crate) fn check(
        &self,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> Result<Bytes, WorldError> {
        let attempted = || format!("failed to check that the members of `{}` agree", self.name);
        // A failure has speeds of its own, which are for its rebuild alone.
        for file in ["sync_speed_min", "sync_speed_max"] {
            self.set(file, "system")?;
        }
        self.set("sync_action", "check")?;
        if !wait_until(limit, watch, &mut || self.is_idle())? {
            let why = format!("it did not end within {} h", limit.as_secs() / 3600);
            let hint = "`cat /proc/mdstat` says what it does";
            return Err(WorldError::failed(attempted(), why).or_hint(hint));
        }
        // Whoever fails ends the check.
        if !self.is_whole() {
            let why = match self.state() {
                State::Gone => "the array does not run any more".to_owned(),
                _ => format!("the array lacks {} member(s)", self.missing_count()),
            };
            return Err(WorldError::failed(attempted(), why).or_hint(SEE_LOG));
        }
        let counted = self.word("mismatch_cnt");
        let sectors: Option<u64> = counted.as_ref().and_then(|count| count.parse().ok());
        let sectors = sectors.ok_or_else(|| {
            let why = format!("`{}` has no number", self.path("mismatch_cnt"));
            WorldError::failed(attempted(), why)
        })?;
        Ok(Bytes::new(sectors.saturating_mul(512)))
    }
}

/// What to do about an array that is not what it should be.
const SEE_LOG: &str = "`dmesg` and `cat /proc/mdstat` say what happened";
/// What to do about a member that failed.
const REPLACE_IT: &str = "`dmesg` says what happened to it: replace the device, or name another one under `[may_destroy]`";

/// Waiting for an array.
#[derive(Debug, Default)]
struct Wait {
    latest: Option<State>,
    idle_looks: u32,
    is_whole: bool,
}

impl Wait {
    /// Hears of one look at the array; returns whether another can be spared.
    fn is_over(&mut self, state: State) -> bool {
        self.idle_looks = match state {
            State::Idle => self.idle_looks.saturating_add(1),
            _ => 0,
        };
        self.is_whole = state == State::Whole;
        let is_over = match state {
            State::Whole | State::Faulty(_) | State::Gone => true,
            State::Busy => false,
            State::Idle => self.idle_looks >= IDLE_LOOKS_MAX,
        };
        self.latest = Some(state);
        is_over
    }
}

/// An array that was built, and its members in their order, all by the kernel's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayOfOurs {
    pub(crate) md: Md,
    pub(crate) members: Vec<String>,
}

/// Where a member is that we made fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// Failed, and perhaps taken out already.
    Out,
    /// Put back, and perhaps not rebuilt yet.
    Back,
}

/// The members of an array that we made fail, until it is whole again.
pub(crate) type OurFailures = BTreeMap<String, Whereabouts>;

impl ArrayOfOurs {
    /// Returns the device at a place, counted from 0.
    pub(crate) fn member(&self, place: u32) -> Result<&str, WorldError> {
        let index = usize::try_from(place).unwrap_or(usize::MAX);
        let device = self.members.get(index).map(String::as_str);
        let name = &self.md.name;
        device.ok_or_else(|| WorldError::plain(format!("`{name}` has no member {place}")))
    }

    /// Returns whether it lacks more than our own failures explain.
    fn lost_members(&self, ours: &OurFailures) -> bool {
        let explained = u32::try_from(ours.len()).unwrap_or(u32::MAX);
        let is_explained = |device: &String| ours.get(device) == Some(&Whereabouts::Out);
        self.md.missing_count() > explained
            || !self.md.faulty().iter().all(is_explained)
            || ours.iter().any(|(device, whereabouts)| {
                *whereabouts == Whereabouts::Back && !self.md.holds(device)
            })
    }

    /// Returns what is to be said of a sample after which it lacks more than our own failures explain.
    pub(crate) fn loss(&self, ours: &OurFailures) -> Option<Warning> {
        self.lost_members(ours).then(|| Warning::ArrayLostMembers {
            array: self.md.name.clone(),
            missing_count: self.md.missing_count(),
        })
    }

    /// Makes sure that it lacks no more than our own failures explain: a disk that failed by itself is
    /// not put back, it would fail again.
    ///
    /// # Errors
    /// If it does, with the names of those that are not in it.
    pub(crate) fn check_losses(&self, ours: &OurFailures) -> Result<(), WorldError> {
        if !self.lost_members(ours) {
            return Ok(());
        }
        let is_out = |device: &&String| {
            let is_in = self.md.holds(device) && !self.md.is_faulty(device);
            !is_in && ours.get(*device) != Some(&Whereabouts::Out)
        };
        let out: Vec<String> = self.members.iter().filter(is_out).cloned().collect();
        let (name, missing) = (&self.md.name, self.md.missing_count());
        let who = match out.is_empty() {
            true => String::new(),
            false => format!(": {} failed or was taken out", in_words(&out)),
        };
        Err(WorldError::plain(format!(
            "array `{name}` lost a member while it was measured, and lacks {missing} now{who}"
        ))
        .or_hint(format!(
            "{REPLACE_IT}; finished samples are kept, and `stripewise resume` builds the array anew"
        )))
    }
}

/// Returns names in a sentence.
fn in_words(devices: &[String]) -> String {
    let quoted: Vec<String> = devices.iter().map(|device| format!("`{device}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
#[path = "array_tests.rs"]
mod tests;
