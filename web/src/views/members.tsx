// The I/O of each device of a cell.

import { useMemo } from "preact/hooks";
import { members } from "../charts/members";
import { useText } from "../context";
import type { Cell } from "../generated";
import { OneCell } from "./cell_picker";
import { DataTable } from "./data_table";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { exportedCell, useOneCell } from "./one_cell";

const has = (cell: Cell) => cell.members.length > 0;

export const membersKind: Kind<ViewNamed<"members">> = {
  title: (_page, _view, text) => text.say("view-members"),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    const figure = cell === undefined ? null : members(page, view.id, cell, text);
    return figure ? [figure] : [];
  },
  Component({ page, view }) {
    const text = useText();
    const { cells, chosen, choose } = useOneCell(page, has);
    const figure = useMemo(() => members(page, view.id, chosen ?? -1, text), [page, view, chosen, text]);
    if (!figure || chosen === undefined) return <h2>{text.say("view-members")}</h2>;
    return (
      <>
        <FigureBox figure={figure}>
          <OneCell page={page} cells={cells} chosen={chosen} onChoose={choose} />
        </FigureBox>
        <div class="below">
          {(page.cells[chosen]?.moved ?? []).map((sentence) => (
            <p key={sentence.id}>{text.tell(sentence)}</p>
          ))}
          <DataTable caption={figure.title} table={figure.table()} />
        </div>
      </>
    );
  },
};
