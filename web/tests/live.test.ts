// The live page's pure parts. The failures they guard against: an address from outside breaks the
// page, a question that the server must refuse, and a picture that lags behind the pointer.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { AdviceQuestion, Cell, Choices, Page, Question, RunLine, WatchLine } from "../src/generated";
import { api, RequestError, splitLines, takeToken, type Trouble, troubleOf, watch } from "../src/live/client";
import { onsetWords } from "../src/live/answer";
import { found } from "../src/live/list";
import { counted } from "../src/live/run";
import { type Clock, Latest, Paced } from "../src/live/latest";
import {
  adviceFrom,
  adviceParametersOf,
  asked,
  BLOCK_STEPS,
  CHUNK_STEPS,
  limitsOf,
  parametersOf,
  powersOfTwo,
  sizeOf,
  stepsWith,
  wishFrom,
  wishOf,
} from "../src/live/question";
import { overlaid } from "../src/live/overlay";
import { seriesOf } from "../src/charts/cells";
import { inStates } from "../src/charts/states";
import { answerFragment, isPlace, listFragment, routeOf, RUNS_MAX, runsFragment, tokenOf } from "../src/live/route";
import { fileNameIn } from "../src/live/study";
import { size } from "../src/format";
import { textOf } from "../src/text";
import { fixture, PLAIN } from "./fixtures";

const QUESTION: Question = {
  device: "ssd",
  count: 4,
  level: "raid10",
  layout: "n2",
  chunk_bytes: 32768,
  bitmap: false,
  failed: [],
  rebuild: false,
  filesystem: "none",
  workload: null,
  pattern: "randread",
  read_percent: null,
  block_size_bytes: 65536,
  jobs: 1,
  depth: 8,
  size_bytes: 4 * 2 ** 30,
  fsync_every: null,
  state: "steady",
  governor: "performance",
  host: "desktop",
  kernel: "6.1",
  overlay: null,
};

const upTo8 = (survived: (count: number) => number) => Array.from({ length: 9 }, (_, count) => survived(count));

const CHOICES: Choices = {
  workloads: [{ name: "oltp", description: { name: "transactions" } }],
  devices: [
    { name: "ssd", description: { name: "an SSD" }, capacity_bytes: 5e11 },
    { name: "disk", description: { name: "a disk" }, capacity_bytes: 4e12 },
  ],
  hosts: [{ name: "desktop", description: { name: "a desktop" } }],
  governors: ["performance", "powersave"],
  kernels: [
    { version: "4.1", changed: "the oldest" },
    { version: "6.1", changed: "pending requests count" },
  ],
  levels: [
    { level: "none", layouts: [], has_chunk: false, devices_min: 1, has_bitmap: false, failed_max: upTo8(() => 0) },
    { level: "raid0", layouts: [], has_chunk: true, devices_min: 2, has_bitmap: false, failed_max: upTo8(() => 0) },
    { level: "raid1", layouts: [], has_chunk: false, devices_min: 2, has_bitmap: true, failed_max: upTo8((count) => Math.max(0, count - 1)) },
    { level: "raid6", layouts: ["left-symmetric"], has_chunk: true, devices_min: 4, has_bitmap: true, failed_max: upTo8(() => 2) },
    { level: "raid10", layouts: ["n2", "f2", "o2"], has_chunk: true, devices_min: 2, has_bitmap: true, failed_max: upTo8((count) => Math.floor(count / 2)) },
  ],
  filesystems: ["none", "ext4"],
  states: ["steady", "fresh"],
  patterns: [
    { pattern: "randread", reads: true, writes: false },
    { pattern: "read", reads: true, writes: false },
    { pattern: "write", reads: false, writes: true },
    { pattern: "randrw", reads: true, writes: true },
  ],
  devices_max: 8,
  question: QUESTION,
  advice: {
    sliders: [
      { key: "count", label: { id: "live-count" }, steps: [2, 4, 6].map((value) => ({ value, shown: { digits: String(value) } })) },
      { key: "survive", label: { id: "live-advise-survive" }, steps: [null, 1, 2].map((value) => ({ value, shown: { digits: String(value) } })) },
    ],
    question: {
      device: "ssd",
      count: 4,
      spares: 0,
      loads: [{ load: "oltp", weight: 1 }],
      survive: null,
      capacity_bytes: null,
      commit_p99_ns: null,
      years: null,
      rebuild_ns: null,
      writes_per_day_bytes: null,
      filesystem: "none",
    },
  },
};

