// Sentences from data, in the reader's language.
//
// English gives the terminal's very words (`crates/stats/src/words.rs`, `crates/diagnose/src/words.rs`,
// `crates/study/src/warning.rs`); `tests/words.test.ts` compares them. What a newer writer knows and
// this file does not falls back to the English words that the data carries.

import {
  fixed,
  higherIsBetter,
  inWords,
  interval,
  percent,
  quantity,
  quantityInWords,
  size,
  tenthsOfMib,
  threeDigits,
  twoDigits,
  count as countOf,
} from "./format";
import { againstWords, beforeAfterWords, differenceWords } from "./differences";
import { inSentence, label } from "./names";
import type { Bottleneck, Change, Claim, Estimate, CellFinding, Metric, MetricKey, Noticed, Page, ReadRule, PageRun, Standing, Verdict } from "./generated";
import { axisWords, capital, cellInSentence, loadWords, metricWords, namedValue, partWords, runName, sayOr, worldWords } from "./things";
import { plural, type Arguments, type Language, type Text } from "./text";

const MIB = 1024 * 1024;

/** Returns the arguments of a counted message: which plural, and the number to print. */
function counted(name: string, value: number, language: Language): Arguments {
  return { [name]: plural(value), [`${name}_text`]: countOf(value, language) };
}

function joined(list: string[], text: Text): string {
  return list.length < 2 ? (list[0] ?? "") : list.reduce((all, last) => text.say("list-and", { list: all, last }));
}

// Verdicts.

/** The verdict with the words of the terminal. */
type Judged = { words: string } & (Verdict | { verdict: "cannot_tell" });

/** Returns a verdict on this cell / its baseline, said of this cell. */
export function verdictWords(verdict: Judged, metric: MetricKey, text: Text): string {
  const number = (value: number) => inWords(twoDigits(value), text.language);
  if (verdict.verdict === "different") return difference(verdict.low, verdict.high, higherIsBetter(metric), text);
  if (verdict.verdict === "no_difference") return text.say("verdict-same", { margin: number(100 * verdict.margin) });
  if (!("more_samples" in verdict)) return inSentence(verdict.words, 200);
  const { forecast, samples } = verdict.more_samples;
  const count = plural(samples);
  // Not rounded where it is a bound: rounding up would claim more than is known.
  return forecast === "about"
    ? text.say("verdict-unknown-about", { count, count_text: number(samples) })
    : text.say("verdict-unknown-more", { count, count_text: String(samples) });
}

function difference(low: number, high: number, isHigherBetter: boolean, text: Text): string {
  const rises = low >= 1;
  const middle = Math.sqrt(low * high);
  const kind = `${isHigherBetter ? "higher" : "lower"}-${rises ? "rises" : "falls"}`;
  if (middle >= 2 || middle <= 0.5) {
    const [least, most] = rises ? [low, high] : [1 / high, 1 / low];
    const word = text.say(`word-times-${kind}`);
    return text.say("verdict-times", { range: range(twoDigits(least), twoDigits(most), text), word });
  }
  const [least, most] = rises ? [low - 1, high - 1] : [1 - high, 1 - low];
  return percentages(100 * least, 100 * most, text.say(`word-percent-${kind}`), text);
}

function percentages(low: number, high: number, word: string, text: Text): string {
  const number = (digits: string) => inWords(digits, text.language);
  if (high < 0.1) return text.say("verdict-less-than-tenth", { word });
  if (low < 0.05) return text.say("verdict-up-to", { high: number(twoDigits(high)), word });
  // Beside "14", "8.2" is more precise than the range is.
  const least = twoDigits(high >= 10 && low >= 1 ? Math.round(low) : low);
  return text.say("verdict-percent", { range: range(least, twoDigits(high), text), word });
}

function range(low: string, high: string, text: Text): string {
  const number = (digits: string) => inWords(digits, text.language);
  return low === high
    ? text.say("verdict-about", { value: number(low) })
    : text.say("verdict-range", { low: number(low), high: number(high) });
}

// What limits, and the rules behind it.

