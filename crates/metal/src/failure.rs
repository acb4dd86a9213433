//! Fails a member of an array while fio runs, and adds it back: with mdadm, on the array that the
//! world built.
//!
//! Times count from the start of the load: the first I/O of the array after fio was started, which
//! we poll for every ten milliseconds. Writes that stay in the page cache do not reach the array at
//! once; such a load counts as started 300 ms after fio. From then on the watch of fio checks again
//! when the next step is due. Events have the real times, relative to fio's own start of the load.
//! A sample in which a step is missing does not count.
//!
//! We read the array's state from sysfs (Documentation/admin-guide/md.rst: `sync_action`,
//! `degraded`, `sync_completed`, `component_size`).
//!
//! The array is ours and is removed with all our changes, so nothing here goes to the journal: a
//! removed member carries our identifier until it is wiped, or no signature at all. A member that
//! fails on its own is not re-added: we would measure a broken disk.

use std::time::Duration;

use stripewise_process::CallError;
use stripewise_study::failure::{Failure, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::{Happened, SampleEvent};
use stripewise_study::warning::{FailureStep, Warning};
use stripewise_study::world::{LOOK_INTERVAL, Watch, WorldError};
use stripewise_units::{Bytes, Nanos};

use crate::array::{MemberState, OurArray, OurFailures};
use crate::tool::{MDADM, ToolCall, wait_until};

/// How long a rebuild may take: a day, for disks of 18 TB.
const REBUILD_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// How long a failed member may be busy before it can be removed.
const REMOVE_LIMIT: Duration = Duration::from_secs(60);
/// The speed of a rebuild that is not measured, in md's unit: in effect no limit.
const UNLIMITED_KIB_PER_S: u64 = 100_000_000;

/// When a load counts as started if no I/O reached the array.
const BEGIN_LIMIT: Duration = Duration::from_millis(300);
/// How often to poll for the start of the load, and to retry the removal of a member.
const SOON: Duration = Duration::from_millis(10);
/// How often to poll for the end of a rebuild.
const REBUILD_INTERVAL: Duration = Duration::from_millis(50);

/// How far the script has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Whole,
    /// Failed, and perhaps still in use by the kernel.
    Failed,
    Removed,
    /// In the array again, which has not started to rebuild it.
    Added,
    Rebuilding,
    WholeAgain,
}

/// The steps due on an array, and those done.
#[derive(Debug)]
pub(crate) struct FailureScript<'a> {
    failure: &'a Failure,
    array: OurArray,
    device: String,
    stage: Stage,
    /// The array's I/O counters before fio was started.
    before: Option<String>,
    /// When the load began, since fio's start.
    began: Option<Duration>,
    events: Vec<SampleEvent>,
    /// Why the script stopped.
    error: Option<WorldError>,
}

impl<'a> FailureScript<'a> {
    /// Returns the script of `failure` on an array, with no step done.
    ///
    /// # Errors
    /// If the array has no such member.
    pub(crate) fn new(failure: &'a Failure, array: OurArray) -> Result<Self, WorldError> {
        let device = array.member(failure.device)?.to_owned();
        Ok(Self {
            failure,
            array,
            device,
            stage: Stage::Whole,
            before: None,
            began: None,
            events: Vec::new(),
            error: None,
        })
    }

