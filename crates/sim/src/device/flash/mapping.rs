//! The page map: where every unit of 4 KiB lies on the flash, and which block is collected next.
//!
//! Every die is a small log-structured drive of its own: unit u of the host always belongs to die
//! (u / units of a page) mod dies, so the host's runs lie on pages of different dies. A die writes
//! into one open block, host data and relocated data mixed (the single stream of the analytic
//! models below); a full block is closed and joins the list of its number of valid units.
//! Collection takes the head of the lowest non-empty list, so a choice costs O(1). FIFO uses a
//! single list.
//!
//! The open block and the free blocks kept in reserve come on top of the over-provisioning. On a
//! real drive they are under a tenth of a percent of it. On a drive scaled down to a few blocks per
//! die they would be most of it, and amplification would depend on the scale.
//!
//! Models: Bux and Iliadis, "Performance of greedy garbage collection in flash-based solid-state
//! drives", Performance Evaluation 67(11), 2010; Desnoyers, "Analytic modeling of SSD write
//! performance", SYSTOR 2012; Van Houdt, "A mean field model for a class of garbage collection
//! algorithms in flash-based solid state drives", SIGMETRICS 2013.

use std::collections::VecDeque;

use stripewise_profiles::device::flash::{FlashProfile, GarbageCollection, UNIT_BYTES};
use stripewise_profiles::device::number::rounded;
use stripewise_study::sample::as_f64;

/// None: the end of a list, or a unit never written.
const NONE: u32 = u32::MAX;

/// The host's newest copy is in the write buffer.
const BUFFERED: u32 = u32::MAX - 1;

/// The newest copy was taken from a victim block and is not yet programmed again.
const RELOCATING: u32 = u32::MAX - 2;

/// Where the newest copy of a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewestCopy {
    /// Nowhere: never written, or trimmed.
    Unmapped,
    /// In the memory of the controller, from the host.
    Buffered,
    /// In the memory of the controller, from a victim block.
    Relocating,
    /// On the flash, at this physical unit.
    Flash(u32),
}

/// The dimensions of the drive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) dies: u32,
    pub(super) units: u32,
    pub(super) page_units: u32,
    pub(super) block_units: u32,
    pub(super) die_blocks: u32,
    pub(super) low_water_blocks: u32,
}

/// Programmed units by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProgramCounters {
    /// Units that the host wrote.
    pub host_written_units: u64,
    /// Host units programmed; fewer where the host overwrote its own data in the buffer.
    pub host_programmed_units: u64,
    /// Units moved out of victim blocks.
    pub relocated_units: u64,
    /// Units left empty when a flush forced a partial program.
    pub padding_units: u64,
}

impl ProgramCounters {
    /// Returns units programmed per unit that the host wrote; `None` if it wrote none.
    pub fn write_amplification(&self) -> Option<f64> {
        let programmed = self.host_programmed_units + self.relocated_units + self.padding_units;
        let written = self.host_written_units;
        (written > 0).then(|| as_f64(programmed) / as_f64(written))
    }
}

/// The blocks of one die.
#[derive(Debug)]
struct Die {
    free: VecDeque<u32>,
    open_block: u32,
    open_units: u32,
    /// The first and last closed block of each list.
    heads: Vec<u32>,
    tails: Vec<u32>,
    /// No list below this one has a block.
    lowest: u32,
}

/// A closed block's neighbours in its list.
#[derive(Debug, Clone, Copy)]
struct Links {
    previous: u32,
    next: u32,
}

/// The map, without time.
#[derive(Debug)]
pub(super) struct Mapping {
    shape: Shape,
    gc: GarbageCollection,
    place_of: Vec<u32>,
    unit_at: Vec<u32>,
    valid_units: Vec<u32>,
    erases: Vec<u32>,
    closed: Vec<bool>,
    links: Vec<Links>,
    dies: Vec<Die>,
    counters: ProgramCounters,
}

