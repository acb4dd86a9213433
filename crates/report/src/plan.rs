//! A study for a terminal before it runs: its cells, its duration, and what it would write.

use std::time::Duration;

use serde::Serialize;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::plan::{Study, pairs};

use crate::numbers::{size, span};
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, named_lines, painted};
use crate::view::View;

/// The plan of a study.
#[derive(Debug, Serialize)]
pub struct Plan<'a> {
    /// The version of this document's format.
    pub schema: u32,
    /// The question asked.
    pub question: Option<&'a str>,
    /// The duration of the minimum number of samples of all cells, in seconds.
    pub time_s_min: f64,
    /// The duration of the maximum number of samples of all cells, in seconds; the budget may end
    /// the run earlier.
    pub time_s_max: f64,
    /// The total size of the files that would be written to the target.
    pub files_bytes: u64,
    /// The number of these files.
    pub files_count: usize,
    /// Why it cannot run on this machine in the metal world, if so.
    pub obstacle: Option<String>,
    /// Why it cannot run in the model world, if so.
    pub model_obstacle: Option<String>,
    /// Why it cannot run in the lab, if so.
    pub lab_obstacle: Option<String>,
    /// The cells.
    pub cells: &'a [Cell],
}

/// Returns the plan as text.
pub fn plan(plan: &Plan, study: &Study, view: View) -> String {
    let mut text = String::new();
    if let Some(question) = plan.question {
        text.push_str(&painted(BOLD, question, view));
        text.push('\n');
    }
    text.push_str(&stacks(study, view));
    text.push('\n');
    text.push_str(&matrix(study, view));
    text.push('\n');
    text.push_str(&named_lines(summary(plan, study), view));
    text
}

fn stacks(study: &Study, view: View) -> String {
    let mut table = Table::new([Column::words("stack"), Column::words("layers")]);
    let mut seen: Vec<&str> = Vec::new();
    for cell in &study.cells {
        if !seen.contains(&cell.stack.name.as_str()) {
            seen.push(&cell.stack.name);
            table.row(vec![
                Field::plain(&cell.stack.name),
                Field::plain(cell.stack.summary()),
            ]);
        }
    }
    table.finish(view)
}

/// The most columns of a matrix; longer lists are shown one cell per line.
const COLUMNS_MAX: usize = 12;

/// Returns the cells by their numbers: the last axis across, the others down.
fn matrix(study: &Study, view: View) -> String {
    let mut axes = varying_axes(&study.cells);
    if axes.is_empty() {
        axes = vec![Axis::Pattern, Axis::BlockSize];
    }
    let Some((across, down)) = axes.split_last() else {
        return String::new();
    };
    let columns = distinct(study.cells.iter().map(|cell| cell.value(*across)));
    if columns.len() > COLUMNS_MAX || view.is_plain() {
        return list(study, &axes, view);
    }
    let mut heads: Vec<Column> = down.iter().map(|axis| Column::group(axis.key())).collect();
    heads.extend(columns.iter().enumerate().map(|(index, value)| {
        let first = format!("{} {value}", across.key());
        Column::number(if index == 0 { &first } else { value })
    }));
    let key = |cell: &Cell| -> Vec<String> { down.iter().map(|axis| cell.value(*axis)).collect() };
    let mut table = Table::new(heads);
    for group in distinct(study.cells.iter().map(key)) {
        let mut row: Vec<Field> = group.iter().map(Field::plain).collect();
        row.extend(columns.iter().map(|column| {
            let is_here = |cell: &Cell| key(cell) == group && cell.value(*across) == *column;
            let number = study.cells.iter().position(is_here);
            Field::plain(number.map_or_else(String::new, |index| (index + 1).to_string()))
        }));
        table.row(row);
    }
    table.finish(view)
}

