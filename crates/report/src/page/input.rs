//! A run as it is handed in, to be made a page of.

use stripewise_results::Run;
use stripewise_sim::world::Model;

use crate::document::Asked;

/// A run and what is needed to make a page of it.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The run.
    pub run: &'a Run,
    /// What it was asked.
    pub asked: &'a Asked,
    /// What was simulated, for the rules behind its numbers; nothing in other worlds.
    pub model: Option<&'a Model>,
    /// What follows a command of ours to reach the same store: empty for the default one.
    pub store_option: &'a str,
}
