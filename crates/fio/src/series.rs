//! fio's logs of bandwidth, I/Os and latency over time: requested in a job file, read as a series.
//!
//! Each line of a log is `time, value, direction, block size, offset`: milliseconds since the job
//! began, the mean over the `log_avg_msec` before (KiB a second, I/Os a second, or nanoseconds),
//! 0 for reads and 1 for writes (fio's HOWTO, "Log File Formats"). Jobs are summed step by step.
//!
//! A mean covers the time since the previous one (`__add_samples` in fio's `stat.c`); the first
//! covers the time since the start. In virtual time fio may log the first mean after several steps.
//!
//! fio can only open its logs by name. The caller may have created them, to know their inodes: fio
//! appends to an existing log (`flush_log` in its `iolog.c`, without `per_job_logs`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use stripewise_study::series::{STEPS_MAX, Series, SeriesColumns};
use stripewise_units::Nanos;

use crate::job_options::option;

/// The largest log that we read: two lines of 32 bytes for each step.
const LOG_BYTES_MAX: u64 = 128 << 20;
/// The most steps that we read: a day's rebuild in the shortest steps, of 50 ms. A series has
/// fewer, so we merge several into one ([`STEPS_MAX`]).
const STEPS_READ_MAX: u64 = 2_000_000;

/// The suffixes of fio's log names for one job. fio always writes the last two, parts of the
/// latency; we do not read them.
const ENDINGS: [&str; 5] = ["bw", "iops", "lat", "slat", "clat"];

/// The logs that a job file requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logs {
    /// The length of each step.
    step: Nanos,
    /// The prefix of the names of each job's logs.
    stems: Vec<String>,
}

impl Logs {
    /// Returns the logs of `jobs` jobs; steps are rounded up to whole milliseconds.
    pub(crate) fn of(jobs: usize, step: Nanos) -> Self {
        let millis = step.as_u64().div_ceil(1_000_000).max(1);
        Self {
            step: Nanos::from_millis(millis),
            stems: (0..jobs).map(stem).collect(),
        }
    }

    /// Writes the options of all logs.
    pub(crate) fn global_options(&self, text: &mut String) {
        option(text, "log_avg_msec", self.step.as_u64() / 1_000_000);
        option(text, "per_job_logs", 0);
    }

    /// Writes the log options of one job.
    pub(crate) fn job_options(&self, text: &mut String, job: usize) {
        let Some(stem) = self.stems.get(job) else {
            return;
        };
        for log in ["write_bw_log", "write_iops_log", "write_lat_log"] {
            option(text, log, stem);
        }
    }

    /// Returns the names of all logs, including those that we do not read.
    pub(crate) fn names(&self) -> Vec<String> {
        log_names(self.stems.len())
    }
}

fn stem(job: usize) -> String {
    format!("series-{job}")
}

/// Returns the names of all logs that fio writes for a series of `jobs` jobs.
///
/// [`Fio::run`](crate::Fio::run) truncates logs that existed before, both before and after the run,
/// which keeps their inodes. It removes the others.
pub fn log_names(jobs: usize) -> Vec<String> {
    let of_job = |job| ENDINGS.map(|ending| format!("{}_{ending}.log", stem(job)));
    (0..jobs).flat_map(of_job).collect()
}

/// Opens a log without following a link, and without waiting for the other end of a FIFO.
fn open_log(path: &Path) -> io::Result<File> {
    // The standard library adds `O_CLOEXEC`.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(flags)
        .open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// The logs of a running fio.
#[derive(Debug)]
pub(crate) struct OpenLogs<'a> {
    logs: Option<&'a Logs>,
    /// The path of each log, in the order of [`Logs::names`], and the open file if it existed
    /// before.
    files: Vec<(PathBuf, Option<File>)>,
}

