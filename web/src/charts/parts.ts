// Parts that several charts share: axes, panels, bands, error bars, tooltips.

import { fixed, local } from "../format";
import type { Language } from "../text";
import { lookOf, symbolOf, type Theme } from "./theme";
import type { Drawing, LegendItem, Option } from "./figure";

const LEGEND_ROW = 22;

/** A place for a chart within the figure, in pixels. */
export interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The layout of panels. */
export interface Panels {
  count: number;
  /** The width from which a panel can stand beside another one. */
  widthMin: number;
  panelHeight: number;
  left: number;
  right: number;
  /** Room above a panel, for its title. */
  top: number;
  /** Room below it, for the labels of its axis. */
  bottom: number;
}

function columnsOf(panels: Panels, width: number): number {
  return Math.max(1, Math.min(panels.count, Math.floor(width / panels.widthMin)));
}

/** Returns the height of all panels together. */
export function panelsHeight(panels: Panels, width: number): number {
  return Math.ceil(panels.count / columnsOf(panels, width)) * (panels.top + panels.panelHeight + panels.bottom);
}

/** Returns the place of panel number `index`. */
export function panelPlace(panels: Panels, width: number, index: number, offset: number): Place {
  const columns = columnsOf(panels, width);
  const each = width / columns;
  const row = Math.floor(index / columns);
  return {
    left: (index % columns) * each + panels.left,
    top: offset + row * (panels.top + panels.panelHeight + panels.bottom) + panels.top,
    width: Math.max(each - panels.left - panels.right, 40),
    height: panels.panelHeight,
  };
}

/** Returns the approximate width of a text of 12 px. */
export function textWidth(text: string): number {
  return text.length * 6.8;
}

/** Returns the height of a legend within a figure. */
export function legendHeight(items: LegendItem[], width: number): number {
  let rows = 1;
  let used = 0;
  for (const item of items) {
    const needed = textWidth(item.name) + 48;
    if (used > 0 && used + needed > width) {
      rows += 1;
      used = 0;
    }
    used += needed;
  }
  return items.length > 1 ? rows * LEGEND_ROW + 12 : 0;
}

/** Returns the visible part of the legend. */
export function shownItems(items: LegendItem[], drawing: Drawing): LegendItem[] {
  return drawing.hasLegend ? items.filter((item) => !drawing.hidden.has(item.name)) : [];
}

export function legendOption(items: LegendItem[], drawing: Drawing): Option {
  return {
    show: items.length > 1,
    type: "plain",
    left: 8,
    right: 8,
    top: 4,
    itemWidth: 14,
    itemHeight: 11,
    itemGap: 14,
    textStyle: { color: drawing.theme.ink },
    selectedMode: false,
    data: items.map((item) => {
      const look = lookOf(drawing.theme, item.look);
      const { symbol, itemStyle } = symbolOf(look, drawing.theme);
      return { name: item.name, icon: symbol, itemStyle, lineStyle: { color: look.color, width: 2, type: look.dash } };
    }),
  };
}

/** Returns the options that all figures share. */
export function base(drawing: Drawing): Option {
  const { theme } = drawing;
  return {
    animation: false,
    backgroundColor: theme.background,
    textStyle: { fontFamily: drawing.font, fontSize: 12, color: theme.ink },
    tooltip: { show: false },
  };
}

export function tooltip(drawing: Drawing, trigger: "item" | "axis", formatter: (params: never) => string): Option {
  const { theme } = drawing;
  return {
    show: true,
    trigger,
    // Text, never HTML: names come from outside.
    renderMode: "richText",
    confine: true,
    transitionDuration: 0,
    backgroundColor: theme.name === "dark" ? "#243040" : "#ffffff",
    borderColor: theme.soft,
    borderWidth: 1,
    padding: [6, 10],
    textStyle: { color: theme.ink, fontFamily: drawing.font, fontSize: 12, lineHeight: 17 },
    axisPointer: { type: "line", lineStyle: { color: theme.soft, type: "dashed" }, label: { show: false } },
    formatter,
  };
}

/** Returns a panel's title. */
export function panelTitle(text: string, place: Place, drawing: Drawing): Option {
  return {
    text,
    left: place.left - 2,
    top: place.top - 28,
    padding: 0,
    textStyle: { fontSize: 12.5, fontWeight: 600, color: drawing.theme.ink, width: place.width, overflow: "truncate" },
  };
}

/** A numeric scale with round steps. */
export interface Nice {
  min: number;
  max: number;
  interval: number;
}

/** Returns a scale from 0 to at least `max`, in about `steps` round steps. */
export function nice(max: number, steps = 5): Nice {
  if (!(max > 0) || !Number.isFinite(max)) return { min: 0, max: 1, interval: 0.25 };
  const rough = max / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10) * power;
  return { min: 0, max: Math.ceil((max / step) * 0.9999) * step, interval: step };
}

/** Returns the number of a tick, as short as it can be. */
export function tickNumber(value: number, language: Language): string {
  const text = Number.isInteger(value) ? fixed(value, 0) : String(Number(value.toPrecision(3)));
  return local(text, language);
}

export function axisLook(theme: Theme): Option {
  return {
    axisLine: { show: true, lineStyle: { color: theme.soft } },
    axisTick: { show: true, lineStyle: { color: theme.soft } },
    axisLabel: { color: theme.soft, fontSize: 11 },
    splitLine: { show: false },
  };
}

