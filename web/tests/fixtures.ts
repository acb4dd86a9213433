// Pages for tests: computed from a formula, so that every number is known, and similar enough to
// real ones to judge pictures by them.

import type { Argument, Block, CellBreakdown, Cell, CellVerdict, Column, Estimate, Member, Message, ShownWarning, Page, Part, PageRun, SamplePoint, StackMap, SteadyWindow, TableCell } from "../src/generated";

const SIZES = [8, 16, 32, 64, 128, 512, 1024, 20000];
const STACKS: [string, number | null][] = [["ssd", null], ["chunk16", 16], ["chunk32", 32], ["chunk64", 64], ["chunk128", 128], ["chunk512", 512]];
const MEMBERS = ["sda", "sdb", "sdc", "sdd"];

/** Names as an attacker would choose them. */
export const HOSTILE = [
  "<script>alert(1)</script>",
  "\u202egnp.exe \u05d0\u05d1\u05d2 \u0627\u0628",
  "x".repeat(10_000),
  "{a|b}\u0000\u001b[31m\n=1+1",
];

/** A small random generator (mulberry32): the same seed gives the same page. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function estimate(value: number, share: number): Estimate {
  return { value, low: value * (1 - share), high: value * (1 + share), level: 0.95, samples: 8, effective_samples: 8 };
}

/** MiB/s of a fictitious array: rises with the block size, more with several chunks in one I/O. */
function rate(kib: number, chunk: number | null, pattern: string, measured: boolean): number {
  const disk = (pattern === "randread" ? 480 : 430) * (kib / (kib + 40));
  const wide = chunk === null ? 1 : 1 + Math.min(1.1, Math.max(0, Math.log2(kib / chunk)) * 0.45);
  return disk * wide * (measured ? 0.93 + 0.1 * Math.sin(kib + (chunk ?? 0)) : 1);
}

/** Returns a message as Rust sends it: texts are names, numbers are digits. */
export function message(id: string, values: Record<string, string | number | Message | Argument> = {}): Message {
  const argument = (value: string | number | Message | Argument): Argument => {
    if (typeof value === "string") return { name: value };
    if (typeof value === "number") return { digits: String(value) };
    return "id" in value ? { message: value } : value;
  };
  return { id, args: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, argument(value)])) };
}

function perCent(digits: string): Argument {
  return { quantity: { digits, unit: "%" } };
}

function cellCount(count: number): Message {
  return message("cell-count", { count: { count } });
}

function distribution(mean: number) {
  const cumulative: [number, number][] = [];
  for (let step = 1; step <= 120; step += 1) {
    const share = 1 - 10 ** (-step / 24);
    cumulative.push([mean * (0.6 + 0.35 * (step / 24) + (step > 90 ? (step - 90) * 0.12 : 0)), share]);
  }
  const percents = [50, 90, 95, 99, 99.9, 99.99];
  const at = (percent: number) => cumulative.find(([, share]) => share >= percent / 100)?.[0] ?? mean * 6;
  return { ios: 4_182_233, cumulative, percentiles: percents.map((percent) => ({ percent, latency_ns: estimate(at(percent), 0.02) })) };
}

function breakdown(mean: number, hasArray: boolean): CellBreakdown {
  const parts: [Part, number][] = hasArray
    ? [["submit", 0.05], ["array_cpu", 0.03], ["block_cpu", 0.04], ["device_queue", 0.08], ["device_service", 0.46], ["link", 0.17], ["uplink", 0.06], ["slowest_member", 0.09], ["completion", 0.02]]
    : [["submit", 0.06], ["block_cpu", 0.05], ["device_service", 0.6], ["link", 0.26], ["completion", 0.03]];
  const times = (scale: number) => parts.map(([part, share]) => ({ part, time_ns: mean * share * scale }));
  return {
    mean: times(1),
    slowest: times(3.1),
    utilisation: [{ component: "uplink", busy_share: 0.62 }, { component: "cpu of job 1", busy_share: 0.13 }, ...MEMBERS.map((device, index) => ({ component: `link of ${device}`, busy_share: 0.4 + index * 0.05 }))],
  };
}

