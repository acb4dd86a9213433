//! The answer of `outliers`.

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone, Verdict as Judgement};
use stripewise_message::{Argument, Message};
use stripewise_study::metric::{Metric, MetricKey};

use super::{SCHEMA, picture, signed_percent};
use crate::number::real;
use crate::outliers::{HOSTS_MIN, Judged, LOAD_SHARE_MAX, Unjudged, Verdict};

/// Whether a slow host is still slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// On the last day and on an earlier one.
    Repeatedly,
    /// On the last day, and it was not slow before.
    LastDayOnly,
    /// On earlier days, and not on the last one.
    WentAway,
    /// Only one day was measured.
    OneDay,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostPart {
    /// Its name.
    pub host: String,
    /// What hosts like it share.
    pub class: String,
    /// `slow`, `slow_cells`, `like` or `cannot_tell`.
    pub verdict: &'static str,
    /// The median over its cells of its value divided by that of its class.
    pub ratio: Option<f64>,
    /// In how many cells it was judged.
    pub cells: usize,
    /// In how many of them it is far on the bad side.
    pub slow_cells: usize,
    /// The share of false ones at which it is named.
    pub false_share: Option<f64>,
    /// Whether a slow host is still slow.
    pub seen: Option<Seen>,
    /// Why it was not judged.
    pub cannot_tell: Option<Message>,
}

/// What `outliers` found.
#[derive(Debug, Clone, Serialize)]
pub struct FleetAnswer {
    /// The version of the document.
    pub schema: u32,
    /// The metric.
    pub metric: MetricKey,
    /// The highest expected share of innocent hosts among those named.
    pub level: f64,
    /// The days that were measured, the first and the last; `None` without a date.
    pub days: Option<[String; 2]>,
    /// The hosts, by class and name.
    pub hosts: Vec<HostPart>,
}

impl Unjudged {
    /// Returns the reason as a sentence.
    pub fn message(self) -> Message {
        match self {
            Unjudged::TooFewLikeIt { hosts } => Message::new("history-too-few-hosts")
                .count("hosts", hosts)
                .digits("needed", HOSTS_MIN),
            Unjudged::OtherLoad => {
                Message::new("history-other-load").percent("share", LOAD_SHARE_MAX)
            }
            Unjudged::NoValue => Message::new("history-no-value"),
            Unjudged::NoScatter => Message::new("history-no-scatter"),
        }
    }
}

impl HostPart {
    /// Returns a host with its verdict.
    pub fn new(judged: Judged, seen: Option<Seen>) -> Self {
        let (verdict, cannot_tell) = match judged.verdict {
            Verdict::Like => ("like", None),
            Verdict::Slow => ("slow", None),
            Verdict::SlowCells => ("slow_cells", None),
            Verdict::Unjudged(why) => ("cannot_tell", Some(why.message())),
        };
        Self {
            host: judged.host,
            class: judged.class,
            verdict,
            ratio: judged.ratio,
            cells: judged.cells,
            slow_cells: judged.slow_cells,
            false_share: judged.false_share,
            seen: seen.filter(|_| judged.verdict == Verdict::Slow),
            cannot_tell,
        }
    }

    fn is_slow(&self) -> bool {
        self.verdict == "slow"
    }

    /// Returns whether it calls for attention: slow, and not only on days before the last one.
    pub fn is_open(&self) -> bool {
        self.is_slow() && self.seen != Some(Seen::WentAway)
    }

    fn judgement(&self) -> Cell {
        let words = Message::new(match self.verdict {
            "slow" => "history-host-slow",
            "slow_cells" => "history-host-slow-cells",
            "cannot_tell" => "history-host-cannot-tell",
            _ => "history-host-like",
        });
        match self.verdict {
            "cannot_tell" => Cell::verdict(Judgement::NotJudged, words),
            _ if self.is_open() => Cell::verdict(Judgement::Fail, words).tone(Tone::Bad),
            _ => Cell::verdict(Judgement::Pass, words),
        }
    }

