//! What a world is given besides its cells.

use std::time::Duration;

use stripewise_study::world::{Change, Journal, JournalError, Watch};

/// A journal that remembers what is not undone.
#[derive(Default)]
pub(crate) struct Remembered(pub(crate) Vec<Change>);

impl Journal for Remembered {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.push(change.clone());
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.retain(|known| known != change);
        Ok(())
    }
}

/// A watch that never tires.
pub(crate) struct Patient;

impl Watch for Patient {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        true
    }
}
