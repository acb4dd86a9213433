//! The table of power cuts for a terminal, with the advice below it.
//!
//! A head that begins with `~` marks simulated numbers; all others were measured.

use stripewise_analysis::cuts::{CutPrediction, CutShare, CutSummary};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::Axis;
use stripewise_study::metric::Metric;

use super::words::interval;
use super::{CutSetting, PowerCuts};
use crate::at_risk::{size, time};
use crate::numbers::Reading;
use crate::table::{Column, Field, Table};
use crate::text::{BAD, BOLD, DIM, WARN, dimmed, painted, strip_control, wrapped};
use crate::view::View;

/// Returns the table of power cuts, its meaning, and the advice.
pub fn power_cuts(cuts: &PowerCuts, view: View) -> String {
    let layout = Layout::new(cuts);
    let word = |id: &'static str| view.say(&Message::new(id));
    let mut table = Table::new(layout.columns(cuts, view));
    let mut before: Vec<&str> = Vec::new();
    for setting in &cuts.settings {
        let values: Vec<&str> = cuts.axes.iter().map(|axis| value(setting, axis)).collect();
        let same = values.iter().zip(&before);
        let same = same.take_while(|(one, other)| one == other).count();
        let mut row: Vec<Field> = (0..)
            .zip(&values)
            .map(|(column, value)| Field::plain(*value).repeated(column < same))
            .collect();
        row.extend(layout.fields(setting, cuts.throughput_metric.0, view));
        table.row(row);
        before = values;
    }
    let mut text = painted(BOLD, &word("cut-heading"), view);
    text.push_str(&table.finish(view));
    text.push_str(&dimmed(&meaning(cuts, &layout, view), view));
    text.push('\n');
    text.push_str(&painted(BOLD, &word("advice-heading"), view));
    for part in &cuts.advice {
        text.push_str(&wrapped(
            &strip_control(&view.say(&part.sentence)),
            "",
            view,
        ));
    }
    text
}