test("a question in the address is read back unchanged", () => {
  const questions: Question[] = [
    QUESTION,
    { ...QUESTION, level: "none", count: 1, layout: null, chunk_bytes: null, overlay: 7 },
    { ...QUESTION, level: "raid1", layout: null, chunk_bytes: null, bitmap: true, jobs: 3 },
    { ...QUESTION, block_size_bytes: 20000 * 1024, depth: 5, device: "disk", kernel: "4.1" },
    { ...QUESTION, failed: [0, 3], rebuild: true, filesystem: "ext4", state: "fresh", size_bytes: 2 ** 40 },
    { ...QUESTION, pattern: "randrw", read_percent: 0, fsync_every: 1, size_bytes: 65536 },
    { ...QUESTION, pattern: "write", fsync_every: 7 },
  ];

  for (const question of questions) {
    const read = wishFrom(new URLSearchParams(parametersOf(question).toString()), CHOICES);
    assert.deepEqual(asked(read, CHOICES), question);
  }
});

test("missing and wrong values of an address become the server's defaults", () => {
  const hostile = new URLSearchParams({
    device: "<script>",
    count: "-3",
    level: "raid99",
    layout: "__proto__",
    chunk: "33K",
    pattern: "constructor",
    block_size: "1e99",
    jobs: "0",
    depth: "9".repeat(400),
    governor: "",
    host: "\u202e",
    kernel: "6.1 ",
    overlay: "3;DROP",
    failed: "-1,99,x,1.5,__proto__",
    rebuild: "maybe",
    filesystem: "btrfs",
    mix: "101",
    size: "1e9",
    fsync: "0",
    state: "stale",
    unknown: "1",
  });
  assert.deepEqual(asked(wishFrom(hostile, CHOICES), CHOICES), QUESTION);
  assert.deepEqual(asked(wishFrom(new URLSearchParams(), CHOICES), CHOICES), QUESTION);
});

test("what to build is asked in the address, and read back unchanged", () => {
  const { question } = CHOICES.advice;
  const questions: AdviceQuestion[] = [
    question,
    { ...question, device: "disk", count: 6, survive: 2, filesystem: "ext4" },
    { ...question, loads: [{ load: "oltp x 2", weight: 3 }, { load: "randread:4K & more", weight: 1 }] },
  ];
  for (const one of questions) {
    const words = adviceParametersOf(one, question).toString();
    assert.deepEqual(adviceFrom(new URLSearchParams(words), CHOICES), one, words);
  }
  assert.equal(adviceParametersOf(question, question).toString(), "");
  assert.equal(adviceParametersOf(questions[1]!, question).toString(), "device=disk&count=6&survive=2&filesystem=ext4");
  const required = { ...CHOICES, advice: { ...CHOICES.advice, question: { ...question, survive: 1 } } };
  assert.deepEqual(adviceFrom(new URLSearchParams({ survive: "none" }), required), question);
  const hostile = new URLSearchParams("device=<b>&count=5&survive=1e9&filesystem=__proto__&load=9%20x%20a&load=x&years=0&unknown=1");
  assert.deepEqual(adviceFrom(hostile, CHOICES), question);
});

test("every wish becomes a question that its level allows", () => {
  for (const { level } of CHOICES.levels) {
    for (const count of [1, 2, 3, 4, 8, 1000]) {
      for (const layout of ["", "n2", "o2", "left-symmetric"]) {
        const wish = { ...wishOf(QUESTION), level, count, layout, bitmap: true };
        const question = asked(wish, CHOICES);
        const known = CHOICES.levels.find((one) => one.level === level);
        assert.ok(known);
        assert.equal(question.chunk_bytes !== null, known.has_chunk, level);
        assert.equal(question.bitmap, known.has_bitmap, level);
        assert.equal(question.layout === null, known.layouts.length === 0, level);
        assert.ok(question.layout === null || known.layouts.includes(question.layout));
        assert.ok(question.count >= known.devices_min && question.count <= CHOICES.devices_max);
        assert.equal(level === "none", limitsOf(wish, CHOICES).count === "alone");
      }
    }
  }
  assert.equal(asked({ ...wishOf(QUESTION), level: "none" }, CHOICES).count, 1);
});

