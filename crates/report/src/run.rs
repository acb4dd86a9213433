//! A run for a terminal: the question, a table with bars and intervals, verdicts, warnings, and the
//! next commands.

use std::time::Duration;

use stripewise_answer::Tone;
use stripewise_catalogue::{Argument, Message};
use stripewise_results::RunState;
use stripewise_stats::Verdict;
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Role;
use stripewise_units::Bytes;

use crate::at_risk::at_risk;
use crate::bar::of_estimate;
use crate::change;
use crate::choice::chosen;
use crate::differences::differences;
use crate::document::{CellPart, Document, VerdictPart};
use crate::host::host;
use crate::lifetime::lives;
use crate::moved::moved;
use crate::names::Names;
use crate::noticed::warnings;
pub use crate::numbers::span;
use crate::numbers::{Reading, UNKNOWN, rate, size_argument};
use crate::over_time::over_time;
use crate::page::answer_of;
use crate::power_cuts::{PowerCuts, power_cuts};
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, WARN, dimmed, paint, painted, strip_control, style_of, wrapped};
use crate::view::View;

/// Up to this block size, the rate of I/Os is always shown.
const IOPS_BLOCK_MAX: Bytes = Bytes::new(64 << 10);

/// Returns the report of a run.
///
/// `options` are the options that select the same store in a command: empty for the default store.
/// Of many cells only those that matter are listed, unless `all` is set.
pub fn report(document: &Document, options: &str, all: bool, view: View) -> String {
    let names = document.names();
    let mut text = heading(document, view);
    let own = match &document.power_cuts {
        Some(_) => None,
        None => PowerCuts::of(&[document]).filter(PowerCuts::has_cuts),
    };
    let cuts = document.power_cuts.as_ref().or(own.as_ref());
    let chosen = match all || cuts.is_some() {
        true => None,
        false => chosen(document, &names),
    };
    if let Some(chosen) = &chosen {
        text.push('\n');
        text.push_str(&answer(document, view));
        text.push('\n');
        text.push_str(&dimmed(
            &listed(document, chosen.len(), options, view),
            view,
        ));
    }
    if let Some(shared) = document.shared(&names) {
        text.push_str(&dimmed(&view.say(&shared), view));
    }
    text.push('\n');
    // The load of a power cut runs in real time: it has no throughput.
    let cells = match cuts {
        Some(cuts) => power_cuts(cuts, view),
        None => cells(
            document,
            &names,
            chosen.as_ref().unwrap_or(&names.order),
            view,
        ),
    };
    text.push_str(&cells);
    text.push_str(&differences(document, view));
    text.push_str(&over_time(document, &names, view));
    text.push_str(&at_risk(document, &names, view));
    text.push_str(&lives(document, &names, view));
    text.push_str(&warnings(document, &names, view));
    if cuts.is_none() {
        text.push('\n');
        text.push_str(&dimmed(&meaning(document, &cells, view), view));
    }
    text.push_str(&moved(document, &names, view));
    text.push_str(&host(document, view));
    text.push_str(&footer(document, options, view));
    text
}

