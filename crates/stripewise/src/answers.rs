//! The only place that prints what a command answers, in whichever format was asked for.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_export::answer::{csv, junit, markdown, openmetrics};
use stripewise_report::html;
use stripewise_report::render::{page, terminal};
use stripewise_report::view::View;

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{Existing, OutputFile, Replaces};
use crate::printer::Printer;

/// The options of a command that answers.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the answer for another program or medium
    #[arg(
        long,
        visible_alias = "output-format",
        value_parser = without_verdicts(),
        value_name = "FORMAT",
        conflicts_with = "json"
    )]
    format: Option<Format>,

    /// Also print the details that a page folds away
    #[arg(long)]
    verbose: bool,

    /// The option that names the format.
    #[arg(skip = "--format")]
    option: &'static str,
}

/// Reads the formats of an answer without verdicts: no test case passes or fails, so JUnit is refused
/// before any work is done.
fn without_verdicts() -> impl TypedValueParser<Value = Format> {
    formats(|format| !matches!(format, Format::Junit | Format::Openmetrics))
}

/// Reads the formats of an answer with verdicts, for `mut_arg` of a command that judges.
pub(crate) fn with_verdicts() -> impl TypedValueParser<Value = Format> {
    formats(|format| format != Format::Openmetrics)
}

/// Reads the formats of an answer with verdicts about things that last, which a scraper follows.
pub(crate) fn with_gauges() -> impl TypedValueParser<Value = Format> {
    formats(|_| true)
}

fn formats(is_offered: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let offered = Format::value_variants().iter();
    let offered = offered.filter(|format| is_offered(**format));
    PossibleValuesParser::new(offered.filter_map(ValueEnum::to_possible_value))
        .try_map(|word| Format::from_str(&word, false))
}

/// The options of a command that answers, and whose `--format` is the format of what it reads.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct OutputFormatArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the answer for another program or medium; `--format` is the format of the input here
    #[arg(long, value_parser = without_verdicts(), value_name = "FORMAT", conflicts_with = "json")]
    output_format: Option<Format>,

    /// Also print the details that a page folds away
    #[arg(long)]
    verbose: bool,
}

impl From<OutputFormatArgs> for FormatArgs {
    fn from(args: OutputFormatArgs) -> Self {
        Self {
            json: args.json,
            format: args.output_format,
            verbose: args.verbose,
            option: "--output-format",
        }
    }
}

/// A medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for a terminal
    Text,
    /// One JSON document, as `--json`
    Json,
    /// Markdown for a ticket
    #[value(alias = "md")]
    Markdown,
    /// The tables as CSV, with exact numbers
    Csv,
    /// A page in English and German, without a script
    Html,
    /// Test cases for a system for continuous integration: a table with verdicts
    Junit,
    /// Gauges of OpenMetrics for a scraper
    Openmetrics,
}

impl FormatArgs {
    /// One JSON document.
    pub(crate) const JSON: Self = Self {
        json: true,
        format: None,
        verbose: false,
        option: "--format",
    };

    /// Returns the format.
    pub(crate) fn format(self) -> Format {
        match (self.json, self.format) {
            (true, _) => Format::Json,
            (false, format) => format.unwrap_or(Format::Text),
        }
    }

    /// Fails if details are asked for where text is not printed.
    pub(crate) fn refuse_verbose(self, instead: &str) -> Result<()> {
        match self.verbose {
            true => Err(
                Failure::new(format!("`--verbose` is for text, and {instead}"))
                    .hint("add `--format text`, or leave `--verbose` out"),
            ),
            false => Ok(()),
        }
    }

    /// Returns whether one was named.
    pub(crate) fn is_given(self) -> bool {
        self.json || self.format.is_some()
    }
}

