//! The metal world.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stripewise_fio::job_file::MISMATCH_ERRNO;
use stripewise_fio::{Counted, FindError, Fio, JobFile, LayoutItem, RunError};
use stripewise_machine::{Root, TargetProblem, facts, target_problem};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::Sample;
use stripewise_study::series::{Happened, SampleEvent};
use stripewise_study::units::{Bytes, Nanos};
use stripewise_study::warning::Warning;
use stripewise_study::world::{Journal, Prepared, SampleRequest, Watch, World, WorldError};

use crate::conditions::{self, Place, Setter};
use crate::device::Claimed;
use crate::directory::Existing;
use crate::failure::{self, FailureScript, Scripted, error_of};
use crate::reality::{Asked, Before, writes_buffered};
use crate::requirements;
use crate::site::Site;
use crate::stacks::Stacks;
use crate::stumble::Stumbling;
use crate::workspace::Workspace;

/// fio on the files and block devices of this machine.
#[derive(Debug)]
pub struct Metal {
    root: Root,
    fio: Fio,
    ground: Ground,
    /// Read when the cells are checked or a stack is built; what is slow to change is not read for
    /// every sample.
    facts: Facts,
    conditions: Setter,
    /// Whether dirty pages of an earlier sample may still be written back.
    is_dirty: bool,
    /// How many changes were announced or undone.
    journal_entries: u32,
}

/// What is measured.
#[derive(Debug)]
enum Ground {
    /// The filesystem that is there.
    Existing(Existing),
    /// Stacks that are built on block devices.
    Stacks(Box<Stacks>),
}

/// The metal world cannot measure here.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The target is not a directory on a disk that may be written.
    #[error("failed to use `--target`: {0}")]
    Target(TargetProblem),
    /// fio is missing, too old or does not run.
    #[error("failed to find fio")]
    Fio(#[from] FindError),
}

impl OpenError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<&str> {
        match self {
            OpenError::Target(problem) => Some(problem.hint()),
            OpenError::Fio(error) => error.hint(),
        }
    }
}

impl Metal {
    /// Looks at the directory `target` and finds fio; touches nothing.
    ///
    /// # Errors
    /// [`OpenError`]: the target is unfit, or fio is missing or too old.
    pub fn open(target: &Path) -> Result<Self, OpenError> {
        let root = Root::live();
        if let Some(problem) = target_problem(&root, target) {
            return Err(OpenError::Target(problem));
        }
        let target = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
        Self::on(Ground::Existing(Existing::new(target)))
    }

    /// Finds fio, to measure stacks that are built on `devices`, by the device profile that they
    /// stand for; touches nothing. All their content is lost once a cell is prepared.
    ///
    /// # Errors
    /// [`OpenError::Fio`].
    pub fn on_devices(devices: BTreeMap<String, Vec<PathBuf>>) -> Result<Self, OpenError> {
        Self::on(Ground::Stacks(Box::new(Stacks::new(devices))))
    }

    /// Examines and locks the devices that the world was given, and returns them for confirmation;
    /// none for a world on files. Nothing is written.
    ///
    /// # Errors
    /// The first reason why one of them must not be overwritten.
    pub fn claim(&mut self) -> Result<&[Claimed], WorldError> {
        match &mut self.ground {
            Ground::Existing(_) => Ok(&[]),
            Ground::Stacks(stacks) => {
                stacks.claim(&self.root)?;
                Ok(stacks.claimed())
            }
        }
    }

    /// Accepts no other devices than those that a run had before: name, serial number (or file
    /// behind a loop device) and size of each.
    pub fn expect_devices(&mut self, devices: Vec<(PathBuf, Option<String>, Bytes)>) {
        if let Ground::Stacks(stacks) = &mut self.ground {
            stacks.expect(devices);
        }
    }

    fn on(ground: Ground) -> Result<Self, OpenError> {
        Ok(Self {
            root: Root::live(),
            fio: Fio::find()?.with_fixed_clock(),
            ground,
            facts: Facts::default(),
            conditions: Setter::default(),
            is_dirty: false,
            journal_entries: 0,
        })
    }

    /// Returns the same world for a guest with virtual time.
    #[must_use]
    pub fn in_virtual_time(self) -> Self {
        Self {
            fio: self.fio.in_virtual_time(),
            ..self
        }
    }

