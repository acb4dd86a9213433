//! Questions answered by simulation: one cell, a curve over block sizes, what would change it.
//!
//! An answer has to come while a slider moves, so less is simulated than by `stripewise predict`, as
//! `effort` says. Intervals come from how the simulations differ, as there: shorter ones differ more,
//! and the interval is wider.

use std::ops::RangeInclusive;
use std::time::Instant;

use serde::Serialize;
use stripewise_diagnose::changes::{Effect, effects};
use stripewise_diagnose::prediction::{Observer, Prediction};
use stripewise_report::document::{Asked, ModelPart};
use stripewise_report::page::{Command, Input, Page};
use stripewise_results::{
    FactsRecord, Run, RunId, RunState, RunSummary, SampleCounts, unix_now_ns,
};
use stripewise_sim::engine::Limits;
use stripewise_sim::profiles::{HOST_DEFAULT, Profiles};
use stripewise_sim::world::{Model, ModelError, NAME as WORLD};
use stripewise_stats::{Better, words};
use stripewise_study::cell::Cell;
use stripewise_study::sample::{Role, Sample, SampleRecord};
use stripewise_study::units::Bytes;
use stripewise_study::workload::BlockSize;
use stripewise_study::world::{Watch, World as _};

use crate::effort::Effort;
use crate::error::{ApiError, Result};
use crate::question::{NAME, Posed, Question};
use crate::stored::Stored;

/// What the simulations of an answer may cost, and those of each change to it.
const ASK_NS: u64 = 20_000_000;
/// What those of a curve may cost together, and at one size.
const CURVE_NS: u64 = 90_000_000;
const CURVE_SIZE_NS: u64 = 9_000_000;
/// The most steps of each simulation behind the changes: there are about eighty.
const WHY_STEPS_MAX: u64 = 200_000;

/// The block sizes of a curve, 4K to 4M, as powers of two.
const CURVE_SIZES: RangeInclusive<u32> = 12..=22;

/// The answer to a question (`web/src/api.ts`).
#[derive(Debug, Serialize)]
pub(crate) struct AskAnswer {
    page: Page,
    simulated_ns: u64,
}

/// What would change it (`web/src/api.ts`).
#[derive(Debug, Serialize)]
pub(crate) struct WhyAnswer {
    effects: Vec<EffectPart>,
}

#[derive(Debug, Serialize)]
struct EffectPart {
    #[serde(flatten)]
    effect: Effect,
    words: String,
    verdict_words: String,
    question: Option<Question>,
}

/// The question as a study file (`web/src/api.ts`).
#[derive(Debug, Serialize)]
pub(crate) struct StudyAnswer {
    toml: String,
    command: String,
}

/// Returns what [`ask`] costs, more or less.
pub(crate) fn ask_ns(question: &Question, profiles: &Profiles) -> Result<u64> {
    let posed = question.pose(profiles)?;
    Ok(Effort::new(posed.cell(), is_rotational(&posed), ASK_NS)?.cost_ns)
}

/// Simulates the question for as long as `watch` lets it, as the others do.
pub(crate) fn ask(
    question: &Question,
    profiles: &Profiles,
    watch: &mut dyn Watch,
) -> Result<AskAnswer> {
    let posed = question.pose(profiles)?;
    let began = Instant::now();
    let cell = posed.cell().clone();
    let effort = Effort::new(&cell, is_rotational(&posed), ASK_NS)?;
    let simulated = simulate(&posed.model, cell, effort, watch)?;
    answer(question, posed, vec![simulated], began, None)
}

/// Returns what [`curve`] costs, more or less.
pub(crate) fn curve_ns(question: &Question, profiles: &Profiles) -> Result<u64> {
    let posed = question.pose(profiles)?;
    let sizes = curve_sizes(&posed)?;
    Ok(sizes.iter().map(|(_, effort)| effort.cost_ns).sum())
}

/// Simulates the question at several block sizes, and lays the cells of `overlay` over it.
pub(crate) fn curve(
    question: &Question,
    profiles: &Profiles,
    overlay: Option<Stored>,
    watch: &mut dyn Watch,
) -> Result<AskAnswer> {
    let posed = question.pose(profiles)?;
    let began = Instant::now();
    let simulated = curve_sizes(&posed)?
        .into_iter()
        .map(|(cell, effort)| simulate(&posed.model, cell, effort, watch))
        .collect::<Result<_>>()?;
    let overlay = overlay.and_then(|stored| stored.like(posed.cell()));
    answer(question, posed, simulated, began, overlay)
}

/// Returns the question at the sizes of its curve.
fn curve_sizes(posed: &Posed) -> Result<Vec<(Cell, Effort)>> {
    let at = |power: u32| {
        let mut cell = posed.cell().clone();
        cell.workload.load.block_size = BlockSize::Fixed(Bytes::new(1 << power));
        cell
    };
    Effort::new(posed.cell(), is_rotational(posed), CURVE_SIZE_NS)?;
    let efforts = CURVE_SIZES.map(at).filter_map(|cell| {
        let effort = Effort::new(&cell, is_rotational(posed), CURVE_SIZE_NS).ok()?;
        Some((cell, effort))
    });
    Ok(thinned(efforts.collect()))
}

/// Returns what [`why`] costs, more or less: about a dozen changes are simulated as well.
pub(crate) fn why_ns(question: &Question, profiles: &Profiles) -> Result<u64> {
    Ok(ask_ns(question, profiles)?.saturating_mul(12))
}

