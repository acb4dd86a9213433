// Where the time of an I/O goes: its parts in the order of the stack, each bar beginning where the
// one before ended, and the whole below.

import { duration, percent, scaleOf } from "../format";
import type { Cell, Page, PartTime } from "../generated";
import type { Text } from "../text";
import { cellName, partWords } from "../things";
import { type Drawing, type Figure, type Option, WIDTH_MIN } from "./figure";
import { axisName, base, nameAxis, nice, tooltip, valueAxis } from "./parts";
import { lookOf } from "./theme";

const BAR = 30;

export type WaterfallOf = "mean" | "slowest";

interface Step {
  name: string;
  begins_ns: number;
  time_ns: number;
}

/** Returns the steps of a breakdown, the whole last. */
export function stepsOf(parts: PartTime[], text: Text): Step[] {
  let reached = 0;
  const steps = parts
    .filter((part) => part.time_ns > 0)
    .map((part): Step => {
      const step = { name: partWords(part.part, text), begins_ns: reached, time_ns: part.time_ns };
      reached += part.time_ns;
      return step;
    });
  return [...steps, { name: text.say("part-all"), begins_ns: 0, time_ns: reached }];
}

/** Returns the figure of where the time goes; null if the world does not know. */
export function waterfall(page: Page, id: string, index: number, of: WaterfallOf, text: Text): Figure | null {
  const cell = page.cells[index];
  if (!cell?.breakdown) return null;
  const steps = stepsOf(cell.breakdown[of], text);
  const whole = steps[steps.length - 1]!.time_ns;
  const says = of === "mean" ? "view-waterfall-says" : "view-waterfall-slowest-says";
  return {
    id,
    title: text.say("view-waterfall"),
    description: text.say(says, { cell: cellName(page, cell, text) }),
    legend: [],
    table: () => ({
      heads: [text.say("column-part"), text.say("column-begins"), text.say("column-time"), text.say("column-part-share")],
      rows: steps.map((step) => [
        step.name,
        duration(step.begins_ns, text.language),
        duration(step.time_ns, text.language),
        percent(step.time_ns / (whole || 1), text.language, 1),
      ]),
    }),
    widthMin: WIDTH_MIN,
    height: () => steps.length * BAR + 52,
    option: (drawing) => option(cell, steps, whole, drawing, text),
  };
}

function option(cell: Cell, steps: Step[], whole: number, drawing: Drawing, text: Text): Option {
  const { theme } = drawing;
  const scale = scaleOf("latency_ns_mean", whole);
  const left = drawing.width < 500 ? 118 : 150;
  const largest = Math.max(...steps.slice(0, -1).map((step) => step.time_ns));
  const isLimit = (step: Step) => cell.bottleneck !== undefined && step.time_ns === largest;
  const width = Math.max(drawing.width - left - 130, 60);
  const axis = nice(whole / scale.factor);
  return {
    ...base(drawing),
    grid: [{ left, top: 6, width, height: steps.length * BAR }],
    xAxis: [
      {
        ...valueAxis(drawing, axis, text.language),
        interval: width < 260 ? axis.interval * 2 : axis.interval,
        ...axisName(drawing, scale.unit, 24),
      },
    ],
    yAxis: [nameAxis(drawing, steps.map((step) => step.name), left - 12, 12)],
    series: [
      { type: "bar", stack: "time", silent: true, itemStyle: { color: "transparent" }, data: steps.map((step) => step.begins_ns / scale.factor) },
      {
        type: "bar",
        stack: "time",
        barWidth: "64%",
        emphasis: { disabled: true },
        data: steps.map((step, at) => ({
          value: step.time_ns / scale.factor,
          step: at,
          itemStyle: { color: at === steps.length - 1 ? theme.soft : lookOf(theme, isLimit(step) ? 1 : 0).color },
          label: {
            show: true,
            position: "right",
            distance: 6,
            color: theme.ink,
            fontSize: 11.5,
            fontWeight: isLimit(step) ? 700 : 400,
            formatter: () => `${duration(step.time_ns, text.language)} · ${percent(step.time_ns / (whole || 1), text.language)}`,
          },
        })),
      },
    ],
    tooltip: tooltip(drawing, "item", ({ data }: { data: { step?: number } }) => {
      const step = data.step === undefined ? undefined : steps[data.step];
      return step ? `${step.name}: ${duration(step.time_ns, text.language)}` : "";
    }),
  };
}
