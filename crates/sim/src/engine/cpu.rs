//! The host's cores, and the tasks that run on them: jobs, write-back, the journal's thread, the thread
//! of a parity array, and the workers of md and of XFS's log.
//!
//! A core does one thing at a time. A task that gets work goes on where it ran last if no other task
//! runs there, else to an idle core, else it waits for one (`select_idle_sibling`, kernel/sched/fair.c);
//! the longest waiting one is next (the kernel takes the one with the least CPU time). It runs until it has nothing to do: nothing preempts it.
//! Interrupts run on the core that submitted the request (`blk_mq_complete_request`, `rq_affinity` 1),
//! behind what has begun there and before any task that waits. They do not drive a task away, since a
//! core that handles an interrupt still counts as idle (`idle_cpu`).

use std::collections::VecDeque;

use stripewise_study::sample::Part;
use stripewise_units::Nanos;

use super::clock::{Processor, Rule, Speed};
use super::job::Job;
use super::journal::FilesystemLog;
use super::layers::Layers;
use super::members::NONE;
use super::{Setup, Simulation};
use crate::array::flush::MdFlush;
use crate::events::Event;
use crate::units::Instant;

/// One core that tasks share.
#[derive(Debug, Clone, Copy)]
struct Core {
    /// When it has done all its work.
    free: Instant,
    /// The task that ran last, and until when it does.
    task: u32,
    until: Instant,
}

/// One task.
#[derive(Debug, Clone, Copy)]
struct Task {
    /// When its own work ends; on a core of its own, also that of its interrupts.
    free: Instant,
    /// Its busy time and that of its interrupts since counting began, including scheduled work.
    used: Nanos,
    core: usize,
    /// Whether its sleep counts as waiting for I/O: in `io_schedule`, or for io_uring.
    waits_for_io: bool,
}