/// Returns the cells, one per line.
fn list(study: &Study, axes: &[Axis], view: View) -> String {
    let heads = axes.iter();
    let heads = heads.map(|axis| Column::words(axis.key()).named(&axis.key().replace('_', " ")));
    let mut table = Table::new(std::iter::once(Column::number("cell")).chain(heads));
    for (index, cell) in study.cells.iter().enumerate() {
        let mut row = vec![Field::styled(DIM, (index + 1).to_string())];
        row.extend(axes.iter().map(|axis| Field::plain(cell.value(*axis))));
        table.row(row);
    }
    table.finish(view)
}

/// Returns each value once, in the order of first occurrence.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

fn summary(plan: &Plan, study: &Study) -> Vec<(&'static str, String)> {
    let repeat = &study.repeat;
    let mut lines = Vec::new();
    if let Some(first) = study.cells.first() {
        let varying = varying_axes(&study.cells);
        let fixed: Vec<String> = [
            Axis::Engine,
            Axis::Jobs,
            Axis::Depth,
            Axis::Size,
            Axis::Direct,
            Axis::Data,
        ]
        .into_iter()
        .filter(|axis| !varying.contains(axis))
        .map(|axis| format!("{} {}", axis.key(), first.value(axis)))
        .collect();
        lines.push(("in all cells", fixed.join(", ")));
    }
    let compared = pairs(&study.cells, &study.compare.baseline).len();
    let baseline: Vec<String> = study
        .compare
        .baseline
        .iter()
        .map(|(axis, value)| format!("{} {value}", axis.key()))
        .collect();
    lines.push((
        "compared",
        match compared {
            0 => "nothing: `[compare]` names no baseline".to_owned(),
            count => format!(
                "{} of {count} cells with {}",
                study.compare.metric,
                baseline.join(", ")
            ),
        },
    ));
    lines.push((
        "samples",
        format!(
            "{} to {} of {} for each of {} cells after a warm-up, until within ±{}",
            repeat.at_least,
            repeat.at_most,
            repeat.sample_ns,
            study.cells.len(),
            repeat.interval_percent
        ),
    ));
    if plan.obstacle.is_none() || plan.model_obstacle.is_some() {
        lines.push(("time", time(plan, Duration::from(repeat.budget_ns))));
    }
    lines.extend(worlds(plan));
    lines.push(("touches", touches(plan, study)));
    lines
}

/// Returns which worlds can run the study, and why others cannot.
fn worlds(plan: &Plan) -> [(&'static str, String); 3] {
    let model = match &plan.model_obstacle {
        None => "model: yes, in seconds (`--world model`)".to_owned(),
        Some(obstacle) => format!("model: no: {obstacle}"),
    };
    let metal = match &plan.obstacle {
        None => "metal: yes".to_owned(),
        Some(obstacle) => format!("metal: not yet: {obstacle}"),
    };
    let lab = match &plan.lab_obstacle {
        None => "lab: yes, on disks that do not exist (`--world lab`)".to_owned(),
        Some(obstacle) => format!("lab: no: {obstacle}"),
    };
    [("worlds", model), ("", lab), ("", metal)]
}

/// Returns the devices or files that a run in the metal world would write.
fn touches(plan: &Plan, study: &Study) -> String {
    if plan.obstacle.is_some() {
        return "nothing".to_owned();
    }
    let mut parts = Vec::new();
    let devices: Vec<&str> = study
        .may_destroy
        .values()
        .flatten()
        .filter_map(|path| path.to_str())
        .collect();
    if !devices.is_empty() {
        parts.push(format!(
            "destroys all data on {}, after each is confirmed",
            devices.join(", ")
        ));
    }
    if plan.files_count > 0 {
        parts.push(format!(
            "{} file(s), {} in all, in a directory of its own under --target; removed at the end",
            plan.files_count,
            size(plan.files_bytes)
        ));
    }
    parts.join("; ")
}

fn time(plan: &Plan, budget: Duration) -> String {
    let (least, most) = (plan.time_s_min, plan.time_s_max);
    let of = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    if of(least) > budget {
        format!(
            "{}, the budget; the fewest samples of all cells would take {}",
            span(budget),
            span(of(least))
        )
    } else {
        format!(
            "{} to {} (budget {})",
            span(of(least)),
            span(of(most).min(budget)),
            span(budget)
        )
    }
}