    /// Sets the sync speeds, and removes a member that is missing from the start.
    ///
    /// # Errors
    /// If the kernel or mdadm refuses.
    pub(crate) fn begin(&mut self, watch: &mut dyn Watch) -> Result<(), WorldError> {
        let failure = self.failure;
        let speeds = [
            failure.sync_speed_min_bytes_per_s,
            failure.sync_speed_max_bytes_per_s,
        ];
        self.array.set_speeds(speeds)?;
        if self.failure.at_ns == Nanos::default() {
            self.fail(Nanos::default())?;
            let mut is_out = || self.remove();
            if !wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
                let still_in_use = || still_in_use(&self.array.md.name, &self.device);
                return Err(self.error.take().unwrap_or_else(still_in_use));
            }
        }
        self.before = self.array.md.statistics();
        Ok(())
    }

    /// Runs the steps due `elapsed` after fio was started; returns whether the load may continue.
    fn tick(&mut self, elapsed: Duration) -> bool {
        if let Some(began) = self.load_began(elapsed)
            && let Err(error) =
                self.run_due_steps(Nanos::from(elapsed), Nanos::from(elapsed - began))
        {
            self.error = Some(error);
        }
        self.error.is_none()
    }

    /// Returns when the load began, since fio's start; `None` before that.
    fn load_began(&mut self, elapsed: Duration) -> Option<Duration> {
        if self.began.is_none()
            && (elapsed >= BEGIN_LIMIT || self.array.md.statistics() != self.before)
        {
            self.began = Some(elapsed);
        }
        self.began
    }

    /// Returns how long to wait before the next check, `elapsed` after fio's start.
    fn next_look(&self, elapsed: Duration) -> Duration {
        let Some(began) = self.began else {
            return SOON;
        };
        let until = |due: Nanos| {
            let due = began.saturating_add(Duration::from_nanos(due.as_u64()));
            due.saturating_sub(elapsed)
        };
        match (self.stage, self.failure.repair) {
            (Stage::Whole, _) => until(self.failure.at_ns),
            (Stage::Failed, _) => SOON,
            (Stage::Removed, Some(repair)) => until(repair.at_ns),
            (Stage::Added | Stage::Rebuilding, _) => REBUILD_INTERVAL,
            (Stage::Removed, None) | (Stage::WholeAgain, _) => LOOK_INTERVAL,
        }
    }

    /// Runs the steps due `load` after the load began; `now` counts from fio's start.
    fn run_due_steps(&mut self, now: Nanos, load: Nanos) -> Result<(), WorldError> {
        if self.stage == Stage::Whole && load >= self.failure.at_ns {
            self.fail(now)?;
        }
        if self.stage == Stage::Failed {
            self.remove();
        }
        if let (Stage::Removed, Some(repair)) = (self.stage, self.failure.repair)
            && load >= repair.at_ns
        {
            self.add(repair.with)?;
            let device = self.failure.device;
            self.record(
                now,
                match repair.with {
                    Replacement::New => Happened::Replaced { device },
                    Replacement::Same => Happened::ReAdded { device },
                },
            );
        }
        if matches!(self.stage, Stage::Added | Stage::Rebuilding) {
            self.check_rebuild(now);
        }
        Ok(())
    }

    fn fail(&mut self, now: Nanos) -> Result<(), WorldError> {
        manage(&self.array.md.name, "--fail", &self.device)
            .map_err(|error| error.while_trying(self.attempted("fail")))?;
        self.stage = Stage::Failed;
        let device = self.failure.device;
        self.record(now, Happened::Failed { device });
        Ok(())
    }

    /// Removes the failed member once the kernel does not use it; returns whether it is removed.
    fn remove(&mut self) -> bool {
        if self.stage == Stage::Failed
            && manage(&self.array.md.name, "--remove", &self.device).is_ok()
        {
            self.stage = Stage::Removed;
        }
        self.stage == Stage::Removed
    }

    /// Adds the member back to the array.
    fn add(&mut self, with: Replacement) -> Result<(), WorldError> {
        let add = || match with {
            Replacement::Same => manage(&self.array.md.name, "--re-add", &self.device),
            Replacement::New => {
                // Without its superblock it is a new device to md.
                MDADM
                    .call(["--zero-superblock", &path(&self.device)])
                    .run_to_the_end()?;
                add(&self.array, &self.device)
            }
        };
        add().map_err(|error| error.while_trying(self.attempted("add back")))?;
        self.stage = Stage::Added;
        Ok(())
    }

    /// Checks how far the rebuild is.
    fn check_rebuild(&mut self, now: Nanos) {
        let is_busy = self
            .word("sync_action")
            .is_some_and(|action| action != "idle");
        let is_whole = self.word("degraded").is_some_and(|missing| missing == "0");
        if self.stage == Stage::Added && (is_busy || is_whole) {
            self.stage = Stage::Rebuilding;
            let size_bytes = self.member_bytes();
            self.record(now, Happened::RebuildBegan { size_bytes });
        }
        if self.stage == Stage::Rebuilding && is_whole && !is_busy {
            self.stage = Stage::WholeAgain;
            let is_new = self
                .failure
                .repair
                .is_some_and(|repair| repair.with == Replacement::New);
            let rebuilt_bytes = is_new.then(|| self.member_bytes());
            self.record(now, Happened::RebuildDone { rebuilt_bytes });
        }
    }

    /// Ends the script with the load, `elapsed` after the load began.
    fn end(&mut self, elapsed: Nanos) {
        if matches!(self.stage, Stage::Added | Stage::Rebuilding) {
            self.check_rebuild(elapsed);
        }
        if self.stage == Stage::Rebuilding {
            let progress = self.word("sync_completed");
            let (reached_bytes, _) = progress.as_deref().and_then(completed).unwrap_or_default();
            let size_bytes = self.member_bytes();
            self.record(
                elapsed,
                Happened::RebuildUnfinished {
                    reached_bytes,
                    size_bytes,
                },
            );
        }
    }

    /// Adds the events to a sample, and a warning for a step that was not done; removes the
    /// warnings that the script itself caused. The load began `start` after fio, or when we saw it
    /// if fio does not report that. [`OurArray::loss`] reports other missing members, with
    /// [`Self::member_state`].
    ///
    /// # Errors
    /// Why the script stopped.
    pub(crate) fn finish(
        &mut self,
        sample: &mut Sample,
        start: Option<Nanos>,
    ) -> Result<(), WorldError> {
        let start = start.or(self.began.map(Nanos::from)).unwrap_or_default();
        let end = sample.elapsed_ns.as_u64().saturating_add(start.as_u64());
        self.end(Nanos::new(end));
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        sample.events = std::mem::take(&mut self.events);
        for event in &mut sample.events {
            let since_start = event.at_ns.as_u64().saturating_sub(start.as_u64());
            event.at_ns = Nanos::new(since_start.min(sample.elapsed_ns.as_u64()));
        }
        let name = &self.array.md.name;
        sample.warnings.retain(|warning| match warning {
            Warning::ArrayBusy { array, .. } => array != name,
            Warning::MoreBytesAtDevice { .. } => false,
            _ => true,
        });
        let unfinished = self.unfinished().map(|step| Warning::FailureUnfinished {
            array: name.clone(),
            device: self.device.clone(),
            step,
        });
        sample.warnings.extend(unfinished);
        Ok(())
    }

    /// Returns the step that was due and not done.
    fn unfinished(&self) -> Option<FailureStep> {
        match (self.stage, self.failure.repair) {
            (Stage::Whole, _) => Some(FailureStep::Fail),
            (Stage::Failed, Some(_)) => Some(FailureStep::Remove),
            (Stage::Removed, Some(_)) => Some(FailureStep::ReAdd),
            _ => None,
        }
    }

    /// Returns the member that the script failed, and where it is; `None` if the script left the
    /// array whole.
    pub(crate) fn member_state(&self) -> Option<(String, MemberState)> {
        let member_state = match self.stage {
            Stage::Whole | Stage::WholeAgain => return None,
            Stage::Failed | Stage::Removed => MemberState::Failed,
            Stage::Added | Stage::Rebuilding => MemberState::ReAdded,
        };
        Some((self.device.clone(), member_state))
    }

    fn record(&mut self, at_ns: Nanos, what: Happened) {
        self.events.push(SampleEvent { at_ns, what });
    }

    fn word(&self, file: &str) -> Option<String> {
        self.array.md.word(file)
    }

    /// Returns how much of each member the array uses; sysfs reports KiB.
    fn member_bytes(&self) -> Bytes {
        let kib = self.array.md.number("component_size");
        Bytes::new(kib.unwrap_or_default().saturating_mul(1024))
    }

    fn attempted(&self, what: &str) -> String {
        attempted(what, &self.array.md.name, &self.device)
    }
}

