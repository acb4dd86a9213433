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

use stripewise_answer::{Block, Grid, GridCell, GridRow, Sentence, Tone};
use stripewise_catalogue::Message;
use stripewise_sim::array::map::{ArrayMap, ChunkPlace, ChunkRole, ChunkRow, MemberChunk, Unit};
use unicode_width::UnicodeWidthStr;

use crate::text::{shortened, strip_control};

/// The longest name of a member in a sentence.
const NAME_COLUMNS_MAX: usize = 40;

/// Returns the map as a grid with its meaning below, or told in sentences.
///
/// `names` are the members' names in order; a member without one is `disk` and its place.
pub fn array_map(map: &ArrayMap, names: &[String]) -> Block {
    let words = Words::new(map, names);
    let is_drawn = !map.chunks.is_empty();
    Block::Forms {
        drawn: is_drawn
            .then(|| Block::Grid(words.grid()))
            .into_iter()
            .collect(),
        told: words.told().into_iter().map(Block::say).collect(),
    }
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
            Some(name) if !name.trim().is_empty() => shortened(name.trim(), NAME_COLUMNS_MAX),
            _ => format!("disk{member}"),
        }
    }

    fn has_failed(&self, member: usize) -> bool {
        self.map.failed.contains(&member)
    }

    fn grid(&self) -> Grid {
        let rows = self.map.rows();
        let boxes = rows.iter().flat_map(|row| &row.boxes);
        let boxes = boxes.map(|(chunk, place)| self.boxed(chunk, place, 0).text.width());
        let digits = boxes.max().unwrap_or(0);
        let mut expected = rows.first().map_or(0, |row| row.offset_chunks);
        let rows = rows.iter().map(|row| {
            let is_after_gap = row.offset_chunks != expected;
            expected = row.offset_chunks + 1;
            GridRow {
                head: Message::new("map-row")
                    .digits("row", row.offset_chunks)
                    .into(),
                cells: self.row(row, digits),
                is_after_gap,
            }
        });
        Grid {
            title: Message::new("map-title").into(),
            columns: (0..self.map.members)
                .map(|member| self.name(member))
                .collect(),
            rows: rows.collect(),
            legend: self.legend(),
            meaning: Sentence::of(self.meaning()),
        }
    }

    /// Returns the boxes of a row, each of `digits`.
    fn row(&self, row: &ChunkRow, digits: usize) -> Vec<GridCell> {
        let cell = |member: usize| {
            let found = row.boxes.iter().find(|(_, place)| place.member == member);
            found.map_or_else(GridCell::default, |(chunk, place)| {
                self.boxed(chunk, place, digits)
            })
        };
        (0..self.map.members).map(cell).collect()
    }

    /// Returns the text of a place, in at least `width` columns.
    fn boxed(&self, chunk: &ChunkPlace, place: &MemberChunk, width: usize) -> GridCell {
        let content = match place.role {
            ChunkRole::Data | ChunkRole::Copy => chunk.chunk.to_string(),
            ChunkRole::Parity => "P".to_owned(),
            ChunkRole::Q => "Q".to_owned(),
        };
        let has_marks = self.is_mirror || !self.map.failed.is_empty();
        let serves = self.is_mirror && chunk.served_by == Some(place.member);
        let (before, after, tone) = match (self.has_failed(place.member), serves) {
            (true, _) => ("(", ")", Tone::Dim),
            (false, true) => ("*", "*", Tone::Strong),
            (false, false) if has_marks => (" ", " ", Tone::Plain),
            (false, false) => ("", "", Tone::Plain),
        };
        let marked = format!("{before}{content}{after}");
        GridCell {
            text: format!("{marked:>width$}"),
            tone,
        }
    }

    /// Returns the meaning of the marks in the grid.
    fn legend(&self) -> Sentence {
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
        Sentence::remarks(parts).tone(Tone::Dim)
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