    /// Returns the same world for devices that read as zeroes once they are discarded: every stack
    /// begins on such devices, and its arrays are in sync without a first sync.
    #[must_use]
    pub fn on_zeroes(mut self) -> Self {
        if let Ground::Stacks(stacks) = &mut self.ground {
            stacks.begin_with_zeroes();
        }
        self
    }

    /// Returns what the conditions of a cell are about.
    fn place(&self, cell: &Cell) -> Place {
        match &self.ground {
            Ground::Existing(_) => Place::existing(&self.facts),
            Ground::Stacks(stacks) => stacks.place(&cell.stack),
        }
    }

    /// Returns where fio works for a cell.
    fn site(&self, cell: &Cell) -> Option<Site> {
        match &self.ground {
            Ground::Existing(existing) => existing.site(cell),
            Ground::Stacks(stacks) => stacks.site(cell),
        }
    }

    /// Makes sure, before fio is started, that it works on the files that we made.
    fn verify_workspace(&self) -> Result<(), WorldError> {
        let workspace = match &self.ground {
            Ground::Existing(existing) => existing.workspace(),
            Ground::Stacks(stacks) => stacks.workspace(),
        };
        workspace.map_or(Ok(()), Workspace::verify)
    }

    /// Writes back what earlier samples left in the page cache, so that it is not taken for the
    /// next one's.
    fn sync(&self, directory: &Path) -> std::io::Result<()> {
        match &self.ground {
            Ground::Existing(_) => {
                let directory = std::fs::File::open(directory)?;
                rustix::fs::syncfs(&directory).map_err(Into::into)
            }
            Ground::Stacks(stacks) => stacks.sync(),
        }
    }

    /// Waits, around the I/Os of a replay, until the writes of superblocks are done that follow
    /// from other writes: so they are counted in the sample that they belong to.
    fn settle(&self, request: &SampleRequest, watch: &mut dyn Watch) -> Result<(), WorldError> {
        match &self.ground {
            Ground::Stacks(stacks) if request.replay.is_some() => stacks.wait_until_clean(watch),
            _ => Ok(()),
        }
    }

    /// Makes ready, where single I/Os are replayed, what has to have happened before the first.
    fn begin_replay(
        &mut self,
        request: &SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        match (&mut self.ground, &request.replay) {
            (Ground::Stacks(stacks), Some(replay)) => stacks.begin_replay(replay, watch),
            (Ground::Existing(_), Some(replay)) if !replay.failed.is_empty() => {
                let why = "what exists already has no array of ours whose member could fail";
                Err(WorldError::failed("failed to let a member fail", why))
            }
            _ => Ok(()),
        }
    }

