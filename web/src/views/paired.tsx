// Comparisons: all ratios, then the pairs of one cell.

import { useMemo } from "preact/hooks";
import { comparedCells, pairs, ratios, ratiosTitle } from "../charts/paired";
import { useText } from "../context";
import type { Cell, Page } from "../generated";
import { differenceWords } from "../differences";
import { OneCell } from "./cell_picker";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { exportedCell, useOneCell } from "./one_cell";

const has = (cell: Cell) => cell.before === undefined && cell.verdicts.some((verdict) => verdict.pairs.length > 0);

export const pairedKind: Kind<ViewNamed<"paired">> = {
  title: (page, _view, text) => (comparedCells(page).length > 1 ? ratiosTitle(page, text) : text.say("view-paired")),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    const figures = [ratios(page, view.id, text), cell === undefined ? null : pairs(page, view.id, cell, text)];
    return figures.filter((figure) => figure !== null);
  },
  Component({ page, view }) {
    const text = useText();
    const { cells, chosen, choose } = useOneCell(page, has);
    const all = useMemo(() => ratios(page, view.id, text), [page, view, text]);
    const one = useMemo(() => pairs(page, view.id, chosen ?? -1, text), [page, view, chosen, text]);
    if (!all && !one) return <h2>{text.say("view-paired")}</h2>;
    return (
      <>
        {all && <FigureBox figure={all} />}
        {one && chosen !== undefined && (
          <FigureBox figure={one} level={all ? "h3" : "h2"}>
            <OneCell page={page} cells={cells} chosen={chosen} onChoose={choose} />
            <Result page={page} chosen={chosen} />
          </FigureBox>
        )}
      </>
    );
  },
};

function Result({ page, chosen }: { page: Page; chosen: number }) {
  const text = useText();
  const verdict = comparedCells(page).find((one) => one.index === chosen)?.verdict;
  if (!verdict) return null;
  return (
    <p class="result" role="status">
      {text.say("view-paired-result", { difference: differenceWords(verdict.ratio, text), verdict: text.tell(verdict.words) })}
    </p>
  );
}
