// What power cuts destroyed: each setting on a plane of throughput (simulated, logarithmic) against
// the time lost. A loss of nothing has a band of its own below the logarithmic part, and stacks that
// did not come back one above it.
//
//   unusable   ■ 17 of 20
//   10 s ----------------
//   1 s        ●┬         median, its interval, the maximum
//   1 ms ----------------
//   0          ●   ●      nothing lost
//
// Filled marks were measured, hollow ones simulated.

import { scaleOf, duration } from "../format";
import type { CutLoss, CutPrediction, CutShare, CutSummary, Estimate, MetricKey, Page, View } from "../generated";
import { label as short } from "../names";
import type { Text } from "../text";
import { metricHead } from "../things";
import { type Drawing, type Figure, type LegendItem, type Option, type Table, tableOf, WIDTH_MIN } from "./figure";
import { nearestIn, placeLabels, type Box, type Spot } from "./labels";
import { axisLook, axisName, base, gridLook, legendHeight, legendOption, shownItems, textWidth, tickNumber, tooltip, type Place } from "./parts";
import { lookOf, symbolOf, type Look } from "./theme";

export type PowerCutsView = Extract<View, { kind: "power_cuts" }>;

/** A setting with all that is known of it. */
interface Setting {
  name: string;
  throughput: Estimate | null;
  cuts: CutSummary | null;
  predicted: CutPrediction | null;
}

interface Chart {
  text: Text;
  metric: MetricKey;
  settings: Setting[];
  x: Scale;
  y: Scale;
  legend: LegendItem[];
  /** All numbers, a row for each setting. */
  table: Table;
  /** How many of its columns name the setting. */
  named: number;
}

/** A scale from 0 to `max` with its ticks. */
interface Scale {
  max: number;
  place(value: number): number;
  ticks: { at: number; words: string }[];
}

const HEIGHT = 450;
const ABOVE = 34;
const BELOW = 56;
const LEFT = 74;
const RIGHT = 24;
/** The height of a line of a name. */
const ROW = 15;
/** A name farther than this from its mark has a line to it. */
const FAR = 20;
/** The height of a line of the key. */
const LINE = 17;
/** Below this width, or with more settings, points have numbers and a key below the picture. */
const NAMED_WIDTH_MIN = 620;
const NAMED_MAX = 14;
const NAME_LENGTH = 44;
/** Simulated marks stand beside measured ones. */
const ASIDE = 10;
const MEASURED = 0;
const UNUSABLE = 1;
const SIMULATED = 7;

/** Returns the figure of power cuts. */
export function powerCuts(page: Page, view: PowerCutsView, text: Text): Figure {
  const settings = view.settings.map((place): Setting => {
    const cell = (index: number | null) => (index === null ? undefined : page.cells[index]);
    const [measured, simulated] = [cell(place.measured), cell(place.simulated)];
    return {
      name: text.tell(place.name),
      throughput: simulated?.estimates[view.metric] ?? null,
      cuts: measured?.cuts ?? null,
      predicted: simulated?.predicted_cuts ?? null,
    };
  });
  const chart: Chart = {
    text,
    metric: view.metric,
    settings,
    x: throughputScale(settings, view.metric, text),
    y: lossScale(settings, text),
    legend: legendOf(settings, text),
    table: tableOf(view.table, text),
    named: view.table.columns.filter(({ kind }) => kind === "group").length,
  };
  const says = ["cuts-says", hasThroughput(chart) ? "cuts-says-throughput" : "cuts-says-no-throughput", "cuts-says-marks"];
  return {
    id: view.id,
    title: titleWords(text),
    description: says.map((id) => text.say(id, { metric: metricHead(view.metric, text) })).join(" "),
    legend: chart.legend,
    table: () => chart.table,
    widthMin: WIDTH_MIN,
    height: (width) => HEIGHT + keyHeight(chart, width),
    option: (drawing) => option(chart, drawing),
  };
}

export function titleWords(text: Text): string {
  return text.say("view-power-cuts");
}

function legendOf(settings: Setting[], text: Text): LegendItem[] {
  const items: [boolean, LegendItem][] = [
    [settings.some(({ cuts }) => cuts !== null), { name: text.say("cuts-measured"), look: MEASURED }],
    [settings.some(({ cuts }) => (cuts?.unusable.count ?? 0) > 0), { name: text.say("cuts-unusable"), look: UNUSABLE }],
    [settings.some(({ predicted }) => predicted !== null), { name: text.say("cuts-simulated"), look: SIMULATED }],
  ];
  return items.flatMap(([isThere, item]) => (isThere ? [item] : []));
}

