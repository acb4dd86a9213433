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

use std::collections::BTreeSet;

use anstyle::Style;
use stripewise_sim::array::map::{ArrayMap, ChunkPlace, ChunkRole, MemberChunk, Note, Row, Unit};
use unicode_width::UnicodeWidthStr;

use crate::numbers::size;
use crate::text::{BOLD, DIM, dimmed, paint, shortened, strip_control, wrapped};
use crate::view::View;

/// A wider grid is hard to follow along a row.
const COLUMNS_MAX: usize = 80;
/// The longest name of a member that a column has room for.
const NAME_COLUMNS_MAX: usize = 10;
/// The most rows drawn.
const ROWS_MAX: usize = 16;
/// The most chunks listed one by one.
const CHUNKS_LISTED_MAX: usize = 16;
/// The most members that a sentence names.
const NAMES_MAX: usize = 4;
/// The most chunks that a sentence names.
const CHUNKS_NAMED_MAX: usize = 6;

/// Returns the map as a grid, or as sentences if the view is plain, with its meaning below.
///
/// `names` are the members' names in order; a member without one is `disk` and its place.
pub fn array_map(map: &ArrayMap, names: &[String], view: View) -> String {
    let Some(columns) = view.columns() else {
        return array_map_plain(map, names);
    };
    if map.chunks.is_empty() {
        return String::new();
    }
    let words = Words::new(map, names);
    let grid = Grid::new(&words, columns.min(COLUMNS_MAX));
    let mut text = grid.text;
    text.push_str(&dimmed(&words.legend(), view));
    let mut meaning = words.meaning();
    meaning.extend(grid.left_out);
    text.push_str(&wrapped(&meaning.join(" "), "", view));
    text
}

/// Returns the map in sentences, one per line, for readers who cannot see a grid.
pub fn array_map_plain(map: &ArrayMap, names: &[String]) -> String {
    let words = Words::new(map, names);
    let mut sentences = vec![words.head()];
    if map.unit != Unit::Member {
        let listed = words.pattern().iter().take(CHUNKS_LISTED_MAX);
        sentences.extend(listed.map(|chunk| words.chunk(chunk)));
    }
    match map.pattern_chunks {
        Some(1) => sentences.push("All others are like it.".to_owned()),
        Some(chunks) => sentences.push(format!("The pattern repeats every {chunks} chunks.")),
        None => {}
    }
    sentences.extend(words.meaning());
    sentences.join("\n") + "\n"
}

/// A drawn grid, and a note of the parts without room.
struct Grid {
    text: String,
    left_out: Option<String>,
}

/// The text in a place of the grid.
struct Drawn {
    text: String,
    style: Style,
}

