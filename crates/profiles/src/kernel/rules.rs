//! The possible rules of a kernel. `kernels/rules.toml` lists which kernel has which.

use serde::Deserialize;

/// How raid10 chooses the copy to read (`read_balance` in `raid10.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid10ReadBalance {
    /// The first slot with nothing pending (near layouts); else the lowest address (far) or the
    /// nearest head.
    FirstIdle,
    /// As before, but an idle member only counts as distance 0: a head that is already at the
    /// sector, on a lower slot, wins over an idle member.
    IdleIsZero,
    /// The fewest pending bios among the non-rotational candidates; if there is none, as before.
    FewestPendingIfSsd,
}

/// How raid1 chooses the member to read (`read_balance` in `raid1.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid1ReadBalance {
    /// The first member that is read sequentially or idle; else a write-mostly one; else fewest
    /// pending or nearest.
    FirstIdle,
    /// The same, but a write-mostly member is the last resort, as in all later kernels.
    FirstIdleWriteMostlyLast,
    /// The first member that is read sequentially; else fewest pending (if one is idle or any is
    /// non-rotational) or nearest.
    FewestPending,
    /// As before, but a member whose sequential run exceeds its optimal I/O size now yields to an
    /// idle one.
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

/// The order in which raid0 submits the pieces of a bio that crosses chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Raid0Split {
    /// From front to back.
    InOrder,
    /// The piece up to the border; the rest is resubmitted to md, after the bios queued behind it.
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

/// The plugged request whose size makes the next one flush the plug first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlugFlushRequest {
    /// The newest.
    Newest,
    /// The oldest.
    Oldest,
}

/// The conditions under which a full plug is flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlugPolicy {
    /// A plug with this many requests is flushed before another one is added.
    pub requests_max: u32,
    /// The same once two requests in it were for different queues.
    pub requests_several_queues_max: u32,
    /// Whether only requests for the new request's queue count.
    pub counts_per_queue: bool,
    /// A plug of which one request has this many bytes is flushed before another one is added.
    pub flush_bytes: u64,
    /// Which request that is.
    pub flush_request: PlugFlushRequest,
}

/// The plugged requests with which a bio may be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlugMerge {
    /// Every one of its queue, newest first.
    AnyOfQueue,
    /// The newest of all, if it is of its queue: rare with several members.
    Newest,
    /// The newest of its queue.
    NewestOfQueue,
    /// The oldest of its queue.
    OldestOfQueue,
    /// The newest of all if it is of its queue, else the oldest of its queue.
    NewestElseOldestOfQueue,
}

/// The request with which `mq-deadline` or `deadline` continues a batch, or a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadlineNext {
    /// The one that followed the last request by address when that was dispatched; none after a
    /// change of direction.
    AfterLast,
    /// The same, remembered for each direction.
    AfterLastOfDirection,
    /// The first at or after the position of the direction's last request.
    FromPosition,
}

/// The longest request that an array takes whole, unless `max_sectors_kb` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayRequestMax {
    /// The shortest of its members' limits.
    Members,
    /// Its optimal I/O size (the data of a row of chunks) if that exceeds the kernel's default;
    /// else the shortest of its members' limits.
    OptimalIo,
}

/// The longest request that RAID 4, 5 and 6 take whole besides. The simulation takes writes part by
/// part: of 1 MiB at most, or of a row of chunks of up to 4 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParityRequestMax {
    /// Any length.
    Any,
    /// 256 blocks of 4 KiB (`RAID5_MAX_REQ_STRIPES`).
    Blocks,
    /// The same, but at least the data of a row of chunks.
    Row,
}

/// The requests that a plug holds back for a device with several hardware queues (NVMe, virtio).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareQueuesPlug {
    /// No synchronous I/O; other I/O as for a device with one queue.
    NoSynchronous,
    /// One request of each queue.
    One,
    /// The same as for a device with one queue.
    Whole,
}

