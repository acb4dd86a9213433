//! A flash SSD from its data sheet: a page-mapped translation layer over dies that work in
//! parallel.
//!
//! ```text
//!  write -> link -> buffer: acknowledged --.      .-- channel -- die 0: sense, program, erase
//!                                          |-- map -- channel -- die 1
//!  read  -> link -> newest copy where? ----'      '-- ...
//! ```
//!
//! - The unit of mapping is 4 KiB; a page (16 KiB on many chips) is sensed as a whole, and all
//!   planes of a die are programmed and erased together. Smaller writes count as whole units.
//! - Writes return when they are in the buffer. A die programs when it has enough units for a full
//!   program, or at once (padding the rest) when a flush waits and the buffer is volatile.
//! - A die does one operation at a time. Reads go first, but only a few in a row while other work
//!   waits; no operation is suspended.
//! - A die collects garbage when its free blocks run low: page by page, between host work. The host
//!   may use the space that a block will free only as fast as the block is collected. So a
//!   collection slows many writes a little and stops none.
//! - The simulated size is scaled down: write amplification and sustained rates depend on ratios
//!   only. Addresses wrap around that size.
//!
//! Not modelled: read-ahead, an SLC area, wear levelling beyond the order of the free blocks,
//! suspending programs and erases, read disturbance, and the cost of reading the map itself.
//!
//! Sources: Agrawal et al., "Design tradeoffs for SSD performance", USENIX ATC 2008 (dies,
//! channels, planes); the models of amplification are cited in `mapping` and [`analytic`].

pub mod analytic;
mod buffer;
mod die;
mod mapping;
mod sustained;

use std::collections::VecDeque;

use stripewise_profiles::device::flash::{FlashProfile, UNIT_BYTES};
use stripewise_units::Nanos;

use self::buffer::WriteBuffer;
use self::die::{Channel, Die, Operation as DieOperation, Sensing, Victim};
pub use self::mapping::ProgramCounters;
use self::mapping::{Mapping, NewestCopy, Shape};
pub use self::sustained::sustained_write_bytes_per_s;
use super::agenda::Agenda;
use super::fill_level::{self, FillLevels};
use super::gate::Gate;
use super::wire::{Wire, span_ns};
use super::{Completed, DeviceRequest};
use crate::io::Operation;
use crate::random::{Component, Stream};
use crate::slab::Slab;
use crate::units::{Instant, Sectors};

/// The sectors of a unit.
const UNIT_SECTORS: u64 = 8;

/// The maximum reads that a die serves in a row while a program, a collection or an erase waits. An
/// assumption: it keeps reads from starving writes, and matters only when there are many of both.
const READS_IN_A_ROW_MAX: u32 = 8;

/// The initial capacity of the queues, in requests.
const QUEUE_DEPTH: usize = 64;

/// Amplification is steady if it changes by less than this share between two passes: 1 / 100.
const STEADY_SHARE: u64 = 100;

/// Units written between two calls of `keeps_going`.
const LOOK_UNITS: u32 = 1 << 14;
/// The maximum passes to reach a steady state.
const STEADY_PASSES_MAX: u32 = 16;

/// An event inside the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A command and its data have reached the drive.
    Arrived(u32),
    /// A die has finished its operation.
    DieDone(u32),
    /// A request returns to the host.
    Finished(u32),
}

/// A request in the drive.
#[derive(Debug, Clone, Copy)]
struct Active {
    id: u32,
    operation: Operation,
    fua: bool,
    /// Its first unit, and the one after its last, before the address wraps around.
    next_unit: u64,
    end_unit: u64,
    bytes: u64,
    /// How many pages a read still waits for.
    pages_left: u32,
    submitted: Instant,
    /// When a die began to work on it, or when its flush began.
    began: Option<Instant>,
    service_ns: u64,
}

