//! What every step of building needs: the journal, the watch, and what was made so far.

use stripewise_study::world::{Change, Journal, Watch, WorldError};

use crate::tool::{Call, Printed};

/// Builds one layer after the other.
pub(crate) struct Builder<'a> {
    journal: &'a mut dyn Journal,
    pub(crate) watch: &'a mut dyn Watch,
    /// What was announced and is not undone, in that order.
    made: &'a mut Vec<Change>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        journal: &'a mut dyn Journal,
        watch: &'a mut dyn Watch,
        made: &'a mut Vec<Change>,
    ) -> Self {
        Self {
            journal,
            watch,
            made,
        }
    }

    /// Notes what is about to be changed, before it is.
    pub(crate) fn announce(&mut self, change: Change) -> Result<(), WorldError> {
        self.journal
            .announce(&change)
            .map_err(|source| WorldError::Failed {
                attempted: "failed to note in the journal what will be changed".to_owned(),
                hint: None,
                source: Some(source),
            })?;
        self.made.push(change);
        #[cfg(debug_assertions)]
        die_if_asked(self.made.len());
        Ok(())
    }

    /// Runs a tool that is to do `what`.
    pub(crate) fn run(&mut self, call: Call, what: &str) -> Result<Printed, WorldError> {
        call.run(self.watch)
            .map_err(|error| error.while_trying(format!("failed to {what}")))
    }

    pub(crate) fn unsupported(&self, what: &str, hint: &str) -> WorldError {
        WorldError::Unsupported {
            world: "metal",
            what: what.to_owned(),
            hint: Some(hint.to_owned()),
        }
    }
}

/// Kills this process right after it announced its n-th change, where a test asks for it: then
/// `restore` meets a change that was announced and not made, and all before it that were.
#[cfg(debug_assertions)]
fn die_if_asked(announced: usize) {
    let asked = std::env::var("STRIPEWISE_TEST_KILL_AT_CHANGE");
    if asked.is_ok_and(|number| number.parse() == Ok(announced)) {
        // It can only fail if there is no such process, which we are.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}
