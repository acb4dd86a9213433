//! Imports results of fio runs that we did not start.
//!
//! A file may hold several runs. Entries of a run with the same name, group, host and options are
//! the jobs of one cell (`numjobs`). The options in the JSON become a load, with fio's defaults for
//! the missing ones; what a load cannot express is kept beside it. Notes list every guess,
//! approximation and omission.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use stripewise_study::import_note::ImportNote;
use stripewise_study::sample::{Sample, Stated, VerbatimJob};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{BlockSize, Load, Pattern};
use stripewise_units::Nanos;
use stripewise_units::fio::{KbBase, parse_flag, parse_size, parse_time, parse_whole_number};

use crate::errors;
use crate::identity::Identities;
use crate::load::{ReadLoad, guess_load, read_load};
use crate::logs::{self, Log, LogFile, LogKind, LogName, LogSettings, Window};
use crate::merge::sum;
use crate::parse::ParseError;
use crate::report::{FioReport, Job, JobTransfer, LatencyKind, Options};
use crate::runs;
use crate::version::Version;

/// A run of fio in an imported file.
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
    pub disks: Vec<VerbatimJob>,
    /// Notes about the run and its file, and the jobs that could not be imported.
    pub notes: Vec<ImportNote>,
    /// A digest of fio's document: equal for a run that was imported twice.
    pub digest: u64,
}

/// One load of the run with its sample.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCell {
    /// The name of the job's section.
    pub name: String,
    /// Where it ran: the host in `--client` runs, and the files, devices and disks.
    pub place: String,
    /// The load.
    pub load: Load,
    /// All other options that can change what is measured, and the jobs that ran beside it.
    pub options: BTreeMap<String, String>,
    /// The sample, with all of fio's own numbers ([`Sample::stated`]).
    pub sample: Sample,
    /// Guesses, approximations and omissions.
    pub notes: Vec<ImportNote>,
}

/// Reads all runs of a file that fio wrote with `--output-format=json` or `json+`, of one host or of
/// several (`--client`).
///
/// # Errors
/// [`ParseError`]: see its variants, and [`ParseError::hint`].
pub fn import(bytes: &[u8]) -> Result<Vec<Import>, ParseError> {
    import_with_logs(bytes, &mut Vec::<Log>::new())
}

/// As [`import`], with the logs that the jobs of the last run wrote beside it: each run of fio
/// overwrites those of the one before. Removes the logs of the file's jobs from `logs`, reads those,
/// and leaves the others.
///
/// A log belongs to a job if it has the job's number and the name given by `write_bw_log` and
/// similar options, or the name of the job if they give none.
///
/// # Errors
/// As [`import`].
pub fn import_with_logs<L: LogFile>(
    bytes: &[u8],
    logs: &mut Vec<L>,
) -> Result<Vec<Import>, ParseError> {
    let runs = runs::parse(bytes, true)?;
    let count = runs.reports.len();
    let mut imports = Vec::with_capacity(count);
    for (index, report) in runs.reports.into_iter().enumerate() {
        let mut none = Vec::new();
        let logs = if index + 1 == count {
            &mut *logs
        } else {
            &mut none
        };
        imports.push(import_run(report, logs)?);
    }
    if let Some(last) = imports.last_mut() {
        last.notes.extend(runs.notes);
    }
    Ok(imports)
}

