//! `stripewise man`: man pages from the definition of the options.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use stripewise_units::mark::begins_with;

use crate::exit::Exit;
use crate::failure::Result;
use crate::output_file::{Complete, Existing, OutputFile, Replaces, name_all};
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Read the man page:
    stripewise man | man -l -

  Install a page for each command:
    mkdir -p ~/.local/share/man/man1
    stripewise man --out ~/.local/share/man/man1
    man stripewise-run
";

/// Print the man page, or write one for each command
///
/// Prints stripewise(1) as groff source. With `--out`, writes stripewise.1 and a page for each
/// command, such as stripewise-run.1, into an existing directory. The pages are made from the
/// same text as `--help`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Write a page for each command into this directory instead: all of them, or none
    ///
    /// Earlier pages of this command are replaced. Any other existing file is an error and stays as it is.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut command = crate::args::Args::command().disable_help_subcommand(true);
    command.build();
    match &args.out {
        Some(directory) => {
            let mut pages = Vec::new();
            complete_all(&command, directory, &mut pages)?;
            name_all(pages)?;
        }
        None => printer.file(&page(&command)?)?,
    }
    Ok(Exit::Done)
}

/// Completes the page of a command and those of its subcommands.
fn complete_all(command: &Command, directory: &Path, pages: &mut Vec<Complete>) -> Result<()> {
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    for subcommand in subcommands {
        complete_all(subcommand, directory, pages)?;
    }
    let name = Man::new(command.clone()).get_filename();
    let path = directory.join(name);
    let output = OutputFile::new(&path, Replaces::marked(&is_page));
    pages.push(output.complete_bytes(&page(command)?)?);
    Ok(())
}

/// The first line of a page, a comment: up to the version and behind it.
const MARK: (&str, &str) = (".\\\" Made by `stripewise man` ", ".\n");

/// Returns whether a file begins like our man pages.
fn is_page(old: &Existing<'_>) -> bool {
    begins_with(&old.head, MARK.0, MARK.1)
}

/// Returns the page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let version = concat!("stripewise ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(version);
    let mut page = [MARK.0, env!("CARGO_PKG_VERSION"), MARK.1]
        .concat()
        .into_bytes();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(text) = command.get_after_long_help() {
        sections(&text.to_string()).to_writer(&mut page)?;
    }
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// Returns the end of a long help as sections: `Examples:` becomes a heading, and the indented
/// lines below it keep their breaks, so that commands can be copied.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::default();
    let mut is_verbatim = false;
    for line in text.lines() {
        let indented = line.strip_prefix("  ");
        if !line.is_empty() && indented.is_some() != is_verbatim {
            is_verbatim = !is_verbatim;
            roff.control(if is_verbatim { "nf" } else { "fi" }, []);
        }
        match line.strip_suffix(':').filter(|_| indented.is_none()) {
            Some(heading) => roff.control("SH", [heading.to_uppercase().as_str()]),
            None if line.is_empty() => roff.control("PP", []),
            None => roff.text([roman(indented.unwrap_or(line))]),
        };
    }
    if is_verbatim {
        roff.control("fi", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn examples_keep_their_lines() {
        let page =
            sections("Examples:\n  Do it:\n    do-it \\\n        .now\n\nAnd more.").to_roff();
        expect![[r"
            .SH EXAMPLES
            .nf
            Do it:
              do\-it \\
                  .now
            .PP
            .fi
            And more.
        "]]
        .assert_eq(&page);
    }
}
