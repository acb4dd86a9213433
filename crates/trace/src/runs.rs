//! Sequential runs and strides.

use rustc_hash::FxHashMap;
use stripewise_units::Nanos;
use stripewise_units::histogram::Histogram;

use crate::event::{Action, Marks, ProcessId, TracedIo};

/// How many places are remembered at which a run could go on: several files can be read at once.
const OPEN_MAX: usize = 64;
/// For how many I/Os a run of several is preferred to single I/Os.
const LASTS: u64 = 1 << 14;
/// The most processes whose strides are followed.
const PROCESSES_MAX: usize = 4096;
/// The most strides that are counted.
const STRIDES_MAX: usize = 256;

/// From so many I/Os on, the first one of a run counts as sequential, too: of random I/Os on few places,
/// many begin where another one ended.
const RUN_MIN: u64 = 3;

/// Finds runs: I/Os that begin where an earlier one of the same kind ended.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    open: Vec<Run>,
    /// The end of each open run, apart so that a search reads little memory.
    ends: Vec<u64>,
    /// The numbers of the open runs, the one whose latest I/O is oldest first.
    oldest: Vec<u8>,
    /// Up to this clock, an open run of several I/Os is preferred to single ones.
    preferred_until: Vec<u64>,
    clock: u64,
    /// The bytes of each run of more than one I/O.
    lengths: Histogram,
    steps: FxHashMap<ProcessId, LastIo>,
    strides: FxHashMap<i64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    action: Action,
    bytes: u64,
    ios: u64,
    /// Its first I/O, while that counts as random.
    first: Option<First>,
}

/// The first I/O of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct First {
    /// What its caller calls the part of the trace that it is of.
    pub part: (usize, usize),
    /// Where it begins.
    pub offset_bytes: u64,
    /// How long it is.
    pub length_bytes: u64,
    /// What else is known of it.
    pub marks: Marks,
}

/// What an I/O is among the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continued {
    /// It goes on with a run.
    pub is_sequential: bool,
    /// The I/O that the run began with, once the run is long enough: that was no random one.
    pub first: Option<First>,
}

#[derive(Debug, Clone, Copy)]
struct LastIo {
    offset: u64,
    /// Where its last I/O ended.
    end: u64,
    action: Action,
    stride: i64,
    repeats: u32,
}

impl Runs {
    /// Returns whether an I/O of a part of the trace goes on with a run.
    pub fn continues(&mut self, io: &TracedIo, part: (usize, usize)) -> Continued {
        self.clock += 1;
        let end = io.offset_bytes.saturating_add(io.length_bytes);
        if let Some(place) = self.run_to_continue(io) {
            if let Some(step) = self.steps.get_mut(&io.process) {
                (step.end, step.action) = (end, io.action);
            }
            self.ends[place] = end;
            self.make_youngest(place);
            self.preferred_until[place] = self.clock + LASTS;
            let run = &mut self.open[place];
            run.bytes = run.bytes.saturating_add(io.length_bytes);
            run.ios += 1;
            let is_run = run.ios >= RUN_MIN;
            return Continued {
                is_sequential: true,
                first: run.first.take_if(|_| is_run),
            };
        }
        let is_next = self.step(io);
        let found = Continued {
            is_sequential: is_next,
            first: None,
        };
        let first = First {
            part,
            offset_bytes: io.offset_bytes,
            length_bytes: io.length_bytes,
            marks: io.marks,
        };
        let new = Run {
            action: io.action,
            bytes: io.length_bytes,
            ios: 1,
            first: (!is_next).then_some(first),
        };
        if self.open.len() < OPEN_MAX {
            self.open.push(new);
            self.ends.push(end);
            self.oldest.push(number_of(self.open.len() - 1));
            self.preferred_until.push(0);
            return found;
        }
        let place = self.to_give_up();
        let ended = std::mem::replace(&mut self.open[place], new);
        self.ends[place] = end;
        self.make_youngest(place);
        self.preferred_until[place] = 0;
        self.close(ended);
        found
    }

    /// Returns the open run that ends where an I/O begins.
    fn run_to_continue(&self, io: &TracedIo) -> Option<usize> {
        let ends = self.ends.iter().zip(&self.open);
        let continued =
            |(end, run): (&u64, &Run)| *end == io.offset_bytes && run.action == io.action;
        // Most I/Os continue none, which the ends alone tell.
        let is_known = self
            .ends
            .iter()
            .fold(false, |known, end| known | (*end == io.offset_bytes));
        is_known
            .then(|| ends.into_iter().position(continued))
            .flatten()
    }

    /// Returns the open run to give up. Random I/Os must not push out a run that comes back now and
    /// then, as a log does.
    fn to_give_up(&self) -> usize {
        let mut oldest = self.oldest.iter().map(|number| usize::from(*number));
        let single = oldest
            .clone()
            .find(|place| self.preferred_until[*place] <= self.clock);
        single.or_else(|| oldest.next()).unwrap_or_default()
    }

    /// Notes that an open run has the latest I/O.
    fn make_youngest(&mut self, place: usize) {
        let number = number_of(place);
        if let Some(at) = memchr::memchr(number, &self.oldest) {
            self.oldest[at..].rotate_left(1);
        }
    }

    fn close(&mut self, run: Run) {
        if run.ios > 1 {
            self.lengths.add(Nanos::new(run.bytes), 1);
        }
    }

    /// Follows the distance between the I/Os of a process that are not sequential, and returns whether
    /// this one begins where the process's last one ended, whose run is forgotten.
    fn step(&mut self, io: &TracedIo) -> bool {
        let mut next = LastIo {
            offset: io.offset_bytes,
            end: io.offset_bytes.saturating_add(io.length_bytes),
            action: io.action,
            stride: 0,
            repeats: 0,
        };
        let Some(step) = self.steps.get_mut(&io.process) else {
            if self.steps.len() < PROCESSES_MAX {
                self.steps.insert(io.process, next);
            }
            return false;
        };
        next.stride = io.offset_bytes.wrapping_sub(step.offset).cast_signed();
        if next.stride == step.stride && next.stride != 0 {
            next.repeats = step.repeats.saturating_add(1);
        }
        let is_next = step.end == io.offset_bytes && step.action == io.action;
        *step = next;
        if next.repeats >= 2 && !is_next {
            self.count_stride(next.stride);
        }
        is_next
    }

    fn count_stride(&mut self, stride: i64) {
        if self.strides.len() >= STRIDES_MAX && !self.strides.contains_key(&stride) {
            // Misra and Gries: what is frequent stays.
            self.strides.retain(|_, count| {
                *count -= 1;
                *count > 0
            });
            return;
        }
        *self.strides.entry(stride).or_default() += 1;
    }

    /// Returns how long the runs of more than one I/O were, in bytes.
    pub fn lengths(mut self) -> Vec<(u64, u64)> {
        for run in std::mem::take(&mut self.open) {
            self.close(run);
        }
        let bins = self.lengths.bins().iter();
        bins.map(|(bytes, count)| (bytes.as_u64(), *count))
            .collect()
    }

    /// Returns the stride that most I/Os keep, and how many do.
    pub fn stride(&self) -> Option<(i64, u64)> {
        let strides = self.strides.iter().map(|(stride, count)| (*stride, *count));
        strides.max_by_key(|(stride, count)| (*count, -stride.abs()))
    }
}

/// Returns the number of one of [`OPEN_MAX`] runs.
fn number_of(place: usize) -> u8 {
    const { assert!(OPEN_MAX <= 1 << 8) };
    u8::try_from(place).unwrap_or_default()
}
