// The picture of an answer: the numbers large, the bottleneck, where the time goes, the array map,
// and the curve over request sizes once the controls rest.
//
// The figures are the report's own components, on a page that the server made for one cell.

import { Fragment } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { Button, Note } from "../button";
import type { AskAnswer, Cell, Estimate, MetricKey, Onset, Page, Question, View } from "../generated";
import { useText } from "../context";
import { Copy } from "../copy";
import { bytes, count, duration, interval, percent, quantity } from "../format";
import { clean, inSentence } from "../names";
import { plainDifference } from "../differences";
import { plural, type Text } from "../text";
import { DataTable } from "../views/data_table";
import { ViewOf } from "../views";
import { metricHead } from "../things";
import type { Asking, Shown } from "./asking";
import { Curve } from "./curve";
import { fsyncWords, patternWords, stateNote, stateWords } from "./form";
import { measurePicture } from "./measure";
import { Study } from "./study";
import { TroubleBox } from "./trouble";
import { Why } from "./why";

const METRIC: MetricKey = "bandwidth_bytes_per_s";
/** Up to this size, the rate of I/Os says more than the throughput. */
const SMALL_BYTES = 64 * 1024;
const BESIDE: MetricKey[] = ["iops", "latency_ns_p50", "latency_ns_p99"];
/** The views of the answer's page that are shown, in order; its table has only the row of the numbers
 *  above. */
const FIGURES: View["kind"][] = ["waterfall", "array_map", "members"];
/** From this many devices on the array map needs the whole width. */
const WIDE_MAP_DEVICES_MIN = 7;

interface AnswerProps {
  /** The present question; the picture may still show an earlier one. */
  question: Question;
  answer: Asking<AskAnswer>;
  curve: Asking<AskAnswer>;
  onTry: (question: Question) => void;
}

export function Answer({ question, answer, curve, onTry }: AnswerProps) {
  const text = useText();
  const { shown, isBusy, trouble } = answer;
  const [kept, setKept] = useState<Shown<AskAnswer> | null>(null);
  const retry = () => answer.ask(question);
  const cell = shown?.answer.page.cells[0];
  return (
    <>
      <section class="live-headline" aria-labelledby="live-answer" aria-busy={isBusy}>
        <h2 id="live-answer" class="visually-hidden">
          {text.say("live-answer")}
        </h2>
        {trouble !== null && <TroubleBox trouble={trouble} onRetry={retry} />}
        {shown === null || cell === undefined ? (
          trouble === null && <p>{text.say("live-asking")}</p>
        ) : (
          <>
            <Headline shown={shown} cell={cell} isStale={trouble !== null} />
            <p>
              <Button disabled={isPreview(shown)} onClick={() => setKept(shown)}>
                {text.say("live-keep")}
              </Button>
            </p>
            {kept !== null && <Kept kept={kept} now={cell} onDrop={() => setKept(null)} />}
          </>
        )}
      </section>
      <div
        class="live-details"
        aria-busy={isBusy}
        data-stale={trouble !== null}
        data-preview={isPreview(shown)}
        data-wide-map={question.count >= WIDE_MAP_DEVICES_MIN}
      >
        <div class="live-actions live-across">
          <Why question={question} onTry={onTry} />
          <Study question={question} />
        </div>
        {shown !== null && <Command shown={shown} />}
        <Curve curve={curve} question={question} isToldElsewhere={trouble !== null} />
        {shown !== null && <Figures page={shown.answer.page} />}
      </div>
    </>
  );
}

interface HeadlineProps {
  shown: Shown<AskAnswer>;
  cell: Cell;
  /** Whether a later question has no answer yet. */
  isStale: boolean;
}

interface KeptProps {
  kept: Shown<AskAnswer>;
  now: Cell;
  onDrop: () => void;
}

