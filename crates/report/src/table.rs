//! Tables without lines: columns separated by two spaces, numbers right-aligned, heads dimmed.
//!
//! A table is laid out for the width of a terminal. If it does not fit, parts shrink or disappear
//! in the order of [`STEPS`], but never a digit of a number: columns that others imply disappear
//! first, then bars shrink, the last column wraps, outer groups become lines of their own, names
//! lose their middle. As the last resort a row becomes a sentence, which is also the plain form of
//! every row. A wide terminal gives its extra room to the bars.

use std::collections::BTreeSet;
use std::ops::Range;

use anstyle::Style;
use stripewise_answer::{self as answer, Cell};
use stripewise_catalogue::Message;
use unicode_width::UnicodeWidthStr;

use crate::bar::{Bar, draw, sparkline};
use crate::numbers::UNKNOWN;
use crate::text::{BOLD, DIM, broken, dimmed, paint, shortened, strip_control, style_of};
use crate::view::View;

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words, flush left.
    Words,
    /// Words that name the group of a row.
    Group,
    /// Numbers, flush right.
    Number,
    /// The half width of the interval of the number before it.
    Interval,
    /// A bar, as long as there is room.
    Bar,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    head: String,
    name: String,
    unit: String,
    kind: Kind,
    /// The order in which it is left out: 0 never, otherwise lower ones first.
    rank: u8,
    /// Whether its words may take several lines, if it is the last.
    wraps: bool,
}

impl Column {
    fn new(head: &str, kind: Kind) -> Self {
        Self {
            head: strip_control(head),
            name: strip_control(head),
            unit: String::new(),
            kind,
            rank: 0,
            wraps: kind == Kind::Words,
        }
    }

    /// Returns a column of an answer in the language of a view.
    fn of(column: &answer::Column, view: View) -> Self {
        let kind = match column.kind {
            answer::Kind::Text | answer::Kind::Verdict | answer::Kind::Chart => Kind::Words,
            answer::Kind::Group => Kind::Group,
            answer::Kind::Number => Kind::Number,
            answer::Kind::Interval => Kind::Interval,
            answer::Kind::Bar => Kind::Bar,
        };
        let head = view.show(&column.head);
        let name = column.name.as_ref().map(|name| view.show(name));
        Self {
            unit: column.unit.to_string(),
            rank: column.rank,
            wraps: column.wraps,
            ..Self::new(&head, kind).named(&name.unwrap_or_else(|| head.clone()))
        }
    }

    /// Sets its name in sentences.
    pub(crate) fn named(mut self, name: &str) -> Self {
        self.name = strip_control(name);
        self
    }

    fn is_flush_right(&self) -> bool {
        self.kind == Kind::Number
    }

    /// Returns its distance from the column before it.
    fn gap(&self) -> usize {
        match self.kind {
            Kind::Interval => 1,
            _ => 2,
        }
    }
}

/// The text of a column in a row, and its style, which takes no width.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    text: String,
    style: Style,
    bar: Option<Bar>,
    is_repeated: bool,
    /// Whether the text only says that there is no value.
    is_unknown: bool,
    /// The text beside the continuation lines of a row that wraps.
    continued: String,
    /// Whether a tree is drawn before its words.
    is_branch: bool,
}

impl Field {
    /// Returns a cell of an answer in the language of a view.
    fn of(cell: &Cell, view: View) -> Self {
        let words = cell.shown.as_ref().map(|words| view.show(words));
        let words = words.unwrap_or_default();
        let [before, beside] = cell.branch.clone().unwrap_or_default();
        Self {
            bar: cell.bar,
            is_repeated: cell.is_repeated,
            is_unknown: cell.is_unknown,
            continued: beside,
            is_branch: cell.branch.is_some(),
            ..Self::styled(style_of(cell.tone), before + &words)
        }
    }

    /// Returns text in a style.
    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Self {
            text: strip_control(&text.into()),
            style,
            bar: None,
            is_repeated: false,
            is_unknown: false,
            continued: String::new(),
            is_branch: false,
        }
    }

    fn shown(&self) -> &str {
        match self.is_repeated {
            true => "",
            false => &self.text,
        }
    }
}

/// A table under construction.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
    /// A number for each row, drawn as a small chart if its group is a line of its own.
    heights: Vec<f64>,
    /// Whether every line is a row: columns without room are then left out silently.
    is_bare: bool,
    /// What its bars mean.
    bars: Option<String>,
}

