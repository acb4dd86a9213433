//! A member of an array fails while fio runs, and comes back: with mdadm, on the array that the
//! world built.
//!
//! Moments count from the beginning of the load: that is when the array is first asked for something
//! after fio was started, which is looked for every ten milliseconds; for loads that reach no array at
//! once, because the page cache takes their writes, three tenths of a second after fio was started. From
//! there on whoever watches fio looks again when the next thing is due. Events say when it did happen,
//! by fio's own beginning of the load. A sample in which not everything happened does not count.
//!
//! What the array does is read from sysfs (Documentation/admin-guide/md.rst: `sync_action`, `degraded`,
//! `sync_completed`, `component_size`).
//!
//! The array is ours and goes with everything we did to it, so nothing here is announced: a member
//! that was taken out carries our identity until it is wiped, or nothing at all. A member that fails
//! without us is left alone: whoever put it back would measure a broken disk.

use std::time::Duration;

use stripewise_process::CallError;
use stripewise_study::failure::{Failure, Replacement};
use stripewise_study::sample::Sample;
use stripewise_study::series::{Happened, SampleEvent};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::{FailureStep, Warning};
use stripewise_study::world::{LOOK_INTERVAL, Watch, WorldError};

use crate::array::{ArrayOfOurs, OurFailures, Whereabouts};
use crate::tool::{MDADM, ToolCall, wait_until};

/// How long an array may take to get whole again: a day, for disks of 18 TB.
const REBUILD_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// How long a failed member may be busy before it can be taken out.
const REMOVE_LIMIT: Duration = Duration::from_secs(60);
/// The speed of a rebuild that nobody measures, in md's unit: no limit that matters.
const UNHURT_KIB_PER_S: u64 = 100_000_000;

/// When a load has begun that is not seen to begin.
const BEGIN_LIMIT: Duration = Duration::from_millis(300);
/// How often the beginning is looked for, and a member that is to be taken out is asked again.
const SOON: Duration = Duration::from_millis(10);
/// How often the end of a rebuild is looked for.
const REBUILD_INTERVAL: Duration = Duration::from_millis(50);

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
    /// What the array had been asked for before fio was started.
    before: Option<String>,
    /// When the load began, from fio's start.
    began: Option<Duration>,
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
            before: None,
            began: None,
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
            self.array.md.set(file, &speed)?;
        }
        if self.failure.at_ns == Nanos::default() {
            self.fail(Nanos::default())?;
            let mut is_out = || self.remove();
            if !wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
                let stuck = || stuck(&self.array.md.name, &self.device);
                return Err(self.error.take().unwrap_or_else(stuck));
            }
        }
        self.before = self.array.md.statistics();
        Ok(())
    }

    /// Does what is due `elapsed` after fio was started; returns whether the load may go on.
    fn tick(&mut self, elapsed: Duration) -> bool {
        if let Some(began) = self.load_began(elapsed)
            && let Err(error) = self.go_on(Nanos::from(elapsed), Nanos::from(elapsed - began))
        {
            self.error = Some(error);
        }
        self.error.is_none()
    }

    /// Returns when the load began, from fio's start; nothing before.
    fn load_began(&mut self, elapsed: Duration) -> Option<Duration> {
        if self.began.is_none()
            && (elapsed >= BEGIN_LIMIT || self.array.md.statistics() != self.before)
        {
            self.began = Some(elapsed);
        }
        self.began
    }

    /// Returns how long it may take from `elapsed` after fio's start to the next look.
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

    /// Does what is due `load` after the load began; `now` counts from fio's start.
    fn go_on(&mut self, now: Nanos, load: Nanos) -> Result<(), WorldError> {
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
        manage(&self.array.md.name, "--fail", &self.device)
            .map_err(|error| error.while_trying(self.attempted("fail")))?;
        self.stage = Stage::Failed;
        let device = self.failure.device;
        self.happened(now, Happened::Failed { device });
        Ok(())
    }

    /// Takes the failed member out, once the kernel lets go of it; returns whether it has.
    fn remove(&mut self) -> bool {
        if self.stage == Stage::Failed
            && manage(&self.array.md.name, "--remove", &self.device).is_ok()
        {
            self.stage = Stage::Removed;
        }
        self.stage == Stage::Removed
    }

    /// Puts the member back.
    fn add(&mut self, with: Replacement) -> Result<(), WorldError> {
        let add = || match with {
            Replacement::Same => manage(&self.array.md.name, "--re-add", &self.device),
            Replacement::New => {
                // Without its superblock nobody knows it.
                MDADM
                    .call(["--zero-superblock", &path(&self.device)])
                    .run_to_the_end()?;
                manage(&self.array.md.name, "--add", &self.device)
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

    /// Puts what happened into a sample whose load began `start` after fio did, or when it was seen to
    /// if fio does not say, and what did not happen; takes out what was noticed only because the array
    /// did what it was told. Whom it lacks besides, [`ArrayOfOurs::loss`] tells, with
    /// [`Self::whereabouts`].
    ///
    /// # Errors
    /// Why the script could not go on.
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

    /// Returns what should have happened and did not.
    fn unfinished(&self) -> Option<FailureStep> {
        match (self.stage, self.failure.repair) {
            (Stage::Whole, _) => Some(FailureStep::Fail),
            (Stage::Failed, Some(_)) => Some(FailureStep::TakeOut),
            (Stage::Removed, Some(_)) => Some(FailureStep::PutBack),
            _ => None,
        }
    }

    /// Returns the member that fails, and where it is, unless the array is whole as far as the script
    /// knows.
    pub(crate) fn whereabouts(&self) -> Option<(String, Whereabouts)> {
        let whereabouts = match self.stage {
            Stage::Whole | Stage::WholeAgain => return None,
            Stage::Failed | Stage::Removed => Whereabouts::Out,
            Stage::Added | Stage::Rebuilding => Whereabouts::Back,
        };
        Some((self.device.clone(), whereabouts))
    }

    fn happened(&mut self, at_ns: Nanos, what: Happened) {
        self.events.push(SampleEvent { at_ns, what });
    }

    fn word(&self, file: &str) -> Option<String> {
        self.array.md.word(file)
    }

    /// Returns how much of each member the array uses; sysfs has it in KiB.
    fn member_bytes(&self) -> Bytes {
        let kib: Option<u64> = self.word("component_size").and_then(|kib| kib.parse().ok());
        Bytes::new(kib.unwrap_or_default().saturating_mul(1024))
    }

    fn attempted(&self, what: &str) -> String {
        attempted(what, &self.array.md.name, &self.device)
    }
}

/// Watches fio, and lets the script go on meanwhile.
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

/// Why fio was stopped, if the script did it.
pub(crate) fn error_of(script: Option<&mut FailureScript>) -> Option<WorldError> {
    script.and_then(|script| script.error.take())
}

/// Makes an array whole again: puts back the members that we made fail, `ours`, and waits until they are
/// rebuilt as fast as the disks can. Does nothing to one that is whole.
///
/// # Errors
/// If others are missing, mdadm refuses, the rebuild does not end, or `watch` said stop.
pub(crate) fn re_add_and_wait(
    array: &ArrayOfOurs,
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
        ("sync_speed_max", UNHURT_KIB_PER_S),
        ("sync_speed_min", UNHURT_KIB_PER_S),
    ] {
        md.set(file, &speed.to_string())?;
    }
    for (device, whereabouts) in ours.iter_mut() {
        if *whereabouts == Whereabouts::Back {
            continue;
        }
        let mut is_out = || !md.holds(device) || manage(&md.name, "--remove", device).is_ok();
        if !wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
            return Err(stuck(&md.name, device));
        }
        let zeroed = MDADM
            .call(["--zero-superblock", &path(device)])
            .run_to_the_end();
        zeroed
            .and_then(|_| manage(&md.name, "--add", device))
            .map_err(|error| error.while_trying(attempted("put back", &md.name, device)))?;
        *whereabouts = Whereabouts::Back;
    }
    md.wait_until_whole(REBUILD_LIMIT, watch)?;
    ours.clear();
    for file in ["sync_speed_min", "sync_speed_max"] {
        md.set(file, "system")?;
    }
    Ok(())
}

