//! Acknowledged writes inside a calibrated device: how they leave its fast area and its buffer.

use stripewise_profiles::device::calibrated::DrainProfile;
use stripewise_units::{Bytes, Nanos};

use super::calibrated::transfer_ns;
use super::fill_level::{self, FillLevels};
use crate::units::Instant;

/// How long a drive must see no write before its fast area drains: an assumption. Drives move data
/// out of it when idle; the gaps between the writes of a busy host do not count as idle.
const IDLE_AFTER: Nanos = Nanos::from_millis(100);

/// The length of a run of writes from which on it drains as a stream.
///
/// What slows random writes down is that they invalidate parts of erase units, whose rest has to be
/// copied: random writes as long as such a unit are as fast as sequential ones (Min et al., "SFS:
/// Random Write Considered Harmful in Solid State Drives", FAST 2012, which calls it the clustered
/// block). So the bytes of a run count, however many requests they come in. How long it is differs
/// from drive to drive; 4 MiB, a block of each of a few dies, is an assumption and the shortest that
/// is plausible.
const ERASE_UNIT: u64 = 4 << 20;

/// The state of acknowledged writes inside the drive.
///
/// ```text
///  write -> fast area (SLC), until it is full --> acknowledged
///             |  idle: empties at the sequential rate
///           full -> buffer, until it is full --> acknowledged
///                     drains at a rate between the random one, at the beginning of a run, and the
///                     sequential one, from an erase unit on
/// ```
#[derive(Debug, Clone)]
pub(crate) struct Drain {
    profile: DrainProfile,
    /// Used bytes of the fast area.
    fast_used_bytes: u64,
    /// When the last write arrived.
    written_at: Instant,
    /// When all data in the buffer is programmed.
    empty_at: Instant,
    /// The latest write that went there: most are alike, and its five divisions take longer than all else.
    latest: Drained,
    /// All bytes ever written, and those that went to the buffer.
    received_bytes: u64,
    buffered_bytes: u64,
}

/// How a write of `bytes` drains that follows `before` others of the same run.
#[derive(Debug, Clone, Copy, Default)]
struct Drained {
    bytes: Bytes,
    before: Bytes,
    takes_ns: u64,
    /// Its rate.
    bytes_per_s: u64,
    /// How long a full buffer takes at that rate.
    ahead_ns: u64,
}

impl Drain {
    pub(crate) fn new(profile: DrainProfile) -> Self {
        Self {
            profile,
            fast_used_bytes: 0,
            written_at: Instant::START,
            empty_at: Instant::START,
            latest: Drained::default(),
            received_bytes: 0,
            buffered_bytes: 0,
        }
    }

    /// Takes a write that continues a run of `before` bytes, and returns the earliest instant at which
    /// it can be acknowledged.
    pub(super) fn accept(&mut self, now: Instant, bytes: Bytes, before: Bytes) -> Instant {
        self.recover(now);
        self.written_at = now;
        self.received_bytes += bytes.as_u64();
        let used_bytes = self.fast_used_bytes.saturating_add(bytes.as_u64());
        if used_bytes <= self.profile.fast_bytes {
            self.fast_used_bytes = used_bytes;
            return now;
        }
        if (self.latest.bytes, self.latest.before) != (bytes, before) {
            self.latest = self.drained(bytes, before);
        }
        self.buffered_bytes += bytes.as_u64();
        self.empty_at = self.empty_at.max(now) + Nanos::new(self.latest.takes_ns);
        let ahead_ns = self.latest.ahead_ns;
        Instant::from_nanos(self.empty_at.as_nanos().saturating_sub(ahead_ns)).max(now)
    }

    /// Returns how a write drains.
    fn drained(&self, bytes: Bytes, before: Bytes) -> Drained {
        let takes_ns = self.drain_ns(bytes, before);
        let rate = u128::from(bytes.as_u64()) * 1_000_000_000 / u128::from(takes_ns.max(1));
        let bytes_per_s = u64::try_from(rate).unwrap_or(u64::MAX);
        Drained {
            bytes,
            before,
            takes_ns,
            bytes_per_s,
            ahead_ns: transfer_ns(Bytes::new(self.profile.buffer_bytes), bytes_per_s),
        }
    }

