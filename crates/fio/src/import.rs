//! Imports results of fio runs that we did not start.
//!
//! Entries of the same name, group and options are the jobs of one cell (`numjobs`). The options in
//! the JSON become a load, with fio's defaults for the missing ones. Notes list every guess,
//! approximation and omission.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{Sample, Stated, StatedJob};
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Load;

use crate::load::{guess_load, read_load};
use crate::logs::{self, Log, LogKind, LogSettings};
use crate::merge::sum;
use crate::options::{parse_flag, parse_time, parse_whole_number};
use crate::parse::{ParseError, parse_output_and_stated};
use crate::report::{Job, LatencyKind, Options};
use crate::version::Version;

/// The result of importing a file of fio.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The version of fio that wrote it, if stated.
    pub version: Option<Version>,
    /// When it was written, in ns since 1970-01-01 UTC: at the end of the run.
    pub written_unix_ns: Option<u64>,
    /// The cells, in the file's order.
    pub cells: Vec<ImportedCell>,
    /// The options that all jobs share, by name; of the first host.
    pub global_options: Vec<(String, String)>,
    /// fio's disk statistics over the whole run, verbatim.
    pub disks: Vec<StatedJob>,
    /// Notes about the whole file, and the jobs that could not be imported.
    pub notes: Vec<ImportNote>,
}

/// One load of the file with its sample.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCell {
    /// The name of the job's section.
    pub name: String,
    /// The hosts that ran it, in `--client` runs; sorted, each once.
    pub hosts: Vec<String>,
    /// The load.
    pub load: Load,
    /// The sample, with all of fio's own numbers ([`Sample::stated`]).
    pub sample: Sample,
    /// Guesses, approximations and omissions.
    pub notes: Vec<ImportNote>,
}

/// Reads a file that fio wrote with `--output-format=json` or `json+`, of one host or of several
/// (`--client`).
///
/// # Errors
/// [`ParseError`]: see its variants, and [`ParseError::hint`].
pub fn import(bytes: &[u8]) -> Result<Import, ParseError> {
    import_with_logs(bytes, &mut Vec::new())
}

/// As [`import`], with the logs that the jobs wrote beside it. Removes the logs of the file's jobs
/// from `logs` and leaves the others.
///
/// A log belongs to a job if it has the job's number and the name given by `write_bw_log` and
/// similar options, or the name of the job if they give none.
///
/// # Errors
/// As [`import`].
pub fn import_with_logs(bytes: &[u8], logs: &mut Vec<Log>) -> Result<Import, ParseError> {
    let report = parse_output_and_stated(bytes)?;
    // The map is sorted by name; cells must keep the file's order.
    let mut groups: BTreeMap<(&str, Option<u64>, &Options), usize> = BTreeMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (place, job) in report.jobs.iter().enumerate() {
        let key = (job.name.as_str(), job.group, &job.options);
        let index = *groups.entry(key).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[index].push(place);
    }
    let mut cells = Vec::new();
    let mut notes = report.notes;
    let mut owned_logs = logs_by_job(logs, &report.jobs, &members);
    let in_us = report
        .version
        .as_ref()
        .is_some_and(|version| version.numbers() < Version::FIRST_WITH_NANOSECONDS);
    for places in members {
        let jobs: Vec<&Job> = places.iter().map(|place| &report.jobs[*place]).collect();
        match cell(&jobs) {
            Ok(Some(mut cell)) => {
                let own = places.iter().filter_map(|place| owned_logs.remove(place));
                let own: Vec<Log> = own.flatten().collect();
                add_logs(&mut cell, &jobs, &own, in_us);
                let impossible = |source| ParseError::Impossible {
                    job: cell.name.clone(),
                    source,
                };
                cell.sample.check().map_err(impossible)?;
                cells.push(cell);
            }
            Ok(None) => {}
            Err(left_out) => notes.push(left_out),
        }
    }
    let first = report.jobs.first();
    let global = first.into_iter().flat_map(|job| job.options.global());
    Ok(Import {
        global_options: owned(global),
        disks: report.disks,
        version: report.version,
        written_unix_ns: report.written_unix_ns,
        cells,
        notes,
    })
}

/// Removes the logs of each job from `logs` and returns them by the job's index.
fn logs_by_job(
    logs: &mut Vec<Log>,
    jobs: &[Job],
    members: &[Vec<usize>],
) -> BTreeMap<usize, Vec<Log>> {
    let threads = threads(jobs, members);
    let mut by_job: BTreeMap<usize, Vec<Log>> = BTreeMap::new();
    for log in std::mem::take(logs) {
        let mut with_threads = jobs.iter().zip(&threads);
        match with_threads.position(|(job, threads)| is_log_of(&log, job, threads)) {
            Some(place) => by_job.entry(place).or_default().push(log),
            None => logs.push(log),
        }
    }
    by_job
}

