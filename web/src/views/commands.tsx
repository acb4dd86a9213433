// Commands that repeat, continue and examine the runs; and their study.

import { useText } from "../context";
import { Copy } from "../copy";
import { clean } from "../names";

import { runName } from "../things";
import type { Kind, ViewNamed } from "./kinds";

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
  const shown = clean(command);
  return (
    <>
      <code>{shown}</code>
      <Copy words={shown} label={text.say("copy-label", { command: shown })} />
    </>
  );
}
