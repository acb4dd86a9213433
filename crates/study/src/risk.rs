//! Data at risk: acknowledged writes that a power cut would lose.
//!
//! A write is *volatile* while its data is only in the page cache or in the volatile cache of a
//! drive. Two sets of volatile writes are kept apart:
//!
//! - *acknowledged*: the write returned, and nothing confirmed that it is durable;
//! - *promised*: an `fsync` that covers it returned, or the write itself with `O_SYNC` or `O_DSYNC`.
//!   The program believes that it is durable. Where flushes are honoured there are none.
//!
//! A promised write is acknowledged, too. Writes to the same place count each time.

use serde::{Deserialize, Serialize};

use stripewise_units::{Bytes, Nanos};

/// Volatile writes over the time of a sample. Every instant counts alike, whether or not anything
/// was volatile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Volatile {
    /// The bytes that were not exceeded half of the time.
    pub bytes_p50: Bytes,
    /// The bytes that were not exceeded 99 % of the time.
    pub bytes_p99: Bytes,
    /// The most bytes.
    pub bytes_max: Bytes,
    /// The age of the oldest volatile write that was not exceeded half of the time; nothing volatile
    /// has the age 0. It counts from when the write was acknowledged, or promised.
    pub age_p50_ns: Nanos,
    /// The age that was not exceeded 99 % of the time.
    pub age_p99_ns: Nanos,
    /// The highest age.
    pub age_max_ns: Nanos,
    /// Whether nothing of it became durable during the sample: the longer it lasts, the more is at
    /// risk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unbounded: bool,
    /// The share of the time in which anything was volatile, in millionths: that of power cuts at a
    /// random instant that lose something. `None` in samples of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_ppm: Option<u32>,
}

/// The whole time, as [`Volatile::share_ppm`].
pub const WHOLE_PPM: u32 = 1_000_000;

/// The data at risk of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Risk {
    /// Writes that returned.
    pub acknowledged: Volatile,
    /// Writes that the program believes to be durable.
    pub promised: Volatile,
}

impl Volatile {
    /// Returns the median of each number; unbounded if any is.
    fn median(all: &[Volatile]) -> Self {
        let bytes = |number: fn(&Volatile) -> Bytes| {
            Bytes::new(middle(all.iter().map(|one| number(one).as_u64())))
        };
        let nanos = |number: fn(&Volatile) -> Nanos| {
            Nanos::new(middle(all.iter().map(|one| number(one).as_u64())))
        };
        Self {
            bytes_p50: bytes(|one| one.bytes_p50),
            bytes_p99: bytes(|one| one.bytes_p99),
            bytes_max: bytes(|one| one.bytes_max),
            age_p50_ns: nanos(|one| one.age_p50_ns),
            age_p99_ns: nanos(|one| one.age_p99_ns),
            age_max_ns: nanos(|one| one.age_max_ns),
            is_unbounded: all.iter().any(|one| one.is_unbounded),
            share_ppm: {
                let shares: Option<Vec<u32>> = all.iter().map(|one| one.share_ppm).collect();
                let share = shares.map(|shares| middle(shares.into_iter().map(u64::from)));
                share.and_then(|share| u32::try_from(share).ok())
            },
        }
    }
}

impl Risk {
    /// Returns the median over samples of each number; `None` without samples.
    pub fn median(all: &[Risk]) -> Option<Self> {
        let of = |part: fn(&Risk) -> Volatile| {
            let parts: Vec<Volatile> = all.iter().map(part).collect();
            Volatile::median(&parts)
        };
        (!all.is_empty()).then(|| Self {
            acknowledged: of(|risk| risk.acknowledged),
            promised: of(|risk| risk.promised),
        })
    }
}

/// Returns the median, the higher of two in the middle; 0 of nothing.
fn middle(numbers: impl Iterator<Item = u64>) -> u64 {
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_own_median_and_one_unbounded_sample_is_enough() {
        let risk = |bytes, age, is_unbounded, share| Risk {
            acknowledged: Volatile {
                bytes_max: Bytes::new(bytes),
                age_max_ns: Nanos::new(age),
                is_unbounded,
                share_ppm: share,
                ..Volatile::default()
            },
            promised: Volatile::default(),
        };
        let mut all = [
            risk(1, 30, false, Some(7)),
            risk(2, 10, true, Some(9)),
            risk(3, 20, false, Some(8)),
        ];
        assert_eq!(Risk::median(&all), Some(risk(2, 20, true, Some(8))));
        assert_eq!(Risk::median(&[]), None);
        all[0].acknowledged.share_ppm = None;
        assert_eq!(Risk::median(&all), Some(risk(2, 20, true, None)));
    }

    #[test]
    fn a_sample_of_an_older_version_has_no_share() {
        let older = serde_json::json!({
            "bytes_p50": 0, "bytes_p99": 0, "bytes_max": 0,
            "age_p50_ns": 0, "age_p99_ns": 0, "age_max_ns": 0,
        });
        let volatile: Volatile = serde_json::from_value(older).unwrap();
        assert_eq!(volatile, Volatile::default());
        assert_eq!(volatile.share_ppm, None);
    }
}