/// A flash SSD in virtual time.
#[derive(Debug)]
pub struct Flash {
    shape: Shape,
    program_units: u32,
    buffer_units: u32,
    sense: Nanos,
    program: Nanos,
    erase: Nanos,
    flush: Nanos,
    buffer_is_volatile: bool,
    channel_bytes_per_s: u64,
    wire: Wire,
    gate: Gate,
    agenda: Agenda<Event>,
    active: Slab<Active>,
    /// Writes that wait for space in the buffer.
    waiting: VecDeque<u32>,
    buffer: WriteBuffer,
    mapping: Mapping,
    dies: Vec<Die>,
    channels: Vec<Channel>,
    stream: Stream,
    scratch: VecDeque<u32>,
    done: Vec<Completed>,
}

impl Flash {
    /// Returns an erased drive; the seed sets where [`Self::precondition`] writes.
    ///
    /// # Panics
    /// If the profile does not pass [`FlashProfile::check`].
    pub fn new(profile: &FlashProfile, seed: u64) -> Self {
        assert_eq!(
            profile.check(),
            Ok(()),
            "profiles are checked when they are read"
        );
        let shape = Shape::new(profile);
        let program_units = shape.page_units * profile.planes_count;
        // With less, every die could hold part of a program and none a whole one.
        let buffer_min = u64::from(2 * program_units * shape.dies);
        let buffer_units = profile.write_buffer_bytes / u64::from(UNIT_BYTES);
        let buffer_units = u32::try_from(buffer_units.max(buffer_min)).unwrap_or(u32::MAX);
        Self {
            shape,
            program_units,
            buffer_units,
            sense: Nanos::new(profile.read_ns),
            program: Nanos::new(profile.program_ns),
            erase: Nanos::new(profile.erase_ns),
            flush: Nanos::new(profile.flush_ns),
            buffer_is_volatile: profile.write_buffer_is_volatile,
            channel_bytes_per_s: profile.channel_bytes_per_s,
            wire: Wire::new(&profile.link),
            gate: Gate::new(profile.flush_is_exclusive, QUEUE_DEPTH),
            agenda: Agenda::with_capacity(4 * QUEUE_DEPTH + shape.dies as usize),
            active: Slab::default(),
            waiting: VecDeque::with_capacity(QUEUE_DEPTH),
            buffer: WriteBuffer::new(buffer_units, QUEUE_DEPTH),
            mapping: Mapping::new(shape, profile.gc),
            dies: (0..shape.dies)
                .map(|_| Die::new(program_units, buffer_units))
                .collect(),
            channels: vec![Channel::new(); profile.channels_count as usize],
            stream: Stream::child(seed, Component::Device(0)),
            scratch: VecDeque::with_capacity(shape.block_units as usize),
            done: Vec::with_capacity(QUEUE_DEPTH),
        }
    }

    /// Takes a request at `now`, which is not before that of the last call.
    pub fn submit(&mut self, now: Instant, request: DeviceRequest) {
        self.run_until(now);
        let start = request.start.get();
        let end = start + request.length.get();
        let place = self.active.insert(Active {
            id: request.id,
            operation: request.operation,
            fua: request.fua,
            next_unit: start / UNIT_SECTORS,
            end_unit: end.div_ceil(UNIT_SECTORS),
            bytes: request.length.bytes().as_u64(),
            pages_left: 0,
            submitted: now,
            began: None,
            service_ns: 0,
        });
        self.gate
            .arrive(place, request.operation == Operation::Flush);
        self.admit(now);
    }

    /// Returns when the next event is; [`Instant::NEVER`] if the drive is idle.
    pub fn next_event(&self) -> Instant {
        self.done
            .first()
            .map_or(self.agenda.next_at(), |done| done.at)
    }

    /// Advances to `now` and adds the requests completed by then, in the order of completion.
    pub fn advance(&mut self, now: Instant, completed: &mut Vec<Completed>) {
        self.run_until(now);
        completed.append(&mut self.done);
    }

    /// Trims the units that lie wholly inside the given sectors, without advancing time.
    pub fn trim(&mut self, start: Sectors, length: Sectors) {
        let first = start.get().div_ceil(UNIT_SECTORS);
        let behind = (start.get() + length.get()) / UNIT_SECTORS;
        // A run longer than the simulated size wraps around and covers all of it.
        let behind = behind.min(first + u64::from(self.shape.units));
        for unit in first..behind {
            self.mapping.trim(self.wrapped(unit));
        }
    }

