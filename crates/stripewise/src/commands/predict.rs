//! `stripewise predict`: the performance of an array, without a study file and without the disks.

use std::collections::BTreeSet;
use std::path::Path;

use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_diagnose::prediction::Prediction;
use stripewise_diagnose::why::Why;
use stripewise_format::parse_with;
use stripewise_report::explanation::Explanation;
use stripewise_sim::io::Member;
use stripewise_sim::question::Observer;
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::failure::check_failed;
use stripewise_study::plan::Study;
use stripewise_worlds::model;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::model::SimulationArgs;
use crate::printer::Printer;
use crate::progress::Simulating;
use crate::question::{AskedOf, QuestionArgs};
use crate::study_file::QUESTION;
use crate::trace_file::TraceFiles;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Four SSDs as RAID 10, near layout, chunks of 32K, random reads of 64K:
    stripewise predict --device samsung-850-evo-500 \\
        --array raid10:n2:4:32K --workload randread:64K

  RAID 5 against RAID 10, small writes and large reads, as a table:
    stripewise predict --device sata-ssd --array raid5:4 --array raid10:4 \\
        --workload randwrite:4K --workload read:1M

  A mixed load on a RAID 6, with fio's depth and jobs:
    stripewise predict --device nvme-ssd --array raid6:6:512K \\
        --workload randrw:4K:mix=70/30:depth=32:jobs=4

  A RAID 10 with one failed disk, and during the rebuild:
    stripewise predict --device sata-ssd --array raid10:4:64K --failed 1 \\
        --workload randread:64K
    stripewise predict --device sata-ssd --array raid10:4:64K --failed 1 \\
        --rebuild --workload randread:64K

  What a write-intent bitmap costs a mirror of hard disks:
    stripewise predict --device hdd-7200 --array raid1:2 --bitmap 64M \\
        --bitmap none --size 900G --workload randwrite:4K

  A trace of real I/O, on one disk and on a mirror of two:
    stripewise predict --device sata-ssd --array none --array raid1:2 \\
        --trace my-program.iolog
";

/// Predict the performance of an array without building it
///
/// Simulates a kernel's md driver on disks that behave as their profile says, and prints
/// throughput, latency, and what limits them. Needs no disks and no root, and writes nothing. Most
/// answers take less than a second; several `--array`, `--workload` or `--bitmap` make a table.
///
/// `stripewise profiles` lists the devices; `stripewise calibrate` makes a profile of your own
/// disk. The answer also shows where the time of an I/O goes and how busy each disk is. docs/model
/// says what the model covers and how accurate it is.
///
/// Fresh devices may be faster than steady ones, which the answer is for. Where they differ by more than
/// 10 %, or the arrays rank differently, both are shown, with how long the load writes until one becomes
/// the other. `--writes-per-day` says which of them applies, and how long the devices last; `--state`
/// asks for one alone.
///
/// To ask about many combinations, or to compare with a measurement, write a study and use
/// `stripewise run STUDY --world model`. `stripewise why` shows what would change a number.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    question: QuestionArgs,

    /// Failed members, by their position from 0: `1` or `0,3`
    #[arg(long, value_name = "PLACE", value_delimiter = ',')]
    failed: Vec<u16>,

    /// Rebuild the first failed member on a new device during the load, at md's speed
    #[arg(long, requires = "failed")]
    rebuild: bool,

    #[command(flatten)]
    simulation: SimulationArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let study = args.study()?;
    let found = args.simulation.find(&study)?;
    let mut model = model::open(&found)?;
    model.failed = failed(&args.failed, args.rebuild, &study)?;
    model.rebuilding = args.rebuild;
    let mut explanation = Explanation::new(&model, args.simulation.seed)?;
    let mut progress = Simulating::new(study.cells.len(), printer);
    let mut left = study.cells.len();
    let in_both = args.question.state.is_none();
    for cell in study.cells {
        explain(&mut explanation, &model, cell, in_both, &mut progress)?;
        left -= 1;
        progress.part_done(left);
    }
    drop(progress);
    explanation.ask_lifetime(study.lifetime);
    let blocks = explanation.blocks();
    let answer = Answer::new(Message::new("predict-title"), explanation, blocks);
    answers::print("predict", &answer, args.format, printer)
}

impl Args {
    /// Returns the question as a study, with the checks of a study.
    fn study(&self) -> Result<Study> {
        self.question.require_load()?;
        let text = self
            .question
            .study(AskedOf::Model, self.simulation.words())?;
        let mut traces = TraceFiles::in_directory(Path::new(""));
        parse_with(QUESTION, &text, &mut traces).map_err(|error| Failure::study(QUESTION, error))
    }
}

/// Adds a cell with its prediction to the explanation, and if it is asked about `in_both` states what
/// fresh devices give.
pub(crate) fn explain(
    explanation: &mut Explanation,
    model: &Model,
    cell: Cell,
    in_both: bool,
    progress: &mut dyn Observer,
) -> Result<()> {
    let seed = explanation.seed;
    let prediction = predicted(model, &cell, seed, progress)?;
    let why = Why::new(model, &cell, &prediction);
    let fresh = match in_both {
        true => prediction.fresh(model, &cell, seed, progress)?,
        false => None,
    };
    explanation.add(cell, prediction, why, Vec::new());
    if in_both {
        explanation.add_fresh(fresh.as_ref());
    }
    Ok(())
}

/// Returns the prediction for a cell; fails if the simulation completes no I/O.
pub(crate) fn predicted(
    model: &Model,
    cell: &Cell,
    seed: u64,
    progress: &mut dyn Observer,
) -> Result<Prediction> {
    let prediction = Prediction::new(model, cell, seed, progress)?;
    if prediction.ios > 0 {
        return Ok(prediction);
    }
    let load = &cell.workload.load;
    Err(Failure::new(format!(
        "the simulation of {} {} on {} completed no I/O",
        load.pattern,
        load.block_size,
        cell.stack.summary()
    ))
    .hint("this is a bug in the model; please report it with the command"))
}

/// Returns the failed members, which every array of the question must have and survive.
fn failed(places: &[u16], is_rebuilding: bool, study: &Study) -> Result<Vec<Member>> {
    refuse_unused_failures(places, study)?;
    for cell in &study.cells {
        check_failed(&cell.stack, places, is_rebuilding)
            .map_err(|error| Failure::new(format!("--failed: {error}")).hint(error.hint()))?;
    }
    Ok(places.iter().copied().map(Member).collect())
}

/// Refuses members that are named twice, and failed members without an array.
fn refuse_unused_failures(places: &[u16], study: &Study) -> Result<()> {
    let mut seen = BTreeSet::new();
    if let Some(twice) = places.iter().find(|place| !seen.insert(**place)) {
        let message = format!("--failed: member {twice} is named twice");
        return Err(Failure::new(message).hint("name each member once"));
    }
    let is_alone = |cell: &&Cell| cell.stack.array.is_none();
    match (places.first(), study.cells.iter().find(is_alone)) {
        (Some(place), Some(_)) => Err(Failure::new(format!(
            "`--failed {place}` needs an array: `--array none` is one device"
        ))
        .hint("name an array that survives it, such as `--array raid5:4`")),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "predict_tests.rs"]
mod tests;
