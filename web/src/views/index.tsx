// All kinds of views: a new kind is a file, a line here, and its messages.

import { useText } from "../context";
import type { Page, View } from "../generated";
import type { Text } from "../text";
import type { Figure } from "../charts/figure";
import { label } from "../names";
import { arrayMapKind } from "./array_map";
import { barsKind } from "./bars";
import { blocksKind } from "./blocks";
import { Boundary } from "./boundary";
import { commandsKind } from "./commands";
import { curveKind } from "./curve";
import { dataKind } from "./data";
import { distributionKind } from "./distribution";
import { factsKind } from "./facts";
import { heatMapKind } from "./heat_map";
import type { Kind } from "./kinds";
import { membersKind } from "./members";
import { pairedKind } from "./paired";
import { powerCutsKind } from "./power_cuts";
import { tableKind } from "./table";
import { timeSeriesKind } from "./time_series";
import { timelineKind } from "./timeline";
import { underLoadKind } from "./under_load";
import { warningsKind } from "./warnings";
import { waterfallKind } from "./waterfall";

const KINDS: { [K in View["kind"]]: Kind<Extract<View, { kind: K }>> } = {
  curve: curveKind,
  bars: barsKind,
  heat_map: heatMapKind,
  blocks: blocksKind,
  table: tableKind,
  distribution: distributionKind,
  time_series: timeSeriesKind,
  power_cuts: powerCutsKind,
  timeline: timelineKind,
  under_load: underLoadKind,
  paired: pairedKind,
  waterfall: waterfallKind,
  members: membersKind,
  array_map: arrayMapKind,
  warnings: warningsKind,
  facts: factsKind,
  commands: commandsKind,
  data: dataKind,
};

/** Returns the kind of a view; undefined for an unknown view of a newer writer. */
function kindOf(view: View): Kind<View> | undefined {
  return Object.keys(KINDS).includes(view.kind) ? (KINDS[view.kind] as unknown as Kind<View>) : undefined;
}

/** Returns the heading of a view. */
export function titleOf(page: Page, view: View, text: Text): string {
  return kindOf(view)?.title(page, view, text) ?? text.say("view-unknown", { kind: label(view.kind) });
}

/** Returns the figures of all views, in their initial state. */
export function figuresOf(page: Page, text: Text): Figure[] {
  return page.views.flatMap((view) => kindOf(view)?.figures?.(page, view, text, null) ?? []);
}

/** Returns a figure by its id; `ID.12` is that of cell 12 if the view shows one cell. */
export function figureOf(page: Page, id: string, text: Text): Figure | null {
  const [, plain = id, cell] = /^(.*?)(?:\.(\d{1,6}))?$/.exec(id) ?? [];
  const chosen = cell === undefined ? null : Number(cell);
  for (const view of page.views) {
    const figures = kindOf(view)?.figures?.(page, view, text, chosen) ?? [];
    const found = figures.find((figure) => figure.id === plain);
    if (found) return found;
  }
  return null;
}

/** A view of the page, as a section of its own. */
export function ViewOf({ page, view }: { page: Page; view: View }) {
  const text = useText();
  const kind = kindOf(view);
  return (
    <section class="view" id={view.id} data-kind={view.kind}>
      <Boundary of={page}>{kind ? <kind.Component page={page} view={view} /> : <h2>{titleOf(page, view, text)}</h2>}</Boundary>
    </section>
  );
}