function hasThroughput({ settings }: Chart): boolean {
  return settings.some(({ throughput }) => throughput !== null);
}

function isNumbered(chart: Chart, width: number): boolean {
  return width < NAMED_WIDTH_MIN || chart.settings.length > NAMED_MAX;
}

function keyHeight(chart: Chart, width: number): number {
  return isNumbered(chart, width) ? chart.settings.length * LINE + 10 : 0;
}

/** Returns a logarithmic scale of throughput; settings side by side if it is unknown. */
function throughputScale(settings: Setting[], metric: MetricKey, text: Text): Scale {
  const known = settings.flatMap(({ throughput }) => (throughput && throughput.value > 0 ? [throughput] : []));
  if (known.length === 0) return { max: settings.length, place: (index) => index + 0.5, ticks: [] };
  const factor = scaleOf(metric, 1).factor;
  const lows = known.map((one) => (one.low !== null && one.low > 0 ? one.low : one.value) / factor);
  const highs = known.map((one) => (one.high ?? one.value) / factor);
  // Settings without a throughput stand at the left end.
  const missing = known.length < settings.length ? 0.3 : 0;
  const from = Math.log10(Math.min(...lows)) - 0.12 - missing;
  const to = Math.max(Math.log10(Math.max(...highs)) + 0.12, from + 1);
  const steps = to - from > 2.2 ? [1] : [1, 2, 5];
  const ticks: Scale["ticks"] = [];
  for (let power = Math.floor(from); power <= Math.ceil(to); power += 1) {
    for (const step of steps) {
      const at = power + Math.log10(step) - from;
      if (at >= 0 && at <= to - from) ticks.push({ at, words: tickNumber(step * 10 ** power, text.language) });
    }
  }
  return { max: to - from, place: (value) => (value > 0 ? Math.log10(value / factor) - from : 0.12), ticks };
}

/** Returns the scale of losses: 0 in a band, then a logarithmic part, then the band of unusable stacks. */
function lossScale(settings: Setting[], text: Text): Scale {
  const losses = settings.flatMap(({ cuts, predicted }) => [
    ...(cuts?.age_ns ? [cuts.age_ns.median, cuts.age_ns.max, cuts.age_ns.low ?? 0, cuts.age_ns.high ?? 0] : []),
    ...(predicted && !predicted.is_unbounded ? [predicted.age_ns_p50, predicted.age_ns_max] : []),
  ]);
  const positive = losses.filter((loss) => loss > 0);
  const from = Math.floor(Math.log10(Math.min(...positive, 1e9)));
  const to = Math.ceil(Math.log10(Math.max(...positive, 1e9)) + 0.05);
  const first = BAND + 0.3;
  const ticks = [{ at: ZERO, words: text.say("cuts-nothing") }];
  for (let power = from; power <= to; power += 1) ticks.push({ at: first + power - from, words: decade(power, text) });
  const max = first + to - from + BAND + 0.2;
  ticks.push({ at: max - BAND / 2, words: text.say("cuts-all") });
  return { max, place: (loss) => (loss > 0 ? first + Math.log10(loss) - from : ZERO), ticks };
}

const ZERO = 0.75;
/** The height of the bands of nothing and of everything. */
const BAND = 1.4;

function decade(power: number, text: Text): string {
  return duration(10 ** power, text.language).replace(/[.,]0+(?=\D)/, "");
}

function unusablePlace({ y }: Chart): number {
  return y.max - BAND / 2;
}

/** Settings whose named marks are at one place, in pixels. */
interface Placed {
  settings: number[];
  x: number;
  y: number;
}

/** Marks nearer than this are at one place. */
const SAME_PLACE = 5;

/** The functions from values to pixels. */
interface Pixels {
  place: Place;
  x(setting: Setting, index: number): number;
  y(place: number): number;
}

function pixelsOf(chart: Chart, drawing: Drawing, offset: number): Pixels {
  const place: Place = {
    left: LEFT,
    top: ABOVE + offset,
    width: Math.max(drawing.width - LEFT - RIGHT, 60),
    height: HEIGHT - ABOVE - BELOW,
  };
  const isKnown = hasThroughput(chart);
  return {
    place,
    x: ({ throughput }, index) => {
      const at = chart.x.place(isKnown ? (throughput?.value ?? 0) : index);
      return place.left + (at / chart.x.max) * place.width;
    },
    y: (at) => place.top + place.height - (at / chart.y.max) * place.height,
  };
}

