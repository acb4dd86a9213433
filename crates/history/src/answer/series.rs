//! The answers of `trend` and `drift`.

use std::ops::Range;

use serde::Serialize;
use stripewise_answer::{Block, Cell, Column, Sentence, Table, Tone, Verdict};
use stripewise_message::{Argument, Message};
use stripewise_study::metric::{Metric, MetricKey};

use super::{SCHEMA, picture, share, signed_percent, signed_quantity, step_words};
use crate::trend::{CannotTell, Change, Size, Trend, levels};

/// A point of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    /// Its run, as commands name it.
    pub run: String,
    /// Its run and day, for people.
    pub label: String,
    /// When it was measured, in ns since 1970-01-01 UTC.
    pub started_unix_ns: u64,
    /// The value, in the unit of the metric.
    pub value: f64,
}

/// A fact that differs on both sides of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactPart {
    /// Its key, as `explain` names it.
    pub key: String,
    /// Its name for people.
    #[serde(skip)]
    pub name: Message,
    /// Its value in the last run before the change.
    pub before: String,
    /// Its value in the first run after it.
    pub after: String,
}

/// An acknowledgement of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acknowledged {
    /// What it is.
    pub text: String,
    /// Who acknowledged it.
    pub by: String,
    /// Until which day, `2027-03-01`; `None` for ever.
    pub until: Option<String>,
}

/// A change of a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangePart {
    /// The first run after it.
    pub run: String,
    /// The first and last run that may be the first one after it, with 95 %.
    pub runs: [String; 2],
    /// The place of the first point after it, from 0.
    pub place: usize,
    /// The first and last such place, with 95 %.
    pub places: [usize; 2],
    /// The level afterwards divided by the one before, if all values are above 0.
    pub ratio: Option<f64>,
    /// The ends of the interval of the ratio, with 95 %.
    pub ratios: Option<[f64; 2]>,
    /// The level afterwards less the one before, in the unit of the metric, if there is no ratio.
    pub difference: Option<f64>,
    /// The ends of the interval of the difference, with 95 %.
    pub differences: Option<[f64; 2]>,
    /// The probability that a series of noise has a change as strong.
    pub p_value: f64,
    /// Whether it is for the worse.
    pub is_worse: bool,
    /// The facts that differ on both sides of it.
    pub facts: Vec<FactPart>,
    /// Its acknowledgement.
    pub acknowledged: Option<Acknowledged>,
}

/// A series with what was found in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesPart {
    /// Its name: the study and the cell.
    pub name: String,
    /// The same for people.
    #[serde(skip)]
    pub title: Message,
    /// Its points, in the order of time.
    pub points: Vec<Point>,
    /// The correlation of neighbours; `None` if nothing can be said.
    pub correlation: Option<f64>,
    /// The standard deviation of a point around its level: of logarithms if sizes are ratios.
    pub noise_sd: Option<f64>,
    /// The probability that a series of noise has something as strong as its strongest place.
    pub p_value: Option<f64>,
    /// The size of a step in its middle that would be found in four of five cases: a ratio below 1, or
    /// a difference where a value is 0.
    pub seen_from: Option<f64>,
    #[serde(skip)]
    sizes_are: Size,
    /// The share of false ones at which it is named among all series; of `drift` alone.
    pub false_share: Option<f64>,
    /// Why nothing can be said.
    pub cannot_tell: Option<Message>,
    /// How many runs are left out: none of their cells is this one, or none of its samples counts.
    pub left_out: usize,
    /// Its changes at the level, in the order of time.
    pub changes: Vec<ChangePart>,
}

/// What `trend` found.
#[derive(Debug, Clone, Serialize)]
pub struct TrendAnswer {
    /// The version of the document.
    pub schema: u32,
    /// The metric.
    pub metric: MetricKey,
    /// The highest probability that a series of noise has a change.
    pub level: f64,
    /// The series.
    pub series: Vec<SeriesPart>,
}

/// What `drift` found.
#[derive(Debug, Clone, Serialize)]
pub struct DriftAnswer {
    /// The version of the document.
    pub schema: u32,
    /// The metric.
    pub metric: MetricKey,
    /// The highest expected share of false ones among the series named.
    pub level: f64,
    /// How many series were judged.
    pub judged: usize,
    /// The series that changed, the surest first.
    pub changed: Vec<SeriesPart>,
    /// The series of which nothing can be said.
    pub unjudged: Vec<SeriesPart>,
    /// The other series: for people, and as test cases.
    #[serde(skip)]
    unchanged: Vec<SeriesPart>,
}

