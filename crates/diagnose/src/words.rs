//! Findings as messages of the catalogue. Programs read the findings themselves.

use stripewise_message::number::three_digits;
use stripewise_message::{Argument, Message};
use stripewise_profiles::kernel::{Raid1ReadBalance, Raid10ReadBalance};
use stripewise_study::cell::Cell;
use stripewise_study::metric::Metric;
use stripewise_study::sample::Part;
use stripewise_study::stack::Level;
use stripewise_units::kernel::KernelVersion;

use crate::changes::Change;
use crate::why::{Bottleneck, Finding, ReadRule, Resource};

impl Resource {
    /// Returns its key in JSON and in the catalogue.
    const fn key(self) -> &'static str {
        match self {
            Resource::Uplink => "uplink",
            Resource::Links => "links",
            Resource::Devices => "devices",
            Resource::JobCpu => "job_cpu",
            Resource::Lock => "lock",
            Resource::ParityThread => "parity_thread",
            Resource::Cores => "cores",
        }
    }

    /// Returns the name of the resource in a table.
    pub fn message(self) -> Message {
        Message::new(format!("resource-{}", self.key()))
    }
}

impl Bottleneck {
    /// Returns the bottleneck in a few words with its evidence: `disks (98 % busy)`.
    pub fn short(&self) -> Message {
        match self {
            Bottleneck::Saturated {
                resource,
                busy_share,
                ..
            } => Message::new("limit-short-saturated")
                .with("resource", resource.message())
                .percent("busy", *busy_share),
            Bottleneck::OwnRate { .. } => Message::new("limit-name-own-rate"),
            Bottleneck::OwnPauses { share } => {
                Message::new("limit-short-own-pauses").percent("share", *share)
            }
            Bottleneck::Syncs { share, .. } => {
                Message::new("limit-short-syncs").percent("share", *share)
            }
            Bottleneck::Latency { part, share, .. } => Message::new("limit-short-latency")
                .with("part", part.message())
                .percent("share", *share),
        }
    }

    /// Returns the bottleneck short enough for a column of a table: `disks 98 %`.
    pub fn brief(&self) -> Message {
        match self {
            Bottleneck::Saturated {
                resource,
                busy_share,
                ..
            } => Message::new("limit-brief-saturated")
                .with("resource", resource.message())
                .percent("busy", *busy_share),
            Bottleneck::OwnRate { .. } => Message::new("limit-brief-own-rate"),
            Bottleneck::OwnPauses { .. } => Message::new("limit-brief-own-pauses"),
            _ => self.name(),
        }
    }

    /// Returns the name of the bottleneck: `disks`.
    pub fn name(&self) -> Message {
        match self {
            Bottleneck::Saturated { resource, .. } => resource.message(),
            Bottleneck::OwnRate { .. } => Message::new("limit-name-own-rate"),
            Bottleneck::OwnPauses { .. } => Message::new("limit-name-own-pauses"),
            Bottleneck::Syncs { .. } => Message::new("limit-brief-syncs"),
            Bottleneck::Latency { part, .. } => part.message(),
        }
    }

    /// Returns the bottleneck as a sentence.
    pub fn sentence(&self) -> Message {
        match self {
            Bottleneck::Saturated {
                resource,
                busy_share,
                share,
            } => {
                let message = Message::new(format!("limit-{}", resource.key()));
                let message = message.percent("busy", *busy_share);
                match resource {
                    Resource::Devices => message.percent("share", *share),
                    _ => message,
                }
            }
            Bottleneck::OwnRate { busiest_disk_share } => {
                Message::new("limit-own-rate").percent("busy", *busiest_disk_share)
            }
            Bottleneck::OwnPauses { share } => {
                Message::new("limit-own-pauses").percent("share", *share)
            }
            Bottleneck::Syncs { share, time_ns } => Message::new("limit-syncs")
                .percent("share", *share)
                .with("time", Metric::SyncLatencyMean.quantity(*time_ns)),
            Bottleneck::Latency {
                part,
                share,
                time_ns,
                busiest_disk_share,
            } => {
                let message = match busiest_disk_share {
                    Some(busy) => Message::new("limit-latency-busy").percent("busy", *busy),
                    None => Message::new("limit-latency"),
                };
                message
                    .percent("share", *share)
                    .with("time", Metric::LatencyMean.quantity(*time_ns))
                    .with("part", spent_in(*part))
            }
        }
    }
}

/// Returns the phrase for time that an I/O spends in a part.
fn spent_in(part: Part) -> Message {
    Message::new(format!("spent-{}", part.key()))
}

impl ReadRule {
    /// Returns how the kernel chooses.
    fn message(self) -> Message {
        Message::new(match self {
            ReadRule::Raid10(Raid10ReadBalance::FirstIdle) => "rule-raid10-first-idle",
            ReadRule::Raid10(Raid10ReadBalance::IdleIsZero) => "rule-raid10-idle-is-zero",
            ReadRule::Raid10(Raid10ReadBalance::FewestPendingIfSsd) => {
                "rule-raid10-fewest-pending-if-ssd"
            }
            ReadRule::Raid1(
                Raid1ReadBalance::FirstIdle | Raid1ReadBalance::FirstIdleWriteMostlyLast,
            ) => "rule-raid1-first-idle",
            ReadRule::Raid1(Raid1ReadBalance::FewestPending) => "rule-raid1-fewest-pending",
            ReadRule::Raid1(Raid1ReadBalance::SequentialGivesWay) => {
                "rule-raid1-sequential-gives-way"
            }
        })
    }
}

