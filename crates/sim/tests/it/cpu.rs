//! Guards against bios without a CPU cost: RAID 5 once read 512K in chunks of 16K four times as
//! fast as RAID 0 of the same disks, because its chunks cost no CPU time. And against cores that do
//! two things at once or stand idle while tasks wait, and locks that several tasks hold.

use stripewise_profiles::device::DeviceProfile;
use stripewise_profiles::device::calibrated::CalibratedProfile;
use stripewise_profiles::device::curve::CurvePoint;
use stripewise_study::sample::Sample;
use stripewise_study::stack::{Bitmap, Level};
use stripewise_study::workload::Pattern;
use stripewise_units::Bytes;
use stripewise_units::kernel::KernelVersion;

use crate::support::*;

fn parity_case(level: Level, block_size: u64, pattern: Pattern) -> Case {
    Case::array(level, None, 6)
        .chunk(16 * KIB)
        .pattern(pattern, block_size)
        .depth(1, 4)
}

/// Returns the CPU time of the jobs for each I/O.
fn job_cpu_ns(sample: &Sample) -> u64 {
    let cpu = sample.cpu.expect("CPU times").system_ns.as_u64();
    cpu / (sample.read.ios + sample.write.ios)
}

#[test]
fn each_chunk_of_a_read_costs_a_parity_array_what_it_costs_raid0() {
    // `chunk_aligned_read` splits at chunks since 4.3, one after the other until 4.12.
    for kernel in [
        LAB,
        KernelVersion::new(4, 4, 0),
        KernelVersion::new(6, 12, 0),
    ] {
        let case = |level| {
            // Not longer than a row: a plug would merge the chunks on both sides of a parity chunk.
            let mut case = parity_case(level, 64 * KIB, Pattern::RandRead);
            case.kernel = kernel;
            job_cpu_ns(&case.run(200))
        };
        let striped = case(Level::Raid0);
        for level in [Level::Raid4, Level::Raid5, Level::Raid6] {
            assert_eq!(case(level), striped, "{level} under {kernel}");
        }
    }
}

#[test]
fn a_degraded_read_costs_its_job_a_pass_for_each_stripe() {
    let case = parity_case(Level::Raid5, 64 * KIB, Pattern::RandRead);
    let whole = job_cpu_ns(&case.run(200));
    let degraded = case.fail(5).run(200);
    // 64K are four chunks of four stripes each, so at least four stripes in a row and at most 16.
    let costs = host().cpu;
    let least = costs.submit_ns + 16 * costs.page_ns + 4 * costs.bio_ns + costs.completion_ns;
    let most = least + 12 * costs.bio_ns;
    let job = job_cpu_ns(&degraded);
    assert!((least..=most).contains(&job), "{job} of {least} to {most}");
    assert!(job < whole, "one completion instead of four");
    assert!(busy_share(&degraded, "parity thread") > 0.1);
}

#[test]
fn the_thread_pays_for_every_request_it_sends() {
    let mut case = parity_case(Level::Raid5, 4 * KIB, Pattern::RandWrite);
    let share = |case: &Case| {
        let sample = case.run(500);
        let requests: u64 = each(&sample, |device| device.reads + device.writes)
            .iter()
            .sum();
        let busy_ns = busy_share(&sample, "parity thread") * sample.elapsed_ns.as_secs_f64() * 1e9;
        (busy_ns, requests)
    };
    let (before, requests) = share(&case);
    assert_eq!(requests, 2000, "read and write data and parity");
    case.host.cpu.completion_ns += 10_000;
    let (after, _) = share(&case);
    let added = (after - before) / 10_000.0;
    assert!(is_near(added, 2000.0, 0.01), "{added} completions");
}

/// Returns a disk that takes a microsecond, so that only the CPU is a limit.
fn instant() -> DeviceProfile {
    changed(ssd(), |profile: &mut CalibratedProfile| {
        for direction in [&mut profile.read, &mut profile.write] {
            direction.servers = 1024;
            direction.random = vec![CurvePoint {
                size_bytes: 4 * KIB,
                time_ns: 1000,
            }];
            direction.sequential.clear();
        }
        profile.link.read_bytes_per_s = 1_000_000_000_000;
        profile.link.write_bytes_per_s = 1_000_000_000_000;
        profile.link.full_duplex = true;
    })
}

fn with_cores(mut case: Case, cores: u32) -> Case {
    case.host.cpu.cores = cores;
    case
}

fn cpu_bound(jobs: u32, depth: u32) -> Case {
    Case::single().on(1, &instant()).depth(jobs, depth)
}

#[test]
fn with_a_core_for_each_task_the_number_of_cores_does_not_matter() {
    let parity = parity_case(Level::Raid5, 4 * KIB, Pattern::RandWrite).depth(3, 4);
    let mut buffered = Case::array(Level::Raid10, None, 4)
        .pattern(Pattern::RandWrite, 4 * KIB)
        .depth(2, 1);
    buffered.workload.load.direct = false;
    buffered.host.memory.dirty_bytes_max = MIB;
    // Jobs, and the array's thread or the write-back.
    for (case, tasks) in [(parity, 4), (buffered, 3), (cpu_bound(5, 8), 5)] {
        let exact = with_cores(case.clone(), tasks).run(3000);
        assert_eq!(exact, with_cores(case.clone(), 1024).run(3000));
        let fewer = with_cores(case, tasks - 1).run(3000);
        assert_ne!(exact.elapsed_ns, fewer.elapsed_ns);
    }
}

