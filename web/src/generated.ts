// Written from the Rust types: UPDATE_EXPECT=1 cargo test -p stripewise-serve typescript
//
// The data of a page, and what the live page asks its server and gets. Numbers are in the unit that
// their key ends in. Names of studies, stacks and devices came from outside. A `Message` is a sentence
// for the reader's language; other sentences are English, for programs that read the JSON.
//
// Requests are JSON over loopback with the header `Authorization: Bearer TOKEN`. The token comes in the
// fragment of the page's address and is kept in sessionStorage.

/** A part of the advice. Settings are indices. */
export type Advice = { "advice": "predicted_lossless",
  /** The settings. */
  settings: Array<number>,
} | { "advice": "predicted_none" } | { "advice": "predicted_loss",
  /** The settings. */
  settings: Array<PredictedLoss>,
} | { "advice": "no_cuts" } | { "advice": "lossless",
  /** The settings. */
  settings: Array<number>,
  /** The fewest cuts of one of them. */
  cuts_min: number,
  /** The highest share of cuts that could still lose something. */
  high: number,
} | { "advice": "none_lossless" } | { "advice": "fastest" } & Faster | { "advice": "alternatives",
  /** The settings. */
  settings: Array<Faster>,
} | { "advice": "relax",
  /** The oldest loss that was measured or predicted, in ns. */
  age_ns_max: number,
  /** The stacks that did not come back: none, of so many. */
  unusable: CutShare,
  /** The index of the setting. */
  setting: number,
  /** The index of the other one. */
  than: number,
  /** Its throughput over that of the other one. */
  ratio: number,
} | { "advice": "avoid",
  /** The setting. */
  setting: number,
} & ({ "reason": "unusable",
  /** How many. */
  share: CutShare,
} | { "reason": "corrupt",
  /** How many. */
  share: CutShare,
} | { "reason": "loses",
  /** The oldest loss, in ns. */
  age_ns_max: number,
} | { "reason": "no_limit",
  /** The oldest loss, in ns. */
  age_ns_max: number,
}) | { "advice": "undecided",
  /** The settings. */
  settings: Array<number>,
  /** The fewest independent cuts that are enough. */
  needed: number,
} | { "advice": "no_throughput" } | { "advice": "disagrees",
  /** The setting. */
  setting: number,
  /** The predicted share. */
  predicted_share: number,
  /** The measured one. */
  measured: CutShare,
};

/** What to build. */
export type AdviceAnswer = {
  /** What people read. */
  blocks: Array<Block>,
  /** The designs. */
  picture: Picture,
  /** Whether it is the decision of the search alone: the whole answer follows, and may differ. */
  is_preview: boolean,
};

/** The form of the question: its sliders, and where they begin. */
export type AdviceForm = {
  /** The sliders: first two of devices, then those of what is required. */
  sliders: Array<AdviceSlider>,
  /** The initial question. */
  question: AdviceQuestion,
};

/** A line of the answer. */
export type AdviceLine = {
  /** The share that is done, 0 to 1; it may fall where more is found to do. */
  done: number,
  /** The time left at the pace so far; null before a pace is known. */
  left_ns: number | null,
  /** The answer so far, or all of it. */
  answer: AdviceAnswer | null,
  /** Why there is no answer. */
  refusal: AdviceRefusal | null,
};

/** POST /api/ask/advise: the devices, the loads, and what the design must do; null is not required. */
export type AdviceQuestion = {
  /** The device profile. */
  device: string,
  /** How many devices. */
  count: number,
  /** How many of them wait as spares. */
  spares: number,
  /** The loads. */
  loads: Array<WeightedLoad>,
  /** How many devices may fail, whichever they are. */
  survive: number | null,
  /** The least space for data. */
  capacity_bytes: number | null,
  /** The longest time within which 99 % of the commits are durable. */
  commit_p99_ns: number | null,
  /** The fewest years until the rated writes. */
  years: number | null,
  /** The longest rebuild. */
  rebuild_ns: number | null,
  /** How much the loads write in a day. */
  writes_per_day_bytes: number | null,
  /** The filesystem, or `none`. */
  filesystem: string,
};

/** Why a question has no answer. */
export type AdviceRefusal = {
  /** The reason. */
  error: string,
  /** What to do about it. */
  hint: string | null,
};

/** A slider. */
export type AdviceSlider = {
  /** The key of the question that it sets. */
  key: string,
  /** Its name. */
  label: Message,
  /** Its steps. */
  steps: Array<AdviceStep>,
};

/** A step of a slider. */
export type AdviceStep = {
  /** The value; null requires nothing. */
  value: number | null,
  /** It in words. */
  shown: Argument,
};

/** The unit to which a partition should be aligned. */
export type AlignmentUnit = "physical_block" | "optimal_io" | "chunk";

/** A claim, as data and as a sentence. */
export type Answer = {
  /** The claim as a sentence. */
  sentence: Message,
} & ({ "claim": "overall",
  /** The axis. */
  axis: string,
  /** Its values, the best first. */
  standings: Array<ShareOfBest>,
  /** How many of the first come equally close to the best: within the margin. */
  leaders: number,
  /** In how many loads others share the first place with the first value: they are the same there. */
  shared: number,
  /** The number of loads in which every value has an estimate. */
  loads: number,
  /** The number of loads. */
  loads_all: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "same",
  /** The axis. */
  axis: string,
  /** The values. */
  values: Array<string>,
  /** Whether the axis has no others. */
  is_all: boolean,
  /** Whether the intervals of their ratios lie within the margin, too. */
  is_certain: boolean,
  /** The number of loads in which every value has an estimate. */
  loads: number,
  /** The number of loads. */
  loads_all: number,
  /** Differences up to this share count as none. */
  margin: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "states",
  /** The state that applies. */
  applies: Applies,
  /** The daily volume at which it does, if the study states one. */
  writes_per_day_bytes: Bytes | null,
} | { "claim": "in_state",
  /** The state. */
  state: State,
  /** The claim. */
  of: Claim,
} | { "claim": "cost",
  /** The years. */
  years: number,
  /** The stacks. */
  stacks: Array<StackCost>,
} | { "claim": "lost",
  /** The stacks. */
  stacks: Array<string>,
} | { "claim": "wins",
  /** The pattern of these loads; `None` if all have the same. */
  panel: string | null,
  /** The axis. */
  axis: string,
  /** The value. */
  value: string,
  /** The number of loads in which it is the best. */
  wins: number,
  /** The number of those beyond doubt. */
  certain: number,
  /** Whether some are beyond doubt only because the profile's error is common to all. */
  in_common: boolean,
  /** Whether in all of them its interval touches another one, so that it is only ahead. */
  is_open: boolean,
  /** The number of loads. */
  loads: number,
  /** The metric. */
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
  /** The same ratio with the interval that follows from those of the two cells. */
  ratio_estimate: Estimate,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "against",
  /** Certainly better. */
  better: number,
  /** Certainly worse. */
  worse: number,
  /** No difference above the margin. */
  same: number,
  /** The samples do not decide. */
  unknown: number,
  /** The same, with the distances from the baselines. */
  counts: BeforeAfter,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "differs" } & StackDifference | { "claim": "untold",
  /** The stacks. */
  stacks: Array<string>,
  /** Their baseline. */
  baseline: string,
} | { "claim": "gives",
  /** The cell. */
  cell: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "limits",
  /** Each bottleneck and its number of cells. */
  limits: Array<Limit>,
  /** The number of cells. */
  cells: number,
} | { "claim": "before_after",
  /** The run. */
  run: number,
  /** The run to compare with. */
  reference: number,
  /** Whether the reference run came first, and there are no other runs. */
  is_in_order: boolean,
  /** The metric. */
  metric: MetricKey,
  /** The number of compared cells. */
  cells: number,
  /** The cells that are certainly better. */
  better: CellShift | null,
  /** The cells that are certainly worse. */
  worse: CellShift | null,
  /** The number of cells that differ by no more than the margin. */
  same: number,
  /** That margin, as a fraction; the widest where cells have several. */
  margin: number,
  /** The number of undecided cells. */
  unknown: number,
} | { "claim": "off",
  /** The run. */
  run: number,
  /** The run to compare with. */
  reference: number,
  /** The number of cells that both have. */
  cells: number,
  /** The mean of the relative differences, without sign. */
  mean_share: number,
  /** The largest of them, with its sign. */
  worst_share: number,
  /** The cell with it. */
  worst_cell: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "settled",
  /** The number of such cells. */
  settled: number,
  /** The number of all cells. */
  cells: number,
  /** The required precision: the half width of the interval, as a share. */
  margin: number,
} | { "claim": "open",
  /** The reason. */
  reason: OpenReason,
  /** The number of such cells. */
  open: number,
  /** The number of all cells. */
  cells: number,
} | { "claim": "single",
  /** The number of cells. */
  cells: number,
} | { "claim": "power_cuts",
  /** The advice. */
  advice: Advice,
} | { "claim": "not_counted",
  /** Their number. */
  samples: number,
  /** The number of samples that were to count. */
  of: number,
});

