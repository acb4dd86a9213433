//! Acknowledged writes inside a calibrated device: how they leave its fast area and its buffer.

use stripewise_profiles::device::calibrated::DrainProfile;
use stripewise_units::{Bytes, Nanos};

use super::calibrated::transfer_ns;
use super::fill_level::{self, FillLevels};
use crate::units::Instant;

/// How long a drive must see no write before its fast area drains: an assumption. Drives move data
/// out of it when idle; the gaps between the writes of a busy host do not count as idle.
const IDLE_AFTER: Nanos = Nanos::from_millis(100);

/// The state of acknowledged writes inside the drive.
///
/// ```text
///  write -> fast area (SLC), until it is full --> acknowledged
///             |  idle: empties at the sequential rate
///           full -> buffer, until it is full --> acknowledged
///                     drains at the random or sequential rate
/// ```
#[derive(Debug, Clone)]
pub(super) struct Drain {
    profile: DrainProfile,
    /// Used bytes of the fast area.
    fast_used_bytes: u64,
    /// When the last write arrived.
    written_at: Instant,
    /// When all data in the buffer is programmed.
    empty_at: Instant,
    /// The drain rate of the latest write that went there.
    buffer_bytes_per_s: u64,
    /// All bytes ever written, and those that went to the buffer.
    received_bytes: u64,
    buffered_bytes: u64,
}

impl Drain {
    pub(super) fn new(profile: DrainProfile) -> Self {
        Self {
            profile,
            fast_used_bytes: 0,
            written_at: Instant::START,
            empty_at: Instant::START,
            buffer_bytes_per_s: 0,
            received_bytes: 0,
            buffered_bytes: 0,
        }
    }

    /// Takes a write and returns the earliest instant at which it can be acknowledged.
    pub(super) fn accept(&mut self, now: Instant, bytes: Bytes, sequential: bool) -> Instant {
        self.recover(now);
        self.written_at = now;
        self.received_bytes += bytes.as_u64();
        let used_bytes = self.fast_used_bytes.saturating_add(bytes.as_u64());
        if used_bytes <= self.profile.fast_bytes {
            self.fast_used_bytes = used_bytes;
            return now;
        }
        let rate = match sequential {
            true => self.profile.sequential_bytes_per_s,
            false => self.profile.random_bytes_per_s,
        };
        self.buffer_bytes_per_s = rate;
        self.buffered_bytes += bytes.as_u64();
        self.empty_at = self.empty_at.max(now) + Nanos::new(transfer_ns(bytes, rate));
        let ahead = Nanos::new(transfer_ns(Bytes::new(self.profile.buffer_bytes), rate));
        Instant::from_nanos(self.empty_at.as_nanos().saturating_sub(ahead.as_u64())).max(now)
    }

    /// Drains the fast area for the idle time up to `now`, once the buffer is empty. The drive
    /// writes that data in order, hence the sequential rate.
    fn recover(&mut self, now: Instant) {
        let busy_until = self.written_at.max(self.empty_at);
        if self.fast_used_bytes == 0 || now <= busy_until + IDLE_AFTER {
            return;
        }
        let idle_ns = u128::from(now.since(busy_until + IDLE_AFTER).as_u64());
        let moved = idle_ns * u128::from(self.profile.sequential_bytes_per_s) / 1_000_000_000;
        let moved_bytes = u64::try_from(moved).unwrap_or(u64::MAX);
        self.fast_used_bytes = self.fast_used_bytes.saturating_sub(moved_bytes);
    }

    /// Adds its fill levels at `now`: the fast area, and the buffer behind it.
    pub(super) fn add_levels(&self, now: Instant, levels: &mut FillLevels) {
        fill_level::add(
            &mut levels.fast_area,
            self.fast_used_bytes,
            self.received_bytes,
        );
        let backlog_ns = self.empty_at.max(now).since(now).as_u64();
        let backlog = u128::from(backlog_ns) * u128::from(self.buffer_bytes_per_s) / 1_000_000_000;
        let backlog_bytes = u64::try_from(backlog).unwrap_or(u64::MAX);
        fill_level::add(&mut levels.write_cache, backlog_bytes, self.buffered_bytes);
    }

    /// Returns the used bytes and the capacity of the fast area.
    pub(super) fn fast_area(&self) -> (u64, u64) {
        (self.fast_used_bytes, self.profile.fast_bytes)
    }

    /// Sets the used bytes of the fast area.
    pub(super) fn set_fast_used(&mut self, bytes: u64) {
        self.fast_used_bytes = bytes.min(self.profile.fast_bytes);
    }

    /// Returns whether a write found no room in the fast area, so that the device is slower than at
    /// first.
    pub(super) fn has_filled(&self) -> bool {
        self.profile.fast_bytes > 0 && self.buffered_bytes > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB_4: Bytes = Bytes::new(4096);

    /// 40 writes of 4 KiB fit into the fast area, 10 into the buffer; 100 us for a random one.
    fn drain() -> Drain {
        Drain::new(DrainProfile {
            fast_bytes: 40 * 4096,
            random_bytes_per_s: 40_960_000,
            sequential_bytes_per_s: 409_600_000,
            buffer_bytes: 10 * 4096,
        })
    }

    /// Writes one after the other, each when the previous one is acknowledged.
    fn write(drain: &mut Drain, mut now: Instant, count: u32, sequential: bool) -> Instant {
        for _ in 0..count {
            now = drain.accept(now, KIB_4, sequential);
        }
        now
    }

    #[test]
    fn the_fast_area_then_the_buffer_then_the_steady_rate() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        assert_eq!(now, Instant::START, "40 + 10 writes are free");
        let now = write(&mut drain, now, 100, false);
        assert_eq!(now.as_nanos(), 100 * 100_000);
        let now = write(&mut drain, now, 100, true);
        // The buffered data now takes the time of ten sequential writes to drain, not of ten random
        // ones.
        assert_eq!(now.as_nanos(), 100 * 100_000 + 900_000 + 100 * 10_000);
    }

    #[test]
    fn the_fast_area_empties_when_nothing_is_written_for_long() {
        let mut drain = drain();
        write(&mut drain, Instant::START, 40, false);
        let just_before = Instant::START + IDLE_AFTER;
        drain.recover(just_before);
        assert_eq!(drain.fast_used_bytes, 40 * 4096, "not idle yet");
        // 16 writes leave it, one in 10 us.
        let now = just_before + Nanos::new(16 * 10_000);
        assert_eq!(
            write(&mut drain, now, 26, false),
            now,
            "16 + 10 writes are free"
        );
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
        let later = now + Nanos::from_millis(60_000);
        assert_eq!(write(&mut drain, later, 50, false), later);
    }

    #[test]
    fn gaps_between_the_writes_of_a_busy_host_empty_nothing() {
        let mut drain = drain();
        let mut now = Instant::START;
        for _ in 0..40 {
            now = drain.accept(now, KIB_4, false) + Nanos::from_millis(99);
        }
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
    }

    #[test]
    fn a_full_buffer_is_emptied_before_the_fast_area() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        let buffer_empty = now + Nanos::new(10 * 100_000);
        drain.recover(buffer_empty + IDLE_AFTER);
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
        drain.recover(buffer_empty + IDLE_AFTER + Nanos::new(10_000));
        assert_eq!(drain.fast_used_bytes, 39 * 4096);
    }
}