function samples(value: number, draw: () => number, mean: number): SamplePoint[] {
  return Array.from({ length: 12 }, (_, index) => {
    const bandwidth = value * (1 + (draw() - 0.5) * 0.05 + (index < 3 ? 0.2 - index * 0.06 : 0));
    return {
      started_unix_ns: 1_795_278_343_000_000_000 + index * 5e9,
      elapsed_ns: 5e9,
      block: index,
      role: index < 2 ? "warm_up" : "counted",
      valid: true,
      counted: index > 2 && index !== 7,
      bandwidth_bytes_per_s: bandwidth,
      iops: bandwidth / 65536,
      latency_ns_mean: mean * (value / bandwidth),
      latency_ns_p99: mean * 2.2 * (value / bandwidth),
    };
  });
}

function members(bandwidth: number, kib: number, pattern: string, count: number): Member[] {
  return MEMBERS.slice(0, count).map((device, index) => {
    const share = count === 1 ? 1 : [0.33, 0.17, 0.31, 0.19][index]!;
    const isRead = pattern === "randread";
    const each = (bandwidth * share) / (Math.min(kib, 64) * 1024);
    return {
      device,
      reads_per_s: isRead ? each : 0,
      writes_per_s: isRead ? 0 : each * 2,
      read_bytes_per_s: isRead ? bandwidth * share : 0,
      write_bytes_per_s: isRead ? 0 : bandwidth * share * 2,
      merges_per_s: index * 3.5,
      flushes_per_s: isRead ? null : 1.2,
      busy_share: 0.35 + share,
    };
  });
}

function steady(mean: number): SteadyWindow {
  const line = { slope_per_round: mean * 0.004, intercept: mean * 0.97 };
  return { first_round: 4, mean, ...line, range: mean * 0.05, range_allowed: mean * 0.2, slope_excursion: mean * 0.016, slope_excursion_allowed: mean * 0.1 };
}

function verdictOf(ratio: number, baseline: number, draw: () => number): CellVerdict {
  const pairs = Array.from({ length: 8 }, (): [number, number] => {
    const before = 4e8 * (0.97 + draw() * 0.06);
    return [before, before * ratio * (0.985 + draw() * 0.03)];
  });
  const percent = (value: number) => (value - 1) * 100;
  const difference_percent = { value: percent(ratio), low: percent(ratio * 0.98), high: percent(ratio * 1.02) };
  const common = { metric: "bandwidth_bytes_per_s" as const, baseline, paired: true, ratio: estimate(ratio, 0.02), difference_percent, pairs };
  if (Math.abs(ratio - 1) < 0.04) return { ...common, verdict: "no_difference", margin: 0.05, words: message("verdict-same", { margin: 5 }) };
  return { ...common, verdict: "different", low: ratio * 0.98, high: ratio * 1.02, words: message("verdict-percent", { range: message("verdict-about", { value: "8" }), word: message("word-percent-higher-rises") }) };
}

function cellOf(run: number, number: number, name: string, chunk: number | null, pattern: string, kib: number, draw: () => number): Cell {
  const bandwidth = rate(kib, chunk, pattern, run > 0) * 1048576;
  const mean = (kib * 1024 * 1e9) / bandwidth;
  const share = run > 0 ? 0.03 : 0.01;
  return {
    run,
    number,
    values: [name, pattern, kib % 1024 === 0 ? `${kib / 1024}M` : `${kib}K`, chunk === null ? "-" : `${chunk}K`],
    stack: name,
    stack_words: chunk === null ? "1 × four-ssd-sata, ext4" : `4 × four-ssd-sata, raid10 n2, chunk ${chunk}K, ext4`,
    chunk_bytes: chunk === null ? null : chunk * 1024,
    block_size_bytes: kib * 1024,
    estimates: {
      bandwidth_bytes_per_s: estimate(bandwidth, share),
      iops: estimate(bandwidth / kib / 1024, share),
      latency_ns_mean: estimate(mean, share),
      latency_ns_p99: estimate(mean * 2.2, share * 2),
    },
    verdicts: [],
    warnings: [],
    samples: samples(bandwidth, draw, mean),
    steady: number % 5 === 1 ? steady(bandwidth) : null,
    latency: distribution(mean),
    members: members(bandwidth, kib, pattern, chunk === null ? 1 : 4),
    breakdown: run === 0 ? breakdown(mean, chunk !== null) : null,
    bottleneck: run > 0 ? undefined : chunk !== null && kib > 512
      ? { limit: "saturated", resource: "uplink", busy_share: 0.97, share: 0.4 }
      : { limit: "latency", part: "device_service", share: 0.46, time_ns: mean * 0.46 },
    bottleneck_name: run > 0 ? null : message(chunk !== null && kib > 512 ? "resource-uplink" : "part-device_service"),
    bottleneck_sentence: run > 0 ? null : message("limit-uplink", { busy: perCent("97"), share: perCent("40") }),
    findings: run > 0 || chunk === null ? [] : [
      { finding: "slowest_member", share: 0.09, requests_per_io: 3.2, sentence: message("finding-slowest-member", { requests_per_io: 3.2, share: perCent("9") }) },
      { finding: "copies", copies: 2, sentence: message("finding-copies", { copies: 2 }) },
    ],
  };
}

