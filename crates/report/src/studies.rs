//! The shipped studies as a table.

use serde::Serialize;
use stripewise_answer::{Cell, Column, Table, Tone};
use stripewise_catalogue::{Message, shipped};
use stripewise_format::studies::ShippedStudy;
use stripewise_study::plan::Study;

/// Where a study can run as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Suits {
    /// In a directory of this machine.
    Files,
    /// On modelled disks.
    Model,
    /// In either.
    Both,
}

impl Suits {
    /// Returns where the stacks of a study are: those without devices are the filesystem of a directory.
    fn of(study: &Study) -> Self {
        let mut stacks = study.cells.iter().map(|cell| &cell.stack);
        let some_have = stacks.clone().any(|stack| !stack.devices.is_empty());
        let some_lack = stacks.any(|stack| stack.devices.is_empty());
        match (some_have, some_lack) {
            (true, true) => Suits::Both,
            (true, false) => Suits::Model,
            (false, _) => Suits::Files,
        }
    }

    /// Returns the option that chooses it.
    const fn option(self) -> &'static str {
        match self {
            Suits::Files => "--target DIR",
            Suits::Model | Suits::Both => "--world model",
        }
    }
}

/// A shipped study on one line; `--json` prints it, too.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyLine {
    /// Its name for commands.
    pub name: &'static str,
    /// The question that it answers.
    pub question: String,
    /// How many cells it has.
    pub cells: usize,
    /// Where it runs as it is.
    pub suits: Suits,
}

impl StudyLine {
    /// Returns the line of a shipped study; `study` is its text, parsed.
    pub fn new(shipped: &ShippedStudy, study: &Study) -> Self {
        Self {
            name: shipped.name,
            question: study.question.clone().unwrap_or_default(),
            cells: study.cells.len(),
            suits: Suits::of(study),
        }
    }
}

/// Returns a table of the shipped studies, a line for each.
pub fn studies(lines: &[StudyLine]) -> Table {
    let columns = [
        Column::words("study", Message::new("label-study")),
        Column::number("cells", Message::new("list-column-cells")).optional(3),
        Column::words("run_with", Message::new("label-run-with")).in_one_line(),
        Column::words("question", Message::new("label-question")),
    ];
    let mut table = Table::new("studies", columns);
    for line in lines {
        table.row([
            Cell::name(line.name).tone(Tone::Strong),
            Cell::name(line.cells),
            Cell::name(line.suits.option()),
            Cell::of(shipped(&line.question)),
        ]);
    }
    table
}
