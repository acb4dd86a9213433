// Shared by views of a single cell: the choice among the cells that have the view's data.

import { useMemo } from "preact/hooks";
import type { Cell, Page } from "../generated";
import { cellsWith } from "./cell_picker";
import { cellsAtFirst, useSelection } from "./selection";

/** Returns the selected cell if it has the view's data, else the first one that has; undefined if there is
 *  none. */
export function useOneCell(page: Page, has: (cell: Cell) => boolean) {
  const selection = useSelection(page);
  const cells = useMemo(() => cellsWith(page, has), [page]);
  const chosen = selection.cells.find((cell) => cells.includes(cell)) ?? cells[0];
  const choose = (cell: number) => selection.choose([cell, ...selection.cells.filter((other) => other !== chosen)]);
  return { cells, chosen, choose };
}

/** Returns the cell of an exported figure: the requested one, else as on the page. */
export function exportedCell(page: Page, asked: number | null, has: (cell: Cell) => boolean): number | undefined {
  const fits = (index: number) => page.cells[index] !== undefined && has(page.cells[index]);
  if (asked !== null) return fits(asked) ? asked : undefined;
  return cellsAtFirst(page).find(fits) ?? cellsWith(page, has)[0];
}
