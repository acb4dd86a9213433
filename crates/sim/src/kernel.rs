//! What a kernel of a given version does: md's and the block layer's rules as data.
//!
//! A *generation* is a file in `kernels/` at the root of the workspace. It names the first version
//! it holds for and only what changed since the one before, each value with its source, so that
//! every rule is stated once. Together they give the [`Policy`] of any version. A distribution's
//! kernel may carry newer changes under an old number.

use std::cmp::Ordering;
use std::sync::LazyLock;

use serde::Deserialize;
use stripewise_study::kernel::KernelVersion;
use toml_edit::DocumentMut;

/// How raid10 chooses the copy to read (`read_balance` in `raid10.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid10ReadBalance {
    /// The first slot with nothing pending (near layouts); else the lowest address (far) or the
    /// nearest head.
    FirstIdle,
    /// As before, but an idle member only counts as distance 0: a head that stands at the sector
    /// already, on a lower slot, wins over an idle member.
    IdleIsZero,
    /// The fewest pending bios among the non-rotational candidates; if there is none, as before.
    FewestPendingIfSsd,
}

/// How raid1 chooses the member to read (`read_balance` in `raid1.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid1ReadBalance {
    /// The first member that is read sequentially or idle; else fewest pending or nearest.
    FirstIdle,
    /// The first member that is read sequentially; else fewest pending (if one is idle or any is
    /// non-rotational) or nearest.
    FewestPending,
    /// As before, but a member whose sequential run exceeds its optimal I/O size really gives way
    /// to an idle one.
    SequentialGivesWay,
}

/// How raid0 counts chunks behind the first zone, if the array's superblock does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid0Layout {
    /// From the array's start (`RAID0_ORIG_LAYOUT`).
    Original,
    /// From the zone's start (`RAID0_ALT_MULTIZONE_LAYOUT`).
    Alternate,
}

/// In which order raid0 hands on the pieces of a bio that crosses chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid0Split {
    /// From front to back.
    InOrder,
    /// The piece up to the border; its rest goes back to md, behind what follows it.
    RestLater,
    /// The piece up to the border after its own rest.
    RestFirst,
}

/// Which of the plugged requests count against the plug's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlugCount {
    /// Those of the queue the new request is for.
    OfQueue,
    /// All.
    All,
}

/// When a plug is flushed because it is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlugPolicy {
    /// A plug with so many requests is flushed before another one is added.
    pub requests_max: u32,
    /// The same as soon as two requests in it were for different queues.
    pub requests_several_queues_max: u32,
    /// Whether only requests of the queue the new one is for count.
    pub counts_per_queue: bool,
    /// A plug whose newest request has so many bytes is flushed before another one is added.
    pub flush_bytes: u64,
}

/// Which of the plugged requests a bio may be merged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlugMerge {
    /// Every one of its queue, newest first.
    AnyOfQueue,
    /// The newest of all, if it is of its queue: hardly ever, with several members.
    Newest,
    /// The newest of its queue.
    NewestOfQueue,
}

/// What a plug holds back of a device with several hardware queues (NVMe, virtio).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareQueuesPlug {
    /// Synchronous I/O not at all; the rest like a device with one queue.
    NoSynchronous,
    /// One request of each queue.
    One,
    /// The same as of a device with one queue.
    Whole,
}

/// Which direct I/O on a block device without a filesystem is plugged while it is submitted.
///
/// Files are: `do_blockdev_direct_IO` and `iomap_dio_rw` plug each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawPlug {
    /// All of it.
    All,
    /// All but synchronous reads.
    NotSynchronousReads,
    /// Writes.
    Writes,
    /// None.
    None,
}

impl RawPlug {
    /// Returns whether reads and writes are plugged, in this order.
    pub const fn of_reads_and_writes(self, is_synchronous: bool) -> [bool; 2] {
        match self {
            RawPlug::All => [true, true],
            RawPlug::NotSynchronousReads => [!is_synchronous, true],
            RawPlug::Writes => [false, true],
            RawPlug::None => [false, false],
        }
    }
}

