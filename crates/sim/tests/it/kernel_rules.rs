//! Rules of the kernel that show in the requests of the members, or in their times.

use std::num::NonZeroU32;

use stripewise_profiles::device::DeviceProfile;
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Bitmap, Filesystem, Level};
use stripewise_study::workload::Pattern;
use stripewise_units::kernel::KernelVersion;
use stripewise_units::{Bytes, Nanos};

use crate::support::{Case, GIB, KIB, MIB, changed, each, mean_ns, ssd};

fn on_kernel(mut case: Case, text: &str) -> Case {
    case.kernel = KernelVersion::parse(text).unwrap();
    case
}

fn with_bitmap(mut case: Case) -> Case {
    case.stack.array.as_mut().unwrap().bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(MIB)),
    };
    case
}

fn on_files(mut case: Case) -> Case {
    case.stack.filesystem = Filesystem::Existing;
    case
}

/// Returns an SSD with several hardware queues.
fn nvme() -> DeviceProfile {
    changed(ssd(), |profile| profile.link.full_duplex = true)
}

fn writes(sample: &Sample) -> Vec<u64> {
    each(sample, |device| device.writes)
}

/// Guards against writes that begin on a clean array as if it were in use.
#[test]
fn after_a_pause_a_write_waits_for_the_superblocks_of_all_members() {
    let paused = |level, members, pause_ms| {
        let mut case = Case::array(level, None, members).pattern(Pattern::Write, 32 * KIB);
        case.workload.load.think_time_ns = Nanos::from_millis(pause_ms);
        case.run(10)
    };
    let (busy, idle) = (paused(Level::Raid1, 2, 0), paused(Level::Raid1, 2, 500));
    // Between two writes the array turns clean, and into use again.
    assert_eq!(writes(&busy), [10, 10]);
    assert_eq!(writes(&idle), [10 + 9 + 9, 10 + 9 + 9]);
    assert!(mean_ns(&idle) > mean_ns(&busy) * 1.3, "{idle:?}");
    assert_eq!(writes(&paused(Level::Raid1, 2, 150)), [10, 10]);
    // Levels without redundancy have no clean state.
    let raid0 = paused(Level::Raid0, 2, 500);
    assert_eq!(writes(&raid0).iter().sum::<u64>(), 10);
    let raid5 = |pause_ms| {
        writes(&paused(Level::Raid5, 3, pause_ms))
            .iter()
            .sum::<u64>()
    };
    assert_eq!(raid5(500), raid5(0) + 3 * 18);
}

#[test]
fn a_bitmap_s_first_page_is_written_before_the_superblocks() {
    let run = |pause_ms| {
        let case = Case::array(Level::Raid1, None, 2).pattern(Pattern::Write, 4 * KIB);
        let mut case = with_bitmap(case);
        case.workload.load.think_time_ns = Nanos::from_millis(pause_ms);
        case.run(10)
    };
    assert_eq!(writes(&run(0)), [11, 11]);
    assert_eq!(writes(&run(500)), [11 + 9 * 4, 11 + 9 * 4]);
}

/// From 6.5 to 6.9 the thread takes all writes that wait, and writes their page of the bitmap once.
#[test]
fn a_mirrors_thread_writes_the_bitmap_for_all_writes_that_wait() {
    let load = Case::array(Level::Raid1, None, 2).pattern(Pattern::Write, 4 * KIB);
    let load = with_bitmap(load).depth(1, 16);
    let merges = |sample: &Sample| each(sample, |device| device.write_merges);
    let (thread, task) = (
        on_kernel(load.clone(), "6.6").run(200),
        on_kernel(load.clone(), "6.12.95").run(200),
    );
    assert!(
        merges(&thread).iter().all(|merges| *merges > 50),
        "{thread:?}"
    );
    assert_eq!(merges(&task), [0, 0]);
    let bytes = |sample: &Sample| each(sample, |device| device.write_bytes);
    assert_eq!(bytes(&thread), bytes(&task));
    // Files have a plug of their own.
    let of_files = on_kernel(on_files(load), "6.6").run(200);
    assert_eq!(merges(&of_files), [0, 0]);
}

