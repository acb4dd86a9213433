//! The I/O of each disk, in iostat's terms, and the utilisation of everything else.

use stripewise_catalogue::{Argument, Message};
use stripewise_diagnose::prediction::MemberLoad;
use stripewise_profiles::device::number::rounded;
use stripewise_study::metric::Metric;

use super::ExplainedCell;
use crate::numbers::{rate, size};
use crate::table::{Column, Field, Table};
use crate::text::{DIM, dimmed};
use crate::view::View;

/// The kinds of I/O that any disk has; other columns are left out.
#[derive(Clone, Copy)]
struct Shown {
    reads: bool,
    writes: bool,
    flushes: bool,
}

impl ExplainedCell {
    /// Returns the I/O of each disk, in iostat's terms.
    pub(super) fn members(&self, view: View) -> String {
        let members = &self.prediction.members;
        let shown = Shown {
            reads: members.iter().any(|member| member.reads > 0),
            writes: members.iter().any(|member| member.writes > 0),
            flushes: members.iter().any(|member| member.flushes > 0),
        };
        let digits = |digits: String| Field::plain(view.show(&Argument::Digits(digits)));
        let share = |share: Option<f64>| match share {
            Some(share) => Field::plain(view.show(&Argument::percent(share))),
            None => Field::styled(DIM, "-"),
        };
        let mut table = Table::new(columns(shown, view));
        for member in members {
            let mut row = vec![Field::plain(&member.device)];
            if shown.reads {
                row.push(digits(rate(member.reads_per_s)));
                row.push(share(member.sequential_read_share));
            }
            if shown.writes {
                row.push(digits(rate(member.writes_per_s)));
                row.push(share(member.sequential_write_share));
            }
            row.push(digits(size(rounded(member.request_bytes_mean))));
            row.push(share(merged(member)));
            if shown.flushes {
                row.push(digits(rate(member.flushes_per_s)));
            }
            let link = format!("{LINK}{}", member.device);
            row.push(share(Some(member.busy_share)));
            row.push(share(Some(self.prediction.busiest(&link))));
            table.row(row);
        }
        table.finish(view)
    }

    /// Returns the utilisation of everything else, and the rate of a rebuild.
    pub(super) fn components(&self, view: View) -> String {
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
            lines.push(Message::new("predict-rebuild-rate").with("rate", rate));
        }
        lines
            .iter()
            .map(|line| dimmed(&view.say(line), view))
            .collect()
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
        ("parity thread", _) => Message::new("resource-parity_thread").into(),
        _ => Argument::Name(name.to_owned()),
    }
}

fn columns(shown: Shown, view: View) -> Vec<Column> {
    let say = |id: &'static str| view.say(&Message::new(id));
    let sequential = |of: &'static str| {
        let head = say("predict-disk-sequential");
        Column::number(&head).named(&say(of)).optional(3)
    };
    let named =
        |head: &'static str, name: &'static str| Column::number(&say(head)).named(&say(name));
    let mut columns = vec![Column::words(&say("predict-disk"))];
    if shown.reads {
        columns.push(named("predict-disk-reads", "predict-disk-reads-name"));
        columns.push(sequential("predict-disk-sequential-reads"));
    }
    if shown.writes {
        columns.push(named("predict-disk-writes", "predict-disk-writes-name"));
        columns.push(sequential("predict-disk-sequential-writes"));
    }
    columns.push(named("predict-disk-request", "predict-disk-request-name"));
    columns.push(Column::number(&say("predict-disk-merged")).optional(1));
    if shown.flushes {
        columns.push(named("predict-disk-flushes", "predict-disk-flushes-name"));
    }
    columns.push(Column::number(&say("predict-disk-busy")));
    columns.push(Column::number(&say("predict-disk-link")).optional(2));
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
