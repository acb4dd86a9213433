//! A study for a terminal before it runs: its cells, its duration, and what it would write.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use stripewise_answer::{self as answer, Block, Column, Pair, Table, Tone};
use stripewise_catalogue::{Argument, Message, shipped};
use stripewise_study::cell::{Axis, Cell, varying_axes};
use stripewise_study::metric::Metric;
use stripewise_study::plan::{Study, pairs};
use stripewise_study::sample::as_f64;
use stripewise_study::trace::Trace;

use crate::names::value_of;
use crate::numbers::{size, span};

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
    pub obstacle: Option<Argument>,
    /// The directory for which that was checked; `None` if devices were.
    pub target: Option<&'a Path>,
    /// Why it cannot run in the model world, if so.
    pub model_obstacle: Option<Argument>,
    /// Why it cannot run in the lab, if so.
    pub lab_obstacle: Option<Argument>,
    /// The real time in the lab; `None` if it cannot run there, or if it names no devices.
    pub lab_time: Option<LabTime>,
    /// The cells.
    pub cells: &'a [Cell],
}

/// The real time of a study in a guest with virtual time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LabTime {
    /// That of the minimum number of samples of all cells, in seconds.
    pub time_s_min: f64,
    /// That of the maximum number of samples of all cells, in seconds.
    pub time_s_max: f64,
    /// The real seconds of each guest second.
    pub real_s_per_s: f64,
    /// The number of earlier samples that took so long; 0 if it is assumed.
    pub samples: usize,
}

impl LabTime {
    /// Returns the time and where it comes from, in words.
    pub fn in_words(&self, budget: Duration) -> Message {
        let pace = Argument::quantity(format!("{:.1}", self.real_s_per_s), "s");
        let basis = match self.samples {
            0 => Message::new("lab-time-assumed"),
            samples => Message::new("lab-time-measured").count("samples", samples),
        };
        Message::new("lab-time-is")
            .with("time", time(self.time_s_min, self.time_s_max, budget))
            .with("basis", basis.with("pace", pace))
    }
}

impl Plan<'_> {
    /// Returns the plan of a study.
    pub fn blocks(&self, study: &Study) -> Vec<Block> {
        let mut blocks = Vec::new();
        if let Some(question) = self.question {
            blocks.extend([Block::heading(shipped(question)), Block::Gap]);
        }
        blocks.extend([stacks(study).into(), Block::Gap]);
        blocks.extend([cells(study), Block::Gap]);
        blocks.push(Block::Pairs(summary(self, study)));
        blocks
    }
}

fn stacks(study: &Study) -> Table {
    let layers = Column::words("layers", Message::new("plan-layers"));
    let mut table = Table::new(
        "stacks",
        [Column::words("stack", Axis::Stack.message()), layers],
    );
    let mut seen: Vec<&str> = Vec::new();
    for cell in &study.cells {
        if !seen.contains(&cell.stack.name.as_str()) {
            seen.push(&cell.stack.name);
            table.row([
                answer::Cell::name(&cell.stack.name),
                answer::Cell::of(cell.stack.in_words()),
            ]);
        }
    }
    table
}

/// The most columns of a matrix; longer lists are shown one cell per line.
const COLUMNS_MAX: usize = 12;

/// Returns the cells by their numbers: as a matrix for eyes, if it is not too wide.
fn cells(study: &Study) -> Block {
    let mut axes = varying_axes(&study.cells);
    if axes.is_empty() {
        axes = vec![Axis::Pattern, Axis::BlockSize];
    }
    let told: Vec<Block> = vec![list(study, &axes).into()];
    let drawn = axes
        .split_last()
        .and_then(|(across, down)| matrix(study, *across, down));
    Block::Forms {
        drawn: drawn.map_or_else(|| told.clone(), |matrix| vec![matrix.into()]),
        told,
    }
}