/// The width of bars.
const BAR: Range<usize> = 6..33;
/// The width to which bars shrink before any other part does.
const BAR_WANTED: usize = 8;
/// The indent of the rows of a group below their line.
const INDENT: usize = 2;

/// A step to narrow a table.
#[derive(Debug, Clone, Copy)]
enum NarrowingStep {
    /// Hides columns of this rank.
    Hide(u8),
    /// Narrows bars, down to the least useful width.
    NarrowBar,
    /// Wraps or shortens the last column to at least this many characters.
    Wrap(usize),
    /// Turns outer groups into lines of their own instead of columns.
    Head,
    /// Hides bars.
    HideBar,
    /// Shortens names to at least this many characters.
    Shorten(usize),
}

/// The order of the steps.
const STEPS: [NarrowingStep; 9] = [
    NarrowingStep::Hide(1),
    NarrowingStep::Hide(2),
    NarrowingStep::NarrowBar,
    NarrowingStep::Wrap(24),
    NarrowingStep::Head,
    NarrowingStep::HideBar,
    NarrowingStep::Hide(3),
    NarrowingStep::Wrap(14),
    NarrowingStep::Shorten(8),
];

/// The layout of a table.
#[derive(Debug, Clone)]
struct Layout {
    /// The width of each column; `None` for one that is left out.
    widths: Vec<Option<usize>>,
    /// The number of leading columns that are lines of their own.
    headed: usize,
}

impl Table {
    /// Returns a table of an answer in the language of a view.
    pub(crate) fn of(table: &answer::Table, view: View) -> Self {
        let is_out = |at: usize| {
            let column = &table.columns[at];
            column.is_detail || column.kind == answer::Kind::Chart
        };
        let columns = table.columns.iter().enumerate();
        let columns = columns.filter(|(at, _)| !is_out(*at));
        let fields = |row: &answer::Row| {
            let cells = row.cells.iter().enumerate();
            let cells = cells.filter(|(at, _)| !is_out(*at));
            cells.map(|(_, cell)| Field::of(cell, view)).collect()
        };
        Self {
            columns: columns
                .map(|(_, column)| Column::of(column, view))
                .collect(),
            rows: table.rows.iter().map(fields).collect(),
            heights: table.rows.iter().filter_map(|row| row.height).collect(),
            is_bare: table.is_bare,
            bars: table.bars.as_ref().map(|bars| view.say(bars)),
        }
    }

    /// Returns the table, each line ended and without trailing spaces.
    pub(crate) fn finish(self, view: View) -> String {
        match view.columns() {
            None => self
                .rows
                .iter()
                .map(|row| self.sentence(row, view) + "\n")
                .collect(),
            Some(columns) => {
                let (table, said) = self.without_constant(columns);
                let above: String = said.iter().map(|line| dimmed(line, view)).collect();
                let drawn = match table.fitted(columns) {
                    Some(layout) => table.drawn(&layout, columns, view),
                    None => table.sentences(columns, view),
                };
                above + &drawn
            }
        }
    }

    /// Returns the table without names that are the same in all rows, and these names as lines, if it is
    /// wider than `room`: they would take the place of numbers. A first name becomes the line of its group.
    fn without_constant(mut self, room: usize) -> (Self, Vec<String>) {
        let mut said = Vec::new();
        let is_constant = |rows: &[Vec<Field>], index: usize| {
            let mut texts = rows
                .iter()
                .map(|row| row.get(index).map(|field| &field.text));
            let first = texts.next();
            texts.all(|text| Some(text) == first)
        };
        let groups = self.columns.iter();
        let groups = groups.take_while(|column| column.kind == Kind::Group);
        let groups = groups.count();
        if self.is_bare || self.rows.len() < 2 || groups < 2 || is_constant(&self.rows, 0) {
            return (self, said);
        }
        for index in (1..groups).rev() {
            let natural = (0..self.columns.len()).map(|index| Some(self.natural(index, 0)));
            let layout = Layout {
                widths: natural.collect(),
                headed: 0,
            };
            if self.width(&layout) <= room || !is_constant(&self.rows, index) {
                continue;
            }
            let column = self.columns.remove(index);
            let fields = self.rows.iter_mut().map(|row| row.remove(index));
            let fields: Vec<Field> = fields.collect();
            said.insert(0, format!("{}: {}", column.head, fields[0].text));
        }
        (self, said)
    }

