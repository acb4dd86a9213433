//! The raw fields of fio's JSON that we read, in fio's spelling, with lenient numbers.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use stripewise_study::limits::{JsonLimits, ListLimit, PERCENTILES_MAX};
use stripewise_units::Nanos;

use crate::document;
use crate::number::Number;
use crate::program::printable;

/// The most jobs that we read; fio allows 4096 per host (`REAL_MAX_JOBS` in `fio.h`).
const JOBS_MAX: usize = 16_384;

/// The most bins of a histogram: `FIO_IO_U_PLAT_NR` in fio's `stat.h`, 29 groups of 64.
const BINS_MAX: usize = 29 * 64;

/// The most options of a job that we read; fio has about 300.
const OPTIONS_MAX: usize = 1024;

/// The longest option value and the longest text of any kind that we read: fio has 128 bytes for
/// the name of a job, and 256 for its description.
pub(crate) const OPTION_BYTES_MAX: usize = 4096;

impl RawDocument {
    /// Returns whether the document has the lists of fio's, and texts within the limit. All other
    /// limits hold while it is read.
    pub(crate) fn is_fios(&self) -> bool {
        let jobs = || self.jobs.iter().chain(&self.client_stats).flatten();
        let texts = jobs().flat_map(|job| [Some(&job.jobname), job.hostname.as_ref()]);
        let mut texts = texts.flatten().chain(&self.version);
        (self.jobs.is_some() || self.client_stats.is_some())
            && texts.all(|text| text.len() <= OPTION_BYTES_MAX)
    }
}

/// The limits of a document. Lists not named here are skipped and take no memory.
pub(crate) const LIMITS: JsonLimits = JsonLimits {
    lists: &[&[
        ListLimit::of::<RawJob>("jobs", JOBS_MAX),
        ListLimit::of::<RawJob>("client_stats", JOBS_MAX),
        ListLimit::of::<(Nanos, u64)>("bins", BINS_MAX),
        ListLimit::of::<(f64, f64)>("percentile", PERCENTILES_MAX),
        ListLimit::tree("job options", OPTIONS_MAX),
        // An object, or a list of hosts.
        ListLimit::tree("global options", JOBS_MAX),
    ]],
    other_entries: usize::MAX,
    other_entry_bytes: 0,
    object_bytes: 0,
    text_bytes: OPTION_BYTES_MAX,
    depth: document::DEPTH_MAX,
};

/// The document.
#[derive(Deserialize)]
pub(crate) struct RawDocument {
    #[serde(rename = "fio version", default)]
    pub version: Option<String>,
    #[serde(default)]
    pub timestamp: Number,
    #[serde(default)]
    pub timestamp_ms: Number,
    #[serde(rename = "global options", default)]
    pub global_options: RawGlobal,
    /// `None` if the object has no such list.
    #[serde(default, deserialize_with = "jobs")]
    pub jobs: Option<Vec<RawJob>>,
    /// As `jobs`, of several hosts.
    #[serde(default, deserialize_with = "jobs")]
    pub client_stats: Option<Vec<RawJob>>,
}

/// The options of `[global]`: an object, or with several clients a list with one entry per host.
pub(crate) enum RawGlobal {
    Everywhere(RawOptions),
    ByHost(Vec<RawOptions>),
}

impl Default for RawGlobal {
    fn default() -> Self {
        RawGlobal::Everywhere(RawOptions::default())
    }
}

/// An entry of `jobs` or `client_stats`.
#[derive(Deserialize)]
pub(crate) struct RawJob {
    pub jobname: String,
    #[serde(default)]
    pub hostname: Option<String>,
    #[serde(default)]
    pub port: Number,
    #[serde(default)]
    pub groupid: Number,
    #[serde(default)]
    pub error: Number,
    #[serde(default)]
    pub job_start: Number,
    #[serde(rename = "job options", default)]
    pub options: RawOptions,
    #[serde(default)]
    pub read: Option<RawDirection>,
    #[serde(default)]
    pub write: Option<RawDirection>,
    #[serde(default)]
    pub trim: Option<RawDirection>,
    #[serde(default)]
    pub mixed: Option<Box<RawDirection>>,
    /// How long fio had run, in seconds.
    #[serde(default)]
    pub elapsed: Number,
    #[serde(default)]
    pub sync: Option<RawSync>,
    #[serde(default)]
    pub job_runtime: Number,
    #[serde(default)]
    pub usr_cpu: Number,
    #[serde(default)]
    pub sys_cpu: Number,
}

