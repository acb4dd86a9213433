//! The description of a trace as one document, small enough to be passed on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stripewise_study::workload::Workload;
use stripewise_units::histogram::Histogram;
use stripewise_units::{Bytes, Nanos, as_f64};

use crate::event::Action;
use crate::fit::Fitted;
use crate::loss::Loss;
use crate::numbers::share;
use crate::phases::{Phase, dispersion, period};
use crate::profile::{COLUMNS, Kind, Part, Profile, ROWS};
use crate::skew::Skew;
use crate::skipped::Skipped;
use crate::stream::{Flow, Stream, moments};
use crate::survey::Window;

/// What `made_by` says.
pub const MADE_BY: &str = "stripewise characterize";

/// The version of the document's format.
pub const SCHEMA: u32 = 1;
/// The most sizes of a stream that are listed.
const SIZES_MAX: usize = 8;
/// The most points of the course.
const COURSE_MAX: usize = 240;

/// What a trace is like.
///
/// It names no file, and places are counted from the first one that is used. Names of the device and
/// of processes are in it until [`Summary::without_names`] removes them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The program that made this document, first, so that a file of it begins with its mark.
    #[serde(default)]
    pub made_by: String,
    /// The version of this document's format.
    pub schema: u32,
    /// The format of the trace.
    pub format: String,
    /// The device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// How many other devices the trace has.
    pub other_devices: u64,
    /// From the first to the last event.
    pub duration_ns: Nanos,
    /// From the first to the last byte that is used.
    pub span_bytes: Bytes,
    /// Reads and writes.
    pub ios: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// What was left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many parts the trace has: its clock jumps to the next one.
    #[serde(default = "one")]
    pub sections: u64,
    /// The phases.
    pub phases: Vec<PhaseSummary>,
    /// What an LRU cache in front of the device would have served.
    pub cache: Vec<CacheHits>,
    /// How many bytes of other places were used between two uses of a place, with the share of all
    /// uses; the rest are first uses.
    pub reuse_distances: Vec<(u64, f64)>,
    /// How many sequential runs have how many bytes.
    pub run_lengths: Vec<(u64, u64)>,
    /// The index of dispersion of the number of I/Os in 100 ms and in 1 s: 1 for independent ones.
    pub dispersion: [Option<f64>; 2],
    /// The period in which the load comes and goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ns: Option<Nanos>,
    /// The load over time.
    pub course: LoadOverTime,
    /// The load over time and place.
    pub places: Places,
}

/// A phase of a trace, and its workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseSummary {
    /// When: beginnings and ends.
    pub spans_ns: Vec<(Nanos, Nanos)>,
    /// How long it lasts in all.
    pub duration_ns: Nanos,
    /// Reads and writes per second; `None` if the trace has no times.
    pub ios_per_s: Option<f64>,
    /// Their bytes per second.
    pub bytes_per_s: Option<f64>,
    /// Flushes per second, those included that come with a write.
    pub flushes_per_s: Option<f64>,
    /// What the groups of processes do.
    pub streams: Vec<StreamSummary>,
    /// The workload that comes closest.
    pub workload: Workload,
    /// Whether it goes as fast as it is served; otherwise its rate is limited.
    pub is_closed_loop: bool,
    /// What it loses.
    pub losses: Vec<Loss>,
}

/// What I/Os without a name of their own are grouped as.
pub const OTHERS: &str = "others";

/// The I/Os of one kind of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// The group: what its processes are called, or its number.
    pub group: String,
    /// How many processes share the I/Os.
    pub processes: u64,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is sequential.
    pub is_sequential: bool,
    /// How many I/Os.
    #[serde(default)]
    pub ios: u64,
    /// I/Os per second; `None` if the trace has no times.
    pub ios_per_s: Option<f64>,
    /// Bytes per second.
    pub bytes_per_s: Option<f64>,
    /// The most frequent sizes with their shares.
    pub sizes: Vec<(Bytes, f64)>,
    /// How many are under way while any is.
    pub depth_mean: Option<f64>,
    /// The median latency.
    pub latency_ns_p50: Option<Nanos>,
    /// The 99th percentile of the latency.
    pub latency_ns_p99: Option<Nanos>,
    /// The square of the coefficient of variation of the time between two: 1 for independent ones.
    pub gap_variation: Option<f64>,
    /// The time between two, in powers of two, with the number of I/Os.
    pub gaps: Vec<(Nanos, u64)>,
    /// How places are used: `uniform`, `zipf:1.2`, or `None` if that is not known.
    pub distribution: Option<String>,
    /// The different places that are used, in bytes.
    pub footprint_bytes: Option<Bytes>,
    /// The share that a process waits for.
    pub sync_share: f64,
    /// The share that is durable when it is done (FUA).
    pub fua_share: f64,
    /// The share that is a filesystem's metadata.
    pub metadata_share: f64,
    /// The share that is read ahead.
    pub read_ahead_share: f64,
}

