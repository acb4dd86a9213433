//! Runs as files for other programs and people, and back into a store.
//!
//! | format | what it holds | read back |
//! |---|---|---|
//! | [`json`] | whole runs | as they were |
//! | [`parquet`] | a row for each sample, with the whole run beside the columns | as they were |
//! | [`csv`] | a row for each sample or each cell | no |
//! | [`markdown`] | tables for tickets | no |
//! | [`openmetrics`] | gauges for a scraper | no |
//!
//! [`columns`] reads single columns of any flat Parquet file, such as [`sketches`] of many hosts, and
//! [`csv_columns`] those of CSV.
//!
//! CSV and Parquet share a [`table::Table`]: named columns of one type each, made by [`samples`]
//! and [`cells`]. [`read::read`] recognises a file by its first bytes. `docs/export.md` describes
//! the formats. No I/O: bytes in, bytes out. [`answer`] does the same for what any command answers.

pub mod answer;
pub mod cells;
pub mod samples;
pub mod sketches;
pub mod table;

pub mod columns;
pub mod csv;
pub mod csv_columns;
pub mod json;
pub mod markdown;
pub mod openmetrics;
pub mod parquet;
pub mod read;

mod axes;
mod cuts;
mod error;
mod limits;
mod rows;
mod text;

use stripewise_report::document::Document;
use stripewise_results::Run;

/// A run and the results derived from it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The run as it is stored.
    pub run: &'a Run,
    /// The estimates and verdicts from its samples.
    pub document: &'a Document,
}
