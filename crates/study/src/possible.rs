//! Which samples cannot be measurements: foreign files are checked before a run is made of them.
//!
//! serde checks the types. A file that another program has saved, or that was damaged, may still hold
//! a mean below the shortest latency, or so many bytes that the bandwidth has thirty digits. Estimates
//! of such values look like results, so [`Sample::check`] names the first of them.
//!
//! The bounds leave room for rounding, and for known properties of fio: its longest bin ends
//! at 17 s, so that a percentile may lie below the shortest latency (`FIO_IO_U_PLAT_NR` in `stat.h`),
//! and fio 2.x cuts times down to microseconds.

use crate::metric::Metric;
use crate::sample::{Breakdown, Latency, OwnRate, Sample, Transfer, as_f64};
use crate::warning::Warning;
use stripewise_units::Nanos;

/// The longest sample, and the longest operation in one: about three years.
pub const TIME_NS_MAX: Nanos = Nanos::new(100_000_000_000_000_000);

/// The most bytes or I/Os per second: about a petabyte.
pub const RATE_PER_S_MAX: f64 = 1e15;

/// The most I/Os, bytes and other events of a sample: a pebibyte.
pub const COUNT_MAX: u64 = 1 << 50;

/// The largest logarithm of a factor: times are off by less than that factor of five hundred million.
const WIDTH_MAX: f64 = 20.0;

/// The largest number in a warning, of any unit.
const NUMBER_MAX: f64 = 1e20;

/// How far a bin lies above the latencies in it at most, as a share: fio's have 64 a power of two.
const BIN_SHARE: f64 = 1.0 / 32.0;

/// How far times may be off, because their source rounded them: a microsecond of fio 2.x.
const ROUNDING_NS: f64 = 1000.0;

/// The first value of a sample that no measurement can have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{place}` is {found:?}, which is not {expected}")]
pub struct Impossible {
    /// Its key, with those around it.
    pub place: String,
    /// The value.
    pub found: f64,
    /// What it must be.
    pub expected: String,
}

impl Sample {
    /// Checks that a measurement can have these values.
    ///
    /// # Errors
    /// [`Impossible`] names the first value that none can have.
    pub fn check(&self) -> Result<(), Impossible> {
        at_most("elapsed_ns", Some(self.elapsed_ns))?;
        self.read.latency.check("read.latency")?;
        self.write.latency.check("write.latency")?;
        self.sync.check("sync")?;
        self.check_counts()?;
        for metric in [Metric::Bandwidth, Metric::Iops] {
            // A power cut has no rate.
            within(metric.key(), metric.of(self), 0.0, RATE_PER_S_MAX)?;
        }
        if let Some(breakdown) = &self.breakdown {
            breakdown.check()?;
        }
        self.warnings.iter().try_for_each(Warning::check)
    }

    /// Checks what was counted.
    fn check_counts(&self) -> Result<(), Impossible> {
        let of = |place: &str, transfer: &Transfer| {
            count(&format!("{place}.ios"), transfer.ios)?;
            count(&format!("{place}.bytes"), transfer.bytes.as_u64())?;
            count(&format!("{place}.latency.count"), transfer.latency.count)
        };
        of("read", &self.read)?;
        of("write", &self.write)?;
        count("sync.count", self.sync.count)?;
        for device in &self.devices {
            let counts = [
                ("reads", device.reads),
                ("read_merges", device.read_merges),
                ("read_bytes", device.read_bytes.as_u64()),
                ("writes", device.writes),
                ("write_merges", device.write_merges),
                ("write_bytes", device.write_bytes.as_u64()),
                ("flushes", device.flushes.unwrap_or(0)),
            ];
            for (name, value) in counts {
                count(&format!("devices.{name}"), value)?;
            }
            at_most("devices.busy_ns", Some(device.busy_ns))?;
        }
        let breakdown = self.breakdown.iter();
        for member in breakdown.flat_map(|breakdown| &breakdown.sequentiality) {
            count("sequential_reads", member.sequential_reads)?;
            count("sequential_writes", member.sequential_writes)?;
        }
        Ok(())
    }
}

