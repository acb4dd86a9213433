//! What limits the cells of one run, and what is unlike the others.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::two_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::alone::{Limited, Odd};
use stripewise_diagnose::explain::caps::Cap;
use stripewise_diagnose::explain::shape::Step;
use stripewise_study::cell::{self as study, Axis};
use stripewise_study::metric::Metric;

use super::answer::conflict;
use super::words::name;
use super::{Conflict, NotRecorded, SCHEMA};
use crate::names::Names;

/// The most values of an axis that a row names.
const NAMED_MAX: usize = 3;
/// The axes that have a column of their own: cells of one row have the same values along them.
const KINDS: [Axis; 3] = [Axis::Stack, Axis::Workload, Axis::Pattern];

/// What limits the cells of one run.
#[derive(Debug, Serialize)]
pub struct ExplainedRun {
    /// The version of this document.
    pub schema: u32,
    /// The run.
    pub run: String,
    /// The names of its cells.
    pub cells: Vec<Argument>,
    /// The values that name them, by axis, in the order of the cells.
    #[serde(skip)]
    values: Vec<(Axis, Vec<String>)>,
    /// What import noted about the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
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
    pub fn new(run: String, names: &Names, cells: &[&study::Cell]) -> Self {
        let axes = names.axes.iter();
        let values = |axis: &Axis| cells.iter().map(|cell| names.value(cell, *axis)).collect();
        Self {
            schema: SCHEMA,
            run,
            values: axes.map(|axis| (*axis, values(axis))).collect(),
            cells: cells.iter().map(|cell| names.argument(cell)).collect(),
            warnings: Vec::new(),
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

    /// Returns the values of a cell along the axes that have a column of their own.
    pub fn kind(&self, cell: usize) -> Vec<&str> {
        let kinds = self.values.iter().filter(|(axis, _)| KINDS.contains(axis));
        kinds.map(|(_, values)| values[cell].as_str()).collect()
    }

    /// Returns it for people.
    pub fn blocks(&self) -> Vec<Block> {
        let warnings = self.warnings.iter().map(|note| {
            let message = Message::new("explain-imported").with("note", note.clone());
            Block::toned(Tone::Warn, message)
        });
        let mut blocks: Vec<Block> = warnings.collect();
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

    /// Returns what limits the cells: a row for each stack and kind of load.
    fn limits(&self) -> Table {
        let kinds = self.values.iter().filter(|(axis, _)| KINDS.contains(axis));
        let mut columns = vec![Column::number(
            "cells",
            Message::new("explain-column-cells"),
        )];
        columns.extend(
            kinds
                .clone()
                .map(|(axis, _)| Column::group(axis.key(), axis.message())),
        );
        columns.extend([
            Column::words("limit", Message::new("explain-column-limit")),
            Column::words("which", Message::new("explain-column-which")),
        ]);
        let mut table = Table::new("limits", columns);
        for group in &self.limited {
            let count = group.cells.len();
            let exact = stripewise_study::sample::as_f64(count as u64);
            let mut row = vec![Cell::digits(count).exact(exact)];
            let first = group.cells[0];
            row.extend(kinds.clone().map(|(_, values)| Cell::name(&values[first])));
            row.extend([Cell::of(limit(group)), Cell::of(self.which(group))]);
            table.row(row);
        }
        table
    }

    /// Names the cells of a row by what else tells them apart: a few values of each axis, and how many more.
    fn which(&self, group: &Limited) -> Argument {
        let others = self.values.iter().filter(|(axis, _)| !KINDS.contains(axis));
        let named = others.map(|(axis, values)| {
            let mut different: Vec<&str> = Vec::new();
            for cell in &group.cells {
                let value = values[*cell].as_str();
                if value != "-" && !different.contains(&value) {
                    different.push(value);
                }
            }
            let shown = different.iter().take(NAMED_MAX);
            let shown = shown.copied().collect::<Vec<_>>().join(", ");
            let more = different.len().saturating_sub(NAMED_MAX);
            let named = axis.named(shown);
            match more {
                0 => named,
                _ => Message::new("explain-cells-more")
                    .with("cells", named)
                    .digits("more", more)
                    .into(),
            }
        });
        Argument::semicolons(named.filter(|named| *named != Argument::Name(String::new())))
    }
}

/// Returns what limits the cells of a group: in a sentence if it is one cell, else with the range of shares.
fn limit(group: &Limited) -> Message {
    let name = group.bottleneck.name();
    match group.shares {
        _ if group.cells.len() == 1 => group.bottleneck.short(),
        Some([low, high]) if percent_of(low) != percent_of(high) => {
            Message::new("explain-limit-range")
                .with("limit", name)
                .digits("low", percent_of(low))
                .percent("high", high)
        }
        _ => group.bottleneck.short(),
    }
}

fn percent_of(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}