/// The cores and their tasks.
#[derive(Debug)]
pub(super) struct Cores {
    /// Whether there are more tasks than cores. Else each task has a core of its own and never
    /// leaves it, and `cores` is not looked at.
    is_shared: bool,
    tasks: Vec<Task>,
    cores: Vec<Core>,
    counted_since: Instant,
    /// What happens to each task as soon as it has a core.
    pending: Vec<VecDeque<Event>>,
    /// The tasks that wait for a core, in order.
    waiting: VecDeque<u32>,
    /// Whether the next release of a core is on the event queue.
    is_scheduled: bool,
    /// The clocks of the cores; `None` if they always run at the highest one and never sleep.
    processor: Option<Box<Processor>>,
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
        };
        let task = |turn: usize| Task {
            free: Instant::START,
            used: Nanos::default(),
            core: turn % count,
            waits_for_io: false,
        };
        let tasks: Vec<Task> = turns.map(task).collect();
        Self {
            is_shared: working > count,
            pending: vec![VecDeque::new(); tasks.len()],
            tasks,
            cores: vec![core; count],
            counted_since: Instant::START,
            waiting: VecDeque::new(),
            is_scheduled: false,
            processor: None,
        }
    }

    /// Gives the cores clocks that change by `rule`.
    pub(super) fn set_clocks(&mut self, rule: Rule) {
        if rule.is_constant() {
            return;
        }
        let count = match self.is_shared {
            true => self.cores.len(),
            false => self.tasks.len(),
        };
        self.processor = Some(Box::new(Processor::new(rule, count)));
    }

    /// Returns how long a load lasts before the clocks are those of the long run.
    pub(super) fn settle_after(&self) -> Nanos {
        let processor = self.processor.as_ref();
        processor.map_or(Nanos::default(), |processor| processor.settles_after())
    }

    /// Begins work of a task at `at`, or when its core is free: returns when its core is awake, and
    /// how fast it is.
    #[inline(always)]
    pub(super) fn begin(&mut self, task: u32, at: Instant) -> (Instant, Speed) {
        let begin = self.free(task).max(at);
        match self.processor.is_some() {
            true => self.begin_with_clock(task, begin),
            false => (begin, Speed::FULL),
        }
    }

    #[inline(never)]
    fn begin_with_clock(&mut self, task: u32, at: Instant) -> (Instant, Speed) {
        let free = self.free(task);
        let state = &self.tasks[task as usize];
        let core = match self.is_shared {
            true => state.core,
            false => task as usize,
        };
        let Some(processor) = &mut self.processor else {
            return (at, Speed::FULL);
        };
        let wake = processor.begin(core, free, at, state.waits_for_io);
        (at + wake, processor.speed(core))
    }

    /// Returns how long `span` of work at the highest clock takes on a task's core now.
    #[inline(always)]
    pub(super) fn stretched(&self, task: u32, span: Nanos) -> Nanos {
        match &self.processor {
            Some(processor) => {
                let core = match self.is_shared {
                    true => self.tasks[task as usize].core,
                    false => task as usize,
                };
                processor.speed(core).stretch(span)
            }
            None => span,
        }
    }

    /// Returns whether tasks share cores.
    pub(super) const fn are_shared(&self) -> bool {
        self.is_shared
    }

    /// Gives a task a core on which no other one runs at `now`, if there is one.
    fn claim(&mut self, task: u32, now: Instant) -> bool {
        let home = self.tasks[task as usize].core;
        let core = &mut self.cores[home];
        if core.task == task || core.until <= now {
            core.task = task;
            core.until = core.until.max(now);
            return true;
        }
        // The core that is free first of those on which no task runs.
        let idle = self.cores.iter_mut().enumerate();
        let idle = idle.filter(|(_, core)| core.until <= now);
        let Some((place, core)) = idle.min_by_key(|(_, core)| core.free) else {
            return false;
        };
        core.task = task;
        core.until = core.until.max(now);
        self.tasks[task as usize].core = place;
        true
    }

    /// Returns whether a task has a core at `now`.
    fn is_running(&self, task: u32, now: Instant) -> bool {
        let core = &self.cores[self.tasks[task as usize].core];
        core.task == task && core.until >= now
    }

    /// Returns when a task can begin work on its core.
    #[inline(always)]
    pub(super) fn free(&self, task: u32) -> Instant {
        self.free_of(task as usize)
    }

    #[inline(always)]
    fn free_of(&self, task: usize) -> Instant {
        let task = &self.tasks[task];
        match self.is_shared {
            true => self.cores[task.core].free.max(task.free),
            false => task.free,
        }
    }

    /// Returns when a task can begin work after `at`, on an idle core if there is one.
    pub(super) fn free_after_move(&mut self, task: u32, at: Instant) -> Instant {
        if self.is_shared {
            self.claim(task, at);
        }
        self.free(task).max(at)
    }

    /// Returns when a task that is woken at `at` tries to run: when its core is free, unless another
    /// task runs there.
    pub(super) fn wakes_at(&self, task: u32, at: Instant) -> Instant {
        let core = &self.cores[self.tasks[task as usize].core];
        match self.is_shared && core.task != task && core.until > at {
            true => at,
            false => self.free(task).max(at),
        }
    }

    /// Schedules `span` of a task's work on its core after `at`; returns when that is done.
    #[inline(always)]
    pub(super) fn work(&mut self, task: u32, at: Instant, span: Nanos) -> Instant {
        let (begin, speed) = self.begin(task, at);
        self.run(task, begin, speed.stretch(span))
    }

    /// Schedules `span` of a task's work from `begin`, when its core is free and awake, at its present
    /// clock; returns when that is done.
    #[inline(always)]
    pub(super) fn run(&mut self, task: u32, begin: Instant, span: Nanos) -> Instant {
        let end = begin + span;
        let state = &mut self.tasks[task as usize];
        state.free = end;
        state.used = add(state.used, span);
        if self.is_shared {
            self.cores[state.core] = Core {
                free: end,
                task,
                until: end,
            };
        }
        end
    }

    /// Schedules an interrupt of `span` on a task's core after `at`; returns when that is done, and
    /// whether the core had nothing to do.
    #[inline(always)]
    pub(super) fn interrupt(&mut self, task: u32, at: Instant, span: Nanos) -> (Instant, bool) {
        let was_idle = self.interrupted_at(task) <= at;
        let (awake, speed) = match self.processor.is_some() {
            true => self.begin_with_clock(task, at),
            false => (at, Speed::FULL),
        };
        let span = speed.stretch(span);
        let task = &mut self.tasks[task as usize];
        task.used = add(task.used, span);
        let free = match self.is_shared {
            true => &mut self.cores[task.core].free,
            false => &mut task.free,
        };
        *free = (*free).max(awake) + span;
        (*free, was_idle)
    }

    /// Returns when a task's core has done all that interrupts wait for.
    #[inline(always)]
    fn interrupted_at(&self, task: u32) -> Instant {
        let task = &self.tasks[task as usize];
        match self.is_shared {
            true => self.cores[task.core].free,
            false => task.free,
        }
    }

    /// Keeps a task on its core, if it runs there, until it has done its work; returns when that is.
    pub(super) fn hold(&mut self, task: u32, now: Instant) -> Instant {
        let free = self.free(task).max(now);
        if self.is_shared {
            let core = &mut self.cores[self.tasks[task as usize].core];
            if core.task == task {
                // Others get the core after the event at that instant.
                core.until = core.until.max(free + Nanos::new(1));
            }
        }
        free
    }

    /// Returns a task's busy time up to `now`, without work scheduled after that.
    pub(super) fn busy(&self, task: usize, now: Instant) -> Nanos {
        let ahead = self.free_of(task).max(now).since(now);
        let used = self.tasks[task].used.as_u64();
        let busy = Nanos::new(used.saturating_sub(ahead.as_u64()));
        match self.is_shared {
            // What is scheduled may be another task's.
            true => busy.min(now.since(self.counted_since)),
            false => busy,
        }
    }

    /// Returns the mean busy time of the cores up to `now`; `None` if each task has one of its own.
    pub(super) fn shared_busy(&self, now: Instant) -> Option<Nanos> {
        let used = self.tasks.iter().map(|task| task.used.as_u64());
        let cores = self.cores.iter();
        let ahead = cores.map(|core| core.free.max(now).since(now).as_u64());
        let busy = used.sum::<u64>().saturating_sub(ahead.sum());
        let mean = Nanos::new(busy / self.cores.len() as u64);
        let mean = mean.min(now.since(self.counted_since));
        self.is_shared.then_some(mean)
    }

    /// Restarts the counts at `now`.
    pub(super) fn reset(&mut self, now: Instant) {
        self.counted_since = now;
        for task in &mut self.tasks {
            let ahead = task.free.max(now).since(now);
            task.used = ahead;
        }
    }

    /// Counts a task as busy for `factor` times as long.
    #[cfg(test)]
    pub(super) fn overwork(&mut self, task: usize, factor: u64) {
        self.tasks[task].used = Nanos::new(self.tasks[task].used.as_u64() * factor);
    }

    /// Treats the cores as shared, though there are enough of them.
    #[cfg(test)]
    fn share(&mut self) {
        self.is_shared = true;
    }
}

