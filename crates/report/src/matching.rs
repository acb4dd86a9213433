//! Matches the cells of two runs that measure the same thing.

use stripewise_catalogue::Message;
use stripewise_study::cell::Cell;
use stripewise_study::stack::Stack;
use stripewise_study::workload::Workload;

/// Returns the indices of equal cells, baseline first; if no two are equal, of cells that differ
/// only in the names of stacks and workloads. Existing storage, whose layers no run knows, may be any
/// stack.
pub fn matching_cells(baseline: &[Cell], other: &[Cell]) -> Vec<(usize, usize)> {
    let matches = |same: fn(&Cell, &Cell) -> bool| -> Vec<(usize, usize)> {
        let partner = |cell: &Cell| {
            let mut found = (0..baseline.len()).filter(|index| same(&baseline[*index], cell));
            // Two equally good matches count as none.
            found.next().filter(|_| found.next().is_none())
        };
        (0..other.len())
            .filter_map(|index| Some((partner(&other[index])?, index)))
            .collect()
    };
    let equal = matches(|left, right| left == right);
    match equal.is_empty() {
        true => matches(|left, right| {
            has_load_of(left, right)
                && (has_layers_of(&left.stack, &right.stack)
                    || is_existing(&left.stack)
                    || is_existing(&right.stack))
        }),
        false => equal,
    }
}

/// Returns whether a workload follows the data at risk, which is no key that compares.
pub fn follows_risk(workload: &Workload) -> bool {
    workload.loads().any(|load| load.risk)
}

/// Returns whether two cells ask the same of their stacks, under the same conditions.
pub fn has_load_of(one: &Cell, other: &Cell) -> bool {
    one.workload.load == other.workload.load
        && one.workload.neighbours == other.workload.neighbours
        && one.workload.trace == other.workload.trace
        && one.workload.options == other.workload.options
        && one.conditions == other.conditions
}

/// Returns whether two stacks differ in their names at most.
pub fn has_layers_of(one: &Stack, other: &Stack) -> bool {
    let unnamed = |stack: &Stack| Stack {
        name: String::new(),
        ..stack.clone()
    };
    unnamed(one) == unnamed(other)
}

/// Returns whether a stack is existing storage, whose layers are not known.
fn is_existing(stack: &Stack) -> bool {
    stack.devices.is_empty() && stack.array.is_none()
}

/// Returns by what two cells are matched, if they are not equal.
pub fn matched_by(baseline: &Cell, other: &Cell) -> Option<Message> {
    let message = match has_layers_of(&baseline.stack, &other.stack) {
        _ if baseline == other => return None,
        true if baseline.stack.name == other.stack.name => Message::new("compare-matched-load"),
        true => Message::new("compare-matched-layers"),
        false => Message::new("compare-matched-existing"),
    };
    let message = message.name("one", &baseline.stack.name);
    Some(message.name("other", &other.stack.name))
}
