// A metric against a numeric axis: a line or points for each series, a panel for each value of
// another axis. Sizes and counts grow by factors, so the axis is then logarithmic (base 2).
// Predictions are lines with a band, measurements are points with error bars.

import { higherIsBetter, interval, percent, quantity, scaleOf, size } from "../format";
import { label } from "../names";
import type { Cell, MetricKey, Page, View } from "../generated";
import type { Text } from "../text";
import { axisWords, metricHead, metricWords, runName } from "../things";
import { axesWords, axisOf, cellTable, indicesOf, panelsOf, seriesOf, valueOf, type Series } from "./cells";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import {
  axisLook,
  axisName,
  band,
  base,
  errorBars,
  legendHeight,
  legendOption,
  nice,
  panelPlace,
  panelsHeight,
  panelTitle,
  readableTicks,
  shownItems,
  tooltip,
  valueAxis,
  type Bounds,
  type Ends,
  type Panels,
  type Place,
} from "./parts";
import { inStates } from "./states";
import { lookOf, symbolOf } from "./theme";

export type CurveView = Extract<View, { kind: "curve" }>;

interface CurveChoices {
  metric: MetricKey;
  hasCommonScale: boolean;
  isLogarithmic: boolean;
}

/** From this ratio of the largest to the smallest value on, an axis is logarithmic. */
const LOGARITHMIC_FROM = 8;
const TOOLTIP_ROWS_MAX = 12;
const BYTE_AXES: string[] = ["block_size", "chunk", "size", "rate"];

/** The positions of values along x, and the labels of the ticks. */
interface XAxis {
  key: string;
  isLogarithmic: boolean;
  places: Map<string, number>;
  labels: Map<number, string>;
  min: number;
  max: number;
}

function xAxisOf(page: Page, key: string): XAxis {
  const axis = axisOf(page, key);
  const values = axis?.values ?? [];
  const numbers = axis?.numbers ?? values.map((_, index) => index + 1);
  const positive = numbers.filter((number) => number > 0);
  const isLogarithmic =
    positive.length === numbers.length && Math.max(...positive) >= LOGARITHMIC_FROM * Math.min(...positive);
  const places = new Map<string, number>();
  const labels = new Map<number, string>();
  values.forEach((value, index) => {
    const number = numbers[index] ?? index;
    const place = isLogarithmic ? Math.log2(number) : number;
    places.set(value, place);
    labels.set(place, axis?.numbers && BYTE_AXES.includes(key) ? size(number) : label(value, 12));
  });
  const all = [...places.values()];
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const room = (last - first || 1) * 0.03;
  return { key, isLogarithmic, places, labels, min: first - room, max: last + room };
}

interface Point {
  cell: Cell;
  at: number;
  value: number;
  low: number | null;
  high: number | null;
}

function pointsOf(page: Page, cells: Cell[], x: XAxis, metric: MetricKey, factor: number): Point[] {
  const points = cells.flatMap((cell): Point[] => {
    const estimate = cell.estimates[metric];
    const at = x.places.get(valueOf(page, cell, x.key));
    if (!estimate || at === undefined) return [];
    const bound = (value: number | null) => (value === null ? null : value / factor);
    return [{ cell, at, value: estimate.value / factor, low: bound(estimate.low), high: bound(estimate.high) }];
  });
  return points.sort((one, other) => one.at - other.at);
}

/** Returns the figure of a curve view. */
export function curve(ofPage: Page, ofView: CurveView, text: Text, choices: CurveChoices): Figure {
  const { metric } = choices;
  const { page, view } = inStates(ofPage, ofView, metric, text);
  const cells = page.cells.filter((cell) => cell.estimates[metric] !== undefined);
  const panels = panelsOf(page, view.panel, cells);
  const places = [view.x, ...(view.panel === null ? [] : [view.panel])];
  const series = seriesOf(page, cells, places, view.series, text);
  const legend = series.map((one, index) => ({ name: one.name, look: index }));
  const layout = layoutOf(panels.length);
  const chart: Chart = { page, indices: indicesOf(page), text, choices, x: xAxisOf(page, view.x), panels, series, layout };
  return {
    id: `${view.id}-${metric}`,
    title: text.say("view-curve", { metric: metricHead(metric, text), axis: axisWords(view.x, text) }),
    description: describe(chart, view),
    legend,
    table: () => cellTable(page, cells, metric, text),
    widthMin: WIDTH_MIN,
    height: (width) => panelsHeight(layout, width),
    option: (drawing) => option(chart, drawing, shownItems(legend, drawing)),
  };
}

