//! Questions answered by simulation: one cell, a curve over block sizes, the effects of changes.
//!
//! The answer equals that of `stripewise predict`, bit for bit. While a slider moves, the page asks
//! for a preview first: one short simulation, marked as a preview. Where that ends before the rate is known,
//! as inside a cache that still fills, the preview has no number.

use std::ops::RangeInclusive;
use std::time::Instant;

use serde::Serialize;
use stripewise_analysis::simulations::{repeat, seed_of};
use stripewise_catalogue::Message;
use stripewise_diagnose::changes::{Effect, effects};
use stripewise_diagnose::prediction::Prediction;
use stripewise_profiles::HOST_DEFAULT;
use stripewise_report::document::{ModelPart, RunSettings};
use stripewise_report::page::{Command, Input, Page, Purpose};
use stripewise_report::states::FreshState;
use stripewise_results::{
    FactsRecord, Run, RunHead, RunId, RunState, RunSummary, SampleCounts, unix_now_ns,
};
use stripewise_sim::question::{Observer, Question as Asked};
use stripewise_sim::world::{Model, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::sample::{Role, Sample, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_study::workload::BlockSize;
use stripewise_study::world::World as _;
use stripewise_study::world::WorldName;
use stripewise_units::Bytes;

use crate::error::{ApiError, Result};
use crate::question::{NAME, ParsedQuestion, Question};
use crate::stored::Stored;

/// The seed of the first simulation; the others follow it. As in `stripewise predict`.
const SEED: u64 = 0;
/// The effort of the one simulation of a preview, as of a question: a slider waits for it, about 10 ms.
const PREVIEW_IOS: u64 = 1 << 16;

/// The block sizes of a curve, 4K to 4M, as powers of two.
const CURVE_SIZES: RangeInclusive<u32> = 12..=22;

/// POST /api/ask: a page with one simulated cell and its array map. POST /api/ask/curve: the same
/// question at several block sizes; the matching cells of the overlaid run follow as a second run.
/// With `?preview=true` both are quick, and marked as previews.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct AskAnswer {
    /// The simulation, as if it were a run.
    page: Page,
    /// How long the simulation took.
    simulated_ns: u64,
    /// Whether this is a preview: the final answer needs another request, and may differ.
    is_preview: bool,
}

/// POST /api/ask/why: the effects of changes.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct WhyAnswer {
    /// The simulated effects, the best first.
    effects: Vec<EffectPart>,
}

/// The effect of one change.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct EffectPart {
    #[serde(flatten)]
    effect: Effect,
    /// The change.
    change_sentence: Message,
    /// The verdict.
    verdict_sentence: Message,
    /// The question with the change made; null if the page cannot ask it.
    question: Option<Question>,
}

/// POST /api/ask/study: the question as a study file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct StudyAnswer {
    /// Null if the question has failed members, which are not part of a study.
    toml: Option<String>,
    /// The command that runs the study; without one, the `stripewise predict` of the question.
    command: String,
}

/// How thoroughly a question is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Once, briefly: a marked answer that the final one replaces, without a number unless it is settled.
    Preview,
    /// As by `stripewise predict`, bit for bit.
    Final,
}

/// Simulates the question until `observer` stops it, as the other functions do.
pub(crate) fn ask(
    question: &Question,
    model: &Model,
    stage: Stage,
    observer: &mut dyn Observer,
) -> Result<AskAnswer> {
    let parsed = question.parse(model)?;
    let began = Instant::now();
    let simulated = simulate(&parsed.model, parsed.cell().clone(), stage, observer)?;
    let fresh = match stage {
        Stage::Preview => None,
        Stage::Final => Some([fresh(&parsed.model, &simulated, observer)?]),
    };
    let simulated = Answered {
        cells: vec![simulated],
        fresh: fresh.as_ref().map(|fresh| &fresh[..]),
        overlay: None,
    };
    answer(question, parsed, simulated, stage, began)
}

