// The reader's place: the fragment of the address as a route, and back.
//
//   #/runs?search=chunk      the list of runs
//   #/run/3,4                several runs in one picture
//   #/compare/3/4            the same, as a sentence people write
//   #/ask?device=...         a question, see question.ts
//   #/advise?count=4&...     what to build, see question.ts
//   #/answers                the answers of other commands
//   #/answers/1              one of them
//
// The part after `?` belongs to the view; a view ignores unknown keys. A fragment that is no route
// shows the list of runs: an address from outside must not break the page.

/** The most runs in one picture; more would be indistinguishable. */
export const RUNS_MAX = 8;

export type Route =
  | { view: "runs"; search: string }
  | { view: "run"; runs: number[] }
  | { view: "answers"; number: number | null }
  | { view: "ask" | "advise"; parameters: URLSearchParams };

/** Returns the route of a fragment, with or without its `#`. */
export function routeOf(fragment: string): Route {
  const text = fragment.startsWith("#") ? fragment.slice(1) : fragment;
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const parameters = new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1));
  const [, view = "", ...rest] = path.split("/");
  if (view === "ask" || view === "advise") {
    return { view, parameters };
  }
  if (view === "run" || view === "compare") {
    const runs = runsOf(rest.join(","));
    if (runs.length > 0) {
      return { view: "run", runs };
    }
  }
  if (view === "answers") {
    return { view: "answers", number: wholeNumber(rest[0] ?? "") };
  }
  return { view: "runs", search: parameters.get("search") ?? "" };
}

/** Returns the fragment that shows these runs. */
export function runsFragment(runs: number[]): string {
  return `#/run/${runs.slice(0, RUNS_MAX).join(",")}`;
}

/** Returns the fragment of the list of runs, searched for `search`. */
export function listFragment(search: string): string {
  return search === "" ? "#/runs" : `#/runs?${new URLSearchParams({ search }).toString()}`;
}

/** Returns the fragment of an answer of another command. */
export function answerFragment(number: number): string {
  return `#/answers/${number}`;
}

/** Returns whether a fragment names a place within the shown page: `#answer`, `#curve`. */
export function isPlace(fragment: string): boolean {
  return /^#[^/]/.test(fragment) && tokenOf(fragment) === null;
}

/** Returns the token that `stripewise serve` put into the address, or null. */
export function tokenOf(fragment: string): string | null {
  const match = /^#token=([A-Za-z0-9_-]{1,200})$/.exec(fragment);
  return match?.[1] ?? null;
}

/** Returns the numbers of runs in `3,4`, each once, at most `RUNS_MAX`. */
function runsOf(text: string): number[] {
  const runs: number[] = [];
  for (const part of text.split(",")) {
    const run = wholeNumber(part);
    if (run !== null && !runs.includes(run) && runs.length < RUNS_MAX) {
      runs.push(run);
    }
  }
  return runs;
}

/** Returns the number in the digits of `text`, or null if it is anything else. */
export function wholeNumber(text: string): number | null {
  const number = /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
  return number;
}
