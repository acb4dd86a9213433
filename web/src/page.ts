// The page's data, as `crates/report/src/page/` writes it. The Rust types are the source; a golden
// page that Rust's tests write (`tests/golden/page.ts`) is checked against these types by `tsc`.
//
// Numbers are in the unit that their key ends in. Nothing here is text for people but names that
// came from outside (studies, stacks, devices) and quoted words of the command line: sentences are
// made from the data by `words.ts`, in the reader's language.

/** A value with its confidence interval. `low` and `high` are null where the samples carry none. */
export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
  level: number;
  samples: number;
  effective_samples: number;
}

export type MetricKey =
  | "bandwidth_bytes_per_s"
  | "iops"
  | "latency_ns_mean"
  | "latency_ns_p50"
  | "latency_ns_p99"
  | "latency_ns_p999"
  | "sync_latency_ns_mean"
  | "sync_latency_ns_p99";

export type World = "model" | "lab" | "metal" | string;

/** A key along which cells differ: those of a study (`stack`, `pattern`, `block_size`, ...) and `chunk`. */
export type AxisKey = string;

export interface Page {
  schema: 1;
  stripewise_version: string;
  /** What is asked: the study's question, else its name. Text from outside. */
  question: string;
  /** The metric that the study compares by. */
  metric: MetricKey;
  /** Metrics that at least one cell has an estimate of. */
  metrics: MetricKey[];
  runs: RunPart[];
  /** The axes along which the cells of all runs differ, in the order of tables. */
  axes: Axis[];
  /** What all cells share and no axis tells. */
  shared: { key: AxisKey; value: string }[];
  /** Of very many cells those that matter; absent where they are few. */
  chosen?: number[];
  /** The cells of all runs, each run's in natural order; verdicts and views name them by their index in this list. */
  cells: Cell[];
  answer: Claim[];
  maps: StackMap[];
  views: View[];
}

export interface Axis {
  key: AxisKey;
  /** The values in the order of the study; numeric ones ascending. */
  values: string[];
  /** For each value its number (bytes, jobs, depth, ...); null where the axis is not numeric. */
  numbers: number[] | null;
}

export interface RunPart {
  id: number;
  study: string;
  question: string | null;
  world: World;
  state: "running" | "done" | "interrupted" | "failed";
  stripewise_version: string;
  seed: number;
  started_unix_ns: number;
  ended_unix_ns: number | null;
  samples_all: number;
  samples_counted: number;
  /** What was simulated; null in other worlds. */
  model: { kernel: string; kernel_rules: string; host: string; devices: string[] } | null;
  /** What the machine was: rows of a table, in order; keys are message ids (`fact-kernel`). */
  facts: Fact[];
  /** Facts that changed within the run, or that differ from the page's first run. */
  changed_facts: { fact: string; before: string; now: string }[];
  warnings: Warning[];
  /** Commands that repeat, continue or question this run, with what each does as a message id. */
  commands: { does: "repeat" | "resume" | "show" | "compare" | "why" | "export"; command: string }[];
  study_text: string;
}

export interface Fact {
  /** A message id: `fact-kernel`, `fact-cpu`, ... */
  key: string;
  /** What it is about, where there are several: a device's name. */
  of: string | null;
  value: string;
}

/** A warning as data; its words are `warning-KIND` with the fields as arguments. */
export interface Warning {
  kind: string;
  /** The warning's own fields. */
  [field: string]: unknown;
  /** The English words of the terminal. */
  message: string;
  hint: string | null;
  invalidates: boolean;
  /** How many samples it was noticed at; 0 where it is not about single samples. */
  samples_affected: number;
}

export interface Cell {
  /** The index of its run in `runs`. */
  run: number;
  /** Its number in the study, from 1. */
  number: number;
  /** Its value along each axis of the page, in the order of `axes`; `-` where it has none. */
  values: string[];
  stack: string;
  /** The stack in a line: `4 × samsung-850-evo-500, raid10 n2, chunk 32K`. */
  stack_words: string;
  chunk_bytes: number | null;
  block_size_bytes: number | null;
  estimates: Partial<Record<MetricKey, Estimate>>;
  verdicts: Verdict[];
  /** What may be said of it against the same cell of the run that others are held against. */
  before?: Verdict;
  warnings: Warning[];
  /** Samples in the order of time. */
  samples: SamplePoint[];
  /** Where the study asked for steady state (SNIA): the rounds that count. */
  steady: SteadyWindow | null;
  latency: Distribution | null;
  members: Member[];
  breakdown: Breakdown | null;
  /** Where something failed: what happened when, and what it did to the load. */
  timeline?: Timeline;
  bottleneck: Bottleneck | null;
  findings: Finding[];
}

/** The first sample that counts, step by step; phases and rebuild are of all of them. */
export interface Timeline {
  step_ns: number;
  /** Bytes of each whole step. */
  read_bytes: number[];
  write_bytes: number[];
  /** Empty where nobody counted. */
  rebuilt_bytes: number[];
  events: TimelineEvent[];
  phases: { phase: Phase; bandwidth_bytes_per_s: Estimate }[];
  rebuild: { is_done: boolean; time_ns: Estimate; speed_bytes_per_s: Estimate | null } | null;
}

