//! What stacks cost over their life: derived for each cell, and shown as a table on a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;
use stripewise_analysis::lifetime::{CellLifetime, Counted, Rated, Unknown, lifetime};
use stripewise_catalogue::number::{three_digits, two_digits};
use stripewise_catalogue::{Argument, Message};
use stripewise_profiles::device::DeviceProfile;
use stripewise_study::cell::Axis;
use stripewise_study::lifetime::Lifetime;
use stripewise_study::stack::Stack;

use crate::document::{CellPart, Document};
use crate::names::Names;
use crate::numbers::{size_argument, span};
use crate::table::{Column, Field, Table};
use crate::text::{BOLD, DIM, dimmed, painted};
use crate::view::View;

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
        let rated = |profile: &DeviceProfile| Rated {
            capacity_bytes: profile.capacity_bytes,
            tbw_bytes: profile.ratings.tbw_bytes,
            afr_percent: profile.ratings.afr_percent,
            ure_bits: profile.ratings.ure_bits,
        };
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

/// Returns the table of the stacks' lives; empty if the study does not ask.
pub(crate) fn lives(document: &Document, names: &Names, view: View) -> String {
    let Some(asked) = &document.lifetime else {
        return String::new();
    };
    let cells = names.order.iter().map(|index| &document.cells[*index]);
    let lives = cells.filter_map(|cell| Some((cell, cell.lifetime.as_ref()?)));
    let lives: Vec<(&CellPart, &CellLifetime)> = lives.collect();
    if lives.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    text.push_str(&painted(BOLD, &view.say(&title(&asked.asked)), view));
    text.push_str(&table(&asked.asked, &lives, names, view));
    for note in notes(&asked.asked, &lives) {
        text.push_str(&dimmed(&view.say(&note), view));
    }
    text
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

fn table(
    asked: &Lifetime,
    lives: &[(&CellPart, &CellLifetime)],
    names: &Names,
    view: View,
) -> String {
    let axes = names.axes.iter().filter(|axis| **axis != Axis::Failure);
    let axes: Vec<Axis> = axes.copied().collect();
    let say = |id: &'static str| view.say(&Message::new(id));
    let mut columns: Vec<Column> = axes
        .iter()
        .map(|axis| Column::group(&view.say(&axis.message())))
        .collect();
    let column =
        |head: &'static str, name: Message| Column::number(&say(head)).named(&view.say(&name));
    let loss = Message::new("lifetime-name-loss").count("years", asked.years);
    columns.extend([
        column(
            "lifetime-column-capacity",
            Message::new("lifetime-name-capacity"),
        )
        .optional(2),
        column(
            "lifetime-column-written",
            Message::new("lifetime-name-written"),
        )
        .optional(3),
        column("lifetime-column-days", Message::new("lifetime-name-days")).optional(1),
    ]);
    let has_volume = asked.writes_per_day_bytes.is_some();
    let years = column("lifetime-column-years", Message::new("lifetime-name-years"));
    columns.extend(has_volume.then_some(years));
    columns.extend([
        column(
            "lifetime-column-rebuild",
            Message::new("lifetime-name-rebuild"),
        ),
        column("lifetime-column-loss", loss),
    ]);
    let mut table = Table::new(columns);
    let mut before: Vec<String> = Vec::new();
    for (cell, life) in lives {
        let values: Vec<String> = axes.iter().map(|axis| cell.cell().value(*axis)).collect();
        let same = values
            .iter()
            .zip(&before)
            .take_while(|(new, old)| new == old);
        let same = same.count();
        let mut row: Vec<Field> = (0..)
            .zip(&values)
            .map(|(column, value)| Field::plain(value.as_str()).repeated(column < same))
            .collect();
        row.extend(numbers(life, has_volume, view));
        table.row(row);
        before = values;
    }
    table.finish(view)
}

fn numbers(life: &CellLifetime, has_volume: bool, view: View) -> Vec<Field> {
    let field = |value: Option<String>| match value {
        Some(value) => Field::plain(value),
        None => Field::styled(DIM, "-"),
    };
    let digits = |value: Option<f64>, digits: fn(f64) -> String| {
        field(value.map(|value| view.digits(digits(value))))
    };
    let percent = |value: Option<f64>, digits: fn(f64) -> String| {
        let shown = |share: f64| view.show(&Argument::quantity(digits(share * 100.0), "%"));
        field(value.map(shown))
    };
    let mut fields = vec![
        percent(life.capacity_share, |share| format!("{share:.0}")),
        digits(life.written_per_byte, three_digits),
        digits(life.days_to_rating_at_full_speed, three_digits),
    ];
    fields.extend(has_volume.then(|| digits(life.years_to_rating, three_digits)));
    let rebuild = life
        .rebuild_s
        .map(|seconds| span(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)));
    fields.push(field(rebuild));
    fields.push(percent(life.loss_chance, chance));
    fields
}

/// The least chance in percent that is shown with its digits.
const CHANCE_PERCENT_MIN: f64 = 1e-6;

/// Returns a chance in percent with two digits.
fn chance(percent: f64) -> String {
    match percent {
        _ if percent >= 99.5 => format!("{percent:.0}"),
        _ if percent >= CHANCE_PERCENT_MIN || percent <= 0.0 => two_digits(percent),
        _ => format!("<{CHANCE_PERCENT_MIN:.6}"),
    }
}

/// Returns what the columns mean, what is assumed, and what is unknown.
fn notes(asked: &Lifetime, lives: &[(&CellPart, &CellLifetime)]) -> Vec<Message> {
    let lives = || lives.iter().map(|(_, life)| *life);
    let mut notes = Vec::new();
    if lives().any(|life| life.written_per_byte.is_some()) {
        notes.push(Message::new(match asked.writes_per_day_bytes {
            Some(_) => "lifetime-wear",
            None => "lifetime-wear-no-volume",
        }));
    }
    if lives().any(|life| life.loss_chance.is_some()) {
        notes.push(Message::new("lifetime-assumptions"));
    }
    let stated = asked.stated();
    if !stated.is_empty() {
        let stated = stated.iter().map(|key| format!("`{key}`"));
        let message = Message::new("lifetime-stated");
        notes.push(message.with("keys", Argument::names(stated)));
    }
    let unknown: BTreeSet<Unknown> = lives().flat_map(|life| life.unknown.clone()).collect();
    notes.extend(unknown.into_iter().map(Unknown::message));
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