/// Watches fio and runs the script meanwhile.
pub(crate) struct Scripted<'a, 'b> {
    pub(crate) script: &'a mut FailureScript<'b>,
    pub(crate) watch: &'a mut dyn Watch,
}

impl Watch for Scripted<'_, '_> {
    fn next_look(&self, elapsed: Duration) -> Duration {
        let ours = self.script.next_look(elapsed);
        ours.min(self.watch.next_look(elapsed))
    }

    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.script.tick(elapsed) && self.watch.keep_going(elapsed)
    }
}

/// Returns why the script stopped fio, if it did.
pub(crate) fn error_of(script: Option<&mut FailureScript>) -> Option<WorldError> {
    script.and_then(|script| script.error.take())
}

/// Makes an array whole again: re-adds the members that we failed, `ours`, and waits until they are
/// rebuilt at full speed. Does nothing to a whole array.
///
/// # Errors
/// If other members are missing, mdadm refuses, the rebuild takes too long, or `watch` stops it.
pub(crate) fn re_add_and_wait(
    array: &OurArray,
    ours: &mut OurFailures,
    watch: &mut dyn Watch,
) -> Result<(), WorldError> {
    let md = &array.md;
    if md.is_whole() {
        ours.clear();
        return Ok(());
    }
    array.check_losses(ours)?;
    for (file, speed) in [
        ("sync_speed_max", UNLIMITED_KIB_PER_S),
        ("sync_speed_min", UNLIMITED_KIB_PER_S),
    ] {
        md.set(file, &speed.to_string())?;
    }
    for (device, member_state) in ours.iter_mut() {
        if *member_state == MemberState::ReAdded {
            continue;
        }
        let mut is_out = || !md.holds(device) || manage(&md.name, "--remove", device).is_ok();
        if !wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
            return Err(still_in_use(&md.name, device));
        }
        let zeroed = MDADM
            .call(["--zero-superblock", &path(device)])
            .run_to_the_end();
        zeroed
            .and_then(|_| add(array, device))
            .map_err(|error| error.while_trying(attempted("add back", &md.name, device)))?;
        *member_state = MemberState::ReAdded;
    }
    md.wait_until_whole(REBUILD_LIMIT, watch)?;
    ours.clear();
    array.set_speeds([None; 2])
}

