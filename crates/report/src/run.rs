//! A run for a terminal: the question, a table with bars and intervals, verdicts, warnings, and how
//! to go on.

use std::fmt::Write as _;
use std::time::Duration;

use stripewise_results::RunState;
use stripewise_stats::Verdict;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Role;
use stripewise_study::warning::Warning;

use crate::bar::{Bar, sparkline};
use crate::differences::differences;
use crate::document::{CellPart, Document, Noticed, VerdictPart, is_imported};
pub use crate::numbers::span;
use crate::numbers::{Reading, UNKNOWN, mib_per_s, rate, size};
use crate::over_time::over_time;
use crate::table::{Column, Field, Table};
use crate::text::{
    BAD, BOLD, DIM, GOOD, WARN, dimmed, harmless, paint, painted, wrapped, wrapped_from,
};
use crate::view::View;

/// Returns the whole report of a run.
///
/// `options` is what follows a command of ours to reach the same store: empty for the default one.
pub fn report(document: &Document, options: &str, view: View) -> String {
    let mut text = heading(document, view);
    text.push('\n');
    let cells = cells(document, view);
    text.push_str(&cells);
    text.push_str(&differences(document, view));
    text.push_str(&over_time(document, &Layout::new(document).axes, view));
    text.push_str(&warnings(document, view));
    text.push('\n');
    text.push_str(&dimmed(&meaning(document, &cells, view), view));
    text.push_str(&footer(document, options, view));
    text
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn heading(document: &Document, view: View) -> String {
    let run = &document.run;
    let question = run.question.as_ref().unwrap_or(&run.study);
    let mut text = painted(BOLD, question, view);
    let mut parts = vec![format!("run {}", run.id), format!("world {}", run.world)];
    if let Some(model) = &run.model {
        parts.push(format!("kernel rules {}", model.kernel));
        parts.push(format!("host profile {}", model.host));
        parts.push(format!("device profiles {}", model.devices.join(", ")));
    }
    parts.extend(target(document));
    parts.push(format!(
        "{} cells, {} of {} samples count",
        document.cells.len(),
        run.samples_counted,
        run.samples_all
    ));
    if let Some(ended) = run.ended_unix_ns {
        let took = Duration::from_nanos(ended.saturating_sub(run.started_unix_ns));
        parts.push(span(took));
    }
    text.push_str(&dimmed(&parts.join(view.separator()), view));
    text.push_str(&dimmed(&machine(document).join(view.separator()), view));
    let unfinished = match run.state {
        RunState::Done => None,
        RunState::Running => Some("this run is still going on".to_owned()),
        _ if is_imported(&run.world) => Some("the import of this run did not end".to_owned()),
        RunState::Interrupted => Some(format!(
            "this run was interrupted: `stripewise resume {}` goes on",
            run.id
        )),
        RunState::Failed => Some(format!(
            "this run failed: `stripewise resume {}` goes on when the cause is gone",
            run.id
        )),
    };
    if let Some(unfinished) = unfinished {
        text.push_str(&painted(WARN, &unfinished, view));
    }
    text
}

fn target(document: &Document) -> Option<String> {
    let target = document.facts.target.as_ref()?;
    let mut text = target.path.clone();
    if let Some(filesystem) = &target.filesystem {
        write!(text, " ({filesystem}").ok()?;
        if let Some(source) = &target.source {
            write!(text, " on {source}").ok()?;
        }
        text.push(')');
    }
    Some(text)
}

/// Returns what a run was measured on and with, a few words each, as far as it is known.
pub fn machine(document: &Document) -> Vec<String> {
    let facts = &document.facts;
    let mut parts = Vec::new();
    let mut put = |part: Option<String>| parts.extend(part);
    put(facts.cpu.model.clone().map(|model| {
        let count = facts
            .cpu
            .logical_count
            .map_or(String::new(), |count| format!("{count} x "));
        // A simulated host is described by a sentence.
        format!("{count}{}", model.trim_end_matches('.'))
    }));
    put(facts
        .cpu
        .governor
        .as_ref()
        .map(|governor| format!("governor {governor}")));
    put(facts
        .memory_bytes
        .map(|bytes| format!("{} memory", size(bytes.as_u64()))));
    put(facts
        .kernel
        .as_ref()
        .filter(|_| document.run.model.is_none())
        .map(|kernel| format!("Linux {kernel}")));
    put(facts
        .hypervisor
        .as_ref()
        .map(|hypervisor| format!("virtual ({hypervisor})")));
    put(facts.tools.get("fio").cloned());
    put(Some(format!(
        "stripewise {}",
        document.run.stripewise_version
    )));
    let is_seeded = !is_imported(&document.run.world);
    put(is_seeded.then(|| format!("seed {}", document.run.seed)));
    parts
}

/// Which columns a table of cells has.
struct Layout {
    axes: Vec<Axis>,
    has_latency: bool,
    has_sync: bool,
    has_verdicts: bool,
    /// What limits stands in place of what can be worked out from the other columns.
    has_limits: bool,
    bandwidth_max: f64,
}

impl Layout {
    fn new(document: &Document) -> Self {
        let mut axes = document.axes();
        axes.retain(|axis| !follows_from_workload(document, *axis));
        if axes.is_empty() {
            axes = vec![Axis::Pattern, Axis::BlockSize];
        }
        let tells = |metric| {
            document
                .cells
                .iter()
                .any(|cell| cell.estimate(metric).is_some())
        };
        let ends = document.cells.iter().filter_map(|cell| {
            let estimate = cell.estimate(Metric::Bandwidth)?;
            Some(
                estimate
                    .interval
                    .map_or(estimate.value, |interval| interval.high),
            )
        });
        Self {
            axes,
            has_latency: tells(Metric::LatencyP99),
            has_sync: tells(Metric::SyncLatencyP99),
            has_verdicts: document.cells.iter().any(|cell| !cell.verdicts.is_empty()),
            has_limits: document.cells.iter().any(|cell| cell.bottleneck.is_some()),
            bandwidth_max: ends.fold(0.0, f64::max),
        }
    }

    fn table(&self, baseline: &str) -> Table {
        let mut columns: Vec<Column> = self
            .axes
            .iter()
            .map(|axis| Column::group(axis.key()).named(&axis.key().replace('_', " ")))
            .collect();
        columns.extend([
            Column::number("MiB/s").named("bandwidth").unit("MiB/s"),
            Column::interval(),
            Column::bar(),
        ]);
        let time = |head: &str, metric: Metric| Column::number(head).named(metric.words());
        if !self.has_limits {
            columns.push(Column::number("IOPS").named("I/Os per second").optional(1));
        }
        if self.has_latency && !self.has_limits {
            columns.push(time("p50", Metric::LatencyP50).optional(2));
        }
        if self.has_latency {
            columns.push(time("p99", Metric::LatencyP99).optional(3));
        }
        if self.has_sync {
            columns.push(time("sync p99", Metric::SyncLatencyP99));
        }
        columns.push(match self.has_limits {
            true => Column::words("limited by"),
            false => Column::number("n").named("samples"),
        });
        if self.has_verdicts {
            columns.push(Column::words(baseline));
        }
        Table::new(columns)
    }
}

/// Returns whether the name of the workload tells the value along `axis` already.
fn follows_from_workload(document: &Document, axis: Axis) -> bool {
    if matches!(axis, Axis::Stack | Axis::Workload) || !document.axes().contains(&Axis::Workload) {
        return false;
    }
    let cells: Vec<_> = document.cells.iter().map(CellPart::cell).collect();
    cells.iter().all(|cell| {
        let same =
            |other: &&stripewise_study::cell::Cell| other.workload.name == cell.workload.name;
        cells
            .iter()
            .filter(same)
            .all(|other| other.value(axis) == cell.value(axis))
    })
}

fn cells(document: &Document, view: View) -> String {
    let layout = Layout::new(document);
    let compare = &document.run.compare;
    let baseline: Vec<&str> = compare.baseline.values().map(String::as_str).collect();
    let metric = match compare.metric {
        Metric::Bandwidth => String::new(),
        metric => format!("{metric} "),
    };
    let mut table = layout.table(&format!("{metric}against {}", baseline.join(", ")));
    let mut before: Vec<String> = Vec::new();
    for cell in &document.cells {
        let values: Vec<String> = layout
            .axes
            .iter()
            .map(|axis| cell.cell().value(*axis))
            .collect();
        // A value is written where it changes: the eye finds groups without lines.
        let first = values
            .iter()
            .zip(&before)
            .position(|(value, before)| value != before)
            .unwrap_or(0);
        let mut row: Vec<Field> = (0..)
            .zip(&values)
            .map(|(column, value)| {
                let is_new = column >= first || before.is_empty();
                Field::plain(value.as_str()).repeated(!is_new)
            })
            .collect();
        row.extend(numbers(cell, &layout, document));
        let bandwidth = cell.estimate(Metric::Bandwidth);
        table.row_of_height(row, bandwidth.map_or(0.0, |estimate| estimate.value));
        before = values;
    }
    table.finish(view)
}

fn numbers(cell: &CellPart, layout: &Layout, document: &Document) -> Vec<Field> {
    let time = |metric: Metric| match cell.estimate(metric) {
        Some(estimate) => Field::plain(metric.quantity(estimate.value)),
        None => Field::styled(DIM, "-"),
    };
    let mut fields = match cell.estimate(Metric::Bandwidth) {
        Some(estimate) => {
            let reading = Reading::new(Metric::Bandwidth, estimate);
            vec![
                Field::styled(BOLD, reading.value),
                Field::styled(DIM, reading.half),
                Field::bar(Bar::of_estimate(estimate, layout.bandwidth_max)),
            ]
        }
        None => vec![
            Field::styled(WARN, "none"),
            Field::plain(""),
            Field::plain(""),
        ],
    };
    if !layout.has_limits {
        fields.push(match cell.estimate(Metric::Iops) {
            Some(estimate) => Field::plain(rate(estimate.value)),
            None => Field::styled(DIM, "-"),
        });
    }
    if layout.has_latency && !layout.has_limits {
        fields.push(time(Metric::LatencyP50));
    }
    if layout.has_latency {
        fields.push(time(Metric::LatencyP99));
    }
    if layout.has_sync {
        fields.push(time(Metric::SyncLatencyP99));
    }
    fields.push(match (layout.has_limits, &cell.bottleneck) {
        (true, Some(bottleneck)) => Field::plain(bottleneck.brief()),
        (true, None) => Field::styled(DIM, "-"),
        (false, _) => Field::styled(DIM, cell.counted().to_string()),
    });
    if layout.has_verdicts {
        fields.push(verdict(cell, document));
    }
    fields
}

fn verdict(cell: &CellPart, document: &Document) -> Field {
    let Some(verdict) = cell.verdicts.first() else {
        let is_baseline = document.cells.iter().any(|other| {
            other
                .verdicts
                .iter()
                .any(|verdict| verdict.baseline == cell.index)
        });
        return Field::styled(DIM, if is_baseline { "baseline" } else { "" });
    };
    Field::styled(style(verdict, document.run.compare.metric), &verdict.words)
}

/// Colours a verdict; its words say the same.
pub(crate) fn style(verdict: &VerdictPart, metric: Metric) -> anstyle::Style {
    match verdict.verdict {
        Verdict::Different { low, .. } if (low >= 1.0) == metric.higher_is_better() => GOOD,
        Verdict::Different { .. } => BAD,
        Verdict::NoDifference { .. } => anstyle::Style::new(),
        Verdict::CannotTell { .. } => DIM,
    }
}

/// What stands before the second and later lines of a warning.
const INDENT: &str = "         ";
/// How many samples in the order of time a plain report lists.
const SERIES_MAX: usize = 30;

/// One kind of warning and the cells at which it was noticed.
struct Group<'a> {
    noticed: &'a Noticed,
    cells: Vec<String>,
    samples: usize,
    /// What the first of these cells gave, sample by sample.
    series: Vec<f64>,
}

