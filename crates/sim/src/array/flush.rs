//! How md passes a flush on to its members (`md_flush_request` in `drivers/md/md.c`).

use std::collections::VecDeque;

use stripewise_profiles::kernel::FlushRule;

use crate::units::Instant;

/// Room for this many flushes without allocation.
const ROOM: usize = 64;

/// What becomes of a flush that md receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlushDecision {
    /// Every member gets one now.
    Sends,
    /// A worker sends it to every member (`submit_flushes` in `md_wq`).
    Queues,
    /// It waits for the flush in progress.
    Waits,
}

/// A flush and when it came.
#[derive(Debug, Clone, Copy)]
struct Flush {
    io: u32,
    came: Instant,
}

/// The flush in progress (`flush_bio`).
#[derive(Debug, Clone, Copy)]
struct Running {
    io: u32,
    /// When the worker sent it (`start_flush`).
    sent: Option<Instant>,
}

/// The work of md's worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlushWork {
    /// It sends the flush of this I/O to every member.
    Sends(u32),
    /// It ends the flush of this I/O, which every member has done (`md_submit_flush_data`).
    Ends(u32),
}

/// The flushes of an array, by the I/Os that need them.
#[derive(Debug)]
pub(crate) struct MdFlush {
    rule: FlushRule,
    running: Option<Running>,
    waiting: VecDeque<Flush>,
}

impl MdFlush {
    /// Returns the state of an array that was never flushed.
    pub(crate) fn new(rule: FlushRule) -> Self {
        Self {
            rule,
            running: None,
            waiting: VecDeque::with_capacity(ROOM),
        }
    }

    /// Returns whether a worker sends flushes and ends them.
    pub(crate) fn has_worker(&self) -> bool {
        match self.rule {
            FlushRule::Independent | FlushRule::BesideData => false,
            FlushRule::OneByOne | FlushRule::Coalesced => true,
        }
    }

    /// Takes the flush of an I/O at `now`.
    pub(crate) fn ask(&mut self, io: u32, now: Instant) -> FlushDecision {
        if !self.has_worker() {
            return FlushDecision::Sends;
        }
        if self.running.is_some() {
            self.waiting.push_back(Flush { io, came: now });
            return FlushDecision::Waits;
        }
        self.running = Some(Running { io, sent: None });
        FlushDecision::Queues
    }

    /// Returns whether the worker ends the flush of this I/O.
    pub(crate) fn is_running(&self, io: u32) -> bool {
        self.running.is_some_and(|running| running.io == io)
    }

    /// Runs the worker at `now`: its second run for a flush is when all members have done it.
    pub(crate) fn work(&mut self, now: Instant) -> Option<FlushWork> {
        let running = self.running.as_mut()?;
        if running.sent.is_some() {
            return Some(FlushWork::Ends(running.io));
        }
        running.sent = Some(now);
        Some(FlushWork::Sends(running.io))
    }

    /// Ends the flush of an I/O. Adds the waiting I/Os that it served, which are those that came
    /// before it was sent, and returns the I/O whose flush is next.
    pub(crate) fn ended(&mut self, io: u32, served: &mut Vec<u32>) -> Option<u32> {
        let sent = self.running.filter(|running| running.io == io)?.sent;
        self.running = None;
        while let Some(first) = self.waiting.front() {
            let was_served =
                self.rule == FlushRule::Coalesced && sent.is_some_and(|sent| first.came < sent);
            if !was_served {
                break;
            }
            served.push(first.io);
            self.waiting.pop_front();
        }
        let next = self.waiting.pop_front()?.io;
        self.running = Some(Running {
            io: next,
            sent: None,
        });
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_units::Nanos;

    fn at(ns: u64) -> Instant {
        Instant::START + Nanos::new(ns)
    }

    /// Lets `count` flushes come 1 ns apart, each taking 10 ns, and the worker run `late` ns after it
    /// is woken; returns how many are sent to the members, and how many are in progress at once.
    fn sent(rule: FlushRule, count: u32, late: u64) -> (u32, u32) {
        let mut flush = MdFlush::new(rule);
        let mut under_way: VecDeque<(u64, u32)> = VecDeque::new();
        let mut runs = None;
        let (mut sent, mut most, mut done) = (0, 0, 0);
        for now in 0..1000 {
            while under_way.front().is_some_and(|(end, _)| *end == now) {
                let (_, io) = under_way.pop_front().unwrap();
                if flush.has_worker() {
                    assert_eq!(flush.work(at(now)), Some(FlushWork::Ends(io)));
                }
                let mut served = Vec::new();
                if flush.ended(io, &mut served).is_some() {
                    runs = Some(now + late);
                }
                done += 1 + u32::try_from(served.len()).unwrap();
            }
            if runs == Some(now) {
                runs = None;
                let Some(FlushWork::Sends(io)) = flush.work(at(now)) else {
                    panic!("nothing to send");
                };
                under_way.push_back((now + 10, io));
                sent += 1;
            }
            if now < u64::from(count) {
                let io = u32::try_from(now).unwrap();
                match flush.ask(io, at(now)) {
                    FlushDecision::Sends => {
                        under_way.push_back((now + 10, io));
                        sent += 1;
                    }
                    FlushDecision::Queues => runs = Some(now + late.max(1)),
                    FlushDecision::Waits => {}
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
        assert_eq!(sent(FlushRule::OneByOne, 20, 0), (20, 1));
        // The first; the second, which serves 2 to 10; that of 11, which serves those before 20.
        assert_eq!(sent(FlushRule::Coalesced, 20, 0), (3, 1));
        assert_eq!(sent(FlushRule::Independent, 20, 0), (20, 10));
        assert_eq!(sent(FlushRule::BesideData, 20, 0), (20, 10));
    }

    #[test]
    fn a_flush_serves_all_that_came_before_its_worker_ran() {
        assert_eq!(sent(FlushRule::Coalesced, 20, 20), (1, 1));
        assert_eq!(sent(FlushRule::OneByOne, 20, 20), (20, 1));
    }

    #[test]
    fn a_flush_that_came_after_another_was_sent_is_not_served_by_it() {
        let mut flush = MdFlush::new(FlushRule::Coalesced);
        let mut served = Vec::new();
        assert_eq!(flush.ask(0, at(0)), FlushDecision::Queues);
        assert_eq!(flush.work(at(0)), Some(FlushWork::Sends(0)));
        assert_eq!(flush.ask(1, at(1)), FlushDecision::Waits);
        assert_eq!(flush.ask(2, at(2)), FlushDecision::Waits);
        assert_eq!(flush.ended(0, &mut served), Some(1));
        assert!(served.is_empty(), "both came after flush 0 was sent");
        assert_eq!(flush.work(at(5)), Some(FlushWork::Sends(1)));
        assert_eq!(flush.ask(3, at(6)), FlushDecision::Waits);
        assert_eq!(flush.work(at(9)), Some(FlushWork::Ends(1)));
        assert_eq!(flush.ended(1, &mut served), Some(3));
        assert_eq!(served, [2], "2 came before flush 1 was sent, 3 after");
    }
}
