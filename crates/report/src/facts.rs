//! The facts of a machine for a terminal.

use stripewise_study::facts::{Facts, TargetFacts};

use crate::numbers::size;
use crate::storage_tree::storage_tree;
use crate::text::named_lines;
use crate::view::View;

/// Returns the facts as lines, and the storage stack as a tree.
pub fn facts(facts: &Facts, view: View) -> String {
    let hypervisor = facts.hypervisor.clone();
    let mut lines = vec![
        ("kernel", kernel(facts)),
        ("system", facts.os.clone()),
        ("board", facts.board.clone()),
        (
            "hypervisor",
            Some(hypervisor.unwrap_or_else(|| "none seen".to_owned())),
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
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let lines = lines.into_iter().map(|(name, value)| (name, known(value)));
    format!(
        "{}\n{}",
        named_lines(lines, view),
        storage_tree(facts, view)
    )
}

fn target_lines(target: &TargetFacts) -> Vec<(&'static str, Option<String>)> {
    let source = target.source.as_deref().unwrap_or("unknown source");
    let compression = match &target.compression {
        Some(how) => how.clone(),
        None => "none in its options".to_owned(),
    };
    let disks = match target.disks.as_slice() {
        [] => "unknown".to_owned(),
        disks => disks.join(", "),
    };
    let free = target.free_bytes.map(|bytes| size(bytes.as_u64()));
    vec![
        ("target", Some(target.path.clone())),
        (
            "filesystem",
            target
                .filesystem
                .as_ref()
                .map(|kind| format!("{kind} on {source}")),
        ),
        ("options", Some(target.options.join(","))),
        ("compression", Some(compression)),
        ("free", free),
        ("disks", Some(disks)),
    ]
}

/// Returns the kernel's release, with the version of its source if that adds information.
pub(crate) fn kernel(facts: &Facts) -> Option<String> {
    let release = facts.kernel.clone()?;
    Some(match &facts.kernel_source {
        Some(source) => format!("{release} ({source})"),
        None => release,
    })
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
