//! What happened: an I/O began, or it was done.

use stripewise_units::Nanos;

use crate::numbers::index;

/// The most bytes of one I/O: the length of a bio and of a request is an `unsigned int`
/// (`bi_size` of `struct bvec_iter`, beyond which `bio_add_page` in block/bio.c adds nothing, and
/// `__data_len` of `struct request`). A longer discard reaches the device in parts
/// (`bio_discard_limit` in block/blk-lib.c), and read(2) and write(2) end at 2 GiB (`MAX_RW_COUNT`).
pub const IO_BYTES_MAX: u64 = u32::MAX as u64;

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
    /// A process waits for it (`REQ_SYNC`).
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
    /// The process that asked for it, if the trace names one.
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
        /// The process that had asked for it.
        process: ProcessId,
    },
}

/// The names of processes and devices.
///
/// A process is a name and, if the trace has it, a number (PID); number 0 stands for "the trace does
/// not say", and for all that come after [`Names::PROCESSES_MAX`].
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The name and the PID of each process.
    pub processes: Vec<(String, Option<u32>)>,
    /// The name of each device: `8,0`, `sda`, a volume's number or the name of a file.
    pub devices: Vec<String>,
}

impl Names {
    /// The most processes that are distinguished.
    pub const PROCESSES_MAX: usize = 1 << 16;
    /// The most devices that are distinguished; a record of another one is skipped and counted.
    pub const DEVICES_MAX: usize = 1 << 12;

    /// Returns the name of a process; empty for one without a name.
    pub fn of_process(&self, process: ProcessId) -> &str {
        let known = self.processes.get(index(u64::from(process.0)));
        known.map_or("", |(name, _)| name)
    }

    /// Returns the name of a device.
    pub fn of_device(&self, device: DeviceId) -> &str {
        let known = self.devices.get(index(u64::from(device.0)));
        known.map_or("", String::as_str)
    }
}
