//! Self-describing records: each sector says which record of which writer it belongs to, so that a
//! checker needs no other knowledge to tell an old record from a new, torn or foreign one.
//!
//! ```text
//! sector of 512 bytes, little endian:
//!   0    seed of the load        u64
//!   8    sequence of the record  u64   0: written before the recording began
//!   16   writer                  u32
//!   20   sector within the record u32
//!   24   place of the record     u64
//!   32   filler, from all of the above
//!   508  CRC-32 of bytes 0 to 507
//! ```

use crate::random::Random;

/// The size of a sector, and the smallest record.
pub const SECTOR_BYTES: usize = 512;

const FILLER: std::ops::Range<usize> = 32..508;

/// The identity of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The seed of the load.
    pub seed: u64,
    /// Its writer.
    pub writer: u32,
    /// Its number, counted from 1 for each writer; 0 was there before.
    pub sequence: u64,
    /// Its place in the writer's file.
    pub place: u64,
}

/// The content of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaceContent {
    /// The lowest sequence in any of its intact sectors.
    pub lowest: u64,
    /// The highest.
    pub highest: u64,
    /// Sectors of zeroes.
    pub blank: u32,
    /// Sectors that no record of this place has: damaged, or of another place, writer or load.
    pub foreign: u32,
}

impl Record {
    /// Fills `data`, a multiple of [`SECTOR_BYTES`], with this record.
    pub fn fill(&self, data: &mut [u8]) {
        for (number, sector) in data.chunks_exact_mut(SECTOR_BYTES).enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            sector[..32].copy_from_slice(&self.head(number));
            let mut filler = Random::new(self.seed ^ self.sequence, self.place ^ u64::from(number));
            for part in sector[FILLER].chunks_mut(8) {
                part.copy_from_slice(&filler.next_u64().to_le_bytes()[..part.len()]);
            }
            let sum = crc32fast::hash(&sector[..508]).to_le_bytes();
            sector[508..].copy_from_slice(&sum);
        }
    }

    fn head(&self, sector: u32) -> [u8; 32] {
        let mut head = [0; 32];
        head[..8].copy_from_slice(&self.seed.to_le_bytes());
        head[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        head[16..20].copy_from_slice(&self.writer.to_le_bytes());
        head[20..24].copy_from_slice(&sector.to_le_bytes());
        head[24..].copy_from_slice(&self.place.to_le_bytes());
        head
    }

    /// Returns what `data`, read from the place of this record, holds. The record's sequence does not
    /// matter.
    pub fn find(&self, data: &[u8]) -> PlaceContent {
        let mut found = PlaceContent {
            lowest: u64::MAX,
            ..PlaceContent::default()
        };
        for (number, sector) in data.chunks_exact(SECTOR_BYTES).enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            match self.sequence_in(number, sector) {
                Some(sequence) => {
                    found.lowest = found.lowest.min(sequence);
                    found.highest = found.highest.max(sequence);
                }
                None if sector.iter().all(|byte| *byte == 0) => found.blank += 1,
                None => found.foreign += 1,
            }
        }
        found.lowest = found.lowest.min(found.highest);
        found
    }

    /// Returns the sequence in a sector of this place; `None` if it is damaged or not of this place.
    fn sequence_in(&self, number: u32, sector: &[u8]) -> Option<u64> {
        let (data, sum) = sector.split_at_checked(508)?;
        let is_whole = crc32fast::hash(data).to_le_bytes() == sum;
        let sequence = u64::from_le_bytes(data.get(8..16)?.try_into().ok()?);
        let expected = Self { sequence, ..*self };
        (is_whole && data[..32] == expected.head(number)).then_some(sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: Record = Record {
        seed: 3,
        writer: 2,
        sequence: 9,
        place: 5,
    };

    fn filled(record: Record) -> Vec<u8> {
        let mut data = vec![0; 4096];
        record.fill(&mut data);
        data
    }

    #[test]
    fn an_old_a_torn_a_blank_and_a_foreign_record_are_told_apart() {
        let data = filled(RECORD);
        let whole = PlaceContent {
            lowest: 9,
            highest: 9,
            ..PlaceContent::default()
        };
        assert_eq!(RECORD.find(&data), whole);

        let mut torn = filled(Record {
            sequence: 12,
            ..RECORD
        });
        torn[2048..].copy_from_slice(&data[2048..]);
        assert_eq!(
            RECORD.find(&torn),
            PlaceContent {
                highest: 12,
                ..whole
            }
        );

        let mut blank = data.clone();
        blank[512..1024].fill(0);
        assert_eq!(RECORD.find(&blank), PlaceContent { blank: 1, ..whole });
        assert_eq!(RECORD.find(&[0; 4096]).lowest, 0);

        for other in [
            Record { place: 6, ..RECORD },
            Record {
                writer: 1,
                ..RECORD
            },
            Record { seed: 4, ..RECORD },
        ] {
            assert_eq!(RECORD.find(&filled(other)).foreign, 8);
        }
        for at in 0..4096 {
            let mut damaged = data.clone();
            damaged[at] ^= 0x10;
            assert_eq!(RECORD.find(&damaged).foreign, 1, "byte {at}");
        }
        // Sectors that changed places are foreign, too.
        let mut swapped = data.clone();
        swapped[..512].copy_from_slice(&data[512..1024]);
        assert_eq!(RECORD.find(&swapped).foreign, 1);
    }
}
