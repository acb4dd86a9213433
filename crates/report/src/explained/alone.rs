//! What limits the cells of one run, and what is unlike the others.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::two_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::alone::{Limited, Odd};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::shape::Step;
use stripewise_study::metric::Metric;

use super::answer::conflict;
use super::words::name;
use super::{Conflict, NotRecorded, SCHEMA};

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
    /// What is known of its machine: the key of each fact, and its value, alike in all cells.
    pub facts: Vec<(String, String)>,
    /// Facts that bear on speed and that it does not have.
    pub not_recorded: Vec<NotRecorded>,
    /// Facts of which two of its sources say different things.
    pub conflicts: Vec<Conflict>,
    /// What limits them, in groups, by the model.
    pub limited: Vec<Limited>,
    /// The limits at which cells ran, by cell.
    pub capped: Vec<Capped>,
    /// The moments at which the rate of a cell changed for good, by cell.
    pub steps: Vec<SteppedCell>,
    /// The cells whose measured rate over the predicted one is unlike that of the others.
    pub odd_cells: Vec<Odd<usize>>,
    /// The members that take another time for each request than the others, by cell.
    pub odd_members: Vec<OddMember>,
    /// The cells of which the model says nothing, and why.
    pub refused: Vec<Refused>,
}

/// A cell that ran at a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Capped {
    /// The cell.
    pub cell: usize,
    /// The limit.
    #[serde(flatten)]
    pub cap: Cap,
}

/// A cell whose rate changed for good.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SteppedCell {
    /// The cell.
    pub cell: usize,
    /// When.
    #[serde(flatten)]
    pub step: Step,
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
            facts: Vec::new(),
            not_recorded: Vec::new(),
            conflicts: Vec::new(),
            limited: Vec::new(),
            capped: Vec::new(),
            steps: Vec::new(),
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
        let steps = self.steps.iter().map(|one| {
            Message::new("explain-cell-step")
                .with("cell", self.cells[one.cell].clone())
                .digits("at", two_digits(one.step.at_s))
                .with("from", Metric::Bandwidth.quantity(one.step.from))
                .with("to", Metric::Bandwidth.quantity(one.step.to))
                .as_sentence()
        });
        let odd: Vec<Block> = cells.chain(members).chain(steps).map(Block::say).collect();
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
        let capped = self.capped.iter().map(|one| {
            Message::new("explain-cell-capped")
                .with("cell", self.cells[one.cell].clone())
                .with("fact", name(one.cap.key))
                .with("limit", one.cap.metric.quantity(one.cap.limit))
                .as_sentence()
        });
        blocks.extend(capped.map(Block::say));
        blocks.extend(self.known());
        blocks
    }

    /// Lists what is known of the machine, and what is not.
    fn known(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        if !self.facts.is_empty() {
            let mut table = Table::new(
                "facts",
                [
                    Column::words("fact", Message::new("explain-column-fact")),
                    Column::words("value", Message::new("explain-column-value")),
                ],
            );
            for (key, value) in &self.facts {
                table.row([Cell::of(name(key)), Cell::name(value)]);
            }
            blocks.extend([Block::Gap, table.into()]);
        }
        blocks.extend(self.conflicts.iter().map(|one| {
            let message = conflict("explain-conflict", one);
            Block::toned(Tone::Warn, message)
        }));
        let missing = self.not_recorded.iter().map(|one| name(&one.key));
        let missing: Vec<Message> = missing.collect();
        if !missing.is_empty() {
            let message =
                Message::new("explain-not-recorded").with("facts", Argument::list_and(missing));
            blocks.push(Block::toned(Tone::Dim, message));
        }
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
