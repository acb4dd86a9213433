//! A verdict as a message, for reports and terminals.

use stripewise_message::Message;
use stripewise_message::number::two_digits;

use crate::number::count_as_f64;
use crate::{Forecast, Verdict};

/// Which way a quantity is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Throughput, operations per second: "faster" and "slower".
    Higher,
    /// Latency, CPU time: "lower" and "higher".
    Lower,
}

/// From this ratio on (or from its inverse down) the message says "times as", not per cent.
const TIMES_FROM: f64 = 2.0;

/// Returns a verdict on the ratio of a value to its baseline, about the value.
///
/// "8 to 14 % faster", "2.1 to 2.3 times as fast", "no difference above 5 %", "cannot tell; about 30 more samples
/// would". Two significant digits. The text is for people and may change; programs read the [`Verdict`].
#[must_use]
pub fn message(verdict: &Verdict, better: Better) -> Message {
    match *verdict {
        Verdict::Different { low, high } => difference(low, high, better),
        Verdict::NoDifference { margin } => {
            Message::new("verdict-same").digits("margin", two_digits(100.0 * margin))
        }
        Verdict::CannotTell { more_samples } => forecast(more_samples),
    }
}

fn forecast(more_samples: Forecast) -> Message {
    match more_samples {
        Forecast::About(count) => {
            // Two digits of a whole number are a whole number.
            let about = two_digits(count_as_f64(count)).parse().unwrap_or(count);
            Message::new("verdict-unknown-about").count("count", about)
        }
        // Not rounded: rounding up would claim more than is known.
        Forecast::MoreThan(count) => Message::new("verdict-unknown-more").count("count", count),
    }
}

/// Returns the word after a percentage: faster, slower, higher or lower.
#[must_use]
pub fn direction(better: Better, rises: bool) -> Message {
    Message::new(format!("word-percent-{}", kind(better, rises)))
}

const fn kind(better: Better, rises: bool) -> &'static str {
    match (better, rises) {
        (Better::Higher, true) => "higher-rises",
        (Better::Higher, false) => "higher-falls",
        (Better::Lower, true) => "lower-rises",
        (Better::Lower, false) => "lower-falls",
    }
}

fn difference(low: f64, high: f64, better: Better) -> Message {
    let rises = low >= 1.0;
    let middle = (low * high).sqrt();
    if middle >= TIMES_FROM || middle <= 1.0 / TIMES_FROM {
        let (low, high) = if rises {
            (low, high)
        } else {
            (high.recip(), low.recip())
        };
        return Message::new("verdict-times")
            .with("range", range(two_digits(low), two_digits(high)))
            .with(
                "word",
                Message::new(format!("word-times-{}", kind(better, rises))),
            );
    }
    let (low, high) = if rises {
        (low - 1.0, high - 1.0)
    } else {
        (1.0 - high, 1.0 - low)
    };
    percentages(100.0 * low, 100.0 * high).with("word", direction(better, rises))
}

/// Returns "8 to 14 %"; below a tenth of a per cent, digits are noise.
fn percentages(low: f64, high: f64) -> Message {
    if high < 0.1 {
        return Message::new("verdict-less-than-tenth");
    }
    if low < 0.05 {
        return Message::new("verdict-up-to").digits("high", two_digits(high));
    }
    // Beside "14", "8.2" is more precise than the range is.
    let low = if high >= 10.0 && low >= 1.0 {
        two_digits(low.round())
    } else {
        two_digits(low)
    };
    Message::new("verdict-percent").with("range", range(low, two_digits(high)))
}

/// Returns "2.1 to 2.3", or "about 2" where both bounds read the same.
fn range(low: String, high: String) -> Message {
    if low == high {
        Message::new("verdict-about").digits("value", low)
    } else {
        Message::new("verdict-range")
            .digits("low", low)
            .digits("high", high)
    }
}
