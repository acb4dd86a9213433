// A series' line and symbol in the size of a letter, as the chart draws them.

import type { Look } from "../charts/theme";

const SHAPES: Record<string, string> = {
  circle: "M9 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
  rect: "M9.5 2.5h7v7h-7z",
  triangle: "M13 1.5l4.5 8h-9z",
  diamond: "M13 1l4.5 5l-4.5 5l-4.5 -5z",
};
const DASHES: Record<string, string> = { dashed: "5 3", dotted: "1.5 2.5" };

export function Symbol({ look, background }: { look: Look; background: string }) {
  const shape = SHAPES[look.symbol] ?? SHAPES.circle;
  return (
    <svg class="symbol" width="26" height="12" viewBox="0 0 26 12" aria-hidden="true">
      <path d="M0 6h26" stroke={look.color} stroke-width="2" stroke-dasharray={DASHES[look.dash]} />
      <path d={shape} fill={look.isHollow ? background : look.color} stroke={look.color} stroke-width="1.6" />
    </svg>
  );
}
