//! The public types of runs: the input of a new run, and the data read back.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::sample::SampleRecord;
use stripewise_study::warning::Warning;

use crate::world::{RunOrigin, WorldSpec, with_keys};

/// The number of a run in its store; counts from 1 and is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A text is not a run number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the number of a run, which is at least 1")]
pub struct ParseRunIdError {
    /// The text.
    pub text: String,
}

impl FromStr for RunId {
    type Err = ParseRunIdError;

    /// Reads `12`: decimal digits only, at least 1.
    fn from_str(text: &str) -> Result<Self, ParseRunIdError> {
        let error = || ParseRunIdError {
            text: text.to_owned(),
        };
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error());
        }
        match text.parse() {
            Ok(number) if number >= 1 => Ok(RunId(number)),
            _ => Err(error()),
        }
    }
}

/// The input of a new run.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRun {
    /// Where its samples come from.
    pub origin: RunOrigin,
    /// What it is measured in; `None` for an import, and for changes without samples.
    pub world: Option<WorldSpec>,
    /// The name of the study.
    pub study_name: String,
    /// The study's question, if any.
    pub question: Option<String>,
    /// The study file, byte for byte, so that the run can be resumed without it.
    pub study_text: String,
    /// The seed of the order and the samples.
    pub seed: u64,
    /// The caller's settings besides the study and the world; opaque to the store.
    pub options: serde_json::Value,
    /// The version of the program.
    pub tool_version: String,
    /// When it began, in ns since 1970-01-01 UTC; see [`unix_now_ns`](crate::unix_now_ns).
    pub started_unix_ns: u64,
}

impl NewRun {
    /// Returns a run that has only an origin and a title: no world, study, settings and question.
    pub fn of(origin: RunOrigin, study_name: impl Into<String>) -> Self {
        Self {
            origin,
            world: None,
            study_name: study_name.into(),
            question: None,
            study_text: String::new(),
            seed: 0,
            options: serde_json::Value::Null,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started_unix_ns: crate::unix_now_ns(),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// All samples were taken.
    Done,
    /// It was stopped; it can be resumed.
    Interrupted,
    /// It failed; it can be resumed when the cause is fixed.
    Failed,
}

/// The current state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// A living process executes it.
    Running,
    /// All samples were taken.
    Done,
    /// It was stopped, or its process is gone.
    Interrupted,
    /// It failed.
    Failed,
}

impl From<RunEnd> for RunState {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Done => RunState::Done,
            RunEnd::Interrupted => RunState::Interrupted,
            RunEnd::Failed => RunState::Failed,
        }
    }
}

impl RunState {
    /// Returns the word for it in the file and in lists.
    pub const fn as_str(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Done => "done",
            RunState::Interrupted => "interrupted",
            RunState::Failed => "failed",
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How many samples a run has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SampleCounts {
    /// Those that count: valid and not warm-up.
    pub counted: u64,
    /// All of them.
    pub all: u64,
}

/// What a run holds, counted from one snapshot of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunCounts {
    /// Its number.
    pub run: RunId,
    /// Its state; `Running` only while a living process executes it.
    pub state: RunState,
    /// How many cells it has.
    pub cells: u64,
    /// How many samples it has: the sum of the next three.
    pub samples: u64,
    /// How many of them are warm-up, which is kept but not counted.
    pub warm_up: u64,
    /// How many of them count: valid and not warm-up.
    pub counted: u64,
    /// How many of them were to count, but were distorted.
    pub distorted: u64,
}

/// The head of a run: what lists, documents, pages and exports say of it first, by these names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunHead {
    /// Its number in the store.
    pub id: RunId,
    /// The name of the study.
    #[serde(rename = "study")]
    pub study_name: String,
    /// The study's question, if any.
    pub question: Option<String>,
    /// The name that the user gave it.
    #[serde(default)]
    pub name: Option<String>,
    /// Its tags, sorted.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Where its samples come from: the world it ran in, unless they are imported.
    #[serde(rename = "world")]
    #[cfg_attr(feature = "typescript", ts(type = "string"))]
    pub origin: RunOrigin,
    /// Its state; `Running` only while a living process executes it.
    pub state: RunState,
    /// The version of the program that began it.
    #[serde(rename = "stripewise_version")]
    pub tool_version: String,
    /// When it began, in ns since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// When it ended; `None` while it runs, and after a crash.
    pub ended_unix_ns: Option<u64>,
}

/// A run without its samples: one line of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Its head.
    pub head: RunHead,
    /// How many cells it has.
    pub cell_count: u64,
    /// How many samples it has.
    pub samples: SampleCounts,
}

impl Deref for RunSummary {
    type Target = RunHead;

    fn deref(&self) -> &RunHead {
        &self.head
    }
}

impl DerefMut for RunSummary {
    fn deref_mut(&mut self) -> &mut RunHead {
        &mut self.head
    }
}

impl Serialize for RunSummary {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        /// Two keys have the names of the first lists, too.
        #[derive(Serialize)]
        struct Line<'a> {
            #[serde(flatten)]
            head: &'a RunHead,
            study_name: &'a str,
            tool_version: &'a str,
            cell_count: u64,
            samples: SampleCounts,
        }
        Line {
            head: self,
            study_name: &self.study_name,
            tool_version: &self.tool_version,
            cell_count: self.cell_count,
            samples: self.samples,
        }
        .serialize(to)
    }
}

