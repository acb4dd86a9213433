//! The table of power cuts with the advice below it.
//!
//! A head that begins with `~` marks simulated numbers; all others were measured.

use std::collections::BTreeSet;

use stripewise_analysis::cuts::{CutPrediction, CutShare, CutSummary};
use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone, Verdict};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cut::{LostValues, LostWrite, SmallestLoss};
use stripewise_study::metric::Metric;
use stripewise_study::sample::as_f64;

use super::words::{interval, step};
use super::{CutSetting, PowerCuts};
use crate::at_risk::{size, time};
use crate::names::values_of;
use crate::numbers::estimate_cells;
use crate::text::strip_control;

/// Returns the table of power cuts, its meaning, and the advice.
pub fn power_cuts(cuts: &PowerCuts) -> Vec<Block> {
    let mut blocks = vec![
        Block::heading(Message::new("cut-heading")),
        table(cuts).into(),
        meaning(cuts, &Layout::new(cuts)).into(),
    ];
    blocks.extend(details(cuts));
    blocks.extend(reasons(cuts));
    blocks.extend([Block::Gap, Block::heading(Message::new("advice-heading"))]);
    let advice = cuts.advice.iter();
    blocks.extend(advice.map(|part| Block::say(part.words.clone())));
    blocks
}

/// Returns what became of the lost records of a program, how many states were tried, and the smallest
/// loss of each setting.
fn details(cuts: &PowerCuts) -> Vec<Block> {
    let mut sentences: Vec<Argument> = Vec::new();
    for setting in &cuts.settings {
        let Some(summary) = &setting.measured else {
            continue;
        };
        let of = |id: &'static str| Message::new(id).with("setting", setting.name.clone());
        if let Some(values) = summary
            .values
            .filter(|values| *values != LostValues::default())
        {
            let message = of("cut-values")
                .count("missing", values.missing)
                .count("old", values.old)
                .count("unreadable", values.unreadable)
                .count("wrong", values.wrong);
            sentences.push(message.into());
        }
        if let Some(states) = summary.states {
            let message = of("cut-states")
                .count("tried", summary.cuts)
                .count("distinct", states.distinct)
                .digits("log", states.combinations_log2);
            sentences.push(message.into());
        }
        sentences.extend(
            summary
                .smallest
                .as_ref()
                .map(|found| smallest(setting, found)),
        );
    }
    match sentences.is_empty() {
        true => Vec::new(),
        false => vec![
            Block::Gap,
            Block::heading(Message::new("cut-details")),
            Block::List(sentences),
        ],
    }
}

/// Returns whether each setting kept what was acknowledged, as verdicts.
pub fn verdicts(cuts: &PowerCuts) -> Table {
    let columns = vec![
        Column::group("setting", Message::new("cut-verdict-setting")),
        Column::verdict("verdict", Message::new("cut-verdict")),
        Column::number("cuts_lost", Message::new("cut-lost-head")).named(Message::new("cut-lost")),
    ];
    let mut table = Table::new("power_cut_verdicts", columns);
    for setting in &cuts.settings {
        let Some(summary) = &setting.measured else {
            continue;
        };
        let lost = &summary.lost;
        let (verdict, word) = match (lost.count, lost.of) {
            (_, 0) => (Verdict::NotJudged, "unknown"),
            (0, _) => (Verdict::Pass, "kept"),
            _ => (Verdict::Fail, "lost"),
        };
        let share = Message::new("cut-share").digits("count", lost.count);
        table.row(vec![
            Cell::of(setting.name.clone()),
            Cell::verdict(verdict, Message::new("cut-verdict-word").name("word", word)),
            Cell::of(share.digits("of", lost.of)).exact(as_f64(lost.count as u64)),
        ]);
    }
    table
}

/// The most writes of a smallest loss that a sentence names.
const WRITES_SHOWN: usize = 4;

/// Returns the smallest loss in words: which write was missing, torn or overtaken.
fn smallest(setting: &CutSetting, found: &SmallestLoss) -> Argument {
    let write = |lost: &LostWrite| {
        let how = match (lost.kept_bytes, lost.is_overtaken) {
            (0, true) => "overtaken",
            (0, false) => "missing",
            _ => "torn",
        };
        Message::new("cut-smallest-write")
            .digits("number", lost.number)
            .with("length", size(lost.length_bytes))
            .digits("offset", lost.offset_bytes)
            .with("kept", size(lost.kept_bytes))
            .name("how", how)
    };
    let writes = found.lost.iter().take(WRITES_SHOWN).map(write);
    let left = found.lost.len().saturating_sub(WRITES_SHOWN);
    let id = match found.lost.is_empty() {
        true => "cut-smallest-none",
        false => "cut-smallest",
    };
    Message::new(id)
        .with("setting", setting.name.clone())
        .count("history", found.history)
        .count("lost", found.lost.len())
        .count("kept", found.kept)
        .with("writes", Argument::list(writes))
        .count("left", left)
        .count("tried", found.tried)
        .name(
            "end",
            if found.is_smallest {
                "smallest"
            } else {
                "stopped"
            },
        )
        .into()
}

