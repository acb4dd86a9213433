//! Runs fio on a job file, in a directory of ours, and leaves no files behind.
//!
//! The job file is fio's standard input, the JSON its standard output, and fio opens lists of I/Os
//! by a path in `/proc`: all of them are [in-memory files](MemoryFile). So none of them is on the
//! filesystem under test, and no other process can replace one by a FIFO or a link.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime};

use stripewise_process::{Call, CallError, Child, Ended, MemoryFile};
use stripewise_study::sample::Sample;
use stripewise_study::series::Series;
use stripewise_study::world::Watch;
use stripewise_units::Nanos;

use crate::job_file::JobFile;
use crate::merge::{Counted, SampleError};
use crate::parse::{INPUT_BYTES_MAX, ParseError, parse_output, shortened};
use crate::program::{Fio, printable};
use crate::report::FioReport;
use crate::series::OpenLogs;

/// How much of fio's messages we read.
const MESSAGE_BYTES_MAX: u64 = 64 << 10;

/// The result of a run of fio.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// fio's report, job by job.
    pub report: FioReport,
    /// When fio was started, in ns since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// How long fio ran, from start to exit, including its own setup and teardown.
    pub run_time_ns: Nanos,
    /// fio's output besides the JSON.
    pub messages: String,
    /// The counted jobs step by step, if the job file requested it.
    pub series: Option<Series>,
}

impl Output {
    /// Sums the jobs of `job_file` that count into a sample; see [`FioReport::to_sample`].
    ///
    /// # Errors
    /// [`SampleError::MissingJob`] if one of them is missing in the report.
    pub fn to_sample(&self, job_file: &JobFile) -> Result<Sample, SampleError> {
        let sample = self
            .report
            .to_sample(Counted::Named(job_file.counted()), job_file.asked())?;
        Ok(Sample {
            started_unix_ns: sample.started_unix_ns.or(Some(self.started_unix_ns)),
            series: self.series.clone(),
            ..sample
        })
    }
}

/// A job that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedJob {
    /// Its name.
    pub job: String,
    /// The error number.
    pub errno: i64,
}

impl std::fmt::Display for FailedJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = i32::try_from(self.errno).unwrap_or(i32::MAX);
        let meaning = io::Error::from_raw_os_error(number);
        write!(f, "job `{}`: {meaning}", self.job)
    }
}

/// Why a run of fio failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The watch cancelled the run.
    #[error("interrupted")]
    Interrupted,
    /// An in-memory file could not be created, written or read.
    #[error("failed to keep fio's job file and output in memory")]
    Memory {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// fio could not write one of its logs, or we could not read it.
    #[error("failed to use `{}` as a log of fio", path.display())]
    Log {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// fio could not be started.
    #[error(transparent)]
    Start(CallError),
    /// fio or one of its child processes did not exit, or waiting for it failed.
    #[error("failed to terminate fio")]
    Wait {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// fio did not end in time and was killed.
    #[error(
        "fio did not end within {} s{} and was killed{}",
        limit.as_secs(), limit_explanation(*load, *limit), with_messages(messages)
    )]
    TimedOut {
        /// The limit.
        limit: Duration,
        /// The duration of its load; `None` for a load that runs until it is done.
        load: Option<Nanos>,
        /// Its messages.
        messages: String,
    },
    /// fio wrote more than any valid output, and was killed.
    #[error("fio wrote more than {} MiB and was killed", INPUT_BYTES_MAX >> 20)]
    Flooded,
    /// fio was killed by a signal that we did not send.
    #[error("fio was killed by signal {signal}{}", with_messages(messages))]
    Killed {
        /// The signal.
        signal: i32,
        /// Its messages.
        messages: String,
    },
    /// fio reports failed jobs.
    #[error("fio failed: {}{}", listed(jobs), with_messages(messages))]
    JobsFailed {
        /// The jobs.
        jobs: Vec<FailedJob>,
        /// Its messages.
        messages: String,
    },
    /// fio failed without naming a job.
    #[error("fio failed: {status}{}", with_messages(messages))]
    Failed {
        /// Its exit status.
        status: ExitStatus,
        /// Its messages.
        messages: String,
    },
    /// fio succeeded, but its output cannot be parsed.
    #[error("failed to parse fio's output{}", with_messages(messages))]
    Unreadable {
        /// Why.
        #[source]
        source: ParseError,
        /// Its other messages.
        messages: String,
    },
}

impl RunError {
    fn memory(source: io::Error) -> Self {
        RunError::Memory { source }
    }

    /// Returns a remedy, if one is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RunError::Killed { signal: 9, .. } => {
                Some("was it out of memory? check the kernel's log (`dmesg`)")
            }
            RunError::TimedOut { .. } => Some(
                "this sample is lost, finished ones are kept: check the kernel's log (`dmesg`) for a device that no longer responds",
            ),
            RunError::Wait { .. } => Some(
                "a process in state D waits for a device that no longer responds: `ps -eo pid,stat,wchan:30,args`",
            ),
            RunError::Flooded => Some("is the first `fio` in PATH the real one?"),
            RunError::JobsFailed { jobs, .. } => jobs.iter().find_map(|job| match job.errno {
                22 => Some("does the filesystem refuse `direct = true`, or the kernel the engine?"),
                28 => Some("free space on the target, or set a smaller `size`"),
                1 | 38 => {
                    Some("the kernel or container forbids the engine: try `engine = \"psync\"`")
                }
                _ => None,
            }),
            _ => None,
        }
    }
}

/// Lists failed jobs.
fn listed(jobs: &[FailedJob]) -> String {
    let jobs: Vec<String> = jobs.iter().map(FailedJob::to_string).collect();
    jobs.join(", ")
}

