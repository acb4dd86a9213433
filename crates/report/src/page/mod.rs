//! A page: one or several runs as the data of a report and of the live page.
//!
//! Cells are stored once, with all their data; a [`view`](View) selects the kind of chart and its
//! axes, and takes its numbers from the cells. Sentences are messages of the catalogue, which the
//! front end renders in the reader's language. Control characters in texts
//! from outside are replaced; the front end must escape the rest.
//!
//! `web/src/generated.ts` is generated from these types (`crates/serve/src/typescript.rs`). The
//! test `page` writes a small page, which the front end's compiler checks against them.

mod answer;
mod answer_words;
mod axes;
mod cells;
mod contest;
mod cuts;
mod facts;
mod input;
mod latency;
mod maps;
mod open;
mod subjects;
mod views;

pub use answer::{Claim, Limit, ShareOfBest, StackCost};
pub use axes::Axis;
pub use cells::{Cell, CellBreakdown, CellFinding, CellTimeline, CellVerdict, Member, SamplePoint};
pub use input::Input;
pub use latency::{Distribution, Percentile};
pub use maps::{MapBox, MapRow, StackMap};
pub use views::{CutPlace, View};

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_answer::Block;
use stripewise_catalogue::{Argument, Message};
use stripewise_results::{RunHead, RunState};
use stripewise_study::conditions::State;
use stripewise_study::metric::{Metric, MetricKey};
use stripewise_units::visible::shell_word;

use self::cells::visible_warnings;
pub(crate) use self::open::{OpenReason, open_cells};
use self::subjects::{Subject, reference};
use crate::choice::{self, Candidate};
use crate::document::{CellPart, Document, ModelPart, ShownWarning};
use crate::names::Names;
use crate::text::strip_control;

/// The version of the page's format.
pub const SCHEMA: u32 = 1;
/// The most runs on a page: more are indistinguishable in a chart.
pub const RUNS_MAX: usize = 8;

/// One or several runs, ready for display.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Page {
    /// The version of this document's format.
    #[cfg_attr(feature = "typescript", ts(type = "1"))]
    pub schema: u32,
    /// The version of the program that made the page.
    pub stripewise_version: &'static str,
    /// The question: the first run's, or else the name of its study.
    pub question: Argument,
    /// The metric that the first run compares.
    pub metric: MetricKey,
    /// The metrics that at least one cell has an estimate of.
    pub metrics: Vec<MetricKey>,
    /// The runs.
    pub runs: Vec<PageRun>,
    /// The axes along which the cells of all runs differ.
    pub axes: Vec<Axis>,
    /// The cells of all runs, run by run.
    pub cells: Vec<Cell>,
    /// The values that all cells of all runs share and no axis shows.
    pub shared: Vec<Shared>,
    /// Of very many cells the indices of those that matter: the largest differences and those with
    /// warnings. `None` if there are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub chosen: Option<BTreeSet<usize>>,
    /// The answers of the runs.
    pub answer: Vec<Answer>,
    /// Which member holds and serves which chunk, for each array.
    pub maps: Vec<StackMap>,
    /// The views, in order.
    pub views: Vec<View>,
}

/// A claim, as data and as a sentence.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Answer {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// The claim as a sentence.
    pub sentence: Message,
}

/// A value that all cells have.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Shared {
    /// The key of its axis.
    pub key: &'static str,
    /// The value.
    pub value: String,
}

/// One run of a page.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PageRun {
    /// Its head; the name, if there is one, is the question.
    #[serde(flatten)]
    pub head: RunHead,
    /// The seed of the order and of the samples.
    pub seed: u64,
    /// The number of samples, including the warm-up and invalid ones.
    pub samples_all: usize,
    /// The number of samples that count.
    pub samples_counted: usize,
    /// The number of samples that count at the earliest end of the run.
    pub samples_least: u64,
    /// The simulated model; `None` in other worlds.
    pub model: Option<ModelPart>,
    /// The simulated model, facts that changed within this run or since the first run of the page,
    /// and the facts of the machine.
    pub facts: Vec<Block>,
    /// The warnings about the run as a whole.
    pub warnings: Vec<ShownWarning>,
    /// Commands that repeat, continue and examine it.
    pub commands: Vec<Command>,
    /// The study file.
    pub study_text: String,
}

