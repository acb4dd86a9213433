//! `stripewise workloads`: which shipped workloads a study can take.

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_format::parse;
use stripewise_format::preset::{PRESETS, Preset};
use stripewise_report::document::SCHEMA;
use stripewise_report::workloads::{WorkloadLine, workloads};
use stripewise_units::suggest::nearest;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  List the workloads, or print one with its source:
    stripewise workloads
    stripewise workloads oltp

  Check a study of a mail server on a RAID 10:
    printf '%s\\n' '[stack.raid10]' 'devices.sata-ssd = 4' \\
        'array.level = \"raid10\"' '[workload]' 'from = \"mail\"' \\
        | stripewise study -

  Print the block sizes of one with jq:
    stripewise workloads yabs --json \\
        | jq '.workload.workloads[].block_size_bytes'
";

/// List the workloads that come with the program
///
/// A shipped workload is a load that a study takes by its name: `[workload.db]` with
/// `from = "oltp"`. Keys beside `from` override its own, so `size = "2G"` makes its files
/// smaller. There are loads of servers, databases and backups, and presets that do what popular
/// benchmark tools do. Those with a second stream of I/O bring it as a neighbour.
///
/// The columns show the pattern with its mix of reads and writes, the smallest and the largest I/O,
/// the depth of each job, the jobs, and how often writes are made durable. With NAME, prints the
/// TOML file of that workload: where its numbers come from, what is assumed, and its keys, which
/// can be copied into a study. Reads only.
///
/// docs/study.md describes the keys of a workload.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print this workload: its file, with its source, what is assumed, and its keys
    #[arg(value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct List {
    schema: u32,
    workloads: Vec<WorkloadLine>,
}

#[derive(Serialize)]
struct Shown {
    schema: u32,
    workload: WorkloadLine,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.name {
        Some(name) => show(name, args.format, printer),
        None => list(args.format, printer),
    }
}

fn line(preset: &Preset) -> Result<WorkloadLine> {
    let study = parse(preset.file, &preset.study());
    let study = study.map_err(|error| Failure::study(preset.file, error))?;
    Ok(WorkloadLine::new(preset, &study))
}

fn list(format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let lines = PRESETS.iter().map(line).collect::<Result<Vec<_>>>()?;
    let blocks = vec![workloads(&lines).into()];
    let document = List {
        schema: SCHEMA,
        workloads: lines,
    };
    let answer = Answer::new(Message::new("workloads-title"), document, blocks);
    answers::print("workloads", &answer, format, printer)
}

fn show(name: &str, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let Some(preset) = Preset::named(name) else {
        let hint = match nearest(name, Preset::names()) {
            Some(near) => format!("did you mean `{near}`? `stripewise workloads` lists all"),
            None => "`stripewise workloads` lists all".to_owned(),
        };
        return Err(Failure::new(format!("there is no shipped workload `{name}`")).hint(hint));
    };
    let document = Shown {
        schema: SCHEMA,
        workload: line(preset)?,
    };
    let message = Message::new("workloads-shipped");
    printer.remark(&message.name("name", preset.name).name("file", preset.file));
    let blocks = vec![Block::Code(preset.text.to_owned())];
    let answer = Answer::new(Message::new("workloads-title"), document, blocks);
    let exit = answers::print("workloads", &answer, format, printer)?;
    printer.remark(&Message::new("workloads-use").name("name", preset.name));
    Ok(exit)
}
