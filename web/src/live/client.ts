// Requests to the server of this page.
//
// The token comes in the fragment of the address, which browsers never send. It is kept for this
// tab only (for this page only, if the browser stores nothing) and removed from the address, so
// that it appears in no bookmark and no screenshot.

import type {
  AdviceLine,
  AdviceQuestion,
  ApiError,
  AskAnswer,
  Choices,
  OfferLine,
  Page,
  Question,
  RunLine,
  ShownAnswer,
  StudyAnswer,
  WatchLine,
  WhyAnswer,
} from "../generated";
import type { Wants } from "./latest";
import { tokenOf } from "./route";

const TOKEN_KEY = "stripewise-token";
/** A line of a watched run is small; a longer one comes from another server. */
const LINE_CHARACTERS_MAX = 64 * 1024;
/** An answer of a search holds what a reader sees of each design. */
const ADVICE_CHARACTERS_MAX = 8 * 1024 * 1024;

/** Why there is no answer. */
export type Trouble =
  /** The server does not accept us: no token, or one of an earlier start. */
  | { kind: "no-token" }
  /** The server could not be reached, or the connection broke. */
  | { kind: "unreachable" }
  /** This page cannot read the answer. */
  | { kind: "broken" }
  /** The server refused, with its own message; `mayPass` if the same request may succeed later. */
  | { kind: "refused"; error: string; hint: string | null; mayPass: boolean };

/** A request that failed. */
export class RequestError extends Error {
  constructor(readonly trouble: Trouble) {
    super(trouble.kind);
  }
}

/** Returns the trouble to report for anything that was thrown. */
export function troubleOf(error: unknown): Trouble {
  return error instanceof RequestError ? error.trouble : { kind: "broken" };
}

/** The token on a page whose browser stores nothing: if site data is blocked, sessionStorage throws. */
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

/** Takes the token out of the address, if there is one, and keeps it for this tab. */
export function takeToken(): void {
  const token = tokenOf(location.hash);
  if (token !== null) {
    keepToken(token);
    history.replaceState(null, "", "#/runs");
  }
}

/** The parameters for each kind of answer: a preview if there is one, or the final answer. */
const PARAMETERS: Record<Wants, string> = { first: "?preview=true", final: "" };

export const api = {
  runs: (signal?: AbortSignal) => get<RunLine[]>("/api/runs", signal),
  page: (runs: number[], signal?: AbortSignal) => get<Page>(`/api/page?runs=${runs.join(",")}`, signal),
  choices: (signal?: AbortSignal) => get<Choices>("/api/choices", signal),
  /** The answers of other commands. */
  answers: (signal?: AbortSignal) => get<OfferLine[]>("/api/answers", signal),
  answer: (number: number, signal?: AbortSignal) => get<ShownAnswer>(`/api/answer?number=${number}`, signal),
  /** A preview of an answer comes at once if the final one takes longer. */
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
  await linesOf<WatchLine>(response, LINE_CHARACTERS_MAX, (line) => {
    seen(line);
    return line.state !== "running";
  });
}

/** Calls `seen` with each state of a search, until its whole answer is there. */
export async function advise(question: AdviceQuestion, seen: (line: AdviceLine) => void, signal: AbortSignal): Promise<void> {
  const response = await send("/api/ask/advise", posted(question, signal));
  await linesOf<AdviceLine>(response, ADVICE_CHARACTERS_MAX, (line) => {
    if (line.refusal !== null) {
      throw new RequestError({ kind: "refused", ...line.refusal, mayPass: false });
    }
    seen(line);
    return line.answer?.is_preview === false;
  });
}

/** Calls `seen` with each line of an answer, until it returns true; lines that end before are an error. */
async function linesOf<Line>(response: Response, most: number, seen: (line: Line) => boolean): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  while (reader !== undefined && rest.length <= most) {
    const { done, value } = await reached(reader.read());
    if (done) {
      break;
    }
    const split = splitLines(rest + decoder.decode(value, { stream: true }));
    rest = split.rest;
    for (const text of split.lines) {
      if (seen(JSON.parse(text) as Line)) {
        return;
      }
    }
  }
  // Not awaited: a stream that hangs must not delay the error.
  reader?.cancel().catch(() => undefined);
  throw new RequestError({ kind: "unreachable" });
}

/** Returns the whole lines of a text, and the rest of an incomplete line. */
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
  const response = await send(path, posted(question, signal));
  return (await reached(response.json())) as Answer;
}

function posted(question: unknown, signal?: AbortSignal): RequestInit {
  return { method: "POST", body: JSON.stringify(question), headers: { "Content-Type": "application/json" }, signal };
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

/** Returns the result of a network access. It fails with a TypeError, and nothing else here does. */
async function reached<Got>(coming: Promise<Got>): Promise<Got> {
  try {
    return await coming;
  } catch (error) {
    throw error instanceof TypeError ? new RequestError({ kind: "unreachable" }) : error;
  }
}

/** Returns why the server refused: its message, or the status if there is none. */
async function refusal(response: Response): Promise<Trouble> {
  const mayPass = response.status >= 500 || response.status === 429;
  try {
    const said = (await response.json()) as Partial<ApiError>;
    if (typeof said.error === "string") {
      return { kind: "refused", error: said.error, hint: typeof said.hint === "string" ? said.hint : null, mayPass };
    }
  } catch {
    // Not JSON: the status has to do.
  }
  return { kind: "refused", error: `${response.status} ${response.statusText}`, hint: null, mayPass };
}
