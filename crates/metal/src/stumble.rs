//! A journal at whose entries a test can let this process die.
//!
//! What a crash leaves behind depends on the step it comes at. `STRIPEWISE_TEST_KILL_AT=N` kills
//! the process right after the N-th announcement is durable, before the change is made; or, once
//! announcements are over, before the (N - announcements)-th undoing is noted, after it was done.
//! Only where debug assertions are on: a released program knows no such variable.

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
}

impl Stumbling<'_> {
    fn step(&mut self) {
        *self.entries = self.entries.saturating_add(1);
        #[cfg(debug_assertions)]
        if std::env::var("STRIPEWISE_TEST_KILL_AT")
            .is_ok_and(|number| number.parse() == Ok(*self.entries))
        {
            // It can only fail if there is no such process, which we are.
            let us = rustix::process::getpid();
            let _ = rustix::process::kill_process(us, rustix::process::Signal::KILL);
        }
    }
}
