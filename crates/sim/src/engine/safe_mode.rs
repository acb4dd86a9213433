//! Whether an array with redundancy is marked clean, and the superblocks that say so.
//!
//! An array turns clean some time after its last write (`md_write_end`, `safe_mode_delay` of
//! 200 ms). The next write waits until the superblocks of all members say that it is not
//! (`md_write_start`). `md_update_sb` writes them from the array's thread: the bitmap's first page,
//! then the superblocks, each on all members, with PREFLUSH and FUA (`md_super_write`).
//!
//! A simulation begins with an array that was written just before. Badblock logs, clustered arrays
//! and spares are not modelled.

use stripewise_study::sample::Part;
use stripewise_units::Nanos;

use super::Simulation;
use super::barrier::HeldBack;
use super::members::Owner;
use crate::events::Event;
use crate::io::Operation;
use crate::units::{Instant, Sectors};

/// A tick of the clock (`CONFIG_HZ` of 250).
const TICK: u64 = 4_000_000;
/// `DEFAULT_SAFEMODE_DELAY` in ticks: 200 ms and one.
const DELAY_TICKS: u64 = 51;

/// Returns a delay in ticks, rounded down to one at least; none for zero, which turns the timer off
/// (`safe_delay_store`, `md_write_end`).
fn ticks(delay: Nanos) -> Option<u64> {
    match delay.as_u64() {
        0 => None,
        delay => Some((delay / TICK).max(1)),
    }
}

/// What the superblocks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The array is in use.
    Active,
    /// The array is clean.
    Clean,
    /// The bitmap's first page is being written, then the superblocks; whether they will say clean.
    Bitmap(bool),
    /// The superblocks are being written.
    Superblocks(bool),
}

/// The safe mode of an array.
#[derive(Debug)]
pub(super) struct SafeMode {
    /// Whether the delay counts from a multiple of itself.
    rounds_up: bool,
    /// The delay in ticks; without one the array stays in use.
    delay: Option<u64>,
    state: State,
    /// Writes under way to the array.
    writes: u32,
    /// When the last one ended.
    idle_since: Instant,
    is_timed: bool,
    /// Writes of the update that are under way.
    in_flight: u32,
    /// Writes to the array that wait.
    waiting: Vec<HeldBack>,
}

impl SafeMode {
    /// Returns an array in use that turns clean `delay` after its last write, or the kernel's
    /// default after it.
    pub(super) fn new(rounds_up: bool, delay: Option<Nanos>) -> Self {
        Self {
            rounds_up,
            delay: delay.map_or(Some(DELAY_TICKS), ticks),
            state: State::Active,
            writes: 0,
            idle_since: Instant::START,
            is_timed: false,
            in_flight: 0,
            waiting: Vec::new(),
        }
    }

    /// Returns when the array turns clean if its last write ended at `at`; `None` if it never does.
    fn clean_at(&self, at: Instant) -> Option<Instant> {
        let delay = self.delay?;
        let tick = at.as_nanos() / TICK;
        let from = match self.rounds_up {
            true => tick.next_multiple_of(delay),
            false => tick,
        };
        Some(Instant::from_nanos((from + delay) * TICK))
    }
}

impl Simulation {
    /// Counts a write to the array, or holds it back, together with its job, until the superblocks
    /// say that the array is in use; returns whether it is held back.
    pub(super) fn waits_for_superblocks(
        &mut self,
        io: u32,
        start: Sectors,
        length: Sectors,
        at: Instant,
    ) -> bool {
        let Some(safe) = &mut self.safe_mode else {
            return false;
        };
        if self.ios[io].is_counted_write() {
            return false;
        }
        if safe.state == State::Active {
            safe.writes += 1;
            self.ios[io].count_write(true);
            return false;
        }
        let is_clean = safe.state == State::Clean;
        safe.waiting
            .push(HeldBack::new(io, Operation::Write, start, length));
        let job = self.ios[io].job;
        self.jobs[job as usize].is_blocked = true;
        if is_clean {
            self.update_superblocks(false, at);
        }
        true
    }