export const WARNINGS: ShownWarning[] = [
  { kind: "drift", metric: "bandwidth", relative_change: -0.08, p_value: 0.012, ...noticed("drift", { metric: message("metric-bandwidth_bytes_per_s"), direction: "falls", percent: perCent("8"), p: 0.012 }), invalidates: false, samples_affected: 0 },
  { kind: "more_bytes_at_device", direction: "write", asked_bytes: 104857600, device_bytes: 157286400, process: "updatedb", ...noticed("more-bytes-at-device", { direction: "write", device: mib("150.0"), asked: mib("100.0"), is_known: "true", process: "updatedb" }), invalidates: true, samples_affected: 3 },
  { kind: "throttled", count: 2, ...noticed("throttled", { count: { count: 2 } }), invalidates: false, samples_affected: 1 },
];

function mib(digits: string): Argument {
  return { quantity: { digits, unit: "MiB" } };
}

function noticed(kind: string, values: Parameters<typeof message>[1]): Pick<ShownWarning, "message" | "hint"> {
  return { message: message(`warning-${kind}`, values), hint: message(`hint-${kind}`) };
}

/** Returns the facts of a measured run; the second run of a page has seen a change. */
function factBlocks(world: string, index: number): Block[] {
  const name = (name: string): Argument => ({ name });
  const cell = (shown: string, branch?: [string, string]): TableCell => ({ shown: name(shown), tone: "plain", is_repeated: false, ...(branch && { branch }) });
  const column = (key: string, kind: Column["kind"] = "text"): Column => ({ key, head: name(key), name: null, unit: "", kind, rank: 0, wraps: true });
  const table = (key: string, columns: Column[], rows: TableCell[][]): Block => ({ table: { key, caption: null, columns, rows: rows.map((cells) => ({ cells, height: null })), is_bare: false } });
  if (world === "model") return [];
  const pairs = [["Kernel", "6.1.0-18-amd64"], ["CPU", "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz"], ["Memory", "16 GiB"]];
  const changed = table("changed_facts", ["fact", "before", "now"].map((key) => column(key)), [["governor", "performance", "powersave"].map((words) => cell(words))]);
  return [
    ...(index === 0 ? [] : [changed]),
    { pairs: pairs.map(([key = "", value = ""]) => ({ name: name(key), value: name(value) })) },
    table("storage", [column("device"), column("size_bytes", "number")], MEMBERS.map((of) => [cell(of, ["├ ", "│ "]), cell("466 GiB")])),
  ];
}

function runOf(index: number, world: string): PageRun {
  return {
    id: index + 3,
    study: "four-ssd-random",
    question: "Which chunk size for four SATA SSDs as RAID 10?",
    name: null,
    tags: [],
    world,
    state: "done",
    stripewise_version: "0.1.0",
    seed: 7,
    started_unix_ns: 1_795_278_343_956_485_341,
    ended_unix_ns: 1_795_278_944_163_455_465,
    samples_all: 960,
    samples_counted: 801,
    samples_least: 600,
    model: world === "model" ? { kernel: "4.1", kernel_rules: "4.1", host: "i7-6700k", devices: ["four-ssd-sata"] } : null,
    facts: factBlocks(world, index),
    warnings: index === 0 ? [] : [WARNINGS[2]!],
    commands: [
      { does: "repeat", command: "stripewise run studies/four-ssd-random.toml --world model --seed 7" },
      { does: "show", command: `stripewise show ${index + 3}` },
      { does: "why", command: "stripewise why studies/four-ssd-random.toml" },
    ],
    study_text: "question = \"Which chunk size for four SATA SSDs as RAID 10?\"\n\n[stack.ssd]\ndevices = { four-ssd-sata = 1 }\n",
  };
}

