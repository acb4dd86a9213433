// A horizontal bar for each cell, with its interval; panels one below another.

import { higherIsBetter, interval, scaleOf } from "../format";
import type { Cell, MetricKey, Page, View } from "../generated";
import type { Text } from "../text";
import { metricHead, runName } from "../things";
import { axesWords, cellHover, cellTable, panelsOf, seriesOf } from "./cells";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { base, errorBars, nameAxis, nice, panelTitle, textWidth, tooltip, valueAxis, type Bounds, type Place } from "./parts";
import { inStates, STATE } from "./states";
import { lookOf } from "./theme";

export type BarsView = Extract<View, { kind: "bars" }>;

/** More bars than this belong in a table. */
const BARS_MAX = 80;
const BAR = 26;
const ABOVE = 36;
const BELOW = 30;

interface Bar {
  name: string;
  cell: Cell;
}

interface Chart {
  page: Page;
  text: Text;
  metric: MetricKey;
  panels: { name: string | null; bars: Bar[] }[];
  /** Whether each panel is a load with a name. */
  isByLoad: boolean;
  /** The axis of failures or states, if bars differ in it: those of one stack stand together, with a colour
   *  each. */
  look: number;
}

/** Returns the figure of a bar view. */
export function bars(ofPage: Page, ofView: BarsView, text: Text, metric: MetricKey): Figure {
  const { page, view, isInBoth } = inStates(ofPage, ofView, metric, text);
  const all = page.cells.filter((cell) => cell.estimates[metric]);
  const cells = all.slice(0, BARS_MAX);
  const panels = panelsOf(page, view.panel, cells).map((panel) => ({ name: panel.name, bars: barsOf(page, view, panel.cells, text) }));
  const axis = [...(view.series.includes("failure") ? ["failure"] : []), ...(isInBoth ? [STATE] : [])][0];
  const look = page.axes.findIndex(({ key }) => key === axis);
  const chart: Chart = { page, text, metric, panels, isByLoad: view.panel === "workload", look };
  const says = text.say("view-bars-says", {
    metric: metricHead(metric, text),
    series: axesWords(view.series, text),
    better: text.say(higherIsBetter(metric) ? "better-higher" : "better-lower"),
  });
  const more = all.length - cells.length;
  return {
    id: `${view.id}-${metric}`,
    title: text.say("view-bars", { metric: metricHead(metric, text) }),
    description: more > 0 ? `${says} (${text.say("and-more", { count: String(more) })})` : says,
    legend: [],
    table: () => cellTable(page, all, metric, text),
    widthMin: WIDTH_MIN,
    height: () => panels.reduce((sum, panel) => sum + heightOf(panel.bars), 0),
    option: (drawing) => option(chart, drawing),
  };
}

/** Returns the look of a cell's bar: by its failure or state, or its run. */
function lookIn({ page, look }: Chart, cell: Cell): number {
  const value = cell.values[look];
  return value === undefined ? cell.run : (page.axes[look]?.values.indexOf(value) ?? 0);
}

/** Returns the bars of a panel: one per cell, those of several runs next to one another. */
function barsOf(page: Page, view: BarsView, cells: Cell[], text: Text): Bar[] {
  const places = view.panel === null ? [] : [view.panel];
  return seriesOf(page, cells, places, view.series, text).flatMap((series) =>
    series.cells.map((cell) => ({
      name: page.runs.length > 1 ? `${series.name} (${runName(page, cell.run, text)})` : series.name,
      cell,
    })),
  );
}

function heightOf(list: Bar[]): number {
  return ABOVE + list.length * BAR + BELOW;
}

