// A figure: words, numbers as a table, and a function to draw it. Everything that shows or exports
// figures uses this type.

import type { Table as AnswerTable } from "../generated";
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
  /** The index of its look (`lookOf`). */
  look: number;
}

/** The settings of a drawing. */
export interface Drawing {
  theme: Theme;
  width: number;
  /** The font family of all text. */
  font: string;
  /** The names of hidden series. */
  hidden: ReadonlySet<string>;
  /** Whether the legend is part of the picture; on a page it is beside it. */
  hasLegend: boolean;
}

export interface Figure {
  /** The id of its view, with a suffix for each figure of one view. */
  id: string;
  title: string;
  description: string;
  /** The exact numbers, as the text alternative. */
  table(): Table;
  legend: LegendItem[];
  /** The narrowest readable width; below it the page scrolls within the figure. */
  widthMin: number;
  /** Returns the height for a width. */
  height(width: number): number;
  option(drawing: Drawing): Option;
}

/** Returns a table of an answer in words: what only eyes can use is left out. */
export function tableOf({ columns, rows }: AnswerTable, text: Text): Table {
  const told = columns.flatMap((column, at) => (column.kind === "bar" || column.kind === "chart" ? [] : [{ column, at }]));
  return {
    heads: told.map(({ column }) => text.show(column.name ?? column.head)),
    rows: rows.map(({ cells }) =>
      told.map(({ at }) => {
        const shown = cells[at]?.shown ?? null;
        return shown === null ? "" : text.show(shown);
      }),
    ),
  };
}

/** The narrowest supported window, less its margins. */
export const WIDTH_MIN = 240;

/** The number of series shown before the reader chooses. */
const SERIES_SHOWN = 8;

/** Returns the series hidden at first: more cannot be distinguished. */
export function hiddenAtFirst(figure: Figure): Set<string> {
  const { legend } = figure;
  return legend.length <= SERIES_SHOWN + 2 ? new Set() : new Set(legend.slice(SERIES_SHOWN).map((item) => item.name));
}

/** The number of series in a file: no reader can choose there, and looks repeat from here on. */
const SERIES_EXPORTED = 24;

/** Returns the series that a file leaves out. */
export function hiddenInExport(figure: Figure): Set<string> {
  return new Set(figure.legend.slice(SERIES_EXPORTED).map((item) => item.name));
}

/** Returns the note on the series that a picture leaves out; null if it has them all. */
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
