// The facts of the machine, the simulated model, and the changes meanwhile.

import { useText } from "../context";
import { clean, inSentence, shorten } from "../names";
import type { PageRun } from "../generated";
import type { Text } from "../text";
import { factWords, runName } from "../things";
import type { Kind, ViewNamed } from "./kinds";

const VALUE_MAX = 400;

export const factsKind: Kind<ViewNamed<"facts">> = {
  title: (_page, _view, text) => text.say("view-facts"),
  Component({ page }) {
    const text = useText();
    return (
      <>
        <h2>{text.say("view-facts")}</h2>
        <p class="says">{text.say("view-facts-says")}</p>
        {page.runs.map((run, index) => (
          <RunFacts key={index} run={run} name={runName(page, index, text)} />
        ))}
      </>
    );
  },
};

/** Returns the kernel whose rules were simulated; an unknown kernel has those of the nearest known one. */
function rulesWords(model: NonNullable<PageRun["model"]>, text: Text): string {
  const [kernel, rules] = [inSentence(model.kernel, 40), inSentence(model.kernel_rules, 40)];
  return rules === kernel ? kernel : text.say("facts-nearest-rules", { rules, kernel });
}

function RunFacts({ run, name }: { run: PageRun; name: string }) {
  const text = useText();
  const title = text.say("facts-of", { run: name });
  return (
    <div class="below">
      <h3>{title}</h3>
      {run.model && (
        <p>
          {text.say("facts-model", {
            kernel: rulesWords(run.model, text),
            host: inSentence(run.model.host, 60),
            devices: run.model.devices.map((device) => inSentence(device, 60)).join(", "),
          })}
        </p>
      )}
      <Changed changes={run.changed_facts} />
      {run.facts.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table class="facts">
            <caption class="visually-hidden">{title}</caption>
            <tbody>
              {run.facts.map((fact, index) => (
                <tr key={index}>
                  <th scope="row">
                    {factWords(fact.key, text)}
                    {fact.of !== null && (
                      <>
                        {" "}
                        <bdi>{shorten(clean(fact.of), 60)}</bdi>
                      </>
                    )}
                  </th>
                  <td dir="auto">{shorten(text.tell(fact.value), VALUE_MAX)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function Changed({ changes }: { changes: PageRun["changed_facts"] }) {
  const text = useText();
  if (changes.length === 0) return null;
  const columns = ["fact", "before", "now"];
  return (
    <div class="changed">
      <h4>{text.say("facts-changed")}</h4>
      <p class="soft">{text.say("facts-changed-note")}</p>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {text.say(`column-${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map((change, index) => (
            <tr key={index}>
              <th scope="row">{factWords(change.fact, text)}</th>
              <td dir="auto">{shorten(clean(change.before), VALUE_MAX)}</td>
              <td dir="auto">{shorten(clean(change.now), VALUE_MAX)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
