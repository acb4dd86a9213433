//! `stripewise man`: man pages from the definition of the options.

use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// Print the man page, or write one for each command
///
/// To read it: stripewise man | man -l -
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write stripewise.1, stripewise-run.1 and so on into this directory instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let command = crate::args::Args::command();
    match &args.out {
        Some(directory) => {
            clap_mangen::generate_to(command, directory).map_err(|error| {
                Failure::from(error).context(format!(
                    "failed to write man pages to `{}`",
                    directory.display()
                ))
            })?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            printer.file(&page)?;
        }
    }
    Ok(Exit::Done)
}
