//! One die: its queues and its current operation.

use std::collections::VecDeque;

use crate::units::Instant;

/// A page of flash that a read needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sensing {
    /// The read, as an index in the device's slab.
    pub(super) request: u32,
    /// The page.
    pub(super) page: u32,
    /// How many of its units are read.
    pub(super) units: u32,
}

/// The operation of a die.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation {
    /// Nothing.
    Idle,
    /// A page goes from the cells to the die's register, for the host.
    Sense(Sensing),
    /// The register goes over the channel, for the host.
    SendOut(Sensing),
    /// A page of the victim block is sensed.
    Collect,
    /// The page's valid units go over the channel.
    CollectOut,
    /// Data comes over the channel and is programmed.
    Program,
    /// The victim block is erased.
    Erase,
}

/// A block under garbage collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    /// The block.
    pub(super) block: u32,
    /// How many of its pages are collected.
    pub(super) pages_done: u32,
    /// How many units its collection will free.
    pub(super) gain_units: u32,
    /// How many units the host has written since it was chosen.
    pub(super) host_units: u32,
}

impl Victim {
    /// Returns how many units the host may write now: the share of the gain that is collected so
    /// far.
    pub(super) fn budget_units(&self, pages: u32) -> u32 {
        let earned = u64::from(self.gain_units) * u64::from(self.pages_done) / u64::from(pages);
        u32::try_from(earned)
            .unwrap_or(u32::MAX)
            .saturating_sub(self.host_units)
    }
}

/// The queues of a die.
#[derive(Debug)]
pub(super) struct Die {
    pub(super) operation: Operation,
    pub(super) reads: VecDeque<Sensing>,
    /// Units in the write buffer, with their generation.
    pub(super) writes: VecDeque<(u32, u64)>,
    /// Units taken from the victim block.
    pub(super) relocating: VecDeque<u32>,
    /// The generations of the units being programmed.
    pub(super) programming: Vec<u64>,
    pub(super) victim: Option<Victim>,
    pub(super) reads_in_a_row: u32,
}

impl Die {
    /// Returns an idle die that programs `program_units` at a time.
    pub(super) fn new(program_units: u32, buffer_units: u32) -> Self {
        let program_units = program_units as usize;
        Self {
            operation: Operation::Idle,
            reads: VecDeque::with_capacity(64),
            writes: VecDeque::with_capacity(buffer_units.min(4096) as usize),
            relocating: VecDeque::with_capacity(2 * program_units),
            programming: Vec::with_capacity(program_units),
            victim: None,
            reads_in_a_row: 0,
        }
    }
}

/// A channel shared by several dies: one transfer after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel {
    free: Instant,
}

impl Channel {
    /// Returns an idle channel.
    pub(super) const fn new() -> Self {
        Self {
            free: Instant::START,
        }
    }

    /// Reserves the channel for a transfer and returns when it ends.
    pub(super) fn transfer(&mut self, now: Instant, busy: stripewise_units::Nanos) -> Instant {
        self.free = now.max(self.free) + busy;
        self.free
    }
}
