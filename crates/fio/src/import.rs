//! Takes over what somebody else's fio measured.
//!
//! Entries of the same name, group and options are the jobs of one cell (`numjobs`). Options that
//! fio wrote down become a load; where they are silent fio's defaults hold. Everything that is
//! guessed, bent or left out is in the notes.

use std::collections::BTreeMap;
use std::fmt;

use stripewise_study::sample::Sample;
use stripewise_study::units::Nanos;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Load;

use crate::load::read_load;
use crate::merge::sum;
use crate::options::{parse_time, parse_whole_number};
use crate::parse::{ParseError, parse_output};
use crate::report::{Job, LatencyKind, Note, Options};
use crate::version::Version;

/// What a file of fio's gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The version that wrote it, where it says so.
    pub version: Option<Version>,
    /// When it was written, in ns since 1970-01-01 UTC: at the end of the run.
    pub written_unix_ns: Option<u64>,
    /// The cells, in the file's order.
    pub cells: Vec<ImportedCell>,
    /// Jobs that could not be taken over.
    pub skipped: Vec<Skipped>,
    /// What was noticed about the file as a whole.
    pub notes: Vec<Note>,
}

/// One load of the file and what it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCell {
    /// The name of the job's section.
    pub name: String,
    /// The hosts that ran it, in `--client` runs; sorted, each once.
    pub hosts: Vec<String>,
    /// What it did.
    pub load: Load,
    /// What it gave.
    pub sample: Sample,
    /// What is guessed, bent or left out.
    pub notes: Vec<ImportNote>,
}

/// A job that could not be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The name of its section.
    pub name: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why a job could not be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// Its pattern is none of ours: trims.
    Pattern {
        /// The pattern.
        pattern: String,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::Pattern { pattern } => {
                write!(f, "`rw={pattern}` is neither reads nor writes")
            }
        }
    }
}

/// Something guessed, bent or left out in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportNote {
    /// The options do not say what the buffers hold, and fio's default compresses.
    DefaultBuffers {
        /// By how much, about.
        ratio: f64,
    },
    /// A value has no word of ours.
    Approximated {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// What it was taken for.
        taken: String,
    },
    /// The size of the file is not in the options.
    SizeUnknown,
    /// fio summed several jobs itself.
    GroupReported {
        /// How many, according to `numjobs`.
        jobs: u32,
    },
    /// The job ended before its `runtime`: at the end of its file, or early.
    EndedEarly {
        /// Its `runtime`.
        asked_ns: Nanos,
        /// How long it ran.
        elapsed_ns: Nanos,
    },
    /// Latencies are completion latencies, without submission.
    CompletionLatency,
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportNote::DefaultBuffers { ratio } => write!(
                f,
                "fio's default buffers compress, at this block size and depth about {ratio}:1; on a compressing filesystem the result is about the data"
            ),
            ImportNote::Approximated {
                option,
                value,
                taken,
            } => write!(f, "`{option}={value}` is shown as {taken}"),
            ImportNote::SizeUnknown => {
                f.write_str("the size of the file is not in the options; it is shown as 0")
            }
            ImportNote::GroupReported { jobs } => write!(
                f,
                "`group_reporting` summed {jobs} jobs; other sections of the same group may be in it"
            ),
            ImportNote::EndedEarly {
                asked_ns,
                elapsed_ns,
            } => write!(
                f,
                "ran {:.2} s of {:.2} s: without `time_based` fio stops at the end of the file",
                elapsed_ns.as_secs_f64(),
                asked_ns.as_secs_f64()
            ),
            ImportNote::CompletionLatency => fmt::Display::fmt(&Note::CompletionLatency, f),
        }
    }
}

/// Reads a file that fio wrote with `--output-format=json` or `json+`, of one host or of several
/// (`--client`).
///
/// # Errors
/// [`ParseError`]: see its variants, and [`ParseError::hint`].
pub fn import(bytes: &[u8]) -> Result<Import, ParseError> {
    let report = parse_output(bytes)?;
    // The order of the map is that of names; cells are to come in the file's order.
    let mut groups: BTreeMap<(&str, Option<u64>, &Options), usize> = BTreeMap::new();
    let mut members: Vec<Vec<&Job>> = Vec::new();
    for job in &report.jobs {
        let key = (job.name.as_str(), job.group, &job.options);
        let index = *groups.entry(key).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[index].push(job);
    }
    let mut cells = Vec::new();
    let mut skipped = Vec::new();
    for jobs in members {
        match cell(&jobs) {
            Ok(Some(cell)) => cells.push(cell),
            Ok(None) => {}
            Err(skip) => skipped.push(skip),
        }
    }
    Ok(Import {
        version: report.version,
        written_unix_ns: report.written_unix_ns,
        cells,
        skipped,
        notes: report.notes,
    })
}

/// Makes one cell of the jobs that belong together; nothing of no jobs.
fn cell(jobs: &[&Job]) -> Result<Option<ImportedCell>, Skipped> {
    let Some(first) = jobs.first() else {
        return Ok(None);
    };
    let mut notes = Vec::new();
    let load = read_load(&first.options, &mut notes).map_err(|reason| Skipped {
        name: first.name.clone(),
        reason,
    })?;
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

/// Returns how many jobs `entries` entries of `hosts` hosts are. With `group_reporting`, which
/// fio before 3.4x does not write down, an entry is the sum of `numjobs` jobs.
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

/// Notes if what was timed is not total latency.
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

/// Notes if the jobs ran for less than 95 % of their `runtime`.
fn note_early_end(options: &Options, elapsed_ns: Nanos, notes: &mut Vec<ImportNote>) {
    let second = Nanos::new(1_000_000_000);
    let asked_ns = options
        .first_of(&["runtime", "timeout"])
        .and_then(|text| parse_time(text, second))
        .unwrap_or_default();
    if elapsed_ns.as_u64() < asked_ns.as_u64() / 100 * 95 {
        notes.push(ImportNote::EndedEarly {
            asked_ns,
            elapsed_ns,
        });
    }
}