/// Makes cells of the jobs of a run.
///
/// # Errors
/// [`ParseError::Impossible`].
fn import_run(report: FioReport, logs: &mut Vec<impl LogFile>) -> Result<Import, ParseError> {
    let members = members(&report.jobs);
    let identities = Identities::of(&report.jobs, &report.disks);
    let mut owned_logs = logs_by_job(logs, &report.jobs, &members);
    let in_us = report
        .version
        .as_ref()
        .is_some_and(|version| version.numbers() < Version::FIRST_WITH_NANOSECONDS);
    let (mut cells, mut notes) = (Vec::new(), report.notes.clone());
    for places in members {
        let jobs: Vec<&Job> = places.iter().map(|place| &report.jobs[*place]).collect();
        match cell(&jobs, &identities) {
            Ok(Some(mut cell)) => {
                let own = places.iter().filter_map(|place| owned_logs.remove(place));
                let own: Vec<Log> = own.flatten().filter_map(read_log).collect();
                add_logs(&mut cell, &jobs, &own, in_us);
                let impossible = |source| ParseError::Impossible {
                    job: cell.name.clone(),
                    source,
                };
                cell.sample.check().map_err(impossible)?;
                if let Some(job) = jobs.iter().find(|job| !have_done(job, &cell.load)) {
                    let job = job.name.clone();
                    return Err(ParseError::Summed { job });
                }
                let failed = jobs.iter().filter(|job| job.error != 0);
                let failed = failed.map(|job| Warning::JobFailed {
                    job: job.name.clone(),
                    errno: job.error,
                    text: Some(errors::text(job, &report)),
                });
                cell.sample.warnings.extend(failed);
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
        version: report.version,
        written_unix_ns: report.written_unix_ns,
        cells,
        notes,
        digest: report.digest,
        disks: report.disks,
    })
}

/// How long the name of an entry may be without being cut: fio cuts it to 127 bytes
/// (`FIO_JOBNAME_SIZE`), perhaps within a letter, and the option `name` not.
const NAME_BYTES_SURE: usize = 120;

/// Returns whether an entry's I/Os can be those of its options. With `group_reporting`, fio sums all
/// sections of a group in one entry, under the name of the first and with the options of the last.
fn have_done(job: &Job, load: &Load) -> bool {
    let options = &job.options;
    let is_cut = job.name.len() > NAME_BYTES_SURE;
    let mut own = options.own();
    if own.any(|(name, value)| name == "name" && value != job.name && !is_cut) {
        return false;
    }
    // A check reads what was written, and a log has I/Os of its own.
    let is_other = |name: &str| name.contains("verify") || name == "read_iolog";
    let mut all = options.own().chain(options.global());
    if options.is_empty() || job.mixed.is_some() || all.any(|(name, _)| is_other(name)) {
        return true;
    }
    // Sections of a file may have their options where older versions of fio do not report them.
    let is_stated = options.first_of(&["rw", "readwrite"]).is_some();
    let in_flight = u64::from(load.depth) * u64::from(load.jobs) + 16;
    let is_of = |transfer: &JobTransfer, is_of_pattern: bool| {
        let is_asked = is_of_pattern || !is_stated;
        let BlockSize::Fixed(size) = load.block_size else {
            return transfer.ios == 0 || is_asked;
        };
        let even = transfer.ios.saturating_mul(size.as_u64());
        let off = transfer.bytes.as_u64().abs_diff(even);
        // Of the I/Os in flight fio may count the bytes alone.
        let is_size = off <= (even / 10).max(in_flight.saturating_mul(size.as_u64()));
        transfer.ios == 0 || (is_asked && (is_size || !has_one_size(options)))
    };
    is_of(&job.read, load.pattern.reads()) && is_of(&job.write, load.pattern.writes())
}

/// Returns whether the options give one size for all I/Os of a job.
fn has_one_size(options: &Options) -> bool {
    let size = options.first_of(&["bs", "blocksize"]);
    let size = size.and_then(|size| parse_size(size, KbBase::Binary));
    let others = ["bsrange", "blocksize_range", "bssplit", "kb_base"];
    size.is_some() && options.first_of(&others).is_none()
}

/// What the jobs of one cell have in common: the name, the group, the host and the options.
type Member<'a> = (&'a str, Option<u64>, Option<&'a str>, &'a Options);

/// Returns the places of the jobs of each cell: those with the same name, group, host and options.
fn members(jobs: &[Job]) -> Vec<Vec<usize>> {
    // The map is sorted by name; cells must keep the file's order.
    let mut groups: BTreeMap<Member, usize> = BTreeMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
        let key = (
            job.name.as_str(),
            job.group,
            job.host.as_deref(),
            &job.options,
        );
        let index = *groups.entry(key).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[index].push(place);
    }
    members
}

/// Reads a log; `None` if that fails.
fn read_log(log: impl LogFile) -> Option<Log> {
    let name = log.name().clone();
    let bytes = log.read()?;
    Some(Log { name, bytes })
}

