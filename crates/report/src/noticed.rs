//! The warnings about a run: each kind once, with its cells.

use std::collections::BTreeMap;

use stripewise_answer::{Block, Sentence, Tone, sparkline};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::metric::Metric;
use stripewise_study::warning::Warning;

use crate::document::{CellPart, Document, ShownWarning};
use crate::names::Names;
use crate::numbers::mib_per_s;

/// The most samples in the order of time in a report.
const SERIES_MAX: usize = 30;

/// The most other cells that a warning names.
const CELLS_LISTED: usize = 4;
/// The most cells whose numbers are listed, folded.
const CELLS_FOLDED: usize = 1000;

/// One kind of warning and its cells, each with what is said of it.
struct Group<'a> {
    noticed: &'a ShownWarning,
    cells: Vec<(Argument, &'a Message)>,
    samples: usize,
    /// The samples of the first of these cells.
    series: Vec<f64>,
}

/// Returns a paragraph for each kind of warning.
pub(crate) fn warnings(document: &Document, names: &Names) -> impl Iterator<Item = Block> {
    let of_run = document.warnings.iter().map(|noticed| Group {
        noticed,
        cells: Vec::new(),
        samples: 0,
        series: Vec::new(),
    });
    let mut groups: Vec<Group> = of_run.collect();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for index in &names.order {
        let cell = &document.cells[*index];
        for noticed in &cell.warnings {
            let at = *kinds.entry(noticed.warning.kind()).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Group {
                    noticed,
                    cells: Vec::new(),
                    samples: 0,
                    series: series(cell, noticed),
                });
            }
            let group = &mut groups[at];
            group
                .cells
                .push((names.argument(&cell.cell()), &noticed.message));
            group.samples += noticed.samples;
        }
    }
    let groups = groups.into_iter();
    groups.flat_map(|group| [Block::Gap, warning(&group)])
}

/// Returns the bandwidth of the counted samples in the order of time, if a warning is about their
/// order.
fn series(cell: &CellPart, noticed: &ShownWarning) -> Vec<f64> {
    let is_about_order = matches!(
        noticed.warning,
        Warning::Drift { .. } | Warning::FirstSampleUnlike { .. }
    );
    let counted = cell.samples.iter().filter(|sample| sample.counted);
    counted
        .filter(|_| is_about_order)
        .filter_map(|sample| Metric::Bandwidth.of(&sample.sample))
        .take(SERIES_MAX)
        .collect()
}

/// Returns samples in the order of time, as a chart and as a list.
fn in_order(series: &[f64]) -> Block {
    let values = series.iter().map(|value| mib_per_s(*value));
    let values: Vec<Argument> = values.map(Argument::Digits).collect();
    let most = series.iter().copied().fold(0.0, f64::max);
    let ends = values.first().cloned().zip(values.last().cloned());
    let chart = ends.map(|(first, last)| {
        Message::new("noticed-series-chart")
            .name("chart", sparkline(series, most))
            .with("first", first)
            .with("last", last)
    });
    // Some languages have commas inside of numbers.
    let list = Message::new("noticed-series").with("values", Argument::semicolons(values));
    Block::Forms {
        drawn: chart
            .map(|chart| Block::toned(Tone::Dim, chart))
            .into_iter()
            .collect(),
        told: vec![Block::toned(Tone::Dim, list)],
    }
}

fn warning(group: &Group) -> Block {
    let noticed = group.noticed;
    let message = match group.cells.first() {
        Some((first, _)) => Message::new("noticed-warning-at").with("cell", first.clone()),
        None => Message::new("noticed-warning"),
    };
    let message = message.with("sentence", noticed.message.clone());
    let mut blocks = Vec::new();
    if group.series.len() > 1 {
        blocks.push(in_order(&group.series));
    }
    let also: Vec<Message> = also(group).collect();
    if !also.is_empty() {
        blocks.push(Block::toned(Tone::Dim, Argument::semicolons(also)));
    }
    if let Some(hint) = &noticed.hint {
        let hint = Message::new("noticed-hint").with("hint", hint.clone());
        blocks.push(Sentence::new(hint).tone(Tone::Dim).by_head().into());
    }
    blocks.extend(each(group));
    Block::open(Sentence::new(message).tone(Tone::Warn).by_head(), blocks)
}

impl Group<'_> {
    /// Returns whether other cells have other numbers than those of the first.
    fn has_other_numbers(&self) -> bool {
        self.cells
            .iter()
            .any(|(_, message)| **message != self.noticed.message)
    }
}

/// Returns folded what is said of each cell, if that is not the same.
fn each(group: &Group) -> Option<Block> {
    if !group.has_other_numbers() {
        return None;
    }
    let cells = group.cells.iter().take(CELLS_FOLDED);
    let cells = cells.map(|(cell, message)| {
        let each = Message::new("noticed-each-cell").with("cell", cell.clone());
        Argument::from(each.with("sentence", (*message).clone()))
    });
    let title = Sentence::new(Message::new("noticed-each"));
    Some(Block::closed(title, vec![Block::List(cells.collect())]))
}

/// Returns the number of samples with a warning, and the other cells that have it.
fn also(group: &Group) -> impl Iterator<Item = Message> {
    let samples = (group.samples > 0).then(|| {
        let message = match group.noticed.invalidates {
            true => Message::new("noticed-samples-lost"),
            false => Message::new("noticed-samples"),
        };
        message.count("count", group.samples)
    });
    let others = group.cells.get(1..).unwrap_or_default();
    let named = &others[..others.len().min(CELLS_LISTED)];
    let cells = (!others.is_empty()).then(|| {
        let message = match others.len() - named.len() {
            0 => Message::new("noticed-also"),
            rest => Message::new("noticed-also-more").digits("count", rest),
        };
        let named = named.iter().map(|(cell, _)| cell.clone());
        let message = message.name("is_unlike", group.has_other_numbers());
        message.with("cells", Argument::semicolons(named))
    });
    samples.into_iter().chain(cells)
}
