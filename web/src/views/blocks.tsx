// The blocks of an answer: what `report::render::html` draws in a page without a script. Any answer can
// be shown with it; how a block looks is in `crates/report/src/render/blocks.css`, for both pages.

import { Fragment, type ComponentChildren, type JSX } from "preact";
import type { Argument, Block, Chart, Column, Drawing, Grid, Sentence, Shape, Table, TableCell, Tone } from "../generated";
import { useText } from "../context";
import { clean } from "../names";
import { marked, NAME_TICK, type Text } from "../text";
import type { Kind, ViewNamed } from "./kinds";

/** The plane of a chart, and of a small one in a table. */
const CHART = [720, 90] as const;
const SMALL_CHART = [96, 20] as const;
/** The room for the signs below a chart. */
const MARKS = 16;
/** The part of its room that a bar of a chart takes. */
const FULL = 0.85;
const ANCHORS = ["end", "middle", "start"] as const;

export function Blocks({ blocks }: { blocks: Block[] }) {
  return <div class="blocks">{drawn(blocks, useText())}</div>;
}

export const blocksKind: Kind<ViewNamed<"blocks">> = {
  title: (_page, view, text) => text.tell(view.title),
  Component({ view }) {
    const text = useText();
    return (
      <>
        <h2>{text.tell(view.title)}</h2>
        <Blocks blocks={view.blocks} />
      </>
    );
  },
};

/** Returns blocks as elements. */
export function drawn(blocks: Block[], text: Text): ComponentChildren {
  return blocks.map((block, index) => <Fragment key={index}>{one(block, text)}</Fragment>);
}

function one(block: Block, text: Text): JSX.Element | JSX.Element[] | null {
  if (block === "gap") return null;
  if ("heading" in block) return <h4>{rich(marked(text).show(block.heading))}</h4>;
  if ("sentence" in block) return <p class={whole(block.sentence)}>{prose(block.sentence, text)}</p>;
  if ("pairs" in block) {
    return (
      <dl>
        {block.pairs.flatMap(({ name, value }, index) => [
          <dt key={`${index} name`}>{name !== null && rich(marked(text).show(name))}</dt>,
          <dd key={index}>{rich(marked(text).show(value))}</dd>,
        ])}
      </dl>
    );
  }
  if ("list" in block) {
    return (
      <ul>
        {block.list.map((item, index) => (
          <li key={index}>{rich(marked(text).show(item))}</li>
        ))}
      </ul>
    );
  }
  if ("table" in block) return rows(block.table, text);
  if ("grid" in block) return places(block.grid, text);
  if ("chart" in block) return charted(block.chart, text);
  if ("drawing" in block) return plane(block.drawing, text);
  if ("code" in block) {
    return (
      <pre tabIndex={0}>
        <code>{block.code.split("\n").map(clean).join("\n")}</code>
      </pre>
    );
  }
  if ("forms" in block) return <>{drawn(block.forms.drawn, text)}</>;
  const { title, blocks, is_open } = block.fold;
  if (is_open) {
    return (
      <article class={toneClass(title.tone)}>
        <h4>{prose(title, text)}</h4>
        {drawn(blocks, text)}
      </article>
    );
  }
  return (
    <details>
      <summary>{prose(title, text)}</summary>
      {drawn(blocks, text)}
    </details>
  );
}

/** Returns words (`marked`); what stands between backticks is code. */
function rich(words: string): ComponentChildren {
  const plain = (part: string) => part.split(NAME_TICK).join("`");
  const parts = words.split("`");
  if (parts.length % 2 === 0) return plain(words);
  return parts.map((part, index) => (index % 2 === 0 ? plain(part) : <code key={index}>{plain(part)}</code>));
}

function toneClass(tone: Tone): string | undefined {
  return tone === "plain" ? undefined : tone;
}

/** Returns the class of a sentence that stands out as a whole. */
function whole({ emphasis, tone }: Sentence): string | undefined {
  return emphasis === "all" ? toneClass(tone) : undefined;
}

function prose({ parts, join, tone, emphasis }: Sentence, text: Text): ComponentChildren {
  const named = marked(text);
  const words = parts.map((part) => named.show(part)).join(join === "dot" ? " · " : " ");
  if (emphasis === "all") return rich(words);
  const stands = emphasis === "head" ? words.slice(0, words.indexOf(":") + 1) : named.show(emphasis.value);
  const at = stands === "" ? -1 : words.indexOf(stands);
  if (at < 0) return rich(words);
  return (
    <>
      {rich(words.slice(0, at))}
      <b class={toneClass(tone)}>{rich(stands)}</b>
      {rich(words.slice(at + stands.length))}
    </>
  );
}

function isNumber({ kind }: Column): boolean {
  return kind === "number" || kind === "interval";
}

