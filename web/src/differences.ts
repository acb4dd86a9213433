// Differences for tables and figures: in percent with the interval, as a factor if large. The same as the
// terminal's (`crates/report/src/change.rs`), which `tests/words.test.ts` compares.

import { fixed, inWords } from "./format";
import type { CellVerdict, Estimate } from "./generated";
import type { Language, Text } from "./text";

/** From this ratio on, or from its inverse down, the factor is shown as well. */
const FACTOR_FROM = 2;
/** From this many percent on a decimal is noise; below it matters. */
const WHOLE_FROM = 100;
const TENTHS_BELOW = 10;

/** Returns a number with its sign; one that rounds to 0 has no sign. */
function signed(value: number, decimals: number, language: Language): string {
  const digits = fixed(Math.abs(value), decimals);
  if (/^[0.]*$/.test(digits)) return "0";
  return `${value < 0 ? "−" : "+"}${inWords(digits, language)}`;
}

/** Returns a large ratio as a factor: `, ×7.4`, `, ÷2.5`; empty for others. */
function factorWords(ratio: number, language: Language): string {
  const factor = ratio < 1 ? 1 / ratio : ratio;
  if (!Number.isFinite(factor) || factor < FACTOR_FROM) return "";
  return `, ${ratio < 1 ? "÷" : "×"}${inWords(fixed(factor, factor < 9.95 ? 1 : 0), language)}`;
}

function percent(ratio: number): number {
  return (ratio - 1) * 100;
}

/** Returns a ratio to a baseline as a difference: `+34 % [+30, +38]`, `+640 % [+590, +690], ×7.4`. */
export function differenceWords(ratio: Estimate, text: Text): string {
  const value = percent(ratio.value);
  const bounds = ratio.low === null || ratio.high === null ? null : { low: percent(ratio.low), high: percent(ratio.high) };
  const size = Math.max(...[value, ...Object.values(bounds ?? {})].map(Math.abs));
  const isNarrow = bounds !== null && bounds.high - bounds.low < 1;
  const decimals = size < WHOLE_FROM && (size < TENTHS_BELOW || isNarrow) ? 1 : 0;
  const number = (one: number) => signed(one, decimals, text.language);
  const words = { value: number(value), factor: factorWords(ratio.value, text.language) };
  if (bounds === null) return text.say("ratio-alone", words);
  return text.say("ratio-interval", { ...words, low: number(bounds.low), high: number(bounds.high) });
}

/** Returns the ratio of two samples, which has no interval, as a difference: `+34 %`, `+640 %, ×7.4`. */
export function plainDifference(ratio: number, text: Text): string {
  const value = percent(ratio);
  const number = signed(value, Math.abs(value) < TENTHS_BELOW ? 1 : 0, text.language);
  return `${number}\u00a0%${factorWords(ratio, text.language)}`;
}

/** Returns a verdict beside its difference: `+34 % [+30, +38]`, `+0.4 % [−0.2, +0.9] same`. */
export function judgedWords(verdict: Pick<CellVerdict, "verdict" | "ratio">, text: Text): string {
  const difference = differenceWords(verdict.ratio, text);
  if (verdict.verdict === "no_difference") return text.say("judged-same", { difference });
  if (verdict.verdict === "cannot_tell") return text.say("judged-unknown", { difference });
  return difference;
}

/** Returns a number without zeroes at its end. */
function plain(number: string): string {
  return number.includes(".") ? number.replace(/\.?0+$/, "") : number;
}

/** Returns a ratio in the short form for an axis. */
export function ratioTick(ratio: number, language: Language): string {
  // Enough decimals that no two ticks read the same.
  const decimals = ratio >= 10 ? 0 : Math.max(3, Math.ceil(-Math.log10(ratio)) + 1);
  return inWords(plain(fixed(ratio, decimals)), language);
}