/// Fails a member and removes it before the measurement; returns its name.
///
/// # Errors
/// If there is no such member, mdadm refuses, or `watch` stops it.
pub(crate) fn fail_and_remove(
    array: &OurArray,
    place: u16,
    watch: &mut dyn Watch,
) -> Result<String, WorldError> {
    let (name, device) = (&array.md.name, array.member(place.into())?);
    manage(name, "--fail", device)
        .map_err(|error| error.while_trying(attempted("fail", name, device)))?;
    let mut is_out = || manage(name, "--remove", device).is_ok();
    match wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
        true => Ok(device.to_owned()),
        false => Err(still_in_use(name, device)),
    }
}

fn still_in_use(array: &str, device: &str) -> WorldError {
    WorldError::plain(attempted("remove", array, device))
        .or_hint("`cat /proc/mdstat` shows the state of the array")
}

fn attempted(what: &str, array: &str, device: &str) -> String {
    format!("failed to {what} `{device}` of `{array}`")
}

/// Runs md's check on all copies or parity, and returns how many bytes do not match.
///
/// # Errors
/// As [`Md::check`](crate::array::Md::check).
pub(crate) fn check(array: &OurArray, watch: &mut dyn Watch) -> Result<Bytes, WorldError> {
    let checked = array.md.check(REBUILD_LIMIT, watch)?;
    array.set_speeds([None; 2])?;
    Ok(checked)
}

/// Parses `1234 / 5678`: sectors done and in total; `none` if no sync runs.
fn completed(text: &str) -> Option<(Bytes, Bytes)> {
    let (done, all) = text.split_once('/')?;
    let sectors = |text: &str| {
        let count: u64 = text.trim().parse().ok()?;
        Some(Bytes::new(count.checked_mul(512)?))
    };
    Some((sectors(done)?, sectors(all)?))
}

fn manage(array: &str, what: &str, device: &str) -> Result<(), CallError> {
    MDADM
        .call(["--manage", &path(array), what, &path(device)])
        .run_to_the_end()
        .map(|_printed| ())
}

