//! A page: one or several runs as the data that a report and the live page show.
//!
//! Cells are stored once, with everything that is known of them; a [`view`](View) says what is
//! shown and along which axes, and finds its numbers in the cells. There are no sentences here: the
//! page makes them from the data, in the reader's language (`web/src/messages/`). Texts that came
//! from outside are stripped of control characters and otherwise left as they are; whoever shows
//! them escapes them.
//!
//! `web/src/generated.ts` is written from these types (`crates/serve/src/typescript.rs`); the test `page`
//! writes a small page that the front end's compiler checks against it.

mod answer;
mod answer_words;
mod axes;
mod cells;
mod facts;
mod input;
mod latency;
mod maps;
mod subjects;
mod views;

pub use answer::{Claim, Limit, Standing};
pub use axes::Axis;
pub use cells::{Cell, CellBreakdown, CellFinding, CellTimeline, CellVerdict, Member, SamplePoint};
pub use facts::Fact;
pub use input::Input;
pub use latency::{Distribution, Percentile};
pub use maps::{MapBox, MapRow, StackMap};
pub use views::View;

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_results::{RunId, RunState};
use stripewise_study::facts::FactChange;
use stripewise_study::metric::MetricKey;

use self::cells::harmless_warnings;
use crate::choice::{self, Candidate};
use crate::document::{CellPart, Document, ModelPart, Noticed};
use crate::names::{Names, is_imported};
use crate::text::{harmless, shell_word};

/// The version of the page's form.
pub const SCHEMA: u32 = 1;
/// How many runs may be laid over one another: more nobody can tell apart.
pub const RUNS_MAX: usize = 8;

/// One or several runs, ready to be shown.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Page {
    /// The version of this form.
    #[cfg_attr(feature = "typescript", ts(type = "1"))]
    pub schema: u32,
    /// The version of the program that made the page.
    pub stripewise_version: &'static str,
    /// What is asked: the first run's question, else the name of its study.
    pub question: String,
    /// The metric that the first run compares by.
    pub metric: MetricKey,
    /// The metrics that at least one cell has an estimate of.
    pub metrics: Vec<MetricKey>,
    /// The runs.
    pub runs: Vec<PageRun>,
    /// The axes along which the cells of all runs differ.
    pub axes: Vec<Axis>,
    /// The cells of all runs, run by run.
    pub cells: Vec<Cell>,
    /// What all cells of all runs share and no axis tells.
    pub shared: Vec<Shared>,
    /// Of very many cells those that matter, by their indices: the largest differences and those that
    /// warnings are about. Nothing where they are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub chosen: Option<BTreeSet<usize>>,
    /// What the runs answer, as data.
    pub answer: Vec<Claim>,
    /// The same in the terminal's English, where the terminal says it.
    #[serde(skip)]
    pub answer_words: Vec<Option<String>>,
    /// Which member holds and serves which chunk, for each array.
    pub maps: Vec<StackMap>,
    /// What is shown, in order.
    pub views: Vec<View>,
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
    /// Its number in the store.
    pub id: RunId,
    /// The study's name.
    pub study: String,
    /// The question asked.
    pub question: Option<String>,
    /// The world it ran in.
    pub world: String,
    /// How it stands.
    pub state: RunState,
    /// The version of the program that began it.
    pub stripewise_version: String,
    /// The seed from which order and samples drew.
    pub seed: u64,
    /// When it began, in ns since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// When it ended, if it did.
    pub ended_unix_ns: Option<u64>,
    /// How many samples there are, the warm-up and the worthless included.
    pub samples_all: usize,
    /// How many samples count.
    pub samples_counted: usize,
    /// What was simulated; nothing in other worlds.
    pub model: Option<ModelPart>,
    /// What the machine was.
    pub facts: Vec<Fact>,
    /// What changed: within this run, and since the first run of the page.
    pub changed_facts: Vec<FactChange>,
    /// What was noticed about the run as a whole.
    pub warnings: Vec<Noticed>,
    /// How to repeat, continue and question it.
    pub commands: Vec<Command>,
    /// The study file.
    pub study_text: String,
}

/// What a command does with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Runs it once more.
    Repeat,
    /// Goes on with it.
    Resume,
    /// Prints all of it.
    Show,
    /// Holds it against another one.
    Compare,
    /// Takes a cell apart.
    Why,
    /// Writes it for other programs.
    Export,
}

/// A command line and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Command {
    /// What it does.
    pub does: Purpose,
    /// The command line.
    pub command: String,
}

/// What a terminal says of a run: the first so many claims that have words there.
const SENTENCES_MAX: usize = 8;

/// Returns what a run answers, in English.
pub(crate) fn answer_of(document: &Document) -> Vec<String> {
    let documents = std::slice::from_ref(document);
    let cells: Vec<_> = document.cells.iter().map(CellPart::cell).collect();
    let axes = axes::of(&cells);
    let subjects = subjects::of(documents, &axes);
    let claims = answer::of(&answer::Evidence {
        documents,
        axes: &axes,
        cells: &subjects,
        metric: document.run.compare.metric,
    });
    let speaker = answer_words::Speaker {
        documents,
        axes: &axes,
        cells: &subjects,
    };
    let sentences = claims.iter().filter_map(|claim| speaker.say(claim));
    sentences.take(SENTENCES_MAX).collect()
}

