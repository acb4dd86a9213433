//! The write-intent bitmap: which writes wait for a page of bits to be written, and when bits are
//! cleared.
//!
//! A bit stands for a chunk of the *resync space*: the members' space for RAID 1 and for RAID 4, 5
//! and 6 (`sh->sector`; whole rows of chunks since 6.14, `raid5_bitmap_sector`), the array's own
//! for RAID 10. A bit that becomes set makes its 4 KiB page dirty, and the write waits until the
//! page is on every member with PREFLUSH and FUA (`md_bitmap_unplug`, `md_super_write`). A daemon
//! runs every five seconds: it clears a bit in the second run without a write, and writes the
//! cleared page in the background one run later (`md_bitmap_daemon_work`).
//!
//! Sources: bitmap.c of Linux 4.9, md-bitmap.c of 5.x and 6.x (the rules are the same); mdadm's
//! super1.c (`add_internal_bitmap1`, `choose_bm_space`). Not modelled: write-behind, bitmap files,
//! clustered bitmaps, and the one extra write of page 0 when the array's event count changes.

use stripewise_units::{Bytes, Nanos};

use crate::units::{Instant, Sectors};

/// The bytes before the first bit: `bitmap_super_t`.
const HEADER_BYTES: u64 = 256;
/// The bytes of a page of the bitmap.
const PAGE_BYTES: u64 = 4096;
/// The smallest chunk that mdadm chooses by default.
const CHUNK_BYTES_LEAST: u64 = 64 << 20;
/// How often the daemon runs (mdadm's `--delay`).
pub const DAEMON_SLEEP: Nanos = Nanos::from_millis(5000);

/// A bitmap that md would refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BitmapError {
    /// Chunks are powers of two of at least 4 KiB.
    #[error("a bitmap chunk of {0} is not a power of two of at least 4K")]
    Chunk(Bytes),
    /// The array is empty.
    #[error("an empty array has no bitmap")]
    Empty,
    /// More bits than the model supports.
    #[error("a bitmap of {0} bits is larger than the model supports: use a larger bitmap chunk")]
    Bits(u64),
}

/// Returns the space that mdadm reserves for a bitmap on a member of size `device`: 4 KiB on small
/// ones, 64 KiB above 8 GiB, 128 KiB from 200 GiB (`choose_bm_space`, format 1.x).
pub fn room(device: Sectors) -> Sectors {
    const GIB: u64 = 1 << 21;
    Sectors::new(if device.get() >= 200 * GIB + 128 {
        256
    } else if device.get() > 8 * GIB + 8 {
        128
    } else {
        8
    })
}

/// Returns mdadm's default chunk for an internal bitmap: 64 MiB, or more if the bits would not fit
/// into their [`room`]. `device` is the size of a member, `space` that of the resync space.
pub fn default_chunk(device: Sectors, space: Sectors) -> Bytes {
    let bits_most = (room(device).get() * Sectors::BYTES - HEADER_BYTES) * 8;
    let mut chunk = PAGE_BYTES;
    let mut bits = space.bytes().as_u64() / chunk + 1;
    while bits > bits_most {
        chunk *= 2;
        bits = bits.div_ceil(2);
    }
    Bytes::new(chunk.max(CHUNK_BYTES_LEAST))
}

/// The pending work on a page (`BITMAP_PAGE_*`).
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// A bit was set: writes wait for it.
    dirty: bool,
    /// A bit was cleared since the daemon last ran.
    pending: bool,
    /// To be written by the daemon or by the next unplug.
    needs_write: bool,
}

/// The bits of an array.
#[derive(Debug)]
pub struct Bitmap {
    chunk_shift: u32,
    /// Writes in flight plus 2; 1: one daemon run without writes; 0: clear (`bitmap_counter_t`).
    counters: Vec<u32>,
    /// The bits that are not clear.
    set: Vec<u32>,
    /// Bits that were written while a member was missing (`NEEDED_MASK`); empty until one is.
    missed: Vec<bool>,
    /// Whether a member is missing.
    degraded: bool,
    pages: Vec<Page>,
    /// Pages that the daemon wrote since [`Bitmap::daemon_writes`] was last called.
    cleaned: Vec<u32>,
    next_run: Instant,
    traffic: Traffic,
}

/// The activity of a bitmap since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Writes started.
    pub writes: u64,
    /// Bits that they set.
    pub bits_set: u64,
    /// Runs of the daemon.
    pub runs: u64,
    /// Bits left set by its latest run: between two runs the number only grows.
    pub left_set: u64,
}

