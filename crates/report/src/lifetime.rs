//! What stacks cost over their life: derived for each cell, and as a table.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use stripewise_analysis::lifetime::{CellLifetime, Counted, Rated, Unknown, lifetime};
use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::number::{three_digits, two_digits};
use stripewise_catalogue::{Argument, Message};
use stripewise_profiles::device::DeviceProfile;
use stripewise_study::cell::Axis;
use stripewise_study::lifetime::Lifetime;
use stripewise_study::stack::Stack;

use crate::document::Document;
use crate::names::Names;
use crate::numbers::{size_argument, span};

/// Returns what is known about the devices of a profile.
pub const fn rated(profile: &DeviceProfile) -> Rated {
    Rated {
        capacity_bytes: profile.capacity_bytes,
        tbw_bytes: profile.ratings.tbw_bytes,
        afr_percent: profile.ratings.afr_percent,
        ure_bits: profile.ratings.ure_bits,
    }
}

/// What a study asks about the years of its stacks, and what is known about their devices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskedLifetime {
    /// What the study asks.
    #[serde(flatten)]
    pub asked: Lifetime,
    /// What is known about the devices, by profile.
    #[serde(skip)]
    pub devices: BTreeMap<String, Rated>,
}

impl AskedLifetime {
    /// Returns what `asked` asks about devices with these profiles.
    pub fn new<'a>(asked: Lifetime, devices: impl IntoIterator<Item = &'a DeviceProfile>) -> Self {
        let devices = devices.into_iter();
        Self {
            asked,
            devices: devices
                .map(|profile| (profile.name.clone(), rated(profile)))
                .collect(),
        }
    }

    /// Returns what is known about each device of a stack; empty if a profile is missing.
    fn of_stack(&self, stack: &Stack) -> Vec<Rated> {
        let devices = stack.devices.iter().map(|group| {
            let rated = self.devices.get(&group.profile)?;
            Some((0..group.count.get()).map(|_| *rated))
        });
        let devices: Option<Vec<_>> = devices.collect();
        devices.into_iter().flatten().flatten().collect()
    }

    /// Returns the life of the cell `index`.
    pub(crate) fn of_cell(&self, cells: &[Counted], index: usize) -> Option<CellLifetime> {
        let rated = self.of_stack(&cells.get(index)?.cell.stack);
        lifetime(&self.asked, cells, index, &rated)
    }
}

impl Says {
    const fn key(self) -> &'static str {
        match self {
            Says::Options => "options",
            Says::Keys => "keys",
        }
    }
}

/// Returns the table of the stacks' lives; nothing if the study does not ask.
pub(crate) fn lives(document: &Document, names: &Names) -> Vec<Block> {
    let Some(asked) = &document.lifetime else {
        return Vec::new();
    };
    let names = names.without(Axis::Failure);
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let lives = cells.filter_map(|cell| {
        let life = cell.lifetime.as_ref()?;
        Some((names.values(&cell.cell()), life))
    });
    blocks(asked, lives.collect(), names.columns(), Says::Keys)
}

/// With what a rating is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// Options of the command.
    Options,
    /// Keys of the study.
    Keys,
}

/// A cell's values in the columns that name it, and its life.
type NamedLife<'a> = (Vec<Cell>, &'a CellLifetime);

/// Returns the table of lives, and what it means.
pub(crate) fn blocks(
    asked: &AskedLifetime,
    lives: Vec<NamedLife>,
    columns: Vec<Column>,
    says: Says,
) -> Vec<Block> {
    if lives.is_empty() {
        return Vec::new();
    }
    let asked = &asked.asked;
    let notes = notes(asked, &lives, says).into_iter();
    let title = Block::heading(title(asked));
    let mut blocks = vec![Block::Gap, title, table(asked, lives, columns).into()];
    blocks.extend(notes.map(|note| Block::toned(Tone::Dim, note)));
    blocks
}

fn title(asked: &Lifetime) -> Message {
    let message = match asked.writes_per_day_bytes {
        Some(volume) => {
            Message::new("lifetime-title-volume").with("volume", size_argument(volume.as_u64()))
        }
        None => Message::new("lifetime-title"),
    };
    message.count("years", asked.years)
}