test("a part without meaning is not asked, and returns when it has one", () => {
  const wish = {
    ...wishOf(QUESTION), pattern: "randrw", read_percent: 70, fsync_every: 8, failed: [0, 2, 3], rebuild: true,
  };
  const mixed = asked(wish, CHOICES);
  assert.deepEqual(
    [mixed.read_percent, mixed.fsync_every, mixed.failed, mixed.rebuild],
    [70, 8, [0, 2], true],
    "a raid10 of four survives two",
  );
  const reads = { ...wish, pattern: "read" };
  assert.deepEqual([asked(reads, CHOICES).read_percent, asked(reads, CHOICES).fsync_every], [null, null]);
  assert.deepEqual([limitsOf(reads, CHOICES).mix, limitsOf(reads, CHOICES).fsync], ["not-mixed", "no-writes"]);
  const writes = { ...wish, pattern: "write" };
  assert.deepEqual([asked(writes, CHOICES).read_percent, asked(writes, CHOICES).fsync_every], [null, 8]);
  for (const [level, why] of [["raid0", "no-redundancy"], ["none", "alone"]] as const) {
    const question = asked({ ...wish, level }, CHOICES);
    assert.deepEqual([question.failed, question.rebuild], [[], false], level);
    const limits = limitsOf({ ...wish, level }, CHOICES);
    assert.deepEqual([limits.failed, limits.rebuild, limits.failedMax], [why, why, 0], level);
  }
  const nothing = { ...wish, failed: [] };
  assert.equal(limitsOf(nothing, CHOICES).rebuild, "none-failed");
  assert.equal(asked(nothing, CHOICES).rebuild, false);
  assert.deepEqual(asked({ ...wish, count: 2 }, CHOICES).failed, [0], "removed members have not failed");
});

test("a level without chunks and back restores the chunk, the layout and the count", () => {
  const wish = { ...wishOf(QUESTION), layout: "f2", chunk_bytes: 16384, count: 6 };
  const mirror = asked({ ...wish, level: "none" }, CHOICES);
  assert.equal(mirror.chunk_bytes, null);
  const back = asked({ ...wish, level: "raid10" }, CHOICES);
  assert.deepEqual([back.layout, back.chunk_bytes, back.count], ["f2", 16384, 6]);
});

test("more jobs reduce the depth, and fewer restore it", () => {
  const wish = { ...wishOf(QUESTION), jobs: 32, depth: 256 };
  assert.equal(asked(wish, CHOICES).depth, 32);
  assert.equal(asked({ ...wish, jobs: 4 }, CHOICES).depth, 256);
});

test("sliders step through powers of two, and through the one value that an address brought", () => {
  assert.deepEqual(powersOfTwo(4, 32), [4, 8, 16, 32]);
  assert.equal(CHUNK_STEPS[0], 4096);
  assert.equal(BLOCK_STEPS[BLOCK_STEPS.length - 1], 4194304);
  assert.deepEqual(stepsWith([4, 8, 16], 8), [4, 8, 16]);
  assert.deepEqual(stepsWith([4, 8, 16], 10), [4, 8, 10, 16]);
});

test("sizes are read as studies write them", () => {
  for (const [bytes, text] of [
    [512, "512"],
    [4096, "4K"],
    [1048576, "1M"],
    [20000 * 1024, "20000K"],
    [1536 * 1024, "1536K"],
    [4 * 2 ** 30, "4G"],
    [2 ** 40, "1T"],
  ] as const) {
    assert.equal(size(bytes), text);
    assert.equal(sizeOf(text), bytes);
  }
  for (const text of ["", "K", "-1", "1.5M", "0x10", "1 K", "99999999999999"]) {
    assert.equal(sizeOf(text), null, text);
  }
});

