//! Whether one stack surely gives more of a load than another, although their profile may be far off.
//!
//! Stacks of one question have the same devices and host, so an error of the profile moves both. What
//! moves both by the same factor does not change their order. Two cases are decided:
//!
//! - **The devices do the same work in both**: the same shares of reads and writes, in requests of nearly
//!   the same size, with nearly as many in flight. Then one factor, by which the devices are slower or
//!   faster, changes the device's share of each stack's time (Little's law, as in `sim::uncertainty`), and
//!   a faster device helps only until a link, core or lock is busy all the time.
//! - **The devices are busy all the time in both, with different work**: the rate is one over the time
//!   that the devices work for an I/O (the utilisation law; Denning and Buzen 1978), which is that of its
//!   reads and of its writes. How the time of a read compares with that of a write follows from the ratio
//!   of the two rates, and may be off by the errors of both.
//!
//! The order is sure if it is the same at both ends of the profile's stated error. Where nothing is known
//! of that error, a factor of four counts. Other devices, and different errors of md's rules, are not in it.

use std::collections::BTreeSet;

use stripewise_diagnose::prediction::{MemberLoad, Prediction};
use stripewise_study::cell::Cell;
use stripewise_study::sample::{Breakdown, OwnRate, Part, as_f64};

/// The logarithm of the factor by which a profile may be off of which nothing is known: twice what drives
/// of a class differ by, in logarithms.
const UNKNOWN: f64 = 2.0 * std::f64::consts::LN_2;
/// The logarithm by which two measurements that ought to be equal differ: 1.96 times 0.058 for each of
/// both (`sim::uncertainty`).
const MEASURED_TWICE: f64 = 0.16;
/// Loads of a device this many doublings apart are the same load (`sim::class`).
const NEAR: f64 = 1.0;
/// By how many doublings I/Os that are under way when a simulation ends move the counts.
const COUNTED: f64 = 0.05;
/// Shares of reads that differ by less are the same.
const SAME_SHARE: f64 = 0.02;
/// From this share of the time on, devices are busy all the time.
const BUSY: f64 = 0.9;
/// How many steps the error is followed in, each way.
const STEPS: i32 = 8;

/// How an error of the profile moves a prediction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ErrorBasis {
    /// The profiles of the devices.
    profiles: BTreeSet<String>,
    /// Half of the interval of the logarithm of what the profile may be off by; `None` if that is unknown.
    half_width: Option<f64>,
    /// By how much the logarithm of the rate may be lower because a path that the devices share is slower.
    path_width: f64,
    /// The share of an I/O's time that is the devices'.
    devices_share: f64,
    /// The busy share of the busiest link, core or lock.
    busiest_other: f64,
    /// Whether all devices are busy all the time.
    are_devices_busy: bool,
    /// Whether the state still changed when a simulation ended.
    is_changing: bool,
    /// What the devices do for an I/O; `None` if they do nothing.
    work: Option<Work>,
    /// How the load holds its own rate back.
    own_rate: Option<OwnRate>,
}

impl ErrorBasis {
    /// Returns that of a prediction of a cell.
    pub(crate) fn of(cell: &Cell, prediction: &Prediction) -> Self {
        let known = prediction.breakdown.uncertainty.as_ref();
        let groups = cell.stack.devices.iter();
        let half_width = known.map(|known| {
            let widths = known.sources.iter().map(|source| source.half_width);
            let middle = known.class.map_or(0.0, |class| class.middle.abs());
            widths.fold(0.0, libm::hypot) + middle
        });
        let is_device = |name: &str| prediction.members.iter().any(|one| one.device == name);
        let others = prediction.breakdown.utilisation.iter();
        let others = others.filter(|one| !is_device(&one.component));
        Self {
            profiles: groups.map(|group| group.profile.clone()).collect(),
            half_width,
            path_width: known.map_or(0.0, |known| known.by_adapter.max(known.by_uplink)),
            devices_share: share_of_devices(&prediction.breakdown),
            busiest_other: others.map(|one| one.busy_share).fold(0.0, f64::max),
            are_devices_busy: are_devices_busy(prediction),
            is_changing: prediction.changing.is_some(),
            work: Work::of(cell, prediction),
            own_rate: prediction.breakdown.own_rate,
        }
    }

    /// Returns whether the simulation ended before the long run.
    pub(crate) const fn is_changing(&self) -> bool {
        self.is_changing
    }

    /// Returns whether this one, of two that reached the long run, gives more than `less` in spite of what
    /// their profile may be off by; `lowest_ratio` is the lower end of their ratio by the simulations alone.
    pub(crate) fn is_surely_more(&self, less: &Self, lowest_ratio: f64) -> bool {
        let off = match (self.half_width, less.half_width) {
            (Some(one), Some(other)) => one.max(other),
            _ => UNKNOWN,
        };
        // A path that only the faster one fills slows it alone.
        let slower_alone = (self.path_width - less.path_width).max(0.0);
        let sure = libm::log(lowest_ratio) - MEASURED_TWICE - slower_alone;
        let has_one_profile = self.profiles.len() == 1 && self.profiles == less.profiles;
        if !has_one_profile || sure.is_nan() || sure <= 0.0 {
            return false;
        }
        let (Some(own), Some(other)) = (self.work, less.work) else {
            return false;
        };
        match own.is_like(other) {
            true => self.lost_of_same_work(less, off) < sure,
            false => {
                let is_busy = self.are_devices_busy && less.are_devices_busy;
                let lost = own.lost_against(other, lowest_ratio, std::f64::consts::SQRT_2 * off);
                is_busy && lost.is_some_and(|lost| lost < sure)
            }
        }
    }

