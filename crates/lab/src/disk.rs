//! Modelled disks of a guest: their parameters, the commands that add and reset them, their
//! counters.
//!
//! The module `stripewise_disk` gets a disk's parameters as one line of text; its service model is
//! the simulator's, number for number. Nothing here touches a device: the guest writes each line to
//! [`CONTROL`] with a single write, and reads [`DiskStatus`] from it.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stripewise_profiles::device::calibrated::{CacheProfile, DrainProfile};
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_study::sample::SectorsSums;

/// The file that takes one command per write, and lists the disks when read.
pub const CONTROL: &str = "/dev/stripewise-disks";

/// The longest command the module takes.
pub const COMMAND_BYTES_MAX: usize = 65_536;

/// The largest request of any modelled disk.
pub const REQUEST_BYTES_MAX: u64 = 1 << 25;

/// The default number of bytes a modelled disk stores at each end: enough for md's and LVM's
/// metadata, with md's data offset of up to 128 MiB (mdadm, `super1.c`, `validate_geometry1`)
/// before LVM's.
pub const EDGES_BYTES: u64 = 144 << 20;

/// The unit in which the module stores data.
const PAGE_BYTES: u64 = 4096;

/// The number of factors of a spread.
const SPREAD_FACTORS: usize = 257;

/// The most points of a curve.
const POINTS_MAX: usize = 256;

/// The longest list of disks that we read.
pub(crate) const STATUS_BYTES_MAX: usize = 1 << 20;

/// The name of a modelled disk: `swd0` to `swd255`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DiskName(u8);

impl DiskName {
    /// Returns the name with a number.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Returns the device file in the guest.
    pub fn path(self) -> String {
        format!("/dev/{self}")
    }

    /// Returns the file of a setting of its queue in the guest.
    pub(crate) fn queue(self, setting: &str) -> PathBuf {
        let queue = Path::new("/sys/block").join(self.to_string()).join("queue");
        queue.join(setting)
    }

    /// Returns the command that resets the disk but keeps its data: idle, its statistics 0, its
    /// random generator at `seed`.
    pub fn reset(self, seed: Seed) -> String {
        format!("reset {self} seed={seed}")
    }

    fn parse(text: &str) -> Option<Self> {
        let name = Self(text.strip_prefix("swd")?.parse().ok()?);
        (name.to_string() == text).then_some(name)
    }
}

impl fmt::Display for DiskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "swd{}", self.0)
    }
}

impl From<DiskName> for String {
    fn from(name: DiskName) -> Self {
        name.to_string()
    }
}

impl TryFrom<String> for DiskName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a modelled disk is swd0 to swd255")
    }
}

/// The state from which a disk's random generator starts (PCG XSL RR 128/64 MCG).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(u128);

impl Seed {
    /// Returns a seed from its bits.
    pub const fn new(bits: u128) -> Self {
        Self(bits)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl From<Seed> for String {
    fn from(seed: Seed) -> Self {
        seed.to_string()
    }
}

impl TryFrom<String> for Seed {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        u128::from_str_radix(&text, 16)
            .ok()
            .map(Self)
            .filter(|seed| seed.to_string() == text)
            .ok_or("a seed is 32 hexadecimal digits in lower case")
    }
}

/// The cable or bus between host and disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskLink {
    /// The bandwidth from the disk; unlimited if absent.
    pub read_bytes_per_s: Option<u64>,
    /// The bandwidth to the disk; unlimited if absent.
    pub write_bytes_per_s: Option<u64>,
    /// The overhead of each command, on top of its data.
    pub command_ns: u64,
    /// Whether both directions transfer at once.
    pub full_duplex: bool,
}

/// The service model of one direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskDirection {
    /// The number of requests served at once.
    pub servers: u32,
    /// The time of a lone request that continues no stream, by rising size.
    pub random: Vec<CurvePoint>,
    /// The same for a request that continues a stream; as `random` if empty.
    pub sequential: Vec<CurvePoint>,
    /// Factors on those times at 257 evenly spaced quantiles, in 1/65536; no spread if empty.
    pub spread: Vec<u32>,
}

/// Which written data a disk stores; the store is in the guest's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DiskStore {
    /// All data is stored; a write that exceeds the limit fails.
    All {
        /// The limit.
        bytes_max: u64,
    },
    /// The beginning and the end of the disk are stored, the rest is discarded.
    Edges {
        /// The size of each end.
        bytes: u64,
        /// The result of reading discarded data.
        blank: Blank,
    },
}