/// A mirror that holds back 32 bios per copy sends the first of a large write before its last.
#[test]
fn since_6_5_a_mirror_holds_back_only_so_many_bios() {
    let load = Case::array(Level::Raid10, Some("n2"), 4).chunk(4 * KIB);
    let slow = changed(ssd(), |profile| profile.write.servers = 1);
    let load = on_files(with_bitmap(load.on(4, &slow))).pattern(Pattern::Write, 8 * MIB);
    let time = |kernel| mean_ns(&on_kernel(load.clone(), kernel).run(20));
    assert!(
        time("6.5") < time("6.4") * 0.99,
        "{} {}",
        time("6.5"),
        time("6.4")
    );
}

/// One read of 16 chunks on four members, of which adjacent pieces may merge.
#[test]
fn old_kernels_plug_nvme_less_than_sata() {
    let requests = |profile: &DeviceProfile, kernel| {
        let case = Case::array(Level::Raid0, None, 4).chunk(4 * KIB);
        let case = case
            .on(4, profile)
            .pattern(Pattern::Read, 64 * KIB)
            .depth(1, 1);
        each(&on_kernel(case, kernel).run(1), |device| device.reads)
    };
    assert_eq!(requests(&ssd(), "4.1"), [1; 4]);
    assert_eq!(requests(&nvme(), "4.1"), [4; 4]);
    assert_eq!(requests(&nvme(), "4.4"), [1; 4]);
    assert_eq!(requests(&nvme(), "5.4"), [1; 4]);
}

/// Guards against mirrors that choose a member once for a bio longer than the array takes.
#[test]
fn an_array_cuts_bios_before_it_chooses_a_member() {
    let reads = |request_kib: u64, level, layout, members| {
        let mut device = ssd();
        device.request_bytes_max = Some(request_kib * KIB);
        let case = Case::array(level, layout, members).on(members, &device);
        let case = case.pattern(Pattern::RandRead, 512 * KIB).chunk(GIB);
        each(&case.run(1), |device| device.reads)
    };
    // raid10 finds the first member busy; on raid1 the second piece continues the first one.
    assert_eq!(reads(512, Level::Raid10, Some("n2"), 2), [1, 0]);
    assert_eq!(reads(256, Level::Raid10, Some("n2"), 2), [1, 1]);
    assert_eq!(reads(256, Level::Raid1, None, 2), [2, 0]);
}

#[test]
fn requests_to_members_grow_with_6_17() {
    let requests = |kernel| {
        let case = Case::single().pattern(Pattern::Read, 4 * MIB).size(GIB);
        each(&on_kernel(case, kernel).run(1), |device| device.reads)
    };
    assert_eq!(requests("6.16"), [4]);
    assert_eq!(requests("6.17"), [1]);
}

/// RAID 6 of six: a block of a row costs three blocks either way, two blocks of old data and the
/// parity are less than the rest only from 4.1 on.
#[test]
fn before_4_1_raid6_always_reads_the_rest_of_the_row() {
    let reads = |kernel| {
        let case = Case::array(Level::Raid6, None, 7).chunk(4 * KIB);
        let case = case.pattern(Pattern::RandWrite, 4 * KIB);
        let reads = each(&on_kernel(case, kernel).run(1), |device| device.reads);
        reads.iter().sum::<u64>()
    };
    // Five members hold data: the rest are four blocks; old data, P and Q are three.
    assert_eq!(reads("4.0"), 4);
    assert_eq!(reads("4.1"), 3);
}

#[test]
fn a_long_read_moves_to_an_idle_mirror_only_if_disks_report_an_optimal_size() {
    // A read from sector 0 begins no run, so the second job has the first one.
    let of_third = |optimal_io_bytes| {
        let mut device = ssd();
        device.optimal_io_bytes = optimal_io_bytes;
        let case = Case::array(Level::Raid1, None, 3).on(3, &device);
        let case = case.pattern(Pattern::Read, 64 * KIB).depth(2, 1);
        each(&on_kernel(case, "6.12").run(128), |device| device.reads)[2]
    };
    assert_eq!(of_third(None), 0);
    let moved = of_third(Some(256 * KIB));
    assert!(moved > 8, "{moved}");
}

#[test]
fn a_rate_below_the_delay_of_the_safe_mode_costs_superblocks() {
    let mut case = Case::array(Level::Raid1, None, 2).pattern(Pattern::Write, 4 * KIB);
    case.workload.load.rate_iops = NonZeroU32::new(2);
    assert_eq!(writes(&case.run(5)), [5 + 4 + 4, 5 + 4 + 4]);
}
