//! A run as one document: the measurements, the results, and their uncertainty.
//!
//! This is the model of every report and, serialised, the `--json` output. Its keys are an API: a
//! change that breaks a reader raises [`SCHEMA`].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use serde::Serialize;
use stripewise_analysis::breakdown::mean_breakdown;
use stripewise_analysis::cause::{StackDifference, stack_differences};
use stripewise_analysis::cell::{CellAnalysis, analyse};
use stripewise_analysis::comparison::compare_cells;
use stripewise_analysis::compression::{Measured, compression};
use stripewise_analysis::cuts::{CutPrediction, CutSummary};
use stripewise_analysis::lifetime::{CellLifetime, Counted};
use stripewise_analysis::moved::PerByte;
use stripewise_analysis::timeline::{Timeline, timeline};
use stripewise_catalogue::{Argument, Message, Words, shipped};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Bottleneck;
use stripewise_format::studies::ShippedStudy;
use stripewise_profiles::kernel::{rules_in_words, rules_of};
use stripewise_profiles::lookup::Texts;
use stripewise_results::world::WorldSpec;
use stripewise_results::{Run, RunHead, RunState};
use stripewise_stats::Estimate;
use stripewise_study::cell::Cell;
use stripewise_study::conditions::Conditions;
use stripewise_study::facts::Facts;
use stripewise_study::guest_clock::Clock;
use stripewise_study::metric::Metric;
use stripewise_study::plan::{Compare, Pair, Repeat, pairs};
use stripewise_study::risk::Risk;
use stripewise_study::sample::{Breakdown, Role, Sample, SampleRecord};
use stripewise_study::stack::Stack;
use stripewise_study::warning::Warning;
use stripewise_study::workload::Workload;
use stripewise_study::world::WorldName;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::visible::shell_word;

use crate::common_error::ErrorBasis;
use crate::lifetime::AskedLifetime;
use crate::matching::follows_risk;
use crate::names::Names;
use crate::page::answer_of;
use crate::power_cuts::PowerCuts;
use crate::states::{FreshState, simulated_fresh};
pub use crate::verdict::VerdictPart;

/// The version of the document's format.
pub const SCHEMA: u32 = 1;

/// A run with all results derived from it.
#[derive(Debug, Serialize)]
pub struct Document {
    /// The version of this document's format.
    pub schema: u32,
    /// The run.
    pub run: RunPart,
    /// The facts of the machine at the start; later readings, if any, are in `facts_later`.
    pub facts: Facts,
    /// The facts of the machine at each resume.
    pub facts_later: Vec<Facts>,
    /// The warnings about the run as a whole.
    pub warnings: Vec<ShownWarning>,
    /// What the study asks about the years of its stacks; `None` if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<AskedLifetime>,
    /// The answer, in sentences; empty if there is none, or it was not derived.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Message>,
    /// What the samples do not tell, in sentences; derived with the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Message>,
    /// The cells, in the order of the study.
    pub cells: Vec<CellPart>,
    /// The differences of stacks that perform unlike their baseline, and which of them matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack_differences: Vec<StackDifference>,
    /// The power cuts beside the throughput and the predictions of the model's run; `None` unless
    /// they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power_cuts: Option<PowerCuts>,
}

/// The run itself.
#[derive(Debug, Serialize)]
pub struct RunPart {
    /// Its head.
    #[serde(flatten)]
    pub head: RunHead,
    /// The seed of the order and of the samples.
    pub seed: u64,
    /// The time it ran, in ns, without the pauses between sessions; `None` while it runs.
    pub executed_ns: Option<u64>,
    /// What it was measured in; `None` for an import.
    #[serde(skip)]
    pub measured_in: Option<WorldSpec>,
    /// Whether only another store can resume it.
    #[serde(skip)]
    pub is_foreign: bool,
    /// Whether its study is a shipped one as it is.
    #[serde(skip)]
    pub is_shipped: bool,
    /// The settings beside the study: the target, a budget, the simulated model.
    pub options: serde_json::Value,
    /// The simulated model; `None` in other worlds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelPart>,
    /// How often each cell was to be measured.
    pub repeat: Repeat,
    /// The requested comparison.
    pub compare: Compare,
    /// The number of samples, including the warm-up and invalid ones.
    pub samples_all: usize,
    /// The number of samples that count.
    pub samples_counted: usize,
    /// Whether the cells lack their samples, and what follows from them: there are too many to print
    /// after an import, and `show` has them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub samples_left_out: bool,
}

