//! The views of a page and their axes, chosen by how its cells differ.

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_answer::{Block, Table};
use stripewise_catalogue::Message;
use stripewise_study::cell::Axis;
use stripewise_study::conditions::State;
use stripewise_study::metric::{Metric, MetricKey};

use super::axes::{CHUNK, MappedAxis, NONE};
use super::cells::Cell;
use crate::document::Document;
use crate::hosts;
use crate::lifetime::lives;
use crate::names::has_two_values;
use crate::states;

/// Makes [`View`] from those that name axes and from the rows of all others: a view's kind, its name in
/// the page's address, and when it is shown.
macro_rules! views {
    ($( $(#[$doc:meta])* $kind:ident $id:literal: $is_shown:expr; )*) => {
        /// A view; the page has one component for each kind.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum View {
            /// A metric against a numeric axis, a line for each series.
            Curve {
                /// Its name in the page's address.
                id: &'static str,
                /// The metrics to choose from, the default first.
                metrics: Vec<MetricKey>,
                /// The numeric axis.
                x: &'static str,
                /// The axis that has a chart for each value.
                panel: Option<&'static str>,
                /// The axes whose values make the series.
                series: Vec<&'static str>,
                /// The states of the devices that it draws, where they differ.
                #[serde(skip_serializing_if = "Vec::is_empty")]
                #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<State>>"))]
                states: Vec<State>,
            },
            /// A bar for each cell.
            Bars {
                /// Its name in the page's address.
                id: &'static str,
                /// The metrics to choose from.
                metrics: Vec<MetricKey>,
                /// The axis that has a chart for each value.
                panel: Option<&'static str>,
                /// The axes whose values name the bars.
                series: Vec<&'static str>,
                /// The states of the devices that it draws, where they differ.
                #[serde(skip_serializing_if = "Vec::is_empty")]
                #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<State>>"))]
                states: Vec<State>,
            },
            /// A metric by two axes, as colours with numbers.
            HeatMap {
                /// Its name in the page's address.
                id: &'static str,
                /// The metrics to choose from.
                metrics: Vec<MetricKey>,
                /// The axis of the rows.
                rows: &'static str,
                /// The axis of the columns.
                columns: &'static str,
                /// The axis that has a map for each value.
                panel: Option<&'static str>,
                /// The states of the devices that it draws, where they differ.
                #[serde(skip_serializing_if = "Vec::is_empty")]
                #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<State>>"))]
                states: Vec<State>,
            },
            /// Tables and sentences, as the terminal prints them.
            Blocks {
                /// Its name in the page's address.
                id: &'static str,
                /// Its heading.
                title: Message,
                /// What it holds.
                blocks: Vec<Block>,
            },
            /// What power cuts destroyed, on a plane of throughput against the time lost.
            PowerCuts {
                /// Its name in the page's address.
                id: &'static str,
                /// The metric of the throughput, which is simulated.
                metric: MetricKey,
                /// The settings.
                settings: Vec<CutPlace>,
                /// All numbers of the settings, a row each, as the terminal prints them.
                table: Table,
            },
            $(
                $(#[$doc])*
                $kind {
                    /// Its name in the page's address.
                    id: &'static str,
                },
            )*
        }

        /// The views that name no axes, in the order of the page, each with when it is shown.
        const PLAIN: &[(fn(&Shown<'_>) -> bool, View)] =
            &[$(($is_shown, View::$kind { id: $id }),)*];
    };
}

/// What a page shows.
struct Shown<'a> {
    cells: &'a [Cell],
    /// Whether its cells are compared with those of another run.
    is_before_after: bool,
    /// Whether no cell has an array with a map.
    has_no_map: bool,
    /// Whether its cells differ in how much they ask for at once.
    has_demand: bool,
}

impl Shown<'_> {
    fn any(&self, has: fn(&Cell) -> bool) -> bool {
        self.cells.iter().any(has)
    }
}

fn has_rate_and_latency(cell: &Cell) -> bool {
    let has = |metric: Metric| cell.results.estimates.contains_key(metric.key());
    has(Metric::Iops) && has(Metric::LatencyMean)
}

views! {
    /// Latency against the rate that was reached, from the least load to the most.
    UnderLoad "under-load": |page| page.has_demand && page.any(has_rate_and_latency);
    /// A sample over time with events of the array.
    Timeline "timeline": |page| page.any(|cell| cell.timeline.is_some());
    /// All cells with their verdicts.
    Table "cells": |_| true;
    /// Each cell against its baseline or the same cell of another run, and the pairs of samples
    /// behind it.
    Paired "paired": |page| !page.is_before_after && page.any(|cell| !cell.verdicts.is_empty());
    /// Where the time of an I/O goes.
    Waterfall "waterfall": |page| page.any(|cell| cell.breakdown.is_some());
    /// The distribution of the latency.
    Distribution "latency": |page| page.any(|cell| cell.latency.is_some());
    /// Samples over time.
    TimeSeries "time": |page| page.any(|cell| cell.samples.len() > 1);
    /// Which member holds and serves which chunk.
    ArrayMap "map": |page| !page.has_no_map;
    /// The I/O of each device.
    Members "members": |page| page.any(|cell| !cell.members.is_empty());
    /// The warnings.
    Warnings "warnings": |_| true;
    /// The facts of the machine.
    Facts "facts": |_| true;
    /// Commands that repeat it.
    Commands "commands": |_| true;
    /// The data, to be saved.
    Data "data": |_| true;
}

/// A setting: a cell with power cuts, the same one of the model, or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CutPlace {
    /// Its name.
    pub name: Message,
    /// The index of the cell with power cuts.
    pub measured: Option<usize>,
    /// The index of the cell with the throughput and the prediction.
    pub simulated: Option<usize>,
}

const STACK: &str = "stack";
const WORKLOAD: &str = "workload";
/// Keys that follow from the depth: above 1, the usual engine is another one, and fio's buffers compress
/// otherwise.
const INCIDENTAL: [&str; 2] = ["engine", "data"];
/// More charts than this beside each other are unreadable.
const PANELS_MAX: usize = 12;

/// Returns what the terminal prints of a run below its cells and has no figure: both states of the
/// devices, and what the stacks cost.
pub(crate) fn tables(document: &Document) -> Vec<View> {
    let names = document.names();
    let view = |id, title: &'static str, blocks: Vec<Block>| {
        let title = Message::new(title);
        let is_shown = |block: &Block| !matches!(block, Block::Gap | Block::Heading(_));
        let blocks: Vec<Block> = blocks.into_iter().filter(is_shown).collect();
        (!blocks.is_empty()).then_some(View::Blocks { id, title, blocks })
    };
    let mut of_hosts = hosts::leads(document);
    of_hosts.extend(hosts::table(document, &names));
    let all = [
        view("hosts", "view-hosts", of_hosts),
        view("states", "view-states", states::of_run(document, &names)),
        view("cost", "view-cost", lives(document, &names)),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the states that figures of these runs draw: the one that applies to what a single run asks, or
/// both; steady ones beside each other of several runs; none where they do not differ.
pub(crate) fn states_of_figures(documents: &[Document]) -> &'static [State] {
    match documents {
        [only] => states::applies(only).map_or(&[], |(applies, _)| applies.states()),
        several if several.iter().any(states::shows_one_of_two) => &[State::Steady],
        _ => &[],
    }
}

impl View {
    /// Sets the states that a chart draws.
    fn draw(&mut self, drawn: &[State]) {
        if let View::Curve { states, .. }
        | View::Bars { states, .. }
        | View::HeatMap { states, .. } = self
        {
            *states = drawn.to_vec();
        }
    }
}

/// Returns what says which states the figures show: before them, or after those of fresh devices.
fn words_of_states(states: &[State]) -> Option<View> {
    let id = match states {
        [] => return None,
        [State::Steady] => "states-shown-figures",
        [State::Fresh] => "states-shown-fresh",
        _ => "states-shown-both",
    };
    Some(View::Blocks {
        id: "state",
        title: Message::new("claim-state-steady"),
        blocks: vec![Block::say(Message::new(id))],
    })
}

/// Returns the views of a page.
pub(crate) fn of(
    axes: &[MappedAxis],
    cells: &[Cell],
    (metrics, metric): (&[Metric], Metric),
    has_no_map: bool,
    power_cuts: Option<View>,
    (states, tables): (&[State], Vec<View>),
) -> Vec<View> {
    let metrics = ordered(metrics, metric);
    let mut views: Vec<View> = power_cuts.into_iter().collect();
    let is_before_after = cells.iter().any(|cell| cell.before.is_some());
    if is_before_after {
        views.push(View::Paired { id: "paired" });
    }
    if !metrics.is_empty() {
        let mut charts = charts(axes, cells, &metrics);
        charts.iter_mut().for_each(|view| view.draw(states));
        let words = words_of_states(states);
        match states.contains(&State::Fresh) {
            true => views.extend(charts.into_iter().chain(words)),
            false => views.extend(words.into_iter().chain(charts)),
        }
    }
    views.extend(tables);
    let page = Shown {
        cells,
        is_before_after,
        has_no_map,
        has_demand: has_demand(axes, cells),
    };
    let plain = PLAIN.iter().filter(|(is_shown, _)| is_shown(&page));
    views.extend(plain.map(|(_, view)| view.clone()));
    views
}

/// Returns the metrics, the compared one first.
fn ordered(metrics: &[Metric], first: Metric) -> Vec<MetricKey> {
    let rest = metrics.iter().filter(|metric| **metric != first);
    let known = metrics.contains(&first).then_some(&first);
    known
        .into_iter()
        .chain(rest)
        .map(|metric| MetricKey(*metric))
        .collect()
}

/// Returns the axis that `rank` finds the most useful.
fn best<'a>(
    axes: impl Iterator<Item = &'a MappedAxis>,
    rank: fn(Axis) -> Option<u8>,
) -> Option<&'static str> {
    let ranked = axes.filter_map(|axis| {
        let rank = rank(Axis::from_key(axis.shown.key)?)?;
        Some((rank, axis.shown.key))
    });
    ranked.min().map(|(_, key)| key)
}

