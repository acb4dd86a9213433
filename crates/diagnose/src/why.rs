//! The bottleneck of a cell and the rules behind it: findings from the counters of its simulations.
//!
//! Every finding is backed by numbers: it has a threshold on a share or a count, and carries that
//! value as evidence.

use std::collections::BTreeMap;

use serde::Serialize;
use stripewise_profiles::kernel::{Raid1ReadBalance, Raid10ReadBalance, policy};
use stripewise_sim::world::Model;
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::{OwnRate, Part, Sample};
use stripewise_study::stack::{Filesystem, Level};
use stripewise_study::workload::{BlockSize, Workload};
use stripewise_units::{Bytes, total};

use crate::cause::Cause;
use crate::prediction::{MemberLoad, Prediction};
use stripewise_study::sample::as_f64;

/// The busy share from which a resource that all I/Os need is the bottleneck.
const SATURATED: f64 = 0.85;
/// The share of an I/O from which waiting in front of the devices counts as waiting for them.
const QUEUED: f64 = 0.3;
/// Smaller shares are not reported.
const NOTABLE: f64 = 0.05;

/// The bottleneck of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "limit", rename_all = "snake_case")]
pub enum Bottleneck {
    /// A resource that all I/Os need is saturated.
    Saturated {
        /// The resource.
        resource: Resource,
        /// Its busy share.
        busy_share: f64,
        /// Its share of the mean I/O, waiting included.
        share: f64,
    },
    /// The load reaches the rate that it is limited to: any stack that can do more gives the same.
    OwnRate {
        /// The busy share of the busiest disk.
        busiest_disk_share: f64,
    },
    /// The load pauses most of its time.
    OwnPauses {
        /// The share of the time.
        share: f64,
    },
    /// The jobs spend most of their time in `fsync` and `fdatasync`.
    Syncs {
        /// The share of the time.
        share: f64,
        /// The mean time of one.
        time_ns: f64,
    },
    /// Nothing is saturated: each I/O waits for one thing after the other, most for this.
    Latency {
        /// The largest part.
        part: Part,
        /// Its share of the mean I/O.
        share: f64,
        /// Its time.
        time_ns: f64,
        /// The share of the time in which the busiest disk is busy, if that is most of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(optional))]
        busiest_disk_share: Option<f64>,
    },
}

/// A link that is busy for this share of the time is full, even if it is one of many: that of the only
/// member that a linear array writes, or of the one with all parity.
const LINK_FULL: f64 = 0.97;
/// A link that is busy less than this share of the time holds nothing up: nothing much queues for it.
const LINK_BUSY_MIN: f64 = 0.7;

/// A resource that all I/Os need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The path that all disks share.
    Uplink,
    /// The links of the individual disks.
    Links,
    /// The disks themselves.
    Devices,
    /// The CPU of a job.
    JobCpu,
    /// A lock that all tasks of the array share.
    Lock,
    /// The single thread of a parity array.
    ParityThread,
    /// All cores of the host together.
    Cores,
}

/// The rule by which this kernel chooses the mirror to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "level", content = "rule", rename_all = "snake_case")]
pub enum ReadRule {
    /// `read_balance` in `raid10.c`.
    Raid10(
        #[serde(serialize_with = "debug")]
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        Raid10ReadBalance,
    ),
    /// `read_balance` in `raid1.c`.
    Raid1(
        #[serde(serialize_with = "debug")]
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        Raid1ReadBalance,
    ),
}

