//! Disks: what a request costs.

mod agenda;
pub mod any;
pub mod calibrated;
pub mod curve;
pub mod disk;
pub mod flash;
mod gate;
pub(crate) mod level;
pub mod spread;
pub mod streams;
mod wire;

use stripewise_study::units::Nanos;

use crate::io::Operation;
use crate::units::{Instant, Sectors};

/// A request as a device that keeps its own time gets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceRequest {
    /// What the block layer knows it by.
    pub id: u32,
    /// What is done.
    pub operation: Operation,
    /// Its first sector.
    pub start: Sectors,
    /// Its length; nothing for a flush.
    pub length: Sectors,
    /// Whether it must be durable when it completes.
    pub fua: bool,
}

/// A request that such a device completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// What the block layer knows it by.
    pub id: u32,
    /// When it was done.
    pub at: Instant,
    /// How long it waited in the device.
    pub queued_ns: Nanos,
    /// How long the device worked on it.
    pub service_ns: Nanos,
}