impl<'a> OpenLogs<'a> {
    /// Opens and truncates existing logs in `directory`, before fio starts.
    ///
    /// # Errors
    /// The path of the first log that is not a regular file or cannot be opened.
    pub(crate) fn of(
        logs: Option<&'a Logs>,
        directory: &Path,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let mut files = Vec::new();
        for name in logs.map(Logs::names).unwrap_or_default() {
            let path = directory.join(name);
            let opened = open_log(&path).and_then(|file| file.set_len(0).map(|()| file));
            match opened {
                Ok(file) => files.push((path, Some(file))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => files.push((path, None)),
                Err(error) => return Err((path, error)),
            }
        }
        Ok(Self { logs, files })
    }

    /// Reads the logs; `None` if none were requested. A missing or malformed log adds nothing.
    ///
    /// # Errors
    /// If a log is too long, with its path.
    pub(crate) fn series(&self) -> Result<Option<Series>, (PathBuf, io::Error)> {
        let Some(logs) = self.logs else {
            return Ok(None);
        };
        let mut sums = Sums::new(logs.step, LineFormat::default());
        for job in self.files.chunks(ENDINGS.len()) {
            if let [bandwidth, ios, latency, ..] = job {
                sums.add(&read(bandwidth)?, &read(ios)?, &read(latency)?);
                if sums.too_late > 0 {
                    let problem = format!("it has more than {STEPS_READ_MAX} steps");
                    return Err(too_long(&bandwidth.0, problem));
                }
            }
        }
        Ok(Some(sums.series()))
    }
}

impl Drop for OpenLogs<'_> {
    /// Truncates the logs that existed before, and removes the others.
    fn drop(&mut self) {
        for (path, file) in &self.files {
            // On an error the log is removed with the directory, which is ours.
            let _left = match file {
                Some(file) => file.set_len(0),
                None => open_log(path).and_then(|_| fs::remove_file(path)),
            };
        }
    }
}

fn too_long(path: &Path, problem: String) -> (PathBuf, io::Error) {
    let kind = io::ErrorKind::FileTooLarge;
    (path.to_owned(), io::Error::new(kind, problem))
}

/// Returns a log, empty if it cannot be read.
fn read((path, file): &(PathBuf, Option<File>)) -> Result<Vec<u8>, (PathBuf, io::Error)> {
    let mut bytes = Vec::new();
    let limit = LOG_BYTES_MAX + 1;
    let read = match file {
        Some(file) => file.take(limit).read_to_end(&mut bytes),
        None => open_log(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
    };
    match read {
        Ok(_) if bytes.len() as u64 > LOG_BYTES_MAX => {
            let problem = format!("it has more than {LOG_BYTES_MAX} bytes");
            Err(too_long(path, problem))
        }
        Ok(_) => Ok(bytes),
        Err(_) => Ok(Vec::new()),
    }
}

/// A line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub at_ms: u64,
    pub value: u64,
    pub writes: bool,
    /// The size of the I/O; 0 if the line is a mean.
    pub block_bytes: u64,
}

/// What the lines of a log mean, by fio's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LineFormat {
    /// Whether the maximum of the window follows the mean (`log_window_value=both`).
    pub has_maximum: bool,
    /// The time that counts as 0: after 1970 with `log_unix_epoch`.
    pub base_ms: u64,
}

impl LineFormat {
    /// Returns how many fields precede the direction.
    pub(crate) const fn before_direction(self) -> usize {
        match self.has_maximum {
            true => 3,
            false => 2,
        }
    }
}

/// Returns the well-formed lines of a log; skips trims.
pub(crate) fn entries(log: &[u8], format: LineFormat) -> impl Iterator<Item = Entry> {
    log.split(|byte| *byte == b'\n').filter_map(move |line| {
        let line = std::str::from_utf8(line).ok()?;
        let mut fields = line.split(',').map(str::trim);
        let (at, value) = (fields.next()?, fields.next()?);
        let direction = fields.nth(format.before_direction() - 2)?;
        Some(Entry {
            at_ms: at.parse::<u64>().ok()?.saturating_sub(format.base_ms),
            value: value.parse().ok()?,
            writes: match direction {
                "0" => false,
                "1" => true,
                _ => return None,
            },
            block_bytes: fields
                .next()
                .and_then(|size| size.parse().ok())
                .unwrap_or(0),
        })
    })
}

/// One direction: bytes, I/Os, and the sums of their latencies.
#[derive(Debug, Default)]
struct Direction {
    bytes: Vec<u64>,
    ios: Vec<u64>,
    latency_ns: Vec<u64>,
}

#[derive(Debug)]
pub(crate) struct Sums {
    step: Nanos,
    format: LineFormat,
    directions: [Direction; 2],
    /// How many entries were beyond [`STEPS_READ_MAX`] and left out.
    pub too_late: usize,
}

impl Sums {
    pub(crate) fn new(step: Nanos, format: LineFormat) -> Self {
        Self {
            step,
            format,
            directions: [Direction::default(), Direction::default()],
            too_late: 0,
        }
    }

    /// Returns the step that ends with the entry: fio logs a mean at the end of its interval.
    fn step_of(&self, entry: Entry) -> Option<usize> {
        let millis = (self.step.as_u64() / 1_000_000).max(1);
        let step = entry.at_ms.saturating_sub(1) / millis;
        usize::try_from(step).ok().filter(|_| step < STEPS_READ_MAX)
    }

