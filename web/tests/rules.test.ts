// Hostile names must stay text: nothing in the front end ever parses HTML or runs a string.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clean, inSentence, label, shorten } from "../src/names";
import * as taken from "../src/packages";
import { HOSTILE } from "./fixtures";

const FORBIDDEN = [/dangerouslySetInnerHTML/, /\.(inner|outer)HTML/, /insertAdjacentHTML/, /document\.write/, /\beval\(/, /new Function/, /renderMode: "html"/, /javascript:/];
const LINES_MAX = 800;
/** Generated from the Rust types: as long as there are types. */
const GENERATED = join("src", "generated.ts");

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

test("nothing makes HTML of a string", () => {
  for (const path of files("src")) {
    const source = readFileSync(path, "utf8");
    for (const rule of FORBIDDEN) assert.doesNotMatch(source, rule, path);
  }
});

test("all that we take from packages is used", () => {
  const sources = files("src").filter((path) => /\.tsx?$/.test(path) && path !== join("src", "packages.ts"));
  const imports = sources.flatMap((path) => readFileSync(path, "utf8").match(/^import \{[^}]*\} from "[^.][^"]*";$/gm) ?? []);
  const names = new Set(imports.flatMap((one) => one.match(/\w+/g) ?? []));
  // What the compiler makes of an element.
  names.add("h");
  assert.deepEqual(Object.keys(taken).filter((name) => !names.has(name)), []);
});

test("every file states what it owns and has a readable length", () => {
  const sources = files("src").filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
  assert.ok(sources.length > 30);
  for (const path of sources) {
    const source = readFileSync(path, "utf8");
    assert.ok(source.startsWith("// "), `${path} does not state what it owns`);
    assert.ok(path === GENERATED || source.split("\n").length <= LINES_MAX, path);
  }
});

test("names lose control characters and marks of direction, and keep their markup as text", () => {
  for (const name of HOSTILE) {
    for (const made of [clean(name), label(name), inSentence(name)]) {
      assert.doesNotMatch(made, /[\u0000-\u001f\u202a-\u202e\u200e\u200f]/);
    }
    assert.ok(Array.from(label(name)).length <= 28 + 3);
  }
  assert.equal(label("<script>alert(1)</script>", 40), "<script>alert(1)</script>");
  assert.equal(label("{a|b}"), "{\u2060a|b}");
});

test("a long name loses its middle, and no surrogate is cut in two", () => {
  assert.equal(shorten("abcdefghij", 10), "abcdefghij");
  assert.equal(shorten("abcdefghijk", 6), "abc…jk");
  assert.equal(shorten("😀".repeat(10), 4), "😀😀…😀");
});

test("a name that reads from the right is isolated from the sentence around it", () => {
  assert.equal(inSentence("\u05d0\u05d1"), "\u2068\u05d0\u05d1\u2069");
  assert.equal(inSentence("plain"), "plain");
});
