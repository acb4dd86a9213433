//! `stripewise facts`: what this machine is.

use std::path::PathBuf;

use serde::Serialize;
use stripewise_fio::Fio;
use stripewise_machine::Root;
use stripewise_report::document::SCHEMA;
use stripewise_study::facts::Facts;

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Show what this machine is
///
/// Kernel, processor and its governor, memory, and the storage stack as a tree: filesystems, what
/// they lie on, down to the disks; with `--target` what holds it is marked. The same facts are kept
/// with every run. Reads only.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A directory whose filesystem and disks are looked at as well
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    facts: Facts,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut facts = stripewise_machine::facts(&Root::live(), args.target.as_deref());
    // A machine without fio has facts, too.
    if let Ok(fio) = Fio::find() {
        facts
            .tools
            .insert("fio".to_owned(), fio.version().as_str().to_owned());
    }
    if args.json {
        printer.json(&Document {
            schema: SCHEMA,
            facts,
        })?;
    } else {
        printer.data(&stripewise_report::facts::facts(&facts, printer.view()))?;
    }
    Ok(Exit::Done)
}
