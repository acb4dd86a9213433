// The I/O of each device: I/Os per second, reads and writes stacked, and the busy share.

import { bytes, count, local, percent, threeDigits } from "../format";
import { label } from "../names";
import type { Member, Page } from "../generated";
import type { Text } from "../text";
import { cellName } from "../things";
import { type Drawing, type Figure, type LegendItem, type Option, WIDTH_MIN } from "./figure";
import { base, legendHeight, legendOption, nameAxis, nice, panelPlace, panelsHeight, panelTitle, shownItems, tooltip, valueAxis, type Panels } from "./parts";
import { lookOf } from "./theme";

const ROW = 30;

type Pick = (member: Member) => number;

interface Panel {
  title: string;
  parts: { name: string; look: number; of: Pick }[];
  top: number;
}

/** Returns the figure of a cell's devices; null if they are unknown. */
export function members(page: Page, id: string, index: number, text: Text): Figure | null {
  const cell = page.cells[index];
  if (!cell || cell.members.length === 0) return null;
  const legend: LegendItem[] = [
    { name: text.say("reads"), look: 0 },
    { name: text.say("writes"), look: 1 },
  ];
  const layout: Panels = { count: 3, widthMin: 300, panelHeight: cell.members.length * ROW, left: 92, right: 26, top: 34, bottom: 30 };
  return {
    id,
    title: text.say("view-members"),
    description: text.say("view-members-says", { cell: cellName(page, cell, text) }),
    legend,
    table: () => memberTable(cell.members, text),
    widthMin: WIDTH_MIN,
    height: (width) => panelsHeight(layout, width),
    option: (drawing) => option(cell.members, layout, legend, drawing, text),
  };
}

function memberTable(list: Member[], text: Text) {
  const number = (value: number) => (value === 0 || Math.abs(value) >= 100 ? count(value, text.language) : local(threeDigits(value), text.language));
  const columns = ["device", "reads", "writes", "read-bytes", "write-bytes", "merges", "flushes", "busy"];
  return {
    heads: columns.map((column) => text.say(`column-${column}`)),
    rows: list.map((member) => [
      label(member.device, 60),
      number(member.reads_per_s),
      number(member.writes_per_s),
      `${bytes(member.read_bytes_per_s, text.language)}/s`,
      `${bytes(member.write_bytes_per_s, text.language)}/s`,
      number(member.merges_per_s),
      member.flushes_per_s === null ? "–" : number(member.flushes_per_s),
      percent(member.busy_share, text.language),
    ]),
  };
}

const MIB = 1024 * 1024;

function panelsOf(list: Member[], legend: LegendItem[], text: Text): Panel[] {
  const [reads, writes] = [legend[0]!.name, legend[1]!.name];
  const pair = (title: string, read: Pick, write: Pick): Panel => ({
    title,
    parts: [
      { name: reads, look: 0, of: read },
      { name: writes, look: 1, of: write },
    ],
    top: Math.max(0, ...list.map((member) => read(member) + write(member))),
  });
  return [
    pair(text.say("members-ios"), (member) => member.reads_per_s, (member) => member.writes_per_s),
    pair("MiB/s", (member) => member.read_bytes_per_s / MIB, (member) => member.write_bytes_per_s / MIB),
    { title: `${text.say("column-busy")} · %`, parts: [{ name: text.say("column-busy"), look: 7, of: (member) => member.busy_share * 100 }], top: 100 },
  ];
}

function option(list: Member[], layout: Panels, legend: LegendItem[], drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const items = shownItems(legend, drawing);
  const offset = legendHeight(items, drawing.width);
  const panels = panelsOf(list, legend, text);
  const places = panels.map((_, index) => panelPlace(layout, drawing.width, index, offset));
  return {
    ...base(drawing),
    legend: legendOption(items, drawing),
    title: panels.map((panel, index) => panelTitle(panel.title, places[index]!, drawing)),
    grid: places.map((place) => ({ ...place })),
    xAxis: panels.map((panel, gridIndex) => ({
      ...valueAxis(drawing, nice(panel.top, places[gridIndex]!.width < 320 ? 3 : 5), text.language),
      gridIndex,
    })),
    yAxis: panels.map((_, gridIndex) => ({ ...nameAxis(drawing, list.map((member) => label(member.device, 14)), 80), gridIndex })),
    series: panels.flatMap((panel, index) =>
      panel.parts
        .filter((part) => !drawing.hidden.has(part.name))
        .map((part) => ({
          type: "bar",
          name: part.name,
          stack: String(index),
          xAxisIndex: index,
          yAxisIndex: index,
          barWidth: "60%",
          emphasis: { disabled: true },
          itemStyle: { color: lookOf(theme, part.look).color, decal: part.look === 1 ? decal(drawing) : undefined },
          data: list.map((member) => part.of(member)),
        })),
    ),
    tooltip: tooltip(
      drawing,
      "item",
      ({ seriesName, value, name }: { seriesName: string; value: number; name: string }) => `${name}, ${seriesName}: ${local(threeDigits(value), text.language)}`,
    ),
  };
}

/** Stripes, so that writes differ from reads in more than colour. */
function decal({ theme }: Drawing): Option {
  return { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4, color: theme.background };
}