/// Prints what a command answers; `command` is its name.
pub(crate) fn print<D: Serialize>(
    command: &str,
    answer: &Answer<D>,
    format: FormatArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let language = printer.view().language();
    let lacks = |what: &str| {
        Failure::new(format!("this answer has no table{what}"))
            .hint(format!("use `{} markdown` or `--json`", format.option))
    };
    match format.format() {
        Format::Text => printer.data(&text(answer, format.verbose, printer.view()))?,
        Format::Json => printer.json(&answer.document)?,
        Format::Markdown => {
            let text = markdown(&answer.title, &answer.page(), language);
            printer.file(text.as_bytes())?;
        }
        Format::Csv => {
            let table = csv(&answer.blocks).ok_or_else(|| lacks(""))?;
            printer.file(&table)?;
        }
        Format::Html => printer.file(html(command, answer, printer).as_bytes())?,
        Format::Junit => {
            let cases = junit(command, &answer.blocks).ok_or_else(|| lacks(" with verdicts"))?;
            printer.file(cases.as_bytes())?;
        }
        Format::Openmetrics => {
            let gauges =
                openmetrics(command, &answer.blocks).ok_or_else(|| lacks(" with labels"))?;
            printer.file(gauges.as_bytes())?;
        }
    }
    Ok(exit(answer))
}

/// Prints what a command did beside its data, or instead of data: text goes to standard error, and
/// not at all with `--quiet`.
pub(crate) fn print_aside<D: Serialize>(
    command: &str,
    answer: &Answer<D>,
    format: FormatArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    if format.format() != Format::Text {
        return print(command, answer, format, printer);
    }
    // A log has one sentence a line, however long.
    let view = match printer.tells_a_terminal() {
        true => printer.view(),
        false => View::PLAIN.in_language(printer.view().language()),
    };
    let text = text(answer, format.verbose, view);
    if !text.is_empty() {
        printer.list(text.trim_end_matches('\n'));
    }
    Ok(exit(answer))
}

fn text<D>(answer: &Answer<D>, verbose: bool, view: View) -> String {
    let unfolded = verbose.then(|| Block::unfolded(&answer.blocks));
    let blocks = unfolded.as_ref().unwrap_or(&answer.blocks);
    let summary = answer.summary.iter().cloned().map(Block::say);
    let summary: Vec<Block> = summary.collect();
    terminal(blocks, view) + &terminal(&summary, view)
}

/// Returns how the program ends with an answer.
fn exit<D>(answer: &Answer<D>) -> Exit {
    match answer.is_no {
        true => Exit::No,
        false => Exit::Done,
    }
}

/// Returns the page of an answer; it opens in the language of `--language`.
pub(crate) fn html<D: Serialize>(command: &str, answer: &Answer<D>, printer: &Printer) -> String {
    let language = printer.language().unwrap_or_default();
    page(
        command,
        language,
        (&answer.title, answer.about.as_ref()),
        &answer.page(),
    )
}

/// Gives the answer of a command that can write it as a page: to `--page`, or in its format.
pub(crate) fn give<D: Serialize>(
    command: &str,
    answer: &Answer<D>,
    page: Option<&Path>,
    format: FormatArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    match page {
        Some(path) => write_page(command, answer, path, printer),
        None => print(command, answer, format, printer),
    }
}

/// Writes the page of an answer to a file, whose name it prints, or to standard output: `-`. An
/// earlier page of the command is replaced, any other file is not.
fn write_page<D: Serialize>(
    command: &str,
    answer: &Answer<D>,
    path: &Path,
    printer: &mut Printer,
) -> Result<Exit> {
    let html = html(command, answer, printer);
    with_page(command, path, |to| match path == Path::new("-") {
        true => printer.file(html.as_bytes()),
        false => {
            to.write_bytes(html.as_bytes())?;
            printer.data(&format!("{}\n", path.display()))
        }
    })?;
    if let Some(summary) = &answer.summary {
        printer.remark(summary);
    }
    Ok(exit(answer))
}

/// Fails if a page could not be written to a file, before any work is done for it.
pub(crate) fn check_page(command: &str, path: Option<&Path>) -> Result<()> {
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => with_page(command, path, |to| to.check()),
        None => Ok(()),
    }
}

fn with_page<T>(
    command: &str,
    path: &Path,
    act: impl FnOnce(&OutputFile) -> Result<T>,
) -> Result<T> {
    let is_page = |old: &Existing<'_>| html::is_page(command, &old.head);
    act(&OutputFile::new(path, Replaces::marked(&is_page)))
}
