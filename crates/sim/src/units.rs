//! The units of the model: sectors of 512 bytes and instants of virtual time.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use stripewise_units::{Bytes, Nanos};

use crate::narrow::low_u64;

/// A number of 512-byte sectors: a length, or a position counted from the start of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sectors(u64);

impl Sectors {
    /// The bytes of a sector, as the block layer counts them (`SECTOR_SIZE`).
    pub const BYTES: u64 = 512;

    /// Returns `count` sectors.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Returns the sectors that `bytes` fill, rounded up.
    pub const fn from_bytes(bytes: Bytes) -> Self {
        Self(bytes.as_u64().div_ceil(Self::BYTES))
    }

    /// Returns the number of sectors.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the bytes they hold; saturates.
    pub const fn bytes(self) -> Bytes {
        Bytes::new(self.0.saturating_mul(Self::BYTES))
    }

    /// Returns how far two positions are from each other.
    pub const fn distance(self, other: Self) -> Self {
        Self(self.0.abs_diff(other.0))
    }
}

impl Add for Sectors {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Sectors {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Sectors {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl fmt::Display for Sectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sectors", self.0)
    }
}

/// A point in virtual time: nanoseconds since the simulation began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

impl Instant {
    /// The start of the simulation.
    pub const START: Instant = Instant(0);
    /// Later than everything.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// Returns the instant `ns` nanoseconds after the start.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Returns the nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the span since `earlier`; 0 if that is later.
    pub const fn since(self, earlier: Instant) -> Nanos {
        Nanos::new(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Nanos> for Instant {
    type Output = Self;
    fn add(self, span: Nanos) -> Self {
        Self(self.0 + span.as_u64())
    }
}

impl AddAssign<Nanos> for Instant {
    fn add_assign(&mut self, span: Nanos) {
        self.0 += span.as_u64();
    }
}

/// A rate in bytes per second, stored as a factor: a division for each I/O would be too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Nanoseconds of a byte, in 1/2^32.
    byte_ns: u64,
}

impl Rate {
    /// Returns the rate of `bytes_per_s`; 0 counts as 1. Times are right to 1/2^32 ns a byte.
    pub const fn new(bytes_per_s: u64) -> Self {
        let bytes_per_s = if bytes_per_s == 0 { 1 } else { bytes_per_s };
        Self {
            byte_ns: (1_000_000_000 << 32) / bytes_per_s,
        }
    }

    /// Returns how long `bytes` take; saturates.
    #[inline]
    pub const fn time(self, bytes: u64) -> Nanos {
        let ns = (bytes as u128 * self.byte_ns as u128) >> 32;
        Nanos::new(match ns >> 64 {
            0 => low_u64(ns),
            _ => u64::MAX,
        })
    }
}
