// Cells by their positions along the page's axes: the series, the panels, the places on an axis.

import { axisWords, cellName, estimateWords, metricHead, namedValue, runName } from "../things";
import { inSentence, label } from "../names";
import type { Cell, MetricKey, Page } from "../generated";
import type { Text } from "../text";
import type { Table } from "./figure";

export function axisOf(page: Page, key: string) {
  return page.axes.find((axis) => axis.key === key);
}

/** Returns the index of each cell in the page's list: a search for each one is too slow on large pages. */
export function indicesOf(page: Page): Map<Cell, number> {
  return new Map(page.cells.map((cell, index) => [cell, index]));
}

/** Returns the value of a cell along an axis; `-` if it has none. */
export function valueOf(page: Page, cell: Cell, key: string): string {
  const index = page.axes.findIndex((axis) => axis.key === key);
  return cell.values[index] ?? "-";
}

/** Cells that share one line or one colour. */
export interface Series {
  /** The text in the legend. */
  name: string;
  cells: Cell[];
}

/** Returns the keys that separate series: the requested ones, and every other along which two cells would
 *  share a place. */
function tellingApart(page: Page, cells: Cell[], places: string[], asked: string[]): string[] {
  const keys = [...asked];
  const clashes = () => {
    const seen = new Set<string>();
    return cells.some((cell) => {
      const place = [cell.run, ...[...places, ...keys].map((key) => valueOf(page, cell, key))].join("\u0000");
      const isTaken = seen.has(place);
      seen.add(place);
      return isTaken;
    });
  };
  for (const axis of page.axes) {
    if (!places.includes(axis.key) && !keys.includes(axis.key) && clashes()) keys.push(axis.key);
  }
  return keys;
}

/** Returns the series of `cells`, in the order of the cells. */
export function seriesOf(page: Page, cells: Cell[], places: string[], asked: string[], text: Text): Series[] {
  const keys = tellingApart(page, cells, places, asked);
  const found = new Map<string, Series>();
  const names = new Set<string>();
  for (const cell of cells) {
    const values = keys.map((key) => valueOf(page, cell, key));
    const id = values.join("\u0000");
    const known = found.get(id);
    if (known) {
      known.cells.push(cell);
      continue;
    }
    const shown = values.flatMap((value, at) => (value === "-" ? [] : [namedValue(keys[at] ?? "", label(value), text)]));
    let name = shown.join(" · ") || (page.runs.length > 1 ? axisWords("stack", text) : runName(page, cell.run, text));
    // Names that differ only in the part cut off must not become one series.
    while (names.has(name)) name += " ′";
    names.add(name);
    found.set(id, { name, cells: [cell] });
  }
  return [...found.values()];
}

/** Returns the panels of a view: the values of its panel axis, or one without a name. */
export function panelsOf(page: Page, key: string | null, cells: Cell[]): { name: string | null; cells: Cell[] }[] {
  if (key === null) return [{ name: null, cells }];
  const values = axisOf(page, key)?.values ?? [];
  return values
    .map((value) => ({ name: label(value, 40), cells: cells.filter((cell) => valueOf(page, cell, key) === value) }))
    .filter((panel) => panel.cells.length > 0);
}

/** Returns the values of cells as a table: one row per cell. */
export function cellTable(page: Page, cells: Cell[], metric: MetricKey, text: Text): Table {
  return {
    heads: [text.say("column-cell"), metricHead(metric, text)],
    rows: cells.map((cell) => [cellName(page, cell, text), estimateWords(metric, cell.estimates[metric]!, text)]),
  };
}

/** Returns the value of a cell for a tooltip. */
export function cellHover(page: Page, index: number | undefined, metric: MetricKey, text: Text): string {
  const cell = index === undefined ? undefined : page.cells[index];
  return cell ? `${cellName(page, cell, text)}\n${estimateWords(metric, cell.estimates[metric]!, text)}` : "";
}

/** Returns axes as a list in words: `stack and jobs`. */
export function axesWords(keys: string[], text: Text): string {
  const words = keys.map((key) => inSentence(axisWords(key, text)));
  return words.length === 0 ? axisWords("run", text) : words.join(", ");
}
