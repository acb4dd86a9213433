//! Explains a value that does not fit its key: the key, the value, the expected kind, and an
//! example.
//!
//! serde knows the expected kind, but neither the key nor an example: they come from the file and
//! from the JSON Schema of the format.

use std::ops::Range;

use serde_json::{Map, Value as Json};
use toml_edit::Item;

use crate::foreign::meant_value;
use crate::locate::{Path, path_at};
use crate::problem::Problem;
use crate::reference::SCHEMA;
use stripewise_units::suggest::nearest;

/// The most characters of a value that a message repeats.
const GIVEN_CHARS_MAX: usize = 40;

/// Returns the problem that serde states in `message`, at `span` of the file `text`.
pub(crate) fn problem(root: &Item, text: &str, span: Range<usize>, message: &str) -> Problem {
    let path = path_at(root, &span);
    let walk = Walk { schema: &SCHEMA };
    let missing = message
        .strip_prefix("missing field `")
        .and_then(|rest| rest.strip_suffix('`'));
    let path = missing.map_or(path.clone(), |key| path.key(key));
    let example = walk.example_at(&path);
    let example = example.map(|example| match is_no(text.get(span.clone())) {
        true => example.replace(" = true", " = false"),
        false => match nearest_choice(text.get(span.clone()), message) {
            Some(choice) => format!(
                "{} = \"{choice}\"",
                key_word(path.last_key().unwrap_or_default())
            ),
            None => example,
        },
    });
    let given = text.get(span.clone()).unwrap_or_default();
    let meant = path.last_key().filter(|_| missing.is_none());
    let meant = meant.and_then(|key| meant_value(key, given.trim_matches('"')));
    let hint = meant.or_else(|| example.map(|example| format!("for instance `{example}`")));
    let place = path.last_key().unwrap_or("this value");
    let (message, label) = match missing {
        Some(key) => (format!("`{key}` is missing"), "required here".to_owned()),
        None => match expected(message) {
            Some(expected) => {
                let given = shortened(text.get(span.clone()).unwrap_or_default());
                (
                    format!("`{place}` cannot be `{given}`"),
                    format!("expected {expected}"),
                )
            }
            None => (message.to_owned(), "here".to_owned()),
        },
    };
    Problem {
        message,
        span,
        label,
        hint,
    }
}

/// Returns the kind that serde expected, in words of a study file.
fn expected(message: &str) -> Option<String> {
    if message.contains("untagged enum AxisValue") {
        return Some("a string in quotes, a number, `true` or `false`".to_owned());
    }
    let expected = message.split_once("expected ");
    let (_, expected) = expected.or_else(|| message.split_once("wanted "))?;
    // serde calls a table and a choice by the names of our types.
    let words = match expected {
        "a boolean" => "`true` or `false`",
        "a nonzero u32" => "a whole number from 1 to 4294967295, without quotes",
        "u32" => "a whole number from 0 to 4294967295, without quotes",
        "a string" | "path string" => "a string in quotes",
        "string or table" => "a word in quotes",
        "a sequence" => "a list in brackets",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        _ if expected.starts_with("enum ") => "a word in quotes",
        other => return Some(other.to_owned()),
    };
    Some(words.to_owned())
}

/// Returns whether other programs read a value as `false`.
fn is_no(given: Option<&str>) -> bool {
    let given = given.unwrap_or_default().trim_matches('"');
    ["0", "no", "off", "false", "n"].contains(&given)
}

/// Returns the word nearest to the given one, among those that serde expected.
fn nearest_choice<'a>(given: Option<&str>, message: &'a str) -> Option<&'a str> {
    let (_, choices) = message.split_once("expected one of ")?;
    // The odd parts stand between back quotes.
    let choices = choices.split('`').skip(1).step_by(2);
    nearest(given?.trim_matches('"'), choices)
}

/// Returns the beginning of a value on one line.
fn shortened(value: &str) -> String {
    let line: Vec<&str> = value.split_whitespace().collect();
    let line = line.join(" ");
    if line.chars().count() <= GIVEN_CHARS_MAX {
        return line;
    }
    let begin: String = line.chars().take(GIVEN_CHARS_MAX).collect();
    format!("{begin}...")
}