    /// Writes every unit once in order, without advancing time: a drive filled by a sequential
    /// writer.
    ///
    /// Cost: one step per 4 KiB of the simulated size.
    pub fn fill(&mut self) {
        self.fill_while(&mut || true);
    }

    /// As [`Self::fill`], but returns false as soon as `keeps_going` does.
    pub(crate) fn fill_while(&mut self, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        for unit in 0..self.shape.units {
            if unit.is_multiple_of(LOOK_UNITS) && !keeps_going() {
                return false;
            }
            self.mapping.write_at_once(unit, &mut self.scratch);
        }
        self.mapping.reset_counters();
        true
    }

    /// Writes `count` units at uniformly random places, without advancing time.
    ///
    /// Cost per unit: about as many steps as the write amplification.
    pub fn overwrite(&mut self, count: u64) {
        self.overwrite_while(count, &mut || true);
    }

    fn overwrite_while(&mut self, count: u64, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        for number in 0..count {
            if number.is_multiple_of(LOOK_UNITS.into()) && !keeps_going() {
                return false;
            }
            let unit = self.stream.below(self.shape.units.into());
            let unit = u32::try_from(unit).expect("below a 32-bit bound");
            self.mapping.write_at_once(unit, &mut self.scratch);
        }
        true
    }

    /// Fills the drive and overwrites it at random until its amplification is steady, without
    /// advancing time. Then it resets the counters.
    pub fn precondition(&mut self) {
        self.precondition_while(&mut || true);
    }

    /// As [`Self::precondition`], but returns false as soon as `keeps_going` does, which it calls
    /// about every millisecond.
    pub(crate) fn precondition_while(&mut self, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        if !self.fill_while(keeps_going) {
            return false;
        }
        let mut programmed_before = 0;
        for _ in 0..STEADY_PASSES_MAX {
            self.mapping.reset_counters();
            if !self.overwrite_while(self.shape.units.into(), keeps_going) {
                return false;
            }
            let counters = self.mapping.counters();
            let programmed = counters.host_programmed_units + counters.relocated_units;
            if programmed.abs_diff(programmed_before) < programmed / STEADY_SHARE {
                break;
            }
            programmed_before = programmed;
        }
        self.mapping.reset_counters();
        true
    }

    /// Returns the units programmed since the last [`Self::fill`] or [`Self::precondition`].
    pub fn counters(&self) -> ProgramCounters {
        self.mapping.counters()
    }

    /// Returns units programmed per unit written by the host since the last preconditioning, or
    /// nothing if the host wrote none.
    pub fn write_amplification(&self) -> Option<f64> {
        self.mapping.counters().write_amplification()
    }

    /// Returns how often each block was erased, die by die.
    pub fn erase_counts(&self) -> &[u32] {
        self.mapping.erases()
    }

    /// Returns the over-provisioning: flash beyond the size that the host sees, as a ratio of that
    /// size. Whole blocks make it a little more than in the profile; the reserve does not count.
    pub fn over_provisioning(&self) -> f64 {
        self.shape.over_provisioning()
    }

    /// Returns whether acknowledged writes are lost with the power, until a flush.
    pub(crate) const fn has_volatile_cache(&self) -> bool {
        self.buffer_is_volatile
    }

    /// Adds its fill levels: the buffer, and the erased flash.
    pub(crate) fn add_levels(&self, levels: &mut FillLevels) {
        let counters = self.mapping.counters();
        let (buffered, written) = (self.buffer.units(), counters.host_written_units);
        let unit = u64::from(UNIT_BYTES);
        fill_level::add(
            &mut levels.write_cache,
            u64::from(buffered) * unit,
            written * unit,
        );
        let programmed = counters.host_programmed_units + counters.relocated_units;
        let blocks: usize = (0..self.shape.dies)
            .map(|die| self.mapping.free_blocks(die))
            .sum();
        let erased = blocks as u64 * u64::from(self.shape.block_units);
        fill_level::add(&mut levels.flash_blocks, erased, programmed);
    }

    /// Returns whether it had to collect garbage, so that it is slower than at first.
    pub(crate) fn has_filled(&self) -> bool {
        self.mapping.counters().relocated_units > 0
    }