impl Deref for RunPart {
    type Target = RunHead;

    fn deref(&self) -> &RunHead {
        &self.head
    }
}

/// The model that a run simulates.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ModelPart {
    /// The requested kernel.
    pub kernel: String,
    /// The kernel whose rules apply: another one if no rules of the requested one are known.
    pub kernel_rules: String,
    /// The host profile.
    pub host: String,
    /// The device profiles.
    pub devices: Vec<String>,
}

/// A warning with its words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShownWarning {
    /// The warning as data.
    #[serde(flatten)]
    pub warning: Warning,
    /// The warning in words.
    pub message: Message,
    /// What to do about it.
    pub hint: Option<Message>,
    /// Whether it invalidates a sample.
    pub invalidates: bool,
    /// The number of samples with this warning; 0 if it is not about single samples. The key
    /// `samples` belongs to warnings that count samples.
    #[serde(rename = "samples_affected")]
    pub samples: usize,
}

/// What the samples of a cell say, in a document and on a page.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CellResults {
    /// Its estimates, by the key of the metric.
    #[cfg_attr(feature = "typescript", ts(type = "{ [key in MetricKey]?: Estimate }"))]
    pub estimates: BTreeMap<&'static str, Estimate>,
    /// What fresh devices give; `None` if that is the same, or the world does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub fresh: Option<FreshState>,
    /// The warnings about it and its samples.
    pub warnings: Vec<ShownWarning>,
    /// The model's prediction of a power cut, from the data at risk; `None` unless the study asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub predicted_cuts: Option<CutPrediction>,
    /// The power cuts that its samples are; `None` if they are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub cuts: Option<CutSummary>,
    /// Its bottleneck; `None` if the world does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub bottleneck: Option<Bottleneck>,
}

impl Deref for CellPart {
    type Target = CellResults;

    fn deref(&self) -> &CellResults {
        &self.results
    }
}

/// A cell and the results of its samples.
#[derive(Debug, Serialize)]
pub struct CellPart {
    /// Its number, from 0, in the order of the study.
    pub index: usize,
    /// The stack under test.
    pub stack: Stack,
    /// The load on it.
    pub workload: Workload,
    /// The requested state of the host.
    pub conditions: Conditions,
    /// What its samples say.
    #[serde(flatten)]
    pub results: CellResults,
    /// Its verdicts against baselines.
    pub verdicts: Vec<VerdictPart>,
    /// Where the time went: means over the samples that count; `None` if the world does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Breakdown>,
    /// The bytes that the devices moved for each byte of the load, over the samples that count;
    /// `None` if the world does not count them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_bytes_per_byte: Option<PerByte>,
    /// Its data at risk: medians over the samples that count; `None` unless the study asks and the
    /// world knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The effect of a failure on it; `None` if nothing failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// How an error of the profiles moves its rates; `None` if they were measured.
    #[serde(skip)]
    pub(crate) error_basis: Option<ErrorBasis>,
    /// Whether fresh devices were simulated, too: without a fresh state they give the same.
    #[serde(skip)]
    pub(crate) is_fresh_simulated: bool,
    /// What its stack costs over the years; `None` if the study does not ask, or a device fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<CellLifetime>,
    /// Its samples in the order of time.
    pub samples: Vec<SamplePart>,
}

