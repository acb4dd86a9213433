//! The only place that prints: data to stdout, everything else to stderr.
//!
//! Text comes with colours; they are taken away for pipes, `NO_COLOR`, `TERM=dumb` and where plain
//! text is wanted.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;
use stripewise_report::view::{COLUMNS_DEFAULT, View};

use crate::failure::{Failure, Result};

/// How much of a typed line is read; no name of a device is as long.
const LINE_BYTES_MAX: u64 = 4096;

/// How much is said beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Progress, warnings and results.
    Normal,
    /// Results and errors only.
    Quiet,
}

/// Prints.
pub(crate) struct Printer {
    output: Output,
    view: View,
}

/// Returns how many columns there are: the terminal's, else what `COLUMNS` says, else the default.
pub(crate) fn columns() -> usize {
    let terminal = rustix::termios::tcgetwinsize(io::stdout());
    let terminal = terminal.map_or(0, |size| usize::from(size.ws_col));
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    // Some terminals do not know how wide they are, and say 0.
    match terminal {
        0 => said().unwrap_or(COLUMNS_DEFAULT),
        columns => columns,
    }
}

/// Takes colours from a terminal that says it has none, which `anstream` does not where `CI` is set.
fn respect_dumb_terminals() {
    let dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
    let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    if dumb && !forced {
        anstream::ColorChoice::Never.write_global();
    }
}

impl Printer {
    pub(crate) fn new(output: Output, view: View) -> Self {
        respect_dumb_terminals();
        Self { output, view }
    }

    /// Returns how text for people is laid out.
    pub(crate) fn view(&self) -> View {
        self.view
    }

    /// Prints data for people.
    pub(crate) fn data(&mut self, text: &str) -> Result<()> {
        if self.view.is_plain() {
            let text = anstream::adapter::strip_str(text).to_string();
            return self.raw(text.as_bytes());
        }
        let mut stdout = anstream::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()?;
        Ok(())
    }

    /// Prints one JSON document for programs.
    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<()> {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        serde_json::to_writer_pretty(&mut stdout, document)?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
        Ok(())
    }

    /// Prints bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()?;
        Ok(())
    }

    /// Prints a remark.
    pub(crate) fn remark(&mut self, text: &str) {
        if self.output == Output::Normal {
            // Nobody to tell if stderr is gone.
            let _ = writeln!(anstream::stderr(), "{text}");
        }
    }

    /// Prints what must be seen before a question is answered, also where little is said.
    pub(crate) fn show(&mut self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// Asks on the terminal and returns the line that is typed, without the space around it; empty
    /// at the end of input.
    pub(crate) fn ask(&mut self, question: &str) -> Result<String> {
        let mut stderr = anstream::stderr().lock();
        write!(stderr, "{question}")?;
        stderr.flush()?;
        let mut line = String::new();
        let stdin = io::stdin().lock();
        stdin.take(LINE_BYTES_MAX).read_line(&mut line)?;
        Ok(line.trim().to_owned())
    }

    /// Prints why a command could not do what it was asked.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let _ = write!(anstream::stderr(), "{}", failure.render());
    }

    /// Returns whether progress may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        self.output == Output::Normal && !self.view.is_plain()
    }
}