impl Grid {
    fn new(words: &Words, columns: usize) -> Self {
        let all = words.map.rows();
        let rows = &all[..all.len().min(ROWS_MAX)];
        let label = |row: &Row| format!("row {}", row.offset_chunks);
        let labels = rows.iter().map(|row| label(row).width());
        let label_width = labels.chain([HEAD.width()]).max().unwrap_or(0);
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
        let mut text = format!("{HEAD:<label_width$}");
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

/// The text above the labels of the rows.
const HEAD: &str = "array map";
/// The text between columns.
const GAP: &str = "  ";

/// Returns a note of the members and rows without room, if there are any.
fn left_out(members: usize, rows: usize) -> Option<String> {
    let some = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 more {one}")),
        count => Some(format!("{count} more {one}s")),
    };
    let parts: Vec<String> = [some(members, "disk"), some(rows, "row")]
        .into_iter()
        .flatten()
        .collect();
    let verb = if members + rows == 1 { "is" } else { "are" };
    (!parts.is_empty()).then(|| format!("{} {verb} not drawn.", parts.join(" and ")))
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
    fn row(&self, row: &Row, shown: usize, digits: usize, width: usize) -> String {
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
    fn legend(&self) -> String {
        let mut parts = Vec::new();
        let has = |role| {
            let mut places = self.map.chunks.iter().flat_map(|chunk| &chunk.copies);
            places.any(|place| place.role == role)
        };
        parts.push(match self.map.unit {
            Unit::Chunk => format!("n: a chunk of {}", self.map.chunk_bytes),
            Unit::Piece => format!(
                "n: a piece of {}, as there are no chunks",
                self.map.chunk_bytes
            ),
            Unit::Member => "n: a whole disk".to_owned(),
        });
        if self.is_mirror {
            parts.push("*n*: the copy that is read".to_owned());
        }
        if !self.map.failed.is_empty() {
            parts.push("(n): failed".to_owned());
        }
        if has(ChunkRole::Q) {
            parts.push("P, Q: parity".to_owned());
        } else if has(ChunkRole::Parity) {
            parts.push("P: parity".to_owned());
        }
        parts.join(" · ")
    }

    /// Returns the heading of the map: level, layout, members and unit.
    fn head(&self) -> String {
        let map = self.map;
        let layout = map.layout.as_ref().map(|layout| strip_control(layout));
        let layout = layout.map_or_else(String::new, |layout| format!(" {layout}"));
        let unit = match map.unit {
            Unit::Chunk => format!(", chunks of {}", map.chunk_bytes),
            Unit::Piece => format!(", in pieces of {}, as there are no chunks", map.chunk_bytes),
            Unit::Member => String::new(),
        };
        let level = map.level;
        format!(
            "Array map: {level}{layout} over {}{unit}.",
            disks(map.members)
        )
    }

    /// Returns where a chunk is and which member serves it.
    fn chunk(&self, chunk: &ChunkPlace) -> String {
        let holders: Vec<usize> = chunk
            .copies
            .iter()
            .filter(|place| matches!(place.role, ChunkRole::Data | ChunkRole::Copy))
            .map(|place| place.member)
            .collect();
        let unit = match self.map.unit {
            Unit::Piece => "Piece",
            Unit::Chunk | Unit::Member => "Chunk",
        };
        let name = |member: usize| match self.has_failed(member) {
            true => format!("the failed {}", self.name(member)),
            false => self.name(member),
        };
        let holders = self.list_by(&holders, name);
        let mut text = format!("{unit} {} is on {holders}", chunk.chunk);
        for place in &chunk.copies {
            let name = name(place.member);
            match place.role {
                ChunkRole::Data | ChunkRole::Copy => {}
                ChunkRole::Parity => text.push_str(&format!(", its parity on {name}")),
                ChunkRole::Q => text.push_str(&format!(", the second parity on {name}")),
            }
        }
        match chunk.served_by {
            Some(member) if self.is_mirror => {
                text.push_str(&format!("; {} serves it", self.name(member)));
            }
            Some(_) => {}
            None if chunk.is_lost => text.push_str("; it is lost"),
            None => text.push_str("; it is computed from the other disks"),
        }
        text + "."
    }

    /// Returns the chunks until the pattern repeats.
    fn pattern(&self) -> &'a [ChunkPlace] {
        let chunks = self.map.chunks.as_slice();
        let pattern = self.map.pattern_chunks;
        let length = pattern.and_then(|chunks| usize::try_from(chunks).ok());
        &chunks[..length.unwrap_or(chunks.len()).min(chunks.len())]
    }

    /// Returns the meaning of the map, in sentences.
    fn meaning(&self) -> Vec<String> {
        let mut sentences = vec![self.reading()];
        sentences.extend(self.failures());
        for note in &self.map.notes {
            sentences.push(self.note(*note));
        }
        sentences.retain(|sentence| !sentence.is_empty());
        sentences
    }

    /// Returns which members serve a sequential reader, and which part of it each serves.
    fn reading(&self) -> String {
        let pattern = self.pattern();
        // md does not run an array that has lost data, and a truncated map cannot show the pattern.
        if pattern.iter().any(|chunk| chunk.is_lost) || self.map.notes.contains(&Note::Shortened) {
            return String::new();
        }
        let served: Vec<usize> = pattern.iter().filter_map(|chunk| chunk.served_by).collect();
        let mut servers: Vec<usize> = Vec::new();
        for member in &served {
            if !servers.contains(member) {
                servers.push(*member);
            }
        }
        let who = self.list(&servers);
        let reader = match self.is_mirror {
            true => "A sequential reader with one I/O under way is served by",
            false => "A sequential reader is served by",
        };
        let mut text = match servers.len() {
            0 => return String::new(),
            1 => format!("{reader} {who} alone"),
            _ if self.map.unit == Unit::Member => {
                return format!("{reader} one disk after the other: {who}.");
            }
            _ if is_in_turn(&served, servers.len()) && served.len() == pattern.len() => {
                let which = nth(servers.len());
                format!("{reader} {who} in turn: each sees every {which} chunk")
            }
            _ => format!(
                "{reader} {who}: {}",
                shares(&served, &servers, pattern.len())
            ),
        };
        text.push_str(match self.has_gaps(&servers) {
            _ if self.is_computed() => "",
            Some(true) => ", with gaps between them on the disk",
            Some(false) if servers.len() > 1 => ", and on the disk they follow one another",
            Some(false) | None => "",
        });
        let working = (0..self.map.members).filter(|member| !self.has_failed(*member));
        let idle: Vec<usize> = working.filter(|member| !servers.contains(member)).collect();
        match idle.len() {
            0 => {}
            1 => text.push_str(&format!("; {} serves none", self.list(&idle))),
            _ => text.push_str(&format!("; {} serve none", self.list(&idle))),
        }
        text + "."
    }

    /// Returns whether a serving member skips rows between those it serves; `None` if the map is
    /// too short to tell.
    fn has_gaps(&self, servers: &[usize]) -> Option<bool> {
        let mut answer = None;
        for member in servers {
            let read = self.pattern().iter();
            let read = read.filter(|chunk| chunk.served_by == Some(*member));
            let places = read.flat_map(|chunk| &chunk.copies);
            let places = places.filter(|place| place.member == *member);
            let mut rows: Vec<u64> = places.map(|place| place.offset_chunks).collect();
            let again = rows.first().zip(self.map.pattern_rows);
            rows.extend(again.map(|(first, rows)| first + rows));
            if rows.len() < 2 {
                return None;
            }
            let has_gap = rows.windows(2).any(|pair| pair[1] != pair[0] + 1);
            answer = Some(answer.unwrap_or(false) || has_gap);
        }
        answer
    }

    /// Returns whether any data is computed from parity.
    fn is_computed(&self) -> bool {
        let mut chunks = self.map.chunks.iter();
        chunks.any(|chunk| chunk.served_by.is_none() && !chunk.is_lost)
    }

    /// Returns the failed members and how the array replaces their data.
    fn failures(&self) -> Option<String> {
        let failed = self.map.failed.as_slice();
        let (verb, its) = match failed.len() {
            0 => return None,
            1 => ("has", "its"),
            _ => ("have", "their"),
        };
        let who = self.list(failed);
        let lost: Vec<&ChunkPlace> = self.pattern().iter().filter(|one| one.is_lost).collect();
        let what = if !lost.is_empty() {
            match self.map.pattern_chunks {
                Some(chunks) if chunks > 1 => {
                    let named = lost.iter().take(CHUNKS_NAMED_MAX);
                    let named: Vec<String> = named.map(|one| one.chunk.to_string()).collect();
                    let rest = if lost.len() > named.len() { " ..." } else { "" };
                    let word = if lost.len() == 1 { "chunk" } else { "chunks" };
                    format!("lost: {word} {}{rest} of every {chunks}", named.join(", "))
                }
                _ => format!("{its} data is lost"),
            }
        } else if self.is_computed() {
            format!("{its} data is computed from the rest of each row")
        } else if self.is_mirror {
            "other copies are read instead".to_owned()
        } else {
            "only parity is lost".to_owned()
        };
        Some(format!("{who} {verb} failed; {what}."))
    }

    fn note(&self, note: Note) -> String {
        match note {
            Note::Shortened => {
                let listed = self.map.chunks.len();
                format!("The pattern continues; the map ends after {listed} chunks.")
            }
            Note::FarCopies { stride_chunks } => {
                let bytes = stride_chunks.saturating_mul(self.map.chunk_bytes.as_u64());
                let far = size(bytes);
                format!("Each further copy lies {far} behind the one before, on the next disk.")
            }
            Note::Zone {
                first_chunk,
                members,
            } => format!(
                "From chunk {first_chunk} on there is room on {} only.",
                disks(members)
            ),
        }
    }

    /// Returns names joined for a sentence.
    fn list(&self, members: &[usize]) -> String {
        self.list_by(members, |member| self.name(member))
    }

    fn list_by(&self, members: &[usize], name: impl Fn(usize) -> String) -> String {
        let distinct: BTreeSet<usize> = members.iter().copied().collect();
        if members.len() > NAMES_MAX && distinct.len() == self.map.members {
            return format!("all {}", disks(members.len()));
        }
        let named = members.iter().take(NAMES_MAX);
        let mut names: Vec<String> = named.map(|member| name(*member)).collect();
        if members.len() > NAMES_MAX {
            names.pop();
            let more = members.len() - names.len();
            names.push(format!("{more} more disks"));
        }
        joined(&names)
    }
}

/// Returns words joined for a sentence: `a, b and c`.
fn joined(words: &[String]) -> String {
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => words.concat(),
    }
}

