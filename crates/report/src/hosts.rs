//! A run on several hosts: which were lost, said first, and each host beside the others.

use std::collections::{BTreeMap, BTreeSet};

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_results::world::WorldSpec;
use stripewise_study::hosts::{HostFinding, HostOutcome, HostPart, LostWhy};
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::warning::Warning;

use crate::document::{CellPart, Document};
use crate::names::Names;

/// The metrics of each host, with the keys of their columns.
const METRICS: [(Metric, &str); 3] = [
    (Metric::Bandwidth, "bandwidth_bytes_per_s"),
    (Metric::Iops, "iops"),
    (Metric::LatencyP99, "latency_ns_p99"),
];

/// Returns what must be said before any figure: which hosts were lost or took no part, how closely the
/// loads began together, and about which hosts there are warnings. Nothing if one machine was measured.
pub(crate) fn leads(document: &Document) -> Vec<Block> {
    let all = hosts(document);
    if all.is_empty() {
        return Vec::new();
    }
    let mut blocks = Vec::new();
    let measured: BTreeSet<&str> = samples(document)
        .flat_map(|sample| &sample.hosts)
        .map(|share| share.host.as_str())
        .collect();
    let why = missing_why(document);
    // A host that is lost between two samples is in none of them as lost.
    let mut lost = lost(document);
    for (host, why) in &why {
        if measured.contains(host) {
            lost.entry(host).or_insert(why);
        }
    }
    let count = all.len();
    if !lost.is_empty() {
        let each = lost
            .iter()
            .map(|(host, why)| Argument::from(why.of_host(host)));
        let lead = Message::new("hosts-lost-lead")
            .count("lost", lost.len())
            .digits("all", count)
            .with("hosts", Argument::list(each));
        blocks.push(Block::toned(Tone::Bad, lead));
    }
    let missing: Vec<&String> = all
        .iter()
        .filter(|host| !measured.contains(host.as_str()))
        .collect();
    if !missing.is_empty() && !measured.is_empty() {
        let each = missing.into_iter().map(|host| {
            let name = Argument::Name(host.clone());
            why.get(host.as_str())
                .map_or(name, |why| why.of_host(host).into())
        });
        let each: Vec<Argument> = each.collect();
        let lead = Message::new("hosts-missing-lead")
            .count("lost", each.len())
            .digits("all", count)
            .with("hosts", Argument::list(each));
        blocks.push(Block::toned(Tone::Bad, lead));
    }
    let noticed = noticed(document);
    if !noticed.is_empty() {
        let lead = Message::new("hosts-found-lead").with("hosts", names_of(noticed.into_iter()));
        blocks.push(Block::toned(Tone::Warn, lead));
    }
    let parts = counted(document)
        .flat_map(Sample::host_parts)
        .map(|(_, part)| part);
    if let Some(worst) = parts.max_by_key(|part| part.late_ns) {
        let most = counted(document)
            .map(|sample| sample.measured_hosts().len())
            .max();
        blocks.push(Block::toned(
            Tone::Dim,
            Message::new("hosts-skew")
                .count("hosts", most.unwrap_or_default())
                .with("skew", time(worst.late_ns.as_u64()))
                .with("within", time(worst.late_within_ns.as_u64())),
        ));
    }
    blocks
}

/// Returns each host of each cell in a row; nothing if one machine was measured.
pub(crate) fn table(document: &Document, names: &Names) -> Vec<Block> {
    let mut columns = names.columns();
    columns.push(Column::group("host", Message::new("hosts-column-host")));
    for (metric, key) in METRICS {
        columns.push(Column::number(key, metric.message()));
    }
    let late = Message::new("hosts-column-late");
    columns.push(Column::number("late_ns", late).optional(1));
    let mut table = Table::new("hosts", columns);
    let mut is_empty = true;
    for index in &names.order {
        let cell = &document.cells[*index];
        for (host, parts) in parts(cell) {
            is_empty = false;
            let mut row = names.values(&cell.cell());
            row.push(Cell::of(Argument::Name(host.to_owned())));
            for (metric, _) in METRICS {
                let values = parts
                    .iter()
                    .filter_map(|part| metric.of(&part.sample))
                    .collect();
                row.push(match middle(values) {
                    Some(value) => Cell::of(metric.quantity(value)).exact(value),
                    None => Cell::of(Argument::Name("?".to_owned())),
                });
            }
            let late = parts
                .iter()
                .map(|part| as_f64(part.late_ns.as_u64()))
                .collect();
            let late = middle(late).unwrap_or_default();
            row.push(Cell::of(Metric::LatencyP99.quantity(late)).exact(late));
            table.row(row);
        }
    }
    match is_empty {
        true => Vec::new(),
        false => vec![
            Block::Gap,
            Block::heading(Message::new("hosts-title")),
            table.into(),
        ],
    }
}

