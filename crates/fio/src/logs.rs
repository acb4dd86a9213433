//! Logs that fio wrote beside imported JSON: `PLOT_bw.1.log`, `PLOT_clat_hist.1.log`, ...
//!
//! ```text
//! time ms, value, direction, block size[, ...]            bw: KiB/s   iops: I/Os per s   lat: ns (2.x: us)
//! time ms, mean, maximum, direction, block size[, ...]    log_window_value=both, since 3.39
//! time ms, direction, block size, count, count, ...       histogram: one count per bin
//! ```
//!
//! Averaged logs (`log_avg_msec`) become the steps of a series. Logs of single I/Os contain the
//! size of each I/O: they become steps, too, and every latency goes into a bin. Histogram logs are
//! summed; the number of bins identifies fio's generation (29 groups of 64 since 3.0, 19 before)
//! and the coarseness (`hist_sum` in fio's `iolog.c`). Notes list the data that could not be used.

use std::collections::BTreeSet;

use stripewise_study::import_note::ImportNote;
use stripewise_study::series::{Series, SeriesColumns};
use stripewise_units::Nanos;
use stripewise_units::histogram::Histogram;

use crate::series::{LineFormat, Sums, entries};

/// The largest log that we read.
pub const LOG_BYTES_MAX: usize = 128 << 20;
/// The step for logs of single I/Os; longer if there would be more than [`OWN_STEPS_MAX`] steps.
const STEP_MS: u64 = 100;
/// The most steps made from a log of single I/Os.
const OWN_STEPS_MAX: u64 = 10_000;
/// The number of bins in a group of fio's histograms.
const GROUP_BINS: usize = 64;

/// The quantity in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogKind {
    /// Bandwidth.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// Total latency.
    Latency,
    /// Completion latency.
    CompletionLatency,
    /// Submission latency.
    SubmissionLatency,
    /// Histograms of completion latency.
    Histogram,
}

/// The parts of a log's name: `PLOT_bw.3.log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogName {
    /// The value of `write_bw_log=`: `PLOT`.
    pub stem: String,
    /// The quantity in the log.
    pub kind: LogKind,
    /// The number of the job, from 1; `None` with `per_job_logs=0`.
    pub job: Option<usize>,
}

impl LogName {
    /// Parses a file name without directory; `None` if it is not a name of a log.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".log")?;
        let (name, job) = match name.rsplit_once('.') {
            Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                (before, Some(number.parse().ok()?))
            }
            _ => (name, None),
        };
        // The longest endings first.
        let endings = [
            ("_clat_hist", LogKind::Histogram),
            ("_hist", LogKind::Histogram),
            ("_slat", LogKind::SubmissionLatency),
            ("_clat", LogKind::CompletionLatency),
            ("_lat", LogKind::Latency),
            ("_iops", LogKind::Iops),
            ("_bw", LogKind::Bandwidth),
        ];
        endings.into_iter().find_map(|(ending, kind)| {
            let stem = name.strip_suffix(ending)?.to_owned();
            Some(Self { stem, kind, job })
        })
    }
}

/// A log to read, known by its name.
pub trait LogFile {
    /// Returns the parts of its name.
    fn name(&self) -> &LogName;

    /// Reads it; `None` if that fails, which the caller reports.
    fn read(self) -> Option<Vec<u8>>;
}

impl LogFile for Log {
    fn name(&self) -> &LogName {
        &self.name
    }

    fn read(self) -> Option<Vec<u8>> {
        Some(self.bytes)
    }
}

/// A log and its name.
#[derive(Debug, Clone)]
pub struct Log {
    /// The parts of its name.
    pub name: LogName,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// What a window of an averaged latency log has (`log_window_value`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    /// The mean.
    Mean,
    /// The maximum.
    Maximum,
    /// The mean, then the maximum, in a field more.
    Both,
}

impl Window {
    /// Reads the option; `None` is its default.
    pub(crate) fn of(value: Option<&str>) -> Self {
        match value.map(str::trim) {
            None | Some("avg" | "0") => Window::Mean,
            Some("both") => Window::Both,
            Some(_) => Window::Maximum,
        }
    }
}

/// How to read the logs of a cell, from its options and fio's version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSettings {
    /// `log_avg_msec`; 0 if each I/O is logged.
    pub average_ms: u64,
    /// What the windows of latency logs have.
    pub window: Window,
    /// Whether times count from 1970 (`log_unix_epoch`).
    pub is_epoch: bool,
    /// Whether latencies are in us, as in 2.x.
    pub in_us: bool,
}

