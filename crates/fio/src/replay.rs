//! Replays: the I/Os of each job as a list that fio reads (`read_iolog`, version 2, without times).
//!
//! The format is that of `read_iolog2` in fio's `iolog.c`: a header, lines that add and open the
//! file, one line per I/O, a line that closes the file. It names only the job's own file, whose
//! name we generated.

use std::fmt::Write;

use stripewise_study::workload::Workload;
use stripewise_study::world::{Replay, ReplayedIo};

use crate::job_file_error::JobFileError;

/// The most I/Os of a replay: fio keeps them all in memory, about 100 bytes each.
const IOS_MAX: u64 = 1 << 20;

/// A list of I/Os, passed to fio as an in-memory file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IoList {
    /// The variable in fio's environment that holds the path of the file.
    pub(crate) variable: String,
    pub(crate) text: String,
}

impl IoList {
    /// Returns the reference to the path for the job file. fio expands the variable
    /// (`fio_option_dup_subs` in its `options.c`).
    pub(crate) fn reference(&self) -> String {
        format!("${{{}}}", self.variable)
    }
}

/// Returns one list for each job of `workload`; `files` are the jobs' files.
///
/// # Errors
/// [`JobFileError::Replay`] if the number of lists differs from that of jobs, if there are
/// neighbours, or if there are too many I/Os.
pub(crate) fn io_lists(
    workload: &Workload,
    replay: &Replay,
    files: &[String],
) -> Result<Vec<IoList>, JobFileError> {
    let problem = |problem: String| Err(JobFileError::Replay { problem });
    if replay.jobs.len() != files.len() {
        let (lists, jobs) = (replay.jobs.len(), files.len());
        return problem(format!("has {lists} lists of I/Os for {jobs} jobs"));
    }
    if !workload.neighbours.is_empty() {
        return problem("cannot run with neighbours, which would never end".to_owned());
    }
    if replay.ios() > IOS_MAX {
        let ios = replay.ios();
        return problem(format!("has {ios} I/Os, the limit is {IOS_MAX}"));
    }
    let jobs = replay.jobs.iter().zip(files).enumerate();
    let lists = jobs.map(|(job, (ios, file))| IoList {
        variable: format!("STRIPEWISE_IO_LIST_{job}"),
        text: list_text(file, ios),
    });
    Ok(lists.collect())
}

fn list_text(file: &str, ios: &[ReplayedIo]) -> String {
    let mut text = format!("fio version 2 iolog\n{file} add\n{file} open\n");
    for io in ios {
        let action = if io.write { "write" } else { "read" };
        let (offset, length) = (io.offset_bytes.as_u64(), io.length_bytes.as_u64());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{file} {action} {offset} {length}");
    }
    let _ = writeln!(text, "{file} close");
    text
}
