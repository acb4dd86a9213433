//! Changes to a predicted cell and their effects, each by its own simulation.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::Serialize;
use stripewise_analysis::simulations::{
    Paired, Precision, SIMULATIONS_MAX, SIMULATIONS_MIN, VerdictJson, seed_of, verdict_message,
};
use stripewise_message::Message;
use stripewise_profiles::kernel::{Raid10ReadBalance, policy};
use stripewise_sim::question::{Observer, Question};
use stripewise_sim::world::{Model, ModelError};
use stripewise_stats::{
    Better, Comparison, ComparisonParams, Estimate, Level as Confidence, Pair, Verdict,
};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Part;
use stripewise_study::stack::{Array, Bitmap, Level};
use stripewise_study::workload::{BlockSize, Engine};
use stripewise_study::world::Watch;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::cause::Cause;
use crate::prediction::Prediction;
use crate::why::Bottleneck;

/// mdadm's default chunk, which is also common advice.
const CHUNK_POPULAR: Bytes = Bytes::new(512 << 10);
const CHUNK_MIN: Bytes = Bytes::new(4096);
/// The kernels whose rules are most often compared: before and after the read balancing by pending
/// requests.
const KERNEL_OLD: KernelVersion = KernelVersion::new(4, 1, 0);
const KERNEL_NEW: KernelVersion = KernelVersion::new(6, 1, 0);
/// Differences up to this share count as none.
const MARGIN: f64 = 0.02;
/// From this share of an I/O on, it is tried what less of a part changes.
const NOTABLE: f64 = 0.1;

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// Another chunk.
    Chunk {
        /// The chunk.
        chunk_bytes: Bytes,
    },
    /// More devices.
    Devices {
        /// The total number.
        count: u64,
    },
    /// Another level or layout on the same devices.
    Array {
        /// The level.
        level: Level,
        /// The layout, if the level has one.
        layout: Option<&'static str>,
    },
    /// The rules of another kernel.
    Kernel {
        /// The kernel.
        version: String,
    },
    /// More I/Os in flight per job.
    Depth {
        /// The depth.
        depth: u32,
    },
    /// Fewer syncs.
    FsyncEvery {
        /// The number of writes between two syncs.
        writes: NonZeroU32,
    },
    /// Larger I/Os.
    BlockSize {
        /// The size.
        block_size_bytes: Bytes,
    },
    /// Another governor.
    Governor {
        /// Its name.
        governor: &'static str,
    },
    /// No write-intent bitmap.
    NoBitmap,
    /// No limit of the load's rate, and no pauses: all that the stack can give.
    NoOwnRate,
    /// Half the time for what takes it.
    TwiceAsFast {
        /// What is twice as fast.
        cause: Cause,
    },
}

/// The effect of a change.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Effect {
    /// The change.
    #[serde(flatten)]
    pub change: Change,
    /// Whether it is common advice, which is shown even if it has no effect.
    pub is_popular: bool,
    /// Whether its simulations reached their effort limit ([`Prediction::is_cut_short`]).
    pub is_cut_short: bool,
    /// The bandwidth with it.
    pub bandwidth_bytes_per_s: Estimate,
    /// The 99th percentile of the latency with it.
    pub latency_ns_p99: Option<Estimate>,
    /// The bandwidth with it over the one without.
    pub ratio: Estimate,
    /// The verdict for programs.
    #[serde(flatten)]
    pub(crate) verdict_json: VerdictJson,
    /// The verdict.
    #[serde(skip)]
    pub verdict: Verdict,
}

impl Effect {
    /// Returns the effect of the change on the bandwidth.
    pub fn message(&self) -> Message {
        let comparison = Comparison {
            ratio: self.ratio,
            verdict: self.verdict,
        };
        verdict_message(&comparison, Better::Higher)
    }

    /// Returns whether the change is certainly an improvement.
    pub fn is_better(&self) -> bool {
        matches!(self.verdict, Verdict::Different { low, .. } if low > 1.0)
    }
}

