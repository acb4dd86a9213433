//! I/Os under way: found again by place, with the steps that each of them has passed.

use std::collections::{BTreeMap, VecDeque};

use stripewise_units::Nanos;

use super::STEPS;
use crate::event::{Action, DeviceId, Event, ProcessId};
use crate::numbers::{index, saturated_u32};

/// How many I/Os that do not fit are looked at for each record, so that a trace that is made to be slow
/// is not.
const LOOKS_MAX: usize = 64;

/// Where an I/O is among those of its device and kind: its place, and the lower, the later it began.
pub(super) type Key = (u64, u64);

/// The number of a device and kind.
pub(super) type TrackId = usize;

/// An I/O under way.
#[derive(Clone, Copy)]
pub(super) struct UnderWay {
    pub(super) length_bytes: u64,
    /// How much of it is not done.
    pub(super) remaining_bytes: u64,
    pub(super) began_ns: u64,
    /// When its last step was.
    pub(super) stepped_ns: u64,
    /// How many of its bytes passed each step; of a flush, which has none, one stands for all.
    pub(super) passed_bytes: [u64; STEPS],
    /// The last step that any of it passed.
    pub(super) last_step: usize,
    pub(super) process: ProcessId,
    pub(super) device: DeviceId,
    pub(super) action: Action,
    /// A driver gave it back: a flush, which has no bytes.
    pub(super) is_requeued: bool,
    /// It is done a second time, behind its data.
    pub(super) is_done_twice: bool,
    /// The block layer makes flushes of its own for it.
    pub(super) makes_flushes: bool,
}

impl UnderWay {
    /// Returns whether some of it has not passed a step, or whether it passed this and a later one just
    /// now: where the clock does not tell two records apart, either may come first.
    #[inline]
    pub(super) fn awaits(&self, step: usize, now_ns: u64) -> bool {
        self.passed_bytes[step] < self.length_bytes.max(1)
            || (self.stepped_ns == now_ns && self.last_step > step)
    }

    /// Notes that so many bytes passed a step, and so those before it.
    #[inline]
    pub(super) fn pass(&mut self, step: usize, bytes: u64, now_ns: u64) {
        let whole = self.length_bytes.max(1);
        if self.passed_bytes[step] >= whole {
            return;
        }
        let passed = (self.passed_bytes[step] + bytes.max(1)).min(whole);
        for before in &mut self.passed_bytes[..=step] {
            *before = passed.max(*before);
        }
        (self.stepped_ns, self.last_step) = (now_ns, step);
    }

    /// Notes that so many bytes came back: they pass those steps again.
    pub(super) fn come_back(&mut self, steps: std::ops::Range<usize>, bytes: u64) {
        for passed in &mut self.passed_bytes[steps] {
            *passed = passed.saturating_sub(bytes);
        }
    }

    /// Takes what is done from it; returns whether it ends.
    #[inline]
    pub(super) fn is_done_with(&mut self, bytes: u64) -> bool {
        self.remaining_bytes = self.remaining_bytes.saturating_sub(bytes);
        self.remaining_bytes == 0 && !self.is_done_twice
    }

    /// Returns its end.
    #[inline]
    pub(super) fn ended(&self, now_ns: u64) -> Event {
        Event::End {
            at: Nanos::new(now_ns),
            action: self.action,
            began: Nanos::new(self.began_ns),
            device: self.device,
            process: self.process,
        }
    }
}

/// The I/Os under way of one device and kind.
#[derive(Default)]
pub(super) struct Track {
    /// The slot of each, by place. They are apart, so that a search and a removal move little memory.
    places: BTreeMap<Key, u32>,
    slots: Vec<UnderWay>,
    free: Vec<u32>,
    /// The one that began last, if it is under way: most records are of it.
    last: Option<(Key, u32)>,
    /// When that one began.
    last_began_ns: u64,
    /// No I/O that began is longer.
    longest_bytes: u64,
}

