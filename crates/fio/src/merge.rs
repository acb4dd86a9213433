//! Sums jobs into one sample.
//!
//! Counts and bytes add; means are weighted by their counts; bins add bin by bin, because all jobs
//! have the same bins. We never average percentiles and do not use fio's own sums. fio's
//! percentiles of a job are kept only if no other job has latencies.

use stripewise_study::sample::{CpuTime, Latency, Sample, Transfer};
use stripewise_study::warning::Warning;
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos};

use crate::report::{FioReport, Job, JobLatency, JobTransfer};
use stripewise_study::sample::as_f64;

/// A run below this percentage of the requested time is short. fio overruns by the last I/O, but
/// does not count the time to open files and to restart at the end of the file (`thread_main` in
/// its `backend.c`), which matters in runs of a fraction of a second.
const FULL_RUN_PERCENT: u64 = 95;

/// The jobs of a report that count.
#[derive(Debug, Clone, Copy)]
pub enum Counted<'a> {
    /// All of them.
    All,
    /// Jobs with these names; the others are neighbours.
    Named(&'a [String]),
}

/// Why a report gives no sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// A job that should count is missing.
    #[error("job `{name}` is missing in fio's report")]
    MissingJob {
        /// Its name.
        name: String,
    },
}

impl FioReport {
    /// Sums the jobs that count into a sample.
    ///
    /// The sample's `elapsed_ns` is the longest time that one of these jobs spent between its first
    /// and its last I/O. Warnings: [`Warning::JobFailed`] for every job with an error, including
    /// neighbours, because the load then differed from the request; [`Warning::ShortRun`] if
    /// `asked` is given and was not reached; [`Warning::NoHistogram`] if any latencies that count
    /// have no bins; the merged histogram then stays empty rather than partial.
    ///
    /// # Errors
    /// [`SampleError::MissingJob`] if a job named in `counted` is not in the report.
    pub fn to_sample(
        &self,
        counted: Counted<'_>,
        asked: Option<Nanos>,
    ) -> Result<Sample, SampleError> {
        let jobs = self.counted_jobs(counted)?;
        let mut warnings: Vec<Warning> = self
            .jobs
            .iter()
            .filter(|job| job.error != 0)
            .map(|job| Warning::JobFailed {
                job: job.name.clone(),
                errno: job.error,
                text: None,
            })
            .collect();
        let sample = sum(&jobs);
        let is_short = |asked: &Nanos| {
            u128::from(sample.elapsed_ns.as_u64()) * 100
                < u128::from(asked.as_u64()) * u128::from(FULL_RUN_PERCENT)
        };
        if let Some(asked_ns) = asked.filter(is_short) {
            warnings.push(Warning::ShortRun {
                asked_ns,
                elapsed_ns: sample.elapsed_ns,
            });
        }
        warnings.extend(sample.warnings);
        Ok(Sample {
            warnings,
            neighbours_write_bytes: self.written_beside(&jobs),
            ..sample
        })
    }

    /// Returns the bytes that the jobs that do not count wrote; `None` if all count.
    fn written_beside(&self, counted: &[&Job]) -> Option<Bytes> {
        let is_beside = |job: &&Job| !counted.iter().any(|one| std::ptr::eq(*one, *job));
        let beside = self.jobs.iter().filter(is_beside);
        let written = beside.clone().map(|job| job.write.bytes.as_u64());
        (beside.count() > 0).then(|| Bytes::new(stripewise_units::total(written)))
    }

    /// Returns the jobs that count, in the report's order.
    fn counted_jobs(&self, counted: Counted<'_>) -> Result<Vec<&Job>, SampleError> {
        let Counted::Named(names) = counted else {
            return Ok(self.jobs.iter().collect());
        };
        for name in names {
            if !self.jobs.iter().any(|job| job.name == *name) {
                return Err(SampleError::MissingJob { name: name.clone() });
            }
        }
        Ok(self
            .jobs
            .iter()
            .filter(|job| names.contains(&job.name))
            .collect())
    }
}