/// The result of reading discarded data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blank {
    /// Zeroes. Filling them in costs the guest CPU time.
    Zeroes,
    /// The old content of the buffer, which may be anything. Costs no CPU time, like a controller's
    /// DMA.
    Untouched,
}

/// The parameters of a modelled disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskModel {
    /// Its size, a multiple of 4096.
    pub size_bytes: u64,
    /// The logical block size: 512 to 4096.
    pub logical_block_bytes: u64,
    /// The physical block size that it reports: `logical_block_bytes` to 4096.
    pub physical_block_bytes: u64,
    /// Its queue depth.
    pub queue_depth: u32,
    /// The largest request it takes, a multiple of 4096; [`REQUEST_BYTES_MAX`] at most.
    pub request_bytes_max: u64,
    /// Whether it reports itself as rotational, which md takes into account.
    pub rotational: bool,
    /// Which data it stores.
    pub store: DiskStore,
    /// The start of its random generator.
    pub seed: Seed,
    /// Its link.
    pub link: DiskLink,
    /// Reads.
    pub read: DiskDirection,
    /// Writes.
    pub write: DiskDirection,
    /// Its write cache.
    pub cache: CacheProfile,
    /// The background drain of acknowledged writes, if it slows them down.
    pub drain: Option<DrainProfile>,
}

/// A parameter is outside the module's limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` of a modelled disk {problem}")]
pub struct DiskProblem {
    /// The key of the command.
    pub key: &'static str,
    /// The problem.
    pub problem: &'static str,
}

impl DiskModel {
    /// Returns a disk of `size_bytes` with zero service time, which leaves only the kernel's time.
    ///
    /// It is not rotational, has no volatile cache, and stores [`EDGES_BYTES`] at each end.
    pub fn instant(size_bytes: u64) -> Self {
        let at_once = DiskDirection {
            servers: 1,
            random: vec![CurvePoint {
                size_bytes: 4096,
                time_ns: 0,
            }],
            sequential: Vec::new(),
            spread: Vec::new(),
        };
        Self {
            size_bytes,
            logical_block_bytes: 512,
            physical_block_bytes: 4096,
            queue_depth: 256,
            request_bytes_max: REQUEST_BYTES_MAX,
            rotational: false,
            store: DiskStore::Edges {
                bytes: EDGES_BYTES,
                blank: Blank::Zeroes,
            },
            seed: Seed::new(1),
            link: DiskLink {
                read_bytes_per_s: None,
                write_bytes_per_s: None,
                command_ns: 0,
                full_duplex: true,
            },
            read: at_once.clone(),
            write: at_once,
            cache: CacheProfile {
                is_volatile: false,
                flush_ns: 0,
            },
            drain: None,
        }
    }

    /// Returns the command that adds the disk as `name`; `/dev/NAME` exists when the write of the
    /// command returns.
    ///
    /// # Errors
    /// The first parameter that the module would refuse, by its key in the command.
    pub fn command(&self, name: DiskName) -> Result<String, DiskProblem> {
        self.check()?;
        let mut command = format!("add name={name} seed={}", self.seed);
        let mut put = |key: &str, value: u64| {
            write!(command, " {key}={value}").expect("writing to a string cannot fail");
        };
        put("size_bytes", self.size_bytes);
        put("logical_block_bytes", self.logical_block_bytes);
        put("physical_block_bytes", self.physical_block_bytes);
        put("queue_depth", self.queue_depth.into());
        put("request_bytes_max", self.request_bytes_max);
        put("rotational", self.rotational.into());
        put("link_command_ns", self.link.command_ns);
        put("link_full_duplex", self.link.full_duplex.into());
        let [read, write] = [self.link.read_bytes_per_s, self.link.write_bytes_per_s];
        put("link_read_bytes_per_s", read.unwrap_or(0));
        put("link_write_bytes_per_s", write.unwrap_or(0));
        put("cache_volatile", self.cache.is_volatile.into());
        put("cache_flush_ns", self.cache.flush_ns);
        put("read_servers", self.read.servers.into());
        put("write_servers", self.write.servers.into());
        if let Some(drain) = &self.drain {
            put("drain_fast_bytes", drain.fast_bytes);
            put("drain_random_bytes_per_s", drain.random_bytes_per_s);
            put("drain_sequential_bytes_per_s", drain.sequential_bytes_per_s);
            put("drain_buffer_bytes", drain.buffer_bytes);
        }
        let (store, bytes, zeroes) = match self.store {
            DiskStore::All { bytes_max } => ("all", bytes_max, true),
            DiskStore::Edges { bytes, blank } => ("edges", bytes, blank == Blank::Zeroes),
        };
        put("store_bytes", bytes);
        put("store_blank_zeroes", zeroes.into());
        command.push_str(" store=");
        command.push_str(store);
        for (direction, key) in [(&self.read, "read"), (&self.write, "write")] {
            direction.add_to(&mut command, key);
        }
        Ok(command)
    }

