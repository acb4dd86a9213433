//! A device as described by measurements of one such device.

use serde::{Deserialize, Serialize};

use super::curve::CurvePoint;

/// The cable or bus between host and device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkProfile {
    /// Its maximum rate from the device.
    pub read_bytes_per_s: u64,
    /// Its maximum rate to the device.
    pub write_bytes_per_s: u64,
    /// The time that each command occupies it beside its data.
    pub command_ns: u64,
    /// Whether both directions transfer at once (PCIe does, SATA does not).
    pub full_duplex: bool,
}

/// How much faster a device works with several requests in flight than with one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPoint {
    /// The requests in flight at the device.
    pub in_flight: u32,
    /// The rate of all of them over the rate of one alone.
    pub gain: f64,
    /// The 99th percentile of their times over the median; without it, that of one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_over_p50: Option<f64>,
    /// Their median over their mean; without it, that of a lognormal distribution. Rare stalls lower
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_over_mean: Option<f64>,
}

impl LoadPoint {
    /// Returns the gains for every number of requests in flight from 0 to that of the last of
    /// `points`, which rise; beyond, the gain stays.
    ///
    /// The latency is flat while the device works on everything at once, and in proportion to what
    /// is in flight once it is saturated: straight lines over the requests in flight.
    pub fn gains(points: &[LoadPoint]) -> Vec<f64> {
        let mut gains = vec![0.0, 1.0];
        let (mut from, mut latency) = (1, 1.0);
        for point in points {
            let at = f64::from(point.in_flight) / point.gain;
            let whole = f64::from(point.in_flight - from);
            gains.extend((from + 1..=point.in_flight).map(|number| {
                let part = f64::from(number - from) / whole;
                f64::from(number) / (latency + (at - latency) * part)
            }));
            (from, latency) = (point.in_flight, at);
        }
        gains
    }

    /// Returns this as a point of a mix with this share of the other direction.
    pub fn in_mix(self, others: f64) -> MixPoint {
        MixPoint {
            in_flight: self.in_flight,
            others,
            gain: self.gain,
            p99_over_p50: self.p99_over_p50,
            p50_over_mean: self.p50_over_mean,
        }
    }
}

/// How fast a device works in one direction while it works in the other one too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixPoint {
    /// The requests in flight at the device, in both directions.
    pub in_flight: u32,
    /// The share of those of the other direction, above 0 and below 1.
    pub others: f64,
    /// `in_flight` times the time of a lone request of this direction, over the mean time under this
    /// load.
    pub gain: f64,
    /// The 99th percentile of the times over the median; without it, that of one alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_over_p50: Option<f64>,
    /// Their median over their mean; without it, that of a lognormal distribution. Rare stalls lower
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_over_mean: Option<f64>,
}

/// The behaviour of a device in one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectionProfile {
    /// The number of requests served at once, where `under_load` is empty.
    pub servers: u32,
    /// The 99th percentile of single times over their median, at depth 1.
    pub p99_over_p50: f64,
    /// Their median over their mean; without it, that of a lognormal distribution. Rare stalls lower
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_over_mean: Option<f64>,
    /// The time of a lone request that continues no stream, by size.
    pub random: Vec<CurvePoint>,
    /// The same for a request that continues a stream; as `random` if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequential: Vec<CurvePoint>,
    /// How the rate depends on the requests in flight, by rising `in_flight`. With one the gain is 1,
    /// between two points the latency is a straight line over `in_flight`, and beyond the last the
    /// gain stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under_load: Vec<LoadPoint>,
    /// The same with requests of both directions in flight. Between these points and `under_load`, the
    /// time is a straight line over the share of the other direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under_mix: Vec<MixPoint>,
}

impl DirectionProfile {
    /// Returns whether the rate was measured with several requests in flight.
    pub fn depends_on_load(&self) -> bool {
        !self.under_load.is_empty() || !self.under_mix.is_empty()
    }

    /// Returns the points of `under_mix` without the share of the other direction.
    pub fn mix_loads(&self) -> Vec<LoadPoint> {
        let loads = self.under_mix.iter().map(|point| LoadPoint {
            in_flight: point.in_flight,
            gain: point.gain,
            p99_over_p50: point.p99_over_p50,
            p50_over_mean: point.p50_over_mean,
        });
        loads.collect()
    }

    /// Returns how the rate depends on the requests in flight, all of this direction: `under_load`,
    /// or where only a mix is known, that one.
    pub fn loads(&self) -> Vec<LoadPoint> {
        match self.under_load.is_empty() {
            true => self.mix_loads(),
            false => self.under_load.clone(),
        }
    }

    /// Returns the most requests' worth of work that the device does at once.
    pub fn gain_max(&self) -> f64 {
        let alone = self.under_load.iter().map(|point| point.gain);
        let mixed = self.under_mix.iter().map(|point| point.gain);
        match self.depends_on_load() {
            true => alone.chain(mixed).fold(1.0, f64::max),
            false => f64::from(self.servers),
        }
    }
}

/// The device's volatile write cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheProfile {
    /// Whether a power cut loses acknowledged writes that were not flushed.
    pub is_volatile: bool,
    /// The time of a flush if something was written since the last one.
    pub flush_ns: u64,
}

/// How acknowledged writes drain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrainProfile {
    /// The bytes that the fast area (SLC) takes before the device slows down.
    pub fast_bytes: u64,
    /// The drain rate of random writes once the fast area is full, garbage collection included.
    pub random_bytes_per_s: u64,
    /// The drain rate of sequential writes once the fast area is full.
    pub sequential_bytes_per_s: u64,
    /// The bytes that may be acknowledged and not yet drained.
    pub buffer_bytes: u64,
}

/// A device as described by measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedProfile {
    /// The link to the host.
    pub link: LinkProfile,
    /// Reads.
    pub read: DirectionProfile,
    /// Writes.
    pub write: DirectionProfile,
    /// The write cache.
    pub cache: CacheProfile,
    /// How acknowledged writes drain; without it the measured times apply for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<DrainProfile>,
}

/// The write cache setting of the host for its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSetting {
    /// Whether writes may be acknowledged from a volatile cache.
    pub is_on: bool,
    /// Whether the kernel sends flushes.
    pub flushes: bool,
}

impl CalibratedProfile {
    /// Returns whether the rate was measured with several requests in flight.
    pub fn depends_on_load(&self) -> bool {
        self.read.depends_on_load() || self.write.depends_on_load()
    }

    /// Returns the profile of the same device with the host's cache setting: without a write cache
    /// every write takes as long as a flushed one.
    #[must_use]
    pub fn with_cache(mut self, setting: CacheSetting) -> Self {
        if !setting.flushes {
            self.cache.is_volatile = false;
        }
        if !setting.is_on && self.cache.is_volatile {
            let points = self.write.random.iter_mut();
            for point in points.chain(&mut self.write.sequential) {
                point.time_ns += self.cache.flush_ns;
            }
            self.cache.is_volatile = false;
        }
        self
    }
}
