//! Both states of devices: fresh, as a load finds them, and steady, once it has filled what makes them
//! fast; how much of the load that takes, and which state applies at a daily volume.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_analysis::simulations::median_of;
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::prediction::Prediction;
use stripewise_stats::Estimate;
use stripewise_study::cell;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Room, Sample, as_f64};
use stripewise_study::warning::Warning;
use stripewise_units::{Bytes, Nanos};

use crate::common_error::ErrorBasis;
use crate::document::{CellPart, Document, ShownWarning};
use crate::names::Names;
use crate::numbers::{is_small, mib_per_s, rate, size_argument, span};

/// States that differ by more than this share are both shown.
const DIFFERENCE: f64 = 0.10;
/// States that differ by less than this share are one: how much is between them says nothing.
const SAME: f64 = 0.02;
/// When devices are steady is shown as "about" if it may be off by more than this share.
const ABOUT: f64 = 0.10;
/// Two stacks that differ by more than this share have an order.
const ORDER: f64 = 0.05;
/// What fills within this time at full speed is a cache, which empties as fast; no state of devices.
const CACHE_NS: Nanos = Nanos::from_millis(1_000);
/// The most rows of the table; JSON has all.
const ROWS_MAX: usize = 24;
const DAY_NS: f64 = 86_400.0 * 1e9;

/// What fresh devices give, and when they are steady.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FreshState {
    /// Their bandwidth and rate of I/Os, by the key of the metric.
    #[cfg_attr(feature = "typescript", ts(type = "{ [key in MetricKey]?: Estimate }"))]
    pub estimates: BTreeMap<&'static str, Estimate>,
    /// The bytes of the load until they are steady, when the first fast area is full; `None` if unknown.
    pub until_bytes: Option<Bytes>,
    /// How few these may be, as the simulations differ.
    pub until_least_bytes: Option<Bytes>,
    /// How many these may be: until the last fast area is full.
    pub until_most_bytes: Option<Bytes>,
    /// The time until then at full speed.
    pub until_ns: Option<Nanos>,
    /// How many bytes are written until then, by the load and its neighbours.
    pub until_written_bytes: Option<Bytes>,
    /// What the load and its neighbours write in a second once they are steady, which the devices take
    /// for ever; `None` if they write nothing.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub(crate) drained_bytes_per_s: Option<f64>,
    /// How an error of the profiles moves them; `None` if they were not simulated on their own.
    #[serde(skip)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub(crate) error_basis: Option<ErrorBasis>,
}

impl FreshState {
    /// Returns the fresh state of a cell from the prediction of it beside that of the steady one; `None`
    /// if fresh devices are no faster.
    pub fn of(cell: &cell::Cell, fresh: &Prediction, steady: &Prediction) -> Option<Self> {
        let of = |metric: Metric| Some((metric.key(), *fresh.estimate(metric)?));
        let estimates = [Metric::Bandwidth, Metric::Iops].into_iter().filter_map(of);
        let rate = |of: &Prediction| Some(of.estimate(Metric::Bandwidth)?.value);
        let (first, rest) = (rate(fresh)?, rate(steady)?);
        if first <= rest {
            return None;
        }
        let differs = first > rest * (1.0 + SAME);
        let until = differs.then(|| Until::of(fresh, steady, first / (first - rest)));
        let until = until.flatten();
        let until_ns = until.and_then(|until| whole_ns(until.bytes, first));
        if until_ns.is_some_and(|time| time < CACHE_NS) {
            return None;
        }
        let at_first = written_share(cell, &fresh.samples);
        let written = until.and_then(|until| scaled(until.bytes, at_first));
        let in_long_run = written_share(cell, &steady.samples);
        Some(Self {
            estimates: estimates.collect(),
            until_bytes: until.map(|until| until.bytes),
            until_least_bytes: until.map(|until| until.least),
            until_most_bytes: until.map(|until| until.most),
            until_ns,
            until_written_bytes: written.filter(|bytes| bytes.as_u64() > 0),
            drained_bytes_per_s: drained(&steady.samples).map(|rate| rate * in_long_run),
            error_basis: Some(ErrorBasis::of(cell, fresh)),
        })
    }

