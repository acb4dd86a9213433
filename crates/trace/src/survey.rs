//! The first look at a trace: which devices, processes and times it has.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;
use stripewise_study::units::{Bytes, Nanos};

use crate::event::{Action, DeviceId, Event, Names, ProcessId, TracedIo};
use crate::numbers::{index, share};
use crate::phases::{Phase, phases};

/// The most devices that are surveyed; the others are counted.
const DEVICES_MAX: usize = 64;
/// The most windows of time. When they are full, two become one.
const WINDOWS_MAX: usize = 8192;
/// The width of a window at first.
const WINDOW_FIRST: Nanos = Nanos::from_millis(1);
/// The most groups of processes; the others are one group.
pub const GROUPS_MAX: usize = 8;
/// A group with less than this share of the I/Os and of the bytes is none of its own.
const GROUP_SHARE_MIN: f64 = 0.002;
/// The most I/O sizes that are counted for each group.
const SIZES_MAX: usize = 1024;

/// What happened in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// Reads that began.
    pub reads: u64,
    /// Writes that began.
    pub writes: u64,
    /// Flushes that began.
    pub flushes: u64,
    /// The bytes of these reads.
    pub read_bytes: u64,
    /// The bytes of these writes.
    pub write_bytes: u64,
}

impl Window {
    fn add(&mut self, io: &TracedIo) {
        match io.action {
            Action::Read => {
                self.reads += 1;
                self.read_bytes = self.read_bytes.saturating_add(io.length_bytes);
            }
            Action::Write => {
                self.writes += 1;
                self.write_bytes = self.write_bytes.saturating_add(io.length_bytes);
            }
            Action::Flush => self.flushes += 1,
            Action::Discard => {}
        }
    }

    pub(crate) fn merged(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            writes: self.writes + other.writes,
            flushes: self.flushes + other.flushes,
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            write_bytes: self.write_bytes.saturating_add(other.write_bytes),
        }
    }

    /// Returns the reads, writes and flushes.
    pub fn ios(&self) -> u64 {
        self.reads + self.writes + self.flushes
    }
}

/// Windows of equal width from the beginning of the trace.
#[derive(Debug, Clone)]
pub struct Windows {
    /// The width of each.
    pub width: Nanos,
    /// Them, in order.
    pub list: Vec<Window>,
}

impl Windows {
    fn new() -> Self {
        Self {
            width: WINDOW_FIRST,
            list: Vec::new(),
        }
    }

    fn add(&mut self, io: &TracedIo) {
        while io.at.as_u64() / self.width.as_u64() >= WINDOWS_MAX as u64 {
            let pairs = self.list.chunks(2);
            self.list = pairs
                .map(|pair| pair.iter().copied().fold(Window::default(), Window::merged))
                .collect();
            self.width = Nanos::new(self.width.as_u64().saturating_mul(2));
        }
        let window = index(io.at.as_u64() / self.width.as_u64());
        if self.list.len() <= window {
            self.list.resize(window + 1, Window::default());
        }
        self.list[window].add(io);
    }
}

/// The processes of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Family {
    ios: u64,
    bytes: u64,
    /// How many reads and writes have each size.
    sizes: FxHashMap<u64, u64>,
}

/// What a survey saw of one device.
#[derive(Debug, Clone)]
struct DeviceSurvey {
    windows: Windows,
    families: Vec<(String, Family)>,
    /// The family of each process, by its place.
    family_of: FxHashMap<ProcessId, usize>,
    ios: u64,
    bytes: u64,
    low: u64,
    high: u64,
    end: Nanos,
}

/// The first pass over a trace.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    devices: BTreeMap<DeviceId, DeviceSurvey>,
    /// I/Os on devices beyond those that are surveyed.
    pub elsewhere: u64,
}

/// A device of a trace, and how much was done on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceTotals {
    /// The device.
    pub device: DeviceId,
    /// Its name.
    pub name: String,
    /// Its I/Os.
    pub ios: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// The end of its last place that was used.
    pub end: Bytes,
}

/// A group of processes, described on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What its processes are called; nothing for those that are in no other group.
    pub name: Option<String>,
    /// The size that most of its I/Os have.
    pub block: Bytes,
}

/// What the second pass is to look for.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The device.
    pub device: DeviceId,
    /// The phases of its load.
    pub phases: Vec<Phase>,
    /// What was done over time.
    pub windows: Windows,
    /// The groups of processes; the last one has the others.
    pub groups: Vec<Group>,
    /// From the first to the last byte that is used.
    pub places: Range<u64>,
    /// The time of the last event.
    pub end: Nanos,
}