/// The direct I/O on a block device without a filesystem that is plugged during submission.
///
/// I/O on files always is: `do_blockdev_direct_IO` and `iomap_dio_rw` plug each call.
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
    /// At once without a bitmap; otherwise at the unplug.
    DirectWithoutBitmap,
}

/// How md passes on a flush (`md_flush_request`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlushRule {
    /// One at a time; then the data.
    OneByOne,
    /// In parallel, each independently; then the data.
    Independent,
    /// One at a time; flushes that waited during a complete one need none of their own. Then the
    /// data.
    Coalesced,
    /// In parallel, each independently, with the data beside it.
    BesideData,
}

/// `rmw_level` in sysfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RmwLevel {
    /// 0: never read old parity.
    Disable,
    /// 1, the default: the method that reads less.
    Enable,
    /// 2: old parity also if both methods read the same.
    Prefer,
}

/// The rules of RAID 4, 5 and 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParityPolicy {
    /// The lowest `rmw_level` (1 or 2) at which a tie reads old parity (`handle_stripe_dirtying`).
    /// With 1 a tie reads old data and parity by default.
    pub tie_takes_rmw: RmwLevel,
    /// Whether RAID 6 may read old data and parity. Otherwise it always reads the rest of the row.
    pub raid6_rmw: bool,
    /// Whether an exhausted stripe cache grows (`raid5_cache_scan` shrinks it again).
    pub cache_grows: bool,
    /// Whether adjacent full stripes are handled as one (`stripe_add_to_batch_list`).
    pub batches: bool,
    /// The longest request that the array takes whole.
    pub request_max: ParityRequestMax,
    /// Whether no bio crosses a row of chunks (`chunk_sectors`).
    pub cut_at_rows: bool,
    /// Whether reads are split at chunks and each part bypasses the cache (`chunk_aligned_read`).
    /// Otherwise only a read inside one chunk does.
    pub splits_reads: bool,
    /// Whether reads of a degraded array also bypass the cache if their member works
    /// (`chunk_aligned_read`). Otherwise `make_request` sends all of them through the cache.
    pub degraded_reads_bypass: bool,
    /// Whether a bio joins all blocks of a stripe at once (`add_all_stripe_bios`). Otherwise block
    /// by block.
    pub whole_stripes: bool,
    /// Whether it begins with the stripe of the lowest position (`raid5_bio_lowest_chunk_sector`).
    pub lowest_first: bool,
    /// Whether a write marks whole rows of chunks in the bitmap (`raid5_bitmap_sector`). Otherwise
    /// only its own blocks.
    pub bitmap_marks_rows: bool,
    /// Whether the thread lets a task that it woke run before it releases its stripes, if they share a
    /// core (`cond_resched` in `handle_active_stripes`).
    pub thread_yields: bool,
    /// Whether a read that bypasses the cache takes `device_lock` (`raid5_read_one_chunk`).
    pub bypass_takes_lock: bool,
}

/// The rules of a resync or rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResyncPolicy {
    /// Whether the resync of a busy array waits for its own requests; otherwise it sleeps.
    pub waits_for_own: bool,
    /// Whether any I/O to the array counts as busy, not only more than 64 sectors on a member; and
    /// whether a few requests may always be in flight (`sync_io_depth`).
    pub counts_array: bool,
    /// Whether timers never fire early.
    pub timers_round_up: bool,
}

/// What limits a window of read-ahead, besides the size that the device has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAheadLimit {
    /// Half of the free memory, which is never small here.
    Memory,
    /// 2 MiB.
    TwoMebibytes,
    /// Nothing.
    Window,
    /// Nothing; and a read that is longer than the window may be read at once, up to the longest
    /// request of the device.
    Request,
}

