// The cells as CSV (RFC 4180): one row per cell, units in the heads, unrounded numbers.

import type { Cell, Page } from "./generated";
import { textOf } from "./text";

/** A spreadsheet runs a text with this beginning as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a text field: a leading apostrophe disarms a formula, quotes are doubled. */
export function textField(text: string): string {
  const safe = FORMULA.test(text) && text !== "-" ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

function numberField(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? "" : String(value);
}

/** Returns all cells of a page as CSV. */
export function cellsCsv(page: Page): string {
  const metrics = page.metrics.flatMap((metric) => [metric, `${metric}_low`, `${metric}_high`]);
  const heads = [
    ...["run", "world", "cell", "stack", "stack_words"],
    ...page.axes.filter((axis) => axis.key !== "stack").map((axis) => axis.key),
    ...["chunk_bytes", "block_size_bytes", "samples"],
    ...metrics,
    ...["baseline_cell", "ratio", "ratio_low", "ratio_high", "verdict", "warnings"],
  ];
  const rows = page.cells.map((cell) => rowOf(page, cell));
  return [heads.map(textField), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

function rowOf(page: Page, cell: Cell): string[] {
  const run = page.runs[cell.run];
  const verdict = cell.verdicts.find((one) => one.metric === page.metric) ?? cell.verdicts[0];
  const baseline = verdict && page.cells[verdict.baseline];
  const axes = cell.values.filter((_, index) => page.axes[index] && page.axes[index].key !== "stack");
  const samples = cell.estimates[page.metric] ?? Object.values(cell.estimates)[0];
  return [
    ...[numberField(run?.id), textField(run?.world ?? ""), numberField(cell.number - 1), textField(cell.stack), textField(cell.stack_words)],
    ...axes.map(textField),
    ...[numberField(cell.chunk_bytes), numberField(cell.block_size_bytes), numberField(samples?.samples)],
    ...page.metrics.flatMap((metric) => {
      const estimate = cell.estimates[metric];
      return [estimate?.value, estimate?.low, estimate?.high].map(numberField);
    }),
    ...[numberField(baseline ? baseline.number - 1 : undefined), numberField(verdict?.ratio.value), numberField(verdict?.ratio.low), numberField(verdict?.ratio.high)],
    ...[textField(verdict === undefined ? "" : textOf("en").tell(verdict.words)), numberField(cell.warnings.length)],
  ];
}
