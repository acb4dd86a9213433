//! The array map: which members hold each chunk, and which one serves it.
//!
//! It lists the first chunks of an array, until the pattern of its layout repeats. This module has
//! no layout rules of its own: places come from the level's arithmetic ([`Shape`]), and the serving
//! member from md's read balancing ([`choose_raid1`], [`choose_raid10`]) for one sequential reader:
//! one chunk at a time from chunk 0, all members idle.
//!
//! ```text
//!   n2 on 4 members      chunk 0: members 0, 1; served by 0
//!   *0*  0  *1*  1       chunk 1: members 2, 3; served by 2
//!   *2*  2  *3*  3       ...
//! ```

use std::ops::Range;

use serde::Serialize;
use stripewise_profiles::kernel::Policy;
use stripewise_study::stack::{Array, Level};
use stripewise_units::Bytes;

use super::balance::{Head, Raid1Read, Raid10Read, choose_raid1, choose_raid10};
use super::raid10::COPIES_MAX;
use super::shape::{CHUNK_DEFAULT, Shape, ShapeError};
use crate::engine::settings::mark_write_mostly;
use crate::io::{Member, Place};
use crate::units::Sectors;

/// The maximum number of listed chunks.
pub const CHUNKS_MAX: u64 = 1024;
/// The minimum number of listed rows, if the array has as many.
const ROWS_MIN: u64 = 3;

/// A member, as the map needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapMember {
    /// Its data area.
    pub size: Sectors,
    /// Whether the kernel treats it as rotational (`queue/rotational`).
    pub is_rotational: bool,
}

/// Which members hold and which serve the first chunks of an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArrayMap {
    /// The level.
    pub level: Level,
    /// The layout as given; `None` if mdadm chooses it, or the level has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
    /// How many members the array has.
    pub members: usize,
    /// The failed members, by place, in order.
    pub failed: Vec<usize>,
    /// The unit of `chunk_bytes` and of the chunk numbers.
    pub unit: Unit,
    /// The size of a chunk; of the smallest member where the unit is a member.
    pub chunk_bytes: Bytes,
    /// The length of the repeating pattern in chunks (for RAID 0 with members of different sizes:
    /// in the first zone); `None` if the array or the list ends before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_chunks: Option<u64>,
    /// The length of the pattern in rows of the members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern_rows: Option<u64>,
    /// The chunks, in order; their numbers jump where a later zone begins.
    pub chunks: Vec<ChunkPlace>,
    /// Notes needed to read the map.
    pub notes: Vec<Note>,
}

/// The unit that is numbered as a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// The array's chunk.
    Chunk,
    /// A piece of the same size, because the level has no chunks (RAID 1).
    Piece,
    /// A whole member (linear).
    Member,
}

/// The location of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChunkPlace {
    /// Its number in the array, from 0.
    pub chunk: u64,
    /// Its copies in md's order, then the parity of its row.
    pub copies: Vec<MemberChunk>,
    /// The member that serves it to a sequential reader; `None` if no working member holds it.
    pub served_by: Option<usize>,
    /// Whether it can no longer be read. A chunk that no member serves but that is not lost is
    /// computed from the other members of its row.
    pub is_lost: bool,
}

/// One chunk of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MemberChunk {
    /// The member, by its place in the array.
    pub member: usize,
    /// The row on the member: its position on the data area in chunks.
    pub offset_chunks: u64,
    /// Its role.
    pub role: ChunkRole,
}

/// The role of a chunk on a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ChunkRole {
    /// The data: md's first copy.
    Data,
    /// A further copy.
    Copy,
    /// The exclusive-or of its row.
    Parity,
    /// The second parity of its row.
    Q,
}