/// The data from the logs of a cell.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub series: Option<Series>,
    /// Latencies of reads and of writes, from a histogram log or from single I/Os.
    pub histograms: [Histogram; 2],
    /// Whether these are completion latencies rather than total ones.
    pub is_completion: bool,
    pub notes: Vec<ImportNote>,
}

/// Reads the logs of one cell and sums those of its jobs.
pub(crate) fn read(logs: &[&Log], settings: LogSettings) -> Read {
    let mut read = Read::default();
    let of = |kind: LogKind| {
        let logs = logs.iter().filter(move |log| log.name.kind == kind);
        logs.map(|log| log.bytes.as_slice()).collect::<Vec<_>>()
    };
    let format = line_format(logs, settings);
    let mut bad = logs
        .iter()
        .filter(|log| log.name.kind != LogKind::Histogram)
        .map(|log| {
            let known = known(&log.bytes, format);
            lines(&log.bytes).count().saturating_sub(known)
        })
        .fold(0_usize, usize::saturating_add);
    let (histograms, bad_histograms) = histograms(&of(LogKind::Histogram));
    bad = bad.saturating_add(bad_histograms);
    read.is_completion = true;
    read.histograms = histograms;
    let total = of(LogKind::Latency);
    let completion = of(LogKind::CompletionLatency);
    let (kind, latencies) = if total.is_empty() {
        (LogKind::CompletionLatency, &completion)
    } else {
        (LogKind::Latency, &total)
    };
    match settings.window {
        Window::Maximum if !latencies.is_empty() => read.notes.push(ImportNote::LogOfMaxima),
        Window::Both if !latencies.is_empty() => read.notes.push(ImportNote::LogMaximaLeftOut),
        _ => {}
    }
    let kind = Some(kind).filter(|_| settings.window != Window::Maximum);
    if settings.average_ms > 0 {
        let (series, too_late) = averaged(logs, kind, settings, format);
        read.series = series;
        bad = bad.saturating_add(too_late);
    } else {
        single_ios(
            &mut read,
            &of(LogKind::Bandwidth),
            &of(LogKind::Iops),
            kind.map(|kind| (kind, latencies.as_slice())),
            settings,
            format,
        );
    }
    if bad > 0 {
        read.notes.push(ImportNote::BadLogLines { count: bad });
    }
    if !of(LogKind::SubmissionLatency)
        .iter()
        .all(|log| log.is_empty())
    {
        read.notes.push(unused("slat"));
    }
    if !total.is_empty() && !completion.is_empty() {
        read.notes.push(unused("clat"));
    }
    read
}

/// Returns what the lines of the logs mean. Only averaged logs have maxima.
fn line_format(logs: &[&Log], settings: LogSettings) -> LineFormat {
    let format = LineFormat {
        has_maximum: settings.window == Window::Both && settings.average_ms > 0,
        base_ms: 0,
    };
    if !settings.is_epoch {
        return format;
    }
    let of_ios = logs
        .iter()
        .filter(|log| log.name.kind != LogKind::Histogram);
    let times = of_ios.flat_map(|log| entries(&log.bytes, format));
    let first_ms = times.map(|entry| entry.at_ms).min().unwrap_or(0);
    LineFormat {
        base_ms: first_ms.saturating_sub(settings.average_ms),
        ..format
    }
}

/// Notes that the logs of one kind were not needed.
fn unused(ending: &str) -> ImportNote {
    ImportNote::LogUnused {
        ending: ending.to_owned(),
    }
}

/// Returns the lines that are not empty.
fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    log.split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
}

/// Returns the number of well-formed lines, including those of trims, which are not used.
fn known(log: &[u8], format: LineFormat) -> usize {
    let is_trim = |line: &&[u8]| {
        let mut fields = line.split(|byte| *byte == b',');
        fields
            .nth(format.before_direction())
            .is_some_and(|field| field.trim_ascii() == b"2")
    };
    entries(log, format)
        .count()
        .saturating_add(lines(log).filter(is_trim).count())
}

