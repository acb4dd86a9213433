// Cells in the states of their devices: where fresh and steady devices differ, a figure draws the state that
// applies to what the study asks, or both.

import type { Cell, MetricKey, Page, State, View } from "../generated";
import type { Text } from "../text";

/** The axis along which cells in both states differ. */
export const STATE = "state";

type OfStates = Extract<View, { states?: State[] }>;

/** Returns the page and a view of it with the states that the view draws: each cell in each of them. Only the
 *  rates of fresh devices are known, so that other metrics are those of steady ones. */
export function inStates<Kind extends OfStates>(page: Page, view: Kind, metric: MetricKey, text: Text): { page: Page; view: Kind; isInBoth: boolean } {
  const states = view.states ?? [];
  const isKnown = page.cells.some((cell) => cell.fresh?.estimates[metric] !== undefined);
  const hasAxis = page.axes.some((axis) => axis.key === STATE);
  if (!states.includes("fresh") || !isKnown || hasAxis) return { page, view, isInBoth: false };
  if (states.length === 1) return { page: { ...page, cells: page.cells.map(fresh) }, view, isInBoth: false };
  const names = states.map((state) => text.say(`states-is-${state}`));
  const axis = { key: STATE, values: names, numbers: null };
  const named = (cell: Cell, state: State): Cell => ({
    ...(state === "fresh" ? fresh(cell) : cell),
    values: [...cell.values, names[states.indexOf(state)] ?? ""],
  });
  const both = { ...page, axes: [...page.axes, axis], cells: page.cells.flatMap((cell) => states.map((state) => named(cell, state))) };
  return { page: both, view: "series" in view ? { ...view, series: [...view.series, STATE] } : view, isInBoth: true };
}

/** Returns a cell on fresh devices: without an estimate if that is unknown, as it is if they do the same. */
function fresh(cell: Cell): Cell {
  if (cell.is_fresh_unknown) return { ...cell, estimates: {} };
  return cell.fresh === undefined ? cell : { ...cell, estimates: { ...cell.estimates, ...cell.fresh.estimates } };
}
