//! Which member holds and which serves each chunk, for each array of the runs.

use serde::Serialize;
use stripewise_sim::array::map::{ArrayMap, ChunkRole, ChunkRow, Unit};
use stripewise_study::stack::Stack;

use super::input::Input;
use crate::text::strip_control;

/// Wider arrays are cut: more columns are unreadable.
const MEMBERS_MAX: usize = 24;
/// The most rows shown of each array.
const ROWS_MAX: usize = 24;
/// The most maps on a page; a page of more stacks shows the first ones.
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
    /// The layout as written; `None` if the study names none or the level has none.
    pub layout: Option<String>,
    /// The numbered unit: a chunk, a piece if the level has no chunks, or a whole member.
    pub unit: Unit,
    /// Its size.
    pub chunk_bytes: u64,
    /// The members, by the model's names; cut if there are very many.
    pub members: Vec<String>,
    /// The number of members of the array.
    pub member_count: usize,
    /// The rows of the picture, from the start of the members.
    pub rows: Vec<MapRow>,
    /// The number of rows left out before the pattern repeats.
    pub rows_left_out: usize,
}

/// A row of chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapRow {
    /// Its offset on the members, in chunks.
    pub label: String,
    /// A box for each member; `None` if the member holds no chunk of the picture in this row.
    pub boxes: Vec<Option<MapBox>>,
}

/// A chunk on a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MapBox {
    /// The number of the chunk in the array; `None` for parity.
    pub chunk: Option<u64>,
    /// The role of the chunk there.
    pub role: ChunkRole,
    /// Whether sequential reads are served from here.
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
            stack: strip_control(&stack.name),
            level: map.level.as_str(),
            layout: map.layout.as_deref().map(strip_control),
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
    fn new(row: &ChunkRow, members: usize) -> Self {
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
