//! The state that every build step shares: the journal, the watch, and the changes made so far.

use std::path::PathBuf;

use stripewise_process::Call;
use stripewise_study::world::{Change, Journal, JournalError, Watch, WorldError, WorldName};

use crate::device::{Claimed, Token};
use crate::tool::ToolCall;

/// A block device on which a layer is built.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    /// The name in the journal: the one in the study, which finds the device after a reboot.
    pub(crate) named: PathBuf,
    /// The node to give to tools: it means the same device as long as we hold it.
    pub(crate) path: PathBuf,
}

impl Base {
    /// Returns a layer that we built, which has only one name.
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

/// Builds a stack layer by layer.
pub(crate) struct Builder<'a> {
    journal: &'a mut dyn Journal,
    pub(crate) watch: &'a mut dyn Watch,
    /// The devices at the bottom of the stack.
    devices: &'a [Claimed],
    /// The prefix of every UUID that we set.
    pub(crate) token: Token,
    /// The changes announced and not undone, in order.
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

    /// Records a change in the journal before it is made.
    pub(crate) fn announce(&mut self, change: Change) -> Result<(), WorldError> {
        Journal::announce(self, &change).map_err(|source| {
            WorldError::failed("failed to record the next change in the journal", source)
        })
    }

    /// Runs a tool that is to do `what`. Drops the exclusive descriptors of the devices for the
    /// tool, and reopens them at once, unless the new layer holds the devices.
    pub(crate) fn run(&mut self, call: Call, what: &str) -> Result<String, WorldError> {
        self.devices.iter().for_each(Claimed::drop_exclusive);
        let ran = call
            .run_tool(self.watch)
            .map_err(|error| error.while_trying(format!("failed to {what}")));
        self.devices.iter().for_each(Claimed::reopen_exclusive);
        ran
    }

    pub(crate) fn unsupported(&self, what: &str, hint: &str) -> WorldError {
        WorldError::Unsupported {
            world: WorldName::Metal,
            what: what.to_owned(),
            hint: Some(hint.to_owned()),
        }
    }
}
