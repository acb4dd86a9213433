//! How long fio may take before it counts as hung.
//!
//! A timed load ends after its duration plus the time for its outstanding I/Os. All other runs get
//! the time that the slowest medium needs.

use std::num::NonZeroU32;
use std::time::Duration;

use stripewise_study::workload::Load;
use stripewise_units::{Bytes, Nanos};

/// How long fio may take to start, to exit, and for one late I/O. The kernel gives a disk 30 s for
/// a command before it resets the disk (`/sys/block/DISK/device/timeout`).
const SPARE: Duration = Duration::from_secs(30);

/// How long each of many I/Os may take, on a disk that retries.
const IO_TIME: Duration = Duration::from_millis(100);

/// The speed of the slowest supported medium: an old USB stick.
const BYTES_PER_S_MIN: u64 = 1 << 20;

/// Returns the limit of loads that run in parallel for `duration`.
///
/// After the duration there may follow the outstanding I/Os, the writes of a last `fsync`, and the
/// current pause of a job, because fio checks the clock only between I/Os.
pub(crate) fn of_loads<'a>(
    duration: Duration,
    loads: impl IntoIterator<Item = &'a Load>,
) -> Duration {
    let (mut last_ios, mut pause) = (Duration::ZERO, Duration::ZERO);
    for load in loads {
        let synced = [load.fsync_every, load.fdatasync_every];
        let synced = synced.into_iter().flatten().map(NonZeroU32::get).max();
        // With `direct` a sync only flushes the disk's cache.
        let unwritten = synced.filter(|_| !load.direct).unwrap_or(0);
        let ios = load.jobs.saturating_mul(load.depth.max(unwritten));
        let block = load.block_size.largest();
        let each = IO_TIME.max(time_of(block, BYTES_PER_S_MIN));
        last_ios = last_ios.saturating_add(each.saturating_mul(ios));
        pause = pause.max(pause_of(load, block));
    }
    [SPARE, last_ios, pause]
        .into_iter()
        .fold(duration, Duration::saturating_add)
}

/// Returns the limit of reading or writing `bytes` sequentially.
pub(crate) fn of_bytes(bytes: Bytes) -> Duration {
    SPARE.saturating_add(time_of(bytes, BYTES_PER_S_MIN))
}

/// Returns the limit of `ios` I/Os, one after another.
pub(crate) fn of_ios(ios: u64) -> Duration {
    let ios = u32::try_from(ios).unwrap_or(u32::MAX);
    SPARE.saturating_add(IO_TIME.saturating_mul(ios))
}

/// Returns the longest pause between two I/Os of a load.
fn pause_of(load: &Load, block: Bytes) -> Duration {
    let by_bytes = load
        .rate_bytes_per_s
        .filter(|rate| *rate > Bytes::default())
        .map(|rate| time_of(block, rate.as_u64()));
    let by_ios = load
        .rate_iops
        .map(|rate| Duration::from_secs(1) / rate.get());
    [by_bytes, by_ios, Some(load.think_time_ns.into())]
        .into_iter()
        .flatten()
        .max()
        .unwrap_or_default()
}

/// Returns the time for `bytes` at a speed above 0.
fn time_of(bytes: Bytes, bytes_per_s: u64) -> Duration {
    let nanos = u128::from(bytes.as_u64()) * 1_000_000_000 / u128::from(bytes_per_s);
    Nanos::new(u64::try_from(nanos).unwrap_or(u64::MAX)).into()
}
