//! The shipped studies, for a terminal.

use serde::Serialize;
use stripewise_catalogue::Message;
use stripewise_format::studies::ShippedStudy;
use stripewise_study::plan::Study;

use crate::table::{Column, Field, Table};
use crate::text::BOLD;
use crate::view::View;

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
pub fn studies(lines: &[StudyLine], view: View) -> String {
    let head = |id: &'static str| view.say(&Message::new(id));
    let mut table = Table::new(vec![
        Column::words(&head("label-study")),
        Column::number(&head("list-column-cells")).optional(3),
        Column::words(&head("label-run-with")).in_one_line(),
        Column::words(&head("label-question")),
    ]);
    for line in lines {
        table.row(vec![
            Field::styled(BOLD, line.name),
            Field::plain(line.cells.to_string()),
            Field::plain(line.suits.option()),
            Field::plain(&line.question),
        ]);
    }
    table.finish(view)
}
