//! One row for each sample, in the order of measurement: the flat view for data frames.

use stripewise_report::document::{Document, SamplePart};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{
    CpuTime, DeviceDelta, Latency, Role, Sample, SampleRecord, Transfer,
};
use stripewise_units::Nanos;

use crate::Source;
use crate::axes;
use crate::cuts;
use crate::rows;
use crate::table::{Table, Values};

/// The percentile columns: the end of the column name, and how many of 10,000 entries lie below.
const PERCENTILES: [(&str, u64); 6] = [
    ("p50", 5000),
    ("p90", 9000),
    ("p95", 9500),
    ("p99", 9900),
    ("p999", 9990),
    ("p9999", 9999),
];

/// The metrics of both directions together; those of syncs have columns of their own.
const METRICS: [Metric; 6] = [
    Metric::Bandwidth,
    Metric::Iops,
    Metric::LatencyMean,
    Metric::LatencyP50,
    Metric::LatencyP99,
    Metric::LatencyP999,
];

/// A sample with its run and its cell.
struct SampleRow<'a> {
    document: &'a Document,
    /// Its place in the run, from 0.
    number: usize,
    cell: &'a Cell,
    record: &'a SampleRecord,
    /// The results derived from it.
    part: &'a SamplePart,
}

/// Returns the samples of runs as a table.
pub fn samples(sources: &[Source<'_>]) -> Table {
    let rows: Vec<SampleRow<'_>> = sources.iter().flat_map(rows_of).collect();
    let mut table = Table::default();
    rows::runs(&mut table, rows.iter().map(|row| row.document));
    table.counts("sample", rows.iter().map(|row| rows::count(row.number)));
    table.counts("cell", rows.iter().map(|row| rows::count(row.record.cell)));
    axes::columns(
        &mut table,
        &rows.iter().map(|row| row.cell).collect::<Vec<_>>(),
    );
    table.counts(
        "block",
        rows.iter().map(|row| Some(row.record.block.into())),
    );
    let role = |row: &SampleRow<'_>| Some(role_word(row.record.role).to_owned());
    table.texts("role", rows.iter().map(role));
    table.flags("counted", rows.iter().map(|row| Some(row.part.counted)));
    let seeds = rows.iter().map(|row| row.record.seed);
    table.push("seed", Values::Words(seeds.collect()));
    let samples: Vec<&Sample> = rows.iter().map(|row| &row.record.sample).collect();
    table.counts(
        "started_unix_ns",
        samples.iter().map(|sample| sample.started_unix_ns),
    );
    table.counts(
        "elapsed_ns",
        samples
            .iter()
            .map(|sample| Some(sample.elapsed_ns.as_u64())),
    );
    for metric in METRICS {
        let values = rows.iter().map(|row| row.part.metrics.get(metric.key()));
        table.numbers(metric.key(), values.map(Option::<&f64>::copied));
    }
    measured(&mut table, &samples);
    cuts::of_samples(&mut table, &samples);
    table
}

/// Returns the word for a role in columns.
const fn role_word(role: Role) -> &'static str {
    match role {
        Role::WarmUp => "warm_up",
        Role::Counted => "counted",
    }
}

/// Returns the samples of a run in the order in which they were taken.
fn rows_of<'a>(source: &Source<'a>) -> Vec<SampleRow<'a>> {
    let (run, document) = (source.run, source.document);
    // A document lists samples by cell, in order of time within each.
    let mut parts: Vec<_> = document
        .cells
        .iter()
        .map(|cell| cell.samples.iter())
        .collect();
    let rows = run.samples.iter().enumerate();
    rows.filter_map(|(number, record)| {
        Some(SampleRow {
            document,
            number,
            cell: run.cells.get(record.cell)?,
            record,
            part: parts.get_mut(record.cell)?.next()?,
        })
    })
    .collect()
}