    /// Returns what is to happen to the array of a cell while fio runs.
    fn script<'a>(&self, cell: &'a Cell) -> Result<Option<FailureScript<'a>>, WorldError> {
        let Some(failure) = &cell.conditions.failure else {
            return Ok(None);
        };
        let array = match &self.ground {
            Ground::Existing(_) => None,
            Ground::Stacks(stacks) => stacks.array(),
        };
        let array =
            array.ok_or_else(|| WorldError::failed("failed to let a member fail", NOT_PREPARED))?;
        FailureScript::new(failure, array).map(Some)
    }

    /// Puts into a sample what a script did since fio was started; and whether the array under test, if
    /// it is ours, lost members that were not to fail: the counters around the sample know nothing of
    /// those that were.
    fn end_script(
        &mut self,
        script: Option<FailureScript>,
        fio_started_unix_ns: u64,
        sample: &mut Sample,
    ) -> Result<(), WorldError> {
        let Ground::Stacks(stacks) = &mut self.ground else {
            return Ok(());
        };
        if let Some(mut script) = script {
            // Before 3.36 fio does not say when its jobs began: then it is when fio itself did.
            let began = sample.started_unix_ns.unwrap_or(fio_started_unix_ns);
            let start = began.saturating_sub(fio_started_unix_ns);
            script.finish(sample, (start > 0).then_some(Nanos::new(start)))?;
            stacks.note_failed(script.whereabouts());
        }
        let Some(ours) = stacks.array() else {
            return Ok(());
        };
        sample.warnings.retain(|warning| match warning {
            Warning::ArrayLostMembers { array, .. } => *array != ours.md.name,
            _ => true,
        });
        sample.warnings.extend(stacks.loss());
        Ok(())
    }

    /// Reads back what a load wrote whose blocks carry checksums; on an array in which a member has
    /// failed, when that is whole again, and lets md compare its copies.
    fn verify(
        &mut self,
        cell: &Cell,
        site: &Site,
        sample: &mut Sample,
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        const ATTEMPTED: &str = "failed to read back what was written";
        let job_file = JobFile::verify(&cell.workload, &site.files)
            .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        let Some(job_file) = job_file else {
            return Ok(());
        };
        self.sync(&site.directory)
            .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        let array = match &mut self.ground {
            Ground::Stacks(stacks) if cell.conditions.failure.is_some() => {
                stacks.heal(watch)?;
                stacks.array()
            }
            _ => None,
        };
        self.verify_workspace()?;
        match self.fio.run(&job_file, &site.directory, watch) {
            Ok(output) if array.is_some() => {
                let read = output
                    .report
                    .to_sample(Counted::All, None)
                    .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
                sample.events.push(SampleEvent {
                    at_ns: sample.elapsed_ns,
                    what: Happened::ReadBack {
                        read_bytes: read.read.bytes,
                    },
                });
            }
            Ok(_) => {}
            Err(RunError::JobsFailed { jobs, .. })
                if jobs.iter().any(|job| job.errno == MISMATCH_ERRNO) =>
            {
                sample.warnings.push(Warning::DataDiffers {
                    how: "fio read back other data than it had written".to_owned(),
                });
            }
            Err(error) => return Err(fio_failed(ATTEMPTED, error)),
        }
        // What was never in sync cannot agree.
        let was_synced = cell
            .stack
            .array
            .as_ref()
            .is_some_and(|array| !array.assume_clean);
        if let Some(array) = array.filter(|_| was_synced) {
            let mismatch_bytes = failure::check(&array, watch)?;
            sample.events.push(SampleEvent {
                at_ns: sample.elapsed_ns,
                what: Happened::Checked { mismatch_bytes },
            });
            if mismatch_bytes > Bytes::default() {
                sample.warnings.push(Warning::DataDiffers {
                    how: format!("the members of `{}` do not agree", array.md.name),
                });
            }
        }
        Ok(())
    }

    /// Writes files or parts of a block device once from beginning to end.
    fn lay_out(
        &self,
        directory: &Path,
        items: &[LayoutItem],
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let attempted = match items {
            [item] => format!("failed to write the test file {}", item.file),
            items => format!("failed to write {} test files", items.len()),
        };
        let job_file =
            JobFile::layout(items).map_err(|error| WorldError::failed(&*attempted, error))?;
        self.verify_workspace()?;
        let output = self
            .fio
            .run(&job_file, directory, watch)
            .map_err(|error| fio_failed(&attempted, error))?;
        let sample = output
            .to_sample(&job_file)
            .map_err(|error| WorldError::failed(&*attempted, error))?;
        // fio may end well although a job did not.
        match sample.warnings.iter().find(|warning| warning.invalidates()) {
            Some(warning) => Err(WorldError::failed(&*attempted, warning.message())),
            None => Ok(()),
        }
    }
}

/// Why nothing can be done for a cell that `prepare` was not called for.
const NOT_PREPARED: &str = "the cell was not prepared";

/// Returns how long the steps of a sample's series are: a hundred, not too short for fio.
fn series_step(duration: Nanos) -> Nanos {
    const LEAST: Nanos = Nanos::from_millis(50);
    Nanos::new(duration.as_u64() / 100).max(LEAST)
}

/// Says what fio could not do, and what to do about it.
fn fio_failed(attempted: &str, error: RunError) -> WorldError {
    if matches!(error, RunError::Interrupted) {
        return WorldError::Interrupted;
    }
    let hint = error.hint();
    let failed = WorldError::failed(attempted, error);
    match hint {
        Some(hint) => failed.or_hint(hint),
        None => failed,
    }
}

