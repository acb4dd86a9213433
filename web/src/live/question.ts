// A question in three forms: in the form, as it is asked, and in the address.
//
// The form holds wishes: a chunk although RAID 1 has none, four devices although one was chosen.
// `asked` reduces the wishes to what the level allows, so that a change from RAID 10 to RAID 1 and
// back restores the chunk, and the server never has to refuse.

import type { AdviceQuestion, Choices, Question } from "../generated";
import { size } from "../format";
import { wholeNumber } from "./route";

/** The content of the form: everything has a value, whether or not the level uses it. */
export interface Wish extends Question {
  layout: string;
  chunk_bytes: number;
  read_percent: number;
}

/** Why a choice is not available with the others: ids of messages `live-why-not-...`. */
export type WhyNot =
  | "alone"
  | "one-layout"
  | "no-chunk"
  | "no-bitmap"
  | "no-redundancy"
  | "none-failed"
  | "not-mixed"
  | "no-writes";

/** The choices that a wish leaves. */
export interface Limits {
  count: WhyNot | null;
  layout: WhyNot | null;
  chunk: WhyNot | null;
  bitmap: WhyNot | null;
  failed: WhyNot | null;
  rebuild: WhyNot | null;
  mix: WhyNot | null;
  fsync: WhyNot | null;
  /** The maximum number of failed members; the layout decides which ones may fail together. */
  failedMax: number;
  countMin: number;
  countMax: number;
  layouts: string[];
  depthMax: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const TIB = 1024 * GIB;
/** mdadm's default. */
const CHUNK_USUAL_BYTES = 512 * KIB;

/** The steps of sliders: powers of two, within the range that the server answers at once. */
export const CHUNK_STEPS = powersOfTwo(4 * KIB, 4 * MIB);
export const BLOCK_STEPS = powersOfTwo(4 * KIB, 4 * MIB);
export const DEPTH_STEPS = powersOfTwo(1, 256);
export const JOBS_STEPS = powersOfTwo(1, 32);
export const SIZE_STEPS = powersOfTwo(16 * MIB, TIB);
/** 0 means never. */
export const FSYNC_STEPS = [0, ...powersOfTwo(1, 1024)];
export const MIX_STEPS = Array.from({ length: 19 }, (_, index) => 5 * (index + 1));
/** The default of studies (`docs/study.md`). */
const MIX_USUAL_PERCENT = 50;
const FSYNC_MAX = 1_000_000;

/** The most I/Os in flight of all jobs that the server simulates (`crates/serve/src/question.rs`). */
export const IN_FLIGHT_MAX = 1024;

/** Returns the powers of two from `first` to `last`, which are powers of two themselves. */
export function powersOfTwo(first: number, last: number): number[] {
  const steps: number[] = [];
  for (let step = first; step <= last; step *= 2) {
    steps.push(step);
  }
  return steps;
}

/** Returns the steps with `value` among them, so that an unusual value from an address can be shown. */
export function stepsWith(steps: number[], value: number): number[] {
  return steps.includes(value) ? steps : [...steps, value].sort((a, b) => a - b);
}

/** Returns the initial wishes of the form: the start values of the server. */
export function wishOf(question: Question): Wish {
  return {
    ...question,
    layout: question.layout ?? "",
    chunk_bytes: question.chunk_bytes ?? CHUNK_USUAL_BYTES,
    read_percent: question.read_percent ?? MIX_USUAL_PERCENT,
  };
}

/** Returns the choices that the level, the load and the jobs of a wish leave. */
export function limitsOf(wish: Wish, choices: Choices): Limits {
  const pattern = choices.patterns.find((one) => one.pattern === wish.pattern);
  const load = {
    mix: pattern?.reads === true && pattern.writes ? null : "not-mixed",
    fsync: pattern?.writes === true ? null : "no-writes",
    depthMax: Math.max(1, Math.floor(IN_FLIGHT_MAX / wish.jobs)),
  } satisfies Partial<Limits>;
  const level = choices.levels.find((one) => one.level === wish.level);
  if (level === undefined || level.level === "none") {
    return {
      ...load,
      count: "alone",
      layout: "alone",
      chunk: "alone",
      bitmap: "alone",
      failed: "alone",
      rebuild: "alone",
      failedMax: 0,
      countMin: 1,
      countMax: 1,
      layouts: [],
    };
  }
  const countMin = level.devices_min;
  const countMax = Math.max(countMin, choices.devices_max);
  const count = within(wish.count, countMin, countMax);
  const failedMax = level.failed_max[count] ?? 0;
  const hasFailed = wish.failed.some((place) => place < count);
  return {
    ...load,
    count: null,
    layout: level.layouts.length < 2 ? "one-layout" : null,
    chunk: level.has_chunk ? null : "no-chunk",
    bitmap: level.has_bitmap ? null : "no-bitmap",
    failed: failedMax > 0 ? null : "no-redundancy",
    rebuild: failedMax === 0 ? "no-redundancy" : hasFailed ? null : "none-failed",
    failedMax,
    countMin,
    countMax,
    layouts: level.layouts,
  };
}

/** Returns the question that follows from a wish. */
export function asked(wish: Wish, choices: Choices): Question {
  const limits = limitsOf(wish, choices);
  const layout = limits.layouts.includes(wish.layout) ? wish.layout : (limits.layouts[0] ?? null);
  const count = within(wish.count, limits.countMin, limits.countMax);
  const failed = wish.failed.filter((place) => place < count).slice(0, limits.failedMax);
  return {
    ...wish,
    count,
    layout,
    chunk_bytes: limits.chunk === null ? wish.chunk_bytes : null,
    bitmap: limits.bitmap === null && wish.bitmap,
    failed,
    rebuild: wish.rebuild && failed.length > 0,
    read_percent: limits.mix === null ? wish.read_percent : null,
    fsync_every: limits.fsync === null ? wish.fsync_every : null,
    size_bytes: Math.max(wish.size_bytes, wish.block_size_bytes),
    depth: Math.min(wish.depth, limits.depthMax),
  };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Returns the whole question as the parameters of an address, in a fixed order. */
export function parametersOf(question: Question): URLSearchParams {
  const values: Record<string, string | null> = {
    device: question.device,
    count: String(question.count),
    level: question.level,
    layout: question.layout,
    chunk: question.chunk_bytes === null ? null : size(question.chunk_bytes),
    bitmap: question.bitmap ? "yes" : "no",
    failed: question.failed.length === 0 ? null : question.failed.join(","),
    rebuild: question.rebuild ? "yes" : null,
    filesystem: question.filesystem,
    workload: question.workload,
    pattern: question.pattern,
    mix: question.read_percent === null ? null : String(question.read_percent),
    block_size: size(question.block_size_bytes),
    jobs: String(question.jobs),
    depth: String(question.depth),
    size: size(question.size_bytes),
    fsync: question.fsync_every === null ? null : String(question.fsync_every),
    state: question.state,
    governor: question.governor,
    host: question.host,
    kernel: question.kernel,
    overlay: question.overlay === null ? null : String(question.overlay),
  };
  return new URLSearchParams(Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null));
}

/** Returns the wish in an address; missing, unknown or out-of-range values are replaced by the server's
 *  defaults. */
export function wishFrom(parameters: URLSearchParams, choices: Choices): Wish {
  const start = wishOf(choices.question);
  const among = (key: string, known: string[], otherwise: string) => {
    const value = parameters.get(key);
    return value !== null && known.includes(value) ? value : otherwise;
  };
  const number = (key: string, least: number, most: number, otherwise: number) => {
    const value = sizeOf(parameters.get(key) ?? "");
    return value !== null && value >= least && value <= most ? value : otherwise;
  };
  const layouts = choices.levels.flatMap((level) => level.layouts);
  const sizes = [4 * KIB, GIB] as const;
  const isYes = (key: string, otherwise: boolean) => among(key, ["yes", "no"], otherwise ? "yes" : "no") === "yes";
  const fsync = number("fsync", 1, FSYNC_MAX, 0);
  return {
    device: among("device", choices.devices.map((one) => one.name), start.device),
    count: number("count", 1, choices.devices_max, start.count),
    level: among("level", choices.levels.map((one) => one.level), start.level),
    layout: among("layout", layouts, start.layout),
    chunk_bytes: powerOr(number("chunk", ...sizes, start.chunk_bytes), start.chunk_bytes),
    bitmap: isYes("bitmap", start.bitmap),
    failed: placesOf(parameters.get("failed") ?? "", choices.devices_max),
    rebuild: isYes("rebuild", start.rebuild),
    filesystem: among("filesystem", choices.filesystems, start.filesystem),
    workload: among("workload", choices.workloads.map((one) => one.name), "") || null,
    pattern: among("pattern", choices.patterns.map((one) => one.pattern), start.pattern),
    read_percent: number("mix", 0, 100, start.read_percent),
    block_size_bytes: number("block_size", 512, GIB, start.block_size_bytes),
    jobs: number("jobs", 1, 1024, start.jobs),
    depth: number("depth", 1, 65536, start.depth),
    size_bytes: number("size", 512, 1024 * TIB, start.size_bytes),
    fsync_every: fsync === 0 ? start.fsync_every : fsync,
    state: among("state", choices.states, start.state),
    governor: among("governor", choices.governors, start.governor),
    host: among("host", choices.hosts.map((one) => one.name), start.host),
    kernel: among("kernel", choices.kernels.map((one) => one.version), start.kernel),
    overlay: wholeNumber(parameters.get("overlay") ?? "") ?? start.overlay,
  };
}

/** Returns the places of members in `0,3`, each once and ascending, below `count`. */
function placesOf(text: string, count: number): number[] {
  const places = text.split(",").map(wholeNumber);
  const known = new Set(places.filter((place): place is number => place !== null && place < count));
  return [...known].sort((a, b) => a - b);
}

/** The most loads of an advice, and their weights. */
export const LOADS_MAX = 4;
export const WEIGHTS = [1, 2, 3, 4, 5];
const LOAD_LENGTH_MAX = 200;
/** What an address says where nothing is required. */
const NOTHING = "none";

/** Returns what the question of an advice changes from the server's, as the parameters of an address. */
export function adviceParametersOf(question: AdviceQuestion, start: AdviceQuestion): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(question)) {
    if (key !== "loads" && value !== start[key as keyof AdviceQuestion]) {
      parameters.set(key, value === null ? NOTHING : String(value));
    }
  }
  if (JSON.stringify(question.loads) !== JSON.stringify(start.loads)) {
    question.loads.forEach(({ load, weight }) => parameters.append("load", `${weight} x ${load}`));
  }
  return parameters;
}

