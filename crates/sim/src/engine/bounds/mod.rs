//! Physical limits: a simulation that breaks one has a bug, and its result becomes an error.
//!
//! - A device serves its requests no faster than the fastest state of its profile allows
//!   ([`floor`]).
//! - No link, uplink, CPU or thread is busy for longer than the elapsed time.
//! - Members move exactly the bytes that the array needs for its I/Os.
//!
//! The checks are pure functions; [`Simulation::check_bounds`] collects their inputs.

mod floor;
#[cfg(test)]
mod tests;

use stripewise_profiles::device::Model;
use stripewise_units::{Bytes, Nanos};

pub(crate) use self::floor::{Received, floor};
use stripewise_study::stack::{Bitmap, Filesystem};
use stripewise_study::workload::{Distribution, Load, SyncMode};

use super::layers::Mapping;
use super::{Setup, Simulation};
use crate::units::Sectors;

/// A simulation broke a physical limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A component was busy for longer than the elapsed time.
    #[error("`{component}` was busy for {busy} in {elapsed}")]
    Busy {
        /// The component.
        component: String,
        /// How long it was busy.
        busy: Nanos,
        /// How much time elapsed.
        elapsed: Nanos,
    },
    /// A device was faster than it can be.
    #[error(
        "`{device}` served {requests} request(s) with {bytes} in {elapsed}, but its {part} need(s) at least {least}"
    )]
    TooFast {
        /// The device.
        device: String,
        /// The number of its requests.
        requests: u64,
        /// Their bytes.
        bytes: Bytes,
        /// How much time elapsed.
        elapsed: Nanos,
        /// The part that limits it.
        part: &'static str,
        /// The minimum time of that part.
        least: Nanos,
    },
    /// The members moved other amounts than the array needs.
    #[error("members {verb} {bytes}, but the I/Os need {least} to {most}")]
    Bytes {
        /// `read` or `wrote`.
        verb: &'static str,
        /// The bytes they moved.
        bytes: Bytes,
        /// The minimum for the completed I/Os.
        least: Bytes,
        /// The maximum.
        most: Bytes,
    },
}

/// The bytes that an array moves for its I/Os.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Multiple {
    /// The minimum bytes at the members per byte of I/O, as numerator and denominator.
    pub(super) least: (u64, u64),
    /// The maximum; `None` if the array adds other I/O.
    pub(super) most: Option<u64>,
}

/// I/O of one direction within the measured time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MeasuredIo {
    /// Sectors of completed host I/Os.
    pub(super) done: u64,
    /// Sectors of host I/Os in flight when the measurement began.
    pub(super) before: u64,
    /// Sectors of host I/Os in flight when it ended.
    pub(super) behind: u64,
    /// Sectors at the members.
    pub(super) members: u64,
}

/// Checks the busy time of a component; `slack` is the rounding at both ends of the time.
pub(super) fn check_busy(
    component: &str,
    busy: Nanos,
    elapsed: Nanos,
    slack: Nanos,
) -> Result<(), Violation> {
    let most = elapsed.as_u64() + elapsed.as_u64() / 1000 + slack.as_u64();
    match busy.as_u64() <= most {
        true => Ok(()),
        false => Err(Violation::Busy {
            component: component.to_owned(),
            busy,
            elapsed,
        }),
    }
}

/// Checks that a device was no faster than its profile allows; see [`floor::floor`].
pub(super) fn check_device(
    device: &str,
    model: &Model,
    received: &Received,
    spread: Option<Bytes>,
    elapsed: Nanos,
) -> Result<(), Violation> {
    let (part, least) = floor::floor(model, received, spread);
    match least <= elapsed.as_u64() {
        true => Ok(()),
        false => Err(Violation::TooFast {
            device: device.to_owned(),
            requests: received.requests[0] + received.requests[1],
            bytes: Bytes::new(received.bytes(0) + received.bytes(1)),
            elapsed,
            part,
            least: Nanos::new(least),
        }),
    }
}