function option(chart: Chart, drawing: Drawing): Option {
  const { metric, text, panels } = chart;
  const topOf = (list: Bar[]) => Math.max(0, ...list.map(({ cell }) => cell.estimates[metric]!.high ?? cell.estimates[metric]!.value));
  const all = topOf(panels.flatMap((panel) => panel.bars));
  const names = panels.flatMap((panel) => panel.bars.map((bar) => textWidth(bar.name)));
  const left = Math.min(Math.max(...names, 40) + 14, drawing.width * 0.38);
  const [grids, titles, xAxes, yAxes, series]: Option[][] = [[], [], [], [], []];
  let offset = 0;
  panels.forEach((panel, index) => {
    const place: Place = { left, top: offset + ABOVE, width: Math.max(drawing.width - left - 110, 60), height: panel.bars.length * BAR };
    offset += heightOf(panel.bars);
    // Loads with names of their own are not compared with each other.
    const top = chart.isByLoad ? topOf(panel.bars) : all;
    const scale = scaleOf(metric, top);
    grids!.push({ ...place });
    const title = panel.name === null ? scale.unit : `${panel.name} · ${scale.unit}`;
    titles!.push({ ...panelTitle(title, { ...place, width: drawing.width - 16 }, drawing), left: 0 });
    xAxes!.push({ ...valueAxis(drawing, nice(top / scale.factor, place.width < 260 ? 3 : 5), text.language), gridIndex: index });
    yAxes!.push({ ...nameAxis(drawing, namesWithin(panel.bars.map((bar) => bar.name), left - 14), left - 14), gridIndex: index });
    series!.push(...barSeries(chart, drawing, panel.bars, scale.factor, index));
  });
  return {
    ...base(drawing),
    title: titles,
    grid: grids,
    xAxis: xAxes,
    yAxis: yAxes,
    series,
    tooltip: tooltip(drawing, "item", ({ data }: { data: { cell?: number } }) => cellHover(chart.page, data.cell, metric, text)),
  };
}

/** Returns names without the words that each of them repeats in one place (`failure`), where they are wider
 *  than `width` pixels: the text above the figure says them. */
export function namesWithin(names: string[], width: number): string[] {
  if (names.length < 2 || names.every((name) => textWidth(name) <= width)) return names;
  const parts = names.map((name) => name.split(" · "));
  const repeated = (parts[0] ?? []).map((first, place) => {
    const word = `${first.split(" ")[0]} `;
    return parts.every((own) => own[place]?.startsWith(word)) ? word.length : 0;
  });
  return parts.map((own) => own.map((part, place) => part.slice(repeated[place] ?? 0)).join(" · "));
}

function barSeries(chart: Chart, drawing: Drawing, list: Bar[], factor: number, index: number): Option[] {
  const { page, metric, text } = chart;
  const axes = { xAxisIndex: index, yAxisIndex: index };
  const values = list.map(({ cell }) => ({ cell, estimate: cell.estimates[metric]! }));
  const bounds = values.flatMap(({ estimate }, at): Bounds[] =>
    estimate.low === null || estimate.high === null ? [] : [[at, estimate.low / factor, estimate.high / factor]],
  );
  const bar: Option = {
    type: "bar",
    ...axes,
    barWidth: "62%",
    emphasis: { disabled: true },
    data: values.map(({ cell, estimate }) => ({
      value: estimate.value / factor,
      cell: page.cells.indexOf(cell),
      itemStyle: { color: lookOf(drawing.theme, lookIn(chart, cell)).color, opacity: 0.85 },
    })),
  };
  // The number stands after the end of the interval, not of the bar, or they would overlap.
  const numbers: Option = {
    type: "scatter",
    ...axes,
    symbolSize: 1,
    silent: true,
    itemStyle: { color: "transparent" },
    data: values.map(({ estimate }, at) => ({
      value: [(estimate.high ?? estimate.value) / factor, at],
      label: {
        show: true,
        position: "right",
        distance: 8,
        color: drawing.theme.ink,
        fontSize: 11,
        formatter: () => interval(metric, estimate, text.language),
      },
    })),
  };
  return bounds.length > 0 ? [bar, errorBars("±", bounds, drawing.theme.ink, axes, { min: 0 }, true), numbers] : [bar, numbers];
}