/// The rules of read-ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadAheadPolicy {
    /// Whether a disk with a head that reports no optimal size of I/O reads ahead two of its
    /// longest requests (`blk_apply_bdi_limits`). Otherwise 128 KiB, like any device.
    pub disks_read_two_requests: bool,
    /// What limits a window.
    pub limit: ReadAheadLimit,
    /// Whether a window is never shorter than the one before it (`page_cache_async_ra`).
    pub windows_never_shrink: bool,
    /// Whether a miss behind a window is like the first read (`page_cache_sync_ra`). Otherwise the
    /// next window follows, and a first window that a read consumes whole is joined with the next
    /// one (`ondemand_readahead`).
    pub misses_start_over: bool,
}

/// Who chooses the clock of Intel processors without HWP, unless a driver or a mode is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntelDriver {
    /// `intel_pstate` in active mode, with governors of its own.
    IntelPstate,
    /// `intel_pstate` in passive mode, with the kernel's governors.
    IntelCpufreq,
}

/// Who chooses the clock of AMD's desktop processors with CPPC, unless a driver or a mode is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AmdDriver {
    /// `acpi-cpufreq`, with the kernel's governors.
    AcpiCpufreq,
    /// `amd-pstate` in active mode: the processor.
    AmdPstate,
}

/// What the governor `powersave` of `intel_pstate` goes by on a processor without HWP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActiveRule {
    /// A PID controller over the clock that the core really had.
    Pid,
    /// The same, but a core that is idle for more than 99 % of the time counts as idle.
    PidIdle,
    /// The load; a task that waited for I/O counts as full load.
    Load,
    /// The load; each task that waited for I/O doubles what it counts.
    LoadDoubling,
}

/// The governor `schedutil`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedutilRule {
    /// There is none.
    None,
    /// It goes by the share of time in which the core is busy at its present clock.
    OfCurrent,
    /// It goes by the share of work that the core could do at its highest clock.
    Invariant,
}

/// How long a clock stays, if the driver does not say (`cpufreq_policy_transition_delay_us`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockDelay {
    /// A thousand times the latency of a change, at most 10 ms.
    Thousandfold,
    /// One and a half times that latency.
    HalfMore,
}

/// The rules of the processor's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockPolicy {
    /// The driver of Intel processors without HWP.
    pub intel_driver: IntelDriver,
    /// The driver of AMD processors with CPPC.
    pub amd_driver: AmdDriver,
    /// What `intel_pstate` goes by.
    pub active_rule: ActiveRule,
    /// What `schedutil` goes by.
    pub schedutil: SchedutilRule,
    /// Whether a task that waits for its io_uring waits for I/O as one in `io_schedule` does
    /// (`io_cqring_wait_schedule`).
    pub ring_waits_for_io: bool,
    /// Whether ondemand spreads loads over the clocks from the lowest on (`od_update`); otherwise from
    /// zero on.
    pub ondemand_counts_from_min: bool,
    /// How long a clock stays.
    pub delay: ClockDelay,
}

