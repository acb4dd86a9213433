// Pictures and words must not look more certain than the data is. The failures: rarities that no
// I/O supports, intervals that vanish where they are widest, series left out without a note.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, namesWithin, type BarsView } from "../src/charts/bars";
import { indicesOf } from "../src/charts/cells";
import { curve, type CurveView } from "../src/charts/curve";
import { distribution } from "../src/charts/distribution";
import { svgOf } from "../src/charts/draw";
import { descriptionOf, hiddenInExport, type Drawing, type Figure, type Option } from "../src/charts/figure";
import { boxWords } from "../src/charts/heat_map";
import { ratios, ratioTicks } from "../src/charts/paired";
import { nice, tickNumber } from "../src/charts/parts";
import { THEMES } from "../src/charts/theme";
import type { CellVerdict, Estimate, MetricKey, Page } from "../src/generated";
import { span } from "../src/format";
import { textOf } from "../src/text";
import { Boundary } from "../src/views/boundary";
import { figureOf } from "../src/views";
import { differenceWords, ratioTick } from "../src/differences";
import { groupsOf } from "../src/views/warnings";
import { columnsOf } from "../src/views/table";
import { cellName } from "../src/things";
import { estimate, fixture, message, PLAIN } from "./fixtures";

const english = textOf("en");
const german = textOf("de");
const MIB = 1024 * 1024;

const drawing: Drawing = { theme: THEMES.light, width: 900, font: "sans", hidden: new Set(), hasLegend: true };

function listOf(figure: Figure, key: string): Option[] {
  return figure.option(drawing)[key] as Option[];
}

/** A page in which the interval of every bandwidth reaches below 0. */
function unsure(): Page {
  const page = fixture(PLAIN);
  for (const cell of page.cells) {
    const one = cell.estimates.bandwidth_bytes_per_s!;
    cell.estimates.bandwidth_bytes_per_s = { ...one, low: -one.value, high: one.value * 2 };
    for (const verdict of cell.verdicts) verdict.ratio = { ...verdict.ratio, low: 0 };
  }
  return page;
}

test("the slowest I/O is as rare as one in all that were counted", () => {
  const page = fixture(PLAIN);
  const [few, many] = [page.cells[0]!.latency!, page.cells[1]!.latency!];
  few.ios = 1000;
  few.cumulative = [[100, 0.5], [200, 0.99], [300, 1]];
  many.ios = 50_000_000;
  many.cumulative = [[100, 0.5], [300, 1]];
  const tops = (cells: number[]) => {
    const figure = distribution(page, "id", english, { cells, isTail: true });
    const lasts = listOf(figure, "series").map((series) => (series.data as { value: [number, number] }[]).slice(-1)[0]!.value[1]);
    return { lasts, top: listOf(figure, "yAxis")[0]!.max };
  };
  assert.deepEqual(tops([0]), { lasts: [3], top: 3 });
  assert.deepEqual(tops([0, 1]), { lasts: [3, 6], top: 6 });
});

test("an interval that reaches below an axis is drawn from its lower end on", () => {
  const page = unsure();
  const view = page.views.find((one): one is CurveView => one.kind === "curve")!;
  for (const isLogarithmic of [true, false]) {
    const figure = curve(page, view, english, { metric: "bandwidth_bytes_per_s", hasCommonScale: true, isLogarithmic });
    const { min } = listOf(figure, "yAxis")[0]! as { min: number };
    const intervals = listOf(figure, "series").filter((series) => series.type === "custom");
    assert.ok(intervals.length > 0);
    for (const series of intervals) {
      assert.equal(series.clip, true);
      for (const [, low] of series.data as number[][]) assert.equal(low, min);
    }
    assert.doesNotMatch(svgOf(figure, english, "light", 900, null, new Set()), /NaN|Infinity/);
  }
  const lying = bars(page, page.views.find((one): one is BarsView => one.kind === "bars")!, english, "bandwidth_bytes_per_s");
  const around = listOf(lying, "series").find((series) => series.type === "custom")!;
  for (const [, low] of around.data as number[][]) assert.equal(low, 0);
});