fn debug<S: serde::Serializer>(
    value: &impl std::fmt::Debug,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// A rule in effect, with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// Writes to a parity array cause reads first.
    ReadModifyWrite {
        /// Reads at the disks for each write of the workload.
        reads_per_write: f64,
        /// The share of the mean I/O.
        share: f64,
    },
    /// Mirrors take turns, so each sees gaps in a sequential stream.
    MirrorsTakeTurns {
        /// The share of the disks' reads that continued where an earlier one ended.
        sequential_share: f64,
        /// The kernel's rule.
        rule: ReadRule,
    },
    /// Some mirrors get more of the reads than others.
    ReadsFavour {
        /// The members with more reads.
        members: Vec<String>,
        /// Their share of all reads.
        share: f64,
        /// The share that would be even.
        even_share: f64,
        /// The kernel's rule.
        rule: ReadRule,
    },
    /// The bitmap is written before the data.
    Bitmap {
        /// The share of the mean I/O.
        share: f64,
    },
    /// Caches are flushed.
    Flush {
        /// The share of the mean I/O.
        share: f64,
    },
    /// The filesystem's journal is written.
    Journal {
        /// The share of the mean I/O.
        share: f64,
    },
    /// I/Os wait for the slowest of several disks.
    SlowestMember {
        /// The share of the mean I/O.
        share: f64,
        /// Requests at the disks for each I/O.
        requests_per_io: f64,
    },
    /// Most disks are idle most of the time.
    IdleMembers {
        /// The mean number of busy disks.
        busy: f64,
        /// The number of disks.
        members: usize,
        /// The I/Os that the workload keeps in flight.
        depth: u64,
    },
    /// The CPU takes a considerable part of each I/O.
    Cpu {
        /// The share of the mean I/O.
        share: f64,
        /// Requests at the disks for each I/O.
        requests_per_io: f64,
    },
    /// Chunks split the load's own I/Os.
    Split {
        /// Pieces of each I/O, without copies.
        pieces_per_io: f64,
        /// Their mean size.
        piece_bytes: f64,
    },
    /// Every write is done more than once.
    Copies {
        /// Bytes written at the disks for each byte of the workload.
        copies: f64,
    },
}

/// The explanation of a cell's result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    /// The bottleneck.
    pub bottleneck: Bottleneck,
    /// The rules behind it, the most important first.
    pub findings: Vec<Finding>,
}

impl Why {
    /// Derives the explanation of a prediction of `cell` in `model`.
    pub fn new(model: &Model, cell: &Cell, prediction: &Prediction) -> Self {
        let evidence = Evidence {
            model,
            cell,
            prediction,
        };
        let findings = [
            evidence.read_modify_write(),
            evidence.mirrors_take_turns(),
            evidence.reads_favour(),
            evidence.part(Part::Bitmap, |share| Finding::Bitmap { share }),
            evidence.part(Part::Flush, |share| Finding::Flush { share }),
            evidence.part(Part::Journal, |share| Finding::Journal { share }),
            evidence.slowest_member(),
            evidence.idle_members(),
            evidence.cpu(),
            evidence.split(),
            evidence.copies(),
        ];
        Self {
            bottleneck: Bottleneck::of(prediction),
            findings: findings.into_iter().flatten().collect(),
        }
    }
}

impl Bottleneck {
    /// Returns the share by which it limits: how busy a resource is, or how much of the time a part takes;
    /// `None` where the load itself sets the rate.
    pub const fn share(&self) -> Option<f64> {
        match self {
            Self::Saturated { busy_share, .. } => Some(*busy_share),
            Self::OwnPauses { share } | Self::Syncs { share, .. } | Self::Latency { share, .. } => {
                Some(*share)
            }
            Self::OwnRate { .. } => None,
        }
    }

