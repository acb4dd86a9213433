// Commands that repeat, continue and examine the runs; and their study.

import { useEffect, useState } from "preact/hooks";
import { useText } from "../context";
import { clean } from "../names";

import { runName } from "../things";
import type { Kind, ViewNamed } from "./kinds";

/** How long a button shows that it has copied. */
const SAID_MS = 2000;
const STUDY_MAX = 100_000;

export const commandsKind: Kind<ViewNamed<"commands">> = {
  title: (_page, _view, text) => text.say("view-commands"),
  Component({ page }) {
    const text = useText();
    const studies = [...new Set(page.runs.map((run) => run.study_text))].filter((study) => study !== "");
    return (
      <>
        <h2>{text.say("view-commands")}</h2>
        <p class="says">{text.say("view-commands-says")}</p>
        {page.runs.map((run, index) => (
          <div key={index} class="below">
            {page.runs.length > 1 && <h3>{runName(page, index, text)}</h3>}
            <dl class="commands">
              {run.commands.map((one, at) => (
                <div key={at}>
                  <dt>{text.say(`command-${one.does}`)}</dt>
                  <dd>
                    <Command command={one.command} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
        {studies.map((study, index) => (
          <details key={index} class="below">
            <summary>{text.say("facts-study")}</summary>
            <pre tabIndex={0} dir="auto">
              {study.slice(0, STUDY_MAX)}
            </pre>
          </details>
        ))}
      </>
    );
  },
};

function Command({ command }: { command: string }) {
  const text = useText();
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  const shown = clean(command);
  useEffect(() => {
    // A failure stays visible: the reader must do something else.
    if (result !== "copied") return;
    const timer = setTimeout(() => setResult(null), SAID_MS);
    return () => clearTimeout(timer);
  }, [result]);
  return (
    <>
      <code>{shown}</code>
      <button type="button" aria-label={text.say("copy-label", { command: shown })} onClick={() => void copy(shown).then((isCopied) => setResult(isCopied ? "copied" : "failed"))}>
        {text.say(result === "copied" ? "copied" : "copy")}
      </button>
      <span class="soft" role="status">
        {result === "failed" && text.say("copy-failed")}
      </span>
    </>
  );
}

/** Returns whether the text was copied; the browser may refuse a page opened from disk. */
async function copy(words: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch {
    return false;
  }
}
