// A setting that destroys data must not look good in the picture: no name may be missing, nothing may
// be lost where the page has a loss, and the numbers say where they come from.

import assert from "node:assert/strict";
import { test } from "node:test";
import { placeLabels, type Box } from "../src/charts/labels";
import { powerCuts, type PowerCutsView } from "../src/charts/power_cuts";
import { THEMES } from "../src/charts/theme";
import type { Page } from "../src/generated";
import { textOf } from "../src/text";
import { figureOf } from "../src/views";
import { page as golden } from "./golden/power_cuts";

const page: Page = golden as unknown as Page;
const view = page.views.find((one): one is PowerCutsView => one.kind === "power_cuts")!;
const text = textOf("en");

function textsIn(option: unknown): string[] {
  const found: string[] = [];
  const series = (option as { series: { renderItem?: () => { children: { type: string; style: { text?: string } }[] } }[] }).series;
  for (const one of series) {
    for (const shape of one.renderItem?.().children ?? []) if (shape.type === "text") found.push(shape.style.text ?? "");
  }
  return found;
}

test("every setting has its name in a wide picture, and a number and its name in a narrow one", () => {
  const figure = figureOf(page, "power-cuts", text)!;
  const drawing = { theme: THEMES.light, font: "sans-serif", hidden: new Set<string>(), hasLegend: false };
  const wide = textsIn(figure.option({ ...drawing, width: 960 }));
  assert.equal(wide.length, view.settings.length);
  assert.ok(wide.includes("raid5, durable, flush ignored (17 of 20)"), wide.join("\n"));
  const narrow = textsIn(figure.option({ ...drawing, width: 380 }));
  assert.equal(narrow.filter((words) => /^\d+ {2}/.test(words)).length, view.settings.length);
  assert.ok(figure.height(380) > figure.height(960));
});

test("the numbers are all there, each with its origin", () => {
  const { heads, rows } = powerCuts(page, view, text).table();
  assert.equal(rows.length, view.settings.length);
  const ignored = rows.find((row) => row.slice(0, 3).join(", ") === "raid5, durable, ignored")!;
  const at = (head: string) => ignored[heads.indexOf(head)];
  assert.equal(at("cuts with lost data"), "20 of 20");
  assert.equal(ignored[heads.indexOf("cuts with lost data") + 1], "[83–100\u00a0%]");
  assert.equal(at("most time lost"), "4.20\u00a0s");
  assert.equal(at("simulated most time lost"), "no limit");
});

test("settings without a throughput, a prediction or a stack that came back are drawn, too", () => {
  const bare = structuredClone(page);
  for (const cell of bare.cells) {
    cell.estimates = {};
    delete cell.predicted_cuts;
    if (cell.cuts) Object.assign(cell.cuts, { age_ns: null, bytes: null });
  }
  const figure = powerCuts(bare, view, text);
  const option = figure.option({ theme: THEMES.dark, font: "sans-serif", hidden: new Set(), hasLegend: true, width: 700 });
  assert.ok(!JSON.stringify(option, (_, value: unknown) => (typeof value === "number" && !Number.isFinite(value) ? "NOT A NUMBER" : value)).includes("NOT A NUMBER"));
  assert.equal(figure.legend.length, 2);
});

test("labels stay within the picture and do not cover each other while there is room", () => {
  const within: Box = { left: 0, top: 0, right: 900, bottom: 400 };
  const spots = Array.from({ length: 10 }, (_, index) => ({ x: 880 - index * 40, y: 380 - (index % 3) * 9, width: 150, height: 15 }));
  const boxes = placeLabels(spots, [], within);
  boxes.forEach((box, index) => {
    assert.ok(box.left >= 0 && box.right <= 900 && box.top >= 0 && box.bottom <= 400);
    for (const other of boxes.slice(0, index)) {
      assert.ok(box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top);
    }
  });
});
