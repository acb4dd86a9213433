//! What fio says about a run, job by job, before anything is summed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use stripewise_study::sample::{CpuTime, Latency, StatedJob};
use stripewise_study::units::{Bytes, Nanos};

use crate::number::to_u64;
use crate::version::Version;

/// What fio says about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The version that wrote it, where it says so.
    pub version: Option<Version>,
    /// When it was written, in ns since 1970-01-01 UTC: at the end of the run.
    pub written_unix_ns: Option<u64>,
    /// The jobs, in the file's order; of `--client` runs without the sum "All clients".
    pub jobs: Vec<Job>,
    /// What fio said of the disks (`disk_util`) over the whole run, word for word; only an import has it.
    pub disks: Vec<StatedJob>,
    /// What was noticed while reading.
    pub notes: Vec<Note>,
    /// The text around the JSON, such as fio's warnings; control characters are taken out.
    pub messages: String,
}

/// One job, or the sum that fio made of several with `group_reporting`.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The name of its section.
    pub name: String,
    /// The host that ran it, in `--client` runs.
    pub host: Option<String>,
    /// The group it ran in: jobs between two `stonewall`s.
    pub group: Option<u64>,
    /// The options it was run with.
    pub options: Options,
    /// The error number it ended with; 0 if none, -1 if the file gives one that is none.
    pub error: i64,
    /// When it started, in ns since 1970-01-01 UTC; nothing before fio 3.36.
    pub started_unix_ns: Option<u64>,
    /// How long it ran, I/O or not; summed by fio where `group_reporting` is on.
    pub run_time_ns: Option<Nanos>,
    /// CPU time in user mode, in percent of the run time of the job.
    pub cpu_user_percent: Option<f64>,
    /// CPU time in the kernel, in percent of the run time of the job.
    pub cpu_system_percent: Option<f64>,
    /// What it read.
    pub read: JobTransfer,
    /// What it wrote.
    pub write: JobTransfer,
    /// How many trims it did; they are not counted anywhere.
    pub trims: u64,
    /// `fsync` and `fdatasync` calls, which are not part of the write latency.
    pub sync: JobLatency,
    /// Everything that fio said of it, word for word, but options and bins; only an import has it.
    pub stated: StatedJob,
}

impl Job {
    /// Returns the CPU time, where the file gives it.
    pub fn cpu(&self) -> Option<CpuTime> {
        let run_time_ns = self.run_time_ns?;
        let share = |percent: f64| {
            to_u64(percent / 100.0 * run_time_ns.as_secs_f64() * 1e9).map(Nanos::new)
        };
        Some(CpuTime {
            user_ns: share(self.cpu_user_percent?)?,
            system_ns: share(self.cpu_system_percent?)?,
        })
    }

    /// Returns how long it issued I/O: the longer of both directions, or the run time where it moved
    /// nothing. The run time is otherwise not used: fio sums it over a group.
    pub fn elapsed_ns(&self) -> Nanos {
        let elapsed = self.read.elapsed_ns.max(self.write.elapsed_ns);
        if elapsed > Nanos::default() {
            return elapsed;
        }
        self.run_time_ns.unwrap_or_default()
    }
}

/// What a job moved in one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobTransfer {
    /// How many I/Os completed.
    pub ios: u64,
    /// How many bytes they moved.
    pub bytes: Bytes,
    /// How long the job issued I/O; 0 if it moved nothing in this direction.
    pub elapsed_ns: Nanos,
    /// I/Os that moved fewer bytes than asked.
    pub short_ios: u64,
    /// I/Os that were dropped.
    pub dropped_ios: u64,
    /// How long each took.
    pub latency: JobLatency,
}

/// Latencies, and what exactly was timed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobLatency {
    /// From where to where; nothing if nothing was timed.
    pub kind: Option<LatencyKind>,
    /// The latencies; the histogram is empty where the file has none.
    pub latency: Latency,
}

/// From where to where latencies were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LatencyKind {
    /// From fio preparing the I/O to its completion (fio's `lat`).
    Total,
    /// From submission to completion (fio's `clat`): for synchronous engines nearly the same, for
    /// asynchronous ones without the time that submitting took.
    Completion,
}

