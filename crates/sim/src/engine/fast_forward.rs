//! Skips long phases with a known outcome: a memory that only fills, or drains, at a known rate.
//!
//! The skipped state is not guessed: the load's own next I/Os are drawn and mark pages, bits and
//! flash blocks. Their bytes and time at the present rate are accounted for.

use stripewise_study::warning::Changing;

use super::stationarity::{MOVED_SHARE, whole};
use super::{Limits, Simulation};
use crate::io::Operation;
use crate::units::Sectors;
use stripewise_study::sample::as_f64;

/// Fast areas are filled this much further than needed, so that those of all members fill in one
/// jump although each received a little more or less.
const FURTHER: f64 = 1.1;
/// A memory that fills within this many windows is simulated instead.
const WINDOWS: f64 = 4.0;
/// The half width from which on a question is coarse.
const COARSE: f64 = 0.04;
/// A buffer with less room than this fraction (1 / 20) is full.
const FULL_SHARE: u64 = 20;
/// The maximum I/Os drawn for one jump.
pub(super) const DRAWN_MAX: u64 = 2_000_000;
/// The maximum passes that overwrite flash simulated page by page before the load begins; they end
/// when two passes program the same amount.
const WEAR_PASSES_MAX: u32 = 16;

impl Simulation {
    /// Moves a changing memory to its final state; returns whether it was far enough away to need a
    /// jump.
    pub(super) fn jump(&mut self, what: Changing, limits: &Limits) -> bool {
        if self.stationarity.jumps_left == 0 {
            return false;
        }
        let has_jumped = match what {
            // Tracked writes have an age, which a jump would not give them.
            Changing::PageCache => self.risk.is_none() && self.fill_page_cache(limits),
            Changing::FastArea => self.move_fast_areas(),
            Changing::Bitmap => self.age_bitmap(),
            Changing::WriteCache => self.fill_buffers(limits),
            Changing::FlashBlocks | Changing::Throughput => false,
        };
        self.stationarity.jumps_left -= u32::from(has_jumped);
        has_jumped
    }

    /// Accounts for `windows` windows like the latest one.
    pub(super) fn skip_windows(&mut self, windows: f64) {
        let (bytes, ns) = self.totals.batches.sum();
        self.stationarity.skipped_bytes += windows * as_f64(bytes);
        self.stationarity.skipped_ns += windows * as_f64(ns);
    }

    /// Dirties pages up to the amount at which write-back begins, or at which writers have to wait.
    fn fill_page_cache(&mut self, limits: &Limits) -> bool {
        let (before, now) = (
            self.stationarity.levels_before.page_cache,
            self.page_cache.level(),
        );
        let Some(gained) = now
            .holds
            .checked_sub(before.holds)
            .filter(|gained| *gained > 0)
        else {
            return false;
        };
        let Some(goal) = self.page_cache.next_bound() else {
            return false;
        };
        let windows = as_f64(goal - now.holds) / as_f64(gained);
        if windows <= WINDOWS {
            return false;
        }
        let mut draws = Draws::new(self);
        for _ in 0..limits.ios_max.max(DRAWN_MAX) {
            let Some((start, length)) = draws.next_write(self) else {
                break;
            };
            if self.page_cache.level().holds + length.bytes().as_u64() > goal {
                break;
            }
            self.page_cache.mark_dirty_at(start, length);
        }
        let filled = self.page_cache.level().holds - now.holds;
        self.skip_windows(as_f64(filled) / as_f64(gained));
        filled > 0
    }

    /// Extrapolates the members' fast areas until the first is full or empty.
    fn move_fast_areas(&mut self) -> bool {
        let mut windows = f64::INFINITY;
        for (member, &before) in self.members.iter().zip(&self.stationarity.fast_before) {
            let Some((used, most)) = member.device.fast_area() else {
                continue;
            };
            let left = match used >= before {
                true => most - used,
                false => used,
            };
            if used != before && left > 0 {
                windows = windows.min(as_f64(left) / as_f64(used.abs_diff(before)));
            }
        }
        if !windows.is_finite() || windows <= WINDOWS {
            return false;
        }
        for (member, &before) in self.members.iter_mut().zip(&self.stationarity.fast_before) {
            let Some((used, _)) = member.device.fast_area() else {
                continue;
            };
            let moved = whole(windows * FURTHER * as_f64(used.abs_diff(before)));
            member.device.set_fast_used(match used >= before {
                true => used.saturating_add(moved),
                false => used.saturating_sub(moved),
            });
        }
        self.skip_windows(windows);
        true
    }

