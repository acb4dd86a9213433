//! Changes, and their effects on a prediction.

use stripewise_answer::{Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::changes::Effect;
use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use crate::change::signed;
use crate::numbers::mib_per_s;

/// The most improvements in text.
const BETTER_MAX: usize = 5;
/// The most pieces of popular but useless advice in text.
const USELESS_MAX: usize = 3;

impl ExplainedCell {
    /// Returns the changes: the most effective first, then popular advice that does not help.
    pub(super) fn effects(&self) -> Table {
        let mut table = Table::new(
            "changes",
            [
                Column::words("change", Message::new("predict-change"))
                    .named(Message::new("predict-change-name")),
                Column::number(Metric::Bandwidth.key(), Argument::Name("MiB/s".to_owned()))
                    .named(Metric::Bandwidth.message())
                    .unit("MiB/s"),
                Column::number(Metric::LatencyP99.key(), Argument::Name("p99".to_owned()))
                    .named(Metric::LatencyP99.message()),
                Column::words("effect", Message::new("predict-change-effect")),
            ],
        );
        let effects = || self.changes.iter();
        let better = effects().filter(|one| one.effect.is_better());
        let useless = effects().filter(|one| one.effect.is_popular && !one.effect.is_better());
        for change in better.take(BETTER_MAX).chain(useless.take(USELESS_MAX)) {
            let effect = &change.effect;
            let tone = match effect.verdict {
                Verdict::Different { .. } if effect.is_better() => Tone::Good,
                Verdict::Different { .. } => Tone::Bad,
                _ => Tone::Dim,
            };
            let p99 = effect.latency_ns_p99.map_or_else(Cell::empty, |p99| {
                Cell::of(Metric::LatencyP99.quantity(p99.value)).exact(p99.value)
            });
            let bandwidth = effect.bandwidth_bytes_per_s.value;
            table.row([
                Cell::of(change.what.clone()),
                Cell::digits(mib_per_s(bandwidth))
                    .exact(bandwidth)
                    .tone(Tone::Strong),
                p99,
                Cell::of(change.words.clone()).tone(tone),
            ]);
        }
        table
    }
}

/// Returns an effect: `38 to 39 % faster`, or its small percentage.
pub(super) fn effect_message(effect: &Effect) -> Message {
    match effect.verdict {
        Verdict::NoDifference { .. } => {
            let percent = signed((effect.ratio.value - 1.0) * 100.0, 0);
            Message::new("predict-no-difference").digits("percent", percent)
        }
        _ => effect.message(),
    }
}
