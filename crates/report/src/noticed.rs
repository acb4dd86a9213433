//! The warnings about a run, for a terminal: each kind once, with its cells.

use stripewise_catalogue::Message;
use stripewise_study::metric::Metric;
use stripewise_study::warning::Warning;

use crate::bar::sparkline;
use crate::document::{CellPart, Document, ShownWarning};
use crate::names::Names;
use crate::numbers::mib_per_s;
use crate::text::{DIM, WARN, paint, strip_control, with_head, wrapped_from};
use crate::view::View;

/// The indent of the second and later lines of a warning.
const INDENT: &str = "         ";
/// The most samples in the order of time in a plain report.
const SERIES_MAX: usize = 30;

/// The most other cells that a warning names.
const CELLS_LISTED: usize = 4;

/// One kind of warning and its cells.
struct Group<'a> {
    noticed: &'a ShownWarning,
    cells: Vec<String>,
    samples: usize,
    /// The samples of the first of these cells.
    series: Vec<f64>,
}

/// Returns a paragraph for each kind of warning.
pub(crate) fn warnings(document: &Document, names: &Names, view: View) -> String {
    let mut groups: Vec<Group> = Vec::new();
    for noticed in &document.warnings {
        groups.push(Group {
            noticed,
            cells: Vec::new(),
            samples: 0,
            series: Vec::new(),
        });
    }
    for index in &names.order {
        let cell = &document.cells[*index];
        let name = strip_control(&view.show(&names.argument(&cell.cell())));
        for noticed in &cell.warnings {
            let same_kind =
                |group: &&mut Group| group.noticed.warning.is_same_kind(&noticed.warning);
            match groups.iter_mut().find(same_kind) {
                Some(group) => {
                    group.cells.push(name.clone());
                    group.samples += noticed.samples;
                }
                None => groups.push(Group {
                    noticed,
                    cells: vec![name.clone()],
                    samples: noticed.samples,
                    series: series(cell, noticed),
                }),
            }
        }
    }
    let mut text = String::new();
    for group in &groups {
        text.push('\n');
        text.push_str(&warning(group, view));
    }
    text
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

/// Returns samples in the order of time, as a chart or a list.
fn series_words(series: &[f64], view: View) -> String {
    let values = series.iter().map(|value| view.digits(mib_per_s(*value)));
    let values: Vec<String> = values.collect();
    let end = |value: Option<&String>| value.cloned().unwrap_or_default();
    view.say(&match view.is_plain() {
        // Some languages have commas inside of numbers.
        true => Message::new("noticed-series").name("values", values.join("; ")),
        false => Message::new("noticed-series-chart")
            .name(
                "chart",
                sparkline(series, series.iter().copied().fold(0.0, f64::max)),
            )
            .name("first", end(values.first()))
            .name("last", end(values.last())),
    })
}

fn warning(group: &Group, view: View) -> String {
    let noticed = group.noticed;
    let message = match group.cells.first() {
        Some(first) => Message::new("noticed-warning-at").name("cell", first),
        None => Message::new("noticed-warning"),
    };
    let message = message.with("sentence", noticed.sentence.clone());
    let mut text = with_head(WARN, "", &view.say(&message), INDENT, view);
    let mut more = Vec::new();
    if group.series.len() > 1 {
        more.push(series_words(&group.series, view));
    }
    let also = also(group).map(|message| view.say(&message));
    let also: Vec<String> = also.collect();
    if !also.is_empty() {
        more.push(also.join("; "));
    }
    for remark in more {
        let remark = wrapped_from(INDENT, &strip_control(&remark), INDENT, view);
        text.extend(remark.lines().map(|line| paint(DIM, line) + "\n"));
    }
    if let Some(hint) = &noticed.hint_sentence {
        let hint = Message::new("noticed-hint").with("hint", hint.clone());
        text.push_str(&with_head(DIM, "   ", &view.say(&hint), INDENT, view));
    }
    text
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
        message.name("cells", named.join("; "))
    });
    samples.into_iter().chain(cells)
}
