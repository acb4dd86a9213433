//! The storage stack of a machine as a tree: each filesystem, the layers below it, down to the
//! disks.
//!
//! A device below several others is described once and later only named. Facts may come from a
//! file, so the walk has a depth limit and a line limit, and visits devices in a cycle once.

use std::collections::BTreeSet;

use stripewise_answer::{Block, Cell, Column, Table, Tone};
use stripewise_catalogue::{Argument, Message};
use stripewise_study::cell::Axis;
use stripewise_study::facts::{ArrayFacts, DeviceFacts, Facts, MountFacts, TargetFacts};
use stripewise_study::sample::as_f64;
use stripewise_units::Bytes;

use crate::numbers::size;

/// The most layers followed; real stacks have fewer than ten.
const DEPTH_MAX: usize = 32;
/// The most lines shown.
const LINES_MAX: usize = 1000;

/// Returns the tree; the layers that hold the target are marked.
pub(crate) fn storage_tree(facts: &Facts) -> Vec<Block> {
    let mut walk = Walk {
        facts,
        seen: BTreeSet::new(),
        lines: Vec::new(),
    };
    walk.filesystems();
    walk.rest();
    if walk.lines.is_empty() {
        return Vec::new();
    }
    let is_marked = walk.lines.iter().any(|line| line.is_on_path);
    let table = |is_drawn: bool| {
        let name = |text: &str| Argument::Name(text.to_owned());
        let mut columns = vec![Column::words("device", Message::new("tree-storage"))];
        columns[0].name = Some(name(""));
        columns.extend((!is_drawn).then(|| Column::words("above", Message::new("tree-below"))));
        let holds_target = Column::words("holds_target", name(""));
        columns.extend(is_marked.then(|| holds_target.named(Message::new("tree-holds-target"))));
        columns.push(Column::number("size_bytes", Message::new("label-size")));
        columns.push(Column::words(
            "description",
            Message::new("label-description"),
        ));
        let mut table = Table::new("storage", columns);
        for line in &walk.lines {
            table.row(line.cells(is_marked, is_drawn));
        }
        Block::from(table)
    };
    let mut drawn = vec![table(true)];
    drawn.extend(is_marked.then(|| Block::toned(Tone::Dim, Message::new("tree-mark"))));
    let told = vec![table(false)];
    vec![Block::Forms { drawn, told }]
}

/// A line of the tree.
struct Line {
    name: String,
    /// The name of the line above it; `None` at the top.
    above: Option<String>,
    /// The lines of the tree before the name, and before continuation lines.
    branch: String,
    stem: String,
    size: Option<Bytes>,
    what: Argument,
    is_on_path: bool,
}

impl Line {
    fn cells(&self, is_marked: bool, is_drawn: bool) -> Vec<Cell> {
        let tone = match (self.is_on_path, self.above.is_none()) {
            _ if !is_marked => Tone::Plain,
            (true, _) => Tone::Strong,
            (false, true) => Tone::Plain,
            (false, false) => Tone::Dim,
        };
        let name = Cell::name(&self.name);
        let mut cells = match is_drawn {
            true => vec![
                name.tone(tone)
                    .branch(self.branch.clone(), self.stem.clone()),
            ],
            false => vec![name, Cell::name(self.above.as_deref().unwrap_or_default())],
        };
        cells.extend(is_marked.then(|| match (self.is_on_path, is_drawn) {
            (false, _) => Cell::empty(),
            (true, false) => Cell::of(Message::new("yes")),
            (true, true) => Cell::name("*"),
        }));
        let size = self.size.map(|bytes| {
            let bytes = bytes.as_u64();
            Cell::digits(size(bytes)).exact(as_f64(bytes))
        });
        cells.extend([size.unwrap_or_default(), Cell::of(self.what.clone())]);
        cells
    }
}

/// The position of a line in the tree.
#[derive(Clone)]
struct Branch {
    above: String,
    /// The lines of the tree that continue past this line.
    stem: String,
    is_last: bool,
    depth: usize,
    is_on_path: bool,
}

/// A walk from filesystems down to disks.
struct Walk<'a> {
    facts: &'a Facts,
    seen: BTreeSet<String>,
    lines: Vec<Line>,
}