/// Checks that the members moved the bytes that the array needs for its I/Os.
pub(super) fn check_bytes(
    verb: &'static str,
    multiple: Multiple,
    moved: MeasuredIo,
) -> Result<(), Violation> {
    let (numerator, denominator) = multiple.least;
    let least = moved.done.saturating_sub(moved.before) * numerator / denominator;
    let most = multiple
        .most
        .map_or(u64::MAX / 512, |most| (moved.done + moved.behind) * most);
    match (least..=most).contains(&moved.members) {
        true => Ok(()),
        false => Err(Violation::Bytes {
            verb,
            bytes: Sectors::new(moved.members).bytes(),
            least: Sectors::new(least).bytes(),
            most: Sectors::new(most).bytes(),
        }),
    }
}

/// The inputs of the checks for a stack, and its counters when the measurement began.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// How each member is modelled.
    pub(super) models: Vec<Model>,
    /// The part of a member over which I/O is drawn evenly, if it is.
    pub(super) spread: Option<Bytes>,
    /// Whether every I/O goes straight to the members: no page cache, no failure, no rebuild.
    pub(super) is_direct: bool,
    /// Whether only data is written: no bitmap, no journal.
    pub(super) has_data_only: bool,
    /// Whether every write fills blocks of 4 KiB.
    pub(super) has_whole_blocks: bool,
    /// Sectors that jobs requested to read and write, and those completed.
    pub(super) asked: [u64; 2],
    pub(super) done: [u64; 2],
    asked_before: [u64; 2],
    done_before: [u64; 2],
}

impl Bounds {
    /// Begins the measured time.
    pub(super) fn begin(&mut self) {
        (self.asked_before, self.done_before) = (self.asked, self.done);
    }

    fn moved(&self, direction: usize, members: u64) -> MeasuredIo {
        MeasuredIo {
            done: self.done[direction] - self.done_before[direction],
            before: self.asked_before[direction] - self.done_before[direction],
            behind: self.asked[direction].saturating_sub(self.done[direction]),
            members,
        }
    }
}

impl Bounds {
    /// Lets members receive more than the data: md wrote superblocks.
    pub(super) const fn allow_metadata(&mut self) {
        self.has_data_only = false;
        self.spread = None;
    }
}

impl Setup<'_> {
    /// Returns the inputs of the checks for the stack.
    pub(super) fn bounds(&self) -> Bounds {
        let loads = || self.workload.loads();
        let is_direct = loads().all(|load| load.direct) && self.zfs().is_none();
        let has_bitmap = self
            .stack
            .array
            .as_ref()
            .is_some_and(|array| array.bitmap != Bitmap::None);
        let syncs = loads().any(|load| {
            load.fsync_every.is_some()
                || load.fdatasync_every.is_some()
                || load.sync != SyncMode::None
        });
        let replay = self.replay.as_ref();
        let syncs_in_replay = replay.is_some_and(|all| all.flushes() || all.writes_durably());
        let syncs = syncs || syncs_in_replay || self.sync_every().is_some();
        let has_journal = syncs && self.stack.filesystem != Filesystem::None;
        let is_whole =
            !self.rebuilding && self.conditions.failure.is_none() && self.failed.is_empty();
        let has_data_only = is_direct && is_whole && !has_bitmap && !has_journal;
        let is_even = loads()
            .all(|load| load.pattern.is_random() && load.distribution == Distribution::Uniform);
        // The pieces of one I/O are adjacent, so they are not spread evenly.
        let chunk = self
            .stack
            .array
            .as_ref()
            .and_then(|array| array.chunk_bytes);
        let is_cut = |load: &Load| chunk.is_some_and(|chunk| load.block_size.largest() > chunk);
        let is_even = is_even && self.stack.volume.is_none() && !loads().any(is_cut);
        // Neighbours and jobs have their own files.
        let sizes = loads().map(|load| load.size_bytes.as_u64().saturating_mul(load.jobs.into()));
        let size = sizes.fold(0, u64::saturating_add);
        let even_part = size / (self.devices.len() as u64).max(1);
        let is_spread = is_even && has_data_only && self.replay.is_none();
        Bounds {
            models: self
                .devices
                .iter()
                .map(|profile| profile.model.clone())
                .collect(),
            spread: is_spread.then_some(Bytes::new(even_part)),
            is_direct: is_direct && is_whole,
            has_data_only,
            // The I/Os of a replay may begin anywhere.
            has_whole_blocks: self.replay.is_none()
                && loads().all(|load| {
                    let sizes = load.block_size.sizes();
                    sizes.iter().all(|size| size.as_u64().is_multiple_of(4096))
                }),
            ..Bounds::default()
        }
    }
}