    /// Does the same as [`FreshState::of`], and returns `None` where the states are too alike to show both.
    pub fn that_matters(
        cell: &cell::Cell,
        fresh: &Prediction,
        steady: &Prediction,
    ) -> Option<Self> {
        let state = Self::of(cell, fresh, steady)?;
        let rate = steady.estimate(Metric::Bandwidth)?.value;
        state.matters_beside(rate).then_some(state)
    }

    /// Returns the fresh state of a cell from the simulations of fresh devices beside those of steady ones;
    /// `None` if fresh devices are no faster, or were not simulated.
    pub fn of_samples(cell: &cell::Cell, samples: &[Sample]) -> Option<Self> {
        Self::beside(cell, &Prediction::of(samples.to_vec())?)
    }

    /// Does the same for the simulations of a prediction of steady devices.
    pub(crate) fn beside(cell: &cell::Cell, steady: &Prediction) -> Option<Self> {
        let fresh = simulated_fresh(&steady.samples).cloned().collect();
        Self::of(
            cell,
            &Prediction::of_fresh(fresh, steady.samples.len())?,
            steady,
        )
    }

    /// Returns which state applies at a daily volume.
    ///
    /// What makes devices fast fills when writes come faster than it empties. Steady devices take what
    /// they empty, so a day's writes that come evenly fill nothing as long as they are less. Whether they
    /// fill it when they come in bursts, the volume does not say, unless all of it would find room.
    pub fn applies_at(&self, volume: Bytes) -> Applies {
        let drained = self.drained_bytes_per_s.filter(|rate| *rate > 0.0);
        let is_all_the_time = drained.map(|rate| a_second(volume) >= rate);
        match (is_all_the_time, self.until_written_bytes) {
            (Some(true), _) => Applies::Steady,
            (Some(false), Some(until)) if self.least_of(until) > volume => Applies::Fresh,
            (Some(false), Some(_)) => Applies::Bursts,
            (None, _) | (_, None) => Applies::Unknown,
        }
    }

    /// Returns how few bytes it may be that were computed from those until the devices are steady.
    fn least_of(&self, written: Bytes) -> Bytes {
        let share = self.until_bytes.zip(self.until_least_bytes);
        let share = share.map(|(value, least)| as_f64(least.as_u64()) / as_f64(value.as_u64()));
        share
            .and_then(|share| scaled(written, share))
            .unwrap_or(written)
    }

    /// Returns the least and the most time until the devices are steady; twice the same unless that may be
    /// far off.
    fn times(&self) -> Option<[Nanos; 2]> {
        let (time, value) = (self.until_ns?, self.until_bytes?);
        if !self.is_about() {
            return Some([time, time]);
        }
        let rate = as_f64(value.as_u64()) / time.as_secs_f64();
        let of = |bytes: Option<Bytes>| whole_ns(bytes?, rate);
        Some([of(self.until_least_bytes)?, of(self.until_most_bytes)?])
    }

    /// Returns whether the devices may be steady much earlier or later.
    fn is_about(&self) -> bool {
        let number = |bytes: Option<Bytes>| bytes.map(|bytes| as_f64(bytes.as_u64()));
        let range = number(self.until_least_bytes).zip(number(self.until_most_bytes));
        let range = range.zip(number(self.until_bytes));
        range
            .is_some_and(|((least, most), value)| (most - value).max(value - least) > ABOUT * value)
    }

    /// Returns whether it is too far from the bandwidth of steady devices to show only one.
    pub(crate) fn matters_beside(&self, steady: f64) -> bool {
        let fresh = self.value(Metric::Bandwidth);
        fresh.is_some_and(|fresh| differ(fresh, steady))
    }

    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        Some(self.estimates.get(metric.key())?.value)
    }
}

/// How much of a load fills fresh devices.
#[derive(Debug, Clone, Copy)]
struct Until {
    bytes: Bytes,
    least: Bytes,
    most: Bytes,
}

