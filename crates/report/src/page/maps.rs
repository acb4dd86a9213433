//! Which member holds and which serves each chunk, for each array of the runs.

use serde::Serialize;
use stripewise_sim::array::map::{ArrayMap, ChunkRole, Row, Unit};
use stripewise_study::stack::Stack;

use super::input::Input;
use crate::text::harmless;

/// Wider arrays are cut: nobody reads so many columns.
const MEMBERS_MAX: usize = 24;
/// So many rows of each array are shown.
const ROWS_MAX: usize = 24;
/// A page of very many stacks shows the maps of the first.
const MAPS_MAX: usize = 64;

/// The map of one stack's array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackMap {
    /// The index of its run.
    pub run: usize,
    /// The name of the stack.
    pub stack: String,
    /// The level.
    pub level: &'static str,
    /// The layout as it was written; nothing where it was left to mdadm or the level has none.
    pub layout: Option<String>,
    /// What is numbered as a chunk: a chunk, a piece where the level has none, a whole member.
    pub unit: Unit,
    /// Its size.
    pub chunk_bytes: u64,
    /// The members, as the model names them; cut where there are very many.
    pub members: Vec<String>,
    /// How many members the array has.
    pub member_count: usize,
    /// The rows of the picture, from the start of the members on.
    pub rows: Vec<MapRow>,
    /// How many rows are left out before the pattern repeats.
    pub rows_left_out: usize,
}

/// A row of chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapRow {
    /// Where it lies on the members, in chunks.
    pub label: String,
    /// A box for each member; nothing where nothing of the picture lies.
    pub boxes: Vec<Option<MapBox>>,
}

/// A chunk on a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapBox {
    /// The number of the chunk in the array; nothing for parity.
    pub chunk: Option<u64>,
    /// What it is there.
    pub role: ChunkRole,
    /// Whether a sequential reader is served from here.
    pub serves: bool,
}

/// Returns a map for each array of the runs in the model world.
pub(crate) fn of(inputs: &[Input]) -> Vec<StackMap> {
    let mut maps: Vec<StackMap> = Vec::new();
    for (run, input) in inputs.iter().enumerate() {
        let Some(model) = input.model else {
            continue;
        };
        let mut stacks: Vec<&Stack> = Vec::new();
        for cell in &input.run.cells {
            if !stacks.contains(&&cell.stack) {
                stacks.push(&cell.stack);
            }
        }
        for stack in stacks {
            if maps.len() >= MAPS_MAX {
                return maps;
            }
            if let Ok(Some(map)) = model.array_map(stack) {
                maps.push(StackMap::new(run, stack, &map));
            }
        }
    }
    maps
}

impl StackMap {
    fn new(run: usize, stack: &Stack, map: &ArrayMap) -> Self {
        let shown = map.members.min(MEMBERS_MAX);
        let rows = map.rows();
        Self {
            run,
            stack: harmless(&stack.name),
            level: map.level.as_str(),
            layout: map.layout.as_deref().map(harmless),
            unit: map.unit,
            chunk_bytes: map.chunk_bytes.as_u64(),
            members: (0..shown).map(|member| format!("disk{member}")).collect(),
            member_count: map.members,
            rows_left_out: rows.len().saturating_sub(ROWS_MAX),
            rows: rows
                .iter()
                .take(ROWS_MAX)
                .map(|row| MapRow::new(row, shown))
                .collect(),
        }
    }
}

impl MapRow {
    fn new(row: &Row, members: usize) -> Self {
        let mut boxes = vec![None; members];
        for (chunk, place) in &row.boxes {
            if let Some(shown) = boxes.get_mut(place.member) {
                let is_parity = matches!(place.role, ChunkRole::Parity | ChunkRole::Q);
                *shown = Some(MapBox {
                    chunk: (!is_parity).then_some(chunk.chunk),
                    role: place.role,
                    serves: !is_parity && chunk.served_by == Some(place.member),
                });
            }
        }
        Self {
            label: row.offset_chunks.to_string(),
            boxes,
        }
    }
}
