//! The write rate of a drive that has been full for long: a calibrated profile uses it as the rate
//! at which its buffer drains.

use stripewise_profiles::device::flash::FlashProfile;
use stripewise_units::Nanos;

use super::{Flash, UNIT_SECTORS};
use crate::device::DeviceRequest;
use crate::io::Operation;
use crate::random::{Component, Stream};
use crate::units::{Instant, Sectors};

/// Requests kept in flight, enough to fill every buffer.
const DEPTH: u32 = 32;

/// Blocks that each die writes while the rate is measured, on average.
const BLOCKS_PER_DIE: u64 = 8;

/// Returns the rate of random 4K writes at depth 32 on a drive in its steady state.
///
/// It simulates a drive in its steady state, fills the buffer, and then writes enough that every
/// die collects several blocks. Cost: some ten million steps per GiB.
///
/// # Panics
/// If the profile does not pass [`FlashProfile::check`].
pub fn sustained_write_bytes_per_s(profile: &FlashProfile, seed: u64) -> u64 {
    let mut flash = Flash::new(profile, seed);
    flash.precondition();
    let mut stream = Stream::child(seed, Component::Job(0));
    let units = profile.simulated_bytes / (Sectors::BYTES * UNIT_SECTORS);
    let mut next = |id| DeviceRequest {
        id,
        operation: Operation::Write,
        start: Sectors::new(UNIT_SECTORS * stream.below(units)),
        length: Sectors::new(UNIT_SECTORS),
        fua: false,
    };
    let block_units = u64::from(flash.block_units());
    let warm_up = u64::from(flash.buffer_units()) + block_units;
    let measured = BLOCKS_PER_DIE * block_units * u64::from(profile.dies_count);

    let mut completed = Vec::new();
    let mut now = Instant::START;
    let mut begin = now;
    let mut returned = 0;
    for id in 0..DEPTH {
        flash.submit(now, next(id));
    }
    while returned < warm_up + measured {
        now = flash.next_event();
        flash.advance(now, &mut completed);
        for done in completed.drain(..) {
            returned += 1;
            if returned == warm_up {
                begin = now;
            }
            flash.submit(now, next(done.id));
        }
    }
    rate(measured * Sectors::BYTES * UNIT_SECTORS, now.since(begin))
}

/// Returns bytes per second; 0 if no time has passed.
fn rate(bytes: u64, span: Nanos) -> u64 {
    let per_s = u128::from(bytes) * 1_000_000_000;
    let rate = per_s.checked_div(u128::from(span.as_u64())).unwrap_or(0);
    u64::try_from(rate).unwrap_or(u64::MAX)
}