impl Until {
    /// Returns it for simulations of fresh devices beside those of steady ones; `None` if it is unknown. The
    /// buffers take `passed` times what they hold, as they empty meanwhile.
    fn of(fresh: &Prediction, steady: &Prediction, passed: f64) -> Option<Self> {
        // What fresh devices get counts, unless the page cache took it first.
        let rooms = rooms(&fresh.samples).or_else(|| rooms(&steady.samples))?;
        let load = |room: &Room, area: Bytes| {
            as_f64(area.as_u64()) + as_f64(room.buffer.as_u64()) * passed
        };
        let first: Vec<f64> = rooms.iter().map(|room| load(room, room.first)).collect();
        let last = rooms.iter().map(|room| load(room, room.last));
        Some(Self {
            bytes: whole_bytes(median_of(&first)?.value)?,
            least: whole_bytes(first.iter().copied().fold(f64::INFINITY, f64::min))?,
            most: whole_bytes(last.fold(0.0, f64::max))?,
        })
    }
}

/// Returns the room that simulations found, if at least half of them did.
fn rooms(samples: &[Sample]) -> Option<Vec<Room>> {
    let of = |one: &Sample| one.breakdown.as_ref()?.room;
    let rooms: Vec<Room> = samples.iter().filter_map(of).collect();
    (!rooms.is_empty() && 2 * rooms.len() >= samples.len()).then_some(rooms)
}

/// Returns the simulations of fresh devices beside those of steady ones.
pub(crate) fn simulated_fresh(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    let breakdowns = samples.iter().filter_map(|one| one.breakdown.as_ref());
    breakdowns.filter_map(|breakdown| breakdown.fresh.as_deref())
}

/// Returns whether simulations of a cell's steady devices leave out what fresh ones give.
pub fn leaves_out_fresh(cell: &cell::Cell, samples: &[Sample]) -> bool {
    let is_steady = cell.conditions.state != Some(State::Fresh);
    let fresh = FreshState::of_samples(cell, samples).filter(|_| is_steady);
    let rate = drained(samples);
    fresh
        .zip(rate)
        .is_some_and(|(fresh, rate)| fresh.matters_beside(rate))
}

/// Returns whether the rates of the two states are too far apart to show only one.
fn differ(fresh: f64, steady: f64) -> bool {
    (fresh / steady - 1.0).abs() > DIFFERENCE
}

/// Returns whether the first I/Os of a load are like all others: it neither syncs now and then, nor has
/// neighbours, which begin in their own time.
pub(crate) fn begins_as_it_is(cell: &cell::Cell) -> bool {
    let load = &cell.workload.load;
    let syncs = load.fsync_every.or(load.fdatasync_every);
    syncs.is_none() && cell.workload.neighbours.is_empty()
}

/// Returns whether it is unknown what fresh devices give a cell of a run.
pub(crate) fn is_fresh_unknown(part: &CellPart) -> bool {
    let onset = part
        .breakdown
        .as_ref()
        .and_then(|breakdown| breakdown.onset)
        .filter(|onset| !onset.is_of_caches);
    part.fresh.is_none()
        && !part.is_fresh_simulated
        && (onset.is_some() || part.warnings.iter().any(is_of_changes))
}

fn is_of_changes(one: &ShownWarning) -> bool {
    matches!(one.warning, Warning::NotStationary { .. })
}

/// Returns the bytes that the load and its neighbours write for each byte that the load moves.
fn written_share(cell: &cell::Cell, samples: &[Sample]) -> f64 {
    let sum = |of: fn(&Sample) -> u64| samples.iter().map(|one| as_f64(of(one))).sum::<f64>();
    let moved = sum(|one| one.bytes().as_u64());
    let written = sum(|one| one.write.bytes.as_u64());
    let beside = sum(|one| one.neighbours_write_bytes.map_or(0, Bytes::as_u64));
    match moved > 0.0 && cell.workload.load.pattern.writes() {
        true => (written + beside) / moved,
        false => 0.0,
    }
}