impl Setup<'_> {
    /// Returns the cores with their tasks: `jobs`, the last of which are the write-back and the
    /// journal's thread, then the thread of the array, and the workers of md and of the log.
    pub(super) fn cores(&self, jobs: &[Job], log: &FilesystemLog, layers: &Layers) -> Cores {
        let loads = jobs.len().saturating_sub(2);
        let syncs = jobs.iter().any(Job::syncs);
        let commits = jobs.iter().any(Job::commits);
        let thread = loads;
        let write_back = thread + usize::from(layers.has_thread());
        let journal = write_back + usize::from(jobs.iter().any(|job| job.is_buffered));
        let flush_worker = journal + usize::from(log.has_thread() && commits);
        let has_flush_worker = layers.md_flush.as_ref().is_some_and(MdFlush::has_worker);
        let log_worker = flush_worker + usize::from(has_flush_worker && syncs);
        let working = log_worker + usize::from(log.has_worker() && commits);
        let cores = usize::try_from(self.host.cpu.cores).unwrap_or(usize::MAX);
        let kernel = [write_back, journal, thread, flush_worker, log_worker];
        let mut cores = Cores::new(cores, working, (0..loads).chain(kernel));
        for (task, job) in cores.tasks.iter_mut().zip(&jobs[..loads]) {
            task.waits_for_io = job.waits_for_io;
        }
        cores
    }
}