/// Removes the logs of each job from `logs` and returns them by the job's index.
fn logs_by_job<L: LogFile>(
    logs: &mut Vec<L>,
    jobs: &[Job],
    members: &[Vec<usize>],
) -> BTreeMap<usize, Vec<L>> {
    let threads = threads(jobs, members);
    let mut by_job: BTreeMap<usize, Vec<L>> = BTreeMap::new();
    for log in std::mem::take(logs) {
        let mut with_threads = jobs.iter().zip(&threads);
        match with_threads.position(|(job, threads)| is_log_of(log.name(), job, threads)) {
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
fn is_log_of(log: &LogName, job: &Job, threads: &RangeInclusive<usize>) -> bool {
    let option = match log.kind {
        LogKind::Bandwidth => "write_bw_log",
        LogKind::Iops => "write_iops_log",
        LogKind::Histogram => "write_hist_log",
        _ => "write_lat_log",
    };
    let named = job.options.get(option).unwrap_or_default();
    let named = named.rsplit('/').next().unwrap_or_default();
    let stem = log.stem.as_str();
    (stem == named || (named.is_empty() && stem == job.name))
        && log.job.is_none_or(|number| threads.contains(&number))
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
        window: Window::of(window),
        is_epoch: ["log_unix_epoch", "log_alternate_epoch"]
            .into_iter()
            .any(|name| option(name).and_then(parse_flag) == Some(true)),
        in_us,
    };
    let logs: Vec<&Log> = logs.iter().collect();
    let read = logs::read(&logs, settings);
    cell.notes.extend(read.notes);
    let sample = &mut cell.sample;
    sample.series = read.series;
    let fits = read.is_completion == have_completion_latency(jobs);
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
/// [`ImportNote::JobLeftOut`] or [`ImportNote::MixedLeftOut`] if a load cannot express the jobs.
fn cell(jobs: &[&Job], identities: &Identities) -> Result<Option<ImportedCell>, ImportNote> {
    let Some(first) = jobs.first() else {
        return Ok(None);
    };
    let mut notes = Vec::new();
    let read = match first.options.is_empty() {
        true => ReadLoad {
            load: guess_load(jobs, &mut notes),
            exact: BTreeSet::new(),
        },
        false => {
            read_load(&first.options, &mut notes).map_err(|pattern| ImportNote::JobLeftOut {
                job: first.name.clone(),
                pattern,
            })?
        }
    };
    let job_count = job_count(jobs.len(), &first.options, &mut notes);
    let split = jobs.iter().map(|job| unmixed(job, read.load.pattern));
    let split: Vec<Cow<'_, Job>> = split.collect::<Option<_>>().ok_or_else(|| {
        let job = first.name.clone();
        ImportNote::MixedLeftOut { job }
    })?;
    let split: Vec<&Job> = split.iter().map(|job| &**job).collect();

    let mut sample = sum(&split);
    if have_completion_latency(&split) {
        notes.push(ImportNote::CompletionLatency);
    }
    note_percentiles(&split, &mut notes);
    sample.stated = Some(Stated {
        source: String::new(),
        options: owned(first.options.own()),
        global_options: Vec::new(),
        disks: Vec::new(),
        jobs: jobs.iter().map(|job| job.stated.clone()).collect(),
    });
    note_early_end(&first.options, sample.elapsed_ns, &mut notes);
    Ok(Some(ImportedCell {
        name: first.name.clone(),
        place: identities.place(first),
        options: identities.options(first, &read.exact),
        load: Load {
            jobs: job_count,
            ..read.load
        },
        sample,
        notes,
    }))
}

/// Returns a job with its I/Os by direction; `None` if it counted reads and writes together and did
/// both.
fn unmixed(job: &Job, pattern: Pattern) -> Option<Cow<'_, Job>> {
    let Some(mixed) = &job.mixed else {
        return Some(Cow::Borrowed(job));
    };
    if pattern.is_mixed() {
        return None;
    }
    let mut split = job.clone();
    match pattern.reads() {
        true => split.read = JobTransfer::clone(mixed),
        false => split.write = JobTransfer::clone(mixed),
    }
    Some(Cow::Owned(split))
}

/// Returns the number of jobs in `entries` entries. With `group_reporting`, which
/// fio before 3.4x does not list among the options, an entry is the sum of `numjobs` jobs.
fn job_count(entries: usize, options: &Options, notes: &mut Vec<ImportNote>) -> u32 {
    let entries_counted = u32::try_from(entries).unwrap_or(u32::MAX);
    let asked = options
        .get("numjobs")
        .and_then(parse_whole_number)
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(1);
    if asked > 1 && entries == 1 {
        let jobs = entries_counted.saturating_mul(asked);
        notes.push(ImportNote::GroupReported { jobs });
        return jobs;
    }
    entries_counted
}

/// Returns whether the latencies of any job are completion latencies, and not total ones.
fn have_completion_latency(jobs: &[&Job]) -> bool {
    let mut latencies = jobs
        .iter()
        .flat_map(|job| [&job.read.latency, &job.write.latency]);
    latencies.any(|latency| latency.kind == Some(LatencyKind::Completion))
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