test("a fragment is a route, and anything else is the list of runs", () => {
  assert.deepEqual(routeOf("#/run/3"), { view: "run", runs: [3] });
  assert.deepEqual(routeOf("#/run/3,4,3,x,-1"), { view: "run", runs: [3, 4] });
  assert.deepEqual(routeOf("#/compare/3/4"), { view: "run", runs: [3, 4] });
  assert.deepEqual(routeOf(runsFragment([5, 6])), { view: "run", runs: [5, 6] });
  assert.deepEqual(routeOf(listFragment("a&b=c #")), { view: "runs", search: "a&b=c #" });
  assert.equal(routeOf("#/ask?level=raid1").view, "ask");
  assert.deepEqual(routeOf("#/answers"), { view: "answers", number: null });
  assert.deepEqual(routeOf(answerFragment(2)), { view: "answers", number: 2 });
  assert.deepEqual(routeOf("#/answers/x"), { view: "answers", number: null });
  for (const text of ["", "#", "#/", "#/run", "#/run/", "#/run/%ff", "#cells=3", "#/nothing/3", "#/runs"]) {
    assert.deepEqual(routeOf(text), { view: "runs", search: "" }, text);
  }
  const many = Array.from({ length: 100 }, (_, index) => index + 1);
  const route = routeOf(`#/run/${many.join(",")}`);
  assert.deepEqual(route, { view: "run", runs: many.slice(0, RUNS_MAX) });
});

test("a link within a report is no route", () => {
  assert.ok(isPlace("#answer"));
  assert.ok(isPlace("#view-3"));
  for (const text of ["", "#", "#/runs", "#/run/3", "#token=abc"]) {
    assert.ok(!isPlace(text), text);
  }
});

test("a token is taken only from a fragment that is nothing else", () => {
  assert.equal(tokenOf("#token=0123abcDEF-_"), "0123abcDEF-_");
  for (const text of ["", "#token=", "#/runs?token=1", "#token=a b", "#token=a\nb", "#token=<b>"]) {
    assert.equal(tokenOf(text), null, text);
  }
});

test("a stream of lines is cut at line ends only", () => {
  assert.deepEqual(splitLines('{"a":1}\n{"b"'), { lines: ['{"a":1}'], rest: '{"b"' });
  assert.deepEqual(splitLines("a\n\nb\n"), { lines: ["a", "b"], rest: "" });
  assert.deepEqual(splitLines(""), { lines: [], rest: "" });
});

/** Simulates browser features that node lacks, while `act` runs. */
async function inBrowser(fake: Record<string, unknown>, act: () => Promise<void>): Promise<void> {
  const before = Object.keys(fake).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(fake)) {
    Object.defineProperty(globalThis, name, { configurable: true, get: () => (value instanceof Error ? fail(value) : value) });
  }
  try {
    await act();
  } finally {
    for (const [name, descriptor] of before) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor !== undefined) {
        Object.defineProperty(globalThis, name, descriptor);
      }
    }
  }
}

function fail(error: Error): never {
  throw error;
}

const STORED = { getItem: () => "0123", setItem: () => undefined };

/** Returns why `asking` failed. */
async function troubleIn(asking: Promise<unknown>): Promise<Trouble> {
  try {
    await asking;
  } catch (error) {
    return troubleOf(error);
  }
  throw new Error("it did not fail");
}

test("a browser without storage still has the token of this page", async () => {
  const sent: unknown[] = [];
  const replaced: unknown[] = [];
  const fetch = (_path: string, request: RequestInit) => {
    sent.push((request.headers as Record<string, string>).Authorization);
    return Promise.resolve(new Response("[]"));
  };
  const history = { replaceState: (_state: null, _title: string, address: string) => replaced.push(address) };
  const sessionStorage = new Error("SecurityError");
  await inBrowser({ fetch, history, sessionStorage, location: { hash: "#/runs" } }, async () => {
    takeToken();
    assert.deepEqual(await troubleIn(api.runs()), { kind: "no-token" });
  });
  await inBrowser({ fetch, history, sessionStorage, location: { hash: "#token=abc123" } }, async () => {
    takeToken();
    assert.deepEqual(await api.runs(), []);
  });
  assert.deepEqual([sent, replaced], [["Bearer abc123"], ["#/runs"]]);
});

test("only network failures count as an unreachable server", async () => {
  const answers: [() => Promise<Response>, Trouble["kind"]][] = [
    [() => Promise.reject(new TypeError("Failed to fetch")), "unreachable"],
    [() => Promise.resolve(new Response("<html>")), "broken"],
    [() => Promise.resolve(new Response("")), "broken"],
    [() => Promise.resolve(new Response("<html>", { status: 502 })), "refused"],
    [() => Promise.resolve(new Response("{}", { status: 401 })), "no-token"],
  ];
  for (const [fetch, kind] of answers) {
    await inBrowser({ fetch, sessionStorage: STORED }, async () => {
      assert.equal((await troubleIn(api.runs())).kind, kind);
      assert.equal((await troubleIn(api.ask(QUESTION, new AbortController().signal, "final"))).kind, kind);
    });
  }
  assert.deepEqual(troubleOf(new TypeError("x is undefined")), { kind: "broken" }, "an error of our own is no network failure");
});

