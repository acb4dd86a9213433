//! Finds magic numbers on a device, whether or not their superblocks are valid.
//!
//! `wipefs` and `blkid` list a superblock only if they consider it valid. One with a wrong
//! checksum, an impossible field or only a backup copy left may still hold data that its owner
//! wants back. This module checks only the numbers (`magic_table`), each at the places where its
//! format stores it.
//!
//! ```text
//! 0          1 MiB         64 MiB                          1 MiB before the end     end
//! +-----------+--- ... -----+--- ... -----------------------+------------------------+
//! | one read  | 512 bytes for each further place            | one read               |
//! ```
//!
//! Less than one in 100 million devices full of random bytes appears to have a magic number
//! (`magic_tests` computes it). The data that fio writes is random or zeroes.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use super::magic_table::{Extra, Identity, MagicEntry, MagicOffset, ROWS};

/// How much to read at either end.
const END_BYTES: u64 = 1 << 20;
/// The size of a ZFS label, and of its part before the uberblocks.
const ZFS_LABEL_BYTES: u64 = 256 << 10;
const ZFS_RING_BYTES: u64 = 128 << 10;
/// The smallest distance of two uberblocks.
const ZFS_SLOT_BYTES: u64 = 1 << 10;
/// Where a ZFS label stores the name of its pool, and how much of that to read.
const ZFS_PAIRS_BYTES: u64 = 16 << 10;
const ZFS_PAIRS_READ: usize = 4096;
/// The header of the pool's name in a label: the pair `name`, a string, one element (RFC 1832
/// encoding, OpenZFS `module/nvpair/nvpair.c`). Its length and the name follow.
const ZFS_NAME_KEY: &[u8] = b"\0\0\0\x04name\0\0\0\x09\0\0\0\x01";

/// A magic number found on a device.
#[derive(Debug)]
pub(super) struct FoundMagic {
    pub(super) row: &'static MagicEntry,
    pub(super) offset_bytes: u64,
    /// The UUID beside it, if its format has one.
    pub(super) uuid: Option<String>,
    /// The label beside it.
    pub(super) label: Option<String>,
}

/// The result of a search for magic numbers.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) found: Vec<FoundMagic>,
    /// Why one of the places could not be read.
    pub(super) unreadable: Option<io::Error>,
}

/// Looks for every magic number at each of its places. Nothing is written.
///
/// # Errors
/// If the size of the device is unknown.
pub(super) fn find(device: &File) -> io::Result<Search> {
    let bytes = Contents::read(device)?;
    let mut search = Search {
        found: Vec::new(),
        unreadable: None,
    };
    for row in ROWS {
        for offset_bytes in row.place.offsets(bytes.size_bytes) {
            match bytes.find(row, offset_bytes) {
                Ok(found) => search.found.extend(found),
                Err(error) => search.unreadable = Some(error),
            }
        }
    }
    Ok(search)
}

impl MagicOffset {
    /// Returns the byte offsets of this place on a device of this size.
    pub(super) fn offsets(self, size_bytes: u64) -> Vec<u64> {
        match self {
            MagicOffset::Start(offset) => vec![offset],
            MagicOffset::End(back) => size_bytes.checked_sub(back).into_iter().collect(),
            MagicOffset::Aligned { unit, back } => (size_bytes / unit * unit)
                .checked_sub(back)
                .into_iter()
                .collect(),
            MagicOffset::ZfsUberblocks => {
                let end = size_bytes / ZFS_LABEL_BYTES * ZFS_LABEL_BYTES;
                let last = [2, 1].map(|back| end.checked_sub(back * ZFS_LABEL_BYTES));
                let mut labels = vec![0, ZFS_LABEL_BYTES];
                labels.extend(last.into_iter().flatten());
                labels.sort_unstable();
                labels.dedup();
                let slots = ZFS_RING_BYTES / ZFS_SLOT_BYTES;
                let in_label = |label| {
                    (0..slots).map(move |slot| label + ZFS_RING_BYTES + slot * ZFS_SLOT_BYTES)
                };
                labels.into_iter().flat_map(in_label).collect()
            }
        }
    }
}

/// A device, with both of its ends in memory.
struct Contents<'a> {
    device: &'a File,
    size_bytes: u64,
    ends: [Window; 2],
}

/// One end of a device. If it cannot be read, we do not retry in parts: a failing disk takes
/// seconds for each read.
struct Window {
    from: u64,
    length: u64,
    bytes: io::Result<Vec<u8>>,
}

impl Window {
    fn read(device: &File, from: u64, length: u64) -> Self {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        let read = device.read_exact_at(&mut bytes, from);
        Self {
            from,
            length,
            bytes: read.map(|()| bytes),
        }
    }

    /// Returns bytes of the device; `None` if they are not all in this window.
    fn at(&self, offset_bytes: u64, length: usize) -> Option<io::Result<&[u8]>> {
        let start = offset_bytes.checked_sub(self.from)?;
        let end = start.checked_add(u64::try_from(length).ok()?)?;
        if end > self.length {
            return None;
        }
        match &self.bytes {
            Ok(bytes) => {
                let start = usize::try_from(start).ok()?;
                bytes.get(start..start + length).map(Ok)
            }
            Err(error) => Some(Err(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => error.kind().into(),
            })),
        }
    }
}