    /// Returns whether both are the same resource or part, whatever their shares.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Saturated { resource, .. },
                Self::Saturated {
                    resource: other, ..
                },
            ) => resource == other,
            (Self::Latency { part, .. }, Self::Latency { part: other, .. }) => part == other,
            (Self::Syncs { .. }, Self::Syncs { .. })
            | (Self::OwnRate { .. }, Self::OwnRate { .. })
            | (Self::OwnPauses { .. }, Self::OwnPauses { .. }) => true,
            _ => false,
        }
    }

    /// Derives the bottleneck from a prediction.
    pub fn of(prediction: &Prediction) -> Self {
        if let Some(found) = own_rate(prediction).or_else(|| syncs(prediction)) {
            return found;
        }
        // A failed disk, or one that holds nothing of the load, keeps nothing waiting.
        let members = prediction.members.iter();
        let busy = members.filter(|member| member.reads + member.writes > 0);
        let busy: Vec<f64> = busy.map(|member| member.busy_share).collect();
        let members_busy = busy.iter().sum::<f64>() / as_f64(busy.len().max(1) as u64);
        let waiting = prediction
            .breakdown
            .share(&[Part::BlockQueue, Part::DeviceQueue]);
        let mut largest = largest(prediction);
        let saturated = |resource, busy_share: f64, share| Bottleneck::Saturated {
            resource,
            busy_share: busy_share.min(1.0),
            share,
        };
        // Of several that are full, the fullest limits.
        let is_link_largest = largest.0 == Part::Link && members_busy >= SATURATED;
        let full = shared(prediction, is_link_largest).into_iter();
        let full = full.filter(|one| one.1 >= SATURATED);
        if let Some((resource, busy, share)) = full.max_by(|one, other| one.1.total_cmp(&other.1)) {
            return saturated(resource, busy, share);
        }
        if waiting >= QUEUED && members_busy >= SATURATED {
            return saturated(Resource::Devices, members_busy, waiting);
        }
        if largest.0 == Part::Link && waits_for_disks(prediction) {
            if members_busy >= SATURATED {
                let link = prediction.breakdown.share(&[Part::Link]);
                return saturated(Resource::Devices, members_busy, waiting + link);
            }
            largest.0 = Part::DeviceService;
        }
        Bottleneck::Latency {
            part: largest.0,
            share: largest.1 / prediction.breakdown.mean_ns().max(f64::MIN_POSITIVE),
            time_ns: largest.1,
            busiest_disk_share: Some(prediction.busiest_disk()).filter(|busy| *busy >= SATURATED),
        }
    }
}

/// Returns the resources that all I/Os share, each with its busy share and its share of the mean I/O. A
/// link transfers one thing at a time: of links, the mean counts, or the busiest if most of an I/O waits
/// for links, or if it is full.
fn shared(prediction: &Prediction, is_link_largest: bool) -> [(Resource, f64, f64); 6] {
    let busiest = prediction.busiest("link of");
    let links = match is_link_largest || busiest >= LINK_FULL {
        true => busiest,
        false => prediction.mean_busy("link of"),
    };
    [
        (
            Resource::Links,
            links,
            prediction.breakdown.share(&[Part::Link]),
        ),
        (
            Resource::Uplink,
            prediction.busiest("uplink"),
            prediction.breakdown.share(&[Part::Uplink]),
        ),
        // Who waits for a lock keeps a core busy.
        (
            Resource::Lock,
            prediction.busiest("array lock"),
            prediction.breakdown.share(&[Part::ArrayCpu]),
        ),
        (
            Resource::ParityThread,
            prediction.busiest("parity thread"),
            prediction
                .breakdown
                .share(&[Part::ParityThread, Part::ReadModifyWrite]),
        ),
        (
            Resource::JobCpu,
            prediction.busiest("cpu of job"),
            prediction.breakdown.share(&Part::CPU),
        ),
        (
            Resource::Cores,
            prediction.busiest("all cores"),
            prediction.breakdown.share(&Part::CPU),
        ),
    ]
}

/// Returns whether I/Os on the links wait for the disks behind them: the links are mostly idle, and more
/// I/Os are there than they transfer. Flash that moves data takes no more from its link.
fn waits_for_disks(prediction: &Prediction) -> bool {
    let samples = prediction.samples.iter();
    let mut parts = samples.flat_map(|sample| sample.breakdown.iter().flat_map(|one| &one.mean));
    if !parts.any(|one| one.part == Part::Link) {
        // The transfers are those within the service.
        return false;
    }
    let on_links = prediction.breakdown.share(&[Part::Link]) * prediction.breakdown.mean_ns() / 1e9;
    let iops = prediction
        .estimate(Metric::Iops)
        .map_or(0.0, |iops| iops.value);
    let links = as_f64(prediction.members.len() as u64);
    let transferring = prediction.mean_busy("link of") * links;
    prediction.busiest("link of") < LINK_BUSY_MIN && iops * on_links > 2.0 * transferring
}