test("the least certain ratios keep their intervals, open to the left", () => {
  const page = unsure();
  const figure = ratios(page, "id", english)!;
  const { min } = listOf(figure, "xAxis")[0]! as { min: number };
  const around = listOf(figure, "series").find((series) => series.type === "custom")! as { data: number[][]; renderItem: (params: object, api: object) => { children: { shape: { x1: number; x2: number } }[] } };
  assert.equal(around.data.length, 60);
  for (const [, low] of around.data) assert.equal(low, min);
  const api = { value: (at: number) => around.data[0]![at]!, coord: ([x, y]: number[]) => [x, y] };
  const [, ...ends] = around.renderItem({ dataIndex: 0 }, api).children.map(({ shape }) => shape.x2 - shape.x1);
  assert.deepEqual(ends.map((slant) => Math.round(slant)), [4, 4, 0, 0], "an arrow at the low end, a cap at the high one");
});

test("one extreme bound does not flatten all other ratios", () => {
  const page = fixture(PLAIN);
  page.cells[20]!.verdicts[0]!.ratio = { ...estimate(1.2, 0.1), low: Math.exp(-700), high: Math.exp(700) };
  const { max } = listOf(ratios(page, "id", english)!, "xAxis")[0]! as { max: number };
  assert.ok(max < 5, String(max));
});

test("what is drawn for a ratio is explained, and no difference is claimed without the margin", () => {
  for (const [text, words] of [[english, /Triangle.*diamond.*filled circle.*hollow circle.*margin/], [german, /Dreieck.*Raute.*gefüllter Kreis.*hohler Kreis.*Toleranz/]] as const) {
    assert.match(ratios(fixture(PLAIN), "id", text)!.description, words);
  }
});

test("a difference has the sign, the interval and the decimals that it needs, in both languages", () => {
  const ratio = (value: number, low: number | null, high: number | null): Estimate => ({ ...estimate(value, 0), low, high });
  const words = (one: Estimate, text = english) => differenceWords(one, text).replace(/\u00a0/g, " ");
  assert.equal(words(ratio(1.342, 1.34, 1.345), german), "+34,2 % [+34,0; +34,5]");
  assert.equal(words(ratio(0.4, null, null), german), "−60 % (ohne Intervall), ÷2,5");
  assert.equal(words(ratio(2, 1.2, 3.5)), "+100 % [+20, +250], ×2.0");
});

test("a ratio axis has ticks over its whole range, and they do not overlap", () => {
  for (let reach = 0.05; reach < 18; reach *= 1.3) {
    for (const pixels of [170, 420, 900]) {
      const ticks = ratioTicks(reach, pixels, "en");
      const places = ticks.map((tick) => ((Math.log2(tick) + reach) / (2 * reach)) * pixels);
      const where = `${reach.toFixed(2)} in ${pixels}: ${ticks}`;
      assert.ok(ticks.includes(1) && ticks.length >= 3, where);
      assert.ok(places[0]! <= pixels * 0.25 && places[places.length - 1]! >= pixels * 0.75, where);
      places.slice(1).forEach((place, at) => assert.ok(place - places[at]! > 18, where));
    }
  }
});

test("names too long for a narrow picture lose the word that all repeat, and no other", () => {
  const names = ["raid10 · failure none", "raid10 · failure replaced", "raid5 · failure pulled"];
  assert.deepEqual(namesWithin(names, 60), ["raid10 · none", "raid10 · replaced", "raid5 · pulled"]);
  assert.deepEqual(namesWithin(names, 500), names);
  assert.deepEqual(namesWithin(["depth 1", "jobs 2"], 10), ["depth 1", "jobs 2"]);
});