/// Returns the bandwidth of simulations of steady devices.
fn drained(samples: &[Sample]) -> Option<f64> {
    let rates: Option<Vec<f64>> = samples
        .iter()
        .map(|one| Metric::Bandwidth.of(one))
        .collect();
    Some(median_of(&rates?)?.value)
}

/// Returns the mean of a daily volume, in bytes per second.
fn a_second(volume: Bytes) -> f64 {
    as_f64(volume.as_u64()) / DAY_NS * 1e9
}

fn scaled(bytes: Bytes, by: f64) -> Option<Bytes> {
    whole_bytes(as_f64(bytes.as_u64()) * by)
}

fn whole_bytes(bytes: f64) -> Option<Bytes> {
    let time = std::time::Duration::try_from_secs_f64(bytes / 1e9).ok()?;
    u64::try_from(time.as_nanos()).ok().map(Bytes::new)
}

/// Returns how long bytes take at a rate.
fn whole_ns(bytes: Bytes, bytes_per_s: f64) -> Option<Nanos> {
    let seconds = as_f64(bytes.as_u64()) / bytes_per_s;
    let time = std::time::Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(time.as_nanos()).ok().map(Nanos::new)
}

/// A cell with both states.
pub(crate) struct Both<'a> {
    /// What names it in the table.
    pub(crate) names: Vec<Cell>,
    /// Its name in a sentence.
    pub(crate) name: Argument,
    pub(crate) cell: &'a cell::Cell,
    /// `None`: fresh devices do as steady ones, unless that is unknown.
    pub(crate) fresh: Option<&'a FreshState>,
    /// Whether it is unknown what fresh devices give.
    pub(crate) is_unknown: bool,
    /// The estimates of steady devices.
    pub(crate) steady: &'a BTreeMap<&'static str, Estimate>,
}

impl Both<'_> {
    fn steady(&self) -> Option<f64> {
        Some(self.steady.get(Metric::Bandwidth.key())?.value)
    }

    fn fresh(&self) -> Option<f64> {
        match self.fresh {
            Some(fresh) => fresh.value(Metric::Bandwidth),
            None => self.steady().filter(|_| !self.is_unknown),
        }
    }

    fn differs(&self) -> bool {
        let ratio = self.fresh().zip(self.steady());
        ratio.is_some_and(|(fresh, steady)| differ(fresh, steady))
    }

    fn is_same_load(&self, other: &Both) -> bool {
        self.cell.workload == other.cell.workload && self.cell.conditions == other.cell.conditions
    }

    /// Returns whether the two are in this order while fresh, and in the other once steady.
    /// Both are of one load.
    fn changes_place_with(&self, other: &Both) -> bool {
        let is_more = |one: Option<f64>, other: Option<f64>| {
            one.zip(other)
                .is_some_and(|(one, other)| one > other * (1.0 + ORDER))
        };
        is_more(self.fresh(), other.fresh()) && is_more(other.steady(), self.steady())
    }
}

/// Returns the cells of the loads at which both states matter: they differ, or rank differently.
fn that_matter<'a, 'b>(rows: &'b [Both<'a>]) -> Vec<&'b Both<'a>> {
    // Of thousands of cells, only those of one load are compared with each other.
    let mut loads: Vec<Vec<&Both>> = Vec::new();
    for row in rows {
        match loads.iter_mut().find(|load| load[0].is_same_load(row)) {
            Some(load) => load.push(row),
            None => loads.push(vec![row]),
        }
    }
    let matters = |load: &Vec<&Both>| {
        let changes = |one: &&Both| load.iter().any(|other| one.changes_place_with(other));
        load.iter().any(|one| one.differs()) || load.iter().any(changes)
    };
    loads.retain(matters);
    let is_of_one = |row: &&Both| loads.iter().any(|load| load[0].is_same_load(row));
    rows.iter().filter(is_of_one).collect()
}

/// How a daily volume of writes is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Daily {
    /// It is stated.
    Volume(Bytes),
    /// An option of the command would state it.
    Option,
    /// A key of the study would.
    Key,
}

