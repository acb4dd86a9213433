//! Loads with known parameters, as events.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use stripewise_trace::event::{Action, DeviceId, Event, Marks, Names, ProcessId, TracedIo};
use stripewise_trace::fit::{Fitted, fit};
use stripewise_trace::profile::Profile;
use stripewise_trace::survey::Survey;
use stripewise_units::Nanos;
use stripewise_units::splitmix::mixed;

/// Numbers that look random.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = mixed(self.0);
        (self.0 >> 16) % end
    }

    /// A time between two independent I/Os with this mean.
    pub fn exponential(&mut self, mean_ns: u64) -> u64 {
        let uniform = (self.below(1 << 30) as f64 + 0.5) / (1 << 30) as f64;
        (-uniform.ln() * mean_ns as f64) as u64
    }
}

/// An I/O without its time.
#[derive(Debug, Clone, Copy)]
pub struct UntimedIo {
    pub action: Action,
    pub offset: u64,
    pub length: u64,
    pub marks: Marks,
}

pub fn asked(action: Action, offset: u64, length: u64) -> UntimedIo {
    let marks = Marks::default();
    UntimedIo {
        action,
        offset,
        length,
        marks,
    }
}

/// How long an I/O takes: 80 to 120 us.
fn service(chance: &mut Chance) -> u64 {
    80_000 + chance.below(40_000)
}

fn pair(asked: UntimedIo, at: u64, took: u64, process: u32) -> [Event; 2] {
    let (device, process) = (DeviceId(0), ProcessId(process + 1));
    let begin = TracedIo {
        at: Nanos::new(at),
        action: asked.action,
        marks: asked.marks,
        offset_bytes: asked.offset,
        length_bytes: asked.length,
        device,
        process,
    };
    let end = Event::End {
        at: Nanos::new(at + took),
        action: asked.action,
        began: Nanos::new(at),
        device,
        process,
    };
    [Event::Begin(begin), end]
}

fn time(event: &Event) -> Nanos {
    match event {
        Event::Begin(io) => io.at,
        Event::End { at, .. } => *at,
    }
}

/// Puts events into the order of time.
pub fn in_order(mut events: Vec<Event>) -> Vec<Event> {
    events.sort_by_key(time);
    events
}

/// `jobs` processes from number `first` on, each with `depth` I/Os under way, which pause after each.
pub fn closed(
    first: u32,
    (jobs, depth): (u32, u32),
    think_ns: u64,
    until_ns: u64,
    mut next: impl FnMut(u32) -> UntimedIo,
) -> Vec<Event> {
    let mut chance = Chance(u64::from(first) + 3);
    let mut free = BinaryHeap::new();
    for job in 0..jobs {
        for slot in 0..depth {
            free.push(Reverse((u64::from(job * 7 + slot * 3) * 1000, job)));
        }
    }
    let mut events = Vec::new();
    while let Some(Reverse((at, job))) = free.pop() {
        if at >= until_ns {
            continue;
        }
        let took = service(&mut chance);
        events.extend(pair(next(job), at, took, first + job));
        // The CPU needs 2 us for the next one.
        free.push(Reverse((at + took + 2_000 + think_ns, job)));
    }
    in_order(events)
}

/// I/Os at the times `at`, whatever the device does.
pub fn open(
    process: u32,
    at: impl IntoIterator<Item = u64>,
    mut next: impl FnMut() -> UntimedIo,
) -> Vec<Event> {
    let mut chance = Chance(99);
    let events = at
        .into_iter()
        .flat_map(|at| pair(next(), at, service(&mut chance), process));
    in_order(events.collect())
}

/// Names for processes: 1 to 32 are `job`, the 32 after them are `log`.
pub fn names() -> Names {
    let named = (1..65).map(|number| {
        let name = if number <= 32 { "job" } else { "log" };
        (name.to_owned(), Some(number))
    });
    Names {
        processes: [(String::new(), None)].into_iter().chain(named).collect(),
        devices: vec!["8,0".to_owned()],
    }
}

/// Both passes over a trace.
pub fn profile(events: &[Event]) -> Profile {
    let names = names();
    let mut survey = Survey::default();
    for event in events {
        survey.add(event, &names);
    }
    let mut profile = Profile::new(survey.plan(DeviceId(0)).expect("the trace has I/Os"));
    for event in events {
        profile.add(event, &names);
    }
    profile
}

/// The workload of a trace of one phase.
pub fn one(events: &[Event]) -> Fitted {
    let mut fitted = fit(&profile(events));
    assert_eq!(fitted.len(), 1, "{fitted:#?}");
    fitted.remove(0)
}

/// The same event later.
pub fn shifted(event: Event, by: u64) -> Event {
    let later = |at: Nanos| Nanos::new(at.as_u64() + by);
    match event {
        Event::Begin(io) => Event::Begin(TracedIo {
            at: later(io.at),
            ..io
        }),
        Event::End {
            at,
            action,
            began,
            device,
            process,
        } => Event::End {
            at: later(at),
            began: later(began),
            action,
            device,
            process,
        },
    }
}

/// Whether an I/O begins.
pub fn begins(event: &Event) -> bool {
    matches!(event, Event::Begin(_))
}
