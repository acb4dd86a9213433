//! Whether a partition is aligned for its disk and the array.

use stripewise_study::warning::{AlignmentUnit, Warning};
use stripewise_units::Bytes;

use super::examined::Examined;

/// The block size of every filesystem and drive of today.
const BLOCK_BYTES: u64 = 4096;

/// Returns the units that a partition's start is not a multiple of, the smallest first; none for a
/// whole disk. `chunk` is the chunk size of the array to be built on it.
///
/// If the start misses the physical block, only that is reported: it costs most, and moving the
/// partition fixes all.
pub fn alignment(device: &Examined, chunk: Option<Bytes>) -> Vec<Warning> {
    let Some(start) = device.partition_start_bytes else {
        return Vec::new();
    };
    let physical = device.physical_block_bytes;
    // USB bridges report 65535 sectors, which is no useful alignment.
    let optimal = device
        .optimal_io_bytes
        .filter(|bytes| bytes.as_u64().is_multiple_of(BLOCK_BYTES));
    let units = [
        (AlignmentUnit::PhysicalBlock, Some(physical)),
        (AlignmentUnit::OptimalIo, optimal),
        (AlignmentUnit::Chunk, chunk),
    ];
    // The first physical block may begin before the disk does (the jumper of early drives with 4
    // KiB sectors): the kernel reports how far the partition is off.
    let distance = |unit| match unit {
        AlignmentUnit::PhysicalBlock => device.alignment_offset_bytes,
        AlignmentUnit::OptimalIo | AlignmentUnit::Chunk => start,
    };
    let missed = units.into_iter().filter_map(|(unit, bytes)| {
        let unit_bytes = bytes.filter(|bytes| bytes.as_u64() > 0)?;
        let is_met = distance(unit).as_u64().is_multiple_of(unit_bytes.as_u64());
        (!is_met).then(|| Warning::PartitionMisaligned {
            device: device.name.clone(),
            start_bytes: start,
            unit,
            unit_bytes,
        })
    });
    let mut missed: Vec<Warning> = missed.collect();
    let is_block = |warning: &Warning| {
        matches!(
            warning,
            Warning::PartitionMisaligned {
                unit: AlignmentUnit::PhysicalBlock,
                ..
            }
        )
    };
    if missed.first().is_some_and(is_block) {
        missed.truncate(1);
    }
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the units that a partition at `start` misses on a disk with 4 KiB blocks.
    fn missed(start: u64, optimal: u64, chunk: u64) -> Vec<AlignmentUnit> {
        let device = Examined {
            named: "/dev/disk/by-partuuid/1".into(),
            path: "/dev/sdb1".into(),
            name: "sdb1".to_owned(),
            disk: "sdb".to_owned(),
            rdev: 0,
            diskseq: None,
            size_bytes: Bytes::GIB,
            model: None,
            serial: None,
            wwid: None,
            backing_file: None,
            logical_block_bytes: Bytes::new(512),
            physical_block_bytes: Bytes::new(4096),
            optimal_io_bytes: Some(Bytes::new(optimal)),
            alignment_offset_bytes: Bytes::new((4096 - start % 4096) % 4096),
            rotational: false,
            partition_number: None,
            partition_start_bytes: Some(Bytes::new(start)),
            marker: None,
        };
        let whole = Examined {
            partition_start_bytes: None,
            ..device.clone()
        };
        assert_eq!(alignment(&whole, Some(Bytes::new(chunk))), []);
        let units = alignment(&device, Some(Bytes::new(chunk)));
        let unit = |warning| match warning {
            Warning::PartitionMisaligned { unit, .. } => unit,
            other => panic!("{other:?}"),
        };
        units.into_iter().map(unit).collect()
    }

    #[test]
    fn a_partition_start_is_checked_against_block_optimal_io_and_chunk() {
        use AlignmentUnit::{Chunk, OptimalIo, PhysicalBlock};
        const MIB: u64 = 1 << 20;
        assert_eq!(missed(MIB, 65536, 512 << 10), []);
        assert_eq!(missed(63 * 512, 65536, 512 << 10), [PhysicalBlock]);
        assert_eq!(missed(MIB + 4096, 65536, 4096), [OptimalIo]);
        assert_eq!(missed(MIB, 3 * 65536, 3 << 20), [OptimalIo, Chunk]);
        assert_eq!(missed(MIB, 65535 * 512, 0), [], "a USB bridge");
    }
}