interface Chart {
  page: Page;
  /** The index of each cell in the page's list. */
  indices: Map<Cell, number>;
  text: Text;
  choices: CurveChoices;
  x: XAxis;
  panels: { name: string | null; cells: Cell[] }[];
  series: Series[];
  layout: Panels;
}

function layoutOf(count: number): Panels {
  return { count, widthMin: count === 1 ? 320 : 400, panelHeight: count === 1 ? 330 : 260, left: 58, right: 22, top: 40, bottom: 50 };
}

function describe(chart: Chart, view: CurveView): string {
  const { page, text, choices } = chart;
  const worlds = new Set(page.runs.map((run) => run.world === "model"));
  const levels = page.cells.map((cell) => cell.estimates[choices.metric]).filter((one) => one && one.low !== null);
  const level = levels[0] ? percent(levels[0].level, text.language) : null;
  const sentences = [
    text.say("view-curve-says", {
      metric: metricHead(choices.metric, text),
      axis: axisWords(view.x, text),
      series: axesWords(view.series, text),
      better: text.say(higherIsBetter(choices.metric) ? "better-higher" : "better-lower"),
      interval: level === null ? text.say("interval-none") : text.say("interval-note", { level }),
    }),
  ];
  if (view.panel !== null && chart.panels.length > 1) sentences.push(text.say("view-curve-panels", { panel: axisWords(view.panel, text) }));
  if (worlds.size > 1) sentences.push(text.say("view-curve-worlds"));
  const drawn = page.runs.map((_, at) => at).filter((at) => hasLineOf(page, at));
  if (drawn.length > 1) {
    const [first, second, ...others] = drawn.map((at) => runName(page, at, text));
    sentences.push(text.say("view-curve-runs", { solid: first!, dashed: second! }));
    if (others.length > 0) sentences.push(text.say("view-curve-runs-dotted", { dotted: others.join(", ") }));
  }
  return sentences.join(" ");
}

function option(chart: Chart, drawing: Drawing, legend: ReturnType<typeof shownItems>): Option {
  const { metric } = chart.choices;
  const offset = legendHeight(legend, drawing.width);
  const shown = chart.series.map((one, index) => ({ ...one, index })).filter((one) => !drawing.hidden.has(one.name));
  const top = (cells: Cell[]) =>
    Math.max(0, ...cells.map((cell) => cell.estimates[metric]!).map((one) => Math.max(one.high ?? one.value, one.value)));
  const visible = new Set(shown.flatMap((one) => one.cells));
  const all = [...visible];
  const scale = scaleOf(metric, top(all));
  const [grids, titles, xAxes, yAxes, series]: Option[][] = [[], [], [], [], []];
  chart.panels.forEach((panel, index) => {
    const place = panelPlace(chart.layout, drawing.width, index, offset);
    const cells = panel.cells.filter((cell) => visible.has(cell));
    const within = chart.choices.hasCommonScale ? all : cells;
    grids!.push({ ...place });
    titles!.push(panelTitle(panel.name === null ? scale.unit : `${panel.name} · ${scale.unit}`, place, drawing));
    xAxes!.push(xAxisOption(chart, drawing, place, index));
    const yAxis = yAxisOption(chart, drawing, within.map((cell) => cell.estimates[metric]!), top(within), scale.factor, index);
    yAxes!.push(yAxis);
    const ofPanel = new Set(panel.cells);
    for (const one of shown) {
      const inPanel = one.cells.filter((cell) => ofPanel.has(cell));
      series!.push(...seriesOptions(chart, drawing, { ...one, cells: inPanel }, one.index, scale.factor, { index, ends: { min: yAxis.min } }));
    }
  });
  return {
    ...base(drawing),
    legend: legendOption(legend, drawing),
    title: titles,
    grid: grids,
    xAxis: xAxes,
    yAxis: yAxes,
    series,
    tooltip: tooltip(drawing, "axis", (params: Hovered[]) => hoverText(chart, params)),
  };
}

function xAxisOption(chart: Chart, drawing: Drawing, place: Place, gridIndex: number): Option {
  const { x, text } = chart;
  const look = axisLook(drawing.theme);
  const places = [...x.labels.keys()].sort((one, other) => one - other);
  const ticks = readableTicks(places, places.map((at) => x.labels.get(at) ?? ""), place.width, x.min, x.max);
  return {
    ...look,
    gridIndex,
    type: "value",
    min: x.min,
    max: x.max,
    ...axisName(drawing, axisWords(x.key, text), 25),
    axisTick: { ...(look.axisTick as Option), customValues: places },
    axisLabel: {
      ...(look.axisLabel as Option),
      customValues: ticks,
      showMinLabel: true,
      showMaxLabel: true,
      formatter: (at: number) => x.labels.get(at) ?? nearestLabel(x, at),
    },
  };
}