/** Watches a run whose stream consists of these parts; returns the states seen, and the trouble. */
async function watched(...parts: (string | Error)[]): Promise<[string[], Trouble["kind"] | null]> {
  const seen: string[] = [];
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = parts.shift();
      if (part === undefined) {
        controller.close();
      } else if (part instanceof Error) {
        controller.error(part);
      } else {
        controller.enqueue(encoder.encode(part));
      }
    },
  });
  let trouble: Trouble["kind"] | null = null;
  await inBrowser({ fetch: () => Promise.resolve(new Response(body)), sessionStorage: STORED }, async () => {
    const note = (line: WatchLine) => seen.push(`${line.state} ${line.samples_counted}`);
    try {
      await watch(1, note, new AbortController().signal);
    } catch (error) {
      assert.ok(error instanceof RequestError || error instanceof SyntaxError);
      trouble = troubleOf(error).kind;
    }
  });
  return [seen, trouble];
}

test("a watched run that is cut off before its end is reported", async () => {
  const line = (state: string, counted: number) => `{"state":"${state}","samples_all":9,"samples_counted":${counted}}\n`;
  const running = line("running", 3);
  assert.deepEqual(await watched(running, line("done", 9)), [["running 3", "done 9"], null]);
  assert.deepEqual(await watched(line("interrupted", 2)), [["interrupted 2"], null]);
  assert.deepEqual(await watched(running), [["running 3"], "unreachable"], "the server was stopped");
  assert.deepEqual(await watched(running, new TypeError("network error")), [["running 3"], "unreachable"]);
  assert.deepEqual(await watched(), [[], "unreachable"]);
  assert.deepEqual(await watched(running, "x".repeat(70_000), line("done", 9)), [["running 3"], "unreachable"], "no line end");
  assert.deepEqual(await watched(running, "<html>\n"), [["running 3"], "broken"]);
});

test("a followed run has one count of samples, that of the newer of its page and its progress", () => {
  const ofPage = { ...fixture(PLAIN).runs[0]!, samples_all: 7, samples_counted: 4 };
  const line = (all: number, counting: number): WatchLine => ({ state: "running", samples_all: all, samples_counted: counting });
  const counts = (one: typeof ofPage) => [one.samples_counted, one.samples_all];
  assert.deepEqual(counts(counted(ofPage, line(8, 5))), [5, 8], "the page is read less often");
  assert.deepEqual(counts(counted(ofPage, line(6, 3))), [4, 7], "the page was read later");
  assert.deepEqual(counts(counted(ofPage, undefined)), [4, 7]);
});

/** A server that answers on command, and a clock that advances on command. */
class Bench implements Clock {
  time = 0;
  readonly log: string[] = [];
  readonly pending: { question: number; signal: AbortSignal; answer(): void; fail(): void }[] = [];
  private waits: { at: number; then: () => void }[] = [];
  readonly latest: Latest<number, string>;

  /** Answers with a preview first, if `hasPreviews`. */
  constructor(restMs: number, hasPreviews = false) {
    this.latest = new Latest<number, string>(
      {
        send: (question, signal, wants) =>
          new Promise((resolve, reject) => {
            this.log.push(wants === "first" ? `send ${question}` : `finish ${question}`);
            const kind = hasPreviews && wants === "first" ? "preview" : "answer";
            const answer = () => resolve(`${kind} ${question}`);
            const fail = () => reject(new Error(`error ${question}`));
            const request = { question, signal, answer, fail };
            this.pending.push(request);
            if (hasPreviews) {
              signal.addEventListener("abort", () => this.pending.splice(this.pending.indexOf(request), 1));
            }
          }),
        isPreview: (answer) => answer.startsWith("preview"),
        answered: (answer, question, askedAt) => this.log.push(`${answer} to ${question} of ${askedAt}`),
        failed: (error) => this.log.push((error as Error).message),
        busy: (isBusy) => this.log.push(isBusy ? "busy" : "rest"),
      },
      restMs,
      this,
    );
  }

