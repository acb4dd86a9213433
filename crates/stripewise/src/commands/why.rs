//! `stripewise why`: what limits a cell, by which rule, and what would change it.

use stripewise_answer::Answer;
use stripewise_catalogue::{Message, Words};
use stripewise_diagnose::changes::effects;
use stripewise_diagnose::why::Why;
use stripewise_format::normal_text;
use stripewise_report::explanation::Explanation;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::conditions::State;
use stripewise_worlds::model::{self, SEED_DEFAULT, require_devices};
use stripewise_worlds::unused::{AskedIn, Unused, unused};

use super::predict::predicted;
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::model::ModelArgs;
use crate::printer::Printer;
use crate::progress::Simulating;
use crate::question::AskedOf;
use crate::study_file::StudyArgs;

/// The usual number of changes simulated for a cell.
const CHANGES_TYPICAL: usize = 10;
/// How many cells a message lists at most.
const LISTED_MAX: usize = 12;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Explain 64K random reads on a RAID 10 with 32K chunks:
    stripewise why four-ssd-random \\
        --cell stack=chunk32,pattern=randread,block_size=64K

  The same cell under the rules of another kernel:
    stripewise why four-ssd-random --kernel 6.12 \\
        --cell stack=chunk32,pattern=randread,block_size=64K

  Take the number of a cell from `stripewise study`:
    stripewise study mirrored-reads
    stripewise why mirrored-reads --cell 2
";

/// Show what limits a cell, and what would change it
///
/// Simulates one cell of a study and prints where the time of an I/O goes, how busy each disk is,
/// which rule of md or the kernel decides the result, and which disk serves which chunk. Then it
/// simulates about ten changes, such as another chunk, more devices, another kernel or a greater
/// depth, and prints the effect of each. Needs no disks and no root, and writes nothing.
///
/// The devices of the study must be profiles; see `stripewise profiles`. `stripewise study`
/// numbers the cells. `stripewise predict` answers the same for one array without a study.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,

    /// The cell: its number from `stripewise study`, or KEY=VALUE,... that only one cell has; not needed if there is only one
    #[arg(long, value_name = "CELL")]
    cell: Option<String>,

    #[command(flatten)]
    model: ModelArgs,

    /// Seed of the simulation; the same seed gives the same answer, bit for bit
    #[arg(long, value_name = "N", default_value_t = SEED_DEFAULT)]
    seed: u64,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let given = [("--sample", args.study.names_sample())];
    if let Some(Unused { option, why }) = unused(AskedIn::Model, &given) {
        let message = format!("`{option}` has no effect here: {why}");
        return Err(Failure::new(message).hint("leave it out"));
    }
    let file = args.study.read_with(AskedOf::Model, &["--state"])?;
    let state = args.study.question.state.as_deref();
    let state = state.map(parse_state).transpose()?;
    let (mut study, path, text) = (file.study, file.path, file.text);
    let index = select(&study.cells, args.cell.as_deref())?;
    let mut cell = study.cells.swap_remove(index);
    cell.conditions.state = state.or(cell.conditions.state);
    study.cells = vec![cell];
    require_devices(&study)?;
    let mut model = model::open(&args.model.find(&study, path.as_deref())?)?;
    // The timeline of a failure is as long as in a run.
    model.limits.duration = study.repeat.sample_ns;
    let mut explanation = Explanation::new(&model, args.seed)?;
    let mut progress = Simulating::new(1 + CHANGES_TYPICAL, printer);
    for cell in study.cells {
        let prediction = predicted(&model, &cell, args.seed, &mut progress)?;
        let in_both = state.is_none() && cell.conditions.state != Some(State::Fresh);
        let fresh = match in_both {
            true => prediction.fresh(&model, &cell, args.seed, &mut progress)?,
            false => None,
        };
        progress.part_done(1);
        let why = Why::new(&model, &cell, &prediction);
        let effects = effects(&model, &cell, &prediction, args.seed, &mut progress)?;
        explanation.add(cell, prediction, why, effects);
        if in_both {
            explanation.add_fresh(fresh.as_ref());
        }
    }
    drop(progress);
    explanation.ask_lifetime(study.lifetime);
    args.study.save(&text)?;
    let blocks = explanation.blocks();
    let answer = Answer::new(Message::new("why-title"), explanation, blocks);
    answers::print("why", &answer, args.format, printer)
}

