//! What happened: an I/O began, or it was done.

use rustc_hash::FxHashMap;
use stripewise_study::units::Nanos;

use crate::numbers::{index, saturated_u32};

/// What an I/O does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It makes what was written durable, and has no data (`REQ_OP_FLUSH`, or a bio that is only
    /// `REQ_PREFLUSH`; in fio's iologs `sync` and `datasync`).
    Flush,
    /// It tells the device that data is not needed (`REQ_OP_DISCARD`; in fio's iologs `trim`).
    Discard,
}

/// What else is known of an I/O (the letters after the first in blktrace's RWBS).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    /// Somebody waits for it (`REQ_SYNC`).
    pub is_sync: bool,
    /// It is durable when it is done (`REQ_FUA`).
    pub is_fua: bool,
    /// What was written before it is durable first (`REQ_PREFLUSH`).
    pub flushes_first: bool,
    /// It is a filesystem's metadata (`REQ_META`).
    pub is_metadata: bool,
    /// It is read ahead (`REQ_RAHEAD`).
    pub is_read_ahead: bool,
}

/// A process of a trace, as a number in [`Names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ProcessId(pub u32);

/// A device of a trace, as a number in [`Names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct DeviceId(pub u32);

/// An I/O, when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedIo {
    /// When it began, counted from the first record of the trace.
    pub at: Nanos,
    /// What it does.
    pub action: Action,
    /// What else is known of it.
    pub marks: Marks,
    /// Where it begins on the device, in bytes.
    pub offset_bytes: u64,
    /// How long it is, in bytes; 0 for a flush.
    pub length_bytes: u64,
    /// The device.
    pub device: DeviceId,
    /// Who asked for it, if the trace says so.
    pub process: ProcessId,
}

/// Something happened in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An I/O began.
    Begin(TracedIo),
    /// An I/O was done.
    End {
        /// When, counted from the first record of the trace.
        at: Nanos,
        /// What it did.
        action: Action,
        /// When it had begun.
        began: Nanos,
        /// The device.
        device: DeviceId,
        /// Who had asked for it.
        process: ProcessId,
    },
}

/// The names of processes and devices.
///
/// A process is a name and, if the trace has it, a number (PID). [`ProcessId`] 0 stands for "the trace
/// does not say", and for all that come after [`Names::PROCESSES_MAX`].
#[derive(Debug, Clone)]
pub struct Names {
    processes: Vec<(String, Option<u32>)>,
    devices: Vec<String>,
    by_pid: FxHashMap<u32, ProcessId>,
    by_name: FxHashMap<Vec<u8>, ProcessId>,
    by_device: FxHashMap<Vec<u8>, DeviceId>,
    by_number: FxHashMap<u32, DeviceId>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            processes: vec![(String::new(), None)],
            devices: Vec::new(),
            by_pid: FxHashMap::default(),
            by_name: FxHashMap::default(),
            by_device: FxHashMap::default(),
            by_number: FxHashMap::default(),
        }
    }
}

impl Names {
    /// The most processes that are told apart.
    pub const PROCESSES_MAX: usize = 1 << 16;
    /// The most devices that are told apart; a record of another one is skipped and counted.
    pub const DEVICES_MAX: usize = 1 << 12;
    /// The longest name that is kept, in bytes.
    const NAME_BYTES_MAX: usize = 256;

    /// Returns the name of a process.
    pub fn of_process(&self, process: ProcessId) -> &str {
        let known = self.processes.get(index(u64::from(process.0)));
        known.map_or("", |(name, _)| name)
    }

    /// Returns the name of a device.
    pub fn of_device(&self, device: DeviceId) -> &str {
        let known = self.devices.get(index(u64::from(device.0)));
        known.map_or("", String::as_str)
    }

    /// Returns the device called `name`, whose name may be new.
    pub fn device(&mut self, name: &[u8]) -> Option<DeviceId> {
        if let Some(known) = self.by_device.get(name) {
            return Some(*known);
        }
        if self.devices.len() >= Self::DEVICES_MAX || name.len() > Self::NAME_BYTES_MAX {
            return None;
        }
        let new = DeviceId(saturated_u32(self.devices.len() as u64));
        self.devices
            .push(String::from_utf8_lossy(name).into_owned());
        self.by_device.insert(name.to_owned(), new);
        Some(new)
    }

    /// Returns the device of the kernel's number.
    pub(crate) fn device_of_number(&mut self, number: u32) -> Option<DeviceId> {
        if let Some(known) = self.by_number.get(&number) {
            return Some(*known);
        }
        let name = format!("{},{}", number >> 20, number & 0xf_ffff);
        let device = self.device(name.as_bytes())?;
        self.by_number.insert(number, device);
        Some(device)
    }

    /// Returns a process by its number or, without one, by its name; it may be new.
    pub fn process(&mut self, name: &[u8], pid: Option<u32>) -> ProcessId {
        let known = match pid {
            Some(pid) => self.by_pid.get(&pid),
            None => self.by_name.get(name),
        };
        if let Some(known) = known {
            return *known;
        }
        if self.processes.len() >= Self::PROCESSES_MAX || name.len() > Self::NAME_BYTES_MAX {
            return ProcessId::default();
        }
        let new = ProcessId(saturated_u32(self.processes.len() as u64));
        self.processes
            .push((String::from_utf8_lossy(name).into_owned(), pid));
        match pid {
            Some(pid) => self.by_pid.insert(pid, new),
            None => self.by_name.insert(name.to_owned(), new),
        };
        new
    }

    /// Names a process whose number is known or will be.
    pub(crate) fn name_process(&mut self, pid: u32, name: &[u8]) {
        let process = self.process(name, Some(pid));
        if process != ProcessId::default() && name.len() <= Self::NAME_BYTES_MAX {
            let known = &mut self.processes[index(u64::from(process.0))];
            known.0 = String::from_utf8_lossy(name).into_owned();
        }
    }
}
