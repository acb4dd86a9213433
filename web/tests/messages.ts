// The messages as a page has them, for tests: `build.mjs` puts this file in front of each.

import { readFileSync } from "node:fs";
import type { Language } from "../src/text";

const CATALOGUE = "../crates/catalogue/messages";

function sourceOf(language: Language): string {
  return ["page", "live", "shipped"].map((name) => readFileSync(`${CATALOGUE}/${name}.${language}.ftl`, "utf8")).join("\n");
}

/** The messages of each language. */
export const SOURCES: Record<Language, string> = { en: sourceOf("en"), de: sourceOf("de") };

export const MESSAGES_JSON = JSON.stringify(SOURCES);

Object.assign(globalThis, { messagesJson: MESSAGES_JSON });