impl ChangePart {
    fn new(change: &Change, sizes_are: Size, points: &[Point], metric: Metric) -> Self {
        let run = |place: usize| points.get(place).map_or(String::new(), |p| p.run.clone());
        let is_ratio = sizes_are == Size::Ratio;
        let neutral = if is_ratio { 1.0 } else { 0.0 };
        Self {
            run: run(change.place),
            runs: change.places.map(run),
            place: change.place,
            places: change.places,
            ratio: is_ratio.then_some(change.size),
            ratios: is_ratio.then_some(change.sizes),
            difference: (!is_ratio).then_some(change.size),
            differences: (!is_ratio).then_some(change.sizes),
            p_value: change.p_value,
            is_worse: (change.size < neutral) == metric.higher_is_better(),
            facts: Vec::new(),
            acknowledged: None,
        }
    }

    /// Returns whether it calls for attention: for the worse or the better, and not acknowledged.
    pub fn is_open(&self) -> bool {
        self.acknowledged.is_none()
    }

    /// Returns its size in a few signs.
    pub(super) fn short(&self, metric: Metric) -> Argument {
        match (self.ratio, self.difference) {
            (Some(ratio), _) => Argument::Digits(signed_percent(ratio)),
            (None, Some(difference)) => signed_quantity(difference, metric),
            (None, None) => Argument::Digits(String::new()),
        }
    }

    fn range(&self, metric: Metric) -> Argument {
        let ends = match (self.ratios, self.differences) {
            (Some(ends), _) => ends.map(|end| Argument::Digits(signed_percent(end))),
            (None, Some(ends)) => ends.map(|end| signed_quantity(end, metric)),
            (None, None) => return Argument::Digits(String::new()),
        };
        let [low, high] = ends;
        let message = Message::new("history-range").with("low", low);
        message.with("high", high).into()
    }

    fn tone(&self) -> Tone {
        match (self.is_open(), self.is_worse) {
            (false, _) => Tone::Dim,
            (true, true) => Tone::Bad,
            (true, false) => Tone::Good,
        }
    }
}

impl SeriesPart {
    /// Returns a series with what was found in it at a level.
    pub fn new(
        (name, title): (String, Message),
        points: Vec<Point>,
        found: Result<&Trend, CannotTell>,
        level: f64,
        metric: Metric,
    ) -> Self {
        let trend = found.ok();
        let changes = trend.into_iter().flat_map(|trend| {
            let changes = trend.at(level);
            changes.map(|change| ChangePart::new(change, trend.sizes_are, &points, metric))
        });
        Self {
            name,
            title,
            correlation: trend.map(|trend| trend.noise.correlation),
            noise_sd: trend.map(|trend| trend.noise.sd()),
            p_value: trend.map(|trend| trend.p_value),
            seen_from: trend.and_then(|trend| trend.seen_from),
            sizes_are: trend.map_or(Size::Ratio, |trend| trend.sizes_are),
            false_share: None,
            cannot_tell: found.err().map(|why| why.message(metric)),
            left_out: 0,
            changes: changes.collect(),
            points,
        }
    }

    /// Returns the levels between its changes.
    pub(super) fn levels(&self) -> Vec<(Range<usize>, f64)> {
        let values: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        let places: Vec<usize> = self.changes.iter().map(|change| change.place).collect();
        levels(&values, &places)
    }

    /// Returns whether it has a change that is not acknowledged.
    pub fn is_open(&self) -> bool {
        self.changes.iter().any(ChangePart::is_open)
    }

    fn verdict(&self) -> Cell {
        match (&self.cannot_tell, self.is_open(), self.changes.is_empty()) {
            (Some(_), _, _) => {
                Cell::verdict(Verdict::NotJudged, Message::new("history-cannot-tell"))
            }
            (None, true, _) => Cell::verdict(Verdict::Fail, Message::new("history-changed")),
            (None, false, true) => Cell::verdict(Verdict::Pass, Message::new("history-unchanged")),
            (None, false, false) => {
                Cell::verdict(Verdict::Pass, Message::new("history-acknowledged"))
            }
        }
    }

    fn sentence(&self, metric: Metric, level: f64) -> Sentence {
        let count = self.points.len();
        if let Some(why) = &self.cannot_tell {
            let message = Message::new("history-cannot-tell-why").with("why", why.clone());
            return Sentence::new(message).tone(Tone::Warn);
        }
        match self.changes.len() {
            0 => Sentence::new(match self.seen_from {
                Some(size) => Message::new("history-no-change")
                    .count("points", count)
                    .percent("level", level)
                    .with("step", step_words(size, self.sizes_are, metric)),
                None => Message::new("history-all-equal").count("points", count),
            }),
            changes => Sentence::new(
                Message::new("history-changes")
                    .count("changes", changes)
                    .digits("points", count),
            )
            .tone(Tone::Strong),
        }
    }

    fn noise(&self, metric: Metric) -> Option<Message> {
        let (sd, correlation) = self.noise_sd.zip(self.correlation)?;
        let sd = match self.sizes_are {
            Size::Ratio => Argument::Digits(share(sd)),
            Size::Difference => metric.quantity(sd),
        };
        Some(
            Message::new("history-noise")
                .with("sd", sd)
                .digits("correlation", format!("{correlation:.2}")),
        )
    }

