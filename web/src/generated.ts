// Written from the Rust types: UPDATE_EXPECT=1 cargo test -p stripewise-serve typescript
//
// The data of a page, and what the live page asks its server and gets. Numbers are in the unit that
// their key ends in. Names of studies, stacks and devices came from outside; sentences are the
// terminal's English, for what the front end has no words for.
//
// Requests are JSON over loopback with the header `Authorization: Bearer TOKEN`. The token comes in the
// fragment of the page's address and is kept in sessionStorage.

/** What the begin of a partition should be a multiple of. */
export type AlignmentUnit = "physical_block" | "optimal_io" | "chunk";

/** Why a request is refused: the body of an answer with a status of 4xx or 5xx. */
export type ApiError = {
  /** The reason. */
  error: string,
  /** What to do about it. */
  hint: string | null,
};

/** POST /api/ask: a page with the one cell, in the model world, and its map. POST /api/ask/curve: the same
 * question at several block sizes; the cells of the overlaid run that are like it follow as a second run.
 * With `?preview=true` both are quick, and marked as previews. */
export type AskAnswer = {
  /** The simulation, as if it were a run. */
  page: Page,
  /** How long the simulation took. */
  simulated_ns: number,
  /** Whether this is a preview: the final answer needs another request, and may differ. */
  is_preview: boolean,
};

/** An axis and its values. */
export type Axis = {
  /** Its key: that of a study, or `chunk`. */
  key: string,
  /** Its values: numbers ascending, others in the order of the study. */
  values: Array<string>,
  /** The number of each value (bytes, jobs, depth); nothing where one of them is not a number. */
  numbers: Array<number> | null,
};

/** All cells that two runs share, by what their comparison says. */
export type BeforeAfter = {
  /** How many cells were compared. */
  cells: number,
  /** Those that are better beyond doubt. */
  better: Moved | null,
  /** Those that are worse beyond doubt. */
  worse: Moved | null,
  /** How many differ by no more than the margin. */
  same: number,
  /** That margin, as a fraction; the widest where cells have several. */
  margin: number,
  /** How many the samples cannot tell. */
  unknown: number,
};

/** What limits. */
export type Bottleneck = { "limit": "saturated",
  /** What it is. */
  resource: Resource,
  /** How busy it is. */
  busy_share: number,
  /** Its share of the mean I/O, waiting included. */
  share: number,
} | { "limit": "syncs",
  /** The share of the time. */
  share: number,
  /** The mean time of one. */
  time_ns: number,
} | { "limit": "latency",
  /** The largest part. */
  part: Part,
  /** Its share of the mean I/O. */
  share: number,
  /** Its time. */
  time_ns: number,
  /** The share of the time in which the busiest disk has something to do, if that is most of it. */
  busiest_disk_share?: number,
};

/** A number of bytes. */
export type Bytes = number;

/** What makes two stacks different, and how that is known. */
export type Cause = {
  /** The keys that make the difference. */
  keys: Array<string>,
  /** The keys that do nothing. */
  idle: Array<string>,
  /** The stack that tells; nothing where there is one difference only. */
  witness?: Witness,
};

/** A cell and what its samples say. */
export type Cell = {
  /** The index of its run. */
  run: number,
  /** Its number in the study, from 1. */
  number: number,
  /** Its value along each axis of the page. */
  values: Array<string>,
  /** The name of its stack. */
  stack: string,
  /** The layers of its stack as one line, bottom first. */
  stack_words: string,
  /** The chunk of its array. */
  chunk_bytes: number | null,
  /** The size of its I/Os, where they have one. */
  block_size_bytes: number | null,
  /** Its estimates, by the key of the metric. */
  estimates: { [key in MetricKey]?: Estimate },
  /** What it is compared with, and what may be said. */
  verdicts: Array<CellVerdict>,
  /** What may be said of it against the same cell of the reference run; nothing on a page of one run. */
  before?: CellVerdict,
  /** What was noticed about it and its samples. */
  warnings: Array<Noticed>,
  /** Its samples in the order of time. */
  samples: Array<SamplePoint>,
  /** The steady window, where steady state was asked for and attained. */
  steady: SteadyWindow | null,
  /** The latency of its counted I/Os. */
  latency: Distribution | null,
  /** What each device saw. */
  members: Array<Member>,
  /** Where the time went; nothing where the world cannot know. */
  breakdown: CellBreakdown | null,
  /** What a failure did to it; nothing where nothing failed. */
  timeline?: CellTimeline,
  /** What limits it; nothing where the world cannot know. */
  bottleneck: Bottleneck | null,
  /** The rules behind it. */
  findings: Array<CellFinding>,
};

/** Where the time went. */
export type CellBreakdown = {
  /** The mean I/O. */
  mean: Array<PartTime>,
  /** The slowest hundredth. */
  slowest: Array<PartTime>,
  /** How busy everything was. */
  utilisation: Array<Utilisation>,
  /** How it began, where that differs from the long run. */
  onset?: Onset,
};

