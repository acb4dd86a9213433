//! Grids for a terminal, with as many columns as fit.

use stripewise_answer::{Grid, GridRow, Sentence};
use stripewise_catalogue::{Argument, Message};
use unicode_width::UnicodeWidthStr;

use super::terminal::words;
use crate::text::{DIM, dimmed, paint, shortened, strip_control, style_of, wrapped};
use crate::view::View;

/// A wider grid is hard to follow along a row.
const COLUMNS_MAX: usize = 80;
/// The longest head that a column has room for.
const HEAD_COLUMNS_MAX: usize = 10;
/// The most rows drawn.
const ROWS_MAX: usize = 16;
/// The text between columns.
const GAP: &str = "  ";

/// Returns a grid, its legend and its meaning, with a note of the parts without room.
pub(super) fn drawn(grid: &Grid, view: View) -> String {
    let columns = view.columns().unwrap_or(COLUMNS_MAX).min(COLUMNS_MAX);
    let (mut text, left_out) = fitted(grid, columns, view);
    text.push_str(&dimmed(&words(&grid.legend, view), view));
    let parts = grid.meaning.parts.iter().cloned();
    let meaning = Sentence::of(parts.chain(left_out.map(Argument::from)));
    text.push_str(&wrapped(&strip_control(&words(&meaning, view)), "", view));
    text
}

fn fitted(grid: &Grid, columns: usize, view: View) -> (String, Option<Message>) {
    let rows = &grid.rows[..grid.rows.len().min(ROWS_MAX)];
    let head = view.show(&grid.title);
    let label = |row: &GridRow| view.show(&row.head);
    let labels = rows.iter().map(|row| label(row).width());
    let label_width = labels.chain([head.width()]).max().unwrap_or(0);
    let names: Vec<String> = grid
        .columns
        .iter()
        .map(|name| shortened(name, HEAD_COLUMNS_MAX))
        .collect();
    let cells = rows.iter().flat_map(|row| &row.cells);
    let widths = cells.map(|cell| cell.text.width());
    let widths = widths.chain(names.iter().map(|name| name.width()));
    let width = widths.max().unwrap_or(0);
    let fits = columns.saturating_sub(label_width) / (width + GAP.width());
    let shown = match fits < names.len() {
        // The mark of the columns left out takes room, too.
        true => (columns.saturating_sub(label_width + 3) / (width + GAP.width())).max(1),
        false => names.len(),
    };
    let mark = if shown < names.len() { "  …" } else { "" };
    let mut text = format!("{head:<label_width$}");
    for name in &names[..shown] {
        text.push_str(&format!("{GAP}{name:^width$}"));
    }
    text = paint(DIM, format!("{text}{mark}").trim_end()) + "\n";
    for row in rows {
        if row.is_after_gap {
            text.push_str("…\n");
        }
        let label = format!("{:<label_width$}", label(row));
        let line = format!("{}{}{mark}", paint(DIM, &label), places(row, shown, width));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if rows.len() < grid.rows.len() {
        text.push_str("…\n");
    }
    let left_out = left_out(names.len() - shown, grid.rows.len() - rows.len());
    (text, left_out)
}

/// Returns the places of a row, each centred in `width`.
fn places(row: &GridRow, shown: usize, width: usize) -> String {
    let cells = row.cells.iter().take(shown);
    let cells = cells.map(|cell| {
        let free = width.saturating_sub(cell.text.width());
        let painted = paint(style_of(cell.tone), &cell.text);
        let (before, after) = (" ".repeat(free / 2), " ".repeat(free - free / 2));
        format!("{GAP}{before}{painted}{after}")
    });
    cells.collect()
}

/// Returns a note of the members and rows without room, if there are any.
fn left_out(members: usize, rows: usize) -> Option<Message> {
    let parts = [("map-left-out-disks", members), ("map-left-out-rows", rows)];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    let parts: Vec<Message> = parts
        .map(|(id, count)| Message::new(id).count("count", count))
        .collect();
    let message = Message::new("map-not-drawn");
    (!parts.is_empty()).then(|| message.with("parts", Argument::list_and(parts)))
}
