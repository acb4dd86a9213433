// The distribution of latency: for each cell the share of I/Os that took no longer than a latency.
// Latency is logarithmic. The vertical axis is the share, or the rarity of slower I/Os, one in N,
// which gives the slowest as much room as the usual ones.

import { duration, interval, local, percent, threeDigits } from "../format";
import type { Cell, Page } from "../generated";
import type { Text } from "../text";
import { cellName } from "../things";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisLook, axisName, base, gridLook, legendHeight, legendOption, readableTicks, shownItems, tooltip } from "./parts";
import { lookOf, symbolOf } from "./theme";

const HEIGHT = 360;
const PLACE = { left: 66, right: 24, top: 16, bottom: 52 };
/** The largest rarity on the scale of the slowest, as a power of ten. */
const RARE_MAX = 6;

interface DistributionChoices {
  cells: number[];
  isTail: boolean;
}

interface Chart {
  page: Page;
  text: Text;
  cells: { cell: Cell; name: string }[];
  isTail: boolean;
}

/** Returns the figure of the distribution of some cells. */
export function distribution(page: Page, id: string, text: Text, choices: DistributionChoices): Figure {
  const cells = choices.cells
    .map((index) => page.cells[index])
    .filter((cell): cell is Cell => cell?.latency != null)
    .map((cell) => ({ cell, name: cellName(page, cell, text, 20) }));
  const chart: Chart = { page, text, cells, isTail: choices.isTail };
  const legend = cells.map(({ name }, look) => ({ name, look }));
  return {
    id,
    title: text.say("view-distribution"),
    description: text.say(choices.isTail ? "view-distribution-tail-says" : "view-distribution-says"),
    legend,
    table: () => ({
      heads: [text.say("column-cell"), text.say("column-latency"), text.say("column-share")],
      rows: cells.flatMap(({ cell, name }) =>
        cell.latency!.cumulative.map(([latency, share]) => [name, duration(latency, text.language), percent(share, text.language, 3)]),
      ),
    }),
    widthMin: WIDTH_MIN,
    height: () => HEIGHT,
    option(drawing) {
      const items = shownItems(legend, drawing);
      const offset = legendHeight(items, drawing.width);
      return { ...option(chart, drawing, offset), legend: legendOption(items, drawing) };
    },
  };
}

/** Returns the vertical position of a share: one in 10 slower is at 1, one in 100 at 2, ... No I/O can be
 *  rarer than one in the number of I/Os, so the slowest is there. */
function rarity(share: number, ios: number): number {
  const known = Math.min(Math.log10(Math.max(ios, 1)), RARE_MAX);
  return share >= 1 ? known : Math.min(-Math.log10(1 - share), known);
}

function option(chart: Chart, drawing: Drawing, offset: number): Option {
  const { cells, text, isTail } = chart;
  const all = cells.flatMap(({ cell }) => cell.latency!.cumulative);
  const latencies = all.map(([latency]) => latency).filter((latency) => latency > 0);
  const min = Math.floor(Math.log10(Math.min(...latencies, 1e9)) * 3) / 3;
  const max = Math.ceil(Math.log10(Math.max(...latencies, 1e3)) * 3) / 3;
  const top = Math.max(1, ...cells.flatMap(({ cell: { latency } }) => latency!.cumulative.map(([, share]) => rarity(share, latency!.ios))));
  return {
    ...base(drawing),
    grid: [{ ...PLACE, top: PLACE.top + offset }],
    xAxis: [xAxis(drawing, text, min, max)],
    yAxis: [yAxis(drawing, text, isTail ? Math.min(Math.ceil(top), RARE_MAX) : null)],
    series: cells
      .map((one, look) => ({ ...one, look: lookOf(drawing.theme, look) }))
      .filter(({ name }) => !drawing.hidden.has(name))
      .map(({ cell, name, look }) => ({
        type: "line",
        name,
        step: "end",
        ...symbolOf(look, drawing.theme),
        color: look.color,
        symbolSize: 7,
        showSymbol: true,
        emphasis: { disabled: true },
        lineStyle: { color: look.color, width: 2, type: look.dash },
        data: points(cell, isTail, min),
      })),
    tooltip: tooltip(drawing, "axis", (params: { seriesName: string; data: { share: number; latency: number } }[]) =>
      params
        .map(({ seriesName, data }) => `${seriesName}: ${percent(data.share, text.language, 2)} ≤ ${duration(data.latency, text.language)}`)
        .join("\n"),
    ),
  };
}

