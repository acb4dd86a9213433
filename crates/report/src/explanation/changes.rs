//! Changes, and their effects on a prediction.

use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::changes::Effect;
use stripewise_stats::Verdict;
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use crate::numbers::mib_per_s;
use crate::table::{Column, Field, Table};
use crate::text::{BAD, BOLD, DIM, GOOD};
use crate::view::View;

/// The most improvements in text.
const BETTER_MAX: usize = 5;
/// The most pieces of popular but useless advice in text.
const USELESS_MAX: usize = 3;

impl ExplainedCell {
    /// Returns the changes: the most effective first, then popular advice that does not help.
    pub(super) fn effects(&self, view: View) -> String {
        let say = |message: &Message| view.say(message);
        let mut table = Table::new([
            Column::words(&say(&Message::new("predict-change")))
                .named(&say(&Message::new("predict-change-name"))),
            Column::number("MiB/s")
                .named(&say(&Metric::Bandwidth.message()))
                .unit("MiB/s"),
            Column::number("p99").named(&say(&Metric::LatencyP99.message())),
            Column::words(&say(&Message::new("predict-change-effect"))),
        ]);
        let effects = || self.changes.iter().map(|change| &change.effect);
        let better = effects().filter(|effect| effect.is_better());
        let useless = effects().filter(|effect| effect.is_popular && !effect.is_better());
        for effect in better.take(BETTER_MAX).chain(useless.take(USELESS_MAX)) {
            let style = match effect.verdict {
                Verdict::Different { .. } if effect.is_better() => GOOD,
                Verdict::Different { .. } => BAD,
                _ => DIM,
            };
            let p99 = effect.latency_ns_p99.map_or_else(String::new, |p99| {
                view.show(&Metric::LatencyP99.quantity(p99.value))
            });
            let bandwidth = Argument::Digits(mib_per_s(effect.bandwidth_bytes_per_s.value));
            table.row(vec![
                Field::plain(say(&effect.change.message())),
                Field::styled(BOLD, view.show(&bandwidth)),
                Field::plain(p99),
                Field::styled(style, say(&effect_message(effect))),
            ]);
        }
        table.finish(view)
    }
}

/// Returns an effect: `38 to 39 % faster`, or its small percentage.
pub(super) fn effect_message(effect: &Effect) -> Message {
    match effect.verdict {
        Verdict::NoDifference { .. } => {
            let percent = format!("{:+.0}", (effect.ratio.value - 1.0) * 100.0);
            let percent = match percent.as_str() {
                "+0" | "-0" => "0".to_owned(),
                _ => percent,
            };
            Message::new("predict-no-difference").digits("percent", percent)
        }
        _ => effect.message(),
    }
}
