//! Notes of an import: what was guessed, approximated or left out of another program's results.
//!
//! As warnings, they are types of their own for programs; people read [`ImportNote::message`].

use serde::{Deserialize, Serialize};
use stripewise_message::Message;

use crate::warning::seconds;
use stripewise_units::Nanos;

/// A guess, approximation or omission in an imported file, or in one of its cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ImportNote {
    /// There are several documents of one run, each with all I/Os so far; only the last counts.
    SeveralDocuments {
        /// The number of documents.
        count: usize,
    },
    /// A document is incomplete: fio was killed or is still running.
    CutShort,
    /// The job did trims, which are not counted.
    TrimsIgnored {
        /// The job.
        job: String,
        /// The number of trims.
        count: u64,
    },
    /// I/Os transferred fewer bytes than requested, or were dropped.
    ShortIos {
        /// The job.
        job: String,
        /// The number of I/Os.
        count: u64,
    },
    /// The bins do not sum up to the number of I/Os that were timed.
    BinsDisagree {
        /// The job.
        job: String,
        /// The number of I/Os that were timed.
        timed: u64,
        /// The number of I/Os in bins.
        in_bins: u64,
    },
    /// The rate that a job states is not what its counts and its run time give.
    RatesDisagree {
        /// The job.
        job: String,
        /// Whether the rate is of bytes, and not of I/Os.
        is_bytes: bool,
        /// The stated rate, per second.
        stated: u64,
        /// The rate by the counts, which are taken.
        counted: u64,
    },
    /// The byte counts are rounded down to a KiB by this version of fio.
    BytesInKib,
    /// The file has only a rate of I/Os; their number is derived from it.
    IosFromRate,
    /// The file has more numbers of its jobs than are kept.
    StatedLeftOut {
        /// How many numbers and texts were left out.
        count: usize,
    },
    /// A histogram has an invalid bin and was not read.
    BadBin {
        /// The job.
        job: String,
    },
    /// A job was left out: its pattern is not supported.
    JobLeftOut {
        /// The job.
        job: String,
        /// Its pattern.
        pattern: String,
    },
    /// A job was left out: it counted its reads and writes together.
    MixedLeftOut {
        /// The job.
        job: String,
    },
    /// Runs were left out: other files of the import have them, too.
    RepeatedRuns {
        /// A file with such a run.
        file: String,
        /// How many runs.
        count: usize,
    },
    /// The runs are of several versions of fio.
    SeveralVersions {
        /// The versions.
        versions: String,
    },
    /// Repeats of a cell come from several directories: they may be unlike in what fio does not report.
    SeveralDirectories {
        /// How many cells.
        cells: usize,
        /// Two of the directories.
        directories: String,
    },
    /// The options do not define the buffer content, and fio's default is compressible.
    DefaultBuffers {
        /// The approximate compression ratio.
        ratio: f64,
    },
    /// A load cannot express a value exactly.
    Approximated {
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// The approximation.
        taken: String,
    },
    /// A rate cannot be read, so the load has none.
    RateUnreadable {
        /// The option.
        option: String,
        /// Its value.
        value: String,
    },
    /// The size of the file is not in the options.
    SizeUnknown,
    /// The JSON has no options: direction and block size are derived from the counts.
    OptionsUnknown,
    /// Percentiles exist only for each job and cannot be merged.
    PercentilesByJob {
        /// The number of jobs, or directions of one, with percentiles.
        parts: usize,
    },
    /// fio summed several jobs itself.
    GroupReported {
        /// The number of jobs, according to `numjobs`.
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
    /// Some lines of the logs are malformed.
    BadLogLines {
        /// The number of lines.
        count: usize,
    },
    /// The histogram log lacks some I/Os: fio drops the last, unfinished window.
    HistogramLogPart {
        /// The number of I/Os in the log.
        logged: u64,
        /// The number of I/Os of the job.
        ios: u64,
    },
    /// The latency log has the maximum of each window (`log_window_value`).
    LogOfMaxima,
    /// The latency log has the maximum of each window beside the mean (`log_window_value=both`).
    LogMaximaLeftOut,
    /// The sample already has the data of a log, from the JSON or from other logs.
    LogUnused {
        /// The ending of the log's name.
        ending: String,
    },
}