test("no two ticks of an axis read the same", () => {
  const seed = Number(process.env.STRIPEWISE_TEST_SEED ?? Date.now());
  let state = seed % 2_147_483_647 || 1;
  const drawn = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const distinct = (labels: string[], where: string) => assert.equal(new Set(labels).size, labels.length, `${where}, seed ${seed}: ${labels.join(" | ")}`);
  for (let at = 0; at < 2_000; at += 1) {
    const max = 10 ** (drawn() * 16 - 6);
    const scale = nice(max, 2 + Math.floor(drawn() * 8));
    const steps = Math.round((scale.max - scale.min) / scale.interval);
    const values = Array.from({ length: steps + 1 }, (_, step) => scale.min + step * scale.interval);
    distinct(values.map((value) => tickNumber(value, "en")), `0 to ${max}`);
    const reach = 0.054 * 10 ** (drawn() * 2.5);
    const pixels = 120 + drawn() * 900;
    distinct(ratioTicks(reach, pixels, "en").map((ratio) => ratioTick(ratio, "en")), `ratios of 2^±${reach} in ${pixels}`);
  }
});

test("an undecided ratio is drawn with its interval", () => {
  const page = fixture(PLAIN);
  const cell = page.cells[20]!;
  const open: CellVerdict = { ...cell.verdicts[0]!, verdict: "cannot_tell", ratio: { ...estimate(1.1, 0), low: 0.7, high: 1.6 } };
  cell.verdicts = [open];
  const figure = ratios(page, "id", english)!;
  const at = figure.table().rows.findIndex(([name]) => name === cellName(page, cell, english));
  assert.match(figure.table().rows[at]![2]!, /^\+10\u00a0% \[−30, \+60\]$/);
  const { series } = figure.option(drawing) as unknown as { series: { name?: string; data: unknown[] }[] };
  const [bars, points] = series;
  assert.equal(bars!.data.length, points!.data.length, "a bar for each point");
  const drawn = (bars!.data as number[][]).some(([, low, high]) => Math.abs(2 ** low! - 0.7) < 1e-9 && Math.abs(2 ** high! - 1.6) < 1e-9);
  assert.ok(drawn);
});

test("a narrow table begins with the cell, its number and its difference", () => {
  const page = fixture(PLAIN);
  const heads = (isNarrow: boolean) => columnsOf(page, english, isNarrow).map((column) => column.id);
  assert.deepEqual(heads(true).slice(0, 3), ["name", "bandwidth_bytes_per_s", "verdict"]);
  assert.deepEqual(heads(false).slice(0, 4), ["axis-stack", "axis-pattern", "axis-block_size", "axis-chunk"]);
  const [name, number, verdict] = columnsOf(page, english, true);
  const cell = page.cells[20]!;
  assert.equal(name!.words(cell), "chunk16, randread, block size 128K");
  assert.match(number!.words(cell), /^\d[\d.]*\u00a0±\u00a0[\d.]+\u00a0MiB\/s$/);
  assert.match(verdict!.words(cell), /^[+−]\d+(\.\d)?\u00a0% \[.+\]/);
});

test("a table shows the metrics that a reader compares, and all of them on request", () => {
  const page = { ...fixture(PLAIN), metrics: ["bandwidth_bytes_per_s", "iops", "latency_ns_mean", "latency_ns_p50", "latency_ns_p99", "latency_ns_p999"] as MetricKey[] };
  const numbers = (one: Page, hasAll: boolean) => columnsOf(one, english, false, hasAll).map((column) => column.id).filter((id) => id.includes("latency"));
  assert.deepEqual(numbers(page, false), ["latency_ns_mean", "latency_ns_p99"]);
  assert.deepEqual(numbers(page, true), ["latency_ns_mean", "latency_ns_p50", "latency_ns_p99", "latency_ns_p999"]);
  const commits = { ...page, metrics: [...page.metrics, "sync_latency_ns_mean", "sync_latency_ns_p99"] as MetricKey[] };
  assert.deepEqual(numbers(commits, false), ["sync_latency_ns_mean", "sync_latency_ns_p99"]);
});

