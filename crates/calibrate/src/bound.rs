//! What single disks alone say about the host: no I/O can take more of a core than was left for it.
//!
//! A job that completes R I/Os a second has at most 1/R of a core for each, however the disk works. A
//! host whose times are longer would hide the disk: one published NVMe drive gives one job 746k reads a
//! second, and a host of 5.2 us for each I/O 191k, also with a profile made from that very point.

use stripewise_profiles::host::{CpuProfile, HostProfile};
use stripewise_study::sample::as_f64;

use crate::number::rounded;
use crate::points::Point;
use crate::prepare::SimulatedRow;

/// The share of a job's time that its I/Os may take of a core: the rest is for what the disk adds.
const BUSY: f64 = 0.9;
/// The bytes of a page.
const PAGE: u64 = 4096;

/// Returns the time of a core for one of many I/Os of so many bytes, on one disk.
fn among_many_ns(cpu: &CpuProfile, bytes: u64) -> f64 {
    let pages = bytes.div_ceil(PAGE).saturating_mul(cpu.page_ns);
    as_f64(cpu.submit_ns + cpu.bio_ns + pages + cpu.completion_ns)
}

/// Returns the I/Os a second of a point.
fn iops(point: &Point) -> f64 {
    point.bandwidth_bytes_per_s / as_f64(point.block_size_bytes.max(1))
}

/// Returns the time of a core that a point leaves for each of its I/Os.
fn left_ns(point: &Point) -> f64 {
    f64::from(point.jobs) / iops(point) * 1e9 * BUSY
}

/// Returns the host with times that the points of single disks allow, and a remark; `None` if its own
/// are allowed.
///
/// The time of one I/O alone stays as it is, so that the disks keep theirs. Where more jobs than cores
/// complete more than its cores can, it gets as many cores as that needs.
pub(crate) fn bounded(host: &HostProfile, rows: &[SimulatedRow]) -> Option<(HostProfile, String)> {
    let alone = rows.iter().filter(|row| row.single_device().is_some());
    let points = || {
        alone
            .clone()
            .map(|row| row.point)
            .filter(|point| point.is_plain() && point.pattern.is_random())
    };
    let share = |point: &Point| left_ns(point) / among_many_ns(&host.cpu, point.block_size_bytes);
    let factor = points().map(share).fold(1.0, f64::min);
    let mut bounded = host.clone();
    let cpu = &mut bounded.cpu;
    if factor < 1.0 {
        let scaled = |ns: u64| rounded(as_f64(ns) * factor);
        let before = among_many_ns(cpu, PAGE);
        cpu.submit_ns = scaled(cpu.submit_ns);
        cpu.bio_ns = scaled(cpu.bio_ns);
        cpu.page_ns = scaled(cpu.page_ns);
        cpu.completion_ns = scaled(cpu.completion_ns);
        cpu.wake_ns += rounded((before - among_many_ns(cpu, PAGE)).max(0.0));
    }
    let needed = points().map(|point| {
        let cores = (iops(point) * among_many_ns(cpu, point.block_size_bytes) / 1e9 / BUSY).ceil();
        rounded(cores.min(f64::from(point.jobs)))
    });
    let needed = u32::try_from(needed.max().unwrap_or(0)).unwrap_or(u32::MAX);
    cpu.cores = cpu.cores.max(needed);
    let remark = format!(
        "cpu.submit_ns, cpu.bio_ns, cpu.page_ns, cpu.completion_ns, cpu.cores: those of host `{}`, as \
         much shorter, or as many more, as the rates of single disks need: {:.2} us of a core for an I/O \
         of 4 KiB, and {} cores",
        host.name,
        among_many_ns(&bounded.cpu, PAGE) / 1000.0,
        bounded.cpu.cores
    );
    (bounded.cpu != host.cpu).then_some((bounded, remark))
}
