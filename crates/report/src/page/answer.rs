//! The answers of a page's runs: claims as data, each with the estimates that support it.
//!
//! "Beyond doubt" means that the interval of the best does not touch that of any other. Cells
//! without an estimate support no claim.

use serde::Serialize;
use stripewise_analysis::advice::Advice;
use stripewise_analysis::cause::StackDifference;
use stripewise_diagnose::why::Bottleneck;
use stripewise_stats::Estimate;
use stripewise_study::conditions::State;
use stripewise_study::metric::{Metric, MetricKey};
use stripewise_study::sample::Role;
use stripewise_units::Bytes;

use super::axes::MappedAxis;
use super::cuts;
use super::open::{OpenReason, open_cells};
use super::subjects::{Subject, reference};
use crate::before_after::{BeforeAfter, CellShift};
use crate::differences::{DifferenceReport, reports};
use crate::document::Document;
use crate::power_cuts::PowerCuts;
use crate::states::{self, Applies};
use crate::text::strip_control;
use stripewise_study::sample::as_f64;

/// The most limits in a claim.
pub(super) const LISTED_MAX: usize = 3;

/// A sentence of the answer, as data. Indices are those of the page's cells and runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "claim", rename_all = "snake_case")]
pub enum Claim {
    /// A value of an axis is the best over all loads.
    Overall {
        /// The axis.
        axis: &'static str,
        /// Its values, the best first.
        standings: Vec<ShareOfBest>,
        /// How many of the first come equally close to the best: within the margin.
        leaders: usize,
        /// In how many loads others share the first place with the first value: they are the same there.
        shared: usize,
        /// The number of loads in which every value has an estimate.
        loads: usize,
        /// The number of loads.
        loads_all: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// Values of an axis are the same, and the best, in every load.
    Same {
        /// The axis.
        axis: &'static str,
        /// The values.
        values: Vec<String>,
        /// Whether the axis has no others.
        is_all: bool,
        /// Whether the intervals of their ratios lie within the margin, too.
        is_certain: bool,
        /// The number of loads in which every value has an estimate.
        loads: usize,
        /// The number of loads.
        loads_all: usize,
        /// Differences up to this share count as none.
        margin: f64,
        /// The metric.
        metric: MetricKey,
    },
    /// Fresh devices and steady ones differ, and which of them the answer is about.
    States {
        /// The state that applies.
        applies: Applies,
        /// The daily volume at which it does, if the study states one.
        writes_per_day_bytes: Option<Bytes>,
    },
    /// A claim about one state of the devices, where both matter.
    InState {
        /// The state.
        state: State,
        /// The claim.
        of: Box<Claim>,
    },
    /// What stacks cost over the years, which the study asks about.
    Cost {
        /// The years.
        years: u32,
        /// The stacks.
        stacks: Vec<StackCost>,
    },
    /// Stacks do not survive a failed disk, which the study asks about, and so are no choice.
    Lost {
        /// The stacks.
        stacks: Vec<String>,
    },
    /// A value of an axis is the best in some loads.
    Wins {
        /// The pattern of these loads; `None` if all have the same.
        panel: Option<String>,
        /// The axis.
        axis: &'static str,
        /// The value.
        value: String,
        /// The number of loads in which it is the best.
        wins: usize,
        /// The number of those beyond doubt.
        certain: usize,
        /// Whether some are beyond doubt only because the profile's error is common to all.
        in_common: bool,
        /// Whether in all of them its interval touches another one, so that it is only ahead.
        is_open: bool,
        /// The number of loads.
        loads: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The largest difference that the axis makes in one load.
    Largest {
        /// The load, in the values of the other axes.
        load: String,
        /// The same as axes and values.
        load_values: Vec<(&'static str, String)>,
        /// The best cell.
        best: usize,
        /// The worst cell.
        worst: usize,
        /// The larger value over the smaller one.
        ratio: f64,
        /// The same ratio with the interval that follows from those of the two cells.
        ratio_estimate: Estimate,
        /// The metric.
        metric: MetricKey,
    },
    /// The number of cells better or worse than their baseline.
    Against {
        /// Certainly better.
        better: usize,
        /// Certainly worse.
        worse: usize,
        /// No difference above the margin.
        same: usize,
        /// The samples do not decide.
        unknown: usize,
        /// The same, with the distances from the baselines.
        counts: BeforeAfter,
        /// The metric.
        metric: MetricKey,
    },
    /// The differences of a stack from its baseline, and which of them matter.
    Differs(StackDifference),
    /// Stacks whose differences from their baseline no other stack explains.
    #[serde(rename = "untold")]
    Unexplained {
        /// The stacks.
        stacks: Vec<String>,
        /// Their baseline.
        baseline: String,
    },
    /// The estimate of a cell, if there is nothing to compare.
    #[serde(rename = "gives")]
    CellEstimate {
        /// The cell.
        cell: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The bottlenecks of the cells, the most frequent first.
    Limits {
        /// Each bottleneck and its number of cells.
        limits: Vec<Limit>,
        /// The number of cells.
        cells: usize,
    },
    /// The number of cells in which one run is better or worse than another.
    BeforeAfter {
        /// The run.
        run: usize,
        /// The run to compare with.
        reference: usize,
        /// Whether the reference run came first, and there are no other runs.
        is_in_order: bool,
        /// The counts.
        #[serde(flatten)]
        counts: BeforeAfter,
        /// The metric.
        metric: MetricKey,
    },
    /// The difference of predictions from measurements in the cells that both have.
    #[serde(rename = "off")]
    PredictionError {
        /// The run.
        run: usize,
        /// The run to compare with.
        reference: usize,
        /// The number of cells that both have.
        cells: usize,
        /// The mean of the relative differences, without sign.
        mean_share: f64,
        /// The largest of them, with its sign.
        worst_share: f64,
        /// The cell with it.
        worst_cell: usize,
        /// The metric.
        metric: MetricKey,
    },
    /// The number of cells that are as precise as the study requires.
    Settled {
        /// The number of such cells.
        settled: usize,
        /// The number of all cells.
        cells: usize,
        /// The required precision: the half width of the interval, as a share.
        margin: f64,
    },
    /// The number of cells that are less precise than the study requires, for one reason.
    Open {
        /// The reason.
        reason: OpenReason,
        /// The number of such cells.
        open: usize,
        /// The number of all cells.
        cells: usize,
    },
    /// Each cell was measured once, so that nothing has an interval.
    Single {
        /// The number of cells.
        cells: usize,
    },
    /// A part of the advice from power cuts; its settings are those of the view.
    PowerCuts {
        /// The advice.
        advice: Advice,
        /// Its place in the advice.
        #[serde(skip)]
        place: usize,
    },
    /// Invalid samples.
    NotCounted {
        /// Their number.
        samples: usize,
        /// The number of samples that were to count.
        of: usize,
    },
}

impl Claim {
    /// Returns the claim as one about a state of the devices.
    fn in_state(self, state: State) -> Self {
        let of = Box::new(self);
        Claim::InState { state, of }
    }

    /// Returns whether the terminal prints it above the table; the table and its notes show the
    /// others.
    pub(crate) fn is_in_terminal(&self) -> bool {
        match self {
            Claim::InState { of, .. } => of.is_in_terminal(),
            _ => self.is_decision() || self.is_summary(),
        }
    }

    /// Returns whether it says what to choose, which the terminal prints above any table.
    pub(crate) fn is_decision(&self) -> bool {
        match self {
            Claim::InState { of, .. } => of.is_decision(),
            Claim::Overall { .. }
            | Claim::Same { .. }
            | Claim::States { .. }
            | Claim::Cost { .. }
            | Claim::Lost { .. }
            | Claim::Wins { .. } => true,
            _ => false,
        }
    }

    /// Returns whether it says what the samples do not tell, which the terminal prints below any table.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(
            self,
            Claim::Settled { .. }
                | Claim::Open { .. }
                | Claim::Single { .. }
                | Claim::NotCounted { .. }
        )
    }

    /// Returns whether it sums up a table that is too long to read.
    fn is_summary(&self) -> bool {
        matches!(
            self,
            Claim::Largest { .. }
                | Claim::Against { .. }
                | Claim::BeforeAfter { .. }
                | Claim::Limits { .. }
        )
    }
}

/// How near a value of an axis comes to the best of each load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShareOfBest {
    /// The value.
    pub value: String,
    /// The geometric mean, over the loads, of its share of the best of the load: at most 1.
    pub mean_share: f64,
    /// The same with every interval at its worst for the value; `None` if one is missing.
    pub low_share: Option<f64>,
    /// The same with every interval at its best for the value.
    pub high_share: Option<f64>,
    /// Whether it may be as good as the best: their intervals touch, and no common error decides.
    pub may_be_best: bool,
    /// Its share in the load in which it is furthest from the best.
    pub worst_share: f64,
    /// That load, in the values of the other axes.
    pub worst_load: String,
    /// The same as axes and values.
    pub worst_load_values: Vec<(&'static str, String)>,
}

/// What a stack costs over the years; of several loads the worst counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackCost {
    /// The stack.
    pub stack: String,
    /// The share of the devices' capacity that holds data.
    pub capacity_share: Option<f64>,
    /// The years until a device has reached its rated writes.
    pub years_to_rating: Option<f64>,
    /// The chance of losing data.
    pub loss_chance: Option<f64>,
}

/// A bottleneck and its number of cells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Limit {
    /// One of the cells' bottlenecks.
    pub bottleneck: Bottleneck,
    /// How many cells it limits.
    pub cells: usize,
}

