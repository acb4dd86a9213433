//! The marker on a claimed device: identifies the run that left it, if the program is killed.
//!
//! It lies where the usual formats do not write: after LVM's label (sectors 0 to 3) and before md's
//! superblock version 1.2 (4 KiB). mkfs and raw load may overwrite it, which is harmless: the
//! marker alone decides nothing. A signature is ours only by its UUID.
//!
//! ```text
//! 0         512       1024           2048            2560             4096
//! +---------+---------+--------------+---------------+----------------+----
//! | MBR     | LVM     | ext superbl. | marker        |                | md 1.2, ...
//! +---------+---------+--------------+---------------+----------------+----
//!
//! marker:  0  24  "stripewise marker v1\n\0\0\0"
//!         24   6  token                                      see `token`
//!         30   2  zero
//!         32   8  when, in nanoseconds since 1970, little endian
//!         40 468  zero
//!        508   4  CRC-32 of the bytes before, little endian
//! ```

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{SystemTime, UNIX_EPOCH};

use super::token::{TOKEN_BYTES, Token};

/// The offset of the marker.
const OFFSET_BYTES: u64 = 2048;
/// Its length.
const LENGTH_BYTES: usize = 512;
const MAGIC: &[u8; 24] = b"stripewise marker v1\n\0\0\0";
const TOKEN_AT: usize = MAGIC.len();
const TIME_AT: usize = 32;
const CHECKSUM_AT: usize = LENGTH_BYTES - 4;

/// A marker read from a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    /// The owner.
    pub token: Token,
    /// When it was written.
    pub written_unix_ns: u64,
}

impl Marker {
    /// Returns a marker with the current time.
    pub(super) fn new(token: Token) -> Self {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = elapsed.map_or(0, |elapsed| elapsed.as_nanos());
        Self {
            token,
            written_unix_ns: u64::try_from(nanos).unwrap_or(u64::MAX),
        }
    }

    fn encode(self) -> [u8; LENGTH_BYTES] {
        let mut bytes = [0; LENGTH_BYTES];
        bytes[..TOKEN_AT].copy_from_slice(MAGIC);
        bytes[TOKEN_AT..TOKEN_AT + TOKEN_BYTES].copy_from_slice(&self.token.as_bytes());
        bytes[TIME_AT..TIME_AT + 8].copy_from_slice(&self.written_unix_ns.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..CHECKSUM_AT]);
        bytes[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; LENGTH_BYTES]) -> Option<Self> {
        let checksum = crc32fast::hash(&bytes[..CHECKSUM_AT]).to_le_bytes();
        if !bytes.starts_with(MAGIC) || !bytes.ends_with(&checksum) {
            return None;
        }
        let token = bytes[TOKEN_AT..TOKEN_AT + TOKEN_BYTES].try_into().ok()?;
        let time = bytes[TIME_AT..TIME_AT + 8].try_into().ok()?;
        Some(Self {
            token: Token::from_bytes(token),
            written_unix_ns: u64::from_le_bytes(time),
        })
    }

    /// Zeroes the marker in the first bytes of a device.
    pub(super) fn blank(head: &mut [u8]) {
        let bytes = head
            .iter_mut()
            .skip(usize::try_from(OFFSET_BYTES).unwrap_or_default());
        bytes.take(LENGTH_BYTES).for_each(|byte| *byte = 0);
    }

    /// Reads the marker of a device; `None` if it has none or a damaged one.
    pub(super) fn read(device: &File) -> io::Result<Option<Self>> {
        let mut bytes = [0; LENGTH_BYTES];
        device.read_exact_at(&mut bytes, OFFSET_BYTES)?;
        Ok(Self::decode(&bytes))
    }

    /// Writes the marker to a device, durably.
    pub(super) fn write(self, device: &File) -> io::Result<()> {
        device.write_all_at(&self.encode(), OFFSET_BYTES)?;
        device.sync_all()
    }

    /// Writes zeroes over the marker of a device, durably.
    pub(super) fn erase(device: &File) -> io::Result<()> {
        device.write_all_at(&[0; LENGTH_BYTES], OFFSET_BYTES)?;
        device.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_round_trips_and_changes_no_other_byte() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[7; 8192], 0).unwrap();
        assert_eq!(Marker::read(&file).unwrap(), None);
        let marker = Marker::new(Token::draw().unwrap());
        marker.write(&file).unwrap();
        assert_eq!(Marker::read(&file).unwrap(), Some(marker));
        Marker::erase(&file).unwrap();
        assert_eq!(Marker::read(&file).unwrap(), None);
        let mut bytes = vec![0; 8192];
        file.read_exact_at(&mut bytes, 0).unwrap();
        let touched: Vec<usize> = (0..8192).filter(|at| bytes[*at] != 7).collect();
        assert_eq!(touched, (2048..2560).collect::<Vec<usize>>());
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = Marker::new("3f9c52a1b07d".parse().unwrap()).encode();
        assert!(Marker::decode(&good).is_some());
        for bit in 0..8 * LENGTH_BYTES {
            let mut bad = good;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Marker::decode(&bad), None, "bit {bit}");
        }
    }
}
