// A sample over time in which a member of the array fails and comes back.

import { useMemo } from "preact/hooks";
import { timeline } from "../charts/timeline";
import { useText } from "../context";
import type { Cell } from "../generated";
import { OneCell } from "./cell_picker";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { exportedCell, useOneCell } from "./one_cell";

const has = (cell: Cell) => cell.timeline !== undefined;

export const timelineKind: Kind<ViewNamed<"timeline">> = {
  title: (_page, _view, text) => text.say("view-timeline"),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    const figure = cell === undefined ? null : timeline(page, view.id, cell, text);
    return figure ? [figure] : [];
  },
  Component({ page, view }) {
    const text = useText();
    const { cells, chosen, choose } = useOneCell(page, has);
    const figure = useMemo(() => timeline(page, view.id, chosen ?? -1, text), [page, view, chosen, text]);
    if (!figure || chosen === undefined) return <h2>{text.say("view-timeline")}</h2>;
    return (
      <FigureBox figure={figure}>
        <OneCell page={page} cells={cells} chosen={chosen} onChoose={choose} />
      </FigureBox>
    );
  },
};