/// Returns the load's own limit, if it reaches it, or its pauses, if they take most of its time.
fn own_rate(prediction: &Prediction) -> Option<Bottleneck> {
    match prediction.breakdown.own_rate? {
        OwnRate::Limit { .. } => Some(Bottleneck::OwnRate {
            busiest_disk_share: prediction.busiest_disk(),
        }),
        OwnRate::Pauses { share } => (share >= 0.5).then_some(Bottleneck::OwnPauses { share }),
    }
}

/// Returns the syncs, if they take more time than I/Os, and most of the time: the times of a trace
/// may leave most of it idle.
fn syncs(prediction: &Prediction) -> Option<Bottleneck> {
    let samples = &prediction.samples;
    let count = total(samples.iter().map(|sample| sample.sync.count));
    let spent =
        |sample: &Sample| as_f64(sample.sync.count) * sample.sync.mean_ns.unwrap_or_default();
    let in_syncs: f64 = samples.iter().map(spent).sum();
    let in_ios = as_f64(prediction.ios) * prediction.breakdown.mean_ns();
    let share = in_syncs / (in_syncs + in_ios).max(f64::MIN_POSITIVE);
    let elapsed = samples.iter().map(|sample| sample.elapsed_ns.as_secs_f64());
    let is_most = in_syncs >= 0.5e9 * elapsed.sum::<f64>();
    (share >= 0.5 && is_most).then(|| Bottleneck::Syncs {
        share,
        time_ns: in_syncs / as_f64(count.max(1)),
    })
}

/// Returns the largest part of the mean I/O and its time: of the cause that takes most of it.
fn largest(prediction: &Prediction) -> (Part, f64) {
    let parts = of_causes(prediction);
    let mut by_cause: BTreeMap<Cause, f64> = BTreeMap::new();
    for (part, time_ns) in &parts {
        *by_cause.entry(Cause::of_part(*part)).or_default() += time_ns;
    }
    let most = by_cause
        .iter()
        .max_by(|one, other| one.1.total_cmp(other.1));
    let most = most.map_or(Cause::Devices, |(cause, _)| *cause);
    let of_most = parts
        .into_iter()
        .filter(|one| Cause::of_part(one.0) == most);
    of_most.fold((Part::DeviceService, 0.0), |largest, part| {
        if part.1 > largest.1 { part } else { largest }
    })
}

/// A processor that is busy less than this share of the time keeps nothing waiting.
const PROCESSOR_BUSY_MIN: f64 = 0.5;

/// Returns the parts of the mean I/O, with waits for idle processors as what they are. An I/O that is done
/// while its program waits for a sync, or to submit another one, is seen after that; and a stripe waits
/// for its reads where the thread of a parity array has nothing to do.
fn of_causes(prediction: &Prediction) -> Vec<(Part, f64)> {
    let mean = prediction.breakdown.mean.iter();
    let mut parts: BTreeMap<Part, f64> = mean.map(|one| (one.part, one.time_ns)).collect();
    let syncs = prediction.samples.iter().map(|sample| sample.sync.count);
    let waits_for = match total(syncs) {
        0 => Part::BlockQueue,
        _ => Part::Flush,
    };
    let iops = prediction.estimate(Metric::Iops);
    let Some(iops) = iops.map(|iops| iops.value).filter(|iops| *iops > 0.0) else {
        return parts.into_iter().collect();
    };
    for (name, part, waits_for) in [
        ("cpu of job", Part::Completion, waits_for),
        ("parity thread", Part::ParityThread, Part::ReadModifyWrite),
    ] {
        if prediction.busiest(name) >= PROCESSOR_BUSY_MIN {
            continue;
        }
        let components = prediction.breakdown.utilisation.iter();
        let busy = components.filter(|one| one.component.starts_with(name));
        let busy: Vec<f64> = busy.map(|one| one.busy_share).collect();
        // With one I/O in flight, a program waits for nothing else: the rest is interrupt and wake-up.
        let in_flight = iops * prediction.breakdown.mean_ns() / 1e9;
        let is_alone = part == Part::Completion && in_flight <= 1.5 * as_f64(busy.len() as u64);
        if is_alone {
            continue;
        }
        let work_ns = busy.iter().sum::<f64>() / iops * 1e9;
        let Some(time_ns) = parts.get_mut(&part).filter(|time_ns| **time_ns > work_ns) else {
            continue;
        };
        let wait_ns = std::mem::replace(time_ns, work_ns) - work_ns;
        *parts.entry(waits_for).or_default() += wait_ns;
    }
    parts.into_iter().collect()
}