impl Track {
    fn insert(&mut self, key: Key, io: UnderWay) {
        self.longest_bytes = self.longest_bytes.max(io.length_bytes);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[index(u64::from(slot))] = io;
                slot
            }
            None => {
                self.slots.push(io);
                saturated_u32(self.slots.len() as u64 - 1)
            }
        };
        self.places.insert(key, slot);
        (self.last, self.last_began_ns) = (Some((key, slot)), io.began_ns);
    }

    /// Returns when the youngest I/O began.
    #[inline]
    pub(super) fn last_began_ns(&self) -> u64 {
        self.last_began_ns
    }

    fn remove(&mut self, key: Key) -> Option<UnderWay> {
        let slot = self.places.remove(&key)?;
        self.free.push(slot);
        self.last = self.last.filter(|(last, _)| *last != key);
        Some(self.slots[index(u64::from(slot))])
    }

    /// Returns the youngest I/O of a place and length that `fits`.
    #[inline]
    pub(super) fn exact(
        &mut self,
        (start, end): (u64, u64),
        fits: impl Fn(&UnderWay) -> bool,
    ) -> Option<(Key, &mut UnderWay)> {
        let length_bytes = end - start;
        let fits = |io: &UnderWay| io.length_bytes == length_bytes && fits(io);
        let (key, slot) = self.find(start, fits)?;
        Some((key, &mut self.slots[slot]))
    }

    /// Returns the youngest I/O of a place that `fits`.
    pub(super) fn at(&self, place: u64, fits: impl Fn(&UnderWay) -> bool) -> Option<Key> {
        self.find(place, fits).map(|(key, _)| key)
    }

    #[inline]
    fn find(&self, place: u64, fits: impl Fn(&UnderWay) -> bool) -> Option<(Key, usize)> {
        if let Some((key, slot)) = self.last
            && key.0 == place
            && fits(&self.slots[index(u64::from(slot))])
        {
            return Some((key, index(u64::from(slot))));
        }
        // A range without an end takes one search.
        let from_place = self.places.range((place, 0)..);
        let at_place = from_place.take_while(|(key, _)| key.0 == place);
        let mut looked_at = at_place.take(LOOKS_MAX);
        let found = looked_at.find(|(_, slot)| fits(&self.slots[index(u64::from(**slot))]));
        found.map(|(key, slot)| (*key, index(u64::from(*slot))))
    }

    /// Hands out each I/O that `fits` and lies in a range, at least partly, with the number of bytes that
    /// are in both; no byte of the range twice. Adds what is in none of them to `gaps`.
    pub(super) fn cover(
        &mut self,
        (start, end): (u64, u64),
        gaps: &mut Vec<(u64, u64)>,
        fits: impl Fn(&UnderWay) -> bool,
        mut each: impl FnMut(Key, &mut UnderWay, u64),
    ) {
        let slots = &mut self.slots;
        let mut covered = start;
        let first = start.saturating_sub(self.longest_bytes);
        let before = self.places.range((first, 0)..(start, 0)).rev();
        for (key, slot) in before.take(LOOKS_MAX) {
            let io = &mut slots[index(u64::from(*slot))];
            if key.0 + io.length_bytes > start && fits(io) {
                covered = end.min(key.0 + io.length_bytes);
                each(*key, io, covered - start);
                break;
            }
        }
        let mut looks = 0;
        for (key, slot) in self.places.range((covered, 0)..(end, 0)) {
            if covered == end || looks == LOOKS_MAX {
                break;
            }
            let io = &mut slots[index(u64::from(*slot))];
            if key.0 < covered || !fits(io) {
                looks += 1;
                continue;
            }
            if key.0 > covered {
                gaps.push((covered, key.0));
            }
            covered = end.min(key.0 + io.length_bytes);
            each(*key, io, covered - key.0);
        }
        if covered < end {
            gaps.push((covered, end));
        }
    }

    /// Removes all.
    fn drain(&mut self) -> impl Iterator<Item = UnderWay> + '_ {
        self.free.clear();
        self.last = None;
        let slots = std::mem::take(&mut self.slots);
        let places = std::mem::take(&mut self.places);
        places
            .into_values()
            .map(move |slot| slots[index(u64::from(slot))])
    }
}

/// All I/Os under way.
#[derive(Default)]
pub(super) struct Tracks {
    /// By the number of their device and kind.
    list: Vec<Track>,
    /// The oldest first, and some that are done.
    oldest: VecDeque<(u64, TrackId, Key)>,
    count: usize,
    sequence: u64,
}

impl Tracks {
    /// Returns those of a device and kind.
    #[inline]
    pub(super) fn track(&mut self, track: TrackId) -> &mut Track {
        if self.list.len() <= track {
            self.list.resize_with(track + 1, Track::default);
        }
        &mut self.list[track]
    }

    /// Returns how many there are.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Adds one.
    #[inline]
    pub(super) fn insert(&mut self, track: TrackId, offset_bytes: u64, io: UnderWay) {
        self.sequence += 1;
        let key = (offset_bytes, u64::MAX - self.sequence);
        self.oldest.push_back((io.began_ns, track, key));
        self.track(track).insert(key, io);
        self.count += 1;
    }

    /// Removes one.
    #[inline]
    pub(super) fn remove(&mut self, track: TrackId, key: Key) -> Option<UnderWay> {
        let removed = self.list.get_mut(track)?.remove(key);
        self.count -= usize::from(removed.is_some());
        removed
    }

    /// Removes the oldest one if `is_due` says so of when it began.
    #[inline]
    pub(super) fn remove_oldest(&mut self, is_due: impl Fn(u64) -> bool) -> Option<UnderWay> {
        while let Some((began_ns, track, key)) = self.oldest.front() {
            let (track, key) = (*track, *key);
            if !is_due(*began_ns) {
                break;
            }
            self.oldest.pop_front();
            if let Some(removed) = self.remove(track, key) {
                return Some(removed);
            }
        }
        // Those that are done are looked for now and then: a look for each I/O takes longer.
        if self.oldest.len() > 2 * self.count + 1024 {
            let list = &self.list;
            self.oldest
                .retain(|(_, track, key)| list[*track].places.contains_key(key));
        }
        None
    }

    /// Removes all.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = UnderWay> + '_ {
        self.count = 0;
        self.oldest.clear();
        self.list.iter_mut().flat_map(Track::drain)
    }
}
