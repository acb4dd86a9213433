//! The facts of the machine, as rows of a table.

use serde::Serialize;
use stripewise_study::facts::{ArrayFacts, DeviceFacts, TargetFacts};

use crate::document::Document;
use crate::facts::kernel;
use crate::numbers::size;
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
    pub value: String,
}

/// Returns the known facts of the machine at the start of a run.
pub(crate) fn of(document: &Document) -> Vec<Fact> {
    let facts = &document.facts;
    let mut rows = Rows(Vec::new());
    rows.put("kernel", kernel(facts));
    rows.put("os", facts.os.clone());
    rows.put("board", facts.board.clone());
    rows.put("hypervisor", facts.hypervisor.clone());
    let cpu = &facts.cpu;
    rows.put("cpu", cpu.model.clone());
    rows.put(
        "cpu-count",
        cpu.logical_count.map(|count| count.to_string()),
    );
    rows.put("frequency-driver", cpu.frequency_driver.clone());
    rows.put("governor", cpu.governor.clone());
    rows.put("energy-preference", cpu.energy_preference.clone());
    let clock = cpu
        .frequency_max_khz
        .map(|khz| format!("{} MHz", khz / 1000));
    rows.put("frequency-max", clock);
    rows.put(
        "memory",
        facts.memory_bytes.map(|bytes| size(bytes.as_u64())),
    );
    if let Some(target) = &facts.target {
        rows.put("target", Some(target_words(target)));
        let options = (!target.options.is_empty()).then(|| target.options.join(","));
        rows.put("mount-options", options);
        rows.put("compression", target.compression.clone());
        rows.put("free", target.free_bytes.map(|bytes| size(bytes.as_u64())));
    }
    for array in &facts.arrays {
        rows.put_of("array", &array.name, array_words(array));
    }
    for device in &facts.devices {
        rows.put_of("device", &device.name, device_words(device));
    }
    for (tool, version) in &facts.tools {
        rows.put_of("tool", tool, version.clone());
    }
    rows.0
}

struct Rows(Vec<Fact>);

impl Rows {
    fn put(&mut self, key: &'static str, value: Option<String>) {
        let value = value.map(|value| strip_control(&value));
        self.0.extend(value.map(|value| Fact {
            key,
            of: None,
            value,
        }));
    }

    fn put_of(&mut self, key: &'static str, of: &str, value: String) {
        self.0.push(Fact {
            key,
            of: Some(strip_control(of)),
            value: strip_control(&value),
        });
    }
}

fn target_words(target: &TargetFacts) -> String {
    let mut words = vec![target.path.clone()];
    words.extend(target.filesystem.clone());
    words.extend(target.source.clone());
    words.extend(target.size_bytes.map(|bytes| size(bytes.as_u64())));
    words.join(", ")
}

fn array_words(array: &ArrayFacts) -> String {
    let mut words: Vec<String> = array.level.iter().cloned().collect();
    words.extend(array.chunk_bytes.map(|chunk| format!("chunk {chunk}")));
    words.extend(array.member_count.map(|count| format!("{count} members")));
    let degraded = array.degraded_count.filter(|count| *count > 0);
    words.extend(degraded.map(|count| format!("{count} missing")));
    words.extend(array.sync_action.clone());
    words.join(", ")
}

fn device_words(device: &DeviceFacts) -> String {
    let mut words: Vec<String> = device.model.iter().cloned().collect();
    words.extend(device.size_bytes.map(|bytes| size(bytes.as_u64())));
    words.extend(device.rotational.map(|rotational| {
        match rotational {
            true => "rotating",
            false => "not rotating",
        }
        .to_owned()
    }));
    let named = [
        ("scheduler", &device.scheduler),
        ("write cache", &device.write_cache),
    ];
    for (name, value) in named {
        words.extend(value.as_ref().map(|value| format!("{name} {value}")));
    }
    words.extend(
        device
            .queue_depth
            .map(|depth| format!("queue depth {depth}")),
    );
    if !device.members.is_empty() {
        words.push(format!("over {}", device.members.join(", ")));
    }
    words.join(", ")
}