impl Bitmap {
    /// Returns a clear bitmap over a resync space of `space`.
    ///
    /// # Errors
    /// [`BitmapError`] if md would refuse such a bitmap.
    pub fn new(space: Sectors, chunk: Bytes) -> Result<Self, BitmapError> {
        if !chunk.as_u64().is_power_of_two() || chunk.as_u64() < PAGE_BYTES {
            return Err(BitmapError::Chunk(chunk));
        }
        let chunk_shift = (chunk.as_u64() / Sectors::BYTES).trailing_zeros();
        let bits = space.get().div_ceil(1 << chunk_shift);
        if bits == 0 {
            return Err(BitmapError::Empty);
        }
        let count = u32::try_from(bits).map_err(|_| BitmapError::Bits(bits))?;
        let pages = page_of(count - 1) + 1;
        Ok(Self {
            chunk_shift,
            counters: vec![0; count as usize],
            set: Vec::with_capacity(count as usize),
            missed: Vec::new(),
            degraded: false,
            pages: vec![Page::default(); pages as usize],
            cleaned: Vec::new(),
            next_run: Instant::START + DAEMON_SLEEP,
            traffic: Traffic::default(),
        })
    }

    /// Starts a write (`md_bitmap_startwrite`); returns whether a page has to be written first: see
    /// [`Bitmap::unplug`].
    pub fn start_write(&mut self, now: Instant, sector: Sectors, length: Sectors) -> bool {
        let dirty = self.mark(now, sector, length);
        self.traffic.writes += 1;
        for bit in self.bits(sector, length) {
            self.counters[bit as usize] += 1;
        }
        dirty
    }

    /// Sets the bits of a piece of a write, which [`Bitmap::start_write`] starts as a whole; returns
    /// whether a page has to be written first.
    pub fn mark(&mut self, now: Instant, sector: Sectors, length: Sectors) -> bool {
        self.catch_up(now);
        let mut dirty = false;
        for bit in self.bits(sector, length) {
            let counter = &mut self.counters[bit as usize];
            if *counter == 0 {
                self.set.push(bit);
                self.traffic.bits_set += 1;
                self.pages[page_of(bit) as usize].dirty = true;
                dirty = true;
            }
            *counter = (*counter).max(2);
        }
        dirty
    }

    /// Returns its activity since the start.
    pub fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Sets the bits as a long history of writes would have left them. `write` adds the ranges of
    /// the next of `count` writes, one every `gap`, the last one `now`. Bits of writes in flight
    /// stay.
    pub fn replay_history(
        &mut self,
        now: Instant,
        count: u64,
        gap: Nanos,
        mut write: impl FnMut(&mut Vec<(Sectors, Sectors)>),
    ) {
        self.catch_up(now);
        // The time from the daemon's latest run to `now`; earlier runs are one period apart.
        let period = DAEMON_SLEEP.as_u64();
        let latest = period - self.next_run.since(now).as_u64().min(period);
        let mut runs = count * gap.as_u64() / period + 1;
        let mut ranges = Vec::new();
        for number in (0..count).rev() {
            while runs > 0 && latest + (runs - 1) * period >= number * gap.as_u64() {
                self.run_daemon();
                runs -= 1;
            }
            ranges.clear();
            write(&mut ranges);
            for &(sector, length) in &ranges {
                for bit in self.bits(sector, length) {
                    let counter = &mut self.counters[bit as usize];
                    if *counter == 0 {
                        self.set.push(bit);
                    }
                    *counter = (*counter).max(2);
                }
            }
        }
        self.cleaned.clear();
        self.pages.fill(Page::default());
        self.traffic.left_set = self.set.len() as u64;
    }

    /// Clears the bits, as of an array that was just made. Bits of writes in flight stay.
    pub fn clear(&mut self) {
        let counters = &mut self.counters;
        self.set.retain(|bit| {
            let counter = &mut counters[*bit as usize];
            let is_in_flight = *counter > 2;
            if !is_in_flight {
                *counter = 0;
            }
            is_in_flight
        });
        self.cleaned.clear();
        self.pages.fill(Page::default());
        self.traffic.left_set = self.set.len() as u64;
    }

    /// Returns the space that a bit stands for.
    pub fn chunk(&self) -> Sectors {
        Sectors::new(1 << self.chunk_shift)
    }

    /// Ends a write (`md_bitmap_endwrite`).
    ///
    /// # Panics
    /// If it was not started.
    pub fn end_write(&mut self, now: Instant, sector: Sectors, length: Sectors) {
        self.catch_up(now);
        for bit in self.bits(sector, length) {
            let counter = &mut self.counters[bit as usize];
            assert!(*counter > 2, "a write ends that did not begin");
            *counter -= 1;
            if self.degraded {
                self.missed[bit as usize] = true;
            }
        }
    }

    /// Sets whether a member is missing: it misses the data written meanwhile, whose bits stay set.
    pub fn set_degraded(&mut self, degraded: bool) {
        self.degraded = degraded;
        if degraded && self.missed.is_empty() {
            self.missed.resize(self.counters.len(), false);
        }
    }

