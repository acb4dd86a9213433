// Where the time of an I/O goes, the bottleneck, the rules behind it, and the utilisation of
// everything.

import { useId, useMemo, useState } from "preact/hooks";
import { waterfall, type WaterfallOf } from "../charts/waterfall";
import { useText } from "../context";
import { percent } from "../format";
import { label } from "../names";
import type { Cell } from "../generated";
import { OneCell } from "./cell_picker";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { exportedCell, useOneCell } from "./one_cell";

const has = (cell: Cell) => cell.breakdown !== null;

/** More components than this get no bars. */
const USED_MAX = 24;

export const waterfallKind: Kind<ViewNamed<"waterfall">> = {
  title: (_page, _view, text) => text.say("view-waterfall"),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    const figure = cell === undefined ? null : waterfall(page, view.id, cell, "mean", text);
    return figure ? [figure] : [];
  },
  Component({ page, view }) {
    const text = useText();
    const { cells, chosen, choose } = useOneCell(page, has);
    const [of, setOf] = useState<WaterfallOf>("mean");
    const figure = useMemo(() => waterfall(page, view.id, chosen ?? -1, of, text), [page, view, chosen, of, text]);
    const cell = page.cells[chosen ?? -1];
    if (!figure || chosen === undefined || !cell) return <h2>{text.say("view-waterfall")}</h2>;
    const hasSlowest = (cell.breakdown?.slowest.length ?? 0) > 0;
    return (
      <>
        <FigureBox figure={figure}>
          <OneCell page={page} cells={cells} chosen={chosen} onChoose={choose} />
          {hasSlowest && <MeanOrSlowest of={of} onChange={setOf} />}
        </FigureBox>
        <Why cell={cell} />
        <Use cell={cell} />
      </>
    );
  },
};

function MeanOrSlowest({ of, onChange }: { of: WaterfallOf; onChange: (of: WaterfallOf) => void }) {
  const text = useText();
  const name = useId();
  return (
    <div class="choices" role="radiogroup" aria-label={text.say("view-waterfall")}>
      {(["mean", "slowest"] as const).map((one) => (
        <label key={one} class="switch">
          <input type="radio" name={name} checked={of === one} onChange={() => onChange(one)} />
          {text.say(`waterfall-${one}`)}
        </label>
      ))}
    </div>
  );
}

function Why({ cell }: { cell: Cell }) {
  const text = useText();
  if (!cell.bottleneck_sentence && cell.findings.length === 0) return null;
  return (
    <div class="below">
      <h3>{text.say("waterfall-why")}</h3>
      {cell.bottleneck_sentence && <p class="result">{text.tell(cell.bottleneck_sentence)}</p>}
      <ul>
        {cell.findings.map((finding, index) => (
          <li key={index}>{text.tell(finding.sentence)}</li>
        ))}
      </ul>
    </div>
  );
}

function Use({ cell }: { cell: Cell }) {
  const text = useText();
  const all = cell.breakdown?.utilisation ?? [];
  if (all.length === 0) return null;
  const used = [...all].sort((one, other) => other.busy_share - one.busy_share).slice(0, USED_MAX);
  return (
    <details class="below">
      <summary>{text.say("waterfall-use")}</summary>
      <table class="use">
        <thead>
          <tr>
            <th scope="col">{text.say("column-component")}</th>
            <th scope="col">{text.say("column-busy")}</th>
          </tr>
        </thead>
        <tbody>
          {used.map((one) => (
            <tr key={one.component}>
              <td dir="auto">{label(one.component, 60)}</td>
              <td>
                <span class="gauge" aria-hidden="true">
                  <span style={{ width: `${Math.min(Math.max(one.busy_share, 0), 1) * 100}%` }} />
                </span>
                {percent(one.busy_share, text.language)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