/// Reads a state from the command line.
fn parse_state(text: &str) -> Result<State> {
    let states = [State::Steady, State::Fresh];
    let state = states.into_iter().find(|state| state.to_string() == text);
    state.ok_or_else(|| Failure::new(format!("--state: `{text}` is neither `steady` nor `fresh`")))
}

/// Returns the index of the one cell that `selector` matches.
fn select(cells: &[Cell], selector: Option<&str>) -> Result<usize> {
    let all: Vec<usize> = (0..cells.len()).collect();
    let left = match selector {
        None => all,
        Some(text) => match text.parse::<usize>() {
            Ok(number) if (1..=cells.len()).contains(&number) => return Ok(number - 1),
            Ok(number) => {
                let message = format!(
                    "--cell: there is no cell {number}; the study has {}",
                    cells.len()
                );
                return Err(Failure::new(message).hint("`stripewise study` shows their numbers"));
            }
            Err(_) => matching(cells, text)?,
        },
    };
    match left.as_slice() {
        [only] => Ok(*only),
        [] => {
            let text = selector.unwrap_or_default();
            Err(Failure::new(format!("--cell: no cell matches `{text}`"))
                .hint(format!("cells differ in {}", differences(cells))))
        }
        several => {
            let message = match selector {
                Some(text) => format!("--cell: {} cells match `{text}`", several.len()),
                None => format!(
                    "the study has {} cells; choose one with `--cell`",
                    several.len()
                ),
            };
            Err(Failure::new(message).hint(format!("name one:\n{}", list(cells, several))))
        }
    }
}

/// Returns the cells that have all the values of a selector such as `stack=chunk32,block_size=64K`.
pub(super) fn matching(cells: &[Cell], selector: &str) -> Result<Vec<usize>> {
    let mut left: Vec<usize> = (0..cells.len()).collect();
    for part in selector.split(',') {
        let Some((key, value)) = part.split_once('=') else {
            let message = format!("--cell: `{part}` is neither a number nor KEY=VALUE");
            return Err(Failure::new(message)
                .hint("for example `--cell 3` or `--cell stack=chunk32,block_size=64K`"));
        };
        let Some(axis) = Axis::from_key(key.trim()) else {
            return Err(
                Failure::new(format!("--cell: `{}` is not a key of a cell", key.trim()))
                    .hint(format!("cells differ in {}", differences(cells))),
            );
        };
        let wanted = match axis {
            Axis::Stack | Axis::Workload | Axis::Neighbours => value.trim().to_owned(),
            _ => normal_text(value.trim()),
        };
        left.retain(|index| cells[*index].value(axis) == wanted);
    }
    Ok(left)
}

/// Returns the keys in which cells differ, each with its values.
fn differences(cells: &[Cell]) -> String {
    let axes = varying_axes(cells);
    let values = |axis: &Axis| {
        let mut values: Vec<String> = Vec::new();
        for cell in cells {
            let value = cell.value(*axis);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        format!("{} ({})", axis.key(), values.join(", "))
    };
    let axes: Vec<String> = axes.iter().map(values).collect();
    match axes.is_empty() {
        true => "nothing: there is only one".to_owned(),
        false => axes.join(", "),
    }
}

fn list(cells: &[Cell], indices: &[usize]) -> String {
    let axes = varying_axes(cells);
    let mut lines: Vec<String> = indices
        .iter()
        .take(LISTED_MAX)
        .map(|index| {
            format!(
                "  --cell {}  {}",
                index + 1,
                cells[*index].name(&axes).in_english()
            )
        })
        .collect();
    if indices.len() > LISTED_MAX {
        lines.push(format!(
            "  and {} more; `stripewise study` shows all",
            indices.len() - LISTED_MAX
        ));
    }
    lines.join("\n")
}
