//! Crash points: steps at which a test can kill this process.
//!
//! The state after a crash depends on the step at which it happens. `STRIPEWISE_TEST_KILL_AT=N`
//! kills the process right after the N-th journal entry is durable, before the change is made. If
//! all entries are written, it kills after the (N - entries)-th undo, before the journal records
//! it. `STRIPEWISE_TEST_KILL_AT_TOOL=N` kills it before the (N/2)-th call of a tool for odd N and
//! after that call for even N, while building or undoing. `STRIPEWISE_TEST_KILL_AT_SETTING=N` kills
//! it at the N-th step of writing settings of the kernel: each has three, before its file is opened,
//! between opening (and truncating) and writing it, and after that. All three work only with debug
//! assertions: a release build ignores these variables.

use std::sync::atomic::{AtomicU32, Ordering};

use stripewise_study::world::{Change, Journal, JournalError};

/// Forwards every journal entry, and counts it as a crash point.
pub(crate) struct CrashPoint<'a> {
    pub(crate) journal: &'a mut dyn Journal,
    /// Journal entries written so far in the whole run.
    pub(crate) entries: &'a mut u32,
}

impl Journal for CrashPoint<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.journal.announce(change)?;
        self.step();
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.step();
        self.journal.undone(change)
    }

    /// Two crash points: before and after the entry, because the change is made before it is
    /// recorded.
    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        self.step();
        self.journal.replaced(before, after)?;
        self.step();
        Ok(())
    }
}

impl CrashPoint<'_> {
    fn step(&mut self) {
        *self.entries = self.entries.saturating_add(1);
        die_if("STRIPEWISE_TEST_KILL_AT", *self.entries);
    }
}

/// Tool calls begun or ended in this process.
static TOOL_STEPS: AtomicU32 = AtomicU32::new(0);

/// Steps of writing settings in this process.
static SETTING_STEPS: AtomicU32 = AtomicU32::new(0);

/// Call this before and after every tool.
pub(crate) fn at_tool() {
    die_at(&TOOL_STEPS, "STRIPEWISE_TEST_KILL_AT_TOOL");
}

/// Call this before opening, before writing and after writing the file of a setting.
pub(crate) fn at_setting() {
    die_at(&SETTING_STEPS, "STRIPEWISE_TEST_KILL_AT_SETTING");
}

/// Counts a step of this process, and kills it there if the environment variable holds its number.
fn die_at(steps: &AtomicU32, variable: &str) {
    let step = steps.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    die_if(variable, step);
}

/// Kills this process if the environment variable holds this number.
fn die_if(variable: &str, number: u32) {
    let is_asked = || std::env::var(variable).is_ok_and(|text| text.parse() == Ok(number));
    if cfg!(debug_assertions) && is_asked() {
        // Can fail only if this process does not exist.
        let us = rustix::process::getpid();
        let _ = rustix::process::kill_process(us, rustix::process::Signal::KILL);
    }
}