/** A rule at work, with its evidence and its English words. */
export type CellFinding = {
  /** The sentence of the terminal. */
  words: string,
  /** The size of the I/Os, which the sentence names. */
  block_size: string,
  /** The kernel whose rules apply, which the sentence names. */
  kernel: string,
} & ({ "finding": "read_modify_write",
  /** Reads at the disks for each write of the workload. */
  reads_per_write: number,
  /** The share of the mean I/O. */
  share: number,
} | { "finding": "mirrors_take_turns",
  /** The share of the disks' reads that went on where an earlier one ended. */
  sequential_share: number,
  /** How the kernel chooses. */
  rule: ReadRule,
} | { "finding": "reads_favour",
  /** Those that get more. */
  members: Array<string>,
  /** Their share of all reads. */
  share: number,
  /** What would be their share. */
  even_share: number,
  /** How the kernel chooses. */
  rule: ReadRule,
} | { "finding": "bitmap",
  /** The share of the mean I/O. */
  share: number,
} | { "finding": "flush",
  /** The share of the mean I/O. */
  share: number,
} | { "finding": "journal",
  /** The share of the mean I/O. */
  share: number,
} | { "finding": "slowest_member",
  /** The share of the mean I/O. */
  share: number,
  /** Requests at the disks for each I/O. */
  requests_per_io: number,
} | { "finding": "idle_members",
  /** How many have, on average. */
  busy: number,
  /** How many there are. */
  members: number,
  /** The I/Os that the workload keeps under way. */
  depth: number,
} | { "finding": "cpu",
  /** The share of the mean I/O. */
  share: number,
  /** Requests at the disks for each I/O. */
  requests_per_io: number,
} | { "finding": "split",
  /** Requests at the disks for each I/O, copies not counted. */
  pieces_per_io: number,
  /** Their mean size. */
  piece_bytes: number,
} | { "finding": "copies",
  /** Bytes written at the disks for each byte of the workload. */
  copies: number,
});

/** What happened when, and what it did to the load. */
export type CellTimeline = {
  /** How long each step is. */
  step_ns: number,
  /** Bytes read in each whole step of the first sample that counts. */
  read_bytes: Array<number>,
  /** Bytes written. */
  write_bytes: Array<number>,
  /** Bytes of the member rebuilt; empty where nobody counted. */
  rebuilt_bytes: Array<number>,
  /** What happened in that sample. */
  events: Array<SampleEvent>,
  /** The throughput of each phase, over all samples. */
  phases: Array<PhaseLoad>,
  /** How long the rebuild takes. */
  rebuild: RebuildTime | null,
};

/** What may be said of a cell against another. */
export type CellVerdict = {
  /** The values of samples taken in the same block: of the baseline, of this cell. */
  pairs: Array<[number, number]>,
  /** The metric. */
  metric: MetricKey,
  /** The index of the baseline cell. */
  baseline: number,
  /** Whether samples were compared pair by pair. */
  paired: boolean,
  /** The ratio of this cell to the baseline. */
  ratio: Estimate,
  /** The same as a difference in percent of the baseline. */
  difference_percent: ChangePercent,
  /** The verdict in words, said of this cell. */
  words: string,
  /** Whether more samples can be taken; `more_samples` means nothing where they cannot. */
  repeatable?: boolean,
} & (Verdict | {
  /** Without how many more samples would tell: there are no more. */
  verdict: "cannot_tell",
});

/** One thing done otherwise. */
export type Change = { "change": "chunk",
  /** The chunk. */
  chunk_bytes: Bytes,
} | { "change": "devices",
  /** How many in all. */
  count: number,
} | { "change": "array",
  /** The level. */
  level: Level,
  /** The layout, where the level has one. */
  layout: string | null,
} | { "change": "kernel",
  /** The kernel. */
  version: string,
} | { "change": "depth",
  /** How many. */
  depth: number,
} | { "change": "fsync_every",
  /** After how many writes. */
  writes: number,
} | { "change": "block_size",
  /** How large. */
  block_size_bytes: Bytes,
} | { "change": "governor",
  /** Its name. */
  governor: string,
} | { "change": "no_bitmap" } | { "change": "no_uplink" } | { "change": "half_bio_cost" };

/** A difference from the baseline in percent of it. */
export type ChangePercent = {
  /** The difference; 34 is a third more than the baseline. */
  value: number,
  /** The lower end of its interval; nothing if the samples carry none. */
  low: number | null,
  /** The upper end. */
  high: number | null,
};

/** What a simulation can find still changing. */
export type Changing = "throughput" | "write_cache" | "fast_area" | "flash_blocks" | "page_cache" | "bitmap";

/** GET /api/choices: the choices for a question. */
export type Choices = {
  /** The device profiles. */
  devices: Array<Device>,
  /** The host profiles. */
  hosts: Array<Host>,
  /** The governors that a host profile has. */
  governors: Array<string>,
  /** Kernels whose rules differ, oldest first. */
  kernels: Array<Kernel>,
  /** The levels; `none` is the device alone. */
  levels: Array<LevelChoice>,
  /** The filesystems. */
  filesystems: Array<string>,
  /** The states of the devices; the first is the usual one. */
  states: Array<string>,
  /** The patterns. */
  patterns: Array<PatternChoice>,
  /** The most devices of an array. */
  devices_max: number,
  /** The initial position of the sliders. */
  question: Question,
};

