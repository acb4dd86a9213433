// What the live page asks its server (`crates/serve`): JSON over loopback, every request with the
// header `Authorization: Bearer TOKEN`; the token comes in the fragment of the page's address and
// is kept in sessionStorage. An error answers `{ error, hint }` with a status of 4xx or 5xx.

import type { Page, RunPart } from "./page";

/** GET /api/runs: one line a run, the latest first. */
export interface RunLine {
  id: number;
  study: string;
  question: string | null;
  world: string;
  state: RunPart["state"];
  stripewise_version: string;
  started_unix_ns: number;
  ended_unix_ns: number | null;
  cells: number;
  samples_all: number;
  samples_counted: number;
}

/** GET /api/page?runs=3,4 answers a `Page`. */
export type PageAnswer = Page;

/** GET /api/watch?run=3 answers JSON lines for as long as the run goes on: one at once, then one
 *  whenever a sample was added or the state changed; the last one has another state than `running`. */
export interface WatchLine {
  state: RunPart["state"];
  samples_all: number;
  samples_counted: number;
}

/** GET /api/choices: what a question can be made of. */
export interface Choices {
  devices: { name: string; description: string; capacity_bytes: number }[];
  hosts: { name: string; description: string }[];
  governors: string[];
  /** Kernels whose rules differ, oldest first, with what changed in a few words. */
  kernels: { version: string; changed: string }[];
  levels: { level: string; layouts: string[]; has_chunk: boolean; devices_min: number; has_bitmap: boolean }[];
  patterns: string[];
  devices_max: number;
  /** Where sliders begin. */
  question: Question;
}

/** POST /api/ask: what would this give? */
export interface Question {
  device: string;
  count: number;
  /** `none` is the device alone. */
  level: string;
  layout: string | null;
  chunk_bytes: number | null;
  bitmap: boolean;
  pattern: string;
  block_size_bytes: number;
  jobs: number;
  depth: number;
  governor: string;
  host: string;
  kernel: string;
  /** A run of the store whose measured points are laid over; null for none. */
  overlay: number | null;
}

/** The answer to POST /api/ask: a page with the one cell, in the model world, and its map. */
export interface AskAnswer {
  page: Page;
  /** How long the simulation took. */
  simulated_ns: number;
}

/** POST /api/ask/curve: the same question at several block sizes; cells of the overlaid run with the
 *  same pattern, jobs and depth follow as cells of a second run of the page. */
export type CurveAnswer = AskAnswer;

/** POST /api/ask/why: what would change it, each a simulation, the best first. */
export interface WhyAnswer {
  effects: {
    /** Tagged by `change`, see `crates/diagnose/src/changes.rs`. */
    change: string;
    [field: string]: unknown;
    /** The English words of the terminal. */
    words: string;
    /** The verdict's English words. */
    verdict_words: string;
    verdict: "different" | "no_difference" | "cannot_tell";
    bandwidth_bytes_per_s: import("./page").Estimate;
    ratio: import("./page").Estimate;
    /** The question with this change made, where the page can ask it; null where it cannot. */
    question: Question | null;
  }[];
}

/** POST /api/ask/study: the question as a study file. */
export interface StudyAnswer {
  toml: string;
  /** The command that runs it. */
  command: string;
}

export interface ApiError {
  error: string;
  hint: string | null;
}