    fn remark(&self) -> Option<Message> {
        let seen = self.seen.map(|seen| match seen {
            Seen::Repeatedly => Message::new("history-seen-repeatedly"),
            Seen::LastDayOnly => Message::new("history-seen-last-day"),
            Seen::WentAway => Message::new("history-seen-went-away"),
            Seen::OneDay => Message::new("history-seen-one-day"),
        });
        self.cannot_tell.clone().or(seen)
    }
}

impl FleetAnswer {
    /// Returns the answer for hosts.
    pub fn new(
        metric: Metric,
        level: f64,
        days: Option<[String; 2]>,
        hosts: Vec<HostPart>,
    ) -> Self {
        Self {
            schema: SCHEMA,
            metric: MetricKey(metric),
            level,
            days,
            hosts,
        }
    }

    /// Returns whether a host is slow, and was so on the last day.
    pub fn is_open(&self) -> bool {
        self.hosts.iter().any(HostPart::is_open)
    }

    fn count(&self, verdict: &str) -> usize {
        self.hosts
            .iter()
            .filter(|host| host.verdict == verdict)
            .count()
    }

    /// Returns it as blocks: the slow hosts, those with slow cells, and all.
    pub fn blocks(&self) -> Vec<Block> {
        let of = |verdict: &str| -> Vec<&HostPart> {
            let hosts = self.hosts.iter();
            hosts.filter(|host| host.verdict == verdict).collect()
        };
        let strip: Vec<_> = self
            .hosts
            .iter()
            .filter_map(|host| {
                let name = host.is_slow().then_some(host.host.as_str());
                Some((host.ratio?, name))
            })
            .collect();
        let mut blocks: Vec<Block> = picture::strip(&strip)
            .map(Block::Drawing)
            .into_iter()
            .collect();
        let slow = of("slow");
        if !slow.is_empty() {
            blocks.push(hosts("slow_hosts", &slow, false).into());
        }
        let cells = of("slow_cells");
        if !cells.is_empty() {
            let title = Message::new("history-slow-cells").count("hosts", cells.len());
            let table = hosts("slow_cells", &cells, false);
            blocks.push(Block::closed(Sentence::new(title), vec![table.into()]));
        }
        let all: Vec<&HostPart> = self.hosts.iter().collect();
        let title = Message::new("history-all-hosts").count("hosts", all.len());
        let table = hosts("hosts", &all, true);
        blocks.push(Block::closed(Sentence::new(title), vec![table.into()]));
        blocks
    }

    /// Returns all of it in one sentence.
    pub fn summary(&self) -> Message {
        let judged = self.hosts.len() - self.count("cannot_tell");
        Message::new("history-outliers-summary")
            .count("hosts", judged)
            .digits("slow", self.count("slow"))
            .percent("level", self.level)
            .digits("unknown", self.count("cannot_tell"))
    }
}

/// Returns a row for each host; `judged` adds the verdicts.
fn hosts(key: &'static str, hosts: &[&HostPart], judged: bool) -> Table {
    let head = |id: &'static str| Message::new(id);
    let mut columns = vec![Column::words("host", head("history-column-host"))];
    if judged {
        columns.push(Column::verdict("outcome", head("history-column-outcome")));
    }
    columns.extend([
        Column::number("ratio", head("history-column-ratio")),
        Column::number("slow_cells", head("history-column-slow-cells")),
        Column::words("class", head("history-column-class")).optional(1),
        Column::words("remark", head("history-column-why")),
    ]);
    let mut table = Table::new(key, columns);
    for host in hosts {
        let mut row = vec![Cell::name(&host.host)];
        if judged {
            row.push(host.judgement());
        }
        row.push(host.ratio.map_or_else(Cell::none, |ratio| {
            Cell::digits(signed_percent(ratio)).exact(ratio)
        }));
        let of_cells = Message::new("history-cells-of")
            .digits("slow", host.slow_cells)
            .digits("cells", host.cells);
        row.push(Cell::of(of_cells).exact(real(host.slow_cells)));
        row.push(Cell::of(Argument::Name(host.class.clone())));
        row.push(host.remark().map_or_else(Cell::none, Cell::of));
        table.row(row);
    }
    table
}