/** What a place holds. */
export type ChunkRole = "data" | "copy" | "parity" | "q";

/** A sentence of the answer, as data. Indices are those of the page's cells and runs. */
export type Claim = { "claim": "overall",
  /** The axis. */
  axis: string,
  /** Its values, the best first. */
  standings: Array<Standing>,
  /** Over how many loads: those in which every value has an estimate. */
  loads: number,
  /** How many loads there are. */
  loads_all: number,
  /** In what. */
  metric: MetricKey,
} | { "claim": "wins",
  /** Among the loads of this pattern; nothing where patterns do not differ. */
  panel: string | null,
  /** The axis. */
  axis: string,
  /** The value. */
  value: string,
  /** In how many loads it gives the most. */
  wins: number,
  /** In how many of them beyond doubt. */
  certain: number,
  /** How many loads there are. */
  loads: number,
  /** What it gives most of, or least of where less is better. */
  metric: MetricKey,
} | { "claim": "largest",
  /** The load, in the values of the other axes. */
  load: string,
  /** The same as axes and values. */
  load_values: Array<[string, string]>,
  /** The best cell. */
  best: number,
  /** The worst cell. */
  worst: number,
  /** The larger value over the smaller one. */
  ratio: number,
  /** The same with the interval that those of the two cells leave. */
  ratio_estimate: Estimate,
  /** Of what. */
  metric: MetricKey,
} | { "claim": "against",
  /** Certainly better. */
  better: number,
  /** Certainly worse. */
  worse: number,
  /** No difference above the margin. */
  same: number,
  /** The samples cannot tell. */
  unknown: number,
  /** The same with how far they are from their baselines. */
  counts: BeforeAfter,
  /** In what. */
  metric: MetricKey,
} | { "claim": "differs" } & StackDifference | { "claim": "untold",
  /** The stacks. */
  stacks: Array<string>,
  /** Their baseline. */
  baseline: string,
} | { "claim": "gives",
  /** The cell. */
  cell: number,
  /** Of what. */
  metric: MetricKey,
} | { "claim": "limits",
  /** What limits, and how many cells. */
  limits: Array<Limit>,
  /** How many cells there are. */
  cells: number,
} | { "claim": "before_after",
  /** The run. */
  run: number,
  /** What it is held against. */
  reference: number,
  /** Whether the reference came before it, and there are no others. */
  is_in_order: boolean,
  /** In what. */
  metric: MetricKey,
  /** How many cells were compared. */
  cells: number,
  /** Those that are better beyond doubt. */
  better: Moved | null,
  /** Those that are worse beyond doubt. */
  worse: Moved | null,
  /** How many differ by no more than the margin. */
  same: number,
  /** That margin, as a fraction; the widest where cells have several. */
  margin: number,
  /** How many the samples cannot tell. */
  unknown: number,
} | { "claim": "off",
  /** The run. */
  run: number,
  /** What it is held against. */
  reference: number,
  /** How many cells both have. */
  cells: number,
  /** The mean of the relative differences, without sign. */
  mean_share: number,
  /** The largest of them, with its sign. */
  worst_share: number,
  /** Where that is. */
  worst_cell: number,
  /** In what. */
  metric: MetricKey,
} | { "claim": "settled",
  /** That are. */
  settled: number,
  /** In all. */
  cells: number,
  /** How sure that is: the half width of the interval, as a share. */
  margin: number,
} | { "claim": "single",
  /** How many cells. */
  cells: number,
} | { "claim": "not_counted",
  /** How many. */
  samples: number,
  /** Of how many that were to count. */
  of: number,
};

/** A command line and what it is for. */
export type Command = {
  /** What it does. */
  does: Purpose,
  /** The command line. */
  command: string,
};

/** A device profile. */
export type Device = {
  /** Its name. */
  name: string,
  /** Its description. */
  description: string,
  /** Its capacity. */
  capacity_bytes: number,
};

/** One key in which a stack differs from another. */
export type Difference = {
  /** The key of the study file: `chunk`, `metadata`, `volume`, ... */
  key: string,
  /** Its value. */
  value: string,
  /** Its value in the stack that this one is compared with. */
  instead_of: string,
};

/** The direction of an I/O. */
export type Direction = "read" | "write";

/** The latency of all counted I/Os of a cell. */
export type Distribution = {
  /** How many I/Os. */
  ios: number,
  /** Latency in ns and the share of I/Os that took no longer, ascending. */
  cumulative: Array<[number, number]>,
  /** Percentiles that enough I/Os of each sample back. */
  percentiles: Array<Percentile>,
};