/// Returns the names of the hosts that the run asked for, or that its samples name.
fn hosts(document: &Document) -> Vec<String> {
    if let Some(WorldSpec::Hosts(spec)) = &document.run.measured_in {
        return spec.hosts.iter().map(|host| host.name.clone()).collect();
    }
    let named = samples(document).flat_map(|sample| &sample.hosts);
    let named: BTreeSet<&String> = named.map(|share| &share.host).collect();
    named.into_iter().cloned().collect()
}

fn samples(document: &Document) -> impl Iterator<Item = &Sample> {
    let all = document.cells.iter().flat_map(|cell| &cell.samples);
    all.map(|shown| &shown.sample)
}

fn counted(document: &Document) -> impl Iterator<Item = &Sample> {
    let all = document.cells.iter().flat_map(|cell| &cell.samples);
    all.filter(|shown| shown.counted).map(|shown| &shown.sample)
}

/// Returns the hosts that were lost, each with the reason.
fn lost(document: &Document) -> BTreeMap<&str, &LostWhy> {
    let shares = samples(document).flat_map(|sample| &sample.hosts);
    let lost = shares.filter_map(|share| match &share.outcome {
        HostOutcome::Lost(why) => Some((share.host.as_str(), why)),
        HostOutcome::Measured(_) => None,
    });
    lost.collect()
}

/// Returns why hosts were lost before a sample that was taken without them.
fn missing_why(document: &Document) -> BTreeMap<&str, &LostWhy> {
    let of_run = document.warnings.iter().map(|shown| &shown.warning);
    let of_samples = samples(document).flat_map(|sample| &sample.warnings);
    let all = of_run
        .chain(of_samples)
        .filter_map(|warning| match warning {
            Warning::Host(finding) => match &**finding {
                HostFinding::Without { hosts, why, .. } => Some(hosts.iter().zip(why)),
                _ => None,
            },
            _ => None,
        });
    all.flatten()
        .map(|(host, why)| (host.as_str(), why))
        .collect()
}

/// Returns the hosts that are late, slow, unlike others, or have a wrong clock.
fn noticed(document: &Document) -> BTreeSet<&str> {
    let of_run = document.warnings.iter().map(|shown| &shown.warning);
    let of_cells = document.cells.iter().flat_map(|cell| &cell.warnings);
    let all = of_run.chain(of_cells.map(|shown| &shown.warning));
    let named = all.filter_map(|warning| match warning {
        Warning::Host(finding) => match &**finding {
            HostFinding::Late { host, .. }
            | HostFinding::Slow { host, .. }
            | HostFinding::Unlike { host, .. }
            | HostFinding::Clock { host, .. } => Some(host.as_str()),
            _ => None,
        },
        _ => None,
    });
    named.collect()
}

/// Returns the parts of each host in the samples of a cell that count, in the order of the hosts.
fn parts(cell: &CellPart) -> Vec<(&str, Vec<&HostPart>)> {
    let mut of_hosts: Vec<(&str, Vec<&HostPart>)> = Vec::new();
    let counted = cell.samples.iter().filter(|shown| shown.counted);
    for (host, part) in counted.flat_map(|shown| shown.sample.host_parts()) {
        match of_hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, parts)) => parts.push(part),
            None => of_hosts.push((host, vec![part])),
        }
    }
    of_hosts
}

/// Returns the median; `None` without values.
fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let above = *values.get(values.len() / 2)?;
    let below = *values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(below, above))
}

fn names_of<'a>(names: impl Iterator<Item = &'a str>) -> Argument {
    Argument::list(names.map(|name| Argument::Name(name.to_owned())))
}

fn time(ns: u64) -> Argument {
    Metric::LatencyP99.quantity(as_f64(ns))
}
