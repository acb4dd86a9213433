//! The files of the traces that a study names.

use std::io;
use std::path::{Path, PathBuf};

use stripewise_format::studies::{is_shipped, shipped_text};
use stripewise_results::RunId;
use stripewise_study::cell::Cell;
use stripewise_study::trace::{Trace, TraceProblem, TraceQuery, TraceSource};
use stripewise_trace::replay::{problem, read};
use stripewise_units::visible::visible;

use crate::failure::{Failure, Result};
use crate::input_file::unreadable_kind;
use crate::inputs;

/// The traces of a study: files below a directory.
#[derive(Debug)]
pub(crate) struct TraceFiles {
    directory: PathBuf,
    /// The traces that were read, as several workloads may replay the same.
    known: Vec<Trace>,
}

impl TraceFiles {
    /// Returns the traces beside the study file `path`; `-` is in the working directory.
    pub(crate) fn beside(path: &Path) -> Self {
        Self::in_directory(path.parent().unwrap_or(Path::new("")))
    }

    /// Returns the traces below `directory`.
    pub(crate) fn in_directory(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            known: Vec::new(),
        }
    }

    /// Returns whether a trace was read.
    pub(crate) fn is_used(&self) -> bool {
        !self.known.is_empty()
    }

    /// Returns the whole path of the directory.
    pub(crate) fn directory(&self) -> io::Result<PathBuf> {
        if is_shipped(&self.directory) {
            return Ok(self.directory.clone());
        }
        match self.directory.as_os_str().is_empty() {
            true => std::env::current_dir(),
            false => std::path::absolute(&self.directory),
        }
    }
}

/// Refuses to add samples to a run if a trace has changed since its other samples were taken.
pub(crate) fn refuse_changed(began_with: &[Cell], now: &[Cell], run: RunId) -> Result<()> {
    for (then, now) in began_with.iter().zip(now) {
        let (Some(then), Some(now)) = (&then.workload.trace, &now.workload.trace) else {
            continue;
        };
        if then.query == now.query && then.sha256 != now.sha256 {
            let message = format!(
                "trace `{}` has changed since run {run} began: it had {} I/Os, and now has {}{}",
                visible(&then.query.file),
                then.count(),
                now.count(),
                match then.count() == now.count() {
                    true => " other ones",
                    false => "",
                },
            );
            let hint = "start a new run: new samples would belong to another load";
            return Err(Failure::new(message).hint(hint));
        }
    }
    Ok(())
}

impl TraceSource for TraceFiles {
    fn read(&mut self, query: &TraceQuery) -> std::result::Result<Trace, TraceProblem> {
        if let Some(known) = self.known.iter().find(|known| known.query == *query) {
            return Ok(known.clone());
        }
        let path = self.directory.join(&query.file);
        let unreadable = |why: String| {
            let message = format!("failed to read trace `{}`: {why}", path.display());
            problem(
                message,
                "this file",
                "the path is relative to the study file",
            )
        };
        if let Some(text) = shipped_text(&path) {
            let trace = read(text.as_bytes(), query)?;
            self.known.push(trace.clone());
            return Ok(trace);
        }
        match unreadable_kind(&path) {
            Ok(None) => {}
            Ok(Some(kind)) => return Err(unreadable(kind.to_owned())),
            Err(error) => return Err(unreadable(error.to_string())),
        }
        let file = inputs::open(&path).map_err(|error| unreadable(error.to_string()))?;
        let trace = read(file, query)?;
        self.known.push(trace.clone());
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let iolog =
            "fio version 3 iolog\n1 f add\n1 f open\n2 f read 0 4096\n3 f write 4096 4096\n";
        let directory = tempfile::tempdir().unwrap();
        let mut files = TraceFiles::in_directory(directory.path());
        let missing = files.read(&TraceQuery::of("f.iolog")).unwrap_err();
        assert!(missing.message.contains("f.iolog"), "{}", missing.message);
        let itself = files.read(&TraceQuery::of(".")).unwrap_err();
        assert!(
            itself.message.contains("it is a directory"),
            "{}",
            itself.message
        );
        std::fs::write(directory.path().join("f.iolog"), iolog).unwrap();
        assert_eq!(files.read(&TraceQuery::of("f.iolog")).unwrap().count(), 2);
        assert!(files.is_used());
    }
}