/** Returns the place of the mark that carries the name of a setting. */
function markOf(chart: Chart, { cuts, predicted }: Setting): number | null {
  if (cuts && cuts.unusable.count > 0) return unusablePlace(chart);
  if (cuts?.age_ns) return chart.y.place(cuts.age_ns.median);
  if (predicted) return predicted.is_unbounded ? topOf(chart) : chart.y.place(predicted.age_ns_p50);
  return null;
}

/** Returns the end of the logarithmic part. */
function topOf({ y }: Chart): number {
  return y.max - BAND - 0.1;
}

function option(chart: Chart, drawing: Drawing): Option {
  const { text, x, y } = chart;
  const legend = shownItems(chart.legend, drawing);
  const offset = legendHeight(legend, drawing.width);
  const pixels = pixelsOf(chart, drawing, offset);
  const { place } = pixels;
  const look = axisLook(drawing.theme);
  const words = (ticks: Scale["ticks"]) => (at: number) => nearest(ticks, at);
  const axis = (scale: Scale): Option => ({
    ...look,
    type: "value",
    min: 0,
    max: scale.max,
    axisTick: { ...(look.axisTick as Option), customValues: scale.ticks.map(({ at }) => at) },
    axisLabel: {
      ...(look.axisLabel as Option),
      customValues: scale.ticks.map(({ at }) => at),
      showMinLabel: true,
      showMaxLabel: true,
      formatter: words(scale.ticks),
    },
  });
  const name = hasThroughput(chart) ? text.say("cuts-throughput", { metric: unitWords(chart) }) : text.say("cuts-throughput-unknown");
  return {
    ...base(drawing),
    legend: legendOption(legend, drawing),
    title: [{ text: text.say("cuts-loss"), left: 4, top: offset + 6, padding: 0, textStyle: { fontSize: 12, fontWeight: 600, color: drawing.theme.ink } }],
    grid: [{ ...place }],
    xAxis: [{ ...axis(x), ...axisName(drawing, name, 28), ...(x.ticks.length === 0 ? { axisLabel: { show: false }, axisTick: { show: false } } : {}) }],
    yAxis: [axis(y)],
    series: [bandsOf(chart, drawing, pixels), ...seriesOf(chart, drawing, pixels), namesOf(chart, drawing, pixels)],
    tooltip: tooltip(drawing, "item", ({ data }: { data: { setting?: number } }) => hover(chart, data.setting)),
  };
}

function unitWords({ metric, text }: Chart): string {
  const head = metricHead(metric, text);
  return metric === "bandwidth_bytes_per_s" ? `${head}, ${scaleOf(metric, 1).unit}` : head;
}

function nearest(ticks: Scale["ticks"], at: number): string {
  return ticks.reduce((best, one) => (Math.abs(one.at - at) < Math.abs(best.at - at) ? one : best), ticks[0]!).words;
}

/** A shape of the library. */
type Shape = Option;

/** Returns a series that draws shapes at pixels. */
function drawn(name: string, shapes: Shape[], z: number): Option {
  return { type: "custom", name, silent: true, clip: false, z, data: [[0, 0]], renderItem: () => ({ type: "group", children: shapes }) };
}

function line(x1: number, y1: number, x2: number, y2: number, stroke: string, lineWidth: number, more: Option = {}): Shape {
  return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke, lineWidth, ...more } };
}

/** Returns the bands of nothing and of everything, and the lines of the decades. */
function bandsOf(chart: Chart, { theme }: Drawing, pixels: Pixels): Option {
  const { left, width } = pixels.place;
  const band = (from: number, to: number, fill: string): Shape => ({
    type: "rect",
    shape: { x: left, y: pixels.y(to), width, height: pixels.y(from) - pixels.y(to) },
    style: { fill },
  });
  const lines = chart.y.ticks.slice(1, -1).map(({ at }) => line(left, pixels.y(at), left + width, pixels.y(at), (gridLook(theme).lineStyle as { color: string }).color, 1));
  const warning = lookOf(theme, UNUSABLE).color;
  const shapes = [band(0, BAND, theme.shade), { ...band(chart.y.max - BAND, chart.y.max, warning), style: { fill: warning, opacity: 0.13 } }, ...lines];
  return drawn("", shapes, 0);
}

function seriesOf(chart: Chart, drawing: Drawing, pixels: Pixels): Option[] {
  const looks: [number, (look: Look) => Option[]][] = [
    [MEASURED, (look) => lossMarks(chart, drawing, pixels, look, false)],
    [UNUSABLE, (look) => unusableMarks(chart, drawing, pixels, look)],
    [SIMULATED, (look) => lossMarks(chart, drawing, pixels, look, true)],
  ];
  return looks.flatMap(([index, marks]) => {
    const item = chart.legend.find(({ look }) => look === index);
    if (!item || drawing.hidden.has(item.name)) return [];
    return marks(lookOf(drawing.theme, index)).map((series) => ({ ...series, name: item.name }));
  });
}

