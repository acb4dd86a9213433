// The entry of our script. In a browser it shows the content of the document: a report
// (`<script type="application/json" id="page">`) or the live page (`id="live"`). Without a document
// it offers the figures to the engine of `stripewise export`.

import { svgOf } from "./charts/draw";
import { descriptionOf, hiddenInExport } from "./charts/figure";
import type { ThemeName } from "./charts/theme";
import { begin } from "./context";
import { mount as mountLive } from "./live/app";
import type { Page } from "./generated";
import { mount as mountReport } from "./shell";
import { languageOf, textOf } from "./text";
import { figureOf, figuresOf } from "./views";

interface FigureChoices {
  language: string;
  theme: ThemeName;
  width: number;
  /** Null for the height that suits the width. */
  height: number | null;
}

/** Returns the figures of a page as JSON: `[{ id, title, description }]`. */
function figures(pageJson: string, language: string): string {
  const page = JSON.parse(pageJson) as Page;
  const text = textOf(languageOf(language));
  const described = figuresOf(page, text).map((one) => ({ id: one.id, title: one.title, description: descriptionOf(one, hiddenInExport(one), text) }));
  return JSON.stringify(described);
}

/** Returns a figure as an SVG document. Throws an `Error` if there is no such figure. */
function figure(pageJson: string, id: string, choices: FigureChoices): string {
  const page = JSON.parse(pageJson) as Page;
  const text = textOf(languageOf(choices.language));
  const found = figureOf(page, id, text);
  if (found === null) throw new Error(`there is no figure \`${id}\``);
  const theme = choices.theme === "dark" ? "dark" : "light";
  return svgOf(found, text, theme, choices.width, choices.height ?? null, hiddenInExport(found));
}

if (typeof document === "undefined") {
  const bare = globalThis as { setTimeout?: unknown; stripewise?: unknown };
  // The chart library requests the next frame of an animation; there is none, and nothing moves.
  bare.setTimeout ??= () => 0;
  bare.stripewise = { figures, figure };
} else {
  begin();
  const page = document.getElementById("page");
  if (page) mountReport(page.textContent ?? "");
  else if (document.getElementById("live")) mountLive(document.getElementById("app") ?? document.body);
}
