// The only module that uses the chart library: it selects the bundled parts and draws a figure as
// SVG.

import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { init, setPlatformAPI, use, type ECharts } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { descriptionOf, leftOutWords, type Drawing, type Figure, type Option } from "./figure";
import { legendHeight } from "./parts";
import { clean } from "../names";
import type { Text } from "../text";
import { THEMES, type ThemeName } from "./theme";

use([
  BarChart,
  CustomChart,
  GridComponent,
  HeatmapChart,
  LegendComponent,
  LineChart,
  MarkAreaComponent,
  MarkLineComponent,
  ScatterChart,
  SVGRenderer,
  TitleComponent,
  TooltipComponent,
]);

/** Returns the width of a text. A caller without a browser (`crates/figure`) provides it, from the font of
 *  its pictures. */
declare const textWidthPx: ((text: string, font: string | undefined) => number) | undefined;

if (typeof textWidthPx === "function") {
  const width = textWidthPx;
  setPlatformAPI({ measureText: (text, font) => ({ width: width(text, font) }) });
}

const LAYOUT_WIDTH_MIN = 360;
const LAYOUT_WIDTH_MAX = 3000;

/** The font of exported figures; the program that rasterises them supplies it. */
const EXPORT_FONT = "DejaVu Sans, Verdana, sans-serif";

/** Returns a chart in `element`; the caller disposes of it. */
export function chartIn(element: HTMLElement, width: number, height: number): ECharts {
  return init(element, null, { renderer: "svg", width, height });
}

/** Returns a figure as an SVG document, legend included, without a browser. If a height is requested, the
 *  figure is laid out to fit and scaled: nothing is ever cut off. */
export function svgOf(figure: Figure, text: Text, theme: ThemeName, width: number, height: number | null, hidden: ReadonlySet<string>): string {
  const leftOut = leftOutWords(figure, hidden, text);
  const shown = figure.legend.filter((item) => !hidden.has(item.name));
  const natural = (wide: number) => figure.height(wide) + legendHeight(shown, wide) + (leftOut === null ? 0 : NOTE_HEIGHT);
  const laidOut = height === null ? width : layoutWidth(natural, width, height);
  const drawing: Drawing = { theme: THEMES[theme], width: laidOut, font: EXPORT_FONT, hidden, hasLegend: true };
  const chart = init(null, null, { renderer: "svg", ssr: true, width: laidOut, height: natural(laidOut) });
  const option = figure.option(drawing);
  chart.setOption(leftOut === null ? option : withNote(option, leftOut, drawing));
  const painter = chart.getZr().painter as unknown as SvgPainter;
  // Without mouse reactions: a file on paper has none, and the class names contain a counter.
  const svg = plain(painter.renderToString({ cssAnimation: false, cssEmphasis: false }));
  chart.dispose();
  const high = height ?? natural(laidOut);
  const words = `<title>${escaped(figure.title)}</title>\n<desc>${escaped(descriptionOf(figure, hidden, text))}</desc>`;
  const begin = /^<svg width="[\d.]+" height="[\d.]+"([^>]*)>/;
  return svg.replace(begin, (_, rest: string) => `<svg role="img" width="${width}" height="${high}"${rest}>\n${words}`);
}

const NOTE_HEIGHT = 22;

/** Returns an option with a note below everything; the content ends above the note. */
function withNote(option: Option, note: string, drawing: Drawing): Option {
  const list = (one: unknown) => (Array.isArray(one) ? (one as Option[]) : []);
  const words = { text: note, left: 8, bottom: 6, padding: 0, textStyle: { fontSize: 11, fontWeight: 400, color: drawing.theme.soft } };
  const grid = list(option.grid).map((one) => (typeof one.bottom === "number" ? { ...one, bottom: one.bottom + NOTE_HEIGHT } : one));
  return { ...option, title: [...list(option.title), words], grid };
}

/** Returns a text escaped for XML; `clean` has removed the characters that XML cannot hold. */
function escaped(text: string): string {
  return clean(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Returns the width at which a figure has the requested ratio of height to width. */
function layoutWidth(natural: (width: number) => number, width: number, height: number): number {
  let laidOut = width;
  // Heights change in steps with the number of columns, so a few rounds come close or alternate.
  for (let round = 0; round < 6; round += 1) {
    laidOut = Math.round(Math.min(Math.max((natural(laidOut) * width) / height, LAYOUT_WIDTH_MIN), LAYOUT_WIDTH_MAX));
  }
  return laidOut;
}

/** The methods of the library's painter that its own types lack. */
interface SvgPainter {
  renderToString(options: { cssAnimation: boolean; cssEmphasis: boolean }): string;
}

/** Returns the document without the library's annotations for scripts, and with ids that do not depend on
 *  the number of figures drawn before. Quotes within texts are escaped, so only attributes match. */
function plain(svg: string): string {
  return svg.replace(/ ecmeta_\w+="[^"]*"/g, "").replace(/( id="|url\(#)zr\d+-/g, "$1figure-");
}
