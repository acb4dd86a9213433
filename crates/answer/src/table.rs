//! Tables: typed columns, and rows of values with the words for them.

use std::borrow::Cow;

use serde::Serialize;
use stripewise_message::{Argument, Message};

use crate::block::Tone;

/// The kind of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Words.
    Text,
    /// Words that name the group of a row: several rows share them.
    Group,
    /// Numbers. Their unit is in the name of the column.
    Number,
    /// The interval of the number before it.
    Interval,
    /// Bars.
    Bar,
    /// Small charts, for media that draw lines: a terminal leaves them out.
    Chart,
    /// Verdicts: what passed, failed, or was not judged.
    Verdict,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Column {
    /// Its name for programs, with the unit of its exact values: `latency_ns_mean`.
    pub key: Cow<'static, str>,
    /// Its head.
    pub head: Argument,
    /// Its name in sentences, if that is not its head.
    pub name: Option<Argument>,
    /// The unit of its values, if they do not carry it.
    pub unit: Cow<'static, str>,
    /// The kind of its values.
    pub kind: Kind,
    /// The order in which a narrow medium leaves it out: 0 never, otherwise lower ones first.
    pub rank: u8,
    /// Whether its words may take several lines, if it is the last.
    pub wraps: bool,
    /// Whether a terminal leaves it out unless `--verbose` asks for it, and a page, whose readers would
    /// have to scroll; Markdown and CSV have it.
    #[serde(skip)]
    pub is_detail: bool,
    /// The key of the numbers behind its words, for CSV; empty if there are none.
    #[serde(skip)]
    pub measure: &'static str,
    /// Whether its words identify a row: labels of a scraper.
    #[serde(skip)]
    pub is_label: bool,
}

/// Whether something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Judgement"))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It could not be judged.
    NotJudged,
}

/// A bar, as fractions of the longest: solid from `start` to `solid_end`, shaded to `shaded_end`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Bar {
    /// Where it begins.
    pub start: f64,
    /// Where its sure part ends.
    pub solid_end: f64,
    /// Where its possible part ends.
    pub shaded_end: f64,
}

/// A value in a row, and the words for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TableCell"))]
pub struct Cell {
    /// What people see; `None` if there is nothing.
    pub shown: Option<Argument>,
    /// The exact number, in the unit of the column's key.
    ///
    /// Infinite for what has no limit, which JSON cannot say and leaves out.
    #[serde(skip_serializing_if = "is_not_finite")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub exact: Option<f64>,
    /// The ends of its interval, in the same unit.
    #[serde(skip)]
    pub ends: Option<[f64; 2]>,
    /// The key of its words, which CSV has in their place; empty if they have none.
    #[serde(skip)]
    pub key: Cow<'static, str>,
    /// Of how many things its number is the count, for CSV: `KEY_of`.
    #[serde(skip)]
    pub of_all: Option<f64>,
    /// Whether its words only say that there is no value: its field is empty in CSV.
    #[serde(skip)]
    pub is_unknown: bool,
    /// The tone of its words.
    pub tone: Tone,
    /// The bar, in a column of bars.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub bar: Option<Bar>,
    /// The heights of a small chart, in a column of charts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub chart: Option<Vec<f64>>,
    /// The verdict, in a column of verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub verdict: Option<Verdict>,
    /// Whether the row before has the same value: groups are then visible without lines.
    pub is_repeated: bool,
    /// What a terminal draws before its words, and beside the lines that continue its row: a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub branch: Option<[String; 2]>,
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Row {
    /// A value for each column.
    pub cells: Vec<Cell>,
    /// Its number in the small chart of its group.
    pub height: Option<f64>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Table {
    /// Its name for programs.
    pub key: Cow<'static, str>,
    /// What it shows, for a medium that reads it out or that has captions.
    pub caption: Option<Message>,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether every line is a row: columns without room are then left out silently.
    pub is_bare: bool,
    /// What its bars mean, for a medium that draws them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub bars: Option<Message>,
    /// What all its rows share and its words do not say, by keys: fields of their own in CSV, `run`.
    #[serde(skip)]
    pub shared: Vec<(&'static str, String)>,
}

impl Kind {
    /// Returns whether only eyes can use its values: text and programs get those of other columns.
    pub const fn is_drawn(self) -> bool {
        matches!(self, Self::Bar | Self::Chart)
    }
}

impl Column {
    fn new(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>, kind: Kind) -> Self {
        Self {
            key: key.into(),
            head: head.into(),
            name: None,
            unit: Cow::Borrowed(""),
            kind,
            rank: 0,
            wraps: matches!(kind, Kind::Text | Kind::Verdict),
            is_detail: false,
            measure: "",
            is_label: false,
        }
    }

    /// Returns a column of words.
    pub fn words(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Text)
    }

    /// Returns a column of which several rows share a value; groups come first.
    pub fn group(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Group)
    }

    /// Returns a column of numbers.
    pub fn number(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Number)
    }

