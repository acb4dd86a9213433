//! What the rules of a kernel can be. Which kernel has which is in `kernels/rules.toml`.

use serde::Deserialize;

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

/// `rmw_level` in sysfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RmwLevel {
    /// 0: never read old parity.
    Disable,
    /// 1, the default: whatever reads less.
    Enable,
    /// 2: old parity also when it is a tie.
    Prefer,
}

/// The rules of RAID 4, 5 and 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParityPolicy {
    /// The lowest `rmw_level` (1 or 2) that decides a tie for old parity (`handle_stripe_dirtying`). With 1 a tie reads
    /// old data and parity by default.
    pub tie_takes_rmw: RmwLevel,
    /// Whether reads are split at chunks and each part bypasses the cache (`chunk_aligned_read`). Else only a read
    /// inside of one chunk does.
    pub splits_reads: bool,
    /// Whether reads of a degraded array bypass the cache too, where their member works (`chunk_aligned_read`). Else
    /// `make_request` sends all of them through the cache.
    pub degraded_reads_bypass: bool,
    /// Whether a bio joins all blocks of a stripe at once (`add_all_stripe_bios`). Else block by block.
    pub whole_stripes: bool,
    /// Whether it begins with the stripe of the lowest position (`raid5_bio_lowest_chunk_sector`).
    pub lowest_first: bool,
    /// Whether a write marks whole rows of chunks in the bitmap (`raid5_bitmap_sector`). Else only its own blocks.
    pub bitmap_marks_rows: bool,
}

/// The rules of a resync or rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResyncPolicy {
    /// What the resync does when the array is busy: waits for its own requests, or sleeps.
    pub waits_for_own: bool,
    /// Whether any I/O to the array means busy, not only more than 64 sectors on a member; and whether a few requests
    /// may always be in flight (`sync_io_depth`).
    pub counts_array: bool,
    /// Whether timers never fire early.
    pub timers_round_up: bool,
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
    pub md_flush: FlushRule,
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
    /// The rules of RAID 4, 5 and 6.
    pub parity: ParityPolicy,
    /// The rules of a resync or rebuild.
    pub resync: ResyncPolicy,
}

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