/** Why a request is refused: the body of an answer with a status of 4xx or 5xx. */
export type ApiError = {
  /** The reason. */
  error: string,
  /** What to do about it. */
  hint: string | null,
};

/** Which state the answer of a run is about. */
export type Applies = "fresh" | "steady" | "bursts" | "mixed" | "unknown";

/** The value of a variable of a message.
 *
 * It serialises with its kind, and inside of [`crate::as_words`] as its words. */
export type Argument = { "name": string } | { "digits": string } | { "quantity": {
    /** The number, with a point before its decimals. */
    digits: string,
    /** The unit. */
    unit: string,
  } } | { "count": number } | { "message": Message } | { "words": Array<Argument> } | { "list": {
    /** The values. */
    items: Array<Argument>,
    /** Whether "and" stands before the last one. */
    and: boolean,
  } };

/** POST /api/ask: a page with one simulated cell and its array map. POST /api/ask/curve: the same
 * question at several block sizes; the matching cells of the overlaid run follow as a second run.
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
  /** The number of each value (bytes, jobs, depth); `None` if one of them is not a number. */
  numbers: Array<number> | null,
  /** Whether it says how much is asked for at once: its values are points on a curve of load. */
  demand?: boolean,
  /** Whether the name of the load, or the stack, decides its value: then it is no part of a cell's name. */
  implied?: boolean,
};

/** A bar, as fractions of the longest: solid from `start` to `solid_end`, shaded to `shaded_end`. */
export type Bar = {
  /** Where it begins. */
  start: number,
  /** Where its sure part ends. */
  solid_end: number,
  /** Where its possible part ends. */
  shaded_end: number,
};

/** All cells that two runs share, counted by the verdict of their comparison. */
export type BeforeAfter = {
  /** The number of compared cells. */
  cells: number,
  /** The cells that are certainly better. */
  better: CellShift | null,
  /** The cells that are certainly worse. */
  worse: CellShift | null,
  /** The number of cells that differ by no more than the margin. */
  same: number,
  /** That margin, as a fraction; the widest where cells have several. */
  margin: number,
  /** The number of undecided cells. */
  unknown: number,
};

/** A part of an answer. */
export type Block = { "heading": Argument } | { "sentence": Sentence } | { "pairs": Array<Pair> } | { "list": Array<Argument> } | { "table": Table } | { "grid": Grid } | { "chart": Chart } | { "drawing": Drawing } | { "code": string } | { "fold": Fold } | "gap" | { "forms": {
    /** For eyes and a wide medium. */
    drawn: Array<Block>,
    /** In sentences or plain rows: for screen readers, logs and programs. */
    told: Array<Block>,
  } };

/** The bottleneck of a cell. */
export type Bottleneck = { "limit": "saturated",
  /** The resource. */
  resource: Resource,
  /** Its busy share. */
  busy_share: number,
  /** Its share of the mean I/O, waiting included. */
  share: number,
} | { "limit": "own_rate",
  /** The busy share of the busiest disk. */
  busiest_disk_share: number,
} | { "limit": "own_pauses",
  /** The share of the time. */
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
  /** The share of the time in which the busiest disk is busy, if that is most of it. */
  busiest_disk_share?: number,
};

/** What takes the time of I/Os. */
export type BottleneckCause = "devices" | "links" | "uplink" | "adapter" | "processor";

/** A number of bytes. */
export type Bytes = number;

/** The cause of a difference between two stacks, and the evidence. */
export type Cause = {
  /** The keys that make the difference. */
  keys: Array<string>,
  /** The keys without effect. */
  idle: Array<string>,
  /** The stack that shows it; `None` if there is only one difference. */
  witness?: Witness,
};

/** A cell and the results of its samples. */
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
  /** The size of its I/Os, if it is a single one. */
  block_size_bytes: number | null,
  /** Its verdicts against baselines. */
  verdicts: Array<CellVerdict>,
  /** Its verdict against the same cell of the reference run; `None` on a page of one run. */
  before?: CellVerdict,
  /** Its samples in the order of time. */
  samples: Array<SamplePoint>,
  /** The steady window, if steady state was requested and attained. */
  steady: SteadyWindow | null,
  /** The latency of its counted I/Os. */
  latency: Distribution | null,
  /** The I/O of each device. */
  members: Array<Member>,
  /** What its devices moved for each byte of the load, as sentences. */
  moved?: Array<Message>,
  /** Where the time went; `None` if the world does not know. */
  breakdown: CellBreakdown | null,
  /** The effect of a failure on it; `None` if nothing failed. */
  timeline?: CellTimeline,
  /** The name of the bottleneck. */
  bottleneck_name: Message | null,
  /** The bottleneck as a sentence. */
  bottleneck_sentence: Message | null,
  /** The rules behind it. */
  findings: Array<CellFinding>,
  /** Whether it is unknown what fresh devices give. */
  is_fresh_unknown?: boolean,
  /** Its estimates, by the key of the metric. */
  estimates: { [key in MetricKey]?: Estimate },
  /** What fresh devices give; `None` if that is the same, or the world does not know. */
  fresh?: FreshState,
  /** The warnings about it and its samples. */
  warnings: Array<ShownWarning>,
  /** The model's prediction of a power cut, from the data at risk; `None` unless the study asks. */
  predicted_cuts?: CutPrediction,
  /** The power cuts that its samples are; `None` if they are none. */
  cuts?: CutSummary,
  /** Its bottleneck; `None` if the world does not know. */
  bottleneck?: Bottleneck,
};

/** Where the time went. */
export type CellBreakdown = {
  /** The mean I/O. */
  mean: Array<PartTime>,
  /** The slowest 1 %. */
  slowest: Array<PartTime>,
  /** How busy each component was. */
  utilisation: Array<Utilisation>,
  /** The beginning of the load, if it differs from the long run. */
  onset?: Onset,
};

/** A rule in effect, with its evidence, as a sentence. */
export type CellFinding = {
  /** The finding as a sentence. */
  sentence: Message,
} & ({ "finding": "read_modify_write",
  /** Reads at the disks for each write of the workload. */
  reads_per_write: number,
  /** The share of the mean I/O. */
  share: number,
} | { "finding": "mirrors_take_turns",
  /** The share of the disks' reads that continued where an earlier one ended. */
  sequential_share: number,
  /** The kernel's rule. */
  rule: ReadRule,
} | { "finding": "reads_favour",
  /** The members with more reads. */
  members: Array<string>,
  /** Their share of all reads. */
  share: number,
  /** The share that would be even. */
  even_share: number,
  /** The kernel's rule. */
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
  /** The mean number of busy disks. */
  busy: number,
  /** The number of disks. */
  members: number,
  /** The I/Os that the workload keeps in flight. */
  depth: number,
} | { "finding": "cpu",
  /** The share of the mean I/O. */
  share: number,
  /** Requests at the disks for each I/O. */
  requests_per_io: number,
} | { "finding": "split",
  /** Pieces of each I/O, without copies. */
  pieces_per_io: number,
  /** Their mean size. */
  piece_bytes: number,
} | { "finding": "copies",
  /** Bytes written at the disks for each byte of the workload. */
  copies: number,
});

/** How far cells moved in one direction, as ratios after / before. */
export type CellShift = {
  /** The number of cells. */
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

/** The events of a sample, and their effect on the load. */
export type CellTimeline = {
  /** The length of each step. */
  step_ns: number,
  /** Bytes read in each whole step of the first sample that counts. */
  read_bytes: Array<number>,
  /** Bytes written. */
  write_bytes: Array<number>,
  /** Bytes of the member rebuilt; empty if the source does not count them. */
  rebuilt_bytes: Array<number>,
  /** The events of that sample. */
  events: Array<SampleEvent>,
  /** The throughput of each phase, over all samples. */
  phases: Array<PhaseLoad>,
  /** How long the rebuild takes. */
  rebuild: RebuildTime | null,
};

/** The verdict on a cell against another. */
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
  /** The verdict in words, about this cell. */
  words: Message,
  /** Whether more samples can be taken; if not, `more_samples` has no meaning. */
  repeatable?: boolean,
} & (Verdict | {
  /** The verdict, without a number of further samples: there are none. */
  verdict: "cannot_tell",
});

