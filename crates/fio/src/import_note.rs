//! What an import says of itself: what it guessed, bent or left out, and why it skipped a job.

use std::fmt;

use stripewise_study::units::Nanos;

use crate::logs::LogNote;
use crate::report::Note;

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
    /// fio wrote no options down: direction and block size are from what was counted.
    OptionsUnknown,
    /// Percentiles are known of each job, and cannot be put together.
    PercentilesByJob {
        /// How many jobs, or directions of one, have some of their own.
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
        /// Whether it was to run for that long whatever the size of its file.
        is_time_based: bool,
    },
    /// Latencies are completion latencies, without submission.
    CompletionLatency,
    /// Something about its logs.
    Log(LogNote),
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
            ImportNote::OptionsUnknown => f.write_str(
                "fio before 2.3 writes no options down: direction and block size are from what it counted; random or sequential, depth, engine and size are not known",
            ),
            ImportNote::PercentilesByJob { parts } => write!(
                f,
                "fio gives percentiles of {parts} jobs or directions apart, which cannot be put together: they are kept as fio gave them; `--output-format=json+` gives bins that can"
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
                    true => "it was to run for all of it (`time_based`), so something stopped it",
                    false => "without `time_based` fio stops at the end of the file",
                }
            ),
            ImportNote::Log(note) => note.fmt(f),
            ImportNote::CompletionLatency => fmt::Display::fmt(&Note::CompletionLatency, f),
        }
    }
}
