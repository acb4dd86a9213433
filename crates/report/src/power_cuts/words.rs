//! The advice as sentences, for the terminal and the page.

use stripewise_analysis::advice::{Advice, Faster, Reason};
use stripewise_analysis::cuts::{CutShare, CutSummary};
use stripewise_catalogue::number::two_digits;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cut::RecoveryStep;
use stripewise_study::metric::Metric;

use super::CutSetting;
use crate::at_risk::time;
use crate::numbers::Reading;

/// Returns a part of the advice as a sentence.
pub(super) fn message(advice: &Advice, settings: &[CutSetting], metric: Metric) -> Message {
    let name = |setting: usize| quoted(&settings[setting]);
    let names = |indices: &[usize]| Argument::list_and(indices.iter().map(|index| name(*index)));
    let promise = promise(settings);
    match advice {
        Advice::PredictedLossless { settings } => Message::new("advice-predicted-lossless")
            .count("settings_count", settings.len())
            .with("settings", names(settings))
            .name("promise", promise),
        Advice::PredictedNone => Message::new("advice-predicted-none").name("promise", promise),
        Advice::PredictedLoss { settings } => {
            let items = settings.iter().map(|loss| {
                let message = Message::new(match loss.age_ns_max {
                    Some(_) => "advice-predicted-loss",
                    None => "advice-predicted-no-limit",
                });
                let message = message.with("setting", name(loss.setting));
                match loss.age_ns_max {
                    Some(age) => message.with("age", time(age)),
                    None => message,
                }
            });
            Message::new("advice-predicted-losses")
                .with("losses", Argument::list(items))
                .name("promise", promise)
        }
        Advice::NoCuts => Message::new("advice-no-cuts"),
        Advice::Lossless {
            settings,
            cuts_min,
            high,
        } => Message::new("advice-lossless")
            .count("settings_count", settings.len())
            .with("settings", names(settings))
            .digits("cuts", cuts_min)
            .percent("high", *high),
        Advice::NoneLossless => Message::new("advice-none-lossless"),
        Advice::Fastest(faster) => Message::new("advice-fastest")
            .with("setting", name(faster.setting))
            .with("value", throughput(&settings[faster.setting], metric))
            .with("ratio", ratio(faster))
            .with("other", name(faster.than)),
        Advice::Alternatives { settings } => {
            let items = settings.iter().map(|faster| {
                Message::new("advice-alternative")
                    .with("setting", name(faster.setting))
                    .with("ratio", ratio(faster))
            });
            Message::new("advice-alternatives").with("settings", Argument::list_and(items))
        }
        Advice::Relax {
            faster,
            age_ns_max,
            unusable,
        } => Message::new("advice-relax")
            .with("setting", name(faster.setting))
            .with("ratio", ratio(faster))
            .with("other", name(faster.than))
            .with("age", time(*age_ns_max))
            .digits("cuts", unusable.of)
            .percent("high", unusable.high),
        Advice::Avoid { setting, reason } => avoid(&settings[*setting], reason),
        Advice::Undecided { settings, needed } => Message::new("advice-undecided")
            .with("settings", names(settings))
            .digits("needed", needed),
        Advice::NoThroughput => Message::new("advice-no-throughput"),
        Advice::Disagrees {
            setting,
            predicted_share,
            measured,
        } => counted("advice-disagrees", measured)
            .with("setting", name(*setting))
            .percent("predicted", *predicted_share)
            .with("interval", interval(measured)),
    }
}

/// Returns what predictions count as kept: what a sync promised to be durable, or what a write returned.
fn promise(settings: &[CutSetting]) -> &'static str {
    let mut predicted = settings.iter().filter_map(|one| one.predicted.as_ref());
    match predicted.all(|one| one.is_promised) {
        true => "durable",
        false => "returned",
    }
}

fn avoid(setting: &CutSetting, reason: &Reason) -> Message {
    let message = match reason {
        Reason::Unusable { share } => {
            let steps = setting.measured.as_ref().map(steps);
            counted("advice-avoid-unusable", share)
                .with("steps", steps.unwrap_or(Argument::Name(String::new())))
        }
        Reason::Corrupt { share } => counted("advice-avoid-corrupt", share),
        Reason::Loses { age_ns_max } => {
            Message::new("advice-avoid-loses").with("age", time(*age_ns_max))
        }
        Reason::NoLimit { age_ns_max } => {
            Message::new("advice-avoid-no-limit").with("age", time(*age_ns_max))
        }
    };
    message.with("setting", quoted(setting))
}

/// Returns how many stacks failed in which step: `mount 12, database start 3`.
fn steps(cuts: &CutSummary) -> Argument {
    let steps = cuts.unusable_at.iter().map(|failed| {
        Message::new("cut-step-count")
            .with("step", step(failed.step))
            .digits("count", failed.count)
    });
    Argument::list(steps)
}

pub(super) fn step(step: RecoveryStep) -> Message {
    Message::new(match step {
        RecoveryStep::Assemble => "cut-step-assemble",
        RecoveryStep::Check => "cut-step-check",
        RecoveryStep::Mount => "cut-step-mount",
        RecoveryStep::Start => "cut-step-start",
        RecoveryStep::Read => "cut-step-read",
    })
}

fn counted(id: &'static str, share: &CutShare) -> Message {
    Message::new(id)
        .count("count", share.count)
        .count("of", share.of)
}

/// Returns the name of a setting in quotes: it may contain commas.
fn quoted(setting: &CutSetting) -> Message {
    Message::new("advice-setting").with("name", setting.name.clone())
}

fn throughput(setting: &CutSetting, metric: Metric) -> Argument {
    let estimate = setting.simulated_throughput.as_ref();
    estimate.map_or(Argument::Name("-".to_owned()), |estimate| {
        Reading::new(metric, estimate).argument()
    })
}

fn ratio(faster: &Faster) -> Argument {
    Argument::Digits(two_digits(faster.ratio))
}

/// Returns the interval of a share: `[0–17 %]`.
pub(super) fn interval(share: &CutShare) -> Message {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    Message::new("cut-interval")
        .digits("low", percent(share.low))
        .digits("high", percent(share.high))
}
