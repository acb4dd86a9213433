//! The I/Os that a job of a workload does, as the simulation draws them.

use std::num::NonZeroU32;

use stripewise_study::workload::{Load, SyncMode};
use stripewise_study::world::{ReplayedAction, ReplayedIo};
use stripewise_units::Bytes;

use crate::io::Operation;
use crate::random::{Component, Stream};
use crate::units::{Instant, Sectors};
use crate::workload::Generator;

/// A read or write of a load.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// What it does.
    pub io: ReplayedIo,
    /// A flush follows it.
    pub is_flushed: bool,
}

impl Drawn {
    /// Returns it and its flush.
    pub fn with_flush(self) -> impl Iterator<Item = ReplayedIo> {
        let flush = self.is_flushed.then(ReplayedIo::flush);
        std::iter::once(self.io).chain(flush)
    }
}

/// Returns the first `ios` reads and writes of a job of a load, drawn with `seed`, in a file that begins
/// at `base`.
pub fn draw_job(
    load: &Load,
    (seed, job): (u64, u32),
    base: u64,
    ios: usize,
) -> impl Iterator<Item = Drawn> + use<> {
    let stream = Stream::child(seed, Component::Job(job));
    let mut generator = Generator::new(load, Sectors::from_bytes(Bytes::new(base)), stream);
    let write = match load.sync {
        SyncMode::None => ReplayedAction::Write,
        SyncMode::Sync | SyncMode::Dsync => ReplayedAction::DurableWrite,
    };
    let every = load.fsync_every.or(load.fdatasync_every);
    let every = every.map_or(u32::MAX, NonZeroU32::get);
    let mut since_flush = 0;
    let drawn = std::iter::from_fn(move || generator.draw(Instant::START));
    drawn.take(ios).map(move |request| {
        let is_write = request.operation == Operation::Write;
        let action = if is_write {
            write
        } else {
            ReplayedAction::Read
        };
        let io = ReplayedIo::new(action, request.start.bytes(), request.length.bytes());
        since_flush += u32::from(is_write);
        let is_flushed = since_flush >= every;
        if is_flushed {
            since_flush = 0;
        }
        Drawn { io, is_flushed }
    })
}
