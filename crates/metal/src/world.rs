//! The metal world.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stripewise_fio::{Counted, FindError, Fio, JobFile, LayoutItem, RunError};
use stripewise_machine::{Root, TargetProblem, facts, target_problem};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Journal, Prepared, SampleRequest, Watch, World, WorldError};

use crate::conditions::{self, Place, Setter};
use crate::files::{job_files, layout_items};
use crate::reality::{Asked, Before, writes_buffered};
use crate::requirements;
use crate::workspace::Workspace;

/// fio on the files of this machine.
#[derive(Debug)]
pub struct Metal {
    root: Root,
    fio: Fio,
    target: PathBuf,
    /// Read when the cells are checked; what is slow to change is not read for every sample.
    facts: Facts,
    workspace: Option<Workspace>,
    /// The names of the files that are laid out.
    made: BTreeSet<String>,
    conditions: Setter,
    /// Whether dirty pages of an earlier sample may still be written back.
    is_dirty: bool,
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
        let fio = Fio::find()?.with_fixed_clock();
        let target = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
        Ok(Self {
            root,
            fio,
            target,
            facts: Facts::default(),
            workspace: None,
            made: BTreeSet::new(),
            conditions: Setter::default(),
            is_dirty: false,
        })
    }

    /// Writes files of the workspace once from beginning to end.
    fn lay_out(
        &self,
        workspace: &Path,
        items: &[LayoutItem],
        watch: &mut dyn Watch,
    ) -> Result<(), WorldError> {
        let attempted = match items {
            [item] => format!("failed to write the test file {}", item.file),
            items => format!("failed to write {} test files", items.len()),
        };
        let job_file = JobFile::layout(items).map_err(|error| failed(&attempted, error))?;
        let output = self
            .fio
            .run(&job_file, workspace, watch)
            .map_err(|error| fio_failed(&attempted, error))?;
        let sample = output
            .to_sample(&job_file)
            .map_err(|error| failed(&attempted, error))?;
        // fio may end well although a job did not.
        match sample.warnings.iter().find(|warning| warning.invalidates()) {
            Some(warning) => Err(failed(&attempted, warning.message())),
            None => Ok(()),
        }
    }
}

/// Writes back what earlier samples left in the page cache, so that it is not taken for the next one's.
fn sync(directory: &Path) -> std::io::Result<()> {
    let directory = std::fs::File::open(directory)?;
    rustix::fs::syncfs(&directory).map_err(Into::into)
}

/// Says what could not be done, and why.
fn failed(
    attempted: &str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> WorldError {
    WorldError::Failed {
        attempted: attempted.to_owned(),
        hint: None,
        source: Some(source.into()),
    }
}

/// Says what fio could not do, and what to do about it.
fn fio_failed(attempted: &str, error: RunError) -> WorldError {
    if matches!(error, RunError::Interrupted) {
        return WorldError::Interrupted;
    }
    let mut hint = "finished samples are kept: `stripewise resume` goes on from there".to_owned();
    if let Some(why) = error.hint() {
        hint = format!("{why}; {hint}");
    }
    WorldError::Failed {
        attempted: attempted.to_owned(),
        hint: Some(hint),
        source: Some(error.into()),
    }
}

impl World for Metal {
    fn name(&self) -> &'static str {
        "metal"
    }

    fn facts(&mut self) -> Result<Facts, WorldError> {
        let mut facts = facts(&self.root, Some(&self.target));
        let version = self.fio.version().as_str().to_owned();
        facts.tools.insert("fio".to_owned(), version);
        facts.fio_clock = self.fio.clock().map(|clock| clock.to_string());
        self.facts = facts.clone();
        Ok(facts)
    }

    fn check(&mut self, cells: &[Cell]) -> Result<Vec<Warning>, WorldError> {
        let facts = self.facts()?;
        requirements::check(&self.root, cells, &facts)
    }

    fn prepare(
        &mut self,
        cell: &Cell,
        journal: &mut dyn Journal,
        watch: &mut dyn Watch,
    ) -> Result<Prepared, WorldError> {
        let place = Place::existing(&self.facts);
        self.conditions
            .set(&self.root, &cell.conditions, &place, journal)?;
        let missing: Vec<LayoutItem> = layout_items(cell)
            .into_iter()
            .filter(|item| !self.made.contains(&item.file))
            .collect();
        if missing.is_empty() {
            return Ok(Prepared::AlreadyThere);
        }
        let workspace = match &self.workspace {
            Some(workspace) => workspace,
            None => self
                .workspace
                .insert(Workspace::create(&self.target, journal)?),
        };
        let path = workspace.path().to_owned();
        self.lay_out(&path, &missing, watch)?;
        self.made.extend(missing.into_iter().map(|item| item.file));
        Ok(Prepared::Made)
    }

    fn measure(
        &mut self,
        cell: &Cell,
        request: SampleRequest,
        watch: &mut dyn Watch,
    ) -> Result<Sample, WorldError> {
        const ATTEMPTED: &str = "failed to measure with fio";
        let Some(workspace) = &self.workspace else {
            return Err(failed(ATTEMPTED, "the cell was not prepared"));
        };
        let job_file = JobFile::measure(&cell.workload, request, &job_files(cell))
            .map_err(|error| failed(ATTEMPTED, error))?;
        if self.is_dirty {
            sync(workspace.path()).map_err(|error| failed(ATTEMPTED, error))?;
        }
        self.is_dirty = writes_buffered(&cell.workload);
        let place = Place::existing(&self.facts);
        conditions::before_sample(&self.root, &cell.conditions, &place)?;
        let before = Before::read(&self.root, &self.facts);
        let output = self
            .fio
            .run(&job_file, workspace.path(), watch)
            .map_err(|error| fio_failed(ATTEMPTED, error))?;
        let between = before.until_now(&self.root, &self.facts);
        let mut sample = output
            .to_sample(&job_file)
            .map_err(|error| failed(ATTEMPTED, error))?;
        let everything = output
            .report
            .to_sample(Counted::All, None)
            .map_err(|error| failed(ATTEMPTED, error))?;
        let asked = Asked {
            read: everything.read.bytes,
            write: everything.write.bytes,
            elapsed: everything.elapsed_ns,
        };
        sample
            .warnings
            .extend(between.warnings(&cell.workload, asked, &self.facts));
        sample.devices = between.devices;
        Ok(sample)
    }

    fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.made.clear();
        let put_back = self.conditions.put_back(&self.root, journal);
        let removed = match self.workspace.take() {
            Some(workspace) => workspace.remove(journal).inspect_err(|_| {
                self.workspace = Some(workspace);
            }),
            None => Ok(()),
        };
        put_back.and(removed)
    }
}