/** Returns the question of an advice in an address; what is missing, unknown or no step of its slider is
 *  replaced by the server's defaults. */
export function adviceFrom(parameters: URLSearchParams, choices: Choices): AdviceQuestion {
  const { question: start, sliders } = choices.advice;
  const question: AdviceQuestion = { ...start };
  const take = (key: "device" | "filesystem", known: string[]) => {
    const value = parameters.get(key);
    if (value !== null && known.includes(value)) question[key] = value;
  };
  take("device", choices.devices.map((one) => one.name));
  take("filesystem", choices.filesystems);
  for (const { key, steps } of sliders) {
    const word = parameters.get(key);
    const step = steps.find(({ value }) => word === (value === null ? NOTHING : String(value)));
    if (step !== undefined) Object.assign(question, { [key]: step.value });
  }
  const loads = parameters.getAll("load").flatMap((words) => {
    const [, weight, load] = /^([0-9]+) x (.+)$/.exec(words) ?? [];
    const known = WEIGHTS.includes(Number(weight)) && load !== undefined && load.length <= LOAD_LENGTH_MAX;
    return known ? [{ load, weight: Number(weight) }] : [];
  });
  return loads.length === 0 ? question : { ...question, loads: loads.slice(0, LOADS_MAX) };
}

/** The units of sizes as studies write them. */
const UNITS: [string, number][] = [
  ["T", TIB],
  ["G", GIB],
  ["M", MIB],
  ["K", KIB],
];

/** Returns the number of bytes of `32K` and `4M`, or of a plain number; null if it is neither. */
export function sizeOf(text: string): number | null {
  const factor = UNITS.find(([letter]) => text.endsWith(letter))?.[1] ?? 1;
  const digits = factor === 1 ? text : text.slice(0, -1);
  const number = digits.length > 10 ? null : wholeNumber(digits);
  return number === null ? null : number * factor;
}

/** Returns `bytes` if it is a power of two, as md's chunks are, else `otherwise`. */
function powerOr(bytes: number, otherwise: number): number {
  return Number.isInteger(Math.log2(bytes)) ? bytes : otherwise;
}