/** The effect of one change. */
export type EffectPart = {
  /** The change in the terminal's words. */
  words: string,
  /** The verdict in the terminal's words. */
  verdict_words: string,
  /** The question with the change made; null if the page cannot ask it. */
  question: Question | null,
  /** Whether it is common advice, and so is shown even if it does nothing. */
  is_popular: boolean,
  /** Whether its simulations reached the bound of their effort ([`Prediction::is_cut_short`]). */
  is_cut_short: boolean,
  /** The bandwidth with it. */
  bandwidth_bytes_per_s: Estimate,
  /** The 99th percentile of the latency with it. */
  latency_ns_p99: Estimate | null,
  /** The bandwidth with it over the one without. */
  ratio: Estimate,
} & ({ "change": "chunk",
  /** The chunk. */
  chunk_bytes: Bytes,
} | { "change": "devices",
  /** How many in all. */
  count: number,
} | { "change": "array",
  /** The level. */
  level: Level,
  /** The layout, where the level has one. */
  layout: string | null,
} | { "change": "kernel",
  /** The kernel. */
  version: string,
} | { "change": "depth",
  /** How many. */
  depth: number,
} | { "change": "fsync_every",
  /** After how many writes. */
  writes: number,
} | { "change": "block_size",
  /** How large. */
  block_size_bytes: Bytes,
} | { "change": "governor",
  /** Its name. */
  governor: string,
} | { "change": "no_bitmap" } | { "change": "no_uplink" } | { "change": "half_bio_cost" }) & (Verdict | {
  /** Without how many more samples would tell: there are no more. */
  verdict: "cannot_tell",
});

/** A value with its confidence interval; never a bare number.
 *
 * `interval` is `None` when there are too few samples to carry one at the level. How far to trust an interval that is
 * there, `effective_samples` tells: below 6, a "95 %" interval holds the truth less often (`ANALYSIS.md`).
 * Serialized flat, with the keys `value`, `low`, `high`, `level`, `samples` and `effective_samples`;
 * `low` and `high` are null without an interval. */
export type Estimate = {
  /** The estimate, in the unit of the samples. */
  value: number,
  /** The lower end of the interval; nothing where the samples carry none. */
  low: number | null,
  /** The upper end. */
  high: number | null,
  /** The confidence level, for instance 0.95. */
  level: number,
  /** How many samples were taken. */
  samples: number,
  /** How many independent samples they are worth. */
  effective_samples: number,
};

/** A fact of the machine. */
export type Fact = {
  /** The key of its name in the messages: `kernel`, `governor`, `device`, ... */
  key: string,
  /** What it is about, where there are several: the name of a device or tool. */
  of: string | null,
  /** The fact. */
  value: string,
};

/** One fact that is not what it was. */
export type FactChange = {
  /** Which fact. */
  fact: string,
  /** What it was. */
  before: string,
  /** What it is. */
  now: string,
};

/** A step of a failure that is part of a study. */
export type FailureStep = "fail" | "take_out" | "put_back";

/** A number of samples as far as it can be foretold. */
export type Forecast = { "forecast": "about", "samples": number } | { "forecast": "more_than", "samples": number };

/** A host profile. */
export type Host = {
  /** Its name. */
  name: string,
  /** Its description. */
  description: string,
};

/** Kernels with the same rules. */
export type Kernel = {
  /** The oldest version with these rules. */
  version: string,
  /** Its changes, in a few words. */
  changed: string,
};

/** An md RAID level. */
export type Level = "linear" | "raid0" | "raid1" | "raid4" | "raid5" | "raid6" | "raid10";

/** A level and what can be chosen with it. */
export type LevelChoice = {
  /** Its name, as in a study. */
  level: string,
  /** Its layouts, mdadm's default first. */
  layouts: Array<string>,
  /** Whether it has a chunk. */
  has_chunk: boolean,
  /** The fewest members. */
  devices_min: number,
  /** Whether it can keep a write-intent bitmap. */
  has_bitmap: boolean,
  /** How many members may fail at most, by the number of members from 0 on. */
  failed_max: Array<number>,
};

/** What limits, and how many cells. */
export type Limit = {
  /** One of the cells' bottlenecks. */
  bottleneck: Bottleneck,
  /** How many cells it limits. */
  cells: number,
};

/** A chunk on a member. */
export type MapBox = {
  /** The number of the chunk in the array; nothing for parity. */
  chunk: number | null,
  /** What it is there. */
  role: ChunkRole,
  /** Whether a sequential reader is served from here. */
  serves: boolean,
};

/** A row of chunks. */
export type MapRow = {
  /** Where it lies on the members, in chunks. */
  label: string,
  /** A box for each member; nothing where nothing of the picture lies. */
  boxes: Array<MapBox | null>,
};

/** What one device saw, per second of load. */
export type Member = {
  /** Its name. */
  device: string,
  /** Reads completed. */
  reads_per_s: number,
  /** Writes completed. */
  writes_per_s: number,
  /** Bytes read. */
  read_bytes_per_s: number,
  /** Bytes written. */
  write_bytes_per_s: number,
  /** Reads and writes that were merged into others. */
  merges_per_s: number,
  /** Flushes; nothing where the kernel does not count them. */
  flushes_per_s: number | null,
  /** The share of the time in which it had something to do. */
  busy_share: number,
};

/** A number that a sample gives, with its unit. */
export type Metric = "bandwidth" | "iops" | "latency_mean" | "latency_p50" | "latency_p99" | "latency_p999" | "sync_latency_mean" | "sync_latency_p99";

