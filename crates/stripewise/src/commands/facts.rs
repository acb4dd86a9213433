//! `stripewise facts`: facts about this machine.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_fio::Fio;
use stripewise_machine::Root;
use stripewise_report::document::SCHEMA;
use stripewise_study::facts::Facts;

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Show the machine, or which disks a directory is on:
    stripewise facts
    stripewise facts --target .

  Print the kernel:
    stripewise facts --json | jq -r .facts.kernel
";

/// Print kernel, CPU, memory and disks, as runs record them
///
/// Prints kernel, processor, governor, memory, the version of fio, and the storage stack as a
/// tree, from filesystems down to disks. With `--target`, marks what is under that directory.
/// `stripewise run` stores the same facts with every run, and `resume` and `compare` use them to
/// notice that the machine has changed. Reads only, and needs no root.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Also show the filesystem and disks of this directory
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    facts: Facts,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut facts = stripewise_machine::facts(&Root::live(), args.target.as_deref());
    // fio may be missing.
    if let Ok(fio) = Fio::find() {
        facts
            .tools
            .insert("fio".to_owned(), fio.version().as_str().to_owned());
    }
    let blocks = stripewise_report::facts::facts(&facts);
    let schema = SCHEMA;
    let answer = Answer::new(
        Message::new("facts-title"),
        Document { schema, facts },
        blocks,
    );
    answers::print("facts", &answer, args.format, printer)
}
