//! Whole runs as one JSON document, which reads back as identical runs.
//!
//! ```text
//! { "format": "stripewise-export", "schema": 1, "stripewise_version": "...",
//!   "runs": [ { "id", "world", "study", "question", "state", ..., "study_text",
//!               "facts": [...], "cells": [...], "samples": [...], "warnings": [...] } ] }
//! ```
//!
//! Facts, cells, samples and warnings are the documents that the store holds (`FORMAT.md`), so a
//! histogram is a list of pairs: latency in nanoseconds, count.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use stripewise_results::world::take_world;
use stripewise_results::{
    FactsRecord, LabelError, Run, RunHead, RunState, RunSummary, SampleCounts, TAGS_MAX,
    WarningRecord, stored_run_name, tag,
};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::limits::{JsonLimits, ListLimit, OURS, VOCABULARY};
use stripewise_study::sample::{Role, SampleRecord};
use stripewise_study::warning::Warning;
use stripewise_units::mark::begins_with;
use stripewise_units::visible::visible_json;

use crate::error::ReadError;
use crate::limits::{FACTS_MAX, OPTIONS_MAX, RUNS_MAX, SAMPLES_MAX, WARNINGS_MAX};

/// The mark of our documents.
pub const FORMAT: &str = "stripewise-export";
/// The version of the format. A change that older programs would misread needs a new version.
pub const SCHEMA: u32 = 1;

/// The latest time that a store can keep: in the year 2262.
pub(crate) const UNIX_NS_MAX: u64 = i64::MAX.cast_unsigned();

/// The limits of the JSON document, and of a sample in a Parquet file.
pub(crate) const EXPORT: JsonLimits = JsonLimits {
    lists: &[
        &[
            ListLimit::of::<ExportedRun<'_>>("runs", RUNS_MAX),
            ListLimit::of::<usize>("sample_counts", RUNS_MAX),
            ListLimit::of::<String>("tags", TAGS_MAX).within("runs"),
            ListLimit::of::<FactsPart<'_>>("facts", FACTS_MAX).within("runs"),
            ListLimit::of::<SampleRecord>("samples", SAMPLES_MAX).within("runs"),
            ListLimit::of::<WarningPart<'_>>("warnings", WARNINGS_MAX).within("runs"),
            ListLimit::tree("options", OPTIONS_MAX).within("runs"),
        ],
        VOCABULARY,
    ],
    ..OURS
};

/// Returns runs as one document on one line: indented, its histograms make it three times as large.
/// Hidden characters are escaped.
///
/// # Errors
/// None known: JSON can represent every stored run.
pub fn write(runs: &[&Run]) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_string(&Export::of(runs, ExportedRun::of))?;
    Ok((visible_json(&json).into_owned() + "\n").into_bytes())
}

/// Returns whether a file that begins with these bytes is ours: it begins with our three marks.
pub fn is_ours(head: &[u8]) -> bool {
    let before = format!("{{\"format\":\"{FORMAT}\",\"schema\":{SCHEMA},\"stripewise_version\":\"");
    begins_with(head, &before, "\",\"runs\":[")
}

/// Reads the runs of a document that [`write()`] made.
///
/// A run that was running when it was exported is read as interrupted.
///
/// # Errors
/// [`ReadError`] if it is not an export, newer, cut short, or inconsistent.
pub fn read(bytes: &[u8]) -> Result<Vec<Run>, ReadError> {
    let export = Export::read(bytes)?;
    if export.sample_counts.is_some() {
        return Err(ReadError::invalid("the samples are in another file"));
    }
    export.runs.into_iter().map(ExportedRun::check).collect()
}

/// The whole document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Export<'a> {
    format: Cow<'a, str>,
    schema: u32,
    stripewise_version: Cow<'a, str>,
    /// The number of samples of each run, if they are stored elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sample_counts: Option<Vec<usize>>,
    pub(crate) runs: Vec<ExportedRun<'a>>,
}

/// The keys that identify a document.
#[derive(Deserialize)]
struct Marks {
    format: Option<String>,
    schema: Option<u32>,
    #[serde(rename = "fio version")]
    fio_version: Option<serde::de::IgnoredAny>,
    run: Option<serde::de::IgnoredAny>,
}

/// A run in the document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportedRun<'a> {
    #[serde(flatten)]
    head: RunHead,
    seed: u64,
    options: Cow<'a, serde_json::Value>,
    study_text: Cow<'a, str>,
    facts: Vec<FactsPart<'a>>,
    cells: Cow<'a, [Cell]>,
    pub(crate) samples: Cow<'a, [SampleRecord]>,
    warnings: Vec<WarningPart<'a>>,
}

/// Facts in the document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FactsPart<'a> {
    taken_unix_ns: u64,
    facts: Cow<'a, Facts>,
}

/// A warning in the document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WarningPart<'a> {
    cell: Option<usize>,
    warning: Cow<'a, Warning>,
}

impl<'a> Export<'a> {
    /// Returns the document of runs, each made by `part`.
    pub(crate) fn of(runs: &[&'a Run], part: fn(&'a Run) -> ExportedRun<'a>) -> Self {
        Self {
            format: FORMAT.into(),
            schema: SCHEMA,
            stripewise_version: env!("CARGO_PKG_VERSION").into(),
            sample_counts: None,
            runs: runs.iter().copied().map(part).collect(),
        }
    }
}

