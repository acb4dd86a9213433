//! A run as the input of a page.

use stripewise_results::Run;
use stripewise_sim::world::Model;

use crate::document::RunSettings;

/// A run and the data needed to make a page of it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The run.
    pub run: &'a Run,
    /// Its settings.
    pub asked: &'a RunSettings,
    /// The simulated model, for the rules behind its numbers; `None` in other worlds.
    pub model: Option<&'a Model>,
    /// The options that select the same store in a command: empty for the default store.
    pub store_option: &'a str,
}