/// Returns the effects of all possible changes, the best first.
///
/// Leaves out changes that cannot be built (a layout with too few devices, files that do not fit)
/// or that are too expensive to simulate. None changes the bandwidth of a trace whose times are kept, so
/// such a cell has no effects.
///
/// # Errors
/// [`ModelError::Interrupted`] if `observer` cancelled.
pub fn effects(
    model: &Model,
    cell: &Cell,
    prediction: &Prediction,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<Vec<Effect>, ModelError> {
    let changes = Candidates {
        model,
        cell,
        prediction,
    };
    let changes = match cell.workload.has_given_rate() {
        true => Vec::new(),
        false => changes.all(),
    };
    let mut among = Among {
        observer,
        before: 0,
        all: EACH * changes.len() as u64,
    };
    let mut before = Simulated::new(model, cell, seed, prediction);
    let mut effects = Vec::new();
    for change in changes {
        effects.extend(effect(&mut before, change, &mut among)?);
        among.before += EACH;
    }
    effects.sort_by(|one, other| other.ratio.value.total_cmp(&one.ratio.value));
    Ok(effects)
}

/// The simulations of a change in the progress display; some changes take more.
const EACH: u64 = SIMULATIONS_MIN as u64;

/// Converts the progress of one of several predictions into the progress of all.
struct Among<'a> {
    observer: &'a mut dyn Observer,
    /// The simulations before those of this prediction.
    before: u64,
    all: u64,
}

impl Watch for Among<'_> {
    fn keep_going(&mut self, elapsed: Duration) -> bool {
        self.observer.keep_going(elapsed)
    }
}

impl Observer for Among<'_> {
    fn simulated(&mut self, done: u64, _all: u64) {
        self.observer
            .simulated(self.before + done.min(EACH), self.all);
    }
}

/// A cell, its prediction, and its bandwidth by simulation: those of the prediction, and more if a
/// comparison needs them in pairs.
struct Simulated<'a> {
    model: &'a Model,
    cell: &'a Cell,
    seed: u64,
    prediction: &'a Prediction,
    bandwidths: Vec<f64>,
}

impl<'a> Simulated<'a> {
    fn new(model: &'a Model, cell: &'a Cell, seed: u64, prediction: &'a Prediction) -> Self {
        let samples = prediction.samples.iter();
        Self {
            model,
            cell,
            seed,
            prediction,
            bandwidths: samples
                .filter_map(|sample| Metric::Bandwidth.of(sample))
                .collect(),
        }
    }

    /// Adds simulations up to the maximum of a comparison. The prediction stays as it is.
    fn extend(&mut self, observer: &mut dyn Observer) -> Result<(), ModelError> {
        let known = self.bandwidths.len();
        let question = Question {
            precision: Precision::simulations(SIMULATIONS_MAX.saturating_sub(known)),
            ..Question::new(self.cell, seed_of(self.seed, known as u64))
        };
        let answer = self.model.answer(&question, observer)?;
        let more = answer.samples.iter();
        self.bandwidths
            .extend(more.map(|sample| Metric::Bandwidth.of(sample).unwrap_or_default()));
        Ok(())
    }
}

fn effect(
    before: &mut Simulated,
    change: Change,
    observer: &mut dyn Observer,
) -> Result<Option<Effect>, ModelError> {
    let (mut model, mut cell) = (before.model.clone(), before.cell.clone());
    if change.make(&mut model, &mut cell).is_none() {
        return Ok(None);
    }
    let prediction = match Prediction::new(&model, &cell, before.seed, observer) {
        Ok(prediction) => prediction,
        Err(ModelError::Interrupted) => return Err(ModelError::Interrupted),
        Err(_) => return Ok(None),
    };
    let mut after = Simulated::new(&model, &cell, before.seed, &prediction);
    compared(before, &mut after, change, observer)
}