function mapOf(): StackMap {
  const rows = Array.from({ length: 4 }, (_, row) => ({
    label: `${row * 32}K`,
    boxes: MEMBERS.map((_, member) => ({
      chunk: row * 2 + Math.floor(member / 2),
      role: member % 2 === 0 ? ("data" as const) : ("copy" as const),
      serves: (row + member) % 2 === 0,
    })),
  }));
  return { run: 0, stack: "chunk32", level: "raid10", layout: "n2", unit: "chunk", chunk_bytes: 32768, members: MEMBERS, member_count: 4, rows, rows_left_out: 0 };
}

export interface FixtureChoices {
  /** The worlds of the runs, each with the same cells. */
  worlds: string[];
  /** Stacks are repeated with numbers up to this count. */
  stacks: number;
  /** Names that replace those of the first stacks. */
  names: string[];
}

export const PLAIN: FixtureChoices = { worlds: ["model"], stacks: STACKS.length, names: [] };

/** Returns a page of `stacks` x 2 patterns x 8 block sizes in each of the worlds. */
export function fixture(choices: FixtureChoices): Page {
  const draw = random(1);
  const stacks = Array.from({ length: choices.stacks }, (_, index): [string, number | null] => {
    const [name, chunk] = STACKS[index % STACKS.length]!;
    const round = Math.floor(index / STACKS.length);
    return [choices.names[index] ?? (round === 0 ? name : `${name}-${round}`), chunk];
  });
  const cells: Cell[] = [];
  choices.worlds.forEach((_, run) => {
    const first = cells.length;
    stacks.forEach(([name, chunk]) =>
      ["randread", "randwrite"].forEach((pattern) =>
        SIZES.forEach((kib) => cells.push(cellOf(run, cells.length - first + 1, name, chunk, pattern, kib, draw))),
      ),
    );
    for (let index = first + 16; index < cells.length; index += 1) {
      const baseline = first + ((index - first) % 16);
      const value = (cell: number) => cells[cell]!.estimates.bandwidth_bytes_per_s!.value;
      cells[index]!.verdicts = [verdictOf(value(index) / value(baseline), baseline, draw)];
    }
    cells[first + 3]!.warnings = [WARNINGS[0]!, WARNINGS[1]!];
    cells[first + 7]!.warnings = [WARNINGS[0]!];
  });
  const largest = cells[23]!.estimates.bandwidth_bytes_per_s!.value / cells[7]!.estimates.bandwidth_bytes_per_s!.value;
  const unique = (values: string[]) => [...new Set(values)];
  return {
    schema: 1,
    stripewise_version: "0.1.0",
    question: { name: choices.names[0] ?? "Which chunk size for four SATA SSDs as RAID 10?" },
    metric: "bandwidth_bytes_per_s",
    metrics: ["bandwidth_bytes_per_s", "iops", "latency_ns_mean", "latency_ns_p99"],
    runs: choices.worlds.map((world, index) => runOf(index, world)),
    axes: [
      { key: "stack", values: stacks.map(([name]) => name), numbers: null },
      { key: "pattern", values: ["randread", "randwrite"], numbers: null },
      { key: "block_size", values: unique(cells.map((cell) => cell.values[2]!)), numbers: SIZES.map((kib) => kib * 1024) },
      { key: "chunk", values: unique(cells.map((cell) => cell.values[3]!)), numbers: null, implied: true },
    ],
    shared: [
      { key: "jobs", value: "1" },
      { key: "engine", value: "libaio" },
    ],
    cells,
    answer: [
      { sentence: message("claim-in", { panel: "randread", sentence: message("claim-wins", { axis: message("axis-stack"), value: stacks[1]![0], gives: message("wins-gives", { best: message("best-bandwidth_bytes_per_s") }), wins: 7, loads: 8, doubt: message("certain-some", { certain: 6 }) }) }), claim: "wins", panel: "randread", axis: "stack", value: stacks[1]![0], wins: 7, certain: 6, in_common: false, is_open: false, loads: 8, metric: "bandwidth_bytes_per_s" },
      { sentence: message("claim-largest-only", { metric: message("metric-bandwidth_bytes_per_s"), more: stacks[1]![0], less: stacks[0]![0], difference: message("ratio-alone", { value: "+110", factor: ", ×2.1" }), more_value: mib("1006"), less_value: mib("479") }), claim: "largest", load: "randread, block size 20000K", load_values: [["pattern", "randread"], ["block_size", "20000K"]], best: 23, worst: 7, ratio: largest, ratio_estimate: estimate(largest, 0.01), metric: "bandwidth_bytes_per_s" },
      {
        sentence: { ...message("claim-against", { by: "", cells: { count: 80 }, parts: message("against-unknown", { count: { count: 3 } }) }), is_sentence: true },
        claim: "against",
        better: 38,
        worse: 6,
        same: 33,
        unknown: 3,
        counts: {
          cells: 80,
          better: { cells: 38, median_ratio: 1.4, least_ratio: 1.08, most_ratio: 2.1, most_cell: 23 },
          worse: { cells: 6, median_ratio: 0.88, least_ratio: 0.93, most_ratio: 0.8, most_cell: 19 },
          same: 33,
          margin: 0.05,
          unknown: 3,
        },
        metric: "bandwidth_bytes_per_s",
      },
      { sentence: message("claim-limits", { cells: cellCount(96), limits: { list: { items: [{ message: message("limit-count", { limit: message("resource-uplink"), cells: cellCount(26) }) }], and: false } } }), claim: "limits", limits: [{ bottleneck: { limit: "latency", part: "device_service", share: 0.4, time_ns: 1e5 }, cells: 70 }, { bottleneck: { limit: "saturated", resource: "uplink", busy_share: 0.97, share: 0.4 }, cells: 26 }], cells: 96 },
      ...(choices.worlds.length > 1 ? [{ sentence: { ...message("claim-off", { run: message("world-metal"), reference: message("world-model"), mean: perCent("4.8"), worst: perCent("17"), side: "below", cells: cellCount(96), worst_cell: stacks[0]![0], metric: message("metric-bandwidth_bytes_per_s") }), is_sentence: true }, claim: "off" as const, run: 1, reference: 0, cells: 96, mean_share: 0.048, worst_share: -0.17, worst_cell: 9, metric: "bandwidth_bytes_per_s" as const }] : []),
      {
        sentence: message("claim-differs", { stack: "imsm", baseline: "md", differences: "chunk", cause: message("claim-cause-unknown", { baseline: "md" }) }),
        claim: "differs",
        stack: "imsm",
        baseline: "md",
        differences: [
          { key: "chunk", value: "128K", instead_of: "512K" },
          { key: "metadata", value: "imsm", instead_of: "1.2" },
        ],
        cause: { keys: ["chunk"], idle: ["metadata"], witness: { stack: "md-chunk128", same_as: "imsm", cells: 4 } },
      },
      { sentence: message("claim-settled", { settled: 90, cells: cellCount(96), all: "other", margin: perCent("5") }), claim: "settled", settled: 90, cells: 96, margin: 0.05 },
      { sentence: message("claim-not-counted", { samples: { count: 12 }, of: { count: 960 } }), claim: "not_counted", samples: 12, of: 960 },
    ],
    maps: [mapOf()],
    views: [
      { kind: "curve", id: "curve", metrics: ["bandwidth_bytes_per_s", "iops", "latency_ns_mean", "latency_ns_p99"], x: "block_size", panel: "pattern", series: ["stack"] },
      { kind: "heat_map", id: "heat", metrics: ["bandwidth_bytes_per_s", "latency_ns_mean"], rows: "stack", columns: "block_size", panel: "pattern" },
      { kind: "bars", id: "bars", metrics: ["bandwidth_bytes_per_s"], panel: "pattern", series: ["stack", "block_size"] },
      { kind: "table", id: "cells" },
      { kind: "paired", id: "paired" },
      { kind: "waterfall", id: "waterfall" },
      { kind: "distribution", id: "latency" },
      { kind: "time_series", id: "time" },
      { kind: "array_map", id: "map" },
      { kind: "members", id: "members" },
      { kind: "warnings", id: "warnings" },
      { kind: "facts", id: "facts" },
      { kind: "commands", id: "commands" },
      { kind: "data", id: "data" },
    ],
  };
}