impl<'a> Contents<'a> {
    fn read(device: &'a File) -> io::Result<Self> {
        let mut end = device;
        let size_bytes = end.seek(SeekFrom::End(0))?;
        let length = END_BYTES.min(size_bytes);
        let ends = [0, size_bytes - length].map(|from| Window::read(device, from, length));
        Ok(Self {
            device,
            size_bytes,
            ends,
        })
    }

    /// Returns the magic number at this offset, if there is one.
    fn find(&self, row: &'static MagicEntry, offset_bytes: u64) -> io::Result<Option<FoundMagic>> {
        if !self.has(row, offset_bytes)? {
            return Ok(None);
        }
        let (uuid, label) = self.identity(row, offset_bytes)?;
        Ok(Some(FoundMagic {
            row,
            offset_bytes,
            uuid,
            label,
        }))
    }

    /// Returns bytes of the device; `None` beyond its end.
    fn at(&self, offset_bytes: u64, length: usize) -> io::Result<Option<Cow<'_, [u8]>>> {
        let mut ends = self.ends.iter();
        if let Some(bytes) = ends.find_map(|end| end.at(offset_bytes, length)) {
            return bytes.map(|bytes| Some(Cow::Borrowed(bytes)));
        }
        let end = offset_bytes.checked_add(u64::try_from(length).unwrap_or(u64::MAX));
        if end.is_none_or(|end| end > self.size_bytes) {
            return Ok(None);
        }
        let mut bytes = vec![0; length];
        self.device.read_exact_at(&mut bytes, offset_bytes)?;
        Ok(Some(Cow::Owned(bytes)))
    }

    /// Returns the bytes at `distance` from a magic number.
    fn beside(
        &self,
        offset_bytes: u64,
        distance: i64,
        length: usize,
    ) -> io::Result<Option<Cow<'_, [u8]>>> {
        match offset_bytes.checked_add_signed(distance) {
            Some(offset) => self.at(offset, length),
            None => Ok(None),
        }
    }

    fn has(&self, row: &MagicEntry, offset_bytes: u64) -> io::Result<bool> {
        let is_there = |distance, expected: &[u8]| {
            let found = self.beside(offset_bytes, distance, expected.len())?;
            io::Result::Ok(found.is_some_and(|found| *found == *expected))
        };
        if !is_there(0, row.magic)? {
            return Ok(false);
        }
        match row.extra {
            Extra::None => Ok(true),
            Extra::Bytes(distance, expected) => is_there(distance, expected),
            Extra::BootFlags => {
                // Four entries of 16 bytes precede the number; each begins with the boot indicator.
                let table = self.beside(offset_bytes, -64, 64)?;
                Ok(table.is_some_and(|table| {
                    let flags = table.iter().step_by(16);
                    flags.filter(|flag| matches!(flag, 0 | 0x80)).count() >= 3
                }))
            }
        }
    }

    /// Returns the UUID and the label beside a magic number.
    fn identity(
        &self,
        row: &MagicEntry,
        offset_bytes: u64,
    ) -> io::Result<(Option<String>, Option<String>)> {
        let beside = |distance, length| {
            let bytes = self.beside(offset_bytes, distance, length)?;
            io::Result::Ok(bytes.unwrap_or_default())
        };
        Ok(match row.identity {
            Identity::Nothing => (None, None),
            Identity::Uuid(at) => (Some(hex(&beside(at, 16)?)), None),
            Identity::UuidWords(first, others) => {
                let uuid = [beside(first, 4)?, beside(others, 12)?].concat();
                (Some(hex(&uuid)), None)
            }
            Identity::UuidText(at, length) => (text(&beside(at, length)?), None),
            Identity::Text(at, length) => (None, text(&beside(at, length)?)),
            Identity::Text16(at, length) => {
                let low: Vec<u8> = beside(at, length)?.iter().step_by(2).copied().collect();
                (None, text(&low))
            }
            Identity::ZfsName => {
                let label = offset_bytes / ZFS_LABEL_BYTES * ZFS_LABEL_BYTES;
                let pairs = self.at(label + ZFS_PAIRS_BYTES, ZFS_PAIRS_READ)?;
                (None, pairs.as_deref().and_then(pool_name))
            }
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the text up to the first zero byte; `None` if it is empty or not printable ASCII.
fn text(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.split(|byte| *byte == 0).next()?;
    let is_plain = !bytes.is_empty() && bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    is_plain.then(|| String::from_utf8_lossy(bytes).trim().to_owned())
}

/// Returns the name of the pool from the pairs of a ZFS label.
fn pool_name(pairs: &[u8]) -> Option<String> {
    let at = pairs
        .windows(ZFS_NAME_KEY.len())
        .position(|window| window == ZFS_NAME_KEY)?;
    let rest = &pairs[at + ZFS_NAME_KEY.len()..];
    let (length, rest) = rest.split_at_checked(4)?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    text(rest.get(..usize::try_from(length).ok()?)?)
}

#[cfg(test)]
#[path = "magic_tests.rs"]
mod tests;