/// Returns what fresh devices give, as `stripewise predict` does; `None` if steady ones were not asked
/// about, or give about the same.
fn fresh(
    model: &Model,
    steady: &Simulated,
    observer: &mut dyn Observer,
) -> Result<Option<FreshState>> {
    let cell = &steady.cell;
    let prediction = Prediction::of(steady.samples.clone());
    let Some(prediction) = prediction.filter(|_| cell.conditions.state != Some(State::Fresh))
    else {
        return Ok(None);
    };
    let fresh = prediction.fresh(model, cell, SEED, observer)?;
    Ok(fresh.and_then(|fresh| FreshState::that_matters(cell, &fresh, &prediction)))
}

/// Simulates the question at several block sizes, and lays the cells of `overlay` over it.
pub(crate) fn curve(
    question: &Question,
    model: &Model,
    stage: Stage,
    overlay: Option<Stored>,
    observer: &mut dyn Observer,
) -> Result<AskAnswer> {
    let parsed = question.parse(model)?;
    let began = Instant::now();
    let (mut simulated, mut states) = (Vec::new(), Vec::new());
    let mut too_large = None;
    for power in CURVE_SIZES {
        let mut cell = parsed.cell().clone();
        cell.workload.load.block_size = BlockSize::Fixed(Bytes::new(1 << power));
        match simulate(&parsed.model, cell, stage, observer) {
            Ok(one) => {
                if stage == Stage::Final {
                    states.push(fresh(&parsed.model, &one, observer)?);
                }
                simulated.push(one);
            }
            // The curve ends where I/Os are too large to simulate.
            Err(SimulateError::Model(error @ ModelError::TooLarge { .. })) => {
                too_large = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let (true, Some(error)) = (simulated.is_empty(), too_large) {
        return Err(error.into());
    }
    let simulated = Answered {
        cells: simulated,
        fresh: (stage == Stage::Final).then_some(&states[..]),
        overlay: overlay.and_then(|stored| stored.like(parsed.cell())),
    };
    answer(question, parsed, simulated, stage, began)
}

/// Simulates all changes that could improve the result.
pub(crate) fn why(
    question: &Question,
    model: &Model,
    observer: &mut dyn Observer,
) -> Result<WhyAnswer> {
    let parsed = question.parse(model)?;
    let prediction = Prediction::new(&parsed.model, parsed.cell(), SEED, observer)?;
    let effects = effects(&parsed.model, parsed.cell(), &prediction, SEED, observer)?;
    let part = |effect: Effect| EffectPart {
        change_sentence: effect.change.message(),
        verdict_sentence: effect.message(),
        question: question.changed(&effect.change),
        effect,
    };
    Ok(WhyAnswer {
        effects: effects.into_iter().map(part).collect(),
    })
}

/// Returns the question as a study file, which can be run as it is.
pub(crate) fn study(question: &Question, model: &Model) -> Result<StudyAnswer> {
    let parsed = question.parse(model)?;
    parsed.model.build(parsed.cell(), SEED)?;
    let predict = question.command(parsed.model.kernel);
    if !question.failed.is_empty() {
        return Ok(StudyAnswer {
            toml: None,
            command: predict,
        });
    }
    let command = "stripewise run question.toml --world model".to_owned();
    Ok(StudyAnswer {
        toml: Some(format!("# {command}\n# {predict}\n{}", parsed.text)),
        command,
    })
}

/// A cell and its simulations; none of a preview that is not settled.
struct Simulated {
    cell: Cell,
    samples: Vec<Sample>,
}

fn simulate(
    model: &Model,
    cell: Cell,
    stage: Stage,
    observer: &mut dyn Observer,
) -> std::result::Result<Simulated, SimulateError> {
    let question = match stage {
        Stage::Preview => Asked {
            ios_max: PREVIEW_IOS,
            ..Asked::once(&cell, SEED)
        },
        Stage::Final => Asked::new(&cell, SEED),
    };
    let samples = match (stage, model.answer(&question, observer)) {
        (Stage::Preview, Err(ModelError::TooLarge { .. })) => Vec::new(),
        (_, answer) => answer?.samples,
    };
    if stage == Stage::Preview && !samples.iter().all(is_settled) {
        let samples = Vec::new();
        return Ok(Simulated { cell, samples });
    }
    match samples
        .iter()
        .all(|sample| sample.read.ios + sample.write.ios > 0)
    {
        true => Ok(Simulated { cell, samples }),
        false => Err(SimulateError::NoIo),
    }
}

/// Returns whether a simulation reached a rate that it knows.
fn is_settled(sample: &Sample) -> bool {
    let mut warnings = sample.warnings.iter();
    let is_changing = |warning: &Warning| matches!(warning, Warning::NotStationary { .. });
    !sample.is_cut_short() && !warnings.any(is_changing)
}

/// Why a cell has no answer.
enum SimulateError {
    Model(ModelError),
    NoIo,
}

impl From<ModelError> for SimulateError {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<SimulateError> for ApiError {
    fn from(error: SimulateError) -> Self {
        match error {
            SimulateError::Model(error) => error.into(),
            SimulateError::NoIo => ApiError::internal("the simulation completed no I/O")
                .hint("this is a bug in the model; please report it with the question"),
        }
    }
}

/// What a page shows.
struct Answered<'a> {
    cells: Vec<Simulated>,
    /// What fresh devices give each cell, if that was simulated.
    fresh: Option<&'a [Option<FreshState>]>,
    /// The run laid over.
    overlay: Option<Stored>,
}

/// Makes a page of the simulated cells, as if they were a finished run.
fn answer(
    question: &Question,
    parsed: ParsedQuestion,
    answered: Answered<'_>,
    stage: Stage,
    began: Instant,
) -> Result<AskAnswer> {
    let simulated_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let command = question.command(parsed.model.kernel);
    let mut model = parsed.model.clone();
    let asked = RunSettings {
        repeat: repeat(&parsed.study.repeat),
        compare: parsed.study.compare.clone(),
        model: Some(ModelPart::new(
            model.kernel,
            model
                .host
                .clone()
                .unwrap_or_else(|| HOST_DEFAULT.to_owned()),
            vec![question.device.clone()],
        )),
        lifetime: None,
        is_foreign: false,
    };
    let facts = model
        .facts()
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let run = run(parsed, answered.cells, facts);
    let mut inputs = vec![Input {
        run: &run,
        asked: &asked,
        model: Some(&model),
        fresh: answered.fresh,
        store_option: "",
    }];
    inputs.extend(answered.overlay.as_ref().map(Stored::input));
    let mut page = Page::new(&inputs).ok_or_else(|| ApiError::internal("the page has no run"))?;
    if let Some(first) = page.runs.first_mut() {
        // It is not in the store, so the commands of a stored run would not find it.
        first.commands = vec![Command {
            does: Purpose::Repeat,
            command,
        }];
    }
    Ok(AskAnswer {
        page,
        simulated_ns,
        is_preview: stage == Stage::Preview,
    })
}

fn run(
    parsed: ParsedQuestion,
    simulated: Vec<Simulated>,
    facts: stripewise_study::facts::Facts,
) -> Run {
    let now = unix_now_ns();
    let (mut cells, mut samples) = (Vec::new(), Vec::new());
    for (
        index,
        Simulated {
            cell,
            samples: of_cell,
        },
    ) in simulated.into_iter().enumerate()
    {
        cells.push(cell);
        for (block, sample) in (0_u32..).zip(of_cell) {
            samples.push(SampleRecord {
                cell: index,
                block,
                role: Role::Counted,
                seed: Some(seed_of(SEED, u64::from(block))),
                sample,
            });
        }
    }
    let count = u64::try_from(samples.len()).unwrap_or(u64::MAX);
    Run {
        summary: RunSummary {
            head: RunHead {
                id: RunId(0),
                origin: WorldName::Model.into(),
                study_name: NAME.to_owned(),
                question: parsed.study.question.clone(),
                name: None,
                tags: Vec::new(),
                state: RunState::Done,
                tool_version: env!("CARGO_PKG_VERSION").to_owned(),
                started_unix_ns: now,
                ended_unix_ns: Some(now),
            },
            cell_count: u64::try_from(cells.len()).unwrap_or(u64::MAX),
            samples: SampleCounts {
                all: count,
                counted: count,
            },
        },
        study_text: parsed.text,
        seed: SEED,
        world: None,
        options: serde_json::Value::Null,
        facts: vec![FactsRecord {
            taken_unix_ns: now,
            facts,
        }],
        cells,
        samples,
        warnings: Vec::new(),
    }
}