/// Returns the thread numbers of each job. fio counts threads from 1; an entry that sums a group
/// stands for all of its `numjobs`.
fn threads(jobs: &[Job], members: &[Vec<usize>]) -> Vec<RangeInclusive<usize>> {
    let alone = members.iter().filter(|places| places.len() == 1).flatten();
    let alone: BTreeSet<usize> = alone.copied().collect();
    let mut next = 1_usize;
    let of = |(place, job): (usize, &Job)| {
        let asked = job.options.get("numjobs").and_then(parse_whole_number);
        let asked = asked.and_then(|asked| usize::try_from(asked).ok());
        let asked = asked.filter(|count| *count > 0 && alone.contains(&place));
        let first = next;
        next = next.saturating_add(asked.unwrap_or(1));
        first..=next.saturating_sub(1)
    };
    jobs.iter().enumerate().map(of).collect()
}

/// Returns whether a log belongs to a job.
fn is_log_of(log: &Log, job: &Job, threads: &RangeInclusive<usize>) -> bool {
    let option = match log.name.kind {
        LogKind::Bandwidth => "write_bw_log",
        LogKind::Iops => "write_iops_log",
        LogKind::Histogram => "write_hist_log",
        _ => "write_lat_log",
    };
    let named = job.options.get(option).unwrap_or_default();
    let named = named.rsplit('/').next().unwrap_or_default();
    let stem = log.name.stem.as_str();
    (stem == named || (named.is_empty() && stem == job.name))
        && log.name.job.is_none_or(|number| threads.contains(&number))
}

/// Adds the data of a cell's logs to its sample.
fn add_logs(cell: &mut ImportedCell, jobs: &[&Job], logs: &[Log], in_us: bool) {
    let Some(first) = jobs.first().filter(|_| !logs.is_empty()) else {
        return;
    };
    let option = |name: &str| first.options.get(name);
    let window = option("log_window_value").or(option("log_max_value"));
    let settings = LogSettings {
        average_ms: option("log_avg_msec")
            .and_then(parse_whole_number)
            .unwrap_or(0),
        has_maxima: window.is_some_and(|value| !matches!(value, "avg" | "0")),
        in_us,
    };
    let logs: Vec<&Log> = logs.iter().collect();
    let read = logs::read(&logs, settings);
    cell.notes.extend(read.notes);
    let sample = &mut cell.sample;
    sample.series = read.series;
    let is_completion = |job: &&Job| {
        let latencies = [&job.read.latency, &job.write.latency];
        latencies
            .iter()
            .any(|latency| latency.kind == Some(LatencyKind::Completion))
    };
    let fits = read.is_completion == jobs.iter().any(is_completion);
    let [of_reads, of_writes] = read.histograms;
    for (transfer, histogram) in [(&mut sample.read, of_reads), (&mut sample.write, of_writes)] {
        let (logged, latency) = (histogram.count(), &mut transfer.latency);
        if logged == 0 || !latency.histogram.is_empty() {
            continue;
        }
        let is_whole = is_nearly_all(logged, latency.count);
        if !is_whole {
            let ios = latency.count;
            cell.notes
                .push(ImportNote::HistogramLogPart { logged, ios });
        }
        // fio's own percentiles cover all I/Os: better than bins of a part.
        if fits && (is_whole || (latency.percentiles.is_empty() && logged <= latency.count)) {
            latency.histogram = histogram;
            latency.percentiles = Vec::new();
        }
    }
    let latencies = [&sample.read.latency, &sample.write.latency, &sample.sync];
    if latencies
        .iter()
        .all(|one| one.count == 0 || !one.histogram.is_empty())
    {
        sample
            .warnings
            .retain(|warning| *warning != Warning::NoHistogram);
        cell.notes
            .retain(|note| !matches!(note, ImportNote::PercentilesByJob { .. }));
    }
}

/// Returns whether `logged` are at least 99 % of `ios`, and not more: fio may lose the end of a
/// log.
fn is_nearly_all(logged: u64, ios: u64) -> bool {
    logged <= ios && logged.saturating_mul(100) >= ios.saturating_mul(99)
}

