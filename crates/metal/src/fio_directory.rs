//! The directory and the names in it that fio uses for a cell.

use std::path::PathBuf;

use stripewise_fio::JobFiles;

/// A directory, and the names that the jobs use in it: files, or links to a block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FioDirectory {
    pub(crate) path: PathBuf,
    pub(crate) files: JobFiles,
}
