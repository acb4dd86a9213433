//! The facts of the machine, as rows of a table.

use serde::Serialize;
use stripewise_catalogue::{Argument, Message};
use stripewise_study::facts::{ArrayFacts, CpuFacts, DeviceFacts, TargetFacts};
use stripewise_units::Bytes;

use crate::document::Document;
use crate::facts::kernel;
use crate::numbers::size_argument;
use crate::text::strip_control;

/// A fact of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Fact {
    /// The key of its name in the messages: `kernel`, `governor`, `device`, ...
    pub key: &'static str,
    /// The subject, if there are several: the name of a device or tool.
    pub of: Option<String>,
    /// The fact.
    pub value: Message,
}

/// Returns the known facts of the machine at the start of a run.
pub(crate) fn of(document: &Document) -> Vec<Fact> {
    let facts = &document.facts;
    let mut rows = Rows(Vec::new());
    rows.put("kernel", name(&kernel(facts)));
    rows.put("os", name(&facts.os));
    rows.put("board", name(&facts.board));
    rows.put("hypervisor", name(&facts.hypervisor));
    put_cpu(&mut rows, &facts.cpu);
    rows.put("memory", size(facts.memory_bytes));
    if let Some(target) = &facts.target {
        rows.put("target", Some(target_words(target)));
        let options = (!target.options.is_empty()).then(|| target.options.join(","));
        rows.put("mount-options", name(&options));
        rows.put("compression", name(&target.compression));
        rows.put("free", size(target.free_bytes));
    }
    rows.put("mounts-unread", name(&facts.mounts_unread));
    for array in &facts.arrays {
        rows.put_of("array", &array.name, array_words(array));
    }
    for device in &facts.devices {
        rows.put_of("device", &device.name, device_words(device));
    }
    for (tool, version) in &facts.tools {
        rows.put_of("tool", tool, Argument::Name(version.clone()));
    }
    rows.0
}

fn put_cpu(rows: &mut Rows, cpu: &CpuFacts) {
    rows.put("cpu", name(&cpu.model));
    let count = cpu.logical_count.map(|count| count.to_string());
    rows.put("cpu-count", count.map(Argument::Digits));
    rows.put("frequency-driver", name(&cpu.frequency_driver));
    rows.put("governor", name(&cpu.governor));
    rows.put("energy-preference", name(&cpu.energy_preference));
    let clock = cpu.frequency_max_khz.map(|khz| (khz / 1000).to_string());
    let clock = clock.map(|clock| Argument::quantity(clock, "MHz"));
    rows.put("frequency-max", clock);
}

struct Rows(Vec<Fact>);

impl Rows {
    fn put(&mut self, key: &'static str, value: Option<Argument>) {
        self.0.extend(value.map(|value| Fact {
            key,
            of: None,
            value: message(value),
        }));
    }

    fn put_of(&mut self, key: &'static str, of: &str, value: Argument) {
        self.0.push(Fact {
            key,
            of: Some(strip_control(of)),
            value: message(value),
        });
    }
}

fn message(value: Argument) -> Message {
    let message = Message::new("value-of-fact").with("value", value);
    message.with_names(&strip_control)
}

fn name(name: &Option<String>) -> Option<Argument> {
    name.clone().map(Argument::Name)
}

fn size(bytes: Option<Bytes>) -> Option<Argument> {
    bytes.map(|bytes| size_argument(bytes.as_u64()))
}

fn target_words(target: &TargetFacts) -> Argument {
    let mut words = vec![Argument::Name(target.path.clone())];
    words.extend(name(&target.filesystem));
    words.extend(name(&target.source));
    words.extend(size(target.size_bytes));
    Argument::list(words)
}

fn array_words(array: &ArrayFacts) -> Argument {
    let mut words: Vec<Argument> = name(&array.level).into_iter().collect();
    let chunk = array.chunk_bytes;
    words.extend(chunk.map(|chunk| Message::new("change-chunk").name("size", chunk).into()));
    let members = array.member_count;
    words.extend(members.map(|count| counted("array-members", count)));
    let missing = array.degraded_count.filter(|count| *count > 0);
    words.extend(missing.map(|count| counted("array-missing", count)));
    words.extend(name(&array.sync_action));
    Argument::list(words)
}

fn counted(id: &'static str, count: impl TryInto<u64>) -> Argument {
    Message::new(id).count("count", count).into()
}

fn device_words(device: &DeviceFacts) -> Argument {
    let mut words: Vec<Argument> = name(&device.model).into_iter().collect();
    words.extend(size(device.size_bytes));
    words.extend(device.rotational.map(|rotational| match rotational {
        true => Message::new("device-rotating").into(),
        false => Message::new("device-not-rotating").into(),
    }));
    let scheduler = device.scheduler.as_ref();
    words.extend(scheduler.map(|scheduler| {
        let message = Message::new("device-scheduler");
        message.name("scheduler", scheduler).into()
    }));
    let cache = device.write_cache.as_ref();
    words.extend(cache.map(|mode| Message::new("device-write-cache").name("mode", mode).into()));
    let depth = device.queue_depth;
    words.extend(depth.map(|depth| Message::new("device-depth").digits("depth", depth).into()));
    if !device.members.is_empty() {
        let members = device.members.iter().cloned().map(Argument::Name);
        let over = Message::new("device-over").with("devices", Argument::list(members));
        words.push(over.into());
    }
    Argument::list(words)
}

#[cfg(test)]
mod tests {
    use stripewise_catalogue::Language;

    use stripewise_catalogue::Words;

    use super::*;

    #[test]
    fn a_fact_is_in_the_language_of_the_reader() {
        let array = ArrayFacts {
            level: Some("raid10".into()),
            chunk_bytes: Some(Bytes::new(64 << 10)),
            member_count: Some(4),
            degraded_count: Some(1),
            ..ArrayFacts::default()
        };
        let device = DeviceFacts {
            model: Some("HGST\u{1b}[2J".into()),
            size_bytes: Some(Bytes::new(4_000_787_030_016)),
            rotational: Some(true),
            queue_depth: Some(32),
            members: vec!["sda".into(), "sdb".into()],
            ..DeviceFacts::default()
        };
        let both = |value: Argument| {
            let message = message(value);
            Language::ALL.map(|language| message.in_language(language))
        };
        assert_eq!(
            both(array_words(&array)),
            [
                "raid10, chunk 64K, 4 members, 1 member missing",
                "raid10, Chunk 64K, 4 Mitglieder, 1 Mitglied fehlt"
            ]
        );
        assert_eq!(
            both(device_words(&device)),
            [
                "HGST␛[2J, 3.63 TiB, rotating, queue depth 32, over sda, sdb",
                "HGST␛[2J, 3,63 TiB, rotierend, Warteschlangentiefe 32, über sda, sdb"
            ]
        );
    }
}
