//! Which measurements of fio are repeats of one another.
//!
//! All that fio reports counts: the host, the files or devices, and every option. A [`Load`] holds
//! the options that it can express; the others are kept as they are, less the few of
//! [`NOT_MEASURED`], which cannot change a measurement. A missed repeat is visible; a mean of
//! different measurements is not.
//!
//! [`Load`]: stripewise_study::workload::Load

use std::collections::{BTreeMap, BTreeSet};

use stripewise_study::sample::VerbatimJob;

use crate::clients::host_of_disk;
use crate::report::Job;
use crate::verbatim::text_of;

/// The place of a measurement whose options name none: fio's files are in its own directory.
const NO_PLACE: &str = "imported";

/// The name of our own entry among the options: the jobs that ran at the same time.
const BESIDE: &str = "beside";

/// The name of our own entry for the disks of jobs with several files: fio reports them together.
const DISKS: &str = "disks";

/// The most jobs at the same time that are named.
const BESIDE_MAX: usize = 16;

/// Options that cannot change what is measured, each with the reason. Flags are here, too, that
/// fio before 3.4x does not report.
const NOT_MEASURED: [&str; 25] = [
    // Names of the job, which the cell has.
    "name",
    "description",
    // The seed of the random offsets: repeats should have different ones.
    "randseed",
    // Names and contents of logs. Logs that fio compresses as it goes take CPU, and stay.
    "write_bw_log",
    "write_iops_log",
    "write_lat_log",
    "write_hist_log",
    "per_job_logs",
    "log_avg_msec",
    "log_hist_msec",
    "log_hist_coarseness",
    "log_window_value",
    "log_max_value",
    "log_offset",
    "log_prio",
    "log_issue_time",
    "log_unix_epoch",
    "log_alternate_epoch",
    "log_alternate_epoch_clock_id",
    "job_start_clock_id",
    // The form of the report.
    "percentile_list",
    "significant_figures",
    // It begins the next group of jobs, and groups tell which jobs ran at the same time.
    "stonewall",
    // Whether fio sums jobs itself; we sum them otherwise.
    "group_reporting",
    "disk_util",
];

/// Options that name files or devices, and make the place.
const PLACES: [&str; 2] = ["directory", "filename"];

/// The groups, disks and paths by which the jobs of a run differ.
pub(crate) struct Identities<'a> {
    /// The names of the jobs of each group. Jobs of one group run at the same time; a `stonewall`
    /// begins the next group.
    groups: BTreeMap<Option<u64>, BTreeSet<&'a str>>,
    /// The disks of each host.
    disks: BTreeMap<Option<String>, BTreeSet<&'a str>>,
    /// The files or devices of each host's jobs.
    paths: BTreeMap<Option<&'a str>, BTreeSet<Option<String>>>,
}

impl<'a> Identities<'a> {
    pub(crate) fn of(jobs: &'a [Job], disks: &'a [VerbatimJob]) -> Self {
        let mut all = Self {
            groups: BTreeMap::new(),
            disks: BTreeMap::new(),
            paths: BTreeMap::new(),
        };
        for job in jobs {
            all.groups.entry(job.group).or_default().insert(&job.name);
            let paths = all.paths.entry(job.host.as_deref()).or_default();
            paths.insert(path(job));
        }
        for disk in disks {
            let names = all.disks.entry(host_of_disk(disk)).or_default();
            names.extend(text_of(disk, "name"));
        }
        all
    }

    /// Returns where a job measured: its host, its files or devices, and the disks below files if
    /// all jobs used the same files.
    pub(crate) fn place(&self, job: &Job) -> String {
        let mut place = match (&job.host, path(job)) {
            (Some(host), Some(path)) => format!("{host}:{path}"),
            (Some(host), None) => host.clone(),
            (None, Some(path)) => path,
            (None, None) => NO_PLACE.to_owned(),
        };
        if let Some(disks) = self.disks_below(job).filter(|_| self.has_one_path(job)) {
            place.push_str(" on ");
            place.push_str(&disks);
        }
        place
    }

    /// Returns the options of a job that its load does not express, the jobs that ran at the same
    /// time, and the disks of the run if they are not part of the place.
    pub(crate) fn options(
        &self,
        job: &Job,
        exact: &BTreeSet<&'static str>,
    ) -> BTreeMap<String, String> {
        let is_apart = |name: &str| {
            !exact.contains(name) && !NOT_MEASURED.contains(&name) && !PLACES.contains(&name)
        };
        let mut options: BTreeMap<String, String> = job
            .options
            .iter()
            .filter(|(name, _)| is_apart(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let group = self.groups.get(&job.group).into_iter().flatten();
        let beside: Vec<&str> = group.copied().filter(|name| *name != job.name).collect();
        if !beside.is_empty() {
            let named = beside.iter().take(BESIDE_MAX);
            let mut named: Vec<String> = named.map(|name| (*name).to_owned()).collect();
            if beside.len() > BESIDE_MAX {
                named.push(format!("{} more", beside.len() - BESIDE_MAX));
            }
            options.insert(BESIDE.to_owned(), named.join("+"));
        }
        if let Some(disks) = self.disks_below(job).filter(|_| !self.has_one_path(job)) {
            options.insert(DISKS.to_owned(), disks);
        }
        options
    }

    fn has_one_path(&self, job: &Job) -> bool {
        let paths = self.paths.get(&job.host.as_deref());
        paths.is_none_or(|paths| paths.len() <= 1)
    }

    /// Returns the disks of a job's host; `None` if its files are devices, which name themselves.
    fn disks_below(&self, job: &Job) -> Option<String> {
        let is_named = |files: &str| files.split(':').all(is_device);
        if job.options.get("filename").is_some_and(is_named) {
            return None;
        }
        let disks: Vec<&str> = self.disks.get(&job.host)?.iter().copied().collect();
        (!disks.is_empty()).then(|| disks.join("+"))
    }
}

/// Returns the files or devices that the options of a job name.
fn path(job: &Job) -> Option<String> {
    let option = |name: &str| job.options.get(name).filter(|value| !value.is_empty());
    let [directory, files] = PLACES.map(option);
    match (directory, files) {
        (Some(directory), Some(files)) => Some(format!("{directory}/{files}")),
        (directory, files) => directory.or(files).map(str::to_owned),
    }
}

fn is_device(file: &str) -> bool {
    file.starts_with("/dev/") || file.starts_with(r"\\.\")
}