impl Simulation {
    /// Returns how long it takes to wake a task, at the clock of its core.
    #[inline(always)]
    pub(super) fn wake_of(&self, task: u32) -> Nanos {
        self.cores.stretched(task, self.costs.wake)
    }

    /// Returns whether a task may run now; if not, `event` happens as soon as it may.
    #[inline]
    pub(super) fn runs_or_waits(&mut self, task: u32, event: Event) -> bool {
        !self.cores.is_shared || self.claims_or_waits(task, event)
    }

    #[inline(never)]
    fn claims_or_waits(&mut self, task: u32, event: Event) -> bool {
        let is_waiting = !self.cores.pending[task as usize].is_empty();
        // One that wakes just as a core becomes free does not overtake those that wait.
        let is_next = self.cores.waiting.is_empty() || self.cores.is_running(task, self.now);
        if !is_waiting && is_next && self.cores.claim(task, self.now) {
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
        let pending = &mut self.cores.pending[task as usize];
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
            let mut pending = std::mem::take(&mut self.cores.pending[place]);
            for event in pending.drain(..) {
                match event {
                    Event::IoDone(io) => {
                        self.ios[io].add_wait(Part::Completion, now);
                        self.io_done(io);
                    }
                    Event::JobReady(job) => self.job_ready(job),
                    Event::Resumes(io) => self.resumes(io),
                    Event::WorkerRuns(task) => self.worker_runs(task),
                    Event::JobReaps(job) => self.job_reaps(job),
                    _ => self.thread_runs(),
                }
            }
            self.cores.pending[place] = pending;
        }
        self.schedule_release();
    }
}

fn add(sum: Nanos, span: Nanos) -> Nanos {
    Nanos::new(sum.as_u64() + span.as_u64())
}

#[cfg(test)]
mod tests {
    use stripewise_profiles::Profiles;
    use stripewise_units::kernel::KernelVersion;

    use crate::world::Model;

    /// Guards against cores that, when tasks share them, give other results than a core for each
    /// task although there are enough of them.
    #[test]
    fn enough_cores_are_a_core_for_each_task() {
        let text = "[stack.single]\ndevices = { sata-ssd = 1 }\n\
                    [stack.mirrors]\ndevices = { sata-ssd = 4 }\n\
                    array = { level = \"raid10\", bitmap = \"internal\" }\n\
                    [stack.parity]\ndevices = { nvme-ssd = 4 }\n\
                    array = { level = \"raid5\", bitmap = \"internal\" }\n\
                    [workload]\nblock_size = [\"4K\", \"96K\"]\nsize = \"1G\"\njobs = [1, 3]\n\
                    depth = [1, 8]\nengine = \"libaio\"\n\
                    [workload.direct]\npattern = [\"randread\", \"randrw\", \"write\"]\n\
                    [workload.synced]\npattern = \"randwrite\"\nfsync = 4\n\
                    [workload.buffered]\npattern = [\"read\", \"randwrite\"]\ndirect = false\n";
        let study = stripewise_fixtures::study(text);
        let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 1, 0));
        for cell in &study.cells {
            let run = |is_shared: bool| {
                let mut simulation = model.build(cell, 1).expect("a stack");
                assert!(!simulation.cores.is_shared, "the host has enough cores");
                if is_shared {
                    simulation.cores.share();
                }
                simulation.run_ios(500);
                let mut sample = simulation.sample();
                // The cores have a line of their own, and a task's time ahead may be another's.
                let breakdown = sample.breakdown.as_mut().expect("a breakdown");
                breakdown.utilisation.clear();
                sample.cpu = None;
                sample
            };
            assert_eq!(run(false), run(true), "{cell:?}");
        }
    }
}