/// When raid1 and raid10 pass a write on to the members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorWrites {
    /// When the writer unplugs, whether there is a bitmap or not.
    AtUnplug,
    /// At once without a bitmap; else at the unplug.
    DirectWithoutBitmap,
}

/// How md passes on a flush (`md_flush_request`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushRule {
    /// One at a time; then its data.
    OneByOne,
    /// Each for itself, in parallel; then its data.
    Independent,
    /// One at a time; those that waited while a whole one ran need none. Then the data.
    Coalesced,
    /// Each for itself, in parallel, and its data beside it.
    BesideData,
}

/// The rules of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// How raid10 chooses the copy to read.
    pub raid10_read_balance: Raid10ReadBalance,
    /// How raid1 chooses the member to read.
    pub raid1_read_balance: Raid1ReadBalance,
    /// What raid1 splits bios at, if anything.
    pub raid1_unit_bytes: Option<u64>,
    /// How raid0 counts chunks in later zones.
    pub raid0_layout: Raid0Layout,
    /// The order of the pieces of a raid0 bio.
    pub raid0_split: Raid0Split,
    /// When mirrors pass writes on.
    pub mirror_writes: MirrorWrites,
    /// How many bios per copy mirrors hold back for a plug, if there is a limit.
    pub mirror_plug_bios_max: Option<u32>,
    /// How md passes on a flush.
    pub flush: FlushRule,
    /// Whether bios end at chunks before they enter md (`merge_bvec_fn`); else md splits them.
    pub bios_end_at_chunks: bool,
    /// The most parts of memory in a bio.
    pub bio_parts_max: u32,
    /// Whether pages that follow one another in memory are one part; else every page is one.
    pub bio_parts_span_pages: bool,
    /// Whether a bio that is longer than its queue's limit is cut at a physical block.
    pub bios_cut_at_physical_blocks: bool,
    /// `max_sectors_kb` of a member, if the device itself can do more.
    pub member_request_max_kib: u32,
    /// The plugged requests that flush the plug, if they are all for one queue.
    pub plug_requests_max: u32,
    /// The same if they are for several, as an array's are.
    pub plug_requests_several_queues_max: u32,
    /// Which requests count.
    pub plug_counts: PlugCount,
    /// The size of the newest plugged request from which the next one flushes the plug first.
    pub plug_flush_bytes: Option<u64>,
    /// Which requests a bio may be merged with.
    pub plug_merge: PlugMerge,
    /// Which direct I/O on a device without a filesystem is plugged.
    pub raw_plug: RawPlug,
    /// What a plug holds back of a device with several hardware queues.
    pub plug_of_hardware_queues: HardwareQueuesPlug,
}

/// Returns a generation: its first version, and the text of its file.
macro_rules! generation {
    ($major:literal, $minor:literal, $patch:literal, $name:literal) => {
        (
            KernelVersion::new($major, $minor, $patch),
            include_str!(concat!("../../../kernels/", $name, ".toml")),
        )
    };
}

/// The generations, oldest first: the first version of each, and its file.
const GENERATIONS: [(KernelVersion, &str); 21] = [
    generation!(3, 10, 0, "3.10"),
    generation!(3, 14, 0, "3.14"),
    generation!(3, 19, 0, "3.19"),
    generation!(4, 2, 0, "4.2"),
    generation!(4, 3, 0, "4.3"),
    generation!(4, 10, 0, "4.10"),
    generation!(4, 11, 0, "4.11"),
    generation!(4, 12, 0, "4.12"),
    generation!(4, 18, 0, "4.18"),
    generation!(5, 0, 0, "5.0"),
    generation!(5, 2, 0, "5.2"),
    generation!(5, 3, 0, "5.3"),
    generation!(5, 4, 0, "5.4"),
    generation!(5, 10, 0, "5.10"),
    generation!(5, 16, 0, "5.16"),
    generation!(5, 18, 0, "5.18"),
    generation!(6, 1, 53, "6.1.53"),
    generation!(6, 1, 192, "6.1.192"),
    generation!(6, 5, 0, "6.5"),
    generation!(6, 9, 0, "6.9"),
    generation!(6, 12, 0, "6.12"),
];

