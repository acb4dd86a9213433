//! `stripewise export`: stored runs as files for other programs and for tickets.

mod figures;
mod partitions;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use stripewise_catalogue::Language;
use stripewise_export::{Source, cells, csv, json, markdown, openmetrics, parquet, samples};
use stripewise_report::document::Document;
use stripewise_report::render::terminal;
use stripewise_results::Run;

use super::stored;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{Existing, OutputFile, Replaces};
use crate::printer::Printer;
use crate::stores::{RunName, StoreArgs};

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Every sample of the latest run, for DuckDB or a data frame:
    stripewise export -o samples.parquet

  The estimates of two runs, for a spreadsheet:
    stripewise export 1 2 --rows cells -o cells.csv

  A table for a ticket, on standard output:
    stripewise export 1 --format markdown

  One figure of the report as an image:
    stripewise export 1 --list-figures
    stripewise export 1 --figure heat-latency_ns_p99 -o latency.png

  Gauges for the textfile collector of Prometheus' node_exporter:
    stripewise export -o /var/lib/node_exporter/stripewise.prom
";

/// Export runs as CSV, Parquet, JSON, Markdown or figures
///
/// Writes stored runs for other programs and for tickets. The output goes to standard output, or
/// to the file of `--output`, whose ending selects the format. JSON and Parquet hold complete
/// runs: `stripewise import export` reads them back on another machine. CSV holds only its
/// columns. In CSV and Parquet a row is a sample, or with `--rows cells` a cell with its estimates
/// and their intervals.
///
/// Markdown is a table for a ticket, OpenMetrics is gauges for Prometheus, and SVG and PNG are
/// figures of `stripewise report`, drawn without a browser. In CSV, text that a spreadsheet would
/// take for a formula gets a leading `'`.
///
/// docs/export.md describes formats and columns.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The runs: numbers, names, or `latest`
    #[arg(default_value = "latest", value_name = "RUN", num_args = 1..)]
    runs: Vec<RunName>,

    /// The format [default: from the ending of `--output`]
    ///
    /// Endings: .csv; .parquet, .pq; .json; .md, .markdown; .prom, .om, .openmetrics; .svg; .png.
    #[arg(long, short, value_enum)]
    format: Option<Format>,

    /// The file to write; `-` is standard output, which is the default
    ///
    /// It is written completely or not at all. An earlier export of the same format is replaced, of
    /// CSV only one with the same columns; any other existing file, or an existing figure, is an
    /// error unless `--replace` is given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace an existing file, whatever it contains
    #[arg(long, requires = "output")]
    replace: bool,

    /// Rows of CSV or Parquet: samples, cells or sketches [default: samples]
    #[arg(long, value_enum)]
    rows: Option<Rows>,

    /// Write a folder of files instead of one: `date,host` makes `date=2026-11-30/host=web17/run-12-START.parquet`
    ///
    /// `--output` names the folder. The host of a run is its tag `host=NAME`. DuckDB, polars and pandas
    /// read such folders as one table, and `stripewise import export` and `stripewise outliers` read
    /// them, too. A run that is in the folder already is replaced.
    #[arg(
        long,
        value_name = "KEYS",
        value_delimiter = ',',
        value_enum,
        requires = "output"
    )]
    partition_by: Vec<partitions::Key>,

    #[command(flatten)]
    figures: figures::FigureArgs,

    #[command(flatten)]
    store: StoreArgs,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table that every spreadsheet reads
    Csv,
    /// Typed columns for DuckDB and data frames, and the whole runs beside them
    Parquet,
    /// The whole runs
    Json,
    /// Tables for tickets, in GitHub's flavour
    Markdown,
    /// Gauges for a scraper: OpenMetrics 1.0, which Prometheus reads
    Openmetrics,
    /// A figure of the report as a drawing
    Svg,
    /// A figure of the report as pixels
    Png,
}

/// The rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rows {
    /// Everything about each sample
    Samples,
    /// The estimates of each cell, with the ends of their intervals
    Cells,
    /// Of each cell the count, median, median absolute deviation and histogram of latencies, with host,
    /// date and class: what `stripewise outliers` reads
    Sketches,
}

