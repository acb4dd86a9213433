// What other commands say: `check` of this machine, and what was named when the server was started.

import { useEffect, useState } from "preact/hooks";

import { Button } from "../button";
import type { OfferLine, ShownAnswer } from "../generated";
import { useText } from "../context";
import { save } from "../download";
import type { Text } from "../text";
import { Blocks } from "../views/blocks";
import { api, type Trouble, troubleOf } from "./client";
import { answerFragment } from "./route";
import { TroubleBox } from "./trouble";

/** Returns what `get` brings, anew whenever `key` changes; what belongs to an earlier key is never shown. */
function useAnswer<Got>(key: string, get: (signal: AbortSignal) => Promise<Got>) {
  const [state, setState] = useState<{ key: string; got?: Got; trouble?: Trouble }>({ key });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    setState({ key });
    get(control.signal).then(
      (got) => setState({ key, got }),
      (error: unknown) => {
        if (!control.signal.aborted) setState({ key, trouble: troubleOf(error) });
      },
    );
    return () => control.abort();
  }, [key, attempt]);
  const { got, trouble } = state.key === key ? state : { got: undefined, trouble: undefined };
  return { got, trouble, retry: () => setAttempt((before) => before + 1) };
}

function named({ title, about }: OfferLine, text: Text): string {
  return about === null ? text.tell(title) : `${text.tell(title)}: ${text.tell(about)}`;
}

/** The answers that the page offers. */
export function Answers() {
  const text = useText();
  const { got, trouble, retry } = useAnswer("answers", api.answers);
  if (got === undefined) {
    return trouble === undefined ? <p>{text.say("live-loading")}</p> : <TroubleBox trouble={trouble} onRetry={retry} />;
  }
  return (
    <>
      <ul>
        {got.map((offer, index) => (
          <li key={index}>
            <a href={answerFragment(index + 1)}>{named(offer, text)}</a>
          </li>
        ))}
      </ul>
      <p>{text.say("live-answers-hint")}</p>
    </>
  );
}

/** One of them. */
export function Answer({ number }: { number: number }) {
  const text = useText();
  const { got, trouble, retry } = useAnswer(String(number), (signal) => api.answer(number, signal));
  if (got === undefined) {
    return trouble === undefined ? <p>{text.say("live-loading")}</p> : <TroubleBox trouble={trouble} onRetry={retry} />;
  }
  return (
    <section class="view">
      <h2>{text.tell(got.title)}</h2>
      {got.about !== null && <h3>{text.tell(got.about)}</h3>}
      <Blocks blocks={got.blocks} />
      <p class="live-buttons">
        <Button onClick={() => save("answer.json", "application/json", inJson(got))}>
          {text.say("live-answer-json")}
        </Button>
      </p>
    </section>
  );
}

function inJson({ document }: ShownAnswer): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
