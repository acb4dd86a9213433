// A message that the page lacks appears as its bare id, and no other test finds it. What concerns both
// languages, the terminal's messages and the Rust sources is tested in `crates/catalogue/tests`.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FluentBundle, FluentResource } from "@fluent/bundle";
import { LANGUAGES } from "../src/text";
import { SOURCES } from "./messages";

/** The ids of the page's messages. */
const ids = [...SOURCES.en.matchAll(/^([a-zA-Z][\w-]*) =/gm)].map((one) => one[1]!);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && entry.name !== "generated.ts" ? [readFileSync(path, "utf8")] : [];
  });
}

/** The front end, without the generated types. */
const code = sources("src").join("\n");

function found(pattern: RegExp): Set<string> {
  return new Set([...code.matchAll(pattern)].flatMap((one) => one.slice(1)));
}

test("the page's parser of messages understands each of them", () => {
  assert.ok(ids.length > 200);
  for (const language of LANGUAGES) {
    const bundle = new FluentBundle(language);
    assert.deepEqual(bundle.addResource(new FluentResource(SOURCES[language])), []);
    for (const id of ids) assert.ok(bundle.getMessage(id)?.value != null, `${language}: ${id} is not well formed`);
  }
});

test("every id that the page names exists", () => {
  const named = found(/\.say\(\s*"([\w-]+)"/g);
  const chosen = found(/\.say\([^"`]*\? "([\w-]+)" : "([\w-]+)"/g);
  assert.ok(named.size > 100 && chosen.size > 5);
  for (const id of [...named, ...chosen]) assert.ok(ids.includes(id), id);
  const begun = found(/(?:say|has)\([^()`]*`([\w-]+)\$\{/g);
  assert.ok(begun.size > 10);
  for (const prefix of begun) assert.ok(ids.some((id) => id.startsWith(prefix)), `${prefix}…`);
});

test("no sentence stands outside the catalogue", () => {
  // Errors for a developer's console and for `export` are English, as all errors of the program.
  const lines = code.split("\n").filter((line) => !/^\s*(\/\/|\*|\/\*)|new Error\(/.test(line));
  const sentence = /(?:["'`][^"'`]*|>[^<>{}]*)\b[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}\b/;
  assert.ok(sentence.test('<p>not all of this page</p>') && sentence.test('"the disks are busy"'));
  assert.deepEqual(lines.filter((line) => sentence.test(line.replace(/\/\/ .*$/, ""))), []);
});
