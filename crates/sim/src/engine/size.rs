//! Limits on the size of a simulation.

use stripewise_profiles::device::Model;
use stripewise_profiles::kernel::Policy;
use stripewise_study::stack::{Level, Volume};
use stripewise_study::workload::Load;
use stripewise_units::{Bytes, Nanos};

use super::{Setup, SetupError};

/// The maximum requests in flight: events have 24 bits for their index.
const UNDER_WAY_MAX: u64 = 1 << 22;
/// No layer splits I/Os into smaller pieces.
const PIECE_BYTES_MIN: u64 = 4096;
/// The maximum total size of devices modelled page by page: it takes less than a gigabyte of
/// memory.
const FLASH_BYTES_MAX: u64 = 1 << 38;
/// The longest time between two I/Os of a job: half an hour. Virtual time ends after 2^64 ns, and a
/// million such pauses have to fit.
const PAUSE_MAX: Nanos = Nanos::from_millis(30 * 60 * 1000);

/// Returns the longest pause between two I/Os of a job, from `rate` or `think_time`.
fn pause(load: &Load) -> Nanos {
    let paced = load.rate_bytes_per_s.map_or(0, |rate| {
        let block = u128::from(load.block_size.largest().as_u64());
        let ns = block * 1_000_000_000 / u128::from(rate.as_u64().max(1));
        u64::try_from(ns).unwrap_or(u64::MAX)
    });
    Nanos::new(paced.max(load.think_time_ns.as_u64()))
}

impl Setup<'_> {
    /// Refuses loads whose I/Os are so far apart that virtual time could end before the rate is
    /// known.
    pub(super) fn check_pace(&self) -> Result<(), SetupError> {
        let longest = self.workload.loads().map(pause).max().unwrap_or_default();
        if longest <= PAUSE_MAX {
            return Ok(());
        }
        Err(SetupError::Stack {
            stack: self.stack.name.clone(),
            problem: format!(
                "`rate` or `think_time` makes a job wait {} s between two I/Os; the model allows {} s",
                longest.as_u64() / 1_000_000_000,
                PAUSE_MAX.as_u64() / 1_000_000_000
            ),
        })
    }

    /// Returns how many I/Os the bursts of all jobs have; a window of the warm-up has whole ones.
    pub(super) fn burst_ios(&self) -> u64 {
        let load = &self.workload.load;
        let burst = load
            .think_blocks
            .map_or(0, |blocks| u64::from(blocks.get()));
        burst.saturating_mul(u64::from(load.jobs))
    }

    /// Refuses more requests in flight than the simulation has slots for, and devices whose pages
    /// do not fit into memory.
    pub(super) fn check_size(&self, policy: &Policy) -> Result<(), SetupError> {
        let simulated = self.devices.iter().map(|profile| match &profile.model {
            Model::Flash(flash) => flash.simulated_bytes,
            Model::Calibrated(_) | Model::Disk(_) => 0,
        });
        let simulated = simulated.fold(0_u64, u64::saturating_add);
        if simulated > FLASH_BYTES_MAX {
            return Err(SetupError::Stack {
                stack: self.stack.name.clone(),
                problem: format!(
                    "its devices are modelled page by page and hold {} in total; the maximum is {}",
                    Bytes::new(simulated),
                    Bytes::new(FLASH_BYTES_MAX)
                ),
            });
        }
        let piece = self.smallest_piece(policy);
        // Two windows of read-ahead, each doubled by fio's hint.
        let windows = 4 * self.read_ahead_bytes(policy) / piece;
        let under_way = self.workload.loads().fold(0_u64, |sum, load| {
            let pieces = load.block_size.largest().as_u64().div_ceil(piece);
            let copies = if load.pattern.writes() {
                self.copies()
            } else {
                1
            };
            let requests = pieces.saturating_mul(copies);
            let each = requests.saturating_add(self.devices.len() as u64);
            let ios = u64::from(load.jobs).saturating_mul(load.depth.into());
            let ahead = match load.direct || !load.pattern.reads() {
                true => 0,
                false => windows.saturating_mul(load.jobs.into()),
            };
            sum.saturating_add(ios.saturating_mul(each))
                .saturating_add(ahead)
        });
        if under_way > UNDER_WAY_MAX {
            return Err(SetupError::Stack {
                stack: self.stack.name.clone(),
                problem: format!(
                    "up to {under_way} requests would be in flight; the maximum is {UNDER_WAY_MAX}"
                ),
            });
        }
        Ok(())
    }

    /// Returns the smallest piece into which a layer splits an I/O, except at its ends: a chunk, or
    /// the longest request of a member. Adjacent pieces may merge again, but need not.
    fn smallest_piece(&self, policy: &Policy) -> u64 {
        let chunk = self
            .stack
            .array
            .as_ref()
            .and_then(|array| array.chunk_bytes);
        let stripe = match &self.stack.volume {
            Some(Volume::Striped { stripe_bytes, .. }) => Some(*stripe_bytes),
            Some(Volume::Linear) | None => None,
        };
        let longest = self
            .devices
            .iter()
            .filter_map(|profile| profile.request_bytes_max);
        let cuts = chunk
            .into_iter()
            .chain(stripe)
            .map(Bytes::as_u64)
            .chain(longest);
        let kernel_max = self.request_limit_bytes(policy);
        cuts.fold(kernel_max, u64::min).max(PIECE_BYTES_MIN)
    }

    /// Returns how many copies of each piece are written at once; parity writes go through the
    /// stripe cache, which has its own limit on requests in flight.
    fn copies(&self) -> u64 {
        let Some(array) = &self.stack.array else {
            return 1;
        };
        let layout = array.layout.as_deref();
        match array.level {
            Level::Raid1 => self.devices.len() as u64,
            Level::Raid10 => layout
                .and_then(|word| word.get(1..)?.parse().ok())
                .unwrap_or(2),
            _ => 1,
        }
    }
}
