//! Guards against member counts that differ from the real driver's.
//!
//! The numbers are those of kernel 6.1.192 with real md on four members, chunk 32K, no bitmap, one
//! synchronous direct job, read from `/sys/block/*/stat`. There each member had two superblock
//! writes, which the model omits and these numbers exclude.

use crate::support::*;
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Bitmap, Filesystem, Level};
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

fn lab(layout: &str, pattern: Pattern, block_size: u64) -> Sample {
    let case = Case::array(Level::Raid10, Some(layout), 4);
    let ios = 64 * MIB / block_size;
    case.pattern(pattern, block_size)
        .size(64 * MIB)
        .run(ios.min(4096))
}

/// Returns reads and read merges of every member.
fn reads(sample: &Sample) -> Vec<(u64, u64)> {
    each(sample, |device| (device.reads, device.read_merges))
}

/// Returns writes and write merges of every member.
fn writes(sample: &Sample) -> Vec<(u64, u64)> {
    each(sample, |device| (device.writes, device.write_merges))
}

#[test]
fn random_writes_of_two_chunks_on_near_and_far_layouts() {
    for layout in ["n2", "f2"] {
        let sample = lab(layout, Pattern::RandWrite, 64 * KIB);
        assert_eq!(writes(&sample), [(1024, 0); 4], "{layout}");
        let sectors = each(&sample, |device| device.write_bytes.as_u64() / 512);
        assert_eq!(sectors, [65536; 4], "{layout}");
    }
}

#[test]
fn random_writes_of_two_chunks_on_an_offset_layout_merge_on_every_second_member() {
    let sample = lab("o2", Pattern::RandWrite, 64 * KIB);
    assert_eq!(
        writes(&sample),
        [(1024, 0), (512, 512), (1024, 0), (512, 512)]
    );
    let sectors = each(&sample, |device| device.write_bytes.as_u64() / 512);
    assert_eq!(sectors, [65536; 4]);
}

#[test]
fn random_reads_of_two_chunks() {
    let near = lab("n2", Pattern::RandRead, 64 * KIB);
    assert_eq!(reads(&near), [(1024, 0), (0, 0), (1024, 0), (0, 0)]);
    for layout in ["f2", "o2"] {
        let sample = lab(layout, Pattern::RandRead, 64 * KIB);
        assert_eq!(reads(&sample), [(512, 0); 4], "{layout}");
    }
}

#[test]
fn small_random_writes_go_to_both_members_of_a_pair() {
    let sample = lab("n2", Pattern::RandWrite, 4 * KIB);
    let writes = each(&sample, |device| device.writes);
    assert_eq!(writes[0], writes[1]);
    assert_eq!(writes[2], writes[3]);
    assert_eq!(writes.iter().sum::<u64>(), 8192);
}

#[test]
fn small_random_writes_on_raid5_read_the_rest_of_the_row() {
    let case = Case::array(Level::Raid5, None, 4).pattern(Pattern::RandWrite, 4 * KIB);
    let sample = case.size(64 * MIB).run(4096);
    let writes: u64 = each(&sample, |device| device.writes).iter().sum();
    assert_eq!(writes, 2 * 4096);
    // The lab: 7932; the others up to 8192 were hits in the stripe cache.
    let reads: u64 = each(&sample, |device| device.reads).iter().sum();
    assert!((7800..=8100).contains(&reads), "{reads}");
    assert_eq!(
        each(&sample, |device| device.read_merges + device.write_merges),
        [0; 4]
    );
}

/// Returns how many chunks of one read of `block_size` each member serves, under the rules of 4.1.
fn spread_in_4_1(block_size: u64) -> Vec<u64> {
    let mut case = Case::array(Level::Raid10, Some("n2"), 4).pattern(Pattern::RandRead, block_size);
    case.kernel = PUBLISHED;
    let sample = case.run(1);
    each(&sample, |device| device.read_bytes.as_u64() / (32 * KIB))
}