/** One change. */
export type Change = { "change": "chunk",
  /** The chunk. */
  chunk_bytes: Bytes,
} | { "change": "devices",
  /** The total number. */
  count: number,
} | { "change": "array",
  /** The level. */
  level: Level,
  /** The layout, if the level has one. */
  layout: string | null,
} | { "change": "kernel",
  /** The kernel. */
  version: string,
} | { "change": "depth",
  /** The depth. */
  depth: number,
} | { "change": "fsync_every",
  /** The number of writes between two syncs. */
  writes: number,
} | { "change": "block_size",
  /** The size. */
  block_size_bytes: Bytes,
} | { "change": "governor",
  /** Its name. */
  governor: string,
} | { "change": "no_bitmap" } | { "change": "no_own_rate" } | { "change": "twice_as_fast",
  /** What is twice as fast. */
  cause: BottleneckCause,
};

/** A difference from the baseline in percent of it. */
export type ChangePercent = {
  /** The difference; 34 is a third more than the baseline. */
  value: number,
  /** The lower end of its interval; `None` if the samples give no interval. */
  low: number | null,
  /** The upper end. */
  high: number | null,
};

/** A quantity that still changed when a simulation ended. */
export type Changing = "throughput" | "write_cache" | "fast_area" | "flash_blocks" | "page_cache" | "bitmap";

/** Values in the order of time, at equal distances. */
export type Chart = {
  /** The values. */
  values: Array<number>,
  /** The highest of them, in words. */
  most: Argument,
  /** What happened. */
  marks: Array<Mark>,
};

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
  /** The shipped workloads that are one load with its neighbours. */
  workloads: Array<WorkloadChoice>,
  /** The patterns. */
  patterns: Array<PatternChoice>,
  /** The form of the question what to build. */
  advice: AdviceForm,
  /** The most devices of an array. */
  devices_max: number,
  /** The initial position of the sliders. */
  question: Question,
};

/** The role of a chunk on a member. */
export type ChunkRole = "data" | "copy" | "parity" | "q";

/** A sentence of the answer, as data. Indices are those of the page's cells and runs. */
export type Claim = { "claim": "overall",
  /** The axis. */
  axis: string,
  /** Its values, the best first. */
  standings: Array<ShareOfBest>,
  /** How many of the first come equally close to the best: within the margin. */
  leaders: number,
  /** In how many loads others share the first place with the first value: they are the same there. */
  shared: number,
  /** The number of loads in which every value has an estimate. */
  loads: number,
  /** The number of loads. */
  loads_all: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "same",
  /** The axis. */
  axis: string,
  /** The values. */
  values: Array<string>,
  /** Whether the axis has no others. */
  is_all: boolean,
  /** Whether the intervals of their ratios lie within the margin, too. */
  is_certain: boolean,
  /** The number of loads in which every value has an estimate. */
  loads: number,
  /** The number of loads. */
  loads_all: number,
  /** Differences up to this share count as none. */
  margin: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "states",
  /** The state that applies. */
  applies: Applies,
  /** The daily volume at which it does, if the study states one. */
  writes_per_day_bytes: Bytes | null,
} | { "claim": "in_state",
  /** The state. */
  state: State,
  /** The claim. */
  of: Claim,
} | { "claim": "cost",
  /** The years. */
  years: number,
  /** The stacks. */
  stacks: Array<StackCost>,
} | { "claim": "lost",
  /** The stacks. */
  stacks: Array<string>,
} | { "claim": "wins",
  /** The pattern of these loads; `None` if all have the same. */
  panel: string | null,
  /** The axis. */
  axis: string,
  /** The value. */
  value: string,
  /** The number of loads in which it is the best. */
  wins: number,
  /** The number of those beyond doubt. */
  certain: number,
  /** Whether some are beyond doubt only because the profile's error is common to all. */
  in_common: boolean,
  /** Whether in all of them its interval touches another one, so that it is only ahead. */
  is_open: boolean,
  /** The number of loads. */
  loads: number,
  /** The metric. */
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
  /** The same ratio with the interval that follows from those of the two cells. */
  ratio_estimate: Estimate,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "against",
  /** Certainly better. */
  better: number,
  /** Certainly worse. */
  worse: number,
  /** No difference above the margin. */
  same: number,
  /** The samples do not decide. */
  unknown: number,
  /** The same, with the distances from the baselines. */
  counts: BeforeAfter,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "differs" } & StackDifference | { "claim": "untold",
  /** The stacks. */
  stacks: Array<string>,
  /** Their baseline. */
  baseline: string,
} | { "claim": "gives",
  /** The cell. */
  cell: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "limits",
  /** Each bottleneck and its number of cells. */
  limits: Array<Limit>,
  /** The number of cells. */
  cells: number,
} | { "claim": "before_after",
  /** The run. */
  run: number,
  /** The run to compare with. */
  reference: number,
  /** Whether the reference run came first, and there are no other runs. */
  is_in_order: boolean,
  /** The metric. */
  metric: MetricKey,
  /** The number of compared cells. */
  cells: number,
  /** The cells that are certainly better. */
  better: CellShift | null,
  /** The cells that are certainly worse. */
  worse: CellShift | null,
  /** The number of cells that differ by no more than the margin. */
  same: number,
  /** That margin, as a fraction; the widest where cells have several. */
  margin: number,
  /** The number of undecided cells. */
  unknown: number,
} | { "claim": "off",
  /** The run. */
  run: number,
  /** The run to compare with. */
  reference: number,
  /** The number of cells that both have. */
  cells: number,
  /** The mean of the relative differences, without sign. */
  mean_share: number,
  /** The largest of them, with its sign. */
  worst_share: number,
  /** The cell with it. */
  worst_cell: number,
  /** The metric. */
  metric: MetricKey,
} | { "claim": "settled",
  /** The number of such cells. */
  settled: number,
  /** The number of all cells. */
  cells: number,
  /** The required precision: the half width of the interval, as a share. */
  margin: number,
} | { "claim": "open",
  /** The reason. */
  reason: OpenReason,
  /** The number of such cells. */
  open: number,
  /** The number of all cells. */
  cells: number,
} | { "claim": "single",
  /** The number of cells. */
  cells: number,
} | { "claim": "power_cuts",
  /** The advice. */
  advice: Advice,
} | { "claim": "not_counted",
  /** Their number. */
  samples: number,
  /** The number of samples that were to count. */
  of: number,
};

/** A column of a table. */
export type Column = {
  /** Its name for programs, with the unit of its exact values: `latency_ns_mean`. */
  key: string,
  /** Its head. */
  head: Argument,
  /** Its name in sentences, if that is not its head. */
  name: Argument | null,
  /** The unit of its values, if they do not carry it. */
  unit: string,
  /** The kind of its values. */
  kind: Kind,
  /** The order in which a narrow medium leaves it out: 0 never, otherwise lower ones first. */
  rank: number,
  /** Whether its words may take several lines, if it is the last. */
  wraps: boolean,
};

/** A command line and its purpose. */
export type Command = {
  /** Its purpose. */
  does: Purpose,
  /** The command line. */
  command: string,
};

/** How much was lost, over the cuts after which the stack came back. */
export type CutLoss = {
  /** The median; the higher of two in the middle. */
  median: number,
  /** The lower end of the median's 95 % interval; `None` if the recordings are too few. */
  low: number | null,
  /** The upper end. */
  high: number | null,
  /** The highest. */
  max: number,
};

/** A setting: a cell with power cuts, the same one of the model, or both. */
export type CutPlace = {
  /** Its name. */
  name: Message,
  /** The index of the cell with power cuts. */
  measured: number | null,
  /** The index of the cell with the throughput and the prediction. */
  simulated: number | null,
};

/** The model's prediction for power cuts at random instants.
 *
 * Whether a stack comes back is not predicted. */
export type CutPrediction = {
  /** Whether a record is acknowledged by a call that makes it durable; otherwise by its write. */
  is_promised: boolean,
  /** The share of cuts that lose something; `None` if the sample is of an older version. */
  lost_share: number | null,
  /** The median of the time lost, in ns. */
  age_ns_p50: number,
  /** The longest. */
  age_ns_max: number,
  /** The median of the bytes lost. */
  bytes_p50: number,
  /** The most. */
  bytes_max: number,
  /** Whether nothing became durable: the longer the load lasts, the more is lost. */
  is_unbounded: boolean,
};

/** Why stacks did not come back, or an outcome is unknown. */
export type CutReason = {
  /** The step that failed; `None` if the outcome is unknown. */
  step: "assemble" | "check" | "mount" | "start" | "read" | null,
  /** What was said of it. */
  reason: string,
  /** The number of cuts. */
  count: number,
};

/** Some of the cuts, and the 95 % interval of their share. */
export type CutShare = {
  /** The number of such cuts. */
  count: number,
  /** The number of cuts of which it is known. */
  of: number,
  /** The number of independent cuts that those are worth: their recordings, or less if some
   * recordings have more cuts than others. */
  independent: number,
  /** The lower end of the interval of the share. */
  low: number,
  /** The upper end. */
  high: number,
};

