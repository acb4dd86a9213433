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

/// What was found of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostVerdict {
    /// It is slow.
    Slow,
    /// Some of its cells are slow, and the host is not.
    SlowCells,
    /// Nothing.
    Like,
    /// It was not judged.
    CannotTell,
}

/// A slow cell of a host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowCellPart {
    /// The cell.
    pub cell: String,
    /// Its value divided by the median of its class.
    pub ratio: f64,
    /// The cell for people.
    #[serde(skip)]
    pub shown: Argument,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HostPart {
    /// Its name.
    pub host: String,
    /// What hosts like it share.
    pub class: String,
    /// The verdict.
    pub verdict: HostVerdict,
    /// The median over its cells of its value divided by that of its class.
    pub ratio: Option<f64>,
    /// In how many cells it was judged.
    pub cells: usize,
    /// In how many of them it is far on the bad side.
    pub slow_cells: usize,
    /// The slowest of them.
    pub slowest: Vec<SlowCellPart>,
    /// The share of false ones at which it is named.
    pub false_share: Option<f64>,
    /// Whether a slow host is still slow.
    pub seen: Option<Seen>,
    /// Why it was not judged.
    pub cannot_tell: Option<Message>,
    #[serde(skip)]
    seen_from: Option<f64>,
}

/// Hosts that are compared with each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassPart {
    /// What they share.
    pub class: String,
    /// How many of them were judged.
    pub judged: usize,
    /// The ratio to its class from which a single slow host would be named in four of five cases; `None` if
    /// the class cannot be judged.
    pub seen_from: Option<f64>,
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
    /// What is compared with each other, and how small an effect can be seen there.
    pub classes: Vec<ClassPart>,
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
            Verdict::Like => (HostVerdict::Like, None),
            Verdict::Slow => (HostVerdict::Slow, None),
            Verdict::SlowCells => (HostVerdict::SlowCells, None),
            Verdict::Unjudged(why) => (HostVerdict::CannotTell, Some(why.message())),
        };
        let slowest = judged.slowest.into_iter().map(|slow| SlowCellPart {
            shown: Argument::Name(slow.cell.clone()),
            cell: slow.cell,
            ratio: slow.ratio,
        });
        Self {
            host: judged.host,
            class: judged.class,
            verdict,
            ratio: judged.ratio,
            cells: judged.cells,
            slow_cells: judged.slow_cells,
            slowest: slowest.collect(),
            false_share: judged.false_share,
            seen: seen.filter(|_| judged.verdict == Verdict::Slow),
            cannot_tell,
            seen_from: judged.seen_from,
        }
    }

    fn is_slow(&self) -> bool {
        self.verdict == HostVerdict::Slow
    }

    /// Returns whether it calls for attention: slow, and not only on days before the last one.
    pub fn is_open(&self) -> bool {
        self.is_slow() && self.seen != Some(Seen::WentAway)
    }

    fn judgement(&self) -> Cell {
        let words = Message::new(match self.verdict {
            HostVerdict::Slow => "history-host-slow",
            HostVerdict::SlowCells => "history-host-slow-cells",
            HostVerdict::CannotTell => "history-host-cannot-tell",
            HostVerdict::Like => "history-host-like",
        });
        match self.verdict {
            HostVerdict::CannotTell => Cell::verdict(Judgement::NotJudged, words),
            _ if self.is_open() => Cell::verdict(Judgement::Fail, words).tone(Tone::Bad),
            _ => Cell::verdict(Judgement::Pass, words),
        }
    }

    /// Returns how far its slowest cell is from its class: the lower, the slower.
    fn slowness(&self) -> f64 {
        let slowest = self.slowest.first();
        slowest.map_or(0.0, |cell| -(cell.ratio.ln().abs()))
    }

    fn slow_cells(&self) -> Cell {
        if self.slowest.is_empty() {
            return Cell::none();
        }
        let cells = self.slowest.iter().map(|slow| {
            Message::new("history-slow-cell")
                .with("cell", slow.shown.clone())
                .digits("size", signed_percent(slow.ratio))
        });
        Cell::of(Argument::semicolons(cells))
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
            classes: classes(&hosts),
            hosts,
        }
    }

    /// Returns whether a host is slow, and was so on the last day.
    pub fn is_open(&self) -> bool {
        self.hosts.iter().any(HostPart::is_open)
    }

    fn count(&self, verdict: HostVerdict) -> usize {
        self.hosts
            .iter()
            .filter(|host| host.verdict == verdict)
            .count()
    }

    /// Returns it as blocks: the slow hosts, those with slow cells, and all.
    pub fn blocks(&self) -> Vec<Block> {
        let of = |verdict: HostVerdict| -> Vec<&HostPart> {
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
        let slow = of(HostVerdict::Slow);
        if !slow.is_empty() {
            blocks.push(hosts("slow_hosts", &slow, false).into());
        }
        let mut cells = of(HostVerdict::SlowCells);
        if !cells.is_empty() {
            // The farthest from their class first, and no more than a reader can use.
            cells.sort_by(|a, b| a.slowness().total_cmp(&b.slowness()));
            let title = Message::new("history-slow-cells").count("hosts", cells.len());
            blocks.push(Block::toned(Tone::Warn, title));
            let listed = &cells[..cells.len().min(SLOW_CELLS_LISTED)];
            blocks.push(hosts("slow_cells", listed, false).into());
            if listed.len() < cells.len() {
                let message =
                    Message::new("history-slow-cells-more").digits("listed", listed.len());
                blocks.push(Block::toned(Tone::Dim, message));
            }
        }
        blocks.extend(self.seen());
        let all: Vec<&HostPart> = self.hosts.iter().collect();
        let title = Message::new("history-all-hosts").count("hosts", all.len());
        let table = hosts("hosts", &all, true);
        blocks.push(Block::closed(Sentence::new(title), vec![table.into()]));
        blocks
    }

    /// Says how small an effect can be seen in each class: in a sentence for one, in a table for several.
    fn seen(&self) -> Option<Block> {
        let seen = self.classes.iter();
        let seen: Vec<(&ClassPart, f64)> = seen
            .filter_map(|class| Some((class, class.seen_from?)))
            .collect();
        match seen.as_slice() {
            [] => None,
            [(class, seen_from)] => {
                let message = Message::new("history-class-seen")
                    .count("hosts", class.judged)
                    .digits("size", signed_percent(*seen_from));
                Some(Block::toned(Tone::Dim, message))
            }
            _ => {
                let mut table = Table::new(
                    "classes",
                    [
                        Column::words("class", Message::new("history-column-class")),
                        Column::number("judged", Message::new("history-column-judged")),
                        Column::number("seen_from", Message::new("history-column-seen-from")),
                    ],
                );
                for (class, seen_from) in seen {
                    table.row([
                        Cell::of(Argument::Name(class.class.clone())),
                        Cell::digits(class.judged).exact(real(class.judged)),
                        Cell::digits(signed_percent(seen_from)).exact(seen_from),
                    ]);
                }
                Some(table.into())
            }
        }
    }

    /// Returns all of it in one sentence.
    pub fn summary(&self) -> Message {
        let judged = self.hosts.len() - self.count(HostVerdict::CannotTell);
        Message::new("history-outliers-summary")
            .count("hosts", judged)
            .digits("slow", self.count(HostVerdict::Slow))
            .percent("level", self.level)
            .digits("unknown", self.count(HostVerdict::CannotTell))
    }
}

