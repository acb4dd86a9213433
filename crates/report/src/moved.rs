//! What the disks moved for each byte of the load, for a terminal: one sentence for reads and one for
//! writes, if a layer above the disks adds to them.

use stripewise_catalogue::Message;
use stripewise_catalogue::number::three_digits;
use stripewise_study::warning::Direction;

use crate::document::{CellPart, Document};
use crate::names::Names;

use crate::text::dimmed;
use crate::view::View;

/// From here on a layer adds something: a system's own few writes stay below.
const NAMED_MIN: f64 = 1.05;

/// Returns the sentences; empty if no layer adds anything, or if a model knows it better.
pub(crate) fn moved(document: &Document, names: &Names, view: View) -> String {
    if document.run.model.is_some() {
        return String::new();
    }
    let directions = [Direction::Write, Direction::Read];
    let sentences = directions
        .into_iter()
        .filter_map(|direction| sentence(document, names, direction));
    let words: Vec<String> = sentences.map(|message| view.say(&message)).collect();
    match words.is_empty() {
        true => String::new(),
        false => dimmed(&words.join(" "), view),
    }
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
    let id = match low == high {
        true => "show-moved",
        false => "show-moved-range",
    };
    let message = Message::new(id)
        .name("direction", direction)
        .digits("low", low)
        .digits("high", high)
        .with("cell", names.argument(&cell.cell()));
    (*most >= NAMED_MIN).then_some(message)
}
