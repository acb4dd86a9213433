// A line under load must go from the least load to the most, whatever the order of the cells, and a
// page whose cells ask for the same has none.

import assert from "node:assert/strict";
import { test } from "node:test";
import { svgOf } from "../src/charts/draw";
import { THEMES } from "../src/charts/theme";
import { underLoad } from "../src/charts/under_load";
import type { Page } from "../src/generated";
import { textOf } from "../src/text";
import { figureOf } from "../src/views";
import { fixture, PLAIN } from "./fixtures";

const text = textOf("en");

/** A page whose sizes of blocks are depths, with its cells from the last to the first. */
function loaded(): Page {
  const page = fixture({ ...PLAIN, worlds: ["model", "metal"] });
  page.axes[2]!.demand = true;
  page.views.push({ kind: "under_load", id: "under-load" });
  page.cells.reverse();
  return page;
}

test("each line goes from the least load to the most", () => {
  const page = loaded();
  const figure = figureOf(page, "under-load-latency_ns_p99", text)!;
  const drawing = { theme: THEMES.light, width: 900, font: "sans", hidden: new Set<string>(), hasLegend: true };
  const series = figure.option(drawing).series as { type: string; data: { cell: number }[] }[];
  const lines = series.filter((one) => one.type === "line");
  // Six stacks and two patterns, in two runs.
  assert.equal(lines.length, 24);
  for (const line of lines) {
    const sizes = line.data.map(({ cell }) => page.cells[cell]!.block_size_bytes!);
    assert.equal(sizes.length, 8);
    assert.deepEqual(sizes, [...sizes].sort((one, other) => one - other));
  }
  const svg = svgOf(figure, text, "dark", 900, null, new Set());
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  assert.equal(figure.table().rows.length, page.cells.length);
});

test("cells that ask for the same have no such line", () => {
  const page = loaded();
  page.axes[2]!.demand = false;
  assert.equal(underLoad(page, "under-load", "latency_ns_p99", text), null);
});
