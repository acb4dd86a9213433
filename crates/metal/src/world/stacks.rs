//! Stacks built on block devices, one after the other.

use std::collections::BTreeMap;
use std::path::PathBuf;

use stripewise_fio::{JobFile, Output};
use stripewise_machine::facts;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::Sample;
use stripewise_study::series::{Happened, SampleEvent};
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Journal, Prepared, SampleRequest, Watch, World, WorldError, WorldName,
};
use stripewise_units::{Bytes, Nanos};

use super::instruments::{Instruments, read_back_job};
use super::problem::{
    FAIL_MEMBER, MEASURE, NOT_PREPARED, OpenError, READ_BACK, WRITE_FILES, fio_failed,
};
use crate::build::Top;
use crate::crash_point::CrashPoint;
use crate::device::Claimed;
use crate::failure::{self, FailureScript, Scripted, error_of};
use crate::fio_directory::FioDirectory;
use crate::requirements;
use crate::stacks::Stacks;
use crate::workspace::Workspace;

/// Runs fio on stacks that it builds on block devices of this machine.
#[derive(Debug)]
pub struct StacksWorld {
    instruments: Instruments,
    stacks: Stacks,
}

impl StacksWorld {
    /// Finds fio, to measure stacks built on `devices`, listed by device profile; changes nothing.
    /// The first `prepare` of a cell destroys the content of its devices.
    ///
    /// # Errors
    /// [`OpenError::Fio`].
    pub fn on_devices(devices: BTreeMap<String, Vec<PathBuf>>) -> Result<Self, OpenError> {
        Ok(Self {
            instruments: Instruments::find()?,
            stacks: Stacks::new(devices),
        })
    }

    /// Examines and locks the devices, and returns them for confirmation. Nothing is written.
    ///
    /// # Errors
    /// The first reason to refuse one of them.
    pub fn claim(&mut self) -> Result<&[Claimed], WorldError> {
        self.stacks.claim(&self.instruments.root)?;
        Ok(self.stacks.claimed())
    }

    /// Accepts only the devices that the run used before: name, serial number (or file behind a
    /// loop device) and size of each.
    pub fn expect_devices(&mut self, devices: Vec<(PathBuf, Option<String>, Bytes)>) {
        self.stacks.expect(devices);
    }

    /// Returns the same world for a guest, whose time may be virtual.
    #[must_use]
    pub fn in_guest(self, is_virtual_time: bool) -> Self {
        Self {
            instruments: self.instruments.in_guest(is_virtual_time),
            ..self
        }
    }

    /// Returns the same world for devices that read as zeroes after a discard: every stack starts
    /// on such devices, and its arrays need no first sync.
    #[must_use]
    pub fn on_zeroes(mut self) -> Self {
        self.stacks.begin_with_zeroes();
        self
    }

    /// Builds the stack of a cell under its conditions, unless it is up; returns whether it built it.
    fn build_stack(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<bool, WorldError> {
        self.claim()?;
        let Self {
            instruments,
            stacks,
        } = self;
        let root = &instruments.root;
        // Before any other change for the cell.
        stacks.verify(root, &cell.stack)?;
        let entries = &mut instruments.journal_entries;
        let journal = &mut CrashPoint { journal, entries };
        let place = stacks.place(root, cell);
        let conditions = &mut instruments.conditions;
        conditions.set(root, &cell.conditions, &place, journal)?;
        let is_made = stacks.ensure_built(root, cell, journal, watch)?;
        match is_made {
            // What belongs to the new device under test.
            true => {
                let place = stacks.place(root, cell);
                conditions.set(root, &cell.conditions, &place, journal)?;
            }
            false => stacks.re_add_and_wait(watch)?,
        }
        Ok(is_made)
    }

    /// Builds the stack of a cell without test files, and returns its top.
    pub(crate) fn build(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Top, WorldError> {
        self.build_stack(cell, journal, watch)?;
        let top = self.stacks.top().cloned();
        top.ok_or_else(|| WorldError::failed(MEASURE, NOT_PREPARED))
    }

    fn fio_directory(&self, cell: &Cell, attempted: &str) -> Result<FioDirectory, WorldError> {
        let fio_directory = self.stacks.fio_directory(cell);
        fio_directory.ok_or_else(|| WorldError::failed(attempted, NOT_PREPARED))
    }

    /// Checks, before fio is started, that it works on the files that we created.
    fn verify_workspace(&self) -> Result<(), WorldError> {
        let workspace = self.stacks.workspace();
        workspace.map_or(Ok(()), Workspace::verify)
    }

    /// Returns the failure script for the array of a cell.
    fn script<'a>(&self, cell: &'a Cell) -> Result<Option<FailureScript<'a>>, WorldError> {
        let Some(failure) = &cell.conditions.failure else {
            return Ok(None);
        };
        let array = self.stacks.array();
        let array = array.ok_or_else(|| WorldError::failed(FAIL_MEMBER, NOT_PREPARED))?;
        FailureScript::new(failure, array).map(Some)
    }

