// Why: changes to the answer, as a table of effects, each with a button to try it.

import { useEffect, useRef, useState } from "preact/hooks";

import { Button, Note } from "../button";
import type { MetricKey, Question, WhyAnswer } from "../generated";
import { useText } from "../context";
import { interval } from "../format";
import { metricHead } from "../things";
import { api, type Trouble, troubleOf } from "./client";
import { parametersOf } from "./question";
import { TroubleBox } from "./trouble";

type Effect = WhyAnswer["effects"][number];

const METRIC: MetricKey = "bandwidth_bytes_per_s";

interface WhyProps {
  question: Question;
  onTry: (question: Question) => void;
}

export function Why({ question, onTry }: WhyProps) {
  const text = useText();
  const [answer, setAnswer] = useState<{ of: string; effects: Effect[] } | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const control = useRef<AbortController | null>(null);
  useEffect(() => () => control.current?.abort(), []);
  const now = parametersOf(question).toString();
  const ask = async () => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    setWaiting(true);
    setTrouble(null);
    try {
      const { effects } = await api.why(question, mine.signal);
      setAnswer({ of: now, effects });
    } catch (error) {
      if (mine.signal.aborted) {
        return;
      }
      setTrouble(troubleOf(error));
    }
    setWaiting(false);
  };
  return (
    <section class={answer === null ? "live-why" : "view live-why"} aria-busy={isWaiting}>
      <h3 class="visually-hidden">{text.say("live-why-title")}</h3>
      <Button onClick={() => void ask()} disabled={isWaiting}>
        {text.say(answer === null ? "live-why" : "live-why-again")}
      </Button>
      <Note role="status">
        {isWaiting ? text.say("live-why-waiting") : answer !== null && answer.of !== now && text.say("live-why-old")}
      </Note>
      {trouble !== null && <TroubleBox trouble={trouble} onRetry={() => void ask()} />}
      {answer !== null && answer.effects.length === 0 && <p>{text.say("live-why-none")}</p>}
      {answer !== null && answer.effects.length > 0 && <Effects effects={answer.effects} onTry={onTry} />}
    </section>
  );
}

function Effects({ effects, onTry }: { effects: Effect[]; onTry: (question: Question) => void }) {
  const text = useText();
  return (
    <table class="live-effects">
      <caption class="visually-hidden">{text.say("live-why-title")}</caption>
      <thead>
        <tr>
          <th scope="col">{text.say("live-why-change")}</th>
          <th scope="col">{text.say("live-why-effect")}</th>
          <th scope="col">{metricHead(METRIC, text)}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {effects.map((effect) => {
          const change = text.tell(effect.change_sentence);
          const other = effect.question;
          return (
            <tr key={change} data-verdict={effect.verdict} data-better={effect.ratio.value > 1}>
              <th scope="row">{change}</th>
              <td>{text.tell(effect.verdict_sentence)}</td>
              <td class="live-number">
                {interval(METRIC, effect.bandwidth_bytes_per_s, text.language)}
              </td>
              <td>
                {other !== null && (
                  <Button aria-label={text.say("live-why-try-label", { change })} onClick={() => onTry(other)}>
                    {text.say("live-why-try")}
                  </Button>
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