/** The power cuts of a cell. */
export type CutSummary = {
  /** The number of cuts. */
  cuts: number,
  /** The number of recordings that their crash images were built from. */
  recordings: number,
  /** The number of cuts with an unknown outcome; no proportion counts them. */
  unknown: number,
  /** The number of cuts before anything was acknowledged: they can lose nothing. */
  empty: number,
  /** How long the load had run at the latest cut: no loss can be older. */
  at_ns_max: number,
  /** Cuts that lost acknowledged data, or after which the stack did not come back. */
  lost: CutShare,
  /** Cuts after which the stack did not come back. */
  unusable: CutShare,
  /** The same by the first step that failed. */
  unusable_at: Array<FailedStep>,
  /** Why stacks did not come back, and why outcomes are unknown; the most frequent first. */
  reasons?: Array<CutReason>,
  /** Stacks that came back with data that was never written there, without an error. */
  corrupt: CutShare,
  /** The time from the first lost acknowledgement to the cut, in ns; `None` if no stack came back. */
  age_ns: CutLoss | null,
  /** The bytes of lost acknowledged records; `None` if no stack came back. */
  bytes: CutLoss | null,
};

/** A device profile. */
export type Device = {
  /** Its name. */
  name: string,
  /** Its description. */
  description: Argument,
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
  /** The number of I/Os. */
  ios: number,
  /** Latency in ns and the share of I/Os that took no longer, ascending. */
  cumulative: Array<[number, number]>,
  /** Percentiles for which each sample has enough I/Os. */
  percentiles: Array<Percentile>,
};

/** Lines, areas and words in a plane. */
export type Drawing = {
  /** What it shows. */
  caption: Argument,
  /** What the inks mean. */
  legend: Array<[Ink, Argument]>,
  /** The width of the plane. */
  width: number,
  /** The height of the plane. */
  height: number,
  /** What is in it, from back to front. */
  shapes: Array<Shape>,
};

/** The effect of one change. */
export type EffectPart = {
  /** The change. */
  change_sentence: Message,
  /** The verdict. */
  verdict_sentence: Message,
  /** The question with the change made; null if the page cannot ask it. */
  question: Question | null,
  /** Whether it is common advice, which is shown even if it has no effect. */
  is_popular: boolean,
  /** Whether its simulations reached their effort limit ([`Prediction::is_cut_short`]). */
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
  /** The total number. */
  count: number,
} | { "change": "array",
  /** The level. */
  level: Level,
  /** The layout, if the level has one. */
  layout: string | null,
} | { "change": "kernel",
  /** The kernel. */
  version: string,
} | { "change": "depth",
  /** The depth. */
  depth: number,
} | { "change": "fsync_every",
  /** The number of writes between two syncs. */
  writes: number,
} | { "change": "block_size",
  /** The size. */
  block_size_bytes: Bytes,
} | { "change": "governor",
  /** Its name. */
  governor: string,
} | { "change": "no_bitmap" } | { "change": "no_own_rate" } | { "change": "twice_as_fast",
  /** What is twice as fast. */
  cause: BottleneckCause,
}) & (Verdict | {
  /** The verdict, without a number of further samples: there are none. */
  verdict: "cannot_tell",
});

/** The part of prose that stands out. */
export type Emphasis = "all" | "head" | { "value": Argument };

/** A value with its confidence interval; never a bare number.
 *
 * `interval` is `None` if there are too few samples for one at the level. `effective_samples`
 * shows how reliable an interval is: below 6, a "95 %" interval covers the truth less often
 * (`ANALYSIS.md`). Serialized flat, with the keys `value`, `low`, `high`, `level`, `samples` and
 * `effective_samples`; `low` and `high` are null without an interval. `of_samples` is an object with
 * `low` and `high`, and left out where it would repeat these. */
export type Estimate = {
  /** The estimate, in the unit of the samples. */
  value: number,
  /** The lower end of the interval; null if there is none. */
  low: number | null,
  /** The upper end. */
  high: number | null,
  /** The interval of the samples alone, if `low` and `high` also contain what else is uncertain. */
  of_samples?: Interval,
  /** The confidence level, for instance 0.95. */
  level: number,
  /** The number of samples. */
  samples: number,
  /** The number of independent samples they are worth. */
  effective_samples: number,
};

/** One fact that has changed. */
export type FactChange = {
  /** Which fact. */
  fact: string,
  /** The earlier value. */
  before: string,
  /** The present value. */
  now: string,
};

/** A step in which stacks did not come back. */
export type FailedStep = {
  /** The step. */
  step: "assemble" | "check" | "mount" | "start" | "read",
  /** The number of stacks. */
  count: number,
};

/** A step of a failure that is part of a study. */
export type FailureStep = "fail" | "take_out" | "put_back";

/** A setting that is so many times as fast as another one. */
export type Faster = {
  /** The index of the setting. */
  setting: number,
  /** The index of the other one. */
  than: number,
  /** Its throughput over that of the other one. */
  ratio: number,
};

/** Blocks below a title. */
export type Fold = {
  /** The title. */
  title: Sentence,
  /** What it holds. */
  blocks: Array<Block>,
  /** Whether it is shown at once. What is not, a reader of a page opens; a terminal, which cannot
   * be unfolded, leaves it out unless `--verbose` asks for it. */
  is_open: boolean,
};

/** A forecast number of samples. */
export type Forecast = { "forecast": "about", "samples": number } | { "forecast": "more_than", "samples": number };

/** What fresh devices give, and when they are steady. */
export type FreshState = {
  /** Their bandwidth and rate of I/Os, by the key of the metric. */
  estimates: { [key in MetricKey]?: Estimate },
  /** The bytes of the load until they are steady, when the first fast area is full; `None` if unknown. */
  until_bytes: Bytes | null,
  /** How few these may be, as the simulations differ. */
  until_least_bytes: Bytes | null,
  /** How many these may be: until the last fast area is full. */
  until_most_bytes: Bytes | null,
  /** The time until then at full speed. */
  until_ns: Nanos | null,
  /** How many bytes are written until then, by the load and its neighbours. */
  until_written_bytes: Bytes | null,
};

/** Which thing is where. */
export type Grid = {
  /** What it shows. */
  title: Argument,
  /** The heads of the columns. */
  columns: Array<string>,
  /** The rows. */
  rows: Array<GridRow>,
  /** The meaning of the marks. */
  legend: Sentence,
  /** What to read from it. */
  meaning: Sentence,
};

/** A place of a grid. */
export type GridCell = {
  /** What is there, with its marks. */
  text: string,
  /** Its tone. */
  tone: Tone,
};

/** A row of a grid. */
export type GridRow = {
  /** Its head. */
  head: Argument,
  /** A place for each column. */
  cells: Array<GridCell>,
  /** Whether rows are left out before it. */
  is_after_gap: boolean,
};

/** A host profile. */
export type Host = {
  /** Its name. */
  name: string,
  /** Its description. */
  description: Argument,
};

/** Something noticed about one of several hosts. */
export type HostFinding = { "what": "lost",
  /** The host. */
  host: string,
  /** Why. */
  why: LostWhy,
} | { "what": "without",
  /** The lost hosts. */
  hosts: Array<string>,
  /** Why each of them was lost, in the same order; empty in older runs. */
  why?: Array<LostWhy>,
  /** How many took part. */
  left: number,
} | { "what": "late",
  /** The host. */
  host: string,
  /** How much later than on the first host. */
  late_ns: Nanos,
  /** How far that may be off. */
  within_ns: Nanos,
} | { "what": "slow",
  /** The host. */
  host: string,
  /** Its throughput over the median of all hosts. */
  share: number,
} | { "what": "clock",
  /** The host. */
  host: string,
  /** By how much. */
  off_ns: Nanos,
  /** How far that may be off. */
  within_ns: Nanos,
  /** Whether its clock is ahead. */
  is_ahead: boolean,
} | { "what": "busy",
  /** The host. */
  host: string,
  /** Its load average of one minute (`/proc/loadavg`). */
  load: number,
  /** Its CPUs. */
  cpus: number,
} | { "what": "unlike",
  /** The host. */
  host: string,
  /** The first host. */
  first: string,
  /** The fact. */
  change: FactChange,
} | { "what": "noticed",
  /** The host. */
  host: string,
  /** The warning. */
  warning: Warning,
};

