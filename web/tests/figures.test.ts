// An engine without `Intl`, `setTimeout` or a document draws the figures for `stripewise export`.
// Code that works only in a browser would fail there, and users would be the first to notice.

import assert from "node:assert/strict";
import { build } from "esbuild";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { bars } from "../src/charts/bars";
import { hiddenAtFirst } from "../src/charts/figure";
import { textOf } from "../src/text";
import { figureOf, figuresOf } from "../src/views";
import { cellsOfFragment } from "../src/views/selection";
import { stepsOf } from "../src/charts/waterfall";
import { nice, readableTicks } from "../src/charts/parts";
import { fixture, HOSTILE, PLAIN } from "./fixtures";
import { MESSAGES_JSON } from "./messages";

interface Exported {
  figures(page: string, language: string): string;
  figure(page: string, id: string, choices: object): string;
}

let made: Promise<Exported> | null = null;

/** Returns the bundle's figures, run in an engine with the bare language. */
function bare(): Promise<Exported> {
  made ??= load(MESSAGES_JSON);
  return made;
}

async function load(messagesJson: string): Promise<Exported> {
  const bundle = await build({
    entryPoints: ["src/main.ts"],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2020",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const context = createContext({ messagesJson });
  runInContext("delete globalThis.Intl; delete globalThis.console; delete globalThis.WebAssembly;", context);
  runInContext(bundle.outputFiles[0]!.text, context);
  return (context as { stripewise: Exported }).stripewise;
}

const worlds = fixture({ ...PLAIN, worlds: ["model", "metal"] });
const drawing = { language: "de", theme: "dark", width: 900, height: 500 };

test("every figure becomes SVG without a browser, light and dark", async () => {
  const exported = await bare();
  const json = JSON.stringify(worlds);
  const list = JSON.parse(exported.figures(json, "en")) as { id: string; title: string; description: string }[];
  assert.deepEqual(
    list.map(({ id }) => id),
    [
      ...["bandwidth_bytes_per_s", "iops", "latency_ns_mean", "latency_ns_p99"].map((metric) => `curve-${metric}`),
      ...["heat-bandwidth_bytes_per_s", "heat-latency_ns_mean", "bars-bandwidth_bytes_per_s", "paired-ratios", "paired-pairs"],
      ...["waterfall", "latency", "time", "members"],
    ],
  );
  for (const { id, title, description } of list) {
    assert.ok(title.length > 3 && description.length > 10, id);
    for (const theme of ["light", "dark"]) {
      const svg = exported.figure(json, id, { ...drawing, theme });
      assert.match(svg, /^<svg role="img" width="900" height="500"[^>]*>\n<title>[^<]+<\/title>\n<desc>[^<]+<\/desc>\n<rect/, id);
      assert.match(svg, /<path /, id);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/, id);
    }
  }
});

test("figures draw the state of the devices that applies, or both", () => {
  const page = fixture(PLAIN);
  const [slow, unknown, alike] = page.cells;
  slow!.fresh = { ...slow!.fresh!, estimates: { bandwidth_bytes_per_s: { ...slow!.estimates.bandwidth_bytes_per_s!, value: 7e9 } } };
  unknown!.is_fresh_unknown = true;
  const rows = (metric: "bandwidth_bytes_per_s" | "latency_ns_p99", states: ("fresh" | "steady")[]) => {
    const table = bars(page, { kind: "bars", id: "bars", metrics: [], panel: null, series: ["stack"], states }, textOf("en"), metric).table();
    return table.rows.map((row) => row[0]!);
  };
  const all = page.cells.length;
  assert.equal(rows("bandwidth_bytes_per_s", []).length, all);
  assert.equal(rows("bandwidth_bytes_per_s", ["steady"]).length, all);
  assert.equal(rows("bandwidth_bytes_per_s", ["fresh"]).length, all - 1, "the unknown one is left out");
  const both = rows("bandwidth_bytes_per_s", ["fresh", "steady"]);
  assert.equal(both.length, 2 * all - 1);
  assert.match(both[0]!, /fresh/);
  assert.match(both[1]!, /steady/);
  assert.equal(rows("latency_ns_p99", ["fresh", "steady"]).length, all, "of fresh devices only the rates are known");
  assert.equal(alike!.fresh, undefined);
});

test("the same figure has the same bytes", async () => {
  const exported = await bare();
  const json = JSON.stringify(worlds);
  for (const id of ["waterfall", "members", "time"]) {
    assert.equal(exported.figure(json, id, drawing), exported.figure(json, id, drawing));
  }
  assert.match(exported.figure(json, "waterfall", drawing), /Arbeit des Geräts/);
});

test("a figure of any proportions is whole: it is scaled, not cut", async () => {
  const exported = await bare();
  const json = JSON.stringify(worlds);
  for (const [width, height] of [[1200, 300], [600, 600], [500, 1000]]) {
    const svg = exported.figure(json, "curve-iops", { ...drawing, width, height });
    const [, wide, high] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!.map(Number);
    assert.ok(svg.startsWith(`<svg role="img" width="${width}" height="${height}"`));
    assert.ok(high! > 300, `${high} pixels hold the panel, its title and its axis`);
    const isBetween = wide! / high! > (width! / height!) * 0.4 && wide! / high! < (width! / height!) * 2.5;
    assert.ok(isBetween, `${wide} x ${high} for ${width} x ${height}`);
  }
});

test("a figure that does not exist is an error with its name", async () => {
  const exported = await bare();
  assert.throws(() => exported.figure(JSON.stringify(worlds), "nothing", drawing), /there is no figure `nothing`/);
});

test("without the messages of a language nothing is drawn in it", async () => {
  const exported = await load("{}");
  assert.throws(() => exported.figures(JSON.stringify(worlds), "de"), /the page has no messages in the language `de`/);
});

test("a figure about one cell can be asked for any cell", () => {
  const text = textOf("en");
  assert.match(figureOf(worlds, "waterfall.9", text)?.description ?? "", /ssd, randwrite, block size 16K/);
  assert.equal(figureOf(worlds, "waterfall.99999", text), null);
  assert.equal(figureOf(worlds, `waterfall.${worlds.cells.length - 1}`, text), null, "hardware has no breakdown");
});

test("hostile names stay text in a figure", async () => {
  const exported = await bare();
  const json = JSON.stringify(fixture({ ...PLAIN, names: HOSTILE }));
  for (const { id } of JSON.parse(exported.figures(json, "en")) as { id: string }[]) {
    const svg = exported.figure(json, id, drawing);
    assert.doesNotMatch(svg, /<script/);
    assert.doesNotMatch(svg, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e]/);
    assert.doesNotMatch(svg, /x{200}/, "a name of 10,000 characters is cut");
  }
  assert.match(exported.figure(json, "curve-iops", drawing), /&lt;script&gt;/);
});