fn charts(axes: &[MappedAxis], cells: &[Cell], metrics: &[MetricKey]) -> Vec<View> {
    // What the name of a load says is no axis of its own.
    let free = || axes.iter().filter(|axis| !is_named(axes, axis, cells));
    let numeric = free().filter(|axis| axis.shown.numbers.is_some());
    let x = best(numeric, Axis::x_rank);
    let few = free().filter(|axis| axis.shown.values.len() <= PANELS_MAX);
    let mut panel = best(few, Axis::panel_rank);
    let mut series: Vec<&'static str> = free()
        .filter(|axis| !axis.is_derived())
        .map(|axis| axis.shown.key)
        .filter(|key| Some(*key) != x && Some(*key) != panel)
        .collect();
    // If each cell has a workload of its own, a line for each of them would be a point.
    let place = |key: &&str| axes.iter().position(|axis| axis.shown.key == *key);
    let others = axes.iter().map(|axis| axis.shown.key);
    let others: Vec<Option<usize>> = others
        .filter(|key| *key != WORKLOAD)
        .map(|key| place(&key))
        .collect();
    if is_unique(cells, &[place(&WORKLOAD)]) && is_unique(cells, &others) {
        series.retain(|key| *key != WORKLOAD);
        panel = panel.filter(|key| *key != WORKLOAD);
    }
    if let Some(x) = &x {
        series.retain(|key| !INCIDENTAL.contains(key) || has_line(cells, place(key), &[place(x)]));
    }
    let metrics = || metrics.to_vec();
    let places = series.iter().chain(&panel).map(place);
    let lines: Vec<Option<usize>> = places.collect();
    let x = x.filter(|x| has_line(cells, place(x), &lines));
    let Some(x) = x else {
        let named = names(axes);
        let (panel, series) = match named.as_slice() {
            [.., WORKLOAD] if !is_each_named(&named, axes, cells) => (panel, series),
            [STACK, WORKLOAD] => (Some(WORKLOAD), vec![STACK]),
            [WORKLOAD] => (None, named),
            _ => (panel, series),
        };
        return vec![View::Bars {
            id: "bars",
            metrics: metrics(),
            panel,
            series,
            states: Vec::new(),
        }];
    };
    let mut views = vec![View::Curve {
        id: "curve",
        metrics: metrics(),
        x,
        panel,
        series: series.clone(),
        states: Vec::new(),
    }];
    let rows = std::iter::once(CHUNK).chain(series).find(|rows| {
        let place = |key: Option<&str>| axes.iter().position(|axis| Some(axis.shown.key) == key);
        let places = [place(Some(rows)), place(Some(x)), place(panel)];
        places[0].is_some() && is_unique(cells, &places)
    });
    views.extend(rows.map(|rows| View::HeatMap {
        id: "heat",
        metrics: metrics(),
        rows,
        columns: x,
        panel,
        states: Vec::new(),
    }));
    views
}

