// A server that answers as `src/generated.ts` says, with made-up numbers: for work on the live page
// without a build of the program. `node tests/fake-server.mjs [PORT]` prints the address.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const assets = new URL("../../crates/report/assets/", import.meta.url);
const TOKEN = "0123456789abcdef0123456789abcdef";
const MIB = 1024 * 1024;

const question = {
  device: "samsung-850-evo-500", count: 4, level: "raid10", layout: "n2", chunk_bytes: 524288, bitmap: false,
  failed: [], rebuild: false, filesystem: "none", pattern: "randread", read_percent: null, block_size_bytes: 65536,
  jobs: 1, depth: 8, size_bytes: 4 * 1024 * MIB, fsync_every: null, state: "steady", governor: "performance", host: "i7-6700k",
  kernel: "6.1", overlay: null,
};

const survives = (failed) => Array.from({ length: 17 }, (_, count) => failed(count));

const choices = {
  devices: [
    { name: "samsung-850-evo-500", description: "Samsung 850 EVO 500 GB, SATA", capacity_bytes: 5e11 },
    { name: "four-ssd-sata", description: "a SATA SSD of the published measurement", capacity_bytes: 2.5e11 },
  ],
  hosts: [{ name: "i7-6700k", description: "a desktop of 2015" }],
  governors: ["performance", "powersave"],
  kernels: [
    { version: "4.1", changed: "the oldest rules known" },
    { version: "6.1", changed: "reads go to the mirror with the fewest pending" },
  ],
  levels: [
    { level: "none", layouts: [], has_chunk: false, devices_min: 1, has_bitmap: false, failed_max: survives(() => 0) },
    { level: "raid0", layouts: [], has_chunk: true, devices_min: 2, has_bitmap: false, failed_max: survives(() => 0) },
    { level: "raid1", layouts: [], has_chunk: false, devices_min: 2, has_bitmap: true, failed_max: survives((count) => Math.max(0, count - 1)) },
    { level: "raid5", layouts: ["left-symmetric"], has_chunk: true, devices_min: 3, has_bitmap: true, failed_max: survives(() => 1) },
    { level: "raid10", layouts: ["n2", "f2", "o2"], has_chunk: true, devices_min: 2, has_bitmap: true, failed_max: survives((count) => Math.floor(count / 2)) },
  ],
  filesystems: ["none", "ext4"],
  states: ["steady", "fresh"],
  patterns: [
    { pattern: "read", reads: true, writes: false },
    { pattern: "write", reads: false, writes: true },
    { pattern: "randread", reads: true, writes: false },
    { pattern: "randrw", reads: true, writes: true },
  ],
  devices_max: 16,
  question,
};

const estimate = (value) => ({ value, low: value * 0.97, high: value * 1.03, level: 0.95, samples: 8, effective_samples: 8 });

function cell(asked, run, number) {
  const members = asked.level === "none" ? 1 : asked.count;
  const busy = Math.min(1, (asked.depth * asked.jobs) / members / 4);
  const latency = 60e3 + asked.block_size_bytes / 0.5 + asked.depth * 4e3;
  const iops = (1e9 / latency) * Math.min(asked.depth * asked.jobs, members * 4);
  const parts = { submit: 0.05, block_queue: 0.1, device_service: 0.7, link: 0.1, completion: 0.05 };
  const mean = Object.entries(parts).map(([part, share]) => ({ part, time_ns: share * latency }));
  return {
    run, number, values: [`${asked.block_size_bytes / 1024}K`], stack: asked.level,
    stack_words: `${members} × ${asked.device}, ${asked.level} ${asked.layout ?? ""}`,
    chunk_bytes: asked.chunk_bytes, block_size_bytes: asked.block_size_bytes,
    estimates: {
      bandwidth_bytes_per_s: estimate(iops * asked.block_size_bytes), iops: estimate(iops),
      latency_ns_mean: estimate(latency), latency_ns_p50: estimate(latency * 0.9), latency_ns_p99: estimate(latency * 2.2),
    },
    verdicts: [], warnings: [], samples: [], steady: null, latency: null,
    members: Array.from({ length: members }, (_, index) => ({
      device: `disk${index}`, reads_per_s: iops / members, writes_per_s: 0, read_bytes_per_s: (iops / members) * asked.block_size_bytes,
      write_bytes_per_s: 0, merges_per_s: 0, flushes_per_s: 0, busy_share: busy,
    })),
    breakdown: { mean, slowest: mean.map((part) => ({ ...part, time_ns: part.time_ns * 2 })), utilisation: [{ component: "disk0", busy_share: busy }], onset: { bytes_per_s: iops * 60 * asked.block_size_bytes, ios_per_s: iops * 60, bytes: 32 * MIB, time_ns: 3.4e9 } },
    bottleneck: { limit: "saturated", resource: "devices", busy_share: busy, share: 0.7 },
    findings: [],
  };
}

function map(asked) {
  const rows = Array.from({ length: 6 }, (_, row) => ({
    label: String(row),
    boxes: Array.from({ length: asked.count }, (_, column) => ({
      chunk: Math.floor((row * asked.count + column) / 2), role: column % 2 ? "copy" : "data", serves: column % 2 === 0,
    })),
  }));
  const members = Array.from({ length: asked.count }, (_, index) => `disk${index}`);
  return { run: 0, stack: asked.level, level: asked.level, layout: asked.layout, chunk_bytes: asked.chunk_bytes, members, rows };
}