    /// Repeats the module's checks (`command.h`), so that the host reports a wrong number, with its
    /// origin, and not the guest's kernel.
    ///
    /// # Errors
    /// The first parameter that the module would refuse, by its key in the command.
    pub fn check(&self) -> Result<(), DiskProblem> {
        let store_bytes = match self.store {
            DiskStore::All { bytes_max: bytes } | DiskStore::Edges { bytes, .. } => bytes,
        };
        let (logical, physical) = (self.logical_block_bytes, self.physical_block_bytes);
        let is_block = |bytes: u64| bytes.is_power_of_two() && (512..=4096).contains(&bytes);
        let is_whole = |bytes: u64| bytes.is_multiple_of(PAGE_BYTES) && bytes <= BYTES_MAX;
        ensure("size_bytes", self.size_bytes >= 1 << 20, "is below 1 MiB")?;
        for (key, bytes) in [
            ("size_bytes", self.size_bytes),
            ("request_bytes_max", self.request_bytes_max),
            ("store_bytes", store_bytes),
        ] {
            ensure(
                key,
                is_whole(bytes),
                "is not a multiple of 4096 up to 1 EiB",
            )?;
        }
        let blocks = "is not a power of two from 512 to 4096";
        ensure("logical_block_bytes", is_block(logical), blocks)?;
        ensure("physical_block_bytes", is_block(physical), blocks)?;
        let smaller = "is less than `logical_block_bytes`";
        ensure("physical_block_bytes", physical >= logical, smaller)?;
        let holds = (PAGE_BYTES..=REQUEST_BYTES_MAX).contains(&self.request_bytes_max);
        ensure("request_bytes_max", holds, "is not 4 KiB to 32 MiB")?;
        let holds = (1..=10_240).contains(&self.queue_depth);
        ensure("queue_depth", holds, "is not 1 to 10240")?;
        let times = "is above 1000 s";
        ensure(
            "link_command_ns",
            self.link.command_ns <= TIME_NS_MAX,
            times,
        )?;
        ensure("cache_flush_ns", self.cache.flush_ns <= TIME_NS_MAX, times)?;
        let rates = [self.link.read_bytes_per_s, self.link.write_bytes_per_s];
        let rates = rates.into_iter().flatten();
        let drain = self.drain.iter();
        let rates =
            rates.chain(drain.flat_map(|d| [d.random_bytes_per_s, d.sequential_bytes_per_s]));
        for rate in rates {
            ensure(
                "bytes_per_s",
                (1..=RATE_MAX).contains(&rate),
                "is not 1 B/s to 10 TB/s",
            )?;
        }
        if let Some(drain) = &self.drain {
            let holds = drain.fast_bytes.max(drain.buffer_bytes) <= BYTES_MAX;
            ensure("drain", holds, "holds more than 1 EiB")?;
        }
        self.read.check("read")?;
        self.write.check("write")
    }
}

/// The bounds of `command.h`.
const TIME_NS_MAX: u64 = 1_000_000_000_000;
/// The highest rate that the module takes, in bytes per second.
pub const RATE_MAX: u64 = 10_000_000_000_000;
const BYTES_MAX: u64 = 1 << 60;

fn ensure(key: &'static str, holds: bool, problem: &'static str) -> Result<(), DiskProblem> {
    match holds {
        true => Ok(()),
        false => Err(DiskProblem { key, problem }),
    }
}

impl DiskDirection {
    fn add_to(&self, command: &mut String, key: &str) {
        let points = |points: &[CurvePoint]| {
            let points = points
                .iter()
                .map(|p| format!("{}:{}", p.size_bytes, p.time_ns));
            points.collect::<Vec<_>>().join(",")
        };
        let mut put = |name: &str, value: String| {
            if !value.is_empty() {
                write!(command, " {key}_{name}={value}").expect("writing to a string cannot fail");
            }
        };
        put("random", points(&self.random));
        put("sequential", points(&self.sequential));
        let factors: Vec<String> = self.spread.iter().map(u32::to_string).collect();
        put("spread", factors.join(","));
    }

