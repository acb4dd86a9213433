//! Cells on the filesystem that is there: test files in a directory of our own below the target.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use stripewise_fio::LayoutItem;
use stripewise_study::cell::Cell;
use stripewise_study::world::{Journal, WorldError};

use crate::files::{job_files, layout_items};
use crate::site::Site;
use crate::workspace::{NewFile, Workspace};

/// The filesystem that is mounted at a directory.
#[derive(Debug)]
pub(crate) struct Existing {
    target: PathBuf,
    workspace: Option<Box<Workspace>>,
    /// The names of the files that are laid out.
    laid_out: BTreeSet<String>,
}

impl Existing {
    pub(crate) fn new(target: PathBuf) -> Self {
        Self {
            target,
            workspace: None,
            laid_out: BTreeSet::new(),
        }
    }

    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the files that a cell needs and that are not laid out yet.
    pub(crate) fn missing(&self, cell: &Cell) -> Vec<LayoutItem> {
        let items = layout_items(&cell.workload, &job_files(cell)).into_iter();
        items
            .filter(|item| !self.laid_out.contains(&item.file))
            // We make the files, so that we know each from the beginning.
            .map(|item| LayoutItem {
                exists: true,
                ..item
            })
            .collect()
    }

    /// Makes the directory if it is not there, and the files in which fio lays out `items`.
    pub(crate) fn make(
        &mut self,
        items: &[LayoutItem],
        journal: &mut dyn Journal,
    ) -> Result<(), WorldError> {
        let workspace = match &mut self.workspace {
            Some(workspace) => workspace,
            None => self
                .workspace
                .insert(Box::new(Workspace::create(&self.target, journal)?)),
        };
        let files: Vec<NewFile> = items.iter().map(NewFile::of).collect();
        workspace.make(&files, journal)
    }

    /// Returns the directory in which fio works, once it is made.
    pub(crate) fn workspace(&self) -> Option<&Workspace> {
        self.workspace.as_deref()
    }

    pub(crate) fn note_laid_out(&mut self, items: &[LayoutItem]) {
        let files = items.iter().map(|item| item.file.clone());
        self.laid_out.extend(files);
    }

    /// Returns where fio works for a cell; nothing if the directory is not there.
    pub(crate) fn site(&self, cell: &Cell) -> Option<Site> {
        Some(Site {
            directory: self.workspace.as_ref()?.held_path(),
            files: job_files(cell),
        })
    }

    /// Removes the directory.
    pub(crate) fn restore(&mut self, journal: &mut dyn Journal) -> Result<(), WorldError> {
        self.laid_out.clear();
        match self.workspace.take() {
            Some(workspace) => workspace.remove(journal).inspect_err(|_| {
                self.workspace = Some(workspace);
            }),
            None => Ok(()),
        }
    }
}
