// The page's data as files to save.

import { Button } from "../button";
import { useText } from "../context";
import { cellsCsv } from "../csv";
import { save } from "../download";
import type { Page } from "../generated";
import type { Kind, ViewNamed } from "./kinds";

/** Returns a name for a file, without characters that a filesystem may refuse. */
function fileName(page: Page, extension: string): string {
  const study = (page.runs[0]?.study ?? "").replace(/[^\w.-]+/g, "-").slice(0, 60);
  return `${study || "stripewise"}.${extension}`;
}

export const dataKind: Kind<ViewNamed<"data">> = {
  title: (_page, _view, text) => text.say("view-data"),
  Component({ page }) {
    const text = useText();
    return (
      <>
        <h2>{text.say("view-data")}</h2>
        <p class="says">{text.say("view-data-says")}</p>
        <dl class="data">
          <dt>
            <Button onClick={() => save(fileName(page, "json"), "application/json", JSON.stringify(page, null, 1))}>
              {text.say("data-json")}
            </Button>
          </dt>
          <dd>{text.say("data-json-says")}</dd>
          <dt>
            <Button onClick={() => save(fileName(page, "csv"), "text/csv", cellsCsv(page))}>
              {text.say("data-csv")}
            </Button>
          </dt>
          <dd>{text.say("data-csv-says")}</dd>
        </dl>
      </>
    );
  },
};
