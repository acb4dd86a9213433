//! The facts of a run on a page, as blocks: the simulated model, what changed meanwhile, the machine.

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::facts::FactChange;

use super::cells::visible;
use crate::document::{Document, ModelPart};
use crate::facts;
use crate::text::strip_control;

/// Returns the facts of a run, and what changed within it or since the `first` run of the page.
pub(crate) fn of(document: &Document, first: &Document) -> Vec<Block> {
    let model = document.run.model.as_ref().map(simulated);
    let model = model.map(|model| model.with_names(&strip_control));
    let mut changes: Vec<FactChange> = Vec::new();
    for later in &document.facts_later {
        changes.extend(document.facts.changes(later));
    }
    let is_simulated = |document: &Document| document.run.model.is_some();
    if first.run.id != document.run.id && !is_simulated(document) && !is_simulated(first) {
        changes.extend(first.facts.changes(&document.facts));
    }
    let mut blocks: Vec<Block> = model.map(Block::say).into_iter().collect();
    if !changes.is_empty() {
        blocks.push(Block::toned(Tone::Warn, Message::new("facts-changed")));
        blocks.push(Block::toned(Tone::Dim, Message::new("facts-changed-note")));
        blocks.push(changed(&visible(&changes).unwrap_or_default()).into());
    }
    let facts = visible(&document.facts).unwrap_or_default();
    blocks.extend(facts::known(&facts));
    blocks
}

/// Names what was simulated; a kernel that is not known has the rules of the nearest known one.
fn simulated(model: &ModelPart) -> Message {
    let kernel = Argument::Name(model.kernel.clone());
    let rules = match model.kernel_rules == model.kernel {
        true => kernel,
        false => {
            let rules = Message::new("facts-nearest-rules").with("kernel", kernel);
            rules.name("rules", &model.kernel_rules).into()
        }
    };
    let devices = model.devices.iter().cloned().map(Argument::Name);
    Message::new("facts-model")
        .with("kernel", rules)
        .name("host", &model.host)
        .with("devices", Argument::list(devices))
}

fn changed(changes: &[FactChange]) -> Table {
    let words = |key: &'static str, head: &'static str| Column::words(key, Message::new(head));
    let columns = [
        words("fact", "column-fact"),
        words("before", "column-before"),
        words("now", "column-now"),
    ];
    let mut table = Table::new("changed_facts", columns);
    for change in changes {
        table.row([
            Cell::of(change.name()),
            Cell::name(&change.before),
            Cell::name(&change.now),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use stripewise_catalogue::{Language, Words as _, page_files};

    use super::*;

    #[test]
    fn a_changed_fact_is_named_in_the_language_of_the_reader() {
        let change = FactChange {
            fact: "CPU governor".to_owned(),
            before: "performance".to_owned(),
            now: "powersave".to_owned(),
        };
        let table = changed(&[change]);
        let shown = table.rows[0].cells[0].shown.as_ref().unwrap();
        assert_ne!(
            shown.in_language(Language::German),
            shown.in_language(Language::English)
        );
    }

    /// Returns the ids of all messages in a JSON value.
    fn ids(value: &serde_json::Value, found: &mut BTreeSet<String>) {
        match value {
            serde_json::Value::Object(object) => {
                let id = object.get("id").and_then(serde_json::Value::as_str);
                found.extend(id.map(str::to_owned));
                object.values().for_each(|value| ids(value, found));
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| ids(value, found)),
            _ => {}
        }
    }

    /// The page would show the id of a message that does not come with it.
    #[test]
    fn every_message_of_the_facts_comes_with_the_page() {
        let facts = serde_json::json!({
            "kernel": "6.12", "os": "Debian", "board": "b", "memory_bytes": 1 << 30,
            "cpu": {
                "model": "m", "logical_count": 8, "governor": "performance",
                "frequency_driver": "d", "energy_preference": "p", "frequency_max_khz": 4_000_000,
            },
            "target": {
                "path": "/srv", "filesystem": "ext4", "source": "/dev/md0", "options": ["rw"],
                "devices": ["md0"], "disks": ["sda", "sdb"],
            },
            "arrays": [{
                "name": "md0", "level": "raid10", "chunk_bytes": 65536, "member_count": 4,
                "degraded_count": 1,
            }],
            "devices": [
                { "name": "md0", "members": ["sda", "sdb"] },
                { "name": "sda", "rotational": true, "scheduler": "none", "write_cache": "write back", "queue_depth": 32 },
                { "name": "sdb", "rotational": false, "size_bytes": 1_u64 << 40 },
            ],
            "tools": { "fio": "3.33" },
        });
        let facts = serde_json::from_value(facts).unwrap();
        let mut found = BTreeSet::new();
        let blocks = serde_json::to_value(facts::known(&facts)).unwrap();
        ids(&blocks, &mut found);
        assert!(found.len() > 15, "{found:?}");
        for language in Language::ALL {
            let files = page_files(language);
            let has = |id: &&String| files.iter().any(|file| file.contains(&format!("\n{id} =")));
            let missing: Vec<&String> = found.iter().filter(|id| !has(id)).collect();
            assert!(missing.is_empty(), "{language}: {missing:?}");
        }
    }

    #[test]
    fn an_unknown_kernel_has_the_nearest_rules() {
        let model = |kernel: &str| ModelPart {
            kernel: kernel.to_owned(),
            kernel_rules: "6.12".to_owned(),
            host: "default".to_owned(),
            devices: vec!["hdd-7200".to_owned()],
        };
        let words = |kernel: &str| simulated(&model(kernel)).in_language(Language::English);
        assert_eq!(
            words("6.12"),
            "Simulated: kernel 6.12, host default, devices hdd-7200."
        );
        assert!(words("9.9").contains("nearest known rules, for 9.9"));
    }
}
