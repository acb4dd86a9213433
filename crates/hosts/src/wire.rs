//! The messages between controller and host: JSON, one a line, framed and bounded as those of the lab
//! ([`stripewise_lab::wire::Lines`]).
//!
//! ```text
//! controller                      host
//!   <------------ ready ------------   after the bootstrap
//!   ---- open {target} ------------>   opens its world
//!   ---- clock -------------------->   answered at once, also during a load
//!   ---- facts, check, prepare, measure, restore ---->
//!   <------------ standing by ------   a load is ready to begin
//!   ---- start {at} --------------->   begins it at that moment of its own monotonic clock
//!   ---- beat / <---- beat ---------   once a second, both ways: silence means that the other is lost
//!   ---- stop --------------------->   ends the request under way
//!   <---- done | failed ------------
//! ```

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use stripewise_lab::wire::RemoteError;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::world::SampleRequest;

/// The version of these messages; both sides must have the same.
pub const PROTOCOL: u32 = 2;

/// A message to a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum ToHost {
    /// Open a world on the filesystem of a directory.
    Open {
        /// The directory.
        target: PathBuf,
    },
    /// Send the clocks.
    Clock {
        /// Comes back with the answer.
        number: u32,
    },
    /// [`World::facts`](stripewise_study::world::World::facts), and how busy the host is.
    Facts,
    /// [`World::check`](stripewise_study::world::World::check).
    Check {
        /// The cells.
        cells: Vec<Cell>,
    },
    /// [`World::prepare`](stripewise_study::world::World::prepare).
    Prepare {
        /// The cell.
        cell: Box<Cell>,
    },
    /// [`World::measure`](stripewise_study::world::World::measure), begun by [`ToHost::Start`].
    Measure {
        /// The cell.
        cell: Box<Cell>,
        /// The sample.
        request: SampleRequest,
    },
    /// Collect the facts that `check` judges.
    Collect,
    /// Begin the load.
    Start {
        /// When, by the host's monotonic clock.
        at_ns: u64,
    },
    /// [`World::restore`](stripewise_study::world::World::restore), and what a killed agent left.
    Restore,
    /// End the request under way; this has no answer of its own.
    Stop,
    /// The controller is there.
    Beat,
}

/// A message from a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum FromHost {
    /// The agent runs.
    Ready {
        /// The version of its messages.
        protocol: u32,
        /// Its version.
        version: String,
    },
    /// The answer to [`ToHost::Clock`].
    Clock {
        /// The number of the question.
        number: u32,
        /// The monotonic clock.
        monotonic_ns: u64,
        /// The time since 1970.
        unix_ns: u64,
    },
    /// A load is ready to begin.
    StandingBy,
    /// The host is there.
    Beat,
    /// A request succeeded.
    Done {
        /// The answer.
        answer: Answer,
    },
    /// A request failed.
    Failed {
        /// Why.
        error: RemoteError,
    },
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answer {
    /// Success without data.
    Nothing,
    /// To [`ToHost::Facts`].
    Facts {
        /// The facts.
        facts: Box<Facts>,
        /// The load average of one minute.
        load: Option<f64>,
        /// What tells this machine from every other; `None` if that cannot be read.
        machine: Option<String>,
    },
    /// To [`ToHost::Check`].
    Checked {
        /// The warnings.
        warnings: Vec<Warning>,
    },
    /// To [`ToHost::Prepare`].
    Prepared {
        /// Whether the cell was ready already.
        already_there: bool,
    },
    /// To [`ToHost::Measure`].
    Sample {
        /// When the load began, by the monotonic clock of the host.
        began_ns: u64,
        /// The sample.
        sample: Box<Sample>,
    },
    /// To [`ToHost::Collect`].
    Collected {
        /// The archive that `collect` writes, in base64, in parts as long as a text may be.
        parts: Vec<String>,
    },
    /// To [`ToHost::Restore`].
    Restored {
        /// What could not be undone; empty if nothing is left.
        left: Vec<String>,
    },
}
