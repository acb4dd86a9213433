//! The host's cores, and the tasks that run on them: jobs, write-back, the thread of a parity array.
//!
//! A core does one thing at a time. A task that gets work goes on where it ran last if no other task
//! runs there, else to an idle core, else it waits for one (`select_idle_sibling`, kernel/sched/fair.c);
//! the longest waiting one is next. It runs until it has nothing to do: nothing preempts it.
//! Interrupts run on the core that submitted the request (`blk_mq_complete_request`, `rq_affinity` 1),
//! behind what has begun there and before any task that waits. They do not drive a task away, since a
//! core that handles an interrupt still counts as idle (`idle_cpu`).

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_study::units::Nanos;

use super::Simulation;
use super::members::NONE;
use crate::events::Event;
use crate::units::Instant;

/// One core.
#[derive(Debug, Clone, Copy)]
struct Core {
    /// When it has done all its work.
    free: Instant,
    /// The task that ran last, and until when it does.
    task: u32,
    until: Instant,
    /// Its busy time since counting began, including scheduled work.
    used: Nanos,
}

/// One task.
#[derive(Debug, Clone, Default)]
struct Task {
    core: usize,
    /// When its own work ends.
    until: Instant,
    /// Its busy time and that of its interrupts since counting began, including scheduled work.
    used: Nanos,
    /// What happens to it as soon as it has a core.
    pending: VecDeque<Event>,
}

/// The cores and their tasks.
#[derive(Debug)]
pub(super) struct Cores {
    cores: Vec<Core>,
    tasks: Vec<Task>,
    /// Whether there are more tasks than cores.
    is_shared: bool,
    counted_since: Instant,
    /// The tasks that wait for a core, in order.
    waiting: VecDeque<u32>,
    /// Whether the next release of a core is on the event queue.
    is_scheduled: bool,
}

impl Cores {
    /// Returns idle cores for `working` tasks. `turns` has all tasks, also those without work, with
    /// their turns to get a core of their own.
    pub(super) fn new(cores: usize, working: usize, turns: impl Iterator<Item = usize>) -> Self {
        // More cores than tasks stay idle.
        let count = cores.clamp(1, working.max(1));
        let core = Core {
            free: Instant::START,
            task: NONE,
            until: Instant::START,
            used: Nanos::default(),
        };
        let task = |turn: usize| Task {
            core: turn % count,
            ..Task::default()
        };
        Self {
            cores: vec![core; count],
            tasks: turns.map(task).collect(),
            is_shared: working > count,
            counted_since: Instant::START,
            waiting: VecDeque::new(),
            is_scheduled: false,
        }
    }

    /// Gives a task a core on which no other one runs at `now`, if there is one.
    #[inline]
    fn claim(&mut self, task: u32, now: Instant) -> bool {
        let home = self.tasks[task as usize].core;
        let core = &mut self.cores[home];
        if core.task == task || core.until <= now {
            core.task = task;
            return true;
        }
        self.move_to_idle(task, now)
    }

    /// Moves a task to the core that is free first of those on which no task runs.
    #[cold]
    fn move_to_idle(&mut self, task: u32, now: Instant) -> bool {
        let idle = self.cores.iter_mut().enumerate();
        let idle = idle.filter(|(_, core)| core.until <= now);
        let Some((place, core)) = idle.min_by_key(|(_, core)| core.free) else {
            return false;
        };
        core.task = task;
        self.tasks[task as usize].core = place;
        true
    }

    /// Returns when a task can begin work on its core.
    #[inline]
    pub(super) fn free(&self, task: u32) -> Instant {
        let task = &self.tasks[task as usize];
        self.cores[task.core].free.max(task.until)
    }

    /// Returns when a task can begin work after `at`, on an idle core if there is one.
    pub(super) fn free_after_move(&mut self, task: u32, at: Instant) -> Instant {
        self.claim(task, at);
        self.free(task).max(at)
    }

    /// Returns when a task that is woken at `at` tries to run: when its core is free, unless another
    /// task runs there.
    pub(super) fn wakes_at(&self, task: u32, at: Instant) -> Instant {
        let core = &self.cores[self.tasks[task as usize].core];
        match core.task == task || core.until <= at {
            true => self.free(task).max(at),
            false => at,
        }
    }

    /// Returns whether a task's core has nothing to do at `at`.
    #[inline]
    pub(super) fn is_idle(&self, task: u32, at: Instant) -> bool {
        self.cores[self.tasks[task as usize].core].free <= at
    }