/** A guess, approximation or omission in an imported file, or in one of its cells. */
export type ImportNote = { "kind": "several_documents",
  /** The number of documents. */
  count: number,
} | { "kind": "cut_short" } | { "kind": "trims_ignored",
  /** The job. */
  job: string,
  /** The number of trims. */
  count: number,
} | { "kind": "short_ios",
  /** The job. */
  job: string,
  /** The number of I/Os. */
  count: number,
} | { "kind": "bins_disagree",
  /** The job. */
  job: string,
  /** The number of I/Os that were timed. */
  timed: number,
  /** The number of I/Os in bins. */
  in_bins: number,
} | { "kind": "rates_disagree",
  /** The job. */
  job: string,
  /** Whether the rate is of bytes, and not of I/Os. */
  is_bytes: boolean,
  /** The stated rate, per second. */
  stated: number,
  /** The rate by the counts, which are taken. */
  counted: number,
} | { "kind": "bytes_in_kib" } | { "kind": "ios_from_rate" } | { "kind": "stated_left_out",
  /** How many numbers and texts were left out. */
  count: number,
} | { "kind": "bad_bin",
  /** The job. */
  job: string,
} | { "kind": "job_left_out",
  /** The job. */
  job: string,
  /** Its pattern. */
  pattern: string,
} | { "kind": "mixed_left_out",
  /** The job. */
  job: string,
} | { "kind": "repeated_runs",
  /** A file with such a run. */
  file: string,
  /** How many runs. */
  count: number,
} | { "kind": "several_versions",
  /** The versions. */
  versions: string,
} | { "kind": "several_directories",
  /** How many cells. */
  cells: number,
  /** Two of the directories. */
  directories: string,
} | { "kind": "default_buffers",
  /** The approximate compression ratio. */
  ratio: number,
} | { "kind": "approximated",
  /** The option. */
  option: string,
  /** Its value. */
  value: string,
  /** The approximation. */
  taken: string,
} | { "kind": "rate_unreadable",
  /** The option. */
  option: string,
  /** Its value. */
  value: string,
} | { "kind": "size_unknown" } | { "kind": "options_unknown" } | { "kind": "percentiles_by_job",
  /** The number of jobs, or directions of one, with percentiles. */
  parts: number,
} | { "kind": "group_reported",
  /** The number of jobs, according to `numjobs`. */
  jobs: number,
} | { "kind": "ended_early",
  /** Its `runtime`. */
  asked_ns: Nanos,
  /** How long it ran. */
  elapsed_ns: Nanos,
  /** Whether it had to run that long regardless of its file's size. */
  is_time_based: boolean,
} | { "kind": "completion_latency" } | { "kind": "bad_log_lines",
  /** The number of lines. */
  count: number,
} | { "kind": "histogram_log_part",
  /** The number of I/Os in the log. */
  logged: number,
  /** The number of I/Os of the job. */
  ios: number,
} | { "kind": "log_of_maxima" } | { "kind": "log_maxima_left_out" } | { "kind": "log_unused",
  /** The ending of the log's name. */
  ending: string,
};

/** What a shape stands for; a medium shows it by a colour. */
export type Ink = "axis" | "border" | "first" | "second";

/** A closed interval, `low <= high`, in the unit of the samples. */
export type Interval = {
  /** Lower bound. */
  low: number,
  /** Upper bound. */
  high: number,
};

/** What stands between the parts of prose. */
export type Join = "space" | "dot";

/** Whether something holds. */
export type Judgement = "pass" | "fail" | "not_judged";

/** Kernels with the same rules. */
export type Kernel = {
  /** The oldest version with these rules. */
  version: string,
  /** Its changes, in a few words. */
  changed: string,
};

/** The kind of the values of a column. */
export type Kind = "text" | "group" | "number" | "interval" | "bar" | "chart" | "verdict";

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

/** A bottleneck and its number of cells. */
export type Limit = {
  /** One of the cells' bottlenecks. */
  bottleneck: Bottleneck,
  /** How many cells it limits. */
  cells: number,
};

/** Why a host was lost. */
export type LostWhy = { "closed": {
    /** What `ssh` or the host printed last; may be empty. */
    printed: string,
    /** The exit code of `ssh`: 255 is its own, another one that of our program there; `None` if it
     * was killed itself, and in older runs. */
    code?: number | null,
  } } | { "silent": {
    /** How long. */
    for_ns: Nanos,
  } } | { "failed": {
    /** The error with its causes. */
    error: string,
  } };

/** A chunk on a member. */
export type MapBox = {
  /** The number of the chunk in the array; `None` for parity. */
  chunk: number | null,
  /** The role of the chunk there. */
  role: ChunkRole,
  /** Whether sequential reads are served from here. */
  serves: boolean,
};

/** A row of chunks. */
export type MapRow = {
  /** Its offset on the members, in chunks. */
  label: string,
  /** A box for each member; `None` if the member holds no chunk of the picture in this row. */
  boxes: Array<MapBox | null>,
};

/** What happened at some time. */
export type Mark = {
  /** When, as a fraction of all time. */
  at: number,
  /** Its sign. */
  sign: string,
};

/** The I/O of one device, per second of load. */
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
  /** Flushes; `None` if the kernel does not count them. */
  flushes_per_s: number | null,
  /** The share of the time in which it was busy. */
  busy_share: number,
};

/** A sentence, or a part of one, in no language yet.
 *
 * It serialises as its id and its values, and inside of [`crate::as_words`] as its words. */
export type Message = {
  /** The entry of the catalogue. */
  id: string,
  /** The value of each of its variables. */
  args?: { [key in string]: Argument },
  /** Whether the first letter becomes a capital, as the entry can begin with a variable. */
  is_sentence?: boolean,
};

/** A number of a sample, with its unit. */
export type Metric = "bandwidth" | "iops" | "latency_mean" | "latency_p50" | "latency_p99" | "latency_p999" | "sync_latency_mean" | "sync_latency_p99";

/** A metric under its key, which ends in the unit or the quantile. */
export type MetricKey = "bandwidth_bytes_per_s" | "iops" | "latency_ns_mean" | "latency_ns_p50" | "latency_ns_p99" | "latency_ns_p999" | "sync_latency_ns_mean" | "sync_latency_ns_p99";

/** The points of a device's profile that the model misses by more than 10 %. */
export type MissedPoints = {
  /** The device profile. */
  profile: string,
  /** The host of the simulation. */
  host: string,
  /** The host with which the profile was fitted, if it says so. */
  fitted_host?: string | null,
  /** How many points are missed by more than 10 %. */
  missed: number,
  /** How many were looked at. */
  points: number,
  /** The pattern of the point that is missed most. */
  pattern: string,
  /** Its size of an I/O. */
  block_size_bytes: Bytes,
  /** Its I/Os in flight. */
  in_flight: number,
  /** The model's rate there over the measured one. */
  ratio: number,
};

/** The model that a run simulates. */
export type ModelPart = {
  /** The requested kernel. */
  kernel: string,
  /** The kernel whose rules apply: another one if no rules of the requested one are known. */
  kernel_rules: string,
  /** The host profile. */
  host: string,
  /** The device profiles. */
  devices: Array<string>,
};

/** A duration in nanoseconds, at most about 584 years. */
export type Nanos = number;

/** GET /api/answers: the answers that the page offers; the first has the number 1. */
export type OfferLine = {
  /** What it is, in a few words. */
  title: Message,
  /** What it is about. */
  about: Message | null,
};

/** The beginning of a steady simulation, before its long-run behaviour. */
export type Onset = {
  /** The bandwidth at the beginning. */
  bytes_per_s: number,
  /** The rate of I/Os at the beginning. */
  ios_per_s: number,
  /** The bytes of the load until the beginning ended. */
  bytes: Bytes,
  /** The time until the beginning ended. */
  time_ns: Nanos,
};

/** Why a cell is less precise than its study requires. */
export type OpenReason = "no_sample" | "at_most" | "wide";

/** One or several runs, ready for display. */
export type Page = {
  /** The version of this document's format. */
  schema: 1,
  /** The version of the program that made the page. */
  stripewise_version: string,
  /** The question: the first run's, or else the name of its study. */
  question: Argument,
  /** The metric that the first run compares. */
  metric: MetricKey,
  /** The metrics that at least one cell has an estimate of. */
  metrics: Array<MetricKey>,
  /** The runs. */
  runs: Array<PageRun>,
  /** The axes along which the cells of all runs differ. */
  axes: Array<Axis>,
  /** The cells of all runs, run by run. */
  cells: Array<Cell>,
  /** The values that all cells of all runs share and no axis shows. */
  shared: Array<Shared>,
  /** Of very many cells the indices of those that matter: the largest differences and those with
   * warnings. `None` if there are few. */
  chosen?: Array<number>,
  /** The answers of the runs. */
  answer: Array<Answer>,
  /** Which member holds and serves which chunk, for each array. */
  maps: Array<StackMap>,
  /** The views, in order. */
  views: Array<View>,
};

