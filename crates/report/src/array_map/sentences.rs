//! The meaning of an array map, and the whole map, in sentences.

use std::collections::BTreeSet;

use stripewise_catalogue::{Argument, Message};
use stripewise_sim::array::map::{ChunkPlace, ChunkRole, Note, Unit};

use super::Words;
use crate::numbers::size;
use crate::text::strip_control;

/// The most chunks listed one by one.
const CHUNKS_LISTED_MAX: usize = 16;
/// The most members that a sentence names.
const NAMES_MAX: usize = 4;
/// The most chunks that a sentence names.
const CHUNKS_NAMED_MAX: usize = 6;

impl Words<'_> {
    /// Returns the map in sentences, for readers who cannot see a grid.
    pub(super) fn told(&self) -> Vec<Message> {
        let mut sentences = vec![self.heading()];
        if self.map.unit != Unit::Member {
            let listed = self.pattern().iter().take(CHUNKS_LISTED_MAX);
            sentences.extend(listed.map(|chunk| self.chunk(chunk)));
        }
        sentences.extend(match self.map.pattern_chunks {
            Some(1) => Some(Message::new("map-all-alike")),
            Some(chunks) => Some(Message::new("map-repeats").digits("chunks", chunks)),
            None => None,
        });
        sentences.extend(self.meaning());
        sentences
    }

    /// Returns the heading of the map: level, layout, members and unit.
    fn heading(&self) -> Message {
        let map = self.map;
        let layout = map.layout.as_ref().map(|layout| strip_control(layout));
        let layout = layout.map_or_else(String::new, |layout| format!(" {layout}"));
        let unit = match map.unit {
            Unit::Chunk => Message::new("map-unit-chunk").name("chunk", map.chunk_bytes),
            Unit::Piece => Message::new("map-unit-piece").name("chunk", map.chunk_bytes),
            Unit::Member => Message::new("map-unit-member"),
        };
        Message::new("map-heading")
            .name("array", format!("{}{layout}", map.level))
            .count("count", map.members)
            .with("unit", unit)
    }

    /// Returns where a chunk is and which member serves it.
    fn chunk(&self, chunk: &ChunkPlace) -> Message {
        let with_role = |roles: &[ChunkRole]| -> Vec<usize> {
            let places = chunk.copies.iter();
            let places = places.filter(|place| roles.contains(&place.role));
            places.map(|place| place.member).collect()
        };
        let disks = with_role(&[ChunkRole::Data, ChunkRole::Copy]);
        let parity = with_role(&[ChunkRole::Parity]);
        let q = with_role(&[ChunkRole::Q]);
        let state = match chunk.served_by {
            Some(_) if self.is_mirror => "served",
            Some(_) => "whole",
            None if chunk.is_lost => "lost",
            None => "computed",
        };
        let message = Message::new(match (parity.is_empty(), q.is_empty()) {
            (true, _) => "map-chunk-on",
            (false, true) => "map-chunk-parity",
            (false, false) => "map-chunk-parities",
        });
        let number = Message::new(match self.map.unit {
            Unit::Piece => "map-piece-number",
            Unit::Chunk | Unit::Member => "map-chunk-number",
        });
        let server = chunk.served_by.map(|member| self.name(member));
        let mut message = message
            .with("chunk", number.digits("chunk", chunk.chunk))
            .with("disks", self.list_with_state(&disks))
            .name("state", state)
            .name("server", server.unwrap_or_default());
        if !parity.is_empty() {
            message = message.with("parity", self.list_with_state(&parity));
        }
        if !q.is_empty() {
            message = message.with("q", self.list_with_state(&q));
        }
        message.as_sentence()
    }

    /// Returns the meaning of the map, in sentences.
    pub(super) fn meaning(&self) -> Vec<Message> {
        let mut sentences = self.reading();
        sentences.extend(self.failures());
        sentences.extend(self.map.notes.iter().map(|note| self.note(*note)));
        sentences
    }

    /// Returns which members serve a sequential reader, and which part of it each serves.
    fn reading(&self) -> Vec<Message> {
        let pattern = self.pattern();
        // md does not run an array that has lost data, and a truncated map cannot show the pattern.
        if pattern.iter().any(|chunk| chunk.is_lost) || self.map.notes.contains(&Note::Shortened) {
            return Vec::new();
        }
        let served: Vec<usize> = pattern.iter().filter_map(|chunk| chunk.served_by).collect();
        let mut servers: Vec<usize> = Vec::new();
        for member in &served {
            if !servers.contains(member) {
                servers.push(*member);
            }
        }
        if servers.is_empty() {
            return Vec::new();
        }
        let reader = Message::new(match self.is_mirror {
            true => "map-reader-of-mirror",
            false => "map-reader",
        });
        let mut sentences = vec![
            self.served_by(&served, &servers)
                .with("reader", reader)
                .with("disks", self.list(&servers)),
        ];
        if servers.len() > 1 && self.map.unit == Unit::Member {
            return sentences;
        }
        sentences.extend(match self.has_gaps(&servers) {
            _ if self.is_computed() => None,
            Some(true) => Some(Message::new("map-read-gaps")),
            Some(false) if servers.len() > 1 => Some(Message::new("map-read-no-gaps")),
            Some(false) | None => None,
        });
        let working = (0..self.map.members).filter(|member| !self.has_failed(*member));
        let idle: Vec<usize> = working.filter(|member| !servers.contains(member)).collect();
        if !idle.is_empty() {
            sentences.push(Message::new("map-read-idle").with("disks", self.list(&idle)));
        }
        sentences
    }

    /// Returns which part of a sequential stream each of its servers serves, without their names.
    fn served_by(&self, served: &[usize], servers: &[usize]) -> Message {
        let chunks = self.pattern().len();
        if servers.len() == 1 {
            return Message::new("map-read-alone");
        }
        if self.map.unit == Unit::Member {
            return Message::new("map-read-by-member");
        }
        if is_in_turn(served, servers.len()) && served.len() == chunks {
            return Message::new("map-read-in-turn").digits("count", servers.len());
        }
        let count = |server: &usize| served.iter().filter(|member| *member == server).count();
        let counts: Vec<usize> = servers.iter().map(count).collect();
        let least = counts.iter().copied().min().unwrap_or(0);
        let most = counts.iter().copied().max().unwrap_or(0);
        let message = match (least == most, counts.len() > NAMES_MAX) {
            (true, _) => Message::new("map-read-shares").digits("share", least),
            (false, true) => Message::new("map-read-shares-range")
                .digits("least", least)
                .digits("most", most),
            (false, false) => {
                Message::new("map-read-shares-each").with("shares", Argument::names(counts))
            }
        };
        message.digits("chunks", chunks)
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
    fn failures(&self) -> Option<Message> {
        let failed = self.map.failed.as_slice();
        if failed.is_empty() {
            return None;
        }
        let lost: Vec<&ChunkPlace> = self.pattern().iter().filter(|one| one.is_lost).collect();
        let chunks = self.map.pattern_chunks.filter(|chunks| *chunks > 1);
        let message = match chunks {
            Some(chunks) if !lost.is_empty() => {
                let named = lost.iter().take(CHUNKS_NAMED_MAX);
                let mut named: Vec<String> = named.map(|one| one.chunk.to_string()).collect();
                if lost.len() > named.len() {
                    named.push("…".to_owned());
                }
                let numbers = named.into_iter().map(Argument::Name);
                Message::new("map-failed-chunks")
                    .count("lost", lost.len())
                    .with("numbers", Argument::list(numbers))
                    .digits("chunks", chunks)
            }
            _ if !lost.is_empty() => Message::new("map-failed-data"),
            _ if self.is_computed() => Message::new("map-failed-computed"),
            _ if self.is_mirror => Message::new("map-failed-copies"),
            _ => Message::new("map-failed-parity"),
        };
        let message = message.count("count", failed.len());
        Some(message.with("disks", self.list(failed)))
    }

    fn note(&self, note: Note) -> Message {
        match note {
            Note::Shortened => {
                Message::new("map-shortened").digits("chunks", self.map.chunks.len())
            }
            Note::FarCopies { stride_chunks } => {
                let bytes = stride_chunks.saturating_mul(self.map.chunk_bytes.as_u64());
                Message::new("map-far-copies").digits("distance", size(bytes))
            }
            Note::Zone {
                first_chunk,
                members,
            } => Message::new("map-zone")
                .digits("chunk", first_chunk)
                .count("count", members),
        }
    }

    /// Returns members as a part of a sentence.
    fn list(&self, members: &[usize]) -> Argument {
        self.list_by(members, |member| Argument::Name(self.name(member)))
    }

    /// Returns members as a part of a sentence, each with its state if it has failed.
    fn list_with_state(&self, members: &[usize]) -> Argument {
        self.list_by(members, |member| {
            let name = Argument::Name(self.name(member));
            match self.has_failed(member) {
                true => Message::new("map-failed-disk").with("disk", name).into(),
                false => name,
            }
        })
    }

    fn list_by(&self, members: &[usize], name: impl Fn(usize) -> Argument) -> Argument {
        let distinct: BTreeSet<usize> = members.iter().copied().collect();
        if members.len() > NAMES_MAX && distinct.len() == self.map.members {
            return Message::new("map-all-disks")
                .digits("count", members.len())
                .into();
        }
        let is_cut = members.len() > NAMES_MAX;
        let named = members.iter().take(NAMES_MAX - usize::from(is_cut));
        let mut names: Vec<Argument> = named.map(|member| name(*member)).collect();
        if is_cut {
            let more = members.len() - names.len();
            names.push(Message::new("map-more-disks").count("count", more).into());
        }
        Argument::list_and(names)
    }
}

/// Returns whether so many members serve in turn, again and again.
fn is_in_turn(served: &[usize], count: usize) -> bool {
    let mut again = served.iter().skip(count).zip(served);
    served.len().is_multiple_of(count) && again.all(|(later, earlier)| later == earlier)
}
