// The report: the question, the answer in words, and the views.

import { useText } from "./context";
import { count, date } from "./format";
import { inSentence } from "./names";
import type { Answer, Page, PageRun } from "./generated";
import { useNarrow, usePrinting } from "./screen";
import { argumentWords, plural, type Text } from "./text";
import { worldWords } from "./things";
import { titleOf, ViewOf } from "./views";
import { Boundary } from "./views/boundary";
import { Quoted } from "./views/quoted";
import { SelectionOf } from "./views/selection";

/** A question is a sentence or two; longer text is in the study file below. */
const QUESTION_MAX = 400;

interface ReportProps {
  page: Page;
  /** Whether the selected cells are kept in the page's address: not if the address has another use. */
  isInFragment?: boolean;
}

export function Report({ page, isInFragment = false }: ReportProps) {
  return (
    <SelectionOf page={page} isInFragment={isInFragment}>
      <div class="report">
        <Boundary of={page}>
          <Contents page={page} />
        </Boundary>
        <div class="report-body">
          <Boundary of={page}>
            <Opening page={page} />
          </Boundary>
          {page.views.map((view) => (
            <ViewOf key={view.id} page={page} view={view} />
          ))}
        </div>
      </div>
    </SelectionOf>
  );
}

function Contents({ page }: { page: Page }) {
  const text = useText();
  return (
    <nav class="contents" aria-labelledby="contents-title">
      <h2 id="contents-title">{text.say("contents")}</h2>
      <ol>
        <li>
          <a href="#answer">{text.say("answer")}</a>
        </li>
        {page.views.map((view) => (
          <li key={view.id}>
            <a href={`#${view.id}`}>{titleOf(page, view, text)}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Opening({ page }: { page: Page }) {
  const text = useText();
  return (
    <section class="opening" id="answer" aria-labelledby="question">
      <h1 id="question" dir="auto">
        {argumentWords(page.question, text, QUESTION_MAX)}
      </h1>
      <h2 class="visually-hidden">{text.say("answer")}</h2>
      {page.answer.length === 0 ? <p>{text.say("answer-none")}</p> : <Claims claims={page.answer} />}
      <ul class="runs">
        {page.runs.map((run) => (
          <li key={run.id} data-world={run.world}>
            <p>
              {runWords(run, text)}
            </p>
            {text.has(`world-${run.world}-note`) && <p class="soft">{text.say(`world-${run.world}-note`)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns which study a run is of, in which world, when it began, and its samples. */
function runWords(run: PageRun, text: Text): string {
  const line = text.say("run-line", {
    id: String(run.id),
    study: inSentence(run.study),
    world: worldWords(run.world, text),
    state: text.say(`state-${run.state}`),
    started: date(run.started_unix_ns, text.language),
  });
  const samples = text.say("samples-counted", {
    counted: plural(run.samples_counted),
    counted_text: count(run.samples_counted, text.language),
    all_text: count(run.samples_all, text.language),
  });
  return `${line} ${samples}.`;
}

/** What the figures below show, too: on a narrow screen it is folded, so that the first of them is near. */
const SHOWN_BELOW: Answer["claim"][] = ["largest", "cost", "against", "differs", "untold", "limits", "settled"];

function isShownBelow(claim: Answer): boolean {
  const own = claim.claim === "in_state" ? claim.of.claim : claim.claim;
  return SHOWN_BELOW.includes(own);
}

/** The first claims are the answer; the others qualify it. */
function Claims({ claims }: { claims: Answer[] }) {
  const text = useText();
  const isNarrow = useNarrow();
  const isPrinting = usePrinting();
  const [first, ...rest] = claims;
  const isFolded = (claim: Answer) => isNarrow && !isPrinting && isShownBelow(claim);
  const folded = rest.filter(isFolded);
  return (
    <div class="claims">
      <p class="claim-first">
        <Quoted words={first === undefined ? "" : text.tell(first.sentence)} />
      </p>
      <ClaimList claims={rest.filter((claim) => !isFolded(claim))} />
      {folded.length > 0 && (
        <details>
          <summary>{text.say("answer-more", { count: count(folded.length, text.language) })}</summary>
          <ClaimList claims={folded} />
        </details>
      )}
    </div>
  );
}

function ClaimList({ claims }: { claims: Answer[] }) {
  const text = useText();
  if (claims.length === 0) return null;
  return (
    <ul>
      {claims.map((claim, index) => (
        <li key={index}>
          <Quoted words={text.tell(claim.sentence)} />
        </li>
      ))}
    </ul>
  );
}
