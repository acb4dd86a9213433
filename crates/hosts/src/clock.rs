//! How far the clocks of two machines are apart, from round trips.
//!
//! A question leaves at `sent` and its answer arrives at `received`, both by our clock; the host read its
//! own clock in between. So its clock less ours is in `[theirs - received, theirs - sent]`: the middle is
//! off by at most half the round trip (as in NTP, RFC 5905, without assuming that both ways take equally
//! long). The shortest round trip of several is the best.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use stripewise_units::Nanos;

/// How many questions are asked for one comparison.
pub(crate) const QUESTIONS: u32 = 8;

/// What a host's clocks showed between two moments of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Our monotonic clock when we asked.
    pub(crate) sent_ns: u64,
    /// Our monotonic clock when the answer came.
    pub(crate) received_ns: u64,
    /// Our time since 1970 when the answer came.
    pub(crate) received_unix_ns: u64,
    /// The host's monotonic clock.
    pub(crate) monotonic_ns: u64,
    /// The host's time since 1970.
    pub(crate) unix_ns: u64,
}

/// The difference of two clocks: theirs less ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    /// Of the monotonic clocks.
    pub(crate) monotonic_ns: i128,
    /// Of the times since 1970.
    pub(crate) unix_ns: i128,
    /// How far both may be off.
    pub(crate) within: Nanos,
}

impl Reading {
    fn round_trip_ns(&self) -> u64 {
        self.received_ns.saturating_sub(self.sent_ns)
    }

    fn offset(&self) -> Offset {
        let half = self.round_trip_ns() / 2;
        let middle = i128::from(self.received_ns) - i128::from(half);
        let middle_unix = i128::from(self.received_unix_ns) - i128::from(half);
        Offset {
            monotonic_ns: i128::from(self.monotonic_ns) - middle,
            unix_ns: i128::from(self.unix_ns) - middle_unix,
            within: Nanos::new(self.round_trip_ns().div_ceil(2)),
        }
    }
}

impl Offset {
    /// Returns the best of several readings; `None` without one.
    pub(crate) fn of(readings: &[Reading]) -> Option<Self> {
        let best = readings.iter().min_by_key(|one| one.round_trip_ns());
        best.map(Reading::offset)
    }

    /// Returns a moment of our monotonic clock by theirs.
    pub(crate) fn theirs(&self, ours_ns: u64) -> u64 {
        u64::try_from(i128::from(ours_ns) + self.monotonic_ns).unwrap_or(0)
    }

    /// Returns a moment of their monotonic clock by ours.
    pub(crate) fn ours(&self, theirs_ns: u64) -> i128 {
        i128::from(theirs_ns) - self.monotonic_ns
    }
}

/// When the monotonic clock of this process began.
static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Returns the monotonic clock of this process: the time since it was first read.
pub(crate) fn monotonic_ns() -> u64 {
    Nanos::from(BEGAN.elapsed()).as_u64()
}

/// Returns this machine's time since 1970.
pub(crate) fn unix_ns() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| Nanos::from(now).as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_true_offset_is_within_the_bound(
            sent in 0_u64..1 << 40,
            there in 0_u64..1 << 30,
            back in 0_u64..1 << 30,
            ahead in -(1_i128 << 39)..1_i128 << 39,
        ) {
            let moment = sent + there;
            let theirs = u64::try_from(i128::from(moment) + ahead + (1 << 40)).unwrap();
            let reading = Reading {
                sent_ns: sent,
                received_ns: moment + back,
                received_unix_ns: moment + back,
                monotonic_ns: theirs,
                unix_ns: theirs,
            };
            let offset = Offset::of(&[reading]).unwrap();
            let truth = ahead + (1 << 40);
            let bound = i128::from(offset.within.as_u64());
            prop_assert!((offset.monotonic_ns - truth).abs() <= bound);
            prop_assert!((offset.unix_ns - truth).abs() <= bound);
            let ours = offset.ours(offset.theirs(sent));
            prop_assert_eq!(ours, i128::from(sent));
        }
    }

    #[test]
    fn the_shortest_round_trip_decides() {
        let reading = |trip: u64, theirs: u64| Reading {
            sent_ns: 1000,
            received_ns: 1000 + trip,
            received_unix_ns: 1000 + trip,
            monotonic_ns: theirs,
            unix_ns: theirs,
        };
        let offset =
            Offset::of(&[reading(1000, 9000), reading(10, 5005), reading(500, 1)]).unwrap();
        assert_eq!((offset.monotonic_ns, offset.within), (4000, Nanos::new(5)));
        assert_eq!(Offset::of(&[]), None);
    }
}