impl Shape {
    /// Returns the counts of a checked profile.
    pub(super) fn new(profile: &FlashProfile) -> Self {
        let page_units = profile.page_bytes / UNIT_BYTES;
        let block_units = page_units * profile.block_pages_count * profile.planes_count;
        let units = u32::try_from(profile.simulated_bytes / u64::from(UNIT_BYTES))
            .expect("checked: at most 2^36 bytes");
        let stripes = units.div_ceil(page_units).div_ceil(profile.dies_count);
        let die_units = stripes * page_units;
        let share = 1.0 + profile.over_provisioning_percent / 100.0;
        let physical = rounded(f64::from(die_units) * share);
        let blocks = physical.div_ceil(u64::from(block_units));
        let blocks = u32::try_from(blocks).expect("checked: fewer blocks than units");
        let blocks = blocks.max(die_units.div_ceil(block_units) + 1);
        Self {
            dies: profile.dies_count,
            units,
            page_units,
            block_units,
            die_blocks: blocks + profile.gc_low_water_blocks_count,
            low_water_blocks: profile.gc_low_water_blocks_count,
        }
    }

    /// Returns the over-provisioning as a ratio, without the reserve.
    pub(super) fn over_provisioning(self) -> f64 {
        let blocks = self.die_blocks - self.low_water_blocks;
        let physical = f64::from(blocks) * f64::from(self.block_units) * f64::from(self.dies);
        physical / f64::from(self.units) - 1.0
    }

    /// Returns the die a unit of the host belongs to.
    pub(super) const fn die_of(self, unit: u32) -> u32 {
        unit / self.page_units % self.dies
    }

    /// Returns the die a physical unit is on.
    pub(super) const fn die_at(self, physical: u32) -> u32 {
        physical / (self.block_units * self.die_blocks)
    }

    const fn blocks(self) -> u32 {
        self.dies * self.die_blocks
    }
}

impl Mapping {
    /// Returns the map of an erased drive.
    pub(super) fn new(shape: Shape, gc: GarbageCollection) -> Self {
        let blocks = shape.blocks() as usize;
        let lists = match gc {
            GarbageCollection::Greedy => shape.block_units as usize + 1,
            GarbageCollection::Fifo => 1,
        };
        let die = |index: u32| {
            let first = index * shape.die_blocks;
            Die {
                free: (first + 1..first + shape.die_blocks).collect(),
                open_block: first,
                open_units: 0,
                heads: vec![NONE; lists],
                tails: vec![NONE; lists],
                lowest: 0,
            }
        };
        Self {
            shape,
            gc,
            place_of: vec![NONE; shape.units as usize],
            unit_at: vec![NONE; blocks * shape.block_units as usize],
            valid_units: vec![0; blocks],
            erases: vec![0; blocks],
            closed: vec![false; blocks],
            links: vec![
                Links {
                    previous: NONE,
                    next: NONE
                };
                blocks
            ],
            dies: (0..shape.dies).map(die).collect(),
            counters: ProgramCounters::default(),
        }
    }

    /// Returns the units programmed since the counters were reset.
    pub(super) const fn counters(&self) -> ProgramCounters {
        self.counters
    }

    /// Resets the program counters; the erase counters stay.
    pub(super) fn reset_counters(&mut self) {
        self.counters = ProgramCounters::default();
    }

    /// Returns how often each block was erased.
    pub(super) fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// Returns where the newest copy of a unit is.
    pub(super) fn newest_copy(&self, unit: u32) -> NewestCopy {
        match self.place_of[unit as usize] {
            NONE => NewestCopy::Unmapped,
            BUFFERED => NewestCopy::Buffered,
            RELOCATING => NewestCopy::Relocating,
            physical => NewestCopy::Flash(physical),
        }
    }

    /// Returns how many free blocks a die has.
    pub(super) fn free_blocks(&self, die: u32) -> usize {
        self.dies[die as usize].free.len()
    }

