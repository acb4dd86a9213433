//! The kernel's I/O counters of each block device: `/sys/block/NAME/stat`.
//!
//! Documentation/block/stat.rst and Documentation/ABI/stable/sysfs-block. One line, of 11 numbers
//! until kernel 4.17, 15 since 4.18 (discards), 17 since 5.5 (flushes):
//!
//! ```text
//!  0 reads   1 read merges   2 sectors read      3 read ms
//!  4 writes  5 write merges  6 sectors written   7 write ms
//!  8 in flight               9 busy ms          10 waiting ms
//! 11 discards ... 14 discard ms                 15 flushes  16 flush ms
//! ```
//!
//! A sector here is 512 bytes, regardless of the device's own size.

use std::collections::BTreeMap;

use stripewise_study::sample::DeviceDelta;
use stripewise_units::{Bytes, Nanos};

use crate::node::SECTOR_BYTES;
use crate::order::order_key;
use crate::root::{Root, is_plain_name};

/// The counters of several block devices at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceCounters(BTreeMap<String, Counters>);

/// The counters of one device since its creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counters {
    reads: u64,
    read_merges: u64,
    read_sectors: u64,
    writes: u64,
    write_merges: u64,
    write_sectors: u64,
    /// The sum of the times that finished reads and writes took.
    io_ms: u64,
    busy_ms: u64,
    flushes: Option<u64>,
}

impl DeviceCounters {
    /// Reads the counters of the devices or partitions with these kernel names; skips those that
    /// cannot be read.
    ///
    /// Cost: one small file for each device, some microseconds each.
    pub fn read(root: &Root, names: &[String]) -> Self {
        let read_one = |name: &String| {
            // Partitions are not in `/sys/block`, and a fixture may lack `/sys/class/block`.
            let read = |folder: &str| root.word(format!("{folder}/{name}/stat"));
            let line = is_plain_name(name)
                .then(|| read("/sys/block").or_else(|| read("/sys/class/block")))??;
            Some((name.clone(), parse(&line)?))
        };
        Self(names.iter().filter_map(read_one).collect())
    }

    /// Returns the counts between `self` and `later`, in the natural order of the devices.
    ///
    /// A device that is not in both is skipped. Where a counter fell (it wrapped, or the device was
    /// replaced) the difference is 0: too small rather than absurd.
    pub fn delta(&self, later: &DeviceCounters) -> Vec<DeviceDelta> {
        let mut deltas: Vec<DeviceDelta> = self
            .0
            .iter()
            .filter_map(|(name, before)| Some(difference(name, before, later.0.get(name)?)))
            .collect();
        deltas.sort_by_cached_key(|delta| order_key(&delta.device));
        deltas
    }

    /// Returns the mean time of the reads and writes that ended between `self` and `later`, as iostat's
    /// `await`; `None` if there were none.
    ///
    /// The kernel counts it in whole milliseconds (`part_stat_read_all` and `diskstats` in block/genhd.c), so
    /// it is rough for few I/Os.
    pub fn mean_time(&self, later: &DeviceCounters) -> Option<Nanos> {
        let both = self
            .0
            .iter()
            .filter_map(|(name, before)| Some((before, later.0.get(name)?)));
        let (ios, ms) = both.fold((0_u64, 0_u64), |(ios, ms), (before, after)| {
            let ended = |one: &Counters| one.reads.saturating_add(one.writes);
            (
                ios.saturating_add(ended(after).saturating_sub(ended(before))),
                ms.saturating_add(after.io_ms.saturating_sub(before.io_ms)),
            )
        });
        ms.saturating_mul(1_000_000)
            .checked_div(ios)
            .map(Nanos::new)
    }
}

fn difference(name: &str, before: &Counters, after: &Counters) -> DeviceDelta {
    let sectors = |before: u64, after: u64| {
        Bytes::new(after.saturating_sub(before).saturating_mul(SECTOR_BYTES))
    };
    DeviceDelta {
        device: name.to_owned(),
        reads: after.reads.saturating_sub(before.reads),
        read_merges: after.read_merges.saturating_sub(before.read_merges),
        read_bytes: sectors(before.read_sectors, after.read_sectors),
        writes: after.writes.saturating_sub(before.writes),
        write_merges: after.write_merges.saturating_sub(before.write_merges),
        write_bytes: sectors(before.write_sectors, after.write_sectors),
        flushes: after
            .flushes
            .zip(before.flushes)
            .map(|(after, before)| after.saturating_sub(before)),
        busy_ns: Nanos::from_millis(after.busy_ms.saturating_sub(before.busy_ms)),
        sectors_sums: None,
    }
}

/// Parses one line of `stat`; `None` if it has fewer than the 11 numbers of the oldest format.
fn parse(line: &str) -> Option<Counters> {
    const FIELD_COUNT_MIN: usize = 11;
    let fields: Vec<u64> = line
        .split_whitespace()
        .map(|field| field.parse().ok())
        .collect::<Option<_>>()?;
    if fields.len() < FIELD_COUNT_MIN {
        return None;
    }
    Some(Counters {
        reads: fields[0],
        read_merges: fields[1],
        read_sectors: fields[2],
        writes: fields[4],
        write_merges: fields[5],
        write_sectors: fields[6],
        io_ms: fields[3].saturating_add(fields[7]),
        busy_ms: fields[9],
        flushes: fields.get(15).copied(),
    })
}
