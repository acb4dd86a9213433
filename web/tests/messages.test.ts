// A message that one language lacks appears as its bare id to a reader, and no other test finds it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SOURCES, textOf } from "../src/text";

/** Returns each message's id with the variables it uses, sorted. */
function messagesOf(source: string): Map<string, string> {
  const messages = new Map<string, string>();
  for (const block of source.split(/\n(?=[a-zA-Z])/)) {
    const id = /^([a-zA-Z][\w-]*) =/.exec(block.trim())?.[1];
    if (id === undefined) continue;
    assert.ok(!messages.has(id), `twice: ${id}`);
    messages.set(id, [...new Set(block.match(/\$[a-z_]+/g) ?? [])].sort().join(" "));
  }
  return messages;
}

const english = messagesOf(SOURCES.en);

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [readFileSync(path, "utf8")] : [];
  });
}

const code = sources("src").join("\n");

test("both languages have the same messages with the same variables", () => {
  assert.ok(english.size > 200);
  assert.deepEqual(Object.fromEntries(messagesOf(SOURCES.de)), Object.fromEntries(english));
});

test("every message is well formed", () => {
  for (const language of ["en", "de"] as const) {
    const text = textOf(language);
    for (const [id, variables] of english) {
      assert.ok(text.has(id), `${language}: ${id} is not well formed`);
      const args = Object.fromEntries(variables.split(" ").map((name) => [name.slice(1), "7"]));
      const words = text.say(id, args);
      assert.notEqual(words, "");
      assert.doesNotMatch(words, /[{}]/, `${language}: ${id}`);
    }
  }
});

test("every id that the code names exists", () => {
  const named = [...code.matchAll(/\.say\(\s*"([\w-]+)"/g)].map((found) => found[1]!);
  const chosen = [...code.matchAll(/\.say\([^"`]*\? "([\w-]+)" : "([\w-]+)"/g)].flatMap((found) => [found[1]!, found[2]!]);
  assert.ok(named.length > 100 && chosen.length > 5);
  for (const id of [...named, ...chosen]) assert.ok(english.has(id), id);
  const begun = [...code.matchAll(/(?:say|sayOr|has)\([^()`]*`([\w-]+)\$\{/g)].map((found) => found[1]!);
  assert.ok(begun.length > 10);
  for (const prefix of begun) assert.ok([...english.keys()].some((id) => id.startsWith(prefix)), `${prefix}…`);
});

test("every message is used", () => {
  const words = new Set(code.match(/[a-zA-Z][\w-]*/g));
  const prefixes = [...code.matchAll(/`([a-z]\w*-[\w-]*)\$\{/g)].map((found) => found[1]!);
  const unused = [...english.keys()].filter((id) => !words.has(id) && !prefixes.some((prefix) => id.startsWith(prefix)));
  assert.deepEqual(unused, []);
});