/// `read`, `write` or `trim`. `runtime` is in ms.
#[derive(Deserialize)]
pub(crate) struct RawDirection {
    /// In bytes; in KiB before 2.21, which was the first to write `io_kbytes`, too.
    #[serde(default)]
    pub io_bytes: Number,
    #[serde(default)]
    pub io_kbytes: Number,
    #[serde(default)]
    pub total_ios: Number,
    /// I/Os per second; 2.1 has no count.
    #[serde(default)]
    pub iops: Number,
    /// Bytes per second, since 3.0.
    #[serde(default)]
    pub bw_bytes: Number,
    /// KiB per second.
    #[serde(default)]
    pub bw: Number,
    #[serde(default)]
    pub runtime: Number,
    #[serde(default)]
    pub short_ios: Number,
    #[serde(default)]
    pub drop_ios: Number,
    #[serde(default)]
    pub lat_ns: RawLatency,
    #[serde(default)]
    pub clat_ns: RawLatency,
    /// In us, from 2.x.
    #[serde(default)]
    pub lat: RawLatency,
    /// In us, from 2.x.
    #[serde(default)]
    pub clat: RawLatency,
}

/// `sync`.
#[derive(Deserialize, Default)]
pub(crate) struct RawSync {
    #[serde(default)]
    pub total_ios: Number,
    #[serde(default)]
    pub lat_ns: RawLatency,
}

/// `lat_ns` or `clat_ns`; in 2.x `lat` or `clat`.
#[derive(Deserialize, Default)]
pub(crate) struct RawLatency {
    #[serde(rename = "N", default)]
    pub count: Number,
    #[serde(default)]
    pub min: Number,
    #[serde(default)]
    pub max: Number,
    #[serde(default)]
    pub mean: Number,
    #[serde(default)]
    pub percentile: RawPercentiles,
    #[serde(default)]
    pub bins: RawBins,
}

impl RawLatency {
    /// Returns whether any of `ios` I/Os was timed. Before 3.19 there is no `N`; then a time above
    /// 0 means yes.
    pub(crate) fn is_timed(&self, ios: u64) -> bool {
        let took_time = |number: Number| number.real().is_some_and(|time| time > 0.0);
        match self.count {
            Number::Missing => ios > 0 && (took_time(self.mean) || took_time(self.max)),
            count => count.count().is_some_and(|count| count > 0),
        }
    }

    /// Converts latencies from us to ns.
    pub(crate) fn in_ns(mut self) -> Self {
        for number in [&mut self.min, &mut self.max, &mut self.mean] {
            *number = number.times_thousand();
        }
        for (_, latency) in &mut self.percentile.0 {
            *latency *= 1000.0;
        }
        for (latency, _) in &mut self.bins.bins {
            *latency = Nanos::new(latency.as_u64().saturating_mul(1000));
        }
        self
    }
}

/// `percentile`: an object from a percent to a latency. 2.x fills it up to 20 entries with `0.00`.
#[derive(Default)]
pub(crate) struct RawPercentiles(pub Vec<(f64, f64)>);

impl<'de> Deserialize<'de> for RawPercentiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut percentiles = Vec::new();
        let expected = "an object from percents to latencies";
        read_object(deserializer, expected, |percent, latency: Number| {
            let percent = percent.parse().ok();
            let percent = percent.filter(|percent: &f64| *percent > 0.0 && *percent <= 100.0);
            if let (Some(percent), Some(latency)) = (percent, latency.real()) {
                if percentiles.len() >= PERCENTILES_MAX {
                    return Err(format!(
                        "a latency has more than {PERCENTILES_MAX} percentiles"
                    ));
                }
                percentiles.push((percent, latency));
            }
            Ok(())
        })?;
        percentiles.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        Ok(RawPercentiles(percentiles))
    }
}

