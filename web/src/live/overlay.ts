// A prediction and measured points in one picture.
//
// The server's page says how its cells differ, and the cells of a question and of a run differ in
// much: the names of their stacks, their engines, their conditions. Here only one difference counts:
// what was asked, and what it is compared with.

import type { CurveView } from "../charts/curve";
import type { Cell, Page } from "../generated";

/** Returns the page with two axes, the view's own and whose cell it is, and the view of it. */
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