/// Builds the series from averaged logs; also returns how many lines were left out.
fn averaged(
    logs: &[&Log],
    latency: Option<LogKind>,
    settings: LogSettings,
    format: LineFormat,
) -> (Option<Series>, usize) {
    let mut sums = Sums::new(Nanos::from_millis(settings.average_ms), format);
    let jobs: BTreeSet<Option<usize>> = logs.iter().map(|log| log.name.job).collect();
    for job in jobs {
        let log = |kind: LogKind| {
            let mut logs = logs.iter();
            let log = logs.find(|log| log.name.job == job && log.name.kind == kind);
            log.map_or(&[][..], |log| log.bytes.as_slice())
        };
        let latency = latency.map_or(&[][..], log);
        sums.add(log(LogKind::Bandwidth), log(LogKind::Iops), latency);
    }
    let too_late = sums.too_late;
    let mut series = sums.series();
    if settings.in_us {
        for column in [&mut series.read, &mut series.write] {
            for latency in &mut column.mean_latency_ns {
                *latency = latency.saturating_mul(1000);
            }
        }
    }
    ((!series.is_empty()).then_some(series), too_late)
}

/// Builds steps from logs of single I/Os, and bins if there is no histogram log. Any log has a line
/// for each I/O; we prefer the latency log, whose kind is given.
fn single_ios(
    read: &mut Read,
    bandwidth: &[&[u8]],
    ios: &[&[u8]],
    latency: Option<(LogKind, &[&[u8]])>,
    settings: LogSettings,
    format: LineFormat,
) {
    let latency = latency.filter(|(_, logs)| !logs.is_empty());
    let logs = [latency.map_or(&[][..], |(_, logs)| logs), bandwidth, ios];
    let Some(logs) = logs.into_iter().find(|logs| !logs.is_empty()) else {
        return;
    };
    let lines = || logs.iter().flat_map(|log| entries(log, format));
    let Some(last_ms) = lines().map(|entry| entry.at_ms).max() else {
        return;
    };
    let step_ms = STEP_MS.max(last_ms.div_ceil(OWN_STEPS_MAX));
    let steps = usize::try_from(last_ms / step_ms).unwrap_or(0);
    let mut directions = [(); 2].map(|()| SingleIos::of(steps.saturating_add(1)));
    let is_latency = latency.is_some();
    for entry in lines() {
        let step = usize::try_from(entry.at_ms / step_ms).unwrap_or(usize::MAX);
        let scale = if settings.in_us { 1000 } else { 1 };
        let latency_ns = is_latency.then(|| entry.value.saturating_mul(scale));
        directions[usize::from(entry.writes)].add(step, entry.block_bytes, latency_ns);
    }
    if let Some((kind, _)) = latency
        && read.histograms.iter().all(Histogram::is_empty)
    {
        read.histograms = directions.each_ref().map(|one| one.bins.clone());
        read.is_completion = kind == LogKind::CompletionLatency;
    }
    let [read_columns, write_columns] = directions.map(|one| one.columns(is_latency));
    read.series = Some(Series {
        step_ns: Nanos::from_millis(step_ms),
        read: read_columns,
        write: write_columns,
        rebuilt_bytes: Vec::new(),
    });
}

/// The single I/Os of one direction, step by step.
struct SingleIos {
    bytes: Vec<u64>,
    ios: Vec<u64>,
    latency_ns: Vec<u64>,
    bins: Histogram,
}

impl SingleIos {
    fn of(steps: usize) -> Self {
        Self {
            bytes: vec![0; steps],
            ios: vec![0; steps],
            latency_ns: vec![0; steps],
            bins: Histogram::new(),
        }
    }

    fn add(&mut self, step: usize, block_bytes: u64, latency_ns: Option<u64>) {
        for (values, amount) in [
            (&mut self.bytes, block_bytes),
            (&mut self.ios, 1),
            (&mut self.latency_ns, latency_ns.unwrap_or(0)),
        ] {
            if let Some(value) = values.get_mut(step) {
                *value = value.saturating_add(amount);
            }
        }
        if let Some(latency_ns) = latency_ns {
            self.bins.add(middle_of_bin(latency_ns), 1);
        }
    }

    fn columns(self, has_latency: bool) -> SeriesColumns {
        let means = self.latency_ns.iter().zip(&self.ios);
        let means = means.map(|(sum, ios)| sum.checked_div(*ios).unwrap_or(0));
        SeriesColumns {
            mean_latency_ns: means
                .take(if has_latency { usize::MAX } else { 0 })
                .collect(),
            bytes: self.bytes,
            ios: self.ios,
        }
    }
}

