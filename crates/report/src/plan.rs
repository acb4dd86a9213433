//! A study for a terminal, before it runs: its cells, how long it takes, what it would touch.

use std::time::Duration;

use serde::Serialize;
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::plan::{Study, pairs};

use crate::numbers::{size, span};
use crate::table::{Field, Side, Table};
use crate::text::{BOLD, DIM, harmless, paint};

/// What a study would do.
#[derive(Debug, Serialize)]
pub struct Plan<'a> {
    /// The version of this form.
    pub schema: u32,
    /// The question asked.
    pub question: Option<&'a str>,
    /// The shortest the run may take, in seconds.
    pub time_s_min: f64,
    /// The longest the run may take, in seconds.
    pub time_s_max: f64,
    /// The files that would be written to the target, in bytes together.
    pub files_bytes: u64,
    /// How many files these are.
    pub files_count: usize,
    /// Why this version cannot run it on this machine, if so.
    pub obstacle: Option<String>,
    /// The cells.
    pub cells: &'a [Cell],
}

/// Returns the plan as text.
pub fn plan(plan: &Plan, study: &Study) -> String {
    let mut text = String::new();
    if let Some(question) = plan.question {
        text.push_str(&format!("{}\n\n", paint(BOLD, &harmless(question))));
    }
    text.push_str(&stacks(study));
    text.push('\n');
    text.push_str(&matrix(study));
    text.push('\n');
    for (name, value) in summary(plan, study) {
        text.push_str(&format!(
            "{}  {}\n",
            paint(DIM, &format!("{name:<11}")),
            harmless(&value)
        ));
    }
    text
}

fn stacks(study: &Study) -> String {
    let mut table = Table::new(&[("stack", Side::Left), ("layers", Side::Left)]);
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
    table.finish()
}

/// Returns the cells as a table; where only the block size varies last, as a matrix of it.
fn matrix(study: &Study) -> String {
    let mut axes = varying_axes(&study.cells);
    if axes.is_empty() {
        axes = vec![Axis::Pattern, Axis::BlockSize];
    }
    let mut heads = vec![("cell", Side::Right)];
    heads.extend(axes.iter().map(|axis| (axis.key(), Side::Left)));
    heads.push(("compared with", Side::Left));
    let mut table = Table::new(&heads);
    let pairs = pairs(&study.cells, &study.compare.baseline);
    for (index, cell) in study.cells.iter().enumerate() {
        let mut row = vec![Field::styled(DIM, (index + 1).to_string())];
        row.extend(axes.iter().map(|axis| Field::plain(cell.value(*axis))));
        let baseline = pairs.iter().find(|pair| pair.other == index);
        row.push(Field::styled(
            DIM,
            baseline.map_or(String::new(), |pair| format!("cell {}", pair.baseline + 1)),
        ));
        table.row(row);
    }
    table.finish()
}

fn summary(plan: &Plan, study: &Study) -> Vec<(&'static str, String)> {
    let repeat = &study.repeat;
    let load = study.cells.first().map(|cell| &cell.workload.load);
    let mut lines = Vec::new();
    if let Some(load) = load {
        let fixed: Vec<String> = [
            Axis::Engine,
            Axis::Jobs,
            Axis::Depth,
            Axis::Size,
            Axis::Direct,
            Axis::Data,
        ]
        .into_iter()
        .filter(|axis| !varying_axes(&study.cells).contains(axis))
        .map(|axis| format!("{} {}", axis.key(), study.cells[0].value(axis)))
        .collect();
        let _ = load;
        lines.push(("in all cells", fixed.join(", ")));
    }
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
    let seconds = |time: f64| span(Duration::try_from_secs_f64(time).unwrap_or_default());
    lines.push((
        "time",
        format!(
            "{} to {} (budget {})",
            seconds(plan.time_s_min),
            seconds(plan.time_s_max),
            repeat.budget_ns
        ),
    ));
    lines.push((
        "touches",
        match &plan.obstacle {
            None => format!(
                "{} file(s), {} in all, in a directory of its own under --target; removed at the end",
                plan.files_count,
                size(plan.files_bytes)
            ),
            Some(obstacle) => format!("nothing here: {obstacle}"),
        },
    ));
    lines
}