/// Returns the effect of a change; `None` if there is nothing to compare. If the simulations of the
/// two predictions do not decide, it adds more to both.
fn compared(
    before: &mut Simulated,
    after: &mut Simulated,
    change: Change,
    observer: &mut dyn Observer,
) -> Result<Option<Effect>, ModelError> {
    let params = ComparisonParams {
        level: Confidence::P95,
        margin: MARGIN,
    };
    let own = before.prediction.samples.len();
    let own = own.min(after.prediction.samples.len());
    let paired = |before: &Simulated, after: &Simulated| {
        let both = before.bandwidths.iter().zip(&after.bandwidths);
        let pairs = both.map(|(&baseline, &other)| Pair { baseline, other });
        Paired {
            pairs: pairs.collect(),
            own,
            is_cut_short: [before, after]
                .iter()
                .any(|one| one.prediction.is_cut_short),
        }
    };
    if paired(before, after).needs_more(params) {
        before.extend(observer)?;
        after.extend(observer)?;
    }
    let Ok(comparison) = paired(before, after).compare(params) else {
        return Ok(None);
    };
    let Some(bandwidth) = after.prediction.estimate(Metric::Bandwidth) else {
        return Ok(None);
    };
    Ok(Some(Effect {
        is_popular: change.is_popular(),
        is_cut_short: after.prediction.is_cut_short,
        change,
        bandwidth_bytes_per_s: *bandwidth,
        latency_ns_p99: after.prediction.estimate(Metric::LatencyP99).copied(),
        ratio: comparison.ratio,
        verdict_json: VerdictJson::of_simulations(comparison.verdict),
        verdict: comparison.verdict,
    }))
}

impl Change {
    /// Applies the change to the cell or the model; `None` if it changes nothing.
    fn make(&self, model: &mut Model, cell: &mut Cell) -> Option<()> {
        let load = &mut cell.workload.load;
        match self {
            Change::Chunk { chunk_bytes } => {
                cell.stack.array.as_mut()?.chunk_bytes = Some(*chunk_bytes);
            }
            Change::Devices { count } => {
                let more = u32::try_from(count - cell.stack.device_count()).ok()?;
                let group = cell.stack.devices.first_mut()?;
                group.count = group.count.saturating_add(more);
            }
            Change::Array { level, layout } => {
                change_level(cell.stack.array.as_mut()?, *level, *layout)
            }
            Change::Kernel { version } => {
                cell.conditions.kernel = None;
                model.kernel = KernelVersion::parse(version)?;
            }
            Change::Depth { depth } => {
                load.depth = *depth;
                if load.engine.is_synchronous() {
                    load.engine = Engine::Libaio;
                }
            }
            Change::FsyncEvery { writes } => {
                load.fsync_every = load.fsync_every.map(|_| *writes);
                load.fdatasync_every = load.fdatasync_every.map(|_| *writes);
            }
            Change::BlockSize { block_size_bytes } => {
                load.block_size = BlockSize::Fixed(*block_size_bytes);
            }
            Change::Governor { governor } => {
                cell.conditions.governor = Some((*governor).to_owned());
            }
            Change::NoBitmap => cell.stack.array.as_mut()?.bitmap = Bitmap::None,
            Change::NoOwnRate => *load = load.without_own_rate(),
            Change::TwiceAsFast { cause } => cause.halve(&mut model.profiles),
        }
        Some(())
    }

    /// Returns whether it is common advice.
    const fn is_popular(&self) -> bool {
        match self {
            Change::Chunk { chunk_bytes } => chunk_bytes.as_u64() == CHUNK_POPULAR.as_u64(),
            Change::Devices { .. }
            | Change::Governor { .. }
            | Change::NoBitmap
            | Change::NoOwnRate
            | Change::Kernel { .. } => true,
            _ => false,
        }
    }
}

fn change_level(array: &mut Array, level: Level, layout: Option<&'static str>) {
    array.level = level;
    array.layout = layout.map(str::to_owned);
    if level.has_chunk() {
        array.chunk_bytes = array.chunk_bytes.or(Some(CHUNK_POPULAR));
    } else {
        array.chunk_bytes = None;
    }
    if !level.has_bitmap() {
        array.bitmap = Bitmap::None;
    }
}

/// The possible changes of one cell.
struct Candidates<'a> {
    model: &'a Model,
    cell: &'a Cell,
    prediction: &'a Prediction,
}

