//! The report's figures as files: SVG and PNG, drawn by the report's own front end.

use stripewise_answer::{Cell, Column, Table};
use stripewise_catalogue::{Language, Message};
use stripewise_figure::{Figures, FrontEnd, Options, Theme, png as pixels};
use stripewise_report::html::{SCRIPTS, messages};
use stripewise_report::page::Page;
use stripewise_results::Run;

use crate::commands::asked;
use crate::commands::report::page;
use crate::failure::{Failure, Result};

/// Pixels of a PNG for each pixel of the drawing: sharp on paper and on dense screens.
const PNG_SCALE: f32 = 2.0;
/// The default width of a figure.
const WIDTH_PX: u32 = 960;

/// The options of figures.
#[derive(Debug, clap::Args)]
pub(super) struct FigureArgs {
    /// List the figures that can be exported, and exit
    #[arg(long, conflicts_with_all = ["output", "figure", "width", "height", "theme"])]
    list_figures: bool,

    /// SVG, PNG: the figure [default: the first of `--list-figures`]
    ///
    /// A figure of one cell shows the cell with the largest difference; `NAME.12` shows cell 12 of the
    /// report, counted from 0.
    #[arg(long, value_name = "NAME")]
    figure: Option<String>,

    /// SVG, PNG: the width in pixels; a PNG gets twice as many, to be sharp in print [default: 960]
    #[arg(long, value_name = "PIXELS")]
    width: Option<u32>,

    /// SVG, PNG: the height in pixels [default: as the figure needs]
    #[arg(long, value_name = "PIXELS")]
    height: Option<u32>,

    /// SVG, PNG: the colours [default: light]
    #[arg(long, value_enum, value_name = "THEME")]
    theme: Option<ThemeName>,
}

/// A theme on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ThemeName {
    /// Dark on light, for paper
    Light,
    /// Light on dark
    Dark,
}

impl FigureArgs {
    /// Returns whether `--list-figures` is given.
    pub(super) const fn are_listed(&self) -> bool {
        self.list_figures
    }

    /// Returns the first of these options that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            ("--list-figures", self.list_figures),
            ("--figure", self.figure.is_some()),
            ("--width", self.width.is_some()),
            ("--height", self.height.is_some()),
            ("--theme", self.theme.is_some()),
        ];
        options
            .iter()
            .find(|option| option.1)
            .map(|option| option.0)
    }

    fn options(&self) -> Options {
        Options {
            width_px: self.width.unwrap_or(WIDTH_PX),
            height_px: self.height,
            theme: match self.theme {
                None | Some(ThemeName::Light) => Theme::Light,
                Some(ThemeName::Dark) => Theme::Dark,
            },
        }
    }
}

/// Returns the names of the figures with their headings.
pub(super) fn list(runs: &[Run], language: Language) -> Result<Table> {
    let json = json(&page(runs, asked, "")?)?;
    let figures = open(&json, language)?;
    let columns = [("figure", "label-figure"), ("title", "label-description")];
    let columns = columns.map(|(key, head)| Column::words(key, Message::new(head)));
    let mut table = Table::new("figures", columns).bare();
    for figure in figures.list() {
        table.row([Cell::name(&figure.id), Cell::name(&figure.title)]);
    }
    Ok(table)
}

/// Returns a figure of the runs as SVG.
pub(super) fn svg(runs: &[Run], args: &FigureArgs, language: Language) -> Result<String> {
    let json = json(&page(runs, asked, "")?)?;
    let figures = open(&json, language)?;
    let name = match (&args.figure, figures.list().first()) {
        (Some(name), _) => name.clone(),
        (None, Some(first)) => first.id.clone(),
        (None, None) => return Err(Failure::new("these runs have no figure")),
    };
    Ok(figures.svg(&name, &args.options())?)
}

/// Returns a figure of the runs as PNG.
pub(super) fn png(runs: &[Run], args: &FigureArgs, language: Language) -> Result<Vec<u8>> {
    let svg = svg(runs, args, language)?;
    Ok(pixels(&svg, PNG_SCALE)?)
}

fn json(page: &Page) -> Result<String> {
    Ok(serde_json::to_string(page)?)
}

fn open(json: &str, language: Language) -> Result<Figures<'_>> {
    let front_end = FrontEnd {
        scripts: &SCRIPTS,
        messages_json: messages(),
    };
    Ok(Figures::new(front_end, json, language.as_str())?)
}