/// Simulates everything that could be done otherwise.
pub(crate) fn why(
    question: &Question,
    profiles: &Profiles,
    observer: &mut dyn Observer,
) -> Result<WhyAnswer> {
    let mut posed = question.pose(profiles)?;
    let effort = Effort::new(posed.cell(), is_rotational(&posed), ASK_NS)?;
    posed.model.limits = Limits {
        steps_max: WHY_STEPS_MAX,
        ..effort.limits
    };
    let prediction = Prediction::new(&posed.model, posed.cell(), SEED, observer)?;
    let effects = effects(&posed.model, posed.cell(), &prediction, SEED, observer)?;
    let part = |effect: Effect| EffectPart {
        words: effect.change.words(),
        verdict_words: words(&effect.verdict, Better::Higher),
        question: question.changed(&effect.change),
        effect,
    };
    Ok(WhyAnswer {
        effects: effects.into_iter().map(part).collect(),
    })
}

/// Returns the question as a study file, which can be run as it is.
pub(crate) fn study(question: &Question, profiles: &Profiles) -> Result<StudyAnswer> {
    let posed = question.pose(profiles)?;
    posed.model.build(posed.cell(), SEED)?;
    let command = "stripewise run question.toml --world model".to_owned();
    Ok(StudyAnswer {
        toml: format!(
            "# {command}\n# {}\n{}",
            question.command(posed.model.kernel),
            posed.text
        ),
        command,
    })
}

/// The seed of the first simulation; the others follow it.
const SEED: u64 = 0;

/// A cell and its simulations.
struct Simulated {
    cell: Cell,
    samples: Vec<Sample>,
}

fn simulate(model: &Model, cell: Cell, effort: Effort, watch: &mut dyn Watch) -> Result<Simulated> {
    let model = Model {
        limits: effort.limits,
        ..model.clone()
    };
    let samples = (0..effort.simulations).map(|offset| model.simulate(&cell, SEED + offset, watch));
    let samples = samples.collect::<std::result::Result<Vec<_>, ModelError>>()?;
    match samples
        .iter()
        .all(|sample| sample.read.ios + sample.write.ios > 0)
    {
        true => Ok(Simulated { cell, samples }),
        false => Err(ApiError::internal("the simulation completed no I/O")
            .hint("this is a mistake of the model; please report it with the question")),
    }
}

fn is_rotational(posed: &Posed) -> bool {
    let groups = posed.cell().stack.devices.iter();
    let mut profiles = groups.filter_map(|group| posed.model.profiles.devices.get(&group.profile));
    profiles.any(|profile| profile.rotational)
}

/// Returns every size, or every second, third, ... so that all together cost no more than they may;
/// the first is among them, and at least two where there are two.
fn thinned(cells: Vec<(Cell, Effort)>) -> Vec<(Cell, Effort)> {
    let cost = |step: usize| -> u64 {
        let kept = cells.iter().step_by(step);
        kept.map(|(_, effort)| effort.cost_ns).sum()
    };
    let coarsest = cells.len().saturating_sub(1).max(1);
    let step = (1..coarsest).find(|step| cost(*step) <= CURVE_NS);
    let step = step.unwrap_or(coarsest);
    cells.into_iter().step_by(step).collect()
}

/// Makes a page of what was simulated, as if it were a run that is done.
fn answer(
    question: &Question,
    posed: Posed,
    simulated: Vec<Simulated>,
    began: Instant,
    overlay: Option<Stored>,
) -> Result<AskAnswer> {
    let simulated_ns = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let command = question.command(posed.model.kernel);
    let mut model = posed.model.clone();
    let asked = Asked {
        repeat: posed.study.repeat,
        compare: posed.study.compare.clone(),
        model: Some(ModelPart {
            kernel: model.kernel.to_string(),
            host: model
                .host
                .clone()
                .unwrap_or_else(|| HOST_DEFAULT.to_owned()),
            devices: vec![question.device.clone()],
        }),
    };
    let facts = model
        .facts()
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let run = run(posed, simulated, facts);
    let mut inputs = vec![Input {
        run: &run,
        asked: &asked,
        model: Some(&model),
        store_option: "",
    }];
    inputs.extend(overlay.as_ref().map(Stored::input));
    let mut page = Page::new(&inputs).ok_or_else(|| ApiError::internal("the page has no run"))?;
    if let Some(first) = page.runs.first_mut() {
        // It is in no store, so the commands of a stored run would find nothing.
        first.commands = vec![Command {
            does: "repeat",
            command,
        }];
    }
    Ok(AskAnswer { page, simulated_ns })
}

fn run(posed: Posed, simulated: Vec<Simulated>, facts: stripewise_study::facts::Facts) -> Run {
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
                seed: Some(SEED + u64::from(block)),
                sample,
            });
        }
    }
    let count = u64::try_from(samples.len()).unwrap_or(u64::MAX);
    Run {
        summary: RunSummary {
            id: RunId(0),
            world: WORLD.to_owned(),
            study_name: NAME.to_owned(),
            question: posed.study.question.clone(),
            state: RunState::Done,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ns: now,
            ended_unix_ns: Some(now),
            cell_count: u64::try_from(cells.len()).unwrap_or(u64::MAX),
            samples: SampleCounts {
                all: count,
                counted: count,
            },
        },
        study_text: posed.text,
        seed: SEED,
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
