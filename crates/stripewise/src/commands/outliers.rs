//! `stripewise outliers`: which of many like hosts is slow.

mod folders;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;
use stripewise_analysis::counted::counted;
use stripewise_answer::{Answer, Block, Tone};
use stripewise_catalogue::Message;
use stripewise_export::sketches::cell_key;
use stripewise_history::answer::{FleetAnswer, HostPart, Seen};
use stripewise_history::{Judged, Measured, Verdict, outliers};
use stripewise_report::names::Names;
use stripewise_results::Run;
use stripewise_results::world::{RunOrigin, WorldSpec};
use stripewise_stats::{Series, median};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Sample;
use stripewise_study::world::WorldName;

use self::folders::Found;
use super::asked;
use super::over_time::{Copies, HistoryArgs, copied, day, measured_unix_ns, none_found, value_of};
use crate::answers;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;

/// The beginning of the tag that names the host of a run.
const HOST_TAG: &str = "host=";

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  Name the host of each run, then ask which is slow:
    stripewise rename 2 --tag host=web17
    stripewise outliers

  From sketches that many machines exported into one folder:
    stripewise export 2 --rows sketches --partition-by date,host -o fleet
    stripewise outliers --from fleet

  The 99th percentile of latency; exit code 1 if a host is slow:
    stripewise outliers --metric latency_p99 --fail-on-outlier
";

/// Show which of many like hosts is slow
///
/// The host of a run is its tag `host=NAME`; a run of `run --hosts` has each of its hosts. Hosts with the same drive model, kernel and cells are one
/// class, and are compared with each other only. A host is slow if most of its cells are: one slow
/// cell is not a slow host. How far innocent hosts scatter is taken from the hosts themselves, so heavy
/// tails name fewer. Of the hosts named, at most `--level` are expected to be innocent.
///
/// With runs of several days, a slow host is "slow on earlier days, too", "slow on its last day only",
/// or "it was slow". A host whose throughput differs from that of its class by more than 20 % while
/// latency is compared had another load, and is not judged, unless it did less at a worse latency. At
/// least 8 hosts of a class are needed. Reads only.
#[derive(Debug, clap::Args)]
#[command(mut_arg("format", |arg| arg.value_parser(answers::with_gauges())))]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Exit with 1 if a host is slow, and was so on its last day
    #[arg(long)]
    fail_on_outlier: bool,

    /// Parquet or CSV files, or folders of Parquet files, instead of the store
    ///
    /// Columns: `host`; `cell_key` or `cell`; the metric, as `bandwidth_bytes_per_s_median` or
    /// `bandwidth_bytes_per_s` or `value`; and, if there are any, `class`, `date`, `counted` and the load of
    /// latencies, `iops_median`, `iops` or `load`. A folder `host=web17` or `date=2026-11-30` stands for
    /// the column. `stripewise export --rows sketches` writes such files.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["store", "tag"])]
    from: Vec<PathBuf>,

    #[command(flatten)]
    history: HistoryArgs,
}

/// A median of a cell of a host on a day.
pub(super) struct Row {
    host: String,
    class: String,
    cell: String,
    day: String,
    value: f64,
    load: Option<f64>,
}

impl Row {
    fn key(&self) -> [&str; 4] {
        [&self.class, &self.host, &self.cell, &self.day].map(String::as_str)
    }
}

/// The answer for programs.
#[derive(Serialize)]
struct Document {
    #[serde(flatten)]
    answer: FleetAnswer,
    /// How many rows of files have no value, not a finite one, or a negative one.
    dropped_rows: usize,
    /// The runs or files that are copies of others and do not count.
    copies: Vec<String>,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let history = &args.history;
    answers::check_page("outliers", history.page.as_deref())?;
    let Found {
        rows,
        dropped,
        copies,
    } = match args.from.is_empty() {
        true => of_store(history)?,
        false => folders::rows(&args.from, history.metric)?,
    };
    let (days, mut hosts) = judge(&rows, history.metric, history.level());
    name_cells(&mut hosts, &rows);
    let document = FleetAnswer::new(history.metric, history.level(), days, hosts);
    let (mut blocks, summary) = (document.blocks(), document.summary());
    if dropped > 0 {
        let message = Message::new("history-dropped-rows").count("rows", dropped);
        blocks.push(Block::toned(Tone::Dim, message));
    }
    blocks.extend(copied("history-copied-sources", &copies));
    let is_no = args.fail_on_outlier && document.is_open();
    let document = Document {
        answer: document,
        dropped_rows: dropped,
        copies,
    };
    let answer = Answer::new(Message::new("outliers-title"), document, blocks)
        .summary(summary)
        .no_if(is_no);
    answers::give(
        "outliers",
        &answer,
        history.page.as_deref(),
        history.format,
        printer,
    )
}