    /// Returns the entries of a log of rates, each with the steps that its mean covers.
    fn covered<'a>(
        &'a self,
        log: &'a [u8],
    ) -> impl Iterator<Item = (Entry, RangeInclusive<usize>)> + 'a {
        let first_ms = entries(log, self.format).next().map(|entry| entry.at_ms);
        entries(log, self.format).filter_map(move |entry| {
            let last = self.step_of(entry)?;
            let is_first = Some(entry.at_ms) == first_ms;
            let begin = if is_first { 0 } else { last };
            Some((entry, begin..=last))
        })
    }

    /// Adds the logs of one job.
    pub(crate) fn add(&mut self, bandwidth: &[u8], ios: &[u8], latency: &[u8]) {
        let per_step = |per_second: u64| {
            let amount = u128::from(per_second) * u128::from(self.step.as_u64()) / 1_000_000_000;
            u64::try_from(amount).unwrap_or(u64::MAX)
        };
        let too_late = [bandwidth, ios, latency]
            .into_iter()
            .flat_map(|log| entries(log, self.format))
            .filter(|entry| self.step_of(*entry).is_none())
            .count();
        self.too_late = self.too_late.saturating_add(too_late);
        let mut job: [Direction; 2] = Default::default();
        for (entry, steps) in self.covered(bandwidth) {
            let bytes = per_step(entry.value.saturating_mul(1024));
            let direction = &mut job[usize::from(entry.writes)];
            steps.for_each(|step| put(&mut direction.bytes, step, bytes));
        }
        for (entry, steps) in self.covered(ios) {
            let direction = &mut job[usize::from(entry.writes)];
            steps.for_each(|step| put(&mut direction.ios, step, per_step(entry.value)));
        }
        for entry in entries(latency, self.format) {
            let Some(step) = self.step_of(entry) else {
                continue;
            };
            let direction = &mut job[usize::from(entry.writes)];
            let ios = direction.ios.get(step).copied().unwrap_or(0);
            put(
                &mut direction.latency_ns,
                step,
                entry.value.saturating_mul(ios),
            );
        }
        for (all, one) in self.directions.iter_mut().zip(job) {
            for (all, one) in [
                (&mut all.bytes, one.bytes),
                (&mut all.ios, one.ios),
                (&mut all.latency_ns, one.latency_ns),
            ] {
                for (step, value) in one.into_iter().enumerate() {
                    put(all, step, value);
                }
            }
        }
    }

    pub(crate) fn series(mut self) -> Series {
        let columns = self.directions.iter();
        let lengths = columns.flat_map(|one| [one.bytes.len(), one.ios.len()]);
        let steps = lengths.max().unwrap_or(0);
        let together = steps.div_ceil(STEPS_MAX).max(1);
        for direction in &mut self.directions {
            for column in [
                &mut direction.bytes,
                &mut direction.ios,
                &mut direction.latency_ns,
            ] {
                column.resize(steps, 0);
                if together > 1 {
                    let sum = |part: &[u64]| part.iter().copied().fold(0, u64::saturating_add);
                    *column = column.chunks(together).map(sum).collect();
                }
            }
        }
        let times = u64::try_from(together).unwrap_or(u64::MAX);
        let [read, write] = self.directions.map(|direction| SeriesColumns {
            mean_latency_ns: direction
                .latency_ns
                .iter()
                .zip(&direction.ios)
                .map(|(sum, ios)| sum.checked_div(*ios).unwrap_or(0))
                .collect(),
            bytes: direction.bytes,
            ios: direction.ios,
        });
        Series {
            step_ns: Nanos::new(self.step.as_u64().saturating_mul(times)),
            read,
            write,
            rebuilt_bytes: Vec::new(),
        }
    }
}

