//! Replays: the I/Os of each job as a list that fio reads (`read_iolog`).
//!
//! The format is that of `read_iolog` in fio's `iolog.c`: a header, lines that add and open the
//! file, one line per I/O, a line that closes the file. It names only the job's own file, whose
//! name we generated. Without times it is version 2.
//!
//! With times it is version 3: each line begins with its time in microseconds. fio keeps the gap from
//! one I/O to the next (`iolog_delay`), and sleeps about 60 µs too long each time. Version 2 has
//! `wait` lines, but fio takes their number as milliseconds since its own start (`read_iolog_get`),
//! not as the microseconds of its manual.
//!
//! A list has no FUA, so a durable write is a `write` and a `datasync` behind it. That is what the
//! block layer makes of it for a device without FUA (`blk_flush_policy` in `block/blk-flush.c`); on
//! one with FUA, the flush is more than the trace had. fio reports it as a sync. An asynchronous
//! engine does not wait for the write before it syncs (`fio_libaio_queue`). With a synchronous one,
//! the gap to the next I/O counts from the `datasync`, so what follows is late by the write's time.
//!
//! Before 3.36 fio looks at completed I/Os only when it has slept (commit b85c01f7 of fio), so the
//! latencies of an asynchronous engine would contain the gaps. There, a job of depth D becomes D
//! threads with one I/O each, which take the I/Os in turn. `io_submit_mode=offload` would do the
//! same, but its start hangs at times: `start_worker` in `workqueue.c` overwrites the flag that a
//! worker runs.

use std::borrow::Cow;
use std::fmt::Write;

use stripewise_study::workload::{Engine, Load, Workload};
use stripewise_study::world::{Replay, ReplayedAction, ReplayedIo};

use crate::job_file_error::JobFileError;
use crate::version::Version;

/// The most threads of a replay with times: each has a list in a file of its own, which stays open.
const THREADS_MAX: usize = 512;

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

/// The sections of a replay in a job file.
pub(crate) struct Sections<'a> {
    /// The load of each section.
    pub(crate) load: Cow<'a, Load>,
    /// The file and the list of each section.
    pub(crate) lists: Vec<(&'a str, IoList)>,
}

/// Returns the sections for the jobs of `workload`, whose files are `files`; `version` is that of fio.
///
/// # Errors
/// [`JobFileError::Replay`] if the number of lists differs from that of jobs, if there are
/// neighbours, if there are too many I/Os, or if fio cannot keep their times.
pub(crate) fn sections<'a>(
    workload: &'a Workload,
    replay: &Replay,
    files: &'a [String],
    version: Option<&Version>,
) -> Result<Sections<'a>, JobFileError> {
    let problem = |problem: String| Err(JobFileError::Replay { problem });
    if replay.jobs.len() != files.len() {
        let (lists, jobs) = (replay.jobs.len(), files.len());
        return problem(format!("has {lists} lists of I/Os for {jobs} jobs"));
    }
    if !workload.neighbours.is_empty() {
        return problem("cannot run with neighbours, which would never end".to_owned());
    }
    if replay.ios() > ReplayedIo::COUNT_MAX {
        let (ios, most) = (replay.ios(), ReplayedIo::COUNT_MAX);
        return problem(format!("has {ios} I/Os, the limit is {most}"));
    }
    let depth = workload.load.depth;
    let is_timed = replay.is_timed();
    let numbers = version.map_or((0, 0), Version::numbers);
    let shown = version.map_or("an unknown fio", Version::as_str);
    if is_timed && numbers < Version::FIRST_WITH_TIMES {
        let (major, minor) = Version::FIRST_WITH_TIMES;
        return problem(format!(
            "has times, which fio keeps from {major}.{minor} on; this is {shown}"
        ));
    }
    let is_split = is_timed && numbers < Version::FIRST_TO_REAP_IN_GAPS;
    let load = match is_split {
        true => Cow::Owned(Load {
            engine: Engine::Psync,
            depth: 1,
            ..workload.load.clone()
        }),
        false => Cow::Borrowed(&workload.load),
    };
    let mut lists = Vec::new();
    for (ios, file) in replay.jobs.iter().zip(files) {
        let threads = match is_split {
            true => taken_in_turn(ios, depth),
            false => vec![ios.clone()],
        };
        for ios in threads {
            let list = IoList {
                variable: format!("STRIPEWISE_IO_LIST_{}", lists.len()),
                text: list_text(file, &ios, load.engine, is_timed),
            };
            lists.push((file.as_str(), list));
        }
    }
    if is_split && lists.len() > THREADS_MAX {
        let threads = lists.len();
        return problem(format!(
            "has times and needs {threads} threads in {shown}, the limit is {THREADS_MAX}"
        ));
    }
    Ok(Sections { load, lists })
}

/// Deals I/Os out to threads. Each gets a read or a write, because fio refuses a list of flushes.
fn taken_in_turn(ios: &[ReplayedIo], depth: u32) -> Vec<Vec<ReplayedIo>> {
    let with_data = ios.iter().filter(|io| !io.flushes()).count();
    let threads = usize::try_from(depth).map_or(with_data, |depth| depth.min(with_data));
    let mut lists = vec![Vec::new(); threads.max(1)];
    let mut next = [0; 2];
    for io in ios {
        let turn: &mut usize = &mut next[usize::from(io.flushes())];
        let threads = lists.len();
        lists[*turn % threads].push(*io);
        *turn += 1;
    }
    lists
}

/// Returns the text of a list for an engine.
fn list_text(file: &str, ios: &[ReplayedIo], engine: Engine, is_timed: bool) -> String {
    let version = if is_timed { 3 } else { 2 };
    // fio takes a time of 0 as none (`delay_since_ttime`).
    let mut clock = Clock {
        shown_us: is_timed.then_some(1),
        engine,
        counts_from_us: 0,
    };
    let begin = clock.shown();
    let mut text = format!("fio version {version} iolog\n{begin}{file} add\n{begin}{file} open\n");
    for io in ios {
        let action = match io.action {
            ReplayedAction::Read => "read",
            ReplayedAction::Write | ReplayedAction::DurableWrite => "write",
            ReplayedAction::Flush => "sync",
        };
        clock.advance(io);
        let (offset, length) = (io.offset_bytes.as_u64(), io.length_bytes.as_u64());
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{file} {action} {offset} {length}", clock.shown());
        if io.writes_durably() {
            let _ = writeln!(text, "{}{file} datasync 0 0", clock.shown());
        }
    }
    let _ = writeln!(text, "{}{file} close", clock.shown());
    text
}

/// The times in a list, in microseconds.
///
/// fio waits for the difference between the times of two lines, counted from the latest I/O that it
/// timed (`last_issue`). With an asynchronous engine that is never a flush (`td_io_queue` in
/// `ioengines.c`), so a line after a flush needs the gap to the I/O before it.
struct Clock {
    /// The time of the latest line; `None` in a list without times.
    shown_us: Option<u64>,
    engine: Engine,
    /// When the I/O began from which fio counts.
    counts_from_us: u64,
}

impl Clock {
    fn advance(&mut self, io: &ReplayedIo) {
        if let (Some(shown), Some(at)) = (&mut self.shown_us, io.at_ns) {
            let at_us = at.as_u64() / 1000;
            *shown += at_us.saturating_sub(self.counts_from_us);
            if self.engine.is_synchronous() || !io.flushes() {
                self.counts_from_us = at_us;
            }
        }
    }

    fn shown(&self) -> String {
        self.shown_us
            .map(|shown| format!("{shown} "))
            .unwrap_or_default()
    }
}
