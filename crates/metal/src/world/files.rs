//! Test files in our own directory below the target, on the existing filesystem.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use stripewise_fio::LayoutItem;
use stripewise_machine::{Root, facts, target_problem};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Journal, Prepared, SampleRequest, Watch, World, WorldError, WorldName,
};

use super::instruments::{Instruments, read_back_job};
use super::problem::{
    FAIL_MEMBER, MEASURE, NOT_PREPARED, OpenError, READ_BACK, WRITE_FILES, fio_failed,
};
use crate::conditions::MeasuredDisks;
use crate::crash_point::CrashPoint;
use crate::files::{job_files, layout_items};
use crate::fio_directory::FioDirectory;
use crate::requirements;
use crate::workspace::{NewFile, Workspace};

/// Runs fio on files of the filesystem mounted at a directory.
#[derive(Debug)]
pub struct FilesWorld {
    instruments: Instruments,
    target: PathBuf,
    workspace: Option<Box<Workspace>>,
    /// The names of the files that are laid out.
    laid_out: BTreeSet<String>,
}

impl FilesWorld {
    /// Checks the directory `target` and finds fio; changes nothing.
    ///
    /// # Errors
    /// [`OpenError`]: the target is unsuitable, or fio is missing or too old.
    pub fn open(target: &Path) -> Result<Self, OpenError> {
        if let Some(problem) = target_problem(&Root::live(), target) {
            return Err(OpenError::Target(problem));
        }
        Ok(Self {
            instruments: Instruments::find()?,
            target: std::path::absolute(target).unwrap_or_else(|_| target.to_owned()),
            workspace: None,
            laid_out: BTreeSet::new(),
        })
    }

    /// Returns the same world for a guest, whose time may be virtual.
    #[must_use]
    pub fn in_guest(self, is_virtual_time: bool) -> Self {
        Self {
            instruments: self.instruments.in_guest(is_virtual_time),
            ..self
        }
    }

    /// Returns the files that a cell needs and that are not laid out yet.
    fn missing(&self, cell: &Cell) -> Vec<LayoutItem> {
        let items = layout_items(&cell.workload, &job_files(cell)).into_iter();
        items
            .filter(|item| !self.laid_out.contains(&item.file))
            // We create the files ourselves, so that we know the identity of each from the start.
            .map(|item| LayoutItem {
                exists: true,
                ..item
            })
            .collect()
    }

    /// Returns the workspace and the directory that fio uses for a cell.
    fn fio_directory(
        &self,
        cell: &Cell,
        attempted: &str,
    ) -> Result<(&Workspace, FioDirectory), WorldError> {
        let workspace = self.workspace.as_deref();
        let workspace = workspace.ok_or_else(|| WorldError::failed(attempted, NOT_PREPARED))?;
        let fio_directory = FioDirectory {
            path: workspace.held_path(),
            files: job_files(cell),
        };
        Ok((workspace, fio_directory))
    }
}

fn sync(fio_directory: &FioDirectory) -> std::io::Result<()> {
    let directory = File::open(&fio_directory.path)?;
    rustix::fs::syncfs(&directory).map_err(Into::into)
}

impl World for FilesWorld {
    fn name(&self) -> WorldName {
        WorldName::Metal
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let facts = facts(&self.instruments.root, Some(&self.target));
        Ok(self.instruments.note(facts))
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        let facts = self.facts()?;
        requirements::check_existing(&self.instruments.root, cells, &facts)
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        let missing = self.missing(cell);
        let Instruments {
            root,
            facts,
            conditions,
            journal_entries: entries,
            ..
        } = &mut self.instruments;
        let journal = &mut CrashPoint { journal, entries };
        conditions.set(
            root,
            &cell.conditions,
            &MeasuredDisks::existing(facts),
            journal,
        )?;
        if missing.is_empty() {
            return Ok(Prepared::AlreadyThere);
        }
        let workspace = match &mut self.workspace {
            Some(workspace) => workspace,
            none => none.insert(Box::new(Workspace::create(&self.target, journal)?)),
        };
        let files: Vec<NewFile> = missing.iter().map(NewFile::of).collect();
        workspace.make(&files, journal)?;
        let (workspace, fio_directory) = self.fio_directory(cell, WRITE_FILES)?;
        self.instruments
            .lay_out(&fio_directory, Some(workspace), &missing, watch)?;
        self.laid_out
            .extend(missing.into_iter().map(|item| item.file));
        Ok(Prepared::Made)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        let (_, fio_directory) = self.fio_directory(cell, MEASURE)?;
        let replay = request.replay.as_ref();
        if cell.conditions.failure.is_some()
            || replay.is_some_and(|replay| !replay.failed.is_empty())
        {
            let why = "an existing filesystem has no array of the run whose member could fail";
            return Err(WorldError::failed(FAIL_MEMBER, why));
        }
        let job_file = self
            .instruments
            .job_file(&cell.workload, request, &fio_directory.files, None)
            .map_err(|error| WorldError::failed(MEASURE, error))?
            .on_cpus(self.instruments.load_cpus(cell)?.as_ref());
        let place = MeasuredDisks::existing(&self.instruments.facts);
        self.instruments
            .before_sample(cell, &place, || sync(&fio_directory))?;
        let (workspace, fio_directory) = self.fio_directory(cell, MEASURE)?;
        workspace.verify()?;
        let instruments = &self.instruments;
        let beside = instruments.beside(cell)?;
        if !watch.begin_load() {
            return Err(WorldError::Interrupted);
        }
        let before = instruments.before();
        let loaded = instruments.run_load(&beside, &job_file, &fio_directory, watch);
        let loaded = loaded.map_err(|error| fio_failed(MEASURE, error))?;
        let between = instruments.since(&before);
        let mut sample = instruments.sample(cell, &job_file, &loaded, between)?;
        if let Some(job_file) = read_back_job(cell, &fio_directory)? {
            sync(&fio_directory).map_err(|error| WorldError::failed(READ_BACK, error))?;
            workspace.verify()?;
            instruments.read_back(&job_file, &fio_directory, &mut sample, watch)?;
        }
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.laid_out.clear();
        let remove = |_: &Root, journal: &mut dyn Journal| match self.workspace.take() {
            Some(workspace) => workspace.remove(journal).inspect_err(|_| {
                self.workspace = Some(workspace);
            }),
            None => Ok(()),
        };
        self.instruments.restore(journal, remove)
    }
}
