//! The cells of a page: all their data, stored once.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use stripewise_analysis::comparison::pairs;
use stripewise_analysis::counted::deciding_series;
use stripewise_analysis::timeline::{PhaseLoad, RebuildTime, Timeline};
use stripewise_catalogue::Message;
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Why;
use stripewise_sim::world::Model;
use stripewise_stats::{SteadyState, SteadyWindow, steady_state};
use stripewise_study::cell::Cell as StudyCell;
use stripewise_study::metric::Metric;
use stripewise_study::plan::SteadyState as AskedSteadyState;
use stripewise_study::sample::{
    DeviceDelta, Onset, PartTime, Role, Sample, SampleRecord, Utilisation,
};
use stripewise_study::series::SampleEvent;
use stripewise_study::warning::Warning;
use stripewise_study::workload::BlockSize;

use super::axes::chunk;
use super::input::Input;
use super::latency::{self, Distribution};
use super::subjects::{self, Subject};
use crate::document::{CellPart, CellResults, Document, SamplePart, ShownWarning, VerdictPart};
use crate::moved;
use crate::states::{begins_as_it_is, is_fresh_unknown};
use crate::text::strip_control;
use stripewise_study::sample::as_f64;

/// A cell and the results of its samples.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Cell {
    /// The index of its run.
    pub run: usize,
    /// Its number in the study, from 1.
    pub number: usize,
    /// Its value along each axis of the page.
    pub values: Vec<String>,
    /// The name of its stack.
    pub stack: String,
    /// The layers of its stack as one line, bottom first.
    pub stack_words: String,
    /// The chunk of its array.
    pub chunk_bytes: Option<u64>,
    /// The size of its I/Os, if it is a single one.
    pub block_size_bytes: Option<u64>,
    /// What its samples say.
    #[serde(flatten)]
    pub results: CellResults,
    /// Its verdicts against baselines.
    pub verdicts: Vec<CellVerdict>,
    /// Its verdict against the same cell of the reference run; `None` on a page of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub before: Option<CellVerdict>,
    /// Its samples in the order of time.
    pub samples: Vec<SamplePoint>,
    /// The steady window, if steady state was requested and attained.
    pub steady: Option<SteadyWindow>,
    /// The latency of its counted I/Os.
    pub latency: Option<Distribution>,
    /// The I/O of each device.
    pub members: Vec<Member>,
    /// What its devices moved for each byte of the load, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Message>>"))]
    pub moved: Vec<Message>,
    /// Where the time went; `None` if the world does not know.
    pub breakdown: Option<CellBreakdown>,
    /// The effect of a failure on it; `None` if nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub timeline: Option<CellTimeline>,
    /// The name of the bottleneck.
    pub bottleneck_name: Option<Message>,
    /// The bottleneck as a sentence.
    pub bottleneck_sentence: Option<Message>,
    /// The rules behind it.
    pub findings: Vec<CellFinding>,
    /// Whether it is unknown what fresh devices give.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_fresh_unknown: bool,
}

/// A sample as a point in time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SamplePoint {
    /// When it began, in ns since 1970-01-01 UTC.
    pub started_unix_ns: Option<u64>,
    /// How long the load ran.
    pub elapsed_ns: u64,
    /// The block it was taken in.
    pub block: u32,
    /// The role of the sample in the run.
    pub role: Role,
    /// Whether no warning invalidates it.
    pub valid: bool,
    /// Whether it counts: valid, not a warm-up, and in the steady window if one was requested.
    pub counted: bool,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// The mean latency.
    pub latency_ns_mean: Option<f64>,
    /// The 99th percentile of the latency.
    pub latency_ns_p99: Option<f64>,
}

/// The I/O of one device, per second of load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Member {
    /// Its name.
    pub device: String,
    /// Reads completed.
    pub reads_per_s: f64,
    /// Writes completed.
    pub writes_per_s: f64,
    /// Bytes read.
    pub read_bytes_per_s: f64,
    /// Bytes written.
    pub write_bytes_per_s: f64,
    /// Reads and writes that were merged into others.
    pub merges_per_s: f64,
    /// Flushes; `None` if the kernel does not count them.
    pub flushes_per_s: Option<f64>,
    /// The share of the time in which it was busy.
    pub busy_share: f64,
}

