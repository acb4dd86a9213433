//! Answers: what a command found, in no medium and no language yet.
//!
//! An [`Answer`] has a document for programs and a list of [`Block`]s for people: sentences, tables
//! with typed columns, folds. A command makes it once; a renderer for each medium draws blocks: those
//! of the terminal and of a page without a script are in `stripewise_report::render`, those of
//! Markdown, CSV and JUnit in `stripewise_export::answer`. Nothing here knows a width, a colour or a
//! language, so crates far below those renderers can describe what they found. Blocks serialise, for
//! a page with a script.
//!
//! How to write a new answer is in `CONTRIBUTING.md`.

mod block;
mod chart;
mod drawing;
mod table;

pub use block::{Block, Emphasis, Fold, Grid, GridCell, GridRow, Join, Pair, Sentence, Tone};
pub use chart::{Chart, Mark, sparkline};
pub use drawing::{Drawing, Ink, Shape};
pub use table::{Bar, Cell, Column, Kind, Row, Table, Verdict};

use serde::Serialize;
use stripewise_message::Message;

/// What a command found.
#[derive(Debug)]
pub struct Answer<D> {
    /// What it is, in a few words: the title of a page.
    pub title: Message,
    /// What it is about: this machine, a file.
    pub about: Option<Message>,
    /// What programs get.
    pub document: D,
    /// What people get.
    pub blocks: Vec<Block>,
    /// All of it in one sentence: the last line of a terminal, the first of a page.
    pub summary: Option<Message>,
    /// Whether the answer is no: a limit does not hold, a rule fails.
    pub is_no: bool,
}

impl<D: Serialize> Answer<D> {
    /// Returns an answer that is not a no.
    pub fn new(title: Message, document: D, blocks: Vec<Block>) -> Self {
        Self {
            title,
            about: None,
            document,
            blocks,
            summary: None,
            is_no: false,
        }
    }

    /// Sets what it is about.
    #[must_use]
    pub fn about(self, about: Message) -> Self {
        let about = Some(about);
        Self { about, ..self }
    }

    /// Sets the sentence for all of it.
    #[must_use]
    pub fn summary(self, summary: Message) -> Self {
        let summary = Some(summary);
        Self { summary, ..self }
    }

    /// Sets whether the answer is no.
    #[must_use]
    pub fn no_if(self, is_no: bool) -> Self {
        Self { is_no, ..self }
    }

    /// Returns the blocks for a page, after the sentence for all of them.
    pub fn page(&self) -> Vec<Block> {
        let summary = self.summary.iter().cloned();
        let summary = summary.map(|summary| Block::toned(Tone::Strong, summary));
        summary.chain(self.blocks.iter().cloned()).collect()
    }
}
