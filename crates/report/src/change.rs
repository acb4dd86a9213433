//! Differences from a baseline: in percent with the interval, and as a factor if large.

use stripewise_analysis::comparison::better;
use stripewise_catalogue::{Argument, Message};
use stripewise_stats::{Estimate, Verdict};
use stripewise_study::metric::Metric;

use crate::verdict::{ChangePercent, VerdictPart};

/// From this ratio on, or from its inverse down, the message includes the factor.
const FACTOR_FROM: f64 = 2.0;
/// From this many percent on, decimals are noise.
const WHOLE_FROM: f64 = 100.0;
/// Below this many percent a decimal matters.
const TENTHS_BELOW: f64 = 10.0;

/// Returns a ratio to the baseline as a difference: `+34 % [+30, +38]`, `+640 % [+590, +690], ×7.4`.
pub fn difference(ratio: &Estimate) -> Message {
    let change = ChangePercent::of(ratio);
    let bounds = change.low.zip(change.high);
    let size = [Some(change.value), change.low, change.high];
    let size = size.into_iter().flatten().map(f64::abs);
    let size = size.fold(0.0, f64::max);
    let is_narrow = bounds.is_some_and(|(low, high)| high - low < 1.0);
    let decimals = usize::from(size < WHOLE_FROM && (size < TENTHS_BELOW || is_narrow));
    let message = match bounds {
        Some((low, high)) => Message::new("ratio-interval")
            .digits("low", signed(low, decimals))
            .digits("high", signed(high, decimals)),
        None => Message::new("ratio-alone"),
    };
    let factor = factor(ratio.value).map_or_else(String::new, |factor| format!(", {factor}"));
    message
        .digits("value", signed(change.value, decimals))
        .digits("factor", factor)
}

/// Returns a large ratio as a factor: `×7.4`, `÷2.5`.
pub(crate) fn factor(ratio: f64) -> Option<String> {
    let (sign, factor) = match ratio < 1.0 {
        true => ('÷', ratio.recip()),
        false => ('×', ratio),
    };
    let is_large = factor.is_finite() && factor >= FACTOR_FROM;
    let decimals = usize::from(factor < 9.95);
    is_large.then(|| format!("{sign}{factor:.decimals$}"))
}

/// Returns a number with its sign; a number that rounds to zero has none.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    match digits.chars().all(|digit| matches!(digit, '0' | '.')) {
        true => "0".to_owned(),
        false if value < 0.0 => format!("−{digits}"),
        false => format!("+{digits}"),
    }
}

/// Returns a verdict beside its difference: `+34 % [+30, +38]`, `+0.4 % [−0.2, +0.9] same`.
pub(crate) fn brief(part: &VerdictPart) -> Message {
    let change = difference(&part.ratio);
    match part.verdict {
        Verdict::Different { .. } => change,
        Verdict::NoDifference { .. } => Message::new("judged-same").with("difference", change),
        Verdict::CannotTell { .. } => Message::new("judged-unknown").with("difference", change),
    }
}

/// Returns a difference with all of its verdict that is not in a legend: `+34 % [+30, +38] faster`,
/// `+0.4 % [−0.2, +0.9] same`, `+4 % [−3, +11]: cannot tell; about 30 more samples would`.
pub(crate) fn full(part: &VerdictPart, metric: Metric) -> Message {
    let change = difference(&part.ratio);
    let with = |id: &'static str, word: Message| {
        Message::new(id)
            .with("difference", change.clone())
            .with("word", word)
    };
    match part.verdict {
        Verdict::Different { low, .. } => with("judged-different", direction(metric, low >= 1.0)),
        Verdict::NoDifference { .. } => brief(part),
        Verdict::CannotTell { .. } => with("judged-open", part.words.clone()),
    }
}

/// Returns the meaning of "same", if any of the verdicts says it.
pub(crate) fn meaning_of_same<'a>(
    parts: impl IntoIterator<Item = &'a VerdictPart>,
) -> Option<Message> {
    let margin = parts.into_iter().find_map(|part| match part.verdict {
        Verdict::NoDifference { margin } => Some(margin),
        _ => None,
    });
    margin.map(|margin| {
        let margin = Argument::quantity(margin_percent(margin), "%");
        Message::new("same-means").with("margin", margin)
    })
}

/// Returns a margin in percent, without zeros that say nothing: `5`, `2.5`.
pub(crate) fn margin_percent(margin: f64) -> String {
    let digits = format!("{:.2}", margin * 100.0);
    digits
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

/// Returns the word for more or less of a metric.
pub(crate) fn direction(metric: Metric, rises: bool) -> Message {
    stripewise_stats::direction(better(metric), rises)
}

#[cfg(test)]
mod tests {
    use stripewise_stats::{Interval, Level};

    use stripewise_catalogue::Words;

    use super::*;

    fn words(value: f64, bounds: Option<(f64, f64)>) -> String {
        difference(&Estimate {
            value,
            interval: bounds.map(|(low, high)| Interval { low, high }),
            of_samples: None,
            level: Level::P95,
            samples: 6,
            effective_samples: 6.0,
        })
        .in_english()
    }

    #[test]
    fn a_difference_has_its_interval_and_large_ones_their_factor() {
        assert_eq!(words(1.34, Some((1.30, 1.38))), "+34 % [+30, +38]");
        assert_eq!(words(0.75, Some((0.71, 0.79))), "−25 % [−29, −21]");
        assert_eq!(words(1.342, Some((1.340, 1.345))), "+34.2 % [+34.0, +34.5]");
        assert_eq!(words(1.004, Some((0.998, 1.009))), "+0.4 % [−0.2, +0.9]");
        assert_eq!(words(1.0, Some((1.0, 1.0))), "0 % [0, 0]");
        assert_eq!(words(1.99, Some((1.9, 2.1))), "+99 % [+90, +110]");
        assert_eq!(words(7.4, Some((6.9, 7.9))), "+640 % [+590, +690], ×7.4");
        assert_eq!(words(0.136, Some((0.128, 0.144))), "−86 % [−87, −86], ÷7.4");
        assert_eq!(
            words(31.0, Some((30.0, 32.0))),
            "+3000 % [+2900, +3100], ×31"
        );
    }

    #[test]
    fn a_single_measurement_says_that_it_has_no_interval() {
        assert_eq!(words(1.34, None), "+34 % (no interval)");
        assert_eq!(words(0.4, None), "−60 % (no interval), ÷2.5");
    }
}