/// A note needed to read a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// The pattern is longer than the list.
    Shortened,
    /// The further copies lie this many chunks below the first one, on the next members.
    FarCopies {
        /// From one copy to the next, in chunks.
        stride_chunks: u64,
    },
    /// The members differ in size: where the smaller ones end, a zone of the larger ones begins.
    Zone {
        /// Its first chunk.
        first_chunk: u64,
        /// How many members it has.
        members: usize,
    },
}

impl ArrayMap {
    /// Returns the map of `array` over `members` under a kernel's rules; places in `failed` that
    /// the array does not have are ignored.
    ///
    /// Lists at most [`CHUNKS_MAX`] chunks (for linear: members).
    ///
    /// # Errors
    /// [`ShapeError`] if md has no such array.
    pub fn new(
        array: &Array,
        members: &[MapMember],
        policy: &Policy,
        failed: &[usize],
    ) -> Result<Self, ShapeError> {
        let sizes: Vec<Sectors> = members.iter().map(|member| member.size).collect();
        let shape = Shape::new(array, &sizes, policy)?;
        let unit = match array.level {
            Level::Linear => Unit::Member,
            Level::Raid1 => Unit::Piece,
            _ => Unit::Chunk,
        };
        let chunk_bytes = match unit {
            Unit::Member => sizes.iter().min().copied().unwrap_or_default().bytes(),
            Unit::Chunk => array.chunk_bytes.unwrap_or(CHUNK_DEFAULT),
            Unit::Piece => CHUNK_DEFAULT,
        };
        let has_failed = |index: &usize| failed.contains(index);
        let heads = members.iter().zip(0..).map(|(member, index)| {
            let mut head = Head::new(member.is_rotational, Sectors::default());
            head.readable = !has_failed(&index);
            head
        });
        let mut heads: Vec<Head> = heads.collect();
        mark_write_mostly(Some(array), &mut heads);
        let mut reader = Reader {
            heads,
            chunk: Sectors::from_bytes(chunk_bytes).max(Sectors::new(1)),
            member_starts: member_starts(&shape),
            shape,
            policy,
        };
        let List {
            chunks,
            pattern,
            mut notes,
        } = reader.list();
        let chunks: Vec<ChunkPlace> = chunks.into_iter().map(|chunk| reader.read(chunk)).collect();
        notes.extend(chunks.first().and_then(far_copies));
        Ok(Self {
            level: array.level,
            layout: array.layout.clone(),
            members: members.len(),
            failed: (0..members.len()).filter(has_failed).collect(),
            unit,
            chunk_bytes,
            pattern_chunks: pattern.map(|pattern| pattern.chunks),
            pattern_rows: pattern.map(|pattern| pattern.rows),
            chunks,
            notes,
        })
    }

    /// Returns the rows of the map in order. Each has a box, with its chunk, for every member that
    /// holds something in that row.
    ///
    /// Parity appears once per row, with the row's first chunk.
    pub fn rows(&self) -> Vec<ChunkRow<'_>> {
        let mut places: Vec<(&ChunkPlace, MemberChunk)> = self
            .chunks
            .iter()
            .flat_map(|chunk| chunk.copies.iter().map(move |place| (chunk, *place)))
            .collect();
        places.sort_by_key(|(chunk, place)| (place.offset_chunks, place.member, chunk.chunk));
        places.dedup_by_key(|(_, place)| (place.offset_chunks, place.member));
        places
            .chunk_by(|before, after| before.1.offset_chunks == after.1.offset_chunks)
            .map(|boxes| ChunkRow {
                offset_chunks: boxes[0].1.offset_chunks,
                boxes: boxes.to_vec(),
            })
            .collect()
    }
}

/// A row of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow<'a> {
    /// Its position on the members, in chunks.
    pub offset_chunks: u64,
    /// Its boxes, by member.
    pub boxes: Vec<(&'a ChunkPlace, MemberChunk)>,
}

/// The listed chunks.
#[derive(Debug, Default)]
struct List {
    chunks: Vec<u64>,
    pattern: Option<Pattern>,
    notes: Vec<Note>,
}