    /// Returns how long the bytes of a write take that follow `before` others of the same run.
    ///
    /// The share of the random rate falls in a straight line over the first erase unit of a run, so
    /// that a run takes as long in pieces as in one write.
    pub(crate) fn drain_ns(&self, bytes: Bytes, before: Bytes) -> u64 {
        let place = |bytes: u64| u128::from(bytes.min(ERASE_UNIT));
        let from = place(before.as_u64());
        let to = place(before.as_u64().saturating_add(bytes.as_u64()));
        let random = (to - from) - (to * to - from * from) / u128::from(2 * ERASE_UNIT);
        let random = u64::try_from(random).unwrap_or(u64::MAX);
        let stream = bytes.as_u64().saturating_sub(random);
        transfer_ns(Bytes::new(random), self.profile.random_bytes_per_s)
            + transfer_ns(Bytes::new(stream), self.profile.sequential_bytes_per_s)
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
        let (backlog_bytes, _) = self.buffer(now);
        fill_level::add(&mut levels.write_cache, backlog_bytes, self.buffered_bytes);
    }

    /// Returns the used bytes and the capacity of the buffer at `now`.
    pub(super) fn buffer(&self, now: Instant) -> (u64, u64) {
        let backlog_ns = self.empty_at.max(now).since(now).as_u64();
        let backlog = u128::from(backlog_ns) * u128::from(self.latest.bytes_per_s) / 1_000_000_000;
        let backlog_bytes = u64::try_from(backlog).unwrap_or(u64::MAX);
        (backlog_bytes, self.profile.buffer_bytes)
    }

    /// Lets the buffer hold so many bytes at `now` that drain like those of the latest write.
    pub(super) fn set_buffered(&mut self, now: Instant, bytes: u64) {
        if self.latest.bytes_per_s > 0 {
            let bytes = Bytes::new(bytes.min(self.profile.buffer_bytes));
            self.empty_at = now + Nanos::new(transfer_ns(bytes, self.latest.bytes_per_s));
        }
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

    /// Even a small write is not all at the random rate.
    fn assert_close(found: Instant, expected_ns: u64) {
        let off = found.as_nanos().abs_diff(expected_ns);
        assert!(off * 1000 < expected_ns, "{} ns", found.as_nanos());
    }

    /// Writes one after the other, each when the previous one is acknowledged.
    fn write(drain: &mut Drain, mut now: Instant, count: u32, sequential: bool) -> Instant {
        let before = Bytes::new(if sequential { ERASE_UNIT } else { 0 });
        for _ in 0..count {
            now = drain.accept(now, KIB_4, before);
        }
        now
    }

    #[test]
    fn the_fast_area_then_the_buffer_then_the_steady_rate() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        assert_eq!(now, Instant::START, "40 + 10 writes are free");
        let now = write(&mut drain, now, 100, false);
        assert_close(now, 100 * 100_000);
        let now = write(&mut drain, now, 100, true);
        // The buffered data now takes the time of ten sequential writes to drain, not of ten random
        // ones.
        assert_close(now, 100 * 100_000 + 900_000 + 100 * 10_000);
    }

    #[test]
    fn a_run_takes_as_long_in_pieces_as_in_one_write() {
        let drain = drain();
        let whole = |kib: u64| drain.drain_ns(Bytes::new(kib << 10), Bytes::new(0));
        for kib in [64, 512, 4096, 65_536] {
            for piece in [4, 16, 64] {
                let pieces = (0..kib / piece).map(|number| {
                    let before = Bytes::new((number * piece) << 10);
                    drain.drain_ns(Bytes::new(piece << 10), before)
                });
                let sum: u64 = pieces.sum();
                let off = whole(kib).abs_diff(sum);
                assert!(
                    off * 1000 < whole(kib),
                    "{kib} KiB by {piece}: {off} ns off"
                );
            }
        }
        // Close to the random rate as long as erase units are mostly rewritten in part, close to the
        // sequential one in long runs, and never slower for a longer one.
        let rate = |kib: u64| (kib << 10) * 1_000_000_000 / whole(kib);
        assert!((40_900_000..42_000_000).contains(&rate(64)), "{}", rate(64));
        assert!(
            (42_000_000..48_000_000).contains(&rate(512)),
            "{}",
            rate(512)
        );
        assert!(
            (300_000_000..409_600_000).contains(&rate(65_536)),
            "{}",
            rate(65_536)
        );
        for kib in [4, 8, 16, 64, 128, 512, 1024, 4096, 8192] {
            assert!(rate(2 * kib) >= rate(kib) - 1000, "{kib}");
        }
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
            now = drain.accept(now, KIB_4, Bytes::new(0)) + Nanos::from_millis(99);
        }
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
    }

    #[test]
    fn a_full_buffer_is_emptied_before_the_fast_area() {
        let mut drain = drain();
        let now = write(&mut drain, Instant::START, 50, false);
        let buffer_empty = now + Nanos::new(10 * 100_000);
        drain.recover(buffer_empty + Nanos::from_millis(99));
        assert_eq!(drain.fast_used_bytes, 40 * 4096);
        drain.recover(buffer_empty + IDLE_AFTER + Nanos::new(10_000));
        assert_eq!(drain.fast_used_bytes / 4096, 38);
    }
}
