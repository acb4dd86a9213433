//! How simple a design is: how many parts of it are special.
//!
//! A part is special if it is not what mdadm does when nothing else is asked for, needs care of its own,
//! or gives what nobody required. Of designs that are the same, the one with the fewest is built: it is
//! the one that the next administrator expects to find, and there is nothing to gain from another.

use serde::Serialize;
use stripewise_study::stack::{Array, Bitmap, Level, Stack};
use stripewise_units::Bytes;

use crate::requirement::surely_survived;

/// mdadm's chunk if none is named (`DEFAULT_CHUNK` in mdadm.h).
pub const CHUNK_DEFAULT: Bytes = Bytes::new(512 * 1024);
/// The layouts that mdadm takes if none is named (`Create` in Create.c).
const LAYOUTS_DEFAULT: [&str; 2] = ["n2", "left-symmetric"];

/// A special part of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Special {
    /// Parity: small writes read first, and a power cut during a write leaves a hole (md(4)).
    Parity,
    /// It survives so many failures more than required, which takes the space of as many devices.
    MoreSurvived(u64),
    /// Another layout than mdadm's.
    Layout,
    /// Another chunk than mdadm's.
    Chunk,
    /// Another bitmap than an internal one with the chunk that mdadm computes.
    Bitmap,
}

impl Special {
    /// Returns how many parts it counts as.
    pub const fn count(self) -> u64 {
        match self {
            Special::MoreSurvived(failures) => failures,
            Special::Parity | Special::Layout | Special::Chunk | Special::Bitmap => 1,
        }
    }
}

/// Returns the special parts of a stack that has to survive the failure of `survive` devices.
pub fn specials(stack: &Stack, survive: u64) -> Vec<Special> {
    let array = stack.array.as_ref();
    let is = |of: fn(&Array) -> bool| array.is_some_and(of);
    let has_parity = is(|array| matches!(array.level, Level::Raid4 | Level::Raid5 | Level::Raid6));
    let more = surely_survived(stack).saturating_sub(survive);
    let has_other_bitmap = is(|array| {
        array.level.has_bitmap() && array.bitmap != Bitmap::Internal { chunk_bytes: None }
    });
    let found = [
        has_parity.then_some(Special::Parity),
        (more > 0).then_some(Special::MoreSurvived(more)),
        (!has_default_layout(stack)).then_some(Special::Layout),
        (doublings(stack) > 0).then_some(Special::Chunk),
        has_other_bitmap.then_some(Special::Bitmap),
    ];
    found.into_iter().flatten().collect()
}

/// Returns whether mdadm lays data out so if no layout is named.
pub fn has_default_layout(stack: &Stack) -> bool {
    let layout = stack
        .array
        .as_ref()
        .and_then(|array| array.layout.as_deref());
    layout.is_none_or(|layout| LAYOUTS_DEFAULT.contains(&layout))
}

/// Returns how many times the chunk would have to be doubled or halved to be mdadm's default.
pub fn doublings(stack: &Stack) -> u32 {
    let chunk = stack.array.as_ref().and_then(|array| array.chunk_bytes);
    let of = |bytes: Bytes| bytes.as_u64().max(1).ilog2();
    chunk.map_or(0, |chunk| of(chunk).abs_diff(of(CHUNK_DEFAULT)))
}