/// Returns how many of many cells are listed, and the command that lists all.
fn listed(document: &Document, listed: usize, options: &str, view: View) -> String {
    let has_verdicts = document.cells.iter().any(|cell| !cell.verdicts.is_empty());
    let message = match has_verdicts {
        true => Message::new("show-listed-differences"),
        false => Message::new("show-listed-extremes"),
    };
    let command = format!("stripewise show {} --all{options}", document.run.id);
    view.say(
        &message
            .digits("listed", listed)
            .digits("all", document.cells.len())
            .name("command", command),
    )
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

fn heading(document: &Document, view: View) -> String {
    let run = &document.run;
    let mut text = painted(BOLD, &view.show(&document.title_argument()), view);
    let mut parts: Vec<Argument> = vec![
        Message::new("run-number").name("id", run.id).into(),
        Message::new("show-world").name("world", &run.origin).into(),
    ];
    if !run.tags.is_empty() {
        parts.push(
            Message::new("show-tags")
                .with("tags", listed_names(&run.tags))
                .into(),
        );
    }
    if let Some(model) = &run.model {
        let host = Message::new("show-host-profile").name("host", &model.host);
        let devices = Message::new("show-device-profiles");
        let devices = devices.with("devices", listed_names(&model.devices));
        parts.extend([model.rules_message(), host, devices].map(Argument::from));
    }
    parts.extend(target(document));
    let samples = Message::new("show-samples")
        .count("cells", document.cells.len())
        .digits("counted", run.samples_counted)
        .digits("all", run.samples_all);
    parts.push(samples.into());
    let executed = run.executed_ns.map(Duration::from_nanos);
    parts.extend(executed.map(|executed| Argument::Name(span(executed))));
    let separated = |parts: &[Argument]| {
        let words: Vec<String> = parts.iter().map(|part| view.show(part)).collect();
        dimmed(&words.join(view.separator()), view)
    };
    text.push_str(&separated(&parts));
    text.push_str(&separated(&machine(document)));
    if let Some(unfinished) = unfinished(document) {
        text.push_str(&painted(WARN, &view.say(&unfinished), view));
    }
    text
}

fn listed_names(names: &[String]) -> Argument {
    Argument::list(names.iter().cloned().map(Argument::Name))
}

/// Returns why a run has not ended, and how to continue it.
fn unfinished(document: &Document) -> Option<Message> {
    let run = &document.run;
    let with_resume = |id: &'static str| {
        Message::new(id).name("command", format!("stripewise resume {}", run.id))
    };
    match run.state {
        RunState::Done => None,
        RunState::Running => Some(Message::new("show-running")),
        _ if run.origin.is_imported() => Some(Message::new("show-import-unfinished")),
        RunState::Interrupted => Some(with_resume("show-interrupted")),
        RunState::Failed => Some(with_resume("show-failed")),
    }
}

fn target(document: &Document) -> Option<Argument> {
    let target = document.facts.target.as_ref()?;
    Some(match (&target.filesystem, &target.source) {
        (None, _) => Argument::Name(target.path.clone()),
        (Some(filesystem), None) => Message::new("show-target")
            .name("path", &target.path)
            .name("filesystem", filesystem)
            .into(),
        (Some(filesystem), Some(source)) => Message::new("show-target-on")
            .name("path", &target.path)
            .name("filesystem", filesystem)
            .name("source", source)
            .into(),
    })
}

/// Returns the machine and software of a run, a few words each, as far as they are known.
pub fn machine(document: &Document) -> Vec<Argument> {
    let facts = &document.facts;
    let mut parts = Vec::new();
    let mut put = |part: Option<Argument>| parts.extend(part);
    put(facts.cpu.model.as_ref().map(|model| {
        let count = facts
            .cpu
            .logical_count
            .map_or(String::new(), |count| format!("{count} x "));
        // The description of a simulated host is a sentence.
        Argument::Name(format!("{count}{}", model.trim_end_matches('.')))
    }));
    let message = |id: &'static str, variable: &'static str, value: &String| {
        Argument::from(Message::new(id).name(variable, value))
    };
    let governor = facts.cpu.governor.as_ref();
    put(governor.map(|governor| message("change-governor", "governor", governor)));
    put(facts.memory_bytes.map(|bytes| {
        let memory = Message::new("show-memory");
        memory.with("size", size_argument(bytes.as_u64())).into()
    }));
    let kernel = facts.kernel.as_ref();
    let kernel = kernel.filter(|_| document.run.model.is_none());
    put(kernel.map(|kernel| Argument::Name(format!("Linux {kernel}"))));
    let hypervisor = facts.hypervisor.as_ref();
    put(hypervisor.map(|hypervisor| message("show-virtual", "hypervisor", hypervisor)));
    put(facts.tools.get("fio").cloned().map(Argument::Name));
    let version = &document.run.stripewise_version;
    put(Some(Argument::Name(format!("stripewise {version}"))));
    let is_seeded = !document.run.origin.is_imported();
    put(is_seeded.then(|| message("show-seed", "seed", &document.run.seed.to_string())));
    parts
}

