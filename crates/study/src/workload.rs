//! The load of a cell: one or more fio-style jobs, and the neighbours beside them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use crate::load::Load;
use crate::program::Program;
use crate::trace::Trace;
use stripewise_units::{Bytes, Nanos};

/// The order and direction of a job's I/O. Names are fio's (`rw=`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pattern {
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Random reads.
    RandRead,
    /// Random writes.
    RandWrite,
    /// Sequential reads and writes, shared out by `mix`.
    Rw,
    /// Random reads and writes, shared out by `mix`.
    RandRw,
}

impl Pattern {
    /// All patterns, in the order in which they are listed.
    pub const ALL: [Pattern; 6] = [
        Pattern::Read,
        Pattern::Write,
        Pattern::RandRead,
        Pattern::RandWrite,
        Pattern::Rw,
        Pattern::RandRw,
    ];

    /// Returns the pattern that fio names so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|pattern| pattern.as_str() == name)
    }

    /// Returns fio's name of the pattern.
    pub const fn as_str(self) -> &'static str {
        match self {
            Pattern::Read => "read",
            Pattern::Write => "write",
            Pattern::RandRead => "randread",
            Pattern::RandWrite => "randwrite",
            Pattern::Rw => "rw",
            Pattern::RandRw => "randrw",
        }
    }

    /// Returns whether the pattern reads and writes.
    pub const fn is_mixed(self) -> bool {
        matches!(self, Pattern::Rw | Pattern::RandRw)
    }

    /// Returns whether the pattern reads.
    pub const fn reads(self) -> bool {
        !matches!(self, Pattern::Write | Pattern::RandWrite)
    }

    /// Returns whether the pattern writes.
    pub const fn writes(self) -> bool {
        !matches!(self, Pattern::Read | Pattern::RandRead)
    }

    /// Returns whether offsets are drawn at random.
    pub const fn is_random(self) -> bool {
        matches!(
            self,
            Pattern::RandRead | Pattern::RandWrite | Pattern::RandRw
        )
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The system calls a job uses (fio's `ioengine`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `pread`/`pwrite`: one I/O at a time.
    Psync,
    /// `read`/`write` with `lseek`: one I/O at a time.
    Sync,
    /// Linux native asynchronous I/O; asynchronous only with `direct = true`.
    Libaio,
    /// `io_uring`: asynchronous, also for buffered I/O.
    IoUring,
    /// glibc's asynchronous I/O: threads, one I/O at a time each.
    Posixaio,
}

impl Engine {
    /// Returns fio's name of the engine.
    pub const fn as_str(self) -> &'static str {
        match self {
            Engine::Psync => "psync",
            Engine::Sync => "sync",
            Engine::Libaio => "libaio",
            Engine::IoUring => "io_uring",
            Engine::Posixaio => "posixaio",
        }
    }

    /// Returns whether the engine keeps at most one I/O in flight, whatever the depth.
    pub const fn is_synchronous(self) -> bool {
        matches!(self, Engine::Psync | Engine::Sync)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The size of each I/O.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockSize {
    /// Every I/O has this size.
    #[serde(rename = "block_size_bytes")]
    Fixed(Bytes),
    /// Sizes with their share in percent; the shares sum to 100 (fio's `bssplit`).
    #[serde(rename = "block_size_split")]
    Split(Vec<SplitPart>),
}

/// One size of a split and its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitPart {
    /// The size of the I/O.
    pub block_size_bytes: Bytes,
    /// How many of 100 I/Os have this size.
    pub share_percent: u8,
}

impl BlockSize {
    /// Returns the largest size of an I/O.
    pub fn largest(&self) -> Bytes {
        match self {
            BlockSize::Fixed(size) => *size,
            BlockSize::Split(parts) => parts
                .iter()
                .map(|part| part.block_size_bytes)
                .max()
                .unwrap_or_default(),
        }
    }

    /// Returns all sizes of I/Os.
    pub fn sizes(&self) -> Vec<Bytes> {
        match self {
            BlockSize::Fixed(size) => vec![*size],
            BlockSize::Split(parts) => parts.iter().map(|part| part.block_size_bytes).collect(),
        }
    }
}

impl fmt::Display for BlockSize {
    /// Writes `8K`, or a split as it is written in a study: `4K/60:64K/40`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockSize::Fixed(size) => size.fmt(f),
            BlockSize::Split(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| format!("{}/{}", part.block_size_bytes, part.share_percent))
                    .collect();
                f.pad(&parts.join(":"))
            }
        }
    }
}

/// The content of write buffers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// Fresh random bytes in every buffer.
    Incompressible,
    /// Zero bytes only.
    Zeroes,
    /// Bytes that compress by this ratio (2.0 halves them).
    Ratio(f64),
}

impl Data {
    /// Returns whether a compressing layer could make the data smaller.
    pub fn is_compressible(self) -> bool {
        !matches!(self, Data::Incompressible)
    }
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Incompressible => f.pad("incompressible"),
            Data::Zeroes => f.pad("zeroes"),
            Data::Ratio(ratio) => f.pad(&format!("{ratio}:1")),
        }
    }
}

/// Whether each write is made durable before it returns (fio's `sync`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncMode {
    /// Writes may return before they are durable.
    None,
    /// `O_SYNC`: data and metadata are durable when a write returns.
    Sync,
    /// `O_DSYNC`: data, and the metadata needed to read it, are durable when a write returns.
    Dsync,
}