impl Walk<'_> {
    /// Adds the filesystems with all layers below them, the target's first.
    fn filesystems(&mut self) {
        let target = self.facts.target.as_ref();
        let is_target = |mount: &&MountFacts| target.is_some_and(|target| holds(target, mount));
        let mounts = &self.facts.mounts;
        let known = mounts.iter().find(is_target);
        if let Some(target) = target {
            let below = match known {
                Some(mount) => &mount.devices,
                // Before a stack is built, only its disks exist.
                None if target.devices.is_empty() => &target.disks,
                None => &target.devices,
            };
            self.filesystem(
                target.mount_point.as_ref().unwrap_or(&target.path),
                target.filesystem.as_deref(),
                target.size_bytes,
                below,
                true,
            );
        }
        for mount in mounts.iter().filter(|mount| !is_target(mount)) {
            let place = &mount.mount_point;
            self.filesystem(place, Some(&mount.filesystem), None, &mount.devices, false);
        }
    }

    fn filesystem(
        &mut self,
        mount_point: &str,
        filesystem: Option<&str>,
        size: Option<Bytes>,
        devices: &[String],
        is_on_path: bool,
    ) {
        self.lines.push(Line {
            name: mount_point.to_owned(),
            above: None,
            branch: String::new(),
            stem: if devices.is_empty() { "" } else { "│" }.to_owned(),
            size,
            what: filesystem.map_or_else(
                || Message::new("tree-unknown-filesystem").into(),
                |name| Argument::Name(name.to_owned()),
            ),
            is_on_path,
        });
        let place = Branch {
            above: mount_point.to_owned(),
            stem: String::new(),
            is_last: false,
            depth: 0,
            is_on_path,
        };
        self.below(devices, &place);
    }

    /// Adds devices without a known filesystem.
    fn rest(&mut self) {
        let devices = &self.facts.devices;
        let is_member = |name: &String| devices.iter().any(|other| other.members.contains(name));
        let top = devices.iter().filter(|device| {
            let own = device.partitions.iter().map(|partition| &partition.name);
            let own: Vec<&String> = own.chain([&device.name]).collect();
            own.iter()
                .all(|name| !self.seen.contains(*name) && !is_member(name))
        });
        for device in top.collect::<Vec<_>>() {
            let line = self.line(&device.name, None, String::new());
            self.lines.push(line);
            self.seen.insert(device.name.clone());
            let place = Branch {
                above: device.name.clone(),
                stem: String::new(),
                is_last: false,
                depth: 0,
                is_on_path: false,
            };
            self.below(&device.members, &place);
        }
    }

    /// Adds devices below a line, and the layers below them.
    fn below(&mut self, names: &[String], place: &Branch) {
        if place.depth >= DEPTH_MAX {
            return;
        }
        for (index, name) in names.iter().enumerate() {
            if self.lines.len() >= LINES_MAX {
                return;
            }
            let is_last = index + 1 == names.len();
            self.device(
                name,
                &Branch {
                    is_last,
                    ..place.clone()
                },
            );
        }
    }

    fn device(&mut self, name: &str, place: &Branch) {
        let (turn, go_on) = if place.is_last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let mut line = self.line(name, Some(&place.above), format!("{}{turn}", place.stem));
        let stem = format!("{}{go_on}", place.stem);
        line.is_on_path = place.is_on_path;
        let is_again = !self.seen.insert(name.to_owned());
        if is_again {
            line.what = Message::new("tree-as-above").into();
            line.size = None;
        }
        let below = if is_again {
            Vec::new()
        } else {
            self.members(name)
        };
        line.stem = match below.is_empty() {
            true => stem.clone(),
            false => format!("{stem}│"),
        };
        self.lines.push(line);
        let place = Branch {
            above: name.to_owned(),
            stem,
            depth: place.depth + 1,
            ..place.clone()
        };
        self.below(&below, &place);
    }

    /// Returns the devices directly below a device or partition.
    fn members(&self, name: &str) -> Vec<String> {
        match (self.facts.device(name), self.disk_of(name)) {
            (Some(device), _) => device.members.clone(),
            (None, Some((disk, _))) => vec![disk.name.clone()],
            (None, None) => Vec::new(),
        }
    }

    /// Returns the disk of a partition, and the partition's size.
    fn disk_of(&self, partition: &str) -> Option<(&DeviceFacts, Option<Bytes>)> {
        self.facts.devices.iter().find_map(|disk| {
            let mut own = disk.partitions.iter();
            let found = own.find(|own| own.name == partition)?;
            Some((disk, found.size_bytes))
        })
    }

    fn line(&self, name: &str, above: Option<&str>, branch: String) -> Line {
        let device = self.facts.device(name);
        let (size, what) = match (device, self.disk_of(name)) {
            (Some(device), _) => (device.size_bytes, self.description(device)),
            (None, Some((_, size))) => (size, Message::new("tree-partition").into()),
            (None, None) => (None, Argument::Name(String::new())),
        };
        Line {
            name: name.to_owned(),
            above: above.map(str::to_owned),
            branch,
            stem: String::new(),
            size,
            what,
            is_on_path: false,
        }
    }

    /// Returns a device in a few words: its kind or model, and its settings.
    fn description(&self, device: &DeviceFacts) -> Argument {
        let name = |name: &String| Argument::Name(name.clone());
        let mut words: Vec<Argument> = Vec::new();
        let mut arrays = self.facts.arrays.iter();
        if let Some(array) = arrays.find(|array| array.name == device.name) {
            words = array_words(array);
        } else if let Some(mapper) = &device.mapper {
            words.push(mapper_words(mapper, device.mapper_name.as_deref()));
        } else {
            words.extend(device.model.as_ref().map(name));
            let kind = device.rotational.map(|rotates| match rotates {
                true => Message::new("tree-rotating"),
                false => Message::new("tree-solid"),
            });
            words.extend(kind.map(Argument::from));
        }
        if device.members.is_empty() {
            let scheduler = device.scheduler.as_ref();
            let scheduler = scheduler.map(|name| Message::new("tree-scheduler").name("name", name));
            words.extend(scheduler.map(Argument::from));
            words.extend(device.write_cache.as_ref().map(name));
            let depth = device.queue_depth.map(|depth| depth.to_string());
            words.extend(depth.map(|depth| Axis::Depth.named(depth)));
        }
        Argument::list(words)
    }
}

