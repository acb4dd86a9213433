//! A verdict in words, for reports and terminals.

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
        Verdict::CannotTell {
            more_samples: Forecast::About(1),
        } => "cannot tell; 1 more sample might".to_owned(),
        Verdict::CannotTell {
            more_samples: Forecast::About(count),
        } => {
            format!("cannot tell; about {count} more samples would")
        }
        Verdict::CannotTell {
            more_samples: Forecast::MoreThan(count),
        } => {
            format!("cannot tell; it would take more than {count} more samples")
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
        return format!("{} times as {word}", range(low, high));
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
    format!("{} % {word}", range(100.0 * low, 100.0 * high))
}

/// Returns "8 to 14", or "about 8" where both round to the same.
fn range(low: f64, high: f64) -> String {
    // Below ten, decimals are only worth their place when the range is narrow.
    let decimals = if high >= 10.0 && low >= 1.0 || high - low >= 2.0 && low >= 1.0 {
        0
    } else {
        1
    };
    let (low, high) = (rounded(low, decimals), rounded(high, decimals));
    if low == high {
        format!("about {low}")
    } else {
        format!("{low} to {high}")
    }
}

fn rounded(value: f64, decimals: usize) -> String {
    if value >= 10.0 || decimals > 0 {
        two_digits(value)
    } else {
        format!("{value:.0}")
    }
}

/// Returns `value` with two significant digits and without trailing zeros after the point.
fn two_digits(value: f64) -> String {
    let scientific = format!("{value:.1e}");
    let plain: f64 = scientific.parse().unwrap_or(value);
    format!("{plain}")
}