/// Where the time went.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellBreakdown {
    /// The mean I/O.
    pub mean: Vec<PartTime>,
    /// The slowest 1 %.
    pub slowest: Vec<PartTime>,
    /// How busy each component was.
    pub utilisation: Vec<Utilisation>,
    /// The beginning of the load, if it differs from the long run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub onset: Option<Onset>,
}

/// The events of a sample, and their effect on the load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellTimeline {
    /// The length of each step.
    pub step_ns: u64,
    /// Bytes read in each whole step of the first sample that counts.
    pub read_bytes: Vec<u64>,
    /// Bytes written.
    pub write_bytes: Vec<u64>,
    /// Bytes of the member rebuilt; empty if the source does not count them.
    pub rebuilt_bytes: Vec<u64>,
    /// The events of that sample.
    pub events: Vec<SampleEvent>,
    /// The throughput of each phase, over all samples.
    pub phases: Vec<PhaseLoad>,
    /// How long the rebuild takes.
    pub rebuild: Option<RebuildTime>,
}

impl CellTimeline {
    fn new(timeline: &Timeline, sample: &Sample) -> Option<Self> {
        let series = sample.series.as_ref()?;
        // The last step may be partial.
        let steps = sample.elapsed_ns.as_u64() / series.step_ns.as_u64().max(1);
        let steps = usize::try_from(steps)
            .unwrap_or(usize::MAX)
            .min(series.len());
        let whole = |column: &[u64]| column[..steps.min(column.len())].to_vec();
        Some(Self {
            step_ns: series.step_ns.as_u64(),
            read_bytes: whole(&series.read.bytes),
            write_bytes: whole(&series.write.bytes),
            rebuilt_bytes: whole(&series.rebuilt_bytes),
            events: sample.events.clone(),
            phases: timeline.phases.clone(),
            rebuild: timeline.rebuild,
        })
    }
}

/// A rule in effect, with its evidence, as a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellFinding {
    /// The finding as data.
    #[serde(flatten)]
    pub finding: stripewise_diagnose::why::Finding,
    /// The finding as a sentence.
    pub sentence: Message,
}

/// The verdict on a cell against another.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellVerdict {
    /// The verdict; its baseline is the index of a cell of the page.
    #[serde(flatten)]
    pub verdict: VerdictPart,
    /// The values of samples taken in the same block: of the baseline, of this cell.
    pub pairs: Vec<(f64, f64)>,
}

/// Returns the metrics that at least one cell has an estimate of.
pub(crate) fn metrics(documents: &[Document]) -> Vec<Metric> {
    let is_known = |metric: &Metric| {
        let mut cells = documents.iter().flat_map(|document| &document.cells);
        cells.any(|cell| cell.estimate(*metric).is_some())
    };
    Metric::ALL.into_iter().filter(is_known).collect()
}

/// Returns the cells of all runs.
pub(crate) fn of(inputs: &[Input], subjects: &[Subject]) -> Vec<Cell> {
    let places = subjects::places(subjects);
    let samples: Vec<_> = inputs
        .iter()
        .map(|input| input.run.samples_by_cell())
        .collect();
    let cell = |subject: &Subject| {
        let input = &inputs[subject.run];
        let index = subject.part.index;
        let source = Source {
            input,
            subject,
            part: subject.part,
            cell: &input.run.cells[index],
            samples: &samples[subject.run][index],
            baseline: &|baseline| places[&(subject.run, baseline)],
            subjects,
        };
        source.cell()
    };
    subjects.iter().map(cell).collect()
}

struct Source<'a> {
    input: &'a Input<'a>,
    subject: &'a Subject<'a>,
    part: &'a CellPart,
    cell: &'a StudyCell,
    samples: &'a [&'a SampleRecord],
    /// Maps the number of a cell in the run's study to its index on the page.
    baseline: &'a dyn Fn(usize) -> usize,
    subjects: &'a [Subject<'a>],
}