/** A loss to draw; a `max` of null has no limit. */
interface Loss {
  median: number;
  low: number | null;
  high: number | null;
  max: number | null;
}

function lossOf({ cuts, predicted }: Setting, isSimulated: boolean): Loss | null {
  if (!isSimulated) return cuts?.age_ns ?? null;
  if (!predicted) return null;
  const { is_unbounded, age_ns_p50, age_ns_max } = predicted;
  return { median: is_unbounded ? -1 : age_ns_p50, low: null, high: null, max: is_unbounded ? null : age_ns_max };
}

/** Returns the medians, with their intervals, up to the maxima. */
function lossMarks(chart: Chart, { theme }: Drawing, pixels: Pixels, look: Look, isSimulated: boolean): Option[] {
  const shapes: Shape[] = [];
  const points: Option[] = [];
  const dash = isSimulated ? { lineDash: [3, 3] } : {};
  chart.settings.forEach((setting, index) => {
    const loss = lossOf(setting, isSimulated);
    if (!loss) return;
    const at = pixels.x(setting, index) + (isSimulated ? ASIDE : 0);
    const y = (value: number) => pixels.y(value < 0 ? topOf(chart) : chart.y.place(value));
    const [from, to] = [y(loss.median), loss.max === null ? y(-1) : y(loss.max)];
    if (loss.low !== null && loss.high !== null && loss.high > loss.low) shapes.push(line(at, y(loss.low), at, y(loss.high), look.color, 7, { opacity: 0.3 }));
    if (loss.max === null) {
      // An arrow: nothing limits it.
      const foot = pixels.y(topOf(chart) - 0.8);
      shapes.push(line(at, foot, at, from, look.color, 1.6, dash), line(at - 4, from + 6, at, from, look.color, 1.6), line(at + 4, from + 6, at, from, look.color, 1.6));
    } else if (to < from) {
      shapes.push(line(at, from, at, to, look.color, 1.6, dash), line(at - 4, to, at + 4, to, look.color, 1.6));
    }
    const { throughput } = setting;
    if (!isSimulated && throughput && throughput.low !== null && throughput.high !== null) {
      const side = (value: number) => pixels.place.left + (chart.x.place(value) / chart.x.max) * pixels.place.width;
      shapes.push(line(side(throughput.low), from, side(throughput.high), from, look.color, 1.4));
    }
    const foot = loss.max === null ? topOf(chart) - 0.8 : chart.y.place(loss.median);
    points.push({ value: [scaleX(chart, setting, index), foot], setting: index });
  });
  const marks: Option = {
    type: "scatter",
    ...symbolOf(look, theme),
    symbolSize: isSimulated ? 9 : 11,
    symbolOffset: [isSimulated ? ASIDE : 0, 0],
    z: isSimulated ? 4 : 5,
    emphasis: { disabled: true },
    data: points,
  };
  return [drawn("", shapes, 3), marks];
}

function scaleX(chart: Chart, { throughput }: Setting, index: number): number {
  return chart.x.place(hasThroughput(chart) ? (throughput?.value ?? 0) : index);
}

/** Returns the settings whose stacks did not come back, with a line to the loss of those that did. */
function unusableMarks(chart: Chart, { theme }: Drawing, pixels: Pixels, look: Look): Option[] {
  const ties = chart.settings.flatMap((setting, index): Shape[] => {
    const { cuts } = setting;
    if (!cuts || cuts.unusable.count === 0 || cuts.age_ns === null) return [];
    const x = pixels.x(setting, index);
    return [line(x, pixels.y(unusablePlace(chart)), x, pixels.y(chart.y.place(cuts.age_ns.max)), look.color, 1.2, { lineDash: [1.5, 3] })];
  });
  const points = chart.settings.flatMap((setting, index): Option[] => {
    const share = setting.cuts?.unusable;
    if (!share || share.count === 0) return [];
    return [{ value: [scaleX(chart, setting, index), unusablePlace(chart)], setting: index }];
  });
  const marks: Option = { type: "scatter", ...symbolOf(look, theme), symbolSize: 11, z: 5, emphasis: { disabled: true }, data: points };
  return [drawn("", ties, 3), marks];
}