    /// Returns a column of verdicts.
    pub fn verdict(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Verdict)
    }

    /// Returns the column of the intervals of the number before it, with the key of that number: CSV has
    /// both ends, `KEY_low` and `KEY_high`.
    pub fn interval(key: impl Into<Cow<'static, str>>) -> Self {
        Self::range(key, Argument::Name("±".to_owned()))
    }

    /// Returns a column of intervals with both ends: `[0–17 %]`.
    pub fn range(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Interval)
    }

    /// Returns a column of bars.
    pub fn bar() -> Self {
        Self::new("", Argument::Name(String::new()), Kind::Bar)
    }

    /// Returns a column of small charts.
    pub fn chart(key: impl Into<Cow<'static, str>>, head: impl Into<Argument>) -> Self {
        Self::new(key, head, Kind::Chart)
    }

    /// Returns whether its values are numbers or their intervals, which stand flush right.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number | Kind::Interval)
    }

    /// Sets its name in sentences.
    #[must_use]
    pub fn named(mut self, name: impl Into<Argument>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the unit of its values, if they do not carry it.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<Cow<'static, str>>) -> Self {
        self.unit = unit.into();
        self
    }

    /// Allows a narrow medium to leave it out; lower ranks are left out first.
    #[must_use]
    pub fn optional(mut self, rank: u8) -> Self {
        self.rank = rank;
        self
    }

    /// Makes it a detail.
    #[must_use]
    pub fn detail(mut self) -> Self {
        self.is_detail = true;
        self
    }

    /// Makes its words identify a row.
    #[must_use]
    pub fn label(mut self) -> Self {
        self.is_label = true;
        self
    }

    /// Names the numbers behind its words: CSV has them, and their intervals, beside the words.
    #[must_use]
    pub fn measured(mut self, key: &'static str) -> Self {
        self.measure = key;
        self
    }

    /// Keeps its words on one line, shortened in the middle if necessary.
    #[must_use]
    pub fn in_one_line(mut self) -> Self {
        self.wraps = false;
        self
    }
}

impl Bar {
    /// Returns the bar of a number from 0, solid to `low` and shaded to `high`, where `most` is the
    /// value of the longest bar.
    pub fn of_range(low: f64, high: f64, most: f64) -> Self {
        Self {
            start: 0.0,
            solid_end: share(low, most),
            shaded_end: share(high, most),
        }
    }

    /// Returns a part of a waterfall, from `start` to `end` of `whole`.
    pub fn of_part(start: f64, end: f64, whole: f64) -> Self {
        let end = share(end, whole);
        Self {
            start: share(start, whole),
            solid_end: end,
            shaded_end: end,
        }
    }
}

fn is_not_finite(exact: &Option<f64>) -> bool {
    exact.is_none_or(|exact| !exact.is_finite())
}

