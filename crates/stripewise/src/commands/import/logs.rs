//! fio's logs among the files to import, recognised by their names.
//!
//! They are read with the document whose jobs wrote them, one document at a time: the logs of a few
//! thousand runs do not fit into memory together.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stripewise_fio::logs::LOG_BYTES_MAX;
use stripewise_fio::{LogFile, LogName};

use super::not_imported;
use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::inputs;

/// The files to import: JSON files and logs.
#[derive(Default)]
pub(super) struct Logs {
    /// The files that are not logs, in order.
    pub(super) documents: Vec<PathBuf>,
    /// Logs that no job has used yet, by directory.
    logs: BTreeMap<PathBuf, Vec<NamedLog>>,
    /// What could not be read.
    failures: Rc<RefCell<Vec<Failure>>>,
}

/// A log that has not been read.
pub(super) struct NamedLog {
    path: PathBuf,
    name: LogName,
    failures: Rc<RefCell<Vec<Failure>>>,
}

impl LogFile for NamedLog {
    fn name(&self) -> &LogName {
        &self.name
    }

    fn read(self) -> Option<Vec<u8>> {
        let failed = |failure| self.failures.borrow_mut().push(failure);
        read(&self.path).map_err(failed).ok()
    }
}

impl Logs {
    /// Finds the logs among `files`.
    pub(super) fn of(files: &[PathBuf]) -> Self {
        let mut logs = Self::default();
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(name) = name.and_then(LogName::parse) else {
                logs.documents.push(path.clone());
                continue;
            };
            let log = NamedLog {
                path: path.clone(),
                name,
                failures: Rc::clone(&logs.failures),
            };
            logs.logs.entry(directory(path)).or_default().push(log);
        }
        logs
    }

    /// Takes the logs that may belong to a document: those of its directory, or all if it is the
    /// only document.
    pub(super) fn beside(&mut self, document: &Path) -> Vec<NamedLog> {
        if self.documents.len() == 1 {
            return std::mem::take(&mut self.logs)
                .into_values()
                .flatten()
                .collect();
        }
        self.logs.remove(&directory(document)).unwrap_or_default()
    }

    /// Puts back the logs that a document did not use.
    pub(super) fn put_back(&mut self, left: Vec<NamedLog>) {
        for log in left {
            self.logs.entry(directory(&log.path)).or_default().push(log);
        }
    }

    /// Returns an error for each log that could not be read since the last call.
    pub(super) fn failures(&self) -> Vec<Failure> {
        self.failures.take()
    }

    /// Returns an error for each log that no document used.
    pub(super) fn unmatched(&self) -> Vec<Failure> {
        let failure = |log: &NamedLog| {
            // A log that cannot be read is reported as such, and not as one without a job.
            let reason = read_at_most(&log.path, 0).err().unwrap_or_else(|| {
                Failure::new("no job in the JSON files of this directory wrote this log")
                    .hint("name the JSON file of the same run, in the same directory; options such as `write_bw_log` set the names of fio's logs")
            });
            not_imported(&log.path, reason)
        };
        self.logs.values().flatten().map(failure).collect()
    }
}

fn directory(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let limit = u64::try_from(LOG_BYTES_MAX).unwrap_or(u64::MAX);
    let log = read_bytes(path, limit).and_then(|bytes| match bytes.len() > LOG_BYTES_MAX {
        true => Err(Failure::new(format!(
            "it has more than {LOG_BYTES_MAX} bytes"
        ))),
        false => Ok(bytes),
    });
    log.map_err(|failure| not_imported(path, failure))
}

/// Reads a file to import: at most one byte more than `bytes_max`.
pub(super) fn read_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    read_at_most(path, bytes_max.saturating_add(1))
}

fn read_at_most(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    // Opening a named pipe would block until a writer opens it.
    if let Ok(Some(kind)) = unreadable_kind(path) {
        return Err(Failure::new(kind).hint("copy the results to a file, and name that"));
    }
    let mut bytes = Vec::new();
    inputs::open(path)?
        .take(bytes_max)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn a_named_pipe_is_refused_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("results.json");
        mkfifoat(CWD, &pipe, Mode::RUSR).unwrap();
        let refused = read_bytes(&pipe, 1).unwrap_err();
        assert_eq!(refused.message(), "it is a named pipe");
    }
}
