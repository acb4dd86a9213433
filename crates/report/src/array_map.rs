//! The array map for people: a grid of members and rows, or sentences, and their meaning.
//!
//! ```text
//! array map  disk0  disk1  disk2  disk3
//! row 0       *0*     0     *1*     1
//! row 1       *2*     2     *3*     3
//! ```
//!
//! All data is read from an [`ArrayMap`]; the words are derived from its chunks, not from the names
//! of layouts.

mod sentences;

use anstyle::Style;
use stripewise_catalogue::{Argument, Message};
use stripewise_sim::array::map::{ArrayMap, ChunkPlace, ChunkRole, ChunkRow, MemberChunk, Unit};
use unicode_width::UnicodeWidthStr;

use crate::text::{BOLD, DIM, dimmed, paint, shortened, strip_control, wrapped};
use crate::view::View;

/// A wider grid is hard to follow along a row.
const COLUMNS_MAX: usize = 80;
/// The longest name of a member that a column has room for.
const NAME_COLUMNS_MAX: usize = 10;
/// The most rows drawn.
const ROWS_MAX: usize = 16;

/// Returns the map as a grid, or as sentences if the view is plain, with its meaning below.
///
/// `names` are the members' names in order; a member without one is `disk` and its place.
pub fn array_map(map: &ArrayMap, names: &[String], view: View) -> String {
    let words = Words::new(map, names);
    let Some(columns) = view.columns() else {
        return words.plain(view);
    };
    if map.chunks.is_empty() {
        return String::new();
    }
    let grid = Grid::new(&words, columns.min(COLUMNS_MAX), view);
    let mut text = grid.text;
    text.push_str(&dimmed(&words.legend(view), view));
    let meaning = words.meaning().into_iter().chain(grid.left_out);
    let meaning: Vec<String> = meaning.map(|sentence| view.say(&sentence)).collect();
    text.push_str(&wrapped(&meaning.join(" "), "", view));
    text
}

/// A drawn grid, and a note of the parts without room.
struct Grid {
    text: String,
    left_out: Option<Message>,
}

/// The text in a place of the grid.
struct Drawn {
    text: String,
    style: Style,
}

impl Grid {
    fn new(words: &Words, columns: usize, view: View) -> Self {
        let all = words.map.rows();
        let rows = &all[..all.len().min(ROWS_MAX)];
        let head = view.say(&Message::new("map-title"));
        let label =
            |row: &ChunkRow| view.say(&Message::new("map-row").digits("row", row.offset_chunks));
        let labels = rows.iter().map(|row| label(row).width());
        let label_width = labels.chain([head.width()]).max().unwrap_or(0);
        let names: Vec<String> = (0..words.map.members)
            .map(|member| shortened(&words.name(member), NAME_COLUMNS_MAX))
            .collect();
        let boxes = rows.iter().flat_map(|row| &row.boxes);
        let boxes = boxes.map(|(chunk, place)| words.boxed(chunk, place, 0).text.width());
        let digits = boxes.max().unwrap_or(0);
        let names_width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        let width = digits.max(names_width);
        let fits = columns.saturating_sub(label_width) / (width + GAP.width());
        let shown = match fits < words.map.members {
            // The mark of the columns left out takes room, too.
            true => (columns.saturating_sub(label_width + 3) / (width + GAP.width())).max(1),
            false => words.map.members,
        };
        let mark = if shown < words.map.members {
            "  …"
        } else {
            ""
        };
        let mut text = format!("{head:<label_width$}");
        for name in &names[..shown] {
            text.push_str(&format!("{GAP}{name:^width$}"));
        }
        text = paint(DIM, format!("{text}{mark}").trim_end()) + "\n";
        let mut expected = rows.first().map_or(0, |row| row.offset_chunks);
        for row in rows {
            if row.offset_chunks != expected {
                text.push_str("…\n");
            }
            expected = row.offset_chunks + 1;
            let line = words.row(row, shown, digits, width);
            let label = format!("{:<label_width$}", label(row));
            let line = format!("{}{line}{mark}", paint(DIM, &label));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if rows.len() < all.len() {
            text.push_str("…\n");
        }
        let left_out = left_out(words.map.members - shown, all.len() - rows.len());
        Self { text, left_out }
    }
}

/// The text between columns.
const GAP: &str = "  ";

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

/// A map and the names of its members.
struct Words<'a> {
    map: &'a ArrayMap,
    names: &'a [String],
    /// Whether a read has a choice of members.
    is_mirror: bool,
}