/** Returns the names of the settings beside their marks, or their numbers and a key. */
function namesOf(chart: Chart, drawing: Drawing, pixels: Pixels): Option {
  const { theme, font } = drawing;
  const isShort = isNumbered(chart, drawing.width);
  const words = (text: string, x: number, y: number, isRight = false): Shape => ({
    type: "text",
    style: { text, x, y, fill: theme.ink, font: `11.5px ${font}`, textAlign: isRight ? "right" : "left", textVerticalAlign: "middle" },
  });
  const marks = placesOf(chart, pixels);
  const lines = ({ settings }: Placed) =>
    isShort ? [settings.map((index) => index + 1).join(", ")] : settings.map((index) => nameOf(chart, chart.settings[index]!));
  const spots: Spot[] = marks.map((mark) => {
    const widest = Math.max(...lines(mark).map((name) => textWidth(name)));
    return { x: mark.x, y: mark.y, width: widest * 0.93 + 4, height: lines(mark).length * ROW };
  });
  const { left, top, width, height } = pixels.place;
  const within: Box = { left, top, right: left + width + RIGHT - 4, bottom: top + height };
  const shapes = placeLabels(spots, obstacles(chart, pixels), within).flatMap((box, at): Shape[] => {
    const { x, y } = marks[at]!;
    const [nearX, nearY] = nearestIn(box, marks[at]!);
    // Widths are estimates: the side next to the mark is exact.
    const isLeft = box.right < x;
    const isFar = Math.hypot(nearX - x, nearY - y) > FAR;
    const leader = line(x, y, nearX, nearY, theme.soft, 0.8);
    return [...(isFar ? [leader] : []), ...lines(marks[at]!).map((name, row) => words(name, isLeft ? box.right - 2 : box.left + 2, box.top + (row + 0.5) * ROW, isLeft))];
  });
  if (isShort) {
    const below = top + height + BELOW + 4;
    const room = Math.floor((drawing.width - 24) / 6.6);
    chart.settings.forEach((setting, index) => {
      shapes.push(words(short(`${index + 1}  ${nameOf(chart, setting)}`, room), 12, below + index * LINE));
    });
  }
  return drawn("", shapes, 6);
}

/** Returns the places of the named marks; settings at one place share it. */
function placesOf(chart: Chart, pixels: Pixels): Placed[] {
  const places: Placed[] = [];
  chart.settings.forEach((setting, index) => {
    const mark = markOf(chart, setting);
    if (mark === null) return;
    const [x, y] = [pixels.x(setting, index), pixels.y(mark)];
    const same = places.find((place) => Math.abs(place.x - x) < SAME_PLACE && Math.abs(place.y - y) < SAME_PLACE);
    if (same) same.settings.push(index);
    else places.push({ settings: [index], x, y });
  });
  return places;
}

/** Returns the name of a setting, with the stacks that did not come back. */
function nameOf({ text }: Chart, { name, cuts }: Setting): string {
  const lost = cuts && cuts.unusable.count > 0 ? ` (${shareWords(cuts.unusable, text)})` : "";
  return short(name, NAME_LENGTH) + lost;
}

/** Returns the boxes of all marks, which no name may cover. */
function obstacles(chart: Chart, pixels: Pixels): Box[] {
  const box = (x: number, top: number, bottom: number): Box => ({ left: x - 6, right: x + 6, top: top - 6, bottom: bottom + 6 });
  return chart.settings.flatMap((setting, index) => {
    const x = pixels.x(setting, index);
    const span = (loss: CutLoss) => box(x, pixels.y(chart.y.place(loss.max)), pixels.y(chart.y.place(loss.low ?? loss.median)));
    const { cuts, predicted } = setting;
    const lost = cuts && cuts.unusable.count > 0 ? [box(x, pixels.y(unusablePlace(chart)), pixels.y(unusablePlace(chart)))] : [];
    const top = predicted?.is_unbounded ? topOf(chart) : chart.y.place(predicted?.age_ns_max ?? 0);
    const foot = predicted?.is_unbounded ? topOf(chart) - 0.8 : chart.y.place(predicted?.age_ns_p50 ?? 0);
    const simulated = predicted ? [box(x + ASIDE, pixels.y(top), pixels.y(foot))] : [];
    return [...(cuts?.age_ns ? [span(cuts.age_ns)] : []), ...lost, ...simulated];
  });
}

function shareWords({ count, of }: CutShare, text: Text): string {
  return text.say("cut-share", { count: String(count), of: String(of) });
}

function hover(chart: Chart, index: number | undefined): string {
  const setting = index === undefined ? undefined : chart.settings[index];
  if (!setting) return "";
  const { heads, rows } = chart.table;
  const row = rows[chart.settings.indexOf(setting)] ?? [];
  const lines = row.flatMap((value, at) => (at < chart.named || value === "-" || value === "" ? [] : [`${heads[at]}: ${value}`]));
  return [short(setting.name, 60), ...lines].join("\n");
}
