//! Reads fio's JSON: versions 2.0 to 3.42, formats `json` and `json+`, local and `--client` runs.
//!
//! Latencies are in nanoseconds under `lat_ns` and `clat_ns`; 2.x has microseconds under `lat` and
//! `clat`. `io_bytes` is in bytes if `io_kbytes` is present too, and in KiB before (2.0 to 2.20:
//! `add_ddir_status_json` in fio's `stat.c`).
//!
//! The input may be hostile. Its size, depth, and numbers of jobs, options and bins are bounded;
//! any input gives a [`FioReport`] or a [`ParseError`].

use std::collections::BTreeMap;
use std::sync::Arc;

use stripewise_study::import_note::ImportNote;
use stripewise_study::limits::OverLimit;
use stripewise_study::possible::Impossible;
use stripewise_study::sample::{Latency, VerbatimJob, as_f64};
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos};

use crate::clients::Clients;
use crate::number::{Number, to_u64};
use crate::program::printable;
use crate::raw::{RawDirection, RawDocument, RawGlobal, RawJob, RawLatency};
use crate::report::{FioReport, Job, JobLatency, JobTransfer, LatencyKind, Options};
use crate::runs;
use crate::verbatim::{StatedDocument, text_of};
use crate::version::Version;

/// The largest input that we read. A job takes about 100 KiB of `json+`.
pub const INPUT_BYTES_MAX: usize = 256 << 20;

/// How much of the text around the JSON is kept, from its start and its end.
const MESSAGE_CHARS_MAX: usize = 4096;

/// How far a stated rate may be from the counts: fio rounds times to milliseconds.
const RATE_SLACK: f64 = 0.1;

/// fio's name for the sum of all clients.
const ALL_CLIENTS: &str = "All clients";

/// The port that `fio --server` listens on.
const FIO_PORT: u64 = 8765;

/// Why fio's JSON could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// It is larger than anything fio writes.
    #[error("it has {size_bytes} bytes; at most {limit_bytes} are read")]
    TooLarge {
        /// Its size.
        size_bytes: usize,
        /// The limit.
        limit_bytes: usize,
    },
    /// It holds no JSON document.
    #[error("no JSON document found")]
    NoDocument,
    /// A document is incomplete.
    #[error("the JSON document is unfinished: fio was killed or is still running")]
    CutShort,
    /// It is JSON, but not fio's.
    #[error("not the JSON that fio writes")]
    NotFio {
        /// The problem.
        #[source]
        source: serde_json::Error,
    },
    /// It exceeds a limit of fio's output.
    #[error(transparent)]
    OverLimit(OverLimit),
    /// It lists no job.
    #[error("no job in the JSON document")]
    NoJobs,
    /// Its version is older than any fio that wrote JSON.
    #[error(
        "{version} is older than any fio that wrote JSON; {}.{} or newer is needed",
        Version::OLDEST_IMPORT.0, Version::OLDEST_IMPORT.1
    )]
    TooOld {
        /// The version that wrote it.
        version: Version,
    },
    /// A required number is missing or invalid.
    #[error("job `{job}`: `{field}` is missing or not a count")]
    Field {
        /// The job.
        job: String,
        /// Its field.
        field: String,
    },
    /// A number is one that no measurement can have.
    #[error("job `{job}` has an impossible result")]
    Impossible {
        /// The job.
        job: String,
        /// The number.
        #[source]
        source: Impossible,
    },
    /// An entry has I/Os that its options do not ask for.
    #[error(
        "job `{job}` has I/Os that its options do not ask for: fio summed sections of several options"
    )]
    Summed {
        /// The job.
        job: String,
    },
    /// Two documents may be interim reports of one run, or two runs.
    #[error(
        "documents {} and {} may be reports of one run or of two: their times do not tell which",
        .second - 1, .second
    )]
    Ambiguous {
        /// The second of the two, from 1.
        second: usize,
    },
    /// A `--client` run lacks the results of hosts.
    #[error("{}", missing_hosts(.hosts))]
    MissingHosts {
        /// The hosts, as far as the file names them.
        hosts: Vec<String>,
    },
    /// Part of the file is a report that cannot be read.
    #[error("part of it is not the JSON that fio writes")]
    Unread,
    /// One of several documents could not be read.
    #[error("document {number} of the file")]
    InDocument {
        /// Which, from 1.
        number: usize,
        /// Why.
        #[source]
        source: Box<ParseError>,
    },
}

/// Says which hosts are missing.
fn missing_hosts(hosts: &[String]) -> String {
    match hosts {
        [] => "the results of a host are missing, which the file does not name".to_owned(),
        hosts => format!(
            "the results of these hosts are missing: {}",
            hosts.join(", ")
        ),
    }
}

