//! How a load holds its own rate back: by a limit that it reaches, or by pauses between its I/Os.
//!
//! Such a rate says little about the stack below, so neither its cause nor its uncertainty is the stack's.
//! How much more the stack could give follows from the asymptotic bounds of a closed loop (Denning and
//! Buzen 1978): the rate grows until the busiest component has no idle time left, and until the load's
//! I/Os are all in flight.

use stripewise_study::cell::Cell;
use stripewise_study::load::RateProcess;
use stripewise_study::sample::{OwnRate, Sample, as_f64};
use stripewise_study::workload::{BlockSize, Engine, Load};

use crate::engine::poisson_ios_per_s;

/// From this share of its limit on, a load reaches it: simulated rates are known within a few percent.
const REACHED: f64 = 0.97;

/// Returns how the load of a cell held back the rate of its sample; `None` if it did not.
pub(crate) fn own_rate(cell: &Cell, sample: &Sample) -> Option<OwnRate> {
    // The times of a replay are no key of the load.
    if cell.workload.trace.is_some() {
        return None;
    }
    let load = &cell.workload.load;
    let seconds = sample.elapsed_ns.as_secs_f64();
    let ios_per_s = as_f64(sample.read.ios + sample.write.ios) / seconds;
    let limit = limit_ios_per_s(load);
    if ios_per_s >= REACHED * limit {
        let times_more = (1.0 / busiest(sample)).min(slots(load) / in_flight(sample, seconds));
        return Some(OwnRate::Limit {
            times_more: times_more.clamp(1.0, TIMES_MAX),
        });
    }
    let share = pause_share(load, ios_per_s).min(1.0);
    (share > 0.0).then_some(OwnRate::Pauses { share })
}

/// More is not told apart: a stack may have almost nothing to do.
const TIMES_MAX: f64 = 1e6;

/// Returns the I/Os per second that the limits of a load's jobs allow; infinite without limits.
fn limit_ios_per_s(load: &Load) -> f64 {
    let is_limited = load.rate_bytes_per_s.is_some() || load.rate_iops.is_some();
    if !is_limited {
        return f64::INFINITY;
    }
    let of_bytes = load.rate_bytes_per_s;
    let of_bytes = of_bytes.map_or(f64::INFINITY, |rate| {
        as_f64(rate.as_u64()) / mean_size(load)
    });
    let of_ios = load.rate_iops;
    let of_ios = of_ios.map_or(f64::INFINITY, |rate| f64::from(rate.get()));
    let of_direction = match load.rate_process {
        RateProcess::Linear => of_bytes.min(of_ios),
        RateProcess::Poisson => poisson_ios_per_s(load),
    };
    // Each direction has the limit; a job waits for the one that is behind.
    let reads = match (load.pattern.reads(), load.pattern.writes()) {
        (true, true) => f64::from(load.read_percent.unwrap_or(50)) / 100.0,
        _ => 1.0,
    };
    f64::from(load.jobs) * of_direction / reads.max(1.0 - reads)
}

/// Returns the mean size of an I/O in bytes.
fn mean_size(load: &Load) -> f64 {
    match &load.block_size {
        BlockSize::Fixed(size) => as_f64(size.as_u64()),
        BlockSize::Split(parts) => {
            let bytes = parts.iter().map(|part| {
                f64::from(part.share_percent) / 100.0 * as_f64(part.block_size_bytes.as_u64())
            });
            bytes.sum()
        }
    }
}

/// Returns how many I/Os the jobs of a load can have in flight.
fn slots(load: &Load) -> f64 {
    // Buffered libaio completes each I/O before `io_submit` returns (fio's HOWTO).
    let is_alone = load.engine.is_synchronous() || (load.engine == Engine::Libaio && !load.direct);
    match is_alone {
        true => f64::from(load.jobs),
        false => as_f64(load.in_flight()),
    }
}

/// Returns the mean number of I/Os and syncs in flight (Little's law).
fn in_flight(sample: &Sample, seconds: f64) -> f64 {
    let latencies = [&sample.read.latency, &sample.write.latency, &sample.sync];
    let spent = latencies.map(|one| as_f64(one.count) * one.mean_ns.unwrap_or_default());
    (spent.iter().sum::<f64>() / 1e9 / seconds).max(f64::MIN_POSITIVE)
}

/// Returns the busy share of the busiest component.
fn busiest(sample: &Sample) -> f64 {
    let components = sample.breakdown.iter().flat_map(|one| &one.utilisation);
    let shares = components.map(|one| one.busy_share);
    shares.fold(f64::MIN_POSITIVE, f64::max)
}

/// Returns the share of the time in which a place for an I/O is empty because the job pauses.
fn pause_share(load: &Load, ios_per_s: f64) -> f64 {
    let think = load.think_time_ns.as_secs_f64();
    let of_a_job = ios_per_s / f64::from(load.jobs.max(1));
    match (load.think_blocks, load.think_iotime_ns) {
        (None, None) => of_a_job * think / (slots(load) / f64::from(load.jobs.max(1))),
        (blocks, iotime) => {
            let by_count = blocks.map_or(0.0, |blocks| of_a_job / f64::from(blocks.get()) * think);
            let by_time = iotime.map_or(0.0, |time| think / (think + time.as_secs_f64()));
            by_count.max(by_time)
        }
    }
}