/// Returns both states of the cells where they matter; nothing if they matter nowhere.
pub(crate) fn blocks(rows: &[Both], columns: Vec<Column>, daily: Daily) -> Vec<Block> {
    let rows = that_matter(rows);
    if rows.is_empty() {
        return Vec::new();
    }
    let shown = &rows[..rows.len().min(ROWS_MAX)];
    let mut blocks = vec![
        Block::Gap,
        Block::heading(Message::new("states-title")),
        table(shown, columns, daily).into(),
    ];
    let hidden = rows.len() - shown.len();
    let more = (hidden > 0).then(|| Message::new("states-more").count("count", hidden));
    let notes = more.into_iter().chain([Message::new("states-what")]);
    blocks.extend(notes.map(|note| Block::toned(Tone::Dim, note)));
    blocks.extend(sentences(&rows, daily).into_iter().map(Block::say));
    blocks
}

fn table(rows: &[&Both], mut columns: Vec<Column>, daily: Daily) -> Table {
    let name = |id: &'static str| Message::new(id);
    let is_small = rows.iter().all(|row| is_small(&row.cell.workload.load));
    let (metric, unit): (_, &str) = match is_small {
        true => (Metric::Iops, "IOPS"),
        false => (Metric::Bandwidth, "MiB/s"),
    };
    let of_state = |keys: [&'static str; 2], head: &'static str| {
        let head = Message::new(head).name("unit", unit);
        Column::number(keys[usize::from(is_small)], head)
    };
    columns.extend([
        of_state(["fresh_bytes_per_s", "fresh_iops"], "states-fresh"),
        of_state(["steady_bytes_per_s", "steady_iops"], "states-steady"),
        Column::number("until_bytes", name("states-after")).optional(2),
        Column::number("until_s", name("states-full-speed")).optional(1),
    ]);
    let volume = match daily {
        Daily::Volume(volume) => Some(volume),
        Daily::Option | Daily::Key => None,
    };
    columns.extend(volume.map(|volume| {
        let head = Message::new("states-a-day").with("volume", size_argument(volume.as_u64()));
        Column::words("state_at_daily_volume", head)
    }));
    let mut table = Table::new("states", columns);
    for row in rows {
        let number = |value: f64| {
            let shown = match is_small {
                true => rate(value),
                false => mib_per_s(value),
            };
            Cell::digits(shown).exact(value)
        };
        let of = |value: Option<f64>| value.map_or_else(Cell::none, number);
        let steady = row.steady.get(metric.key()).map(|estimate| estimate.value);
        let fresh = row.fresh;
        let same = steady.filter(|_| !row.is_unknown);
        let first = fresh.map_or(same, |fresh| fresh.value(metric));
        let until = fresh.and_then(|fresh| fresh.until_bytes);
        let is_about = fresh.is_some_and(FreshState::is_about);
        let size = |bytes: Bytes| {
            let shown = about(size_argument(bytes.as_u64()), is_about);
            Cell::of(shown).exact(as_f64(bytes.as_u64()))
        };
        let mut fields = row.names.clone();
        fields.extend([
            of(first),
            of(steady),
            until.map_or_else(Cell::none, size),
            time(fresh.and_then(|fresh| fresh.until_ns), is_about),
        ]);
        fields.extend(volume.map(|volume| {
            let applies = fresh.map(|fresh| fresh.applies_at(volume));
            applies.map_or_else(Cell::none, |applies| Cell::of(applies.brief()))
        }));
        table.row(fields);
    }
    table
}

fn time(ns: Option<Nanos>, is_about: bool) -> Cell {
    ns.map_or_else(Cell::none, |ns| {
        let shown = std::time::Duration::from_nanos(ns.as_u64());
        Cell::of(about(Argument::Name(days(shown)), is_about)).exact(ns.as_secs_f64())
    })
}

/// Returns a value with "about" before it if it may be far off.
fn about(value: Argument, is_about: bool) -> Argument {
    match is_about {
        true => Message::new("states-about").with("value", value).into(),
        false => value,
    }
}

/// Returns a time for people, in days from two days on.
fn days(time: std::time::Duration) -> String {
    match time.as_secs() / 86_400 {
        0..2 => span(time),
        days => format!("{days} d"),
    }
}

/// Returns the states that an answer about these cells is about: the one that applies at the daily volume
/// to all of them, or both where they matter.
pub(crate) fn applying(rows: &[Both], daily: Daily) -> Vec<State> {
    let rows = that_matter(rows);
    if rows.iter().all(|row| row.fresh.is_none()) {
        return vec![State::Steady];
    }
    match daily {
        Daily::Volume(volume) => Applies::of_all(&rows, volume).states().to_vec(),
        Daily::Option | Daily::Key => vec![State::Fresh, State::Steady],
    }
}

/// Returns which state applies at the daily volume to cells of which both matter; `None` if they matter
/// nowhere.
pub(crate) fn applies_to(rows: &[Both], daily: Daily) -> Option<Applies> {
    let rows = that_matter(rows);
    rows.first()?;
    Some(match daily {
        Daily::Volume(volume) => Applies::of_all(&rows, volume),
        Daily::Option | Daily::Key => Applies::Unknown,
    })
}

/// Returns the sentences about which state applies; none where both are the same.
pub(crate) fn sentences_about(rows: &[Both], daily: Daily) -> Vec<Message> {
    let rows = that_matter(rows);
    match rows.is_empty() {
        true => Vec::new(),
        false => sentences(&rows, daily),
    }
}

/// Returns the head of tables that show one state where the other matters, too: steady devices.
pub(crate) fn head_of_steady(rows: &[Both]) -> Option<Block> {
    let matters = !that_matter(rows).is_empty();
    matters.then(|| Block::heading(Message::new("claim-state-steady")))
}

/// Returns which state applies at the daily volume, or how to learn it.
fn sentences(rows: &[&Both], daily: Daily) -> Vec<Message> {
    let volume = match daily {
        Daily::Volume(volume) => volume,
        Daily::Option => return vec![Message::new("states-ask")],
        Daily::Key => return vec![Message::new("states-ask-key")],
    };
    let rows: Vec<_> = rows.iter().filter(|row| row.fresh.is_some()).collect();
    let mut sentences = Vec::new();
    for (id, applies) in [
        ("states-applies-fresh", Applies::Fresh),
        ("states-applies-steady", Applies::Steady),
        ("states-applies-bursts", Applies::Bursts),
        ("states-applies-unknown", Applies::Unknown),
    ] {
        let is_it = |fresh: &&FreshState| fresh.applies_at(volume) == applies;
        let found = rows.iter();
        let found = found.filter_map(|row| Some((row, row.fresh.filter(is_it)?)));
        let found: Vec<_> = found.collect();
        let names: Vec<Argument> = found.iter().map(|(row, _)| row.name.clone()).collect();
        if names.is_empty() {
            continue;
        }
        let which = match names.len() == rows.len() {
            true => Message::new("states-all").into(),
            false => Argument::list(names),
        };
        let message = Message::new(id).with("volume", size_argument(volume.as_u64()));
        let mean = || Metric::Bandwidth.quantity(a_second(volume));
        let message = match applies {
            Applies::Steady => message.with("mean", mean()),
            Applies::Bursts => {
                let time = flat_out(found.iter().map(|(_, fresh)| *fresh));
                message.with("mean", mean()).with("time", time)
            }
            Applies::Fresh | Applies::Mixed | Applies::Unknown => message,
        };
        sentences.push(message.with("which", which).as_sentence());
    }
    sentences
}

/// Returns how long the loads can write at full speed before the devices are steady.
fn flat_out<'a>(fresh: impl Iterator<Item = &'a FreshState>) -> Argument {
    let times: Vec<Nanos> = fresh.filter_map(FreshState::times).flatten().collect();
    let shown = |time: &Nanos| days(std::time::Duration::from_nanos(time.as_u64()));
    let (Some(least), Some(most)) = (times.iter().min(), times.iter().max()) else {
        return Message::new("none").into();
    };
    match shown(least) == shown(most) {
        true => Argument::Name(shown(least)),
        false => Message::new("states-from-to")
            .name("least", shown(least))
            .name("most", shown(most))
            .into(),
    }
}

