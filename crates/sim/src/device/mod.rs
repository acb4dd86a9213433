//! Devices: the time that a request takes.

mod agenda;
pub mod any;
pub mod calibrated;
pub mod curve;
pub mod disk;
pub(crate) mod drain;
pub(crate) mod fill_level;
pub mod flash;
mod gate;
pub mod loaded;
pub mod spread;
pub mod streams;
mod wire;

use stripewise_units::Nanos;

use crate::io::Operation;
use crate::units::{Instant, Sectors};

/// A request to an event-driven device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRequest {
    /// The number that the block layer gave it.
    pub id: u32,
    /// The operation.
    pub operation: Operation,
    /// Its first sector.
    pub start: Sectors,
    /// Its length; 0 for a flush.
    pub length: Sectors,
    /// Whether it must be durable when it completes.
    pub fua: bool,
}

/// A completed request of such a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// The number that the block layer gave it.
    pub id: u32,
    /// When it completed.
    pub at: Instant,
    /// How long it waited in the device.
    pub queued_ns: Nanos,
    /// How long the device worked on it.
    pub service_ns: Nanos,
}
