//! fio's logs among the files to import, recognised by their names.

use std::io::Read;
use std::path::{Path, PathBuf};

use stripewise_fio::logs::LOG_BYTES_MAX;
use stripewise_fio::{Log, LogName};

use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::inputs;

/// The files to import: JSON files and logs.
#[derive(Default)]
pub(super) struct Logs {
    /// The files that are not logs, in order.
    pub(super) documents: Vec<PathBuf>,
    /// Logs that no job has used yet.
    logs: Vec<(PathBuf, Log)>,
}

impl Logs {
    /// Reads the logs among `files`; also returns an error for each unreadable one.
    pub(super) fn of(files: &[PathBuf]) -> (Self, Vec<Failure>) {
        let mut logs = Self::default();
        let mut failures = Vec::new();
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str());
            match name.and_then(LogName::parse) {
                None => logs.documents.push(path.clone()),
                Some(name) => match read(path, name) {
                    Ok(log) => logs.logs.push((path.clone(), log)),
                    Err(failure) => failures.push(failure),
                },
            }
        }
        (logs, failures)
    }

    /// Takes the logs that may belong to a document: those of its directory, or all if it is the
    /// only document. Returns their paths in the same order.
    pub(super) fn beside(&mut self, document: &Path) -> (Vec<Log>, Vec<(PathBuf, LogName)>) {
        let is_alone = self.documents.len() == 1;
        let is_beside = |log: &mut (PathBuf, Log)| is_alone || log.0.parent() == document.parent();
        let beside: Vec<(PathBuf, Log)> = self.logs.extract_if(.., is_beside).collect();
        let paths = beside
            .iter()
            .map(|(path, log)| (path.clone(), log.name.clone()))
            .collect();
        (beside.into_iter().map(|(_, log)| log).collect(), paths)
    }

    /// Puts back the logs that the document did not use.
    pub(super) fn put_back(&mut self, left: Vec<Log>, paths: Vec<(PathBuf, LogName)>) {
        let mut paths = paths;
        for log in left {
            if let Some(place) = paths.iter().position(|(_, name)| *name == log.name) {
                self.logs.push((paths.swap_remove(place).0, log));
            }
        }
    }

    /// Returns an error for each log that no document used.
    pub(super) fn unmatched(&self) -> Vec<Failure> {
        let failure = |(path, _): &(PathBuf, Log)| {
            Failure::new("no job in the JSON files of this directory wrote this log")
                .context(format!("failed to import `{}`", path.display()))
                .hint("name the JSON file of the same run, in the same directory; options such as `write_bw_log` set the names of fio's logs")
        };
        self.logs.iter().map(failure).collect()
    }
}

fn read(path: &Path, name: LogName) -> Result<Log> {
    let limit = u64::try_from(LOG_BYTES_MAX).unwrap_or(u64::MAX);
    let log = read_bytes(path, limit).and_then(|bytes| match bytes.len() > LOG_BYTES_MAX {
        true => Err(Failure::new(format!(
            "it has more than {LOG_BYTES_MAX} bytes"
        ))),
        false => Ok(Log { name, bytes }),
    });
    log.map_err(|failure| failure.context(format!("failed to import `{}`", path.display())))
}

/// Reads a file to import: at most one byte more than `bytes_max`.
pub(super) fn read_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    // Opening a named pipe would block until a writer opens it.
    if let Ok(Some(kind)) = unreadable_kind(path) {
        return Err(Failure::new(kind).hint("copy the results to a file, and name that"));
    }
    let mut bytes = Vec::new();
    inputs::open(path)?
        .take(bytes_max.saturating_add(1))
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
