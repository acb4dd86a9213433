// A metric by two axes: a box for each pair of values, with its number. The colours differ in
// lightness alone, so the map is readable without colour and in print.

import { higherIsBetter, local, quantity, scaleOf, threeDigits } from "../format";
import { label } from "../names";
import type { Cell, MetricKey, Page, View } from "../generated";
import type { Language, Text } from "../text";
import { axisWords, metricHead, runName } from "../things";
import { axisOf, cellHover, cellTable, indicesOf, panelsOf, valueOf } from "./cells";
import type { Drawing, Figure, Option } from "./figure";
import { base, panelPlace, panelsHeight, panelTitle, textWidth, tooltip, type Panels, type Place } from "./parts";
import { inStates, STATE } from "./states";
import { inkOn, rampColor } from "./theme";

type HeatMapView = Extract<View, { kind: "heat_map" }>;

const ROW = 30;
const COLUMN_MIN = 52;
/** A panel narrower than this has no room for its title. */
const PANEL_MIN = 320;
/** A box narrower than this has no room for its number. */
const COLUMN_READABLE = 40;
const WIDTH_MIN_MOST = 1600;
/** More rows than this belong in a table. */
const ROWS_MAX = 48;
/** From this ratio on, steps of the ramp are factors; otherwise one large value makes all others look
 *  alike. */
const LOGARITHMIC_FROM = 20;

interface Panel {
  name: string;
  cells: Cell[];
}

interface Chart {
  page: Page;
  /** The index of each cell in the page's list. */
  indices: Map<Cell, number>;
  view: HeatMapView;
  text: Text;
  metric: MetricKey;
  panels: Panel[];
  rows: string[];
  columns: string[];
  layout: Panels;
}

/** Returns the figure of a heat map. */
export function heatMap(ofPage: Page, view: HeatMapView, text: Text, metric: MetricKey): Figure {
  const { page, isInBoth } = inStates(ofPage, view, metric, text);
  const all = page.cells.filter((cell) => cell.estimates[metric]);
  const valuesOf = (key: string) => {
    const found = new Set(all.map((cell) => valueOf(page, cell, key)));
    return (axisOf(page, key)?.values ?? []).filter((value) => found.has(value));
  };
  const [allRows, columns] = [valuesOf(view.rows), valuesOf(view.columns)];
  const rows = allRows.slice(0, ROWS_MAX);
  const shown = new Set(rows);
  const cells = all.filter((cell) => shown.has(valueOf(page, cell, view.rows)));
  const states = isInBoth ? (axisOf(page, STATE)?.values ?? []) : [null];
  const panels = states.flatMap((state) => worldPanels(page, view, cells.filter((cell) => state === null || valueOf(page, cell, STATE) === state), state, text));
  const left = Math.min(Math.max(...rows.map((row) => textWidth(label(row, 20))), textWidth(axisWords(view.rows, text)), 30) + 16, 150);
  const layout: Panels = {
    count: panels.length,
    widthMin: Math.max(left + columns.length * COLUMN_MIN + 20, PANEL_MIN),
    panelHeight: rows.length * ROW,
    left,
    right: 12,
    top: 46,
    bottom: 44,
  };
  const chart: Chart = { page, indices: indicesOf(page), view, text, metric, panels, rows, columns, layout };
  const words = { metric: metricHead(metric, text), rows: axisWords(view.rows, text), columns: axisWords(view.columns, text) };
  const says = text.say("view-heat-map-says", { ...words, better: text.say(higherIsBetter(metric) ? "better-higher" : "better-lower") });
  const more = allRows.length - rows.length;
  return {
    id: `${view.id}-${metric}`,
    title: text.say("view-heat-map", words),
    description: more > 0 ? `${says} (${text.say("and-more", { count: String(more) })})` : says,
    legend: [],
    table: () => cellTable(page, all, metric, text),
    widthMin: Math.min(left + columns.length * COLUMN_READABLE + 12, WIDTH_MIN_MOST),
    height: (width) => panelsHeight(layout, width),
    option: (drawing) => option(chart, drawing),
  };
}