impl fmt::Display for SyncMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SyncMode::None => "none",
            SyncMode::Sync => "sync",
            SyncMode::Dsync => "dsync",
        })
    }
}

/// How random offsets are spread over the file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Every block equally often.
    Uniform,
    /// Zipf with this exponent: few blocks take most of the I/O.
    Zipf(f64),
    /// Pareto with this power: few blocks take most of the I/O.
    Pareto(f64),
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform => f.pad("uniform"),
            Distribution::Zipf(theta) => f.pad(&format!("zipf:{theta}")),
            Distribution::Pareto(power) => f.pad(&format!("pareto:{power}")),
        }
    }
}

/// A load that runs beside a workload and is not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Its name in the study: `[neighbour.NAME]`.
    pub name: String,
    /// The load.
    #[serde(flatten)]
    pub load: Load,
}

/// A load, its name, and its neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Its name in the study (`[workload.NAME]`); `None` for a plain `[workload]`.
    pub name: Option<String>,
    /// The load.
    #[serde(flatten)]
    pub load: Load,
    /// The loads that run beside it.
    pub neighbours: Vec<Neighbour>,
    /// The options of another program that can change the measurement and that the load does not
    /// express, by name, if it measured the cell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// The database that takes the place of the load where the power is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<Database>,
    /// The program that takes the place of the load where the power is cut; the load then says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// The trace whose I/Os are replayed; the load then has its largest block, its size and its mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Trace>,
}

/// A database and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Database {
    /// Its program.
    pub program: DatabaseProgram,
    /// Its settings, by the names in its manual.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
}

impl Database {
    /// Returns how often the database itself makes its log durable, if its commits do not wait for
    /// that; `None` if they do, or if it never does.
    ///
    /// MariaDB's manual, `innodb_flush_log_at_trx_commit` (0 and 2) and `innodb_flush_log_at_timeout`:
    /// once a second. PostgreSQL's, `synchronous_commit` and `wal_writer_delay`: "the maximum window
    /// of loss is three times" 200 ms.
    pub fn flush_interval(&self) -> Option<Nanos> {
        let set = |name: &str| self.settings.get(name).map(String::as_str);
        match self.program {
            DatabaseProgram::MariaDb => {
                let is_relaxed = matches!(set("innodb_flush_log_at_trx_commit"), Some("0" | "2"));
                let seconds =
                    set("innodb_flush_log_at_timeout").map_or(Some(1), |it| it.parse().ok());
                let seconds = seconds.filter(|seconds: &u64| is_relaxed && *seconds > 0);
                seconds.map(|seconds| Nanos::from_millis(seconds.saturating_mul(1000)))
            }
            DatabaseProgram::PostgreSql => {
                let is_relaxed =
                    set("synchronous_commit") == Some("off") && set("fsync") != Some("off");
                let delay = match set("wal_writer_delay") {
                    None => Some(Nanos::from_millis(200)),
                    Some(delay) => Nanos::parse(delay).ok(),
                };
                let window = delay.map(|delay| Nanos::new(delay.as_u64().saturating_mul(3)));
                window.filter(|window| is_relaxed && window.as_u64() > 0)
            }
        }
    }
}

/// The program of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseProgram {
    /// MariaDB with InnoDB.
    MariaDb,
    /// PostgreSQL.
    PostgreSql,
}

impl Workload {
    /// Returns a load without a name and without neighbours.
    pub fn alone(load: Load) -> Self {
        Self {
            name: None,
            load,
            neighbours: Vec::new(),
            options: BTreeMap::new(),
            database: None,
            program: None,
            trace: None,
        }
    }

    /// Returns whether the throughput is given by the times of a trace.
    pub fn has_given_rate(&self) -> bool {
        self.trace.as_ref().is_some_and(Trace::is_timed)
    }

    /// Returns all its loads: the measured one, then its neighbours.
    pub fn loads(&self) -> impl Iterator<Item = &Load> {
        let beside = self.neighbours.iter().map(|neighbour| &neighbour.load);
        std::iter::once(&self.load).chain(beside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relaxed_database_flushes_at_its_own_interval() {
        let interval = |program, settings: &[(&str, &str)]| {
            let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let settings = settings.iter().map(own).collect();
            let interval = Database { program, settings }.flush_interval();
            interval.map(|interval| interval.as_u64() / 1_000_000)
        };
        let commit = "innodb_flush_log_at_trx_commit";
        let maria = |settings: &[(&str, &str)]| interval(DatabaseProgram::MariaDb, settings);
        assert_eq!(maria(&[]), None);
        assert_eq!(maria(&[(commit, "1")]), None);
        assert_eq!(maria(&[(commit, "2")]), Some(1000));
        let slow = ("innodb_flush_log_at_timeout", "5");
        assert_eq!(maria(&[(commit, "0"), slow]), Some(5000));
        let postgres = |settings: &[(&str, &str)]| interval(DatabaseProgram::PostgreSql, settings);
        assert_eq!(postgres(&[]), None);
        assert_eq!(postgres(&[("synchronous_commit", "off")]), Some(600));
        let delay = ("wal_writer_delay", "50ms");
        assert_eq!(postgres(&[("synchronous_commit", "off"), delay]), Some(150));
        assert_eq!(
            postgres(&[("synchronous_commit", "off"), ("fsync", "off")]),
            None
        );
    }
}