/// Returns why stacks did not come back, and why outcomes are unknown: of each setting the most frequent
/// reasons, and all of them for a reader who opens them.
fn reasons(cuts: &PowerCuts) -> Vec<Block> {
    let of = |setting: &CutSetting, most: usize| -> Vec<Argument> {
        let found = setting.measured.iter().flat_map(|cuts| &cuts.reasons);
        let found = found.take(most).map(|found| {
            let what = found
                .step
                .map_or_else(|| Message::new("cut-step-unknown"), step);
            Message::new("cut-reason")
                .with("setting", setting.name.clone())
                .with("what", what)
                .name("reason", strip_control(&found.reason))
                .count("count", found.count)
        });
        found.map(Argument::from).collect()
    };
    let settings = || cuts.settings.iter();
    let first: Vec<Argument> = settings().flat_map(|one| of(one, REASONS_SHOWN)).collect();
    let all: Vec<Argument> = settings().flat_map(|one| of(one, usize::MAX)).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let title = Message::new("cut-reasons");
    let is_all = first.len() == all.len();
    let mut blocks = vec![Block::Gap, Block::heading(title), Block::List(first)];
    if !is_all {
        let title = Message::new("cut-reasons-all").count("count", all.len());
        blocks.push(Block::closed(Sentence::new(title), vec![Block::List(all)]));
    }
    blocks
}

/// Returns the table of power cuts, with a row for each setting.
pub(crate) fn table(cuts: &PowerCuts) -> Table {
    let layout = Layout::new(cuts);
    let mut table = Table::new("power_cuts", layout.columns(cuts));
    for setting in &cuts.settings {
        let mut row = values_of(&cuts.axes, &setting.values);
        row.extend(layout.cells(setting, cuts.throughput_metric.0));
        table.row(row);
    }
    table
}

/// The most reasons of a setting that are listed at once.
const REASONS_SHOWN: usize = 2;

