//! Findings in words. The only place that makes them; programs read the findings themselves.

use stripewise_profiles::kernel::{Raid1ReadBalance, Raid10ReadBalance};
use stripewise_study::cell::Cell;
use stripewise_study::kernel::KernelVersion;
use stripewise_study::metric::{Metric, three_digits};
use stripewise_study::sample::Part;
use stripewise_study::stack::Level;

use crate::changes::Change;
use crate::why::{Bottleneck, Finding, ReadRule, Resource};

/// Returns a share as people read it: `93 %`.
pub fn percent(share: f64) -> String {
    // What rounds to nothing has no sign.
    format!("{:.0} %", (share * 100.0).round_ties_even() + 0.0)
}

impl Resource {
    /// Returns the resource in a table.
    pub const fn short(self) -> &'static str {
        match self {
            Resource::Uplink => "uplink",
            Resource::Links => "disk links",
            Resource::Devices => "disks",
            Resource::JobCpu => "CPU of a job",
            Resource::ParityThread => "parity thread",
        }
    }

    /// Returns the resource in words.
    pub const fn words(self) -> &'static str {
        match self {
            Resource::Uplink => "the uplink that all disks share",
            Resource::Links => "the disks' links",
            Resource::Devices => "the disks",
            Resource::JobCpu => "the CPU of the job",
            Resource::ParityThread => "the array's one parity thread",
        }
    }
}

impl Bottleneck {
    /// Returns what limits in a few words: `limited by ...`.
    pub fn short(&self) -> String {
        match self {
            Bottleneck::Saturated {
                resource,
                busy_share,
                ..
            } => format!("{} ({} busy)", resource.short(), percent(*busy_share)),
            Bottleneck::Syncs { share, .. } => format!("syncs ({} of the time)", percent(*share)),
            Bottleneck::Latency { part, share, .. } => {
                format!("{} ({} of each I/O)", part.words(), percent(*share))
            }
        }
    }

    /// Returns what limits in so few words that a table has room for them.
    pub fn brief(&self) -> String {
        match self {
            Bottleneck::Saturated {
                resource,
                busy_share,
                ..
            } => format!("{} {}", resource.short(), percent(*busy_share)),
            Bottleneck::Syncs { .. } => "syncs".to_owned(),
            Bottleneck::Latency { part, .. } => part.words().to_owned(),
        }
    }

    /// Returns what limits as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Bottleneck::Saturated {
                resource: Resource::Devices,
                busy_share,
                share,
            } => format!(
                "The disks are busy {} of the time, and an I/O spends {} of its time waiting for one.",
                percent(*busy_share),
                percent(*share)
            ),
            Bottleneck::Saturated {
                resource,
                busy_share,
                ..
            } => {
                let words = resource.words();
                let verb = if *resource == Resource::Links {
                    "are"
                } else {
                    "is"
                };
                let capital = words[..1].to_uppercase() + &words[1..];
                format!(
                    "{capital} {verb} busy {} of the time.",
                    percent(*busy_share)
                )
            }
            Bottleneck::Syncs { share, time_ns } => format!(
                "{} of the time goes into syncs, {} each, until every disk has flushed its cache; the rest is about the I/Os between them.",
                percent(*share),
                Metric::SyncLatencyMean.quantity(*time_ns)
            ),
            Bottleneck::Latency {
                part,
                share,
                time_ns,
                busiest_disk_share,
            } => {
                let busy =
                    busiest_disk_share.map_or("Nothing is busy all the time".to_owned(), |busy| {
                        format!(
                            "The busiest disk has something to do {} of the time",
                            percent(busy)
                        )
                    });
                format!(
                    "{busy}; the largest part of an I/O, {} ({}), is {}.",
                    percent(*share),
                    Metric::LatencyMean.quantity(*time_ns),
                    part_words(*part)
                )
            }
        }
    }
}

/// Returns a part as something that an I/O spends its time with.
const fn part_words(part: Part) -> &'static str {
    match part {
        Part::Submit => "the CPU submitting it",
        Part::VolumeCpu => "the CPU in the volume layer",
        Part::ArrayCpu => "the CPU in the array layer",
        Part::BlockCpu => "the CPU in the block layer",
        Part::BlockQueue => "waiting for room in a disk's queue",
        Part::DeviceQueue => "waiting for its turn in a disk",
        Part::DeviceService => "a disk at work",
        Part::Link => "a disk's link",
        Part::Uplink => "the uplink that all disks share",
        Part::SlowestMember => "waiting for the slowest of its disks",
        Part::ReadModifyWrite => "reading what parity needs",
        Part::ParityThread => "the array's one parity thread",
        Part::Bitmap => "the write-intent bitmap",
        Part::Rebuild => "waiting for the rebuild",
        Part::Flush => "flushing caches",
        Part::Journal => "the filesystem's journal",
        Part::PageCache => "the page cache",
        Part::Completion => "the CPU completing it",
    }
}