/** Returns an axis of numbers: lines across the picture at its ticks, none along it. */
export function valueAxis({ theme }: Drawing, scale: Nice, language: Language): Option {
  const look = axisLook(theme);
  return {
    ...look,
    type: "value",
    ...scale,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: gridLook(theme),
    axisLabel: { ...(look.axisLabel as Option), formatter: (value: number) => tickNumber(value, language) },
  };
}

/** Returns an axis of names, the first at the top. */
export function nameAxis({ theme }: Drawing, names: string[], width: number, fontSize = 11.5): Option {
  return {
    type: "category",
    inverse: true,
    data: names,
    axisTick: { show: false },
    axisLine: { show: true, lineStyle: { color: theme.soft } },
    axisLabel: { color: theme.ink, fontSize, interval: 0, width, overflow: "truncate" },
  };
}

/** Returns the name of a horizontal axis: words below its middle. */
export function axisName({ theme }: Drawing, name: string, nameGap: number): Option {
  return { name, nameLocation: "middle", nameGap, nameTextStyle: { color: theme.soft, fontSize: 11 } };
}

/** Returns the unit of a vertical axis, above it. */
export function unitTitle({ theme }: Drawing, unit: string, offset = 0): Option {
  return { text: unit, left: 4, top: 2 + offset, padding: 0, textStyle: { fontSize: 12, fontWeight: 600, color: theme.ink } };
}

export function gridLook(theme: Theme): Option {
  return { show: true, lineStyle: { color: theme.grid } };
}

/** Returns the ticks of an axis whose values are far enough apart to be read, `gap` pixels each. */
export function readableTicks(places: number[], labels: string[], pixels: number, min: number, max: number): number[] {
  const kept: number[] = [];
  let end = Number.NEGATIVE_INFINITY;
  places.forEach((place, index) => {
    const at = ((place - min) / (max - min || 1)) * pixels;
    const half = textWidth(labels[index] ?? "") / 2;
    if (at - half < end + 5) return;
    kept.push(place);
    end = at + half;
  });
  return kept;
}

interface Api {
  value(dimension: number): number;
  coord(point: [number, number]): [number, number];
}

/** A value with its bounds: position, low, high. */
export type Bounds = [number, number, number];

/** The beginning of the axis of values and, if intervals may exceed it, its end. */
export interface Ends {
  min: number;
  max?: number;
}

/** Returns bounds that an axis can show: a logarithmic axis has no 0. */
function within(bounds: Bounds[], { min, max = Number.POSITIVE_INFINITY }: Ends): Bounds[] {
  const clamp = (value: number) => Math.min(Math.max(value, min), max);
  return bounds.map(([at, low, high]) => [at, clamp(low), clamp(high)]);
}

/** Returns a series that draws an interval at each point: vertical, or horizontal for bars. One that
 *  exceeds the axis ends there in an arrow instead of a cap. */
export function errorBars(name: string, bounds: Bounds[], color: string, axes: Option, ends: Ends, isLying = false): Option {
  const shown = within(bounds, ends);
  return {
    type: "custom",
    name,
    ...axes,
    silent: true,
    clip: true,
    z: 4,
    data: shown,
    encode: isLying ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
    renderItem({ dataIndex }: { dataIndex: number }, api: Api) {
      const at = api.value(0);
      const [low, high] = [api.value(1), api.value(2)];
      const from = api.coord(isLying ? [low, at] : [at, low]);
      const to = api.coord(isLying ? [high, at] : [at, high]);
      const cap = 4;
      const line = (x1: number, y1: number, x2: number, y2: number) => ({
        type: "line",
        shape: { x1, y1, x2, y2 },
        style: { stroke: color, lineWidth: 1.4 },
      });
      // Two halves: in one line they form a cap, slanting inwards an arrow.
      const end = ([x, y]: [number, number], inwards: number) =>
        [-cap, cap].map((aside) => (isLying ? line(x, y, x + inwards, y + aside) : line(x, y, x + aside, y - inwards)));
      const isCut = (bound: 1 | 2) => bounds[dataIndex]?.[bound] !== shown[dataIndex]?.[bound];
      const children = [line(from[0], from[1], to[0], to[1]), ...end(from, isCut(1) ? cap : 0), ...end(to, isCut(2) ? -cap : 0)];
      return { type: "group", children };
    },
  };
}

/** Returns a series that shades the intervals along a line. */
export function band(name: string, bounds: Bounds[], color: string, axes: Option, ends: Ends): Option {
  const shown = within(bounds, ends);
  return {
    type: "custom",
    name,
    ...axes,
    silent: true,
    clip: true,
    z: 1,
    // One item draws the whole band; the others only make the axes fit.
    data: shown,
    encode: { x: 0, y: [1, 2] },
    renderItem(params: { dataIndex: number }, api: Api) {
      if (params.dataIndex !== 0) return null;
      const upper = shown.map(([at, , high]) => api.coord([at, high]));
      const lower = shown.map(([at, low]) => api.coord([at, low])).reverse();
      return { type: "polygon", shape: { points: [...upper, ...lower] }, style: { fill: color, opacity: 0.18 } };
    },
  };
}