#[test]
fn a_request_on_small_chunks_as_in_the_published_study() {
    assert_eq!(spread_in_4_1(32 * KIB).iter().sum::<u64>(), 1);
    let of_two = spread_in_4_1(64 * KIB);
    assert_eq!(of_two, [1, 0, 1, 0]);
    let of_four = spread_in_4_1(128 * KIB);
    assert_eq!(of_four, [1, 1, 1, 1], "both mirrors are idle once");
    // From the fifth chunk on, all chunks of a pair go to one mirror.
    let of_thirty_two = spread_in_4_1(MIB);
    assert_eq!(of_thirty_two.iter().sum::<u64>(), 32);
    for pair in of_thirty_two.chunks(2) {
        let (few, many) = (pair.iter().min().unwrap(), pair.iter().max().unwrap());
        assert_eq!((*few, *many), (1, 15), "{of_thirty_two:?}");
    }
}

#[test]
fn sequential_reads_as_in_the_published_study() {
    let share = |block_size: u64| {
        let mut case = Case::array(Level::Raid10, Some("n2"), 4).pattern(Pattern::Read, block_size);
        case.kernel = PUBLISHED;
        let sample = case.size(64 * MIB).run(64 * MIB / block_size);
        let breakdown = sample.breakdown.clone().unwrap();
        let sequential = breakdown
            .sequentiality
            .iter()
            .map(|member| member.sequential_reads);
        let reads = each(&sample, |device| device.reads);
        sequential.zip(reads).collect::<Vec<_>>()
    };
    // Chunk by chunk on alternate mirrors: every member sees strides.
    for (sequential, reads) in share(128 * KIB) {
        assert!(sequential * 100 <= reads, "{sequential} of {reads}");
    }
    // One chunk of each pair: the first mirrors serve all reads, in order.
    let members = share(64 * KIB);
    for (sequential, reads) in [members[0], members[2]] {
        assert_eq!(reads, 1024);
        assert!(sequential * 100 >= reads * 99, "{sequential} of {reads}");
    }
    assert_eq!((members[1].1, members[3].1), (0, 0));
}

/// Returns reads and read merges of every RAID 0 member for one read of two chunks of each.
fn read_of_a_stripe_twice(kernel: KernelVersion, filesystem: Filesystem) -> Vec<(u64, u64)> {
    let mut case = Case::array(Level::Raid0, None, 4).pattern(Pattern::RandRead, 256 * KIB);
    case.kernel = kernel;
    case.stack.filesystem = filesystem;
    reads(&case.size(256 * KIB).run(1))
}

#[test]
fn pieces_of_a_read_merge_under_a_plug_only() {
    let merged = [(1, 1); 4];
    let apart = [(2, 0); 4];
    // __blkdev_direct_IO_simple and _async submit one bio without a plug; iomap_dio_rw has one.
    assert_eq!(read_of_a_stripe_twice(LAB, Filesystem::None), apart);
    assert_eq!(read_of_a_stripe_twice(LAB, Filesystem::Existing), merged);
    assert_eq!(read_of_a_stripe_twice(PUBLISHED, Filesystem::None), merged);
}

#[test]
fn a_large_piece_flushes_the_plug_before_the_next_joins_it() {
    // blk_add_rq_to_plug: the newest request has 128 KiB, so the plug is flushed before another is
    // added.
    let merges = |chunk: u64| {
        let case = Case::array(Level::Raid10, Some("o3"), 7).chunk(chunk);
        let case = case.pattern(Pattern::RandWrite, 4 * chunk).size(64 * MIB);
        writes(&case.run(64))
            .iter()
            .map(|member| member.1)
            .sum::<u64>()
    };
    assert!(merges(32 * KIB) > 64);
    assert_eq!(merges(256 * KIB), 0);
}

#[test]
fn a_page_of_the_bitmap_is_as_long_as_its_bits() {
    // The lab: 512 MiB members, 1 MiB before the data; 64K chunks make 8176 bits, 1278 bytes with the
    // header, which is three sectors (write_sb_page).
    let mut device = ssd();
    device.capacity_bytes = 512 * MIB;
    let mut case = Case::array(Level::Raid1, None, 2).on(2, &device);
    case.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(64 * KIB)),
    };
    let sample = case
        .pattern(Pattern::RandWrite, 4 * KIB)
        .size(4 * KIB)
        .run(1);
    let sectors = each(&sample, |device| {
        (device.writes, device.write_bytes.as_u64() / 512)
    });
    assert_eq!(sectors, [(2, 8 + 3); 2]);
}