    /// Returns whether a member that was missing needs a rebuild at `sector`, and for how many
    /// sectors the answer holds (`md_bitmap_start_sync`).
    pub fn missed(&self, sector: Sectors) -> (bool, Sectors) {
        let bit = sector.get() >> self.chunk_shift;
        let left = ((bit + 1) << self.chunk_shift) - sector.get();
        let missed = usize::try_from(bit)
            .ok()
            .and_then(|bit| self.missed.get(bit));
        (missed.copied().unwrap_or(false), Sectors::new(left))
    }

    /// Lets the bits be cleared again, once all members are whole (`md_bitmap_close_sync`).
    pub fn forget_missed(&mut self) {
        if !self.degraded {
            self.missed.fill(false);
        }
    }

    /// Adds the pages that have to be written to every member, with PREFLUSH and FUA, before the
    /// started writes may proceed. From here on they count as written (`md_bitmap_unplug`).
    pub fn unplug(&mut self, pages: &mut Vec<u32>) {
        for (number, page) in (0_u32..).zip(&mut self.pages) {
            if page.dirty || page.needs_write {
                *page = Page::default();
                pages.push(number);
            }
        }
    }

    /// Returns when the daemon next has work.
    pub fn next_daemon(&self) -> Option<Instant> {
        let idle = |page: &Page| !page.pending && !page.needs_write;
        (!self.set.is_empty() || !self.pages.iter().all(idle)).then_some(self.next_run)
    }

    /// Adds the pages that the daemon has written until `now`, also to every member with PREFLUSH
    /// and FUA; no write waited for them.
    pub fn daemon_writes(&mut self, now: Instant, pages: &mut Vec<u32>) {
        self.catch_up(now);
        pages.append(&mut self.cleaned);
    }

    /// Returns the offset of a page in the bitmap and the length of its write. The last page ends
    /// with the last bit, rounded up to a `logical_block` (`write_sb_page`).
    pub fn page_extent(&self, page: u32, logical_block: Bytes) -> (Bytes, Bytes) {
        let start = u64::from(page) * PAGE_BYTES;
        let all = HEADER_BYTES + (self.counters.len() as u64).div_ceil(8);
        let length = (all - start)
            .min(PAGE_BYTES)
            .next_multiple_of(logical_block.as_u64());
        (Bytes::new(start), Bytes::new(length))
    }

    /// Returns how many bits are set.
    pub fn set_bits(&self) -> usize {
        self.set.len()
    }

    fn bits(&self, sector: Sectors, length: Sectors) -> std::ops::Range<u32> {
        let last = (sector.get() + length.get() - 1) >> self.chunk_shift;
        let narrow = |bit: u64| u32::try_from(bit).unwrap_or(u32::MAX);
        let count = narrow(self.counters.len() as u64);
        // Ignores bits past the end, as md does.
        narrow(sector.get() >> self.chunk_shift).min(count)..narrow(last + 1).min(count)
    }

    /// Does the daemon's runs that were due. It runs at multiples of its period: writes keep md's
    /// thread awake, and its timeout is the period while bits are set.
    fn catch_up(&mut self, now: Instant) {
        while self.next_run <= now {
            if self.next_daemon().is_none() {
                let missed = now.since(self.next_run).as_u64() / DAEMON_SLEEP.as_u64() + 1;
                self.next_run += Nanos::new(missed * DAEMON_SLEEP.as_u64());
                return;
            }
            self.next_run += DAEMON_SLEEP;
            self.run_daemon();
        }
    }

    /// `md_bitmap_daemon_work`.
    fn run_daemon(&mut self) {
        for page in &mut self.pages {
            page.needs_write |= std::mem::take(&mut page.pending);
        }
        let (counters, pages) = (&mut self.counters, &mut self.pages);
        let missed = &self.missed;
        self.set.retain(|&bit| {
            if missed.get(bit as usize).is_some_and(|missed| *missed) {
                return true;
            }
            let counter = &mut counters[bit as usize];
            if *counter == 1 {
                *counter = 0;
                pages[page_of(bit) as usize].pending = true;
            } else if *counter == 2 {
                *counter = 1;
            }
            *counter > 0
        });
        self.traffic.runs += 1;
        self.traffic.left_set = self.set.len() as u64;
        for (number, page) in (0_u32..).zip(&mut self.pages) {
            if page.dirty {
                // The next unplug writes this page and all later ones.
                break;
            }
            if std::mem::take(&mut page.needs_write) {
                self.cleaned.push(number);
            }
        }
    }
}

/// Returns the page that holds a bit (`file_page_index`).
fn page_of(bit: u32) -> u32 {
    let page = (u64::from(bit) + HEADER_BYTES * 8) / (PAGE_BYTES * 8);
    u32::try_from(page).expect("fewer pages than bits")
}

#[cfg(test)]
#[path = "bitmap_tests.rs"]
mod tests;
