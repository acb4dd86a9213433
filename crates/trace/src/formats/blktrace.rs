//! The binary records of `blktrace`.
//!
//! include/uapi/linux/blktrace_api.h, `struct blk_io_trace` (version 7, 48 bytes) and, from Linux
//! 6.19 on, `struct blk_io_trace2` (version 8, 64 bytes), each followed by `pdu_len` bytes of data.
//! The byte order is that of the traced machine; the magic number tells it. `action` is a step in the
//! lower 16 bits and categories (`enum blktrace_cat`) above. What sets them is `__blk_add_trace` and
//! `blk_add_trace_*` in kernel/trace/blktrace.c. A record of category `BLK_TC_NOTIFY` is no I/O: it has
//! the name of a process, the time of day, or a message.
//!
//! `blktrace` writes one file for each CPU, `NAME.blktrace.0` and so on, which belong together;
//! `blkparse -d` merges them into one. Each CPU counts its records in `sequence`, so that a gap shows
//! what was lost; the kernel's tracer `blk` writes 0. The name of a process is written once, to the file of
//! the CPU that the process ran on then.

use rustc_hash::FxHashMap;

use super::rwbs::{Meaning, Rwbs};
use super::{Format, IoStep, Parsed, Record};
use crate::event::{Action, Marks, ProcessId};
use crate::name_table::NameTable;

/// The three bytes above the version in the magic number.
const MAGIC: u32 = 0x6561_7400;
/// The length of a record of version 7.
const LENGTH_V7: usize = 48;
/// The length of a record of version 8.
const LENGTH_V8: usize = 64;
/// The longest record with its data.
pub(crate) const RECORD_BYTES_MAX: usize = LENGTH_V8 + 65_535;
/// CPUs that are kept.
const KEPT_MAX: usize = 1 << 16;
/// A larger gap in the sequence is damage.
const GAP_MAX: u32 = 1 << 24;

const READ_BIT: u64 = 1 << 16;
const WRITE_BIT: u64 = 1 << 17;
const FLUSH_BIT: u64 = 1 << 18;
const SYNC_BIT: u64 = 1 << 19;
const PASSED_THROUGH_BIT: u64 = 1 << 25;
const NOTIFY_BIT: u64 = 1 << 26;
const AHEAD_BIT: u64 = 1 << 27;
const META_BIT: u64 = 1 << 28;
const DISCARD_BIT: u64 = 1 << 29;
const FUA_BIT: u64 = 1 << 31;
/// `__BLK_TA_CGROUP`: the data begins with the number of a cgroup.
const CGROUP_BIT: u64 = 1 << 8;

/// The byte order and the version of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    is_big_endian: bool,
    is_v8: bool,
}

impl Kind {
    /// Reads the magic number.
    #[inline]
    fn of(bytes: &[u8]) -> Option<Self> {
        let magic: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
        let little = u32::from_le_bytes(magic);
        let big = u32::from_be_bytes(magic);
        let (magic, is_big_endian) = if little & 0xffff_ff00 == MAGIC {
            (little, false)
        } else {
            (big, true)
        };
        let is_v8 = match magic.checked_sub(MAGIC) {
            Some(7) => false,
            Some(8) => true,
            _ => return None,
        };
        Some(Self {
            is_big_endian,
            is_v8,
        })
    }

    fn length(self) -> usize {
        if self.is_v8 { LENGTH_V8 } else { LENGTH_V7 }
    }

    #[inline]
    fn u16(self, field: [u8; 2]) -> u16 {
        match self.is_big_endian {
            true => u16::from_be_bytes(field),
            false => u16::from_le_bytes(field),
        }
    }

    #[inline]
    fn u32(self, field: [u8; 4]) -> u32 {
        match self.is_big_endian {
            true => u32::from_be_bytes(field),
            false => u32::from_le_bytes(field),
        }
    }

    #[inline]
    fn u64(self, field: [u8; 8]) -> u64 {
        match self.is_big_endian {
            true => u64::from_be_bytes(field),
            false => u64::from_le_bytes(field),
        }
    }
}

/// The fields of a record that are read.
#[derive(Debug, Clone, Copy)]
struct Fields {
    sequence: u32,
    time_ns: u64,
    sector: u64,
    bytes: u32,
    action: u64,
    pid: u32,
    device: u32,
    cpu: u32,
    data_bytes: u16,
}