/// The rules of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// How raid10 chooses the copy to read.
    pub raid10_read_balance: Raid10ReadBalance,
    /// How raid1 chooses the member to read.
    pub raid1_read_balance: Raid1ReadBalance,
    /// The unit at which raid1 splits bios, if any.
    pub raid1_unit_bytes: Option<u64>,
    /// How often a read takes the lock that raid1 takes most often.
    pub raid1_read_locks: u32,
    /// The same for a write, without the unplug.
    pub raid1_write_locks: u32,
    /// The same for reads and writes of raid10.
    pub raid10_locks: u32,
    /// How raid0 counts chunks in later zones.
    pub raid0_layout: Raid0Layout,
    /// The order of the pieces of a raid0 bio.
    pub raid0_split: Raid0Split,
    /// When mirrors submit writes.
    pub mirror_writes: MirrorWrites,
    /// The number of bios per copy that mirrors hold back for a plug, if limited.
    pub mirror_plug_bios_max: Option<u32>,
    /// How md passes on a flush.
    pub md_flush: FlushRule,
    /// Whether bios end at chunks before they enter md (`merge_bvec_fn`); otherwise md splits them.
    pub bios_end_at_chunks: bool,
    /// The maximum number of memory segments in a bio.
    pub bio_parts_max: u32,
    /// Whether contiguous pages form one segment; otherwise every page is one.
    pub bio_parts_span_pages: bool,
    /// Whether a bio longer than its queue's limit is cut at a physical block.
    pub bios_cut_at_physical_blocks: bool,
    /// Whether a bio for raid0 that exceeds a chunk, or crosses a border, is cut at the border
    /// (`chunk_sectors`). Otherwise md splits what the block layer has cut elsewhere.
    pub raid0_cut_at_chunks: bool,
    /// The same of raid10.
    pub raid10_cut_at_chunks: bool,
    /// The longest request that an array takes whole.
    pub array_request_max: ArrayRequestMax,
    /// Whether `nr_requests` counts the tags of a disk with one queue. Otherwise it counts reads and
    /// writes apart.
    pub requests_are_tags: bool,
    /// Whether writes of raid5 wait if the reads of their disk take long; the simulation warns of it.
    pub throttles_parity_writes: bool,
    /// The same of raid1 and raid10.
    pub throttles_mirror_writes: bool,
    /// `max_sectors_kb` of a member, if the device itself can do more.
    pub member_request_max_kib: u32,
    /// The number of plugged requests that flushes the plug, if they are all for one queue.
    pub plug_requests_max: u32,
    /// The same if they are for several queues, as an array's are.
    pub plug_requests_several_queues_max: u32,
    /// The requests that count.
    pub plug_counts: PlugCount,
    /// The size of a plugged request that makes the next one flush the plug first.
    pub plug_flush_bytes: Option<u64>,
    /// The request with that size.
    pub plug_flush_request: PlugFlushRequest,
    /// The requests with which a bio may be merged.
    pub plug_merge: PlugMerge,
    /// Whether an asynchronous direct write with `O_DSYNC` on a device without a filesystem is one
    /// write with `REQ_FUA` (`dio_bio_write_op`); otherwise a flush follows it. A flush follows a
    /// synchronous one on every kernel (`generic_write_sync` in `blkdev_write_iter`).
    pub raw_dsync_is_fua: bool,
    /// The direct I/O on a device without a filesystem that is plugged.
    pub raw_plug: RawPlug,
    /// Whether a bio that its task submits without a plug has a plug of its own (`__submit_bio`). It
    /// merges nothing, but the task itself writes the bitmap of a mirror; otherwise the array's
    /// thread does.
    pub bios_have_plugs: bool,
    /// Whether a worker of the block layer (`kblockd`) sends the requests of a task without a plug to a
    /// device with an I/O scheduler; otherwise the task does.
    pub worker_dispatches: bool,
    /// The requests that a plug holds back for a device with several hardware queues.
    pub plug_of_hardware_queues: HardwareQueuesPlug,
    /// The request with which the scheduler continues.
    pub deadline_next: DeadlineNext,
    /// Whether the delay after which md marks an array clean counts from a multiple of itself
    /// (`md_write_end`), so that the array turns clean after one to two delays.
    pub safe_mode_rounds_up: bool,
    /// The rules of RAID 4, 5 and 6.
    pub parity: ParityPolicy,
    /// The rules of read-ahead.
    pub read_ahead: ReadAheadPolicy,
    /// The rules of a resync or rebuild.
    pub resync: ResyncPolicy,
    /// The rules of the processor's clock.
    pub clock: ClockPolicy,
}

impl Policy {
    /// Returns the conditions under which a plug is full.
    pub fn plug(&self) -> PlugPolicy {
        PlugPolicy {
            requests_max: self.plug_requests_max,
            requests_several_queues_max: self.plug_requests_several_queues_max,
            counts_per_queue: self.plug_counts == PlugCount::OfQueue,
            flush_bytes: self.plug_flush_bytes.unwrap_or(u64::MAX),
            flush_request: self.plug_flush_request,
        }
    }
}