/** The library passes ticks back rounded; the label is that of the nearest place. */
function nearestLabel(x: XAxis, at: number): string {
  const nearest = [...x.labels.keys()].reduce((best, one) => (Math.abs(one - at) < Math.abs(best - at) ? one : best));
  return x.labels.get(nearest) ?? "";
}

function yAxisOption(
  chart: Chart,
  drawing: Drawing,
  estimates: { value: number; low: number | null }[],
  top: number,
  factor: number,
  gridIndex: number,
): Option & { min: number } {
  const positive = estimates.map((one) => (one.low !== null && one.low > 0 ? one.low : one.value)).filter((value) => value > 0);
  const isLogarithmic = chart.choices.isLogarithmic && positive.length > 0;
  const linear = nice(top / factor);
  const bounds = isLogarithmic
    ? {
        type: "log",
        interval: undefined,
        min: 10 ** Math.floor(Math.log10(Math.min(...positive) / factor)),
        max: 10 ** Math.ceil(Math.log10(top / factor)),
      }
    : linear;
  return { ...valueAxis(drawing, linear, chart.text.language), ...bounds, gridIndex };
}

interface PanelAxes {
  index: number;
  /** The ends of the panel's vertical axis. */
  ends: Ends;
}

function seriesOptions(chart: Chart, drawing: Drawing, one: Series, index: number, factor: number, panel: PanelAxes): Option[] {
  const { page, choices } = chart;
  return page.runs.flatMap((run, at) => {
    const points = pointsOf(page, one.cells.filter((cell) => cell.run === at), chart.x, choices.metric, factor);
    if (points.length === 0) return [];
    const isPrediction = run.world === "model";
    const order = page.runs.slice(0, at).filter((other) => (other.world === "model") === isPrediction).length;
    const look = lookOf(drawing.theme, index);
    const axes = { xAxisIndex: panel.index, yAxisIndex: panel.index };
    const hasLine = hasLineOf(page, at);
    const line: Option = {
      type: "line",
      name: one.name,
      ...axes,
      ...symbolOf({ ...look, isHollow: look.isHollow !== (order % 2 === 1) }, drawing.theme),
      // Beside measured points the symbols of a predicted line only serve to distinguish lines.
      symbolSize: !hasLine ? 9 : isPrediction && page.runs.length > 1 ? 4 : 7,
      z: 3,
      color: look.color,
      lineStyle: { color: look.color, width: hasLine ? 2 : 0, type: order === 0 ? look.dash : order === 1 ? "dashed" : "dotted" },
      emphasis: { disabled: true },
      data: points.map((point) => ({ value: [point.at, point.value], cell: chart.indices.get(point.cell) })),
    };
    const bounds = points.flatMap((point): Bounds[] => (point.low === null || point.high === null ? [] : [[point.at, point.low, point.high]]));
    const isBand = isPrediction && bounds.length === points.length && points.length > 1;
    const around = isBand ? band(one.name, bounds, look.color, axes, panel.ends) : errorBars(one.name, bounds, look.color, axes, panel.ends);
    return bounds.length > 0 ? [around, line] : [line];
  });
}

/** Returns whether a run is drawn as lines: predictions are, and measurements if there are no predictions. */
function hasLineOf(page: Page, run: number): boolean {
  return page.runs[run]?.world === "model" || !page.runs.some((other) => other.world === "model");
}

interface Hovered {
  seriesType: string;
  seriesName: string;
  data: { cell: number };
}

function hoverText(chart: Chart, params: Hovered[]): string {
  const { page, text, choices } = chart;
  const points = params
    .filter((one) => one.seriesType === "line")
    .map((one) => ({ name: one.seriesName, cell: page.cells[one.data.cell] }))
    .filter((one): one is { name: string; cell: Cell } => one.cell !== undefined);
  const first = points[0];
  if (!first) return "";
  const value = (cell: Cell) => cell.estimates[choices.metric]?.value ?? 0;
  points.sort((one, other) => value(other.cell) - value(one.cell));
  const head = `${axisWords(chart.x.key, text)} ${label(valueOf(page, first.cell, chart.x.key), 20)} – ${metricWords(choices.metric, text)}`;
  const rows = points.slice(0, TOOLTIP_ROWS_MAX).map(({ name, cell }) => {
    const world = page.runs.length > 1 ? ` (${runName(page, cell.run, text)})` : "";
    const estimate = cell.estimates[choices.metric];
    return `${name}${world}: ${estimate ? interval(choices.metric, estimate, text.language) : quantity(choices.metric, value(cell), text.language)}`;
  });
  const more = points.length - rows.length;
  return [head, ...rows, ...(more > 0 ? [text.say("and-more", { count: String(more) })] : [])].join("\n");
}