export type Phase = "whole" | "degraded" | "rebuilding" | "whole_again";

export type TimelineEvent =
  | { at_ns: number; event: "failed" | "replaced" | "re_added"; device: number }
  | { at_ns: number; event: "rebuild_began"; size_bytes: number }
  | { at_ns: number; event: "rebuild_done"; rebuilt_bytes: number | null }
  | { at_ns: number; event: "rebuild_unfinished"; reached_bytes: number; size_bytes: number }
  | { at_ns: number; event: "read_back"; read_bytes: number }
  | { at_ns: number; event: "checked"; mismatch_bytes: number };

export interface SamplePoint {
  started_unix_ns: number | null;
  elapsed_ns: number;
  block: number;
  role: "warm_up" | "counted";
  /** Whether nothing was noticed that makes it worthless. */
  valid: boolean;
  /** Whether it counts: valid, no warm-up, and of the steady rounds where those were asked for. */
  counted: boolean;
  bandwidth_bytes_per_s: number | null;
  iops: number | null;
  latency_ns_mean: number | null;
  latency_ns_p99: number | null;
}

/** The first window of five rounds that met both criteria; rounds are counted from 1. */
export interface SteadyWindow {
  first_round: number;
  mean: number;
  slope_per_round: number;
  intercept: number;
}

/** The latency of all counted I/Os of a cell. */
export interface Distribution {
  ios: number;
  /** [latency in ns, share of I/Os that took no longer], ascending, thinned to what a chart shows. */
  cumulative: [number, number][];
  /** Percentiles (50, 90, 95, 99, 99.9, 99.99) where enough I/Os back them; the median over the
   *  samples with its interval. */
  percentiles: { percent: number; latency_ns: Estimate }[];
}

/** What one device saw, per second of load. */
export interface Member {
  device: string;
  reads_per_s: number;
  writes_per_s: number;
  read_bytes_per_s: number;
  write_bytes_per_s: number;
  merges_per_s: number;
  flushes_per_s: number | null;
  busy_share: number;
}

export type PartKey =
  | "submit" | "volume_cpu" | "array_cpu" | "block_cpu" | "block_queue" | "device_queue"
  | "device_service" | "link" | "uplink" | "slowest_member" | "read_modify_write"
  | "parity_thread" | "bitmap" | "rebuild" | "flush" | "journal" | "page_cache"
  | "completion";

export interface PartTime {
  part: PartKey;
  time_ns: number;
}

/** Where the time went; the parts of `mean` add up to the mean latency. */
export interface Breakdown {
  mean: PartTime[];
  slowest: PartTime[];
  utilisation: { component: string; busy_share: number }[];
  /** How it began, where the long run differs: at which rates, and after what that ended. */
  onset?: Onset | null;
}

/** What a simulation in steady state saw before its long-run behaviour. */
export interface Onset {
  bytes_per_s: number;
  ios_per_s: number;
  bytes: number;
  time_ns: number;
}

/** Tagged by `limit`: `saturated`, `syncs`, `latency`; see `crates/diagnose/src/why.rs`. */
export type Bottleneck =
  | { limit: "saturated"; resource: "uplink" | "links" | "devices" | "job_cpu" | "parity_thread"; busy_share: number; share: number }
  | { limit: "syncs"; share: number; time_ns: number }
  | { limit: "latency"; part: PartKey; share: number; time_ns: number; busiest_disk_share?: number };

/** Tagged by `finding`: `read_modify_write`, `mirrors_take_turns`, ...; its words are
 *  `finding-KIND` (underscores become hyphens) with the fields as arguments. */
export interface Finding {
  finding: string;
  [field: string]: unknown;
  /** The English words of the terminal. */
  words: string;
  /** The size of the I/Os and the kernel whose rules apply, which some sentences name. */
  block_size: string;
  kernel: string;
}

/** What may be said of a cell against another. */
export interface Verdict {
  metric: MetricKey;
  /** The index in `cells` of the cell it is compared with. */
  baseline: number;
  paired: boolean;
  ratio: Estimate;
  /** The same in percent of the baseline. */
  difference_percent?: { value: number; low: number | null; high: number | null };
  /** Pairs of samples taken in the same block, [baseline, this cell]; empty if not paired. */
  pairs: [number, number][];
  verdict: "different" | "no_difference" | "cannot_tell";
  /** With `different`: bounds of the ratio. */
  low?: number;
  high?: number;
  /** With `no_difference`: a fraction. */
  margin?: number;
  /** With `cannot_tell`. */
  more_samples?: { forecast: "about" | "more_than"; samples: number };
  /** The English words of the terminal. */
  words: string;
}

/** How far cells moved in one direction, as ratios after / before. */
export interface Moved {
  cells: number;
  median_ratio: number;
  least_ratio: number;
  most_ratio: number;
  /** The index of the cell with that ratio. */
  most_cell: number;
}

