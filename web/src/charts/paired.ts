// Comparisons: the ratio of every cell to its baseline, and the pairs of samples behind one of them.

import { differenceWords, plainDifference, ratioTick } from "../differences";
import { higherIsBetter, interval, quantity, scaleOf } from "../format";
import type { Cell, CellVerdict, Page } from "../generated";
import type { Language, Text } from "../text";
import { cellName, cellValues, metricHead, metricWords } from "../things";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisLook, axisName, base, errorBars, nice, textWidth, tooltip, unitTitle, valueAxis, type Bounds } from "./parts";
import { lookOf, symbolOf } from "./theme";

/** More ratios than this belong in a table. */
const RATIOS_MAX = 60;
const ROW = 22;
/** Below this width names take two lines. */
const WIDE_FROM = 560;
const ROW_TALL = 34;
const NAMES_MAX = 280;
/** A bound farther from 1 than this power of two does not lengthen the axis. */
const BOUND_REACH_MAX = 4;

export interface Compared {
  index: number;
  cell: Cell;
  verdict: CellVerdict;
}

/** Returns the verdict on a cell: against the same cell of another run, else against its baseline by the
 *  page's metric, or else by any metric. */
export function verdictOf(page: Page, cell: Cell): CellVerdict | undefined {
  return isBeforeAfter(page) ? cell.before : (cell.verdicts.find((one) => one.metric === page.metric) ?? cell.verdicts[0]);
}

/** Returns whether cells are compared with the same cells of another run: the answer of such a page has
 *  that claim. */
function isBeforeAfter(page: Page): boolean {
  return page.answer.some((claim) => claim.claim === "before_after");
}

/** Returns the compared cells. */
export function comparedCells(page: Page): Compared[] {
  return page.cells.flatMap((cell, index): Compared[] => {
    const verdict = verdictOf(page, cell);
    return verdict ? [{ index, cell, verdict }] : [];
  });
}

/** Returns the comparisons that fit into a picture: the largest differences, in the order of cells. */
function largest(all: Compared[]): Compared[] {
  const reach = ({ verdict }: Compared) => Math.abs(Math.log(verdict.ratio.value));
  const kept = new Set([...all].sort((one, other) => reach(other) - reach(one)).slice(0, RATIOS_MAX));
  return all.filter((one) => kept.has(one));
}

/** Returns the heading of the figure of all ratios. */
export function ratiosTitle(page: Page, text: Text): string {
  return text.say(isBeforeAfter(page) ? "view-ratios-before" : "view-ratios");
}

/** Returns the figure of all ratios. */
export function ratios(page: Page, id: string, text: Text): Figure | null {
  const all = comparedCells(page);
  const shown = largest(all);
  const metric = shown[0]?.verdict.metric;
  if (metric === undefined || shown.length < 2) return null;
  const more = all.length - shown.length;
  const isBefore = isBeforeAfter(page);
  const says = text.say(isBefore ? "view-ratios-before-says" : "view-ratios-says", { metric: metricWords(metric, text) });
  const amount = (cell: Cell | undefined) => (cell?.estimates[metric] ? interval(metric, cell.estimates[metric], text.language) : "–");
  const words = ({ cell, verdict }: Compared) => {
    const baseline = page.cells[verdict.baseline];
    const judged = [differenceWords(verdict.ratio, text), text.tell(verdict.words)];
    if (isBefore) return [cellValues(page, cell, text), amount(baseline), amount(cell), ...judged];
    return [cellName(page, cell, text), baseline ? cellName(page, baseline, text) : "–", ...judged];
  };
  const columns = isBefore ? ["column-cell", "column-before", "column-now"] : ["column-cell", "column-against"];
  return {
    id: `${id}-ratios`,
    title: ratiosTitle(page, text),
    description: more > 0 ? `${says} ${text.say("view-ratios-largest", { shown: String(shown.length), all: String(all.length) })}` : says,
    legend: [],
    table: () => ({
      heads: [...columns, "column-difference", "column-verdict"].map((column) => text.say(column)),
      rows: all.map(words),
    }),
    widthMin: WIDTH_MIN,
    height: (width) => shown.length * rowOf(width) + 60,
    option: (drawing) => ratioOption(page, shown, drawing, text),
  };
}

/** Returns the meaning of a verdict: better, worse, or neither. */
export function outcome(verdict: CellVerdict): "better" | "worse" | "same" | "unknown" {
  if (verdict.verdict === "no_difference") return "same";
  if (verdict.verdict !== "different") return "unknown";
  return verdict.low >= 1 === higherIsBetter(verdict.metric) ? "better" : "worse";
}

const OUTCOME_LOOKS = {
  better: { look: 2, symbol: "triangle", isHollow: false },
  worse: { look: 1, symbol: "diamond", isHollow: false },
  same: { look: 7, symbol: "circle", isHollow: false },
  unknown: { look: 7, symbol: "circle", isHollow: true },
};

