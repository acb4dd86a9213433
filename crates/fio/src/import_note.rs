//! Notes of an import: guesses, approximations, omissions, and the reasons for skipped jobs.

use std::fmt;

use stripewise_study::units::Nanos;

use crate::logs::LogNote;
use crate::report::Note;

/// Why a job could not be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipReason {
    /// Its pattern is not supported: trims.
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

/// A guess, approximation or omission in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportNote {
    /// The options do not define the buffer content, and fio's default is compressible.
    DefaultBuffers {
        /// The approximate compression ratio.
        ratio: f64,
    },
    /// A load cannot express a value exactly.
    Approximated {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// The approximation.
        taken: String,
    },
    /// The size of the file is not in the options.
    SizeUnknown,
    /// The JSON has no options: direction and block size are derived from the counts.
    OptionsUnknown,
    /// Percentiles exist only for each job and cannot be merged.
    PercentilesByJob {
        /// How many jobs, or directions of one, have percentiles.
        parts: usize,
    },
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
        /// Whether it had to run that long regardless of its file's size.
        is_time_based: bool,
    },
    /// Latencies are completion latencies, without submission.
    CompletionLatency,
    /// A note about its logs.
    Log(LogNote),
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportNote::DefaultBuffers { ratio } => write!(
                f,
                "fio's default buffers compress about {ratio}:1 at this block size and depth; on a compressing filesystem the result depends on the data"
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
                "`group_reporting` summed {jobs} jobs; the sum may include other sections of the same group"
            ),
            ImportNote::OptionsUnknown => f.write_str(
                "fio before 2.3 records no options: direction and block size are derived from its counts; random or sequential, depth, engine and size are unknown",
            ),
            ImportNote::PercentilesByJob { parts } => write!(
                f,
                "fio gives separate percentiles for {parts} jobs or directions, which cannot be merged: they are kept unchanged; `--output-format=json+` gives mergeable bins"
            ),
            ImportNote::EndedEarly {
                asked_ns,
                elapsed_ns,
                is_time_based,
            } => write!(
                f,
                "ended early, after {:.2} s of {:.2} s: {}",
                elapsed_ns.as_secs_f64(),
                asked_ns.as_secs_f64(),
                match is_time_based {
                    true => "with `time_based` it should have run that long, so something stopped it",
                    false => "without `time_based` fio stops at the end of the file",
                }
            ),
            ImportNote::Log(note) => note.fmt(f),
            ImportNote::CompletionLatency => fmt::Display::fmt(&Note::CompletionLatency, f),
        }
    }
}
