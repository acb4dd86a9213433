//! One run alone.

use stripewise_analysis::cell::analyse;
use stripewise_answer::Answer;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::alone::{groups, odd, odd_members};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::kinds::ALL;
use stripewise_diagnose::explain::shape::Step;
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Bottleneck;
use stripewise_report::explained::NotRecorded;
use stripewise_report::explained::alone::{Capped, ExplainedRun, OddMember, Refused, SteppedCell};
use stripewise_report::names::Names;
use stripewise_sim::world::ModelError;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;

use super::Args;
use super::apart::Apart;
use super::facts::Facts;
use super::pairs::Bench;
use super::side::Side;
use crate::answers;
use crate::commands::stored;
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::progress::Simulating;

/// Explains one run.
pub(super) fn run(args: &Args, side: &Side, printer: &mut Printer) -> Result<Exit> {
    let facts = Facts::of(side, args.facts_before.as_deref())?;
    let both = [&facts, &facts];
    let bench = Bench::new(args, side, side, both, &Apart::default())?;
    let chosen: Vec<&Cell> = side
        .cells
        .iter()
        .map(|cell| &side.run.cells[*cell])
        .collect();
    let names = Names::of(&chosen, &side.run.summary.origin);
    let mut explained = ExplainedRun::new(side.name.clone(), &names, &chosen);
    explained.warnings = side.imported();
    let mut progress = Simulating::new(chosen.len(), printer);
    let asked = stored::asked(&side.run);
    let (mut bottlenecks, mut ratios) = (Vec::new(), Vec::new());
    for (place, cell) in side.cells.iter().enumerate() {
        let samples = side
            .run
            .samples
            .iter()
            .filter(|record| record.cell == *cell);
        let analysis = analyse(samples, asked.repeat.steady_state, args.metric);
        let counted = &analysis.counted.samples;
        let known = facts.with_cell(&side.run, *cell);
        let caps = Cap::of(&chosen[place].workload.load, &known).into_iter();
        let caps = caps.filter(|cap| cap.is_reached(counted));
        let of_cell = |cap| Capped { cell: place, cap };
        explained.capped.extend(caps.map(of_cell));
        let step = Step::of(0, counted).map(|step| SteppedCell { cell: place, step });
        explained.steps.extend(step);
        let members = odd_members(counted);
        explained
            .odd_members
            .extend(members.into_iter().map(|member| OddMember {
                cell: place,
                member,
            }));
        match predicted(args, &bench, side, *cell, &facts, &mut progress)? {
            Ok(prediction) => {
                bottlenecks.push((place, Bottleneck::of(&prediction)));
                let measured = analysis.estimate(Metric::Bandwidth).map(|one| one.value);
                let predicted = prediction.estimate(Metric::Bandwidth).map(|one| one.value);
                let ratio = measured
                    .zip(predicted)
                    .map(|(measured, predicted)| measured / predicted);
                ratios.extend(ratio.map(|ratio| (place, ratio)));
            }
            Err(why) => explained.refused.push(Refused { cell: place, why }),
        }
        progress.part_done(chosen.len() - place - 1);
    }
    drop(progress);
    explained.limited = groups(bottlenecks, |cell| explained.kind(cell));
    explained.facts = shared(side, &facts);
    explained.not_recorded = not_recorded(side, &facts);
    explained.conflicts = facts.conflicts().to_vec();
    explained.odd_cells = odd(&ratios);
    let blocks = explained.blocks();
    let answer = Answer::new(Message::new("explain-run-title"), explained, blocks);
    answers::give(
        "explain",
        &answer,
        args.page.as_deref(),
        args.format,
        printer,
    )
}

/// Returns the facts of the machine that all cells share, in the order in which facts are shown.
fn shared(side: &Side, facts: &Facts) -> Vec<(String, String)> {
    let cells = side.cells.iter();
    let mut known: Vec<_> = cells
        .map(|cell| facts.with_cell(&side.run, *cell))
        .collect();
    let Some(first) = known.pop() else {
        return Vec::new();
    };
    let keys = ALL.iter().map(|kind| kind.key);
    let found = keys.filter_map(|key| Some((key, first.get(key)?)));
    let alike = found.filter(|(key, value)| known.iter().all(|one| one.get(*key) == Some(value)));
    alike
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect()
}

/// Returns the facts that bear on speed and that a run does not have.
fn not_recorded(side: &Side, facts: &Facts) -> Vec<NotRecorded> {
    let of_load = super::of_load(side, side);
    // Without any, each would be listed.
    let of_machine = facts
        .are_of_machine()
        .then(|| super::not_recorded([facts, facts]));
    of_load
        .into_iter()
        .chain(of_machine.into_iter().flatten())
        .collect()
}

/// Returns the prediction of a cell, or why there is none.
fn predicted(
    args: &Args,
    bench: &Bench<'_>,
    side: &Side,
    cell: usize,
    facts: &Facts,
    progress: &mut Simulating,
) -> Result<std::result::Result<Prediction, Argument>> {
    let known = facts.with_cell(&side.run, cell);
    let (setup, _) = match bench.setup(cell, &known, &[]) {
        Ok(setup) => setup,
        Err(why) => return Ok(Err(why)),
    };
    match Prediction::new(&setup.model, &setup.cell, args.seed, progress) {
        Ok(prediction) => Ok(Ok(prediction)),
        Err(ModelError::Interrupted) => Err(ModelError::Interrupted.into()),
        Err(error) => Ok(Err(Argument::Name(error.to_string()))),
    }
}
