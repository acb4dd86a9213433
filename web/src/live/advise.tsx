// What to build: the form of the devices, the loads and what is required, and the designs as a picture.
//
// A search takes seconds to minutes. Its decision is shown as soon as the search has it, marked as a
// preview; the whole answer replaces it. A change of the form ends the search and begins another one.

import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Button, Note } from "../button";
import type { AdviceAnswer, AdviceLine, AdviceQuestion, Choices } from "../generated";
import { useText } from "../context";
import { span } from "../format";
import { drawn } from "../views/blocks";
import { Choosing } from "./ask";
import { advise, type Trouble, troubleOf } from "./client";
import { Group, Slider } from "./controls";
import { DevicePick, FilesystemChoice } from "./form";
import { Picture } from "./picture";
import { adviceFrom, adviceParametersOf, LOADS_MAX, WEIGHTS } from "./question";
import { TroubleBox } from "./trouble";

/** How long the form must rest before a search begins. */
const REST_MS = 400;
/** So many of the sliders are about devices; the others are about what is required. */
const DEVICE_SLIDERS = 2;

export function Advise({ parameters }: { parameters: URLSearchParams }) {
  return <Choosing>{(choices) => <Advised choices={choices} parameters={parameters} />}</Choosing>;
}

interface Search {
  line: AdviceLine | null;
  answer: AdviceAnswer | null;
  trouble: Trouble | null;
  state: "busy" | "done" | "stopped";
}

function Advised({ choices, parameters }: { choices: Choices; parameters: URLSearchParams }) {
  const [question, setQuestion] = useState(() => adviceFrom(parameters, choices));
  const [attempt, setAttempt] = useState(0);
  const [search, setSearch] = useState<Search>({ line: null, answer: null, trouble: null, state: "busy" });
  const control = useRef<AbortController | null>(null);
  const change = (of: Partial<Search>) => setSearch((before) => ({ ...before, ...of }));
  // A fragment that the reader typed or bookmarked is a question; what the form asks becomes one.
  useEffect(() => setQuestion(adviceFrom(parameters, choices)), [parameters]);
  const words = adviceParametersOf(question, choices.advice.question).toString();
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, "", `#/advise${words && `?${words}`}`), REST_MS);
    return () => clearTimeout(timer);
  }, [words]);
  useEffect(() => {
    const mine = new AbortController();
    control.current = mine;
    change({ line: null, trouble: null, state: "busy" });
    const seen = (line: AdviceLine) =>
      mine.signal.aborted || change(line.answer === null ? { line } : { line, answer: line.answer });
    const timer = setTimeout(() => {
      advise(question, seen, mine.signal).then(
        () => change({ state: "done" }),
        (error: unknown) => mine.signal.aborted || change({ trouble: troubleOf(error), state: "done" }),
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [question, attempt]);
  return (
    <div class="live-ask">
      <Form question={question} choices={choices} onChange={(part) => setQuestion({ ...question, ...part })} />
      <Shown
        search={search}
        onStop={() => {
          control.current?.abort();
          change({ state: "stopped" });
        }}
        onAgain={() => setAttempt(attempt + 1)}
      />
    </div>
  );
}

interface FormProps {
  question: AdviceQuestion;
  choices: Choices;
  onChange: (part: Partial<AdviceQuestion>) => void;
}

function Form({ question, choices, onChange }: FormProps) {
  const text = useText();
  const { sliders } = choices.advice;
  const drawnOf = (from: number, to?: number) =>
    sliders.slice(from, to).map(({ key, label, steps }) => (
      <Slider
        key={key}
        label={text.tell(label)}
        steps={steps.map((_, index) => index)}
        value={steps.findIndex(({ value }) => value === question[key as "count"])}
        words={(index) => text.show(steps[index]!.shown)}
        onInput={(index) => onChange({ [key]: steps[index]?.value })}
      />
    ));
  return (
    <form class="live-form" aria-label={text.say("live-title-advise")} onSubmit={(event) => event.preventDefault()}>
      <Group label={text.say("live-advise-devices")}>
        <DevicePick question={question} choices={choices} onChange={onChange} />
        {drawnOf(0, DEVICE_SLIDERS)}
        <FilesystemChoice question={question} choices={choices} onChange={onChange} />
      </Group>
      <Loads question={question} choices={choices} onChange={onChange} />
      <Group label={text.say("live-advise-required")}>{drawnOf(DEVICE_SLIDERS)}</Group>
    </form>
  );
}

/** The loads, and an empty one to add another; one without words is left out. */
function Loads({ question: { loads }, choices, onChange }: FormProps) {
  const text = useText();
  const id = useId();
  const put = (place: number, load: string, weight: number) =>
    onChange({ loads: [...loads.slice(0, place), { load, weight }, ...loads.slice(place + 1)].filter((one) => one.load !== "") });
  const shown = loads.length < LOADS_MAX ? [...loads, { load: "", weight: 1 }] : loads;
  return (
    <Group label={text.say("live-advise-loads")}>
      <datalist id={id}>
        {choices.workloads.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {shown.map(({ load, weight }, index) => {
        const number = { number: String(index + 1) };
        return (
          <div key={index} class="live-control live-advise-load">
            <label>
              {text.say("live-advise-load", number)}
              <input type="text" list={id} maxLength={200} value={load} onChange={(event) => put(index, event.currentTarget.value.trim(), weight)} />
            </label>
            {loads.length > 1 && load !== "" && (
              <Slider label={text.say("live-advise-weight", number)} steps={WEIGHTS} value={weight} words={String} onInput={(value) => put(index, load, value)} />
            )}
          </div>
        );
      })}
      <Note>{text.say("live-advise-load-note")}</Note>
    </Group>
  );
}

interface ShownProps {
  search: Search;
  onStop: () => void;
  onAgain: () => void;
}

function Shown({ search: { line, answer, trouble, state }, onStop, onAgain }: ShownProps) {
  const text = useText();
  const isBusy = state === "busy";
  const done = line?.done ?? 0;
  const progress = {
    percent: String(Math.round(100 * done)),
    time: line?.left_ns == null ? "–" : span(line.left_ns, text.language),
  };
  return (
    <>
      <section class="live-headline live-advise-headline" aria-busy={isBusy}>
        {trouble !== null && <TroubleBox trouble={trouble} onRetry={onAgain} />}
        <div class="live-advise-progress">
          {isBusy && <progress max={1} value={done} aria-label={text.say("live-advise-searching")} />}
          {state !== "done" && <Note>{text.say(`live-advise-${state}`, progress)}</Note>}
          {(isBusy || state === "stopped") && <Button onClick={isBusy ? onStop : onAgain}>{text.say(`live-advise-then-${state}`)}</Button>}
        </div>
        {answer !== null && (
          <div class="blocks live-advise-decision" role="status" data-stale={isBusy && !answer.is_preview} data-preview={answer.is_preview}>
            {drawn(answer.blocks.slice(0, 1), text)}
          </div>
        )}
      </section>
      <div class="live-details" data-stale={trouble !== null}>
        {answer !== null && (
          <>
            {answer.picture.designs.length > 0 && <Picture picture={answer.picture} />}
            <section class="view live-across blocks">
              <h3 class="visually-hidden">{text.say("live-answer")}</h3>
              {drawn(answer.blocks.slice(1), text)}
            </section>
          </>
        )}
      </div>
    </>
  );
}