    /// Returns a row as `name: value unit, ...`.
    fn sentence(&self, row: &[Field], view: View) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (index, (column, field)) in self.columns.iter().zip(row).enumerate() {
            let is_told = !field.text.is_empty() && field.text != "-";
            if !is_told || matches!(column.kind, Kind::Interval | Kind::Bar) {
                continue;
            }
            let mut part = match column.name.as_str() {
                "" => field.text.clone(),
                name => format!("{name}: {}", field.text),
            };
            if field.is_unknown {
                parts.push(part);
                continue;
            }
            let after = self.columns.get(index + 1).zip(row.get(index + 1));
            let interval = after.filter(|(column, _)| column.kind == Kind::Interval);
            let interval = interval.map_or("", |(_, interval)| interval.text.as_str());
            // The unit of a column, or that of a single value.
            let unknown = interval.strip_prefix(UNKNOWN);
            let unit = unknown.unwrap_or_default().trim_start();
            for word in [interval, unit, &column.unit] {
                if !word.is_empty() && !word.starts_with(UNKNOWN) {
                    part.push_str(&format!(" {word}"));
                }
            }
            if unknown.is_some() {
                let unknown = view.say(&Message::new("table-interval-unknown"));
                part.push_str(&format!(" {unknown}"));
            }
            parts.push(part);
        }
        parts.join(", ")
    }

    /// Returns the rows as sentences for a terminal that is too narrow for any table.
    fn sentences(&self, columns: usize, view: View) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let lines = broken(&self.sentence(row, view), columns, INDENT);
            text.push_str(&lines.join(&format!("\n{}", " ".repeat(INDENT))));
            text.push('\n');
        }
        text
    }

    /// Returns the layout that fits `room`, or `None` if none does.
    fn fitted(&self, room: usize) -> Option<Layout> {
        let mut layout = Layout {
            widths: (0..self.columns.len())
                .map(|index| Some(self.natural(index, 0)))
                .collect(),
            headed: 0,
        };
        for step in STEPS {
            let excess = self.width(&layout).saturating_sub(room);
            if excess == 0 {
                break;
            }
            self.give_way(&mut layout, step, excess);
        }
        if self.width(&layout) > room {
            return None;
        }
        self.take_back(&mut layout, room);
        Some(layout)
    }

    /// Returns the natural width of a column, if the first `headed` are lines of their own.
    fn natural(&self, index: usize, headed: usize) -> usize {
        let column = &self.columns[index];
        if column.kind == Kind::Bar {
            return BAR_WANTED;
        }
        let shown = |field: &Field| match index < headed {
            true => 0,
            false => field.text.width(),
        };
        let fields = self.rows.iter().filter_map(|row| row.get(index));
        fields
            .map(shown)
            .max()
            .unwrap_or(0)
            .max(column.head.width())
    }

    fn width(&self, layout: &Layout) -> usize {
        let mut width = if layout.headed > 0 { INDENT } else { 0 };
        let mut is_first = true;
        for (column, wide) in self.columns.iter().zip(&layout.widths).skip(layout.headed) {
            let Some(wide) = wide else { continue };
            width += wide + if is_first { 0 } else { column.gap() };
            is_first = false;
        }
        width
    }

    fn give_way(&self, layout: &mut Layout, step: NarrowingStep, excess: usize) {
        let bars = |layout: &mut Layout, width: Option<usize>| {
            for (column, wide) in self.columns.iter().zip(&mut layout.widths) {
                if column.kind == Kind::Bar {
                    *wide = width;
                }
            }
        };
        match step {
            NarrowingStep::Hide(rank) => {
                for (column, wide) in self.columns.iter().zip(&mut layout.widths) {
                    if column.rank == rank {
                        *wide = None;
                    }
                }
            }
            NarrowingStep::NarrowBar => bars(layout, Some(BAR.start)),
            NarrowingStep::HideBar => bars(layout, None),
            NarrowingStep::Wrap(least) => {
                let last = self.columns.last().zip(layout.widths.last_mut());
                if let Some((column, Some(wide))) = last
                    && column.kind == Kind::Words
                {
                    *wide = wide.saturating_sub(excess).max((*wide).min(least));
                }
            }
            NarrowingStep::Head => layout.headed = self.headable(),
            NarrowingStep::Shorten(least) => self.shorten(layout, excess, least),
        }
    }

    /// Returns how many leading columns should be lines of their own: a line above each single row
    /// would save nothing.
    fn headable(&self) -> usize {
        let columns = self.columns.iter();
        let groups = columns.take_while(|column| column.kind == Kind::Group);
        let lines = |headed: usize| {
            let is_new = |row: &&Vec<Field>| row[..headed].iter().any(|field| !field.is_repeated);
            self.rows.iter().filter(is_new).count()
        };
        let inner = 1..groups.count();
        inner
            .rev()
            .find(|&headed| lines(headed) * 2 <= self.rows.len())
            .unwrap_or(0)
    }

    /// Takes `excess` characters from names, the longest first, as long as unlike names stay unlike.
    fn shorten(&self, layout: &mut Layout, excess: usize, least: usize) {
        let leasts: Vec<usize> = (0..self.columns.len())
            .map(|index| self.distinct(index, least))
            .collect();
        for _ in 0..excess {
            let names = self.columns.iter().zip(&mut layout.widths).zip(&leasts);
            let names = names.skip(layout.headed);
            let names =
                names.filter(|((column, _), _)| matches!(column.kind, Kind::Words | Kind::Group));
            let longest = names
                .filter_map(|((_, wide), least)| wide.as_mut().filter(|wide| **wide > *least))
                .max_by_key(|wide| **wide);
            match longest {
                Some(wide) => *wide -= 1,
                None => return,
            }
        }
    }

    /// Returns the least width of at least `least` in which unlike texts of a column stay unlike.
    fn distinct(&self, index: usize, least: usize) -> usize {
        let column = &self.columns[index];
        if index + 1 == self.columns.len() && column.wraps {
            return least;
        }
        // A name without its middle is still one, a phrase is not.
        let is_phrase = |text: &str| text.trim().contains(' ');
        let all = || self.rows.iter().filter_map(|row| row.get(index));
        let has_phrase = is_phrase(&column.head) || all().any(|field| is_phrase(&field.text));
        let has_phrase = has_phrase && !all().any(|field| field.is_branch);
        if column.kind == Kind::Words && column.wraps && has_phrase {
            return self.natural(index, 0);
        }
        let texts = self.rows.iter().filter_map(|row| row.get(index));
        let texts: BTreeSet<&str> = texts.map(|field| field.text.as_str()).collect();
        let stay_unlike = |width: &usize| {
            let shown: BTreeSet<String> =
                texts.iter().map(|text| shortened(text, *width)).collect();
            shown.len() == texts.len()
        };
        let natural = self.natural(index, 0);
        let found = (least..natural).find(stay_unlike);
        found.unwrap_or(natural.max(least))
    }

    /// Distributes unused room: first to the parts that shrank last, and at the end to the bars.
    fn take_back(&self, layout: &mut Layout, room: usize) {
        let mut gone: Vec<usize> = (0..self.columns.len())
            .filter(|&index| layout.widths[index].is_none())
            .collect();
        gone.sort_by_key(|&index| std::cmp::Reverse(self.columns[index].rank));
        let last = self.columns.len().saturating_sub(1);
        let important = gone
            .iter()
            .take_while(|&&index| self.columns[index].rank >= 3);
        let important = important.count();
        gone.insert(important, last);
        for index in gone {
            let before = layout.widths[index];
            let wanted = match self.columns[index].kind {
                Kind::Bar => BAR.start,
                _ => self.natural(index, layout.headed),
            };
            layout.widths[index] = Some(wanted);
            let excess = self.width(layout).saturating_sub(room);
            if excess > 0 {
                // Wrapped words use all the room there is.
                let least = before.filter(|before| wanted - excess.min(wanted) > *before);
                layout.widths[index] = least.map(|_| wanted - excess).or(before);
            }
        }
        let left = room.saturating_sub(self.width(layout));
        let bar = self
            .columns
            .iter()
            .position(|column| column.kind == Kind::Bar);
        if let Some(Some(wide)) = bar.map(|index| &mut layout.widths[index]) {
            *wide = (*wide + left).min(BAR.end - 1);
        }
    }

    fn drawn(&self, layout: &Layout, columns: usize, view: View) -> String {
        let heads: Vec<Field> = self
            .columns
            .iter()
            .map(|column| Field::styled(DIM, column.head.clone()))
            .collect();
        let mut text = self.lines(&heads, layout, false);
        for (index, row) in self.rows.iter().enumerate() {
            let group = &row[..layout.headed];
            let is_new = group.iter().any(|field| !field.is_repeated);
            if layout.headed > 0 && is_new {
                text.push_str(&self.group_line(index, layout));
            }
            text.push_str(&self.lines(row, layout, layout.headed > 0 && is_new));
        }
        let mut shown = self.columns.iter().zip(&layout.widths);
        let has_bars = shown.any(|(column, width)| column.kind == Kind::Bar && width.is_some());
        if let Some(bars) = self.bars.as_ref().filter(|_| has_bars) {
            text.push_str(&dimmed(bars, view));
        }
        text.push_str(&self.left_out(layout, columns, view));
        text
    }

    /// Returns the line above the rows of a group, with a small chart of them if bars are hidden.
    fn group_line(&self, first: usize, layout: &Layout) -> String {
        let row = &self.rows[first];
        let names: Vec<&str> = row[..layout.headed]
            .iter()
            .map(|field| field.text.as_str())
            .collect();
        let after = self.rows[first + 1..].iter();
        let count = 1 + after
            .take_while(|row| row[..layout.headed].iter().all(|field| field.is_repeated))
            .count();
        let heights = self.heights.get(first..first + count).unwrap_or_default();
        let width = self.width(layout);
        let mut bars = self.columns.iter().zip(&layout.widths);
        let has_bars = bars.any(|(column, width)| column.kind == Kind::Bar && width.is_some());
        let has_chart = !has_bars && !heights.is_empty() && (3..width / 2).contains(&count);
        let room = width - if has_chart { count + 2 } else { 0 };
        let mut line = paint(BOLD, &shortened(&names.join(" · "), room));
        if has_chart {
            // All groups share a scale, so that they can be compared.
            let most = self.heights.iter().copied().fold(0.0, f64::max);
            line.push_str(&format!("  {}", sparkline(heights, most)));
        }
        line + "\n"
    }

    /// Returns a row as one line, or more if its last column wraps.
    fn lines(&self, row: &[Field], layout: &Layout, tells_all: bool) -> String {
        let mut line = String::new();
        // Spaces are written only once text follows them, so that none trails.
        let mut owed = if layout.headed > 0 { INDENT } else { 0 };
        let mut wrapped = Vec::new();
        let mut start = owed;
        let mut is_first = true;
        let columns = self.columns.iter().zip(&layout.widths).zip(row).enumerate();
        for (index, ((column, width), field)) in columns.skip(layout.headed) {
            let Some(width) = *width else { continue };
            if !is_first {
                owed += column.gap();
                start += column.gap();
            }
            is_first = false;
            let is_last = index + 1 == self.columns.len();
            let text = match (&field.bar, tells_all) {
                (Some(bar), _) => draw(bar, width),
                (None, true) => field.text.clone(),
                (None, false) => field.shown().to_owned(),
            };
            let text = if is_last && column.wraps {
                wrapped = broken(&text, width, 0);
                wrapped.remove(0)
            } else {
                shortened(&text, width)
            };
            let missing = width.saturating_sub(text.width());
            if column.is_flush_right() {
                owed += missing;
            }
            if !text.is_empty() {
                line.push_str(&" ".repeat(owed));
                line.push_str(&paint(field.style, &text));
                owed = 0;
            }
            if !column.is_flush_right() {
                owed += missing;
            }
            if is_last {
                let beside = row.first().map_or("", |first| first.continued.as_str());
                let spaces = " ".repeat(start.saturating_sub(beside.width()));
                for more in &wrapped {
                    let more = paint(field.style, more);
                    line.push_str(&format!("\n{beside}{spaces}{more}"));
                }
            }
            start += width;
        }
        line + "\n"
    }

    /// Returns a note of the columns without room.
    fn left_out(&self, layout: &Layout, columns: usize, view: View) -> String {
        let mut gone: Vec<&str> = self
            .columns
            .iter()
            .zip(&layout.widths)
            .filter(|(column, width)| width.is_none() && column.kind != Kind::Bar)
            .map(|(column, _)| column.head.as_str())
            .collect();
        // Reads and writes each have a column of the same name.
        gone.dedup();
        if gone.is_empty() || self.is_bare {
            return String::new();
        }
        let remark = Message::new("table-no-room")
            .name("columns", gone.join(", "))
            .count("count", gone.len());
        let remark = view.say(&remark);
        let lines = broken(&remark, columns, 0);
        lines.iter().map(|line| paint(DIM, line) + "\n").collect()
    }
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