/// Returns the cells by their numbers: the last axis across, the others down.
fn matrix(study: &Study, across: Axis, down: &[Axis]) -> Option<Table> {
    let columns = distinct(study.cells.iter().map(|cell| cell.value(across)));
    if columns.len() > COLUMNS_MAX {
        return None;
    }
    let mut heads: Vec<Column> = down.iter().map(head).collect();
    heads.extend(
        columns
            .iter()
            .enumerate()
            .map(|(index, value)| match index {
                0 => Column::number(value.clone(), across.named(value.clone())),
                _ => Column::number(value.clone(), Argument::Name(value.clone())),
            }),
    );
    let key = |cell: &Cell| -> Vec<String> { down.iter().map(|axis| cell.value(*axis)).collect() };
    let groups = distinct(study.cells.iter().map(key));
    if study.cells.len() > 1 && groups.len() == study.cells.len() {
        // Loads that differ in several keys: each row would have one number.
        return None;
    }
    let mut table = Table::new("cells", heads);
    for group in groups {
        let mut row: Vec<answer::Cell> = group.iter().map(|value| value_of(value)).collect();
        row.extend(columns.iter().map(|column| {
            let is_here = |cell: &Cell| key(cell) == group && cell.value(across) == *column;
            let number = study.cells.iter().position(is_here);
            number.map_or_else(answer::Cell::empty, |index| answer::Cell::name(index + 1))
        }));
        table.row(row);
    }
    Some(table)
}

fn head(axis: &Axis) -> Column {
    Column::group(axis.key(), axis.message())
}

