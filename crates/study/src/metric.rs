//! Numbers that can be read from a sample.

use serde::{Deserialize, Serialize, Serializer};
use stripewise_message::number::three_digits;
use stripewise_message::{Argument, Message};

/// A number of a sample, with its unit.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Bytes moved per second, both directions together.
    Bandwidth,
    /// I/Os completed per second, both directions together.
    Iops,
    /// The mean latency.
    LatencyMean,
    /// The latency that half of the I/Os do not exceed.
    LatencyP50,
    /// The latency that 99 % of the I/Os do not exceed.
    LatencyP99,
    /// The latency that 99.9 % of the I/Os do not exceed.
    LatencyP999,
    /// The mean time of an `fsync` or `fdatasync`.
    SyncLatencyMean,
    /// The time that 99 % of the `fsync` and `fdatasync` calls do not exceed.
    SyncLatencyP99,
}

impl Metric {
    /// All metrics, in the order in which they are listed.
    pub const ALL: [Metric; 8] = [
        Metric::Bandwidth,
        Metric::Iops,
        Metric::LatencyMean,
        Metric::LatencyP50,
        Metric::LatencyP99,
        Metric::LatencyP999,
        Metric::SyncLatencyMean,
        Metric::SyncLatencyP99,
    ];

    /// Returns the key of the metric in JSON and CSV; it ends in the unit or the quantile.
    pub const fn key(self) -> &'static str {
        match self {
            Metric::Bandwidth => "bandwidth_bytes_per_s",
            Metric::Iops => "iops",
            Metric::LatencyMean => "latency_ns_mean",
            Metric::LatencyP50 => "latency_ns_p50",
            Metric::LatencyP99 => "latency_ns_p99",
            Metric::LatencyP999 => "latency_ns_p999",
            Metric::SyncLatencyMean => "sync_latency_ns_mean",
            Metric::SyncLatencyP99 => "sync_latency_ns_p99",
        }
    }

    /// Returns the name of the metric.
    pub fn message(self) -> Message {
        Message::new(format!("metric-{}", self.key()))
    }

    /// Returns whether higher is better.
    pub const fn higher_is_better(self) -> bool {
        matches!(self, Metric::Bandwidth | Metric::Iops)
    }

    /// Returns a value of the metric for people, with its unit: `823 MiB/s`, `1.02 ms`.
    pub fn quantity(self, value: f64) -> Argument {
        let (scale, unit) = self.scale(value);
        let digits = match self {
            Metric::Iops => format!("{value:.0}"),
            _ => three_digits(value / scale),
        };
        Argument::quantity(digits, unit)
    }

    /// Returns the display unit of `value`, and its size in the metric's own unit.
    pub fn scale(self, value: f64) -> (f64, &'static str) {
        match self {
            Metric::Bandwidth => (f64::from(1 << 20), "MiB/s"),
            Metric::Iops => (1.0, "IOPS"),
            _ => match value {
                value if value < 999.5 => (1.0, "ns"),
                value if value < 999_500.0 => (1e3, "µs"),
                value if value < 999_500_000.0 => (1e6, "ms"),
                _ => (1e9, "s"),
            },
        }
    }
}

/// A metric under its key, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricKey(pub Metric);

impl Serialize for MetricKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.key())
    }
}

#[cfg(feature = "typescript")]
impl ts_rs::TS for MetricKey {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "MetricKey".to_owned()
    }

    fn inline(_: &ts_rs::Config) -> String {
        Metric::ALL
            .map(|metric| format!("\"{}\"", metric.key()))
            .join(" | ")
    }

    fn decl(config: &ts_rs::Config) -> String {
        format!("type {} = {};", Self::name(config), Self::inline(config))
    }

    fn docs() -> Option<String> {
        Some("/** A metric under its key, which ends in the unit or the quantile. */\n".to_owned())
    }

    fn output_path() -> Option<std::path::PathBuf> {
        Some("MetricKey.ts".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits_and_their_unit() {
        assert_eq!(
            Metric::Bandwidth.quantity(863_000_000.0),
            Argument::quantity("823", "MiB/s")
        );
        assert_eq!(
            [810.0, 48_210.0, 3_210_000.0, 1.5e9].map(|ns| Metric::LatencyP99.quantity(ns)),
            [("810", "ns"), ("48.2", "µs"), ("3.21", "ms"), ("1.50", "s")]
                .map(|(digits, unit)| Argument::quantity(digits, unit))
        );
    }
}
