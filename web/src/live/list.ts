// The runs shown in the list.

import type { RunLine } from "../generated";
import { finderOf } from "../search";

/** The number of rows in a list before it offers to show more. */
export const ROWS_STEP = 100;

/** Returns the runs that contain every word of `search`; `shown` returns further words under which the list
 *  shows a run. */
export function found(runs: RunLine[], search: string, shown: (run: RunLine) => string[]): RunLine[] {
  const isFound = finderOf(search);
  if (isFound === null) {
    return runs;
  }
  return runs.filter((run) => isFound([String(run.id), run.study, run.question ?? "", run.world, run.state, ...shown(run)].join("\n")));
}
