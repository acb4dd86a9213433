//! Skipping what would take long and is known: a memory that only fills, or empties, goes on doing so.
//!
//! Nothing that decides is guessed: the load's own next I/Os are drawn and mark pages, bits and flash
//! blocks; what they would have taken at the present rate is accounted for.

use stripewise_study::units::Nanos;
use stripewise_study::warning::Changing;

use super::proof::{MOVED_SHARE, whole};
use super::{Limits, Simulation};
use crate::array::bitmap::DAEMON_SLEEP;
use crate::io::Operation;
use crate::units::Sectors;
use stripewise_study::sample::as_f64;

/// A fast area is filled a little further than it would be, so that those of all members are full at
/// once though each got a little more or less.
const FURTHER: f64 = 1.1;
/// A memory that is full within so many windows is simulated.
const WINDOWS: f64 = 4.0;
/// How many periods of the bitmap's daemon are lived through: after two without writes a bit is clear.
const PERIODS: u64 = 3;
/// The bits of a smaller file settle within the windows.
const RELIVE_IOS: u64 = 1 << 14;
/// The most I/Os that are drawn for one jump.
const DRAWN_MAX: u64 = 2_000_000;
/// By how much the rate of writes may change before the bits are no longer those of the load.
const SAME_RATE: f64 = 0.1;
/// How often flash that is simulated page by page is overwritten by the load before it begins, at most:
/// until two passes program the same.
const WEAR_PASSES_MAX: u32 = 16;

impl Simulation {
    /// Brings a memory that changes to where it is going; returns whether that was far enough to need
    /// a jump.
    pub(super) fn jump(&mut self, what: Changing, limits: &Limits) -> bool {
        if self.proof.jumps_left == 0 {
            return false;
        }
        let has_jumped = match what {
            Changing::PageCache => self.fill_page_cache(limits),
            Changing::FastArea => self.move_fast_areas(),
            Changing::Bitmap => self.relive_bits(),
            Changing::WriteCache | Changing::FlashBlocks | Changing::Throughput => false,
        };
        self.proof.jumps_left -= u32::from(has_jumped);
        has_jumped
    }

    /// Accounts for so many windows like the latest one.
    fn skip_windows(&mut self, windows: f64) {
        let (bytes, ns) = self.books.batches.sum();
        self.proof.skipped_bytes += windows * as_f64(bytes);
        self.proof.skipped_ns += windows * as_f64(ns);
    }

    /// Makes pages dirty up to where write-back begins, or where writers have to wait.
    fn fill_page_cache(&mut self, limits: &Limits) -> bool {
        let (before, now) = (self.proof.levels_before.page_cache, self.page_cache.level());
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
            self.page_cache.soil_at(start, length);
        }
        let filled = self.page_cache.level().holds - now.holds;
        self.skip_windows(as_f64(filled) / as_f64(gained));
        filled > 0
    }

    /// Lets the members' fast areas go on as they do until the first is full or empty.
    fn move_fast_areas(&mut self) -> bool {
        let mut windows = f64::INFINITY;
        for (member, &before) in self.members.iter().zip(&self.proof.fast_before) {
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
        for (member, &before) in self.members.iter_mut().zip(&self.proof.fast_before) {
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

    /// Gives the bits of the bitmap the ages that they have after a long time at the present rate of
    /// writes; once for each rate.
    fn relive_bits(&mut self) -> bool {
        let Some(bitmap) = &self.layers.bitmap else {
            return false;
        };
        let ns = self.now.since(self.proof.window_began).as_u64();
        let writes = bitmap.traffic().writes - self.proof.traffic_before.writes;
        let per_s = as_f64(writes) * 1e9 / as_f64(ns.max(1));
        let is_done = self.books.batches.ios() < RELIVE_IOS
            || self
                .proof
                .relived_per_s
                .is_some_and(|before| (before - per_s).abs() <= SAME_RATE * before);
        if is_done || writes == 0 {
            return false;
        }
        let (set_before, gained) = (
            bitmap.set_bits(),
            bitmap.traffic().bits_set - self.proof.traffic_before.bits_set,
        );
        self.proof.relived_per_s = Some(per_s);
        let gap = Nanos::new((ns / writes).max(1));
        let count = (PERIODS * DAEMON_SLEEP.as_u64() / gap.as_u64()).clamp(1, DRAWN_MAX);
        let mut draws = Draws::new(self);
        let Some(mut bitmap) = self.layers.bitmap.take() else {
            return false;
        };
        bitmap.replay_history(self.now, count, gap, |ranges| {
            if let Some((start, length)) = draws.next_write(self) {
                self.layers.add_bitmap_ranges(start, length, ranges);
            }
        });
        let set = bitmap.set_bits().abs_diff(set_before) as u64;
        self.layers.bitmap = Some(bitmap);
        let longest = as_f64(count) / as_f64(writes);
        self.skip_windows((as_f64(set) / as_f64(gained.max(1))).min(longest));
        true
    }

    /// Overwrites flash that is simulated page by page as the load does, until it is as the load leaves
    /// it; returns false if `keeps_going` said stop.
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
            let before = self.levels().flash_blocks.came;
            if !self.overwrite_flash(all, keeps_going) {
                return false;
            }
            let programmed = self.levels().flash_blocks.came - before;
            if programmed.abs_diff(programmed_before) * MOVED_SHARE < programmed {
                break;
            }
            programmed_before = programmed;
        }
        // The load begins here: what was collected for the overwriting is not its first phase.
        for member in &mut self.members {
            member.device.reset_counters();
        }
        true
    }

    /// Overwrites so many sectors of flash as the load does.
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

/// Draws the load's next writes, of each job as many as it did.
#[derive(Debug)]
struct Draws {
    credits: Vec<u64>,
    most: u64,
    job: usize,
}

impl Draws {
    fn new(simulation: &Simulation) -> Self {
        let loads = &simulation.jobs[..simulation.page_cache.flusher as usize];
        let most = loads.iter().map(|job| job.done).max().unwrap_or(0);
        Self {
            credits: vec![0; loads.len()],
            most,
            job: 0,
        }
    }

    /// Returns the next write; nothing if there is none.
    fn next_write(&mut self, simulation: &mut Simulation) -> Option<(Sectors, Sectors)> {
        // A job that writes at all is met long before.
        for _ in 0..100_000 {
            let job = &mut simulation.jobs[self.job];
            if self.credits[self.job] >= self.most {
                self.credits[self.job] -= self.most;
                let request = job.generator.draw()?;
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