/** A metric under its key, which ends in the unit or the quantile. */
export type MetricKey = "bandwidth_bytes_per_s" | "iops" | "latency_ns_mean" | "latency_ns_p50" | "latency_ns_p99" | "latency_ns_p999" | "sync_latency_ns_mean" | "sync_latency_ns_p99";

/** What a run in the model world simulates. */
export type ModelPart = {
  /** The kernel that was asked about. */
  kernel: string,
  /** The kernel whose rules stand for it: another one where it is newer or older than those known. */
  kernel_rules: string,
  /** The host profile. */
  host: string,
  /** The device profiles. */
  devices: Array<string>,
};

/** How far cells moved in one direction, as ratios after / before. */
export type Moved = {
  /** How many cells. */
  cells: number,
  /** The median of their ratios. */
  median_ratio: number,
  /** The ratio nearest to 1. */
  least_ratio: number,
  /** The ratio farthest from 1. */
  most_ratio: number,
  /** The cell of that ratio. */
  most_cell: number,
};

/** A span of time in nanoseconds, at most about 584 years. */
export type Nanos = number;

/** A warning with its words. */
export type Noticed = {
  /** What was noticed. */
  message: string,
  /** What to do about it. */
  hint: string | null,
  /** Whether it makes a sample worthless. */
  invalidates: boolean,
  /** How many samples it was noticed at; 0 where it is not about single samples. The word `samples`
   * belongs to the warnings that count some. */
  samples_affected: number,
} & ({ "kind": "compressible_data",
  /** The filesystem's compression. */
  compression: string,
  /** What the buffers hold. */
  data: string,
} | { "kind": "file_fits_in_memory",
  /** The files of all jobs together. */
  files_bytes: Bytes,
  /** The machine's memory. */
  memory_bytes: Bytes,
} | { "kind": "depth_ignored",
  /** The engine. */
  engine: string,
  /** The depth that was asked for. */
  depth: number,
  /** Why it cannot. */
  why: string,
} | { "kind": "budget_too_small",
  /** What there is. */
  budget_ns: Nanos,
  /** What the fewest samples take. */
  needed_ns: Nanos,
} | { "kind": "budget_ended",
  /** How many cells there are. */
  cells: number,
  /** How many of them have no sample beside the warm-up. */
  cells_empty: number,
  /** How many more have fewer than they were to have. */
  cells_short: number,
  /** How many that is. */
  at_least: number,
} | { "kind": "array_busy",
  /** The array. */
  array: string,
  /** What it was doing: `resync`, `recover`, `check`, ... */
  action: string,
} | { "kind": "array_degraded",
  /** The array. */
  array: string,
  /** How many members are missing. */
  missing_count: number,
} | { "kind": "array_lost_members",
  /** The array. */
  array: string,
  /** How many members it lacks now, those included that it lacked before. */
  missing_count: number,
} | { "kind": "failure_unfinished",
  /** The array. */
  array: string,
  /** The member. */
  device: string,
  /** What had not happened. */
  step: FailureStep,
} | { "kind": "fewer_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** What fio moved. */
  asked_bytes: Bytes,
  /** What the devices moved. */
  device_bytes: Bytes,
  /** Whether the study asked for it: buffered I/O, or data that a filesystem compresses. */
  asked_for: boolean,
} | { "kind": "more_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** What fio moved. */
  asked_bytes: Bytes,
  /** What the devices moved. */
  device_bytes: Bytes,
  /** The process that moved most meanwhile, where it can be told. */
  process: string | null,
} | { "kind": "disks_unknown",
  /** The filesystem. */
  filesystem: string,
} | { "kind": "partition_misaligned",
  /** The partition. */
  device: string,
  /** Where on its disk it begins. */
  start_bytes: Bytes,
  /** What that should be a multiple of. */
  unit: AlignmentUnit,
  /** How large that is. */
  unit_bytes: Bytes,
} | { "kind": "short_run",
  /** How long it should have run. */
  asked_ns: Nanos,
  /** How long it ran. */
  elapsed_ns: Nanos,
} | { "kind": "frequency_fell",
  /** What it was before. */
  before_khz: number,
  /** What it was after. */
  after_khz: number,
} | { "kind": "throttled",
  /** How many times. */
  count: number,
} | { "kind": "first_sample_unlike",
  /** The metric. */
  metric: Metric,
  /** The first sample's value. */
  first: number,
  /** The median of the others. */
  median_of_rest: number,
} | { "kind": "drift",
  /** The metric. */
  metric: Metric,
  /** By how much from the first to the last, as a fraction of the median. */
  relative_change: number,
  /** How probable such a trend is by chance. */
  p_value: number,
} | { "kind": "autocorrelated",
  /** The metric. */
  metric: Metric,
  /** The correlation of each sample with the one before. */
  lag1: number,
  /** How many samples there are. */
  samples: number,
  /** How many independent ones they are worth. */
  effective_samples: number,
} | { "kind": "not_steady",
  /** How many rounds were run. */
  rounds: number,
} | { "kind": "job_failed",
  /** The job. */
  job: string,
  /** The error number. */
  errno: number,
} | { "kind": "disk_without_room",
  /** The disk. */
  device: string,
  /** How many requests failed. */
  failed_count: number,
  /** How often a write waited for memory. */
  waits_count: number,
} | { "kind": "disk_heard_late",
  /** The disk. */
  device: string,
  /** How long a request took, as the disk's profile says: the mean. */
  service_ns: Nanos,
  /** How long after its end the guest heard of it: the mean. */
  late_ns: Nanos,
} | { "kind": "data_differs",
  /** How that was found, as a sentence fragment. */
  how: string,
} | { "kind": "not_verified",
  /** The world. */
  world: string,
} | { "kind": "simulation_cut_short",
  /** How many I/Os it rests on, after its warm-up. */
  ios: number,
} | { "kind": "not_stationary",
  /** What. */
  changing: Changing,
  /** How many I/Os were simulated, the warm-up among them. */
  ios: number,
} | { "kind": "no_histogram" } | { "kind": "imported",
  /** What, as a sentence fragment. */
  note: string,
});