/** One run of a page. */
export type PageRun = {
  /** The seed of the order and of the samples. */
  seed: number,
  /** The number of samples, including the warm-up and invalid ones. */
  samples_all: number,
  /** The number of samples that count. */
  samples_counted: number,
  /** The number of samples that count at the earliest end of the run. */
  samples_least: number,
  /** The simulated model; `None` in other worlds. */
  model: ModelPart | null,
  /** The simulated model, facts that changed within this run or since the first run of the page,
   * and the facts of the machine. */
  facts: Array<Block>,
  /** The warnings about the run as a whole. */
  warnings: Array<ShownWarning>,
  /** Commands that repeat, continue and examine it. */
  commands: Array<Command>,
  /** The study file. */
  study_text: string,
  /** Its number in the store. */
  id: RunId,
  /** The name of the study. */
  study: string,
  /** The study's question, if any. */
  question: string | null,
  /** The name that the user gave it. */
  name: string | null,
  /** Its tags, sorted. */
  tags: Array<string>,
  /** Where its samples come from: the world it ran in, unless they are imported. */
  world: string,
  /** Its state; `Running` only while a living process executes it. */
  state: RunState,
  /** The version of the program that began it. */
  stripewise_version: string,
  /** When it began, in ns since 1970-01-01 UTC. */
  started_unix_ns: number,
  /** When it ended; `None` while it runs, and after a crash. */
  ended_unix_ns: number | null,
};

/** A name and its value. */
export type Pair = {
  /** The name; without one, the value continues the pair before. */
  name: Argument | null,
  /** The value. */
  value: Argument,
};

/** A part of the time that an I/O takes on its critical path. */
export type Part = "aio_queue" | "submit" | "volume_cpu" | "array_cpu" | "block_cpu" | "block_queue" | "device_queue" | "device_service" | "link" | "uplink" | "adapter" | "slowest_member" | "read_modify_write" | "parity_thread" | "bitmap" | "rebuild" | "flush" | "journal" | "page_cache" | "completion";

/** The time of one part of an I/O. */
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
  /** The percent: 99.9 for the latency that 99.9 % of the I/Os do not exceed. */
  percent: number,
  /** The median over the samples. */
  latency_ns: Estimate,
};

/** A part of a sample with one state of the array. */
export type Phase = "whole" | "degraded" | "rebuilding" | "whole_again";

/** The throughput of one phase. */
export type PhaseLoad = {
  /** The phase. */
  phase: Phase,
  /** Bytes per second in both directions. */
  bandwidth_bytes_per_s: Estimate,
};

/** The designs of an advice, for a reader who picks the axes and opens a design. */
export type Picture = {
  /** What an axis can show; the first is upright at first, the second lies. */
  axes: Array<PictureAxis>,
  /** The designs with a known speed; the best is the last, so that it is drawn above the others. */
  designs: Array<PicturedDesign>,
};

/** What an axis can show. */
export type PictureAxis = {
  /** Its name. */
  name: Argument,
  /** Whether less of it is better. */
  is_less_better: boolean,
  /** Its signs, from 0 on, all as far apart; the last is at or beyond the largest value. */
  signs: Array<PictureValue>,
};

/** What the mark of a design looks like. */
export type PictureMark = "other" | "refused" | "same" | "named" | "advised";

/** A value, for the place and in words. */
export type PictureValue = {
  /** Its place on the axis. */
  at: number,
  /** What it is in words. */
  shown: Argument,
};

/** A design in the picture. */
export type PicturedDesign = {
  /** Its level, layout and chunk. */
  name: Argument,
  /** The same, with who would build it. */
  title: Argument,
  /** Its mark. */
  mark: PictureMark,
  /** Its value on each axis; null where that is unknown. */
  values: Array<PictureValue | null>,
  /** What a reader sees who opens it. */
  blocks: Array<Block>,
};

/** What a setting loses in the model. */
export type PredictedLoss = {
  /** The index of the setting. */
  setting: number,
  /** The oldest loss, in ns; `None` if nothing limits it. */
  age_ns_max: number | null,
};

/** The purpose of a command. */
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
  /** The shipped workload; null for the load of the keys that follow, up to `fsync_every`. */
  workload: string | null,
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

/** The rule by which this kernel chooses the mirror to read. */
export type ReadRule = { "level": "raid10", "rule": string } | { "level": "raid1", "rule": string };

/** The duration of a rebuild. */
export type RebuildTime = {
  /** Whether it finished in every sample. */
  is_done: boolean,
  /** Its duration. If it did not finish, the rest is extrapolated from its speed at the end of the
   * sample, which a new disk or a full memory may have slowed down, where the source counts steps;
   * else from its mean speed. */
  time_ns: Estimate,
  /** Its speed on the member, per second: that at the end of the sample if it did not finish. */
  speed_bytes_per_s: Estimate | null,
};

/** A resource that all I/Os need. */
export type Resource = "uplink" | "links" | "devices" | "job_cpu" | "lock" | "parity_thread" | "cores";

/** Why a sample was taken. */
export type Role = "warm_up" | "counted";

/** A row of a table. */
export type Row = {
  /** A value for each column. */
  cells: Array<TableCell>,
  /** Its number in the small chart of its group. */
  height: number | null,
};

/** The number of a run in its store; counts from 1 and is never used again. */
export type RunId = number;

/** GET /api/runs: one line for each run, the latest first. */
export type RunLine = {
  /** How many cells it has. */
  cells: number,
  /** How many samples there are. */
  samples_all: number,
  /** How many samples count. */
  samples_counted: number,
  /** Its number in the store. */
  id: RunId,
  /** The name of the study. */
  study: string,
  /** The study's question, if any. */
  question: string | null,
  /** The name that the user gave it. */
  name: string | null,
  /** Its tags, sorted. */
  tags: Array<string>,
  /** Where its samples come from: the world it ran in, unless they are imported. */
  world: string,
  /** Its state; `Running` only while a living process executes it. */
  state: RunState,
  /** The version of the program that began it. */
  stripewise_version: string,
  /** When it began, in ns since 1970-01-01 UTC. */
  started_unix_ns: number,
  /** When it ended; `None` while it runs, and after a crash. */
  ended_unix_ns: number | null,
};

/** The current state of a run. */
export type RunState = "running" | "done" | "interrupted" | "failed";

