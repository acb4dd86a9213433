//! The binary format of blktrace: `struct blk_io_trace` of the kernel's
//! `include/uapi/linux/blktrace_api.h`, one after another, each with `pdu_len` bytes behind it.

use crate::event::{Action, Marks, Names};
use crate::formats::{Record, Step};

/// The bytes of a record without what follows it.
pub(crate) const HEAD_BYTES: usize = 48;
/// The upper three bytes of the first field; the lowest is the version.
const MAGIC: u32 = 0x6561_7400;

/// The categories, in the upper half of `action`.
const FLUSH: u32 = 1 << 2;
const WRITE: u32 = 1 << 1;
const SYNC: u32 = 1 << 3;
const NOTIFY: u32 = 1 << 10;
const AHEAD: u32 = 1 << 11;
const META: u32 = 1 << 12;
const DISCARD: u32 = 1 << 13;
const FUA: u32 = 1 << 15;

/// The order of the bytes in a trace: that of the machine it was made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// Returns the order of a trace that begins with these bytes.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let first: [u8; 4] = head.get(..4)?.try_into().ok()?;
        if u32::from_le_bytes(first) & !0xff == MAGIC {
            return Some(Order::Little);
        }
        (u32::from_be_bytes(first) & !0xff == MAGIC).then_some(Order::Big)
    }

    fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let two = [bytes[at], bytes[at + 1]];
        match self {
            Order::Little => u16::from_le_bytes(two),
            Order::Big => u16::from_be_bytes(two),
        }
    }

    fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let four = std::array::from_fn(|index| bytes[at + index]);
        match self {
            Order::Little => u32::from_le_bytes(four),
            Order::Big => u32::from_be_bytes(four),
        }
    }

    fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let eight = std::array::from_fn(|index| bytes[at + index]);
        match self {
            Order::Little => u64::from_le_bytes(eight),
            Order::Big => u64::from_be_bytes(eight),
        }
    }

    /// Returns how many bytes follow a record's head.
    pub(crate) fn behind(self, head: &[u8; HEAD_BYTES]) -> usize {
        usize::from(self.u16(head, 46))
    }

    /// Returns whether a head has the right first field.
    pub(crate) fn is_head(self, head: &[u8; HEAD_BYTES]) -> bool {
        Order::of(head) == Some(self)
    }

    /// Reads a record; nothing if it tells of no I/O. `behind` are the bytes after the head.
    pub(crate) fn record(
        self,
        head: &[u8; HEAD_BYTES],
        behind: &[u8],
        names: &mut Names,
    ) -> Option<Record> {
        let (action, pid, device) = (self.u32(head, 28), self.u32(head, 32), self.u32(head, 36));
        let (category, what) = (action >> 16, action & 0xff);
        if category & NOTIFY != 0 {
            if what == 0 {
                let end = behind
                    .iter()
                    .position(|byte| *byte == 0)
                    .unwrap_or(behind.len());
                names.name_process(pid, &behind[..end]);
            }
            return None;
        }
        let step = match what {
            1 => Step::Queue,
            12 => Step::Insert,
            7 => Step::Issue,
            8 => Step::Complete,
            _ => return None,
        };
        let length_bytes = u64::from(self.u32(head, 24));
        let action = match category {
            _ if category & DISCARD != 0 => Action::Discard,
            _ if category & FLUSH != 0 && length_bytes == 0 => Action::Flush,
            _ if category & WRITE != 0 => Action::Write,
            _ => Action::Read,
        };
        let marks = Marks {
            is_sync: category & SYNC != 0,
            is_fua: category & FUA != 0,
            flushes_first: category & FLUSH != 0 && length_bytes > 0,
            is_metadata: category & META != 0,
            is_read_ahead: category & AHEAD != 0,
        };
        Some(Record {
            clock_ns: self.u64(head, 8),
            step,
            action,
            marks,
            offset_bytes: match action {
                Action::Flush => 0,
                _ => self.u64(head, 16).checked_mul(512)?,
            },
            length_bytes,
            device: names.device_of_number(device)?,
            process: names.process(b"", Some(pid)),
        })
    }
}