/** What a steady simulation saw before its long-run behaviour. */
export type Onset = {
  /** The bandwidth at which it began. */
  bytes_per_s: number,
  /** The rate of I/Os at which it began. */
  ios_per_s: number,
  /** After how many bytes of the load that ended. */
  bytes: Bytes,
  /** After how long that ended. */
  time_ns: Nanos,
};

/** One or several runs, ready to be shown. */
export type Page = {
  /** The version of this form. */
  schema: 1,
  /** The version of the program that made the page. */
  stripewise_version: string,
  /** What is asked: the first run's question, else the name of its study. */
  question: string,
  /** The metric that the first run compares by. */
  metric: MetricKey,
  /** The metrics that at least one cell has an estimate of. */
  metrics: Array<MetricKey>,
  /** The runs. */
  runs: Array<PageRun>,
  /** The axes along which the cells of all runs differ. */
  axes: Array<Axis>,
  /** The cells of all runs, run by run. */
  cells: Array<Cell>,
  /** What all cells of all runs share and no axis tells. */
  shared: Array<Shared>,
  /** Of very many cells those that matter, by their indices: the largest differences and those that
   * warnings are about. Nothing where they are few. */
  chosen?: Array<number>,
  /** What the runs answer, as data. */
  answer: Array<Claim>,
  /** Which member holds and serves which chunk, for each array. */
  maps: Array<StackMap>,
  /** What is shown, in order. */
  views: Array<View>,
};

/** One run of a page. */
export type PageRun = {
  /** Its number in the store. */
  id: RunId,
  /** The study's name. */
  study: string,
  /** The question asked. */
  question: string | null,
  /** The world it ran in. */
  world: string,
  /** How it stands. */
  state: RunState,
  /** The version of the program that began it. */
  stripewise_version: string,
  /** The seed from which order and samples drew. */
  seed: number,
  /** When it began, in ns since 1970-01-01 UTC. */
  started_unix_ns: number,
  /** When it ended, if it did. */
  ended_unix_ns: number | null,
  /** How many samples there are, the warm-up and the worthless included. */
  samples_all: number,
  /** How many samples count. */
  samples_counted: number,
  /** What was simulated; nothing in other worlds. */
  model: ModelPart | null,
  /** What the machine was. */
  facts: Array<Fact>,
  /** What changed: within this run, and since the first run of the page. */
  changed_facts: Array<FactChange>,
  /** What was noticed about the run as a whole. */
  warnings: Array<Noticed>,
  /** How to repeat, continue and question it. */
  commands: Array<Command>,
  /** The study file. */
  study_text: string,
};

/** A part of the time that an I/O takes on its critical path. */
export type Part = "submit" | "volume_cpu" | "array_cpu" | "block_cpu" | "block_queue" | "device_queue" | "device_service" | "link" | "uplink" | "slowest_member" | "read_modify_write" | "parity_thread" | "bitmap" | "rebuild" | "flush" | "journal" | "page_cache" | "completion";

/** How much of an I/O a part took. */
export type PartTime = {
  /** The part. */
  part: Part,
  /** Its mean time. */
  time_ns: number,
};

/** A pattern. */
export type PatternChoice = {
  /** Its name, as in a study. */
  pattern: string,
  /** Whether it reads. */
  reads: boolean,
  /** Whether it writes. */
  writes: boolean,
};

/** A percentile of the latency. */
export type Percentile = {
  /** Which: 99.9 for the latency that 99.9 % of the I/Os do not exceed. */
  percent: number,
  /** The median over the samples. */
  latency_ns: Estimate,
};

/** A part of a sample, as the state of the array divides it. */
export type Phase = "whole" | "degraded" | "rebuilding" | "whole_again";

/** The throughput of one phase. */
export type PhaseLoad = {
  /** The phase. */
  phase: Phase,
  /** Bytes per second in both directions. */
  bandwidth_bytes_per_s: Estimate,
};

/** What a command does with a run. */
export type Purpose = "repeat" | "resume" | "show" | "compare" | "why" | "export";