fn table(asked: &Lifetime, lives: Vec<NamedLife>, mut columns: Vec<Column>) -> Table {
    let column = |key: &'static str, head: &'static str, name: &'static str| {
        Column::number(key, Message::new(head)).named(Message::new(name))
    };
    columns.extend([
        column(
            "capacity_percent",
            "lifetime-column-capacity",
            "lifetime-name-capacity",
        )
        .optional(2),
        column(
            "written_per_byte",
            "lifetime-column-written",
            "lifetime-name-written",
        )
        .optional(3),
        column(
            "days_to_rating_at_full_speed",
            "lifetime-column-days",
            "lifetime-name-days",
        )
        .optional(1),
    ]);
    let has_volume = asked.writes_per_day_bytes.is_some();
    columns.extend(has_volume.then(|| {
        column(
            "years_to_rating",
            "lifetime-column-years",
            "lifetime-name-years",
        )
    }));
    let has_loss = lives.iter().any(|(_, life)| has_loss(life));
    let loss = Message::new("lifetime-name-loss").count("years", asked.years);
    let of_loss = [
        column(
            "rebuild_s",
            "lifetime-column-rebuild",
            "lifetime-name-rebuild",
        ),
        Column::number("loss_percent", Message::new("lifetime-column-loss")).named(loss),
    ];
    columns.extend(of_loss.into_iter().filter(|_| has_loss));
    let mut table = Table::new("lifetime", columns);
    for (mut row, life) in lives {
        row.extend(numbers(life, has_volume, has_loss));
        table.row(row);
    }
    table
}

/// Returns whether anything is known about a rebuild, or a loss.
fn has_loss(life: &CellLifetime) -> bool {
    life.rebuild_s.is_some() || life.loss_chance.is_some()
}

fn numbers(life: &CellLifetime, has_volume: bool, has_loss: bool) -> Vec<Cell> {
    let known = |value: Option<f64>, shown: &dyn Fn(f64) -> Argument| {
        value.map_or_else(Cell::none, |value| Cell::of(shown(value)).exact(value))
    };
    let digits = |value: Option<f64>| known(value, &|value| Argument::Digits(three_digits(value)));
    let percent = |share: Option<f64>, digits: fn(f64) -> String| {
        let percent = share.map(|share| share * 100.0);
        known(percent, &|percent| Argument::quantity(digits(percent), "%"))
    };
    let mut cells = vec![
        percent(life.capacity_share, |percent| format!("{percent:.0}")),
        digits(life.written_per_byte),
        digits(life.days_to_rating_at_full_speed),
    ];
    cells.extend(has_volume.then(|| digits(life.years_to_rating)));
    if has_loss {
        cells.push(known(life.rebuild_s, &|seconds| {
            let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            Argument::Name(span(time))
        }));
        cells.push(percent(life.loss_chance, chance));
    }
    cells
}

/// The least chance in percent that is shown with its digits.
const CHANCE_PERCENT_MIN: f64 = 1e-6;

/// Returns a chance in percent with two digits.
pub(crate) fn chance(percent: f64) -> String {
    match percent {
        _ if percent >= 99.5 => format!("{percent:.0}"),
        _ if percent >= CHANCE_PERCENT_MIN || percent <= 0.0 => two_digits(percent),
        _ => format!("<{CHANCE_PERCENT_MIN:.6}"),
    }
}

/// Returns what the columns mean, what is assumed, and what is unknown.
fn notes(asked: &Lifetime, lives: &[NamedLife], says: Says) -> Vec<Message> {
    let lives = || lives.iter().map(|(_, life)| *life);
    let mut notes = Vec::new();
    if lives().any(|life| life.written_per_byte.is_some()) {
        notes.push(match asked.writes_per_day_bytes {
            Some(_) => Message::new("lifetime-wear"),
            None => Message::new("lifetime-wear-no-volume").name("says", says.key()),
        });
    }
    if lives().any(|life| life.has_neighbours) {
        notes.push(Message::new("lifetime-wear-neighbours"));
    }
    if lives().any(|life| life.loss_chance.is_some()) {
        notes.push(Message::new("lifetime-assumptions"));
    }
    let stated = asked.stated();
    if !stated.is_empty() {
        let stated = stated.iter().map(|key| format!("`{key}`"));
        let message = Message::new("lifetime-stated").name("says", says.key());
        notes.push(message.with("keys", Argument::names(stated)));
    }
    let unknown: BTreeSet<Unknown> = lives().flat_map(|life| life.unknown.clone()).collect();
    notes.extend(unknown.into_iter().map(|one| match (one, says) {
        (Unknown::WriteRating, Says::Options) => Message::new("lifetime-unknown-tbw"),
        _ => one.message(),
    }));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_has_two_digits_and_is_never_shown_as_none() {
        let shown = [99.7, 12.34, 0.0, 0.001_234, 2e-9].map(chance);
        assert_eq!(shown, ["100", "12", "0", "0.0012", "<0.000001"]);
    }
}
