// The interface of a kind of view.

import type { ComponentType } from "preact";
import type { Figure } from "../charts/figure";
import type { MetricKey, Page, View } from "../generated";
import type { Text } from "../text";

type ViewKind = View["kind"];
export type ViewNamed<Kind extends ViewKind> = Extract<View, { kind: Kind }>;

/** A kind of view: one file each, one line in `index.tsx`. */
export interface Kind<V extends View> {
  /** Its heading, for the table of contents. */
  title(page: Page, view: V, text: Text): string;
  /** The content of the section; it brings its own heading. */
  Component: ComponentType<{ page: Page; view: V }>;
  /** Its figures for export; `cell` if a view shows one cell. */
  figures?(page: Page, view: V, text: Text, cell: number | null): Figure[];
}

/** Returns the metrics of a view that any cell has. */
export function metricsOf(page: Page, metrics: MetricKey[]): MetricKey[] {
  return metrics.filter((metric) => page.cells.some((cell) => cell.estimates[metric]));
}
