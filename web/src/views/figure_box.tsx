// A figure on a page: heading, description, picture, series, numbers, downloads.
//
// The picture is drawn when it comes near the window, so that a page of many figures opens at once;
// everything is drawn before printing, in light colours and as wide as paper.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../button";
import { chartIn, svgOf } from "../charts/draw";
import { hiddenAtFirst, type Figure } from "../charts/figure";
import { legendHeight } from "../charts/parts";
import { THEMES, type Theme } from "../charts/theme";
import { useText, useTheme } from "../context";
import { save, savePng } from "../download";
import { DataTable } from "./data_table";
import { Legend } from "./legend";

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif';
/** The width that fits on A4 and US letter within their margins, in CSS pixels. */
const PAPER_WIDTH = 660;
const NEAR = "400px";
const EXPORT_WIDTH = 960;

interface FigureBoxProps {
  figure: Figure;
  /** `h2` if the figure is the whole view, `h3` if the view has several. */
  level?: "h2" | "h3";
  /** Switches that belong to the figure. */
  children?: ComponentChildren;
}

export function FigureBox({ figure, level: Heading = "h2", children }: FigureBoxProps) {
  const text = useText();
  const id = useId();
  const [chosen, setChosen] = useState<{ of: string; hidden: Set<string> } | null>(null);
  // A choice applies as long as the series are the same.
  const names = figure.legend.map((item) => item.name).join("\n");
  // The same set as long as the figure is the same; a new set redraws it.
  const first = useMemo(() => hiddenAtFirst(figure), [figure]);
  const hidden = chosen?.of === names ? chosen.hidden : first;
  return (
    <figure class="figure" aria-labelledby={`${id}-title`}>
      <figcaption>
        <Heading id={`${id}-title`}>{figure.title}</Heading>
        <p class="says">{figure.description}</p>
      </figcaption>
      {children && <div class="switches">{children}</div>}
      {figure.legend.length > 1 && (
        <Legend items={figure.legend} hidden={hidden} onChange={(next) => setChosen({ of: names, hidden: next })} />
      )}
      <Picture figure={figure} hidden={hidden} />
      <div class="figure-foot">
        <details>
          <summary>{text.say("numbers")}</summary>
          <Numbers figure={figure} />
        </details>
        <Downloads figure={figure} hidden={hidden} />
      </div>
    </figure>
  );
}

/** The table is built when it is opened: it can be long. */
function Numbers({ figure }: { figure: Figure }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const marker = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const details = marker.current?.closest("details");
    const toggled = () => setOpen(details?.open ?? false);
    details?.addEventListener("toggle", toggled);
    return () => details?.removeEventListener("toggle", toggled);
  }, []);
  return <div ref={marker}>{isOpen && <DataTable caption={`${figure.title} – ${text.say("numbers")}`} table={figure.table()} />}</div>;
}

function Picture({ figure, hidden }: { figure: Figure; hidden: ReadonlySet<string> }) {
  const text = useText();
  const theme = useTheme();
  const frame = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const isNear = useNear(place);
  const width = useWidth(frame);
  const isScrolled = width > 0 && width < figure.widthMin;
  const chart = useRef<ReturnType<typeof chartIn> | null>(null);
  const draw = (colors: Theme, room: number, hasLegend = false) => {
    if (!place.current || room <= 0) return;
    const wide = hasLegend ? room : Math.max(room, figure.widthMin);
    const legend = hasLegend ? legendHeight(figure.legend.filter((item) => !hidden.has(item.name)), wide) : 0;
    const size = { width: wide, height: figure.height(wide) + legend };
    const option = figure.option({ theme: colors, width: wide, font: FONT, hidden, hasLegend });
    place.current.style.height = `${size.height}px`;
    place.current.style.width = wide > room ? `${wide}px` : "";
    chart.current ??= chartIn(place.current, size.width, size.height);
    if (chart.current.getWidth() !== size.width || chart.current.getHeight() !== size.height) chart.current.resize(size);
    chart.current.setOption(option, { notMerge: true });
  };
  const drawn = useRef<unknown[]>([]);
  // Before the frame is painted: numbers and pictures of the live page change together.
  useLayoutEffect(() => {
    const inputs = [figure, hidden, theme, width];
    if (!isNear || inputs.every((input, index) => input === drawn.current[index])) return;
    drawn.current = inputs;
    draw(theme, width);
  }, [isNear, figure, hidden, theme, width]);
  useEffect(() => {
    const before = () => draw(THEMES.light, PAPER_WIDTH, true);
    const after = () => draw(theme, frame.current?.clientWidth ?? width);
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
    };
  });
  useEffect(
    () => () => {
      chart.current?.dispose();
      chart.current = null;
    },
    [],
  );
  const words = text.say("aria-figure", { title: figure.title, description: figure.description });
  return (
    <div
      class="picture-frame"
      ref={frame}
      tabIndex={isScrolled ? 0 : undefined}
      role={isScrolled ? "group" : undefined}
      aria-label={isScrolled ? figure.title : undefined}
    >
      <div class="picture" ref={place} role="img" aria-label={words} style={{ minHeight: `${figure.height(width || 800)}px` }} />
    </div>
  );
}

/** Returns whether an element is near the window; figures far from it need not follow a dragged slider. */
function useNear(place: { current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => setNear(entries[entries.length - 1]?.isIntersecting ?? false), { rootMargin: NEAR });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return isNear;
}

function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!place.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(place.current);
    setWidth(place.current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return width;
}

function Downloads({ figure, hidden }: { figure: Figure; hidden: ReadonlySet<string> }) {
  const text = useText();
  const theme = useTheme();
  const [hasFailed, setFailed] = useState(false);
  const svg = () => svgOf(figure, text, theme.name, EXPORT_WIDTH, null, hidden);
  const png = () => {
    setFailed(false);
    savePng(`${figure.id}.png`, svg(), EXPORT_WIDTH).catch(() => setFailed(true));
  };
  const name = (format: string) => text.say("download-label", { title: figure.title, format });
  return (
    <div class="downloads">
      <Button aria-label={name("SVG")} onClick={() => save(`${figure.id}.svg`, "image/svg+xml", svg())}>
        {text.say("download-svg")}
      </Button>
      <Button aria-label={name("PNG")} onClick={png}>
        {text.say("download-png")}
      </Button>
      <span class="soft" role="status">
        {hasFailed && text.say("png-failed")}
      </span>
    </div>
  );
}
