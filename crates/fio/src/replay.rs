//! Replays: the I/Os of each job as a list that fio reads (`read_iolog`, version 2, without times).
//!
//! The format is that of `read_iolog2` in fio's `iolog.c`: a head, the file added and opened, one
//! line an I/O, the file closed. The files it names are the job's own, so the names are ours.

use std::fmt::Write;

use stripewise_study::workload::Workload;
use stripewise_study::world::{Replay, ReplayedIo};

use crate::job_file_error::JobFileError;

/// The most I/Os of a replay: fio keeps them all in memory, about 100 bytes each.
const IOS_MAX: u64 = 1 << 20;

/// A list of I/Os, which is a file in memory while fio runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IoList {
    /// The variable in fio's environment that holds the path of the file.
    pub(crate) variable: String,
    pub(crate) text: String,
}

impl IoList {
    /// Returns what the job file says for the path. fio puts in the value of the variable
    /// (`fio_option_dup_subs` in its `options.c`).
    pub(crate) fn reference(&self) -> String {
        format!("${{{}}}", self.variable)
    }
}

/// Returns the list of each job of `workload`, whose files are `files`.
///
/// # Errors
/// [`JobFileError::Replay`] if there are more or fewer lists than jobs, neighbours, or too many I/Os.
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
        return problem("has neighbours beside it, which would never end".to_owned());
    }
    if replay.ios() > IOS_MAX {
        let ios = replay.ios();
        return problem(format!("has {ios} I/Os, and {IOS_MAX} are possible"));
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
