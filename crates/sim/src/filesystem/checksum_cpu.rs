//! The CPU time of what a filesystem does with every byte: checksums and compression.
//!
//! A checksum counts as one copy of the data, at the host's rate: `crc32c` and fletcher4 read it
//! once. If the host profile has the rate of fletcher4, ZFS's checksum takes that. No profile has the
//! rates of compression yet. They are those of one core in lzbench's table of LZ4 1.9.0 (`README.md` of lz4: Core i7-9700K, Silesia corpus, bytes of the uncompressed data).
//! Data that does not compress counts as a copy, too, because all of these algorithms skip it early.

use stripewise_study::pool::Compression;
use stripewise_units::Nanos;

use crate::units::Rate;

/// The data that one worker takes: a record of ZFS, an extent of btrfs.
const BLOCK: u64 = 128 << 10;

/// What is done with data on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passes {
    checksum: Option<Rate>,
    read: Option<Rate>,
    write: Option<Rate>,
    /// How many tasks share the work.
    workers: u64,
}

impl Passes {
    /// Returns the passes over data that becomes smaller, or not, by `compression`; in a second the
    /// host copies `copy` bytes, and computes the checksum of `checksum`, if there is one.
    pub(crate) fn new(
        copy: u64,
        checksum: Option<u64>,
        compression: Option<Compression>,
        becomes_smaller: bool,
        workers: u64,
    ) -> Self {
        let rates = compression.map(|compression| match compression {
            _ if !becomes_smaller => (copy, None),
            Compression::Lz4 => (780_000_000, Some(4_970_000_000)),
            Compression::Lzo => (670_000_000, Some(860_000_000)),
            Compression::Zlib => (100_000_000, Some(415_000_000)),
            Compression::Zstd => (515_000_000, Some(1_380_000_000)),
        });
        Self {
            checksum: checksum.map(Rate::new),
            write: rates.map(|(write, _)| Rate::new(write)),
            read: rates.and_then(|(_, read)| read).map(Rate::new),
            workers: workers.max(1),
        }
    }

    /// Returns how long a read of `bytes` takes: each block is one worker's.
    pub(crate) fn read(&self, bytes: u64) -> Nanos {
        let alone = sum(self.checksum, self.read, bytes);
        Nanos::new(alone.as_u64() / (bytes / BLOCK).clamp(1, self.workers))
    }

    /// Returns how long a write of `bytes` takes, shared by all workers.
    pub(crate) fn write(&self, bytes: u64) -> Nanos {
        let alone = sum(self.checksum, self.write, bytes);
        Nanos::new(alone.as_u64() / self.workers)
    }
}

fn sum(one: Option<Rate>, two: Option<Rate>, bytes: u64) -> Nanos {
    let time = |rate: Option<Rate>| rate.map_or(0, |rate| rate.time(bytes).as_u64());
    Nanos::new(time(one) + time(two))
}
