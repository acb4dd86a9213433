//! Guards against bios without a CPU cost: RAID 5 once read 512K in chunks of 16K four times as
//! fast as RAID 0 of the same disks, because its chunks cost no CPU time.

use stripewise_study::kernel::KernelVersion;
use stripewise_study::sample::Sample;
use stripewise_study::stack::Level;
use stripewise_study::workload::Pattern;

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