impl RunHead {
    /// Returns the same with `shown` applied to each text, and the name, if there is one, as the
    /// question: for a page.
    #[must_use]
    pub fn shown(&self, shown: impl Fn(&str) -> String) -> Self {
        let name = self.name.as_deref();
        let question = name.or(self.question.as_deref());
        Self {
            study_name: shown(&self.study_name),
            question: question.map(&shown),
            name: name.map(&shown),
            tags: self.tags.iter().map(|tag| shown(tag)).collect(),
            origin: RunOrigin::from(shown(self.origin.as_str()).as_str()),
            tool_version: shown(&self.tool_version),
            ..self.clone()
        }
    }
}

impl RunSummary {
    /// Returns the title of the run: its name, else its question, else its study.
    pub fn title(&self) -> &str {
        let named = self.name.as_deref().or(self.question.as_deref());
        named.unwrap_or(&self.study_name)
    }
}

/// Facts and when they were taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactsRecord {
    /// When, in ns since 1970-01-01 UTC.
    pub taken_unix_ns: u64,
    /// The facts of the machine.
    pub facts: Facts,
}

/// A warning about a run or one of its cells. Warnings about a sample are in the sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WarningRecord {
    /// The index of the cell; `None` if it is about the whole run.
    pub cell: Option<usize>,
    /// The warning.
    pub warning: Warning,
}

/// All data of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Its summary.
    pub summary: RunSummary,
    /// The study file, byte for byte.
    pub study_text: String,
    /// The seed of the order and the samples.
    pub seed: u64,
    /// What it was measured in; `None` if it was not measured in a world of this program, or if its
    /// settings cannot be read.
    pub world: Option<WorldSpec>,
    /// The caller's settings besides the study and the world.
    pub options: serde_json::Value,
    /// The facts of the machine in order of time: at the start and at each resume.
    pub facts: Vec<FactsRecord>,
    /// Its cells; a sample names its cell by the index in this list.
    pub cells: Vec<Cell>,
    /// Its samples in the order in which they were taken.
    pub samples: Vec<SampleRecord>,
    /// Its warnings, in order.
    pub warnings: Vec<WarningRecord>,
}

/// A run in a list: its summary, and data derived from its samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedRun {
    /// Its summary.
    #[serde(flatten)]
    pub summary: RunSummary,
    /// How long it was executed, in ns, without the pauses between its sessions; `None` while it
    /// runs, and after a crash.
    pub executed_ns: Option<u64>,
    /// How many of its cells have no counted samples.
    pub cells_without_samples: u64,
}

/// Returns how long a run was executed in sessions that began at `first` and `later`. Each session
/// ends with its last sample, the last one with the run if it ended. All times are this machine's: in a
/// guest a sample may take many times as long as its load shows.
pub(crate) fn executed_for(
    first: u64,
    later: impl IntoIterator<Item = u64>,
    ended_unix_ns: Option<u64>,
    samples: &[SampleRecord],
) -> Duration {
    let begins: Vec<u64> = std::iter::once(first).chain(later).collect();
    let ends = samples.iter().filter_map(|record| {
        let sample = &record.sample;
        let took = sample.real_ns.unwrap_or(sample.elapsed_ns);
        Some(sample.started_unix_ns?.saturating_add(took.as_u64()))
    });
    let ends: Vec<u64> = ends.collect();
    let sessions = begins.iter().enumerate().map(|(index, begin)| {
        let (next, ended) = match begins.get(index + 1) {
            Some(next) => (*next, None),
            None => (u64::MAX, ended_unix_ns),
        };
        let of_session = ends.iter().filter(|end| (*begin..next).contains(end));
        let last = of_session.copied().chain(ended).max();
        last.map_or(0, |last| last.saturating_sub(*begin))
    });
    Duration::from_nanos(sessions.fold(0, u64::saturating_add))
}

impl Run {
    /// Returns its settings besides the study, as documents and exports have them: with the keys of
    /// its world.
    pub fn shown_options(&self) -> serde_json::Value {
        with_keys(self.world.as_ref(), &self.options)
    }

    /// Returns how long it was executed in all its sessions, without the pauses between them. Each
    /// session begins with its facts, and ends with its last sample or with the run.
    pub fn executed_for(&self) -> Duration {
        let later = self.facts.iter().skip(1);
        let later = later.map(|record| record.taken_unix_ns);
        let summary = &self.summary;
        executed_for(
            summary.started_unix_ns,
            later,
            summary.ended_unix_ns,
            &self.samples,
        )
    }

    /// Returns the samples of each cell, in the order of the cells and of time.
    ///
    /// Samples of cells that the run does not have are left out.
    pub fn samples_by_cell(&self) -> Vec<Vec<&SampleRecord>> {
        let mut samples = vec![Vec::new(); self.cells.len()];
        for record in &self.samples {
            if let Some(samples) = samples.get_mut(record.cell) {
                samples.push(record);
            }
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use stripewise_study::sample::{Role, Sample};
    use stripewise_units::Nanos;

    use super::*;

    /// A run took 27 min 41 s under a budget of 26: of a sample in a guest only its load counted.
    #[test]
    fn a_sample_in_a_guest_counts_with_the_time_of_this_machine() {
        const SECOND: u64 = 1_000_000_000;
        let record = |started_s: u64, real_s: Option<u64>| SampleRecord {
            cell: 0,
            block: 0,
            role: Role::Counted,
            seed: None,
            sample: Sample {
                started_unix_ns: Some(started_s * SECOND),
                elapsed_ns: Nanos::new(SECOND),
                real_ns: real_s.map(|seconds| Nanos::new(seconds * SECOND)),
                ..Sample::default()
            },
        };
        let executed = |real_s| {
            let samples = [record(110, real_s), record(1010, real_s)];
            // Two sessions were killed, so that only their samples say how long they took.
            executed_for(100 * SECOND, [1000 * SECOND], None, &samples).as_secs()
        };
        assert_eq!(executed(Some(90)), 200);
        assert_eq!(executed(None), 22);
    }
}