    /// Runs fio between two reads of the counters, together with `script`.
    fn take_sample(
        &mut self,
        cell: &Cell,
        job_file: &JobFile,
        fio_directory: &FioDirectory,
        is_replay: bool,
        script: &mut Option<FailureScript>,
        watch: &mut dyn Watch,
    ) -> Result<(Sample, Output), WorldError> {
        self.verify_workspace()?;
        let instruments = &self.instruments;
        let beside = instruments.beside(cell)?;
        let before = instruments.before();
        let loaded = match script {
            None => instruments.run_load(&beside, job_file, fio_directory, watch),
            Some(script) => {
                let mut watch = Scripted { script, watch };
                instruments.run_load(&beside, job_file, fio_directory, &mut watch)
            }
        };
        let loaded = loaded.map_err(|error| {
            error_of(script.as_mut()).unwrap_or_else(|| fio_failed(MEASURE, error))
        })?;
        if is_replay {
            // Superblock writes caused by the replayed I/Os are counted with them.
            self.stacks.wait_until_clean(watch)?;
        }
        let between = instruments.since(&before);
        if is_replay {
            self.stacks.end_replay()?;
        }
        let sample = instruments.sample(cell, job_file, &loaded, between)?;
        Ok((sample, loaded.output))
    }

    /// Adds the events of a script to a sample; and a warning if the array under test lost members
    /// that we did not fail. The counters around the sample cannot distinguish these from members
    /// that we did fail.
    fn end_script(
        &mut self,
        script: Option<FailureScript>,
        fio_started_unix_ns: u64,
        sample: &mut Sample,
    ) -> Result<(), WorldError> {
        if let Some(mut script) = script {
            // fio before 3.36 does not report when its jobs began: then we use the start of fio
            // itself.
            let began = sample.started_unix_ns.unwrap_or(fio_started_unix_ns);
            let start = began.saturating_sub(fio_started_unix_ns);
            script.finish(sample, (start > 0).then_some(Nanos::new(start)))?;
            self.stacks.note_failed(script.member_state());
        }
        let Some(ours) = self.stacks.array() else {
            return Ok(());
        };
        sample.warnings.retain(|warning| match warning {
            Warning::ArrayLostMembers { array, .. } => *array != ours.md.name,
            _ => true,
        });
        sample.warnings.extend(self.stacks.loss());
        Ok(())
    }

