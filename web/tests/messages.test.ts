// A message that one language lacks, or that no code uses, appears as its bare id or never, and no other
// test finds it. The catalogue has the terminal's messages as well.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FluentBundle, FluentResource } from "@fluent/bundle";
import { LANGUAGES, type Language } from "../src/text";
import { SOURCES } from "./messages";

const CATALOGUE = "../crates/catalogue/messages";
const FILES = ["page", "live", "show", "predict", "commands"];

function fileOf(name: string, language: Language): string {
  return readFileSync(join(CATALOGUE, `${name}.${language}.ftl`), "utf8");
}

/** Returns all messages of a language. */
function allOf(language: Language): string {
  return FILES.map((name) => fileOf(name, language)).join("\n");
}

/** Returns each message's id with the variables it uses, sorted. A count fills two variables, of which a
 *  language may need only one. */
function messagesOf(source: string): Map<string, string[]> {
  const messages = new Map<string, string[]>();
  for (const block of source.split(/\n(?=[a-zA-Z])/)) {
    const id = /^([a-zA-Z][\w-]*) =/.exec(block.trim())?.[1];
    if (id === undefined) continue;
    assert.ok(!messages.has(id), `twice: ${id}`);
    const names = (block.match(/\$[a-z_\d]+/g) ?? []).map((name) => name.slice(1));
    messages.set(id, [...new Set(names)].sort());
  }
  return messages;
}

function withoutTexts(messages: Map<string, string[]>): Record<string, string> {
  return Object.fromEntries([...messages].map(([id, names]) => [id, [...new Set(names.map((name) => name.replace(/_text$/, "")))].join(" ")]));
}

const english = messagesOf(allOf("en"));

function sources(folder: string, isWanted: (name: string) => boolean): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path, isWanted);
    return isWanted(entry.name) ? [readFileSync(path, "utf8")] : [];
  });
}

/** The front end, without the generated types. */
const code = sources("src", (name) => /\.tsx?$/.test(name) && name !== "generated.ts").join("\n");
/** The program, without its tests and comments. */
const rust = readdirSync("../crates")
  .flatMap((crate) => sources(join("../crates", crate, "src"), (name) => name.endsWith(".rs") && !/tests\.rs$/.test(name)))
  .map((source) => source.replace(/#\[cfg\(test\)\]\s*mod \w+ \{[^]*$/, "").replace(/^ *\/\/.*$/gm, ""))
  .join("\n");

function found(source: string, pattern: RegExp): Set<string> {
  return new Set([...source.matchAll(pattern)].map((one) => one[1]!));
}

const LITERAL = /"([a-z][\w-]*)"/g;
const TS_PREFIX = /`([a-z]\w*-[\w-]*)\$\{/g;
const RUST_PREFIX = /format!\(\s*"([a-z]\w*-[\w-]*)\{/g;

test("every file of the catalogue is looked at", () => {
  assert.equal(readdirSync(CATALOGUE).length, LANGUAGES.length * FILES.length);
});

test("both languages have the same messages with the same variables, in the same order", () => {
  assert.ok(english.size > 200);
  const german = messagesOf(allOf("de"));
  assert.deepEqual(withoutTexts(german), withoutTexts(english));
  assert.deepEqual([...german.keys()], [...english.keys()]);
});

test("every message is well formed", () => {
  for (const language of LANGUAGES) {
    const bundle = new FluentBundle(language, { useIsolating: false });
    assert.deepEqual(bundle.addResource(new FluentResource(allOf(language))), []);
    for (const [id, names] of english) {
      const pattern = bundle.getMessage(id)?.value;
      assert.ok(pattern != null, `${language}: ${id} is not well formed`);
      const errors: Error[] = [];
      const values = names.flatMap((name) => [name, `${name}_text`, name.replace(/_text$/, "")]);
      const words = bundle.formatPattern(pattern, Object.fromEntries(values.map((name) => [name, "7"])), errors);
      assert.deepEqual(errors, [], `${language}: ${id}`);
      assert.notEqual(words, "");
      assert.doesNotMatch(words, /[{}]/, `${language}: ${id}`);
    }
  }
});

test("every id that the code names exists", () => {
  const page = messagesOf(SOURCES.en);
  const named = [...found(code, /\.say\(\s*"([\w-]+)"/g)];
  const chosen = [...code.matchAll(/\.say\([^"`]*\? "([\w-]+)" : "([\w-]+)"/g)].flatMap((one) => [one[1]!, one[2]!]);
  assert.ok(named.length > 100 && chosen.length > 5);
  for (const id of [...named, ...chosen]) assert.ok(page.has(id), id);
  const begun = [...found(code, /(?:say|has)\([^()`]*`([\w-]+)\$\{/g)];
  assert.ok(begun.length > 10);
  for (const prefix of begun) assert.ok([...page.keys()].some((id) => id.startsWith(prefix)), `${prefix}…`);
  const ofRust = [...found(rust, /Message::new\(\s*"([\w-]+)"/g)];
  assert.ok(ofRust.length > 50);
  for (const id of ofRust) assert.ok(english.has(id), id);
});

test("every message is used", () => {
  const words = new Set([...found(code, LITERAL), ...found(rust, LITERAL)]);
  const prefixes = [...found(code, TS_PREFIX), ...found(rust, RUST_PREFIX)];
  const unused = [...english.keys()].filter((id) => !words.has(id) && !prefixes.some((prefix) => id.startsWith(prefix)));
  assert.deepEqual(unused, []);
});

test("no sentence stands outside the catalogue", () => {
  // Errors for a developer's console and for `export` are English, as all errors of the program.
  const lines = code.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)|new Error\(/.test(line));
  const sentence = /(?:["'`][^"'`]*|>[^<>{}]*)\b[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}\b/;
  assert.ok(sentence.test('<p>not all of this page</p>') && sentence.test('"the disks are busy"'));
  assert.deepEqual(lines.filter((line) => sentence.test(line.replace(/\/\/ .*$/, ""))), []);
});
