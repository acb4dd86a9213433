// What a figure is: words, numbers as a table, and how to draw it. Everything that shows or exports
// figures goes through this one type.

import type { Text } from "../text";
import type { Theme } from "./theme";

/** An option of the chart library. */
export type Option = Record<string, unknown>;

export interface Table {
  heads: string[];
  rows: string[][];
}

export interface LegendItem {
  name: string;
  /** The number of its look (`lookOf`). */
  look: number;
}

/** What a figure is drawn for. */
export interface Drawing {
  theme: Theme;
  width: number;
  /** The font family of all text. */
  font: string;
  /** Series that are not shown, by name. */
  hidden: ReadonlySet<string>;
  /** Whether the legend is part of the picture; on a page it stands beside it. */
  hasLegend: boolean;
}

export interface Figure {
  /** The id of its view, and what tells figures of one view apart. */
  id: string;
  title: string;
  description: string;
  /** The very numbers, as the text alternative. */
  table(): Table;
  legend: LegendItem[];
  /** What is narrower cannot be read; the page scrolls within the figure instead. */
  widthMin: number;
  /** Returns the height that suits a width. */
  height(width: number): number;
  option(drawing: Drawing): Option;
}

/** The narrowest window that is thought of, less its margins. */
export const WIDTH_MIN = 240;

/** How many series are shown before the reader chooses. */
const SERIES_SHOWN = 8;

/** Returns the series that are hidden at first: those beyond what can be told apart. */
export function hiddenAtFirst(figure: Figure): Set<string> {
  const { legend } = figure;
  return legend.length <= SERIES_SHOWN + 2 ? new Set() : new Set(legend.slice(SERIES_SHOWN).map((item) => item.name));
}

/** How many series a file shows: no reader can choose there, and looks repeat from here on. */
const SERIES_EXPORTED = 24;

/** Returns the series that a file leaves out. */
export function hiddenInExport(figure: Figure): Set<string> {
  return new Set(figure.legend.slice(SERIES_EXPORTED).map((item) => item.name));
}

/** Returns what a picture says of the series that it leaves out; null where it has them all. */
export function leftOutWords(figure: Figure, hidden: ReadonlySet<string>, text: Text): string | null {
  const shown = figure.legend.filter((item) => !hidden.has(item.name)).length;
  if (shown === figure.legend.length) return null;
  return text.say("series-drawn", { shown: String(shown), all: String(figure.legend.length) });
}

/** Returns the description of a picture without the hidden series. */
export function descriptionOf(figure: Figure, hidden: ReadonlySet<string>, text: Text): string {
  const leftOut = leftOutWords(figure, hidden, text);
  return leftOut === null ? figure.description : `${figure.description} ${leftOut}`;
}