/// A sample as it was taken.
#[derive(Debug, Serialize)]
pub struct SamplePart {
    /// The block it was taken in.
    pub block: u32,
    /// The role of the sample in the run.
    pub role: Role,
    /// Its seed.
    pub seed: Option<u64>,
    /// Whether it counts: not a warm-up, valid, and in the steady window if one was requested.
    pub counted: bool,
    /// Its metrics, by key.
    pub metrics: BTreeMap<&'static str, f64>,
    /// The measured values.
    #[serde(flatten)]
    pub sample: Sample,
}

impl ModelPart {
    /// Returns the model of a run under the rules of `kernel`.
    pub fn new(kernel: KernelVersion, host: String, devices: Vec<String>) -> Self {
        Self {
            kernel: kernel.to_string(),
            kernel_rules: rules_of(kernel).to_string(),
            host,
            devices,
        }
    }

    /// Returns the kernel whose rules apply: `kernel rules 7.2, the newest known, for 7.99`.
    pub(crate) fn rules_message(&self) -> Message {
        let kernel = KernelVersion::parse(&self.kernel);
        let rules =
            kernel.map_or_else(|| Argument::Name(self.kernel_rules.clone()), rules_in_words);
        Message::new("show-rules").with("rules", rules)
    }
}

/// The settings of a run, beside its cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSettings {
    /// How often each cell was to be measured.
    pub repeat: Repeat,
    /// The requested comparison.
    pub compare: Compare,
    /// The simulated model, if there is one.
    pub model: Option<ModelPart>,
    /// What is asked about the years of the stacks.
    pub lifetime: Option<AskedLifetime>,
    /// Whether only another store can resume it, from which it was imported.
    pub is_foreign: bool,
}

impl Document {
    /// Returns the same document with its power cuts, or predictions of them, beside what `other`
    /// says of the same cells.
    #[must_use]
    pub fn with_power_cuts(mut self, other: Option<&Document>) -> Self {
        let both: Vec<&Document> = other.into_iter().chain([&self]).collect();
        self.power_cuts = PowerCuts::of(&both);
        self
    }

    /// Returns the same document with its answer in sentences. Power cuts have advice instead.
    #[must_use]
    pub fn with_answer(mut self) -> Self {
        let has_cuts = self.cells.iter().any(|cell| cell.cuts.is_some());
        if self.power_cuts.is_none() && !has_cuts {
            let answer = answer_of(&self, false);
            (self.answer, self.limits) = (answer.found, answer.limits);
        }
        self
    }

    /// Derives the document from the stored run.
    pub fn new(run: &Run, asked: &RunSettings) -> Self {
        let samples = run.samples_by_cell();
        let analyses: Vec<CellAnalysis> = samples
            .iter()
            .map(|samples| analyse_cell(samples, asked))
            .collect();
        let pairs = pairs(&run.cells, &asked.compare.baseline);
        let mut facts = run.facts.iter().map(|record| record.facts.clone());
        let summary = &run.summary;
        Self {
            schema: SCHEMA,
            power_cuts: None,
            answer: Vec::new(),
            limits: Vec::new(),
            stack_differences: stack_differences(&run.cells, &analyses, &asked.compare),
            run: RunPart {
                head: summary.head.clone(),
                measured_in: run.world.clone(),
                is_foreign: asked.is_foreign,
                is_shipped: ShippedStudy::named(&summary.head.study_name)
                    .is_some_and(|shipped| shipped.text == run.study_text),
                seed: run.seed,
                executed_ns: summary
                    .ended_unix_ns
                    .map(|_| u64::try_from(run.executed_for().as_nanos()).unwrap_or(u64::MAX)),
                options: run.shown_options(),
                model: asked.model.clone(),
                repeat: asked.repeat,
                compare: asked.compare.clone(),
                samples_left_out: false,
                samples_all: run.samples.len(),
                samples_counted: analyses
                    .iter()
                    .map(|analysis| analysis.counted.samples.len())
                    .sum(),
            },
            facts: facts.next().unwrap_or_default(),
            facts_later: facts.collect(),
            warnings: run
                .warnings
                .iter()
                .filter(|record| record.cell.is_none())
                .map(|record| &record.warning)
                .chain(&budget_ended(run, &asked.repeat))
                .map(|warning| ShownWarning::new(warning, 0))
                .collect(),
            lifetime: asked.lifetime.clone(),
            cells: samples
                .iter()
                .enumerate()
                .map(|(index, samples)| {
                    CellPart::new(run, asked, (index, samples), &analyses, &pairs)
                })
                .collect(),
        }
        .with_lives()
    }