/** Cells that were compared, by what may be said of them. */
export interface BeforeAfter {
  cells: number;
  better: Moved | null;
  worse: Moved | null;
  same: number;
  /** What "same" is, as a fraction. */
  margin: number;
  unknown: number;
}

/** A sentence of the answer, as data; its words are `claim-KIND`. */
export type Claim =
  /** How near each value of `axis` comes to the best of each load, the best first; over the
   *  `loads` of `loads_all` in which every value has an estimate. */
  | { claim: "overall"; axis: AxisKey; standings: Standing[]; loads: number; loads_all: number; metric: MetricKey }
  /** Among the loads of one `panel` (a pattern, where patterns differ; else null), `value` of `axis`
   *  gives the most in `wins` of `loads` loads, `certain` of them beyond doubt. */
  | { claim: "wins"; panel: string | null; axis: AxisKey; value: string; wins: number; certain: number; loads: number; metric: MetricKey }
  /** The largest difference: at `load`, cell `best` against cell `worst`. */
  | { claim: "largest"; load: string; load_values: [AxisKey, string][]; best: number; worst: number; ratio: number; ratio_estimate: Estimate; metric: MetricKey }
  /** Against the baseline: how many cells are better, worse, equal, unknown. */
  | { claim: "against"; better: number; worse: number; same: number; unknown: number; counts: BeforeAfter; metric: MetricKey }
  /** In how many cells `run` is better or worse than `reference`; in order if that is the earlier of two. */
  | ({ claim: "before_after"; run: number; reference: number; is_in_order: boolean; metric: MetricKey } & BeforeAfter)
  /** One cell, no comparison: what it gives. */
  | { claim: "gives"; cell: number; metric: MetricKey }
  /** What limits, the most frequent first. */
  | { claim: "limits"; limits: { bottleneck: Bottleneck; cells: number }[]; cells: number }
  /** Two runs of the same cells: how far `run` is from `reference` on average and at most. */
  | { claim: "off"; run: number; reference: number; cells: number; mean_share: number; worst_share: number; worst_cell: number; metric: MetricKey }
  /** In what a stack differs from its baseline, in keys of the study file, and which of that matters. */
  | {
      claim: "differs";
      stack: string;
      baseline: string;
      differences: { key: string; value: string; instead_of: string }[];
      cause?: { keys: string[]; idle: string[]; witness?: { stack: string; same_as: string; cells: number } };
    }
  /** Stacks of which no other one shows why they differ from their baseline. */
  | { claim: "untold"; stacks: string[]; baseline: string }
  /** Each cell was measured once: nothing has an interval. */
  | { claim: "single"; cells: number }
  /** How much of it is sure. */
  | { claim: "settled"; settled: number; cells: number; margin: number }
  | { claim: "not_counted"; samples: number; of: number };

/** How near a value of an axis comes to the best of each load: shares, at most 1. */
export interface Standing {
  value: string;
  /** The geometric mean over the loads. */
  mean_share: number;
  /** The same where every interval is at its worst, at its best for the value. */
  low_share: number | null;
  high_share: number | null;
  /** In the load in which it is furthest from the best. */
  worst_share: number;
  worst_load: string;
  worst_load_values: [AxisKey, string][];
}

export interface StackMap {
  run: number;
  stack: string;
  level: string;
  layout: string | null;
  /** What is numbered: a chunk, a piece of that size where the level has no chunks, a whole member. */
  unit: "chunk" | "piece" | "member";
  chunk_bytes: number;
  /** The members shown; cut where there are very many. */
  members: string[];
  member_count: number;
  /** Rows of the picture, labelled by their place on the members in chunks; a box for each member,
   *  null where nothing is shown. */
  rows: { label: string; boxes: (MapBox | null)[] }[];
  /** How many rows are left out before the pattern repeats. */
  rows_left_out: number;
}

export interface MapBox {
  /** The number of the chunk, from 0; null for parity. */
  chunk: number | null;
  role: "data" | "copy" | "parity" | "q";
  /** Whether a sequential reader is served from here. */
  serves: boolean;
}

/** What is shown, in order. Each kind has one component in `views/`. */
export type View =
  | { kind: "curve"; id: string; metrics: MetricKey[]; x: AxisKey; panel: AxisKey | null; series: AxisKey[] }
  | { kind: "bars"; id: string; metrics: MetricKey[]; panel: AxisKey | null; series: AxisKey[] }
  | { kind: "heat_map"; id: string; metrics: MetricKey[]; rows: AxisKey; columns: AxisKey; panel: AxisKey | null }
  | { kind: "table"; id: string }
  | { kind: "distribution"; id: string }
  | { kind: "time_series"; id: string }
  | { kind: "timeline"; id: string }
  | { kind: "paired"; id: string }
  | { kind: "waterfall"; id: string }
  | { kind: "members"; id: string }
  | { kind: "array_map"; id: string }
  | { kind: "warnings"; id: string }
  | { kind: "facts"; id: string }
  | { kind: "commands"; id: string }
  | { kind: "data"; id: string };