  now(): number {
    return this.time;
  }

  after(milliseconds: number, then: () => void): () => void {
    const wait = { at: this.time + milliseconds, then };
    this.waits.push(wait);
    return () => {
      this.waits = this.waits.filter((one) => one !== wait);
    };
  }

  go(milliseconds: number): void {
    this.time += milliseconds;
    const due = this.waits.filter((one) => one.at <= this.time);
    this.waits = this.waits.filter((one) => one.at > this.time);
    for (const wait of due) {
      wait.then();
    }
  }

  async server(act: "answer" | "fail"): Promise<void> {
    this.pending.shift()?.[act]();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Returns the events since the last call. */
  happened(): string[] {
    return this.log.splice(0);
  }
}

test("while one request is under way only the latest state waits, and it goes next", async () => {
  const bench = new Bench(0);
  bench.latest.ask(1);
  bench.time = 5;
  for (const question of [2, 3, 4]) {
    bench.latest.ask(question);
  }
  assert.deepEqual(bench.happened(), ["busy", "send 1", "busy", "busy", "busy"]);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["answer 1 to 1 of 0", "send 4"]);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["answer 4 to 4 of 5", "rest"]);
});

test("an error is reported, and the latest state is still asked", async () => {
  const bench = new Bench(0);
  bench.latest.ask(1);
  bench.latest.ask(2);
  bench.happened();
  await bench.server("fail");
  assert.deepEqual(bench.happened(), ["error 1", "send 2"]);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["answer 2 to 2 of 0", "rest"]);
});

test("an aborted request is neither shown nor reported, and the next question is asked at once", async () => {
  const bench = new Bench(0);
  bench.latest.ask(1);
  bench.latest.ask(2);
  const givenUp = bench.pending[0];
  bench.latest.stop();
  assert.equal(givenUp?.signal.aborted, true);
  bench.latest.ask(3);
  bench.happened();
  await bench.server("answer");
  assert.deepEqual(bench.happened(), [], "the stale answer is dropped");
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["answer 3 to 3 of 0", "rest"]);
});

test("a question that waits for a rest is asked once, after the rest", async () => {
  const bench = new Bench(250);
  for (let question = 1; question <= 10; question += 1) {
    bench.latest.ask(question);
    bench.go(100);
  }
  assert.ok(!bench.happened().some((line) => line.startsWith("send")));
  bench.go(150);
  assert.deepEqual(bench.happened(), ["send 10"]);
  bench.latest.ask(11);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["busy", "answer 10 to 10 of 900"], "11 has not rested yet");
  bench.go(250);
  assert.deepEqual(bench.happened(), ["send 11"]);
});

test("an answer shows the beginning of the load, in the metric of its pattern", () => {
  const onset = { bytes_per_s: 9300 * 4096, ios_per_s: 9300, bytes: 32 * 2 ** 20, time_ns: 3.4e9 };
  const value = (value: number) => ({ value, low: null, high: null, level: 0.95, samples: 6, effective_samples: 6 });
  const cell = { estimates: { iops: value(150), bandwidth_bytes_per_s: value(600 * 1024) } } as unknown as Cell;
  const words = (pattern: string, language: "en" | "de") =>
    onsetWords(onset, { ...QUESTION, pattern }, cell, textOf(language)).replace(/\u00a0/g, " ");
  assert.equal(words("randwrite", "en"), "9300 IOPS for the first 32 MiB (3.40 s), then 150 IOPS.");
  assert.equal(words("write", "en"), "36.3 MiB/s for the first 32 MiB (3.40 s), then 0.59 MiB/s.");
  assert.match(words("randwrite", "de"), /^9300 IOPS für die ersten 32 MiB/);
});

test("after a preview the final answer is asked for, unless there is another question", async () => {
  const bench = new Bench(0, true);
  bench.latest.ask(1);
  bench.latest.ask(2);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["busy", "send 1", "busy", "preview 1 to 1 of 0", "send 2"]);
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["preview 2 to 2 of 0", "finish 2"]);
  const final = bench.pending[0];
  bench.latest.ask(3);
  assert.equal(final?.signal.aborted, true, "a drag does not wait for a final answer");
  assert.deepEqual(bench.happened(), ["busy", "send 3"]);
  await bench.server("answer");
  await bench.server("answer");
  assert.deepEqual(bench.happened(), ["preview 3 to 3 of 0", "finish 3", "answer 3 to 3 of 0", "rest"]);
});

