// The question as a study file: shown, copied, downloaded, and the command that runs it.

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Button } from "../button";
import type { Question, StudyAnswer } from "../generated";
import { useText } from "../context";
import { Copy } from "../copy";
import { save } from "../download";
import { api, type Trouble, troubleOf } from "./client";
import { parametersOf } from "./question";
import { TroubleBox } from "./trouble";

/** The name of the file if the command names none. */
const FILE_NAME = "question.toml";

export function Study({ question }: { question: Question }) {
  const text = useText();
  const [study, setStudy] = useState<StudyAnswer | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const control = useRef<AbortController | null>(null);
  // A study of an earlier question beside this picture would be mistaken for this one's, even one
  // that is still to arrive.
  const now = parametersOf(question).toString();
  useEffect(() => {
    setStudy(null);
    setTrouble(null);
    return () => control.current?.abort();
  }, [now]);
  const ask = async () => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setTrouble(null);
    try {
      const answer = await api.study(question, mine.signal);
      if (!mine.signal.aborted) {
        setStudy(answer);
      }
    } catch (error) {
      if (!mine.signal.aborted) {
        setTrouble(troubleOf(error));
      }
    }
  };
  return (
    <section class={study === null ? "live-study" : "view live-study"}>
      <h3 class="visually-hidden">{text.say("live-study-title")}</h3>
      {study === null && (
        <Button onClick={() => void ask()}>
          {text.say("live-study")}
        </Button>
      )}
      {trouble !== null && <TroubleBox trouble={trouble} onRetry={() => void ask()} />}
      {study !== null && <Shown study={study} onClose={() => setStudy(null)} />}
    </section>
  );
}

function Shown({ study, onClose }: { study: StudyAnswer; onClose: () => void }) {
  const text = useText();
  const id = useId();
  const { toml } = study;
  const name = fileNameIn(study.command);
  return (
    <>
      {toml === null ? (
        <p id={id}>{text.say("live-study-none")}</p>
      ) : (
        <>
          <p id={id}>{text.say("live-study-title")}</p>
          <pre class="live-code" tabIndex={0} role="region" aria-labelledby={id}>
            {toml}
          </pre>
          <p class="live-buttons">
            <Copy words={toml} />
            <Button onClick={() => save(name, "application/toml", toml)}>
              {text.say("live-download")}
            </Button>
          </p>
          <p>{text.say("live-study-file", { name })}</p>
        </>
      )}
      <pre class="live-code" tabIndex={0}>
        {study.command}
      </pre>
      <p class="live-buttons">
        <Copy words={study.command} />
        <Button onClick={onClose}>
          {text.say("live-close")}
        </Button>
      </p>
    </>
  );
}

/** Returns the name of the study file in the command that runs it. */
export function fileNameIn(command: string): string {
  return /(?:^|\s)([A-Za-z0-9._-]{1,80}\.toml)(?:\s|$)/.exec(command)?.[1] ?? FILE_NAME;
}
