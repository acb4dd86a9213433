//! Series from the store: the median of a metric in the same cell of many runs, in the order of time.

pub(super) mod files;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, btree_map};
use std::hash::{DefaultHasher, Hasher as _};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use stripewise_analysis::counted;
use stripewise_answer::{Block, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::explain::kinds::ALL;
use stripewise_export::sketches::cell_key;
use stripewise_history::answer::{Acknowledged, ChangePart, FactPart, Point, SeriesPart};
use stripewise_history::{CannotTell, Detector, LEVEL_MAX, Trend};
use stripewise_report::matching::matching_cells;
use stripewise_report::names::Names;
use stripewise_results::world::WorldSpec;
use stripewise_results::{Acknowledgement, Run, RunId, RunState, RunSummary, Store, unix_now_ns};
use stripewise_stats::median;
use stripewise_study::metric::Metric;
use stripewise_study::world::WorldName;

use super::outliers::host_of;
use super::{compare, explain, stored};
use crate::answers::FormatArgs;
use crate::failure::{Failure, Result};
use crate::stores::StoreArgs;

/// The options of questions over history.
#[derive(Debug, clap::Args)]
pub(super) struct HistoryArgs {
    /// Only runs with this tag; repeat for runs that have all of several tags
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,

    /// The metric: bandwidth, iops, latency_mean, latency_p50, latency_p99, latency_p999,
    /// sync_latency_mean, sync_latency_p99
    #[arg(long, value_parser = compare::parse_metric, default_value = "bandwidth")]
    pub(super) metric: Metric,

    /// How often noise alone may be reported, at most 5% [default: 5%]
    #[arg(long, value_name = "SHARE", value_parser = parse_level)]
    level: Option<f64>,

    /// Write the answer as one HTML file with pictures; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "format"])]
    pub(super) page: Option<PathBuf>,

    #[command(flatten)]
    pub(super) store: StoreArgs,

    #[command(flatten)]
    pub(super) format: FormatArgs,
}

impl HistoryArgs {
    pub(super) fn level(&self) -> f64 {
        self.level.unwrap_or(LEVEL_MAX)
    }

    /// Returns the finished runs that are meant, the oldest first.
    pub(super) fn runs(&self, store: &Store) -> Result<Vec<RunSummary>> {
        let mut runs = store.runs()?;
        runs.retain(|run| {
            run.state == RunState::Done && self.tag.iter().all(|tag| run.tags.contains(tag))
        });
        runs.sort_by_key(|run| (run.started_unix_ns, run.id));
        Ok(runs)
    }
}

fn parse_level(text: &str) -> std::result::Result<f64, String> {
    let level = compare::parse_share(text)?.as_fraction();
    match level <= LEVEL_MAX {
        true => Ok(level),
        false => Err("it is at most 5 %".to_owned()),
    }
}

/// The values of one cell in many runs.
pub(super) struct Series {
    name: String,
    title: Message,
    points: Vec<Measured>,
    left_out: usize,
}

struct Measured {
    run: RunId,
    cell: usize,
    started_unix_ns: u64,
    value: f64,
}

/// Series, and what is in none of them.
pub(super) struct Collected {
    pub(super) series: Vec<Series>,
    /// The cells of other runs that the run asked about does not have, by what identifies them.
    pub(super) gone: BTreeSet<String>,
}

/// Runs with the samples of an earlier one of the same host and study: imported twice, or under two names.
#[derive(Default)]
pub(super) struct Copies {
    first: HashMap<(Option<String>, String, u64), RunId>,
    found: Vec<[RunId; 2]>,
}

impl Copies {
    /// Returns whether no earlier run has the same samples. In the model, equal runs are equal: there each is
    /// one of its own.
    pub(super) fn is_first(&mut self, run: &Run) -> bool {
        let is_model = run.world.as_ref().map(WorldSpec::name) == Some(WorldName::Model);
        let samples = serde_json::to_vec(&run.samples).unwrap_or_default();
        if is_model || run.samples.is_empty() || samples.is_empty() {
            return true;
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(&samples);
        let host = host_of(&run.summary.tags).map(str::to_owned);
        let key = (host, run.summary.study_name.clone(), hasher.finish());
        match self.first.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(run.summary.id);
                true
            }
            Entry::Occupied(entry) => {
                self.found.push([run.summary.id, *entry.get()]);
                false
            }
        }
    }

    /// Returns the copies by their numbers.
    pub(super) fn found(&self) -> Vec<String> {
        let found = self.found.iter();
        found.map(|[copy, _]| copy.to_string()).collect()
    }
}

