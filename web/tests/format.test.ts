// If the page and the terminal round a number differently, readers doubt both.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, fixed, inWords, interval, local, quantity, size, threeDigits } from "../src/format";
import { estimate } from "./fixtures";

test("three digits are those of the terminal", () => {
  const cases: [number, string][] = [[0.305, "0.30"], [4.556, "4.56"], [9.994, "9.99"], [9.995, "10.0"], [99.94, "99.9"], [99.95, "100"], [823.4, "823"], [-0.5, "-0.50"], [1013.49, "1013"]];
  for (const [value, words] of cases) assert.equal(threeDigits(value), words, String(value));
});

test("ties go to the even digit, as in Rust, and numbers that only look like a tie do not", () => {
  assert.deepEqual([0.5, 1.5, 2.5, 100.5, 101.5].map((value) => fixed(value, 0)), ["0", "2", "2", "100", "102"]);
  assert.deepEqual([0.125, 0.375, 1.005, 4.35].map((value) => fixed(value, 2)), ["0.12", "0.38", "1.00", "4.35"]);
  assert.deepEqual([4.35, 0.25, 0.75].map((value) => fixed(value, 1)), ["4.3", "0.2", "0.8"]);
});

test("quantities have their unit", () => {
  assert.equal(quantity("bandwidth_bytes_per_s", 863_000_000, "en"), "823\u00a0MiB/s");
  assert.deepEqual(
    [810, 48_210, 3_210_000, 1.5e9].map((value) => quantity("latency_ns_p99", value, "en")),
    ["810\u00a0ns", "48.2\u00a0µs", "3.21\u00a0ms", "1.50\u00a0s"],
  );
  assert.equal(quantity("latency_ns_mean", 999_499, "en"), "999\u00a0µs");
  assert.equal(quantity("latency_ns_mean", 999_500, "en"), "1.00\u00a0ms");
  assert.deepEqual([950, 12_345, 1_234_567].map((value) => quantity("iops", value, "en")), ["950\u00a0IOPS", "12.3\u00a0kIOPS", "1.23\u00a0MIOPS"]);
});

test("German has a decimal comma and groups with points", () => {
  assert.equal(quantity("latency_ns_p99", 3_210_000, "de"), "3,21\u00a0ms");
  assert.deepEqual(["1234", "12345", "1234567.5", "-12345"].map((digits) => local(digits, "de")), ["1234", "12.345", "1.234.567,5", "−12.345"]);
  assert.equal(local("1234567.5", "en"), "1,234,567.5");
  assert.equal(inWords("(3.9–48.7)", "de"), "(3,9–48,7)");
});

test("an interval has one unit for both of its numbers", () => {
  assert.equal(interval("bandwidth_bytes_per_s", estimate(441_450_496, 0.0285), "en"), "421\u00a0±\u00a012\u00a0MiB/s");
  assert.equal(interval("latency_ns_mean", { ...estimate(2_500_000, 0.1), low: null, high: null }, "de"), "2,50\u00a0ms");
});

test("sizes are written as studies write them, amounts in binary units", () => {
  assert.deepEqual([8192, 20_480_000, 1_048_576, 513].map(size), ["8K", "20000K", "1M", "513"]);
  assert.deepEqual([513, 4096, 1.5 * 1048576].map((value) => bytes(value, "de")), ["513\u00a0B", "4\u00a0KiB", "1,50\u00a0MiB"]);
});