function worldPanels(page: Page, view: HeatMapView, cells: Cell[], state: string | null, text: Text): Panel[] {
  return panelsOf(page, view.panel, cells).flatMap((panel) =>
    page.runs.flatMap((_, run): Panel[] => {
      const inRun = panel.cells.filter((cell) => cell.run === run);
      const name = [panel.name, state, page.runs.length > 1 ? runName(page, run, text) : null].filter((part) => part !== null).join(" · ");
      return inRun.length > 0 ? [{ name, cells: inRun }] : [];
    }),
  );
}

function option(chart: Chart, drawing: Drawing): Option {
  const { metric, text, panels } = chart;
  const values = panels.flatMap((panel) => panel.cells.map((cell) => cell.estimates[metric]!.value));
  const scale = scaleOf(metric, median(values));
  const share = shareOf(values);
  const [grids, titles, xAxes, yAxes, series]: Option[][] = [[], [], [], [], []];
  panels.forEach((panel, index) => {
    const place = panelPlace(chart.layout, drawing.width, index, 0);
    grids!.push({ ...place });
    titles!.push(panelTitle(panel.name === "" ? scale.unit : `${panel.name} · ${scale.unit}`, place, drawing));
    xAxes!.push(categories(chart, drawing, chart.columns, index, place, true));
    yAxes!.push(categories(chart, drawing, chart.rows, index, place, false));
    series!.push(boxes(chart, drawing, panel, index, scale.factor, share, place));
  });
  return {
    ...base(drawing),
    title: titles,
    grid: grids,
    xAxis: xAxes,
    yAxis: yAxes,
    series,
    tooltip: tooltip(drawing, "item", ({ data }: { data: { cell: number } }) => cellHover(chart.page, data.cell, metric, text)),
  };
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Returns the position of a value on the ramp. */
function shareOf(values: number[]): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const isLogarithmic = low > 0 && high / low >= LOGARITHMIC_FROM;
  const place = isLogarithmic ? Math.log : (value: number) => value;
  return (value) => (high > low ? (place(value) - place(low)) / (place(high) - place(low)) : 0.5);
}

function categories(chart: Chart, drawing: Drawing, values: string[], gridIndex: number, place: Place, isX: boolean): Option {
  const each = place.width / Math.max(values.length, 1);
  return {
    type: "category",
    gridIndex,
    data: values.map((value) => (value === "-" ? chart.text.say("value-none") : label(value, isX ? Math.max(4, Math.floor(each / 6.5)) : 20))),
    inverse: !isX,
    name: axisWords(isX ? chart.view.columns : chart.view.rows, chart.text),
    // The name of the rows is above their labels: rotated beside them it would take a column.
    nameLocation: isX ? "middle" : "start",
    nameGap: isX ? 26 : 8,
    nameTextStyle: { color: drawing.theme.soft, fontSize: 11, fontWeight: 600, align: isX ? "center" : "right", padding: isX ? 0 : [0, 8, 0, 0] },
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: drawing.theme.soft, fontSize: 11, interval: 0, width: isX ? undefined : 130, overflow: "truncate" },
  };
}

function boxes(
  chart: Chart,
  drawing: Drawing,
  panel: Panel,
  index: number,
  factor: number,
  share: (value: number) => number,
  place: Place,
): Option {
  const { page, view, metric, indices } = chart;
  const each = place.width / Math.max(chart.columns.length, 1);
  return {
    type: "heatmap",
    xAxisIndex: index,
    yAxisIndex: index,
    emphasis: { disabled: true },
    label: { show: each >= 34, fontSize: each < 44 ? 10 : 11.5 },
    data: panel.cells.map((cell) => {
      const { value } = cell.estimates[metric]!;
      const color = rampColor(drawing.theme, share(value));
      return {
        value: [chart.columns.indexOf(valueOf(page, cell, view.columns)), chart.rows.indexOf(valueOf(page, cell, view.rows)), value],
        cell: indices.get(cell),
        itemStyle: { color, borderColor: drawing.theme.background, borderWidth: 2 },
        label: { color: inkOn(color), formatter: () => boxWords(metric, value, factor, chart.text.language) },
      };
    }),
  };
}

/** Below this share of the unit two decimals show only zero. */
const TELLING_FROM = 0.01;

/** Returns the number in a box, in the unit of the figure, or in a smaller unit if it is too small for
 *  that. */
export function boxWords(metric: MetricKey, value: number, factor: number, language: Language): string {
  if (value > 0 && value / factor < TELLING_FROM) return quantity(metric, value, language);
  return local(threeDigits(value / factor), language);
}