/// The columns of a table of cells.
struct Layout {
    axes: Vec<Axis>,
    /// Single measurements have no intervals: a sentence replaces a column of question marks.
    has_intervals: bool,
    /// Whether a block is so small that the rate of I/Os says more than the bandwidth.
    is_small: bool,
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
        let mut cells = document.cells.iter();
        let all_commit = cells.all(|cell| cell.estimate(Metric::SyncLatencyP99).is_some());
        let mut bandwidths = document
            .cells
            .iter()
            .filter_map(|cell| cell.estimate(Metric::Bandwidth));
        Self {
            axes: names.axes.clone(),
            has_intervals: bandwidths.any(|estimate| estimate.interval.is_some()),
            is_small: document.cells.iter().any(|cell| {
                let largest = cell.cell().workload.load.block_size.largest();
                largest <= IOPS_BLOCK_MAX
            }),
            // Of a load that commits, the time of the commit counts, not that of the buffered write.
            has_latency: tells(Metric::LatencyP99) && !all_commit,
            has_sync: tells(Metric::SyncLatencyP99),
            has_verdicts: document.cells.iter().any(|cell| !cell.verdicts.is_empty()),
            has_limits: document.cells.iter().any(|cell| cell.bottleneck.is_some()),
            bandwidth_max: ends.fold(0.0, f64::max),
        }
    }

    fn table(&self, against: &str, view: View) -> Table {
        let mut columns: Vec<Column> = self
            .axes
            .iter()
            .map(|axis| Column::group(&view.say(&axis.message())))
            .collect();
        let bandwidth = view.say(&Metric::Bandwidth.message());
        columns.push(Column::number("MiB/s").named(&bandwidth).unit("MiB/s"));
        columns.extend(self.has_intervals.then(Column::interval));
        let number =
            |head: &str, metric: Metric| Column::number(head).named(&view.say(&metric.message()));
        let iops = number("IOPS", Metric::Iops);
        columns.extend(match (self.is_small, self.has_limits) {
            (true, _) => Some(iops),
            (false, false) => Some(iops.optional(1)),
            (false, true) => None,
        });
        columns.push(Column::bar());
        if self.has_latency && !self.has_limits {
            columns.push(number("p50", Metric::LatencyP50).optional(2));
        }
        if self.has_latency {
            columns.push(number("p99", Metric::LatencyP99).optional(3));
        }
        if self.has_sync {
            columns.push(number("sync p99", Metric::SyncLatencyP99));
        }
        columns.push(match self.has_limits {
            true => Column::words(&view.say(&Message::new("show-column-limit"))),
            false => Column::number("n").named(&view.say(&Message::new("show-column-samples"))),
        });
        columns.truncate(columns.len() - usize::from(!self.has_limits && !self.has_intervals));
        if self.has_verdicts {
            columns.push(Column::words(against));
        }
        Table::new(columns)
    }
}