/// Adds the columns of the measured values.
fn measured(table: &mut Table, samples: &[&Sample]) {
    let read: Vec<&Transfer> = samples.iter().map(|sample| &sample.read).collect();
    let write: Vec<&Transfer> = samples.iter().map(|sample| &sample.write).collect();
    for (direction, transfers) in [("read", read), ("write", write)] {
        let transfers = || transfers.iter();
        table.counts(
            format!("{direction}_ios"),
            transfers().map(|transfer| Some(transfer.ios)),
        );
        table.counts(
            format!("{direction}_bytes"),
            transfers().map(|transfer| Some(transfer.bytes.as_u64())),
        );
        let latencies: Vec<&Latency> = transfers().map(|transfer| &transfer.latency).collect();
        latency(table, direction, &latencies);
    }
    let syncs: Vec<&Latency> = samples.iter().map(|sample| &sample.sync).collect();
    table.counts("sync_count", syncs.iter().map(|sync| Some(sync.count)));
    latency(table, "sync", &syncs);
    let cpu = |of: fn(CpuTime) -> Nanos| {
        let times = samples.iter().map(|sample| sample.cpu);
        times.map(move |cpu| cpu.map(|cpu| of(cpu).as_u64()))
    };
    table.counts("cpu_user_ns", cpu(|cpu| cpu.user_ns));
    table.counts("cpu_system_ns", cpu(|cpu| cpu.system_ns));
    devices(table, samples);
    let kinds = samples.iter().map(|sample| warning_kinds(sample));
    table.texts("warnings", kinds);
}

/// Adds the columns of one kind of latency.
fn latency(table: &mut Table, kind: &str, latencies: &[&Latency]) {
    let name = |end: &str| format!("{kind}_latency_ns_{end}");
    let nanos = |value: Option<Nanos>| value.map(Nanos::as_u64);
    table.numbers(
        name("mean"),
        latencies.iter().map(|latency| latency.mean_ns),
    );
    table.counts(
        name("min"),
        latencies.iter().map(|latency| nanos(latency.min_ns)),
    );
    table.counts(
        name("max"),
        latencies.iter().map(|latency| nanos(latency.max_ns)),
    );
    for (end, per_ten_thousand) in PERCENTILES {
        let of = |latency: &&Latency| nanos(latency.quantile_in(per_ten_thousand, 10_000));
        table.counts(name(end), latencies.iter().map(of));
    }
}

/// Adds the sums over the devices under the cell; `None` if the devices are unknown.
fn devices(table: &mut Table, samples: &[&Sample]) {
    type Counter = fn(&DeviceDelta) -> Option<u64>;
    let counters: [(&str, Counter); 8] = [
        ("device_reads", |device| Some(device.reads)),
        ("device_read_merges", |device| Some(device.read_merges)),
        ("device_read_bytes", |device| {
            Some(device.read_bytes.as_u64())
        }),
        ("device_writes", |device| Some(device.writes)),
        ("device_write_merges", |device| Some(device.write_merges)),
        ("device_write_bytes", |device| {
            Some(device.write_bytes.as_u64())
        }),
        ("device_flushes", |device| device.flushes),
        ("device_busy_ns", |device| Some(device.busy_ns.as_u64())),
    ];
    table.counts(
        "device_count",
        samples
            .iter()
            .map(|sample| rows::count(sample.devices.len())),
    );
    for (name, counter) in counters {
        let sum = |sample: &&Sample| {
            let mut counts = sample.devices.iter().map(counter);
            let first = counts.next()??;
            // A sum is known if each of its parts is.
            counts.try_fold(first, |sum, count| Some(sum.saturating_add(count?)))
        };
        table.counts(name, samples.iter().map(sum));
    }
}

/// Returns the kinds of a sample's warnings, each once, as in JSON; `None` without a warning.
fn warning_kinds(sample: &Sample) -> Option<String> {
    let mut kinds: Vec<String> = Vec::new();
    for warning in &sample.warnings {
        let value = serde_json::to_value(warning).ok()?;
        let kind = value.get("kind")?.as_str()?.to_owned();
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    (!kinds.is_empty()).then(|| kinds.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_operation_in_a_thousand_is_seen_at_four_nines_only() {
        let slow = Latency {
            histogram: [(10, 9_990), (900, 10)]
                .map(|(ns, count)| (Nanos::new(ns), count))
                .into_iter()
                .collect(),
            ..Latency::default()
        };
        let mut table = Table::default();
        super::latency(&mut table, "read", &[&slow]);
        for (name, expected) in [("p999", 10), ("p9999", 900)] {
            let name = format!("read_latency_ns_{name}");
            let column = table.columns.iter().find(|column| column.name == name);
            let Values::Counts(values) = &column.unwrap().values else {
                panic!("{name} is not a column of counts");
            };
            assert_eq!(values, &[Some(expected)], "{name}");
        }
    }
}