    /// Writes some sectors without advancing time.
    pub(crate) fn wear(&mut self, start: Sectors, length: Sectors) {
        let end = start + length;
        for unit in start.get() / UNIT_SECTORS..end.get().div_ceil(UNIT_SECTORS) {
            let unit = self.wrapped(unit);
            self.mapping.write_at_once(unit, &mut self.scratch);
        }
    }

    /// Resets the program counters.
    pub(crate) fn reset_counters(&mut self) {
        self.mapping.reset_counters();
    }

    fn block_units(&self) -> u32 {
        self.shape.block_units
    }

    fn buffer_units(&self) -> u32 {
        self.buffer_units
    }

    fn wrapped(&self, unit: u64) -> u32 {
        u32::try_from(unit % u64::from(self.shape.units)).expect("below a 32-bit bound")
    }

    fn run_until(&mut self, now: Instant) {
        while let Some((at, event)) = self.agenda.take_until(now) {
            match event {
                Event::Arrived(place) => self.arrived(at, place),
                Event::DieDone(die) => self.die_done(at, die),
                Event::Finished(place) => self.finish(at, place),
            }
        }
    }

    /// Lets requests through the gate and onto the link.
    fn admit(&mut self, now: Instant) {
        while let Some(place) = self.gate.enter() {
            let request = &mut self.active[place];
            let bytes = match request.operation {
                Operation::Write => request.bytes,
                Operation::Read | Operation::Flush => 0,
            };
            let passage = self.wire.command(now, bytes);
            request.service_ns += passage.busy.as_u64();
            self.agenda.add(passage.end, Event::Arrived(place));
        }
    }

    fn arrived(&mut self, now: Instant, place: u32) {
        match self.active[place].operation {
            Operation::Read => self.read(now, place),
            Operation::Write => {
                self.waiting.push_back(place);
                self.admit_writes(now);
            }
            Operation::Flush => {
                self.active[place].began = Some(now);
                if self.buffer_is_volatile {
                    self.drain(now, place);
                } else {
                    self.active[place].service_ns += self.flush.as_u64();
                    self.agenda.add(now + self.flush, Event::Finished(place));
                }
            }
        }
    }

    /// Finds the pages of a read and queues it for their dies.
    fn read(&mut self, now: Instant, place: u32) {
        let request = self.active[place];
        let mut last: Option<Sensing> = None;
        for unit in request.next_unit..request.end_unit {
            let NewestCopy::Flash(physical) = self.mapping.newest_copy(self.wrapped(unit)) else {
                continue;
            };
            let page = physical / self.shape.page_units;
            match &mut last {
                Some(sensing) if sensing.page == page => sensing.units += 1,
                _ => {
                    let sensing = Sensing {
                        request: place,
                        page,
                        units: 1,
                    };
                    if let Some(before) = last.replace(sensing) {
                        self.queue_sensing(now, before);
                    }
                }
            }
        }
        match last {
            Some(sensing) => self.queue_sensing(now, sensing),
            None => self.send_to_host(now, place),
        }
    }

    fn queue_sensing(&mut self, now: Instant, sensing: Sensing) {
        let die = self.shape.die_at(sensing.page * self.shape.page_units);
        self.active[sensing.request].pages_left += 1;
        self.dies[die as usize].reads.push_back(sensing);
        self.start_die(now, die);
    }

    fn send_to_host(&mut self, now: Instant, place: u32) {
        let request = &mut self.active[place];
        let passage = self.wire.data_out(now, request.bytes);
        let dies = request.began.map_or(0, |began| now.since(began).as_u64());
        request.service_ns += passage.busy.as_u64() + dies;
        self.agenda.add(passage.end, Event::Finished(place));
    }