/** An event of the array during a sample. */
export type SampleEvent = {
  /** The time, from the beginning of the sample. */
  at_ns: Nanos,
} & ({ "event": "failed",
  /** The member, counted from 0. */
  device: number,
} | { "event": "replaced",
  /** The member that it replaces. */
  device: number,
} | { "event": "re_added",
  /** The member that it is again. */
  device: number,
} | { "event": "rebuild_began",
  /** How much of the member the array uses. */
  size_bytes: Bytes,
} | { "event": "rebuild_done",
  /** How much was written to the member; `None` if the source does not count it. */
  rebuilt_bytes: Bytes | null,
} | { "event": "rebuild_unfinished",
  /** How far the rebuild got on the member. */
  reached_bytes: Bytes,
  /** The end of the rebuild. */
  size_bytes: Bytes,
} | { "event": "read_back",
  /** How much was read. */
  read_bytes: Bytes,
} | { "event": "checked",
  /** The size of the mismatches that md counted (`mismatch_cnt`, in bytes). */
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
  /** The role of the sample in the run. */
  role: Role,
  /** Whether no warning invalidates it. */
  valid: boolean,
  /** Whether it counts: valid, not a warm-up, and in the steady window if one was requested. */
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

/** Prose: sentences or remarks. */
export type Sentence = {
  /** Its parts. */
  parts: Array<Argument>,
  /** What stands between them. */
  join: Join,
  /** The tone of what stands out. */
  tone: Tone,
  /** What stands out. */
  emphasis: Emphasis,
};

/** A part of a drawing. */
export type Shape = { "line": [Ink, string] } | { "area": [Ink, string, number] } | { "words": [[number, number], number, Argument] };

/** How near a value of an axis comes to the best of each load. */
export type ShareOfBest = {
  /** The value. */
  value: string,
  /** The geometric mean, over the loads, of its share of the best of the load: at most 1. */
  mean_share: number,
  /** The same with every interval at its worst for the value; `None` if one is missing. */
  low_share: number | null,
  /** The same with every interval at its best for the value. */
  high_share: number | null,
  /** Whether it may be as good as the best: their intervals touch, and no common error decides. */
  may_be_best: boolean,
  /** Its share in the load in which it is furthest from the best. */
  worst_share: number,
  /** That load, in the values of the other axes. */
  worst_load: string,
  /** The same as axes and values. */
  worst_load_values: Array<[string, string]>,
};

/** A value that all cells have. */
export type Shared = {
  /** The key of its axis. */
  key: string,
  /** The value. */
  value: string,
};

/** GET /api/answer?number=1: what a command answers. */
export type ShownAnswer = {
  /** What it is, in a few words. */
  title: Message,
  /** What it is about: this machine, a file. */
  about: Message | null,
  /** What the command prints with `--json`. */
  document: unknown,
  /** What people read. */
  blocks: Array<Block>,
};

/** A warning with its words. */
export type ShownWarning = {
  /** The warning in words. */
  message: Message,
  /** What to do about it. */
  hint: Message | null,
  /** Whether it invalidates a sample. */
  invalidates: boolean,
  /** The number of samples with this warning; 0 if it is not about single samples. The key
   * `samples` belongs to warnings that count samples. */
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
} | { "kind": "writes_throttled",
  /** The disk. */
  device: string,
  /** The fastest read of any 100 ms in which that was so. */
  read_ns: Nanos,
  /** The kernel's limit (`wbt_lat_usec`). */
  limit_ns: Nanos,
} | { "kind": "depth_ignored",
  /** The engine. */
  engine: string,
  /** The depth in the study. */
  depth: number,
} | { "kind": "budget_too_small",
  /** The budget. */
  budget_ns: Nanos,
  /** The time of the fewest samples. */
  needed_ns: Nanos,
} | { "kind": "budget_ended",
  /** The number of cells. */
  cells: number,
  /** The number of cells without a sample, beside the warm-up. */
  cells_empty: number,
  /** The number of other cells with fewer than `at_least` samples. */
  cells_short: number,
  /** The fewest samples that the study wants. */
  at_least: number,
} | { "kind": "array_busy",
  /** The array. */
  array: string,
  /** Its sync action: `resync`, `recover`, `check`, ... */
  action: string,
} | { "kind": "array_degraded",
  /** The array. */
  array: string,
  /** The number of missing members. */
  missing_count: number,
} | { "kind": "array_lost_members",
  /** The array. */
  array: string,
  /** The number of missing members now, including those missing before. */
  missing_count: number,
} | { "kind": "failure_unfinished",
  /** The array. */
  array: string,
  /** The member. */
  device: string,
  /** The step that had not happened. */
  step: FailureStep,
} | { "kind": "fewer_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** The bytes that fio moved. */
  asked_bytes: Bytes,
  /** The bytes that the devices moved. */
  device_bytes: Bytes,
  /** Whether the study causes it: buffered I/O, or data that a filesystem compresses. */
  asked_for: boolean,
} | { "kind": "data_shrunk",
  /** Reads or writes. */
  direction: Direction,
  /** The share of the data that the devices did not move. */
  share: number,
  /** The rate that the measuring program saw. */
  asked_bytes_per_s: number,
  /** The rate of the data that the filesystem moved. */
  moved_bytes_per_s: number,
} | { "kind": "more_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** The bytes that fio moved. */
  asked_bytes: Bytes,
  /** The bytes that the devices moved. */
  device_bytes: Bytes,
  /** The other process that moved most bytes meanwhile, if known. */
  process: string | null,
} | { "kind": "disks_unknown",
  /** The filesystem. */
  filesystem: string,
} | { "kind": "partition_misaligned",
  /** The partition. */
  device: string,
  /** Its offset on the disk. */
  start_bytes: Bytes,
  /** The unit to which it should be aligned. */
  unit: AlignmentUnit,
  /** The size of that unit. */
  unit_bytes: Bytes,
} | { "kind": "short_run",
  /** The requested duration. */
  asked_ns: Nanos,
  /** The actual duration. */
  elapsed_ns: Nanos,
} | { "kind": "frequency_fell",
  /** Before the sample. */
  before_khz: number,
  /** After the sample. */
  after_khz: number,
} | { "kind": "throttled",
  /** The number of events. */
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
  /** The change from the first to the last sample, as a fraction of the median. */
  relative_change: number,
  /** The probability of such a trend by chance. */
  p_value: number,
} | { "kind": "autocorrelated",
  /** The metric. */
  metric: Metric,
  /** The lag-1 correlation. */
  lag1: number,
  /** The number of samples. */
  samples: number,
  /** The number of independent samples with the same information. */
  effective_samples: number,
} | { "kind": "not_steady",
  /** The number of rounds. */
  rounds: number,
} | { "kind": "job_failed",
  /** The job. */
  job: string,
  /** The error number. */
  errno: number,
  /** Its meaning on the system that fio ran on, if that is another one than ours; empty if it
   * is unknown. */
  text?: string,
} | { "kind": "disk_without_room",
  /** The disk. */
  device: string,
  /** The number of failed requests. */
  failed_count: number,
  /** The number of writes that waited for memory. */
  waits_count: number,
} | { "kind": "disk_heard_late",
  /** The disk. */
  device: string,
  /** The mean service time, from the disk's profile. */
  service_ns: Nanos,
  /** The mean delay until the guest saw the completion. */
  late_ns: Nanos,
} | { "kind": "guest_core_full",
  /** The share of the load's time in which the core was busy, 0 to 1. */
  busy_share: number,
  /** The share that the load generator took, if known. */
  generator_share: number | null,
} | { "kind": "data_differs",
  /** The array whose members differ; `None` if fio read back other data than it had written. */
  array: string | null,
} | { "kind": "not_verified",
  /** The world. */
  world: string,
} | { "kind": "risk_not_measured" } | { "kind": "simulation_cut_short",
  /** The number of I/Os after the warm-up. */
  ios: number,
} | { "kind": "not_stationary",
  /** The changing quantity. */
  changing: Changing,
  /** The number of simulated I/Os, including the warm-up. */
  ios: number,
} | { "kind": "points_missed" } & MissedPoints | { "kind": "no_histogram" } | { "kind": "imported",
  /** The value and what became of it. */
  note: ImportNote,
} | { "kind": "host" } & HostFinding | { "kind": "unreadable" });

/** What a stack costs over the years; of several loads the worst counts. */
export type StackCost = {
  /** The stack. */
  stack: string,
  /** The share of the devices' capacity that holds data. */
  capacity_share: number | null,
  /** The years until a device has reached its rated writes. */
  years_to_rating: number | null,
  /** The chance of losing data. */
  loss_chance: number | null,
};

/** A stack that performs unlike its baseline, and the differences between the two. */
export type StackDifference = {
  /** The name of the stack. */
  stack: string,
  /** The name of the stack that it is compared with. */
  baseline: string,
  /** Its differences from the baseline. */
  differences: Array<Difference>,
  /** The differences that matter; `None` if the run does not show it. */
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
  /** The layout as written; `None` if the study names none or the level has none. */
  layout: string | null,
  /** The numbered unit: a chunk, a piece if the level has no chunks, or a whole member. */
  unit: Unit,
  /** Its size. */
  chunk_bytes: number,
  /** The members, by the model's names; cut if there are very many. */
  members: Array<string>,
  /** The number of members of the array. */
  member_count: number,
  /** The rows of the picture, from the start of the members. */
  rows: Array<MapRow>,
  /** The number of rows left out before the pattern repeats. */
  rows_left_out: number,
};

/** Which part of a long load is measured. */
export type State = "steady" | "fresh";

/** One window of rounds with both criteria. All fields except `first_round` are in the unit of the
 * rounds. */
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
  /** The rise or fall of the line from the window's first round to its last, without sign. */
  slope_excursion: number,
  /** The excursion allowed: 10 % of the mean. */
  slope_excursion_allowed: number,
};

/** POST /api/ask/study: the question as a study file. */
export type StudyAnswer = {
  /** Null if the question has failed members, which are not part of a study. */
  toml: string | null,
  /** The command that runs the study; without one, the `stripewise predict` of the question. */
  command: string,
};

/** A table. */
export type Table = {
  /** Its name for programs. */
  key: string,
  /** What it shows, for a medium that reads it out or that has captions. */
  caption: Message | null,
  /** Its columns. */
  columns: Array<Column>,
  /** Its rows. */
  rows: Array<Row>,
  /** Whether every line is a row: columns without room are then left out silently. */
  is_bare: boolean,
  /** What its bars mean, for a medium that draws them. */
  bars?: Message,
};

/** A value in a row, and the words for it. */
export type TableCell = {
  /** What people see; `None` if there is nothing. */
  shown: Argument | null,
  /** The exact number, in the unit of the column's key.
   *
   * Infinite for what has no limit, which JSON cannot say and leaves out. */
  exact?: number,
  /** The tone of its words. */
  tone: Tone,
  /** The bar, in a column of bars. */
  bar?: Bar,
  /** The heights of a small chart, in a column of charts. */
  chart?: Array<number>,
  /** The verdict, in a column of verdicts. */
  verdict?: Judgement,
  /** Whether the row before has the same value: groups are then visible without lines. */
  is_repeated: boolean,
  /** What a terminal draws before its words, and beside the lines that continue its row: a tree. */
  branch?: [string, string],
};