impl<'a> Words<'a> {
    fn new(map: &'a ArrayMap, names: &'a [String]) -> Self {
        let mut places = map.chunks.iter().flat_map(|chunk| &chunk.copies);
        Self {
            map,
            names,
            is_mirror: places.any(|place| place.role == ChunkRole::Copy),
        }
    }

    fn name(&self, member: usize) -> String {
        match self.names.get(member).map(|name| strip_control(name)) {
            Some(name) if !name.trim().is_empty() => shortened(name.trim(), 4 * NAME_COLUMNS_MAX),
            _ => format!("disk{member}"),
        }
    }

    fn has_failed(&self, member: usize) -> bool {
        self.map.failed.contains(&member)
    }

    /// Returns the boxes of a row, each of `digits` centred in `width`.
    fn row(&self, row: &ChunkRow, shown: usize, digits: usize, width: usize) -> String {
        let mut line = String::new();
        for member in 0..shown {
            let found = row.boxes.iter().find(|(_, place)| place.member == member);
            let drawn = match found {
                Some((chunk, place)) => self.boxed(chunk, place, digits),
                None => Drawn {
                    text: String::new(),
                    style: Style::new(),
                },
            };
            let free = width.saturating_sub(drawn.text.width());
            let painted = paint(drawn.style, &drawn.text);
            let (before, after) = (" ".repeat(free / 2), " ".repeat(free - free / 2));
            line.push_str(&format!("{GAP}{before}{painted}{after}"));
        }
        line
    }

    /// Returns the text of a place, in at least `width` columns.
    fn boxed(&self, chunk: &ChunkPlace, place: &MemberChunk, width: usize) -> Drawn {
        let content = match place.role {
            ChunkRole::Data | ChunkRole::Copy => chunk.chunk.to_string(),
            ChunkRole::Parity => "P".to_owned(),
            ChunkRole::Q => "Q".to_owned(),
        };
        let has_marks = self.is_mirror || !self.map.failed.is_empty();
        let serves = self.is_mirror && chunk.served_by == Some(place.member);
        let (before, after, style) = match (self.has_failed(place.member), serves) {
            (true, _) => ("(", ")", DIM),
            (false, true) => ("*", "*", BOLD),
            (false, false) if has_marks => (" ", " ", Style::new()),
            (false, false) => ("", "", Style::new()),
        };
        let marked = format!("{before}{content}{after}");
        Drawn {
            text: format!("{marked:>width$}"),
            style,
        }
    }

    /// Returns the meaning of the marks in the grid.
    fn legend(&self, view: View) -> String {
        let has = |role| {
            let mut places = self.map.chunks.iter().flat_map(|chunk| &chunk.copies);
            places.any(|place| place.role == role)
        };
        let mark = |mark: &str, meaning: &'static str| {
            let message = Message::new("map-mark").name("mark", mark);
            message.with("meaning", Message::new(meaning))
        };
        let unit = match self.map.unit {
            Unit::Chunk => Message::new("map-mark-chunk").name("size", self.map.chunk_bytes),
            Unit::Piece => Message::new("map-mark-piece").name("size", self.map.chunk_bytes),
            Unit::Member => Message::new("map-mark-member"),
        };
        let mut parts = vec![unit];
        if self.is_mirror {
            parts.push(mark("*n*", "map-legend-serves"));
        }
        if !self.map.failed.is_empty() {
            parts.push(mark("(n)", "map-failed"));
        }
        if has(ChunkRole::Q) {
            parts.push(mark("P, Q", "map-legend-parity"));
        } else if has(ChunkRole::Parity) {
            parts.push(mark("P", "map-legend-parity"));
        }
        let parts: Vec<String> = parts.iter().map(|part| view.say(part)).collect();
        parts.join(view.separator())
    }

    /// Returns the chunks until the pattern repeats.
    fn pattern(&self) -> &'a [ChunkPlace] {
        let chunks = self.map.chunks.as_slice();
        let pattern = self.map.pattern_chunks;
        let length = pattern.and_then(|chunks| usize::try_from(chunks).ok());
        &chunks[..length.unwrap_or(chunks.len()).min(chunks.len())]
    }
}

#[cfg(test)]
#[path = "array_map_tests.rs"]
mod tests;
