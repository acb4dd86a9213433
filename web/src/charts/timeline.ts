// Throughput over one sample in which a member fails and comes back: reads, writes, the rebuild,
// and a line at each event.

import { bytes, duration, quantity, scaleOf, span } from "../format";
import type { CellTimeline, MetricKey, Page, SampleEvent } from "../generated";
import type { Text } from "../text";
import { cellName, estimateWords } from "../things";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisLook, axisName, base, legendHeight, legendOption, nice, shownItems, tickNumber, tooltip, unitTitle, valueAxis } from "./parts";
import { lookOf } from "./theme";

const HEIGHT = 320;
const METRIC: MetricKey = "bandwidth_bytes_per_s";

interface Lane {
  name: string;
  look: number;
  /** Bytes per second, step by step. */
  rates: number[];
}

/** Returns the figure of a cell with a failure. */
export function timeline(page: Page, id: string, index: number, text: Text): Figure | null {
  const cell = page.cells[index];
  if (!cell?.timeline) return null;
  const line = cell.timeline;
  const lanes = lanesOf(line, text);
  const legend = lanes.map(({ name, look }) => ({ name, look }));
  const phases = line.phases.map((one) => `${text.say(`phase-${one.phase.replace("_", "-")}`)} ${estimateWords(METRIC, one.bandwidth_bytes_per_s, text)}`);
  const said = [text.say("timeline-phases", { phases: phases.join(", ") }), ...rebuildWords(line, text), ...dataWords(line, text)];
  return {
    id,
    title: text.say("view-timeline"),
    description: [`${cellName(page, cell, text)}.`, text.say("view-timeline-says"), ...said].join(" "),
    legend,
    table: () => ({
      heads: [text.say("column-start"), ...lanes.map((lane) => lane.name), text.say("timeline-events")],
      rows: lanes[0]!.rates.map((_, step) => [
        duration(step * line.step_ns, text.language),
        ...lanes.map((lane) => quantity(METRIC, lane.rates[step] ?? 0, text.language)),
        line.events.filter((event) => stepOf(line, event) === step).flatMap((event) => eventWords(event, text) ?? []).join("; "),
      ]),
    }),
    widthMin: WIDTH_MIN,
    height: () => HEIGHT,
    option: (drawing) => option(line, lanes, drawing, text),
  };
}

function lanesOf(line: CellTimeline, text: Text): Lane[] {
  const perSecond = (bytes: number[]) => bytes.map((one) => (one * 1e9) / line.step_ns);
  const all = [
    { name: text.say("timeline-reads"), look: 0, bytes: line.read_bytes },
    { name: text.say("timeline-writes"), look: 1, bytes: line.write_bytes },
    { name: text.say("timeline-rebuilt"), look: 2, bytes: line.rebuilt_bytes },
  ];
  const lanes = all.filter(({ bytes }) => bytes.some((one) => one > 0));
  return (lanes.length > 0 ? lanes : all.slice(0, 1)).map(({ name, look, bytes }) => ({ name, look, rates: perSecond(bytes) }));
}

function stepOf(line: CellTimeline, event: SampleEvent): number {
  return Math.min(Math.floor(event.at_ns / line.step_ns), Math.max(line.read_bytes.length, line.write_bytes.length) - 1);
}

/** Returns an event in a few words; null for one that belongs to another. */
function eventWords(event: SampleEvent, text: Text): string | null {
  switch (event.event) {
    case "failed":
    case "replaced":
    case "re_added":
      return text.say(`event-${event.event.replace("_", "-")}`, { device: String(event.device) });
    case "rebuild_done":
      return text.say("event-rebuild-done");
    case "read_back":
      return text.say("event-read-back");
    case "checked":
      return text.say(event.mismatch_bytes === 0 ? "event-checked" : "event-mismatch");
    default:
      return null;
  }
}

function rebuildWords(line: CellTimeline, text: Text): string[] {
  if (!line.rebuild) return line.events.some((one) => one.event === "rebuild_unfinished") ? [text.say("timeline-rebuild-still")] : [];
  const time = span(line.rebuild.time_ns.value, text.language);
  return [text.say(line.rebuild.is_done ? "timeline-rebuild-done" : "timeline-rebuild-unfinished", { time })];
}

/** Returns the state of the data. */
function dataWords(line: CellTimeline, text: Text): string[] {
  return line.events.flatMap((event) => {
    switch (event.event) {
      case "read_back":
        return [text.say("timeline-read-back", { size: bytes(event.read_bytes, text.language) })];
      case "checked":
        return event.mismatch_bytes === 0
          ? [text.say("timeline-checked")]
          : [text.say("timeline-mismatch", { size: bytes(event.mismatch_bytes, text.language) })];
      default:
        return [];
    }
  });
}

function option(line: CellTimeline, lanes: Lane[], drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const items = shownItems(lanes, drawing);
  const top = Math.max(0, ...lanes.flatMap((lane) => lane.rates));
  const scale = scaleOf(METRIC, top);
  const look = axisLook(theme);
  const offset = legendHeight(items, drawing.width);
  const seconds = (step: number) => ((step + 0.5) * line.step_ns) / 1e9;
  return {
    ...base(drawing),
    legend: legendOption(items, drawing),
    title: [unitTitle(drawing, scale.unit, offset)],
    grid: [{ left: 62, right: 22, top: 44 + offset, bottom: 46 }],
    xAxis: [
      {
        ...look,
        type: "value",
        min: 0,
        max: (Math.max(...lanes.map((lane) => lane.rates.length)) * line.step_ns) / 1e9,
        ...axisName(drawing, text.say("timeline-seconds"), 26),
        axisLabel: { ...(look.axisLabel as Option), formatter: (value: number) => tickNumber(value, text.language) },
      },
    ],
    yAxis: [valueAxis(drawing, nice(top / scale.factor), text.language)],
    series: [
      ...lanes.map((lane) => {
        const { color } = lookOf(theme, lane.look);
        return {
          type: "line",
          name: lane.name,
          symbol: "none",
          z: 3,
          emphasis: { disabled: true },
          lineStyle: { color, width: 1.8, type: lane.look === 2 ? "dashed" : "solid" },
          itemStyle: { color },
          data: lane.rates.map((rate, step) => [seconds(step), rate / scale.factor]),
        };
      }),
      marks(line, drawing, text),
    ],
    tooltip: tooltip(drawing, "axis", (all: { dataIndex: number }[]) => {
      const step = all[0]?.dataIndex;
      if (step === undefined) return "";
      const at = duration(step * line.step_ns, text.language);
      return [at, ...lanes.map((lane) => `${lane.name}: ${quantity(METRIC, lane.rates[step] ?? 0, text.language)}`)].join("\n");
    }),
  };
}

/** A line at each event, with its words at the top. */
function marks(line: CellTimeline, drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const shown = line.events.flatMap((event) => {
    const isAfter = event.event === "checked" || event.event === "read_back";
    const words = isAfter ? null : eventWords(event, text);
    return words === null ? [] : [{ words, at: event.at_ns / 1e9 }];
  });
  return {
    type: "line",
    silent: true,
    data: [],
    markLine: {
      silent: true,
      symbol: "none",
      lineStyle: { color: theme.soft, width: 1, type: "dotted" },
      data: shown.map(({ words, at }, index) => ({
        xAxis: at,
        label: { formatter: words, color: theme.soft, fontSize: 11, position: "end", distance: 4 + 13 * (index % 2) },
      })),
    },
  };
}