    /// Adds the lives of the stacks, which depend on the rebuilds of other cells.
    fn with_lives(mut self) -> Self {
        let Some(asked) = &self.lifetime else {
            return self;
        };
        let cells: Vec<Cell> = self.cells.iter().map(CellPart::cell).collect();
        let counted: Vec<Counted> = cells.iter().zip(&self.cells).map(counted).collect();
        let lives: Vec<Option<CellLifetime>> = (0..cells.len())
            .map(|index| asked.of_cell(&counted, index))
            .collect();
        for (cell, life) in self.cells.iter_mut().zip(lives) {
            cell.lifetime = life;
        }
        self
    }

    /// Returns a command about the run's study, which `named` makes from the study as an argument.
    ///
    /// The store does not record where the study file is now, and words and job files are none; the run
    /// keeps the text, which the command saves unless it is that of a shipped study. `options` select the
    /// same store.
    pub(crate) fn of_study(&self, named: impl Fn(&str) -> String, options: &str) -> String {
        let run = &self.run;
        if run.is_shipped {
            return named(&shell_word(&run.study_name));
        }
        // A number of its own: a file of the study's name may be another one by now.
        let file = format!("run-{}.toml", run.id);
        // Traces are searched beside the study.
        let beside = run.options.get("traces").and_then(|traces| traces.as_str());
        let file = beside.map_or_else(|| file.clone(), |traces| format!("{traces}/{file}"));
        let file = shell_word(&file);
        format!(
            "stripewise show {} --study{options} > {file} && {}",
            run.id,
            named(&file)
        )
    }

    /// Returns the command that repeats the run; `None` for an imported run. `options` select the same
    /// store.
    pub fn repeat_command(&self, options: &str) -> Option<String> {
        let run = &self.run;
        let world = match (&run.measured_in, &run.model) {
            // `pull-plug` predicts what power cuts destroy, and cuts the power.
            (None | Some(WorldSpec::Model(_)), Some(_))
                if self.cells.iter().any(|cell| follows_risk(&cell.workload)) =>
            {
                return None;
            }
            (None | Some(WorldSpec::Model(_)), Some(model)) => {
                format!(" --world model --kernel {}", shell_word(&model.kernel))
            }
            (Some(WorldSpec::Files { target }), _) => {
                format!(" --target {}", shell_word(&target.display().to_string()))
            }
            (Some(WorldSpec::Hosts(hosts)), _) => {
                let names = hosts.hosts.iter().map(|host| host.destination.as_str());
                let names = names.collect::<Vec<_>>().join(",");
                let target = shell_word(&hosts.target.display().to_string());
                format!(" --hosts {} --target {target}", shell_word(&names))
            }
            // The devices must be confirmed by name.
            (Some(WorldSpec::Devices), _) => String::new(),
            (Some(WorldSpec::Lab(_)), _) => format!(" {}", self.lab_words()?),
            (None | Some(WorldSpec::Model(_) | WorldSpec::Cuts(_)), _) => return None,
        };
        let profiles = self.profiles_words();
        let command = |study: &str| {
            let seed = run.seed;
            format!("stripewise run {study}{world}{profiles} --seed {seed}{options}")
        };
        Some(self.of_study(command, options))
    }