/** POST /api/ask: the array and the load to simulate. */
export type Question = {
  /** The device profile. */
  device: string,
  /** How many devices. */
  count: number,
  /** The level; `none` is the device alone. */
  level: string,
  /** The layout, if the level has some. */
  layout: string | null,
  /** The chunk, if the level has one. */
  chunk_bytes: number | null,
  /** Whether the array keeps a write-intent bitmap. */
  bitmap: boolean,
  /** The members that have failed, by their place from 0. */
  failed: Array<number>,
  /** Whether the first of them is being rebuilt on a new device. */
  rebuild: boolean,
  /** The filesystem, or `none`. */
  filesystem: string,
  /** The pattern. */
  pattern: string,
  /** The share of reads of a mixed pattern; null if the pattern is not mixed. */
  read_percent: number | null,
  /** The size of an I/O. */
  block_size_bytes: number,
  /** How many jobs. */
  jobs: number,
  /** How many I/Os each job keeps in flight. */
  depth: number,
  /** The size of the file of each job. */
  size_bytes: number,
  /** The number of writes before each fsync; null for no fsync. */
  fsync_every: number | null,
  /** The state of the devices: `steady` or `fresh`. */
  state: string,
  /** The CPU frequency governor. */
  governor: string,
  /** The host profile. */
  host: string,
  /** The kernel whose rules apply. */
  kernel: string,
  /** A stored run whose measured points are laid over; null for none. */
  overlay: number | null,
};

/** How the kernel chooses the mirror to read, in the version at hand. */
export type ReadRule = { "level": "raid10", "rule": string } | { "level": "raid1", "rule": string };

/** How long a rebuild takes. */
export type RebuildTime = {
  /** Whether it came to its end in every sample. */
  is_done: boolean,
  /** How long it took, or would take at the speed it had. */
  time_ns: Estimate,
  /** How fast it went over the member, per second. */
  speed_bytes_per_s: Estimate | null,
};

/** Something that all I/Os need. */
export type Resource = "uplink" | "links" | "devices" | "job_cpu" | "parity_thread";

/** Why a sample was taken. */
export type Role = "warm_up" | "counted";

/** The number of a run in its store; counts from 1 and is never used again. */
export type RunId = number;

/** GET /api/runs: one line for each run, the latest first. */
export type RunLine = {
  /** Its number in the store. */
  id: RunId,
  /** The study's name. */
  study: string,
  /** Its name, else its question. */
  question: string | null,
  /** The world it ran in. */
  world: string,
  /** Its state. */
  state: RunState,
  /** The version of the program that began it. */
  stripewise_version: string,
  /** When it began, in ns since 1970-01-01 UTC. */
  started_unix_ns: number,
  /** When it ended, if it did. */
  ended_unix_ns: number | null,
  /** How many cells it has. */
  cells: number,
  /** How many samples there are. */
  samples_all: number,
  /** How many samples count. */
  samples_counted: number,
};

/** How a run stands now. */
export type RunState = "running" | "done" | "interrupted" | "failed";

/** Something that happened to the array during a sample. */
export type SampleEvent = {
  /** When, from the beginning of the sample. */
  at_ns: Nanos,
} & ({ "event": "failed",
  /** Which, counted from 0. */
  device: number,
} | { "event": "replaced",
  /** Which member it is now. */
  device: number,
} | { "event": "re_added",
  /** Which member it is again. */
  device: number,
} | { "event": "rebuild_began",
  /** How much of the member the array uses. */
  size_bytes: Bytes,
} | { "event": "rebuild_done",
  /** How much was written to the member; nothing where nobody counted. */
  rebuilt_bytes: Bytes | null,
} | { "event": "rebuild_unfinished",
  /** How far it had come on the member. */
  reached_bytes: Bytes,
  /** How far it goes. */
  size_bytes: Bytes,
} | { "event": "read_back",
  /** How much was read. */
  read_bytes: Bytes,
} | { "event": "checked",
  /** How much did not agree, in md's reckoning (`mismatch_cnt`, in bytes). */
  mismatch_bytes: Bytes,
});

/** A sample as a point in time. */
export type SamplePoint = {
  /** When it began, in ns since 1970-01-01 UTC. */
  started_unix_ns: number | null,
  /** How long the load ran. */
  elapsed_ns: number,
  /** The block it was taken in. */
  block: number,
  /** Why it was taken. */
  role: Role,
  /** Whether nothing was noticed that makes it worthless. */
  valid: boolean,
  /** Whether it counts: valid, no warm-up, and of the steady rounds where those were asked for. */
  counted: boolean,
  /** Bytes per second. */
  bandwidth_bytes_per_s: number | null,
  /** I/Os per second. */
  iops: number | null,
  /** The mean latency. */
  latency_ns_mean: number | null,
  /** The 99th percentile of the latency. */
  latency_ns_p99: number | null,
};

/** A value that all cells have. */
export type Shared = {
  /** The key of its axis. */
  key: string,
  /** The value. */
  value: string,
};

/** A stack that is not as fast as its baseline, and in what the two differ. */
export type StackDifference = {
  /** The name of the stack. */
  stack: string,
  /** The name of the stack that it is compared with. */
  baseline: string,
  /** In what it differs from that. */
  differences: Array<Difference>,
  /** Which of them matter; nothing where the run does not tell. */
  cause?: Cause,
};