/** Returns what limits as a sentence. */
export function bottleneckWords(limit: Bottleneck, text: Text): string {
  const share = (value: number) => percent(value, text.language);
  switch (limit.limit) {
    case "saturated":
      return sayOr(text, `limit-${limit.resource}`, { busy: share(limit.busy_share), share: share(limit.share) }, bottleneckShort(limit, text));
    case "syncs":
      return text.say("limit-syncs", {
        share: share(limit.share),
        time: quantityInWords("sync_latency_ns_mean", limit.time_ns, text.language),
      });
    case "latency":
      return text.say(limit.busiest_disk_share === undefined ? "limit-latency" : "limit-latency-busy", {
        busy: share(limit.busiest_disk_share ?? 0),
        share: share(limit.share),
        time: quantityInWords("latency_ns_mean", limit.time_ns, text.language),
        part: sayOr(text, `spent-${limit.part}`, {}, partWords(limit.part, text)),
      });
    default:
      return "";
  }
}

/** Returns what limits in a few words, with its evidence. */
export function bottleneckShort(limit: Bottleneck, text: Text): string {
  const share = (value: number) => percent(value, text.language);
  switch (limit.limit) {
    case "saturated":
      return text.say("limit-short-saturated", {
        resource: sayOr(text, `resource-${limit.resource}`, {}, label(limit.resource)),
        busy: share(limit.busy_share),
      });
    case "syncs":
      return text.say("limit-short-syncs", { share: share(limit.share) });
    case "latency":
      return text.say("limit-short-latency", { part: partWords(limit.part, text), share: share(limit.share) });
    default:
      return "";
  }
}

/** Returns what limits in so few words that a table has room for them. */
export function bottleneckBrief(limit: Bottleneck, text: Text): string {
  switch (limit.limit) {
    case "saturated":
      return sayOr(text, `resource-${limit.resource}`, {}, label(limit.resource));
    case "syncs":
      return text.say("limit-brief-syncs");
    case "latency":
      return partWords(limit.part, text);
    default:
      return "";
  }
}

/** Returns a finding as a sentence. */
export function findingWords(finding: CellFinding, text: Text): string {
  const args = findingArguments(finding, text);
  const id = `finding-${finding.finding.replace(/_/g, "-")}`;
  return args === null || !text.has(id) ? inSentence(finding.words, 500) : text.say(id, args);
}

/** Returns the arguments of a finding's sentence, or null where something it needs is not known. */
function findingArguments(finding: CellFinding, text: Text): Arguments | null {
  const digits = (value: number) => inWords(threeDigits(value), text.language);
  const share = (value: number) => percent(value, text.language);
  const block = inSentence(finding.block_size, 40);
  const kernel = inSentence(finding.kernel, 40);
  switch (finding.finding) {
    case "read_modify_write":
      return { reads_per_write: digits(finding.reads_per_write), share: share(finding.share) };
    case "mirrors_take_turns": {
      const rule = ruleWords(finding.rule, text);
      return rule === null ? null : { share: share(finding.sequential_share), kernel, rule };
    }
    case "reads_favour": {
      const rule = ruleWords(finding.rule, text);
      const members = finding.members.map((name) => inSentence(name, 40));
      return rule === null ? null : { part: ofSixteen(finding.share, text), members: joined(members, text), kernel, rule };
    }
    case "bitmap":
    case "flush":
    case "journal":
      return { share: share(finding.share) };
    case "slowest_member":
      return { requests_per_io: digits(finding.requests_per_io), share: share(finding.share) };
    case "idle_members": {
      const { busy, members, depth } = finding;
      return { busy: digits(busy), members: String(members), depth: plural(depth), depth_text: String(depth), block };
    }
    case "cpu":
      return {
        share: share(finding.share),
        requests_per_io: digits(finding.requests_per_io),
        requests: finding.requests_per_io >= 1.5 ? "other" : "one",
      };
    case "split":
      return { block, pieces_per_io: digits(finding.pieces_per_io), piece: piece(finding.piece_bytes, text) };
    case "copies":
      return { copies: digits(finding.copies) };
    default:
      return null;
  }
}

function ruleWords({ level, rule }: ReadRule, text: Text): string | null {
  const id = `rule-${level}-${rule}`;
  return text.has(id) ? text.say(id) : null;
}

