//! Places at which a test can let this process die.
//!
//! What a crash leaves behind depends on the step it comes at. `STRIPEWISE_TEST_KILL_AT=N` kills
//! the process right after the N-th announcement is durable, before the change is made; or, once
//! announcements are over, before the (N - announcements)-th undoing is noted, after it was done.
//! `STRIPEWISE_TEST_KILL_AT_TOOL=N` kills it before the (N/2)-th use of a tool for odd N, after it for
//! even ones, whether that builds or undoes. Only where debug assertions are on: a released program
//! knows no such variables.

use std::sync::atomic::{AtomicU32, Ordering};

use stripewise_study::world::{Change, Journal, JournalError};

/// Passes everything on.
pub(crate) struct Stumbling<'a> {
    pub(crate) journal: &'a mut dyn Journal,
    /// How many entries there were, of the whole run.
    pub(crate) entries: &'a mut u32,
}

impl Journal for Stumbling<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.journal.announce(change)?;
        self.step();
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.step();
        self.journal.undone(change)
    }

    /// Counts twice: what is made and not noted yet differs from what is.
    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        self.step();
        self.journal.replaced(before, after)?;
        self.step();
        Ok(())
    }
}

impl Stumbling<'_> {
    fn step(&mut self) {
        *self.entries = self.entries.saturating_add(1);
        die_if("STRIPEWISE_TEST_KILL_AT", *self.entries);
    }
}

/// How often tools were begun or ended in this process.
static TOOL_STEPS: AtomicU32 = AtomicU32::new(0);

/// Is called before and after every use of a tool.
pub(crate) fn at_tool() {
    let step = TOOL_STEPS.fetch_add(1, Ordering::Relaxed).saturating_add(1);
    die_if("STRIPEWISE_TEST_KILL_AT_TOOL", step);
}

/// Kills this process if a variable of its environment is this number.
fn die_if(variable: &str, number: u32) {
    let is_asked = || std::env::var(variable).is_ok_and(|text| text.parse() == Ok(number));
    if cfg!(debug_assertions) && is_asked() {
        // It can only fail if there is no such process, which we are.
        let us = rustix::process::getpid();
        let _ = rustix::process::kill_process(us, rustix::process::Signal::KILL);
    }
}