/** The map of one stack's array. */
export type StackMap = {
  /** The index of its run. */
  run: number,
  /** The name of the stack. */
  stack: string,
  /** The level. */
  level: string,
  /** The layout as it was written; nothing where it was left to mdadm or the level has none. */
  layout: string | null,
  /** What is numbered as a chunk: a chunk, a piece where the level has none, a whole member. */
  unit: Unit,
  /** Its size. */
  chunk_bytes: number,
  /** The members, as the model names them; cut where there are very many. */
  members: Array<string>,
  /** How many members the array has. */
  member_count: number,
  /** The rows of the picture, from the start of the members on. */
  rows: Array<MapRow>,
  /** How many rows are left out before the pattern repeats. */
  rows_left_out: number,
};

/** How near a value of an axis comes to the best of each load. */
export type Standing = {
  /** The value. */
  value: string,
  /** The geometric mean, over the loads, of its share of the best of the load: at most 1. */
  mean_share: number,
  /** The same where every interval is at its worst for the value; nothing if one is missing. */
  low_share: number | null,
  /** The same where every interval is at its best for the value. */
  high_share: number | null,
  /** Its share in the load in which it is furthest from the best. */
  worst_share: number,
  /** That load, in the values of the other axes. */
  worst_load: string,
  /** The same as axes and values. */
  worst_load_values: Array<[string, string]>,
};

/** One window of rounds held against the two criteria. All but `first_round` is in the unit of the rounds. */
export type SteadyWindow = {
  /** Number of the window's first round, counted from 1 as the specification does. */
  first_round: number,
  /** Mean of the rounds. */
  mean: number,
  /** Slope of the least-squares line, per round. */
  slope_per_round: number,
  /** Value of that line at round 0 of the whole series, so that the line is `slope * round + intercept`. */
  intercept: number,
  /** Largest round less smallest. */
  range: number,
  /** The range allowed: 20 % of the mean. */
  range_allowed: number,
  /** How far the line rises or falls from the window's first round to its last, without sign. */
  slope_excursion: number,
  /** The excursion allowed: 10 % of the mean. */
  slope_excursion_allowed: number,
};

/** POST /api/ask/study: the question as a study file. */
export type StudyAnswer = {
  /** Null if the question has failed members, which are not part of a study. */
  toml: string | null,
  /** The command that runs the study, or asks the same without one. */
  command: string,
};

/** What is numbered as a chunk. */
export type Unit = "chunk" | "piece" | "member";

/** How busy a component was. */
export type Utilisation = {
  /** The component: `sd0`, `uplink`, `cpu of job 0`, `parity thread`. */
  component: string,
  /** The share of the time in which it had something to do, 0 to 1. */
  busy_share: number,
};

/** What may be claimed of two things compared. Serialized with the tag `verdict`. */
export type Verdict = { "verdict": "different",
  /** Lower bound of the ratio. */
  low: number,
  /** Upper bound of the ratio. */
  high: number,
} | { "verdict": "no_difference",
  /** The margin, as a fraction. */
  margin: number,
} | { "verdict": "cannot_tell",
  /** How many more (pairs of) samples would probably settle it. */
  more_samples: Forecast,
};

/** What is shown; the page has one component for each kind. */
export type View = { "kind": "curve",
  /** Its name in the page's address. */
  id: string,
  /** The metrics to choose from, the one that is shown first first. */
  metrics: Array<MetricKey>,
  /** The numeric axis. */
  x: string,
  /** The axis that has a chart for each value. */
  panel: string | null,
  /** The axes whose values make the series. */
  series: Array<string>,
} | { "kind": "bars",
  /** Its name in the page's address. */
  id: string,
  /** The metrics to choose from. */
  metrics: Array<MetricKey>,
  /** The axis that has a chart for each value. */
  panel: string | null,
  /** The axes whose values name the bars. */
  series: Array<string>,
} | { "kind": "heat_map",
  /** Its name in the page's address. */
  id: string,
  /** The metrics to choose from. */
  metrics: Array<MetricKey>,
  /** The axis of the rows. */
  rows: string,
  /** The axis of the columns. */
  columns: string,
  /** The axis that has a map for each value. */
  panel: string | null,
} | { "kind": "table",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "distribution",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "time_series",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "timeline",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "paired",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "waterfall",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "members",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "array_map",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "warnings",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "facts",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "commands",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "data",
  /** Its name in the page's address. */
  id: string,
};

/** GET /api/watch?run=3: a line at once, then one whenever a sample was added or the state changed.
 * The state of the last line is not `running`. */
export type WatchLine = {
  /** Its state. */
  state: RunState,
  /** How many samples there are. */
  samples_all: number,
  /** How many samples count. */
  samples_counted: number,
};

/** POST /api/ask/why: the effects of changes. */
export type WhyAnswer = {
  /** The simulated effects, the best first. */
  effects: Array<EffectPart>,
};

/** A stack that differs from one of two in some of the keys in which they differ. */
export type Witness = {
  /** Its name. */
  stack: string,
  /** The one of the two that it does as well as. */
  same_as: string,
  /** In how many cells. */
  cells: number,
};
