//! `stripewise man`: man pages from the definition of the options.

use std::io;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::exit::Exit;
use crate::failure::Result;
use crate::output_file::{OutputFile, Replaces};
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
    /// Write a page for each command into this directory instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let mut command = crate::args::Args::command().disable_help_subcommand(true);
    command.build();
    match &args.out {
        Some(directory) => write_all(&command, directory)?,
        None => printer.file(&page(&command)?)?,
    }
    Ok(Exit::Done)
}

/// Writes the page of a command and those of its subcommands.
fn write_all(command: &Command, directory: &Path) -> Result<()> {
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    for subcommand in subcommands {
        write_all(subcommand, directory)?;
    }
    let name = Man::new(command.clone()).get_filename();
    let path = directory.join(name);
    OutputFile::new(&path, Replaces::marked(&is_page)).write_bytes(&page(command)?)
}

/// Returns whether a file begins like our man pages.
fn is_page(head: &[u8]) -> bool {
    let mark = b".TH stripewise";
    head.windows(mark.len()).any(|window| window == mark)
}

/// Returns the page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let version = concat!("stripewise ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(version);
    let mut page = Vec::new();
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