impl Policy {
    /// Returns when a plug is full.
    pub fn plug(&self) -> PlugPolicy {
        PlugPolicy {
            requests_max: self.plug_requests_max,
            requests_several_queues_max: self.plug_requests_several_queues_max,
            counts_per_queue: self.plug_counts == PlugCount::OfQueue,
            flush_bytes: self.plug_flush_bytes.unwrap_or(u64::MAX),
        }
    }
}

/// Every generation's whole policy, oldest first.
static POLICIES: LazyLock<Vec<(KernelVersion, Policy)>> = LazyLock::new(|| {
    let mut merged = DocumentMut::new();
    GENERATIONS
        .iter()
        .map(|(first, text)| {
            let changes: DocumentMut = text.parse().expect("the shipped tables are TOML");
            for (key, value) in changes.iter() {
                merged.insert(key, value.clone());
            }
            let policy = toml_edit::de::from_document(merged.clone())
                .expect("the shipped tables make a policy");
            (*first, policy)
        })
        .collect()
});

/// Returns the rules of kernel `version`: those of the newest generation that is not newer, or of
/// the oldest one for an older kernel.
pub fn policy(version: KernelVersion) -> Policy {
    let newer = POLICIES.partition_point(|(first, _)| *first <= version);
    POLICIES[newer.saturating_sub(1)].1.clone()
}

/// The newest kernel of which a rule is known, in the tables or in the code (`counts_array` in
/// `array/resync.rs`). What came later is simulated by its rules.
pub const NEWEST: KernelVersion = KernelVersion::new(6, 16, 0);

/// Returns the kernel whose rules stand for `version`: the version itself, or the newest or the oldest
/// one that is known.
pub fn rules_of(version: KernelVersion) -> KernelVersion {
    let oldest = GENERATIONS[0].0;
    let number = |version: KernelVersion| (version.major, version.minor);
    if number(version) > number(NEWEST) {
        NEWEST
    } else if version < oldest {
        oldest
    } else {
        version
    }
}

/// Returns whose rules apply to kernel `version`, for people: `6.12`, or `6.16, the newest known, for
/// 7.99`.
pub fn rules_in_words(version: KernelVersion) -> String {
    let rules = rules_of(version);
    match version.cmp(&rules) {
        Ordering::Equal => rules.to_string(),
        Ordering::Greater => format!("{rules}, the newest known, for {version}"),
        Ordering::Less => format!("{rules}, the oldest known, for {version}"),
    }
}

/// Kernels whose rules are the same, and what set them apart from those before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// The first version.
    pub first: KernelVersion,
    /// The rules that it changed, in words: `raid10 read balance`; of the oldest one all.
    pub changed: Vec<String>,
}

