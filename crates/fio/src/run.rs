//! Runs fio on a job file, in a directory of ours, and leaves nothing behind but its answer.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime};

use stripewise_study::sample::Sample;
use stripewise_study::series::Series;
use stripewise_study::units::Nanos;
use stripewise_study::world::Watch;

use crate::child::{Ended, Running};
use crate::job_file::JobFile;
use crate::merge::{Counted, SampleError};
use crate::parse::{INPUT_BYTES_MAX, ParseError, parse_output, shortened};
use crate::program::{Fio, printable};
use crate::replay::IoList;
use crate::report::Report;

/// How much of a file of messages is read.
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
    /// A file of ours could not be written or read.
    #[error("failed to {attempted} `{}`", path.display())]
    File {
        /// What was attempted: `create`, `read`.
        attempted: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
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
    /// The kernel did not let us wait for fio; fio was killed.
    #[error("failed to wait for fio")]
    Wait {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// fio did not end in time and was ended.
    #[error("fio did not end within {} s and was ended{}", limit.as_secs(), told(messages))]
    TimedOut {
        /// How long it was given.
        limit: Duration,
        /// What it printed.
        messages: String,
    },
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
    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            RunError::Killed { signal: 9, .. } => {
                Some("out of memory? the kernel's log (`dmesg`) says so")
            }
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
    /// file's limit passes, or we are killed, fio is ended. The job file and fio's answer are
    /// removed in any case but the last; the files under test stay. Blocks until fio has ended, and
    /// sleeps meanwhile: starting and ending fio takes about 0.3 s beyond the load itself.
    ///
    /// # Errors
    /// [`RunError`]: see its variants, and [`RunError::hint`].
    pub fn run(
        &self,
        job_file: &JobFile,
        directory: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Output, RunError> {
        let files = RunFiles::create(directory, job_file)?;
        let mut command = Command::new(self.path());
        command
            .current_dir(directory)
            .env("LC_ALL", "C")
            .arg(format!("--output={}", files.output.name))
            .args(["--output-format=json+", "--eta=never"])
            .args((!job_file.writes()).then_some("--readonly"))
            .args(self.clock().map(|clock| format!("--clocksource={clock}")))
            .args(self.pool_kib().map(|kib| format!("--alloc-size={kib}")))
            .arg(&files.job.name)
            .stdin(Stdio::null())
            .stdout(files.messages.handle()?)
            .stderr(files.messages.handle()?);
        let started_unix_ns = unix_ns(SystemTime::now());
        let started = Instant::now();
        let start = |source| RunError::Start {
            path: self.path().to_owned(),
            source,
        };
        let mut running = Running::start(command).map_err(start)?;
        let ended = running
            .wait_watched(job_file.limit(), watch)
            .map_err(|source| RunError::Wait { source })?;
        let run_time_ns = Nanos::from(started.elapsed());
        let series = job_file.logs().map(|logs| logs.take(directory));
        let too_long = |(path, source)| RunError::File {
            attempted: "read",
            path,
            source,
        };
        match ended {
            Ended::Stopped => Err(RunError::Interrupted),
            Ended::TimedOut => Err(RunError::TimedOut {
                limit: job_file.limit(),
                messages: shortened(&files.messages.read_text()?),
            }),
            Ended::Exited(status) => {
                let (report, messages) = files.answer(status)?;
                Ok(Output {
                    report,
                    started_unix_ns,
                    run_time_ns,
                    messages,
                    series: series.transpose().map_err(too_long)?,
                })
            }
        }
    }
}

/// The files of one run. Dropping them removes them.
#[derive(Debug)]
struct RunFiles {
    job: RunFile,
    output: RunFile,
    messages: RunFile,
    /// Lists of I/Os, which fio reads.
    _io_lists: Vec<RunFile>,
}

impl RunFiles {
    fn create(directory: &Path, job_file: &JobFile) -> Result<Self, RunError> {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let stem = format!("stripewise-{}-{run}", std::process::id());
        Ok(Self {
            job: RunFile::create(directory, format!("{stem}.fio"), job_file.text())?,
            output: RunFile::create(directory, format!("{stem}.json"), "")?,
            messages: RunFile::create(directory, format!("{stem}.log"), "")?,
            _io_lists: io_lists(directory, job_file.io_lists())?,
        })
    }

    /// Reads the answer of a fio that ended with `status`.
    fn answer(&self, status: ExitStatus) -> Result<(Report, String), RunError> {
        let own = self.messages.read_text()?;
        if let Some(signal) = status.signal() {
            let messages = own;
            return Err(RunError::Killed { signal, messages });
        }
        let parsed = parse_output(&self.output.read(INPUT_BYTES_MAX as u64 + 1)?);
        let report = match parsed {
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

    /// Returns what fio printed: its errors go to the file of `--output`, too.
    fn all_messages(&self) -> Result<String, RunError> {
        let own = self.messages.read_text()?;
        let output = self.output.read_text()?;
        Ok(shortened(&format!("{own}\n{output}")))
    }
}

/// Creates lists of I/Os. The job file names them, so their names do not change from run to run, and
/// one that a killed run left is in the way.
fn io_lists(directory: &Path, lists: &[IoList]) -> Result<Vec<RunFile>, RunError> {
    let create = |list: &IoList| {
        let _left = fs::remove_file(directory.join(&list.name));
        RunFile::create(directory, list.name.clone(), &list.text)
    };
    lists.iter().map(create).collect()
}

/// One file of a run. Dropping it removes it.
#[derive(Debug)]
struct RunFile {
    name: String,
    path: PathBuf,
}

impl RunFile {
    /// Creates the file, which must not be there, readable by us alone, with `text` in it.
    fn create(directory: &Path, name: String, text: &str) -> Result<Self, RunError> {
        let path = directory.join(&name);
        let opened = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        let mut file = opened.map_err(|source| RunError::File {
            attempted: "create",
            path: path.clone(),
            source,
        })?;
        // From here on it is ours to remove.
        let created = Self { name, path };
        file.write_all(text.as_bytes())
            .map_err(|source| created.error("write", source))?;
        Ok(created)
    }

    /// Opens it for a child to append to.
    fn handle(&self) -> Result<File, RunError> {
        let opened = OpenOptions::new().append(true).open(&self.path);
        opened.map_err(|source| self.error("open", source))
    }

    /// Reads at most so many bytes of it.
    fn read(&self, bytes_max: u64) -> Result<Vec<u8>, RunError> {
        let mut bytes = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(bytes_max).read_to_end(&mut bytes))
            .map_err(|source| self.error("read", source))?;
        Ok(bytes)
    }

    /// Reads its beginning as text that can be shown.
    fn read_text(&self) -> Result<String, RunError> {
        let bytes = self.read(MESSAGE_BYTES_MAX)?;
        Ok(shortened(&printable(&String::from_utf8_lossy(&bytes))))
    }

    fn error(&self, attempted: &'static str, source: io::Error) -> RunError {
        RunError::File {
            attempted,
            path: self.path.clone(),
            source,
        }
    }
}

impl Drop for RunFile {
    fn drop(&mut self) {
        // If it cannot be removed it goes with the directory, which is ours.
        let _left = fs::remove_file(&self.path);
    }
}

/// Returns a time as ns since 1970; a clock before that is 0.
fn unix_ns(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |duration| Nanos::from(duration).as_u64())
}