/// Says which runs or files are copies, the first ones by name.
pub(super) fn copied(id: &'static str, copies: &[String]) -> Option<Block> {
    let names = copies.iter().take(COPIES_NAMED).cloned();
    let message = Message::new(id)
        .count("copies", copies.len())
        .with("names", Argument::list(names.map(Argument::Name)));
    (!copies.is_empty()).then(|| Block::toned(Tone::Warn, message))
}

/// How many copies are named.
const COPIES_NAMED: usize = 5;

/// The runs beside changes, each read once: many cells change at one run.
pub(super) struct Beside<'a> {
    store: &'a Store,
    runs: BTreeMap<RunId, Run>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self {
            store,
            runs: BTreeMap::new(),
        }
    }

    fn read(&mut self, one: &Measured) -> Result<(Run, usize)> {
        let run = match self.runs.entry(one.run) {
            btree_map::Entry::Occupied(entry) => entry.into_mut(),
            btree_map::Entry::Vacant(entry) => entry.insert(self.store.run(one.run)?),
        };
        Ok((run.clone(), one.cell))
    }
}

/// Returns whether two runs are of one host: both name the same one, or none.
pub(super) fn is_same_host(one: &RunSummary, other: &RunSummary) -> bool {
    host_of(&one.tags) == host_of(&other.tags)
}

/// Collects the series of some cells of the run `of` from `runs`, which are in the order of time.
pub(super) fn collect(
    store: &Store,
    runs: &[RunSummary],
    of: &Run,
    cells: &[usize],
    metric: Metric,
    copies: &mut Copies,
) -> Result<Collected> {
    let all: Vec<_> = of.cells.iter().collect();
    let names = Names::of(&all, &of.summary.origin);
    let study = match host_of(&of.summary.tags) {
        Some(host) => format!("{} ({host})", of.summary.study_name),
        None => of.summary.study_name.clone(),
    };
    let mut series: Vec<Series> = cells
        .iter()
        .map(|cell| Series {
            name: format!("{study}: {}", names.name(&of.cells[*cell])),
            title: Message::new("history-series")
                .name("study", &study)
                .with("cell", names.argument(&of.cells[*cell])),
            points: Vec::new(),
            left_out: 0,
        })
        .collect();
    let mut gone = BTreeSet::new();
    for summary in runs {
        let run = match summary.id == of.summary.id {
            true => of,
            false => &store.run(summary.id)?,
        };
        if !copies.is_first(run) {
            continue;
        }
        let started_unix_ns = measured_unix_ns(run);
        let pairs = matching_cells(&of.cells, &run.cells);
        let has_partner = |index: usize| pairs.iter().any(|(_, other)| *other == index);
        let alone = (0..run.cells.len()).filter(|index| !has_partner(*index));
        gone.extend(alone.filter_map(|index| cell_key(&run.cells[index])));
        let partners: BTreeMap<usize, usize> = pairs.iter().copied().collect();
        for (series, cell) in series.iter_mut().zip(cells) {
            let partner = partners.get(cell);
            let value = partner.and_then(|cell| Some((*cell, value_of(run, *cell, metric)?)));
            match value {
                Some((cell, value)) => series.points.push(Measured {
                    run: summary.id,
                    cell,
                    started_unix_ns,
                    value,
                }),
                None => series.left_out += 1,
            }
        }
    }
    // Imported runs are stored in the order of their import.
    for one in &mut series {
        one.points
            .sort_by_key(|point| (point.started_unix_ns, point.run));
    }
    Ok(Collected { series, gone })
}