function ratioOption(page: Page, shown: Compared[], drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const isBefore = isBeforeAfter(page) && page.runs.length === 2;
  const names = shown.map(({ cell }) => (isBefore ? cellValues(page, cell, text, 22) : cellName(page, cell, text, 22)));
  const left = Math.min(Math.max(...names.map(textWidth), 60) + 14, NAMES_MAX, drawing.width * 0.42);
  // A bound not above 0 is left of every axis: it is the least certain and must be visible.
  const log = (ratio: number) => (ratio > 0 ? Math.log2(ratio) : Number.NEGATIVE_INFINITY);
  const reachOf = (ratio: number) => (ratio > 0 ? Math.abs(Math.log2(ratio)) : 0);
  const reaches = shown.flatMap(({ verdict: { ratio } }) => [
    reachOf(ratio.value),
    ...[ratio.low, ratio.high].map((bound) => Math.min(reachOf(bound ?? ratio.value), BOUND_REACH_MAX)),
  ]);
  const reach = Math.max(0.05, ...reaches) * 1.08;
  const ticks = ratioTicks(reach, drawing.width - left - 30, text.language);
  const axes = { xAxisIndex: 0, yAxisIndex: 0 };
  const bounds = shown.flatMap(({ verdict: { ratio } }, at): Bounds[] =>
    ratio.low === null || ratio.high === null ? [] : [[at, log(ratio.low), log(ratio.high)]],
  );
  const look = axisLook(theme);
  return {
    ...base(drawing),
    grid: [{ left, right: 24, top: 8, height: shown.length * rowOf(drawing.width) }],
    xAxis: [
      {
        ...look,
        type: "value",
        min: -reach,
        max: reach,
        ...axisName(drawing, text.say("column-ratio"), 26),
        axisTick: { ...(look.axisTick as Option), customValues: ticks.map(log) },
        axisLabel: {
          ...(look.axisLabel as Option),
          customValues: ticks.map(log),
          formatter: (place: number) => ratioTick(2 ** place, text.language),
        },
      },
    ],
    yAxis: [{ type: "category", inverse: true, data: names.map((name, at) => `${at}\u0000${name}`), ...rowAxis(drawing, left) }],
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
      return one ? `${cellName(page, one.cell, text)}\n${differenceWords(one.verdict.ratio, text)}: ${text.tell(one.verdict.words)}` : "";
    }),
  };
}

function rowOf(width: number): number {
  return width < WIDE_FROM ? ROW_TALL : ROW;
}

/** Names may be equal; the number before the zero character keeps the rows apart. */
function rowAxis(drawing: Drawing, left: number): Option {
  return {
    axisTick: { show: false },
    axisLine: { show: false },
    splitLine: { show: true, lineStyle: { color: drawing.theme.grid } },
    axisLabel: {
      color: drawing.theme.ink,
      fontSize: 11,
      interval: 0,
      width: left - 14,
      lineHeight: 13,
      overflow: drawing.width < WIDE_FROM ? "break" : "truncate",
      formatter: (name: string) => name.slice(name.indexOf("\u0000") + 1),
    },
  };
}

/** The share of the half axis beyond which there must be a tick. */
const TICKS_REACH = 0.55;

/** Returns round ratios over the whole of an axis that extends `reach` (in powers of two) to both sides,
 *  with room for their labels: the densest set that fits, 1 among them. */
export function ratioTicks(reach: number, pixels: number, language: Language): number[] {
  const powers = (base: number, exponents: number, steps: number[]) =>
    Array.from({ length: 2 * exponents + 1 }, (_, at) => at - exponents).flatMap((exponent) => steps.map((step) => step * base ** exponent));
  const even = (step: number) => Array.from({ length: 21 }, (_, at) => Number((1 + (at - 10) * step).toPrecision(4))).filter((one) => one > 0);
  const sets = [
    ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2].map(even),
    [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4],
    powers(2, 12, [1]),
    powers(10, 6, [1, 2, 5]),
    powers(4, 8, [1]),
    powers(10, 9, [1]),
    powers(1000, 6, [1]),
  ];
  const within = (set: number[]) => set.filter((one) => Math.abs(Math.log2(one)) <= reach);
  const place = (ratio: number) => ((Math.log2(ratio) + reach) / (2 * reach)) * pixels;
  const fits = (set: number[]) =>
    set.every((one, at) => at === 0 || place(one) - place(set[at - 1]!) > (textWidth(ratioTick(one, language)) + textWidth(ratioTick(set[at - 1]!, language))) / 2 + 8);
  const spans = (set: number[]) => [1, -1].every((side) => set.some((one) => side * Math.log2(one) >= reach * TICKS_REACH));
  const good = sets.map(within).filter((set) => set.includes(1) && spans(set) && fits(set));
  // No round ratio may fit a narrow picture: then its ends are used, unrounded.
  const otherwise = [2 ** (-reach * 0.9), 1, 2 ** (reach * 0.9)];
  return good.reduce((best, set) => (set.length > best.length ? set : best), good[0] ?? otherwise);
}

/** Returns the figure of the pairs of one cell; null if it has none. */
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
      heads: [text.say("column-pair"), names.baseline, names.cell, text.say("column-difference")],
      rows: verdict.pairs.map(([before, after], at) => [String(at + 1), words(before), words(after), plainDifference(after / before, text)]),
    }),
    widthMin: WIDTH_MIN,
    height: () => 320,
    option: (drawing) => pairOption(verdict, names, drawing, text),
  };
}

function pairOption(verdict: CellVerdict, names: { baseline: string; cell: string }, drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const values = verdict.pairs.flat();
  const top = Math.max(...values);
  const scale = scaleOf(verdict.metric, top);
  const room = Math.min(drawing.width * 0.25, 260);
  return {
    ...base(drawing),
    title: [unitTitle(drawing, scale.unit)],
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
    yAxis: [valueAxis(drawing, nice(top / scale.factor), text.language)],
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