/** An earlier answer beside the present one: what it was, and how far the present one is from it. */
function Kept({ kept, now, onDrop }: KeptProps) {
  const text = useText();
  const before = kept.answer.page.cells[0];
  if (before === undefined) return null;
  const rows: [MetricKey, string | null, Estimate | undefined, Estimate | undefined][] = [METRIC, ...BESIDE].map((metric) => [
    metric,
    null,
    before.estimates[metric],
    now.estimates[metric],
  ]);
  if (before.fresh !== undefined || now.fresh !== undefined) {
    const fresh = (cell: Cell) => (cell.fresh ?? cell).estimates[METRIC];
    rows.unshift([METRIC, "fresh", fresh(before), fresh(now)]);
  }
  const name = (metric: MetricKey, state: string | null) => [metricHead(metric, text), state === null ? "" : stateWords(state, text)].filter((word) => word !== "").join(", ");
  const value = (metric: MetricKey, estimate: Estimate | undefined) => (estimate === undefined ? "–" : interval(metric, estimate, text.language));
  const table = {
    heads: ["", text.say("live-kept"), text.say("live-now"), text.say("live-kept-difference")],
    rows: rows.map(([metric, state, one, other]) => [
      name(metric, state),
      value(metric, one),
      value(metric, other),
      one === undefined || other === undefined ? "–" : plainDifference(other.value / one.value, text),
    ]),
  };
  return (
    <div class="live-kept">
      <p class="live-of">{text.say("live-kept-of", { question: loadLine(kept.question, before, text) })}</p>
      <DataTable caption={text.say("live-kept")} table={table} />
      <p>
        <Button onClick={onDrop}>
          {text.say("live-drop")}
        </Button>
      </p>
    </div>
  );
}

function isPreview(shown: Shown<AskAnswer> | null): boolean {
  return shown?.answer.is_preview ?? false;
}

function Headline({ shown, cell, isStale }: HeadlineProps) {
  const text = useText();
  const main = cell.estimates[METRIC];
  const limited = cell.bottleneck_sentence === null ? "" : text.tell(cell.bottleneck_sentence);
  const onset = cell.breakdown?.onset;
  const fresh = cell.fresh?.estimates[METRIC];
  return (
    <div data-stale={isStale} data-preview={isPreview(shown)}>
      <p class="live-of">{loadLine(shown.question, cell, text)}</p>
      <p class="live-for">
        {isPreview(shown) && <strong class="live-badge">{text.say("live-preview")}</strong>}
        <span class="live-answer-state" title={stateNote(shown.question.state, text)}>
          {text.say("live-answer-state", { state: stateWords(shown.question.state, text) })}
        </span>
        {shown.question.failed.length > 0 && <span>{failedWords(shown.question, text)}</span>}
        {isPreview(shown) && <span class="live-small">{text.say(previewNote(main !== undefined, isStale))}</span>}
      </p>
      <div class="live-numbers">
        {main !== undefined && <Big metric={METRIC} estimate={main} state={fresh === undefined ? null : "steady"} />}
        {fresh !== undefined && <Big metric={METRIC} estimate={fresh} state="fresh" />}
        {main !== undefined && (
          <dl>
            {BESIDE.map((metric) => (
              <Small key={metric} metric={metric} estimate={cell.estimates[metric]} />
            ))}
          </dl>
        )}
      </div>
      {onset != null && <p class="live-onset">{onsetWords(onset, shown.question, cell, text)}</p>}
      {limited !== "" && <p class="live-limited">{limited}</p>}
      {!isPreview(shown) && <Spoken cell={cell} limited={limited} />}
      <Took shown={shown} />
    </div>
  );
}

/** Returns what a preview is: without a number, the long run was out of its reach. */
function previewNote(hasNumber: boolean, isStale: boolean): string {
  if (!hasNumber) return "live-preview-none";
  return isStale ? "live-preview-only" : "live-preview-note";
}

/** Returns the beginning and the long run of a load, as the terminal does:
 *  `9300 IOPS for the first 32 MiB (3.4 s), then 150 IOPS.` */
export function onsetWords(onset: Onset, question: Question, cell: Cell, text: Text): string {
  const isRandom = question.workload === null ? question.pattern.startsWith("rand") : (cell.block_size_bytes ?? 0) <= SMALL_BYTES;
  const metric: MetricKey = isRandom ? "iops" : METRIC;
  const before = metric === "iops" ? onset.ios_per_s : onset.bytes_per_s;
  const after = cell.estimates[metric];
  return text.say("live-onset", {
    before: quantity(metric, before, text.language),
    bytes: bytes(onset.bytes, text.language),
    time: duration(onset.time_ns, text.language),
    after: after === undefined ? "–" : quantity(metric, after.value, text.language),
  });
}

interface BigProps {
  metric: MetricKey;
  estimate: Estimate;
  /** The state of the devices, where both are shown. */
  state: string | null;
}

function Big({ metric, estimate, state }: BigProps) {
  const text = useText();
  const head = metricHead(metric, text);
  return (
    <p class="live-big">
      {state === null ? (
        <span class="live-small">{head}</span>
      ) : (
        <span class="live-small live-big-state">{`${head}, ${stateWords(state, text)}`}</span>
      )}
      <strong data-metric={metric} data-state={state ?? undefined}>{interval(metric, estimate, text.language)}</strong>
      {estimate.low !== null && estimate.high !== null && (
        <span class="live-small">
          {text.say("live-interval", {
            level: String(Math.round(estimate.level * 100)),
            low: quantity(metric, estimate.low, text.language),
            high: quantity(metric, estimate.high, text.language),
          })}
        </span>
      )}
    </p>
  );
}

