// Numbers for people, in English and German, without `Intl` (the engine that draws figures for
// `stripewise export` has none).
//
// Rounding follows Rust's: the nearest decimal of the exact binary value, ties to even, so that the
// page shows `62.5` if the terminal shows `62.5`. Units follow a no-break space.

import type { Estimate, MetricKey } from "./generated";
import type { Language } from "./text";

const SPACE = "\u00a0";
const KIB = 1024;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Returns `value` with `digits` decimals, ties to even, with a point and without grouping. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  const scaled = Math.abs(value) * 10 ** digits;
  const floor = Math.floor(scaled);
  const isTie = scaled - floor === 0.5 && Number.isInteger(value * 2 ** (digits + 1));
  if (!isTie) return text;
  const even = floor % 2 === 0 ? floor : floor + 1;
  return ((Math.sign(value) * even) / 10 ** digits).toFixed(digits);
}

/** Returns a number with about three significant digits: `0.31`, `4.56`, `19.7`, `823`. */
export function threeDigits(value: number): string {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** Returns a formatted number with the decimal sign of `language`, grouped from five digits on. */
export function local(digits: string, language: Language): string {
  const [whole = "", fraction] = digits.split(".");
  const group = language === "de" ? "." : ",";
  const bare = whole.replace("-", "");
  const grouped = bare.length > 4 ? bare.replace(/\B(?=(\d{3})+$)/g, group) : bare;
  const sign = whole.startsWith("-") ? "−" : "";
  return sign + grouped + (fraction === undefined ? "" : `${language === "de" ? "," : "."}${fraction}`);
}

/** Returns numbers in a sentence: the decimal sign of `language`, no grouping, as in the terminal. */
export function inWords(digits: string, language: Language): string {
  return language === "de" ? digits.replace(/\./g, ",") : digits;
}

export function count(value: number, language: Language): string {
  return local(fixed(value, 0), language);
}

/** Returns a share as `93 %`. */
export function percent(share: number, language: Language, digits = 0): string {
  return `${local(fixed(share * 100, digits), language)}${SPACE}%`;
}

/** A unit and its number of base units. */
interface Scale {
  factor: number;
  unit: string;
}

const TIME: Scale[] = [
  { factor: 1, unit: "ns" },
  { factor: 1e3, unit: "µs" },
  { factor: 1e6, unit: "ms" },
  { factor: 1e9, unit: "s" },
];
const IOPS: Scale[] = [
  { factor: 1, unit: "IOPS" },
  { factor: 1e3, unit: "kIOPS" },
  { factor: 1e6, unit: "MIOPS" },
];
const RATE: Scale = { factor: MIB, unit: "MiB/s" };

/** Returns the unit in which `value` has up to three digits before the point. */
function fitting(scales: Scale[], value: number): Scale {
  const size = Math.abs(value);
  const fits = scales.filter((scale, index) => index === 0 || size >= scale.factor * 0.9995);
  return fits[fits.length - 1] as Scale;
}

/** Returns the unit for values of a metric whose largest is `value`. */
export function scaleOf(metric: MetricKey, value: number): Scale {
  if (metric === "bandwidth_bytes_per_s") return RATE;
  // Thousands of I/Os are still readable; a `k` replaces more digits.
  if (metric === "iops") return Math.abs(value) < 10_000 ? (IOPS[0] as Scale) : fitting(IOPS, value);
  return fitting(TIME, value);
}

export function isTime(metric: MetricKey): boolean {
  return metric !== "bandwidth_bytes_per_s" && metric !== "iops";
}

export function higherIsBetter(metric: MetricKey): boolean {
  return !isTime(metric);
}

function plain(value: number, scale: Scale): string {
  const scaled = value / scale.factor;
  return scale.unit === "IOPS" ? fixed(scaled, 0) : threeDigits(scaled);
}

function withUnit(digits: string, scale: Scale): string {
  return digits + SPACE + scale.unit;
}

/** Returns a value of a metric with its unit: `823 MiB/s`, `1.02 ms`, `12.3 kIOPS`. */
export function quantity(metric: MetricKey, value: number, language: Language): string {
  const scale = scaleOf(metric, value);
  return withUnit(local(plain(value, scale), language), scale);
}

/** Returns the wider side of an interval, as the terminal does; null if there is none. */
function halfWidth(estimate: Estimate): number | null {
  const { value, low, high } = estimate;
  return low === null || high === null ? null : Math.max(high - value, value - low);
}

/** An interval that reaches farther from its value than this part of it is shown by its ends. */
const WIDE = 0.5;

/** Returns `421 ± 12 MiB/s`: value and half width in one unit and to the same digit; `494 (242–1007) MiB/s`
 *  if the interval is wide; or the value alone. */
export function interval(metric: MetricKey, estimate: Estimate, language: Language): string {
  const half = halfWidth(estimate);
  if (half === null) return quantity(metric, estimate.value, language);
  const scale = scaleOf(metric, estimate.value);
  const value = plain(estimate.value, scale);
  if (half > WIDE * estimate.value) {
    const end = (bound: number | null) => local(fixed((bound ?? NaN) / scale.factor, decimalsOf(value)), language);
    return withUnit(`${local(value, language)}${SPACE}(${end(estimate.low)}–${end(estimate.high)})`, scale);
  }
  return withUnit(`${local(value, language)}${SPACE}±${SPACE}${local(spread(half / scale.factor, decimalsOf(value)), language)}`, scale);
}

/** Returns the number of decimals of a formatted number. */
function decimalsOf(digits: string): number {
  return digits.split(".")[1]?.length ?? 0;
}

/** Returns a half width to the last digit of its value, as the terminal does: one too small for this digit
 *  is `<0.1`, not zero; only samples that are all equal have 0. */
function spread(half: number, decimals: number): string {
  const unit = 10 ** -decimals;
  if (half === 0) return "0";
  return half < unit / 2 ? `<${fixed(unit, decimals)}` : fixed(half, decimals);
}

/** Returns a number of bytes: `4 KiB`, `1.5 MiB`, `500 B`. */
export function bytes(value: number, language: Language): string {
  const scales: Scale[] = [
    { factor: 1, unit: "B" },
    { factor: KIB, unit: "KiB" },
    { factor: MIB, unit: "MiB" },
    { factor: GIB, unit: "GiB" },
    { factor: 1024 * GIB, unit: "TiB" },
  ];
  const fits = scales.filter((scale, index) => index === 0 || Math.abs(value) >= scale.factor);
  const scale = fits[fits.length - 1] as Scale;
  const scaled = value / scale.factor;
  return withUnit(local(Number.isInteger(scaled) ? String(scaled) : threeDigits(scaled), language), scale);
}

/** Returns a size as studies write it: `8K`, `20000K`, `1M`, `513`. */
export function size(value: number): string {
  const units: [number, string][] = [[1024 * GIB, "T"], [GIB, "G"], [MIB, "M"], [KIB, "K"]];
  const found = units.find(([factor]) => value !== 0 && value % factor === 0);
  return found ? `${value / found[0]}${found[1]}` : String(value);
}

/** Returns a duration with three digits. */
export function duration(nanoseconds: number, language: Language): string {
  return quantity("latency_ns_mean", nanoseconds, language);
}

/** Returns a duration; from 100 s on in two units, as people say it. */
export function span(nanoseconds: number, language: Language): string {
  const seconds = Math.round(nanoseconds / 1e9);
  if (seconds < 100) return duration(nanoseconds, language);
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [number, number, number];
  if (hours === 0) return `${minutes} min ${seconds % 60} s`;
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${days} d ${hours % 24} h`;
}

/** Returns a point in time, in the reader's zone. Needs `Intl`, so only in a browser. */
export function date(unixNanoseconds: number, language: Language): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", options).format(unixNanoseconds / 1e6);
}
