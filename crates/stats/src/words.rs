//! A verdict in words, for reports and terminals.

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

/// From this ratio on (or from its inverse down) the words are "times as", not per cent.
const TIMES_FROM: f64 = 2.0;

/// Returns a verdict on other / baseline in words, said of the other.
///
/// "8 to 14 % faster", "2.1 to 2.3 times as fast", "no difference above 5 %", "cannot tell; about 30 more samples
/// would". Two significant digits. The text is for people and may change; programs read the [`Verdict`].
#[must_use]
pub fn words(verdict: &Verdict, better: Better) -> String {
    match *verdict {
        Verdict::Different { low, high } => difference(low, high, better),
        Verdict::NoDifference { margin } => {
            format!("no difference above {} %", two_digits(100.0 * margin))
        }
        Verdict::CannotTell { more_samples } => format!("cannot tell; {}", forecast(more_samples)),
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "sample" } else { "samples" }
}

fn forecast(more_samples: Forecast) -> String {
    match more_samples {
        Forecast::About(count) => {
            format!(
                "about {} more {} would",
                two_digits(count_as_f64(count)),
                plural(count)
            )
        }
        Forecast::MoreThan(count) => {
            // Not rounded: rounding up would claim more than is known.
            format!("more than {count} more {} would be needed", plural(count))
        }
    }
}

fn difference(low: f64, high: f64, better: Better) -> String {
    let rises = low >= 1.0;
    let middle = (low * high).sqrt();
    if middle >= TIMES_FROM || middle <= 1.0 / TIMES_FROM {
        let word = match (better, rises) {
            (Better::Higher, true) => "fast",
            (Better::Higher, false) => "slow",
            (Better::Lower, true) => "high",
            (Better::Lower, false) => "low",
        };
        let (low, high) = if rises {
            (low, high)
        } else {
            (high.recip(), low.recip())
        };
        return format!(
            "{} times as {word}",
            range(two_digits(low), two_digits(high))
        );
    }
    let word = match (better, rises) {
        (Better::Higher, true) => "faster",
        (Better::Higher, false) => "slower",
        (Better::Lower, true) => "higher",
        (Better::Lower, false) => "lower",
    };
    let (low, high) = if rises {
        (low - 1.0, high - 1.0)
    } else {
        (1.0 - high, 1.0 - low)
    };
    format!("{} {word}", percentages(100.0 * low, 100.0 * high))
}

/// Returns "8 to 14 %"; what is below a tenth of a per cent is not worth a digit.
fn percentages(low: f64, high: f64) -> String {
    if high < 0.1 {
        return "less than 0.1 %".to_owned();
    }
    if low < 0.05 {
        return format!("up to {} %", two_digits(high));
    }
    // Beside "14", "8.2" is more precise than the range is.
    let low = if high >= 10.0 && low >= 1.0 {
        two_digits(low.round())
    } else {
        two_digits(low)
    };
    format!("{} %", range(low, two_digits(high)))
}

/// Returns "2.1 to 2.3", or "about 2" where both bounds read the same.
fn range(low: String, high: String) -> String {
    if low == high {
        format!("about {low}")
    } else {
        format!("{low} to {high}")
    }
}

/// Returns `value` with two significant digits and without trailing zeros after the point.
fn two_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.1e}").parse().unwrap_or(value);
    format!("{rounded}")
}
