// The report's document: everything around the report.

import { render } from "preact";
import { useEffect } from "preact/hooks";
import { useText } from "./context";
import { Controls } from "./controls";
import { inSentence } from "./names";
import type { Page } from "./generated";
import { Report } from "./report";
import { argumentWords } from "./text";

/** Shows the page that `json` holds. */
export function mount(json: string): void {
  const root = document.getElementById("app") ?? document.body.appendChild(document.createElement("div"));
  render(<Shell {...read(json)} />, root);
  goToFragment();
}

type Read = { page: Page; trouble: null } | { page: null; trouble: { id: string; args: Record<string, string> } };

function read(json: string): Read {
  try {
    const page = JSON.parse(json) as Page;
    if (page.schema !== 1) return { page: null, trouble: { id: "not-shown", args: { schema: inSentence(String(page.schema), 20) } } };
    return { page, trouble: null };
  } catch (error) {
    return { page: null, trouble: { id: "broken", args: { reason: inSentence(String(error), 200) } } };
  }
}

/** Scrolls to the view in the address, which did not exist when the browser looked for it. */
function goToFragment(): void {
  const id = location.hash.slice(1);
  if (id !== "" && !id.includes("=")) document.getElementById(decodeURIComponent(id))?.scrollIntoView();
}

function Shell({ page, trouble }: Read) {
  const text = useText();
  useEffect(() => {
    if (page) document.title = text.say("title", { question: argumentWords(page.question, text, 120) });
  }, [page, text]);
  return (
    <>
      <a class="skip" href="#main">
        {text.say("skip")}
      </a>
      <header class="bar">
        <span class="brand">Stripewise</span>
        <Controls />
      </header>
      <main id="main" tabIndex={-1}>
        {page ? (
          <Report page={page} isInFragment />
        ) : (
          <div class="report-body">
            <h1>Stripewise</h1>
            <p role="alert">{trouble && text.say(trouble.id, trouble.args)}</p>
            {trouble?.id === "not-shown" && <p>{text.say("hint-not-shown")}</p>}
          </div>
        )}
      </main>
      <footer class="foot">
        <p>{page && text.say("made-by", { version: inSentence(page.stripewise_version, 40) })}</p>
      </footer>
    </>
  );
}