/// `bins`: an object from a latency in ns to a count.
#[derive(Default)]
pub(crate) struct RawBins {
    pub bins: Vec<(Nanos, u64)>,
    /// Whether any entry is invalid; then none is kept.
    pub has_bad: bool,
}

impl<'de> Deserialize<'de> for RawBins {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut bins = RawBins::default();
        let expected = "an object from latencies to counts";
        read_object(deserializer, expected, |latency, count: Number| {
            match (latency.parse().ok(), count.count()) {
                (Some(latency), Some(count)) if bins.bins.len() < BINS_MAX => {
                    bins.bins.push((Nanos::new(latency), count));
                }
                (Some(_), Some(_)) => {
                    return Err(format!("a histogram has more than {BINS_MAX} bins"));
                }
                _ => bins.has_bad = true,
            }
            Ok(())
        })?;
        if bins.has_bad {
            bins.bins = Vec::new();
        }
        Ok(bins)
    }
}

/// `job options`: an object from names to values; other types become text.
#[derive(Default)]
pub(crate) struct RawOptions(pub BTreeMap<String, String>);

impl<'de> Deserialize<'de> for RawOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut options = BTreeMap::new();
        let expected = "an object from options to values";
        read_object(deserializer, expected, |name, value| {
            let value = match value {
                serde_json::Value::String(text) => text,
                serde_json::Value::Null => String::new(),
                other => other.to_string(),
            };
            if options.len() >= OPTIONS_MAX
                || name.len() > OPTION_BYTES_MAX
                || value.len() > OPTION_BYTES_MAX
            {
                return Err("more or longer options than fio allows".to_owned());
            }
            // They are printed on terminals.
            options.insert(printable(name), printable(&value));
            Ok(())
        })?;
        Ok(RawOptions(options))
    }
}

/// A key, without a copy unless it has escapes.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Key<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Reads an object entry by entry, including repeated keys.
fn read_object<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
    expected: &'static str,
    take: impl FnMut(&str, V) -> Result<(), String>,
) -> Result<(), D::Error> {
    struct Entries<V, F>(&'static str, F, PhantomData<V>);

    impl<'de, V, F> Visitor<'de> for Entries<V, F>
    where
        V: Deserialize<'de>,
        F: FnMut(&str, V) -> Result<(), String>,
    {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some((Key(key), value)) = map.next_entry()? {
                (self.1)(&key, value).map_err(A::Error::custom)?;
            }
            Ok(())
        }
    }

    deserializer.deserialize_map(Entries(expected, take, PhantomData))
}

impl<'de> Deserialize<'de> for RawGlobal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GlobalVisitor)
    }
}

struct GlobalVisitor;

impl<'de> Visitor<'de> for GlobalVisitor {
    type Value = RawGlobal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("options, or a list of options by host")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawGlobal, A::Error> {
        RawOptions::deserialize(MapAccessDeserializer::new(map)).map(RawGlobal::Everywhere)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<RawGlobal, A::Error> {
        bounded(list).map(RawGlobal::ByHost)
    }
}

/// Reads a list of jobs of bounded length.
fn jobs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<RawJob>>, D::Error> {
    struct JobsVisitor;

    impl<'de> Visitor<'de> for JobsVisitor {
        type Value = Vec<RawJob>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of jobs")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<RawJob>, A::Error> {
            bounded(list)
        }
    }

    deserializer.deserialize_seq(JobsVisitor).map(Some)
}

/// Reads a list of at most [`JOBS_MAX`] entries.
fn bounded<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut list: A) -> Result<Vec<T>, A::Error> {
    let mut entries = Vec::new();
    while let Some(entry) = list.next_element()? {
        if entries.len() >= JOBS_MAX {
            return Err(A::Error::custom("more jobs than fio can have"));
        }
        entries.push(entry);
    }
    Ok(entries)
}
