// The page and the terminal describe the same verdict. If their words differ, a reader who has both
// cannot tell which to believe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differenceWords } from "../src/differences";
import type { Bottleneck, Change, CellVerdict, Claim, Estimate, CellFinding, MetricKey, Noticed, Part } from "../src/generated";
import { textOf, type Text } from "../src/text";
import { bottleneckShort, bottleneckWords, changeWords, claimWords, findingWords, hintWords, verdictWords, warningWords } from "../src/words";
import { axisWords, metricWords, partWords } from "../src/things";
import { page } from "./golden/page";
import { fixture, HOSTILE, PLAIN, WARNINGS } from "./fixtures";

const english = textOf("en");
const german = textOf("de");

/** Pairs written by Rust's tests: the data, and the terminal's words for it. */
interface Golden {
  kind: string;
  data: Record<string, unknown> | string;
  english: string;
}

const GOLDEN = "tests/golden/words.json";

/** Replaces no-break spaces: the page keeps numbers and units together, the terminal does not. */
function plain(words: string): string {
  return words.replace(/\u00a0/g, " ").replace(/[\u2068\u2069]/g, "");
}

function say(one: Golden, text: Text): string {
  const data = withoutWords(one);
  switch (one.kind) {
    case "verdict":
      return verdictWords(data as unknown as CellVerdict, data.metric as MetricKey, text);
    case "bottleneck":
      return bottleneckWords(data as unknown as Bottleneck, text);
    case "bottleneck-short":
      return bottleneckShort(data as unknown as Bottleneck, text);
    case "finding":
      return findingWords(data as CellFinding, text);
    case "warning":
      return warningWords(data as Noticed, text);
    case "hint":
      return hintWords(data as Noticed, text) ?? "";
    case "change":
      return changeWords(data as unknown as Change & { words: string }, text);
    case "difference":
      return differenceWords(data as unknown as Estimate, text);
    case "claim":
      return claimWords(page, data as unknown as Claim, text);
    case "axis":
      return axisWords(String(one.data), text);
    case "metric":
      return metricWords(String(one.data), text);
    case "part":
      return partWords(one.data as Part, text);
    default:
      throw new Error(`words.json has a kind that this test does not know: ${one.kind}`);
  }
}

const FALLEN_BACK = "(fell back to the words in the data)";

/** Removes the words in the data: they are the fallback for unknown kinds and must not be compared. */
function withoutWords({ data, english }: Golden): Record<string, unknown> {
  if (typeof data === "string") return {};
  // Only the operating system can name an error number: that part is taken from the message.
  const message = data.kind === "job_failed" ? english : FALLEN_BACK;
  return { ...data, words: FALLEN_BACK, message, hint: FALLEN_BACK };
}

const golden = JSON.parse(readFileSync(GOLDEN, "utf8")) as Golden[];

test("English uses the words of the terminal", () => {
  assert.ok(golden.length > 100);
  for (const one of golden) assert.equal(plain(say(one, english)), one.english, JSON.stringify(one.data));
});

test("German has words of its own for each of them", () => {
  // A difference is a number; some words are the same in both languages, and a note is quoted as it is.
  const same = ["metric", "part", "change", "axis", "difference"];
  for (const one of golden) {
    const words = plain(say(one, german));
    assert.notEqual(words, "");
    assert.ok(!words.includes(FALLEN_BACK), one.english);
    if (!same.includes(one.kind) && (one.data as { kind?: string }).kind !== "imported") assert.notEqual(words, one.english);
  }
});

test("a verdict's words follow its bounds", () => {
  const different = (low: number, high: number, metric: MetricKey = "bandwidth_bytes_per_s") =>
    verdictWords({ verdict: "different", low, high, words: "" }, metric, english);
  assert.equal(different(1.08, 1.14), "8 to 14 % faster");
  assert.equal(different(1.082, 1.14), "8 to 14 % faster");
  assert.equal(different(2.1, 2.3), "2.1 to 2.3 times as fast");
  assert.equal(different(0.3, 0.31), "3.2 to 3.3 times as slow");
  assert.equal(different(1.0001, 1.0009), "less than 0.1 % faster");
  assert.equal(different(1.0001, 1.03), "up to 3 % faster");
  assert.equal(different(0.9, 0.95, "latency_ns_p99"), "5 to 10 % lower");
  assert.equal(verdictWords({ verdict: "different", low: 1.082, high: 1.14, words: "" }, "iops", german), "8 bis 14 % schneller");
});

test("unknown kinds of a newer writer fall back to the words in the data", () => {
  const [, , unknown] = WARNINGS;
  assert.equal(warningWords(unknown!, german), "a solar flare was noticed");
  assert.equal(hintWords(unknown!, german), "wait");
  assert.equal(findingWords({ finding: "quantum", words: "Qubits.", block_size: "4K", kernel: "9.9" } as never, german), "Qubits.");
  assert.equal(changeWords({ change: "quantum", words: "qubits" } as never, german), "qubits");
  assert.equal(claimWords(fixture(PLAIN), { claim: "quantum" } as never, english), "");
});

test("a finding with an unknown rule uses the data's words", () => {
  const finding: CellFinding = { finding: "mirrors_take_turns", sequential_share: 0.4, rule: { level: "raid10", rule: "New" }, words: "As told.", block_size: "4K", kernel: "9.9" };
  assert.equal(findingWords(finding, english), "As told.");
});

test("each claim is one sentence in both languages", () => {
  const page = fixture({ ...PLAIN, worlds: ["model", "metal"] });
  const sentences = [english, german].map((text) => page.answer.map((claim) => plain(claimWords(page, claim, text))));
  assert.deepEqual(sentences[0]!.slice(0, 3), [
    "randread: stack chunk16 gives the most bandwidth in 7 of 8 loads, in 6 of them beyond doubt.",
    "The largest difference in bandwidth is at randread, block size 20000K: chunk16 against ssd, +110 % [+108, +112], ×2.1 (1006 MiB/s against 479 MiB/s).",
    "Of 80 cells that have a baseline, 38 are 40 % faster (median; from 8.0 % to 110 % (×2.1) at chunk16, randread, block size 20000K), 6 are 12 % slower (median; from 7.0 % to 20 % at chunk16, randread, block size 64K), 33 are the same within 5 %, and 3 are undecided.",
  ]);
  assert.equal(sentences[1]![0], "randread: Stapel chunk16 gibt den höchsten Durchsatz in 7 von 8 Lasten, in 6 davon ohne Zweifel.");
  for (const sentence of sentences.flat()) assert.match(sentence, /^[^{}]+\.$/);
});

test("hostile names stay short text in sentences", () => {
  const page = fixture({ ...PLAIN, names: HOSTILE });
  for (const claim of page.answer) {
    const words = claimWords(page, claim, english);
    assert.ok(words.length < 600, String(words.length));
    assert.doesNotMatch(words, /[\u0000-\u001f\u202a-\u202e]/);
  }
});