impl Simulation {
    /// Checks the measured sample against the physical limits.
    ///
    /// # Errors
    /// The first [`Violation`]: a bug in the model.
    pub fn check_bounds(&self) -> Result<(), Violation> {
        let began = self.totals.recording.unwrap_or_default();
        let elapsed = self.now.since(began);
        if elapsed == Nanos::default() {
            return Ok(());
        }
        for (component, busy, slack) in self.busy_times() {
            check_busy(&component, busy, elapsed, slack)?;
        }
        if self.script.is_some() {
            // A spare replaces a member, but the member's counters continue.
            return Ok(());
        }
        for (member, model) in self.members.iter().zip(&self.bounds.models) {
            let received = &member.counters.received;
            let spread = self.bounds.spread;
            check_device(&member.name, model, received, spread, elapsed)?;
        }
        if !self.bounds.is_direct || self.layers.written.contains(&false) {
            return Ok(());
        }
        let counters = self.members.iter().map(|member| &member.counters);
        let (read, written) = counters.fold((0, 0), |sum, one| {
            (sum.0 + one.read_sectors, sum.1 + one.write_sectors)
        });
        let [of_reads, of_writes] = self.multiples();
        check_bytes("read", of_reads, self.bounds.moved(0, read))?;
        check_bytes("wrote", of_writes, self.bounds.moved(1, written))
    }

    /// Returns the bytes that the array moves for reads and for writes.
    fn multiples(&self) -> [Multiple; 2] {
        let times = |count: u64, is_exact: bool| Multiple {
            least: (count, 1),
            most: is_exact.then_some(count),
        };
        let is_exact = self.bounds.has_data_only;
        match &self.layers.mapping {
            Mapping::Single | Mapping::Linear(_) | Mapping::Striped(..) => {
                [times(1, true), times(1, is_exact)]
            }
            // ZFS passes the cache, and moves other amounts; it is not checked.
            Mapping::Zfs(_) => [times(0, false), times(0, false)],
            Mapping::Btrfs(layer) => [times(1, true), times(layer.data.copies(), is_exact)],
            Mapping::Raid1(..) => {
                let copies = self.members.len() as u64;
                [times(1, true), times(copies, is_exact)]
            }
            Mapping::Raid10(map, _) => [times(1, true), times(map.copies(), is_exact)],
            Mapping::Parity(array) => {
                let geometry = array.parity.geometry();
                let data = u64::from(geometry.data_members());
                let all = u64::from(geometry.members());
                let writes = self.bounds.asked[1] > 0;
                // Reads through the cache may hit it, and writes may read first.
                let read = Multiple {
                    least: (u64::from(array.parity.reads_bypass()), 1),
                    most: (array.parity.reads_bypass() && !writes).then_some(1),
                };
                // A write to any block of a row writes all parity of the row.
                let most = self.bounds.has_whole_blocks.then_some(1 + all - data);
                let written = Multiple {
                    least: (all, data),
                    most: most.filter(|_| is_exact),
                };
                [read, written]
            }
        }
    }
}