    /// Returns the option with which the run finds the same profiles; empty if all are shipped.
    fn profiles_words(&self) -> String {
        let texts = self.run.measured_in.as_ref().and_then(WorldSpec::profiles);
        let directory = texts.and_then(Texts::directory);
        directory.map_or(String::new(), |directory| {
            format!(
                " --profiles {}",
                shell_word(&directory.display().to_string())
            )
        })
    }

    /// Returns the options that create the same guest again; `None` for a run in no guest.
    fn lab_words(&self) -> Option<String> {
        // `run` does not cut the power.
        let Some(WorldSpec::Lab(lab)) = &self.run.measured_in else {
            return None;
        };
        // The study names several itself.
        let kernel = match lab.kernels.is_empty() {
            true => format!(" --kernel {}", shell_word(&lab.kernel)),
            false => String::new(),
        };
        let disk_size = lab.disk_size_bytes;
        let disk_size = disk_size.map_or(String::new(), |size| format!(" --disk-size {size}"));
        let clock = match lab.clock {
            Clock::Virtual => String::new(),
            clock => format!(" --clock {clock}"),
        };
        let cache = shell_word(&lab.cache.display().to_string());
        Some(format!(
            "--world lab{kernel}{disk_size}{clock} --memory {}M --cache {cache}",
            lab.memory_mib
        ))
    }

    /// Returns the question on one line, or the name of the study. Imports may list very many
    /// files: the title leaves out all but the first.
    pub fn title(&self) -> String {
        self.title_argument().in_english()
    }

    /// Returns the same as an argument, for other languages.
    pub(crate) fn title_argument(&self) -> Argument {
        match &self.run.name {
            Some(name) => Argument::Name(name.clone()),
            None => self.short(self.run.question.as_ref().unwrap_or(&self.run.study_name)),
        }
    }

    /// Returns the name of the study on one line, as [`Document::title`] does.
    pub fn study(&self) -> String {
        self.short(&self.run.study_name).in_english()
    }

    fn short(&self, title: &str) -> Argument {
        match self.run.origin.is_imported() {
            true => short_title(title),
            false => shipped(title),
        }
    }

    /// Returns the names and order of the cells, and the values that they share.
    pub fn names(&self) -> Names {
        let cells: Vec<Cell> = self.cells.iter().map(CellPart::cell).collect();
        let cells: Vec<&Cell> = cells.iter().collect();
        Names::of(&cells, &self.run.origin)
    }

    /// Returns the values that all cells share: `All cells: depth 8, jobs 1.` `None` if there are
    /// none.
    pub fn shared(&self, names: &Names) -> Option<Message> {
        let shared = names.shared(&self.cells.first()?.cell());
        (!shared.is_empty() && self.cells.len() > 1)
            .then(|| Message::new("cells-share").with("values", Argument::list(shared)))
    }
}

/// The number of files that a title names.
const FILES_NAMED: usize = 2;

/// Returns a title of a list of files: the first of them and the number of others.
fn short_title(title: &str) -> Argument {
    let files: Vec<&str> = title.split(", ").collect();
    match files
        .get(..FILES_NAMED)
        .filter(|_| files.len() > FILES_NAMED + 1)
    {
        Some(named) => Message::new("show-title-files")
            .name("files", named.join(", "))
            .digits("count", files.len() - FILES_NAMED)
            .into(),
        None => Argument::Name(title.to_owned()),
    }
}

fn analyse_cell<'a>(samples: &[&'a SampleRecord], asked: &RunSettings) -> CellAnalysis<'a> {
    let samples = samples.iter().copied();
    analyse(samples, asked.repeat.steady_state, asked.compare.metric)
}

impl ShownWarning {
    fn new(warning: &Warning, samples: usize) -> Self {
        Self {
            message: warning.message(),
            hint: warning.hint(),
            invalidates: warning.invalidates(),
            warning: warning.clone(),
            samples,
        }
    }
}