function ofSixteen(share: number, text: Text): string {
  const sixteenths = Math.round(share * 16);
  if (sixteenths >= 16) return share > 0.9995 ? text.say("all-of") : percent(share, text.language, 1);
  return text.say("of-sixteen", { sixteenths: String(sixteenths), share: percent(share, text.language) });
}

function piece(bytes: number, text: Text): string {
  const [scaled, unit] = bytes < MIB ? [bytes / 1024, "KiB"] : [bytes / MIB, "MiB"];
  return `${inWords(threeDigits(scaled), text.language)}\u00a0${unit}`;
}

/** Returns a change in a few words. */
export function changeWords(change: Change & { words: string }, text: Text): string {
  const say = (args: Arguments) => sayOr(text, `change-${change.change.replace(/_/g, "-")}`, args, inSentence(change.words, 200));
  switch (change.change) {
    case "chunk":
      return say({ size: size(change.chunk_bytes) });
    case "block_size":
      return say({ size: size(change.block_size_bytes) });
    case "array": {
      const args = { level: inSentence(change.level, 60), layout: change.layout === null ? "" : ` ${inSentence(change.layout, 60)}` };
      return text.say(change.level === "raid0" ? "change-array-unsafe" : "change-array", args);
    }
    case "devices":
      return say({ count: String(change.count) });
    case "kernel":
      return say({ version: inSentence(change.version, 60) });
    case "depth":
      return say({ depth: String(change.depth) });
    case "fsync_every":
      return say({ writes: String(change.writes) });
    case "governor":
      return say({ governor: inSentence(change.governor, 60) });
    default:
      return say({});
  }
}

// Warnings.

/** Warnings name metrics by their serialized names, not by their keys. */
const METRIC_OF_NAME: Record<Metric, MetricKey> = {
  bandwidth: "bandwidth_bytes_per_s",
  iops: "iops",
  latency_mean: "latency_ns_mean",
  latency_p50: "latency_ns_p50",
  latency_p99: "latency_ns_p99",
  latency_p999: "latency_ns_p999",
  sync_latency_mean: "sync_latency_ns_mean",
  sync_latency_p99: "sync_latency_ns_p99",
};

/** Returns what was noticed, as a sentence. */
export function warningWords(warning: Noticed, text: Text): string {
  const args = warningArguments(warning, text);
  const id = `warning-${warning.kind.replace(/_/g, "-")}${args?.process ? "-process" : ""}`;
  return args === null || !text.has(id) ? inSentence(warning.message, 500) : text.say(id, args);
}

/** Returns what to do about it, where that is known. */
export function hintWords(warning: Noticed, text: Text): string | null {
  if (warning.hint === null) return null;
  return sayOr(text, `hint-${warning.kind.replace(/_/g, "-")}`, {}, inSentence(warning.hint, 500));
}

