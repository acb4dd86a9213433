//! What a run found: the question, a table with bars and intervals, verdicts, warnings, and the
//! next commands.

use std::time::Duration;

use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_results::RunState;
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::facts::{TARGET_DEVICES, TargetFacts};
use stripewise_study::metric::Metric;
use stripewise_study::plan::{Pair, Repeat, pairs};
use stripewise_study::warning::Warning;
use stripewise_units::Nanos;

use crate::at_risk::at_risk;
use crate::bar::of_estimate;
use crate::change;
use crate::choice::chosen;
use crate::differences::differences;
use crate::document::{CellPart, Document, VerdictPart};
use crate::explanation::trace_depth;
use crate::facts::{cpu, hypervisor_words};
use crate::host::host;
use crate::hosts;
use crate::lifetime::lives;
use crate::list::origin;
use crate::moved::moved;
use crate::names::Names;
use crate::noticed::warnings;
pub use crate::numbers::span;
use crate::numbers::{Reading, UNKNOWN, estimate_cells, is_small, rate, size_argument};
use crate::over_time::over_time;
use crate::page::{OpenReason, RunAnswer, answer_of, open_cells};
use crate::power_cuts::{PowerCuts, power_cuts};
use crate::states;
use crate::text::strip_control;

/// Returns the answer of a run.
///
/// `options` are the options that select the same store in a command: empty for the default store.
/// Of many cells only those that matter are listed, unless `all` is set.
pub fn blocks(document: &Document, options: &str, all: bool) -> Vec<Block> {
    let mut blocks = found(document, options, all);
    blocks.extend(footer(document, options));
    blocks
}

/// Returns the answer of a run for readers without its store: all cells, and how to repeat it.
pub fn ticket(document: &Document) -> Vec<Block> {
    let mut blocks = found(document, "", true);
    if let Some(command) = document.repeat_command("") {
        let repeat = Message::new("show-repeat");
        blocks.extend([Block::toned(Tone::Dim, repeat), Block::Code(command)]);
    }
    blocks
}

fn found(document: &Document, options: &str, all: bool) -> Vec<Block> {
    let names = document.names();
    let mut blocks = heading(document, options);
    let own = match &document.power_cuts {
        Some(_) => None,
        None => PowerCuts::of(&[document]).filter(PowerCuts::has_cuts),
    };
    let cuts = document.power_cuts.as_ref().or(own.as_ref());
    let chosen = match all || cuts.is_some() {
        true => None,
        false => chosen(document, &names),
    };
    let answer = match cuts {
        Some(_) => RunAnswer::default(),
        None => answer_of(document, chosen.is_some()),
    };
    let leads = hosts::leads(document);
    if !leads.is_empty() {
        blocks.push(Block::Gap);
        blocks.extend(leads);
    }
    if !answer.found.is_empty() {
        blocks.push(Block::Gap);
        blocks.extend(answer.found.into_iter().map(Block::say));
    }
    if let Some(chosen) = &chosen {
        let listed = listed(document, chosen.len(), options);
        blocks.extend([Block::Gap, Block::toned(Tone::Dim, listed)]);
    }
    let shared = document.shared(&names);
    blocks.extend(shared.map(|shared| Block::toned(Tone::Dim, shared)));
    blocks.push(Block::Gap);
    // The load of a power cut runs in real time: it has no throughput.
    match cuts {
        Some(cuts) => blocks.extend(power_cuts(cuts)),
        None => {
            let listed = chosen.as_ref().unwrap_or(&names.order);
            let is_one = states::shows_one_of_two(document);
            let what = is_one.then(|| Message::new("states-shown"));
            blocks.extend(what.map(|what| Block::toned(Tone::Dim, what)));
            blocks.push(cells(document, &names, listed).into());
        }
    }
    blocks.extend(hosts::table(document, &names));
    blocks.extend(states::of_run(document, &names));
    blocks.extend(differences(document));
    blocks.extend(over_time(document, &names));
    blocks.extend(at_risk(document, &names));
    blocks.extend(lives(document, &names));
    blocks.extend(warnings(document, &names));
    if cuts.is_none() {
        blocks.push(Block::Gap);
        blocks.extend(meaning(document));
    }
    blocks.extend(answer.limits.into_iter().map(Block::say));
    blocks.extend(world_note(document));
    blocks.extend(moved(document, &names));
    blocks.extend(host(document));
    blocks
}