impl World for Metal {
    fn name(&self) -> &'static str {
        "metal"
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let mut facts = match &self.ground {
            Ground::Existing(existing) => facts(&self.root, Some(existing.target())),
            Ground::Stacks(stacks) => Facts {
                target: Some(stacks.target(&self.root)),
                ..facts(&self.root, None)
            },
        };
        let version = self.fio.version().as_str().to_owned();
        facts.tools.insert("fio".to_owned(), version);
        facts.fio_clock = self.fio.clock().map(|clock| clock.to_string());
        self.facts = facts.clone();
        Ok(facts)
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        let facts = self.facts()?;
        match &mut self.ground {
            Ground::Existing(_) => requirements::check_existing(&self.root, cells, &facts),
            Ground::Stacks(stacks) => {
                stacks.claim(&self.root)?;
                requirements::check_stacks(&self.root, cells, &facts, stacks)
            }
        }
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        if let Ground::Stacks(stacks) = &mut self.ground {
            stacks.claim(&self.root)?;
            // Before anything else is changed for it.
            stacks.verify(&self.root, &cell.stack)?;
        }
        let place = self.place(cell);
        let journal = &mut Stumbling {
            journal,
            entries: &mut self.journal_entries,
        };
        self.conditions
            .set(&self.root, &cell.conditions, &place, journal)?;
        let mut prepared = Prepared::AlreadyThere;
        let missing = match &mut self.ground {
            Ground::Existing(existing) => {
                let missing = existing.missing(cell);
                if !missing.is_empty() {
                    existing.make(&missing, journal)?;
                }
                missing
            }
            Ground::Stacks(stacks) => {
                match stacks.stand(&self.root, cell, journal, watch)? {
                    true => prepared = Prepared::Made,
                    false => stacks.heal(watch)?,
                }
                stacks.trim(&self.root, cell)?;
                stacks.missing(cell, journal)?
            }
        };
        if prepared == Prepared::Made {
            self.facts()?;
        }
        if missing.is_empty() {
            return Ok(prepared);
        }
        let site = self.site(cell);
        let site =
            site.ok_or_else(|| WorldError::failed("failed to write test files", NOT_PREPARED))?;
        self.lay_out(&site.directory, &missing, watch)?;
        match &mut self.ground {
            Ground::Existing(existing) => existing.note_laid_out(&missing),
            Ground::Stacks(stacks) => stacks.note_laid_out(&missing),
        }
        Ok(Prepared::Made)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        const ATTEMPTED: &str = "failed to measure with fio";
        let Some(site) = self.site(cell) else {
            return Err(WorldError::failed(ATTEMPTED, NOT_PREPARED));
        };
        if let Ground::Stacks(stacks) = &self.ground {
            stacks.check_unchanged(&self.root, &cell.stack)?;
        }
        let mut script = self.script(cell)?;
        let step = script.as_ref().map(|_| series_step(request.duration));
        let job_file =
            JobFile::measure_in_steps(&cell.workload, request.clone(), &site.files, step)
                .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        if self.is_dirty {
            self.sync(&site.directory)
                .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        }
        self.is_dirty = writes_buffered(&cell.workload);
        conditions::check_flushes(&self.root, &cell.conditions, &self.facts)?;
        conditions::before_sample(&self.root, &cell.conditions, &self.place(cell))?;
        self.begin_replay(&request, watch)?;
        if let Some(script) = &mut script {
            script.begin(watch)?;
        }
        self.verify_workspace()?;
        let before = Before::read(&self.root, &self.facts);
        let output = match &mut script {
            None => self.fio.run(&job_file, &site.directory, watch),
            Some(script) => {
                let mut watch = Scripted { script, watch };
                self.fio.run(&job_file, &site.directory, &mut watch)
            }
        };
        let output = output.map_err(|error| {
            error_of(script.as_mut()).unwrap_or_else(|| fio_failed(ATTEMPTED, error))
        })?;
        self.settle(&request, watch)?;
        let between = before.until_now(&self.root, &self.facts);
        if let (Ground::Stacks(stacks), Some(_)) = (&self.ground, &request.replay) {
            stacks.end_replay()?;
        }
        let mut sample = output
            .to_sample(&job_file)
            .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        let everything = output
            .report
            .to_sample(Counted::All, None)
            .map_err(|error| WorldError::failed(ATTEMPTED, error))?;
        let asked = Asked {
            read: everything.read.bytes,
            write: everything.write.bytes,
            elapsed: everything.elapsed_ns,
        };
        sample
            .warnings
            .extend(between.warnings(&cell.workload, asked, &self.facts));
        sample.devices = between.devices;
        self.end_script(script, output.started_unix_ns, &mut sample)?;
        self.verify(cell, &site, &mut sample, watch)?;
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        let journal = &mut Stumbling {
            journal,
            entries: &mut self.journal_entries,
        };
        let put_back = self.conditions.put_back(&self.root, journal);
        let removed = match &mut self.ground {
            Ground::Existing(existing) => existing.restore(journal),
            Ground::Stacks(stacks) => stacks.restore(&self.root, journal),
        };
        put_back.and(removed)
    }
}
