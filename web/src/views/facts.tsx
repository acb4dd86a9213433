// The simulated model, the changes meanwhile, and the facts of the machine.

import { useText } from "../context";
import { runName } from "../things";
import { Blocks } from "./blocks";
import type { Kind, ViewNamed } from "./kinds";

export const factsKind: Kind<ViewNamed<"facts">> = {
  title: (_page, _view, text) => text.say("view-facts"),
  Component({ page }) {
    const text = useText();
    return (
      <>
        <h2>{text.say("view-facts")}</h2>
        <p class="says">{text.say("view-facts-says")}</p>
        {page.runs.map((run, index) => (
          <div key={index} class="below">
            <h3>{text.say("facts-of", { run: runName(page, index, text) })}</h3>
            <Blocks blocks={run.facts} />
          </div>
        ))}
      </>
    );
  },
};