impl ReadRule {
    /// Returns how the kernel chooses.
    fn words(self) -> &'static str {
        match self {
            ReadRule::Raid10(Raid10ReadBalance::FirstIdle) => {
                "raid10 reads from the first mirror that has nothing pending"
            }
            ReadRule::Raid10(Raid10ReadBalance::IdleIsZero) => {
                "raid10 reads from the mirror whose head is nearest, and an idle one counts as near"
            }
            ReadRule::Raid10(Raid10ReadBalance::FewestPendingIfSsd) => {
                "raid10 reads from the mirror with the fewest pending, the first of equals"
            }
            ReadRule::Raid1(Raid1ReadBalance::FirstIdle) => {
                "raid1 reads from the first mirror that is read in sequence or idle"
            }
            ReadRule::Raid1(Raid1ReadBalance::FewestPending) => {
                "raid1 reads from a mirror that is read in sequence, else from the one with the fewest pending, the first of equals"
            }
            ReadRule::Raid1(Raid1ReadBalance::SequentialGivesWay) => {
                "raid1 reads from a mirror that is read in sequence until its run is long, else from the one with the fewest pending, the first of equals"
            }
        }
    }
}

impl Finding {
    /// Returns the finding as a sentence about `cell` under the rules of `kernel`.
    pub fn sentence(&self, cell: &Cell, kernel: KernelVersion) -> String {
        let load = &cell.workload.load;
        let block = &load.block_size;
        match self {
            Finding::ReadModifyWrite {
                reads_per_write,
                share,
            } => format!(
                "Each write makes the array read {} blocks first, because it does not fill a stripe: {} of its time.",
                three_digits(*reads_per_write),
                percent(*share)
            ),
            Finding::MirrorsTakeTurns {
                sequential_share,
                rule,
            } => format!(
                "Mirrors take turns, so each sees gaps in the stream: only {} of the disks' reads go on where the one before ended (Linux {kernel}: {}).",
                percent(*sequential_share),
                rule.words()
            ),
            Finding::ReadsFavour {
                members,
                share,
                rule,
                ..
            } => format!(
                "{} of the reads go to {} (Linux {kernel}: {}).",
                of_sixteen(*share),
                members.join(" and "),
                rule.words()
            ),
            Finding::Bitmap { share } => format!(
                "Writes to a clean region wait until its bit in the write-intent bitmap is on the disks: {} of their time.",
                percent(*share)
            ),
            Finding::Flush { share } => {
                format!(
                    "Waiting for the disks to flush their caches takes {} of the time.",
                    percent(*share)
                )
            }
            Finding::Journal { share } => {
                format!(
                    "The filesystem's journal takes {} of the time.",
                    percent(*share)
                )
            }
            Finding::SlowestMember {
                share,
                requests_per_io,
            } => format!(
                "An I/O becomes {} requests and waits for the slowest of them: {} of its time.",
                three_digits(*requests_per_io),
                percent(*share)
            ),
            Finding::IdleMembers {
                busy,
                members,
                depth,
            } => format!(
                "On average {} of {members} disks have something to do: {} of {block} under way {} not occupy more.",
                three_digits(*busy),
                if *depth == 1 {
                    "one I/O".to_owned()
                } else {
                    format!("{depth} I/Os")
                },
                if *depth == 1 { "does" } else { "do" }
            ),
            Finding::Cpu {
                share,
                requests_per_io,
            } => format!(
                "The CPU takes {} of each I/O, which is {} request{} at the disks.",
                percent(*share),
                three_digits(*requests_per_io),
                if *requests_per_io >= 1.5 { "s" } else { "" }
            ),
            Finding::Split {
                pieces_per_io,
                piece_bytes,
            } => format!(
                "Chunks cut each I/O of {block} into {} requests of {} on average.",
                three_digits(*pieces_per_io),
                kib(*piece_bytes)
            ),
            Finding::Copies { copies } => {
                format!("Each byte is written {} times.", three_digits(*copies))
            }
        }
    }
}

/// Returns a share as so many of 16 with its percentage: `15 of 16 (93 %)`.
fn of_sixteen(share: f64) -> String {
    let sixteenths = (share * 16.0).round();
    if sixteenths >= 16.0 {
        return match share > 0.9995 {
            true => "All".to_owned(),
            false => format!("{:.1} %", share * 100.0),
        };
    }
    format!("{sixteenths:.0} of 16 ({})", percent(share))
}

fn kib(bytes: f64) -> String {
    match bytes < f64::from(1 << 20) {
        true => format!("{} KiB", three_digits(bytes / 1024.0)),
        false => format!("{} MiB", three_digits(bytes / f64::from(1 << 20))),
    }
}

impl Change {
    /// Returns the change in a few words.
    pub fn words(&self) -> String {
        match self {
            Change::Chunk { chunk_bytes } => format!("chunk {chunk_bytes}"),
            Change::Devices { count } => format!("{count} devices"),
            Change::Array { level, layout } => {
                let layout = layout.map_or(String::new(), |layout| format!(" {layout}"));
                let note = match level {
                    Level::Raid0 => " (no redundancy)",
                    _ => "",
                };
                format!("{level}{layout}{note}")
            }
            Change::Kernel { version } => format!("rules of Linux {version}"),
            Change::Depth { depth } => format!("depth {depth}"),
            Change::FsyncEvery { writes } => format!("a sync after {writes} writes"),
            Change::BlockSize { block_size_bytes } => format!("I/Os of {block_size_bytes}"),
            Change::Governor { governor } => format!("governor {governor}"),
            Change::NoBitmap => "no bitmap".to_owned(),
            Change::NoUplink => "no limit on the uplink".to_owned(),
            Change::HalfBioCost => "half the CPU time for a bio".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_has_no_sign() {
        assert_eq!(percent(-0.001), "0 %");
        assert_eq!(percent(-0.0), "0 %");
        assert_eq!(percent(-0.02), "-2 %");
        assert_eq!(percent(0.932), "93 %");
    }
}
