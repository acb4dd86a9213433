// The warnings, each kind once, with its cells and hints.

import { useMemo } from "preact/hooks";
import { useText } from "../context";
import { count } from "../format";
import type { Cell, Message, ShownWarning, Page } from "../generated";
import { plural, type Text } from "../text";
import { cellValues, runName } from "../things";
import type { Kind, ViewNamed } from "./kinds";
import { Quoted } from "./quoted";

/** The cells listed before the rest is folded. */
const CELLS_NAMED = 4;
/** The most cells listed. */
const CELLS_MAX = 1000;

interface NoticedGroup {
  warning: ShownWarning;
  run: number;
  words: string;
  /** The cells with the words of each; empty for a warning about the whole run. */
  cells: { cell: Cell; words: string }[];
  samples: number;
}

/** Returns what a message says without its numbers, also those in names. */
function withoutNumbers(message: Message): string {
  return JSON.stringify(message, (key, value: unknown) => {
    if (["digits", "quantity", "count"].includes(key)) return 0;
    return typeof value === "string" ? value.replace(/\d/g, "") : value;
  });
}

/** Returns all warnings grouped by kind, those that invalidate samples first. */
export function groupsOf(page: Page, text: Text): NoticedGroup[] {
  const groups = new Map<string, NoticedGroup>();
  const add = (warning: ShownWarning, run: number, cell: Cell | null) => {
    const words = text.tell(warning.message);
    // Warnings about a run differ even within a kind: each is shown in full. Of cells, one stands before
    // others that say the same of other numbers; an error number is no amount.
    const kind = warning.kind === "job_failed" ? words : withoutNumbers(warning.message);
    const key = cell === null ? `${run}\u0000${words}` : `${run}\u0000${kind}\u0000${warning.invalidates}`;
    const group = groups.get(key) ?? { warning, run, words, cells: [], samples: 0 };
    if (cell !== null) group.cells.push({ cell, words });
    group.samples += warning.samples_affected;
    groups.set(key, group);
  };
  page.runs.forEach((run, index) => run.warnings.forEach((warning) => add(warning, index, null)));
  page.cells.forEach((cell) => cell.warnings.forEach((warning) => add(warning, cell.run, cell)));
  return [...groups.values()].sort((one, other) => Number(other.warning.invalidates) - Number(one.warning.invalidates));
}

export const warningsKind: Kind<ViewNamed<"warnings">> = {
  title: (_page, _view, text) => text.say("view-warnings"),
  Component({ page }) {
    const text = useText();
    const groups = useMemo(() => groupsOf(page, text), [page, text]);
    return (
      <>
        <h2>{text.say("view-warnings")}</h2>
        <p class="says">{text.say(groups.length === 0 ? "view-warnings-none" : "view-warnings-says")}</p>
        <ul class="warnings">
          {groups.map((group, index) => (
            <Group key={index} page={page} group={group} />
          ))}
        </ul>
      </>
    );
  },
};

function whereWords(page: Page, group: NoticedGroup, text: Text): string {
  const run = runName(page, group.run, text);
  if (group.cells.length === 0) return text.say("warning-run", { run });
  const named = group.cells.slice(0, CELLS_NAMED).map(({ cell }) => cellValues(page, cell, text));
  const more = group.cells.length - CELLS_NAMED;
  const cells = named.join("; ") + (more > 0 ? ` ${text.say("and-more", { count: count(more, text.language) })}` : "");
  return page.runs.length === 1 ? text.say("warning-at-cells", { cells }) : text.say("warning-cells", { run, cells });
}

function Group({ page, group }: { page: Page; group: NoticedGroup }) {
  const text = useText();
  const hint = group.warning.hint;
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
          {text.say("warning-what-to-do")} <Quoted words={text.tell(hint)} />
        </p>
      )}
      {(group.cells.length > CELLS_NAMED || group.cells.some(({ words }) => words !== group.words)) && (
        <details class="soft">
          <summary>{text.say("warning-all-cells", { count: count(group.cells.length, text.language) })}</summary>
          <ul>
            {group.cells.slice(0, CELLS_MAX).map(({ cell, words }) => (
              <li key={`${cell.run} ${cell.number}`}>
                {cellValues(page, cell, text)}
                {words !== group.words && (
                  <>
                    : <Quoted words={words} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