fn share(value: f64, most: f64) -> f64 {
    if most > 0.0 {
        (value / most).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

impl Cell {
    /// Returns a cell with words.
    pub fn of(words: impl Into<Argument>) -> Self {
        Self {
            shown: Some(words.into()),
            ..Self::default()
        }
    }

    /// Returns a cell with text that no language changes.
    pub fn name(text: impl ToString) -> Self {
        Self::of(Argument::Name(text.to_string()))
    }

    /// Returns a cell with a rounded number.
    pub fn digits(digits: impl ToString) -> Self {
        Self::of(Argument::Digits(digits.to_string()))
    }

    /// Returns a cell with the sign for a value that does not exist.
    pub fn none() -> Self {
        Self::name("-").tone(Tone::Dim).unknown()
    }

    /// Says that its words only tell that there is no value.
    #[must_use]
    pub fn unknown(mut self) -> Self {
        self.is_unknown = true;
        self
    }

    /// Returns a cell without anything.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Returns a cell with a bar.
    pub fn bar(bar: Bar) -> Self {
        Self {
            bar: Some(bar),
            ..Self::default()
        }
    }

    /// Returns a cell with a small chart of heights.
    pub fn chart(heights: Vec<f64>) -> Self {
        Self {
            chart: Some(heights),
            ..Self::default()
        }
    }

    /// Returns a cell with a verdict.
    pub fn verdict(verdict: Verdict, words: impl Into<Argument>) -> Self {
        Self {
            verdict: Some(verdict),
            tone: match verdict {
                Verdict::Pass => Tone::Good,
                Verdict::Fail => Tone::Bad,
                Verdict::NotJudged => Tone::Warn,
            },
            ..Self::of(words)
        }
    }

    /// Sets the exact number.
    #[must_use]
    pub fn exact(mut self, exact: f64) -> Self {
        self.exact = Some(exact);
        self
    }

    /// Sets the ends of its interval.
    #[must_use]
    pub fn ends(mut self, low: f64, high: f64) -> Self {
        self.ends = Some([low, high]);
        self
    }

    /// Sets the key of its words, with the unit of the exact numbers beside it: `latency_ns_p50`.
    #[must_use]
    pub fn key(mut self, key: impl Into<Cow<'static, str>>) -> Self {
        self.key = key.into();
        self
    }

    /// Sets of how many things its number is the count.
    #[must_use]
    pub fn of_all(mut self, all: f64) -> Self {
        self.of_all = Some(all);
        self
    }

    /// Sets the tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Sets the lines of a tree: before its words, and beside the lines that continue its row.
    #[must_use]
    pub fn branch(mut self, before: String, beside: String) -> Self {
        self.branch = Some([before, beside]);
        self
    }
}

impl Table {
    /// Begins a table with these columns.
    pub fn new(
        key: impl Into<Cow<'static, str>>,
        columns: impl IntoIterator<Item = Column>,
    ) -> Self {
        Self {
            key: key.into(),
            columns: columns.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets what it shows.
    #[must_use]
    pub fn caption(mut self, caption: Message) -> Self {
        self.caption = Some(caption);
        self
    }

    /// Makes each line a row, for programs that count or search lines.
    #[must_use]
    pub fn bare(mut self) -> Self {
        self.is_bare = true;
        self
    }

    /// Sets what its bars mean.
    #[must_use]
    pub fn bars(mut self, meaning: Option<Message>) -> Self {
        self.bars = meaning;
        self
    }

    /// Adds a row; it has as many cells as the table has columns. Its groups are marked as repeated
    /// as far as they are those of the row before.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        let groups = self.columns.iter();
        let groups = groups.take_while(|column| column.kind == Kind::Group);
        let before = self.rows.last().map_or(&[][..], |row| &row.cells);
        let same = cells.iter().zip(before).zip(groups);
        let same = same.take_while(|((cell, before), _)| cell.shown == before.shown);
        let same = same.count();
        for cell in &mut cells[..same] {
            cell.is_repeated = true;
        }
        let height = None;
        self.rows.push(Row { cells, height });
    }

    /// Adds a row with its number for the small chart of its group.
    pub fn row_of_height(&mut self, cells: impl IntoIterator<Item = Cell>, height: f64) {
        self.row(cells);
        if let Some(row) = self.rows.last_mut() {
            row.height = Some(height);
        }
    }

    /// Returns the same without details: every column is shown where there is room.
    #[must_use]
    pub fn unfolded(mut self) -> Self {
        for column in &mut self.columns {
            column.is_detail = false;
        }
        self
    }

    /// Returns the column of verdicts, if it has one.
    pub fn verdicts(&self) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| column.kind == Kind::Verdict)
    }
}