impl Page {
    /// Derives a page from stored runs; nothing without a run.
    pub fn new(inputs: &[Input]) -> Option<Self> {
        let first = inputs.first()?;
        let documents: Vec<Document> = inputs
            .iter()
            .map(|input| Document::new(input.run, input.asked))
            .collect();
        let study_cells = inputs.iter().flat_map(|input| &input.run.cells);
        let axes = axes::of(study_cells);
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
        });
        let speaker = answer_words::Speaker {
            documents: &documents,
            axes: &axes,
            cells: &subjects,
        };
        let answer_words = answer.iter().map(|claim| speaker.say(claim)).collect();
        let candidates: Vec<Candidate> = subjects
            .iter()
            .map(|subject| Candidate {
                part: subject.part,
                verdict: match documents.len() {
                    1 => subject.part.verdicts.first(),
                    _ => subject.before.as_ref(),
                },
            })
            .collect();
        let chosen = choice::places(&candidates, metric);
        let maps = maps::of(inputs);
        let views = views::of(&axes, &cells, &metrics, metric, maps.is_empty());
        Some(Self {
            schema: SCHEMA,
            stripewise_version: env!("CARGO_PKG_VERSION"),
            question: harmless(&documents[0].title()),
            metric: MetricKey(metric),
            metrics: metrics.iter().copied().map(MetricKey).collect(),
            runs: inputs
                .iter()
                .zip(&documents)
                .map(|(input, document)| PageRun::new(input, document, &documents[0]))
                .collect(),
            axes: axes.into_iter().map(|axis| axis.shown).collect(),
            shared: shared(inputs),
            chosen,
            cells,
            answer,
            answer_words,
            maps,
            views,
        })
    }
}

/// Returns what all cells of all runs share.
fn shared(inputs: &[Input]) -> Vec<Shared> {
    let cells: Vec<_> = inputs.iter().flat_map(|input| &input.run.cells).collect();
    let world = inputs.first().map_or("", |input| &input.run.summary.world);
    let names = Names::of(&cells, world);
    let shared = names.common.iter().filter_map(|axis| {
        let value = cells.first()?.value(*axis);
        let key = axis.key();
        (value != "-").then(|| Shared {
            key,
            value: harmless(&value),
        })
    });
    shared.collect()
}

impl PageRun {
    fn new(input: &Input, document: &Document, first: &Document) -> Self {
        let run = &document.run;
        let mut changed_facts = Vec::new();
        for later in &document.facts_later {
            changed_facts.extend(document.facts.changes(later));
        }
        if first.run.id != run.id && run.model.is_none() && first.run.model.is_none() {
            changed_facts.extend(first.facts.changes(&document.facts));
        }
        Self {
            id: run.id,
            study: harmless(&document.study()),
            question: run
                .name
                .as_deref()
                .or(run.question.as_deref())
                .map(harmless),
            world: harmless(&run.world),
            state: run.state,
            stripewise_version: harmless(&run.stripewise_version),
            seed: run.seed,
            started_unix_ns: run.started_unix_ns,
            ended_unix_ns: run.ended_unix_ns,
            samples_all: run.samples_all,
            samples_counted: run.samples_counted,
            model: run.model.clone(),
            facts: facts::of(document),
            changed_facts: changed_facts.into_iter().map(harmless_change).collect(),
            warnings: harmless_warnings(&document.warnings),
            commands: commands(input, document),
            study_text: harmless_lines(&input.run.study_text),
        }
    }
}

/// Returns a text of several lines without other control characters.
fn harmless_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(harmless).collect();
    lines.join("\n")
}

fn harmless_change(change: FactChange) -> FactChange {
    FactChange {
        fact: harmless(&change.fact),
        before: harmless(&change.before),
        now: harmless(&change.now),
    }
}

/// Returns how to repeat, continue and question a run.
fn commands(input: &Input, document: &Document) -> Vec<Command> {
    let (run, store) = (&document.run, harmless(input.store_option));
    let (id, world) = (run.id, run.world.as_str());
    let study = shell_word(&format!("{}.toml", run.study));
    let mut commands = Vec::new();
    let mut put = |does, command: String| commands.push(Command { does, command });
    if let Some(command) = document.repeat_command() {
        put(Purpose::Repeat, format!("{command}{store}"));
    }
    if run.state != RunState::Done && !is_imported(world) {
        put(Purpose::Resume, format!("stripewise resume {id}{store}"));
    }
    put(Purpose::Show, format!("stripewise show {id} --json{store}"));
    put(
        Purpose::Compare,
        format!("stripewise compare {id} OTHER-RUN{store}"),
    );
    if let Some(model) = &run.model {
        let kernel = shell_word(&model.kernel);
        put(
            Purpose::Why,
            format!("stripewise why {study} --kernel {kernel} --cell NUMBER"),
        );
    }
    put(
        Purpose::Export,
        format!("stripewise export {id} --format csv{store}"),
    );
    commands
}