fn array_words(array: &ArrayFacts) -> Vec<Argument> {
    let mut words: Vec<Argument> = Vec::new();
    words.extend(array.level.clone().map(Argument::Name));
    let members = array.member_count;
    words.extend(members.map(|count| Message::new("tree-members").count("count", count).into()));
    let missing = array.degraded_count.filter(|count| *count > 0);
    words.extend(missing.map(|count| Message::new("tree-missing").count("count", count).into()));
    let chunk = array.chunk_bytes.filter(|chunk| chunk.as_u64() > 0);
    let chunk = chunk.map(|chunk| size(chunk.as_u64()));
    words.extend(chunk.map(|chunk| Message::new("map-unit-chunk").digits("chunk", chunk).into()));
    let action = array.sync_action.clone();
    let action = action.filter(|action| action != "idle");
    words.extend(action.map(Argument::Name));
    words
}

fn mapper_words(mapper: &str, name: Option<&str>) -> Argument {
    let kind: Argument = match mapper {
        "lvm" => Argument::Name("LVM".to_owned()),
        "crypt" => Message::new("tree-encrypted").into(),
        "mpath" => Message::new("tree-multipath").into(),
        other => Argument::Name(other.to_owned()),
    };
    match name {
        None | Some("") => kind,
        Some(name) => Message::new("named-value")
            .with("axis", kind)
            .name("value", name)
            .into(),
    }
}

/// Returns whether a filesystem is the target's.
fn holds(target: &TargetFacts, mount: &MountFacts) -> bool {
    match target.devices.is_empty() {
        true => target.mount_point.as_ref() == Some(&mount.mount_point),
        false => target.devices == mount.devices,
    }
}

#[cfg(test)]
#[path = "storage_tree_tests.rs"]
mod tests;
