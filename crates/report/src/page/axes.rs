//! The axes along which the cells of a page differ: the keys of a study, and the array's chunk.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::{Axis as Key, Cell};
use stripewise_study::cell_words::{distinguishing_axes, naming_axes};
use stripewise_units::Bytes;

use crate::names::{common_options, value_without};
use crate::text::strip_control;

/// The key of the chunk, which is part of a stack in a study, but has an axis of its own here.
pub(crate) const CHUNK: &str = "chunk";
/// The text for a missing value.
pub(crate) const NONE: &str = "-";

/// An axis and its values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Axis {
    /// Its key: that of a study, or `chunk`.
    pub key: &'static str,
    /// Its values: numbers ascending, others in the order of the study.
    pub values: Vec<String>,
    /// The number of each value (bytes, jobs, depth); `None` if one of them is not a number.
    pub numbers: Option<Vec<u64>>,
    /// Whether it says how much is asked for at once: its values are points on a curve of load.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub demand: bool,
    /// Whether the name of the load, or the stack, decides its value: then it is no part of a cell's name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub implied: bool,
}

/// An axis and its mapping from cells to values.
#[derive(Debug, Clone)]
pub(crate) struct MappedAxis {
    pub(crate) shown: Axis,
    of: Of,
    /// The options of another program that all cells have, which name none.
    common_options: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy)]
enum Of {
    Study(Key),
    Chunk,
}

/// Returns the axes along which `cells` differ.
pub(crate) fn of<'a>(cells: impl IntoIterator<Item = &'a Cell> + Clone) -> Vec<MappedAxis> {
    let shown: Vec<&Cell> = cells.clone().into_iter().collect();
    let keys = distinguishing_axes(&shown).into_iter();
    let mut all: Vec<Of> = keys.map(Of::Study).collect();
    let mut chunks: Vec<Bytes> = cells.clone().into_iter().filter_map(chunk).collect();
    chunks.sort_unstable();
    chunks.dedup();
    if chunks.len() > 1 {
        all.push(Of::Chunk);
    }
    let named = naming_axes(&shown);
    let is_implied = |of: &Of| match of {
        Of::Study(key) => !named.contains(key),
        Of::Chunk => named.contains(&Key::Stack),
    };
    let common = common_options(&shown);
    let mapped = all.into_iter();
    mapped
        .map(|of| MappedAxis::new(of, is_implied(&of), common.clone(), cells.clone()))
        .collect()
}

/// Returns the chunk of a cell's array.
pub(crate) fn chunk(cell: &Cell) -> Option<Bytes> {
    cell.stack.array.as_ref()?.chunk_bytes
}

impl MappedAxis {
    fn new<'a>(
        of: Of,
        implied: bool,
        common_options: BTreeMap<String, String>,
        cells: impl IntoIterator<Item = &'a Cell>,
    ) -> Self {
        let mut values: Vec<(String, Option<u64>)> = Vec::new();
        for cell in cells {
            let value = of.value(cell, &common_options);
            if !values.iter().any(|(known, _)| *known == value) {
                values.push((value, of.number(cell)));
            }
        }
        if values
            .iter()
            .all(|(value, number)| number.is_some() || value == NONE)
        {
            values.sort_by_key(|value| value.1);
        }
        let numbers: Option<Vec<u64>> = values.iter().map(|value| value.1).collect();
        Self {
            shown: Axis {
                key: of.key(),
                values: values.into_iter().map(|value| value.0).collect(),
                numbers,
                demand: of.is_demand(),
                implied,
            },
            of,
            common_options,
        }
    }

    /// Returns the value of `cell` along the axis; `-` if it has none.
    pub(crate) fn value(&self, cell: &Cell) -> String {
        self.of.value(cell, &self.common_options)
    }

    /// Returns a value along the axis, with the name of the axis where it needs one; `None` for no
    /// value.
    pub(crate) fn named(&self, value: &str) -> Option<Argument> {
        (value != NONE).then(|| named(self.of.key(), value))
    }

    /// Returns whether another axis determines this one: a stack determines its chunk.
    pub(crate) fn is_derived(&self) -> bool {
        matches!(self.of, Of::Chunk)
    }
}

/// Returns the name of the axis with this key.
pub(crate) fn axis_message(key: &str) -> Message {
    Message::new(format!("axis-{key}"))
}

/// Returns a value along the axis with this key: `depth 8`; names and patterns stand alone.
pub(crate) fn named(key: &str, value: &str) -> Argument {
    let known = Key::all().find(|one| one.key() == key);
    let value = Argument::Name(value.to_owned());
    match known.is_some_and(|known| known.is_self_evident()) {
        true => value,
        false => Message::new("named-value")
            .with("axis", axis_message(key))
            .with("value", value)
            .into(),
    }
}

impl Of {
    fn key(self) -> &'static str {
        match self {
            Of::Study(key) => key.key(),
            Of::Chunk => CHUNK,
        }
    }

    fn value(self, cell: &Cell, common_options: &BTreeMap<String, String>) -> String {
        match self {
            Of::Study(key) => strip_control(&value_without(cell, key, common_options)),
            Of::Chunk => chunk(cell).map_or_else(|| NONE.to_owned(), |chunk| chunk.to_string()),
        }
    }

    fn is_demand(self) -> bool {
        matches!(self, Of::Study(key) if key.is_demand())
    }

    fn number(self, cell: &Cell) -> Option<u64> {
        match self {
            Of::Chunk => chunk(cell).map(Bytes::as_u64),
            Of::Study(key) => cell.number(key),
        }
    }
}
