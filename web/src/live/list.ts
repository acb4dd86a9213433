// Which runs of the list are shown.

import type { RunLine } from "../generated";
import { finderOf } from "../search";

/** How many rows a list shows before it asks whether to show more. */
export const ROWS_STEP = 100;

/** Returns the runs in which every word of `search` occurs; `shown` says what of a run is shown in other words than it has. */
export function found(runs: RunLine[], search: string, shown: (run: RunLine) => string[]): RunLine[] {
  const isFound = finderOf(search);
  if (isFound === null) {
    return runs;
  }
  return runs.filter((run) => isFound([String(run.id), run.study, run.question ?? "", run.world, run.state, ...shown(run)].join("\n")));
}