/// Returns how many of many cells are listed, and the command that lists all.
fn listed(document: &Document, listed: usize, options: &str) -> Message {
    let has_verdicts = document.cells.iter().any(|cell| !cell.verdicts.is_empty());
    let message = match has_verdicts {
        true => Message::new("show-listed-differences"),
        false => Message::new("show-listed-extremes"),
    };
    let command = format!("stripewise show {} --all{options}", document.run.id);
    message
        .digits("listed", listed)
        .digits("all", document.cells.len())
        .name("command", command)
}

fn heading(document: &Document, options: &str) -> Vec<Block> {
    let run = &document.run;
    let mut parts: Vec<Argument> = vec![
        Message::new("run-number").name("id", run.id).into(),
        match &run.origin {
            RunOrigin::Fio => Message::new("show-imported"),
            RunOrigin::World(_) => Message::new("show-world").with("world", origin(&run.origin)),
            other => Message::new("show-origin").name("origin", other),
        }
        .into(),
    ];
    if !run.tags.is_empty() {
        parts.push(
            Message::new("show-tags")
                .with("tags", listed_names(&run.tags))
                .into(),
        );
    }
    if let Some(model) = &run.model {
        let spec = run.measured_in.as_ref().and_then(WorldSpec::model);
        let host = match spec.and_then(|spec| spec.cores) {
            Some(cores) => Message::new("show-host-profile-cores").count("cores", cores.get()),
            None => Message::new("show-host-profile"),
        };
        let host = host.name("host", &model.host);
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
    let remarks = |parts: Vec<Argument>| Sentence::remarks(parts).tone(Tone::Dim).into();
    let title = Block::heading(document.title_argument());
    let mut blocks = vec![title, remarks(parts), remarks(machine(document))];
    blocks.extend(unfinished(document, options).map(|words| Block::toned(Tone::Warn, words)));
    blocks
}

fn listed_names(names: &[String]) -> Argument {
    Argument::list(names.iter().cloned().map(Argument::Name))
}

/// Returns why a run has not ended, and how to continue it.
fn unfinished(document: &Document, options: &str) -> Option<Message> {
    let run = &document.run;
    let with_resume = |id: &'static str| {
        Message::new(id).name("command", format!("stripewise resume {}{options}", run.id))
    };
    match run.state {
        RunState::Done => None,
        RunState::Running => Some(Message::new("show-running")),
        _ if run.origin.is_imported() => Some(Message::new("show-import-unfinished")),
        _ if run.is_foreign => Some(Message::new("show-foreign-unfinished")),
        RunState::Interrupted => Some(with_resume("show-interrupted")),
        RunState::Failed => Some(with_resume("show-failed")),
    }
}