impl ImportNote {
    /// Returns what was guessed, approximated or left out, as a sentence fragment.
    pub fn message(&self) -> Message {
        let message = Message::new(format!("warning-imported-{}", self.id()));
        match self {
            ImportNote::SeveralDocuments { count } | ImportNote::BadLogLines { count } => {
                message.digits("count", count)
            }
            ImportNote::TrimsIgnored { job, count } | ImportNote::ShortIos { job, count } => {
                message.name("job", job).count("count", *count)
            }
            ImportNote::BinsDisagree {
                job,
                timed,
                in_bins,
            } => message
                .name("job", job)
                .digits("timed", timed)
                .digits("binned", in_bins),
            ImportNote::RatesDisagree { .. } => self.with_rates(message),
            ImportNote::StatedLeftOut { count } => message.count("count", *count),
            ImportNote::BadBin { job } => message.name("job", job),
            ImportNote::JobLeftOut { job, pattern } => {
                message.name("job", job).name("pattern", pattern)
            }
            ImportNote::MixedLeftOut { job } => message.name("job", job),
            ImportNote::RepeatedRuns { file, count } => {
                message.name("file", file).count("count", *count)
            }
            ImportNote::SeveralVersions { versions } => message.name("versions", versions),
            ImportNote::SeveralDirectories { cells, directories } => message
                .name("directories", directories)
                .count("count", *cells),
            ImportNote::DefaultBuffers { ratio } => message.digits("ratio", ratio),
            ImportNote::Approximated {
                option,
                value,
                taken,
            } => message
                .name("option", option)
                .name("value", value)
                .name("taken", taken),
            ImportNote::RateUnreadable { option, value } => {
                message.name("option", option).name("value", value)
            }
            ImportNote::PercentilesByJob { parts } => message.digits("parts", parts),
            ImportNote::GroupReported { jobs } => message.digits("jobs", jobs),
            ImportNote::EndedEarly {
                asked_ns,
                elapsed_ns,
                is_time_based,
            } => message
                .with("elapsed", seconds(*elapsed_ns, 2))
                .with("asked", seconds(*asked_ns, 2))
                .name("is_time_based", is_time_based),
            ImportNote::HistogramLogPart { logged, ios } => {
                message.digits("logged", logged).digits("ios", ios)
            }
            ImportNote::LogUnused { ending } => message.name("ending", ending),
            ImportNote::CutShort
            | ImportNote::BytesInKib
            | ImportNote::IosFromRate
            | ImportNote::SizeUnknown
            | ImportNote::OptionsUnknown
            | ImportNote::CompletionLatency
            | ImportNote::LogOfMaxima
            | ImportNote::LogMaximaLeftOut => message,
        }
    }

    /// Adds the rates of a job that do not agree.
    fn with_rates(&self, message: Message) -> Message {
        match self {
            ImportNote::RatesDisagree {
                job,
                is_bytes,
                stated,
                counted,
            } => message
                .name("job", job)
                .name("of", if *is_bytes { "bytes" } else { "ios" })
                .digits("stated", stated)
                .digits("counted", counted),
            _ => message,
        }
    }

    /// Returns the name of the kind in the catalogue.
    const fn id(&self) -> &'static str {
        match self {
            ImportNote::SeveralDocuments { .. } => "several-documents",
            ImportNote::CutShort => "cut-short",
            ImportNote::TrimsIgnored { .. } => "trims-ignored",
            ImportNote::ShortIos { .. } => "short-ios",
            ImportNote::BinsDisagree { .. } => "bins-disagree",
            ImportNote::RatesDisagree { .. } => "rates-disagree",
            ImportNote::BytesInKib => "bytes-in-kib",
            ImportNote::IosFromRate => "ios-from-rate",
            ImportNote::StatedLeftOut { .. } => "stated-left-out",
            ImportNote::BadBin { .. } => "bad-bin",
            ImportNote::JobLeftOut { .. } => "job-left-out",
            ImportNote::MixedLeftOut { .. } => "mixed-left-out",
            ImportNote::RepeatedRuns { .. } => "repeated-runs",
            ImportNote::SeveralVersions { .. } => "several-versions",
            ImportNote::SeveralDirectories { .. } => "several-directories",
            ImportNote::DefaultBuffers { .. } => "default-buffers",
            ImportNote::Approximated { .. } => "approximated",
            ImportNote::RateUnreadable { .. } => "rate-unreadable",
            ImportNote::SizeUnknown => "size-unknown",
            ImportNote::OptionsUnknown => "options-unknown",
            ImportNote::PercentilesByJob { .. } => "percentiles-by-job",
            ImportNote::GroupReported { .. } => "group-reported",
            ImportNote::EndedEarly { .. } => "ended-early",
            ImportNote::CompletionLatency => "completion-latency",
            ImportNote::BadLogLines { .. } => "bad-log-lines",
            ImportNote::HistogramLogPart { .. } => "histogram-log-part",
            ImportNote::LogOfMaxima => "log-of-maxima",
            ImportNote::LogMaximaLeftOut => "log-maxima-left-out",
            ImportNote::LogUnused { .. } => "log-unused",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_differ_only_in_numbers_are_of_one_kind() {
        let approximated = |value: &str| ImportNote::Approximated {
            option: "bs".into(),
            value: value.into(),
            taken: "4K".into(),
        };
        let kind = |note: ImportNote| note.message().without_numbers();
        let first = kind(approximated("16k,8k"));
        assert_eq!(first, kind(approximated("32k,8k")));
        assert_ne!(first, kind(approximated("many")));
        assert_ne!(
            kind(ImportNote::SizeUnknown),
            kind(ImportNote::OptionsUnknown)
        );
    }
}