fn warnings(document: &Document, view: View) -> String {
    let axes = Layout::new(document).axes;
    let mut groups: Vec<Group> = Vec::new();
    for noticed in &document.warnings {
        groups.push(Group {
            noticed,
            cells: Vec::new(),
            samples: 0,
            series: Vec::new(),
        });
    }
    for cell in &document.cells {
        let name = cell_name(&cell.cell(), &axes);
        for noticed in &cell.warnings {
            let same_kind = |group: &&mut Group| {
                std::mem::discriminant(&group.noticed.warning)
                    == std::mem::discriminant(&noticed.warning)
            };
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

/// Returns the bandwidth of the samples that count, in the order of time, where a warning is about
/// their order.
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

/// Returns samples in the order of time, drawn or told.
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
    let message = harmless(&format!("warning: {place}{}", noticed.message));
    text.push_str(&wrapped(&message, INDENT, view).replacen("warning:", &head, 1));
    let mut more = Vec::new();
    if group.series.len() > 1 {
        more.push(series_words(&group.series, view));
    }
    if let Some(also) = also(group) {
        more.push(also);
    }
    for remark in more {
        let remark = wrapped_from(INDENT, &harmless(&remark), INDENT, view);
        text.extend(remark.lines().map(|line| paint(DIM, line) + "\n"));
    }
    if let Some(hint) = noticed.hint {
        let hint = wrapped_from("   ", &format!("hint: {hint}"), INDENT, view);
        text.push_str(&hint.replacen("hint:", &paint(DIM, "hint:"), 1));
    }
    text
}

/// Returns how many samples a warning is about, and at which other cells it was noticed.
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
            .take(4)
            .map(String::as_str)
            .collect();
        let rest = group.cells.len() - 1 - others.len();
        let rest = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        parts.push(format!("also at {}{rest}", others.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn footer(document: &Document, options: &str, view: View) -> String {
    let id = document.run.id;
    let mut text = String::new();
    if document.run.model.is_some() {
        text.push_str(&dimmed(
            "They are predictions: the interval is the simulation's own; how far profiles and rules are off comes on top (MODEL.md).",
            view,
        ));
    }
    let mut next = vec![
        format!("show {id} --json"),
        format!("compare {id} OTHER-RUN"),
    ];
    if document.run.world == "fio-import" {
        text.push_str(&dimmed(
            "Six samples of a cell make an interval: import the files of repeated runs together.",
            view,
        ));
    } else if !is_imported(&document.run.world) {
        let open = OpenQuestions::count(document);
        text.push_str(&open.words(document, view));
        if open.wide > 0 {
            next.insert(0, format!("resume {id} --budget TIME"));
        }
    }
    line(&mut text, &paint(DIM, "Next:"));
    for command in next {
        // One command a line, so that it can be copied.
        line(
            &mut text,
            &harmless(&format!("  stripewise {command}{options}")),
        );
    }
    text
}

/// Returns what the numbers and their intervals in the table `cells` are.
fn meaning(document: &Document, cells: &str, view: View) -> String {
    let mut text = String::from(
        "Each value is the median of its samples. ± is the wider side of the interval that holds \
         that median in 95 of 100 such runs",
    );
    if cells.contains('░') {
        text.push_str("; a bar is solid to its low end, shaded to its high one");
    }
    text.push('.');
    let estimates = document.cells.iter();
    let mut estimates = estimates.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    if !view.is_plain() && estimates.any(|estimate| estimate.interval.is_none()) {
        text.push_str(&format!(" {UNKNOWN}: too few samples for one."));
    }
    text
}

/// How many cells are not as sure as the study asked, by what would help.
#[derive(Default)]
struct OpenQuestions {
    /// More samples would narrow them.
    wide: usize,
    /// They have as many samples as the study allows.
    full: usize,
    /// None of their samples counts.
    empty: usize,
}

impl OpenQuestions {
    fn count(document: &Document) -> Self {
        let repeat = &document.run.repeat;
        let mut open = Self::default();
        for cell in &document.cells {
            let half = cell
                .estimate(document.run.compare.metric)
                .or_else(|| cell.estimate(Metric::Bandwidth))
                .and_then(|estimate| estimate.relative_half_width());
            let attempts = cell
                .samples
                .iter()
                .filter(|sample| sample.role == Role::Counted);
            let counted = u32::try_from(cell.counted()).unwrap_or(u32::MAX);
            if half.is_some_and(|half| half <= repeat.interval_percent.as_fraction()) {
                continue;
            } else if counted == 0 && attempts.count() > 0 {
                open.empty += 1;
            } else if counted >= repeat.at_most {
                open.full += 1;
            } else {
                open.wide += 1;
            }
        }
        open
    }

    fn words(&self, document: &Document, view: View) -> String {
        let (cells, repeat) = (document.cells.len(), &document.run.repeat);
        let (width, most) = (repeat.interval_percent, repeat.at_most);
        let lines = [
            (
                self.empty,
                format!(
                    "{} of {cells} cells have no sample that counts: see the warnings.",
                    self.empty
                ),
            ),
            (
                self.full,
                format!(
                    "{} of {cells} cells are not within ±{width} after {most} samples, the most the study allows.",
                    self.full
                ),
            ),
            (
                self.wide,
                format!(
                    "{} of {cells} cells are not within ±{width} yet; more time narrows them.",
                    self.wide
                ),
            ),
        ];
        lines
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(_, words)| wrapped(words, "", view))
            .collect()
    }
}

/// Returns a cell in the words in which the cells of its study differ: `randread 64K`.
pub fn cell_name(cell: &stripewise_study::cell::Cell, axes: &[Axis]) -> String {
    let fallback = [Axis::Pattern, Axis::BlockSize];
    let axes = if axes.is_empty() { &fallback } else { axes };
    let values: Vec<String> = axes
        .iter()
        .map(|axis| cell.value(*axis))
        .filter(|value| value != "-")
        .collect();
    harmless(&values.join(" "))
}

/// Returns an estimate in a few words: `823 ±11 MiB/s`.
pub fn short_estimate(metric: Metric, estimate: &stripewise_stats::Estimate) -> String {
    Reading::new(metric, estimate).to_string()
}
