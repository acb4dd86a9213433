//! The differences between two stacks, in the keys of a study file.
//!
//! A verdict shows only that one of two stacks is faster. The keys in which they differ are the
//! first step to the reason.

use std::fmt;

use serde::Serialize;

use crate::stack::{Array, Beside, Stack};
use crate::tunable::{self, Place};

/// The value of a layer or key that is absent.
const NONE: &str = "none";
/// The value of a setting that a study leaves out.
const DEFAULT: &str = "default";

/// One key in which a stack differs from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Difference {
    /// The key of the study file: `chunk`, `metadata`, `volume`, ...
    pub key: &'static str,
    /// Its value.
    pub value: String,
    /// Its value in the stack that this one is compared with.
    pub instead_of: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            key,
            value,
            instead_of,
        } = self;
        write!(f, "{key} ({value} instead of {instead_of})")
    }
}

/// Returns the differences of `stack` from `baseline`, from the devices up.
///
/// Leaves out `assume_clean`: once arrays are in sync, the way they were created is no difference.
pub fn differences(stack: &Stack, baseline: &Stack) -> Vec<Difference> {
    let (values, instead) = (values(stack), values(baseline));
    let pairs = values.into_iter().zip(instead);
    pairs
        .filter(|((_, value), (_, instead_of))| value != instead_of)
        .map(|((key, value), (_, instead_of))| Difference {
            key,
            value,
            instead_of,
        })
        .collect()
}

/// Returns the keys of a stack with their values.
fn values(stack: &Stack) -> Vec<(&'static str, String)> {
    let groups = stack.devices.iter();
    let groups = groups.map(|group| format!("{} x {}", group.count, group.profile));
    let array = stack.array.as_ref();
    let of_array = |value: fn(&Array) -> Option<String>| or_none(array.and_then(value));
    let mut values = vec![
        ("devices", or_none(joined(groups))),
        ("adapter", or_none(stack.adapter.clone())),
        ("level", of_array(|array| Some(array.level.to_string()))),
        ("layout", of_array(|array| array.layout.clone())),
        (
            "chunk",
            of_array(|array| Some(array.chunk_bytes?.to_string())),
        ),
        ("bitmap", of_array(|array| Some(array.bitmap.to_string()))),
        (
            "metadata",
            of_array(|array| Some(array.metadata.to_string())),
        ),
        (
            "size",
            of_array(|array| Some(array.size_bytes?.to_string())),
        ),
        (
            "beside",
            of_array(|array| joined(array.beside.iter().map(volume))),
        ),
        (
            "volume",
            or_none(stack.volume.as_ref().map(ToString::to_string)),
        ),
        ("filesystem", stack.filesystem.to_string()),
    ];
    values.extend(settings(array));
    values
}

/// Returns the settings of a running array with their values: the kernel's default where a stack
/// sets none.
fn settings(array: Option<&Array>) -> impl Iterator<Item = (&'static str, String)> {
    let set = array.map(|array| array.settings.numbers());
    let set = set.unwrap_or_default();
    let write_mostly = array.map(|array| &array.settings.write_mostly[..]);
    let members = write_mostly.into_iter().flatten().map(u32::to_string);
    let flags = ("write_mostly", or_none(joined(members)));
    let policy = array.and_then(|array| array.settings.consistency_policy);
    let policy = policy.map(|policy| policy.to_string());
    let policy = ("consistency_policy", or_none(policy));
    let of_arrays = tunable::ALL
        .into_iter()
        .filter(|tunable| tunable.place == Place::Array);
    let numbers = of_arrays.map(move |tunable| {
        let mut set = set.iter();
        let found = set.find(|setting| setting.tunable == tunable);
        let value = found.map_or_else(|| DEFAULT.to_owned(), ToString::to_string);
        (tunable.key, value)
    });
    numbers.chain([flags, policy])
}

fn or_none(value: Option<String>) -> String {
    value.unwrap_or_else(|| NONE.to_owned())
}

/// Joins words into a list; `None` if there are none.
fn joined(words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(" + "))
}

fn volume(beside: &Beside) -> String {
    let mut words = vec![beside.level.to_string()];
    words.extend(beside.chunk_bytes.map(|chunk| chunk.to_string()));
    words.extend(beside.size_bytes.map(|size| format!("of {size}")));
    words.join(" ")
}