/// Which state the answer of a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// The fresh state, at the daily volume.
    Fresh,
    /// The steady state, at the daily volume.
    Steady,
    /// The daily volume fills the devices or not, as it comes: evenly, or in long bursts.
    Bursts,
    /// One state for some cells, the other for others.
    Mixed,
    /// Unknown: the study states no daily volume.
    Unknown,
}

impl Applies {
    /// Returns which state applies to cells of which both matter.
    fn of_all(rows: &[&Both], volume: Bytes) -> Self {
        let fresh = rows.iter().filter_map(|row| row.fresh);
        let mut all: Vec<Applies> = fresh.map(|fresh| fresh.applies_at(volume)).collect();
        all.dedup();
        match all[..] {
            [] => Applies::Steady,
            [one] => one,
            _ => Applies::Mixed,
        }
    }

    /// Returns the states that an answer is about.
    pub(crate) const fn states(self) -> &'static [State] {
        match self {
            Applies::Fresh => &[State::Fresh],
            Applies::Steady => &[State::Steady],
            Applies::Bursts | Applies::Mixed | Applies::Unknown => &[State::Fresh, State::Steady],
        }
    }

    /// Returns the word for a column.
    fn brief(self) -> Message {
        Message::new(match self {
            Applies::Fresh => "states-is-fresh",
            Applies::Steady => "states-is-steady",
            Applies::Bursts | Applies::Mixed => "states-is-bursts",
            Applies::Unknown => "states-is-unknown",
        })
    }
}

