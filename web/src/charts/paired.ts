// Comparisons: the ratio of every cell to its baseline, and the pairs of samples behind one of them.

import { higherIsBetter, quantity, scaleOf, threeDigits, local } from "../format";
import type { Cell, Page, Verdict } from "../page";
import type { Text } from "../text";
import { cellName, metricHead, metricWords, ratioWords, verdictWords } from "../words";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisLook, base, errorBars, gridLook, nice, textWidth, tickNumber, tooltip, type Bounds } from "./parts";
import { lookOf, symbolOf } from "./theme";

/** More than this is a table's business. */
const RATIOS_MAX = 60;
const ROW = 22;
const NAMES_MAX = 280;
/** A bound, as a power of two, that is farther from 1 than this does not make the axis longer. */
const BOUND_REACH_MAX = 4;

export interface Compared {
  index: number;
  cell: Cell;
  verdict: Verdict;
}

/** Returns the cells that are compared by the page's metric, or else by any. */
export function comparedCells(page: Page): Compared[] {
  return page.cells.flatMap((cell, index): Compared[] => {
    const verdict = cell.verdicts.find((one) => one.metric === page.metric) ?? cell.verdicts[0];
    return verdict ? [{ index, cell, verdict }] : [];
  });
}

/** Returns the figure of all ratios. */
export function ratios(page: Page, id: string, text: Text): Figure | null {
  const all = comparedCells(page);
  const shown = all.slice(0, RATIOS_MAX);
  const metric = shown[0]?.verdict.metric;
  if (metric === undefined || shown.length < 2) return null;
  const more = all.length - shown.length;
  const says = text.say("view-ratios-says", { metric: metricWords(metric, text) });
  const words = ({ cell, verdict }: Compared) => [
    cellName(page, cell, text),
    page.cells[verdict.baseline] ? cellName(page, page.cells[verdict.baseline]!, text) : "–",
    ratioWords(verdict.ratio, text),
    verdictWords(verdict, verdict.metric, text),
  ];
  return {
    id: `${id}-ratios`,
    title: text.say("view-ratios"),
    description: more > 0 ? `${says} (${text.say("and-more", { count: String(more) })})` : says,
    legend: [],
    table: () => ({
      heads: [text.say("column-cell"), text.say("column-against"), text.say("column-ratio"), text.say("column-verdict")],
      rows: all.map(words),
    }),
    widthMin: WIDTH_MIN,
    height: () => shown.length * ROW + 60,
    option: (drawing) => ratioOption(page, shown, drawing, text),
  };
}

/** Returns what a verdict means: better, worse, or neither. */
export function outcome(verdict: Verdict): "better" | "worse" | "same" | "unknown" {
  if (verdict.verdict === "no_difference") return "same";
  if (verdict.verdict !== "different") return "unknown";
  return (verdict.low ?? verdict.ratio.value) >= 1 === higherIsBetter(verdict.metric) ? "better" : "worse";
}

const OUTCOME_LOOKS = {
  better: { look: 2, symbol: "triangle", isHollow: false },
  worse: { look: 1, symbol: "diamond", isHollow: false },
  same: { look: 7, symbol: "circle", isHollow: false },
  unknown: { look: 7, symbol: "circle", isHollow: true },
};

function ratioOption(page: Page, shown: Compared[], drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const names = shown.map(({ cell }) => cellName(page, cell, text, 22));
  const left = Math.min(Math.max(...names.map(textWidth), 60) + 14, NAMES_MAX, drawing.width * 0.42);
  // What is not above 0 lies beyond every left end: it is the least certain and must be seen.
  const log = (ratio: number) => (ratio > 0 ? Math.log2(ratio) : Number.NEGATIVE_INFINITY);
  const reachOf = (ratio: number) => (ratio > 0 ? Math.abs(Math.log2(ratio)) : 0);
  const reaches = shown.flatMap(({ verdict: { ratio } }) => [
    reachOf(ratio.value),
    ...[ratio.low, ratio.high].map((bound) => Math.min(reachOf(bound ?? ratio.value), BOUND_REACH_MAX)),
  ]);
  const reach = Math.max(0.05, ...reaches) * 1.08;
  const ticks = ratioTicks(reach, drawing.width - left - 30);
  const axes = { xAxisIndex: 0, yAxisIndex: 0 };
  const bounds = shown.flatMap(({ verdict: { ratio } }, at): Bounds[] =>
    ratio.low === null || ratio.high === null ? [] : [[at, log(ratio.low), log(ratio.high)]],
  );
  const look = axisLook(theme);
  return {
    ...base(drawing),
    grid: [{ left, right: 24, top: 8, height: shown.length * ROW }],
    xAxis: [
      {
        ...look,
        type: "value",
        min: -reach,
        max: reach,
        name: text.say("column-ratio"),
        nameLocation: "middle",
        nameGap: 26,
        nameTextStyle: { color: theme.soft, fontSize: 11 },
        axisTick: { ...(look.axisTick as Option), customValues: ticks.map(log) },
        axisLabel: {
          ...(look.axisLabel as Option),
          customValues: ticks.map(log),
          formatter: (place: number) => local(String(Number((2 ** place).toPrecision(3))), text.language),
        },
      },
    ],
    yAxis: [{ type: "category", inverse: true, data: names.map((name, at) => `${at}\u0000${name}`), ...nameAxis(drawing, left) }],
    series: [
      errorBars("±", bounds, theme.soft, axes, { min: -reach, max: reach }, true),
      {
        type: "scatter",
        ...axes,
        z: 5,
        emphasis: { disabled: true },
        data: shown.map(({ verdict, index }, at) => {
          const { look: number, ...symbol } = OUTCOME_LOOKS[outcome(verdict)];
          const look = { ...lookOf(theme, number), ...symbol };
          return { value: [Math.max(log(verdict.ratio.value), -reach), at], cell: index, symbolSize: 10, ...symbolOf(look, theme) };
        }),
        markLine: {
          silent: true,
          symbol: "none",
          label: { show: false },
          lineStyle: { color: theme.ink, width: 1.2, type: "solid" },
          data: [{ xAxis: 0 }],
        },
      },
    ],
    tooltip: tooltip(drawing, "item", ({ data }: { data: { cell?: number } }) => {
      const one = shown.find(({ index }) => index === data.cell);
      return one ? `${cellName(page, one.cell, text)}\n${ratioWords(one.verdict.ratio, text)}: ${verdictWords(one.verdict, one.verdict.metric, text)}` : "";
    }),
  };
}

