//! The facts of a machine.

use stripewise_answer::{Block, Pair};
use stripewise_catalogue::{Argument, Message, shipped};
use stripewise_study::facts::{Facts, HYPERVISOR_UNNAMED, TargetFacts};

use crate::numbers::size_argument;
use crate::run::target_path;
use crate::storage_tree::storage_tree;
use crate::text::strip_control;

/// Returns the facts, and the storage stack as a tree.
pub fn facts(facts: &Facts) -> Vec<Block> {
    blocks(facts, || Some(Message::new("machine-unknown").into()))
}

/// Returns the facts that are known, and the storage stack as a tree.
pub(crate) fn known(facts: &Facts) -> Vec<Block> {
    blocks(facts, || None)
}

/// Returns the name of a hypervisor.
pub(crate) fn hypervisor_words(name: &str) -> Argument {
    match name {
        HYPERVISOR_UNNAMED => Message::new("machine-hypervisor-unnamed").into(),
        name => Argument::Name(name.to_owned()),
    }
}

/// Returns the facts; `unknown` stands for one that is not known.
fn blocks(facts: &Facts, unknown: impl Fn() -> Option<Argument>) -> Vec<Block> {
    let hypervisor = facts.hypervisor.as_deref().map(hypervisor_words);
    // What is known of a simulated machine says nothing of one.
    let no_hypervisor = unknown().map(|_| Message::new("machine-hypervisor-none").into());
    let memory = facts.memory_bytes;
    let lines = vec![
        ("machine-kernel", kernel(facts).map(Argument::Name)),
        ("machine-system", facts.os.clone().map(Argument::Name)),
        ("machine-board", facts.board.clone().map(Argument::Name)),
        ("machine-hypervisor", hypervisor.or(no_hypervisor)),
        ("machine-cpu", cpu(facts)),
        ("machine-governor", governor(facts)),
        (
            "machine-memory",
            memory.map(|bytes| size_argument(bytes.as_u64())),
        ),
    ];
    let target = facts.target.as_ref().map(target_lines);
    let shown = |(id, value): (&'static str, Option<Argument>)| {
        let value = value.or_else(&unknown)?;
        Some(Block::pair(Message::new(id), value))
    };
    let tools = facts.tools.iter();
    let named = |text: &String| Argument::Name(strip_control(text));
    let tools = tools.map(|(tool, version)| Block::pair(named(tool), named(version)));
    let target = target.into_iter().flatten().filter_map(shown);
    let unread = facts.mounts_unread.clone().map(Argument::Name);
    let unread = unread.and_then(|why| shown(("machine-mounts-unread", Some(why))));
    let lines = lines
        .into_iter()
        .filter_map(shown)
        .chain(tools)
        .chain(target);
    let lines: Vec<Pair> = lines.chain(unread).collect();
    let mut blocks = match lines.is_empty() {
        true => Vec::new(),
        false => vec![Block::Pairs(lines), Block::Gap],
    };
    blocks.extend(storage_tree(facts));
    blocks
}

fn target_lines(target: &TargetFacts) -> Vec<(&'static str, Option<Argument>)> {
    let filesystem = target.filesystem.as_ref().map(|filesystem| {
        let message = match &target.source {
            Some(source) => Message::new("machine-filesystem-on").name("source", source),
            None => Message::new("machine-filesystem-source-unknown"),
        };
        message.name("filesystem", filesystem).into()
    });
    let compression = match &target.compression {
        Some(how) => Argument::Name(how.clone()),
        None => Message::new("machine-compression-none").into(),
    };
    let disks = match target.disks.as_slice() {
        [] => None,
        disks => Some(Argument::Name(disks.join(", "))),
    };
    let free = target.free_bytes.map(|bytes| size_argument(bytes.as_u64()));
    let mut lines = vec![
        ("machine-target", Some(target_path(target))),
        ("machine-filesystem", filesystem),
        (
            "machine-options",
            Some(Argument::Name(target.options.join(","))),
        ),
        ("machine-compression", Some(compression)),
        ("machine-free", free),
        ("machine-disks", disks),
    ];
    // Only btrfs has one.
    let profile = target.profile.clone().map(Argument::Name);
    lines.extend(profile.map(|profile| ("machine-profile", Some(profile))));
    lines
}

/// Returns the kernel's release, with the version of its source if that adds information.
pub(crate) fn kernel(facts: &Facts) -> Option<String> {
    let release = facts.kernel.clone()?;
    Some(match &facts.kernel_source {
        Some(source) => format!("{release} ({source})"),
        None => release,
    })
}

/// Returns the CPUs in a few words; the model of a simulated host is its description.
pub(crate) fn cpu(facts: &Facts) -> Option<Argument> {
    let model = shipped(facts.cpu.model.as_deref()?.trim_end_matches('.'));
    Some(match facts.cpu.logical_count {
        Some(count) => Argument::spaced([Argument::Name(format!("{count} x")), model]),
        None => model,
    })
}

fn governor(facts: &Facts) -> Option<Argument> {
    let cpu = &facts.cpu;
    let mut parts = vec![Argument::Name(cpu.governor.clone()?)];
    let named = [
        (
            "machine-governor-preference",
            "preference",
            &cpu.energy_preference,
        ),
        ("machine-governor-driver", "driver", &cpu.frequency_driver),
    ];
    for (id, variable, value) in named {
        let value = value.as_ref();
        parts.extend(value.map(|value| Message::new(id).name(variable, value).into()));
    }
    parts.extend(cpu.frequency_max_khz.map(|khz| {
        let frequency = Argument::quantity((khz / 1000).to_string(), "MHz");
        let message = Message::new("machine-governor-up-to");
        message.with("frequency", frequency).into()
    }));
    Some(Argument::list(parts))
}