/// Returns the generations, oldest first.
pub fn generations() -> Vec<Generation> {
    let generation = |(first, text): &(KernelVersion, &str)| {
        let changes: DocumentMut = text.parse().expect("the shipped tables are TOML");
        let words = changes.iter().map(|(key, _)| key.replace('_', " "));
        Generation {
            first: *first,
            changed: words.collect(),
        }
    };
    GENERATIONS.iter().map(generation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Policy {
        policy(KernelVersion::parse(text).unwrap())
    }

    #[test]
    fn generations_are_in_order_and_make_policies() {
        assert!(GENERATIONS.is_sorted_by(|earlier, later| earlier.0 < later.0));
        for (index, (first, text)) in GENERATIONS.iter().enumerate() {
            assert_eq!(policy(*first), POLICIES[index].1);
            assert!(text.starts_with('#'), "{first} names its sources");
            if index > 0 {
                assert_ne!(
                    POLICIES[index].1,
                    POLICIES[index - 1].1,
                    "{first} changes something"
                );
            }
        }
    }

    #[test]
    fn a_version_follows_the_newest_generation_that_is_not_newer() {
        assert_eq!(of("2.6.32"), of("3.10"));
        assert_eq!(of("4.9.337"), of("4.3"));
        assert_eq!(
            of("5.2.21").raid10_read_balance,
            Raid10ReadBalance::IdleIsZero
        );
        assert_eq!(of("6.1.52").raid0_split, Raid0Split::RestLater);
        assert_eq!(of("6.1.192").raid0_split, Raid0Split::RestFirst);
        assert_eq!(of("7.3"), of("6.12"));
        assert!(!of("5.3.18").bios_cut_at_physical_blocks);
        assert!(of("5.4").bios_cut_at_physical_blocks);
    }

    #[test]
    fn a_kernel_beyond_the_known_ones_is_simulated_by_the_nearest_and_says_so() {
        let words = |text: &str| rules_in_words(KernelVersion::parse(text).unwrap());
        assert_eq!(words("6.12.48"), "6.12.48");
        assert_eq!(words("6.16.9"), "6.16.9");
        assert_eq!(words("7.99"), "6.16, the newest known, for 7.99");
        assert_eq!(words("2.6.32"), "3.10, the oldest known, for 2.6.32");
        assert!(GENERATIONS.iter().all(|(first, _)| *first <= NEWEST));
    }

    /// A rule in the code that begins later than [`NEWEST`] would be used and denied.
    #[test]
    fn no_rule_in_the_code_is_newer_than_the_newest() {
        let sources = [
            include_str!("array/resync.rs"),
            include_str!("array/parity/mod.rs"),
        ];
        let starts = sources.iter().flat_map(|source| {
            let versions = source
                .split("KernelVersion::new(")
                .chain(source.split("since("));
            let numbers = versions.filter_map(|rest| {
                let (numbers, _) = rest.split_once(')')?;
                let mut numbers = numbers.split(", ").map(str::parse::<u16>);
                Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
            });
            numbers.collect::<Vec<_>>()
        });
        let newest = starts.max().unwrap();
        assert_eq!(newest, (NEWEST.major, NEWEST.minor));
    }

    #[test]
    fn rules_of_the_kernels_studied_most() {
        let old = of("4.1");
        assert_eq!(old.raid10_read_balance, Raid10ReadBalance::FirstIdle);
        assert!(old.bios_end_at_chunks);
        assert_eq!(old.member_request_max_kib, 32767);
        let plug = PlugPolicy {
            requests_max: 16,
            requests_several_queues_max: 16,
            counts_per_queue: true,
            flush_bytes: u64::MAX,
        };
        assert_eq!(old.plug(), plug);
        assert_eq!(old.raw_plug, RawPlug::All);
        let debian = of("6.1.0-18-amd64");
        assert_eq!(
            debian.raid10_read_balance,
            Raid10ReadBalance::FewestPendingIfSsd
        );
        assert_eq!(debian.raid1_unit_bytes, Some(64 << 20));
        assert_eq!(debian.mirror_writes, MirrorWrites::AtUnplug);
        let later = of("6.1.192").mirror_writes;
        assert_eq!(later, MirrorWrites::DirectWithoutBitmap);
        assert_eq!(debian.flush, FlushRule::Coalesced);
        assert_eq!(debian.plug_merge, PlugMerge::NewestOfQueue);
        assert_eq!(debian.member_request_max_kib, 1280);
        let plug = PlugPolicy {
            requests_max: 32,
            requests_several_queues_max: 64,
            counts_per_queue: false,
            flush_bytes: 128 << 10,
        };
        assert_eq!(debian.plug(), plug);
        assert_eq!(debian.raw_plug, RawPlug::Writes);
        let new = of("6.12");
        assert_eq!(new.raid1_read_balance, Raid1ReadBalance::SequentialGivesWay);
        assert_eq!(new.mirror_writes, MirrorWrites::DirectWithoutBitmap);
        assert_eq!(new.raw_plug, RawPlug::None);
        assert_eq!(new.flush, FlushRule::BesideData);
    }
}

#[cfg(test)]
#[path = "kernel_golden_tests.rs"]
mod golden_tests;