/// The head and the name of a column.
type Names = [&'static str; 2];

/// The measured columns: key, names unless it is an interval, and rank.
const MEASURED: [(&str, Option<Names>, u8); 12] = [
    (
        "cut_recordings",
        Some(["cut-recordings-head", "cut-recordings"]),
        2,
    ),
    ("cuts_lost", Some(["cut-lost-head", "cut-lost"]), 0),
    ("cuts_lost_share", None, 0),
    (
        "cuts_unusable",
        Some(["cut-unusable-head", "cut-unusable"]),
        0,
    ),
    ("cuts_unusable_share", None, 1),
    ("cuts_corrupt", Some(["cut-corrupt-head", "cut-corrupt"]), 3),
    ("cuts_corrupt_share", None, 1),
    ("cuts_unknown", Some(["cut-unknown-head", "cut-unknown"]), 3),
    (
        "cut_lost_age_ns_p50",
        Some(["cut-time-p50-head", "cut-time-p50"]),
        1,
    ),
    (
        "cut_lost_age_ns_max",
        Some(["cut-time-max-head", "cut-time-max"]),
        0,
    ),
    (
        "cut_lost_bytes_p50",
        Some(["cut-bytes-p50-head", "cut-bytes-p50"]),
        1,
    ),
    (
        "cut_lost_bytes_max",
        Some(["cut-bytes-max-head", "cut-bytes-max"]),
        2,
    ),
];

/// The predicted columns: key, names, and rank beside measured ones.
const PREDICTED: [(&str, Names, u8); 5] = [
    (
        "predicted_lost_share",
        ["cut-predicted-lost-head", "cut-predicted-lost"],
        3,
    ),
    (
        "predicted_age_ns_p50",
        ["cut-predicted-time-p50-head", "cut-predicted-time-p50"],
        1,
    ),
    (
        "predicted_age_ns_max",
        ["cut-predicted-time-max-head", "cut-predicted-time-max"],
        2,
    ),
    (
        "predicted_bytes_p50",
        ["cut-predicted-bytes-p50-head", "cut-predicted-bytes-p50"],
        1,
    ),
    (
        "predicted_bytes_max",
        ["cut-predicted-bytes-max-head", "cut-predicted-bytes-max"],
        1,
    ),
];

fn number(key: &'static str, [head, name]: Names) -> Column {
    Column::number(key, Message::new(head)).named(Message::new(name))
}

/// The groups of columns that any setting fills.
struct Layout {
    has_throughput: bool,
    has_cuts: bool,
    has_images: bool,
    has_unknown: bool,
    has_predictions: bool,
}

impl Layout {
    fn new(cuts: &PowerCuts) -> Self {
        let settings = || cuts.settings.iter();
        let any = |has: fn(&CutSummary) -> bool| {
            settings().any(|setting| setting.measured.as_ref().is_some_and(has))
        };
        Self {
            has_throughput: settings().any(|setting| setting.simulated_throughput.is_some()),
            has_cuts: cuts.has_cuts(),
            has_images: any(|cuts| cuts.recordings < cuts.cuts),
            has_unknown: any(|cuts| cuts.unknown > 0),
            has_predictions: settings().any(|setting| setting.predicted.is_some()),
        }
    }

    fn columns(&self, cuts: &PowerCuts) -> Vec<Column> {
        let axes = cuts.axes.iter();
        let axes = axes.map(|axis| Column::group(axis.key(), axis.message()));
        let mut columns: Vec<Column> = axes.collect();
        if self.has_throughput {
            let (head, name, unit) = match cuts.throughput_metric.0 {
                Metric::Bandwidth => ("~MiB/s", "cut-simulated-bandwidth", "MiB/s"),
                _ => ("~IOPS", "cut-simulated-iops", ""),
            };
            let key = format!("simulated_{}", cuts.throughput_metric.0.key());
            let head = Argument::Name(head.to_owned());
            let column = Column::number(key.clone(), head).named(Message::new(name));
            columns.push(column.unit(unit));
            columns.push(Column::interval(key).optional(1));
        }
        for (key, names, rank) in MEASURED.into_iter().filter(|(key, ..)| self.shows(key)) {
            columns.push(match names {
                Some(names) => number(key, names).optional(rank),
                None => Column::range(key, Argument::Name("[95 %]".to_owned())).optional(rank),
            });
        }
        for (key, names, rank) in PREDICTED.into_iter().filter(|_| self.has_predictions) {
            // Without cuts the predictions are the table.
            let is_optional = self.has_cuts || key.ends_with("_p50");
            columns.push(number(key, names).optional(if is_optional { rank } else { 0 }));
        }
        columns
    }

    /// Returns whether a column of measured numbers is in the table.
    fn shows(&self, key: &str) -> bool {
        match key {
            "cut_recordings" => self.has_images,
            "cuts_unknown" => self.has_unknown,
            _ => self.has_cuts,
        }
    }

    fn cells(&self, setting: &CutSetting, metric: Metric) -> Vec<Cell> {
        let mut cells = Vec::new();
        if self.has_throughput {
            cells.extend(match &setting.simulated_throughput {
                Some(estimate) => {
                    let [value, half, _] = estimate_cells(metric, estimate, estimate.value);
                    [value.tone(Tone::Plain), half]
                }
                None => [Cell::none(), Cell::empty()],
            });
        }
        if self.has_cuts {
            cells.extend(self.measured(setting.measured.as_ref()));
        }
        if self.has_predictions {
            cells.extend(predicted(setting.predicted.as_ref()));
        }
        cells
    }

    fn measured(&self, cuts: Option<&CutSummary>) -> Vec<Cell> {
        let share = |share: Option<&CutShare>, tone| match share.filter(|share| share.of > 0) {
            Some(share) => {
                let message = Message::new("cut-share");
                let message = message.digits("count", share.count).digits("of", share.of);
                let tone = if share.count == 0 { Tone::Dim } else { tone };
                [
                    Cell::of(message)
                        .tone(tone)
                        .exact(as_f64(share.count as u64))
                        .of_all(as_f64(share.of as u64)),
                    Cell::of(interval(share))
                        .tone(Tone::Dim)
                        .ends(share.low, share.high),
                ]
            }
            None => [Cell::none(), Cell::empty()],
        };
        let count = |count: usize| Cell::digits(count).exact(as_f64(count as u64));
        let mut cells = Vec::new();
        if self.has_images {
            let recordings = cuts.map(|cuts| count(cuts.recordings).tone(Tone::Dim));
            cells.push(recordings.unwrap_or_else(Cell::none));
        }
        cells.extend(share(cuts.map(|cuts| &cuts.lost), Tone::Warn));
        cells.extend(share(cuts.map(|cuts| &cuts.unusable), Tone::Bad));
        cells.extend(share(cuts.map(|cuts| &cuts.corrupt), Tone::Bad));
        if self.has_unknown {
            cells.push(match cuts.map(|cuts| cuts.unknown) {
                None => Cell::none(),
                Some(0) => Cell::none().exact(0.0),
                Some(unknown) => count(unknown).tone(Tone::Warn),
            });
        }
        let age = cuts.and_then(|cuts| cuts.age_ns);
        let bytes = cuts.and_then(|cuts| cuts.bytes);
        let loss = |number: Option<u64>, quantity: fn(u64) -> Argument| match (cuts, number) {
            (_, Some(number)) => amount(number, quantity),
            // Stacks that did not come back may have lost everything.
            (Some(_), None) => Cell::of(Message::new("cut-loss-unknown"))
                .tone(Tone::Warn)
                .unknown(),
            (None, None) => Cell::none(),
        };
        cells.extend([
            loss(age.map(|age| age.median), time),
            loss(age.map(|age| age.max), time),
            loss(bytes.map(|bytes| bytes.median), size),
            loss(bytes.map(|bytes| bytes.max), size),
        ]);
        cells
    }
}

fn predicted(predicted: Option<&CutPrediction>) -> [Cell; 5] {
    let Some(predicted) = predicted else {
        return std::array::from_fn(|_| Cell::none());
    };
    let share = predicted.lost_share;
    let share = share.map(|share| Cell::of(Argument::percent(share)).exact(share));
    let loss = |number: u64, quantity: fn(u64) -> Argument| match predicted.is_unbounded {
        true => Cell::of(Message::new("risk-unbounded"))
            .tone(Tone::Warn)
            .exact(f64::INFINITY),
        false => amount(number, quantity),
    };
    [
        share.unwrap_or_else(Cell::none),
        loss(predicted.age_ns_p50, time),
        loss(predicted.age_ns_max, time),
        loss(predicted.bytes_p50, size),
        loss(predicted.bytes_max, size),
    ]
}

fn amount(number: u64, quantity: fn(u64) -> Argument) -> Cell {
    let tone = if number == 0 { Tone::Dim } else { Tone::Warn };
    Cell::of(quantity(number)).exact(as_f64(number)).tone(tone)
}

/// Returns what the numbers mean, and where they come from.
fn meaning(cuts: &PowerCuts, layout: &Layout) -> Sentence {
    let mut sentences = Vec::new();
    if layout.has_cuts {
        sentences.extend([
            Message::new("cut-meaning-measured"),
            Message::new("cut-meaning-unusable"),
        ]);
        sentences.extend(numbers_of_cuts(cuts));
        sentences.push(Message::new("cut-meaning-interval"));
        if layout.has_unknown {
            sentences.push(Message::new("cut-meaning-unknown"));
        }
    }
    sentences.extend(not_followed(cuts).filter(|_| layout.has_predictions));
    if layout.has_throughput || layout.has_predictions {
        sentences.push(Message::new("cut-meaning-simulated"));
    }
    Sentence::of(sentences).tone(Tone::Dim)
}

/// Returns which simulated stacks have no prediction.
fn not_followed(cuts: &PowerCuts) -> Option<Message> {
    let simulated = cuts.settings.iter();
    let simulated = simulated.filter(|setting| setting.simulated_cell.is_some());
    let lacking = simulated.filter(|setting| setting.predicted.is_none());
    let stacks: BTreeSet<&str> = lacking.map(|setting| setting.stack.as_str()).collect();
    let message = Message::new("cut-meaning-not-followed");
    (!stacks.is_empty()).then(|| message.with("stacks", Argument::names(stacks)))
}

/// Returns how many cuts and recordings a setting has, or between which numbers.
fn numbers_of_cuts(cuts: &PowerCuts) -> Option<Message> {
    let measured = || cuts.settings.iter().filter_map(|one| one.measured.as_ref());
    let span = |number: fn(&CutSummary) -> usize| {
        let numbers = measured().map(number);
        let (least, most) = (numbers.clone().min()?, numbers.max()?);
        Some(match least == most {
            true => Argument::Digits(most.to_string()),
            false => Message::new("cut-span")
                .digits("least", least)
                .digits("most", most)
                .into(),
        })
    };
    Some(
        Message::new("cut-meaning-cuts")
            .with("cuts", span(|cuts| cuts.cuts)?)
            .with("recordings", span(|cuts| cuts.recordings)?),
    )
}
