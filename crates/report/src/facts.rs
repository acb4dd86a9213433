//! The facts of a machine for a terminal.

use stripewise_study::facts::{Facts, TargetFacts};

use crate::numbers::size;
use crate::table::{Field, Side, Table};
use crate::text::{BOLD, DIM, harmless, paint};

/// Returns the facts as lines and a table of devices.
pub fn facts(facts: &Facts) -> String {
    let mut lines = vec![
        ("kernel", facts.kernel.clone()),
        ("system", facts.os.clone()),
        ("board", facts.board.clone()),
        (
            "hypervisor",
            Some(
                facts
                    .hypervisor
                    .clone()
                    .unwrap_or_else(|| "none seen".to_owned()),
            ),
        ),
        ("cpu", cpu(facts)),
        ("governor", governor(facts)),
        (
            "memory",
            facts.memory_bytes.map(|bytes| size(bytes.as_u64())),
        ),
    ];
    for (tool, version) in &facts.tools {
        lines.push((tool, Some(version.clone())));
    }
    if let Some(target) = &facts.target {
        lines.extend(target_lines(target));
    }
    let mut text = String::new();
    for (name, value) in lines {
        let value = value.map_or_else(|| paint(DIM, "unknown"), |value| harmless(&value));
        text.push_str(&format!(
            "{}  {value}\n",
            paint(DIM, &format!("{name:<12}"))
        ));
    }
    text.push('\n');
    text.push_str(&devices(facts));
    text
}

fn target_lines(target: &TargetFacts) -> Vec<(&'static str, Option<String>)> {
    let source = target.source.as_deref().unwrap_or("unknown source");
    let compression = match &target.compression {
        Some(how) => format!("compresses: {how}"),
        None => "does not compress, as far as its options tell".to_owned(),
    };
    let disks = match target.disks.as_slice() {
        [] => "unknown".to_owned(),
        disks => disks.join(", "),
    };
    let free = target
        .free_bytes
        .map(|bytes| format!("{} free", size(bytes.as_u64())));
    vec![
        ("target", Some(target.path.clone())),
        (
            "",
            target
                .filesystem
                .as_ref()
                .map(|kind| format!("{kind} on {source}")),
        ),
        ("", Some(target.options.join(","))),
        ("", Some(compression)),
        ("", free),
        ("", Some(format!("disks: {disks}"))),
    ]
}

fn cpu(facts: &Facts) -> Option<String> {
    let model = facts.cpu.model.clone()?;
    Some(match facts.cpu.logical_count {
        Some(count) => format!("{count} x {model}"),
        None => model,
    })
}

fn governor(facts: &Facts) -> Option<String> {
    let cpu = &facts.cpu;
    let mut parts = vec![cpu.governor.clone()?];
    parts.extend(
        cpu.energy_preference
            .as_ref()
            .map(|preference| format!("preference {preference}")),
    );
    parts.extend(
        cpu.frequency_driver
            .as_ref()
            .map(|driver| format!("driver {driver}")),
    );
    parts.extend(
        cpu.frequency_max_khz
            .map(|khz| format!("up to {} MHz", khz / 1000)),
    );
    Some(parts.join(", "))
}

fn devices(facts: &Facts) -> String {
    let mut table = Table::new(&[
        ("device", Side::Left),
        ("size", Side::Right),
        ("kind", Side::Left),
        ("model", Side::Left),
        ("scheduler", Side::Left),
        ("write cache", Side::Left),
        ("depth", Side::Right),
        ("members", Side::Left),
    ]);
    let word = |value: &Option<String>| match value {
        Some(value) => Field::plain(value),
        None => Field::styled(DIM, "-"),
    };
    for device in &facts.devices {
        let array = facts.arrays.iter().find(|array| array.name == device.name);
        let kind = match (
            array.and_then(|array| array.level.clone()),
            device.rotational,
        ) {
            (Some(level), _) => level,
            (None, Some(true)) => "rotating".to_owned(),
            (None, Some(false)) => "solid".to_owned(),
            (None, None) => "-".to_owned(),
        };
        table.row(vec![
            Field::styled(BOLD, &device.name),
            Field::plain(
                device
                    .size_bytes
                    .map_or("-".to_owned(), |bytes| size(bytes.as_u64())),
            ),
            Field::plain(kind),
            word(&device.model),
            word(&device.scheduler),
            word(&device.write_cache),
            Field::plain(
                device
                    .queue_depth
                    .map_or("-".to_owned(), |depth| depth.to_string()),
            ),
            Field::plain(device.members.join(" ")),
        ]);
    }
    table.finish()
}
