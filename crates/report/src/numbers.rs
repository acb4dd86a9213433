//! Numbers for people: three significant digits, with their unit, and an interval rounded to the
//! same digit as its value.

use std::fmt;
use std::time::Duration;

use stripewise_answer::{Cell, Tone};
use stripewise_catalogue::number::three_digits;
use stripewise_catalogue::{Argument, Message, Words};
use stripewise_stats::Estimate;
use stripewise_study::metric::Metric;
use stripewise_study::workload::Load;
use stripewise_units::Bytes;

use crate::bar::of_estimate;

/// Returns bytes per second in MiB/s.
pub(crate) fn mib_per_s(bytes_per_s: f64) -> String {
    three_digits(bytes_per_s / f64::from(1 << 20))
}

/// Returns a rate with a suffix for its power of 1000: `987`, `19.7k`, `1.20M`.
pub(crate) fn rate(value: f64) -> String {
    if value >= 999_500.0 {
        format!("{}M", three_digits(value / 1e6))
    } else if value >= 9_995.0 {
        format!("{}k", three_digits(value / 1e3))
    } else {
        format!("{value:.0}")
    }
}

/// Up to this block size, the rate of I/Os says more than the bandwidth.
const IOPS_BLOCK_MAX: Bytes = Bytes::new(64 << 10);

/// Returns whether the I/Os of a load are so small that their rate is always shown.
pub(crate) fn is_small(load: &Load) -> bool {
    load.block_size.largest() <= IOPS_BLOCK_MAX
}

/// An estimate for display: the value, the half width of its interval, and the unit of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The value: `421`.
    pub(crate) value: String,
    /// The wider side of its interval, to the same digit: `±12`; both ends of a wide one:
    /// `(242–1007)`; [`UNKNOWN`] without an interval.
    pub(crate) half: String,
    /// The unit: `MiB/s`.
    pub(crate) unit: &'static str,
}

/// Shown for an unknown interval: too few samples.
pub(crate) const UNKNOWN: &str = "±?";

/// An interval that reaches farther from its value than this part of it is shown by its ends: one half
/// width for both sides would be far off, and could be more than the value.
const WIDE: f64 = 0.5;

impl Reading {
    /// Returns the reading as the value of a variable.
    pub(crate) fn argument(&self) -> Argument {
        // Each of the two numbers has its own decimal sign.
        Message::new("reading")
            .digits("value", &self.value)
            .with("half", Argument::quantity(self.half.clone(), self.unit))
            .into()
    }

    /// Formats an estimate of `metric`.
    pub(crate) fn new(metric: Metric, estimate: &Estimate) -> Self {
        let (scale, unit) = metric.scale(estimate.value);
        let value = match metric {
            Metric::Iops => format!("{:.0}", estimate.value),
            _ => three_digits(estimate.value / scale),
        };
        let decimals = value.split_once('.').map_or(0, |(_, digits)| digits.len());
        let half = estimate.interval.zip(reach(estimate));
        let half = half.map(|(interval, reach)| match reach > WIDE * estimate.value {
            true => {
                let [low, high] = [interval.low, interval.high].map(|end| end / scale);
                format!("({low:.decimals$}–{high:.decimals$})")
            }
            false => half_width(reach / scale, decimals),
        });
        Self {
            value,
            half: half.unwrap_or_else(|| UNKNOWN.to_owned()),
            unit,
        }
    }
}

/// Returns an estimate for a table as three cells: value, interval and bar. `most` is the value
/// of the longest bar.
pub(crate) fn estimate_cells(metric: Metric, estimate: &Estimate, most: f64) -> [Cell; 3] {
    let reading = Reading::new(metric, estimate);
    let half = Cell::digits(reading.half).tone(Tone::Dim);
    [
        Cell::digits(reading.value)
            .exact(estimate.value)
            .tone(Tone::Strong),
        match estimate.interval {
            Some(interval) => half.ends(interval.low, interval.high),
            None => half,
        },
        Cell::bar(of_estimate(estimate, most)),
    ]
}

/// Returns the wider side of the interval of an estimate.
fn reach(estimate: &Estimate) -> Option<f64> {
    let interval = estimate.interval?;
    Some((estimate.value - interval.low).max(interval.high - estimate.value))
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.value, self.half, self.unit)
    }
}

/// Returns half the width of an interval to the last digit that its value shows.
///
/// An interval too narrow for this digit is not shown as zero: `±<0.1`. Only samples that are all
/// equal have `±0`.
fn half_width(reach: f64, decimals: usize) -> String {
    let rounded = format!("{reach:.decimals$}");
    let is_lost = reach > 0.0 && rounded.chars().all(|digit| matches!(digit, '0' | '.'));
    match decimals {
        _ if reach <= 0.0 => "±0".to_owned(),
        0 if is_lost => "±<1".to_owned(),
        _ if is_lost => format!("±<0.{:0>decimals$}", 1),
        _ => format!("±{rounded}"),
    }
}

