// Asking: the form, and the picture that follows it during a drag.
//
// A change goes to the server directly from the input event, before anything is drawn; the picture
// stays until the next one arrives. Expensive parts (the curve over request sizes, the address)
// wait until the controls rest.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { AskAnswer, Choices, Question } from "../generated";
import { useText } from "../context";
import { Answer } from "./answer";
import { api, type Trouble, troubleOf } from "./client";
import { useAsking } from "./asking";
import { Form } from "./form";
import { asked, parametersOf, type Wish, wishFrom } from "./question";
import { useRuns } from "./runs";
import { TroubleBox } from "./trouble";

/** How long the controls must rest before the curve is drawn. */
const REST_MS = 250;

/** How often the list of runs to lay over is refreshed. */
const RUNS_REFRESH_MS = 15_000;

export function Ask({ parameters }: { parameters: URLSearchParams }) {
  return <Choosing>{(choices) => <Asked choices={choices} parameters={parameters} />}</Choosing>;
}

/** What needs the choices of a question, once the server has told them. */
export function Choosing({ children }: { children: (choices: Choices) => ComponentChildren }) {
  const text = useText();
  const [choices, setChoices] = useState<Choices | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setTrouble(null);
    api.choices(control.signal).then(setChoices, (error: unknown) => {
      if (!control.signal.aborted) {
        setTrouble(troubleOf(error));
      }
    });
    return () => control.abort();
  }, [attempt]);
  if (choices === null) {
    return trouble === null ? (
      <p>{text.say("live-loading")}</p>
    ) : (
      <TroubleBox trouble={trouble} onRetry={() => setAttempt(attempt + 1)} />
    );
  }
  return <>{children(choices)}</>;
}

function Asked({ choices, parameters }: { choices: Choices; parameters: URLSearchParams }) {
  const [wish, setWish] = useState(() => wishFrom(parameters, choices));
  const { runs } = useRuns(RUNS_REFRESH_MS);
  const answer = useAsking<AskAnswer>(api.ask, 0);
  const curve = useAsking<AskAnswer>(api.curve, REST_MS);
  const current = useRef(wish);
  const go = (next: Wish) => {
    const question = asked(next, choices);
    current.current = next;
    answer.ask(question);
    curve.ask(question);
    setWish(next);
  };
  // A fragment that the reader typed or bookmarked is a question; the first one too.
  useEffect(() => go(wishFrom(parameters, choices)), [parameters]);
  const question = asked(wish, choices);
  const fragment = `#/ask?${parametersOf(question).toString()}`;
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, "", fragment), REST_MS);
    return () => clearTimeout(timer);
  }, [fragment]);
  return (
    <div class="live-ask">
      <Form
        wish={wish}
        question={question}
        choices={choices}
        runs={runs ?? []}
        onChange={(change) => go({ ...current.current, ...change })}
      />
      <Answer
        question={question}
        answer={answer}
        curve={curve}
        onTry={(other) => go({ ...current.current, ...withoutNulls(other) })}
      />
    </div>
  );
}

/** Returns the parts of a question that have a value: a level without chunks, or a load without reads,
 *  keeps the wish. */
function withoutNulls(question: Question): Partial<Wish> {
  const { layout, chunk_bytes, read_percent, ...rest } = question;
  return {
    ...rest,
    ...(layout === null ? {} : { layout }),
    ...(chunk_bytes === null ? {} : { chunk_bytes }),
    ...(read_percent === null ? {} : { read_percent }),
  };
}