impl Finding {
    /// Returns the finding as a sentence about `cell` under the rules of `kernel`.
    pub fn sentence(&self, cell: &Cell, kernel: KernelVersion) -> Message {
        let message = Message::new(format!("finding-{}", self.id()));
        let block = &cell.workload.load.block_size;
        match self {
            Finding::ReadModifyWrite {
                reads_per_write,
                share,
            } => message
                .digits("reads_per_write", three_digits(*reads_per_write))
                .percent("share", *share),
            Finding::MirrorsTakeTurns {
                sequential_share,
                rule,
            } => message
                .percent("share", *sequential_share)
                .name("kernel", kernel)
                .with("rule", rule.message()),
            Finding::ReadsFavour {
                members,
                share,
                rule,
                ..
            } => message
                .with("part", of_sixteen(*share))
                .with("members", Argument::names(members))
                .name("kernel", kernel)
                .with("rule", rule.message()),
            Finding::Bitmap { share } | Finding::Flush { share } | Finding::Journal { share } => {
                message.percent("share", *share)
            }
            Finding::SlowestMember {
                share,
                requests_per_io,
            } => message
                .percent("share", *share)
                .digits("requests_per_io", three_digits(*requests_per_io)),
            Finding::IdleMembers {
                busy,
                members,
                depth,
            } => message
                .digits("busy", three_digits(*busy))
                .digits("members", members)
                .name("block", block)
                .count("depth", *depth),
            Finding::Cpu {
                share,
                requests_per_io,
            } => message
                .percent("share", *share)
                .digits("requests_per_io", three_digits(*requests_per_io)),
            Finding::Split {
                pieces_per_io,
                piece_bytes,
            } => message
                .name("block", block)
                .digits("pieces_per_io", three_digits(*pieces_per_io))
                .with("piece", kib(*piece_bytes)),
            Finding::Copies { copies } => message.digits("copies", three_digits(*copies)),
        }
    }

    /// Returns the name of the kind in the catalogue.
    const fn id(&self) -> &'static str {
        match self {
            Finding::ReadModifyWrite { .. } => "read-modify-write",
            Finding::MirrorsTakeTurns { .. } => "mirrors-take-turns",
            Finding::ReadsFavour { .. } => "reads-favour",
            Finding::Bitmap { .. } => "bitmap",
            Finding::Flush { .. } => "flush",
            Finding::Journal { .. } => "journal",
            Finding::SlowestMember { .. } => "slowest-member",
            Finding::IdleMembers { .. } => "idle-members",
            Finding::Cpu { .. } => "cpu",
            Finding::Split { .. } => "split",
            Finding::Copies { .. } => "copies",
        }
    }
}

/// Returns a share as a count out of 16, with its percentage: `15 of 16 (94 %)`; the percentage alone where
/// that is not the share of the count.
fn of_sixteen(share: f64) -> Argument {
    const SAME: f64 = 0.005;
    let sixteenths = (share * 16.0).round();
    if sixteenths < 16.0 && (share - sixteenths / 16.0).abs() > SAME {
        return Argument::percent(share);
    }
    if sixteenths < 16.0 {
        let message = Message::new("of-sixteen").digits("sixteenths", format!("{sixteenths:.0}"));
        return message.percent("share", share).into();
    }
    match share > 0.9995 {
        true => Message::new("all-of").into(),
        false => Argument::quantity(format!("{:.1}", share * 100.0), "%"),
    }
}

fn kib(bytes: f64) -> Argument {
    match bytes < f64::from(1 << 20) {
        true => Argument::quantity(three_digits(bytes / 1024.0), "KiB"),
        false => Argument::quantity(three_digits(bytes / f64::from(1 << 20)), "MiB"),
    }
}

impl Change {
    /// Returns the change in a few words.
    pub fn message(&self) -> Message {
        match self {
            Change::Chunk { chunk_bytes } => Message::new("change-chunk").name("size", chunk_bytes),
            Change::Devices { count } => Message::new("change-devices").digits("count", count),
            Change::Array { level, layout } => {
                let message = Message::new(match level {
                    Level::Raid0 => "change-array-unsafe",
                    _ => "change-array",
                });
                let layout = layout.map_or(String::new(), |layout| format!(" {layout}"));
                message.name("array", format!("{level}{layout}"))
            }
            Change::Kernel { version } => Message::new("change-kernel").name("version", version),
            Change::Depth { depth } => Message::new("change-depth").digits("depth", depth),
            Change::FsyncEvery { writes } => {
                Message::new("change-fsync-every").count("writes", writes.get())
            }
            Change::BlockSize { block_size_bytes } => {
                Message::new("change-block-size").name("size", block_size_bytes)
            }
            Change::Governor { governor } => {
                Message::new("change-governor").name("governor", governor)
            }
            Change::NoBitmap => Message::new("change-no-bitmap"),
            Change::NoOwnRate => Message::new("change-no-own-rate"),
            Change::TwiceAsFast { cause } => Message::new(format!("change-twice-{}", cause.key())),
        }
    }
}
