// The names of metrics, axes, runs, cells and loads, in the reader's language.

import { inSentence, label } from "./names";
import type { Cell, Page, Part } from "./generated";
import type { Arguments, Text } from "./text";

/** Returns the message `id` if there is one, else `otherwise`. */
export function sayOr(text: Text, id: string, args: Arguments, otherwise: string): string {
  return text.has(id) ? text.say(id, args) : otherwise;
}

export function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

export function metricWords(metric: string, text: Text): string {
  return sayOr(text, `metric-${metric}`, {}, metric);
}

export function metricHead(metric: string, text: Text): string {
  return sayOr(text, `head-${metric}`, {}, metric);
}

export function axisWords(axis: string, text: Text): string {
  return sayOr(text, `axis-${axis}`, {}, label(axis).replace(/_/g, " "));
}

export function partWords(part: Part, text: Text): string {
  return sayOr(text, `part-${part}`, {}, label(part).replace(/_/g, " "));
}

export function worldWords(world: string, text: Text): string {
  return sayOr(text, `world-${world}`, {}, inSentence(world, 20));
}

/** Returns the name of a run beside the others: its world, and its number if worlds repeat. */
export function runName(page: Page, run: number, text: Text): string {
  const part = page.runs[run];
  if (!part) return `#${run}`;
  const world = worldWords(part.world, text);
  const isAlone = page.runs.filter((other) => other.world === part.world).length === 1;
  return isAlone ? world : text.say("run-name", { world, id: String(part.id) });
}

/** Returns the name of a run in brackets: its world, or its number if worlds repeat. */
function runShort(page: Page, run: number, text: Text): string {
  const part = page.runs[run];
  const isAlone = page.runs.filter((other) => other.world === part?.world).length === 1;
  return isAlone ? runName(page, run, text) : text.say("run-number", { id: String(part?.id) });
}

/** Returns the name of a cell: its values with the names of the axes, and its run if there are several. */
export function cellName(page: Page, cell: Cell, text: Text, length = 28): string {
  const name = cellValues(page, cell, text, length);
  return page.runs.length > 1 ? `${name} (${runShort(page, cell.run, text)})` : name;
}

/** Returns the name of a cell beside others of its run. */
export function cellValues(page: Page, cell: Cell, text: Text, length = 28): string {
  // A stack determines its chunk; showing both is redundant.
  const hasStack = page.axes.some((axis) => axis.key === "stack");
  const isSaid = (value: string, index: number) => value !== "-" && !(hasStack && page.axes[index]?.key === "chunk");
  const values = cell.values.flatMap((value, index) => (isSaid(value, index) ? [namedValue(page.axes[index]?.key ?? "", label(value, length), text)] : []));
  return values.length > 0 ? values.join(", ") : label(cell.stack, length);
}

/** Returns the name of a cell in a sentence that names its run. */
export function cellNameIn(page: Page, index: number, text: Text): string {
  const cell = page.cells[index];
  return cell ? inSentence(cellValues(page, cell, text), 160) : `#${index}`;
}

export function cellInSentence(page: Page, index: number, text: Text): string {
  const cell = page.cells[index];
  return cell ? inSentence(cellName(page, cell, text), 160) : `#${index}`;
}

/** Returns a load: its values with the names of the axes. */
export function loadWords(values: [string, string][], text: Text): string {
  return values.map(([key, value]) => namedValue(key, value, text)).join(", ");
}

/** Names and patterns need no word before them. */
const SELF_EVIDENT = ["stack", "workload", "pattern"];

/** Returns a value with the name of its axis: `depth 8`, `randread`. */
export function namedValue(key: string, value: string, text: Text): string {
  return SELF_EVIDENT.includes(key) ? value : `${axisWords(key, text)} ${value}`;
}
