// The distribution of latency of some cells, and its percentiles.

import { useMemo, useState } from "preact/hooks";
import { distribution, percentileTable } from "../charts/distribution";
import { useText } from "../context";
import type { Cell } from "../generated";
import { cellName } from "../things";
import { CellPicker, cellsWith } from "./cell_picker";
import { DataTable } from "./data_table";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { Toggle } from "./metric_switch";
import { exportedCell } from "./one_cell";
import { COMPARED_MAX, useSelection } from "./selection";

const has = (cell: Cell) => cell.latency !== null;

export const distributionKind: Kind<ViewNamed<"distribution">> = {
  title: (_page, _view, text) => text.say("view-distribution"),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    return cell === undefined ? [] : [distribution(page, view.id, text, { cells: [cell], isTail: false })];
  },
  Component({ page, view }) {
    const text = useText();
    const selection = useSelection(page);
    const all = useMemo(() => cellsWith(page, has), [page]);
    const [isTail, setTail] = useState(false);
    const selected = selection.cells.filter((cell) => all.includes(cell));
    const cells = selected.length > 0 ? selected : all.slice(0, 1);
    const key = cells.join();
    const figure = useMemo(() => distribution(page, view.id, text, { cells, isTail }), [page, view, text, key, isTail]);
    const percentiles = useMemo(() => percentileTable(page, cells, text), [page, key, text]);
    const isFull = cells.length >= COMPARED_MAX;
    return (
      <>
        <FigureBox figure={figure}>
          {all.length > 1 && (
            <div class="compared">
              <CellPicker
                page={page}
                cells={all}
                chosen={null}
                label={text.say("pick-cells")}
                onChoose={(cell) => selection.choose(isFull ? cells : [...cells, cell])}
              />
              <ul class="chips">
                {cells.map((cell) => {
                  const name = cellName(page, page.cells[cell]!, text);
                  return (
                    <li key={cell}>
                      <bdi>{name}</bdi>
                      {cells.length > 1 && (
                        <button
                          type="button"
                          aria-label={text.say("pick-remove", { cell: name })}
                          onClick={() => selection.choose(cells.filter((other) => other !== cell))}
                        >
                          ×
                        </button>
                      )}
                    </li>
                  );
                })}
              </ul>
              {isFull && <p class="soft">{text.say("pick-full", { count: String(COMPARED_MAX) })}</p>}
            </div>
          )}
          <Toggle words={text.say("scale-tail")} isOn={isTail} onChange={setTail} />
        </FigureBox>
        {percentiles.rows.length > 0 && (
          <div class="below">
            <h3>{text.say("view-percentiles")}</h3>
            <p class="says">{text.say("view-percentiles-says")}</p>
            <DataTable caption={text.say("view-percentiles")} table={percentiles} />
          </div>
        )}
      </>
    );
  },
};