/// Adds to a value, extending the list if necessary.
fn put(values: &mut Vec<u64>, step: usize, amount: u64) {
    if values.len() <= step {
        values.resize(step + 1, 0);
    }
    values[step] = values[step].saturating_add(amount);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_logs(bandwidth: &[u8], ios: &[u8], latency: &[u8], step: Nanos) -> Series {
        let mut sums = Sums::new(step.max(Nanos::from_millis(1)), LineFormat::default());
        sums.add(bandwidth, ios, latency);
        sums.series()
    }

    #[test]
    fn steps_beyond_the_limit_of_a_series_are_merged() {
        let mut log = String::new();
        for step in 1..=250_000_u64 {
            log.push_str(&format!("{}, 512, 1, 0, 0\n", step * 50));
        }
        let series = read_logs(log.as_bytes(), log.as_bytes(), b"", Nanos::from_millis(50));
        assert_eq!(series.len(), 250_000_usize.div_ceil(3));
        assert_eq!(series.step_ns, Nanos::from_millis(150));
        let bytes: u64 = series.write.bytes.iter().sum();
        assert_eq!(bytes, 250_000 * (512 * 1024 / 20));
        assert_eq!(series.write.bytes[0], 3 * (512 * 1024 / 20));
    }

    #[test]
    fn a_log_that_is_too_long_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let logs = Logs::of(1, Nanos::from_millis(50));
        // Writes the log after it is opened, as fio does.
        let series = |ending: &str, text: &str, bytes: Option<u64>| {
            let open = OpenLogs::of(Some(&logs), directory.path()).unwrap();
            let path = directory.path().join(format!("series-0_{ending}.log"));
            std::fs::write(&path, text).unwrap();
            if let Some(bytes) = bytes {
                let file = File::options().write(true).open(path).unwrap();
                file.set_len(bytes).unwrap();
            }
            open.series()
        };
        let long = "50, 1, 0, 0, 0\n100000050, 1, 0, 0, 0\n";
        let (path, error) = series("bw", long, None).unwrap_err();
        assert!(path.ends_with("series-0_bw.log"));
        assert_eq!(error.to_string(), "it has more than 2000000 steps");
        // The log is removed anyway.
        assert_eq!(series("lat", "", None).unwrap().unwrap().len(), 0);
        let (path, error) = series("lat", "", Some(LOG_BYTES_MAX + 1)).unwrap_err();
        assert!(path.ends_with("series-0_lat.log"));
        assert_eq!(error.to_string(), "it has more than 134217728 bytes");
    }

    #[test]
    fn the_logs_of_a_job_become_steps() {
        // Written by fio 3.33 with log_avg_msec=500 for a load of reads and writes.
        let bandwidth = b"500, 2048, 0, 0, 0\n500, 1024, 1, 0, 0\n1000, 4096, 0, 0, 0\n";
        let ios = b"500, 512, 0, 0, 0\n500, 256, 1, 0, 0\n1000, 1024, 0, 0, 0\n";
        let latency = b"500, 90000, 0, 0, 0\n500, 50000, 1, 0, 0\n1000, 70000, 0, 0, 0\n";
        let series = read_logs(bandwidth, ios, latency, Nanos::from_millis(500));
        assert_eq!(series.read.bytes, [1 << 20, 2 << 20]);
        assert_eq!(series.read.ios, [256, 512]);
        assert_eq!(series.read.mean_latency_ns, [90_000, 70_000]);
        assert_eq!(series.write.bytes, [1 << 19, 0]);
        assert_eq!(series.write.mean_latency_ns, [50_000, 0]);
    }

    #[test]
    fn the_first_mean_covers_all_steps_before() {
        let log = b"150, 2000, 0\n200, 1000, 0\n200, 400, 1\n";
        let series = read_logs(b"", log, b"", Nanos::from_millis(50));
        assert_eq!(series.read.ios, [100, 100, 100, 50]);
        assert_eq!(series.write.ios, [0, 0, 0, 20]);
    }

    #[test]
    fn jobs_are_summed() {
        let mut sums = Sums::new(Nanos::from_millis(100), LineFormat::default());
        sums.add(b"100, 10, 0", b"100, 30, 0", b"100, 1000, 0");
        sums.add(b"100, 20, 0", b"100, 10, 0", b"100, 5000, 0");
        let series = sums.series();
        assert_eq!(series.read.bytes, [3 * 1024]);
        assert_eq!(series.read.ios, [4]);
        assert_eq!(series.read.mean_latency_ns, [2000]);
    }

    proptest! {
        #[test]
        fn any_bytes_give_a_bounded_series(
            log in prop::collection::vec(any::<u8>(), 0..300),
            line in "[0-9]{1,22}, [0-9]{1,22}, [0-3]",
            step in 0_u64..10_000_000_000,
        ) {
            let log = [log.as_slice(), b"\n", line.as_bytes(), b"\n"].concat();
            let series = read_logs(&log, &log, &log, Nanos::new(step));
            prop_assert!(series.len() <= STEPS_MAX);
            prop_assert_eq!(series.read.bytes.len(), series.write.ios.len());
        }
    }
}