/// Sums histogram logs; returns reads, writes, and the number of malformed lines.
fn histograms(logs: &[&[u8]]) -> ([Histogram; 2], usize) {
    let mut bins: [Vec<u64>; 2] = Default::default();
    let mut bad = 0_usize;
    let mut width = 0_usize;
    for line in logs.iter().copied().flat_map(lines) {
        let Some((direction, counts)) = histogram_line(line) else {
            bad = bad.saturating_add(1);
            continue;
        };
        if Coarseness::of(counts.len()).is_none() || (width > 0 && width != counts.len()) {
            bad = bad.saturating_add(1);
            continue;
        }
        width = counts.len();
        let Some(bins) = bins.get_mut(direction) else {
            continue;
        };
        bins.resize(width, 0);
        for (bin, count) in bins.iter_mut().zip(counts) {
            *bin = bin.saturating_add(count);
        }
    }
    let Some(coarseness) = Coarseness::of(width) else {
        return (Default::default(), bad);
    };
    let histogram = |bins: Vec<u64>| {
        let bins = bins.into_iter().enumerate();
        let bins: Vec<(Nanos, u64)> = bins
            .map(|(index, count)| (coarseness.middle(index), count))
            .collect();
        Histogram::from(bins)
    };
    (bins.map(histogram), bad)
}

/// Returns the direction of a line of a histogram log, 2 for trims, and its counts.
fn histogram_line(line: &[u8]) -> Option<(usize, Vec<u64>)> {
    let line = std::str::from_utf8(line).ok()?;
    let mut fields = line.split(',').map(str::trim);
    let (_time, direction, _block) = (
        fields.next()?.parse::<u64>().ok()?,
        fields.next()?.parse::<usize>().ok()?,
        fields.next()?.parse::<u64>().ok()?,
    );
    let most = 29 * GROUP_BINS;
    let counts: Option<Vec<u64>> = fields
        .take(most + 1)
        .map(|field| field.parse().ok())
        .collect();
    (direction <= 2).then_some((direction, counts?))
}

/// The coarseness and unit of a histogram log's bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Coarseness {
    /// How many of fio's bins make one bin of the log.
    stride: usize,
    /// 1 for ns, 1000 for us.
    unit_ns: u64,
}

impl Coarseness {
    /// Derives it from the number of bins: 1856, halved up to six times, means ns; 1216 means us.
    fn of(bins: usize) -> Option<Self> {
        [(29 * GROUP_BINS, 1), (19 * GROUP_BINS, 1000)]
            .into_iter()
            .find_map(|(all, unit_ns)| {
                let stride = (0..=6).map(|power| 1 << power);
                let stride = stride.into_iter().find(|stride| all / stride == bins)?;
                Some(Self { stride, unit_ns })
            })
    }

    /// Returns the middle of a bin of the log.
    fn middle(self, index: usize) -> Nanos {
        let first = index.saturating_mul(self.stride);
        let (low, high) = (
            lower_edge(first),
            lower_edge(first.saturating_add(self.stride)),
        );
        let middle = low.saturating_add(high.saturating_sub(low) / 2);
        Nanos::new(middle.saturating_mul(self.unit_ns))
    }
}

/// Returns the lower edge of fio's bin: 64 bins up to 64, and 64 for each power of two above
/// (`plat_idx_to_val` in fio's `stat.c`).
fn lower_edge(index: usize) -> u64 {
    let (group, bin) = (index / GROUP_BINS, index % GROUP_BINS);
    let small = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    if group < 2 {
        return small(index);
    }
    let shift = u32::try_from(group - 1).unwrap_or(u32::MAX);
    let base = small(GROUP_BINS + bin);
    base.checked_shl(shift).unwrap_or(u64::MAX)
}

/// Returns the middle of the bin of a latency, so single I/Os need no more memory than fio's own
/// bins.
fn middle_of_bin(latency_ns: u64) -> Nanos {
    let bits = u64::BITS - latency_ns.leading_zeros();
    let shift = bits.saturating_sub(7);
    if shift == 0 {
        return Nanos::new(latency_ns);
    }
    let low = (latency_ns >> shift) << shift;
    Nanos::new(low.saturating_add((1 << shift) / 2))
}

#[cfg(test)]
#[path = "logs_tests.rs"]
mod tests;
