//! Whether enough of a trace was read to say anything about its load.

use crate::event::DeviceId;
use crate::reader::RECORD_IOS;
use crate::skipped::{SkipReason, Skipped};

/// Why a trace is not described: more of it is left out than kept, and the rest would be another load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// How much is left out, and for which reason most of it.
    pub what: String,
    /// How to record it.
    pub hint: &'static str,
}

/// The reasons that leave I/Os of a known device out.
const OF_DEVICE: [SkipReason; 2] = [SkipReason::NeverBegan, SkipReason::BeyondDevice];
/// The reasons that leave records out whose device is not known.
const OF_TRACE: [SkipReason; 5] = [
    SkipReason::Malformed,
    SkipReason::Truncated,
    SkipReason::OutOfOrder,
    SkipReason::TooManyNames,
    SkipReason::Lost,
];

impl Missing {
    /// Returns the reason if more of a device is left out than the `kept` I/Os that it has, or more of
    /// the whole trace than the I/Os that `all` devices have.
    ///
    /// An I/O whose end is missing is kept.
    pub fn of(skipped: &Skipped, device: DeviceId, kept: u64, all: u64) -> Option<Self> {
        let of_device = OF_DEVICE.map(|why| (why, skipped.count_of(why, device)));
        Self::outweighing(skipped, &of_device, kept).or_else(|| {
            let of_trace = OF_TRACE.map(|why| (why, skipped.count(why)));
            Self::outweighing(skipped, &of_trace, all)
        })
    }

    /// Returns why a trace has no I/O; `None` if nothing was left out.
    pub fn of_all(skipped: &Skipped) -> Option<Self> {
        let all = OF_DEVICE.into_iter().chain(OF_TRACE);
        let all: Vec<(SkipReason, u64)> = all.map(|why| (why, skipped.count(why))).collect();
        Self::outweighing(skipped, &all, 0)
    }

    fn outweighing(skipped: &Skipped, counts: &[(SkipReason, u64)], kept: u64) -> Option<Self> {
        let sum: u64 = counts.iter().map(|(_, count)| count).sum();
        let (most, count) = counts.iter().max_by_key(|(_, count)| *count)?;
        (sum > kept).then(|| Self {
            what: format!(
                "more is left out than kept: {}; I/Os kept: {kept}",
                what(*most, *count, skipped)
            ),
            hint: hint(*most),
        })
    }
}

/// Says what was left out.
fn what(why: SkipReason, count: u64, skipped: &Skipped) -> String {
    match why {
        SkipReason::NeverBegan => format!("{count} I/Os are done whose beginning is missing"),
        SkipReason::BeyondDevice => format!("{count} I/Os lie beyond the end of the device"),
        SkipReason::Malformed => {
            let first = skipped.first_malformed.as_ref();
            let first = first.map(|(place, what)| format!(", the first at {place}: {what}"));
            format!(
                "{count} records cannot be read{}",
                first.unwrap_or_default()
            )
        }
        SkipReason::Truncated => format!("{count} records are cut off"),
        SkipReason::OutOfOrder => format!("{count} records are more than a second late"),
        SkipReason::TooManyNames => format!("{count} records are of too many devices"),
        SkipReason::Lost => format!("the tracer lost {count} records"),
        SkipReason::NeverEnded | SkipReason::TooManyUnderWay => format!("{count} I/Os never end"),
    }
}

/// Says how to record what was left out.
fn hint(why: SkipReason) -> &'static str {
    match why {
        SkipReason::NeverBegan => RECORD_IOS,
        SkipReason::Malformed | SkipReason::Truncated => {
            "if another format was found than it has, name that with `--format`; else record it again"
        }
        SkipReason::NeverEnded | SkipReason::TooManyUnderWay => {
            "record where requests are done, too: `-e block:block_rq_complete`"
        }
        SkipReason::BeyondDevice => "check `--size`",
        SkipReason::OutOfOrder => {
            "record with one clock for all CPUs: `perf record -k mono`, or `mono` in `trace_clock`"
        }
        SkipReason::TooManyNames => "record fewer devices",
        SkipReason::Lost => {
            "give the tracer more memory: `perf record -m 64M`, `blktrace -b 4096`, or \
             `buffer_size_kb`"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_judged_by_its_own_records() {
        let (good, bad) = (DeviceId(0), DeviceId(1));
        let mut skipped = Skipped::default();
        for _ in 0..992 {
            skipped.add_of(SkipReason::NeverBegan, bad);
        }
        assert_eq!(Missing::of(&skipped, good, 8, 16), None);
        assert_eq!(Missing::of(&skipped, bad, 992, 1000), None, "as many");
        let missing = Missing::of(&skipped, bad, 8, 16).unwrap();
        assert_eq!(
            missing.what,
            "more is left out than kept: 992 I/Os are done whose beginning is missing; I/Os kept: 8"
        );
        assert!(missing.hint.contains("block_rq_issue"));
        assert!(Missing::of_all(&skipped).is_some());
    }

    #[test]
    fn records_without_a_device_count_for_all() {
        let mut skipped = Skipped::default();
        assert_eq!(Missing::of_all(&skipped), None);
        skipped.add_many(SkipReason::NeverEnded, 1000);
        assert_eq!(
            Missing::of(&skipped, DeviceId(0), 2, 2),
            None,
            "they are kept"
        );
        skipped.add_malformed(7, || "no number".to_owned());
        skipped.add_many(SkipReason::Malformed, 2);
        assert_eq!(Missing::of(&skipped, DeviceId(0), 1, 3), None);
        let missing = Missing::of(&skipped, DeviceId(0), 1, 2).unwrap();
        assert!(
            missing
                .what
                .contains("3 records cannot be read, the first at 7: no number")
        );
    }

    #[test]
    fn each_reason_has_words_and_a_hint() {
        for why in OF_DEVICE.into_iter().chain(OF_TRACE) {
            let mut skipped = Skipped::default();
            skipped.add(why);
            let missing = Missing::of_all(&skipped).unwrap();
            assert!(missing.what.contains('1') && !missing.hint.is_empty());
        }
    }
}