impl fmt::Display for LatencyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LatencyKind::Total => "total latency",
            LatencyKind::Completion => "completion latency",
        })
    }
}

/// The options of a job as fio wrote them down: its own, and those of `[global]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Options {
    own: BTreeMap<String, String>,
    /// Shared: a hostile file must not multiply them by its jobs.
    global: Arc<BTreeMap<String, String>>,
}

impl Options {
    pub(crate) fn new(
        own: BTreeMap<String, String>,
        global: Arc<BTreeMap<String, String>>,
    ) -> Self {
        Self { own, global }
    }

    /// Returns the value of the option `name`; its own wins over a global one. An option without
    /// value has an empty one.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.own
            .get(name)
            .or_else(|| self.global.get(name))
            .map(String::as_str)
    }

    /// Returns the first of `names` that has a value: fio's options have aliases.
    pub fn first_of(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.get(name))
    }

    /// Returns the options of the job itself, without the global ones, by name.
    pub fn own(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.own.iter();
        own.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the options that all jobs share, by name.
    pub fn global(&self) -> impl Iterator<Item = (&str, &str)> {
        let global = self.global.iter();
        global.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns whether fio wrote down no option at all, as before 2.3.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.global.is_empty()
    }

    /// Returns all options with their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let merged: BTreeMap<&str, &str> = self
            .global
            .iter()
            .chain(&self.own)
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        merged.into_iter()
    }
}

/// Something noticed while reading what fio wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// There are several documents; only the last counts.
    SeveralDocuments {
        /// How many.
        count: usize,
    },
    /// A document began and did not end: fio was killed or is still running.
    CutShort,
    /// Trims were done; they are not counted.
    TrimsIgnored {
        /// By which job.
        job: String,
        /// How many.
        count: u64,
    },
    /// I/Os moved fewer bytes than asked, or were dropped.
    ShortIos {
        /// By which job.
        job: String,
        /// How many.
        count: u64,
    },
    /// The bins do not sum up to the number of I/Os that were timed.
    BinsDisagree {
        /// Of which job.
        job: String,
        /// How many I/Os were timed.
        timed: u64,
        /// How many are in bins.
        in_bins: u64,
    },
    /// The bytes are known to the KiB only: this fio rounded them down.
    BytesInKib,
    /// The file has a rate of I/Os and not their number, which was worked out from it.
    IosFromRate,
    /// fio said more of its jobs than is kept word for word.
    StatedLeftOut {
        /// How many numbers and texts were left out.
        count: usize,
    },
    /// A histogram has a bin that is no latency with a count, and was not read.
    BadBin {
        /// Of which job.
        job: String,
    },
    /// What was timed is not total latency.
    CompletionLatency,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::SeveralDocuments { count } => write!(
                f,
                "the file has {count} documents (`--status-interval`, or several runs); the last complete one counts"
            ),
            Note::CutShort => f.write_str(
                "the file has an unfinished document: fio was killed or is still running",
            ),
            Note::TrimsIgnored { job, count } => {
                write!(f, "job `{job}` did {count} trims, which are not counted")
            }
            Note::ShortIos { job, count } => write!(
                f,
                "{count} I/Os of job `{job}` moved fewer bytes than asked or were dropped"
            ),
            Note::BinsDisagree {
                job,
                timed,
                in_bins,
            } => write!(
                f,
                "job `{job}` timed {timed} I/Os, and its bins hold {in_bins}"
            ),
            Note::BytesInKib => f.write_str(
                "fio before 2.21 counts bytes in KiB and rounds them down, and latencies in whole microseconds",
            ),
            Note::IosFromRate => f.write_str(
                "this fio does not say how many I/Os there were: their number is its rate times its run time",
            ),
            Note::StatedLeftOut { count } => write!(
                f,
                "{count} more numbers that fio gives of its jobs are not kept word for word"
            ),
            Note::BadBin { job } => write!(
                f,
                "a histogram of job `{job}` has a bin that is no latency with a count, and was not read"
            ),
            Note::CompletionLatency => f.write_str(
                "latencies are completion latencies, without submission; set `lat_percentiles=1` for total ones",
            ),
        }
    }
}