    /// Returns whether a die has to collect garbage.
    pub(super) fn is_low(&self, die: u32) -> bool {
        self.free_blocks(die) < self.shape.low_water_blocks as usize
    }

    /// Takes a unit into the write buffer; its older copy becomes invalid.
    pub(super) fn buffer(&mut self, unit: u32) {
        self.counters.host_written_units += 1;
        self.forget(unit);
        self.place_of[unit as usize] = BUFFERED;
    }

    /// Programs a unit from the write buffer, unless it was trimmed or programmed already.
    pub(super) fn program_buffered(&mut self, unit: u32) -> bool {
        let is_due = self.place_of[unit as usize] == BUFFERED;
        if is_due {
            self.append(unit);
            self.counters.host_programmed_units += 1;
        }
        is_due
    }

    /// Programs a unit taken from a victim block, unless the host replaced it meanwhile.
    pub(super) fn program_relocated(&mut self, unit: u32) -> bool {
        let is_due = self.place_of[unit as usize] == RELOCATING;
        if is_due {
            self.append(unit);
            self.counters.relocated_units += 1;
        }
        is_due
    }

    /// Leaves `count` units of a die's open block empty.
    pub(super) fn pad(&mut self, die: u32, count: u32) {
        for _ in 0..count {
            self.next_slot(die);
        }
        self.counters.padding_units += u64::from(count);
    }

    /// Trims a unit: its content becomes invalid.
    pub(super) fn trim(&mut self, unit: u32) {
        self.forget(unit);
        self.place_of[unit as usize] = NONE;
    }

    /// Removes from its list the block that a die collects next.
    pub(super) fn take_victim(&mut self, die: u32) -> Option<u32> {
        let blocks = &mut self.dies[die as usize];
        let from = blocks.lowest as usize;
        let list = (from..blocks.heads.len()).find(|&list| blocks.heads[list] != NONE)?;
        blocks.lowest = u32::try_from(list).expect("there are few lists");
        let block = blocks.heads[list];
        self.unlink(block);
        Some(block)
    }

    /// Returns how many units of a block are valid.
    pub(super) fn valid_units(&self, block: u32) -> u32 {
        self.valid_units[block as usize]
    }

    /// Takes the valid units of a page of a victim block.
    pub(super) fn take_page(&mut self, block: u32, page: u32, units: &mut VecDeque<u32>) {
        let first = block * self.shape.block_units + page * self.shape.page_units;
        for physical in first..first + self.shape.page_units {
            let unit = self.unit_at[physical as usize];
            if unit != NONE {
                self.forget(unit);
                self.place_of[unit as usize] = RELOCATING;
                units.push_back(unit);
            }
        }
    }

    /// Returns whether a page has a valid unit.
    pub(super) fn page_is_valid(&self, block: u32, page: u32) -> bool {
        let first = (block * self.shape.block_units + page * self.shape.page_units) as usize;
        let behind = first + self.shape.page_units as usize;
        self.unit_at[first..behind].iter().any(|&unit| unit != NONE)
    }

    /// Erases a block that has no valid unit left.
    pub(super) fn erase(&mut self, block: u32) {
        assert_eq!(self.valid_units(block), 0, "valid units were taken before");
        self.erases[block as usize] += 1;
        let die = block / self.shape.die_blocks;
        self.dies[die as usize].free.push_back(block);
    }

    /// Writes a unit and does any due collection, without advancing time.
    ///
    /// `scratch` is empty before and after.
    pub(super) fn write_at_once(&mut self, unit: u32, scratch: &mut VecDeque<u32>) {
        self.buffer(unit);
        self.program_buffered(unit);
        let die = self.shape.die_of(unit);
        while self.is_low(die) {
            let Some(block) = self.take_victim(die) else {
                break;
            };
            for page in 0..self.shape.block_units / self.shape.page_units {
                self.take_page(block, page, scratch);
            }
            self.erase(block);
            while let Some(unit) = scratch.pop_front() {
                self.program_relocated(unit);
            }
        }
    }