impl ParseError {
    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ParseError::NoDocument | ParseError::NotFio { .. } => {
                Some("run fio with `--output-format=json+ --output=FILE`")
            }
            ParseError::OverLimit(_) => {
                Some("fio writes no such list; check what changed the file, or run fio again")
            }
            ParseError::Impossible { .. } => {
                Some("fio counts no such thing; check what changed the file, or run fio again")
            }
            ParseError::Summed { .. } => {
                Some("run fio again without `group_reporting`, or with `new_group` in each section")
            }
            ParseError::Ambiguous { .. } => Some("put each run into a file of its own"),
            ParseError::MissingHosts { .. } => Some(
                "run fio again with all hosts, or remove the others from the results of the run",
            ),
            ParseError::Unread => Some("import each report from a file of its own"),
            ParseError::InDocument { source, .. } => source.hint(),
            _ => None,
        }
    }
}

/// Parses the output of `fio --output-format=json` or `json+`, with or without text around it.
///
/// The last run counts, and of its documents the last complete one: with `--status-interval` each
/// includes the earlier ones.
///
/// # Errors
/// [`ParseError`]: see its variants, and [`ParseError::hint`].
pub fn parse_output(bytes: &[u8]) -> Result<FioReport, ParseError> {
    let runs = runs::parse(bytes, false)?;
    let mut last = runs.reports.into_iter().next_back();
    if let Some(report) = &mut last {
        report.notes.extend(runs.notes);
    }
    last.ok_or(ParseError::NoDocument)
}

/// Builds the report of a document, without what only an import keeps.
pub(crate) fn report(raw: RawDocument) -> Result<FioReport, ParseError> {
    let version = raw.version.and_then(|text| Version::parse(&text).ok());
    if let Some(version) = &version
        && version.numbers() < Version::OLDEST_IMPORT
    {
        return Err(ParseError::TooOld {
            version: version.clone(),
        });
    }
    let written_unix_ns = match raw.timestamp_ms.count() {
        Some(ms) => Some(ms.saturating_mul(1_000_000)),
        None => raw
            .timestamp
            .count()
            .map(|s| s.saturating_mul(1_000_000_000)),
    };
    let globals = Globals::new(raw.global_options);
    let is_old = version
        .as_ref()
        .map(|version| version.numbers() < Version::FIRST_WITH_BYTES);
    let raw_jobs = raw.jobs.into_iter().chain(raw.client_stats).flatten();
    let (mut jobs, mut notes) = (Vec::new(), Vec::new());
    let mut clients = Clients {
        asked: globals.by_host.keys().cloned().collect(),
        were_several: globals.are_by_host,
        were_summed: false,
    };
    let mut elapsed_s = None;
    for raw_job in raw_jobs {
        if raw_job.hostname.is_some() && raw_job.jobname == ALL_CLIENTS {
            clients.were_summed = true;
            continue;
        }
        elapsed_s = elapsed_s.max(raw_job.elapsed.count());
        jobs.push(job(raw_job, &globals, is_old, &mut notes)?);
    }
    if jobs.is_empty() {
        return Err(ParseError::NoJobs);
    }
    Ok(FioReport {
        version,
        written_unix_ns,
        elapsed_s,
        jobs,
        clients,
        disks: Vec::new(),
        notes,
        error_texts: BTreeMap::new(),
        digest: 0,
        messages: String::new(),
    })
}

impl FioReport {
    /// Adds all numbers of the document, which only an import keeps.
    pub(crate) fn add_stated(&mut self, stated: StatedDocument) {
        let mut of_jobs = stated.jobs.into_iter().chain(stated.client_stats);
        let is_sum = |job: &VerbatimJob| {
            text_of(job, "hostname").is_some() && text_of(job, "jobname") == Some(ALL_CLIENTS)
        };
        for job in &mut self.jobs {
            job.stated = of_jobs.find(|job| !is_sum(job)).unwrap_or_default();
        }
        self.disks = stated.disks;
        if stated.left_out > 0 {
            let count = stated.left_out;
            self.notes.push(ImportNote::StatedLeftOut { count });
        }
    }
}

/// The options of `[global]`: for all jobs, or by host.
struct Globals {
    everywhere: Arc<BTreeMap<String, String>>,
    by_host: BTreeMap<String, Arc<BTreeMap<String, String>>>,
    /// Whether the file has a list of hosts.
    are_by_host: bool,
}

impl Globals {
    fn new(raw: RawGlobal) -> Self {
        let mut globals = Self {
            everywhere: Arc::default(),
            by_host: BTreeMap::new(),
            are_by_host: matches!(raw, RawGlobal::ByHost(_)),
        };
        match raw {
            RawGlobal::Everywhere(options) => globals.everywhere = Arc::new(options.0),
            RawGlobal::ByHost(list) => {
                for mut options in list {
                    // Host and port are not options; without them, hosts with equal options compare
                    // equal.
                    let name = options.0.remove("hostname").unwrap_or_default();
                    let port = options.0.remove("port").and_then(|port| port.parse().ok());
                    let host = host_name(&name, port);
                    globals.by_host.insert(host, Arc::new(options.0));
                }
            }
        }
        globals
    }