/// Returns the table of the cells with these indices.
fn cells(document: &Document, names: &Names, listed: &[usize], view: View) -> String {
    let layout = Layout::new(document, names);
    let mut table = layout.table(&view.say(&against(document)), view);
    let mut before: Vec<String> = Vec::new();
    for cell in listed.iter().map(|index| &document.cells[*index]) {
        let values: Vec<String> = layout
            .axes
            .iter()
            .map(|axis| names.value(&cell.cell(), *axis))
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

/// Returns the head of the column of verdicts.
fn against(document: &Document) -> Message {
    let compare = &document.run.compare;
    let baseline: Vec<&str> = compare.baseline.values().map(String::as_str).collect();
    let message = match compare.metric {
        Metric::Bandwidth => Message::new("show-column-against"),
        metric => Message::new("show-column-metric-against").with("metric", metric.message()),
    };
    message.name("baseline", baseline.join(", "))
}

fn numbers(cell: &CellPart, layout: &Layout, document: &Document, view: View) -> Vec<Field> {
    let time = |metric: Metric| match cell.estimate(metric) {
        Some(estimate) => Field::plain(view.show(&metric.quantity(estimate.value))),
        None => Field::styled(DIM, "-"),
    };
    let has_iops = layout.is_small || !layout.has_limits;
    let iops = has_iops.then(|| match cell.estimate(Metric::Iops) {
        Some(estimate) => Field::plain(view.digits(rate(estimate.value))),
        None => Field::styled(DIM, "-"),
    });
    let mut fields = match cell.estimate(Metric::Bandwidth) {
        Some(estimate) => {
            let reading = Reading::new(Metric::Bandwidth, estimate);
            let mut fields = vec![Field::styled(BOLD, view.digits(reading.value))];
            let half = Field::styled(DIM, view.digits(reading.half));
            fields.extend(layout.has_intervals.then_some(half));
            fields.extend(iops);
            fields.push(Field::bar(of_estimate(estimate, layout.bandwidth_max)));
            fields
        }
        None => {
            let blank = 1 + usize::from(layout.has_intervals) + usize::from(iops.is_some());
            let mut fields = vec![Field::styled(WARN, view.say(&Message::new("none")))];
            fields.extend(std::iter::repeat_n(Field::plain(""), blank));
            fields
        }
    };
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
        let baseline = is_baseline.then(|| view.say(&Message::new("show-baseline")));
        return Field::styled(DIM, baseline.unwrap_or_default());
    };
    Field::styled(
        style_of(tone(verdict, document.run.compare.metric)),
        view.say(&change::brief(verdict)),
    )
}

/// Colours a verdict; its words say the same.
pub(crate) fn tone(verdict: &VerdictPart, metric: Metric) -> Tone {
    match verdict.verdict {
        Verdict::Different { low, .. } if (low >= 1.0) == metric.higher_is_better() => Tone::Good,
        Verdict::Different { .. } => Tone::Bad,
        Verdict::NoDifference { .. } => Tone::Plain,
        Verdict::CannotTell { .. } => Tone::Dim,
    }
}

fn footer(document: &Document, options: &str, view: View) -> String {
    let id = document.run.id;
    let mut text = String::new();
    if document.run.model.is_some() {
        text.push_str(&dimmed(&view.say(&Message::new("show-predictions")), view));
    }
    let mut next = vec![
        format!("show {id} --json"),
        format!("compare {id} OTHER-RUN"),
    ];
    if document.run.origin.is_imported() {
        text.push_str(&dimmed(&view.say(&Message::new("show-import-more")), view));
    } else {
        let has_cuts = document.cells.iter().any(|cell| cell.cuts.is_some());
        let open = match has_cuts {
            true => OpenQuestions::default(),
            false => OpenQuestions::count(document),
        };
        text.push_str(&open.words(document, view));
        if open.wide > 0 {
            next.insert(0, format!("resume {id} --budget TIME"));
        }
    }
    line(
        &mut text,
        &paint(DIM, &view.say(&Message::new("show-next"))),
    );
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
        return view.say(&Message::new("show-intervals-none"));
    }
    let bandwidths = document.cells.iter();
    let mut bandwidths = bandwidths.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    let holds_more = bandwidths.any(|estimate| estimate.of_samples.is_some());
    let interval = match (holds_more, cells.contains('░')) {
        (false, true) => "show-interval-bars",
        (false, false) => "show-interval",
        (true, true) => "show-interval-predicted-bars",
        (true, false) => "show-interval-predicted",
    };
    let mut sentences = vec![Message::new("show-median"), Message::new(interval)];
    let verdicts = document.cells.iter().flat_map(|cell| &cell.verdicts);
    sentences.extend(change::meaning_of_same(verdicts));
    let estimates = document.cells.iter();
    let mut estimates = estimates.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    if !view.is_plain() && estimates.any(|estimate| estimate.interval.is_none()) {
        sentences.push(Message::new("show-interval-missing").name("sign", UNKNOWN));
    }
    let sentences = sentences.iter().map(|sentence| view.say(sentence));
    sentences.collect::<Vec<_>>().join(" ")
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
        let repeat = &document.run.repeat;
        let width = change::margin_percent(repeat.interval_percent.as_fraction());
        let width = Argument::quantity(width, "%");
        let within = |id: &'static str| Message::new(id).with("width", width.clone());
        let lines = [
            (self.empty, Message::new("show-open-empty")),
            (
                self.full,
                within("show-open-full").digits("most", repeat.at_most),
            ),
            (self.wide, within("show-open-wide")),
        ];
        let lines = lines.into_iter().filter(|(count, _)| *count > 0);
        lines
            .map(|(count, message)| {
                let cells = document.cells.len();
                let message = message.count("count", count).digits("cells", cells);
                wrapped(&view.say(&message), "", view)
            })
            .collect()
    }
}

/// Returns an estimate in short form: `823 ±11 MiB/s`.
pub fn short_estimate(metric: Metric, estimate: &stripewise_stats::Estimate) -> Argument {
    Reading::new(metric, estimate).argument()
}

/// Returns the answers of the run, a sentence each.
fn answer(document: &Document, view: View) -> String {
    let sentences = answer_of(document);
    let paragraphs = sentences
        .iter()
        .map(|message| wrapped(&strip_control(&view.say(message)), "", view));
    paragraphs.collect()
}
