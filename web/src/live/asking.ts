// A question in progress and the shown answer: shared by the form, the answer and its curve.

import { useEffect, useRef, useState } from "preact/hooks";

import type { AskAnswer, Question } from "../generated";
import { type Trouble, troubleOf } from "./client";
import { type Handlers, Latest } from "./latest";

/** An answer, its question, and when that was asked (`performance.now()`). */
export interface Shown<Kind> {
  answer: Kind;
  question: Question;
  askedAt: number;
}

export interface Asking<Kind> {
  shown: Shown<Kind> | null;
  isBusy: boolean;
  trouble: Trouble | null;
  ask: (question: Question) => void;
}

/** Asks the server with one request in flight; keeps the shown answer until a newer one arrives. */
export function useAsking<Kind extends AskAnswer>(
  send: Handlers<Question, Kind>["send"],
  restMs: number,
): Asking<Kind> {
  const [shown, setShown] = useState<Shown<Kind> | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const latest = useRef<Latest<Question, Kind> | null>(null);
  latest.current ??= new Latest<Question, Kind>(
    {
      send,
      isPreview: (answer) => answer.is_preview,
      answered: (answer, question, askedAt) => {
        setShown({ answer, question, askedAt });
        setTrouble(null);
      },
      failed: (error) => setTrouble(troubleOf(error)),
      busy: setBusy,
    },
    restMs,
  );
  useEffect(() => () => latest.current?.stop(), []);
  return { shown, isBusy, trouble, ask: (question) => latest.current?.ask(question) };
}