/// Returns a duration for people: `4 s`, `2 min 3 s`, `1 h 5 min`.
pub fn span(duration: Duration) -> String {
    let seconds = duration.as_secs() + u64::from(duration.subsec_millis() >= 500);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns bytes for people: `256 MiB`, `1.50 GiB`.
pub fn size(bytes: u64) -> String {
    size_argument(bytes).in_english()
}

/// Returns bytes as the value of a variable.
pub(crate) fn size_argument(bytes: u64) -> Argument {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    for (shift, unit) in units {
        if bytes >= 1 << shift {
            let hundredths = (u128::from(bytes) * 100) >> shift;
            let digits = match hundredths.is_multiple_of(100) {
                true => (hundredths / 100).to_string(),
                false => format!("{}.{:02}", hundredths / 100, hundredths % 100),
            };
            return Argument::quantity(digits, unit);
        }
    }
    Argument::quantity(bytes.to_string(), "B")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_catalogue::Language;
    use stripewise_stats::{Interval, Level};

    fn reading(metric: Metric, value: f64, interval: Option<(f64, f64)>) -> String {
        let estimate = Estimate {
            value,
            interval: interval.map(|(low, high)| Interval { low, high }),
            of_samples: None,
            level: Level::P95,
            samples: 6,
            effective_samples: 6.0,
        };
        let reading = Reading::new(metric, &estimate);
        assert_eq!(reading.argument().in_english(), reading.to_string());
        reading.to_string()
    }

    #[test]
    fn both_numbers_of_a_reading_have_the_decimal_sign_of_the_language() {
        let reading = Reading {
            value: "2.36".to_owned(),
            half: "±0.02".to_owned(),
            unit: "MiB/s",
        };
        assert_eq!(
            reading.argument().in_language(Language::German),
            "2,36 ±0,02 MiB/s"
        );
    }

    #[test]
    fn an_interval_is_in_the_unit_of_its_value_and_ends_at_the_same_digit() {
        let mib = |mib: f64| mib * f64::from(1 << 20);
        let bandwidth = |value, low, high| {
            let interval = Some((mib(low), mib(high)));
            reading(Metric::Bandwidth, mib(value), interval)
        };
        assert_eq!(
            bandwidth(421.0, 412.0, 433.4),
            "421 ±12 MiB/s",
            "the wider side"
        );
        assert_eq!(bandwidth(1471.0, 971.0, 1500.0), "1471 ±500 MiB/s");
        assert_eq!(bandwidth(23.64, 23.5, 23.7), "23.6 ±0.1 MiB/s");
        assert_eq!(bandwidth(2.36, 1.2, 2.4), "2.36 ±1.16 MiB/s");
        assert_eq!(
            bandwidth(2.36, 1.1, 2.4),
            "2.36 (1.10–2.40) MiB/s",
            "a wide one"
        );
        assert_eq!(bandwidth(494.0, 242.0, 1007.0), "494 (242–1007) MiB/s");
        assert_eq!(
            reading(
                Metric::LatencyP99,
                1_020_000.0,
                Some((990_000.0, 1_030_000.0))
            ),
            "1.02 ±0.03 ms"
        );
        assert_eq!(
            reading(
                Metric::LatencyP99,
                950_000.0,
                Some((940_000.0, 1_200_000.0))
            ),
            "950 ±250 µs"
        );
        assert_eq!(
            reading(Metric::Iops, 14_871.0, Some((14_800.0, 14_900.0))),
            "14871 ±71 IOPS"
        );
    }

    #[test]
    fn only_an_interval_of_no_width_is_shown_as_zero() {
        let near = |value: f64, by: f64| {
            reading(Metric::LatencyMean, value, Some((value - by, value + by)))
        };
        assert_eq!(near(421.0, 0.0), "421 ±0 ns");
        assert_eq!(near(421.0, 0.3), "421 ±<1 ns");
        assert_eq!(near(42.1, 0.04), "42.1 ±<0.1 ns");
        assert_eq!(near(4.21, 0.001), "4.21 ±<0.01 ns");
        assert_eq!(near(4.21, 0.008), "4.21 ±0.01 ns");
        assert_eq!(reading(Metric::LatencyMean, 421.0, None), "421 ±? ns");
    }

    #[test]
    fn numbers_have_three_digits_and_a_unit() {
        assert_eq!(
            [0.314, 4.561, 19.68, 99.97, 823.4].map(three_digits),
            ["0.31", "4.56", "19.7", "100", "823"]
        );
        assert_eq!(
            [987.0, 19_700.0, 1_204_000.0].map(rate),
            ["987", "19.7k", "1.20M"]
        );
        assert_eq!(
            [4, 123, 3900, 120].map(|s| span(Duration::from_secs(s))),
            ["4 s", "2 min 3 s", "1 h 5 min", "2 min"]
        );
        assert_eq!(
            [512, 256 << 20, 3 << 29].map(size),
            ["512 B", "256 MiB", "1.50 GiB"]
        );
        assert_eq!(
            size_argument(3 << 29).in_language(Language::German),
            "1,50 GiB"
        );
    }
}
