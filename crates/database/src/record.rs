//! Records whose content is known: a function of the seed, the writer and the sequence number.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use stripewise_units::splitmix::mixed;

/// The largest payload.
pub const PAYLOAD_BYTES_MAX: u32 = 4096;

/// The content of a database's records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// The seed: records of another seed are not intact.
    pub seed: u64,
    /// The size of a payload, at most [`PAYLOAD_BYTES_MAX`].
    pub payload_bytes: u32,
}

/// A row that was read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReadRow {
    /// Its writer.
    pub writer: u32,
    /// Its number, counted by its writer.
    pub sequence: u64,
    /// Whether every column holds what was written.
    pub is_intact: bool,
}

impl Load {
    /// Returns the values of a record in SQL. `place` is random, so that an index on it is written
    /// all over.
    pub(crate) fn values(self, writer: u32, sequence: u64) -> String {
        let (place, payload) = (self.place(writer, sequence), self.payload(writer, sequence));
        let checksum = checksum(writer, sequence, place, &payload);
        format!("({writer},{sequence},{place},'{payload}',{checksum})")
    }

    /// Reads a line with the columns of a record; `None` if it has no writer or sequence number.
    pub(crate) fn read(self, line: &[u8]) -> Option<ReadRow> {
        let mut columns = line.split(|byte| *byte == b'\t');
        let mut number = || -> Option<u64> {
            let text = std::str::from_utf8(columns.next()?).ok()?;
            text.parse().ok()
        };
        let (writer, sequence) = (u32::try_from(number()?).ok()?, number()?);
        let place = self.place(writer, sequence);
        let payload = self.payload(writer, sequence);
        let checksum = checksum(writer, sequence, place, &payload);
        let expected = format!("{writer}\t{sequence}\t{place}\t{payload}\t{checksum}");
        Some(ReadRow {
            writer,
            sequence,
            is_intact: line == expected.as_bytes(),
        })
    }

    /// Returns the random place of a record, below 2^63.
    fn place(self, writer: u32, sequence: u64) -> u64 {
        self.word(writer, sequence, 0) >> 1
    }

    /// Returns the payload of a record: hexadecimal digits, which no compression removes and no
    /// client escapes.
    pub fn payload(self, writer: u32, sequence: u64) -> String {
        let bytes = self.payload_bytes.min(PAYLOAD_BYTES_MAX);
        let length = usize::try_from(bytes).unwrap_or_default();
        let mut payload = String::with_capacity(length + 16);
        let mut index = 1;
        while payload.len() < length {
            let word = self.word(writer, sequence, index);
            // Writing into a string cannot fail.
            let _ = write!(payload, "{word:016x}");
            index += 1;
        }
        payload.truncate(length);
        payload
    }

    /// Returns a random word of a record.
    fn word(self, writer: u32, sequence: u64, index: u64) -> u64 {
        let words = [u64::from(writer), sequence, index];
        words
            .into_iter()
            .fold(mixed(self.seed), |state, word| mixed(state ^ mixed(word)))
    }
}

fn checksum(writer: u32, sequence: u64, place: u64, payload: &str) -> u32 {
    crc32fast::hash(format!("{writer},{sequence},{place},{payload}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load {
        seed: 7,
        payload_bytes: 100,
    };

    fn line(load: Load) -> String {
        let values = load.values(3, 11);
        let columns = values.trim_matches(['(', ')']).replace(',', "\t");
        columns.replace('\'', "")
    }

    #[test]
    fn a_record_read_back_is_intact_and_any_changed_byte_shows() {
        let line = line(LOAD).into_bytes();
        let intact = ReadRow {
            writer: 3,
            sequence: 11,
            is_intact: true,
        };
        assert_eq!(LOAD.read(&line), Some(intact));
        for index in 0..line.len() {
            let mut changed = line.clone();
            changed[index] ^= 1;
            let row = LOAD.read(&changed);
            assert!(row.is_none_or(|row| !row.is_intact), "byte {index}");
        }
        for rest in 0..line.len() {
            assert!(LOAD.read(&line[..rest]).is_none_or(|row| !row.is_intact));
        }
    }

    #[test]
    fn records_of_another_seed_writer_or_number_differ() {
        let other = Load { seed: 8, ..LOAD };
        assert!(!LOAD.read(line(other).as_bytes()).unwrap().is_intact);
        assert_eq!(LOAD.payload(1, 2).len(), 100);
        assert_ne!(LOAD.payload(1, 2), LOAD.payload(2, 1));
        assert_ne!(LOAD.payload(1, 2), LOAD.payload(1, 3));
    }
}