function warningArguments(warning: Noticed, text: Text): Arguments | null {
  const { language } = text;
  const name = (value: string | number) => inSentence(String(value), 200);
  const mib = (bytes: number) => tenthsOfMib(bytes, language);
  const seconds = (ns: number, decimals: number) => inWords(fixed(ns / 1e9, decimals), language);
  switch (warning.kind) {
    case "compressible_data":
      return { compression: name(warning.compression), data: name(warning.data) };
    case "file_fits_in_memory":
      return { files: mib(warning.files_bytes), memory: mib(warning.memory_bytes) };
    case "depth_ignored":
      return { engine: name(warning.engine), depth: name(warning.depth), why: name(warning.why) };
    case "budget_too_small":
      return { budget: seconds(warning.budget_ns, 0), needed: seconds(warning.needed_ns, 0) };
    case "budget_ended":
      return {
        cells: name(warning.cells),
        empty: name(warning.cells_empty),
        short: name(warning.cells_short),
        least: name(warning.at_least),
        what: warning.cells_empty === 0 ? "short" : warning.cells_short === 0 ? "empty" : "both",
      };
    case "array_busy":
      return { array: name(warning.array), action: name(warning.action) };
    case "array_degraded":
    case "array_lost_members":
      return { array: name(warning.array), missing: name(warning.missing_count) };
    case "failure_unfinished":
      return { array: name(warning.array), device: name(warning.device), step: name(warning.step) };
    case "fewer_bytes_at_device":
      return { direction: name(warning.direction), device: mib(warning.device_bytes), asked: mib(warning.asked_bytes) };
    case "more_bytes_at_device": {
      const process: Arguments = warning.process === null ? {} : { process: name(warning.process) };
      return { direction: name(warning.direction), device: mib(warning.device_bytes), asked: mib(warning.asked_bytes), ...process };
    }
    case "disks_unknown":
      return { filesystem: name(warning.filesystem) };
    case "partition_misaligned":
      return { device: name(warning.device), start: name(warning.start_bytes), unit: name(warning.unit), bytes: name(warning.unit_bytes) };
    case "short_run":
      return { elapsed: seconds(warning.elapsed_ns, 2), asked: seconds(warning.asked_ns, 2) };
    case "frequency_fell":
      return { before: String(Math.floor(warning.before_khz / 1000)), after: String(Math.floor(warning.after_khz / 1000)) };
    case "throttled":
      return { count: name(warning.count) };
    case "job_failed":
      // What the error number means is the operating system's to say; only the message has it.
      return { job: name(warning.job), errno: name(warning.errno), reason: /error -?\d+ \((.*)\)$/.exec(warning.message)?.[1] ?? "?" };
    case "not_steady":
      return { rounds: name(warning.rounds) };
    case "imported":
      return { note: name(warning.note) };
    case "data_differs":
      return { how: name(warning.how) };
    case "not_verified":
      return { world: name(warning.world) };
    case "disk_without_room":
      return { device: name(warning.device), waits: name(warning.waits_count), failed: name(warning.failed_count) };
    case "disk_heard_late":
      return { device: name(warning.device), service: name(warning.service_ns), late: name(warning.late_ns) };
    case "simulation_cut_short":
      return { ios: name(warning.ios) };
    case "not_stationary":
      return { ios: name(warning.ios), changing: name(warning.changing) };
    case "no_histogram":
      return {};
    case "first_sample_unlike":
    case "drift":
    case "autocorrelated":
      return seriesArguments(warning, text);
    default:
      return null;
  }
}

/** A warning about the series of a cell's samples. */
type SeriesWarning = Extract<Noticed, { kind: "first_sample_unlike" | "drift" | "autocorrelated" }>;

function seriesArguments(warning: SeriesWarning, text: Text): Arguments {
  const digits = (value: number, decimals: number) => inWords(fixed(value, decimals), text.language);
  const key = METRIC_OF_NAME[warning.metric];
  const metric = metricWords(key, text);
  switch (warning.kind) {
    case "first_sample_unlike":
      return {
        metric,
        first: quantityInWords(key, warning.first, text.language),
        rest: quantityInWords(key, warning.median_of_rest, text.language),
      };
    case "drift":
      return {
        metric,
        direction: warning.relative_change < 0 ? "falls" : "rises",
        percent: digits(Math.abs(warning.relative_change) * 100, 0),
        p: digits(warning.p_value, 3),
      };
    case "autocorrelated":
      return {
        metric,
        lag: digits(warning.lag1, 2),
        samples: String(warning.samples),
        effective: digits(warning.effective_samples, 1),
      };
  }
}

// The answer.

/** So many runners-up are named. */
const STANDINGS_MAX = 5;

