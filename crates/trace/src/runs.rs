//! Sequential runs and strides.

use rustc_hash::FxHashMap;
use stripewise_study::histogram::Histogram;
use stripewise_study::units::Nanos;

use crate::event::{Action, ProcessId, TracedIo};

/// How many places are remembered at which a run could go on: several files can be read at once.
const OPEN_MAX: usize = 64;
/// The most processes whose strides are followed.
const PROCESSES_MAX: usize = 4096;
/// The most strides that are counted.
const STRIDES_MAX: usize = 256;

/// Finds runs: I/Os that begin where an earlier one of the same kind ended.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    open: Vec<Run>,
    clock: u64,
    /// The bytes of each run of more than one I/O.
    lengths: Histogram,
    steps: FxHashMap<ProcessId, Step>,
    strides: FxHashMap<i64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    action: Action,
    end: u64,
    bytes: u64,
    ios: u64,
    latest: u64,
}

#[derive(Debug, Clone, Copy)]
struct Step {
    offset: u64,
    stride: i64,
    repeats: u32,
}

impl Runs {
    /// Returns whether an I/O goes on with a run.
    pub fn continues(&mut self, io: &TracedIo) -> bool {
        self.clock += 1;
        let end = io.offset_bytes.saturating_add(io.length_bytes);
        let goes_on = |run: &&mut Run| run.end == io.offset_bytes && run.action == io.action;
        if let Some(run) = self.open.iter_mut().find(goes_on) {
            (run.end, run.latest) = (end, self.clock);
            run.bytes = run.bytes.saturating_add(io.length_bytes);
            run.ios += 1;
            return true;
        }
        self.step(io);
        let new = Run {
            action: io.action,
            end,
            bytes: io.length_bytes,
            ios: 1,
            latest: self.clock,
        };
        if self.open.len() < OPEN_MAX {
            self.open.push(new);
            return false;
        }
        if let Some(oldest) = self.open.iter_mut().min_by_key(|run| run.latest) {
            let ended = std::mem::replace(oldest, new);
            self.close(ended);
        }
        false
    }

    fn close(&mut self, run: Run) {
        if run.ios > 1 {
            self.lengths.add(Nanos::new(run.bytes), 1);
        }
    }

    /// Follows the distance between the I/Os of a process that are not sequential.
    fn step(&mut self, io: &TracedIo) {
        let Some(step) = self.steps.get_mut(&io.process) else {
            if self.steps.len() < PROCESSES_MAX {
                let first = Step {
                    offset: io.offset_bytes,
                    stride: 0,
                    repeats: 0,
                };
                self.steps.insert(io.process, first);
            }
            return;
        };
        let stride = io.offset_bytes.wrapping_sub(step.offset).cast_signed();
        let repeats = match stride == step.stride && stride != 0 {
            true => step.repeats.saturating_add(1),
            false => 0,
        };
        *step = Step {
            offset: io.offset_bytes,
            stride,
            repeats,
        };
        if repeats < 2 {
            return;
        }
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