impl DeviceSurvey {
    /// Returns the family of a process.
    fn family(&mut self, process: ProcessId, names: &Names) -> &mut Family {
        let families = &mut self.families;
        let place = *self.family_of.entry(process).or_insert_with(|| {
            let name = family(names, process);
            let known = families.iter().position(|(known, _)| known == name);
            known.unwrap_or_else(|| {
                families.push((name.to_owned(), Family::default()));
                families.len() - 1
            })
        });
        &mut self.families[place].1
    }
}

impl Survey {
    /// Takes an event into account.
    pub fn add(&mut self, event: &Event, names: &Names) {
        let io = match event {
            Event::Begin(io) => io,
            Event::End { at, device, .. } => {
                if let Some(device) = self.devices.get_mut(device) {
                    device.end = device.end.max(*at);
                }
                return;
            }
        };
        let known = self.devices.len();
        let device = match self.devices.entry(io.device) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(_) if known >= DEVICES_MAX => {
                self.elsewhere += 1;
                return;
            }
            Entry::Vacant(entry) => entry.insert(DeviceSurvey {
                windows: Windows::new(),
                families: Vec::new(),
                family_of: FxHashMap::default(),
                ios: 0,
                bytes: 0,
                low: u64::MAX,
                high: 0,
                end: Nanos::default(),
            }),
        };
        device.ios += 1;
        device.bytes = device.bytes.saturating_add(io.length_bytes);
        device.end = device.end.max(io.at);
        if io.length_bytes > 0 {
            let end = io.offset_bytes.saturating_add(io.length_bytes);
            device.low = device.low.min(io.offset_bytes);
            device.high = device.high.max(end);
        }
        device.windows.add(io);
        device.family(io.process, names).add(io);
    }

    /// Returns the devices, the one with most I/Os first.
    pub fn devices(&self, names: &Names) -> Vec<DeviceTotals> {
        let mut devices: Vec<DeviceTotals> = self
            .devices
            .iter()
            .map(|(device, seen)| DeviceTotals {
                device: *device,
                name: names.of_device(*device).to_owned(),
                ios: seen.ios,
                bytes: Bytes::new(seen.bytes),
                end: Bytes::new(seen.high),
            })
            .collect();
        devices.sort_by_key(|device| (std::cmp::Reverse(device.ios), device.device));
        devices
    }

    /// Returns what to look for on a device in the second pass; nothing if it has no I/O.
    pub fn plan(self, device: DeviceId) -> Option<Plan> {
        let mut devices = self.devices;
        let seen = devices.remove(&device)?;
        let mut families = seen.families;
        families.sort_by(|one, two| (two.1.ios, &one.0).cmp(&(one.1.ios, &two.0)));
        let is_large = |family: &Family| {
            share(family.ios, seen.ios) >= GROUP_SHARE_MIN
                || share(family.bytes, seen.bytes) >= GROUP_SHARE_MIN
        };
        let (mut groups, mut others) = (Vec::new(), Family::default());
        for (name, family) in families {
            if is_large(&family) && groups.len() < GROUPS_MAX {
                groups.push(Group {
                    name: Some(name),
                    block: family.block(),
                });
            } else {
                others.merge(family);
            }
        }
        groups.push(Group {
            name: None,
            block: others.block(),
        });
        Some(Plan {
            device,
            phases: phases(&seen.windows),
            windows: seen.windows,
            groups,
            places: seen.low.min(seen.high)..seen.high,
            end: seen.end,
        })
    }
}

impl Family {
    fn add(&mut self, io: &TracedIo) {
        self.ios += 1;
        self.bytes = self.bytes.saturating_add(io.length_bytes);
        if let Some(count) = self.sizes.get_mut(&io.length_bytes) {
            *count += 1;
        } else if io.length_bytes > 0 && self.sizes.len() < SIZES_MAX {
            self.sizes.insert(io.length_bytes, 1);
        }
    }

    fn merge(&mut self, other: Self) {
        self.ios += other.ios;
        self.bytes = self.bytes.saturating_add(other.bytes);
        for (size, count) in other.sizes {
            *self.sizes.entry(size).or_default() += count;
        }
    }

    /// Returns the most frequent size.
    fn block(&self) -> Bytes {
        let most = self
            .sizes
            .iter()
            .max_by_key(|(size, count)| (**count, std::cmp::Reverse(**size)));
        Bytes::new(most.map_or(4096, |(size, _)| *size))
    }
}

/// Returns what the processes of one kind have in common: the name up to the numbers of workers and
/// the like (`kworker/u4:3`, `jbd2/sda1-8`).
pub fn family(names: &Names, process: ProcessId) -> &str {
    let name = names.of_process(process);
    name.split(['/', ':']).next().unwrap_or(name)
}
