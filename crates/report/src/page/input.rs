//! A run as the input of a page.

use stripewise_results::Run;
use stripewise_sim::world::Model;

use crate::document::{Document, RunSettings};
use crate::states::FreshState;

/// A run and the data needed to make a page of it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its settings.
    pub asked: &'a RunSettings,
    /// The simulated model, for the rules behind its numbers; `None` in other worlds.
    pub model: Option<&'a Model>,
    /// What fresh devices give each cell, where that was simulated; `None`: as its samples begin.
    pub fresh: Option<&'a [Option<FreshState>]>,
    /// The options that select the same store in a command: empty for the default store.
    pub store_option: &'a str,
}

impl Input<'_> {
    pub(super) fn document(&self) -> Document {
        let mut document = Document::new(self.run, self.asked);
        let fresh = self.fresh.into_iter().flatten();
        for (cell, fresh) in document.cells.iter_mut().zip(fresh) {
            cell.results.fresh = fresh.clone();
            cell.is_fresh_simulated = true;
        }
        document
    }
}