test("a final answer that fails is reported, and the preview stays a preview", async () => {
  const bench = new Bench(0, true);
  bench.latest.ask(1);
  await bench.server("answer");
  await bench.server("fail");
  assert.deepEqual(bench.happened(), ["busy", "send 1", "preview 1 to 1 of 0", "finish 1", "error 1", "rest"]);
});

test("under any order of questions, answers and errors the last question is answered last", async () => {
  let state = 20260701;
  const draw = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  for (let round = 0; round < 200; round += 1) {
    const hasPreviews = draw(2) === 0;
    const bench = new Bench(draw(2) * 250, hasPreviews);
    let last = 0;
    for (let step = 0; step < 20; step += 1) {
      if (draw(3) === 0) {
        last += 1;
        bench.latest.ask(last);
      } else if (draw(2) === 0) {
        bench.go(draw(300));
      } else {
        await bench.server(draw(4) === 0 ? "fail" : "answer");
      }
      assert.ok(bench.pending.length <= 1, "one request under way");
    }
    for (let settle = 0; settle < 5; settle += 1) {
      bench.go(250);
      await bench.server("answer");
    }
    const told = bench.log.filter((line) => /^(preview|answer|error)/.test(line));
    const kind = told[told.length - 1]?.split(" ")[0] ?? "answer";
    assert.notEqual(kind, "preview", `round ${round}: nothing ends with a preview`);
    const order = told.map((line) => Number(line.split(" ")[1]));
    assert.deepEqual(order, [...order].sort((a, b) => a - b), `round ${round}`);
    assert.equal(order[order.length - 1] ?? 0, last, `round ${round}`);
    assert.equal(bench.log[bench.log.length - 1] ?? "rest", "rest", `round ${round}`);
  }
});

test("a page is fetched one at a time, with a pause of five times as long as it took", async () => {
  const bench = new Bench(0);
  const fetched: number[] = [];
  let takesMs = 100;
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pages = new Paced(async () => {
    fetched.push(bench.time);
    bench.time += takesMs;
  }, bench);
  /** A run that changes every 100 ms, for as long as this. */
  const run = async (milliseconds: number) => {
    const end = bench.time + milliseconds;
    while (bench.time < end) {
      pages.want();
      await settle();
      bench.go(100);
      await settle();
    }
    return fetched.splice(0);
  };
  assert.deepEqual(await run(2500), [0, 1100, 2200], "a second at least");
  takesMs = 2000;
  assert.deepEqual(await run(25_000), [3300, 15_300, 27_300], "ten seconds after each that took two");
  takesMs = 60_000;
  assert.deepEqual(await run(130_000), [39_300, 129_300], "half a minute at most");
  bench.go(30_000);
  await settle();
  assert.deepEqual(fetched.splice(0), [], "nothing is fetched without a request");
  pages.want();
  pages.stop();
  await settle();
  const before = fetched.splice(0).length;
  pages.want();
  bench.go(60_000);
  await settle();
  assert.deepEqual([before, fetched.length], [1, 0], "a cancelled request is not run");
});