impl Source<'_> {
    fn cell(&self) -> Cell {
        let block_size_bytes = match &self.cell.workload.load.block_size {
            BlockSize::Fixed(size) => Some(size.as_u64()),
            BlockSize::Split(_) => None,
        };
        // The load of a power cut runs in the real time of an emulated guest.
        let is_performance = |sample: &&SamplePart| sample.counted && sample.sample.cut.is_none();
        let counted = || self.part.samples.iter().filter(is_performance);
        Cell {
            run: self.subject.run,
            number: self.part.index + 1,
            values: self.subject.values.clone(),
            stack: strip_control(&self.cell.stack.name),
            stack_words: strip_control(&self.cell.stack.summary()),
            chunk_bytes: chunk(self.cell).map(|chunk| chunk.as_u64()),
            block_size_bytes,
            results: CellResults {
                warnings: visible_warnings(&self.part.warnings),
                ..self.part.results.clone()
            },
            verdicts: self.verdicts(),
            before: self.subject.before.clone().map(|verdict| CellVerdict {
                verdict,
                pairs: Vec::new(),
            }),
            samples: self.part.samples.iter().map(SamplePoint::new).collect(),
            steady: self.steady(),
            latency: latency::of(counted().map(|sample| &sample.sample)),
            members: members(counted().map(|sample| &sample.sample)),
            moved: moved::of_cell(self.part),
            breakdown: self.part.breakdown.as_ref().map(|breakdown| CellBreakdown {
                mean: breakdown.mean.clone(),
                slowest: breakdown.slowest.clone(),
                utilisation: breakdown.utilisation.clone(),
                // Both states say it where they are shown.
                onset: breakdown
                    .onset
                    .filter(|_| self.part.fresh.is_none() && begins_as_it_is(self.cell)),
            }),
            timeline: self.part.timeline.as_ref().and_then(|timeline| {
                let first = counted().next()?;
                CellTimeline::new(timeline, &first.sample)
            }),
            bottleneck_name: self.part.bottleneck.map(|limit| limit.name()),
            bottleneck_sentence: self.part.bottleneck.map(|limit| limit.sentence()),
            findings: self
                .input
                .model
                .map_or_else(Vec::new, |model| self.findings(model)),
            is_fresh_unknown: is_fresh_unknown(self.part),
        }
    }

    fn verdicts(&self) -> Vec<CellVerdict> {
        let metric = self.input.asked.compare.metric;
        let verdict = |part: &VerdictPart| {
            let baseline = (self.baseline)(part.baseline);
            let pairs = match part.paired {
                true => pairs(
                    &counted_values(self.subjects[baseline].part, metric),
                    &counted_values(self.part, metric),
                ),
                false => Vec::new(),
            };
            CellVerdict {
                verdict: VerdictPart {
                    baseline,
                    ..part.clone()
                },
                pairs: pairs
                    .into_iter()
                    .map(|pair| (pair.baseline, pair.other))
                    .collect(),
            }
        };
        self.part.verdicts.iter().map(verdict).collect()
    }

    /// Returns the steady window, by the same rule as for the counted samples.
    fn steady(&self) -> Option<SteadyWindow> {
        let asked = self.input.asked;
        let Some(AskedSteadyState::Snia) = asked.repeat.steady_state else {
            return None;
        };
        let valid =
            |record: &&SampleRecord| record.role == Role::Counted && record.sample.is_valid();
        let rounds: Vec<&SampleRecord> = self.samples.iter().copied().filter(valid).collect();
        let series = deciding_series(&rounds, asked.compare.metric)?;
        match steady_state(&series) {
            SteadyState::Steady(window) => Some(window),
            SteadyState::NotYet { .. } | SteadyState::NotAttained { .. } => None,
        }
    }

    fn findings(&self, model: &Model) -> Vec<CellFinding> {
        let counted = self.part.samples.iter().filter(|sample| sample.counted);
        let samples: Vec<Sample> = counted.map(|sample| sample.sample.clone()).collect();
        let Some(prediction) = Prediction::of(samples) else {
            return Vec::new();
        };
        let why = Why::new(model, self.cell, &prediction);
        why.findings
            .into_iter()
            .map(|finding| CellFinding {
                sentence: finding
                    .sentence(self.cell, model.kernel_of(self.cell))
                    .with_names(&strip_control),
                finding,
            })
            .collect()
    }
}

