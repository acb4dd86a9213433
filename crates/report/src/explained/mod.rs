//! Why one result differs from another, for programs and in blocks.

pub mod alone;
mod answer;
mod words;

use serde::Serialize;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::ablation::{Ablation, Change};
use stripewise_diagnose::explain::actions::{Names, commands};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::conclusion::Conclusion;
use stripewise_diagnose::explain::difference::{Difference, Lack, Silent};
use stripewise_diagnose::explain::evidence::Counters;
use stripewise_diagnose::explain::kinds::{Risk, kind};
use stripewise_diagnose::explain::shape::{Shape, Step};
use stripewise_profiles::kernel::changed_rules;
use stripewise_study::metric::Metric;
use stripewise_units::kernel::KernelVersion;

/// The version of the document.
const SCHEMA: u32 = 1;

/// Why one result differs from another.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// The version of this document.
    pub schema: u32,
    /// Where the results are from, before and after.
    pub sides: [String; 2],
    /// Whether facts of the machine are known before, and after.
    pub has_facts: [bool; 2],
    /// What was compared: one load for each pair of cells.
    pub pairs: Vec<ExplainedPair>,
    /// The cells that have no partner.
    pub unmatched: usize,
    /// Facts that bear on speed and that a side does not have.
    pub not_recorded: Vec<NotRecorded>,
    /// Facts of which two sources of the same side say different things, before and after.
    pub conflicts: [Vec<Conflict>; 2],
    /// How many facts that bear on speed are the same.
    pub same: usize,
    /// What import noted about the files of a side, before and after.
    pub warnings: [Vec<Message>; 2],
}

/// Why one cell differs from another.
#[derive(Debug, Serialize)]
pub struct ExplainedPair {
    /// The load.
    pub load: Argument,
    /// The metric that is explained.
    pub metric: Metric,
    /// Why it cannot be compared, before and after.
    pub lacks: [Option<Lack>; 2],
    /// The directions in which one side alone moved nothing.
    pub silent: Vec<Silent>,
    /// The limits at which the load ran, before and after.
    pub capped: [Vec<Cap>; 2],
    /// In which way latencies differ.
    pub shape: Option<Shape>,
    /// The moments at which the rate changed for good.
    pub steps: Vec<Step>,
    /// The difference in throughput first, then in other metrics.
    pub differences: Vec<Difference>,
    /// The share below which differences count as none.
    pub margin: f64,
    /// The facts that differ.
    pub changes: Vec<Change>,
    /// The kernel's rules that the model knows and that changed between the two kernels.
    pub kernel_rules: Vec<KernelRule>,
    /// What can be done about each of the causes.
    pub actions: Vec<Action>,
    /// What explains the first difference.
    pub conclusion: Conclusion,
    /// What the model makes of the changes.
    pub ablation: Option<Ablation>,
    /// Why the model says nothing.
    pub model_refused: Option<Argument>,
    /// The profiles that the model used.
    pub model: Option<ModelUsed>,
    /// What the samples count for each I/O.
    pub counters: Counters,
    /// The study that tells the first two causes apart.
    pub experiment: Option<Experiment>,
}

/// A rule of the kernel that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KernelRule {
    /// Its name in `kernels/rules.toml`.
    pub rule: &'static str,
    /// The first version with it.
    pub since: String,
    /// What differs from then on.
    pub change: &'static str,
    /// Where that was read.
    pub source: &'static str,
}

impl KernelRule {
    /// Returns the rules that changed with the kernel, if it is among `changes`.
    pub fn between(changes: &[Change]) -> Vec<Self> {
        let kernel = changes.iter().find(|change| change.key == "kernel");
        let versions = kernel.and_then(|change| {
            let before = KernelVersion::parse(&change.before)?;
            Some((before, KernelVersion::parse(&change.after)?))
        });
        let changed = versions.map(|(before, after)| changed_rules(before, after));
        let changed = changed.into_iter().flatten();
        changed
            .map(|entry| Self {
                rule: &entry.rule,
                since: entry.since[0].to_string(),
                change: &entry.change,
                source: &entry.source,
            })
            .collect()
    }
}

