//! How md passes a flush on to its members (`md_flush_request` in `drivers/md/md.c`).

use std::collections::VecDeque;

use stripewise_profiles::kernel::FlushRule;

use crate::units::Instant;

/// Room for this many flushes without allocation.
const ROOM: usize = 64;

/// What becomes of a flush that md receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Every member gets one now.
    Sends,
    /// It waits for the flush in progress.
    Waits,
}

/// A flush and when it came.
#[derive(Debug, Clone, Copy)]
struct Flush {
    io: u32,
    came: Instant,
}

/// The flushes of an array, by the I/Os that need them.
#[derive(Debug)]
pub(crate) struct MdFlush {
    rule: FlushRule,
    /// The flush in progress (`flush_bio`), and when it was sent (`start_flush`).
    running: Option<(u32, Instant)>,
    /// When the latest complete flush was sent (`prev_flush_start`, `last_flush`).
    latest_sent: Option<Instant>,
    waiting: VecDeque<Flush>,
}

impl MdFlush {
    /// Returns the state of an array that was never flushed.
    pub(crate) fn new(rule: FlushRule) -> Self {
        Self {
            rule,
            running: None,
            latest_sent: None,
            waiting: VecDeque::with_capacity(ROOM),
        }
    }

    /// Takes the flush of an I/O at `now`.
    pub(crate) fn ask(&mut self, io: u32, now: Instant) -> Asked {
        match self.rule {
            FlushRule::Independent | FlushRule::BesideData => return Asked::Sends,
            FlushRule::OneByOne | FlushRule::Coalesced => {}
        }
        if self.running.is_some() {
            self.waiting.push_back(Flush { io, came: now });
            return Asked::Waits;
        }
        self.running = Some((io, now));
        Asked::Sends
    }

    /// Ends the flush of an I/O that all members have done. Adds the waiting I/Os that it served,
    /// and returns the I/O whose flush is sent next.
    pub(crate) fn ended(&mut self, io: u32, now: Instant, served: &mut Vec<u32>) -> Option<u32> {
        let (_, sent) = self.running.filter(|(running, _)| *running == io)?;
        self.running = None;
        self.latest_sent = Some(sent);
        while let Some(first) = self.waiting.front() {
            let was_served = self.rule == FlushRule::Coalesced
                && self.latest_sent.is_some_and(|sent| first.came < sent);
            if !was_served {
                break;
            }
            served.push(first.io);
            self.waiting.pop_front();
        }
        let next = self.waiting.pop_front()?;
        self.running = Some((next.io, now));
        Some(next.io)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::units::Nanos;

    fn at(ns: u64) -> Instant {
        Instant::START + Nanos::new(ns)
    }

    /// Lets `count` flushes come 1 ns apart, each taking 10 ns; returns how many are sent to the
    /// members, and how many are in progress at once.
    fn sent(rule: FlushRule, count: u32) -> (u32, u32) {
        let mut flush = MdFlush::new(rule);
        let mut under_way: VecDeque<(u64, u32)> = VecDeque::new();
        let (mut sent, mut most, mut done) = (0, 0, 0);
        for now in 0..1000 {
            while under_way.front().is_some_and(|(end, _)| *end == now) {
                let (_, io) = under_way.pop_front().unwrap();
                let mut served = Vec::new();
                if let Some(next) = flush.ended(io, at(now), &mut served) {
                    under_way.push_back((now + 10, next));
                    sent += 1;
                }
                done += 1 + u32::try_from(served.len()).unwrap();
            }
            if now < u64::from(count) {
                let io = u32::try_from(now).unwrap();
                if flush.ask(io, at(now)) == Asked::Sends {
                    under_way.push_back((now + 10, io));
                    sent += 1;
                }
            }
            most = most.max(under_way.len());
        }
        assert_eq!(done, count, "{rule:?}");
        (sent, u32::try_from(most).unwrap())
    }

    #[test]
    fn the_rules_differ_in_how_many_flushes_the_members_get() {
        // One at a time, each of its own.
        assert_eq!(sent(FlushRule::OneByOne, 20), (20, 1));
        // The first; the second, which serves 2 to 9; that of 10, which serves those before 20.
        assert_eq!(sent(FlushRule::Coalesced, 20), (3, 1));
        assert_eq!(sent(FlushRule::Independent, 20), (20, 10));
        assert_eq!(sent(FlushRule::BesideData, 20), (20, 10));
    }

    #[test]
    fn a_flush_that_came_after_another_was_sent_is_not_served_by_it() {
        let mut flush = MdFlush::new(FlushRule::Coalesced);
        let mut served = Vec::new();
        assert_eq!(flush.ask(0, at(0)), Asked::Sends);
        assert_eq!(flush.ask(1, at(1)), Asked::Waits);
        assert_eq!(flush.ask(2, at(2)), Asked::Waits);
        assert_eq!(flush.ended(0, at(5), &mut served), Some(1));
        assert!(served.is_empty(), "both came after flush 0 was sent");
        assert_eq!(flush.ask(3, at(6)), Asked::Waits);
        assert_eq!(flush.ended(1, at(9), &mut served), Some(3));
        assert_eq!(served, [2], "2 came before flush 1 was sent, 3 after");
    }
}