function points(cell: Cell, isTail: boolean, min: number): Option[] {
  const { cumulative: list, ios } = cell.latency!;
  // A symbol at each point would cover the line; about ten are enough to distinguish lines.
  const every = Math.max(1, Math.floor(list.length / 10));
  const begin = { value: [Math.max(min, Math.log10(Math.max(list[0]?.[0] ?? 1, 1))), 0], symbolSize: 0, share: 0, latency: list[0]?.[0] ?? 0 };
  return [
    begin,
    ...list.map(([latency, share], index) => ({
      value: [Math.log10(Math.max(latency, 1)), isTail ? rarity(share, ios) : share * 100],
      symbolSize: index % every === Math.floor(every / 2) ? 7 : 0,
      share,
      latency,
    })),
  ];
}

function xAxis(drawing: Drawing, text: Text, min: number, max: number): Option {
  const look = axisLook(drawing.theme);
  const values: number[] = [];
  for (let power = Math.floor(min); power <= max; power += 1) {
    for (const step of max - min > 4 ? [1] : [1, 2, 5]) {
      const value = step * 10 ** power;
      if (Math.log10(value) >= min - 1e-9 && Math.log10(value) <= max + 1e-9) values.push(value);
    }
  }
  const places = values.map((value) => Math.log10(value));
  const words = (place: number) => tickDuration(10 ** place, text);
  const pixels = drawing.width - PLACE.left - PLACE.right;
  return {
    ...look,
    type: "value",
    min,
    max,
    ...axisName(drawing, text.say("column-latency"), 28),
    splitLine: gridLook(drawing.theme),
    axisTick: { ...(look.axisTick as Option), customValues: places },
    axisLabel: {
      ...(look.axisLabel as Option),
      customValues: readableTicks(places, places.map(words), pixels, min, max),
      formatter: words,
    },
  };
}

function tickDuration(nanoseconds: number, text: Text): string {
  const [factor, unit] = ([[1e9, "s"], [1e6, "ms"], [1e3, "µs"]] as const).find(([one]) => nanoseconds >= one * 0.9999) ?? [1, "ns"];
  return `${local(String(Number((nanoseconds / factor).toPrecision(2))), text.language)} ${unit}`;
}

function yAxis(drawing: Drawing, text: Text, rareMax: number | null): Option {
  const look = axisLook(drawing.theme);
  const scale =
    rareMax === null
      ? { min: 0, max: 100, interval: 20, words: (value: number) => `${value} %` }
      : { min: 0, max: rareMax, interval: 1, words: (value: number) => tailWords(value, text) };
  return {
    ...look,
    type: "value",
    min: scale.min,
    max: scale.max,
    interval: scale.interval,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: gridLook(drawing.theme),
    axisLabel: { ...(look.axisLabel as Option), formatter: scale.words },
  };
}

function tailWords(power: number, text: Text): string {
  return power <= 0 ? text.say("one-in-all") : text.say("one-in", { count: local(String(10 ** Math.round(power)), text.language) });
}

/** Returns the percentiles of the cells: one row per percentile, one column per cell. */
export function percentileTable(page: Page, cells: number[], text: Text): { heads: string[]; rows: string[][] } {
  const shown = cells.map((index) => page.cells[index]).filter((cell): cell is Cell => cell?.latency != null);
  const percents = [...new Set(shown.flatMap((cell) => cell.latency!.percentiles.map((one) => one.percent)))].sort((one, other) => one - other);
  return {
    heads: [text.say("column-percentile"), text.say("column-one-in"), ...shown.map((cell) => cellName(page, cell, text, 20))],
    rows: percents.map((share) => [
      `${local(String(share), text.language)}\u00a0%`,
      local(threeDigits(100 / (100 - share)).replace(/\.0+$/, ""), text.language),
      ...shown.map((cell) => {
        const found = cell.latency!.percentiles.find((one) => one.percent === share);
        return found ? interval("latency_ns_mean", found.latency_ns, text.language) : "–";
      }),
    ]),
  };
}