fn owned<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    options
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Builds one cell from jobs that belong together; `None` without jobs.
///
/// # Errors
/// [`ImportNote::JobLeftOut`] if a load cannot express the jobs.
fn cell(jobs: &[&Job]) -> Result<Option<ImportedCell>, ImportNote> {
    let Some(first) = jobs.first() else {
        return Ok(None);
    };
    let mut notes = Vec::new();
    let load = match first.options.is_empty() {
        true => guess_load(jobs, &mut notes),
        false => {
            read_load(&first.options, &mut notes).map_err(|pattern| ImportNote::JobLeftOut {
                job: first.name.clone(),
                pattern,
            })?
        }
    };
    let mut hosts: Vec<String> = jobs.iter().filter_map(|job| job.host.clone()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let job_count = job_count(jobs.len(), hosts.len().max(1), &first.options, &mut notes);

    let mut sample = sum(jobs);
    let failed = jobs.iter().filter(|job| job.error != 0);
    sample.warnings.extend(failed.map(|job| Warning::JobFailed {
        job: job.name.clone(),
        errno: job.error,
    }));
    note_latency_kind(jobs, &mut notes);
    note_percentiles(jobs, &mut notes);
    sample.stated = Some(Stated {
        source: String::new(),
        options: owned(first.options.own()),
        jobs: jobs.iter().map(|job| job.stated.clone()).collect(),
    });
    note_early_end(&first.options, sample.elapsed_ns, &mut notes);
    Ok(Some(ImportedCell {
        name: first.name.clone(),
        hosts,
        load: Load {
            jobs: job_count,
            ..load
        },
        sample,
        notes,
    }))
}

/// Returns the number of jobs in `entries` entries of `hosts` hosts. With `group_reporting`, which
/// fio before 3.4x does not list among the options, an entry is the sum of `numjobs` jobs.
fn job_count(entries: usize, hosts: usize, options: &Options, notes: &mut Vec<ImportNote>) -> u32 {
    let entries_counted = u32::try_from(entries).unwrap_or(u32::MAX);
    let asked = options
        .get("numjobs")
        .and_then(parse_whole_number)
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(1);
    if asked > 1 && entries <= hosts {
        let jobs = entries_counted.saturating_mul(asked);
        notes.push(ImportNote::GroupReported { jobs });
        return jobs;
    }
    entries_counted
}

/// Adds a note if the latencies are not total latencies.
fn note_latency_kind(jobs: &[&Job], notes: &mut Vec<ImportNote>) {
    let is_completion = |job: &&Job| {
        [&job.read.latency, &job.write.latency]
            .iter()
            .any(|latency| latency.kind == Some(LatencyKind::Completion))
    };
    if jobs.iter().any(is_completion) {
        notes.push(ImportNote::CompletionLatency);
    }
}

/// Adds a note if fio's own percentiles cover parts that cannot be merged.
fn note_percentiles(jobs: &[&Job], notes: &mut Vec<ImportNote>) {
    let timed = jobs
        .iter()
        .flat_map(|job| [&job.read.latency, &job.write.latency]);
    let timed: Vec<_> = timed.filter(|latency| latency.latency.count > 0).collect();
    let stated = timed
        .iter()
        .filter(|latency| !latency.latency.percentiles.is_empty());
    let parts = stated.count();
    if parts > 0 && timed.len() > 1 {
        notes.push(ImportNote::PercentilesByJob { parts });
    }
}

/// Adds a note if the jobs ran for less than 95 % of their `runtime`.
fn note_early_end(options: &Options, elapsed_ns: Nanos, notes: &mut Vec<ImportNote>) {
    let second = Nanos::new(1_000_000_000);
    let asked_ns = options
        .first_of(&["runtime", "timeout"])
        .and_then(|text| parse_time(text, second))
        .unwrap_or_default();
    if elapsed_ns.as_u64() < asked_ns.as_u64() / 100 * 95 {
        let is_time_based = options.get("time_based").and_then(parse_flag);
        notes.push(ImportNote::EndedEarly {
            asked_ns,
            elapsed_ns,
            is_time_based: is_time_based == Some(true),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::is_nearly_all;

    #[test]
    fn rounding_does_not_turn_few_ios_into_all() {
        assert!(is_nearly_all(0, 0) && is_nearly_all(1, 1));
        assert!(!is_nearly_all(1, 99) && !is_nearly_all(98, 99));
        assert!(is_nearly_all(99, 100) && !is_nearly_all(98, 100));
        assert!(!is_nearly_all(197, 199) && is_nearly_all(198, 199));
        assert!(!is_nearly_all(101, 100));
        assert!(is_nearly_all(u64::MAX, u64::MAX));
    }
}
