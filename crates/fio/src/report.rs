//! fio's report of a run, job by job, before summing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{CpuTime, Latency, VerbatimJob};
use stripewise_units::{Bytes, Nanos};

use crate::clients::Clients;
use crate::number::to_u64;
use crate::version::Version;

/// fio's report of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct FioReport {
    /// The version of fio that wrote it, if stated.
    pub version: Option<Version>,
    /// When it was written, in ns since 1970-01-01 UTC: at the end of the run.
    pub written_unix_ns: Option<u64>,
    /// How long fio had run then, in seconds; `None` if the version does not say.
    pub elapsed_s: Option<u64>,
    /// The jobs, in the file's order, without the sum "All clients" of `--client` runs.
    pub jobs: Vec<Job>,
    /// The hosts that fio asked, in `--client` runs.
    pub(crate) clients: Clients,
    /// fio's disk statistics (`disk_util`) over the whole run, verbatim; only an import has them.
    pub disks: Vec<VerbatimJob>,
    /// Notes from parsing.
    pub notes: Vec<ImportNote>,
    /// fio's own texts of error numbers.
    pub(crate) error_texts: BTreeMap<i64, String>,
    /// A digest of the document.
    pub(crate) digest: u64,
    /// The text around the JSON, such as fio's warnings; control characters are replaced.
    pub messages: String,
}

/// One job, or fio's sum of several with `group_reporting`.
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
    /// The error number it ended with; 0 if none, -1 if the file has an invalid one.
    pub error: i64,
    /// When it started, in ns since 1970-01-01 UTC; `None` before fio 3.36.
    pub started_unix_ns: Option<u64>,
    /// How long it ran, with or without I/O; a sum with `group_reporting`.
    pub run_time_ns: Option<Nanos>,
    /// CPU time in user mode, in percent of the run time of the job.
    pub cpu_user_percent: Option<f64>,
    /// CPU time in the kernel, in percent of the run time of the job.
    pub cpu_system_percent: Option<f64>,
    /// Its reads.
    pub read: JobTransfer,
    /// Its writes.
    pub write: JobTransfer,
    /// Its I/Os in both directions together, if it counted them so (`unified_rw_reporting=mixed`);
    /// then there are no reads and writes.
    pub mixed: Option<Box<JobTransfer>>,
    /// How many trims it did; they are not counted anywhere.
    pub trims: u64,
    /// `fsync` and `fdatasync` calls, which are not part of the write latency.
    pub sync: JobLatency,
    /// All of fio's numbers and texts of it, verbatim, except options and bins; only an import has
    /// them.
    pub stated: VerbatimJob,
}

impl Job {
    /// Returns the CPU time, if the file has it.
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

    /// Returns how long it issued I/O: the longer of both directions, or the run time if it
    /// transferred nothing. The run time is otherwise unused, because fio sums it over a group.
    pub fn elapsed_ns(&self) -> Nanos {
        let mixed = self.mixed.as_ref().map(|mixed| mixed.elapsed_ns);
        let elapsed = self.read.elapsed_ns.max(self.write.elapsed_ns);
        let elapsed = elapsed.max(mixed.unwrap_or_default());
        if elapsed > Nanos::default() {
            return elapsed;
        }
        self.run_time_ns.unwrap_or_default()
    }
}

/// A job's transfers in one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobTransfer {
    /// How many I/Os completed.
    pub ios: u64,
    /// How many bytes they transferred.
    pub bytes: Bytes,
    /// How long the job issued I/O; 0 without I/O in this direction.
    pub elapsed_ns: Nanos,
    /// I/Os that transferred fewer bytes than requested.
    pub short_ios: u64,
    /// I/Os that were dropped.
    pub dropped_ios: u64,
    /// Their latencies.
    pub latency: JobLatency,
}

/// Latencies and the timed interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobLatency {
    /// The timed interval; `None` if nothing was timed.
    pub kind: Option<LatencyKind>,
    /// The latencies; the histogram is empty if the file has none.
    pub latency: Latency,
}

/// The interval that latencies cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LatencyKind {
    /// From fio preparing the I/O to its completion (fio's `lat`).
    Total,
    /// From submission to completion (fio's `clat`): nearly the same for synchronous engines;
    /// excludes the submission time of asynchronous ones.
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

/// The options of a job in fio's JSON: its own, and those of `[global]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Options {
    own: BTreeMap<String, String>,
    /// Shared, so a hostile file cannot multiply them by its number of jobs.
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

    /// Returns the first of `names` that has a value: fio's options have aliases, and one of the job
    /// itself wins over any global one.
    pub fn first_of(&self, names: &[&str]) -> Option<&str> {
        self.named_first_of(names).map(|(_, value)| value)
    }

    /// The same, with its name.
    pub(crate) fn named_first_of<'n>(&self, names: &[&'n str]) -> Option<(&'n str, &str)> {
        let among = |options: &'_ BTreeMap<String, String>| {
            names
                .iter()
                .copied()
                .find(|name| options.contains_key(*name))
        };
        let name = among(&self.own).or_else(|| among(&self.global))?;
        Some((name, self.get(name)?))
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

    /// Returns whether the JSON has no options, as before 2.3.
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
