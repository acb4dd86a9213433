//! The views of a page and their axes, chosen by how its cells differ.

use std::collections::BTreeSet;

use serde::Serialize;
use stripewise_catalogue::Message;
use stripewise_study::cell::Axis;
use stripewise_study::metric::{Metric, MetricKey};

use super::axes::{CHUNK, MappedAxis, NONE};
use super::cells::Cell;

/// A view; the page has one component for each kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    },
    /// All cells with their verdicts.
    Table {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// The distribution of the latency.
    Distribution {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// Samples over time.
    TimeSeries {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// What power cuts destroyed, on a plane of throughput against the time lost.
    PowerCuts {
        /// Its name in the page's address.
        id: &'static str,
        /// The metric of the throughput, which is simulated.
        metric: MetricKey,
        /// The settings.
        settings: Vec<CutPlace>,
    },
    /// A sample over time with events of the array.
    Timeline {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// Each cell against its baseline or the same cell of another run, and the pairs of samples
    /// behind it.
    Paired {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// Where the time of an I/O goes.
    Waterfall {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// The I/O of each device.
    Members {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// Which member holds and serves which chunk.
    ArrayMap {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// The warnings.
    Warnings {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// The facts of the machine.
    Facts {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// Commands that repeat it.
    Commands {
        /// Its name in the page's address.
        id: &'static str,
    },
    /// The data, to be saved.
    Data {
        /// Its name in the page's address.
        id: &'static str,
    },
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

/// Axes that may have a chart for each value, the most useful first.
const PANEL: [&str; 3] = ["pattern", "mix", "workload"];
const WORKLOAD: &str = "workload";
/// More charts than this beside each other are unreadable.
const PANELS_MAX: usize = 12;

/// Returns the views of a page.
pub(crate) fn of(
    axes: &[MappedAxis],
    cells: &[Cell],
    metrics: &[Metric],
    metric: Metric,
    has_no_map: bool,
    power_cuts: Option<View>,
) -> Vec<View> {
    let metrics = ordered(metrics, metric);
    let mut views: Vec<View> = power_cuts.into_iter().collect();
    let is_before_after = cells.iter().any(|cell| cell.before.is_some());
    if is_before_after {
        views.push(View::Paired { id: "paired" });
    }
    if !metrics.is_empty() {
        views.extend(charts(axes, cells, &metrics));
    }
    let any = |has: fn(&Cell) -> bool| cells.iter().any(has);
    let kinds = [
        (
            any(|cell| cell.timeline.is_some()),
            View::Timeline { id: "timeline" },
        ),
        (true, View::Table { id: "cells" }),
        (
            !is_before_after && any(|cell| !cell.verdicts.is_empty()),
            View::Paired { id: "paired" },
        ),
        (
            any(|cell| cell.breakdown.is_some()),
            View::Waterfall { id: "waterfall" },
        ),
        (
            any(|cell| cell.latency.is_some()),
            View::Distribution { id: "latency" },
        ),
        (
            any(|cell| cell.samples.len() > 1),
            View::TimeSeries { id: "time" },
        ),
        (!has_no_map, View::ArrayMap { id: "map" }),
        (
            any(|cell| !cell.members.is_empty()),
            View::Members { id: "members" },
        ),
        (true, View::Warnings { id: "warnings" }),
        (true, View::Facts { id: "facts" }),
        (true, View::Commands { id: "commands" }),
        (true, View::Data { id: "data" }),
    ];
    views.extend(kinds.into_iter().filter(|kind| kind.0).map(|kind| kind.1));
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

fn charts(axes: &[MappedAxis], cells: &[Cell], metrics: &[MetricKey]) -> Vec<View> {
    let by_key = |key: &str| axes.iter().find(|axis| axis.shown.key == key);
    let numeric = axes.iter().filter(|axis| axis.shown.numbers.is_some());
    let ranked = numeric.filter_map(|axis| {
        let rank = Axis::from_key(axis.shown.key)?.x_rank()?;
        Some((rank, axis.shown.key))
    });
    let x = ranked.min().map(|(_, key)| key);
    let few = |axis: &&MappedAxis| axis.shown.values.len() <= PANELS_MAX;
    let panel = PANEL
        .iter()
        .find_map(|key| by_key(key).filter(few))
        .map(|axis| axis.shown.key);
    let mut series: Vec<&'static str> = axes
        .iter()
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
    }
    let metrics = || metrics.to_vec();
    let Some(x) = x else {
        return vec![View::Bars {
            id: "bars",
            metrics: metrics(),
            panel,
            series,
        }];
    };
    let mut views = vec![View::Curve {
        id: "curve",
        metrics: metrics(),
        x,
        panel,
        series: series.clone(),
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
    }));
    views
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