impl Fields {
    /// Reads them; `None` if the record is cut off.
    #[inline]
    fn read(kind: Kind, bytes: &[u8]) -> Option<Self> {
        let head = bytes.first_chunk::<LENGTH_V7>()?;
        let u32_at = |at: usize| kind.u32([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let u64_at = |at: usize| kind.u64(std::array::from_fn(|byte| head[at + byte]));
        let mut fields = Self {
            sequence: u32_at(4),
            time_ns: u64_at(8),
            sector: u64_at(16),
            bytes: u32_at(24),
            action: u64::from(u32_at(28)),
            pid: u32_at(32),
            device: u32_at(36),
            cpu: u32_at(40),
            data_bytes: kind.u16([head[46], head[47]]),
        };
        if kind.is_v8 {
            let whole = bytes.first_chunk::<LENGTH_V8>()?;
            fields.pid = u32_at(28);
            fields.action = u64_at(32);
            fields.device = u32_at(40);
            fields.cpu = u32_at(44);
            fields.data_bytes = kind.u16([whole[50], whole[51]]);
        }
        Some(fields)
    }
}

/// Its row.
pub(crate) static FORMAT: Format = Format {
    name: "blktrace",
    made_by: "`blktrace -d DEV -o -`, `blkparse -d`, the kernel's tracer `blk`",
    source: "`include/uapi/linux/blktrace_api.h`, versions 7 and 8, both orders of bytes",
    resolution_ns: Some(1),
    device: "8,{device}",
    examples: &["\x07tae\0\0\0\0"],
    begins: looks_like,
    ..Format::PLAIN
};

/// Returns whether bytes begin like a record.
fn looks_like(bytes: &[u8]) -> bool {
    Kind::of(bytes).is_some()
}

/// What the buffer begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferStart {
    /// A record of so many bytes, and what it holds.
    Record(usize, Parsed),
    /// So many bytes are no record.
    Damaged(usize),
    /// The record needs so many bytes.
    Needs(usize),
}

/// Decodes binary records.
#[derive(Debug, Default)]
pub(crate) struct Blktrace {
    sequences: FxHashMap<u32, u32>,
    last_process: Option<(u32, ProcessId)>,
    /// When the trace began, in seconds and ns since 1970.
    pub(crate) time_of_day: Option<(u32, u32)>,
}

impl Blktrace {
    /// Decodes the record that the bytes begin with.
    #[inline]
    pub(crate) fn decode(&mut self, bytes: &[u8], names: &mut NameTable) -> BufferStart {
        if bytes.len() < 4 {
            return BufferStart::Needs(4);
        }
        let Some(kind) = Kind::of(bytes) else {
            return BufferStart::Damaged(no_record(bytes));
        };
        let length = kind.length();
        let Some(fields) = Fields::read(kind, bytes) else {
            return BufferStart::Needs(length);
        };
        let whole = length + usize::from(fields.data_bytes);
        if whole > length && bytes.get(length..).and_then(Kind::of).is_some() {
            // Where the data should be, the next record is: the length is damaged.
            return BufferStart::Damaged(length);
        }
        if bytes.len() < whole {
            return BufferStart::Needs(whole);
        }
        if fields.action & NOTIFY_BIT != 0 {
            self.notify(kind, &fields, &bytes[length..whole], names);
            return BufferStart::Record(whole, Parsed::Nothing);
        }
        let lost = self.lost(fields.cpu, fields.sequence);
        if lost > 0 {
            // The record itself is decoded at the next call, which finds no gap any more.
            return BufferStart::Record(0, Parsed::Lost(lost));
        }
        BufferStart::Record(whole, self.record(kind.is_v8, &fields, names))
    }

    /// Returns how many records are missing before this one of a CPU.
    #[inline]
    fn lost(&mut self, cpu: u32, sequence: u32) -> u64 {
        if sequence == 0 {
            return 0;
        }
        if self.sequences.len() >= KEPT_MAX && !self.sequences.contains_key(&cpu) {
            return 0;
        }
        let last = self.sequences.entry(cpu).or_insert(sequence);
        let gap = sequence.saturating_sub(*last).saturating_sub(1);
        if gap > GAP_MAX {
            *last = sequence;
            return 0;
        }
        *last = if gap > 0 { sequence - 1 } else { sequence };
        u64::from(gap)
    }

    fn notify(&mut self, kind: Kind, fields: &Fields, data: &[u8], names: &mut NameTable) {
        match fields.action & 0xffff & !CGROUP_BIT {
            0 => {
                let end = data.iter().position(|byte| *byte == 0);
                let name = &data[..end.unwrap_or(data.len())];
                names.name_process(fields.pid, name);
            }
            1 if self.time_of_day.is_none() => {
                let seconds = data.first_chunk::<4>();
                let nanos = data.get(4..).and_then(<[u8]>::first_chunk::<4>);
                let both = seconds.zip(nanos);
                self.time_of_day = both.map(|(s, ns)| (kind.u32(*s), kind.u32(*ns)));
            }
            _ => {}
        }
    }

    #[inline]
    fn process(&mut self, pid: u32, names: &mut NameTable) -> ProcessId {
        if let Some((last, process)) = self.last_process
            && last == pid
        {
            return process;
        }
        let process = names.numbered_process(pid);
        self.last_process = Some((pid, process));
        process
    }

