//! The adapter that all disks of a stack share: it may hold completions back for company.

use stripewise_profiles::host::AdapterProfile;
use stripewise_units::Nanos;

use crate::units::Instant;

/// The state of an adapter.
#[derive(Debug)]
pub(crate) struct Adapter {
    outstanding_min: usize,
    delay: Nanos,
    command: Nanos,
    /// The commands that the host has sent and not seen completed.
    outstanding: usize,
    /// The completions that wait for the interrupt, in their order.
    held: Vec<u32>,
    /// When the last reported command is through.
    free: Instant,
}

/// What becomes of a completed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// It is reported at this instant.
    Reported(Instant),
    /// It waits for the interrupt at this instant, which has to be scheduled.
    Begins(Instant),
    /// It waits for the interrupt that another one began to wait for.
    Joins,
}

impl Adapter {
    /// Returns an idle adapter.
    pub(crate) fn new(profile: AdapterProfile) -> Self {
        Self {
            outstanding_min: profile.outstanding_min as usize,
            delay: Nanos::new(profile.delay_ns),
            command: Nanos::new(profile.command_ns),
            outstanding: 0,
            held: Vec::with_capacity(64),
            free: Instant::START,
        }
    }

    /// Counts a command that the host sends.
    #[inline]
    pub(crate) fn sent(&mut self) {
        self.outstanding += 1;
    }

    /// Takes a command that its disk completed at `now`.
    pub(crate) fn completed(&mut self, now: Instant, request: u32) -> Completion {
        if self.outstanding < self.outstanding_min || self.delay.as_u64() == 0 {
            return Completion::Reported(self.report(now));
        }
        self.held.push(request);
        match self.held.len() {
            1 => Completion::Begins(now + self.delay),
            _ => Completion::Joins,
        }
    }

    /// Adds the commands that the interrupt at `now` reports to `reported`, each with its instant.
    pub(crate) fn interrupt(&mut self, now: Instant, reported: &mut Vec<(Instant, u32)>) {
        for place in 0..self.held.len() {
            let at = self.report(now);
            reported.push((at, self.held[place]));
        }
        self.held.clear();
    }

    /// Counts a command that the host has seen completed.
    #[inline]
    pub(crate) fn seen(&mut self) {
        self.outstanding -= 1;
    }

    fn report(&mut self, now: Instant) -> Instant {
        self.free = self.free.max(now) + self.command;
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(command_ns: u64) -> Adapter {
        Adapter::new(AdapterProfile {
            outstanding_min: 3,
            delay_ns: 100,
            delay_ns_range: None,
            command_ns,
        })
    }

    fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    #[test]
    fn a_completion_waits_only_while_enough_commands_are_outstanding() {
        let mut adapter = adapter(0);
        adapter.sent();
        adapter.sent();
        assert_eq!(adapter.completed(at(10), 1), Completion::Reported(at(10)));
        adapter.seen();
        adapter.sent();
        adapter.sent();
        assert_eq!(adapter.completed(at(20), 2), Completion::Begins(at(120)));
        // The one that waits is outstanding, too.
        assert_eq!(adapter.completed(at(70), 3), Completion::Joins);
        let mut reported = Vec::new();
        adapter.interrupt(at(120), &mut reported);
        assert_eq!(reported, [(at(120), 2), (at(120), 3)]);
        adapter.seen();
        adapter.seen();
        assert_eq!(adapter.completed(at(130), 4), Completion::Reported(at(130)));
    }

    #[test]
    fn commands_are_reported_one_after_the_other() {
        let mut adapter = adapter(7);
        for _ in 0..3 {
            adapter.sent();
        }
        assert_eq!(adapter.completed(at(0), 1), Completion::Begins(at(100)));
        assert_eq!(adapter.completed(at(0), 2), Completion::Joins);
        let mut reported = Vec::new();
        adapter.interrupt(at(100), &mut reported);
        assert_eq!(reported, [(at(107), 1), (at(114), 2)]);
    }
}