    fn of(&self, host: Option<&str>) -> Arc<BTreeMap<String, String>> {
        host.and_then(|host| self.by_host.get(host))
            .unwrap_or(&self.everywhere)
            .clone()
    }
}

/// Returns the name of a host, with the port if it is not fio's default: several servers may run on
/// one host.
pub(crate) fn host_name(name: &str, port: Option<u64>) -> String {
    match port {
        None | Some(FIO_PORT) => name.to_owned(),
        Some(port) => format!("{name}:{port}"),
    }
}

/// Builds one job.
fn job(
    raw: RawJob,
    globals: &Globals,
    is_old: Option<bool>,
    notes: &mut Vec<ImportNote>,
) -> Result<Job, ParseError> {
    let name = printable(&raw.jobname);
    let host = raw
        .hostname
        .map(|name| host_name(&printable(&name), raw.port.count()));
    let is_mixed = raw.mixed.is_some() && raw.read.is_none() && raw.write.is_none();
    let mut reader = JobReader {
        job: &name,
        is_old,
        notes,
    };
    let read = reader.transfer("read", raw.read)?;
    let write = reader.transfer("write", raw.write)?;
    let mixed = match raw.mixed.filter(|_| is_mixed) {
        Some(mixed) => Some(Box::new(reader.transfer("mixed", Some(*mixed))?)),
        None => None,
    };
    let trims = raw
        .trim
        .map_or(0, |trim| trim.total_ios.count().unwrap_or(0));
    let sync = raw.sync.unwrap_or_default();
    let sync = reader.latency(
        sync.lat_ns,
        RawLatency::default(),
        sync.total_ios.count().unwrap_or(0),
    );
    if trims > 0 {
        notes.push(ImportNote::TrimsIgnored {
            job: name.clone(),
            count: trims,
        });
    }
    let short = [&read, &write].iter().fold(0_u64, |sum, transfer| {
        sum.saturating_add(transfer.short_ios)
            .saturating_add(transfer.dropped_ios)
    });
    if short > 0 {
        notes.push(ImportNote::ShortIos {
            job: name.clone(),
            count: short,
        });
    }
    Ok(Job {
        options: Options::new(raw.options.0, globals.of(host.as_deref())),
        host,
        group: raw.groupid.count(),
        error: error_number(raw.error),
        started_unix_ns: raw
            .job_start
            .count()
            .filter(|ms| *ms > 0)
            .map(|ms| ms.saturating_mul(1_000_000)),
        run_time_ns: raw.job_runtime.count().map(Nanos::from_millis),
        cpu_user_percent: raw.usr_cpu.real(),
        cpu_system_percent: raw.sys_cpu.real(),
        read,
        write,
        mixed,
        trims,
        sync,
        stated: VerbatimJob::default(),
        name,
    })
}

/// Returns the error number; -1 if the field is not a valid error number, which is not a success
/// either.
fn error_number(number: Number) -> i64 {
    if number == Number::Missing {
        return 0;
    }
    let number = number.count().and_then(|error| i64::try_from(error).ok());
    number.unwrap_or(-1)
}

/// Reads the parts of one job and notes irregularities.
struct JobReader<'a> {
    job: &'a str,
    /// Whether the version counted bytes in KiB; `None` if the version is unknown.
    is_old: Option<bool>,
    notes: &'a mut Vec<ImportNote>,
}