/// The purpose of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Repeats it.
    Repeat,
    /// Continues it.
    Resume,
    /// Prints all of it.
    Show,
    /// Compares it with the first run of the page, or its cells with one another.
    Compare,
    /// Explains a cell.
    Why,
    /// Exports it for other programs.
    Export,
}

/// A command line and its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Command {
    /// Its purpose.
    pub does: Purpose,
    /// The command line.
    pub command: String,
}

/// The most claims that a terminal prints of a run.
const SENTENCES_MAX: usize = 8;

/// The sentences of a run's answer that the terminal prints.
#[derive(Debug, Default)]
pub(crate) struct RunAnswer {
    /// What to choose, and above a table that is too long to read what it says.
    pub(crate) found: Vec<Message>,
    /// What the samples do not tell.
    pub(crate) limits: Vec<Message>,
}

/// Returns the answer of a run; `is_long` says whether its table is too long to read.
pub(crate) fn answer_of(document: &Document, is_long: bool) -> RunAnswer {
    let documents = std::slice::from_ref(document);
    let cells: Vec<_> = document.cells.iter().map(CellPart::cell).collect();
    let axes = axes::of(&cells);
    let subjects = subjects::of(documents, &axes);
    let claims = answer::of(&answer::Evidence {
        documents,
        axes: &axes,
        cells: &subjects,
        metric: document.run.compare.metric,
        cuts: None,
        state: State::Steady,
    });
    let writer = answer_words::ClaimWriter {
        documents,
        axes: &axes,
        cells: &subjects,
        cuts: None,
    };
    // What is left of the rate is the answer to a question about failures, of which none is chosen.
    let fails = cells.iter().any(|cell| cell.conditions.failure.is_some());
    let is_summed_up = fails && !claims.iter().any(Claim::is_decision);
    let is_shown = |claim: &&Claim| match is_long || is_summed_up {
        true => claim.is_in_terminal(),
        false => claim.is_decision(),
    };
    let found = claims.iter().filter(is_shown).take(SENTENCES_MAX);
    let limits = claims.iter().filter(|claim| claim.is_limit());
    RunAnswer {
        found: found.map(|claim| writer.message(claim)).collect(),
        limits: limits.map(|claim| writer.message(claim)).collect(),
    }
}

impl Page {
    /// Derives a page from stored runs; `None` without a run.
    pub fn new(inputs: &[Input]) -> Option<Self> {
        let first = inputs.first()?;
        let documents: Vec<Document> = inputs.iter().map(Input::document).collect();
        let study_cells = inputs.iter().flat_map(|input| &input.run.cells);
        let axes = axes::of(study_cells);
        let cuts = cuts::of(&documents);
        let mut subjects = subjects::of(&documents, &axes);
        subjects::compare(inputs, &documents, &mut subjects);
        let cells = cells::of(inputs, &subjects);
        let metric = first.asked.compare.metric;
        let metrics = cells::metrics(&documents);
        let answer = answer::of(&answer::Evidence {
            documents: &documents,
            axes: &axes,
            cells: &subjects,
            metric,
            cuts: cuts.as_ref(),
            state: State::Steady,
        });
        let writer = answer_words::ClaimWriter {
            documents: &documents,
            axes: &axes,
            cells: &subjects,
            cuts: cuts.as_ref(),
        };
        let answer = answer.into_iter().map(|claim| Answer {
            sentence: writer.message(&claim).with_names(&strip_control),
            claim,
        });
        let answer = answer.collect();
        let chosen = chosen(&documents, &subjects, metric);
        let maps = maps::of(inputs);
        let power_cuts = cuts
            .as_ref()
            .map(|cuts| cuts::view(cuts, &documents, &subjects::places(&subjects)));
        let states = views::states_of_figures(&documents);
        let tables = match &documents[..] {
            [only] => views::tables(only),
            _ => Vec::new(),
        };
        let views = views::of(
            &axes,
            &cells,
            (&metrics, metric),
            maps.is_empty(),
            power_cuts,
            (states, tables),
        );
        Some(Self {
            schema: SCHEMA,
            stripewise_version: env!("CARGO_PKG_VERSION"),
            question: documents[0].title_argument().with_names(&strip_control),
            metric: MetricKey(metric),
            metrics: metrics.iter().copied().map(MetricKey).collect(),
            runs: inputs
                .iter()
                .zip(&documents)
                .map(|(input, document)| PageRun::new(input, document, &documents))
                .collect(),
            axes: axes.into_iter().map(|axis| axis.shown).collect(),
            shared: shared(inputs),
            chosen,
            cells,
            answer,
            maps,
            views,
        })
    }
}

