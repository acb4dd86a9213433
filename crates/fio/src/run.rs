//! Runs fio on a job file, in a directory of ours, and leaves nothing behind but its answer.
//!
//! The job file is fio's standard input, the answer its standard output, and lists of I/Os are
//! opened by a path in `/proc`: all of them are files in memory (`memory`). So none of
//! them is on the filesystem under test, and nobody can put a FIFO or a link in their place.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant, SystemTime};

use stripewise_study::sample::Sample;
use stripewise_study::series::Series;
use stripewise_study::units::Nanos;
use stripewise_study::world::Watch;

use crate::child::{Ended, Running};
use crate::job_file::JobFile;
use crate::memory::MemoryFile;
use crate::merge::{Counted, SampleError};
use crate::parse::{INPUT_BYTES_MAX, ParseError, parse_output, shortened};
use crate::program::{Fio, printable};
use crate::report::Report;
use crate::series::OpenLogs;

/// How much of fio's messages is read.
const MESSAGE_BYTES_MAX: u64 = 64 << 10;
/// How much fio can write to its standard error; writing more fails.
const STDERR_BYTES_MAX: u64 = 16 << 20;

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
    #[error("failed to start `{}`", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
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
        let memory = RunMemory::create(job_file).map_err(RunError::memory)?;
        let logs = OpenLogs::of(job_file.logs(), directory);
        let logs = logs.map_err(|(path, source)| RunError::Log { path, source })?;
        let command = self.command(job_file, directory, &memory);
        let started_unix_ns = unix_ns(SystemTime::now());
        let started = Instant::now();
        let mut running = command
            .and_then(Running::start_contained)
            .map_err(|source| RunError::Start {
                path: self.path().to_owned(),
                source,
            })?;
        let mut watch = Bounding {
            watch,
            answer: &memory.answer,
        };
        let ended = running
            .wait_watched(job_file.limit(), &mut watch)
            .map_err(|source| RunError::Wait { source })?;
        let run_time_ns = Nanos::from(started.elapsed());
        let is_overfull = memory.answer.is_overfull().map_err(RunError::memory)?;
        match ended {
            _ if is_overfull => Err(RunError::Flooded),
            Ended::Stopped => Err(RunError::Interrupted),
            Ended::TimedOut => Err(RunError::TimedOut {
                limit: job_file.limit(),
                load: job_file.asked(),
                messages: memory.messages()?,
            }),
            Ended::Exited(status) => {
                let (report, messages) = memory.answer(status)?;
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

    /// Returns the command that reads its job file from standard input.
    fn command(
        &self,
        job_file: &JobFile,
        directory: &Path,
        memory: &RunMemory,
    ) -> io::Result<Command> {
        let mut command = Command::new(self.path());
        command
            .current_dir(directory)
            .env("LC_ALL", "C")
            .envs(
                memory
                    .io_lists
                    .iter()
                    .map(|(name, list)| (name, list.path())),
            )
            .args(["--output-format=json+", "--eta=never"])
            .args((!job_file.writes()).then_some("--readonly"))
            .args(self.clock().map(|clock| format!("--clocksource={clock}")))
            .args(self.pool_kib().map(|kib| format!("--alloc-size={kib}")))
            .arg("-")
            .stdin(memory.job.handle()?)
            .stdout(memory.answer.handle()?)
            .stderr(memory.messages.handle()?);
        Ok(command)
    }
}

/// Asks another watch, and stops a fio that floods its answer.
struct Bounding<'a> {
    watch: &'a mut dyn Watch,
    answer: &'a MemoryFile,
}

impl Watch for Bounding<'_> {
    fn next_look(&self, elapsed: Duration) -> Duration {
        self.watch.next_look(elapsed)
    }

    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.watch.keep_going(elapsed) && !self.answer.is_overfull().unwrap_or(false)
    }
}

/// What one run of fio reads and writes.
#[derive(Debug)]
struct RunMemory {
    job: MemoryFile,
    answer: MemoryFile,
    messages: MemoryFile,
    /// Lists of I/Os, with the variables that hold their paths.
    io_lists: Vec<(String, MemoryFile)>,
}

impl RunMemory {
    fn create(job_file: &JobFile) -> io::Result<Self> {
        let lists = job_file.io_lists().iter();
        let lists = lists.map(|list| Ok((list.variable.clone(), MemoryFile::holding(&list.text)?)));
        Ok(Self {
            job: MemoryFile::holding(job_file.text())?,
            answer: MemoryFile::for_output(INPUT_BYTES_MAX as u64)?,
            messages: MemoryFile::for_output(STDERR_BYTES_MAX)?,
            io_lists: lists.collect::<io::Result<_>>()?,
        })
    }

    /// Reads the answer of a fio that ended with `status`.
    fn answer(&self, status: ExitStatus) -> Result<(Report, String), RunError> {
        let own = self.messages()?;
        if let Some(signal) = status.signal() {
            let messages = own;
            return Err(RunError::Killed { signal, messages });
        }
        let answer = self.answer.read(INPUT_BYTES_MAX as u64);
        let report = match parse_output(&answer.map_err(RunError::memory)?) {
            Ok(report) => report,
            Err(source) => {
                let messages = self.all_messages()?;
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
    fn messages(&self) -> Result<String, RunError> {
        text_of(&self.messages)
    }

    /// Returns all that fio printed, where its answer is none.
    fn all_messages(&self) -> Result<String, RunError> {
        let (own, answer) = (self.messages()?, text_of(&self.answer)?);
        Ok(shortened(&format!("{own}\n{answer}")))
    }
}

/// Reads the beginning of a file as text that can be shown.
fn text_of(file: &MemoryFile) -> Result<String, RunError> {
    let bytes = file.read(MESSAGE_BYTES_MAX).map_err(RunError::memory)?;
    Ok(shortened(&printable(&String::from_utf8_lossy(&bytes))))
}

/// Returns a time as ns since 1970; a clock before that is 0.
fn unix_ns(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |duration| Nanos::from(duration).as_u64())
}
