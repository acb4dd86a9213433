//! Reports all unknown keys, each with the key that was probably meant.
//!
//! The document is walked beside the JSON Schema of the format, so the known keys are exactly those
//! of the types.

use serde_json::{Map, Value as Json};
use toml_edit::{Item, TableLike, Value};

use crate::foreign::meant;
use crate::locate::Path;
use crate::reference::SCHEMA;
use crate::source::{ProblemText, Source};
use stripewise_units::suggest::nearest;

/// Reports every key that the format does not define.
pub(crate) fn check(source: &mut Source) {
    let mut unknown = Vec::new();
    let walk = Walk { schema: &SCHEMA };
    walk.item(source.root(), &SCHEMA, &Path::default(), &mut unknown);
    for (path, key, value, known) in unknown {
        let report =
            ProblemText::new(format!("unknown key `{key}`"), "not a key of this table").at_key();
        let homes = walk.homes(&key);
        source.problem(&path, report.hint(suggestion(&key, &value, &known, &homes)));
    }
}

/// The place of a key, the key, its value as text, and the keys that the table has.
type Unknown = (Path, String, String, Vec<String>);

struct Walk<'a> {
    schema: &'a Json,
}

impl<'a> Walk<'a> {
    fn item(&self, item: &Item, node: &'a Json, path: &Path, unknown: &mut Vec<Unknown>) {
        let Some(table) = item.as_table_like() else {
            return;
        };
        let Some(node) = self.object(node) else {
            return;
        };
        self.table(table, node, path, unknown);
    }

    fn table(
        &self,
        table: &dyn TableLike,
        node: &'a Map<String, Json>,
        path: &Path,
        unknown: &mut Vec<Unknown>,
    ) {
        let properties = properties_of(node);
        let others = node.get("additionalProperties");
        for (key, item) in table.iter() {
            let known = properties.and_then(|properties| properties.get(key));
            match (known, others) {
                // Beside properties, a table with a header of its own is a named one.
                (Some(_), Some(named)) if named.is_object() && item.is_table() => {
                    self.item(item, named, &path.key(key), unknown);
                }
                (Some(schema), _) => self.item(item, schema, &path.key(key), unknown),
                (None, Some(schema)) if schema.is_object() && is_open(properties, item) => {
                    self.item(item, schema, &path.key(key), unknown);
                }
                (None, None) => {}
                (None, Some(_)) => {
                    let known = properties
                        .into_iter()
                        .flat_map(Map::keys)
                        .cloned()
                        .collect();
                    unknown.push((path.key(key), key.to_owned(), text(item), known));
                }
            }
        }
    }

    /// Returns the tables of the study that have `key`, as they are written: `[repeat]`, `[stack.NAME]`.
    fn homes(&self, key: &str) -> Vec<String> {
        let tables = self.object(self.schema).and_then(properties_of);
        let tables = tables.into_iter().flatten();
        let homes = tables.filter_map(|(table, node)| {
            let node = self.object(node)?;
            let has = |node: &Map<String, Json>| {
                properties_of(node).is_some_and(|known| known.contains_key(key))
            };
            if has(node) {
                return Some(format!("`[{table}]`"));
            }
            let named = self.object(node.get("additionalProperties")?)?;
            has(named).then(|| format!("`[{table}.NAME]`"))
        });
        homes.collect()
    }

    /// Returns the object that `node` describes, through references and choices.
    fn object(&self, node: &'a Json) -> Option<&'a Map<String, Json>> {
        let node = node.as_object()?;
        if let Some(reference) = node.get("$ref").and_then(Json::as_str) {
            let target = self.schema.pointer(reference.strip_prefix('#')?)?;
            return self.object(target);
        }
        if node.contains_key("properties") || node.contains_key("additionalProperties") {
            return Some(node);
        }
        let choices = node.get("anyOf").or_else(|| node.get("oneOf"))?;
        choices
            .as_array()?
            .iter()
            .find_map(|choice| self.object(choice))
    }
}

fn properties_of(node: &Map<String, Json>) -> Option<&Map<String, Json>> {
    node.get("properties")?.as_object()
}

/// Returns whether a key that is no property may be a name: beside properties, only tables may.
fn is_open(properties: Option<&Map<String, Json>>, item: &Item) -> bool {
    properties.is_none() || item.is_table_like()
}

/// Returns a value as text, without the quotes of a string; empty for a list or a table.
fn text(item: &Item) -> String {
    let value = item.as_value();
    let text = value.and_then(|value| match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Boolean(flag) => Some(flag.value().to_string()),
        _ => None,
    });
    text.unwrap_or_default()
}

fn suggestion(key: &str, value: &str, known: &[String], homes: &[String]) -> String {
    if let Some(meant) = meant(key, value, known) {
        return meant;
    }
    if !homes.is_empty() {
        return format!("it is a key of {}", homes.join(" and "));
    }
    match nearest(key, known.iter().map(String::as_str)) {
        Some(closest) => format!("did you mean `{closest}`?"),
        None => format!("known keys: {}", known.join(", ")),
    }
}