    /// Takes writes into the buffer in the order of arrival while there is room.
    fn admit_writes(&mut self, now: Instant) {
        while let Some(&place) = self.waiting.front() {
            while self.active[place].next_unit < self.active[place].end_unit {
                let unit = self.wrapped(self.active[place].next_unit);
                // A unit overwritten in the buffer takes no more room.
                if self.mapping.newest_copy(unit) != NewestCopy::Buffered {
                    if !self.buffer.has_room() {
                        return;
                    }
                    let generation = self.buffer.add();
                    let die = self.shape.die_of(unit);
                    self.dies[die as usize].writes.push_back((unit, generation));
                    self.mapping.buffer(unit);
                    self.start_die(now, die);
                } else {
                    self.mapping.buffer(unit);
                }
                self.active[place].next_unit += 1;
            }
            self.waiting.pop_front();
            if self.active[place].fua && self.buffer_is_volatile {
                self.active[place].began = Some(now);
                self.drain(now, place);
            } else {
                self.agenda.add(now, Event::Finished(place));
            }
        }
    }

    /// Makes a flush or a write with FUA wait until all units now in the buffer are programmed.
    fn drain(&mut self, now: Instant, place: u32) {
        self.buffer.wait_for_all(place);
        self.end_drains(now);
        if self.buffer.is_draining() {
            for die in 0..self.shape.dies {
                self.start_die(now, die);
            }
        }
    }

    fn end_drains(&mut self, now: Instant) {
        while let Some(place) = self.buffer.take_satisfied() {
            let request = &mut self.active[place];
            let waited = request.began.map_or(0, |began| now.since(began).as_u64());
            let cost = match request.operation {
                Operation::Flush => self.flush,
                Operation::Read | Operation::Write => Nanos::new(0),
            };
            request.service_ns += waited + cost.as_u64();
            self.agenda.add(now + cost, Event::Finished(place));
        }
    }

    fn finish(&mut self, now: Instant, place: u32) {
        let request = self.active[place];
        self.active.remove(place);
        let total_ns = now.since(request.submitted).as_u64();
        let service_ns = request.service_ns.min(total_ns);
        self.done.push(Completed {
            id: request.id,
            at: now,
            queued_ns: Nanos::new(total_ns - service_ns),
            service_ns: Nanos::new(service_ns),
        });
        self.gate.leave(request.operation == Operation::Flush);
        self.admit(now);
    }

    /// Ends the operation of a die and starts its next one.
    fn die_done(&mut self, now: Instant, index: u32) {
        let die = &mut self.dies[index as usize];
        match std::mem::replace(&mut die.operation, DieOperation::Idle) {
            DieOperation::Sense(sensing) => {
                return self.transfer(now, index, sensing.units, DieOperation::SendOut(sensing));
            }
            DieOperation::Collect => return self.collected(now, index),
            DieOperation::SendOut(sensing) => {
                let request = &mut self.active[sensing.request];
                request.pages_left -= 1;
                if request.pages_left == 0 {
                    self.send_to_host(now, sensing.request);
                }
            }
            DieOperation::Program => {
                while let Some(generation) = self.dies[index as usize].programming.pop() {
                    self.buffer.remove(generation);
                }
                self.end_drains(now);
                self.admit_writes(now);
            }
            DieOperation::Erase => {
                if let Some(victim) = die.victim.take() {
                    self.mapping.erase(victim.block);
                }
            }
            DieOperation::CollectOut | DieOperation::Idle => {}
        }
        self.start_die(now, index);
    }

    /// Takes the valid units of the page just sensed and sends them to the controller.
    fn collected(&mut self, now: Instant, index: u32) {
        let die = &mut self.dies[index as usize];
        let Some(victim) = &mut die.victim else {
            return;
        };
        let before = die.relocating.len();
        self.mapping
            .take_page(victim.block, victim.pages_done, &mut die.relocating);
        victim.pages_done += 1;
        let units = u32::try_from(die.relocating.len() - before).expect("a page has few units");
        self.transfer(now, index, units, DieOperation::CollectOut);
    }

    /// Sends units over the channel of a die.
    fn transfer(&mut self, now: Instant, index: u32, units: u32, operation: DieOperation) {
        let end = self.over_channel(now, index, units);
        self.dies[index as usize].operation = operation;
        self.agenda.add(end, Event::DieDone(index));
    }

    fn over_channel(&mut self, now: Instant, index: u32, units: u32) -> Instant {
        let bytes = u64::from(units) * u64::from(UNIT_BYTES);
        let busy = Nanos::new(span_ns(bytes, self.channel_bytes_per_s));
        let channel = index as usize % self.channels.len();
        self.channels[channel].transfer(now, busy)
    }