/// Returns the rows of the runs in the store that are meant.
fn of_store(history: &HistoryArgs) -> Result<Found> {
    let store = history.store.open_existing()?;
    let mut runs = history.runs(&store)?;
    if runs.is_empty() {
        return Err(none_found(&store));
    }
    runs.retain(|run| host_of(&run.tags).is_some() || run.origin.is(WorldName::Metal));
    let mut rows = Vec::new();
    let mut copies = Copies::default();
    for summary in &runs {
        let has_hosts = || -> Result<bool> {
            let run = store.run_without_samples(summary.id)?;
            Ok(matches!(run.world, Some(WorldSpec::Hosts(_))))
        };
        let is_tagged = host_of(&summary.tags).is_some();
        if !is_tagged && !has_hosts()? {
            continue;
        }
        let run = store.run(summary.id)?;
        if !copies.is_first(&run) {
            continue;
        }
        rows.extend(match is_tagged {
            true => rows_of(&run, history.metric),
            false => rows_of_hosts(&run, history.metric),
        });
    }
    if rows.is_empty() {
        return Err(
            Failure::new("no run has a tag that names its host, or is of `run --hosts`")
                .hint("`stripewise rename RUN --tag host=NAME` adds it"),
        );
    }
    Ok(Found {
        rows,
        dropped: 0,
        copies: copies.found(),
    })
}

/// Names the slow cells of hosts as reports do, where their key is that of a cell of ours.
fn name_cells(hosts: &mut [HostPart], rows: &[Row]) {
    let keys: BTreeSet<&str> = rows.iter().map(|row| row.cell.as_str()).collect();
    let parsed = keys.into_iter().filter_map(|key| {
        let cell: Cell = serde_json::from_str(key).ok()?;
        Some((key, cell))
    });
    let cells: BTreeMap<&str, Cell> = parsed.collect();
    let all: Vec<&Cell> = cells.values().collect();
    if all.is_empty() {
        return;
    }
    let names = Names::of(&all, &RunOrigin::Fio);
    for part in hosts.iter_mut().flat_map(|host| &mut host.slowest) {
        if let Some(cell) = cells.get(part.cell.as_str()) {
            part.shown = names.argument(cell);
            part.cell = names.name(cell);
        }
    }
}

/// Returns the host of a run: its tag `host=NAME`.
pub(super) fn host_of(tags: &[String]) -> Option<&str> {
    tags.iter().find_map(|tag| tag.strip_prefix(HOST_TAG))
}

/// Returns a row for each cell of a run.
fn rows_of(run: &Run, metric: Metric) -> Vec<Row> {
    let Some(host) = host_of(&run.summary.tags) else {
        return Vec::new();
    };
    let class = class_of(run);
    let mut rows = Vec::new();
    for (index, cell) in run.cells.iter().enumerate() {
        let Some(value) = value_of(run, index, metric) else {
            continue;
        };
        // Throughput is what a closed load asks; only latency needs an equal one.
        let load = match metric.higher_is_better() {
            true => None,
            false => value_of(run, index, Metric::Iops),
        };
        rows.push(Row {
            host: host.to_owned(),
            class: class.clone(),
            cell: cell_key(cell).unwrap_or_default(),
            day: day(measured_unix_ns(run)),
            value,
            load,
        });
    }
    rows
}

/// Returns a row for each host and cell of a run on several hosts: the median of the host's own part in
/// the samples that count.
fn rows_of_hosts(run: &Run, metric: Metric) -> Vec<Row> {
    let class = class_of(run);
    let steady = asked(run).repeat.steady_state;
    let mut rows = Vec::new();
    for (index, cell) in run.cells.iter().enumerate() {
        let samples = run.samples.iter().filter(|record| record.cell == index);
        let counted = counted(samples, steady, metric).samples;
        let mut of_hosts: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
        for (host, part) in counted.iter().flat_map(|record| record.sample.host_parts()) {
            of_hosts.entry(host).or_default().push(&part.sample);
        }
        for (host, parts) in of_hosts {
            let value =
                |metric: Metric| middle(parts.iter().filter_map(|part| metric.of(part)).collect());
            let Some(of_metric) = value(metric) else {
                continue;
            };
            rows.push(Row {
                host: host.to_owned(),
                class: class.clone(),
                cell: cell_key(cell).unwrap_or_default(),
                day: day(measured_unix_ns(run)),
                value: of_metric,
                load: match metric.higher_is_better() {
                    true => None,
                    false => value(Metric::Iops),
                },
            });
        }
    }
    rows
}

