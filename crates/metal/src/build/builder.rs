//! What every step of building needs: the journal, the watch, and what was made so far.

use stripewise_study::world::{Change, Journal, Watch, WorldError};

use crate::device::Token;
use crate::tool::{Call, Printed};

/// Builds one layer after the other.
pub(crate) struct Builder<'a> {
    journal: &'a mut dyn Journal,
    pub(crate) watch: &'a mut dyn Watch,
    /// With what every UUID begins that we give.
    pub(crate) token: Token,
    /// What was announced and is not undone, in that order.
    made: &'a mut Vec<Change>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        journal: &'a mut dyn Journal,
        watch: &'a mut dyn Watch,
        token: Token,
        made: &'a mut Vec<Change>,
    ) -> Self {
        Self {
            journal,
            watch,
            token,
            made,
        }
    }

    /// Notes what is about to be changed, before it is.
    pub(crate) fn announce(&mut self, change: Change) -> Result<(), WorldError> {
        self.journal.announce(&change).map_err(|source| {
            WorldError::failed("failed to note in the journal what will be changed", source)
        })?;
        self.made.push(change);
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
