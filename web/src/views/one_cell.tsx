// What views of a single cell share: which one, out of those that have what the view shows.

import { useMemo } from "preact/hooks";
import type { Cell, Page } from "../generated";
import { cellsWith } from "./cell_picker";
import { cellsAtFirst, useSelection } from "./selection";

/** Returns the selected cell if it has what the view shows, else the first that has; undefined where none has it. */
export function useOneCell(page: Page, has: (cell: Cell) => boolean) {
  const selection = useSelection(page);
  const cells = useMemo(() => cellsWith(page, has), [page]);
  const chosen = selection.cells.find((cell) => cells.includes(cell)) ?? cells[0];
  const choose = (cell: number) => selection.choose([cell, ...selection.cells.filter((other) => other !== chosen)]);
  return { cells, chosen, choose };
}

/** Returns the cell that a figure for export is about: the one asked for, else as on the page. */
export function exportedCell(page: Page, asked: number | null, has: (cell: Cell) => boolean): number | undefined {
  const fits = (index: number) => page.cells[index] !== undefined && has(page.cells[index]);
  if (asked !== null) return fits(asked) ? asked : undefined;
  return cellsAtFirst(page).find(fits) ?? cellsWith(page, has)[0];
}
