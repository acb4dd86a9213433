//! What holds of any answer, as functions: each returns what is wrong with one, if anything is.
//!
//! The limits of links and devices are checked by the model itself after each simulation
//! ([`ModelError::Impossible`]).

use stripewise_format::question::Question;
use stripewise_profiles::Profiles;
use stripewise_profiles::device::Model;
use stripewise_profiles::device::spread::factors;
use stripewise_sim::rate_bounds::{Bounder, RateBounds};
use stripewise_sim::world::{Model as Simulated, ModelError};
use stripewise_study::cell::Cell;
use stripewise_study::conditions::State;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{Sample, as_f64};
use stripewise_study::stack::Level;
use stripewise_study::warning::Warning;

/// How far the I/Os in flight may be from those that the load keeps in flight: what the program does
/// between two I/Os is in no latency.
const LITTLE: f64 = 0.15;
/// The parts of one in a factor of a spread.
const ONE: f64 = 65_536.0;

/// Returns how far a closed loop is from Little's law, if it is: its rate times its mean latency is
/// the number of its I/Os in flight.
///
/// In a recording that is exact but for its ends: an I/O counts with all of its latency if it ends inside,
/// however much of that was before, and not at all if it ends behind it. Each I/O in flight at an end is
/// off by at most the longest latency, so the law may be off by that over the time. A sequential load that
/// serves one of its jobs for long leaves the others waiting as long as a short recording takes.
///
/// Only for direct I/O without `fsync`, which waits for its own turn, and without pauses.
pub fn against_littles_law(cell: &Cell, sample: &Sample) -> Option<String> {
    let load = &cell.workload.load;
    let is_closed = load.direct
        && load.fsync_every.is_none()
        && load.fdatasync_every.is_none()
        && load.burst().is_none()
        && load.rate_iops.is_none()
        && cell.workload.neighbours.is_empty();
    if !is_closed {
        return None;
    }
    let waited = |latency: &stripewise_study::sample::Latency| {
        latency.mean_ns.unwrap_or(0.0) * as_f64(latency.count)
    };
    let waited = waited(&sample.read.latency) + waited(&sample.write.latency);
    let elapsed = as_f64(sample.elapsed_ns.as_u64().max(1));
    let found = waited / elapsed;
    let kept = as_f64(load.in_flight());
    let longest = [&sample.read, &sample.write].map(|side| side.latency.max_ns);
    let longest = longest.into_iter().flatten().max().unwrap_or_default();
    let ends = as_f64(longest.as_u64()) / elapsed;
    let is_off = (found / kept - 1.0).abs() > LITTLE + ends;
    is_off.then(|| format!("{found:.2} I/Os in flight on average, and the load keeps {kept}"))
}

/// Returns by how much the fastest read is below the least that a device needs for one, if it is.
///
/// Only for calibrated devices without a cache in front of them: of a parity array, reads may be in
/// its stripe cache.
pub fn faster_than_its_device(cell: &Cell, sample: &Sample, profiles: &Profiles) -> Option<String> {
    let level = cell.stack.array.as_ref().map(|array| array.level);
    let is_cached = matches!(level, Some(Level::Raid4 | Level::Raid5 | Level::Raid6));
    if is_cached || !cell.workload.load.direct {
        return None;
    }
    let least = profiles.devices_of(&cell.stack).ok()?.into_iter();
    let least = least.map(|device| match &device.model {
        Model::Calibrated(device) => {
            let reads = &device.read;
            let points = reads.random.iter().chain(&reads.sequential);
            let fastest = points.map(|point| point.time_ns).min().unwrap_or(0);
            let spread = factors(reads.p99_over_p50, reads.p50_over_mean);
            let factor = spread
                .iter()
                .min()
                .map_or(1.0, |least| f64::from(*least) / ONE);
            // A small request takes at least half of what the smallest measured one does.
            as_f64(fastest) / 2.0 * factor
        }
        Model::Disk(device) => as_f64(device.link.command_ns),
        Model::Flash(_) => 0.0,
    });
    let least = least.fold(f64::INFINITY, f64::min);
    let found = as_f64(sample.read.latency.min_ns?.as_u64());
    (found < least).then(|| format!("a read took {found} ns, and its device needs {least:.0}"))
}

/// Returns how the rate is outside of what is known without simulating it, if it is. `noise` is the
/// share by which so few I/Os may differ from the long run, which the bounds are about.
///
/// # Errors
/// If a profile is missing.
pub fn outside_its_bounds(
    model: &Simulated,
    cell: &Cell,
    sample: &Sample,
    noise: f64,
) -> Result<Option<String>, ModelError> {
    let mut warnings = sample.warnings.iter();
    // A sample that is not of the long run may still have found room in a cache.
    let is_not_settled = |one: &Warning| matches!(one, Warning::NotStationary { .. });
    let state = match warnings.any(is_not_settled) {
        true => Some(State::Fresh),
        false => cell.conditions.state,
    };
    let load = &cell.workload.load;
    let bounds = Bounder::new(model, load, state).bounds(&cell.stack)?;
    let rate = Metric::Bandwidth.of(sample).unwrap_or_default();
    // The I/Os in flight at the beginning count whole, however much of them was done before.
    let ios = sample.read.ios + sample.write.ios;
    let noise = noise + as_f64(load.in_flight()) / as_f64(ios.max(1));
    let is_within = rate <= bounds.upper * (1.0 + noise) && rate >= bounds.lower * (1.0 - noise);
    Ok((!is_within).then(|| {
        let RateBounds { lower, upper } = bounds;
        format!("{rate:.4e} bytes a second, and the bounds are {lower:.4e} and {upper:.4e}")
    }))
}

/// Returns the same question with one more disk, where that cannot make random reads slower: chunks
/// are spread over all of them.
pub fn with_one_more_disk(question: &Question) -> Option<Question> {
    let mut larger = question.clone();
    let [stack] = &mut larger.stacks[..] else {
        return None;
    };
    let level = &stack.array.as_ref()?.level;
    let is_spread = ["raid0", "raid5", "raid6"].contains(&level.as_str());
    let is_read = question.loads.iter().all(|load| {
        let mut keys = load.keys.iter();
        keys.any(|(key, value)| key == "pattern" && value == "randread")
    });
    stack.devices.last_mut()?.1 += 1;
    (is_spread && is_read).then_some(larger)
}