    /// Appends a unit to its die's log.
    fn append(&mut self, unit: u32) {
        let physical = self.next_slot(self.shape.die_of(unit));
        self.unit_at[physical as usize] = unit;
        self.place_of[unit as usize] = physical;
        self.valid_units[(physical / self.shape.block_units) as usize] += 1;
    }

    /// Returns the next physical unit of a die's open block.
    ///
    /// A full block is closed only when the next one is needed, so that its last unit counts as
    /// valid before the block enters its list.
    fn next_slot(&mut self, die: u32) -> u32 {
        let blocks = &mut self.dies[die as usize];
        if blocks.open_units == self.shape.block_units {
            let full = blocks.open_block;
            blocks.open_block = blocks
                .free
                .pop_front()
                .expect("collection keeps a free block for the units it moves");
            blocks.open_units = 0;
            self.link(full);
        }
        let blocks = &mut self.dies[die as usize];
        let physical = blocks.open_block * self.shape.block_units + blocks.open_units;
        blocks.open_units += 1;
        physical
    }

    /// Drops the flash copy of a unit.
    fn forget(&mut self, unit: u32) {
        let NewestCopy::Flash(physical) = self.newest_copy(unit) else {
            return;
        };
        let block = physical / self.shape.block_units;
        let relist = self.closed[block as usize] && self.gc == GarbageCollection::Greedy;
        if relist {
            self.unlink(block);
        }
        self.unit_at[physical as usize] = NONE;
        self.valid_units[block as usize] -= 1;
        if relist {
            self.link(block);
        }
    }

    fn list_of(&self, block: u32) -> u32 {
        match self.gc {
            GarbageCollection::Greedy => self.valid_units(block),
            GarbageCollection::Fifo => 0,
        }
    }

    /// Puts a closed block at the end of its list.
    fn link(&mut self, block: u32) {
        let list = self.list_of(block);
        let die = &mut self.dies[(block / self.shape.die_blocks) as usize];
        let previous = die.tails[list as usize];
        die.tails[list as usize] = block;
        die.lowest = die.lowest.min(list);
        if previous == NONE {
            die.heads[list as usize] = block;
        } else {
            self.links[previous as usize].next = block;
        }
        self.links[block as usize] = Links {
            previous,
            next: NONE,
        };
        self.closed[block as usize] = true;
    }

    /// Takes a closed block out of its list.
    fn unlink(&mut self, block: u32) {
        let list = self.list_of(block) as usize;
        let Links { previous, next } = self.links[block as usize];
        let die = &mut self.dies[(block / self.shape.die_blocks) as usize];
        if previous == NONE {
            die.heads[list] = next;
        } else {
            self.links[previous as usize].next = next;
        }
        if next == NONE {
            die.tails[list] = previous;
        } else {
            self.links[next as usize].previous = previous;
        }
        self.closed[block as usize] = false;
    }

    /// Checks every invariant by a full scan.
    #[cfg(test)]
    pub(super) fn self_check(&self) {
        let mut valid = vec![0; self.valid_units.len()];
        for (physical, &unit) in self.unit_at.iter().enumerate() {
            if unit != NONE {
                valid[physical / self.shape.block_units as usize] += 1;
                let place = self.place_of[unit as usize] as usize;
                assert_eq!(place, physical, "the maps are each other's inverse");
            }
        }
        assert_eq!(valid, self.valid_units);
        for unit in 0..self.shape.units {
            if let NewestCopy::Flash(physical) = self.newest_copy(unit) {
                assert_eq!(self.unit_at[physical as usize], unit);
                assert_eq!(self.shape.die_at(physical), self.shape.die_of(unit));
            }
        }
    }
}