/// Adds a new device to an array, with the flag of the member that it replaces.
fn add(array: &OurArray, device: &str) -> Result<(), CallError> {
    let mut places = array.settings.write_mostly.iter();
    let is_write_mostly = places.any(|place| array.member(*place).is_ok_and(|one| one == device));
    MDADM
        .call(["--manage", &path(&array.md.name), "--add"])
        .args(is_write_mostly.then_some("--write-mostly"))
        .args([path(device)])
        .run_to_the_end()
        .map(|_printed| ())
}

impl OurArray {
    /// Sets the least and the greatest speed of a resync, each to what is asked, or to what the
    /// study says of the array, or to the system's.
    fn set_speeds(&self, asked: [Option<Bytes>; 2]) -> Result<(), WorldError> {
        let settings = &self.settings;
        let own = [
            settings.sync_speed_min_bytes_per_s,
            settings.sync_speed_max_bytes_per_s,
        ];
        let files = ["sync_speed_min", "sync_speed_max"];
        for (file, (asked, own)) in files.into_iter().zip(asked.into_iter().zip(own)) {
            let speed = asked.or(own).map_or("system".to_owned(), kib);
            self.md.set(file, &speed)?;
        }
        Ok(())
    }
}

fn path(name: &str) -> String {
    format!("/dev/{name}")
}

/// Returns a speed in md's unit.
fn kib(speed: Bytes) -> String {
    (speed.as_u64() / 1024).max(1).to_string()
}

#[cfg(test)]
mod tests {
    use stripewise_machine::Root;
    use stripewise_study::failure::Repair;
    use stripewise_study::stack::ArraySettings;

    use super::*;
    use crate::array::Md;