/// Filesystems that leave data where it is, in blocks that are aligned as those of the load are.
const KEEPS_PLACES: [&str; 3] = ["ext4", "xfs", "ext3"];

/// Returns into how many pieces chunks cut the I/Os of a load on average, and the mean size of these I/Os.
fn pieces(block: &BlockSize, chunk: Bytes) -> (f64, f64) {
    let parts: Vec<(u64, f64)> = match block {
        BlockSize::Fixed(size) => vec![(size.as_u64(), 1.0)],
        BlockSize::Split(parts) => parts
            .iter()
            .map(|part| {
                let share = f64::from(part.share_percent) / 100.0;
                (part.block_size_bytes.as_u64(), share)
            })
            .collect(),
    };
    let chunk = chunk.as_u64().max(1);
    // An I/O begins at any multiple of this within a chunk, at each as often: then one of `size` crosses
    // (size - step) / chunk boundaries on average.
    let step = parts.iter().fold(chunk, |step, (size, _)| gcd(step, *size));
    let crossed = |size: u64| as_f64(size.saturating_sub(step)) / as_f64(chunk);
    let cut = parts.iter();
    let cut = cut.map(|(size, share)| (1.0 + crossed(*size)) * share);
    let mean = parts.iter().map(|(size, share)| as_f64(*size) * share);
    (cut.sum(), mean.sum())
}

const fn gcd(one: u64, other: u64) -> u64 {
    let (mut one, mut other) = (one, other);
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

struct Evidence<'a> {
    model: &'a Model,
    cell: &'a Cell,
    prediction: &'a Prediction,
}