/// What a cache would have served.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheHits {
    /// Its size.
    pub cache_bytes: Bytes,
    /// The share of uses that it serves.
    pub share: f64,
}

/// The load over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadOverTime {
    /// How long each point is.
    pub width_ns: Nanos,
    /// Reads, writes, flushes, bytes read and bytes written in each.
    pub points: Vec<[u64; 5]>,
}

/// The load over time and place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Places {
    /// The steps of time.
    pub columns: u64,
    /// The steps of place.
    pub rows: u64,
    /// Column, row, reads and writes of each cell that has any.
    pub cells: Vec<[u32; 4]>,
}

/// What a trace is besides its I/Os.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The format.
    pub format: &'a str,
    /// The device.
    pub device: &'a str,
    /// How many other devices the trace has.
    pub other_devices: u64,
    /// How many parts: its clock jumps to the next one.
    pub sections: u64,
    /// What was left out.
    pub skipped: &'a Skipped,
}

fn one() -> u64 {
    1
}

impl Summary {
    /// Describes a trace.
    pub fn new(origin: Origin<'_>, profile: &Profile, fitted: &[Fitted]) -> Self {
        let plan = &profile.plan;
        let streams = || {
            profile
                .parts
                .iter()
                .flatten()
                .flat_map(Part::kinds)
                .map(|(_, stream)| stream)
        };
        let span = plan.places.end.saturating_sub(plan.places.start);
        let phases = plan.phases.iter().zip(&profile.parts);
        let phases = phases.filter_map(|(phase, parts)| {
            let fitted = fitted.iter().find(|fitted| fitted.phase == *phase)?;
            Some(PhaseSummary::new(profile, phase, parts, fitted))
        });
        Self {
            made_by: MADE_BY.to_owned(),
            schema: SCHEMA,
            format: origin.format.to_owned(),
            device: Some(origin.device.to_owned()),
            other_devices: origin.other_devices,
            sections: origin.sections,
            duration_ns: plan.end,
            span_bytes: Bytes::new(span),
            ios: streams().map(|stream| stream.ios).sum(),
            bytes: Bytes::new(streams().fold(0, |sum, stream| sum.saturating_add(stream.bytes))),
            skipped: origin
                .skipped
                .iter()
                .map(|(why, count)| (why.key().to_owned(), count))
                .collect(),
            phases: phases.collect(),
            cache: cache_hits(profile),
            reuse_distances: by_octave(profile.cache.distances()),
            run_lengths: powers_of_two(profile.run_lengths().into_iter()),
            dispersion: [100, 1000].map(|ms| dispersion(&plan.windows, Nanos::from_millis(ms))),
            period_ns: period(&plan.windows),
            course: course(profile),
            places: places(profile),
        }
    }

    /// Returns the same without the names of the device and of processes.
    #[must_use]
    pub fn without_names(mut self) -> Self {
        self.device = None;
        let mut numbers = BTreeMap::new();
        for phase in &mut self.phases {
            for stream in &mut phase.streams {
                let next = numbers.len() + 1;
                let number = *numbers.entry(stream.group.clone()).or_insert(next);
                stream.group = format!("group {number}");
            }
            for (number, neighbour) in (1..).zip(&mut phase.workload.neighbours) {
                neighbour.name = format!("neighbour{number}");
            }
        }
        self
    }
}

impl PhaseSummary {
    fn new(profile: &Profile, phase: &Phase, parts: &[Part], fitted: &Fitted) -> Self {
        let duration = fitted.duration;
        let groups = profile.plan.groups.iter().zip(parts);
        let streams = groups.flat_map(|(group, part)| {
            let name = group.name.as_deref().filter(|name| !name.is_empty());
            let name = name.unwrap_or(OTHERS);
            part.kinds()
                .map(move |(kind, stream)| StreamSummary::new(name, kind, stream, duration))
        });
        let mut streams: Vec<StreamSummary> = streams.collect();
        streams.sort_by_key(|stream| std::cmp::Reverse(stream.ios));
        let end = profile.plan.end;
        let flushes: u64 = parts.iter().map(|part| part.flushes).sum();
        Self {
            spans_ns: phase
                .spans
                .iter()
                .map(|(from, to)| (*from, (*to).min(end)))
                .collect(),
            duration_ns: fitted.duration,
            ios_per_s: per_second(fitted.ios, duration),
            bytes_per_s: per_second(fitted.bytes.as_u64(), duration),
            flushes_per_s: per_second(flushes, duration),
            streams,
            workload: fitted.workload.clone(),
            is_closed_loop: fitted.is_closed,
            losses: fitted.losses.clone(),
        }
    }
}