    #[test]
    fn sync_progress_is_parsed() {
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

    /// An array that the kernel does not know: all its files are absent.
    fn array() -> OurArray {
        let nowhere = Root("/nowhere".into());
        OurArray {
            md: Md::new(&nowhere, "md100"),
            members: vec!["sda".to_owned(), "sdb".to_owned()],
            settings: ArraySettings::default(),
        }
    }

    fn failure(device: u32, repair: Option<Repair>) -> Failure {
        Failure {
            name: "pulled".to_owned(),
            at_ns: Nanos::new(1),
            device,
            repair,
            sync_speed_min_bytes_per_s: None,
            sync_speed_max_bytes_per_s: None,
            until_rebuilt: false,
        }
    }

    fn sample(warnings: Vec<Warning>) -> Sample {
        Sample {
            elapsed_ns: Nanos::from_millis(1000),
            warnings,
            ..Sample::default()
        }
    }

    #[test]
    fn an_absent_member_cannot_fail() {
        let error = FailureScript::new(&failure(2, None), array()).unwrap_err();
        assert_eq!(error.to_string(), "`md100` has no member 2");
    }

    #[test]
    fn speeds_are_those_of_the_failure_then_of_the_array_then_of_the_system() {
        let folder = tempfile::tempdir().unwrap();
        let md = folder.path().join("sys/block/md100/md");
        std::fs::create_dir_all(&md).unwrap();
        let array = OurArray {
            md: Md::new(&Root(folder.path().into()), "md100"),
            settings: ArraySettings {
                sync_speed_max_bytes_per_s: Some(Bytes::new(50 << 20)),
                ..ArraySettings::default()
            },
            ..array()
        };
        let set = |asked| {
            array.set_speeds(asked).unwrap();
            ["sync_speed_min", "sync_speed_max"].map(|file| array.md.word(file).unwrap())
        };
        assert_eq!(set([None; 2]), ["system", "51200"]);
        let asked = Some(Bytes::new(10 << 20));
        assert_eq!(set([asked; 2]), ["10240", "10240"]);
    }

    #[test]
    fn times_count_from_the_first_io_of_the_array() {
        let folder = tempfile::tempdir().unwrap();
        let block = folder.path().join("sys/block/md100");
        std::fs::create_dir_all(&block).unwrap();
        let count = |ios: u32| {
            let line = format!("{ios} 0 8 0 0 0 0 0 0 0 0");
            std::fs::write(block.join("stat"), line).unwrap();
        };
        count(7);
        let pulled = Failure {
            at_ns: Nanos::from_millis(400),
            ..failure(1, None)
        };
        let array = OurArray {
            md: Md::new(&Root(folder.path().into()), "md100"),
            ..array()
        };
        let millis = Duration::from_millis;
        let mut script = FailureScript::new(&pulled, array).unwrap();
        script.before = script.array.md.statistics();
        assert_eq!(script.load_began(millis(170)), None);
        assert_eq!(script.next_look(millis(170)), SOON);
        count(8);
        assert_eq!(script.load_began(millis(180)), Some(millis(180)));
        assert_eq!(script.next_look(millis(180)), millis(400));
        assert_eq!(script.next_look(millis(570)), millis(10));
        // A load that the page cache absorbs is not seen.
        script.before = script.array.md.statistics();
        script.began = None;
        assert_eq!(script.load_began(millis(299)), None);
        assert_eq!(script.load_began(millis(300)), Some(millis(300)));
    }

    #[test]
    fn a_sample_with_a_missing_step_is_invalid() {
        let replaced = failure(
            1,
            Some(Repair {
                at_ns: Nanos::new(2),
                with: Replacement::New,
            }),
        );
        let pulled = failure(1, None);
        let warnings = |failure: &Failure, stage: Stage| {
            let mut script = FailureScript::new(failure, array()).unwrap();
            script.stage = stage;
            let mut sample = sample(Vec::new());
            script.finish(&mut sample, None).unwrap();
            assert_eq!(sample.is_valid(), sample.warnings.is_empty());
            sample.warnings
        };
        let unfinished = |step: FailureStep| {
            vec![Warning::FailureUnfinished {
                array: "md100".to_owned(),
                device: "sdb".to_owned(),
                step,
            }]
        };
        for (stage, step) in [
            (Stage::Whole, FailureStep::Fail),
            (Stage::Failed, FailureStep::Remove),
            (Stage::Removed, FailureStep::ReAdd),
        ] {
            assert_eq!(warnings(&replaced, stage), unfinished(step));
        }
        assert_eq!(
            warnings(&pulled, Stage::Whole),
            unfinished(FailureStep::Fail)
        );
        for stage in [Stage::Added, Stage::Rebuilding, Stage::WholeAgain] {
            assert_eq!(warnings(&replaced, stage), []);
        }
        for stage in [Stage::Failed, Stage::Removed] {
            assert_eq!(warnings(&pulled, stage), []);
        }
    }

    #[test]
    fn warnings_about_other_arrays_are_kept() {
        let pulled = failure(1, None);
        let mut script = FailureScript::new(&pulled, array()).unwrap();
        script.stage = Stage::Removed;
        let busy = |array: &str| Warning::ArrayBusy {
            array: array.to_owned(),
            action: "recover".to_owned(),
        };
        let mut sample = sample(vec![busy("md100"), busy("md0")]);
        script.finish(&mut sample, None).unwrap();
        assert_eq!(sample.warnings, [busy("md0")]);
        assert_eq!(
            script.member_state(),
            Some(("sdb".to_owned(), MemberState::Failed))
        );
    }

    /// A watch that stops at once: any wait fails the test.
    struct StopAtOnce;

    impl Watch for StopAtOnce {
        fn keep_going(&mut self, _elapsed: Duration) -> bool {
            false
        }
    }

    #[test]
    fn a_member_that_failed_on_its_own_is_not_re_added() {
        let folder = tempfile::tempdir().unwrap();
        let md = folder.path().join("sys/block/md100/md");
        std::fs::create_dir_all(md.join("dev-sda")).unwrap();
        let files = [
            ("array_state", "clean"),
            ("sync_action", "idle"),
            ("degraded", "1"),
            ("resync_start", "none"),
            ("dev-sda/state", "in_sync"),
        ];
        for (file, text) in files {
            std::fs::write(md.join(file), text).unwrap();
        }
        let array = OurArray {
            md: Md::new(&Root(folder.path().to_owned()), "md100"),
            ..array()
        };
        let error = re_add_and_wait(&array, &mut OurFailures::new(), &mut StopAtOnce).unwrap_err();
        assert_eq!(
            error.to_string(),
            "array `md100` lost a member during the measurement, and now lacks 1: `sdb` failed or was removed"
        );
        assert!(!md.join("sync_speed_max").exists(), "the array was changed");
    }
}