/// Returns whether two cells with the same values at `others` differ at `x`: a lone point is no curve.
fn has_line(cells: &[Cell], x: Option<usize>, others: &[Option<usize>]) -> bool {
    let value = |cell: &'_ Cell, place: Option<usize>| {
        place.map_or_else(String::new, |place| cell.values[place].clone())
    };
    let line =
        |cell: &Cell| -> Vec<String> { others.iter().map(|place| value(cell, *place)).collect() };
    has_two_values(cells.iter().map(|cell| (line(cell), value(cell, x))))
}

/// Returns whether these names tell all cells of a run apart.
fn is_each_named(names: &[&str], axes: &[MappedAxis], cells: &[Cell]) -> bool {
    let place = |name: &&str| axes.iter().position(|axis| axis.shown.key == *name);
    let places: Vec<Option<usize>> = names.iter().map(place).collect();
    is_unique(cells, &places)
}

/// Returns the names along which cells differ: those of stacks and loads.
fn names(axes: &[MappedAxis]) -> Vec<&'static str> {
    let keys = axes.iter().map(|axis| axis.shown.key);
    keys.filter(|key| [STACK, WORKLOAD].contains(key)).collect()
}

/// Returns whether loads that are alike otherwise differ in how much they ask for at once: a line between
/// unrelated loads says nothing.
fn has_demand(axes: &[MappedAxis], cells: &[Cell]) -> bool {
    let places = axes.iter().enumerate();
    let (demand, others): (Vec<_>, Vec<_>) = places
        .filter(|(_, axis)| !axis.is_derived() && axis.shown.key != WORKLOAD)
        .partition(|(_, axis)| axis.shown.demand);
    let is_load = |axis: &MappedAxis| !INCIDENTAL.contains(&axis.shown.key);
    let others = others.into_iter().filter(|(_, axis)| is_load(axis));
    let others: Vec<Option<usize>> = others.map(|(place, _)| Some(place)).collect();
    let mut demand = demand.into_iter();
    demand.any(|(place, _)| has_line(cells, Some(place), &others))
}

/// Returns whether the names of several loads decide the values along an axis, and no name is that of a
/// cell alone.
fn is_named(axes: &[MappedAxis], axis: &MappedAxis, cells: &[Cell]) -> bool {
    let name = axes.iter().position(|axis| axis.shown.key == WORKLOAD);
    let is_implied = axis.shown.implied && !axis.is_derived();
    is_implied && !is_unique(cells, &[name])
}

/// Returns whether no two cells of a run have the same values at these places.
fn is_unique(cells: &[Cell], places: &[Option<usize>]) -> bool {
    let mut seen = BTreeSet::new();
    cells.iter().all(|cell| {
        let value = |place: &Option<usize>| place.map_or(NONE, |place| &cell.values[place]);
        let values: Vec<&str> = places.iter().map(value).collect();
        seen.insert((cell.run, values))
    })
}