    /// Returns its changes in a line: the first run after each, and its size.
    fn places(&self, metric: Metric) -> Cell {
        if self.changes.is_empty() {
            return Cell::none();
        }
        Cell::of(Argument::semicolons(self.changes.iter().map(|change| {
            let point = self.points.get(change.place);
            Message::new("history-where")
                .name(
                    "run",
                    point.map_or(change.run.as_str(), |of| of.label.as_str()),
                )
                .with("size", change.short(metric))
        })))
    }

    fn blocks(&self, metric: Metric, level: f64) -> Vec<Block> {
        let mut blocks = vec![
            Block::heading(self.title.clone()),
            self.sentence(metric, level).into(),
        ];
        if self.cannot_tell.is_none() {
            blocks.extend(picture::series(self, metric).map(Block::Drawing));
        }
        if !self.changes.is_empty() {
            blocks.push(changes([self], metric).into());
        }
        blocks.extend(
            self.noise(metric)
                .map(|noise| Block::toned(Tone::Dim, noise)),
        );
        if self.left_out > 0 {
            let message = Message::new("history-left-out").count("runs", self.left_out);
            blocks.push(Block::toned(Tone::Dim, message));
        }
        blocks.push(Block::Gap);
        blocks
    }
}

fn head(id: &'static str) -> Message {
    Message::new(id)
}

/// Returns a row for each change of series.
fn changes<'a>(series: impl IntoIterator<Item = &'a SeriesPart>, metric: Metric) -> Table {
    let mut table = Table::new(
        "changes",
        [
            Column::group("series", head("history-column-series"))
                .detail()
                .label(),
            Column::words("run", head("history-column-first-run")).label(),
            Column::words("runs", head("history-column-between")).optional(2),
            Column::number("ratio", head("history-column-size")),
            Column::range("ratio", head("history-column-size-range")),
            Column::number("p_value", head("history-column-p")).optional(1),
            Column::words("acknowledged", head("history-column-acknowledged")),
            Column::words("facts", head("history-column-facts")),
            // Where a value is 0 there are no ratios. Words say it; programs have the number here.
            Column::number(
                format!("difference_{}", metric.key()),
                head("history-column-difference"),
            )
            .detail(),
        ],
    );
    let rows = series.into_iter().flat_map(|one| {
        let changes = one.changes.iter();
        changes.map(move |change| (change, change_cells(one, change, metric)))
    });
    let mut has_differences = false;
    for (change, row) in rows {
        has_differences |= change.difference.is_some();
        table.row(row);
    }
    if !has_differences {
        table.columns.pop();
        for row in &mut table.rows {
            row.cells.pop();
        }
    }
    table
}

fn change_cells(one: &SeriesPart, change: &ChangePart, metric: Metric) -> [Cell; 9] {
    let mut size = Cell::of(change.short(metric)).tone(change.tone());
    let mut range = Cell::of(change.range(metric));
    if let Some((ratio, [low, high])) = change.ratio.zip(change.ratios) {
        size = size.exact(ratio).ends(low, high);
        range = range.ends(low, high);
    }
    let label = |place: usize| one.points.get(place).map(|point| point.label.as_str());
    let [first, last] = change.places.map(|place| label(place).unwrap_or_default());
    let between = match first == last {
        true => first.to_owned(),
        false => format!("{first} – {last}"),
    };
    let acknowledged = change.acknowledged.as_ref();
    [
        Cell::of(one.title.clone()),
        Cell::name(label(change.place).unwrap_or(&change.run)),
        Cell::name(between),
        size,
        range,
        Cell::digits(p_words(change.p_value)).exact(change.p_value),
        acknowledged.map_or_else(Cell::none, |ack| Cell::of(ack.message())),
        facts(&change.facts),
        change.difference.zip(change.differences).map_or_else(
            Cell::none,
            |(difference, [low, high])| {
                let cell = Cell::of(change.short(metric)).exact(difference);
                cell.ends(low, high)
            },
        ),
    ]
}

fn p_words(p_value: f64) -> String {
    match p_value {
        p if p >= 0.001 => format!("{p:.3}"),
        p if p >= 1e-9 => format!("{p:.0e}"),
        _ => "<1e-9".to_owned(),
    }
}

fn facts(facts: &[FactPart]) -> Cell {
    if facts.is_empty() {
        return Cell::none();
    }
    Cell::of(Argument::semicolons(facts.iter().map(|fact| {
        Message::new("history-fact")
            .with("fact", fact.name.clone())
            .name("before", &fact.before)
            .name("after", &fact.after)
    })))
}

