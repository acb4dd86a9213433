//! The first look at a trace: which devices, processes and times it has.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Read};
use std::ops::Range;

use rustc_hash::FxHashMap;
use stripewise_units::{Bytes, Nanos};

use crate::event::{Action, DeviceId, Event, Names, ProcessId, TracedIo};
use crate::event_log::{EventLog, Open};
use crate::numbers::{index, share};
use crate::phases::{Phase, phases};
use crate::reader::{Options, ReadError, Reader, WholeTrace};

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
/// The most kinds of processes that are counted at a time. When one more comes, the smaller half is
/// counted with the others; one that is large later is found again.
const FAMILIES_MAX: usize = 256;
/// How many of them stay: so many with the most I/Os, and so many with the most bytes.
const FAMILIES_KEPT: usize = FAMILIES_MAX / 4;

/// After how many records the first pass says how far it is.
const WATCHED_EVERY: usize = 1 << 16;

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
        let mut window = index(io.at.as_u64() / self.width.as_u64());
        while window >= WINDOWS_MAX {
            let pairs = self.list.chunks(2);
            self.list = pairs
                .map(|pair| pair.iter().copied().fold(Window::default(), Window::merged))
                .collect();
            self.width = Nanos::new(self.width.as_u64().saturating_mul(2));
            window = index(io.at.as_u64() / self.width.as_u64());
        }
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

/// The processes of a device, by kind.
#[derive(Debug, Clone, Default)]
struct Families {
    list: Vec<(String, Family)>,
    /// The place of each in the list.
    by_name: FxHashMap<String, usize>,
    /// The place of the family of each process.
    by_process: FxHashMap<ProcessId, usize>,
    /// Small ones, together.
    others: Family,
}

/// What a survey saw of one device.
#[derive(Debug, Clone)]
struct DeviceSurvey {
    windows: Windows,
    families: Families,
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
    /// What its processes are called; `None` for those that are in no other group.
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

impl Families {
    /// Returns the family of a process.
    fn of(&mut self, process: ProcessId, names: &Names) -> &mut Family {
        let place = match self.by_process.get(&process) {
            Some(place) => *place,
            None => {
                let place = self.place(family(names, process));
                self.by_process.insert(process, place);
                place
            }
        };
        &mut self.list[place].1
    }

    /// Returns the place of a family, which may be new.
    fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.by_name.get(name) {
            return *place;
        }
        if self.list.len() == FAMILIES_MAX {
            self.keep_large();
        }
        self.list.push((name.to_owned(), Family::default()));
        self.by_name.insert(name.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }

    /// Counts the small families with the others.
    fn keep_large(&mut self) {
        let mut kept = Vec::new();
        for weight in [|family: &Family| family.ios, |family: &Family| family.bytes] {
            let list = &mut self.list;
            list.sort_by_key(|(_, family)| std::cmp::Reverse(weight(family)));
            kept.extend(list.drain(..FAMILIES_KEPT));
        }
        for (_, family) in std::mem::replace(&mut self.list, kept) {
            self.others.merge(family);
        }
        let names = self.list.iter().enumerate();
        self.by_name = names
            .map(|(place, (name, _))| (name.clone(), place))
            .collect();
        self.by_process.clear();
    }
}

/// The first pass over a trace failed.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The trace cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its events cannot be kept for the second pass.
    #[error("failed to keep the events of the trace")]
    Keep(#[source] io::Error),
}

impl Survey {
    /// Makes the first pass: reads a whole trace of one or several inputs, and keeps its events for the
    /// second pass, in a file that `open` makes if they do not fit into memory. `watch` gets the bytes
    /// that were read so far, now and then.
    ///
    /// # Errors
    /// [`SurveyError`] if the trace cannot be read, or its events cannot be kept.
    pub fn of<R: Read>(
        inputs: Vec<R>,
        options: Options,
        open: Open,
        watch: &mut dyn FnMut(u64),
    ) -> Result<(Self, EventLog, WholeTrace), SurveyError> {
        let mut reader = Reader::merge(inputs, options)?;
        let (mut survey, mut log) = (Self::default(), EventLog::new(open));
        let mut is_more = true;
        while is_more {
            let mut kept = Ok(());
            is_more = reader.read(WATCHED_EVERY, &mut |event, names| {
                survey.add(event, names);
                if kept.is_ok() {
                    kept = log.push(event);
                }
            })?;
            kept.map_err(SurveyError::Keep)?;
            watch(reader.bytes_read());
        }
        Ok((survey, log, reader.finish()))
    }

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
                families: Families::default(),
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
        device.families.of(io.process, names).add(io);
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

