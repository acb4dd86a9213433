//! The I/O of each disk, in iostat's terms, and the utilisation of everything else.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::prediction::MemberLoad;
use stripewise_diagnose::requirement::Quantity;
use stripewise_profiles::device::number::rounded;
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use super::advice_words::in_words;
use crate::numbers::{rate, size};

/// The kinds of I/O that any disk has; other columns are left out.
#[derive(Clone, Copy)]
struct Shown {
    reads: bool,
    writes: bool,
    flushes: bool,
}

impl ExplainedCell {
    /// Returns the I/O of each disk, in iostat's terms.
    pub(super) fn members(&self) -> Table {
        let members = &self.prediction.members;
        let shown = Shown {
            reads: members.iter().any(|member| member.reads > 0),
            writes: members.iter().any(|member| member.writes > 0),
            flushes: members.iter().any(|member| member.flushes > 0),
        };
        let per_s = |value: f64| Cell::digits(rate(value)).exact(value);
        let share = |share: Option<f64>| {
            share.map_or_else(Cell::none, |share| {
                Cell::of(Argument::percent(share)).exact(share)
            })
        };
        let mut table = Table::new("disks", columns(shown));
        for member in members {
            let mut row = vec![Cell::name(&member.device)];
            if shown.reads {
                row.push(per_s(member.reads_per_s));
                row.push(share(member.sequential_read_share));
            }
            if shown.writes {
                row.push(per_s(member.writes_per_s));
                row.push(share(member.sequential_write_share));
            }
            let bytes = member.request_bytes_mean;
            row.push(Cell::digits(size(rounded(bytes))).exact(bytes));
            row.push(share(merged(member)));
            if shown.flushes {
                row.push(per_s(member.flushes_per_s));
            }
            let link = format!("{LINK}{}", member.device);
            row.push(share(Some(member.busy_share)));
            row.push(share(Some(self.prediction.busiest(&link))));
            table.row(row);
        }
        table
    }

    /// Returns the utilisation of everything else, and the rate of a rebuild.
    pub(super) fn components(&self) -> Vec<Block> {
        let members = &self.prediction.members;
        let is_shown = |name: &str| {
            name.starts_with(LINK) || members.iter().any(|member| member.device == name)
        };
        let others = self.prediction.breakdown.utilisation.iter();
        let others: Vec<Message> = others
            .filter(|one| !is_shown(&one.component))
            .map(|one| {
                Message::new("predict-busy")
                    .with("component", component(&one.component))
                    .percent("share", one.busy_share)
            })
            .collect();
        let mut lines = Vec::new();
        if !others.is_empty() {
            let others = Argument::list(others);
            lines.push(Message::new("predict-busy-others").with("components", others));
        }
        if let Some(rate) = self.prediction.breakdown.rebuild_bytes_per_s {
            let rate = Metric::Bandwidth.quantity(rate);
            let message = Message::new("predict-rebuild-rate").with("rate", rate);
            let time = self.rebuild_ns.map(|time| {
                let time = in_words(Quantity::Rebuild, time);
                Argument::from(Message::new("predict-rebuild-time").with("time", time))
            });
            let none = || Argument::Name(String::new());
            lines.push(message.with("time", time.unwrap_or_else(none)));
        }
        let lines = lines.into_iter();
        lines.map(|line| Block::toned(Tone::Dim, line)).collect()
    }
}

/// The prefix of the name of a disk's link; the name of the disk follows.
const LINK: &str = "link of ";

/// Returns a component of the simulation in words: its names are those of JSON.
fn component(name: &str) -> Argument {
    match (name, name.strip_prefix("cpu of job ")) {
        (_, Some(job)) => Message::new("predict-job-cpu").name("job", job).into(),
        ("uplink", _) => Message::new("resource-uplink").into(),
        ("all cores", _) => Message::new("resource-cores").into(),
        ("array lock", _) => Message::new("resource-lock").into(),
        ("parity thread", _) => Message::new("resource-parity_thread").into(),
        _ => Argument::Name(name.to_owned()),
    }
}

fn columns(shown: Shown) -> Vec<Column> {
    let number = |key: &'static str, head: &'static str| Column::number(key, Message::new(head));
    let sequential = |key: &'static str, name: &'static str| {
        let column = number(key, "predict-disk-sequential");
        column.named(Message::new(name)).optional(3)
    };
    let named = |key: &'static str, head: &'static str, name: &'static str| {
        number(key, head).named(Message::new(name))
    };
    let mut columns = vec![Column::words("disk", Message::new("predict-disk"))];
    if shown.reads {
        columns.push(named(
            "reads_per_s",
            "predict-disk-reads",
            "predict-disk-reads-name",
        ));
        let of_reads = "predict-disk-sequential-reads";
        columns.push(sequential("sequential_read_share", of_reads));
    }
    if shown.writes {
        columns.push(named(
            "writes_per_s",
            "predict-disk-writes",
            "predict-disk-writes-name",
        ));
        let of_writes = "predict-disk-sequential-writes";
        columns.push(sequential("sequential_write_share", of_writes));
    }
    let mean = "predict-disk-request-name";
    columns.push(named("request_bytes_mean", "predict-disk-request", mean));
    columns.push(number("merged_share", "predict-disk-merged").optional(1));
    if shown.flushes {
        columns.push(named(
            "flushes_per_s",
            "predict-disk-flushes",
            "predict-disk-flushes-name",
        ));
    }
    columns.push(number("busy_share", "predict-disk-busy"));
    columns.push(number("link_busy_share", "predict-disk-link").optional(2));
    columns
}

/// Returns the share of requests in the disk's queue that were merged into others.
fn merged(member: &MemberLoad) -> Option<f64> {
    let merges = u32::try_from(member.merges)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    let requests = u32::try_from(member.reads + member.writes)
        .map(f64::from)
        .unwrap_or(f64::MAX);
    (requests > 0.0).then(|| merges / (merges + requests))
}
