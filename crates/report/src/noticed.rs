//! The warnings about a run, for a terminal: each kind once, with its cells.

use stripewise_study::metric::Metric;
use stripewise_study::warning::Warning;

use crate::bar::sparkline;
use crate::document::{CellPart, Document, Noticed};
use crate::names::Names;
use crate::numbers::mib_per_s;
use crate::text::{DIM, WARN, paint, strip_control, wrapped, wrapped_from};
use crate::view::View;

/// The indent of the second and later lines of a warning.
const INDENT: &str = "         ";
/// The most samples in the order of time in a plain report.
const SERIES_MAX: usize = 30;

/// The most other cells that a warning names.
const CELLS_LISTED: usize = 4;

/// One kind of warning and its cells.
struct Group<'a> {
    noticed: &'a Noticed,
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
        let name = names.name(&cell.cell());
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
fn series(cell: &CellPart, noticed: &Noticed) -> Vec<f64> {
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
    let values: Vec<String> = series.iter().map(|value| mib_per_s(*value)).collect();
    match view.is_plain() {
        true => format!("in the order of time: {} MiB/s", values.join(", ")),
        false => format!(
            "in the order of time: {}  first {}, last {} MiB/s",
            sparkline(series, series.iter().copied().fold(0.0, f64::max)),
            values.first().map_or("", String::as_str),
            values.last().map_or("", String::as_str)
        ),
    }
}

fn warning(group: &Group, view: View) -> String {
    let mut text = String::new();
    let noticed = group.noticed;
    let head = paint(WARN, "warning:");
    let place = match group.cells.first() {
        Some(first) => format!("{first}: "),
        None => String::new(),
    };
    let message = strip_control(&format!("warning: {place}{}", view.say(&noticed.sentence)));
    text.push_str(&wrapped(&message, INDENT, view).replacen("warning:", &head, 1));
    let mut more = Vec::new();
    if group.series.len() > 1 {
        more.push(series_words(&group.series, view));
    }
    if let Some(also) = also(group) {
        more.push(also);
    }
    for remark in more {
        let remark = wrapped_from(INDENT, &strip_control(&remark), INDENT, view);
        text.extend(remark.lines().map(|line| paint(DIM, line) + "\n"));
    }
    if let Some(hint) = &noticed.hint_sentence {
        let hint = view.say(hint);
        let hint = wrapped_from("   ", &format!("hint: {hint}"), INDENT, view);
        text.push_str(&hint.replacen("hint:", &paint(DIM, "hint:"), 1));
    }
    text
}

/// Returns the number of samples with a warning, and the other cells that have it.
fn also(group: &Group) -> Option<String> {
    let mut parts = Vec::new();
    if group.samples > 0 {
        let fate = if group.noticed.invalidates {
            ", kept and not counted"
        } else {
            ""
        };
        parts.push(format!("{} sample(s){fate}", group.samples));
    }
    if group.cells.len() > 1 {
        let others: Vec<&str> = group.cells[1..]
            .iter()
            .take(CELLS_LISTED)
            .map(String::as_str)
            .collect();
        let rest = group.cells.len() - 1 - others.len();
        let rest = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        parts.push(format!("also at {}{rest}", others.join("; ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