impl JobReader<'_> {
    /// Builds one direction; an absent direction did no I/O.
    fn transfer(
        &mut self,
        direction: &str,
        raw: Option<RawDirection>,
    ) -> Result<JobTransfer, ParseError> {
        let Some(raw) = raw else {
            return Ok(JobTransfer::default());
        };
        let count = |number: Number, field: &str| {
            number.count().ok_or_else(|| ParseError::Field {
                job: self.job.to_owned(),
                field: format!("{direction}.{field}"),
            })
        };
        let elapsed_ns = Nanos::from_millis(count(raw.runtime, "runtime")?);
        let counted = raw.total_ios.count();
        let rated = raw.iops.real().filter(|_| raw.total_ios == Number::Missing);
        let rated = rated.and_then(|rate| to_u64(rate * elapsed_ns.as_secs_f64()));
        let ios = match counted.or(rated) {
            Some(ios) => ios,
            None => count(raw.total_ios, "total_ios")?,
        };
        if rated.is_some() && ios > 0 && !self.notes.contains(&ImportNote::IosFromRate) {
            self.notes.push(ImportNote::IosFromRate);
        }
        let bytes = count(raw.io_bytes, "io_bytes")?;
        let rate = raw.iops.real().filter(|_| counted.is_some());
        self.compare_rates(false, rate, (ios, elapsed_ns));
        let is_timed = |raw: &RawLatency| raw.is_timed(ios);
        let in_us = [&raw.lat, &raw.clat].into_iter().any(is_timed);
        // Without a version, microseconds mean an old one.
        let is_kib = self.is_old.unwrap_or(in_us) && raw.io_kbytes == Number::Missing;
        if is_kib && !self.notes.contains(&ImportNote::BytesInKib) {
            self.notes.push(ImportNote::BytesInKib);
        }
        let bytes = bytes.saturating_mul(if is_kib { 1024 } else { 1 });
        let rate = raw
            .bw_bytes
            .real()
            .or(raw.bw.real().map(|kib| kib * 1024.0));
        self.compare_rates(true, rate, (bytes, elapsed_ns));
        let (total, completion) = match in_us {
            true => (raw.lat.in_ns(), raw.clat.in_ns()),
            false => (raw.lat_ns, raw.clat_ns),
        };
        Ok(JobTransfer {
            ios,
            bytes: Bytes::new(bytes),
            elapsed_ns,
            short_ios: raw.short_ios.count().unwrap_or(0),
            dropped_ios: raw.drop_ios.count().unwrap_or(0),
            latency: self.latency(total, completion, ios),
        })
    }

    /// Notes a stated rate that is impossible beside the counts: fio divides one by the other.
    fn compare_rates(
        &mut self,
        is_bytes: bool,
        stated: Option<f64>,
        (count, elapsed_ns): (u64, Nanos),
    ) {
        let seconds = elapsed_ns.as_secs_f64();
        let Some(stated) = stated.filter(|_| seconds > 0.0) else {
            return;
        };
        let counted = as_f64(count) / seconds;
        let rounding = if is_bytes { 2048.0 } else { 2.0 };
        if (stated - counted).abs() <= (counted * RATE_SLACK).max(rounding) {
            return;
        }
        if let (Some(stated), Some(counted)) = (to_u64(stated), to_u64(counted)) {
            self.notes.push(ImportNote::RatesDisagree {
                job: self.job.to_owned(),
                is_bytes,
                stated,
                counted,
            });
        }
    }

    /// Chooses the latencies: bins of total latency, else bins of completion latency, else fio's
    /// own percentiles of either, else any with a mean. Mean and bins or percentiles are always of
    /// the same kind.
    fn latency(&mut self, total: RawLatency, completion: RawLatency, ios: u64) -> JobLatency {
        if total.bins.has_bad || completion.bins.has_bad {
            self.notes.push(ImportNote::BadBin {
                job: self.job.to_owned(),
            });
        }
        let has_bins = |raw: &RawLatency| !raw.bins.bins.is_empty();
        let is_timed = |raw: &RawLatency| raw.is_timed(ios);
        let has_percentiles = |raw: &RawLatency| is_timed(raw) && !raw.percentile.0.is_empty();
        let (kind, raw) = if has_bins(&total) {
            (LatencyKind::Total, total)
        } else if has_bins(&completion) {
            (LatencyKind::Completion, completion)
        } else if has_percentiles(&total) {
            (LatencyKind::Total, total)
        } else if has_percentiles(&completion) {
            (LatencyKind::Completion, completion)
        } else if is_timed(&total) {
            (LatencyKind::Total, total)
        } else if is_timed(&completion) {
            (LatencyKind::Completion, completion)
        } else {
            return JobLatency::default();
        };
        let histogram = Histogram::from(raw.bins.bins);
        let in_bins = histogram.count();
        let timed = raw
            .count
            .count()
            .unwrap_or(if in_bins > 0 { in_bins } else { ios });
        if in_bins > 0 && in_bins != timed {
            self.notes.push(ImportNote::BinsDisagree {
                job: self.job.to_owned(),
                timed,
                in_bins,
            });
        }
        let stated = raw
            .percentile
            .0
            .into_iter()
            .filter(|_| histogram.is_empty());
        let percentiles = stated
            .filter_map(|(percent, latency)| Some((percent, Nanos::new(to_u64(latency)?))))
            .collect();
        JobLatency {
            kind: Some(kind),
            latency: Latency {
                count: timed,
                mean_ns: raw.mean.real(),
                min_ns: raw.min.count().map(Nanos::new),
                max_ns: raw.max.count().map(Nanos::new),
                histogram,
                percentiles,
            },
        }
    }
}

/// Returns the start and the end of a long text, with a mark for the omitted middle.
pub(crate) fn shortened(text: &str) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= MESSAGE_CHARS_MAX {
        return text.to_owned();
    }
    let half = MESSAGE_CHARS_MAX / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}\n[...]\n{tail}")
}