#[test]
fn cores_are_never_idle_while_tasks_wait() {
    let costs = host().cpu;
    let io_ns = costs.submit_ns + costs.page_ns + costs.bio_ns + costs.completion_ns;
    for (cores, jobs) in [(1, 1), (1, 4), (2, 3), (2, 8), (3, 8), (4, 16)] {
        let sample = with_cores(cpu_bound(jobs, 16), cores).run(20_000);
        let most = f64::from(cores) * 1e9 / as_f64(io_ns);
        let rate = iops(&sample);
        assert!(
            is_near(rate, most, 2.0),
            "{jobs} on {cores}: {rate} of {most}"
        );
        if jobs > cores {
            assert!(busy_share(&sample, "all cores") > 0.98);
        }
    }
}

#[test]
fn the_parts_of_a_latency_add_up_on_a_shared_core() {
    for case in [
        cpu_bound(4, 8),
        parity_case(Level::Raid6, 4 * KIB, Pattern::RandWrite).depth(3, 4),
        parity_case(Level::Raid5, 4 * KIB, Pattern::RandRead)
            .depth(3, 4)
            .fail(1),
    ] {
        let sample = with_cores(case, 1).run(2000);
        let mean = sample.breakdown.as_ref().expect("a breakdown").mean.iter();
        let parts: f64 = mean.map(|part| part.time_ns).sum();
        assert!(is_near(parts, mean_ns(&sample), 1.0), "{parts}: {sample:?}");
    }
}

#[test]
fn on_one_core_the_thread_and_the_job_take_turns() {
    let case = parity_case(Level::Raid5, 4 * KIB, Pattern::RandWrite)
        .on(6, &instant())
        .depth(1, 8);
    let (one, two) = (with_cores(case.clone(), 1).run(5000), case.run(5000));
    let work = |sample: &Sample| {
        (busy_share(sample, "cpu of job 0") + busy_share(sample, "parity thread"))
            * sample.elapsed_ns.as_secs_f64()
    };
    assert!(is_near(work(&one), one.elapsed_ns.as_secs_f64(), 2.0));
    assert!(iops(&two) > 1.1 * iops(&one));
}

/// Returns the rate of many jobs on a mirror or a parity array whose locks take `held_ns`.
fn contended(case: &Case, kernel: KernelVersion, held_ns: u64) -> f64 {
    let mut case = case.clone().on(4, &instant()).depth(32, 4);
    case.kernel = kernel;
    case.host.cpu.mirror_lock_ns = held_ns;
    case.host.cpu.parity_lock_ns = held_ns;
    iops(&case.run(20_000))
}

#[test]
fn a_contended_lock_bounds_the_rate_of_an_array() {
    let reads = |level| Case::array(level, None, 4);
    let writes = |level| reads(level).pattern(Pattern::RandWrite, 4 * KIB);
    // Few bits: they are set once.
    let mut with_bitmap = writes(Level::Raid10).size(MIB);
    with_bitmap.stack.array.as_mut().expect("an array").bitmap = Bitmap::Internal {
        chunk_bytes: Some(Bytes::new(64 * MIB)),
    };
    let v = KernelVersion::new;
    for (name, case, kernel, uses) in [
        ("raid10 reads", reads(Level::Raid10), v(4, 4, 0), 2.0),
        ("raid10 reads", reads(Level::Raid10), v(5, 10, 0), 1.0),
        ("raid10 writes", writes(Level::Raid10), v(5, 10, 0), 2.0),
        ("raid1 reads", reads(Level::Raid1), v(5, 10, 0), 1.0),
        ("raid1 writes", writes(Level::Raid1), v(6, 1, 0), 3.0),
        ("raid10 bitmap", with_bitmap, v(6, 12, 0), 2.0),
        ("raid6 reads", reads(Level::Raid6), v(5, 13, 0), 1.0),
    ] {
        let rate = contended(&case, kernel, 2000);
        let most = 1e9 / 2000.0 / uses;
        assert!(
            is_near(rate, most, 2.0),
            "{name} of {kernel}: {rate} of {most}"
        );
    }
    for (name, case, kernel) in [
        ("raid10", writes(Level::Raid10), v(6, 1, 0)),
        ("raid1", writes(Level::Raid1), v(6, 6, 0)),
        ("raid6 reads", reads(Level::Raid6), v(5, 14, 0)),
        ("raid0", writes(Level::Raid0), v(5, 10, 0)),
    ] {
        let rate = |held_ns| contended(&case, kernel, held_ns);
        assert!(is_near(rate(2000), rate(0), 0.001), "{name} of {kernel}");
    }
}

#[test]
fn one_job_never_waits_for_a_lock() {
    for level in [Level::Raid1, Level::Raid10] {
        let mut case = Case::array(level, None, 4)
            .pattern(Pattern::RandWrite, 4 * KIB)
            .depth(1, 16);
        let free = case.run(2000);
        case.host.cpu.mirror_lock_ns = 150;
        let mut locked = case.run(2000);
        let busy = &mut locked.breakdown.as_mut().unwrap().utilisation;
        busy.retain(|one| one.component != "array lock");
        assert_eq!(locked, free, "{level}");
    }
}