impl Acknowledged {
    fn message(&self) -> Message {
        let message = match &self.until {
            Some(until) => Message::new("history-ack-until").name("until", until),
            None => Message::new("history-ack"),
        };
        message.name("text", &self.text).name("by", &self.by)
    }
}

impl TrendAnswer {
    /// Returns the answer for series.
    pub fn new(metric: Metric, level: f64, series: Vec<SeriesPart>) -> Self {
        Self {
            schema: SCHEMA,
            metric: MetricKey(metric),
            level,
            series,
        }
    }

    /// Returns whether a series has a change that is not acknowledged.
    pub fn is_open(&self) -> bool {
        self.series.iter().any(SeriesPart::is_open)
    }

    /// Returns it as blocks: each series by itself, and a verdict for each at the end.
    pub fn blocks(&self) -> Vec<Block> {
        let of = |part: &SeriesPart| part.blocks(self.metric.0, self.level);
        let mut blocks: Vec<Block> = self.series.iter().flat_map(of).collect();
        let title = Sentence::new(Message::new("history-all-series"));
        blocks.push(Block::closed(
            title,
            vec![verdicts(&self.series, self.metric.0).into()],
        ));
        blocks
    }

    /// Returns all of it in one sentence.
    pub fn summary(&self) -> Message {
        let count = |is: fn(&SeriesPart) -> bool| self.series.iter().filter(|s| is(s)).count();
        Message::new("history-trend-summary")
            .count("series", self.series.len())
            .digits("changed", count(|part| !part.changes.is_empty()))
            .digits("open", count(SeriesPart::is_open))
            .digits("unknown", count(|part| part.cannot_tell.is_some()))
    }
}

/// Returns a row for each series, with its verdict.
fn verdicts<'a>(series: impl IntoIterator<Item = &'a SeriesPart>, metric: Metric) -> Table {
    let mut table = Table::new(
        "series",
        [
            Column::words("series", head("history-column-series")).label(),
            Column::verdict("outcome", head("history-column-outcome")),
            Column::number("points", head("history-column-points")),
            Column::number("changes", head("history-column-changes")),
            Column::words("where", head("history-column-where")),
            Column::words("why", head("history-column-why")),
        ],
    );
    for one in series {
        let count = |count: usize| Cell::digits(count).exact(crate::number::real(count));
        table.row([
            Cell::of(one.title.clone()),
            one.verdict(),
            count(one.points.len()),
            count(one.changes.len()),
            one.places(metric),
            one.cannot_tell.clone().map_or_else(Cell::none, Cell::of),
        ]);
    }
    table
}

impl DriftAnswer {
    /// Returns the answer for series, each with its changes at the loosest level and its share of false
    /// ones.
    pub fn new(metric: Metric, level: f64, series: Vec<SeriesPart>) -> Self {
        let is_unjudged = |part: &SeriesPart| part.cannot_tell.is_some();
        let (unjudged, judged): (Vec<_>, Vec<_>) = series.into_iter().partition(is_unjudged);
        let count = judged.len();
        let is_named = |part: &SeriesPart| part.false_share.is_some_and(|share| share <= level);
        let (mut changed, mut unchanged): (Vec<_>, Vec<_>) = judged.into_iter().partition(is_named);
        let p_value = |part: &SeriesPart| part.p_value.unwrap_or(1.0);
        changed.sort_by(|a, b| p_value(a).total_cmp(&p_value(b)));
        for part in &mut unchanged {
            part.changes.clear();
        }
        Self {
            schema: SCHEMA,
            metric: MetricKey(metric),
            level,
            judged: count,
            changed,
            unjudged,
            unchanged,
        }
    }

    /// Returns whether a series has a change that is not acknowledged.
    pub fn is_open(&self) -> bool {
        self.changed.iter().any(SeriesPart::is_open)
    }

    /// Returns it as blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        if !self.changed.is_empty() {
            let mut table = changes(&self.changed, self.metric.0);
            // All series in one table: their names are no detail here.
            for column in table.columns.iter_mut().filter(|column| column.is_label) {
                column.is_detail = false;
            }
            blocks.push(table.into());
        }
        if !self.unjudged.is_empty() {
            let message = Message::new("history-unjudged").count("series", self.unjudged.len());
            blocks.push(Block::toned(Tone::Dim, message));
        }
        let all = [&self.changed, &self.unjudged, &self.unchanged];
        let table = verdicts(all.into_iter().flatten(), self.metric.0);
        let title = Sentence::new(Message::new("history-all-series"));
        blocks.push(Block::closed(title, vec![table.into()]));
        blocks
    }

    /// Returns all of it in one sentence.
    pub fn summary(&self) -> Message {
        Message::new("history-drift-summary")
            .count("series", self.judged)
            .digits("changed", self.changed.len())
            .percent("level", self.level)
            .digits("unknown", self.unjudged.len())
    }
}