impl Latency {
    /// Checks the latencies of one kind of operation.
    fn check(&self, place: &str) -> Result<(), Impossible> {
        at_most(&format!("{place}.min_ns"), self.min_ns)?;
        at_most(&format!("{place}.max_ns"), self.max_ns)?;
        let nanos = |latency: Nanos| as_f64(latency.as_u64());
        let min_ns = self.min_ns.map_or(0.0, nanos);
        let max_ns = nanos(self.max_ns.unwrap_or(TIME_NS_MAX));
        let above = max_ns * (1.0 + BIN_SHARE) + ROUNDING_NS;
        let below = min_ns * (1.0 - BIN_SHARE) - ROUNDING_NS;
        within(&format!("{place}.min_ns"), Some(min_ns), 0.0, max_ns)?;
        let mean = format!("{place}.mean_ns");
        within(&mean, self.mean_ns, below.max(0.0), above)?;
        let last = self.histogram.bins().last().map(|bin| nanos(bin.0));
        within(&format!("{place}.histogram"), last, 0.0, above)?;
        let (mut percent_before, mut before) = (0.0, 0.0);
        for (percent, latency) in &self.percentiles {
            let place = format!("{place}.percentiles");
            within(&place, Some(*percent), percent_before, 100.0)?;
            within(&place, Some(nanos(*latency)), before, above)?;
            (percent_before, before) = (*percent, nanos(*latency));
        }
        Ok(())
    }
}

impl Breakdown {
    /// Checks the times and shares of a simulation.
    fn check(&self) -> Result<(), Impossible> {
        let time_ns_max = as_f64(TIME_NS_MAX.as_u64());
        for part in self.mean.iter().chain(&self.slowest) {
            let place = format!("breakdown.{}", part.part.key());
            within(&place, Some(part.time_ns), 0.0, time_ns_max)?;
        }
        for component in &self.utilisation {
            // A sum of intervals may be rounded up.
            within("busy_share", Some(component.busy_share), 0.0, 1.01)?;
        }
        let rates = [
            ("rebuild_bytes_per_s", self.rebuild_bytes_per_s),
            (
                "onset.bytes_per_s",
                self.onset.map(|onset| onset.bytes_per_s),
            ),
            ("onset.ios_per_s", self.onset.map(|onset| onset.ios_per_s)),
        ];
        for (place, rate) in rates {
            within(place, rate, 0.0, RATE_PER_S_MAX)?;
        }
        if let Some(fresh) = &self.fresh {
            fresh.check()?;
        }
        match self.own_rate {
            Some(OwnRate::Limit { times_more }) => {
                within("own_rate", Some(times_more), 1.0, RATE_PER_S_MAX)?;
            }
            Some(OwnRate::Pauses { share }) => within("own_rate", Some(share), 0.0, 1.0)?,
            None => {}
        }
        let Some(uncertainty) = &self.uncertainty else {
            return Ok(());
        };
        let widths = [
            uncertainty.faster,
            uncertainty.slower,
            uncertainty.by_adapter,
            uncertainty.by_uplink,
        ];
        let sources = uncertainty.sources.iter().map(|source| source.half_width);
        let mut widths = widths
            .into_iter()
            .chain(sources)
            .chain(uncertainty.class.map(|class| class.middle.abs()))
            .chain(uncertainty.then_slower);
        widths.try_for_each(|width| within("uncertainty", Some(width), 0.0, WIDTH_MAX))
    }
}

impl Warning {
    /// Checks the numbers of a warning: they are printed as they are.
    ///
    /// # Errors
    /// [`Impossible`] if no quantity is as large as one of them.
    pub fn check(&self) -> Result<(), Impossible> {
        let fields = serde_json::to_value(self).unwrap_or_default();
        let numbers = fields.as_object().into_iter().flatten();
        for (name, value) in numbers {
            within(
                &format!("warnings.{name}"),
                value.as_f64(),
                -NUMBER_MAX,
                NUMBER_MAX,
            )?;
        }
        Ok(())
    }
}

/// Checks a number of I/Os, bytes or other events.
fn count(place: &str, value: u64) -> Result<(), Impossible> {
    within(place, Some(as_f64(value)), 0.0, as_f64(COUNT_MAX))
}

/// Checks a time.
fn at_most(place: &str, time: Option<Nanos>) -> Result<(), Impossible> {
    let time_ns_max = as_f64(TIME_NS_MAX.as_u64());
    let time = time.map(|time| as_f64(time.as_u64()));
    within(place, time, 0.0, time_ns_max)
}

/// Checks that a value, if there is one, is from `low` to `high`; NaN is in no range.
fn within(place: &str, value: Option<f64>, low: f64, high: f64) -> Result<(), Impossible> {
    match value {
        Some(found) if !(low..=high).contains(&found) => Err(Impossible {
            place: place.to_owned(),
            found,
            expected: format!("from {low:?} to {high:?}"),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "possible_tests.rs"]
mod tests;
