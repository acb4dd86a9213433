// Latency under load: latency against the rate that was reached, a line for each series from the least
// load to the most. Where it turns upwards, more load only waits.

import { interval, scaleOf } from "../format";
import type { Cell, MetricKey, Page } from "../generated";
import type { Text } from "../text";
import { cellName, metricHead } from "../things";
import { axisOf, indicesOf, seriesOf, valueOf, type Series } from "./cells";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisName, base, errorBars, legendHeight, legendOption, nice, shownItems, tooltip, unitTitle, valueAxis, type Bounds } from "./parts";
import { lookOf, symbolOf } from "./theme";

const RATE: MetricKey = "iops";
const HEIGHT = 330;
const ABOVE = 40;
const BELOW = 50;
const LEFT = 58;

interface Chart {
  page: Page;
  indices: Map<Cell, number>;
  text: Text;
  latency: MetricKey;
  /** The axis whose values are more and more load. */
  demand: string;
  series: Series[];
}

/** Returns the figure of latency under load; null if no cell has both. */
export function underLoad(page: Page, id: string, latency: MetricKey, text: Text): Figure | null {
  const demand = page.axes.find((axis) => axis.demand)?.key;
  const cells = page.cells.filter((cell) => cell.estimates[RATE] && cell.estimates[latency]);
  if (demand === undefined || cells.length === 0) return null;
  const series = seriesOf(page, cells, [demand], [], text);
  const legend = series.map((one, index) => ({ name: one.name, look: index }));
  const chart: Chart = { page, indices: indicesOf(page), text, latency, demand, series };
  const heads = { latency: metricHead(latency, text), rate: metricHead(RATE, text) };
  return {
    id: `${id}-${latency}`,
    title: text.say("view-under-load"),
    description: text.say("view-under-load-says", heads),
    legend,
    table: () => ({
      heads: [text.say("column-cell"), heads.rate, heads.latency],
      rows: cells.map((cell) => [cellName(page, cell, text), ...[RATE, latency].map((metric) => words(cell, metric, text))]),
    }),
    widthMin: WIDTH_MIN,
    height: () => ABOVE + HEIGHT + BELOW,
    option: (drawing) => option(chart, drawing),
  };
}

function words(cell: Cell, metric: MetricKey, text: Text): string {
  return interval(metric, cell.estimates[metric]!, text.language);
}

/** Returns the cells of a run, from the least load to the most. */
function inOrder(chart: Chart, cells: Cell[], run: number): Cell[] {
  const values = axisOf(chart.page, chart.demand)?.values ?? [];
  const place = (cell: Cell) => values.indexOf(valueOf(chart.page, cell, chart.demand));
  return cells.filter((cell) => cell.run === run).sort((one, other) => place(one) - place(other));
}

function option(chart: Chart, drawing: Drawing): Option {
  const { page, text, latency } = chart;
  const legend = shownItems(chart.series.map((one, index) => ({ name: one.name, look: index })), drawing);
  const shown = chart.series.map((one, index) => ({ ...one, index })).filter((one) => !drawing.hidden.has(one.name));
  const top = (metric: MetricKey) => Math.max(0, ...shown.flatMap((one) => one.cells).map((cell) => highest(cell, metric)));
  const [rate, time] = [scaleOf(RATE, top(RATE)), scaleOf(latency, top(latency))];
  const width = Math.max(drawing.width - LEFT - 22, 60);
  const offset = legendHeight(legend, drawing.width);
  return {
    ...base(drawing),
    legend: legendOption(legend, drawing),
    title: [unitTitle(drawing, time.unit, offset)],
    grid: [{ left: LEFT, top: offset + ABOVE, width, height: HEIGHT }],
    xAxis: [{ ...valueAxis(drawing, nice(top(RATE) / rate.factor, width < 320 ? 3 : 6), text.language), ...axisName(drawing, rate.unit, 25) }],
    yAxis: [valueAxis(drawing, nice(top(latency) / time.factor), text.language)],
    series: shown.flatMap((one) =>
      page.runs.flatMap((run, at): Option[] => {
        const cells = inOrder(chart, one.cells, at);
        if (cells.length === 0) return [];
        const look = lookOf(drawing.theme, one.index);
        const place = (cell: Cell): [number, number] => [cell.estimates[RATE]!.value / rate.factor, cell.estimates[latency]!.value / time.factor];
        const bounds = cells.flatMap((cell): Bounds[] => {
          const { low, high } = cell.estimates[latency]!;
          return low === null || high === null ? [] : [[place(cell)[0], low / time.factor, high / time.factor]];
        });
        const line: Option = {
          type: "line",
          name: one.name,
          ...symbolOf({ ...look, isHollow: run.world === "model" }, drawing.theme),
          symbolSize: 8,
          z: 3,
          color: look.color,
          lineStyle: { color: look.color, width: 2, type: run.world === "model" ? "dashed" : look.dash },
          emphasis: { disabled: true },
          data: cells.map((cell) => ({ value: place(cell), cell: chart.indices.get(cell) })),
        };
        return bounds.length > 0 ? [errorBars(one.name, bounds, look.color, {}, { min: 0 }), line] : [line];
      }),
    ),
    tooltip: tooltip(drawing, "item", ({ data }: { data: { cell?: number } }) => {
      const cell = data.cell === undefined ? undefined : page.cells[data.cell];
      return cell ? `${cellName(page, cell, text)}\n${words(cell, RATE, text)}\n${words(cell, latency, text)}` : "";
    }),
  };
}

function highest(cell: Cell, metric: MetricKey): number {
  const { value, high } = cell.estimates[metric]!;
  return Math.max(value, high ?? value);
}