/// Sums jobs; the only warning is [`Warning::NoHistogram`].
pub(crate) fn sum(jobs: &[&Job]) -> Sample {
    let transfer = |of: fn(&Job) -> &JobTransfer| {
        let parts: Vec<&JobTransfer> = jobs.iter().map(|job| of(job)).collect();
        let latency = latency(parts.iter().map(|part| &part.latency));
        let add = |number: fn(&JobTransfer) -> u64| {
            parts
                .iter()
                .fold(0_u64, |sum, part| sum.saturating_add(number(part)))
        };
        let transfer = Transfer {
            ios: add(|part| part.ios),
            bytes: Bytes::new(add(|part| part.bytes.as_u64())),
            latency: latency.sum,
        };
        (transfer, latency.is_complete)
    };
    let (read, read_complete) = transfer(|job| &job.read);
    let (write, write_complete) = transfer(|job| &job.write);
    let sync = latency(jobs.iter().map(|job| &job.sync));
    let is_complete = read_complete && write_complete && sync.is_complete;
    Sample {
        started_unix_ns: jobs.iter().filter_map(|job| job.started_unix_ns).min(),
        elapsed_ns: jobs
            .iter()
            .map(|job| job.elapsed_ns())
            .max()
            .unwrap_or_default(),
        real_ns: None,
        read,
        write,
        sync: sync.sum,
        neighbours_write_bytes: None,
        cpu: cpu(jobs),
        devices: Vec::new(),
        host: None,
        breakdown: None,
        risk: None,
        cut: None,
        series: None,
        events: Vec::new(),
        stated: None,
        hosts: Vec::new(),
        warnings: if is_complete {
            Vec::new()
        } else {
            vec![Warning::NoHistogram]
        },
    }
}

/// The summed latencies of several jobs.
struct LatencySum {
    sum: Latency,
    /// Whether every job with latencies has bins.
    is_complete: bool,
}

/// Sums latencies. Bins are collected and sorted once, not inserted one by one: a hostile file may
/// have any number of different bins.
fn latency<'a>(parts: impl Iterator<Item = &'a JobLatency>) -> LatencySum {
    let mut sum = Latency::default();
    let mut is_complete = true;
    let mut bins: Vec<(Nanos, u64)> = Vec::new();
    let mut weighted_ns = 0.0;
    let mut with_mean = 0_u64;
    let mut timed_parts = 0_usize;
    for part in parts.map(|part| &part.latency) {
        if part.count == 0 {
            continue;
        }
        sum.count = sum.count.saturating_add(part.count);
        // Percentiles of a single part are those of the sum; several parts cannot be merged.
        timed_parts += 1;
        sum.percentiles = match timed_parts {
            1 => part.percentiles.clone(),
            _ => Vec::new(),
        };
        sum.min_ns = sum.min_ns.into_iter().chain(part.min_ns).min();
        sum.max_ns = sum.max_ns.max(part.max_ns);
        if let Some(mean_ns) = part.mean_ns {
            weighted_ns += mean_ns * as_f64(part.count);
            with_mean = with_mean.saturating_add(part.count);
        }
        is_complete &= !part.histogram.is_empty();
        bins.extend_from_slice(part.histogram.bins());
    }
    sum.mean_ns = Some(weighted_ns / as_f64(with_mean)).filter(|mean| mean.is_finite());
    if is_complete {
        sum.percentiles = Vec::new();
        sum.histogram = Histogram::from(bins);
    }
    LatencySum { sum, is_complete }
}

/// Sums CPU time; `None` if it is unknown for a job.
fn cpu(jobs: &[&Job]) -> Option<CpuTime> {
    let add = |left: Nanos, right: Nanos| Nanos::new(left.as_u64().saturating_add(right.as_u64()));
    jobs.iter().try_fold(CpuTime::default(), |sum, job| {
        let cpu = job.cpu()?;
        Some(CpuTime {
            user_ns: add(sum.user_ns, cpu.user_ns),
            system_ns: add(sum.system_ns, cpu.system_ns),
        })
    })
}