    /// Returns by how much the logarithm of the ratio falls at most if the devices are slower or faster by
    /// up to `off` in both.
    fn lost_of_same_work(&self, less: &Self, off: f64) -> f64 {
        let steps = (-STEPS..=STEPS).map(|step| off * f64::from(step) / f64::from(STEPS));
        steps
            .map(|slower| less.moved(slower) - self.moved(slower))
            .fold(0.0, f64::max)
    }

    /// Returns by how much the logarithm of the rate moves if the devices take `slower` longer, a
    /// logarithm, too.
    fn moved(&self, slower: f64) -> f64 {
        let devices = self.devices_share;
        let moved = -libm::log(devices * libm::exp(slower) + 1.0 - devices);
        let moved = moved.min(-libm::log(self.busiest_other.clamp(f64::MIN_POSITIVE, 1.0)));
        self.own_rate.map_or(moved, |own| -own.moved(-moved))
    }
}

fn share_of_devices(breakdown: &Breakdown) -> f64 {
    const OTHER: [Part; 6] = [
        Part::AioQueue,
        Part::Link,
        Part::Uplink,
        Part::Adapter,
        Part::ParityThread,
        Part::Rebuild,
    ];
    let other = breakdown.share(&Part::CPU) + breakdown.share(&OTHER);
    (1.0 - other).clamp(0.0, 1.0)
}

fn are_devices_busy(prediction: &Prediction) -> bool {
    let members = prediction.members.iter();
    let mut busy = members.map(|one| {
        let mut all = prediction.breakdown.utilisation.iter();
        all.find(|component| component.component == one.device)
            .map_or(0.0, |component| component.busy_share)
    });
    busy.all(|share| share >= BUSY)
}

/// What the devices do for an I/O of the load.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Work {
    reads: f64,
    writes: f64,
    flushes: f64,
    request_bytes: f64,
    in_flight: f64,
}

impl Work {
    /// Returns the work of a prediction; `None` if its devices do nothing.
    fn of(cell: &Cell, prediction: &Prediction) -> Option<Self> {
        let Prediction { members, ios, .. } = prediction;
        let sum = |of: fn(&MemberLoad) -> u64| -> f64 {
            as_f64(members.iter().map(of).sum::<u64>()) / as_f64((*ios).max(1))
        };
        let (reads, writes) = (sum(|one| one.reads), sum(|one| one.writes));
        let requests = reads + writes;
        let bytes = members.iter().map(|one| {
            one.request_bytes_mean * as_f64(one.reads + one.writes) / as_f64((*ios).max(1))
        });
        let devices = as_f64(members.len().max(1) as u64);
        let in_flight = as_f64(cell.workload.load.in_flight()) * requests / devices;
        (requests > 0.0).then(|| Self {
            reads,
            writes,
            flushes: sum(|one| one.flushes),
            request_bytes: bytes.sum::<f64>() / requests,
            in_flight: in_flight.max(1.0),
        })
    }

    fn has_requests_of(self, other: Work) -> bool {
        let doublings = |one: f64, other: f64| libm::log2(one / other);
        let size = doublings(self.request_bytes, other.request_bytes);
        let in_flight = doublings(self.in_flight, other.in_flight);
        libm::hypot(size, in_flight) <= NEAR + COUNTED
    }

    /// Returns whether the devices do the same in both: only how often differs.
    fn is_like(self, other: Work) -> bool {
        let share = |of: Work| of.reads / (of.reads + of.writes);
        let flushes = |of: Work| of.flushes / (of.reads + of.writes);
        let near = |one: f64, other: f64| (one - other).abs() <= SAME_SHARE;
        near(share(self), share(other))
            && near(flushes(self), flushes(other))
            && self.has_requests_of(other)
    }

    /// Returns by how much the logarithm of `ratio`, of this one's rate to the other's, falls at most if
    /// the time of a read over that of a write is off by up to `off`; `None` if the ratio does not
    /// follow from their work.
    fn lost_against(self, other: Work, ratio: f64, off: f64) -> Option<f64> {
        if self.flushes + other.flushes > SAME_SHARE || !self.has_requests_of(other) {
            return None;
        }
        // ratio = (other.reads * x + other.writes) / (self.reads * x + self.writes)
        let read = (ratio * self.writes - other.writes) / (other.reads - ratio * self.reads);
        if !read.is_finite() || read <= 0.0 {
            return None;
        }
        let ratio_at =
            |read: f64| (other.reads * read + other.writes) / (self.reads * read + self.writes);
        let ends = [-off, off].map(|off| ratio_at(read * libm::exp(off)));
        Some(libm::log(ratio) - libm::log(ends[0].min(ends[1])))
    }
}