fn value<'a>(setting: &'a CutSetting, axis: &Axis) -> &'a str {
    setting.values.get(axis).map_or("-", String::as_str)
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

    fn columns(&self, cuts: &PowerCuts, view: View) -> Vec<Column> {
        let word = |id: &'static str| view.say(&Message::new(id));
        let number =
            |head: &'static str, name: &'static str| Column::number(&word(head)).named(&word(name));
        let range = |rank: u8| Column::range("95 %").optional(rank);
        let axes = cuts.axes.iter();
        let mut columns: Vec<Column> = axes
            .map(|axis| Column::group(&view.say(&axis.message())))
            .collect();
        if self.has_throughput {
            columns.push(match cuts.throughput_metric.0 {
                Metric::Bandwidth => Column::number("~MiB/s")
                    .named(&word("cut-simulated-bandwidth"))
                    .unit("MiB/s"),
                _ => Column::number("~IOPS").named(&word("cut-simulated-iops")),
            });
            columns.push(Column::interval().optional(1));
        }
        if self.has_cuts {
            columns.extend(
                self.has_images
                    .then(|| number("cut-recordings-head", "cut-recordings").optional(2)),
            );
            columns.extend([
                number("cut-lost-head", "cut-lost"),
                range(0),
                number("cut-unusable-head", "cut-unusable"),
                range(1),
            ]);
            columns.extend([
                number("cut-corrupt-head", "cut-corrupt").optional(3),
                range(1),
            ]);
            columns.extend(
                self.has_unknown
                    .then(|| number("cut-unknown-head", "cut-unknown").optional(3)),
            );
            columns.push(number("cut-time-p50-head", "cut-time-p50").optional(1));
            columns.push(number("cut-time-max-head", "cut-time-max"));
            columns.push(number("cut-bytes-p50-head", "cut-bytes-p50").optional(1));
            columns.push(number("cut-bytes-max-head", "cut-bytes-max").optional(2));
        }
        if self.has_predictions {
            // Without cuts the predictions are the table.
            let rank = |rank: u8| if self.has_cuts { rank } else { 0 };
            columns.push(number("cut-predicted-lost-head", "cut-predicted-lost").optional(rank(3)));
            columns
                .push(number("cut-predicted-time-p50-head", "cut-predicted-time-p50").optional(1));
            columns.push(
                number("cut-predicted-time-max-head", "cut-predicted-time-max").optional(rank(2)),
            );
            columns.push(
                number("cut-predicted-bytes-p50-head", "cut-predicted-bytes-p50").optional(1),
            );
            columns.push(
                number("cut-predicted-bytes-max-head", "cut-predicted-bytes-max").optional(rank(1)),
            );
        }
        columns
    }

    fn fields(&self, setting: &CutSetting, metric: Metric, view: View) -> Vec<Field> {
        let mut fields = Vec::new();
        if self.has_throughput {
            fields.extend(match &setting.simulated_throughput {
                Some(estimate) => {
                    let reading = Reading::new(metric, estimate);
                    [
                        Field::plain(view.digits(reading.value)),
                        Field::styled(DIM, view.digits(reading.half)),
                    ]
                }
                None => [missing(), Field::plain("")],
            });
        }
        if self.has_cuts {
            fields.extend(self.measured(setting.measured.as_ref(), view));
        }
        if self.has_predictions {
            fields.extend(predicted(setting.predicted.as_ref(), view));
        }
        fields
    }

    fn measured(&self, cuts: Option<&CutSummary>, view: View) -> Vec<Field> {
        let share = |share: Option<&CutShare>, style| match share.filter(|share| share.of > 0) {
            Some(share) => {
                let message = Message::new("cut-share");
                let message = message.digits("count", share.count).digits("of", share.of);
                let style = if share.count == 0 { DIM } else { style };
                [
                    Field::styled(style, view.say(&message)),
                    Field::styled(DIM, view.say(&interval(share))),
                ]
            }
            None => [missing(), Field::plain("")],
        };
        let mut fields = Vec::new();
        if self.has_images {
            fields.push(cuts.map_or_else(missing, |cuts| {
                Field::styled(DIM, cuts.recordings.to_string())
            }));
        }
        fields.extend(share(cuts.map(|cuts| &cuts.lost), WARN));
        fields.extend(share(cuts.map(|cuts| &cuts.unusable), BAD));
        fields.extend(share(cuts.map(|cuts| &cuts.corrupt), BAD));
        if self.has_unknown {
            fields.push(match cuts.map_or(0, |cuts| cuts.unknown) {
                0 => missing(),
                unknown => Field::styled(WARN, unknown.to_string()),
            });
        }
        let (age, bytes) = (
            cuts.and_then(|cuts| cuts.age_ns),
            cuts.and_then(|cuts| cuts.bytes),
        );
        let loss = |number: Option<u64>, quantity: fn(u64) -> Argument| match (cuts, number) {
            (_, Some(number)) => amount(number, quantity, view),
            // Stacks that did not come back may have lost everything.
            (Some(_), None) => Field::styled(WARN, view.say(&Message::new("cut-loss-unknown"))),
            (None, None) => missing(),
        };
        fields.extend([
            loss(age.map(|age| age.median), time),
            loss(age.map(|age| age.max), time),
            loss(bytes.map(|bytes| bytes.median), size),
            loss(bytes.map(|bytes| bytes.max), size),
        ]);
        fields
    }
}

fn predicted(predicted: Option<&CutPrediction>, view: View) -> Vec<Field> {
    let Some(predicted) = predicted else {
        return vec![missing(); 5];
    };
    let share = predicted.lost_share.map(Argument::percent);
    let mut fields = vec![share.map_or_else(missing, |share| Field::plain(view.show(&share)))];
    let loss = |number: u64, quantity: fn(u64) -> Argument| match predicted.is_unbounded {
        true => Field::styled(WARN, view.say(&Message::new("risk-unbounded"))),
        false => amount(number, quantity, view),
    };
    fields.extend([
        loss(predicted.age_ns_p50, time),
        loss(predicted.age_ns_max, time),
        loss(predicted.bytes_p50, size),
        loss(predicted.bytes_max, size),
    ]);
    fields
}

fn amount(number: u64, quantity: fn(u64) -> Argument, view: View) -> Field {
    let style = if number == 0 { DIM } else { WARN };
    Field::styled(style, view.show(&quantity(number)))
}

fn missing() -> Field {
    Field::styled(DIM, "-")
}

/// Returns what the numbers mean, and where they come from.
fn meaning(cuts: &PowerCuts, layout: &Layout, view: View) -> String {
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
    if layout.has_throughput || layout.has_predictions {
        sentences.push(Message::new("cut-meaning-simulated"));
    }
    let sentences = sentences.iter().map(|sentence| view.say(sentence));
    sentences.collect::<Vec<_>>().join(" ")
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
