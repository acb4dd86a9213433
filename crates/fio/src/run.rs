//! Runs fio on a job file, in a directory of ours, and leaves nothing behind but its answer.
//!
//! The job file is fio's standard input, the answer its standard output, and lists of I/Os are
//! opened by a path in `/proc`: all of them are [files in memory](MemoryFile). So none of
//! them is on the filesystem under test, and nobody can put a FIFO or a link in their place.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant, SystemTime};

use stripewise_process::{Call, CallError, Child, Ended, MemoryFile};
use stripewise_study::sample::Sample;
use stripewise_study::series::Series;
use stripewise_study::units::Nanos;
use stripewise_study::world::Watch;

use crate::job_file::JobFile;
use crate::merge::{Counted, SampleError};
use crate::parse::{INPUT_BYTES_MAX, ParseError, parse_output, shortened};
use crate::program::{Fio, printable};
use crate::report::Report;
use crate::series::OpenLogs;

/// How much of fio's messages is read.
const MESSAGE_BYTES_MAX: u64 = 64 << 10;

/// What a run of fio gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// What fio says, job by job.
    pub report: Report,
    /// When fio was started, in ns since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// How long fio ran, from start to exit: its own start and end included.
    pub run_time_ns: Nanos,
    /// What fio printed besides JSON.
    pub messages: String,
    /// The counted jobs step by step, where the job file asked for it.
    pub series: Option<Series>,
}

impl Output {
    /// Sums the jobs of `job_file` that count to a sample; see [`Report::to_sample`].
    ///
    /// # Errors
    /// [`SampleError::MissingJob`] if fio reports nothing about one of them.
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

/// A job that fio reports an error of.
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

/// Why a run of fio gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The watch said stop.
    #[error("interrupted")]
    Interrupted,
    /// A file in memory could not be made, written or read.
    #[error("failed to hold fio's job file and answer in memory")]
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
    /// fio or a process that it started did not end, or the kernel did not let us wait for it.
    #[error("failed to end fio")]
    Wait {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// fio did not end in time and was ended.
    #[error(
        "fio did not end within {} s{} and was ended{}",
        limit.as_secs(), beyond(*load, *limit), told(messages)
    )]
    TimedOut {
        /// How long it was given.
        limit: Duration,
        /// How long its load was to run; nothing for a load that runs until it is done.
        load: Option<Nanos>,
        /// What it printed.
        messages: String,
    },
    /// fio wrote more than any answer has, and was ended.
    #[error("fio wrote more than {} MiB and was ended", INPUT_BYTES_MAX >> 20)]
    Flooded,
    /// Somebody or something killed fio.
    #[error("fio was killed by signal {signal}{}", told(messages))]
    Killed {
        /// The signal.
        signal: i32,
        /// What it printed.
        messages: String,
    },
    /// fio reports errors of jobs.
    #[error("fio failed: {}{}", listed(jobs), told(messages))]
    JobsFailed {
        /// The jobs.
        jobs: Vec<FailedJob>,
        /// What it printed.
        messages: String,
    },
    /// fio failed without saying which job.
    #[error("fio failed: {status}{}", told(messages))]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// What it printed.
        messages: String,
    },
    /// fio ended well, and its answer cannot be read.
    #[error("failed to read what fio wrote{}", told(messages))]
    Unreadable {
        /// Why.
        #[source]
        source: ParseError,
        /// What it printed besides.
        messages: String,
    },
}

impl RunError {
    fn memory(source: io::Error) -> Self {
        RunError::Memory { source }
    }

    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RunError::Killed { signal: 9, .. } => {
                Some("out of memory? the kernel's log (`dmesg`) says so")
            }
            RunError::TimedOut { .. } => Some(
                "this sample is lost, finished ones are kept: look in the kernel's log (`dmesg`) for a device that no longer answers",
            ),
            RunError::Wait { .. } => Some(
                "a process in state D waits for a device that no longer answers: `ps -eo pid,stat,wchan:30,args`",
            ),
            RunError::Flooded => Some("is the `fio` that comes first in PATH the real one?"),
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

/// Says how a limit follows from the time of a load.
fn beyond(load: Option<Nanos>, limit: Duration) -> String {
    let more = load.and_then(|load| limit.checked_sub(load.into()));
    match (load, more) {
        (Some(load), Some(more)) => format!(" ({load} of load and {} s to finish)", more.as_secs()),
        _ => String::new(),
    }
}

/// Returns what fio told us as the end of a sentence.
fn told(messages: &str) -> String {
    if messages.is_empty() {
        String::new()
    } else {
        let lines: Vec<&str> = messages.lines().map(str::trim).collect();
        format!("; it said: {}", lines.join(" | "))
    }
}

impl Fio {
    /// Runs fio on `job_file` in the directory `directory`, which is ours, and reads its answer.
    ///
    /// `watch` is asked about four times a second whether to go on. When it says no, or the job
    /// file's limit passes, or we are killed, fio is ended. Job file and answer are in memory; the
    /// files under test stay, and so do those of [`JobFile::log_names`] that were there before.
    /// Whatever fio started is killed before this returns. Blocks until fio has ended, and sleeps
    /// meanwhile: starting and ending fio takes about 0.3 s beyond the load itself.
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

/// Returns lists of I/Os in memory, with the variables that hold their paths.
fn io_lists(job_file: &JobFile) -> io::Result<Vec<(String, MemoryFile)>> {
    let lists = job_file.io_lists().iter();
    let lists = lists.map(|list| Ok((list.variable.clone(), MemoryFile::holding(&list.text)?)));
    lists.collect()
}

/// Reads the answer of a fio that ended with `status`.
fn answer_of(fio: &Child, status: ExitStatus) -> Result<(Report, String), RunError> {
    let own = messages_of(fio)?;
    if let Some(signal) = status.signal() {
        let messages = own;
        return Err(RunError::Killed { signal, messages });
    }
    let answer = fio.read_stdout(INPUT_BYTES_MAX as u64);
    let report = match parse_output(&answer.map_err(RunError::memory)?) {
        Ok(report) => report,
        Err(source) => {
            // All that it printed, as its answer is none.
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

/// Returns what fio printed to standard error.
fn messages_of(fio: &Child) -> Result<String, RunError> {
    text_of(fio.read_stderr(MESSAGE_BYTES_MAX))
}

/// Returns what was read as text that can be shown.
fn text_of(bytes: io::Result<Vec<u8>>) -> Result<String, RunError> {
    let bytes = bytes.map_err(RunError::memory)?;
    Ok(shortened(&printable(&String::from_utf8_lossy(&bytes))))
}

/// Returns a time as ns since 1970; a clock before that is 0.
fn unix_ns(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |duration| Nanos::from(duration).as_u64())
}