    /// Returns what to look for on a device in the second pass; `None` if it has no I/O.
    pub fn plan(self, device: DeviceId) -> Option<Plan> {
        let mut devices = self.devices;
        let seen = devices.remove(&device)?;
        let mut families = seen.families.list;
        families.sort_by(|one, two| (two.1.ios, &one.0).cmp(&(one.1.ios, &two.0)));
        let is_large = |family: &Family| {
            share(family.ios, seen.ios) >= GROUP_SHARE_MIN
                || share(family.bytes, seen.bytes) >= GROUP_SHARE_MIN
        };
        let (mut groups, mut others) = (Vec::new(), seen.families.others);
        for (name, family) in families {
            // Processes without a name, or beyond those that are distinguished, are others.
            if is_large(&family) && groups.len() < GROUPS_MAX && !name.is_empty() {
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
        let mut sizes: Vec<(u64, u64)> = other.sizes.into_iter().collect();
        // The most frequent ones first: there may be no place for all.
        sizes.sort_unstable_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
        for (size, count) in sizes {
            if self.sizes.len() < SIZES_MAX || self.sizes.contains_key(&size) {
                *self.sizes.entry(size).or_default() += count;
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Marks;

    fn names(families: u32) -> Names {
        let own = (0..families).map(|number| (format!("job{number}:x"), None));
        let known = [(String::new(), None), ("db/1".to_owned(), None)];
        Names {
            processes: known.into_iter().chain(own).collect(),
            devices: vec!["sda".to_owned()],
        }
    }

    fn io(process: u32, number: u64) -> Event {
        Event::Begin(TracedIo {
            at: Nanos::new(number),
            action: Action::Read,
            marks: Marks::default(),
            offset_bytes: number * 4096,
            length_bytes: 4096,
            device: DeviceId(0),
            process: ProcessId(process),
        })
    }

    /// The failure: each process of a trace had another name, and each new name was compared with all
    /// before it.
    #[test]
    fn names_that_come_once_cost_little_and_hide_no_large_one() {
        const FAMILIES: u32 = 20_000;
        let names = names(FAMILIES);
        let mut survey = Survey::default();
        let mut ios = 0;
        for family in 0..FAMILIES {
            survey.add(&io(family + 2, ios), &names);
            ios += 1;
            // It comes late, and rarely.
            if family > FAMILIES / 2 && family.is_multiple_of(10) {
                survey.add(&io(1, ios), &names);
                ios += 1;
            }
            let families = &survey.devices[&DeviceId(0)].families;
            assert!(families.list.len() <= FAMILIES_MAX);
            assert_eq!(families.by_name.len(), families.list.len());
        }
        let families = &survey.devices[&DeviceId(0)].families;
        let own = families.list.iter().map(|(_, family)| family.ios);
        assert_eq!(own.sum::<u64>() + families.others.ios, ios, "each counts");
        let plan = survey.plan(DeviceId(0)).unwrap();
        let groups: Vec<Option<&str>> = plan
            .groups
            .iter()
            .map(|group| group.name.as_deref())
            .collect();
        assert_eq!(groups, [Some("db"), None]);
    }
}