/// Returns what hosts must share to be compared: the models of their drives and their kernel.
pub(super) fn class_of(run: &Run) -> String {
    let Some(facts) = run.facts.last().map(|record| &record.facts) else {
        return "-".to_owned();
    };
    let target = facts.target.as_ref();
    let disks = target.into_iter().flat_map(|target| &target.disks);
    let models: BTreeSet<String> = disks
        .filter_map(|name| facts.device(name)?.model.clone())
        .collect();
    let kernel = facts.kernel_source.as_ref().or(facts.kernel.as_ref());
    let words: Vec<String> = models.into_iter().chain(kernel.cloned()).collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(", "),
    }
}

/// The class and the name of a host.
type Name = [String; 2];

/// Judges hosts by all days, and says on which of them they are slow.
fn judge(rows: &[Row], metric: Metric, level: f64) -> (Option<[String; 2]>, Vec<HostPart>) {
    let mut of_days: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        of_days.entry(row.day.as_str()).or_default().push(row);
    }
    // The last day on which each host was judged, and whether it is slow there: a host that is not
    // measured any more has not recovered.
    let mut last: BTreeMap<Name, (&str, bool)> = BTreeMap::new();
    for (day, of_day) in &of_days {
        for host in judged(of_day.iter().copied(), metric, level) {
            let is_slow = host.verdict == Verdict::Slow;
            if host.false_share.is_some() {
                last.insert([host.class, host.host], (*day, is_slow));
            }
        }
    }
    let mut before: BTreeMap<&str, BTreeSet<Name>> = BTreeMap::new();
    for (day, _) in last.values() {
        before.entry(*day).or_insert_with(|| {
            let earlier = rows.iter().filter(|row| row.day.as_str() < *day);
            let hosts = judged(earlier, metric, level).into_iter();
            let slow = hosts.filter(|host| host.verdict == Verdict::Slow);
            slow.map(|host| [host.class, host.host]).collect()
        });
    }
    let of_all = judged(rows.iter(), metric, level).into_iter();
    let parts: Vec<HostPart> = of_all
        .map(|mut host| {
            let name = [host.class.clone(), host.host.clone()];
            let (was_slow, is_slow) = match last.get(&name) {
                Some((day, is_slow)) => (before[day].contains(&name), *is_slow),
                None => (false, false),
            };
            let seen = match (of_days.len() > 1, was_slow, is_slow) {
                (false, _, _) => Some(Seen::OneDay),
                (true, true, true) => Some(Seen::Repeatedly),
                (true, false, true) => Some(Seen::LastDayOnly),
                (true, true, false) => Some(Seen::WentAway),
                (true, false, false) => None,
            };
            // What is slow on a day is named, though all days together may hide it.
            if seen.is_some_and(|seen| seen != Seen::OneDay) && host.false_share.is_some() {
                host.verdict = Verdict::Slow;
            }
            HostPart::new(host, seen)
        })
        .collect();
    let ends = of_days.keys().next().zip(of_days.keys().next_back());
    let days = ends.map(|(first, last)| [(*first).to_owned(), (*last).to_owned()]);
    (days, parts)
}

/// Judges hosts by the medians of their rows.
fn judged<'a>(rows: impl Iterator<Item = &'a Row>, metric: Metric, level: f64) -> Vec<Judged> {
    let mut of_cells: BTreeMap<[&str; 3], Vec<&Row>> = BTreeMap::new();
    for row in rows {
        let key = [&row.class, &row.host, &row.cell].map(String::as_str);
        of_cells.entry(key).or_default().push(row);
    }
    let measured: Vec<Measured<'_>> = of_cells
        .iter()
        .map(|([class, host, cell], of)| Measured {
            host,
            class,
            cell,
            value: middle(of.iter().map(|row| row.value).collect()).unwrap_or_default(),
            load: middle(of.iter().filter_map(|row| row.load).collect()),
        })
        .collect();
    outliers(&measured, metric.higher_is_better(), level)
}

/// Returns the median of numbers; `None` without one.
fn middle(all: Vec<f64>) -> Option<f64> {
    Some(median(&Series::new(all).ok()?))
}
