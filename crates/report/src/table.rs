//! Tables without lines: columns set apart by two spaces, numbers to the right, heads dimmed.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::text::{DIM, harmless, paint};

/// On which side a column is flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// The text of a cell and its style; the style takes no width.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    text: String,
    style: Style,
}

impl Field {
    /// Returns plain text.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::styled(Style::new(), text)
    }

    /// Returns text in a style.
    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Self {
            text: harmless(&text.into()),
            style,
        }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

/// A table that is being put together.
pub(crate) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<Field>>,
}

impl Table {
    /// Begins a table with these heads.
    pub(crate) fn new(heads: &[(&str, Side)]) -> Self {
        let row = heads
            .iter()
            .map(|(head, _)| Field::styled(DIM, *head))
            .collect();
        Self {
            sides: heads.iter().map(|head| head.1).collect(),
            rows: vec![row],
        }
    }

    /// Adds a row; it has as many fields as the table has heads.
    pub(crate) fn row(&mut self, fields: Vec<Field>) {
        self.rows.push(fields);
    }

    /// Returns the table, each line ended and without trailing spaces.
    pub(crate) fn finish(self) -> String {
        let widths: Vec<usize> = (0..self.sides.len())
            .map(|column| {
                let fields = self.rows.iter().filter_map(|row| row.get(column));
                fields.map(Field::width).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let line = self.line(row, &widths);
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    fn line(&self, row: &[Field], widths: &[usize]) -> String {
        let mut line = String::new();
        let mut gap = 0;
        for ((field, side), width) in row.iter().zip(&self.sides).zip(widths) {
            let missing = width.saturating_sub(field.width());
            let (before, after) = match side {
                Side::Left => (0, missing),
                Side::Right => (missing, 0),
            };
            gap += before;
            if !field.text.is_empty() {
                line.extend(std::iter::repeat_n(' ', gap));
                line.push_str(&paint(field.style, &field.text));
                gap = 0;
            } else {
                gap += field.width();
            }
            gap += after + 2;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_nothing_trails() {
        let mut table = Table::new(&[("name", Side::Left), ("µs", Side::Right), ("", Side::Left)]);
        table.row(vec![
            Field::plain("a"),
            Field::plain("12"),
            Field::plain("x"),
        ]);
        table.row(vec![
            Field::plain("longer\n"),
            Field::plain("1"),
            Field::plain(""),
        ]);
        let text = table
            .finish()
            .replace("\u{1b}[2m", "")
            .replace("\u{1b}[0m", "");
        assert_eq!(text, "name     µs\na        12  x\nlonger    1\n");
    }
}
