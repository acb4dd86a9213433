//! One run alone.

use stripewise_analysis::cell::analyse;
use stripewise_answer::Answer;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::alone::{groups, odd, odd_members};
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Bottleneck;
use stripewise_report::explained::alone::{ExplainedRun, OddMember, Refused};
use stripewise_report::names::Names;
use stripewise_sim::world::ModelError;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;

use super::Args;
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
    let bench = Bench::new(args, side, side, both)?;
    let chosen: Vec<&Cell> = side
        .cells
        .iter()
        .map(|cell| &side.run.cells[*cell])
        .collect();
    let names = Names::of(&chosen, &side.run.summary.origin);
    let named = chosen.iter().map(|cell| names.argument(cell));
    let mut explained = ExplainedRun::new(side.name.clone(), named.collect());
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
        let members = odd_members(&analysis.counted.samples);
        explained
            .odd_members
            .extend(members.into_iter().map(|member| OddMember {
                cell: place,
                member,
            }));
        match predicted(args, &bench, chosen[place], &facts, &mut progress)? {
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
    explained.limited = groups(bottlenecks);
    explained.odd_cells = odd(&ratios);
    let blocks = explained.blocks();
    let answer = Answer::new(Message::new("explain-run-title"), explained, blocks);
    match &args.page {
        Some(path) => answers::write_page("explain", &answer, path, printer),
        None => answers::print("explain", &answer, args.format, printer),
    }
}

/// Returns the prediction of a cell, or why there is none.
fn predicted(
    args: &Args,
    bench: &Bench<'_>,
    cell: &Cell,
    facts: &Facts,
    progress: &mut Simulating,
) -> Result<std::result::Result<Prediction, Argument>> {
    let (setup, _) = match bench.setup(cell, &facts.with_cell(cell), &[]) {
        Ok(setup) => setup,
        Err(why) => return Ok(Err(why)),
    };
    match Prediction::new(&setup.model, &setup.cell, args.seed, progress) {
        Ok(prediction) => Ok(Ok(prediction)),
        Err(ModelError::Interrupted) => Err(ModelError::Interrupted.into()),
        Err(error) => Ok(Err(Argument::Name(error.to_string()))),
    }
}
