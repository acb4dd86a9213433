//! `stripewise completions`: completions for shells.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  bash, with the package bash-completion:
    mkdir -p ~/.local/share/bash-completion/completions
    stripewise completions bash \\
        > ~/.local/share/bash-completion/completions/stripewise

  zsh, with ~/.zfunc in fpath:
    mkdir -p ~/.zfunc
    stripewise completions zsh > ~/.zfunc/_stripewise

  fish:
    mkdir -p ~/.config/fish/completions
    stripewise completions fish \\
        > ~/.config/fish/completions/stripewise.fish
";

/// Print completions for a shell
///
/// Prints a script that completes commands and options, for bash, zsh, fish, elvish or
/// PowerShell. Save it where the shell looks for completions, and open a new shell.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
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
