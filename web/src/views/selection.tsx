// The selected cells: one choice for all views of single cells, kept in the page's address
// (`#cells=3,5`, numbers of the page's list) if the page is a report of its own.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Page } from "../generated";

/** More curves than this in one picture are indistinguishable. */
export const COMPARED_MAX = 8;

interface Selection {
  /** Indices of cells, the one that views of a single cell show first. */
  cells: number[];
  choose(cells: number[]): void;
}

const Context = createContext<Selection | null>(null);

/** Returns the cells of a fragment that exist, each once. */
export function cellsOfFragment(fragment: string, count: number): number[] {
  const list = /(?:^#|&)cells=([\d,]{1,100})/.exec(fragment)?.[1]?.split(",") ?? [];
  const cells = list.filter((one) => one !== "").map(Number);
  return [...new Set(cells)].filter((cell) => cell < count).slice(0, COMPARED_MAX);
}

/** Returns the initial cells: those of the largest difference, else the first one. */
export function cellsAtFirst(page: Page): number[] {
  for (const claim of page.answer) {
    if (claim.claim === "largest") return [claim.best, claim.worst].filter((cell) => page.cells[cell]);
  }
  return page.cells.length > 0 ? [0] : [];
}

function useCells(page: Page, isInFragment: boolean): Selection {
  const begin = () => {
    const cells = isInFragment ? cellsOfFragment(location.hash, page.cells.length) : [];
    return cells.length > 0 ? cells : cellsAtFirst(page);
  };
  const [cells, setCells] = useState(begin);
  useEffect(() => {
    if (!isInFragment) return;
    const follow = () => {
      const named = cellsOfFragment(location.hash, page.cells.length);
      if (named.length > 0) setCells(named);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [isInFragment, page]);
  const choose = (chosen: number[]) => {
    const next = [...new Set(chosen)].slice(0, COMPARED_MAX);
    setCells(next);
    // `replaceState` neither scrolls nor fills the history.
    if (isInFragment) history.replaceState(null, "", `#cells=${next.join(",")}`);
  };
  return { cells: cells.filter((cell) => cell < page.cells.length), choose };
}

/** Shares one selection among all views within. */
export function SelectionOf(props: { page: Page; isInFragment: boolean; children: preact.ComponentChildren }) {
  const selection = useCells(props.page, props.isInFragment);
  return <Context.Provider value={selection}>{props.children}</Context.Provider>;
}

/** Returns the surrounding selection, or one of the view's own if there is none. */
export function useSelection(page: Page): Selection {
  const around = useContext(Context);
  const own = useCells(page, false);
  return around ?? own;
}