/** Returns a sentence of the answer; empty for a claim that is not known. */
export function claimWords(page: Page, claim: Claim, text: Text): string {
  const { language } = text;
  const cells = (count: number) => text.say("cell-count", counted("count", count, language));
  switch (claim.claim) {
    case "overall":
      return overallWords(claim, text);
    case "wins":
      return winsWords(claim, text);
    case "largest":
      return largestWords(page, claim, text);
    case "before_after":
      return beforeAfterWords(page, claim, text);
    case "against":
      return againstWords(page, claim.counts, claim.metric, text);
    case "single":
      return text.say("claim-single", { cells: cells(claim.cells) });
    case "untold":
      return untoldWords(claim, text);
    case "gives": {
      const estimate = page.cells[claim.cell]?.estimates[claim.metric];
      if (!estimate) return "";
      const value = interval(claim.metric, estimate, language);
      return capital(text.say("claim-gives", { cell: cellInSentence(page, claim.cell, text), value, metric: metricWords(claim.metric, text) }));
    }
    case "limits": {
      const limits = claim.limits.map((one) => text.say("limit-count", { limit: bottleneckBrief(one.bottleneck, text), cells: cells(one.cells) }));
      return text.say("claim-limits", { cells: cells(claim.cells), limits: limits.join(", ") });
    }
    case "off":
      return capital(
        text.say("claim-off", {
          run: runName(page, claim.run, text),
          reference: runName(page, claim.reference, text),
          mean: offWords(claim.mean_share, language),
          worst: offWords(Math.abs(claim.worst_share), language),
          side: claim.worst_share < 0 ? "below" : "above",
          cells: cells(claim.cells),
          worst_cell: cellInSentence(page, claim.worst_cell, text),
          metric: metricWords(claim.metric, text),
        }),
      );
    case "differs":
      return differsWords(claim, text);
    case "settled":
      return text.say("claim-settled", { settled: countOf(claim.settled, language), cells: cells(claim.cells), all: plural(claim.settled), margin: percent(claim.margin, language) });
    case "not_counted":
      return text.say("claim-not-counted", { samples: countOf(claim.samples, language), of: countOf(claim.of, language) });
    default:
      return "";
  }
}

/** So many stacks are named that nothing explains. */
const UNTOLD_MAX = 3;

function untoldWords(claim: Extract<Claim, { claim: "untold" }>, text: Text): string {
  const stacks = claim.stacks.slice(0, UNTOLD_MAX).map((stack) => inSentence(stack));
  const more = claim.stacks.length - UNTOLD_MAX;
  if (more > 0) stacks.push(text.say("some-more", { count: countOf(more, text.language) }));
  return text.say("claim-untold", { stacks: commaJoined(stacks, text), baseline: inSentence(claim.baseline) });
}

/** Returns words as one would say them: `a, b and c`. */
function commaJoined(list: string[], text: Text): string {
  return joined(list.length > 2 ? [list.slice(0, -1).join(", "), list[list.length - 1] ?? ""] : list, text);
}

/** Returns in what two stacks differ and which of that is the cause, if a third one tells. */
function differsWords(claim: Extract<Claim, { claim: "differs" }>, text: Text): string {
  const { stack, baseline, cause } = claim;
  const differences = claim.differences.map(({ key, value, instead_of }) => text.say("difference", { key, value, instead_of }));
  const differs = text.say("claim-differs", { stack, baseline, differences: commaJoined(differences, text) });
  if (!cause?.witness) return `${differs} ${text.say("claim-cause-unknown", { baseline })}`;
  const { witness } = cause;
  const cells = text.say("cell-count", counted("count", witness.cells, text.language));
  const words = { keys: commaJoined(cause.keys, text), idle: commaJoined(cause.idle, text), witness: witness.stack, same_as: witness.same_as, cells };
  return `${differs} ${text.say("claim-cause", words)}`;
}

/** Returns a deviation; below a tenth a per cent is too coarse. */
function offWords(share: number, language: Language): string {
  return percent(share, language, share < 0.0995 ? 1 : 0);
}

function overallWords(claim: Extract<Claim, { claim: "overall" }>, text: Text): string {
  const [best, ...others] = claim.standings;
  if (!best) return "";
  const share = (value: number) => percent(value, text.language);
  const list = (standings: Standing[]) => standings.slice(0, STANDINGS_MAX).map((one) => `${inSentence(one.value)} ${share(one.mean_share)}`).join(", ");
  const isUnsure = claim.standings.some((one) => one.low_share === null || one.high_share === null);
  const rivals = isUnsure ? [] : others.filter((one) => one.high_share! >= best.low_share!);
  const rest = isUnsure ? "claim-overall-rest-unsure" : rivals.length > 0 ? "claim-overall-rest-open" : "claim-overall-rest";
  const open = rivals.slice(0, STANDINGS_MAX).map((one) => inSentence(one.value)).join(", ");
  const loads = (place: "over" | "in") => {
    const count = countOf(claim.loads, text.language);
    const isAll = claim.loads === claim.loads_all;
    return isAll ? text.say(`loads-${place}-all`, { loads: count }) : text.say(`loads-${place}-some`, { loads: count, all: countOf(claim.loads_all, text.language) });
  };
  const words = {
    axis: axisWords(claim.axis, text),
    best: inSentence(best.value),
    rest: text.say(rest, rest.endsWith("-open") ? { list: list(others), open } : { list: list(others) }),
  };
  if (best.worst_share === 1) return text.say("claim-overall-all", { ...words, which: loads("in") });
  return text.say("claim-overall", { ...words, which: loads("over"), mean: share(best.mean_share), worst: share(best.worst_share), worst_load: inSentence(loadWords(best.worst_load_values, text), 160) });
}

