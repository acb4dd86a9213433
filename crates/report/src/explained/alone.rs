//! What limits the cells of one run, and what is unlike the others.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::two_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::alone::{Limited, Odd};

use super::SCHEMA;

/// The most cells that a row names.
const NAMED_MAX: usize = 8;

/// What limits the cells of one run.
#[derive(Debug, Serialize)]
pub struct ExplainedRun {
    /// The version of this document.
    pub schema: u32,
    /// The run.
    pub run: String,
    /// The names of its cells.
    pub cells: Vec<Argument>,
    /// What limits them, in groups, by the model.
    pub limited: Vec<Limited>,
    /// The cells whose measured rate over the predicted one is unlike that of the others.
    pub odd_cells: Vec<Odd<usize>>,
    /// The members that take another time for each request than the others, by cell.
    pub odd_members: Vec<OddMember>,
    /// The cells of which the model says nothing, and why.
    pub refused: Vec<Refused>,
}

/// A member that is unlike the others.
#[derive(Debug, Clone, Serialize)]
pub struct OddMember {
    /// The cell.
    pub cell: usize,
    /// The device, and its time for each request over that of the others.
    #[serde(flatten)]
    pub member: Odd<String>,
}

/// A cell of which the model says nothing.
#[derive(Debug, Clone, Serialize)]
pub struct Refused {
    /// The cell.
    pub cell: usize,
    /// Why.
    pub why: Argument,
}

impl ExplainedRun {
    /// Returns an explanation of nothing yet.
    pub fn new(run: String, cells: Vec<Argument>) -> Self {
        Self {
            schema: SCHEMA,
            run,
            cells,
            limited: Vec::new(),
            odd_cells: Vec::new(),
            odd_members: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Returns it for people.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        if !self.limited.is_empty() {
            blocks.push(self.limits().into());
            blocks.push(Block::Gap);
        }
        let cells = self.odd_cells.iter().map(|odd| {
            Message::new("explain-odd-cell")
                .with("cell", self.cells[odd.of].clone())
                .digits("times", two_digits(odd.times))
                .as_sentence()
        });
        let members = self.odd_members.iter().map(|one| {
            Message::new("explain-odd-member")
                .name("device", &one.member.of)
                .with("cell", self.cells[one.cell].clone())
                .digits("times", two_digits(one.member.times))
        });
        let odd: Vec<Block> = cells.chain(members).map(Block::say).collect();
        match odd.is_empty() {
            true => blocks.push(Block::say(Message::new("explain-nothing-odd"))),
            false => blocks.extend(odd),
        }
        blocks.extend(self.refused.first().map(|refused| {
            let message = Message::new("explain-refused-cells")
                .count("count", self.refused.len())
                .with("cell", self.cells[refused.cell].clone())
                .with("why", refused.why.clone());
            Block::toned(Tone::Dim, message)
        }));
        blocks
    }

    fn limits(&self) -> Table {
        let mut table = Table::new(
            "limits",
            [
                Column::number("cells", Message::new("explain-column-cells")),
                Column::words("which", Message::new("explain-column-which")),
                Column::words("limit", Message::new("explain-column-limit")),
            ],
        );
        for group in &self.limited {
            let count = group.cells.len();
            let named = group.cells.iter().take(NAMED_MAX);
            let named = Argument::list(named.map(|cell| self.cells[*cell].clone()));
            let which = match count > NAMED_MAX {
                true => Message::new("explain-cells-more")
                    .with("cells", named)
                    .digits("more", count - NAMED_MAX)
                    .into(),
                false => named,
            };
            let exact = stripewise_study::sample::as_f64(count as u64);
            table.row([
                Cell::digits(count).exact(exact),
                Cell::of(which),
                Cell::of(group.bottleneck.sentence()),
            ]);
        }
        table
    }
}
