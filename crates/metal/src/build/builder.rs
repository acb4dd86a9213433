//! What every step of building needs: the journal, the watch, and what was made so far.

use std::path::PathBuf;

use stripewise_process::Call;
use stripewise_study::world::{Change, Journal, JournalError, Watch, WorldError};

use crate::device::{Claimed, Token};
use crate::tool::ToolCall;

/// A block device on which a layer is built.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// By which name the journal knows it: the one in the study, which finds it after a restart.
    pub(crate) named: PathBuf,
    /// The node that tools are given: it means the same device for as long as we hold that.
    pub(crate) path: PathBuf,
}

impl Base {
    /// Returns a device that was built of others, and has one name.
    pub(crate) fn layer(path: PathBuf) -> Self {
        Self {
            named: path.clone(),
            path,
        }
    }

    pub(crate) fn names(bases: &[Self]) -> Vec<PathBuf> {
        bases.iter().map(|base| base.named.clone()).collect()
    }

    pub(crate) fn paths(bases: &[Self]) -> Vec<PathBuf> {
        bases.iter().map(|base| base.path.clone()).collect()
    }
}

impl Journal for Builder<'_> {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.journal.announce(change)?;
        self.made.push(change.clone());
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.journal.undone(change)?;
        self.made.retain(|made| made != change);
        Ok(())
    }

    fn replaced(&mut self, before: &Change, after: &Change) -> Result<(), JournalError> {
        self.journal.replaced(before, after)?;
        let before = self.made.iter_mut().filter(|made| *made == before);
        before.for_each(|made| *made = after.clone());
        Ok(())
    }
}

/// Builds one layer after the other.
pub(crate) struct Builder<'a> {
    journal: &'a mut dyn Journal,
    pub(crate) watch: &'a mut dyn Watch,
    /// What everything is built on.
    devices: &'a [Claimed],
    /// With what every UUID begins that we give.
    pub(crate) token: Token,
    /// What was announced and is not undone, in that order.
    made: &'a mut Vec<Change>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        journal: &'a mut dyn Journal,
        watch: &'a mut dyn Watch,
        devices: &'a [Claimed],
        made: &'a mut Vec<Change>,
    ) -> Self {
        Self {
            journal,
            watch,
            devices,
            token: devices[0].token,
            made,
        }
    }

    /// Notes what is about to be changed, before it is.
    pub(crate) fn announce(&mut self, change: Change) -> Result<(), WorldError> {
        Journal::announce(self, &change).map_err(|source| {
            WorldError::failed("failed to note in the journal what will be changed", source)
        })
    }

    /// Runs a tool that is to do `what`. The devices are its own meanwhile, and ours again at once,
    /// unless what it has built holds them now.
    pub(crate) fn run(&mut self, call: Call, what: &str) -> Result<String, WorldError> {
        self.devices.iter().for_each(Claimed::let_go);
        let ran = call
            .run_tool(self.watch)
            .map_err(|error| error.while_trying(format!("failed to {what}")));
        self.devices.iter().for_each(Claimed::take_back);
        ran
    }

    pub(crate) fn unsupported(&self, what: &str, hint: &str) -> WorldError {
        WorldError::Unsupported {
            world: "metal",
            what: what.to_owned(),
            hint: Some(hint.to_owned()),
        }
    }
}
