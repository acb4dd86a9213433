//! `stripewise completions`: for the shell.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Print completions for a shell
///
/// For bash: stripewise completions bash > ~/.local/share/bash-completion/completions/stripewise
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut script = Vec::new();
    let mut command = crate::args::Args::command();
    generate(args.shell, &mut command, "stripewise", &mut script);
    printer.file(&script)?;
    Ok(Exit::Done)
}
