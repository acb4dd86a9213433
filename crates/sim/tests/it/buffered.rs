//! Buffered I/O: windows of read-ahead, files in memory, write-back, and a table of both.

use std::fmt::Write as _;

use expect_test::expect_file;
use stripewise_study::conditions::State;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::stack::{Filesystem, Level};
use stripewise_study::warning::Warning;
use stripewise_study::workload::{Engine, Pattern};
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::support::{Case, GIB, KIB, MIB, disk};

/// Returns a case of buffered I/O on files that memory does not hold yet.
fn cold(case: Case, pattern: Pattern, block_size: u64) -> Case {
    let mut case = case.pattern(pattern, block_size);
    case.workload.load.direct = false;
    case.conditions.drop_caches = Some(true);
    case
}

/// Returns the mean size of the members' reads of a long sequential stream, in KiB.
fn mean_read_kib(case: &Case, block_size: u64) -> u64 {
    let sample = cold(case.clone(), Pattern::Read, block_size).run(512 * MIB / block_size);
    let reads: u64 = sample.devices.iter().map(|device| device.reads).sum();
    let bytes = sample.devices.iter();
    let bytes: u64 = bytes.map(|device| device.read_bytes.as_u64()).sum();
    // The windows ahead of the last read count, too.
    assert!(bytes >= sample.read.bytes.as_u64());
    assert!(bytes <= sample.read.bytes.as_u64() + 64 * MIB);
    bytes / reads / KIB
}

#[test]
fn the_window_decides_the_size_of_requests() {
    let is_default = |case: &Case| (254..=256).contains(&mean_read_kib(case, 64 * KIB));
    // 128 KiB, doubled by fio's POSIX_FADV_SEQUENTIAL.
    assert!(is_default(&Case::single()));
    assert!(is_default(&Case::array(Level::Raid1, None, 2)));
    // Windows of 8 MiB in bios of 1 MiB, cut at chunks. Windows that follow one of 256K do not
    // begin at a chunk, and RAID 0 cuts a bio at the length of a chunk before it cuts at borders.
    let raid0 = Case::array(Level::Raid0, None, 4).chunk(512 * KIB);
    assert_eq!(mean_read_kib(&raid0, MIB), 512);
    assert!((254..=256).contains(&mean_read_kib(&raid0, 64 * KIB)));
    // From 6.17 on a hard disk reads ahead two of its longest requests.
    let mut disk = Case::single().on(1, &disk());
    disk.kernel = KernelVersion::new(6, 14, 0);
    assert!(is_default(&disk));
    disk.kernel = KernelVersion::new(6, 17, 0);
    assert!(mean_read_kib(&disk, 64 * KIB) >= 1000);
}

/// The next window is read while the program consumes this one, so a device is never idle.
#[test]
fn read_ahead_keeps_the_device_busy() {
    let sample = cold(Case::single(), Pattern::Read, 4 * KIB).run(20_000);
    let busy = as_f64(sample.devices[0].busy_ns.as_u64()) / as_f64(sample.elapsed_ns.as_u64());
    assert!(busy > 0.97, "{busy}");
}

#[test]
fn a_file_in_memory_costs_only_cpu() {
    let mut case = cold(Case::single(), Pattern::RandRead, 4 * KIB);
    case.conditions.drop_caches = None;
    let sample = case.run(1000);
    assert_eq!(sample.devices[0].reads, 0);
    // The system call, and copying a page.
    assert!((sample.read.latency.mean_ns.unwrap() - 3000.0).abs() < 1.0);
    let warns = |sample: &Sample| {
        let mut warnings = sample.warnings.iter();
        warnings.any(|warning| matches!(warning, Warning::FileFitsInMemory { .. }))
    };
    assert!(warns(&sample));
    // The first pass reads from disk, and so does a file that is larger than memory.
    let mut first = case.clone();
    first.conditions.state = Some(State::Fresh);
    assert_eq!(first.run(1000).devices[0].reads, 1000);
    let large = case.clone().size(2 * GIB).run(1000);
    assert_eq!(large.devices[0].reads, 1000);
    assert!(!warns(&large));
    // What the first pass has read is in memory for the second.
    first.stack.filesystem = Filesystem::Existing;
    let mut twice = first.pattern(Pattern::Read, 64 * KIB).size(16 * MIB);
    twice.conditions.state = Some(State::Fresh);
    let bytes = twice.run(3 * 256).devices[0].read_bytes;
    assert_eq!(bytes, Bytes::new(16 * MIB));
}

