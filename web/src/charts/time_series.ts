// The samples of a cell in the order of time, with the steady window shaded.

import { duration, quantity, scaleOf } from "../format";
import type { Cell, MetricKey, Page, SamplePoint } from "../generated";
import type { Text } from "../text";
import { cellName, metricHead } from "../things";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisLook, axisName, base, nice, tooltip, unitTitle, valueAxis } from "./parts";
import { lookOf } from "./theme";

const HEIGHT = 300;
/** A steady window is five rounds (SNIA PTS 2.0.1). */
const WINDOW_ROUNDS = 5;

export type SampleMetric = "bandwidth_bytes_per_s" | "iops" | "latency_ns_mean" | "latency_ns_p99";
export const SAMPLE_METRICS: SampleMetric[] = ["bandwidth_bytes_per_s", "iops", "latency_ns_mean", "latency_ns_p99"];

interface Chart {
  page: Page;
  cell: Cell;
  text: Text;
  metric: SampleMetric;
}

/** Returns the figure of the samples of a cell. */
export function timeSeries(page: Page, id: string, index: number, metric: SampleMetric, text: Text): Figure | null {
  const cell = page.cells[index];
  if (!cell) return null;
  const chart: Chart = { page, cell, text, metric };
  const says = [cellName(page, cell, text), text.say("view-time-series-says")];
  if (hasSteadyLine(chart)) says.push(text.say("view-time-series-steady"));
  const first = cell.samples[0]?.started_unix_ns ?? null;
  return {
    id,
    title: text.say("view-time-series"),
    description: `${says[0]}. ${says.slice(1).join(" ")}`,
    legend: [],
    table: () => ({
      heads: [text.say("column-sample"), text.say("column-start"), text.say("column-role"), metricHead(metric, text)],
      rows: cell.samples.map((sample, at) => [
        String(at + 1),
        first === null || sample.started_unix_ns === null ? "–" : duration(sample.started_unix_ns - first, text.language),
        roleWords(sample, text),
        valueWords(metric, sample, text),
      ]),
    }),
    widthMin: WIDTH_MIN,
    height: () => HEIGHT,
    option: (drawing) => option(chart, drawing),
  };
}

function valueWords(metric: MetricKey, sample: SamplePoint, text: Text): string {
  const value = sample[metric as SampleMetric];
  return value === null ? "–" : quantity(metric, value, text.language);
}

function roleWords(sample: SamplePoint, text: Text): string {
  if (sample.role === "warm_up") return text.say("role-warm-up");
  return text.say(sample.counted ? "role-counted" : "role-not-counted");
}

/** Returns whether the steady line is shown: its fit is of the metric that the study compares. */
function hasSteadyLine({ cell, page, metric }: Chart): boolean {
  return cell.steady !== null && metric === page.metric;
}

function option(chart: Chart, drawing: Drawing): Option {
  const { cell, metric, text } = chart;
  const { theme } = drawing;
  const values = cell.samples.map((sample) => sample[metric]);
  const top = Math.max(0, ...values.filter((value): value is number => value !== null));
  const scale = scaleOf(metric, top);
  const look = axisLook(theme);
  return {
    ...base(drawing),
    title: [unitTitle(drawing, scale.unit)],
    grid: [{ left: 62, right: 22, top: 30, bottom: 46 }],
    xAxis: [
      {
        ...look,
        type: "value",
        min: 0,
        max: cell.samples.length + 1,
        minInterval: 1,
        ...axisName(drawing, text.say("sample-number"), 26),
        axisLabel: { ...(look.axisLabel as Option), formatter: (value: number) => (value < 1 || value > cell.samples.length ? "" : String(value)) },
      },
    ],
    yAxis: [valueAxis(drawing, nice(top / scale.factor), text.language)],
    series: [line(chart, drawing, scale.factor), ...(hasSteadyLine(chart) ? [fitted(chart, drawing, scale.factor)] : [])],
    tooltip: tooltip(drawing, "item", ({ data }: { data: { at?: number } }) => {
      const sample = data.at === undefined ? undefined : cell.samples[data.at];
      return sample ? `${text.say("sample-number")} ${data.at! + 1}: ${valueWords(metric, sample, text)}\n${roleWords(sample, text)}` : "";
    }),
  };
}

const CROSS = "path://M2 0L6 4L10 0L12 2L8 6L12 10L10 12L6 8L2 12L0 10L4 6L0 2Z";

function line(chart: Chart, drawing: Drawing, factor: number): Option {
  const { color } = lookOf(drawing.theme, 0);
  return {
    type: "line",
    symbol: "circle",
    z: 3,
    emphasis: { disabled: true },
    lineStyle: { color, width: 1.2, opacity: 0.5 },
    data: chart.cell.samples.map((sample, at) => {
      const value = sample[chart.metric];
      return {
        value: [at + 1, value === null ? "-" : value / factor],
        at,
        symbol: sample.counted ? "circle" : CROSS,
        symbolSize: sample.counted ? 9 : 10,
        itemStyle: { color: sample.counted ? color : drawing.theme.soft },
      };
    }),
  };
}

function fitted(chart: Chart, drawing: Drawing, factor: number): Option {
  const steady = chart.cell.steady!;
  // Rounds are the samples that may count; from the window on all of them do.
  const rounds = chart.cell.samples.flatMap((sample, at) => (sample.role === "counted" && sample.valid ? [at + 1] : []));
  const begin = (chart.cell.steady?.first_round ?? 1) - 1;
  const [first, last] = [rounds[begin] ?? 1, rounds[Math.min(begin + WINDOW_ROUNDS, rounds.length) - 1] ?? 1];
  const at = (round: number) => (steady.intercept + steady.slope_per_round * round) / factor;
  const { color } = lookOf(drawing.theme, 1);
  return {
    type: "line",
    silent: true,
    symbol: "none",
    z: 2,
    lineStyle: { color, width: 2.5, type: "dashed" },
    data: [
      [first, at(steady.first_round)],
      [last, at(steady.first_round + WINDOW_ROUNDS - 1)],
    ],
    markArea: {
      silent: true,
      itemStyle: { color: drawing.theme.shade },
      label: { color: drawing.theme.soft, fontSize: 11, position: "insideTop" },
      data: [[{ name: chart.text.say("steady-window"), xAxis: first - 0.5 }, { xAxis: last + 0.5 }]],
    },
  };
}