test("a long time has the units in which people say it", () => {
  const said = [99, 100, 3599, 61_024, 172_800].map((seconds) => span(seconds * 1e9, "en"));
  assert.deepEqual(said, ["99.0\u00a0s", "1 min 40 s", "59 min 59 s", "16 h 57 min", "2 d 0 h"]);
});

test("a heat map names both of its axes", () => {
  const figure = figureOf(fixture(PLAIN), "heat-bandwidth_bytes_per_s", english)!;
  const { xAxis, yAxis } = figure.option(drawing) as unknown as Record<string, { name: string }[]>;
  assert.deepEqual([xAxis![0]!.name, yAxis![0]!.name], ["block size", "stack"]);
});

test("warnings of one kind stand together and name their cells as tables do", () => {
  const page = fixture(PLAIN);
  const groups = groupsOf(page, english);
  const kinds = groups.map((group) => group.warning.kind);
  assert.equal(new Set(kinds).size, kinds.length);
  assert.deepEqual(groups.find((group) => group.cells.length === 2)?.cells.map(({ cell }) => cell.number), [4, 8]);
});

test("notes of an import stand together only if they say the same but for numbers", () => {
  const page = fixture(PLAIN);
  const approximated = (cell: number, value: string) =>
    page.cells[cell]!.warnings.push({
      kind: "imported", note: { kind: "approximated", option: "bs", value, taken: "4K" }, hint: null,
      message: message("warning-imported-approximated", { option: "bs", value, taken: "4K" }), invalidates: false, samples_affected: 0,
    });
  approximated(0, "10");
  approximated(1, "11");
  approximated(1, "many");
  const groups = groupsOf(page, english).filter((group) => group.warning.kind === "imported");
  assert.deepEqual(groups.map((group) => group.cells.map(({ cell }) => cell.number)), [[1, 2], [2]]);
});

test("a file shows as many series as have looks of their own, and names the missing ones", () => {
  const figure = (stacks: number, text = english) => figureOf(fixture({ ...PLAIN, stacks }), "curve-iops", text)!;
  assert.equal(hiddenInExport(figure(14)).size, 0);
  assert.equal(descriptionOf(figure(14), new Set(), english), figure(14).description);
  const many = figure(30);
  const hidden = hiddenInExport(many);
  assert.equal(hidden.size, 6);
  const svg = svgOf(many, english, "light", 900, null, hidden);
  assert.equal(svg.match(/24 of 30 series are drawn/g)?.length, 2, "in the description and in the picture");
  assert.match(svgOf(figure(30, german), german, "light", 900, 400, hidden), /<text[^>]*>24 von 30 Reihen sind gezeichnet/);
  assert.doesNotMatch(svgOf(figure(14), english, "light", 900, null, new Set()), /series are drawn/);
});

test("a box of a heat map is never zero by rounding", () => {
  assert.equal(boxWords("latency_ns_mean", 4_560_000, 1e6, "de"), "4,56");
  assert.equal(boxWords("latency_ns_mean", 3_200, 1e6, "en"), "3.20\u00a0µs");
  assert.equal(boxWords("bandwidth_bytes_per_s", 0, MIB, "en"), "0.00");
});

test("cells know their places in the page", () => {
  const page = fixture(PLAIN);
  const indices = indicesOf(page);
  for (const at of [0, 17, page.cells.length - 1]) assert.equal(indices.get(page.cells[at]!), at);
});

test("a part that fails shows the error, and tries new data again", () => {
  const boundary = new Boundary({ of: 1, children: "whole" });
  assert.equal((boundary.render().props as { children: unknown }).children, "whole");
  boundary.state = Boundary.getDerivedStateFromError(new TypeError("no <b>axis</b>"));
  assert.deepEqual(boundary.render().props, { reason: "no <b>axis</b>" });
  assert.deepEqual(Boundary.getDerivedStateFromError("text"), { reason: "text" });
});