function Small({ metric, estimate }: { metric: MetricKey; estimate: Estimate | undefined }) {
  const text = useText();
  return (
    <div>
      <dt>{metricHead(metric, text)}</dt>
      <dd data-metric={metric}>{estimate === undefined ? "–" : interval(metric, estimate, text.language)}</dd>
    </div>
  );
}

/** How long the numbers must be unchanged before they are announced. */
const SPOKEN_AFTER_MS = 800;

/** Announces the answer to screen readers once it is stable: during a drag it would never stop. */
function Spoken({ cell, limited }: { cell: Cell; limited: string }) {
  const text = useText();
  const [said, setSaid] = useState("");
  const words = text.say("live-spoken", {
    throughput: spokenQuantity(METRIC, cell, text),
    iops: spokenQuantity("iops", cell, text),
    limited,
  });
  useEffect(() => {
    const timer = setTimeout(() => setSaid(words), SPOKEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <p class="visually-hidden" role="status">
      {said}
    </p>
  );
}

function spokenQuantity(metric: MetricKey, cell: Cell, text: Text): string {
  const estimate = cell.estimates[metric];
  return estimate === undefined ? "–" : quantity(metric, estimate.value, text.language);
}

function Took({ shown }: { shown: Shown<AskAnswer> }) {
  const text = useText();
  const [tookMs, setTookMs] = useState<number | null>(null);
  useLayoutEffect(() => measurePicture(shown.askedAt, setTookMs), [shown]);
  return (
    <p class="live-small live-took">
      {tookMs !== null &&
        text.say("live-took", {
          took: duration(tookMs * 1e6, text.language),
          simulated: duration(shown.answer.simulated_ns, text.language),
        })}
    </p>
  );
}

/** The command that asks the shown question. */
function Command({ shown }: { shown: Shown<AskAnswer> }) {
  const text = useText();
  const command = shown.answer.page.runs[0]?.commands.find((one) => one.does === "repeat")?.command;
  if (command === undefined) {
    return null;
  }
  const words = clean(command);
  return (
    <section class="live-across live-command" aria-label={text.say("live-command")}>
      <Note>{text.say("live-command")}</Note>
      <div>
        {/* Lines break between words, never within `--option`. */}
        <code tabIndex={0}>
          {words.split(" ").map((word, index) => (
            <Fragment key={index}>
              {index > 0 && " "}
              <span>{word}</span>
            </Fragment>
          ))}
        </code>
        <Copy words={words} />
      </div>
    </section>
  );
}

function Figures({ page }: { page: Page }) {
  return (
    <>
      {FIGURES.flatMap((kind) => page.views.filter((view) => view.kind === kind)).map((view) => (
        <ViewOf key={view.id} page={page} view={view} />
      ))}
    </>
  );
}

/** Returns the question in a line:
 *  `4 × ssd, raid10 n2, chunk 32K: random reads of 64 KiB, one job, depth 8`. */
function loadLine(question: Question, cell: Cell, text: Text): string {
  const load = text.say("live-load-words", {
    pattern: patternWords(question.pattern, text),
    size: bytes(question.block_size_bytes, text.language),
    plural: plural(question.jobs),
    jobs: count(question.jobs, text.language),
    depth: count(question.depth, text.language),
  });
  if (question.workload !== null) {
    return text.say("live-answer-of", { stack: inSentence(cell.stack_words, 120), load: inSentence(question.workload) });
  }
  const more = [
    question.read_percent !== null &&
      text.say("live-load-mix", { reads: percent(question.read_percent / 100, text.language) }),
    question.fsync_every !== null &&
      text.say("live-load-fsync", { every: fsyncWords(question.fsync_every, text) }),
  ];
  const words = [load, ...more.filter((one) => one !== false)].join(", ");
  return text.say("live-answer-of", { stack: inSentence(cell.stack_words, 120), load: words });
}

/** Returns the failed members: `Members 1, 4 have failed; member 1 is being rebuilt`; empty if there are
 *  none. */
function failedWords(question: Question, text: Text): string {
  const [first] = question.failed;
  if (first === undefined) {
    return "";
  }
  return text.say(question.rebuild ? "live-answer-rebuilding" : "live-answer-failed", {
    plural: plural(question.failed.length),
    places: question.failed.join(", "),
    first: String(first),
  });
}
