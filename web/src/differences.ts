// Differences in words: in percent with the interval, as a factor if large, and counted over cells.
// English uses exactly the terminal's words (`crates/report/src/change.rs`, `before_after.rs`).

import { fixed, higherIsBetter, inWords, threeDigits } from "./format";
import { capital, cellNameIn, metricWords } from "./things";
import type { BeforeAfter, CellVerdict, Claim, Estimate, MetricKey, Moved, Page } from "./generated";
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

/** Returns a large ratio as a factor: `×7.4`, `÷2.5`; empty for others. */
function factorWords(ratio: number, language: Language): string {
  const factor = ratio < 1 ? 1 / ratio : ratio;
  if (!Number.isFinite(factor) || factor < FACTOR_FROM) return "";
  return `${ratio < 1 ? "÷" : "×"}${inWords(fixed(factor, factor < 9.95 ? 1 : 0), language)}`;
}

/** Returns a ratio to a baseline as a difference: `+34 % [+30, +38]`, `+640 % [+590, +690], ×7.4`. */
export function differenceWords(ratio: Estimate, text: Text): string {
  const value = percent(ratio.value);
  const bounds = ratio.low === null || ratio.high === null ? null : [percent(ratio.low), percent(ratio.high)];
  const size = Math.max(...[value, ...(bounds ?? [])].map(Math.abs));
  const isNarrow = bounds !== null && bounds[1]! - bounds[0]! < 1;
  const decimals = size < WHOLE_FROM && (size < TENTHS_BELOW || isNarrow) ? 1 : 0;
  const number = (one: number) => signed(one, decimals, text.language);
  const interval = bounds === null ? text.say("difference-no-interval") : `[${bounds.map(number).join(text.language === "de" ? "; " : ", ")}]`;
  return withFactor(`${number(value)}\u00a0% ${interval}`, ratio.value, text.language);
}

/** Returns the ratio of two samples, which has no interval, as a difference: `+34 %`, `+640 %, ×7.4`. */
export function plainDifference(ratio: number, text: Text): string {
  const value = percent(ratio);
  return withFactor(`${signed(value, Math.abs(value) < TENTHS_BELOW ? 1 : 0, text.language)}\u00a0%`, ratio, text.language);
}

function percent(ratio: number): number {
  return (ratio - 1) * 100;
}

function withFactor(words: string, ratio: number, language: Language): string {
  const factor = factorWords(ratio, language);
  return factor === "" ? words : `${words}, ${factor}`;
}

/** Returns a verdict beside its difference: `+34 % [+30, +38]`, `+0.4 % [−0.2, +0.9] same`. */
export function judgedWords(verdict: Pick<CellVerdict, "verdict" | "ratio">, text: Text): string {
  const difference = differenceWords(verdict.ratio, text);
  if (verdict.verdict === "no_difference") return `${difference} ${text.say("judged-same")}`;
  if (verdict.verdict === "cannot_tell") return `${difference} ${text.say("judged-unknown")}`;
  return difference;
}

/** Returns how far a ratio is from 1, without sign: `25 %`, `640 % (×7.4)`. */
function sizeWords(ratio: number, language: Language): string {
  const size = Math.abs(percent(ratio));
  const factor = factorWords(ratio, language);
  return `${inWords(fixed(size, size < 9.95 ? 1 : 0), language)}\u00a0%${factor === "" ? "" : ` (${factor})`}`;
}

function marginWords(margin: number, language: Language): string {
  return inWords(String(Number(fixed(margin * 100, 2))), language);
}

/** Returns parts of a sentence: `a, b, and c`. */
function listed(parts: string[], text: Text): string {
  if (parts.length < 2) return parts[0] ?? "";
  return text.say("list-and-then", { list: parts.slice(0, -1).join(", "), last: parts[parts.length - 1]! });
}

/** Returns the changed cells, with the direction of the value; the larger count first, worse ones first if
 *  equal. */