/// Walks the schema of the format.
struct Walk<'a> {
    schema: &'a Json,
}

impl<'a> Walk<'a> {
    /// Returns `key = value` with a value that the key at the end of `path` takes.
    fn example_at(&self, path: &Path) -> Option<String> {
        let keys = path.keys();
        let (last, above) = keys.split_last()?;
        let mut node = self.schema;
        for key in above {
            node = self.below(node, key)?;
        }
        let value = self.value(self.below(node, last)?)?;
        Some(format!("{} = {value}", key_word(last)))
    }

    fn resolved(&self, node: &'a Json) -> Option<&'a Map<String, Json>> {
        let object = node.as_object()?;
        match object.get("$ref").and_then(Json::as_str) {
            Some(reference) => {
                let target = self.schema.pointer(reference.strip_prefix('#')?)?;
                self.resolved(target)
            }
            None => Some(object),
        }
    }

    fn choices(object: &'a Map<String, Json>) -> impl Iterator<Item = &'a Json> {
        let choices = ["anyOf", "oneOf", "allOf"].into_iter();
        choices
            .filter_map(|key| object.get(key)?.as_array())
            .flatten()
    }

    /// Returns the schema of the value of `key`.
    fn below(&self, node: &'a Json, key: &str) -> Option<&'a Json> {
        let object = self.resolved(node)?;
        let property = object.get("properties").and_then(|all| all.get(key));
        let named = || {
            object
                .get("additionalProperties")
                .filter(|open| open.is_object())
        };
        property
            .or_else(named)
            .or_else(|| self.below(object.get("items")?, key))
            .or_else(|| Self::choices(object).find_map(|choice| self.below(choice, key)))
    }

    /// Returns a value that fits, as TOML.
    fn value(&self, node: &'a Json) -> Option<String> {
        let own = |object: &'a Map<String, Json>| object.get("examples")?.as_array()?.first();
        // An example of the key itself is more useful than one of its type.
        if let Some(example) = node.as_object().and_then(own) {
            return Some(toml(example));
        }
        let object = self.resolved(node)?;
        let first = |key: &str| object.get(key)?.as_array()?.first();
        if let Some(value) = own(object).or_else(|| first("enum")) {
            return Some(toml(value));
        }
        if let Some(value) = object.get("const") {
            return Some(toml(value));
        }
        let of_choice = Self::choices(object).find_map(|choice| self.value(choice));
        of_choice.or_else(|| self.of_type(object))
    }

    fn of_type(&self, object: &'a Map<String, Json>) -> Option<String> {
        let kinds = match object.get("type")? {
            Json::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        };
        match kinds.first()?.as_str()? {
            "boolean" => Some("true".to_owned()),
            "integer" => Some("4".to_owned()),
            "number" => Some("2.0".to_owned()),
            "array" => Some(format!("[{}]", self.value(object.get("items")?)?)),
            "object" => Some(self.table(object)),
            _ => None,
        }
    }

    /// Returns a table with the required keys.
    fn table(&self, object: &'a Map<String, Json>) -> String {
        let needed = object.get("required").and_then(Json::as_array);
        let needed = needed.into_iter().flatten().filter_map(Json::as_str);
        let keys = needed.filter_map(|key| {
            let value = self.value(object.get("properties")?.get(key)?)?;
            Some(format!("{key} = {value}"))
        });
        let keys: Vec<String> = keys.collect();
        match keys.as_slice() {
            [] => "{}".to_owned(),
            keys => format!("{{ {} }}", keys.join(", ")),
        }
    }
}

/// Returns a JSON value as TOML writes it in one line.
fn toml(value: &Json) -> String {
    match value {
        Json::Array(values) => {
            let values: Vec<String> = values.iter().map(toml).collect();
            format!("[{}]", values.join(", "))
        }
        Json::Object(keys) => {
            let keys = keys.iter();
            let keys = keys.map(|(key, value)| format!("{} = {}", key_word(key), toml(value)));
            format!("{{ {} }}", keys.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

/// Returns a key as TOML writes it.
fn key_word(key: &str) -> String {
    toml_edit::Key::new(key).to_string()
}
