//! A journal for worlds under test.

use stripewise_study::world::{Change, Journal, JournalError};

/// A journal that keeps the changes that are not undone.
#[derive(Default)]
pub(crate) struct Remembered(pub(crate) Vec<Change>);

impl Journal for Remembered {
    fn announce(&mut self, change: &Change) -> Result<(), JournalError> {
        self.0.push(change.clone());
        Ok(())
    }

    fn undone(&mut self, change: &Change) -> Result<(), JournalError> {
        let index = self.0.iter().rposition(|known| known == change);
        let index = index.expect("undone without having been announced");
        self.0.remove(index);
        Ok(())
    }
}