/// Lets a member fail and takes it out, before anything is measured; returns its name.
///
/// # Errors
/// If there is no such member, mdadm refuses, or `watch` said stop.
pub(crate) fn take_out(
    array: &ArrayOfOurs,
    place: u16,
    watch: &mut dyn Watch,
) -> Result<String, WorldError> {
    let (name, device) = (&array.md.name, array.member(place.into())?);
    manage(name, "--fail", device)
        .map_err(|error| error.while_trying(attempted("fail", name, device)))?;
    let mut is_out = || manage(name, "--remove", device).is_ok();
    match wait_until(REMOVE_LIMIT, watch, &mut is_out)? {
        true => Ok(device.to_owned()),
        false => Err(stuck(name, device)),
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
/// As [`Md::check`](crate::array::Md::check).
pub(crate) fn check(array: &ArrayOfOurs, watch: &mut dyn Watch) -> Result<Bytes, WorldError> {
    array.md.check(REBUILD_LIMIT, watch)
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

fn manage(array: &str, what: &str, device: &str) -> Result<(), CallError> {
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

#[cfg(test)]
mod tests {
    use stripewise_machine::Root;
    use stripewise_study::failure::Repair;

    use super::*;
    use crate::array::Md;

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

    /// An array that the kernel does not know: what is read from it is nothing.
    fn array() -> ArrayOfOurs {
        let nowhere = Root("/nowhere".into());
        ArrayOfOurs {
            md: Md::new(&nowhere, "md100"),
            members: vec!["sda".to_owned(), "sdb".to_owned()],
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
    fn a_device_that_is_not_there_cannot_fail() {
        let error = FailureScript::new(&failure(2, None), array()).unwrap_err();
        assert_eq!(error.to_string(), "`md100` has no member 2");
    }

    #[test]
    fn moments_count_from_when_the_array_is_first_asked() {
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
        let array = ArrayOfOurs {
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
        // A load that the page cache takes is not seen.
        script.before = script.array.md.statistics();
        script.began = None;
        assert_eq!(script.load_began(millis(299)), None);
        assert_eq!(script.load_began(millis(300)), Some(millis(300)));
    }

    #[test]
    fn a_sample_in_which_not_everything_happened_does_not_count() {
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
            (Stage::Failed, FailureStep::TakeOut),
            (Stage::Removed, FailureStep::PutBack),
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
    fn what_other_arrays_did_meanwhile_is_kept() {
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
            script.whereabouts(),
            Some(("sdb".to_owned(), Whereabouts::Out))
        );
    }

    /// Whoever waits for this has failed already.
    struct Nobody;

    impl Watch for Nobody {
        fn keep_going(&mut self, _elapsed: Duration) -> bool {
            false
        }
    }

    #[test]
    fn a_member_that_failed_by_itself_is_not_put_back() {
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
        let array = ArrayOfOurs {
            md: Md::new(&Root(folder.path().to_owned()), "md100"),
            ..array()
        };
        let error = re_add_and_wait(&array, &mut OurFailures::new(), &mut Nobody).unwrap_err();
        assert_eq!(
            error.to_string(),
            "array `md100` lost a member while it was measured, and lacks 1 now: `sdb` failed or was taken out"
        );
        assert!(!md.join("sync_speed_max").exists(), "nothing is changed");
    }
}
