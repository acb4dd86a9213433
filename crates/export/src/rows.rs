//! What rows of samples and rows of cells both begin with.

use stripewise_report::document::Document;

use crate::table::{Table, Values};

/// Adds the columns that say which run a row is of.
pub(crate) fn runs<'a>(table: &mut Table, documents: impl Iterator<Item = &'a Document> + Clone) {
    let ids = documents.clone().map(|document| {
        // Numbers of runs count from 1.
        u64::try_from(document.run.id.0).ok()
    });
    table.push("run", Values::Counts(ids.collect()));
    let studies = documents.clone();
    table.texts(
        "study",
        studies.map(|document| Some(document.run.study.clone())),
    );
    table.texts(
        "world",
        documents.map(|document| Some(document.run.world.clone())),
    );
}

/// Returns a count of things in memory.
pub(crate) fn count(count: usize) -> Option<u64> {
    u64::try_from(count).ok()
}