    #[inline]
    fn record(&mut self, is_v8: bool, fields: &Fields, names: &mut NameTable) -> Parsed {
        let step = match fields.action & 0xffff & !CGROUP_BIT {
            1 => IoStep::Queue,
            2 | 3 => IoStep::Merge,
            4 => IoStep::Enter,
            6 => IoStep::Requeue,
            7 => IoStep::Issue,
            8 => IoStep::Complete,
            12 => IoStep::Insert,
            5..=17 => return Parsed::Nothing,
            // Version 8 has steps for zones.
            _ if is_v8 => return Parsed::Nothing,
            _ => return Parsed::Malformed("an unknown action"),
        };
        let io = match meaning(fields.action).at(fields.sector, u64::from(fields.bytes)) {
            Meaning::Io(io) => io,
            Meaning::Nothing => return Parsed::Nothing,
            Meaning::Beyond => return Parsed::Malformed("a sector beyond 2^64 bytes"),
        };
        let process = match step {
            IoStep::Complete => ProcessId(0),
            _ => self.process(fields.pid, names),
        };
        let Some(device) = names.numbered_device(fields.device) else {
            return Parsed::TooManyNames;
        };
        Parsed::Record(Record::new(
            (fields.time_ns, fields.cpu),
            step,
            io,
            device,
            process,
        ))
    }
}

/// Returns what the categories of an action mean. An operation without a direction has the bit of
/// reads, so a `REQ_OP_FLUSH` has the bits of reads and flushes.
#[inline]
fn meaning(action: u64) -> Rwbs {
    let has = |bit: u64| action & bit != 0;
    let marks = Marks {
        is_sync: has(SYNC_BIT),
        is_fua: has(FUA_BIT),
        flushes_first: has(FLUSH_BIT),
        is_metadata: has(META_BIT),
        is_read_ahead: has(AHEAD_BIT),
    };
    if has(PASSED_THROUGH_BIT) {
        Rwbs::Other
    } else if has(DISCARD_BIT) {
        Rwbs::Data(Action::Discard, marks)
    } else if has(WRITE_BIT) {
        Rwbs::Data(Action::Write, marks)
    } else if has(FLUSH_BIT) {
        Rwbs::FlushRequest(Marks {
            flushes_first: false,
            ..marks
        })
    } else if has(READ_BIT) {
        Rwbs::Data(Action::Read, marks)
    } else {
        Rwbs::Other
    }
}

/// Returns how many bytes come before the next magic number, of which the last three are kept if
/// they may be its beginning.
fn no_record(bytes: &[u8]) -> usize {
    let next = (1..bytes.len().saturating_sub(3)).find(|at| Kind::of(&bytes[*at..]).is_some());
    next.unwrap_or(bytes.len().saturating_sub(3).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record of version 7.
    fn record(action: u32, sequence: u32, sector: u64, bytes: u32, data: &[u8]) -> Vec<u8> {
        let mut record = Vec::new();
        record.extend((MAGIC | 7).to_be_bytes());
        record.extend(sequence.to_be_bytes());
        record.extend(1_000_u64.to_be_bytes());
        record.extend(sector.to_be_bytes());
        record.extend(bytes.to_be_bytes());
        record.extend(action.to_be_bytes());
        record.extend(42_u32.to_be_bytes());
        record.extend(0x0080_0010_u32.to_be_bytes());
        record.extend(3_u32.to_be_bytes());
        record.extend([0, 0]);
        record.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        record.extend(data);
        record
    }

    #[test]
    fn a_process_is_named_before_its_records_and_gaps_are_counted() {
        let mut names = NameTable::new();
        let mut decoder = Blktrace::default();
        let note = record(0x0400_0000, 0, 0, 0, b"dd\0\0");
        let found = decoder.decode(&note, &mut names);
        assert_eq!(found, BufferStart::Record(52, Parsed::Nothing));
        let time = record(0x0400_0001, 0, 0, 0, &[0, 0, 0, 9, 0, 0, 0, 5]);
        decoder.decode(&time, &mut names);
        assert_eq!(decoder.time_of_day, Some((9, 5)));
        let queue = record(0x001a_0001, 5, 16, 4096, &[]);
        let BufferStart::Record(48, Parsed::Record(first)) = decoder.decode(&queue, &mut names)
        else {
            panic!("a record");
        };
        assert_eq!(names.names.processes[1], ("dd".to_owned(), Some(42)));
        assert_eq!(names.names.devices, ["8,16"]);
        assert_eq!((first.process, first.offset_bytes), (ProcessId(1), 8192));
        let later = record(0x001a_0001, 9, 16, 4096, &[]);
        assert_eq!(
            decoder.decode(&later, &mut names),
            BufferStart::Record(0, Parsed::Lost(3))
        );
        assert!(matches!(
            decoder.decode(&later, &mut names),
            BufferStart::Record(48, Parsed::Record(_))
        ));
    }

    #[test]
    fn damage_is_skipped_up_to_the_next_record() {
        let mut names = NameTable::new();
        let mut decoder = Blktrace::default();
        let mut bytes = b"garbage".to_vec();
        bytes.extend(record(0x0012_0001, 1, 0, 512, &[]));
        assert_eq!(decoder.decode(&bytes, &mut names), BufferStart::Damaged(7));
        assert_eq!(decoder.decode(b"gar", &mut names), BufferStart::Needs(4));
        assert_eq!(decoder.decode(b"garb", &mut names), BufferStart::Damaged(1));
    }
}