    /// Starts the next operation of an idle die, if there is one.
    fn start_die(&mut self, now: Instant, index: u32) {
        if !matches!(self.dies[index as usize].operation, DieOperation::Idle) {
            return;
        }
        let other = self.other_work(index);
        let die = &mut self.dies[index as usize];
        let may_read = other.is_none() || die.reads_in_a_row < READS_IN_A_ROW_MAX;
        let read = if may_read {
            die.reads.pop_front()
        } else {
            None
        };
        if let Some(sensing) = read {
            die.reads_in_a_row += 1;
            die.operation = DieOperation::Sense(sensing);
            self.active[sensing.request].began.get_or_insert(now);
            self.agenda.add(now + self.sense, Event::DieDone(index));
            return;
        }
        die.reads_in_a_row = 0;
        match other {
            None => {}
            Some(DieWork::Program) => self.start_program(now, index),
            Some(DieWork::Collect) => {
                die.operation = DieOperation::Collect;
                self.agenda.add(now + self.sense, Event::DieDone(index));
            }
            Some(DieWork::Erase) => {
                die.operation = DieOperation::Erase;
                self.agenda.add(now + self.erase, Event::DieDone(index));
            }
        }
    }

    /// Returns the work of a die beside reads: relocated data first, so that a collection
    /// progresses; then the host's data, if there is space for it; then collection.
    fn other_work(&mut self, index: u32) -> Option<DieWork> {
        let pages = self.shape.block_units / self.shape.page_units;
        let is_draining = self.buffer.is_draining();
        let die = &mut self.dies[index as usize];
        if die.victim.is_none() && self.mapping.is_low(index) {
            die.victim = self.mapping.take_victim(index).map(|block| Victim {
                block,
                pages_done: 0,
                gain_units: self.shape.block_units - self.mapping.valid_units(block),
                host_units: 0,
            });
        }
        let relocating = u32::try_from(die.relocating.len()).unwrap_or(u32::MAX);
        let wanted = self.program_units.saturating_sub(relocating);
        let is_full = die.writes.len() >= wanted as usize;
        let is_urgent = is_draining && !die.writes.is_empty();
        let budget = die
            .victim
            .map_or(u32::MAX, |victim| victim.budget_units(pages));
        if wanted == 0 || ((is_full || is_urgent) && wanted <= budget) {
            return Some(DieWork::Program);
        }
        let victim = die.victim.as_mut()?;
        while victim.pages_done < pages
            && !self.mapping.page_is_valid(victim.block, victim.pages_done)
        {
            victim.pages_done += 1;
        }
        Some(if victim.pages_done < pages {
            DieWork::Collect
        } else {
            DieWork::Erase
        })
    }

    /// Programs relocated units, and fills up the program with the host's.
    fn start_program(&mut self, now: Instant, index: u32) {
        let die = &mut self.dies[index as usize];
        let mut programmed = 0;
        while programmed < self.program_units {
            let Some(unit) = die.relocating.pop_front() else {
                break;
            };
            programmed += u32::from(self.mapping.program_relocated(unit));
        }
        let relocated = programmed;
        while programmed < self.program_units {
            let Some((unit, generation)) = die.writes.pop_front() else {
                break;
            };
            die.programming.push(generation);
            programmed += u32::from(self.mapping.program_buffered(unit));
        }
        die.operation = DieOperation::Program;
        if programmed == 0 {
            // All of them were replaced or trimmed meanwhile.
            self.agenda.add(now, Event::DieDone(index));
            return;
        }
        if let Some(victim) = &mut die.victim {
            victim.host_units += self.program_units - relocated;
        }
        self.mapping.pad(index, self.program_units - programmed);
        let sent = self.over_channel(now, index, self.program_units);
        self.agenda.add(sent + self.program, Event::DieDone(index));
    }
}

/// The work of a die beside reads.
#[derive(Debug, Clone, Copy)]
enum DieWork {
    Program,
    Collect,
    Erase,
}

#[cfg(test)]
#[path = "flash_tests.rs"]
mod tests;
