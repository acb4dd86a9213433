// Requests to the server that this page came from.
//
// The token comes in the fragment of the address, which browsers send nowhere; it is kept for this
// tab only (for this page only, where the browser keeps nothing) and taken out of the address, so
// that it gets into no bookmark and no screenshot.

import type { ApiError, AskAnswer, Choices, Page, Question, RunLine, StudyAnswer, WatchLine, WhyAnswer } from "../generated";
import type { Wants } from "./latest";
import { tokenOf } from "./route";

const TOKEN_KEY = "stripewise-token";
/** A line of a watched run is small; a server that sends more without a line end is not ours. */
const LINE_CHARACTERS_MAX = 64 * 1024;

/** Why an answer did not come. */
export type Trouble =
  /** The server does not know us: no token, or one of an earlier start. */
  | { kind: "no-token" }
  /** The server could not be reached, or it broke off. */
  | { kind: "unreachable" }
  /** Something answered that this page cannot read. */
  | { kind: "broken" }
  /** The server says why not, in its own words; `mayPass` if the same request may be answered later. */
  | { kind: "refused"; error: string; hint: string | null; mayPass: boolean };

/** A request that was not answered as hoped. */
export class RequestError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.kind);
  }
}

/** Returns what to tell about anything that was thrown. */
export function troubleOf(error: unknown): Trouble {
  return error instanceof RequestError ? error.trouble : { kind: "broken" };
}

/** The token on a page whose browser keeps nothing: where site data is blocked, sessionStorage throws. */
let tokenNotKept: string | null = null;

function keepToken(token: string): void {
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    tokenNotKept = token;
  }
}

function keptToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? tokenNotKept;
  } catch {
    return tokenNotKept;
  }
}

/** Takes the token out of the address, if one is there, and keeps it for this tab. */
export function takeToken(): void {
  const token = tokenOf(location.hash);
  if (token !== null) {
    keepToken(token);
    history.replaceState(null, "", "#/runs");
  }
}

/** What to ask for: a preview where there is one, or the final answer. */
const PARAMETERS: Record<Wants, string> = { first: "?preview=true", final: "" };

export const api = {
  runs: (signal?: AbortSignal) => get<RunLine[]>("/api/runs", signal),
  page: (runs: number[], signal?: AbortSignal) => get<Page>(`/api/page?runs=${runs.join(",")}`, signal),
  choices: (signal?: AbortSignal) => get<Choices>("/api/choices", signal),
  /** The preview of an answer comes at once, where the final one takes longer. */
  ask: (question: Question, signal: AbortSignal, wants: Wants) =>
    post<AskAnswer>(`/api/ask${PARAMETERS[wants]}`, question, signal),
  curve: (question: Question, signal: AbortSignal, wants: Wants) =>
    post<AskAnswer>(`/api/ask/curve${PARAMETERS[wants]}`, question, signal),
  why: (question: Question, signal?: AbortSignal) => post<WhyAnswer>("/api/ask/why", question, signal),
  study: (question: Question, signal?: AbortSignal) => post<StudyAnswer>("/api/ask/study", question, signal),
};

/**
 * Calls `seen` with each state of a run that goes on, until it ends or `signal` gives up. Lines that
 * stop before the run has ended are an error: the server was stopped, or something between cut them off.
 */
export async function watch(run: number, seen: (line: WatchLine) => void, signal: AbortSignal): Promise<void> {
  const response = await send(`/api/watch?run=${run}`, { signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (reader !== undefined && rest.length <= LINE_CHARACTERS_MAX) {
    const { done, value } = await reached(reader.read());
    if (done) {
      break;
    }
    const split = splitLines(rest + decoder.decode(value, { stream: true }));
    rest = split.rest;
    for (const text of split.lines) {
      const line = JSON.parse(text) as WatchLine;
      seen(line);
      if (line.state !== "running") {
        return;
      }
    }
  }
  // Nobody waits for it: a stream that hangs must not keep the error from being told.
  reader?.cancel().catch(() => undefined);
  throw new RequestError({ kind: "unreachable" });
}

/** Returns the whole lines of a text, and what of a line follows them. */
export function splitLines(text: string): { lines: string[]; rest: string } {
  const parts = text.split("\n");
  const rest = parts.pop() ?? "";
  return { lines: parts.filter((line) => line.trim() !== ""), rest };
}

async function get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  const response = await send(path, { signal });
  return (await reached(response.json())) as Answer;
}

async function post<Answer>(path: string, question: Question, signal?: AbortSignal): Promise<Answer> {
  const response = await send(path, {
    method: "POST",
    body: JSON.stringify(question),
    headers: { "Content-Type": "application/json" },
    signal,
  });
  return (await reached(response.json())) as Answer;
}

async function send(path: string, request: RequestInit): Promise<Response> {
  const token = keptToken();
  if (token === null) {
    throw new RequestError({ kind: "no-token" });
  }
  const headers = { ...request.headers, Authorization: `Bearer ${token}` };
  const response = await reached(fetch(path, { ...request, headers, cache: "no-store" }));
  if (response.ok) {
    return response;
  }
  if (response.status === 401) {
    throw new RequestError({ kind: "no-token" });
  }
  throw new RequestError(await refusal(response));
}

/** Returns what came over the network; that fails with a TypeError, and with nothing else does it here. */
async function reached<Got>(coming: Promise<Got>): Promise<Got> {
  try {
    return await coming;
  } catch (error) {
    throw error instanceof TypeError ? new RequestError({ kind: "unreachable" }) : error;
  }
}

/** Returns why the server refused: its words, or the status if it has none. */
async function refusal(response: Response): Promise<Trouble> {
  const mayPass = response.status >= 500 || response.status === 429;
  try {
    const said = (await response.json()) as Partial<ApiError>;
    if (typeof said.error === "string") {
      return { kind: "refused", error: said.error, hint: typeof said.hint === "string" ? said.hint : null, mayPass };
    }
  } catch {
    // Not JSON: the status says what there is to say.
  }
  return { kind: "refused", error: `${response.status} ${response.statusText}`, hint: null, mayPass };
}