function winsWords(claim: Extract<Claim, { claim: "wins" }>, text: Text): string {
  const number = (count: number) => countOf(count, text.language);
  const certain = claim.certain === claim.wins ? "all" : claim.certain === 0 ? "none" : "some";
  const words = {
    axis: axisWords(claim.axis, text),
    value: inSentence(claim.value),
    best: sayOr(text, `best-${claim.metric}`, {}, metricWords(claim.metric, text)),
    doubt: text.say(`certain-${certain}`, certain === "some" ? { certain: number(claim.certain) } : {}),
  };
  const loads = number(claim.loads);
  const sentence =
    claim.loads === 1
      ? text.say("claim-wins-one", words)
      : claim.wins === claim.loads
        ? text.say("claim-wins-all", { ...words, loads })
        : text.say("claim-wins", { ...words, wins: number(claim.wins), loads });
  return claim.panel == null ? capital(sentence) : text.say("claim-in", { panel: inSentence(claim.panel), sentence });
}

function largestWords(page: Page, claim: Extract<Claim, { claim: "largest" }>, text: Text): string {
  const value = (index: number) => page.cells[index]?.estimates[claim.metric]?.value;
  // The best latency is the smaller one; the sentence is about the larger value.
  const [more, less] = (value(claim.best) ?? 0) >= (value(claim.worst) ?? 0) ? [claim.best, claim.worst] : [claim.worst, claim.best];
  const amount = (index: number) => quantity(claim.metric, value(index) ?? Number.NaN, text.language);
  return text.say(claim.load === "" ? "claim-largest-only" : "claim-largest", {
    load: inSentence(loadWords(claim.load_values, text), 160),
    more: stackInSentence(page, more, less, text),
    less: stackInSentence(page, less, more, text),
    more_value: amount(more),
    less_value: amount(less),
    difference: differenceWords(claim.ratio_estimate, text),
    metric: metricWords(claim.metric, text),
  });
}

/** Returns what sets a cell apart from another: its values along the axes in which they differ. */
function stackInSentence(page: Page, index: number, other: number, text: Text): string {
  const [cell, against] = [page.cells[index], page.cells[other]];
  if (!cell || !against) return `#${index}`;
  const axis = cell.values.findIndex((value, at) => value !== against.values[at] && value !== "-");
  return axis < 0 ? cellInSentence(page, index, text) : inSentence(namedValue(page.axes[axis]?.key ?? "", cell.values[axis] ?? "", text));
}

// Facts.

export function factWords(key: string, text: Text): string {
  const id = key.startsWith("fact-") ? key : `fact-${key}`;
  return sayOr(text, id, {}, capital(label(id.slice(5)).replace(/[-_]/g, " ")));
}

/** Returns a run in a line: which study, in which world, when. */
export function runStarted(run: PageRun, text: Text, started: string): string {
  return text.say("run-line", {
    id: String(run.id),
    study: inSentence(run.study),
    world: worldWords(run.world, text),
    state: sayOr(text, `state-${run.state}`, {}, run.state),
    started,
  });
}

export function samplesWords(run: PageRun, text: Text): string {
  return text.say("samples-counted", {
    ...counted("counted", run.samples_counted, text.language),
    all_text: countOf(run.samples_all, text.language),
  });
}

/** Returns an estimate with what backs it: `421 ± 12 MiB/s (8 samples)`. */
export function estimateWords(metric: MetricKey, estimate: Estimate, text: Text): string {
  return text.say("estimate-of", {
    interval: interval(metric, estimate, text.language),
    ...counted("samples", estimate.samples, text.language),
  });
}