function rows(table: Table, text: Text) {
  return (
    <>
      {columnsOf(table, text)}
      {table.bars !== undefined && <p class="dim">{rich(marked(text).tell(table.bars))}</p>}
    </>
  );
}

function columnsOf({ caption, columns, rows }: Table, text: Text) {
  const classOf = (column: Column | undefined) => (column !== undefined && isNumber(column) ? "number" : undefined);
  return (
    <div class="wide" tabIndex={0}>
      <table>
        {caption !== null && <caption>{text.tell(caption)}</caption>}
        <thead>
          <tr>
            {columns.map((column, index) => {
              const head = text.show(column.head);
              const said = { class: classOf(column), title: column.name === null ? undefined : text.show(column.name) };
              if (head === "") return <td key={index} {...said} />;
              return (
                <th key={index} scope="col" {...said}>
                  {head}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.cells.map((cell, at) => (
                <td key={at} class={classOf(columns[at])}>
                  {value(cell, text)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function value(cell: TableCell, text: Text) {
  if (cell.chart !== undefined) {
    return (
      <svg class="small" viewBox={`0 0 ${SMALL_CHART[0]} ${SMALL_CHART[1]}`} aria-hidden="true">
        <path class="first" d={bars(cell.chart, SMALL_CHART)} />
      </svg>
    );
  }
  if (cell.bar !== undefined) {
    const { start, solid_end, shaded_end } = cell.bar;
    const part = (from: number, to: number) => `left:${(100 * from).toFixed(1)}%;width:${(100 * (to - from)).toFixed(1)}%`;
    return (
      <i class="length">
        <i style={part(start, solid_end)} />
        <i class="shaded" style={part(solid_end, shaded_end)} />
      </i>
    );
  }
  const words = cell.shown === null ? null : rich(marked(text).show(cell.shown));
  const name = cell.is_repeated ? "repeated" : toneClass(cell.tone);
  const all = (
    <>
      {cell.branch !== undefined && <span class="branch">{cell.branch[0]}</span>}
      {words}
    </>
  );
  return name === undefined ? all : <span class={name}>{all}</span>;
}

/** Returns values as the path of upright bars in a plane. */
export function bars(values: number[], [width, height]: readonly [number, number]): string {
  const most = Math.max(Number.MIN_VALUE, ...values);
  const step = width / Math.max(1, values.length);
  const bar = (value: number, at: number) => {
    const high = ((value / most) * height).toFixed(1);
    return `M${(at * step).toFixed(1)} ${height}v-${high}h${(step * FULL).toFixed(1)}v${high}z`;
  };
  return values.map(bar).join("");
}

function charted({ values, most, marks }: Chart, text: Text) {
  const [width, height] = CHART;
  return (
    <figure tabIndex={0}>
      <figcaption>{text.show(most)}</figcaption>
      <svg viewBox={`0 0 ${width} ${height + MARKS}`} aria-hidden="true">
        <path class="first" d={bars(values, CHART)} />
        {marks.map(({ at, sign }, index) => (
          <text key={index} x={at * width} y={height + MARKS - 2}>
            {sign}
          </text>
        ))}
      </svg>
    </figure>
  );
}

function places({ title, columns, rows, legend, meaning }: Grid, text: Text) {
  return (
    <>
      <div class="wide" tabIndex={0}>
        <table class="grid">
          <thead>
            <tr>
              <th>{text.show(title)}</th>
              {columns.map((name, index) => (
                <th key={index} scope="col">
                  {clean(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index} class={row.is_after_gap ? "gap" : undefined}>
                <th scope="row">{text.show(row.head)}</th>
                {row.cells.map((cell, at) => (
                  <td key={at} class={toneClass(cell.tone)}>
                    {clean(cell.text)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="dim">{prose(legend, text)}</p>
      <p>{prose(meaning, text)}</p>
    </>
  );
}

function plane({ caption, legend, width, height, shapes }: Drawing, text: Text) {
  return (
    <figure tabIndex={0}>
      <figcaption>
        {text.show(caption)}
        {legend.map(([ink, words]: [string, Argument]) => (
          <Fragment key={ink}>
            <b class={ink} />
            {text.show(words)}
          </Fragment>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {shapes.map((shape, index) => (
          <Fragment key={index}>{drawable(shape, text)}</Fragment>
        ))}
      </svg>
    </figure>
  );
}

function drawable(shape: Shape, text: Text) {
  if ("line" in shape) return <path class={`line ${shape.line[0]}`} d={shape.line[1]} />;
  if ("area" in shape) return <path class={shape.area[0]} fill-opacity={shape.area[2]} d={shape.area[1]} />;
  const [[x, y], side, words] = shape.words;
  return (
    <text x={x} y={y} text-anchor={ANCHORS[side + 1]}>
      {text.show(words)}
    </text>
  );
}
