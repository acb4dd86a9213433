// The report: the question, the answer in words, and the views.

import { useText } from "./context";
import { date } from "./format";
import { clean, shorten } from "./names";
import type { Page } from "./generated";
import { claimWords, runStarted, samplesWords } from "./words";
import { titleOf, ViewOf } from "./views";
import { Boundary } from "./views/boundary";
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
  const claims = page.answer.map((claim) => claimWords(page, claim, text)).filter((words) => words !== "");
  return (
    <section class="opening" id="answer" aria-labelledby="question">
      <h1 id="question" dir="auto">
        {shorten(clean(page.question), QUESTION_MAX)}
      </h1>
      <h2 class="visually-hidden">{text.say("answer")}</h2>
      {claims.length === 0 ? <p>{text.say("answer-none")}</p> : <Claims claims={claims} />}
      <ul class="runs">
        {page.runs.map((run) => (
          <li key={run.id} data-world={run.world}>
            <p>
              {runStarted(run, text, date(run.started_unix_ns, text.language))} {samplesWords(run, text)}.
            </p>
            {text.has(`world-${run.world}-note`) && <p class="soft">{text.say(`world-${run.world}-note`)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The first claims are the answer; the others qualify it. */
function Claims({ claims }: { claims: string[] }) {
  const [first, ...rest] = claims;
  return (
    <div class="claims">
      <p class="claim-first">{first}</p>
      {rest.length > 0 && (
        <ul>
          {rest.map((claim) => (
            <li key={claim}>{claim}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