    /// Ends a write to the array at `at`.
    pub(super) fn array_write_ended(&mut self, at: Instant) {
        let Some(safe) = &mut self.safe_mode else {
            return;
        };
        safe.writes -= 1;
        if safe.writes > 0 {
            return;
        }
        safe.idle_since = at;
        if let (false, Some(due)) = (safe.is_timed, safe.clean_at(at)) {
            safe.is_timed = true;
            self.events.add(due.max(self.now), Event::SafeMode);
        }
    }

    /// Marks the array clean if it was idle for long enough (`md_safemode_timeout`).
    pub(super) fn safe_mode_ends(&mut self) {
        let now = self.now;
        let Some(safe) = &mut self.safe_mode else {
            return;
        };
        safe.is_timed = false;
        if safe.writes > 0 || safe.state != State::Active {
            return;
        }
        let Some(due) = safe.clean_at(safe.idle_since) else {
            return;
        };
        if due > now {
            safe.is_timed = true;
            self.events.add(due, Event::SafeMode);
        } else {
            self.update_superblocks(true, now);
        }
    }

    /// Begins `md_update_sb` at `at`.
    fn update_superblocks(&mut self, clean: bool, at: Instant) {
        self.bounds.allow_metadata();
        let has_page = self.fill_first_bitmap_page();
        let state = match has_page {
            true => State::Bitmap(clean),
            false => {
                self.fill_superblocks();
                State::Superblocks(clean)
            }
        };
        self.send_superblocks(state, at);
    }

    /// Sends `self.bios` from the array's thread.
    fn send_superblocks(&mut self, state: State, at: Instant) {
        let begin = at + self.costs.wake;
        let end = begin + Nanos::new(self.bios.len() as u64 * self.costs.bio.as_u64());
        if let Some(safe) = &mut self.safe_mode {
            safe.state = state;
            safe.in_flight = u32::try_from(self.bios.len()).expect("members are few");
        }
        self.send_through_plug(Owner::Superblock, begin, end, Operation::Flush);
    }

    /// Completes a write of an update.
    pub(super) fn superblock_written(&mut self) {
        let now = self.now;
        let Some(safe) = &mut self.safe_mode else {
            return;
        };
        safe.in_flight -= 1;
        if safe.in_flight > 0 {
            return;
        }
        match safe.state {
            State::Bitmap(clean) => {
                self.fill_superblocks();
                self.send_superblocks(State::Superblocks(clean), now);
            }
            State::Superblocks(true) if safe.waiting.is_empty() => safe.state = State::Clean,
            // A write came meanwhile (`mddev->in_sync != sync_req`).
            State::Superblocks(true) => self.update_superblocks(false, now),
            State::Superblocks(false) | State::Active | State::Clean => self.array_is_active(),
        }
    }

    fn array_is_active(&mut self) {
        let Some(safe) = &mut self.safe_mode else {
            return;
        };
        safe.state = State::Active;
        let mut waiting = std::mem::take(&mut safe.waiting);
        for held in waiting.drain(..) {
            self.resume_held_back(held, Part::Bitmap);
        }
        if let Some(safe) = &mut self.safe_mode {
            safe.waiting = waiting;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean_after_ms(rounds_up: bool, ended_ms: u64) -> u64 {
        let at = Instant::from_nanos(ended_ms * 1_000_000);
        let due = SafeMode::new(rounds_up, None).clean_at(at).unwrap();
        due.since(at).as_u64() / 1_000_000
    }

    #[test]
    fn a_delay_counts_in_ticks_and_zero_turns_it_off() {
        let of = |ms: u64| {
            let safe = SafeMode::new(false, Some(Nanos::from_millis(ms)));
            safe.clean_at(Instant::START)
                .map(|due| due.as_nanos() / 1_000_000)
        };
        assert_eq!(
            [of(0), of(1), of(10), of(1000)],
            [None, Some(4), Some(8), Some(1000)]
        );
    }

    #[test]
    fn an_array_turns_clean_after_one_to_two_delays() {
        assert_eq!(clean_after_ms(false, 0), 204);
        assert_eq!(clean_after_ms(false, 1000), 204);
        assert_eq!(clean_after_ms(true, 0), 204);
        assert_eq!(clean_after_ms(true, 4), 404);
        assert_eq!(clean_after_ms(true, 200), 208);
        assert_eq!(clean_after_ms(true, 204), 204);
    }
}