    fn check(&self, key: &'static str) -> Result<(), DiskProblem> {
        let holds = (1..=1024).contains(&self.servers);
        ensure(key, holds, "does not have 1 to 1024 servers")?;
        ensure(key, !self.random.is_empty(), "has no times")?;
        for curve in [&self.random, &self.sequential] {
            ensure(key, curve.len() <= POINTS_MAX, "has more than 256 times")?;
            let rising = |pair: &[CurvePoint]| pair[0].size_bytes < pair[1].size_bytes;
            let holds = curve.windows(2).all(rising);
            ensure(key, holds, "has sizes that do not rise")?;
            let inside = |p: &CurvePoint| p.size_bytes <= 1 << 30 && p.time_ns <= TIME_NS_MAX;
            let holds = curve.iter().all(inside);
            ensure(key, holds, "has a size above 1 GiB or a time above 1000 s")?;
        }
        let holds = self.spread.is_empty()
            || (self.spread.len() == SPREAD_FACTORS && self.spread.is_sorted());
        ensure(key, holds, "has a spread that is not 257 rising factors")
    }
}

/// A disk's counters since it was added or reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskStatus {
    /// Its name.
    pub name: DiskName,
    /// The number of requests it has served.
    pub requests_count: u64,
    /// The sum of the times from arrival to modelled completion.
    pub service_ns: u64,
    /// The sum of the times from modelled completion to the kernel's notice: the guest's own
    /// overhead.
    pub late_ns: u64,
    /// Requests that failed because their data did not fit into the store.
    pub failed_requests_count: u64,
    /// How often a write waited for memory; its time is then not the modelled one.
    pub memory_waits_count: u64,
    /// The bytes that it has read.
    pub read_bytes: u64,
    /// The bytes that it has written.
    pub write_bytes: u64,
    /// The sums of the numbers of their sectors.
    pub sectors_sums: SectorsSums,
}

/// The request kinds that the list counts separately.
const KINDS: [&str; 4] = ["read", "write", "flush", "clear"];

/// The guest's list of disks is malformed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatusProblem {
    /// It is too long.
    #[error("the list of modelled disks is longer than {STATUS_BYTES_MAX} bytes")]
    TooLong,
    /// A line lacks a number.
    #[error("line {line} of the list of modelled disks has no `{key}`")]
    Missing {
        /// The line, from 1.
        line: usize,
        /// The key with the missing or invalid value.
        key: String,
    },
}

impl DiskStatus {
    /// Parses the text read from [`CONTROL`], one disk per line; unknown keys are ignored.
    ///
    /// # Errors
    /// The first line that lacks a number, or a text that is too long to be a list of disks.
    pub fn parse(text: &str) -> Result<Vec<Self>, StatusProblem> {
        if text.len() > STATUS_BYTES_MAX {
            return Err(StatusProblem::TooLong);
        }
        let lines = text.lines().enumerate();
        lines
            .map(|(index, line)| Self::parse_line(index + 1, line))
            .collect()
    }

    fn parse_line(line: usize, text: &str) -> Result<Self, StatusProblem> {
        let words = text.split(' ').filter_map(|word| word.split_once('='));
        let words: BTreeMap<&str, &str> = words.collect();
        let missing = |key: &str| StatusProblem::Missing {
            line,
            key: key.to_owned(),
        };
        let number = |key: &str| {
            let value = words.get(key).and_then(|value| value.parse::<u64>().ok());
            value.ok_or_else(|| missing(key))
        };
        let sum = |what: &str| {
            let counts = KINDS.map(|kind| number(&format!("{kind}_{what}")));
            counts
                .into_iter()
                .try_fold(0_u64, |sum, count| Ok(sum.saturating_add(count?)))
        };
        let name = words.get("name").and_then(|name| DiskName::parse(name));
        Ok(Self {
            name: name.ok_or_else(|| missing("name"))?,
            requests_count: sum("requests")?,
            service_ns: sum("service_ns")?,
            late_ns: sum("late_ns")?,
            failed_requests_count: number("failed_requests")?,
            memory_waits_count: number("memory_waits")?,
            read_bytes: number("read_bytes")?,
            write_bytes: number("write_bytes")?,
            sectors_sums: SectorsSums {
                read: number("read_sectors_sum")?,
                write: number("write_sectors_sum")?,
            },
        })
    }
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