/// The length of a zone's repeating pattern.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    chunks: u64,
    rows: u64,
}

/// One sequential reader on an otherwise idle array.
struct Reader<'a> {
    shape: Shape,
    chunk: Sectors,
    /// Where the members of a linear array begin; empty for other levels.
    member_starts: Vec<Sectors>,
    heads: Vec<Head>,
    policy: &'a Policy,
}

impl Reader<'_> {
    /// Returns the chunks of each zone until its pattern repeats.
    fn list(&self) -> List {
        let mut list = List::default();
        let mut left = CHUNKS_MAX;
        for (zone, members) in self.zones() {
            if zone.is_empty() {
                continue;
            }
            let pattern = self.pattern(&zone);
            let all = zone.end - zone.start;
            let wanted = pattern.map_or(all, |pattern| {
                all.min(pattern.chunks * ROWS_MIN.div_ceil(pattern.rows))
            });
            let listed = wanted.min(left);
            if zone.start == 0 {
                list.pattern = pattern;
            } else if listed > 0 {
                let first_chunk = zone.start;
                list.notes.push(Note::Zone {
                    first_chunk,
                    members,
                });
            }
            list.chunks.extend(zone.start..zone.start + listed);
            left -= listed;
            if listed < wanted {
                list.notes.push(Note::Shortened);
                break;
            }
        }
        list
    }

    /// Returns the chunks of each zone with its number of members; all levels but RAID 0 have one
    /// zone.
    fn zones(&self) -> Vec<(Range<u64>, usize)> {
        let chunks = match &self.shape {
            Shape::Linear(_) => self.member_starts.len() as u64,
            shape => shape.size().get().div_ceil(self.chunk.get()),
        };
        let Shape::Raid0(map) = &self.shape else {
            return vec![(0..chunks, self.heads.len())];
        };
        let starts: Vec<(u64, usize)> = map
            .zones()
            .map(|(start, members)| (start.get() / self.chunk.get(), members))
            .collect();
        let ends = starts.iter().skip(1).map(|(start, _)| *start);
        starts
            .iter()
            .zip(ends.chain([chunks]))
            .map(|((start, members), end)| (*start..end, *members))
            .collect()
    }

    /// Returns the pattern of a zone, after which the same members hold the same roles again.
    fn pattern(&self, zone: &Range<u64>) -> Option<Pattern> {
        let holders = |chunk: u64| -> Vec<(usize, ChunkRole)> {
            let places = self.places(chunk);
            places.iter().map(|one| (one.member, one.role)).collect()
        };
        let end = zone.end.min(zone.start + CHUNKS_MAX + 1);
        let first = holders(zone.start);
        let next = (zone.start + 1..end).find(|chunk| holders(*chunk) == first)?;
        let row = |chunk: u64| self.places(chunk)[0].offset_chunks;
        Some(Pattern {
            chunks: next - zone.start,
            rows: (row(next) - row(zone.start)).max(1),
        })
    }

    /// Returns where a chunk begins in the array.
    fn start(&self, chunk: u64) -> Sectors {
        let index = usize::try_from(chunk).unwrap_or(usize::MAX);
        let of_member = self.member_starts.get(index).copied();
        of_member.unwrap_or(Sectors::new(chunk * self.chunk.get()))
    }

    /// Returns the places of a chunk's copies in md's order, then the places of its row's parity.
    fn places(&self, chunk: u64) -> Vec<MemberChunk> {
        let start = self.start(chunk);
        let data = |place: Place| self.place(place, ChunkRole::Data);
        match &self.shape {
            Shape::Linear(map) => vec![data(map.find(start))],
            Shape::Raid0(map) => vec![data(map.find(start))],
            Shape::Raid1(map) => self.copies(map.find(start)),
            Shape::Raid10(map) => {
                let mut places = [Place::default(); COPIES_MAX];
                let copies = map.find(start, &mut places);
                self.copies(places[..copies].iter().copied())
            }
            Shape::Parity { geometry, .. } => {
                let located = geometry.locate(start.get());
                let sector = Sectors::new(located.sector);
                let row = geometry.row(located.sector);
                let at =
                    |member: Member, role: ChunkRole| self.place(Place { member, sector }, role);
                let mut places = vec![
                    at(located.member, ChunkRole::Data),
                    at(Member(row.parity), ChunkRole::Parity),
                ];
                places.extend(row.syndrome.map(|member| at(Member(member), ChunkRole::Q)));
                places
            }
        }
    }

    fn copies(&self, places: impl Iterator<Item = Place>) -> Vec<MemberChunk> {
        let roles = std::iter::once(ChunkRole::Data).chain(std::iter::repeat(ChunkRole::Copy));
        let copies = places.zip(roles);
        copies
            .map(|(place, role)| self.place(place, role))
            .collect()
    }

    fn place(&self, place: Place, role: ChunkRole) -> MemberChunk {
        MemberChunk {
            member: place.member.index(),
            offset_chunks: place.sector.get() / self.chunk.get(),
            role,
        }
    }

    /// Reads a chunk with all members idle, and returns where it lies and which member served it.
    fn read(&mut self, chunk: u64) -> ChunkPlace {
        let copies = self.places(chunk);
        let served_by = self.serve(self.start(chunk), copies[0].member);
        ChunkPlace {
            chunk,
            served_by,
            is_lost: served_by.is_none() && !self.is_computed(),
            copies,
        }
    }

    /// Returns the member that serves the chunk at `start`, and updates md's counters for that
    /// read; `only` holds the data where md has no choice.
    fn serve(&mut self, start: Sectors, only: usize) -> Option<usize> {
        match &self.shape {
            Shape::Linear(_) | Shape::Raid0(_) | Shape::Parity { .. } => {
                Some(only).filter(|member| self.heads[*member].readable)
            }
            Shape::Raid1(_) => {
                let read = Raid1Read {
                    rule: self.policy.raid1_read_balance,
                    start,
                    is_unsynced: false,
                };
                let member = choose_raid1(read, &self.heads)?.index();
                self.heads[member].begin_read(start, self.chunk);
                self.heads[member].end(start + self.chunk);
                Some(member)
            }
            Shape::Raid10(map) => {
                let mut places = [Place::default(); COPIES_MAX];
                let copies = map.find(start, &mut places);
                let read = Raid10Read::new(self.policy.raid10_read_balance, map.layout());
                let slot = choose_raid10(read, &self.heads, &places[..copies])?;
                let place = places[slot];
                let member = place.member.index();
                self.heads[member].begin();
                self.heads[member].end(place.sector + self.chunk);
                Some(member)
            }
        }
    }

    /// Returns whether parity covers all failed members.
    fn is_computed(&self) -> bool {
        let Shape::Parity { geometry, .. } = &self.shape else {
            return false;
        };
        let failed = self.heads.iter().filter(|head| !head.readable).count();
        failed <= usize::from(geometry.parities())
    }
}

/// Returns where each used member of a linear array begins.
fn member_starts(shape: &Shape) -> Vec<Sectors> {
    let Shape::Linear(map) = shape else {
        return Vec::new();
    };
    let mut starts = Vec::new();
    let mut at = Sectors::default();
    while at < map.size() {
        starts.push(at);
        at += map.first_length(at, map.size() - at);
    }
    starts
}

/// Returns the distance between the copies of a chunk, if it is more than a row.
fn far_copies(chunk: &ChunkPlace) -> Option<Note> {
    let [first, second, ..] = chunk.copies.as_slice() else {
        return None;
    };
    let stride_chunks = second.offset_chunks - first.offset_chunks;
    (stride_chunks > 1).then_some(Note::FarCopies { stride_chunks })
}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