impl StreamSummary {
    fn new(group: &str, kind: Kind, stream: &Stream, duration: Nanos) -> Self {
        let mut sizes: Vec<(u64, u64)> = stream
            .sizes
            .iter()
            .map(|(size, count)| (*size, *count))
            .collect();
        sizes.sort_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
        sizes.truncate(SIZES_MAX);
        let flow: &Flow = &stream.flow;
        let (gaps, latency) = (flow.gaps.histogram(), flow.latency.histogram());
        let is_random = !kind.is_sequential;
        let skew = is_random.then(|| Skew::of(&stream.locality));
        Self {
            group: group.to_owned(),
            processes: flow.processes(),
            writes: kind.action == Action::Write,
            is_sequential: kind.is_sequential,
            ios: stream.ios,
            ios_per_s: per_second(stream.ios, duration),
            bytes_per_s: per_second(stream.bytes, duration),
            sizes: sizes
                .iter()
                .map(|(size, count)| (Bytes::new(*size), share(*count, stream.ios)))
                .collect(),
            depth_mean: flow.mean_depth(),
            latency_ns_p50: latency.quantile(500),
            latency_ns_p99: latency.quantile(990),
            gap_variation: moments(&gaps).map(|(_, variation)| variation),
            gaps: octaves(&gaps),
            distribution: match skew {
                Some(Skew::Uniform) => Some("uniform".to_owned()),
                Some(Skew::Zipf(exponent)) => Some(format!("zipf:{exponent:.2}")),
                Some(Skew::Unknown) | None => None,
            },
            footprint_bytes: is_random.then(|| {
                let unit = stream.locality.unit_bytes();
                Bytes::new(stream.locality.places().saturating_mul(unit))
            }),
            sync_share: share(stream.syncs, stream.ios),
            fua_share: share(stream.fuas, stream.ios),
            metadata_share: share(stream.metadata, stream.ios),
            read_ahead_share: share(stream.read_ahead, stream.ios),
        }
    }
}

/// Returns how many there are in a second; `None` of no time.
fn per_second(count: u64, duration: Nanos) -> Option<f64> {
    (duration > Nanos::default()).then(|| as_f64(count) / (as_f64(duration.as_u64()) / 1e9))
}

/// Returns the hits of caches of a few sizes, up to one in which everything has room.
fn cache_hits(profile: &Profile) -> Vec<CacheHits> {
    let used = profile
        .cache
        .places()
        .saturating_mul(profile.cache.unit_bytes());
    let sizes = (0..40).map(|power| (1_u64 << power) << 20);
    let mut hits: Vec<CacheHits> = Vec::new();
    for size in sizes {
        hits.push(CacheHits {
            cache_bytes: Bytes::new(size),
            share: profile.cache.hit_ratio(size),
        });
        if size >= used {
            break;
        }
    }
    hits
}

fn octaves(histogram: &Histogram) -> Vec<(Nanos, u64)> {
    let bins = histogram
        .bins()
        .iter()
        .map(|(value, count)| (value.as_u64(), *count));
    let bins = powers_of_two(bins).into_iter();
    bins.map(|(value, count)| (Nanos::new(value), count))
        .collect()
}

/// Adds up counts of values between two powers of two; each is named by the lower one.
fn powers_of_two(bins: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut sums = BTreeMap::<u64, u64>::new();
    for (value, count) in bins {
        let power = 1 << value.max(1).ilog2();
        *sums.entry(power).or_default() += count;
    }
    sums.into_iter().collect()
}

fn by_octave(distances: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let mut sums = BTreeMap::<u64, f64>::new();
    for (bytes, part) in distances {
        *sums.entry(1 << bytes.max(1).ilog2()).or_default() += part;
    }
    sums.into_iter().collect()
}

/// Returns the load over time; without points if the trace has no times.
fn course(profile: &Profile) -> LoadOverTime {
    let windows = &profile.plan.windows;
    if profile.plan.end == Nanos::default() {
        return LoadOverTime {
            width_ns: windows.width,
            points: Vec::new(),
        };
    }
    let per_point = windows.list.len().div_ceil(COURSE_MAX).max(1);
    let points = windows.list.chunks(per_point).map(|part| {
        let sum = part.iter().copied().fold(Window::default(), Window::merged);
        [
            sum.reads,
            sum.writes,
            sum.flushes,
            sum.read_bytes,
            sum.write_bytes,
        ]
    });
    LoadOverTime {
        width_ns: Nanos::new(windows.width.as_u64().saturating_mul(per_point as u64)),
        points: points.collect(),
    }
}

fn places(profile: &Profile) -> Places {
    let cells = (0_u32..).zip(&profile.drawing.cells);
    let rows = crate::numbers::saturated_u32(ROWS as u64);
    let cells = cells.filter(|(_, [reads, writes])| reads + writes > 0);
    Places {
        columns: COLUMNS as u64,
        rows: ROWS as u64,
        cells: cells
            .map(|(cell, [reads, writes])| [cell / rows, cell % rows, *reads, *writes])
            .collect(),
    }
}