/** What text tells beside its words; a medium may show it by a colour. */
export type Tone = "plain" | "strong" | "dim" | "good" | "bad" | "warn";

/** The unit that is numbered as a chunk. */
export type Unit = "chunk" | "piece" | "member";

/** How busy a component was. */
export type Utilisation = {
  /** The component: `sd0`, `uplink`, `cpu of job 0`, `parity thread`. */
  component: string,
  /** The share of the time in which it was busy, 0 to 1. */
  busy_share: number,
};

/** The claim about two compared things. Serialized with the tag `verdict`. */
export type Verdict = { "verdict": "different",
  /** Lower bound of the ratio. */
  low: number,
  /** Upper bound of the ratio. */
  high: number,
} | { "verdict": "no_difference",
  /** The margin, as a fraction. */
  margin: number,
} | { "verdict": "cannot_tell",
  /** How many more (pairs of) samples would probably decide. */
  more_samples: Forecast,
};

/** A view; the page has one component for each kind. */
export type View = { "kind": "curve",
  /** Its name in the page's address. */
  id: string,
  /** The metrics to choose from, the default first. */
  metrics: Array<MetricKey>,
  /** The numeric axis. */
  x: string,
  /** The axis that has a chart for each value. */
  panel: string | null,
  /** The axes whose values make the series. */
  series: Array<string>,
  /** The states of the devices that it draws, where they differ. */
  states?: Array<State>,
} | { "kind": "bars",
  /** Its name in the page's address. */
  id: string,
  /** The metrics to choose from. */
  metrics: Array<MetricKey>,
  /** The axis that has a chart for each value. */
  panel: string | null,
  /** The axes whose values name the bars. */
  series: Array<string>,
  /** The states of the devices that it draws, where they differ. */
  states?: Array<State>,
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
  /** The states of the devices that it draws, where they differ. */
  states?: Array<State>,
} | { "kind": "blocks",
  /** Its name in the page's address. */
  id: string,
  /** Its heading. */
  title: Message,
  /** What it holds. */
  blocks: Array<Block>,
} | { "kind": "power_cuts",
  /** Its name in the page's address. */
  id: string,
  /** The metric of the throughput, which is simulated. */
  metric: MetricKey,
  /** The settings. */
  settings: Array<CutPlace>,
  /** All numbers of the settings, a row each, as the terminal prints them. */
  table: Table,
} | { "kind": "under_load",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "timeline",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "table",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "paired",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "waterfall",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "distribution",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "time_series",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "array_map",
  /** Its name in the page's address. */
  id: string,
} | { "kind": "members",
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

/** Something noticed before, during or after a measurement. */
export type Warning = { "kind": "compressible_data",
  /** The filesystem's compression. */
  compression: string,
  /** What the buffers hold. */
  data: string,
} | { "kind": "file_fits_in_memory",
  /** The files of all jobs together. */
  files_bytes: Bytes,
  /** The machine's memory. */
  memory_bytes: Bytes,
} | { "kind": "writes_throttled",
  /** The disk. */
  device: string,
  /** The fastest read of any 100 ms in which that was so. */
  read_ns: Nanos,
  /** The kernel's limit (`wbt_lat_usec`). */
  limit_ns: Nanos,
} | { "kind": "depth_ignored",
  /** The engine. */
  engine: string,
  /** The depth in the study. */
  depth: number,
} | { "kind": "budget_too_small",
  /** The budget. */
  budget_ns: Nanos,
  /** The time of the fewest samples. */
  needed_ns: Nanos,
} | { "kind": "budget_ended",
  /** The number of cells. */
  cells: number,
  /** The number of cells without a sample, beside the warm-up. */
  cells_empty: number,
  /** The number of other cells with fewer than `at_least` samples. */
  cells_short: number,
  /** The fewest samples that the study wants. */
  at_least: number,
} | { "kind": "array_busy",
  /** The array. */
  array: string,
  /** Its sync action: `resync`, `recover`, `check`, ... */
  action: string,
} | { "kind": "array_degraded",
  /** The array. */
  array: string,
  /** The number of missing members. */
  missing_count: number,
} | { "kind": "array_lost_members",
  /** The array. */
  array: string,
  /** The number of missing members now, including those missing before. */
  missing_count: number,
} | { "kind": "failure_unfinished",
  /** The array. */
  array: string,
  /** The member. */
  device: string,
  /** The step that had not happened. */
  step: FailureStep,
} | { "kind": "fewer_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** The bytes that fio moved. */
  asked_bytes: Bytes,
  /** The bytes that the devices moved. */
  device_bytes: Bytes,
  /** Whether the study causes it: buffered I/O, or data that a filesystem compresses. */
  asked_for: boolean,
} | { "kind": "data_shrunk",
  /** Reads or writes. */
  direction: Direction,
  /** The share of the data that the devices did not move. */
  share: number,
  /** The rate that the measuring program saw. */
  asked_bytes_per_s: number,
  /** The rate of the data that the filesystem moved. */
  moved_bytes_per_s: number,
} | { "kind": "more_bytes_at_device",
  /** Reads or writes. */
  direction: Direction,
  /** The bytes that fio moved. */
  asked_bytes: Bytes,
  /** The bytes that the devices moved. */
  device_bytes: Bytes,
  /** The other process that moved most bytes meanwhile, if known. */
  process: string | null,
} | { "kind": "disks_unknown",
  /** The filesystem. */
  filesystem: string,
} | { "kind": "partition_misaligned",
  /** The partition. */
  device: string,
  /** Its offset on the disk. */
  start_bytes: Bytes,
  /** The unit to which it should be aligned. */
  unit: AlignmentUnit,
  /** The size of that unit. */
  unit_bytes: Bytes,
} | { "kind": "short_run",
  /** The requested duration. */
  asked_ns: Nanos,
  /** The actual duration. */
  elapsed_ns: Nanos,
} | { "kind": "frequency_fell",
  /** Before the sample. */
  before_khz: number,
  /** After the sample. */
  after_khz: number,
} | { "kind": "throttled",
  /** The number of events. */
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
  /** The change from the first to the last sample, as a fraction of the median. */
  relative_change: number,
  /** The probability of such a trend by chance. */
  p_value: number,
} | { "kind": "autocorrelated",
  /** The metric. */
  metric: Metric,
  /** The lag-1 correlation. */
  lag1: number,
  /** The number of samples. */
  samples: number,
  /** The number of independent samples with the same information. */
  effective_samples: number,
} | { "kind": "not_steady",
  /** The number of rounds. */
  rounds: number,
} | { "kind": "job_failed",
  /** The job. */
  job: string,
  /** The error number. */
  errno: number,
  /** Its meaning on the system that fio ran on, if that is another one than ours; empty if it
   * is unknown. */
  text?: string,
} | { "kind": "disk_without_room",
  /** The disk. */
  device: string,
  /** The number of failed requests. */
  failed_count: number,
  /** The number of writes that waited for memory. */
  waits_count: number,
} | { "kind": "disk_heard_late",
  /** The disk. */
  device: string,
  /** The mean service time, from the disk's profile. */
  service_ns: Nanos,
  /** The mean delay until the guest saw the completion. */
  late_ns: Nanos,
} | { "kind": "guest_core_full",
  /** The share of the load's time in which the core was busy, 0 to 1. */
  busy_share: number,
  /** The share that the load generator took, if known. */
  generator_share: number | null,
} | { "kind": "data_differs",
  /** The array whose members differ; `None` if fio read back other data than it had written. */
  array: string | null,
} | { "kind": "not_verified",
  /** The world. */
  world: string,
} | { "kind": "risk_not_measured" } | { "kind": "simulation_cut_short",
  /** The number of I/Os after the warm-up. */
  ios: number,
} | { "kind": "not_stationary",
  /** The changing quantity. */
  changing: Changing,
  /** The number of simulated I/Os, including the warm-up. */
  ios: number,
} | { "kind": "points_missed" } & MissedPoints | { "kind": "no_histogram" } | { "kind": "imported",
  /** The value and what became of it. */
  note: ImportNote,
} | { "kind": "host" } & HostFinding | { "kind": "unreadable" };

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

/** A load and how much it counts. */
export type WeightedLoad = {
  /** A shipped workload, or a load as on the command line: `randrw:16K:mix=70/30:depth=8`. */
  load: string,
  /** How much it counts beside the others. */
  weight: number,
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
  /** The one of the two that performs like it. */
  same_as: string,
  /** The number of cells in which it does. */
  cells: number,
};

/** A shipped workload. */
export type WorkloadChoice = {
  /** Its name. */
  name: string,
  /** What it stands for. */
  description: Argument,
};