/// Explains how a limit follows from the duration of a load.
fn limit_explanation(load: Option<Nanos>, limit: Duration) -> String {
    let more = load.and_then(|load| limit.checked_sub(load.into()));
    match (load, more) {
        (Some(load), Some(more)) => format!(" ({load} of load and {} s to finish)", more.as_secs()),
        _ => String::new(),
    }
}

/// Returns fio's messages as the end of a sentence.
fn with_messages(messages: &str) -> String {
    if messages.is_empty() {
        String::new()
    } else {
        let lines: Vec<&str> = messages.lines().map(str::trim).collect();
        format!("; it printed: {}", lines.join(" | "))
    }
}

impl Fio {
    /// Runs fio on `job_file` in `directory`, which is ours, and parses its output.
    ///
    /// Polls `watch` about four times a second. fio is killed if `watch` cancels, if the job file's
    /// limit passes, or if we are killed. Job file and output are in memory; the files under test
    /// stay, and so do existing [logs](JobFile::log_names). All child processes of fio are killed
    /// before this returns. Blocks until fio has exited: its start and exit take about 0.3 s
    /// besides the load.
    ///
    /// # Errors
    /// [`RunError`]: see its variants, and [`RunError::hint`].
    pub fn run(
        &self,
        job_file: &JobFile,
        directory: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Output, RunError> {
        let logs = OpenLogs::of(job_file.logs(), directory);
        let logs = logs.map_err(|(path, source)| RunError::Log { path, source })?;
        let io_lists = io_lists(job_file).map_err(RunError::memory)?;
        let call = self.call(job_file, directory, &io_lists);
        let call = call.map_err(RunError::memory)?;
        let started_unix_ns = unix_ns(SystemTime::now());
        let started = Instant::now();
        let mut child = call.start().map_err(RunError::Start)?;
        let ended = child.wait(watch).map_err(|source| match source.kind() {
            io::ErrorKind::FileTooLarge => RunError::Flooded,
            _ => RunError::Wait { source },
        })?;
        let run_time_ns = Nanos::from(started.elapsed());
        match ended {
            Ended::Stopped => Err(RunError::Interrupted),
            Ended::TimedOut => Err(RunError::TimedOut {
                limit: job_file.limit(),
                load: job_file.asked(),
                messages: messages_of(&child)?,
            }),
            Ended::Exited(status) => {
                let (report, messages) = answer_of(&child, status)?;
                Ok(Output {
                    report,
                    started_unix_ns,
                    run_time_ns,
                    messages,
                    series: logs
                        .series()
                        .map_err(|(path, source)| RunError::Log { path, source })?,
                })
            }
        }
    }

    /// Returns the call that reads its job file from standard input.
    fn call(
        &self,
        job_file: &JobFile,
        directory: &Path,
        io_lists: &[(String, MemoryFile)],
    ) -> io::Result<Call> {
        let call = Call::new(self.path())
            .contained()
            .current_dir(directory)
            .limit(job_file.limit())
            .stdin(MemoryFile::holding(job_file.text())?)
            .stdout_bytes_max(INPUT_BYTES_MAX as u64)
            .envs(io_lists.iter().map(|(name, list)| (name, list.path())))
            .args(["--output-format=json+", "--eta=never"])
            .args((!job_file.writes()).then_some("--readonly"))
            .args(self.clock().map(|clock| format!("--clocksource={clock}")))
            .args(self.pool_kib().map(|kib| format!("--alloc-size={kib}")));
        Ok(call.arg("-"))
    }
}

/// Returns the in-memory lists of I/Os, with the variables that hold their paths.
fn io_lists(job_file: &JobFile) -> io::Result<Vec<(String, MemoryFile)>> {
    let lists = job_file.io_lists().iter();
    let lists = lists.map(|list| Ok((list.variable.clone(), MemoryFile::holding(&list.text)?)));
    lists.collect()
}

/// Parses the output of a fio that exited with `status`.
fn answer_of(fio: &Child, status: ExitStatus) -> Result<(FioReport, String), RunError> {
    let own = messages_of(fio)?;
    if let Some(signal) = status.signal() {
        let messages = own;
        return Err(RunError::Killed { signal, messages });
    }
    let answer = fio.read_stdout(INPUT_BYTES_MAX as u64);
    let report = match parse_output(&answer.map_err(RunError::memory)?) {
        Ok(report) => report,
        Err(source) => {
            // Its standard output is not JSON, so show it as a message.
            let answer = text_of(fio.read_stdout(MESSAGE_BYTES_MAX))?;
            let messages = shortened(&format!("{own}\n{answer}"));
            return Err(if status.success() {
                RunError::Unreadable { source, messages }
            } else {
                RunError::Failed { status, messages }
            });
        }
    };
    let messages = shortened(&format!("{own}\n{}", report.messages));
    if status.success() {
        return Ok((report, messages));
    }
    let jobs: Vec<FailedJob> = report
        .jobs
        .iter()
        .filter(|job| job.error != 0)
        .map(|job| FailedJob {
            job: job.name.clone(),
            errno: job.error,
        })
        .collect();
    Err(if jobs.is_empty() {
        RunError::Failed { status, messages }
    } else {
        RunError::JobsFailed { jobs, messages }
    })
}

/// Returns fio's standard error.
fn messages_of(fio: &Child) -> Result<String, RunError> {
    text_of(fio.read_stderr(MESSAGE_BYTES_MAX))
}

/// Returns bytes as printable text.
fn text_of(bytes: io::Result<Vec<u8>>) -> Result<String, RunError> {
    let bytes = bytes.map_err(RunError::memory)?;
    Ok(shortened(&printable(&String::from_utf8_lossy(&bytes))))
}

/// Returns a time as ns since 1970; an earlier one is 0.
pub fn unix_ns(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |duration| Nanos::from(duration).as_u64())
}