function movedOf(counts: BeforeAfter, metric: MetricKey): { moved: Moved; word: string }[] {
  const isHigherBetter = higherIsBetter(metric);
  const side = (moved: Moved | null, rises: boolean) =>
    moved === null ? [] : [{ moved, word: `word-percent-${isHigherBetter ? "higher" : "lower"}-${rises ? "rises" : "falls"}` }];
  const all = [...side(counts.worse, !isHigherBetter), ...side(counts.better, isHigherBetter)];
  return all.sort((one, other) => other.moved.cells - one.moved.cells);
}

function rangeWords(page: Page, moved: Moved, cells: number, text: Text): string {
  if (cells === 1) return "";
  const name = cellNameIn(page, moved.most_cell, text);
  if (moved.cells === 1) return ` (${name})`;
  const size = (ratio: number) => sizeWords(ratio, text.language);
  return ` (${text.say("moved-range", { least: size(moved.least_ratio), most: size(moved.most_ratio), cell: name })})`;
}

/** Returns the names of a later and an earlier run. */
function runPair(page: Page, claim: Extract<Claim, { claim: "before_after" }>, text: Text): { after: string; before: string } {
  const id = (run: number) => ({ id: String(page.runs[run]?.id ?? "?") });
  const plain = claim.is_in_order ? "" : "-plain";
  return { after: text.say(`run-after${plain}`, id(claim.run)), before: text.say(`run-before${plain}`, id(claim.reference)) };
}

/** Returns the number of cells in which one run is better or worse than another, and by how much. */
export function beforeAfterWords(page: Page, claim: Extract<Claim, { claim: "before_after" }>, text: Text): string {
  const { after, before } = runPair(page, claim, text);
  const parts: string[] = [];
  const ofAll = (count: number) => {
    if (parts.length > 0) return String(count);
    return claim.cells === 1 ? text.say("moved-one-cell") : text.say("moved-of", { count: String(count), cells: String(claim.cells) });
  };
  const first = (id: string) => (parts.length === 0 ? ` ${text.say(id, { before })}` : "");
  for (const { moved, word } of movedOf(claim, claim.metric)) {
    parts.push(
      text.say("moved", {
        size: sizeWords(moved.median_ratio, text.language),
        word: text.say(word),
        than: first("moved-than"),
        where: ofAll(moved.cells),
        range: rangeWords(page, moved, claim.cells, text),
      }),
    );
  }
  if (claim.same > 0) {
    parts.push(text.say("moved-same", { as: first("moved-as"), margin: marginWords(claim.margin, text.language), where: ofAll(claim.same) }));
  }
  if (claim.unknown > 0) parts.push(text.say("moved-unknown", { against: first("moved-against"), where: ofAll(claim.unknown) }));
  return capital(byMetric(claim.metric, text) + text.say("claim-before-after", { after, parts: listed(parts, text) }));
}

/** Returns the number of cells better or worse than their baselines, and by how much. */
export function againstWords(page: Page, counts: BeforeAfter, metric: MetricKey, text: Text): string {
  const are = (count: number) => ({ count: String(count), number: count === 1 ? "one" : "other" });
  const parts = movedOf(counts, metric).map(({ moved, word }) =>
    text.say("against-moved", {
      ...are(moved.cells),
      size: sizeWords(moved.median_ratio, text.language),
      word: text.say(word),
      range: rangeWords(page, moved, counts.cells, text),
    }),
  );
  if (counts.same > 0) parts.push(text.say("against-same", { ...are(counts.same), margin: marginWords(counts.margin, text.language) }));
  if (counts.unknown > 0) parts.push(text.say("against-unknown", are(counts.unknown)));
  const id = counts.cells === 1 ? "claim-against-one" : "claim-against";
  return capital(byMetric(metric, text) + text.say(id, { cells: String(counts.cells), parts: listed(parts, text) }));
}

function byMetric(metric: MetricKey, text: Text): string {
  return metric === "bandwidth_bytes_per_s" ? "" : text.say("moved-by", { metric: metricWords(metric, text) });
}

/** Returns a ratio in the short form for an axis. */
export function ratioTick(ratio: number, language: Language): string {
  return inWords(ratio >= 10 ? fixed(ratio, 0) : String(Number(threeDigits(ratio))), language);
}