#[test]
fn libaio_without_direct_io_has_one_io_in_flight() {
    let case = |engine| {
        let mut case = cold(Case::single(), Pattern::RandRead, 4 * KIB).depth(1, 8);
        case.workload.load.engine = engine;
        case.run(2000).elapsed_ns.as_u64()
    };
    let (libaio, psync) = (case(Engine::Libaio), case(Engine::Psync));
    assert_eq!(libaio, psync);
    assert!(case(Engine::IoUring) < psync / 4);
}

/// `REQ_SYNC` lets a partial stripe read old data at once; other write-back waits for neighbours,
/// which may fill it (`raid5_make_request`).
#[test]
fn write_back_in_the_background_fills_more_stripes() {
    let reads_per_write = |fsync: Option<u32>| {
        let case = Case::array(Level::Raid5, None, 4).chunk(4 * KIB);
        let mut case = cold(case, Pattern::Write, 4 * KIB).size(GIB);
        case.host.memory.dirty_bytes_max = 16 * KIB;
        case.workload.load.fsync_every = fsync.and_then(std::num::NonZeroU32::new);
        let sample = case.run(20_000);
        let sum = |count: fn(&stripewise_study::sample::DeviceDelta) -> u64| {
            as_f64(sample.devices.iter().map(count).sum())
        };
        sum(|device| device.read_bytes.as_u64()) / sum(|device| device.write_bytes.as_u64())
    };
    let (background, synced) = (reads_per_write(None), reads_per_write(Some(1)));
    assert!(background < synced, "{background} and {synced}");
}

/// The stacks of the table, with chunks of 512K, and of studies/buffered.toml.
fn stacks() -> Vec<(&'static str, Case)> {
    let array = |level, layout, members| Case::array(level, layout, members).chunk(512 * KIB);
    vec![
        ("one disk", Case::single()),
        ("raid0 of 4", array(Level::Raid0, None, 4)),
        ("raid10 n2 of 2", array(Level::Raid10, Some("n2"), 2)),
        ("raid10 f2 of 2", array(Level::Raid10, Some("f2"), 2)),
        ("raid5 of 4", array(Level::Raid5, None, 4)),
    ]
}

/// Buffered sequential I/O of the SSD of the tests (500 MB/s) and the lab's kernel.
#[test]
fn a_table_of_buffered_sequential_io() {
    let mut table = String::from(
        "stack           pattern  block  MiB/s  member reads  KiB each  member writes  KiB each\n",
    );
    for (name, case) in stacks() {
        for (pattern, word) in [(Pattern::Read, "read"), (Pattern::Write, "write")] {
            for block in [4 * KIB, 64 * KIB, MIB] {
                let case = cold(case.clone(), pattern, block).size(4 * GIB);
                let sample = case.run(512 * MIB / block);
                let bytes = as_f64(sample.bytes().as_u64());
                let rate = bytes / as_f64(sample.elapsed_ns.as_u64()) * 1e9 / as_f64(MIB);
                let devices = || sample.devices.iter();
                let reads: u64 = devices().map(|device| device.reads).sum();
                let writes: u64 = devices().map(|device| device.writes).sum();
                let read: u64 = devices().map(|device| device.read_bytes.as_u64()).sum();
                let written: u64 = devices().map(|device| device.write_bytes.as_u64()).sum();
                let each = |bytes: u64, count: u64| bytes / count.max(1) / KIB;
                let _ = writeln!(
                    table,
                    "{name:14}  {word:7}  {:4}K  {rate:5.0}  {reads:12}  {:8}  {writes:13}  {:8}",
                    block / KIB,
                    each(read, reads),
                    each(written, writes),
                );
            }
        }
    }
    expect_file!["buffered.txt"].assert_eq(&table);
}