fn target(document: &Document) -> Option<Argument> {
    let target = document.facts.target.as_ref()?;
    Some(match (&target.filesystem, &target.source) {
        (None, _) => target_path(target),
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

/// Returns the path of a target; of devices, words.
pub(crate) fn target_path(target: &TargetFacts) -> Argument {
    match target.path.as_str() {
        TARGET_DEVICES => Message::new("show-target-devices").into(),
        path => Argument::Name(path.to_owned()),
    }
}

/// Returns the machine and software of a run, a few words each, as far as they are known.
fn machine(document: &Document) -> Vec<Argument> {
    let facts = &document.facts;
    let mut parts = Vec::new();
    let mut put = |part: Option<Argument>| parts.extend(part);
    put(cpu(facts));
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
    put(hypervisor.map(|hypervisor| {
        let shown = Message::new("show-virtual");
        shown
            .with("hypervisor", hypervisor_words(hypervisor))
            .into()
    }));
    put(facts.tools.get("fio").cloned().map(Argument::Name));
    let version = &document.run.tool_version;
    put(Some(Argument::Name(format!("stripewise {version}"))));
    let is_seeded = !document.run.origin.is_imported();
    put(is_seeded.then(|| message("show-seed", "seed", &document.run.seed.to_string())));
    parts
}

/// Where a column is shown.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Everywhere.
    Always,
    /// Where there is room, in the order of ranks.
    Optional(u8),
    /// In Markdown and CSV, and with `--verbose`.
    Detail,
}

/// The columns of a table of cells.
struct Layout {
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
    /// Whether an interval is so wide that its bar is visibly shaded.
    has_shade: bool,
    /// The cells to compare.
    pairs: Vec<Pair>,
}

impl Layout {
    fn new(document: &Document) -> Self {
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
        let all: Vec<_> = document.cells.iter().map(CellPart::cell).collect();
        let pairs = pairs(&all, &document.run.compare.baseline);
        let metric = document.run.compare.metric;
        let is_known = |index: usize| document.cells[index].estimate(metric).is_some();
        let mut known = pairs.iter();
        let is_any_known = known.any(|pair| is_known(pair.baseline) && is_known(pair.other));
        let mut cells = document.cells.iter();
        let all_commit = cells.all(|cell| cell.estimate(Metric::SyncLatencyP99).is_some());
        let bandwidths = || {
            let cells = document.cells.iter();
            cells.filter_map(|cell| cell.estimate(Metric::Bandwidth))
        };
        let bandwidth_max = ends.fold(0.0, f64::max);
        let is_shaded = |estimate: &Estimate| {
            let bar = of_estimate(estimate, bandwidth_max);
            bar.shaded_end - bar.solid_end >= SHADE_MIN
        };
        Self {
            has_intervals: bandwidths().any(|estimate| estimate.interval.is_some()),
            is_small: document
                .cells
                .iter()
                .any(|cell| is_small(&cell.workload.load)),
            // Of a load that commits, the time of the commit counts, not that of the buffered write.
            has_latency: tells(Metric::LatencyP99) && !all_commit,
            has_sync: tells(Metric::SyncLatencyP99),
            has_verdicts: is_any_known,
            pairs,
            has_limits: document.cells.iter().any(|cell| cell.bottleneck.is_some()),
            bandwidth_max,
            has_shade: bandwidths().any(is_shaded),
        }
    }

    /// Returns the metrics beside the bandwidth, with their heads and places.
    fn others(&self) -> Vec<(Metric, &'static str, Place)> {
        let derived = |rank| match self.has_limits {
            true => Place::Detail,
            false => Place::Optional(rank),
        };
        let iops = match self.is_small {
            true => Place::Always,
            false => derived(1),
        };
        let latency = [
            (Metric::LatencyP50, "p50", derived(2)),
            (Metric::LatencyP99, "p99", Place::Optional(3)),
            (Metric::LatencyP999, "p99.9", Place::Detail),
        ];
        let mut metrics = vec![(Metric::Iops, "IOPS", iops)];
        metrics.extend(latency.into_iter().filter(|_| self.has_latency));
        let sync = (Metric::SyncLatencyP99, "sync p99", Place::Always);
        metrics.extend(self.has_sync.then_some(sync));
        metrics
    }

    fn table(&self, names: &Names, against: Message) -> Table {
        let name = |name: &str| Argument::Name(name.to_owned());
        let number = |head: &str, metric: Metric| {
            Column::number(metric.key(), name(head)).named(metric.message())
        };
        let half = |metric: Metric| self.has_intervals.then(|| Column::interval(metric.key()));
        let mut columns = names.columns();
        columns.push(number("MiB/s", Metric::Bandwidth).unit("MiB/s"));
        columns.extend(half(Metric::Bandwidth));
        for (metric, head, place) in self.others() {
            let column = number(head, metric);
            columns.push(match place {
                Place::Always => column,
                Place::Optional(rank) => column.optional(rank),
                Place::Detail => column.detail(),
            });
            columns.extend(half(metric).map(Column::detail));
            // Behind both numbers of throughput.
            columns.extend((metric == Metric::Iops).then(Column::bar));
        }
        if self.has_limits {
            columns.push(Column::words("limit", Message::new("show-column-limit")));
        } else if self.has_intervals {
            let samples = Message::new("show-column-samples");
            columns.push(Column::number("samples", name("n")).named(samples));
        }
        let verdict = || Column::words("verdict", against).measured("ratio");
        columns.extend(self.has_verdicts.then(verdict));
        Table::new("cells", columns)
            .bars(self.has_shade.then(|| Message::new("show-interval-bars")))
    }
}

/// Returns the table of the cells with these indices.
fn cells(document: &Document, names: &Names, listed: &[usize]) -> Table {
    let layout = Layout::new(document);
    let mut table = layout.table(names, against(document));
    for cell in listed.iter().map(|index| &document.cells[*index]) {
        let mut row = names.values(&cell.cell());
        row.extend(numbers(cell, &layout));
        row.extend(
            layout
                .has_verdicts
                .then(|| verdict(cell, document, &layout.pairs)),
        );
        let bandwidth = cell.estimate(Metric::Bandwidth);
        table.row_of_height(row, bandwidth.map_or(0.0, |estimate| estimate.value));
    }
    table
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

fn numbers(cell: &CellPart, layout: &Layout) -> Vec<Cell> {
    let [value, half, bar] = match cell.estimate(Metric::Bandwidth) {
        Some(estimate) => estimate_cells(Metric::Bandwidth, estimate, layout.bandwidth_max),
        None => {
            let none = Cell::of(Message::new("none")).tone(Tone::Warn).unknown();
            [none, Cell::empty(), Cell::empty()]
        }
    };
    let mut cells = vec![value];
    cells.extend(layout.has_intervals.then_some(half));
    for (metric, ..) in layout.others() {
        let [value, half] = other(cell, metric);
        cells.push(value);
        cells.extend(layout.has_intervals.then_some(half));
        cells.extend((metric == Metric::Iops).then(|| bar.clone()));
    }
    if layout.has_limits {
        let limit = cell.bottleneck.as_ref();
        cells.push(limit.map_or_else(Cell::none, |limit| Cell::of(limit.brief())));
    } else if layout.has_intervals {
        cells.push(Cell::digits(cell.counted()).tone(Tone::Dim));
    }
    cells
}

/// Returns a metric beside the bandwidth, and the half width of its interval.
fn other(cell: &CellPart, metric: Metric) -> [Cell; 2] {
    let Some(estimate) = cell.estimate(metric) else {
        return [Cell::none(), Cell::empty()];
    };
    let shown = match metric {
        Metric::Iops => Argument::Digits(rate(estimate.value)),
        metric => metric.quantity(estimate.value),
    };
    let [_, half, _] = estimate_cells(metric, estimate, estimate.value);
    [Cell::of(shown).exact(estimate.value), half]
}

/// Returns the verdict on a cell; `pairs` are the cells to compare.
fn verdict(cell: &CellPart, document: &Document, pairs: &[Pair]) -> Cell {
    if let Some(verdict) = cell.verdicts.first() {
        let tone = tone(verdict, document.run.compare.metric);
        return measured(Cell::of(change::brief(verdict)), &verdict.ratio).tone(tone);
    }
    if pairs.iter().any(|pair| pair.baseline == cell.index) {
        return Cell::of(Message::new("show-baseline")).tone(Tone::Dim);
    }
    match pairs.iter().any(|pair| pair.other == cell.index) {
        true => Cell::of(Message::new("show-no-answer"))
            .tone(Tone::Warn)
            .unknown(),
        false => Cell::empty(),
    }
}

/// Returns a cell of words with the estimate that they state.
pub(crate) fn measured(words: Cell, estimate: &Estimate) -> Cell {
    let cell = words.exact(estimate.value);
    match estimate.interval {
        Some(interval) => cell.ends(interval.low, interval.high),
        None => cell,
    }
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

fn footer(document: &Document, options: &str) -> Vec<Block> {
    let id = document.run.id;
    let mut blocks = Vec::new();
    let workloads = document.cells.iter().map(|cell| &cell.workload);
    let depth = trace_depth(workloads).map(|depth| Block::toned(Tone::Dim, depth));
    blocks.extend(depth);
    let mut next = vec![format!("show {id} --json"), format!("report {id}")];
    if document.run.origin.is_imported() {
        let more = Message::new("show-import-more");
        blocks.push(Block::toned(Tone::Dim, more));
    } else if open_cells([document]).contains_key(&OpenReason::Wide) && !document.run.is_foreign {
        let warnings = document.warnings.iter().map(|shown| &shown.warning);
        let budget = longer_budget(&document.run.repeat, warnings);
        next.insert(0, format!("resume {id} --budget {budget}"));
    }
    // One command per line, for copying.
    let next = next
        .iter()
        .map(|command| format!("  stripewise {command}{options}"));
    let next: Vec<String> = next.map(|command| strip_control(&command)).collect();
    blocks.push(Block::toned(Tone::Dim, Message::new("show-next")));
    blocks.push(Block::Code(next.join("\n")));
    blocks
}

/// The least part of a bar that is visibly shaded.
const SHADE_MIN: f64 = 1.0 / 16.0;

/// Returns what the world of a run does not tell, as a page says it of each run.
fn world_note(document: &Document) -> Option<Block> {
    let RunOrigin::World(world) = &document.run.origin else {
        return None;
    };
    let note = match &document.run.measured_in {
        Some(WorldSpec::Hosts(spec)) => {
            Message::new("world-hosts-note").count("hosts", spec.hosts.len())
        }
        _ => Message::new(format!("world-{world}-note")),
    };
    Some(Block::toned(Tone::Dim, note))
}

/// Returns the meaning of the numbers and intervals; `None` if there is no interval, which the answer says.
fn meaning(document: &Document) -> Option<Block> {
    let cells = document.cells.iter();
    let known = cells.filter_map(|cell| cell.estimate(Metric::Bandwidth));
    let known: Vec<&Estimate> = known.collect();
    if known.iter().all(|estimate| estimate.interval.is_none()) {
        return None;
    }
    let interval = match known.iter().any(|estimate| estimate.of_samples.is_some()) {
        false => "show-interval",
        true => "show-interval-predicted",
    };
    let missing = known.iter().any(|estimate| estimate.interval.is_none());
    let missing = missing.then(|| Message::new("show-interval-missing").name("sign", UNKNOWN));
    let first = [Message::new("show-median"), Message::new(interval)];
    let verdicts = document.cells.iter().flat_map(|cell| &cell.verdicts);
    let same: Vec<Message> = change::meaning_of_same(verdicts).into_iter().collect();
    let told = first.iter().chain(&same);
    let drawn = first.iter().chain(&same).chain(&missing);
    let dim = |sentences: Sentence| vec![Block::from(sentences.tone(Tone::Dim))];
    Some(Block::Forms {
        told: dim(Sentence::of(told.cloned())),
        drawn: dim(Sentence::of(drawn.cloned())),
    })
}

/// Returns a budget with which a run has time left: twice its own, or what its fewest samples take.
pub fn longer_budget<'a>(
    repeat: &Repeat,
    warnings: impl IntoIterator<Item = &'a Warning>,
) -> Nanos {
    const MINUTE_NS: u64 = 60_000_000_000;
    let needed = warnings.into_iter().filter_map(|warning| match warning {
        Warning::BudgetTooSmall { needed_ns, .. } => Some(needed_ns.as_u64()),
        _ => None,
    });
    let minutes = needed.max().map(|needed| needed.div_ceil(MINUTE_NS));
    let needed = Nanos::new(minutes.unwrap_or(0).saturating_mul(MINUTE_NS));
    repeat.longer_budget().max(needed)
}

/// Returns an estimate in short form: `823 ±11 MiB/s`.
pub fn short_estimate(metric: Metric, estimate: &Estimate) -> Argument {
    Reading::new(metric, estimate).argument()
}