impl Evidence<'_> {
    fn part(&self, part: Part, finding: impl Fn(f64) -> Finding) -> Option<Finding> {
        let share = self.prediction.breakdown.share(&[part]);
        (share >= NOTABLE).then(|| finding(share))
    }

    fn sum(&self, of: impl Fn(&MemberLoad) -> u64) -> f64 {
        as_f64(self.prediction.members.iter().map(of).sum())
    }

    /// Returns the requests at the disks for each I/O of the load; `None` if those of a rebuild are among
    /// them.
    fn requests_per_io(&self) -> Option<f64> {
        let requests = self.sum(|member| member.reads + member.writes);
        (!self.has_rebuild()).then(|| requests / as_f64(self.prediction.ios.max(1)))
    }

    /// Returns whether a rebuild moves data beside the load, or may: its requests are counted, too.
    fn has_rebuild(&self) -> bool {
        self.model.rebuilding || self.cell.conditions.failure.is_some()
    }

    /// Returns how many members do the work: all but those that have failed.
    fn working(&self) -> usize {
        // The first of them is replaced by the device on which it is rebuilt.
        let rebuilt = usize::from(self.model.rebuilding);
        let failed = self.model.failed.len().saturating_sub(rebuilt);
        self.prediction.members.len().saturating_sub(failed)
    }

    fn level(&self) -> Option<Level> {
        self.cell.stack.array.as_ref().map(|array| array.level)
    }

    fn read_rule(&self) -> Option<ReadRule> {
        let policy = policy(self.model.kernel_of(self.cell));
        match self.level()? {
            Level::Raid1 => Some(ReadRule::Raid1(policy.raid1_read_balance)),
            Level::Raid10 => Some(ReadRule::Raid10(policy.raid10_read_balance)),
            _ => None,
        }
    }

    /// Returns the number of copies in a mirrored array.
    fn copies_kept(&self) -> usize {
        let members = self.prediction.members.len();
        let array = self.cell.stack.array.as_ref();
        match self.level() {
            Some(Level::Raid1) => members,
            Some(Level::Raid10) => array
                .and_then(|array| array.layout.as_deref()?.get(1..)?.parse().ok())
                .unwrap_or(2),
            _ => 1,
        }
    }

    fn read_modify_write(&self) -> Option<Finding> {
        let parity = matches!(self.level()?, Level::Raid4 | Level::Raid5 | Level::Raid6);
        let load = &self.cell.workload.load;
        if !parity || load.pattern.reads() || self.has_rebuild() {
            return None;
        }
        let reads_per_write = self.sum(|member| member.reads) / as_f64(self.prediction.ios.max(1));
        let share = self.prediction.breakdown.share(&[Part::ReadModifyWrite]);
        (reads_per_write >= 0.1).then_some(Finding::ReadModifyWrite {
            reads_per_write,
            share,
        })
    }

    fn mirrors_take_turns(&self) -> Option<Finding> {
        let rule = self.read_rule()?;
        let pattern = self.cell.workload.load.pattern;
        if !pattern.reads() || pattern.is_random() {
            return None;
        }
        let sequential =
            self.prediction.members.iter().map(|member| {
                member.sequential_read_share.unwrap_or_default() * as_f64(member.reads)
            });
        let reads = self.sum(|member| member.reads);
        let sequential_share = sequential.sum::<f64>() / reads.max(1.0);
        (sequential_share < 0.8).then_some(Finding::MirrorsTakeTurns {
            sequential_share,
            rule,
        })
    }

    fn reads_favour(&self) -> Option<Finding> {
        let rule = self.read_rule()?;
        let members = &self.prediction.members;
        let all = self.sum(|member| member.reads);
        let favoured = members.len() / self.copies_kept().max(1);
        // What a failed member held has one place less to be read from, whatever the rule.
        let is_whole = self.model.failed.is_empty() && !self.has_rebuild();
        let reads = self.cell.workload.load.pattern.reads();
        if !reads || !is_whole || favoured == 0 || all == 0.0 {
            return None;
        }
        let mut by_reads: Vec<&MemberLoad> = members.iter().collect();
        by_reads.sort_by_key(|member| std::cmp::Reverse(member.reads));
        by_reads.truncate(favoured);
        let share = as_f64(by_reads.iter().map(|member| member.reads).sum()) / all;
        let even_share = as_f64(favoured as u64) / as_f64(members.len() as u64);
        let mut names: Vec<String> = by_reads.iter().map(|one| one.device.clone()).collect();
        names.sort();
        (share >= even_share * 1.15).then_some(Finding::ReadsFavour {
            members: names,
            share,
            even_share,
            rule,
        })
    }

    fn slowest_member(&self) -> Option<Finding> {
        let share = self.prediction.breakdown.share(&[Part::SlowestMember]);
        let requests_per_io = self.requests_per_io()?;
        (share >= NOTABLE).then_some(Finding::SlowestMember {
            share,
            requests_per_io,
        })
    }

    fn idle_members(&self) -> Option<Finding> {
        let members = &self.prediction.members;
        if own_rate(self.prediction).is_some() {
            // More in flight would keep no more of them busy.
            return None;
        }
        let busy: f64 = members.iter().map(|member| member.busy_share).sum();
        let load = &self.cell.workload.load;
        let working = self.working();
        let is_idle = working > 1 && busy < 0.7 * as_f64(working as u64);
        is_idle.then(|| Finding::IdleMembers {
            busy,
            members: working,
            depth: u64::from(load.depth) * u64::from(load.jobs),
        })
    }

    fn cpu(&self) -> Option<Finding> {
        let share = self.prediction.breakdown.share(&Part::CPU);
        let requests_per_io = self.requests_per_io()?;
        (share >= 0.2).then_some(Finding::Cpu {
            share,
            requests_per_io,
        })
    }

    /// Returns how the chunk cuts the load's own I/Os. What else reaches the disks, such as flushes, journals
    /// and parity, is not counted: the pieces follow from size, alignment and chunk.
    fn split(&self) -> Option<Finding> {
        let array = self.cell.stack.array.as_ref()?;
        let chunk = array.chunk_bytes?;
        let Workload { load, trace, .. } = &self.cell.workload;
        let has_whole_copies = self.copies_kept() >= self.prediction.members.len();
        let is_cut = match array.level {
            // `raid10_make_request`: not where each member holds everything.
            Level::Raid10 => !has_whole_copies,
            Level::Raid0 => true,
            // md takes writes of parity arrays in pages.
            Level::Raid4 | Level::Raid5 | Level::Raid6 => !load.pattern.writes(),
            Level::Linear | Level::Raid1 => false,
        };
        // The page cache and filesystems that move data send other requests.
        let is_placed = match &self.cell.stack.filesystem {
            Filesystem::None => true,
            Filesystem::Made { kind, .. } => KEEPS_PLACES.contains(&kind.as_str()),
            Filesystem::Existing => false,
        };
        if !is_cut || !is_placed || !load.direct || trace.is_some() {
            return None;
        }
        let (pieces_per_io, block) = pieces(&load.block_size, chunk);
        (pieces_per_io >= 1.05).then(|| Finding::Split {
            pieces_per_io,
            piece_bytes: block / pieces_per_io,
        })
    }

    fn copies(&self) -> Option<Finding> {
        let samples = self.prediction.samples.iter();
        let asked = total(samples.map(|sample| sample.write.bytes.as_u64()));
        let deltas = self
            .prediction
            .samples
            .iter()
            .flat_map(|sample| &sample.devices);
        let written = total(deltas.map(|delta| delta.write_bytes.as_u64()));
        let copies = as_f64(written) / as_f64(asked.max(1));
        (asked > 0 && copies >= 1.2 && !self.has_rebuild()).then_some(Finding::Copies { copies })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripewise_study::workload::SplitPart;

    #[test]
    fn pieces_are_counted_from_size_alignment_and_chunk() {
        let kib = |kib: u64| Bytes::new(kib << 10);
        let of = |block: u64, chunk: u64| pieces(&BlockSize::Fixed(kib(block)), kib(chunk)).0;
        for (block, chunk, expected) in [
            (16, 512, 1.0),
            (512, 512, 1.0),
            (64, 32, 2.0),
            (128, 32, 4.0),
            // Of the starts 0, 48, 32 and 16 in a chunk of 64, two cross a boundary.
            (48, 64, 1.5),
            // 16 starts in a chunk, of which 8 cross one and 8 two.
            (100, 64, 2.5),
        ] {
            assert!(
                (of(block, chunk) - expected).abs() < 1e-9,
                "{block} {chunk}"
            );
        }
        let part = |size, share_percent| SplitPart {
            block_size_bytes: kib(size),
            share_percent,
        };
        let split = BlockSize::Split(vec![part(4, 75), part(64, 25)]);
        // Starts at multiples of 4: of 8 in a chunk of 32, an I/O of 64 crosses 60 / 32 boundaries.
        let (cut, mean) = pieces(&split, kib(32));
        assert!((cut - (0.75 + 0.25 * (1.0 + 60.0 / 32.0))).abs() < 1e-9);
        assert!((mean - 19.0 * 1024.0).abs() < 1e-9);
    }
}