test("the numbers of a figure are those of the data", () => {
  const curve = figureOf(worlds, "curve-bandwidth_bytes_per_s", textOf("en"))!;
  const { rows } = curve.table();
  assert.equal(rows.length, worlds.cells.length);
  assert.deepEqual(rows[0], ["ssd, randread, block size 8K (model)", "80.0\u00a0±\u00a00.8\u00a0MiB/s (8 samples)"]);
});

test("the steps of a waterfall join and add up", () => {
  const { breakdown } = worlds.cells[20]!;
  const steps = stepsOf(breakdown!.mean, textOf("en"));
  const parts = steps.slice(0, -1);
  parts.reduce((reached, step) => {
    assert.equal(step.begins_ns, reached);
    return reached + step.time_ns;
  }, 0);
  const sum = breakdown!.mean.reduce((all, part) => all + part.time_ns, 0);
  assert.ok(Math.abs(steps[steps.length - 1]!.time_ns - sum) < 1e-6);
});

test("series beyond a readable number are hidden at first", () => {
  const text = textOf("en");
  const [few, many] = [6, 14].map((stacks) => figuresOf(fixture({ ...PLAIN, stacks }), text)[0]!);
  assert.equal(hiddenAtFirst(few!).size, 0);
  assert.deepEqual([many!.legend.length, hiddenAtFirst(many!).size], [14, 6]);
});

test("a scale holds its largest value in at most seven round steps", () => {
  for (let value = 0.0013; value < 1e7; value *= 1.37) {
    const { max, interval } = nice(value);
    assert.ok(max >= value * 0.999 && max / interval < 7.01, `${value}: ${max} in steps of ${interval}`);
  }
});

test("labels of an axis do not overlap", () => {
  const places = Array.from({ length: 40 }, (_, at) => at);
  const kept = readableTicks(places, places.map((at) => `label ${at}`), 600, 0, 39);
  const gaps = kept.slice(1).map((at, index) => ((at - kept[index]!) / 39) * 600);
  assert.ok(kept.length > 4 && Math.min(...gaps) > 50);
});

test("a fragment names cells that exist, each once", () => {
  assert.deepEqual(cellsOfFragment("#cells=3,5,3,99", 50), [3, 5]);
  assert.deepEqual(cellsOfFragment("#view&cells=1", 50), [1]);
  for (const fragment of ["", "#curve", "#cells=", "#cells=,", "#cells=x", "#cells=-1"]) assert.deepEqual(cellsOfFragment(fragment, 50), []);
});
