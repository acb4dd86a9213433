// What was noticed, each thing once, with the cells it is about and what to do.

import { useMemo } from "preact/hooks";
import { useText } from "../context";
import { count } from "../format";
import type { Page, Warning } from "../page";
import { plural, type Text } from "../text";
import { hintWords, runName, warningWords } from "../words";
import type { Kind, ViewNamed } from "./kinds";
import { Quoted } from "./quoted";

/** Cell numbers that are listed before the rest is counted. */
const CELLS_LISTED = 12;
/** Kinds may be many in a study of thousands of cells; the invalidating ones come first. */
const GROUPS_MAX = 100;

interface Noticed {
  warning: Warning;
  run: number;
  words: string;
  /** Numbers of cells; empty where the whole run is meant. */
  cells: number[];
  samples: number;
}

/** Returns all warnings, those of the same words together, what makes samples worthless first. */
function groupsOf(page: Page, text: Text): Noticed[] {
  const groups = new Map<string, Noticed>();
  const add = (warning: Warning, run: number, cell: number | null) => {
    const words = warningWords(warning, text);
    const key = `${run}\u0000${words}`;
    const group = groups.get(key) ?? { warning, run, words, cells: [], samples: 0 };
    if (cell !== null) group.cells.push(cell);
    group.samples += warning.samples_affected;
    groups.set(key, group);
  };
  page.runs.forEach((run, index) => run.warnings.forEach((warning) => add(warning, index, null)));
  page.cells.forEach((cell) => cell.warnings.forEach((warning) => add(warning, cell.run, cell.number)));
  return [...groups.values()].sort((one, other) => Number(other.warning.invalidates) - Number(one.warning.invalidates));
}

export const warningsKind: Kind<ViewNamed<"warnings">> = {
  title: (_page, _view, text) => text.say("view-warnings"),
  Component({ page }) {
    const text = useText();
    const groups = useMemo(() => groupsOf(page, text), [page, text]);
    const more = groups.length - GROUPS_MAX;
    return (
      <>
        <h2>{text.say("view-warnings")}</h2>
        <p class="says">{text.say(groups.length === 0 ? "view-warnings-none" : "view-warnings-says")}</p>
        <ul class="warnings">
          {groups.slice(0, GROUPS_MAX).map((group) => (
            <Group key={`${group.run} ${group.words}`} page={page} group={group} />
          ))}
        </ul>
        {more > 0 && <p>{text.say("and-more", { count: count(more, text.language) })}</p>}
      </>
    );
  },
};

function whereWords(page: Page, group: Noticed, text: Text): string {
  const run = runName(page, group.run, text);
  if (group.cells.length === 0) return text.say("warning-run", { run });
  const listed = group.cells.slice(0, CELLS_LISTED).join(", ");
  const more = group.cells.length - CELLS_LISTED;
  const cells = more > 0 ? `${listed}, ${text.say("and-more", { count: count(more, text.language) })}` : listed;
  return text.say(group.cells.length === 1 ? "warning-cell" : "warning-cells", { run, cells });
}

function Group({ page, group }: { page: Page; group: Noticed }) {
  const text = useText();
  const hint = hintWords(group.warning, text);
  const where = [whereWords(page, group, text)];
  if (group.samples > 0) {
    where.push(text.say("warning-at", { samples: plural(group.samples), samples_text: count(group.samples, text.language) }));
  }
  return (
    <li data-invalidates={group.warning.invalidates}>
      <p>
        {group.warning.invalidates && <strong class="tag">{text.say("warning-invalidates")}</strong>} <Quoted words={group.words} />
      </p>
      <p class="soft">{where.join(" · ")}</p>
      {hint !== null && (
        <p class="soft">
          {text.say("warning-what-to-do")} <Quoted words={hint} />
        </p>
      )}
    </li>
  );
}