    /// Extrapolates the filling of the members' buffers until the first is full, for a question that is
    /// content with a coarse answer: it needs fewer I/Os than the filling takes. A precise one needs as many,
    /// and meets the buffers as they fill. Beside reads a buffer may rise and fall again, so only writes count.
    fn fill_buffers(&mut self, limits: &Limits) -> bool {
        if self.totals.read.latencies.count() > 0 {
            return false;
        }
        let same_for = &mut self.stationarity.same_for;
        if !same_for.is_wide_enough(limits.half_width, COARSE) {
            return false;
        }
        let now = self.now;
        let mut windows = f64::INFINITY;
        for (member, &before) in self.members.iter().zip(&self.stationarity.buffers_before) {
            let Some((used, most)) = member.device.buffer(now) else {
                continue;
            };
            let left = most.saturating_sub(used);
            // A full one has a little more or less room whenever one looks.
            if used > before && left > most / FULL_SHARE {
                windows = windows.min(as_f64(left) / as_f64(used - before));
            }
        }
        if !windows.is_finite() || windows <= WINDOWS {
            return false;
        }
        for (member, &before) in self
            .members
            .iter_mut()
            .zip(&self.stationarity.buffers_before)
        {
            let Some((used, _)) = member.device.buffer(now) else {
                continue;
            };
            if let Some(gained) = used.checked_sub(before) {
                let moved = whole(windows * as_f64(gained));
                member.device.set_buffered(now, used.saturating_add(moved));
            }
        }
        self.skip_windows(windows);
        true
    }

    /// Overwrites flash that is simulated page by page with the load's writes until its state is
    /// steady; returns false as soon as `keeps_going` does.
    pub(super) fn wear_flash(&mut self, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        let simulated = self
            .members
            .iter()
            .filter_map(|member| member.device.simulated());
        let all = simulated.fold(0, |sum, size| sum + size.get());
        let writes = self.jobs.iter().any(|job| job.generator.writes());
        if all == 0 || !writes {
            return true;
        }
        let mut programmed_before = 0;
        for _ in 0..WEAR_PASSES_MAX {
            let before = self.levels().flash_blocks.received;
            if !self.overwrite_flash(all, keeps_going) {
                return false;
            }
            let programmed = self.levels().flash_blocks.received - before;
            if programmed.abs_diff(programmed_before) * MOVED_SHARE < programmed {
                break;
            }
            programmed_before = programmed;
        }
        // The load begins here: the collections of the overwriting are not part of its first phase.
        for member in &mut self.members {
            member.device.reset_counters();
        }
        true
    }

    /// Overwrites `sectors` sectors of flash with the load's writes; returns false as soon as
    /// `keeps_going` does.
    fn overwrite_flash(&mut self, sectors: u64, keeps_going: &mut dyn FnMut() -> bool) -> bool {
        let mut draws = Draws::new(self);
        let mut bios = Vec::new();
        let (mut left, mut number) = (sectors, 0_u64);
        while left > 0 {
            let Some((start, length)) = draws.next_write(self) else {
                return true;
            };
            self.layers.write_places(start, length, &mut bios);
            for bio in bios.drain(..) {
                left = left.saturating_sub(bio.length.get().max(8));
                let member = &mut self.members[bio.member.index()];
                member.device.wear(bio.start, bio.length);
            }
            number += 1;
            if number.is_multiple_of(1 << 12) && !keeps_going() {
                return false;
            }
        }
        true
    }
}

/// Draws the load's next writes, from each job in proportion to its completed I/Os.
#[derive(Debug)]
pub(super) struct Draws {
    credits: Vec<u64>,
    most: u64,
    job: usize,
}

impl Draws {
    pub(super) fn new(simulation: &Simulation) -> Self {
        let loads = &simulation.jobs[..simulation.page_cache.flusher as usize];
        let most = loads.iter().map(|job| job.done).max().unwrap_or(0);
        Self {
            credits: vec![0; loads.len()],
            most,
            job: 0,
        }
    }

    /// Returns the next write; `None` if there is none.
    pub(super) fn next_write(&mut self, simulation: &mut Simulation) -> Option<(Sectors, Sectors)> {
        // A job with writes is reached long before.
        for _ in 0..100_000 {
            let job = &mut simulation.jobs[self.job];
            if self.credits[self.job] >= self.most {
                self.credits[self.job] -= self.most;
                let request = job.generator.draw(simulation.now)?;
                if self.most == 0 {
                    self.job = (self.job + 1) % self.credits.len();
                }
                if request.operation == Operation::Write {
                    return Some((request.start, request.length));
                }
                continue;
            }
            self.job = (self.job + 1) % self.credits.len();
            self.credits[self.job] += simulation.jobs[self.job].done;
        }
        None
    }
}