/// Returns the block and value of each sample that counts.
fn counted_values(part: &CellPart, metric: Metric) -> BTreeMap<u32, f64> {
    let counted = part.samples.iter().filter(|sample| sample.counted);
    counted
        .filter_map(|sample| Some((sample.block, metric.of(&sample.sample)?)))
        .collect()
}

impl SamplePoint {
    fn new(part: &SamplePart) -> Self {
        let metric = |metric: Metric| part.metrics.get(metric.key()).copied();
        Self {
            started_unix_ns: part.sample.started_unix_ns,
            elapsed_ns: part.sample.elapsed_ns.as_u64(),
            block: part.block,
            role: part.role,
            valid: part.sample.is_valid(),
            counted: part.counted,
            bandwidth_bytes_per_s: metric(Metric::Bandwidth),
            iops: metric(Metric::Iops),
            latency_ns_mean: metric(Metric::LatencyMean),
            latency_ns_p99: metric(Metric::LatencyP99),
        }
    }
}

/// Returns the I/O of each device per second, over the samples together.
fn members<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Vec<Member> {
    let seconds: f64 = samples
        .clone()
        .map(|sample| sample.elapsed_ns.as_secs_f64())
        .sum();
    let Some(first) = samples.clone().next().filter(|_| seconds > 0.0) else {
        return Vec::new();
    };
    let member = |device: &DeviceDelta| {
        let deltas = || {
            let all = samples.clone().flat_map(|sample| &sample.devices);
            all.filter(|delta| delta.device == device.device)
        };
        let per_second = |count: fn(&DeviceDelta) -> u64| {
            as_f64(deltas().map(count).fold(0, u64::saturating_add)) / seconds
        };
        let busy: f64 = deltas().map(|delta| delta.busy_ns.as_secs_f64()).sum();
        Member {
            device: strip_control(&device.device),
            reads_per_s: per_second(|delta| delta.reads),
            writes_per_s: per_second(|delta| delta.writes),
            read_bytes_per_s: per_second(|delta| delta.read_bytes.as_u64()),
            write_bytes_per_s: per_second(|delta| delta.write_bytes.as_u64()),
            merges_per_s: per_second(|delta| delta.read_merges.saturating_add(delta.write_merges)),
            flushes_per_s: deltas()
                .all(|delta| delta.flushes.is_some())
                .then(|| per_second(|delta| delta.flushes.unwrap_or_default())),
            busy_share: (busy / seconds).min(1.0),
        }
    };
    first.devices.iter().map(member).collect()
}

/// Returns warnings with hidden characters in every text made visible. A warning whose data does not
/// survive that keeps its words.
pub(super) fn visible_warnings(warnings: &[ShownWarning]) -> Vec<ShownWarning> {
    let shown = |noticed: &ShownWarning| ShownWarning {
        warning: visible(&noticed.warning).unwrap_or(Warning::Unreadable),
        message: noticed.message.clone().with_names(&strip_control),
        ..noticed.clone()
    };
    warnings.iter().map(shown).collect()
}

/// Returns data with hidden characters in every text made visible; `None` if it does not survive that.
pub(super) fn visible<T: Serialize + DeserializeOwned>(data: &T) -> Option<T> {
    let mut value = serde_json::to_value(data).ok()?;
    make_visible(&mut value);
    serde_json::from_value(value).ok()
}

fn make_visible(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => *text = strip_control(text),
        serde_json::Value::Array(values) => values.iter_mut().for_each(make_visible),
        serde_json::Value::Object(values) => values.values_mut().for_each(make_visible),
        _ => {}
    }
}
