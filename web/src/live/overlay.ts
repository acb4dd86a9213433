// A prediction and measured points in one picture.
//
// The server's page lists how its cells differ, and the cells of a question and of a run differ in
// much: the names of their stacks, their engines, their conditions. Only one difference counts
// here: the question's cells or those of the run.

import type { CurveView } from "../charts/curve";
import type { Cell, Page } from "../generated";

/** Returns the page with two axes, the view's own and the origin of a cell, and the view of it. */
export function overlaid(page: Page, view: CurveView, nameOf: (cell: Cell) => string): { page: Page; view: CurveView } {
  const at = page.axes.findIndex((axis) => axis.key === view.x);
  const axis = page.axes[at];
  if (axis === undefined) {
    return { page, view };
  }
  const names = page.cells.map(nameOf);
  return {
    page: {
      ...page,
      axes: [axis, { key: "stack", values: [...new Set(names)], numbers: null }],
      cells: page.cells.map((cell, index) => ({ ...cell, values: [cell.values[at] ?? "-", names[index] ?? ""] })),
    },
    view: { ...view, panel: null, series: ["stack"] },
  };
}