/// Returns the cells that matter of many; `None` if there are few.
fn chosen(documents: &[Document], subjects: &[Subject], metric: Metric) -> Option<BTreeSet<usize>> {
    let candidates = subjects.iter().map(|subject| Candidate {
        part: subject.part,
        verdict: match documents.len() {
            1 => subject.part.verdicts.first(),
            _ => subject.before.as_ref(),
        },
    });
    choice::places(&candidates.collect::<Vec<_>>(), metric)
}

/// Returns the values that all cells of all runs share.
fn shared(inputs: &[Input]) -> Vec<Shared> {
    let cells: Vec<_> = inputs.iter().flat_map(|input| &input.run.cells).collect();
    let Some(first) = inputs.first() else {
        return Vec::new();
    };
    let names = Names::of(&cells, &first.run.summary.origin);
    let shared = names.common.iter().filter_map(|axis| {
        let value = cells.first()?.value(*axis);
        let key = axis.key();
        (value != "-").then(|| Shared {
            key,
            value: strip_control(&value),
        })
    });
    shared.collect()
}

impl PageRun {
    fn new(input: &Input, document: &Document, documents: &[Document]) -> Self {
        let run = &document.run;
        Self {
            head: RunHead {
                study_name: strip_control(&document.study()),
                ..run.head.shown(strip_control)
            },
            seed: run.seed,
            samples_all: run.samples_all,
            samples_counted: run.samples_counted,
            samples_least: u64::from(run.repeat.at_least) * document.cells.len() as u64,
            model: run.model.clone(),
            facts: facts::of(document, &documents[0]),
            warnings: visible_warnings(&document.warnings),
            commands: commands(input, document, &documents[reference(documents)]),
            study_text: strip_control_lines(&input.run.study_text),
        }
    }
}

/// Returns a text of several lines with other control characters replaced.
fn strip_control_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(strip_control).collect();
    lines.join("\n")
}

/// Returns commands that repeat, continue and examine a run, and compare it with the `baseline` of the page.
fn commands(input: &Input, document: &Document, baseline: &Document) -> Vec<Command> {
    let (run, store) = (&document.run, strip_control(input.store_option));
    let id = run.id;
    let mut commands = Vec::new();
    let mut put = |does, command: String| commands.push(Command { does, command });
    if let Some(command) = document.repeat_command(&store) {
        put(Purpose::Repeat, command);
    }
    if run.state != RunState::Done && !run.origin.is_imported() && !run.is_foreign {
        put(Purpose::Resume, format!("stripewise resume {id}{store}"));
    }
    put(Purpose::Show, format!("stripewise show {id} --json{store}"));
    // With a run that the reader has yet to name, the command would not run as it is.
    let baseline = Some(baseline.run.id).filter(|baseline| *baseline != id);
    let has_verdicts = document.cells.iter().any(|cell| !cell.verdicts.is_empty());
    if let Some(baseline) = baseline {
        let command = format!("stripewise compare {baseline} {id}{store}");
        put(Purpose::Compare, command);
    } else if has_verdicts {
        put(Purpose::Compare, format!("stripewise compare {id}{store}"));
    }
    if let Some(model) = &run.model {
        let kernel = shell_word(&model.kernel);
        let cell = match document.cells.len() {
            1 => "",
            _ => " --cell 1",
        };
        let why = |study: &str| format!("stripewise why {study} --kernel {kernel}{cell}");
        put(Purpose::Why, document.of_study(why, &store));
    }
    put(
        Purpose::Export,
        format!("stripewise export {id} --format csv{store}"),
    );
    commands
}