function run(id, world, state = "done") {
  return {
    id, study: id === 3 ? "<script>alert(1)</script>" : "four-ssd-random", question: "Which chunk?", world, state,
    stripewise_version: "0.1.0", seed: 1, started_unix_ns: 1.76e18 + id * 1e12, ended_unix_ns: null, samples_all: 8, samples_counted: 8,
    model: { kernel: "6.1", host: "i7-6700k", devices: ["samsung-850-evo-500"] }, facts: [], changed_facts: [], warnings: [],
    commands: [{ does: "repeat", command: "stripewise predict --device samsung-850-evo-500 --array raid10:n2:4:512K --workload randread:64K --jobs 1 --depth 8" }], study_text: "",
  };
}

const lineOf = (id) => run(id, id === 2 ? "metal" : "model", id === 3 ? "running" : "done");

function page(cells, runs, views, maps, values) {
  return {
    schema: 1, stripewise_version: "0.1.0", question: "What would it give?", metric: "bandwidth_bytes_per_s",
    metrics: ["bandwidth_bytes_per_s", "iops", "latency_ns_p50", "latency_ns_p99"], runs,
    axes: [{ key: "block_size", values, numbers: values.map((value) => parseInt(value) * 1024) }],
    cells, answer: [], maps, views,
  };
}

const CURVE = { kind: "curve", id: "curve", metrics: ["bandwidth_bytes_per_s", "latency_ns_p99"], x: "block_size", panel: null, series: [] };
const sizes = Array.from({ length: 11 }, (_, index) => 4096 * 2 ** index);

const answers = {
  "/api/runs": () => [3, 2, 1].map((id) => ({ ...lineOf(id), cells: 4 })),
  "/api/choices": () => choices,
  "/api/page": (_, runs) => page(runs.flatMap((_, of) => sizes.map((size, index) => cell({ ...question, block_size_bytes: size, depth: 8 + of }, of, index + 1))), runs.map(lineOf), [CURVE, { kind: "table", id: "table" }], [], sizes.map((size) => `${size / 1024}K`)),
  "/api/ask": (asked, _, isPreview) => ({
    is_preview: isPreview,
    page: page([cell(asked, 0, 1)], [run(0, "model")], ["waterfall", "members", "array_map"].map((kind) => ({ kind, id: kind })), asked.level === "none" || asked.level === "raid1" ? [] : [map(asked)], [`${asked.block_size_bytes / 1024}K`]),
    simulated_ns: 2.1e6,
  }),
  "/api/ask/curve": (asked, _, isPreview) => {
    const runs = [run(0, "model"), ...(asked.overlay === null ? [] : [run(asked.overlay, "metal")])];
    const cells = runs.flatMap((_, of) => sizes.map((size, index) => cell({ ...asked, block_size_bytes: size, depth: asked.depth + of }, of, index + 1)));
    return { page: page(cells, runs, [CURVE], [], sizes.map((size) => `${size / 1024}K`)), simulated_ns: 3e7, is_preview: isPreview };
  },
  "/api/ask/why": (asked) => ({
    effects: [
      { change: "depth", depth: 16, words: "depth 16", verdict_words: "38 % to 41 % higher", verdict: "different", low: 1.38, high: 1.41, bandwidth_bytes_per_s: estimate(900 * MIB), ratio: estimate(1.4), question: { ...asked, depth: 16 } },
      { change: "no_uplink", words: "no limit on the uplink", verdict_words: "no difference (less than 2 %)", verdict: "no_difference", margin: 0.02, bandwidth_bytes_per_s: estimate(650 * MIB), ratio: estimate(1), question: null },
    ],
  }),
  "/api/ask/study": (asked) => ({ toml: `question = "What would it give?"\nkernel   = "${asked.kernel}"\n`, command: "stripewise run question.toml --world model" }),
};

const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const SHELL = `<!doctype html><html lang="en" data-language=""><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Stripewise</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/app.css"></head><body><div id="app"></div><script type="application/json" id="live">{"version":"0.1.0"}</script><script src="/app.js"></script></body></html>`;

function answer(request, response, body) {
  const { pathname, searchParams } = new URL(request.url, "http://127.0.0.1");
  const runs = (searchParams.get("runs") ?? "").split(",").map(Number);
  const send = (status, type, content) => {
    response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": CSP });
    response.end(content);
  };
  const json = (status, value) => send(status, "application/json", JSON.stringify(value));
  if (pathname === "/") return send(200, "text/html; charset=utf-8", SHELL);
  if (pathname === "/app.js" || pathname === "/app.css") {
    return send(200, pathname.endsWith("js") ? "text/javascript" : "text/css", readFileSync(fileURLToPath(new URL(`.${pathname}`, assets))));
  }
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return json(401, { error: "wrong token", hint: null });
  if (pathname === "/api/watch") {
    const state = (counted) => `${JSON.stringify({ state: counted < 8 ? "running" : "done", samples_all: 8, samples_counted: counted })}\n`;
    response.writeHead(200, { "Content-Type": "application/x-ndjson" });
    let counted = 0;
    const timer = setInterval(() => {
      counted += 1;
      response.write(state(counted));
      if (counted === 8) {
        clearInterval(timer);
        response.end();
      }
    }, 500);
    return;
  }
  const make = answers[pathname];
  if (make === undefined) return json(404, { error: "no such thing", hint: null });
  const asked = body === "" ? null : JSON.parse(body);
  if (asked?.jobs === 32) return json(400, { error: "jobs: `32` is too large for this host", hint: "take fewer than 32" });
  const isPreview = searchParams.get("preview") === "true";
  setTimeout(() => json(200, make(asked, runs, isPreview)), isPreview ? 4 : 1500);
}

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => answer(request, response, body));
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/#token=${TOKEN}`);
});
