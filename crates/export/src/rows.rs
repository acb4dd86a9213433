//! The first columns of rows of samples and of rows of cells.

use stripewise_report::document::Document;

use crate::table::{Table, Values};

/// Adds the columns that identify the run of a row.
pub(crate) fn runs<'a>(table: &mut Table, documents: impl Iterator<Item = &'a Document> + Clone) {
    let ids = documents.clone().map(|document| {
        // Run numbers start at 1.
        u64::try_from(document.run.id.0).ok()
    });
    table.push("run", Values::Counts(ids.collect()));
    let studies = documents.clone();
    table.texts(
        "study",
        studies.map(|document| Some(document.run.study_name.clone())),
    );
    table.texts(
        "world",
        documents.map(|document| Some(document.run.origin.to_string())),
    );
}

/// Returns a count of things in memory.
pub(crate) fn count(count: usize) -> Option<u64> {
    u64::try_from(count).ok()
}
