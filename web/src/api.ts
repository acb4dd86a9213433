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
  levels: {
    level: string;
    layouts: string[];
    has_chunk: boolean;
    devices_min: number;
    has_bitmap: boolean;
    /** How many members may fail at most, by the number of members from 0 on. */
    failed_max: number[];
  }[];
  filesystems: string[];
  /** What an answer can be for; the first is the usual. */
  states: string[];
  patterns: { pattern: string; reads: boolean; writes: boolean }[];
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
  /** The members that have failed, by their place from 0. */
  failed: number[];
  /** Whether the first of them is being rebuilt on a new device. */
  rebuild: boolean;
  filesystem: string;
  pattern: string;
  /** The share of reads of a mixed pattern; null where it is not mixed. */
  read_percent: number | null;
  block_size_bytes: number;
  jobs: number;
  depth: number;
  /** The size of the file of each job. */
  size_bytes: number;
  /** An fsync after every so many writes; null for never. */
  fsync_every: number | null;
  /** `steady` or `fresh`. */
  state: string;
  governor: string;
  host: string;
  kernel: string;
  /** A run of the store whose measured points are laid over; null for none. */
  overlay: number | null;
}

/** The answer to POST /api/ask: a page with the one cell, in the model world, and its map. With
 *  `?preview=true` it is a quick one, which says so. */
export interface AskAnswer {
  page: Page;
  /** How long the simulation took. */
  simulated_ns: number;
  /** Whether less was simulated than for the answer that the command line gives. */
  is_preview: boolean;
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
  /** Null where no study asks this: members that have failed are no part of one. */
  toml: string | null;
  /** The command that runs it, or that asks the same without a study. */
  command: string;
}

export interface ApiError {
  error: string;
  hint: string | null;
}