impl Candidates<'_> {
    fn all(&self) -> Vec<Change> {
        let mut changes = self.of_workload();
        if let Some(array) = &self.cell.stack.array {
            changes.extend(self.of_array(array));
        }
        changes.extend(self.of_host());
        changes
    }

    fn of_workload(&self) -> Vec<Change> {
        let load = &self.cell.workload.load;
        let mut changes = vec![Change::Depth {
            depth: load.depth.saturating_mul(4),
        }];
        if self.prediction.breakdown.own_rate.is_some() {
            changes.push(Change::NoOwnRate);
        }
        if let Some(every) = load.fsync_every.or(load.fdatasync_every) {
            let writes = every.saturating_mul(NonZeroU32::MIN.saturating_add(3));
            changes.push(Change::FsyncEvery { writes });
        }
        let is_traced = self.cell.workload.trace.is_some();
        if let (BlockSize::Fixed(size), false) = (&load.block_size, is_traced) {
            let block_size_bytes = Bytes::new(size.as_u64().saturating_mul(4));
            if block_size_bytes <= load.size_bytes {
                changes.push(Change::BlockSize { block_size_bytes });
            }
        }
        changes
    }

    fn of_array(&self, array: &Array) -> Vec<Change> {
        let mut changes = Vec::new();
        if let Some(chunk) = array.chunk_bytes {
            let near = [
                chunk.as_u64() / 2,
                chunk.as_u64() * 2,
                CHUNK_POPULAR.as_u64(),
            ];
            let mut chunks: Vec<Bytes> = near.into_iter().map(Bytes::new).collect();
            chunks.retain(|other| *other >= CHUNK_MIN && *other != chunk);
            chunks.sort_unstable();
            chunks.dedup();
            let chunk = |chunk_bytes| Change::Chunk { chunk_bytes };
            changes.extend(chunks.into_iter().map(chunk));
        }
        changes.push(Change::Devices {
            count: self.cell.stack.device_count() + 2,
        });
        changes.extend(self.levels(array));
        let rules = policy(self.model.kernel_of(self.cell));
        let kernel = match rules.raid10_read_balance {
            Raid10ReadBalance::FewestPendingIfSsd => KERNEL_OLD,
            Raid10ReadBalance::FirstIdle | Raid10ReadBalance::IdleIsZero => KERNEL_NEW,
        };
        if policy(kernel) != rules {
            let version = kernel.to_string();
            changes.push(Change::Kernel { version });
        }
        if self.prediction.breakdown.share(&[Part::Bitmap]) >= 0.05 {
            changes.push(Change::NoBitmap);
        }
        changes
    }

    fn levels(&self, array: &Array) -> Vec<Change> {
        let to = |level, layout| Change::Array { level, layout };
        let layout = array.layout.as_deref();
        match array.level {
            Level::Raid10 => {
                let mut changes = vec![to(Level::Raid0, None)];
                let reads = self.cell.workload.load.pattern.reads();
                let others = ["n2", "f2", "o2"].into_iter();
                let others = others.filter(|other| reads && layout != Some(*other));
                changes.extend(others.map(|other| to(Level::Raid10, Some(other))));
                changes
            }
            Level::Raid4 | Level::Raid5 | Level::Raid6 => {
                vec![to(Level::Raid10, Some("n2")), to(Level::Raid0, None)]
            }
            Level::Raid1 => vec![to(Level::Raid10, Some("f2")), to(Level::Raid0, None)],
            Level::Raid0 => vec![to(Level::Raid10, Some("n2"))],
            Level::Linear => vec![to(Level::Raid0, None)],
        }
    }

    fn of_host(&self) -> Vec<Change> {
        let mut changes = Vec::new();
        let host = self.model.profiles.host(self.model.host.as_deref()).ok();
        let default = host.map(|host| host.governor_default.as_str());
        let governor = self.cell.conditions.governor.as_deref().or(default);
        if governor != Some("performance") {
            let governor = "performance";
            changes.push(Change::Governor { governor });
        }
        let named = Cause::of(&Bottleneck::of(self.prediction));
        let share = |parts: &[Part]| self.prediction.breakdown.share(parts);
        let matters = |cause: &Cause| match cause {
            Cause::Devices => true,
            Cause::Links => share(&[Part::Link]) > NOTABLE,
            Cause::Uplink => share(&[Part::Uplink]) > NOTABLE,
            Cause::Adapter => share(&[Part::Adapter]) > NOTABLE,
            Cause::Processor => share(&Part::CPU) > 2.0 * NOTABLE,
        };
        let causes = Cause::ALL.into_iter();
        let causes = causes.filter(|cause| named == Some(*cause) || matters(cause));
        changes.extend(causes.map(|cause| Change::TwiceAsFast { cause }));
        changes
    }
}
