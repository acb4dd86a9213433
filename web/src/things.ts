// The names of metrics, axes, runs and cells, and estimates, in the reader's language.

import { count, interval } from "./format";
import type { Cell, Estimate, MetricKey, Page, Part } from "./generated";
import { inSentence, label } from "./names";
import { plural, type Text } from "./text";

export function metricWords(metric: MetricKey, text: Text): string {
  return text.say(`metric-${metric}`);
}

export function metricHead(metric: MetricKey, text: Text): string {
  return text.say(`head-${metric}`);
}

export function axisWords(axis: string, text: Text): string {
  return text.say(`axis-${axis}`);
}

export function partWords(part: Part, text: Text): string {
  return text.say(`part-${part}`);
}

export function worldWords(world: string, text: Text): string {
  const id = `world-${world}`;
  return text.has(id) ? text.say(id) : inSentence(world, 20);
}

/** Returns an estimate with what backs it: `421 ± 12 MiB/s (8 samples)`. */
export function estimateWords(metric: MetricKey, estimate: Estimate, text: Text): string {
  return text.say("estimate-of", {
    interval: interval(metric, estimate, text.language),
    samples: plural(estimate.samples),
    samples_text: count(estimate.samples, text.language),
  });
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
  // The name of a load decides its keys, and a stack its chunk: showing both is redundant.
  const isSaid = (value: string, index: number) => value !== "-" && !page.axes[index]?.implied;
  const values = cell.values.flatMap((value, index) => (isSaid(value, index) ? [namedValue(page.axes[index]?.key ?? "", label(value, length), text)] : []));
  return values.length > 0 ? values.join(", ") : label(cell.stack, length);
}

/** Names and patterns need no word before them. */
const SELF_EVIDENT = ["stack", "workload", "pattern", "state"];

/** Returns a value with the name of its axis: `depth 8`, `randread`. */
export function namedValue(key: string, value: string, text: Text): string {
  return SELF_EVIDENT.includes(key) ? value : `${axisWords(key, text)} ${value}`;
}