impl Export<'static> {
    /// Reads a document, after a check of its marks.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let marks: Marks = serde_json::from_slice(bytes).map_err(malformed)?;
        match (marks.format.as_deref(), marks.schema) {
            (Some(FORMAT), Some(SCHEMA)) => {}
            (Some(FORMAT), Some(found)) if found > SCHEMA => {
                return Err(ReadError::Newer {
                    found,
                    supported: SCHEMA,
                });
            }
            (Some(FORMAT), _) => return Err(ReadError::invalid("its schema is unknown")),
            _ if marks.fio_version.is_some() => return Err(ReadError::OfFio),
            _ if marks.run.is_some() => return Err(ReadError::OfShow),
            _ => return Err(ReadError::Foreign),
        }
        EXPORT.check(bytes).map_err(ReadError::OverLimit)?;
        let export: Export<'static> = serde_json::from_slice(bytes).map_err(malformed)?;
        if export.runs.is_empty() {
            return Err(ReadError::invalid("it holds no run"));
        }
        Ok(export)
    }
}

fn malformed(source: serde_json::Error) -> ReadError {
    if source.is_eof() {
        ReadError::Truncated
    } else if source.is_syntax() {
        ReadError::Syntax { source }
    } else {
        ReadError::Malformed { source }
    }
}

impl<'a> ExportedRun<'a> {
    /// Returns a run with its samples.
    pub(crate) fn of(run: &'a Run) -> Self {
        Self {
            samples: Cow::Borrowed(&run.samples),
            ..Self::without_samples(run)
        }
    }

    /// Returns a run whose samples are elsewhere.
    pub(crate) fn without_samples(run: &'a Run) -> Self {
        Self {
            head: run.summary.head.clone(),
            seed: run.seed,
            options: Cow::Owned(run.shown_options()),
            study_text: run.study_text.as_str().into(),
            facts: run
                .facts
                .iter()
                .map(|record| FactsPart {
                    taken_unix_ns: record.taken_unix_ns,
                    facts: Cow::Borrowed(&record.facts),
                })
                .collect(),
            cells: Cow::Borrowed(&run.cells),
            samples: Cow::Borrowed(&[]),
            warnings: run
                .warnings
                .iter()
                .map(|record| WarningPart {
                    cell: record.cell,
                    warning: Cow::Borrowed(&record.warning),
                })
                .collect(),
        }
    }

    /// Checks what the cells, samples and warnings hold.
    fn check_parts(&self) -> Result<(), ReadError> {
        let id = self.head.id;
        let invalid = |what: &str| ReadError::invalid(format!("run {id} {what}"));
        let samples = self.samples.iter().map(|record| record.cell);
        let mut indices = samples.chain(self.warnings.iter().filter_map(|part| part.cell));
        if let Some(cell) = indices.find(|&cell| cell >= self.cells.len()) {
            return Err(invalid(&format!("has no cell {cell}")));
        }
        for (number, record) in self.samples.iter().enumerate() {
            let sample = |what| invalid(&format!("has an impossible sample {number}: {what}"));
            record.sample.check().map_err(sample)?;
        }
        for part in &self.warnings {
            let warning = |what| invalid(&format!("has an impossible warning: {what}"));
            part.warning.check().map_err(warning)?;
        }
        Ok(())
    }

    /// Returns the run, if it is consistent.
    pub(crate) fn check(self) -> Result<Run, ReadError> {
        self.check_parts()?;
        let mut head = self.head;
        let id = head.id;
        let invalid = |what: &str| ReadError::invalid(format!("run {id} {what}"));
        let facts = self.facts.iter().map(|part| part.taken_unix_ns);
        let mut times = [head.started_unix_ns].into_iter();
        let mut times = times.by_ref().chain(head.ended_unix_ns).chain(facts);
        if times.any(|time| time > UNIX_NS_MAX) {
            return Err(invalid("has a time after the year 2262"));
        }
        head.state = match (head.state, head.ended_unix_ns) {
            (RunState::Done | RunState::Failed, None) => {
                return Err(invalid("has ended but has no end time"));
            }
            (RunState::Running, Some(_)) => return Err(invalid("is running but has an end time")),
            (RunState::Running | RunState::Interrupted, _) => RunState::Interrupted,
            (state, Some(_)) => state,
        };
        let name = head.name.as_deref().map(stored_run_name).transpose();
        head.name = name.map_err(|error| invalid(&format!("has an invalid name: {error}")))?;
        let tags = head.tags.iter().map(|text| tag(text)).collect();
        head.tags = Result::map_err(tags, |error: LabelError| {
            invalid(&format!("has an invalid tag: {error}"))
        })?;
        let counted =
            |record: &&SampleRecord| record.role == Role::Counted && record.sample.is_valid();
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let mut options = self.options.into_owned();
        let world = take_world(&head.origin, &mut options);
        let world =
            world.map_err(|error| ReadError::invalid(format!("run {id}: its options: {error}")))?;
        Ok(Run {
            summary: RunSummary {
                head,
                cell_count: count(self.cells.len()),
                samples: SampleCounts {
                    counted: count(self.samples.iter().filter(counted).count()),
                    all: count(self.samples.len()),
                },
            },
            study_text: self.study_text.into_owned(),
            seed: self.seed,
            world,
            options,
            facts: self.facts.into_iter().map(FactsPart::into_record).collect(),
            cells: self.cells.into_owned(),
            samples: self.samples.into_owned(),
            warnings: self
                .warnings
                .into_iter()
                .map(WarningPart::into_record)
                .collect(),
        })
    }
}

impl FactsPart<'_> {
    fn into_record(self) -> FactsRecord {
        FactsRecord {
            taken_unix_ns: self.taken_unix_ns,
            facts: self.facts.into_owned(),
        }
    }
}

impl WarningPart<'_> {
    fn into_record(self) -> WarningRecord {
        WarningRecord {
            cell: self.cell,
            warning: self.warning.into_owned(),
        }
    }
}
