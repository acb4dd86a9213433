//! A run for a terminal: the question, a table with bars and intervals, verdicts, warnings, and the
//! next commands.

use std::fmt::Write as _;
use std::time::Duration;

use stripewise_results::RunState;
use stripewise_stats::Verdict;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Role;

use crate::bar::Bar;
use crate::change;
use crate::choice::chosen;
use crate::differences::differences;
use crate::document::{CellPart, Document, VerdictPart};
use crate::names::{Names, is_imported};
use crate::noticed::warnings;
pub use crate::numbers::span;
use crate::numbers::{Reading, UNKNOWN, rate, size};
use crate::over_time::over_time;
use crate::page::answer_of;
use crate::table::{Column, Field, Table};
use crate::text::{BAD, BOLD, DIM, GOOD, WARN, dimmed, paint, painted, strip_control, wrapped};
use crate::view::View;

/// Returns the report of a run.
///
/// `options` are the options that select the same store in a command: empty for the default store.
/// Of many cells only those that matter are listed, unless `all` is set.
pub fn report(document: &Document, options: &str, all: bool, view: View) -> String {
    let names = document.names();
    let mut text = heading(document, view);
    let chosen = match all {
        true => None,
        false => chosen(document, &names),
    };
    if let Some(chosen) = &chosen {
        text.push('\n');
        text.push_str(&answer(document, view));
        text.push('\n');
        let listed = format!(
            "{} of {} cells are listed: the {} and those with warnings. `stripewise show {} --all{options}` lists all.",
            chosen.len(),
            document.cells.len(),
            match document.cells.iter().any(|cell| !cell.verdicts.is_empty()) {
                true => "largest differences",
                false => "highest and lowest",
            },
            document.run.id
        );
        text.push_str(&dimmed(&listed, view));
    }
    if let Some(shared) = document.shared(&names) {
        text.push_str(&dimmed(&shared, view));
    }
    text.push('\n');
    let cells = cells(
        document,
        &names,
        chosen.as_ref().unwrap_or(&names.order),
        view,
    );
    text.push_str(&cells);
    text.push_str(&differences(document, view));
    text.push_str(&over_time(document, &names, view));
    text.push_str(&warnings(document, &names, view));
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
    let mut text = painted(BOLD, &document.title(), view);
    let mut parts = vec![format!("run {}", run.id), format!("world {}", run.world)];
    if !run.tags.is_empty() {
        parts.push(format!("tags {}", run.tags.join(", ")));
    }
    if let Some(model) = &run.model {
        parts.push(format!("kernel rules {}", model.rules_in_words()));
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
    if let Some(executed) = run.executed_ns {
        parts.push(span(Duration::from_nanos(executed)));
    }
    text.push_str(&dimmed(&parts.join(view.separator()), view));
    text.push_str(&dimmed(&machine(document).join(view.separator()), view));
    let unfinished = match run.state {
        RunState::Done => None,
        RunState::Running => Some("this run is still in progress".to_owned()),
        _ if is_imported(&run.world) => Some("the import of this run did not finish".to_owned()),
        RunState::Interrupted => Some(format!(
            "this run was interrupted: `stripewise resume {}` continues it",
            run.id
        )),
        RunState::Failed => Some(format!(
            "this run failed: `stripewise resume {}` continues it once the cause is fixed",
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

/// Returns the machine and software of a run, a few words each, as far as they are known.
pub fn machine(document: &Document) -> Vec<String> {
    let facts = &document.facts;
    let mut parts = Vec::new();
    let mut put = |part: Option<String>| parts.extend(part);
    put(facts.cpu.model.clone().map(|model| {
        let count = facts
            .cpu
            .logical_count
            .map_or(String::new(), |count| format!("{count} x "));
        // The description of a simulated host is a sentence.
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

/// The columns of a table of cells.
struct Layout {
    axes: Vec<Axis>,
    /// Single measurements have no intervals: a sentence replaces a column of question marks.
    has_intervals: bool,
    has_latency: bool,
    has_sync: bool,
    has_verdicts: bool,
    /// Whether to show bottlenecks, in place of values that follow from the other columns.
    has_limits: bool,
    bandwidth_max: f64,
}

impl Layout {
    fn new(document: &Document, names: &Names) -> Self {
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
        let mut bandwidths = document
            .cells
            .iter()
            .filter_map(|cell| cell.estimate(Metric::Bandwidth));
        Self {
            axes: names.axes.clone(),
            has_intervals: bandwidths.any(|estimate| estimate.interval.is_some()),
            has_latency: tells(Metric::LatencyP99),
            has_sync: tells(Metric::SyncLatencyP99),
            has_verdicts: document.cells.iter().any(|cell| !cell.verdicts.is_empty()),
            has_limits: document.cells.iter().any(|cell| cell.bottleneck.is_some()),
            bandwidth_max: ends.fold(0.0, f64::max),
        }
    }

    fn table(&self, baseline: &str, view: View) -> Table {
        let mut columns: Vec<Column> = self
            .axes
            .iter()
            .map(|axis| Column::group(&view.say(&axis.message())))
            .collect();
        columns.push(Column::number("MiB/s").named("bandwidth").unit("MiB/s"));
        columns.extend(self.has_intervals.then(Column::interval));
        columns.push(Column::bar());
        let time =
            |head: &str, metric: Metric| Column::number(head).named(&view.say(&metric.message()));
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
        columns.truncate(columns.len() - usize::from(!self.has_limits && !self.has_intervals));
        if self.has_verdicts {
            columns.push(Column::words(baseline));
        }
        Table::new(columns)
    }
}

/// Returns the table of the cells with these indices.
fn cells(document: &Document, names: &Names, listed: &[usize], view: View) -> String {
    let layout = Layout::new(document, names);
    let compare = &document.run.compare;
    let baseline: Vec<&str> = compare.baseline.values().map(String::as_str).collect();
    let metric = match compare.metric {
        Metric::Bandwidth => String::new(),
        metric => format!("{metric} "),
    };
    let mut table = layout.table(&format!("{metric}against {}", baseline.join(", ")), view);
    let mut before: Vec<String> = Vec::new();
    for cell in listed.iter().map(|index| &document.cells[*index]) {
        let values: Vec<String> = layout
            .axes
            .iter()
            .map(|axis| cell.cell().value(*axis))
            .collect();
        // A value is printed only where it changes: readers see groups without lines.
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
        row.extend(numbers(cell, &layout, document, view));
        let bandwidth = cell.estimate(Metric::Bandwidth);
        table.row_of_height(row, bandwidth.map_or(0.0, |estimate| estimate.value));
        before = values;
    }
    table.finish(view)
}

fn numbers(cell: &CellPart, layout: &Layout, document: &Document, view: View) -> Vec<Field> {
    let time = |metric: Metric| match cell.estimate(metric) {
        Some(estimate) => Field::plain(view.show(&metric.quantity(estimate.value))),
        None => Field::styled(DIM, "-"),
    };
    let mut fields = match cell.estimate(Metric::Bandwidth) {
        Some(estimate) => {
            let reading = Reading::new(Metric::Bandwidth, estimate);
            let mut fields = vec![Field::styled(BOLD, reading.value)];
            let half = Field::styled(DIM, reading.half);
            fields.extend(layout.has_intervals.then_some(half));
            fields.push(Field::bar(Bar::of_estimate(estimate, layout.bandwidth_max)));
            fields
        }
        None => {
            let blank = 1 + usize::from(layout.has_intervals);
            let mut fields = vec![Field::styled(WARN, "none")];
            fields.extend(std::iter::repeat_n(Field::plain(""), blank));
            fields
        }
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
    match (layout.has_limits, &cell.bottleneck) {
        (true, Some(bottleneck)) => fields.push(Field::plain(view.say(&bottleneck.brief()))),
        (true, None) => fields.push(Field::styled(DIM, "-")),
        (false, _) if layout.has_intervals => {
            fields.push(Field::styled(DIM, cell.counted().to_string()));
        }
        (false, _) => {}
    }
    if layout.has_verdicts {
        fields.push(verdict(cell, document, view));
    }
    fields
}

fn verdict(cell: &CellPart, document: &Document, view: View) -> Field {
    let Some(verdict) = cell.verdicts.first() else {
        let is_baseline = document.cells.iter().any(|other| {
            other
                .verdicts
                .iter()
                .any(|verdict| verdict.baseline == cell.index)
        });
        return Field::styled(DIM, if is_baseline { "baseline" } else { "" });
    };
    Field::styled(
        style(verdict, document.run.compare.metric),
        view.say(&change::brief(verdict)),
    )
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

fn footer(document: &Document, options: &str, view: View) -> String {
    let id = document.run.id;
    let mut text = String::new();
    if document.run.model.is_some() {
        text.push_str(&dimmed(
            "They are predictions: the interval covers the simulation only; errors of profiles and rules come on top (MODEL.md).",
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
        // One command per line, for copying.
        line(
            &mut text,
            &strip_control(&format!("  stripewise {command}{options}")),
        );
    }
    text
}

/// Returns the meaning of the numbers and intervals in the table `cells`.
fn meaning(document: &Document, cells: &str, view: View) -> String {
    let cells_known = document.cells.iter();
    let mut known = cells_known.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    if known.all(|estimate| estimate.interval.is_none()) {
        return "Too few samples for intervals: the variation between measurements is unknown."
            .to_owned();
    }
    let mut text = String::from(
        "Each value is the median of its samples. ± is the wider side of the interval that holds \
         that median in 95 of 100 such runs",
    );
    if cells.contains('░') {
        text.push_str("; a bar is solid to its low end, shaded to its high one");
    }
    text.push('.');
    let verdicts = document.cells.iter().flat_map(|cell| &cell.verdicts);
    if let Some(same) = change::meaning_of_same(verdicts) {
        text.push_str(&format!(" {}", view.say(&same)));
    }
    let estimates = document.cells.iter();
    let mut estimates = estimates.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    if !view.is_plain() && estimates.any(|estimate| estimate.interval.is_none()) {
        text.push_str(&format!(" {UNKNOWN}: too few samples for one."));
    }
    text
}

/// The number of cells less precise than the study requires, by remedy.
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

/// Returns an estimate in short form: `823 ±11 MiB/s`.
pub fn short_estimate(metric: Metric, estimate: &stripewise_stats::Estimate) -> String {
    Reading::new(metric, estimate).to_string()
}

/// Returns the answers of the run, a sentence each.
fn answer(document: &Document, view: View) -> String {
    let sentences = answer_of(document);
    let paragraphs = sentences
        .iter()
        .map(|message| wrapped(&strip_control(&view.say(message)), "", view));
    paragraphs.collect()
}