/// Returns when a run was measured, in ns since 1970-01-01 UTC. The run itself has the time of the import
/// if it is imported, and its first sample may say when it began.
pub(super) fn measured_unix_ns(run: &Run) -> u64 {
    let samples = run.samples.iter();
    let first = samples.filter_map(|record| record.sample.started_unix_ns);
    match run.summary.origin.is_imported() {
        true => first.min().unwrap_or(run.summary.started_unix_ns),
        false => run.summary.started_unix_ns,
    }
}

/// Returns the median of the samples of a cell that count.
pub(super) fn value_of(run: &Run, cell: usize, metric: Metric) -> Option<f64> {
    let steady = stored::asked(run).repeat.steady_state;
    let samples = run.samples.iter().filter(|record| record.cell == cell);
    let counted = counted::counted(samples, steady, metric);
    Some(median(&counted::series(&counted.samples, metric)?))
}

/// Returns the day on which something began, where the user is.
pub(super) fn day(unix_ns: u64) -> String {
    let time = Timestamp::from_nanosecond(i128::from(unix_ns)).unwrap_or_default();
    time.to_zoned(TimeZone::system()).date().to_string()
}

impl Series {
    /// Judges the series.
    pub(super) fn trend(&self, detector: &mut Detector) -> std::result::Result<Trend, CannotTell> {
        let values: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        detector.trend(&values)
    }

    /// Returns what was found in it, with the facts and acknowledgements of its changes.
    pub(super) fn part(
        self,
        found: &std::result::Result<Trend, CannotTell>,
        metric: Metric,
        level: f64,
        beside: &mut Beside<'_>,
        acknowledged: &[Acknowledgement],
    ) -> Result<SeriesPart> {
        let points = self.points.iter().map(|point| Point {
            run: point.run.to_string(),
            label: format!("{} ({})", point.run, day(point.started_unix_ns)),
            started_unix_ns: point.started_unix_ns,
            value: point.value,
        });
        let found = found.as_ref().map_err(|why| *why);
        let names = (self.name.clone(), self.title.clone());
        let mut part = SeriesPart::new(names, points.collect(), found, level, metric);
        part.left_out = self.left_out;
        for change in &mut part.changes {
            change.facts = self.facts(change, beside)?;
            change.acknowledged = self.acknowledgement(change, acknowledged);
        }
        Ok(part)
    }

    /// Returns the facts that differ before and after the place of a change.
    fn facts(&self, change: &ChangePart, runs: &mut Beside<'_>) -> Result<Vec<FactPart>> {
        let [first, last] = change.places;
        let at = |place: Option<usize>| place.and_then(|place| self.points.get(place));
        // Over the whole interval: the fact may have changed at any of its runs.
        let sides = at(first.checked_sub(1)).zip(at(Some(last)));
        let Some((before, after)) = sides else {
            return Ok(Vec::new());
        };
        let changes = explain::facts_that_changed(runs.read(before)?, runs.read(after)?)?;
        Ok(changes
            .into_iter()
            .map(|change| FactPart {
                name: fact_name(&change.key),
                key: change.key,
                before: change.before,
                after: change.after,
            })
            .collect())
    }

    /// Returns the acknowledgement at one of the runs in the interval of a change, the last one made.
    fn acknowledgement(
        &self,
        change: &ChangePart,
        all: &[Acknowledgement],
    ) -> Option<Acknowledged> {
        let [first, last] = change.places;
        let runs = self.points.get(first..=last)?;
        let now = unix_now_ns();
        let holds = |one: &&Acknowledgement| {
            one.until_unix_ns.is_none_or(|until| now <= until)
                && runs.iter().any(|point| point.run == one.run)
        };
        let found = all.iter().rev().find(holds)?;
        Some(Acknowledged {
            text: found.text.clone(),
            by: found.by.clone(),
            until: found.until_unix_ns.map(day),
        })
    }
}

/// Returns the name of a fact, as `explain` has it.
fn fact_name(key: &str) -> Message {
    match ALL.iter().any(|kind| kind.key == key) {
        true => Message::new(format!("explain-fact-{key}")),
        false => Message::new("explain-fact-load").name("key", key),
    }
}

/// Fails if there is no finished run.
pub(super) fn none_found(store: &Store) -> Failure {
    Failure::new(format!(
        "`{}` has no finished run with these tags",
        store.path().display()
    ))
    .hint("`stripewise runs` lists the runs and their tags")
}