/// Returns the classes of hosts, which are in the order of their classes.
fn classes(hosts: &[HostPart]) -> Vec<ClassPart> {
    let of_class = hosts.chunk_by(|one, next| one.class == next.class);
    let classes = of_class.filter_map(|of| {
        let judged = of.iter().filter(|host| host.false_share.is_some());
        Some(ClassPart {
            class: of.first()?.class.clone(),
            judged: judged.count(),
            seen_from: of.first()?.seen_from,
        })
    });
    classes.collect()
}

/// How many hosts with slow cells are listed.
const SLOW_CELLS_LISTED: usize = 10;

/// Returns a row for each host; `judged` adds the verdicts.
fn hosts(key: &'static str, hosts: &[&HostPart], judged: bool) -> Table {
    let head = |id: &'static str| Message::new(id);
    let named = |key: &'static str, id: &'static str| Column {
        is_label: judged,
        ..Column::words(key, head(id))
    };
    let mut columns = vec![named("host", "history-column-host")];
    if judged {
        columns.push(Column::verdict("outcome", head("history-column-outcome")));
    }
    columns.extend([
        Column::number("ratio", head("history-column-ratio")),
        Column::number("slow_cells", head("history-column-slow-cells")),
        Column::words("slowest", head("history-column-slowest")),
        named("class", "history-column-class").optional(1),
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
        let of_all = real(host.cells);
        row.push(
            Cell::of(of_cells)
                .exact(real(host.slow_cells))
                .of_all(of_all),
        );
        row.push(host.slow_cells());
        row.push(Cell::of(Argument::Name(host.class.clone())));
        row.push(host.remark().map_or_else(Cell::none, Cell::of));
        table.row(row);
    }
    table
}