test("a request during a run causes one more run", async () => {
  const bench = new Bench(0);
  const ends: (() => void)[] = [];
  const pages = new Paced(() => new Promise((end) => ends.push(end)), bench);
  for (let wish = 0; wish < 5; wish += 1) {
    pages.want();
  }
  bench.go(5000);
  assert.equal(ends.length, 1, "one at a time");
  ends[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  bench.go(24_999);
  assert.equal(ends.length, 1);
  bench.go(1);
  assert.equal(ends.length, 2);
});

test("a search finds the runs in which every word occurs, in any field and any case", () => {
  const line = (id: number, study: string, question: string | null, state: RunLine["state"]): RunLine => ({
    id,
    study,
    question,
    name: null,
    tags: [],
    world: id === 2 ? "metal" : "model",
    state,
    stripewise_version: "0.1.0",
    started_unix_ns: 0,
    ended_unix_ns: null,
    cells: 1,
    samples_all: 1,
    samples_counted: 1,
  });
  const runs = [
    line(1, "chunks", "Which chunk size?", "done"),
    line(2, "chunks", null, "running"),
    line(3, "a.*(b", "<script>", "failed"),
  ];
  const ids = (search: string) =>
    found(runs, search, (run) => [
      run.state === "running" ? "läuft" : run.state,
      run.world === "metal" ? "Hardware" : "Modell",
    ]).map((run) => run.id);
  assert.deepEqual(ids(""), [1, 2, 3]);
  assert.deepEqual(ids("  CHUNK "), [1, 2]);
  assert.deepEqual(ids("chunk metal"), [2]);
  assert.deepEqual(ids("size done"), [1]);
  assert.deepEqual(ids("läuft"), [2]);
  assert.deepEqual(ids("running"), [2]);
  assert.deepEqual(ids("hardware"), [2], "the world as it is shown");
  assert.deepEqual(ids("modell"), [1, 3]);
  assert.deepEqual(ids("a.*(b"), [3]);
  assert.deepEqual(ids("<script> model"), [3]);
  assert.deepEqual(ids("chunk script"), []);
});

test("a study is saved under the name that its command runs", () => {
  assert.equal(fileNameIn("stripewise run raid10-n2.toml --world model"), "raid10-n2.toml");
  assert.equal(fileNameIn("stripewise run --world model"), "question.toml");
  assert.equal(fileNameIn("stripewise run ../../etc/passwd.toml"), "question.toml", "a name, not a path");
});

test("a question and a run differ in the origin of the cell only", () => {
  const cell = (run: number, values: string[]) => ({ run, stack: `stack${run}`, values }) as Cell;
  const page = {
    axes: [
      { key: "engine", values: ["sync", "psync"], numbers: null },
      { key: "block_size", values: ["4K", "8K"], numbers: [4096, 8192] },
    ],
    cells: [cell(0, ["psync", "4K"]), cell(0, ["psync", "8K"]), cell(1, ["sync", "8K"])],
  } as Page;
  const view = { kind: "curve", id: "curve", metrics: [], x: "block_size", panel: "workload", series: ["engine"] } as const;
  const made = overlaid(page, { ...view, metrics: [], series: ["engine"] }, (one) => (one.run === 0 ? "asked" : one.stack));
  assert.deepEqual(
    made.page.axes.map((axis) => [axis.key, axis.values]),
    [
      ["block_size", ["4K", "8K"]],
      ["stack", ["asked", "stack1"]],
    ],
  );
  assert.deepEqual(
    made.page.cells.map((one) => one.values),
    [
      ["4K", "asked"],
      ["8K", "asked"],
      ["8K", "stack1"],
    ],
  );
  assert.deepEqual([made.view.panel, made.view.series], [null, ["stack"]]);
});

test("the curve of an answer has a line for each state", () => {
  const estimate = (value: number) => ({ value, low: value, high: value }) as never;
  const cell = (size: string, fresh: number) =>
    ({
      run: 0,
      stack: "stack",
      values: ["psync", size],
      estimates: { bandwidth_bytes_per_s: estimate(100), latency_ns_p99: estimate(5) },
      ...(fresh > 100 ? { fresh: { estimates: { bandwidth_bytes_per_s: estimate(fresh) } } } : {}),
    }) as unknown as Cell;
  const page = {
    axes: [
      { key: "engine", values: ["psync"], numbers: null },
      { key: "block_size", values: ["4K", "8K"], numbers: [4096, 8192] },
    ],
    cells: [cell("4K", 300), cell("8K", 100)],
    runs: [{}],
  } as unknown as Page;
  const view = { kind: "curve" as const, id: "curve", metrics: [], x: "block_size", panel: null, series: [], states: ["fresh" as const, "steady" as const] };
  const text = textOf("en");
  const made = overlaid(page, view, () => "asked");
  const linesOf = (metric: "bandwidth_bytes_per_s" | "latency_ns_p99") => {
    const states = inStates(made.page, made.view, metric, text);
    const series = seriesOf(states.page, states.page.cells, ["block_size"], states.view.series, text);
    return series.map((one) => [one.name, one.cells.map((one) => one.estimates[metric]?.value)]);
  };
  assert.deepEqual(linesOf("bandwidth_bytes_per_s"), [
    ["asked · fresh", [300, 100]],
    ["asked · steady", [100, 100]],
  ]);
  assert.equal(linesOf("latency_ns_p99").length, 1, "latencies are those of steady devices");
});
