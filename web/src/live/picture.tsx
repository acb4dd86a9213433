// The designs of an advice as a picture: the reader picks both axes, and a click opens a design.
//
// The list beside the axes opens the same, for keyboards and screen readers, and where marks lie upon one
// another. Marks differ in their form, not in colour alone.

import { useState } from "preact/hooks";

import { Note } from "../button";
import type { Picture as Designs, PictureAxis, PicturedDesign, PictureMark } from "../generated";
import { useText } from "../context";
import { useNarrow } from "../screen";
import { drawn } from "../views/blocks";
import { Pick } from "./controls";

/** The room beside the plane. */
const LEFT = 64;
const TOP = 16;
const BOTTOM = 34;
const RIGHT = 26;
/** Marks that are nearer lie upon one another. */
const NEAR = 9;
/** How far a name is from its mark. */
const BESIDE = 12;
const LINE = 15;
/** The paths of the marks, around 0. */
const CIRCLE = "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z";
const PATHS: Record<PictureMark, string> = {
  other: CIRCLE,
  same: CIRCLE,
  refused: "M-6-6l12 12m0-12l-12 12",
  named: "M0-8l8 8l-8 8l-8-8z",
  advised: "M-7-7h14v14h-14z",
};

/** A design with its place in the plane. */
interface Placed {
  design: PicturedDesign;
  index: number;
  x: number;
  y: number;
}

export function Picture({ picture: { axes, designs } }: { picture: Designs }) {
  const text = useText();
  const isNarrow = useNarrow();
  const [upName, setUp] = useState("");
  const [acrossName, setAcross] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const names = axes.map((axis) => (axis.is_less_better ? text.say("live-advise-less", { axis: text.show(axis.name) }) : text.show(axis.name)));
  const titles = designs.map((design) => text.show(design.title));
  // Of another answer, the same axis and design stay if it has them.
  const placeOf = (name: string, otherwise: number) => Math.max(0, names.includes(name) ? names.indexOf(name) : Math.min(otherwise, axes.length - 1));
  const up = placeOf(upName, 0);
  const across = placeOf(acrossName, 1);
  const opened = chosen !== null && titles.includes(chosen) ? titles.indexOf(chosen) : designs.length - 1;
  const design = designs[opened];
  const [upright, lying] = [axes[up], axes[across]];
  if (design === undefined || upright === undefined || lying === undefined) return null;
  const open = (index: number) => setChosen(titles[index] ?? null);
  const [width, height] = isNarrow ? [360, 320] : [760, 380];
  const place = (axis: PictureAxis, at: number, from: number, to: number) => from + (at / (axis.signs.at(-1)?.at || 1)) * (to - from);
  const placeX = (at: number) => place(lying, at, LEFT, width - RIGHT);
  const placeY = (at: number) => place(upright, at, height - BOTTOM, TOP);
  const placed = designs.flatMap((one, index): Placed[] => {
    const [y, x] = [one.values[up], one.values[across]];
    return x == null || y == null ? [] : [{ design: one, index, x: placeX(x.at), y: placeY(y.at) }];
  });
  const signs = [
    ...upright.signs.map(({ at, shown }) => [`M${LEFT} ${placeY(at)}H${width - RIGHT}`, LEFT - 6, placeY(at) + 4, "end", shown] as const),
    ...lying.signs.map(({ at, shown }) => [`M${placeX(at)} ${TOP}V${height - BOTTOM}`, placeX(at), height - BOTTOM + 18, "middle", shown] as const),
  ];
  const leftOut = designs.length - placed.length;
  const near = (one: Placed) => placed.filter((other) => Math.hypot(other.x - one.x, other.y - one.y) < NEAR);
  // Of marks upon one another, each click opens the next one, from the uppermost down.
  const openAt = (one: Placed) => {
    const here = near(one).map(({ index }) => index).reverse();
    open(here[(here.indexOf(opened) + 1) % here.length] ?? one.index);
  };
  const piles = pilesOf(placed, near);
  return (
    <>
      <section class="view live-across live-advise-picture">
        <h2>{text.say("live-advise-picture")}</h2>
        <div class="live-advise-axes">
          <Pick label={text.say("live-advise-up")} value={names[up] ?? ""} options={names} onInput={setUp} />
          <Pick label={text.say("live-advise-across")} value={names[across] ?? ""} options={names} onInput={setAcross} />
        </div>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {signs.map(([d, x, y, side, shown]) => (
            <>
              <path class="line" d={d} />
              <text x={x} y={y} text-anchor={side}>
                {text.show(shown)}
              </text>
            </>
          ))}
          {placed.map((one) => (
            <path
              key={one.index}
              class={`mark ${one.design.mark}`}
              data-opened={one.index === opened}
              transform={`translate(${one.x} ${one.y})`}
              d={PATHS[one.design.mark]}
              onClick={() => openAt(one)}
            >
              <title>{near(one).map(({ index }) => titles[index]).reverse().join("\n")}</title>
            </path>
          ))}
          {piles.map(([{ index, x, y }, count]) => (
            <text key={index} class="pile" x={x} y={y + 22} text-anchor="middle">
              ×{count}
            </text>
          ))}
          {labels(placed, width).map(([at, x, y]) => (
            <text key={at.index} class="name" x={x} y={y} text-anchor={x < at.x ? "end" : "start"} onClick={() => open(at.index)}>
              {text.show(at.design.name)}
            </text>
          ))}
        </svg>
        <Note>{text.say("live-advise-marks")}</Note>
        {leftOut > 0 && <Note>{text.say("live-advise-left-out", { count: String(leftOut) })}</Note>}
      </section>
      <section class="view live-across live-advise-opened">
        <Pick label={text.say("live-advise-design")} value={titles[opened] ?? ""} options={[...titles].reverse()} onInput={setChosen} />
        <div class="blocks" aria-live="polite">
          {drawn(design.blocks, text)}
        </div>
      </section>
    </>
  );
}

/** Returns the uppermost of marks that lie upon one another, with how many they are. */
function pilesOf(placed: Placed[], near: (one: Placed) => Placed[]): [Placed, number][] {
  const piles: [Placed, number][] = [];
  const counted = new Set<number>();
  for (const one of [...placed].reverse()) {
    if (counted.has(one.index)) continue;
    const here = near(one).filter(({ index }) => !counted.has(index));
    here.forEach(({ index }) => counted.add(index));
    if (here.length > 1) piles.push([one, here.length]);
  }
  return piles;
}

/** Returns the names beside the marks that have one, none upon another. */
function labels(placed: Placed[], width: number): [Placed, number, number][] {
  const known: [Placed, number, number][] = [];
  for (const at of [...placed].reverse()) {
    if (at.design.mark !== "advised" && at.design.mark !== "named") continue;
    const x = at.x + (at.x > width * 0.6 ? -BESIDE : BESIDE);
    let y = at.y + 4;
    while (known.some(([, otherX, otherY]) => Math.abs(otherX - x) < 200 && Math.abs(otherY - y) < LINE)) y += LINE / 3;
    known.push([at, x, y]);
  }
  return known;
}
