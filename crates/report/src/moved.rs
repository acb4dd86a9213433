//! What the disks moved for each byte of the load: one sentence for reads and one for writes, if a
//! layer above the disks adds to them. An answer has them for all cells, the page for each cell.

use stripewise_answer::{Block, Sentence, Tone};
use stripewise_catalogue::Message;
use stripewise_catalogue::number::three_digits;
use stripewise_study::warning::Direction;

use crate::document::{CellPart, Document};
use crate::names::Names;

/// From here on a layer adds something: a system's own few writes stay below.
const NAMED_MIN: f64 = 1.05;

/// Returns the sentences; `None` if no layer adds anything, or if a model knows it better.
pub(crate) fn moved(document: &Document, names: &Names) -> Option<Block> {
    if document.run.model.is_some() {
        return None;
    }
    let directions = [Direction::Write, Direction::Read].into_iter();
    let sentences = directions.filter_map(|direction| sentence(document, names, direction));
    let sentences = Sentence::of(sentences).tone(Tone::Dim);
    (!sentences.parts.is_empty()).then(|| sentences.into())
}

fn sentence(document: &Document, names: &Names, direction: Direction) -> Option<Message> {
    let of_cell = |cell: &CellPart| cell.device_bytes_per_byte?.get(direction);
    let known = document.cells.iter();
    let known = known.filter_map(|cell| Some((cell, of_cell(cell)?)));
    let known: Vec<(&CellPart, f64)> = known.collect();
    let (_, least) = known
        .iter()
        .min_by(|left, right| left.1.total_cmp(&right.1))?;
    let (cell, most) = known
        .iter()
        .max_by(|left, right| left.1.total_cmp(&right.1))?;
    let [low, high] = [*least, *most].map(three_digits);
    if *most < NAMED_MIN || low == high {
        return of_one(*most, direction);
    }
    let message = Message::new("show-moved-range")
        .name("direction", direction)
        .digits("low", low)
        .digits("high", high)
        .with("cell", names.argument(&cell.cell()));
    Some(message)
}

/// Returns the sentences about one cell, for its page: for writes, then for reads.
pub(crate) fn of_cell(cell: &CellPart) -> Vec<Message> {
    let directions = [Direction::Write, Direction::Read].into_iter();
    let known = directions.filter_map(|direction| {
        let per_byte = cell.device_bytes_per_byte?.get(direction)?;
        of_one(per_byte, direction)
    });
    known.collect()
}

/// Returns the sentence about so many bytes for each byte; `None` if no layer adds anything.
fn of_one(per_byte: f64, direction: Direction) -> Option<Message> {
    let message = Message::new("per-byte-moved")
        .name("direction", direction)
        .digits("high", three_digits(per_byte));
    (per_byte >= NAMED_MIN).then_some(message)
}