/// Returns the cells, one per line.
fn list(study: &Study, axes: &[Axis]) -> Table {
    let heads = axes
        .iter()
        .map(|axis| Column::words(axis.key(), axis.message()));
    let number = Column::number("cell", Message::new("plan-cell"));
    let mut table = Table::new("cells", std::iter::once(number).chain(heads));
    for (index, cell) in study.cells.iter().enumerate() {
        let number = answer::Cell::name(index + 1).tone(Tone::Dim);
        let values = axes.iter().map(|axis| value_of(&cell.value(*axis)));
        table.row(std::iter::once(number).chain(values));
    }
    table
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

/// Returns the lines below the cells, each with its name.
fn summary(plan: &Plan, study: &Study) -> Vec<Pair> {
    let mut lines: Vec<(&'static str, Argument)> = Vec::new();
    if let Some(first) = study.cells.first() {
        lines.push(("plan-in-all-cells", in_all_cells(first, study)));
    }
    lines.extend(traces(study));
    lines.push(("plan-compared", compared(study).into()));
    lines.push(("plan-samples", samples(study).into()));
    let budget = Duration::from(study.repeat.budget_ns);
    if plan.obstacle.is_none() || plan.model_obstacle.is_some() {
        let time = time(plan.time_s_min, plan.time_s_max, budget);
        lines.push(("plan-time", time.into()));
    }
    if let Some(lab_time) = plan.lab_time {
        lines.push(("plan-lab-time", lab_time.in_words(budget).into()));
    }
    lines.extend(worlds(plan));
    lines.push(("plan-touches", touches(plan, study)));
    let pair = |(id, value): (&'static str, Argument)| Pair {
        name: (!id.is_empty()).then(|| Message::new(id).into()),
        value,
    };
    lines.into_iter().map(pair).collect()
}

/// Returns the settings that readers look for first, if they are the same in all cells.
fn in_all_cells(first: &Cell, study: &Study) -> Argument {
    let varying = varying_axes(&study.cells);
    let axes = [
        Axis::Engine,
        Axis::Jobs,
        Axis::Depth,
        Axis::Size,
        Axis::Direct,
        Axis::Data,
    ];
    let fixed = axes.into_iter().filter(|axis| !varying.contains(axis));
    Argument::list(fixed.map(|axis| axis.named(first.value(axis))))
}

/// Returns a line for each trace that the study replays.
fn traces(study: &Study) -> Vec<(&'static str, Argument)> {
    let mut seen: Vec<&Trace> = Vec::new();
    for trace in study
        .cells
        .iter()
        .filter_map(|cell| cell.workload.trace.as_ref())
    {
        if !seen.contains(&trace) {
            seen.push(trace);
        }
    }
    let line = |trace: &Trace| {
        let message = match trace.is_timed() {
            true => Message::new("plan-trace-kept"),
            false => Message::new("plan-trace-flat-out"),
        };
        let message = message
            .name("file", &trace.query.file)
            .count("reads", trace.reads)
            .count("writes", trace.writes)
            .count("flushes", trace.flushes)
            .with(
                "time",
                Metric::LatencyMean.quantity(as_f64(trace.last_at_ns.as_u64())),
            )
            .digits("size", size(trace.size_bytes.as_u64()))
            .count("left_out", trace.left_out.values().sum::<u64>());
        ("plan-trace", message.into())
    };
    seen.into_iter().map(line).collect()
}

fn compared(study: &Study) -> Message {
    let baseline = &study.compare.baseline;
    match pairs(&study.cells, baseline).len() {
        0 => Message::new("plan-compared-nothing"),
        count => {
            // The name of a stack or workload does not show which of the two it names.
            let baseline = baseline.iter().map(|(axis, value)| {
                Message::new("named-value")
                    .with("axis", axis.message())
                    .name("value", value)
            });
            Message::new("plan-compared-with")
                .with("metric", study.compare.metric.message())
                .count("count", count)
                .with("baseline", Argument::list(baseline))
        }
    }
}

fn samples(study: &Study) -> Message {
    let repeat = &study.repeat;
    Message::new("plan-samples-of")
        .digits("least", repeat.at_least)
        .digits("most", repeat.at_most)
        .name("time", repeat.sample_ns)
        .count("count", study.cells.len())
        .digits("interval", repeat.interval_percent)
}

/// Returns which worlds can run the study, and why others cannot.
fn worlds(plan: &Plan) -> [(&'static str, Argument); 3] {
    let world = |obstacle: &Option<Argument>, can: &'static str, cannot: &'static str| {
        let message = match obstacle {
            None => Message::new(can),
            Some(why) => Message::new(cannot).with("why", why.clone()),
        };
        Argument::from(message)
    };
    let metal = match (plan.target, &plan.obstacle) {
        (Some(target), None) => {
            let message = Message::new("plan-metal-here");
            message.name("target", target.display()).into()
        }
        _ => world(&plan.obstacle, "plan-metal", "plan-metal-not"),
    };
    [
        (
            "plan-worlds",
            world(&plan.model_obstacle, "plan-model", "plan-model-not"),
        ),
        ("", world(&plan.lab_obstacle, "plan-lab", "plan-lab-not")),
        ("", metal),
    ]
}

/// Returns the devices or files that a run in the metal world would write.
fn touches(plan: &Plan, study: &Study) -> Argument {
    let mut parts: Vec<Message> = Vec::new();
    let devices: Vec<&str> = study
        .may_destroy
        .values()
        .flatten()
        .filter_map(|path| path.to_str())
        .collect();
    if plan.obstacle.is_none() && !devices.is_empty() {
        let devices = devices
            .into_iter()
            .map(|path| Argument::Name(path.to_owned()));
        parts.push(Message::new("plan-touches-devices").with("devices", Argument::list(devices)));
    }
    if plan.obstacle.is_none() && plan.files_count > 0 {
        parts.push(
            Message::new("plan-touches-files")
                .count("count", plan.files_count)
                .digits("size", size(plan.files_bytes)),
        );
    }
    match parts.is_empty() {
        true => Message::new("plan-touches-nothing").into(),
        false => Argument::list(parts),
    }
}

/// Returns a time in words: from `least` to `most` seconds, unless the budget ends the run earlier.
fn time(least: f64, most: f64, budget: Duration) -> Message {
    let of = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let (least_span, most_span) = (span(of(least)), span(of(most).min(budget)));
    let message = match of(least) > budget {
        true => Message::new("plan-time-short"),
        false if least_span == most_span => Message::new("plan-time-about"),
        false => Message::new("plan-time-range").name("most", most_span),
    };
    message
        .name("least", least_span)
        .name("budget", span(budget))
}