/// The profiles behind shares.
#[derive(Debug, Clone, Serialize)]
pub struct ModelUsed {
    /// The device profile.
    pub device: String,
    /// The host profile.
    pub host: String,
    /// Whether both were chosen by the kind of disk, and not named.
    pub is_assumed: bool,
}

/// What can be done about a cause.
#[derive(Debug, Clone, Serialize)]
pub struct Action {
    /// The change, by its place among all.
    pub change: usize,
    /// The command that makes it the earlier value again.
    pub undo: Option<String>,
    /// The command that makes it the later value again.
    pub redo: Option<String>,
    /// What that risks.
    pub risk: Risk,
    /// Where that it bears on speed is stated.
    pub source: Option<&'static str>,
}

/// A study that tells causes apart.
#[derive(Debug, Clone, Serialize)]
pub struct Experiment {
    /// The study.
    pub study: String,
    /// The changes that it tells apart, by their places.
    pub changes: Vec<usize>,
    /// How long it takes at least, in s.
    pub time_s: f64,
    /// Whether it runs in the lab; else on the machine itself.
    pub is_for_lab: bool,
    /// The command that runs it.
    pub command: String,
}

/// A fact of which two sources of one side say different things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// Its key.
    pub key: String,
    /// The value that is taken.
    pub taken: String,
    /// What the other source says.
    pub other: String,
    /// The other source.
    pub source: Source,
}

/// A source of facts whose value is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// What the run recorded; the tree of facts goes before it.
    Run,
    /// What the run recorded before it was resumed; the last counts.
    EarlierPart,
    /// The version that the running kernel gives itself; that of its source goes before it.
    Running,
}

impl Source {
    /// Returns its key in the catalogue.
    pub const fn key(self) -> &'static str {
        match self {
            Source::Run => "run",
            Source::EarlierPart => "earlier-part",
            Source::Running => "running",
        }
    }
}

/// A fact that a side does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotRecorded {
    /// Its key.
    pub key: String,
    /// Why it is missing before; `None` if it is not.
    pub before: Option<Message>,
    /// The same after.
    pub after: Option<Message>,
}

impl NotRecorded {
    /// Returns whether it is a fact of the load, which results state, and not of the machine.
    fn is_of_load(&self) -> bool {
        kind(&self.key).risk == Risk::Load
    }
}

impl Explained {
    /// Returns an explanation of no pair yet.
    pub fn new(sides: [String; 2]) -> Self {
        Self {
            schema: SCHEMA,
            sides,
            has_facts: [false; 2],
            pairs: Vec::new(),
            unmatched: 0,
            not_recorded: Vec::new(),
            conflicts: [Vec::new(), Vec::new()],
            same: 0,
            warnings: [Vec::new(), Vec::new()],
        }
    }
}

impl ExplainedPair {
    /// Returns the difference that is explained.
    pub fn difference(&self) -> Option<&Difference> {
        let mut differences = self.differences.iter();
        differences.find(|one| one.metric == self.metric)
    }
}

impl Action {
    /// Returns what can be done about a change on what `names` has.
    pub fn of(place: usize, change: &Change, names: &Names) -> Self {
        let kind = kind(&change.key);
        let command = |from: &str, to: &str| {
            let commands = commands(&change.key, from, to, names);
            (!commands.is_empty()).then(|| commands.join(" && "))
        };
        let undo = command(&change.after, &change.before);
        let is_anew = undo.as_ref().is_some_and(|undo| undo.contains("--stop"));
        Self {
            change: place,
            redo: command(&change.before, &change.after),
            risk: if is_anew { Risk::Anew } else { kind.risk },
            undo,
            source: (!kind.source.is_empty()).then_some(kind.source),
        }
    }
}
