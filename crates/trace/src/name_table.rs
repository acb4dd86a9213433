//! Processes and devices by number, found again without an allocation.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::event::{DeviceId, Names, ProcessId};
use crate::numbers::index;

/// The longest name that is kept; Linux has 15 characters for a process, and paths are longer.
const NAME_BYTES_MAX: usize = 256;

/// How many processes are found without a search: a few workers take turns in most traces.
const RECENT: usize = 16;

/// A process that was asked for, and its number.
#[derive(Default)]
struct Recent {
    name: Vec<u8>,
    pid: Option<u32>,
    id: u32,
}

/// Names that were seen, with their numbers.
pub(crate) struct NameTable {
    pub(crate) names: Names,
    processes: HashMap<Box<[u8]>, u32>,
    devices: HashMap<Box<[u8]>, u32>,
    numbered_devices: FxHashMap<u32, DeviceId>,
    numbered_processes: FxHashMap<u32, ProcessId>,
    /// Processes that were asked for lately, by the last bits of their PIDs.
    recent: [Recent; RECENT],
    /// The device that was asked for last.
    last_device: (Vec<u8>, u32),
    /// The same by its number.
    last_numbered: Option<(u32, DeviceId)>,
}

impl NameTable {
    /// Returns a table with the process "the trace does not say".
    pub(crate) fn new() -> Self {
        let mut names = Names::default();
        names.processes.push((String::new(), None));
        Self {
            names,
            processes: HashMap::new(),
            devices: HashMap::new(),
            numbered_devices: FxHashMap::default(),
            numbered_processes: FxHashMap::default(),
            recent: Default::default(),
            last_device: (Vec::new(), u32::MAX),
            last_numbered: None,
        }
    }

    /// Returns the number of a process.
    #[inline]
    pub(crate) fn process(&mut self, name: &[u8], pid: Option<u32>) -> ProcessId {
        let name = bounded(name);
        let recent = index(u64::from(pid.unwrap_or_default())) % RECENT;
        let known = &self.recent[recent];
        if known.pid == pid && known.name == name {
            return ProcessId(known.id);
        }
        let id = self.find_process(name, pid);
        let known = &mut self.recent[recent];
        known.name.clear();
        known.name.extend_from_slice(name);
        (known.pid, known.id) = (pid, id);
        ProcessId(id)
    }

    fn find_process(&mut self, name: &[u8], pid: Option<u32>) -> u32 {
        let mut key = [0_u8; NAME_BYTES_MAX + 5];
        key[..4].copy_from_slice(&pid.unwrap_or_default().to_le_bytes());
        key[4] = u8::from(pid.is_some());
        key[5..5 + name.len()].copy_from_slice(name);
        let key = &key[..5 + name.len()];
        if let Some(id) = self.processes.get(key) {
            return *id;
        }
        if (name.is_empty() && pid.is_none()) || self.names.processes.len() >= Names::PROCESSES_MAX
        {
            return 0;
        }
        let id = u32::try_from(self.names.processes.len()).unwrap_or(0);
        let text = String::from_utf8_lossy(name).into_owned();
        self.names.processes.push((text, pid));
        self.processes.insert(key.into(), id);
        id
    }

    /// Returns the process of a number, whatever its name is.
    pub(crate) fn numbered_process(&mut self, pid: u32) -> ProcessId {
        self.named_process(pid, b"")
    }

    /// Names the process of a number, unless it has a name.
    pub(crate) fn name_process(&mut self, pid: u32, name: &[u8]) {
        let ProcessId(id) = self.named_process(pid, name);
        let entry = usize::try_from(id).ok().filter(|index| *index > 0);
        let entry = entry.and_then(|index| self.names.processes.get_mut(index));
        if let Some((text, _)) = entry
            && text.is_empty()
        {
            *text = String::from_utf8_lossy(bounded(name)).into_owned();
        }
    }

    /// Returns the process of a number, which gets this name if it is new.
    fn named_process(&mut self, pid: u32, name: &[u8]) -> ProcessId {
        if let Some(id) = self.numbered_processes.get(&pid) {
            return *id;
        }
        if self.numbered_processes.len() >= Names::PROCESSES_MAX {
            return ProcessId(0);
        }
        let id = self.process(name, Some(pid));
        self.numbered_processes.insert(pid, id);
        id
    }

    /// Returns the number of a device; `None` if there are too many.
    #[inline]
    pub(crate) fn device(&mut self, name: &[u8]) -> Option<DeviceId> {
        let name = bounded(name);
        if self.last_device.0 == name && self.last_device.1 != u32::MAX {
            return Some(DeviceId(self.last_device.1));
        }
        let id = match self.devices.get(name) {
            Some(id) => *id,
            None => self.add_device(name)?,
        };
        self.last_device.0.clear();
        self.last_device.0.extend_from_slice(name);
        self.last_device.1 = id;
        Some(DeviceId(id))
    }

    fn add_device(&mut self, name: &[u8]) -> Option<u32> {
        let id = self.names.devices.len();
        if id >= Names::DEVICES_MAX {
            return None;
        }
        let text = String::from_utf8_lossy(name).into_owned();
        self.names.devices.push(text);
        let id = u32::try_from(id).ok()?;
        self.devices.insert(name.into(), id);
        Some(id)
    }

    /// Returns the number of a device that the kernel's `dev_t` names: 12 bits and 20 bits.
    #[inline]
    pub(crate) fn numbered_device(&mut self, device: u32) -> Option<DeviceId> {
        if let Some((last, id)) = self.last_numbered
            && last == device
        {
            return Some(id);
        }
        let id = self.find_numbered_device(device)?;
        self.last_numbered = Some((device, id));
        Some(id)
    }

    fn find_numbered_device(&mut self, device: u32) -> Option<DeviceId> {
        if let Some(id) = self.numbered_devices.get(&device) {
            return Some(*id);
        }
        let text = format!("{},{}", device >> 20, device & 0xf_ffff);
        let id = self.device(text.as_bytes())?;
        self.numbered_devices.insert(device, id);
        Some(id)
    }
}

fn bounded(name: &[u8]) -> &[u8] {
    &name[..name.len().min(NAME_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_again_and_bounded() {
        let mut table = NameTable::new();
        let fio = table.process(b"fio", Some(7));
        assert_eq!(fio, ProcessId(1));
        assert_eq!(table.process(b"fio", Some(8)), ProcessId(2));
        assert_eq!(table.process(b"fio", Some(7)), fio);
        assert_eq!(table.process(b"", None), ProcessId(0));
        for index in 0..Names::DEVICES_MAX {
            assert!(table.device(index.to_string().as_bytes()).is_some());
        }
        assert_eq!(table.device(b"one more"), None);
        assert_eq!(table.device(b"17"), Some(DeviceId(17)));
        for pid in 0..70_000 {
            table.process(b"many", Some(pid));
        }
        assert_eq!(table.names.processes.len(), Names::PROCESSES_MAX);
        assert_eq!(table.process(b"many", Some(69_999)), ProcessId(0));
    }

    #[test]
    fn a_device_number_is_major_and_minor() {
        let mut table = NameTable::new();
        assert_eq!(table.numbered_device(0x0070_0001), Some(DeviceId(0)));
        assert_eq!(table.names.devices, ["7,1"]);
        assert_eq!(table.device(b"7,1"), Some(DeviceId(0)));
    }
}
