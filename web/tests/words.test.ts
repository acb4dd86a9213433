// The page and the terminal render the same messages. If their words differ, a reader who has both cannot
// tell which to believe.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { differenceWords, judgedWords } from "../src/differences";
import type { Estimate, Message, Page } from "../src/generated";
import { textOf, type Text } from "../src/text";
import { estimate, fixture, HOSTILE, message, PLAIN } from "./fixtures";
import { page as golden_page } from "./golden/page";

const english = textOf("en");
const german = textOf("de");

/** A message or a ratio with its words, written by Rust's tests. */
type Golden = ({ message: Message } | { ratio: Estimate }) & { english: string; german: string };

const golden = JSON.parse(readFileSync("tests/golden/words.json", "utf8")) as Golden[];

/** Replaces no-break spaces and removes marks of direction: only the page has them. */
function plain(words: string): string {
  return words.replace(/\u00a0/g, " ").replace(/[\u2068\u2069]/g, "");
}

function say(one: Golden, text: Text): string {
  return plain("message" in one ? text.tell(one.message) : differenceWords(one.ratio, text));
}

test("both languages use the words of the terminal", () => {
  assert.ok(golden.length > 200);
  for (const one of golden) {
    assert.deepEqual([say(one, english), say(one, german)], [one.english, one.german], JSON.stringify(one));
  }
});

test("a cell says in both languages what its disks moved for each byte", () => {
  const said = (golden_page as unknown as Page).cells.flatMap((cell) => cell.moved ?? []);
  assert.ok(said.length > 0);
  for (const sentence of said) {
    assert.match(plain(english.tell(sentence)), /^The disks wrote 2\.00 bytes for each byte that the load wrote: /);
    assert.match(plain(german.tell(sentence)), /^Für jedes Byte, das die Last schrieb, schrieben die Platten 2,00 Byte: /);
  }
});

test("each kind of value reads as in the terminal", () => {
  const shown = (value: Parameters<typeof message>[1] & {}) => [english, german].map((text) => text.tell(message("ratio-interval", { value: 7, low: "", high: "", factor: "", ...value })));
  assert.deepEqual(shown({ value: 2.5 }), ["2.5\u00a0% [, ]", "2,5\u00a0% [; ]"]);
  const items = ["a", "b", "c"].map((name) => ({ name }));
  assert.deepEqual(shown({ low: { list: { items, and: true } } }), ["7\u00a0% [a, b and c, ]", "7\u00a0% [a, b und c; ]"]);
  assert.equal(shown({ low: { list: { items, and: false } } })[0], "7\u00a0% [a, b, c, ]");
  assert.equal(shown({ low: { list: { items: items.slice(0, 1), and: true } } })[0], "7\u00a0% [a, ]");
  assert.equal(shown({ low: { quantity: { digits: "421 ± 1.5", unit: "MiB/s" } } })[1], "7\u00a0% [421\u00a0±\u00a01,5\u00a0MiB/s; ]");
  assert.deepEqual([1, 46].map((count) => english.tell(message("cell-count", { count: { count } }))), ["1 cell", "46 cells"]);
  assert.equal(german.tell({ ...message("run-number", { id: 3 }), is_sentence: true }), "Lauf 3");
  assert.equal(english.tell({ ...message("run-number", { id: 3 }), is_sentence: true }), "Run 3");
});

test("an unknown message is its id", () => {
  assert.equal(english.tell(message("warning-solar-flare", { place: "here" })), "warning-solar-flare");
});

test("a verdict beside its difference is a word", () => {
  const judged = (verdict: "different" | "no_difference" | "cannot_tell", text: Text) => plain(judgedWords({ verdict, ratio: estimate(1.004, 0) }, text));
  assert.equal(judged("different", english), "+0.4 % [+0.4, +0.4]");
  assert.equal(judged("no_difference", german), "+0,4 % [+0,4; +0,4] gleich");
  assert.equal(judged("cannot_tell", english), "+0.4 % [+0.4, +0.4] cannot tell");
});

test("hostile names stay short text in sentences", () => {
  for (const { sentence } of fixture({ ...PLAIN, names: HOSTILE }).answer) {
    const words = english.tell(sentence);
    assert.ok(words.length < 700, String(words.length));
    assert.doesNotMatch(words, /[\u0000-\u001f\u202a-\u202e]/);
  }
});