    /// Reads back the blocks that a load wrote with checksums. On an array with a failed member,
    /// first re-adds it, and afterwards md checks that the copies match.
    fn read_back(
        &mut self,
        cell: &Cell,
        fio_directory: &FioDirectory,
        sample: &mut Sample,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let Some(job_file) = read_back_job(cell, fio_directory)? else {
            return Ok(());
        };
        let synced = self.stacks.sync();
        synced.map_err(|error| WorldError::failed(READ_BACK, error))?;
        let has_failed = cell.conditions.failure.is_some();
        if has_failed {
            self.stacks.re_add_and_wait(watch)?;
        }
        self.verify_workspace()?;
        let read = self
            .instruments
            .read_back(&job_file, fio_directory, sample, watch)?;
        let Some(array) = self.stacks.array().filter(|_| has_failed) else {
            return Ok(());
        };
        let at_ns = sample.elapsed_ns;
        sample.events.extend(read.map(|read_bytes| SampleEvent {
            at_ns,
            what: Happened::ReadBack { read_bytes },
        }));
        let was_synced = cell
            .stack
            .array
            .as_ref()
            .is_some_and(|array| !array.assume_clean);
        if !was_synced {
            // An array that was never in sync cannot match.
            return Ok(());
        }
        let mismatch_bytes = failure::check(&array, watch)?;
        sample.events.push(SampleEvent {
            at_ns,
            what: Happened::Checked { mismatch_bytes },
        });
        if mismatch_bytes > Bytes::default() {
            sample.warnings.push(Warning::DataDiffers {
                array: Some(array.md.name.clone()),
            });
        }
        Ok(())
    }
}

/// Returns the interval of a sample's series: a hundredth, but not too short for fio.
fn series_step(duration: Nanos) -> Nanos {
    const LEAST: Nanos = Nanos::from_millis(50);
    Nanos::new(duration.as_u64() / 100).max(LEAST)
}

impl World for StacksWorld {
    fn name(&self) -> WorldName {
        WorldName::Metal
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let root = &self.instruments.root;
        let facts = Facts {
            target: Some(self.stacks.target(root)),
            ..facts(root, None)
        };
        Ok(self.instruments.note(facts))
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        let facts = self.facts()?;
        self.claim()?;
        requirements::check_stacks(&self.instruments.root, cells, &facts, &self.stacks)
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        let is_made = self.build_stack(cell, journal, watch)?;
        let Self {
            instruments,
            stacks,
        } = self;
        let root = &instruments.root;
        stacks.trim(root, cell)?;
        let entries = &mut instruments.journal_entries;
        let journal = &mut CrashPoint { journal, entries };
        let missing = stacks.missing(cell, journal)?;
        if is_made {
            self.facts()?;
        }
        if !missing.is_empty() {
            let fio_directory = self.fio_directory(cell, WRITE_FILES)?;
            let workspace = self.stacks.workspace();
            self.instruments
                .lay_out(&fio_directory, workspace, &missing, watch)?;
            self.stacks.note_laid_out(&missing);
        }
        Ok(match is_made || !missing.is_empty() {
            true => Prepared::Made,
            false => Prepared::AlreadyThere,
        })
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let fio_directory = self.fio_directory(cell, MEASURE)?;
        self.stacks
            .check_unchanged(&self.instruments.root, &cell.stack)?;
        let mut script = self.script(cell)?;
        let step = script.as_ref().map(|_| series_step(request.duration));
        let replay = request.replay.clone();
        let job_file = self
            .instruments
            .job_file(&cell.workload, request, &fio_directory.files, step)
            .map_err(|error| WorldError::failed(MEASURE, error))?
            .on_cpus(self.instruments.load_cpus(cell)?.as_ref());
        let place = self.stacks.place(&self.instruments.root, cell);
        self.instruments
            .before_sample(cell, &place, || self.stacks.sync())?;
        if let Some(replay) = &replay {
            self.stacks.begin_replay(replay, watch)?;
        }
        if let Some(script) = &mut script {
            script.begin(watch)?;
        }
        let is_replay = replay.is_some();
        let taken = self.take_sample(
            cell,
            &job_file,
            &fio_directory,
            is_replay,
            &mut script,
            watch,
        );
        let (mut sample, output) = taken?;
        self.end_script(script, output.started_unix_ns, &mut sample)?;
        self.read_back(cell, &fio_directory, &mut sample, watch)?;
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.instruments
            .restore(journal, |root, journal| self.stacks.restore(root, journal))
    }
}