/// The data that claims are derived from.
pub(crate) struct Evidence<'a> {
    pub(crate) documents: &'a [Document],
    pub(crate) axes: &'a [MappedAxis],
    pub(crate) cells: &'a [Subject<'a>],
    pub(crate) metric: Metric,
    pub(crate) cuts: Option<&'a PowerCuts>,
    /// The state that the estimates are of.
    pub(crate) state: State,
}

/// Returns the answers of the runs: how the others compare with the reference run, then the first
/// run's own answer.
pub(crate) fn of(evidence: &Evidence) -> Vec<Claim> {
    if let Some(cuts) = evidence.cuts {
        // The fastest setting is no answer where settings destroy data.
        let mut claims = cuts::claims(cuts);
        claims.extend(evidence.not_counted());
        return claims;
    }
    let mut claims = evidence.before_after();
    claims.extend(evidence.prediction_errors());
    // Measured runs of the same cells have their own answers in their own reports.
    if claims.is_empty() || evidence.has_predictions() {
        claims.extend(evidence.decisions());
    } else {
        claims.extend(evidence.limits());
    }
    claims.extend(evidence.precision());
    claims.extend(evidence.not_counted());
    claims
}

impl Evidence<'_> {
    /// Returns the estimate of a cell in the state that is asked about.
    pub(super) fn estimate(&self, cell: &Subject) -> Option<Estimate> {
        if self.state == State::Fresh && states::is_fresh_unknown(cell.part) {
            return None;
        }
        let fresh = cell.part.fresh.as_ref();
        let fresh = fresh.filter(|_| self.state == State::Fresh);
        let fresh = fresh.and_then(|fresh| fresh.estimates.get(self.metric.key()));
        fresh.or(cell.part.estimate(self.metric)).copied()
    }

    /// Returns what to choose in each state that matters, what that costs, and why.
    fn decisions(&self) -> Vec<Claim> {
        let only = self.documents.first().filter(|_| self.documents.len() == 1);
        let has_fresh = [Metric::Bandwidth, Metric::Iops].contains(&self.metric);
        let applies = only.filter(|_| has_fresh).and_then(states::applies);
        let Some((applies, writes_per_day_bytes)) = applies else {
            let mut claims = self.contest();
            claims.extend(self.cost());
            claims.extend(self.against());
            claims.extend(self.differs());
            claims.extend(self.limits());
            return claims;
        };
        let (mut claims, mut lost) = (Vec::new(), Vec::new());
        for state in applies.states() {
            let mut found = Evidence {
                state: *state,
                ..*self
            }
            .contest();
            // A stack that is no choice is none in any state.
            let is_lost = |claim: &mut Claim| matches!(claim, Claim::Lost { .. });
            lost = found.extract_if(.., is_lost).collect();
            if *state == State::Fresh {
                // The values that other claims show are those of steady devices.
                found.retain(Claim::is_decision);
            }
            claims.extend(found.into_iter().map(|claim| claim.in_state(*state)));
        }
        // What was found comes first, then what was not asked.
        let decided = claims.len().min(1);
        claims.splice(decided..decided, lost);
        claims.push(Claim::States {
            applies,
            writes_per_day_bytes,
        });
        claims.extend(self.cost());
        let mut steady: Vec<Claim> = self.against().into_iter().collect();
        steady.extend(self.differs());
        steady.extend(self.limits());
        let steady = steady.into_iter();
        claims.extend(steady.map(|claim| claim.in_state(State::Steady)));
        claims
    }

    /// Returns what the stacks cost, if the study asks.
    fn cost(&self) -> Option<Claim> {
        let asked = &self.documents.first()?.lifetime.as_ref()?.asked;
        let mut stacks: Vec<StackCost> = Vec::new();
        for (_, cell) in self.first_run() {
            let Some(life) = &cell.part.lifetime else {
                continue;
            };
            let name = strip_control(&cell.part.stack.name);
            let of_stack = stacks.iter().position(|one| one.stack == name);
            let place = of_stack.unwrap_or_else(|| {
                stacks.push(StackCost {
                    stack: name,
                    capacity_share: life.capacity_share,
                    years_to_rating: None,
                    loss_chance: None,
                });
                stacks.len() - 1
            });
            let worst = |known: Option<f64>, new: Option<f64>, of: fn(f64, f64) -> f64| match known
            {
                Some(known) => new.map_or(Some(known), |new| Some(of(known, new))),
                None => new,
            };
            let one = &mut stacks[place];
            one.years_to_rating = worst(one.years_to_rating, life.years_to_rating, f64::min);
            one.loss_chance = worst(one.loss_chance, life.loss_chance, f64::max);
        }
        let years = asked.years;
        (!stacks.is_empty()).then_some(Claim::Cost { years, stacks })
    }

    /// Returns the cells of the first run, with their indices.
    pub(super) fn first_run(&self) -> impl Iterator<Item = (usize, &Subject<'_>)> {
        let cells = self.cells.iter().enumerate();
        cells.filter(|(_, cell)| cell.run == 0)
    }

    fn against(&self) -> Option<Claim> {
        let cells = self.cells.iter().enumerate();
        let first = cells.filter(|(_, cell)| cell.run == 0);
        let parts = first
            .flat_map(|(index, cell)| cell.part.verdicts.iter().map(move |part| (index, part)));
        let counts = BeforeAfter::of(parts, self.metric)?;
        let count = |moved: Option<CellShift>| moved.map_or(0, |moved| moved.cells);
        Some(Claim::Against {
            better: count(counts.better),
            worse: count(counts.worse),
            same: counts.same,
            unknown: counts.unknown,
            counts,
            metric: MetricKey(self.metric),
        })
    }

    /// Returns the reported differences between stacks of the first run.
    fn differs(&self) -> Vec<Claim> {
        let claim = |one| match one {
            DifferenceReport::One(one) => Claim::Differs(shown(one.clone())),
            DifferenceReport::Unexplained(stacks, baseline) => Claim::Unexplained {
                stacks: stacks.into_iter().map(strip_control).collect(),
                baseline: strip_control(baseline),
            },
        };
        let first = self.documents.first();
        first.into_iter().flat_map(reports).map(claim).collect()
    }

    /// Returns how the runs compare with the reference run.
    fn before_after(&self) -> Vec<Claim> {
        let reference = reference(self.documents);
        let runs = 0..self.documents.len();
        let claim = |run: usize| {
            let cells = self.cells.iter().enumerate();
            let compared = cells
                .filter(|(_, cell)| cell.run == run)
                .filter_map(|(index, cell)| Some((index, cell.before.as_ref()?)));
            let [first, other] = [reference, run].map(|run| &self.documents[run].run);
            let is_alone = self.documents.len() == 2 && !self.has_predictions();
            Some(Claim::BeforeAfter {
                run,
                reference,
                is_in_order: is_alone && first.id < other.id,
                counts: BeforeAfter::of(compared, self.metric)?,
                metric: MetricKey(self.metric),
            })
        };
        runs.filter(|run| *run != reference)
            .filter_map(claim)
            .collect()
    }

    /// Returns whether there are predictions beside measurements.
    fn has_predictions(&self) -> bool {
        let mut documents = self.documents.iter();
        let is_model = |document: &Document| document.run.model.is_some();
        let first = documents.next().map(is_model);
        documents.any(|document| Some(is_model(document)) != first)
    }

    /// Returns the difference of predictions from measurements.
    fn prediction_errors(&self) -> Vec<Claim> {
        let reference = reference(self.documents);
        let runs = 0..self.documents.len();
        runs.filter(|run| *run != reference && self.has_predictions())
            .filter_map(|run| self.prediction_error(run, reference))
            .collect()
    }

    fn prediction_error(&self, run: usize, reference: usize) -> Option<Claim> {
        let cells = self.cells.iter().enumerate();
        let offs: Vec<(usize, f64)> = cells
            .filter(|(_, cell)| cell.run == run)
            .filter_map(|(index, cell)| {
                let known = self.estimate(&self.cells[cell.before.as_ref()?.baseline])?;
                let off = self.estimate(cell)?.value / known.value - 1.0;
                off.is_finite().then_some((index, off))
            })
            .collect();
        let sizes = offs.iter().map(|off| off.1.abs());
        let mean = sizes.sum::<f64>() / as_f64(offs.len() as u64);
        let worst = offs
            .iter()
            .max_by(|one, other| one.1.abs().total_cmp(&other.1.abs()))?;
        Some(Claim::PredictionError {
            run,
            reference,
            cells: offs.len(),
            mean_share: mean,
            worst_share: worst.1,
            worst_cell: worst.0,
            metric: MetricKey(self.metric),
        })
    }

    fn limits(&self) -> Option<Claim> {
        let mut limits: Vec<Limit> = Vec::new();
        let mut cells = 0;
        for bottleneck in self.cells.iter().filter_map(|cell| cell.part.bottleneck) {
            cells += 1;
            let same = |limit: &&mut Limit| limit.bottleneck.is_same_kind(&bottleneck);
            match limits.iter_mut().find(same) {
                Some(limit) => limit.cells += 1,
                None => limits.push(Limit {
                    bottleneck,
                    cells: 1,
                }),
            }
        }
        limits.sort_by_key(|limit| std::cmp::Reverse(limit.cells));
        limits.truncate(LISTED_MAX);
        (!limits.is_empty()).then_some(Claim::Limits { limits, cells })
    }

    /// Returns how precise the cells are.
    fn precision(&self) -> Vec<Claim> {
        let Some(first) = self.documents.first() else {
            return Vec::new();
        };
        let margin = first.run.repeat.interval_percent.as_fraction();
        let estimates: Vec<Estimate> = self
            .cells
            .iter()
            .filter_map(|cell| {
                let bandwidth = || cell.part.estimate(Metric::Bandwidth).copied();
                self.estimate(cell).or_else(bandwidth)
            })
            .collect();
        let is_single = |one: &Estimate| one.samples == 1;
        let is_single = !estimates.is_empty() && estimates.iter().all(is_single);
        let single = is_single.then_some(Claim::Single {
            cells: estimates.len(),
        });
        let cells = self.cells.len();
        let open = open_cells(self.documents).into_iter();
        let open = open.map(|(reason, open)| Claim::Open {
            reason,
            open,
            cells,
        });
        let limits: Vec<Claim> = single.into_iter().chain(open).collect();
        if !limits.is_empty() {
            return limits;
        }
        let settled = estimates.iter().filter(|one| {
            let half = one.relative_half_width();
            half.is_some_and(|half| half <= margin)
        });
        // How narrow the simulations' own intervals are says little where profiles add more.
        let holds_more = estimates.iter().any(|one| one.of_samples.is_some());
        let settled = (!estimates.is_empty() && !holds_more).then(|| Claim::Settled {
            settled: settled.count(),
            cells,
            margin,
        });
        settled.into_iter().collect()
    }

    fn not_counted(&self) -> Option<Claim> {
        let samples = self.cells.iter().flat_map(|cell| &cell.part.samples);
        let (mut lost, mut of) = (0, 0);
        for sample in samples.filter(|sample| sample.role == Role::Counted) {
            of += 1;
            lost += usize::from(!sample.sample.is_valid());
        }
        (lost > 0).then_some(Claim::NotCounted { samples: lost, of })
    }
}

/// Replaces control characters in text from a study file.
fn shown(mut one: StackDifference) -> StackDifference {
    let mut words = vec![&mut one.stack, &mut one.baseline];
    for difference in &mut one.differences {
        words.extend([&mut difference.value, &mut difference.instead_of]);
    }
    let witness = one.cause.as_mut().and_then(|cause| cause.witness.as_mut());
    words.extend(
        witness
            .into_iter()
            .flat_map(|one| [&mut one.stack, &mut one.same_as]),
    );
    for word in words {
        *word = strip_control(word);
    }
    one
}