/// Returns the daily volume that the study of a run states.
fn daily_of(document: &Document) -> Daily {
    let asked = document.lifetime.as_ref();
    let volume = asked.and_then(|lifetime| lifetime.asked.writes_per_day_bytes);
    volume.map_or(Daily::Key, Daily::Volume)
}

fn both<'a>(cells: &'a [cell::Cell], document: &'a Document, names: &Names) -> Vec<Both<'a>> {
    let both = |index: &usize| {
        let (cell, part): (_, &CellPart) = (&cells[*index], &document.cells[*index]);
        (cell.conditions.state != Some(State::Fresh)).then(|| Both {
            names: names.values(cell),
            name: names.argument(cell),
            cell,
            fresh: part.fresh.as_ref(),
            is_unknown: is_fresh_unknown(part),
            steady: &part.estimates,
        })
    };
    names.order.iter().filter_map(both).collect()
}

/// Returns both states of the cells of a run where they matter.
pub(crate) fn of_run(document: &Document, names: &Names) -> Vec<Block> {
    let cells: Vec<cell::Cell> = document.cells.iter().map(CellPart::cell).collect();
    let rows = both(&cells, document, names);
    let mut blocks = blocks(&rows, names.columns(), daily_of(document));
    let unknown: Vec<&Both> = rows.iter().filter(|row| row.is_unknown).collect();
    let unknown: Vec<Argument> = unknown.iter().map(|row| row.name.clone()).collect();
    if !unknown.is_empty() {
        let which = match unknown.len() == rows.len() {
            true => Message::new("states-all").into(),
            false => Argument::semicolons(unknown),
        };
        let message = Message::new("states-unknown").with("which", which);
        blocks.extend([Block::Gap, Block::toned(Tone::Warn, message.as_sentence())]);
    }
    blocks
}

/// Returns whether the tables of a run show one of two states that matter: steady devices.
pub(crate) fn shows_one_of_two(document: &Document) -> bool {
    applies(document).is_some()
}

/// Returns which state the answer of a run is about; `None` if both states are the same to it.
pub(crate) fn applies(document: &Document) -> Option<(Applies, Option<Bytes>)> {
    let names = document.names();
    let cells: Vec<cell::Cell> = document.cells.iter().map(CellPart::cell).collect();
    let rows = both(&cells, document, &names);
    let rows = that_matter(&rows);
    rows.first()?;
    let Daily::Volume(volume) = daily_of(document) else {
        return Some((Applies::Unknown, None));
    };
    let applies = Applies::of_all(&rows, volume);
    Some((applies, Some(volume)))
}