impl Format {
    /// Returns the format for the ending of a file name.
    fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Format::Csv),
            "parquet" | "pq" => Some(Format::Parquet),
            "json" => Some(Format::Json),
            "md" | "markdown" => Some(Format::Markdown),
            "prom" | "om" | "openmetrics" => Some(Format::Openmetrics),
            "svg" => Some(Format::Svg),
            "png" => Some(Format::Png),
            _ => None,
        }
    }

    const fn has_rows(self) -> bool {
        matches!(self, Format::Csv | Format::Parquet)
    }

    const fn is_figure(self) -> bool {
        matches!(self, Format::Svg | Format::Png)
    }

    /// Returns the name of a format that a terminal cannot show.
    const fn bytes_name(self) -> Option<&'static str> {
        match self {
            Format::Parquet => Some("a Parquet file"),
            Format::Png => Some("a PNG image"),
            _ => None,
        }
    }

    /// Returns whether a file is marked as our export in this format. `new` replaces it.
    fn is_of(self, old: &Existing<'_>, new: &[u8]) -> bool {
        match self {
            Format::Csv => csv::is_like(&old.head, new),
            Format::Parquet => parquet::is_ours(old.file).unwrap_or(false),
            Format::Json => json::is_ours(&old.head),
            Format::Markdown => markdown::is_ours(&old.head),
            Format::Openmetrics => old.head.starts_with(openmetrics::MARK.as_bytes()),
            // Figures carry no mark of ours.
            Format::Svg | Format::Png => false,
        }
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    if !args.partition_by.is_empty() {
        return partitions::run(args);
    }
    let path = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let format = format(args, path)?;
    let rows = rows(args, format)?;
    if let Some(bytes) = format.bytes_name()
        && path.is_none()
        && printer.prints_to_terminal()
    {
        return Err(
            Failure::new(format!("a terminal cannot show {bytes}")).hint("`-o FILE` writes a file")
        );
    }
    let store = args.store.open_existing()?;
    let runs = RunName::resolve_all(&args.runs, &store)?
        .iter()
        .map(|id| Ok(store.run(*id)?))
        .collect::<Result<Vec<Run>>>()?;
    // English by default: a file does not depend on this user's environment.
    let language = printer.language().unwrap_or_default();
    if args.figures.are_listed() {
        let list = figures::list(&runs, language)?;
        let view = printer.view().in_language(language);
        printer.data(&terminal(&[list.into()], view))?;
        return Ok(Exit::Done);
    }
    let bytes = exported(&runs, format, rows, (&args.figures, language))?;
    match path {
        Some(path) => write(path, &bytes, format, args.replace)?,
        None => printer.file(&bytes)?,
    }
    Ok(Exit::Done)
}

/// Returns the format: `--format`, else the one for the ending of the output file.
fn format(args: &Args, path: Option<&Path>) -> Result<Format> {
    if let Some(format) = args.format.or_else(|| Format::of(path?)) {
        return match args.figures.given() {
            Some(option) if !format.is_figure() => {
                Err(Failure::new(format!("{option}: only for SVG and PNG")))
            }
            _ => Ok(format),
        };
    }
    if args.figures.are_listed() {
        return Ok(Format::Svg);
    }
    let message = match path {
        Some(path) => format!("`{}` does not end in a known format", path.display()),
        None => "no format is given".to_owned(),
    };
    Err(Failure::new(message)
        .hint("choose one with `--format`: csv, parquet, json, markdown, openmetrics, svg or png"))
}

fn rows(args: &Args, format: Format) -> Result<Rows> {
    match args.rows {
        Some(_) if !format.has_rows() => Err(Failure::new("--rows: only for CSV and Parquet")),
        rows => Ok(rows.unwrap_or(Rows::Samples)),
    }
}

/// Returns runs in a format.
fn exported(
    runs: &[Run],
    format: Format,
    rows: Rows,
    (figures, language): (&figures::FigureArgs, Language),
) -> Result<Vec<u8>> {
    let documents: Vec<Document> = runs
        .iter()
        .map(|run| Document::new(run, &stored::asked(run)))
        .collect();
    let of_cells: Vec<&Document> = documents.iter().collect();
    let of_samples: Vec<Source<'_>> = runs
        .iter()
        .zip(&documents)
        .map(|(run, document)| Source { run, document })
        .collect();
    let failed = |error| Failure::new(format!("failed to write Parquet: {error}"));
    Ok(match (format, rows) {
        (Format::Csv, Rows::Samples) => csv::write(&samples::samples(&of_samples)),
        (Format::Csv, Rows::Cells) => csv::write(&cells::cells(&of_cells)),
        (Format::Parquet, Rows::Samples) => parquet::samples(&of_samples).map_err(failed)?,
        (Format::Parquet, Rows::Cells) => {
            parquet::table(&cells::cells(&of_cells)).map_err(failed)?
        }
        (Format::Csv, Rows::Sketches) => csv::write(&partitions::sketches(runs, &documents, &[])),
        (Format::Parquet, Rows::Sketches) => {
            parquet::table(&partitions::sketches(runs, &documents, &[])).map_err(failed)?
        }
        (Format::Json, _) => json::write(&runs.iter().collect::<Vec<_>>())?,
        (Format::Markdown, _) => markdown::write(&of_cells).into_bytes(),
        (Format::Openmetrics, _) => openmetrics::write(&of_cells).into_bytes(),
        (Format::Svg, _) => figures::svg(runs, figures, language)?.into_bytes(),
        (Format::Png, _) => figures::png(runs, figures, language)?,
    })
}

/// Writes the file; refuses to replace anything but an export in the same format.
fn write(path: &Path, bytes: &[u8], format: Format, replace: bool) -> Result<()> {
    let is_ours = |old: &Existing<'_>| format.is_of(old, bytes);
    OutputFile::new(path, Replaces::marked_or(&is_ours, replace)).write_bytes(bytes)
}