/** Names may be equal; the number before the zero character keeps the rows apart. */
function nameAxis(drawing: Drawing, left: number): Option {
  return {
    axisTick: { show: false },
    axisLine: { show: false },
    splitLine: { show: true, lineStyle: { color: drawing.theme.grid } },
    axisLabel: {
      color: drawing.theme.ink,
      fontSize: 11,
      interval: 0,
      width: left - 14,
      overflow: "truncate",
      formatter: (name: string) => name.slice(name.indexOf("\u0000") + 1),
    },
  };
}

/** Returns round ratios within `reach` (in powers of two), with room for their labels. */
function ratioTicks(reach: number, pixels: number): number[] {
  const sets = [
    [0.1, 0.2, 0.5, 1, 2, 5, 10],
    [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4],
    [0.5, 0.6, 0.8, 1, 1.2, 1.5, 2],
    [0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2],
    [0.96, 0.98, 1, 1.02, 1.04],
  ];
  const within = (set: number[]) => set.filter((one) => Math.abs(Math.log2(one)) <= reach);
  const room = Math.max(3, Math.floor(pixels / 60));
  const fitting = sets.map(within).filter((set) => set.length <= room);
  return fitting.reduce((best, set) => (set.length > best.length ? set : best), [1]);
}

/** Returns the figure of the pairs of one cell; null where it has none. */
export function pairs(page: Page, id: string, index: number, text: Text): Figure | null {
  const compared = comparedCells(page).find((one) => one.index === index);
  const baseline = compared && page.cells[compared.verdict.baseline];
  if (!compared || !baseline || compared.verdict.pairs.length === 0) return null;
  const { cell, verdict } = compared;
  const names = { baseline: cellName(page, baseline, text), cell: cellName(page, cell, text) };
  const words = (value: number) => quantity(verdict.metric, value, text.language);
  return {
    id: `${id}-pairs`,
    title: text.say("view-paired"),
    description: text.say("view-paired-says", { metric: metricHead(verdict.metric, text), ...names }),
    legend: [],
    table: () => ({
      heads: [text.say("column-pair"), names.baseline, names.cell, text.say("column-ratio")],
      rows: verdict.pairs.map(([before, after], at) => [String(at + 1), words(before), words(after), local(threeDigits(after / before), text.language)]),
    }),
    widthMin: WIDTH_MIN,
    height: () => 320,
    option: (drawing) => pairOption(verdict, names, drawing, text),
  };
}

function pairOption(verdict: Verdict, names: { baseline: string; cell: string }, drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const values = verdict.pairs.flat();
  const top = Math.max(...values);
  const scale = scaleOf(verdict.metric, top);
  const look = axisLook(theme);
  const room = Math.min(drawing.width * 0.25, 260);
  return {
    ...base(drawing),
    title: [{ text: scale.unit, left: 4, top: 2, padding: 0, textStyle: { fontSize: 12, fontWeight: 600, color: theme.ink } }],
    grid: [{ left: Math.max(62, room), right: room, top: 30, bottom: 34 }],
    xAxis: [
      {
        type: "category",
        boundaryGap: false,
        data: [names.baseline, names.cell],
        axisTick: { show: false },
        axisLine: { lineStyle: { color: theme.soft } },
        splitLine: { show: true, lineStyle: { color: theme.soft } },
        axisLabel: { color: theme.ink, fontSize: 12, interval: 0, width: room * 1.7, overflow: "truncate" },
      },
    ],
    yAxis: [
      {
        ...look,
        type: "value",
        ...nice(top / scale.factor),
        axisLine: { show: false },
        axisTick: { show: false },
        splitLine: gridLook(theme),
        axisLabel: { ...(look.axisLabel as Option), formatter: (value: number) => tickNumber(value, text.language) },
      },
    ],
    series: verdict.pairs.map((pair, at) => ({
      type: "line",
      symbol: "circle",
      symbolSize: 7,
      emphasis: { disabled: true },
      lineStyle: { color: lookOf(theme, 0).color, width: 1.5, opacity: 0.7 },
      itemStyle: { color: lookOf(theme, 0).color },
      data: pair.map((value) => ({ value: value / scale.factor, pair: at })),
    })),
    tooltip: tooltip(drawing, "item", ({ data }: { data: { pair?: number } }) => {
      const pair = data.pair === undefined ? undefined : verdict.pairs[data.pair];
      const words = (value: number) => quantity(verdict.metric, value, text.language);
      return pair ? `${text.say("pair-number", { pair: String(data.pair! + 1) })}: ${words(pair[0])} → ${words(pair[1])}` : "";
    }),
  };
}