impl CellPart {
    fn new(
        run: &Run,
        asked: &RunSettings,
        (index, samples): (usize, &[&SampleRecord]),
        analyses: &[CellAnalysis],
        pairs: &[Pair],
    ) -> Self {
        let cell = &run.cells[index];
        let analysis = &analyses[index];
        let counted = &analysis.counted.samples;
        let verdicts = pairs
            .iter()
            .filter(|pair| pair.other == index)
            .filter_map(|pair| {
                let baseline = &analyses[pair.baseline].counted.paired;
                let other = &analysis.counted.paired;
                let compare = &asked.compare;
                let compared =
                    compare_cells(baseline, other, compare.metric, compare.margin_percent)?;
                Some(VerdictPart::new(pair.baseline, &compared))
            })
            .collect();
        let counted_samples = counted.iter().map(|record| record.sample.clone());
        let counted_samples: Vec<Sample> = counted_samples.collect();
        let is_fresh_simulated = simulated_fresh(&counted_samples).next().is_some();
        let prediction = Prediction::of(counted_samples);
        let fresh = prediction.as_ref();
        let fresh = fresh.and_then(|steady| FreshState::beside(cell, steady));
        let risks = counted.iter().filter_map(|record| record.sample.risk);
        let risk = Risk::median(&risks.collect::<Vec<_>>());
        Self {
            index,
            stack: cell.stack.clone(),
            workload: cell.workload.clone(),
            conditions: cell.conditions.clone(),
            results: CellResults {
                estimates: analysis
                    .estimates
                    .iter()
                    .map(|(metric, estimate)| (metric.key(), *estimate))
                    .collect(),
                fresh,
                warnings: warnings(run, index, (analyses, analysis), samples),
                predicted_cuts: risk.as_ref().map(|risk| CutPrediction::of(cell, risk)),
                // A cut counts whatever its load was measured to do.
                cuts: CutSummary::of(samples.iter().filter_map(|one| one.sample.cut.as_ref())),
                bottleneck: prediction.as_ref().map(Bottleneck::of),
            },
            error_basis: prediction.map(|prediction| ErrorBasis::of(cell, &prediction)),
            is_fresh_simulated,
            verdicts,
            breakdown: mean_breakdown(
                counted
                    .iter()
                    .filter_map(|record| record.sample.breakdown.as_ref()),
            ),
            device_bytes_per_byte: per_byte(cell, counted),
            risk,
            timeline: timeline(counted.iter().map(|record| &record.sample)),
            lifetime: None,
            samples: samples
                .iter()
                .map(|record| SamplePart::new(record, counted))
                .collect(),
        }
    }

    /// Returns the cell itself.
    pub fn cell(&self) -> Cell {
        Cell {
            stack: self.stack.clone(),
            workload: self.workload.clone(),
            conditions: self.conditions.clone(),
        }
    }

    /// Returns the number of samples that count.
    pub fn counted(&self) -> usize {
        self.samples.iter().filter(|sample| sample.counted).count()
    }

    /// Returns the estimate of `metric`, if the samples provide it.
    pub fn estimate(&self, metric: Metric) -> Option<&Estimate> {
        self.estimates.get(metric.key())
    }
}

/// Returns a cell with its samples that count.
fn counted<'a>((cell, part): (&'a Cell, &'a CellPart)) -> Counted<'a> {
    let samples = part.samples.iter().filter(|sample| sample.counted);
    Counted {
        cell,
        samples: samples.map(|sample| &sample.sample).collect(),
    }
}

/// Returns what the devices moved for each byte of a cell's load; `None` beside neighbours, whose
/// bytes the samples do not have.
fn per_byte(cell: &Cell, counted: &[&SampleRecord]) -> Option<PerByte> {
    let samples: Vec<&Sample> = counted.iter().map(|record| &record.sample).collect();
    let is_alone = cell.workload.neighbours.is_empty();
    is_alone.then(|| PerByte::of(&samples)).flatten()
}