    /// Schedules `span` of a task's work on its core after `at`; returns when that is done.
    #[inline]
    pub(super) fn work(&mut self, task: u32, at: Instant, span: Nanos) -> Instant {
        let number = task;
        let task = &mut self.tasks[task as usize];
        let core = &mut self.cores[task.core];
        let end = core.free.max(task.until).max(at) + span;
        core.free = end;
        core.task = number;
        core.until = end;
        task.until = end;
        core.used = add(core.used, span);
        task.used = add(task.used, span);
        end
    }

    /// Schedules an interrupt of `span` on a task's core after `at`; returns when that is done.
    #[inline]
    pub(super) fn interrupt(&mut self, task: u32, at: Instant, span: Nanos) -> Instant {
        let task = &mut self.tasks[task as usize];
        let core = &mut self.cores[task.core];
        core.free = core.free.max(at) + span;
        core.used = add(core.used, span);
        task.used = add(task.used, span);
        core.free
    }

    /// Returns a task's busy time up to `now`, without work scheduled after that.
    pub(super) fn busy(&self, task: usize, now: Instant) -> Nanos {
        let task = &self.tasks[task];
        let ahead = self.cores[task.core].free.max(now).since(now);
        let busy = Nanos::new(task.used.as_u64().saturating_sub(ahead.as_u64()));
        match self.is_shared {
            // What is scheduled may be another task's.
            true => busy.min(now.since(self.counted_since)),
            false => busy,
        }
    }

    /// Returns the mean busy time of the cores up to `now`; nothing if each task has one of its own.
    pub(super) fn shared_busy(&self, now: Instant) -> Option<Nanos> {
        let busy = self.cores.iter().map(|core| {
            let ahead = core.free.max(now).since(now);
            core.used.as_u64().saturating_sub(ahead.as_u64())
        });
        let mean = busy.sum::<u64>() / self.cores.len() as u64;
        self.is_shared.then_some(Nanos::new(mean))
    }

    /// Restarts the counts at `now`.
    pub(super) fn reset(&mut self, now: Instant) {
        self.counted_since = now;
        for task in &mut self.tasks {
            task.used = self.cores[task.core].free.max(now).since(now);
        }
        for core in &mut self.cores {
            core.used = core.free.max(now).since(now);
        }
    }

    /// Counts a task as busy for `factor` times as long.
    #[cfg(test)]
    pub(super) fn overwork(&mut self, task: usize, factor: u64) {
        self.tasks[task].used = Nanos::new(self.tasks[task].used.as_u64() * factor);
    }
}

impl Simulation {
    /// Returns whether a task may run now; if not, `event` happens as soon as it may.
    #[inline]
    pub(super) fn runs_or_waits(&mut self, task: u32, event: Event) -> bool {
        let is_waiting = !self.cores.tasks[task as usize].pending.is_empty();
        if !is_waiting && self.cores.claim(task, self.now) {
            return true;
        }
        self.wait_for_core(task, event);
        false
    }

    #[cold]
    fn wait_for_core(&mut self, task: u32, event: Event) {
        if let Event::IoDone(io) = event {
            self.ios[io].wait_since(self.now);
        }
        let pending = &mut self.cores.tasks[task as usize].pending;
        if pending.is_empty() {
            self.cores.waiting.push_back(task);
        }
        pending.push_back(event);
        self.schedule_release();
    }

    /// Schedules the instant at which the first task ends its work.
    fn schedule_release(&mut self) {
        let cores = &mut self.cores;
        if cores.is_scheduled || cores.waiting.is_empty() {
            return;
        }
        let first = cores.cores.iter().map(|core| core.until).min();
        let first = first.unwrap_or_default().max(self.now);
        cores.is_scheduled = true;
        self.events.add(first, Event::CoreFree);
    }

    /// Gives free cores to the tasks that wait.
    pub(super) fn core_free(&mut self) {
        let now = self.now;
        self.cores.is_scheduled = false;
        while let Some(task) = self.cores.waiting.front().copied() {
            if !self.cores.claim(task, now) {
                break;
            }
            self.cores.waiting.pop_front();
            let place = task as usize;
            let mut pending = std::mem::take(&mut self.cores.tasks[place].pending);
            for event in pending.drain(..) {
                if let Event::IoDone(io) = event {
                    self.ios[io].add_wait(Part::Completion, now);
                }
                self.handle(event);
            }
            self.cores.tasks[place].pending = pending;
        }
        self.schedule_release();
    }
}

fn add(sum: Nanos, span: Nanos) -> Nanos {
    Nanos::new(sum.as_u64() + span.as_u64())
}
