//! A run for a terminal: the question, a table with bars and intervals, verdicts, warnings, and how
//! to go on.

use std::fmt::Write as _;
use std::time::Duration;

use stripewise_results::RunState;
use stripewise_stats::Verdict;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Role;

use crate::bar::bar;
use crate::document::{CellPart, Document, Noticed, VerdictPart};
pub use crate::numbers::span;
use crate::numbers::{mib_per_s, plus_minus, rate, size};
use crate::table::{Field, Side, Table};
use crate::text::{BAD, BOLD, DIM, GOOD, WARN, dimmed, harmless, paint, wrapped};

/// How long the longest bar is.
const BAR_WIDTH: u16 = 12;
/// The same in a table that says what limits, which must fit 80 columns.
const BAR_WIDTH_NARROW: u16 = 8;

/// Returns the whole report of a run.
///
/// `options` is what follows a command of ours to reach the same store: empty for the default one.
pub fn report(document: &Document, options: &str) -> String {
    let mut text = heading(document);
    text.push('\n');
    text.push_str(&cells(document));
    text.push_str(&warnings(document));
    text.push_str(&footer(document, options));
    text
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn heading(document: &Document) -> String {
    let run = &document.run;
    let mut text = String::new();
    let question = run.question.as_ref().unwrap_or(&run.study);
    line(&mut text, &paint(BOLD, &harmless(question)));
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
    text.push_str(&dimmed(&parts.join(" · ")));
    text.push_str(&dimmed(&machine(document).join(" · ")));
    let unfinished = match run.state {
        RunState::Done => None,
        RunState::Running => Some("this run is still going on".to_owned()),
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
        line(&mut text, &paint(WARN, &unfinished));
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

fn machine(document: &Document) -> Vec<String> {
    let facts = &document.facts;
    let mut parts = Vec::new();
    let mut put = |part: Option<String>| parts.extend(part);
    put(facts.cpu.model.clone().map(|model| {
        let count = facts
            .cpu
            .logical_count
            .map_or(String::new(), |count| format!("{count} x "));
        format!("{count}{model}")
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
    put((document.run.world != "fio-import").then(|| format!("seed {}", document.run.seed)));
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

    fn bar_width(&self) -> u16 {
        match self.has_limits {
            true => BAR_WIDTH_NARROW,
            false => BAR_WIDTH,
        }
    }

    fn table(&self, baseline: &str) -> Table {
        let mut heads: Vec<(&str, Side)> = self
            .axes
            .iter()
            .map(|axis| (axis.key(), Side::Left))
            .collect();
        heads.extend([
            ("MiB/s", Side::Right),
            ("", Side::Left),
            ("interval", Side::Right),
        ]);
        if !self.has_limits {
            heads.push(("IOPS", Side::Right));
        }
        if self.has_latency && !self.has_limits {
            heads.push(("p50", Side::Right));
        }
        if self.has_latency {
            heads.push(("p99", Side::Right));
        }
        if self.has_sync {
            heads.push(("sync p99", Side::Right));
        }
        heads.push(match self.has_limits {
            true => ("limited by", Side::Left),
            false => ("n", Side::Right),
        });
        if self.has_verdicts {
            heads.push((baseline, Side::Left));
        }
        Table::new(&heads)
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

fn cells(document: &Document) -> String {
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
                Field::plain(if is_new { value.as_str() } else { "" })
            })
            .collect();
        row.extend(numbers(cell, &layout, document));
        table.row(row);
        before = values;
    }
    table.finish()
}

fn numbers(cell: &CellPart, layout: &Layout, document: &Document) -> Vec<Field> {
    let time = |metric: Metric| match cell.estimate(metric) {
        Some(estimate) => Field::plain(metric.quantity(estimate.value)),
        None => Field::styled(DIM, "-"),
    };
    let mut fields = match cell.estimate(Metric::Bandwidth) {
        Some(estimate) => vec![
            Field::styled(BOLD, mib_per_s(estimate.value)),
            Field::plain(bar(estimate, layout.bandwidth_max, layout.bar_width())),
            Field::styled(DIM, plus_minus(estimate)),
        ],
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

/// One kind of warning and the cells at which it was noticed.
struct Group<'a> {
    noticed: &'a Noticed,
    cells: Vec<String>,
    samples: usize,
}

fn warnings(document: &Document) -> String {
    let axes = Layout::new(document).axes;
    let mut groups: Vec<Group> = Vec::new();
    for noticed in &document.warnings {
        groups.push(Group {
            noticed,
            cells: Vec::new(),
            samples: 0,
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
                }),
            }
        }
    }
    let mut text = String::new();
    for group in &groups {
        text.push('\n');
        text.push_str(&warning(group));
    }
    text
}

fn warning(group: &Group) -> String {
    let mut text = String::new();
    let noticed = group.noticed;
    let head = paint(WARN, "warning:");
    let place = match group.cells.first() {
        Some(first) => format!("{first}: "),
        None => String::new(),
    };
    let message = harmless(&format!("warning: {place}{}", noticed.message));
    text.push_str(&wrapped(&message, INDENT).replacen("warning:", &head, 1));
    let mut more = Vec::new();
    if group.samples > 0 {
        let fate = if noticed.invalidates {
            ", kept and not counted"
        } else {
            ""
        };
        more.push(format!("{} sample(s){fate}", group.samples));
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
        more.push(format!("also at {}{rest}", others.join(", ")));
    }
    if !more.is_empty() {
        line(
            &mut text,
            &format!("         {}", paint(DIM, &harmless(&more.join("; ")))),
        );
    }
    if let Some(hint) = noticed.hint {
        let hint = wrapped(&format!("hint: {hint}"), INDENT);
        text.push_str("   ");
        text.push_str(&hint.replacen("hint:", &paint(DIM, "hint:"), 1));
    }
    text
}

fn footer(document: &Document, options: &str) -> String {
    let id = document.run.id;
    let mut text = String::from("\n");
    let meaning = "Each value is the median of its samples; the interval holds that median in 95 of 100 such runs.";
    text.push_str(&dimmed(meaning));
    if document.run.model.is_some() {
        text.push_str(&dimmed(
            "They are predictions: the interval is the simulation's own; how far profiles and rules are off comes on top (MODEL.md).",
        ));
    }
    let mut next = vec![
        format!("show {id} --json"),
        format!("compare {id} OTHER-RUN"),
    ];
    if document.run.world == "fio-import" {
        text.push_str(&dimmed(
            "Six samples of a cell make an interval: import the files of repeated runs together.",
        ));
    } else {
        let open = OpenQuestions::count(document);
        text.push_str(&open.words(document));
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

    fn words(&self, document: &Document) -> String {
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
            .map(|(_, words)| wrapped(words, ""))
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

/// Returns an estimate in a few words: `823 MiB/s ±1.3 %`.
pub fn short_estimate(metric: Metric, estimate: &stripewise_stats::Estimate) -> String {
    format!(
        "{} {}",
        metric.quantity(estimate.value),
        plus_minus(estimate)
    )
}