/// Returns the warning that the budget ended before every cell had its samples, if it did.
///
/// Only the budget ends a cell before its minimum number of attempts.
pub fn budget_ended(run: &Run, repeat: &Repeat) -> Option<Warning> {
    if run.summary.state != RunState::Done || run.summary.origin.is_imported() {
        return None;
    }
    // A simulation stops once its interval is narrow enough, with no fewer samples than an interval
    // needs.
    let at_least = match run.summary.origin.is(WorldName::Model) {
        true => repeat.at_least.min(Repeat::default().at_least),
        false => repeat.at_least,
    };
    let at_least = usize::try_from(at_least).unwrap_or(usize::MAX);
    let attempts = run.samples_by_cell().into_iter().map(|samples| {
        let is_attempt = |record: &&&SampleRecord| record.role == Role::Counted;
        samples.iter().filter(is_attempt).count()
    });
    let attempts: Vec<usize> = attempts.collect();
    let cells_empty = attempts.iter().filter(|count| **count == 0).count();
    let short = attempts.iter().filter(|count| **count < at_least).count();
    (short > 0).then_some(Warning::BudgetEnded {
        cells: attempts.len(),
        cells_empty,
        cells_short: short - cells_empty,
        at_least,
    })
}

/// Returns the warnings about data that a filesystem made smaller.
fn shrunk_data(run: &Run, index: usize, analyses: &[CellAnalysis]) -> Vec<Warning> {
    if !run.cells[index].workload.load.data.is_compressible() {
        return Vec::new();
    }
    let cells = run.cells.iter().zip(analyses);
    let cells: Vec<Measured> = cells
        .map(|(cell, analysis)| Measured {
            cell,
            samples: analysis
                .counted
                .samples
                .iter()
                .map(|it| &it.sample)
                .collect(),
        })
        .collect();
    compression(&cells, index)
}

/// Collects the warnings about the cell, its series and its samples; equal kinds once.
fn warnings(
    run: &Run,
    index: usize,
    (analyses, analysis): (&[CellAnalysis], &CellAnalysis),
    samples: &[&SampleRecord],
) -> Vec<ShownWarning> {
    // Simulated samples have independent seeds: a correlation between them is chance.
    let is_chance = |warning: &&Warning| {
        let of_series = [
            matches!(warning, Warning::Autocorrelated { .. }),
            matches!(warning, Warning::Drift { .. }),
            matches!(warning, Warning::FirstSampleUnlike { .. }),
        ];
        run.summary.origin.is(WorldName::Model) && of_series.contains(&true)
    };
    let stored = run
        .warnings
        .iter()
        .filter(|record| record.cell == Some(index))
        .map(|record| &record.warning);
    let shrunk = shrunk_data(run, index, analyses);
    let mut noticed: Vec<ShownWarning> = stored
        .chain(&analysis.warnings)
        .chain(&shrunk)
        .filter(|warning| !is_chance(warning))
        .map(|warning| ShownWarning::new(warning, 0))
        .collect();
    // The warnings about samples, by their kind.
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for record in samples {
        // A sample counts once, also if several of its jobs say the same.
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for warning in &record.sample.warnings {
            let kind = warning.kind();
            if !seen.insert(kind.clone()) {
                continue;
            }
            match found.get(&kind) {
                Some(at) => noticed[*at].samples += 1,
                None => {
                    found.insert(kind, noticed.len());
                    noticed.push(ShownWarning::new(warning, 1));
                }
            }
        }
    }
    noticed
}

impl SamplePart {
    fn new(record: &SampleRecord, counted: &[&SampleRecord]) -> Self {
        Self {
            block: record.block,
            role: record.role,
            seed: record.seed,
            counted: counted.iter().any(|other| std::ptr::eq(*other, record)),
            metrics: Metric::ALL
                .into_iter()
                .filter_map(|metric| Some((metric.key(), metric.of(&record.sample)?)))
                .collect(),
            sample: record.sample.clone(),
        }
    }
}
