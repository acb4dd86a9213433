// Colours, symbols and lines of figures, light and dark.
//
// The eight colours keep at least 3:1 against their background and remain distinguishable with the
// common colour vision deficiencies (after Okabe and Ito, https://jfly.uni-koeln.de/color/,
// darkened for light and lightened for dark). Series never differ in colour alone: the symbol
// changes with it, and the dash when the colours repeat.

export type ThemeName = "light" | "dark";

export interface Theme {
  name: ThemeName;
  background: string;
  ink: string;
  soft: string;
  grid: string;
  shade: string;
  series: string[];
  /** From low to high, for heat maps: blues of increasing contrast with the background. */
  ramp: string[];
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    name: "light",
    background: "#ffffff",
    ink: "#1c2530",
    soft: "#55606e",
    grid: "#dfe4ea",
    shade: "rgba(0, 114, 178, 0.10)",
    series: ["#0072b2", "#c44e00", "#007a5a", "#a8478a", "#8a6a00", "#5b4fc4", "#1f7f99", "#555f6b"],
    ramp: ["#eef3fa", "#cfe0f1", "#a6c8e4", "#74a9d2", "#4486bd", "#21639f", "#0d437b", "#08284f"],
  },
  dark: {
    name: "dark",
    background: "#141a21",
    ink: "#e6ebf1",
    soft: "#a3afbd",
    grid: "#2f3a47",
    shade: "rgba(88, 176, 240, 0.14)",
    series: ["#58b0f0", "#ff9a4d", "#3ecf9f", "#e58ac6", "#e0bf4a", "#a79cff", "#5fd0e6", "#b4bdc8"],
    ramp: ["#17222e", "#1a3148", "#1d4566", "#235e8a", "#2f7cb2", "#4f9dd2", "#84c0e8", "#c4e3f8"],
  },
};

const SYMBOLS = ["circle", "rect", "triangle", "diamond"];
const DASHES = ["solid", "dashed", "dotted"];

/** The look of a series. */
export interface Look {
  color: string;
  symbol: string;
  /** Whether the symbol is only an outline. */
  isHollow: boolean;
  dash: string;
}

/** Returns the look of series number `index`. */
export function lookOf(theme: Theme, index: number): Look {
  const round = Math.floor(index / theme.series.length);
  const pick = <T>(list: T[], at: number) => list[at % list.length] as T;
  const isHollow = index % theme.series.length >= SYMBOLS.length;
  return { color: pick(theme.series, index), symbol: pick(SYMBOLS, index + round), isHollow, dash: pick(DASHES, round) };
}

/** Returns the chart library's symbol for a look. */
export function symbolOf(look: Look, theme: Theme) {
  return {
    symbol: look.symbol,
    itemStyle: { color: look.isHollow ? theme.background : look.color, borderColor: look.color, borderWidth: 1.8 },
  };
}

function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Returns the colour of the ramp at `share` (0 to 1). */
export function rampColor(theme: Theme, share: number): string {
  const place = Math.min(Math.max(share, 0), 1) * (theme.ramp.length - 1);
  const below = Math.min(Math.floor(place), theme.ramp.length - 2);
  const from = channels(theme.ramp[below] as string);
  const to = channels(theme.ramp[below + 1] as string);
  const mixed = from.map((value, index) => Math.round(value + ((to[index] as number) - value) * (place - below)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Returns black or white, whichever is easier to read on `color` (WCAG relative luminance). */
export function inkOn(color: string): string {
  const linear = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return luminance > 0.179 ? "#10161d" : "#ffffff";
}