/// Returns whether so many members serve in turn, again and again.
fn is_in_turn(served: &[usize], count: usize) -> bool {
    let mut again = served.iter().skip(count).zip(served);
    served.len().is_multiple_of(count) && again.all(|(later, earlier)| later == earlier)
}

/// Returns how many of the chunks each member serves.
fn shares(served: &[usize], servers: &[usize], chunks: usize) -> String {
    let count = |server: &usize| served.iter().filter(|member| *member == server).count();
    let counts: Vec<usize> = servers.iter().map(count).collect();
    let least = counts.iter().copied().min().unwrap_or(0);
    let most = counts.iter().copied().max().unwrap_or(0);
    if least == most {
        return format!("each sees {least} of {chunks} chunks");
    }
    if counts.len() > NAMES_MAX {
        return format!("they see {least} to {most} of {chunks} chunks each");
    }
    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
    format!("they see {} of {chunks} chunks", joined(&counts))
}

fn disks(count: usize) -> String {
    match count {
        1 => "1 disk".to_owned(),
        count => format!("{count} disks"),
    }
}

/// Returns an ordinal number in words.
fn nth(number: usize) -> String {
    const WORDS: [&str; 11] = [
        "", "", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth",
    ];
    if let Some(word) = WORDS.get(number).filter(|word| !word.is_empty()) {
        return (*word).to_owned();
    }
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
#[path = "array_map_tests.rs"]
mod tests;
